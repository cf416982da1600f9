//! The run of a composition: a chart of events and of who takes part, why nothing can happen at its end, and the same as JSON.
//!
//! ```text
//! step  event        who takes part
//!    1  left.0.get   phil[0]: THINK → RIGHT; fork[0]: FREE → TAKEN
//!    2  left.1.get   phil[1]: THINK → RIGHT; fork[1]: FREE → TAKEN
//!
//! why nothing can happen
//!   `phil[0]` in `RIGHT` waits for `right.0.get`, which `fork[1]` refuses in `TAKEN`
//!   ...
//!   they wait in a circle: phil[0] → fork[1] → phil[1] → fork[0] → phil[0]
//! ```
//! In JSON each step has a code beside its words, which names events and states by number, for replay.

use crate::chart::{Fold, hidden, loop_line};
use crate::places::{At, Places};
use crate::style::{Ink, Style, clean, counted, grouped};
use crate::table::{Cell, Row, Set, Table};
use model::composition::{Happening, Run};
use model::ids::EventId;
use model::verdict::{JointRun, JointStep, Participant, Refused, Waiting};
use serde::{Deserialize, Serialize, Serializer};

/// More participants of a step than this are counted.
const MANY_PARTICIPANTS: usize = 6;
/// More components that wait than this are counted.
const MANY_WAITING: usize = 40;
/// More events that a component waits for than this are counted.
const MANY_EVENTS: usize = 4;
/// A circle of more components than this is shown by its two ends.
const LONG_CIRCLE: usize = 16;

/// The steps of a run.
pub fn chart(run: &JointRun, fold: Fold, style: Style) -> String {
    let loop_from = run.run.loop_from;
    let mut table =
        Table::new(&[("step", Set::Right), ("", Set::Left), ("event", Set::Left), ("who takes part", Set::Elastic)]);
    let steps = &run.steps;
    let hidden = hidden(steps.len(), fold);
    let repeated = loop_from.map_or(0..0, |first| first..steps.len());
    for position in (0..hidden.start).chain(hidden.end..steps.len()) {
        if position == hidden.end && !hidden.is_empty() {
            table.push(Row::Remark(fold_remark(&hidden, loop_from, style)));
        }
        if loop_from == Some(position) {
            table.push(Row::Remark(String::from("from here on for ever:")));
        }
        let step = &steps[position];
        table.push(Row::Cells(vec![
            Cell::inked(Ink::Faint, grouped(position as u64 + 1)),
            Cell::inked(Ink::Bad, loop_line(position, &repeated, style)),
            Cell::from(clean(&step.event)),
            Cell::from(participants(step, style)),
        ]));
        let arrow = style.choose("↳", "->");
        for text in &step.remarks {
            table.push(Row::Remark(format!("{arrow} {}", clean(text))));
        }
    }
    if !repeated.is_empty() {
        let (again, first) = (style.choose("⟲", "<-"), grouped(repeated.start as u64 + 1));
        table.push(Row::Remark(format!("{again} repeats from step {first}")));
    }
    table.render("  ", style)
}

pub(crate) fn fold_remark(hidden: &std::ops::Range<usize>, loop_from: Option<usize>, style: Style) -> String {
    let count = counted(hidden.len() as u64, "step", "steps");
    let repeats = match loop_from.filter(|first| hidden.contains(first)) {
        Some(first) => format!(", for ever from step {} on", grouped(first as u64 + 1)),
        None => String::new(),
    };
    format!("{} {count}{repeats}; --trace writes all", style.ellipsis())
}

/// `phil[0]: THINK → RIGHT; fork[0]: FREE → TAKEN`
fn participants(step: &JointStep, style: Style) -> String {
    let one = |participant: &Participant| {
        let Participant { component, from, to } = participant;
        if from == to {
            return format!("{}: {}", clean(component), clean(to));
        }
        format!("{}: {} {} {}", clean(component), clean(from), style.arrow(), clean(to))
    };
    let mut shown: Vec<String> = step.participants.iter().take(MANY_PARTICIPANTS).map(one).collect();
    if let Some(more) = step.participants.len().checked_sub(MANY_PARTICIPANTS).filter(|&more| more > 0) {
        shown.push(format!("and {more} more"));
    }
    shown.join("; ")
}

/// Why nothing can happen, component by component; empty if something can.
pub fn stuck(run: &JointRun, style: Style) -> String {
    stuck_of(&run.waiting, &run.circle, style)
}

/// The same for whatever has components.
pub(crate) fn stuck_of(waiting: &[Waiting], circle: &[String], style: Style) -> String {
    if waiting.is_empty() {
        return String::new();
    }
    let mut text = style.paint(Ink::Strong, "why nothing can happen") + "\n";
    let all = waiting;
    for waiting in all.iter().take(MANY_WAITING) {
        text += &format!("  {}\n", clean(&sentence(waiting)));
    }
    if let Some(more) = all.len().checked_sub(MANY_WAITING).filter(|&more| more > 0) {
        text += &format!("  {} and {more} more; --format json has all\n", style.ellipsis());
    }
    if let Some(first) = circle.first() {
        let (arrow, count) = (format!(" {} ", style.arrow()), circle.len());
        let names: Vec<String> = circle.iter().chain([first]).map(|name| clean(name)).collect();
        let shown = if count <= LONG_CIRCLE {
            names.join(&arrow)
        } else {
            let (start, end) = (&names[..LONG_CIRCLE / 2], &names[count - LONG_CIRCLE / 2..]);
            [start.join(&arrow), String::from(style.ellipsis()), end.join(&arrow)].join(&arrow)
        };
        text += &format!("  they wait in a circle: {shown}\n");
    }
    text
}

/// `phil[0]` in `RIGHT` waits for `right.0.get`, which `fork[1]` refuses in `TAKEN`.
fn sentence(waiting: &Waiting) -> String {
    let Waiting { component, state, done, events, .. } = waiting;
    let here = format!("`{component}` in `{state}`");
    if events.is_empty() {
        return here + if *done { " has done its work" } else { " can do nothing any more" };
    }
    let wish = |refused: &Refused| {
        let by = |(component, state): &(String, String)| format!("`{component}` refuses in `{state}`");
        let by: Vec<String> = refused.by.iter().take(MANY_EVENTS).map(by).collect();
        format!("`{}`, which {}", refused.event, by.join(" and "))
    };
    let mut wishes: Vec<String> = events.iter().take(MANY_EVENTS).map(wish).collect();
    if let Some(more) = events.len().checked_sub(MANY_EVENTS).filter(|&more| more > 0) {
        wishes.push(counted(more as u64, "other event", "other events"));
    }
    let end = if *done { "; it may also stop" } else { "" };
    format!("{here} waits for {}{end}", wishes.join("; or for "))
}

/// How long a run is: `after 3 steps, then 2 steps for ever`.
pub(crate) fn when(run: &Run) -> String {
    let steps = |count: usize| counted(count as u64, "step", "steps");
    match run.loop_from {
        Some(first) => format!("after {}, then {} for ever", steps(first), steps(run.steps.len() - first)),
        None if run.steps.is_empty() => String::from("in the first state"),
        None => format!("after {}", steps(run.steps.len())),
    }
}

// --- JSON ---------------------------------------------------------------------------------------------

/// The `witness` of an answer about a composition.
#[derive(Serialize)]
pub(crate) struct JointJson<'a> {
    kind: &'static str,
    problem: &'a str,
    problem_code: &'static str,
    problem_at: Option<At<'a>>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    remarks: &'a [String],
    /// The first state of each component.
    initial: &'a [u32],
    steps: StepsJson<'a>,
    loop_from: Option<usize>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    waiting: Vec<WaitingJson<'a>>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    circle: &'a [String],
}

/// A run of a composition as JSON.
pub(crate) fn joint<'a>(joint: &'a JointRun, places: &Places<'a>) -> JointJson<'a> {
    JointJson {
        kind: JOINT,
        problem: &joint.problem,
        problem_code: joint.problem_code,
        problem_at: joint.problem_span.and_then(|span| places.at(span)).map(At::start),
        remarks: &joint.remarks,
        initial: joint.run.states.first().map_or(&[], Vec::as_slice),
        steps: StepsJson(joint),
        loop_from: joint.run.loop_from,
        waiting: joint.waiting.iter().map(|waiting| waiting_json(waiting, places)).collect(),
        circle: &joint.circle,
    }
}

/// The kind of a run of a composition.
pub(crate) const JOINT: &str = "joint-run";

/// The steps, each made into JSON when its turn comes.
struct StepsJson<'a>(&'a JointRun);

impl Serialize for StepsJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let JointRun { run, steps, .. } = self.0;
        let codes = run.steps.iter().zip(run.states.windows(2)).map(|(step, pair)| JointCode::new(*step, pair));
        serializer.collect_seq(steps.iter().zip(codes).map(|(step, code)| step_json(step, code)))
    }
}

#[derive(Serialize)]
struct StepJson<'a> {
    event: &'a str,
    participants: Vec<ParticipantJson<'a>>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    remarks: &'a [String],
    step: JointCode,
}

#[derive(Serialize)]
struct ParticipantJson<'a> {
    component: &'a str,
    from: &'a str,
    to: &'a str,
}

fn step_json(step: &JointStep, code: JointCode) -> StepJson<'_> {
    let participants = step.participants.iter().map(participant_json).collect();
    StepJson { event: &step.event, participants, remarks: &step.remarks, step: code }
}

fn participant_json(participant: &Participant) -> ParticipantJson<'_> {
    let Participant { component, from, to } = participant;
    ParticipantJson { component, from, to }
}

#[derive(Serialize)]
pub(crate) struct WaitingJson<'a> {
    component: &'a str,
    state: &'a str,
    at: Option<At<'a>>,
    done: bool,
    events: Vec<RefusedJson<'a>>,
}

#[derive(Serialize)]
struct RefusedJson<'a> {
    event: &'a str,
    refused_by: Vec<RefuserJson<'a>>,
}

#[derive(Serialize)]
struct RefuserJson<'a> {
    component: &'a str,
    state: &'a str,
}

pub(crate) fn waiting_json<'a>(waiting: &'a Waiting, places: &Places<'a>) -> WaitingJson<'a> {
    let refuser = |(component, state): &'a (String, String)| RefuserJson { component, state };
    let refused = |refused: &'a Refused| RefusedJson {
        event: &refused.event,
        refused_by: refused.by.iter().map(refuser).collect(),
    };
    WaitingJson {
        component: &waiting.component,
        state: &waiting.state,
        at: places.at(waiting.span).map(At::start),
        done: waiting.done,
        events: waiting.events.iter().map(refused).collect(),
    }
}

/// A step for replay: `{"event":3,"to":[[0,1],[4,1]]}`, with the new state of each component that moves;
/// `{"silent":2,"to":[[2,5]]}` for a step without a name, and whose it is.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct JointCode {
    #[serde(skip_serializing_if = "Option::is_none")]
    event: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    silent: Option<u32>,
    to: Vec<(u32, u32)>,
}

impl JointCode {
    fn new(step: Happening, pair: &[Vec<u32>]) -> Self {
        let changed = (0..).zip(pair[0].iter().zip(&pair[1])).filter(|(_, (from, to))| from != to);
        let to = changed.map(|(component, (_, &to))| (component, to)).collect();
        match step {
            Happening::Event(event) => JointCode { event: Some(event.0), silent: None, to },
            Happening::Silent { component } => JointCode { event: None, silent: Some(component), to },
        }
    }

    /// Takes the step; `None` if it makes no sense.
    fn take(&self, state: &[u32]) -> Option<(Happening, Vec<u32>)> {
        let mut next = state.to_vec();
        for &(component, to) in &self.to {
            *next.get_mut(component as usize)? = to;
        }
        let step = match (self.event, self.silent) {
            (Some(event), None) => Happening::Event(EventId(event)),
            (None, Some(component)) => Happening::Silent { component },
            _ => return None,
        };
        Some((step, next))
    }
}

/// The run of a trace; the position of the first step that makes no sense, if one does.
pub(crate) fn run_of(initial: Vec<u32>, steps: &[JointCode], loop_from: Option<usize>) -> Result<Run, usize> {
    let mut run = Run { states: vec![initial], steps: Vec::new(), loop_from };
    for (position, code) in steps.iter().enumerate() {
        let before = run.states.last().map_or(&[][..], Vec::as_slice);
        let (step, next) = code.take(before).ok_or(position)?;
        run.steps.push(step);
        run.states.push(next);
    }
    Ok(run)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::source::{SourceMap, Span};

    fn participant(component: &str, from: &str, to: &str) -> Participant {
        let [component, from, to] = [component, from, to].map(String::from);
        Participant { component, from, to }
    }

    /// Two steps, the second of which is repeated for ever; or an end where one waits for the other.
    fn sample(loop_from: Option<usize>) -> JointRun {
        let step = |event: &str, participants, remarks: &[&str]| JointStep {
            event: String::from(event),
            participants,
            remarks: remarks.iter().map(|&remark| String::from(remark)).collect(),
        };
        let one = vec![participant("P", "IDLE", "BUSY"), participant("Q", "ON", "ON")];
        let steps = vec![step("go", one, &["`p` is true now"]), step("tau", vec![participant("Q", "ON", "OFF")], &[])];
        let refused = |event: &str, by: &str| Refused {
            event: String::from(event),
            by: vec![(String::from(by), String::from("OFF"))],
        };
        let waiting = |component: &str, done, events| Waiting {
            component: String::from(component),
            state: String::from("BUSY"),
            span: Span::NONE,
            done,
            events,
        };
        JointRun {
            run: Run {
                states: vec![vec![0, 0], vec![1, 0], vec![1, 1]],
                steps: vec![Happening::Event(EventId(3)), Happening::Silent { component: 1 }],
                loop_from,
            },
            steps,
            remarks: Vec::new(),
            problem: String::from("stuck"),
            problem_code: "deadlock",
            problem_span: None,
            waiting: vec![
                waiting("P", false, vec![refused("a", "Q"), refused("b", "Q")]),
                waiting("R", true, Vec::new()),
                waiting("S", false, Vec::new()),
            ],
            circle: vec![String::from("P"), String::from("Q")],
        }
    }

    #[test]
    fn a_chart_has_events_and_who_takes_part() {
        insta::assert_snapshot!(chart(&sample(Some(1)), Fold::Nothing, Style::PLAIN), @r"
          step     event  who takes part
             1     go     P: IDLE -> BUSY; Q: ON
          -> `p` is true now
          from here on for ever:
             2  =  tau    Q: ON -> OFF
          <- repeats from step 2
        ");
        assert_eq!(when(&sample(Some(1)).run), "after 1 step, then 1 step for ever");
        assert_eq!(when(&sample(None).run), "after 2 steps");
    }

    #[test]
    fn who_is_stuck_is_told_with_what_it_waits_for() {
        insta::assert_snapshot!(stuck(&sample(None), Style::PLAIN), @r"
        why nothing can happen
          `P` in `BUSY` waits for `a`, which `Q` refuses in `OFF`; or for `b`, which `Q` refuses in `OFF`
          `R` in `BUSY` has done its work
          `S` in `BUSY` can do nothing any more
          they wait in a circle: P -> Q -> P
        ");
        let long = JointRun { circle: (0..40).map(|n| n.to_string()).collect(), ..sample(None) };
        let text = stuck(&long, Style::PLAIN);
        assert!(text.ends_with("circle: 0 -> 1 -> 2 -> 3 -> 4 -> 5 -> 6 -> 7 -> ... -> 32 -> 33 -> 34 -> 35 -> 36 -> 37 -> 38 -> 39 -> 0\n"), "{text}");
    }

    #[test]
    fn a_run_that_was_written_is_read_back() {
        let (run, sources) = (sample(Some(1)), SourceMap::new());
        let places = Places::new(&sources);
        let value = serde_json::to_value(joint(&run, &places)).unwrap();
        let codes: Vec<JointCode> = value["steps"]
            .as_array()
            .unwrap()
            .iter()
            .map(|step| serde_json::from_value(step["step"].clone()).unwrap())
            .collect();
        let initial = serde_json::from_value(value["initial"].clone()).unwrap();
        assert_eq!(run_of(initial, &codes, Some(1)), Ok(run.run));
        assert_eq!(run_of(Vec::new(), &codes, None), Err(0));
    }
}
