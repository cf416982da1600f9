//! A state taken apart: what is finite in it, and what stands in its queues.
//!
//! The *finite part* is everything but the lengths of queues and the messages: the stack of process
//! types, global variables, and per process its location and its locals. Two states of one run with
//! the same finite part, the later with all messages of the earlier and more behind them, are where a
//! loop that grows may lie. That is a necessary condition only, cheap enough to be asked of every
//! state of a search; whether the loop repeats is [`super::verify`]'s business.

use crate::configuration::{Configuration, shape_of};
use crate::layout::{FrameCache, QueueFrame, SHAPE_BYTES};
use crate::semantics::Semantics;
use crate::trace::queue_name;
use rustc_hash::FxHasher;
use std::collections::HashMap;
use std::hash::Hasher;

/// Hashes of the finite part of a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fingerprint {
    /// Of all of it.
    pub whole: u64,
    /// Of the global variables alone.
    pub globals: u64,
    /// The number of processes.
    pub processes: u32,
    /// Bytes of messages, in all queues together; not a finite part, but a state must have more of it than another
    /// to have grown from it.
    pub messages: u32,
}

impl Fingerprint {
    /// Whether processes may have multiplied on the way from here to there, and nothing else have changed.
    pub fn may_multiply_to(&self, later: &Fingerprint) -> bool {
        self.globals == later.globals && self.processes < later.processes && self.messages < later.messages
    }

    /// Whether there may be one process more later, and nothing else have changed.
    pub fn is_one_process_less(&self, later: &Fingerprint) -> bool {
        self.globals == later.globals && self.processes + 1 == later.processes && self.messages == later.messages
    }
}

/// Takes states apart; one per thread.
#[derive(Debug)]
pub struct Parts<'s> {
    semantics: &'s Semantics<'s>,
    cache: FrameCache,
    state: Configuration,
    other: Configuration,
    /// Room for the finite part of a state.
    finite: Vec<u8>,
}

impl<'s> Parts<'s> {
    /// For the states of a semantics.
    pub fn new(semantics: &'s Semantics<'s>) -> Self {
        let mut cache = FrameCache::default();
        let empty = Configuration::empty(&semantics.layout, &semantics.shapes, &mut cache);
        Parts { semantics, cache, state: empty.clone(), other: empty, finite: Vec::new() }
    }

    fn load(&mut self, state: &[u8]) {
        self.state.load(&self.semantics.layout, &self.semantics.shapes, &mut self.cache, state);
    }

    /// The hashes of a state's finite part.
    pub fn fingerprint(&mut self, state: &[u8]) -> Fingerprint {
        self.load(state);
        let mut finite = std::mem::take(&mut self.finite);
        finite.clear();
        finite.extend_from_slice(&state[..self.state.frame.fixed]);
        without_lengths(self.semantics, &self.state, &mut finite);
        let globals = SHAPE_BYTES..self.semantics.layout.globals_base + self.semantics.layout.globals.size;
        let processes = self.state.process_count() as u32;
        let messages = (state.len() - finite.len()) as u32;
        let print = Fingerprint { whole: hash(&finite), globals: hash(&finite[globals]), processes, messages };
        self.finite = finite;
        print
    }

    /// The length of every queue of a state.
    pub fn lengths(&mut self, state: &[u8]) -> Vec<u32> {
        let mut lengths = Vec::new();
        self.each_length(state, &mut |_, length| lengths.push(length));
        lengths
    }

    /// Shows the number and the length of every queue of a state.
    pub fn each_length(&mut self, state: &[u8], visit: &mut impl FnMut(usize, u32)) {
        // Only where the lengths stand is needed of the last state that was taken apart.
        if self.state.bytes.get(..SHAPE_BYTES) != state.get(..SHAPE_BYTES) {
            self.load(state);
        }
        let lengths = self.semantics.layout.len_storage;
        for (q, queue) in self.state.frame.queues.iter().enumerate() {
            visit(q, lengths.load(state, queue.len_address as usize) as u32);
        }
    }

    /// The names of the queues of a state; `None` for a rendezvous, which holds nothing.
    pub fn queue_names(&mut self, state: &[u8]) -> Vec<Option<String>> {
        self.load(state);
        let layout = &self.semantics.layout;
        let queues = self.state.frame.queues.iter().enumerate();
        let holds = |channel_type: crate::ids::ChannelTypeId| !layout.messages[channel_type.index()].rendezvous;
        queues.map(|(q, frame)| holds(frame.channel_type).then(|| queue_name(self.semantics, &self.state, q))).collect()
    }

    /// The queues that are longer in `later` than in `earlier`, if the finite parts allow for a loop between them and
    /// no queue lost anything; a queue in `reservoirs` may do as it likes. `None`: there is no such loop. Lengths are
    /// compared first.
    pub fn grown(&mut self, earlier: &[u8], later: &[u8], reservoirs: &[usize]) -> Option<Vec<usize>> {
        let (layout, shapes) = (&self.semantics.layout, &self.semantics.shapes);
        let frame = |cache: &mut FrameCache, state: &[u8]| cache.get(layout, shapes, shape_of(state));
        let (before, after) = (frame(&mut self.cache, earlier), frame(&mut self.cache, later));
        if before.queues.len() != after.queues.len() {
            return None;
        }
        let lengths = |q: usize| {
            let length = |queue: &QueueFrame, state: &[u8]| {
                layout.len_storage.load(state, queue.len_address as usize) as usize * queue.message_size as usize
            };
            (length(&before.queues[q], earlier), length(&after.queues[q], later))
        };
        let own = || (0..before.queues.len()).filter(|q| !reservoirs.contains(q));
        let grown: Vec<usize> = own().filter(|&q| lengths(q).0 < lengths(q).1).collect();
        if grown.is_empty() || own().any(|q| lengths(q).0 > lengths(q).1) {
            return None;
        }
        let (mut old, mut new) = (before.fixed, after.fixed);
        for q in 0..before.queues.len() {
            let (shorter, longer) = lengths(q);
            if !reservoirs.contains(&q) && earlier[old..old + shorter] != later[new..new + shorter] {
                return None;
            }
            (old, new) = (old + shorter, new + longer);
        }
        self.load(earlier);
        self.other.load(layout, shapes, &mut self.cache, later);
        images(self.semantics, &self.state, &self.other).map(|_| grown)
    }
}

fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(bytes);
    hasher.finish()
}

/// Writes zeros where a state has the lengths of its queues.
fn without_lengths(semantics: &Semantics<'_>, state: &Configuration, bytes: &mut [u8]) {
    for queue in &state.frame.queues {
        semantics.layout.len_storage.store(bytes, queue.len_address as usize, 0);
    }
}

/// The bytes of a state without messages, and with zeros for the lengths of queues.
pub(super) fn finite_part(semantics: &Semantics<'_>, state: &Configuration) -> Vec<u8> {
    let mut finite = state.bytes[..state.frame.fixed].to_vec();
    without_lengths(semantics, state, &mut finite);
    finite
}

/// The messages of a queue, as bytes.
pub(crate) fn contents<'c>(semantics: &Semantics<'_>, state: &'c Configuration, queue: usize) -> &'c [u8] {
    let start = state.queue_start(&semantics.layout, queue);
    let size = state.frame.queues[queue].message_size as usize;
    &state.bytes[start..start + state.queue_len(&semantics.layout, queue) * size]
}

/// The process type and the finite part of each process.
fn blocks<'f>(state: &Configuration, finite: &'f [u8]) -> Vec<(u32, &'f [u8])> {
    let processes = &state.frame.processes;
    let ends = processes.iter().skip(1).map(|p| p.base as usize).chain([state.frame.fixed]);
    processes.iter().zip(ends).map(|(p, end)| (p.machine.0, &finite[p.base as usize..end])).collect()
}

/// Whether the global variables and the first so many processes are in `after` what they were in `before`, where there are as
/// many processes.
pub(super) fn returned(semantics: &Semantics<'_>, before: &Configuration, after: &Configuration, first: usize) -> bool {
    let (old, new) = (finite_part(semantics, before), finite_part(semantics, after));
    let globals = SHAPE_BYTES..semantics.layout.globals_base + semantics.layout.globals.size;
    let same = old[globals.clone()] == new[globals] && before.process_count() == after.process_count();
    same && blocks(before, &old).into_iter().zip(blocks(after, &new)).take(first).all(|(old, new)| old == new)
}

/// For every process of `before` a process of `after` that is of the same type and in the same finite state, and
/// itself where that is so; different ones for different processes. `None` if the global variables differ, or if there
/// is none for some process.
pub(super) fn images(semantics: &Semantics<'_>, before: &Configuration, after: &Configuration) -> Option<Vec<usize>> {
    let (old, new) = (finite_part(semantics, before), finite_part(semantics, after));
    if old == new {
        return Some((0..before.process_count()).collect());
    }
    let globals = SHAPE_BYTES..semantics.layout.globals_base + semantics.layout.globals.size;
    if old[globals.clone()] != new[globals] || before.process_count() > after.process_count() {
        return None;
    }
    let (old, new) = (blocks(before, &old), blocks(after, &new));
    let stays = |p: usize| new.get(p) == old.get(p);
    let mut free: HashMap<(u32, &[u8]), Vec<usize>> = HashMap::new();
    for p in (0..new.len()).rev().filter(|&p| !stays(p)) {
        free.entry(new[p]).or_default().push(p);
    }
    (0..old.len()).map(|p| if stays(p) { Some(p) } else { free.get_mut(&old[p])?.pop() }).collect()
}
