//! The integration tests of `highwater`, one executable: each file is a module.

mod applicability;
mod facade;
