//! Random models of processes of one type that look alike, and some that only seem to: an exchange is an automorphism wherever it
//! is used, by the definition of that; and searches with and without it say the same.

#![allow(clippy::print_stdout)]

use super::*;
use crate::reduction::Mode;
use crate::{Options, Order, Packing, check};
use model::budget::Budget;
use model::context::Context;
use model::network::Network;
use model::random::Random;
use model::source::SourceMap;
use model::verdict::{Outcome, Property, Verdict};
use std::collections::{BTreeSet, HashSet};

/// A model; `None` for the few that are rejected, as two `else` at one place are.
fn read(seed: u64) -> Option<(Network, SourceMap, String)> {
    let text = testing::models::alike::model(seed);
    let read = promela::read("random.pml", &text, &promela::preprocess::Options::default());
    Some((read.network?, read.sources, text))
}

/// A state, and the process that keeps control in it.
type Point = (Vec<u8>, Option<u32>);

/// What follows a point: each step, where it leads, and what goes wrong.
type Next = BTreeSet<(String, Option<Point>, Option<&'static str>)>;

fn next(semantics: &Semantics<'_>, (state, control): &Point) -> Vec<(Step, Option<Point>, Option<&'static str>)> {
    let mut found = Vec::new();
    let _ = semantics.stepper().expand(state, *control, &mut |successor| {
        let point = successor.state.map(|after| (after.to_vec(), successor.control));
        found.push((successor.step, point, successor.fault.map(|fault| fault.fault.code())));
    });
    found
}

/// The points of a model, up to a number.
fn points(semantics: &Semantics<'_>, most: usize) -> Vec<Point> {
    let Ok(Ok(initial)) = semantics.stepper().initial() else { return Vec::new() };
    let mut all = vec![(initial, None)];
    let mut known: HashSet<Point> = all.iter().cloned().collect();
    let mut at = 0;
    while at < all.len() && all.len() < most {
        for point in next(semantics, &all[at]).into_iter().filter_map(|(_, point, _)| point) {
            if known.insert(point.clone()) {
                all.push(point);
            }
        }
        at += 1;
    }
    all
}

/// A random exchange of processes, where some can be exchanged.
fn random_exchange(symmetry: &mut Symmetry<'_>, state: &[u8], random: &mut Random) -> Option<(usize, Exchange)> {
    let number = symmetry.form(state);
    let form = &symmetry.forms[&state[..SHAPE_BYTES]][number];
    let cells = form.cells.as_ref().filter(|cells| cells.are_stable(state))?;
    let at = |process: &ProcessPlace| (process.machine.index(), location(process, state));
    if !form.places.iter().all(|process| symmetry.sorts.settled[at(process).0][at(process).1]) {
        return None;
    }
    let mut to: Vec<u32> = (0..form.places.len() as u32).collect();
    for group in &cells.groups {
        let lasting = |&process: &u32| {
            let (machine, location) = at(&form.places[process as usize]);
            symmetry.sorts.lasting[machine][location]
        };
        if group.iter().all(lasting) {
            for last in (1..group.len()).rev() {
                let other = random.below(last as u64 + 1) as usize;
                to.swap(group[last] as usize, group[other] as usize);
            }
        }
    }
    Some((number, cells.exchange(&to)))
}

#[test]
fn an_exchange_of_processes_is_an_automorphism() {
    let (mut models, mut compared, mut real, mut chosen) = (0, 0u64, 0u64, 0u64);
    let seeds = seeds(400);
    for seed in first()..first() + seeds {
        let Some((network, _, text)) = read(seed) else { continue };
        let reading = if seed % 4 == 0 { Reading::Drop } else { Reading::Declared };
        let semantics = Semantics::new(&network, reading);
        let Ok(mut symmetry) = Symmetry::new(&semantics) else { continue };
        let mut random = Random::new(seed);
        let before = compared;
        for point in points(&semantics, 400) {
            let Some((form, exchange)) = random_exchange(&mut symmetry, &point.0, &mut random) else { continue };
            let turned = Turned { processes: exchange.processes.clone(), queues: exchange.queues.clone() };
            let shape = point.0[..SHAPE_BYTES].to_vec();
            let control = |control: Option<u32>| control.map(|process| exchange.processes[process as usize]);
            let mut other = Vec::new();
            let cells = symmetry.forms[&shape][form].cells.as_ref().expect("processes that can be exchanged");
            cells.exchanged(&point.0, &exchange, &mut other);
            let same = symmetry.choose(&point.0).to_vec() == symmetry.choose(&other);
            let there: Next = next(&semantics, &(other, control(point.1)))
                .into_iter()
                .map(|(step, point, fault)| (format!("{step:?}"), point, fault))
                .collect();
            let mut here = Next::new();
            for (step, to, fault) in next(&semantics, &point) {
                let to = to.map(|(state, after)| {
                    // A process that ends takes its part of the state with it; those that can end are not exchanged.
                    let number = symmetry.form(&state);
                    let form = &symmetry.forms[&state[..SHAPE_BYTES]][number];
                    let mut other = state.clone();
                    if let Some(cells) = &form.cells {
                        let exchange = cells.exchange(&exchange.processes[..form.places.len()]);
                        cells.exchanged(&state, &exchange, &mut other);
                    }
                    (other, control(after))
                });
                here.insert((format!("{:?}", turned.step(step)), to, fault));
            }
            assert_eq!(here, there, "seed {seed}: {:?}\n{text}", exchange.processes);
            chosen += u64::from(same);
            compared += 1;
            real += u64::from(exchange.processes.iter().zip(0u32..).any(|(&to, process)| to != process));
        }
        models += u64::from(compared > before);
    }
    // Processes that no colour tells apart may be different all the same.
    let said =
        format!("{models} models, {compared} points, {real} real exchanges, {chosen} times the same state is chosen");
    println!("{said}");
    assert!(models * 8 > seeds && real * 3 > compared && chosen * 100 > compared * 99, "{said}");
}

fn seeds(usual: u64) -> u64 {
    testing::seeds(usual)
}

fn first() -> u64 {
    testing::first(0)
}

#[test]
fn searches_with_and_without_symmetry_say_the_same() {
    let (mut compared, mut violated, mut all, mut left) = (0u64, 0u64, 0u64, 0u64);
    for seed in first()..first() + seeds(400) {
        let Some((network, sources, text)) = read(seed) else { continue };
        let reading = if seed % 4 == 0 { Reading::Drop } else { Reading::Declared };
        let semantics = Semantics::new(&network, reading);
        if Symmetry::new(&semantics).is_err() {
            continue;
        }
        let limits = Budget::unlimited().states(2_000);
        let ask = |symmetry: bool, options: Options| -> Vec<Outcome> {
            let options = Options {
                symmetry,
                properties: vec![Property::Safety, Property::Deadlock],
                keep_going: true,
                ..options
            };
            check(&semantics, &sources, &options, &Context::silent(&limits))
        };
        let whole = ask(false, Options::default());
        let mut ways = vec![Options::default(), Options::reducing(Mode::On)];
        ways.push(Options { order: Order::Depth, packing: Packing::Always, ..Options::default() });
        ways.push(Options { jobs: 2, alone: 50, ..Options::default() });
        for (way, options) in ways.into_iter().enumerate() {
            let (plain, reduced) = (ask(false, options.clone()), ask(true, options));
            for ((whole, plain), reduced) in whole.iter().zip(&plain).zip(&reduced) {
                let (Verdict::Proved | Verdict::Violated, Verdict::Proved | Verdict::Violated) =
                    (&whole.verdict, &reduced.verdict)
                else {
                    continue;
                };
                assert_eq!(whole.verdict, reduced.verdict, "seed {seed}: {}\n{text}", whole.property);
                let states = |outcome: &Outcome| outcome.stats.as_ref().map_or(0, |stats| stats.states);
                if states(whole) < 2_000 {
                    assert_eq!(whole.details.unreached, reduced.details.unreached, "seed {seed}\n{text}");
                }
                // The first state stays as it is; so do variables that are dead but may name processes.
                assert!(
                    way == 1 || states(plain) >= 2_000 || states(reduced) <= states(plain) + 1,
                    "seed {seed}: {} {} {way}\n{text}",
                    states(reduced),
                    states(plain)
                );
                compared += 1;
                violated += u64::from(whole.verdict == Verdict::Violated);
                (all, left) = (all + states(whole), left + states(reduced));
            }
            let open = |outcome: &&Outcome| matches!(&outcome.verdict, Verdict::Inconclusive(reason) if reason.to_string().contains("replay"));
            assert_eq!(reduced.iter().find(open).map(|outcome| &outcome.verdict), None, "seed {seed}\n{text}");
        }
    }
    println!("{compared} compared, {violated} violated, {left} of {all} states");
    assert!(
        compared > seeds(400) / 2 && violated * 10 > compared && left * 20 < all * 19,
        "{compared} {violated} {left} {all}"
    );
}
