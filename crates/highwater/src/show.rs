//! `show`: a model as it was understood, machines, channels or cycles, as text or as a graph for Graphviz.

use crate::error::Error;
use crate::model::{Model, NetworkModel, System};
use crate::request::Check;
use flow::cycles::Pictures;
use input::choices;
use model::budget::Budget;
use model::composition::Composition;
use model::expr::{Expr, Scope};
use model::network::show::Show;
use model::network::{Action, Initial};
use model::verdict::{ChannelState, ChannelVerdict};

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
            match (what, format) {
                (What::Machines, Picture::Text) => show.machines(),
                (What::Machines, Picture::Dot | Picture::Svg) => show.machines_dot(),
                (What::Channels, Picture::Text) => show.channels(),
                (What::Channels, Picture::Dot | Picture::Svg) => show.channels_dot(),
                (What::Cycles, format) => {
                    let pictures = Pictures { network: show.network, sources: show.sources };
                    match if format == Picture::Dot { pictures.dot() } else { pictures.text() } {
                        Ok(text) => text,
                        Err(reason) => return Ok(Shown::Open(reason.to_string())),
                    }
                }
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
