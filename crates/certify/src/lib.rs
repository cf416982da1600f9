//! The small checker: reads a certificate and a model, and trusts no engine.
//!
//! * In: a model's semantics, a property, and what a certificate claims about it.
//! * Out: accepted, or why not.
//!
//! It shares nothing with the engines but the model. Where a proof is an exhaustive search, the
//! certificate is the claim: so many states, with this digest. The checker then searches again with
//! the plainest code there is, a set of states and a list of states to look at, and compares. Proofs of the flow
//! engine are checked in [`flow`], those about infinite runs in [`temporal`], invariants over queues in [`queues`], trees of
//! abstractions in [`composition`], invariants of C programs in [`programs`], abstractions of C
//! components in [`components`].

pub mod arrivals;
mod check;
mod clauses;
pub mod components;
pub mod composition;
pub mod eventually;
pub mod flow;
mod histories;
mod pace;
pub mod programs;
pub mod queue_counts;
mod queue_formulas;
pub mod queue_parts;
pub mod queue_ranking;
pub mod queue_search;
pub mod queues;
mod searched;
pub mod temporal;
mod traces;

pub use check::{Facts, Subject, check};

use model::context::Context;
use model::fairness::Fairness;
use model::fault::Overflow;
use model::network::Network;
use model::reason::Reason;
use model::semantics::Semantics;
use model::verdict::{Certificate, Property};
use pace::pause;
use std::collections::HashSet;
use thiserror::Error;

/// Why a certificate is not accepted.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum Refusal {
    /// The property does not hold.
    #[error("the property does not hold: {0}")]
    Violated(String),
    /// The number of states is another one.
    #[error("the certificate says {claimed} states, but there are {found}")]
    StateCount {
        /// What the certificate says.
        claimed: u64,
        /// What there are.
        found: u64,
    },
    /// The states are other ones.
    #[error("the certificate is for another set of states: their digests differ")]
    Digest,
    /// There is no such certificate for this property.
    #[error("a certificate of this kind proves nothing about `{0}`")]
    WrongKind(String),
    /// The certificate names something that is not there, or is not of the right form.
    #[error("the certificate is not well formed: {0}")]
    Malformed(String),
    /// A step leads out of what is said to hold always.
    #[error("the invariant does not hold: {0}")]
    NotInvariant(String),
    /// Processes are created otherwise than is said.
    #[error("processes are not created as the certificate says: {0}")]
    Creation(String),
    /// A step gains, or something does not count.
    #[error("the ranking does not hold: {0}")]
    Ranking(String),
    /// A queue can hold more.
    #[error("a bound does not hold: {0}")]
    Bound(String),
    /// The automaton is not the one that the property asks for.
    #[error("the automaton of the certificate is not that of `{0}`")]
    OtherAutomaton(String),
    /// An abstraction of a composition does what must not happen.
    #[error("the abstraction does not prove it: {0}")]
    TooCoarse(String),
    /// The network guesses, and a proof about it is none of this property of the model.
    #[error("the network guesses where code is not modelled, so that it proves nothing about `{0}`")]
    Havoc(String),
    /// A run cannot go on.
    #[error("a run ends in an error, and what would follow is not known: {0}")]
    Crash(String),
    /// The check was not finished.
    #[error("the check was not finished: {0}")]
    Unfinished(String),
    /// A solver has no answer.
    #[error("the check was not finished: {0}")]
    Undecided(Reason),
}

/// Whether a proof about a network is one about the model that it was read from. Where the network guesses, it does everything that
/// the model does: what never happens in it never happens in the model. But it may go on where the model stops.
pub fn keeps(network: &Network, property: &Property) -> Result<(), Refusal> {
    let kept = match property {
        _ if network.havoc.is_empty() => true,
        Property::Safety | Property::Boundedness => true,
        Property::Ltl(name) | Property::Question(name) => {
            network.formulas.iter().find(|formula| formula.name == *name).is_some_and(|f| f.formula.is_invariant())
        }
        _ => false,
    };
    if kept { Ok(()) } else { Err(Refusal::Havoc(property.to_string())) }
}

/// Checks a certificate.
pub fn verify(
    semantics: &Semantics<'_>,
    property: &Property,
    certificate: &Certificate,
    cx: &Context<'_>,
) -> Result<(), Refusal> {
    keeps(semantics.network(), property)?;
    match (certificate, property) {
        (Certificate::Product { .. }, _) => {
            return temporal::verify(semantics, property, certificate, cx);
        }
        // Nothing was counted, so nothing is compared.
        (Certificate::Searched { fair: Fairness::None, .. }, Property::Safety | Property::Deadlock) => {
            return visit_all(semantics, property, cx).map(|_| ());
        }
        (Certificate::Searched { fair: Fairness::None, .. }, Property::Trace(name)) => {
            return traces::verify(semantics, name, cx);
        }
        (Certificate::Searched { fair: Fairness::None, .. }, Property::Boundedness) => {
            return searched::boundedness(semantics, None, cx);
        }
        (Certificate::Searched { fair, events }, Property::Livelock) => {
            return searched::livelock(semantics, None, (events, *fair), cx);
        }
        (Certificate::Searched { .. }, _) => {
            return temporal::verify(semantics, property, certificate, cx);
        }
        _ => {}
    }
    let Certificate::Explored { states, digest, longest, events } = certificate else {
        return Err(Refusal::WrongKind(property.to_string()));
    };
    match property {
        Property::Safety | Property::Deadlock | Property::PartialDeadlock | Property::EventualReception => {}
        Property::Boundedness => {
            return searched::boundedness(semantics, Some((*states, *digest, longest)), cx);
        }
        Property::Livelock => {
            return searched::livelock(semantics, Some((*states, *digest)), (events, Fairness::None), cx);
        }
        _ => return Err(Refusal::WrongKind(property.to_string())),
    }
    let (found, sum) = match property {
        Property::PartialDeadlock | Property::EventualReception => eventually::verify(semantics, property, cx)?,
        _ => visit_all(semantics, property, cx)?,
    };
    is_claimed((found, sum), (*states, *digest))
}

/// Whether a search found so many states with this digest.
fn is_claimed((found, sum): (u64, u128), (claimed, digest): (u64, u128)) -> Result<(), Refusal> {
    match found == claimed {
        false => Err(Refusal::StateCount { claimed, found }),
        true if sum != digest => Err(Refusal::Digest),
        true => Ok(()),
    }
}

/// A state, and the process that keeps control in it.
type Point = (Vec<u8>, Option<u32>);

/// Visits every state; returns how many there are, and the sum of their digests.
fn visit_all(semantics: &Semantics<'_>, property: &Property, cx: &Context<'_>) -> Result<(u64, u128), Refusal> {
    let mut stepper = semantics.stepper();
    let initial = match stepper.initial().map_err(overflow)? {
        Ok(state) => state,
        Err(fault) if *property == Property::Safety => return Err(Refusal::Violated(fault.fault.to_string())),
        Err(fault) => return Err(Refusal::Unfinished(fault.fault.to_string())),
    };
    let mut seen: HashSet<Point> = HashSet::from([(initial.clone(), None)]);
    let mut work: Vec<Point> = vec![(initial, None)];
    let (mut states, mut digest) = (0u64, 0u128);
    while let Some((state, control)) = work.pop() {
        let (mut fault, mut crashed) = (None, false);
        let mut next: Vec<Point> = Vec::new();
        let count = stepper
            .expand(&state, control, &mut |successor| {
                crashed |= successor.state.is_none();
                fault = fault.take().or(successor.fault);
                next.extend(successor.state.map(|s| (s.to_vec(), successor.control)));
            })
            .map_err(overflow)?;
        if let Some(fault) = fault.filter(|_| *property == Property::Safety) {
            return Err(Refusal::Violated(fault.fault.to_string()));
        }
        if crashed && *property == Property::Deadlock {
            return Err(Refusal::Violated(String::from("a run ends in an error, so what would follow is not known")));
        }
        match control {
            // Blocked in an atomic sequence: the others may move, so it is a state of its own.
            Some(_) if count == 0 => next.push((state, None)),
            Some(_) => {}
            None => {
                states += 1;
                digest = digest.wrapping_add(stepper.digest(&state));
                if count == 0 && *property == Property::Deadlock && !stepper.is_valid_end(&state) {
                    return Err(Refusal::Violated(String::from("there is an invalid end state")));
                }
            }
        }
        for point in next {
            if !seen.contains(&point) {
                seen.insert(point.clone());
                work.push(point);
            }
        }
        pause(states, work.len() as u64, cx)?;
    }
    Ok((states, digest))
}

fn overflow(overflow: Overflow) -> Refusal {
    Refusal::Unfinished(overflow.to_string())
}
