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
use testing::Random;
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

/// Processes with a channel from each to some other one, or from several: what is sent and taken where the order of both is free.
fn channels(seed: u64) -> String {
    let mut random = Random::new(seed);
    let processes = 2 + random.below(3);
    let mut bodies = vec![Vec::new(); processes];
    let mut text = String::from("chan c[4] = [1] of { byte }; byte x, z, w[2];\n");
    for channel in 0..2 + random.below(3) {
        let taker = random.below(processes);
        for _ in 0..1 + random.below(4) {
            let from = random.below(processes);
            bodies[from].push(format!("c[{channel}]!{}", random.below(2)));
            let take = ["?_", "?_", "?1", "??1"][random.below(4)];
            bodies[taker].push(format!("c[{channel}]{take}"));
        }
    }
    for (number, mut body) in bodies.into_iter().enumerate() {
        let more = [
            "skip",
            "x = 1",
            "x == 1",
            "nempty(c[0])",
            "atomic { c[1]!1; c[1]?_ }",
            "c[0]!1; c[0]?_",
            "z = z + 1",
            "w[x] = w[x] + x; z = x",
            "c[2]!z; c[2]?z",
            "d_step { w[1] = z; c[0]!1 }; c[0]?_",
        ];
        body.push(more[random.below(more.len())].to_owned());
        for at in (1..body.len()).rev() {
            body.swap(at, random.below(at + 1));
        }
        let body = match random.below(4) {
            0 => format!("do :: {} od", body.join("; ")),
            1 => format!("do :: {} :: {} :: break od", body.join("; "), body[0]),
            2 => {
                format!("if :: {} :: {} fi", body.join("; "), body.iter().rev().cloned().collect::<Vec<_>>().join("; "))
            }
            _ => body.join("; "),
        };
        text += &format!("active proctype P{number}() {{ {body} }}\n");
    }
    text
}

#[test]
fn a_message_is_not_taken_before_another_one_is_sent() {
    let text = "chan q = [1] of { byte };
active proctype R() { q?_; q?_; q?_ }
active proctype S() { q!1; q!1; q!1 }";
    let network = promela::read("three.pml", text, &promela::preprocess::Options::default()).network.expect("a model");
    let (whole, reduced) = (searched(&network, Mode::Off, WHOLE), searched(&network, Mode::On, WHOLE));
    assert_eq!((longest(&whole)["q"], longest(&reduced)["q"]), (3, 3));
    assert!(reduced.complete && reduced.stats.states < whole.stats.states);
    let text = "chan q = [1] of { byte };
active proctype R() { do :: q?_ od }
active proctype S() { do :: q!1 od }";
    let network = promela::read("ever.pml", text, &promela::preprocess::Options::default()).network.expect("a model");
    let reduced = searched(&network, Mode::On, WHOLE);
    assert!(!reduced.complete && reduced.channels().contains("q"));
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
        for text in [channels(seed), loops::model(seed, false), queues::model(seed, seed % 3 == 0)] {
            let read = promela::read("random.pml", &text, &promela::preprocess::Options::default());
            if let Some(network) = read.network {
                compare(seed, &network, &text, &mut tally);
            }
        }
    }
    assert!(tally.compared * 3 > seeds && tally.finite * 2 > tally.compared, "{tally:?}");
    assert!(tally.smaller * 8 > tally.compared && tally.visited < tally.all, "{tally:?}");
}
