//! Shared variables that decide nothing: models count and note what formulas may read, and the search for growth asks for none.
//!
//! A variable is *idle* if nothing reads it but its own assignments (`n = n + 1`), and no initial value does. What is stored in it
//! has no effect on anything else, so the model without its stores takes the same steps, with queues of the same
//! lengths; and it has finitely many states if and only if the model has. So such stores are left out: a statement becomes one
//! that does nothing, or, where an index may be out of range, a condition that fails as the statement would. Locations and edges stay
//! as they are: a run of one is a run of the other. (A cycle of one need not be one of the other, so this is not for
//! properties of infinite runs.)

use super::access::can_fail;
use model::expr::{BinaryOp, Expr, Pattern, Place, Scope};
use model::ids::VariableId;
use model::network::{Action, Initial, Machine, Network, ScalarType, Variable};
use std::collections::{HashMap, HashSet};

/// The network without stores to idle variables; `None` if there is no such store.
pub(crate) fn sliced(network: &Network) -> Option<Network> {
    let idle = idle(network);
    if idle.is_empty() {
        return None;
    }
    let mut sliced = network.clone();
    for edge in sliced.machines.iter_mut().flat_map(|machine| &mut machine.edges) {
        drop_stores(&mut edge.action, &idle);
    }
    Some(sliced)
}

fn idle(network: &Network) -> HashSet<VariableId> {
    let mut reads: HashMap<VariableId, i64> = HashMap::new();
    network.walk_all(&mut |_, e| count(e, &mut reads, 1));
    let variables = network.variables.iter().chain(network.machines.iter().flat_map(|machine| &machine.variables));
    for variable in variables {
        if let Initial::Value(e) = &variable.initial {
            e.walk(&mut |e| count(e, &mut reads, 1));
        }
    }
    let mut written = HashSet::new();
    for action in network.machines.iter().flat_map(|machine: &Machine| &machine.edges).map(|edge| &edge.action) {
        each(action, &mut |action| {
            super::access::written(action, &mut |place| {
                let is_shared = place.scope == Scope::Global;
                written.extend(is_shared.then_some(place.variable));
                if is_shared && !is_droppable(action, place) {
                    *reads.entry(place.variable).or_default() += 1;
                }
            });
            if let Action::Assign(place, e) = action
                && place.scope == Scope::Global
                && is_droppable(action, place)
            {
                e.walk(&mut |part| match part {
                    Expr::Read(read) if read.variable == place.variable => count(part, &mut reads, -1),
                    _ => {}
                });
            }
        });
    }
    let is_idle = |id: &VariableId| {
        let variable: &Variable = network.global(*id);
        let is_plain = variable.ty != ScalarType::Channel && matches!(variable.initial, Initial::Value(_));
        is_plain && reads.get(id).is_none_or(|&reads| reads == 0)
    };
    written.into_iter().filter(is_idle).collect()
}

fn count(e: &Expr, reads: &mut HashMap<VariableId, i64>, times: i64) {
    if let Expr::Read(place) = e
        && place.scope == Scope::Global
    {
        *reads.entry(place.variable).or_default() += times;
    }
}

/// Visits an action, or those of a deterministic step.
fn each(action: &Action, visit: &mut dyn FnMut(&Action)) {
    match action {
        Action::Deterministic(step) => {
            step.guard.iter().for_each(&mut *visit);
            step.nodes.iter().flatten().for_each(|choice| visit(&choice.action));
        }
        action => visit(action),
    }
}

/// Whether a store can be left out: it fails in no way but that its own index is out of range.
fn is_droppable(action: &Action, place: &Place) -> bool {
    match action {
        Action::Assign(_, e) => !e.any(&|part| match part {
            Expr::Read(read) => !is_same(read, place) && can_fail(part),
            Expr::Unary(..) | Expr::Conditional(..) | Expr::Const(_) | Expr::Pid => false,
            Expr::Binary(op, ..) => matches!(op, BinaryOp::Div | BinaryOp::Rem),
            _ => true,
        }),
        Action::Receive { .. } => place.indices.is_empty(),
        _ => false,
    }
}

fn is_same(read: &Place, place: &Place) -> bool {
    let named = |place: &Place| Expr::Read(place.clone()).without_places();
    named(read) == named(place)
}

fn drop_stores(action: &mut Action, idle: &HashSet<VariableId>) {
    let is_idle = |place: &Place| place.scope == Scope::Global && idle.contains(&place.variable);
    match action {
        Action::Assign(place, _) if is_idle(place) => {
            let read = Expr::Read(place.clone());
            let kept = Expr::Binary(BinaryOp::Equal, Box::new(read.clone()), Box::new(read));
            *action = if place.indices.is_empty() { Action::Skip } else { Action::Condition(kept) };
        }
        Action::Receive { pattern, .. } => {
            let stored = |field: &&mut Pattern| matches!(field, Pattern::Bind(place) if is_idle(place));
            pattern.iter_mut().filter(stored).for_each(|field| *field = Pattern::Any);
        }
        Action::Deterministic(step) => {
            step.guard.iter_mut().for_each(|action| drop_stores(action, idle));
            step.nodes.iter_mut().flatten().for_each(|choice| drop_stores(&mut choice.action, idle));
        }
        _ => {}
    }
}
