//! Instances: the parts below the top capsule, unrolled, and which end ports are connected.

use super::{Class, Library, Messages, simple};
use crate::ast::{Capsule, ClassKind, End, Multiplicity, PartKind};
use model::diagnostic::Diagnostic;
use model::source::Span;
use std::collections::HashMap;

/// As many capsule instances as a network has processes.
const MOST_INSTANCES: usize = 250;
/// More ends than this of one port are a slip.
const MOST_ENDS: u64 = 1000;

/// A capsule instance.
#[derive(Debug)]
pub(crate) struct Instance {
    /// Its path from the top, such as `server.worker[1]`.
    pub(crate) path: String,
    pub(crate) class: usize,
    /// Per part of its class: the instances in it.
    pub(crate) parts: Vec<Vec<usize>>,
    /// It is in a part, or in a part around it, that is created at run time: the instance that is created with it.
    pub(crate) optional: Option<usize>,
}

/// One end of a port of an instance.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub(crate) struct Slot {
    pub(crate) instance: usize,
    pub(crate) port: usize,
    pub(crate) index: usize,
}

/// A slot as connectors see it: a relay port has two sides, an end port has one.
type Face = (Slot, bool);

/// All instances.
#[derive(Debug)]
pub(crate) struct Instances<'a> {
    pub(crate) classes: Vec<Class<'a>>,
    pub(crate) instances: Vec<Instance>,
    /// End ports that are connected, in both directions.
    pub(crate) wiring: HashMap<Slot, Slot>,
}

/// A multiplicity that does not fit.
fn ignored(span: Span, instead: &str) -> Diagnostic {
    Diagnostic::warning("U0306", span, format!("this multiplicity is taken for {instead}"))
}

/// What cannot be checked yet, at its place.
pub(crate) fn unsupported(span: Span, what: &str) -> Diagnostic {
    Diagnostic::error("U0201", span, format!("{what} cannot be checked yet")).label("not supported")
}

impl<'a> Instances<'a> {
    /// Unrolls the parts below the top capsule. After an error some are missing.
    pub(crate) fn new(library: &Library<'a>, top: &'a Capsule, messages: &mut Messages<'_>) -> Instances<'a> {
        let mut all = Instances { classes: Vec::new(), instances: Vec::new(), wiring: HashMap::new() };
        let mut known = HashMap::new();
        all.unroll(library, top, String::new(), None, &mut Vec::new(), &mut known, messages);
        if !messages.any() {
            all.connect(messages);
        }
        all
    }

    #[allow(clippy::too_many_arguments)]
    fn unroll(
        &mut self,
        library: &Library<'a>,
        capsule: &'a Capsule,
        path: String,
        optional: Option<usize>,
        around: &mut Vec<&'a str>,
        known: &mut HashMap<&'a str, usize>,
        messages: &mut Messages<'_>,
    ) -> Option<usize> {
        let class = match known.get(capsule.name.text.as_str()) {
            Some(&class) => class,
            None => {
                self.classes.push(Class::new(library, capsule, messages));
                known.insert(&capsule.name.text, self.classes.len() - 1);
                self.classes.len() - 1
            }
        };
        if let Some(machine) = self.classes[class].machine.as_ref().filter(|machine| machine.initial(None).is_none()) {
            let error = Diagnostic::error("U0116", machine.span, "this state machine has no initial transition");
            messages.report(error.help("add one, such as `initial -> First;`"));
        }
        if self.instances.len() >= MOST_INSTANCES {
            let text = format!("there are more than {MOST_INSTANCES} capsule instances");
            messages.report(Diagnostic::error("U0118", capsule.name.span, text));
            return None;
        }
        let own = self.instances.len();
        self.instances.push(Instance { path: path.clone(), class, parts: Vec::new(), optional });
        around.push(&capsule.name.text);
        let mut parts = Vec::new();
        for part in self.classes[class].parts.clone() {
            parts.push(Vec::new());
            let Some(name) = &part.class else { continue };
            let Some(inner) = library.capsule(name, messages) else { continue };
            if part.kind == PartKind::Plugin {
                messages.report(unsupported(part.name.span, "a plugin part"));
                continue;
            }
            if inner.is_abstract {
                let text = format!("`{}` is abstract and has no instances", inner.name.text);
                messages.report(Diagnostic::error("U0119", name.span, text).also(inner.name.span, "declared here"));
                continue;
            }
            if around.contains(&inner.name.text.as_str()) {
                let text = format!("`{}` contains itself", inner.name.text);
                messages.report(Diagnostic::error("U0120", name.span, text).label("this part closes the cycle"));
                continue;
            }
            let count = match part.multiplicity {
                Multiplicity::Range(low, high, span) if low > high => {
                    let text = format!("a multiplicity from {low} to {high} contains no number");
                    messages.report(Diagnostic::error("U0124", span, text));
                    None
                }
                // Where the kind of a part and its multiplicity do not fit together, Art takes the default.
                Multiplicity::Range(0, high, span) if high > 0 && part.kind == PartKind::Fixed => {
                    messages.report(ignored(span, "1, since the part is fixed"));
                    Some(1)
                }
                Multiplicity::Range(low, _, span) if low > 0 && part.kind == PartKind::Optional => {
                    messages.report(ignored(span, "0 to 1, since the part is optional"));
                    Some(1)
                }
                Multiplicity::Range(low, high, span) if low < high && part.kind == PartKind::Optional => {
                    count(&Multiplicity::Number(high, span), messages)
                }
                _ => count(&part.multiplicity, messages),
            };
            for index in 0..count.unwrap_or(0) {
                let dot = if path.is_empty() { "" } else { "." };
                let single = matches!(part.multiplicity, Multiplicity::One | Multiplicity::Range(0, 1, _));
                let number = if single { String::new() } else { format!("[{index}]") };
                let path = format!("{path}{dot}{}{number}", part.name.text);
                let created = (part.kind == PartKind::Optional).then_some(self.instances.len()).or(optional);
                let inner = self.unroll(library, inner, path, created, around, known, messages)?;
                parts.last_mut()?.push(inner);
            }
        }
        around.pop();
        self.instances[own].parts = parts;
        Some(own)
    }

    pub(crate) fn class(&self, instance: usize) -> &Class<'a> {
        &self.classes[self.instances[instance].class]
    }

    /// The instances at a path of parts inside another.
    pub(crate) fn inside(&self, instance: usize, path: &[String]) -> Vec<usize> {
        let Some((first, rest)) = path.split_first() else { return vec![instance] };
        let part = self.class(instance).part(first);
        let found = part.and_then(|part| self.instances[instance].parts.get(part)).into_iter().flatten();
        found.flat_map(|&inner| self.inside(inner, rest)).collect()
    }

    /// How many ends a port of an instance has; the connectors were made with the same number.
    pub(crate) fn ends(&self, instance: usize, port: usize) -> usize {
        match self.class(instance).ports[port].multiplicity {
            Multiplicity::Number(number, _) => *number as usize,
            Multiplicity::Range(_, high, _) => *high as usize,
            Multiplicity::Code(code) => code.text.trim().parse().unwrap_or(0),
            Multiplicity::One => 1,
        }
    }

    /// Pairs the ends of connectors, then follows relay ports.
    fn connect(&mut self, messages: &mut Messages<'_>) {
        let mut links: HashMap<Face, Face> = HashMap::new();
        for instance in 0..self.instances.len() {
            for connector in self.class(instance).connectors.clone() {
                let [first, second] = &connector.ends;
                let (Some(a), Some(b)) =
                    (self.faces(instance, first, messages), self.faces(instance, second, messages))
                else {
                    continue;
                };
                for end in &connector.ends {
                    self.check_order(instance, end, connector.span, messages);
                }
                let free = |faces: Vec<Face>| faces.into_iter().filter(|f| !links.contains_key(f)).collect::<Vec<_>>();
                let (a, b) = (free(a), free(b));
                // A local binding of a port to itself has one list on both sides.
                let pairs: Vec<(Face, Face)> = a.into_iter().zip(b).filter(|(a, b)| a != b).collect();
                if pairs.is_empty() {
                    let error =
                        Diagnostic::error("U0121", connector.span, "one end of this connector has no free place");
                    messages.report(error.help("a port takes as many connections as its multiplicity says"));
                }
                for (a, b) in pairs {
                    links.insert(a, b);
                    links.insert(b, a);
                }
            }
        }
        for instance in 0..self.instances.len() {
            for port in 0..self.class(instance).ports.len() {
                if self.is_relay(instance, port) {
                    continue;
                }
                let ends = count(self.class(instance).ports[port].multiplicity, messages).unwrap_or(0);
                for index in 0..ends {
                    let slot = Slot { instance, port, index };
                    if let Some(other) = self.follow(slot, &links) {
                        self.wiring.insert(slot, other);
                    }
                }
            }
        }
    }

    /// Which end of a replicated port goes to which of several parts is not documented where those ports are replicated, too.
    fn check_order(&self, instance: usize, end: &End, span: Span, messages: &mut Messages<'_>) {
        let part = end.part.as_ref().and_then(|part| self.class(instance).part(&part.text));
        let Some([first, _, ..]) = part.map(|part| self.instances[instance].parts[part].as_slice()) else { return };
        let class = self.class(*first);
        let port = class.port(&end.port.text).map(|port| class.ports[port].multiplicity);
        if port.is_some_and(|multiplicity| *multiplicity != Multiplicity::One) {
            messages.report(unsupported(span, "a connector to replicated ports of replicated parts"));
        }
    }

    fn is_relay(&self, instance: usize, port: usize) -> bool {
        let data = &self.class(instance).ports[port];
        data.service && !data.behavior
    }

    /// The end port at the other end, if there is one.
    fn follow(&self, slot: Slot, links: &HashMap<Face, Face>) -> Option<Slot> {
        let mut face = (slot, false);
        // Every step uses another link.
        for _ in 0..=links.len() {
            let (slot, inner) = *links.get(&face)?;
            if !self.is_relay(slot.instance, slot.port) {
                return Some(slot);
            }
            face = (slot, !inner);
        }
        None
    }

    /// The faces that an end of a connector in the class of an instance names.
    fn faces(&self, instance: usize, end: &End, messages: &mut Messages<'_>) -> Option<Vec<Face>> {
        let class = self.class(instance);
        let (owners, inside) = match &end.part {
            None => (vec![instance], true),
            Some(part) => (self.instances[instance].parts.get(class.part(&part.text)?)?.clone(), false),
        };
        let mut faces = Vec::new();
        for owner in owners {
            let port = self.class(owner).port(&end.port.text)?;
            let ends = count(self.class(owner).ports[port].multiplicity, messages)?;
            let inner = inside && self.is_relay(owner, port);
            faces.extend((0..ends).map(|index| (Slot { instance: owner, port, index }, inner)));
        }
        Some(faces)
    }
}

/// How many; `None` after an error.
fn count(multiplicity: &Multiplicity, messages: &mut Messages<'_>) -> Option<usize> {
    let (number, span) = match multiplicity {
        Multiplicity::One => return Some(1),
        Multiplicity::Number(number, span) => (*number, *span),
        Multiplicity::Range(low, high, span) if low == high => (*low, *span),
        Multiplicity::Range(.., span) => {
            messages.report(unsupported(*span, "a number of instances that changes"));
            return None;
        }
        Multiplicity::Code(code) => match code.text.trim().parse() {
            Ok(number) => (number, code.span),
            Err(_) => {
                messages.report(unsupported(code.span, "a multiplicity that is not a number"));
                return None;
            }
        },
    };
    if number > MOST_ENDS {
        messages.report(Diagnostic::error("U0118", span, format!("a multiplicity is at most {MOST_ENDS}")));
        return None;
    }
    Some(number as usize)
}

/// The top capsule: by name, or the only system of ROOM, or the only capsule that is no part of another.
pub(crate) fn top<'a>(
    library: &Library<'a>,
    name: Option<&str>,
    at: Span,
    messages: &mut Messages<'_>,
) -> Option<&'a Capsule> {
    let found = match name {
        Some(name) => library.named(simple(name)),
        None => {
            let systems: Vec<&Capsule> = library.capsules().filter(|c| c.kind == ClassKind::System).collect();
            let within: Vec<&str> = systems
                .iter()
                .flat_map(|s| &s.parts)
                .filter_map(|p| p.class.as_ref())
                .map(|c| simple(&c.text))
                .collect();
            let outermost: Vec<&&Capsule> =
                systems.iter().filter(|s| !within.contains(&s.name.text.as_str())).collect();
            match outermost[..] {
                [only] => Some(*only),
                _ => library.named("Top"),
            }
        }
    };
    match found.filter(|capsule| capsule.kind != ClassKind::Passive) {
        Some(capsule) => Some(capsule),
        None => {
            let text = match name {
                Some(name) => format!("there is no capsule `{name}` to be the top capsule"),
                None => String::from("it is not clear which capsule is the top capsule"),
            };
            let error = Diagnostic::error("U0122", at, text);
            messages.report(error.help("name it with --system NAME, or in a build file (.tcjs) beside the model"));
            None
        }
    }
}
