//! Invariants in documents, with how the program was read.

use super::data_model_name;
use cfront::Options;
use model::program_proof::ProgramProof;
use pdr::Invariant;

/// The proof of a document.
pub fn written(invariant: &Invariant, options: &Options, faults: bool) -> ProgramProof {
    ProgramProof {
        entry: options.entries.first().cloned().unwrap_or_default(),
        data_model: String::from(data_model_name(options.data_model)),
        signed_overflow: options.signed_overflow_is_error,
        faults,
        ..invariant.proof()
    }
}
