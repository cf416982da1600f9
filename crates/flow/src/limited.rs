//! Queues that limit themselves: who sends asks first whether there is room.
//!
//! A channel without limit is never full, but `nfull`, `full` and `len` still ask for the length. Where a step has seen
//! that a queue is short, the queue is short after it, too, however much the step adds. So take weights of the messages
//! of one queue and potentials of parts (of nothing that can be arbitrarily much), under which every *other* step gains
//! nothing. The weighted sum then rises only in steps after which it is no more than the short queue and the highest
//! potentials together; that, or what it is at the start, is the most that it ever is, and so the queue has a bound.
//! This holds also where others move between test and send: each process that has passed the test has a potential for
//! what it may still send.
//!
//! A poll that fails (`!(q ?? [m])`) says as much of one atom of the queue, which then has a bound of its own; if all have one,
//! so has the queue.
//!
//! A queue with such a bound does not grow, whatever else does: in a ranking its messages need not weigh anything.
//! Two queues are never argued about together, so it does not matter that they are not short at the same moment.

use crate::bounds::{self, Proved};
use crate::graph::Search;
use crate::net::{Counter, Net, Transition};
use crate::prove::{Prover, Shape};
use crate::weigh::{self, Frame, TooLarge, Weighed, gain, whole_numbers};
use linear::Rational;
use model::budget::Budget;
use model::flow_proof::Weights;
use std::collections::{BTreeSet, HashSet};

/// The bound of a queue that limits itself, or of one atom of it.
#[derive(Clone)]
pub struct Limit {
    /// The queue.
    pub queue: u32,
    /// The atom; none if all messages are counted.
    pub atom: Option<u32>,
    /// The bound.
    pub proved: Proved,
    /// The weights that prove it.
    pub weights: Weights,
}

/// The bounds of all queues that limit themselves and that count, else of those of their atoms that have one.
pub fn limits(net: &Net, shape: &Shape, counts: &dyn Fn(u32) -> bool, budget: &Budget) -> Vec<Limit> {
    let tested: BTreeSet<_> = net.transitions.iter().flat_map(|t| &t.lengths).map(|&(what, _)| what).collect();
    let sent: BTreeSet<u32> = net.counters.iter().filter_map(|c| queue_of(*c)).collect();
    let queues: BTreeSet<u32> = tested.iter().map(|&(queue, _)| queue).collect();
    let mut limits = Vec::new();
    for queue in queues.into_iter().filter(|queue| sent.contains(queue) && counts(*queue)) {
        let whole = limit(net, shape, Counted { queue, atom: None }, budget);
        if whole.is_none() {
            let atoms = tested.iter().filter(|(tested, atom)| *tested == queue && atom.is_some());
            limits.extend(atoms.filter_map(|&(_, atom)| limit(net, shape, Counted { queue, atom }, budget)));
        }
        limits.extend(whole);
    }
    limits
}

/// The messages of a queue, or those of one atom.
#[derive(Clone, Copy)]
struct Counted {
    queue: u32,
    atom: Option<u32>,
}

impl Counted {
    fn has(self, counter: Counter) -> bool {
        matches!(counter, Counter::Message(q, a) if q == self.queue && self.atom.is_none_or(|atom| atom == a))
    }

    /// How many there are after a transition at the most, if the transition tests that.
    fn after(self, net: &Net, transition: &Transition) -> Option<u64> {
        let seen =
            |atom| transition.lengths.iter().find(|(what, _)| *what == (self.queue, atom)).map(|(_, most)| *most);
        let each = || {
            let counted = net.counters.iter().filter(|counter| self.has(**counter));
            counted.map(|counter| if let Counter::Message(_, atom) = counter { seen(Some(*atom)) } else { None }).sum()
        };
        seen(None).or_else(each)
    }
}

/// The bounds of queues by weights under which no step at all gains, in which processes of any number may have weights at
/// some of their points and none at others.
pub fn by_paths(net: &Net, shape: &Shape, left_out: &[bool], budget: &Budget) -> Vec<Limit> {
    let left_out: HashSet<Counter> = net.counters.iter().zip(left_out).filter(|(_, l)| **l).map(|(c, _)| *c).collect();
    let mut limits = Vec::new();
    for part in net.parts() {
        let dropped = part.counters.iter().map(|counter| left_out.contains(counter)).collect();
        let prover = Prover::new(&part, shape, dropped, budget);
        let frame = Frame::new(&part, &vec![true; part.transitions.len()]);
        let counted = part.counters.iter().filter(|counter| !left_out.contains(counter));
        let queues: BTreeSet<u32> = counted.filter_map(|counter| queue_of(*counter)).collect();
        for queue in queues {
            let found = bounds::bound(&prover, &frame, (queue, &[]), &mut |work| budget.spend(work).is_ok());
            limits.extend(found.map(|(proved, weights)| Limit { queue, atom: None, proved, weights }));
        }
    }
    limits
}

fn queue_of(counter: Counter) -> Option<u32> {
    match counter {
        Counter::Message(queue, _) => Some(queue),
        _ => None,
    }
}

/// The bound of what is counted, if it limits itself.
fn limit(net: &Net, shape: &Shape, counted: Counted, budget: &Budget) -> Option<Limit> {
    let alive: Vec<bool> = net.transitions.iter().map(|t| counted.after(net, t).is_none()).collect();
    let least: Vec<Option<i64>> = net
        .counters
        .iter()
        .map(|counter| match counter {
            counter if counted.has(*counter) => Some(1),
            Counter::Value(..) => Some(0),
            _ => None,
        })
        .collect();
    let frame = Frame::new(net, &alive);
    let (weighed, _) = weigh::weigh(&frame, &least, &mut |work| budget.spend(work).is_ok());
    let Weighed::Weights(weights) = weighed else { return None };
    let prover = Prover::new(net, shape, vec![false; net.counters.len()], budget);
    Scales::new(&prover, &frame, &weights).ok()?.limit(net, counted)
}

/// Weights, and what they make of everything but messages.
struct Scales {
    weights: Weights,
    whole: Vec<i128>,
    /// Per instance: the potential of each node. Those of any number of processes have none.
    potentials: Vec<Vec<i128>>,
    /// the weights of parts at the start, and at the most, less the least.
    start: i128,
    span: i128,
}

impl Scales {
    fn new(prover: &Prover<'_, '_>, frame: &Frame<'_>, weights: &[Rational]) -> Result<Self, TooLarge> {
        let (net, whole) = (frame.net, whole_numbers(weights)?);
        let mut scales = Scales { weights: Weights::default(), whole, potentials: Vec::new(), start: 0, span: 0 };
        prover.fill(&mut scales.weights, &scales.whole, 1)?;
        for (instance, graph) in frame.graphs.iter().enumerate() {
            let idle = frame.counters[instance].iter().all(|&c| scales.whole[c as usize] == 0);
            if prover.shape.many[instance] || idle {
                scales.potentials.push(vec![0; graph.nodes]);
                continue;
            }
            let cost = |t: u32| gain(&net.transitions[t as usize].effects, |c| scales.whole[c as usize]);
            let Search::Distances(d) = graph.search(&cost) else { return Err(TooLarge) };
            let potentials: Vec<i128> = d.iter().map(|d| -d).collect();
            scales.weigh_part(&potentials, net.first[instance].iter().map(|&n| n as usize));
            let small = potentials.iter().map(|&p| i64::try_from(p).map_err(|_| TooLarge));
            scales.weights.nodes.insert(instance as u32, small.collect::<Result<_, _>>()?);
            scales.potentials.push(potentials);
        }
        for (f, followed) in (0u32..).zip(&net.followed) {
            let Some(values) = scales.weights.values.get(&f) else { continue };
            let values: Vec<i128> = values.iter().map(|&v| i128::from(v)).collect();
            scales.weigh_part(&values, followed.values.iter().position(|&v| v == followed.first).into_iter());
        }
        Ok(scales)
    }

    fn weigh_part(&mut self, potentials: &[i128], first: impl Iterator<Item = usize>) {
        let low = potentials.iter().min().copied().unwrap_or(0);
        let high = potentials.iter().max().copied().unwrap_or(0);
        self.start += first.map(|node| potentials[node] - low).max().unwrap_or(0);
        self.span += high - low;
    }

    /// What the weights prove of what is counted.
    fn limit(self, net: &Net, counted: Counted) -> Option<Limit> {
        let own = |(counter, weight): (&Counter, &i128)| counted.has(*counter).then_some(*weight);
        let messages: Vec<i128> = net.counters.iter().zip(&self.whole).filter_map(own).collect();
        let (lightest, heaviest) = (*messages.iter().min()?, *messages.iter().max()?);
        let rises = net.transitions.iter().filter(|t| self.gain(t) > 0);
        let each: Option<Vec<u64>> = rises.map(|t| counted.after(net, t)).collect();
        let longest = each?.into_iter().max();
        let short = longest.map_or(0, |length| heaviest.saturating_mul(i128::from(length)).saturating_add(self.span));
        let room = self.start.max(short);
        let (at_most, unit) = (u64::try_from(room / lightest).ok()?, i64::try_from(lightest).ok()?);
        let Counted { queue, atom } = counted;
        Some(Limit { queue, atom, proved: Proved { at_most, unit, room }, weights: self.weights })
    }

    /// What a transition adds to the sum.
    fn gain(&self, transition: &Transition) -> i128 {
        let potentials = &self.potentials[transition.instance as usize];
        let moved = potentials[transition.to as usize] - potentials[transition.from as usize];
        moved + gain(&transition.effects, |counter| self.whole[counter as usize])
    }
}
