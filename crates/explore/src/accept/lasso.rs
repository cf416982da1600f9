//! A short run to what the search found: the nearest state of the component, and once round it.
//!
//! Depth-first search finds components, not short runs. The path to the component, and the way round it through
//! everything that has to occur, are looked up breadth-first among the states that are known by then. Where that takes too
//! long, the way that the search itself went does as well.

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

/// For a shortest stem, not more states than this are looked at.
const MOST_LOOKED_AT: usize = 200_000;

/// States, one after the other, each with the marks of the edge that leads to it.
type Path = Vec<(StateId, Marks)>;

/// Where a path is to lead.
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
        let stem = if inside.contains(&0) { vec![(0, 0)] } else { self.stem(Goal::Any(&inside), first)? };
        let start = stem.last()?.0;
        let mut round = vec![(start, 0)];
        let mut missing = self.product.required & !self.successors(start)?.0;
        while missing != 0 {
            let path = self.nearest(round.last()?.0, Some(&inside), Goal::Marks(missing), usize::MAX)?;
            for &(state, marks) in &path[1..] {
                missing &= !(marks | self.successors(state)?.0);
                round.push((state, marks));
            }
        }
        if round.len() == 1 || round.last()?.0 != start {
            let back = self.nearest(round.last()?.0, Some(&inside), Goal::State(start), usize::MAX)?;
            round.extend(&back[1..]);
        }
        Some(Lasso { stem: self.moves(&stem)?, cycle: self.moves(&round)? })
    }

    /// A run to a state in which the claim ends, or to the end of a move in which it does.
    pub(super) fn ending(&mut self, state: StateId, at: Option<usize>) -> Option<Lasso> {
        let path = if state == 0 { vec![(0, 0)] } else { self.stem(Goal::State(state), self.numbers[state as usize])? };
        let mut stem = self.moves(&path)?;
        if let Some(index) = at {
            let bytes = self.table.state(state).to_vec();
            self.product.expand(&bytes, None, &self.clock).ok()?;
            stem.push(Move { steps: self.product.mover.steps(index), claim: split(&bytes).1 });
        }
        Some(Lasso { stem, cycle: Vec::new() })
    }

    /// A path from the first state: a shortest one, or the one that the search went, up to the first state on it that has this
    /// number or a greater one.
    fn stem(&mut self, goal: Goal<'_>, number: u32) -> Option<Path> {
        if let Some(path) = self.nearest(0, None, goal, MOST_LOOKED_AT) {
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

    /// A shortest path of at least one move, through known states, and only `inside` if that is given. After `most`
    /// states, and when the time is up, there is none.
    fn nearest(
        &mut self,
        from: StateId,
        inside: Option<&HashSet<StateId>>,
        goal: Goal<'_>,
        most: usize,
    ) -> Option<Path> {
        let mut parents: HashMap<StateId, (StateId, Marks)> = HashMap::new();
        let mut queue = VecDeque::from([from]);
        let mut looked_at = 0;
        while let Some(id) = queue.pop_front() {
            looked_at += 1;
            if looked_at > most || looked_at.is_multiple_of(1 << 10) && self.clock.must_stop(0).is_some() {
                return None;
            }
            let (occurring, successors) = self.successors(id)?;
            if matches!(goal, Goal::Marks(wanted) if id != from && occurring & wanted != 0) {
                return Some(path_back(from, id, &parents));
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
                    let mut path = path_back(from, id, &parents);
                    path.push((next, marks));
                    return Some(path);
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
        self.product.expand(&state, None, &self.clock).ok()?;
        let (product, goal) = (&self.product, self.table.state(to));
        let leads = |index: &usize| product.state(*index) == goal && product.next[*index].marks == marks;
        let next = &product.next[(0..product.next.len()).find(leads)?];
        let steps = next.index.map_or_else(Vec::new, |index| product.mover.steps(index));
        Some(Move { steps, claim: next.claim })
    }
}

/// The path from a state to one that was reached from it.
fn path_back(from: StateId, to: StateId, parents: &HashMap<StateId, (StateId, Marks)>) -> Path {
    let (mut path, mut at) = (Vec::new(), to);
    while let Some(&(parent, marks)) = parents.get(&at).filter(|_| at != from) {
        path.push((at, marks));
        at = parent;
    }
    path.push((from, 0));
    path.reverse();
    path
}
