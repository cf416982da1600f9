//! A short way round a component through everything that has to occur, breadth-first from one thing to the next.

use super::Marks;
use crate::table::StateId;
use std::collections::{HashMap, HashSet, VecDeque};

/// States, one after the other, each with the marks of the edge that leads to it.
pub(crate) type Path = Vec<(StateId, Marks)>;

/// What occurs in a state, and where its edges lead, with the marks of each; `None` ends the search.
pub(crate) type Successors<'s> = dyn FnMut(StateId) -> Option<(Marks, Path)> + 's;

/// Where a path is to lead.
#[derive(Clone, Copy)]
pub(crate) enum Goal<'g> {
    /// To one of these states.
    Any(&'g HashSet<StateId>),
    /// To this state.
    State(StateId),
    /// To a state, or over an edge, where one of these occurs.
    Marks(Marks),
}

/// A cycle from a state of a component back to it on which all these marks occur, given that all edges stay inside.
pub(crate) fn round(start: StateId, marks: Marks, successors: &mut Successors<'_>) -> Option<Path> {
    let mut round = vec![(start, 0)];
    let mut missing = marks & !successors(start)?.0;
    while missing != 0 {
        let path = nearest(round.last()?.0, Goal::Marks(missing), usize::MAX, successors)?;
        for &(state, marks) in &path[1..] {
            missing &= !(marks | successors(state)?.0);
            round.push((state, marks));
        }
    }
    if round.len() == 1 || round.last()?.0 != start {
        let back = nearest(round.last()?.0, Goal::State(start), usize::MAX, successors)?;
        round.extend(&back[1..]);
    }
    Some(round)
}

/// A shortest path of at least one move; there is none after `most` states.
pub(crate) fn nearest(from: StateId, goal: Goal<'_>, most: usize, successors: &mut Successors<'_>) -> Option<Path> {
    let mut parents: HashMap<StateId, (StateId, Marks)> = HashMap::new();
    let mut queue = VecDeque::from([from]);
    let mut looked_at = 0;
    while let Some(id) = queue.pop_front() {
        looked_at += 1;
        if looked_at > most {
            return None;
        }
        let (occurring, successors) = successors(id)?;
        if matches!(goal, Goal::Marks(wanted) if id != from && occurring & wanted != 0) {
            return Some(path_back(from, id, &parents));
        }
        for (next, marks) in successors {
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
