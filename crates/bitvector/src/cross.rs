//! Two solvers that must agree.
//!
//! Both are asked every question. When one has no answer, the other's counts. When they contradict each other, there is
//! no answer, and the reason says what each said, with the question in SMT-LIB so that a third can be asked.

use crate::effort::Effort;
use crate::smtlib::obligation;
use crate::solver::{Outcome, Solver};
use crate::terms::{TermId, Terms};
use model::reason::Reason;

/// Asks both solvers.
pub struct CrossChecked<A, B> {
    first: A,
    second: B,
    name: String,
    agreed: u64,
}

impl<A: Solver, B: Solver> CrossChecked<A, B> {
    /// The first solver's models and cores are the ones given when both agree.
    pub fn new(first: A, second: B) -> CrossChecked<A, B> {
        let name = format!("{} and {}", first.name(), second.name());
        CrossChecked { first, second, name, agreed: 0 }
    }

    /// How many questions both answered, in the same way.
    pub fn agreed(&self) -> u64 {
        self.agreed
    }
}

impl<A: Solver, B: Solver> Solver for CrossChecked<A, B> {
    fn check(&mut self, terms: &Terms, assumptions: &[TermId], effort: &Effort<'_>) -> Outcome {
        let first = self.first.check(terms, assumptions, effort);
        // A core is asked again instead of the whole question: it is what will be relied on.
        let asked = match &first {
            Outcome::Unsat(core) => core.clone(),
            _ => assumptions.to_vec(),
        };
        let second = self.second.check(terms, &asked, effort);
        match (&first, &second) {
            (Outcome::Unknown(reason), _) | (_, Outcome::Unknown(reason)) if must_be_reported(reason) => {
                Outcome::Unknown(reason.clone())
            }
            (Outcome::Unknown(_), _) => second,
            (_, Outcome::Unknown(_)) => first,
            (Outcome::Sat(_), Outcome::Sat(_)) | (Outcome::Unsat(_), Outcome::Unsat(_)) => {
                self.agreed += 1;
                first
            }
            _ => Outcome::Unknown(Reason::Internal(format!(
                "two solvers disagree: {} says {}, {} says {} about\n{}",
                self.first.name(),
                word(&first),
                self.second.name(),
                word(&second),
                obligation(terms, &asked)
            ))),
        }
    }

    fn name(&self) -> &str {
        &self.name
    }
}

fn must_be_reported(reason: &Reason) -> bool {
    matches!(reason, Reason::Internal(_))
}

fn word(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Sat(_) => "satisfiable",
        Outcome::Unsat(_) => "unsatisfiable",
        Outcome::Unknown(_) => "unknown",
    }
}
