//! The integration tests of `fsp`, one executable: each file is a module.

mod common;
mod examples;
mod fuzz;
mod language;
mod messages;
mod round_trip;
mod twin;
