//! Names of channels on which the engines agree.
//!
//! A channel of a process that is there from the start has the number of that process: `P[2]:c`. A process that `run`
//! creates has a number of its own in the static engine, and its `_pid` in a search, where it may be that of a dead
//! process. These numbers do not match. So the channels of all processes of such a type share one name, `P[*]:c`: the
//! bound holds for each of them, and one of them reaches what was reached.

use model::network::{Action, Network};
use model::verdict::{ChannelState, ChannelVerdict};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

/// The process types that `run` creates.
pub(crate) struct Locals<'n>(BTreeSet<&'n str>);

impl<'n> Locals<'n> {
    pub(crate) fn of(network: &'n Network) -> Self {
        let edges = network.machines.iter().flat_map(|machine| &machine.edges);
        let created = edges.filter_map(|edge| match edge.action {
            Action::Run { machine, .. } => Some(network.machine(machine).name.as_str()),
            _ => None,
        });
        Locals(created.collect())
    }

    /// The common name of a channel that an engine names.
    pub(crate) fn name(&self, name: &str) -> String {
        let local = name.split_once("]:").and_then(|(process, channel)| Some((process.split_once('[')?.0, channel)));
        match local {
            Some((process, channel)) if self.0.contains(process) => format!("{process}[*]:{channel}"),
            _ => name.to_owned(),
        }
    }

    /// The common name of a process.
    pub(crate) fn process(&self, name: &str, number: u32) -> String {
        if self.0.contains(name) { format!("{name}[*]") } else { format!("{name}[{number}]") }
    }

    /// One row for each common name: what holds for all channels that share it.
    pub(crate) fn merge(&self, channels: Vec<ChannelVerdict>) -> Vec<ChannelVerdict> {
        let mut merged: Vec<ChannelVerdict> = Vec::new();
        let mut rows: BTreeMap<String, usize> = BTreeMap::new();
        for channel in channels {
            let channel = ChannelVerdict { name: self.name(&channel.name), ..channel };
            match rows.entry(channel.name.clone()) {
                Entry::Occupied(row) => add(&mut merged[*row.get()], channel),
                Entry::Vacant(row) => {
                    row.insert(merged.len());
                    merged.push(channel);
                }
            }
        }
        merged
    }
}

/// Both rows are about one name, and no search has looked at them.
fn add(known: &mut ChannelVerdict, channel: ChannelVerdict) {
    if channel.state != ChannelState::Bounded {
        known.state = channel.state;
    }
    known.proved_at_most = known.proved_at_most.zip(channel.proved_at_most).map(|(one, other)| one.max(other));
    for (all, more) in [
        (&mut known.messages, channel.messages),
        (&mut known.senders, channel.senders),
        (&mut known.receivers, channel.receivers),
    ] {
        let new: Vec<String> = more.into_iter().filter(|name| !all.contains(name)).collect();
        all.extend(new);
    }
}
