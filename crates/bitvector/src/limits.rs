//! How much a query may cost, and why it has no answer when it cost too much.

use std::fmt;
use std::time::Instant;

/// What a query may use. The default has no limit.
#[derive(Clone, Copy, Default)]
pub struct Limits<'a> {
    /// Stop at this time.
    pub deadline: Option<Instant>,
    /// Stop after so many conflicts of the search.
    pub conflicts: Option<u64>,
    /// Stop when the solver's own tables are larger than so many bytes, about.
    pub memory: Option<usize>,
    /// Stop when this says true. It is asked often, at least every few milliseconds.
    pub stop: Option<&'a dyn Fn() -> bool>,
}

/// Places in the tables are numbers of 32 bits; this keeps far below them when the caller sets no limit.
const MOST_MEMORY: usize = 8 << 30;

impl Limits<'_> {
    /// No limit at all.
    pub fn none() -> Limits<'static> {
        Limits::default()
    }

    /// Are tables of this size too large?
    pub(crate) fn too_large(&self, bytes: usize) -> bool {
        bytes > self.memory.unwrap_or(MOST_MEMORY).min(MOST_MEMORY)
    }

    /// Time and the caller's wish; the reason to stop now, if there is one.
    pub(crate) fn exceeded(&self) -> Option<Reason> {
        if self.stop.is_some_and(|stop| stop()) {
            return Some(Reason::Stopped);
        }
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Some(Reason::Deadline);
        }
        None
    }
}

impl fmt::Debug for Limits<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Limits")
            .field("deadline", &self.deadline)
            .field("conflicts", &self.conflicts)
            .field("memory", &self.memory)
            .finish_non_exhaustive()
    }
}

/// Why there is no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reason {
    /// The time is up.
    Deadline,
    /// As many conflicts as were allowed.
    Conflicts,
    /// The solver's tables are as large as was allowed.
    Memory,
    /// The caller wished it.
    Stopped,
    /// A solver did not start, died, or said something that was not understood.
    Solver(String),
    /// A solver gave a model that does not satisfy the question. It must be reported.
    WrongModel(String),
    /// Two solvers gave opposite answers. It must be reported.
    Disagreement(String),
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Deadline => write!(f, "the time for the solver is up"),
            Reason::Conflicts => write!(f, "the solver had as many conflicts as it may"),
            Reason::Memory => write!(f, "the solver uses as much memory as it may"),
            Reason::Stopped => write!(f, "the solver was stopped"),
            Reason::Solver(what) => write!(f, "{what}"),
            Reason::WrongModel(what) => write!(f, "a solver is wrong: {what}"),
            Reason::Disagreement(what) => write!(f, "two solvers disagree: {what}"),
        }
    }
}
