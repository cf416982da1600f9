//! C programs (`.c`): what counts as an error, the question to the engine `pdr`, and what is made of its answer.
//!
//! Nothing that comes back is believed. A proof is handed to the checker again, with a solver of its own (`checking`); a run
//! is executed again by the interpreter, with the inputs that came along, and must end in an error that counts
//! (crate `replay`).
//!
//! What counts are the errors that the author stated: assertions, calls of error routines, error labels. A program that
//! states none is checked for faults at run time, and `--c-faults` checks for both. A proof excludes all of them in any case:
//! what a machine does after a fault is not known.

mod checking;
pub mod proof;
mod replayed;
mod simulated;

pub use checking::accepted;
pub use input::{ProgramFile, data_model_name};
pub use replayed::replay;
pub use simulated::{beside, run};

use crate::c_test;
use crate::error::Error;
use crate::evidence::{Answer, Checked, Claim};
use crate::settings::{Engine, Settings};
use crate::strategy::{Strategy, not_applicable, not_supported, one_by_one};
use cfront::interpret::Run;
use cfront::program::ErrorKind;
use model::budget::Stopwatch;
use model::context::Context;
use model::semantics::Reading;
use model::source::SourceMap;
use model::stats::{Datum, Exhibit, Field, Sheet};
use model::verdict::{Outcome, Property, Reason};
use replay::Replayed;
use std::time::Duration;

/// A program, ready to be checked.
pub struct Programs<'a> {
    program: &'a ProgramFile,
    sources: &'a SourceMap,
    settings: &'a Settings,
    /// Faults at run time count.
    faults: bool,
}

impl<'a> Programs<'a> {
    /// Reads the settings.
    pub fn new(program: &'a ProgramFile, sources: &'a SourceMap, settings: &'a Settings) -> Self {
        let faults = settings.c_faults || !program.states_errors();
        Programs { program, sources, settings, faults }
    }

    /// Whether any error that counts can be reached.
    pub fn safety(&self, cx: &Context<'_>) -> Result<Answer, Error> {
        let mut outcome = Answer::blank(&Property::Safety, Reading::Declared, pdr::ENGINE);
        if self.faults && !self.settings.c_faults {
            outcome.details.advice.push(String::from(
                "the program states no error (assertion, error call, error label): faults at run time count",
            ));
        }
        let (claim, run) = self.answered(&mut outcome, cx).unwrap_or_else(|reason| (Claim::Open(reason), None));
        if let Claim::Open(Reason::Crash(_)) = claim {
            outcome.details.advice.push(String::from("`--c-faults` asks for faults at run time, and shows the run"));
        }
        if let (Some(path), Some(run)) = (&self.settings.c_test, run) {
            let ProgramFile { input, component, options } = self.program;
            let test = cfront::witness::test(input, component, &run, options.data_model);
            outcome.details.advice.extend(c_test::write(path, "the run", &test)?);
        }
        Ok(Answer { outcome, claim })
    }

    /// Whether an error counts.
    fn counts(&self, kind: &ErrorKind) -> bool {
        // Who makes overflow an error asks for it.
        // That recursion is not followed any deeper is no error of the program.
        let faults = self.faults && *kind != ErrorKind::Recursion;
        kind.is_stated() || faults || *kind == ErrorKind::SignedOverflow
    }

    /// A proof that was accepted, or a run that was executed.
    fn answered(&self, outcome: &mut Outcome, cx: &Context<'_>) -> Result<(Claim, Option<Run>), Reason> {
        let component = &self.program.component;
        let counts = |kind: &ErrorKind| self.counts(kind);
        let (answer, statistics) = pdr::check(component, &counts, cx);
        (outcome.details.sheets, outcome.details.exhibits) = (vec![sheet(&statistics)], self.exhibits(statistics));
        match answer {
            pdr::Answer::Inconclusive(reason) => Err(reason),
            pdr::Answer::Unsafe(found) => {
                let (replayed, words, run) = Replayed::program(component, self.sources, &counts, &found)?;
                outcome.witness = Some(words);
                Ok((Claim::Violated(replayed), Some(run)))
            }
            pdr::Answer::Safe(invariant) => {
                let start = Stopwatch::start();
                let proof = proof::written(&invariant, &self.program.options, self.faults);
                let checked = Checked::program(component, proof, self.settings.cross_check, cx);
                let check_time = start.elapsed();
                let (checked, by) = checked?;
                if let Some(sheet) = outcome.details.sheets.first_mut() {
                    sheet.set("check_ms", check_time);
                    sheet.set("checked_by", by);
                }
                Ok((Claim::Proved(checked), None))
            }
        }
    }

    /// The predicates that the proof needs, and the invariant.
    fn exhibits(&self, found: pdr::Statistics) -> Vec<Exhibit> {
        let row = |(location, conditions): (_, Vec<String>)| {
            let place = Datum::Place(Some(self.program.component.location(location).span));
            Datum::Record(vec![
                Field::new("at", "place", place),
                Field::new("conditions", "whenever a run is there", Datum::texts(&conditions)),
            ])
        };
        let predicates = found.predicates.into_iter().map(Datum::Text).collect();
        let invariant = found.invariant.into_iter().map(row).collect();
        let exhibit = |key, title, rows| Exhibit { key, title, in_stats: true, rows };
        vec![
            exhibit("predicates", "the predicates that the proof needs", predicates),
            exhibit("invariant", "the invariant", invariant),
        ]
    }
}

impl Strategy for Programs<'_> {
    fn stated(&self) -> Vec<Property> {
        vec![Property::Safety]
    }

    fn unsupported(&self, property: &Property) -> Option<Reason> {
        match (property, self.settings.engine) {
            (Property::Safety, Engine::Auto | Engine::Pdr) => None,
            (Property::Safety, _) => not_supported("safety of C programs is answered by the engine `pdr`"),
            (Property::Ltl(_), _) => {
                not_supported("formulas are not checked for C programs; for C components (.spec) they are")
            }
            _ => not_applicable(format!("{property} is not a property of C programs")),
        }
    }

    fn engines(&self, property: &Property) -> Vec<Engine> {
        let chosen = matches!(self.settings.engine, Engine::Auto | Engine::Pdr);
        if *property == Property::Safety && chosen { vec![Engine::Pdr] } else { Vec::new() }
    }

    fn solve(&self, properties: &[Property], cx: &Context<'_>) -> Result<Vec<Answer>, Error> {
        one_by_one(properties, cx, |_, cx| self.safety(cx))
    }
}

fn sheet(found: &pdr::Statistics) -> Sheet {
    Sheet::new("pdr for")
        .with("iterations", "iterations", found.iterations)
        .with("cut_points", "cut points", found.cut_points)
        .with("variables", "variables", found.variables)
        .with("lemmas", "lemmas", found.lemmas)
        .with("solver_calls", "solver calls", found.solver_calls)
        .with("search_ms", "search", found.time)
        .with("check_ms", "check", Duration::ZERO)
        .with("checked_by", "checked by", String::new())
}
