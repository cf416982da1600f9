//! Compositions: `||S(N=3) = (P || a:Q || forall[i:0..N-1] p[i]:P(i) || {a, b}::R)/{..}\{..}.`

use super::{Parsed, Parser};
use crate::ast::{Composite, File, Label, Modifiers, Part, System};
use crate::lexer::TokenKind;

impl Parser<'_> {
    pub(super) fn composite(&mut self, file: &mut File, modifiers: Modifiers) -> Parsed<()> {
        self.expect("||")?;
        let name = self.upper("a composition")?;
        let parameters = self.parameters()?;
        self.expect("=")?;
        let body = self.system()?;
        let changes = self.changes(true)?;
        self.full_stop(&name)?;
        file.last_process = Some(name.clone());
        file.composites.push(Composite { name, modifiers, parameters, body, changes });
        Ok(())
    }

    fn system(&mut self) -> Parsed<System> {
        self.deeper(|parser| {
            if parser.eat("forall") {
                let indices = parser.indices()?;
                if indices.is_empty() {
                    return Err(parser.unexpected("`[`"));
                }
                return Ok(System::Forall(indices, Box::new(parser.system()?)));
            }
            if parser.eat("if") {
                let condition = parser.expression()?;
                parser.expect("then")?;
                let then = Box::new(parser.system()?);
                let otherwise = if parser.eat("else") { Some(Box::new(parser.system()?)) } else { None };
                return Ok(System::If(condition, then, otherwise));
            }
            parser.labelled()
        })
    }

    /// `{a, b}::c:P(3)/{..}`, or several parts in parentheses.
    fn labelled(&mut self) -> Parsed<System> {
        let (mut sharing, mut label) = (None, None);
        if self.begins_process_label() {
            let first = self.process_label()?;
            if self.eat("::") {
                sharing = Some(first);
                if self.begins_process_label() {
                    label = Some(self.process_label()?);
                    self.expect(":")?;
                }
            } else {
                self.expect(":")?;
                label = Some(first);
            }
        }
        let body = if self.is("(") {
            self.parallel()?
        } else {
            let name = self.upper("a process")?;
            System::Process(name, self.arguments()?)
        };
        let relabel = if self.is("/") && self.is_at(1, "{") { self.relabelling()? } else { Vec::new() };
        if sharing.is_none() && label.is_none() && relabel.is_empty() {
            return Ok(body);
        }
        Ok(System::One { sharing, label, body: Box::new(body), relabel })
    }

    fn begins_process_label(&self) -> bool {
        match self.peek().kind {
            TokenKind::Lower | TokenKind::Quoted => true,
            TokenKind::Upper => self.is_at(1, ":") || self.is_at(1, "::"),
            _ => self.is("[") || self.is("{"),
        }
    }

    fn process_label(&mut self) -> Parsed<Label> {
        if self.peek().kind == TokenKind::Upper {
            let name = self.upper("a set")?;
            return Ok(Label { span: name.span, parts: vec![Part::Named(name)] });
        }
        self.label()
    }

    fn parallel(&mut self) -> Parsed<System> {
        self.expect("(")?;
        let mut parts = vec![self.system()?];
        while self.eat("||") {
            parts.push(self.system()?);
        }
        if !self.is(")") {
            return Err(self.unexpected("`||` or `)`"));
        }
        self.next();
        Ok(System::All(parts))
    }
}
