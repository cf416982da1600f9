//! Linear invariants: they hold at the start, every step keeps them, and bounds of queues follow.
//!
//! One induction shows them together with the abstraction: what a step may use is what held before it. A sum over the state
//! after a step is written as a sum over the state before (messages, nodes of instances, ghosts), and its least value is
//! found part by part: numbers of messages are at least 0 (and 1 where the step takes one), an instance is at one of its
//! nodes, a ghost is in its span. There is no search: the proof says which invariants to subtract first.
//!
//! A message that is handed over is sent in one step and taken in the next, so its number is 0 or 1 between steps and 0 in
//! a state.

use super::ghosts::{Now, Span, first, usual};
use super::type_of;
use crate::Refusal;
use crate::flow::counting::Failure;
use crate::flow::invariant::{Step, Steps, first_globals, first_locals};
use crate::flow::shape::Ground;
use crate::pace::Pace;
use model::flow_proof::{Combination, Ghost, LinearInvariant, Node, Origin, Point, Values};
use model::network::{Initial, ScalarType};
use std::collections::{BTreeMap, HashMap, HashSet};

/// No factor is greater than this, and of nothing are there more than that, so that sums fit 128 bits: with spans of 40
/// bits, a part is less than 2 to the 32 + 32 + 10 + 40, and there are 2 to the 10 of them.
const GREATEST: i64 = 1 << 32;
const MOST: usize = 1 << 10;
/// Ends of spans that are farther away count as if there were none.
const FARTHEST: u64 = 1 << 40;

/// A factor times the number of a span that makes it least; none if there is no such number.
pub(super) fn least_product(times: i128, span: Span) -> Option<i128> {
    let end = match times.signum() {
        0 => return Some(0),
        1 => span.low?,
        _ => span.high?,
    };
    (end.unsigned_abs() <= FARTHEST).then(|| times * i128::from(end))
}

fn refuse<T>(what: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal::NotInvariant(what.into()))
}

/// A sum over the state before a step.
#[derive(Clone, Default)]
pub(super) struct Form {
    constant: i128,
    messages: BTreeMap<(u32, u32), i128>,
    /// Per instance: a factor for each node.
    nodes: BTreeMap<u32, Vec<i128>>,
    ghosts: BTreeMap<u32, i128>,
}

/// What can be before a step, or in a state.
struct Scene<'s> {
    /// Where the process is that moves.
    own: Option<(u32, u32)>,
    /// What is created by the step.
    born: &'s [(u32, u32)],
    spans: &'s [Span],
    /// What the step takes is there.
    traffic: &'s [(u32, u32, i32)],
    /// It is a state: nothing is being handed over.
    settled: bool,
}

impl Form {
    /// A ghost, times a factor, plus a constant.
    pub(super) fn of_ghost(ghost: u32, factor: i128, constant: i128) -> Self {
        Form { constant, ghosts: [(ghost, factor)].into(), ..Form::default() }
    }

    /// Adds an invariant times a factor.
    fn add(&mut self, ground: &Ground<'_>, invariant: &LinearInvariant, factor: i128, scene: &Scene<'_>) {
        self.constant += factor * i128::from(invariant.constant);
        for (&queue, held) in &invariant.messages {
            for (atom, &times) in (0u32..).zip(held) {
                *self.messages.entry((queue, atom)).or_default() += factor * i128::from(times);
            }
        }
        for (&id, held) in &invariant.nodes {
            match scene.own {
                Some((own, node)) if own == id && !ground.instance(id).many => {
                    self.constant += factor * i128::from(held[node as usize]);
                }
                _ if scene.born.iter().any(|(born, _)| *born == id) && !ground.instance(id).many => {}
                _ => {
                    let sums = self.nodes.entry(id).or_insert_with(|| vec![0; held.len()]);
                    sums.iter_mut().zip(held).for_each(|(sum, &times)| *sum += factor * i128::from(times));
                }
            }
        }
        for (&ghost, &times) in &invariant.ghosts {
            *self.ghosts.entry(ghost).or_default() += factor * i128::from(times);
        }
    }

    /// The least value that the sum can have; none if there is none.
    fn least(&self, ground: &Ground<'_>, scene: &Scene<'_>) -> Option<i128> {
        let mut sum = self.constant;
        for (&(queue, atom), &times) in &self.messages {
            let change = scene.traffic.iter().find(|(q, a, _)| (*q, *a) == (queue, atom));
            let there = change.map_or(0, |&(.., change)| i128::from(-change).max(0));
            sum += match ground.kinds[queue as usize].rendezvous {
                true if scene.settled => 0,
                true => (times * there).min(times),
                false if times < 0 => return None,
                false => times * there,
            };
        }
        for (&id, sums) in &self.nodes {
            let instance = ground.instance(id);
            if instance.many {
                if sums.iter().any(|&times| times < 0) {
                    return None;
                }
                let here = scene.own.filter(|(own, _)| *own == id);
                sum += here.map_or(0, |(_, node)| sums[node as usize]);
            } else {
                let least = sums.iter().min().copied();
                sum += if instance.origin == Origin::Run { least.unwrap_or(0).min(0) } else { least? };
            }
        }
        for (&ghost, &times) in &self.ghosts {
            sum += least_product(times, scene.spans[ghost as usize])?;
        }
        Some(sum)
    }

    /// Whether the sum is at least 0 before a step from a node, by itself or by a combination that the proof gives.
    pub(super) fn is_implied(
        &self,
        ground: &Ground<'_>,
        own: (u32, u32),
        spans: &[Span],
        taken: Option<(u32, u32)>,
    ) -> bool {
        let traffic = taken.map(|(queue, atom)| (queue, atom, -1));
        let scene = Scene { own: Some(own), born: &[], spans, traffic: traffic.as_slice(), settled: false };
        let hints = ground.counting.hints.get(&own).into_iter().flatten();
        self.least(ground, &scene).is_some_and(|least| least >= 0)
            || hints.copied().any(|combination| self.follows(ground, combination, &scene))
    }

    /// Whether the sum (of whole numbers) is at least 0 where a combination of invariants is.
    fn follows(&self, ground: &Ground<'_>, combination: &Combination, scene: &Scene<'_>) -> bool {
        let scale = i128::from(combination.scale);
        self.scaled(scale).without(ground, combination, scene).is_some_and(|least| least > -scale)
    }

    fn scaled(&self, scale: i128) -> Form {
        let mut form = self.clone();
        form.constant *= scale;
        form.messages.values_mut().for_each(|times| *times *= scale);
        form.nodes.values_mut().flatten().for_each(|times| *times *= scale);
        form.ghosts.values_mut().for_each(|times| *times *= scale);
        form
    }

    /// The least value after a combination of invariants was taken away.
    fn without(mut self, ground: &Ground<'_>, combination: &Combination, scene: &Scene<'_>) -> Option<i128> {
        for &(index, factor) in &combination.of {
            let invariant = &ground.abstraction.linear.invariants[index as usize];
            self.add(ground, invariant, -i128::from(factor), scene);
        }
        self.least(ground, scene)
    }

    /// An invariant after a step, as a sum over what was before it; none if a ghost can be anything.
    fn after(ground: &Ground<'_>, invariant: &LinearInvariant, step: &Step) -> Option<Form> {
        let mut form = Form::default();
        let own = Some((step.instance, step.to));
        form.add(ground, invariant, 1, &Scene { own, born: &step.born, spans: &[], traffic: &[], settled: false });
        let entry = |map: &BTreeMap<u32, Vec<i64>>, key: u32, index: u32| {
            map.get(&key).map_or(0, |held| i128::from(held[index as usize]))
        };
        for &(queue, atom, change) in &step.traffic {
            form.constant += entry(&invariant.messages, queue, atom) * i128::from(change);
        }
        let node = |id: u32, node: u32| entry(&invariant.nodes, id, node);
        if ground.instance(step.instance).many {
            form.constant += node(step.instance, step.to) - node(step.instance, step.from);
        }
        form.constant += step.born.iter().map(|&(id, first)| node(id, first)).sum::<i128>();
        let ghosts = std::mem::take(&mut form.ghosts);
        for (&ghost, &times) in &ghosts {
            match step.ledger.now[ghost as usize] {
                Now::Moved(_, by) if by.unsigned_abs() > FARTHEST => return None,
                Now::Moved(origin, by) => {
                    *form.ghosts.entry(origin).or_default() += times;
                    form.constant += times * i128::from(by);
                }
                Now::Some(span) => form.constant += least_product(times, span)?,
            }
        }
        Some(form)
    }
}

/// Looks at every number in the linear invariants, before anything else uses them.
pub(super) fn look_at<'a>(ground: &Ground<'a>) -> Result<HashMap<(u32, u32), Vec<&'a Combination>>, Refusal> {
    let abstraction = ground.abstraction;
    let linear = &abstraction.linear;
    let malformed = |what: &str| Err(Refusal::Malformed(format!("the linear invariants {what}")));
    if linear.is_empty() {
        return Ok(HashMap::new());
    }
    if !ground.unbounded {
        return malformed("hold only where channels have no limit");
    }
    if linear.ghosts.len().max(linear.invariants.len()) > MOST {
        return malformed("are too many");
    }
    if !linear.ghosts.iter().all(|ghost| is_ghost(ground, ghost)) {
        return malformed("have a ghost that follows no number");
    }
    if !linear.invariants.iter().all(|invariant| is_sum(ground, invariant)) {
        return malformed("speak of what is not there, or cannot be counted");
    }
    let is_combination = |combination: &Combination| {
        let known = |&(index, factor): &(u32, i64)| {
            (index as usize) < linear.invariants.len() && (0..=GREATEST).contains(&factor)
        };
        (1..=GREATEST).contains(&combination.scale) && combination.of.len() <= MOST && combination.of.iter().all(known)
    };
    let all = linear.hints.iter().map(|hint| &hint.combination).chain(linear.bounds.iter().map(|b| &b.combination));
    if !all.into_iter().all(is_combination) {
        return malformed("have a combination that is none");
    }
    let mut hints: HashMap<(u32, u32), Vec<&'a Combination>> = HashMap::new();
    for hint in &linear.hints {
        hints.entry((hint.instance, hint.node)).or_default().push(&hint.combination);
    }
    Ok(hints)
}

/// A ghost follows one number of a shared slot or of a single instance, or a sum of numbers of 32 bits.
fn is_ghost(ground: &Ground<'_>, ghost: &Ghost) -> bool {
    let ty = |instance: Option<u32>, slot: u32| type_of(ground, instance, slot);
    match ghost.terms.as_slice() {
        [] => false,
        [term] => !term.minus && ty(term.instance, term.slot).is_some(),
        terms => {
            let wide = terms.iter().all(|term| ty(term.instance, term.slot) == Some(ScalarType::Int));
            let together = terms.iter().all(|term| term.instance == terms[0].instance);
            let apart = terms.is_sorted_by(|a, b| a.slot < b.slot);
            ghost.wraps && wide && together && apart
        }
    }
}

/// An invariant counts messages of queues that stay, processes, and ghosts.
fn is_sum(ground: &Ground<'_>, invariant: &LinearInvariant) -> bool {
    let small = |n: &i64| n.unsigned_abs() <= GREATEST as u64;
    let messages = invariant.messages.iter().all(|(&queue, held)| {
        let Some(declared) = ground.abstraction.queues.get(queue as usize) else { return false };
        let kind = &ground.kinds[queue as usize];
        let many = declared.key.instance.is_some_and(|id| ground.instance(id).many);
        let variables = match declared.key.instance {
            None => &ground.network.variables,
            Some(id) => &ground.machine(id).variables,
        };
        let lossy = match variables[declared.key.variable as usize].initial {
            Initial::NewChannel(ty) => ground.network.channel_types[ty.index()].lossy,
            _ => true,
        };
        held.len() == declared.atoms.len()
            && held.iter().all(small)
            && !kind.dies
            && !many
            && (!lossy || held.iter().all(|&times| times <= 0))
    });
    let nodes = invariant.nodes.iter().all(|(&id, held)| {
        let Some(instance) = ground.abstraction.instances.get(id as usize) else { return false };
        // Of any number of processes, those that have ended are not counted.
        let ended = |(node, times): (&Node, &i64)| instance.many && node.at == Point::Gone && *times != 0;
        held.len() == instance.nodes.len() && held.iter().all(small) && !instance.nodes.iter().zip(held).any(ended)
    });
    let known =
        |(&ghost, times): (&u32, &i64)| (ghost as usize) < ground.abstraction.linear.ghosts.len() && small(times);
    small(&invariant.constant) && messages && nodes && invariant.ghosts.iter().all(known)
}

/// Checks that the invariants hold at the start and that all steps keep them, and returns the bounds that follow.
pub(super) fn check(ground: &Ground<'_>, steps: &Steps, budget: &Pace<'_>) -> Result<HashMap<u32, u64>, Refusal> {
    let linear = &ground.abstraction.linear;
    if linear.is_empty() {
        return Ok(HashMap::new());
    }
    starts(ground)?;
    for step in &steps.complete {
        let hints = ground.counting.hints.get(&(step.instance, step.from)).map_or(0, Vec::len);
        budget.spend(linear.invariants.len() * (hints + 2))?;
        for (index, invariant) in linear.invariants.iter().enumerate() {
            if !keeps(ground, index as u32, invariant, step) {
                let from = ground.place(step.instance, step.from);
                return refuse(format!("a step from {from} to node {} breaks linear invariant {index}", step.to));
            }
        }
    }
    bounds(ground, &steps.failed, budget)
}

/// At the start there are no messages, and processes are at their first nodes.
fn starts(ground: &Ground<'_>) -> Result<(), Refusal> {
    let globals = first_globals(ground);
    let locals: HashMap<u32, Vec<Values>> =
        ground.homes.iter().map(|&home| (home, first_locals(ground, home, &[]))).collect();
    let held = |instance: Option<u32>, slot: usize| match instance {
        None => globals.get(slot),
        Some(id) => locals.get(&id).and_then(|locals| locals.get(slot)),
    };
    let linear = &ground.abstraction.linear;
    for (index, invariant) in linear.invariants.iter().enumerate() {
        let node = |id: u32, node: u32| invariant.nodes.get(&id).map_or(0, |held| i128::from(held[node as usize]));
        let mut sum = Some(i128::from(invariant.constant));
        for &home in &ground.homes {
            let first = ground.instance(home).first.iter().map(|&first| node(home, first)).min();
            sum = sum.zip(first).map(|(sum, first)| sum + first);
        }
        for (&ghost, &times) in &invariant.ghosts {
            let followed = &linear.ghosts[ghost as usize];
            let unborn = followed
                .terms
                .iter()
                .any(|term| term.instance.is_some_and(|id| ground.instance(id).origin == Origin::Run));
            let span = if unborn { Span::between(0, 0) } else { first(followed, &held) };
            let least = least_product(times.into(), span);
            sum = sum.zip(least).map(|(sum, least)| sum + least);
        }
        if sum.is_none_or(|sum| sum < 0) {
            return refuse(format!("linear invariant {index} does not hold at the start"));
        }
    }
    Ok(())
}

/// Whether a step keeps an invariant: because of the invariant itself, of no other, or of a combination.
fn keeps(ground: &Ground<'_>, index: u32, invariant: &LinearInvariant, step: &Step) -> bool {
    if is_untouched(invariant, step) {
        return true;
    }
    let Some(after) = Form::after(ground, invariant, step) else { return false };
    let (own, spans) = (Some((step.instance, step.from)), step.ledger.before.as_slice());
    let scene = Scene { own, born: &step.born, spans, traffic: &step.traffic, settled: false };
    let itself = Combination { scale: 1, of: vec![(index, 1)] };
    let nothing = Combination { scale: 1, of: Vec::new() };
    let hints = ground.counting.hints.get(&(step.instance, step.from)).into_iter().flatten().copied();
    [&itself, &nothing].into_iter().chain(hints).any(|combination| after.follows(ground, combination, &scene))
}

/// Whether a step changes nothing that is in the sum.
fn is_untouched(invariant: &LinearInvariant, step: &Step) -> bool {
    let moves = |(&ghost, _): (&u32, &i64)| step.ledger.now[ghost as usize] != Now::Moved(ghost, 0);
    let node = |id: u32, node: u32| invariant.nodes.get(&id).map_or(0, |held| held[node as usize]);
    let heavy = |(queue, atom, _): &(u32, u32, i32)| {
        invariant.messages.get(queue).is_some_and(|held| held[*atom as usize] != 0)
    };
    let born = |&(id, first): &(u32, u32)| node(id, first) != 0;
    node(step.instance, step.from) == node(step.instance, step.to)
        && !step.traffic.iter().any(heavy)
        && !step.born.iter().any(born)
        && !invariant.ghosts.iter().any(moves)
}

/// The bounds of queues, in every state and at the moment before a run fails.
fn bounds(ground: &Ground<'_>, failed: &HashSet<Failure>, budget: &Pace<'_>) -> Result<HashMap<u32, u64>, Refusal> {
    let linear = &ground.abstraction.linear;
    let spans: Vec<Span> = linear.ghosts.iter().map(|ghost| usual(ground, ghost)).collect();
    let mut best: HashMap<u32, u64> = HashMap::new();
    for bound in &linear.bounds {
        let queue = ground.abstraction.queues.get(bound.queue as usize);
        let Some(queue) = queue.filter(|queue| queue.claimed && ground.kinds[bound.queue as usize].single) else {
            return Err(Refusal::Malformed(String::from("a bound is for a queue that is not claimed, or many")));
        };
        let name = || ground.queue_name(bound.queue);
        let mut room = Form { constant: bound.at_most.into(), ..Form::default() };
        room.messages = (0..queue.atoms.len() as u32).map(|atom| ((bound.queue, atom), -1)).collect();
        let scene = |own| Scene { own, born: &[], spans: &spans, traffic: &[], settled: own.is_none() };
        if bound.at_most > GREATEST as u64 || !room.follows(ground, &bound.combination, &scene(None)) {
            return Err(Refusal::Bound(format!("{} can hold more than {}", name(), bound.at_most)));
        }
        budget.spend(failed.len())?;
        for failure in failed.iter().filter(|failure| failure.sent.contains(&bound.queue)) {
            let count = |queues: &mut dyn Iterator<Item = u32>| queues.filter(|&q| q == bound.queue).count() as i128;
            let (sent, taken) =
                (count(&mut failure.sent.iter().copied()), count(&mut failure.taken.iter().map(|(q, _)| *q)));
            let mut left = room.clone();
            left.constant += taken - sent;
            if !left.follows(ground, &bound.combination, &scene(Some((failure.instance, failure.from)))) {
                let what = format!("{} can hold more than {} before a run fails", name(), bound.at_most);
                return Err(Refusal::Bound(what));
            }
        }
        best.entry(bound.queue).and_modify(|most| *most = bound.at_most.min(*most)).or_insert(bound.at_most);
    }
    Ok(best)
}
