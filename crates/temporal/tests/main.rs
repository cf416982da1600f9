//! The integration tests of `temporal`, one executable: each file is a module.

mod export;
mod limits;
mod parser;
mod sizes;
mod support;
mod twin;
