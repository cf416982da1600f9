//! The integration tests of `compose`, one executable: each file is a module.

mod counting;
mod equivalence;
mod fairness;
mod families;
mod formulas;
mod hand;
mod large;
mod random;
mod support;
