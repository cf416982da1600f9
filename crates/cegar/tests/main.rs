//! The integration tests of `cegar`, one executable: each file is a module.

mod common;
mod conformance;
mod deadlock;
mod examples;
mod families;
#[path = "common/generate.rs"]
mod generate;
mod guessed;
mod loops;
mod messages;
mod proofs;
mod random;
mod returns;
mod scale;
mod sharing;
