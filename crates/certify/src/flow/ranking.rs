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

use super::bounds::Bounded;
use super::invariant::Step;
use super::shape::Ground;
use crate::Refusal;
use crate::pace::Pace;
use model::flow_proof::{Instance, Part, Point, Ranking, Weights};
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

/// Weights of the right shape.
#[derive(Clone, Copy)]
pub(super) struct Scale<'a> {
    ground: &'a Ground<'a>,
    weights: &'a Weights,
}

fn wrong<T>(what: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal::Ranking(what.into()))
}

impl<'a> Scale<'a> {
    /// Looks at every weight: the shape, and the sign where it matters.
    pub(super) fn new(ground: &'a Ground<'a>, weights: &'a Weights) -> Result<Self, Refusal> {
        let abstraction = ground.abstraction;
        let atoms = |queue: usize| abstraction.queues.get(queue).map(|queue| queue.atoms.len());
        let nodes = |instance: usize| abstraction.instances.get(instance).map(|instance| instance.nodes.len());
        let values = |followed: usize| abstraction.followed.get(followed).map(|followed| followed.values.len());
        let numbers = weights.numbers.keys().all(|&number| (number as usize) < abstraction.numbers.len());
        let potentials = weights.nodes.iter().all(|(&id, held)| nodes(id as usize) == Some(held.len()));
        if !fits(&weights.messages, atoms) || !potentials || !fits(&weights.values, values) || !numbers {
            return Err(Refusal::Malformed(String::from("weights are not of the right number")));
        }
        let scale = Scale { ground, weights };
        for (&queue, held) in &weights.messages {
            if !ground.kinds[queue as usize].rendezvous && held.iter().any(|&w| w < 0) {
                return wrong(format!("messages of {} have negative weights", ground.queue_name(queue)));
            }
        }
        for (&id, held) in weights.nodes.iter().filter(|(id, _)| ground.instance(**id).many) {
            if (0..held.len() as u32).any(|node| scale.potential(id, node) < 0) {
                return wrong(format!("instance {id} is any number of processes, and has a negative potential"));
            }
        }
        if weights.numbers.values().any(|&w| w < 0) {
            return wrong("a number has a negative weight");
        }
        Ok(scale)
    }

    /// What a message weighs.
    pub(super) fn message(&self, queue: u32, atom: u32) -> i64 {
        entry(&self.weights.messages, queue, atom)
    }

    /// The potential of a node. Those of any number of processes that have ended count nothing.
    pub(super) fn potential(&self, instance: u32, node: u32) -> i64 {
        let instance_of = self.ground.instance(instance);
        if instance_of.many && instance_of.nodes[node as usize].at == Point::Gone {
            return 0;
        }
        self.weights.nodes.get(&instance).and_then(|potentials| potentials.get(node)).unwrap_or(0)
    }

    /// Those of all nodes of an instance.
    pub(super) fn potentials(&self, instance: u32) -> Vec<i64> {
        let Instance { many, nodes, .. } = self.ground.instance(instance);
        let held = self.weights.nodes.get(&instance).into_iter().flat_map(Runs::iter);
        held.zip(nodes).map(|(held, node)| if *many && node.at == Point::Gone { 0 } else { held }).collect()
    }

    /// The lowest and the highest potential of a single instance.
    pub(super) fn extremes(&self, instance: u32) -> (i128, i128) {
        let numbers = || self.weights.nodes.get(&instance).into_iter().flat_map(Runs::numbers).map(i128::from);
        (numbers().min().unwrap_or(0), numbers().max().unwrap_or(0))
    }

    /// The potential of a value of a followed variable.
    pub(super) fn value(&self, followed: u32, value: u32) -> i64 {
        entry(&self.weights.values, followed, value)
    }

    /// What a unit of distance of a number weighs.
    pub(super) fn number(&self, number: u32) -> i64 {
        self.weights.numbers.get(&number).copied().unwrap_or(0)
    }

    /// The most that a step adds to the sum; none if the numbers are too large.
    pub(super) fn gain(&self, step: &Step) -> Option<i128> {
        let wide = i128::from;
        let mut sum = wide(self.potential(step.instance, step.to)) - wide(self.potential(step.instance, step.from));
        for &(queue, atom, change) in &step.traffic {
            sum = sum.checked_add(wide(self.message(queue, atom)).checked_mul(i128::from(change))?)?;
        }
        for (instance, nodes) in &step.born {
            let most = nodes.iter().map(|&node| self.potential(*instance, node)).max()?;
            sum = sum.checked_add(wide(most))?;
        }
        for &(followed, before, after) in &step.moves {
            let change = wide(self.value(followed, after)) - wide(self.value(followed, before));
            sum = sum.checked_add(change)?;
        }
        for &(number, growth) in &step.growth {
            sum = sum.checked_add(wide(self.number(number)).checked_mul(wide(growth))?)?;
        }
        Some(sum)
    }

    /// Refuses a step that gains; returns whether it loses.
    pub(super) fn loses(&self, step: &Step) -> Result<bool, Refusal> {
        match self.gain(step) {
            Some(gain) if gain <= 0 => Ok(gain < 0),
            Some(gain) => {
                let (from, to) = (self.ground.place(step.instance, step.from), step.to);
                wrong(format!("a step from {from} to node {to} gains {gain}"))
            }
            None => Err(Refusal::Unfinished(String::from("weights are too large"))),
        }
    }
}

/// Whether every entry is of something that is there, and of the right length.
fn fits(entries: &BTreeMap<u32, Vec<i64>>, length: impl Fn(usize) -> Option<usize>) -> bool {
    entries.iter().all(|(&key, held)| length(key as usize) == Some(held.len()))
}

fn entry(entries: &BTreeMap<u32, Vec<i64>>, at: u32, index: u32) -> i64 {
    entries.get(&at).and_then(|e| e.get(index as usize)).copied().unwrap_or(0)
}

/// Checks a ranking of steps. Some queues have bounds.
pub(super) fn check(
    ground: &Ground<'_>,
    steps: &[Step],
    ranking: &Ranking,
    (goal, bounds): (Goal, &Bounded),
    budget: &Pace<'_>,
) -> Result<(), Refusal> {
    let counted = counted(ground, ranking, budget)?;
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
                weighs_all(ground, scale, &counted, (&present, bounds))?;
                for step in alive_steps {
                    scale.loses(step)?;
                }
            }
            Ranking::Lose(weights, rest) => {
                let scale = Scale::new(ground, weights)?;
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
    Ok(())
}

/// The atoms that some step leaves behind; others are never in a queue.
pub(super) fn present(steps: &[Step]) -> HashSet<(u32, u32)> {
    let each = steps.iter().flat_map(|step| &step.traffic);
    each.filter(|(.., change)| *change > 0).map(|&(queue, atom, _)| (queue, atom)).collect()
}

/// The `many` instances that weigh something anywhere in a ranking. Queues that are not claimed weigh nothing.
fn counted(ground: &Ground<'_>, ranking: &Ranking, budget: &Pace<'_>) -> Result<Vec<bool>, Refusal> {
    let mut counted = vec![false; ground.abstraction.instances.len()];
    let mut open = vec![ranking];
    while let Some(ranking) = open.pop() {
        let weights = match ranking {
            Ranking::Empty => continue,
            Ranking::Bounded(weights) => weights,
            Ranking::Lose(weights, rest) => {
                open.push(rest);
                weights
            }
            Ranking::Split { cases, .. } => {
                open.extend(cases);
                continue;
            }
        };
        let scale = Scale::new(ground, weights)?;
        for (&queue, held) in &weights.messages {
            if !ground.abstraction.queues[queue as usize].claimed && held.iter().any(|&w| w != 0) {
                return wrong(format!("messages of {} count, but are not claimed", ground.queue_name(queue)));
            }
        }
        for (id, instance) in (0u32..).zip(&ground.abstraction.instances).filter(|(_, instance)| instance.many) {
            budget.spend(instance.nodes.len())?;
            counted[id as usize] |= (0..instance.nodes.len() as u32).any(|node| scale.potential(id, node) != 0);
        }
    }
    Ok(counted)
}

/// Everything that is claimed and has no bound, and everything that counts anywhere, weighs at least 1.
fn weighs_all(
    ground: &Ground<'_>,
    scale: Scale<'_>,
    counted: &[bool],
    (present, bounds): (&HashSet<(u32, u32)>, &Bounded),
) -> Result<(), Refusal> {
    for (index, queue) in (0u32..).zip(&ground.abstraction.queues) {
        let counts = queue.claimed && !ground.kinds[index as usize].rendezvous && !bounds.queues.contains_key(&index);
        let there = |what| present.contains(&what) && !bounds.atoms.contains(&what);
        let light = |atom: u32| there((index, atom)) && scale.message(index, atom) < 1;
        if counts && (0..queue.atoms.len() as u32).any(light) {
            return wrong(format!("a message of {} is claimed, but weighs nothing", ground.queue_name(index)));
        }
    }
    for (id, instance) in (0u32..).zip(&ground.abstraction.instances) {
        let ended = |node: u32| instance.nodes[node as usize].at == Point::Gone;
        let light = |node: u32| !ended(node) && scale.potential(id, node) < 1;
        if counted[id as usize] && (0..instance.nodes.len() as u32).any(light) {
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
    let size = match part {
        Part::Instance(id) => {
            let instance = ground.abstraction.instances.get(id as usize).filter(|instance| !instance.many);
            instance.map(|instance| instance.nodes.len())
        }
        Part::Followed(index) => ground.abstraction.followed.get(index as usize).map(|f| f.values.len()),
    };
    // Also a part that is not there yet is in some case: there has to be one.
    if size != Some(groups.len()) || cases.is_empty() || groups.iter().any(|&group| group as usize >= cases.len()) {
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
