//! A small model with a run, for the tests of this crate.

use crate::document::{Document, ModelInfo, NotChecked};
use model::ids::EdgeId;
use model::semantics::{Reading, Step};
use model::source::{FileId, SourceMap, Span};
use model::verdict::{
    Actor, Certificate, Change, Contents, Outcome, Property, SearchStats, Standing, Verdict, Witness, WitnessStep,
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

pub(crate) fn actor(name: &str, instance: u32, text: &str) -> Actor {
    Actor { name: String::from(name), instance, span: span(text) }
}

pub(crate) fn edge(process: u32, edge: u32) -> Step {
    Step::Edge { process, edge: EdgeId(edge) }
}

pub(crate) fn step(actor: Actor, event: &str, step: Step) -> WitnessStep {
    let (changes, channels) = (Vec::new(), Vec::new());
    let event = String::from(event);
    WitnessStep { actor: Some(actor), partner: None, event, changes, channels, atomic: false, step }
}

fn change(name: &str, value: &str) -> Change {
    Change { name: String::from(name), value: String::from(value) }
}

fn contents(channel: &str, messages: &[&str]) -> Contents {
    Contents { channel: String::from(channel), messages: messages.iter().map(|&m| String::from(m)).collect() }
}

/// Five steps to the failed assertion: an atomic pair, a rendezvous, a send, a receive, the assertion.
pub(crate) fn steps() -> Vec<WitnessStep> {
    let meeting = Step::Rendezvous { sender: (0, EdgeId(2)), receiver: (1, EdgeId(0)) };
    vec![
        WitnessStep {
            changes: vec![change("x", "1")],
            atomic: true,
            ..step(actor("P", 0, "x = 1"), "x = 1", edge(0, 0))
        },
        WitnessStep {
            channels: vec![contents("q", &["req(1)"])],
            ..step(actor("P", 0, "q!req(x)"), "q!req(1)", edge(0, 1))
        },
        WitnessStep { partner: Some(actor("Q", 1, "c?ack")), ..step(actor("P", 0, "c!ack"), "c!ack", meeting) },
        WitnessStep {
            channels: vec![contents("q", &["req(1)", "req(7)"])],
            ..step(actor("P", 0, "q!req(7)"), "q!req(7)", edge(0, 3))
        },
        WitnessStep {
            channels: vec![contents("q", &["req(7)"])],
            ..step(actor("Q", 1, "q?req(x)"), "q?req(1)", edge(1, 1))
        },
        step(actor("Q", 1, "assert(x == 0)"), "assert(x == 0)", edge(1, 2)),
    ]
}

pub(crate) fn witness() -> Witness {
    Witness {
        steps: steps(),
        loop_from: None,
        problem: String::from("assertion violated"),
        problem_code: "assertion",
        problem_span: Some(span("assert(x == 0)")),
        standing: vec![
            Standing { actor: actor("P", 0, "}\n\nactive proctype Q"), valid_end: true, options: Vec::new() },
            Standing { actor: actor("Q", 1, "assert(x == 0)"), valid_end: false, options: Vec::new() },
        ],
    }
}

pub(crate) fn deadlock_witness() -> Witness {
    Witness {
        problem: String::from("invalid end state: nothing can move"),
        problem_code: "invalid-end-state",
        problem_span: None,
        standing: vec![
            Standing { actor: actor("P", 0, "c!ack"), valid_end: false, options: Vec::new() },
            Standing { actor: actor("Q", 1, "q?req(x)"), valid_end: false, options: Vec::new() },
        ],
        steps: steps()[..2].to_vec(),
        loop_from: None,
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
        certificate: proved.then_some(Certificate::Explored { states: 10_052, digest: 0xfeed_0000_0000_0000_0001 }),
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

pub(crate) fn not_checked(asked: bool) -> NotChecked {
    NotChecked {
        property: String::from("ltl:p1"),
        reason: String::from("temporal properties are not checked by this version"),
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
    }
}

pub(crate) fn document(sources: &SourceMap, outcomes: Vec<Outcome>) -> Document<'_> {
    let time = Duration::from_millis(15);
    Document { model: model(), outcomes, not_checked: Vec::new(), warnings: 0, sources, time }
}
