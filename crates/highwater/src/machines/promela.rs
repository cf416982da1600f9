//! Promela models whose channels have no bounds: who answers, and for how long.
//!
//! A search comes to an end if no channel grows without end, and then its answer is the simplest. So it goes first, for a
//! while; if it was not enough, the model is folded into plain machines, where it can be, and the engine for queues of any
//! length is asked; what neither has answered is searched for with the time that is left.

use super::Machines;
use crate::arguments::{CheckArgs, Engine};
use crate::failure::Failure;
use crate::model_file::ModelFile;
use model::network::Network;
use model::verdict::{Limits, Observer, Outcome, Property, Verdict};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// A search of more states than this takes longer than asking the other engine first.
const FIRST_STATES: u64 = 100_000;

/// A search: properties and limits.
pub type Search<'a> = &'a dyn Fn(Vec<Property>, Limits) -> Vec<Outcome>;

/// Safety and deadlock of a Promela model for channels of any length.
pub fn unbounded(
    properties: Vec<Property>,
    (file, network): (&ModelFile, &Network),
    args: &CheckArgs,
    limits: Limits,
    (observer, stop): (&dyn Observer, &Arc<AtomicBool>),
    search: Search<'_>,
) -> Result<Vec<Outcome>, Failure> {
    if args.engine == Engine::Fifo {
        let machines = Machines::new(file, network, args, limits.deadline, stop)?;
        return Ok(machines.check(&properties, &limits, observer));
    }
    // Who asks for one kind of search, or limits it, gets it.
    if args.keep_going || args.bitstate || limits.states.is_some() || properties.is_empty() {
        return Ok(search(properties, limits));
    }
    let first = Limits { states: Some(FIRST_STATES), deadline: share(&limits, 15), ..limits };
    let mut outcomes = search(properties, first);
    if observer.cancelled() || outcomes.iter().any(|outcome| outcome.verdict == Verdict::Violated) || !open(&outcomes) {
        return Ok(outcomes);
    }
    let machines = Machines::new(file, network, args, share(&limits, 10), stop)?;
    if machines.fits() {
        let left: Vec<Property> = still_asked(&outcomes);
        let limits = Limits { deadline: share(&limits, 60), ..limits };
        replace(&mut outcomes, machines.check(&left, &limits, observer));
    }
    if observer.cancelled() || !open(&outcomes) {
        return Ok(outcomes);
    }
    let left = still_asked(&outcomes);
    replace(&mut outcomes, search(left, limits));
    Ok(outcomes)
}

/// A part of the time that is left, in percent.
fn share(limits: &Limits, percent: u32) -> Option<Instant> {
    let now = Instant::now();
    limits.deadline.map(|deadline| now + deadline.saturating_duration_since(now) * percent / 100)
}

fn is_open(outcome: &Outcome) -> bool {
    matches!(outcome.verdict, Verdict::Inconclusive(_))
}

fn still_asked(outcomes: &[Outcome]) -> Vec<Property> {
    outcomes.iter().filter(|outcome| is_open(outcome)).map(|outcome| outcome.property.clone()).collect()
}

fn open(outcomes: &[Outcome]) -> bool {
    outcomes.iter().any(is_open)
}

/// Takes better answers instead of those that are none, and the last answer where all are.
fn replace(outcomes: &mut [Outcome], others: Vec<Outcome>) {
    for other in others {
        if let Some(outcome) = outcomes.iter_mut().find(|outcome| outcome.property == other.property) {
            let time = outcome.time + other.time;
            *outcome = other;
            outcome.time = time;
        }
    }
}
