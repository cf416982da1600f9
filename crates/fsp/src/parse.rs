//! From tokens to a tree: definitions one after the other.
//!
//! After an error the parser goes on at the next definition, so that one reading shows several errors. Nesting is
//! limited, because the parser and all that comes after it call themselves. Definitions that LTSA has and we have not are
//! refused where ignoring them could change an answer; `menu` and `minimal` cannot.

mod asserts;
mod expressions;
mod formulas;
mod labels;
mod processes;
mod systems;

use crate::ast::{File, Modifiers, Name, Place, Process};
use crate::lexer::{KEYWORDS, Token, TokenKind};
use crate::limits::{DEEPEST, MOST_ERRORS};
use model::diagnostic::{Diagnostic, nearest};
use model::source::Span;

/// An error has been reported; the caller looks for a place to go on.
pub(crate) struct Reported;

type Parsed<T> = Result<T, Reported>;

/// Makes a tree of tokens; what is wrong goes to `diagnostics`.
pub(crate) fn parse<'t>(tokens: &'t [Token<'t>], diagnostics: &'t mut Vec<Diagnostic>) -> File {
    let mut parser = Parser { tokens, at: 0, depth: 0, places: 3, diagnostics };
    let mut file = File::default();
    let mut errors = 0;
    while parser.peek().kind != TokenKind::End {
        if parser.definition(&mut file).is_err() {
            errors += 1;
            if errors >= MOST_ERRORS {
                break;
            }
            parser.skip_definition();
        }
    }
    file
}

/// Makes labels of a text such as `phil[N].eat, phil[1].{sit, rise}`; `None` if it is something else.
pub(crate) fn parse_labels(tokens: &[Token<'_>]) -> Option<Vec<crate::ast::Label>> {
    let mut diagnostics = Vec::new();
    let mut parser = Parser { tokens, at: 0, depth: 0, places: 0, diagnostics: &mut diagnostics };
    let labels = parser.list(Parser::label).ok()?;
    (parser.peek().kind == TokenKind::End).then_some(labels)
}

/// The places of `STOP`, `END` and `ERROR`; all others are numbered from there on.
pub(crate) const STOP: Place = 0;
pub(crate) const END: Place = 1;
pub(crate) const ERROR: Place = 2;

struct Parser<'t> {
    tokens: &'t [Token<'t>],
    at: usize,
    depth: usize,
    places: Place,
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

    /// The span of the token that was taken last.
    fn last_span(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].span
    }

    /// Whether a token is this word or mark. A number, a quoted text or a name never is.
    fn is_at(&self, by: usize, text: &str) -> bool {
        let token = self.ahead(by);
        matches!(token.kind, TokenKind::Keyword | TokenKind::Mark) && token.text == text
    }

    fn is(&self, text: &str) -> bool {
        self.is_at(0, text)
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
        self.diagnostics.push(error);
        Reported
    }

    fn unexpected(&mut self, wanted: &str) -> Reported {
        let error = self.unexpected_error(wanted);
        self.report(error)
    }

    fn unexpected_error(&self, wanted: &str) -> Diagnostic {
        let token = self.peek();
        let found =
            if token.kind == TokenKind::End { "the end of the file".into() } else { format!("`{}`", token.text) };
        let error = Diagnostic::error("F0003", token.span, format!("expected {wanted}, found {found}"));
        let error = error.label(format!("expected {wanted}"));
        if token.kind == TokenKind::Keyword && wanted.starts_with("a name") {
            return error.help(format!("`{}` is a word of the language; choose another name", token.text));
        }
        match nearest(token.text, KEYWORDS.iter().copied()) {
            Some(word) if matches!(token.kind, TokenKind::Lower) && wanted.contains("definition") => {
                error.help(format!("did you mean `{word}`?"))
            }
            _ => error,
        }
    }

    fn upper(&mut self, what: &str) -> Parsed<Name> {
        let token = self.peek();
        if token.kind != TokenKind::Upper {
            let mut error = self.unexpected_error(&format!("a name for {what}"));
            if token.kind == TokenKind::Lower {
                error =
                    error.help("names of processes, constants, ranges, sets and formulas begin with a capital letter");
            }
            return Err(self.report(error));
        }
        self.next();
        Ok(Name { text: token.text.to_owned(), span: token.span })
    }

    /// Runs `inner` one level deeper, if that is not too deep.
    fn deeper<T>(&mut self, inner: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= DEEPEST {
            let error = Diagnostic::error("F0005", self.peek().span, "this is nested too deeply");
            return Err(self.report(error.label(format!("more than {DEEPEST} levels"))));
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

    fn place(&mut self) -> Place {
        self.places = self.places.saturating_add(1);
        self.places - 1
    }

    fn unsupported(&mut self, span: Span, what: &str, help: &str) -> Reported {
        let error = Diagnostic::error("F0006", span, format!("{what} is not supported"));
        self.report(error.help(help))
    }

    fn definition(&mut self, file: &mut File) -> Parsed<()> {
        let token = self.peek();
        let modifiers = self.modifiers();
        if self.peek().kind == TokenKind::Upper {
            return self.process(file, modifiers);
        }
        if self.is("||") {
            return self.composite(file, modifiers);
        }
        if token.span != self.peek().span {
            return Err(self.unexpected("a process or a composition"));
        }
        if token.kind != TokenKind::Keyword {
            return Err(self.unexpected("a definition"));
        }
        self.next();
        match token.text {
            "const" => self.constant(file),
            "range" => self.range(file),
            "set" => self.set_definition(file),
            "import" => self.import(file),
            "fluent" => self.fluent(file),
            "assert" => self.assert(file),
            "ltl" => self.ltl(file),
            "progress" => self.progress(file),
            "menu" => {
                self.skip_definition();
                Ok(())
            }
            "constraint" | "ltl_property" => {
                let help = "write the formula as `ltl NAME { .. }`, or a `property` process";
                Err(self.unsupported(token.span, &format!("`{}`", token.text), help))
            }
            _ => {
                self.at -= 1;
                Err(self.unexpected("a definition"))
            }
        }
    }

    /// The words in front of a process or a composition. `minimal` and `compose` change nothing: what LTSA minimises is
    /// equivalent to the original, and what is composed is minimised anyway.
    fn modifiers(&mut self) -> Modifiers {
        let mut modifiers = Modifiers::default();
        loop {
            match self.peek().text {
                _ if self.peek().kind != TokenKind::Keyword => return modifiers,
                "property" => modifiers.property = true,
                "deterministic" => modifiers.deterministic = true,
                "minimal" | "compose" => {}
                _ => return modifiers,
            }
            self.next();
        }
    }

    /// `const N = expr`
    fn constant(&mut self, file: &mut File) -> Parsed<()> {
        let name = self.upper("a constant")?;
        self.expect("=")?;
        let value = self.sum()?;
        file.constants.push((name, value));
        self.eat(".");
        Ok(())
    }

    /// `range R = low..high`
    fn range(&mut self, file: &mut File) -> Parsed<()> {
        let name = self.upper("a range")?;
        self.expect("=")?;
        let low = self.sum()?;
        let start = self.last_span();
        self.expect("..")?;
        let high = self.sum()?;
        file.ranges.push((name, crate::ast::Bounds { low, high, span: start.to(self.last_span()) }));
        self.eat(".");
        Ok(())
    }

    /// `set S = {a, b}`
    fn set_definition(&mut self, file: &mut File) -> Parsed<()> {
        let name = self.upper("a set")?;
        self.expect("=")?;
        let set = self.set()?;
        file.sets.push((name, set));
        self.eat(".");
        Ok(())
    }

    /// LTSA's `import P = "file.aut"`.
    fn import(&mut self, file: &mut File) -> Parsed<()> {
        let name = self.upper("a process")?;
        self.expect("=")?;
        let import = Some(self.file_name()?);
        self.eat(".");
        file.last_process = Some(name.clone());
        let (parameters, clauses, changes) = Default::default();
        file.processes.push(Process {
            name,
            modifiers: Modifiers::default(),
            parameters,
            clauses,
            import,
            extension: None,
            changes,
        });
        Ok(())
    }

    fn file_name(&mut self) -> Parsed<Name> {
        let token = self.peek();
        if token.kind != TokenKind::Quoted {
            return Err(self.unexpected("the name of a file in quotes"));
        }
        self.next();
        Ok(Name { text: token.text.to_owned(), span: token.span })
    }

    /// Goes to where the next definition begins.
    fn skip_definition(&mut self) {
        loop {
            let token = self.next();
            // After a comma comes a local process, and after a misspelt word what it should have defined.
            let local = token.text == "," || token.kind == TokenKind::Lower;
            if token.kind == TokenKind::End || self.peek().kind == TokenKind::End {
                self.at = self.tokens.len() - 1;
                return;
            }
            if self.begins_definition() && !local {
                return;
            }
        }
    }

    /// Whether a definition begins here: a word that only definitions begin with, or `P(..){..} =`, or `||S(..) =`.
    fn begins_definition(&self) -> bool {
        self.definition_begins(0)
    }

    fn definition_begins(&self, by: usize) -> bool {
        const INNER: &[&str] = &["else", "forall", "if", "initially", "then", "when"];
        let token = self.ahead(by);
        match token.kind {
            TokenKind::Keyword => !INNER.contains(&token.text),
            TokenKind::Upper => self.is_at(self.past_head(by + 1), "="),
            TokenKind::Mark if token.text == "||" && self.ahead(by + 1).kind == TokenKind::Upper => {
                self.is_at(self.past_head(by + 2), "=")
            }
            _ => false,
        }
    }

    /// How far ahead it is to what follows `(..)` and `{..}`.
    fn past_head(&self, mut by: usize) -> usize {
        const LONGEST: usize = 400;
        for (open, close) in [("(", ")"), ("{", "}")] {
            if self.is_at(by, open) {
                by += 1;
                let limit = by + LONGEST;
                while by < limit && !self.is_at(by, close) {
                    by += 1;
                }
                by += 1;
            }
        }
        by
    }
}
