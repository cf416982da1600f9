//! A walk over the characters of a text: blanks, comments, and characters that belong to nothing.
//!
//! Front ends whose comments are `//` and `/* */` share it; which tokens there are is their own business. Strange characters
//! are reported, a run of them once, and passed over; after some such places the text is something else altogether, and the
//! walk ends.

use crate::diagnostic::Diagnostic;
use crate::source::{FileId, Span};

/// After so many places with strange characters the text is not one of this language at all.
const MOST_STRANGE: usize = 10;

/// What a language says about characters.
#[derive(Clone, Copy, Debug)]
pub struct Complaints {
    /// The code for characters that belong to nothing.
    pub strange: &'static str,
    /// The code for a comment that is not closed.
    pub comment: &'static str,
    /// ASCII characters that belong to nothing, beside control characters.
    pub unknown: &'static [char],
}

/// A text, and how far it was read.
pub struct Scanner<'t, 'd> {
    /// The text.
    pub text: &'t str,
    /// The next character to read.
    pub at: usize,
    file: FileId,
    strange: usize,
    complaints: Complaints,
    diagnostics: &'d mut Vec<Diagnostic>,
}

impl<'t, 'd> Scanner<'t, 'd> {
    /// At the beginning of a text.
    pub fn new(file: FileId, text: &'t str, complaints: Complaints, diagnostics: &'d mut Vec<Diagnostic>) -> Self {
        Scanner { text, at: 0, file, strange: 0, complaints, diagnostics }
    }

    /// What is still to be read.
    pub fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or("")
    }

    /// From a place up to here.
    pub fn span(&self, start: usize) -> Span {
        Span::new(self.file, start, self.at)
    }

    /// Says something about the text.
    pub fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// Takes the characters that belong together.
    pub fn run(&mut self, belongs: impl Fn(char) -> bool) -> (&'t str, Span) {
        let rest = self.rest();
        self.take(rest.find(|c| !belongs(c)).unwrap_or(rest.len()))
    }

    /// Takes the first of some marks that comes next.
    pub fn mark(&mut self, marks: &[&'static str]) -> Option<(&'static str, Span)> {
        let mark = marks.iter().find(|mark| self.rest().starts_with(**mark))?;
        Some((mark, self.take(mark.len()).1))
    }

    fn take(&mut self, len: usize) -> (&'t str, Span) {
        let (start, rest) = (self.at, self.rest());
        self.at += len;
        (&rest[..len], self.span(start))
    }

    /// Passes over blanks and comments.
    pub fn blanks(&mut self) {
        loop {
            let rest = self.rest();
            self.at += rest.len() - rest.trim_start().len();
            let (rest, start) = (self.rest(), self.at);
            if rest.starts_with("//") {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if let Some(body) = rest.strip_prefix("/*") {
                match body.find("*/") {
                    Some(len) => self.at += len + 4,
                    None => {
                        self.at = self.text.len();
                        let opening = Span::new(self.file, start, start + 2);
                        let error = Diagnostic::error(self.complaints.comment, opening, "this comment is not closed");
                        self.report(error.label("opened here").help("comments end with `*/`"));
                    }
                }
            } else {
                return;
            }
        }
    }

    /// Passes over characters that belong to nothing, at least one. Says whether it is worth going on.
    pub fn strange_characters(&mut self) -> bool {
        let start = self.at;
        let unknown = self.complaints.unknown;
        let known = |c: char| c.is_ascii() && !c.is_ascii_control() && !unknown.contains(&c);
        while let Some(c) = self.rest().chars().next() {
            if self.at > start && (known(c) || c.is_whitespace()) {
                break;
            }
            self.at += c.len_utf8();
        }
        self.strange += 1;
        let shown: String = self.text[start..self.at].chars().take(12).map(printable).collect();
        let words = format!("`{shown}` is not a part of this language");
        let error = Diagnostic::error(self.complaints.strange, self.span(start), words);
        self.report(error.help("names are made of letters, digits and `_`; comments are `//` and `/* */`"));
        self.strange <= MOST_STRANGE
    }
}

fn printable(c: char) -> char {
    if c.is_control() { '\u{fffd}' } else { c }
}
