//! From trees to classes whose names are looked up and whose inheritance is flattened, and from there to instances.
//!
//! `classes` flattens a capsule with its superclasses, `machine` its state machines, `instances` unrolls the parts below the
//! top capsule and follows connectors and relay ports from one end port to the other.

mod classes;
mod instances;
mod machine;

pub(crate) use classes::{Class, PortData};
pub(crate) use instances::{Instances, Slot, top, unsupported};
pub(crate) use machine::{MachineData, NodeData, TransitionData, VertexId};

use crate::ast::{Capsule, Enumeration, Event, File, Name, Protocol};
use model::diagnostic::{Diagnostic, nearest};
use model::source::{FileId, Span};
use std::collections::{HashMap, HashSet};

/// More errors than this do not help.
const MOST_ERRORS: usize = 30;

/// What is declared, by name; of a qualified name the last segment counts.
pub(crate) struct Library<'a> {
    protocols: HashMap<&'a str, &'a Protocol>,
    capsules: HashMap<&'a str, &'a Capsule>,
    pub(crate) enumerations: Vec<&'a Enumeration>,
    pub(crate) snippets: Vec<&'a crate::ast::Snippet>,
    room: bool,
}

/// Where errors go.
pub(crate) struct Messages<'d> {
    diagnostics: &'d mut Vec<Diagnostic>,
}

impl<'d> Messages<'d> {
    pub(crate) fn new(diagnostics: &'d mut Vec<Diagnostic>) -> Self {
        Messages { diagnostics }
    }

    pub(crate) fn report(&mut self, diagnostic: Diagnostic) {
        let known = self.diagnostics.iter().any(|d| d.code == diagnostic.code && d.primary == diagnostic.primary);
        let alike = self.diagnostics.iter().filter(|d| d.is_error() == diagnostic.is_error()).count();
        if alike < MOST_ERRORS && !known {
            self.diagnostics.push(diagnostic);
        }
    }

    pub(crate) fn any(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::is_error)
    }

    pub(crate) fn twice(&mut self, what: &str, name: &Name, first: Span) {
        let error = Diagnostic::error("U0102", name.span, format!("{what} `{}` is declared twice", name.text));
        let error = error.label("again here").also(first, "first here");
        self.report(if first.file == name.span.file {
            error
        } else {
            error.help("all .art files of a folder are one model: keep variants of a model in folders of their own")
        });
    }

    pub(crate) fn unknown<'n>(
        &mut self,
        code: &'static str,
        what: &str,
        name: &Name,
        known: impl Iterator<Item = &'n str>,
    ) {
        let error = Diagnostic::error(code, name.span, format!("there is no {what} `{}`", name.text));
        let mut known: Vec<&str> = known.take(1000).collect();
        known.sort_unstable();
        self.report(match nearest(&name.text, known) {
            Some(near) => error.help(format!("did you mean `{near}`?")),
            None => error,
        });
    }
}

/// The last segment of a qualified name.
pub(crate) fn simple(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

impl<'a> Library<'a> {
    /// Collects what files declare. Of two classes of one name, that of the first file counts where files may differ (ROOM).
    pub(crate) fn new(files: &'a [File], messages: &mut Messages<'_>) -> Self {
        let mut library = Library {
            protocols: HashMap::new(),
            capsules: HashMap::new(),
            enumerations: files.iter().flat_map(|file| &file.enumerations).collect(),
            snippets: files.iter().flat_map(|file| &file.snippets).collect(),
            room: files.iter().any(|file| file.model.is_some()),
        };
        for file in files {
            let separate = file.model.is_some();
            for protocol in &file.protocols {
                let known = library.protocols.get(protocol.name.text.as_str()).map(|p| p.name.span);
                match known {
                    Some(first) if !separate || first.file == protocol.name.span.file => {
                        messages.twice("protocol", &protocol.name, first);
                    }
                    Some(_) => {}
                    None => drop(library.protocols.insert(&protocol.name.text, protocol)),
                }
            }
            for capsule in &file.capsules {
                let known = library.capsules.get(capsule.name.text.as_str()).map(|c| c.name.span);
                match known {
                    Some(first) if !separate || first.file == capsule.name.span.file => {
                        messages.twice("capsule", &capsule.name, first);
                    }
                    Some(_) => {}
                    None => drop(library.capsules.insert(&capsule.name.text, capsule)),
                }
            }
        }
        library
    }

    pub(crate) fn capsule(&self, name: &Name, messages: &mut Messages<'_>) -> Option<&'a Capsule> {
        let found = self.capsules.get(simple(&name.text)).copied();
        if found.is_none() {
            messages.unknown("U0101", "capsule", name, self.capsules.keys().copied());
        }
        found
    }

    pub(crate) fn protocol(&self, name: &Name, messages: &mut Messages<'_>) -> Option<&'a Protocol> {
        let found = self.protocols.get(simple(&name.text)).copied();
        if found.is_none() {
            messages.unknown("U0103", "protocol", name, self.protocols.keys().copied());
        }
        found
    }

    /// An event of a protocol. Where both directions, or a protocol that is extended, have one of this name, the types of what
    /// they carry must be the same.
    pub(crate) fn event(&self, protocol: &Name, event: &str) -> Option<&'a Event> {
        let mut quiet = Vec::new();
        let protocol = self.protocols.get(simple(&protocol.text)).copied()?;
        let lineage = self.protocol_lineage(protocol, &mut Messages::new(&mut quiet));
        let all = lineage.iter().flat_map(|p| p.incoming.iter().chain(&p.outgoing)).filter(|e| e.name.text == event);
        let all: Vec<&Event> = all.collect();
        let first = *all.first()?;
        all.iter().all(|other| other.data == first.data).then_some(first)
    }

    /// Whether it is a model in ROOM.
    pub(crate) fn is_room(&self) -> bool {
        self.room
    }

    pub(crate) fn named(&self, name: &str) -> Option<&'a Capsule> {
        self.capsules.get(name).copied()
    }

    pub(crate) fn capsules(&self) -> impl Iterator<Item = &'a Capsule> {
        self.capsules.values().copied()
    }

    /// A protocol with those that it extends, the most general first; cycles are errors.
    fn protocol_lineage(&self, protocol: &'a Protocol, messages: &mut Messages<'_>) -> Vec<&'a Protocol> {
        let mut lineage = vec![protocol];
        let mut seen = HashSet::from([protocol.name.text.as_str()]);
        let mut last = protocol;
        while let Some(base) = &last.base {
            let Some(next) = self.protocol(base, messages) else { break };
            if !seen.insert(&next.name.text) {
                messages.report(cyclic("protocol", base));
                break;
            }
            lineage.push(next);
            last = next;
        }
        lineage.reverse();
        lineage
    }

    /// The names of the messages that a port receives and sends.
    pub(crate) fn alphabet(
        &self,
        protocol: &'a Protocol,
        conjugated: bool,
        messages: &mut Messages<'_>,
    ) -> Alphabet<'a> {
        let (mut incoming, mut outgoing): (Vec<&Name>, Vec<&Name>) = (Vec::new(), Vec::new());
        for protocol in self.protocol_lineage(protocol, messages) {
            for (list, events) in [(&mut incoming, &protocol.incoming), (&mut outgoing, &protocol.outgoing)] {
                for event in events {
                    let first = list.iter().find(|name| name.text == event.name.text).map(|name| name.span);
                    match first {
                        Some(first) if !event.redefine => messages.twice("event", &event.name, first),
                        Some(_) => {}
                        None => list.push(&event.name),
                    }
                }
            }
        }
        if conjugated { Alphabet { incoming: outgoing, outgoing: incoming } } else { Alphabet { incoming, outgoing } }
    }
}

fn cyclic(what: &str, base: &Name) -> Diagnostic {
    let error = Diagnostic::error("U0104", base.span, format!("{what} `{}` inherits from itself", base.text));
    error.label("this closes a cycle of superclasses")
}

/// The messages of a port, as its capsule sees them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Alphabet<'a> {
    pub(crate) incoming: Vec<&'a Name>,
    pub(crate) outgoing: Vec<&'a Name>,
}

impl Alphabet<'_> {
    /// An outgoing message that the other side cannot receive.
    pub(crate) fn mismatch<'s>(&'s self, other: &Alphabet<'_>) -> Option<&'s str> {
        let accepts = |name: &Name| other.incoming.iter().any(|event| event.text == name.text);
        self.outgoing.iter().find(|name| !accepts(name)).map(|name| name.text.as_str())
    }
}

/// Everything that is declared in `own` is checked, whether or not it is used.
pub(crate) fn check(library: &Library<'_>, own: FileId, messages: &mut Messages<'_>) {
    let mut protocols: Vec<&Protocol> = library.protocols.values().copied().collect();
    protocols.retain(|protocol| protocol.name.span.file == own);
    protocols.sort_by_key(|protocol| protocol.name.span.start);
    for protocol in protocols {
        library.alphabet(protocol, false, messages);
    }
    let mut capsules: Vec<&Capsule> = library.capsules().filter(|capsule| capsule.name.span.file == own).collect();
    capsules.sort_by_key(|capsule| capsule.name.span.start);
    for capsule in capsules {
        Class::new(library, capsule, messages);
    }
}
