//! Invariants that say where no process ever is, on random models: what weights prove is accepted, and what is accepted is
//! true of all states that a search finds.
//!
//! The models look at their queues in every way there is, hand messages over, wait for `timeout`, escape, keep control
//! and create processes; some have priorities, or look at where others are by number, for which the rule must not be
//! used. Channels are those of the model without their limits, channels that are declared without any, channels that
//! lose messages, or channels that drop them, for which it must not be used either. One model for every 4 of
//! `HIGHWATER_SEEDS`, 300 without it.

use crate::support::seconds;
use certify::arrivals::{counted, verify};
use model::context::Context;
use model::expr::Expr;
use model::formula::{Atom, Connective, Ltl, Modality};
use model::ids::{LocationId, MachineId};
use model::network::{ChannelType, Formula, Network};
use model::semantics::{Reading, Semantics};
use model::source::Span;
use model::verdict::Property;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use testing::Random;
use testing::models::{loops, queues};

/// More states than this are not looked at.
const MOST_STATES: usize = 3_000;

type At = (MachineId, LocationId);

fn network(text: &str) -> Option<Network> {
    promela::read("random.pml", text, &promela::preprocess::Options::default()).network
}

/// A kind of channels, by the number of a model.
fn channels(network: Network, seed: u64) -> (Network, Reading) {
    let with = |change: &dyn Fn(&mut ChannelType)| {
        let mut network = network.clone();
        network.channel_types.iter_mut().filter(|ty| !ty.is_rendezvous()).for_each(change);
        network
    };
    match seed % 5 {
        0 => (with(&|ty| ty.capacity = None), Reading::Declared),
        1 => (with(&|ty| ty.lossy = true), Reading::Unbounded),
        2 if seed % 10 == 2 => (network, Reading::Drop),
        _ => (network, Reading::Unbounded),
    }
}

/// Adds a process that looks at where another one is.
fn looking(text: &str, random: &mut Random) -> String {
    let place = 1 + random.below(12);
    format!("{text}active proctype L() {{ do :: pc_value(0) == {place} -> x = 1 :: x = 0 od }}\n")
}

/// Clients that ask one server or another, and wait for any answer: where they can be depends on whom they asked. Some
/// servers answer for another one, twice, or not at all.
fn asking(random: &mut Random) -> String {
    let (servers, clients) = (2 + random.below(2usize), 1 + random.below(2usize));
    let mut text = String::from("byte x;\n");
    let channels = (0..servers).map(|n| format!("s{n}")).chain((0..clients).map(|n| format!("back{n}")));
    text += &channels.map(|name| format!("chan {name} = [2] of {{ byte }};\n")).collect::<String>();
    for client in 0..clients {
        let rounds = round(random, (servers, client), 1);
        text += &format!("active proctype C{client}() {{ do :: {rounds} od }}\n");
    }
    for server in 0..servers {
        let answer = |client: usize, random: &mut Random| {
            let own = format!("back{client}!{server}");
            match random.below(8u32) {
                0 => format!("back{client}!{}", (server + 1) % servers),
                1 => format!("{own}; {own}"),
                2 => String::from("x = 1"),
                _ => own,
            }
        };
        let answers = (0..clients).map(|client| format!(":: s{server}?{client} -> {} ", answer(client, random)));
        text += &format!("active proctype S{server}() {{ do {}od }}\n", answers.collect::<String>());
    }
    text
}

/// A client asks some server, waits for an answer, and may then ask again.
fn round(random: &mut Random, (servers, client): (usize, usize), depth: usize) -> String {
    let ask = |random: &mut Random| match random.below(6u32) {
        0 => format!("x == 0 -> s{}!{client}", random.below(servers)),
        _ => format!("s{}!{client}", random.below(servers)),
    };
    let asks: String = (0..1 + random.below(2u32)).map(|_| format!(":: {} ", ask(random))).collect();
    let mut text = format!("if {asks}fi; if ");
    for server in 0..servers {
        if random.chance(10) {
            continue;
        }
        let then = match random.below(4u32) {
            0 => String::from("x = 1 - x"),
            1 => String::from("skip"),
            _ if depth == 0 => String::from("skip"),
            _ => round(random, (servers, client), depth - 1),
        };
        text += &match random.chance(25) {
            true => format!(":: atomic {{ back{client}?{server}; {then} }} "),
            false => format!(":: back{client}?{server} -> {then} "),
        };
    }
    let other = if random.chance(10) { ":: timeout -> skip " } else { "" };
    format!("{text}{other}:: false -> skip fi")
}

/// `[] !(P@l || Q@m)`, as a formula of the network.
fn avoiding(network: &Network, places: &[At]) -> Network {
    let at = |&(machine, location): &At| {
        Ltl::Atom(Box::new(Atom::State(Expr::At { machine, pid: None, location })), String::from("there"))
    };
    let or = |a, b| Ltl::Binary(Connective::Or, Box::new(a), Box::new(b));
    let there = places.iter().map(at).reduce(or).expect("a place");
    let formula = Ltl::Unary(Modality::Always, Box::new(Ltl::Unary(Modality::Not, Box::new(there))));
    let (name, text) = (String::from("p"), String::from("[] !there"));
    let formula = Formula { name, text, formula, is_question: false, span: Span::NONE };
    Network { formulas: vec![formula], ..network.clone() }
}

/// Where processes are in the states that are found, those in the middle of an atomic sequence left out.
fn visited(network: &Network, reading: Reading) -> BTreeSet<At> {
    let semantics = Semantics::new(network, reading);
    let (mut stepper, mut asker) = (semantics.stepper(), semantics.stepper());
    let mut found = BTreeSet::new();
    let Ok(Ok(initial)) = stepper.initial() else { return found };
    let mut seen = HashSet::from([(initial.clone(), None)]);
    let mut work = std::collections::VecDeque::from([(initial, None)]);
    while let Some((state, control)) = work.pop_front().filter(|_| seen.len() < MOST_STATES) {
        let mut next = Vec::new();
        let expanded = stepper.expand(&state, control, &mut |successor| {
            next.extend(successor.state.map(|after| (after.to_vec(), successor.control)));
        });
        if expanded.is_err() {
            break;
        }
        if control.is_none() {
            asker.load(&state);
            found.extend((0..asker.loaded_processes()).map(|process| asker.loaded_place(process)));
        } else if next.is_empty() {
            next.push((state, None));
        }
        work.extend(next.into_iter().filter(|point| seen.insert(point.clone())));
    }
    found
}

/// Whether weights prove it, and whether they need histories; what they prove must be accepted.
fn proves(network: &Network, reading: Reading) -> Option<bool> {
    let budget = seconds(5);
    let cx = Context::silent(&budget);
    let formula = &network.formulas[0].formula;
    let proof = flow::history::prove(network, &|h| counted(network, formula, reading, h), &cx)?;
    let accepted = verify(network, &Property::Ltl(String::from("p")), reading, &proof, &cx);
    assert!(accepted.is_ok(), "{accepted:?}");
    Some(!proof.histories.is_empty())
}

#[test]
fn no_process_is_where_weights_prove_that_none_is() {
    let seeds = testing::long().map_or(300, |seeds| seeds.div_ceil(4));
    let (mut proved, mut reached, mut unfolded) = (0, 0, 0);
    let mut by_reading: BTreeMap<String, u64> = BTreeMap::new();
    for seed in 0..seeds {
        let mut random = Random::new(seed);
        let text = match seed % 4 {
            0 => loops::model(seed, false),
            1 => queues::model(seed, false),
            2 if random.chance(30) => looking(&queues::model(seed, false), &mut random),
            2 => queues::model(seed, true),
            _ if random.chance(20) => looking(&asking(&mut random), &mut random),
            _ => asking(&mut random),
        };
        let Some(network) = network(&text) else { continue };
        let (network, reading) = channels(network, seed);
        let there = visited(&network, reading);
        let used: Vec<At> = (0..network.machines.len())
            .map(MachineId::from)
            .flat_map(|id| network.machine(id).used().map(move |(location, _)| (id, location)))
            .collect();
        for _ in 0..6 {
            let places: Vec<At> = (0..1 + random.below(2)).map(|_| used[random.below(used.len())]).collect();
            let is_there = places.iter().any(|place| there.contains(place));
            let proof = proves(&avoiding(&network, &places), reading);
            let is_proved = proof.is_some();
            unfolded += u64::from(proof == Some(true));
            assert!(!(is_there && is_proved), "seed {seed}, {places:?}\n{text}");
            proved += u64::from(is_proved);
            *by_reading.entry(format!("{reading:?}")).or_default() += u64::from(is_proved);
            reached += u64::from(is_there);
        }
    }
    assert!(by_reading["Declared"] > 0 && by_reading["Drop"] == 0, "{by_reading:?}");
    assert!(
        proved * 20 > reached && reached > seeds && unfolded > 0,
        "{proved} proved, {unfolded} unfolded, {reached} reached"
    );
}
