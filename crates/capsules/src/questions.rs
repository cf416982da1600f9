//! The questions of UML-RT that have names: each is an invariant of the network.
//!
//! The lowering labels the locations that a question is about. A label with a space is none that a state could have.

use model::diagnostic::nearest;
use model::expr::{BinaryOp, ChannelTest, Expr, Place, Scope};
use model::formula::{Atom, Ltl, Modality};
use model::ids::{LocationId, MachineId};
use model::network::{Formula, Network, ScalarType};
use model::source::Span;

/// The label of a location where a message was taken that no active state reacts to.
pub(crate) const UNEXPECTED: &str = "unexpected message";
/// The label of a location at a choice of which no branch holds.
pub(crate) const STUCK: &str = "stuck choice";
/// The label of a location where a message is sent that no process can receive.
pub(crate) const UNBOUND: &str = "unbound port";

/// The label of a location where a call by `invoke` has failed.
pub(crate) const BAD_INVOKE: &str = "failed invoke";

/// The label of a location that stands for a state without any trigger, neither its own nor of a state around it.
pub(crate) const FINAL: &str = "final state";

/// Questions about labels.
const LABELS: [(&str, &str); 4] =
    [("unexpected", UNEXPECTED), ("stuck-choice", STUCK), ("unbound-port", UNBOUND), ("bad-invoke", BAD_INVOKE)];

/// The labels of the locations that the questions are about.
pub(crate) fn labels() -> impl Iterator<Item = &'static str> {
    LABELS.iter().map(|(_, label)| *label)
}

/// Whether a property is one of these questions; `quiescence` may name states where a capsule may rest, and `unreachable` names
/// states.
pub fn is_question(text: &str) -> bool {
    LABELS.iter().any(|(name, _)| *name == text)
        || text == "quiescence"
        || text == "deferred"
        || ["quiescence(", "unreachable("].iter().any(|start| text.starts_with(start) && text.ends_with(')'))
}

/// The formula of a question.
pub fn question(network: &Network, text: &str) -> Result<Formula, String> {
    let bad = match LABELS.iter().find(|(name, _)| *name == text) {
        Some((_, label)) => somewhere(places(network).filter(|(_, _, known)| known == label)),
        None if text.starts_with("unreachable(") => {
            let named = named_states(network, text, "unreachable(")?;
            let at = |(machine, location)| Expr::At { machine, pid: None, location };
            let places = named.into_iter().map(at).reduce(|a, b| binary(BinaryOp::Or, a, b));
            places.ok_or_else(|| format!("-p {text}: name a state (CAPSULE@STATE)"))?
        }
        None if text == "deferred" => {
            let left = channels(network, true).map(|channel| Expr::Channel(ChannelTest::NotEmpty, Box::new(channel)));
            let left = left.reduce(|a, b| binary(BinaryOp::Or, a, b)).unwrap_or(Expr::Const(0));
            at_rest(network, left)
        }
        None => quiet(network, text)?,
    };
    let atom = Ltl::Atom(Box::new(Atom::State(bad)), text.to_owned());
    let formula = Ltl::Unary(Modality::Always, Box::new(Ltl::Unary(Modality::Not, Box::new(atom))));
    Ok(Formula { name: text.to_owned(), text: format!("[] ! {text}"), formula, is_question: true, span: Span::NONE })
}

/// Whether any location has the label of a question.
pub(crate) fn applies(network: &Network, text: &str) -> bool {
    LABELS.iter().any(|(name, label)| *name == text && places(network).any(|(_, _, known)| known == *label))
}

/// All labelled locations.
fn places(network: &Network) -> impl Iterator<Item = (MachineId, LocationId, &str)> {
    network.machines.iter().enumerate().flat_map(|(index, machine)| {
        let locations = machine.locations.iter().enumerate();
        locations.flat_map(move |(place, location)| {
            location.labels.iter().map(move |label| (index.into(), place.into(), label.as_str()))
        })
    })
}

/// A state of a capsule instance: `server@Idle`.
fn full_name(network: &Network, machine: MachineId, label: &str) -> String {
    format!("{}@{label}", network.machine(machine).name)
}

fn somewhere<'n>(places: impl Iterator<Item = (MachineId, LocationId, &'n str)>) -> Expr {
    let at = |(machine, location, _)| Expr::At { machine, pid: None, location };
    places.map(at).reduce(|a, b| binary(BinaryOp::Or, a, b)).unwrap_or(Expr::Const(0))
}

fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    Expr::Binary(op, Box::new(left), Box::new(right))
}

/// All queues are empty, no timer is pending, and some capsule rests in a state that reacts to messages and was not named.
fn quiet(network: &Network, text: &str) -> Result<Expr, String> {
    let rests = named_states(network, text, "quiescence(")?;
    let is_open = |(machine, location, label): &(MachineId, LocationId, &str)| {
        let labels = &network.machine(*machine).locations[location.index()].labels;
        let is_final = labels.iter().any(|label| label == FINAL);
        let is_own = labels.first().is_some_and(|first| first == label) && !label.contains(' ');
        is_own && !is_final && !rests.contains(&(*machine, *location))
    };
    let waits = somewhere(places(network).filter(is_open));
    Ok(at_rest(network, waits))
}

/// The states that a question names.
fn named_states(network: &Network, text: &str, start: &str) -> Result<Vec<(MachineId, LocationId)>, String> {
    let named = text.strip_prefix(start).and_then(|rest| rest.strip_suffix(')')).unwrap_or("");
    let mut rests: Vec<(MachineId, LocationId)> = Vec::new();
    for name in named.split(',').map(str::trim).filter(|name| !name.is_empty()) {
        let found: Vec<_> = places(network).filter(|(m, _, label)| full_name(network, *m, label) == name).collect();
        if found.is_empty() {
            let known: Vec<String> = places(network).map(|(m, _, label)| full_name(network, m, label)).collect();
            let near = nearest(name, known.iter().map(String::as_str));
            let hint = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
            return Err(format!("-p {text}: no capsule has the state `{name}` (CAPSULE@STATE){hint}"));
        }
        rests.extend(found.into_iter().map(|(machine, location, _)| (machine, location)));
    }
    Ok(rests)
}

/// What a channel is called that holds deferred messages.
pub(crate) const DEFERRED: &str = " (deferred)";

/// The channels for deferred messages, or all others.
fn channels(network: &Network, deferred: bool) -> impl Iterator<Item = Expr> {
    let all = network.variables.iter().enumerate().filter(|(_, v)| v.ty == ScalarType::Channel);
    all.filter(move |(_, v)| v.name.ends_with(DEFERRED) == deferred).map(|(index, variable)| {
        let place = Place { scope: Scope::Global, variable: index.into(), indices: Vec::new(), span: variable.span };
        Expr::Read(place)
    })
}

/// All queues are empty, no timer is pending, every capsule rests, and something holds.
fn at_rest(network: &Network, what: Expr) -> Expr {
    let empty = channels(network, false).map(|channel| Expr::Channel(ChannelTest::Empty, Box::new(channel)));
    // A capsule in the middle of a handler goes on.
    let rests = network.machines.iter().enumerate().map(|(index, machine)| {
        let rests = machine.locations.iter().enumerate().filter(|(_, location)| location.end);
        let at = |(place, _)| Expr::At { machine: index.into(), pid: None, location: LocationId::from(place) };
        rests.map(at).reduce(|a, b| binary(BinaryOp::Or, a, b)).unwrap_or(Expr::Const(0))
    });
    empty.chain(rests).fold(what, |all, one| binary(BinaryOp::And, all, one))
}
