//! Names of events: written in one way, kept once.
//!
//! `phil[1].eat` and `phil.1.eat` are the same label in FSP. The first is how names are written here: numbers in
//! brackets, the rest with dots. Prefixes end where a part ends: `phil` is one of `phil[1].eat`, `phi` is not.

use model::diagnostic::Diagnostic;
use model::source::Span;
use std::collections::HashMap;

use crate::limits::MOST_EVENTS;

/// The number of a name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct Symbol(pub(crate) u32);

/// A name of an event.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) name: String,
    /// It was hidden: no component outside knows it, whatever the name.
    pub(crate) hidden: bool,
    pub(crate) span: Span,
}

/// All names.
#[derive(Debug, Default)]
pub(crate) struct Symbols {
    entries: Vec<Entry>,
    numbers: HashMap<String, Symbol>,
}

impl Symbols {
    /// The number of a visible name.
    pub(crate) fn intern(&mut self, name: &str, span: Span) -> Result<Symbol, Box<Diagnostic>> {
        if let Some(&symbol) = self.numbers.get(name) {
            return Ok(symbol);
        }
        let symbol = self.add(name.to_owned(), false, span)?;
        self.numbers.insert(name.to_owned(), symbol);
        Ok(symbol)
    }

    /// A new event that no component can name; `name` is for people.
    pub(crate) fn hidden(&mut self, name: &str, span: Span) -> Result<Symbol, Box<Diagnostic>> {
        self.add(name.to_owned(), true, span)
    }

    fn add(&mut self, name: String, hidden: bool, span: Span) -> Result<Symbol, Box<Diagnostic>> {
        if self.entries.len() >= MOST_EVENTS {
            let message = format!("the model has more than {MOST_EVENTS} names of events");
            return Err(Box::new(Diagnostic::error("F0201", span, message)));
        }
        self.entries.push(Entry { name, hidden, span });
        Ok(Symbol(self.entries.len() as u32 - 1))
    }

    pub(crate) fn entry(&self, symbol: Symbol) -> &Entry {
        &self.entries[symbol.0 as usize]
    }
}

/// Puts two parts of a label together.
pub(crate) fn joined(front: &str, back: &str) -> String {
    if front.is_empty() {
        back.to_owned()
    } else if back.is_empty() || back.starts_with('[') {
        format!("{front}{back}")
    } else {
        format!("{front}.{back}")
    }
}

/// The proper prefixes of a name that end where a part ends, the longest first, each with what follows it.
pub(crate) fn prefixes(name: &str) -> impl Iterator<Item = (&str, &str)> {
    name.char_indices().rev().filter(|&(at, c)| at > 0 && matches!(c, '.' | '[')).map(|(at, _)| name.split_at(at))
}

/// Whether a name is made of dots, small names and numbers in brackets, so that it can stand in a text as it is.
pub(crate) fn is_plain(name: &str) -> bool {
    let mut rest = name;
    let mut first = true;
    while !rest.is_empty() {
        if let Some(inside) = rest.strip_prefix('[') {
            let Some((number, behind)) = inside.split_once(']') else { return false };
            let digits = number.strip_prefix('-').unwrap_or(number);
            if digits.is_empty() || digits.len() > 9 || !digits.bytes().all(|b| b.is_ascii_digit()) {
                return false;
            }
            rest = behind;
        } else {
            let Some(word) = (if first { Some(rest) } else { rest.strip_prefix('.') }) else { return false };
            let len = word.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(word.len());
            let starts = word.starts_with(|c: char| c.is_ascii_lowercase() || c == '_');
            if !starts || crate::lexer::KEYWORDS.contains(&&word[..len]) {
                return false;
            }
            rest = &word[len..];
        }
        first = false;
    }
    !first
}

/// A label of another notation in ours: `phil.1.eat` becomes `phil[1].eat`; what is no label stays as it is.
pub(crate) fn canonical(text: &str) -> String {
    let number = |part: &str| part.parse::<u32>().is_ok_and(|number| number.to_string() == part);
    let mut name = String::new();
    for part in text.split('.') {
        match part {
            "" => return text.to_owned(),
            _ if number(part) => name = joined(&name, &format!("[{part}]")),
            _ => name = joined(&name, part),
        }
    }
    if is_plain(&name) { name } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_and_dots_are_one_name() {
        assert_eq!(canonical("phil.1.eat"), "phil[1].eat");
        assert_eq!(canonical("1.a"), "[1].a");
        assert_eq!(canonical("PUT !1"), "PUT !1");
        assert_eq!(canonical("a..b"), "a..b");
        assert_eq!(canonical("a.01"), "a.01");
    }

    #[test]
    fn prefixes_end_with_a_part() {
        let found: Vec<_> = prefixes("phil[1].eat").collect();
        assert_eq!(found, [("phil[1]", ".eat"), ("phil", "[1].eat")]);
    }

    #[test]
    fn plain_names_are_labels() {
        for name in ["a", "a[1]", "[1].a", "a[1][-2].b_c"] {
            assert!(is_plain(name), "{name}");
        }
        for name in ["", "A", "a b", "a[", "a[x]", "a.", "set", "(a)", "a..b"] {
            assert!(!is_plain(name), "{name}");
        }
    }
}
