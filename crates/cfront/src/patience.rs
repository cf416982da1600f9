//! How long reading may take: time, memory, and whoever wants it to stop.
//!
//! The parser is linear in the text. What comes behind it is not: calls are inlined, structs are copied member by member,
//! pointers become cases. Every loop that can grow asks here now and then; fixed bounds on edges, variables, terms and
//! assignments (see `lower` and `resolve`) keep the memory small in any case.

use crate::Options;
use crate::codes::Say;
use crate::lower::Result;
use model::budget::Budget;
use model::reason::Reason;
use model::source::Span;
use std::cell::{Cell, OnceCell};

/// What needs no more calls than this is read in any case.
const CALLS_BEFORE_LOOKING: u32 = 100;
/// The budget is looked at once in so many calls.
const CALLS_BETWEEN_LOOKS: u32 = 16;
/// What is left.
pub(crate) struct Patience<'o> {
    budget: &'o Budget,
    calls: Cell<u32>,
    /// Why nothing is left.
    spent: OnceCell<Reason>,
}

impl<'o> Patience<'o> {
    pub fn new(options: &'o Options) -> Self {
        Patience { budget: &options.budget, calls: Cell::new(0), spent: OnceCell::new() }
    }

    /// A message at a place, if it is time to stop; and at every place from then on.
    pub fn check(&self, place: impl FnOnce() -> Span) -> Result<()> {
        let all = self.calls.get();
        self.calls.set(all.saturating_add(1));
        let Some(calls) = all.checked_sub(CALLS_BEFORE_LOOKING) else { return Ok(()) };
        if self.spent.get().is_none() {
            let look = calls.is_multiple_of(CALLS_BETWEEN_LOOKS);
            let Some(reason) = look.then(|| self.budget.check().err()).flatten() else { return Ok(()) };
            let _ = self.spent.set(reason);
        }
        match self.spent.get() {
            Some(reason) => Err(Box::new(Say::Limit.at(place(), format!("reading stopped here: {reason}")))),
            None => Ok(()),
        }
    }
}
