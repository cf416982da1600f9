//! The run of a C program: a table of statements with the values that they change, and the same as JSON.
//!
//! ```text
//! step  place      statement       changed
//!    1  count.c:3  i = 0           i = 0
//!    2  count.c:4  n = read()      n = 3
//!    ↳ read() returned 3
//! ```
//! Statements that decide nothing and change nothing are not in the run; the middle of a long run is left out.

use crate::chart::{Fold, hidden};
use crate::joint::fold_remark;
use crate::places::{At, Places};
use crate::style::{Ink, Style, clean, counted, grouped};
use crate::table::{Cell, Row, Set, Table};
use model::chart::Change;
use model::source::SourceMap;
use model::verdict::{ProgramInput, ProgramRun, ProgramStep};
use serde::{Serialize, Serializer};

/// More changes by one step than this are counted.
const MANY_CHANGES: usize = 8;

/// Every step of a run.
pub fn whole(run: &ProgramRun, sources: &SourceMap, style: Style) -> String {
    chart(run, Fold::Nothing, &Places::new(sources), style)
}

/// The steps of a run.
pub(crate) fn chart(run: &ProgramRun, fold: Fold, places: &Places<'_>, style: Style) -> String {
    let mut table = Table::new(&[
        ("step", Set::Right),
        ("place", Set::Left),
        ("in", Set::Left),
        ("statement", Set::Elastic),
        ("changed", Set::Elastic),
    ]);
    let hidden = hidden(run.steps.len(), fold);
    // The procedure is worth a column only if there are several.
    let several = run.steps.windows(2).any(|pair| pair[0].procedure != pair[1].procedure);
    let arrow = style.choose("↳", "->");
    for position in (0..hidden.start).chain(hidden.end..run.steps.len()) {
        if position == hidden.end && !hidden.is_empty() {
            table.push(Row::Remark(fold_remark(&hidden, None, style)));
        }
        if let Some((_, missing)) = run.gap.filter(|&(at, _)| at == position) {
            table.push(Row::Remark(format!("{} {} are not told", style.ellipsis(), counted(missing, "step", "steps"))));
        }
        let step = &run.steps[position];
        table.push(Row::Cells(vec![
            Cell::inked(Ink::Faint, grouped(number(run, position))),
            Cell::inked(Ink::Faint, places.short(step.span)),
            Cell::from(if several { clean(&step.procedure) } else { String::new() }),
            Cell::from(clean(&step.statement)),
            Cell::from(changes(&step.changes)),
        ]));
        for remark in &step.remarks {
            table.push(Row::Remark(format!("      {arrow} {}", clean(remark))));
        }
    }
    table.render("  ", style)
}

/// `i = 0, s.f = 3`
pub(crate) fn changes(changes: &[Change]) -> String {
    let mut shown: Vec<String> = changes
        .iter()
        .take(MANY_CHANGES)
        .map(|Change { name, value }| format!("{} = {}", clean(name), clean(value)))
        .collect();
    if let Some(more) = changes.len().checked_sub(MANY_CHANGES).filter(|&more| more > 0) {
        shown.push(format!("and {more} more"));
    }
    shown.join(", ")
}

/// How long a run is.
pub(crate) fn when(run: &ProgramRun) -> String {
    format!("after {}", counted(number(run, run.steps.len()).saturating_sub(1), "step", "steps"))
}

/// The number of a step, from 1.
fn number(run: &ProgramRun, position: usize) -> u64 {
    let missing = run.gap.filter(|&(at, _)| at <= position).map_or(0, |(_, missing)| missing);
    position as u64 + 1 + missing
}

// --- JSON ---------------------------------------------------------------------------------------------

/// The kind of a run of a C program.
pub(crate) const PROGRAM_RUN: &str = "program-run";

/// The `witness` of an answer about a C program.
#[derive(Serialize)]
pub(crate) struct ProgramJson<'a> {
    kind: &'static str,
    problem: &'a str,
    problem_code: &'static str,
    problem_at: Option<At<'a>>,
    inputs: Vec<InputJson<'a>>,
    /// The same as numbers, for replay.
    bits: &'a [u64],
    steps: StepsJson<'a>,
    /// Of a very long run, how many steps are missing, and behind how many.
    #[serde(skip_serializing_if = "Option::is_none")]
    gap: Option<GapJson>,
}

#[derive(Serialize)]
struct GapJson {
    after: usize,
    steps: u64,
}

/// A run of a C program as JSON.
pub(crate) fn program<'a>(run: &'a ProgramRun, places: &'a Places<'a>) -> ProgramJson<'a> {
    ProgramJson {
        kind: PROGRAM_RUN,
        problem: &run.problem,
        problem_code: run.problem_code,
        problem_at: places.at(run.problem_span).map(At::start),
        inputs: run.inputs.iter().map(|input| input_json(input, places)).collect(),
        bits: &run.bits,
        steps: StepsJson(run, places),
        gap: run.gap.map(|(after, steps)| GapJson { after, steps }),
    }
}

/// The steps, each made into JSON when its turn comes.
struct StepsJson<'a>(&'a ProgramRun, &'a Places<'a>);

impl Serialize for StepsJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.steps.iter().map(|step| step_json(step, self.1)))
    }
}

#[derive(Serialize)]
struct StepJson<'a> {
    at: Option<At<'a>>,
    procedure: &'a str,
    statement: &'a str,
    changed: Changed<'a>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    remarks: &'a [String],
}

/// Variables and their new values, as an object.
pub(crate) struct Changed<'a>(pub(crate) &'a [Change]);

impl Serialize for Changed<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|Change { name, value }| (name, value)))
    }
}

fn step_json<'a>(step: &'a ProgramStep, places: &Places<'a>) -> StepJson<'a> {
    let ProgramStep { span, procedure, statement, changes, remarks } = step;
    let at = places.at(*span).map(At::start);
    StepJson { at, procedure, statement, changed: Changed(changes), remarks }
}

#[derive(Serialize)]
pub(crate) struct InputJson<'a> {
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    routine: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    variable: Option<&'a str>,
    value: &'a str,
    at: Option<At<'a>>,
}

pub(crate) fn input_json<'a>(input: &'a ProgramInput, places: &Places<'a>) -> InputJson<'a> {
    let ProgramInput { kind, routine, variable, value, span } = input;
    let (routine, variable) = (routine.as_deref(), variable.as_deref());
    InputJson { kind, routine, variable, value, at: places.at(*span).map(At::start) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    /// Two steps; the second one reads a value.
    fn run() -> ProgramRun {
        let step = |text: &str, procedure: &str, changes: &[(&str, &str)], remarks: &[&str]| ProgramStep {
            span: sample::span(text),
            procedure: String::from(procedure),
            statement: String::from(text),
            changes: changes.iter().map(|&(name, value)| Change { name: name.into(), value: value.into() }).collect(),
            remarks: remarks.iter().map(|&remark| String::from(remark)).collect(),
        };
        ProgramRun {
            steps: vec![
                step("x = 1", "main", &[("x", "1")], &[]),
                step("assert(x == 0)", "f", &[("f::n", "-3"), ("p", "&a[1]")], &["`read` returned -3"]),
            ],
            gap: None,
            inputs: vec![ProgramInput {
                kind: "nondet",
                routine: Some(String::from("read")),
                variable: None,
                value: String::from("-3"),
                span: sample::span("assert(x == 0)"),
            }],
            bits: vec![0xffff_fffd],
            problem: String::from("assertion violated"),
            problem_code: "assertion",
            problem_span: sample::span("assert(x == 0)"),
        }
    }

    #[test]
    fn a_run_is_a_table_of_statements_and_what_they_change() {
        let sources = sample::sources();
        insta::assert_snapshot!(chart(&run(), Fold::Nothing, &Places::new(&sources), Style::PLAIN), @"
        step  place        in    statement       changed
           1  hand.pml:8   main  x = 1           x = 1
           2  hand.pml:18  f     assert(x == 0)  f::n = -3, p = &a[1]
              -> `read` returned -3
        ");
        assert_eq!(when(&run()), "after 2 steps");
    }

    #[test]
    fn steps_behind_a_gap_keep_their_numbers() {
        let sources = sample::sources();
        let long = ProgramRun { gap: Some((1, 1_000)), ..run() };
        let text = chart(&long, Fold::Nothing, &Places::new(&sources), Style::PLAIN);
        assert!(text.contains("... 1 000 steps are not told") && text.contains("1 002"), "{text}");
        assert_eq!(when(&long), "after 1 002 steps");
    }

    #[test]
    fn a_run_as_json_has_places_statements_changes_and_inputs() {
        let sources = sample::sources();
        let (run, places) = (run(), Places::new(&sources));
        insta::assert_snapshot!(serde_json::to_string(&program(&run, &places)).unwrap(), @r#"{"kind":"program-run","problem":"assertion violated","problem_code":"assertion","problem_at":{"file":"models/hand.pml","line":18,"column":3},"inputs":[{"kind":"nondet","routine":"read","value":"-3","at":{"file":"models/hand.pml","line":18,"column":3}}],"bits":[4294967293],"steps":[{"at":{"file":"models/hand.pml","line":8,"column":5},"procedure":"main","statement":"x = 1","changed":{"x":"1"}},{"at":{"file":"models/hand.pml","line":18,"column":3},"procedure":"f","statement":"assert(x == 0)","changed":{"f::n":"-3","p":"&a[1]"},"remarks":["`read` returned -3"]}]}"#);
    }
}
