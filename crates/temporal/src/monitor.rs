//! Deterministic automata that notice bad prefixes.
//!
//! A word cannot be continued to one that an automaton accepts just when no run of it is left, since a word is accepted
//! from all of its states. So the sets of states in which it can be are the states of a monitor, and where the set is
//! empty the prefix is bad. For a formula that says what never happens, every word that breaks it has a bad prefix
//! (Kupferman and Vardi, FMSD 2001); of other formulas a monitor notices less than there is.

use crate::automaton::{Automaton, Cube};
use std::collections::HashMap;

/// A deterministic automaton over valuations; it starts in state 0.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Monitor {
    /// By state: cubes, one of which each valuation satisfies, and the state that they lead to; `None` after a bad
    /// prefix.
    pub states: Vec<Vec<(Cube, Option<u32>)>>,
}

/// States of an automaton, in order.
type Set = Vec<u32>;

/// The monitor of what an automaton accepts; `None` if it has more states than these.
pub fn monitor(automaton: &Automaton, most: usize) -> Option<Monitor> {
    let mut sets: Vec<Set> = Vec::new();
    let mut numbers: HashMap<Set, u32> = HashMap::new();
    if automaton.is_empty() {
        return Some(Monitor { states: vec![vec![(Cube::default(), None)]] });
    }
    sets.push(vec![automaton.initial]);
    numbers.insert(sets[0].clone(), 0);
    let mut states = Vec::new();
    while states.len() < sets.len() {
        let mut leaves = Vec::new();
        split(automaton, &sets[states.len()], &mut Cube::default(), 0, &mut leaves);
        let mut edges = Vec::new();
        for (cube, set) in leaves {
            if set.is_empty() {
                edges.push((cube, None));
                continue;
            }
            let fresh = sets.len() as u32;
            let number = *numbers.entry(set.clone()).or_insert(fresh);
            if number == fresh {
                sets.push(set);
            }
            edges.push((cube, Some(number)));
        }
        if sets.len() > most {
            return None;
        }
        states.push(edges);
    }
    Some(smallest(&Monitor { states }, automaton.atoms))
}

/// The sets that follow, by cubes that take the atoms in order: halves that lead to the same set are one.
fn split(automaton: &Automaton, set: &[u32], cube: &mut Cube, atom: u32, leaves: &mut Vec<(Cube, Set)>) {
    if atom == automaton.atoms {
        let holds = |cube: &Cube, letter: &Cube| cube.holds(|atom| letter.positive.contains(&atom));
        let edges = set.iter().flat_map(|&state| &automaton.states[state as usize].edges);
        let open = edges.filter(|edge| edge.guard.iter().any(|guard| holds(guard, cube)));
        let mut next: Set = open.map(|edge| edge.to).collect();
        next.sort_unstable();
        next.dedup();
        leaves.push((cube.clone(), next));
        return;
    }
    let begin = leaves.len();
    cube.positive.push(atom);
    split(automaton, set, cube, atom + 1, leaves);
    cube.positive.pop();
    let middle = leaves.len();
    cube.negative.push(atom);
    split(automaton, set, cube, atom + 1, leaves);
    cube.negative.pop();
    if middle == begin + 1 && leaves.len() == begin + 2 && leaves[begin].1 == leaves[middle].1 {
        leaves.truncate(middle);
        leaves[begin].0 = cube.clone();
    }
}

/// The same monitor without states that nothing tells apart (Moore's refinement), and with its states in the order in
/// which they are reached.
fn smallest(monitor: &Monitor, atoms: u32) -> Monitor {
    let letters = 0..1u32 << atoms;
    let step = |state: usize, letter: u32| {
        let open = |(cube, _): &&(Cube, Option<u32>)| cube.holds(|atom| letter >> atom & 1 == 1);
        monitor.states[state].iter().find(open).and_then(|(_, to)| *to)
    };
    let mut blocks = vec![0u32; monitor.states.len()];
    let mut count = 1;
    loop {
        let mut known: HashMap<(u32, Vec<Option<u32>>), u32> = HashMap::new();
        let signature = |state: usize, blocks: &[u32]| {
            let after = letters.clone().map(|letter| step(state, letter).map(|to| blocks[to as usize]));
            (blocks[state], after.collect::<Vec<_>>())
        };
        let finer = (0..blocks.len()).map(|state| {
            let fresh = known.len() as u32;
            *known.entry(signature(state, &blocks)).or_insert(fresh)
        });
        let finer: Vec<u32> = finer.collect();
        blocks = finer;
        if known.len() == count {
            break;
        }
        count = known.len();
    }
    // Blocks are numbered by their first states, so that of the beginning is the first.
    let first = |block: u32| blocks.iter().position(|&other| other == block).unwrap_or(0);
    let edges = |block: u32| {
        let merged = |(cube, to): &(Cube, Option<u32>)| (cube.clone(), to.map(|to| blocks[to as usize]));
        monitor.states[first(block)].iter().map(merged).collect()
    };
    Monitor { states: (0..count as u32).map(edges).collect() }
}
