//! The checker, tested as one executable.

mod dependencies;
mod examples;
mod mutants;
mod trust;
