//! C programs: does an invariant prove that no error is reached?
//!
//! The contract is the essay of [`model::program_proof`]. The proof says what holds at some locations of the control-flow
//! graph, and nothing else. From each of them, and from the entry, the graph is followed here to the next ones, statement
//! by statement and forwards (`paths`), with words of literals in the place of numbers (`crate::clauses`):
//!
//! * an assignment gives variables new words; what may have any value gets free bits; an assumption adds to the
//!   condition under which a run is here. Expressions of C are evaluated as the interpreter does it (`words`);
//! * where two paths meet, a free bit says which one was taken, and conditions and values are those from there. No two
//!   conditions are believed to exclude each other;
//! * an error, or a location of the proof whose conditions (`table`) do not hold, is what must not happen. All errors
//!   count, whatever was requested: what comes after a fault is not known. Any other end of a run is harmless.
//!
//! So an obligation is as long as the text, not as the number of paths through it (Flanagan and Saxe, *Avoiding exponential
//! explosion: generating compact verification conditions*, 2001). There is one for the start, where nothing is known, and
//! one for each location of the proof. Each becomes clauses, a solver refutes them, and its proof is checked; if all are
//! refuted, induction over the run does the rest.
//!
//! A condition that lists states is taken apart (`cases`), and the walk is done for each of them, with numbers in the place of
//! most variables: then almost every path is closed before the solver hears of it.
//!
//! What is refused: a table that is not one of expressions; a location or variable that the program does not have; a cycle without
//! a location of the proof; an obligation that can be satisfied.
//!
//! Nothing is shared with the engine that found the proof: `cfront` says what the program is and what its operators mean,
//! and no solver is believed.

mod cases;
mod paths;
pub(crate) mod table;
pub(crate) mod words;

use cfront::Component;
use cfront::program::LocationId;
use model::budget::Budget;
use model::program_proof::ProgramProof;
use model::reason::Reason;
use model::refutation::Refuter;
use thiserror::Error;

/// Why a proof is not accepted.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Refusal {
    /// It is not a proof about this program: what is wrong.
    #[error("{0}")]
    Malformed(String),
    /// A run can leave the conditions behind this location.
    #[error("the invariant is not inductive: a run can leave it behind location {}", .0.0)]
    NotInductive(LocationId),
    /// There is no answer for this location.
    #[error("at location {}: {}", .0.0, .1)]
    Undecided(LocationId, Reason),
}

impl From<Refusal> for crate::Refusal {
    fn from(refusal: Refusal) -> crate::Refusal {
        match refusal {
            Refusal::Undecided(_, reason) => crate::Refusal::Undecided(reason),
            Refusal::Malformed(what) => crate::Refusal::Malformed(what),
            Refusal::NotInductive(_) => crate::Refusal::NotInvariant(refusal.to_string()),
        }
    }
}

/// Checks that the invariant proves that no error of the component is reached. How many obligations were refuted. How the
/// text was read is for the caller to compare: a component is of one reading.
pub fn verify(
    component: &Component,
    proof: &ProgramProof,
    refuter: &mut dyn Refuter,
    budget: &Budget,
) -> Result<u64, Refusal> {
    paths::Walk::new(component, proof, budget)?.check(refuter)
}
