//! Whether a formula that holds says anything.
//!
//! Formulas speak of infinite runs only. One that holds says nothing if there is no infinite run at all, or if a part of it is
//! not needed (`model::vacuity`). Both are questions like any other.

use crate::{Method, Question, Verdict, check};
use model::composition::{Atom, Composition};
use model::context::Context;
use model::formula::Ltl;
use model::reason::Reason;

/// What a formula that holds is worth.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Worth {
    /// It says something.
    Meaningful,
    /// There is no infinite run.
    NoInfiniteRun,
    /// The condition of `[] (condition -> ..)` holds nowhere on infinite runs.
    NeverOccurs(String),
    /// A part of it is not needed.
    Unneeded(String),
    /// Not known.
    Unknown(Reason),
}

/// Looks at a formula that holds.
pub fn worth(composition: &Composition, formula: &Ltl<Atom>, method: Method, cx: &Context<'_>) -> Worth {
    worth_by(formula, &mut |formula| match check(composition, Question::Formula(formula), method, cx).verdict {
        Verdict::Holds(_) => Ok(true),
        Verdict::Fails(_) => Ok(false),
        Verdict::Inconclusive(reason) => Err(reason),
    })
}

/// The same, by whoever can tell whether a formula holds.
pub fn worth_by(formula: &Ltl<Atom>, holds: &mut dyn FnMut(&Ltl<Atom>) -> Result<bool, Reason>) -> Worth {
    let parts = formula.strengthened();
    let (mut vacuous, mut unknown) = (None, None);
    for stronger in &parts {
        match holds(&stronger.formula) {
            Ok(false) => {}
            Ok(true) => {
                vacuous = Some(match formula.antecedent().filter(|_| stronger.is_never) {
                    Some(condition) => Worth::NeverOccurs(condition.to_string()),
                    None => Worth::Unneeded(stronger.words.clone()),
                });
                break;
            }
            Err(reason) => unknown = Some(reason),
        }
    }
    // A run that breaks a stronger formula is infinite.
    if vacuous.is_none() && !parts.is_empty() {
        return unknown.map_or(Worth::Meaningful, Worth::Unknown);
    }
    match holds(&Ltl::Constant(false)) {
        Ok(true) => Worth::NoInfiniteRun,
        Err(reason) => Worth::Unknown(reason),
        Ok(false) => vacuous.unwrap_or(Worth::Meaningful),
    }
}
