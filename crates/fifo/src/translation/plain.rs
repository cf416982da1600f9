//! From a network of plain machines to systems, and runs back to steps.
//!
//! States are locations, and a message with the value `v` is letter `v - 1`. A transition remembers its edge.

use crate::{Machine, Op, Step, System, Transition};
use model::expr::{Expr, Pattern, Scope};
use model::ids::EdgeId;
use model::network::{self, Action, Edge, Initial, Network, ReceiveMode};
use model::semantics;
use scm::Specification;

/// A network with data is no system; it has to be folded first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HasData;

/// Whether a network has no data: it is one of plain machines.
pub fn is_plain(network: &Network) -> bool {
    system(network, &Specification::default()).is_ok()
}

/// The system of a network of plain machines.
pub fn system(network: &Network, specification: &Specification) -> Result<System, HasData> {
    let in_order = network.instances.iter().enumerate().all(|(index, one)| one.machine.index() == index);
    let plain_channel = |v: &network::Variable| matches!(v.initial, Initial::NewChannel(_)) && v.dimensions.is_empty();
    let conditional = specification.bad.iter().flat_map(|bad| bad.machines.iter().flatten().flatten());
    if !in_order
        || network.instances.len() != network.machines.len()
        || !network.variables.iter().all(plain_channel)
        || conditional.into_iter().any(|allowed| allowed.condition.is_some())
    {
        return Err(HasData);
    }
    let lossy = network.variables.iter().map(|variable| match variable.initial {
        Initial::NewChannel(ty) => network.channel_types[ty.index()].lossy,
        _ => false,
    });
    let machines = network.machines.iter().map(machine).collect::<Result<Vec<_>, _>>()?;
    let alphabet = network.symbol_sets.first().map_or_else(Vec::new, |set| set.symbols.clone());
    let bad = specification.bad.iter().map(bad).collect();
    Ok(System { channels: network.variables.len(), alphabet, lossy: lossy.collect(), machines, bad })
}

fn machine(machine: &network::Machine) -> Result<Machine, HasData> {
    if !machine.variables.is_empty() || machine.provided.is_some() {
        return Err(HasData);
    }
    let name = |(index, location): (usize, &network::Location)| {
        location.labels.first().cloned().unwrap_or_else(|| index.to_string())
    };
    let mut transitions = Vec::new();
    for location in &machine.locations {
        for &id in &location.edges {
            transitions.push(transition(&machine.edges[id.index()], id)?);
        }
    }
    let states = machine.locations.iter().enumerate().map(name).collect();
    Ok(Machine { name: machine.name.clone(), initial: vec![machine.initial.index()], states, transitions })
}

fn transition(edge: &Edge, id: EdgeId) -> Result<Transition, HasData> {
    if edge.atomic || edge.escape != 0 {
        return Err(HasData);
    }
    Ok(Transition { from: edge.from.index(), op: op(&edge.action)?, to: edge.to.index(), origin: id.0 })
}

/// What an action of a plain machine does.
pub fn op(action: &Action) -> Result<Op, HasData> {
    Ok(match action {
        Action::Skip => Op::Internal,
        Action::Send { channel, message, sorted: false } => match message.as_slice() {
            [Expr::Const(value)] => Op::Send(channel_of(channel)?, letter(*value)?),
            _ => return Err(HasData),
        },
        Action::Receive { channel, pattern, mode } if *mode == ReceiveMode::default() => match pattern.as_slice() {
            [Pattern::Match(Expr::Const(value))] => Op::Receive(channel_of(channel)?, letter(*value)?),
            _ => return Err(HasData),
        },
        _ => return Err(HasData),
    })
}

fn channel_of(channel: &Expr) -> Result<usize, HasData> {
    match channel {
        Expr::Read(place) if place.scope == Scope::Global && place.indices.is_empty() => Ok(place.variable.index()),
        _ => Err(HasData),
    }
}

fn letter(value: i32) -> Result<u32, HasData> {
    u32::try_from(value).ok().and_then(|value| value.checked_sub(1)).ok_or(HasData)
}

fn bad(bad: &scm::Bad) -> crate::Bad {
    let states = |allowed: &Vec<scm::Allowed>| allowed.iter().map(|state| state.location.index()).collect();
    crate::Bad {
        states: bad.machines.iter().map(|allowed| allowed.as_ref().map(states)).collect(),
        queues: bad.queues.as_ref().map(|language| regex(&language.regex)),
    }
}

fn regex(expression: &scm::Regex) -> queues::Regex {
    let all = |parts: &[scm::Regex]| parts.iter().map(regex).collect();
    match expression {
        scm::Regex::Empty => queues::Regex::Epsilon,
        scm::Regex::Message(value) => letter(*value).map_or(queues::Regex::Empty, queues::Regex::Letter),
        scm::Regex::Separator => queues::Regex::Separator,
        scm::Regex::Concat(parts) => queues::Regex::Concat(all(parts)),
        scm::Regex::Union(parts) => queues::Regex::Alt(all(parts)),
        scm::Regex::Star(inner) => queues::Regex::Star(Box::new(regex(inner))),
        scm::Regex::Plus(inner) => queues::Regex::Plus(Box::new(regex(inner))),
    }
}

/// The steps of a run in the network that the system was made of.
pub fn steps(system: &System, run: &crate::Run) -> Vec<semantics::Step> {
    let step = |step: &Step| match *step {
        Step::Move { machine, transition } => {
            let origin = system.machines.get(machine).and_then(|m| m.transitions.get(transition)).map(|t| t.origin);
            semantics::Step::Edge { process: machine as u32, edge: EdgeId(origin.unwrap_or(u32::MAX)) }
        }
        Step::Loss { channel, position } => semantics::Step::Loss { queue: channel as u32, position: position as u32 },
    };
    run.steps.iter().map(step).collect()
}
