//! Labels, sets of them, and what stands in brackets.

use super::{Parsed, Parser};
use crate::ast::{Bounds, Index, Label, Name, Part, SetExpr, Values};
use crate::lexer::TokenKind;
use crate::limits::DEEPEST;
use model::diagnostic::Diagnostic;

impl Parser<'_> {
    /// Whether a label begins here, and no process.
    pub(super) fn begins_label(&self) -> bool {
        match self.peek().kind {
            TokenKind::Lower | TokenKind::Quoted => true,
            TokenKind::Upper => self.is_at(1, "->") || self.is_at(1, ".") && self.continues_label(2),
            _ => self.is("[") || self.is("{"),
        }
    }

    /// Whether what comes can follow the dot in a label.
    fn continues_label(&self, by: usize) -> bool {
        matches!(self.ahead(by).kind, TokenKind::Lower | TokenKind::Number | TokenKind::Quoted)
            || self.is_at(by, "[")
            || self.is_at(by, "{")
    }

    /// `a.b[i:R].{c, d}`
    pub(super) fn label(&mut self) -> Parsed<Label> {
        let start = self.peek().span;
        let mut parts = vec![self.part()?];
        loop {
            if self.is("[") {
                parts.push(Part::Index(self.index()?));
            } else if self.is(".")
                && (self.continues_label(1) || self.ahead(1).kind == TokenKind::Upper && !self.definition_begins(1))
            {
                self.next();
                parts.push(self.part()?);
            } else {
                return Ok(Label { parts, span: start.to(self.last_span()) });
            }
            if parts.len() > DEEPEST {
                let error = Diagnostic::error("F0005", start, "this label has too many parts");
                return Err(self.report(error.label(format!("more than {DEEPEST} parts"))));
            }
        }
    }

    fn part(&mut self) -> Parsed<Part> {
        let token = self.peek();
        match token.kind {
            TokenKind::Lower | TokenKind::Quoted => {
                self.next();
                Ok(Part::Name(token.text.to_owned()))
            }
            TokenKind::Number => {
                let number = self.number()?;
                Ok(Part::Name(format!("[{number}]")))
            }
            TokenKind::Upper => {
                self.next();
                Ok(Part::Named(Name { text: token.text.to_owned(), span: token.span }))
            }
            _ if self.is("[") => self.index().map(Part::Index),
            _ if self.is("{") => self.set().map(Part::Set),
            _ => Err(self.unexpected("a label")),
        }
    }

    /// `{a, b[1..2]}`, or the name of a set.
    pub(super) fn set(&mut self) -> Parsed<SetExpr> {
        let start = self.peek().span;
        if self.peek().kind == TokenKind::Upper {
            let name = self.upper("a set")?;
            let label = Label { span: name.span, parts: vec![Part::Named(name)] };
            return Ok(SetExpr { labels: vec![label], span: start });
        }
        self.expect("{")?;
        let mut labels = Vec::new();
        if !self.is("}") {
            labels = self.deeper(|parser| parser.list(Self::element))?;
        }
        self.expect("}")?;
        Ok(SetExpr { labels, span: start.to(self.last_span()) })
    }

    /// A label, or `S\{a}`. Only inside braces: behind a process, `\` hides.
    fn element(&mut self) -> Parsed<Label> {
        let label = self.label()?;
        if !self.is("\\") {
            return Ok(label);
        }
        self.next();
        let all = SetExpr { span: label.span, labels: vec![label] };
        let less = self.set()?;
        let span = all.span.to(less.span);
        Ok(Label { parts: vec![Part::Without(all, less)], span })
    }

    /// `[i + 1]`, `[0..N]`, `[i:R]`, `[x:{a, b}]`
    pub(super) fn index(&mut self) -> Parsed<Index> {
        let start = self.expect("[")?.span;
        let mut variable = None;
        if self.peek().kind == TokenKind::Lower && self.is_at(1, ":") {
            let token = self.next();
            variable = Some(Name { text: token.text.to_owned(), span: token.span });
            self.next();
        }
        let values = if self.is("{") {
            Values::Set(self.set()?)
        } else {
            let from = self.peek().span;
            let low = self.expression()?;
            if self.eat("..") {
                let high = self.expression()?;
                Values::Bounds(Bounds { low, high, span: from.to(self.last_span()) })
            } else {
                Values::Expr(low)
            }
        };
        self.expect("]")?;
        Ok(Index { variable, values, span: start.to(self.last_span()) })
    }

    pub(super) fn indices(&mut self) -> Parsed<Vec<Index>> {
        let mut indices = Vec::new();
        // `[]` is a sign of formulas.
        while self.is("[") && !self.is_at(1, "]") {
            if indices.len() >= DEEPEST {
                let error = Diagnostic::error("F0005", self.peek().span, "there are too many indices");
                return Err(self.report(error.label(format!("more than {DEEPEST}"))));
            }
            indices.push(self.index()?);
        }
        Ok(indices)
    }
}
