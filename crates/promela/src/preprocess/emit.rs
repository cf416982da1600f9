//! From pieces to tokens: the last step, in which what is not Promela is refused.
//!
//! A piece comes this far only if it is left after preprocessing, so this is the place to complain
//! about a number with letters in it, a quote that is not closed, or a character that means nothing.
//! A piece that is refused still becomes a token where that helps the parser to go on.

use super::Preprocessor;
use super::limits::WORK_PER_LOOK;
use super::report::{error_at, shorten, warning_at};
use crate::lexer::{Piece, PieceKind};
use crate::token::{Name, Token, TokenKind};

impl Preprocessor<'_> {
    pub(super) fn emit(&mut self, piece: Piece) {
        let kind = match piece.kind {
            PieceKind::Name(name) => TokenKind::Name(name),
            PieceKind::Mark(mark) => mark,
            PieceKind::Str(text) => TokenKind::Str(text),
            PieceKind::Number(text) => TokenKind::Number(self.number(piece, text)),
            PieceKind::Char(text) => TokenKind::Number(self.character(piece, text)),
            PieceKind::OpenStr(text) => {
                self.open_quote(piece, '"');
                TokenKind::Str(text)
            }
            PieceKind::OpenChar(_) => {
                self.open_quote(piece, '\'');
                TokenKind::Number(0)
            }
            PieceKind::Hash | PieceKind::HashHash => return self.stray(piece, '#'),
            PieceKind::Stray(character) => return self.stray(piece, character),
            PieceKind::Nothing => return,
        };
        if self.out.len() >= self.options.max_tokens {
            let message = format!("the model has more than {} tokens", self.options.max_tokens);
            return self.stop(piece.span, message, "make the model smaller, or raise the limit");
        }
        if self.out.len().is_multiple_of(WORK_PER_LOOK) {
            self.look_at_clock(piece.span);
        }
        let Piece { span, spelled, newline_before, space_before, .. } = piece;
        self.out.push(Token { kind, span, spelled, newline_before, space_before });
    }

    fn number(&mut self, piece: Piece, text: Name) -> i32 {
        let text = self.names.text(text);
        if let Ok(value) = text.parse() {
            return value;
        }
        if let Ok(value) = text.parse::<i64>() {
            // SPIN reads it as a `long` and cuts it to an `int`; so do we, and say so.
            let message = format!("the number `{}` does not fit into an `int`", shorten(text));
            let cut = value as i32;
            let report = warning_at("P0020", piece, message).label(format!("it is read as {cut}")).help(format!(
                "an `int` holds values from {} to {}",
                i32::MIN,
                i32::MAX
            ));
            self.report(report);
            return cut;
        }
        let report = if text.bytes().all(|byte| byte.is_ascii_digit()) {
            let message = format!("the number `{}` does not fit into an `int`", shorten(text));
            error_at("P0006", piece, message)
                .label("too large")
                .help(format!("the largest number is {}", i32::MAX))
                .help("the smallest one, -2147483648, can be written as `(-2147483647 - 1)`")
        } else {
            let help = match hexadecimal(text) {
                Some(value) => format!("write `{value}`"),
                None => String::from("write it with the digits 0 to 9; a name must not begin with a digit"),
            };
            let message = format!("`{}` is not a number: Promela has decimal numbers only", shorten(text));
            error_at("P0005", piece, message).label("not a decimal number").help(help)
        };
        self.report(report);
        0
    }

    /// The value of a character constant. As in SPIN, a backslash before any other character than
    /// `n`, `r`, `t` or `f` means nothing, not even in `'\0'`, whose value is that of the digit.
    fn character(&mut self, piece: Piece, text: Name) -> i32 {
        let value = match *self.names.text(text).as_bytes() {
            [single] if single.is_ascii() => return i32::from(single),
            [b'\\', b'n'] => return i32::from(b'\n'),
            [b'\\', b'r'] => return i32::from(b'\r'),
            [b'\\', b't'] => return i32::from(b'\t'),
            [b'\\', b'f'] => return 12,
            [b'\\', quote @ (b'\\' | b'\'' | b'"')] => return i32::from(quote),
            [b'\\', other] if other.is_ascii() => other,
            _ => {
                let message = "a character constant holds exactly one character";
                let help = "write a string with double quotes, or a single ASCII character such as `'a'` or `'\\n'`";
                self.report(error_at("P0004", piece, message).label("not one ASCII character").help(help));
                return 0;
            }
        };
        let shown = char::from(value);
        let report = warning_at("P0004", piece, format!("SPIN does not know the escape `\\{shown}`"));
        let label = format!("the same as `'{shown}'`, which is {value}");
        self.report(report.label(label).help(format!("write `'{shown}'` if you mean the character, or a number")));
        i32::from(value)
    }

    fn open_quote(&mut self, piece: Piece, quote: char) {
        let what = if quote == '"' { "string" } else { "character constant" };
        let report = error_at("P0003", piece, format!("this {what} is not closed"));
        self.report(report.label("begins here").help(format!("close it with `{quote}` on the same line")));
    }

    fn stray(&mut self, piece: Piece, character: char) {
        if self.reports.is_full("P0001") {
            return;
        }
        let shown = if character.is_control() || character.is_whitespace() {
            format!("the character U+{:04X}", u32::from(character))
        } else {
            format!("the character `{character}`")
        };
        let report = error_at("P0001", piece, format!("{shown} means nothing here")).label("stray character");
        self.report(report.help(match character {
            '#' => "a directive must be the first thing on its line",
            '\u{201c}' | '\u{201d}' | '\u{ab}' | '\u{bb}' => "strings are written with the plain quote `\"`",
            '\u{2018}' | '\u{2019}' | '`' => "characters are written with the plain quote `'`",
            '\u{2013}' | '\u{2014}' | '\u{2212}' => "the minus sign is the plain `-`",
            '\u{2192}' => "the arrow is written `->`",
            '\0' => "remove it; is this a text file?",
            blank if blank.is_whitespace() => "replace it by a plain blank",
            other if other.is_alphabetic() => "names consist of the letters a to z and A to Z, digits and `_`",
            _ => "remove it, or put it into a comment or a string",
        }));
    }
}

/// The value of `0x…`, to tell the user what to write instead.
fn hexadecimal(text: &str) -> Option<i32> {
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"))?;
    i32::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use crate::preprocess::testing::{check, read};

    #[test]
    fn character_constants_are_numbers_with_the_values_of_spin() {
        check(r"'a' '\n' '\r' '\t' '\f' '\\' '\'' '0' '\\'", "97 10 13 9 12 92 39 48 92");
    }

    #[test]
    fn an_escape_that_spin_does_not_know_is_warned_about() {
        let reading = read(r"'\0'");
        assert_eq!(reading.words(), "48");
        assert!(!reading.only("P0004").0.is_error());
    }

    #[test]
    fn a_character_constant_of_more_or_less_than_one_character_is_an_error() {
        for text in ["''", "'ab'", "'é'", r"'\ab'"] {
            assert_eq!(read(text).only("P0004").1, text);
        }
    }

    #[test]
    fn numbers_are_decimal_even_with_leading_zeros() {
        check("0 7 010 2147483647", "0 7 10 2147483647");
    }

    #[test]
    fn a_hexadecimal_number_is_an_error_that_says_what_to_write() {
        let reading = read("x = 0x1F;");
        let (report, place) = reading.only("P0005");
        assert_eq!(place, "0x1F");
        assert!(report.message.contains("decimal") && report.help[0].contains("`31`"));
        assert_eq!(reading.words(), "x = 0 ;");
        assert_eq!(read("3rd").only("P0005").1, "3rd");
    }

    #[test]
    fn a_number_of_more_than_32_bits_is_cut_and_one_of_more_than_64_is_an_error() {
        let reading = read("4294967297");
        assert_eq!(reading.only("P0020").1, "4294967297");
        assert_eq!(reading.words(), "1");
        read("99999999999999999999999").only("P0006");
    }

    #[test]
    fn strings_keep_their_escapes_and_lose_their_splices() {
        check("printf(\"a\\n\\\"é\\\n b\")", "printf ( \"a\\n\\\"é b\" )");
    }

    #[test]
    fn open_quotes_and_comments_are_errors_where_they_begin() {
        let reading = read("a \"bc\nd");
        assert_eq!(reading.only("P0003").1, "\"bc");
        assert_eq!(reading.words(), "a \"bc\" d");
        assert_eq!(read("x = 'a;\n").only("P0003").1, "'a;");
        assert_eq!(read("a /* b").only("P0002").1, "/*");
    }

    #[test]
    fn stray_characters_are_errors_of_their_own() {
        for text in ["`", "é", "\0", "\u{a0}", "\u{1}", "“"] {
            let reading = read(&format!("a {text} b"));
            assert_eq!(reading.only("P0001").1, text);
            assert_eq!(reading.words(), "a b");
        }
        check("/* é → \0 */ \"é\0\" // é", "\"é\0\"");
    }

    #[test]
    fn a_hash_inside_a_line_is_an_error() {
        assert_eq!(read("x; #define N 1").only("P0001").1, "#");
    }
}
