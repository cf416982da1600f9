//! Where the channel that an expression means is declared, if it is always the same one.

use crate::expr::{Expr, Pattern, Place, Scope};
use crate::network::{Action, Initial, Machine, Network, Variable};
use crate::source::Span;

/// The declaration of the channel that an expression always is.
pub fn declaration(network: &Network, machine: Option<&Machine>, channel: &Expr) -> Option<Span> {
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
