//! The integration tests of `pdr`, one executable: each file is a module.

mod attack;
mod common;
mod compiled;
mod corpus;
mod lifetimes;
mod programs;
mod states;
