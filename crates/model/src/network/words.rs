//! How a run is told in the words of the source.
//!
//! A network of processes and channels is what every model becomes, but not what every language talks about: one thing of the
//! source may be several processes, and one thing that happens several steps. Nothing here has a meaning for the semantics.

use crate::ids::{EdgeId, LocationId, MachineId, VariableId};
use std::collections::{BTreeMap, BTreeSet};

/// The words of a front end.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Words {
    /// Per machine: the one whose lane its processes share, itself or an earlier one.
    pub lanes: Vec<MachineId>,
    /// The shared variables that are shown.
    pub shared: BTreeSet<VariableId>,
    /// Per machine and variable: its name in the source; `None` if the source knows no such variable.
    pub variables: Vec<Vec<Option<String>>>,
    /// What some edges do; of the others, the statement is shown.
    pub edges: BTreeMap<(MachineId, EdgeId), Telling>,
    /// Where a process rests, and the name of the state that it is in then.
    pub states: BTreeMap<(MachineId, LocationId), String>,
    /// Where something is wrong, and what.
    pub wrong: BTreeMap<(MachineId, LocationId), String>,
    /// The first field of a message says who receives it.
    pub addressed: bool,
    /// The messages that carry something, with how many values that is.
    pub carrying: BTreeMap<String, usize>,
}

/// What is told of a step.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Telling {
    /// Nothing: it is part of what the steps around it do.
    Silent,
    /// This sentence, where `{}` stands for what a message carries.
    Says(String),
    /// That a condition, which is the statement, is false.
    Fails,
}

impl Words {
    /// The machine in whose lane a process of a machine moves.
    pub fn lane(&self, machine: MachineId) -> MachineId {
        self.lanes.get(machine.index()).copied().unwrap_or(machine)
    }

    /// A message: its name, and what it carries in parentheses.
    pub fn message(&self, values: &[String]) -> (String, String) {
        let (receiver, rest) = match values {
            [receiver, rest @ ..] if self.addressed => (format!("{receiver}."), rest),
            _ => (String::new(), values),
        };
        let Some((name, data)) = rest.split_first() else { return (receiver, String::new()) };
        let carried = &data[..self.carrying.get(name).copied().unwrap_or(0).min(data.len())];
        (receiver + name, if carried.is_empty() { String::new() } else { format!("({})", carried.join(",")) })
    }
}
