//! Answers, checked.
//!
//! Each function recomputes one claim from the rows as they were given, with nothing but sums and comparisons. That
//! the claim then holds for the whole problem takes one line of weak duality each, and none of the solver.

use crate::problem::{Outcome, Problem, Ray, Row, Solution, Variable};
use crate::rational::Rational;

/// Whether an outcome is what it claims to be; [`Outcome::Stopped`] claims nothing.
pub fn is_right(problem: &Problem, outcome: &Outcome) -> bool {
    match outcome {
        Outcome::Optimal(solution) => is_optimal(problem, solution),
        Outcome::Infeasible(multipliers) => is_infeasible(problem, multipliers),
        Outcome::Unbounded(ray) => is_ray(problem, ray),
        Outcome::Stopped => true,
    }
}

/// Whether `values` has a value for each variable, none negative, that satisfy every row.
pub fn is_solution(problem: &Problem, values: &[Rational]) -> bool {
    values.len() == problem.variable_count()
        && !values.iter().any(Rational::is_negative)
        && problem.rows().iter().all(|row| total(&row.terms, values) <= row.bound)
}

/// Whether a solution is as cheap as any: for every solution x, c·x ≥ c·x + λ·(A·x − b) = (c + λ·A)·x − λ·b ≥ −λ·b,
/// which is its objective.
pub fn is_optimal(problem: &Problem, solution: &Solution) -> bool {
    let multipliers = &solution.multipliers;
    if multipliers.len() != problem.row_count() || multipliers.iter().any(Rational::is_negative) {
        return false;
    }
    let (coefficients, bound) = combination(problem, multipliers);
    let cost: Rational = problem.costs().iter().zip(&solution.values).map(|(cost, value)| cost * value).sum();
    is_solution(problem, &solution.values)
        && cost == solution.objective
        && solution.objective == -bound
        && problem.costs().iter().zip(&coefficients).all(|(cost, sum)| !(cost + sum).is_negative())
}

/// Whether the multipliers show that there is no solution: for every solution x, 0 ≤ (λ·A)·x ≤ λ·b < 0.
pub fn is_infeasible(problem: &Problem, multipliers: &[(Row, Rational)]) -> bool {
    let mut dense = vec![Rational::ZERO; problem.row_count()];
    for (row, multiplier) in multipliers {
        match dense.get_mut(row.0 as usize) {
            Some(place) if !multiplier.is_negative() => *place += multiplier,
            _ => return false,
        }
    }
    let (coefficients, bound) = combination(problem, &dense);
    bound.is_negative() && !coefficients.iter().any(Rational::is_negative)
}

/// Whether `point + t · direction` is a solution for every t ≥ 0, and costs less the greater t is.
pub fn is_ray(problem: &Problem, ray: &Ray) -> bool {
    let direction = &ray.direction;
    is_solution(problem, &ray.point)
        && direction.len() == problem.variable_count()
        && !direction.iter().any(Rational::is_negative)
        && problem.rows().iter().all(|row| !total(&row.terms, direction).is_positive())
        && problem.costs().iter().zip(direction).map(|(cost, step)| cost * step).sum::<Rational>().is_negative()
}

/// The sum of a row's terms.
fn total(terms: &[(Variable, Rational)], values: &[Rational]) -> Rational {
    terms.iter().map(|(variable, coefficient)| coefficient * &values[variable.0 as usize]).sum()
}

/// The sum of all rows with their multipliers: λ·A and λ·b.
fn combination(problem: &Problem, multipliers: &[Rational]) -> (Vec<Rational>, Rational) {
    let mut coefficients = vec![Rational::ZERO; problem.variable_count()];
    let mut bound = Rational::ZERO;
    for (row, multiplier) in problem.rows().iter().zip(multipliers) {
        for (variable, coefficient) in &row.terms {
            coefficients[variable.0 as usize] += multiplier * coefficient;
        }
        bound += multiplier * &row.bound;
    }
    (coefficients, bound)
}
