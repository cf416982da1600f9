//! Time, memory and the user's wish, for everything that takes long.

use model::verdict::{Limits, Observer, Reason};
use std::cell::Cell;

/// The resident size is looked at once in so many calls.
const CALLS_BETWEEN_LOOKS: u32 = 64;

/// What may be used, and who may stop it.
pub(crate) struct Budget<'a> {
    limits: &'a Limits,
    observer: &'a dyn Observer,
    calls: Cell<u32>,
    memory_is_up: Cell<bool>,
}

impl<'a> Budget<'a> {
    pub(crate) fn new(limits: &'a Limits, observer: &'a dyn Observer) -> Self {
        Budget { limits, observer, calls: Cell::new(0), memory_is_up: Cell::new(false) }
    }

    /// Whether the user or the memory says stop. Time is the solver's own business.
    pub(crate) fn stopped(&self) -> bool {
        self.observer.cancelled() || self.out_of_memory()
    }

    fn out_of_memory(&self) -> bool {
        let calls = self.calls.get().wrapping_add(1);
        self.calls.set(calls);
        if let Some(most) = self.limits.memory
            && calls.is_multiple_of(CALLS_BETWEEN_LOOKS)
        {
            self.memory_is_up.set(model::budget::resident_bytes().is_some_and(|bytes| bytes > most));
        }
        self.memory_is_up.get()
    }

    /// The reason to stop now, if there is one.
    pub(crate) fn check(&self) -> Result<(), Reason> {
        if self.observer.cancelled() {
            return Err(Reason::Interrupted);
        }
        if self.limits.deadline.is_some_and(|deadline| std::time::Instant::now() >= deadline) {
            return Err(Reason::Timeout);
        }
        if self.out_of_memory() { Err(Reason::Memory) } else { Ok(()) }
    }

    /// Limits for a solver, with `stop`, which must be a call of [`Budget::stopped`].
    pub(crate) fn solver<'s>(&self, stop: &'s dyn Fn() -> bool) -> bitvector::Limits<'s> {
        let memory = self.limits.memory.map(|bytes| usize::try_from(bytes).unwrap_or(usize::MAX));
        bitvector::Limits { deadline: self.limits.deadline, conflicts: None, memory, stop: Some(stop) }
    }

    /// A solver's reason in the words of verdicts.
    pub(crate) fn reason(&self, reason: bitvector::Reason) -> Reason {
        match reason {
            bitvector::Reason::Deadline => Reason::Timeout,
            bitvector::Reason::Memory => Reason::Memory,
            bitvector::Reason::Stopped if self.observer.cancelled() => Reason::Interrupted,
            bitvector::Reason::Stopped => Reason::Memory,
            other => Reason::NotProvable(other.to_string()),
        }
    }

    pub(crate) fn observer(&self) -> &'a dyn Observer {
        self.observer
    }
}
