//! Regular expressions over messages and separators.
//!
//! A side of `.` or `|` may be left blank and is then the empty word: `c.#` says that the second queue is empty.
//! Between a separator and its neighbours the dot may be left out. Repetitions of repetitions are one repetition, so
//! that `a^*^*^*` is not deep.

use super::{Parsed, Parser};
use crate::ast::{Name, Regex, RegexKind};
use crate::lexer::TokenKind;
use model::diagnostic::Diagnostic;
use model::source::Span;

impl Parser<'_> {
    pub(super) fn regex(&mut self) -> Parsed<Regex> {
        self.deeper(Self::union)
    }

    fn union(&mut self) -> Parsed<Regex> {
        let first = self.sequence()?;
        if !self.is("|") {
            return Ok(first);
        }
        let mut parts = vec![first];
        while self.eat("|") {
            parts.push(self.sequence()?);
        }
        Ok(joined(parts, RegexKind::Union))
    }

    fn sequence(&mut self) -> Parsed<Regex> {
        let here = self.peek().span;
        let mut parts: Vec<Regex> = Vec::new();
        let mut dotted = true;
        loop {
            if self.eat(".") {
                dotted = true;
                continue;
            }
            if !self.begins_atom() {
                break;
            }
            let part = self.repetition()?;
            if !dotted && !parts.last().is_some_and(Regex::is_separator) && !part.is_separator() {
                return Err(self.missing_dot(part.span));
            }
            parts.push(part);
            dotted = false;
        }
        Ok(match parts.len() {
            0 => Regex { kind: RegexKind::Empty, span: Span { end: here.start, ..here } },
            1 => parts.remove(0),
            _ => joined(parts, RegexKind::Sequence),
        })
    }

    fn begins_atom(&self) -> bool {
        matches!(self.peek().kind, TokenKind::Name) || self.is("_") || self.is("#") || self.is("(")
    }

    fn missing_dot(&mut self, span: Span) -> super::Reported {
        let error = Diagnostic::error("S0006", span, "there is no `.` in front of this");
        self.report(error.label("write `.` between two messages"))
    }

    /// An atom with its `^*` and `^+`.
    fn repetition(&mut self) -> Parsed<Regex> {
        let mut regex = self.atom()?;
        while self.is("^*") || self.is("^+") {
            let mark = self.next();
            let span = regex.span.to(mark.span);
            let star = mark.text == "^*" || matches!(regex.kind, RegexKind::Star(_));
            let inner = match regex.kind {
                RegexKind::Star(inner) | RegexKind::Plus(inner) => inner,
                kind => Box::new(Regex { kind, span: regex.span }),
            };
            regex = Regex { kind: if star { RegexKind::Star(inner) } else { RegexKind::Plus(inner) }, span };
        }
        Ok(regex)
    }

    fn atom(&mut self) -> Parsed<Regex> {
        let token = self.next();
        let kind = match token.text {
            "_" => RegexKind::Empty,
            "#" => RegexKind::Separator,
            "(" => {
                let inner = self.regex()?;
                let end = self.expect(")")?.span;
                return Ok(Regex { kind: inner.kind, span: token.span.to(end) });
            }
            text => RegexKind::Message(Name { text: text.to_owned(), span: token.span }),
        };
        Ok(Regex { kind, span: token.span })
    }
}

impl Regex {
    fn is_separator(&self) -> bool {
        matches!(self.kind, RegexKind::Separator)
    }
}

fn joined(parts: Vec<Regex>, kind: impl FnOnce(Vec<Regex>) -> RegexKind) -> Regex {
    let first = parts.first().map_or(Span::NONE, |part| part.span);
    let span = parts.iter().fold(first, |span, part| span.to(part.span));
    Regex { kind: kind(parts), span }
}
