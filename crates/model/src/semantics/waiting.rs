//! What a process waits for, where it can do nothing but receive.
//!
//! The property `reception` is about a process that stands before messages none of which it takes. So it must have receives
//! to go on with, from channels that hold messages, and nothing else. A condition that is false does not count as something
//! else as long as it speaks of the process's own variables: they stay as they are while the process waits. One that
//! speaks of shared variables may come true, so that such a process is not said to be stuck. A rendezvous depends on
//! somebody else as well.

use crate::expr::{BinaryOp, Expr, Scope};
use crate::network::{Action, Network, ScalarType};
use crate::semantics::Stepper;
use std::collections::BTreeSet;

/// What an edge is for a process that waits.
enum Alternative {
    /// It will not be possible as long as the process stays.
    Closed,
    /// A receive from a queue.
    Receive(usize),
    /// Anything else.
    Other,
}

/// The queues from which a process of the loaded state receives, if that is all that it can do there.
pub fn awaited(network: &Network, stepper: &Stepper<'_>, process: usize) -> Option<BTreeSet<usize>> {
    let (machine, at) = stepper.loaded_place(process);
    let machine = network.machine(machine);
    if machine.provided.is_some() {
        return None;
    }
    let look = Look { network, stepper, process };
    let mut queues = BTreeSet::new();
    for edge in machine.edges_from(at) {
        for alternative in look.action(&edge.action) {
            match alternative {
                Alternative::Closed => {}
                Alternative::Receive(queue) => drop(queues.insert(queue)),
                Alternative::Other => return None,
            }
        }
    }
    (!queues.is_empty()).then_some(queues)
}

struct Look<'a> {
    network: &'a Network,
    stepper: &'a Stepper<'a>,
    process: usize,
}

impl Look<'_> {
    fn action(&self, action: &Action) -> Vec<Alternative> {
        match action {
            Action::Deterministic(step) if step.guard.is_empty() => vec![Alternative::Other],
            Action::Deterministic(step) => step.guard.iter().map(|guard| self.statement(guard)).collect(),
            other => vec![self.statement(other)],
        }
    }

    fn statement(&self, action: &Action) -> Alternative {
        match action {
            Action::Receive { channel, .. } => self.receive(channel),
            Action::Condition(Expr::Binary(BinaryOp::And, condition, head)) => match head.as_ref() {
                Expr::Poll { .. } if self.is_closed(condition) => Alternative::Closed,
                Expr::Poll { channel, .. } if !self.is_shared(condition) => self.receive(channel),
                _ => self.condition(action),
            },
            Action::Condition(_) => self.condition(action),
            _ => Alternative::Other,
        }
    }

    fn condition(&self, action: &Action) -> Alternative {
        match action {
            Action::Condition(e) if self.is_closed(e) => Alternative::Closed,
            _ => Alternative::Other,
        }
    }

    fn receive(&self, channel: &Expr) -> Alternative {
        let reference = self.stepper.loaded_value(self.process, channel).and_then(|value| usize::try_from(value).ok());
        let queue = reference.and_then(|reference| reference.checked_sub(1));
        match queue.filter(|&queue| self.stepper.loaded_is_rendezvous(queue) == Some(false)) {
            Some(queue) => Alternative::Receive(queue),
            None => Alternative::Other,
        }
    }

    /// It is false, and no other process can change that.
    fn is_closed(&self, e: &Expr) -> bool {
        !self.is_shared(e) && self.stepper.loaded_value(self.process, e) == Some(0)
    }

    /// It depends on more than the process's own variables.
    fn is_shared(&self, e: &Expr) -> bool {
        e.any(&|e| match e {
            Expr::Read(place) if place.scope == Scope::Global => {
                self.network.variables.get(place.variable.index()).is_none_or(|v| v.ty != ScalarType::Channel)
            }
            Expr::Const(_) | Expr::Read(_) | Expr::Unary(..) | Expr::Binary(..) | Expr::Conditional(..) | Expr::Pid => {
                false
            }
            _ => true,
        })
    }
}
