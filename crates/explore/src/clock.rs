//! When to stop: the user, the clock, the memory and the number of states.

use crate::ENGINE;
use crate::table::StateTable;
use model::budget::resident_bytes;
use model::verdict::{Limits, Observer, Progress, Reason};
use std::time::Instant;

/// How many ticks between two looks at the clock.
const CHECK_EVERY: u64 = 1 << 10;

/// Looks at the limits now and then, and tells the observer how far the work is.
pub(crate) struct Clock<'a> {
    pub(crate) limits: Limits,
    observer: &'a dyn Observer,
    ticks: u64,
}

impl<'a> Clock<'a> {
    pub(crate) fn new(limits: Limits, observer: &'a dyn Observer) -> Self {
        Clock { limits, observer, ticks: 0 }
    }

    /// The user, the clock or the memory says so; `more` bytes are about to be needed.
    pub(crate) fn must_stop(&self, more: u64) -> Option<Reason> {
        if self.observer.cancelled() {
            return Some(Reason::Interrupted);
        }
        if self.limits.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Some(Reason::Timeout);
        }
        let over = |limit: u64| resident_bytes().unwrap_or(0) + more > limit;
        self.limits.memory.is_some_and(over).then_some(Reason::Memory)
    }

    /// A state was looked at.
    pub(crate) fn tick(&mut self, more: u64, progress: impl FnOnce() -> Progress) -> Option<Reason> {
        self.ticks += 1;
        if self.ticks.is_multiple_of(CHECK_EVERY) {
            self.observer.progress(progress());
        } else if more == 0 {
            return None;
        }
        self.must_stop(more)
    }

    /// A depth-first search looked at a state: also the number of states and the length of the way are limited.
    pub(crate) fn tick_deep(&mut self, table: &StateTable, way: usize, depth: u64, transitions: u64) -> Option<Reason> {
        let (states, waiting) = (table.len() as u64, way as u64);
        if self.limits.states.is_some_and(|limit| states > limit) {
            return Some(Reason::States);
        }
        if self.limits.depth.is_some_and(|limit| waiting > limit) {
            return Some(Reason::Depth);
        }
        self.tick(table.growth_bytes(), || Progress {
            engine: ENGINE,
            states,
            waiting,
            transitions,
            depth,
            memory_bytes: table.memory_bytes(),
        })
    }
}
