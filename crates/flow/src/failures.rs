//! How much a queue holds at the moment when a run fails.
//!
//! Statements of an atomic sequence are composed to one step. If one of them always fails (an index out of range, a
//! division by zero), there is no such step, and no transition of the net. But what was sent before it is in the queues
//! when the run ends, and a queue is as long then as it is. So a bound that weights prove for all steps is raised to
//! what it can be at such a moment: the process no longer has the potential of its node, what it took is gone, and
//! each message that it sent to the queue weighs a unit.

use crate::bounds::Proved;
use crate::step::Traffic;
use model::flow_proof::Weights;
use std::collections::{BTreeMap, HashSet};

/// A step that fails on the way.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Failure {
    instance: u32,
    node: u32,
    /// What it has taken: queue and atom.
    taken: Vec<(u32, u32)>,
    /// The queues that it has sent to, once for each message.
    sent: Vec<u32>,
}

impl Failure {
    /// A step of an instance from a node, after this traffic.
    pub fn new(instance: u32, node: u32, traffic: &[Traffic]) -> Self {
        let mut failure = Failure { instance, node, taken: Vec::new(), sent: Vec::new() };
        for message in traffic {
            match message {
                Traffic::Sent(queue, _) => failure.sent.push(*queue),
                Traffic::Taken(queue, atom) => failure.taken.push((*queue, *atom)),
            }
        }
        failure
    }

    /// It has sent to a queue.
    pub fn sends_to(&self, queue: u32) -> bool {
        self.sent.contains(&queue)
    }

    /// The most that a queue holds then.
    fn most(&self, queue: u32, proved: Proved, weights: &Weights, many: bool) -> Option<u64> {
        let sent = self.sent.iter().filter(|&&to| to == queue).count() as i128;
        let potentials = weights.nodes.get(&self.instance);
        let lowest = potentials.filter(|_| !many).and_then(|potentials| potentials.numbers().min()).unwrap_or(0);
        let own = potentials.and_then(|potentials| potentials.get(self.node)).unwrap_or(0);
        let own = i128::from(own) - i128::from(lowest);
        let taken: i128 = self.taken.iter().map(|&(queue, atom)| entry(&weights.messages, queue, atom)).sum();
        let unit = i128::from(proved.unit);
        let most = (proved.room - own - taken + unit * sent).div_euclid(unit);
        u64::try_from(most).ok().filter(|_| sent > 0)
    }
}

fn entry(entries: &BTreeMap<u32, Vec<i64>>, at: u32, index: u32) -> i128 {
    entries.get(&at).and_then(|e| e.get(index as usize)).map_or(0, |&w| i128::from(w))
}

/// What a queue can hold at the most, also when a step fails. `many` says of which instances there are any number of
/// processes.
pub fn raised(failures: &HashSet<Failure>, many: &[bool], queue: u32, proved: Proved, weights: &Weights) -> u64 {
    let each = failures.iter().filter_map(|f| f.most(queue, proved, weights, many[f.instance as usize]));
    each.max().unwrap_or(0).max(proved.at_most)
}
