//! The moves of a state, with what is progress among them.

use super::ProgressOf;
use super::judge::Judge;
use crate::clock::Clock;
use crate::moves::Mover;
use crate::reduction::{Choice, Reduction};
use model::semantics::{Semantics, Step, Successor};
use model::verdict::Reason;

/// Takes the moves of one state at a time.
pub(super) struct Walk<'a> {
    pub(super) judge: Judge<'a>,
    pub(super) mover: Mover<'a>,
    reduction: Option<Reduction<'a>>,
    choices: Vec<Choice>,
    /// States in which one process moved alone.
    pub(super) alone: u64,
}

impl<'a> Walk<'a> {
    pub(super) fn new(semantics: &'a Semantics<'a>, progress: &'a ProgressOf<'a>, reduce: bool) -> Self {
        let judge = Judge::new(semantics, progress);
        let mut mover = Mover::new(semantics);
        if judge.watcher.has_events() {
            mover.stepper.listen();
        }
        let reduction = reduce.then(|| progress.reduction(semantics)).flatten();
        Walk { judge, mover, reduction, choices: Vec::new(), alone: 0 }
    }

    pub(super) fn initial(&mut self) -> Result<Vec<u8>, Reason> {
        let initial = self.mover.stepper.initial()?;
        initial.map_err(|fault| Reason::NotSupported(format!("there is no first state: {}", fault.fault)))
    }

    /// Gathers the moves of a state; of one process only, where that may be and is enough.
    pub(super) fn expand(&mut self, state: &[u8], may_reduce: bool, clock: &Clock<'_>) -> Result<(), Reason> {
        if let Some(reduction) = self.reduction.as_mut().filter(|_| may_reduce) {
            self.judge.asker.load(state);
            reduction.choices(&self.judge.asker, true, &mut self.choices);
            for index in 0..self.choices.len() {
                self.moves(state, Some(self.choices[index].process), clock)?;
                if !self.mover.is_empty() {
                    self.alone += 1;
                    return Ok(());
                }
            }
        }
        self.moves(state, None, clock)
    }

    /// Gathers the moves of a process, or of all.
    pub(super) fn moves(&mut self, state: &[u8], process: Option<u32>, clock: &Clock<'_>) -> Result<(), Reason> {
        let judge = &mut self.judge;
        let mut mark = |state: &[u8], successor: &Successor<'_>| u128::from(judge.is_event(state, successor));
        match self.mover.expand_process(state, process, &mut mark, &|| clock.must_stop(0).is_some())? {
            true => Ok(()),
            false => Err(clock.must_stop(0).unwrap_or(Reason::Interrupted)),
        }
    }

    /// An atomic sequence without progress that never ends, of the state whose moves were gathered last.
    pub(super) fn endless(&mut self) -> Option<(Vec<Step>, Vec<Step>)> {
        let judge = &mut self.judge;
        self.mover.endless(&mut |inner| judge.is_state(inner))
    }

    /// What leads from a state to another one, if need be without progress.
    pub(super) fn steps_between(&mut self, from: &[u8], to: &[u8], quiet: bool, clock: &Clock<'_>) -> Vec<Step> {
        if self.moves(from, None, clock).is_err() {
            return Vec::new();
        }
        let leads = |index: &usize| self.mover.state(*index) == to && !(quiet && self.mover.is_marked(*index));
        (0..self.mover.len()).find(leads).map_or_else(Vec::new, |index| self.mover.steps(index))
    }
}
