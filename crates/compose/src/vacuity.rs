//! Whether a formula that holds says anything.
//!
//! Formulas speak of infinite runs only. One that holds says nothing if there is no infinite run at all, or if the condition of
//! `[] (condition -> ..)` never occurs on one. Both are questions like any other.

use crate::{Listener, Method, Question, Verdict, check};
use model::composition::{Atom, Composition};
use model::formula::{Ltl, Modality};
use model::verdict::{Limits, Observer, Reason};

/// What a formula that holds is worth.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Worth {
    /// It says something.
    Meaningful,
    /// There is no infinite run.
    NoInfiniteRun,
    /// The condition of `[] (condition -> ..)` holds nowhere on infinite runs.
    NeverOccurs(String),
    /// Not known.
    Unknown(Reason),
}

/// Looks at a formula that holds.
pub fn worth(
    composition: &Composition,
    formula: &Ltl<Atom>,
    method: Method,
    limits: &Limits,
    observer: &dyn Observer,
) -> Worth {
    worth_by(formula, &mut |formula| {
        let nobody: Option<&mut dyn Listener> = None;
        match check(composition, Question::Formula(formula), method, limits, observer, nobody).verdict {
            Verdict::Holds(_) => Ok(true),
            Verdict::Fails(_) => Ok(false),
            Verdict::Inconclusive(reason) => Err(reason),
        }
    })
}

/// The same, by whoever can tell whether a formula holds.
pub fn worth_by(formula: &Ltl<Atom>, holds: &mut dyn FnMut(&Ltl<Atom>) -> Result<bool, Reason>) -> Worth {
    let nowhere = match formula.antecedent() {
        Some(condition) => {
            let not = Ltl::Unary(Modality::Not, Box::new(condition.clone()));
            let never = Ltl::Unary(Modality::Always, Box::new(not));
            match holds(&never) {
                Ok(false) => return Worth::Meaningful,
                Err(reason) => return Worth::Unknown(reason),
                Ok(true) => Some(condition.to_string()),
            }
        }
        None => None,
    };
    match (holds(&Ltl::Constant(false)), nowhere) {
        (Ok(true), _) => Worth::NoInfiniteRun,
        (Err(reason), _) => Worth::Unknown(reason),
        (Ok(false), Some(condition)) => Worth::NeverOccurs(condition),
        (Ok(false), None) => Worth::Meaningful,
    }
}
