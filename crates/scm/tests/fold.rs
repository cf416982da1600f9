//! Promela models with finite data as communicating machines.
//!
//! That the machines do what the processes do is shown in both directions: what the network reaches in a number of
//! steps is as much as what the machines reach, and every run of the machines is replayed on the network.

use crate::common;

use crate::common::{Found, Random, search, valid};
use model::fault::Fault;
use model::network::Network;
use model::semantics::{Reading, Semantics, Step};
use model::source::SourceMap;
use model::trace::Narrator;
use promela::preprocess::Options;
use scm::fold::{Folded, Limits, fold};
use scm::{Model, Specification, print};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

fn promela(text: &str) -> Network {
    let read = promela::read("model.pml", text, &Options::default());
    let errors: Vec<&String> = read.diagnostics.iter().filter(|d| d.is_error()).map(|d| &d.message).collect();
    read.network.unwrap_or_else(|| panic!("{errors:?}"))
}

fn folded(network: &Network) -> Folded {
    fold(network, &Limits::default()).unwrap_or_else(|reason| panic!("{reason}"))
}

/// How many states there are after so many steps, step by step.
fn layers(network: &Network, depth: usize) -> Vec<usize> {
    let semantics = Semantics::new(network, Reading::Unbounded);
    let mut stepper = semantics.stepper();
    let first = stepper.initial().unwrap().unwrap();
    let mut seen = HashSet::from([first.clone()]);
    let mut layer = vec![first];
    let mut sizes = Vec::new();
    for _ in 0..depth {
        let mut next = Vec::new();
        for state in &layer {
            stepper
                .expand(state, None, &mut |successor| {
                    let state = successor.state.unwrap().to_vec();
                    if seen.insert(state.clone()) {
                        next.push(state);
                    }
                })
                .unwrap();
        }
        sizes.push(next.len());
        layer = next;
    }
    sizes
}

/// Random runs of the machines, replayed on the network; how many steps were taken in all.
fn replay(network: &Network, folded: &Folded, seeds: u64) -> usize {
    let (semantics, original) =
        (Semantics::new(&folded.network, Reading::Unbounded), Semantics::new(network, Reading::Unbounded));
    let sources = SourceMap::new();
    let mut taken = 0;
    for seed in 1..=seeds {
        let mut random = Random::new(seed);
        let mut stepper = semantics.stepper();
        let mut state = stepper.initial().unwrap().unwrap();
        let mut steps: Vec<Step> = Vec::new();
        for _ in 0..40 {
            let mut next = Vec::new();
            stepper.expand(&state, None, &mut |s| next.push((s.step, s.state.unwrap().to_vec()))).unwrap();
            if next.is_empty() {
                break;
            }
            let (step, after) = next.swap_remove(random.below(next.len()));
            steps.push(step);
            state = after;
        }
        taken += steps.len();
        let replayed = Narrator::new(&original, &sources).replay(&folded.replay(&steps));
        let replayed = replayed.unwrap_or_else(|error| panic!("seed {seed}: {error:?}"));
        let ours = Narrator::new(&semantics, &sources).snapshot(&state);
        let theirs = Narrator::new(&original, &sources).snapshot(&replayed.state);
        let lengths =
            |channels: &[model::chart::Contents]| channels.iter().map(|c| c.messages.len()).collect::<Vec<_>>();
        assert_eq!(lengths(&ours.channels), lengths(&theirs.channels), "seed {seed}");
    }
    taken
}

const ALTERNATING: &str = "
mtype = { data, ack };
chan wire = [3] of { mtype, bit };
chan back = [3] of { mtype, bit };
active proctype Sender() {
    bit b, seen;
    do
    :: wire!data(b)
    :: back?ack(seen) -> if :: seen == b -> b = 1 - b :: else fi
    od
}
active proctype Receiver() {
    bit expected, got;
    do
    :: wire?data(got); if :: got == expected -> expected = 1 - expected :: else -> skip fi
    :: back!ack(1 - expected)
    od
}";

#[test]
fn machines_reach_as_many_states_as_processes() {
    let network = promela(ALTERNATING);
    let folded = folded(&network);
    assert!(folded.is_exact() && folded.prologue.is_empty() && folded.faults.is_empty());
    assert_eq!(layers(&folded.network, 10), layers(&network, 10));
    assert!(replay(&network, &folded, 30) > 500);
    assert_eq!(folded.network.symbol_sets[0].symbols.len(), 4);
    assert!(folded.network.symbol_sets[0].symbols.contains(&String::from("data_1")));
}

#[test]
fn a_folded_model_is_printed_and_read_again() {
    let network = promela(ALTERNATING);
    let folded = folded(&network);
    let text = print(&folded.network, &Specification::default()).unwrap();
    let again = valid("printed", &text);
    assert_eq!(layers(&again.network, 8), layers(&network, 8), "{text}");
}

#[test]
fn processes_that_init_creates_are_there_from_the_start() {
    let network = promela(
        "chan link[3] = [2] of { byte };
        proctype Node(byte me; chan in; chan out) {
            byte other;
            out!me;
            do :: in?other -> if :: other == me -> break :: else -> out!other fi od
        }
        init {
            byte i;
            atomic { do :: i < 3 -> run Node(i + 10, link[i], link[(i + 1) % 3]); i++ :: else -> break od }
        }",
    );
    let folded = folded(&network);
    assert_eq!(folded.processes.len(), 4);
    assert!(!folded.prologue.is_empty());
    assert_eq!(folded.network.machines[1].name, "Node_1");
    let names: Vec<&str> = folded.network.variables.iter().map(|v| v.name.as_str()).collect();
    assert_eq!(names, ["link[0]", "link[1]", "link[2]"]);
    assert!(replay(&network, &folded, 30) > 100);
}

#[test]
fn channels_are_found_by_their_values_also_in_messages() {
    let network = promela(
        "chan server = [1] of { chan, byte };
        chan mine = [1] of { byte };
        active proctype Server() { chan c; byte x; do :: server?c,x -> c!x + 1 od }
        active proctype Client() { byte y; server!mine,4; mine?y; assert(y == 5) }",
    );
    let folded = folded(&network);
    assert!(folded.faults.is_empty() && folded.is_exact());
    assert!(replay(&network, &folded, 10) > 20);
}

#[test]
fn global_variables_of_one_process_and_constants_are_not_shared() {
    let network = promela(
        "byte limit = 2; byte count; byte unread;
        chan c = [4] of { byte };
        active proctype P() { do :: count < limit -> c!count; count++; unread = 1 :: else -> break od }
        active proctype Q() { byte x; do :: c?x -> unread = 2 :: x == limit - 1 -> break od }",
    );
    let folded = folded(&network);
    assert!(folded.is_exact());
    assert!(replay(&network, &folded, 20) > 50);
}

#[test]
fn an_assertion_that_may_fail_leads_to_a_bad_state() {
    let network = promela(
        "chan c = [2] of { byte };
        active proctype P() { c!1; c!2 }
        active proctype Q() { byte x; do :: c?x -> assert(x != 2) od }",
    );
    let folded = folded(&network);
    assert_eq!(folded.faults.len(), 1);
    let model = Model { network: folded.network.clone(), specification: folded.errors() };
    assert_eq!(search(&model, 4, 1000), Found::Bad(6));

    // The same run, step by step, on the network.
    let semantics = Semantics::new(&folded.network, Reading::Unbounded);
    let mut stepper = semantics.stepper();
    let mut state = stepper.initial().unwrap().unwrap();
    let mut steps = Vec::new();
    for process in [0, 0, 1, 1, 1, 1] {
        let mut next = None;
        stepper
            .expand(&state, None, &mut |s| {
                if matches!(s.step, Step::Edge { process: p, .. } if p == process) {
                    next = Some((s.step, s.state.unwrap().to_vec()));
                }
            })
            .unwrap();
        let (step, after) = next.unwrap();
        steps.push(step);
        state = after;
    }
    let original = Semantics::new(&network, Reading::Unbounded);
    let sources = SourceMap::new();
    let replayed = Narrator::new(&original, &sources).replay(&folded.replay(&steps)).unwrap();
    assert!(matches!(replayed.fault.map(|at| at.fault), Some(Fault::Assertion)));
}

#[test]
fn a_run_goes_on_after_a_failed_assertion() {
    let network = promela(
        "chan c = [2] of { byte };
        active proctype P() { byte x; d_step { x = 1; assert(x == 2); c!x } assert(x == 3); c!2; assert(x == 1) }",
    );
    let folded = folded(&network);
    assert_eq!(folded.faults.len(), 2);
    // Three statements in a step, one that fails, one more send, one that holds; and the process stops.
    let sizes: Vec<usize> = layers(&network, 4);
    let plain: Vec<usize> =
        layers(&folded.network, 4).iter().zip([1, 1, 0, 0]).map(|(all, faults)| all - faults).collect();
    assert_eq!(plain, sizes);
}

#[test]
fn numbers_of_processes_are_known_when_they_are_created_at_once() {
    let network = promela(
        "chan c = [2] of { byte };
        proctype Q() { c!_pid; do :: c?eval(_pid) :: c!_pid od }
        init { byte n; n = 3; atomic { run Q(); run Q() } }",
    );
    let folded = folded(&network);
    assert_eq!(folded.network.symbol_sets[0].symbols, ["m1", "m2"]);
    assert!(replay(&network, &folded, 20) > 100);
}

#[test]
fn atomic_sequences_with_one_use_of_a_channel_are_one_step() {
    let network = promela(
        "chan c = [2] of { byte };
        active proctype P() { byte i; do :: atomic { i < 3 -> i++; c!i; if :: i == 2 -> i = 0 :: i < 2 fi } od }
        active proctype Q() { byte x, y; do :: atomic { c?x -> y = x; x = 0 } :: d_step { y > 1 -> y = 0; x = 0 } od }",
    );
    let folded = folded(&network);
    assert!(folded.is_exact(), "{:?}", folded.approximations);
    assert!(folded.processes[0].origins.iter().any(|edges| edges.len() >= 3));
    assert!(replay(&network, &folded, 30) > 500);
}

#[test]
fn atomic_sequences_with_two_uses_are_split_and_it_is_said_where() {
    let text = "chan c = [2] of { byte };
chan d = [2] of { byte };
active proctype P() { c!1; c!2 }
active proctype Q() { byte x; do :: atomic { c?x; d!x } od }";
    let network = promela(text);
    let folded = folded(&network);
    assert_eq!(folded.approximations.len(), 1);
    let place = &folded.approximations[0];
    assert_eq!(&text[place.span.start as usize..place.span.end as usize], "c?x", "{place:?}");
}

#[test]
fn what_does_not_fit_is_refused_with_its_place() {
    let models = [
        ("byte x; active [2] proctype P() { x = x + 1 }", "x = x + 1", "shared by `P[0]` and `P[1]`"),
        ("chan c = [0] of { byte }; active proctype P() { c!1 } active proctype Q() { c?1 }", "c!1", "rendezvous"),
        ("chan c = [1] of { byte }; active proctype P() { do :: c?1 :: else -> skip od }", "else", "not there"),
        ("chan c = [1] of { byte }; active proctype P() { len(c) == 0; c!1 }", "len(c) == 0", "length"),
        ("chan c = [1] of { byte }; active proctype P() { c!1; timeout }", "timeout", "timeout"),
        ("chan c = [1] of { byte }; active proctype P() { c!1; c??1 }", "c??1", "middle"),
        ("chan c = [1] of { byte }; active proctype P() { c!1; c?<1> }", "c?<1>", "leaves"),
        ("chan c = [1] of { byte }; active proctype P() { c!!1 }", "c!!1", "middle"),
        ("chan c = [1] of { byte }; proctype Q() { c!1 } active proctype P() { c?1; run Q() }", "run Q()", "course"),
        ("chan c = [1] of { byte }; proctype Q() { run Q() } init { run Q() }", "run Q()", "creates others"),
        ("active [2] proctype P() { chan c = [1] of { byte }; c!1 }", "c = [1]", "comes and goes"),
        ("chan c = [1] of { int }; active proctype P() { int n; do :: c!n; n++ od }", "n", "too many values"),
        ("chan c = [1] of { byte }; active proctype P() provided (len(c) == 0) { c!1 }", "P", "provided"),
        (
            "byte g; proctype Q() { skip } active proctype P() { g = 1 } init { if :: g == 0 -> run Q() :: else fi }",
            "g = 1",
            "shared",
        ),
        (
            "chan c = [1] of { byte }; proctype Q() { c!_pid } init { run Q(); run Q() }",
            "run Q(); run",
            "numbers of processes",
        ),
        ("chan c = [1] of { byte }; active proctype P() { { c!1 } unless { c?1 } }", "c?1", "unless"),
    ];
    for (text, place, why) in models {
        let limits = Limits { states: 1000, messages: 300, ..Limits::default() };
        let reason = fold(&promela(text), &limits).expect_err(text);
        let found = &text[reason.span.start as usize..];
        assert!(reason.why.contains(why), "{text}: {reason}");
        assert!(found.starts_with(place), "{text}: {reason}: at `{found}`");
    }
}

#[test]
fn limits_hold_for_large_arrays_and_for_time() {
    let network = promela(
        "chan c = [1] of { byte };
        active proctype P() { byte a[50000]; int i; do :: a[i % 50000] = i; i++; c!1 od }",
    );
    let begin = Instant::now();
    assert!(fold(&network, &Limits::default()).is_err());
    let late = Limits { budget: model::budget::Budget::unlimited().timeout(Duration::ZERO), ..Limits::default() };
    assert!(fold(&network, &late).is_err());
    assert!(begin.elapsed() < Duration::from_secs(20), "{:?}", begin.elapsed());
}

#[test]
fn random_models_fold_to_machines_that_do_the_same() {
    for seed in 1..=40 {
        let text = random_model(&mut Random::new(seed));
        let network = promela(&text);
        let folded =
            fold(&network, &Limits::default()).unwrap_or_else(|reason| panic!("seed {seed}: {reason}\n{text}"));
        assert!(folded.is_exact());
        assert_eq!(layers(&folded.network, 7), layers(&network, 7), "seed {seed}:\n{text}");
        replay(&network, &folded, 3);
    }
}

/// Two processes with a loop of random statements each.
fn random_model(random: &mut Random) -> String {
    let mut text = String::from("mtype = { go, stop };\nchan c[2] = [2] of { mtype, byte };\n");
    for process in 0..2 {
        text += &format!("active proctype P{process}() {{ byte x = {process}; byte a[2]; mtype m = go;\n  do\n");
        for _ in 0..2 + random.below(4) {
            let (queue, value) = (random.below(2), random.below(3));
            let statement = match random.below(7) {
                0 => format!("c[{queue}]!m,x"),
                1 => format!("c[{queue}]?m,x; x = x % 3"),
                2 => format!("c[x % 2]?stop,a[{queue}]"),
                3 => format!("x < {value} -> x++; a[x % 2] = x"),
                4 => format!("c[{queue}]?eval(m),eval(x)"),
                5 => format!("x >= {value} -> x = (a[0] == a[1] -> 0 : {value})"),
                _ => format!("d_step {{ x > {value} -> x = 0; m = stop; c[{queue}]!m,a[1] }}"),
            };
            text += &format!("  :: {statement}\n");
        }
        text += "  od }\n";
    }
    text
}

#[test]
fn channels_of_the_oldest_process_and_of_endless_ones_are_there_forever() {
    let network = promela(
        "proctype Echo(chan out) { chan in = [1] of { byte }; byte x; out!1; do :: in?x -> out!x od }
        init { chan a[2] = [1] of { byte }; byte y; atomic { run Echo(a[0]); run Echo(a[1]) } do :: a[0]?y :: a[1]?y od }",
    );
    let folded = folded(&network);
    let names: Vec<&str> = folded.network.variables.iter().map(|v| v.name.as_str()).collect();
    assert_eq!(names, [":init:[0]:a[0]", ":init:[0]:a[1]", "Echo[1]:in", "Echo[2]:in"]);
    assert!(replay(&network, &folded, 20) > 50);
}

/// All Promela files below a folder.
fn promela_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for path in std::fs::read_dir(folder).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path())) {
        if path.is_dir() {
            promela_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "pml") {
            found.push(path);
        }
    }
}

#[test]
fn models_that_fold_are_replayed_and_printed() {
    let mut files = Vec::new();
    promela_files(&common::examples().join(".."), &mut files);
    promela_files(&common::examples().join("../../../shared/models/promela"), &mut files);
    let limits = Limits { states: 5000, ..Limits::default() };
    let mut count = 0;
    for path in files {
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        let Some(network) = promela::read("model.pml", &text, &Options::default()).network else { continue };
        let Ok(folded) = fold(&network, &limits) else { continue };
        if folded.network.variables.is_empty() || !folded.is_exact() {
            continue;
        }
        count += 1;
        replay(&network, &folded, 10);
        let printed = print(&folded.network, &folded.errors()).unwrap();
        valid("printed", &printed);
    }
    assert!(count > 10, "only {count} models fold");
}
