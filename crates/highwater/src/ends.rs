//! Which process types use a channel, by the text of the model alone: for a table where no proof knows better.
//!
//! A channel is used where its variable is named, and where a reference of the same number of fields is, once the channel
//! was handed on: in a message, as an argument or by an assignment.

use model::expr::{Expr, Place, Scope};
use model::ids::MachineId;
use model::network::{Action, Initial, Network, Variable};
use std::collections::BTreeSet;

/// A variable that declares channels.
pub(crate) struct Declared<'n> {
    network: &'n Network,
    /// The process type that it is local to.
    machine: Option<MachineId>,
    variable: &'n Variable,
}

/// Who sends, and who receives.
#[derive(Default)]
pub(crate) struct Ends {
    pub(crate) senders: BTreeSet<String>,
    pub(crate) receivers: BTreeSet<String>,
}

impl<'n> Declared<'n> {
    /// The variable of the channel with this name: `c`, `a[1]`, `P[2]:c`.
    pub(crate) fn new(network: &'n Network, name: &str) -> Option<Self> {
        let local = name.split_once(':').and_then(|(process, variable)| Some((process.split('[').next()?, variable)));
        let (machine, variables, name) = match local {
            None => (None, &network.variables, name),
            Some((process, name)) => {
                let index = network.machines.iter().position(|machine| machine.name == process)?;
                (Some(MachineId::from(index)), &network.machines[index].variables, name)
            }
        };
        let is_it = |v: &&Variable| {
            matches!(v.initial, Initial::NewChannel(_)) && (0..v.len()).any(|element| v.element_name(element) == name)
        };
        variables.iter().find(is_it).map(|variable| Declared { network, machine, variable })
    }

    pub(crate) fn channel_type(&self) -> Option<&'n model::network::ChannelType> {
        match self.variable.initial {
            Initial::NewChannel(ty) => Some(&self.network.channel_types[ty.index()]),
            _ => None,
        }
    }

    fn is_named(&self, machine: MachineId, place: &Place) -> bool {
        let same_scope = match place.scope {
            Scope::Global => self.machine.is_none(),
            Scope::Local => self.machine == Some(machine),
        };
        same_scope && std::ptr::eq(self.network.variable(place, machine), self.variable)
    }

    /// Whether an expression may be this channel.
    fn may_be(&self, machine: MachineId, channel: &Expr, fields: usize, handed_on: bool) -> bool {
        let Expr::Read(place) = channel else { return handed_on };
        let declares = matches!(self.network.variable(place, machine).initial, Initial::NewChannel(_));
        let fits = self.channel_type().is_some_and(|ty| ty.fields.len() == fields);
        self.is_named(machine, place) || (handed_on && !declares && fits)
    }

    /// Whether the channel is stored, sent or passed to a process.
    fn is_handed_on(&self) -> bool {
        let mut found = false;
        each_action(self.network, &mut |machine, action| {
            let mut reads = |e: &Expr| {
                e.walk(&mut |e| found |= matches!(e, Expr::Read(place) if self.is_named(machine, place)));
            };
            match action {
                Action::Assign(_, e) => reads(e),
                Action::Send { message: values, .. } | Action::Run { arguments: values, .. } => {
                    values.iter().for_each(reads);
                }
                _ => {}
            }
        });
        found
    }

    /// Who uses it.
    pub(crate) fn ends(&self) -> Ends {
        let mut ends = Ends::default();
        let handed_on = self.is_handed_on();
        each_action(self.network, &mut |machine, action| {
            let (side, channel, fields) = match action {
                Action::Send { channel, message, .. } => (&mut ends.senders, channel, message.len()),
                Action::Receive { channel, pattern, .. } => (&mut ends.receivers, channel, pattern.len()),
                _ => return,
            };
            if self.may_be(machine, channel, fields, handed_on) {
                side.insert(self.network.machine(machine).name.clone());
            }
        });
        ends
    }
}

/// Every statement, also those of deterministic steps.
fn each_action(network: &Network, visit: &mut dyn FnMut(MachineId, &Action)) {
    for (index, machine) in network.machines.iter().enumerate() {
        for edge in &machine.edges {
            let machine = MachineId::from(index);
            match &edge.action {
                Action::Deterministic(body) => {
                    body.nodes.iter().flatten().for_each(|choice| visit(machine, &choice.action));
                }
                action => visit(machine, action),
            }
        }
    }
}
