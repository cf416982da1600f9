//! Where things stand in the text: files, spans, lines and columns.
//!
//! Every construct that a front end hands on carries a [`Span`], so that each message, each step of
//! a run and each row of a table can point at the source. A span is twelve bytes and `Copy`; the
//! texts themselves live in one [`SourceMap`], which is the only place that turns a byte offset
//! into a line and a column.

use std::collections::HashSet;
use std::path::Path;

/// A file of a [`SourceMap`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct FileId(pub u32);

/// A range of bytes in one file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Span {
    /// The file the range lies in.
    pub file: FileId,
    /// The first byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The span of nothing in particular: the start of the first file.
    pub const NONE: Span = Span { file: FileId(0), start: 0, end: 0 };

    /// A span from its parts.
    pub fn new(file: FileId, start: usize, end: usize) -> Self {
        let clamp = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
        Span { file, start: clamp(start), end: clamp(end) }
    }

    /// The smallest span that covers both; `self` if they lie in different files.
    pub fn to(self, other: Span) -> Span {
        if self.file != other.file {
            return self;
        }
        Span { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// A line and a column, both counted from 1; the column counts characters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Position {
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
}

/// One text, with the offsets of its lines.
#[derive(Debug, Clone)]
pub struct SourceFile {
    /// The name as the user gave it, or as an `#include` named it.
    pub name: String,
    /// The whole text.
    pub text: String,
    line_starts: Vec<u32>,
    /// It is no text of a user but stands for one place of a model, which its name says.
    is_place: bool,
}

impl SourceFile {
    /// Whether it stands for a place of a model: see [`SourceMap::add_place`].
    pub fn is_place(&self) -> bool {
        self.is_place
    }
}

/// All the texts of one model: the file itself and what it includes.
#[derive(Debug, Clone, Default)]
pub struct SourceMap {
    files: Vec<SourceFile>,
    /// Statements with parts that are written elsewhere: in the body of a macro, or in the call of an inline.
    expansions: HashSet<Span>,
    /// Where something is called whose body is copied there: the call, and the body.
    calls: Vec<(Span, Span)>,
}

impl SourceMap {
    /// A map without files.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a text and returns its id.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> FileId {
        let (name, text) = (name.into(), text.into());
        let mut line_starts = vec![0];
        line_starts.extend(text.bytes().enumerate().filter(|&(_, b)| b == b'\n').map(|(i, _)| i as u32 + 1));
        self.files.push(SourceFile { name, text, line_starts, is_place: false });
        FileId(self.files.len() as u32 - 1)
    }

    /// Adds a place of a model that has no text of its own, such as `Sender@idle`. Spans in it are shown by its name,
    /// without a line.
    pub fn add_place(&mut self, name: impl Into<String>, text: impl Into<String>) -> FileId {
        let file = self.add(name, text);
        self.files[file.0 as usize].is_place = true;
        file
    }

    /// The files, in the order in which they were read.
    pub fn files(&self) -> &[SourceFile] {
        &self.files
    }

    /// The file of an id that this map handed out.
    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.files[id.0 as usize]
    }

    /// Notes statements with parts that are written elsewhere.
    pub fn note_expansions(&mut self, spans: impl IntoIterator<Item = Span>) {
        self.expansions.extend(spans);
    }

    /// Whether a statement has parts that are written elsewhere.
    pub fn is_expansion(&self, span: Span) -> bool {
        self.expansions.contains(&span)
    }

    /// Notes calls, each with the body that is copied there.
    pub fn note_calls(&mut self, calls: Vec<(Span, Span)>) {
        self.calls = calls;
    }

    /// The calls that copy a statement, those of the innermost body first.
    pub fn calls_of(&self, span: Span) -> impl Iterator<Item = Span> {
        let holds = move |body: &Span| body.file == span.file && body.start <= span.start && span.end <= body.end;
        self.calls.iter().filter(move |(_, body)| holds(body)).map(|(call, _)| *call)
    }

    /// The text of a span.
    pub fn text(&self, span: Span) -> &str {
        let Some(SourceFile { text, .. }) = self.files.get(span.file.0 as usize) else { return "" };
        text.get(span.start as usize..(span.end as usize).min(text.len())).unwrap_or("")
    }

    /// Line and column of the span's first byte.
    pub fn position(&self, span: Span) -> Position {
        let file = self.file(span.file);
        let line = file.line_starts.partition_point(|&start| start <= span.start) as u32;
        let start = file.line_starts[line as usize - 1] as usize;
        let before = file.text.get(start..span.start as usize).unwrap_or("");
        Position { line, column: before.chars().count() as u32 + 1 }
    }

    /// The line that contains the span's first byte, without its end.
    pub fn line(&self, span: Span) -> &str {
        let file = self.file(span.file);
        let line = self.position(span).line as usize;
        file.text.lines().nth(line - 1).unwrap_or("")
    }

    /// `file:line:column`, as every message prints it.
    pub fn describe(&self, span: Span) -> String {
        if self.files.is_empty() {
            return String::from("-");
        }
        let (file, Position { line, column }) = (self.file(span.file), self.position(span));
        if file.is_place { file.name.clone() } else { format!("{}:{line}:{column}", file.name) }
    }

    /// `name:line` with the last part of the path only, for tables and charts.
    pub fn short(&self, span: Span) -> String {
        if self.files.is_empty() {
            return String::from("-");
        }
        let SourceFile { name, is_place, .. } = self.file(span.file);
        if *is_place {
            return name.clone();
        }
        let short = Path::new(name).file_name().and_then(|n| n.to_str()).unwrap_or(name);
        format!("{short}:{}", self.position(span).line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_lines_and_characters_from_one() {
        let mut map = SourceMap::new();
        let file = map.add("a.pml", "byte x;\n/* é */ y\n");
        let y = map.file(file).text.find('y').unwrap();
        assert_eq!(map.position(Span::new(file, 0, 4)), Position { line: 1, column: 1 });
        let y = map.file(file).text[y + 1..].find('y').unwrap() + y + 1;
        assert_eq!(map.position(Span::new(file, y, y + 1)), Position { line: 2, column: 9 });
        assert_eq!(map.describe(Span::new(file, y, y + 1)), "a.pml:2:9");
    }

    #[test]
    fn a_place_without_text_is_shown_by_its_name() {
        let mut map = SourceMap::new();
        map.add("model", "");
        let file = map.add_place("Sender@idle", "skip\ndata!1");
        let span = Span::new(file, 5, 11);
        assert_eq!((map.describe(span), map.short(span)), (String::from("Sender@idle"), String::from("Sender@idle")));
        assert_eq!(map.text(span), "data!1");
    }

    #[test]
    fn a_span_past_the_end_is_harmless() {
        let mut map = SourceMap::new();
        let file = map.add("a.pml", "x");
        let end = Span::new(file, 1, 9);
        assert_eq!(map.text(end), "");
        assert_eq!(map.position(end), Position { line: 1, column: 2 });
    }
}
