//! Statements that no run reaches: a hint that the model does not do what its author thinks, and no verdict.

use crate::search::Found;
use model::ids::MachineId;
use model::semantics::{Semantics, Unreached};
use model::source::SourceMap;
use model::verdict::{Details, UnreachedStatement};

/// What SPIN calls the end of a process.
const END: &str = "-end-";
/// So many statements are named in a note.
const NAMED: usize = 3;

/// Adds the statements that a complete search did not reach, and notes on them. What follows a fault is not known.
pub(crate) fn report(found: &Found, semantics: &Semantics<'_>, sources: &SourceMap, details: &mut Details) {
    let (Some(reached), None) = (&found.reached, &found.crashed) else { return };
    let unreached = reached.unreached(semantics);
    let never_run = |machine: MachineId| !reached.has_run(semantics, machine);
    details.unreached = unreached.iter().map(|place| statement(*place, semantics, sources)).collect();
    for (index, machine) in semantics.network().machines.iter().enumerate() {
        if never_run(index.into()) && unreached.iter().any(|place| place.machine.index() == index) {
            details.advice.push(format!("no process of type `{}` is ever run", machine.name));
        }
    }
    let in_running = |place: &&Unreached| !never_run(place.machine);
    let places: Vec<&Unreached> = unreached.iter().filter(in_running).collect();
    details.advice.extend(note(&places, true, semantics, sources));
    details.advice.extend(note(&places, false, semantics, sources));
}

fn statement(place: Unreached, semantics: &Semantics<'_>, sources: &SourceMap) -> UnreachedStatement {
    let network = semantics.network();
    let machine = network.machine(place.machine);
    let span = machine.locations[place.location.index()].span.unwrap_or(machine.span);
    // A choice or a block is no edge, and neither is a statement that no path leads to.
    let own = machine.edges_from(place.location).find(|edge| edge.span == span);
    let text = match (sources.text(span), own) {
        ("}", _) => END.to_owned(),
        (_, Some(edge)) => model::trace::statement(network, place.machine, edge, sources),
        (text, None) => text.lines().next().unwrap_or_default().trim().to_owned(),
    };
    UnreachedStatement { process: machine.name.clone(), state: place.location.0, span, text }
}

/// A note on assertions that are not reached, or on other statements. The end of a process that never stops is none.
fn note(places: &[&Unreached], assertions: bool, semantics: &Semantics<'_>, sources: &SourceMap) -> Option<String> {
    let statements: Vec<UnreachedStatement> = places
        .iter()
        .map(|place| statement(**place, semantics, sources))
        .filter(|statement| statement.text != END && statement.text.starts_with("assert") == assertions)
        .collect();
    let named: Vec<String> = statements
        .iter()
        .take(NAMED)
        .map(|statement| format!("`{}` ({}, {})", statement.text, statement.process, sources.short(statement.span)))
        .collect();
    let more = if statements.len() > NAMED { ", ..." } else { "" };
    let what = match (assertions, statements.len()) {
        (_, 0) => return None,
        (true, 1) => String::from("no run reaches the assertion"),
        (true, count) => format!("no run reaches {count} assertions:"),
        (false, 1) => String::from("no run reaches the statement"),
        (false, count) => format!("no run reaches {count} statements:"),
    };
    Some(format!("{what} {}{more}", named.join(", ")))
}
