//! What is said about procedures of C that run side by side.

use super::{ProgramInput, Waiting};
use crate::chart::Change;
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

/// A run of C components that shows a violation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ComponentsRun {
    /// The parts, by number.
    pub parts: Vec<RunPart>,
    /// What happens, step by step.
    pub steps: Vec<ComponentsStep>,
    /// For an infinite run: after the last step it goes on from here.
    pub loop_from: Option<usize>,
    /// What there is to say before the first step.
    pub remarks: Vec<String>,
    /// What is wrong with it.
    pub problem: String,
    /// A short name of the problem: `assertion`, `deadlock`, `formula`, ..
    pub problem_code: &'static str,
    /// What in the source is to blame, if something is.
    pub problem_span: Option<Span>,
    /// For a deadlock: what each part waits for.
    pub waiting: Vec<Waiting>,
    /// Parts each of which waits for the next, and the last for the first.
    pub circle: Vec<String>,
}

/// A part of the program in a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RunPart {
    /// Its name.
    pub name: String,
    /// The state that a process begins in; `None` for a procedure.
    pub initial: Option<u32>,
    /// What a procedure was given, in words.
    pub inputs: Vec<ProgramInput>,
    /// The same, as bits.
    pub bits: Vec<u64>,
}

/// A step of C components, in words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ComponentsStep {
    /// What happens, if others can see it.
    pub event: Option<String>,
    /// What each part does that takes part.
    pub moves: Vec<PartMove>,
    /// What this means for the property.
    pub remarks: Vec<String>,
}

/// What a part does in a step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PartMove {
    /// Its number.
    pub part: usize,
    /// The statement; where a process is written.
    pub span: Span,
    /// What is executed, as it is written; for a process, where it is then.
    pub does: String,
    /// The variables that changed.
    pub changes: Vec<Change>,
    /// What came from outside.
    pub remarks: Vec<String>,
    /// For replay: the step of a procedure's graph, or the state that a process gets into.
    pub code: u32,
    /// Whether it is worth a line of its own although nobody else takes part.
    pub shown: bool,
}
