//! C programs: does an invariant prove that no error is reached?
//!
//! The contract is the essay of [`model::program_proof`]. The proof says what holds at some locations of the control-flow
//! graph, and nothing else. From each of them, and from the entry, the graph is followed here to the next ones, statement
//! by statement and forwards (`ways`), with terms in the place of numbers:
//!
//! * an assignment gives variables new terms; what may have any value gets a variable of its own; an assumption adds to the
//!   condition under which a run is here. Expressions of C are evaluated as the interpreter does it (`words`);
//! * where ways meet, a truth value for each says that it was taken. If it holds, the run was on that way, and the new
//!   variables of the meeting have the values from there. Nothing says that only one way is taken, and no two conditions are
//!   believed to exclude each other;
//! * an error, or a location of the proof whose conditions (`table`) do not hold, is what must not happen. All errors
//!   count, whatever was asked for: what comes after a fault is not known. Any other end of a run is harmless.
//!
//! So an obligation is as long as the text, not as the number of ways through it (Flanagan and Saxe, *Avoiding exponential
//! explosion: generating compact verification conditions*, 2001). There is one for the start, where nothing is known, and
//! one for each location of the proof. If a solver finds all of them unsatisfiable, induction over the run does the rest.
//!
//! A condition that lists states is taken apart (`cases`), and the walk is done for each of them, with numbers in the place of
//! most variables: then almost every way is closed before the solver hears of it.
//!
//! What is refused: a table that is not one of terms; a location or variable that the program does not have; a cycle without
//! a location of the proof; an obligation that can be satisfied.
//!
//! Nothing is shared with the engine that found the proof: `c` says what the program is, `smt` has the terms and solvers,
//! and the caller chooses which solver is believed.

mod cases;
mod table;
mod ways;
mod words;

pub(crate) use table::entry;

use bitvector::Solver;
use cfront::Component;
use cfront::program::LocationId;
use model::budget::Budget;
use model::program_proof::ProgramProof;
use model::reason::Reason;
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

/// What must be unsatisfiable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Obligation {
    /// The location that it is about.
    pub location: LocationId,
    /// The question, in SMT-LIB 2.
    pub text: String,
}

/// Checks that the invariant proves that no error of the component is reached. How the text was read is for the caller to
/// compare: a component is of one reading.
pub fn verify(
    component: &Component,
    proof: &ProgramProof,
    solver: &mut dyn Solver,
    budget: &Budget,
) -> Result<(), Refusal> {
    ways::ask(component, proof, solver, budget)
}

/// The questions whose unsatisfiability makes the invariant a proof, for any solver.
pub fn obligations(component: &Component, proof: &ProgramProof, budget: &Budget) -> Result<Vec<Obligation>, Refusal> {
    let derived = ways::derive(component, proof, budget)?;
    let written = derived.questions.iter().map(|(location, question)| Obligation {
        location: *location,
        text: bitvector::smtlib::obligation(&derived.terms, question),
    });
    Ok(written.collect())
}
