//! A run in few bytes: texts and places by number, queues by what changes in them, messages with both of their ends.
//!
//! A step is `[event, moves, message, queues, atomic, remarks]`, a move `[lane, place, does, from, to, changes, remarks]`; what is
//! missing at the end of them is empty. A change of a queue is `[channel, position, how many are taken, those that are put
//! there..]`, so a queue that grows costs one message a step.

use crate::data::Tables;
use model::chart::arrows::{Arrow, Queues, arrows};
use model::chart::{Chart, ChartStep, Fate, Move};
use report::chart::because;
use serde::Serialize;
use serde_json::{Value, json};

/// A run as the page has it.
#[derive(Serialize)]
pub(crate) struct RunData {
    lanes: Vec<usize>,
    processes: bool,
    remarks: Vec<usize>,
    problem: usize,
    code: &'static str,
    place: Option<usize>,
    /// How many steps there are, in words.
    when: String,
    #[serde(rename = "loop")]
    loop_from: Option<usize>,
    gains: Vec<(usize, i64)>,
    gap: Option<(usize, u64)>,
    stuck: bool,
    circle: Vec<usize>,
    waiting: Vec<WaitsData>,
    channels: Vec<usize>,
    steps: Vec<Value>,
}

/// A lane at the end.
#[derive(Serialize)]
struct WaitsData {
    lane: usize,
    state: Option<usize>,
    place: Option<usize>,
    done: bool,
    events: Vec<AwaitedData>,
}

#[derive(Serialize)]
struct AwaitedData {
    event: usize,
    place: Option<usize>,
    refused: Vec<(usize, usize)>,
    why: Option<usize>,
}

pub(crate) fn run(chart: &Chart, tables: &mut Tables<'_>) -> RunData {
    let (mut queues, arrows) = (Queues::default(), arrows(chart));
    let mut steps = Vec::with_capacity(chart.steps.len());
    for (position, (one, arrow)) in chart.steps.iter().zip(arrows).enumerate() {
        steps.push(step(position, one, arrow, &mut queues, tables));
    }
    RunData {
        lanes: (0..chart.lanes.len()).map(|lane| tables.text(&chart.lane_name(lane))).collect(),
        processes: chart.form.processes,
        remarks: tables.texts(&chart.remarks),
        problem: tables.text(&chart.problem),
        code: chart.problem_code,
        place: tables.place(chart.place()),
        when: report::chart::when(chart),
        loop_from: chart.loop_from,
        gains: chart.gains.iter().map(|(channel, gain)| (tables.text(channel), *gain)).collect(),
        gap: chart.gap.map(|gap| (gap.after, gap.steps)),
        stuck: chart.stuck,
        circle: chart.circle.clone(),
        waiting: waiting(chart, tables),
        channels: queues.names().iter().map(|name| tables.text(name)).collect(),
        steps,
    }
}

fn waiting(chart: &Chart, tables: &mut Tables<'_>) -> Vec<WaitsData> {
    let mut waiting = Vec::new();
    for waits in &chart.waiting {
        let mut events = Vec::new();
        for awaited in &waits.events {
            events.push(AwaitedData {
                event: tables.text(&awaited.event),
                place: tables.place(awaited.span),
                refused: awaited.refused_by.iter().map(|(lane, state)| (*lane, tables.text(state))).collect(),
                why: awaited.blocked.as_ref().map(|blocked| tables.text(&because(chart, blocked))),
            });
        }
        let state = waits.state.as_ref().map(|state| tables.text(state));
        waiting.push(WaitsData {
            lane: waits.lane,
            state,
            place: tables.place(waits.place()),
            done: waits.done,
            events,
        });
    }
    waiting
}

fn step(
    position: usize,
    step: &ChartStep,
    arrow: Option<Arrow>,
    queues: &mut Queues,
    tables: &mut Tables<'_>,
) -> Value {
    let mut changes = Vec::new();
    for contents in &step.channels {
        let channel = queues.number(&contents.channel);
        let Some(change) = queues.change(channel, contents, position) else { continue };
        let head = [channel, change.at, change.removed];
        let inserted = contents.messages[change.at..change.at + change.inserted].iter().map(|text| tables.text(text));
        changes.push(json!(head.into_iter().chain(inserted).collect::<Vec<usize>>()));
    }
    let message = arrow.map_or(json!(0), |Arrow { message, other }| {
        let fate = match message.fate {
            Fate::Sent => 1,
            Fate::Received => 2,
            Fate::HandedOver => 3,
        };
        json!([fate, queues.number(&message.channel), tables.text(&message.text), or_minus(other)])
    });
    let moves: Vec<Value> = step.moves.iter().map(|one| mover(one, tables)).collect();
    let (event, remarks) = (step.event.as_ref().map(|event| tables.text(event)), tables.texts(&step.remarks));
    let fields =
        [json!(or_minus(event)), json!(moves), message, json!(changes), json!(u8::from(step.atomic)), json!(remarks)];
    without_end(fields.into(), &[json!(0), json!(-1)])
}

fn mover(one: &Move, tables: &mut Tables<'_>) -> Value {
    let (from, to) = match &one.states {
        Some((from, to)) => (Some(tables.text(from)), Some(tables.text(to))),
        None => (None, None),
    };
    let does = (!one.does.is_empty()).then(|| tables.text(&one.does));
    let changes: Vec<usize> =
        one.changes.iter().flat_map(|change| [tables.text(&change.name), tables.text(&change.value)]).collect();
    let numbers = [Some(one.lane), tables.place(one.span), does, from, to];
    let mut fields: Vec<Value> = numbers.into_iter().map(|number| json!(or_minus(number))).collect();
    fields.extend([json!(changes), json!(tables.texts(&one.remarks))]);
    without_end(fields, &[json!(-1)])
}

fn or_minus(number: Option<usize>) -> i64 {
    number.map_or(-1, |number| number as i64)
}

/// A list without what is empty at its end.
fn without_end(mut fields: Vec<Value>, empty: &[Value]) -> Value {
    let is_empty = |value: &Value| match value {
        Value::Array(list) => list.is_empty(),
        other => empty.contains(other),
    };
    while fields.len() > 1 && fields.last().is_some_and(is_empty) {
        fields.pop();
    }
    Value::Array(fields)
}
