//! The integration tests of `scm`, one executable: each file is a module.

mod bad;
mod cfsm;
mod common;
mod data;
mod examples;
mod fold;
mod fold_atomic;
mod fuzz;
mod grammar;
mod messages;
mod print;
mod semantics;
