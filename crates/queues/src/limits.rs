//! How much time and memory the operations may take, and what comes back when it was not enough.

use model::budget::Budget;
use model::reason::Reason;

/// Bounds on the work of a [`crate::Languages`]. The default has none but a very large one on single automata.
#[derive(Clone, Debug)]
pub struct Limits {
    /// How many states an automaton may have while it is built.
    pub states: usize,
    /// How many bytes all automata and remembered results may take, by our own estimate.
    pub bytes: usize,
    /// How many elementary steps may be done in total.
    pub steps: u64,
    /// Time, memory, and who may stop it.
    pub budget: Budget,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { states: 1 << 20, bytes: usize::MAX, steps: u64::MAX, budget: Budget::unlimited() }
    }
}

/// The bound that stopped an operation. Everything computed before is still valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum Limit {
    /// One automaton got too large.
    #[error("an automaton grew beyond its limit of states")]
    States,
    /// All of them together did.
    #[error("the queue languages need more memory than allowed")]
    Memory,
    /// The work is used up.
    #[error("the number of steps allowed is used up")]
    Steps,
    /// The time is.
    #[error("the time allowed is used up")]
    Deadline,
    /// The caller wanted to stop.
    #[error("interrupted")]
    Interrupted,
}

impl From<Reason> for Limit {
    fn from(reason: Reason) -> Self {
        match reason {
            Reason::Timeout => Limit::Deadline,
            Reason::Interrupted => Limit::Interrupted,
            _ => Limit::Memory,
        }
    }
}

impl From<Limit> for Reason {
    fn from(limit: Limit) -> Self {
        match limit {
            Limit::States => Reason::States,
            Limit::Memory => Reason::Memory,
            Limit::Steps => Reason::Limit(limit.to_string()),
            Limit::Deadline => Reason::Timeout,
            Limit::Interrupted => Reason::Interrupted,
        }
    }
}

/// How often the budget is looked at: once in this many steps.
const PATIENCE: u64 = 1 << 12;

/// The work done so far, held against the limits.
#[derive(Debug, Default)]
pub(crate) struct Meter {
    pub(crate) limits: Limits,
    pub(crate) steps: u64,
    pub(crate) bytes: usize,
    next_look: u64,
}

impl Meter {
    pub(crate) fn new(limits: Limits) -> Self {
        Meter { limits, steps: 0, bytes: 0, next_look: 0 }
    }

    /// Counts `steps` of work.
    pub(crate) fn spend(&mut self, steps: usize) -> Result<(), Limit> {
        self.steps = self.steps.saturating_add(steps as u64);
        if self.steps < self.next_look { Ok(()) } else { self.look() }
    }

    /// Reads the clock at the next step.
    pub(crate) fn look_soon(&mut self) {
        self.next_look = 0;
    }

    fn look(&mut self) -> Result<(), Limit> {
        if self.steps >= self.limits.steps {
            return Err(Limit::Steps);
        }
        self.limits.budget.check()?;
        self.next_look = self.limits.steps.min(self.steps.saturating_add(PATIENCE));
        Ok(())
    }

    /// Holds the size of an automaton in the making against its limit.
    pub(crate) fn fits(&self, states: usize) -> Result<(), Limit> {
        if states > self.limits.states { Err(Limit::States) } else { Ok(()) }
    }

    /// Counts memory that is kept.
    pub(crate) fn keep(&mut self, bytes: usize) -> Result<(), Limit> {
        self.bytes = self.bytes.saturating_add(bytes);
        if self.bytes > self.limits.bytes { Err(Limit::Memory) } else { Ok(()) }
    }
}
