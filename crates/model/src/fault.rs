//! What can go wrong while a model runs: errors *of the model*, each of which violates `safety`.

use crate::source::Span;
use std::fmt;

/// An error of the model at run time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fault {
    /// An assertion does not hold.
    Assertion,
    /// An array has no such element.
    Index {
        /// The variable.
        variable: String,
        /// The index that was used.
        index: i32,
        /// The number of elements.
        len: u32,
    },
    /// Division, or remainder, by zero.
    DivisionByZero,
    /// A channel variable that no channel was assigned to.
    NoChannel,
    /// A reference to a channel whose process has ended.
    DeadChannel,
    /// A message with another number of fields than the channel has.
    FieldCount {
        /// How many the statement has.
        given: usize,
        /// How many the channel has.
        expected: usize,
    },
    /// The contents of a rendezvous channel were requested.
    PollRendezvous,
    /// A statement inside a deterministic step cannot be executed.
    BlockedStep,
    /// A deterministic step that does not end.
    EndlessStep,
    /// A rendezvous inside a deterministic step.
    RendezvousInStep,
    /// `enabled(_pid)`: a process may not ask about itself.
    EnabledSelf,
}

impl Fault {
    /// All codes.
    pub const CODES: [&'static str; 11] = [
        "assertion",
        "index-out-of-range",
        "division-by-zero",
        "uninitialised-channel",
        "dead-channel",
        "field-count",
        "poll-rendezvous",
        "blocked-d_step",
        "endless-d_step",
        "rendezvous-in-d_step",
        "enabled-self",
    ];

    /// A short name, for JSON and for `highwater explain`.
    pub fn code(&self) -> &'static str {
        match self {
            Fault::Assertion => "assertion",
            Fault::Index { .. } => "index-out-of-range",
            Fault::DivisionByZero => "division-by-zero",
            Fault::NoChannel => "uninitialised-channel",
            Fault::DeadChannel => "dead-channel",
            Fault::FieldCount { .. } => "field-count",
            Fault::PollRendezvous => "poll-rendezvous",
            Fault::BlockedStep => "blocked-d_step",
            Fault::EndlessStep => "endless-d_step",
            Fault::RendezvousInStep => "rendezvous-in-d_step",
            Fault::EnabledSelf => "enabled-self",
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Assertion => write!(f, "assertion violated"),
            Fault::Index { variable, index, len } => {
                write!(f, "index {index} out of range: `{variable}` has {len} elements")
            }
            Fault::DivisionByZero => write!(f, "division by zero"),
            Fault::NoChannel => write!(f, "the channel variable does not refer to a channel"),
            Fault::DeadChannel => write!(f, "the channel belongs to a process that has ended"),
            Fault::FieldCount { given, expected } => {
                write!(f, "{given} message fields, but the channel has {expected}")
            }
            Fault::PollRendezvous => write!(f, "a rendezvous channel has no contents to ask for"),
            Fault::BlockedStep => write!(f, "a statement inside d_step cannot be executed"),
            Fault::EndlessStep => write!(f, "d_step does not end"),
            Fault::RendezvousInStep => write!(f, "rendezvous inside d_step"),
            Fault::EnabledSelf => write!(f, "enabled() of the process itself"),
        }
    }
}

/// A fault and the statement that caused it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FaultAt {
    /// What went wrong.
    pub fault: Fault,
    /// The statement.
    pub span: Span,
}

/// Why a successor could not be computed, other than by a fault of the model: the tool's own limits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Overflow {
    /// More different stacks of process types than can be distinguished.
    Shapes,
    /// A queue of more than 65535 messages.
    QueueLength,
    /// More than 255 processes at a time, where `pid` is a byte as in SPIN.
    Processes,
    /// More than 255 channels at a time, where a reference to one is a byte as in SPIN.
    Channels,
    /// More states than have numbers.
    States,
}

impl fmt::Display for Overflow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Overflow::Shapes => write!(f, "more than 65535 different sets of processes"),
            Overflow::QueueLength => write!(f, "a queue of more than 65535 messages"),
            Overflow::Processes => write!(f, "more than 255 processes at a time"),
            Overflow::Channels => write!(f, "more than 255 channels at a time"),
            Overflow::States => write!(f, "more than 4294967294 states"),
        }
    }
}
