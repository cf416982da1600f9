//! `trace` and `notrace` assertions: automata that watch messages.
//!
//! As in SPIN: a body names sends and receives, `ch!msg` and `ch?msg`, with constants or `_` for fields, and nothing else. What is
//! *in scope* is every send to a channel that some statement of the body sends to, and every receive from one that it
//! receives from, whoever does it and under whatever name. An event in scope moves the automaton along the edge that
//! fits; if two fit, the assertion itself is in error. If none fits,
//!
//! * a `trace` is violated; so it is when a run comes to its end, properly, before the automaton is at a label `end…` or at
//!   its closing brace;
//! * a `notrace` can no more be violated; it is when the automaton comes to its closing brace.
//!
//! SPIN also calls it an invalid end state when a run ends in the middle of a `notrace`. That is no violation here: what the
//! assertion forbids did not happen.

use crate::claim::Unwatchable;
use crate::expr::{Expr, Pattern, Place, Scope};
use crate::network::{Action, Initial, Machine, MachineKind, Network};
use crate::semantics::{Exchange, Semantics};
use crate::source::Span;

/// An assertion about messages.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EventTrace {
    /// `notrace`: to get to the end is a violation.
    pub negated: bool,
    /// Where it starts.
    pub initial: u32,
    states: Vec<State>,
    /// Queues, and whether sends or receives are in scope.
    scope: Vec<(u32, bool)>,
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct State {
    edges: Vec<Edge>,
    /// A run may end here.
    may_end: bool,
    /// The closing brace.
    closing: bool,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Edge {
    queue: u32,
    sent: bool,
    fields: Vec<Option<i32>>,
    to: u32,
    span: Span,
}

/// The state of a `notrace` that can no more be violated.
pub const OUT_OF_REACH: u32 = u32::MAX;

/// What an event means for an assertion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reaction {
    /// It goes on from here.
    At(u32),
    /// The assertion is violated.
    Violated,
    /// Two statements fit: the assertion is not deterministic.
    Ambiguous(Span),
}

impl EventTrace {
    /// Reads the automaton of an assertion.
    pub fn of_machine(semantics: &Semantics<'_>, machine: &Machine) -> Result<EventTrace, Unwatchable> {
        let mut trace = EventTrace {
            negated: machine.kind == MachineKind::NoTrace,
            initial: machine.initial.0,
            states: vec![State::default(); machine.locations.len()],
            scope: Vec::new(),
        };
        for (index, location) in machine.locations.iter().enumerate() {
            let state = &mut trace.states[index];
            state.may_end = location.end;
            for id in &location.edges {
                let edge = &machine.edges[id.index()];
                let refuse =
                    |what: &str| Unwatchable { span: edge.span, why: format!("a trace assertion with {what}") };
                match &edge.action {
                    Action::Observe { channel, sent, pattern } => {
                        let queue = queue_of(semantics, channel).ok_or_else(|| refuse("a channel that may change"))?;
                        let fields = pattern.iter().map(field).collect::<Option<Vec<_>>>();
                        let fields = fields.ok_or_else(|| refuse("fields that are not constants"))?;
                        trace.scope.push((queue, *sent));
                        state.edges.push(Edge { queue, sent: *sent, fields, to: edge.to.0, span: edge.span });
                    }
                    Action::End => (state.closing, state.may_end) = (true, true),
                    _ => return Err(refuse("statements other than sends and receives")),
                }
            }
        }
        Ok(trace)
    }

    /// What an event means in a state.
    pub fn react(&self, at: u32, event: &Exchange) -> Reaction {
        let Some(state) = self.states.get(at as usize).filter(|_| self.scope.contains(&(event.queue, event.sent)))
        else {
            return Reaction::At(at);
        };
        let mut fitting = state.edges.iter().filter(|edge| edge.fits(event));
        match (fitting.next(), fitting.next()) {
            (Some(_), Some(other)) => Reaction::Ambiguous(other.span),
            (Some(edge), None) if self.negated && self.is_closing(edge.to) => Reaction::Violated,
            (Some(edge), None) => Reaction::At(edge.to),
            (None, _) if self.negated => Reaction::At(OUT_OF_REACH),
            (None, _) => Reaction::Violated,
        }
    }

    /// What the events of one step mean, in their order.
    pub fn react_to_all(&self, at: u32, events: &[Exchange]) -> Reaction {
        events.iter().fold(Reaction::At(at), |reaction, event| match reaction {
            Reaction::At(at) => self.react(at, event),
            ended => ended,
        })
    }

    /// Whether a run may end here.
    pub fn may_end(&self, at: u32) -> bool {
        self.negated || self.states.get(at as usize).is_none_or(|state| state.may_end)
    }

    /// What is waited for in a state, where there is something.
    pub fn awaited(&self, at: u32) -> Option<Span> {
        self.states.get(at as usize)?.edges.first().map(|edge| edge.span)
    }

    fn is_closing(&self, at: u32) -> bool {
        self.states.get(at as usize).is_some_and(|state| state.closing)
    }
}

impl Edge {
    fn fits(&self, event: &Exchange) -> bool {
        let same = |(wanted, value): (&Option<i32>, &i32)| wanted.is_none() || wanted.as_ref() == Some(value);
        self.queue == event.queue && self.sent == event.sent && self.fields.iter().zip(&event.fields).all(same)
    }
}

/// A constant, or anything. A variable in a receive is anything, as in SPIN.
fn field(pattern: &Pattern) -> Option<Option<i32>> {
    match pattern {
        Pattern::Match(e) => e.constant().map(Some),
        Pattern::Bind(_) | Pattern::Any => Some(None),
    }
}

/// The queue that belongs to a global channel which is never assigned to.
fn queue_of(semantics: &Semantics<'_>, channel: &Expr) -> Option<u32> {
    let Expr::Read(place) = channel else { return None };
    let network = semantics.network;
    let variable = network.variables.get(place.variable.index()).filter(|_| place.scope == Scope::Global)?;
    if !matches!(variable.initial, Initial::NewChannel(_)) || is_assigned(network, place) {
        return None;
    }
    let indices = place.indices.iter().map(|e| e.constant().and_then(|i| usize::try_from(i).ok()));
    let element = match indices.collect::<Option<Vec<_>>>()?.as_slice() {
        [] => 0,
        [index] if *index < variable.len() => *index,
        _ => return None,
    };
    let own = |queue: &crate::layout::OwnQueue| {
        queue.variable as usize == place.variable.index() && queue.element as usize == element
    };
    semantics.layout.globals.queues.iter().position(own).map(|index| index as u32)
}

/// Whether something is stored in a channel variable after its declaration.
fn is_assigned(network: &Network, channel: &Place) -> bool {
    let same = |place: &Place| place.scope == Scope::Global && place.variable == channel.variable;
    let stores = |action: &Action| match action {
        Action::Assign(place, _) => same(place),
        Action::Run { then: Some((place, _)), .. } => same(place),
        Action::Receive { pattern, .. } => pattern.iter().any(|p| matches!(p, Pattern::Bind(place) if same(place))),
        _ => false,
    };
    network.machines.iter().flat_map(|machine| &machine.edges).any(|edge| match &edge.action {
        Action::Deterministic(body) => {
            body.guard.iter().chain(body.nodes.iter().flatten().map(|choice| &choice.action)).any(stores)
        }
        action => stores(action),
    })
}
