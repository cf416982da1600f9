//! What the documents look like.

use super::*;
use crate::sample;
use model::source::Span;
use model::verdict::{Certificate, Reason};

fn text(write: impl FnOnce(&mut Vec<u8>) -> io::Result<()>) -> String {
    let mut out = Vec::new();
    write(&mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// The document on several lines, so that a snapshot can be read.
fn indented(line: &str) -> String {
    assert_eq!(line.find('\n'), Some(line.len() - 1), "one document is one line");
    let value: serde_json::Value = serde_json::from_str(line).unwrap();
    text(|out| write_indented(out, &value)).replace(env!("CARGO_PKG_VERSION"), "VERSION")
}

/// The same without what every document begins with.
fn answers(line: &str) -> String {
    let mut value: serde_json::Value = serde_json::from_str(line).unwrap();
    value.as_object_mut().unwrap().retain(|key, _| !["schema", "tool", "model"].contains(&key.as_str()));
    indented(&format!("{value}\n"))
}

#[test]
fn the_document_of_check_has_the_fields_of_the_contract() {
    let sources = sample::sources();
    let late = sample::outcome(Verdict::Inconclusive(Reason::Timeout));
    let mut outcomes = vec![sample::outcome(Verdict::Proved), sample::deadlock(), late];
    outcomes[2].stats = None;
    let mut document = sample::document(&sources, outcomes);
    document.not_checked = vec![sample::not_checked(false)].into();
    let json = text(|out| write_check(out, &document));
    insta::assert_snapshot!(indented(&json), @r#"
    {
      "schema": "highwater/1",
      "tool": {
        "name": "highwater",
        "version": "VERSION"
      },
      "model": {
        "file": "models/hand.pml",
        "language": "promela",
        "sha256": "9f86d081884c7d65",
        "defines": [
          "N=3"
        ]
      },
      "results": [
        {
          "property": "safety",
          "verdict": "proved",
          "reading": "declared",
          "engine": "explore",
          "time_ms": 12.3,
          "stats": {"states":10052,"transitions":30127,"depth":41,"state_bytes":241248,"memory_bytes":1572864,"violations":0},
          "certificate": {"kind":"explored-states","states":10052,"digest":"000000000000feed0000000000000001"}
        },
        {
          "property": "deadlock",
          "verdict": "violated",
          "reading": "declared",
          "engine": "explore",
          "time_ms": 3.1,
          "stats": {"states":10052,"transitions":30127,"depth":41,"state_bytes":241248,"memory_bytes":1572864,"violations":0},
          "witness": {"kind":"run","problem":"invalid end state: nothing can move","problem_code":"invalid-end-state","problem_at":{"file":"models/hand.pml","line":11,"column":3},"steps":[{"process":"P","instance":0,"at":{"file":"models/hand.pml","line":8,"column":5},"event":"x = 1","changed":{"x":"1"},"channels":{},"atomic":true,"step":{"edge":[0,0]}},{"process":"P","instance":0,"at":{"file":"models/hand.pml","line":9,"column":5},"event":"q!req(1)","changed":{},"channels":{"q":["req(1)"]},"atomic":false,"step":{"edge":[0,1]}}],"loop_from":null,"waiting":[{"process":"P","instance":0,"at":{"file":"models/hand.pml","line":11,"column":3},"done":false,"events":[],"reason":"can do nothing any more"},{"process":"Q","instance":1,"at":{"file":"models/hand.pml","line":17,"column":3},"done":false,"events":[],"reason":"can do nothing any more"}]}
        },
        {
          "property": "safety",
          "verdict": "inconclusive",
          "reason": "timeout",
          "detail": "the time limit was reached (--timeout)",
          "reading": "declared",
          "engine": "explore",
          "time_ms": 12.3,
          "stats": {}
        },
        {
          "property": "ltl:p1",
          "verdict": "inconclusive",
          "reason": "not-supported",
          "detail": "temporal properties are not checked by this version",
          "asked": false,
          "reading": "declared"
        }
      ],
      "exit_code": 1
    }
    "#);
}

#[test]
fn answers_about_channels_have_channels_cycles_and_a_short_certificate() {
    let sources = sample::sources();
    let outcomes = vec![sample::bounded(), sample::unbounded(), sample::advisory(sample::not_provable())];
    let json = text(|out| write_check(out, &sample::document(&sources, outcomes)));
    insta::assert_snapshot!(answers(&json), @r#"
    {
      "results": [
        {
          "property": "boundedness",
          "verdict": "proved",
          "reading": "unbounded",
          "engine": "flow",
          "time_ms": 3.1,
          "channels": [{"name":"q","verdict":"bounded","declared":2,"proved_at_most":2,"reached":2,"exact":true,"messages":["req"],"senders":["P"],"receivers":["Q"]},{"name":"log","verdict":"bounded","declared":null,"proved_at_most":1200,"reached":7,"exact":false,"messages":["req(1)","req(2)","req(3)","req(4)","ack","nak"],"senders":["P","Q"],"receivers":[]}],
          "refinements": [{"processes":["P[0]","Q[1]"],"cycles":3,"grows":["q"],"refined":["values of `x`"]},{"processes":["P[0]"],"cycles":1,"grows":["q","r"],"refined":["values of `y`","values of `P[0]:n`"]}],
          "advice": ["`log` needs room for 1200 messages"],
          "stats": {"instances":2,"points":41,"abstract_transitions":1077,"counterexamples":2},
          "certificate": {"kind":"flow-weights","messages":1,"stages":2,"bounds":1}
        },
        {
          "property": "boundedness",
          "verdict": "violated",
          "reading": "unbounded",
          "engine": "explore",
          "time_ms": 3.1,
          "channels": [{"name":"q","verdict":"unbounded","declared":2,"proved_at_most":null,"reached":2,"exact":false,"gain":2,"messages":["req"],"senders":["P"],"receivers":["Q"]},{"name":"r","verdict":"bounded","declared":2,"proved_at_most":2,"reached":2,"exact":true,"messages":["req"],"senders":["P"],"receivers":["Q"]}],
          "stats": {"instances":2,"points":41,"abstract_transitions":1077,"counterexamples":2},
          "witness": {"kind":"run","problem":"`q` grows without end","problem_code":"unbounded","problem_at":{"file":"models/hand.pml","line":12,"column":3},"steps":[{"process":"P","instance":0,"at":{"file":"models/hand.pml","line":8,"column":5},"event":"x = 1","changed":{"x":"1"},"channels":{},"atomic":true,"step":{"edge":[0,0]}},{"process":"P","instance":0,"at":{"file":"models/hand.pml","line":9,"column":5},"event":"q!req(1)","changed":{},"channels":{"q":["req(1)"]},"atomic":false,"step":{"edge":[0,1]}},{"process":"P","instance":0,"at":{"file":"models/hand.pml","line":11,"column":3},"partner":{"process":"Q","instance":1,"at":{"file":"models/hand.pml","line":16,"column":3}},"event":"c!ack","changed":{},"channels":{},"atomic":false,"step":{"rendezvous":[[0,2],[1,0]]}},{"process":"P","instance":0,"at":{"file":"models/hand.pml","line":12,"column":3},"event":"q!req(7)","changed":{},"channels":{"q":["req(1)","req(7)"]},"atomic":false,"step":{"edge":[0,3]}},{"process":"Q","instance":1,"at":{"file":"models/hand.pml","line":17,"column":3},"event":"q?req(1)","changed":{},"channels":{"q":["req(7)"]},"atomic":false,"step":{"edge":[1,1]}}],"loop_from":2,"gains":{"q":2}}
        },
        {
          "property": "boundedness",
          "verdict": "inconclusive",
          "reason": "not-provable",
          "detail": "no proof for `q`, and no run that fills it",
          "advisory": true,
          "reading": "unbounded",
          "engine": "flow",
          "time_ms": 3.1,
          "channels": [{"name":"q","verdict":"inconclusive","declared":2,"proved_at_most":null,"reached":2,"exact":false,"messages":["req"],"senders":["P"],"receivers":["Q"]},{"name":"r","verdict":"bounded","declared":2,"proved_at_most":2,"reached":2,"exact":true,"messages":["req"],"senders":["P"],"receivers":["Q"]}],
          "cycles": [{"process":"P[0]","times":"2","statements":[{"text":"c!ack","at":{"file":"models/hand.pml","line":11,"column":3}},{"text":"q!req(7)","at":{"file":"models/hand.pml","line":12,"column":3}}],"effects":{"q: req":1}},{"process":"Q[*]","times":"1","statements":[{"text":"c?ack","at":{"file":"models/hand.pml","line":16,"column":3}},{"text":"q?req(x)","at":{"file":"models/hand.pml","line":17,"column":3}}],"effects":{"q: req":-1,"processes of R":1}}],
          "grows": ["processes of R","q"],
          "advice": ["a loop of P sends without waiting: let it wait for an answer"],
          "stats": {"instances":2,"points":41,"abstract_transitions":1077,"counterexamples":2}
        }
      ],
      "exit_code": 1
    }
    "#);
}

#[test]
fn the_certificate_of_a_flow_proof_has_all_of_it() {
    let json = text(|out| write_certificates(out, &sample::model(), &[sample::bounded()]));
    let claim = json.split_once("\"certificates\"").map_or("", |(_, claim)| claim);
    insta::assert_snapshot!(claim, @r#"
    : [
        {
          "property": "boundedness",
          "reading": "unbounded",
          "kind": "flow-weights",
          "proof": {"abstraction":{"globals":[{"queues":[0]}],"queues":[{"key":{"instance":null,"variable":0,"element":0},"constants":[[2],[]],"atoms":[{"classes":[0,0],"values":[{"set":[2]},{"range":[0,255]}]}],"claimed":true}],"instances":[{"machine":0,"origin":{"initial":0},"many":false,"folded":[],"nodes":[{"at":{"location":3},"values":[]},{"at":"gone","values":[]}],"first":[0]}],"creations":[],"followed":[],"numbers":[]},"ranking":[{"bounded":{"weights":{"messages":{"0":[1]},"nodes":{"0":[[1,2],[1,0]]},"values":{},"numbers":{}}}},{"lose":{"weights":{"messages":{"0":[1]},"nodes":{"0":[[1,2],[1,0]]},"values":{},"numbers":{}},"then":0}}],"bounds":[{"queue":0,"at_most":2,"weights":0,"unit":1}],"bound_weights":[{"messages":{"0":[1]},"nodes":{"0":[[1,2],[1,0]]},"values":{},"numbers":{}}]}
        }
      ]
    }
    "#);
}

#[test]
fn the_longest_queues_are_there_only_if_there_are_any() {
    let mut outcome = sample::outcome(Verdict::Proved);
    let written =
        |outcome: &Outcome| text(|out| write_certificates(out, &sample::model(), std::slice::from_ref(outcome)));
    assert!(!written(&outcome).contains("longest"));
    if let Some(Certificate::Explored { longest, .. }) = &mut outcome.certificate {
        longest.push((String::from("q"), 2));
    }
    assert!(written(&outcome).contains(r#""longest": {"q":2}"#), "{}", written(&outcome));
}

#[test]
fn a_vacuous_answer_has_a_reason_and_its_words() {
    let sources = sample::sources();
    let vacuous = Verdict::Vacuous(String::from("no process is ever created"));
    let json = text(|out| write_check(out, &sample::document(&sources, vec![sample::outcome(vacuous)])));
    assert!(json.contains(r#""verdict":"vacuous","reason":"vacuous","detail":"no process is ever created""#));
    assert!(json.ends_with("\"exit_code\":3}\n"));
}

#[test]
fn a_model_that_cannot_be_read_has_errors_with_their_places() {
    let sources = sample::sources();
    let diagnostics = [
        Diagnostic::error("P0101", sample::span("q!req(7)"), "two messages").help("one is enough"),
        Diagnostic::warning("P0999", Span::NONE, "nobody reads x"),
    ];
    let unreadable = Unreadable {
        file: "models/hand.pml",
        language: Some("promela"),
        sha256: Some("9f86"),
        defines: &[],
        diagnostics: &diagnostics,
        sources: &sources,
        open: &[],
        exit_code: 2,
    };
    let json = text(|out| write_unreadable(out, &unreadable));
    insta::assert_snapshot!(indented(&json), @r#"
    {
      "schema": "highwater/1",
      "tool": {
        "name": "highwater",
        "version": "VERSION"
      },
      "model": {
        "file": "models/hand.pml",
        "language": "promela",
        "sha256": "9f86",
        "defines": []
      },
      "errors": [
        {
          "code": "P0101",
          "message": "two messages",
          "severity": "error",
          "at": {"file":"models/hand.pml","line":12,"column":3},
          "help": ["one is enough"]
        },
        {
          "code": "P0999",
          "message": "nobody reads x",
          "severity": "warning",
          "at": {"file":"models/hand.pml","line":1,"column":1},
          "help": []
        }
      ],
      "results": [],
      "exit_code": 2
    }
    "#);
}

#[test]
fn a_file_that_is_not_there_has_an_error_without_a_place() {
    let sources = SourceMap::new();
    let diagnostics = [Diagnostic::error("P0001", Span::NONE, "no such file")];
    let (file, defines) = ("a.pml", &[][..]);
    let unreadable = Unreadable {
        file,
        language: None,
        sha256: None,
        defines,
        diagnostics: &diagnostics,
        sources: &sources,
        open: &[],
        exit_code: 2,
    };
    let json = text(|out| write_unreadable(out, &unreadable));
    assert!(json.contains(r#""model":{"file":"a.pml","defines":[]}"#), "{json}");
    assert!(json.contains(r#""at":null"#) && json.contains(r#""exit_code":2"#), "{json}");
}

#[test]
fn a_trace_has_every_step_with_its_place_and_its_code() {
    let sources = sample::sources();
    let outcome = sample::outcome(Verdict::Violated);
    let json = text(|out| write_trace(out, &sample::model(), &outcome, &sources).map(|written| assert!(written)));
    insta::assert_snapshot!(json, @r#"
    {
      "schema": "highwater-trace/1",
      "model": {
        "file": "models/hand.pml",
        "sha256": "9f86d081884c7d65",
        "defines": [
          "N=3"
        ]
      },
      "reading": "declared",
      "property": "safety",
      "witness": {
        "kind": "run",
        "problem": "assertion violated",
        "problem_code": "assertion",
        "problem_at": {
          "file": "models/hand.pml",
          "line": 18,
          "column": 3
        },
        "steps": [
          {"process":"P","instance":0,"at":{"file":"models/hand.pml","line":8,"column":5},"event":"x = 1","changed":{"x":"1"},"channels":{},"atomic":true,"step":{"edge":[0,0]}},
          {"process":"P","instance":0,"at":{"file":"models/hand.pml","line":9,"column":5},"event":"q!req(1)","changed":{},"channels":{"q":["req(1)"]},"atomic":false,"step":{"edge":[0,1]}},
          {"process":"P","instance":0,"at":{"file":"models/hand.pml","line":11,"column":3},"partner":{"process":"Q","instance":1,"at":{"file":"models/hand.pml","line":16,"column":3}},"event":"c!ack","changed":{},"channels":{},"atomic":false,"step":{"rendezvous":[[0,2],[1,0]]}},
          {"process":"P","instance":0,"at":{"file":"models/hand.pml","line":12,"column":3},"event":"q!req(7)","changed":{},"channels":{"q":["req(1)","req(7)"]},"atomic":false,"step":{"edge":[0,3]}},
          {"process":"Q","instance":1,"at":{"file":"models/hand.pml","line":17,"column":3},"event":"q?req(1)","changed":{},"channels":{"q":["req(7)"]},"atomic":false,"step":{"edge":[1,1]}},
          {"process":"Q","instance":1,"at":{"file":"models/hand.pml","line":18,"column":3},"event":"assert(x == 0)","changed":{},"channels":{},"atomic":false,"step":{"edge":[1,2]}}
        ],
        "loop_from": null,
        "waiting": [
          {"process":"P","instance":0,"at":{"file":"models/hand.pml","line":13,"column":1},"done":true,"events":[]},
          {"process":"Q","instance":1,"at":{"file":"models/hand.pml","line":18,"column":3},"done":false,"events":[]}
        ]
      }
    }
    "#);
}

#[test]
fn an_outcome_without_a_run_writes_no_trace() {
    let mut out = Vec::new();
    let outcome = sample::outcome(Verdict::Proved);
    let written = write_trace(&mut out, &sample::model(), &outcome, &sample::sources()).unwrap();
    assert!(!written && out.is_empty());
}

#[test]
fn certificates_name_property_reading_and_digest() {
    let outcomes = [sample::outcome(Verdict::Proved), sample::deadlock()];
    let json = text(|out| write_certificates(out, &sample::model(), &outcomes));
    insta::assert_snapshot!(json, @r#"
    {
      "schema": "highwater-certificate/1",
      "model": {
        "file": "models/hand.pml",
        "sha256": "9f86d081884c7d65",
        "defines": [
          "N=3"
        ]
      },
      "certificates": [
        {
          "property": "safety",
          "reading": "declared",
          "kind": "explored-states",
          "states": 10052,
          "digest": "000000000000feed0000000000000001"
        }
      ]
    }
    "#);
}
