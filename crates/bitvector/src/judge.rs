//! With the feature `cross-check`: every question that the embedded solver decides is asked of another solver, too.
//!
//! This is for the tests of whoever asks questions: they run as they are, and one disagreement ends them. Satisfiable
//! answers have been evaluated already; here it shows whether evaluation and the other solver mean the same by the terms. Of an
//! unsatisfiable one the core is asked: it is what is relied on. Where no other solver is installed, nothing happens.

use crate::effort::Effort;
use crate::external::External;
use crate::smtlib::obligation;
use crate::solver::{Outcome, Solver};
use crate::terms::{TermId, Terms};
use model::budget::Budget;
use model::reason::Reason;
use std::cell::RefCell;
use std::time::Duration;

/// A question that takes longer is not compared.
const LONGEST: Duration = Duration::from_secs(20);

thread_local! {
    /// One process for each thread.
    static OTHER: RefCell<Option<External>> = RefCell::new(External::find());
}

/// Asks another solver.
///
/// # Panics
///
/// If it says the opposite.
pub(crate) fn agree(terms: &Terms, question: &[TermId], outcome: &Outcome) {
    let asked: &[TermId] = match outcome {
        Outcome::Unsat(core) => core,
        _ => question,
    };
    OTHER.with_borrow_mut(|other| {
        let Some(other) = other else { return };
        let budget = Budget::unlimited().timeout(LONGEST);
        let said = other.check(terms, asked, &Effort::from(&budget));
        let opposite = outcome.is_sat() && said.is_unsat() || outcome.is_unsat() && said.is_sat();
        assert!(!opposite, "{} says the opposite about\n{}", other.name(), obligation(terms, asked));
        assert!(!matches!(said, Outcome::Unknown(Reason::Internal(_))), "{said:?}\n{}", obligation(terms, asked));
    });
}
