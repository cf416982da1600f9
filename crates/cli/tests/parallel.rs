//! One search, whatever it runs on: threads, packed states and plain ones agree on random models and on all examples.
//!
//! Threads are made to help from a few states on, with tiny rounds, so that small models go through layers,
//! mail and barriers, too. Seeds are printed with every failure; `HIGHWATER_SEEDS=N` tries N models instead
//! of the usual few hundred.

use model::budget::Budget;
use model::context::Context;
use testing::models::ends;

use explore::{Options, Order, Packing};
use model::network::Network;
use model::semantics::{Reading, Semantics};
use model::source::SourceMap;
use model::verdict::{Outcome, Property, Reason, Verdict};
use std::path::{Path, PathBuf};

const MOST_STATES: u64 = 20_000;

fn options() -> Options {
    let properties = vec![Property::Safety, Property::Deadlock];
    Options { keep_going: true, properties, ..Options::default() }
}

fn few() -> Budget {
    Budget::unlimited().states(MOST_STATES)
}

fn states(outcome: &Outcome) -> u64 {
    outcome.stats.as_ref().map_or(0, |stats| stats.states)
}

/// The number of steps of a run, if it has no atomic sequence: those count as one step of the search.
fn length(outcome: &Outcome) -> Option<usize> {
    let witness = outcome.witness.as_ref()?;
    (!witness.steps.iter().any(|step| step.atomic)).then_some(witness.steps.len())
}

/// Both searched everything, and say the same.
fn agree(name: &str, one: &[Outcome], other: &[Outcome], shortest: bool) {
    assert_eq!(one.len(), other.len());
    for (one, other) in one.iter().zip(other) {
        let property = &one.property;
        assert_eq!(one.verdict, other.verdict, "{name}: {property}");
        assert_eq!(one.certificate, other.certificate, "{name}: {property}");
        assert_eq!(states(one), states(other), "{name}: {property}");
        assert_eq!(one.details.unreached, other.details.unreached, "{name}: {property}");
        let counted = |o: &Outcome| o.stats.as_ref().map(|s| (s.transitions, s.violations, s.state_bytes));
        assert_eq!(counted(one), counted(other), "{name}: {property}");
        if let (true, Some(one), Some(other)) = (shortest, length(one), length(other)) {
            assert_eq!(one, other, "{name}: {property}: runs of different lengths");
        }
    }
}

/// Compares all ways to search a model; whether it was small enough to be compared.
fn compare(name: &str, network: &Network, sources: &SourceMap, reading: Reading) -> bool {
    let semantics = Semantics::new(network, reading);
    let search = |options: &Options| explore::check(&semantics, sources, options, &Context::silent(&few()));
    let plain = search(&Options { packing: Packing::Never, ..options() });
    if states(&plain[0]) >= MOST_STATES {
        return false;
    }
    let packed = search(&Options { packing: Packing::Always, ..options() });
    agree(&format!("{name}, packed"), &plain, &packed, true);
    for (one, other) in plain.iter().zip(&packed) {
        assert_eq!(one.witness, other.witness, "{name}: packed states, another run");
    }
    for (long, room) in [(0, 0), (0, 1_000), (40, 0)] {
        let later = search(&Options { alone: 20, long, room, ..options() });
        agree(&format!("{name}, packed later"), &packed, &later, true);
    }
    for (order, packing) in
        [(Order::Depth, Packing::Never), (Order::Depth, Packing::Auto), (Order::Depth, Packing::Always)]
    {
        let depth = search(&Options { order, packing, alone: 10, long: 0, room: 0, ..options() });
        agree(&format!("{name}, depth-first, packing {packing:?}"), &plain, &depth, false);
    }
    let (auto, always, mib) = (Packing::Auto, Packing::Always, 1 << 20);
    // Without packing, packed from the first state, from the first thread on, and by and by.
    for (jobs, alone, packing, room) in [
        (2, 0, auto, mib),
        (3, 0, always, 0),
        (2, 5, always, 0),
        (3, 40, auto, 0),
        (2, 0, auto, 600),
        (3, 0, auto, 900),
    ] {
        let options = Options { jobs, alone, packing, long: 0, room, ..options() };
        let threads = search(&options);
        agree(&format!("{name}, {jobs} threads after {alone} states"), &plain, &threads, true);
        let again = search(&options);
        for (one, other) in threads.iter().zip(&again) {
            assert_eq!(one.witness, other.witness, "{name}: {jobs} threads, another run the second time");
        }
        stops_early(name, &plain, &search(&Options { keep_going: false, ..options }));
    }
    few_bits(name, &plain, &search(&Options { bitstate: Some(1 << 20), ..options() }));
    few_bits(name, &plain, &search(&Options { bitstate: Some(1), ..options() }));
    true
}

/// A search that stops at the first violation finds one exactly if there is one, and it is a shortest one.
fn stops_early(name: &str, all: &[Outcome], early: &[Outcome]) {
    let violated = |outcomes: &[Outcome]| outcomes.iter().any(|o| o.verdict == Verdict::Violated);
    assert_eq!(violated(all), violated(early), "{name}");
    for (one, other) in all.iter().zip(early).filter(|(_, early)| early.verdict == Verdict::Violated) {
        assert_eq!(one.verdict, Verdict::Violated, "{name}");
        if let (Some(one), Some(other)) = (length(one), length(other)) {
            assert_eq!(one, other, "{name}: {}: not shortest", other);
        }
    }
}

/// With a few bits per state nothing is proved, and what is violated is.
fn few_bits(name: &str, all: &[Outcome], bits: &[Outcome]) {
    for (one, bits) in all.iter().zip(bits) {
        match &bits.verdict {
            Verdict::Violated => {
                assert_eq!(one.verdict, Verdict::Violated, "{name}");
                assert!(bits.witness.is_some(), "{name}");
            }
            Verdict::Inconclusive(reason) => assert!(matches!(reason, Reason::Bitstate), "{name}: {reason:?}"),
            other => panic!("{name}: {other:?} from a few bits per state"),
        }
        assert!(bits.certificate.is_none() && states(bits) <= states(one), "{name}");
    }
}

#[test]
fn threads_packed_and_plain_states_agree_on_random_models() {
    let seeds: u64 = testing::seeds(200);
    let mut compared = 0;
    for seed in 0..seeds {
        let text = ends::model(seed);
        let read = promela::read("random.pml", &text, &promela::preprocess::Options::default());
        let network = read.network.unwrap_or_else(|| panic!("seed {seed}: {:?}\n{text}", read.diagnostics));
        let reading = [Reading::Declared, Reading::Declared, Reading::Drop, Reading::Unbounded][seed as usize % 4];
        compared += u64::from(compare(&format!("seed {seed}\n{text}"), &network, &read.sources, reading));
    }
    assert!(compared * 2 > seeds, "most models must be small enough to compare: {compared} of {seeds}");
}

/// All models below a folder.
fn models(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        match path.extension().and_then(|e| e.to_str()) {
            _ if path.is_dir() => models(&path, found),
            Some("pml") => found.push(path),
            _ => {}
        }
    }
}

#[test]
fn threads_packed_and_plain_states_agree_on_the_examples() {
    let mut found = Vec::new();
    models(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples"), &mut found);
    found.sort();
    let mut compared = 0;
    for path in &found {
        let text = std::fs::read_to_string(path).expect("an example can be read");
        let name = path.display().to_string();
        let read = promela::read(&name, &text, &promela::preprocess::Options::default());
        let Some(network) = read.network else { continue };
        compared += usize::from(compare(&name, &network, &read.sources, Reading::Declared));
    }
    assert!(compared > 5, "{compared} of {}", found.len());
}

#[test]
fn a_search_in_threads_keeps_its_limits() {
    let text = "byte x, y, z, w;
        active proctype A() { do :: x++ od }
        active proctype B() { do :: y++ od }
        active proctype C() { do :: z++ od }";
    let read = promela::read("counters.pml", text, &promela::preprocess::Options::default());
    let network = read.network.expect("a model");
    let semantics = Semantics::new(&network, Reading::Declared);
    let search = |budget: Budget| {
        let options = Options { jobs: 3, ..options() };
        explore::check(&semantics, &read.sources, &options, &Context::silent(&budget)).remove(0)
    };
    let counted = search(Budget::unlimited().states(50_000));
    assert_eq!(counted.verdict, Verdict::Inconclusive(Reason::States));
    assert!((50_000..60_000).contains(&states(&counted)), "{}", states(&counted));
    let shallow = search(Budget::unlimited().depth(80));
    assert_eq!(shallow.verdict, Verdict::Inconclusive(Reason::Depth));
    let late = search(Budget::unlimited().timeout(std::time::Duration::from_millis(300)));
    assert_eq!(late.verdict, Verdict::Inconclusive(Reason::Timeout));
    let small = search(Budget::unlimited().memory(1 << 20));
    assert_eq!(small.verdict, Verdict::Inconclusive(Reason::Memory));
    let (stopped, stop) = Budget::unlimited().linked();
    stop.cancel();
    let interrupted = search(stopped);
    assert_eq!(interrupted.verdict, Verdict::Inconclusive(Reason::Interrupted));
}
