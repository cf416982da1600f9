//! How much time and memory the operations may take, and what comes back when it was not enough.

use std::fmt;
use std::sync::Arc;
use std::time::Instant;

/// Bounds on the work of a [`crate::Languages`]. The default has none but a very large one on single automata.
#[derive(Clone)]
pub struct Limits {
    /// How many states an automaton may have while it is built.
    pub states: usize,
    /// How many bytes all automata and remembered results may take, by our own estimate.
    pub bytes: usize,
    /// How many elementary steps may be done in total.
    pub steps: u64,
    /// When to stop.
    pub deadline: Option<Instant>,
    /// Asked now and then; `true` stops.
    pub interrupt: Option<Arc<dyn Fn() -> bool + Send + Sync>>,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { states: 1 << 20, bytes: usize::MAX, steps: u64::MAX, deadline: None, interrupt: None }
    }
}

impl fmt::Debug for Limits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Limits")
            .field("states", &self.states)
            .field("bytes", &self.bytes)
            .field("steps", &self.steps)
            .field("deadline", &self.deadline)
            .finish_non_exhaustive()
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

/// How often the clock is read: once in this many steps.
const PATIENCE: u64 = 1 << 12;

/// The work done so far, held against the limits.
#[derive(Debug, Default)]
pub(crate) struct Budget {
    pub(crate) limits: Limits,
    pub(crate) steps: u64,
    pub(crate) bytes: usize,
    next_look: u64,
}

impl Budget {
    pub(crate) fn new(limits: Limits) -> Self {
        Budget { limits, steps: 0, bytes: 0, next_look: 0 }
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
        if self.limits.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Err(Limit::Deadline);
        }
        if self.limits.interrupt.as_ref().is_some_and(|asked| asked()) {
            return Err(Limit::Interrupted);
        }
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
