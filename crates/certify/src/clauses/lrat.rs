//! Does a proof refute clauses? Every lemma by unit propagation along its hints, and along nothing else.
//!
//! A lemma is accepted if the assumption that all its literals are false, and then the hints, one after the other, lead to a
//! clause without a literal that is not false. A hint before that must have exactly one literal that is not false and has no
//! value yet, and that becomes true. So each value follows from the clauses and the assumption, and what is accepted
//! follows from the clauses. Clauses are only ever added if they follow, so nothing depends on what is deleted, on the order
//! of the steps or on who wrote them.

use model::budget::Budget;
use model::reason::Reason;
use model::refutation::{Cnf, Literal, Lrat, LratStep};

/// Why a proof is not accepted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Rejection {
    /// The step of this number does not follow, or names what is not there.
    Step(usize),
    /// The empty clause is not among the steps.
    Incomplete,
    /// The check was not finished.
    Unfinished(Reason),
}

/// Accepts a proof that the clauses cannot hold together.
pub(crate) fn check(cnf: &Cnf, proof: &Lrat, budget: &Budget) -> Result<(), Rejection> {
    let mut clauses: Vec<Option<&[Literal]>> = cnf.clauses().map(Some).collect();
    let mut values = Values { of: vec![None; cnf.variables() as usize], known: Vec::new() };
    for (number, step) in proof.steps.iter().enumerate() {
        let wrong = || Rejection::Step(number);
        match step {
            LratStep::Lemma { literals, hints } => {
                let work = literals.len() + hints.len();
                budget.spend(work).map_err(Rejection::Unfinished)?;
                let follows = values.refute(literals, hints, &clauses);
                values.forget();
                if !follows.ok_or_else(wrong)? {
                    return Err(wrong());
                }
                if literals.is_empty() {
                    return Ok(());
                }
                clauses.push(Some(literals));
            }
            LratStep::Delete(deleted) => {
                for &clause in deleted {
                    *clauses.get_mut(clause as usize).ok_or_else(wrong)? = None;
                }
            }
        }
    }
    Err(Rejection::Incomplete)
}

/// The values of some variables.
struct Values {
    of: Vec<Option<bool>>,
    known: Vec<u32>,
}

impl Values {
    /// Whether the literal is true; `None` without a value. The variable must be one of the clauses'.
    fn value(&self, literal: Literal) -> Option<Option<bool>> {
        let value = self.of.get(literal.variable() as usize)?;
        Some(value.map(|value| value != literal.is_negative()))
    }

    fn make_true(&mut self, literal: Literal) {
        self.of[literal.variable() as usize] = Some(!literal.is_negative());
        self.known.push(literal.variable());
    }

    fn forget(&mut self) {
        for variable in self.known.drain(..) {
            self.of[variable as usize] = None;
        }
    }

    /// Whether the hints refute that all literals of a lemma are false; `None` if they name what is not there.
    fn refute(&mut self, lemma: &[Literal], hints: &[u32], clauses: &[Option<&[Literal]>]) -> Option<bool> {
        for &literal in lemma {
            match self.value(literal)? {
                // Its negation is among the literals, too: the lemma always holds.
                Some(true) => return Some(true),
                Some(false) => {}
                None => self.make_true(!literal),
            }
        }
        for &hint in hints {
            let clause = (*clauses.get(hint as usize)?)?;
            let mut open = None;
            for &literal in clause {
                match self.value(literal)? {
                    Some(false) => {}
                    None if open.is_none_or(|other| other == literal) => open = Some(literal),
                    _ => return Some(false),
                }
            }
            match open {
                Some(literal) => self.make_true(literal),
                None => return Some(true),
            }
        }
        Some(false)
    }
}

#[cfg(test)]
#[path = "lrat_tests.rs"]
mod tests;
