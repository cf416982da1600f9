//! Sums that never change, and no bad state that keeps them.
//!
//! First each invariant is seen to hold at first and to be kept by every step; this looks at one component and one event at a
//! time. Then comes a question about clauses: a state for each component, all sums as they are at first, and stuck, or about to
//! go wrong.
//! Whoever says that there is none has to prove it (`lrat`).

use super::{Question, malformed};
use crate::Refusal;
use crate::clauses::lrat::{self, Rejection};
use crate::pace::Pace;
use model::composition::Composition;
use model::composition_proof::Invariant;
use model::context::Context;
use model::ids::EventId;
use model::reason::Reason;
use model::refutation::{Cnf, Literal, Refuter};
use model::structure::{Ending, Move, Structure, TAU};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// More clauses than this, and the check gives up.
const MOST_CLAUSES: usize = 8_000_000;

/// Checks that invariants prove that nothing gets stuck, or wrong.
pub(super) fn verify(
    composition: &Composition,
    question: Question<'_>,
    invariants: &[Invariant],
    refuter: &mut dyn Refuter,
    cx: &Context<'_>,
) -> Result<(), Refusal> {
    let clock = Pace::new(cx);
    let parts = composition.components.iter().map(|component| Part::new(&component.structure));
    let parts: Vec<Part<'_>> = parts.collect::<Result<_, _>>()?;
    for invariant in invariants {
        never_changes(invariant, &parts, &clock)?;
    }
    let mut states = States::new(&parts, &clock)?;
    for invariant in invariants {
        states.keep(invariant, &parts)?;
    }
    match question {
        Question::Deadlock => states.stuck(&parts)?,
        Question::Safety => states.wrong(&parts)?,
        _ => return Err(malformed("invariants prove freedom from deadlock and error only")),
    }
    let proof = match refuter.refute(&states.cnf, cx.budget) {
        Ok(proof) => proof,
        Err(Reason::NotProvable(_)) => {
            return Err(Refusal::TooCoarse(String::from("the invariants allow a bad state")));
        }
        Err(reason) => return Err(Refusal::from(reason)),
    };
    lrat::check(&states.cnf, &proof, cx.budget).map_err(|rejection| match rejection {
        Rejection::Unfinished(reason) => Refusal::from(reason),
        other => Refusal::Unfinished(format!("the proof of a solver is not accepted: {other:?}")),
    })
}

/// A component, with the states that can be reached in it alone and without an error.
struct Part<'c> {
    structure: &'c Structure,
    reached: BTreeSet<u32>,
    /// The events that it has steps with, between these.
    taken: HashSet<u32>,
}

impl<'c> Part<'c> {
    fn new(structure: &'c Structure) -> Result<Self, Refusal> {
        let mut part = Part { structure, reached: BTreeSet::new(), taken: HashSet::new() };
        let mut work: Vec<u32> = structure.initial().to_vec();
        if work.iter().any(|&state| part.is_wrong(state)) {
            return Err(malformed("a component begins in an error"));
        }
        while let Some(state) = work.pop() {
            if part.reached.insert(state) {
                for step in part.moves(state) {
                    work.push(step.to);
                    part.taken.insert(step.event.0);
                }
            }
        }
        Ok(part)
    }

    fn is_wrong(&self, state: u32) -> bool {
        self.structure.ending(state) == Ending::Error
    }

    /// The steps that lead into no error.
    fn moves(&self, state: u32) -> Vec<Move> {
        self.structure.moves(state).iter().filter(|step| !self.is_wrong(step.to)).copied().collect()
    }

    /// Whether a step with an event leads into an error.
    fn fails(&self, state: u32, event: EventId) -> bool {
        self.structure.moves_with(state, event).iter().any(|step| self.is_wrong(step.to))
    }
}

/// The weights of the components' states always have the same sum.
fn never_changes(invariant: &Invariant, parts: &[Part<'_>], clock: &Pace<'_>) -> Result<(), Refusal> {
    let changes = || malformed("an invariant changes");
    let mut gains: HashMap<u32, i64> = HashMap::new();
    let mut before = None;
    for (number, weights) in &invariant.weights {
        let part =
            parts.get(*number as usize).ok_or_else(|| malformed("an invariant of a component that there is not"))?;
        if before.replace(*number).is_some_and(|before| before >= *number) {
            return Err(malformed("the components of an invariant are not in order"));
        }
        if weights.len() != part.structure.states() {
            return Err(malformed("an invariant has a weight for each state"));
        }
        let weight = |state: u32| weights[state as usize];
        let mut first = part.structure.initial().iter().map(|&state| weight(state));
        if let Some(one) = first.next()
            && first.any(|other| other != one)
        {
            return Err(malformed("an invariant differs at first"));
        }
        let mut own: HashMap<u32, i64> = HashMap::new();
        for &state in &part.reached {
            for step in part.moves(state) {
                clock.spend(0)?;
                let gain = weight(step.to).checked_sub(weight(state)).ok_or_else(changes)?;
                let known = *own.entry(step.event.0).or_insert(if step.event == TAU { 0 } else { gain });
                if known != gain {
                    return Err(changes());
                }
            }
        }
        for (event, gain) in own {
            let sum = gains.entry(event).or_insert(0);
            *sum = sum.checked_add(gain).ok_or_else(changes)?;
        }
    }
    let never = |event: u32| {
        let knows = |part: &Part<'_>| part.structure.alphabet().binary_search(&EventId(event)).is_ok();
        parts.iter().any(|part| knows(part) && !part.taken.contains(&event))
    };
    match gains.into_iter().all(|(event, sum)| sum == 0 || never(event)) {
        true => Ok(()),
        false => Err(changes()),
    }
}

/// One state for each component, as clauses.
struct States<'k> {
    cnf: Cnf,
    /// By component, the states that it can be in.
    at: Vec<BTreeMap<u32, Literal>>,
    clock: &'k Pace<'k>,
}

impl<'k> States<'k> {
    fn new(parts: &[Part<'_>], clock: &'k Pace<'k>) -> Result<Self, Refusal> {
        let mut cnf = Cnf::new();
        let variables = |part: &Part<'_>| part.reached.iter().map(|&state| (state, cnf.variable())).collect();
        let at: Vec<BTreeMap<u32, Literal>> = parts.iter().map(variables).collect();
        let mut states = States { cnf, at, clock };
        for part in 0..parts.len() {
            let own: Vec<Literal> = states.at[part].values().copied().collect();
            states.one_of(&own)?;
        }
        Ok(states)
    }

    fn add(&mut self, clause: &[Literal]) -> Result<(), Refusal> {
        self.clock.spend(0)?;
        self.cnf.add(clause);
        if self.cnf.len() > MOST_CLAUSES {
            return Err(Refusal::Unfinished(format!("more than {MOST_CLAUSES} clauses")));
        }
        Ok(())
    }

    /// Exactly one: at least one, and after one there is no other.
    fn one_of(&mut self, literals: &[Literal]) -> Result<(), Refusal> {
        self.add(literals)?;
        let mut seen: Option<Literal> = None;
        for &literal in literals {
            let now = self.cnf.variable();
            self.add(&[!literal, now])?;
            if let Some(seen) = seen {
                self.add(&[!seen, now])?;
                self.add(&[!seen, !literal])?;
            }
            seen = Some(now);
        }
        Ok(())
    }

    /// The sum is what it is at first. For each number of components, in order, there is a literal for each sum that they can
    /// have and with which the others can still get there.
    fn keep(&mut self, invariant: &Invariant, parts: &[Part<'_>]) -> Result<(), Refusal> {
        let mut total = 0i64;
        let mut columns: Vec<BTreeMap<i64, Vec<Literal>>> = Vec::new();
        for (number, weights) in &invariant.weights {
            let first = parts[*number as usize].structure.initial().first();
            let own = first.map_or(0, |&state| weights[state as usize]);
            total = total.checked_add(own).ok_or_else(|| malformed("an invariant has large numbers"))?;
            let mut column: BTreeMap<i64, Vec<Literal>> = BTreeMap::new();
            for (&state, &literal) in &self.at[*number as usize] {
                column.entry(weights[state as usize]).or_default().push(literal);
            }
            columns.push(column);
        }
        // What the components after each one weigh, at least and at most.
        let mut rest = vec![(0i128, 0i128)];
        for column in columns.iter().rev() {
            let (low, high) = rest[rest.len() - 1];
            let least = column.keys().next().map_or(0, |&weight| i128::from(weight));
            let most = column.keys().next_back().map_or(0, |&weight| i128::from(weight));
            rest.push((low + least, high + most));
        }
        let mut sums: BTreeMap<i128, Option<Literal>> = BTreeMap::from([(0, None)]);
        for (place, column) in columns.into_iter().enumerate() {
            let (low, high) = rest[rest.len() - 2 - place];
            let mut next: BTreeMap<i128, Option<Literal>> = BTreeMap::new();
            for (weight, literals) in column {
                let class = self.cnf.variable();
                for literal in literals {
                    self.add(&[!literal, class])?;
                }
                for (&sum, &holds) in &sums {
                    let after = sum + i128::from(weight);
                    let missing = i128::from(total) - after;
                    let mut clause: Vec<Literal> = vec![!class];
                    clause.extend(holds.map(|holds| !holds));
                    if (low..=high).contains(&missing) {
                        let cnf = &mut self.cnf;
                        clause.extend(*next.entry(after).or_insert_with(|| Some(cnf.variable())));
                    }
                    self.add(&clause)?;
                }
            }
            sums = next;
        }
        Ok(())
    }

    /// A step without a name leads into an error, or an event does that all who know it are ready for.
    fn wrong(&mut self, parts: &[Part<'_>]) -> Result<(), Refusal> {
        let mut bad = self.with(parts, |part, state| part.fails(state, TAU));
        let events: BTreeSet<EventId> = parts.iter().flat_map(|part| part.structure.alphabet()).copied().collect();
        for event in events {
            let mut failing = self.with(parts, |part, state| part.fails(state, event));
            if failing.is_empty() {
                continue;
            }
            let happens = self.cnf.variable();
            failing.push(!happens);
            self.add(&failing)?;
            for (number, part) in parts.iter().enumerate() {
                if part.structure.alphabet().binary_search(&event).is_err() {
                    continue;
                }
                let ready = |state: &u32| !part.structure.moves_with(*state, event).is_empty();
                let at = &self.at[number];
                let mut clause: Vec<Literal> =
                    at.iter().filter(|(state, _)| ready(state)).map(|(_, &literal)| literal).collect();
                clause.push(!happens);
                self.add(&clause)?;
            }
            bad.push(happens);
        }
        self.add(&bad)
    }

    /// Nothing can happen, and not all have done their work.
    fn stuck(&mut self, parts: &[Part<'_>]) -> Result<(), Refusal> {
        let excluded = self.with(parts, |part, state| !part.structure.moves_with(state, TAU).is_empty());
        excluded.into_iter().try_for_each(|literal| self.add(&[!literal]))?;
        let working = self.with(parts, |part, state| part.structure.ending(state) != Ending::Done);
        self.add(&working)?;
        let mut refusing: BTreeMap<u32, Vec<Literal>> = BTreeMap::new();
        for (part, at) in parts.iter().zip(&self.at) {
            for event in part.structure.alphabet() {
                let refuses = |state: &u32| part.structure.moves_with(*state, *event).is_empty();
                let literals = at.iter().filter(|(state, _)| refuses(state)).map(|(_, &literal)| literal);
                refusing.entry(event.0).or_default().extend(literals);
                self.clock.spend(0)?;
            }
        }
        refusing.values().try_for_each(|clause| self.add(clause))
    }

    fn with(&self, parts: &[Part<'_>], holds: impl Fn(&Part<'_>, u32) -> bool) -> Vec<Literal> {
        let of = |(part, at): (&Part<'_>, &BTreeMap<u32, Literal>)| {
            at.iter().filter(|(state, _)| holds(part, **state)).map(|(_, &literal)| literal).collect::<Vec<_>>()
        };
        parts.iter().zip(&self.at).flat_map(of).collect()
    }
}
