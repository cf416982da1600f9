//! What a method has stored and done, held against its budget.

use model::budget::Budget;
use model::context::Context;
use model::observer::{Observer, Progress};
use model::reason::Reason;
use std::cell::Cell;

/// How much work lies between two looks at the budget.
const CHECK_EVERY: u64 = 1 << 12;

/// Counts work, states and bytes.
pub(crate) struct Meter<'a> {
    budget: Budget,
    observer: &'a dyn Observer,
    work: Cell<u64>,
    next_look: Cell<u64>,
    most_bytes: Cell<u64>,
    most_states: Cell<u64>,
}

impl<'a> Meter<'a> {
    pub(crate) fn new(cx: &Context<'a>) -> Self {
        Meter::of(cx.budget.clone(), cx.observer)
    }

    fn of(budget: Budget, observer: &'a dyn Observer) -> Self {
        let zero = || Cell::new(0);
        let (work, most_bytes, most_states) = (zero(), zero(), zero());
        Meter { budget, observer, work, next_look: Cell::new(CHECK_EVERY), most_bytes, most_states }
    }

    /// The same budget, but not more states than this.
    pub(crate) fn slice(&self, states: u64) -> Meter<'a> {
        let states = self.budget.most_states().map_or(states, |limit| limit.min(states));
        Meter::of(self.budget.clone().states(states), self.observer)
    }

    /// Whether a slice of so many states leaves nothing to be requested.
    pub(crate) fn is_whole(&self, states: u64) -> bool {
        self.budget.most_states().is_some_and(|limit| limit <= states)
    }

    /// So many states are stored, in so many bytes.
    pub(crate) fn store(&self, states: usize, bytes: usize) -> Result<(), Reason> {
        let states = states as u64;
        self.most_states.set(self.most_states.get().max(states));
        self.most_bytes.set(self.most_bytes.get().max(bytes as u64));
        self.budget.fits_states(states)?;
        if states >= u64::from(u32::MAX) {
            return Err(Reason::States);
        }
        self.spend(1)
    }

    /// Some elementary steps were done.
    pub(crate) fn spend(&self, work: usize) -> Result<(), Reason> {
        self.work.set(self.work.get() + work as u64);
        if self.work.get() < self.next_look.get() { Ok(()) } else { self.look() }
    }

    /// Says how far the work is, and looks at the budget.
    pub(crate) fn look(&self) -> Result<(), Reason> {
        self.next_look.set(self.work.get() + CHECK_EVERY);
        let (states, memory_bytes) = (self.most_states.get(), self.most_bytes.get());
        let progress = || Progress { engine: crate::ENGINE, states, memory_bytes, ..Progress::default() };
        Context::new(&self.budget, self.observer).progress(progress);
        self.budget.check()
    }

    /// The budget, for another thread.
    pub(crate) fn budget(&self) -> Budget {
        self.budget.clone()
    }

    /// The most bytes that were stored at once.
    pub(crate) fn most_bytes(&self) -> u64 {
        self.most_bytes.get()
    }

    /// The most states that were stored at once.
    pub(crate) fn most_states(&self) -> u64 {
        self.most_states.get()
    }
}
