//! When a search of one thread looks at its budget.

use crate::ENGINE;
use crate::table::StateTable;
use model::context::Context;
use model::observer::Progress;
use model::reason::Reason;

/// How many ticks between two looks at everything, and between two looks at the time: a state of hundreds of processes takes
/// milliseconds.
const CHECK_EVERY: u64 = 1 << 10;
const LOOK_EVERY: u64 = 1 << 5;

/// Looks at the budget now and then, and tells the observer how far the work is.
pub(crate) struct Clock<'a> {
    pub(crate) cx: Context<'a>,
    ticks: u64,
}

impl<'a> Clock<'a> {
    pub(crate) fn new(cx: Context<'a>) -> Self {
        Clock { cx, ticks: 0 }
    }

    /// The user, the clock or the memory says so; `more` bytes are about to be needed.
    pub(crate) fn must_stop(&self, more: u64) -> Option<Reason> {
        self.cx.budget.room(0, more).err()
    }

    /// A state was looked at.
    pub(crate) fn tick(&mut self, more: u64, progress: impl FnOnce() -> Progress) -> Option<Reason> {
        self.ticks += 1;
        if self.ticks.is_multiple_of(CHECK_EVERY) {
            self.cx.progress(progress);
        } else if more == 0 {
            let looks = self.ticks.is_multiple_of(LOOK_EVERY);
            return if looks { self.cx.budget.in_time().err() } else { None };
        }
        self.must_stop(more)
    }

    /// A depth-first search looked at a state: also the number of states and the length of the way are limited.
    pub(crate) fn tick_deep(&mut self, table: &StateTable, way: usize, depth: u64, transitions: u64) -> Option<Reason> {
        let (states, waiting) = (table.len() as u64, way as u64);
        let fits = self.cx.budget.fits_states(states).and_then(|()| self.cx.budget.fits_depth(waiting));
        if let Err(reason) = fits {
            return Some(reason);
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
