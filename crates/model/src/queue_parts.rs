//! An invariant over queues in parts, each about a few machines only.
//!
//! A *part* names some machines. What the others do is left out of it, and so are the messages that others send, or might
//! take: they may come at any time. What it says of its machines holds in the whole system, so that all parts hold
//! together, and the product of all machines is never listed.
//!
//! What others send can be known better: a *history* is a language of all that is ever written to a channel. It is closed
//! under prefixes. A part *keeps* a history if it has all machines that write to the channel, and none of them ever writes
//! anything else; a part *follows* a history if it has the only machine that reads from the channel, which then gets nothing else.
//! That parts rely on each other is no circle: what is read was written before.
//!
//! Beside parts there are [`Weights`]: a sum over all places of processes and all messages that no step raises, whatever
//! the order of messages and however many processes are created. A server lends one lock, so that no two clients have it.

use crate::queue_proof::QueueProof;
use serde::{Deserialize, Serialize};

/// Parts, and what they know of each other.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct QueueParts {
    /// The bad configurations that were given beside the model. If there are any, they are meant instead of those of the
    /// model.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bad: Vec<String>,
    /// At most one for each channel.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub histories: Vec<History>,
    /// The parts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<Part>,
    /// Sums that no step raises.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sums: Vec<Weights>,
}

/// What each process weighs where it is, each message in its channel, and each unit of a shared variable that only counts.
/// What is not listed weighs nothing. No step raises the sum.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Weights {
    /// By machine and location.
    pub locations: Vec<Vec<u32>>,
    /// Shared variables with a channel, the first field of messages, and the weight of those.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<(u32, i32, u32)>,
    /// Shared variables that are counted up and down, and the weight of 1.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub counters: Vec<(u32, u32)>,
}

/// What is ever written to a channel. Every state of the automaton accepts; it starts in state 0.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct History {
    /// The channel.
    pub channel: u32,
    /// By state: messages, and the states that they lead to.
    pub edges: Vec<Vec<(u32, u32)>>,
}

/// An invariant about some machines.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Part {
    /// The machines, in increasing order.
    pub machines: Vec<u32>,
    /// The channels whose histories it follows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub follows: Vec<u32>,
    /// The channels whose histories it keeps.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keeps: Vec<u32>,
    /// A control state has the locations of its machines, then the states of the histories that it follows, as far as they
    /// have been read, then those of the histories that it keeps, as far as they have been written. The words have only
    /// messages that machines of the part alone send to a channel from which they alone read, and which it does not follow.
    pub invariant: QueueProof,
}
