//! What is said about C programs.

use crate::chart::Change;
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

/// A run of a C program that shows a violation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProgramRun {
    /// Its steps, in words. Steps that show nothing are left out.
    pub steps: Vec<ProgramStep>,
    /// Of a very long run the middle is not told: behind how many steps, and how many are missing there.
    pub gap: Option<(usize, u64)>,
    /// What the program was given, in order.
    pub inputs: Vec<ProgramInput>,
    /// The same as bits, for replay.
    pub bits: Vec<u64>,
    /// What is wrong at its end.
    pub problem: String,
    /// A short name of the problem: `assertion`, `error-label`, ..
    pub problem_code: &'static str,
    /// The statement that is to blame.
    pub problem_span: Span,
}

/// A step of a C program, in words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProgramStep {
    /// The statement.
    pub span: Span,
    /// The procedure that it belongs to.
    pub procedure: String,
    /// What is executed, as it is written.
    pub statement: String,
    /// The variables that changed.
    pub changes: Vec<Change>,
    /// What came from outside.
    pub remarks: Vec<String>,
}

/// A value that a program takes from outside.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProgramInput {
    /// Where it comes from, for programs: `nondet`, `result`, `written`, `uninitialised`, `parameter`, `elsewhere`.
    pub kind: &'static str,
    /// The routine that gave it, if one did.
    pub routine: Option<String>,
    /// The variable that got it, as the source names it.
    pub variable: Option<String>,
    /// The value.
    pub value: String,
    /// The statement that asked for it.
    pub span: Span,
}
