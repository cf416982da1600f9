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
use std::fmt::Write;

/// Makes the models.
struct Writer {
    random: Random,
    processes: u64,
    /// How a process calls itself, and the least of these names.
    me: &'static str,
    least: u64,
    /// Nothing is computed from names, but they may meet constants.
    tame: bool,
}

impl Writer {
    fn one(&mut self, items: &[&str]) -> String {
        let me = self.me;
        items[self.random.below(items.len() as u64) as usize].replace("ME", me)
    }

    /// Something that names a process.
    fn name(&mut self) -> String {
        self.one(&["ME", "ME", "ME", "turn", "other", "next[ME]", "next[other]", "next[turn]"])
    }

    fn condition(&mut self) -> String {
        let name = self.name();
        let any = self.random.below(24);
        let tame = [0, 4, 6, 9, 10, 11, 11, 13, 14, 15, 17, 20, 21, 22];
        match if self.tame { tame[any as usize % tame.len()] } else { any } {
            0..4 => format!("turn == {name}"),
            4..6 => format!("turn != {name}"),
            6..9 => format!("flag[{name}] == {}", self.random.below(2)),
            9 => format!("!flag[{name}]"),
            10 => format!("seen[{name}] < 2"),
            11 => format!("turn == {}", self.random.below(5)),
            12 => format!("{name} < 1"),
            13 => String::from("count < 2"),
            14 => format!("nempty(box[{name}])"),
            15 => String::from("nfull(q)"),
            16 => format!("q?[{name}, _]")
                .replace("q?[", if self.random.below(2) == 0 { "q?[eval(" } else { "q??[eval(" })
                .replace(", _]", "), _]"),
            17 => format!("W[{name}]@work"),
            18 => format!("!(W[{name}]:mine == {name})"),
            19 => String::from("other == turn && count == 1"),
            20 => format!("(turn == {name} -> flag[turn] : count == 0)"),
            21 => String::from("timeout"),
            22 => format!("matrix[{name}].with[turn] == 0"),
            _ => String::from("true"),
        }
    }

    fn statement(&mut self) -> String {
        let (name, other) = (self.name(), self.name());
        let any = self.random.below(44);
        let tame = [0, 1, 4, 6, 8, 12, 15, 19, 22, 23, 25, 27, 28, 29, 30, 33, 34, 35, 35, 37, 38, 39, 41, 42, 43];
        match if self.tame { tame[any as usize % tame.len()] } else { any } {
            0..4 => format!("turn = {name}"),
            4..6 => format!("other = {name}"),
            6..8 => format!("next[{name}] = {other}"),
            8..12 => format!("flag[{name}] = {}", self.random.below(2)),
            12 => format!("seen[{name}] = (seen[{name}] + 1) % 3"),
            13..15 => format!("count = (count + {}) % 3", self.one(&["1", "flag[ME]", "len(q)"])),
            15..18 => format!("q!{name}, {}", self.random.below(2)),
            18 => format!("q!!{name}, 1"),
            19..22 => format!("q?{}", self.one(&["other, _", "turn, bit1", "eval(ME), _", "_, bit1", "next[ME], 1"])),
            22 => String::from("q??other, 1"),
            23..25 => format!("box[{name}]!{other}"),
            25..27 => format!("box[ME]?{}", self.one(&["other", "turn", "eval(other)", "_"])),
            27 => format!("meet!{name}"),
            28 => String::from("meet?other"),
            29 => String::from("own!ME"),
            30 => String::from("own?other"),
            31 => String::from("names!own"),
            32 => String::from("names?peer"),
            33 => format!("nfull(peer) -> peer!{name}"),
            34 => format!("peer = box[{name}]"),
            35 => format!("turn = {}", self.random.below(5)),
            36 => format!("other = {name} + 1"),
            37 => format!("matrix[{name}].with[{other}] = 1 - matrix[{name}].with[{other}]"),
            38 => format!("mine = {name}"),
            39 => format!("assert({})", self.condition()),
            40 => format!("assert(!(flag[ME] && {}))", self.condition()).replace("ME", self.me),
            41 => format!("printf(\"%d\", {name})"),
            42 => format!("d_step {{ {} -> flag[{name}] = 0; other = {other} }}", self.condition()),
            _ => self.condition(),
        }
    }

    fn body(&mut self) -> String {
        let mut text = String::from("do\n");
        for _ in 0..1 + self.random.below(3) {
            let mut sequence: Vec<String> = (0..1 + self.random.below(3)).map(|_| self.statement()).collect();
            if self.random.below(2) == 0 {
                sequence.insert(0, self.condition());
            }
            let mut sequence = sequence.join("; ");
            if self.random.below(4) == 0 {
                sequence = format!("atomic {{ {sequence} }}");
            }
            let label = if self.random.below(3) == 0 { "skip; " } else { "" };
            let _ = writeln!(text, "  :: {label}{sequence}");
        }
        if self.random.below(3) == 0 {
            let _ = writeln!(text, "  :: else -> {}", self.one(&["skip", "turn = ME", "flag[ME] = 0"]));
        }
        if self.random.below(6) == 0 {
            // Without a way back, a process that stays does not end any more.
            text += &self.one(&[
                "  :: count == 2 -> break\n",
                "  :: count == 2 -> goto gone\n",
                "  :: goto stay\n  :: goto gone\n",
            ]);
        }
        text += "od";
        if self.random.below(5) == 0 {
            format!("{{ {text} }} unless {{ flag[ME] && count == 1; flag[ME] = 0 }}").replace("ME", self.me)
        } else {
            text
        }
    }

    fn model(&mut self) -> String {
        let (count, places) = (self.processes, self.least + self.processes + self.random.below(2));
        let first = if self.random.below(2) == 0 { self.least } else { 77 };
        let mut text = format!(
            "typedef Row {{ bit with[{places}] }}\nbyte turn = {first}, count; bit bit1; bit flag[{places}]; byte seen[{places}];\n\
             byte next[{places}] = {first};\nRow matrix[{places}];\nchan q = [2] of {{ byte, bit }};\n\
             chan box[{places}] = [1] of {{ byte }};\nchan meet = [0] of {{ byte }};\nchan names = [1] of {{ chan }};\n"
        );
        let own = if self.random.below(2) == 0 { "[1] of { byte }" } else { "[2] of { byte }" };
        let locals = format!("byte other = {first}, mine; chan own = {own}; chan peer;");
        let (body, label) = (self.body(), self.one(&["work: ", "end: work: ", "progress: work: "]));
        let provided = if self.random.below(8) == 0 {
            format!(" provided (turn != {})", self.one(&["ME", "77", "1"]))
        } else {
            String::new()
        };
        let stay = format!("stay: do :: {} :: {} od", self.statement(), self.statement());
        let started = self.me == "_pid";
        let head = if started {
            format!("active [{count}] proctype W(){provided}")
        } else {
            format!("proctype W(byte id){provided}")
        };
        let _ = writeln!(text, "{head} {{ {locals} {label}{body}; goto gone; {stay}; gone: skip }}");
        if !started {
            let mut run = String::new();
            for number in 0..count {
                let name = if self.random.below(12) == 0 { self.least } else { self.least + number };
                let _ = write!(run, "run W({name}); ");
            }
            let after =
                self.one(&["", "", "turn = 77", "do :: turn != 77 -> turn = 77 od", "q?turn, _", "do :: q?turn, _ od"]);
            let order = self.random.below(3) == 0;
            let run = if order { run } else { format!("atomic {{ {run} }} ") };
            let _ = writeln!(text, "init {{ {run}{after} }}");
        }
        if self.random.below(3) == 0 {
            let watcher = self.one(&[
                "do :: turn = 77 od",
                "do :: q?turn, bit1 -> flag[turn] = 1 od",
                "byte i; do :: atomic { q?i, _ -> box[i]!i } od",
                "assert(!(flag[1] && flag[2]))",
                "end: meet?turn; meet!turn",
                "byte i; atomic { do :: i < 2 -> flag[i] = 1; i = i + 1 :: else -> break od }; do :: q?turn, _ od",
                "do :: run V(turn) :: turn = 77 od",
            ]);
            let _ = writeln!(text, "proctype V(byte x) {{ turn = x }}\nactive proctype M() {{ {watcher} }}");
        }
        text
    }
}

/// A model; `None` for the few that are rejected, as two `else` at one place are.
fn read(seed: u64) -> Option<(Network, SourceMap, String)> {
    let mut random = Random::new(seed);
    let (me, least) = if random.below(2) == 0 { ("_pid", 0) } else { ("id", random.below(2)) };
    let processes = 2 + random.below(2);
    let tame = random.below(2) == 0;
    let text = Writer { random, processes, me, least, tame }.model().replace("ME", me);
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
