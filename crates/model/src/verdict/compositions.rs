//! What is said about structures side by side.

use crate::composition::Run;
use crate::source::Span;
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

/// A run of a composition that shows a violation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JointRun {
    /// The run itself, for replay.
    pub run: Run,
    /// Its steps, in words.
    pub steps: Vec<JointStep>,
    /// What there is to say before the first step.
    pub remarks: Vec<String>,
    /// What is wrong with it.
    pub problem: String,
    /// A short name of the problem: `deadlock`, `error-state`, `formula`.
    pub problem_code: &'static str,
    /// What in the source is to blame, if something is.
    pub problem_span: Option<Span>,
    /// For a deadlock: what each component waits for.
    pub waiting: Vec<Waiting>,
    /// Components each of which waits for the next, and the last for the first.
    pub circle: Vec<String>,
}

/// A step of a composition, in words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JointStep {
    /// What happens.
    pub event: String,
    /// Who takes part.
    pub participants: Vec<Participant>,
    /// What this means for the property.
    pub remarks: Vec<String>,
}

/// A component that takes part in a step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Participant {
    /// Its name.
    pub component: String,
    /// Where it was.
    pub from: String,
    /// Where it is then.
    pub to: String,
}

/// A component in a state in which nothing can happen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Waiting {
    /// Its name.
    pub component: String,
    /// Where it is.
    pub state: String,
    /// Where that is written.
    pub span: Span,
    /// It has done its work, and may stop there.
    pub done: bool,
    /// What it is ready for.
    pub events: Vec<Refused>,
}

/// An event that somebody is ready for, and others are not.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refused {
    /// The event.
    pub event: String,
    /// Components that refuse it, and where they are.
    pub by: Vec<(String, String)>,
}
