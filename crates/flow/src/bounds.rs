//! How much a queue can hold: the path form of the same flow.
//!
//! Now every step counts, not only those that are taken again and again. Under weights for which *no* step gains, the
//! weighted sum never exceeds what it is at the start plus, for each single instance, the most that a way from its
//! first node gains. Weights of at least 1 for the messages of the queue make that a bound; the least such bound is found
//! by generating rows, cycles that gain and ways that gain more than is allowed (Ciclo IV-D takes the acyclic part
//! component by component, which gives 3 where this gives 2).

use crate::graph::Search;
use crate::net::{Counter, Net};
use crate::prove::Prover;
use crate::weigh::{Frame, Master, TooLarge, Weighed, gain, whole_numbers};
use linear::{Rational, Variable};
use model::flow_proof::Weights;
use std::collections::{BTreeMap, HashMap};

/// A bound and its weights.
pub struct QueueBound {
    /// The most messages.
    pub at_most: u64,
    /// The weights.
    pub weights: Weights,
    /// What a message weighs at least.
    pub unit: i64,
}

/// The least bound of a queue that weights can prove; `None` if there is none, or no time.
pub fn bound(
    prover: &Prover<'_, '_>,
    frame: &Frame<'_>,
    queue: u32,
    keep_going: &mut dyn FnMut() -> bool,
) -> Option<QueueBound> {
    let net = frame.net;
    let least: Vec<Option<i64>> = net
        .counters
        .iter()
        .zip(&prover.dropped)
        .map(|(c, &dropped)| match c {
            _ if dropped => None,
            Counter::Message(q, _) if *q == queue => Some(1),
            _ => Some(0),
        })
        .collect();
    let cost = |counter: u32| first(net, counter);
    let mut master = Master::new(frame, &least, &cost);
    let mut allowances = Allowances::default();
    loop {
        let Weighed::Weights(weights) = master.generate(keep_going) else { return None };
        if !allowances.demand(&mut master, frame, &weights).ok()? {
            return finish(prover, frame, queue, &weights).ok();
        }
        if master.solve(keep_going).is_some() {
            return None;
        }
    }
}

/// What a counter holds at the start.
fn first(net: &Net, counter: u32) -> i64 {
    match net.counters[counter as usize] {
        Counter::Distance(number) => net.first_distance[number as usize],
        _ => net.first_count[counter as usize],
    }
}

/// What each instance, and each followed variable, may gain.
#[derive(Default)]
struct Allowances {
    instances: HashMap<u32, Variable>,
    followed: HashMap<u32, Variable>,
}

impl Allowances {
    /// Adds a row for every instance that gains more than it is allowed; `false` if there is none.
    fn demand(&mut self, master: &mut Master<'_, '_>, frame: &Frame<'_>, weights: &[Rational]) -> Result<bool, TooLarge> {
        let net = frame.net;
        let mut added = false;
        for instance in 0..frame.graphs.len() as u32 {
            let counters = &frame.counters[instance as usize];
            if counters.iter().all(|&c| weights[c as usize].is_zero()) {
                continue;
            }
            let allowed = self.instances.get(&instance).map_or(Rational::from(0), |&v| master.problem.value(v));
            let mut used: Vec<Rational> = counters.iter().map(|&c| weights[c as usize].clone()).collect();
            used.push(allowed);
            let whole = whole_numbers(&used)?;
            let allowed = whole[counters.len()];
            let whole: HashMap<u32, i128> = counters.iter().copied().zip(whole).collect();
            let cost = |t: u32| gain(&net.transitions[t as usize].effects, |c| whole[&c]);
            let (length, way) = frame.graphs[instance as usize].longest(&net.first[instance as usize], &cost);
            if length > allowed {
                let problem = &mut master.problem;
                let variable = *self.instances.entry(instance).or_insert_with(|| problem.add_variable(Rational::from(1)));
                let effects = frame.effect(&way);
                master.add_other(&effects, &[(variable, Rational::from(-1))], 0);
                added = true;
            }
        }
        Ok(added | self.demand_values(master, net, weights))
    }

    fn demand_values(&mut self, master: &mut Master<'_, '_>, net: &Net, weights: &[Rational]) -> bool {
        let index: HashMap<Counter, u32> = net.counters.iter().copied().zip(0..).collect();
        let mut added = false;
        for (f, followed) in (0u32..).zip(&net.followed) {
            let value = |v: u32| index.get(&Counter::Value(f, v)).copied();
            let weight = |v: u32| value(v).map_or(Rational::from(0), |c| weights[c as usize].clone());
            let start = followed.values.iter().position(|&v| v == followed.first).unwrap_or(0) as u32;
            let allowed = self.followed.get(&f).map_or(Rational::from(0), |&v| master.problem.value(v));
            for v in (0..followed.values.len() as u32).filter(|&v| v != start) {
                if (&weight(start) - &weight(v)) > allowed {
                    let problem = &mut master.problem;
                    let variable = *self.followed.entry(f).or_insert_with(|| problem.add_variable(Rational::from(1)));
                    let mut effects = BTreeMap::new();
                    effects.extend(value(start).map(|c| (c, 1)));
                    effects.extend(value(v).map(|c| (c, -1)));
                    master.add_other(&effects, &[(variable, Rational::from(-1))], 0);
                    added = true;
                }
            }
        }
        added
    }
}

/// Weights in whole numbers, and what they prove.
pub fn finish(
    prover: &Prover<'_, '_>,
    frame: &Frame<'_>,
    queue: u32,
    weights: &[Rational],
) -> Result<QueueBound, TooLarge> {
    let net = frame.net;
    let whole = whole_numbers(weights)?;
    let mut result = prover.empty_weights();
    prover.fill(&mut result, &whole, 1)?;
    let mut total: i128 = 0;
    for (instance, graph) in frame.graphs.iter().enumerate() {
        if prover.shape.many[instance] {
            continue;
        }
        let cost = |t: u32| gain(&net.transitions[t as usize].effects, |c| whole[c as usize]);
        let mut start = vec![None; graph.nodes];
        net.first[instance].iter().for_each(|&n| start[n as usize] = Some(0));
        let Search::Distances(d) = graph.search_from(start, &cost) else { return Err(TooLarge) };
        let reached = |d: &&i128| **d > i128::MIN;
        for (node, distance) in d.iter().enumerate().filter(|(_, d)| reached(d)) {
            result.nodes[instance][node] = i64::try_from(-distance).map_err(|_| TooLarge)?;
        }
        let low = d.iter().filter(reached).max().copied().unwrap_or(0);
        let high = net.first[instance].iter().map(|&n| d[n as usize]).min().unwrap_or(0);
        total += low - high;
    }
    for (f, followed) in net.followed.iter().enumerate() {
        let start = followed.values.iter().position(|&v| v == followed.first).unwrap_or(0);
        let lowest = result.values[f].iter().min().copied().unwrap_or(0);
        total += i128::from(result.values[f][start] - lowest);
    }
    for (counter, weight) in whole.iter().enumerate() {
        total += weight * i128::from(first(net, counter as u32));
    }
    let atoms = net.counters.iter().zip(&whole).filter(|(c, _)| matches!(c, Counter::Message(q, _) if *q == queue));
    let unit = atoms.map(|(_, &w)| w).min().unwrap_or(1).max(1);
    let at_most = u64::try_from(total / unit).map_err(|_| TooLarge)?;
    Ok(QueueBound { at_most, weights: result, unit: i64::try_from(unit).map_err(|_| TooLarge)? })
}
