//! Which variables matter at a location: those that some path from there reads before it writes them.
//!
//! Two states that differ in other variables only have the same future, so a search over states takes them for one. A
//! variable that is assigned to one that does not matter is not read by that (the *faint* variables of Giegerich, Möncke
//! and Wilhelm, 1981).

use crate::slice::Slice;
use cfront::program::{Component, Edge, Instruction, LocationId, VariableId};
use cfront::term::TermId;
use std::collections::HashMap;

/// Bits in a word of a set.
const WORD: usize = 64;

/// For each location, the variables of the slice that matter there, by their places in it.
pub(crate) struct Liveness {
    words: usize,
    sets: Vec<u64>,
}

impl Liveness {
    /// Goes backwards along the live edges until nothing changes.
    pub(crate) fn new(component: &Component, slice: &Slice) -> Liveness {
        let words = slice.variables.len().div_ceil(WORD);
        let mut found = Liveness { words, sets: vec![0; words * component.locations.len()] };
        let mut entering: Vec<Vec<LocationId>> = vec![Vec::new(); component.locations.len()];
        for (number, edge) in component.edges.iter().enumerate() {
            if slice.live[number] {
                entering[edge.target.0 as usize].push(edge.source);
            }
        }
        let mut reading = Reading { component, slice, known: HashMap::new() };
        let mut waiting: Vec<LocationId> = (0..component.locations.len() as u32).map(LocationId).collect();
        let mut is_waiting = vec![true; component.locations.len()];
        while let Some(location) = waiting.pop() {
            is_waiting[location.0 as usize] = false;
            let mut here = vec![0; words];
            for &edge in &slice.leaving[location.0 as usize] {
                let idle = slice.idle[edge.0 as usize];
                let before = reading.before(component.edge(edge), idle, found.of(component.edge(edge).target));
                here.iter_mut().zip(before).for_each(|(word, more)| *word |= more);
            }
            let range = found.range(location);
            if found.sets[range.clone()] != here[..] {
                found.sets[range].copy_from_slice(&here);
                for &source in &entering[location.0 as usize] {
                    if !std::mem::replace(&mut is_waiting[source.0 as usize], true) {
                        waiting.push(source);
                    }
                }
            }
        }
        found
    }

    fn range(&self, location: LocationId) -> std::ops::Range<usize> {
        let start = location.0 as usize * self.words;
        start..start + self.words
    }

    fn of(&self, location: LocationId) -> &[u64] {
        &self.sets[self.range(location)]
    }

    /// Whether the variable at this place matters.
    pub(crate) fn matters(&self, location: LocationId, at: usize) -> bool {
        has(self.of(location), at)
    }

    /// Makes all values that do not matter zero.
    pub(crate) fn forget(&self, location: LocationId, values: &mut [u64]) {
        let set = self.of(location);
        for (at, value) in values.iter_mut().enumerate() {
            if !has(set, at) {
                *value = 0;
            }
        }
    }
}

fn has(set: &[u64], at: usize) -> bool {
    set.get(at / WORD).is_some_and(|word| word >> (at % WORD) & 1 == 1)
}

/// What terms read, by places in the slice.
struct Reading<'a> {
    component: &'a Component,
    slice: &'a Slice,
    known: HashMap<TermId, Vec<usize>>,
}

impl Reading<'_> {
    /// What matters before an edge, given what matters behind it.
    fn before(&mut self, edge: &Edge, idle: bool, behind: &[u64]) -> Vec<u64> {
        let mut set = behind.to_vec();
        match &edge.instruction {
            Instruction::Assume(condition) if !idle => self.add(&mut set, *condition),
            Instruction::Assign(list) => {
                for (variable, _) in list {
                    self.remove(&mut set, *variable);
                }
                for (variable, value) in list {
                    if self.slice.variables.binary_search(variable).is_ok_and(|at| has(behind, at)) {
                        self.add(&mut set, *value);
                    }
                }
            }
            Instruction::Havoc(variables, _) => {
                variables.iter().for_each(|&variable| self.remove(&mut set, variable));
            }
            Instruction::Call { result, writes, .. } => {
                writes.iter().chain(result).for_each(|&variable| self.remove(&mut set, variable));
            }
            Instruction::Error(_) => set.fill(0),
            Instruction::Assume(_) | Instruction::Nop | Instruction::Return(_) | Instruction::Stop(_) => {}
        }
        set
    }

    fn add(&mut self, set: &mut [u64], term: TermId) {
        let read = self.known.entry(term).or_insert_with(|| {
            let variables = self.component.terms.variables(term);
            variables.iter().filter_map(|variable| self.slice.variables.binary_search(variable).ok()).collect()
        });
        for &at in read.iter() {
            if let Some(word) = set.get_mut(at / WORD) {
                *word |= 1 << (at % WORD);
            }
        }
    }

    fn remove(&self, set: &mut [u64], variable: VariableId) {
        if let Ok(at) = self.slice.variables.binary_search(&variable)
            && let Some(word) = set.get_mut(at / WORD)
        {
            *word &= !(1 << (at % WORD));
        }
    }
}
