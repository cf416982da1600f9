//! What a program does with its arguments, against trying them all.
//!
//! A capsule decides when it starts, by how many arguments there are and by characters of the first one. Every outcome that some
//! arguments have, and no other, is reached. `HIGHWATER_SEEDS=N` takes more programs.

use capsules::{Dialect, Text, Threads, read};
use model::network::Network;
use model::random::Random;
use model::semantics::{Reading, Semantics};
use model::source::SourceMap;
use model::trace::Narrator;
use std::collections::BTreeSet;

enum Test {
    Number(&'static str, i32),
    Character(usize, &'static str, char),
}

enum Code {
    If(Test, Box<Code>, Box<Code>),
    Outcome(i32),
    Exit,
}

const OPERATORS: [&str; 6] = ["==", "!=", "<", "<=", ">", ">="];

fn generate(random: &mut Random, depth: u32) -> Code {
    if depth > 4 || random.one_in(6u32) {
        return if random.one_in(5u32) { Code::Exit } else { Code::Outcome(random.below(100)) };
    }
    let test = if random.chance(40) {
        Test::Number(OPERATORS[random.below(6)], random.below(5))
    } else {
        let character = ['a', 'b', 'c', '\0'][random.below(4)];
        Test::Character(random.below(2), OPERATORS[random.below(6)], character)
    };
    Code::If(test, Box::new(generate(random, depth + 1)), Box::new(generate(random, depth + 1)))
}

fn text(code: &Code) -> String {
    match code {
        Code::Exit => String::from("exit(0);"),
        Code::Outcome(value) => format!("v = {value};"),
        Code::If(test, then, other) => {
            let test = match test {
                Test::Number(op, number) => format!("n {op} {number}"),
                Test::Character(at, op, '\0') => format!("'\\0' {op} a[{at}]"),
                Test::Character(at, op, character) => format!("a[{at}] {op} '{character}'"),
            };
            format!("if ({test}) {{ {} }} else {{ {} }}", text(then), text(other))
        }
    }
}

fn holds(op: &str, a: i32, b: i32) -> bool {
    match op {
        "==" => a == b,
        "!=" => a != b,
        "<" => a < b,
        "<=" => a <= b,
        ">" => a > b,
        _ => a >= b,
    }
}

/// The outcome; `None` if the program ends.
fn run(code: &Code, number: i32, characters: [i32; 2]) -> Option<i32> {
    match code {
        Code::Exit => None,
        Code::Outcome(value) => Some(*value),
        Code::If(test, then, other) => {
            let holds = match *test {
                Test::Number(op, limit) => holds(op, number, limit),
                Test::Character(at, op, '\0') => holds(op, 0, characters[at]),
                Test::Character(at, op, character) => holds(op, characters[at], character as i32),
            };
            run(if holds { then } else { other }, number, characters)
        }
    }
}

fn explored(network: &Network, sources: &SourceMap) -> BTreeSet<Option<i32>> {
    let semantics = Semantics::new(network, Reading::Unbounded);
    let (mut narrator, mut stepper) = (Narrator::new(&semantics, sources), semantics.stepper());
    let first = (stepper.initial().unwrap().unwrap(), None);
    let (mut found, mut seen, mut left) = (BTreeSet::new(), BTreeSet::from([first.clone()]), vec![first]);
    while let Some((state, control)) = left.pop() {
        stepper.load(&state);
        let (machine, location) = stepper.loaded_place(0);
        let location = &network.machine(machine).locations[location.index()];
        if location.progress {
            found.insert(None);
        } else if !location.labels.is_empty() {
            let all = narrator.snapshot(&state).variables;
            found.insert(Some(all.iter().find(|v| v.name == "Top.v").unwrap().value.parse().unwrap()));
        }
        let mut keep = |state: Option<&[u8]>, control| {
            let next = (state.expect("no fault").to_vec(), control);
            if seen.insert(next.clone()) {
                left.push(next);
            }
        };
        stepper.expand(&state, control, &mut |successor| keep(successor.state, successor.control)).unwrap();
    }
    found
}

#[test]
fn every_outcome_of_some_arguments_is_reached_and_no_other() {
    for seed in testing::first(0)..testing::first(0) + testing::seeds(300) {
        let code = generate(&mut Random::new(seed), 0);
        let text = format!(
            "capsule Top {{ [[rt::decl]] `int v = 0;` statemachine {{ state S; initial -> S `
             int n = RTMain::argCount(); const char * a = RTMain::argStrings()[1];
             std::cout << n << RTMain::argStrings()[0] << std::endl; {}`; }}; }};",
            text(&code)
        );
        let read = read(Dialect::Art, &Text { name: "m.art".into(), text: text.clone() }, &[], None, &Threads::Any);
        let network = read.network.unwrap_or_else(|| panic!("{:#?}", read.diagnostics));
        assert!(network.havoc.is_empty(), "seed {seed}: {:#?}\n{text}", read.diagnostics);
        let mut expected = BTreeSet::new();
        for number in 1..8 {
            for first in -128..128 {
                expected.extend((-128..128).map(|second| run(&code, number, [first, second])));
            }
        }
        assert_eq!(explored(&network, &read.sources), expected, "seed {seed}\n{text}");
    }
}

#[test]
fn arguments_that_are_used_otherwise_are_unknown() {
    let guesses = |code: &str| {
        let text = format!("capsule Top {{ statemachine {{ state S; initial -> S `{code}`; }}; }};");
        let read = read(Dialect::Art, &Text { name: "m.art".into(), text }, &[], None, &Threads::Any);
        !read.network.expect("a model").havoc.is_empty()
    };
    assert!(guesses("int n = RTMain::argCount(); if (n > 2) { int a = n; if (a > 5) { a = 1; } }"), "a copy");
    assert!(guesses("int n = RTMain::argCount(); n--; if (n > 2) { n = 1; }"), "a change");
    assert!(guesses("int n = RTMain::argCount(); int m = RTMain::argCount(); if (n > m) { n = 1; }"), "two numbers");
    assert!(guesses("int n = RTMain::argCount(); scan(&n); if (n > 2) { }"), "a change by others");
    assert!(guesses("const char* a = RTMain::argStrings()[1]; a++; if (a[0] == 'x') { }"), "a pointer that moves");
    assert!(guesses("const char* a = RTMain::argStrings()[1]; int i = 0; if (a[i] == 'x') { }"), "an index");
    assert!(!guesses("int n = RTMain::argCount(); if (n > 2) { int a = 1; if (a > 5) { a = 1; } }"));
}
