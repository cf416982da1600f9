//! What counts as progress: that a process is at a label, that an edge is taken, or an event.
//!
//! `Judge` asks it of states and steps; named events it follows with a watcher, as a claim does.

use super::Taken;
use crate::reduction::{self, Labels, Reduction};
use model::claim::Watcher;
use model::event::Event;
use model::formula::Atom;
use model::ids::{EdgeId, MachineId};
use model::semantics::{Semantics, Step, Stepper, Successor};
use std::collections::HashSet;

/// What counts as progress.
pub enum ProgressOf<'p> {
    /// That some process is at a location labelled as progress.
    Labels,
    /// That one of these events happens; each with its text.
    Named(&'p [(String, Event)]),
    /// That one of these edges is taken.
    Edges(HashSet<(MachineId, EdgeId)>),
    /// That something happens of which this holds.
    Events(&'p (dyn Fn(&Taken<'_>) -> bool + Sync)),
}

impl ProgressOf<'_> {
    /// The texts of the events, if they have any.
    pub fn names(&self) -> Vec<String> {
        match self {
            ProgressOf::Named(events) => events.iter().map(|(text, _)| text.clone()).collect(),
            _ => Vec::new(),
        }
    }

    /// The events that can be watched.
    fn atoms(&self) -> Vec<Atom> {
        match self {
            ProgressOf::Named(events) => events.iter().map(|(_, event)| Atom::Event(event.clone())).collect(),
            _ => Vec::new(),
        }
    }

    /// What says which process may move alone, if it can be told.
    pub(super) fn reduction<'n>(&self, semantics: &Semantics<'n>) -> Option<Reduction<'n>> {
        match self {
            ProgressOf::Labels => Reduction::new(semantics, &[], Labels::Progress),
            ProgressOf::Named(_) => Reduction::new(semantics, &self.atoms(), Labels::None),
            ProgressOf::Edges(_) | ProgressOf::Events(_) => None,
        }
    }

    /// The semantics for a search that leaves states out, if it can be told which.
    pub(super) fn trimmed<'n>(&self, semantics: &Semantics<'n>) -> Option<Semantics<'n>> {
        match self {
            ProgressOf::Labels => reduction::trimmed(semantics, &[], Labels::Progress),
            ProgressOf::Named(_) => reduction::trimmed(semantics, &self.atoms(), Labels::None),
            ProgressOf::Edges(_) | ProgressOf::Events(_) => None,
        }
    }

    /// Whether a step is progress by itself; events with a name are for a [`Watcher`].
    pub fn is_event(&self, stepper: &mut Stepper<'_>, state: &[u8], step: Step) -> bool {
        let mut holds = |process: u32, edge: EdgeId| {
            let Some(machine) = stepper.machine_of(state, process) else { return false };
            match self {
                ProgressOf::Labels | ProgressOf::Named(_) => false,
                ProgressOf::Edges(edges) => edges.contains(&(machine, edge)),
                ProgressOf::Events(event) => event(&Taken { state, step, process, machine, edge }),
            }
        };
        match step {
            Step::Edge { process, edge } => holds(process, edge),
            Step::Rendezvous { sender, receiver } => holds(sender.0, sender.1) || holds(receiver.0, receiver.1),
            Step::Loss { .. } => false,
        }
    }

    /// Whether a state is progress by itself.
    pub fn is_state(&self, stepper: &mut Stepper<'_>, state: &[u8]) -> bool {
        matches!(self, ProgressOf::Labels) && stepper.is_progress(state)
    }
}

/// Says which steps are progress.
pub(super) struct Judge<'a> {
    progress: &'a ProgressOf<'a>,
    pub(super) watcher: Watcher<'a>,
    /// Answers questions about states while others are at work.
    pub(super) asker: Stepper<'a>,
}

impl<'a> Judge<'a> {
    pub(super) fn new(semantics: &'a Semantics<'a>, progress: &'a ProgressOf<'a>) -> Self {
        Judge { progress, watcher: Watcher::new(semantics, &progress.atoms()), asker: semantics.stepper() }
    }

    pub(super) fn is_event(&mut self, state: &[u8], successor: &Successor<'_>) -> bool {
        match self.progress {
            ProgressOf::Labels => false,
            ProgressOf::Named(_) => self.watcher.in_step(&mut self.asker, state, successor) != 0,
            _ => self.progress.is_event(&mut self.asker, state, successor.step),
        }
    }

    pub(super) fn is_state(&mut self, state: &[u8]) -> bool {
        self.progress.is_state(&mut self.asker, state)
    }
}
