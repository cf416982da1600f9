//! The integration tests of `explore`, one executable: each file is a module.

mod atomic_sequences;
mod disk;
mod ending;
mod failures;
mod growth;
mod growth_pace;
mod growth_rules;
mod progress;
mod random_growth;
mod random_progress;
mod reduction;
mod reduction_lengths;
mod reduction_rules;
mod waiting;
