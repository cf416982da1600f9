//! The integration tests of `fifo`, one executable: each file is a module.

mod counting;
mod data;
mod formulas;
mod hand;
mod paper;
mod parts;
mod published;
mod random;
mod sums;
mod support;
