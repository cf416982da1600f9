//! Statements that no run reaches, messages that no process sends: hints that the model does not do what its author thinks,
//! and no verdicts.

use crate::search::Found;
use model::expr::{Expr, Pattern, Place, Scope};
use model::ids::{MachineId, VariableId};
use model::network::{Action, Initial, Network};
use model::semantics::{Semantics, Unreached};
use model::source::SourceMap;
use model::verdict::{Details, UnreachedStatement};

/// What SPIN calls the end of a process.
const END: &str = "-end-";
/// So many statements are named in a note.
const NAMED: usize = 3;

/// Adds the statements that a complete search did not reach, and notes on them. What follows a fault is not known.
pub(crate) fn report(found: &Found, semantics: &Semantics<'_>, sources: &SourceMap, details: &mut Details) {
    details.advice.extend(never_sent(semantics.network(), sources));
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

/// A note on receives of a constant that no process sends, for channels that are known by their names. It is about the text
/// alone, so it needs no complete search.
fn never_sent(network: &Network, sources: &SourceMap) -> Option<String> {
    let mut messages = Messages::default();
    let edges = |machine: usize| network.machines[machine].edges.iter().map(move |edge| (machine, edge));
    for (_, edge) in (0..network.machines.len()).flat_map(edges) {
        each(&edge.action, &mut |action| messages.add(action));
    }
    let mut named = Vec::new();
    for (machine, edge) in (0..network.machines.len()).flat_map(edges) {
        if let Action::Receive { channel, pattern, .. } = &edge.action
            && !messages.can_match(network, channel, pattern)
        {
            let text = model::trace::statement(network, machine.into(), edge, sources);
            named.push(format!("`{text}` ({}, {})", network.machines[machine].name, sources.short(edge.span)));
        }
    }
    named.dedup();
    let more = if named.len() > NAMED { ", ..." } else { "" };
    named.truncate(NAMED);
    (!named.is_empty()).then(|| format!("no process sends a message for {}{more}", named.join(", ")))
}

/// An action, or those of a deterministic step.
fn each<'a>(action: &'a Action, visit: &mut dyn FnMut(&'a Action)) {
    match action {
        Action::Deterministic(step) => {
            step.nodes.iter().flatten().for_each(|choice| visit(&choice.action));
        }
        action => visit(action),
    }
}

/// What is sent, and where.
#[derive(Default)]
struct Messages<'a> {
    sent: Vec<(&'a Expr, &'a [Expr])>,
    /// Global variables that get another channel.
    assigned: Vec<VariableId>,
}

impl<'a> Messages<'a> {
    fn add(&mut self, action: &'a Action) {
        let global = |place: &Place| (place.scope == Scope::Global).then_some(place.variable);
        match action {
            Action::Send { channel, message, .. } => self.sent.push((channel, message)),
            Action::Assign(place, _) => self.assigned.extend(global(place)),
            Action::Receive { pattern, .. } => self.assigned.extend(pattern.iter().filter_map(|field| match field {
                Pattern::Bind(place) => global(place),
                _ => None,
            })),
            _ => {}
        }
    }

    /// Whether some message that is sent may be one for a pattern.
    fn can_match(&self, network: &Network, channel: &Expr, pattern: &[Pattern]) -> bool {
        let own = self.fixed(network, channel);
        let may_meet =
            |other: &Expr| own.is_none() || self.fixed(network, other).is_none_or(|other| Some(other) == own);
        let may_equal = |field: &Pattern, value: &Expr| match (field, value) {
            // What does not fit into a field is another value there.
            (Pattern::Match(Expr::Const(wanted)), Expr::Const(sent)) => wanted == sent || !(0..=255).contains(sent),
            _ => true,
        };
        let fits = |message: &[Expr]| pattern.iter().zip(message).all(|(field, value)| may_equal(field, value));
        self.sent.iter().any(|(channel, message)| may_meet(channel) && fits(message))
    }

    /// The global variable of a channel that is always the same one.
    fn fixed(&self, network: &Network, channel: &Expr) -> Option<VariableId> {
        let Expr::Read(Place { scope: Scope::Global, variable, .. }) = channel else { return None };
        let is_new = matches!(network.variables[variable.index()].initial, Initial::NewChannel(_));
        (is_new && !self.assigned.contains(variable)).then_some(*variable)
    }
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
