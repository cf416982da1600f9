//! The checker: whether an invariant proves that no asked error is reached. Small and plain.
//!
//! It knows nothing of blocks, slices or cubes. From each location of the invariant, and from the entry, it follows the
//! edges to the next locations of the invariant, statement by statement and forwards:
//!
//! * an assignment gives variables new terms, any value is a fresh variable, an assumption adds to the condition under
//!   which the run is here;
//! * where edges meet, a truth value for each edge says that it was taken. If it holds, the run was before that edge, and
//!   the fresh variables of the meeting have the values from there. Nothing says that only one edge is taken, and no two
//!   conditions are believed to exclude each other;
//! * an asked error, or a location of the invariant whose conditions do not hold, is what must not happen. Any other end
//!   of the run is harmless.
//!
//! So the size is that of the text, not of the number of paths (Flanagan and Saxe, *Avoiding exponential explosion:
//! generating compact verification conditions*, 2001). There is one obligation for the entry, where nothing is known,
//! and one for each location of the invariant. A cycle without a location of the invariant is refused. If all obligations
//! are unsatisfiable, induction over the run does the rest. An obligation leaves out premises about variables that its
//! conclusion does not depend on: fewer premises make it harder to prove, never easier.

use crate::encode::{Encoder, sort};
use crate::invariant::Invariant;
use c::program::{Component, Edge, EdgeId, ErrorKind, Instruction, LocationId, VariableId};
use smt::{Limits, Outcome, Solver, Sort, TermId, Terms};
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::time::Instant;

/// Why a proof is not accepted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// It is not a proof of this component: what is wrong.
    Malformed(String),
    /// A run can leave the conditions behind this location.
    NotInductive(LocationId),
    /// The solver has no answer for this location.
    Undecided(LocationId, smt::Reason),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Malformed(what) => write!(f, "{what}"),
            Refusal::NotInductive(location) => {
                write!(f, "the invariant is not inductive: a run can leave it behind location {}", location.0)
            }
            Refusal::Undecided(location, reason) => write!(f, "at location {}: {reason}", location.0),
        }
    }
}

/// What must be unsatisfiable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Obligation {
    /// The location that it is about.
    pub location: LocationId,
    /// The question, in SMT-LIB 2.
    pub text: String,
}

/// Accepts the invariant as a proof that no asked error is reached, or says why not.
pub fn verify(
    component: &Component,
    asked: &dyn Fn(&ErrorKind) -> bool,
    invariant: &Invariant,
    solver: &mut dyn Solver,
    limits: &Limits<'_>,
) -> Result<(), Refusal> {
    let derived = Derivation::new(component, asked, invariant, limits)?;
    for (location, question) in &derived.questions {
        match solver.check(&derived.terms, question, limits) {
            Outcome::Unsat(_) => {}
            Outcome::Sat(_) => return Err(Refusal::NotInductive(*location)),
            Outcome::Unknown(reason) => return Err(Refusal::Undecided(*location, reason)),
        }
    }
    Ok(())
}

/// The questions whose unsatisfiability makes the invariant a proof, for any solver.
pub fn obligations(
    component: &Component,
    asked: &dyn Fn(&ErrorKind) -> bool,
    invariant: &Invariant,
) -> Result<Vec<Obligation>, Refusal> {
    let derived = Derivation::new(component, asked, invariant, &Limits::none())?;
    let text = |question: &[TermId]| smt::smtlib::obligation(&derived.terms, question);
    let written = derived.questions.iter().map(|(at, question)| Obligation { location: *at, text: text(question) });
    Ok(written.collect())
}

/// Where a run may be: under which condition, and with which values of the variables, by number.
#[derive(Clone)]
struct Arrival {
    here: TermId,
    values: Vec<TermId>,
}

struct Derivation<'c> {
    component: &'c Component,
    asked: &'c dyn Fn(&ErrorKind) -> bool,
    terms: Terms,
    encoder: Encoder<'c>,
    held: HashMap<LocationId, Vec<TermId>>,
    /// What is known of a fresh variable.
    premises: HashMap<TermId, Vec<TermId>>,
    fresh: u32,
    questions: Vec<(LocationId, Vec<TermId>)>,
}

impl<'c> Derivation<'c> {
    fn new(
        component: &'c Component,
        asked: &'c dyn Fn(&ErrorKind) -> bool,
        invariant: &Invariant,
        limits: &Limits<'_>,
    ) -> Result<Self, Refusal> {
        let mut terms = Terms::new();
        let encoder = Encoder::new(component, &mut terms);
        let mut held = invariant.to_terms(component, &mut terms, encoder.variables()).map_err(Refusal::Malformed)?;
        // What is said of the entry must hold of any values.
        let initially = held.get(&component.entry).cloned().unwrap_or_default();
        let initially = terms.and_all(&initially);
        held.entry(component.entry).or_default();
        let questions = vec![(component.entry, vec![terms.not(initially)])];
        let premises = HashMap::new();
        let mut derivation = Derivation { component, asked, terms, encoder, held, premises, fresh: 0, questions };
        let mut locations: Vec<LocationId> = derivation.held.keys().copied().collect();
        locations.sort_unstable();
        for location in locations {
            derivation.follow(location, limits)?;
        }
        Ok(derivation)
    }

    /// The obligation of one location: everything up to the next ones.
    fn follow(&mut self, start: LocationId, limits: &Limits<'_>) -> Result<(), Refusal> {
        let mut waiting: HashMap<LocationId, Vec<Arrival>> = HashMap::new();
        let mut bad: Vec<TermId> = Vec::new();
        for location in self.in_order(start)? {
            if limits.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                return Err(Refusal::Undecided(start, smt::Reason::Deadline));
            }
            if limits.stop.is_some_and(|stop| stop()) {
                return Err(Refusal::Undecided(start, smt::Reason::Stopped));
            }
            let here = if location == start {
                Arrival { here: self.terms.bool(true), values: self.encoder.variables().to_vec() }
            } else {
                let arrivals = waiting.remove(&location).unwrap_or_default();
                self.meet(arrivals)
            };
            for (id, edge) in self.component.leaving(location) {
                match &edge.instruction {
                    Instruction::Error(kind) if (self.asked)(kind) => bad.push(here.here),
                    instruction if ends(instruction) => {}
                    _ => {
                        let behind = self.take(&here, id);
                        waiting.entry(edge.target).or_default().push(behind);
                    }
                }
            }
        }
        // What is left waits at locations of the invariant. The start is one if a cycle leads back to it.
        let mut ends: Vec<(LocationId, Vec<Arrival>)> = waiting.into_iter().collect();
        ends.sort_unstable_by_key(|(location, _)| *location);
        for (location, arrivals) in ends {
            let there = self.meet(arrivals);
            let conditions = self.held.get(&location).cloned().unwrap_or_default();
            let all = self.terms.and_all(&conditions);
            let all = self.at(all, &there.values);
            let broken = self.terms.not(all);
            bad.push(self.terms.and(there.here, broken));
        }
        let mut question = self.held.get(&start).cloned().unwrap_or_default();
        question.push(self.terms.or_all(&bad));
        self.add_premises(&mut question);
        self.questions.push((start, question));
        Ok(())
    }

    /// The locations up to the next ones of the invariant, each before those that its edges lead to.
    fn in_order(&self, start: LocationId) -> Result<Vec<LocationId>, Refusal> {
        let (mut open, mut done) = (HashSet::from([start]), HashSet::new());
        let mut order = Vec::new();
        let mut stack = vec![(start, 0_usize)];
        while let Some((here, next)) = stack.last_mut() {
            let here = *here;
            let Some(&edge) = self.component.location(here).leaving.get(*next) else {
                open.remove(&here);
                done.insert(here);
                order.push(here);
                stack.pop();
                continue;
            };
            *next += 1;
            let Edge { target, instruction, .. } = self.component.edge(edge);
            if ends(instruction) || self.held.contains_key(target) || done.contains(target) {
                continue;
            }
            if !open.insert(*target) {
                return Err(Refusal::Malformed(format!("location {} is on a cycle without conditions", target.0)));
            }
            stack.push((*target, 0));
        }
        order.reverse();
        Ok(order)
    }

    /// What holds behind an edge that does not end the run.
    fn take(&mut self, here: &Arrival, id: EdgeId) -> Arrival {
        let mut behind = here.clone();
        let component = self.component;
        match &component.edge(id).instruction {
            Instruction::Assume(condition) => {
                let condition = self.encoder.term(&mut self.terms, *condition);
                let condition = self.at(condition, &here.values);
                behind.here = self.terms.and(here.here, condition);
            }
            Instruction::Assign(list) => {
                for &(variable, value) in list {
                    let value = self.encoder.term(&mut self.terms, value);
                    behind.values[variable.0 as usize] = self.at(value, &here.values);
                }
            }
            Instruction::Havoc(variables, _) => self.any(&mut behind, variables.iter()),
            Instruction::Call { result, writes, .. } => self.any(&mut behind, writes.iter().chain(result)),
            _ => {}
        }
        behind
    }

    fn any<'v>(&mut self, behind: &mut Arrival, variables: impl Iterator<Item = &'v VariableId>) {
        for &variable in variables {
            behind.values[variable.0 as usize] = self.fresh(sort(self.component.variable(variable).scalar));
        }
    }

    fn fresh(&mut self, sort: Sort) -> TermId {
        self.fresh += 1;
        self.terms.var(&format!("?{}", self.fresh), sort)
    }

    /// Where edges meet.
    fn meet(&mut self, mut arrivals: Vec<Arrival>) -> Arrival {
        let Some(mut met) = arrivals.pop() else {
            return Arrival { here: self.terms.bool(false), values: self.encoder.variables().to_vec() };
        };
        if arrivals.is_empty() {
            return met;
        }
        arrivals.push(met.clone());
        let taken: Vec<TermId> = arrivals.iter().map(|_| self.fresh(Sort::Bool)).collect();
        for (&taken, arrival) in taken.iter().zip(&arrivals) {
            let premise = self.terms.implies(taken, arrival.here);
            self.premises.entry(taken).or_default().push(premise);
        }
        for at in 0..met.values.len() {
            if arrivals.iter().all(|arrival| arrival.values[at] == met.values[at]) {
                continue;
            }
            let value = self.fresh(self.terms.sort(met.values[at]));
            for (&taken, arrival) in taken.iter().zip(&arrivals) {
                let same = self.terms.eq(value, arrival.values[at]);
                let premise = self.terms.implies(taken, same);
                self.premises.entry(value).or_default().push(premise);
            }
            met.values[at] = value;
        }
        met.here = self.terms.or_all(&taken);
        met
    }

    /// A term over the variables, with these values in their place.
    fn at(&mut self, term: TermId, values: &[TermId]) -> TermId {
        let mut map = HashMap::new();
        for variable in self.terms.free_variables(&[term]) {
            if let Ok(number) = self.encoder.variables().binary_search(&variable)
                && values[number] != variable
            {
                map.insert(variable, values[number]);
            }
        }
        if map.is_empty() { term } else { self.terms.substitute(term, &map) }
    }

    /// Adds what is known of the fresh variables of the question, and of theirs.
    fn add_premises(&self, question: &mut Vec<TermId>) {
        let mut seen: HashSet<TermId> = HashSet::new();
        let mut pending: Vec<TermId> = question.clone();
        while let Some(term) = pending.pop() {
            if !seen.insert(term) {
                continue;
            }
            pending.extend_from_slice(self.terms.node(term).arguments());
            for &premise in self.premises.get(&term).into_iter().flatten() {
                question.push(premise);
                pending.push(premise);
            }
        }
    }
}

/// The run ends here.
fn ends(instruction: &Instruction) -> bool {
    matches!(instruction, Instruction::Return(_) | Instruction::Stop(_) | Instruction::Error(_))
}
