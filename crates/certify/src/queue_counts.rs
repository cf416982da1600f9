//! Invariants over queues with relations between numbers of messages, checked by their definition: see
//! [`model::queue_counts`].
//!
//! * The sets of queue contents are inductive, as they are without relations.
//! * Each relation is kept: a step changes the potential of its machine by as much as the weight of what it sends or takes,
//!   the other way round. Channels that lose messages have no weights.
//! * No control state has a word with something bad in it whose messages weigh what the relations say.
//!
//! For the last, all words are paths through a graph of automata, and messages are weights on its edges. Modulo a number, the
//! sums of all paths are found by walking. Without one, three things can exclude a sum: it is less than that of the lightest
//! path, or more than that of the heaviest; or it is another one modulo the greatest common divisor of all cycles. Each
//! relation is looked at by itself.

use crate::Refusal;
use crate::pace::Pace;
use crate::queues::machines::{Machines, Op};
use crate::queues::{Check, Faults};
use model::context::Context;
use model::network::Network;
use model::queue_counts::{QueueCounts, Relation};
use model::verdict::Property;
use scm::Specification;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::Hash;

/// Larger numbers are in no relation: so sums do not overflow.
const LARGEST: i64 = 1 << 32;
/// Larger numbers are no modulus: so all sums can be listed.
const LARGEST_MODULUS: u32 = 1 << 12;

/// Checks that a proof is one, for a network of communicating machines and its bad configurations.
pub fn verify(
    network: &Network,
    specification: &Specification,
    property: &Property,
    proof: &QueueCounts,
    cx: &Context<'_>,
) -> Result<(), Refusal> {
    crate::keeps(network, property)?;
    let faults = Faults::of(property, specification)?;
    let check = Check::read(network, &proof.invariant, cx)?;
    check.inductive()?;
    let sums = proof.relations.iter().map(|relation| Sum::read(relation, &check.machines));
    let sums = sums.collect::<Result<Vec<_>, _>>()?;
    check.excludes(&faults, &|control| sums.iter().map(|sum| sum.at(control)).collect())
}

/// A relation that no step changes.
struct Sum<'a> {
    relation: &'a Relation,
    weights: BTreeMap<(usize, u32), i64>,
    /// Of the first configuration.
    total: i128,
}

/// What the messages of a configuration must weigh.
pub(crate) struct Count<'a> {
    weights: &'a BTreeMap<(usize, u32), i64>,
    modulus: Option<u32>,
    total: i128,
}

impl Sum<'_> {
    fn read<'a>(relation: &'a Relation, machines: &Machines) -> Result<Sum<'a>, Refusal> {
        let malformed = |why: &str| Err(Refusal::Malformed(format!("a relation {why}")));
        let weights = relation.weights.iter().map(|&(channel, letter, weight)| ((channel as usize, letter), weight));
        let weights: BTreeMap<(usize, u32), i64> = weights.collect();
        let locations = |(machine, of): (&crate::queues::machines::One, &Vec<i64>)| machine.steps.len() == of.len();
        let all = relation.potentials.iter().flatten().chain(weights.values());
        if weights.len() != relation.weights.len() {
            return malformed("has two weights for a message");
        }
        if relation.potentials.len() != machines.machines.len()
            || !machines.machines.iter().zip(&relation.potentials).all(locations)
        {
            return malformed("does not have a potential for each location");
        }
        if all.into_iter().any(|value| !(-LARGEST..=LARGEST).contains(value)) {
            return malformed("has numbers that are too large");
        }
        if relation.modulus.is_some_and(|modulus| !(1..=LARGEST_MODULUS).contains(&modulus)) {
            return malformed("is modulo a number that is none");
        }
        if weights.iter().any(|(&(channel, _), &weight)| weight != 0 && machines.lossy.get(channel) != Some(&false)) {
            return malformed("has weights for a channel that loses messages, or does not exist");
        }
        let mut sum = Sum { relation, weights, total: 0 };
        sum.total = sum.potential(&machines.initial());
        sum.is_kept(machines)?;
        Ok(sum)
    }

    fn potential(&self, control: &[u32]) -> i128 {
        let of = |(of, &at): (&Vec<i64>, &u32)| i128::from(of[at as usize]);
        self.relation.potentials.iter().zip(control).map(of).sum()
    }

    fn is_kept(&self, machines: &Machines) -> Result<(), Refusal> {
        let weight = |channel: usize, message: u32| self.weights.get(&(channel, message)).map_or(0, |&w| i128::from(w));
        for (machine, potentials) in machines.machines.iter().zip(&self.relation.potentials) {
            for (from, steps) in machine.steps.iter().enumerate() {
                for step in steps {
                    let change = match step.op {
                        Op::Internal => 0,
                        Op::Send(channel, message) => weight(channel, message),
                        Op::Receive(channel, message) => -weight(channel, message),
                    };
                    let change = change + i128::from(potentials[step.to as usize]) - i128::from(potentials[from]);
                    if !is_zero(change, self.relation.modulus) {
                        let what = format!("a step of `{}` changes a relation", machine.name);
                        return Err(Refusal::NotInvariant(what));
                    }
                }
            }
        }
        Ok(())
    }

    fn at(&self, control: &[u32]) -> Count<'_> {
        let total = self.total - self.potential(control);
        Count { weights: &self.weights, modulus: self.relation.modulus, total }
    }
}

fn is_zero(value: i128, modulus: Option<u32>) -> bool {
    modulus.map_or(value == 0, |modulus| value.rem_euclid(i128::from(modulus)) == 0)
}

/// A message that is read, and in which channel.
type Read = Option<(usize, u32)>;

/// All paths from the start of a walk to places that it looks for, as a graph.
pub(crate) struct Path {
    edges: Vec<(usize, usize, Read)>,
    /// Whether a path may end there; the start is the first.
    ends: Vec<bool>,
}

impl Path {
    /// The places on such paths.
    pub(crate) fn of<P: Clone + Eq + Hash>(
        patience: &Pace<'_>,
        start: Option<P>,
        is_wanted: impl Fn(&P) -> bool,
        successors: impl Fn(&P, &mut Vec<(Read, P)>),
    ) -> Result<Path, Refusal> {
        let mut places: Vec<P> = start.into_iter().collect();
        let mut numbers: HashMap<P, usize> = places.iter().cloned().zip(0..).collect();
        let (mut edges, mut at, mut next) = (Vec::new(), 0, Vec::new());
        while at < places.len() {
            patience.spend(0)?;
            successors(&places[at].clone(), &mut next);
            for (read, place) in next.drain(..) {
                let to = *numbers.entry(place).or_insert_with_key(|place| {
                    places.push(place.clone());
                    places.len() - 1
                });
                edges.push((at, to, read));
            }
            at += 1;
        }
        let ends: Vec<bool> = places.iter().map(is_wanted).collect();
        let mut path = Path { edges, ends };
        let useful = path.useful();
        path.edges.retain(|&(from, to, _)| useful[from] && useful[to]);
        Ok(path)
    }

    /// From where an end is reached.
    fn useful(&self) -> Vec<bool> {
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); self.ends.len()];
        self.edges.iter().for_each(|&(from, to, _)| before[to].push(from));
        let mut useful = self.ends.clone();
        let mut work: Vec<usize> = (0..useful.len()).filter(|&place| useful[place]).collect();
        while let Some(place) = work.pop() {
            for &from in &before[place] {
                if !std::mem::replace(&mut useful[from], true) {
                    work.push(from);
                }
            }
        }
        useful
    }

    /// Whether for each count there is a path that has it.
    pub(crate) fn allows(&self, counts: &[Count<'_>], patience: &Pace<'_>) -> Result<bool, Refusal> {
        for count in counts {
            let weight = |read: Read| read.and_then(|read| count.weights.get(&read)).map_or(0, |&w| i128::from(w));
            let edges: Vec<(usize, usize, i128)> =
                self.edges.iter().map(|&(from, to, read)| (from, to, weight(read))).collect();
            let possible = match count.modulus {
                Some(modulus) => self.has_residue(&edges, count.total, modulus, patience)?,
                None => {
                    let opposite: Vec<_> = edges.iter().map(|&(from, to, weight)| (from, to, -weight)).collect();
                    self.lightest(&edges, patience)?.is_none_or(|least| least <= count.total)
                        && self.lightest(&opposite, patience)?.is_none_or(|least| least <= -count.total)
                        && self.fits_cycles(&edges, count.total)
                }
            };
            if !possible {
                return Ok(false);
            }
        }
        Ok(self.ends.contains(&true))
    }

    /// Whether some path weighs so much, modulo a number.
    fn has_residue(
        &self,
        edges: &[(usize, usize, i128)],
        total: i128,
        modulus: u32,
        patience: &Pace<'_>,
    ) -> Result<bool, Refusal> {
        let modulus = i128::from(modulus);
        let mut next: Vec<Vec<(usize, i128)>> = vec![Vec::new(); self.ends.len()];
        edges.iter().for_each(|&(from, to, weight)| next[from].push((to, weight)));
        let mut work: Vec<(usize, i128)> = Vec::from_iter((!self.ends.is_empty()).then_some((0, 0)));
        let mut seen: HashSet<(usize, i128)> = work.iter().copied().collect();
        while let Some((place, sum)) = work.pop() {
            patience.spend(0)?;
            if self.ends[place] && sum == total.rem_euclid(modulus) {
                return Ok(true);
            }
            for &(to, weight) in &next[place] {
                let there = (to, (sum + weight).rem_euclid(modulus));
                if seen.insert(there) {
                    work.push(there);
                }
            }
        }
        Ok(false)
    }

    /// A lower bound of what paths weigh (Bellman and Ford); `None` if a cycle on one of them is lighter than nothing.
    fn lightest(&self, edges: &[(usize, usize, i128)], patience: &Pace<'_>) -> Result<Option<i128>, Refusal> {
        let mut least: Vec<Option<i128>> = vec![None; self.ends.len()];
        if let Some(start) = least.first_mut() {
            *start = Some(0);
        }
        for _ in 0..=self.ends.len() {
            patience.spend(edges.len())?;
            let mut changed = false;
            for &(from, to, weight) in edges {
                let Some(sum) = least[from].map(|sum| sum + weight) else { continue };
                if least[to].is_none_or(|known| sum < known) {
                    (least[to], changed) = (Some(sum), true);
                }
            }
            if !changed {
                let at_ends = least.iter().zip(&self.ends).filter(|(_, ends)| **ends);
                // Without any path the bound is larger than all sums.
                return Ok(Some(at_ends.filter_map(|(least, _)| *least).min().unwrap_or(i128::MAX)));
            }
        }
        Ok(None)
    }

    /// Whether some end can weigh so much, modulo what all cycles are multiples of.
    fn fits_cycles(&self, edges: &[(usize, usize, i128)], total: i128) -> bool {
        let mut next: Vec<Vec<(usize, i128)>> = vec![Vec::new(); self.ends.len()];
        edges.iter().for_each(|&(from, to, weight)| next[from].push((to, weight)));
        let mut sums: Vec<Option<i128>> = vec![None; self.ends.len()];
        let mut work: Vec<usize> = Vec::from_iter((!self.ends.is_empty()).then_some(0));
        work.iter().for_each(|&start| sums[start] = Some(0));
        let mut divisor = 0;
        while let Some(place) = work.pop() {
            for &(to, weight) in &next[place] {
                let sum = sums[place].map_or(0, |sum| sum + weight);
                match sums[to] {
                    Some(known) => divisor = greatest_common_divisor(divisor, sum - known),
                    None => {
                        sums[to] = Some(sum);
                        work.push(to);
                    }
                }
            }
        }
        let fits = |sum: i128| if divisor == 0 { sum == total } else { (sum - total) % divisor == 0 };
        sums.iter().zip(&self.ends).any(|(sum, ends)| *ends && sum.is_some_and(fits))
    }
}

fn greatest_common_divisor(one: i128, other: i128) -> i128 {
    let (mut one, mut other) = (one.abs(), other.abs());
    while other != 0 {
        (one, other) = (other, one % other);
    }
    one
}

#[cfg(test)]
#[path = "queue_counts_tests.rs"]
mod tests;
