//! What a user sees after `check`: the verdicts first, then channels and runs, then numbers.
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
//!
//! An answer that was not requested is *advice*: it has no colour of its own, its verdict is a word in the sentence, and
//! its run is not shown. Below the verdicts come, for each answer, what there is of: how long the channels get, the
//! cycles that nothing forbids, the run, and notes on what to do.

mod sentences;
mod violations;

use crate::channels;
use crate::cycles::combination;
use crate::diagnostics;
use crate::document::{ComponentsInfo, CompositionInfo, Document, ModelInfo, NotChecked, ProgramInfo, counts};
use crate::places::Places;
use crate::stats;
use crate::style::{Ink, Style, clean, counted, duration, grouped};
use model::source::SourceMap;
use model::verdict::{Outcome, Reason, Verdict};
use std::collections::HashSet;
use violations::{others, possible, violation};

/// Everything about one file; with a table of counts if `with_stats` is set.
pub fn render(document: &Document<'_>, with_stats: bool, style: Style) -> String {
    let places = Places::new(document.sources);
    let mut text = header(&document.model, document.warnings.len(), style);
    text += "\n";
    text += &verdict_lines(document, style);
    let counted = if with_stats { stats::tables(&document.outcomes, &places, style) } else { String::new() };
    let mut said = HashSet::new();
    let sections = document.outcomes.iter().flat_map(|outcome| sections(outcome, &mut said, &places, style));
    for section in sections.chain([counted, summary(document, style)]).filter(|section| !section.is_empty()) {
        text += "\n";
        text += &section;
    }
    text
}

/// A line for each answer that counts and is no proof; nothing if all are proved.
pub fn quiet(document: &Document<'_>, style: Style) -> String {
    let file = style.paint(Ink::Strong, &clean(&document.model.file));
    let open = document.outcomes.iter().filter(|o| counts(o) && o.verdict != Verdict::Proved);
    let open = open.map(|outcome| verdict_line(outcome, &document.model, style));
    let not_checked = document.not_checked.iter().filter(|not| not.asked);
    let lines = open.chain(not_checked.map(|not| not_checked_line(not, style)));
    let line = |Line { mark, ink, verdict, property, sentence }: Line| {
        format!("{file}: {} {property}: {sentence}\n", style.paint(ink, &format!("{mark} {verdict}")))
    };
    lines.map(line).collect()
}

/// The run that an outcome shows, with what is wrong at its end; empty if it shows none.
pub fn run(outcome: &Outcome, sources: &SourceMap, style: Style) -> String {
    let [_, _, run, _] = sections(outcome, &mut HashSet::new(), &Places::new(sources), style);
    run
}

/// What is said about an answer below the verdicts; some of it may be empty.
fn sections(outcome: &Outcome, said: &mut HashSet<String>, places: &Places<'_>, style: Style) -> [String; 4] {
    let run = match (&outcome.verdict, &outcome.witness) {
        (Verdict::Violated, Some(witness)) if counts(outcome) => {
            violation(outcome, witness, places, style) + &others(outcome, places, style)
        }
        (Verdict::Inconclusive(Reason::NotProvable(_)), Some(witness)) if counts(outcome) => {
            possible(outcome, witness, places, style)
        }
        _ => String::new(),
    };
    let channels = channels::table(&outcome.details.channels, style);
    [channels, combination(outcome, places, style), run, notes(outcome, said, style)]
}

/// What to do, and where to read more. What was said of another answer is not said again.
fn notes(outcome: &Outcome, said: &mut HashSet<String>, style: Style) -> String {
    let mut notes = outcome.details.advice.clone();
    notes.retain(|note| said.insert(note.clone()));
    if !counts(outcome) && outcome.witness.is_some() {
        notes.push(format!("`-p {}` asks for this property, and shows the run", outcome.property));
    }
    let label = style.paint(Ink::Strong, "note");
    let note = |text: &String| format!("{label}: {}\n", clean(&text.replace('\n', " ")));
    let mut text: String = notes.iter().map(note).collect();
    if let Verdict::Inconclusive(reason @ Reason::NotProvable(_)) = &outcome.verdict {
        text += &diagnostics::for_more([reason.code()]);
    }
    text
}

/// The file, its language and its size.
fn header(model: &ModelInfo, warnings: usize, style: Style) -> String {
    let mut parts = about(model);
    if warnings > 0 {
        parts.push(style.paint(Ink::Doubt, &counted(warnings as u64, "warning", "warnings")));
    }
    format!("{}: {}\n", style.paint(Ink::Strong, &clean(&model.file)), parts.join(", "))
}

/// What was found, for which reading, by whom, in what time.
pub fn sentence(outcome: &Outcome, model: &ModelInfo) -> String {
    sentences::sentence(outcome, model, Style { unicode: true, ..Style::PLAIN })
}

/// The language of a model, how it was read, and its size.
pub fn about(model: &ModelInfo) -> Vec<String> {
    let mut parts = vec![String::from(language(model.language))];
    match (&model.composition, &model.program) {
        (Some(CompositionInfo { system, components, events }), _) => {
            parts.extend(system.iter().map(|name| clean(name)));
            parts.push(counted(*components as u64, "component", "components"));
            parts.push(counted(*events as u64, "event", "events"));
        }
        (None, Some(ProgramInfo { entry, data_model, signed_overflow, procedures, variables, locations })) => parts
            .extend([
                format!("{}()", clean(entry)),
                String::from(*data_model),
                String::from(if *signed_overflow { "signed overflow is an error" } else { "signed overflow wraps" }),
                counted(*procedures as u64, "procedure", "procedures"),
                counted(*variables as u64, "variable", "variables"),
                counted(*locations as u64, "location", "locations"),
            ]),
        (None, None) if model.components.is_some() => {
            let about = model.components.as_ref();
            parts.extend(about.into_iter().flat_map(components_header));
        }
        (None, None) => parts.extend([
            counted(model.machines as u64, "process type", "process types"),
            counted(model.processes as u64, "process", "processes"),
            counted(model.channels as u64, "channel", "channels"),
        ]),
    }
    parts.extend(model.defines.iter().map(|define| format!("-D {}", clean(define))));
    parts
}

fn components_header(about: &ComponentsInfo) -> Vec<String> {
    let ComponentsInfo { files, parts, conformances, events, data_model, signed_overflow } = about;
    let mut header = vec![
        counted(*files as u64, "file", "files"),
        String::from(*data_model),
        String::from(if *signed_overflow { "signed overflow is an error" } else { "signed overflow wraps" }),
    ];
    if *parts > 0 {
        header.push(counted(*parts as u64, "part", "parts"));
    }
    if *conformances > 0 {
        header.push(counted(*conformances as u64, "conformance", "conformances"));
    }
    header.push(counted(*events as u64, "event", "events"));
    header
}

fn language(name: &str) -> &str {
    match name {
        "promela" => "Promela",
        "scm" | "cfsm" => "communicating machines",
        "art" | "room" => "UML-RT",
        "fsp" => "FSP",
        "aut" => "Aldebaran",
        "c" => "C",
        "spec" => "C components",
        "rust" => "built in Rust",
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
    let answers = document.outcomes.iter().map(|outcome| verdict_line(outcome, &document.model, style));
    let lines: Vec<Line> = answers.chain(document.not_checked.iter().map(|n| not_checked_line(n, style))).collect();
    let width = lines.iter().map(|line| line.property.chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    for Line { mark, ink, verdict, property, sentence } in lines {
        let verdict = style.paint(ink, &format!("{mark} {verdict:12}"));
        text += &format!("{verdict}  {property:width$}  {sentence}\n");
    }
    text
}

fn verdict_line(outcome: &Outcome, model: &ModelInfo, style: Style) -> Line {
    let (mark, ink) = match outcome.verdict {
        Verdict::Proved => (style.choose("✔", "+"), Ink::Good),
        Verdict::Violated => (style.choose("✘", "x"), Ink::Bad),
        Verdict::Inconclusive(_) => ("?", Ink::Doubt),
        Verdict::Vacuous(_) => (style.choose("○", "o"), Ink::Doubt),
    };
    let verdict = outcome.verdict.name();
    let property = clean(&outcome.property.to_string());
    let sentence = sentences::sentence(outcome, model, style);
    if counts(outcome) {
        return Line { mark, ink, verdict, property, sentence };
    }
    let sentence = format!("{}: {sentence}", style.paint(ink, verdict));
    Line { mark: style.choose("•", "*"), ink: Ink::Strong, verdict: "advice", property, sentence }
}

fn not_checked_line(not_checked: &NotChecked, style: Style) -> Line {
    let (mark, property) = (style.choose("–", "-"), clean(&not_checked.property));
    let ink = if not_checked.asked { Ink::Doubt } else { Ink::Faint };
    Line { mark, ink, verdict: "not checked", property, sentence: clean(&not_checked.reason.to_string()) }
}

/// How many of each verdict, and the time for the whole file.
fn summary(document: &Document<'_>, style: Style) -> String {
    let count = |wanted: &str| document.outcomes.iter().filter(|o| counts(o) && o.verdict.name() == wanted).count();
    let advice = document.outcomes.iter().filter(|outcome| !counts(outcome)).count();
    let verdicts = ["violated", "inconclusive", "vacuous", "proved"].map(|name| (name, count(name)));
    let all = verdicts.into_iter().chain([("not checked", document.not_checked.len()), ("as advice", advice)]);
    let parts: Vec<String> =
        all.filter(|&(_, count)| count > 0).map(|(name, count)| format!("{} {name}", grouped(count as u64))).collect();
    let parts = if parts.is_empty() { String::from("nothing to check") } else { parts.join(", ") };
    let ink = match document.exit_code() {
        0 => Ink::Good,
        1 => Ink::Bad,
        _ => Ink::Doubt,
    };
    format!("{} in {}\n", style.paint(ink, &parts), duration(document.time))
}

#[cfg(test)]
mod tests;
