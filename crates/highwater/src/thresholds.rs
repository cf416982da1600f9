//! Which capacities `full` and `nfull` compare with: with another capacity, such a test would mean something else.

use model::expr::{ChannelTest, Expr, Pattern, Place, Scope};
use model::formula::{Atom, Ltl};
use model::network::{Action, Initial, Machine, Network, Variable};
use model::source::Span;
use std::collections::BTreeSet;

/// The declarations of channels whose capacity is tested.
pub(crate) enum Thresholds {
    /// These.
    Of(BTreeSet<Span>),
    /// A test is about a channel that was assigned, received or passed on: it may be any.
    Any,
}

impl Thresholds {
    /// Those of a model, its claims and its formulas.
    pub(crate) fn of(network: &Network) -> Thresholds {
        let mut found = Some(BTreeSet::new());
        let mut add = |machine: Option<&Machine>, expression: &Expr| {
            if let Expr::Channel(ChannelTest::Full | ChannelTest::NotFull, channel) = expression {
                let span = declaration(network, machine, channel);
                found = found.take().zip(span).map(|(mut spans, span)| {
                    spans.insert(span);
                    spans
                });
            }
        };
        for machine in network.machines.iter().chain(&network.claims) {
            let visit = &mut |e: &Expr| add(Some(machine), e);
            machine.provided.iter().for_each(|e| e.walk(visit));
            machine.edges.iter().for_each(|edge| edge.action.walk(visit));
        }
        for formula in &network.formulas {
            formula.formula.walk(&mut |part| {
                if let Ltl::Atom(atom, _) = part
                    && let Atom::State(e) = &**atom
                {
                    e.walk(&mut |e| add(None, e));
                }
            });
        }
        found.map_or(Thresholds::Any, Thresholds::Of)
    }

    /// Whether the capacity of a declaration may be tested.
    pub(crate) fn may_test(&self, declaration: Span) -> bool {
        match self {
            Thresholds::Of(spans) => spans.contains(&declaration),
            Thresholds::Any => true,
        }
    }
}

/// The declaration of the channel that an expression always is.
pub(crate) fn declaration(network: &Network, machine: Option<&Machine>, channel: &Expr) -> Option<Span> {
    let Expr::Read(place) = channel else { return None };
    let variable = match (place.scope, machine) {
        (Scope::Global, _) => network.global(place.variable),
        // What a parameter is comes from elsewhere.
        (Scope::Local, Some(machine)) if place.variable.index() < machine.parameters => return None,
        (Scope::Local, Some(machine)) => machine.variables.get(place.variable.index())?,
        (Scope::Local, None) => return None,
    };
    let Initial::NewChannel(ty) = variable.initial else { return None };
    let assigned = network.machines.iter().any(|m| assigns(m, network, variable));
    (!assigned).then(|| network.channel_types[ty.index()].span)
}

/// Whether a machine stores something in a variable.
fn assigns(machine: &Machine, network: &Network, variable: &Variable) -> bool {
    let is = |place: &Place| {
        let written = match place.scope {
            Scope::Global => network.variables.get(place.variable.index()),
            Scope::Local => machine.variables.get(place.variable.index()),
        };
        written.is_some_and(|written| std::ptr::eq(written, variable))
    };
    let stores = |action: &Action| match action {
        Action::Assign(place, _) | Action::Run { then: Some((place, _)), .. } => is(place),
        Action::Receive { pattern, .. } => pattern.iter().any(|p| matches!(p, Pattern::Bind(place) if is(place))),
        _ => false,
    };
    machine.edges.iter().any(|edge| match &edge.action {
        Action::Deterministic(body) => body.nodes.iter().flatten().any(|choice| stores(&choice.action)),
        action => stores(action),
    })
}
