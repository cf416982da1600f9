//! A proof counts after two checkers have accepted it: that the structures do all that the procedures do, which is a question
//! to a solver for every step of every state; and that the structures side by side keep what was asked, which
//! `certify::composition` decides.

use super::proof;
use super::reading::ComponentsFile;
use crate::programs::data_model_name;
use crate::solvers::{Checker, unchecked};
use bitvector::{Effort, Embedded, External, Solver};
use cegar::{Claimed, Holds, Question, Refusal, Specification, examine};
use model::components_proof::ComponentsProof;
use model::composition::Composition;
use model::composition_proof::CompositionProof;
use model::context::Context;
use model::verdict::Reason;

/// Who accepted a proof, and how many questions that took.
pub struct Accepted {
    /// The solvers.
    pub by: String,
    /// Questions to them.
    pub obligations: u64,
}

/// Accepts a proof that was just found.
pub fn accepted(
    specification: &Specification,
    holds: &Holds,
    cross_check: bool,
    cx: &Context<'_>,
) -> Result<Accepted, Reason> {
    let mut solver = Checker::new(cross_check)?;
    let claimed: Vec<Claimed<'_>> = holds.parts.iter().map(Claimed::from).collect();
    let examined = examine(specification, holds.question, &claimed, &mut solver, &Effort::from(cx.budget));
    let (obligations, composition) = match examined {
        Ok(found) => found,
        Err(Refusal::Undecided(reason)) => return Err(unchecked(reason)),
        Err(Refusal::Wrong(what)) => return Err(refused(&what)),
    };
    let by = solver.answered()?;
    match structures(specification, holds.question, &composition, &holds.proof, cx) {
        Ok(()) => Ok(Accepted { by, obligations }),
        Err(certify::Refusal::Unfinished(_)) if cx.budget.is_cancelled() => Err(Reason::Interrupted),
        Err(certify::Refusal::Unfinished(why)) => {
            Err(Reason::NotProvable(format!("a proof was found, but not checked: {why}")))
        }
        Err(refusal) => Err(refused(&refusal.to_string())),
    }
}

fn refused(what: &str) -> Reason {
    Reason::Internal(format!("the checker refuses the proof: {what}"))
}

/// Structures side by side keep what was asked.
fn structures(
    specification: &Specification,
    question: Question,
    composition: &Composition,
    proof: &CompositionProof,
    cx: &Context<'_>,
) -> Result<(), certify::Refusal> {
    let question = match question {
        Question::Deadlock => certify::composition::Question::Deadlock,
        Question::Safety | Question::Conformance(_) => certify::composition::Question::Safety,
        Question::Formula(number) => match specification.formulas.get(number) {
            Some(requirement) => certify::composition::Question::Formula(&requirement.formula),
            None => return Err(certify::Refusal::Malformed(String::from("there is no such formula"))),
        },
    };
    certify::composition::verify(composition, question, proof, cx)
}

/// Verifies a proof that was read from a document; says who did. Another solver than our own is asked, if there is one.
pub fn verify(
    file: &ComponentsFile,
    question: Question,
    written: &ComponentsProof,
    cx: &Context<'_>,
) -> Result<String, certify::Refusal> {
    let malformed = |what: String| certify::Refusal::Malformed(what);
    let (abstraction, options) = (&written.abstraction, &file.options);
    if data_model_name(options.data_model) != abstraction.data_model
        || options.signed_overflow_is_error != abstraction.signed_overflow
    {
        return Err(malformed(String::from("it is for another reading of the program")));
    }
    let specification = &file.specification;
    let parts = cegar::parts_of(specification, question).map_err(|reason| malformed(reason.to_string()))?;
    let claims = proof::read(abstraction, &parts).map_err(malformed)?;
    let claimed: Vec<Claimed<'_>> = claims
        .iter()
        .map(|proof::Claim { part, terms, predicates, extract }| Claimed { part: *part, terms, predicates, extract })
        .collect();
    let examined =
        |solver: &mut dyn Solver| examine(specification, question, &claimed, solver, &Effort::from(cx.budget));
    let mut external = External::find();
    let first = external.as_mut().map(|external| examined(external));
    let (found, by) = match (first, &external) {
        // A solver that dies says nothing about the proof.
        (None | Some(Err(Refusal::Undecided(Reason::Worker(_)))), _) => {
            (examined(&mut Embedded::new()), "the embedded solver")
        }
        (Some(found), external) => (found, external.as_ref().map_or("", |external| external.name())),
    };
    let (count, composition) = found.map_err(|refusal| match refusal {
        Refusal::Undecided(reason) => certify::Refusal::Unfinished(reason.to_string()),
        Refusal::Wrong(what) => certify::Refusal::NotInvariant(what),
    })?;
    structures(specification, question, &composition, &written.composition, cx)?;
    Ok(format!("  {count} obligations by {by}"))
}
