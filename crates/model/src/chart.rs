//! A run as plain data: one type for runs of all kinds of models.
//!
//! ```text
//! lanes     P:0        Q:1            processes, components, procedures
//! step 1    x = 1                     who moves, where, and what changes
//! step 2    q!req(1)                  a message, and what the queue holds then
//! step 3               q?req(1)  ⟲    the loop of an infinite run
//! end       may stop   waits for ..   where every lane is, and what it waits for
//! ```
//! Whoever makes a run makes a [`Chart`] of it; renderers take the chart and know no kind of model. What the kinds call
//! their lanes and moves in documents is data too: a [`Form`]. For replay a step has a [`StepKey`], and a lane the state
//! or the inputs that it begins with; only the maker of a run knows what they mean.

pub mod arrows;
mod circle;
mod keys;

pub use circle::shortest_circle;
pub use keys::{JointKey, MovesKey, NetworkKey, StepKey};

use crate::source::Span;

/// A run that shows a violation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Chart {
    /// How documents name its parts.
    pub form: &'static Form,
    /// Who can move.
    pub lanes: Vec<Lane>,
    /// What there is to say before the first step.
    pub remarks: Vec<String>,
    /// Expressions that were requested: each step has their values.
    pub columns: Vec<String>,
    /// What happens, step by step.
    pub steps: Vec<ChartStep>,
    /// The part of a very long run that has no steps here.
    pub gap: Option<Gap>,
    /// Where the loop starts, if the run is infinite; the number of steps if nothing happens any more.
    pub loop_from: Option<usize>,
    /// What one round of the loop adds to channels, by name.
    pub gains: Vec<(String, i64)>,
    /// What is wrong at its end.
    pub problem: String,
    /// A short name of the problem: `assertion`, `invalid-end-state`, ..
    pub problem_code: &'static str,
    /// The place in the source that is to blame, if one is.
    pub problem_span: Option<Span>,
    /// Where the lanes are at the end, and what they wait for.
    pub waiting: Vec<Waits>,
    /// Nothing can move at the end.
    pub stuck: bool,
    /// Lanes each of which waits for the next, and the last for the first.
    pub circle: Vec<usize>,
}

impl Chart {
    /// A run without steps.
    pub fn new(form: &'static Form, lanes: Vec<Lane>) -> Self {
        Chart {
            form,
            lanes,
            remarks: Vec::new(),
            columns: Vec::new(),
            steps: Vec::new(),
            gap: None,
            loop_from: None,
            gains: Vec::new(),
            problem: String::new(),
            problem_code: "",
            problem_span: None,
            waiting: Vec::new(),
            stuck: false,
            circle: Vec::new(),
        }
    }

    /// The name of a lane; `?` if there is no such lane.
    pub fn lane_name(&self, lane: usize) -> String {
        self.lanes.get(lane).map_or_else(|| String::from("?"), Lane::to_string)
    }

    /// The number of a step, from 1, those of the gap included.
    pub fn number(&self, position: usize) -> u64 {
        let missing = self.gap.filter(|gap| gap.after <= position).map_or(0, |gap| gap.steps);
        position as u64 + 1 + missing
    }

    /// How many steps the run has, those of the gap included.
    pub fn length(&self) -> u64 {
        self.number(self.steps.len()) - 1
    }

    /// The place to blame: the one that is named; else the statement of the first lane that is stuck, the last send of the
    /// loop to a channel that grows, the first statement of the loop, or the last of the run.
    pub fn place(&self) -> Option<Span> {
        let stuck = || self.waiting.iter().find(|waits| self.stuck && !waits.done).and_then(Waits::place);
        let of_step = |step: &ChartStep| step.moves.first().and_then(|first| first.span);
        let grows = |step: &&ChartStep| {
            let sent = step.message.as_ref().filter(|message| message.fate == Fate::Sent);
            sent.is_some_and(|message| self.gains.iter().any(|(channel, _)| *channel == message.channel))
        };
        let cycle = || self.steps.get(self.loop_from?..).filter(|cycle| !cycle.is_empty());
        self.problem_span
            .or_else(stuck)
            .or_else(|| cycle()?.iter().rev().find(grows).and_then(of_step))
            .or_else(|| cycle()?.iter().find_map(of_step))
            .or_else(|| self.steps.iter().rev().find_map(of_step))
    }

    /// What fails, in short: where the lanes are that wait, or the last step. `place` names a place.
    pub fn failure(&self, place: &dyn Fn(Span) -> String) -> String {
        let stuck = self.waiting.iter().filter(|waits| self.stuck && !waits.done);
        let stuck = stuck.map(|waits| {
            let at = waits.place().map_or_else(String::new, |span| format!(" at {}", place(span)));
            format!("{}{at}", self.lane_name(waits.lane))
        });
        let stuck: Vec<String> = stuck.collect();
        match (stuck.is_empty(), self.steps.last().and_then(|step| step.event.as_deref())) {
            (false, _) => format!("stuck: {}", stuck.join(", ")),
            (true, Some(event)) => format!("{}: {event}", self.problem),
            (true, None) => self.problem.clone(),
        }
    }

    /// Puts a remark on a position beside the step that leads to it, unless it is there already.
    pub fn remark(&mut self, position: usize, text: String) {
        let remarks = match position.checked_sub(1).and_then(|step| self.steps.get_mut(step)) {
            Some(step) => &mut step.remarks,
            None => &mut self.remarks,
        };
        if !remarks.contains(&text) {
            remarks.push(text);
        }
    }
}

/// How documents name the parts of a chart. The names were chosen kind by kind, and documents keep them.
#[derive(PartialEq, Eq, Debug)]
pub struct Form {
    /// The kind of the run.
    pub kind: &'static str,
    /// What a lane is called where it moves.
    pub lane: &'static str,
    /// The list of lanes; if there is none, what lanes begin with stands in the chart itself.
    pub lanes: Option<&'static str>,
    /// The list of moves of a step; if there is none, the fields of the first move are fields of the step.
    pub moves: Option<&'static str>,
    /// What a lane does in a move, if that is said apart from the event.
    pub does: Option<&'static str>,
    /// Lanes are processes with numbers, which share channels.
    pub processes: bool,
}

impl Form {
    /// A run of processes and channels.
    pub const RUN: Form = Form { kind: "run", lane: "process", lanes: None, moves: None, does: None, processes: true };
    /// A run of structures that synchronise on events.
    pub const JOINT: Form = Form {
        kind: "joint-run",
        lane: "component",
        lanes: None,
        moves: Some("participants"),
        does: None,
        processes: false,
    };
    /// A run of a C program, procedure by procedure.
    pub const PROGRAM: Form = Form {
        kind: "program-run",
        lane: "procedure",
        lanes: None,
        moves: None,
        does: Some("statement"),
        processes: false,
    };
    /// A run of C components.
    pub const COMPONENTS: Form = Form {
        kind: "components-run",
        lane: "part",
        lanes: Some("parts"),
        moves: Some("moves"),
        does: Some("does"),
        processes: false,
    };
}

/// Somebody who moves in a run: a process, a component, a procedure.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Lane {
    /// Its name; of a process, the name of its type.
    pub name: String,
    /// The number of a process.
    pub instance: Option<u32>,
    /// For replay: the state that it begins in, if it has one.
    pub initial: Option<u32>,
    /// What it is given from outside, if it can be given something.
    pub inputs: Option<Inputs>,
}

impl std::fmt::Display for Lane {
    /// `P:0` for a process; the colons of `:init:` are not needed to tell it from other names there.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.instance {
            Some(number) => write!(f, "{}:{number}", self.name.trim_matches(':')),
            None => f.write_str(&self.name),
        }
    }
}

/// What comes from outside, in order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Inputs {
    /// As text.
    pub values: Vec<Input>,
    /// The same as bits, for replay.
    pub bits: Vec<u64>,
}

/// A value that comes from outside.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Input {
    /// Where it comes from, for programs: `nondet`, `result`, `written`, `uninitialised`, `parameter`, `elsewhere`.
    pub kind: &'static str,
    /// The routine that gave it, if one did.
    pub routine: Option<String>,
    /// The variable that got it, as the source names it.
    pub variable: Option<String>,
    /// The value.
    pub value: String,
    /// The statement that took it.
    pub span: Span,
}

/// One step of a run.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ChartStep {
    /// What happens, if others can see it: `ch!msg(1)`, `ch?msg(1)`, a loss, a shared event, the statement of a process.
    pub event: Option<String>,
    /// Who takes part; first who begins it: the sender of a rendezvous. No process when a message is lost.
    pub moves: Vec<Move>,
    /// The message that goes into a channel, or comes out of it.
    pub message: Option<Message>,
    /// The channels that were touched, with what is in them now.
    pub channels: Vec<Contents>,
    /// Control stays with the process: the next step is part of the same atomic sequence.
    pub atomic: bool,
    /// What this means for the property: a condition that becomes true, a promise that is not kept.
    pub remarks: Vec<String>,
    /// The values of the chart's columns after the step.
    pub columns: Vec<String>,
    /// It shows something, even if it has no event and no remark.
    pub shown: bool,
    /// The step itself, for replay; none where the inputs say what is done.
    pub key: Option<StepKey>,
}

/// What a lane does in a step.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Move {
    /// Which lane.
    pub lane: usize,
    /// The statement.
    pub span: Option<Span>,
    /// What is executed, as it is written, where that is not the event itself; of a process of C components, where it is then.
    pub does: String,
    /// The names of the states that it leaves and gets into, where states have names.
    pub states: Option<(String, String)>,
    /// The variables that changed.
    pub changes: Vec<Change>,
    /// What came from outside.
    pub remarks: Vec<String>,
}

/// An arrow of the chart.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Message {
    /// What becomes of it.
    pub fate: Fate,
    /// The channel.
    pub channel: String,
    /// The message, `msg(1)`.
    pub text: String,
}

/// What becomes of a message in a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    /// It goes into the channel.
    Sent,
    /// It comes out of the channel.
    Received,
    /// It is handed over, from the first mover of the step to the second.
    HandedOver,
}

/// The name of a thing and its value, both as a user would write them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Change {
    /// The variable, such as `x` or `P[1]:x`.
    pub name: String,
    /// Its new value.
    pub value: String,
}

/// A channel and the messages in it, head first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Contents {
    /// The channel, as in the source.
    pub channel: String,
    /// Its messages.
    pub messages: Vec<String>,
}

/// Steps that a chart leaves out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Gap {
    /// Behind how many steps.
    pub after: usize,
    /// How many are missing there.
    pub steps: u64,
}

/// A lane at the end of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Waits {
    /// Which lane.
    pub lane: usize,
    /// The name of the state that it is in, where states have names.
    pub state: Option<String>,
    /// Where that is written.
    pub span: Option<Span>,
    /// It may stop there.
    pub done: bool,
    /// What it is ready for, if others are too.
    pub events: Vec<Awaited>,
}

impl Waits {
    /// The statement that it waits at; of several alternatives the first that is blocked.
    pub fn place(&self) -> Option<Span> {
        let blocked = self.events.iter().find(|awaited| awaited.blocked.is_some());
        blocked.and_then(|awaited| awaited.span).or(self.span)
    }
}

/// An event, or a statement, that somebody is ready for.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Awaited {
    /// The event.
    pub event: String,
    /// Where the statement is.
    pub span: Option<Span>,
    /// Lanes that refuse it, and the states in which they do.
    pub refused_by: Vec<(usize, String)>,
    /// Why it cannot be executed, if that is known.
    pub blocked: Option<Blocked>,
}

/// Why a statement cannot be executed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Blocked {
    /// The reason, with values: `c` is full (1 of 1).
    pub why: String,
    /// What a lane would have to do: `receives`.
    pub until: &'static str,
    /// The lanes that still can; if there are none, it stays blocked.
    pub lanes: Vec<usize>,
}
