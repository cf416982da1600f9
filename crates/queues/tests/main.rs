//! The integration tests of `queues`, one executable: each file is a module.

mod extrapolations;
mod hand;
mod operations;
mod support;
