//! The integration tests of `explore`, one executable: each file is a module.

mod atomic_sequences;
mod disk;
mod ending;
mod failures;
mod growth;
mod growth_pace;
mod growth_rules;
mod infinite_disk;
#[path = "../../cli/tests/ltl_models/mod.rs"]
mod ltl_models;
mod progress;
mod random_growth;
mod random_progress;
mod reduction;
mod reduction_lengths;
mod reduction_rules;
mod waiting;
