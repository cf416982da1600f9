//! What counts as progress: small models with SPIN's answers (`spin -o1 -o2 -o3 -a`, `cc -DNP -DNOREDUCE`, `pan -l -A -E`).

use explore::Options;
use explore::liveness::Setting;
use explore::progress::ProgressOf;
use explore::reduction::Mode;
use model::budget::Budget;
use model::context::Context;
use model::fairness::Fairness;
use model::semantics::{Reading, Semantics};
use model::verdict::{Certificate, Outcome, Reason, Verdict};

fn check(text: &str, progress: &ProgressOf<'_>, limits: Budget) -> Outcome {
    let read = promela::read("model.pml", text, &promela::preprocess::Options::default());
    let network = read.network.unwrap_or_else(|| panic!("{:?}\n{text}", read.diagnostics));
    let semantics = Semantics::new(&network, Reading::Declared);
    let (sources, cx) = (&read.sources, Context::silent(&limits));
    Setting { semantics: &semantics, sources, fair: Fairness::None, options: &Options::reducing(Mode::Off), cx }
        .livelock(progress)
}

fn labels(text: &str) -> Outcome {
    check(text, &ProgressOf::Labels, Budget::unlimited())
}

#[test]
fn spin_says_the_same() {
    let violated = [
        "byte x; active proctype P() { do :: x = 0 od }",
        // Labels inside atomic sequences and deterministic steps are not seen.
        "byte x; active proctype P() { do :: atomic { x = 1; progress: x = 0; x = 1 } od }",
        "byte x; active proctype P() { do :: d_step { x = 1; progress: x = 0; x = 1 } od }",
        // A process at a label that moves on.
        "byte x; active proctype P() { do :: x = 0 od } active proctype Q() { progress: skip }",
        "byte x; active proctype P() { do :: x = 0 od } active proctype Q() { skip; progress: x == 1 }",
        "active proctype P() { do :: timeout od }",
        "byte x; active proctype P() { do :: atomic { x = 1; x == 0; x = 0 } od }
         active proctype Q() { do :: atomic { x == 1 -> x = 0 } od }",
    ];
    let proved = [
        // Nothing moves: no infinite run, whether the end is a valid one or not.
        "active proctype P() { skip }",
        "chan c = [1] of { byte }; active proctype P() { c?1 }",
        "chan c = [1] of { byte }; active proctype P() { end: c?1 }",
        "active proctype P() { progress: false }",
        "byte x; active proctype P() { do :: x = 0; progress: x = 1 od }",
        "byte x; active proctype P() { do :: x < 3 -> x++ :: else -> x = 0; progress: skip od }",
        "byte x; active proctype P() { do :: atomic { x = 1; x = 0; x = 1 }; progress: x = 0 od }",
        "byte x; active proctype P() { do :: x = 1; progress: d_step { x = 0; x = 1; x = 0 } od }",
        "byte x; active proctype P() { do :: x = 1; progress: atomic { x = 0; x = 1; x = 0 } od }",
        // Waiting at a label forever is progress.
        "byte x; active proctype P() { do :: x = 0 od } active proctype Q() { progress: false }",
        // Blocked inside an atomic sequence is a state, and a label there is seen.
        "byte x; active proctype P() { do :: atomic { x = 1; progress: x == 0; x = 0 } od }
         active proctype Q() { do :: atomic { x == 1 -> x = 0 } od }",
        "chan c = [0] of { byte }; active proctype P() { do :: c!1 od }
         active proctype Q() { do :: c?1; progress: skip od }",
    ];
    for text in violated {
        let outcome = labels(text);
        assert_eq!(outcome.verdict, Verdict::Violated, "{text}");
        let witness = outcome.witness.expect("a violation has a run");
        assert_eq!((witness.problem_code, outcome.certificate), ("non-progress-cycle", None), "{text}");
        assert!(witness.loop_from.is_some_and(|at| at < witness.steps.len()), "{text}");
    }
    for text in proved {
        let outcome = labels(text);
        assert_eq!(outcome.verdict, Verdict::Proved, "{text}");
        let states = outcome.stats.expect("a search counts").states;
        assert!(matches!(outcome.certificate, Some(Certificate::Explored { states: n, .. }) if n == states), "{text}");
    }
}

#[test]
fn an_atomic_sequence_that_never_ends_is_a_cycle() {
    // SPIN does not see it: states inside are none.
    let outcome = labels("byte x; active proctype P() { x = 2; atomic { do :: x = 1; x = 0 od } }");
    assert_eq!(outcome.verdict, Verdict::Violated);
    let witness = outcome.witness.expect("a violation has a run");
    assert_eq!(witness.steps.len() - witness.loop_from.expect("it loops"), 2);
    let quiet = labels("byte x; active proctype P() { atomic { do :: x = 1; progress: x = 0 od } }");
    assert_eq!(quiet.verdict, Verdict::Proved);
}

#[test]
fn the_lasso_is_short() {
    let text =
        "byte x; byte y; active proctype P() { do :: x < 200 -> x++ :: x = 0; progress: y = 1 :: x == 3 -> y = 2 od }";
    let outcome = labels(text);
    let witness = outcome.witness.expect("x == 3 can be taken forever");
    assert!(
        witness.steps.len() <= 10 && witness.loop_from <= Some(8),
        "{:?} {}",
        witness.loop_from,
        witness.steps.len()
    );
}

#[test]
fn events_are_progress_for_the_process_that_is_asked_for() {
    let text = "active [2] proctype P() { byte x; do :: x = 1 - x od }";
    let any = |_: &explore::progress::Taken<'_>| true;
    assert_eq!(check(text, &ProgressOf::Events(&any), Budget::unlimited()).verdict, Verdict::Proved);
    let first = |taken: &explore::progress::Taken<'_>| taken.process == 0;
    let outcome = check(text, &ProgressOf::Events(&first), Budget::unlimited());
    assert_eq!(outcome.verdict, Verdict::Violated);
    let witness = outcome.witness.expect("a violation has a run");
    let loop_from = witness.loop_from.expect("it loops");
    assert!(
        witness.steps[loop_from..]
            .iter()
            .all(|s| s.moves.first().is_some_and(|m| witness.lanes[m.lane].instance == Some(1)))
    );
}

#[test]
fn a_progress_event_inside_an_atomic_sequence_counts() {
    let text = "byte x; active proctype P() { do :: atomic { x = 1; x = 2; x = 0 } od }";
    let edges = |n: u32| std::collections::HashSet::from([(model::ids::MachineId(0), model::ids::EdgeId(n))]);
    for edge in 0..3 {
        let event = |taken: &explore::progress::Taken<'_>| taken.edge.0 == edge;
        assert_eq!(check(text, &ProgressOf::Events(&event), Budget::unlimited()).verdict, Verdict::Proved);
        assert_eq!(check(text, &ProgressOf::Edges(edges(edge)), Budget::unlimited()).verdict, Verdict::Proved);
    }
    assert_eq!(check(text, &ProgressOf::Edges(edges(99)), Budget::unlimited()).verdict, Verdict::Violated);
}

#[test]
fn limits_and_crashes_are_inconclusive() {
    let text = "int x; active proctype P() { do :: x++; progress: skip od }";
    let limits = Budget::unlimited().states(100);
    assert_eq!(check(text, &ProgressOf::Labels, limits).verdict, Verdict::Inconclusive(Reason::States));
    let limits = Budget::unlimited().depth(0);
    assert_eq!(check(text, &ProgressOf::Labels, limits).verdict, Verdict::Inconclusive(Reason::Depth));
    let outcome = labels("byte x; active proctype P() { x = 1 / x }");
    assert!(matches!(outcome.verdict, Verdict::Inconclusive(Reason::Crash(_))));
}

fn fairly(text: &str) -> Outcome {
    let read = promela::read("model.pml", text, &promela::preprocess::Options::default());
    let network = read.network.unwrap_or_else(|| panic!("{:?}\n{text}", read.diagnostics));
    let semantics = Semantics::new(&network, Reading::Declared);
    let (sources, cx) = (&read.sources, Context::unlimited());
    Setting { semantics: &semantics, sources, fair: Fairness::Weak, options: &Options::reducing(Mode::Auto), cx }
        .livelock(&ProgressOf::Labels)
}

/// SPIN's answers: `cc -DNP`, `pan -l -f`.
#[test]
fn a_run_that_is_not_fair_is_no_livelock_if_only_fair_ones_count() {
    let spinner = "active proctype P() { byte x; do :: x = 1 - x od }";
    let worker = "active proctype Q() { byte y; do :: y = 1; progress: y = 0 od }";
    let both = format!("{spinner} {worker}");
    assert_eq!(labels(&both).verdict, Verdict::Violated);
    let outcome = fairly(&both);
    assert_eq!(outcome.verdict, Verdict::Proved);
    assert_eq!(outcome.certificate, Some(Certificate::Searched { fair: Fairness::Weak, events: Vec::new() }));
    // Somebody who can move only now and then may be passed over.
    let waiter = "byte x; active proctype P() { do :: x = 1; x = 0 od } \
                  active proctype Q() { do :: x == 1 -> progress: skip od }";
    let outcome = fairly(waiter);
    assert_eq!(outcome.verdict, Verdict::Violated);
    let witness = outcome.witness.expect("a violation has a run");
    assert_eq!((witness.problem.as_str(), witness.problem_code), ("non-progress cycle", "non-progress-cycle"));
}

#[test]
fn an_atomic_sequence_that_never_ends_leaves_no_turn_to_others() {
    let text = "byte x; active proctype P() { atomic { do :: x = 1; x = 0 od } } \
                active proctype Q() { do :: skip; progress: skip od }";
    assert_eq!(fairly(text).verdict, Verdict::Violated);
}

#[test]
fn nobody_is_put_off_forever_where_states_are_left_out() {
    // The second process can move alone, again and again, while the first one stays at its label.
    let text = "active proctype P() { byte y; progress: skip; do :: y = 1 - y od } \
                active proctype Q() { byte z; do :: z = 1 - z od }";
    let read = promela::read("model.pml", text, &promela::preprocess::Options::default());
    let network = read.network.expect("a model");
    let semantics = Semantics::new(&network, Reading::Declared);
    let (sources, cx) = (&read.sources, Context::unlimited());
    let setting =
        Setting { semantics: &semantics, sources, fair: Fairness::None, options: &Options::reducing(Mode::On), cx };
    assert_eq!(setting.livelock(&ProgressOf::Labels).verdict, Verdict::Violated);
}
