//! The integration tests of `gpu`, one executable: each file is a module.

mod campaign;
mod compare;
mod failures;
mod models;
mod random;

/// The generator of models from the whole grammar, which `promela` compares with SPIN.
#[allow(dead_code)]
#[path = "../../promela/tests/spin"]
mod spin {
    pub mod generate;
    pub mod judge;
    pub mod random;
    pub mod tree;
}
