//! Events that a user can name: a message on a channel, or a process that gets to a label.
//!
//! `ch!msg` and `ch?msg`, with more fields as `ch?msg(1,_)` or `ch?msg,1,_`; `P@label` when a process of type `P` gets to
//! a statement with that label.

use crate::ids::{LocationId, MachineId};
use crate::network::{Initial, Network};

/// An event.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Event {
    /// A message is sent or taken.
    Message {
        /// The name of a global channel, such as `tc[0]`.
        channel: String,
        /// Sent, or taken.
        sent: bool,
        /// The first fields; `None` is anything.
        fields: Vec<Option<i32>>,
    },
    /// A process gets to one of these locations.
    Reaches {
        /// Its type.
        machine: MachineId,
        /// Locations with the label.
        locations: Vec<LocationId>,
    },
}

impl Event {
    /// Reads an event of a network; the error says what is wrong.
    pub fn parse(text: &str, network: &Network) -> Result<Event, String> {
        if let Some((process, label)) = text.split_once('@') {
            return reaches(process.trim(), label.trim(), network);
        }
        let Some(at) = text.find(['!', '?']) else {
            return Err(format!("`{text}` is no event: write `ch!msg`, `ch?msg` or `Process@label`"));
        };
        let channel = text[..at].trim().replace(' ', "");
        let known = channel_names(network);
        if !known.contains(&channel) {
            let near = crate::diagnostic::nearest(&channel, known.iter().map(String::as_str));
            let hint = near.map(|n| format!("; did you mean `{n}`?")).unwrap_or_default();
            return Err(format!("there is no global channel `{channel}`{hint}"));
        }
        let fields = text[at + 1..].replace(['(', ')'], ",");
        let fields = fields.split(',').map(str::trim).filter(|f| !f.is_empty());
        let fields = fields.map(|f| field(f, network)).collect::<Result<_, _>>()?;
        Ok(Event::Message { channel, sent: text[at..].starts_with('!'), fields })
    }
}

fn reaches(process: &str, label: &str, network: &Network) -> Result<Event, String> {
    let Some(machine) = network.machines.iter().position(|m| m.name == process) else {
        let near = crate::diagnostic::nearest(process, network.machines.iter().map(|m| m.name.as_str()));
        let hint = near.map(|n| format!("; did you mean `{n}`?")).unwrap_or_default();
        return Err(format!("there is no process type `{process}`{hint}"));
    };
    let places = network.machines[machine].locations.iter().enumerate();
    let locations: Vec<LocationId> =
        places.filter(|(_, l)| l.labels.iter().any(|x| x == label)).map(|(i, _)| i.into()).collect();
    if locations.is_empty() {
        return Err(format!("`{process}` has no label `{label}`"));
    }
    Ok(Event::Reaches { machine: machine.into(), locations })
}

/// The names of the global channels.
fn channel_names(network: &Network) -> Vec<String> {
    let declared = network.variables.iter().filter(|v| matches!(v.initial, Initial::NewChannel(_)));
    declared.flat_map(|v| (0..v.len()).map(|element| v.element_name(element))).collect()
}

fn field(text: &str, network: &Network) -> Result<Option<i32>, String> {
    if text == "_" {
        return Ok(None);
    }
    if let Ok(number) = text.parse() {
        return Ok(Some(number));
    }
    let named = |set: &crate::network::SymbolSet| set.symbols.iter().position(|s| s == text).map(|i| i as i32 + 1);
    match network.symbol_sets.iter().find_map(named) {
        Some(value) => Ok(Some(value)),
        None => Err(format!("`{text}` is no constant: a field of an event is a number, a symbol or `_`")),
    }
}
