//! How many questions a second. Run it by hand: `cargo test --release -p highwater-bitvector --test all measure -- --ignored
//! --nocapture`.

#![allow(clippy::print_stderr, reason = "the figures are the point")]

use crate::support;

use crate::support::Random;
use bitvector::{Effort, Embedded, External, Outcome, Solver, Sort, TermId, Terms};
use std::time::Instant;

/// Predicates such as those of a C program: comparisons of a few variables with constants and with each other, some
/// after an assignment.
fn predicates(terms: &mut Terms, random: &mut Random, variables: usize, count: usize) -> Vec<TermId> {
    let known: Vec<TermId> = (0..variables).map(|which| terms.var(&format!("x{which}"), Sort::Bv(32))).collect();
    let mut made = Vec::new();
    while made.len() < 2 * count {
        let x = known[random.below(variables as u64) as usize];
        let y = known[random.below(variables as u64) as usize];
        let small = terms.constant(32, u128::from(random.below(40u64)));
        let step = terms.constant(32, u128::from(1 + random.below(3u64)));
        let term = match random.below(8) {
            0..=2 => terms.eq(x, small),
            3 => terms.slt(x, small),
            4 => terms.slt(x, y),
            5 => terms.eq(x, y),
            6 => {
                let next = terms.add(x, step);
                terms.slt(next, y)
            }
            _ => {
                let low = terms.bv_and(x, step);
                terms.eq(low, step)
            }
        };
        if !support::is_constant(terms, term) {
            made.extend([term, terms.not(term)]);
        }
    }
    made
}

fn questions(random: &mut Random, pool: &[TermId], count: usize, size: usize) -> Vec<Vec<TermId>> {
    let mut question = |_| (0..size).map(|_| pool[random.below(pool.len() as u64) as usize]).collect();
    (0..count).map(&mut question).collect()
}

fn run(label: &str, solver: &mut dyn Solver, terms: &Terms, questions: &[Vec<TermId>]) -> Vec<bool> {
    let start = Instant::now();
    let mut unsat = 0;
    let mut answers = Vec::new();
    for question in questions {
        let outcome = solver.check(terms, question, &Effort::unlimited());
        assert!(!matches!(outcome, Outcome::Unknown(_)), "{outcome:?}");
        unsat += usize::from(outcome.is_unsat());
        answers.push(outcome.is_sat());
    }
    let each = start.elapsed().as_secs_f64() * 1e6 / questions.len() as f64;
    eprintln!("{label:40} {:6} questions, {unsat:5} unsat, {each:8.2} µs each", questions.len());
    answers
}

#[test]
#[ignore = "a measurement"]
fn questions_per_second() {
    for (variables, count, size) in [(4, 12, 5), (12, 60, 8), (30, 200, 12), (60, 1000, 20)] {
        let mut random = Random::new(7);
        let mut terms = Terms::new();
        let pool = predicates(&mut terms, &mut random, variables, count);
        let asked = questions(&mut random, &pool, 20_000, size);
        eprintln!("{variables} variables, {count} predicates, {size} in a question");
        let mut embedded = Embedded::new();
        let first = run("  embedded", &mut embedded, &terms, &asked);
        eprintln!("  {:?}", embedded.statistics());
        let second = run("  embedded without memory", &mut Embedded::without_memory(), &terms, &asked);
        assert_eq!(first, second);
        if let Some(mut external) = External::find() {
            let third = run("  external", &mut external, &terms, &asked[..1000]);
            assert_eq!(first[..1000], third);
        }
    }
}

#[test]
#[ignore = "a measurement"]
fn one_simple_question() {
    let mut terms = Terms::new();
    let [x, y] = ["x", "y"].map(|name| terms.var(name, Sort::Bv(32)));
    let [three, four] = [3, 4].map(|bits| terms.constant(32, bits));
    let question = vec![terms.eq(x, three), terms.slt(x, y), terms.slt(y, four)];
    let asked = vec![question.clone(); 10_000];
    run("x == 3 && y > x && y < 4", &mut Embedded::new(), &terms, &asked);
    run("without memory", &mut Embedded::without_memory(), &terms, &asked);
    let start = Instant::now();
    for _ in 0..1000 {
        assert!(Embedded::new().check(&terms, &question, &Effort::unlimited()).is_unsat());
    }
    eprintln!("{:40} {:8.2} µs each", "a fresh solver each time", start.elapsed().as_secs_f64() * 1e3);
    if let Some(mut external) = External::find() {
        run("external", &mut external, &terms, &asked[..2000]);
    }
}
