//! Families of random Promela models that several crates use.

pub mod alike;
pub mod ends;
pub mod loops;
pub mod meetings;
pub mod queues;
