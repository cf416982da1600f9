//! What is said about C programs.

use crate::source::Span;
use std::time::Duration;

/// What the engine for C programs counted.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ProgramStats {
    /// Levels of the search.
    pub iterations: u64,
    /// Locations at which control was looked at.
    pub cut_points: u64,
    /// Variables that matter.
    pub variables: u64,
    /// Clauses over predicates, of all levels.
    pub lemmas: u64,
    /// Questions to the solver.
    pub solver_calls: u64,
    /// The predicates that the proof needs, as C.
    pub predicates: Vec<String>,
    /// The invariant for people: where, and what holds there.
    pub invariant: Vec<(Span, Vec<String>)>,
    /// Who accepted the proof.
    pub checked_by: String,
    /// How long the engine took to find its answer.
    pub search_time: Duration,
    /// How long the checker took to accept the proof.
    pub check_time: Duration,
}
