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
use model::flow_proof::{Bound, Weights};
use std::collections::{BTreeMap, HashMap};

/// What weights prove of a queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Proved {
    /// The most messages.
    pub at_most: u64,
    /// What a message weighs at least.
    pub unit: i64,
    /// What all queues together can weigh.
    pub room: i128,
}

impl Proved {
    /// Of a queue that nothing is sent to, without any weights.
    pub const EMPTY: Proved = Proved { at_most: 0, unit: 1, room: 0 };

    /// The bound as the certificate carries it.
    pub fn bound(self, queue: u32, atoms: Vec<u32>, weights: u32) -> Bound {
        Bound { queue, atoms, at_most: self.at_most, weights, unit: self.unit }
    }
}

/// The least bound of a queue, or of some atoms of it, that weights can prove; `None` if there is none, or no time.
pub fn bound(
    prover: &Prover<'_, '_>,
    frame: &Frame<'_>,
    (queue, atoms): (u32, &[u32]),
    keep_going: &mut dyn FnMut(usize) -> bool,
) -> Option<(Proved, Weights)> {
    let net = frame.net;
    let counted = |c: &Counter| matches!(c, Counter::Message(q, atom) if *q == queue && (atoms.is_empty() || atoms.contains(atom)));
    let least: Vec<Option<i64>> = net
        .counters
        .iter()
        .zip(&prover.dropped)
        .map(|(c, &dropped)| match c {
            _ if dropped => None,
            c if counted(c) => Some(1),
            _ => Some(0),
        })
        .collect();
    let cost = |counter: u32| first(net, counter);
    let mut master = Master::new(frame, &least, &cost);
    let mut allowances = Allowances::default();
    loop {
        let Weighed::Weights(weights) = master.generate(keep_going) else { return None };
        if !allowances.demand(&mut master, frame, &weights).ok()? {
            return finish(prover, frame, &counted, &weights).ok();
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
    fn demand(
        &mut self,
        master: &mut Master<'_, '_>,
        frame: &Frame<'_>,
        weights: &[Rational],
    ) -> Result<bool, TooLarge> {
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
                let variable =
                    *self.instances.entry(instance).or_insert_with(|| problem.add_variable(Rational::from(1)));
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

/// Weights in whole numbers, and what they prove of what is counted.
fn finish(
    prover: &Prover<'_, '_>,
    frame: &Frame<'_>,
    counted: &dyn Fn(&Counter) -> bool,
    weights: &[Rational],
) -> Result<(Proved, Weights), TooLarge> {
    let room = room(prover, frame, weights)?;
    let lightest = frame.net.counters.iter().zip(&room.whole).filter(|(counter, _)| counted(counter));
    let proved = lightest.map(|(_, weight)| *weight).min().and_then(|unit| room.units_of(unit)).ok_or(TooLarge)?;
    Ok((proved, room.weights))
}

/// What all queues together can hold, weighed.
pub struct Room {
    /// The weights.
    pub weights: Weights,
    whole: Vec<i128>,
    total: i128,
}

impl Room {
    /// Per queue: the most messages that there is room for, if the lightest of them is a unit.
    pub fn units(&self, net: &Net) -> HashMap<u32, Proved> {
        let mut lightest: HashMap<u32, i128> = HashMap::new();
        for (counter, &weight) in net.counters.iter().zip(&self.whole) {
            if let Counter::Message(queue, _) = counter {
                let known = lightest.entry(*queue).or_insert(weight);
                *known = weight.min(*known);
            }
        }
        lightest.into_iter().filter_map(|(queue, unit)| Some((queue, self.units_of(unit)?))).collect()
    }

    /// The most messages that there is room for, if each weighs a unit at least.
    fn units_of(&self, unit: i128) -> Option<Proved> {
        let at_most = u64::try_from(self.total.checked_div(unit)?).ok()?;
        Some(Proved { at_most, unit: i64::try_from(unit).ok()?, room: self.total })
    }
}

/// What there is room for under weights.
pub fn room(prover: &Prover<'_, '_>, frame: &Frame<'_>, weights: &[Rational]) -> Result<Room, TooLarge> {
    let net = frame.net;
    let whole = whole_numbers(weights)?;
    let mut result = Weights::default();
    prover.fill(&mut result, &whole, 1)?;
    let mut total: i128 = 0;
    for (instance, graph) in frame.graphs.iter().enumerate() {
        let idle = frame.counters[instance].iter().all(|&c| whole[c as usize] == 0);
        if prover.shape.many[net.ids[instance] as usize] || idle {
            continue;
        }
        let cost = |t: u32| gain(&net.transitions[t as usize].effects, |c| whole[c as usize]);
        let mut start = vec![None; graph.nodes];
        net.first[instance].iter().for_each(|&n| start[n as usize] = Some(0));
        let Search::Distances(d) = graph.search_from(start, &cost) else { return Err(TooLarge) };
        let reached = |d: &&i128| **d > i128::MIN;
        let potential = |d: &i128| if reached(&d) { i64::try_from(-d).map_err(|_| TooLarge) } else { Ok(0) };
        result.nodes.insert(net.ids[instance], d.iter().map(potential).collect::<Result<_, _>>()?);
        let low = d.iter().filter(reached).max().copied().unwrap_or(0);
        let high = net.first[instance].iter().map(|&n| d[n as usize]).min().unwrap_or(0);
        total += low - high;
    }
    for (f, followed) in net.followed.iter().enumerate() {
        let start = followed.values.iter().position(|&v| v == followed.first).unwrap_or(0);
        let Some(values) = result.values.get(&(f as u32)) else { continue };
        let lowest = values.iter().min().copied().unwrap_or(0);
        total += i128::from(values[start] - lowest);
    }
    for (counter, weight) in whole.iter().enumerate() {
        total += weight * i128::from(first(net, counter as u32));
    }
    Ok(Room { weights: result, whole, total })
}
