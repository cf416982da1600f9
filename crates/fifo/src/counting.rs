//! Relations between numbers of messages that no step changes: see [`model::queue_counts`].
//!
//! A message in a channel has an unknown weight, and so has each location of a machine. Every transition is an equation:
//! what it sends, or the opposite of what it takes, and what its locations differ by come to 0. Along a spanning tree of each
//! machine the locations are sums of weights of messages, so that the other transitions are equations between those alone. A
//! diagonal form of their matrix, `U·A·V = D`, solves them: the columns of `V` where `D` has 0 are solutions, and those where
//! it has `d` are solutions modulo `d`. All of it is exact; numbers that get too large end it without a result.

use crate::absint::AbsInt;
use crate::method::{Answer, Limits, Technique};
use crate::property::Property;
use crate::space::Space;
use crate::system::{Machine, Op, System};
use crate::verdict::Invariant;
use model::context::Context;
use model::queue_counts::{QueueCounts, Relation};
use queues::{Bisimulation, Direction};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

/// The precisions of the sets of queue contents that relations are put beside.
const PRECISIONS: [u32; 3] = [0, 1, 2];
/// Steps of work for them.
const STEPS: u64 = 3_000_000;
/// With more weights than this, and numbers larger than this, no relations are looked for.
const MOST_WEIGHTS: usize = 24;
const LARGEST: i128 = 1 << 31;
const LARGEST_MODULUS: i128 = 1 << 12;
/// Up to so many relations, their sums and differences are relations, too.
const MOST_COMBINED: usize = 8;

/// A linear form over weights of messages, by their number.
type Form = BTreeMap<usize, i128>;

/// Proofs to be checked, from the roughest on: relations, beside sets of queue contents that are inductive. None of them
/// need exclude anything.
pub fn candidates(system: &System, limits: &Limits, bad: &[String], cx: &Context<'_>) -> Vec<QueueCounts> {
    let relations = relations(system);
    if relations.is_empty() {
        return Vec::new();
    }
    let sets = PRECISIONS.iter().filter_map(|&k| inductive(system, k, limits, cx));
    sets.map(|invariant| QueueCounts { invariant: invariant.proof(bad), relations: relations.clone() }).collect()
}

/// Sets of queue contents that are inductive.
fn inductive(system: &System, k: u32, limits: &Limits, cx: &Context<'_>) -> Option<Invariant> {
    let plain = System { bad: Vec::new(), ..system.clone() };
    let limits = Limits { steps: Some(limits.steps.map_or(STEPS, |steps| steps.min(STEPS))), ..limits.clone() };
    let mut space = Space::new(&plain, Property::BadStates, limits.for_languages(cx.budget)).ok()?;
    let found = AbsInt::at(k, Arc::new(Bisimulation::rho(Direction::Both))).advance(&mut space, cx);
    let Ok(Answer::Safe(reached)) = found else { return None };
    let mut reached: Vec<_> = reached.iter().map(|&(at, set)| (space.states(at).to_vec(), set)).collect();
    reached.sort();
    Some(Invariant { languages: space.languages, reached })
}

/// The relations of a system in which some message counts.
pub fn relations(system: &System) -> Vec<Relation> {
    let names = weights(system);
    let unknown = |op: Op| match op {
        Op::Send(channel, message) => names.get(&(channel, message)).map(|&at| (at, 1)),
        Op::Receive(channel, message) => names.get(&(channel, message)).map(|&at| (at, -1)),
        Op::Internal => None,
    };
    let mut equations = BTreeSet::new();
    let forms: Vec<Vec<Form>> =
        system.machines.iter().map(|machine| potentials(machine, &unknown, &mut equations)).collect();
    if names.is_empty() || names.len() > MOST_WEIGHTS {
        return Vec::new();
    }
    let Some(solutions) = Diagonal::of(&equations, names.len()).and_then(Diagonal::solutions) else {
        return Vec::new();
    };
    let relation = |(modulus, solution): (Option<i128>, Vec<i128>)| {
        let value = |form: &Form| {
            let sum: i128 = form.iter().map(|(&at, &times)| times * solution[at]).sum();
            modulus.map_or(sum, |modulus| sum.rem_euclid(modulus))
        };
        let narrow = |value: i128| i64::try_from(value).ok().filter(|value| i128::from(value.abs()) < LARGEST);
        let weight = |(&(channel, message), &at): (&(usize, u32), &usize)| {
            Some((channel as u32, message + 1, narrow(value(&Form::from([(at, 1)])))?))
        };
        let weights: Option<Vec<_>> = names.iter().map(weight).collect();
        let potentials = forms.iter().map(|forms| forms.iter().map(|form| narrow(value(form))).collect());
        Some(Relation {
            modulus: modulus.map(|modulus| modulus as u32),
            weights: weights?.into_iter().filter(|(.., weight)| *weight != 0).collect(),
            potentials: potentials.collect::<Option<_>>()?,
        })
    };
    solutions.into_iter().filter_map(relation).filter(|relation| !relation.weights.is_empty()).collect()
}

/// The unknown weights: messages of channels that lose none.
fn weights(system: &System) -> BTreeMap<(usize, u32), usize> {
    let ops = system.machines.iter().flat_map(|machine| &machine.transitions).map(|transition| transition.op);
    let used = ops.filter_map(|op| match op {
        Op::Send(channel, message) | Op::Receive(channel, message) => Some((channel, message)),
        Op::Internal => None,
    });
    let used: BTreeSet<(usize, u32)> = used.filter(|&(channel, _)| !system.is_lossy(channel)).collect();
    used.into_iter().zip(0..).collect()
}

/// What the locations of a machine weigh, by weights of messages; and the equations between those.
fn potentials(
    machine: &Machine,
    unknown: &dyn Fn(Op) -> Option<(usize, i128)>,
    equations: &mut BTreeSet<Form>,
) -> Vec<Form> {
    let mut forms: Vec<Option<Form>> = vec![None; machine.states.len()];
    // A location and a transition at it, and whether the transition leaves it.
    let mut around: Vec<Vec<(usize, usize, i128)>> = vec![Vec::new(); machine.states.len()];
    for (at, transition) in machine.transitions.iter().enumerate() {
        around[transition.from].push((at, transition.to, -1));
        around[transition.to].push((at, transition.from, 1));
    }
    for root in machine.initial.iter().copied().chain(0..machine.states.len()) {
        if forms[root].is_some() {
            continue;
        }
        forms[root] = Some(Form::new());
        let mut work = VecDeque::from([root]);
        while let Some(state) = work.pop_front() {
            let here = forms[state].clone().unwrap_or_default();
            for &(at, other, sign) in &around[state] {
                // potential(to) = potential(from) - weight, and the other way round.
                let mut there = here.clone();
                if let Some((weight, times)) = unknown(machine.transitions[at].op) {
                    add(&mut there, weight, sign * times);
                }
                match &forms[other] {
                    None => {
                        forms[other] = Some(there);
                        work.push_back(other);
                    }
                    Some(known) => {
                        known.iter().for_each(|(&weight, &times)| add(&mut there, weight, -times));
                        if !there.is_empty() {
                            equations.insert(there);
                        }
                    }
                }
            }
        }
    }
    forms.into_iter().map(Option::unwrap_or_default).collect()
}

fn add(form: &mut Form, weight: usize, times: i128) {
    let sum = form.entry(weight).or_default();
    *sum += times;
    if *sum == 0 {
        form.remove(&weight);
    }
}

/// A matrix that is made diagonal by operations on its rows and columns, and what those on columns come to.
struct Diagonal {
    rows: Vec<Vec<i128>>,
    /// By column, `V`.
    columns: Vec<Vec<i128>>,
    /// How many places of the diagonal are done.
    done: usize,
}

impl Diagonal {
    fn of(equations: &BTreeSet<Form>, width: usize) -> Option<Diagonal> {
        let row = |form: &Form| (0..width).map(|at| form.get(&at).copied().unwrap_or(0)).collect();
        let unit = |at: usize| (0..width).map(|other| i128::from(at == other)).collect();
        let mut diagonal =
            Diagonal { rows: equations.iter().map(row).collect(), columns: (0..width).map(unit).collect(), done: 0 };
        while diagonal.advance()? {}
        Some(diagonal)
    }

    /// Makes one more place of the diagonal; whether there is one. `None` if numbers get too large.
    fn advance(&mut self) -> Option<bool> {
        loop {
            let (done, width) = (self.done, self.columns.len());
            let places = (done..self.rows.len()).flat_map(|row| (done..width).map(move |column| (row, column)));
            let least = places.filter(|&(row, column)| self.rows[row][column] != 0);
            let Some((row, column)) = least.min_by_key(|&(row, column)| self.rows[row][column].abs()) else {
                return Some(false);
            };
            self.rows.swap(done, row);
            self.rows.iter_mut().for_each(|row| row.swap(done, column));
            self.columns.swap(done, column);
            let pivot = self.rows[done][done];
            for row in done + 1..self.rows.len() {
                let times = self.rows[row][done].div_euclid(pivot);
                let (above, below) = self.rows.split_at_mut(row);
                subtract(&mut below[0], &above[done], times)?;
            }
            for column in done + 1..width {
                let times = self.rows[done][column].div_euclid(pivot);
                for row in &mut self.rows {
                    row[column] = checked(row[column].checked_sub(times.checked_mul(row[done])?)?)?;
                }
                let (left, right) = self.columns.split_at_mut(column);
                subtract(&mut right[0], &left[done], times)?;
            }
            let clean = self.rows[done + 1..].iter().all(|row| row[done] == 0);
            if clean && self.rows[done][done + 1..].iter().all(|&value| value == 0) {
                self.done += 1;
                return Some(true);
            }
        }
    }

    /// Solutions, each with what it is one modulo.
    fn solutions(self) -> Option<Vec<(Option<i128>, Vec<i128>)>> {
        let of = |(at, column): (usize, &Vec<i128>)| match self.rows.get(at).filter(|_| at < self.done) {
            None => Some((None, column.clone())),
            Some(row) => {
                let modulus = row[at].abs();
                let reduced = column.iter().map(|value| value.rem_euclid(modulus)).collect();
                (modulus > 1 && modulus <= LARGEST_MODULUS).then_some((Some(modulus), reduced))
            }
        };
        let basis: Vec<(Option<i128>, Vec<i128>)> = self.columns.iter().enumerate().filter_map(of).collect();
        let exact: Vec<&Vec<i128>> = basis.iter().filter(|(modulus, _)| modulus.is_none()).map(|(_, v)| v).collect();
        let mut all = basis.clone();
        if exact.len() <= MOST_COMBINED {
            for (at, one) in exact.iter().enumerate() {
                for other in &exact[at + 1..] {
                    for sign in [1, -1] {
                        let sum = one.iter().zip(*other).map(|(one, other)| one + sign * other);
                        all.push((None, sum.collect()));
                    }
                }
            }
        }
        Some(all)
    }
}

fn checked(value: i128) -> Option<i128> {
    (value.abs() < LARGEST).then_some(value)
}

/// Takes a multiple of a vector from another.
fn subtract(from: &mut [i128], what: &[i128], times: i128) -> Option<()> {
    for (value, &other) in from.iter_mut().zip(what) {
        *value = checked(value.checked_sub(times.checked_mul(other)?)?)?;
    }
    Some(())
}
