//! Claims about all states that need more than each state by itself: how long queues get, and that nothing spins.
//!
//! The plainest code there is: all points (a state, and the process that keeps control in it) with their successors, in one
//! list. For boundedness, the longest of every queue in them is compared with what is claimed. For livelock, points that
//! are progress (and steps that are) are left out, and what is left must have no cycle.

use crate::{Refusal, overflow, pause};
use model::event::Event;
use model::growth::Parts;
use model::semantics::{Reading, Semantics, Step};
use model::source::SourceMap;
use model::trace::Narrator;
use model::verdict::{Limits, Observer};
use std::collections::{BTreeMap, HashMap};

/// A state, and the process that keeps control in it.
type Point = (Vec<u8>, Option<u32>);

/// All points, and where their steps lead.
struct Points {
    all: Vec<Point>,
    next: Vec<Vec<(Option<Step>, u32)>>,
    states: u64,
    digest: u128,
}

impl Points {
    fn new(semantics: &Semantics<'_>, limits: &Limits, observer: &dyn Observer) -> Result<Self, Refusal> {
        let mut stepper = semantics.stepper();
        let initial = match stepper.initial().map_err(overflow)? {
            Ok(state) => state,
            Err(fault) => return Err(Refusal::Unfinished(fault.fault.to_string())),
        };
        let mut index: HashMap<Point, u32> = HashMap::from([((initial.clone(), None), 0)]);
        let mut points = Points { all: vec![(initial, None)], next: Vec::new(), states: 0, digest: 0 };
        while points.next.len() < points.all.len() {
            let (state, control) = points.all[points.next.len()].clone();
            let mut found: Vec<(Option<Step>, Point)> = Vec::new();
            let mut crashed = false;
            let count = stepper
                .expand(&state, control, &mut |successor| {
                    crashed |= successor.state.is_none();
                    found.extend(successor.state.map(|s| (Some(successor.step), (s.to_vec(), successor.control))));
                })
                .map_err(overflow)?;
            if crashed {
                let reason = "a run ends in an error, so what would follow is not known";
                return Err(Refusal::Violated(String::from(reason)));
            }
            match control {
                Some(_) if count == 0 => found.push((None, (state, None))),
                Some(_) => {}
                None => {
                    points.states += 1;
                    points.digest = points.digest.wrapping_add(stepper.digest(&state));
                }
            }
            let mut next = Vec::with_capacity(found.len());
            for (step, point) in found {
                let known = points.all.len() as u32;
                let id = *index.entry(point.clone()).or_insert(known);
                if id == known {
                    points.all.push(point);
                }
                next.push((step, id));
            }
            points.next.push(next);
            pause(points.next.len() as u64, points.all.len() as u64, limits, observer)?;
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

/// Visits everything, and sees that no queue is ever longer than is claimed.
pub(crate) fn boundedness(
    semantics: &Semantics<'_>,
    (states, digest): (u64, u128),
    longest: &[(String, u64)],
    limits: &Limits,
    observer: &dyn Observer,
) -> Result<(), Refusal> {
    if semantics.reading() != Reading::Unbounded {
        return Err(Refusal::Violated(String::from("boundedness is asked of channels without bounds")));
    }
    let points = Points::new(semantics, limits, observer)?;
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

/// Visits everything, and sees that what is left without progress has no cycle.
pub(crate) fn livelock(
    semantics: &Semantics<'_>,
    (states, digest): (u64, u128),
    events: &[String],
    limits: &Limits,
    observer: &dyn Observer,
) -> Result<(), Refusal> {
    let network = semantics.network();
    let events = events.iter().map(|text| Event::parse(text, network)).collect::<Result<Vec<_>, _>>();
    let events = events.map_err(Refusal::Malformed)?;
    let points = Points::new(semantics, limits, observer)?;
    points.compare(states, digest)?;
    let sources = SourceMap::new();
    let mut narrator = Narrator::new(semantics, &sources);
    let mut stepper = semantics.stepper();
    // Labels are seen in states only: in the middle of an atomic sequence there is none.
    let seen: Vec<bool> =
        points.all.iter().map(|(s, c)| events.is_empty() && c.is_none() && stepper.is_progress(s)).collect();
    let mut is_progress = |from: usize, step: Option<Step>| {
        let Some(step) = step else { return false };
        let state = &points.all[from].0;
        let halves = match step {
            Step::Edge { process, edge } => vec![(process, edge)],
            Step::Rendezvous { sender, receiver } => vec![sender, receiver],
            Step::Loss { .. } => Vec::new(),
        };
        halves.into_iter().any(|(process, edge)| {
            let Some(machine) = stepper.machine_of(state, process) else { return false };
            events.iter().any(|event| event.happens(&mut narrator, state, step, (machine, edge), network))
        })
    };
    let mut left: Vec<Vec<u32>> = vec![Vec::new(); points.all.len()];
    let mut entering = vec![0u32; points.all.len()];
    for (from, next) in points.next.iter().enumerate().filter(|(from, _)| !seen[*from]) {
        for &(step, to) in next.iter().filter(|(_, to)| !seen[*to as usize]) {
            if !is_progress(from, step) {
                left[from].push(to);
                entering[to as usize] += 1;
            }
        }
    }
    if has_cycle(&left, entering) {
        return Err(Refusal::Violated(String::from("there is a cycle without progress")));
    }
    Ok(())
}

/// Takes away points that nothing leads to, one after the other: what cannot be taken away is a cycle, or behind one.
fn has_cycle(next: &[Vec<u32>], mut entering: Vec<u32>) -> bool {
    let mut free: Vec<u32> = (0..next.len() as u32).filter(|&p| entering[p as usize] == 0).collect();
    let mut taken = 0;
    while let Some(point) = free.pop() {
        taken += 1;
        for &to in &next[point as usize] {
            entering[to as usize] -= 1;
            if entering[to as usize] == 0 {
                free.push(to);
            }
        }
    }
    taken < next.len()
}
