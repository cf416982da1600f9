//! Time, memory and patience: a proof may be written by an enemy, and its check must end.

use crate::Refusal;
use model::verdict::{Limits, Observer, Progress};
use std::cell::Cell;
use std::time::Instant;

/// Work between two looks at the clock.
const CHECK_EVERY: u64 = 1 << 10;

/// What may still be spent.
pub(super) struct Budget<'a> {
    limits: &'a Limits,
    observer: &'a dyn Observer,
    spent: Cell<u64>,
}

impl<'a> Budget<'a> {
    /// Nothing is spent yet.
    pub(super) fn new(limits: &'a Limits, observer: &'a dyn Observer) -> Self {
        Budget { limits, observer, spent: Cell::new(0) }
    }

    /// Some work is about to be done.
    pub(super) fn spend(&self, work: usize) -> Result<(), Refusal> {
        let before = self.spent.get();
        let after = before.saturating_add(work as u64 + 1);
        self.spent.set(after);
        if before / CHECK_EVERY == after / CHECK_EVERY { Ok(()) } else { self.look(after) }
    }

    fn look(&self, spent: u64) -> Result<(), Refusal> {
        self.observer.progress(Progress { engine: "certify", transitions: spent, ..Progress::default() });
        if self.observer.cancelled() {
            return Err(unfinished("interrupted"));
        }
        if self.limits.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Err(unfinished("the time limit was reached (--timeout)"));
        }
        let used = || model::budget::resident_bytes().unwrap_or(0);
        if self.limits.memory.is_some_and(|limit| used() > limit) {
            return Err(unfinished("the memory limit was reached (--memory)"));
        }
        Ok(())
    }
}

/// The check was given up.
pub(super) fn unfinished(why: &str) -> Refusal {
    Refusal::Unfinished(why.to_owned())
}
