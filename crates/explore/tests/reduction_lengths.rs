//! A search for growth that leaves out states sees every queue as long as it gets, and is finite only where the system is.
//!
//! The judge is the search of all states. `HIGHWATER_SEEDS=N` tries N models of each kind instead of a few dozen.

use crate::reduction::read;
use explore::growth::{GrowthOptions, GrowthReport, growth};
use explore::reduction::Mode;
use model::budget::Budget;
use model::context::Context;
use model::network::Network;
use model::semantics::{Reading, Semantics};
use std::collections::BTreeMap;
use testing::models::{loops, queues};

/// The reduced search stops after so many states, that of all states later: it has to see what the other one left out.
const REDUCED: u64 = 1_000;
const WHOLE: u64 = 20_000;

#[derive(Default, Debug)]
struct Tally {
    compared: u64,
    finite: u64,
    smaller: u64,
    all: u64,
    visited: u64,
}

fn searched(network: &Network, reduction: Mode, states: u64) -> GrowthReport {
    let semantics = Semantics::new(network, Reading::Unbounded);
    let options = GrowthOptions { reduction, ..GrowthOptions::default() };
    growth(&semantics, &options, &Context::silent(&Budget::unlimited().states(states)))
}

fn longest(report: &GrowthReport) -> BTreeMap<&str, u32> {
    report.longest.iter().map(|queue| (queue.channel.as_str(), queue.length)).collect()
}

fn compare(seed: u64, network: &Network, text: &str, tally: &mut Tally) {
    let reduced = searched(network, Mode::On, REDUCED);
    if !reduced.complete || reduced.crashed.is_some() {
        return;
    }
    let whole = searched(network, Mode::Off, WHOLE);
    assert!(reduced.growing.is_empty() && whole.growing.is_empty(), "seed {seed}: it is finite, and grows\n{text}");
    let (seen, all) = (longest(&reduced), longest(&whole));
    for (channel, length) in &all {
        let known = seen.get(channel).copied().unwrap_or(0);
        assert!(*length <= known, "seed {seed}: {channel} holds {length}, {known} with states left out\n{text}");
    }
    assert!(!whole.complete || seen == all, "seed {seed}: {seen:?}, {all:?}\n{text}");
    tally.compared += 1;
    tally.finite += u64::from(whole.complete);
    tally.smaller += u64::from(reduced.stats.states < whole.stats.states);
    tally.all += whole.stats.states;
    tally.visited += reduced.stats.states;
}

#[test]
fn queues_are_as_long_with_reduction_as_without() {
    let seeds = testing::seeds(60);
    let first = testing::first(0);
    let mut tally = Tally::default();
    for seed in first..first + seeds {
        if let Some((network, _, text)) = read(seed) {
            compare(seed, &network, &text, &mut tally);
        }
        for text in [loops::model(seed, false), queues::model(seed, seed % 3 == 0)] {
            let read = promela::read("random.pml", &text, &promela::preprocess::Options::default());
            if let Some(network) = read.network {
                compare(seed, &network, &text, &mut tally);
            }
        }
    }
    assert!(tally.compared * 3 > seeds && tally.finite * 2 > tally.compared, "{tally:?}");
    assert!(tally.smaller * 8 > tally.compared && tally.visited < tally.all, "{tally:?}");
}
