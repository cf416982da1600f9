//! Statements that no run reaches: what SPIN lists, and what the notes say.

use explore::Options;
use model::context::Context;
use model::semantics::{Reading, Semantics};
use model::verdict::{Outcome, Property};

fn searched(text: &str, keep_going: bool) -> Vec<Outcome> {
    let read = promela::read("model.pml", text, &promela::preprocess::Options::default());
    let network = read.network.expect("a model");
    let semantics = Semantics::new(&network, Reading::Declared);
    let properties = vec![Property::Safety, Property::Deadlock];
    let options = Options { properties, keep_going, ..Options::default() };
    explore::check(&semantics, &read.sources, &options, &Context::unlimited())
}

/// The list of the first outcome: process, state, text.
fn listed(outcomes: &[Outcome]) -> Vec<(&str, u32, &str)> {
    assert!(outcomes[1].details.unreached.is_empty(), "once is enough");
    outcomes[0].details.unreached.iter().map(|s| (s.process.as_str(), s.state, s.text.as_str())).collect()
}

const MODEL: &str = "byte x;
chan c = [1] of { byte };
proctype Spare() { x = 1; c!1 }
active proctype P() {
    x = 1;
    if
    :: x == 2 -> x = 3; assert(x == 3); do :: x < 5 -> x++; skip; x = 9 :: else -> break od; x = 4
    :: else
    fi;
    goto done;
    x = 7; d_step { x = 5; x = 6 }; if :: x = 1 :: skip fi; { x = 2 unless x == 6 };
done: skip
}
active proctype Q() { do :: x == 1 -> x = 1; x = 0; x = 1 od }
";

#[test]
fn the_list_is_that_of_spin() {
    // SPIN has the same states: `unreached in proctype`.
    let outcomes = searched(MODEL, false);
    let expected = [
        ("Spare", 1, "x = 1"),
        ("Spare", 2, "c!1"),
        ("Spare", 3, "-end-"),
        ("P", 3, "x = 3"),
        ("P", 4, "assert(x == 3)"),
        ("P", 6, "x++"),
        ("P", 8, "x = 9"),
        ("P", 11, "do :: x < 5 -> x++; skip; x = 9 :: else -> break od"),
        ("P", 14, "x = 4"),
        ("P", 19, "x = 7"),
        ("P", 22, "d_step { x = 5; x = 6 }"),
        ("P", 25, "if :: x = 1 :: skip fi"),
        ("Q", 8, "-end-"),
    ];
    assert_eq!(listed(&outcomes), expected);
}

#[test]
fn notes_name_assertions_statements_and_process_types() {
    let outcomes = searched(MODEL, false);
    let expected = [
        "no process of type `Spare` is ever run",
        "no run reaches the assertion `assert(x == 3)` (P, model.pml:7)",
        "no run reaches 8 statements: `x = 3` (P, model.pml:7), `x++` (P, model.pml:7), `x = 9` (P, model.pml:7), ...",
    ];
    assert_eq!(outcomes[0].details.advice, expected);
}

#[test]
fn what_was_not_searched_is_not_called_unreached() {
    // The search stops at the violation.
    let stopped = "byte x; active proctype P() { assert(x == 1); x = 2; x = 3 }";
    assert_eq!(listed(&searched(stopped, false)), []);
    assert_eq!(listed(&searched(stopped, true)), []);
    // A run ends at the fault, and so what comes after it is not known.
    let crashed = "byte a[2], i = 2; active proctype P() { a[i] = 1; i = 1; i = 0 }";
    assert_eq!(listed(&searched(crashed, true)), []);
    // Control gets to a statement that is never executable.
    let blocked = "byte x; active proctype P() { x == 1; x = 2 }";
    assert_eq!(listed(&searched(blocked, true)), [("P", 2, "x = 2"), ("P", 3, "-end-")]);
}
