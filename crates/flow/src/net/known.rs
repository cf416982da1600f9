//! What a process knows of a followed variable: the values that it can have while the process is at a node.
//!
//! Where a process has tested a shared variable and only it may write the variable at that value (a turn, a flag that somebody
//! else clears), the test still holds when it writes. The pairs of a node and a value are found step by step: a process takes
//! the value along, and others move it under its feet where their own pairs let them. Transitions that need another
//! value are never taken.

use super::{Net, Transition};
use crate::analysis::Analysis;
use model::budget::Budget;
use model::flow_proof::Origin;
use model::verdict::Reason;
use std::collections::{BTreeSet, HashMap, HashSet};

/// Leaves out transitions that are never taken. Those of any number of processes all stay.
pub(super) fn retain(net: &mut Net, analysis: &Analysis, budget: &Budget) -> Result<(), Reason> {
    if net.followed.is_empty() {
        return Ok(());
    }
    let many = |id: u32| analysis.instances[id as usize].many;
    let mut known = Known {
        many: (0..analysis.instances.len() as u32).map(many).collect(),
        values: net.followed.iter().map(|followed| followed.values.len() as u32).collect(),
        ..Known::default()
    };
    let mut from: HashMap<(u32, u32), Vec<&Transition>> = HashMap::new();
    for transition in &net.transitions {
        from.entry((transition.instance, transition.node)).or_default().push(transition);
        let touched = transition.moves.iter().map(|&(f, ..)| f);
        known.touched.entry(transition.instance).or_default().extend(touched);
    }
    for (&id, touched) in &known.touched.clone() {
        let instance = &analysis.instances[id as usize];
        let there = matches!(instance.origin, Origin::Initial(_));
        if instance.many {
            let moves = net.transitions.iter().filter(|t| t.instance == id).flat_map(|t| &t.moves);
            moves.for_each(|&(f, before, after)| known.move_on(id, (f, before, after)));
            continue;
        }
        for &f in touched {
            let followed = &net.followed[f as usize];
            let values = (0u32..).zip(&followed.values).filter(|(_, value)| !there || **value == followed.first);
            for (value, _) in values {
                instance.first.iter().for_each(|&node| known.add((id, node, f, value)));
            }
        }
    }
    while let Some((id, node, f, value)) = known.open.pop() {
        budget.spend(1)?;
        for (by, after) in known.moved.get(&(f, value)).cloned().unwrap_or_default() {
            if by != id {
                known.add((id, node, f, after));
            }
        }
        for transition in from.get(&(id, node)).into_iter().flatten() {
            match transition.moves.iter().find(|(moved, ..)| *moved == f) {
                Some(&(_, before, _)) if before == value && known.allows(transition) => known.take(transition),
                None if known.allows(transition) => known.add((id, transition.to, f, value)),
                _ => {}
            }
        }
    }
    let visited: HashSet<(u32, u32)> = known.pairs.iter().map(|&(id, node, ..)| (id, node)).collect();
    let alive = |t: &Transition| {
        let idle = known.touched[&t.instance].is_empty() || known.many[t.instance as usize];
        idle || (visited.contains(&(t.instance, t.node)) && known.allows(t))
    };
    let mut kept: Vec<Transition> = Vec::with_capacity(net.transitions.len());
    for range in &mut net.of_instance {
        let begin = kept.len() as u32;
        kept.extend(net.transitions[range.start as usize..range.end as usize].iter().filter(|t| alive(t)).cloned());
        *range = begin..kept.len() as u32;
    }
    net.transitions = kept;
    Ok(())
}

/// An instance at a node, while a followed variable has a value.
type Pair = (u32, u32, u32, u32);

#[derive(Default)]
struct Known {
    many: Vec<bool>,
    /// Per followed variable: how many values it has.
    values: Vec<u32>,
    pairs: HashSet<Pair>,
    open: Vec<Pair>,
    /// Per followed variable and value: the instances, and their nodes, that it can have that value for.
    places: HashMap<(u32, u32), Vec<(u32, u32)>>,
    /// Per followed variable and value: which instances move it on, and to which value.
    moved: HashMap<(u32, u32), BTreeSet<(u32, u32)>>,
    /// Per instance: the variables that it reads or writes.
    touched: HashMap<u32, BTreeSet<u32>>,
}

impl Known {
    fn add(&mut self, pair: Pair) {
        if self.pairs.insert(pair) {
            let (id, node, f, value) = pair;
            self.places.entry((f, value)).or_default().push((id, node));
            self.open.push(pair);
        }
    }

    fn allows(&self, transition: &Transition) -> bool {
        let here = |&(f, before, _): &(u32, u32, u32)| (transition.instance, transition.node, f, before);
        transition.moves.iter().all(|moved| self.pairs.contains(&here(moved)))
    }

    /// A transition that moves something can be taken: with whatever its process knows, and seen by all the others.
    fn take(&mut self, transition: &Transition) {
        let (id, node, to) = (transition.instance, transition.node, transition.to);
        for f in self.touched.get(&id).cloned().unwrap_or_default() {
            if let Some(&(_, before, after)) = transition.moves.iter().find(|(moved, ..)| *moved == f) {
                self.add((id, to, f, after));
                self.move_on(id, (f, before, after));
            } else {
                let known = (0..self.values[f as usize]).filter(|&value| self.pairs.contains(&(id, node, f, value)));
                let known: Vec<u32> = known.collect();
                known.into_iter().for_each(|value| self.add((id, to, f, value)));
            }
        }
    }

    /// An instance moves a variable: for all the others, which may be anywhere at the value before.
    fn move_on(&mut self, id: u32, (f, before, after): (u32, u32, u32)) {
        if before != after && self.moved.entry((f, before)).or_default().insert((id, after)) {
            for (other, node) in self.places.get(&(f, before)).cloned().unwrap_or_default() {
                if other != id {
                    self.add((other, node, f, after));
                }
            }
        }
    }
}
