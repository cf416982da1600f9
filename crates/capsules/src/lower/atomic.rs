//! Which steps of a handler others can come between.
//!
//! Taking a message from its own queue commutes with everything that others do after it; a send to a queue that no
//! other process sends to commutes with everything that others do before it (Lipton, *Reduction*, 1975). A send to a
//! queue with several senders, and a look at which parts exist, or at queues of several priorities, commute with
//! neither. So a handler is interrupted before such a step if it has already sent something, and nowhere else. A
//! location with a label is one that others can see.

use model::expr::{Expr, Place, Scope};
use model::ids::VariableId;
use model::network::{Action, Machine, Network};
use std::collections::{BTreeSet, HashMap, HashSet};

/// Marks the edges after which a machine keeps control. Machines of one thread exclude each other: to a queue that one thread
/// sends to no other process sends.
pub(super) fn mark(
    network: &mut Network,
    threads: &[usize],
    locks: &BTreeSet<VariableId>,
    looked_at: &BTreeSet<VariableId>,
) {
    let mut senders: HashMap<VariableId, HashSet<usize>> = HashMap::new();
    for (index, machine) in network.machines.iter().enumerate() {
        for queue in machine.edges.iter().filter_map(|edge| receiver(&edge.action)) {
            senders.entry(queue).or_default().insert(threads[index]);
        }
    }
    let shared = |action: &Action| match receiver(action) {
        Some(queue) => looked_at.contains(&queue) || senders.get(&queue).is_some_and(|senders| senders.len() > 1),
        None => !matches!(action, Action::Receive { .. }) && is_visible(action, locks),
    };
    for machine in &mut network.machines {
        mark_machine(machine, &shared, locks);
    }
}

fn mark_machine(machine: &mut Machine, shared: &dyn Fn(&Action) -> bool, locks: &BTreeSet<VariableId>) {
    let is_seen = |location: usize| !machine.locations[location].labels.is_empty();
    // Whether something was sent on some way to a location since the last one that others can see.
    let mut sent = vec![false; machine.locations.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for edge in &machine.edges {
            let before = sent[edge.from.index()] && !is_seen(edge.from.index());
            let now = before || receiver(&edge.action).is_some() || shared(&edge.action);
            if now && !sent[edge.to.index()] {
                sent[edge.to.index()] = true;
                changed = true;
            }
        }
    }
    // A look at what is shared and what follows from it are one step: a message is sent to a part that exists.
    let mut looks = vec![false; machine.locations.len()];
    for edge in &machine.edges {
        looks[edge.to.index()] |= matches!(edge.action, Action::Condition(_)) && is_visible(&edge.action, locks);
    }
    for edge in &machine.edges {
        looks[edge.to.index()] &= matches!(edge.action, Action::Condition(_)) && is_visible(&edge.action, locks);
    }
    let interrupted: Vec<bool> = (0..machine.locations.len())
        .map(|location| {
            let edges = machine.locations[location].edges.iter().map(|edge| &machine.edges[edge.index()]);
            is_seen(location)
                || (sent[location] && !looks[location] && edges.into_iter().any(|edge| shared(&edge.action)))
        })
        .collect();
    for edge in &mut machine.edges {
        edge.atomic = !interrupted[edge.to.index()];
    }
}

/// The queue of a send.
fn receiver(action: &Action) -> Option<VariableId> {
    match action {
        Action::Send { channel: Expr::Read(place), .. } => Some(place.variable),
        _ => None,
    }
}

/// Whether an action reads or writes what machines share.
fn is_visible(action: &Action, locks: &BTreeSet<VariableId>) -> bool {
    let shared = |place: &Place| place.scope == Scope::Global && !locks.contains(&place.variable);
    let mut global = false;
    action.walk(&mut |e| global |= matches!(e, Expr::Read(place) if shared(place)));
    global || matches!(action, Action::Assign(place, _) if shared(place))
}
