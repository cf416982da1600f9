//! A capsule with what it inherits: ports, parts and connectors, each with the last redefinition, without what is excluded.

use super::{Alphabet, Library, MachineData, Messages, cyclic};
use crate::ast::{Capsule, Change, ClassKind, Connector, End, Multiplicity, Name, Part, Port};
use model::diagnostic::Diagnostic;
use std::collections::HashSet;

/// A port after inheritance.
#[derive(Debug)]
pub(crate) struct PortData<'a> {
    pub(crate) name: &'a Name,
    pub(crate) service: bool,
    pub(crate) behavior: bool,
    pub(crate) protocol: &'a Name,
    pub(crate) multiplicity: &'a Multiplicity,
    pub(crate) alphabet: Alphabet<'a>,
    /// What cannot be lowered about it.
    pub(crate) special: Option<(model::source::Span, &'static str)>,
}

/// A capsule after inheritance.
#[derive(Debug)]
pub(crate) struct Class<'a> {
    pub(crate) capsule: &'a Capsule,
    /// The capsule and its superclasses, the most general first.
    pub(crate) lineage: Vec<&'a Capsule>,
    pub(crate) ports: Vec<PortData<'a>>,
    pub(crate) parts: Vec<&'a Part>,
    pub(crate) connectors: Vec<&'a Connector>,
    pub(crate) machine: Option<MachineData<'a>>,
}

impl<'a> Class<'a> {
    /// Flattens a capsule and checks it.
    pub(crate) fn new(library: &Library<'a>, capsule: &'a Capsule, messages: &mut Messages<'_>) -> Class<'a> {
        let lineage = lineage(library, capsule, messages);
        let ports = ports(library, &lineage, messages);
        let parts = parts(&lineage, messages);
        for part in &parts {
            if let Some(class) = &part.class {
                library.capsule(class, messages);
            }
        }
        let connectors: Vec<&Connector> = lineage.iter().flat_map(|capsule| &capsule.connectors).collect();
        let machine = MachineData::new(&lineage, &ports, library.is_room(), messages);
        let class = Class { capsule, lineage, ports, parts, connectors, machine };
        for connector in &class.connectors {
            class.check_connector(library, connector, messages);
        }
        class
    }

    pub(crate) fn port(&self, name: &str) -> Option<usize> {
        self.ports.iter().position(|port| port.name.text == name)
    }

    pub(crate) fn part(&self, name: &str) -> Option<usize> {
        self.parts.iter().position(|part| part.name.text == name)
    }

    /// The ends of a connector exist, and what one of them sends the other can receive.
    fn check_connector(&self, library: &Library<'a>, connector: &'a Connector, messages: &mut Messages<'_>) {
        let [first, second] = &connector.ends;
        let (Some(a), Some(b)) = (self.far_end(library, first, messages), self.far_end(library, second, messages))
        else {
            return;
        };
        let (Some(a), Some(b)) = (a, b) else { return };
        let silent = a.protocol == b.protocol && [&a, &b].iter().all(|end| end.alphabet.outgoing.is_empty());
        let received = a.alphabet.incoming.first().filter(|_| silent).map(|event| event.text.as_str());
        let sent = a.alphabet.mismatch(&b.alphabet).or_else(|| b.alphabet.mismatch(&a.alphabet));
        let Some(event) = sent.or(received) else { return };
        if a.protocol == b.protocol {
            let text = format!("both ends of this connector see `{}` the same way round", a.protocol);
            let error = Diagnostic::error("U0111", connector.span, text);
            let does = if sent.is_some() { "sends" } else { "receives" };
            let error = error.label(format!("what one end {does}, such as `{event}`, the other {does} as well"));
            messages.report(
                error.help("one of the two ports must be conjugated: `port p~` in Art, `conjugated Port` in ROOM"),
            );
        } else {
            let text = format!("`{}` and `{}` do not fit together", a.protocol, b.protocol);
            let error = Diagnostic::error("U0112", connector.span, text);
            messages
                .report(error.label(format!("`{event}` is sent at one end, and the other end does not receive it")));
        }
    }

    /// What the connector sees at an end; the outer `None` after an error, the inner one where an error is reported elsewhere.
    /// A relay port of the capsule itself is seen from inside, where it is the other way round.
    fn far_end(&self, library: &Library<'a>, end: &End, messages: &mut Messages<'_>) -> Option<Option<Seen<'a>>> {
        let Some(part) = &end.part else {
            let Some(index) = self.port(&end.port.text) else {
                messages.unknown("U0105", "port", &end.port, self.ports.iter().map(|p| p.name.text.as_str()));
                return None;
            };
            let port = &self.ports[index];
            let relay = port.service && !port.behavior;
            let Alphabet { incoming, outgoing } = port.alphabet.clone();
            let alphabet = if relay {
                Alphabet { incoming: outgoing, outgoing: incoming }
            } else {
                Alphabet { incoming, outgoing }
            };
            return Some(Some(Seen { protocol: super::simple(&port.protocol.text), alphabet }));
        };
        let Some(index) = self.part(&part.text) else {
            messages.unknown("U0106", "part", part, self.parts.iter().map(|p| p.name.text.as_str()));
            return None;
        };
        let class = self.parts[index].class.as_ref()?;
        // A missing class is reported at the part.
        let Some(capsule) = library.named(super::simple(&class.text)) else { return Some(None) };
        let lineage = lineage(library, capsule, messages);
        let ports = ports(library, &lineage, messages);
        let Some(port) = ports.into_iter().find(|port| port.name.text == end.port.text) else {
            let known = lineage.iter().flat_map(|c| &c.ports).map(|port| port.name.text.as_str());
            messages.unknown("U0105", "port", &end.port, known);
            return None;
        };
        if !port.service {
            let text = format!("port `{}` of `{}` is not visible from outside", end.port.text, class.text);
            let error = Diagnostic::error("U0110", end.port.span, text);
            messages.report(
                error
                    .also(port.name.span, "declared here")
                    .help("only service ports are: `service port` in Art, `Interface` in ROOM"),
            );
            return None;
        }
        Some(Some(Seen { protocol: super::simple(&port.protocol.text), alphabet: port.alphabet }))
    }
}

/// A port from one side.
struct Seen<'a> {
    protocol: &'a str,
    alphabet: Alphabet<'a>,
}

fn lineage<'a>(library: &Library<'a>, capsule: &'a Capsule, messages: &mut Messages<'_>) -> Vec<&'a Capsule> {
    let mut lineage = vec![capsule];
    let mut seen = HashSet::from([capsule.name.text.as_str()]);
    let mut last = capsule;
    // The superclasses of a passive class are C++, and so are all but the first of a capsule.
    while last.kind == ClassKind::Capsule {
        let Some(base) = last.bases.first() else { break };
        let Some(next) = library.capsule(base, messages) else { break };
        if !seen.insert(&next.name.text) {
            messages.report(cyclic("capsule", base));
            break;
        }
        lineage.push(next);
        last = next;
    }
    lineage.reverse();
    lineage
}

fn ports<'a>(library: &Library<'a>, lineage: &[&'a Capsule], messages: &mut Messages<'_>) -> Vec<PortData<'a>> {
    let mut chosen: Vec<(&Port, &Port)> = Vec::new();
    for port in lineage.iter().flat_map(|capsule| &capsule.ports) {
        let known = chosen.iter().position(|(declared, _)| declared.name.text == port.name.text);
        match (port.change, known) {
            (Change::None, None) => chosen.push((port, port)),
            (Change::None, Some(first)) => messages.twice("port", &port.name, chosen[first].0.name.span),
            (Change::Redefine, Some(first)) if port.protocol.is_some() => chosen[first] = (port, port),
            (Change::Redefine, Some(first)) => chosen[first].1 = port,
            (Change::Exclude, Some(first)) => drop(chosen.remove(first)),
            (_, None) => nothing_inherited("port", &port.name, messages),
        }
    }
    let mut ports = Vec::new();
    for (typed, flags) in chosen {
        let Some(name) = &typed.protocol else {
            let error =
                Diagnostic::error("U0107", typed.name.span, format!("port `{}` has no protocol", typed.name.text));
            messages.report(error);
            continue;
        };
        let Some(protocol) = library.protocol(name, messages) else { continue };
        ports.push(PortData {
            name: &typed.name,
            service: flags.service,
            behavior: flags.behavior,
            protocol: name,
            multiplicity: &typed.multiplicity,
            alphabet: library.alphabet(protocol, typed.conjugated, messages),
            special: typed.special.or(flags.special).or(protocol.special),
        });
    }
    ports
}

fn parts<'a>(lineage: &[&'a Capsule], messages: &mut Messages<'_>) -> Vec<&'a Part> {
    let mut chosen: Vec<&Part> = Vec::new();
    for part in lineage.iter().flat_map(|capsule| &capsule.parts) {
        let known = chosen.iter().position(|declared| declared.name.text == part.name.text);
        match (part.change, known) {
            (Change::None, None) => chosen.push(part),
            (Change::None, Some(first)) => messages.twice("part", &part.name, chosen[first].name.span),
            (Change::Redefine, Some(first)) => chosen[first] = part,
            (Change::Exclude, Some(first)) => drop(chosen.remove(first)),
            (_, None) => nothing_inherited("part", &part.name, messages),
        }
    }
    chosen
}

/// Nothing of this name is inherited, so that it can be neither redefined nor excluded.
pub(super) fn nothing_inherited(what: &str, name: &Name, messages: &mut Messages<'_>) {
    let text = format!("no {what} `{}` is inherited", name.text);
    messages.report(Diagnostic::error("U0108", name.span, text).label("nothing to redefine or exclude"));
}
