//! The proof that something stays possible, for queues of any length: from every configuration that is reached, each machine
//! that has not ended can move again, or each queue that holds a message can give away its head.
//!
//! Each machine, or each queue, is an *obligation*. It is open where the machine has transitions, or the queue holds a
//! message, and a step of the machine, or a receive from the queue, discharges it. The proof is an inductive invariant and,
//! for each obligation, *regions* of configurations, one transition for each. Every configuration of the invariant in which
//! the obligation is open lies in a region, and the transition of each region is enabled in all of it. It discharges the
//! obligation, or leads to regions with a lower rank.
//!
//! The rank is lexicographic and well-founded: the stage; in a stage that drains a queue, the number of messages in that
//! queue; the layer. So within a stage a transition either takes a message from the queue that is drained, whatever the
//! layer, or sends none to it and lowers the layer.
//!
//! Losses are no transitions: a lossy channel that keeps its messages is what must suffice.

use crate::queue_proof::QueueProof;
use serde::{Deserialize, Serialize};

/// An invariant over queues, and how each obligation is discharged.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct QueueRanking {
    /// What is reached; its automata are those of the regions, too.
    pub invariant: QueueProof,
    /// By machine, or by channel: the stages, the lowest first.
    pub obligations: Vec<Vec<Stage>>,
}

/// Regions that are left for lower stages only.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Stage {
    /// The channel that is drained, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drains: Option<u32>,
    /// The regions.
    pub regions: Vec<Region>,
}

/// Configurations with one control state in which the same transition is taken.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Region {
    /// The location of each machine.
    pub control: Vec<u32>,
    /// The set of queue contents, by its place among the automata.
    pub automaton: u32,
    /// The machine that moves.
    pub machine: u32,
    /// Its transition, by its place among those of the location.
    pub transition: u32,
    /// The rank within the stage.
    pub layer: u32,
}
