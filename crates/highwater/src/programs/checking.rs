//! A proof counts after a checker has accepted it: the one of `predicates`, which derives everything again, with a solver
//! that has seen nothing of the search.
//!
//! What it accepts excludes every error, whether it was asked for or not: what comes after a fault is not known.

use super::proof;
use super::reading::{ProgramFile, data_model_name};
use c::Component;
use model::program_proof::ProgramProof;
use model::verdict::{Limits, Observer, Reason};
use predicates::{Invariant, Refusal};
use smt::{CrossChecked, Embedded, External, Solver};
use std::cell::Cell;

/// The resident size is looked at once in so many calls.
const CALLS_BETWEEN_LOOKS: u32 = 64;

/// Accepts an invariant that was just found; says who did.
pub fn accepted(
    component: &Component,
    invariant: &Invariant,
    cross_check: bool,
    limits: &Limits,
    observer: &dyn Observer,
) -> Result<String, Reason> {
    let other = if cross_check { Some(other_solver()?) } else { None };
    let (mut solver, name): (Box<dyn Solver>, String) = match other {
        None => (Box::new(Embedded::new()), String::from("the embedded solver")),
        Some(other) => {
            let name = format!("the embedded solver and {}", other.name());
            (Box::new(CrossChecked::new(Embedded::new(), other)), name)
        }
    };
    match checked(component, invariant, solver.as_mut(), limits, observer) {
        Ok(()) => Ok(name),
        Err(Refusal::Undecided(_, reason)) => Err(reason_of(reason, observer)),
        Err(refusal) => {
            Err(Reason::NotProvable(format!("the checker refuses the proof, please report this: {refusal}")))
        }
    }
}

fn other_solver() -> Result<External, Reason> {
    External::find()
        .ok_or_else(|| Reason::NotSupported(String::from("--cross-check needs z3 or cvc5, and neither is installed")))
}

/// Verifies a proof that was read from a document; says who did. Another solver than our own is asked, if there is one.
pub fn verify(
    program: &ProgramFile,
    written: &ProgramProof,
    limits: &Limits,
    observer: &dyn Observer,
) -> Result<String, certify::Refusal> {
    let malformed = |what: &str| certify::Refusal::Malformed(String::from(what));
    let options = &program.options;
    if options.entries != [written.entry.clone()]
        || data_model_name(options.data_model) != written.data_model
        || options.signed_overflow_is_error != written.signed_overflow
    {
        return Err(malformed("it is for another reading of the program"));
    }
    let invariant = proof::read(written).map_err(certify::Refusal::Malformed)?;
    let component = &program.component;
    if let Some(mut external) = External::find() {
        match checked(component, &invariant, &mut external, limits, observer) {
            Ok(()) => return Ok(format!("  by {}", external.name())),
            // A solver that dies says nothing about the proof.
            Err(Refusal::Undecided(_, smt::Reason::Solver(_))) => {}
            Err(refusal) => return Err(refused(refusal)),
        }
    }
    checked(component, &invariant, &mut Embedded::new(), limits, observer).map_err(refused)?;
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
    invariant: &Invariant,
    solver: &mut dyn Solver,
    limits: &Limits,
    observer: &dyn Observer,
) -> Result<(), Refusal> {
    let calls = Cell::new(0_u32);
    let stop = || {
        calls.set(calls.get().wrapping_add(1));
        let look = calls.get().is_multiple_of(CALLS_BETWEEN_LOOKS);
        let full = |most: u64| look && model::memory::resident_bytes().is_some_and(|bytes| bytes > most);
        observer.cancelled() || limits.memory.is_some_and(full)
    };
    let memory = limits.memory.map(|bytes| usize::try_from(bytes).unwrap_or(usize::MAX));
    let limits = smt::Limits { deadline: limits.deadline, conflicts: None, memory, stop: Some(&stop) };
    predicates::verify(component, &|_| true, invariant, solver, &limits)
}

/// Why a solver has no answer, in the words of verdicts.
fn reason_of(reason: smt::Reason, observer: &dyn Observer) -> Reason {
    match reason {
        smt::Reason::Deadline => Reason::Timeout,
        smt::Reason::Memory => Reason::Memory,
        smt::Reason::Stopped if observer.cancelled() => Reason::Interrupted,
        smt::Reason::Stopped => Reason::Memory,
        other => Reason::NotProvable(format!("a proof was found, but not checked: {other}")),
    }
}
