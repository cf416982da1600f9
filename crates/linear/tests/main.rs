//! The integration tests of `linear`, one executable: each file is a module.

mod figures;
mod hand;
mod random;
mod support;
