//! Threads expand the states of a layer; what they find does not depend on which of them is faster.

use super::Stop;
use super::blocks::{Reference, Stream, reference};
use super::candidates::Candidates;
use super::manifest::Total;
use super::runs::Run;
use crate::expansion::Expander;
use crate::search::{Violations, Watch};
use model::semantics::{Reached, Semantics};
use model::verdict::Progress;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

/// How many states between two looks at the clock.
const CHECK_EVERY: u64 = 1 << 12;
/// A thread takes so many blocks at once.
pub(super) const BATCH: usize = 16;

/// A thread that expands states.
pub(super) struct Worker<'a> {
    pub(super) expander: Expander<'a>,
    pub(super) watch: Watch<'a>,
    pub(super) violations: Violations<Reference>,
    /// The first state after which a run cannot go on.
    pub(super) crash: Option<Reference>,
    pub(super) ticks: u64,
}

impl<'a> Worker<'a> {
    pub(super) fn new(semantics: &'a Semantics<'a>, watch: Watch<'a>) -> Self {
        let expander = Expander::of(semantics, watch.options);
        Worker { expander, watch, violations: Violations::default(), crash: None, ticks: 0 }
    }

    /// What it has counted since the last time.
    fn counted(&mut self) -> Counted {
        let expander = &mut self.expander;
        expander.crashed = None;
        Counted {
            transitions: std::mem::take(&mut expander.transitions),
            alone: std::mem::take(&mut expander.alone),
            digest: std::mem::take(&mut expander.digest),
            crash: self.crash.take(),
            violations: std::mem::take(&mut self.violations),
            reached: expander.stepper.reached().clone(),
        }
    }
}

/// What a thread has counted in a layer.
pub(super) struct Counted {
    pub(super) transitions: u64,
    pub(super) alone: u64,
    pub(super) digest: u128,
    pub(super) crash: Option<Reference>,
    pub(super) violations: Violations<Reference>,
    pub(super) reached: Reached,
}

/// A layer that is expanded.
pub(super) struct Stage<'l> {
    pub(super) layer: &'l Run,
    pub(super) candidates: &'l Candidates,
    pub(super) total: &'l Total,
    pub(super) memory: u64,
    /// So many blocks are taken at once.
    pub(super) batch: usize,
    /// The block that is next.
    pub(super) next: AtomicUsize,
    /// The first state that violates a property, if that ends the search: states after it need not be expanded.
    pub(super) least: AtomicU64,
    pub(super) stopped: AtomicBool,
}

impl Stage<'_> {
    pub(super) fn work(&self, worker: &mut Worker<'_>) -> (Option<Counted>, Result<(), Stop>) {
        let end = self.expand_blocks(worker);
        if end.is_err() {
            self.stopped.store(true, Ordering::Relaxed);
        }
        (Some(worker.counted()), end)
    }

    fn expand_blocks(&self, worker: &mut Worker<'_>) -> Result<(), Stop> {
        let index = &self.layer.index;
        while !self.stopped.load(Ordering::Relaxed) {
            let first = self.next.fetch_add(self.batch, Ordering::Relaxed);
            let Some(&(_, start)) = index.get(first) else { break };
            let end = self.layer.block_end((first + self.batch).min(index.len()) - 1);
            let mut stream = Stream::new(&self.layer.file, start, end);
            while let Some((at, block)) = stream.next()? {
                for (place, (state, _)) in block.states(true).enumerate() {
                    let at = reference(at, place as u32);
                    if at > self.least.load(Ordering::Relaxed) {
                        return Ok(());
                    }
                    self.expand(worker, state, at)?;
                }
            }
        }
        Ok(())
    }

    fn expand(&self, worker: &mut Worker<'_>, state: &[u8], at: Reference) -> Result<(), Stop> {
        let (watch, expander) = (worker.watch, &mut worker.expander);
        let mut failed = None;
        let mut sink = |next: &[u8]| {
            if failed.is_none() {
                failed = self.candidates.push(next, at).err();
            }
        };
        let expanded = expander.expand(state, &mut sink, &mut || watch.must_stop(0, 0));
        if worker.crash.is_none() && expander.crashed.is_some() {
            worker.crash = Some(at);
        }
        for problem in expander.problems.drain(..) {
            if watch.options.keep_going {
                worker.violations.add(watch.options, problem, at);
            } else if watch.options.properties.contains(&problem.property) {
                self.least.fetch_min(at, Ordering::Relaxed);
            }
        }
        failed.map_or(Ok(()), Err)?;
        expanded.map_err(|unfinished| unfinished.reason())?;
        worker.ticks += 1;
        if worker.ticks.is_multiple_of(CHECK_EVERY) {
            let done = self.next.load(Ordering::Relaxed).min(self.layer.index.len()) as u64;
            let waiting = self.layer.states - self.layer.states * done / self.layer.index.len().max(1) as u64;
            watch.cx.progress(|| Progress {
                engine: crate::ENGINE,
                states: self.total.states,
                waiting,
                transitions: self.total.transitions + worker.expander.transitions,
                depth: self.total.depth,
                memory_bytes: self.memory,
            });
            watch.must_stop(self.memory, 0).map_or(Ok(()), Err)?;
        }
        Ok(())
    }
}
