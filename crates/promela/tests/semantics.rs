//! Some five hundred small models, one for each corner of the language, with the number of states and
//! whether there are errors, as SPIN 6.5.2 counts them (`-o1 -o2 -o3`, no reduction, no claim).
//!
//! `semantics.models` has one model after the other, each under a line `=== name | states | errors`.

use explore::{Options, Order};
use model::context::Context;
use model::semantics::{Reading, Semantics};
use model::verdict::{Property, Reason, Verdict};

struct Expected<'a> {
    name: &'a str,
    states: u64,
    errors: bool,
    text: &'a str,
}

fn models(file: &str) -> Vec<Expected<'_>> {
    let sections = file.split("=== ").filter(|section| !section.trim().is_empty());
    sections
        .map(|section| {
            let (head, text) = section.split_once('\n').expect("a head line");
            let mut cells = head.split(" | ");
            let name = cells.next().expect("a name");
            let states = cells.next().and_then(|c| c.trim_end_matches(" states").parse().ok()).expect("a number");
            Expected { name, states, errors: cells.next() == Some("errors"), text }
        })
        .collect()
}

fn wrong(expected: &Expected<'_>) -> Option<String> {
    let options = promela::preprocess::Options::default();
    let read = promela::read(&format!("{}.pml", expected.name), expected.text, &options);
    let Some(network) = read.network else {
        return Some(format!("refused: {:?}", read.diagnostics.iter().map(|d| &d.message).collect::<Vec<_>>()));
    };
    let semantics = Semantics::new(&network, Reading::Declared);
    let properties = vec![Property::Safety, Property::Deadlock];
    let options = Options { order: Order::Breadth, keep_going: true, properties, ..Options::default() };
    let outcomes = explore::check(&semantics, &read.sources, &options, &Context::unlimited());
    let states = outcomes[0].stats.as_ref().map_or(0, |s| s.states);
    let violated = outcomes.iter().any(|o| o.verdict == Verdict::Violated);
    let same = states == expected.states && violated == expected.errors;
    (!same).then(|| {
        format!("{states} states, violated: {violated}; SPIN: {} states, {}", expected.states, expected.errors)
    })
}

#[test]
fn every_corner_of_the_language_has_the_states_and_errors_of_spin() {
    let models = models(include_str!("semantics.models"));
    assert!(models.len() > 400, "the file has models");
    let wrong: Vec<String> =
        models.iter().filter_map(|m| wrong(m).map(|problem| format!("{}: {problem}\n{}", m.name, m.text))).collect();
    assert!(wrong.is_empty(), "{} models differ:\n{}", wrong.len(), wrong.join("\n"));
}

/// The verdicts on safety and deadlock.
fn verdicts(text: &str) -> Vec<Verdict> {
    let read = promela::read("model.pml", text, &promela::preprocess::Options::default());
    let network = read.network.expect("a model");
    let semantics = Semantics::new(&network, Reading::Declared);
    let properties = vec![Property::Safety, Property::Deadlock];
    let options = Options { properties, ..Options::default() };
    explore::check(&semantics, &read.sources, &options, &Context::unlimited()).into_iter().map(|o| o.verdict).collect()
}

#[test]
fn more_than_255_processes_or_channels_are_a_limit_and_no_error_of_the_model() {
    let processes = "proctype Q() { false }\ninit { do :: run Q() od }";
    let tested = "proctype Q() { false }\ninit { byte p; do :: p = run Q(); if :: p == 0 -> break :: else fi od }";
    let channels = "proctype Q() { chan own[100] = [1] of { byte }; own[0]?_ }\ninit { run Q(); run Q(); run Q() }";
    for text in [processes, tested, channels] {
        for verdict in verdicts(text) {
            assert!(matches!(verdict, Verdict::Inconclusive(Reason::Limit(_))), "{verdict:?}\n{text}");
        }
    }
}
