//! How large are our automata, and how large are SPIN's?
//!
//! Prints a table: the catalogue of patterns, the surge protector in its three styles, and random formulas, each with
//! its negation. Formulas on which `spin -f` takes longer than five seconds, and those with an X, which SPIN knows only
//! if it was built so, are left out of all sums and counted.
//!
//! `cargo run --release -p highwater-temporal --example sizes [number of random formulas [program]]`, where the program
//! is one that takes a formula after `-f` and prints a never claim, as SPIN and its relatives do.
#![allow(clippy::print_stdout)]

#[path = "../tests/support/mod.rs"]
mod support;

use std::time::{Duration, Instant};
use support::{Random, patterns, spin};
use temporal::{Formula, Limits, automaton};

#[derive(Default)]
struct Row {
    formulas: usize,
    left_out: usize,
    ours: (usize, usize),
    theirs: (usize, usize),
    larger: usize,
    time: Duration,
}

fn main() {
    let count = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(500);
    let program = std::env::args().nth(2).unwrap_or_else(|| "spin".to_string());
    let verbose = std::env::var("VERBOSE").is_ok();
    println!(
        "| formulas | number | left out | our states | {program}'s | our edges | {program}'s | larger | our time |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    measure(&program, "patterns", patterns::all(), verbose);
    for (style, name) in ["state/event", "states", "events"].into_iter().enumerate() {
        let formulas = (1..=5).map(|range| patterns::surge_protector(range)[style].clone()).collect();
        measure(&program, &format!("surge protector, {name}"), formulas, verbose);
    }
    let names: Vec<String> = ["a", "b", "c"].map(String::from).to_vec();
    for (name, with_next) in [("random without X", false), ("random with X", true)] {
        if with_next && program == "spin" {
            continue;
        }
        let formulas = (0..count).map(|seed| {
            let mut random = Random::new(seed);
            let size = 5 + random.below(12) as usize;
            (support::formula(&mut random, size, 3, with_next), names.clone())
        });
        measure(&program, name, formulas.collect(), verbose);
    }
}

fn measure(program: &str, name: &str, formulas: Vec<(Formula, Vec<String>)>, verbose: bool) {
    let mut row = Row::default();
    let both = formulas.iter().flat_map(|(formula, names)| [(formula.clone(), names), (formula.negated(), names)]);
    for (formula, names) in both {
        row.formulas += 1;
        let start = Instant::now();
        let ours = automaton(&formula, &Limits::default());
        row.time += start.elapsed();
        let (Ok(ours), Some(theirs)) = (ours, spin::claim_size(program, &formula, names, 5)) else {
            row.left_out += 1;
            continue;
        };
        row.ours = (row.ours.0 + ours.states.len(), row.ours.1 + ours.edges());
        row.theirs = (row.theirs.0 + theirs.0, row.theirs.1 + theirs.1);
        row.larger += usize::from(ours.states.len() > theirs.0);
        if verbose && ours.states.len() > theirs.0 {
            println!("larger: {} against {}: {}", ours.states.len(), theirs.0, formula.to_paper(names));
        }
    }
    let Row { formulas, left_out, ours, theirs, larger, time } = row;
    println!(
        "| {name} | {formulas} | {left_out} | {} | {} | {} | {} | {larger} | {time:.1?} |",
        ours.0, theirs.0, ours.1, theirs.1
    );
}
