//! Compositions (`.fsp`, `.aut`): the questions that the engine `compose` answers, and what is made of its answers.
//!
//! Nothing that comes back is believed. A proof is handed to the small checker; a run is replayed on the components, and
//! looked at: it ends where nothing can happen, or in an error, or the formula is evaluated on it directly (crate `replay`).
//!
//! A formula speaks of infinite runs only. If there is none, or if the condition of `[] (condition -> ..)` never holds on
//! one, the formula says nothing. If there are infinite runs and others that get stuck, it holds for what it speaks of,
//! and the deadlock is mentioned beside it.

pub mod settings;
mod simulated;

pub use simulated::{follow, run};

use crate::error::Error;
use crate::evidence::{Answer, Checked, Claim, refused};
use crate::machines;
use crate::settings::{Engine, Settings};
use crate::strategy::{Strategy, not_applicable, not_supported, one_by_one};
use compose::Method;
use compose::vacuity::{holds_fairly, spare_by, vacuity_by};
use model::budget::Stopwatch;
use model::composition::{Atom, Composition, Question};
use model::context::Context;
use model::fairness::Fairness;
use model::formula::Ltl;
use model::observer::ProgressOnly;
use model::semantics::Reading;
use model::stats::{Sheet, Value};
use model::verdict::{Outcome, Property, Reason};
use replay::Replayed;
use std::time::Duration;

/// A composition, ready to be checked.
pub struct Compositions<'a> {
    composition: &'a Composition,
    settings: &'a Settings,
    method: Method,
    fair: Fairness,
}

/// Whether it can get stuck, as far as that is known.
enum Deadlock {
    Never,
    After(usize),
    Unknown(Reason),
}

impl<'a> Compositions<'a> {
    /// Reads the settings.
    pub fn new(composition: &'a Composition, settings: &'a Settings) -> Result<Self, Error> {
        Ok(Compositions { composition, settings, method: settings::method(settings)?, fair: settings.fair.into() })
    }

    /// Whether the engine answers a property of this kind.
    fn is_answered(&self, property: &Property) -> bool {
        match property {
            Property::Deadlock | Property::Safety | Property::Ltl(_) => true,
            Property::Progress(name) => self.composition.progress.iter().any(|known| known.name == *name),
            _ => false,
        }
    }

    fn is_chosen(&self) -> bool {
        matches!(self.settings.engine, Engine::Auto | Engine::Compose)
    }

    fn answer(&self, property: &Property, deadlock: &mut Option<Deadlock>, cx: &Context<'_>) -> Answer {
        let mut outcome = Answer::blank(property, Reading::Declared, compose::ENGINE);
        let claim: Claim = match self.composition.question(property, self.fair) {
            Some(question) => self.answered(question, &mut outcome, deadlock, cx).into(),
            None => Claim::Open(Reason::NotSupported(format!("there is no formula for {property}"))),
        };
        if *property == Property::Deadlock {
            *deadlock = match &claim {
                Claim::Proved(_) => Some(Deadlock::Never),
                Claim::Violated(run) => Some(Deadlock::After(run.steps())),
                Claim::Open(reason) => Some(Deadlock::Unknown(reason.clone())),
                Claim::Vacuous(..) => None,
            };
        }
        Answer { outcome, claim }
    }

    fn answered(
        &self,
        question: Question<'_>,
        outcome: &mut Outcome,
        deadlock: &mut Option<Deadlock>,
        cx: &Context<'_>,
    ) -> Result<Claim, Reason> {
        let start = Stopwatch::start();
        let answer = compose::check(self.composition, question, self.method, cx);
        let sheet = sheet(&answer.statistics).with("search_ms", "search", start.elapsed());
        let sheet = sheet.with("check_ms", "check", Duration::ZERO);
        outcome.details.scope = scope(&answer.statistics);
        outcome.details.sheets = vec![sheet];
        match answer.verdict {
            compose::Verdict::Inconclusive(reason) => Err(reason),
            compose::Verdict::Fails(run) => {
                let (replayed, joint) = Replayed::composition(self.composition, question, *run)?;
                outcome.witness = Some(joint);
                Ok(Claim::Violated(replayed))
            }
            compose::Verdict::Holds(proof) => {
                let start = Stopwatch::start();
                let checked = Checked::composition(self.composition, &outcome.property, self.fair, proof, cx);
                if let Some(sheet) = outcome.details.sheets.first_mut() {
                    sheet.set("check_ms", start.elapsed());
                }
                let checked = checked.map_err(|refusal| refused(refusal, cx))?;
                let empty = question.formula().and_then(|formula| self.vacuous(formula, outcome, deadlock, cx));
                Ok(checked.unless_vacuous(empty))
            }
        }
    }

    /// Why a formula holds vacuously, if it does. Whether there are runs that it does not speak of is noted.
    fn vacuous(
        &self,
        formula: &Ltl<Atom>,
        outcome: &mut Outcome,
        deadlock: &mut Option<Deadlock>,
        cx: &Context<'_>,
    ) -> Option<String> {
        let advice = &mut outcome.details.advice;
        let silent = ProgressOnly(cx.observer);
        let silent = Context::new(cx.budget, &silent);
        let ask =
            &mut |formula: &Ltl<Atom>| holds_fairly(self.composition, (formula, self.fair), Method::Auto, &silent);
        match vacuity_by(formula, ask) {
            Ok(None) => advice.extend(spare_by(formula, ask)),
            Ok(empty) => return empty,
            Err(reason) => advice.push(not_examined(&reason)),
        }
        match deadlock.get_or_insert_with(|| self.deadlock(cx)) {
            Deadlock::Never => {}
            Deadlock::After(steps) => {
                let steps = if *steps == 1 { String::from("1 step") } else { format!("{steps} steps") };
                advice.push(format!(
                    "the composition can get stuck, after {steps} (`-p deadlock` shows how); formulas speak of infinite \
                     runs only, not of those that end there"
                ));
            }
            Deadlock::Unknown(reason) => advice.push(format!(
                "formulas speak of infinite runs only; whether the composition can get stuck is not known: {reason}"
            )),
        }
        None
    }

    /// Whether it can get stuck. It was not requested, so by whatever is quickest.
    fn deadlock(&self, cx: &Context<'_>) -> Deadlock {
        let silent = ProgressOnly(cx.observer);
        let cx = Context::new(cx.budget, &silent);
        match compose::check(self.composition, Question::Deadlock, Method::Auto, &cx).verdict {
            compose::Verdict::Holds(_) => Deadlock::Never,
            compose::Verdict::Fails(run) => Deadlock::After(run.steps.len()),
            compose::Verdict::Inconclusive(reason) => Deadlock::Unknown(reason),
        }
    }
}

/// What is said where nothing is known of a formula's vacuity.
pub fn not_examined(reason: &Reason) -> String {
    format!("whether the formula holds vacuously was not examined: {reason}")
}

fn sheet(statistics: &compose::Statistics) -> Sheet {
    let automaton = if statistics.automaton_states > 0 { "automaton" } else { "" };
    Sheet::new("compose for")
        .with("method", "answered by", statistics.method.clone())
        .with("iterations", "iterations", statistics.iterations)
        .with("abstract_states", "abstract states", statistics.abstract_states)
        .with("classes", "classes", Value::Counts(statistics.classes.clone()))
        .with("automaton_states", automaton, statistics.automaton_states)
        .with("memory_bytes", "memory", Value::Bytes(statistics.memory_bytes))
}

/// How the engine came to a proof.
fn scope(statistics: &compose::Statistics) -> String {
    match statistics.method.as_str() {
        "minimise" => String::from("component by component"),
        "count" => String::from("linear invariants of all components"),
        "paper" | "refine" if statistics.iterations == 1 => String::from("1 refinement"),
        "paper" | "refine" => format!("{} refinements", statistics.iterations),
        other => other.replacen("plain", "the product of all components", 1),
    }
}

impl Strategy for Compositions<'_> {
    /// Deadlock, errors where there are any, every formula and every progress property of the text.
    fn stated(&self) -> Vec<Property> {
        let formulas = self.composition.formulas.iter().map(|formula| Property::Ltl(formula.name.clone()));
        let safety = self.composition.has_errors().then_some(Property::Safety);
        let named = self.composition.progress.iter().filter(|progress| !progress.name.is_empty());
        let progress = named.map(|named| Property::Progress(named.name.clone()));
        [Property::Deadlock].into_iter().chain(safety).chain(formulas).chain(progress).collect()
    }

    fn unsupported(&self, property: &Property) -> Option<Reason> {
        match property {
            Property::Safety if !self.composition.has_errors() => not_applicable("no component has an error state"),
            _ if self.is_answered(property) && self.is_chosen() => None,
            _ if self.is_answered(property) => {
                not_supported(format!("{property} of compositions is answered by the engine `compose`"))
            }
            _ if *property == Property::Boundedness || machines::answers(property) => {
                not_applicable("compositions of labelled transition systems have no channels")
            }
            Property::Progress(name) => not_applicable(format!("there is no progress property `{name}`")),
            _ => not_applicable(format!("{property} is not a property of compositions")),
        }
    }

    fn engines(&self, property: &Property) -> Vec<Engine> {
        if self.is_answered(property) && self.is_chosen() { vec![Engine::Compose] } else { Vec::new() }
    }

    fn solve(&self, properties: &[Property], cx: &Context<'_>) -> Result<Vec<Answer>, Error> {
        let mut deadlock = None;
        one_by_one(properties, cx, |property, cx| Ok(self.answer(property, &mut deadlock, cx)))
    }
}
