//! Where a span is, for people: file, line, column, the text of the line. Never fails.
//!
//! Spans in a diagnostic or a run should be spans of the sources that come with them, but a report is
//! the last place that may panic when they are not: a span of an unknown file is no place at all, an
//! offset past the end is the end, an offset inside a character is its start.
//!
//! A run of a million steps visits few statements, so positions are kept: in a model of one long line
//! each costs a walk over that line.

use crate::style::clean;
use model::source::{FileId, SourceMap, Span};
use serde::Serialize;
use std::cell::RefCell;
use std::collections::HashMap;
use std::path::Path;

/// A place as documents have it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub(crate) struct At<'a> {
    /// The name of the file.
    pub file: &'a str,
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
    /// The line of the last character, if it is another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_line: Option<u32>,
    /// The name says where it is: there is no text with lines.
    #[serde(skip)]
    pub is_place: bool,
}

impl At<'_> {
    /// Only where it starts.
    pub(crate) fn start(self) -> Self {
        At { end_line: None, ..self }
    }

    /// The last part of the file's name, and the line.
    pub(crate) fn short(self) -> String {
        if self.is_place {
            return clean(self.file);
        }
        let name = Path::new(self.file).file_name().and_then(|n| n.to_str()).unwrap_or(self.file);
        format!("{}:{}", clean(name), self.line)
    }
}

/// A line of a source, without its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Line<'a> {
    /// The file it is in.
    pub file: FileId,
    /// Its number, from 1.
    pub number: u32,
    /// The offset of its first byte.
    pub start: usize,
    /// Its text.
    pub text: &'a str,
}

/// The sources, with the positions that were requested so far.
pub(crate) struct Places<'a> {
    sources: &'a SourceMap,
    known: RefCell<HashMap<Span, Option<At<'a>>>>,
}

impl<'a> Places<'a> {
    /// The places of these sources.
    pub(crate) fn new(sources: &'a SourceMap) -> Self {
        Places { sources, known: RefCell::default() }
    }

    /// The name and the text of a file.
    fn file(&self, file: FileId) -> Option<(&'a str, &'a str)> {
        self.sources.files().get(file.0 as usize).map(|f| (f.name.as_str(), f.text.as_str()))
    }

    /// The name of a file.
    pub(crate) fn name(&self, file: FileId) -> &'a str {
        self.file(file).map_or("-", |(name, _)| name)
    }

    /// The text of a file from an offset on.
    pub(crate) fn text_from(&self, file: FileId, offset: usize) -> &'a str {
        self.file(file).and_then(|(_, text)| text.get(offset..)).unwrap_or("")
    }

    /// Where a span is; `None` for a span of no file.
    pub(crate) fn at(&self, span: Span) -> Option<At<'a>> {
        if let Some(&at) = self.known.borrow().get(&span) {
            return at;
        }
        let at = self.find(span);
        self.known.borrow_mut().insert(span, at);
        at
    }

    fn find(&self, span: Span) -> Option<At<'a>> {
        let (name, text) = self.file(span.file)?;
        let start = boundary(text, span.start as usize);
        let position = self.sources.position(Span::new(span.file, start, start));
        let last = boundary(text, span.end as usize).saturating_sub(1).max(start);
        let end_line = position.line + newlines(text, start, last);
        let end_line = Some(end_line).filter(|&line| line != position.line);
        let is_place = self.sources.file(span.file).is_place();
        Some(At { file: name, line: position.line, column: position.column, end_line, is_place })
    }

    /// `name:line`, for tables.
    pub(crate) fn short(&self, span: Span) -> String {
        self.at(span).map_or_else(|| String::from("-"), At::short)
    }

    /// The line in which a span starts.
    pub(crate) fn line(&self, span: Span) -> Option<Line<'a>> {
        let at = self.at(span)?;
        let (_, text) = self.file(span.file)?;
        Some(line_around(span.file, at.line, text, boundary(text, span.start as usize)))
    }

    /// The line before a line.
    pub(crate) fn line_before(&self, line: Line<'_>) -> Option<Line<'a>> {
        let (_, text) = self.file(line.file)?;
        let end = line.start.checked_sub(1)?;
        Some(line_around(line.file, line.number - 1, text, end))
    }
}

/// The line that has the byte at an offset.
fn line_around(file: FileId, number: u32, text: &str, offset: usize) -> Line<'_> {
    let start = text[..offset].rfind('\n').map_or(0, |newline| newline + 1);
    let end = text[offset..].find('\n').map_or(text.len(), |newline| offset + newline);
    let line = &text[start..end];
    Line { file, number, start, text: line.strip_suffix('\r').unwrap_or(line) }
}

fn newlines(text: &str, from: usize, to: usize) -> u32 {
    text.as_bytes().get(from..to).map_or(0, |bytes| bytes.iter().filter(|&&b| b == b'\n').count() as u32)
}

/// The offset, or the next smaller one that is the start of a character or the end of the text.
pub fn boundary(text: &str, offset: usize) -> usize {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_of_an_unknown_file_is_no_place() {
        let sources = SourceMap::new();
        let places = Places::new(&sources);
        assert_eq!(places.at(Span::NONE), None);
        assert_eq!(places.line(Span::NONE), None);
        assert_eq!(places.short(Span::NONE), "-");
    }

    #[test]
    fn offsets_past_the_end_and_inside_a_character_are_moved_back() {
        let mut sources = SourceMap::new();
        let file = sources.add("dir/a.pml", "/* é */\r\nx");
        let places = Places::new(&sources);
        let past = places.at(Span::new(file, 90, 99));
        assert_eq!(past, Some(At { file: "dir/a.pml", line: 2, column: 2, end_line: None, is_place: false }));
        let inside = places.at(Span::new(file, 4, 5));
        assert_eq!(inside, Some(At { file: "dir/a.pml", line: 1, column: 4, end_line: None, is_place: false }));
        assert_eq!(places.line(Span::new(file, 4, 5)).map(|l| l.text), Some("/* é */"));
        assert_eq!(places.short(Span::new(file, 90, 99)), "a.pml:2");
    }

    #[test]
    fn a_span_over_lines_has_an_end_line() {
        let mut sources = SourceMap::new();
        let file = sources.add("a.pml", "do\n:: x\nod\n");
        let places = Places::new(&sources);
        assert_eq!(places.at(Span::new(file, 0, 10)).and_then(|at| at.end_line), Some(3));
        assert_eq!(places.at(Span::new(file, 0, 3)).and_then(|at| at.end_line), None);
    }

    #[test]
    fn the_line_before_is_found() {
        let mut sources = SourceMap::new();
        let file = sources.add("a.pml", "one\n\nthree");
        let places = Places::new(&sources);
        let three = places.line(Span::new(file, 6, 7));
        let two = three.and_then(|line| places.line_before(line));
        let one = two.and_then(|line| places.line_before(line));
        assert_eq!(
            [three, two, one].map(|l| l.map(|l| (l.number, l.text))),
            [Some((3, "three")), Some((2, "")), Some((1, "one"))]
        );
        assert_eq!(one.and_then(|line| places.line_before(line)), None);
    }
}
