//! How long reading may take: time, memory, and whoever wants it to stop.
//!
//! The parser is linear in the text. What comes behind it is not: calls are inlined, structs are copied member by member,
//! pointers become cases. Every loop that can grow asks here now and then; fixed bounds on edges, variables, terms and
//! assignments (see `lower` and `resolve`) keep the memory small in any case.

use crate::Options;
use crate::codes::Say;
use crate::lower::Result;
use model::budget::resident_bytes;
use model::source::Span;
use model::verdict::{Limits, Reason};
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// What needs no more calls than this is read in any case.
const CALLS_BEFORE_LOOKING: u32 = 100;
/// The clock is looked at once in so many calls.
const CALLS_BETWEEN_LOOKS: u32 = 16;
/// The memory is looked at once in so many looks at the clock.
const LOOKS_BETWEEN_MEASURES: u32 = 64;

/// What is left.
pub(crate) struct Budget<'o> {
    limits: Limits,
    stop: Option<&'o AtomicBool>,
    calls: Cell<u32>,
    /// Nothing is left.
    spent: Cell<bool>,
}

impl<'o> Budget<'o> {
    pub fn new(options: &'o Options) -> Self {
        Budget { limits: options.limits, stop: options.stop.as_deref(), calls: Cell::new(0), spent: Cell::new(false) }
    }

    /// A message at a place, if it is time to stop; and at every place from then on.
    pub fn check(&self, place: impl FnOnce() -> Span) -> Result<()> {
        let all = self.calls.get();
        self.calls.set(all.saturating_add(1));
        let Some(calls) = all.checked_sub(CALLS_BEFORE_LOOKING) else { return Ok(()) };
        if !calls.is_multiple_of(CALLS_BETWEEN_LOOKS) && !self.spent.get() {
            return Ok(());
        }
        match self.reason(calls / CALLS_BETWEEN_LOOKS) {
            Some(reason) => {
                self.spent.set(true);
                Err(Box::new(Say::Limit.at(place(), format!("reading stopped here: {reason}"))))
            }
            None => Ok(()),
        }
    }

    fn reason(&self, looks: u32) -> Option<Reason> {
        if self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            return Some(Reason::Interrupted);
        }
        if self.limits.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Some(Reason::Timeout);
        }
        let most = self.limits.memory.filter(|_| self.spent.get() || looks.is_multiple_of(LOOKS_BETWEEN_MEASURES))?;
        let spent = self.spent.get() || resident_bytes().is_some_and(|bytes| bytes > most);
        spent.then_some(Reason::Memory)
    }
}
