//! A proof may be written by an enemy, and its check must end: work is counted, and the budget looked at now and then.

use crate::Refusal;
use model::context::Context;
use model::observer::Progress;
use model::reason::Reason;
use std::cell::Cell;

/// Work between two reports of progress.
const WORK_PER_REPORT: u64 = 1 << 12;

/// Counts the work of a check.
pub(crate) struct Pace<'a> {
    pub(crate) cx: Context<'a>,
    work: Cell<u64>,
}

impl<'a> Pace<'a> {
    /// Nothing is done yet.
    pub(crate) fn new(cx: &Context<'a>) -> Self {
        Pace { cx: *cx, work: Cell::new(0) }
    }

    /// Some work is about to be done.
    pub(crate) fn spend(&self, work: usize) -> Result<(), Refusal> {
        let before = self.work.get();
        let after = before.saturating_add(work as u64 + 1);
        self.work.set(after);
        if before / WORK_PER_REPORT != after / WORK_PER_REPORT {
            self.cx.progress(|| Progress { engine: "certify", transitions: after, ..Progress::default() });
        }
        Ok(self.cx.spend(work + 1)?)
    }
}

/// A state was looked at: from time to time, says how far the check is, and looks at the budget.
pub(crate) fn pause(states: u64, waiting: u64, cx: &Context<'_>) -> Result<(), Refusal> {
    if !states.is_multiple_of(4096) {
        return Ok(());
    }
    cx.progress(|| Progress { engine: "certify", states, waiting, ..Progress::default() });
    Ok(cx.check()?)
}

impl From<Reason> for Refusal {
    fn from(reason: Reason) -> Self {
        Refusal::Unfinished(reason.to_string())
    }
}
