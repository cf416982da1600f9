//! Bounds that need few processes: those that use a queue, and nothing that others use, too.
//!
//! One problem over everything, for each queue, grows with the square of the system; most queues are bounded by what the two
//! or three processes around them do. So the weights of a bound are looked for close to its queue first: everything that a
//! process farther away touches weighs nothing. What that proves is a bound like any other.

use crate::bounds::{self, Proved};
use crate::net::{Counter, Net};
use crate::prove::{Prover, Shape};
use crate::weigh::Frame;
use model::budget::Budget;
use model::flow_proof::Weights;
use std::collections::{BTreeSet, HashMap, HashSet};

/// More processes than these are not near.
const MOST_NEAR: usize = 8;
/// How often the neighbours are added.
const MOST_STEPS: usize = 2;

/// A process that touches more than this has too many neighbours.
const MOST_TOUCHED: usize = 64;

/// Who uses what.
pub struct Near<'n> {
    net: &'n Net,
    shape: &'n Shape,
    left_out: &'n HashSet<Counter>,
    /// Per counter: the instances that change it.
    users: Vec<BTreeSet<u32>>,
    /// Per instance: the counters that it changes.
    touched: Vec<BTreeSet<u32>>,
    /// Per queue: the instances that send to it or take from it.
    queues: HashMap<u32, BTreeSet<u32>>,
}

impl<'n> Near<'n> {
    /// The users of a net's counters, some of which are left out.
    pub fn new(net: &'n Net, shape: &'n Shape, left_out: &'n HashSet<Counter>) -> Self {
        let mut users = vec![BTreeSet::new(); net.counters.len()];
        let mut touched = vec![BTreeSet::new(); net.of_instance.len()];
        let mut queues: HashMap<u32, BTreeSet<u32>> = HashMap::new();
        for transition in &net.transitions {
            for &(counter, _) in &transition.effects {
                users[counter as usize].insert(transition.instance);
                touched[transition.instance as usize].insert(counter);
                if let Counter::Message(queue, _) = net.counters[counter as usize] {
                    queues.entry(queue).or_default().insert(transition.instance);
                }
            }
        }
        Near { net, shape, left_out, users, touched, queues }
    }

    /// The least bound of a queue that weights near it prove.
    pub fn bound(&self, queue: u32, budget: &Budget) -> Option<(Proved, Weights)> {
        let mut near = self.queues.get(&queue)?.clone();
        for _ in 0..MOST_STEPS {
            if near.len() > MOST_NEAR || near.len() == self.net.of_instance.len() || budget.check().is_err() {
                return None;
            }
            let instances: Vec<u32> = near.iter().copied().collect();
            let counts = |counter: u32| {
                self.users[counter as usize].is_subset(&near)
                    && !self.left_out.contains(&self.net.counters[counter as usize])
            };
            let part = self.net.part(&instances, &counts);
            let prover = Prover::new(&part, self.shape, vec![false; part.counters.len()], budget);
            let frame = Frame::new(&part, &vec![true; part.transitions.len()]);
            let found = bounds::bound(&prover, &frame, queue, &mut || budget.check().is_ok());
            if found.is_some() || near.iter().any(|&instance| self.touched[instance as usize].len() > MOST_TOUCHED) {
                return found;
            }
            let around = instances.iter().flat_map(|&instance| &self.touched[instance as usize]);
            near.extend(around.flat_map(|&counter| &self.users[counter as usize]));
        }
        None
    }
}
