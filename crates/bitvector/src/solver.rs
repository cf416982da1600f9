//! The face of every solver, and what can be done with any of them.

use crate::effort::Effort;
use crate::evaluate::{Evaluation, Model};
use crate::print::to_c;
use crate::terms::{TermId, Terms};
use model::reason::Reason;

/// The answer to a question.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// All assumptions hold in this model; it was evaluated.
    Sat(Model),
    /// These of the assumptions cannot hold together.
    Unsat(Vec<TermId>),
    /// There is no answer.
    Unknown(Reason),
}

impl Outcome {
    /// Is there no model?
    pub fn is_unsat(&self) -> bool {
        matches!(self, Outcome::Unsat(_))
    }

    /// Is there a model?
    pub fn is_sat(&self) -> bool {
        matches!(self, Outcome::Sat(_))
    }
}

/// Something that decides whether Boolean terms can hold together.
pub trait Solver {
    /// Can all assumptions hold together?
    fn check(&mut self, terms: &Terms, assumptions: &[TermId], effort: &Effort<'_>) -> Outcome;

    /// A name for messages.
    fn name(&self) -> &str;
}

/// The first assumption that does not hold in the model, as a reason to distrust who made it.
pub(crate) fn verify(
    solver: &str,
    terms: &Terms,
    assumptions: &[TermId],
    evaluation: &mut Evaluation,
) -> Result<(), Reason> {
    match assumptions.iter().find(|&&assumption| evaluation.bits(terms, assumption) == 0) {
        None => Ok(()),
        Some(&broken) => Err(Reason::Internal(format!(
            "a solver is wrong: the model of {solver} does not satisfy {}",
            to_c(terms, broken)
        ))),
    }
}

/// A core from which nothing can be left out, by trying each. What cannot be decided within the effort stays in, so the
/// result is unsatisfiable in any case. The later parts of `core` are kept by preference.
pub fn minimal_core(solver: &mut dyn Solver, terms: &Terms, core: &[TermId], effort: &Effort<'_>) -> Vec<TermId> {
    let mut kept: Vec<TermId> = Vec::new();
    for &part in core {
        if !kept.contains(&part) {
            kept.push(part);
        }
    }
    let mut at = 0;
    while at < kept.len() && effort.exceeded().is_none() {
        let mut smaller = kept.clone();
        smaller.remove(at);
        match solver.check(terms, &smaller, effort) {
            Outcome::Unsat(found) => {
                at = kept.iter().take(at).filter(|part| found.contains(part)).count();
                kept.retain(|part| found.contains(part));
            }
            Outcome::Sat(_) | Outcome::Unknown(_) => at += 1,
        }
    }
    kept
}

/// Do the premises imply the conclusion? The reason when the solver cannot tell.
pub fn entails(
    solver: &mut dyn Solver,
    terms: &mut Terms,
    premises: &[TermId],
    conclusion: TermId,
    effort: &Effort<'_>,
) -> Result<bool, Reason> {
    let mut assumptions = premises.to_vec();
    assumptions.push(terms.not(conclusion));
    match solver.check(terms, &assumptions, effort) {
        Outcome::Sat(_) => Ok(false),
        Outcome::Unsat(_) => Ok(true),
        Outcome::Unknown(reason) => Err(reason),
    }
}
