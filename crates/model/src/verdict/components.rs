//! What is said about procedures of C that run side by side.

use crate::source::Span;
use std::time::Duration;

/// What the engine for C components counted, and what its proof needs.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ComponentsStats {
    /// Rounds of the outer level: new predicates.
    pub refinements: u64,
    /// Rounds of the inner level: splits of partitions.
    pub splits: u64,
    /// Predicates at the end, over all procedures and places.
    pub predicates: u64,
    /// States of the extracted structures at the end.
    pub abstract_states: u64,
    /// The most states that were composed at once.
    pub composed_states: u64,
    /// Questions to the solver.
    pub solver_calls: u64,
    /// Questions that were not asked again.
    pub remembered: u64,
    /// For a proof, what each procedure needs.
    pub procedures: Vec<ProcedureStats>,
    /// Which predicates came when, and because of which run.
    pub rounds: Vec<RefinementRound>,
    /// For a proof, how many obligations a solver discharged.
    pub obligations: u64,
    /// Who accepted the proof.
    pub checked_by: String,
    /// How long the engine took to find its answer.
    pub search_time: Duration,
    /// How long the checkers took to accept the proof.
    pub check_time: Duration,
}

/// What the proof needs of one procedure.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ProcedureStats {
    /// The part of the program.
    pub part: String,
    /// States of its structure.
    pub states: u64,
    /// Its predicates by place, as C would write them. Those of the formula, which are looked at everywhere, are left out.
    pub predicates: Vec<(Span, Vec<String>)>,
}

/// New predicates of a procedure, and the run that it cannot take part in.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RefinementRound {
    /// The round, from 1.
    pub round: u64,
    /// The part of the program.
    pub part: String,
    /// The events of the run.
    pub events: Vec<String>,
    /// How many steps it has.
    pub steps: u64,
    /// The new predicates, as C would write them, and at which places they are looked at.
    pub predicates: Vec<(String, Vec<Span>)>,
}
