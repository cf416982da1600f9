//! How quick it is: `cargo test --release -p highwater-linear --test all figures -- --ignored --nocapture`.

#![allow(clippy::print_stdout)]

use crate::support::{Random, order_rows};
use linear::{Outcome, Problem, Rational, Variable, check};
use std::time::Instant;

fn integer(value: i64) -> Rational {
    Rational::integer(value)
}

/// Adds rows in batches, solves after each, and tells what it took.
fn measure(name: &str, costs: &[i64], rows: &[(Vec<(u32, i64)>, i64)], batch: usize) {
    let start = Instant::now();
    let mut problem = Problem::new();
    costs.iter().for_each(|&cost| _ = problem.add_variable(integer(cost)));
    let mut outcome = Outcome::Stopped;
    for chunk in rows.chunks(batch) {
        for (terms, bound) in chunk {
            let terms: Vec<_> = terms.iter().map(|&(v, a)| (Variable(v), integer(a))).collect();
            problem.add_row(&terms, integer(*bound));
        }
        outcome = problem.solve(&mut || start.elapsed().as_secs() < 20);
    }
    let time = start.elapsed();
    assert!(check::is_right(&problem, &outcome));
    let (verdict, widest) = match &outcome {
        Outcome::Optimal(solution) => ("optimal", solution.values.iter().map(|x| x.to_string().len()).max()),
        Outcome::Infeasible(multipliers) => ("infeasible", Some(multipliers.len())),
        Outcome::Unbounded(_) => ("unbounded", None),
        Outcome::Stopped => ("STOPPED", None),
    };
    println!(
        "{name:40} {:5} × {:5}, batch {:5}: {time:>10.1?}, {:6} pivots, {verdict} {widest:?}",
        costs.len(),
        rows.len(),
        batch.min(rows.len()),
        problem.pivots()
    );
}

fn chain(n: u32) -> Vec<(Vec<(u32, i64)>, i64)> {
    (0..n - 1).map(|i| (vec![(i, 1), (i + 1, -1)], -1)).collect()
}

/// Rows with `low..=high` coefficients of −5..5, which a hidden solution satisfies.
fn feasible_rows(seed: u64, n: u64, rows: usize, low: i64, high: i64) -> Vec<(Vec<(u32, i64)>, i64)> {
    let mut random = Random::new(seed);
    let hidden: Vec<i64> = (0..n).map(|_| random.between(0, 4)).collect();
    let mut out = Vec::new();
    while out.len() < rows {
        let mut row: Vec<(u32, i64)> = Vec::new();
        for _ in 0..random.between(low, high) {
            let (v, a) = (random.below(n) as u32, random.between(-5, 5));
            if a != 0 && row.iter().all(|(other, _)| *other != v) {
                row.push((v, a));
            }
        }
        let bound = -(random.between(0, 1));
        if row.iter().map(|&(v, a)| a * hidden[v as usize]).sum::<i64>() <= bound {
            out.push((row, bound));
        }
    }
    out
}

fn mostly_zero(n: usize) -> Vec<i64> {
    (0..n).map(|i| i64::from(i % 7 == 0)).collect()
}

fn mostly_one(n: usize) -> Vec<i64> {
    (0..n).map(|i| i64::from(i % 7 != 0)).collect()
}

#[test]
#[ignore = "a measurement"]
fn figures() {
    let n = 2000;
    let mut rows = chain(n);
    measure("chain", &vec![1; n as usize], &rows, usize::MAX);
    measure("chain, one by one", &vec![1; n as usize], &rows, 1);
    rows.reverse();
    measure("chain, reversed", &vec![1; n as usize], &rows, usize::MAX);
    measure("chain, reversed, one by one", &vec![1; n as usize], &rows, 1);
    let mut random = Random::new(3);
    (1..rows.len()).for_each(|i| rows.swap(i, random.below(i as u64 + 1) as usize));
    measure("chain, shuffled", &vec![1; n as usize], &rows, usize::MAX);
    measure("chain, shuffled, one by one", &vec![1; n as usize], &rows, 1);
    for (low, high) in [(2, 5), (2, 10)] {
        for (n, count) in [(500, 400), (2000, 1000), (5000, 2000)] {
            let rows = feasible_rows(1, n, count, low, high);
            let name = format!("random, {low} to {high} nonzeros");
            measure(&name, &mostly_one(n as usize), &rows, usize::MAX);
            measure(&name, &mostly_one(n as usize), &rows, 10);
        }
    }
}

#[test]
#[ignore = "a measurement"]
fn degenerate() {
    for (n, count) in [(200, 400), (1000, 1500), (2000, 3000)] {
        let rows = order_rows(1, n, count);
        measure("orders, most costs one", &mostly_one(n as usize), &rows, usize::MAX);
        measure("orders, most costs one", &mostly_one(n as usize), &rows, 10);
        measure("orders, most costs zero", &mostly_zero(n as usize), &rows, usize::MAX);
        measure("orders, most costs zero", &mostly_zero(n as usize), &rows, 10);
        measure("orders, all costs zero", &vec![0; n as usize], &rows, 10);
    }
}

#[test]
#[ignore = "a measurement"]
fn hard() {
    for (n, count) in [(100, 80), (200, 150)] {
        let rows = feasible_rows(1, n, count, 2, 40);
        measure("random, 2 to 40, zero costs", &mostly_one(n as usize), &rows, usize::MAX);
        measure("random, 2 to 40", &vec![1; n as usize], &rows, usize::MAX);
        measure("random, 2 to 40", &vec![1; n as usize], &rows, 10);
    }
}

#[test]
#[ignore = "a measurement"]
fn tiny() {
    let start = Instant::now();
    let mut pivots = 0;
    for seed in 0..5000 {
        let rows = feasible_rows(seed, 12, 12, 2, 5);
        let mut problem = Problem::new();
        (0..12).for_each(|_| _ = problem.add_variable(integer(1)));
        for (terms, bound) in &rows {
            let terms: Vec<_> = terms.iter().map(|&(v, a)| (Variable(v), integer(a))).collect();
            problem.add_row(&terms, integer(*bound));
            problem.solve(&mut || true);
        }
        pivots += problem.pivots();
    }
    println!("60,000 tiny solves: {:?}, {pivots} pivots", start.elapsed());
}
