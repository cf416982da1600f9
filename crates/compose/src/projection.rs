//! What an abstract path means to one component, and whether the component can do it (the paper's sections 6 and 9).
//!
//! The projection of a path keeps the steps that the component takes part in. The component is followed with sets: `Q`
//! holds the states that it can be in after some steps, in the classes that the path goes through. If a set gets empty, the
//! path is spurious, and the set before tells what to split.
//!
//! The loop of a lasso is followed until the sets get empty, or forever. Which of the two is known before: forever if the
//! component and the loop in parallel have a cycle. The projection of a lasso may be finite.

use crate::lts::{Lts, TAU};
use crate::meter::Meter;
use crate::partition::Partition;
use crate::product::Path;
use model::verdict::Reason;
use std::collections::HashMap;

/// The steps of a path that a component takes part in: what happens, and the class after it.
pub(crate) struct Projection {
    start: u32,
    steps: Vec<(u32, u32)>,
    /// The step with which the loop begins, if the component takes part in the loop.
    pub(crate) loop_from: Option<usize>,
}

/// Whether a component takes part in a step of a path.
pub(crate) fn takes_part(path: &Path, at: usize, part: usize, lts: &Lts) -> bool {
    let step = path.steps[at];
    if step.event == TAU { step.part as usize == part } else { lts.takes_part(step.event) }
}

impl Projection {
    pub(crate) fn new(path: &Path, part: usize, lts: &Lts) -> Projection {
        let mut projection = Projection { start: path.states[0][part], steps: Vec::new(), loop_from: None };
        let mut before_loop = 0;
        for at in 0..path.steps.len() {
            if path.loop_from == Some(at) {
                before_loop = projection.steps.len();
            }
            if takes_part(path, at, part, lts) {
                projection.steps.push((path.steps[at].event, path.states[at + 1][part]));
            }
        }
        if path.loop_from.is_some() && projection.steps.len() > before_loop {
            projection.loop_from = Some(before_loop);
        }
        projection
    }

    /// The steps of one round of the loop.
    pub(crate) fn round(&self) -> usize {
        self.loop_from.map_or(0, |from| self.steps.len() - from)
    }

    /// The step after so many, round the loop.
    fn step(&self, at: usize) -> Option<(u32, u32)> {
        match self.loop_from {
            Some(from) if at >= self.steps.len() => self.steps.get(from + (at - from) % self.round()).copied(),
            _ => self.steps.get(at).copied(),
        }
    }
}

/// States that a component goes through, one after each step that it takes part in.
pub(crate) struct LocalPath {
    states: Vec<u32>,
    /// The place to which it goes back after its last state, which is the same.
    pub(crate) cycle_from: Option<usize>,
}

impl LocalPath {
    /// The state after so many steps.
    pub(crate) fn at(&self, steps: usize) -> u32 {
        let last = self.states.len() - 1;
        match self.cycle_from {
            Some(from) if steps > last => self.states[from + (steps - from) % (last - from)],
            _ => self.states[steps.min(last)],
        }
    }

    /// The steps of a cycle.
    pub(crate) fn period(&self) -> usize {
        self.cycle_from.map_or(0, |from| self.states.len() - 1 - from)
    }
}

/// What came of following a component.
pub(crate) enum Fate {
    /// It can do it.
    Real(LocalPath),
    /// It cannot.
    Broken(Break),
    /// It gets to the end, but into none of the states that are wanted: the last set.
    WrongEnd(Vec<u32>),
}

/// Where a component cannot go on.
pub(crate) struct Break {
    /// After so many of its steps.
    pub(crate) steps: usize,
    /// The states that it can be in.
    pub(crate) here: Vec<u32>,
    /// What should happen, and the class that it should lead to.
    pub(crate) next: (u32, u32),
}

/// Follows a component. At the end of a finite path it must be in a state that `wanted` accepts.
pub(crate) fn follow(
    partition: &Partition<'_>,
    projection: &Projection,
    meter: &Meter<'_>,
    wanted: impl Fn(u32) -> bool,
) -> Result<Fate, Reason> {
    let lts = &partition.leaf.lts;
    let first = |state: &u32| partition.class_of[*state as usize] == projection.start;
    let mut sets: Vec<Vec<u32>> = vec![lts.initial.iter().copied().filter(first).collect()];
    let mut no_cycle = false;
    while let Some(step) = projection.step(sets.len() - 1) {
        let done = sets.len() - 1;
        if projection.loop_from == Some(done) && !no_cycle {
            if let Some(path) = cycle(partition, projection, &sets[done], meter)? {
                let mut states = backwards(lts, projection, &sets, path.states[0]);
                states.extend_from_slice(&path.states[1..]);
                return Ok(Fate::Real(LocalPath { states, cycle_from: path.cycle_from.map(|from| from + done) }));
            }
            no_cycle = true;
        }
        let next = successors(partition, &sets[done], step);
        meter.spend(1 + sets[done].len())?;
        if next.is_empty() {
            return Ok(Fate::Broken(Break { steps: done, here: sets.swap_remove(done), next: step }));
        }
        sets.push(next);
    }
    let last = &sets[sets.len() - 1];
    Ok(match last.iter().copied().find(|&state| wanted(state)) {
        Some(end) => Fate::Real(LocalPath { states: backwards(lts, projection, &sets, end), cycle_from: None }),
        None => Fate::WrongEnd(last.clone()),
    })
}

fn successors(partition: &Partition<'_>, from: &[u32], (event, class): (u32, u32)) -> Vec<u32> {
    let steps = from.iter().flat_map(|&state| partition.leaf.lts.moves_with(state, event));
    let mut next: Vec<u32> = steps.map(|step| step.1).filter(|&to| partition.class_of[to as usize] == class).collect();
    next.sort_unstable();
    next.dedup();
    next
}

/// A path through the sets that ends in a state of the last.
fn backwards(lts: &Lts, projection: &Projection, sets: &[Vec<u32>], end: u32) -> Vec<u32> {
    let mut states = vec![end];
    let mut to = end;
    for at in (0..sets.len() - 1).rev() {
        let Some((event, _)) = projection.step(at) else { break };
        let leads = |from: &&u32| lts.moves_with(**from, event).binary_search(&(event, to)).is_ok();
        to = sets[at].iter().find(leads).copied().unwrap_or(to);
        states.push(to);
    }
    states.reverse();
    states
}

/// A path from one of the states into a cycle of the component and the loop in parallel.
fn cycle(
    partition: &Partition<'_>,
    projection: &Projection,
    starts: &[u32],
    meter: &Meter<'_>,
) -> Result<Option<LocalPath>, Reason> {
    let (Some(loop_from), round) = (projection.loop_from, projection.round()) else { return Ok(None) };
    let targets = |place: usize, state: u32| -> Vec<u32> {
        projection.step(loop_from + place).map_or(Vec::new(), |step| successors(partition, &[state], step))
    };
    // Where a pair of a place in the loop and a state is on the way; none once it is done with.
    let mut visited: HashMap<(usize, u32), Option<usize>> = HashMap::new();
    for &start in starts {
        if visited.contains_key(&(0, start)) {
            continue;
        }
        visited.insert((0, start), Some(0));
        let mut path = vec![(start, targets(0, start))];
        while let Some((state, pending)) = path.last_mut() {
            meter.spend(1)?;
            let state = *state;
            let Some(next) = pending.pop() else {
                path.pop();
                visited.insert((path.len() % round, state), None);
                continue;
            };
            let place = path.len() % round;
            match visited.get(&(place, next)) {
                Some(Some(from)) => {
                    let mut states: Vec<u32> = path.iter().map(|step| step.0).collect();
                    states.push(next);
                    return Ok(Some(LocalPath { states, cycle_from: Some(*from) }));
                }
                Some(None) => {}
                None => {
                    visited.insert((place, next), Some(path.len()));
                    path.push((next, targets(place, next)));
                }
            }
        }
    }
    Ok(None)
}
