//! Words of a formula: operators, and atoms with their text.
//!
//! Operators have many spellings, those of SPIN and those of the papers. What is hard is the exclamation mark: it is a
//! negation in front of a formula and a send right after a name (`ch!msg`). A name that is an operator is never the
//! start of a send, so `F!a` is `F (!a)`.

use crate::parse::SyntaxError;
use std::ops::Range;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Word<'a> {
    Open,
    Close,
    True,
    False,
    Not,
    Next,
    Globally,
    Finally,
    And,
    Or,
    Implies,
    Iff,
    Until,
    Release,
    WeakUntil,
    /// An atom: its text, without quotes.
    Atom(&'a str),
    End,
}

/// Operators made of signs, longer ones first.
const SIGNS: [(&str, Word<'static>); 14] = [
    ("<->", Word::Iff),
    ("[]", Word::Globally),
    ("<>", Word::Finally),
    ("&&", Word::And),
    ("||", Word::Or),
    ("->", Word::Implies),
    ("/\\", Word::And),
    ("\\/", Word::Or),
    ("()", Word::Open),
    ("(", Word::Open),
    (")", Word::Close),
    ("!=", Word::Not),
    ("!", Word::Not),
    ("~", Word::Not),
];

const NAMES: [(&str, Word<'static>); 22] = [
    ("true", Word::True),
    ("false", Word::False),
    ("G", Word::Globally),
    ("always", Word::Globally),
    ("F", Word::Finally),
    ("eventually", Word::Finally),
    ("X", Word::Next),
    ("next", Word::Next),
    ("U", Word::Until),
    ("until", Word::Until),
    ("stronguntil", Word::Until),
    ("R", Word::Release),
    ("V", Word::Release),
    ("release", Word::Release),
    ("W", Word::WeakUntil),
    ("weakuntil", Word::WeakUntil),
    ("implies", Word::Implies),
    ("equivalent", Word::Iff),
    ("and", Word::And),
    ("or", Word::Or),
    ("not", Word::Not),
    ("iff", Word::Iff),
];

/// The words of a text one by one; the last is [`Word::End`].
pub(crate) struct Words<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Words<'a> {
    pub(crate) fn new(text: &'a str) -> Words<'a> {
        Words { text, at: 0 }
    }

    /// The next word and its place.
    pub(crate) fn next(&mut self) -> Result<(Word<'a>, Range<usize>), SyntaxError> {
        let rest = &self.text[self.at..];
        let start = self.at + (rest.len() - rest.trim_start().len());
        self.at = start;
        let rest = &self.text[start..];
        let Some(first) = rest.chars().next() else { return Ok((Word::End, start..start)) };
        let word = match first {
            '"' => self.quoted()?,
            '{' => self.braced()?,
            _ if starts_name(first) => self.name()?,
            _ => self.sign()?,
        };
        Ok((word, start..self.at))
    }

    fn sign(&mut self) -> Result<Word<'a>, SyntaxError> {
        let rest = &self.text[self.at..];
        match SIGNS.iter().find(|(sign, _)| rest.starts_with(sign)) {
            Some(("()", _)) => Err(error("there is nothing between these parentheses", self.at..self.at + 2, None)),
            Some(("!=", _)) => Err(self.comparison(2)),
            Some((sign, word)) => {
                self.at += sign.len();
                Ok(*word)
            }
            None => Err(self.unknown()),
        }
    }

    fn comparison(&self, length: usize) -> SyntaxError {
        let hint = "put an expression in quotes or braces, which makes it one atom: \"x > 3\" or {x > 3}";
        let sign = &self.text[self.at..self.at + length];
        error(format!("`{sign}` is not an operator of temporal logic"), self.at..self.at + length, Some(hint))
    }

    fn unknown(&self) -> SyntaxError {
        let rest = &self.text[self.at..];
        for sign in ["==", "<=", ">=", "<", ">", "+", "-", "*", "/", "%"] {
            if rest.starts_with(sign) && !rest.starts_with("=>") && !rest.starts_with("<=>") {
                return self.comparison(sign.len());
            }
        }
        let meant = [("<=>", "<->"), ("=>", "->"), ("=", "<->"), ("&", "&&"), ("|", "||")];
        if let Some((sign, instead)) = meant.iter().find(|(sign, _)| rest.starts_with(sign)) {
            let place = self.at..self.at + sign.len();
            return error(format!("`{sign}` is not an operator"), place, Some(&format!("write `{instead}`")));
        }
        let first = rest.chars().next().unwrap_or(' ');
        let hint = first.is_ascii_digit().then_some("an atom starts with a letter; anything else goes in quotes");
        error(format!("`{}` starts neither an operator nor an atom", first.escape_debug()), self.here(), hint)
    }

    /// The place of the next character.
    fn here(&self) -> Range<usize> {
        let length = self.text[self.at..].chars().next().map_or(0, char::len_utf8);
        self.at..self.at + length
    }

    fn quoted(&mut self) -> Result<Word<'a>, SyntaxError> {
        let start = self.at + 1;
        let Some(length) = self.text[start..].find('"') else {
            return Err(error("this quote is not closed", self.here(), None));
        };
        self.at = start + length + 1;
        self.text_atom(start..start + length)
    }

    fn braced(&mut self) -> Result<Word<'a>, SyntaxError> {
        let end = self.closing(self.at, '{', '}')?;
        let inside = self.at + 1..end;
        self.at = end + 1;
        self.text_atom(inside)
    }

    fn text_atom(&self, inside: Range<usize>) -> Result<Word<'a>, SyntaxError> {
        match self.text[inside.clone()].trim() {
            "" => Err(error("this atom is empty", inside.start - 1..inside.end + 1, None)),
            text => Ok(Word::Atom(text)),
        }
    }

    /// The place of the bracket that closes the one at `open`.
    fn closing(&self, open: usize, left: char, right: char) -> Result<usize, SyntaxError> {
        let mut depth = 0usize;
        for (offset, c) in self.text[open..].char_indices() {
            if c == left {
                depth += 1;
            } else if c == right {
                depth -= 1;
                if depth == 0 {
                    return Ok(open + offset);
                }
            }
        }
        Err(error(format!("this `{left}` is not closed"), open..open + 1, None))
    }

    /// An operator that is spelled out, a name, or an event.
    fn name(&mut self) -> Result<Word<'a>, SyntaxError> {
        let start = self.at;
        self.letters();
        if let Some((_, word)) = NAMES.iter().find(|(name, _)| *name == &self.text[start..self.at]) {
            return Ok(*word);
        }
        self.indices()?;
        self.event()?;
        self.condition(start)?;
        Ok(Word::Atom(&self.text[start..self.at]))
    }

    fn letters(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.find(|c| !continues_name(c)).unwrap_or(rest.len());
    }

    /// `[1]`, `[i].field[2]`, but not the operator `[]`.
    fn indices(&mut self) -> Result<(), SyntaxError> {
        while self.text[self.at..].starts_with('[') && !self.text[self.at..].starts_with("[]") {
            self.at = self.closing(self.at, '[', ']')? + 1;
            self.letters();
        }
        Ok(())
    }

    /// What makes an event of a name: `!msg`, `?ack(1,_)`, `@label`.
    fn event(&mut self) -> Result<(), SyntaxError> {
        let rest = &self.text[self.at..];
        let Some(sign) = ["!!", "??", "!", "?", "@"].into_iter().find(|sign| rest.starts_with(sign)) else {
            return Ok(());
        };
        if rest.starts_with("!=") {
            return Err(self.comparison(2));
        }
        let place = self.at..self.at + sign.len();
        self.at += sign.len();
        let message = self.at;
        self.letters();
        self.indices()?;
        if self.text[self.at..].starts_with('(') {
            self.at = self.closing(self.at, '(', ')')? + 1;
        }
        if self.at > message {
            return Ok(());
        }
        let (what, hint) = match sign {
            "@" => ("label", "write `P@label`"),
            _ => ("message", "write `ch!msg`, and a negation with a space before it"),
        };
        Err(error(format!("a {what} is missing after `{sign}`"), place, Some(hint)))
    }

    /// What a return can say of its value: `server.return {$0 == 0}`.
    fn condition(&mut self, start: usize) -> Result<(), SyntaxError> {
        let (name, rest) = self.text[start..].split_at(self.at - start);
        let open = self.at + (rest.len() - rest.trim_start().len());
        if name.rsplit('.').next() == Some("return") && self.text[open..].starts_with('{') {
            self.at = self.closing(open, '{', '}')? + 1;
        }
        Ok(())
    }
}

/// Whether a text is one atom as it stands, so that it needs no quotes.
pub(crate) fn is_bare_atom(text: &str) -> bool {
    let mut words = Words::new(text);
    let bare = text.starts_with(starts_name);
    bare && words.next().is_ok_and(|(word, place)| matches!(word, Word::Atom(_)) && place == (0..text.len()))
}

fn starts_name(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

fn continues_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '.'
}

pub(crate) fn error(message: impl Into<String>, range: Range<usize>, hint: Option<&str>) -> SyntaxError {
    SyntaxError { message: message.into(), range, hint: hint.map(str::to_string) }
}
