//! Which errors of a C component can be reached: predicates over machine integers, proofs, and runs.
//!
//! * In: a [`c::Component`], the kinds of errors that are asked for, limits, an observer.
//! * Out: an [`Answer`]: safe, with an [`Invariant`] as plain data; unsafe, with a run of the
//!   interpreter that ends in such an error; or why neither is known.
//!
//! The way through: `slice` (what matters), `system` (large blocks between cut points), `search` (clauses over predicates,
//! level by level), `lift` (where predicates come from), `generalise` (what makes them hold for all rounds of a loop),
//! `relations` (equations that no condition mentions), `replay` (a violation is a run), `invariant` and `document` (a proof is data).
//!
//! What must never happen: `Safe` for a program that has such a run, `Unsafe` without one. The search is not trusted for
//! either: whoever asks hands the invariant to `certify::programs`, which derives everything again, and runs the run again.

mod bounds;
mod budget;
pub mod document;
mod encode;
mod generalise;
pub mod invariant;
mod joint;
mod lift;
mod relations;
mod replay;
mod search;
mod slice;
mod system;

pub use invariant::Invariant;

use budget::Budget;
use c::Component;
use c::interpret::{Outcome, Run};
use c::program::{ErrorKind, LocationId};
use model::verdict::{Limits, Observer, Reason};
use search::{Cube, Found, Search};
use std::collections::HashMap;
use std::time::{Duration, Instant};
use system::System;

/// What is known about the asked errors.
#[derive(Clone, Debug)]
pub enum Answer {
    /// None is reached, and this proves it. It excludes errors that were not asked for as well: a run that ends in one
    /// would have to be continued in a way that the reading does not know.
    Safe(Invariant),
    /// This run reaches one.
    Unsafe(Run),
    /// Neither is known.
    Inconclusive(Reason),
}

/// What was counted, and the predicates that the proof needs.
#[derive(Clone, Debug, Default)]
pub struct Statistics {
    /// Levels of the search.
    pub iterations: u64,
    /// Locations at which control was looked at.
    pub cut_points: u64,
    /// Variables that matter.
    pub variables: u64,
    /// Clauses at the end, of all levels.
    pub lemmas: u64,
    /// Sets of states that were to be excluded.
    pub obligations: u64,
    /// Questions to the solver.
    pub solver_calls: u64,
    /// The predicates of the invariant, in the manner of C.
    pub predicates: Vec<String>,
    /// The invariant for people: a location, and what holds there.
    pub invariant: Vec<(LocationId, Vec<String>)>,
    /// How long it took.
    pub time: Duration,
}

/// How far a search is.
#[derive(Clone, Copy, Debug, Default)]
pub struct Progress {
    /// The level.
    pub iteration: u64,
    /// Literals that clauses used so far.
    pub predicates: u64,
    /// Clauses.
    pub lemmas: u64,
    /// Sets of states that were to be excluded.
    pub obligations: u64,
    /// Questions to the solver.
    pub solver_calls: u64,
}

/// Decides whether an asked error of the component can be reached.
pub fn check(
    component: &Component,
    asked: &dyn Fn(&ErrorKind) -> bool,
    limits: &Limits,
    observer: &dyn Observer,
    listener: &mut dyn FnMut(&Progress),
) -> (Answer, Statistics) {
    let start = Instant::now();
    let mut statistics = Statistics::default();
    let budget = Budget::new(limits, observer);
    let answer = decide(component, asked, &budget, listener, &mut statistics).unwrap_or_else(Answer::Inconclusive);
    statistics.time = start.elapsed();
    (answer, statistics)
}

/// What one search came to.
enum Conclusion {
    Proof(Invariant),
    Violation(Run),
}

/// A fault that nobody asked for ends a run, and what a machine would do next is not known. So a proof must exclude all
/// errors. If one that was not asked for can be reached, only a run to one that was is an answer.
fn decide(
    component: &Component,
    asked: &dyn Fn(&ErrorKind) -> bool,
    budget: &Budget<'_>,
    listener: &mut dyn FnMut(&Progress),
    statistics: &mut Statistics,
) -> Result<Answer, Reason> {
    if let Some(run) = replay::guess(component, asked, budget)? {
        return real(run);
    }
    let run = match conclude(component, &|_| true, budget, listener, statistics)? {
        Conclusion::Proof(invariant) => return Ok(Answer::Safe(invariant)),
        Conclusion::Violation(run) => run,
    };
    let fault = match run.outcome {
        Outcome::Error(kind, _) if !asked(&kind) => kind,
        _ => return real(run),
    };
    match conclude(component, asked, budget, listener, statistics)? {
        Conclusion::Proof(_) => Err(Reason::Crash(fault.to_string())),
        Conclusion::Violation(run) => real(run),
    }
}

/// A run in which a routine of the C library does what it never does proves nothing. Nor is there a proof then: it would
/// exclude that run.
fn real(run: Run) -> Result<Answer, Reason> {
    match c::standard::relied_on(&run) {
        Some(routine) => Err(Reason::NotSupported(format!("a run was found that depends on what `{routine}` does"))),
        None => Ok(Answer::Unsafe(run)),
    }
}

/// Searches, and makes a run or a proof of what it found.
fn conclude(
    component: &Component,
    asked: &dyn Fn(&ErrorKind) -> bool,
    budget: &Budget<'_>,
    listener: &mut dyn FnMut(&Progress),
    statistics: &mut Statistics,
) -> Result<Conclusion, Reason> {
    let system = System::new(component, asked, budget)?;
    statistics.cut_points = system.cuts.len() as u64;
    statistics.variables = system.variables.len() as u64;
    let stop = || budget.stopped();
    let limits = budget.solver(&stop);
    let mut search = Search::new(system, budget, limits, listener);
    let found = search.run();
    let progress = search.progress();
    statistics.iterations += progress.iteration;
    statistics.lemmas = progress.lemmas;
    statistics.obligations += progress.obligations;
    statistics.solver_calls += progress.solver_calls;
    match found? {
        Found::Run(inputs) => match replay::replay(&search.system, &inputs, asked, budget)? {
            Some(run) => Ok(Conclusion::Violation(run)),
            None => Err(Reason::NotProvable(String::from("a run that was found does not replay"))),
        },
        Found::Invariant(cubes) => Ok(Conclusion::Proof(write_down(&mut search, &cubes, statistics))),
    }
}

/// The invariant as data, and as text.
fn write_down(search: &mut Search<'_, '_>, cubes: &[Vec<Cube>], statistics: &mut Statistics) -> Invariant {
    let mut conditions = Vec::new();
    let mut literals = Vec::new();
    for (cut, &location) in search.system.cuts.clone().iter().enumerate() {
        let clauses: Vec<smt::TermId> = cubes[cut].iter().map(|cube| search.negation(cube)).collect();
        literals.extend(cubes[cut].iter().flatten().copied());
        // The entry has no conditions; it is an end of blocks only if a jump goes back to it.
        conditions.push((location, clauses));
    }
    // Cycles from which no error is reached need a location too, and no condition.
    for (number, location) in search.system.component.locations.iter().enumerate() {
        if location.loop_head && search.system.slice.leaving[number].is_empty() {
            conditions.push((LocationId(number as u32), Vec::new()));
        }
    }
    let terms = &search.system.terms;
    let text = |list: &[smt::TermId]| list.iter().map(|&term| smt::to_c(terms, term)).collect::<Vec<_>>();
    literals.sort_unstable();
    literals.dedup();
    statistics.predicates = text(&literals);
    statistics.invariant = conditions.iter().map(|(at, list)| (*at, text(list))).collect();
    let names: HashMap<_, _> =
        search.system.state.iter().copied().zip(search.system.variables.iter().copied()).collect();
    Invariant::of_terms(terms, &names, &conditions)
}
