//! The integration tests of `capsules`, one executable: each file is a module.

mod arguments;
mod fuzz;
mod messages;
mod public_files;
mod random_code;
mod random_features;
mod random_machines;
mod random_systems;
mod told;
