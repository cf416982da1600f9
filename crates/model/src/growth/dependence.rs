//! What a step depends on: may it be taken again when some queues hold more than before?
//!
//! In a later round of a loop every finite part is as it was, and so is every queue that came back to
//! its old contents. What differs is the *moving* queues: they are longer, with the same messages in
//! front. A step that was taken is the same step again if all that it looked at is the same, so the one
//! thing it may do with a moving queue is to send at the end and to receive from the front. Everything
//! else is refused: lengths, polls, `??`, `!!`, `?<..>`; and the same for every statement that had to be
//! *impossible* for the step to be possible: the alternatives of an `else`, the escapes of an `unless`,
//! what a process in control of an atomic sequence waited for, and for a `timeout` all of them.
//!
//! Where processes multiply, the process that plays a part has another number in each round, and there
//! are bystanders. Then nothing may look at process numbers or at other processes, nor depend on a
//! rendezvous that finds no partner.
//!
//! Refusing too much is fine: then the loop is not shown. Refusing too little is not.

use super::Refusal;
use crate::configuration::Configuration;
use crate::expr::{BinaryOp, Expr, Pattern, Place, Scope};
use crate::ids::{EdgeId, MachineId, VariableId};
use crate::network::{Action, Deterministic, Edge, Initial, Network};
use crate::semantics::Semantics;
use std::collections::HashSet;

/// What a step does to a moving queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Traffic {
    Sends(usize),
    Receives(usize),
}

/// The questions about one state.
pub(super) struct Dependence<'a> {
    pub(super) semantics: &'a Semantics<'a>,
    pub(super) state: &'a Configuration,
    /// Queues that hold more in a later round.
    pub(super) moving: &'a HashSet<usize>,
    /// The process that takes a step has another number in a later round.
    pub(super) anonymous: bool,
}

type Checked<T = ()> = Result<T, Refusal>;

/// Whether loops of a network can be judged at all: what stands at odd places must not look at queues.
pub(super) fn check_network(network: &Network) -> Checked {
    if network.uses_priorities {
        return Err(Refusal::Priorities);
    }
    let volatile = |e: &Expr| e.any(&is_volatile);
    if network.machines.iter().any(|m| m.provided.as_ref().is_some_and(volatile)) {
        return Err(Refusal::Provided);
    }
    let mut odd = false;
    for edge in network.machines.iter().flat_map(|m| &m.edges) {
        each_action(&edge.action, &mut |action| {
            if let Action::Receive { channel, pattern, .. } = action {
                channel.walk(&mut |e| odd |= is_volatile(e));
                pattern.iter().for_each(|p| p.walk(&mut |e| odd |= is_volatile(e)));
            }
        });
    }
    if odd { Err(Refusal::Looks) } else { Ok(()) }
}

/// The value can change from round to round although the finite parts do not.
fn is_volatile(e: &Expr) -> bool {
    matches!(e, Expr::Channel(..) | Expr::Poll { .. } | Expr::Timeout | Expr::Enabled(_) | Expr::Priority(_))
}

/// The value depends on the numbers of processes, or on processes that take no part.
fn is_personal(e: &Expr) -> bool {
    matches!(
        e,
        Expr::Pid
            | Expr::ProcessCount
            | Expr::LastMover
            | Expr::RunResult
            | Expr::ProgramCounter(_)
            | Expr::NonProgress
            | Expr::At { .. }
            | Expr::Remote { .. }
    )
}

/// Calls `visit` for an action and for those inside it.
fn each_action<'n>(action: &'n Action, visit: &mut dyn FnMut(&'n Action)) {
    visit(action);
    if let Action::Deterministic(step) = action {
        step.guard.iter().for_each(&mut *visit);
        step.nodes.iter().flatten().for_each(|choice| visit(&choice.action));
    }
}

impl<'a> Dependence<'a> {
    fn edge(&self, process: usize, edge: EdgeId) -> Checked<&'a Edge> {
        let machine = self.semantics.network().machine(self.state.machine(process));
        machine.edges.get(edge.index()).ok_or(Refusal::Replay)
    }

    fn edges_at(&self, process: usize) -> impl Iterator<Item = (EdgeId, &'a Edge)> {
        let machine = self.semantics.network().machine(self.state.machine(process));
        let location = self.state.location(process);
        machine.locations[location.index()].edges.iter().map(|&id| (id, &machine.edges[id.index()]))
    }

    /// An edge that was taken: it can be again, and does this to moving queues.
    pub(super) fn taken(&self, process: usize, id: EdgeId) -> Checked<Vec<Traffic>> {
        let edge = self.edge(process, id)?;
        if self.anonymous && self.semantics.network().machine(self.state.machine(process)).provided.is_some() {
            return Err(Refusal::Provided);
        }
        let alone = is_else(&edge.action);
        for (other, alternative) in self.edges_at(process).take_while(|(other, _)| alone || *other != id) {
            let outranks = alternative.escape > 0 && alternative.escape != edge.escape;
            if other != id && (alone || outranks) {
                self.impossible(process, &alternative.action)?;
            }
        }
        match &edge.action {
            Action::Deterministic(step) => self.deterministic(process, step),
            action => self.action(process, action, None),
        }
    }

    /// Nothing that the process could do was possible: it stays so.
    pub(super) fn blocked(&self, process: usize) -> Checked {
        self.edges_at(process).try_for_each(|(_, edge)| self.impossible(process, &edge.action))
    }

    /// Nothing in the system could move: it stays so.
    pub(super) fn nothing_moves(&self) -> Checked {
        if self.anonymous {
            return Err(Refusal::Timeout);
        }
        (0..self.state.process_count()).try_for_each(|process| self.blocked(process))
    }

    /// An action that was not possible stays impossible.
    fn impossible(&self, process: usize, action: &Action) -> Checked {
        if let Action::Deterministic(step) = action {
            return step.guard.iter().try_for_each(|guard| self.impossible(process, guard));
        }
        self.expressions(process, action, None)?;
        match action {
            Action::Receive { channel, .. } => match self.queue(process, channel, None)? {
                queue if self.moving.contains(&queue) => Err(Refusal::Waits),
                _ => Ok(()),
            },
            // Only a rendezvous can be impossible: nobody was there to receive.
            Action::Send { .. } if self.anonymous => Err(Refusal::Partner),
            Action::End if self.anonymous => Err(Refusal::Numbers),
            _ => Ok(()),
        }
    }

    /// An action that is carried out; `inside` is the deterministic step that it is a part of.
    fn action(&self, process: usize, action: &Action, inside: Option<&Deterministic>) -> Checked<Vec<Traffic>> {
        match action {
            Action::Print { .. } => return Ok(Vec::new()),
            Action::Assert(e) if !can_fail(e) => return Ok(Vec::new()),
            Action::SetPriority(..) => return Err(Refusal::Priorities),
            Action::Run { machine, .. } => self.creation(*machine)?,
            _ => {}
        }
        self.expressions(process, action, inside)?;
        let moving = |queue: &usize| self.moving.contains(queue);
        match action {
            Action::Send { channel, sorted, .. } => {
                let queue = Some(self.queue(process, channel, inside)?).filter(moving);
                if queue.is_some() && *sorted {
                    return Err(Refusal::Looks);
                }
                Ok(queue.into_iter().map(Traffic::Sends).collect())
            }
            Action::Receive { channel, mode, .. } => {
                let queue = Some(self.queue(process, channel, inside)?).filter(moving);
                if queue.is_some() && (mode.anywhere || mode.keep) {
                    return Err(Refusal::Looks);
                }
                Ok(queue.into_iter().map(Traffic::Receives).collect())
            }
            _ => Ok(Vec::new()),
        }
    }

    /// A deterministic step: which of its statements were executed is not known, so all of them count.
    fn deterministic(&self, process: usize, step: &Deterministic) -> Checked<Vec<Traffic>> {
        let mut traffic = Vec::new();
        for node in &step.nodes {
            for (position, choice) in node.iter().enumerate() {
                let own = self.action(process, &choice.action, Some(step))?;
                // A receive that was passed over might be chosen in a later round.
                if position + 1 < node.len() && own.iter().any(|t| matches!(t, Traffic::Receives(_))) {
                    return Err(Refusal::Waits);
                }
                traffic.extend(own);
            }
        }
        for guard in &step.guard {
            self.action(process, guard, None)?;
        }
        let both = |t: &Traffic| matches!(t, Traffic::Sends(q) if traffic.contains(&Traffic::Receives(*q)));
        if traffic.iter().any(both) { Err(Refusal::Step) } else { Ok(traffic) }
    }

    /// The first values of a new process.
    fn creation(&self, machine: MachineId) -> Checked {
        for variable in &self.semantics.network().machine(machine).variables {
            if let Initial::Value(e) = &variable.initial
                && (e.any(&is_volatile) || (self.anonymous && e.any(&is_personal)))
            {
                return Err(Refusal::Looks);
            }
        }
        Ok(())
    }

    /// All expressions of an action, and everything in them.
    fn expressions(&self, process: usize, action: &Action, inside: Option<&Deterministic>) -> Checked {
        let mut checked = Ok(());
        action.walk(&mut |e| {
            if checked.is_ok() {
                checked = self.look(process, e, inside);
            }
        });
        checked
    }

    /// One node of an expression.
    fn look(&self, process: usize, e: &Expr, inside: Option<&Deterministic>) -> Checked {
        match e {
            Expr::Channel(_, channel) | Expr::Poll { channel, .. } => {
                let queue = self.queue(process, channel, inside)?;
                if self.moving.contains(&queue) { Err(Refusal::Looks) } else { Ok(()) }
            }
            Expr::Enabled(_) | Expr::Priority(_) => Err(Refusal::Looks),
            e if self.anonymous && is_personal(e) => Err(Refusal::Numbers),
            _ => Ok(()),
        }
    }

    /// The queue that a channel expression means; within a deterministic step only if nothing in it changes that.
    fn queue(&self, process: usize, channel: &Expr, inside: Option<&Deterministic>) -> Checked<usize> {
        if inside.is_some_and(|step| may_change(step, channel)) {
            return Err(Refusal::Step);
        }
        let reference = self.semantics.evaluate(self.state, process, channel).map_err(|_| Refusal::Step)?;
        usize::try_from(reference).ok().and_then(|r| r.checked_sub(1)).ok_or(Refusal::Step)
    }
}

/// An `else`, also as the guard of a deterministic step.
fn is_else(action: &Action) -> bool {
    match action {
        Action::Else => true,
        Action::Deterministic(step) => matches!(step.guard.as_slice(), [Action::Else]),
        _ => false,
    }
}

/// Whether computing an expression can be an error: an index, or a division.
fn can_fail(e: &Expr) -> bool {
    e.any(&|e| match e {
        Expr::Read(place) => !place.indices.is_empty(),
        Expr::Remote { indices, .. } => !indices.is_empty(),
        Expr::Binary(op, ..) => matches!(op, BinaryOp::Div | BinaryOp::Rem),
        Expr::Enabled(_) | Expr::Poll { .. } => true,
        _ => false,
    })
}

/// Whether a deterministic step can change what an expression means.
fn may_change(step: &Deterministic, e: &Expr) -> bool {
    let mut assigned: Vec<(Scope, VariableId)> = Vec::new();
    let mut assigns = |place: &Place| assigned.push((place.scope, place.variable));
    for choice in step.nodes.iter().flatten() {
        match &choice.action {
            Action::Assign(place, _) => assigns(place),
            Action::Receive { pattern, .. } => pattern.iter().for_each(|p| {
                if let Pattern::Bind(place) = p {
                    assigns(place);
                }
            }),
            _ => {}
        }
    }
    e.any(&|e| match e {
        Expr::Read(place) => assigned.contains(&(place.scope, place.variable)),
        Expr::Const(_) | Expr::Unary(..) | Expr::Binary(..) | Expr::Conditional(..) => false,
        _ => true,
    })
}
