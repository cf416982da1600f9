//! The run of C components: a chart of who does what and of the events between them, and the same as JSON.
//!
//! ```text
//! the parts, from left to right: client, server
//! step         event  who     place        statement   changed
//!    3  ● │           client  pair.c:12    x = 1       x = 1
//!    4  ●─●    hello  client  pair.c:13    hello()
//!                     server  pair.c:31    hello()
//! ```
//! Each part has a lane of its own. Where parts meet in an event, their lanes are joined. Steps of one part that change
//! nothing and decide nothing are left out, but keep their numbers.

use crate::chart::{Fold, hidden, loop_line};
use crate::joint::{self, WaitingJson, fold_remark, waiting_json};
use crate::places::{At, Places};
use crate::program::{Changed, InputJson, changes, input_json};
use crate::style::{Ink, Style, clean, counted, grouped};
use crate::table::{Cell, Row, Set, Table};
use model::source::SourceMap;
use model::verdict::{ComponentsRun, ComponentsStep, PartMove, RunPart};
use serde::{Deserialize, Serialize, Serializer};

/// More parts than this have no lanes.
const MANY_LANES: usize = 12;

/// All there is to see of a run, every step of it.
pub fn whole(run: &ComponentsRun, sources: &SourceMap, style: Style) -> String {
    chart(run, Fold::Nothing, &Places::new(sources), style) + &stuck(run, style)
}

/// The steps of a run.
pub(crate) fn chart(run: &ComponentsRun, fold: Fold, places: &Places<'_>, style: Style) -> String {
    let mut table = Table::new(&[
        ("step", Set::Right),
        ("", Set::Left),
        ("", Set::Left),
        ("event", Set::Left),
        ("who", Set::Left),
        ("place", Set::Left),
        ("statement", Set::Elastic),
        ("changed", Set::Elastic),
    ]);
    let shown: Vec<usize> = (0..run.steps.len()).filter(|&at| is_shown(&run.steps[at])).collect();
    let loop_from = run.loop_from.map(|first| shown.partition_point(|&at| at < first));
    let (hidden, repeated) = (hidden(shown.len(), fold), loop_from.map_or(0..0, |first| first..shown.len()));
    for position in (0..hidden.start).chain(hidden.end..shown.len()) {
        if position == hidden.end && !hidden.is_empty() {
            table.push(Row::Remark(fold_remark(&hidden, loop_from, style)));
        }
        if loop_from == Some(position) {
            table.push(Row::Remark(String::from("from here on for ever:")));
        }
        let mark = loop_line(position, &repeated, style);
        push_step(&mut table, run, shown[position], mark, places, style);
    }
    if let Some(first) = run.loop_from {
        let (again, first) = (style.choose("⟲", "<-"), grouped(first as u64 + 1));
        let silent = if repeated.is_empty() { ", and nothing of it is seen" } else { "" };
        table.push(Row::Remark(format!("{again} repeats from step {first}{silent}")));
    }
    lanes_title(run, style) + &table.render("  ", style)
}

fn is_shown(step: &ComponentsStep) -> bool {
    step.event.is_some() || !step.remarks.is_empty() || step.moves.iter().any(|one| one.shown)
}

/// One row for each part that takes part.
fn push_step(table: &mut Table, run: &ComponentsRun, at: usize, mark: &str, places: &Places<'_>, style: Style) {
    let (step, arrow) = (&run.steps[at], style.choose("↳", "->"));
    for (number, one) in step.moves.iter().enumerate() {
        let first = |text: String| if number == 0 { text } else { String::new() };
        let name = run.parts.get(one.part).map_or("?", |part| part.name.as_str());
        table.push(Row::Cells(vec![
            Cell::inked(Ink::Faint, first(grouped(at as u64 + 1))),
            Cell::inked(Ink::Bad, first(String::from(mark))),
            Cell::from(first(lanes(run, step, style))),
            Cell::inked(Ink::Strong, first(clean(step.event.as_deref().unwrap_or("")))),
            Cell::inked(Ink::Process(one.part as u32), clean(name)),
            Cell::inked(Ink::Faint, places.short(one.span)),
            Cell::from(clean(&one.does)),
            Cell::from(changes(&one.changes)),
        ]));
        for remark in &one.remarks {
            table.push(Row::Remark(format!("      {arrow} {}", clean(remark))));
        }
    }
    for remark in &step.remarks {
        table.push(Row::Remark(format!("{arrow} {}", clean(remark))));
    }
}

fn has_lanes(run: &ComponentsRun) -> bool {
    (2..=MANY_LANES).contains(&run.parts.len())
}

fn lanes_title(run: &ComponentsRun, style: Style) -> String {
    if !has_lanes(run) {
        return String::new();
    }
    let names: Vec<String> = run.parts.iter().map(|part| clean(&part.name)).collect();
    style.paint(Ink::Faint, &format!("  the parts, from left to right: {}", names.join(", "))) + "\n"
}

/// `● │ │`, or `●─┼─●` where the first and the last meet.
fn lanes(run: &ComponentsRun, step: &ComponentsStep, style: Style) -> String {
    if !has_lanes(run) {
        return String::new();
    }
    let takes_part = |part: usize| step.moves.iter().any(|one| one.part == part);
    let movers = || (0..run.parts.len()).filter(|&part| takes_part(part));
    let (first, last) = (movers().min().unwrap_or(0), movers().max().unwrap_or(0));
    let mut text = String::new();
    for part in 0..run.parts.len() {
        let between = first < part && part < last;
        text += match (takes_part(part), between) {
            (true, _) => style.choose("●", "o"),
            (false, true) => style.choose("┼", "+"),
            (false, false) => style.choose("│", "|"),
        };
        if part + 1 < run.parts.len() {
            text += if first <= part && part < last { style.choose("─", "-") } else { " " };
        }
    }
    text
}

/// Why nothing can happen at the end; empty if something can.
pub(crate) fn stuck(run: &ComponentsRun, style: Style) -> String {
    joint::stuck_of(&run.waiting, &run.circle, style)
}

/// How long a run is.
pub(crate) fn when(run: &ComponentsRun) -> String {
    let steps = |count: usize| counted(count as u64, "step", "steps");
    match run.loop_from {
        Some(first) => format!("after {}, then {} for ever", steps(first), steps(run.steps.len() - first)),
        None if run.steps.is_empty() => String::from("in the first state"),
        None => format!("after {}", steps(run.steps.len())),
    }
}

// --- JSON ---------------------------------------------------------------------------------------------

/// The kind of a run of C components.
pub(crate) const COMPONENTS_RUN: &str = "components-run";

/// The `witness` of an answer about C components.
#[derive(Serialize)]
pub(crate) struct ComponentsJson<'a> {
    kind: &'static str,
    problem: &'a str,
    problem_code: &'static str,
    problem_at: Option<At<'a>>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    remarks: &'a [String],
    parts: Vec<PartJson<'a>>,
    steps: StepsJson<'a>,
    loop_from: Option<usize>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    waiting: Vec<WaitingJson<'a>>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    circle: &'a [String],
}

/// A part: a procedure has `inputs` and the same as `bits`, a process has the state that it begins in.
#[derive(Serialize)]
struct PartJson<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    initial: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    inputs: Option<Vec<InputJson<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bits: Option<&'a [u64]>,
}

/// A run of C components as JSON.
pub(crate) fn components<'a>(run: &'a ComponentsRun, places: &'a Places<'a>) -> ComponentsJson<'a> {
    ComponentsJson {
        kind: COMPONENTS_RUN,
        problem: &run.problem,
        problem_code: run.problem_code,
        problem_at: run.problem_span.and_then(|span| places.at(span)).map(At::start),
        remarks: &run.remarks,
        parts: run.parts.iter().map(|part| part_json(part, places)).collect(),
        steps: StepsJson(run, places),
        loop_from: run.loop_from,
        waiting: run.waiting.iter().map(|waiting| waiting_json(waiting, places)).collect(),
        circle: &run.circle,
    }
}

fn part_json<'a>(part: &'a RunPart, places: &Places<'a>) -> PartJson<'a> {
    let RunPart { name, initial, inputs, bits } = part;
    let procedure = initial.is_none();
    PartJson {
        name,
        initial: *initial,
        inputs: procedure.then(|| inputs.iter().map(|input| input_json(input, places)).collect()),
        bits: procedure.then_some(bits),
    }
}

/// The steps, each made into JSON when its turn comes.
struct StepsJson<'a>(&'a ComponentsRun, &'a Places<'a>);

impl Serialize for StepsJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.steps.iter().map(|step| step_json(step, self.0, self.1)))
    }
}

#[derive(Serialize)]
struct StepJson<'a> {
    event: Option<&'a str>,
    moves: Vec<MoveJson<'a>>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    remarks: &'a [String],
    step: ComponentsCode,
}

#[derive(Serialize)]
struct MoveJson<'a> {
    part: &'a str,
    at: Option<At<'a>>,
    does: &'a str,
    changed: Changed<'a>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    remarks: &'a [String],
}

/// A step for replay: who moves, and by which step of the procedure, or to which state of the process.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ComponentsCode {
    pub(crate) moves: Vec<(u32, u32)>,
}

fn step_json<'a>(step: &'a ComponentsStep, run: &'a ComponentsRun, places: &Places<'a>) -> StepJson<'a> {
    let code = ComponentsCode { moves: step.moves.iter().map(|one| (one.part as u32, one.code)).collect() };
    let moves = step.moves.iter().map(|one| move_json(one, run, places)).collect();
    StepJson { event: step.event.as_deref(), moves, remarks: &step.remarks, step: code }
}

fn move_json<'a>(one: &'a PartMove, run: &'a ComponentsRun, places: &Places<'a>) -> MoveJson<'a> {
    MoveJson {
        part: run.parts.get(one.part).map_or("?", |part| part.name.as_str()),
        at: places.at(one.span).map(At::start),
        does: &one.does,
        changed: Changed(&one.changes),
        remarks: &one.remarks,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;
    use model::chart::Change;

    fn moved(part: usize, text: &str, changes: &[(&str, &str)], shown: bool) -> PartMove {
        PartMove {
            part,
            span: sample::span(text),
            does: String::from(text),
            changes: changes.iter().map(|&(name, value)| Change { name: name.into(), value: value.into() }).collect(),
            remarks: Vec::new(),
            code: 7,
            shown,
        }
    }

    fn run(loop_from: Option<usize>) -> ComponentsRun {
        let step =
            |event: Option<&str>, moves| ComponentsStep { event: event.map(String::from), moves, remarks: Vec::new() };
        let part = |name: &str, initial, bits: &[u64]| RunPart {
            name: String::from(name),
            initial,
            inputs: Vec::new(),
            bits: bits.to_vec(),
        };
        ComponentsRun {
            parts: vec![part("a", None, &[5]), part("b", None, &[]), part("L", Some(0), &[])],
            steps: vec![
                step(None, vec![moved(0, "x = 1", &[("x", "1")], true)]),
                step(None, vec![moved(0, "c!ack", &[], false)]),
                step(Some("take"), vec![moved(0, "q!req(7)", &[], false), moved(2, "c?ack", &[], false)]),
            ],
            loop_from,
            remarks: Vec::new(),
            problem: String::from("stuck"),
            problem_code: "deadlock",
            problem_span: None,
            waiting: Vec::new(),
            circle: Vec::new(),
        }
    }

    #[test]
    fn parts_have_lanes_and_meet_in_events() {
        let sources = sample::sources();
        insta::assert_snapshot!(chart(&run(Some(2)), Fold::Nothing, &Places::new(&sources), Style::PLAIN), @"
        the parts, from left to right: a, b, L
        step            event  who  place        statement  changed
           1     o | |         a    hand.pml:8   x = 1      x = 1
        from here on for ever:
           3  =  o-+-o  take   a    hand.pml:12  q!req(7)
                               L    hand.pml:16  c?ack
        <- repeats from step 3
        ");
        assert_eq!(when(&run(Some(2))), "after 2 steps, then 1 step for ever");
        assert_eq!(when(&run(None)), "after 3 steps");
    }

    #[test]
    fn a_run_as_json_has_what_replay_needs() {
        let sources = sample::sources();
        let (run, places) = (run(None), Places::new(&sources));
        insta::assert_snapshot!(serde_json::to_string(&components(&run, &places)).unwrap(), @r#"{"kind":"components-run","problem":"stuck","problem_code":"deadlock","problem_at":null,"parts":[{"name":"a","inputs":[],"bits":[5]},{"name":"b","inputs":[],"bits":[]},{"name":"L","initial":0}],"steps":[{"event":null,"moves":[{"part":"a","at":{"file":"models/hand.pml","line":8,"column":5},"does":"x = 1","changed":{"x":"1"}}],"step":{"moves":[[0,7]]}},{"event":null,"moves":[{"part":"a","at":{"file":"models/hand.pml","line":11,"column":3},"does":"c!ack","changed":{}}],"step":{"moves":[[0,7]]}},{"event":"take","moves":[{"part":"a","at":{"file":"models/hand.pml","line":12,"column":3},"does":"q!req(7)","changed":{}},{"part":"L","at":{"file":"models/hand.pml","line":16,"column":3},"does":"c?ack","changed":{}}],"step":{"moves":[[0,7],[2,7]]}}],"loop_from":null}"#);
    }
}
