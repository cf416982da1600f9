//! The integration tests of `promela`, one executable: each file is a module.

mod messages;
mod semantics;
mod spin;
