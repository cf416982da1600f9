//! From characters to tokens.
//!
//! The words of the language are few, and most of them are reserved: a message cannot be called `to`. The words that
//! we added (`channels`, `and`, `or`, `not`, `false`) are not, so that every file that was valid without them still is.
//! Characters that belong to nothing are reported, a run of them once, and passed over.

use model::diagnostic::Diagnostic;
use model::scan::{Complaints, Scanner};
use model::source::{FileId, Span};

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TokenKind {
    /// A word that is not reserved.
    Name,
    /// A word of the language.
    Keyword,
    /// Digits.
    Number,
    /// A punctuation mark.
    Mark(&'static str),
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
    "scm",
    "nb_channels",
    "lossy",
    "parameters",
    "real",
    "int",
    "automaton",
    "initial",
    "state",
    "to",
    "when",
    "true",
    "with",
    "in",
    "bad_states",
];

/// Punctuation marks, longer ones before their beginnings.
const MARKS: &[&str] = &[
    "^*", "^+", ":=", "==", "!=", "<>", "<=", ">=", "&&", "||", ":", ";", ",", "!", "?", "(", ")", ".", "|", "#", "_",
    "=", "<", ">", "+", "-", "*", "/", "%", "@",
];

/// What is said about characters.
const COMPLAINTS: Complaints = Complaints { strange: "S0001", comment: "S0002", unknown: &['\''] };

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
        if begins_word(scanner.rest()) {
            let (text, span) = scanner.run(|c| c.is_ascii_alphanumeric() || c == '_' || c == '\'');
            let kind = if KEYWORDS.contains(&text) { TokenKind::Keyword } else { TokenKind::Name };
            return Some(Token { kind, text, span });
        }
        if let Some((mark, span)) = scanner.mark(MARKS) {
            return Some(Token { kind: TokenKind::Mark(mark), text: mark, span });
        }
        if !scanner.strange_characters() {
            return None;
        }
    }
}

/// A word begins with a letter, or with `_` if it does not end there: `_` alone is the empty word.
fn begins_word(rest: &str) -> bool {
    let mut characters = rest.chars();
    match characters.next() {
        Some('_') => characters.next().is_some_and(|c| c.is_ascii_alphanumeric() || c == '_'),
        Some(c) => c.is_ascii_alphabetic(),
        None => false,
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
        assert_eq!(words("a^*.b|_#_x"), ["a", "^*", ".", "b", "|", "_", "#", "_x", ""]);
        assert_eq!(words("0!a;1?b"), ["0", "!", "a", ";", "1", "?", "b", ""]);
    }

    #[test]
    fn comments_are_blanks() {
        assert_eq!(words("a/* b */c// d\ne"), ["a", "c", "e", ""]);
    }

    #[test]
    fn a_run_of_strange_characters_is_one_message() {
        let mut diagnostics = Vec::new();
        tokenize(FileId(0), "a ééé b $ \0", &mut diagnostics);
        assert_eq!(diagnostics.iter().map(|d| d.code).collect::<Vec<_>>(), ["S0001"; 3]);
    }
}
