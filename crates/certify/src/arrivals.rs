//! Invariants that say where no process ever is, as a question about the length of a queue.
//!
//! `[] !P@l` holds if no process comes to `l`. In [`counted`] a process that comes there sends one message to a queue that no
//! process reads, and stops. There is one queue for each place: their bounds are rounded down one by one. If these queues
//! never hold a message, no process comes there: a run to a state in which one
//! is there takes the same steps here until the first process has come to such a place, as until then all states and
//! all edges that can be taken are the same; and then the send can be taken, because
//!
//! * channels have no limit, so that no send waits;
//! * `provided` and priorities keep no process from moving ([`counted`] refuses models with these);
//! * in a state that a formula sees, no process is in the middle of an atomic sequence.
//!
//! The new queues are the last of the shared ones. Local channels would get other numbers, which a model can look at, so
//! models with local channels are refused, too.

use crate::histories::{Unfolded, unfolded};
use crate::{Refusal, flow};
use model::context::Context;
use model::expr::{BinaryOp, Expr, Place, Scope};
use model::flow_proof::{FlowProof, History, QueueKey};
use model::formula::{Atom, Connective, Ltl, Modality};
use model::ids::{LocationId, MachineId, VariableId};
use model::network::{Action, ChannelType, Dimension, Edge, Initial, Location, Network, ScalarType, Variable};
use model::semantics::Reading;
use model::source::Span;
use model::verdict::Property;
use std::collections::BTreeSet;

/// Checks that no process ever comes to the places that an invariant forbids: a proof about the network that counts arrivals,
/// of which the queues with the counts are always empty.
pub fn verify(
    network: &Network,
    property: &Property,
    reading: Reading,
    proof: &FlowProof,
    cx: &Context<'_>,
) -> Result<(), Refusal> {
    crate::keeps(network, property)?;
    let formula = network.formulas.iter().find(|formula| formula.property() == *property);
    let counted = formula.and_then(|formula| counted(network, &formula.formula, reading, &proof.histories));
    let (counting, queues) = counted.ok_or_else(|| Refusal::WrongKind(property.to_string()))?;
    let accepted = flow::verify(&counting, &Property::Boundedness, proof, cx)?;
    match queues.iter().all(|(_, queue)| accepted.bounded.contains(&(*queue, Some(0)))) {
        true => Ok(()),
        false => Err(Refusal::Bound(String::from("a process may come to a place that it must not come to"))),
    }
}

/// A location of a machine.
type At = (MachineId, LocationId);

/// A network that counts arrivals, and the queues in which it does, with the machines that send to them; `None` if the
/// formula is not of this form, or the argument does not hold for the network and the channel semantics.
///
/// Machines are unfolded first, if there are histories, and arrivals at traps are counted like the others: in the last
/// queues.
pub fn counted(
    network: &Network,
    formula: &Ltl,
    reading: Reading,
    histories: &[History],
) -> Option<(Network, Vec<(MachineId, QueueKey)>)> {
    let places = match formula {
        Ltl::Unary(Modality::Always, inner) => avoided(inner)?,
        _ => return None,
    };
    if !is_without_limits(network, reading) || !moves_freely(network) || has_local_channels(network) {
        return None;
    }
    let Unfolded { network: mut counting, origins, traps } = unfolded(network, histories)?;
    let copies = |(machine, location): At| -> Vec<At> {
        let Some(origins) = origins.get(&machine) else { return vec![(machine, location)] };
        let copies = origins.iter().enumerate().filter(|(_, origin)| **origin == location);
        copies.map(|(copy, _)| (machine, copy.into())).collect()
    };
    let places: Vec<At> = places.into_iter().flat_map(copies).chain(traps).collect();
    let (variable, count) = (VariableId::from(counting.variables.len()), places.len() as u32);
    let ty = counting.channel_types.len().into();
    counting.channel_types.push(ChannelType {
        capacity: None,
        fields: vec![ScalarType::Bit],
        lossy: false,
        span: Span::NONE,
    });
    counting.variables.push(Variable {
        name: String::from("arrivals"),
        ty: ScalarType::Channel,
        dimensions: vec![Dimension { len: count, name_end: u32::MAX }],
        initial: Initial::NewChannel(ty),
        span: Span::NONE,
    });
    for (number, &(machine, location)) in (0..).zip(&places) {
        let machine = counting.machines.get_mut(machine.index())?;
        let (end, edge) = (machine.locations.len().into(), machine.edges.len().into());
        let place = Place { scope: Scope::Global, variable, indices: vec![Expr::Const(number)], span: Span::NONE };
        let (channel, message) = (Expr::Read(place), vec![Expr::Const(0)]);
        let action = Action::Send { channel, message, sorted: false };
        machine.edges.push(Edge { from: location, to: end, action, atomic: false, escape: 0, span: Span::NONE });
        let here = machine.locations.get_mut(location.index())?;
        here.edges = vec![edge];
        here.executes.clear();
        machine.locations.push(Location { end: true, ..Location::default() });
    }
    let queue = |element| QueueKey { instance: None, variable: variable.0, element };
    Some((counting, places.iter().zip(0..).map(|(place, element)| (place.0, queue(element))).collect()))
}

/// The places that processes must keep away from for this to hold.
fn avoided(formula: &Ltl) -> Option<BTreeSet<At>> {
    match formula {
        Ltl::Unary(Modality::Not, inner) => entered(inner),
        Ltl::Binary(Connective::And, left, right) => Some(&avoided(left)? | &avoided(right)?),
        _ => None,
    }
}

/// Places of which a process is at one where this holds.
fn entered(formula: &Ltl) -> Option<BTreeSet<At>> {
    match formula {
        Ltl::Atom(atom, _) => match &**atom {
            Atom::State(expr) => places(expr),
            Atom::Event(_) => None,
        },
        Ltl::Binary(Connective::Or, left, right) => Some(&entered(left)? | &entered(right)?),
        _ => None,
    }
}

fn places(expr: &Expr) -> Option<BTreeSet<At>> {
    match expr {
        Expr::At { machine, location, .. } => Some(BTreeSet::from([(*machine, *location)])),
        Expr::Binary(BinaryOp::Or, left, right) => Some(&places(left)? | &places(right)?),
        Expr::Binary(BinaryOp::And, left, right) => places(left).or_else(|| places(right)),
        _ => None,
    }
}

/// No send waits, and every `run` creates a process: by the channel semantics, or because there is nothing to limit.
fn is_without_limits(network: &Network, reading: Reading) -> bool {
    let creates = |edge: &Edge| matches!(edge.action, Action::Run { .. });
    let is_open = |ty: &ChannelType| ty.is_rendezvous() || ty.capacity.is_none();
    match reading {
        Reading::Unbounded => true,
        Reading::Declared => {
            network.channel_types.iter().all(is_open) && !network.machines.iter().flat_map(|m| &m.edges).any(creates)
        }
        Reading::Drop => false,
    }
}

fn moves_freely(network: &Network) -> bool {
    !network.uses_priorities && network.machines.iter().all(|machine| machine.provided.is_none())
}

fn has_local_channels(network: &Network) -> bool {
    let locals = network.machines.iter().flat_map(|machine| &machine.variables);
    locals.into_iter().any(|variable| matches!(variable.initial, Initial::NewChannel(_)))
}
