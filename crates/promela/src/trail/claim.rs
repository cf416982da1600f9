//! The moves of a `never` claim along a run.
//!
//! SPIN's claim moves before every step of the processes, but not in the middle of an atomic sequence; where nothing can move
//! any more, it moves alone. The run is known and the claim's moves are not: they are a path through pairs of a position of
//! the run and a location of the claim, found breadth-first. The path leads to the end of the claim; or, if the run has a
//! loop, to a pair that comes again after an accepting one.

use model::claim::{AtomSet, MOST_ATOMS, Watcher};
use model::formula::Atom;
use model::ids::{EdgeId, LocationId};
use model::network::{Action, Edge, Machine};
use model::semantics::{Semantics, Step, Successor};
use std::collections::{HashMap, VecDeque};
use std::hash::Hash;
use std::ops::Range;

/// A move of the claim: the position of the run, and the claim's statements there.
pub(super) type ClaimMove = (usize, Vec<EdgeId>);

/// A run with the moves of a claim.
pub(super) struct Claimed {
    /// The steps of the run that follow the claim's move, by position; none at the end of a run.
    pub steps: Vec<Range<usize>>,
    /// The moves up to the loop, or up to the end of the claim.
    pub stem: Vec<ClaimMove>,
    /// The moves of the loop; empty if the claim ends.
    pub cycle: Vec<ClaimMove>,
}

/// A state of the run in which the claim moves.
struct Position {
    steps: Range<usize>,
    /// The conditions of the claim that hold.
    holds: AtomSet,
    /// A process is at an accepting label.
    accepting: bool,
    /// Nothing can move.
    ended: bool,
}

/// Where the claim is: a position and a location.
type Pair = (usize, LocationId);

struct Search<'a> {
    claim: &'a Machine,
    /// By edge, the bit of its condition.
    conditions: Vec<Option<AtomSet>>,
    positions: Vec<Position>,
    /// The position that comes after the last one.
    again: Option<usize>,
    /// A loop is wanted, and not the end of the claim.
    loops: bool,
}

/// How the claim follows a run to its end or through its loop; none if it does not.
pub(super) fn follow(
    semantics: &Semantics<'_>,
    claim: &Machine,
    steps: &[Step],
    loop_from: Option<usize>,
) -> Option<Claimed> {
    let mut atoms = Vec::new();
    let mut bit = |edge: &Edge| {
        let (Action::Condition(condition) | Action::Assert(condition)) = &edge.action else { return None };
        atoms.push(Atom::State(condition.clone().without_places()));
        Some(1_u128.checked_shl(atoms.len() as u32 - 1).unwrap_or(0))
    };
    let conditions: Vec<Option<AtomSet>> = claim.edges.iter().map(&mut bit).collect();
    if atoms.len() > MOST_ATOMS {
        return None;
    }
    let mut positions = positions(semantics, &Watcher::new(semantics, &atoms), steps)?;
    // Where a run ends, the claim may move on.
    let last = positions.len() - 1;
    let again = match loop_from {
        Some(first) => Some(positions.iter().position(|position| position.steps.start == first)?),
        None => positions[last].ended.then_some(last),
    };
    // A loop of steps does not come to the state behind its last step.
    if again.is_some_and(|again| again + 1 < positions.len()) {
        positions.pop();
    }
    let search = Search { claim, conditions, positions, again, loops: loop_from.is_some() };
    let (stem, cycle) = search.run()?;
    Some(Claimed { steps: search.positions.into_iter().map(|position| position.steps).collect(), stem, cycle })
}

/// The states before each atomic sequence of steps, and the last one.
fn positions(semantics: &Semantics<'_>, watcher: &Watcher<'_>, steps: &[Step]) -> Option<Vec<Position>> {
    let mut stepper = semantics.stepper();
    let (mut state, mut control) = (stepper.initial().ok()?.ok()?, None);
    let mut positions: Vec<Position> = Vec::new();
    for index in 0..=steps.len() {
        if control.is_none() {
            let mut stuck = true;
            let moves = stepper.expand(&state, None, &mut |successor| stuck &= successor.timeout).ok()?;
            let holds = watcher.in_state(&mut stepper, &state, AtomSet::MAX, stuck).ok()?;
            let (steps, accepting) = (index..index, stepper.is_accepting(&state));
            positions.push(Position { steps, holds, accepting, ended: moves == 0 });
        }
        let Some(&wanted) = steps.get(index) else { break };
        let mut next = None;
        let take = &mut |successor: Successor<'_>| {
            if let (true, None, Some(after)) = (successor.step == wanted, &next, successor.state) {
                next = Some((after.to_vec(), successor.control));
            }
        };
        stepper.expand(&state, control, take).ok()?;
        (state, control) = next?;
        control = control.filter(|&process| stepper.keeps_control(&state, process) != Ok(false));
        positions.last_mut()?.steps.end = index + 1;
    }
    Some(positions)
}

impl Search<'_> {
    /// The moves up to the loop or to the end of the claim, and those of the loop.
    fn run(&self) -> Option<(Vec<ClaimMove>, Vec<ClaimMove>)> {
        let first = (0, self.claim.initial);
        let (mut before, mut found, mut next) = (HashMap::new(), vec![first], 0);
        while let Some(&pair) = found.get(next) {
            next += 1;
            for (statements, to) in self.moves(pair) {
                let Some(to) = to else {
                    if self.loops {
                        continue;
                    }
                    return Some((path(&before, pair, statements, |at| at.0), Vec::new()));
                };
                if to != first && !before.contains_key(&to) {
                    before.insert(to, (pair, statements));
                    found.push(to);
                }
            }
        }
        let again = self.again.filter(|_| self.loops)?;
        found.into_iter().filter(|pair| pair.0 == again).find_map(|start| {
            let cycle = self.cycle(start)?;
            let last = before.get(&start);
            let stem = last.map(|(last, statements)| path(&before, *last, statements.clone(), |at| at.0));
            Some((stem.unwrap_or_default(), cycle))
        })
    }

    /// The moves from a pair back to it, through an accepting one.
    fn cycle(&self, start: Pair) -> Option<Vec<ClaimMove>> {
        let first = (start, self.is_accepting(start));
        let (mut before, mut open) = (HashMap::new(), VecDeque::from([first]));
        while let Some(from) = open.pop_front() {
            for (statements, to) in self.moves(from.0) {
                let Some(to) = to else { continue };
                let next = (to, from.1 || self.is_accepting(to));
                if next == (start, true) {
                    return Some(path(&before, from, statements, |at| at.0.0));
                }
                if next != first && !before.contains_key(&next) {
                    before.insert(next, (from, statements));
                    open.push_back(next);
                }
            }
        }
        None
    }

    fn is_accepting(&self, (position, location): Pair) -> bool {
        self.claim.locations[location.index()].accept || self.positions[position].accepting
    }

    /// The moves of the claim: its statements, and the next pair; none at the end of the claim, or if its assertion fails.
    fn moves(&self, (position, location): Pair) -> Vec<(Vec<EdgeId>, Option<Pair>)> {
        let behind = match position + 1 {
            next if next < self.positions.len() => Some(next),
            _ => self.again,
        };
        let mut moves = Vec::new();
        self.collect(location, self.positions[position].holds, &mut Vec::new(), &mut moves);
        let lead = |(statements, to): (Vec<EdgeId>, Option<LocationId>)| match (to, behind) {
            (None, _) => Some((statements, None)),
            (Some(to), Some(behind)) => Some((statements, Some((behind, to)))),
            (Some(_), None) => None,
        };
        moves.into_iter().filter_map(lead).collect()
    }

    /// The statements of a location that can be executed; an atomic sequence is one move.
    fn collect(
        &self,
        location: LocationId,
        holds: AtomSet,
        passed: &mut Vec<EdgeId>,
        moves: &mut Vec<(Vec<EdgeId>, Option<LocationId>)>,
    ) {
        let edges = &self.claim.locations[location.index()].edges;
        let holds_at = |id: &EdgeId| self.conditions[id.index()].is_some_and(|bit| holds & bit != 0);
        let is_condition = |id: &&EdgeId| matches!(self.claim.edges[id.index()].action, Action::Condition(_));
        for id in edges.iter().filter(|id| !passed.contains(id)).copied().collect::<Vec<_>>() {
            let edge = &self.claim.edges[id.index()];
            let executable = match edge.action {
                Action::Condition(_) => holds_at(&id),
                Action::Else => !edges.iter().filter(is_condition).any(holds_at),
                Action::End => false,
                _ => true,
            };
            if !executable {
                continue;
            }
            passed.push(id);
            let fails = matches!(&edge.action, Action::Assert(_)) && !holds_at(&id);
            let ends = self.claim.edges_from(edge.to).all(|e| matches!(e.action, Action::End));
            if fails || ends {
                moves.push((passed.clone(), None));
            } else if edge.atomic {
                self.collect(edge.to, holds, passed, moves);
            } else {
                moves.push((passed.clone(), Some(edge.to)));
            }
            passed.pop();
        }
    }
}

/// The moves from the node that none comes before to the last one, and the move from there.
fn path<K: Copy + Eq + Hash>(
    before: &HashMap<K, (K, Vec<EdgeId>)>,
    last: K,
    statements: Vec<EdgeId>,
    position: impl Fn(K) -> usize,
) -> Vec<ClaimMove> {
    let mut moves = vec![(position(last), statements)];
    let mut node = last;
    while let Some((from, statements)) = before.get(&node) {
        moves.push((position(*from), statements.clone()));
        node = *from;
    }
    moves.reverse();
    moves
}
