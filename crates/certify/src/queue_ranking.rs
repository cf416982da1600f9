//! Proofs that something stays possible, checked by their definition: see [`model::queue_ranking`].
//!
//! * The invariant is inductive.
//! * *Coverage*: where an obligation is open, every word of the invariant lies in a region.
//! * *Enabledness*: all words of a region allow its transition.
//! * *Descent*: the transition discharges the obligation, or whatever it makes of the words lies in regions with a lower rank.
//!
//! So from a word of the invariant transitions can be taken, one after the other, until the obligation is discharged: ranks
//! are well-founded. An obligation that is open stays open until then: the location of a machine changes by its own
//! transitions only, and the head of a queue goes by a receive.

use crate::Refusal;
use crate::queues::Check;
use crate::queues::machines::{Op, Step};
use crate::queues::words::{First, Union, Words};
use model::context::Context;
use model::network::Network;
use model::queue_ranking::{QueueRanking, Region, Stage};
use model::verdict::Property;
use std::collections::{BTreeMap, BTreeSet};

/// Checks that a proof is one, for a network of communicating machines.
pub fn verify(network: &Network, property: &Property, proof: &QueueRanking, cx: &Context<'_>) -> Result<(), Refusal> {
    crate::keeps(network, property)?;
    let check = Check::read(network, &proof.invariant, cx)?;
    let count = match property {
        Property::PartialDeadlock => check.machines.machines.len(),
        Property::EventualReception => check.machines.lossy.len(),
        _ => return Err(Refusal::WrongKind(property.to_string())),
    };
    if proof.obligations.len() != count || !proof.invariant.bad.is_empty() {
        return Err(Refusal::Malformed(String::from(
            "it does not have one obligation for each machine, or each channel",
        )));
    }
    check.inductive()?;
    let of_machines = *property == Property::PartialDeadlock;
    proof.obligations.iter().enumerate().try_for_each(|(obligation, stages)| {
        let ranked = Ranked {
            check: &check,
            of_machines,
            obligation,
            drains: drains(stages),
            regions: regions(&check, stages)?,
        };
        ranked.covers()?;
        ranked.regions.values().flatten().try_for_each(|region| ranked.descends(region))
    })
}

/// A region with its place in the order.
struct Placed<'a> {
    stage: usize,
    region: &'a Region,
    words: &'a Words,
    step: Step,
}

fn drains(stages: &[Stage]) -> Vec<Option<usize>> {
    stages.iter().map(|stage| stage.drains.map(|channel| channel as usize)).collect()
}

/// The regions by control state.
fn regions<'a>(check: &'a Check<'_>, stages: &'a [Stage]) -> Result<BTreeMap<&'a [u32], Vec<Placed<'a>>>, Refusal> {
    let mut regions: BTreeMap<&[u32], Vec<Placed<'_>>> = BTreeMap::new();
    for (stage, list) in stages.iter().enumerate() {
        for region in &list.regions {
            let missing = || Refusal::Malformed(format!("a region has something that does not exist: {region:?}"));
            if !check.machines.is_control(&region.control) {
                return Err(missing());
            }
            let words = check.automata.get(region.automaton as usize).ok_or_else(missing)?;
            let mut steps = check.machines.at(&region.control);
            let steps = steps.nth(region.machine as usize).ok_or_else(missing)?;
            let step = *steps.get(region.transition as usize).ok_or_else(missing)?;
            regions.entry(&region.control).or_default().push(Placed { stage, region, words, step });
        }
    }
    Ok(regions)
}

/// The regions of one obligation.
struct Ranked<'a> {
    check: &'a Check<'a>,
    of_machines: bool,
    /// The machine, or the channel.
    obligation: usize,
    /// By stage.
    drains: Vec<Option<usize>>,
    regions: BTreeMap<&'a [u32], Vec<Placed<'a>>>,
}

impl Ranked<'_> {
    fn covers(&self) -> Result<(), Refusal> {
        for (control, &here) in &self.check.invariant {
            let heads = match self.of_machines {
                true if self.check.machines.machines[self.obligation].steps[control[self.obligation] as usize]
                    .is_empty() =>
                {
                    continue;
                }
                true => BTreeMap::new(),
                false => BTreeMap::from([(self.obligation, First::Other(BTreeSet::new()))]),
            };
            let regions = self.regions.get(control.as_slice()).map_or(&[][..], Vec::as_slice);
            let all = Union(regions.iter().map(|placed| placed.words).collect());
            let words = &self.check.automata[here];
            if !words.leads_from(&heads, Op::Internal, &[], &all, &self.check.patience)? {
                return Err(Refusal::Ranking(format!(
                    "no region of obligation {} has all of {control:?}",
                    self.obligation
                )));
            }
        }
        Ok(())
    }

    fn descends(&self, placed: &Placed<'_>) -> Result<(), Refusal> {
        let Placed { region, words, step, .. } = placed;
        let patience = &self.check.patience;
        if let Op::Receive(channel, message) = step.op {
            let others = BTreeMap::from([(channel, First::NoneOf(BTreeSet::from([message])))]);
            if words.has_with(&others, &[], patience)? {
                return Err(Refusal::Ranking(format!("a transition is not always possible: {region:?}")));
            }
        }
        let discharges = match self.of_machines {
            true => region.machine as usize == self.obligation,
            false => matches!(step.op, Op::Receive(channel, _) if channel == self.obligation),
        };
        if discharges {
            return Ok(());
        }
        let mut target = region.control.clone();
        target[region.machine as usize] = step.to;
        let regions = self.regions.get(target.as_slice()).map_or(&[][..], Vec::as_slice);
        let lower =
            Union(regions.iter().filter(|other| self.is_lower(other, placed)).map(|other| other.words).collect());
        match words.leads_into(step.op, &[], &lower, patience)? {
            true => Ok(()),
            false => Err(Refusal::Ranking(format!("a transition does not lower the rank: {region:?}"))),
        }
    }

    /// Whether the rank gets lower when the transition of `from` leads into `to`.
    fn is_lower(&self, to: &Placed<'_>, from: &Placed<'_>) -> bool {
        if to.stage != from.stage {
            return to.stage < from.stage;
        }
        let drained = self.drains[from.stage];
        match from.step.op {
            Op::Receive(channel, _) if Some(channel) == drained => true,
            Op::Send(channel, _) if Some(channel) == drained => false,
            _ => to.region.layer < from.region.layer,
        }
    }
}

#[cfg(test)]
#[path = "queue_ranking_tests.rs"]
mod tests;
