//! Rankings: weights under which the steps that are taken forever gain nothing.
//!
//! **Why it proves anything.** Let a run be infinite. From some moment on it takes only steps that it takes infinitely
//! often; call them alive. Single instances have been created by then. Under weights that are not negative for anything
//! that can be arbitrarily much, the weighted sum of a state is bounded from below. If no alive step gains, the sum never
//! rises again, so steps that lose are not alive (`Lose`). If no alive step moves a part to a higher group, the part stays
//! in one group, and steps outside of it are not alive (`Split`). When nothing is left alive, there is no such run
//! (`Empty`): no livelock.
//!
//! **Boundedness.** Some queues are claimed, and some `many` instances count. Forget the contents of the other queues and
//! where processes of the other instances are. What is left of the states that the model reaches are the states of a
//! *forgetful system*, with a step between two of them where the model has one between two states that they are left of.
//! It does everything that the model does, has finitely many successors for each state, and finitely many states with at
//! most so many claimed messages and counted processes. If those were unbounded, it would have an infinite run without
//! repetition (König), in which they grow beyond all bounds. But in a `Bounded` leaf each of them weighs at least 1 and the sum
//! never rises. So in all of the proof what is forgotten must weigh nothing, and in the leaves everything else must
//! weigh something: a thing that counts in one place and not in another proves nothing.
//!
//! A claimed queue with a bound (`bounds`), or an atom of one, need not weigh anything: the bound holds in every state that the model reaches, so
//! in the forgetful system, too; there are still finitely many states with at most so many messages in the others. (The
//! bound itself may rest on what the ranking forgets: it is shown step by step for the model.) A queue that is not claimed
//! may have a bound as well.
//!
//! Messages that are handed over are never there between steps; sender and receiver add and take the same weight in one
//! step, so it may have any sign.

use super::counting::Bounded;
use super::invariant::Step;
use super::shape::Ground;
use crate::Refusal;
use crate::pace::Pace;
use model::flow_proof::{Abstraction, Instance, Part, Point, Ranking, Weights};
use model::runs::Runs;
use std::collections::{BTreeMap, HashSet};

/// What a ranking has to show.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Goal {
    /// Nothing claimed grows.
    Bounded,
    /// Nothing is left.
    Nothing,
}

/// What can weigh something: each has a weight for each of its atoms, nodes or values.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Thing {
    /// A queue: messages, by atom.
    Queue(u32),
    /// An instance: processes, by node.
    Instance(u32),
    /// A followed variable, by value.
    Followed(u32),
    /// A number: units of distance.
    Number(u32),
}

impl Step {
    /// Which things it changes: where, and by how much at the most.
    pub(super) fn effects<'s>(&'s self, ground: &'s Ground<'_>) -> impl Iterator<Item = (Thing, u32, i64)> + 's {
        let moved = [(self.from, -1), (self.to, 1)].into_iter().filter(|_| self.from != self.to);
        let moved = moved.map(|(node, change)| (Thing::Instance(self.instance), node, change));
        let born = self.born.iter().filter(|(id, _)| ground.instance(*id).many);
        let born = born.map(|&(id, node)| (Thing::Instance(id), node, 1));
        let traffic = self.traffic.iter().map(|&(queue, atom, change)| (Thing::Queue(queue), atom, change.into()));
        let values = self
            .moves
            .iter()
            .filter(|(_, before, after)| before != after)
            .flat_map(|&(f, before, after)| [(Thing::Followed(f), before, -1), (Thing::Followed(f), after, 1)]);
        let numbers = self.ledger.growth.iter().map(|(&number, &growth)| (Thing::Number(number), 0, growth));
        moved.chain(born).chain(traffic).chain(values).chain(numbers)
    }
}

/// Weights of the right shape.
pub(super) struct Scale<'a> {
    ground: &'a Ground<'a>,
    /// Of everything that has any.
    pub(super) weights: BTreeMap<Thing, Runs>,
}

fn wrong<T>(what: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal::Ranking(what.into()))
}

impl<'a> Scale<'a> {
    /// Looks at every weight: the shape, and the sign where it matters. Processes of any number that have ended are not
    /// counted.
    pub(super) fn new(ground: &'a Ground<'a>, weights: &'a Weights) -> Result<Self, Refusal> {
        let list = |held: &Vec<i64>| held.iter().copied().collect();
        let queues = weights.messages.iter().map(|(&queue, held)| (Thing::Queue(queue), list(held)));
        let instances = weights.nodes.iter().map(|(&id, held)| (Thing::Instance(id), held.clone()));
        let followed = weights.values.iter().map(|(&followed, held)| (Thing::Followed(followed), list(held)));
        let numbers = weights.numbers.iter().map(|(&number, &held)| (Thing::Number(number), list(&vec![held])));
        let scale = Scale { ground, weights: queues.chain(instances).chain(followed).chain(numbers).collect() };
        for (&thing, held) in &scale.weights {
            if size(ground, thing) != Some(held.len()) {
                return Err(Refusal::Malformed(String::from("weights are not of the right number")));
            }
            let is_free = match thing {
                Thing::Queue(queue) => ground.kinds[queue as usize].rendezvous,
                Thing::Instance(id) => !ground.instance(id).many,
                Thing::Followed(_) => true,
                Thing::Number(_) => false,
            };
            if !is_free && held.numbers().any(|weight| weight < 0) {
                return wrong(format!("{thing:?} has a negative weight"));
            }
            if let Thing::Instance(id) = thing
                && let Instance { many: true, nodes, .. } = ground.instance(id)
                && nodes.iter().zip(held.iter()).any(|(node, weight)| node.at == Point::Gone && weight != 0)
            {
                return wrong(format!("processes of instance {id} weigh something after they have ended"));
            }
        }
        Ok(scale)
    }

    /// What a message, a process, a value or a unit of distance weighs.
    pub(super) fn weight(&self, thing: Thing, index: u32) -> i128 {
        self.weights.get(&thing).and_then(|held| held.get(index)).unwrap_or(0).into()
    }

    /// Refuses a step that gains; returns whether it loses.
    pub(super) fn loses(&self, step: &Step) -> Result<bool, Refusal> {
        let add = |sum: i128, (thing, index, change): (Thing, u32, i64)| {
            sum.checked_add(self.weight(thing, index).checked_mul(change.into())?)
        };
        match step.effects(self.ground).try_fold(0, add) {
            Some(gain) if gain <= 0 => Ok(gain < 0),
            Some(gain) => {
                let (from, to) = (self.ground.place(step.instance, step.from), step.to);
                wrong(format!("a step from {from} to node {to} gains {gain}"))
            }
            None => Err(Refusal::Unfinished(String::from("weights are too large"))),
        }
    }
}

/// How many weights a thing has, if there is such a thing.
fn size(ground: &Ground<'_>, thing: Thing) -> Option<usize> {
    let Abstraction { queues, instances, followed, numbers, .. } = ground.abstraction;
    match thing {
        Thing::Queue(queue) => queues.get(queue as usize).map(|queue| queue.atoms.len()),
        Thing::Instance(id) => instances.get(id as usize).map(|instance| instance.nodes.len()),
        Thing::Followed(index) => followed.get(index as usize).map(|followed| followed.values.len()),
        Thing::Number(number) => numbers.get(number as usize).map(|_| 1),
    }
}

/// Checks a ranking of steps. Some queues have bounds.
pub(super) fn check(
    ground: &Ground<'_>,
    steps: &[Step],
    ranking: &Ranking,
    (goal, bounds): (Goal, &Bounded),
    budget: &Pace<'_>,
) -> Result<(), Refusal> {
    let (mut counted, mut leaves) = (HashSet::new(), Vec::new());
    let present = present(steps);
    let alive: Vec<u32> = (0u32..).zip(steps).filter(|(_, step)| !step.progress).map(|(index, _)| index).collect();
    let mut open = vec![(ranking, alive)];
    while let Some((ranking, alive)) = open.pop() {
        budget.spend(alive.len())?;
        let alive_steps = alive.iter().map(|&index| &steps[index as usize]);
        match ranking {
            Ranking::Empty => {
                if let Some(step) = alive_steps.clone().next() {
                    let from = ground.place(step.instance, step.from);
                    return wrong(format!("a step from {from} to node {} is said to be left out, but is not", step.to));
                }
            }
            Ranking::Bounded(weights) => {
                if goal == Goal::Nothing {
                    return wrong("that nothing grows does not show progress");
                }
                let scale = Scale::new(ground, weights)?;
                count(ground, &scale, &mut counted)?;
                for step in alive_steps {
                    scale.loses(step)?;
                }
                leaves.push(scale);
            }
            Ranking::Lose(weights, rest) => {
                let scale = Scale::new(ground, weights)?;
                count(ground, &scale, &mut counted)?;
                let mut left = Vec::new();
                for (&index, step) in alive.iter().zip(alive_steps) {
                    if !scale.loses(step)? {
                        left.push(index);
                    }
                }
                open.push((rest, left));
            }
            Ranking::Split { part, groups, cases } => {
                split(ground, *part, groups, cases, alive_steps)?;
                for (group, case) in (0u32..).zip(cases) {
                    let stays = |index: &u32| match ends(*part, &steps[*index as usize]) {
                        Some((from, to)) => groups[from as usize] == group && groups[to as usize] == group,
                        None => true,
                    };
                    budget.spend(alive.len())?;
                    open.push((case, alive.iter().copied().filter(|index| stays(index)).collect()));
                }
            }
        }
    }
    leaves.iter().try_for_each(|scale| weighs_all(ground, scale, &counted, (&present, bounds)))
}

/// The atoms that some step leaves behind; others are never in a queue.
pub(super) fn present(steps: &[Step]) -> HashSet<(u32, u32)> {
    let each = steps.iter().flat_map(|step| &step.traffic);
    each.filter(|(.., change)| *change > 0).map(|&(queue, atom, _)| (queue, atom)).collect()
}

/// Adds the `many` instances that weigh something. Queues that are not claimed weigh nothing.
fn count(ground: &Ground<'_>, scale: &Scale<'_>, counted: &mut HashSet<u32>) -> Result<(), Refusal> {
    for (&thing, _) in scale.weights.iter().filter(|(_, held)| held.numbers().any(|weight| weight != 0)) {
        match thing {
            Thing::Instance(id) if ground.instance(id).many => drop(counted.insert(id)),
            Thing::Queue(queue) if !ground.abstraction.queues[queue as usize].claimed => {
                return wrong(format!("messages of {} count, but are not claimed", ground.queue_name(queue)));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Everything that is claimed and has no bound, and everything that counts anywhere, weighs at least 1.
fn weighs_all(
    ground: &Ground<'_>,
    scale: &Scale<'_>,
    counted: &HashSet<u32>,
    (present, bounds): (&HashSet<(u32, u32)>, &Bounded),
) -> Result<(), Refusal> {
    for (index, queue) in (0u32..).zip(&ground.abstraction.queues) {
        let counts = queue.claimed && !ground.kinds[index as usize].rendezvous && !bounds.queues.contains_key(&index);
        let there = |what| present.contains(&what) && !bounds.atoms.contains(&what);
        let light = |atom: u32| there((index, atom)) && scale.weight(Thing::Queue(index), atom) < 1;
        if counts && (0..queue.atoms.len() as u32).any(light) {
            return wrong(format!("a message of {} is claimed, but weighs nothing", ground.queue_name(index)));
        }
    }
    for (id, instance) in (0u32..).zip(&ground.abstraction.instances) {
        let ended = |node: u32| instance.nodes[node as usize].at == Point::Gone;
        let light = |node: u32| !ended(node) && scale.weight(Thing::Instance(id), node) < 1;
        if counted.contains(&id) && (0..instance.nodes.len() as u32).any(light) {
            return wrong(format!("processes of instance {id} count in one place and not in another"));
        }
    }
    Ok(())
}

/// The groups are groups of the part, there is a case for each, and no step leads to a higher one.
fn split<'s>(
    ground: &Ground<'_>,
    part: Part,
    groups: &[u32],
    cases: &[Ranking],
    mut alive: impl Iterator<Item = &'s Step>,
) -> Result<(), Refusal> {
    let thing = match part {
        Part::Instance(id) => Thing::Instance(id),
        Part::Followed(index) => Thing::Followed(index),
    };
    let fits =
        size(ground, thing) == Some(groups.len()) && !matches!(part, Part::Instance(id) if ground.instance(id).many);
    // Also a part that is not there yet is in some case: there has to be one.
    if !fits || cases.is_empty() || groups.iter().any(|&group| group as usize >= cases.len()) {
        return Err(Refusal::Malformed(format!("the cases of {part:?} do not fit its groups")));
    }
    let rises = |step: &&Step| ends(part, step).is_some_and(|(from, to)| groups[from as usize] < groups[to as usize]);
    match alive.find(rises) {
        Some(step) => {
            let from = ground.place(step.instance, step.from);
            wrong(format!("a step from {from} to node {} moves {part:?} to a higher group", step.to))
        }
        None => Ok(()),
    }
}

/// The nodes, or values, of a part that a step leaves and gets to; none if it does not touch the part.
fn ends(part: Part, step: &Step) -> Option<(u32, u32)> {
    match part {
        Part::Instance(id) => (step.instance == id).then_some((step.from, step.to)),
        Part::Followed(index) => step.moves.iter().find(|(f, ..)| *f == index).map(|&(_, from, to)| (from, to)),
    }
}
