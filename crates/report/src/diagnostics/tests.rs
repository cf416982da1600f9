//! What people get to see, message by message.

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

#[test]
fn no_text_and_no_span_makes_it_panic() {
    let pieces = ["a", "é", "日", "\t", "\r\n", "\n", "\r", " ", "\u{1}", "\u{200d}", "word ", "\u{301}", "🙂"];
    for seed in 0..2000u64 {
        let mut random = testing::Random::new(seed);
        let text: String = (0..random.below(300)).map(|_| random.pick(&pieces)).collect();
        let (mut sources, _) = one("a.pml", &text);
        sources.add("b.pml", "x");
        let mut span = || {
            let start = random.below(text.len() + 3);
            let file = FileId(random.below(3));
            Span { file, start: start as u32, end: random.below(text.len() + 3) as u32 }
        };
        let diagnostic = Diagnostic::error("P0101", span(), "m").label("l").also(span(), "s").also(span(), "");
        let width = [0, 1, 60][seed as usize % 3];
        let style = Style { color: false, unicode: seed % 2 == 0, width };
        let drawn = std::panic::catch_unwind(|| render(&[diagnostic], &sources, style));
        assert!(drawn.is_ok(), "seed {seed}");
    }
}
