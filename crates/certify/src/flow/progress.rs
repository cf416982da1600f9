//! Which steps are surely progress.
//!
//! With events: a step in which one of them happens, whatever the values are. With labels, progress is that a state of
//! the system has a process at a labelled location. A step that leads there is progress only if such a state follows, and
//! one that starts there only if such a state came before.
//!
//! In the middle of an atomic sequence there are no states. So a label at a location that is entered with control is not
//! seen. And a process that gets to a label in somebody else's sequence, because it hands over a message or is created, is
//! not seen there if it is handed a message before that sequence ends.

use super::shape::Ground;
use super::values;
use crate::Refusal;
use model::event::Event;
use model::flow_proof::{Point, Progress as Named, Values};
use model::network::{Action, Edge, Location};

/// What counts as progress.
pub(super) enum Progress {
    /// Nothing does: every step can be taken forever.
    Nothing,
    /// Labels.
    Labels,
    /// Events.
    Events(Vec<Event>),
}

impl Progress {
    /// Reads what a proof says.
    pub(super) fn read(named: Option<&Named>, ground: &Ground<'_>) -> Result<Self, Refusal> {
        let Some(named) = named else { return Ok(Progress::Nothing) };
        if named.events.is_empty() {
            return Ok(Progress::Labels);
        }
        let events = named.events.iter().map(|text| Event::parse(text, ground.network)).collect::<Result<_, _>>();
        events.map(Progress::Events).map_err(Refusal::Malformed)
    }

    /// Whether it is progress that a process of an instance gets from one point to another, its last edge being this one.
    pub(super) fn is_move(&self, ground: &Ground<'_>, instance: u32, from: Point, to: Point, last: u32) -> bool {
        let machine = ground.machine(instance);
        let here = |at: Point| match at {
            Point::Location(location) => machine.locations.get(location as usize),
            _ => None,
        };
        match self {
            Progress::Nothing => false,
            Progress::Labels => {
                let labelled = |at: Point| here(at).filter(|location| location.progress);
                let arrives = |location: &Location, edge: &Edge| {
                    !edge.atomic && (!ground.hands_over(instance, &edge.action) || is_calm(ground, instance, location))
                };
                let seen_before = labelled(from).is_some_and(|location| {
                    let mut arrivals = machine.edges.iter().filter(|edge| Point::at(edge.to) == from);
                    let started = Point::at(machine.initial) != from || is_calm(ground, instance, location);
                    started && arrivals.all(|edge| arrives(location, edge))
                });
                let last = machine.edges.get(last as usize);
                seen_before || labelled(to).is_some_and(|location| last.is_some_and(|edge| arrives(location, edge)))
            }
            Progress::Events(events) => events.iter().any(|event| match event {
                Event::Reaches { machine, locations } => {
                    ground.instance(instance).machine == machine.0 && locations.iter().any(|&l| Point::at(l) == to)
                }
                Event::Message { .. } => false,
            }),
        }
    }

    /// Whether it is progress that a message with such fields is sent, or taken.
    pub(super) fn is_message(&self, ground: &Ground<'_>, queue: u32, was_sent: bool, message: &[Values]) -> bool {
        let Progress::Events(events) = self else { return false };
        let key = ground.abstraction.queues[queue as usize].key;
        let name = || ground.network.variables[key.variable as usize].element_name(key.element as usize);
        events.iter().any(|event| match event {
            Event::Message { channel, sent, fields } => {
                let fits =
                    |(wanted, held): (&Option<i32>, &Values)| wanted.is_none_or(|n| values::constant(held) == Some(n));
                *sent == was_sent
                    && key.instance.is_none()
                    && fields.len() <= message.len()
                    && fields.iter().zip(message).all(fits)
                    && name() == *channel
            }
            Event::Reaches { .. } => false,
        })
    }
}

/// Whether no other process can move this one on from a location, by handing it a message, before there is a state.
fn is_calm(ground: &Ground<'_>, instance: u32, location: &Location) -> bool {
    fn receives(ground: &Ground<'_>, instance: u32, action: &Action) -> bool {
        match action {
            Action::Receive { channel, .. } => !ground.is_buffered(channel, ground.instance(instance).machine),
            Action::Deterministic(body) => body.guard.iter().any(|guard| receives(ground, instance, guard)),
            _ => false,
        }
    }
    let machine = ground.machine(instance);
    let mut edges = location.edges.iter().filter_map(|e| machine.edges.get(e.index()));
    !ground.has_atomic || !edges.any(|edge| receives(ground, instance, &edge.action))
}
