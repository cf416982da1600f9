//! Punctuation marks: the longest that begins here is meant.

use super::PieceKind;
use crate::token::TokenKind;

/// The mark of two characters that a pair is, if it is one.
pub(super) fn long_mark(first: u8, second: u8) -> Option<PieceKind> {
    let mark = match (first, second) {
        (b':', b':') => TokenKind::ColonColon,
        (b'.', b'.') => TokenKind::DotDot,
        (b'-', b'>') => TokenKind::Arrow,
        (b'-', b'-') => TokenKind::MinusMinus,
        (b'+', b'+') => TokenKind::PlusPlus,
        (b'&', b'&') => TokenKind::AmpAmp,
        (b'|', b'|') => TokenKind::PipePipe,
        (b'!', b'=') => TokenKind::BangEq,
        (b'!', b'!') => TokenKind::BangBang,
        (b'?', b'?') => TokenKind::QuestionQuestion,
        (b'<', b'=') => TokenKind::LtEq,
        (b'<', b'<') => TokenKind::Shl,
        (b'>', b'=') => TokenKind::GtEq,
        (b'>', b'>') => TokenKind::Shr,
        (b'=', b'=') => TokenKind::EqEq,
        (b'#', b'#') => return Some(PieceKind::HashHash),
        _ => return None,
    };
    Some(PieceKind::Mark(mark))
}

/// The mark that a single character is, if it is one.
pub(super) fn short_mark(first: u8) -> Option<PieceKind> {
    let mark = match first {
        b'(' => TokenKind::LParen,
        b')' => TokenKind::RParen,
        b'{' => TokenKind::LBrace,
        b'}' => TokenKind::RBrace,
        b'[' => TokenKind::LBracket,
        b']' => TokenKind::RBracket,
        b';' => TokenKind::Semi,
        b':' => TokenKind::Colon,
        b',' => TokenKind::Comma,
        b'.' => TokenKind::Dot,
        b'+' => TokenKind::Plus,
        b'-' => TokenKind::Minus,
        b'*' => TokenKind::Star,
        b'/' => TokenKind::Slash,
        b'%' => TokenKind::Percent,
        b'&' => TokenKind::Amp,
        b'|' => TokenKind::Pipe,
        b'^' => TokenKind::Caret,
        b'~' => TokenKind::Tilde,
        b'!' => TokenKind::Bang,
        b'?' => TokenKind::Question,
        b'<' => TokenKind::Lt,
        b'>' => TokenKind::Gt,
        b'=' => TokenKind::Assign,
        b'@' => TokenKind::At,
        b'\\' => TokenKind::Backslash,
        b'$' => TokenKind::Dollar,
        b'#' => return Some(PieceKind::Hash),
        _ => return None,
    };
    Some(PieceKind::Mark(mark))
}
