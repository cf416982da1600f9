//! How long queues get on long walks: one process after the other goes on, for one step or for as long as it can.
//!
//! A search of all states comes nowhere near the bounds of a system with thousands of processes. Most of them are reached
//! once every process has had a turn. A walk keeps neither states nor steps, so it is fast and may be long; all that it says
//! is how long queues are in states of the system.

use crate::clock::Clock;
use crate::growth::{Lengths, Random};
use model::context::Context;
use model::growth::Parts;
use model::observer::Progress;
use model::semantics::{Alone, Semantics, Stepper};
use std::collections::BTreeMap;

/// How often every process has a turn after a queue was last seen to be longer than before.
const IDLE: usize = 8;
/// The walks take so many steps in all.
const MOST_STEPS: u64 = 10_000_000;
/// A process that need not stop has so many steps in a turn.
const LONG_TURN: usize = 20_000;
/// Each walk: the steps of a turn, and whether the youngest process begins.
const WALKS: [(usize, bool); 6] =
    [(LONG_TURN, false), (1, false), (LONG_TURN, true), (1, true), (7, false), (LONG_TURN, false)];

/// Lengths of queues in states that walks come to; no more walks once all queues are as long as wanted.
pub fn lengths(semantics: &Semantics<'_>, wanted: &BTreeMap<String, u64>, cx: &Context<'_>) -> BTreeMap<String, u32> {
    let mut longest: BTreeMap<String, u32> = BTreeMap::new();
    let (mut parts, mut clock, mut left) = (Parts::new(semantics), Clock::new(*cx), MOST_STEPS);
    for (seed, &(turn, backwards)) in (1u64..).zip(&WALKS) {
        let mut walk = Walk::new(semantics, seed, left);
        let ended = walk.go(&mut parts, &mut clock, turn, backwards);
        left = walk.left;
        for (sample, lengths) in walk.lengths.by_shape().filter(|(_, queues)| queues.iter().any(|q| q.0 > 0)) {
            for (name, &(length, _)) in parts.queue_names(sample).into_iter().zip(lengths) {
                let known = name.map(|name| longest.entry(name).or_default());
                known.into_iter().for_each(|known| *known = length.max(*known));
            }
        }
        let reached = |(name, most): (&String, &u64)| longest.get(name).is_some_and(|&n| u64::from(n) >= *most);
        if ended.is_none() || wanted.iter().all(reached) {
            break;
        }
    }
    longest
}

struct Walk<'s> {
    stepper: Stepper<'s>,
    lengths: Lengths,
    random: Random,
    /// Room for the states that a choice leads to, with who is in control in each.
    choices: Vec<(Vec<u8>, Option<u32>)>,
    /// How many steps it may still take.
    left: u64,
}

/// What a process did.
enum Moved {
    No,
    /// It moved; this process is in control.
    Yes(Option<u32>),
    /// There is no state after it.
    Failed,
}

impl<'s> Walk<'s> {
    fn new(semantics: &'s Semantics<'s>, seed: u64, left: u64) -> Self {
        let (lengths, random) = (Lengths::default(), Random::new(seed));
        Walk { stepper: semantics.stepper(), lengths, random, choices: Vec::new(), left }
    }

    /// Goes on until no process can move, or no queue gets longer; `None` if there is no more time.
    fn go(&mut self, parts: &mut Parts<'_>, clock: &mut Clock<'_>, turn: usize, backwards: bool) -> Option<()> {
        let Ok(Ok(first)) = self.stepper.initial() else { return Some(()) };
        self.stepper.load(&first);
        let (mut idle, mut moved) = (0, true);
        while moved && idle < IDLE {
            (moved, idle) = (false, idle + 1);
            let mut next = 0;
            while next < self.stepper.loaded_processes() {
                let count = self.stepper.loaded_processes();
                let process = if backwards { count - 1 - next } else { next };
                next += 1;
                let Some(steps) = self.turn(process as u32, turn, clock)? else { return Some(()) };
                if steps > 0 {
                    moved = true;
                    idle = if self.measure(parts) { 0 } else { idle };
                }
            }
        }
        Some(())
    }

    /// One turn of a process: how many steps it took. `Some(None)` if the walk ends here, `None` if there is no more time.
    fn turn(&mut self, process: u32, most: usize, clock: &mut Clock<'_>) -> Option<Option<usize>> {
        let (mut steps, mut control) = (0, None);
        while steps < most || control.is_some() {
            self.left = self.left.checked_sub(1)?;
            if clock
                .tick(0, || Progress { engine: crate::ENGINE, depth: steps as u64, ..Progress::default() })
                .is_some()
            {
                return None;
            }
            match self.step(control.unwrap_or(process)) {
                Moved::Yes(next) => (steps, control) = (steps + 1, next),
                // Who cannot go on loses control.
                Moved::No if control.take().is_some_and(|holder| holder != process) => {}
                Moved::No => break,
                Moved::Failed => return Some(None),
            }
        }
        Some(Some(steps))
    }

    fn step(&mut self, process: u32) -> Moved {
        if process as usize >= self.stepper.loaded_processes() {
            return Moved::No;
        }
        match self.stepper.step_alone(process) {
            Ok(Alone::Blocked) => return Moved::No,
            Ok(Alone::Moved { keeps, faulty: false, .. }) => return Moved::Yes(keeps.then_some(process)),
            Ok(Alone::Several) => {}
            Ok(Alone::Moved { .. } | Alone::Failed(_)) | Err(_) => return Moved::Failed,
        }
        let choices = &mut self.choices;
        choices.clear();
        let found = self.stepper.expand_loaded(Some(process), &mut |successor| {
            choices.extend(successor.state.map(|state| (state.to_vec(), successor.control)));
        });
        if found.is_err() {
            return Moved::Failed;
        }
        let Some((state, control)) = choices.get(self.random.below(choices.len())) else { return Moved::No };
        self.stepper.load(state);
        Moved::Yes(*control)
    }

    /// Whether a queue is longer than it was before.
    fn measure(&mut self, parts: &mut Parts<'_>) -> bool {
        let before = self.lengths.grown;
        self.lengths.add(parts, self.stepper.loaded(), 0);
        self.lengths.grown > before
    }
}
