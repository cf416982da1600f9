//! Systems whose bounds are known (`data/known_bounds.txt`): what the flow engine proves of them is accepted, is never less
//! than the truth, and is the truth for most.

use crate::support::seconds;
use explore::growth::{GrowthOptions, growth};
use flow::Question;
use model::context::Context;
use model::network::Network;
use model::semantics::{Reading, Semantics};
use model::verdict::{Property, Reason};
use std::collections::BTreeMap;
use std::time::Instant;

/// A system, and what is true of it.
struct Known {
    name: String,
    text: String,
    /// A search does not come to an end.
    large: bool,
    /// Per channel: the most that it holds; none if it grows.
    truth: BTreeMap<String, Option<u64>>,
}

fn systems() -> Vec<Known> {
    let mut found: Vec<Known> = Vec::new();
    for line in include_str!("data/known_bounds.txt").lines() {
        match (line.strip_prefix("=== "), found.last_mut()) {
            (Some(head), _) => {
                let (name, truth) = head.split_once(" | ").unwrap();
                let (large, truth) = truth.strip_prefix("large ").map_or((false, truth), |truth| (true, truth));
                let entry = |entry: &str| {
                    let (channel, most) = entry.rsplit_once(' ').unwrap();
                    (channel.to_owned(), (most != "grows").then(|| most.parse().unwrap()))
                };
                let truth = truth.split(", ").map(entry).collect();
                found.push(Known { name: name.to_owned(), text: String::new(), large, truth });
            }
            (None, Some(system)) => system.text += &format!("{line}\n"),
            (None, None) => {}
        }
    }
    found
}

impl Known {
    fn network(&self) -> Network {
        let read = promela::read("known.pml", &self.text, &promela::preprocess::Options::default());
        read.network.unwrap_or_else(|| panic!("{}: {:?}\n{}", self.name, read.diagnostics, self.text))
    }

    fn is_bounded(&self) -> bool {
        self.truth.values().all(Option::is_some)
    }
}

#[test]
fn a_search_confirms_what_is_known() {
    let mut different = Vec::new();
    for system in systems().iter().filter(|system| !system.large) {
        let network = system.network();
        let semantics = Semantics::new(&network, Reading::Unbounded);
        let limits = seconds(60).states(if system.is_bounded() { 300_000 } else { 3_000 });
        let report = growth(&semantics, &GrowthOptions::default(), &Context::silent(&limits));
        let growing = report.channels();
        if !report.complete && system.is_bounded() {
            different.push(format!("{}: not all states were visited", system.name));
        }
        for (channel, most) in &system.truth {
            let longest = report.longest.iter().find(|q| q.channel == *channel).map_or(0, |q| u64::from(q.length));
            match most {
                Some(most) if longest != *most => different.push(format!("{}: {channel} {longest}", system.name)),
                None if !growing.contains(channel) && longest <= 20 => {
                    different.push(format!("{}: {channel} does not grow", system.name));
                }
                _ => {}
            }
        }
    }
    assert!(different.is_empty(), "{}", different.join("\n"));
}

/// What is proved of one system, where that is not all: as text. Panics where it is wrong.
fn missing(system: &Known) -> Option<String> {
    let network = system.network();
    let begin = Instant::now();
    let report = flow::check(&network, &Question::Boundedness, &Context::silent(&seconds(10)));
    let time = begin.elapsed();
    let Some(proof) = report.proof else { return Some(format!("no proof ({time:.1?})")) };
    let accepted = certify::flow::verify(&network, &Property::Boundedness, &proof, &Context::silent(&seconds(20)));
    let accepted = accepted.unwrap_or_else(|refusal| panic!("{}: refused: {refusal}\n{}", system.name, system.text));
    let mut missing = Vec::new();
    for (channel, truth) in &system.truth {
        let claimed = accepted.bounded.iter().find(|(key, _)| {
            let declared = &network.variables[key.variable as usize];
            key.instance.is_none() && declared.element_name(key.element as usize) == *channel
        });
        match (truth, claimed) {
            (None, Some(_)) => panic!("{}: {channel} is said to be bounded\n{}", system.name, system.text),
            (Some(most), Some((_, Some(bound)))) if bound < most => {
                panic!("{}: {channel} is said to hold {bound} at most, not {most}\n{}", system.name, system.text)
            }
            (Some(most), Some((_, Some(bound)))) if bound > most => {
                missing.push(format!("{channel}: {bound} for {most}"))
            }
            (Some(_), Some((_, Some(_)))) | (None, None) => {}
            (Some(_), _) => missing.push(format!("{channel}: no bound")),
        }
    }
    (!missing.is_empty()).then(|| format!("{} ({time:.1?})", missing.join(", ")))
}

/// Bounded systems whose bounds are not proved exactly yet.
const OPEN: &[&str] = &[
    "count that is copied",
    "a deterministic step that goes through 256",
    "pid reuse with the flag of the predecessor",
    "a writer that takes it back",
    "service: fan-out and fan-in",
    "service: fan-in that counts",
    "service: the first reply wins, the other is taken later",
    "service: clients created one after the other",
    "service: alternating bit that sends again on a timeout",
    "service: barrier of three with one arrival queue",
    "service: two-phase commit",
    "service: a quorum of two, the third vote is taken too",
    "service: a tree of sums",
    "service: a leader by the greatest number",
    "service: publish to two subscribers that acknowledge",
    "service: data and the end of the stream",
    "growth: a drain of higher priority",
    "flag: a turn of three",
    "flag: a mode that one process writes",
    "service: a balancer that takes turns",
];

#[test]
fn known_bounds_are_proved_and_none_is_wrong() {
    let mut different = Vec::new();
    for system in &systems() {
        let what = missing(system).filter(|_| system.is_bounded());
        if what.is_some() != OPEN.contains(&system.name.as_str()) {
            different.push(format!("{}: {}", system.name, what.unwrap_or_else(|| String::from("proved"))));
        }
    }
    assert!(different.is_empty(), "{}", different.join("\n"));
}

#[test]
fn bounds_near_a_large_process_are_exact() {
    let init = "init { int i; do :: i < N -> run P(i); i++ :: else -> break od }";
    let barrier = "chan go[N] = [1] of { bit }; chan here[N] = [1] of { bit };
        proctype P(int id) { do :: here[id]!1; go[id]?1 od }
        active proctype M() { int i; do :: for (i : 0 .. N - 1) { here[i]?1 }; for (i : 0 .. N - 1) { go[i]!1 } od }";
    let replies = "chan ask = [1] of { int }; chan reply[N] = [1] of { bit };
        proctype P(int id) { do :: ask!id; reply[id]?1 od }
        active proctype S() { int who; do :: ask?who -> reply[who]!1 od }";
    let each = |name: &'static str, n: u64| (0..n).map(move |i| (format!("{name}[{i}]"), Some(1)));
    let answers = each("reply", 30).chain([(String::from("ask"), Some(30))]);
    for (name, text, n, truth) in [
        ("barrier", barrier, 100, each("go", 100).chain(each("here", 100)).collect()),
        ("replies", replies, 30, answers.collect()),
    ] {
        let text = format!("#define N {n}\n{text}\n{init}");
        let system = Known { name: name.to_owned(), text, large: true, truth };
        assert_eq!(missing(&system), None, "{name}");
    }
}

/// Each stage sends two messages for one: the last channel of `n` stages holds `2^n`.
fn doubling_chain(n: usize) -> Network {
    let text = format!(
        "#define N {n}\nchan c[N + 1] = [1] of {{ bit }};\n\
         proctype stage(byte i) {{ do :: c[i]?1 -> c[i + 1]!1; c[i + 1]!1 od }}\n\
         init {{ byte i; c[0]!1; do :: i < N -> run stage(i); i++ :: else -> break od }}\n"
    );
    promela::read("doubling.pml", &text, &promela::preprocess::Options::default()).network.expect("a model")
}

#[test]
fn numbers_that_become_too_large_are_the_reason() {
    let asked = |n: usize| flow::check(&doubling_chain(n), &Question::Boundedness, &Context::silent(&seconds(60)));
    let last = |n: usize| asked(n).queues.last().and_then(|queue| queue.at_most);
    assert_eq!((last(8), last(40)), (Some(1 << 8), Some(1 << 40)));
    for n in [64, 100] {
        let report = asked(n);
        assert!(matches!(report.reason, Some(Reason::Numbers(_))) && !report.complete, "{n}: {:?}", report.reason);
    }
}
