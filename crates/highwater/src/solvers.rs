//! Who discharges the obligations of a proof: the embedded solver, and beside it another one if `--cross-check` asks for it.
//!
//! Two solvers that must agree are more than one only if both answer. A second one that dies or hangs leaves questions to
//! the first; then the answer is not what was asked for, and says so.

use bitvector::{CrossChecked, Effort, Embedded, External, Outcome, Solver, TermId, Terms};
use model::verdict::Reason;

/// A fresh solver that has seen nothing of a search.
pub enum Checker {
    /// The embedded one alone.
    Own(Box<Embedded>),
    /// Two, and how many questions they were asked.
    Both(Box<CrossChecked<Embedded, External>>, u64),
}

impl Checker {
    /// One solver, or two.
    pub fn new(cross_check: bool) -> Result<Self, Reason> {
        if !cross_check {
            return Ok(Checker::Own(Box::new(Embedded::new())));
        }
        let missing = || Reason::NotSupported(String::from("--cross-check needs z3 or cvc5, and neither is installed"));
        let other = External::find().ok_or_else(missing)?;
        Ok(Checker::Both(Box::new(CrossChecked::new(Embedded::new(), other)), 0))
    }

    /// Who answered, if all who were asked did.
    pub fn answered(&self) -> Result<String, Reason> {
        match self {
            Checker::Own(_) => Ok(String::from("the embedded solver")),
            Checker::Both(both, asked) if both.agreed() == *asked => {
                Ok(both.name().replacen("embedded", "the embedded solver", 1))
            }
            Checker::Both(both, asked) => Err(Reason::NotProvable(format!(
                "a proof was found, and the embedded solver accepts it, but it was not cross-checked: of {asked} questions \
                 the other solver ({}) answered {}",
                both.name(),
                both.agreed()
            ))),
        }
    }
}

impl Solver for Checker {
    fn check(&mut self, terms: &Terms, assumptions: &[TermId], effort: &Effort<'_>) -> Outcome {
        match self {
            Checker::Own(solver) => solver.check(terms, assumptions, effort),
            Checker::Both(both, asked) => {
                *asked += 1;
                both.check(terms, assumptions, effort)
            }
        }
    }

    fn name(&self) -> &str {
        match self {
            Checker::Own(solver) => solver.name(),
            Checker::Both(both, _) => both.name(),
        }
    }
}

/// Why a proof was found but not checked, where a solver has no answer.
pub fn unchecked(reason: Reason) -> Reason {
    match reason {
        // That another solver is wrong is no error of this tool.
        Reason::Worker(what) | Reason::Limit(what) | Reason::Internal(what) => {
            Reason::NotProvable(format!("a proof was found, but not checked: {what}"))
        }
        other => other,
    }
}
