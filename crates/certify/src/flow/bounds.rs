//! Bounds: a sum that no step raises, and that a queue is a part of.
//!
//! At the start all queues are empty, so the sum is what the parts and the numbers are worth then. It never rises. Later
//! the messages of the queue are in it, each worth at least a unit, and everything else is worth at least its
//! lowest: 0 for messages of other queues, for processes of `many` instances and for distances, the lowest potential for
//! each part. The difference is the room that the queue has.
//!
//! A single instance that is not there yet is worth as much as at the best of its first nodes, so that its creation does
//! not raise the sum; and so is the distance of a number of it.
//!
//! In the middle of a step nothing is taken after something was sent, so the bound holds there, too.

use super::invariant::{Step, first_globals};
use super::ranking::{Scale, present};
use super::shape::Ground;
use super::values;
use crate::Refusal;
use model::flow_proof::{Bound, FlowProof, Number, Values};
use std::collections::{HashMap, HashSet};

/// Checks all bounds, and returns the best one of each queue.
pub(super) fn check(
    ground: &Ground<'_>,
    steps: &[Step],
    proof: &FlowProof,
    spend: &dyn Fn(usize) -> Result<(), Refusal>,
) -> Result<HashMap<u32, u64>, Refusal> {
    let mut rooms = Vec::with_capacity(proof.bound_weights.len());
    for weights in &proof.bound_weights {
        spend(steps.len())?;
        let scale = Scale::new(ground, weights)?;
        for step in steps {
            scale.loses(step).map_err(|refusal| match refusal {
                Refusal::Ranking(what) => Refusal::Bound(what),
                other => other,
            })?;
        }
        let room = room(ground, scale).ok_or_else(|| Refusal::Unfinished(String::from("weights are too large")))?;
        rooms.push((scale, room));
    }
    let present = present(steps);
    let mut best: HashMap<u32, u64> = HashMap::new();
    for bound in &proof.bounds {
        let Some(&(scale, room)) = rooms.get(bound.weights as usize) else {
            return Err(Refusal::Malformed(String::from("a bound refers to weights that are not there")));
        };
        holds(ground, bound, scale, room, &present)?;
        best.entry(bound.queue).and_modify(|most| *most = bound.at_most.min(*most)).or_insert(bound.at_most);
    }
    Ok(best)
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
    if !queue.claimed || ground.kinds[bound.queue as usize].rendezvous {
        return Err(Refusal::Bound(format!("{name} is not claimed to stay finite")));
    }
    let light = |atom: u32| present.contains(&(bound.queue, atom)) && scale.message(bound.queue, atom) < bound.unit;
    if bound.unit < 1 || (0..queue.atoms.len() as u32).any(light) {
        return Err(Refusal::Bound(format!("messages of {name} weigh less than {}", bound.unit.max(1))));
    }
    let enough = i128::from(bound.unit).checked_mul(i128::from(bound.at_most) + 1);
    if enough.is_none_or(|enough| room >= enough) {
        return Err(Refusal::Bound(format!("{name} can hold more than {}", bound.at_most)));
    }
    Ok(())
}

/// The sum at the start, less the lowest potential of each part; none if the numbers are too large.
fn room(ground: &Ground<'_>, scale: Scale<'_>) -> Option<i128> {
    let mut room: i128 = 0;
    for (id, instance) in (0u32..).zip(&ground.abstraction.instances).filter(|(_, instance)| !instance.many) {
        let potential = |node: u32| i128::from(scale.potential(id, node));
        let first = instance.first.iter().map(|&node| potential(node)).max();
        let lowest = (0..instance.nodes.len() as u32).map(potential).min();
        if let (Some(first), Some(lowest)) = (first, lowest) {
            room = room.checked_add(first - lowest)?;
        }
    }
    for &home in ground.homes.iter().filter(|&&home| ground.instance(home).many) {
        let most = ground.instance(home).first.iter().map(|&node| scale.potential(home, node)).max();
        room = room.checked_add(i128::from(most.unwrap_or(0)))?;
    }
    for (index, followed) in (0u32..).zip(&ground.abstraction.followed) {
        let potential = |value: u32| i128::from(scale.value(index, value));
        let first = followed.values.binary_search(&followed.first).ok()?;
        let lowest = (0..followed.values.len() as u32).map(potential).min()?;
        room = room.checked_add(potential(first as u32) - lowest)?;
    }
    let globals = first_globals(ground);
    for (index, number) in (0u32..).zip(&ground.abstraction.numbers) {
        let distance = first_distance(ground, &globals, number);
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
