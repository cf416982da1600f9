//! From characters to tokens.
//!
//! Names that begin with a capital letter are processes, constants, ranges, sets and parameters; the others are events,
//! propositions and variables. Formulas are made of the same tokens: the parser finds where one ends, and `temporal`
//! reads its text. Characters that belong to nothing are reported, a run of them once, and passed over.

use model::diagnostic::Diagnostic;
use model::scan::{Complaints, Scanner};
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
    "'", ".", ";", ":", "/", "\\", "@", "+", "-", "*", "%", "<", ">", "=", "!", "|", "&", "^", "~", "?", "#",
];

/// What is said about characters.
const COMPLAINTS: Complaints = Complaints { strange: "F0001", comment: "F0002", unknown: &['$', '`'] };

/// The tokens of a text; the last one is the end.
pub(crate) fn tokenize<'t>(file: FileId, text: &'t str, diagnostics: &mut Vec<Diagnostic>) -> Vec<Token<'t>> {
    let mut scanner = Scanner::new(file, text, COMPLAINTS, diagnostics);
    let mut tokens = Vec::new();
    while let Some(token) = next(&mut scanner) {
        tokens.push(token);
    }
    let end = Span::new(file, text.len(), text.len());
    tokens.push(Token { kind: TokenKind::End, text: "", span: end });
    tokens
}

fn next<'t>(scanner: &mut Scanner<'t, '_>) -> Option<Token<'t>> {
    loop {
        scanner.blanks();
        let first = scanner.rest().chars().next()?;
        if first.is_ascii_digit() {
            let (text, span) = scanner.run(|c| c.is_ascii_digit());
            return Some(Token { kind: TokenKind::Number, text, span });
        }
        if first.is_ascii_alphabetic() || first == '_' {
            return Some(word(scanner));
        }
        if first == '"' {
            if let Some(token) = quoted(scanner) {
                return Some(token);
            }
            continue;
        }
        if let Some((text, span)) = scanner.mark(MARKS) {
            return Some(Token { kind: TokenKind::Mark, text, span });
        }
        if !scanner.strange_characters() {
            return None;
        }
    }
}

fn word<'t>(scanner: &mut Scanner<'t, '_>) -> Token<'t> {
    let (text, span) = scanner.run(|c| c.is_ascii_alphanumeric() || c == '_');
    let kind = if KEYWORDS.contains(&text) {
        TokenKind::Keyword
    } else if text.starts_with(|c: char| c.is_ascii_uppercase()) {
        TokenKind::Upper
    } else {
        TokenKind::Lower
    };
    Token { kind, text, span }
}

/// A text in quotes, all of it on one line; nothing if it is not closed.
fn quoted<'t>(scanner: &mut Scanner<'t, '_>) -> Option<Token<'t>> {
    let start = scanner.at;
    let body = &scanner.rest()[1..];
    match body.find(['"', '\n']) {
        Some(len) if body[len..].starts_with('"') => {
            scanner.at += len + 2;
            Some(Token { kind: TokenKind::Quoted, text: &body[..len], span: scanner.span(start) })
        }
        other => {
            scanner.at += 1;
            let error = Diagnostic::error("F0007", scanner.span(start), "this quote is not closed");
            scanner.report(error.label("opened here").help("a quoted text ends on the line it begins on"));
            scanner.at += other.unwrap_or(body.len());
            None
        }
    }
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
