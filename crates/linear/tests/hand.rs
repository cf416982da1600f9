//! Small problems with answers known from books or from thought.

use crate::support::{Dense, Random, add, objective, solve};
use linear::{Outcome, Problem, Rational, Row, Variable, check};

fn integer(value: i64) -> Rational {
    Rational::integer(value)
}

fn fraction(numerator: i128, denominator: i128) -> Rational {
    Rational::fraction(numerator, denominator).unwrap()
}

#[test]
fn an_empty_problem_costs_nothing() {
    let outcome = solve(&mut Problem::new());
    assert_eq!(objective(&outcome), Rational::ZERO);
}

#[test]
fn without_rows_everything_is_zero_or_unbounded() {
    assert_eq!(objective(&Dense::new(&[1, 0, 3], &[]).solve()), Rational::ZERO);
    assert!(matches!(Dense::new(&[1, -1], &[]).solve(), Outcome::Unbounded(_)));
}

#[test]
fn rows_without_variables_are_true_or_false() {
    assert_eq!(objective(&Dense::new(&[1], &[(&[0], 0), (&[0], 3)]).solve()), Rational::ZERO);
    let outcome = Dense::new(&[1], &[(&[0], 0), (&[0], -1)]).solve();
    assert_eq!(outcome, Outcome::Infeasible(vec![(Row(1), integer(1))]));
}

#[test]
fn a_lower_bound_is_met_exactly() {
    let outcome = Dense::new(&[2], &[(&[-3], -2)]).solve();
    assert_eq!(objective(&outcome), fraction(4, 3));
}

#[test]
fn duplicate_rows_and_terms_change_nothing() {
    let row: (&[i64], i64) = (&[-1, -1], -4);
    assert_eq!(objective(&Dense::new(&[1, 2], &[row, row, row, (&[1, 0], 3), row]).solve()), integer(5));
    let mut problem = Problem::new();
    let x = problem.add_variable(integer(1));
    problem.add_row(&[(x, integer(-3)), (x, integer(5)), (x, integer(-3))], integer(-2));
    assert_eq!(objective(&solve(&mut problem)), integer(2));
    assert_eq!(problem.value(x), integer(2));
    problem.add_row(&[(x, integer(2)), (x, integer(-2))], integer(-1));
    assert!(matches!(solve(&mut problem), Outcome::Infeasible(_)));
}

#[test]
fn contradicting_rows_are_infeasible_forever() {
    let mut problem = Dense::new(&[1, 1], &[(&[1, -1], -1), (&[-1, 1], 0)]).problem();
    let first = solve(&mut problem);
    assert!(matches!(first, Outcome::Infeasible(_)));
    problem.add_variable(integer(-1));
    add(&mut problem, &[1, 1, -1], -5);
    assert_eq!(solve(&mut problem), first);
}

#[test]
fn an_unbounded_problem_has_a_ray_until_a_row_cuts_it() {
    let mut problem = Dense::new(&[-1, 0], &[(&[1, -1], 2), (&[-1, -1], -1)]).problem();
    assert!(matches!(solve(&mut problem), Outcome::Unbounded(_)));
    add(&mut problem, &[1, 2], 8);
    assert_eq!(objective(&solve(&mut problem)), integer(-4));
}

/// Beale (1955): the largest coefficient rule cycles here; the optimum is −1/20 (times 100 to have integers).
#[test]
fn beale_does_not_cycle() {
    let dense = Dense::new(
        &[-75, 15000, -2, 600],
        &[(&[25, -6000, -4, 900], 0), (&[50, -9000, -2, 300], 0), (&[0, 0, 1, 0], 1)],
    );
    assert_eq!(objective(&dense.solve()), integer(-5));
}

/// Kuhn's example, as in Balinski & Tucker (1969): cycles under the largest coefficient rule; the optimum is −2.
#[test]
fn kuhn_does_not_cycle() {
    let dense = Dense::new(&[-2, -3, 1, 12], &[(&[-2, -9, 1, 9], 0), (&[1, 3, -3, -6], 0), (&[2, 3, -1, -12], 2)]);
    assert_eq!(objective(&dense.solve()), integer(-2));
}

/// Klee & Minty (1972), with n = 8: the optimum is at 5ⁿ.
#[test]
fn klee_minty_is_solved() {
    let n = 8;
    let mut problem = Problem::new();
    let variables: Vec<Variable> = (0..n).map(|i| problem.add_variable(integer(-(1 << (n - 1 - i))))).collect();
    for i in 0..n {
        let mut row: Vec<_> = (0..i).map(|j| (variables[j as usize], integer(1 << (i - j + 1)))).collect();
        row.push((variables[i as usize], integer(1)));
        problem.add_row(&row, integer(5i64.pow(i + 1)));
    }
    assert_eq!(objective(&solve(&mut problem)), integer(-(5i64.pow(n))));
}

/// All bounds and costs zero: every pivot is degenerate, whichever method is at work.
#[test]
fn wholly_degenerate_problems_terminate() {
    for seed in 0..200 {
        let mut random = Random::new(seed);
        let (variables, rows) = (random.between(1, 12), random.between(1, 12));
        let mut line = |low| (0..variables).map(|_| random.between(low, 3)).collect::<Vec<_>>();
        let mut dense = Dense { costs: line(-3), rows: (0..rows).map(|_| (line(-3), 0)).collect() };
        solve(&mut dense.problem());
        dense.costs = vec![0; dense.costs.len()];
        dense.rows.push((vec![-1; dense.costs.len()], -1));
        let outcome = dense.solve();
        assert!(matches!(outcome, Outcome::Optimal(_) | Outcome::Infeasible(_)), "seed {seed}");
    }
}

#[test]
fn a_solve_that_was_stopped_goes_on() {
    let mut problem = Problem::new();
    let variables: Vec<Variable> = (0..50).map(|_| problem.add_variable(integer(1))).collect();
    for pair in variables.windows(2) {
        problem.add_row(&[(pair[0], integer(1)), (pair[1], integer(-1))], integer(-1));
    }
    let mut stops = 0;
    let outcome = loop {
        let mut budget = 3;
        let outcome = problem.solve(&mut || {
            budget -= 1;
            budget > 0
        });
        match outcome {
            Outcome::Stopped => stops += 1,
            other => break other,
        }
    };
    assert!(stops > 10);
    assert!(check::is_right(&problem, &outcome));
    assert_eq!(objective(&outcome), integer(49 * 50 / 2));
    assert_eq!(problem.pivots(), 49);
}

#[test]
fn new_variables_rescue_what_old_ones_made_expensive() {
    let mut problem = Problem::new();
    let x = problem.add_variable(integer(5));
    problem.add_row(&[(x, integer(-1))], integer(-2));
    assert_eq!(objective(&solve(&mut problem)), integer(10));
    let y = problem.add_variable(integer(1));
    let z = problem.add_variable(integer(0));
    problem.add_row(&[(x, integer(2)), (y, integer(-3)), (z, integer(-1))], integer(1));
    problem.add_row(&[(z, integer(1)), (y, integer(-1))], integer(0));
    assert_eq!(objective(&solve(&mut problem)), integer(10) + fraction(3, 4));
    let w = problem.add_variable(integer(-1));
    problem.add_row(&[(w, integer(1)), (y, integer(-2))], integer(0));
    assert!(matches!(solve(&mut problem), Outcome::Unbounded(_)));
    problem.add_row(&[(w, integer(1)), (x, integer(1))], integer(9));
    assert_eq!(objective(&solve(&mut problem)), integer(10) - fraction(7, 2));
}

/// x(i+1) ≥ 1000·x(i) outgrows 64 and 128 bits; scaled down again by the last rows, the values are small.
#[test]
fn numbers_that_outgrow_machine_words_come_back_right() {
    let mut problem = Problem::new();
    let n = 40;
    let variables: Vec<Variable> = (0..2 * n).map(|_| problem.add_variable(integer(1))).collect();
    problem.add_row(&[(variables[0], integer(-3))], integer(-1));
    for (i, pair) in variables.windows(2).enumerate() {
        let (up, down) = if i < n - 1 {
            (1000, 1)
        } else if i == n - 1 {
            (1, 1)
        } else {
            (1, 1000)
        };
        problem.add_row(&[(pair[0], integer(up)), (pair[1], integer(-down))], integer(0));
    }
    solve(&mut problem);
    assert!(problem.value(variables[n]).is_big());
    assert_eq!(problem.value(variables[2 * n - 1]), fraction(1, 3));
    assert_eq!(problem.value(variables[2]), fraction(1_000_000, 3));
}

#[test]
fn the_checker_refuses_answers_that_are_nearly_right() {
    let problem = Dense::new(&[1, 1], &[(&[-1, -2], -4), (&[1, 0], 1)]).problem();
    let Outcome::Optimal(right) = solve(&mut problem.clone()) else { panic!("has a solution") };
    assert!(check::is_optimal(&problem, &right));
    let mut wrong = right.clone();
    wrong.values[1] += integer(1);
    assert!(check::is_solution(&problem, &wrong.values) && !check::is_optimal(&problem, &wrong));
    wrong.values[1] -= integer(2);
    assert!(!check::is_solution(&problem, &wrong.values));
    let mut wrong = right.clone();
    wrong.multipliers[0] = integer(-1);
    assert!(!check::is_optimal(&problem, &wrong));
    assert!(!check::is_infeasible(&problem, &[(Row(0), integer(1))]));
    assert!(!check::is_infeasible(&problem, &[(Row(7), integer(1))]));
    assert!(!check::is_infeasible(&problem, &[]));
}
