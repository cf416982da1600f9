//! The models of the book's chapter "Differences from SPIN" whose numbers or verdicts are not SPIN's.

use explore::liveness::Setting;
use explore::progress::ProgressOf;
use explore::reduction::Mode;
use explore::{Options, Order};
use model::context::Context;
use model::fairness::Fairness;
use model::network::Network;
use model::semantics::{Reading, Semantics};
use model::source::SourceMap;
use model::verdict::{Property, Verdict};

const BOOK: &str = include_str!("../../../docs/src/differences.md");

/// The model under a heading of the chapter.
fn model(heading: &str) -> (Network, SourceMap) {
    let section = BOOK.split("\n### ").find(|s| s.starts_with(&format!("{heading}\n"))).expect(heading);
    let text = section.split("```promela\n").nth(1).and_then(|s| s.split("```").next()).expect(heading);
    let read = promela::read("model.pml", text, &promela::preprocess::Options::default());
    (read.network.unwrap_or_else(|| panic!("{heading} is read: {:?}", read.diagnostics)), read.sources)
}

/// The number of states, and whether there is an error.
fn searched(heading: &str) -> (u64, bool) {
    let (network, sources) = model(heading);
    let semantics = Semantics::new(&network, Reading::Declared);
    let properties = vec![Property::Safety, Property::Deadlock];
    let options = Options { order: Order::Breadth, keep_going: true, properties, ..Options::default() };
    let outcomes = explore::check(&semantics, &sources, &options, &Context::unlimited());
    let violated = outcomes.iter().any(|o| o.verdict == Verdict::Violated);
    (outcomes[0].stats.as_ref().map_or(0, |s| s.states), violated)
}

#[test]
fn what_spin_refuses_has_the_states_that_it_means() {
    assert_eq!(searched("A symbolic variable as an argument"), (5, false));
    assert_eq!(searched("A jump to a `d_step`"), (4, false));
    assert_eq!(searched("`unsigned` fields of a typedef in messages"), (7, false));
    assert_eq!(searched("Label references inside `d_step`"), (10, false));
    assert_eq!(searched("Priorities and rendezvous"), (4, false));
}

#[test]
fn values_are_truncated_wherever_they_are_stored() {
    // SPIN: an assertion is violated.
    assert_eq!(searched("Bits in arrays and messages"), (4, false));
    // SPIN: an invalid end state.
    assert_eq!(searched("Sorted sends of values that do not fit"), (6, false));
}

#[test]
fn a_receive_that_changes_its_own_index_is_one_assignment_after_the_other() {
    // SPIN has more.
    assert_eq!(searched("Receives that SPIN's verifier cannot undo"), (26, false));
}

#[test]
fn states_differ_in_values_and_escapes_in_what_can_be_executed() {
    // SPIN has 9, and 8 with -DBFS.
    assert_eq!(searched("The death of a process with arrays of channels"), (8, false));
    // SPIN has 5.
    assert_eq!(searched("A rendezvous in an escape that finds no partner"), (3, false));
}

#[test]
fn a_rendezvous_is_one_step_and_a_poll_one_value() {
    // SPIN: an invalid end state.
    assert_eq!(searched("Comparisons in the middle of a rendezvous"), (4, false));
    // SPIN: an assertion is violated.
    assert_eq!(searched("A poll in an expression"), (4, false));
}

#[test]
fn a_priority_for_a_process_that_does_not_exist_changes_nothing() {
    // SPIN has 5.
    assert_eq!(searched("A priority for a process that does not exist"), (7, false));
}

#[test]
fn a_circle_of_questions_is_an_error() {
    // SPIN: a crash.
    assert!(searched("Processes that ask for each other").1);
}

#[test]
fn an_escape_does_not_hold_back_a_jump_out_of_an_atomic_sequence() {
    // SPIN: an invalid end state.
    assert_eq!(searched("A jump out of an atomic sequence under an escape"), (4, false));
}

#[test]
fn a_priority_is_part_of_the_state() {
    // SPIN has 9, and 11 with -DNOCOMP.
    assert_eq!(searched("Priorities that change"), (11, false));
}

/// The verdict on infinite runs.
fn infinite(heading: &str, fair: Fairness, ask: impl Fn(&Setting<'_>, &Network) -> Verdict) -> Verdict {
    let (network, sources) = model(heading);
    let semantics = Semantics::new(&network, Reading::Declared);
    let (cx, reduction) = (Context::unlimited(), Mode::Off);
    let setting =
        Setting { semantics: &semantics, sources: &sources, fair, options: &Options::reducing(reduction), cx };
    ask(&setting, &network)
}

#[test]
fn a_property_changes_nothing_in_the_model() {
    // SPIN: violated.
    let verdict = infinite("The number of processes beside a claim", Fairness::None, |setting, network| {
        setting.formula(&Property::Ltl(String::from("p")), &network.formulas[0].formula).verdict
    });
    assert_eq!(verdict, Verdict::Proved);
}

#[test]
fn no_process_is_at_a_progress_label_when_all_have_terminated() {
    // SPIN: no violation.
    let verdict = infinite("`np_` after the end of a run", Fairness::None, |setting, network| {
        setting.never(&network.claims[0]).verdict
    });
    assert_eq!(verdict, Verdict::Violated);
}

#[test]
fn both_processes_of_a_rendezvous_are_enabled() {
    // SPIN: a non-progress cycle, also with -f.
    let ask = |setting: &Setting<'_>, _: &Network| setting.livelock(&ProgressOf::Labels).verdict;
    assert_eq!(infinite("Fairness and rendezvous", Fairness::Weak, ask), Verdict::Proved);
    assert_eq!(infinite("Fairness and rendezvous", Fairness::None, ask), Verdict::Violated);
}
