//! What of a text the parser gets to see.
//!
//! The parser knows neither comments nor directives. Both are blanked here, byte by byte, so that every offset stays what
//! it is. On the way, the nesting of the text is measured: the parser and the lowering recurse, and an absurdly nested
//! text is refused before either starts.

use crate::dollars::Renamed;

/// Words of compilers that the grammar does not have, with others of the same length and meaning.
const SPELLINGS: [(&[u8], &[u8]); 2] = [(b"__float128", b"_Float128 "), (b"__alignof", b"_Alignof ")];

/// A text without comments and line markers.
#[derive(Debug)]
pub(crate) struct Blanked {
    /// As long as the original.
    pub text: String,
    /// Where a directive stands that only a preprocessor understands.
    pub directive: Option<usize>,
    /// Where the text is nested more deeply than anyone writes.
    pub absurd: Option<usize>,
    /// The names that were replaced.
    pub renamed: Renamed,
}

/// Brackets inside of brackets. C promises 63 levels of parentheses and 127 of blocks.
const BRACKETS: usize = 256;
/// Operators in one statement, and statements inside of one another; an `else if` is two of them.
const OPERATORS: usize = 4_000;
const STATEMENTS: usize = 50_000;

/// Blanks comments, line markers and pragmas.
pub(crate) fn blank(original: &str) -> Blanked {
    let mut scanner = Scanner { bytes: original.as_bytes().to_vec(), at: 0, directive: None };
    scanner.run();
    let Scanner { mut bytes, directive, .. } = scanner;
    respell(&mut bytes);
    let renamed = Renamed::replace(&mut bytes);
    let text = String::from_utf8(bytes).unwrap_or_default();
    let absurd = absurd_nesting(text.as_bytes());
    Blanked { text, directive, absurd, renamed }
}

/// Replaces words that the grammar does not have.
fn respell(bytes: &mut [u8]) {
    let mut at = 0;
    while at < bytes.len() {
        if matches!(bytes[at], b'"' | b'\'') {
            at = quoted_end(bytes, at, bytes[at]);
            continue;
        }
        let length = bytes[at..].iter().take_while(|byte| is_word(**byte)).count();
        let word = &mut bytes[at..at + length];
        if let Some((_, other)) = SPELLINGS.iter().find(|(known, _)| *known == &*word) {
            word.copy_from_slice(other);
        }
        at += length.max(1);
    }
}

struct Scanner {
    bytes: Vec<u8>,
    at: usize,
    directive: Option<usize>,
}

impl Scanner {
    fn run(&mut self) {
        let mut line_is_empty = true;
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b'\n' => {
                    line_is_empty = true;
                    self.at += 1;
                }
                b' ' | b'\t' | b'\r' | 0x0b | 0x0c => {
                    // The parser takes no other white space than these.
                    if byte != b'\t' {
                        self.bytes[self.at] = b' ';
                    }
                    self.at += 1;
                }
                b'/' if self.next_is(b'*') => self.blank_block(),
                b'/' if self.next_is(b'/') => self.blank_line(),
                b'#' if line_is_empty => self.take_directive(),
                b'"' | b'\'' => {
                    line_is_empty = false;
                    self.skip_quoted(byte);
                }
                b'\\' if self.next_is(b'\n') => {
                    self.directive.get_or_insert(self.at);
                    self.bytes[self.at] = b' ';
                    self.at += 1;
                }
                _ => {
                    line_is_empty = false;
                    self.at += 1;
                }
            }
        }
    }

    fn next_is(&self, byte: u8) -> bool {
        self.bytes.get(self.at + 1) == Some(&byte)
    }

    fn blank_block(&mut self) {
        self.blank_here();
        self.blank_here();
        while self.at < self.bytes.len() {
            let ends = self.bytes[self.at] == b'*' && self.next_is(b'/');
            self.blank_here();
            if ends {
                self.blank_here();
                return;
            }
        }
    }

    /// To the end of the line; a backslash at its end continues it.
    fn blank_line(&mut self) {
        while let Some(&byte) = self.bytes.get(self.at) {
            let continued = byte == b'\\' && self.next_is(b'\n');
            if byte == b'\n' {
                return;
            }
            self.blank_here();
            if continued {
                self.at += 1;
            }
        }
    }

    fn blank_here(&mut self) {
        if let Some(byte) = self.bytes.get_mut(self.at) {
            if *byte != b'\n' {
                *byte = b' ';
            }
            self.at += 1;
        }
    }

    fn take_directive(&mut self) {
        let start = self.at;
        let end = self.bytes[start..].iter().position(|&b| b == b'\n').map_or(self.bytes.len(), |n| start + n);
        let line = String::from_utf8_lossy(&self.bytes[start + 1..end]).into_owned();
        let word = line.trim_start();
        let harmless = word.is_empty()
            || word.starts_with(|c: char| c.is_ascii_digit())
            || ["line", "pragma", "ident"].iter().any(|known| word.starts_with(known));
        if !harmless {
            self.directive.get_or_insert(start);
        }
        self.blank_line();
    }

    fn skip_quoted(&mut self, quote: u8) {
        self.at += 1;
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b'\\' => self.at += 2,
                b'\n' => return,
                _ => {
                    self.at += 1;
                    if byte == quote {
                        return;
                    }
                }
            }
        }
    }
}

/// A block of statements, while its text is read.
#[derive(Clone, Copy, Default)]
struct Block {
    /// The statements around it.
    around: usize,
    /// Those that began with `do`, and whose `while` is still to come.
    dos: usize,
    /// Brackets that were open where it began.
    brackets: usize,
}

/// The first place at which the text is nested absurdly, seen without a grammar: an upper bound of what recursion meets.
fn absurd_nesting(bytes: &[u8]) -> Option<usize> {
    let (mut brackets, mut operators, mut statements) = (0_usize, 0_usize, 0_usize);
    let (mut blocks, mut block) = (Vec::new(), Block::default());
    let (mut at, mut ended) = (0, true);
    while let Some(&byte) = bytes.get(at) {
        let start = at;
        at += 1;
        let was_ended = ended;
        ended &= byte.is_ascii_whitespace();
        match byte {
            b'(' | b'[' | b'{' => {
                brackets += 1;
                // A label or a declaration in a block starts again; what an expression nests stays.
                if byte == b'{' {
                    operators = 0;
                    blocks.push(block);
                    block = Block { around: statements, dos: 0, brackets };
                }
            }
            b')' | b']' => brackets = brackets.saturating_sub(1),
            b'}' | b';' => {
                if byte == b'}' {
                    (brackets, statements) = (brackets.saturating_sub(1), block.around);
                    block = blocks.pop().unwrap_or_default();
                }
                operators = 0;
                // Here ends a statement, and with it those that it is a part of, unless there is more of one.
                ended = brackets <= block.brackets;
                if ended && !next_word(bytes, at).starts_with(b"else") {
                    statements = block.around + block.dos;
                }
            }
            b'"' | b'\'' => at = quoted_end(bytes, start, byte),
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' => {
                at = start + next_word(bytes, start).len();
                match &bytes[start..at] {
                    b"while" if was_ended && block.dos > 0 => block.dos -= 1,
                    b"do" => {
                        block.dos += 1;
                        statements += 1;
                    }
                    b"if" | b"else" | b"for" | b"while" | b"switch" | b"case" | b"default" => statements += 1,
                    b"sizeof" | b"__extension__" | b"_Alignof" | b"__alignof__" => operators += 1,
                    _ => {}
                }
            }
            b':' => {
                statements += 1;
                operators += 1;
            }
            b',' => {}
            _ if byte.is_ascii_punctuation() => operators += 1,
            _ => {}
        }
        if brackets > BRACKETS || operators > OPERATORS || statements > STATEMENTS {
            return Some(start);
        }
    }
    None
}

/// The word that comes next, behind blanks.
fn next_word(bytes: &[u8], at: usize) -> &[u8] {
    let rest = bytes.get(at..).unwrap_or_default();
    let blanks = rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    let word = rest[blanks..].iter().take_while(|byte| is_word(**byte)).count();
    &rest[blanks..blanks + word]
}

pub(crate) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$'
}

pub(crate) fn quoted_end(bytes: &[u8], start: usize, quote: u8) -> usize {
    let mut at = start + 1;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 2,
            b'\n' => return at,
            _ if byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_markers_become_blanks_of_the_same_length() {
        let text =
            "# 1 \"a.c\"\nint x; // one\n/* two\nlines */ char c = '\"'; char *s = \"/* no */\";\n#pragma once\n";
        let blanked = blank(text);
        assert_eq!(blanked.text.len(), text.len());
        assert_eq!(blanked.text.matches('\n').count(), text.matches('\n').count());
        assert!(blanked.text.contains("\"/* no */\"") && !blanked.text.contains("two") && !blanked.text.contains('#'));
        assert_eq!((blanked.directive, blanked.absurd), (None, None));
    }

    #[test]
    fn directives_need_a_preprocessor() {
        assert_eq!(blank("int x;\n  #define A 1\n").directive, Some(9));
        assert_eq!(blank("int x; // a \\\n #define\n").directive, None);
    }

    #[test]
    fn absurd_nesting_is_seen() {
        assert!(blank(&"(".repeat(1000)).absurd.is_some());
        assert!(blank(&"-".repeat(100_000)).absurd.is_some());
        assert!(blank(&"if (x) ".repeat(100_000)).absurd.is_some());
        assert!(blank(&"if (x) { y = 1; } else ".repeat(100_000)).absurd.is_some());
        assert!(blank(&format!("{{ {}", "do ".repeat(100_000))).absurd.is_some());
        assert!(blank(&format!("{}x;{}", "do ".repeat(60_000), " while (y);".repeat(60_000))).absurd.is_some());
        assert!(blank(&format!("{{ {}", "for (;;) ".repeat(100_000))).absurd.is_some());
        assert!(blank(&format!("{{ {}", "case 1: ".repeat(100_000))).absurd.is_some());
    }

    #[test]
    fn many_statements_in_a_row_are_not_nested() {
        assert!(blank(&"int f() { if (x) y = 1; else z = 2; }\n".repeat(30_000)).absurd.is_none());
        for statement in [
            "if (x) x = 0;",
            "if (x) { x = 0; } else x = 1;",
            "while (x) { x = 0; }",
            "do x = 0; while (y);",
            "do { x = 0; } while (y);",
            "for (;;) { x = 0; if (y) break; }",
            "switch (x) { case 1: y = 1; break; default: ; }",
            "l: x = y ? 1 : 2;",
        ] {
            let text = format!("int main(void) {{ {} return 0; }}", statement.repeat(50_000));
            assert_eq!(blank(&text).absurd, None, "{statement}");
        }
    }
}
