//! When to stop: the user, the clock, the memory and the number of states.

use model::budget::resident_bytes;
use model::verdict::{Limits, Observer, Progress, Reason};
use std::cell::Cell;
use std::time::Instant;

/// How much work lies between two looks at the clock.
const CHECK_EVERY: u64 = 1 << 12;

/// Limits that are looked at now and then.
pub(crate) struct Budget<'a> {
    limits: Limits,
    observer: &'a dyn Observer,
    work: Cell<u64>,
    next_look: Cell<u64>,
    most_bytes: Cell<u64>,
    most_states: Cell<u64>,
}

impl<'a> Budget<'a> {
    pub(crate) fn new(limits: Limits, observer: &'a dyn Observer) -> Self {
        let zero = || Cell::new(0);
        Budget {
            limits,
            observer,
            work: zero(),
            next_look: Cell::new(CHECK_EVERY),
            most_bytes: zero(),
            most_states: zero(),
        }
    }

    /// The same limits, but not more states than this.
    pub(crate) fn slice(&self, states: u64) -> Budget<'a> {
        let states = self.limits.states.map_or(states, |limit| limit.min(states));
        Budget::new(Limits { states: Some(states), ..self.limits }, self.observer)
    }

    /// Whether a slice of so many states leaves nothing to be asked for.
    pub(crate) fn is_whole(&self, states: u64) -> bool {
        self.limits.states.is_some_and(|limit| limit <= states)
    }

    /// So many states are stored, in so many bytes.
    pub(crate) fn store(&self, states: usize, bytes: usize) -> Result<(), Reason> {
        let states = states as u64;
        self.most_states.set(self.most_states.get().max(states));
        self.most_bytes.set(self.most_bytes.get().max(bytes as u64));
        if self.limits.states.is_some_and(|limit| states > limit) || states >= u64::from(u32::MAX) {
            return Err(Reason::States);
        }
        self.spend(1)
    }

    /// Some elementary steps were done.
    pub(crate) fn spend(&self, work: usize) -> Result<(), Reason> {
        self.work.set(self.work.get() + work as u64);
        if self.work.get() < self.next_look.get() { Ok(()) } else { self.look() }
    }

    /// The user, the clock or the memory says so.
    pub(crate) fn look(&self) -> Result<(), Reason> {
        self.next_look.set(self.work.get() + CHECK_EVERY);
        let (states, memory_bytes) = (self.most_states.get(), self.most_bytes.get());
        self.observer.progress(Progress { engine: crate::ENGINE, states, memory_bytes, ..Progress::default() });
        if self.observer.cancelled() {
            return Err(Reason::Interrupted);
        }
        if self.limits.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Err(Reason::Timeout);
        }
        let over = |limit: u64| resident_bytes().unwrap_or(0) > limit;
        if self.limits.memory.is_some_and(over) { Err(Reason::Memory) } else { Ok(()) }
    }

    /// What another thread needs in order to stop in time.
    pub(crate) fn alarm(&self) -> Alarm<'a> {
        Alarm { deadline: self.limits.deadline, observer: self.observer }
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

/// Knows when the time is up.
#[derive(Clone, Copy)]
pub(crate) struct Alarm<'a> {
    deadline: Option<Instant>,
    observer: &'a dyn Observer,
}

impl Alarm<'_> {
    pub(crate) fn rings(&self) -> bool {
        self.observer.cancelled() || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}
