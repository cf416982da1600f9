//! When a loop repeats forever: systems that grow, and systems that look as if they did. The answers were written down before
//! the rules of `model::growth`.

use explore::growth::{GrowthOptions, GrowthReport, growth};
use model::budget::Budget;
use model::context::Context;
use model::growth::verify;
use model::semantics::{Reading, Semantics};

const MOST_STATES: u64 = 3_000;

fn search(text: &str) -> GrowthReport {
    let read = promela::read("model.pml", text, &promela::preprocess::Options::default());
    let network = read.network.unwrap_or_else(|| panic!("{:?}\n{text}", read.diagnostics));
    let semantics = Semantics::new(&network, Reading::Unbounded);
    let limits = Budget::unlimited().states(MOST_STATES);
    let options = GrowthOptions { channels: vec![String::from("c")], ..GrowthOptions::default() };
    let report = growth(&semantics, &options, &Context::silent(&limits));
    for run in &report.growing {
        assert!(verify(&semantics, run, &Context::unlimited()).is_ok(), "{text}");
    }
    report
}

const CHANNELS: &str = "chan c = [2] of { byte }; chan d = [2] of { byte }; byte x, y;\n";

/// Systems in which `c` grows, with the reason why a loop repeats.
const GROWING: &[(&str, &str)] = &[
    ("a test that stays true", "active proctype P() { c!1; do :: nempty(c) -> c!1 od }"),
    ("a test that stays true from some length on", "active proctype P() { c!1; c!1; do :: full(c) -> c!1 od }"),
    ("a length above a constant", "active proctype P() { c!1; c!1; c!1; do :: len(c) > 2 -> c!1 od }"),
    ("a length compared from the other side", "active proctype P() { c!1; do :: 1 <= len(c) -> c!1 od }"),
    ("a length that is not small", "active proctype P() { c!1; do :: !(len(c) < 1) -> c!1 od }"),
    ("a length that differs", "active proctype P() { c!1; c!1; do :: len(c) != 1 -> c!1 od }"),
    ("a length as a truth value", "active proctype P() { c!1; do :: len(c) -> c!1 od }"),
    ("a conjunction", "active proctype P() { c!1; do :: x == 0 && nempty(c) -> c!1 od }"),
    ("a disjunction whose left side decides", "active proctype P() { do :: x == 0 || len(c) < 2 -> c!1 od }"),
    ("a conditional", "active proctype P() { c!1; do :: (nempty(c) -> 1 : 0) -> c!1 od }"),
    (
        "an else beside a test that stays false",
        "active proctype P() { c!1; do :: empty(c) -> x = 1 :: else -> c!1 od }",
    ),
    ("an else beside a receive of another message", "active proctype P() { c!1; do :: c?2 :: else -> c!1 od }"),
    (
        "an else beside a search for another message",
        "active proctype P() { c!1; do :: c??2 -> skip :: else -> c!1 od }",
    ),
    ("a head that stays", "active proctype P() { c!1; do :: c?[1] -> c!2 od }"),
    ("a head that is another", "active proctype P() { c!1; do :: !(c?[2]) -> c!2 od }"),
    ("a message that is there", "active proctype P() { c!2; c!1; do :: c??[1] -> c!2 od }"),
    ("a message that never comes", "active proctype P() { do :: !(c??[3]) -> c!1; c!2 od }"),
    ("a head that is copied", "active proctype P() { c!1; do :: c?<x>; c!2; x = 0 od }"),
    ("a search that takes the head", "active proctype P() { c!1; do :: c??1; c!1; c!1 od }"),
    ("equal messages in order", "active proctype P() { do :: c!!1 od }"),
    ("the greatest message in order", "active proctype P() { c!1; do :: c!!2 od }"),
    ("an escape that stays impossible", "active proctype P() { c!1; { do :: x = 1 - x; c!1 od } unless { c?2 } }"),
    ("an escape by a length", "active proctype P() { c!1; { do :: x = 1 - x; c!1 od } unless { empty(c) } }"),
    (
        "a timeout while a head blocks",
        "active proctype P() { c!1; do :: timeout -> c!1 od } active proctype Q() { c?2 }",
    ),
    ("a loop inside an atomic sequence", "active proctype P() { atomic { do :: c!1 od } }"),
    ("an atomic loop with a choice", "active proctype P() { atomic { do :: c!1 :: c!2; c?_ :: x = 1 - x od } }"),
    ("atomic sequences in a loop", "active proctype P() { c!1; do :: atomic { nempty(c) -> c!1; x = 1; x = 0 } od }"),
    (
        "a holder of control that stays blocked",
        "active proctype P() { c!1; do :: atomic { x = 1; c?2; x = 0 } od } active proctype Q() { do :: x == 1 -> c!1 od }",
    ),
    ("a deterministic step that looks", "active proctype P() { c!1; do :: d_step { nempty(c) -> c!1; c!2 } od }"),
    (
        "a deterministic step that chooses",
        "active proctype P() { c!1; do :: d_step { if :: empty(c) -> x = 1 :: len(c) > 0 -> c!1 :: else -> skip fi } od }",
    ),
    ("a deterministic step that sends and receives", "active proctype P() { c!1; do :: d_step { c!1; c?1; c!1 } od }"),
    (
        "a low priority while the high one waits",
        "active proctype P() priority 2 { d?1 } active proctype Q() priority 1 { do :: c!1 od }",
    ),
    ("a high priority", "active proctype P() priority 1 { c?1 } active proctype Q() priority 5 { do :: c!1 od }"),
    (
        "a high priority that a head blocks",
        "active proctype P() priority 2 { d!1; do :: c?2 od } active proctype Q() priority 1 { c!1; do :: c!1 od }",
    ),
    (
        "priorities that change",
        "active proctype P() priority 1 { do :: set_priority(_pid, 3); c!1; set_priority(_pid, 1) od }",
    ),
    ("processes without end", "active proctype P() { do :: run Q() od } proctype Q() { c!1 }"),
    ("processes without end that wait", "active proctype P() { do :: run Q() od } proctype Q() { c!1; d?1 }"),
    (
        "processes without end that look",
        "active proctype P() { c!1; do :: nempty(c) -> run Q() od } proctype Q() { nempty(c) -> c!1; d?1 }",
    ),
    (
        "processes with parameters without end",
        "active proctype P() { do :: run Q(1) :: run Q(2) od } proctype Q(byte n) { do :: c!n :: break od; d?1 }",
    ),
    (
        "processes that wait for a flag",
        "active proctype P() { do :: run W() :: break od; x = 1 } proctype W() { x == 1; c!1 }",
    ),
    (
        "processes that wait for a flag and send in one step",
        "active proctype P() { do :: y = 1; run W(); y = 0 :: break od; x = 1 }
      proctype W() { atomic { x == 1 -> c!1; d!1; d?1; c!2 } }",
    ),
    (
        "processes of which each looks at the head",
        "active proctype P() { c!7; do :: run W() :: break od; x = 1 } proctype W() { d_step { x == 1 && c?[7] -> c!1 } }",
    ),
    (
        "a rendezvous in the loop",
        "chan r = [0] of { byte }; active proctype P() { do :: r!1 od } active proctype Q() { do :: r?1 -> c!1 od }",
    ),
    ("two letters in turn", "active proctype P() { c!1; c!2; do :: c?1; c?2; c!1; c!2; c!1; c!2 od }"),
    ("messages that are doubled", "active proctype P() { c!1; c!2; do :: c?x -> c!x; c!x od }"),
    (
        "messages that become others",
        "active proctype P() { c!1; do :: c?1 -> c!2; c!2 :: c?2 -> c!1; c!3 :: c?3 -> c!1; c!2 od }",
    ),
    (
        "messages that are doubled by another process",
        "active proctype P() { c!1; c!2; do :: c?x -> d!x; d?x; c!x; c!x; x = 0 od }",
    ),
    (
        "a stage whose reservoir is tested",
        "active proctype P() { do :: d!1 :: break od; do :: nempty(d) -> d?1; c!1 od }",
    ),
];

/// Systems in which nothing grows, and how long `c` gets.
const BOUNDED: &[(&str, &str, u32)] = &[
    (
        "a process of high priority drains",
        "active proctype P() priority 2 { do :: len(c) > 20 -> do :: c?_ :: empty(c) -> break od od }
      active proctype Q() priority 1 { do :: c!1 od }",
        21,
    ),
    (
        "high priority drains at a head",
        "active proctype P() priority 2 { do :: c?1 od } active proctype Q() priority 1 { c!1; do :: c!1 od }",
        1,
    ),
    ("an alternative that a length enables", "active proctype P() { do :: len(c) >= 9 -> c?_ :: else -> c!1 od }", 9),
    (
        "an escape that a length enables",
        "active proctype P() { { do :: x = 1 - x; c!1 od } unless { len(c) == 9 } }",
        9,
    ),
    (
        "a timeout that a length ends",
        "active proctype P() { do :: timeout -> c!1 od } active proctype Q() { do :: len(c) > 8 -> c?_ od }",
        9,
    ),
    ("a length that meets a constant", "active proctype P() { do :: len(c) != 9 -> c!1 od }", 9),
    ("two lengths compared", "active proctype P() { do :: len(c) < 9 -> d!1; c!1 :: len(d) > len(c) -> skip od }", 9),
    (
        "two moving lengths compared",
        "active proctype P() { d!1; d!1; d!1; d!1; d!1; d!1; d!1; d!1; d!1; do :: len(c) < len(d) -> c!1; c!1; d!1 od }",
        18,
    ),
    ("a length that is stored", "active proctype P() { do :: x = len(c); x < 9 -> x = 0; c!1 od }", 9),
    ("a length that is sent", "active proctype P() { do :: d!len(c); d?x; x < 9 -> x = 0; c!1 od }", 9),
    ("a length in arithmetic", "active proctype P() { do :: len(c) * 2 < 18 -> c!1 od }", 9),
    ("a length as an index", "byte a[10]; active proctype P() { a[9] = 1; do :: a[len(c)] == 0 -> c!1 od }", 9),
    ("a test that a threshold ends", "active proctype P() { do :: nfull(c) -> c!1 od }", 2),
    ("full as an escape", "active proctype P() { { do :: x = 1 - x; c!1 od } unless { full(c) } }", 2),
    ("a head that is used up", "active proctype P() { c!1; c!1; c!1; c!1; c!1; do :: c?[1] -> c?1; c!2; c!2 od }", 10),
    (
        "a head that changes",
        "active proctype P() { c!1; c!1; c!1; c!1; c!2; do :: !(c?[2]) -> c?1; c!1; c!1; c?_ :: c?[2] -> break od }",
        6,
    ),
    (
        "a message that comes",
        "active proctype P() { do :: !(c??[3]) -> c!1; c!2; x++; if :: x == 4 -> c!3 :: else fi od }",
        9,
    ),
    (
        "an else until the head comes",
        "active proctype P() { do :: c?2 -> break :: else -> c!1; x++; if :: x == 5 -> break :: else fi od }",
        5,
    ),
    ("an else on an empty channel", "active proctype P() { do :: c?1 :: else -> c!1 od }", 1),
    (
        "a holder of control that a length lets go on",
        "active proctype P() { do :: atomic { x = 1; if :: len(c) > 8 :: x == 0 fi; x = 2 } od }
      active proctype Q() { do :: atomic { x == 1 -> c!1; x = 0 } od }",
        9,
    ),
    (
        "an atomic loop that a length ends",
        "active proctype P() { atomic { do :: len(c) < 9 -> c!1 :: else -> break od } }",
        9,
    ),
    (
        "a deterministic loop that a length ends",
        "active proctype P() { do :: d_step { if :: len(c) < 9 -> c!1 :: else -> c?_ fi } od }",
        9,
    ),
    (
        "a length inside a deterministic step",
        "active proctype P() { do :: d_step { c!1; if :: len(c) > 9 -> c?_ :: else -> skip fi } od }",
        9,
    ),
    ("greater messages in order", "active proctype P() { c!2; c!2; c!2; c!2; do :: c?[2] -> c!!1 od }", 5),
    ("a search that passes over messages", "active proctype P() { c!2; c!1; c!1; c!1; do :: c??1; c!2; c!2 od }", 7),
    (
        "a bystander of high priority",
        "active proctype P() priority 1 { do :: c!1; run Q() priority 2 od } proctype Q() { len(c) > 8; do :: c?_ :: empty(c) -> break od }",
        9,
    ),
    (
        "processes that are counted",
        "active proctype P() { do :: _nr_pr < 9 -> run Q() od } proctype Q() { c!1; d?1 }",
        8,
    ),
    (
        "processes that find a partner",
        "chan r = [0] of { byte }; active proctype P() { do :: r!1 -> break :: else -> c!1; run Q() od } proctype Q() { r?1 }",
        1,
    ),
    (
        "processes that wait for a flag, which the first of them takes back",
        "active proctype P() { do :: run W() :: break od; x = 1 } proctype W() { atomic { x == 1 -> x = 0 }; c!1 }",
        1,
    ),
    (
        "processes that wait for a flag and are counted",
        "active proctype P() { do :: run W() :: break od; x = 1 } proctype W() { d_step { x == 1 && y < 3 -> y++ }; c!1 }",
        3,
    ),
    (
        "processes that wait for a flag while there is room",
        "active proctype P() { do :: run W() :: break od; x = 1 } proctype W() { d_step { x == 1 && len(c) < 2 -> c!1 } }",
        2,
    ),
    (
        "processes with small numbers that wait for a flag",
        "active proctype P() { do :: run W() :: break od; x = 1 } proctype W() { x == 1 && _pid < 4; c!1 }",
        3,
    ),
    (
        "processes that wait for a flag, few of them",
        "active proctype P() { do :: run W() :: break od; _nr_pr < 4 -> x = 1 } proctype W() { x == 1; c!1 }",
        2,
    ),
    (
        "processes that wait for a message each",
        "active proctype P() { d!1; d!1; do :: run W() :: break od; x = 1 } proctype W() { x == 1; d?1; c!1 }",
        2,
    ),
    (
        "an enabled process",
        "active proctype P() { do :: enabled(1) -> c!1 od } active proctype Q() { len(c) < 9; d?1 }",
        9,
    ),
    ("provided by a length", "active proctype P() provided (len(c) < 9) { do :: c!1 od }", 9),
    (
        "messages that are doubled, but for one",
        "active proctype P() { c!1; c!2; do :: c?1 -> c!1; c!2 :: c?2 -> c!3; c!3 od }",
        6,
    ),
    (
        "messages that are doubled until there are many",
        "active proctype P() { c!1; c!2; do :: len(c) < 9 -> c?x; c!x; c!x od }",
        9,
    ),
    (
        "messages that are doubled while another is behind",
        "active proctype P() { c!1; c!2; c!1; do :: c?x; c?[2] -> c!x; c!x od }",
        4,
    ),
    (
        "a stage that uses up what there is",
        "active proctype P() { d!1; d!1; d!1; do :: nempty(d) -> d?1; c!1 :: else -> break od }",
        3,
    ),
];

#[test]
fn systems_that_grow_are_shown_to_grow() {
    let mut missed = Vec::new();
    for (why, processes) in GROWING {
        let report = search(&format!("{CHANNELS}{processes}"));
        if !report.channels().contains("c") {
            missed.push((why, report.stopped, report.complete));
        }
    }
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn systems_that_only_look_as_if_they_grew_are_not() {
    let mut wrong = Vec::new();
    for (why, processes, most) in BOUNDED {
        let report = search(&format!("{CHANNELS}{processes}"));
        let length = report.longest.iter().find(|l| l.channel == "c").map(|l| l.length);
        if report.channels().contains("c") || length != Some(*most) {
            wrong.push((why, report.channels(), length, most));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
