//! A cycle without progress as a run: the path to it, and once around.
//!
//! The search keeps states, not paths. So a short path to the cycle is looked for again among the states that it knows, and then one
//! from the cycle back to itself.

use super::Search;
use crate::table::StateId;
use model::semantics::Step;
use std::collections::{HashMap, HashSet, VecDeque};

/// A run that ends in a loop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lasso {
    /// From the first state to the loop.
    pub stem: Vec<Step>,
    /// Once round.
    pub cycle: Vec<Step>,
}

impl<'a> Search<'a> {
    /// A short lasso, given that the path from `start` leads back to `start`.
    pub(super) fn lasso(&mut self, start: StateId) -> Option<Lasso> {
        let from = self.path.iter().position(|(id, _)| *id == start)?;
        let on_cycle: HashSet<StateId> = self.path[from..].iter().map(|(id, _)| *id).collect();
        let (nearest, stem) = self.path_to(&on_cycle);
        let cycle = self.nearest(nearest?, &HashSet::from([nearest?]), true).1;
        Some(Lasso { stem, cycle })
    }

    /// The nearest of some states, and a shortest path to it.
    pub(super) fn path_to(&mut self, goals: &HashSet<StateId>) -> (Option<StateId>, Vec<Step>) {
        if goals.contains(&0) { (Some(0), Vec::new()) } else { self.nearest(0, goals, false) }
    }

    /// The nearest of some states in at least one move among known states, if need be without progress, and the path.
    fn nearest(&mut self, from: StateId, goals: &HashSet<StateId>, quiet: bool) -> (Option<StateId>, Vec<Step>) {
        let mut parents: HashMap<StateId, StateId> = HashMap::new();
        let mut queue = VecDeque::from([from]);
        while let Some(id) = queue.pop_front() {
            for next in self.known_successors(id, quiet) {
                if goals.contains(&next) {
                    let mut path = vec![next, id];
                    while let Some(&parent) = path.last().filter(|&&id| id != from).and_then(|id| parents.get(id)) {
                        path.push(parent);
                    }
                    path.reverse();
                    let steps = path.windows(2).flat_map(|pair| self.steps_between(pair[0], pair[1], quiet)).collect();
                    return (Some(next), steps);
                }
                if next != from && !parents.contains_key(&next) {
                    parents.insert(next, id);
                    queue.push_back(next);
                }
            }
        }
        (None, Vec::new())
    }

    /// Where the moves of a state lead among the states that were found; with `quiet`, only those without progress.
    fn known_successors(&mut self, id: StateId, quiet: bool) -> Vec<StateId> {
        let state = self.table.state(id).to_vec();
        if quiet && self.walk.judge.is_state(&state) || self.walk.moves(&state, None, &self.clock).is_err() {
            return Vec::new();
        }
        let mover = &self.walk.mover;
        let moves = (0..mover.len()).filter(|&index| !quiet || !mover.is_marked(index));
        moves.filter_map(|index| self.table.find(mover.state(index))).collect()
    }

    fn steps_between(&mut self, from: StateId, to: StateId, quiet: bool) -> Vec<Step> {
        self.walk.steps_between(self.table.state(from), self.table.state(to), quiet, &self.clock)
    }
}
