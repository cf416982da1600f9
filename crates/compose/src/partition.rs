//! A component, a partition of its states, and what follows from it: the existential quotient (the paper's section 3.2)
//! with abstract refusals (section 8).
//!
//! Refusals are kept as their complement: what *all* states of a class are ready for. A step without a name is an event of
//! the component alone here, and having done its work is one of all components.
//!
//! A split computes again what changes and no more: the steps of the two halves, and of classes that lead to them.

use crate::lts::{Leaf, Lts};
use std::collections::HashMap;
use std::hash::Hash;

/// A partition of a component's states.
pub(crate) struct Partition<'a> {
    pub(crate) leaf: &'a Leaf,
    pub(crate) class_of: Vec<u32>,
    members: Vec<Vec<u32>>,
    pub(crate) quotient: Lts,
    /// What all states of a class are ready for, if refusals are wanted.
    pub(crate) always: Vec<Vec<u32>>,
    refusals: bool,
    /// The states with a step to each state.
    predecessors: Vec<Vec<u32>>,
}

impl<'a> Partition<'a> {
    /// The coarsest partition whose classes agree in a key; with refusals or without.
    pub(crate) fn new<K: Hash + Eq>(leaf: &'a Leaf, refusals: bool, key: impl Fn(u32) -> K) -> Partition<'a> {
        let lts = &leaf.lts;
        let mut numbers: HashMap<K, u32> = HashMap::new();
        let mut members: Vec<Vec<u32>> = Vec::new();
        let mut class_of = Vec::with_capacity(lts.states());
        let mut predecessors = vec![Vec::new(); lts.states()];
        for state in 0..lts.states() as u32 {
            let class = *numbers.entry(key(state)).or_insert(members.len() as u32);
            if class as usize == members.len() {
                members.push(Vec::new());
            }
            members[class as usize].push(state);
            class_of.push(class);
            for &(_, to) in &lts.moves[state as usize] {
                predecessors[to as usize].push(state);
            }
        }
        let classes = members.len();
        let quotient = Lts {
            alphabet: lts.alphabet.clone(),
            moves: vec![Vec::new(); classes],
            wrong: vec![false; classes],
            labels: vec![0; classes],
            initial: Vec::new(),
        };
        let mut partition =
            Partition { leaf, class_of, members, quotient, always: vec![Vec::new(); classes], refusals, predecessors };
        for class in 0..classes as u32 {
            partition.compute(class);
        }
        partition.compute_initial();
        partition
    }

    pub(crate) fn classes(&self) -> usize {
        self.members.len()
    }

    /// What follows from the members of a class.
    fn compute(&mut self, class: u32) {
        let index = class as usize;
        let lts = &self.leaf.lts;
        let mut moves = Vec::new();
        let mut always: Option<Vec<u32>> = None;
        for &state in &self.members[index] {
            moves.extend(lts.moves[state as usize].iter().map(|&(event, to)| (event, self.class_of[to as usize])));
            if self.refusals && always.as_ref().is_none_or(|always| !always.is_empty()) {
                let ready = self.leaf.ready(state);
                match &mut always {
                    Some(always) => always.retain(|event| ready.binary_search(event).is_ok()),
                    None => always = Some(ready),
                }
            }
        }
        moves.sort_unstable();
        moves.dedup();
        self.quotient.moves[index] = moves;
        self.always[index] = always.unwrap_or_default();
        if let Some(&state) = self.members[index].first() {
            self.quotient.wrong[index] = lts.wrong[state as usize];
            self.quotient.labels[index] = lts.labels[state as usize];
        }
    }

    fn compute_initial(&mut self) {
        let initial = self.leaf.lts.initial.iter().map(|&state| self.class_of[state as usize]);
        self.quotient.initial = initial.collect();
        self.quotient.initial.sort_unstable();
        self.quotient.initial.dedup();
    }

    /// Splits every class of which some states are among these and others are not. How many were split?
    pub(crate) fn split(&mut self, states: &[u32]) -> usize {
        let mut parts: HashMap<u32, Vec<u32>> = HashMap::new();
        for &state in states {
            parts.entry(self.class_of[state as usize]).or_default().push(state);
        }
        let mut parts: Vec<(u32, Vec<u32>)> = parts.into_iter().collect();
        parts.sort_unstable();
        let before = self.classes();
        for (class, mut inside) in parts {
            inside.sort_unstable();
            inside.dedup();
            if inside.len() < self.members[class as usize].len() {
                self.split_class(class, inside);
            }
        }
        self.classes() - before
    }

    fn split_class(&mut self, class: u32, inside: Vec<u32>) {
        let all = std::mem::take(&mut self.members[class as usize]);
        let outside: Vec<u32> = all.into_iter().filter(|state| inside.binary_search(state).is_err()).collect();
        // The smaller half gets the new number.
        let (stays, goes) = if inside.len() > outside.len() { (inside, outside) } else { (outside, inside) };
        let new = self.members.len() as u32;
        let mut affected = vec![class, new];
        for &state in &goes {
            self.class_of[state as usize] = new;
        }
        for &state in &goes {
            affected.extend(self.predecessors[state as usize].iter().map(|&from| self.class_of[from as usize]));
        }
        self.members[class as usize] = stays;
        self.members.push(goes);
        self.always.push(Vec::new());
        self.quotient.moves.push(Vec::new());
        self.quotient.wrong.push(false);
        self.quotient.labels.push(0);
        affected.sort_unstable();
        affected.dedup();
        for class in affected {
            self.compute(class);
        }
        self.compute_initial();
    }

    /// The states of a class.
    pub(crate) fn members(&self, class: u32) -> &[u32] {
        &self.members[class as usize]
    }

    /// The states of a class with a step to another class.
    pub(crate) fn leading(&self, class: u32, (event, target): (u32, u32)) -> Vec<u32> {
        let moves = |state: u32| self.leaf.lts.moves_with(state, event).iter();
        let leads = |state: &u32| moves(*state).any(|step| self.class_of[step.1 as usize] == target);
        self.members(class).iter().copied().filter(leads).collect()
    }

    /// The classes as a proof lists them.
    pub(crate) fn listed(&self) -> Vec<(Vec<u32>, u32)> {
        self.leaf.original.iter().zip(&self.class_of).map(|(&state, &class)| (vec![state], class)).collect()
    }
}
