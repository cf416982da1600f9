//! Which errors of a C component can be reached: predicates over machine integers, proofs, and runs.
//!
//! * In: a [`cfront::Component`], the kinds of errors that are requested, a budget and an observer.
//! * Out: an [`Answer`]: safe, with an [`Invariant`] as plain data; unsafe, with a run of the
//!   interpreter that ends in such an error; or why neither is known.
//!
//! The path through: `slice` (what matters), `system` (large blocks between cut points), `search` (clauses over predicates,
//! level by level), `lift` (where predicates come from), `generalise` (what makes them hold for all rounds of a loop),
//! `relations` and `inequalities` (facts that no condition mentions), `explore` (states with numbers, beside the search),
//! `enumerated` (all of them as a proof), `replay` (a violation is a run), `invariant` and `document` (a proof is data).
//!
//! What must never happen: `Safe` for a program that has such a run, `Unsafe` without one. The search is not trusted for
//! either: whoever asks hands the invariant to `certify::programs`, which derives everything again, and runs the run again.

mod bounds;
pub mod document;
mod enumerated;
mod explore;
mod generalise;
mod inequalities;
mod inputs;
pub mod invariant;
mod joint;
mod lift;
mod listing;
mod liveness;
mod relations;
mod replay;
mod search;
mod slice;
mod system;
mod walker;

pub use invariant::Invariant;

use cfront::Component;
use cfront::interpret::{Outcome, Run};
use cfront::program::{ErrorKind, LocationId};
use enumerated::Beside;
use explore::{Explored, Explorer};
use model::budget::Stopwatch;
use model::context::Context;
use model::reason::Reason;
use search::{Cube, Found, Search};
use std::collections::HashMap;
use std::time::Duration;
use system::System;

/// In programs with as many edges, states are enumerated before the search starts, so long for each edge. In smaller ones
/// the search comes first: its runs are shorter, and its proofs say more.
const MANY_EDGES: u32 = 1_500;
const FOR_EACH_EDGE: Duration = Duration::from_micros(80);

/// What is known about the requested errors.
#[derive(Clone, Debug)]
pub enum Answer {
    /// None is reached, and this proves it. It excludes errors that were not requested as well: a run that ends in one
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

/// The name of this engine.
pub const ENGINE: &str = "pdr";

/// What a search has counted so far.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    /// The level.
    pub(crate) iteration: u64,
    /// Clauses.
    pub(crate) lemmas: u64,
    /// Sets of states that were to be excluded.
    pub(crate) obligations: u64,
    /// Questions to the solver.
    pub(crate) solver_calls: u64,
}

/// Who begins: whatever does, the answer is the same, if there is one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum First {
    /// The search over sets of states, unless the program is large: its runs are shorter, and its proofs say more.
    #[default]
    Sets,
    /// The search over states with numbers.
    States,
}

/// Decides whether a requested error of the component can be reached.
pub fn check(component: &Component, asked: &dyn Fn(&ErrorKind) -> bool, cx: &Context<'_>) -> (Answer, Statistics) {
    check_with(component, asked, First::Sets, cx)
}

/// The same, and says who begins.
pub fn check_with(
    component: &Component,
    asked: &dyn Fn(&ErrorKind) -> bool,
    first: First,
    cx: &Context<'_>,
) -> (Answer, Statistics) {
    let start = Stopwatch::start();
    let mut statistics = Statistics::default();
    let answer = decide(component, asked, first, cx, &mut statistics);
    statistics.time = start.elapsed();
    (answer.unwrap_or_else(Answer::Inconclusive), statistics)
}

/// What one search came to.
enum Conclusion {
    Proof(Invariant),
    Violation(Run),
}

/// A fault that was not requested ends a run, and what a machine would do next is not known. So a proof must exclude all
/// errors. If one that was not requested can be reached, only a run to one that was is an answer.
fn decide(
    component: &Component,
    asked: &dyn Fn(&ErrorKind) -> bool,
    first: First,
    cx: &Context<'_>,
    statistics: &mut Statistics,
) -> Result<Answer, Reason> {
    if first == First::Sets
        && let Some(run) = replay::guess(component, asked, cx.budget)?
    {
        return real(run);
    }
    let mut explorer = Explorer::new(component);
    let edges = u32::try_from(component.edges.len()).unwrap_or(u32::MAX);
    if (edges >= MANY_EDGES || first == First::States)
        && let Explored::Run(run) = explorer.explore(FOR_EACH_EDGE * edges, asked, cx.budget)?
    {
        return real(run);
    }
    let run = match conclude(component, &|_| true, Beside::new(&mut explorer, asked, first), cx, statistics)? {
        Conclusion::Proof(invariant) => return Ok(Answer::Safe(invariant)),
        Conclusion::Violation(run) => run,
    };
    let fault = match run.outcome {
        Outcome::Error(kind, _) if !asked(&kind) => kind,
        _ => return real(run),
    };
    explorer.faulty = true;
    match conclude(component, asked, Beside::new(&mut explorer, asked, first), cx, statistics)? {
        Conclusion::Proof(_) => Err(Reason::Crash(fault.to_string())),
        Conclusion::Violation(run) => real(run),
    }
}

/// A run in which a routine of the C library does what it never does proves nothing. Nor is there a proof then: it would
/// exclude that run.
fn real(run: Run) -> Result<Answer, Reason> {
    match cfront::standard::relied_on(&run) {
        Some(routine) => Err(Reason::NotSupported(format!("a run was found that depends on what `{routine}` does"))),
        None => Ok(Answer::Unsafe(run)),
    }
}

/// Searches, and makes a run or a proof of what it found.
fn conclude<'c>(
    component: &'c Component,
    asked: &dyn Fn(&ErrorKind) -> bool,
    beside: Beside<'c, '_>,
    cx: &Context<'_>,
    statistics: &mut Statistics,
) -> Result<Conclusion, Reason> {
    let system = System::new(component, asked, cx.budget)?;
    statistics.cut_points = system.cuts.len() as u64;
    statistics.variables = system.variables.len() as u64;
    let mut search = Search::new(system, cx, beside);
    let found = search.run();
    let counts = search.counts();
    statistics.iterations += counts.iteration;
    statistics.lemmas = counts.lemmas;
    statistics.obligations += counts.obligations;
    statistics.solver_calls += counts.solver_calls;
    match found? {
        Found::Run(inputs) => match replay::replay(&search.system, &inputs, asked, cx.budget)? {
            Some(run) => Ok(Conclusion::Violation(run)),
            None => Err(Reason::NotProvable(String::from("a run that was found does not replay"))),
        },
        Found::Walked(run) => Ok(Conclusion::Violation(run)),
        Found::Invariant(cubes) => Ok(Conclusion::Proof(write_down(&mut search, &cubes, statistics))),
        Found::States(conditions) => Ok(Conclusion::Proof(write_states(&search, conditions, statistics))),
    }
}

/// The invariant as data, and as text.
fn write_down(search: &mut Search<'_, '_>, cubes: &[Vec<Cube>], statistics: &mut Statistics) -> Invariant {
    let mut conditions = Vec::new();
    let mut literals = Vec::new();
    for (cut, &location) in search.system.cuts.clone().iter().enumerate() {
        let clauses: Vec<bitvector::TermId> = cubes[cut].iter().map(|cube| search.negation(cube)).collect();
        literals.extend(cubes[cut].iter().flatten().copied());
        // The entry has no conditions; it is an end of blocks only if a jump goes back to it.
        conditions.push((location, clauses));
    }
    conditions.extend(harmless_cycles(search));
    let terms = &search.system.terms;
    let text = |list: &[bitvector::TermId]| list.iter().map(|&term| bitvector::to_c(terms, term)).collect::<Vec<_>>();
    literals.sort_unstable();
    literals.dedup();
    statistics.predicates = text(&literals);
    statistics.invariant = conditions.iter().map(|(at, list)| (*at, text(list))).collect();
    Invariant::of_terms(terms, &names(search), &conditions)
}

/// The same for states that were enumerated.
fn write_states(
    search: &Search<'_, '_>,
    states: Vec<Vec<(bitvector::TermId, String)>>,
    statistics: &mut Statistics,
) -> Invariant {
    let mut conditions = Vec::new();
    for (&location, list) in search.system.cuts.iter().zip(states) {
        let (terms, texts): (Vec<_>, Vec<_>) = list.into_iter().unzip();
        statistics.predicates.extend(texts.iter().cloned());
        statistics.invariant.push((location, texts));
        conditions.push((location, terms));
    }
    statistics.predicates.sort_unstable();
    statistics.predicates.dedup();
    conditions.extend(harmless_cycles(search));
    Invariant::of_terms(&search.system.terms, &names(search), &conditions)
}

/// Cycles from which no error is reached need a location too, and no condition.
fn harmless_cycles(search: &Search<'_, '_>) -> Vec<(LocationId, Vec<bitvector::TermId>)> {
    let locations = search.system.component.locations.iter().enumerate();
    let idle = locations
        .filter(|(number, location)| location.loop_head && search.system.slice.leaving[*number].is_empty())
        .map(|(number, _)| (LocationId(number as u32), Vec::new()));
    idle.collect()
}

fn names(search: &Search<'_, '_>) -> HashMap<bitvector::TermId, cfront::program::VariableId> {
    search.system.state.iter().copied().zip(search.system.variables.iter().copied()).collect()
}
