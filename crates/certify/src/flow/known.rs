//! Where processes can be, and what each knows of a followed variable: the values that it can have while the process is at a
//! node.
//!
//! A step of the process itself takes the value along, or moves it. A step of another process that moves the variable does so
//! also for this one, wherever it can be at the value before. What these rules add to the start, where the first processes
//! find the first value and those that are created later any, is all there ever is (induction over the steps: every state has
//! these pairs only). A step that needs another value is never taken, nor is one from a node that no path leads to.
//!
//! A handshake is two steps, one after the other: then the induction goes through the state between them, too.

use super::invariant::{Step, Steps};
use super::shape::Ground;
use crate::Refusal;
use crate::pace::Pace;
use model::flow_proof::Origin;
use std::collections::{BTreeSet, HashMap, HashSet};

/// An instance at a node, while a followed variable has a value.
type Pair = (u32, u32, u32, u32);

/// In the place of a variable: something that every process touches, and that never moves.
const TIME: u32 = u32::MAX;

/// Leaves out steps that are never taken.
pub(super) fn retain(ground: &Ground<'_>, steps: &mut Steps, budget: &Pace<'_>) -> Result<(), Refusal> {
    let instances = &ground.abstraction.instances;
    let mut facts = Facts { touched: vec![BTreeSet::from([TIME]); instances.len()], ..Facts::default() };
    let mut from: HashMap<(u32, u32), Vec<&Step>> = HashMap::new();
    for step in &steps.complete {
        from.entry((step.instance, step.from)).or_default().push(step);
        facts.touched[step.instance as usize].extend(step.moves.iter().map(|&(f, ..)| f));
    }
    for (id, instance) in (0u32..).zip(instances) {
        let there = !instance.many && matches!(instance.origin, Origin::Initial(_));
        for f in facts.touched[id as usize].clone() {
            let followed = ground.abstraction.followed.get(f as usize);
            let first = |v: &u32| !there || followed.is_none_or(|f| f.values[*v as usize] == f.first);
            for value in values(ground, f).filter(first) {
                instance.first.iter().for_each(|&node| facts.add((id, node, f, value)));
            }
        }
    }
    while let Some((id, node, f, value)) = facts.open.pop() {
        let others = facts.moved.get(&(f, value)).cloned().unwrap_or_default();
        for (_, after) in others.into_iter().filter(|(by, _)| *by != id || ground.instance(id).many) {
            facts.add((id, node, f, after));
        }
        let leaving = from.get(&(id, node)).map_or(&[][..], Vec::as_slice);
        budget.spend(leaving.len())?;
        for step in leaving.iter().filter(|step| facts.allow(step)).collect::<Vec<_>>() {
            match step.moves.iter().find(|(moved, ..)| *moved == f) {
                None if f != TIME => facts.add((id, step.to, f, value)),
                Some(&(_, before, _)) if before != value => {}
                _ => facts.take(ground, step),
            }
        }
    }
    steps.complete.retain(|step| facts.allow(step));
    steps.failed.retain(|failure| facts.known.contains(&(failure.instance, failure.from, TIME, 0)));
    Ok(())
}

/// The indices of the values of a variable.
fn values(ground: &Ground<'_>, f: u32) -> std::ops::Range<u32> {
    0..ground.abstraction.followed.get(f as usize).map_or(1, |followed| followed.values.len() as u32)
}

#[derive(Default)]
struct Facts {
    known: HashSet<Pair>,
    open: Vec<Pair>,
    /// Per followed variable and value: the instances, and their nodes, that it can have that value for.
    places: HashMap<(u32, u32), Vec<(u32, u32)>>,
    /// Per followed variable and value: which instances move it on, and to which value.
    moved: HashMap<(u32, u32), BTreeSet<(u32, u32)>>,
    /// Per instance: the variables that its steps read or write.
    touched: Vec<BTreeSet<u32>>,
}

impl Facts {
    fn add(&mut self, pair: Pair) {
        if self.known.insert(pair) {
            let (id, node, f, value) = pair;
            self.places.entry((f, value)).or_default().push((id, node));
            self.open.push(pair);
        }
    }

    /// Its process can be where a step begins, and the values that it needs can be there.
    fn allow(&self, step: &Step) -> bool {
        let here = |f: u32, value: u32| self.known.contains(&(step.instance, step.from, f, value));
        here(TIME, 0) && step.moves.iter().all(|&(f, before, _)| here(f, before))
    }

    /// A step can be taken: with whatever its process knows, and seen by all the others.
    fn take(&mut self, ground: &Ground<'_>, step: &Step) {
        let id = step.instance;
        for f in self.touched[id as usize].clone() {
            let Some(&(_, before, after)) = step.moves.iter().find(|(moved, ..)| *moved == f) else {
                let known = values(ground, f).filter(|&v| self.known.contains(&(id, step.from, f, v)));
                known.collect::<Vec<u32>>().into_iter().for_each(|v| self.add((id, step.to, f, v)));
                continue;
            };
            self.add((id, step.to, f, after));
            if before != after && self.moved.entry((f, before)).or_default().insert((id, after)) {
                let places = self.places.get(&(f, before)).cloned().unwrap_or_default();
                for (other, node) in places.into_iter().filter(|(other, _)| *other != id || ground.instance(id).many) {
                    self.add((other, node, f, after));
                }
            }
        }
    }
}
