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

use super::numbers::first_distance;
use crate::Refusal;
use crate::flow::counting::Failure;
use crate::flow::invariant::{Step, Steps, first_globals};
use crate::flow::ranking::{Scale, Thing, present};
use crate::flow::shape::Ground;
use crate::pace::Pace;
use model::flow_proof::{Bound, FlowProof, Node, Values};
use model::runs::Runs;
use std::collections::{HashMap, HashSet};

/// What has a bound.
#[derive(Default)]
pub(in crate::flow) struct Bounded {
    /// Queues, with the best one of each.
    pub(in crate::flow) queues: HashMap<u32, u64>,
    /// Atoms of queues.
    pub(in crate::flow) atoms: HashSet<(u32, u32)>,
}

/// Checks all bounds.
pub(super) fn check(
    ground: &Ground<'_>,
    all: &Steps,
    proof: &FlowProof,
    budget: &Pace<'_>,
) -> Result<Bounded, Refusal> {
    let steps = all.complete.as_slice();
    let (touching, globals) = (Touching::new(ground, steps), first_globals(ground));
    let mut rooms = Vec::with_capacity(proof.bound_weights.len());
    for weights in &proof.bound_weights {
        let scale = Scale::new(ground, weights)?;
        let touched = touching.all(&scale);
        budget.spend(touched.len())?;
        let owner = private_owner(ground, &scale).filter(|_| !all.anywhere);
        let own = only_queue(ground, &scale);
        let mut longest = None;
        let mut touched: Vec<&Step> = touched.into_iter().map(|step| &steps[step as usize]).collect();
        // The first step that fails is named, and steps come in any order.
        touched.sort_by_key(|step| (step.instance, step.from, step.to));
        for step in touched.into_iter().filter(|step| owner.is_none_or(|owner| step.instance == owner)) {
            match (scale.loses(step), own.and_then(|queue| length_after(step, queue, &scale))) {
                (Err(Refusal::Ranking(_)), Some(length)) => longest = longest.max(Some(length)),
                (Err(Refusal::Ranking(what)), None) => return Err(Refusal::Bound(what)),
                (other, _) => drop(other?),
            }
        }
        let start = match owner {
            Some(id) => highest_first(ground, &scale, id),
            None => start(ground, &scale, &globals),
        };
        let raised = own.zip(longest).map_or(Some(0), |short| raised(ground, &scale, short));
        let room = start.zip(raised).map(|(start, raised)| start.max(raised));
        rooms.push((scale, room.ok_or_else(|| Refusal::Unfinished(String::from("weights are too large")))?));
    }
    let present = present(steps);
    let mut failed: HashMap<u32, Vec<&Failure>> = HashMap::new();
    for failure in &all.failed {
        let queues: HashSet<u32> = failure.sent.iter().copied().collect();
        queues.into_iter().for_each(|queue| failed.entry(queue).or_default().push(failure));
    }
    let mut bounded = Bounded::default();
    let mut sums: HashMap<u32, u64> = HashMap::new();
    for bound in &proof.bounds {
        let Some(&(ref scale, room)) = rooms.get(bound.weights as usize) else {
            return Err(Refusal::Malformed(String::from("a bound refers to weights that are not there")));
        };
        holds(ground, bound, scale, room, &present)?;
        let failed = failed.get(&bound.queue).map_or(&[][..], Vec::as_slice);
        budget.spend(failed.len())?;
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
fn length_after(step: &Step, queue: u32, scale: &Scale<'_>) -> Option<u64> {
    let weights = (0u32..).zip(scale.weights.get(&Thing::Queue(queue))?.iter());
    let mut heavy = weights.filter(|(_, weight)| *weight != 0).map(|(atom, _)| atom);
    let whole = step.ledger.length(queue, None);
    whole.or_else(|| heavy.try_fold(0u64, |sum, atom| sum.checked_add(step.ledger.length(queue, Some(atom))?)))
}

/// The only thing that weighs and that can be arbitrarily much, if it is one queue.
fn only_queue(ground: &Ground<'_>, scale: &Scale<'_>) -> Option<u32> {
    let is_endless = |thing: Thing| match thing {
        Thing::Queue(_) | Thing::Number(_) => true,
        Thing::Instance(id) => ground.instance(id).many,
        Thing::Followed(_) => false,
    };
    let heavy = scale.weights.iter().filter(|(_, held)| held.numbers().any(|weight| weight != 0));
    let mut endless = heavy.map(|(thing, _)| *thing).filter(|&thing| is_endless(thing));
    match (endless.next(), endless.next()) {
        (Some(Thing::Queue(queue)), None) => Some(queue).filter(|&queue| ground.kinds[queue as usize].single),
        _ => None,
    }
}

/// The `many` instance that only weighs, with one of its queues, if no other slot or message refers to that queue.
fn private_owner(ground: &Ground<'_>, scale: &Scale<'_>) -> Option<u32> {
    let abstraction = ground.abstraction;
    let (Thing::Queue(queue), _) = scale.weights.first_key_value()? else { return None };
    // A ranking would have to remember the queues of all processes: what is claimed is finite for all of them together.
    let key = Some(&abstraction.queues[*queue as usize]).filter(|queue| !queue.claimed)?.key;
    let owner = key.instance.filter(|&id| ground.instance(id).many)?;
    if !scale.weights.keys().skip(1).all(|&thing| thing == Thing::Instance(owner)) {
        return None;
    }
    let table = &ground.locals[ground.instance(owner).machine as usize];
    let own = table.slots.slot(table.variables, key.variable as usize, key.element as usize);
    let refers = |held: &Values| matches!(held, Values::Queues(queues) if queues.contains(queue));
    let atoms = abstraction.queues.iter().flat_map(|queue| &queue.atoms).flat_map(|atom| &atom.values);
    let shared = abstraction.globals.iter().chain(atoms).any(refers);
    let others = |slot: usize, id: u32| (id, slot) != (owner, own);
    let slots = |id: u32, node: &Node| (0..).zip(&node.values).any(|(slot, held)| others(slot, id) && refers(held));
    let mut instances = (0u32..).zip(&abstraction.instances);
    let elsewhere = instances.any(|(id, instance)| instance.nodes.iter().any(|node| slots(id, node)));
    (!shared && !elsewhere).then_some(owner)
}

/// The weight of the highest of the nodes where an instance starts.
fn highest_first(ground: &Ground<'_>, scale: &Scale<'_>, id: u32) -> Option<i128> {
    ground.instance(id).first.iter().map(|&node| scale.weight(Thing::Instance(id), node)).max()
}

/// The lowest weight of a thing, and the highest.
fn extremes(scale: &Scale<'_>, thing: Thing) -> (i128, i128) {
    let numbers = || scale.weights.get(&thing).into_iter().flat_map(Runs::numbers).map(i128::from);
    (numbers().min().unwrap_or(0), numbers().max().unwrap_or(0))
}

/// The most that the sum can be, less the lowest potential of each part, when the queue is as short as this.
fn raised(ground: &Ground<'_>, scale: &Scale<'_>, (queue, length): (u32, u64)) -> Option<i128> {
    let (_, heaviest) = extremes(scale, Thing::Queue(queue));
    let is_part = |thing: &Thing| match thing {
        Thing::Instance(id) => !ground.instance(*id).many,
        Thing::Followed(_) => true,
        Thing::Queue(_) | Thing::Number(_) => false,
    };
    let parts = scale.weights.keys().filter(|thing| is_part(thing)).map(|&thing| extremes(scale, thing));
    let spans: i128 = parts.map(|(low, high)| high - low).sum();
    heaviest.checked_mul(length.into())?.checked_add(spans)
}

/// Which steps change what, with the nodes of a step that does nothing to the thing but move its process. A step that changes
/// nothing that weighs anything gains nothing.
struct Touching(HashMap<Thing, Vec<Touch>>);

/// A step, and the nodes that it leads from and to if that is all that it does to the thing.
type Touch = (u32, Option<(u32, u32)>);

impl Touching {
    fn new(ground: &Ground<'_>, steps: &[Step]) -> Self {
        let mut touching: HashMap<Thing, Vec<Touch>> = HashMap::new();
        for (index, step) in (0u32..).zip(steps) {
            for (thing, ..) in step.effects(ground) {
                let moves = thing == Thing::Instance(step.instance) && step.born.is_empty();
                let entry = (index, moves.then_some((step.from, step.to)));
                let list = touching.entry(thing).or_default();
                if list.last() != Some(&entry) {
                    list.push(entry);
                }
            }
        }
        Touching(touching)
    }

    /// The steps that change something that weighs; each once.
    fn all(&self, scale: &Scale<'_>) -> Vec<u32> {
        let mut all: Vec<u32> = Vec::new();
        for (thing, held) in &scale.weights {
            // Most steps of a large process do not matter to most queues.
            let weights: Vec<i64> = if let Thing::Instance(_) = thing { held.iter().collect() } else { Vec::new() };
            let idles = |moved: Option<(u32, u32)>| {
                moved.is_some_and(|(from, to)| weights[from as usize] == weights[to as usize])
            };
            let steps = self.0.get(thing).into_iter().flatten();
            all.extend(steps.filter(|(_, moved)| !idles(*moved)).map(|(index, _)| *index));
        }
        all.sort_unstable();
        all.dedup();
        all
    }
}

fn holds(
    ground: &Ground<'_>,
    bound: &Bound,
    scale: &Scale<'_>,
    room: i128,
    present: &HashSet<(u32, u32)>,
) -> Result<(), Refusal> {
    let Some(queue) = ground.abstraction.queues.get(bound.queue as usize) else {
        return Err(Refusal::Malformed(String::from("a bound is for a queue that is not there")));
    };
    let name = ground.queue_name(bound.queue);
    let counts =
        |atom: u32| present.contains(&(bound.queue, atom)) && (bound.atoms.is_empty() || bound.atoms.contains(&atom));
    let light = |atom: u32| counts(atom) && scale.weight(Thing::Queue(bound.queue), atom) < bound.unit.into();
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
fn holds_before(ground: &Ground<'_>, bound: &Bound, scale: &Scale<'_>, room: i128, failure: &Failure) -> bool {
    let instance = ground.instance(failure.instance);
    let own = Thing::Instance(failure.instance);
    let lowest = if instance.many { 0 } else { extremes(scale, own).0 };
    let taken: i128 = failure.taken.iter().map(|&(queue, atom)| scale.weight(Thing::Queue(queue), atom)).sum();
    let sent = failure.sent.iter().filter(|&&queue| queue == bound.queue).count() as i128;
    let before = room - (scale.weight(own, failure.from) - lowest) - taken;
    let units = |count: i128| i128::from(bound.unit).checked_mul(count);
    match (units(sent), units(i128::from(bound.at_most) + 1)) {
        (Some(sent), Some(enough)) => before.checked_add(sent).is_some_and(|most| most < enough),
        _ => false,
    }
}

/// The sum at the start, less the lowest potential of each part; none if the numbers are too large.
fn start(ground: &Ground<'_>, scale: &Scale<'_>, globals: &[Values]) -> Option<i128> {
    let mut sum: i128 = 0;
    for &thing in scale.weights.keys() {
        let (lowest, _) = extremes(scale, thing);
        sum = sum.checked_add(match thing {
            Thing::Queue(_) => 0,
            Thing::Instance(id) if ground.instance(id).many => {
                let there = ground.homes.iter().filter(|&&home| home == id).count();
                highest_first(ground, scale, id).unwrap_or(0).checked_mul(there as i128)?
            }
            Thing::Instance(id) => highest_first(ground, scale, id).map_or(0, |first| first - lowest),
            Thing::Followed(index) => {
                let followed = &ground.abstraction.followed[index as usize];
                let first = followed.values.binary_search(&followed.first).ok()?;
                scale.weight(thing, first as u32) - lowest
            }
            Thing::Number(index) => {
                let distance = first_distance(ground, globals, &ground.abstraction.numbers[index as usize]);
                scale.weight(thing, 0).checked_mul(distance.into())?
            }
        })?;
    }
    Some(sum)
}
