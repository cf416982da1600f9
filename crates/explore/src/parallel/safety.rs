//! What threads do with states in a search for violations: expand them, and keep what is wrong with them.

use super::{At, Visitor};
use crate::expansion::Expander;
use crate::search::{Violations, Watch};
use crate::table::StateId;
use model::fault::FaultAt;
use model::semantics::{Reached, Semantics};
use model::verdict::Reason;

pub(super) struct Safety<'a> {
    expander: Expander<'a>,
    watch: Watch<'a>,
    violations: Violations<At>,
}

/// What one thread has seen.
pub(crate) struct Seen {
    pub(super) violations: Violations<At>,
    pub(super) crashed: Option<FaultAt>,
    pub(super) transitions: u64,
    pub(super) digest: u128,
    pub(super) reached: Reached,
}

impl<'a> Visitor<'a> for Safety<'a> {
    type Setup = (&'a Semantics<'a>, Watch<'a>);
    type Label = ();
    type Notes = ();
    type Report = Seen;

    fn new((semantics, watch): Self::Setup) -> Self {
        let expander = Expander::of(semantics, watch.options);
        Safety { expander, watch, violations: Violations::default() }
    }

    fn visit(&mut self, state: &[u8], at: At, (): &mut (), sink: &mut impl FnMut(&[u8], ())) -> Result<(), Reason> {
        let watch = self.watch;
        let expanded = self.expander.expand(state, &mut |next: &[u8]| sink(next, ()), &mut || watch.must_stop(0, 0));
        for problem in self.expander.problems.drain(..) {
            self.violations.add(watch.options, problem, at);
        }
        expanded.map_err(|unfinished| unfinished.reason())
    }

    #[inline]
    fn note((): &mut (), _: StateId, _: StateId, (): ()) {}

    fn must_end(&self) -> bool {
        !self.violations.is_empty() && !self.watch.options.keep_going
    }

    fn transitions(&self) -> u64 {
        self.expander.transitions
    }

    fn report(&mut self) -> Seen {
        Seen {
            violations: std::mem::take(&mut self.violations),
            crashed: self.expander.crashed.take(),
            transitions: std::mem::take(&mut self.expander.transitions),
            digest: std::mem::take(&mut self.expander.digest),
            reached: self.expander.stepper.reached().clone(),
        }
    }
}
