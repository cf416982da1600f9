//! What the tests share: problems from integers, solves that are always checked, and a small random generator.

#![allow(dead_code)]

use linear::{Outcome, Problem, Rational, Variable, check};
pub use testing::Random;

/// A problem in dense integers.
#[derive(Clone, Debug)]
pub struct Dense {
    pub costs: Vec<i64>,
    pub rows: Vec<(Vec<i64>, i64)>,
}

impl Dense {
    pub fn new(costs: &[i64], rows: &[(&[i64], i64)]) -> Dense {
        Dense { costs: costs.to_vec(), rows: rows.iter().map(|(row, bound)| (row.to_vec(), *bound)).collect() }
    }

    pub fn problem(&self) -> Problem {
        let mut problem = Problem::new();
        for cost in &self.costs {
            problem.add_variable(Rational::integer(*cost));
        }
        for (row, bound) in &self.rows {
            add(&mut problem, row, *bound);
        }
        problem
    }

    pub fn solve(&self) -> Outcome {
        solve(&mut self.problem())
    }
}

/// Adds a row of dense integers.
pub fn add(problem: &mut Problem, row: &[i64], bound: i64) {
    let terms: Vec<_> =
        row.iter().enumerate().map(|(i, &value)| (Variable(i as u32), Rational::integer(value))).collect();
    problem.add_row(&terms, Rational::integer(bound));
}

/// Solves, with a limit that only a loop can reach, and checks the answer.
pub fn solve(problem: &mut Problem) -> Outcome {
    let mut pivots = 0;
    let outcome = problem.solve(&mut || {
        pivots += 1;
        pivots < 200_000
    });
    assert_ne!(outcome, Outcome::Stopped, "the method does not terminate");
    assert!(check::is_right(problem, &outcome), "wrong: {outcome:?} for {problem:?}");
    outcome
}

/// The objective of an optimal outcome.
pub fn objective(outcome: &Outcome) -> Rational {
    match outcome {
        Outcome::Optimal(solution) => solution.objective.clone(),
        other => panic!("not optimal: {other:?}"),
    }
}

/// Differences x(i) − x(j) ≤ −1 or 0 with i < j, as of cycles through two queues, and some of a few more.
pub fn order_rows(seed: u64, n: u64, rows: usize) -> Vec<(Vec<(u32, i64)>, i64)> {
    let mut random = Random::new(seed);
    let mut row = || {
        let mut terms: Vec<u32> = (0..random.between(2, 4)).map(|_| random.below(n) as u32).collect();
        terms.sort_unstable();
        terms.dedup();
        let last = terms.len() - 1;
        let signed =
            terms.iter().enumerate().map(|(i, &v)| (v, if i == last { -1 - (i as i64 > 1) as i64 } else { 1 }));
        (signed.collect(), -random.between(0, 1))
    };
    (0..rows).map(|_| row()).collect()
}
