//! What an engine, a checker or a front end gets beside its question: how much it may use, and who watches.

use crate::budget::{Budget, UNLIMITED};
use crate::observer::{Event, Observer, Progress, Silent, Topic};
use crate::reason::Reason;

/// A budget and an observer.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// How much may be used.
    pub budget: &'a Budget,
    /// Who watches.
    pub observer: &'a dyn Observer,
}

impl Context<'static> {
    /// No limit, and an observer that wants nothing.
    pub fn unlimited() -> Self {
        Context { budget: &UNLIMITED, observer: &Silent }
    }
}

impl<'a> Context<'a> {
    /// A budget and an observer.
    pub fn new(budget: &'a Budget, observer: &'a dyn Observer) -> Self {
        Context { budget, observer }
    }

    /// A budget, and an observer that wants nothing.
    pub fn silent(budget: &'a Budget) -> Self {
        Context { budget, observer: &Silent }
    }

    /// Another budget, and the same observer.
    #[must_use]
    pub fn with<'b>(&self, budget: &'b Budget) -> Context<'b>
    where
        'a: 'b,
    {
        Context { budget, observer: self.observer }
    }

    /// See [`Budget::spend`].
    #[inline]
    pub fn spend(&self, work: usize) -> Result<(), Reason> {
        self.budget.spend(work)
    }

    /// See [`Budget::check`].
    pub fn check(&self) -> Result<(), Reason> {
        self.budget.check()
    }

    /// How far the work is.
    pub fn progress(&self, progress: impl FnOnce() -> Progress) {
        if self.observer.wants(Topic::Progress) {
            self.observer.event(&Event::Progress(progress()));
        }
    }

    /// A step of a refinement: a line or several, which are made only if they are wanted.
    pub fn refinement(&self, text: impl FnOnce() -> String) {
        if self.observer.wants(Topic::Refinement) {
            text().lines().for_each(|line| self.observer.event(&Event::Refinement(line)));
        }
    }
}
