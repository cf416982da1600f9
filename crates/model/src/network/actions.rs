//! What an edge does: the actions, and a walk over the expressions in them.
//!
//! What they mean is said in [`crate::semantics`] alone.

use crate::expr::{Expr, Pattern, Place};
use crate::ids::MachineId;
use crate::source::Span;

/// How a receive looks at its queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, Default)]
pub struct ReceiveMode {
    /// `??`: the first message that fits, wherever it is, instead of the head.
    pub anywhere: bool,
    /// `?<..>`: the message stays.
    pub keep: bool,
}

/// What an edge does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Action {
    /// Nothing; always executable.
    Skip,
    /// Waits until the expression is not zero.
    Condition(Expr),
    /// Executable when no other edge of the location is.
    Else,
    /// Stores a value.
    Assign(Place, Expr),
    /// Sends a message.
    Send {
        /// The channel.
        channel: Expr,
        /// One value per field.
        message: Vec<Expr>,
        /// `!!`: before the first greater message instead of at the end.
        sorted: bool,
    },
    /// Takes a message.
    Receive {
        /// The channel.
        channel: Expr,
        /// One pattern per field.
        pattern: Vec<Pattern>,
        /// Where it looks, and whether the message stays.
        mode: ReceiveMode,
    },
    /// Only in `trace` and `notrace` assertions, which no process runs: this message is sent, or taken.
    Observe {
        /// The channel.
        channel: Expr,
        /// Sent, or taken.
        sent: bool,
        /// One pattern per field: a value, or anything.
        pattern: Vec<Pattern>,
    },
    /// Violates the model when the expression is zero.
    Assert(Expr),
    /// Says something; the arguments have been parsed but do not change the state.
    Print {
        /// The format with `%d`, `%e` and the like.
        format: String,
        /// What goes into it.
        arguments: Vec<Expr>,
    },
    /// Creates a process, then does `then` (which may read [`Expr::RunResult`]).
    Run {
        /// The process type.
        machine: MachineId,
        /// Values of its parameters.
        arguments: Vec<Expr>,
        /// Its priority.
        priority: u8,
        /// What is done with the number of the new process.
        then: Option<(Place, Expr)>,
    },
    /// Changes the priority of a process.
    SetPriority(Expr, Expr),
    /// The process ends; it vanishes once all younger ones have.
    End,
    /// Several statements as one step without interleaving.
    Deterministic(Box<Deterministic>),
}

/// The body of a deterministic step: at each node the first executable choice is taken.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Deterministic {
    /// The step can be taken when one of these is executable; when there is none, always.
    pub guard: Vec<Action>,
    /// The nodes; the step starts at node 0.
    pub nodes: Vec<Vec<Choice>>,
}

/// One choice of a node of a deterministic step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Choice {
    /// What it does; no [`Action::Deterministic`], no [`Action::Run`].
    pub action: Action,
    /// The next node; `None` ends the step.
    pub next: Option<u32>,
    /// Where it is written.
    pub span: Span,
}

impl Action {
    /// Calls `visit` for every expression of the action.
    pub fn walk(&self, visit: &mut dyn FnMut(&Expr)) {
        let place = |p: &Place, visit: &mut dyn FnMut(&Expr)| p.indices.iter().for_each(|e| e.walk(visit));
        match self {
            Action::Skip | Action::Else | Action::End => {}
            Action::Condition(e) | Action::Assert(e) => e.walk(visit),
            Action::Assign(p, e) => {
                place(p, visit);
                e.walk(visit);
            }
            Action::Send { channel, message, .. } => {
                channel.walk(visit);
                message.iter().for_each(|e| e.walk(visit));
            }
            Action::Receive { channel, pattern, .. } | Action::Observe { channel, pattern, .. } => {
                channel.walk(visit);
                pattern.iter().for_each(|p| p.walk(visit));
            }
            Action::Print { arguments, .. } => arguments.iter().for_each(|e| e.walk(visit)),
            Action::Run { arguments, then, .. } => {
                arguments.iter().for_each(|e| e.walk(visit));
                if let Some((p, e)) = then {
                    place(p, visit);
                    e.walk(visit);
                }
            }
            Action::SetPriority(a, b) => {
                a.walk(visit);
                b.walk(visit);
            }
            Action::Deterministic(body) => {
                body.guard.iter().for_each(|action| action.walk(visit));
                body.nodes.iter().flatten().for_each(|choice| choice.action.walk(visit));
            }
        }
    }

    /// Calls `change` for every expression of the action.
    pub fn walk_mut(&mut self, change: &mut dyn FnMut(&mut Expr)) {
        let place =
            |p: &mut Place, change: &mut dyn FnMut(&mut Expr)| p.indices.iter_mut().for_each(|e| e.walk_mut(change));
        match self {
            Action::Skip | Action::Else | Action::End => {}
            Action::Condition(e) | Action::Assert(e) => e.walk_mut(change),
            Action::Assign(p, e) => {
                place(p, change);
                e.walk_mut(change);
            }
            Action::Send { channel, message, .. } => {
                channel.walk_mut(change);
                message.iter_mut().for_each(|e| e.walk_mut(change));
            }
            Action::Receive { channel, pattern, .. } | Action::Observe { channel, pattern, .. } => {
                channel.walk_mut(change);
                pattern.iter_mut().for_each(|p| p.walk_mut(change));
            }
            Action::Print { arguments, .. } => arguments.iter_mut().for_each(|e| e.walk_mut(change)),
            Action::Run { arguments, then, .. } => {
                arguments.iter_mut().for_each(|e| e.walk_mut(change));
                if let Some((p, e)) = then {
                    place(p, change);
                    e.walk_mut(change);
                }
            }
            Action::SetPriority(a, b) => {
                a.walk_mut(change);
                b.walk_mut(change);
            }
            Action::Deterministic(body) => {
                body.guard.iter_mut().for_each(|action| action.walk_mut(change));
                body.nodes.iter_mut().flatten().for_each(|choice| choice.action.walk_mut(change));
            }
        }
    }
}
