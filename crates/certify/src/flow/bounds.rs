//! Bounds: a sum that no step raises, and that a queue is a part of.
//!
//! At the start all queues are empty, so the sum is the weight of the parts and the numbers then. It never rises. Later
//! the messages of the queue are in it, each weighing at least a unit, and everything else weighs at least its
//! lowest: 0 for messages of other queues, for processes of `many` instances and for distances, the lowest potential for
//! each part. The difference is the room that the queue has.
//!
//! A single instance that is not there yet has the greatest potential of its first nodes, so that its creation does
//! not raise the sum; and so is the distance of a number of it.
//!
//! A queue may limit itself: a step that has seen that it is short (`nfull`, `empty`, `len`), or that what weighs in it is not
//! there (a poll), may raise the sum, if in the sum is nothing that can be arbitrarily much but this one queue. After such
//! a step the sum is no more than the weight of the short queue and the highest potentials together. So it never exceeds
//! that, or what it is at the start.
//!
//! A bound may be for some atoms of a queue. Those for all that is ever sent bound the queue, as their sum.
//!
//! A queue of `many` processes that only its own process can name has a bound for each of them: then their potentials are
//! those of a single one, whose steps are the only ones to look at, and creation is not counted.
//!
//! In the middle of a step nothing is taken after something was sent, so the bound holds there, too. Only a step that
//! fails before it comes to a node has to be looked at by itself.

use super::invariant::{Failure, Step, Steps, first_globals};
use super::ranking::{Scale, present};
use super::shape::Ground;
use super::values;
use crate::Refusal;
use model::flow_proof::{Bound, FlowProof, Node, Number, Values, Weights};
use std::collections::{HashMap, HashSet};

/// What has a bound.
pub(super) struct Bounded {
    /// Queues, with the best one of each.
    pub(super) queues: HashMap<u32, u64>,
    /// Atoms of queues.
    pub(super) atoms: HashSet<(u32, u32)>,
}

/// Checks all bounds.
pub(super) fn check(
    ground: &Ground<'_>,
    all: &Steps,
    proof: &FlowProof,
    spend: &dyn Fn(usize) -> Result<(), Refusal>,
) -> Result<Bounded, Refusal> {
    let steps = all.complete.as_slice();
    let (touching, globals) = (Touching::new(steps), first_globals(ground));
    let mut rooms = Vec::with_capacity(proof.bound_weights.len());
    for weights in &proof.bound_weights {
        let scale = Scale::new(ground, weights)?;
        let touched = touching.all(scale, weights);
        spend(touched.len())?;
        let owner = private_owner(ground, weights).filter(|_| !all.anywhere);
        let own = only_queue(ground, weights);
        let mut longest = None;
        let touched = touched.into_iter().map(|step| &steps[step as usize]);
        for step in touched.filter(|step| owner.is_none_or(|owner| step.instance == owner)) {
            match (scale.loses(step), own.and_then(|queue| length_after(step, queue, weights))) {
                (Err(Refusal::Ranking(_)), Some(length)) => longest = longest.max(Some(length)),
                (Err(Refusal::Ranking(what)), None) => return Err(Refusal::Bound(what)),
                (other, _) => drop(other?),
            }
        }
        let room = match owner {
            Some(id) => ground.instance(id).first.iter().map(|&node| i128::from(scale.potential(id, node))).max(),
            None => room(ground, scale, weights, &globals),
        };
        let room = room.and_then(|room| Some(room.max(raised(ground, scale, weights, own.zip(longest))?)));
        rooms.push((scale, room.ok_or_else(|| Refusal::Unfinished(String::from("weights are too large")))?));
    }
    let present = present(steps);
    let mut failed: HashMap<u32, Vec<&Failure>> = HashMap::new();
    for failure in &all.failed {
        let queues: HashSet<u32> = failure.sent.iter().copied().collect();
        queues.into_iter().for_each(|queue| failed.entry(queue).or_default().push(failure));
    }
    let mut bounded = Bounded { queues: HashMap::new(), atoms: HashSet::new() };
    let mut sums: HashMap<u32, u64> = HashMap::new();
    for bound in &proof.bounds {
        let Some(&(scale, room)) = rooms.get(bound.weights as usize) else {
            return Err(Refusal::Malformed(String::from("a bound refers to weights that are not there")));
        };
        holds(ground, bound, scale, room, &present)?;
        let failed = failed.get(&bound.queue).map_or(&[][..], Vec::as_slice);
        spend(failed.len())?;
        if failed.iter().any(|failure| !holds_before(ground, bound, scale, room, failure)) {
            let name = ground.queue_name(bound.queue);
            return Err(Refusal::Bound(format!("{name} can hold more than {} before a run fails", bound.at_most)));
        }
        if bound.atoms.is_empty() {
            bounded.limit(bound.queue, bound.at_most);
        } else {
            bounded.atoms.extend(bound.atoms.iter().map(|&atom| (bound.queue, atom)));
            let sum = sums.entry(bound.queue).or_default();
            *sum = sum.saturating_add(bound.at_most);
        }
    }
    for (queue, sum) in sums {
        if present.iter().all(|atom| atom.0 != queue || bounded.atoms.contains(atom)) {
            bounded.limit(queue, sum);
        }
    }
    Ok(bounded)
}

impl Bounded {
    /// A queue has this bound, too.
    pub(super) fn limit(&mut self, queue: u32, most: u64) {
        self.queues.entry(queue).and_modify(|known| *known = most.min(*known)).or_insert(most);
    }
}

/// How much of what weighs in a queue is in it after a step at the most, if the step has seen that.
fn length_after(step: &Step, queue: u32, weights: &Weights) -> Option<u64> {
    let seen = |what: (u32, Option<u32>)| step.lengths.iter().find(|(seen, _)| *seen == what).map(|(_, most)| *most);
    let heavy = (0u32..).zip(weights.messages.get(&queue)?).filter(|(_, weight)| **weight != 0);
    let each = || heavy.map(|(atom, _)| seen((queue, Some(atom)))).sum();
    seen((queue, None)).or_else(each)
}

/// The only thing that weighs and that can be arbitrarily much, if it is one queue.
fn only_queue(ground: &Ground<'_>, weights: &Weights) -> Option<u32> {
    let heavy = |w: i64| w != 0;
    let mut messages =
        weights.messages.iter().filter(|(_, held)| held.iter().any(|&w| heavy(w))).map(|(&queue, _)| queue);
    let mut many = weights.nodes.iter().filter(|(id, held)| ground.instance(**id).many && held.numbers().any(heavy));
    let numbers = weights.numbers.values().any(|&w| w != 0);
    match (messages.next(), messages.next()) {
        (Some(queue), None) if many.next().is_none() && !numbers => {
            Some(queue).filter(|&queue| ground.kinds[queue as usize].single)
        }
        _ => None,
    }
}

/// The `many` instance that only weighs, with one of its queues, if no other slot or message refers to that queue.
fn private_owner(ground: &Ground<'_>, weights: &Weights) -> Option<u32> {
    let alone = weights.messages.len() == 1 && weights.values.is_empty() && weights.numbers.is_empty();
    let (&queue, _) = weights.messages.first_key_value().filter(|_| alone)?;
    let abstraction = ground.abstraction;
    // A ranking would have to remember the queues of all processes: what is claimed is finite for all of them together.
    let key = Some(&abstraction.queues[queue as usize]).filter(|queue| !queue.claimed)?.key;
    let owner = key.instance.filter(|&id| ground.instance(id).many && weights.nodes.keys().all(|&node| node == id))?;
    let table = &ground.locals[ground.instance(owner).machine as usize];
    let own = table.slots.slot(table.variables, key.variable as usize, key.element as usize);
    let refers = |held: &Values| matches!(held, Values::Queues(queues) if queues.contains(&queue));
    let atoms = abstraction.queues.iter().flat_map(|queue| &queue.atoms).flat_map(|atom| &atom.values);
    let shared = abstraction.globals.iter().chain(atoms).any(refers);
    let others = |slot: usize, id: u32| (id, slot) != (owner, own);
    let slots = |id: u32, node: &Node| (0..).zip(&node.values).any(|(slot, held)| others(slot, id) && refers(held));
    let mut instances = (0u32..).zip(&abstraction.instances);
    let elsewhere = instances.any(|(id, instance)| instance.nodes.iter().any(|node| slots(id, node)));
    (!shared && !elsewhere).then_some(owner)
}

/// The most that the sum can be, less the lowest potential of each part, when the queue is as short as this.
fn raised(ground: &Ground<'_>, scale: Scale<'_>, weights: &Weights, short: Option<(u32, u64)>) -> Option<i128> {
    let Some((queue, length)) = short else { return Some(0) };
    let heaviest = weights.messages.get(&queue)?.iter().max()?;
    let mut sum = i128::from(*heaviest).checked_mul(i128::from(length))?;
    for &id in weights.nodes.keys().filter(|id| !ground.instance(**id).many) {
        let (low, high) = scale.extremes(id);
        sum = sum.checked_add(high - low)?;
    }
    for &index in weights.values.keys() {
        let potential = |value: u32| i128::from(scale.value(index, value));
        let all = || (0..ground.abstraction.followed[index as usize].values.len() as u32).map(potential);
        sum = sum.checked_add(all().max().zip(all().min()).map_or(0, |(high, low)| high - low))?;
    }
    Some(sum)
}

/// Which steps touch what. A step that touches nothing that weighs anything gains nothing.
#[derive(Default)]
struct Touching {
    things: HashMap<Thing, Vec<u32>>,
    /// Per instance: where its steps begin and end.
    moves: HashMap<u32, Vec<(u32, u32, u32)>>,
}

/// What a step changes, beside the place of its process.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Thing {
    Queue(u32),
    Created(u32),
    Followed(u32),
    Number(u32),
}

impl Touching {
    fn new(steps: &[Step]) -> Self {
        let mut touching = Touching::default();
        for (index, step) in (0u32..).zip(steps) {
            touching.moves.entry(step.instance).or_default().push((step.from, step.to, index));
            let queues = step.traffic.iter().map(|&(queue, ..)| Thing::Queue(queue));
            let created = step.born.iter().map(|&(id, _)| Thing::Created(id));
            let followed = step.moves.iter().map(|&(f, ..)| Thing::Followed(f));
            let numbers = step.growth.iter().map(|&(number, _)| Thing::Number(number));
            let things = queues.chain(created).chain(followed).chain(numbers);
            things.for_each(|thing| touching.things.entry(thing).or_default().push(index));
        }
        touching
    }

    /// The steps that touch something that weighs, or whose process gets to another potential; each once.
    fn all(&self, scale: Scale<'_>, weights: &Weights) -> Vec<u32> {
        let queues = weights.messages.keys().map(|&queue| Thing::Queue(queue));
        let created = weights.nodes.keys().map(|&id| Thing::Created(id));
        let followed = weights.values.keys().map(|&followed| Thing::Followed(followed));
        let numbers = weights.numbers.keys().map(|&number| Thing::Number(number));
        let things = queues.chain(created).chain(followed).chain(numbers);
        let mut all: Vec<u32> = things.filter_map(|thing| self.things.get(&thing)).flatten().copied().collect();
        for id in weights.nodes.keys() {
            let potentials = scale.potentials(*id);
            let differ = |&&(from, to, _): &&(u32, u32, u32)| potentials[from as usize] != potentials[to as usize];
            all.extend(self.moves.get(id).into_iter().flatten().filter(differ).map(|&(.., index)| index));
        }
        all.sort_unstable();
        all.dedup();
        all
    }
}

fn holds(
    ground: &Ground<'_>,
    bound: &Bound,
    scale: Scale<'_>,
    room: i128,
    present: &HashSet<(u32, u32)>,
) -> Result<(), Refusal> {
    let Some(queue) = ground.abstraction.queues.get(bound.queue as usize) else {
        return Err(Refusal::Malformed(String::from("a bound is for a queue that is not there")));
    };
    let name = ground.queue_name(bound.queue);
    let counts =
        |atom: u32| present.contains(&(bound.queue, atom)) && (bound.atoms.is_empty() || bound.atoms.contains(&atom));
    let light = |atom: u32| counts(atom) && scale.message(bound.queue, atom) < bound.unit;
    if bound.unit < 1 || (0..queue.atoms.len() as u32).any(light) {
        return Err(Refusal::Bound(format!("messages of {name} weigh less than {}", bound.unit.max(1))));
    }
    let enough = i128::from(bound.unit).checked_mul(i128::from(bound.at_most) + 1);
    if enough.is_none_or(|enough| room >= enough) {
        return Err(Refusal::Bound(format!("{name} can hold more than {}", bound.at_most)));
    }
    Ok(())
}

/// Whether the queue holds no more than its bound at the moment before a step fails. The process then no longer has
/// the potential of its node, and what it took is gone (if it was handed over, the sender had added it); each message that it sent to the queue weighs a unit.
fn holds_before(ground: &Ground<'_>, bound: &Bound, scale: Scale<'_>, room: i128, failure: &Failure) -> bool {
    let instance = ground.instance(failure.instance);
    let potential = |node: u32| i128::from(scale.potential(failure.instance, node));
    let lowest = if instance.many { 0 } else { scale.extremes(failure.instance).0 };
    let taken: i128 = failure.taken.iter().map(|&(queue, atom)| i128::from(scale.message(queue, atom))).sum();
    let sent = failure.sent.iter().filter(|&&queue| queue == bound.queue).count() as i128;
    let before = room - (potential(failure.from) - lowest) - taken;
    let units = |count: i128| i128::from(bound.unit).checked_mul(count);
    match (units(sent), units(i128::from(bound.at_most) + 1)) {
        (Some(sent), Some(enough)) => before.checked_add(sent).is_some_and(|most| most < enough),
        _ => false,
    }
}

/// The sum at the start, less the lowest potential of each part; none if the numbers are too large.
fn room(ground: &Ground<'_>, scale: Scale<'_>, weights: &Weights, globals: &[Values]) -> Option<i128> {
    let mut room: i128 = 0;
    for &id in weights.nodes.keys() {
        let instance = ground.instance(id);
        let potential = |node: u32| i128::from(scale.potential(id, node));
        let first = instance.first.iter().map(|&node| potential(node)).max().unwrap_or(0);
        if instance.many {
            let there = ground.homes.iter().filter(|&&home| home == id).count();
            room = room.checked_add(first.checked_mul(there as i128)?)?;
        } else if !instance.first.is_empty() {
            room = room.checked_add(first - scale.extremes(id).0)?;
        }
    }
    for &index in weights.values.keys() {
        let followed = &ground.abstraction.followed[index as usize];
        let potential = |value: u32| i128::from(scale.value(index, value));
        let first = followed.values.binary_search(&followed.first).ok()?;
        let lowest = (0..followed.values.len() as u32).map(potential).min()?;
        room = room.checked_add(potential(first as u32) - lowest)?;
    }
    for &index in weights.numbers.keys() {
        let distance = first_distance(ground, globals, &ground.abstraction.numbers[index as usize]);
        room = room.checked_add(i128::from(scale.number(index)).checked_mul(distance)?)?;
    }
    Some(room)
}

/// The greatest distance of a number at the start, or when its instance is created.
fn first_distance(ground: &Ground<'_>, globals: &[Values], number: &Number) -> i128 {
    let slot = number.slot as usize;
    let held: Vec<&Values> = match number.instance {
        None => vec![&globals[slot]],
        Some(id) => {
            let instance = ground.instance(id);
            instance.first.iter().map(|&node| &instance.nodes[node as usize].values[slot]).collect()
        }
    };
    let limit = i128::from(number.limit);
    let distance = |(low, high): (i32, i32)| {
        if number.upwards { limit - i128::from(low) } else { i128::from(high) - limit }
    };
    held.iter().filter_map(|values| values::extent(values)).map(distance).max().unwrap_or(0)
}
