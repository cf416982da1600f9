//! A state of each component, such that all equations hold and the whole is stuck, or goes wrong in a step: as clauses.

use super::flows::Weights;
use crate::lts::{Lts, TAU};
use crate::meter::Meter;
use crate::problem::Problem;
use bitvector::Effort;
use bitvector::sat::{Answer, Lit, Sat};
use model::verdict::Reason;
use std::collections::BTreeMap;

/// More literals in clauses than this are too many: a conflict may have to look at all of them.
const MOST_LITERALS: usize = 8_000_000;

/// A question that takes more conflicts of the solver is left open.
const MOST_CONFLICTS: u64 = 200_000;

/// The states that are looked for.
pub(super) struct States {
    sat: Sat,
    /// By component and state: it is there.
    at: Vec<Vec<Lit>>,
    literals: usize,
}

impl States {
    pub(super) fn new(problem: &Problem<'_>, invariants: &[Weights], meter: &Meter<'_>) -> Result<States, Reason> {
        let mut sat = Sat::new();
        let literals = |lts: &Lts| (0..lts.states()).map(|_| sat.new_variable().literal(true)).collect();
        let at = problem.leaves.iter().map(|leaf| &leaf.lts).map(literals).collect();
        let mut states = States { sat, at, literals: 0 };
        for part in 0..states.at.len() {
            let own = states.at[part].clone();
            states.exactly_one(&own)?;
        }
        for weights in invariants {
            states.equation(problem, weights, meter)?;
        }
        states.is_bad(problem)?;
        Ok(states)
    }

    fn add(&mut self, clause: &[Lit]) -> Result<(), Reason> {
        self.sat.add_clause(clause);
        self.literals += clause.len();
        if self.literals > MOST_LITERALS { Err(Reason::States) } else { Ok(()) }
    }

    fn exactly_one(&mut self, literals: &[Lit]) -> Result<(), Reason> {
        self.add(literals)?;
        // `before`: one of those so far.
        let mut before: Option<Lit> = None;
        for &literal in literals {
            let so_far = self.sat.new_variable().literal(true);
            self.add(&[!literal, so_far])?;
            if let Some(before) = before {
                self.add(&[!before, !literal])?;
                self.add(&[!before, so_far])?;
            }
            before = Some(so_far);
        }
        Ok(())
    }

    /// The weights sum up to what they are at first: sums of the first components, one after the other.
    fn equation(&mut self, problem: &Problem<'_>, weights: &Weights, meter: &Meter<'_>) -> Result<(), Reason> {
        let first = |part: usize| problem.leaves[part].lts.initial.first().map_or(0, |&state| state as usize);
        let total: i64 = weights.iter().map(|(part, own)| own[first(*part)]).sum();
        let range = |own: &Vec<i64>| (own.iter().min().copied().unwrap_or(0), own.iter().max().copied().unwrap_or(0));
        let mut left = weights.iter().map(|(_, own)| range(own)).fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
        let mut sums: BTreeMap<i64, Option<Lit>> = BTreeMap::from([(0, None)]);
        for (part, own) in weights {
            let (low, high) = range(own);
            left = (left.0 - low, left.1 - high);
            let mut classes: BTreeMap<i64, Lit> = BTreeMap::new();
            for (state, &weight) in own.iter().enumerate() {
                let class = *classes.entry(weight).or_insert_with(|| self.sat.new_variable().literal(true));
                let at = self.at[*part][state];
                self.add(&[!at, class])?;
            }
            let mut next: BTreeMap<i64, Option<Lit>> = BTreeMap::new();
            for (&sum, &holds) in &sums {
                for (&weight, &class) in &classes {
                    meter.spend(1)?;
                    let after = sum + weight;
                    let premise = [Some(!class), holds.map(|holds| !holds)].into_iter().flatten();
                    if after + left.0 > total || after + left.1 < total {
                        self.add(&premise.collect::<Vec<_>>())?;
                        continue;
                    }
                    let entry = next.entry(after).or_insert_with(|| Some(self.sat.new_variable().literal(true)));
                    let clause: Vec<Lit> = premise.chain(*entry).collect();
                    self.add(&clause)?;
                }
            }
            sums = next;
        }
        Ok(())
    }

    fn is_bad(&mut self, problem: &Problem<'_>) -> Result<(), Reason> {
        for (part, leaf) in problem.leaves.iter().enumerate() {
            for state in (0..leaf.lts.states()).filter(|&state| leaf.lts.wrong[state]) {
                let at = self.at[part][state];
                self.add(&[!at])?;
            }
        }
        if problem.is_deadlock() { self.is_stuck(problem) } else { self.goes_wrong(problem) }
    }

    /// An event can happen that leads one of its participants into an error; or a step of a component alone does.
    fn goes_wrong(&mut self, problem: &Problem<'_>) -> Result<(), Reason> {
        let mut all = Vec::new();
        let mut wrong: BTreeMap<u32, Vec<Lit>> = BTreeMap::new();
        for (part, leaf) in problem.leaves.iter().enumerate() {
            for (state, moves) in leaf.lts.moves.iter().enumerate() {
                let at = self.at[part][state];
                for &(event, _) in moves.iter().filter(|step| leaf.lts.wrong[step.1 as usize]) {
                    if event == TAU {
                        all.push(at);
                    } else {
                        wrong.entry(event).or_default().push(at);
                    }
                }
            }
        }
        for (event, mut places) in wrong {
            let happens = self.sat.new_variable().literal(true);
            places.push(!happens);
            self.add(&places)?;
            for (part, leaf) in problem.leaves.iter().enumerate().filter(|(_, leaf)| leaf.lts.takes_part(event)) {
                let ready = |state: &usize| !leaf.lts.moves_with(*state as u32, event).is_empty();
                let mut clause: Vec<Lit> =
                    (0..leaf.lts.states()).filter(ready).map(|state| self.at[part][state]).collect();
                clause.push(!happens);
                self.add(&clause)?;
            }
            all.push(happens);
        }
        self.add(&all)
    }

    fn is_stuck(&mut self, problem: &Problem<'_>) -> Result<(), Reason> {
        let mut refusing: BTreeMap<u32, Vec<Lit>> = BTreeMap::new();
        let mut working = Vec::new();
        for (part, leaf) in problem.leaves.iter().enumerate() {
            for state in 0..leaf.lts.states() {
                let at = self.at[part][state];
                if leaf.lts.moves[state].last().is_some_and(|step| step.0 == TAU) {
                    self.add(&[!at])?;
                }
                if !leaf.done[state] {
                    working.push(at);
                }
            }
            for &event in &leaf.lts.alphabet {
                let refuses = |state: &usize| leaf.lts.moves_with(*state as u32, event).is_empty();
                let all = (0..leaf.lts.states()).filter(refuses).map(|state| self.at[part][state]);
                refusing.entry(event).or_default().extend(all);
            }
        }
        self.add(&working)?;
        refusing.values().try_for_each(|clause| self.add(clause))
    }

    /// A state that was not excluded; none if there is none.
    pub(super) fn next(&mut self, meter: &Meter<'_>) -> Result<Option<Vec<u32>>, Reason> {
        let budget = meter.budget();
        let effort = Effort { conflicts: Some(MOST_CONFLICTS), ..Effort::from(&budget) };
        match self.sat.solve(&[], None, &effort) {
            Answer::Unsat => Ok(None),
            Answer::Unknown(reason) => {
                budget.check()?;
                Err(Reason::NotProvable(format!("what the invariants allow is not known: {reason}")))
            }
            Answer::Sat => {
                let is_there = |literal: &Lit| self.sat.model(literal.var());
                let place = |own: &Vec<Lit>| own.iter().position(is_there).unwrap_or(0) as u32;
                Ok(Some(self.at.iter().map(place).collect()))
            }
        }
    }

    /// Not this state.
    pub(super) fn exclude(&mut self, state: &[u32]) {
        let clause: Vec<Lit> = self.at.iter().zip(state).map(|(own, &at)| !own[at as usize]).collect();
        self.sat.add_clause(&clause);
    }
}
