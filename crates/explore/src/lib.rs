//! Explicit-state search: safety and deadlock of finite models, with shortest runs; cycles without progress; growth.
//!
//! * In: a [`model::semantics::Semantics`], properties, a budget and an observer.
//! * Out: one [`model::verdict::Outcome`] per property. A violation has a run that was replayed; a
//!   proof has the number and the digest of all states.
//!
//! This crate never prints, and has no idea of its own of what a statement does.

pub mod accept;
mod barrier;
mod bitstate;
mod clock;
mod compress;
pub mod disk;
pub mod expansion;
pub mod fill;
mod graph;
pub mod growth;
pub mod liveness;
pub mod moves;
mod parallel;
pub mod partition;
pub mod progress;
pub mod reduction;
pub mod search;
mod share;
mod store;
pub mod symmetry;
pub mod table;
pub mod traced;
mod unreached;

pub use search::{Options, Order, Packing};

use model::budget::{Budget, Stopwatch};
use model::chart::{Chart, Form};
use model::context::Context;
use model::fairness::Fairness;
use model::semantics::Semantics;
use model::source::SourceMap;
use model::trace::Narrator;
use model::verdict::{Certificate, Outcome, Property, Reason, Verdict};
use reduction::{Labels, Mode, Reduction, Tally};
use search::{Found, Violation};
use std::time::Duration;

/// The name of this engine.
pub const ENGINE: &str = "explore";

/// Answers all properties of `options` with one search.
pub fn check(semantics: &Semantics<'_>, sources: &SourceMap, options: &Options, cx: &Context<'_>) -> Vec<Outcome> {
    let start = Stopwatch::start();
    // On disk, whether reduction pays is not tried out: the search of all states is the one that can be gone on with.
    let whole = options.keep_going || options.bitstate.is_some() || options.disk.is_some();
    let found = search_in_mode(semantics, options, cx, whole, &search::search);
    conclude(&found, semantics, sources, options, start.elapsed())
}

/// A search: of this crate or of another one.
pub type Searcher<'s> = dyn Fn(&Semantics<'_>, &Options, &Context<'_>) -> Found + 's;

/// Answers all properties of `options` with one search of another crate. Whether reduction pays is not tried out.
pub fn check_by(
    search: &Searcher<'_>,
    semantics: &Semantics<'_>,
    sources: &SourceMap,
    options: &Options,
    cx: &Context<'_>,
) -> Vec<Outcome> {
    let start = Stopwatch::start();
    let found = search_in_mode(semantics, options, cx, true, search);
    conclude(&found, semantics, sources, options, start.elapsed())
}

/// What a search, of this crate or of another one, says of the properties of `options`.
pub fn conclude(
    found: &Found,
    semantics: &Semantics<'_>,
    sources: &SourceMap,
    options: &Options,
    time: Duration,
) -> Vec<Outcome> {
    let mut outcomes = outcomes(found, semantics, sources, options, time);
    if let Some(first) = outcomes.first_mut() {
        unreached::report(found, semantics, sources, &mut first.details);
    }
    outcomes
}

/// What a search says of each property.
fn outcomes(
    found: &Found,
    semantics: &Semantics<'_>,
    sources: &SourceMap,
    options: &Options,
    time: Duration,
) -> Vec<Outcome> {
    options
        .properties
        .iter()
        .map(|property| {
            let open = Outcome::open(property.clone(), semantics.reading(), ENGINE, no_digest());
            let mut outcome = Outcome { time, stats: Some(found.stats.clone()), ..open };
            if found.violations.iter().any(|v| v.property == *property) {
                violated(&mut outcome, found, semantics, sources);
            } else {
                finished(&mut outcome, found);
            }
            outcome
        })
        .collect()
}

/// The search, with as many states as the mode says.
fn search_in_mode(
    semantics: &Semantics<'_>,
    options: &Options,
    cx: &Context<'_>,
    whole: bool,
    searcher: &Searcher<'_>,
) -> Found {
    let search = |mode: Mode, budget: &Budget| {
        let options = Options { reduction: mode, ..options.clone() };
        let trimmed = match mode {
            Mode::On | Mode::Trimmed if options.symmetry => symmetry::trimmed(semantics),
            Mode::On | Mode::Trimmed => reduction::trimmed(semantics, &[], Labels::None),
            Mode::Off | Mode::Auto => None,
        };
        let found = searcher(trimmed.as_ref().unwrap_or(semantics), &options, &cx.with(budget));
        Found { reduced: trimmed.is_some() || options.symmetry, ..found }
    };
    let wanted = options.reduction.of(semantics.reading());
    let through_all = whole && wanted == Mode::Auto;
    let possible = wanted != Mode::Off && !through_all && Reduction::new(semantics, &[], Labels::None).is_some();
    let mode = if possible { wanted } else { Mode::Off };
    let tally = |found: &Found| Tally {
        alone: found.alone,
        states: found.stats.states,
        full: found.stopped == Some(Reason::States),
    };
    reduction::gradually(mode, cx.budget, &search, &tally)
}

/// Without a violation: proved if the search went through everything.
fn finished(outcome: &mut Outcome, found: &Found) {
    if let (Some(crash), Property::Deadlock, None) = (&found.crashed, &outcome.property, &found.stopped) {
        outcome.verdict = Verdict::Inconclusive(Reason::Crash(crash.fault.to_string()));
        return;
    }
    match (&found.stopped, found.digest) {
        (None, Some(_)) if found.reduced => {
            outcome.prove(Certificate::Searched { fair: Fairness::None, events: Vec::new() });
        }
        (None, Some(digest)) => {
            outcome.prove(Certificate::Explored {
                states: found.stats.states,
                digest,
                longest: Vec::new(),
                events: Vec::new(),
            });
        }
        (Some(reason), _) => outcome.verdict = Verdict::Inconclusive(reason.clone()),
        (None, None) => {}
    }
}

/// Why a search that went through everything proves nothing.
fn no_digest() -> Reason {
    Reason::NotSupported(String::from("the search has no digest"))
}

/// With violations: their runs are replayed, and only then they count.
fn violated(outcome: &mut Outcome, found: &Found, semantics: &Semantics<'_>, sources: &SourceMap) {
    let own = found.violations.iter().zip(&found.runs).filter(|(violation, _)| violation.property == outcome.property);
    let charts: Option<Vec<Chart>> = own.map(|(one, run)| witness(one, run, semantics, sources)).collect();
    match charts.map(Vec::into_iter) {
        Some(mut charts) => {
            outcome.verdict = Verdict::Violated;
            outcome.witness = charts.next();
            outcome.details.others = charts.collect();
        }
        None => {
            let reason = String::from("a violation was found, but its run did not replay");
            outcome.verdict = Verdict::Inconclusive(Reason::Internal(reason));
        }
    }
    let counts = found.counts.iter().find(|(property, ..)| *property == outcome.property);
    if let (Some(stats), Some(&(_, times, failures))) = (&mut outcome.stats, counts) {
        (stats.violations, outcome.details.failures) = (times, failures);
    }
}

/// Replays a run and puts it into words; `None` if it does not show the violation.
fn witness(
    violation: &Violation,
    steps: &[model::semantics::Step],
    semantics: &Semantics<'_>,
    sources: &SourceMap,
) -> Option<Chart> {
    let mut narrator = Narrator::new(semantics, sources);
    if let (Some(fault), []) = (&violation.fault, steps) {
        return initial_fault(fault, semantics);
    }
    let replayed = narrator.replay(steps).ok()?;
    let stuck = violation.fault.is_none();
    let (problem, problem_code, problem_span) = match &violation.fault {
        Some(expected) if replayed.fault.as_ref() == Some(expected) => {
            (expected.fault.to_string(), expected.fault.code(), Some(expected.span))
        }
        Some(_) => return None,
        None => {
            if !is_deadlock(semantics, &replayed.state, replayed.control) {
                return None;
            }
            (String::from("invalid end state: nothing can move"), "invalid-end-state", None)
        }
    };
    Some(Chart { problem, problem_code, problem_span, stuck, ..narrator.chart(replayed) })
}

/// The first state itself cannot be made.
fn initial_fault(fault: &model::fault::FaultAt, semantics: &Semantics<'_>) -> Option<Chart> {
    let replayed = semantics.stepper().initial();
    match replayed {
        Ok(Err(again)) if again == *fault => Some(Chart {
            problem: fault.fault.to_string(),
            problem_code: fault.fault.code(),
            problem_span: Some(fault.span),
            ..Chart::new(&Form::RUN, Vec::new())
        }),
        _ => None,
    }
}

/// Nothing can move, and some process may not stop where it is.
fn is_deadlock(semantics: &Semantics<'_>, state: &[u8], control: Option<u32>) -> bool {
    let mut stepper = semantics.stepper();
    let blocked = control.is_none_or(|process| stepper.keeps_control(state, process) == Ok(false));
    blocked && stepper.expand(state, None, &mut |_| ()) == Ok(0) && !stepper.is_valid_end(state)
}
