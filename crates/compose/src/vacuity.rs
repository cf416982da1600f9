//! Whether a formula that holds says anything.
//!
//! Formulas speak of infinite runs only. One that holds says nothing if there is no infinite run at all, or if the condition of
//! `[] (condition -> ..)` never occurs on one. Both are questions like any other.

use crate::{Answer, Listener, Method, Question, Verdict, check};
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
    let ask = |formula: &Ltl<Atom>| -> Answer {
        let nobody: Option<&mut dyn Listener> = None;
        check(composition, Question::Formula(formula), method, limits, observer, nobody)
    };
    let nowhere = match formula.antecedent() {
        Some(condition) => {
            let not = Ltl::Unary(Modality::Not, Box::new(condition.clone()));
            let never = Ltl::Unary(Modality::Always, Box::new(not));
            match ask(&never).verdict {
                Verdict::Fails(_) => return Worth::Meaningful,
                Verdict::Inconclusive(reason) => return Worth::Unknown(reason),
                Verdict::Holds(_) => Some(condition.to_string()),
            }
        }
        None => None,
    };
    match (ask(&Ltl::Constant(false)).verdict, nowhere) {
        (Verdict::Holds(_), _) => Worth::NoInfiniteRun,
        (Verdict::Inconclusive(reason), _) => Worth::Unknown(reason),
        (Verdict::Fails(_), Some(condition)) => Worth::NeverOccurs(condition),
        (Verdict::Fails(_), None) => Worth::Meaningful,
    }
}
