//! An invariant over queues that also counts: sums of numbers of messages and of numbers of locations that no step changes.
//!
//! A *relation* gives each message in each channel a weight and each location of each machine a potential. Their sum, over
//! all messages in the queues and the locations where the machines are, stays what it was in the beginning, or the same
//! modulo a number. That two queues are equally long is such a relation, and no set of automata says it.
//!
//! What is reached has contents that lie in the set of its control state and satisfy all relations.

use crate::queue_proof::QueueProof;
use serde::{Deserialize, Serialize};

/// An invariant over queues, and relations.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct QueueCounts {
    /// The sets of queue contents. Alone they need not prove the property.
    pub invariant: QueueProof,
    /// The relations.
    pub relations: Vec<Relation>,
}

/// A sum that no step changes.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Relation {
    /// Sums are equal modulo this; without it they are equal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modulus: Option<u32>,
    /// The weights that are not 0: channel, message, weight.
    pub weights: Vec<(u32, u32, i64)>,
    /// By machine and location.
    pub potentials: Vec<Vec<i64>>,
}
