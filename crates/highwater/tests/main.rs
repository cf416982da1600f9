//! The integration tests of `highwater`, one executable: each file is a module.

mod applicability;
mod builder;
mod builder_errors;
mod builder_random;
mod facade;
mod public_api;
mod size;
mod twins;
