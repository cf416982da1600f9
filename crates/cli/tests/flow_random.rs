//! The flow engine against explicit search, on thousands of random systems.
//!
//! What the flow engine proves of channels of any length, a search that takes one step after the other must not
//! contradict. For every model:
//!
//! * no queue gets longer than its proved bound, in any state that a breadth-first search reaches;
//! * no queue that is proved to be bounded is one that `explore::growth` shows to grow without end;
//! * no model that is proved to be free of livelock has a cycle without progress, in any reading of the channels;
//! * the independent checker accepts every proof.
//!
//! Local queues of processes that were created by `run` have other numbers in a proof than at run time. So they are
//! compared type by type: no queue of a type is longer than the largest bound of a queue of that type, and all of them
//! together hold no more than their bounds together, where there are not any number of them.
//!
//! Seeds are printed with every failure; `HIGHWATER_SEEDS=N` tries N models, `HIGHWATER_SEED=S` shows the model of one seed
//! and what was answered, `HIGHWATER_FIRST=S` starts there.

#![allow(clippy::print_stderr)]

use crate::flow_models::{LIMITED, Style, model, style};
use explore::growth::{GrowthOptions, growth};
use explore::progress::{ProgressOf, search};
use flow::{Question, Report};
use model::budget::Budget;
use model::context::Context;
use model::growth::Parts;
use model::network::Network;
use model::semantics::{Reading, Semantics};
use model::verdict::Property;
use std::collections::{BTreeMap, HashSet, VecDeque};
use std::time::{Duration, Instant};

/// States of the search that measures queues, of the search for growth, and of the search for cycles.
const MEASURED: usize = 500;
const GROWING: u64 = 300;
const CYCLES: u64 = 1_000;
/// Of so many models, one is also searched for growth where all bounds are known.
const RARELY: u64 = 8;
/// How many models are tried, and how long the engine may think about one.
const SEEDS: u64 = 800;
const THINKING: Duration = Duration::from_millis(40);
/// Models that take longer are named.
const SLOW: Duration = Duration::from_secs(2);

/// What came out, so that the test can be seen not to be empty.
#[derive(Default, Debug)]
struct Tally {
    models: u64,
    unreadable: u64,
    proved: u64,
    partly: u64,
    inconclusive: u64,
    bounds: u64,
    exact: u64,
    growing: u64,
    finite: u64,
    live: u64,
    cycles: u64,
    refused: u64,
}

/// What queues hold in a state: per group of queues, the longest and all together.
type Lengths = BTreeMap<String, (u64, u64)>;

/// Queues whose names differ in the number of a process only are one group.
fn group(name: &str) -> String {
    match (name.find('['), name.find(':')) {
        (Some(open), Some(colon)) if open < colon => format!("{}{}", &name[..open], &name[colon..]),
        _ => name.to_owned(),
    }
}

/// What a search saw.
#[derive(Default)]
struct Measured {
    /// Per group: the most that one queue held, and the most that all held together.
    most: Lengths,
    /// All states were visited.
    complete: bool,
}

/// A plain breadth-first search: states of the system are measured, those inside of atomic sequences are passed through.
fn measure(semantics: &Semantics<'_>, most_states: usize) -> Measured {
    let (mut stepper, mut parts) = (semantics.stepper(), Parts::new(semantics));
    let mut measured = Measured { complete: true, ..Measured::default() };
    let Ok(Ok(initial)) = stepper.initial() else { return measured };
    let mut seen = HashSet::from([(initial.clone(), None)]);
    let mut queue: VecDeque<(Vec<u8>, Option<u32>)> = VecDeque::from([(initial, None)]);
    while let Some((state, control)) = queue.pop_front() {
        let control = control.filter(|&process| stepper.keeps_control(&state, process) == Ok(true));
        if control.is_none() {
            note(&mut measured.most, &mut parts, &state);
        }
        let mut found = Vec::new();
        let expanded = stepper.expand(&state, control, &mut |successor| {
            found.extend(successor.state.map(|state| (state.to_vec(), successor.control)));
        });
        measured.complete &= expanded.is_ok();
        for next in found {
            if seen.len() >= most_states {
                measured.complete = false;
            } else if seen.insert(next.clone()) {
                queue.push_back(next);
            }
        }
    }
    measured
}

fn note(most: &mut Lengths, parts: &mut Parts<'_>, state: &[u8]) {
    let mut here = Lengths::new();
    for (name, length) in parts.queue_names(state).into_iter().zip(parts.lengths(state)) {
        let Some(name) = name else { continue };
        let (longest, sum) = here.entry(group(&name)).or_default();
        *longest = (*longest).max(u64::from(length));
        *sum += u64::from(length);
    }
    for (name, (longest, sum)) in here {
        let known = most.entry(name).or_default();
        *known = (known.0.max(longest), known.1.max(sum));
    }
}

/// What a report says of a group of queues.
#[derive(Default)]
struct Said {
    bounded: bool,
    longest: Option<u64>,
    sum: Option<u64>,
}

fn said(report: &Report) -> BTreeMap<String, Said> {
    let mut groups: BTreeMap<String, Said> = BTreeMap::new();
    for queue in &report.queues {
        let first = Said { bounded: true, longest: Some(0), sum: Some(0) };
        let group = groups.entry(group(&queue.name)).or_insert(first);
        group.bounded &= queue.bounded;
        let bound = queue.at_most.filter(|_| queue.bounded);
        group.longest = group.longest.zip(bound).map(|(a, b)| a.max(b));
        // A bound for any number of processes is one for each of them.
        let together = bound.filter(|_| !queue.name.contains("[*]"));
        group.sum = group.sum.zip(together).map(|(a, b)| a + b);
    }
    groups
}

fn limits(states: u64) -> Budget {
    Budget::unlimited().states(states).timeout(Duration::from_secs(1))
}

fn ask(network: &Network, question: &Question) -> Report {
    let limits = Budget::unlimited().timeout(THINKING);
    flow::check(network, question, &Context::silent(&limits))
}

/// Whether the checker refuses the proof of a report, and why.
fn refusal(network: &Network, property: &Property, report: &Report) -> Option<String> {
    let proof = report.proof.as_ref()?;
    let answer = certify::flow::verify(network, property, proof, &Context::unlimited());
    answer.err().map(|refusal| refusal.to_string())
}

/// What is wrong with the answer for boundedness.
fn bounded(network: &Network, tally: &mut Tally) -> Result<(), String> {
    let report = ask(network, &Question::Boundedness);
    if let Some(why) = refusal(network, &Property::Boundedness, &report) {
        tally.refused += 1;
        if std::env::var("HIGHWATER_REFUSALS").is_err() {
            return Err(format!("an honest proof is refused: {why}"));
        }
    }
    let groups = said(&report);
    match (report.complete, groups.values().any(|g| g.bounded)) {
        (true, _) => tally.proved += 1,
        (false, true) => tally.partly += 1,
        (false, false) => tally.inconclusive += 1,
    }
    let semantics = Semantics::new(network, Reading::Unbounded);
    let measured = measure(&semantics, MEASURED);
    tally.finite += u64::from(measured.complete);
    for (name, &(longest, sum)) in &measured.most {
        let Some(said) = groups.get(name) else {
            if report.complete {
                return Err(format!("`{name}` is not in the proof"));
            }
            continue;
        };
        let (bound, together) = (said.longest.unwrap_or(u64::MAX), said.sum.unwrap_or(u64::MAX));
        if longest > bound || sum > together {
            return Err(format!("`{name}` holds {longest}, together {sum}, but {bound} and {together} are proved"));
        }
        tally.bounds += u64::from(said.longest.is_some());
        tally.exact += u64::from(bound == longest);
    }
    let unknown = groups.values().any(|g| g.bounded && g.longest.is_none());
    let rarely = tally.models.is_multiple_of(RARELY) && groups.values().any(|g| g.bounded);
    if measured.complete || !unknown && !rarely {
        return Ok(());
    }
    let grows = growth(&semantics, &GrowthOptions::default(), &Context::silent(&limits(GROWING))).channels();
    tally.growing += u64::from(!grows.is_empty());
    match grows.iter().find(|name| groups.get(&group(name)).is_some_and(|g| g.bounded)) {
        Some(name) => Err(format!("`{name}` grows without end, but is proved to be bounded")),
        None => Ok(()),
    }
}

/// What is wrong with the answer for livelock.
fn live(network: &Network, tally: &mut Tally) -> Result<(), String> {
    let report = ask(network, &Question::Livelock { events: Vec::new() });
    if !report.complete {
        return Ok(());
    }
    tally.live += 1;
    if let Some(why) = refusal(network, &Property::Livelock, &report) {
        tally.refused += 1;
        if std::env::var("HIGHWATER_REFUSALS").is_err() {
            return Err(format!("an honest proof of progress is refused: {why}"));
        }
    }
    for reading in [Reading::Declared, Reading::Unbounded, Reading::Drop] {
        let semantics = Semantics::new(network, reading);
        let found = search(&semantics, &ProgressOf::Labels, &Context::silent(&limits(CYCLES)));
        if found.lasso.is_some() {
            tally.cycles += 1;
            return Err(format!("there is a cycle without progress ({})", reading.name()));
        }
    }
    Ok(())
}

/// Asks both questions about the model of a seed.
fn judge(seed: u64, tally: &mut Tally) -> Result<(), String> {
    let text = model(seed);
    let read = promela::read("random.pml", &text, &promela::preprocess::Options::default());
    tally.models += 1;
    let Some(network) = read.network else {
        tally.unreadable += 1;
        return Ok(());
    };
    bounded(&network, tally)?;
    if style(seed) == Style::Progress || text.contains("progress") {
        live(&network, tally)?;
    }
    Ok(())
}

#[test]
fn what_flow_proves_no_search_contradicts() {
    let mut tally = Tally::default();
    if let Some(seed) = testing::only() {
        eprintln!("{}", model(seed));
        let answer = judge(seed, &mut tally);
        eprintln!("{answer:?}\n{tally:?}");
        return;
    }
    let (first, seeds) = (testing::first(0), testing::seeds(SEEDS));
    let mut failures = Vec::new();
    let also = LIMITED + first..LIMITED + first + seeds / 4;
    for seed in (first..first + seeds).chain(also) {
        let start = Instant::now();
        if let Err(what) = judge(seed, &mut tally) {
            failures.push(format!("seed {seed} ({:?}): {what}", style(seed)));
        }
        if start.elapsed() > SLOW {
            eprintln!("seed {seed} took {:?}", start.elapsed());
        }
    }
    eprintln!("{tally:?}");
    let shown = failures.iter().take(40).cloned().collect::<Vec<_>>().join("\n");
    assert!(failures.is_empty(), "{} of {seeds} models:\n{shown}", failures.len());
    assert!(tally.unreadable * 20 < tally.models, "most models must be readable: {tally:?}");
    assert!(tally.proved * 12 > tally.models && tally.inconclusive > 0, "the models must be of both kinds: {tally:?}");
    assert!(tally.exact * 4 > tally.bounds && tally.growing > 0, "bounds must mean something: {tally:?}");
}
