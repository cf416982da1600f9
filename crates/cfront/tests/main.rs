//! The integration tests of `cfront`, one executable: each file is a module.

mod common;
mod constructs;
mod differential;
mod fuzz;
mod messages;
mod robust;
mod semantics;
mod traps;
mod witness;
