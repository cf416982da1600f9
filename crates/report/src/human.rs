//! What a user sees after `check`: the verdicts first, then the runs, then numbers.
//!
//! ```text
//! hand.pml: Promela, 2 process types, 2 processes, 2 channels
//!
//! ✔ proved        safety    no assertion fails, no run-time error — all 10 052 states, channels as declared (explore, 12 ms)
//! ✘ violated      deadlock  2 processes are stuck after 2 steps — channels as declared (explore, 3 ms)
//! ```
//! A verdict line says what was proved or violated, for which reading of the channels, by whom and
//! in what time. A mark, a word and a colour each tell the verdicts apart: "not finished" has its own
//! of all three, and the last line counts it separately.

use crate::chart::{Fold, standing_table, steps_table};
use crate::diagnostics;
use crate::document::{Document, ModelInfo, NotChecked};
use crate::places::Places;
use crate::style::{Ink, Style, bytes, clean, counted, duration, grouped};
use crate::table::{Cell, Row, Set, Table};
use model::semantics::Reading;
use model::verdict::{Certificate, Outcome, Property, SearchStats, Verdict, Witness};

/// Everything about one file; with a table of counts if `stats` is set.
pub fn render(document: &Document<'_>, stats: bool, style: Style) -> String {
    let places = Places::new(document.sources);
    let mut text = header(&document.model, document.warnings, style);
    text += "\n";
    text += &verdict_lines(document, style);
    for outcome in &document.outcomes {
        if let (Verdict::Violated, Some(witness)) = (&outcome.verdict, &outcome.witness) {
            text += "\n";
            text += &violation(outcome, witness, &places, style);
        }
    }
    if stats {
        text += "\n";
        text += &stats_table(&document.outcomes, style);
    }
    text += "\n";
    text + &summary(document, style)
}

/// The file, its language and its size.
fn header(model: &ModelInfo, warnings: usize, style: Style) -> String {
    let mut parts = vec![
        String::from(language(model.language)),
        counted(model.machines as u64, "process type", "process types"),
        counted(model.processes as u64, "process", "processes"),
        counted(model.channels as u64, "channel", "channels"),
    ];
    parts.extend(model.defines.iter().map(|define| format!("-D {}", clean(define))));
    if warnings > 0 {
        parts.push(style.paint(Ink::Doubt, &counted(warnings as u64, "warning", "warnings")));
    }
    format!("{}: {}\n", style.paint(Ink::Strong, &clean(&model.file)), parts.join(", "))
}

fn language(name: &str) -> &str {
    match name {
        "promela" => "Promela",
        other => other,
    }
}

/// A verdict line before its columns are aligned.
struct Line {
    mark: &'static str,
    ink: Ink,
    verdict: &'static str,
    property: String,
    sentence: String,
}

fn verdict_lines(document: &Document<'_>, style: Style) -> String {
    let answers = document.outcomes.iter().map(|outcome| verdict_line(outcome, style));
    let lines: Vec<Line> = answers.chain(document.not_checked.iter().map(|n| not_checked_line(n, style))).collect();
    let width = lines.iter().map(|line| line.property.chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    for Line { mark, ink, verdict, property, sentence } in lines {
        let verdict = style.paint(ink, &format!("{mark} {verdict:12}"));
        text += &format!("{verdict}  {property:width$}  {sentence}\n");
    }
    text
}

fn verdict_line(outcome: &Outcome, style: Style) -> Line {
    let (mark, ink) = match outcome.verdict {
        Verdict::Proved => (style.choose("✔", "+"), Ink::Good),
        Verdict::Violated => (style.choose("✘", "x"), Ink::Bad),
        Verdict::Inconclusive(_) => ("?", Ink::Doubt),
        Verdict::Vacuous(_) => (style.choose("○", "o"), Ink::Doubt),
    };
    let verdict = outcome.verdict.name();
    let property = clean(&outcome.property.to_string());
    Line { mark, ink, verdict, property, sentence: sentence(outcome, style) }
}

fn not_checked_line(not_checked: &NotChecked, style: Style) -> Line {
    let (mark, property) = (style.choose("–", "-"), clean(&not_checked.property));
    let ink = if not_checked.asked { Ink::Doubt } else { Ink::Faint };
    Line { mark, ink, verdict: "not checked", property, sentence: clean(&not_checked.reason) }
}

/// What was found, for which reading, by whom, in what time.
fn sentence(outcome: &Outcome, style: Style) -> String {
    let dash = style.dash();
    let reading = reading(outcome.reading);
    let by = format!("({}, {})", outcome.engine, duration(outcome.time));
    match &outcome.verdict {
        Verdict::Proved => {
            let scope = outcome.certificate.as_ref().map_or_else(String::new, |c| scope(c) + ", ");
            format!("{} {dash} {scope}{reading} {by}", claim(&outcome.property))
        }
        Verdict::Violated => format!("{} {dash} {reading} {by}", finding(outcome)),
        Verdict::Inconclusive(reason) => {
            let reached = outcome
                .stats
                .as_ref()
                .map_or_else(String::new, |stats| format!(" after {}", counted(stats.states, "state", "states")));
            format!("{}{reached} {dash} {reading} {by}", clean(&reason.to_string()))
        }
        Verdict::Vacuous(why) => format!("{} {dash} {reading} {by}", clean(why)),
    }
}

/// What holds when a property is proved.
fn claim(property: &Property) -> &'static str {
    match property {
        Property::Safety => "no assertion fails, no run-time error",
        Property::Deadlock => "no invalid end state",
        Property::Boundedness => "every channel is bounded",
        Property::Livelock => "no endless run without progress",
        Property::Reception => "no machine is stuck before a message that it does not take",
        Property::Orphan => "no message is left over at the end",
        Property::Ltl(_) => "the formula holds on every run",
        Property::Never(_) => "no run matches the claim",
        Property::Trace(_) => "every run conforms",
    }
}

/// What a proof looked at.
fn scope(certificate: &Certificate) -> String {
    match certificate {
        Certificate::Explored { states: 1, .. } => String::from("the only state"),
        Certificate::Explored { states, .. } => format!("all {}", counted(*states, "state", "states")),
    }
}

fn reading(reading: Reading) -> &'static str {
    match reading {
        Reading::Declared => "channels as declared",
        Reading::Unbounded => "channels without bounds",
        Reading::Drop => "full channels lose messages",
    }
}

/// What was found when a property is violated.
fn finding(outcome: &Outcome) -> String {
    let Some(witness) = &outcome.witness else { return String::from("violated, without a run") };
    let what = match outcome.property {
        Property::Deadlock if !witness.standing.is_empty() => {
            let stuck = witness.standing.iter().filter(|process| !process.valid_end).count();
            counted(stuck as u64, "process is stuck", "processes are stuck")
        }
        _ => clean(&witness.problem) + ",",
    };
    let more = outcome.stats.as_ref().map_or(0, |stats| stats.violations);
    let more = if more > 1 { format!(", {} in all", counted(more, "violation", "violations")) } else { String::new() };
    format!("{what} {}{more}", when(witness))
}

fn when(witness: &Witness) -> String {
    let steps = |count: usize| counted(count as u64, "step", "steps");
    let length = witness.steps.len();
    match witness.loop_from.filter(|&first| first < length) {
        Some(first) => format!("after {}, then {} for ever", steps(first), steps(length - first)),
        None if length == 0 => String::from("in the first state"),
        None => format!("after {}", steps(length)),
    }
}

/// The run, where it ended, and what is wrong there.
fn violation(outcome: &Outcome, witness: &Witness, places: &Places<'_>, style: Style) -> String {
    let title = format!("the run that violates {}", clean(&outcome.property.to_string()));
    let mut text = style.paint(Ink::Strong, &title) + "\n";
    if !witness.steps.is_empty() {
        text += &steps_table(&witness.steps, witness.loop_from, Fold::Middle, places, style);
    }
    if !witness.standing.is_empty() {
        let stuck = outcome.property == Property::Deadlock;
        text += &format!("\n{}\n", style.paint(Ink::Strong, "where it ends"));
        text += &standing_table(&witness.standing, stuck, places, style);
    }
    text += "\n";
    text += &diagnostics::problem(&witness.problem, witness.problem_code, witness.problem_span, places, style);
    text += "\n\n";
    text + &diagnostics::for_more([witness.problem_code])
}

/// What the searches counted. Properties that were answered by the same search share a row.
fn stats_table(outcomes: &[Outcome], style: Style) -> String {
    let mut table = Table::new(&[
        ("search for", Set::Left),
        ("states", Set::Right),
        ("transitions", Set::Right),
        ("depth", Set::Right),
        ("bytes/state", Set::Right),
        ("memory", Set::Right),
        ("states/s", Set::Right),
    ]);
    for (properties, first, stats) in searches(outcomes) {
        table.push(Row::Cells(stats_cells(properties, first, stats)));
    }
    table.render("", style)
}

/// The searches that were made, each with the properties that it answered.
fn searches(outcomes: &[Outcome]) -> Vec<(String, &Outcome, &SearchStats)> {
    let mut searches: Vec<(String, &Outcome, &SearchStats)> = Vec::new();
    for outcome in outcomes {
        let Some(stats) = &outcome.stats else { continue };
        let property = clean(&outcome.property.to_string());
        match searches.iter_mut().find(|(_, first, _)| is_same_search(first, outcome)) {
            Some((properties, ..)) => *properties += &format!(", {property}"),
            None => searches.push((property, outcome, stats)),
        }
    }
    searches
}

/// The same counts, but for the violations of each property.
fn is_same_search(one: &Outcome, other: &Outcome) -> bool {
    let counts = |outcome: &Outcome| outcome.stats.clone().map(|stats| SearchStats { violations: 0, ..stats });
    let about = |outcome: &Outcome| (outcome.engine, outcome.reading, outcome.time);
    about(one) == about(other) && counts(one) == counts(other)
}

fn stats_cells(properties: String, outcome: &Outcome, stats: &SearchStats) -> Vec<Cell> {
    let seconds = outcome.time.as_secs_f64();
    let per_state = if stats.states > 0 { stats.state_bytes as f64 / stats.states as f64 } else { 0.0 };
    let rate = if seconds > 0.0 { (stats.states as f64 / seconds) as u64 } else { 0 };
    vec![
        Cell::from(properties),
        Cell::from(grouped(stats.states)),
        Cell::from(grouped(stats.transitions)),
        Cell::from(grouped(stats.depth)),
        Cell::from(format!("{per_state:.1}")),
        Cell::from(bytes(stats.memory_bytes)),
        Cell::from(grouped(rate)),
    ]
}

/// How many of each verdict, and the time for the whole file.
fn summary(document: &Document<'_>, style: Style) -> String {
    let count = |wanted: &str| document.outcomes.iter().filter(|o| o.verdict.name() == wanted).count();
    let verdicts = ["violated", "inconclusive", "vacuous", "proved"].map(|name| (name, count(name)));
    let counts = verdicts.into_iter().chain([("not checked", document.not_checked.len())]);
    let parts: Vec<String> = counts
        .filter(|&(_, count)| count > 0)
        .map(|(name, count)| format!("{} {name}", grouped(count as u64)))
        .collect();
    let parts = if parts.is_empty() { String::from("nothing to check") } else { parts.join(", ") };
    let ink = match document.exit_code() {
        0 => Ink::Good,
        1 => Ink::Bad,
        _ => Ink::Doubt,
    };
    format!("{} in {}\n", style.paint(ink, &parts), duration(document.time))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;
    use model::verdict::Reason;

    const UNICODE: Style = Style { color: false, unicode: true, width: 100 };

    fn lines(outcomes: Vec<Outcome>, style: Style) -> String {
        let sources = sample::sources();
        let mut document = sample::document(&sources, outcomes);
        document.not_checked = vec![sample::not_checked(true)];
        verdict_lines(&document, style)
    }

    fn every_verdict() -> Vec<Outcome> {
        let late = Outcome {
            property: Property::Livelock,
            engine: "explore",
            time: std::time::Duration::from_secs(60),
            ..sample::outcome(Verdict::Inconclusive(Reason::Timeout))
        };
        let vacuous = Outcome {
            property: Property::Boundedness,
            reading: Reading::Unbounded,
            ..sample::outcome(Verdict::Vacuous(String::from("no statement sends")))
        };
        vec![sample::outcome(Verdict::Proved), sample::deadlock(), late, vacuous]
    }

    #[test]
    fn each_verdict_has_its_line() {
        insta::assert_snapshot!(lines(every_verdict(), UNICODE), @"
        ✔ proved        safety       no assertion fails, no run-time error — all 10 052 states, channels as declared (explore, 12 ms)
        ✘ violated      deadlock     2 processes are stuck after 2 steps — channels as declared (explore, 3 ms)
        ? inconclusive  livelock     the time limit was reached (--timeout) after 10 052 states — channels as declared (explore, 60.0 s)
        ○ vacuous       boundedness  no statement sends — channels without bounds (explore, 12 ms)
        – not checked   ltl:p1       temporal properties are not checked by this version
        ");
    }

    #[test]
    fn each_verdict_has_its_line_in_ascii() {
        let text = lines(every_verdict(), Style::PLAIN);
        assert!(text.is_ascii());
        insta::assert_snapshot!(text, @"
        + proved        safety       no assertion fails, no run-time error - all 10 052 states, channels as declared (explore, 12 ms)
        x violated      deadlock     2 processes are stuck after 2 steps - channels as declared (explore, 3 ms)
        ? inconclusive  livelock     the time limit was reached (--timeout) after 10 052 states - channels as declared (explore, 60.0 s)
        o vacuous       boundedness  no statement sends - channels without bounds (explore, 12 ms)
        - not checked   ltl:p1       temporal properties are not checked by this version
        ");
    }

    #[test]
    fn each_verdict_has_its_colour() {
        let text = lines(every_verdict(), Style { color: true, ..UNICODE });
        let codes: Vec<_> = text.lines().map(|line| line.split('m').next().unwrap_or("")).collect();
        assert_eq!(codes, ["\x1b[1;32", "\x1b[1;31", "\x1b[1;33", "\x1b[1;33", "\x1b[1;33"]);
    }

    #[test]
    fn a_violation_is_shown_with_its_run_its_end_and_its_place() {
        let sources = sample::sources();
        let document = sample::document(&sources, vec![sample::outcome(Verdict::Violated)]);
        insta::assert_snapshot!(render(&document, false, UNICODE), @"
        models/hand.pml: Promela, 2 process types, 2 processes, 2 channels, -D N=3

        ✘ violated      safety  assertion violated, after 6 steps — channels as declared (explore, 12 ms)

        the run that violates safety
          step     place        who  event                  changed  channels
             1  ┌  hand.pml:8   P:0  x = 1                  x = 1
             2  └  hand.pml:9   P:0  q!req(1)                        q ▕ req(1)
             3     hand.pml:11  P:0  c!ack → Q:1 (line 16)
             4     hand.pml:12  P:0  q!req(7)                        q ▕ req(1) req(7)
             5     hand.pml:17  Q:1  q?req(1)                        q ▕ req(7)
             6     hand.pml:18  Q:1  assert(x == 0)

        where it ends
          P:0  hand.pml:13  may stop here  }
          Q:1  hand.pml:18  is here        assert(x == 0)

        violated[assertion]: assertion violated
           ╭▸ models/hand.pml:18:3
           │
        18 │   assert(x == 0)
           ╰╴  ━━━━━━━━━━━━━━

        for more: highwater explain assertion

        1 violated in 15 ms
        ");
    }

    #[test]
    fn a_deadlock_in_ascii() {
        let sources = sample::sources();
        let mut document = sample::document(&sources, vec![sample::deadlock()]);
        document.warnings = 1;
        let text = render(&document, false, Style { width: 80, ..Style::PLAIN });
        assert!(text.is_ascii());
        insta::assert_snapshot!(text, @r"
        models/hand.pml: Promela, 2 process types, 2 processes, 2 channels, -D N=3, 1 warning

        x violated      deadlock  2 processes are stuck after 2 steps - channels as declared (explore, 3 ms)

        the run that violates deadlock
          step     place       who  event     changed  channels
             1  /  hand.pml:8  P:0  x = 1     x = 1
             2  \  hand.pml:9  P:0  q!req(1)           q | req(1)

        where it ends
          P:0  hand.pml:11  waits here  c!ack;
          Q:1  hand.pml:17  waits here  q?req(x);

        violated[invalid-end-state]: invalid end state: nothing can move

        for more: highwater explain invalid-end-state

        1 violated in 15 ms
        ");
    }

    #[test]
    fn stats_of_one_search_share_a_row() {
        let sources = sample::sources();
        let deadlock = Outcome { property: Property::Deadlock, ..sample::outcome(Verdict::Proved) };
        let mut bounded = Outcome { property: Property::Boundedness, ..sample::outcome(Verdict::Proved) };
        bounded.reading = Reading::Unbounded;
        let outcomes = vec![sample::outcome(Verdict::Proved), deadlock, bounded];
        insta::assert_snapshot!(render(&sample::document(&sources, outcomes), true, Style::PLAIN), @"
        models/hand.pml: Promela, 2 process types, 2 processes, 2 channels, -D N=3

        + proved        safety       no assertion fails, no run-time error - all 10 052 states, channels as declared (explore, 12 ms)
        + proved        deadlock     no invalid end state - all 10 052 states, channels as declared (explore, 12 ms)
        + proved        boundedness  every channel is bounded - all 10 052 states, channels without bounds (explore, 12 ms)

        search for        states  transitions  depth  bytes/state   memory  states/s
        safety, deadlock  10 052       30 127     41         24.0  1.5 MiB   814 586
        boundedness       10 052       30 127     41         24.0  1.5 MiB   814 586

        3 proved in 15 ms
        ");
    }

    #[test]
    fn when_it_happens_is_said_in_words() {
        let mut witness = sample::witness();
        witness.loop_from = Some(4);
        assert_eq!(when(&witness), "after 4 steps, then 2 steps for ever");
        witness.loop_from = None;
        assert_eq!(when(&witness), "after 6 steps");
        witness.steps.truncate(1);
        assert_eq!(when(&witness), "after 1 step");
        witness.steps.clear();
        assert_eq!(when(&witness), "in the first state");
    }

    #[test]
    fn a_violation_in_the_first_state_needs_no_chart() {
        let sources = sample::sources();
        let mut outcome = sample::outcome(Verdict::Violated);
        if let Some(witness) = &mut outcome.witness {
            witness.steps.clear();
            witness.standing.clear();
        }
        let text = render(&sample::document(&sources, vec![outcome]), false, Style::PLAIN);
        assert!(text.contains("assertion violated, in the first state") && !text.contains("where it ends"), "{text}");
    }

    #[test]
    fn several_violations_are_counted() {
        let mut outcome = sample::deadlock();
        outcome.stats = Some(SearchStats { violations: 1200, ..sample::stats() });
        assert_eq!(finding(&outcome), "2 processes are stuck after 2 steps, 1 200 violations in all");
    }

    #[test]
    fn a_model_without_properties_says_so() {
        let sources = sample::sources();
        let text = render(&sample::document(&sources, Vec::new()), false, Style::PLAIN);
        assert!(text.ends_with("nothing to check in 15 ms\n"), "{text}");
    }
}
