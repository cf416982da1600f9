//! Automata with choices and silent steps, and how they are made deterministic.
//!
//! Sending, losing, quotients and expressions give automata that may be in several states at once. The subset
//! construction follows all of them together.

use crate::automaton::{Draft, Edge};
use crate::limits::{Limit, Meter};
use rustc_hash::FxHashMap as Map;

/// An automaton with any number of starts, of targets for a letter, and with silent steps.
#[derive(Clone, Debug, Default)]
pub(crate) struct Nondeterministic {
    pub(crate) starts: Vec<u32>,
    edges: Vec<Vec<Edge>>,
    silent: Vec<Vec<u32>>,
    accepting: Vec<bool>,
}

impl Nondeterministic {
    /// With this many states, no edges, and nothing accepted.
    pub(crate) fn with_states(count: usize) -> Self {
        Nondeterministic {
            starts: Vec::new(),
            edges: vec![Vec::new(); count],
            silent: vec![Vec::new(); count],
            accepting: vec![false; count],
        }
    }

    /// Adds a state.
    pub(crate) fn state(&mut self) -> u32 {
        self.edges.push(Vec::new());
        self.silent.push(Vec::new());
        self.accepting.push(false);
        self.edges.len() as u32 - 1
    }

    pub(crate) fn states(&self) -> usize {
        self.edges.len()
    }

    pub(crate) fn edge(&mut self, source: u32, letter: u32, target: u32) {
        self.edges[source as usize].push(Edge { letter, target });
    }

    pub(crate) fn silent(&mut self, source: u32, target: u32) {
        self.silent[source as usize].push(target);
    }

    pub(crate) fn accept(&mut self, state: u32) {
        self.accepting[state as usize] = true;
    }

    /// The subset construction.
    pub(crate) fn determinise(&self, budget: &mut Meter) -> Result<Draft, Limit> {
        let mut draft = Draft::new();
        let mut numbers: Map<Vec<u32>, u32> = Map::default();
        let mut subsets = Vec::new();
        let start = self.closed(self.starts.clone());
        numbers.insert(start.clone(), 0);
        subsets.push(start);
        let mut next = 0;
        while next < subsets.len() {
            let moves = self.moves(&subsets[next]);
            budget.spend(1 + moves.len() + subsets[next].len())?;
            budget.fits(subsets.len())?;
            let mut edges = Vec::new();
            for same in moves.chunk_by(|one, other| one.letter == other.letter) {
                let subset = self.closed(same.iter().map(|edge| edge.target).collect());
                let fresh = subsets.len() as u32;
                let target = match numbers.get(&subset) {
                    Some(&number) => number,
                    None => {
                        subsets.push(subset.clone());
                        *numbers.entry(subset).or_insert(fresh)
                    }
                };
                edges.push(Edge { letter: same[0].letter, target });
            }
            draft.state(subsets[next].iter().any(|&state| self.accepting[state as usize]), edges);
            next += 1;
        }
        Ok(draft)
    }

    /// All edges of a subset, by letter and target.
    fn moves(&self, subset: &[u32]) -> Vec<Edge> {
        let mut moves: Vec<Edge> =
            subset.iter().flat_map(|&state| self.edges[state as usize].iter().copied()).collect();
        moves.sort_unstable();
        moves.dedup();
        moves
    }

    /// A subset with what silent steps reach from it, sorted.
    fn closed(&self, mut subset: Vec<u32>) -> Vec<u32> {
        subset.sort_unstable();
        subset.dedup();
        if subset.iter().all(|&state| self.silent[state as usize].is_empty()) {
            return subset;
        }
        let mut seen: Map<u32, ()> = subset.iter().map(|&state| (state, ())).collect();
        let mut next = 0;
        while let Some(&state) = subset.get(next) {
            next += 1;
            for &target in &self.silent[state as usize] {
                if seen.insert(target, ()).is_none() {
                    subset.push(target);
                }
            }
        }
        subset.sort_unstable();
        subset
    }
}
