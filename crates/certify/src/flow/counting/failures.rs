//! Failures: what a step leaves in queues when it fails before it comes to a node. Bounds hold at that moment, too.

use crate::flow::paths::{Path, Traffic};

/// A step that fails in the middle of an atomic sequence, after it has sent something: the run ends there.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(in crate::flow) struct Failure {
    /// The instance.
    pub(in crate::flow) instance: u32,
    /// The node that it has left.
    pub(in crate::flow) from: u32,
    /// What it has taken: queue and atom.
    pub(in crate::flow) taken: Vec<(u32, u32)>,
    /// The queues that it has sent to, once for each message.
    pub(in crate::flow) sent: Vec<u32>,
}

impl Failure {
    pub(in crate::flow) fn new(instance: u32, from: u32, path: &Path) -> Self {
        let mut failure = Failure { instance, from, taken: Vec::new(), sent: Vec::new() };
        for traffic in path.shown() {
            match traffic {
                Traffic::Sent(queue, _) => failure.sent.push(*queue),
                Traffic::Taken(queue, atom) => failure.taken.push((*queue, *atom)),
            }
        }
        failure
    }
}
