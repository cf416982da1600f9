//! Claims about all states that need more than each state by itself: how long queues get, and that nothing spins.
//!
//! The plainest code there is: all points (a state, and the process that keeps control in it) with their successors, in one
//! list. For boundedness, the longest of every queue in them is compared with what is claimed. For livelock, points that
//! are progress (and steps that are) are left out, and what is left must have no cycle. If only fair runs count, it may have
//! some, if on each of them a process is not treated fairly.

use crate::temporal::components::components;
use crate::temporal::settled::{Account, is_settled_somewhere};
use crate::{Refusal, overflow, pause};
use model::claim::{MOST_ATOMS, Watcher};
use model::context::Context;
use model::event::Event;
use model::fairness::Fairness;
use model::formula::Atom;
use model::growth::Parts;
use model::ids::EdgeId;
use model::semantics::{Reading, Semantics, Step};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A state, and the process that keeps control in it.
type Point = (Vec<u8>, Option<u32>);

/// What leads from a point to another; without a step where a process is blocked and loses control.
struct Taken {
    step: Option<Step>,
    to: u32,
    /// An event that was requested happens.
    event: bool,
}

/// All points, and where their steps lead.
struct Points {
    all: Vec<Point>,
    next: Vec<Vec<Taken>>,
    states: u64,
    digest: u128,
}

impl Points {
    fn new(semantics: &Semantics<'_>, events: &[Atom], cx: &Context<'_>) -> Result<Self, Refusal> {
        let watcher = Watcher::new(semantics, events);
        let (mut stepper, mut asker) = (semantics.stepper(), semantics.stepper());
        stepper.listen();
        let initial = match stepper.initial().map_err(overflow)? {
            Ok(state) => state,
            Err(fault) => return Err(Refusal::Unfinished(fault.fault.to_string())),
        };
        let mut index: HashMap<Point, u32> = HashMap::from([((initial.clone(), None), 0)]);
        let mut points = Points { all: vec![(initial, None)], next: Vec::new(), states: 0, digest: 0 };
        while points.next.len() < points.all.len() {
            let (state, control) = points.all[points.next.len()].clone();
            let mut found: Vec<(Option<Step>, Point, bool)> = Vec::new();
            let mut crashed = false;
            let count = stepper
                .expand(&state, control, &mut |successor| {
                    crashed |= successor.state.is_none();
                    let event = watcher.in_step(&mut asker, &state, &successor) != 0;
                    let point = successor.state.map(|after| (after.to_vec(), successor.control));
                    found.extend(point.map(|point| (Some(successor.step), point, event)));
                })
                .map_err(overflow)?;
            if crashed {
                let reason = "a run ends in an error, so what would follow is not known";
                return Err(Refusal::Violated(String::from(reason)));
            }
            match control {
                Some(_) if count == 0 => found.push((None, (state, None), false)),
                Some(_) => {}
                None => {
                    points.states += 1;
                    points.digest = points.digest.wrapping_add(stepper.digest(&state));
                }
            }
            let mut next = Vec::with_capacity(found.len());
            for (step, point, event) in found {
                let known = points.all.len() as u32;
                let id = *index.entry(point.clone()).or_insert(known);
                if id == known {
                    points.all.push(point);
                }
                next.push(Taken { step, to: id, event });
            }
            points.next.push(next);
            pause(points.next.len() as u64, points.all.len() as u64, cx)?;
        }
        Ok(points)
    }

    fn compare(&self, states: u64, digest: u128) -> Result<(), Refusal> {
        if self.states != states {
            return Err(Refusal::StateCount { claimed: states, found: self.states });
        }
        if self.digest != digest { Err(Refusal::Digest) } else { Ok(()) }
    }
}

/// What a search says that it saw: the number of states, their digest, and how long each queue got.
pub(crate) type Claimed<'a> = (u64, u128, &'a [(String, u64)]);

/// Visits everything, which is finite; and sees that there are as many states, and that no queue is ever longer, as is claimed.
pub(crate) fn boundedness(
    semantics: &Semantics<'_>,
    claimed: Option<Claimed<'_>>,
    cx: &Context<'_>,
) -> Result<(), Refusal> {
    if semantics.reading() != Reading::Unbounded {
        return Err(Refusal::Violated(String::from("boundedness is asked of channels without bounds")));
    }
    let points = Points::new(semantics, &[], cx)?;
    let Some((states, digest, longest)) = claimed else { return Ok(()) };
    points.compare(states, digest)?;
    let claimed: BTreeMap<&str, u64> = longest.iter().map(|(name, length)| (name.as_str(), *length)).collect();
    let mut parts = Parts::new(semantics);
    for (state, _) in &points.all {
        let lengths = parts.lengths(state);
        let names = parts.queue_names(state);
        for (name, length) in names.iter().zip(lengths).filter_map(|(name, length)| Some((name.as_ref()?, length))) {
            if claimed.get(name.as_str()).is_none_or(|&most| u64::from(length) > most) {
                return Err(Refusal::Violated(format!("`{name}` holds {length} messages in some state")));
            }
        }
    }
    Ok(())
}

/// Visits everything, and sees that what is left without progress has no cycle; or, with `fair`, none that is fair.
pub(crate) fn livelock(
    semantics: &Semantics<'_>,
    numbers: Option<(u64, u128)>,
    (events, fair): (&[String], Fairness),
    cx: &Context<'_>,
) -> Result<(), Refusal> {
    let parsed = events.iter().map(|text| Ok(Atom::Event(Event::parse(text, semantics.network())?)));
    let parsed = parsed.collect::<Result<Vec<_>, String>>().map_err(Refusal::Malformed)?;
    if parsed.len() > MOST_ATOMS {
        return Err(Refusal::Malformed(format!("more than {MOST_ATOMS} events")));
    }
    let points = Points::new(semantics, &parsed, cx)?;
    if let Some((states, digest)) = numbers {
        points.compare(states, digest)?;
    }
    let left = points.without_progress(semantics, events.is_empty());
    if fair.is_assumed() {
        return points.no_fair_cycle(&left, fair);
    }
    let mut entering = vec![0u32; left.len()];
    left.iter().flatten().for_each(|&(to, _)| entering[to as usize] += 1);
    if has_cycle(&left, entering) {
        return Err(Refusal::Violated(String::from("there is a cycle without progress")));
    }
    Ok(())
}

/// What is left of a graph: where a step leads, and its number among those of its point.
type Left = Vec<Vec<(u32, u32)>>;

impl Points {
    fn without_progress(&self, semantics: &Semantics<'_>, by_labels: bool) -> Left {
        let mut stepper = semantics.stepper();
        // Labels are seen in states only: in the middle of an atomic sequence there is none.
        let seen: Vec<bool> =
            self.all.iter().map(|(s, c)| by_labels && c.is_none() && stepper.is_progress(s)).collect();
        let left = |(from, next): (usize, &Vec<Taken>)| {
            let quiet = |taken: &Taken| !seen[from] && !seen[taken.to as usize] && !taken.event;
            let all = next.iter().enumerate().filter(|(_, taken)| quiet(taken));
            all.map(|(number, taken)| (taken.to, number as u32)).collect()
        };
        self.next.iter().enumerate().map(left).collect()
    }

    /// No cycle treats every process fairly. A cycle in the middle of an atomic sequence leaves no turn to anybody
    /// else.
    fn no_fair_cycle(&self, left: &Left, fair: Fairness) -> Result<(), Refusal> {
        let component = &components(left);
        let inner: Left = (0..left.len())
            .map(|from| match self.all[from].1 {
                Some(_) => {
                    let inside = |to: usize| component[to] == component[from] && self.all[to].1.is_some();
                    left[from].iter().filter(|(to, _)| inside(*to as usize)).copied().collect()
                }
                None => Vec::new(),
            })
            .collect();
        let mut entering = vec![0u32; inner.len()];
        inner.iter().flatten().for_each(|&(to, _)| entering[to as usize] += 1);
        if has_cycle(&inner, entering) {
            return Err(Refusal::Violated(String::from("there is an atomic sequence without end and progress")));
        }
        let processes: BTreeSet<u32> = self.next.iter().flatten().flat_map(actors).collect();
        // If a process must always be able to move to have a right to it, a state where it is not is as good as a move.
        let excused = if fair == Fairness::Weak { processes } else { BTreeSet::new() };
        let accounts: Vec<Vec<Account<u32>>> = (0..left.len()).map(|from| self.accounts(from, &excused)).collect();
        match is_settled_somewhere(left.clone(), &|from, (_, number)| &accounts[from][number as usize]) {
            true => Err(Refusal::Violated(String::from("there is a fair cycle without progress"))),
            false => Ok(()),
        }
    }

    /// What each step of a point requests and grants: processes that can move there request a move, each by itself.
    fn accounts(&self, from: usize, excused: &BTreeSet<u32>) -> Vec<Account<u32>> {
        let is_state = self.all[from].1.is_none();
        let able: BTreeSet<u32> = self.next[from].iter().filter(|_| is_state).flat_map(actors).collect();
        let unable: BTreeSet<u32> = if is_state { excused - &able } else { BTreeSet::new() };
        let of = |taken: &Taken| {
            let granted = actors(taken).chain(unable.iter().copied()).collect();
            Account { owed: BTreeSet::new(), requested: able.clone(), granted }
        };
        self.next[from].iter().map(of).collect()
    }
}

/// The processes that take part in what leads from a point to another.
fn actors(taken: &Taken) -> impl Iterator<Item = u32> {
    halves(taken.step).into_iter().map(|(process, _)| process)
}

/// The processes that take part in a step, each with its edge.
fn halves(step: Option<Step>) -> Vec<(u32, EdgeId)> {
    match step {
        Some(Step::Edge { process, edge }) => vec![(process, edge)],
        Some(Step::Rendezvous { sender, receiver }) => vec![sender, receiver],
        Some(Step::Loss { .. }) | None => Vec::new(),
    }
}

/// Takes away points that nothing leads to, one after the other: what cannot be taken away is a cycle, or behind one.
fn has_cycle(next: &Left, mut entering: Vec<u32>) -> bool {
    let mut free: Vec<u32> = (0..next.len() as u32).filter(|&p| entering[p as usize] == 0).collect();
    let mut taken = 0;
    while let Some(point) = free.pop() {
        taken += 1;
        for &(to, _) in &next[point as usize] {
            entering[to as usize] -= 1;
            if entering[to as usize] == 0 {
                free.push(to);
            }
        }
    }
    taken < next.len()
}
