//! What a property looks at: variables, channels, labels. A step that touches any of it must not be put off.
//!
//! A formula reads variables and channels, and names labels and events; acceptance and progress name labels. What cannot be
//! pinned down (a channel that is not named directly) counts as everything of its kind.

use super::access::{Stability, written};
use super::resolve::network_queues;
use model::event::Event;
use model::expr::{Expr, Scope};
use model::formula::Atom;
use model::ids::{LocationId, MachineId, VariableId};
use model::network::{Edge, Location, Network};
use std::collections::HashSet;

/// Labels of processes that a property looks at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Labels {
    /// None.
    None,
    /// Those of acceptance.
    Acceptance,
    /// Those of progress.
    Progress,
}

/// What a property looks at.
#[derive(Debug, Default)]
pub(super) struct Visible {
    pub(super) variables: HashSet<VariableId>,
    /// Channels whose contents or exchanges matter; all of them, if one is not named directly.
    channels: HashSet<usize>,
    all_channels: bool,
    pub(super) processes: bool,
    pub(super) locations: HashSet<(MachineId, LocationId)>,
    pub(super) locals: HashSet<(MachineId, VariableId)>,
}

impl Visible {
    /// What atoms look at; `None` if it is more than can be said.
    pub(super) fn new(network: &Network, stability: &Stability, atoms: &[Atom]) -> Option<Visible> {
        let mut visible = Visible::default();
        for atom in atoms {
            match atom {
                Atom::State(e) => visible.expression(network, stability, e)?,
                Atom::Event(Event::Message { channel, .. }) => visible.named(network, channel)?,
                Atom::Event(Event::Reaches { machine, locations }) => {
                    visible.locations.extend(locations.iter().map(|&location| (*machine, location)));
                }
            }
        }
        Some(visible)
    }

    fn expression(&mut self, network: &Network, stability: &Stability, e: &Expr) -> Option<()> {
        let mut known = true;
        e.walk(&mut |part| match part {
            Expr::Read(place) => drop(self.variables.insert(place.variable)),
            Expr::Channel(_, channel) | Expr::Poll { channel, .. } => self.channel(network, stability, channel),
            Expr::ProcessCount => self.processes = true,
            Expr::At { machine, location, .. } => {
                self.processes = true;
                self.locations.insert((*machine, *location));
            }
            Expr::Remote { machine, variable, .. } => {
                self.processes = true;
                self.locals.insert((*machine, *variable));
            }
            Expr::Timeout
            | Expr::LastMover
            | Expr::Enabled(_)
            | Expr::ProgramCounter(_)
            | Expr::Priority(_)
            | Expr::NonProgress => known = false,
            _ => {}
        });
        known.then_some(())
    }

    fn channel(&mut self, network: &Network, stability: &Stability, channel: &Expr) {
        if let Expr::Read(place) = channel
            && place.scope == Scope::Global
            && !stability.is_assigned(place.variable)
        {
            let queues = network_queues(network, place.variable);
            self.all_channels |= queues.is_empty();
            self.channels.extend(queues);
        } else {
            self.all_channels = true;
        }
    }

    /// Labels, too.
    pub(super) fn add_labels(&mut self, network: &Network, labels: Labels) {
        let is_one = |location: &Location| match labels {
            Labels::None => false,
            Labels::Acceptance => location.accept,
            Labels::Progress => location.progress,
        };
        for (index, machine) in network.machines.iter().enumerate() {
            let labelled = machine.locations.iter().enumerate().filter(|(_, location)| is_one(location));
            for (at, _) in labelled {
                self.locations.insert((MachineId::from(index), LocationId::from(at)));
                // A process that comes or goes may be at a label.
                self.processes = true;
            }
        }
    }

    fn named(&mut self, network: &Network, name: &str) -> Option<()> {
        for (index, variable) in network.variables.iter().enumerate() {
            let queues = network_queues(network, VariableId::from(index));
            if let Some(element) = (0..queues.len()).find(|&element| variable.element_name(element) == name) {
                self.channels.insert(queues.start + element);
                return Some(());
            }
        }
        None
    }

    /// Whether an edge enters or leaves a location that matters, or writes a local variable that does.
    pub(super) fn is_edge(&self, id: MachineId, edge: &Edge) -> bool {
        let mut shown = [edge.from, edge.to].iter().any(|&location| self.locations.contains(&(id, location)));
        written(&edge.action, &mut |place| {
            shown |= place.scope == Scope::Local && self.locals.contains(&(id, place.variable));
        });
        shown
    }

    pub(super) fn is_channel(&self, queue: usize) -> bool {
        self.all_channels || self.channels.contains(&queue)
    }
}
