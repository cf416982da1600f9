//! ROOM: protocols, actor classes and systems, with their ports, references, bindings and layers.

use super::super::{Parsed, Parser};
use crate::ast::{
    Capsule, Change, ClassKind, Code, Connector, End, Event, Multiplicity, Name, Part, PartKind, Port, Protocol,
    Snippet,
};
use model::source::Span;

const STRUCTURE_WORDS: [&str; 18] = [
    "Interface",
    "Structure",
    "Behavior",
    "Port",
    "conjugated",
    "external",
    "SAP",
    "SPP",
    "ServiceImplementation",
    "Attribute",
    "ActorRef",
    "optional",
    "fixed",
    "Binding",
    "LayerConnection",
    "Operation",
    "StateMachine",
    "SubSystemRef",
];

impl Parser<'_> {
    pub(super) fn room_protocol(&mut self, special: Option<(Span, &'static str)>) -> Parsed<Protocol> {
        let name = self.room_name("a protocol")?;
        self.documentation()?;
        let base = if self.eat("extends") { Some(self.qualified_name("a protocol")?) } else { None };
        let mut protocol = Protocol { name, base, incoming: Vec::new(), outgoing: Vec::new(), special };
        let member = |parser: &mut Self| parser.protocol_member(&mut protocol);
        self.block(member, |parser| {
            parser.resume_at_word(&["incoming", "outgoing", "regular", "conjugated", "semantics"]);
        })?;
        Ok(protocol)
    }

    pub(super) fn protocol_member(&mut self, protocol: &mut Protocol) -> Parsed<()> {
        self.annotations()?;
        let span = self.peek().span;
        match self.peek().text {
            _ if self.is("}") => Ok(()),
            "usercode1" | "usercode2" | "usercode3" => {
                self.next();
                self.detail_code().map(drop)
            }
            word @ ("incoming" | "outgoing") => {
                self.next();
                let list = if word == "incoming" { &mut protocol.incoming } else { &mut protocol.outgoing };
                let message = |parser: &mut Self| {
                    list.extend(parser.message()?);
                    Ok(())
                };
                self.block(message, |parser| parser.resume_at_word(&["Message", "private"]))
            }
            "regular" | "conjugated" => {
                self.next();
                self.expect("PortClass")?;
                self.block(
                    |parser| {
                        if parser.is("Operation") {
                            protocol.special = Some((span, "a port class with operations"));
                        }
                        if !parser.is("handle") {
                            return parser.data_member();
                        }
                        protocol.special = Some((parser.next().span, "a port class with message handlers"));
                        if !parser.eat("incoming") {
                            parser.expect("outgoing")?;
                        }
                        parser.name("a message")?;
                        parser.detail_code().map(drop)
                    },
                    |parser| parser.resume_at_word(&["handle", "Attribute", "Operation"]),
                )
            }
            "semantics" => {
                self.next();
                self.skip_block()
            }
            _ => Err(self.unexpected("`incoming` or `outgoing`")),
        }
    }

    /// `["private"] "Message" ID ["(" [[ID ":"] type] ")"]`
    pub(super) fn message(&mut self) -> Parsed<Option<Event>> {
        self.annotations()?;
        if self.is("}") {
            return Ok(None);
        }
        self.eat("private");
        self.expect("Message")?;
        let name = self.room_name("a message")?;
        if self.eat("(") {
            if !self.is(")") {
                if self.is_ahead(1, ":") {
                    self.next();
                    self.next();
                }
                self.reference_type()?;
            }
            self.expect(")")?;
        }
        self.annotations()?;
        self.documentation()?;
        Ok(Some(Event { name, data: None, redefine: false }))
    }

    pub(super) fn actor_class(&mut self, is_abstract: bool) -> Parsed<Capsule> {
        let name = self.room_name("an actor class")?;
        self.documentation()?;
        let mut class = Capsule::new(name, ClassKind::Capsule, is_abstract);
        if self.eat("extends") {
            class.bases.push(self.qualified_name("an actor class")?);
        }
        let section = |parser: &mut Self| {
            parser.annotations()?;
            let interface = parser.is("Interface");
            if parser.is("}") {
                return Ok(());
            }
            if !interface && !parser.is("Structure") && !parser.is("Behavior") {
                return Err(parser.unexpected("`Interface`, `Structure` or `Behavior`"));
            }
            parser.next();
            parser.documentation()?;
            let member = |parser: &mut Self| parser.actor_member(&mut class, interface);
            parser.block(member, |parser| parser.resume_at_word(&STRUCTURE_WORDS))
        };
        self.block(section, |parser| parser.resume_at_word(&STRUCTURE_WORDS))?;
        Ok(class)
    }

    pub(super) fn system(&mut self) -> Parsed<Capsule> {
        let name = self.room_name("a system")?;
        self.documentation()?;
        let mut class = Capsule::new(name, ClassKind::System, false);
        let member = |parser: &mut Self| parser.actor_member(&mut class, true);
        self.block(member, |parser| parser.resume_at_word(&STRUCTURE_WORDS))?;
        Ok(class)
    }

    pub(super) fn actor_member(&mut self, class: &mut Capsule, interface: bool) -> Parsed<()> {
        self.annotations()?;
        let span = self.peek().span;
        match self.peek().text {
            _ if self.is("}") => Ok(()),
            "usercode1" | "usercode2" | "usercode3" | "ctor" | "dtor" => {
                let kind = Name { text: self.next().text.to_owned(), span };
                let code = self.detail_code()?;
                if !code.is_blank() {
                    class.snippets.push(Snippet { kind, code, signature: None });
                }
                Ok(())
            }
            "Attribute" => {
                class.attributes.push(self.attribute_declaration()?);
                Ok(())
            }
            "Operation" | "override" => {
                let operation = self.operation()?;
                class.snippets.push(operation);
                Ok(())
            }
            "external" => {
                self.next();
                self.expect("Port")?;
                let name = self.room_name("a port")?;
                match class.ports.iter_mut().find(|port| port.name.text == name.text) {
                    Some(port) => port.behavior = true,
                    None => class.ports.push(external(name)),
                }
                Ok(())
            }
            "Port" | "conjugated" | "SAP" | "SPP" => self.room_port(class, interface),
            "ServiceImplementation" => {
                self.next();
                self.expect("of")?;
                self.name("a service provision point").map(drop)
            }
            "ActorRef" | "optional" | "fixed" | "SubSystemRef" => self.room_part(class),
            "Binding" => {
                self.next();
                let from = self.room_end()?;
                self.expect("and")?;
                let to = self.room_end()?;
                class.connectors.push(Connector { span: span.to(to.port.span), ends: [from, to] });
                Ok(())
            }
            "LayerConnection" => self.layer_connection(class),
            "LogicalThread" => {
                self.next();
                self.name("a thread").map(drop)
            }
            "ActorInstanceMapping" => self.instance_mapping(&[], class),
            "StateMachine" => {
                self.next();
                let region = self.graph()?;
                class.machine = Some((span, region));
                Ok(())
            }
            _ => Err(self.unexpected("a port, a part, a binding, an operation or a state machine")),
        }
    }

    /// `["conjugated"] "Port" ID [multiplicity] ":" FQN`, `("SAP" | "SPP") ID ":" FQN`
    pub(super) fn room_port(&mut self, class: &mut Capsule, interface: bool) -> Parsed<()> {
        let conjugated = self.eat("conjugated");
        let word = self.peek();
        self.next();
        let special = match word.text {
            "SAP" => Some((word.span, "a service access point")),
            "SPP" => Some((word.span, "a service provision point")),
            "Port" => None,
            _ => return Err(self.unexpected("`Port`")),
        };
        let name = self.room_name("a port")?;
        let multiplicity = self.room_multiplicity()?;
        self.expect(":")?;
        let protocol = Some(self.qualified_name("a protocol")?);
        self.annotations()?;
        self.documentation()?;
        let (service, behavior, change) = (interface, !interface, Change::None);
        class.ports.push(Port { name, change, service, behavior, special, conjugated, protocol, multiplicity });
        Ok(())
    }

    pub(super) fn room_multiplicity(&mut self) -> Parsed<Multiplicity> {
        if !self.eat("[") {
            return Ok(Multiplicity::One);
        }
        let multiplicity = if self.is("*") {
            let token = self.next();
            Multiplicity::Code(Code { text: String::from("*"), span: token.span })
        } else {
            let (number, span) = self.number()?;
            Multiplicity::Number(number, span)
        };
        self.expect("]")?;
        Ok(multiplicity)
    }

    pub(super) fn room_part(&mut self, class: &mut Capsule) -> Parsed<()> {
        let optional = self.eat("optional");
        if !optional {
            self.eat("fixed");
        }
        if !self.eat("SubSystemRef") {
            self.expect("ActorRef")?;
        }
        let name = self.room_name("a part")?;
        let multiplicity = self.room_multiplicity()?;
        self.expect(":")?;
        let of = self.qualified_name("an actor class")?;
        self.documentation()?;
        let kind = if optional { PartKind::Optional } else { PartKind::Fixed };
        let change = Change::None;
        class.parts.push(Part { name, change, kind, class: Some(of), multiplicity, snippets: Vec::new() });
        Ok(())
    }

    pub(super) fn room_end(&mut self) -> Parsed<End> {
        let first = self.room_name("a port or a part")?;
        if !self.eat(".") {
            return Ok(End { part: None, port: first });
        }
        Ok(End { part: Some(first), port: self.room_name("a port")? })
    }

    /// `"LayerConnection" ("ref" ID | "relay_sap" ID) "satisfied_by" ID "." ID`
    pub(super) fn layer_connection(&mut self, class: &mut Capsule) -> Parsed<()> {
        let span = self.next().span;
        if !self.eat("ref") {
            self.expect("relay_sap")?;
        }
        self.name("a part")?;
        self.expect("satisfied_by")?;
        self.name("a part")?;
        self.expect(".")?;
        self.name("a service provision point")?;
        class.special.push((span, "a layer connection"));
        Ok(())
    }

    /// `"ActorInstanceMapping" ID [":" INT] {"/" ..} "->" ID ["{" {mapping} "}"]`
    pub(super) fn instance_mapping(&mut self, around: &[String], class: &mut Capsule) -> Parsed<()> {
        self.expect("ActorInstanceMapping")?;
        let mut path = around.to_vec();
        loop {
            path.push(self.name("a part")?.text);
            if self.eat(":") {
                self.number()?;
            }
            if !self.eat("/") {
                break;
            }
        }
        self.expect("->")?;
        let thread = self.name("a thread")?.text;
        class.threads.push((path.clone(), thread));
        if self.is("{") {
            let resume = |parser: &mut Self| parser.resume_at_word(&["ActorInstanceMapping"]);
            return self.deeper(|parser| parser.block(|parser| parser.instance_mapping(&path, class), resume));
        }
        Ok(())
    }
}

/// `external Port` of a port that a superclass declares: the state machine uses it from here on.
fn external(name: Name) -> Port {
    Port {
        name,
        change: Change::Redefine,
        service: true,
        behavior: true,
        special: None,
        conjugated: false,
        protocol: None,
        multiplicity: Multiplicity::One,
    }
}
