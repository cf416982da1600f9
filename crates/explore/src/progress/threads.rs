//! Cycles without progress, looked for by several threads, which draw the graph of states without its progress.

use super::walk::Walk;
use super::{Found, Lasso, ProgressOf};
use crate::clock::Clock;
use crate::graph::Notes;
use crate::graph::components::Wanted;
use crate::graph::draw::{self, Run, Seen};
use crate::parallel::{At, Visitor};
use crate::search::{Options, Watch};
use crate::table::StateId;
use model::context::Context;
use model::semantics::{Semantics, Step};
use model::verdict::Reason;

/// What the threads are given.
#[derive(Clone, Copy)]
struct Setup<'a> {
    semantics: &'a Semantics<'a>,
    progress: &'a ProgressOf<'a>,
    reduce: bool,
    cx: Context<'a>,
}

/// An atomic sequence that never ends: the steps to where it repeats, and those that repeat.
type Endless = (Vec<Step>, Vec<Step>);

/// Searches for a cycle without progress; the [`Mode`](crate::reduction::Mode) of the options is not looked at.
pub(super) fn search<'a>(
    semantics: &'a Semantics<'a>,
    progress: &'a ProgressOf<'a>,
    reduce: bool,
    options: &'a Options,
    cx: &Context<'a>,
) -> Found {
    let setup = Setup { semantics, progress, reduce, cx: *cx };
    let (mut walk, clock) = (Walk::new(semantics, progress, false), Clock::new(*cx));
    let first = match walk.initial() {
        Ok(first) => first,
        Err(reason) => return Found { stopped: Some(reason), ..Found::default() },
    };
    let drawn = draw::search::<Drawer<'a>, _>(semantics, Watch { options, cx: *cx }, setup, &first, &Wanted::default());
    let complete = drawn.stopped.is_none() && drawn.run.is_none();
    let endless = matches!(drawn.run, Some(Run::Ends(..)));
    Found {
        lasso: drawn.run.map(|run| lasso(&mut walk, run, &clock)),
        endless,
        stopped: drawn.stopped,
        stats: drawn.stats,
        digest: complete.then_some(drawn.seen.digest),
        alone: drawn.seen.alone,
        reduced: false,
    }
}

/// The steps of a run.
fn lasso(walk: &mut Walk<'_>, run: Run<Endless>, clock: &Clock<'_>) -> Lasso {
    let (chain, end, round) = match run {
        Run::Ends(chain, end) => (chain, Some(end), Vec::new()),
        Run::Repeats(chain, round) => (chain, None, round),
    };
    let mut steps = |from: &[u8], to: &[u8], quiet| walk.steps_between(from, to, quiet, clock);
    let stem = chain.windows(2).flat_map(|pair| steps(&pair[0], &pair[1], false)).collect();
    let cycle = round.windows(2).flat_map(|pair| steps(&pair[0].0, &pair[1].0, true)).collect();
    let mut lasso = Lasso { stem, cycle };
    if let Some((stem, cycle)) = end {
        lasso.stem.extend(stem);
        lasso.cycle = cycle;
    }
    lasso
}

/// One thread.
struct Drawer<'a> {
    walk: Walk<'a>,
    clock: Clock<'a>,
    seen: Seen<Endless>,
}

impl<'a> Visitor<'a> for Drawer<'a> {
    type Setup = Setup<'a>;
    /// Whether there is no progress from the state to its successor.
    type Label = bool;
    type Notes = Notes;
    type Report = Seen<Endless>;

    fn new(setup: Setup<'a>) -> Self {
        let walk = Walk::new(setup.semantics, setup.progress, setup.reduce);
        Drawer { walk, clock: Clock::new(setup.cx), seen: Seen::default() }
    }

    fn visit(
        &mut self,
        state: &[u8],
        at: At,
        notes: &mut Notes,
        sink: &mut impl FnMut(&[u8], bool),
    ) -> Result<(), Reason> {
        let is_progress = self.walk.judge.is_state(state);
        self.walk.expand(state, !is_progress, &self.clock)?;
        if let Some(endless) = self.walk.endless() {
            self.seen.ends(at, endless);
        }
        self.seen.digest = self.seen.digest.wrapping_add(self.walk.mover.stepper.digest(state));
        notes.states.push(0);
        for index in 0..self.walk.mover.len() {
            sink(self.walk.mover.state(index), !is_progress && !self.walk.mover.is_marked(index));
        }
        Ok(())
    }

    fn note(notes: &mut Notes, from: StateId, to: StateId, is_quiet: bool) {
        if is_quiet {
            notes.edge(from, to, 0);
        }
    }

    fn must_end(&self) -> bool {
        self.seen.end.is_some()
    }

    fn transitions(&self) -> u64 {
        self.walk.mover.transitions
    }

    fn report(&mut self) -> Self::Report {
        let Walk { mover, alone, .. } = &mut self.walk;
        let (transitions, alone) = (std::mem::take(&mut mover.transitions), std::mem::take(alone));
        Seen { transitions, crashed: mover.crashed.take(), alone, ..std::mem::take(&mut self.seen) }
    }
}
