//! Persistent sets keep every state in which nothing moves, and every endless run.
//!
//! The judge is the search of all states. `HIGHWATER_SEEDS=N` tries N models of each kind instead of a few hundred.

use explore::Options;
use explore::expansion::Expander;
use explore::growth::{Ending, GrowthOptions, ending, growth};
use explore::reduction::{Labels, Mode, trimmed};
use explore::search::search;
use model::budget::Budget;
use model::context::Context;
use model::ids::{LocationId, MachineId};
use model::network::Network;
use model::semantics::{Reading, Semantics};
use model::verdict::{Property, Reason};
use std::collections::{BTreeMap, BTreeSet};
use testing::Random;
use testing::models::{ends, loops, meetings, queues};

const MOST: usize = 3_000;

fn read(text: &str) -> Option<Network> {
    promela::read("random.pml", text, &promela::preprocess::Options::default()).network
}

/// States, and the successors of each by number.
type Graph = (Vec<Vec<u8>>, Vec<Vec<usize>>);

/// All states, and the successors of each by number; `None` if there are too many, a run fails, or an atomic sequence does not end.
fn searched<'s>(semantics: &'s Semantics<'s>, mut expander: Expander<'s>) -> Option<Graph> {
    let first = semantics.stepper().initial().ok()?.ok()?;
    let mut known: BTreeMap<Vec<u8>, usize> = BTreeMap::from([(first.clone(), 0)]);
    let (mut states, mut edges) = (vec![first], Vec::new());
    while edges.len() < states.len() {
        let (state, mut next, transitions) = (states[edges.len()].clone(), Vec::new(), expander.transitions);
        expander.expand(&state, &mut |s: &[u8]| next.push(s.to_vec()), &mut || Some(Reason::Interrupted)).ok()?;
        let endless = next.is_empty() && expander.transitions > transitions;
        if expander.crashed.is_some() || states.len() > MOST || endless {
            return None;
        }
        let number = |s: Vec<u8>| {
            *known.entry(s.clone()).or_insert_with(|| {
                states.push(s);
                states.len() - 1
            })
        };
        edges.push(next.into_iter().map(number).collect());
    }
    Some((states, edges))
}

/// The states in which nothing moves.
fn last(states: &[Vec<u8>], edges: &[Vec<usize>]) -> BTreeSet<Vec<u8>> {
    states.iter().zip(edges).filter(|(_, next)| next.is_empty()).map(|(state, _)| state.clone()).collect()
}

/// Where the processes are in these states.
fn places(semantics: &Semantics<'_>, states: &BTreeSet<Vec<u8>>) -> BTreeSet<Vec<(MachineId, LocationId)>> {
    let mut stepper = semantics.stepper();
    let mut of = |state: &Vec<u8>| {
        stepper.load(state);
        (0..stepper.loaded_processes()).map(|process| stepper.loaded_place(process)).collect()
    };
    states.iter().map(&mut of).collect()
}

/// Whether there is a cycle: states without successors are taken away for as long as there are some.
fn is_cyclic(edges: &[Vec<usize>]) -> bool {
    let mut gone = vec![false; edges.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for state in (0..edges.len()).rev() {
            if !gone[state] && edges[state].iter().all(|&next| gone[next]) {
                (gone[state], changed) = (true, true);
            }
        }
    }
    !gone.iter().all(|gone| *gone)
}

/// Whether an assertion fails, and whether there is a deadlock.
fn verdicts(semantics: &Semantics<'_>, reduction: Mode) -> Option<[bool; 2]> {
    let properties = vec![Property::Safety, Property::Deadlock];
    let options = Options { properties: properties.clone(), reduction, keep_going: true, ..Options::default() };
    let found = search(semantics, &options, &Context::silent(&Budget::unlimited().states(40_000)));
    let violated = |index: usize| found.violations.iter().any(|violation| violation.property == properties[index]);
    found.stopped.is_none().then(|| [violated(0), violated(1)])
}

#[derive(Default, Debug)]
struct Tally {
    compared: usize,
    ended: usize,
    smaller: usize,
    all: usize,
    visited: usize,
}

fn compare(text: &str, tally: &mut Tally) {
    let Some(network) = read(text) else { return };
    let plain = Semantics::new(&network, Reading::Unbounded);
    let Some(semantics) = trimmed(&plain, &[], Labels::None) else { return };
    let Some((all, edges)) = searched(&semantics, Expander::new(&semantics)) else { return };
    let alone = Expander::of(&semantics, &Options::reducing(Mode::On));
    if let Some((some, fewer)) = searched(&semantics, alone) {
        assert_eq!(last(&all, &edges), last(&some, &fewer), "states in which nothing moves\n{text}");
    }
    if let Some((whole, edges_of_whole)) = searched(&plain, Expander::new(&plain)) {
        let (before, after) = (last(&whole, &edges_of_whole), last(&all, &edges));
        assert_eq!(places(&plain, &before), places(&semantics, &after), "where nothing moves\n{text}");
    }
    let (whole, reduced) = (verdicts(&plain, Mode::Off), verdicts(&plain, Mode::On));
    assert!(whole.is_none() || whole == reduced, "assertions and deadlocks: {whole:?}, {reduced:?}\n{text}");
    let ended = ending(&semantics, &Context::unlimited(), 10_000);
    let Some((some, fewer)) = searched(&semantics, Expander::new(&semantics).persistent()) else {
        return assert_eq!(ended, Ending::Unknown, "{text}");
    };
    assert_eq!(last(&all, &edges), last(&some, &fewer), "states in which nothing moves\n{text}");
    assert_eq!(is_cyclic(&edges), is_cyclic(&fewer), "endless runs\n{text}");
    assert_eq!(matches!(ended, Ending::Ends(_)), !is_cyclic(&edges), "{ended:?}\n{text}");
    tally.compared += 1;
    tally.ended += usize::from(matches!(ended, Ending::Ends(_)));
    tally.smaller += usize::from(some.len() < all.len());
    tally.all += all.len();
    tally.visited += some.len();
}

/// Processes that wait for each other in every way: at a rendezvous, for a kind of message, for a flag; over channels that variables
/// name, in loops that end.
fn partners(seed: u64) -> String {
    let mut random = Random::new(seed);
    let count = 3 + random.below(3);
    let mut text = String::from(
        "mtype = { a, b, d };\nchan r[3] = [0] of { mtype, byte };\nchan q[3] = [1] of { mtype, byte };\nbyte x, y;\n",
    );
    for number in 0..count {
        let mut body = Vec::new();
        for _ in 0..2 + random.below(4) {
            let kind = ["a", "b", "d", "m"][random.below(4)];
            let channel = ["0", "1", "2", "i"][random.below(4)];
            let statement = match random.below(16) {
                0..=2 => format!("r[{channel}]!{kind}, i"),
                3..=5 => format!("r[{channel}]?{kind}, i"),
                6 | 7 => format!("q[{channel}]!{kind}, i"),
                8 | 9 => format!("q[{channel}]?{kind}, i"),
                10 => format!("if :: r[{channel}]?{kind}, i :: q[{channel}]?{kind}, i fi"),
                11 => format!("if :: q[{channel}]?{kind}, i -> x = 1 :: timeout -> y = 1 fi"),
                12 => format!("if :: q[{channel}]?[{kind}, 1] -> y = 1 :: x == 1 -> q[0]!a, 1 :: else -> i = 1 fi"),
                13 => format!("atomic {{ r[{channel}]!{kind}, 1; x = 1; q[1]!b, 2 }}"),
                14 => String::from("if :: i < 2 -> i++; m = a :: i > 0 -> i = 0; m = b fi"),
                _ => ["x = 1", "x == 1", "y = x", "i = 1", "d_step { x == 0 -> x = 1; q[2]!a, 0 }"][random.below(5)]
                    .to_owned(),
            };
            body.push(statement);
        }
        let body = match random.below(4) {
            0 => format!("byte n; do :: n < 2 -> n++; {} :: break od", body.join("; ")),
            1 => format!("if :: {} :: {} fi", body.join("; "), body[body.len() - 1]),
            _ => body.join("; "),
        };
        text += &format!("active proctype P{number}() {{ byte i; mtype m = a; {body} }}\n");
    }
    text
}

#[test]
fn what_is_left_ends_where_the_system_does() {
    let seeds = testing::seeds(250);
    let first = testing::first(0);
    let mut tally = Tally::default();
    for seed in first..first + seeds {
        let meetings = meetings::model(&mut Random::new(seed));
        let (queues, loops) = (queues::model(seed, seed % 4 == 0), loops::model(seed, false));
        for text in [partners(seed), meetings, ends::model(seed), loops, queues] {
            compare(&text, &mut tally);
        }
    }
    assert!(tally.compared as u64 > seeds && tally.ended * 4 > tally.compared, "{tally:?}");
    assert!(tally.smaller * 4 > tally.compared && tally.visited * 5 < tally.all * 4, "{tally:?}");
}

/// Where a bolder set is wrong: states in which nothing moves that it does not come to.
#[test]
fn what_others_wait_for_is_in_the_way() {
    for text in [
        // The sequence is interrupted before the message comes.
        "byte x, y; chan c = [1] of { byte }; active proctype P() { c!0 }
         active proctype Q() { atomic { x = 1; c?0; x = 2 } } active proctype R() { x == 1; y = 1 }",
        // The `else` is taken before the message comes.
        "byte x; chan c = [1] of { byte }; active proctype P() { c!0 }
         active proctype Q() { if :: c?0 :: else -> x = 1 fi }",
        // The message is of the kind that one waits for, as it is stored.
        "byte x; chan c = [1] of { byte }; active proctype P() { if :: c?1 :: x == 1 fi }
         active proctype Q() { c!257 } active proctype R() { x = 1 }",
        // A deterministic step names its channel after it has written the index.
        "byte x; chan c[2] = [1] of { byte }; active proctype P() { byte i; d_step { i = 1; c[i]!0 } }
         active proctype Q() { if :: empty(c[1]) -> x = 1 :: nempty(c[1]) -> x = 2 fi }",
        // A process goes round once more after it has written the index.
        "byte x; chan c[2] = [1] of { byte }; active proctype P() { byte i; do :: i < 2 -> c[i]!0; i++ :: i == 2 -> break od }
         active proctype Q() { if :: empty(c[1]) -> x = 1 :: nempty(c[1]) -> x = 2 fi }",
    ] {
        let mut tally = Tally::default();
        compare(text, &mut tally);
        assert_eq!(tally.compared, 1, "{text}");
    }
}

/// Servers that wait do not keep others from moving alone, and a run that ends is told from one that grows.
#[test]
fn all_runs_end_although_there_are_many_states() {
    let text = "chan q[4] = [1] of { byte }; chan r[4] = [0] of { byte };
        proctype Server(byte me) { byte x; do :: q[me]?x -> r[me]!x od }
        proctype Client(byte me) { byte n; do :: n < 6 -> n++; q[me]!n; r[me]?_ :: n == 6 -> break od }
        init { atomic { byte i; for (i : 0 .. 3) { run Server(i); run Client(i) } } }";
    let network = read(text).expect("a model");
    let plain = Semantics::new(&network, Reading::Unbounded);
    let semantics = trimmed(&plain, &[], Labels::None).expect("a model without priorities");
    let Ending::Ends(states) = ending(&semantics, &Context::unlimited(), 10_000) else { panic!("it ends") };
    assert!(states < 200, "{states}");
    let options = GrowthOptions { stop_at_first: true, reduction: Mode::On, ..GrowthOptions::default() };
    let report = growth(&plain, &options, &Context::silent(&Budget::unlimited().states(10)));
    assert!(report.ends && !report.complete);
    let endless = read(&text.replace("n < 6 -> n++;", "true ->")).expect("a model");
    let plain = Semantics::new(&endless, Reading::Unbounded);
    let semantics = trimmed(&plain, &[], Labels::None).expect("a model without priorities");
    assert_eq!(ending(&semantics, &Context::unlimited(), 10_000), Ending::Unknown);
}
