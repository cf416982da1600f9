//! The moves of a model: a step, or a whole atomic sequence, with what happens in it and who takes part.
//!
//! A state in the middle of an atomic sequence is not seen by a claim, so a move leads from one state of the system to the
//! next one. Its events are those of all its steps, and so are the processes that take part. A process that is
//! blocked in its atomic sequence loses control: there, the move is at its end. A sequence that never ends leads
//! nowhere.
//!
//! Where there is no step at all, the run goes on in the same state forever, and nothing happens. That is not so
//! where a step ends in an error, or in an atomic sequence without end.

use super::product::{Move, Moving, Place, Processes};
use crate::{Refusal, overflow, pause};
use model::claim::{AtomSet, Watcher, halves};
use model::context::Context;
use model::formula::Atom;
use model::semantics::{Semantics, Stepper};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// A state in the middle of a move: the state, who has control, what happened, and who took part.
type Inner = (Vec<u8>, Option<u32>, AtomSet, Processes);

/// The states of a model and their moves, as far as somebody asked.
pub(crate) struct Moves<'s> {
    stepper: Stepper<'s>,
    /// Answers questions about states while the stepper is at work.
    asker: Stepper<'s>,
    watcher: Watcher<'s>,
    atoms: usize,
    states: Vec<Vec<u8>>,
    index: HashMap<Vec<u8>, u32>,
    places: HashMap<u32, Rc<Place>>,
    /// Steps into the middle of something, for the clock.
    inner: u64,
    /// The first error in which a run ends.
    crash: Option<String>,
}

/// What the steps of a state are.
#[derive(Default)]
struct Steps {
    found: Vec<Inner>,
    enabled: Processes,
    count: usize,
    /// All of them wait until nothing else can move.
    stuck: bool,
}

impl Moving for Moves<'_> {
    fn initial(&mut self) -> Result<Vec<u32>, Refusal> {
        match self.stepper.initial().map_err(overflow)? {
            Ok(state) => Ok(vec![self.number(state)]),
            Err(fault) => Err(Refusal::Unfinished(fault.fault.to_string())),
        }
    }

    fn place(&mut self, number: u32, cx: &Context<'_>) -> Result<Rc<Place>, Refusal> {
        if let Some(place) = self.places.get(&number) {
            return Ok(Rc::clone(place));
        }
        let state = self.states[number as usize].clone();
        let first = self.steps(&(state.clone(), None, 0, Processes::new()))?;
        let (holds, undefined) = self.conditions(&state, first.stuck);
        let mut moves = self.follow(first.found, cx)?;
        if first.count == 0 {
            moves.push(Move { to: number, events: 0, moved: Processes::new() });
        }
        let accepting = self.asker.is_accepting(&state);
        let digest = self.asker.digest(&state);
        let place = Rc::new(Place { holds, undefined, accepting, enabled: first.enabled, moves, digest });
        self.places.insert(number, Rc::clone(&place));
        Ok(place)
    }

    fn crash(&mut self) -> Option<String> {
        self.crash.take()
    }
}

impl<'s> Moves<'s> {
    pub(crate) fn new(semantics: &'s Semantics<'s>, atoms: &[Atom]) -> Self {
        let mut stepper = semantics.stepper();
        stepper.listen();
        Moves {
            stepper,
            asker: semantics.stepper(),
            watcher: Watcher::new(semantics, atoms),
            atoms: atoms.len(),
            states: Vec::new(),
            index: HashMap::new(),
            places: HashMap::new(),
            inner: 0,
            crash: None,
        }
    }

    fn number(&mut self, state: Vec<u8>) -> u32 {
        let known = self.states.len() as u32;
        let number = *self.index.entry(state.clone()).or_insert(known);
        if number == known {
            self.states.push(state);
        }
        number
    }

    /// The conditions that hold in a state, and those that have no value there.
    fn conditions(&mut self, state: &[u8], stuck: bool) -> (AtomSet, AtomSet) {
        let (mut holds, mut undefined) = (0, 0);
        for atom in (0..self.atoms).map(|index| 1 << index) {
            match self.watcher.in_state(&mut self.asker, state, atom, stuck) {
                Ok(set) => holds |= set,
                Err(_) => undefined |= atom,
            }
        }
        (holds, undefined)
    }

    /// From the first steps on to where each of them ends.
    fn follow(&mut self, first: Vec<Inner>, cx: &Context<'_>) -> Result<Vec<Move>, Refusal> {
        let mut seen: HashSet<Inner> = first.iter().cloned().collect();
        let (mut work, mut ends) = (first, Vec::new());
        while let Some(inner) = work.pop() {
            self.inner += 1;
            pause(self.inner, work.len() as u64, cx)?;
            let steps = if inner.1.is_some() { self.steps(&inner)? } else { Steps::default() };
            if steps.count == 0 {
                let (state, _, events, moved) = inner;
                ends.push(Move { to: self.number(state), events, moved });
            }
            work.extend(steps.found.into_iter().filter(|next| seen.insert(next.clone())));
        }
        let mut known = HashSet::new();
        ends.retain(|end| known.insert(end.clone()));
        Ok(ends)
    }

    /// One step on.
    fn steps(&mut self, (state, control, events, moved): &Inner) -> Result<Steps, Refusal> {
        let mut steps = Steps { stuck: true, ..Steps::default() };
        let (watcher, asker, crash) = (&self.watcher, &mut self.asker, &mut self.crash);
        let expanded = self.stepper.expand(state, *control, &mut |successor| {
            let actors: Processes = halves(successor.step).into_iter().flatten().map(|(process, _)| process).collect();
            steps.enabled.extend(&actors);
            steps.stuck &= successor.timeout;
            match successor.state {
                Some(after) => {
                    let events = events | watcher.in_step(asker, state, &successor);
                    steps.found.push((after.to_vec(), successor.control, events, moved | &actors));
                }
                None if crash.is_none() => *crash = successor.fault.map(|fault| fault.fault.to_string()),
                None => {}
            }
        });
        steps.count = expanded.map_err(overflow)?;
        Ok(steps)
    }
}
