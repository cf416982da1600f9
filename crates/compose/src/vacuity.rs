//! Whether a formula that holds says anything.
//!
//! Formulas speak of infinite runs only. One that holds says nothing if there is no infinite run at all, or if a part of it is
//! not needed (`model::vacuity`). Both are questions like any other.

use crate::{Method, Question, Verdict, check};
use model::composition::{Atom, Composition};
use model::context::Context;
use model::fairness::Fairness;
use model::formula::Ltl;
use model::reason::Reason;

/// Why a formula that holds does so vacuously, if it does. Where that is not known, the reason says why.
pub type Vacuity = Result<Option<String>, Reason>;

/// Looks at a formula that holds for all runs.
pub fn vacuity(composition: &Composition, formula: &Ltl<Atom>, method: Method, cx: &Context<'_>) -> Vacuity {
    vacuity_by(formula, &mut |formula| holds(composition, formula, method, cx))
}

/// Whether a formula holds for all runs.
pub fn holds(composition: &Composition, formula: &Ltl<Atom>, method: Method, cx: &Context<'_>) -> Result<bool, Reason> {
    holds_fairly(composition, (formula, Fairness::None), method, cx)
}

/// Whether a formula holds for runs that are fair in a sense.
pub fn holds_fairly(
    composition: &Composition,
    (formula, fair): (&Ltl<Atom>, Fairness),
    method: Method,
    cx: &Context<'_>,
) -> Result<bool, Reason> {
    let question = if fair.is_assumed() { Question::Fair(formula, fair) } else { Question::Formula(formula) };
    match check(composition, question, method, cx).verdict {
        Verdict::Holds(_) => Ok(true),
        Verdict::Fails(_) => Ok(false),
        Verdict::Inconclusive(reason) => Err(reason),
    }
}

/// The reason of a formula that holds, by whoever can tell whether others hold.
pub fn vacuity_by(formula: &Ltl<Atom>, holds: &mut dyn FnMut(&Ltl<Atom>) -> Result<bool, Reason>) -> Vacuity {
    let parts = formula.strengthened();
    let (mut vacuous, mut unknown) = (None, None);
    for stronger in &parts {
        match holds(&stronger.formula) {
            Ok(false) => {}
            Ok(true) => {
                vacuous = Some(match formula.antecedent().filter(|_| stronger.is_never) {
                    Some(condition) => format!("`{condition}` never holds on an infinite run"),
                    None => stronger.words.clone(),
                });
                break;
            }
            Err(reason) => unknown = Some(reason),
        }
    }
    // A run that breaks a stronger formula is infinite.
    if vacuous.is_none() && !parts.is_empty() {
        return unknown.map_or(Ok(None), Err);
    }
    match (holds(&Ltl::Constant(false)), vacuous) {
        (Ok(true), _) => Ok(Some(String::from("there is no infinite run, and formulas speak of no other"))),
        // It holds vacuously, for this reason or for the other one.
        (Ok(false) | Err(_), Some(vacuous)) => Ok(Some(vacuous)),
        (Ok(false), None) => Ok(None),
        (Err(reason), None) => Err(reason),
    }
}

/// The parts of a formula that holds and is not vacuous, which it would hold without; or that this is not known.
pub fn spare_by(formula: &Ltl<Atom>, holds: &mut dyn FnMut(&Ltl<Atom>) -> Result<bool, Reason>) -> Vec<String> {
    let mut notes = Vec::new();
    for shorter in formula.spare() {
        match holds(&shorter.formula) {
            Ok(false) => {}
            Ok(true) => notes.push(shorter.words),
            Err(reason) => {
                notes.push(format!("whether each part is needed was not examined: {reason}"));
                break;
            }
        }
    }
    notes
}
