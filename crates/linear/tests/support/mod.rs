//! What the tests share: problems from integers, solves that are always checked, and a small random generator.

#![allow(dead_code)]

use linear::{Outcome, Problem, Rational, Variable, check};

/// Xorshift (Marsaglia 2003): a seed, and always the same numbers.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A number below `limit`.
    pub fn below(&mut self, limit: u64) -> u64 {
        (self.next() >> 16) % limit
    }

    /// A number from `low` to `high`, both included.
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        low + self.below((high - low + 1) as u64) as i64
    }
}

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
