//! That something stays possible, for systems with finitely many configurations: each machine that has not ended can move
//! again, or each queue that is not empty can give away its head.
//!
//! All configurations are visited. A machine, or a queue, is an *obligation*: open where the machine has transitions, or the
//! queue a message, and discharged by a step of the machine, or a receive from the queue. For each obligation, a walk
//! backwards from the steps that discharge it must come to every configuration in which it is open. Configurations that
//! losses lead to are visited, too, but the walk takes no loss.

use crate::{Refusal, overflow, pause};
use model::context::Context;
use model::network::{Action, Network};
use model::semantics::{Reading, Semantics, Step, Stepper};
use model::verdict::Property;
use std::collections::HashMap;

/// A step from one configuration to another.
struct Move {
    from: u32,
    to: u32,
    /// What it discharges, if anything.
    discharges: Option<u32>,
}

/// All configurations.
struct Graph {
    digest: u128,
    /// By configuration: what is open there.
    open: Vec<Vec<u32>>,
    /// Without losses, by the configuration that they lead to.
    moves: Vec<Move>,
    /// By configuration, where the moves that lead to it begin; and the end of the last.
    into: Vec<usize>,
}

/// Searches everything; returns the number of configurations, and the digest of their set.
pub fn verify(semantics: &Semantics<'_>, property: &Property, cx: &Context<'_>) -> Result<(u64, u128), Refusal> {
    crate::keeps(semantics.network(), property)?;
    if semantics.reading() != Reading::Unbounded || !is_static(semantics.network()) {
        return Err(Refusal::WrongKind(property.to_string()));
    }
    let graph = Graph::new(semantics, property, cx)?;
    let count = graph.open.iter().flatten().max().map_or(0, |&last| last + 1);
    for obligation in 0..count {
        cx.check()?;
        if !graph.is_always_possible(obligation) {
            let what = if *property == Property::PartialDeadlock { "machine" } else { "queue" };
            return Err(Refusal::Violated(format!("{what} {obligation} can be stuck for good")));
        }
    }
    Ok((graph.open.len() as u64, graph.digest))
}

/// Whether there is one process of each machine, from the beginning.
fn is_static(network: &Network) -> bool {
    let in_order = network.instances.iter().enumerate().all(|(index, one)| one.machine.index() == index);
    in_order && network.instances.len() == network.machines.len()
}

impl Graph {
    fn new(semantics: &Semantics<'_>, property: &Property, cx: &Context<'_>) -> Result<Graph, Refusal> {
        let mut stepper = semantics.stepper();
        stepper.listen();
        let initial = match stepper.initial().map_err(overflow)? {
            Ok(state) => state,
            Err(fault) => return Err(Refusal::Crash(fault.fault.to_string())),
        };
        let mut index: HashMap<Vec<u8>, u32> = HashMap::from([(initial.clone(), 0)]);
        let mut states = vec![initial];
        let mut graph = Graph { digest: 0, open: Vec::new(), moves: Vec::new(), into: Vec::new() };
        while graph.open.len() < states.len() {
            let from = graph.open.len() as u32;
            let state = states[from as usize].clone();
            let mut refusal = None;
            let mut found: Vec<(Vec<u8>, Option<Option<u32>>)> = Vec::new();
            let expanded = stepper.expand(&state, None, &mut |next| match (next.state, next.step) {
                (None, _) => refusal = next.fault.map(|fault| Refusal::Crash(fault.fault.to_string())),
                (Some(_), _) if next.control.is_some() => refusal = Some(Refusal::WrongKind(property.to_string())),
                (Some(after), Step::Loss { .. }) => found.push((after.to_vec(), None)),
                (Some(after), Step::Edge { process, .. }) => {
                    let received = next.exchanges.iter().find(|exchange| !exchange.sent).map(|exchange| exchange.queue);
                    let of_machine = *property == Property::PartialDeadlock;
                    found.push((after.to_vec(), Some(if of_machine { Some(process) } else { received })));
                }
                _ => refusal = Some(Refusal::WrongKind(property.to_string())),
            });
            expanded.map_err(overflow)?;
            if let Some(refusal) = refusal {
                return Err(refusal);
            }
            graph.digest = graph.digest.wrapping_add(stepper.digest(&state));
            graph.open.push(open(&mut stepper, property, &state));
            for (after, step) in found {
                let fresh = states.len() as u32;
                let to = *index.entry(after).or_insert_with_key(|after| {
                    states.push(after.clone());
                    fresh
                });
                graph.moves.extend(step.map(|discharges| Move { from, to, discharges }));
            }
            pause(graph.open.len() as u64, states.len() as u64, cx)?;
        }
        graph.moves.sort_unstable_by_key(|step| step.to);
        let count = graph.open.len() as u32;
        graph.into = (0..=count).map(|to| graph.moves.partition_point(|step| step.to < to)).collect();
        Ok(graph)
    }

    /// Whether from everywhere that an obligation is open some moves lead to one that discharges it.
    fn is_always_possible(&self, obligation: u32) -> bool {
        let mut able = vec![false; self.open.len()];
        let mut work: Vec<u32> = Vec::new();
        let mut reach = |state: u32, work: &mut Vec<u32>| {
            if !std::mem::replace(&mut able[state as usize], true) {
                work.push(state);
            }
        };
        let discharging = self.moves.iter().filter(|step| step.discharges == Some(obligation));
        discharging.for_each(|step| reach(step.from, &mut work));
        while let Some(state) = work.pop() {
            let into = &self.moves[self.into[state as usize]..self.into[state as usize + 1]];
            into.iter().for_each(|step| reach(step.from, &mut work));
        }
        self.open.iter().zip(&able).all(|(open, &able)| able || !open.contains(&obligation))
    }
}

/// What is open in a configuration.
fn open(stepper: &mut Stepper<'_>, property: &Property, state: &[u8]) -> Vec<u32> {
    stepper.load(state);
    if *property == Property::EventualReception {
        let queues = 0..stepper.loaded_queues();
        return queues.filter(|&queue| stepper.loaded_length(queue) > 0).map(|queue| queue as u32).collect();
    }
    let network = stepper.semantics().network();
    let has_transitions =
        |(machine, at)| network.machine(machine).edges_from(at).any(|edge| !matches!(edge.action, Action::End));
    (0u32..)
        .zip(stepper.loaded_places())
        .filter(|&(_, place)| has_transitions(place))
        .map(|(number, _)| number)
        .collect()
}
