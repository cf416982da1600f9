//! Büchi automata as callers see them.
//!
//! A run starts in the initial state and takes, with every letter, an edge whose guard the letter satisfies; it accepts
//! if it is in accepting states infinitely often.

use ltl::Formula;
use ltl::{Lasso, Valuation};

/// A Büchi automaton over valuations of atoms.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Automaton {
    /// Atoms have numbers below this one.
    pub atoms: u32,
    /// Where runs start.
    pub initial: u32,
    /// At least the initial state. All can be reached, and from all but perhaps the initial one a word is accepted.
    pub states: Vec<State>,
}

/// A state of an automaton.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct State {
    /// Whether a run that comes here infinitely often accepts.
    pub accepting: bool,
    /// No two of them have the same target.
    pub edges: Vec<Edge>,
    /// What is still to be satisfied, to be shown to people. Where states with different obligations became one, it is
    /// the disjunction, and runs that come here again may owe more.
    pub formula: Formula,
}

/// A step of an automaton.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edge {
    /// The letters with which the step is possible: those that satisfy one of the cubes.
    pub guard: Vec<Cube>,
    /// The state that it leads to.
    pub to: u32,
}

/// A conjunction of atoms and negated atoms; without any, `true`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Cube {
    /// Atoms that hold; sorted.
    pub positive: Vec<u32>,
    /// Atoms that do not hold; sorted.
    pub negative: Vec<u32>,
}

impl Cube {
    /// Whether a letter satisfies the cube.
    pub fn admits(&self, letter: &Valuation) -> bool {
        self.holds(|atom| letter.contains(&atom))
    }

    /// Whether the cube is satisfied where `value` tells which atoms hold.
    pub fn holds(&self, value: impl Fn(u32) -> bool) -> bool {
        self.positive.iter().all(|&atom| value(atom)) && !self.negative.iter().any(|&atom| value(atom))
    }
}

impl Edge {
    /// Whether a letter allows the step.
    pub fn admits(&self, letter: &Valuation) -> bool {
        self.guard.iter().any(|cube| cube.admits(letter))
    }
}

impl Automaton {
    /// The number of edges.
    pub fn edges(&self) -> usize {
        self.states.iter().map(|state| state.edges.len()).sum()
    }

    /// Whether no word is accepted.
    pub fn is_empty(&self) -> bool {
        self.states[self.initial as usize].edges.is_empty()
    }

    /// Whether the word is accepted: some accepting state, together with a position of the word, can be reached and
    /// reached again.
    pub fn accepts(&self, lasso: &Lasso) -> bool {
        let reached = self.reached(lasso, vec![(self.initial, 0)]);
        let accepting = reached.into_iter().filter(|&(state, _)| self.states[state as usize].accepting);
        accepting.into_iter().any(|start| {
            let onwards = self.successors(lasso, start);
            self.reached(lasso, onwards).contains(&start)
        })
    }

    /// All pairs of a state and a position that can be reached, the starts among them.
    fn reached(&self, lasso: &Lasso, starts: Vec<(u32, usize)>) -> Vec<(u32, usize)> {
        let mut seen = vec![false; self.states.len() * lasso.len()];
        let mut waiting = starts;
        let mut reached = Vec::new();
        while let Some(pair) = waiting.pop() {
            let index = pair.0 as usize * lasso.len() + pair.1;
            if !std::mem::replace(&mut seen[index], true) {
                reached.push(pair);
                waiting.extend(self.successors(lasso, pair));
            }
        }
        reached
    }

    fn successors(&self, lasso: &Lasso, (state, position): (u32, usize)) -> Vec<(u32, usize)> {
        let letter = lasso.letter(position);
        let edges = self.states[state as usize].edges.iter().filter(|edge| edge.admits(letter));
        edges.map(|edge| (edge.to, lasso.successor(position))).collect()
    }
}
