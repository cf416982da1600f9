//! Exact linear programming: a solution, or the reason why there is none.
//!
//! * In: a [`Problem`]: variables that are not negative, each with a cost, and rows `a·x ≤ b`, all in exact
//!   [`Rational`] numbers. Rows and variables may be added at any time; the next solve goes on from where the last
//!   one stopped.
//! * Out: an [`Outcome`]: an optimal [`Solution`] with its multipliers, the multipliers of Farkas' lemma if there is
//!   no solution, a [`Ray`] if the cost has no lower bound, or word that the caller wanted to stop.
//!
//! Every outcome can be checked by the page of plain code in [`check`], which shares nothing with the solver but the
//! rows. This crate never prints, knows nothing of models, and lets no floating-point number decide anything but the
//! order in which equally correct candidates are tried.

mod basis;
pub mod check;
mod problem;
mod rational;
mod simplex;
mod sparse;

pub use problem::{Outcome, Problem, Ray, Row, Solution, Variable};
pub use rational::{Rational, common_denominator};
