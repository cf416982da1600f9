//! The parts of a specification that are not FSP, cut out of its text.
//!
//! A specification is FSP with five more kinds of definitions, and one more kind of action. [`outline`] finds them:
//!
//! ```text
//! file      := "file" "server.c" {"," "client.c"} ";"
//! cproc     := "cproc" NAME "{" { "abstract" "{" [LABEL ","] "(" guard ")" "," PROCESS "}" ";" | "predicate" "(" expr ")" {"," "(" expr ")"} ";" } "}"
//! program   := "program" "=" "(" part {"||" part} ")" [";" | "."]         part := ["final"] [label ":"] NAME ["/" "{" new "/" old {"," ..} "}"]
//! formula   := "ltl" NAME "{" FORMULA "}"
//! conforms  := "conforms" PROCEDURE "to" PROCESS ";"
//! return    := "return" "{" condition "}"                                  (an action of a process)
//! ```
//!
//! In what is left for the FSP reader they are blank, and actions `return {..}` are labels in quotes; everything keeps its
//! place, so that messages about either part point at the same text.

use model::diagnostic::{Diagnostic, nearest};
use model::source::{FileId, Span};

/// A piece of text, and where it stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Piece {
    pub(crate) text: String,
    pub(crate) span: Span,
}

/// What is said about a routine or procedure.
#[derive(Clone, Debug)]
pub(crate) struct About {
    pub(crate) name: Piece,
    /// Guards and processes.
    pub(crate) abstracts: Vec<(Piece, Piece)>,
    /// Hints.
    pub(crate) predicates: Vec<Piece>,
}

/// A part of the program.
#[derive(Clone, Debug)]
pub(crate) struct PartText {
    pub(crate) label: Option<Piece>,
    pub(crate) name: Piece,
    /// New and old names of events.
    pub(crate) relabel: Vec<(Piece, Piece)>,
    /// It may stop wherever it waits.
    pub(crate) is_final: bool,
    /// All of it.
    pub(crate) whole: Piece,
}

/// A specification, cut into pieces.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outline {
    pub(crate) files: Vec<Piece>,
    pub(crate) about: Vec<About>,
    pub(crate) program: Option<Vec<PartText>>,
    pub(crate) formulas: Vec<(Piece, Piece)>,
    /// Procedures, and the processes that they conform to.
    pub(crate) conforms: Vec<(Piece, Piece)>,
    /// The conditions of `return` actions, by number, and the indices of their processes of which they speak.
    pub(crate) returns: Vec<(Piece, Vec<String>)>,
    /// What the FSP reader gets.
    pub(crate) fsp: String,
}

type Cut<T> = Result<T, Box<Diagnostic>>;

const WORDS: [&str; 5] = ["file", "cproc", "program", "ltl", "conforms"];

/// Cuts a text into pieces.
pub(crate) fn outline(file: FileId, text: &str) -> Cut<Outline> {
    let mut scanner = Scanner { file, text, at: 0, outline: Outline::default() };
    let mut blank: Vec<(usize, usize)> = Vec::new();
    let mut labels: Vec<(usize, usize, String)> = Vec::new();
    // The indices that were bound in this process, so far.
    let mut bound: Vec<String> = Vec::new();
    let mut depth = 0_usize;
    while scanner.skip() {
        let start = scanner.at;
        let first = scanner.rest().chars().next().unwrap_or(' ');
        if first == '"' {
            scanner.quoted()?;
        } else if first.is_ascii_alphabetic() || first == '_' {
            // In a label or in the list of a fluent it is an event.
            let before = text[..start].trim_end();
            let listed = text[..start].ends_with('.') || before.ends_with(['<', ',']);
            let word = scanner.word();
            if word == "return" && depth > 0 {
                let condition = scanner.returned()?;
                let indices = indices(&condition.text, &bound);
                let label = label(scanner.outline.returns.len(), &indices, scanner.at - start);
                labels.push((start, scanner.at, label.ok_or_else(|| scanner.unexpected("a shorter condition"))?));
                scanner.outline.returns.push((condition, indices));
            } else if depth == 0 && !listed && WORDS.contains(&word) && scanner.definition(word)? {
                blank.push((start, scanner.at));
            }
        } else {
            scanner.at += first.len_utf8();
            match first {
                '(' | '{' => depth += 1,
                '[' => {
                    depth += 1;
                    bound.extend(binding(scanner.rest()));
                }
                '.' | ',' if depth == 0 => bound.clear(),
                ')' | '}' | ']' => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
    }
    let mut outline = scanner.outline;
    outline.fsp = remaining(text, &blank, &labels);
    Ok(outline)
}

/// The text without what was cut out, as long as it was.
fn remaining(text: &str, blank: &[(usize, usize)], labels: &[(usize, usize, String)]) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for &(from, to) in blank {
        bytes[from..to].iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
    }
    for (from, to, label) in labels {
        bytes[*from..*to].copy_from_slice(label.as_bytes());
    }
    String::from_utf8(bytes).unwrap_or_default()
}

/// The label of a `return` action, with its indices, in so many bytes.
fn label(number: usize, indices: &[String], length: usize) -> Option<String> {
    let suffix: String = indices.iter().map(|index| format!("[{index}]")).collect();
    let blanks = length.checked_sub(format!("\"#{number}\"{suffix}").len())?;
    Some(format!("\"#{number}{}\"{suffix}", " ".repeat(blanks)))
}

/// The name that an index in brackets binds, as in `[v:0..3]`.
fn binding(rest: &str) -> Option<String> {
    let rest = rest.trim_start();
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_')?;
    let is_name = rest.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    (is_name && rest[end..].trim_start().starts_with(':')).then(|| rest[..end].to_owned())
}

/// The words of a text and what is between them.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$' || c == ':';
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = is_word(rest.chars().next()?);
        let end = rest.find(|c: char| is_word(c) != first).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        rest = after;
        Some(word)
    })
}

/// The indices of which a condition speaks, each once.
fn indices(condition: &str, bound: &[String]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for word in words(condition) {
        if bound.iter().any(|name| name == word) && found.iter().all(|known| known != word) {
            found.push(word.to_owned());
        }
    }
    found
}

/// A condition with numbers for its indices.
pub(crate) fn with_values(condition: &str, indices: &[String], values: &[i64]) -> String {
    let value = |word: &str| indices.iter().position(|index| index == word).and_then(|at| values.get(at));
    words(condition).map(|word| value(word).map_or_else(|| word.to_owned(), |value| format!("({value})"))).collect()
}

struct Scanner<'t> {
    file: FileId,
    text: &'t str,
    at: usize,
    outline: Outline,
}

impl<'t> Scanner<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or("")
    }

    /// Passes over blanks and comments. Whether there is more.
    fn skip(&mut self) -> bool {
        loop {
            let rest = self.rest();
            self.at += rest.len() - rest.trim_start().len();
            let rest = self.rest();
            if rest.starts_with("//") {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if rest.starts_with("/*") {
                self.at += rest.find("*/").map_or(rest.len(), |end| end + 2);
            } else {
                return !rest.is_empty();
            }
        }
    }

    fn span(&self, from: usize, to: usize) -> Span {
        Span::new(self.file, from, to)
    }

    fn piece(&self, from: usize, to: usize) -> Piece {
        Piece { text: self.text.get(from..to).unwrap_or("").to_owned(), span: self.span(from, to) }
    }

    fn word(&mut self) -> &'t str {
        let rest = self.rest();
        let length = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    fn unexpected(&self, wanted: &str) -> Box<Diagnostic> {
        let found = self.rest().chars().next();
        let length = found.map_or(0, char::len_utf8);
        let found = found.map_or(String::from("the end of the file"), |c| format!("`{}`", c.escape_debug()));
        let place = self.span(self.at, self.at + length);
        Box::new(Diagnostic::error("M0001", place, format!("expected {wanted}, found {found}")))
    }

    fn peek(&mut self, sign: &str) -> bool {
        self.skip();
        self.rest().starts_with(sign)
    }

    fn eat(&mut self, sign: &str) -> bool {
        let found = self.peek(sign);
        if found {
            self.at += sign.len();
        }
        found
    }

    fn expect(&mut self, sign: &str) -> Cut<()> {
        if self.eat(sign) { Ok(()) } else { Err(self.unexpected(&format!("`{sign}`"))) }
    }

    fn name(&mut self, what: &str) -> Cut<Piece> {
        self.skip();
        let start = self.at;
        if self.word().is_empty() {
            return Err(self.unexpected(what));
        }
        Ok(self.piece(start, self.at))
    }

    /// A label: names with dots and indices.
    fn label(&mut self) -> Cut<Piece> {
        self.skip();
        let start = self.at;
        let rest = self.rest();
        let length = rest.find(|c: char| !(c.is_ascii_alphanumeric() || "_.[]".contains(c))).unwrap_or(rest.len());
        if length == 0 {
            return Err(self.unexpected("an event"));
        }
        self.at += length;
        Ok(self.piece(start, self.at))
    }

    fn quoted(&mut self) -> Cut<Piece> {
        if !self.peek("\"") {
            return Err(self.unexpected("a name in quotes"));
        }
        let start = self.at + 1;
        let inner = self.text.get(start..).unwrap_or("");
        match inner.find(['"', '\n']) {
            Some(length) if inner[length..].starts_with('"') => {
                self.at = start + length + 1;
                Ok(self.piece(start, start + length))
            }
            _ => {
                let error = Diagnostic::error("M0001", self.span(self.at, self.at + 1), "this quote is not closed");
                Err(Box::new(error))
            }
        }
    }

    /// What stands between two signs; other pairs of them can stand inside.
    fn between(&mut self, open: char, close: char) -> Cut<Piece> {
        if !self.peek(&open.to_string()) {
            return Err(self.unexpected(&format!("`{open}`")));
        }
        let (start, mut depth) = (self.at, 0_usize);
        for (offset, c) in self.rest().char_indices() {
            if c == open {
                depth += 1;
            } else if c == close {
                depth -= 1;
                if depth == 0 {
                    self.at = start + offset + 1;
                    return Ok(self.piece(start + 1, start + offset));
                }
            }
        }
        let error = Diagnostic::error("M0001", self.span(start, start + 1), format!("this `{open}` is not closed"));
        Err(Box::new(error))
    }

    /// The condition of a `return`; without one it always holds.
    fn returned(&mut self) -> Cut<Piece> {
        let end = self.at;
        if self.peek("{") {
            let piece = self.between('{', '}')?;
            if !piece.text.trim().is_empty() {
                return Ok(piece);
            }
            return Ok(Piece { text: String::from("1"), span: piece.span });
        }
        self.at = end;
        Ok(Piece { text: String::from("1"), span: self.span(end - "return".len(), end) })
    }

    /// The rest of a definition after its word; whether it is one.
    fn definition(&mut self, word: &str) -> Cut<bool> {
        let start = self.at;
        match word {
            "file" => {
                if !self.peek("\"") {
                    self.at = start;
                    return Ok(false);
                }
                loop {
                    let file = self.quoted()?;
                    self.outline.files.push(file);
                    if !self.eat(",") {
                        break;
                    }
                }
                self.expect(";")?;
            }
            "cproc" => self.about()?,
            "program" => self.program()?,
            "ltl" => {
                let name = self.name("a name for the formula")?;
                let formula = self.between('{', '}')?;
                self.eat(".");
                self.eat(";");
                self.outline.formulas.push((name, formula));
            }
            _ => {
                let procedure = self.name("the name of a procedure")?;
                let to = self.name("`to`")?;
                if to.text != "to" {
                    let error = Diagnostic::error("M0001", to.span, format!("expected `to`, found `{}`", to.text));
                    return Err(Box::new(error.help("write `conforms PROCEDURE to PROCESS;`")));
                }
                let process = self.name("the name of a process")?;
                self.expect(";")?;
                self.outline.conforms.push((procedure, process));
            }
        }
        Ok(true)
    }

    fn about(&mut self) -> Cut<()> {
        let name = self.name("the name of a routine or a procedure")?;
        let mut about = About { name, abstracts: Vec::new(), predicates: Vec::new() };
        self.expect("{")?;
        while !self.eat("}") {
            let word = self.name("`abstract`, `predicate` or `}`")?;
            match word.text.as_str() {
                "abstract" => {
                    self.expect("{")?;
                    if !self.peek("(") {
                        self.name("a label or `(`")?;
                        self.expect(",")?;
                    }
                    let guard = self.between('(', ')')?;
                    self.expect(",")?;
                    let process = self.name("the name of a process")?;
                    self.expect("}")?;
                    about.abstracts.push((guard, process));
                }
                "predicate" => loop {
                    let predicate = self.between('(', ')')?;
                    about.predicates.push(predicate);
                    if !self.eat(",") {
                        break;
                    }
                },
                other => {
                    let error = Diagnostic::error("M0001", word.span, format!("`{other}` is not known here"));
                    let near = nearest(other, ["abstract", "predicate"]);
                    let help = near
                        .map_or(String::from("write `abstract` or `predicate`"), |n| format!("did you mean `{n}`?"));
                    return Err(Box::new(error.help(help)));
                }
            }
            self.expect(";")?;
        }
        self.eat(".");
        self.outline.about.push(about);
        Ok(())
    }

    fn program(&mut self) -> Cut<()> {
        let word = self.span(self.at - "program".len(), self.at);
        self.expect("=")?;
        self.expect("(")?;
        let mut parts = Vec::new();
        loop {
            self.skip();
            let mut start = self.at;
            let mut label = None;
            let mut name = self.label()?;
            let is_final = name.text == "final" && self.skip() && self.rest().starts_with(char::is_alphabetic);
            if is_final {
                start = self.at;
                name = self.label()?;
            }
            if self.eat(":") {
                label = Some(name);
                name = self.name("the name of a procedure or a process")?;
            }
            let mut relabel = Vec::new();
            if self.eat("/") {
                self.expect("{")?;
                loop {
                    let new = self.label()?;
                    self.expect("/")?;
                    relabel.push((new, self.label()?));
                    if !self.eat(",") {
                        break;
                    }
                }
                self.expect("}")?;
            }
            parts.push(PartText { label, name, relabel, is_final, whole: self.piece(start, self.at) });
            if !self.eat("||") {
                break;
            }
        }
        self.expect(")")?;
        if !self.eat(".") {
            self.eat(";");
        }
        if self.outline.program.replace(parts).is_some() {
            let error = Diagnostic::error("M0001", word, "there is another `program` above");
            return Err(Box::new(error.help("a specification has one program")));
        }
        Ok(())
    }
}
