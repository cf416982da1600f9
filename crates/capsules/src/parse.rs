//! From tokens to a tree: what both languages share.
//!
//! One function per line of a grammar, which the crate's documentation prints. After an error the parser goes on with the next
//! element of the block it is in, so that one reading shows several errors. Nesting is limited, because the parser and all
//! that comes after it call themselves.

mod art;
mod room;

use crate::ast::{Code, File, Name};
use crate::lexer::{Dialect, Token, TokenKind};
use model::diagnostic::Diagnostic;
use model::source::Span;

/// How deep states may nest.
const DEEPEST: usize = 100;
/// After so many errors the rest does not help.
const MOST_ERRORS: usize = 30;

/// An error has been reported; the caller looks for a place to go on.
struct Reported;

type Parsed<T> = Result<T, Reported>;

/// Makes a tree of tokens; what is wrong goes to `diagnostics`.
pub(crate) fn parse(dialect: Dialect, tokens: &[Token<'_>], diagnostics: &mut Vec<Diagnostic>) -> File {
    let mut parser = Parser { tokens, at: 0, depth: 0, errors: 0, diagnostics };
    match dialect {
        Dialect::Art => parser.art_file(),
        Dialect::Room => parser.room_file(),
    }
}

struct Parser<'t> {
    tokens: &'t [Token<'t>],
    at: usize,
    depth: usize,
    errors: usize,
    diagnostics: &'t mut Vec<Diagnostic>,
}

impl<'t> Parser<'t> {
    fn peek(&self) -> Token<'t> {
        self.ahead(0)
    }

    fn ahead(&self, by: usize) -> Token<'t> {
        self.tokens[(self.at + by).min(self.tokens.len() - 1)]
    }

    fn next(&mut self) -> Token<'t> {
        let token = self.peek();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    fn at_end(&self) -> bool {
        self.peek().kind == TokenKind::End || self.errors >= MOST_ERRORS
    }

    /// Whether the token so far ahead is this word or mark.
    fn is_ahead(&self, by: usize, text: &str) -> bool {
        let token = self.ahead(by);
        matches!(token.kind, TokenKind::Name | TokenKind::Mark(_)) && token.text == text
    }

    fn is(&self, text: &str) -> bool {
        self.is_ahead(0, text)
    }

    fn eat(&mut self, text: &str) -> bool {
        let found = self.is(text);
        if found {
            self.next();
        }
        found
    }

    fn expect(&mut self, text: &str) -> Parsed<Token<'t>> {
        if self.is(text) { Ok(self.next()) } else { Err(self.unexpected(&format!("`{text}`"))) }
    }

    fn report(&mut self, error: Diagnostic) -> Reported {
        self.errors += 1;
        self.diagnostics.push(error);
        Reported
    }

    fn unexpected(&mut self, wanted: &str) -> Reported {
        let token = self.peek();
        let found = match token.kind {
            TokenKind::End => String::from("the end of the file"),
            TokenKind::Code => String::from("action code"),
            TokenKind::Text => String::from("a string"),
            _ => format!("`{}`", token.text),
        };
        let error = Diagnostic::error("U0005", token.span, format!("expected {wanted}, found {found}"));
        self.report(error.label(format!("expected {wanted}")))
    }

    fn name(&mut self, what: &str) -> Parsed<Name> {
        if self.peek().kind != TokenKind::Name {
            return Err(self.unexpected(&format!("the name of {what}")));
        }
        let token = self.next();
        Ok(Name { text: token.text.to_owned(), span: token.span })
    }

    fn number(&mut self) -> Parsed<(u64, Span)> {
        let token = self.peek();
        if token.kind != TokenKind::Number {
            return Err(self.unexpected("a number"));
        }
        self.next();
        let hexadecimal = token.text.strip_prefix("0x").or_else(|| token.text.strip_prefix("0X"));
        let value = hexadecimal.map_or_else(|| token.text.parse().ok(), |digits| u64::from_str_radix(digits, 16).ok());
        match value {
            Some(value) if i64::try_from(value).is_ok() => Ok((value, token.span)),
            _ => Err(self.report(Diagnostic::error("U0006", token.span, "this is not a number of at most 63 bits"))),
        }
    }

    fn code(&mut self) -> Option<Code> {
        (self.peek().kind == TokenKind::Code).then(|| {
            let token = self.next();
            Code { text: token.text.to_owned(), span: token.span }
        })
    }

    /// Runs `inner` one level deeper, if that is not too deep.
    fn deeper<T>(&mut self, inner: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= DEEPEST {
            let error = Diagnostic::error("U0007", self.peek().span, "this is nested too deeply");
            let reported = self.report(error.label(format!("more than {DEEPEST} levels")));
            self.errors = MOST_ERRORS;
            return Err(reported);
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    /// Items with commas between them.
    fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut items = vec![item(self)?];
        while self.eat(",") {
            items.push(item(self)?);
        }
        Ok(items)
    }

    /// `"{" { item } "}"`: after an error the next item is looked for with `resume`.
    fn block(&mut self, mut item: impl FnMut(&mut Self) -> Parsed<()>, resume: impl Fn(&mut Self)) -> Parsed<()> {
        let opening = self.expect("{")?.span;
        while !self.is("}") {
            if self.at_end() {
                if self.errors < MOST_ERRORS {
                    let error = Diagnostic::error("U0008", opening, "this block is not closed");
                    self.report(error.label("opened here").help("it ends with `}`"));
                    self.errors = MOST_ERRORS;
                }
                return Err(Reported);
            }
            let before = self.at;
            if item(self).is_err() {
                resume(self);
                if self.at == before {
                    self.next();
                }
            }
        }
        self.next();
        Ok(())
    }

    /// Goes on behind the next semicolon of this block, or at its closing brace.
    fn resume_at_semicolon(&mut self) {
        let mut depth = 0;
        while !self.at_end() {
            if self.is("{") {
                depth += 1;
            } else if self.is("}") {
                if depth == 0 {
                    return;
                }
                depth -= 1;
            } else if self.is(";") && depth == 0 {
                self.next();
                return;
            }
            self.next();
        }
    }

    /// Passes over a block or to a word of `words` in this block, or to its closing brace.
    fn resume_at_word(&mut self, words: &[&str]) {
        let mut depth = 0;
        let start = self.at;
        while !self.at_end() {
            if self.is("{") {
                depth += 1;
            } else if self.is("}") {
                if depth == 0 {
                    return;
                }
                depth -= 1;
            } else if depth == 0 && self.at > start && words.iter().any(|word| self.is(word)) {
                return;
            }
            self.next();
        }
    }
}
