//! ROOM: the parts of its grammar that concern structure and behaviour become the same tree; annotations and documentation are
//! passed over.

mod behavior;
mod structure;

use super::{Parsed, Parser};
use crate::ast::{Attribute, Code, Enumeration, File, Name, Snippet};
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
            "Operation" | "override" => self.operation().map(drop),
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
    fn operation(&mut self) -> Parsed<Snippet> {
        self.eat("override");
        self.expect("Operation")?;
        let name = self.room_name("an operation")?;
        self.expect("(")?;
        let mut parameters = Vec::new();
        if !self.is(")") {
            self.list(|parser| {
                let name = parser.room_name("a parameter")?;
                parser.expect(":")?;
                let ty = parser.reference_type()?;
                parser.eat("varargs");
                parameters.push((ty.text.replace(" ref", "&"), name.text));
                Ok(())
            })?;
        }
        self.expect(")")?;
        let returns = if self.eat(":") { self.reference_type()?.text } else { String::from("void") };
        if self.eat("sends") {
            self.name("a message")?;
        }
        self.documentation()?;
        let kind = Name { text: format!("operation {}", name.text), span: name.span };
        let signature = Some((parameters, returns));
        self.detail_code().map(|code| Snippet { kind, code, signature })
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
}
