//! How runs are told: in the words of UML-RT.
//!
//! Who builds an edge that means something to the user says what it does. What is left are conditions and assignments of the source, which
//! are shown as they are written, and bookkeeping, of which nothing is told.

use super::build::Build;
use model::expr::{Expr, Scope};
use model::ids::{EdgeId, LocationId, MachineId};
use model::network::{Action, Telling, Words};
use std::collections::{BTreeMap, HashSet};

/// What is told of one machine.
#[derive(Default)]
pub(super) struct Told {
    variables: Vec<Option<String>>,
    edges: BTreeMap<EdgeId, Telling>,
    states: BTreeMap<LocationId, String>,
    wrong: BTreeMap<LocationId, String>,
}

/// The name of a variable in the source. Others have a space in them.
fn source_name(name: &str) -> Option<String> {
    let name = name.strip_suffix(" (local)").unwrap_or(name);
    (!name.contains(' ') && name != "result").then(|| name.to_owned())
}

/// What is told of a machine that is complete.
pub(super) fn told(build: &mut Build) -> Told {
    let variables: Vec<Option<String>> = build.variables.iter().map(|variable| source_name(&variable.name)).collect();
    let guesses: HashSet<EdgeId> = build.havoc.iter().copied().collect();
    let mut edges = std::mem::take(&mut build.told);
    for (number, edge) in build.edges.iter().enumerate() {
        let id = EdgeId::from(number);
        // A decision about bookkeeping is none of the source, neither where it is true nor where it is false.
        let is_open = !matches!(edges.get(&id), Some(Telling::Says(_) | Telling::Silent));
        if is_open && !guesses.contains(&id) && is_bookkeeping(&edge.action, &variables) {
            edges.insert(id, Telling::Silent);
        }
    }
    Told { variables, edges, states: std::mem::take(&mut build.states), wrong: std::mem::take(&mut build.wrong) }
}

/// Whether an action touches no variable of the source.
fn is_bookkeeping(action: &Action, variables: &[Option<String>]) -> bool {
    let is_known = |place: &model::expr::Place| {
        place.scope == Scope::Local && variables.get(place.variable.index()).is_some_and(Option::is_some)
    };
    let mut known = false;
    action.walk(&mut |e| known |= matches!(e, Expr::Read(place) if is_known(place)));
    match action {
        Action::Skip | Action::Receive { .. } | Action::Send { .. } => true,
        Action::Assign(place, _) => !is_known(place),
        Action::Condition(_) => !known,
        _ => false,
    }
}

/// Adds what is told of a machine.
pub(super) fn add(words: &mut Words, machine: MachineId, lane: MachineId, told: Told) {
    let Told { variables, edges, states, wrong } = told;
    words.lanes.push(lane);
    words.variables.push(variables);
    words.edges.extend(edges.into_iter().map(|(edge, telling)| ((machine, edge), telling)));
    words.states.extend(states.into_iter().map(|(location, name)| ((machine, location), name)));
    words.wrong.extend(wrong.into_iter().map(|(location, text)| ((machine, location), text)));
}
