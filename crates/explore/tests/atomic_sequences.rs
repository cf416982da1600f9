//! Atomic sequences that are long, that fork late, that fail inside, and that never end: what is a state, and what is not.

use explore::{Options, Packing};
use model::context::Context;
use model::semantics::{Reading, Semantics};
use model::verdict::{Outcome, Property, Verdict};

fn check(text: &str, jobs: usize, packing: Packing) -> Vec<Outcome> {
    let read = promela::read("model.pml", text, &promela::preprocess::Options::default());
    let network = read.network.unwrap_or_else(|| panic!("{:?}", read.diagnostics));
    let semantics = Semantics::new(&network, Reading::Declared);
    let properties = vec![Property::Safety, Property::Deadlock];
    let options = Options { keep_going: true, properties, jobs, packing, alone: 0, ..Options::default() };
    explore::check(&semantics, &read.sources, &options, &Context::unlimited())
}

/// The states and the verdicts, which are the same for any number of threads and however states are kept.
fn found(text: &str) -> (u64, Vec<Verdict>) {
    let mut all = Vec::new();
    for (jobs, packing) in [(1, Packing::Never), (1, Packing::Always), (2, Packing::Auto), (2, Packing::Always)] {
        let outcomes = check(text, jobs, packing);
        let states = outcomes[0].stats.as_ref().map_or(0, |stats| stats.states);
        all.push((states, outcomes.into_iter().map(|outcome| outcome.verdict).collect::<Vec<_>>()));
    }
    assert!(all.windows(2).all(|pair| pair[0] == pair[1]), "{all:?}");
    all.remove(0)
}

#[test]
fn a_long_sequence_with_one_way_is_one_step() {
    let text = "int y; active proctype P() { atomic { do :: y < 3000 -> y++ :: y >= 3000 -> break od } }";
    assert_eq!(found(text), (3, vec![Verdict::Proved, Verdict::Proved]));
}

#[test]
fn a_sequence_that_goes_round_forever_leads_to_no_state() {
    let text = "byte n; active proctype P() { atomic { do :: n = (n + 1) % 200 od } } active proctype Q() { skip }";
    // Q's two steps, and P's sequence from each of the three states.
    assert_eq!(found(text).0, 3);
}

#[test]
fn a_sequence_that_blocks_after_a_long_way_is_a_state() {
    let text = "int y; chan c = [1] of { byte };
        active proctype P() { atomic { do :: y < 500 -> y++ :: y == 500 -> break od; c?_ } }";
    assert_eq!(found(text), (2, vec![Verdict::Proved, Verdict::Violated]));
}

#[test]
fn a_fault_after_a_long_way_and_a_fork_has_its_run() {
    let text = "int y; byte n;
        active proctype P() { atomic {
            do :: y < 500 -> y++ :: y == 500 -> break od;
            if :: n = 1 :: n = 2 fi;
            do :: y > 0 -> y-- :: y == 0 -> break od;
            assert(n == 1)
        } }";
    let outcomes = check(text, 1, Packing::Never);
    assert_eq!(outcomes[0].verdict, Verdict::Violated);
    assert_eq!(outcomes[0].stats.as_ref().map(|stats| stats.violations), Some(1));
    // The run was replayed, and ends with the assertion.
    assert!(outcomes[0].witness.as_ref().is_some_and(|witness| witness.steps.len() > 2_000));
    assert_eq!(found(text).1, [Verdict::Violated, Verdict::Proved]);
}
