//! The steps of plain communicating machines, read off a network: anything with data is refused.

use crate::Refusal;
use model::expr::{Expr, Pattern, Scope};
use model::network::{Action, Edge, Initial, Machine, Network, ReceiveMode};
use model::queue_proof::SEPARATOR;

/// What a step does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Op {
    /// Nothing with queues.
    Internal,
    /// Appends a message to a channel.
    Send(usize, u32),
    /// Takes a message from the head of a channel.
    Receive(usize, u32),
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub(crate) op: Op,
    pub(crate) to: u32,
}

#[derive(Debug)]
pub(crate) struct One {
    pub(crate) name: String,
    initial: u32,
    /// By location.
    pub(crate) steps: Vec<Vec<Step>>,
}

#[derive(Debug)]
pub(crate) struct Machines {
    pub(crate) machines: Vec<One>,
    /// By channel: whether it may lose messages.
    pub(crate) lossy: Vec<bool>,
}

impl Machines {
    pub(crate) fn read(network: &Network) -> Result<Machines, Refusal> {
        let in_order = network.instances.iter().enumerate().all(|(index, one)| one.machine.index() == index);
        if !in_order || network.instances.len() != network.machines.len() || network.uses_priorities {
            return refused("its processes are not one of each machine");
        }
        let mut lossy = Vec::new();
        for variable in &network.variables {
            let Initial::NewChannel(ty) = variable.initial else { return refused("it has shared variables") };
            let ty = &network.channel_types[ty.index()];
            if !variable.dimensions.is_empty() || ty.capacity.is_some() || ty.fields.len() != 1 {
                return refused("a channel has a capacity, or is one of several");
            }
            lossy.push(ty.lossy);
        }
        let machines = network.machines.iter().map(|machine| one(network, machine)).collect::<Result<_, _>>()?;
        Ok(Machines { machines, lossy })
    }

    pub(crate) fn initial(&self) -> Vec<u32> {
        self.machines.iter().map(|machine| machine.initial).collect()
    }

    /// The word of the queues when all of them are empty.
    pub(crate) fn empty_queues(&self) -> Vec<u32> {
        vec![SEPARATOR; self.lossy.len().saturating_sub(1)]
    }

    pub(crate) fn is_control(&self, control: &[u32]) -> bool {
        let exists = |(machine, &at): (&One, &u32)| (at as usize) < machine.steps.len();
        control.len() == self.machines.len() && self.machines.iter().zip(control).all(exists)
    }

    /// The steps of each machine in a control state.
    pub(crate) fn at<'a>(&'a self, control: &'a [u32]) -> impl Iterator<Item = &'a [Step]> {
        self.machines.iter().zip(control).map(|(machine, &at)| machine.steps[at as usize].as_slice())
    }
}

fn refused<T>(why: &str) -> Result<T, Refusal> {
    Err(Refusal::Malformed(format!("the model is not one of plain communicating machines: {why}")))
}

fn one(network: &Network, machine: &Machine) -> Result<One, Refusal> {
    if !machine.variables.is_empty() || machine.provided.is_some() {
        return refused("a machine has variables");
    }
    let mut steps = Vec::new();
    for location in &machine.locations {
        let edges = location.edges.iter().map(|edge| &machine.edges[edge.index()]);
        steps.push(edges.map(|edge| step(network, edge)).collect::<Result<_, _>>()?);
    }
    Ok(One { name: machine.name.clone(), initial: machine.initial.0, steps })
}

fn step(network: &Network, edge: &Edge) -> Result<Step, Refusal> {
    if edge.atomic || edge.escape != 0 {
        return refused("a transition is part of a larger one");
    }
    let op = match &edge.action {
        Action::Skip => Op::Internal,
        Action::Send { channel, message, sorted: false } => {
            let [Expr::Const(value)] = message.as_slice() else { return refused("a message is not a constant") };
            let (channel, message) = exchange(network, channel, *value)?;
            Op::Send(channel, message)
        }
        Action::Receive { channel, pattern, mode } if *mode == ReceiveMode::default() => {
            let [Pattern::Match(Expr::Const(value))] = pattern.as_slice() else {
                return refused("a message is not a constant");
            };
            let (channel, message) = exchange(network, channel, *value)?;
            Op::Receive(channel, message)
        }
        _ => return refused("a transition uses data"),
    };
    Ok(Step { op, to: edge.to.0 })
}

/// A channel by its number, and a message by its letter.
fn exchange(network: &Network, channel: &Expr, value: i32) -> Result<(usize, u32), Refusal> {
    let Expr::Read(place) = channel else { return refused("a channel is computed") };
    let index = place.variable.index();
    let declared = network.variables.get(index).filter(|_| place.scope == Scope::Global && place.indices.is_empty());
    let Some(Initial::NewChannel(ty)) = declared.map(|variable| &variable.initial) else {
        return refused("a channel is computed");
    };
    let kept = network.channel_types[ty.index()].fields.first().map(|field| field.truncate(value));
    match u32::try_from(value) {
        Ok(letter) if letter != SEPARATOR && kept == Some(value) => Ok((index, letter)),
        _ => refused("a message does not fit into its channel"),
    }
}
