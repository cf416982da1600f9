//! ROOM: the parts of its grammar that concern structure and behaviour become the same tree; annotations and documentation are
//! passed over.

use super::{Parsed, Parser};
use crate::ast::{
    Attribute, Capsule, Change, ClassKind, Code, Connector, End, Enumeration, Event, File, Multiplicity, Name, Node,
    NodeKind, Part, PartKind, Port, Protocol, Region, State, Transition, Trigger, TriggerKind, Vertex,
};
use crate::lexer::TokenKind;
use model::source::Span;

const CLASS_WORDS: [&str; 17] = [
    "PrimitiveType",
    "Enumeration",
    "ExternalType",
    "DataClass",
    "ProtocolClass",
    "ActorClass",
    "SubSystemClass",
    "LogicalSystem",
    "AnnotationType",
    "import",
    "abstract",
    "eventdriven",
    "datadriven",
    "async",
    "sync",
    "CompoundProtocolClass",
    "@",
];
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
const GRAPH_WORDS: [&str; 10] = [
    "State",
    "RefinedState",
    "Transition",
    "RefinedTransition",
    "ChoicePoint",
    "TransitionPoint",
    "handler",
    "EntryPoint",
    "ExitPoint",
    "subgraph",
];

impl Parser<'_> {
    /// `"RoomModel" FQN [docu] "{" {annotation} {import} {class} "}"`
    pub(super) fn room_file(&mut self) -> File {
        let mut file = File::default();
        // Its error is reported; what was read before it may help with the rest.
        let _ = self.room_model(&mut file);
        file
    }

    fn room_model(&mut self, file: &mut File) -> Parsed<()> {
        self.expect("RoomModel")?;
        file.model = Some(self.qualified_name("a model")?);
        self.documentation()?;
        self.block(|parser| parser.room_class(file), |parser| parser.resume_at_word(&CLASS_WORDS))?;
        if self.peek().kind != TokenKind::End {
            return Err(self.unexpected("the end of the file"));
        }
        Ok(())
    }

    /// `ID {"." ID}`, as one name.
    fn qualified_name(&mut self, what: &str) -> Parsed<Name> {
        let mut name = self.room_name(what)?;
        while self.is(".") && self.ahead(1).kind == TokenKind::Name {
            self.next();
            let next = self.room_name(what)?;
            name = Name { text: format!("{}.{}", name.text, next.text), span: name.span.to(next.span) };
        }
        Ok(name)
    }

    /// A `^` allows a keyword as a name.
    fn room_name(&mut self, what: &str) -> Parsed<Name> {
        self.eat("^");
        self.name(what)
    }

    /// `"[" {STRING} "]"`
    fn documentation(&mut self) -> Parsed<()> {
        if self.is("[") && (self.ahead(1).kind == TokenKind::Text || self.is_ahead(1, "]")) {
            self.next();
            while self.peek().kind == TokenKind::Text {
                self.next();
            }
            self.expect("]")?;
        }
        Ok(())
    }

    /// `{"@" FQN ["(" ID "=" literal ,.. ")"]}`
    fn annotations(&mut self) -> Parsed<()> {
        while self.eat("@") {
            self.qualified_name("an annotation")?;
            if self.eat("(") {
                self.list(|parser| {
                    parser.name("an attribute")?;
                    parser.expect("=")?;
                    parser.literal()
                })?;
                self.expect(")")?;
            }
        }
        Ok(())
    }

    fn literal(&mut self) -> Parsed<()> {
        if !self.eat("-") {
            self.eat("+");
        }
        if !matches!(self.peek().kind, TokenKind::Number | TokenKind::Text | TokenKind::Name) {
            return Err(self.unexpected("a value"));
        }
        self.next();
        if self.eat(".") {
            self.next();
        }
        Ok(())
    }

    fn room_class(&mut self, file: &mut File) -> Parsed<()> {
        self.annotations()?;
        if self.is("}") {
            return Ok(());
        }
        let mut is_abstract = false;
        let mut communication = None;
        loop {
            let span = self.peek().span;
            if self.eat("abstract") {
                is_abstract = true;
            } else if self.eat("datadriven") {
                communication = Some((span, "data-driven communication"));
            } else if self.eat("sync") {
                communication = Some((span, "synchronous communication"));
            } else if self.eat("async") {
                communication = Some((span, "an asynchronous actor class"));
            } else if !self.eat("eventdriven") {
                break;
            }
        }
        match self.peek().text {
            "import" => self.import(file),
            "AnnotationType" => self.annotation_type(),
            "PrimitiveType" | "ExternalType" => self.named_type(file),
            "Enumeration" => self.enumeration(file),
            "DataClass" => self.data_class(file),
            "ProtocolClass" => {
                self.next();
                let protocol = self.room_protocol(communication)?;
                file.protocols.push(protocol);
                Ok(())
            }
            "ActorClass" => {
                self.next();
                let mut class = self.actor_class(is_abstract)?;
                class.special.extend(communication);
                file.capsules.push(class);
                Ok(())
            }
            "SubSystemClass" | "LogicalSystem" => {
                self.next();
                file.capsules.push(self.system()?);
                Ok(())
            }
            _ => Err(self.unexpected("a class, such as `ActorClass` or `ProtocolClass`")),
        }
    }

    /// `"import" ((FQN [".*"] ["from" STRING]) | ("model" STRING))`
    fn import(&mut self, file: &mut File) -> Parsed<()> {
        self.next();
        if self.is("model") && self.ahead(1).kind == TokenKind::Text {
            self.next();
            self.next();
            return Ok(());
        }
        let mut name = self.qualified_name("a class")?.text;
        if self.eat(".") {
            self.expect("*")?;
            name += ".*";
        }
        file.imports.push(name);
        if self.eat("from") {
            if self.peek().kind != TokenKind::Text {
                return Err(self.unexpected("a file name in quotes"));
            }
            self.next();
        }
        Ok(())
    }

    /// Its body says nothing about behaviour.
    fn annotation_type(&mut self) -> Parsed<()> {
        self.next();
        self.name("an annotation")?;
        self.documentation()?;
        self.skip_block()
    }

    /// Passes over a block with everything in it.
    fn skip_block(&mut self) -> Parsed<()> {
        self.expect("{")?;
        let mut depth = 1;
        while depth > 0 {
            if self.at_end() {
                return Err(self.unexpected("`}`"));
            }
            if self.is("{") {
                depth += 1;
            } else if self.is("}") {
                depth -= 1;
            }
            self.next();
        }
        Ok(())
    }

    /// `"PrimitiveType" ID ":" ID "->" STRING ["(" FQN ")"] "default" STRING`, or `"ExternalType" ID "->" STRING ..`
    fn named_type(&mut self, file: &mut File) -> Parsed<()> {
        self.next();
        file.data_types.push(self.room_name("a type")?);
        if self.eat(":") {
            self.name("a type")?;
        }
        self.expect("->")?;
        // Older files write the name of the type in the target language without quotes.
        if self.peek().kind == TokenKind::Name {
            self.next();
        } else {
            self.text()?;
        }
        if self.eat("(") {
            self.qualified_name("a type")?;
            self.expect(")")?;
        }
        if self.eat("default") {
            self.text()?;
        }
        self.documentation()
    }

    fn text(&mut self) -> Parsed<Code> {
        if self.peek().kind != TokenKind::Text {
            return Err(self.unexpected("a string"));
        }
        let token = self.next();
        Ok(Code { text: token.text.to_owned(), span: token.span })
    }

    fn enumeration(&mut self, file: &mut File) -> Parsed<()> {
        self.next();
        let name = self.room_name("an enumeration")?;
        self.documentation()?;
        if self.eat("of") {
            self.qualified_name("a type")?;
        }
        self.expect("{")?;
        let mut literals = Vec::new();
        while !self.is("}") {
            let literal = self.room_name("a literal")?;
            let mut value = None;
            if self.eat("=") {
                let negative = self.eat("-");
                self.eat("+");
                let (number, _) = self.number()?;
                // At most 63 bits, so that its negation has a value.
                value = Some(if negative { -(number as i64) } else { number as i64 });
            }
            literals.push((literal, value));
            if !self.eat(",") {
                break;
            }
        }
        self.expect("}")?;
        file.enumerations.push(Enumeration { name, literals });
        Ok(())
    }

    fn data_class(&mut self, file: &mut File) -> Parsed<()> {
        self.next();
        file.data_types.push(self.room_name("a class")?);
        self.documentation()?;
        if self.eat("extends") {
            self.qualified_name("a class")?;
        }
        self.block(Self::data_member, |parser| parser.resume_at_word(&["Attribute", "Operation"]))
    }

    fn data_member(&mut self) -> Parsed<()> {
        self.annotations()?;
        match self.peek().text {
            "usercode" | "usercode1" | "usercode2" | "usercode3" | "ctor" | "dtor" => {
                self.next();
                self.detail_code().map(drop)
            }
            "Attribute" => self.attribute_declaration().map(drop),
            "Operation" | "override" => self.operation(),
            _ if self.is("}") => Ok(()),
            _ => Err(self.unexpected("an attribute or an operation")),
        }
    }

    /// `"Attribute" ID ["[" INT "]"] ":" type ["=" STRING]`
    fn attribute_declaration(&mut self) -> Parsed<Attribute> {
        self.next();
        let name = self.room_name("an attribute")?;
        let mut size = None;
        if self.eat("[") {
            let token = self.peek();
            self.number()?;
            size = Some(Name { text: token.text.to_owned(), span: token.span });
            self.expect("]")?;
        }
        self.expect(":")?;
        let ty = self.reference_type()?;
        let initial = if self.eat("=") { Some(self.text()?) } else { None };
        self.documentation()?;
        Ok(Attribute { name, size, ty, initial })
    }

    fn reference_type(&mut self) -> Parsed<Name> {
        let name = self.qualified_name("a type")?;
        if self.eat("ref") {
            return Ok(Name { text: format!("{} ref", name.text), span: name.span });
        }
        Ok(name)
    }

    /// `["override"] "Operation" ID "(" [ID ":" type ["varargs"] ,..] ")" [":" type] ["sends" ID] code`
    fn operation(&mut self) -> Parsed<()> {
        self.eat("override");
        self.expect("Operation")?;
        self.room_name("an operation")?;
        self.expect("(")?;
        if !self.is(")") {
            self.list(|parser| {
                parser.room_name("a parameter")?;
                parser.expect(":")?;
                parser.reference_type()?;
                parser.eat("varargs");
                Ok(())
            })?;
        }
        self.expect(")")?;
        if self.eat(":") {
            self.reference_type()?;
        }
        if self.eat("sends") {
            self.name("a message")?;
        }
        self.documentation()?;
        self.detail_code().map(drop)
    }

    /// `'''..'''`, or `"{" {STRING} "}"`, or nothing.
    fn detail_code(&mut self) -> Parsed<Code> {
        if let Some(code) = self.code() {
            return Ok(code);
        }
        let start = self.peek().span;
        if !(self.is("{") && (self.ahead(1).kind == TokenKind::Text || self.is_ahead(1, "}"))) {
            return Ok(Code { text: String::new(), span: Span { end: start.start, ..start } });
        }
        self.next();
        let first = self.peek().span;
        let mut text = String::new();
        while self.peek().kind == TokenKind::Text {
            let line = self.next();
            // Every byte keeps its distance from the first: what lies between two strings becomes blanks.
            let gap = (line.span.start - first.start) as usize - text.len();
            text.extend((0..gap).map(|at| if at + 1 == gap { '\n' } else { ' ' }));
            text += &line.text.replace("\\\"", " \"");
        }
        self.expect("}")?;
        let span = Span { end: first.start + text.len() as u32, ..first };
        Ok(Code { text, span })
    }

    fn room_protocol(&mut self, special: Option<(Span, &'static str)>) -> Parsed<Protocol> {
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

    fn protocol_member(&mut self, protocol: &mut Protocol) -> Parsed<()> {
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
    fn message(&mut self) -> Parsed<Option<Event>> {
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
        Ok(Some(Event { name, redefine: false }))
    }

    fn actor_class(&mut self, is_abstract: bool) -> Parsed<Capsule> {
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

    fn system(&mut self) -> Parsed<Capsule> {
        let name = self.room_name("a system")?;
        self.documentation()?;
        let mut class = Capsule::new(name, ClassKind::System, false);
        let member = |parser: &mut Self| parser.actor_member(&mut class, true);
        self.block(member, |parser| parser.resume_at_word(&STRUCTURE_WORDS))?;
        Ok(class)
    }

    fn actor_member(&mut self, class: &mut Capsule, interface: bool) -> Parsed<()> {
        self.annotations()?;
        let span = self.peek().span;
        match self.peek().text {
            _ if self.is("}") => Ok(()),
            "usercode1" | "usercode2" | "usercode3" | "ctor" | "dtor" => {
                self.next();
                let code = self.detail_code()?;
                if !code.is_blank() {
                    class.special.push((span, "user code in a class"));
                }
                Ok(())
            }
            "Attribute" => {
                class.attributes.push(self.attribute_declaration()?);
                Ok(())
            }
            "Operation" | "override" => self.operation(),
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
            "ActorInstanceMapping" => self.instance_mapping(),
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
    fn room_port(&mut self, class: &mut Capsule, interface: bool) -> Parsed<()> {
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

    fn room_multiplicity(&mut self) -> Parsed<Multiplicity> {
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

    fn room_part(&mut self, class: &mut Capsule) -> Parsed<()> {
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

    fn room_end(&mut self) -> Parsed<End> {
        let first = self.room_name("a port or a part")?;
        if !self.eat(".") {
            return Ok(End { part: None, port: first });
        }
        Ok(End { part: Some(first), port: self.room_name("a port")? })
    }

    /// `"LayerConnection" ("ref" ID | "relay_sap" ID) "satisfied_by" ID "." ID`
    fn layer_connection(&mut self, class: &mut Capsule) -> Parsed<()> {
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
    fn instance_mapping(&mut self) -> Parsed<()> {
        self.expect("ActorInstanceMapping")?;
        loop {
            self.name("a part")?;
            if self.eat(":") {
                self.number()?;
            }
            if !self.eat("/") {
                break;
            }
        }
        self.expect("->")?;
        self.name("a thread")?;
        if self.is("{") {
            let resume = |parser: &mut Self| parser.resume_at_word(&["ActorInstanceMapping"]);
            return self.deeper(|parser| parser.block(Self::instance_mapping, resume));
        }
        Ok(())
    }

    /// `"{" {state | point | choice | transition} "}"`
    fn graph(&mut self) -> Parsed<Region> {
        self.deeper(|parser| {
            let mut region = Region::default();
            let item = |parser: &mut Self| parser.graph_item(&mut region);
            parser.block(item, |parser| parser.resume_at_word(&GRAPH_WORDS))?;
            Ok(region)
        })
    }

    fn graph_item(&mut self, region: &mut Region) -> Parsed<()> {
        let word = self.peek();
        let kind = match word.text {
            "State" | "RefinedState" => {
                region.states.push(self.room_state()?);
                return Ok(());
            }
            "Transition" => {
                region.transitions.push(self.room_transition()?);
                return Ok(());
            }
            "RefinedTransition" => {
                region.transitions.push(self.refined_transition()?);
                return Ok(());
            }
            "handler" | "TransitionPoint" => NodeKind::TransitionPoint,
            "EntryPoint" => NodeKind::EntryPoint,
            "ExitPoint" => NodeKind::ExitPoint,
            "ChoicePoint" => NodeKind::Choice,
            _ => return Err(self.unexpected("a state, a point or a transition")),
        };
        self.eat("handler");
        if kind == NodeKind::TransitionPoint && !self.is("TransitionPoint") {
            return Err(self.unexpected("`TransitionPoint`"));
        }
        self.next();
        let name = self.room_name("a point")?;
        self.documentation()?;
        region.nodes.push(Node { name, kind });
        Ok(())
    }

    fn room_state(&mut self) -> Parsed<State> {
        let refined = self.next().text == "RefinedState";
        let mut path = vec![self.room_name("a state")?];
        while refined && self.eat(".") {
            path.push(self.room_name("a state")?);
        }
        self.documentation()?;
        let change = if refined { Change::Redefine } else { Change::None };
        if !self.eat("{") {
            return Ok(State { path, change, region: None });
        }
        self.annotations()?;
        let mut entry = Vec::new();
        let mut exit = Vec::new();
        let mut polled = None;
        while self.is("entry") || self.is("exit") || self.is("do") {
            match self.next().text {
                "entry" => entry.push(self.detail_code()?),
                "exit" => exit.push(self.detail_code()?),
                _ => polled = Some(self.detail_code()?),
            }
        }
        let mut region = if self.eat("subgraph") { self.graph()? } else { Region::default() };
        self.expect("}")?;
        (region.entry, region.exit, region.polled) = (entry, exit, polled);
        Ok(State { path, change, region: Some(region) })
    }

    /// `"Transition" [ID] ":" terminal "->" terminal [docu] ["{" [triggers | guard | cond] ["action" code] "}"]`
    fn room_transition(&mut self) -> Parsed<Transition> {
        let start = self.next().span;
        let name = if self.is(":") { None } else { Some(self.room_name("a transition")?) };
        self.expect(":")?;
        let initial = self.peek().span;
        let from = if self.is("initial") && self.is_ahead(1, "->") {
            self.next();
            Vertex::Initial(initial)
        } else {
            self.terminal()?
        };
        self.expect("->")?;
        let to = self.terminal()?;
        let mut span = start.to(self.tokens[self.at - 1].span);
        self.documentation()?;
        let (mut triggers, mut guard, mut effect) = (Vec::new(), None, None);
        if self.eat("{") {
            self.annotations()?;
            if self.eat("triggers") {
                self.expect("{")?;
                self.annotations()?;
                loop {
                    self.room_trigger(&mut triggers)?;
                    if !self.eat("or") {
                        break;
                    }
                }
                self.expect("}")?;
            } else if self.is("guard") || self.is("cond") {
                self.next();
                guard = Some(self.detail_code()?);
            }
            if self.eat("action") {
                effect = Some(self.detail_code()?);
            }
            span = span.to(self.expect("}")?.span);
        }
        Ok(Transition { name, redefine: false, ends: Some((from, to)), triggers, guard, effect, span })
    }

    /// `"RefinedTransition" FQN "{" "action" code "}"`
    fn refined_transition(&mut self) -> Parsed<Transition> {
        let start = self.next().span;
        let name = self.qualified_name("a transition")?;
        self.documentation()?;
        self.expect("{")?;
        self.annotations()?;
        self.expect("action")?;
        let effect = Some(self.detail_code()?);
        let span = start.to(self.expect("}")?.span);
        let (triggers, guard) = (Vec::new(), None);
        Ok(Transition { name: Some(name), redefine: true, ends: None, triggers, guard, effect, span })
    }

    /// `ID`, `"my" ID`, `ID "of" ID`, `"cp" ID`
    fn terminal(&mut self) -> Parsed<Vertex> {
        let named = self.ahead(1).kind == TokenKind::Name;
        if named && (self.is("my") || self.is("cp")) && !self.is_ahead(1, "of") {
            self.next();
            return Ok(Vertex::Path(vec![self.room_name("a point")?]));
        }
        let first = self.room_name("a state or a point")?;
        if self.eat("of") {
            return Ok(Vertex::Path(vec![self.room_name("a state")?, first]));
        }
        Ok(Vertex::Path(vec![first]))
    }

    /// `"<" ID ":" ID {"|" ID ":" ID} ["guard" code] ">"`
    fn room_trigger(&mut self, triggers: &mut Vec<Trigger>) -> Parsed<()> {
        self.expect("<")?;
        let mut messages = Vec::new();
        loop {
            let event = self.room_name("a message")?;
            self.expect(":")?;
            messages.push((self.room_name("a port")?, event));
            if !self.eat("|") {
                break;
            }
        }
        let guard = if self.eat("guard") { Some(self.detail_code()?) } else { None };
        self.expect(">")?;
        triggers.extend(messages.into_iter().map(|(port, event)| Trigger {
            kind: TriggerKind::Message { port, event: Some(event) },
            guard: guard.clone(),
        }));
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
