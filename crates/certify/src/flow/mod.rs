//! The checker of flow proofs: is this really an invariant of the model, and is this really a ranking?
//!
//! * In: a network, a property (boundedness or livelock), a `FlowProof`.
//! * Out: what is proved, or which part of the proof fails.
//!
//! `model::flow_proof` says what a proof is. Nothing in it is believed: `shape` looks at every index, `invariant` walks
//! all statements again (`paths`, on sets of values: `knowledge`, `values`) and sees that none leads out of the
//! abstraction, `creation` that single instances are single, `known` which steps are never taken, `ranking` that the steps
//! which runs consist of lose what the proof says they lose, `counting` how much queues hold. There is no search and no linear
//! programming; the work is one pass over the steps per set of weights.
//!
//! The engine and this checker have the model in common and no line of code.

mod counting;
mod creation;
mod invariant;
mod knowledge;
mod known;
mod paths;
mod progress;
mod ranking;
mod shape;
mod values;

use crate::Refusal;
use crate::pace::Pace;
use invariant::Checker;
use model::context::Context;
use model::flow_proof::{FlowProof, QueueKey};
use model::network::Network;
use model::verdict::Property;
use progress::Progress;
use ranking::Goal;
use shape::Ground;

/// What an accepted proof proves.
///
/// For livelock, in every reading of the channels: that there is none, with progress as `FlowProof::progress` says; that
/// this is what was asked is for the caller to see. For boundedness, where channels have no limit: that these queues stay
/// finite.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Accepted {
    /// Buffered queues that stay finite, and the most that each holds, where a bound is proved. Of an instance with `many`,
    /// the queue of each process. Empty for livelock.
    pub bounded: Vec<(QueueKey, Option<u64>)>,
    /// How many buffered queues there are.
    pub buffered: usize,
}

/// Checks a proof.
pub fn verify(
    network: &Network,
    property: &Property,
    proof: &FlowProof,
    cx: &Context<'_>,
) -> Result<Accepted, Refusal> {
    let goal = match property {
        Property::Boundedness if proof.progress.is_none() => Goal::Bounded,
        Property::Livelock if proof.progress.is_some() => Goal::Nothing,
        other => return Err(Refusal::WrongKind(other.to_string())),
    };
    let budget = crate::keeps(network, property).map(|()| Pace::new(cx))?;
    let ground = Ground::new(network, &proof.abstraction, goal == Goal::Bounded)?;
    let progress = Progress::read(proof.progress.as_ref(), &ground)?;
    let mut steps = Checker::steps(&ground, &budget, &progress)?;
    creation::check(&ground, &steps.complete)?;
    known::retain(&ground, &mut steps, &budget)?;
    let bounds = counting::check(&ground, &steps, proof, &budget)?;
    ranking::check(&ground, &steps.complete, &proof.ranking, (goal, &bounds), &budget)?;
    let buffered = || (0u32..).zip(&proof.abstraction.queues).filter(|(n, _)| !ground.kinds[*n as usize].rendezvous);
    let bounded =
        buffered().filter(|(n, queue)| goal == Goal::Bounded && (queue.claimed || bounds.queues.contains_key(n)));
    let bounded = bounded.map(|(n, queue)| (queue.key, bounds.queues.get(&n).copied())).collect();
    Ok(Accepted { bounded, buffered: buffered().count() })
}
