//! A short run to what the search found: the nearest state of the component, and once round it.
//!
//! Depth-first search finds components, not short runs. The way to the component, and the way round it through
//! everything that has to occur, are looked up breadth-first among the states that are known by then.

use super::{Marks, Search, split};
use crate::table::StateId;
use model::semantics::Step;
use std::collections::{HashMap, HashSet, VecDeque};

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

/// States, one after the other, each with the marks of the edge that leads to it.
type Way = Vec<(StateId, Marks)>;

/// Where a way is to lead.
#[derive(Clone, Copy)]
enum Goal<'g> {
    /// To one of these states.
    Any(&'g HashSet<StateId>),
    /// To this state.
    State(StateId),
    /// To a state, or over an edge, where one of these occurs.
    Marks(Marks),
}

impl Search<'_> {
    /// A run to the component whose states have numbers from `first` on, and once round it.
    pub(super) fn lasso(&mut self, first: u32) -> Option<Lasso> {
        let inside: HashSet<StateId> =
            self.live.iter().copied().filter(|&id| self.numbers[id as usize] >= first).collect();
        let stem = if inside.contains(&0) { vec![(0, 0)] } else { self.nearest(0, None, Goal::Any(&inside))? };
        let start = stem.last()?.0;
        let mut round = vec![(start, 0)];
        let mut missing = self.product.required & !self.successors(start)?.0;
        while missing != 0 {
            let way = self.nearest(round.last()?.0, Some(&inside), Goal::Marks(missing))?;
            for &(state, marks) in &way[1..] {
                missing &= !(marks | self.successors(state)?.0);
                round.push((state, marks));
            }
        }
        if round.len() == 1 || round.last()?.0 != start {
            let back = self.nearest(round.last()?.0, Some(&inside), Goal::State(start))?;
            round.extend(&back[1..]);
        }
        Some(Lasso { stem: self.moves(&stem)?, cycle: self.moves(&round)? })
    }

    /// A run to a state in which the claim ends, or to the end of a move in which it does.
    pub(super) fn ending(&mut self, state: StateId, at: Option<usize>) -> Option<Lasso> {
        let way = if state == 0 { vec![(0, 0)] } else { self.nearest(0, None, Goal::State(state))? };
        let mut stem = self.moves(&way)?;
        if let Some(index) = at {
            let bytes = self.table.state(state).to_vec();
            self.product.expand(&bytes, &self.clock).ok()?;
            stem.push(Move { steps: self.product.mover.steps(index), claim: split(&bytes).1 });
        }
        Some(Lasso { stem, cycle: Vec::new() })
    }

    /// A shortest way of at least one move, through known states, and only `inside` if that is given.
    fn nearest(&mut self, from: StateId, inside: Option<&HashSet<StateId>>, goal: Goal<'_>) -> Option<Way> {
        let mut parents: HashMap<StateId, (StateId, Marks)> = HashMap::new();
        let mut queue = VecDeque::from([from]);
        while let Some(id) = queue.pop_front() {
            let (occurring, successors) = self.successors(id)?;
            if matches!(goal, Goal::Marks(wanted) if id != from && occurring & wanted != 0) {
                return Some(way_back(from, id, &parents));
            }
            for (next, marks) in successors {
                if inside.is_some_and(|inside| !inside.contains(&next)) {
                    continue;
                }
                let reached = match goal {
                    Goal::Any(states) => states.contains(&next),
                    Goal::State(state) => state == next,
                    Goal::Marks(wanted) => marks & wanted != 0,
                };
                if reached {
                    let mut way = way_back(from, id, &parents);
                    way.push((next, marks));
                    return Some(way);
                }
                if next != from && !parents.contains_key(&next) {
                    parents.insert(next, (id, marks));
                    queue.push_back(next);
                }
            }
        }
        None
    }

    /// What occurs in a state, and its successors among those that were found, with the marks of the edges.
    fn successors(&mut self, id: StateId) -> Option<(Marks, Vec<(StateId, Marks)>)> {
        let state = self.table.state(id).to_vec();
        let expanded = self.product.expand(&state, &self.clock).ok()?;
        let product = &self.product;
        let found = (0..product.next.len()).filter_map(|index| {
            let id = self.table.find(product.state(index))?;
            Some((id, product.next[index].marks))
        });
        Some((expanded.marks, found.collect()))
    }

    /// The moves along a way.
    fn moves(&mut self, way: &[(StateId, Marks)]) -> Option<Vec<Move>> {
        way.windows(2).map(|pair| self.move_between(pair[0].0, pair[1])).collect()
    }

    fn move_between(&mut self, from: StateId, (to, marks): (StateId, Marks)) -> Option<Move> {
        let state = self.table.state(from).to_vec();
        self.product.expand(&state, &self.clock).ok()?;
        let (product, goal) = (&self.product, self.table.state(to));
        let leads = |index: &usize| product.state(*index) == goal && product.next[*index].marks == marks;
        let next = &product.next[(0..product.next.len()).find(leads)?];
        let steps = next.index.map_or_else(Vec::new, |index| product.mover.steps(index));
        Some(Move { steps, claim: next.claim })
    }
}

/// The way from a state to one that was reached from it.
fn way_back(from: StateId, to: StateId, parents: &HashMap<StateId, (StateId, Marks)>) -> Way {
    let (mut way, mut at) = (Vec::new(), to);
    while let Some(&(parent, marks)) = parents.get(&at).filter(|_| at != from) {
        way.push((at, marks));
        at = parent;
    }
    way.push((from, 0));
    way.reverse();
    way
}
