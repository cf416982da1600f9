//! What is said about structures side by side.

use std::time::Duration;

/// What the engine for compositions counted.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CompositionStats {
    /// The method that answered, in words.
    pub method: String,
    /// Refinements of the partitions.
    pub iterations: u64,
    /// The most abstract states that were looked at at once.
    pub abstract_states: u64,
    /// Components, and how many classes their states are in at the end.
    pub classes: Vec<(String, u64)>,
    /// States of the automaton of the negated formula.
    pub automaton_states: u64,
    /// Bytes, estimated.
    pub memory_bytes: u64,
    /// How long the engine took to find its answer.
    pub search_time: Duration,
    /// How long the checker took to accept the proof.
    pub check_time: Duration,
}
