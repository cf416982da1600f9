//! Pieces: what the scanner hands out, the tokens of the preprocessor, and how they are spelled.
//!
//! A piece remembers two places, where the user wrote it and where its characters stand, because a macro may have come between.

use crate::token::{Name, Names, TokenKind};
use model::source::Span;

/// A token of the preprocessor.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Piece {
    /// What it is.
    pub kind: PieceKind,
    /// Where the user wrote it: for a piece out of a macro, the name in the outermost invocation.
    pub span: Span,
    /// Where its characters stand.
    pub spelled: Span,
    /// Whether it is the first on its line.
    pub newline_before: bool,
    /// Whether blanks, a comment or a line end stand before it.
    pub space_before: bool,
    /// A name that was met inside the expansion of its own macro and is never expanded again.
    pub painted: bool,
    /// A name that the C preprocessor takes for a part of the number before it, as in `1..N`.
    pub glued: bool,
}

/// What a [`Piece`] is.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum PieceKind {
    /// An identifier or a keyword.
    Name(Name),
    /// A word that begins with a digit, whether Promela takes it for a number or not.
    Number(Name),
    /// The text between double quotes.
    Str(Name),
    /// The text between single quotes.
    Char(Name),
    /// The rest of a line after a double quote that is not closed there.
    OpenStr(Name),
    /// The rest of a line after a single quote that is not closed there.
    OpenChar(Name),
    /// A punctuation mark of Promela.
    Mark(TokenKind),
    /// `#`
    Hash,
    /// `##`
    HashHash,
    /// A character that belongs to nothing.
    Stray(char),
    /// What an empty macro argument leaves next to a `##`.
    Nothing,
}

impl Piece {
    /// Whether it is a `#` that begins a line, and with it a directive.
    pub fn opens_directive(&self) -> bool {
        self.kind == PieceKind::Hash && self.newline_before
    }

    /// Whether it is a certain punctuation mark.
    pub fn is(&self, mark: TokenKind) -> bool {
        self.kind == PieceKind::Mark(mark)
    }

    /// The name, if it is one.
    pub fn name(&self) -> Option<Name> {
        match self.kind {
            PieceKind::Name(name) => Some(name),
            _ => None,
        }
    }
}

impl PieceKind {
    /// Whether it begins with a quote.
    pub fn is_quotation(self) -> bool {
        matches!(self, PieceKind::Str(_) | PieceKind::Char(_) | PieceKind::OpenStr(_) | PieceKind::OpenChar(_))
    }

    /// Appends the characters of the piece.
    pub fn spell(self, names: &Names, out: &mut String) {
        let mut quoted = |quote: &str, text: Name, end: &str| {
            out.push_str(quote);
            out.push_str(names.text(text));
            out.push_str(end);
        };
        match self {
            PieceKind::Name(text) | PieceKind::Number(text) => quoted("", text, ""),
            PieceKind::Str(text) => quoted("\"", text, "\""),
            PieceKind::Char(text) => quoted("'", text, "'"),
            PieceKind::OpenStr(text) => quoted("\"", text, ""),
            PieceKind::OpenChar(text) => quoted("'", text, ""),
            PieceKind::Mark(mark) => out.push_str(mark.mark().unwrap_or_default()),
            PieceKind::Hash => out.push('#'),
            PieceKind::HashHash => out.push_str("##"),
            PieceKind::Stray(character) => out.push(character),
            PieceKind::Nothing => {}
        }
    }
}
