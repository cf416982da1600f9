//! What is counted, and when to stop.

use bitvector::{Effort, Embedded, Outcome, Solver, TermId, Terms};
use model::context::Context;
use model::observer::Progress;
use model::reason::Reason;

/// What was counted.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Statistics {
    /// Rounds of the outer level: new predicates.
    pub refinements: u64,
    /// Rounds of the inner level, of all outer ones together: splits of partitions by the compose engine.
    pub splits: u64,
    /// Predicates at the end, over all components and places.
    pub predicates: u64,
    /// Numbers that do not fall forever: ranking functions.
    pub ranks: u64,
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

impl Statistics {
    /// What a proof needed.
    pub fn scope(&self) -> String {
        let plural = |count: u64, one: &str| format!("{count} {one}{}", if count == 1 { "" } else { "s" });
        let refinements = plural(self.refinements, "refinement");
        match (plural(self.predicates, "predicate"), self.ranks) {
            (_, 0) if self.predicates == 0 => String::from("no predicates are needed"),
            (predicates, 0) => format!("{predicates} after {refinements}"),
            (predicates, ranks) => {
                format!("{predicates} and {} after {refinements}", plural(ranks, "ranking function"))
            }
        }
    }
}

/// Counts what is done, and holds it against the budget.
pub(crate) struct Meter<'a> {
    pub(crate) cx: Context<'a>,
    pub(crate) statistics: Statistics,
}

impl Meter<'_> {
    /// So many states of one structure.
    pub(crate) fn states(&self, states: usize) -> Result<(), Reason> {
        if states.is_multiple_of(64) {
            self.cx.check()?;
            self.tell(states as u64);
        }
        self.cx.budget.fits_states(states as u64)
    }

    /// What is going on: refinements as the depth, predicates as what waits, questions to the solver as steps.
    fn tell(&self, states: u64) {
        let Statistics { refinements, predicates, solver_calls, .. } = self.statistics;
        self.cx.progress(|| Progress {
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
            self.cx.check()?;
            self.tell(self.statistics.abstract_states);
        }
        match solver.check(terms, parts, &Effort::from(self.cx.budget)) {
            Outcome::Unknown(reason) => Err(reason),
            outcome => Ok(outcome),
        }
    }

    /// A small core of what cannot hold together.
    pub(crate) fn core(&mut self, solver: &mut Embedded, terms: &Terms, core: &[TermId]) -> Vec<TermId> {
        self.statistics.solver_calls += core.len() as u64;
        bitvector::minimal_core(solver, terms, core, &Effort::from(self.cx.budget))
    }
}
