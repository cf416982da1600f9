//! From characters to tokens.
//!
//! Names that begin with a capital letter are processes, constants, ranges, sets and parameters; the others are events,
//! propositions and variables. Formulas are made of the same tokens: the parser finds where one ends, and `temporal`
//! reads its text. Characters that belong to nothing are reported, a run of them once, and passed over.

use model::diagnostic::Diagnostic;
use model::source::{FileId, Span};

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TokenKind {
    /// A name that begins with a small letter or `_`.
    Lower,
    /// A name that begins with a capital letter.
    Upper,
    /// A word of the language.
    Keyword,
    /// Digits.
    Number,
    /// A text in quotes; the token's text is without them.
    Quoted,
    /// A punctuation mark.
    Mark,
    /// The end of the text.
    End,
}

/// A token: what it is, and where.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Token<'t> {
    pub(crate) kind: TokenKind,
    pub(crate) text: &'t str,
    pub(crate) span: Span,
}

/// The words that are reserved.
pub(crate) const KEYWORDS: &[&str] = &[
    "assert",
    "compose",
    "const",
    "constraint",
    "deterministic",
    "else",
    "fluent",
    "forall",
    "if",
    "import",
    "initially",
    "ltl",
    "ltl_property",
    "menu",
    "minimal",
    "progress",
    "property",
    "range",
    "set",
    "then",
    "when",
];

/// Punctuation marks, longer ones before their beginnings.
const MARKS: &[&str] = &[
    "<->", "->", "..", "::", "||", "&&", "==", "!=", "<=", ">=", "<<", ">>", "<>", "(", ")", "{", "}", "[", "]", ",",
    ".", ";", ":", "/", "\\", "@", "+", "-", "*", "%", "<", ">", "=", "!", "|", "&", "^", "~", "?", "#",
];

/// After so many places with strange characters the text is not FSP at all.
const MOST_STRANGE: usize = 10;

/// The tokens of a text; the last one is the end.
pub(crate) fn tokenize<'t>(file: FileId, text: &'t str, diagnostics: &mut Vec<Diagnostic>) -> Vec<Token<'t>> {
    let mut scanner = Scanner { file, text, at: 0, strange: 0, diagnostics };
    let mut tokens = Vec::new();
    while let Some(token) = scanner.next() {
        tokens.push(token);
    }
    let end = Span::new(file, text.len(), text.len());
    tokens.push(Token { kind: TokenKind::End, text: "", span: end });
    tokens
}

struct Scanner<'t, 'd> {
    file: FileId,
    text: &'t str,
    at: usize,
    strange: usize,
    diagnostics: &'d mut Vec<Diagnostic>,
}

impl<'t> Scanner<'t, '_> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn span(&self, start: usize) -> Span {
        Span::new(self.file, start, self.at)
    }

    fn next(&mut self) -> Option<Token<'t>> {
        loop {
            self.blanks();
            let first = self.rest().chars().next()?;
            if first.is_ascii_digit() {
                return Some(self.run(|c| c.is_ascii_digit(), TokenKind::Number));
            }
            if first.is_ascii_alphabetic() || first == '_' {
                return Some(self.word());
            }
            if first == '"' {
                if let Some(token) = self.quoted() {
                    return Some(token);
                }
                continue;
            }
            if let Some(mark) = MARKS.iter().find(|mark| self.rest().starts_with(**mark)) {
                let start = self.at;
                self.at += mark.len();
                return Some(Token { kind: TokenKind::Mark, text: mark, span: self.span(start) });
            }
            self.strange_characters();
            if self.strange > MOST_STRANGE {
                return None;
            }
        }
    }

    fn word(&mut self) -> Token<'t> {
        let token = self.run(|c| c.is_ascii_alphanumeric() || c == '_', TokenKind::Lower);
        let kind = if KEYWORDS.contains(&token.text) {
            TokenKind::Keyword
        } else if token.text.starts_with(|c: char| c.is_ascii_uppercase()) {
            TokenKind::Upper
        } else {
            TokenKind::Lower
        };
        Token { kind, ..token }
    }

    fn run(&mut self, belongs: impl Fn(char) -> bool, kind: TokenKind) -> Token<'t> {
        let start = self.at;
        let rest = self.rest();
        let len = rest.find(|c| !belongs(c)).unwrap_or(rest.len());
        self.at += len;
        Token { kind, text: &rest[..len], span: self.span(start) }
    }

    /// A text in quotes, all of it on one line; nothing if it is not closed.
    fn quoted(&mut self) -> Option<Token<'t>> {
        let start = self.at;
        let body = &self.rest()[1..];
        match body.find(['"', '\n']) {
            Some(len) if body[len..].starts_with('"') => {
                self.at += len + 2;
                Some(Token { kind: TokenKind::Quoted, text: &body[..len], span: self.span(start) })
            }
            other => {
                self.at += 1 + other.unwrap_or(body.len());
                let opening = Span::new(self.file, start, start + 1);
                let error = Diagnostic::error("F0007", opening, "this quote is not closed");
                self.diagnostics.push(error.label("opened here").help("a quoted text ends on the line it begins on"));
                None
            }
        }
    }

    /// Passes over blanks and comments.
    fn blanks(&mut self) {
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
                        let error = Diagnostic::error("F0002", opening, "this comment is not closed");
                        self.diagnostics.push(error.label("opened here").help("comments end with `*/`"));
                    }
                }
            } else {
                return;
            }
        }
    }

    fn strange_characters(&mut self) {
        let start = self.at;
        let known = |c: char| c.is_ascii() && !c.is_ascii_control() && !matches!(c, '\'' | '$' | '`');
        while let Some(c) = self.rest().chars().next() {
            if self.at > start && (known(c) || c.is_whitespace()) {
                break;
            }
            self.at += c.len_utf8();
        }
        self.strange += 1;
        let shown: String = self.text[start..self.at].chars().take(12).map(printable).collect();
        let error = Diagnostic::error("F0001", self.span(start), format!("`{shown}` is not a part of this language"));
        self.diagnostics.push(error.help("names are made of letters, digits and `_`; comments are `//` and `/* */`"));
    }
}

fn printable(c: char) -> char {
    if c.is_control() { '\u{fffd}' } else { c }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<&str> {
        tokenize(FileId(0), text, &mut Vec::new()).iter().map(|token| token.text).collect()
    }

    #[test]
    fn marks_are_as_long_as_they_can_be() {
        assert_eq!(words("a[0..N].b->||P"), ["a", "[", "0", "..", "N", "]", ".", "b", "->", "||", "P", ""]);
        assert_eq!(words("phil.1.eat::x"), ["phil", ".", "1", ".", "eat", "::", "x", ""]);
    }

    #[test]
    fn comments_are_blanks() {
        assert_eq!(words("a/* b */c// d\ne"), ["a", "c", "e", ""]);
    }

    #[test]
    fn a_run_of_strange_characters_is_one_message() {
        let mut diagnostics = Vec::new();
        tokenize(FileId(0), "a ééé b $ \0", &mut diagnostics);
        assert_eq!(diagnostics.iter().map(|d| d.code).collect::<Vec<_>>(), ["F0001"; 3]);
    }
}
