//! Several processes say what one says: verdicts, numbers of states and transitions, digests, lengths of runs.
//!
//! Seeds are printed with every failure; `HIGHWATER_SEEDS=N` tries N models.

use crate::{Case, options};
use explore::reduction::Mode;
use explore::{Options, Packing};
use model::budget::Budget;
use model::semantics::Reading;
use model::verdict::{Outcome, Property, Reason, Verdict};
use testing::models::{ends, loops};

const MOST_STATES: u64 = 5_000;

pub(crate) fn states(outcome: &Outcome) -> u64 {
    outcome.stats.as_ref().map_or(0, |stats| stats.states)
}

/// The number of steps of a run, if it has no atomic sequence: those count as one step of the search.
fn length(outcome: &Outcome) -> Option<usize> {
    let witness = outcome.witness.as_ref()?;
    (!witness.steps.iter().any(|step| step.atomic)).then_some(witness.steps.len())
}

/// Both searched everything, and say the same.
pub(crate) fn agree(name: &str, one: &[Outcome], other: &[Outcome]) {
    assert_eq!(one.len(), other.len());
    for (one, other) in one.iter().zip(other) {
        let property = &one.property;
        assert_eq!(one.verdict, other.verdict, "{name}: {property}");
        assert_eq!(one.certificate, other.certificate, "{name}: {property}");
        assert_eq!(one.details.unreached, other.details.unreached, "{name}: {property}");
        assert_eq!(one.details.failures, other.details.failures, "{name}: {property}");
        let counted =
            |o: &Outcome| o.stats.as_ref().map(|s| (s.states, s.transitions, s.depth, s.violations, s.state_bytes));
        assert_eq!(counted(one), counted(other), "{name}: {property}");
        if let (Some(one), Some(other)) = (length(one), length(other)) {
            assert_eq!(one, other, "{name}: {property}: runs of different lengths");
        }
    }
}

/// A search that stops at the first violation finds one exactly if there is one, and it is a shortest one.
fn stops_early(name: &str, all: &[Outcome], early: &[Outcome]) {
    let violated = |outcomes: &[Outcome]| outcomes.iter().any(|o| o.verdict == Verdict::Violated);
    assert_eq!(violated(all), violated(early), "{name}");
    for (one, other) in all.iter().zip(early).filter(|(_, early)| early.verdict == Verdict::Violated) {
        assert_eq!(one.verdict, Verdict::Violated, "{name}");
        if let (Some(one), Some(other)) = (length(one), length(other)) {
            assert_eq!(one, other, "{name}: not shortest");
        }
    }
}

/// Whether the model was small enough to be compared.
fn compare(case: &Case, seed: u64) -> bool {
    let few = Budget::unlimited().states(MOST_STATES);
    let alone = case.alone(&options(), &few);
    if states(&alone[0]) >= MOST_STATES {
        return false;
    }
    let count = 2 + seed as usize % 3;
    let packing = [Packing::Auto, Packing::Always][seed as usize / 3 % 2];
    // States are packed soon.
    let options = Options { packing, alone: 10, long: 0, room: 500, ..options() };
    for found in case.together(count, &options, &few) {
        agree(&format!("{count} processes: {}", case.name), &alone, &found);
    }
    let early = Options { keep_going: false, ..options.clone() };
    let found = case.together(2, &early, &few);
    stops_early(&case.name, &alone, &found[0]);
    agree(&case.name, &found[0], &found[1]);
    let reduced = Options { reduction: Mode::On, ..options };
    // A transition of the reduced system may be several steps, so runs are not shortest.
    let without_runs = |found: Vec<Outcome>| -> Vec<Outcome> {
        found.into_iter().map(|outcome| Outcome { witness: None, ..outcome }).collect()
    };
    let alone = without_runs(case.alone(&reduced, &few));
    for found in case.together(2, &reduced, &few) {
        agree(&format!("reduced: {}", case.name), &alone, &without_runs(found));
    }
    true
}

#[test]
fn several_processes_say_what_one_says() {
    let seeds = testing::seeds(60);
    let mut compared = 0;
    for seed in testing::first(0)..testing::first(0) + seeds {
        let text = if seed % 2 == 0 { ends::model(seed) } else { loops::model(seed, seed % 4 == 1) };
        let reading = [Reading::Declared, Reading::Declared, Reading::Drop, Reading::Unbounded][seed as usize / 2 % 4];
        compared += u64::from(compare(&Case::new(&format!("seed {seed}"), &text, reading), seed));
    }
    assert!(compared * 2 > seeds, "most models must be small enough to compare: {compared} of {seeds}");
}

/// Processes that create processes: each process of the cluster meets the shapes of states in another order.
#[test]
fn shapes_are_translated() {
    let text = "byte n; chan c = [2] of { byte };
        proctype A(byte k) { byte i; do :: i < 3 -> i++; c!k :: break od; n++ }
        proctype B() { byte x; do :: c?x :: n > 1 -> break od; assert(x < 4) }
        init { atomic { if :: run A(1); run B() :: run B(); run A(2); run A(4) :: run A(3); run A(1); run B() fi } }";
    let case = Case::new("creation", text, Reading::Declared);
    let budget = Budget::unlimited();
    let alone = case.alone(&options(), &budget);
    assert_eq!(alone[0].verdict, Verdict::Violated);
    for count in [2, 3, 5] {
        for found in case.together(count, &options(), &budget) {
            agree(&format!("{count} processes"), &alone, &found);
        }
    }
}

#[test]
fn limits_stop_all_processes() {
    let text = "byte x, y, z; active proctype P() { do :: x++ od } active proctype Q() { do :: y++ od } \
                active proctype R() { do :: z++ od }";
    let case = Case::new("large", text, Reading::Declared);
    let cases = [
        (Budget::unlimited().states(1_000), Reason::States),
        (Budget::unlimited().depth(5), Reason::Depth),
        (Budget::unlimited().timeout(std::time::Duration::from_millis(300)), Reason::Timeout),
    ];
    for (budget, reason) in cases {
        for found in case.together(2, &options(), &budget) {
            assert!(found.iter().all(|o| o.verdict == Verdict::Inconclusive(reason.clone())), "{reason:?}: {found:?}");
        }
    }
}

#[test]
fn a_first_state_that_cannot_be_made_is_found_by_every_process() {
    let case = Case::new("fault", "byte a[2]; byte x = 1 / (a[0]); active proctype P() { x = 0 }", Reading::Declared);
    let options = Options { properties: vec![Property::Safety], ..options() };
    let alone = case.alone(&options, &Budget::unlimited());
    for found in case.together(2, &options, &Budget::unlimited()) {
        assert_eq!(alone[0].verdict, found[0].verdict);
    }
}
