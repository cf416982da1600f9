//! What comes out: safe with an invariant, unsafe with a run, or inconclusive with a reason.

use crate::system::{Machine, System};
use model::reason::Reason;
use model::stats::{Datum, Exhibit, Field, Sheet, Value};
use queues::{Language, Languages, Limit};

/// More control states than this are not shown as expressions.
const MOST_ROWS: usize = 500;

/// The answer.
#[derive(Debug)]
pub enum Verdict {
    /// No bad configuration can be reached.
    Safe(Box<Invariant>),
    /// None can: all configurations were listed, and there are more than [`crate::Limits::listed`].
    Finite,
    /// One can.
    Unsafe(Run),
    /// Not known.
    Inconclusive(Reason),
}

/// A set of queue contents for each control state that may be reached; it holds the initial configurations, is closed
/// under steps, and has nothing bad in it.
#[derive(Debug)]
pub struct Invariant {
    /// Where the languages live.
    pub languages: Languages,
    /// By control state (the state of each machine), in order. Control states that are not listed are not reached.
    pub reached: Vec<(Vec<u32>, Language)>,
}

impl Invariant {
    /// The invariant for people: the names of the states, and the queue contents as an expression.
    pub fn table(&mut self, system: &System) -> Result<Vec<(Vec<String>, String)>, Limit> {
        let message = |letter: u32| system.alphabet.get(letter as usize).cloned().unwrap_or_else(|| letter.to_string());
        let mut table = Vec::new();
        for (control, language) in &self.reached {
            let state = |(machine, &state): (&Machine, &u32)| {
                machine.states.get(state as usize).cloned().unwrap_or_else(|| state.to_string())
            };
            let names = system.machines.iter().zip(control).map(state).collect();
            table.push((names, self.languages.describe(*language, &message)?));
        }
        Ok(table)
    }
}

impl Invariant {
    /// The invariant for people, as a table; nothing if it is too long.
    pub fn exhibit(&mut self, system: &System) -> Option<Exhibit> {
        if self.reached.len() > MOST_ROWS {
            return None;
        }
        let table = self.table(system).unwrap_or_default();
        let row = |(control, set): (Vec<String>, String)| {
            Datum::Record(vec![
                Field::new("control_state", "control state", Datum::Text(control.join(", "))),
                Field::new("queues", "the queues hold", Datum::Text(set)),
            ])
        };
        let rows = table.into_iter().map(row).collect();
        Some(Exhibit { key: "invariant", title: "the invariant that proves {}", in_stats: true, rows })
    }
}

impl Statistics {
    /// The figures of an analysis.
    pub fn sheet(&self) -> Sheet {
        Sheet::new("fifo for")
            .with("method", "answered by", self.method.clone())
            .with("iterations", "loops", self.iterations as u64)
            .with("abstract_states", "abstract states", self.abstract_states as u64)
            .with("abstract_transitions", "transitions", self.abstract_transitions as u64)
            .with("configurations", "configurations", self.configurations as u64)
            .with("control_states", "control states", self.controls as u64)
            .with("queue_sets", "queue sets", self.languages as u64)
            .with("memory_bytes", "memory", Value::Bytes(self.bytes as u64))
    }
}

/// A path from an initial configuration to a bad one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Run {
    /// The first state of each machine.
    pub initial: Vec<u32>,
    /// What happens then.
    pub steps: Vec<Step>,
}

/// One step of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// A machine takes a transition, both by their place in the system.
    Move {
        /// The machine.
        machine: usize,
        /// Its transition.
        transition: usize,
    },
    /// A lossy channel loses a message.
    Loss {
        /// The channel.
        channel: usize,
        /// Counted from its front.
        position: usize,
    },
}

/// What it took.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Who answered, as text.
    pub method: String,
    /// Refinements of the abstraction (CEGAR), or the precision that was enough (AbsInt, ARMC).
    pub iterations: usize,
    /// Abstract states that are reachable at the end (CEGAR).
    pub abstract_states: usize,
    /// Abstract transitions between them (CEGAR).
    pub abstract_transitions: usize,
    /// Configurations visited one by one (search).
    pub configurations: usize,
    /// Control states of the product that were looked at.
    pub controls: usize,
    /// Different queue languages.
    pub languages: usize,
    /// Memory for them, by our own estimate.
    pub bytes: usize,
    /// Elementary steps of work.
    pub steps: u64,
}

/// The answer and what it took.
#[derive(Debug)]
pub struct Report {
    /// The answer.
    pub verdict: Verdict,
    /// What it took.
    pub statistics: Statistics,
}
