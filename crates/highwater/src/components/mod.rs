//! C components in parallel (`.spec`): the questions that the engine `cegar` answers, and what is made of its answers.
//!
//! Nothing that comes back is believed. A proof is handed to two checkers (`checking`); a run is followed again, each
//! procedure by the interpreter on its inputs, and looked at: it ends where nothing can happen, or in an error, or the
//! formula is evaluated on it directly (crate `replay`).
//!
//! A formula speaks of infinite runs only. If there is none, or if the condition of `[] (condition -> ..)` never holds on one,
//! the formula says nothing. The structures of a proof do more than the procedures; what they do not do, these do not either.

mod checking;
mod replayed;
mod script;
mod simulated;

pub use checking::{Accepted, accepted};
pub use input::ComponentsFile;
pub use replayed::replay;
pub use simulated::run;

use crate::c_test;
use crate::compositions;
use crate::error::Error;
use crate::evidence::{Answer, Checked, Claim};
use crate::machines;
use crate::settings::{Engine, Settings};
use crate::strategy::{Strategy, not_applicable, not_supported, one_by_one};
use cegar::{Holds, Part, Question, Specification, Violation};
use cfront::witness::Test;
use compose::Method;
use compose::vacuity::{spare_by, vacuity_by};
use model::budget::Stopwatch;
use model::composition::Atom;
use model::context::Context;
use model::diagnostic::nearest;
use model::formula::Ltl;
use model::observer::ProgressOnly;
use model::semantics::Reading;
use model::source::{SourceMap, Span};
use model::stats::{Datum, Exhibit, Field, Sheet};
use model::structure::Ending;
use model::verdict::{Outcome, Property, Reason};
use replay::Replayed;
use replay::components::{Units, follow};
use std::cell::Cell;
use std::path::Path;
use std::time::Duration;

/// So long may it take to find out whether a formula that holds says something.
const LONGEST_SECOND_THOUGHT: Duration = Duration::from_secs(5);

/// Why there is no test of a run that ends.
const NO_PROCEDURE: &str =
    "no procedure without shared variables takes part in the violation: it is not written as a C program";
/// Why there is no test of a run that does not.
const NO_CALL: &str = "no component calls a routine in the loop of this run, so it cannot be written as a C program";
/// What such a test does.
const TWICE: &str = "the run has no end: a test goes around its loop twice, to the last call there";

/// A specification, ready to be checked.
pub struct Components<'a> {
    file: &'a ComponentsFile,
    sources: &'a SourceMap,
    settings: &'a Settings,
    method: Method,
    /// The first violation has been written as C.
    tested: Cell<bool>,
}

impl<'a> Components<'a> {
    /// Reads the settings.
    pub fn new(file: &'a ComponentsFile, sources: &'a SourceMap, settings: &'a Settings) -> Result<Self, Error> {
        Ok(Components {
            file,
            sources,
            settings,
            method: compositions::settings::method(settings)?,
            tested: Cell::new(false),
        })
    }

    /// The conformances that a name means: all, those of a procedure, or one.
    fn conformances(&self, name: &str) -> Vec<Property> {
        let all = self.file.specification.conformances.iter().map(|found| found.short_name());
        let meant = |full: &String| name.is_empty() || full == name || full.split(' ').next() == Some(name);
        all.filter(meant).map(Property::Conformance).collect()
    }

    fn answer(&self, property: &Property, stuck: bool, cx: &Context<'_>) -> Result<Answer, Error> {
        let mut outcome = Answer::blank(property, Reading::Declared, cegar::ENGINE);
        let Some(question) = self.file.specification.question(property) else {
            let reason = Reason::NotSupported(format!("there is no {property}"));
            return Ok(Answer { outcome, claim: Claim::Open(reason) });
        };
        let start = Stopwatch::start();
        let specification = &self.file.specification;
        let answer = cegar::check(specification, question, self.method, cx);
        let sheet = sheet(&answer.statistics).with("search_ms", "search", start.elapsed());
        outcome.details.scope = answer.statistics.scope();
        outcome.details.sheets = vec![sheet.with("check_ms", "check", Duration::ZERO)];
        outcome.details.exhibits = vec![rounds(specification, question, &answer.refined)];
        let claim = match answer.verdict {
            cegar::Outcome::Inconclusive(reason) => Claim::Open(reason),
            cegar::Outcome::Fails(violation) => self.violated(question, &violation, &mut outcome)?,
            cegar::Outcome::Holds(holds) => self.proved(&holds, stuck, cx, &mut outcome).into(),
        };
        Ok(Answer { outcome, claim })
    }

    /// A run counts once it was followed.
    fn violated(&self, question: Question, violation: &Violation, outcome: &mut Outcome) -> Result<Claim, Error> {
        let specification = &self.file.specification;
        let parts = match cegar::parts_of(specification, question) {
            Ok(parts) => parts,
            Err(reason) => return Ok(Claim::Open(reason)),
        };
        let script = script::of_violation(violation, &parts);
        let (replayed, followed, run) =
            match Replayed::components(specification, question, &parts, self.sources, &script) {
                Ok(found) => found,
                Err(reason) => return Ok(Claim::Open(reason)),
            };
        if let Some(path) = self.settings.c_test.as_ref().filter(|_| !self.tested.get()) {
            self.tested.set(true);
            let units = Units { inputs: &self.file.units, data_model: self.file.options.data_model };
            let twice = run.loop_from.map(|_| {
                let more = script.once_more(&followed);
                follow(specification, question, &parts, self.sources, &more)
            });
            outcome.details.advice.extend(match twice {
                None => written(&units.tests(&followed, &run), path, NO_PROCEDURE, None)?,
                Some(Ok(twice)) => written(&units.loop_tests(&followed, &twice), path, NO_CALL, Some(TWICE))?,
                Some(Err(why)) => vec![format!("the run is not written as a C program: {why}")],
            });
        }
        outcome.witness = Some(run);
        Ok(Claim::Violated(replayed))
    }

    /// A proof counts once it was checked; and a formula that holds may say nothing.
    fn proved(&self, holds: &Holds, stuck: bool, cx: &Context<'_>, outcome: &mut Outcome) -> Result<Claim, Reason> {
        let start = Stopwatch::start();
        let checked = Checked::components(self.file, &outcome.property, holds, self.settings.cross_check, cx);
        let check_time = start.elapsed();
        let (checked, accepted) = checked?;
        if let Some(sheet) = outcome.details.sheets.first_mut() {
            sheet.set("obligations", accepted.obligations);
            sheet.set("check_ms", check_time);
            sheet.set("checked_by", accepted.by);
        }
        outcome.details.exhibits.push(procedures(&self.file.specification, holds));
        let empty = match holds.question {
            Question::Formula(number) => self.vacuous(number, holds, stuck, cx, outcome),
            _ => None,
        };
        Ok(checked.unless_vacuous(empty))
    }

    /// Whether the program keeps another formula than the one of a proof. What the structures of the proof keep, it does;
    /// what they do not, it may.
    fn keeps(&self, formula: &Ltl<Atom>, number: usize, holds: &Holds, cx: &Context<'_>) -> Result<bool, Reason> {
        let observer = ProgressOnly(cx.observer);
        let cx = &Context::new(cx.budget, &observer);
        let question = compose::Question::Formula(formula);
        let answer = compose::check(&holds.composition, question, Method::Auto, cx);
        match answer.verdict {
            compose::Verdict::Holds(_) => return Ok(true),
            compose::Verdict::Inconclusive(reason) => return Err(reason),
            compose::Verdict::Fails(_) => {}
        }
        let mut specification = self.file.specification.clone();
        if let Some(requirement) = specification.formulas.get_mut(number) {
            requirement.formula = formula.clone();
        }
        let budget = cx.budget.at_most(LONGEST_SECOND_THOUGHT);
        let cx = &cx.with(&budget);
        let question = Question::Formula(number);
        match cegar::check(&specification, question, self.method, cx).verdict {
            cegar::Outcome::Holds(_) => Ok(true),
            cegar::Outcome::Fails(_) => Ok(false),
            cegar::Outcome::Inconclusive(reason) => Err(reason),
        }
    }

    /// Why a formula holds vacuously, if it does.
    fn vacuous(
        &self,
        number: usize,
        holds: &Holds,
        stuck: bool,
        cx: &Context<'_>,
        outcome: &mut Outcome,
    ) -> Option<String> {
        let requirement = self.file.specification.formulas.get(number)?;
        let advice = &mut outcome.details.advice;
        let ask = &mut |formula: &Ltl<Atom>| self.keeps(formula, number, holds, cx);
        match vacuity_by(&requirement.formula, ask) {
            // For a note, what the structures of the proof keep is enough.
            Ok(None) => advice.extend(spare_by(&requirement.formula, &mut |shorter| {
                compose::vacuity::holds(&holds.composition, shorter, Method::Auto, cx)
            })),
            Ok(empty) => return empty,
            Err(reason) => advice.push(compositions::not_examined(&reason)),
        }
        if stuck {
            let note = "the program can get stuck; formulas speak of infinite runs only, not of those that end there";
            advice.push(String::from(note));
        }
        if holds.composition.components.iter().all(|one| can_end(&one.structure)) {
            let note =
                "every part can come to its end; formulas speak of infinite runs only, not of those that end there";
            advice.push(String::from(note));
        }
        None
    }
}

impl Strategy for Components<'_> {
    /// All that the specification has.
    fn stated(&self) -> Vec<Property> {
        let Specification { parts, formulas, .. } = &self.file.specification;
        let whole: &[Property] = if parts.is_empty() { &[] } else { &[Property::Deadlock, Property::Safety] };
        let formulas = formulas.iter().map(|formula| Property::Ltl(formula.name.clone()));
        whole.iter().cloned().chain(formulas).chain(self.conformances("")).collect()
    }

    fn named(&self, property: &Property) -> Result<Vec<Property>, Error> {
        let Property::Conformance(name) = property else { return Ok(vec![property.clone()]) };
        let found = self.conformances(name);
        if !found.is_empty() {
            return Ok(found);
        }
        let names = self.conformances("");
        let names: Vec<String> = names.iter().map(|found| found.to_string().replacen("conformance:", "", 1)).collect();
        let procedures = names.iter().filter_map(|name| name.split(' ').next());
        match nearest(name, procedures) {
            _ if names.is_empty() => Ok(vec![property.clone()]),
            Some(near) => Err(Error::Usage(format!(
                "-p conformance:{name}: there is no such conformance; did you mean `{near}`?"
            ))),
            None => Err(Error::Usage(format!(
                "-p conformance:{name}: there is no such conformance; there are {}",
                names.join(", ")
            ))),
        }
    }

    fn unsupported(&self, property: &Property) -> Option<Reason> {
        let specification = &self.file.specification;
        match property {
            Property::Conformance(_) if specification.conformances.is_empty() => {
                not_applicable("the specification has no `conforms P to Q;`")
            }
            Property::Deadlock | Property::Safety | Property::Ltl(_) if specification.parts.is_empty() => {
                not_applicable("the specification has no program")
            }
            Property::Deadlock | Property::Safety | Property::Ltl(_) | Property::Conformance(_) => {
                match self.settings.engine {
                    Engine::Auto | Engine::Cegar => None,
                    _ => not_supported(format!("{property} of C components is answered by the engine `cegar`")),
                }
            }
            _ if *property == Property::Boundedness || machines::answers(property) => {
                not_applicable("C components have no channels")
            }
            _ => not_applicable(format!("{property} is not a property of C components")),
        }
    }

    fn engines(&self, property: &Property) -> Vec<Engine> {
        use Property::{Conformance, Deadlock, Ltl, Safety};
        let fits = matches!(property, Deadlock | Safety | Ltl(_) | Conformance(_));
        let chosen = matches!(self.settings.engine, Engine::Auto | Engine::Cegar);
        if fits && chosen { vec![Engine::Cegar] } else { Vec::new() }
    }

    fn solve(&self, properties: &[Property], cx: &Context<'_>) -> Result<Vec<Answer>, Error> {
        let mut stuck = false;
        one_by_one(properties, cx, |property, cx| {
            let answer = self.answer(property, stuck, cx)?;
            stuck |= *property == Property::Deadlock && matches!(answer.claim, Claim::Violated(_));
            Ok(answer)
        })
    }
}

/// Writes the tests of procedures, or says why there are none.
fn written(tests: &[(&str, Test)], path: &Path, none: &str, note: Option<&str>) -> Result<Vec<String>, Error> {
    let mut notes = Vec::new();
    for (procedure, test) in tests {
        let own = if tests.len() == 1 { path.to_path_buf() } else { c_test::named(path, procedure) };
        notes.extend(c_test::write(&own, &format!("the run of `{procedure}`"), test)?);
    }
    notes.extend(if tests.is_empty() { Some(none) } else { note }.map(String::from));
    Ok(notes)
}

fn can_end(structure: &model::structure::Structure) -> bool {
    (0..structure.states() as u32).any(|state| structure.ending(state) == Ending::Done)
}

fn sheet(found: &cegar::Statistics) -> Sheet {
    Sheet::new("cegar for")
        .with("refinements", "refinements", found.refinements)
        .with("predicates", "predicates", found.predicates)
        .with("abstract_states", "abstract states", found.abstract_states)
        .with("splits", "splits", found.splits)
        .with("composed_states", "composed", found.composed_states)
        .with("solver_calls", "solver calls", found.solver_calls)
        .with("remembered", "remembered", found.remembered)
        .with("obligations", "obligations", 0)
        .with("checked_by", "checked by", String::new())
}

/// Which predicates came when, and because of which run, which the part cannot take.
fn rounds(specification: &Specification, question: Question, refined: &[cegar::Refined]) -> Exhibit {
    let parts = cegar::parts_of(specification, question).unwrap_or_default();
    let new = |(text, spans): (String, Vec<Span>)| {
        Datum::Record(vec![
            Field::new("predicate", "because of", Datum::Text(text)),
            Field::new("at", "first at", Datum::Place(spans.first().copied())),
            Field::new("places", "places", Datum::Count(spans.len() as u64)),
        ])
    };
    let row = |found: &cegar::Refined| {
        Datum::Record(vec![
            Field::new("round", "round", Datum::Count(found.round)),
            Field::new("part", "part", Datum::Text(name(&parts, found.part))),
            Field::new("events", "cannot take part in the run", Datum::texts(&found.run.0)),
            Field::new("steps", "steps", Datum::Count(found.run.1 as u64)),
            Field::new(
                "predicates",
                "because of",
                Datum::List(by_predicate(&found.predicates).into_iter().map(new).collect()),
            ),
        ])
    };
    let rows = refined.iter().map(row).collect();
    Exhibit { key: "rounds", title: "runs that were excluded on the way to {}", in_stats: true, rows }
}

fn name(parts: &[Part], number: usize) -> String {
    parts.get(number).map_or_else(String::new, |part| part.name().to_owned())
}

/// Each predicate once, with all of its places.
fn by_predicate(found: &[(Span, String)]) -> Vec<(String, Vec<Span>)> {
    let mut grouped: Vec<(String, Vec<Span>)> = Vec::new();
    for (span, text) in found {
        match grouped.iter_mut().find(|(known, _)| known == text) {
            Some((_, spans)) => spans.push(*span),
            None => grouped.push((text.clone(), vec![*span])),
        }
    }
    grouped
}

/// What the proof needs of each procedure. The predicates of the formula, which count everywhere, are left out.
fn procedures(specification: &Specification, holds: &Holds) -> Exhibit {
    let parts = cegar::parts_of(specification, holds.question).unwrap_or_default();
    let place = |(span, predicates): (Span, Vec<String>)| {
        Datum::Record(vec![
            Field::new("at", "place", Datum::Place(Some(span))),
            Field::new("predicates", "predicates", Datum::texts(&predicates)),
        ])
    };
    let row = |proof: &cegar::PartProof| {
        let mut predicates = cegar::predicates(proof);
        predicates.sort_by_key(|(span, _)| (span.file, span.start));
        Datum::Record(vec![
            Field::new("part", "part", Datum::Text(name(&parts, proof.part))),
            Field::new("states", "states", Datum::Count(proof.extract.states.len() as u64)),
            Field::new("predicates", "predicates", Datum::List(predicates.into_iter().map(place).collect())),
        ])
    };
    let rows = holds.parts.iter().map(row).collect();
    Exhibit { key: "procedures", title: "the predicates that {} needs", in_stats: true, rows }
}
