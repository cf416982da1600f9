//! When to stop, and who counts.

use bitvector::{Embedded, Outcome, Solver, TermId, Terms};
use model::budget::resident_bytes;
use model::verdict::{Limits, Observer, Progress, Reason};
use std::time::Instant;

/// What was counted.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Statistics {
    /// Rounds of the outer level: new predicates.
    pub refinements: u64,
    /// Rounds of the inner level, of all outer ones together: splits of partitions by the compose engine.
    pub splits: u64,
    /// Predicates at the end, over all components and places.
    pub predicates: u64,
    /// States of the extracted structures at the end.
    pub abstract_states: u64,
    /// The most states that the compose engine looked at at once.
    pub composed_states: u64,
    /// States of the automaton of the negated formula.
    pub automaton_states: u64,
    /// Questions to the solver.
    pub solver_calls: u64,
    /// Answers that were remembered.
    pub remembered: u64,
}

/// Limits, and the solver that keeps to them.
pub(crate) struct Budget<'a> {
    pub(crate) limits: Limits,
    pub(crate) observer: &'a dyn Observer,
    pub(crate) statistics: Statistics,
}

impl<'a> Budget<'a> {
    pub(crate) fn new(limits: Limits, observer: &'a dyn Observer) -> Self {
        Budget { limits, observer, statistics: Statistics::default() }
    }

    /// The reason to stop now, if there is one.
    pub(crate) fn look(&self) -> Result<(), Reason> {
        if self.observer.cancelled() {
            return Err(Reason::Interrupted);
        }
        if self.limits.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Err(Reason::Timeout);
        }
        if self.limits.memory.is_some_and(|limit| resident_bytes().is_some_and(|used| used > limit)) {
            return Err(Reason::Memory);
        }
        Ok(())
    }

    /// So many states of one structure.
    pub(crate) fn states(&self, states: usize) -> Result<(), Reason> {
        if states.is_multiple_of(64) {
            self.look()?;
            self.tell(states as u64);
        }
        match self.limits.states {
            Some(limit) if states as u64 > limit => Err(Reason::States),
            _ => Ok(()),
        }
    }

    /// What is going on: refinements as the depth, predicates as what waits, questions to the solver as steps.
    fn tell(&self, states: u64) {
        let Statistics { refinements, predicates, solver_calls, .. } = self.statistics;
        self.observer.progress(Progress {
            engine: crate::ENGINE,
            states,
            waiting: predicates,
            transitions: solver_calls,
            depth: refinements,
            memory_bytes: 0,
        });
    }

    /// Asks the solver.
    pub(crate) fn ask(&mut self, solver: &mut dyn Solver, terms: &Terms, parts: &[TermId]) -> Result<Outcome, Reason> {
        self.statistics.solver_calls += 1;
        if self.statistics.solver_calls.is_multiple_of(32) {
            self.look()?;
            self.tell(self.statistics.abstract_states);
        }
        let stop = || self.observer.cancelled();
        let limits =
            bitvector::Limits { deadline: self.limits.deadline, stop: Some(&stop), ..bitvector::Limits::none() };
        match solver.check(terms, parts, &limits) {
            Outcome::Unknown(reason) => Err(reason_of(reason)),
            outcome => Ok(outcome),
        }
    }

    /// A small core of what cannot hold together.
    pub(crate) fn core(&mut self, solver: &mut Embedded, terms: &Terms, core: &[TermId]) -> Vec<TermId> {
        let stop = || self.observer.cancelled();
        let limits =
            bitvector::Limits { deadline: self.limits.deadline, stop: Some(&stop), ..bitvector::Limits::none() };
        self.statistics.solver_calls += core.len() as u64;
        bitvector::minimal_core(solver, terms, core, &limits)
    }
}

fn reason_of(reason: bitvector::Reason) -> Reason {
    match reason {
        bitvector::Reason::Deadline => Reason::Timeout,
        bitvector::Reason::Memory => Reason::Memory,
        bitvector::Reason::Stopped => Reason::Interrupted,
        other => Reason::NotSupported(other.to_string()),
    }
}
