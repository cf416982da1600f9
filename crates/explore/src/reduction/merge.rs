//! Steps that nothing can tell apart from the one before them: a process takes them at once.
//!
//! A location is *quiet* if its edges touch nothing but variables of their process, and nothing looks at it: it is no valid end,
//! and no label of progress or acceptance that the property looks at, nor anything that a formula names. Whatever the others do, they may as well do it after such an edge
//! (Lipton's movers), so the process keeps control when it comes to a quiet location, as in an atomic sequence. A local
//! condition that does not hold never will: then the process is stuck there, and loses control as in any atomic sequence.
//!
//! Not round a loop: among the edges that keep control, none closes a cycle that was not one of an atomic sequence before.

use super::access::{Access, Object, Use};
use super::{Reduction, closing_edges};
use model::expr::Expr;
use model::ids::{LocationId, MachineId, VariableId};
use model::network::{Action, Machine};
use std::collections::HashSet;

/// Per edge of a machine: whether the process keeps control after it, although the model does not say so.
pub(super) fn merged(reduction: &Reduction<'_>, id: MachineId, owned: &HashSet<VariableId>) -> Vec<bool> {
    let machine = reduction.network.machine(id);
    let quiet: Vec<bool> =
        (0..machine.locations.len()).map(|at| is_quiet(reduction, id, LocationId::from(at), owned)).collect();
    let leads = |edge: &model::network::Edge| !edge.atomic && quiet.get(edge.to.index()) == Some(&true);
    let mut merged: Vec<bool> = machine.edges.iter().map(leads).collect();
    break_loops(machine, &mut merged);
    merged
}

fn is_quiet(reduction: &Reduction<'_>, id: MachineId, at: LocationId, owned: &HashSet<VariableId>) -> bool {
    let machine = reduction.network.machine(id);
    let location = &machine.locations[at.index()];
    let local = |&edge: &model::ids::EdgeId| {
        let taken = &machine.edges[edge.index()];
        let simple = matches!(
            taken.action,
            Action::Skip
                | Action::Condition(_)
                | Action::Else
                | Action::Assign(..)
                | Action::Assert(_)
                | Action::Print { .. }
        );
        let mut timeout = false;
        taken.action.walk(&mut |e| timeout |= matches!(e, Expr::Timeout));
        let alone = reduction.machines[id.index()].touches(edge.index()).all(|access| is_own(reduction, access, owned));
        simple
            && !taken.atomic
            && !timeout
            && alone
            && taken.escape == 0
            && !reduction.is_visible_edge(id, edge.index())
    };
    !location.end && !location.edges.is_empty() && location.edges.iter().all(local) && !guesses(machine, at)
}

/// Whether there is a choice at a location that conditions do not decide: then the ways that lead from it are better kept apart as
/// states, of which there may be many.
fn guesses(machine: &Machine, at: LocationId) -> bool {
    let free = |edge: &model::network::Edge| !matches!(edge.action, Action::Condition(_) | Action::Else);
    machine.edges_from(at).any(free) && machine.locations[at.index()].edges.len() > 1
}

/// What is touched is a shared variable that no other process touches, or that nothing assigns.
fn is_own(reduction: &Reduction<'_>, access: &Access, owned: &HashSet<VariableId>) -> bool {
    match &access.object {
        Object::Variable(variable, _) if access.how == Use::Read && !reduction.stability.is_assigned(*variable) => true,
        Object::Variable(variable, _) => owned.contains(variable) && !reduction.visible.variables.contains(variable),
        _ => false,
    }
}

/// Takes out edges until no cycle of edges that keep control has one that did not before.
fn break_loops(machine: &Machine, merged: &mut [bool]) {
    // Back edges of the merged ones by themselves first, then whatever lies on a cycle with others.
    let closing = closing_edges(machine, &|edge| merged[edge]);
    closing.into_iter().for_each(|edge| merged[edge] = false);
    let keeps: HashSet<usize> =
        (0..machine.edges.len()).filter(|&edge| merged[edge] || machine.edges[edge].atomic).collect();
    for (edge, merged) in merged.iter_mut().enumerate() {
        *merged = *merged && !closes(machine, &keeps, edge);
    }
}

/// Whether an edge lies on a cycle of edges that keep control.
fn closes(machine: &Machine, keeps: &HashSet<usize>, edge: usize) -> bool {
    let (from, to) = (machine.edges[edge].from, machine.edges[edge].to);
    let (mut seen, mut work) = (HashSet::from([to]), vec![to]);
    while let Some(at) = work.pop() {
        if at == from {
            return true;
        }
        let Some(location) = machine.locations.get(at.index()) else { continue };
        let next = location.edges.iter().filter(|next| keeps.contains(&next.index()));
        work.extend(next.map(|next| machine.edges[next.index()].to).filter(|next| seen.insert(*next)));
    }
    false
}
