//! Art.

use super::{Parsed, Parser};
use crate::ast::{
    Capsule, Change, ClassKind, Code, Connector, End, Event, File, Multiplicity, Name, Node, NodeKind, Part, PartKind,
    Port, Protocol, Region, Snippet, State, Transition, Trigger, TriggerKind, Vertex,
};
use crate::lexer::TokenKind;

const PORT_WORDS: [&str; 7] = ["service", "behavior", "notify", "unwired", "publish", "subscribe", "port"];
const PART_WORDS: [&str; 4] = ["fixed", "optional", "plugin", "part"];
const NODE_WORDS: [(&str, NodeKind); 4] = [
    ("choice", NodeKind::Choice),
    ("junction", NodeKind::Junction),
    ("entrypoint", NodeKind::EntryPoint),
    ("exitpoint", NodeKind::ExitPoint),
];

impl Parser<'_> {
    /// `{ snippet | ["abstract"] (capsule | class) | protocol | ";" }`
    pub(super) fn art_file(&mut self) -> File {
        let mut file = File::default();
        while !self.at_end() {
            if self.art_declaration(&mut file).is_err() {
                self.resume_at_word(&["capsule", "class", "protocol", "abstract", "template"]);
                if self.is("}") {
                    self.next();
                }
            }
        }
        file
    }

    fn art_declaration(&mut self, file: &mut File) -> Parsed<()> {
        if self.eat(";") {
            return Ok(());
        }
        if self.is("[") {
            file.snippets.extend(self.snippet()?);
            return Ok(());
        }
        if self.eat("protocol") {
            file.protocols.push(self.art_protocol()?);
            return Ok(());
        }
        let is_abstract = self.eat("abstract");
        if self.eat("template") {
            self.template()?;
        }
        let kind = if self.eat("capsule") {
            ClassKind::Capsule
        } else if self.eat("class") {
            ClassKind::Passive
        } else {
            return Err(self.unexpected("`capsule`, `class` or `protocol`"));
        };
        file.capsules.push(self.art_class(kind, is_abstract)?);
        Ok(())
    }

    /// `template "<" ("typename" | "class" | code) ID ["=" code] ,.. ">"`
    fn template(&mut self) -> Parsed<()> {
        self.expect("<")?;
        self.list(|parser| {
            if parser.code().is_none() && !parser.eat("typename") {
                parser.expect("class")?;
            }
            parser.name("a parameter")?;
            if parser.eat("=") && parser.code().is_none() {
                return Err(parser.unexpected("C++ between backticks"));
            }
            Ok(())
        })?;
        self.expect(">").map(drop)
    }

    /// `"[[rt::" ID "]]" code`, or properties, which say nothing about behaviour.
    fn snippet(&mut self) -> Parsed<Option<Snippet>> {
        let Some(kind) = self.attribute()? else { return Ok(None) };
        match self.code() {
            Some(code) => Ok(Some(Snippet { kind, code, signature: None })),
            None => Err(self.unexpected("C++ between backticks")),
        }
    }

    /// `"[[rt::" ID ["(" .. ")"] "]]"`: the name of a snippet, or nothing for properties.
    fn attribute(&mut self) -> Parsed<Option<Name>> {
        self.expect("[")?;
        self.expect("[")?;
        self.expect("rt")?;
        self.expect("::")?;
        let kind = self.name("an attribute")?;
        let properties = self.eat("(");
        if properties {
            self.list(|parser| {
                parser.name("a property")?;
                if parser.eat("=") {
                    parser.eat("-");
                    if !matches!(parser.peek().kind, TokenKind::Name | TokenKind::Number | TokenKind::Text) {
                        return Err(parser.unexpected("a value"));
                    }
                    parser.next();
                }
                Ok(())
            })?;
            self.expect(")")?;
        }
        self.expect("]")?;
        self.expect("]")?;
        Ok((!properties).then_some(kind))
    }

    /// Properties, if there are some.
    fn properties(&mut self) -> Parsed<()> {
        while self.is("[") && self.is_ahead(1, "[") {
            self.attribute()?;
        }
        Ok(())
    }

    /// Behind `protocol`.
    fn art_protocol(&mut self) -> Parsed<Protocol> {
        let name = self.name("a protocol")?;
        self.properties()?;
        let base = if self.eat(":") { Some(self.name("a protocol")?) } else { None };
        let (mut incoming, mut outgoing) = (Vec::new(), Vec::new());
        let event = |parser: &mut Self| {
            if parser.is("[") {
                return parser.snippet().map(drop);
            }
            let list = if parser.eat("in") {
                &mut incoming
            } else if parser.eat("out") {
                &mut outgoing
            } else {
                return Err(parser.unexpected("`in` or `out`"));
            };
            list.extend(parser.list(Self::art_event)?);
            parser.expect(";").map(drop)
        };
        self.block(event, Self::resume_at_semicolon)?;
        self.eat(";");
        Ok(Protocol { name, base, incoming, outgoing, special: None })
    }

    /// `["redefine"] ID "(" [attribute] [code] ")"`
    fn art_event(&mut self) -> Parsed<Event> {
        let redefine = self.is("redefine") && !self.is_ahead(1, "(");
        if redefine {
            self.next();
        }
        let name = self.name("an event")?;
        self.properties()?;
        self.expect("(")?;
        self.properties()?;
        let data = self.code().map(|code| code.text.trim().to_owned());
        if data.is_some() && self.peek().kind == TokenKind::Name {
            self.next();
        }
        self.expect(")")?;
        self.properties()?;
        Ok(Event { name, data, redefine })
    }

    /// Behind `capsule` or `class`.
    fn art_class(&mut self, kind: ClassKind, is_abstract: bool) -> Parsed<Capsule> {
        let name = self.name("a capsule")?;
        self.properties()?;
        let mut class = Capsule::new(name, kind, is_abstract);
        if self.eat(":") {
            self.list(|parser| {
                match parser.code() {
                    Some(code) => class.special.push((code.span, "a superclass in C++")),
                    None => class.bases.push(parser.name("a capsule")?),
                }
                Ok(())
            })?;
        }
        self.block(|parser| parser.art_member(&mut class), Self::resume_at_semicolon)?;
        self.eat(";");
        Ok(class)
    }

    fn art_member(&mut self, class: &mut Capsule) -> Parsed<()> {
        if self.eat(";") {
            return Ok(());
        }
        if self.is("[") {
            class.snippets.extend(self.snippet()?);
            return Ok(());
        }
        if self.is("statemachine") {
            let span = self.next().span;
            self.properties()?;
            let region = self.region()?;
            if let Some((first, _)) = class.machine {
                let error = model::diagnostic::Diagnostic::error("U0109", span, "a capsule has one state machine");
                return Err(self.report(error.label("again here").also(first, "first here")));
            }
            class.machine = Some((span, region));
            self.eat(";");
            return Ok(());
        }
        if self.is("connect") {
            let span = self.next().span;
            let connectors = self.list(|parser| {
                let from = parser.end()?;
                parser.expect("with")?;
                let to = parser.end()?;
                parser.properties()?;
                Ok(Connector { span: from.port.span.to(to.port.span), ends: [from, to] })
            })?;
            class.connectors.extend(connectors.into_iter().map(|c| Connector { span: span.to(c.span), ..c }));
            return self.expect(";").map(drop);
        }
        if self.eat("trigger") {
            return self.trigger_operations();
        }
        if PORT_WORDS.iter().any(|word| self.is(word)) {
            return self.ports(class);
        }
        if PART_WORDS.iter().any(|word| self.is(word)) {
            return self.parts(class);
        }
        Err(self.unexpected("a port, a part, a connector or a state machine"))
    }

    /// Operations of a passive class: `ID "(" {code [ID]} ")" ,.. ";"`; their triggers are checked by the C++ compiler.
    fn trigger_operations(&mut self) -> Parsed<()> {
        self.list(|parser| {
            parser.code();
            parser.name("an operation")?;
            parser.properties()?;
            parser.parameters()?;
            if parser.eat(":") && parser.code().is_none() {
                return Err(parser.unexpected("C++ between backticks"));
            }
            parser.code();
            Ok(())
        })?;
        self.expect(";").map(drop)
    }

    fn parameters(&mut self) -> Parsed<()> {
        self.expect("(")?;
        while !self.is(")") {
            self.properties()?;
            let code = self.code().is_some();
            let name = self.peek().kind == TokenKind::Name;
            if name {
                self.next();
            }
            if !code && !name && !self.eat(",") {
                return Err(self.unexpected("`)`"));
            }
        }
        self.next();
        Ok(())
    }

    /// `[ID "."] ID`
    fn end(&mut self) -> Parsed<End> {
        let first = self.name("a port or a part")?;
        if !self.eat(".") {
            return Ok(End { part: None, port: first });
        }
        Ok(End { part: Some(first), port: self.name("a port")? })
    }

    /// `redefine` or `exclude`, if a name follows.
    fn change(&mut self) -> Change {
        let change = match self.peek().text {
            "redefine" => Change::Redefine,
            "exclude" => Change::Exclude,
            _ => return Change::None,
        };
        if self.peek().kind != TokenKind::Name || self.ahead(1).kind != TokenKind::Name {
            return Change::None;
        }
        self.next();
        change
    }

    fn ports(&mut self, class: &mut Capsule) -> Parsed<()> {
        let (mut service, mut behavior, mut special) = (false, false, None);
        while !self.eat("port") {
            let span = self.peek().span;
            match self.peek().text {
                "service" => service = true,
                "behavior" => behavior = true,
                "unwired" => special = Some((span, "an unwired port")),
                "publish" => special = Some((span, "a published port")),
                "subscribe" => special = Some((span, "a subscribed port")),
                "notify" => special = special.or(Some((span, "a port that is notified about its connections"))),
                _ => return Err(self.unexpected("`port`")),
            }
            self.next();
        }
        let ports = self.list(|parser| {
            let change = parser.change();
            let name = parser.name("a port")?;
            let conjugated = parser.eat("~");
            parser.properties()?;
            let (mut protocol, mut multiplicity) = (None, Multiplicity::One);
            if parser.eat(":") {
                protocol = Some(parser.name("a protocol")?);
                multiplicity = parser.multiplicity()?;
            }
            parser.properties()?;
            Ok(Port { name, change, service, behavior, special, conjugated, protocol, multiplicity })
        })?;
        class.ports.extend(ports);
        self.expect(";").map(drop)
    }

    /// `"[" (NUM | code) [".." (NUM | code)] "]"`
    fn multiplicity(&mut self) -> Parsed<Multiplicity> {
        if !self.is("[") || self.is_ahead(1, "[") {
            return Ok(Multiplicity::One);
        }
        self.next();
        let low = self.bound()?;
        let high = if self.eat("..") { Some(self.bound()?) } else { None };
        self.expect("]")?;
        Ok(match (low, high) {
            (low, None) => low,
            (Multiplicity::Number(low, first), Some(Multiplicity::Number(high, last))) => {
                Multiplicity::Range(low, high, first.to(last))
            }
            (Multiplicity::Code(code), _) | (_, Some(Multiplicity::Code(code))) => Multiplicity::Code(code),
            (low, _) => low,
        })
    }

    fn bound(&mut self) -> Parsed<Multiplicity> {
        if self.is("*") {
            let token = self.next();
            return Ok(Multiplicity::Code(Code { text: String::from("*"), span: token.span }));
        }
        match self.code() {
            Some(code) => Ok(Multiplicity::Code(code)),
            None => self.number().map(|(number, span)| Multiplicity::Number(number, span)),
        }
    }

    fn parts(&mut self, class: &mut Capsule) -> Parsed<()> {
        let mut kind = PartKind::Fixed;
        while !self.eat("part") {
            match self.peek().text {
                "fixed" => {}
                "optional" => kind = PartKind::Optional,
                "plugin" => kind = PartKind::Plugin,
                _ => return Err(self.unexpected("`part`")),
            }
            self.next();
        }
        let parts = self.list(|parser| {
            let change = parser.change();
            let name = parser.name("a part")?;
            parser.properties()?;
            let (mut class, mut multiplicity) = (None, Multiplicity::One);
            if parser.eat(":") {
                class = Some(parser.name("a capsule")?);
                multiplicity = parser.multiplicity()?;
            }
            let mut snippets = Vec::new();
            while parser.is("[") {
                snippets.extend(parser.snippet()?);
            }
            Ok(Part { name, change, kind, class, multiplicity, snippets })
        })?;
        class.parts.extend(parts);
        self.expect(";").map(drop)
    }

    /// `"{" { state | node | entry | exit | exclusion | transition } "}"`
    fn region(&mut self) -> Parsed<Region> {
        self.deeper(|parser| {
            let mut region = Region::default();
            parser.block(|parser| parser.region_item(&mut region), Self::resume_at_semicolon)?;
            Ok(region)
        })
    }

    fn region_item(&mut self, region: &mut Region) -> Parsed<()> {
        if self.eat(";") {
            return Ok(());
        }
        // A keyword that is followed by a mark of a transition is a name.
        let transition = [":", "->", "."].iter().any(|mark| self.is_ahead(1, mark));
        if !transition && self.is("state") {
            self.next();
            region.states.extend(self.list(Self::state)?);
            return self.expect(";").map(drop);
        }
        if let Some((_, kind)) = NODE_WORDS.iter().find(|(word, _)| !transition && self.is(word)) {
            self.next();
            let nodes = self.list(|parser| {
                parser.change();
                let name = parser.name("a vertex")?;
                parser.properties()?;
                Ok(Node { name, kind: *kind })
            })?;
            region.nodes.extend(nodes);
            return self.expect(";").map(drop);
        }
        if self.ahead(1).kind == TokenKind::Code && (self.is("entry") || self.is("exit")) {
            let entry = self.next().text == "entry";
            let code = self.code();
            if entry { &mut region.entry } else { &mut region.exit }.extend(code);
            return self.expect(";").map(drop);
        }
        if !transition && self.is("exclude") {
            self.next();
            region.excluded.extend(self.list(|parser| parser.name("a transition"))?);
            return self.expect(";").map(drop);
        }
        let transition = self.art_transition()?;
        region.transitions.push(transition);
        Ok(())
    }

    fn state(&mut self) -> Parsed<State> {
        let change = self.change();
        let name = self.name("a state")?;
        self.properties()?;
        let region = if self.is("{") { Some(self.region()?) } else { None };
        Ok(State { path: vec![name], change, region })
    }

    /// `[props] ["redefine"] [ID ":"] [props] [ref "->" ref] ["on" trigger ,..] ["when" code] [code] ";"`
    fn art_transition(&mut self) -> Parsed<Transition> {
        let start = self.peek().span;
        self.properties()?;
        let redefine = self.is("redefine") && self.ahead(1).kind == TokenKind::Name;
        if redefine {
            self.next();
        }
        let mut name = None;
        if self.is_ahead(1, ":") {
            name = Some(self.name("a transition")?);
            self.next();
        }
        self.properties()?;
        let named_only = redefine && name.is_none() && !self.is_ahead(1, "->") && !self.is_ahead(1, ".");
        if named_only {
            name = Some(self.name("a transition")?);
        }
        let is_on = self.is("on") && self.ahead(1).kind == TokenKind::Name;
        let mut ends = None;
        if !is_on && !self.is("when") && self.peek().kind == TokenKind::Name {
            let from = self.vertex()?;
            self.expect("->")?;
            ends = Some((from, self.vertex()?));
        }
        self.properties()?;
        let triggers = if self.eat("on") { self.list(Self::trigger)? } else { Vec::new() };
        let guard = if self.eat("when") { Some(self.expect_code()?) } else { None };
        let effect = self.code();
        let last = self.expect(";")?.span;
        Ok(Transition { name, redefine, ends, triggers, guard, effect, span: start.to(last) })
    }

    fn expect_code(&mut self) -> Parsed<Code> {
        self.code().ok_or(()).map_err(|()| self.unexpected("C++ between backticks"))
    }

    /// `"initial" | "history" ["*"] | ID {"." ID}`
    fn vertex(&mut self) -> Parsed<Vertex> {
        let span = self.peek().span;
        let alone = !self.is_ahead(1, ".");
        if alone && self.eat("initial") {
            return Ok(Vertex::Initial(span));
        }
        if alone && self.eat("history") {
            return Ok(Vertex::History { deep: self.eat("*"), span });
        }
        let mut path = vec![self.name("a vertex")?];
        while self.eat(".") {
            path.push(self.name("a vertex")?);
        }
        Ok(Vertex::Path(path))
    }

    /// `ID "." (ID | "*") ["[" code "]"]`, or `ID "(" {code [ID]} ")"`
    fn trigger(&mut self) -> Parsed<Trigger> {
        let first = self.name("a port")?;
        let kind = if self.is("(") {
            self.parameters()?;
            TriggerKind::Call
        } else {
            self.expect(".")?;
            let event = if self.eat("*") { None } else { Some(self.name("an event")?) };
            TriggerKind::Message { port: first, event }
        };
        let mut guard = None;
        if self.is("[") && !self.is_ahead(1, "[") {
            self.next();
            guard = Some(self.expect_code()?);
            self.expect("]")?;
        }
        self.properties()?;
        Ok(Trigger { kind, guard })
    }
}

impl Capsule {
    /// A class without anything in it.
    pub(super) fn new(name: Name, kind: ClassKind, is_abstract: bool) -> Capsule {
        Capsule {
            name,
            kind,
            is_abstract,
            bases: Vec::new(),
            ports: Vec::new(),
            parts: Vec::new(),
            connectors: Vec::new(),
            machine: None,
            snippets: Vec::new(),
            threads: Vec::new(),
            attributes: Vec::new(),
            special: Vec::new(),
        }
    }
}
