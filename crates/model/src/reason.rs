//! Why there is no answer: one closed list for every engine and front end.

use crate::fault::Overflow;
use std::fmt;

/// Why there is no answer. A limit is never a proof.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reason {
    /// The time is up.
    Timeout,
    /// The memory is used up.
    Memory,
    /// As many states as were allowed.
    States,
    /// Deeper than was allowed.
    Depth,
    /// States were remembered by a few bits each, and some may have been missed.
    Bitstate,
    /// A file could not be written or read during the work.
    Disk(String),
    /// A process that shared the work was lost.
    Worker(String),
    /// A number outgrew what is computed with.
    Numbers(String),
    /// One of the tool's own bounds.
    Limit(String),
    /// The user stopped it.
    Interrupted,
    /// The search ended at a violation of another property.
    StoppedEarly,
    /// A run ends in an error, and what would come after it is not known.
    Crash(String),
    /// The model has nothing that the property is about.
    NotApplicable(String),
    /// Not possible yet, or not for this model.
    NotSupported(String),
    /// No proof was found, and no run that shows the opposite.
    NotProvable(String),
    /// Two parts of the tool contradict each other: a bug.
    Internal(String),
}

impl Reason {
    /// A short name for JSON.
    pub fn code(&self) -> &'static str {
        match self {
            Reason::Timeout => "timeout",
            Reason::Memory => "memory",
            Reason::States => "states",
            Reason::Depth => "depth",
            Reason::Bitstate => "bitstate",
            Reason::Disk(_) => "disk",
            Reason::Worker(_) => "worker",
            Reason::Numbers(_) => "numbers",
            Reason::Limit(_) => "limit",
            Reason::Interrupted => "interrupted",
            Reason::StoppedEarly => "stopped-early",
            Reason::Crash(_) => "crash",
            Reason::NotApplicable(_) => "not-applicable",
            Reason::NotSupported(_) => "not-supported",
            Reason::NotProvable(_) => "not-provable",
            Reason::Internal(_) => "internal",
        }
    }

    /// The exit code where this is why a property has no answer.
    pub fn exit_code(&self) -> i32 {
        if matches!(self, Reason::Internal(_)) { 101 } else { 3 }
    }
}

impl From<Overflow> for Reason {
    fn from(overflow: Overflow) -> Self {
        Reason::Limit(overflow.to_string())
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Timeout => write!(f, "the time limit was reached (--timeout)"),
            Reason::Memory => write!(f, "the memory limit was reached (--memory)"),
            Reason::States => write!(f, "the limit on states was reached (--max-states)"),
            Reason::Depth => write!(f, "the limit on depth was reached (--max-depth)"),
            Reason::Bitstate => {
                write!(f, "states were remembered by a few bits each (--bitstate): some may have been missed")
            }
            Reason::Interrupted => write!(f, "interrupted"),
            Reason::StoppedEarly => {
                write!(f, "the search stopped at a violation of another property (--keep-going goes on)")
            }
            Reason::Crash(fault) => write!(f, "a run ends in an error, and what would follow is not known: {fault}"),
            Reason::Disk(what) | Reason::Worker(what) | Reason::Numbers(what) | Reason::Limit(what) => {
                write!(f, "{what}")
            }
            Reason::NotApplicable(what) | Reason::NotSupported(what) | Reason::NotProvable(what) => {
                write!(f, "{what}")
            }
            Reason::Internal(what) => write!(f, "internal error, please report this: {what}"),
        }
    }
}

impl std::error::Error for Reason {}
