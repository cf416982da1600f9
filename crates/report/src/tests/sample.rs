//! A small model with a run, for the tests of this crate; and answers of every kind about it.

use crate::document::{Document, ModelInfo, NotChecked};
use model::chart::{
    Awaited, Change, Chart, ChartStep, Contents, Form, Input, Inputs, JointKey, Lane, Move, MovesKey, StepKey, Waits,
};
use model::composition::StepLabel;
use model::flow_proof::{
    Abstraction, Atom, Bound, FlowProof, Instance, Node, Origin, Point, Queue, QueueKey, Ranking, Values, Weights,
};
use model::ids::{EdgeId, EventId};
use model::semantics::{Reading, Step};
use model::source::{FileId, SourceMap, Span};
use model::stats::{Datum, Exhibit, Field, Sheet};
use model::verdict::{
    Certificate, ChannelState, ChannelVerdict, CycleVerdict, Details, Outcome, Property, Reason, SearchStats, Verdict,
};
use std::time::Duration;

pub(crate) const TEXT: &str = "\
mtype = { req, ack };
chan q = [2] of { mtype, byte };
chan c = [0] of { mtype };
byte x;

active proctype P() {
  atomic {
    x = 1;
    q!req(x)
  }
  c!ack;
  q!req(7)
}

active proctype Q() {
  c?ack;
  q?req(x);
  assert(x == 0)
}
";

pub(crate) fn sources() -> SourceMap {
    let mut sources = SourceMap::new();
    sources.add("models/hand.pml", TEXT);
    sources
}

/// The first occurrence of a text in the sample.
pub(crate) fn span(text: &str) -> Span {
    let start = TEXT.find(text).unwrap_or(0);
    Span::new(FileId(0), start, start + text.len())
}

/// The processes `P:0` and `Q:1`.
pub(crate) fn lanes() -> Vec<Lane> {
    let lane = |name: &str, number| Lane { name: String::from(name), instance: Some(number), ..Lane::default() };
    vec![lane("P", 0), lane("Q", 1)]
}

/// A process moves by the statement that stands there.
pub(crate) fn moves(lane: usize, text: &str) -> Move {
    Move { lane, span: Some(span(text)), ..Move::default() }
}

/// A process is at the statement that stands there.
pub(crate) fn waits(lane: usize, text: &str, done: bool) -> Waits {
    Waits { lane, state: None, span: Some(span(text)), done, events: Vec::new() }
}

pub(crate) fn edge(process: u32, edge: u32) -> Step {
    Step::Edge { process, edge: EdgeId(edge) }
}

pub(crate) fn step(one: Move, event: &str, step: Step) -> ChartStep {
    let key = Some(StepKey::Network(step.into()));
    ChartStep { event: Some(String::from(event)), moves: vec![one], key, ..ChartStep::default() }
}

pub(crate) fn change(name: &str, value: &str) -> Change {
    Change { name: String::from(name), value: String::from(value) }
}

fn contents(channel: &str, messages: &[&str]) -> Contents {
    Contents { channel: String::from(channel), messages: messages.iter().map(|&m| String::from(m)).collect() }
}

/// Six steps to the failed assertion: an atomic pair, a rendezvous, a send, a receive, the assertion.
pub(crate) fn steps() -> Vec<ChartStep> {
    let meeting = Step::Rendezvous { sender: (0, EdgeId(2)), receiver: (1, EdgeId(0)) };
    let assigns = Move { changes: vec![change("x", "1")], ..moves(0, "x = 1") };
    let with = |messages: &[&str], step| ChartStep { channels: vec![contents("q", messages)], ..step };
    let mut steps = vec![
        ChartStep { atomic: true, ..step(assigns, "x = 1", edge(0, 0)) },
        with(&["req(1)"], step(moves(0, "q!req(x)"), "q!req(1)", edge(0, 1))),
        step(moves(0, "c!ack"), "c!ack", meeting),
        with(&["req(1)", "req(7)"], step(moves(0, "q!req(7)"), "q!req(7)", edge(0, 3))),
        with(&["req(7)"], step(moves(1, "q?req(x)"), "q?req(1)", edge(1, 1))),
        step(moves(1, "assert(x == 0)"), "assert(x == 0)", edge(1, 2)),
    ];
    steps[2].moves.push(moves(1, "c?ack"));
    steps
}

/// The steps of a run, from their keys.
pub(crate) fn keys(chart: &Chart) -> Vec<Step> {
    let step = |step: &ChartStep| match step.key {
        Some(StepKey::Network(key)) => Some(Step::from(key)),
        _ => None,
    };
    chart.steps.iter().filter_map(step).collect()
}

pub(crate) fn witness() -> Chart {
    Chart {
        steps: steps(),
        problem: String::from("assertion violated"),
        problem_code: "assertion",
        problem_span: Some(span("assert(x == 0)")),
        waiting: vec![waits(0, "}\n\nactive proctype Q", true), waits(1, "assert(x == 0)", false)],
        ..Chart::new(&Form::RUN, lanes())
    }
}

pub(crate) fn deadlock_witness() -> Chart {
    Chart {
        steps: steps()[..2].to_vec(),
        problem: String::from("invalid end state: nothing can move"),
        problem_code: "invalid-end-state",
        waiting: vec![waits(0, "c!ack", false), waits(1, "q?req(x)", false)],
        stuck: true,
        ..Chart::new(&Form::RUN, lanes())
    }
}

pub(crate) fn stats() -> SearchStats {
    SearchStats {
        states: 10_052,
        transitions: 30_127,
        depth: 41,
        state_bytes: 241_248,
        memory_bytes: 1_572_864,
        violations: 0,
    }
}

/// An answer about safety, with whatever goes with its verdict.
pub(crate) fn outcome(verdict: Verdict) -> Outcome {
    let proved = verdict == Verdict::Proved;
    let violated = verdict == Verdict::Violated;
    Outcome {
        property: Property::Safety,
        verdict,
        reading: Reading::Declared,
        engine: "explore",
        time: Duration::from_micros(12_340),
        stats: Some(stats()),
        witness: violated.then(witness),
        certificate: proved.then(explored),
        details: Details::default(),
    }
}

fn explored() -> Certificate {
    Certificate::Explored {
        states: 10_052,
        digest: 0xfeed_0000_0000_0000_0001,
        longest: Vec::new(),
        events: Vec::new(),
    }
}

pub(crate) fn deadlock() -> Outcome {
    Outcome {
        property: Property::Deadlock,
        witness: Some(deadlock_witness()),
        time: Duration::from_micros(3_100),
        ..outcome(Verdict::Violated)
    }
}

fn strings(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|&text| String::from(text)).collect()
}

/// A channel with a bound of 2.
pub(crate) fn channel(name: &str) -> ChannelVerdict {
    ChannelVerdict {
        name: String::from(name),
        state: ChannelState::Bounded,
        declared: Some(2),
        proved_at_most: Some(2),
        weights_at_most: None,
        reached: Some(2),
        gain: None,
        messages: strings(&["req"]),
        senders: strings(&["P"]),
        receivers: strings(&["Q"]),
        span: span("chan q"),
    }
}

/// A channel that grows by two messages a round.
pub(crate) fn unbounded_channel(name: &str) -> ChannelVerdict {
    let (proved_at_most, gain) = (None, Some(2));
    ChannelVerdict { state: ChannelState::Unbounded, proved_at_most, gain, ..channel(name) }
}

/// A channel of which nothing is known.
pub(crate) fn unknown_channel(name: &str) -> ChannelVerdict {
    ChannelVerdict { state: ChannelState::Inconclusive, proved_at_most: None, ..channel(name) }
}

/// What the flow engine counted.
pub(crate) fn sheet() -> Sheet {
    Sheet::new("flow for")
        .with("instances", "instances", 2)
        .with("points", "points", 41)
        .with("abstract_transitions", "transitions", 1_077)
        .with("counterexamples", "counterexamples", 2)
}

/// Two combinations of cycles on the way.
pub(crate) fn refinements() -> Exhibit {
    let row = |processes: &[&str], cycles, grows: &[&str], refined: &[&str]| {
        Datum::Record(vec![
            Field::new("processes", "processes", Datum::texts(&strings(processes))),
            Field::new("cycles", "cycles", Datum::Count(cycles)),
            Field::new("grows", "would add to", Datum::texts(&strings(grows))),
            Field::new("refined", "refined", Datum::texts(&strings(refined))),
        ])
    };
    let rows = vec![
        row(&["P[0]", "Q[1]"], 3, &["q"], &["values of `x`"]),
        row(&["P[0]"], 1, &["q", "r"], &["values of `y`", "values of `P[0]:n`"]),
    ];
    Exhibit { key: "refinements", title: "combinations of cycles on the way", in_stats: false, rows }
}

/// A proof with one queue, one kind of message and one process.
pub(crate) fn flow_proof() -> FlowProof {
    let key = QueueKey { instance: None, variable: 0, element: 0 };
    let atom = Atom { classes: vec![0, 0], values: vec![Values::Set(vec![2]), Values::Range(0, 255)] };
    let nodes = vec![Node { at: Point::Location(3), values: Vec::new() }, Node { at: Point::Gone, values: Vec::new() }];
    let weights = Weights {
        messages: [(0, vec![1])].into(),
        nodes: [(0, [2, 0].into_iter().collect())].into(),
        ..Weights::default()
    };
    FlowProof {
        abstraction: Abstraction {
            globals: vec![Values::Queues(vec![0])],
            queues: vec![Queue { key, constants: vec![vec![2], Vec::new()], atoms: vec![atom], claimed: true }],
            instances: vec![Instance {
                machine: 0,
                origin: Origin::Initial(0),
                many: false,
                folded: Vec::new(),
                nodes,
                first: vec![0],
                levels: Default::default(),
            }],
            ..Abstraction::default()
        },
        progress: None,
        ranking: Ranking::Lose(weights.clone(), Box::new(Ranking::Bounded(weights.clone()))),
        bounds: vec![Bound { queue: 0, atoms: Vec::new(), at_most: 2, weights: 0, unit: 1 }],
        bound_weights: vec![weights],
        histories: Vec::new(),
    }
}

/// An answer of the flow engine about boundedness.
fn flow(verdict: Verdict, channels: Vec<ChannelVerdict>) -> Outcome {
    Outcome {
        property: Property::Boundedness,
        reading: Reading::Unbounded,
        engine: "flow",
        time: Duration::from_micros(3_100),
        stats: None,
        certificate: None,
        details: Details { channels, sheets: vec![sheet()], ..Details::default() },
        ..outcome(verdict)
    }
}

/// Two channels are bounded: `q`, and exactly so; and `log`, which has no capacity by nature.
pub(crate) fn bounded() -> Outcome {
    let log = ChannelVerdict {
        declared: None,
        proved_at_most: Some(1_200),
        weights_at_most: None,
        reached: Some(7),
        messages: strings(&["req(1)", "req(2)", "req(3)", "req(4)", "ack", "nak"]),
        senders: strings(&["P", "Q"]),
        receivers: Vec::new(),
        ..channel("log")
    };
    let mut outcome = flow(Verdict::Proved, vec![channel("q"), log]);
    outcome.certificate = Some(Certificate::Flow(Box::new(flow_proof())));
    outcome.details.exhibits = vec![refinements()];
    outcome.details.advice = strings(&["`log` needs room for 1200 messages"]);
    outcome
}

/// `q` grows forever: two steps, then three that add two messages.
pub(crate) fn unbounded() -> Outcome {
    let mut outcome = flow(Verdict::Violated, vec![unbounded_channel("q"), channel("r")]);
    outcome.engine = "explore";
    outcome.witness = Some(Chart {
        steps: steps()[..5].to_vec(),
        loop_from: Some(2),
        gains: vec![(String::from("q"), 2)],
        problem: String::from("`q` grows without end"),
        problem_code: "unbounded",
        problem_span: Some(span("q!req(7)")),
        ..Chart::new(&Form::RUN, lanes())
    });
    outcome
}

/// No proof and no run: two cycles remain unrefuted.
pub(crate) fn not_provable() -> Outcome {
    let reason = Reason::NotProvable(String::from("no proof for `q`, and no run that fills it"));
    let mut outcome = flow(Verdict::Inconclusive(reason), vec![unknown_channel("q"), channel("r")]);
    let cycle = |process: &str, times: &str, texts: &[&str], effects: &[(&str, i64)]| CycleVerdict {
        process: String::from(process),
        times: String::from(times),
        statements: texts.iter().map(|&text| (String::from(text), span(text))).collect(),
        effects: effects.iter().map(|&(name, change)| (String::from(name), change)).collect(),
    };
    outcome.details.cycles = vec![
        cycle("P[0]", "2", &["c!ack", "q!req(7)"], &[("q: req", 1)]),
        cycle("Q[*]", "1", &["c?ack", "q?req(x)"], &[("q: req", -1), ("processes of R", 1)]),
    ];
    outcome.details.grows = strings(&["processes of R", "q"]);
    outcome.details.advice = strings(&["a loop of P sends without waiting: let it wait for an answer"]);
    outcome
}

/// The same, but not requested.
pub(crate) fn advisory(mut outcome: Outcome) -> Outcome {
    outcome.details.advisory = true;
    outcome
}

/// A run that spins without progress.
pub(crate) fn livelock(verdict: Verdict) -> Outcome {
    let run = Chart {
        steps: steps(),
        loop_from: Some(3),
        problem: String::from("a loop without progress"),
        problem_code: "non-progress-cycle",
        ..Chart::new(&Form::RUN, lanes())
    };
    let proof = Certificate::Flow(Box::new(flow_proof()));
    let (witness, certificate) = if verdict == Verdict::Proved { (None, Some(proof)) } else { (Some(run), None) };
    let reading = Reading::Declared;
    Outcome { property: Property::Livelock, reading, witness, certificate, ..flow(verdict, Vec::new()) }
}

pub(crate) fn not_checked(asked: bool) -> NotChecked {
    NotChecked {
        property: String::from("ltl:p1"),
        reason: Reason::NotSupported(String::from("temporal properties are not checked by this version")),
        reading: Reading::Declared,
        asked,
    }
}

pub(crate) fn model() -> ModelInfo {
    ModelInfo {
        file: String::from("models/hand.pml"),
        language: "promela",
        sha256: String::from("9f86d081884c7d65"),
        defines: vec![String::from("N=3")],
        processes: 2,
        machines: 2,
        channels: 2,
        composition: None,
        program: None,
        components: None,
    }
}

pub(crate) fn document(sources: &SourceMap, outcomes: Vec<Outcome>) -> Document<'_> {
    let time = Duration::from_millis(15);
    Document {
        model: model(),
        outcomes: outcomes.into(),
        not_checked: Vec::new().into(),
        warnings: Vec::new().into(),
        sources,
        time,
    }
}

/// Two steps of components, the second of which may be a loop; or an end where one waits for the other.
pub(crate) fn joint() -> Chart {
    let lane =
        |(name, initial): (&str, u32)| Lane { name: String::from(name), initial: Some(initial), ..Lane::default() };
    let one = |lane, from: &str, to: &str| Move {
        lane,
        states: Some((String::from(from), String::from(to))),
        ..Move::default()
    };
    let step = |event: &str, moves, happens, from: &[u32], to: &[u32]| ChartStep {
        event: Some(String::from(event)),
        moves,
        key: Some(StepKey::Joint(JointKey::new(happens, from, to))),
        ..ChartStep::default()
    };
    let both = vec![one(0, "IDLE", "BUSY"), one(1, "ON", "ON")];
    let mut steps = vec![
        step("go", both, StepLabel::Event(EventId(3)), &[0, 0], &[1, 0]),
        step("tau", vec![one(1, "ON", "OFF")], StepLabel::Silent { component: 1 }, &[1, 0], &[1, 1]),
    ];
    steps[0].remarks = strings(&["`p` is true now"]);
    let refused = |event: &str| Awaited {
        event: String::from(event),
        refused_by: vec![(1, String::from("OFF"))],
        ..Awaited::default()
    };
    let waits = |lane, done, events| Waits { lane, state: Some(String::from("BUSY")), span: None, done, events };
    Chart {
        steps,
        problem: String::from("stuck"),
        problem_code: "deadlock",
        waiting: vec![
            waits(0, false, vec![refused("a"), refused("b")]),
            waits(2, true, Vec::new()),
            waits(3, false, Vec::new()),
        ],
        stuck: true,
        circle: vec![0, 1],
        ..Chart::new(&Form::JOINT, [("P", 0), ("Q", 0), ("R", 0), ("S", 0)].map(lane).to_vec())
    }
}

/// Two steps of a C program; the second one reads a value.
pub(crate) fn program() -> Chart {
    let step = |lane, text: &str, changes: &[(&str, &str)], remarks: &[&str]| {
        let changes = changes.iter().map(|&(name, value)| change(name, value)).collect();
        let (does, remarks) = (String::from(text), strings(remarks));
        let one = Move { does, changes, remarks, ..moves(lane, text) };
        ChartStep { moves: vec![one], shown: true, ..ChartStep::default() }
    };
    let input = Input {
        kind: "nondet",
        routine: Some(String::from("read")),
        variable: None,
        value: String::from("-3"),
        span: span("assert(x == 0)"),
    };
    let inputs = Inputs { values: vec![input], bits: vec![0xffff_fffd] };
    let lane = |(name, inputs): (&str, Option<Inputs>)| Lane { name: String::from(name), inputs, ..Lane::default() };
    Chart {
        steps: vec![
            step(0, "x = 1", &[("x", "1")], &[]),
            step(1, "assert(x == 0)", &[("f::n", "-3"), ("p", "&a[1]")], &["`read` returned -3"]),
        ],
        problem: String::from("assertion violated"),
        problem_code: "assertion",
        problem_span: Some(span("assert(x == 0)")),
        ..Chart::new(&Form::PROGRAM, [("main", Some(inputs)), ("f", None)].map(lane).to_vec())
    }
}

/// Three steps of C components: one that shows something, one that does not, and an event.
pub(crate) fn components() -> Chart {
    let one = |lane, text: &str| Move { does: String::from(text), ..moves(lane, text) };
    let step = |event: Option<&str>, moves: Vec<Move>, shown| {
        let key = MovesKey { moves: moves.iter().map(|one| (one.lane as u32, 7)).collect() };
        let (event, key) = (event.map(String::from), Some(StepKey::Moves(key)));
        ChartStep { event, moves, shown, key, ..ChartStep::default() }
    };
    let assigns = Move { changes: vec![change("x", "1")], ..one(0, "x = 1") };
    let procedure = |name: &str, bits: &[u64]| Lane {
        name: String::from(name),
        inputs: Some(Inputs { values: Vec::new(), bits: bits.to_vec() }),
        ..Lane::default()
    };
    let process = Lane { name: String::from("L"), initial: Some(0), ..Lane::default() };
    Chart {
        steps: vec![
            step(None, vec![assigns], true),
            step(None, vec![one(0, "c!ack")], false),
            step(Some("take"), vec![one(0, "q!req(7)"), one(2, "c?ack")], false),
        ],
        problem: String::from("stuck"),
        problem_code: "deadlock",
        ..Chart::new(&Form::COMPONENTS, vec![procedure("a", &[5]), procedure("b", &[]), process])
    }
}
