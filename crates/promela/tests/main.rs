//! The integration tests of `promela`, one executable: each file is a module.

mod differences;
mod messages;
mod semantics;
mod spin;
mod statements;
mod unreached;
