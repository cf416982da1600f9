//! Moves: what leads from one state of the system to the next, a step or a whole atomic sequence.
//!
//! Searches for cycles and for growth need the steps of a move, not only where it ends, and what happens in it: a
//! step of progress, an event that a formula speaks of. [`Mover::expand`] gathers all moves of a state, with
//! their inner states; the steps of one are rebuilt from there. An atomic sequence that never ends leads
//! to no state at all, and is an infinite run of its own: [`Mover::endless`] finds it.

use model::fault::{FaultAt, Overflow};
use model::semantics::{Semantics, Step, Stepper, Successor};
use std::collections::HashMap;

/// Inner states of one state's atomic sequences before they are remembered, so that loops end.
const REMEMBER_AFTER: usize = 64;
/// Inner states of one state's atomic sequences between two looks at the clock.
const CHECK_EVERY: usize = 1 << 12;

/// What happens in a step, one bit for each kind; asked with the state it is taken in.
pub type Mark<'m> = dyn FnMut(&[u8], &Successor<'_>) -> u128 + 'm;

/// A state in the middle of an atomic sequence.
#[derive(Debug)]
struct Inner {
    state: Vec<u8>,
    process: u32,
    from: Option<usize>,
    step: Step,
    /// The marks of the step that led here.
    marked: u128,
    /// The marks of all steps since the state.
    touched: u128,
    /// It is the same as an earlier one.
    same_as: Option<usize>,
}

/// Where a move ends, and how it got there.
#[derive(Debug)]
struct End {
    /// Where its bytes end, in one array for all.
    end: usize,
    from: Option<usize>,
    /// None if it ends where an inner state is blocked.
    step: Option<Step>,
    touched: u128,
}

/// Gathers the moves of one state at a time.
#[derive(Debug)]
pub struct Mover<'s> {
    /// Computes the steps.
    pub stepper: Stepper<'s>,
    inner: Vec<Inner>,
    ends: Vec<End>,
    bytes: Vec<u8>,
    origin: Vec<u8>,
    /// Steps of all expansions so far.
    pub transitions: u64,
    /// The first run that cannot go on because of a fault.
    pub crashed: Option<FaultAt>,
    /// The steps of the state that was expanded last, whether they lead anywhere or not; and whether each was taken
    /// because nothing else could move.
    first: Vec<(Step, bool)>,
}

impl<'s> Mover<'s> {
    /// For a semantics.
    pub fn new(semantics: &'s Semantics<'s>) -> Self {
        Mover {
            stepper: semantics.stepper(),
            inner: Vec::new(),
            ends: Vec::new(),
            bytes: Vec::new(),
            origin: Vec::new(),
            transitions: 0,
            crashed: None,
            first: Vec::new(),
        }
    }

    /// Gathers the moves of a state. `mark` is asked about every step; `stop` now and then whether to give up, and
    /// then the result is `false`.
    pub fn expand(&mut self, state: &[u8], mark: &mut Mark<'_>, stop: &dyn Fn() -> bool) -> Result<bool, Overflow> {
        self.expand_process(state, None, mark, stop)
    }

    /// Like [`Mover::expand`], for one process only, if one is given.
    pub fn expand_process(
        &mut self,
        state: &[u8],
        process: Option<u32>,
        mark: &mut Mark<'_>,
        stop: &dyn Fn() -> bool,
    ) -> Result<bool, Overflow> {
        self.first.clear();
        self.inner.clear();
        self.ends.clear();
        self.bytes.clear();
        self.origin.clear();
        self.origin.extend_from_slice(state);
        self.steps_of(None, process, mark)?;
        let mut seen: HashMap<(u32, u128, Vec<u8>), usize> = HashMap::new();
        let mut next = 0;
        while next < self.inner.len() {
            if next >= REMEMBER_AFTER {
                let inner = &self.inner[next];
                let key = (inner.process, inner.touched, inner.state.clone());
                self.inner[next].same_as = seen.get(&key).copied();
                seen.entry(key).or_insert(next);
            }
            if self.inner[next].same_as.is_none() && self.steps_of(Some(next), None, mark)? == 0 {
                // The process is blocked and loses control: this is a state after all.
                let touched = self.inner[next].touched;
                self.bytes.extend_from_slice(&self.inner[next].state);
                self.ends.push(End { end: self.bytes.len(), from: Some(next), step: None, touched });
            }
            next += 1;
            if next.is_multiple_of(CHECK_EVERY) && stop() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The steps of the state, of one process or of all, or of one of its inner states.
    fn steps_of(&mut self, from: Option<usize>, only: Option<u32>, mark: &mut Mark<'_>) -> Result<usize, Overflow> {
        let (before, control, touched) = match from {
            Some(at) => (self.inner[at].state.clone(), Some(self.inner[at].process), self.inner[at].touched),
            None => (self.origin.clone(), only, 0),
        };
        let (inner, ends, bytes, crashed) = (&mut self.inner, &mut self.ends, &mut self.bytes, &mut self.crashed);
        let first = &mut self.first;
        let count = self.stepper.expand(&before, control, &mut |successor| {
            let step = successor.step;
            if from.is_none() {
                first.push((step, successor.timeout));
            }
            let Some(state) = successor.state else {
                *crashed = crashed.take().or_else(|| successor.fault.clone());
                return;
            };
            let marked = mark(&before, &successor);
            let touched = touched | marked;
            match successor.control {
                Some(process) => {
                    let state = state.to_vec();
                    inner.push(Inner { state, process, from, step, marked, touched, same_as: None });
                }
                None => {
                    bytes.extend_from_slice(state);
                    ends.push(End { end: bytes.len(), from, step: Some(step), touched });
                }
            }
        })?;
        self.transitions += count as u64;
        Ok(count)
    }

    /// The states in the middle of atomic sequences.
    pub fn inner_states(&self) -> impl Iterator<Item = &[u8]> {
        self.inner.iter().map(|inner| inner.state.as_slice())
    }

    /// The number of moves.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The state that a move leads to.
    pub fn state(&self, index: usize) -> &[u8] {
        let start = if index == 0 { 0 } else { self.ends[index - 1].end };
        &self.bytes[start..self.ends[index].end]
    }

    /// Whether a marked step is among the steps of a move.
    pub fn is_marked(&self, index: usize) -> bool {
        self.marks(index) != 0
    }

    /// The marks of the steps of a move.
    pub fn marks(&self, index: usize) -> u128 {
        self.ends[index].touched
    }

    /// Nothing can move, except for statements that wait for that.
    pub fn is_timeout(&self) -> bool {
        self.first.iter().all(|(_, timeout)| *timeout)
    }

    /// Nothing can move at all.
    pub fn is_stuck(&self) -> bool {
        self.first.is_empty()
    }

    /// The steps that can be taken, as far as they lead or not.
    pub fn first_steps(&self) -> impl Iterator<Item = Step> {
        self.first.iter().map(|(step, _)| *step)
    }

    /// The steps of a move.
    pub fn steps(&self, index: usize) -> Vec<Step> {
        let end = &self.ends[index];
        let mut steps = self.path(end.from);
        steps.extend(end.step);
        steps
    }

    /// The first step of a move.
    pub fn first_step(&self, index: usize) -> Option<Step> {
        let end = &self.ends[index];
        let mut at = end.from;
        let mut step = end.step;
        while let Some(inner) = at.map(|index| &self.inner[index]) {
            step = Some(inner.step);
            at = inner.from;
        }
        step
    }

    fn path(&self, mut at: Option<usize>) -> Vec<Step> {
        let mut steps = Vec::new();
        while let Some(inner) = at.map(|index| &self.inner[index]) {
            steps.push(inner.step);
            at = inner.from;
        }
        steps.reverse();
        steps
    }

    /// An atomic sequence of the state that never ends, without marked steps and without inner states that `avoid`
    /// holds of: the steps to where it starts to repeat, and the steps that repeat.
    pub fn endless(&mut self, avoid: &mut dyn FnMut(&[u8]) -> bool) -> Option<(Vec<Step>, Vec<Step>)> {
        if self.inner.iter().all(|inner| inner.same_as.is_none()) {
            return None;
        }
        let representative = |index: usize| self.inner[index].same_as.unwrap_or(index);
        let allowed: Vec<bool> = self.inner.iter().map(|inner| inner.marked == 0 && !avoid(&inner.state)).collect();
        let mut after: Vec<Vec<usize>> = vec![Vec::new(); self.inner.len()];
        for (index, inner) in self.inner.iter().enumerate().filter(|(index, _)| allowed[*index]) {
            if let Some(from) = inner.from {
                after[from].push(index);
            }
        }
        let cycle = cycle(self.inner.len(), &|index| after[index].iter().map(|&i| (i, representative(i))).collect())?;
        // Early inner states are not remembered: the loop may have passed there before.
        let start = &self.inner[representative(*cycle.last()?)];
        let start = self.inner.iter().position(|i| i.process == start.process && i.state == start.state)?;
        Some((self.path(Some(start)), cycle.iter().map(|&index| self.inner[index].step).collect()))
    }
}

/// A node on the path of a depth-first search, the edge that led to it, and the edges still to be looked at.
type OnPath = (usize, Option<usize>, Vec<(usize, usize)>);

/// A cycle of a graph: the edges on it, by the first component of what `after` says of a node; the second is where
/// the edge leads.
fn cycle(nodes: usize, after: &dyn Fn(usize) -> Vec<(usize, usize)>) -> Option<Vec<usize>> {
    #[derive(Clone, Copy, PartialEq)]
    enum Colour {
        White,
        Grey,
        Black,
    }
    let mut colours = vec![Colour::White; nodes];
    for root in 0..nodes {
        if colours[root] != Colour::White {
            continue;
        }
        colours[root] = Colour::Grey;
        let mut path: Vec<OnPath> = vec![(root, None, after(root))];
        while let Some((node, _, waiting)) = path.last_mut() {
            let Some((edge, target)) = waiting.pop() else {
                colours[*node] = Colour::Black;
                path.pop();
                continue;
            };
            match colours[target] {
                Colour::White => {
                    colours[target] = Colour::Grey;
                    path.push((target, Some(edge), after(target)));
                }
                Colour::Grey => {
                    let at = path.iter().position(|(node, ..)| *node == target)?;
                    let mut edges: Vec<usize> = path[at + 1..].iter().filter_map(|(_, edge, _)| *edge).collect();
                    edges.push(edge);
                    return Some(edges);
                }
                Colour::Black => {}
            }
        }
    }
    None
}
