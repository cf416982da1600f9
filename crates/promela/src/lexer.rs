//! From characters to pieces, the tokens of the preprocessor.
//!
//! A `Scanner` walks over the bytes of one file and hands out one `Piece` at a time. It knows
//! blanks, comments, quotes and the longest punctuation mark, and it glues lines together that end
//! in a backslash, wherever that backslash stands: spans always refer to the text as it is, splices
//! included, while the text of a piece is what remains without them. Pieces are in `piece`, punctuation marks in `marks`.
//!
//! Nothing is an error here. A piece may well be something that Promela does not have — `0x1F`, a
//! lone `'`, a letter with an accent — because it may stand in a group that an `#if` leaves out, in
//! a macro that no one uses, or next to a `##` that makes a proper word of it. Only what is left
//! after preprocessing is judged, and that happens in [`crate::preprocess`].

mod marks;
mod piece;

pub(crate) use piece::{Piece, PieceKind};

use marks::{long_mark, short_mark};
use std::borrow::Cow;
use std::rc::Rc;

use model::source::{FileId, Span};

use crate::token::{Name, Names, TokenKind};

/// The piece that a text is, if it is exactly one: what `##` makes of its two neighbours.
pub(crate) fn single_piece(text: &str, names: &mut Names) -> Option<PieceKind> {
    let mut scanner = Scanner::new(Span::NONE.file, Rc::from(text));
    let piece = scanner.next(names)?;
    let whole = piece.spelled.start == 0 && scanner.at == text.len() && scanner.unclosed_comment.is_none();
    let good = !matches!(piece.kind, PieceKind::OpenStr(_) | PieceKind::OpenChar(_) | PieceKind::Stray(_));
    (whole && good).then_some(piece.kind)
}

/// The place where a file is being read.
#[derive(Clone)]
pub(crate) struct Scanner {
    text: Rc<str>,
    file: FileId,
    at: usize,
    /// Nothing has been read yet, so that what comes next begins a line.
    fresh: bool,
    /// The C preprocessor takes everything before this offset for one number.
    glued_until: usize,
    /// Where a comment begins that has no end.
    pub unclosed_comment: Option<Span>,
}

/// What stands between two pieces.
#[derive(Copy, Clone, Default)]
struct Gap {
    space: bool,
    newline: bool,
}

impl Scanner {
    /// Starts at the beginning of a file, after a byte order mark if there is one.
    pub fn new(file: FileId, text: Rc<str>) -> Self {
        let at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        Scanner { text, file, at, fresh: true, glued_until: 0, unclosed_comment: None }
    }

    /// The file that is being read.
    pub fn file(&self) -> FileId {
        self.file
    }

    /// The next piece, on this line or a later one; `None` at the end of the file.
    pub fn next(&mut self, names: &mut Names) -> Option<Piece> {
        let gap = self.skip_blanks(false);
        self.piece(gap, names)
    }

    /// The next piece of this line; `None` at its end, which is not consumed.
    pub fn next_on_line(&mut self, names: &mut Names) -> Option<Piece> {
        let gap = self.skip_blanks(true);
        if self.byte(self.at) == b'\n' {
            return None;
        }
        self.piece(gap, names)
    }

    /// The file name of an `#include` on this line, whether it stands in quotes, and where.
    pub fn header(&mut self) -> Option<(String, bool, Span)> {
        self.skip_blanks(true);
        let start = self.at + 1;
        let close = match self.byte(self.at) {
            b'"' => b'"',
            b'<' => b'>',
            _ => return None,
        };
        let rest = self.text.as_bytes().get(start..)?;
        let length = rest.iter().position(|&byte| byte == close || byte == b'\n')?;
        if rest[length] != close {
            return None;
        }
        self.at = start + length + 1;
        let name = self.text.get(start..start + length)?.to_owned();
        Some((name, close == b'"', Span::new(self.file, start - 1, self.at)))
    }

    /// Leaves everything out up to the next `#` that begins a line, and returns that `#`.
    pub fn skip_to_directive(&mut self, names: &mut Names) -> Option<Piece> {
        loop {
            let gap = self.skip_blanks(false);
            let begins_line = gap.newline || self.fresh;
            if self.at >= self.text.len() {
                return None;
            }
            if begins_line && self.byte(self.at) == b'#' {
                let piece = self.piece(gap, names)?;
                if piece.opens_directive() {
                    return Some(piece);
                }
            }
            self.skip_line();
        }
    }

    /// Leaves out the rest of this line. Quotes are respected, because what looks like a comment
    /// inside of them is none.
    pub fn skip_line(&mut self) {
        self.fresh = false;
        while self.at < self.text.len() {
            self.skip_blanks(true);
            match self.byte(self.at) {
                b'\n' => return,
                b'"' | b'\'' => _ = self.quoted(self.at),
                _ => self.at += 1,
            }
        }
    }

    /// Skips blanks, comments and spliced line ends, and also plain line ends unless told to stop there.
    fn skip_blanks(&mut self, stop_at_newline: bool) -> Gap {
        let mut gap = Gap::default();
        loop {
            match self.byte(self.at) {
                b' ' | b'\t' | b'\r' | 0x0b | 0x0c => self.at += 1,
                b'\n' if stop_at_newline => return gap,
                b'\n' => {
                    gap.newline = true;
                    self.at += 1;
                }
                b'/' if self.skip_comment() => {}
                b'\\' if self.unspliced(self.at) > self.at => {
                    self.at = self.unspliced(self.at);
                    continue;
                }
                _ => return gap,
            }
            gap.space = true;
        }
    }

    /// Skips the comment that begins at this `/`, if one does.
    fn skip_comment(&mut self) -> bool {
        let second = self.unspliced(self.at + 1);
        match self.byte(second) {
            b'*' => self.skip_block_comment(second + 1),
            b'/' => self.skip_line_comment(second + 1),
            _ => return false,
        }
        true
    }

    fn skip_block_comment(&mut self, inside: usize) {
        let mut at = inside;
        while let Some(star) = self.find(b'*', at) {
            let slash = self.unspliced(star + 1);
            if self.byte(slash) == b'/' {
                self.at = slash + 1;
                return;
            }
            at = star + 1;
        }
        self.unclosed_comment = Some(Span::new(self.file, self.at, inside));
        self.at = self.text.len();
    }

    /// Skips to the line end, which stays; a spliced line end does not end the comment.
    fn skip_line_comment(&mut self, inside: usize) {
        self.at = inside;
        while self.at < self.text.len() && self.byte(self.at) != b'\n' {
            let unspliced = self.unspliced(self.at);
            self.at = unspliced.max(self.at + 1);
        }
    }

    /// The piece at this place; `None` at the end of the file.
    fn piece(&mut self, gap: Gap, names: &mut Names) -> Option<Piece> {
        let start = self.at;
        let kind = match *self.text.as_bytes().get(start)? {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => PieceKind::Name(self.word(names)),
            b'0'..=b'9' => self.number(names),
            quote @ (b'"' | b'\'') => self.quotation(quote, names),
            first => self.mark(first),
        };
        let span = Span::new(self.file, start, self.at);
        let newline_before = gap.newline || std::mem::take(&mut self.fresh);
        Some(Piece {
            kind,
            span,
            spelled: span,
            newline_before,
            space_before: gap.space || newline_before,
            painted: false,
            glued: start < self.glued_until,
        })
    }

    /// Letters, digits and underscores, possibly across splices.
    fn word(&mut self, names: &mut Names) -> Name {
        let start = self.at;
        let mut spliced = false;
        loop {
            let rest = &self.text.as_bytes()[self.at..];
            self.at += rest.iter().position(|&byte| !is_word(byte)).unwrap_or(rest.len());
            let next = self.unspliced(self.at);
            if next == self.at || !is_word(self.byte(next)) {
                break;
            }
            spliced = true;
            self.at = next;
        }
        if spliced { names.intern(&self.cooked(start, self.at)) } else { names.intern(self.slice(start, self.at)) }
    }

    /// A word that begins with a digit. To C, `1..N` is all one number; remember how far it goes.
    fn number(&mut self, names: &mut Names) -> PieceKind {
        let text = self.word(names);
        if self.byte(self.at) == b'.' {
            let rest = &self.text.as_bytes()[self.at..];
            let length = rest.iter().position(|&byte| !is_word(byte) && byte != b'.').unwrap_or(rest.len());
            self.glued_until = self.at + length;
        }
        PieceKind::Number(text)
    }

    fn quotation(&mut self, quote: u8, names: &mut Names) -> PieceKind {
        let start = self.at + 1;
        let closed = self.quoted(self.at);
        let end = if closed { self.at - 1 } else { self.at };
        let text = names.intern(&self.cooked(start, end));
        match (quote, closed) {
            (b'"', true) => PieceKind::Str(text),
            (b'"', false) => PieceKind::OpenStr(text),
            (_, true) => PieceKind::Char(text),
            (_, false) => PieceKind::OpenChar(text),
        }
    }

    /// Moves past the quotation that begins at `open`, or to the line end if it is not closed.
    fn quoted(&mut self, open: usize) -> bool {
        let quote = self.byte(open);
        let mut at = open + 1;
        let closed = loop {
            at = self.unspliced(at);
            match self.byte(at) {
                b'\n' => break false,
                b'\\' => at = self.unspliced(at + 1) + 1,
                byte if byte == quote => break true,
                _ => at += 1,
            }
            if at >= self.text.len() {
                break false;
            }
        };
        self.at = (at + usize::from(closed)).min(self.text.len());
        closed
    }

    /// The longest punctuation mark, or the one character that stands here.
    fn mark(&mut self, first: u8) -> PieceKind {
        let second = self.unspliced(self.at + 1);
        if let Some(kind) = long_mark(first, self.byte(second)) {
            let third = self.unspliced(second + 1);
            // SPIN reads `-->` as `->`; in `x--->y` the decrement comes first.
            if kind == PieceKind::Mark(TokenKind::MinusMinus) && self.byte(third) == b'>' {
                self.at = third + 1;
                return PieceKind::Mark(TokenKind::Arrow);
            }
            self.at = second + 1;
            return kind;
        }
        if let Some(kind) = short_mark(first) {
            self.at += 1;
            return kind;
        }
        let character = self.text.get(self.at..).and_then(|rest| rest.chars().next()).unwrap_or('\u{fffd}');
        self.at += character.len_utf8();
        PieceKind::Stray(character)
    }

    /// The offset behind all the spliced line ends at `at`. Blanks between the backslash and the
    /// line end do not matter, and neither do they to the usual C preprocessors.
    fn unspliced(&self, mut at: usize) -> usize {
        let bytes = self.text.as_bytes();
        while self.byte(at) == b'\\' {
            let blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | 0x0b | 0x0c);
            let end = at + 1 + bytes[at + 1..].iter().take_while(|byte| blank(byte)).count();
            if self.byte(end) != b'\n' {
                break;
            }
            at = end + 1;
        }
        at
    }

    /// A part of the text without its splices.
    fn cooked(&self, start: usize, end: usize) -> Cow<'_, str> {
        let raw = self.slice(start, end);
        if !raw.contains('\n') {
            return Cow::Borrowed(raw);
        }
        let mut text = String::new();
        let (mut from, mut at) = (start, start);
        while at < end {
            let next = self.unspliced(at);
            if next > at {
                text.push_str(self.slice(from, at));
                from = next;
            }
            at = next.max(at + 1);
        }
        text.push_str(self.slice(from, end));
        Cow::Owned(text)
    }

    fn slice(&self, start: usize, end: usize) -> &str {
        self.text.get(start..end).unwrap_or("")
    }

    /// The byte at an offset; 0 behind the end, which no rule of the scanner takes for anything.
    fn byte(&self, at: usize) -> u8 {
        self.text.as_bytes().get(at).copied().unwrap_or(0)
    }

    fn find(&self, byte: u8, from: usize) -> Option<usize> {
        let rest = self.text.as_bytes().get(from..)?;
        Some(from + rest.iter().position(|&b| b == byte)?)
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::token::TokenKind;

    /// The pieces of a text, each as it is spelled, with a blank where space stands before it.
    fn spell(text: &str) -> String {
        let mut names = Names::new();
        let mut scanner = Scanner::new(FileId(0), Rc::from(text));
        let mut out = String::new();
        while let Some(piece) = scanner.next(&mut names) {
            out.push_str(if piece.newline_before { "|" } else { "" });
            out.push_str(if piece.space_before { " " } else { "~" });
            piece.kind.spell(&names, &mut out);
        }
        out
    }

    fn kinds(text: &str) -> Vec<PieceKind> {
        let mut names = Names::new();
        let mut scanner = Scanner::new(FileId(0), Rc::from(text));
        std::iter::from_fn(|| scanner.next(&mut names)).map(|piece| piece.kind).collect()
    }

    #[test]
    fn every_mark_is_read_back_as_itself() {
        let marks =
            "( ) { } [ ] ; : :: , . .. -> -- ++ + - * / % & && | || ^ ~ ! != !! ? ?? < <= << > >= >> = == @ \\ $";
        for mark in marks.split(' ') {
            let found = kinds(mark);
            assert!(
                matches!(found[..], [PieceKind::Mark(kind)] if kind.mark() == Some(mark)),
                "{mark} became {found:?}"
            );
        }
        assert_eq!(kinds("# ##"), [PieceKind::Hash, PieceKind::HashHash]);
    }

    #[test]
    fn the_longest_mark_wins() {
        assert_eq!(spell("a-->b"), "| a~->~b");
        assert_eq!(spell("x!!!y"), "| x~!!~!~y");
        assert_eq!(spell(":::"), "| ::~:");
        assert_eq!(spell("1..5"), "| 1~..~5");
        assert_eq!(spell("[]<>p"), "| [~]~<~>~p");
    }

    #[test]
    fn a_comment_is_a_space_and_not_a_line_end() {
        assert_eq!(spell("a/* b\n c */d // e\nf"), "| a d| f");
        assert_eq!(spell("a/**/b/*/ c /*/d"), "| a b d");
    }

    #[test]
    fn a_comment_without_end_is_remembered_where_it_begins() {
        let mut scanner = Scanner::new(FileId(0), Rc::from("a /* b"));
        let mut names = Names::new();
        assert!(scanner.next(&mut names).is_some());
        assert!(scanner.next(&mut names).is_none());
        assert_eq!(scanner.unclosed_comment, Some(Span::new(FileId(0), 2, 4)));
    }

    #[test]
    fn spliced_lines_are_one_line_everywhere() {
        assert_eq!(spell("na\\\nme -\\\r\n> 1\\  \n2 \"s\\\nt\""), "| name -> 12 \"st\"");
        assert_eq!(spell("a // b \\\n c\nd"), "| a| d");
        assert_eq!(spell("/\\\n* c *\\\n/ d"), "| d");
    }

    #[test]
    fn a_span_covers_the_splices_inside_it() {
        let mut names = Names::new();
        let piece = Scanner::new(FileId(0), Rc::from(" na\\\nme;")).next(&mut names).unwrap();
        assert_eq!(piece.span, Span::new(FileId(0), 1, 7));
        assert_eq!(piece.name(), names.get("name"));
    }

    #[test]
    fn an_escaped_quote_does_not_end_a_quotation() {
        assert_eq!(spell(r#""a\"b" '\'' "\\" x"#), r#"| "a\"b" '\'' "\\" x"#);
    }

    #[test]
    fn an_open_quotation_ends_with_its_line() {
        let found = kinds("\"abc\nx 'd\n");
        assert!(matches!(found[..], [PieceKind::OpenStr(_), PieceKind::Name(_), PieceKind::OpenChar(_)]));
        assert!(matches!(kinds("\"abc\\")[..], [PieceKind::OpenStr(_)]));
        assert!(matches!(kinds("'")[..], [PieceKind::OpenChar(_)]));
    }

    #[test]
    fn a_byte_order_mark_and_carriage_returns_are_blanks() {
        assert_eq!(spell("\u{feff}#a\r\nb"), "| #~a| b");
    }

    #[test]
    fn a_character_outside_of_ascii_is_one_stray_piece() {
        assert_eq!(kinds("é→\0"), [PieceKind::Stray('é'), PieceKind::Stray('→'), PieceKind::Stray('\0')]);
    }

    #[test]
    fn a_name_next_to_a_range_is_marked_as_glued() {
        let mut names = Names::new();
        let mut scanner = Scanner::new(FileId(0), Rc::from("1..N 1 .. M"));
        let glued: Vec<bool> = std::iter::from_fn(|| scanner.next(&mut names))
            .filter(|piece| piece.name().is_some())
            .map(|piece| piece.glued)
            .collect();
        assert_eq!(glued, [true, false]);
    }

    #[test]
    fn only_a_text_that_is_one_piece_is_a_single_piece() {
        let mut names = Names::new();
        assert!(matches!(single_piece("x1", &mut names), Some(PieceKind::Name(_))));
        assert!(matches!(single_piece("->", &mut names), Some(PieceKind::Mark(TokenKind::Arrow))));
        for text in ["", "+x", "//", "/*", " x", "x ", "'", "é", "é1"] {
            assert!(single_piece(text, &mut names).is_none(), "{text:?}");
        }
    }

    #[test]
    fn a_header_is_found_in_quotes_or_angle_brackets_only() {
        let header =
            |text: &str| Scanner::new(FileId(0), Rc::from(text)).header().map(|(name, quoted, _)| (name, quoted));
        assert_eq!(header(" \"a b.h\" x"), Some((String::from("a b.h"), true)));
        assert_eq!(header("<a.h>"), Some((String::from("a.h"), false)));
        assert_eq!(header("\"a.h\n\""), None);
        assert_eq!(header("NAME"), None);
        assert_eq!(header("<"), None);
    }
}
