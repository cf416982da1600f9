//! Who refutes the obligations of a proof: the embedded SAT solver, whose refutations `certify` checks, and beside it another
//! solver if `--cross-check` asks for it.
//!
//! A second opinion is one only if it is given. A solver that dies or hangs leaves questions open; then the answer is not
//! what was requested, and says so.

use bitvector::{Effort, External, Outcome, SatRefuter, Solver, TermId, Terms};
use model::budget::Budget;
use model::refutation::{Cnf, Literal, Lrat, Refuter};
use model::verdict::Reason;

/// A fresh solver that has seen nothing of a search, and another one that must agree.
pub struct Checker {
    other: Option<External>,
    refuted: u64,
    agreed: u64,
}

impl Checker {
    /// One solver, or two.
    pub fn new(cross_check: bool) -> Result<Self, Reason> {
        let missing = || Reason::NotSupported(String::from("--cross-check needs z3 or cvc5, and neither is installed"));
        let other = cross_check.then(|| External::find().ok_or_else(missing)).transpose()?;
        Ok(Checker { other, refuted: 0, agreed: 0 })
    }

    /// What the proof was accepted by, if all who were asked answered.
    pub fn answered(&self) -> Result<String, Reason> {
        match &self.other {
            None => Ok(String::from("LRAT proofs")),
            Some(other) if self.agreed == self.refuted => Ok(format!("LRAT proofs and {}", other.name())),
            Some(other) => Err(Reason::NotProvable(format!(
                "a proof was found and accepted, but it was not cross-checked: of {} questions the other solver ({}) \
                 answered {}",
                self.refuted,
                other.name(),
                self.agreed
            ))),
        }
    }
}

impl Refuter for Checker {
    fn refute(&mut self, cnf: &Cnf, budget: &Budget) -> Result<Lrat, Reason> {
        let proof = SatRefuter.refute(cnf, budget)?;
        self.refuted += 1;
        if let Some(other) = &mut self.other {
            let (terms, clauses) = as_terms(cnf);
            match other.check(&terms, &clauses, &Effort::from(budget)) {
                Outcome::Unsat(_) => self.agreed += 1,
                Outcome::Sat(_) => {
                    return Err(Reason::Worker(format!(
                        "{} does not agree that clauses are unsatisfiable",
                        other.name()
                    )));
                }
                Outcome::Unknown(_) => {}
            }
        }
        Ok(proof)
    }
}

/// Clauses as terms, for a solver that knows no others.
fn as_terms(cnf: &Cnf) -> (Terms, Vec<TermId>) {
    let mut terms = Terms::new();
    let variables: Vec<TermId> =
        (0..cnf.variables()).map(|number| terms.var(&number.to_string(), bitvector::Sort::Bool)).collect();
    let clauses = cnf.clauses().map(|clause| {
        let literal = |terms: &mut Terms, literal: &Literal| {
            let variable = variables[literal.variable() as usize];
            if literal.is_negative() { terms.not(variable) } else { variable }
        };
        let literals: Vec<TermId> = clause.iter().map(|each| literal(&mut terms, each)).collect();
        terms.or_all(&literals)
    });
    let clauses = clauses.collect();
    (terms, clauses)
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
