//! `show`: a model as it was understood, machines, channels or cycles, as text or as a graph for Graphviz.

use crate::error::Error;
use crate::model::{Model, NetworkModel, System};
use crate::request::Check;
use flow::cycles::Pictures;
use input::choices;
use model::budget::Budget;
use model::composition::Composition;
use model::expr::{Expr, Scope};
use model::ids::{LocationId, MachineId};
use model::network::{Action, Edge, Initial, Location, Machine, Network, Variable};
use model::source::SourceMap;
use model::trace::statement;
use model::verdict::{ChannelState, ChannelVerdict};
use std::fmt::Write as _;

choices! {
    /// What to show of a model.
    What {
        Machines = "machines": "Control-flow graphs",
        Channels = "channels": "Who sends and receives on which channel",
        Cycles = "cycles": "Control-flow cycles with their effects",
    }
}

choices! {
    /// How to show it.
    Picture {
        Text = "text": "As text",
        Dot = "dot": "As a graph for Graphviz",
        Svg = "svg": "Processes and channels with their bounds, as a picture",
    }
}

/// A model as text or as a graph; `Err` with an exit code of 3 is in [`Shown::Open`].
pub enum Shown {
    /// The text.
    Text(String),
    /// It could not be computed within the limits.
    Open(String),
}

/// Shows a model.
pub fn show(model: &Model, what: What, format: Picture) -> Result<Shown, Error> {
    let only = |text: &str| Err(Error::Usage(String::from(text)));
    if format == Picture::Svg {
        return only(
            "a picture is of the channels of Promela, communicating machines or UML-RT: --what channels --format svg",
        );
    }
    let text = match (&model.system, what, format) {
        (System::Composition(parts), What::Machines, format) => composition(parts, format),
        (System::Composition(_), ..) => return only("compositions have machines only: --what machines"),
        (System::Program(program), What::Machines, Picture::Text) => cfront::display::component(&program.component),
        (System::Program(_), ..) => {
            return only("a C program is shown as its control-flow graph, as text: --what machines --format text");
        }
        (System::Components(file), What::Machines, format) => {
            let parts = spec::control_flow(&file.specification, &model.sources).map_err(Error::Mismatch)?;
            composition(&parts, format)
        }
        (System::Components(_), ..) => return only("C components have machines only: --what machines"),
        (System::Network(network), ..) => {
            let show = Show { network: &network.network, sources: &model.sources };
            match show.text(what, format) {
                Ok(text) => text,
                Err(reason) => return Ok(Shown::Open(reason)),
            }
        }
    };
    Ok(Shown::Text(text))
}

/// The channels of a network with what is known of their bounds, for a picture: those of a check of boundedness, and
/// rendezvous channels, which hold nothing.
pub fn channels(model: &Model, budget: &Budget) -> Result<Vec<ChannelVerdict>, Error> {
    let System::Network(NetworkModel { network, .. }) = &model.system else { return Ok(Vec::new()) };
    let report = Check::new(model).property("boundedness")?.budget(budget.clone()).run()?;
    let outcomes = report.document().outcomes.into_owned();
    let mut channels: Vec<ChannelVerdict> = outcomes.into_iter().flat_map(|outcome| outcome.details.channels).collect();
    for (id, variable) in network.variables.iter().enumerate() {
        let Initial::NewChannel(ty) = variable.initial else { continue };
        if network.channel_types[ty.index()].capacity != Some(0) {
            continue;
        }
        let uses = |sends: bool| -> Vec<String> {
            let own = |action: &Action| match action {
                Action::Send { channel, .. } => sends && is_global(channel, id),
                Action::Receive { channel, .. } => !sends && is_global(channel, id),
                _ => false,
            };
            let machines = network.machines.iter().filter(|machine| machine.edges.iter().any(|edge| own(&edge.action)));
            machines.map(|machine| machine.name.clone()).collect()
        };
        let (senders, receivers) = (uses(true), uses(false));
        let (state, declared, span) = (ChannelState::Bounded, Some(0), network.channel_types[ty.index()].span);
        let handed_over = ChannelVerdict {
            name: variable.name.clone(),
            state,
            declared,
            proved_at_most: Some(0),
            weights_at_most: None,
            reached: None,
            gain: None,
            messages: Vec::new(),
            senders,
            receivers,
            span,
        };
        channels.push(handed_over);
    }
    Ok(channels)
}

fn is_global(channel: &Expr, id: usize) -> bool {
    matches!(channel, Expr::Read(place) if place.scope == Scope::Global && place.variable.index() == id)
}

fn composition(parts: &Composition, format: Picture) -> String {
    match format {
        Picture::Text => fsp::show::text(parts),
        Picture::Dot | Picture::Svg => fsp::show::dot(parts),
    }
}

struct Show<'a> {
    network: &'a Network,
    sources: &'a SourceMap,
}

impl Show<'_> {
    fn text(&self, what: What, format: Picture) -> Result<String, String> {
        Ok(match (what, format) {
            (What::Machines, Picture::Text) => self.machines_text(),
            (What::Machines, Picture::Dot | Picture::Svg) => self.machines_dot(),
            (What::Channels, Picture::Text) => self.channels_text(),
            (What::Channels, Picture::Dot | Picture::Svg) => self.channels_dot(),
            (What::Cycles, _) => {
                let pictures = Pictures { network: self.network, sources: self.sources };
                let drawn = if format == Picture::Dot { pictures.dot() } else { pictures.text() };
                return drawn.map_err(|reason| reason.to_string());
            }
        })
    }

    fn machines_text(&self) -> String {
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

    fn machines_dot(&self) -> String {
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
    fn channels(&self) -> Vec<(String, &Variable)> {
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

    fn channels_text(&self) -> String {
        let channels = self.channels();
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

    /// Machines and the global channels that their statements name.
    fn channels_dot(&self) -> String {
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
