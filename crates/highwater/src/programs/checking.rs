//! A proof counts after `certify::programs` has accepted it, which derives everything again, with a solver that has seen
//! nothing of the search.
//!
//! What it accepts excludes every error, whether it was asked for or not: what comes after a fault is not known.

use super::reading::{ProgramFile, data_model_name};
use crate::solvers::{self, Checker};
use bitvector::{Embedded, External, Solver};
use certify::programs::Refusal;
use cfront::Component;
use model::context::Context;
use model::program_proof::ProgramProof;
use model::verdict::Reason;

/// Accepts an invariant that was just found; says who did.
pub fn accepted(
    component: &Component,
    proof: &ProgramProof,
    solver: &mut Checker,
    cx: &Context<'_>,
) -> Result<String, Reason> {
    match checked(component, proof, solver, cx) {
        Ok(()) => solver.answered(),
        Err(Refusal::Undecided(_, reason)) => Err(solvers::unchecked(reason)),
        Err(refusal) => Err(Reason::Internal(format!("the checker refuses the proof: {refusal}"))),
    }
}

/// Verifies a proof that was read from a document; says who did. Another solver than our own is asked, if there is one.
pub fn verify(program: &ProgramFile, written: &ProgramProof, cx: &Context<'_>) -> Result<String, certify::Refusal> {
    let malformed = |what: &str| certify::Refusal::Malformed(String::from(what));
    let options = &program.options;
    if options.entries != [written.entry.clone()]
        || data_model_name(options.data_model) != written.data_model
        || options.signed_overflow_is_error != written.signed_overflow
    {
        return Err(malformed("it is for another reading of the program"));
    }
    let component = &program.component;
    if let Some(mut external) = External::find() {
        match checked(component, written, &mut external, cx) {
            Ok(()) => return Ok(format!("  by {}", external.name())),
            // A solver that dies says nothing about the proof.
            Err(Refusal::Undecided(_, Reason::Worker(_))) => {}
            Err(refusal) => return Err(refused(refusal)),
        }
    }
    checked(component, written, &mut Embedded::new(), cx).map_err(refused)?;
    Ok(String::from("  by the embedded solver"))
}

fn refused(refusal: Refusal) -> certify::Refusal {
    match refusal {
        Refusal::Undecided(_, reason) => certify::Refusal::Unfinished(reason.to_string()),
        Refusal::Malformed(what) => certify::Refusal::Malformed(what),
        other => certify::Refusal::NotInvariant(other.to_string()),
    }
}

fn checked(
    component: &Component,
    proof: &ProgramProof,
    solver: &mut dyn Solver,
    cx: &Context<'_>,
) -> Result<(), Refusal> {
    certify::programs::verify(component, proof, solver, cx.budget)
}
