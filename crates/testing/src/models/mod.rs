//! Families of random Promela models that several crates use.

pub mod ends;
pub mod loops;
pub mod queues;
