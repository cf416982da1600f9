//! Random problems against a naive twin, and incremental solving against solving from scratch.
//!
//! The twin tries every basis: every choice of as many tight inequalities (rows, or x ≥ 0) as there are variables.
//! If there is a solution, one of these points is one (x ≥ 0 has no line in it), and the cheapest of them is an
//! optimum unless there is a ray; there is one if the problem of the directions, cut at Σd ≤ 1, has a negative optimum.

use crate::support::{Dense, Random, objective, order_rows, solve};
use linear::{Outcome, Problem, Rational, Variable};

/// The cost of a cheapest vertex, if there is a solution.
fn best_vertex_naive(dense: &Dense) -> Option<Rational> {
    let n = dense.costs.len();
    let mut planes = dense.rows.clone();
    for i in 0..n {
        planes.push(((0..n).map(|j| -i64::from(i == j)).collect(), 0));
    }
    let mut best: Option<Rational> = None;
    for choice in (0u32..1 << planes.len()).filter(|choice| choice.count_ones() as usize == n) {
        let tight: Vec<_> = (0..planes.len()).filter(|i| choice >> i & 1 == 1).map(|i| &planes[i]).collect();
        let Some(point) = intersection(&tight, n) else { continue };
        if planes.iter().all(|(row, bound)| dot(row, &point) <= Rational::integer(*bound)) {
            let cost = dot(&dense.costs, &point);
            best = Some(best.map_or(cost.clone(), |other| other.min(cost)));
        }
    }
    best
}

fn dot(row: &[i64], point: &[Rational]) -> Rational {
    row.iter().zip(point).map(|(&a, x)| Rational::integer(a) * x).sum()
}

/// The one point on all planes, by Gauss–Jordan elimination.
fn intersection(planes: &[&(Vec<i64>, i64)], n: usize) -> Option<Vec<Rational>> {
    let widen = |(row, bound): &&(Vec<i64>, i64)| row.iter().chain([bound]).map(|&a| Rational::integer(a)).collect();
    let mut matrix: Vec<Vec<Rational>> = planes.iter().map(widen).collect();
    for column in 0..n {
        let pivot = (column..n).find(|&row| !matrix[row][column].is_zero())?;
        matrix.swap(column, pivot);
        let scale = matrix[column][column].clone();
        matrix[column].iter_mut().for_each(|entry| *entry /= &scale);
        let line = matrix[column].clone();
        for row in (0..n).filter(|&row| row != column) {
            let factor = matrix[row][column].clone();
            matrix[row].iter_mut().zip(&line).for_each(|(entry, other)| *entry -= &factor * other);
        }
    }
    Some(matrix.into_iter().map(|mut row| row.remove(n)).collect())
}

/// What the twin says: no solution, no lower bound, or the optimum.
fn naive(dense: &Dense) -> Result<Rational, &'static str> {
    let best = best_vertex_naive(dense).ok_or("infeasible")?;
    let mut directions = dense.clone();
    directions.rows.iter_mut().for_each(|(_, bound)| *bound = 0);
    directions.rows.push((vec![1; dense.costs.len()], 1));
    match best_vertex_naive(&directions) {
        Some(slope) if slope.is_negative() => Err("unbounded"),
        _ => Ok(best),
    }
}

fn verdict(outcome: &Outcome) -> Result<Rational, &'static str> {
    match outcome {
        Outcome::Optimal(_) => Ok(objective(outcome)),
        Outcome::Infeasible(_) => Err("infeasible"),
        Outcome::Unbounded(_) => Err("unbounded"),
        Outcome::Stopped => Err("stopped"),
    }
}

fn random_dense(random: &mut Random, variables: i64, rows: i64) -> Dense {
    let costs_from = random.between(-3, 1);
    let bounds = random.between(0, 3);
    let zeros = random.between(0, 3) as u64;
    let mut coefficient = |low: i64, high: i64| if random.below(4) < zeros { 0 } else { random.between(low, high) };
    let costs = (0..variables).map(|_| coefficient(costs_from, 3)).collect();
    let mut row = || (0..variables).map(|_| coefficient(-5, 5)).collect::<Vec<_>>();
    let lines: Vec<_> = (0..rows).map(|_| row()).collect();
    Dense { costs, rows: lines.into_iter().map(|line| (line, random.between(-bounds, bounds))).collect() }
}

#[test]
fn random_problems_have_the_verdict_of_the_naive_twin() {
    let mut seen = [0; 3];
    for seed in 0..6000 {
        let mut random = Random::new(seed);
        let (variables, rows) = (random.between(1, 4), random.between(0, 5));
        let dense = random_dense(&mut random, variables, rows);
        let expected = naive(&dense);
        assert_eq!(verdict(&dense.solve()), expected, "seed {seed}: {dense:?}");
        seen[match expected {
            Ok(_) => 0,
            Err("infeasible") => 1,
            Err(_) => 2,
        }] += 1;
    }
    assert!(seen.iter().all(|&count| count > 300), "one-sided problems: {seen:?}");
}

/// Rows and variables come in random batches, with a solve after each; every verdict is that of a new problem.
#[test]
fn incremental_solving_equals_solving_from_scratch() {
    for seed in 0..600 {
        let mut random = Random::new(seed);
        let (variables, rows) = (random.between(1, 25), random.between(1, 40));
        let spread = random.between(2, 12) as u64;
        let mut whole = random_dense(&mut random, variables, rows);
        whole
            .rows
            .iter_mut()
            .for_each(|(row, _)| row.iter_mut().for_each(|a| *a *= i64::from(random.below(spread) < 2)));
        let mut problem = Problem::new();
        let mut known = 0;
        for (i, (row, bound)) in whole.rows.iter().enumerate() {
            let last = row.iter().rposition(|&a| a != 0).map_or(0, |last| last + 1);
            let more = (known + random.below(3) as usize).min(whole.costs.len()).max(last);
            (known..more).for_each(|j| _ = problem.add_variable(Rational::integer(whole.costs[j])));
            known = known.max(more);
            let terms: Vec<_> = (0..last).map(|j| (Variable(j as u32), Rational::integer(row[j]))).collect();
            problem.add_row(&terms, Rational::integer(*bound));
            if random.below(3) == 0 {
                let upto = Dense { costs: whole.costs[..known].to_vec(), rows: cut(&whole.rows[..=i], known) };
                assert_eq!(verdict(&solve(&mut problem)), verdict(&upto.solve()), "seed {seed}, row {i}");
            }
        }
    }
}

fn cut(rows: &[(Vec<i64>, i64)], known: usize) -> Vec<(Vec<i64>, i64)> {
    rows.iter().map(|(row, bound)| (row[..known].to_vec(), *bound)).collect()
}

/// Dense rows of larger numbers: determinants outgrow machine words, and the basis is rebuilt with a core.
#[test]
fn dense_problems_with_large_coefficients_are_exact() {
    for seed in 0..12 {
        let mut random = Random::new(seed);
        let n = random.between(10, 30);
        let mut problem = Problem::new();
        let variables: Vec<_> = (0..n).map(|_| problem.add_variable(random.between(0, 1000).into())).collect();
        for _ in 0..n {
            let row: Vec<_> = variables.iter().map(|&v| (v, random.between(-99_999, 50_000).into())).collect();
            problem.add_row(&row, random.between(-9_999, 100).into());
            solve(&mut problem);
        }
    }
}

/// Zero costs make every dual step idle; without tie costs these problems take twenty times the pivots, or forever.
#[test]
fn zero_costs_take_no_more_pivots_than_ones() {
    for seed in 0..10 {
        let rows = order_rows(seed, 100, 200);
        let pivots = |cost: i64| {
            let mut problem = Problem::new();
            (0..100).for_each(|_| _ = problem.add_variable(Rational::integer(cost)));
            for chunk in rows.chunks(10) {
                for (terms, bound) in chunk {
                    let terms: Vec<_> = terms.iter().map(|&(v, a)| (Variable(v), Rational::integer(a))).collect();
                    problem.add_row(&terms, Rational::integer(*bound));
                }
                solve(&mut problem);
            }
            problem.pivots()
        };
        assert!(pivots(0) <= 2 * pivots(1), "seed {seed}: {} against {}", pivots(0), pivots(1));
    }
}
