//! The search against its naive twin, and against itself in another order, on random models.
//!
//! The twin is the checker of certificates: a plain set of states, a plain list of work. Seeds are
//! printed with every failure; `HIGHWATER_SEEDS=N` tries N models instead of the usual few hundred.

use model::budget::Budget;
use model::context::Context;
use testing::models::ends;

use explore::{Options, Order};
use model::semantics::{Reading, Semantics};
use model::source::SourceMap;
use model::verdict::{Certificate, Outcome, Property, Verdict};

const MOST_STATES: u64 = 20_000;

fn search(semantics: &Semantics<'_>, sources: &SourceMap, order: Order) -> Vec<Outcome> {
    let limits = Budget::unlimited().states(MOST_STATES);
    let properties = vec![Property::Safety, Property::Deadlock];
    explore::check(
        semantics,
        sources,
        &Options { order, keep_going: true, properties, ..Options::default() },
        &Context::silent(&limits),
    )
}

/// Checks one model; returns whether it was small enough to be compared.
fn compare(seed: u64, reading: Reading) -> bool {
    let text = ends::model(seed);
    let read = promela::read("random.pml", &text, &promela::preprocess::Options::default());
    let network = read.network.unwrap_or_else(|| panic!("seed {seed}: {:?}\n{text}", read.diagnostics));
    let semantics = Semantics::new(&network, reading);
    let breadth = search(&semantics, &read.sources, Order::Breadth);
    if breadth[0].stats.as_ref().is_none_or(|s| s.states >= MOST_STATES) {
        return false;
    }
    let depth = search(&semantics, &read.sources, Order::Depth);
    for (one, other) in breadth.iter().zip(&depth) {
        assert_eq!(one.verdict, other.verdict, "seed {seed}: orders disagree on {}\n{text}", one.property);
        assert_eq!(one.certificate, other.certificate, "seed {seed}: {}\n{text}", one.property);
        let states = |o: &Outcome| o.stats.as_ref().map(|s| s.states);
        assert_eq!(states(one), states(other), "seed {seed}: orders disagree on states\n{text}");
        // An atomic sequence counts as one step however long it is, so only runs without any are compared.
        if let (Some(nearest), Some(other)) = (&one.witness, &other.witness)
            && !nearest.steps.iter().chain(&other.steps).any(|step| step.atomic)
        {
            let (nearest, other) = (nearest.steps.len(), other.steps.len());
            assert!(nearest <= other, "seed {seed}: a breadth-first run is not shortest\n{text}");
        }
        assert_eq!(one.witness.is_some(), one.verdict == Verdict::Violated, "seed {seed}: no run\n{text}");
        twin(seed, &semantics, one, &text);
    }
    true
}

/// The naive twin says the same.
fn twin(seed: u64, semantics: &Semantics<'_>, outcome: &Outcome, text: &str) {
    let stats = outcome.stats.as_ref().expect("a search counts");
    let claimed = outcome.certificate.clone();
    let certificate = claimed.unwrap_or(Certificate::Explored {
        states: stats.states,
        digest: 0,
        longest: Vec::new(),
        events: Vec::new(),
    });
    let answer = certify::verify(semantics, &outcome.property, &certificate, &Context::unlimited());
    match outcome.verdict {
        Verdict::Proved => assert_eq!(answer, Ok(()), "seed {seed}: {}\n{text}", outcome.property),
        _ => assert!(
            matches!(answer, Err(certify::Refusal::Violated(_))),
            "seed {seed}: the twin does not see the violation of {}: {answer:?}\n{text}",
            outcome.property
        ),
    }
}

#[test]
fn search_orders_and_the_naive_twin_agree_on_random_models() {
    let seeds = testing::seeds(400);
    let compared = (0..seeds).filter(|&seed| compare(seed, Reading::Declared)).count() as u64;
    assert!(compared * 2 > seeds, "most models must be small enough to compare: {compared} of {seeds}");
}

#[test]
fn the_other_readings_agree_with_the_twin_too() {
    let drop = (1000..1100).filter(|&seed| compare(seed, Reading::Drop)).count();
    let unbounded = (2000..2100).filter(|&seed| compare(seed, Reading::Unbounded)).count();
    assert!(drop > 50 && unbounded > 30, "{drop} {unbounded}");
}
