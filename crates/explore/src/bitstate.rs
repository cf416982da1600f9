//! The search that remembers states by a few bits each, for what does not fit into memory.
//!
//! Three hashes of a state choose three bits of one large array. If all three are set, the state is taken
//! for known, and may wrongly be so: states can be missed, and with them violations. So this search never
//! proves anything. What it finds is real all the same: a violation comes with its run, and the run
//! is replayed.
//!
//! It goes depth-first: what has to be kept in full is the way to the state that is looked at, and the
//! siblings on that way.

use crate::expansion::{Expander, Problem};
use crate::search::{Found, Violations, Watch};
use model::semantics::{Semantics, Step};
use model::verdict::{Progress, Property, Reason, SearchStats};

/// How many bits stand for a state.
const BITS_PER_STATE: usize = 3;
/// How many states between two looks at the clock.
const CHECK_EVERY: u64 = 1 << 12;
/// The least size of the array in bytes.
const LEAST_BYTES: u64 = 1 << 16;
/// And the greatest.
const MOST_BYTES: u64 = 1 << 40;

/// The array of bits.
struct Bits {
    words: Vec<u64>,
    /// The number of bits is two to this power.
    power: u32,
}

impl Bits {
    /// Of at most so many bytes, and of fewer where the system does not give so many.
    fn new(bytes: u64) -> Self {
        let mut power = (bytes.clamp(LEAST_BYTES, MOST_BYTES) * 8).ilog2();
        while power > (LEAST_BYTES * 8).ilog2() && Vec::<u64>::new().try_reserve_exact(1 << (power - 6)).is_err() {
            power -= 1;
        }
        Bits { words: vec![0; 1 << (power - 6)], power }
    }

    /// Sets the bits of a state; whether one of them was not set.
    fn insert(&mut self, state: &[u8]) -> bool {
        let (mut at, step) = hashes(state);
        let mut new = false;
        for _ in 0..BITS_PER_STATE {
            let bit = at >> (64 - self.power);
            let (word, mask) = (&mut self.words[(bit >> 6) as usize], 1u64 << (bit & 63));
            new |= *word & mask == 0;
            *word |= mask;
            at = at.wrapping_add(step);
        }
        new
    }
}

/// Two hashes: where the first bit is, and how far it is to each further one.
fn hashes(state: &[u8]) -> (u64, u64) {
    let lane = |multiplier: u64, start: u64| {
        let fold = |a: u64| {
            let wide = u128::from(a) * u128::from(multiplier);
            (wide as u64) ^ (wide >> 64) as u64
        };
        let mut hash = start ^ state.len() as u64;
        for chunk in state.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            hash = fold(hash ^ u64::from_le_bytes(word)).wrapping_add(start);
        }
        fold(hash ^ start.rotate_left(32))
    };
    (lane(0x9e37_79b9_7f4a_7c15, 0xa076_1d64_78bd_642f), lane(0xe703_7ed1_a0b4_28db, 0x8ebc_6af0_9c88_c6e3) | 1)
}

/// Searches with an array of at most so many bytes.
pub(crate) fn search<'a>(semantics: &'a Semantics<'a>, watch: Watch<'a>, bytes: u64) -> Found {
    let mut search = Search {
        expander: Expander::of(semantics, watch.options),
        watch,
        bits: Bits::new(bytes),
        stack: Stack::default(),
        path: Vec::new(),
        violations: Violations::default(),
        stats: SearchStats::default(),
    };
    let stopped = search.run();
    search.finish(stopped)
}

struct Search<'a> {
    expander: Expander<'a>,
    watch: Watch<'a>,
    bits: Bits,
    stack: Stack,
    /// The states on the way to the one that is looked at, itself included.
    path: Vec<Vec<u8>>,
    /// With the states that lead to each.
    violations: Violations<Vec<Vec<u8>>>,
    stats: SearchStats,
}

/// States to be looked at, each with its depth.
#[derive(Default)]
struct Stack {
    bytes: Vec<u8>,
    entries: Vec<(usize, u32)>,
}

impl Stack {
    fn push(&mut self, state: &[u8], depth: u32) {
        self.entries.push((self.bytes.len(), depth));
        self.bytes.extend_from_slice(state);
    }

    fn pop(&mut self, state: &mut Vec<u8>) -> Option<usize> {
        let (start, depth) = self.entries.pop()?;
        state.clear();
        state.extend_from_slice(&self.bytes[start..]);
        self.bytes.truncate(start);
        Some(depth as usize)
    }

    fn memory_bytes(&self) -> u64 {
        (self.bytes.capacity() + self.entries.capacity() * 16) as u64
    }
}

impl Search<'_> {
    /// Why the search is not complete: it never is.
    fn run(&mut self) -> Reason {
        match self.expander.stepper.initial() {
            Err(overflow) => return Reason::from(overflow),
            Ok(Err(fault)) => {
                let reason = format!("there is no first state: {}", fault.fault);
                let (last_steps, fault) = (Vec::new(), Some(fault));
                let problem = Problem { property: Property::Safety, last_steps, fault, same: 0 };
                self.violations.add(self.watch.options, problem, Vec::new());
                return Reason::NotSupported(reason);
            }
            Ok(Ok(state)) => {
                self.bits.insert(&state);
                self.stack.push(&state, 0);
                self.stats.states = 1;
            }
        }
        let mut state = Vec::new();
        while let Some(depth) = self.stack.pop(&mut state) {
            if let Err(reason) = self.look_at(&state, depth) {
                return reason;
            }
        }
        Reason::Bitstate
    }

    fn look_at(&mut self, state: &[u8], depth: usize) -> Result<(), Reason> {
        self.path.truncate(depth);
        self.path.push(state.to_vec());
        self.stats.depth = self.stats.depth.max(depth as u64);
        if self.watch.cx.budget.most_depth().is_some_and(|limit| depth as u64 >= limit) {
            return Ok(());
        }
        let (watch, bits, stack, states) = (self.watch, &mut self.bits, &mut self.stack, &mut self.stats.states);
        let mut sink = |next: &[u8]| {
            if bits.insert(next) {
                *states += 1;
                stack.push(next, depth as u32 + 1);
            }
        };
        let expanded = self.expander.expand(state, &mut sink, &mut || watch.must_stop(0, 0));
        for problem in self.expander.problems.drain(..) {
            self.violations.add_with(watch.options, problem, || self.path.clone());
        }
        expanded.map_err(|unfinished| unfinished.reason())?;
        if !watch.options.keep_going && !self.violations.is_empty() {
            return Err(Reason::StoppedEarly);
        }
        self.look_at_limits()
    }

    fn look_at_limits(&mut self) -> Result<(), Reason> {
        if self.watch.cx.budget.most_states().is_some_and(|limit| self.stats.states >= limit) {
            return Err(Reason::States);
        }
        if !self.stats.states.is_multiple_of(CHECK_EVERY) {
            return Ok(());
        }
        self.watch.cx.progress(|| Progress {
            engine: crate::ENGINE,
            states: self.stats.states,
            waiting: self.stack.entries.len() as u64,
            transitions: self.expander.transitions,
            depth: self.stats.depth,
            memory_bytes: self.memory_bytes(),
        });
        self.watch.must_stop(self.memory_bytes(), 0).map_or(Ok(()), Err)
    }

    fn memory_bytes(&self) -> u64 {
        self.bits.words.len() as u64 * 8 + self.stack.memory_bytes()
    }

    fn finish(mut self, stopped: Reason) -> Found {
        self.stats.transitions = self.expander.transitions;
        self.stats.memory_bytes = self.memory_bytes();
        let (crashed, mut expander) = (self.expander.crashed.take(), self.expander);
        let run_to = |path: &Vec<Vec<u8>>, last: &[Step]| expander.run_along(path, last);
        self.violations.found(Some(stopped), self.stats, None, crashed, run_to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_array_tells_states_apart() {
        let mut bits = Bits::new(1 << 20);
        let new = (0..10_000u32).filter(|i| bits.insert(&i.to_le_bytes())).count();
        assert!(new > 9_990, "{new}");
        assert!((0..10_000u32).all(|i| !bits.insert(&i.to_le_bytes())));
    }

    #[test]
    fn a_small_array_forgets_but_does_not_fail() {
        let mut bits = Bits::new(0);
        let new = (0..2_000_000u32).filter(|i| bits.insert(&i.to_le_bytes())).count();
        assert!(new < 2_000_000, "{new}");
    }
}
