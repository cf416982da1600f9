//! From characters to tokens, for both languages.
//!
//! No word is reserved here: keywords occur as names in both. Action code is one token: between backticks in Art, between
//! `'''` in ROOM. Its text keeps the length that it has in the file, so that an error inside it has a place.

use model::diagnostic::Diagnostic;
use model::scan::{Complaints, Scanner};
use model::source::{FileId, Span};

/// Which language a file is written in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dialect {
    /// Art: the language of Code RealTime.
    Art,
    /// ROOM: the language of eTrice.
    Room,
}

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TokenKind {
    Name,
    Number,
    /// A string; its text is without the quotes.
    Text,
    /// Action code; its text is without the marks around it.
    Code,
    Mark(&'static str),
    End,
}

/// A token. Its span is that of its text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Token<'t> {
    pub(crate) kind: TokenKind,
    pub(crate) text: &'t str,
    pub(crate) span: Span,
}

/// Punctuation marks, longer ones before their beginnings.
const MARKS: &[&str] = &[
    "->", "::", "..", "{", "}", "(", ")", "[", "]", "<", ">", "|", ";", ":", ",", ".", "~", "=", "*", "@", "/", "-",
    "+", "&", "^",
];

const COMPLAINTS: Complaints =
    Complaints { strange: "U0001", comment: "U0002", unknown: &['!', '#', '$', '%', '?', '\\', '`', '\'', '"'] };

/// The tokens of a text; the last one is the end.
pub(crate) fn tokenize<'t>(
    dialect: Dialect,
    file: FileId,
    text: &'t str,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Token<'t>> {
    let mut scanner = Scanner::new(file, text, COMPLAINTS, diagnostics);
    scanner.at = text.len() - text.trim_start_matches('\u{feff}').len();
    let mut tokens = Vec::new();
    while let Some(token) = next(dialect, file, &mut scanner) {
        tokens.push(token);
    }
    let end = Span::new(file, text.len(), text.len());
    tokens.push(Token { kind: TokenKind::End, text: "", span: end });
    tokens
}

fn next<'t>(dialect: Dialect, file: FileId, scanner: &mut Scanner<'t, '_>) -> Option<Token<'t>> {
    loop {
        scanner.blanks();
        let rest = scanner.rest();
        let first = rest.chars().next()?;
        if first.is_ascii_digit() {
            let (text, span) = scanner.run(|c| c.is_ascii_alphanumeric());
            return Some(Token { kind: TokenKind::Number, text, span });
        }
        if first.is_alphabetic() || first == '_' {
            let (text, span) = scanner.run(|c| c.is_alphanumeric() || c == '_');
            return Some(Token { kind: TokenKind::Name, text, span });
        }
        let quote = match dialect {
            Dialect::Art => ["`", "\""].into_iter().find(|quote| rest.starts_with(quote)),
            Dialect::Room => ["'''", "\"", "'"].into_iter().find(|quote| rest.starts_with(quote)),
        };
        if let Some(quote) = quote {
            return quoted(file, scanner, quote);
        }
        if let Some((mark, span)) = scanner.mark(MARKS) {
            return Some(Token { kind: TokenKind::Mark(mark), text: mark, span });
        }
        if !scanner.strange_characters() {
            return None;
        }
    }
}

/// A string or action code. A backslash takes the meaning from the next character, except between `'''`.
fn quoted<'t>(file: FileId, scanner: &mut Scanner<'t, '_>, quote: &'static str) -> Option<Token<'t>> {
    let start = scanner.at;
    let body = scanner.rest().get(quote.len()..).unwrap_or("");
    let Some(len) = quoted_length(body, quote) else {
        let opening = Span::new(file, start, start + quote.len());
        let (what, code) = if matches!(quote, "\"" | "'") { ("string", "U0003") } else { ("action code", "U0004") };
        let error = Diagnostic::error(code, opening, format!("this {what} is not closed"));
        scanner.report(error.label("opened here").help(format!("it ends with another {quote}")));
        scanner.at = scanner.text.len();
        return None;
    };
    scanner.at = start + 2 * quote.len() + len;
    let span = Span::new(file, start + quote.len(), start + quote.len() + len);
    let kind = if matches!(quote, "\"" | "'") { TokenKind::Text } else { TokenKind::Code };
    Some(Token { kind, text: &body[..len], span })
}

fn quoted_length(body: &str, quote: &str) -> Option<usize> {
    if quote == "'''" {
        return body.find(quote);
    }
    // In Art only a backtick is escaped: C++ between backticks has backslashes of its own.
    let escapes = |next: Option<&u8>| quote != "`" || next == Some(&b'`');
    let (bytes, mark) = (body.as_bytes(), quote.as_bytes()[0]);
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        if byte == mark {
            return Some(at);
        }
        at += if byte == b'\\' && escapes(bytes.get(at + 1)) { 2 } else { 1 };
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(dialect: Dialect, text: &str) -> Vec<&str> {
        tokenize(dialect, FileId(0), text, &mut Vec::new()).iter().map(|token| token.text).collect()
    }

    #[test]
    fn action_code_is_one_token() {
        assert_eq!(words(Dialect::Art, r"a `b; \` // c` d"), ["a", r"b; \` // c", "d", ""]);
        assert_eq!(words(Dialect::Room, "a '''b \"c\" ''' 'x' \"y\\\"z\""), ["a", "b \"c\" ", "x", "y\\\"z", ""]);
    }

    #[test]
    fn what_is_not_closed_is_one_error() {
        for (text, code) in [("a `b", "U0004"), ("a \"b", "U0003"), ("a /* b", "U0002"), ("a $ b", "U0001")] {
            let mut diagnostics = Vec::new();
            tokenize(Dialect::Art, FileId(0), text, &mut diagnostics);
            assert_eq!(diagnostics.iter().map(|d| d.code).collect::<Vec<_>>(), [code], "{text}");
        }
    }
}
