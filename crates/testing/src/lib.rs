//! What the tests of several crates share; no crate depends on it but for its tests.
//!
//! Random tests take their numbers from one generator, [`Random`], and their number of rounds from one reader,
//! [`seeds`]; a failure prints the seed, which gives the same model again. Other tools judge where they are installed:
//! SPIN and C compilers ([`judge`]).

pub mod c;
pub mod judge;
mod lines;
pub mod models;

pub use lines::code_lines;
pub use model::random::{Number, Random};

/// The number in an environment variable.
fn variable(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|text| text.parse().ok())
}

/// How many random systems a test tries: `HIGHWATER_SEEDS`, or the usual number.
pub fn seeds(usual: u64) -> u64 {
    long().unwrap_or(usual)
}

/// `HIGHWATER_SEEDS`, for tests that do more than usual where it is set.
pub fn long() -> Option<u64> {
    variable("HIGHWATER_SEEDS")
}

/// The seed to begin with, to see a failure again: `HIGHWATER_FIRST`, or the usual one.
pub fn first(usual: u64) -> u64 {
    variable("HIGHWATER_FIRST").unwrap_or(usual)
}

/// The only seed to look at: `HIGHWATER_SEED`.
pub fn only() -> Option<u64> {
    variable("HIGHWATER_SEED")
}

/// How many damaged texts a test tries: `HIGHWATER_FUZZ`, or the usual number.
pub fn rounds(usual: u64) -> u64 {
    variable("HIGHWATER_FUZZ").unwrap_or(usual)
}

/// Whether the public models are checked in full: `HIGHWATER_CORPUS=full`.
pub fn full_corpus() -> bool {
    std::env::var("HIGHWATER_CORPUS").is_ok_and(|value| value == "full")
}
