//! The integration tests of `model`, one executable: each file is a module.

mod communicating_machines;
mod one_budget;
