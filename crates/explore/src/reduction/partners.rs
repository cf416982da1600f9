//! Where a process looks whether another one is ready for a rendezvous, and which steps make one ready.
//!
//! A rendezvous send beside an `else` or `unless` decides about other edges of its location; one in the middle of an
//! atomic sequence decides whether the process keeps control. Both depend on where the other processes are. So such
//! an edge *looks* at what others offer, and an edge whose process waits for a message of such a channel before or
//! after it *offers*: these two depend on each other, whatever else they touch. An offer is a matter of the location
//! alone where receives name their channels and patterns by local variables and constants; where they do not, nothing
//! is said.
//!
//! In the middle of an atomic sequence there is no need to look if all that comes before is one step that is *local*:
//! it touches, and shows, nothing that others can see. Then it moves to the right of whatever others do (Lipton's
//! movers), up to the next step of its process, or a timeout, or the end. So the runs in which control was lost there
//! are those in which it was not, and a sequence may as well be two statements: the local one, and the send. That
//! needs a location before it at which nothing is received and nothing escapes, and only sends after it: then the
//! local step is no offer, and whatever the process does next is its own, so that it keeps control.

use super::access::{Stability, is_choosy, is_interruptible};
use super::visible::Visible;
use model::expr::{Expr, Pattern, Place, Scope};
use model::ids::{LocationId, MachineId, VariableId};
use model::network::{Action, Edge, Initial, Network};
use std::collections::{BTreeSet, HashSet};

/// Edges that look for partners, and edges that offer to be one.
#[derive(Debug, Default)]
pub(super) struct Partners {
    looks: HashSet<(MachineId, usize)>,
    offers: HashSet<(MachineId, usize)>,
}

/// Channels by their variables; `None` for any.
type Channels = BTreeSet<Option<VariableId>>;

impl Partners {
    /// `None` where it is not known.
    pub(super) fn new(network: &Network, stability: &Stability, visible: &Visible) -> Option<Partners> {
        let mut partners = Partners::default();
        if !network.channel_types.iter().any(|ty| ty.is_rendezvous()) {
            return Some(partners);
        }
        let finder = Finder { network, stability, visible };
        let mut watched = Channels::new();
        for id in (0..network.machines.len()).map(MachineId::from) {
            for at in (0..network.machine(id).locations.len()).map(LocationId::from) {
                let (edges, channels) = finder.looking(id, at)?;
                partners.looks.extend(edges.into_iter().map(|edge| (id, edge)));
                watched.extend(channels);
            }
        }
        if watched.is_empty() {
            return Some(partners);
        }
        for id in (0..network.machines.len()).map(MachineId::from) {
            let machine = network.machine(id);
            let waits = (0..machine.locations.len()).map(|at| finder.waits(id, LocationId::from(at), &watched));
            let waits = waits.collect::<Option<Vec<bool>>>()?;
            let offers = |edge: &Edge| {
                let after = waits.get(edge.to.index()).is_some_and(|waits| *waits);
                waits[edge.from.index()] || after || matches!(edge.action, Action::Run { .. })
            };
            let offers = (0..machine.edges.len()).filter(|&edge| offers(&machine.edges[edge]));
            partners.offers.extend(offers.map(|edge| (id, edge)));
        }
        Some(partners)
    }

    pub(super) fn looks(&self, machine: MachineId, edge: usize) -> bool {
        self.looks.contains(&(machine, edge))
    }

    pub(super) fn offers(&self, machine: MachineId, edge: usize) -> bool {
        self.offers.contains(&(machine, edge))
    }
}

struct Finder<'f> {
    network: &'f Network,
    stability: &'f Stability,
    visible: &'f Visible,
}

impl Finder<'_> {
    /// The edges that look for partners because of a location, and the channels of these; `None` where it cannot be
    /// told.
    fn looking(&self, id: MachineId, at: LocationId) -> Option<(Vec<usize>, Channels)> {
        let machine = self.network.machine(id);
        let (choosy, interruptible) = (is_choosy(machine, at), is_interruptible(machine, at));
        let met = |edge: &Edge| -> Channels {
            let sends = firsts(&edge.action).iter().filter_map(|first| match first {
                Action::Send { channel, .. } => self.rendezvous(channel),
                _ => None,
            });
            sends.collect()
        };
        let mut channels: Channels = machine.edges_from(at).flat_map(met).collect();
        if channels.is_empty() || !choosy && !interruptible {
            return Some((Vec::new(), Channels::new()));
        }
        let (mut edges, entering) = (Vec::new(), |edge: &Edge| edge.atomic && edge.to == at);
        let deterministic = |edge: &Edge| matches!(edge.action, Action::Deterministic(_));
        if machine.edges_from(at).any(|edge| deterministic(edge) && !met(edge).is_empty()) {
            return None;
        }
        if choosy {
            edges.extend(machine.locations[at.index()].edges.iter().map(|edge| edge.index()));
        }
        let sends = machine.edges_from(at).all(|edge| self.surely_meets(&edge.action));
        let harmless = |edge: &Edge| sends && self.is_local(id, edge);
        if choosy || !machine.edges.iter().filter(|edge| entering(edge)).all(harmless) {
            edges.extend((0..machine.edges.len()).filter(|&edge| entering(&machine.edges[edge])));
        } else {
            channels.clear();
        }
        Some((edges, channels))
    }

    /// The channel, if it may be a rendezvous.
    fn rendezvous(&self, channel: &Expr) -> Option<Option<VariableId>> {
        let Some((variable, rendezvous)) = self.named(channel) else { return Some(None) };
        rendezvous.then_some(Some(variable))
    }

    /// A shared channel that is always the same, and whether it is a rendezvous.
    fn named(&self, channel: &Expr) -> Option<(VariableId, bool)> {
        match channel {
            Expr::Read(Place { scope: Scope::Global, variable, .. }) if !self.stability.is_assigned(*variable) => {
                match self.network.global(*variable).initial {
                    Initial::NewChannel(ty) => {
                        Some((*variable, self.network.channel_types[ty.index()].is_rendezvous()))
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn surely_meets(&self, action: &Action) -> bool {
        matches!(action, Action::Send { channel, .. } if self.named(channel).is_some_and(|(_, rendezvous)| rendezvous))
    }

    /// A first step of an atomic sequence that others neither see nor have to do with.
    fn is_local(&self, id: MachineId, edge: &Edge) -> bool {
        let machine = self.network.machine(id);
        let local = match &edge.action {
            Action::Skip => true,
            Action::Condition(e) => self.is_own(e),
            Action::Assign(place, e) => {
                place.scope == Scope::Local && place.indices.iter().all(|e| self.is_own(e)) && self.is_own(e)
            }
            _ => false,
        };
        let receives = |edge: &Edge| firsts(&edge.action).iter().any(|first| matches!(first, Action::Receive { .. }));
        local
            && !is_interruptible(machine, edge.from)
            && machine.edges_from(edge.from).all(|beside| beside.escape == 0 && !receives(beside))
            && !self.visible.is_edge(id, edge)
    }

    /// No other process can change the value.
    fn is_own(&self, e: &Expr) -> bool {
        !e.any(&|part| match part {
            Expr::Const(_) | Expr::Pid | Expr::Unary(..) | Expr::Binary(..) | Expr::Conditional(..) => false,
            Expr::Read(place) => place.scope == Scope::Global && self.stability.is_assigned(place.variable),
            _ => true,
        })
    }

    /// Whether a process there waits for a message of one of these channels; `None` if that may depend on more than
    /// its variables.
    fn waits(&self, id: MachineId, at: LocationId, watched: &Channels) -> Option<bool> {
        let mut waits = false;
        for action in self.network.machine(id).edges_from(at).flat_map(|edge| firsts(&edge.action)) {
            let Action::Receive { channel, pattern, .. } = action else { continue };
            let Some(meant) = self.rendezvous(channel) else { continue };
            if meant.is_some() && !watched.contains(&meant) && !watched.contains(&None) {
                continue;
            }
            let own = |field: &Pattern| match field {
                Pattern::Match(e) => self.is_own(e),
                _ => true,
            };
            if !self.is_own(channel) || !pattern.iter().all(own) {
                return None;
            }
            waits = true;
        }
        Some(waits)
    }
}

/// The statements that decide whether an edge can be taken.
fn firsts(action: &Action) -> &[Action] {
    match action {
        Action::Deterministic(step) => &step.guard,
        action => std::slice::from_ref(action),
    }
}
