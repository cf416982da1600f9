//! What the statements of a network see of the queues: the message at the head of one, and what they ask for.
//!
//! The argument about all contents of the queues in `data` rests on this: with contents of one class (`contents`) in
//! the queues that conditions ask about, whether a statement can be executed depends on the control state and on the
//! head of at most one other queue, and only in one way, by waiting for a message to be there. Whoever computes with a
//! length, asks what stands behind a head, or whether some process can move, is refused. Nothing is computed here;
//! every expression is looked at.
//!
//! `timeout` is true when nothing else can move, and a statement may ask for it. More messages never keep everything
//! from moving: if nothing can move with contents `w`, then nothing can with less in queues that no condition reads. So
//! where `timeout` is true with `w`, it is true in all samples of `w`, and what happens then happens there. And where
//! something moves in a sample, be it because `timeout` is true there, something moves with `w`: that, or something
//! that makes `timeout` false.

use super::contents::{Asked, looks};
use crate::Refusal;
use model::expr::{BinaryOp, Expr, Pattern};
use model::ids::LocationId;
use model::network::{Action, Choice, Deterministic, Initial, Machine, Network, ReceiveMode, Variable};

/// Refuses a network in which something looks further into the queues than at one head.
pub(super) fn at_heads_only(network: &Network) -> Result<(), Refusal> {
    match asked(network)?.iter().flatten().all(Asked::nothing) {
        true => Ok(()),
        false => refused("the length of a queue is used, or a queue is inspected without a receive"),
    }
}

/// What statements ask about queues beside one head, by machine and location. Refuses a network in which something asks
/// for more than classes of contents decide.
pub(super) fn asked(network: &Network) -> Result<Vec<Vec<Asked>>, Refusal> {
    if network.uses_priorities {
        return refused("priorities depend on what other processes can do");
    }
    let locals = network.machines.iter().flat_map(|machine| &machine.variables);
    network.variables.iter().chain(locals).try_for_each(variable)?;
    // Whether a rendezvous is possible may depend on the escapes of both sides, and so on two heads.
    let escapes = network.machines.iter().flat_map(|machine| &machine.edges).any(|edge| edge.escape != 0);
    if escapes && network.channel_types.iter().any(|ty| ty.is_rendezvous()) {
        return refused("it has both rendezvous and `unless`");
    }
    network.machines.iter().map(|machine| asked_by(network, machine)).collect()
}

fn asked_by(network: &Network, machine: &Machine) -> Result<Vec<Asked>, Refusal> {
    machine.provided.iter().try_for_each(plain)?;
    let mut all = vec![Asked::default(); machine.locations.len()];
    for (location, asked) in (0..).map(LocationId).zip(&mut all) {
        for edge in machine.edges_from(location) {
            match &edge.action {
                Action::Condition(e) | Action::Assert(e) if looks(e) => asked.condition(network, e)?,
                other => action(other)?,
            }
        }
    }
    Ok(all)
}

fn refused<T>(why: &str) -> Result<T, Refusal> {
    Err(Refusal::Malformed(format!("no invariant of this kind is one of the model: {why}")))
}

fn variable(variable: &Variable) -> Result<(), Refusal> {
    match &variable.initial {
        Initial::Value(e) => plain(e),
        _ => Ok(()),
    }
}

fn action(action: &Action) -> Result<(), Refusal> {
    match action {
        Action::Send { sorted: true, .. } => return refused("a send sorts its message into the queue"),
        Action::Receive { mode, .. } if *mode != ReceiveMode::default() => {
            return refused("a receive looks behind the head of a queue, or leaves the message there");
        }
        Action::SetPriority(..) => return refused("priorities depend on what other processes can do"),
        Action::Deterministic(step) => return deterministic(step),
        // What is only shown changes nothing.
        Action::Print { .. } => return Ok(()),
        _ => {}
    }
    let mut checked = Ok(());
    action.walk(&mut |e| {
        if checked.is_ok() && !matches!(e, Expr::Timeout) {
            checked = node(e);
        }
    });
    checked
}

/// An expression that does not look at queues, nor at what can move.
fn plain(e: &Expr) -> Result<(), Refusal> {
    let mut checked = Ok(());
    e.walk(&mut |e| {
        if checked.is_ok() {
            checked = node(e);
        }
    });
    checked
}

fn node(e: &Expr) -> Result<(), Refusal> {
    match e {
        Expr::Channel(..) => refused("the length of a queue is asked for"),
        Expr::Poll { .. } => refused("a queue is looked into without a receive"),
        Expr::Timeout | Expr::Enabled(_) => refused("it is asked whether something else can move"),
        Expr::Priority(_) => refused("priorities depend on what other processes can do"),
        _ => Ok(()),
    }
}

/// A deterministic step may wait for one queue, with its first statement. Later it must not look at queues: what it
/// would find there is not known.
fn deterministic(step: &Deterministic) -> Result<(), Refusal> {
    let first = step.nodes.first().map_or(&[][..], Vec::as_slice);
    let mut awaited: Option<Expr> = None;
    let heads = step.guard.iter().map(guard).chain(first.iter().map(choice));
    for head in heads {
        let Some(channel) = head? else { continue };
        let channel = channel.clone().without_places();
        if awaited.as_ref().is_some_and(|other| *other != channel) {
            return refused("a deterministic step waits for two queues");
        }
        awaited = Some(channel);
    }
    for choice in step.nodes.iter().skip(1).flatten() {
        match &choice.action {
            Action::Receive { .. } | Action::Deterministic(_) => {
                return refused("a deterministic step receives after its beginning");
            }
            other => action(other)?,
        }
    }
    let comes_back = || step.nodes.iter().flatten().any(|choice| choice.next == Some(0));
    if awaited.is_some() && comes_back() {
        return refused("a deterministic step receives more than once");
    }
    Ok(())
}

/// The queue that a guard of a deterministic step waits for.
fn guard(guard: &Action) -> Result<Option<&Expr>, Refusal> {
    match guard {
        Action::Condition(Expr::Binary(BinaryOp::And, condition, head)) => match head.as_ref() {
            Expr::Poll { channel, pattern, anywhere: false } => {
                plain(condition)?;
                plain(channel)?;
                pattern.iter().try_for_each(field)?;
                Ok(Some(channel.as_ref()))
            }
            _ => action(guard).map(|()| None),
        },
        Action::Deterministic(_) => refused("a deterministic step in another"),
        Action::Receive { channel, .. } => action(guard).map(|()| Some(channel)),
        _ => action(guard).map(|()| None),
    }
}

fn choice(choice: &Choice) -> Result<Option<&Expr>, Refusal> {
    match &choice.action {
        Action::Deterministic(_) => refused("a deterministic step in another"),
        Action::Receive { channel, .. } => action(&choice.action).map(|()| Some(channel)),
        _ => action(&choice.action).map(|()| None),
    }
}

fn field(pattern: &Pattern) -> Result<(), Refusal> {
    match pattern {
        Pattern::Match(e) => plain(e),
        Pattern::Bind(place) => place.indices.iter().try_for_each(plain),
        Pattern::Any => Ok(()),
    }
}
