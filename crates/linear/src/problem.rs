//! What is asked and what is answered.
//!
//! A problem is: minimise c·x subject to A·x ≤ b and x ≥ 0. It keeps its rows exactly as they were given, so that
//! [`crate::check`] can recompute every answer from them; the solver has its own copy in its own order.

use crate::rational::Rational;
use crate::simplex::{Simplex, Stop};

/// A variable of a problem: a number that is not negative.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Variable(pub u32);

/// A row of a problem: a linear inequality.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Row(pub u32);

/// How a solve ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// A cheapest solution.
    Optimal(Solution),
    /// There is no solution, by Farkas' lemma: the sum of the rows with these positive multipliers has no negative
    /// coefficient, and a negative bound.
    Infeasible(Vec<(Row, Rational)>),
    /// There are solutions of arbitrarily low cost.
    Unbounded(Ray),
    /// The caller asked to stop. The next solve goes on from here.
    Stopped,
}

/// A cheapest solution, and why it is one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Solution {
    /// The value of each variable.
    pub values: Vec<Rational>,
    /// The cost of the solution.
    pub objective: Rational,
    /// A multiplier λ ≥ 0 for each row (the dual values): c + λ·A ≥ 0, and the objective is −λ·b.
    pub multipliers: Vec<Rational>,
}

/// A solution, and a direction in which there are solutions forever while the cost goes down.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ray {
    /// The value of each variable at the start.
    pub point: Vec<Rational>,
    /// A direction d ≥ 0 with A·d ≤ 0 and c·d < 0, by variable.
    pub direction: Vec<Rational>,
}

/// A row as it was given: the sum of its terms is at most its bound. A variable may occur more than once.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Inequality {
    pub(crate) terms: Vec<(Variable, Rational)>,
    pub(crate) bound: Rational,
}

/// A linear program that may grow between one solve and the next.
#[derive(Clone, Debug, Default)]
pub struct Problem {
    costs: Vec<Rational>,
    rows: Vec<Inequality>,
    simplex: Simplex,
}

impl Problem {
    /// A problem without variables and rows.
    pub fn new() -> Self {
        Problem::default()
    }

    /// Adds a variable that is at least 0 and contributes its value times `cost` to the objective.
    pub fn add_variable(&mut self, cost: Rational) -> Variable {
        let variable = Variable(self.costs.len() as u32);
        self.simplex.add_variable(cost.clone());
        self.costs.push(cost);
        variable
    }

    /// Adds the row `Σ coefficient · variable ≤ bound`. Coefficients of the same variable are added up.
    ///
    /// # Panics
    ///
    /// If a variable is not of this problem.
    pub fn add_row(&mut self, coefficients: &[(Variable, Rational)], bound: Rational) -> Row {
        let row = Row(self.rows.len() as u32);
        self.simplex.add_row(&summed(coefficients), bound.clone());
        self.rows.push(Inequality { terms: coefficients.to_vec(), bound });
        row
    }

    /// Finds a cheapest solution, or why there is none. `keep_going` is asked before each pivot.
    pub fn solve(&mut self, keep_going: &mut dyn FnMut() -> bool) -> Outcome {
        match self.simplex.solve(keep_going) {
            Stop::Optimal => Outcome::Optimal(self.solution()),
            Stop::Infeasible(multipliers) => {
                Outcome::Infeasible(multipliers.into_iter().map(|(row, multiplier)| (Row(row), multiplier)).collect())
            }
            Stop::Unbounded(direction) => Outcome::Unbounded(Ray { point: self.values(), direction }),
            Stop::Requested => Outcome::Stopped,
        }
    }

    /// The value of a variable in the last solution; 0 for a variable that was added after it.
    pub fn value(&self, variable: Variable) -> Rational {
        self.simplex.value(variable.0)
    }

    /// How many pivots were made so far.
    pub fn pivots(&self) -> u64 {
        self.simplex.pivots()
    }

    /// How many variables there are.
    pub fn variable_count(&self) -> usize {
        self.costs.len()
    }

    /// How many rows there are.
    pub fn row_count(&self) -> usize {
        self.rows.len()
    }

    pub(crate) fn costs(&self) -> &[Rational] {
        &self.costs
    }

    pub(crate) fn rows(&self) -> &[Inequality] {
        &self.rows
    }

    fn values(&self) -> Vec<Rational> {
        (0..self.costs.len() as u32).map(|variable| self.simplex.value(variable)).collect()
    }

    fn solution(&self) -> Solution {
        let values = self.values();
        let paid = self.costs.iter().zip(&values).filter(|(_, value)| !value.is_zero());
        let objective = paid.map(|(cost, value)| cost * value).sum();
        let multipliers = (0..self.rows.len() as u32).map(|row| self.simplex.multiplier(row)).collect();
        Solution { values, objective, multipliers }
    }
}

/// One coefficient for each variable, by variable, without zeros.
fn summed(coefficients: &[(Variable, Rational)]) -> Vec<(u32, Rational)> {
    let mut terms: Vec<(u32, Rational)> = coefficients.iter().map(|(v, value)| (v.0, value.clone())).collect();
    terms.sort_by_key(|(variable, _)| *variable);
    terms.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 += &next.1;
        }
        same
    });
    terms.retain(|(_, value)| !value.is_zero());
    terms
}
