//! A proof that was just found counts after `certify::components` has accepted it.

use super::ComponentsFile;
use crate::programs::data_model_name;
use crate::solvers::{Checker, unchecked};
use cegar::Holds;
use certify::Refusal;
use model::components_proof::ComponentsProof;
use model::context::Context;
use model::verdict::Reason;

/// A proof that was accepted, by what, and how many obligations it has.
pub struct Accepted {
    /// The proof.
    pub proof: ComponentsProof,
    /// What refuted the obligations.
    pub by: String,
    /// How many obligations.
    pub obligations: u64,
}

/// Accepts a proof that was just found.
pub fn accepted(file: &ComponentsFile, holds: &Holds, cross_check: bool, cx: &Context<'_>) -> Result<Accepted, Reason> {
    let mut solver = Checker::new(cross_check)?;
    let options = &file.options;
    let proof = holds.written(data_model_name(options.data_model), options.signed_overflow_is_error);
    let verified = certify::components::verify(&file.specification, holds.question, &proof, &mut solver, cx);
    match verified {
        Ok(obligations) => Ok(Accepted { proof, by: solver.answered()?, obligations }),
        Err(Refusal::Undecided(reason)) => Err(unchecked(reason)),
        Err(refusal) => Err(crate::evidence::refused(refusal, cx)),
    }
}
