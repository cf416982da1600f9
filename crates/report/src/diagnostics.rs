//! Diagnostics on the terminal: the message, the line, and the place underlined.
//!
//! The drawing is done by `annotate-snippets`, which wants well-behaved input: spans inside the
//! text, ends of characters respected, lines of a sensible length. A model is not well-behaved (a
//! generated one may be a single line of ten megabytes), so that library never sees the source.
//! It gets an `Excerpt`: a few lines, each cut to a window around its marks.
//!
//! * A `Mark` is one label on one line; a span over several lines is cut to its first.
//! * Marks that are close to each other share an excerpt. One that is far away, in another file, or
//!   too far to the right on the same line gets its own.
//! * The library would count columns in the excerpt, where the line may have been cut. So the name
//!   of the file is handed over with a `STAND_IN` behind it, and the position that is drawn there
//!   is replaced by the true one afterwards.
//!
//! Everything that knows `annotate-snippets` is in this file.

use crate::places::{Line, Places, boundary};
use crate::style::{Style, clean};
use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Renderer, Snippet};
use model::diagnostic::{Diagnostic, Label, Severity};
use model::source::{FileId, SourceMap, Span};
use std::ops::Range;

/// Marks that are at most so many lines apart share an excerpt.
const CLOSE: u32 = 30;
/// A line is cut to so many bytes, if the terminal does not ask for less.
const WIDEST: usize = 240;
/// A line is never cut to less than this.
const NARROWEST: usize = 40;
/// Stands for a position in what the library draws. It replaces this character in all other text.
const STAND_IN: char = '\u{1}';

/// All diagnostics, and at the end where to read more about their codes.
pub fn render(diagnostics: &[Diagnostic], sources: &SourceMap, style: Style) -> String {
    let places = Places::new(sources);
    let mut text = String::new();
    for diagnostic in diagnostics {
        text += &draw(&Message::from(diagnostic), &places, style);
        text += "\n\n";
    }
    text + &for_more(diagnostics.iter().map(|diagnostic| diagnostic.code))
}

/// What is wrong at the end of a run.
pub(crate) fn problem(text: &str, code: &str, span: Option<Span>, places: &Places<'_>, style: Style) -> String {
    let label = Label { span: span.unwrap_or(Span::NONE), text: String::new() };
    let primary = span.map(|_| &label);
    let level = Level::ERROR.with_name("violated");
    draw(&Message { level, code, text, primary, secondary: &[], help: &[] }, places, style)
}

/// Where to read more about the codes, in one line.
pub(crate) fn for_more<'c>(codes: impl IntoIterator<Item = &'c str>) -> String {
    let mut distinct: Vec<&str> = Vec::new();
    for code in codes {
        if !distinct.contains(&code) {
            distinct.push(code);
        }
    }
    match distinct.as_slice() {
        [] => String::new(),
        [code] => format!("for more: highwater explain {code}\n"),
        several => format!("for more: highwater explain CODE, where CODE is {}\n", several.join(", ")),
    }
}

/// Something to be said about places, whoever says it.
struct Message<'a> {
    level: Level<'a>,
    code: &'a str,
    text: &'a str,
    primary: Option<&'a Label>,
    secondary: &'a [Label],
    help: &'a [String],
}

impl<'a> From<&'a Diagnostic> for Message<'a> {
    fn from(diagnostic: &'a Diagnostic) -> Self {
        let level = match diagnostic.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
        };
        let Diagnostic { code, message, primary, secondary, help, .. } = diagnostic;
        Message { level, code, text: message, primary: Some(primary), secondary, help }
    }
}

fn draw<'a, 's: 'a>(message: &Message<'a>, places: &Places<'s>, style: Style) -> String {
    let excerpts = excerpts(message, places, style);
    let title = message.level.clone().primary_title(message.text).id(clean(message.code));
    let mut group = Group::with_title(title);
    for excerpt in &excerpts {
        group = group.element(excerpt.snippet(places, style));
    }
    for help in message.help {
        group = group.element(Level::HELP.message(help.lines().map(clean).collect::<Vec<_>>().join("\n")));
    }
    let drawn = renderer(style).render(&[group]);
    with_positions(&drawn, &excerpts, places)
}

fn renderer(style: Style) -> Renderer {
    let renderer = if style.color { Renderer::styled() } else { Renderer::plain() };
    let decor = if style.unicode { DecorStyle::Unicode } else { DecorStyle::Ascii };
    // Lines have been cut already; the library need not do it again.
    renderer.decor_style(decor).term_width(8 * WIDEST)
}

/// Puts the true positions where the library drew positions in excerpts.
fn with_positions(drawn: &str, excerpts: &[Excerpt<'_>], places: &Places<'_>) -> String {
    let mut parts = drawn.split(STAND_IN);
    let mut text = String::from(parts.next().unwrap_or(""));
    for (position, part) in parts.enumerate() {
        let at = excerpts.get(position).and_then(|excerpt| places.at(excerpt.span));
        text += &at.map_or_else(String::new, |at| format!(":{}:{}", at.line, at.column));
        text += part.trim_start_matches(|c: char| c == ':' || c.is_ascii_digit());
    }
    text
}

/// A label on its line.
#[derive(Clone, Copy)]
struct Mark<'a> {
    line: Line<'a>,
    /// First byte and one past the last one, in the text of the line.
    start: usize,
    end: usize,
    span: Span,
    text: &'a str,
    kind: AnnotationKind,
}

impl<'a> Mark<'a> {
    fn new<'s: 'a>(label: &'a Label, kind: AnnotationKind, places: &Places<'s>) -> Option<Self> {
        let line = places.line(label.span)?;
        let inside = |offset: u32| boundary(line.text, (offset as usize).saturating_sub(line.start));
        let start = inside(label.span.start);
        let end = inside(label.span.end).max(start);
        let end = start + line.text[start..end].trim_end().len();
        Some(Mark { line, start, end, span: label.span, text: &label.text, kind })
    }
}

/// What is shown of a line.
struct Window {
    line: u32,
    range: Range<usize>,
}

/// A few lines of one file, with marks.
struct Excerpt<'a> {
    file: FileId,
    /// The place that the heading names: that of the first mark.
    span: Span,
    /// The first line, and the number of the last.
    first: Line<'a>,
    last: u32,
    marks: Vec<Mark<'a>>,
    windows: Vec<Window>,
}

/// The excerpts that show all labels of a message, the primary one first.
fn excerpts<'a, 's: 'a>(message: &Message<'a>, places: &Places<'s>, style: Style) -> Vec<Excerpt<'a>> {
    let primary = message.primary.and_then(|label| Mark::new(label, AnnotationKind::Primary, places));
    let secondary = message.secondary.iter().filter_map(|l| Mark::new(l, AnnotationKind::Context, places));
    let mut excerpts: Vec<Excerpt<'a>> = Vec::new();
    for mark in primary.into_iter().chain(secondary) {
        match excerpts.iter_mut().find(|excerpt| excerpt.takes(&mark)) {
            Some(excerpt) => excerpt.add(mark, style),
            None => excerpts.push(Excerpt::new(mark, style)),
        }
    }
    for excerpt in &mut excerpts {
        excerpt.add_context(places);
    }
    excerpts
}

impl<'a> Excerpt<'a> {
    fn new(mark: Mark<'a>, style: Style) -> Self {
        let Mark { line, span, .. } = mark;
        let (marks, windows) = (Vec::new(), Vec::new());
        let mut excerpt = Excerpt { file: line.file, span, first: line, last: line.number, marks, windows };
        excerpt.add(mark, style);
        excerpt
    }

    /// Whether the mark is close enough, and in the window if its line has one.
    fn takes(&self, mark: &Mark<'_>) -> bool {
        let line = mark.line.number;
        let close = line + CLOSE >= self.first.number && line <= self.last + CLOSE;
        let seen = |range: &Range<usize>| range.start <= mark.start && mark.end <= range.end;
        self.file == mark.line.file && close && self.window(line).is_none_or(seen)
    }

    fn window(&self, line: u32) -> Option<&Range<usize>> {
        self.windows.iter().find(|window| window.line == line).map(|window| &window.range)
    }

    fn add(&mut self, mark: Mark<'a>, style: Style) {
        let line = mark.line.number;
        if self.window(line).is_none() {
            self.windows.push(Window { line, range: window(mark.line.text, mark.start, mark.end, style) });
        }
        if line < self.first.number {
            self.first = mark.line;
        }
        self.last = self.last.max(line);
        self.marks.push(mark);
    }

    /// An empty first line, such as the end of the file, tells little without the one before it.
    fn add_context<'s: 'a>(&mut self, places: &Places<'s>) {
        if !self.first.text.trim().is_empty() {
            return;
        }
        if let Some(before) = places.line_before(self.first) {
            self.first = before;
            let span = Span::new(self.file, before.start, before.start);
            let (start, end, kind) = (0, 0, AnnotationKind::Visible);
            self.marks.push(Mark { line: before, start, end, span, text: "", kind });
        }
    }

    /// The excerpt as the library wants it.
    fn snippet(&self, places: &Places<'_>, style: Style) -> Snippet<'a, Annotation<'a>> {
        let mut source = String::new();
        let mut annotations = Vec::new();
        let lines =
            places.text_from(self.file, self.first.start).split('\n').map(|l| l.strip_suffix('\r').unwrap_or(l));
        for (number, text) in (self.first.number..=self.last).zip(lines) {
            let range = self.window(number).cloned().unwrap_or_else(|| window(text, 0, 0, style));
            let shown = Shown::new(&mut source, text, range, style);
            let here = self.marks.iter().filter(|mark| mark.line.number == number);
            annotations.extend(here.map(|mark| shown.annotation(mark)));
        }
        let path = format!("{}{STAND_IN}", clean(places.name(self.file)));
        Snippet::source(source).path(path).line_start(self.first.number as usize).annotations(annotations)
    }
}

/// A line in the text of an excerpt.
struct Shown {
    /// Where the window starts in the excerpt, and which part of the line it is.
    offset: usize,
    range: Range<usize>,
}

impl Shown {
    /// Adds the window of a line to the text, with signs where it was cut.
    fn new(source: &mut String, line: &str, range: Range<usize>, style: Style) -> Self {
        if range.start > 0 {
            source.push_str(style.ellipsis());
        }
        let offset = source.len();
        source.push_str(line.get(range.clone()).unwrap_or(""));
        if range.end < line.len() {
            source.push_str(style.ellipsis());
        }
        source.push('\n');
        Shown { offset, range }
    }

    fn annotation<'a>(&self, mark: &Mark<'a>) -> Annotation<'a> {
        let place = |byte: usize| self.offset + byte.clamp(self.range.start, self.range.end) - self.range.start;
        let label = Some(clean(mark.text)).filter(|text| !text.is_empty());
        mark.kind.span(place(mark.start)..place(mark.end)).label(label)
    }
}

/// The part of a line around a mark that fits on the terminal.
fn window(line: &str, start: usize, end: usize, style: Style) -> Range<usize> {
    let room = if style.width == 0 { WIDEST } else { style.width.saturating_sub(10).clamp(NARROWEST, WIDEST) };
    if line.len() <= room {
        return 0..line.len();
    }
    // The mark, or its beginning, in the middle.
    let middle = start + (end - start).min(room) / 2;
    let first = middle.saturating_sub(room / 2).min(line.len() - room).min(start);
    boundary(line, first)..boundary(line, first + room)
}

#[cfg(test)]
mod tests;
