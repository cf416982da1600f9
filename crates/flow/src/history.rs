//! Proofs that no process comes to a place, where it matters what a process did before.
//!
//! A process that asks its left or its right neighbour, and then waits for either answer, never gets one from the
//! neighbour that it did not ask. No weights say so: they count answers left and right, but not one *or* the other. So
//! machines with places that weights alone do not exclude are unfolded by the last message that was sent ([`History`]).
//! Which receives are then never executed is guessed, all of them at first; those whose traps cannot be shown to stay
//! empty are given up, until all others prove each other (Flanagan and Leino, *Houdini*, 2001).

use crate::{Question, check};
use model::context::Context;
use model::expr::Expr;
use model::flow_proof::{FlowProof, History, QueueKey};
use model::ids::MachineId;
use model::network::{Action, Machine, Network};
use std::collections::{BTreeSet, HashMap, HashSet};

/// How often guesses are given up.
const MOST_ROUNDS: usize = 64;
/// A machine that sends more kinds of messages is not unfolded.
const MOST_MARKS: usize = 64;

/// A receive of a machine, by a process with a mark.
type Executed = (u32, u32, u32);

/// A network with machines unfolded, and the queues that must stay empty there, with the machines that send to them.
/// The last ones are those of what the histories say is never done, in their order.
pub type Counted<'c> = &'c dyn Fn(&[History]) -> Option<(Network, Vec<(MachineId, QueueKey)>)>;

/// A proof that the queues stay empty.
pub fn prove(network: &Network, counted: Counted<'_>, cx: &Context<'_>) -> Option<FlowProof> {
    let (mut machines, mut done) = (BTreeSet::new(), BTreeSet::new());
    for _ in 0..MOST_ROUNDS {
        cx.budget.check().ok()?;
        let unfolded = machines.iter().map(|&id: &MachineId| history(id.0, network.machine(id), &done));
        let histories: Vec<History> = unfolded.collect();
        let (counting, queues) = counted(&histories)?;
        let report = check(&counting, &Question::Boundedness, cx);
        let proof = report.proof?;
        let empty = report.queues.iter().filter(|queue| queue.at_most == Some(0));
        let empty: HashSet<QueueKey> = empty.map(|queue| proof.abstraction.queues[queue.queue as usize].key).collect();
        let left: Vec<usize> = (0..queues.len()).filter(|&queue| !empty.contains(&queues[queue].1)).collect();
        if left.is_empty() {
            return Some(FlowProof { histories, ..proof });
        }
        let never = histories.iter().flat_map(|h| h.never.iter().map(|&(edge, mark)| (h.machine, edge, mark)));
        let never: Vec<Executed> = never.collect();
        let first = queues.len().checked_sub(never.len())?;
        let known = (machines.len(), done.len());
        done.extend(left.iter().filter(|&&queue| queue >= first).map(|&queue| never[queue - first]));
        if done.len() == known.1 {
            let sends = |id: &MachineId| (2..=MOST_MARKS).contains(&marks(network.machine(*id)).1);
            machines.extend(left.iter().map(|&queue| queues[queue].0).filter(sends));
        }
        if known == (machines.len(), done.len()) {
            return None;
        }
    }
    None
}

/// The edges that send, each with a mark for what it sends, and how many marks there are.
fn marks(machine: &Machine) -> (Vec<(u32, u32)>, usize) {
    let (mut sent, mut marks) = (Vec::new(), Vec::new());
    for (number, edge) in (0u32..).zip(&machine.edges) {
        if let Action::Send { channel, message, .. } = &edge.action {
            let message: Vec<Expr> = [channel].into_iter().chain(message).map(|e| e.clone().without_places()).collect();
            let known = sent.iter().position(|other| *other == message);
            let mark = known.unwrap_or_else(|| {
                sent.push(message);
                sent.len() - 1
            });
            marks.push((number, mark as u32 + 1));
        }
    }
    (marks, sent.len())
}

/// A machine unfolded by what was sent last, with all receives guessed as never executed that are not known to be.
fn history(id: u32, machine: &Machine, done: &BTreeSet<Executed>) -> History {
    let (marks, _) = marks(machine);
    let after: HashMap<u32, u32> = marks.iter().copied().collect();
    let (mut seen, mut never) = (HashSet::from([(machine.initial, 0)]), BTreeSet::new());
    let mut work = vec![(machine.initial, 0)];
    while let Some((at, mark)) = work.pop() {
        for edge in &machine.locations[at.index()].edges {
            let (number, edge) = (edge.index() as u32, &machine.edges[edge.index()]);
            if matches!(edge.action, Action::Receive { .. }) && !done.contains(&(id, number, mark)) {
                never.insert((number, mark));
                continue;
            }
            let next = (edge.to, after.get(&number).copied().unwrap_or(mark));
            if seen.insert(next) {
                work.push(next);
            }
        }
    }
    History { machine: id, marks, never: never.into_iter().collect() }
}
