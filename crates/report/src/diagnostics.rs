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
mod tests {
    use super::*;
    use crate::sample;

    fn one(name: &str, text: &str) -> (SourceMap, FileId) {
        let mut sources = SourceMap::new();
        let file = sources.add(name, text);
        (sources, file)
    }

    #[test]
    fn the_place_is_underlined_with_its_label_its_help_and_its_code() {
        let diagnostic = Diagnostic::error("P0203", sample::span("q!req(7)"), "`q` is full")
            .label("sent here")
            .also(sample::span("chan q = [2]"), "two messages fit")
            .help("receive one first");
        insta::assert_snapshot!(render(&[diagnostic], &sample::sources(), Style::PLAIN), @"
        error[P0203]: `q` is full
          --> models/hand.pml:12:3
           |
         2 | chan q = [2] of { mtype, byte };
           | ------------ two messages fit
        ...
        12 |   q!req(7)
           |   ^^^^^^^^ sent here
           |
           = help: receive one first

        for more: highwater explain P0203
        ");
    }

    #[test]
    fn with_unicode_lines_are_drawn() {
        let diagnostic = Diagnostic::warning("P0203", sample::span("byte x"), "x is never read").help("remove it");
        let style = Style { unicode: true, ..Style::PLAIN };
        insta::assert_snapshot!(render(&[diagnostic], &sample::sources(), style), @"
        warning[P0203]: x is never read
          ╭▸ models/hand.pml:4:1
          │
        4 │ byte x;
          │ ━━━━━━
          │
          ╰ help: remove it

        for more: highwater explain P0203
        ");
    }

    #[test]
    fn colours_are_there_only_when_asked_for() {
        let diagnostic = [Diagnostic::error("P0203", sample::span("byte x"), "no")];
        let colored = Style { color: true, ..Style::PLAIN };
        assert!(render(&diagnostic, &sample::sources(), colored).contains("\x1b["));
        assert!(!render(&diagnostic, &sample::sources(), Style::PLAIN).contains('\x1b'));
    }

    #[test]
    fn a_secondary_place_in_another_file_is_shown_with_its_name() {
        let mut sources = sample::sources();
        let other = sources.add("lib/common.pml", "/* shared */\nbyte x = 3;\n");
        let diagnostic = Diagnostic::error("P0301", sample::span("byte x"), "`x` is declared twice")
            .label("again")
            .also(Span::new(other, 18, 19), "first");
        insta::assert_snapshot!(render(&[diagnostic], &sources, Style::PLAIN), @"
        error[P0301]: `x` is declared twice
         --> models/hand.pml:4:1
          |
        4 | byte x;
          | ^^^^^^ again
          |
         ::: lib/common.pml:2:6
          |
        2 | byte x = 3;
          |      - first

        for more: highwater explain P0301
        ");
    }

    #[test]
    fn a_secondary_place_far_away_is_shown_on_its_own() {
        let (sources, file) = one("far.pml", &format!("byte x;\n{}byte x;\n", "\n".repeat(500)));
        let diagnostic = Diagnostic::error("P0301", Span::new(file, 513, 514), "`x` is declared twice")
            .also(Span::new(file, 5, 6), "first");
        insta::assert_snapshot!(render(&[diagnostic], &sources, Style::PLAIN), @"
        error[P0301]: `x` is declared twice
           --> far.pml:502:6
            |
        502 | byte x;
            |      ^
            |
           ::: far.pml:1:6
            |
          1 | byte x;
            |      - first

        for more: highwater explain P0301
        ");
    }

    #[test]
    fn tabs_and_carriage_returns_do_not_move_the_mark() {
        let (sources, file) = one("tabs.pml", "init {\r\n\t\tx\t= 1;\r\n}\r\n");
        let diagnostic = Diagnostic::error("P0101", Span::new(file, 14, 15), "unexpected `1`");
        insta::assert_snapshot!(render(&[diagnostic], &sources, Style::PLAIN), @"
        error[P0101]: unexpected `1`
         --> tabs.pml:2:7
          |
        2 |         x    = 1;
          |                ^

        for more: highwater explain P0101
        ");
    }

    #[test]
    fn characters_of_several_bytes_count_as_one_column() {
        let text = "/* größer als 日本 */ assert(x)\n";
        let (sources, file) = one("wide.pml", text);
        let start = text.find("assert").unwrap();
        let diagnostic = Diagnostic::error("P0101", Span::new(file, start, start + 6), "no `x`");
        insta::assert_snapshot!(render(&[diagnostic], &sources, Style::PLAIN), @"
        error[P0101]: no `x`
         --> wide.pml:1:21
          |
        1 | /* größer als 日本 */ assert(x)
          |                       ^^^^^^

        for more: highwater explain P0101
        ");
    }

    #[test]
    fn the_end_of_the_file_is_shown_after_its_last_line() {
        let (sources, file) = one("end.pml", "init {\n  skip\n");
        let diagnostic = Diagnostic::error("P0102", Span::new(file, 14, 14), "`}` is missing").label("here");
        insta::assert_snapshot!(render(&[diagnostic], &sources, Style::PLAIN), @"
        error[P0102]: `}` is missing
         --> end.pml:3:1
          |
        2 |   skip
        3 |
          | ^ here

        for more: highwater explain P0102
        ");
    }

    #[test]
    fn a_span_past_the_end_points_at_the_end() {
        let (sources, file) = one("end.pml", "skip");
        let diagnostic = Diagnostic::error("P0102", Span::new(file, 900, 1000), "more was expected");
        insta::assert_snapshot!(render(&[diagnostic], &sources, Style::PLAIN), @"
        error[P0102]: more was expected
         --> end.pml:1:5
          |
        1 | skip
          |     ^

        for more: highwater explain P0102
        ");
    }

    #[test]
    fn a_span_over_several_lines_is_underlined_on_the_first() {
        let start = sample::TEXT.find("atomic").unwrap();
        let end = sample::TEXT.find("c!ack").unwrap();
        let diagnostic = Diagnostic::warning("P0401", Span::new(FileId(0), start, end), "never left");
        insta::assert_snapshot!(render(&[diagnostic], &sample::sources(), Style::PLAIN), @"
        warning[P0401]: never left
         --> models/hand.pml:7:3
          |
        7 |   atomic {
          |   ^^^^^^^^

        for more: highwater explain P0401
        ");
    }

    #[test]
    fn a_line_of_ten_megabytes_is_cut_around_the_place_and_the_column_is_the_true_one() {
        let filler = "x = x + 1; ".repeat(500_000);
        let (sources, file) = one("long.pml", &format!("{filler}y = 2; {filler}"));
        let start = filler.len();
        let diagnostic = Diagnostic::error("P0301", Span::new(file, start, start + 1), "`y` is not declared")
            .label("not declared")
            .also(Span::new(file, 0, 1), "`x` is");
        let style = Style { width: 80, ..Style::PLAIN };
        insta::assert_snapshot!(render(&[diagnostic], &sources, style), @"
        error[P0301]: `y` is not declared
         --> long.pml:1:5500001
          |
        1 | ...; x = x + 1; x = x + 1; x = x + 1; y = 2; x = x + 1; x = x + 1; x = x ...
          |                                       ^ not declared
          |
         ::: long.pml:1:1
          |
        1 | x = x + 1; x = x + 1; x = x + 1; x = x + 1; x = x + 1; x = x + 1; x = ...
          | - `x` is

        for more: highwater explain P0301
        ");
    }

    #[test]
    fn without_sources_the_message_stands_alone() {
        let diagnostics = [
            Diagnostic::error("P0001", Span::NONE, "cannot read `a.pml`: no such file"),
            Diagnostic::error("P0002", Span::NONE, "nothing to do"),
        ];
        insta::assert_snapshot!(render(&diagnostics, &SourceMap::new(), Style::PLAIN), @"
        error[P0001]: cannot read `a.pml`: no such file

        error[P0002]: nothing to do

        for more: highwater explain CODE, where CODE is P0001, P0002
        ");
    }

    #[test]
    fn escape_sequences_of_a_model_are_not_sent_to_the_terminal() {
        let (sources, file) = one("evil\x1b[2J.pml", "printf(\"\x1b[2J\x01\")\n");
        let diagnostic =
            Diagnostic::error("P0101", Span::new(file, 0, 6), "bad \x1b[2J").help("no \x1b[2J").label("\x1b[2J");
        let text = render(&[diagnostic], &sources, Style::PLAIN);
        assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text:?}");
        assert!(text.contains(".pml:1:1\n"), "{text}");
    }

    /// A generator of numbers that is the same everywhere.
    fn next(seed: &mut u64) -> usize {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*seed >> 33) as usize
    }

    #[test]
    fn no_text_and_no_span_makes_it_panic() {
        let pieces = ["a", "é", "日", "\t", "\r\n", "\n", "\r", " ", "\u{1}", "\u{200d}", "word ", "\u{301}", "🙂"];
        for seed in 0..2000u64 {
            let mut state = seed;
            let text: String = (0..next(&mut state) % 300).map(|_| pieces[next(&mut state) % pieces.len()]).collect();
            let (mut sources, _) = one("a.pml", &text);
            sources.add("b.pml", "x");
            let mut span = || {
                let start = next(&mut state) % (text.len() + 3);
                let file = FileId((next(&mut state) % 3) as u32);
                Span { file, start: start as u32, end: (next(&mut state) % (text.len() + 3)) as u32 }
            };
            let diagnostic = Diagnostic::error("P0101", span(), "m").label("l").also(span(), "s").also(span(), "");
            let width = [0, 1, 60][seed as usize % 3];
            let style = Style { color: false, unicode: seed % 2 == 0, width };
            let drawn = std::panic::catch_unwind(|| render(&[diagnostic], &sources, style));
            assert!(drawn.is_ok(), "seed {seed}");
        }
    }
}
