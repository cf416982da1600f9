//! The names of a Promela text, found by its tokens: whether or not the text can be parsed.
//!
//! A declaration is recognised by its first words, and a local one belongs to the process, the inline or the claim whose braces
//! it stands in. Parts of macros are tokens as well, but no name in them can be changed: what they mean depends on where
//! the macro is used.

use promela::token::kw;
use std::ops::Range;

/// What a name is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Process,
    Channel,
    Variable,
    Constant,
    Type,
    Inline,
    Macro,
    Label,
    Formula,
}

impl Kind {
    /// The number of the kind in an outline.
    pub(crate) fn symbol(self) -> u32 {
        match self {
            Kind::Process => 5,
            Kind::Channel => 8,
            Kind::Variable => 13,
            Kind::Constant => 22,
            Kind::Type => 23,
            Kind::Inline => 12,
            Kind::Macro => 14,
            Kind::Label => 20,
            Kind::Formula => 7,
        }
    }
}

/// A name that is declared.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Symbol {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    /// Where the name stands.
    pub(crate) at: Range<usize>,
    /// The whole of what is declared; of a process with its body.
    pub(crate) whole: Range<usize>,
    /// Where it can be used; everywhere if there is none.
    pub(crate) scope: Option<Range<usize>>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Token {
    at: Range<usize>,
    /// A name or a keyword.
    word: bool,
    /// In a line of the preprocessor.
    directive: bool,
}

/// The tokens and names of a text.
pub(crate) struct Index {
    text: String,
    tokens: Vec<Token>,
    pub(crate) symbols: Vec<Symbol>,
}

impl Index {
    pub(crate) fn new(text: &str) -> Index {
        let mut index = Index { text: text.to_owned(), tokens: tokens(text), symbols: Vec::new() };
        index.macros();
        index.declarations();
        index
    }

    fn word(&self, position: usize) -> &str {
        self.tokens.get(position).map_or("", |token| &self.text[token.at.clone()])
    }

    fn is_name(&self, position: usize) -> bool {
        self.tokens.get(position).is_some_and(|token| token.word) && !is_keyword(self.word(position))
    }

    fn macros(&mut self) {
        for position in 0..self.tokens.len() {
            let begins =
                self.word(position) == "#" && self.word(position + 1) == "define" && self.is_name(position + 2);
            if begins && self.tokens[position].directive {
                let at = self.tokens[position + 2].at.clone();
                let line = self.text[at.start..].find('\n').map_or(self.text.len(), |end| at.start + end);
                self.declare(position + 2, Kind::Macro, self.tokens[position].at.start..line, None);
            }
        }
    }

    fn declare(&mut self, position: usize, kind: Kind, whole: Range<usize>, scope: Option<&Range<usize>>) {
        let at = self.tokens[position].at.clone();
        let name = self.text[at.clone()].to_owned();
        self.symbols.push(Symbol { name, kind, at, whole, scope: scope.cloned() });
    }

    fn declarations(&mut self) {
        let types: Vec<String> = (0..self.tokens.len())
            .filter(|&at| self.word(at) == "typedef" && self.is_name(at + 1))
            .map(|at| self.word(at + 1).to_owned())
            .collect();
        let mut scope: Option<Range<usize>> = None;
        let mut position = 0;
        while position < self.tokens.len() {
            let here = self.tokens[position].at.start;
            if scope.as_ref().is_some_and(|scope| here >= scope.end) {
                scope = None;
            }
            if self.tokens[position].directive {
                position += 1;
                continue;
            }
            let word = self.word(position).to_owned();
            match word.as_str() {
                "proctype" | "D_proctype" | "inline" if self.is_name(position + 1) => {
                    let whole = here..self.end_of_body(position);
                    let kind = if word == "inline" { Kind::Inline } else { Kind::Process };
                    self.declare(position + 1, kind, whole.clone(), None);
                    let inside = self.tokens[position + 1].at.end..whole.end;
                    if kind == Kind::Inline {
                        self.parameters(position + 2, &inside);
                    }
                    scope = Some(inside);
                    position += 2;
                }
                "init" | "never" | "trace" | "notrace" => {
                    scope = Some(here..self.end_of_body(position));
                    position += 1;
                }
                "typedef" if self.is_name(position + 1) => {
                    let end = self.end_of_body(position);
                    self.declare(position + 1, Kind::Type, here..end, None);
                    position = self.tokens.partition_point(|token| token.at.start < end).max(position + 2);
                }
                "ltl" if self.is_name(position + 1) => {
                    let end = self.end_of_body(position);
                    self.declare(position + 1, Kind::Formula, here..end, None);
                    position = self.tokens.partition_point(|token| token.at.start < end).max(position + 2);
                }
                "mtype" if self.mtype_list(position).is_some() => {
                    position = self.mtype_list(position).unwrap_or(position + 1);
                    while position < self.tokens.len() && !["}", ";"].contains(&self.word(position)) {
                        if self.is_name(position) {
                            let at = self.tokens[position].at.clone();
                            self.declare(position, Kind::Constant, at, None);
                        }
                        position += 1;
                    }
                }
                _ if is_type(&word, &types) && self.begins_declaration(position) => {
                    position = self.declarators(position, word == "chan", scope.clone().as_ref());
                }
                _ if self.is_label(position) => {
                    let at = self.tokens[position].at.clone();
                    self.declare(position, Kind::Label, at, scope.clone().as_ref());
                    position += 2;
                }
                _ => position += 1,
            }
        }
    }

    /// Where the names of `mtype = { .. }` begin.
    fn mtype_list(&self, position: usize) -> Option<usize> {
        let after = if self.word(position + 1) == ":" { position + 3 } else { position + 1 };
        match (self.word(after), self.word(after + 1)) {
            ("=", "{") => Some(after + 2),
            ("{", _) => Some(after + 1),
            _ => None,
        }
    }

    /// A type that is followed by a name, perhaps with `mtype:kind` in between.
    fn begins_declaration(&self, position: usize) -> bool {
        let subtype = self.word(position + 1) == ":" && self.is_name(position + 2) && self.is_name(position + 3);
        self.is_name(position + 1) || subtype
    }

    /// The names of a declaration; returns the position behind them.
    fn declarators(&mut self, position: usize, channels: bool, scope: Option<&Range<usize>>) -> usize {
        let start = self.tokens[position].at.start;
        let mut at = if self.word(position + 1) == ":" { position + 3 } else { position + 1 };
        loop {
            let name = at;
            let mut depth = 0;
            at += 1;
            while at < self.tokens.len() {
                match self.word(at) {
                    "[" | "{" | "(" => depth += 1,
                    "]" | "}" | ")" if depth > 0 => depth -= 1,
                    "]" | "}" | ")" | ";" => break,
                    "," | "->" | "::" if depth == 0 => break,
                    word if depth == 0 && is_keyword(word) && !["of", "true", "false"].contains(&word) => break,
                    _ => {}
                }
                at += 1;
            }
            let end = self.tokens[at - 1].at.end;
            let kind = if channels { Kind::Channel } else { Kind::Variable };
            self.declare(name, kind, start.min(self.tokens[name].at.start)..end, scope);
            if self.word(at) != "," || !self.is_name(at + 1) {
                return at;
            }
            at += 1;
        }
    }

    /// The parameters of an inline: names without types.
    fn parameters(&mut self, mut position: usize, scope: &Range<usize>) {
        if self.word(position) != "(" {
            return;
        }
        while position < self.tokens.len() && self.word(position) != ")" {
            if self.is_name(position) {
                let at = self.tokens[position].at.clone();
                self.declare(position, Kind::Variable, at, Some(scope));
            }
            position += 1;
        }
    }

    /// The end of the braces behind a position; the end of the text if they are not closed.
    fn end_of_body(&self, position: usize) -> usize {
        let (mut depth, mut parentheses) = (0, 0);
        for token in &self.tokens[position..] {
            match &self.text[token.at.clone()] {
                "(" => parentheses += 1,
                ")" => parentheses -= 1,
                "{" => depth += 1,
                "}" if depth <= 1 => return token.at.end,
                "}" => depth -= 1,
                // Parameters are separated by it, too.
                ";" if depth == 0 && parentheses <= 0 => return token.at.end,
                _ => {}
            }
        }
        self.text.len()
    }

    fn is_label(&self, position: usize) -> bool {
        let before = position.checked_sub(1).map_or("{", |before| self.word(before));
        let colon = self.word(position + 1) == ":";
        colon && self.is_name(position) && [";", "{", "}", "->", "::", ":", "fi", "od"].contains(&before)
    }

    /// The token at an offset, if it is a name; the end of a name belongs to it.
    fn token_at(&self, offset: usize) -> Option<usize> {
        let position = self.tokens.partition_point(|token| token.at.end < offset);
        (position..(position + 2).min(self.tokens.len()))
            .find(|&at| self.is_name(at) && (self.tokens[at].at.start..=self.tokens[at].at.end).contains(&offset))
    }

    /// Where the name at an offset stands.
    pub(crate) fn name_at(&self, offset: usize) -> Option<Range<usize>> {
        self.token_at(offset).map(|token| self.tokens[token].at.clone())
    }

    /// What the name at an offset means.
    pub(crate) fn resolve(&self, offset: usize) -> Option<&Symbol> {
        self.meaning(self.token_at(offset)?)
    }

    fn meaning(&self, token: usize) -> Option<&Symbol> {
        let before = token.checked_sub(1).map_or("", |before| self.word(before));
        if before == "." {
            return None;
        }
        let label = ["goto", "@"].contains(&before) || self.is_label(token);
        let (name, at) = (self.word(token), &self.tokens[token].at);
        let mut fitting =
            self.symbols.iter().filter(|symbol| symbol.name == name && (symbol.kind == Kind::Label) == label);
        if label && before == "@" {
            return fitting.next();
        }
        let local = |symbol: &&Symbol| symbol.scope.as_ref().is_some_and(|scope| scope.contains(&at.start));
        let global = |symbol: &&Symbol| symbol.scope.is_none();
        fitting.clone().find(local).or_else(|| fitting.find(global))
    }

    /// Where a symbol is used, its declaration included.
    pub(crate) fn uses(&self, symbol: &Symbol) -> Vec<Range<usize>> {
        let names = (0..self.tokens.len()).filter(|&token| self.is_name(token) && self.word(token) == symbol.name);
        names.filter(|&token| self.meaning(token) == Some(symbol)).map(|token| self.tokens[token].at.clone()).collect()
    }

    /// Where a symbol would have to be changed to have another name, or why that is not possible.
    pub(crate) fn renamed(&self, offset: usize, to: &str) -> Result<Vec<Range<usize>>, String> {
        let symbol = self.resolve(offset).ok_or("there is no name here whose declaration is in this file")?;
        let named = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if to.is_empty() || !to.chars().all(named) || to.starts_with(|c: char| c.is_ascii_digit()) || is_keyword(to) {
            return Err(format!("`{to}` is not a name"));
        }
        let same =
            |other: &&Symbol| other.name == symbol.name && other.scope == symbol.scope && other.kind == symbol.kind;
        if self.symbols.iter().filter(same).count() > 1 {
            return Err(format!("`{}` is declared several times", symbol.name));
        }
        if self.symbols.iter().any(|other| other.name == to) {
            return Err(format!("there is a `{to}` already"));
        }
        let in_macro = |token: &Token| token.directive && self.text[token.at.clone()] == symbol.name;
        if symbol.kind == Kind::Macro || self.tokens.iter().any(in_macro) {
            return Err(format!("`{}` stands in a macro, whose meaning depends on where it is used", symbol.name));
        }
        let remote = |token: usize| {
            self.word(token) == symbol.name && token > 1 && self.word(token - 1) == ":" && self.word(token - 2) == "]"
        };
        if symbol.scope.is_some() && (0..self.tokens.len()).any(remote) {
            return Err(format!("`{}` is used from another process", symbol.name));
        }
        Ok(self.uses(symbol))
    }

    /// The text of a declaration, on one line.
    pub(crate) fn declaration(&self, symbol: &Symbol) -> String {
        let text = &self.text[symbol.whole.clone()];
        let text =
            text.split_once('{').filter(|_| matches!(symbol.kind, Kind::Process | Kind::Inline)).map_or(text, |s| s.0);
        text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(300).collect()
    }
}

fn is_keyword(word: &str) -> bool {
    kw::ALL.iter().take_while(|keyword| **keyword != "always").any(|keyword| *keyword == word)
}

fn is_type(word: &str, declared: &[String]) -> bool {
    let built_in = ["bit", "bool", "byte", "short", "int", "unsigned", "pid", "chan", "mtype"];
    built_in.contains(&word) || declared.iter().any(|name| name == word)
}

/// Words, and everything else character by character; `::` and `->` are one token. Comments and strings are none.
fn tokens(text: &str) -> Vec<Token> {
    let bytes = text.as_bytes();
    let (mut tokens, mut at, mut directive, mut fresh) = (Vec::new(), 0, false, true);
    let find = |from: usize, what: &str| text.get(from..).and_then(|rest| rest.find(what)).map(|found| from + found);
    while at < bytes.len() {
        let byte = bytes[at];
        let start = at;
        if byte == b'\n' {
            directive &= at > 0 && bytes[at - 1] == b'\\';
            fresh = true;
            at += 1;
        } else if byte.is_ascii_whitespace() {
            at += 1;
        } else if bytes[at..].starts_with(b"//") {
            at = find(at, "\n").unwrap_or(bytes.len());
        } else if bytes[at..].starts_with(b"/*") {
            at = find(at + 2, "*/").map_or(bytes.len(), |end| end + 2);
        } else if byte == b'"' {
            at = end_of_string(bytes, at);
        } else {
            let word = byte.is_ascii_alphabetic() || byte == b'_';
            let long = byte.is_ascii_alphanumeric() || byte == b'_';
            directive |= byte == b'#' && fresh;
            fresh = false;
            at += 1;
            while long && at < bytes.len() && (bytes[at].is_ascii_alphanumeric() || bytes[at] == b'_') {
                at += 1;
            }
            if [&b"::"[..], b"->"].iter().any(|pair| bytes[start..].starts_with(pair)) {
                at = start + 2;
            }
            while !text.is_char_boundary(at) {
                at += 1;
            }
            tokens.push(Token { at: start..at, word, directive });
        }
    }
    tokens
}

fn end_of_string(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < bytes.len() && bytes[at] != b'"' && bytes[at] != b'\n' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    (at + 1).min(bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODEL: &str = "#define N 3\nmtype = { req, ack }\nchan q = [N] of { mtype }, r = [0] of { byte };\nbyte x;\n\
        proctype P(byte x; chan c) {\n  int i = 1, j;\nagain: c!req; x = i; goto again\n}\ninline f(a) { a = x }\n\
        ltl p { [] (x < N) }\ninit { run P(1, q); x = 2; f(x) ";

    fn at(text: &str) -> usize {
        MODEL.find(text).unwrap()
    }

    #[test]
    fn names_are_found_although_the_text_is_not_finished() {
        let index = Index::new(MODEL);
        let names: Vec<(&str, Kind)> = index.symbols.iter().map(|s| (s.name.as_str(), s.kind)).collect();
        let expected = [
            ("N", Kind::Macro),
            ("req", Kind::Constant),
            ("ack", Kind::Constant),
            ("q", Kind::Channel),
            ("r", Kind::Channel),
            ("x", Kind::Variable),
            ("P", Kind::Process),
            ("x", Kind::Variable),
            ("c", Kind::Channel),
            ("i", Kind::Variable),
            ("j", Kind::Variable),
            ("again", Kind::Label),
            ("f", Kind::Inline),
            ("a", Kind::Variable),
            ("p", Kind::Formula),
        ];
        assert_eq!(names, expected);
        assert_eq!(index.declaration(&index.symbols[3]), "chan q = [N] of { mtype }");
    }

    #[test]
    fn a_local_name_hides_a_shared_one_and_is_renamed_alone() {
        let index = Index::new(MODEL);
        let local = index.renamed(at("x = i"), "y").unwrap();
        assert_eq!(local, [at("x; chan")..at("x; chan") + 1, at("x = i")..at("x = i") + 1]);
        let shared = index.renamed(at("x = 2"), "y").unwrap();
        assert_eq!(shared.len(), 5, "{shared:?}");
        assert_eq!(
            index.renamed(at("= [0]"), "on").unwrap_err(),
            "there is no name here whose declaration is in this file"
        );
        assert_eq!(index.renamed(at("again\n"), "on").unwrap().len(), 2);
    }

    #[test]
    fn what_stands_in_a_macro_is_not_renamed() {
        let text = "#define UP x = x + 1\nbyte x;\ninit { UP }";
        let index = Index::new(text);
        assert!(index.renamed(text.find("x;").unwrap(), "y").unwrap_err().contains("macro"));
        assert!(index.renamed(text.find("UP").unwrap(), "DOWN").unwrap_err().contains("macro"));
        assert!(Index::new("byte x, y;").renamed(5, "y").unwrap_err().contains("already"));
        assert!(Index::new("byte x;").renamed(5, "do").unwrap_err().contains("not a name"));
    }

    #[test]
    fn any_bytes_have_an_index() {
        for text in ["", "\"", "/*", "#", "proctype", "mtype:", "byte", "ä::ö->", "chan c = [", "\\\n#define", "\"\\"]
        {
            let index = Index::new(text);
            for offset in 0..=text.len() {
                index.resolve(offset);
                let _ = index.renamed(offset, "n");
            }
        }
    }
}
