//! Threads look at the states of a layer; what they find does not depend on which of them is faster.

use super::Stop;
use super::blocks::{Reference, Stream, reference};
use super::candidates::Candidates;
use super::manifest::Total;
use super::runs::Run;
use crate::parallel::At;
use crate::search::Watch;
use crate::table::StateId;
use model::verdict::Progress;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

/// How many states between two looks at the clock.
const CHECK_EVERY: u64 = 1 << 12;
/// A thread takes so many blocks at once.
pub(super) const BATCH: usize = 16;

/// What a thread does with states.
pub(super) trait Worker {
    /// What it has counted in a layer.
    type Counted: Send;

    /// Looks at a state, and shows its successors; whether what was found there ends the search.
    fn visit(&mut self, state: &[u8], at: Place, sink: &mut impl FnMut(&[u8])) -> Result<bool, Stop>;
    fn transitions(&self) -> u64;
    /// What it has counted since the last time.
    fn counted(&mut self) -> Self::Counted;
}

/// Where a state stands in the file of all layers, and its number among all states.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) reference: Reference,
    pub(super) at: At,
}

/// A layer that is expanded.
pub(super) struct Stage<'l> {
    pub(super) layer: &'l Run,
    pub(super) candidates: &'l Candidates,
    pub(super) total: &'l Total,
    pub(super) watch: Watch<'l>,
    pub(super) memory: u64,
    /// So many blocks are taken at once.
    pub(super) batch: usize,
    /// The block that is next.
    pub(super) next: AtomicUsize,
    /// The first state that ends the search: states after it need not be expanded.
    pub(super) least: AtomicU64,
    pub(super) stopped: AtomicBool,
}

impl Stage<'_> {
    pub(super) fn work<W: Worker>(&self, worker: &mut W) -> (Option<W::Counted>, Result<(), Stop>) {
        let end = self.expand_blocks(worker);
        if end.is_err() {
            self.stopped.store(true, Ordering::Relaxed);
        }
        (Some(worker.counted()), end)
    }

    fn expand_blocks(&self, worker: &mut impl Worker) -> Result<(), Stop> {
        let (index, depth, mut ticks) = (&self.layer.index, self.total.depth, 0u64);
        while !self.stopped.load(Ordering::Relaxed) {
            let first = self.next.fetch_add(self.batch, Ordering::Relaxed);
            let Some(&(_, start)) = index.get(first) else { break };
            let end = self.layer.block_end((first + self.batch).min(index.len()) - 1);
            let mut stream = Stream::new(&self.layer.file, start, end);
            let mut number = self.layer.numbers[first] as StateId;
            while let Some((block, states)) = stream.next()? {
                for (place, (state, _)) in states.states(true).enumerate() {
                    let reference = reference(block, place as u32);
                    if reference > self.least.load(Ordering::Relaxed) {
                        return Ok(());
                    }
                    self.expand(worker, state, Place { reference, at: At { depth, owner: 0, state: number } })?;
                    (number, ticks) = (number.wrapping_add(1), ticks + 1);
                    if ticks.is_multiple_of(CHECK_EVERY) {
                        self.look(worker)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn expand(&self, worker: &mut impl Worker, state: &[u8], place: Place) -> Result<(), Stop> {
        let mut failed = None;
        let mut sink = |next: &[u8]| {
            if failed.is_none() {
                failed = self.candidates.push(next, place.reference).err();
            }
        };
        let ends = worker.visit(state, place, &mut sink);
        failed.map_or(Ok(()), Err)?;
        if ends? {
            self.least.fetch_min(place.reference, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Tells the observer how far the work is, and looks at the limits.
    fn look(&self, worker: &impl Worker) -> Result<(), Stop> {
        let done = self.next.load(Ordering::Relaxed).min(self.layer.index.len()) as u64;
        let waiting = self.layer.states - self.layer.states * done / self.layer.index.len().max(1) as u64;
        self.watch.cx.progress(|| Progress {
            engine: crate::ENGINE,
            states: self.total.states,
            waiting,
            transitions: self.total.transitions + worker.transitions(),
            depth: self.total.depth,
            memory_bytes: self.memory,
        });
        Ok(self.watch.must_stop(self.memory, 0).map_or(Ok(()), Err)?)
    }
}
