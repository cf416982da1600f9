//! Points without a node: why a process is never interrupted there, so that a step may lead through.
//!
//! A proof leaves such points out, and nothing that it says is believed: whether the process has control there, whether it can
//! always go on, and whether a message could be taken there, is found in the network.

use super::Ground;
use model::expr::{Expr, Place, Scope};
use model::flow_proof::Point;
use model::ids::LocationId;
use model::network::{Action, Choice, Initial, Machine};

impl<'a> Ground<'a> {
    /// Why a process is never interrupted at a point, so that a step may lead through it; or what speaks against it.
    ///
    /// In the middle of a deterministic step no other process moves. At a location no other process moves if the process has
    /// control when it gets there (every edge to it is atomic, and none hands control over to a receiver), and can always
    /// go on (`provided` and priorities could forbid it). Nothing is taken on the path, so that no queue is longer in the
    /// middle of a step than before and after it.
    pub(in crate::flow) fn is_passed_through(&self, instance: u32, at: Point) -> Result<(), &'static str> {
        let (id, machine) = (self.instance(instance).machine, self.machine(instance));
        let location = match at {
            Point::Inside(edge, inner) => {
                let choices = choices_at(machine, edge, inner).unwrap_or_default();
                let takes = choices.iter().any(|choice| takes_message(&choice.action));
                return if takes { Err("there is no node, and a message can be taken there") } else { Ok(()) };
            }
            Point::Gone => return Err("processes end, but there is no node for the end"),
            Point::Location(location) => LocationId(location),
        };
        let Some(here) = machine.locations.get(location.index()) else { return Err("there is no such location") };
        let mut arrivals = machine.edges.iter().filter(|edge| edge.to == location);
        let mut departures = here.edges.iter().filter_map(|e| machine.edges.get(e.index()));
        let takes = departures.clone().any(|edge| takes_message(&edge.action));
        if location == machine.initial {
            Err("processes start there, but there is no node")
        } else if here.progress {
            Err("it is a place of progress, but there is no node")
        } else if machine.provided.is_some() || self.network.uses_priorities {
            Err("there is no node, and a process can be held up there")
        } else if arrivals.any(|edge| !edge.atomic || self.hands_over(instance, &edge.action)) {
            Err("there is no node, and a process can get there without control")
        } else if takes {
            Err("there is no node, and a message can be taken there")
        } else if !departures.any(|edge| self.is_always_possible(&edge.action, id)) {
            Err("there is no node, and a process can be blocked there")
        } else {
            Ok(())
        }
    }

    /// Whether an action may hand a message, and with it control, to another process.
    pub(in crate::flow) fn hands_over(&self, instance: u32, action: &Action) -> bool {
        matches!(action, Action::Send { channel, .. } if !self.is_buffered(channel, self.instance(instance).machine))
    }

    /// Whether an action of a machine can always be taken; `else` can when nothing else at its location can.
    fn is_always_possible(&self, action: &Action, machine: u32) -> bool {
        match action {
            Action::Condition(_) | Action::Receive { .. } | Action::Observe { .. } | Action::End => false,
            Action::Send { channel, .. } => self.unbounded && self.is_buffered(channel, machine),
            Action::Deterministic(body) => {
                body.guard.is_empty() || body.guard.iter().any(|guard| self.is_always_possible(guard, machine))
            }
            Action::Skip
            | Action::Else
            | Action::Assign(..)
            | Action::Assert(_)
            | Action::Print { .. }
            | Action::Run { .. }
            | Action::SetPriority(..) => true,
        }
    }

    /// Whether a channel is surely no rendezvous: there is none, or it is one that its variable declares and keeps.
    pub(in crate::flow) fn is_buffered(&self, channel: &Expr, machine: u32) -> bool {
        let declares_buffered = |place: &Place| {
            let owner = (place.scope == Scope::Local).then_some(machine);
            let index = place.variable.index();
            let table = owner.map_or(&self.globals, |id| &self.locals[id as usize]);
            let variable = table.variables.get(index);
            let parameter = owner.is_some_and(|id| index < self.network.machines[id as usize].parameters);
            let ty = match variable.map(|variable| &variable.initial) {
                Some(Initial::NewChannel(ty)) => self.network.channel_types.get(ty.index()),
                _ => None,
            };
            ty.is_some_and(|ty| !ty.is_rendezvous()) && !parameter && !self.assigned.contains(&(owner, index))
        };
        !self.has_rendezvous || matches!(channel, Expr::Read(place) if declares_buffered(place))
    }
}

/// The choices at a point of a deterministic step; none if there is no such point.
pub(super) fn choices_at(machine: &Machine, edge: u32, inner: u32) -> Option<&[Choice]> {
    match &machine.edges.get(edge as usize)?.action {
        Action::Deterministic(body) => body.nodes.get(inner as usize).map(Vec::as_slice),
        _ => None,
    }
}

/// Whether an action takes a message: a queue may have been longer before, in the middle of a step that sent first.
fn takes_message(action: &Action) -> bool {
    matches!(action, Action::Receive { mode, .. } if !mode.keep)
}
