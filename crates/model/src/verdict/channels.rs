//! What is said about channels, and about cycles that may fill them.

use crate::source::Span;

/// What is known of how long a channel gets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ChannelState {
    /// It stays finite.
    Bounded,
    /// A run fills it without end.
    Unbounded,
    /// Neither is known.
    Inconclusive,
}

impl ChannelState {
    /// The name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            ChannelState::Bounded => "bounded",
            ChannelState::Unbounded => "unbounded",
            ChannelState::Inconclusive => "inconclusive",
        }
    }
}

/// A channel and how long it gets.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChannelVerdict {
    /// Its name in the source: `ts[0]`, `P[2]:c`, `P[*]:c`.
    pub name: String,
    /// Whether it stays finite.
    pub state: ChannelState,
    /// The declared capacity; none if there is no limit by nature.
    pub declared: Option<u32>,
    /// It never holds more than this.
    pub proved_at_most: Option<u64>,
    /// What weights alone prove, where a search over all states proved less.
    pub weights_at_most: Option<u64>,
    /// A run fills it so far.
    pub reached: Option<u64>,
    /// What one round of the growing run adds, where it is unbounded.
    pub gain: Option<i64>,
    /// The kinds of messages that can be in it.
    pub messages: Vec<String>,
    /// Process types that send to it.
    pub senders: Vec<String>,
    /// Process types that take from it.
    pub receivers: Vec<String>,
    /// Where it is declared.
    pub span: Span,
}

impl ChannelVerdict {
    /// The bound is reached: no smaller one holds.
    pub fn is_exact(&self) -> bool {
        self.proved_at_most.is_some() && self.proved_at_most == self.reached
    }
}

/// A cycle of one process in an unrefuted combination.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CycleVerdict {
    /// The process: `P[1]`, or `P[*]` for any number.
    pub process: String,
    /// How often it is taken, relative to the others.
    pub times: String,
    /// Its statements, in order, with their places.
    pub statements: Vec<(String, Span)>,
    /// What one round adds to, or takes from, channels.
    pub effects: Vec<(String, i64)>,
}
