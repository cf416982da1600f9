//! The integration tests of `fifo`, one executable: each file is a module.

mod counting;
mod hand;
mod paper;
mod parts;
mod published;
mod random;
mod support;
