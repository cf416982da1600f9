//! A network as text and as a graph for Graphviz: its machines, and who sends and receives on which channel.

use super::{Action, Edge, Initial, Location, Machine, Network, Variable};
use crate::expr::{Expr, Scope};
use crate::ids::{LocationId, MachineId};
use crate::source::SourceMap;
use crate::trace::statement;
use std::fmt::Write as _;

/// A network that is shown, with its sources.
pub struct Show<'a> {
    /// The network.
    pub network: &'a Network,
    /// Where its parts come from.
    pub sources: &'a SourceMap,
}

impl Show<'_> {
    /// The control-flow graphs, as text.
    pub fn machines(&self) -> String {
        let mut text = String::new();
        for (index, machine) in self.network.machines.iter().enumerate() {
            let running = self.network.instances.iter().filter(|i| i.machine.index() == index).count();
            let _ =
                writeln!(text, "{}: {} locations, {} from the start", machine.title(), machine.used().count(), running);
            for (id, location) in machine.used() {
                let marks = marks(machine, id, location);
                let _ = writeln!(text, "  {:>4}{marks}", id.0);
                for edge in machine.edges_from(id) {
                    let place = self.sources.short(edge.span);
                    let _ = writeln!(
                        text,
                        "        → {:<4} {place:<20} {}{}",
                        edge.to.0,
                        self.label(index, edge),
                        control(edge)
                    );
                }
            }
            text.push('\n');
        }
        text
    }

    /// The statement of an edge, on one line.
    fn label(&self, machine: usize, edge: &Edge) -> String {
        statement(self.network, MachineId::from(machine), edge, self.sources)
    }

    /// The control-flow graphs, as a graph for Graphviz.
    pub fn machines_dot(&self) -> String {
        let mut text = String::from("digraph highwater {\n  node [shape=circle, fontsize=10];\n  edge [fontsize=9];\n");
        for (index, machine) in self.network.machines.iter().enumerate() {
            let _ = writeln!(text, "  subgraph cluster_{index} {{\n    label=\"{}\";", quoted(&machine.title()));
            let _ = writeln!(
                text,
                "    start_{index} [shape=point];\n    start_{index} -> m{index}_{};",
                machine.initial.0
            );
            for (id, location) in machine.used() {
                let shape = if location.end { ", shape=doublecircle" } else { "" };
                let labels = location.labels.join(" ");
                let _ = writeln!(text, "    m{index}_{} [label=\"{} {}\"{shape}];", id.0, id.0, quoted(&labels));
                for edge in machine.edges_from(id) {
                    let style = if edge.atomic { ", style=bold" } else { "" };
                    let label = quoted(&self.label(index, edge));
                    let _ =
                        writeln!(text, "    m{index}_{} -> m{index}_{} [label=\"{label}\"{style}];", id.0, edge.to.0);
                }
            }
            text.push_str("  }\n");
        }
        text + "}\n"
    }

    /// Every variable that brings channels along, with the name a report uses for it.
    fn named_channels(&self) -> Vec<(String, &Variable)> {
        let is_channel = |v: &&Variable| matches!(v.initial, Initial::NewChannel(_));
        let mut channels: Vec<(String, &Variable)> = Vec::new();
        for variable in self.network.variables.iter().filter(is_channel) {
            channels.extend((0..variable.len()).map(|e| (variable.element_name(e), variable)));
        }
        for machine in &self.network.machines {
            for variable in machine.variables.iter().filter(is_channel) {
                channels.extend(
                    (0..variable.len())
                        .map(|e| (format!("{}[*]:{}", machine.name, variable.element_name(e)), variable)),
                );
            }
        }
        channels
    }

    /// A table of the channels.
    pub fn channels(&self) -> String {
        let channels = self.named_channels();
        if channels.is_empty() {
            return String::from("no channels\n");
        }
        let width = channels.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0).max(7);
        let mut text = format!("{:<width$}  {:>10}  {:<24}  declared\n", "channel", "capacity", "fields");
        for (name, variable) in channels {
            let Initial::NewChannel(id) = variable.initial else { continue };
            let declared = &self.network.channel_types[id.index()];
            let capacity = match declared.capacity {
                None => String::from("unbounded"),
                Some(0) => String::from("rendezvous"),
                Some(n) => n.to_string(),
            };
            let fields = declared.fields.iter().map(|f| f.name()).collect::<Vec<_>>().join(", ");
            let place = self.sources.short(declared.span);
            let _ = writeln!(text, "{name:<width$}  {capacity:>10}  {fields:<24}  {place}");
        }
        text
    }

    /// Machines and the global channels that their statements name, as a graph for Graphviz.
    pub fn channels_dot(&self) -> String {
        let mut text = String::from("digraph channels {\n  rankdir=LR;\n  node [fontsize=10];\n");
        for (index, machine) in self.network.machines.iter().enumerate() {
            let _ = writeln!(text, "  m{index} [shape=box, label=\"{}\"];", quoted(&machine.name));
        }
        for (index, variable) in self.network.variables.iter().enumerate() {
            if matches!(variable.initial, Initial::NewChannel(_)) {
                let _ = writeln!(text, "  c{index} [shape=cds, label=\"{}\"];", quoted(&variable.name));
            }
        }
        for (index, machine) in self.network.machines.iter().enumerate() {
            let mut arrows: Vec<String> = machine.edges.iter().filter_map(|edge| arrow(index, &edge.action)).collect();
            arrows.sort();
            arrows.dedup();
            arrows.iter().for_each(|arrow| text.push_str(arrow));
        }
        text + "}\n"
    }
}

/// A send or a receive on a channel that is named by a global variable.
fn arrow(machine: usize, action: &Action) -> Option<String> {
    let global = |channel: &Expr| match channel {
        Expr::Read(place) if place.scope == Scope::Global => Some(place.variable.index()),
        _ => None,
    };
    match action {
        Action::Send { channel, .. } => Some(format!("  m{machine} -> c{};\n", global(channel)?)),
        Action::Receive { channel, .. } => Some(format!("  c{} -> m{machine};\n", global(channel)?)),
        _ => None,
    }
}

fn marks(machine: &Machine, id: LocationId, location: &Location) -> String {
    let mut marks = String::new();
    if id == machine.initial {
        marks += " start";
    }
    for (set, word) in [(location.end, "end"), (location.progress, "progress"), (location.accept, "accept")] {
        if set {
            let _ = write!(marks, " {word}");
        }
    }
    for label in &location.labels {
        let _ = write!(marks, " {label}:");
    }
    marks
}

fn control(edge: &Edge) -> &'static str {
    match (edge.atomic, edge.escape) {
        (true, _) => "   (atomic)",
        (false, 0) => "",
        (false, _) => "   (escape)",
    }
}

fn quoted(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', " ")
}
