//! A short run to what the search found: the nearest state of the component, and once round it.
//!
//! Depth-first search finds components, not short runs. The path to the component, and the way round it through
//! everything that has to occur, are looked up breadth-first among the states that are known by then. Where that takes too
//! long, the way that the search itself went does as well.

use super::Search;
use crate::graph::Marks;
use crate::graph::round::{Goal, Path, nearest, round};
use crate::table::StateId;
use model::semantics::Step;
use std::collections::HashSet;

/// One move of the model and of the claim.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Move {
    /// The steps of the model; none where it stays in its last state.
    pub steps: Vec<Step>,
    /// The claim's state after it.
    pub claim: u32,
}

/// A run that the claim accepts.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Lasso {
    /// From the first state to the loop, or to where the claim ends.
    pub stem: Vec<Move>,
    /// Once round; empty if the claim ends.
    pub cycle: Vec<Move>,
}

/// For a shortest stem, not more states than this are looked at.
const MOST_LOOKED_AT: usize = 200_000;

/// So many states are looked at between two looks at the clock.
const CHECK_EVERY: u64 = 1 << 10;

impl Search<'_> {
    /// A run to the component whose states have numbers from `first` on, and once round it.
    pub(super) fn lasso(&mut self, first: u32) -> Option<Lasso> {
        let inside: HashSet<StateId> =
            self.live.iter().copied().filter(|&id| self.numbers[id as usize] >= first).collect();
        let stem = if inside.contains(&0) { vec![(0, 0)] } else { self.stem(Goal::Any(&inside), first)? };
        let required = self.product.wanted_marks.marks;
        let round = round(stem.last()?.0, required, &mut |id| {
            let (marks, mut successors) = self.successors(id)?;
            successors.retain(|(next, _)| inside.contains(next));
            Some((marks, successors))
        })?;
        Some(Lasso { stem: self.moves(&stem)?, cycle: self.moves(&round)? })
    }

    /// A run to a state in which the claim ends, or to the end of a move from there in which it does.
    pub(super) fn ending(&mut self, state: StateId, last: Option<Move>) -> Option<Lasso> {
        let path = if state == 0 { vec![(0, 0)] } else { self.stem(Goal::State(state), self.numbers[state as usize])? };
        let mut stem = self.moves(&path)?;
        stem.extend(last);
        Some(Lasso { stem, cycle: Vec::new() })
    }

    /// A path from the first state: a shortest one, or the one that the search went, up to the first state on it that has this
    /// number or a greater one.
    fn stem(&mut self, goal: Goal<'_>, number: u32) -> Option<Path> {
        if let Some(path) = nearest(0, goal, MOST_LOOKED_AT, &mut |id| self.successors(id)) {
            return Some(path);
        }
        let end = self.path.iter().position(|&(id, _)| self.numbers[id as usize] >= number)?;
        let states: Vec<StateId> = self.path[..=end].iter().map(|&(id, _)| id).collect();
        let mut path = vec![(0, 0)];
        for pair in states.windows(2) {
            path.push(*self.successors(pair[0])?.1.iter().find(|(to, _)| *to == pair[1])?);
        }
        Some(path)
    }

    /// What occurs in a state, and its successors among those that were found, with the marks of the edges. When the time is
    /// up, there are none.
    fn successors(&mut self, id: StateId) -> Option<(Marks, Path)> {
        self.looked_at += 1;
        if self.looked_at.is_multiple_of(CHECK_EVERY) && self.clock.must_stop(0).is_some() {
            return None;
        }
        let state = self.table.state(id).to_vec();
        let expanded = self.product.expand(&state, None, &self.clock).ok()?;
        let product = &self.product;
        let found = (0..product.next.len()).filter_map(|index| {
            let id = self.table.find(product.state(index))?;
            Some((id, product.next[index].marks))
        });
        Some((expanded.marks, found.collect()))
    }

    /// The moves along a path.
    fn moves(&mut self, path: &[(StateId, Marks)]) -> Option<Vec<Move>> {
        path.windows(2).map(|pair| self.move_between(pair[0].0, pair[1])).collect()
    }

    fn move_between(&mut self, from: StateId, (to, marks): (StateId, Marks)) -> Option<Move> {
        let state = self.table.state(from).to_vec();
        self.product.move_between(&state, self.table.state(to), Some(marks), &self.clock)
    }
}
