//! A proof counts after `certify::programs` has accepted it, which derives everything again.
//!
//! What it accepts excludes every error, whether it was requested or not: what comes after a fault is not known.

use crate::solvers::{self, Checker};
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
    match certify::programs::verify(component, proof, solver, cx.budget) {
        Ok(_) => solver.answered(),
        Err(Refusal::Undecided(_, reason)) => Err(solvers::unchecked(reason)),
        Err(refusal) => Err(Reason::Internal(format!("the checker refuses the proof: {refusal}"))),
    }
}
