//! Where the value of a local variable no longer matters: on every way it is stored into before it is read.
//!
//! A server that receives the number of a client has a node for each number where it answers; where it waits for the next
//! request, the last number would only multiply nodes and steps. Nothing depends on this being right but the strength of a
//! proof: what a node says of a variable that it does not know is checked like everything else.

use model::expr::{Expr, Place, Scope};
use model::ids::{LocationId, VariableId};
use model::network::{Action, Machine};
use std::collections::HashSet;

/// The locations of a machine at which the value of a variable does not matter. Elements of arrays always do.
pub fn locations(machine: &Machine, variable: VariableId) -> HashSet<LocationId> {
    let declared = &machine.variables[variable.index()];
    let mut provided = false;
    machine.provided.iter().for_each(|e| e.walk(&mut |e| provided |= is_read(e, variable)));
    if declared.len() != 1 || provided {
        return HashSet::new();
    }
    let mut live: HashSet<LocationId> = HashSet::new();
    loop {
        let known = live.len();
        for edge in &machine.edges {
            let needed = reads(&edge.action, variable)
                || !is_stored(&edge.action, variable) && edge.action != Action::End && live.contains(&edge.to);
            if needed {
                live.insert(edge.from);
            }
        }
        if live.len() == known {
            break;
        }
    }
    let all = (0..machine.locations.len() as u32).map(LocationId);
    all.filter(|location| !live.contains(location)).collect()
}

fn is_local(place: &Place, variable: VariableId) -> bool {
    place.scope == Scope::Local && place.variable == variable
}

fn is_read(e: &Expr, variable: VariableId) -> bool {
    matches!(e, Expr::Read(place) if is_local(place, variable))
}

fn reads(action: &Action, variable: VariableId) -> bool {
    let mut found = false;
    action.walk(&mut |e| found |= is_read(e, variable));
    found
}

/// Whether an action always stores into a variable. In a deterministic step, other ways may not.
fn is_stored(action: &Action, variable: VariableId) -> bool {
    let mut found = false;
    if !matches!(action, Action::Deterministic(_)) {
        crate::world::stores(action, &mut |place| found |= is_local(place, variable));
    }
    found
}
