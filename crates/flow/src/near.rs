//! Bounds that need few processes: those that use a queue, and nothing that others use, too.
//!
//! One problem over everything, for each queue, grows with the square of the system; most queues are bounded by what the two
//! or three processes around them do. So the weights of a bound are looked for close to its queue first: everything that a
//! process farther away touches weighs nothing. What that proves is a bound like any other.
//! A process near the queue may still be large (a loop over all the others, say); most of what it does is then without
//! effect here, and is contracted.

use crate::bounds::{self, Proved};
use crate::net::{Arrivals, Counter, Merged, Net};
use crate::prove::{Prover, Shape};
use crate::weigh::Frame;
use model::budget::Budget;
use model::flow_proof::Weights;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::rc::Rc;

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
    /// The queues that some process takes messages from.
    read: HashSet<u32>,
    /// Per instance: the counters that no other process changes.
    own: Vec<Vec<u32>>,
    /// Per counter: the transitions that change it.
    changed_by: Vec<Vec<u32>>,
    /// Per instance, once it was near a queue: the ways into its nodes.
    arrivals: RefCell<HashMap<u32, Rc<Arrivals>>>,
}

impl<'n> Near<'n> {
    /// The users of a net's counters, some of which are left out.
    pub fn new(net: &'n Net, shape: &'n Shape, left_out: &'n HashSet<Counter>) -> Self {
        let mut users = vec![BTreeSet::new(); net.counters.len()];
        let mut touched = vec![BTreeSet::new(); net.of_instance.len()];
        let (mut queues, mut read) = (HashMap::<u32, BTreeSet<u32>>::new(), HashSet::new());
        let mut changed_by = vec![Vec::new(); net.counters.len()];
        for (id, transition) in (0u32..).zip(&net.transitions) {
            for &(counter, change) in &transition.effects {
                changed_by[counter as usize].push(id);
                users[counter as usize].insert(transition.instance);
                touched[transition.instance as usize].insert(counter);
                if let Counter::Message(queue, _) = net.counters[counter as usize] {
                    queues.entry(queue).or_default().insert(transition.instance);
                    read.extend((change < 0).then_some(queue));
                }
            }
        }
        let mut own = vec![Vec::new(); net.of_instance.len()];
        for (counter, users) in (0u32..).zip(&users) {
            if let (Some(&only), 1) = (users.first(), users.len()) {
                own[only as usize].push(counter);
            }
        }
        Near { net, shape, left_out, users, touched, queues, read, own, changed_by, arrivals: RefCell::default() }
    }

    /// Whether some process takes messages from a queue.
    pub fn is_read(&self, queue: u32) -> bool {
        self.read.contains(&queue)
    }

    /// The least bound of a queue that weights near it prove. One that no process reads may always be empty: then a
    /// bound of 1 is not the end.
    pub fn bound(&self, queue: u32, budget: &Budget) -> Option<(Proved, Weights)> {
        let mut near = self.queues.get(&queue)?.clone();
        let (is_read, mut best) = (self.is_read(queue), None);
        for _ in 0..MOST_STEPS {
            if near.len() > MOST_NEAR || near.len() == self.net.of_instance.len() || budget.check().is_err() {
                return best;
            }
            let instances: Vec<u32> = near.iter().copied().collect();
            best = self.among(&near, &instances, queue, budget).or(best);
            let is_done = best.as_ref().is_some_and(|(proved, _)| is_read || proved.at_most == 0);
            if is_done || near.iter().any(|&instance| self.touched[instance as usize].len() > MOST_TOUCHED) {
                return best;
            }
            let around = instances.iter().flat_map(|&instance| &self.touched[instance as usize]);
            near.extend(around.flat_map(|&counter| &self.users[counter as usize]));
        }
        best
    }

    /// The same, by weights of what only these instances change.
    fn among(&self, near: &BTreeSet<u32>, instances: &[u32], queue: u32, budget: &Budget) -> Option<(Proved, Weights)> {
        // What several of them share, another one than the largest touches, too.
        let largest = instances.iter().copied().max_by_key(|&instance| self.touched[instance as usize].len())?;
        let others = instances.iter().filter(|&&instance| instance != largest);
        let touched = others.flat_map(|&instance| &self.touched[instance as usize]).chain(&self.own[largest as usize]);
        let touched = touched.copied();
        let counted = touched.filter(|&counter| {
            let users = &self.users[counter as usize];
            users.len() <= near.len()
                && users.is_subset(near)
                && !self.left_out.contains(&self.net.counters[counter as usize])
        });
        let counted: HashSet<u32> = counted.collect();
        let mut effective: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
        for &id in counted.iter().flat_map(|&counter| &self.changed_by[counter as usize]) {
            effective.entry(self.net.transitions[id as usize].instance).or_default().insert(id);
        }
        let of_instance =
            |instance: &u32| self.arrivals(*instance).merged(self.net, effective.entry(*instance).or_default());
        let merged: Vec<Merged> = instances.iter().map(of_instance).collect();
        let part = self.net.part(instances, &|counter| counted.contains(&counter), &merged);
        let prover = Prover::new(&part, self.shape, vec![false; part.counters.len()], budget);
        let frame = Frame::new(&part, &vec![true; part.transitions.len()]);
        let (proved, mut weights) =
            bounds::bound(&prover, &frame, (queue, &[]), &mut |work| budget.spend(work).is_ok())?;
        for (&instance, merged) in instances.iter().zip(&merged) {
            let id = self.net.ids[instance as usize];
            if let Some(potentials) = weights.nodes.get_mut(&id).filter(|_| !self.shape.many[id as usize]) {
                *potentials = merged.spread(potentials);
            }
        }
        Some((proved, weights))
    }

    fn arrivals(&self, instance: u32) -> Rc<Arrivals> {
        let mut known = self.arrivals.borrow_mut();
        Rc::clone(known.entry(instance).or_insert_with(|| Rc::new(Arrivals::new(self.net, instance))))
    }
}
