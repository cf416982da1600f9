//! Sorted runs: sets of states on the disk, in the order of their hashes.
//!
//! In memory, a run has the hash of the first state of every block, and a filter of ten bits per state. The states that are
//! looked up come in the order of their hashes, too. So most of those that are not in the run are sent away by the filter,
//! which is read from front to back, and the others read a block each, or all blocks one after the other where there are many.

use super::blocks::{Block, Blocks, NO_REFERENCE, Reference, Stream, hash, read_at};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;

/// The partitions: ranges of hashes, by their upper bits.
pub(crate) const PARTITIONS: usize = 256;
/// So many bytes of blocks are collected before they are written.
const WRITE: usize = 256 << 10;
/// Keys in a word of a filter of 64 bits, three of which stand for each.
const KEYS_PER_WORD: usize = 6;

/// The partition of a hash.
pub(crate) fn partition(hash: u64) -> usize {
    (hash >> 56) as usize
}

/// Says that a state is not in a partition of a run, or that it may be.
#[derive(Default)]
pub(crate) struct Filter {
    words: Vec<u64>,
    /// It has nothing, or may have anything.
    open: bool,
}

impl Filter {
    pub(crate) fn new(hashes: &[u64], room: bool) -> Self {
        let open = !room && !hashes.is_empty();
        let words = if open { 0 } else { hashes.len().div_ceil(KEYS_PER_WORD) };
        let mut filter = Filter { words: vec![0; words], open };
        if !open {
            hashes.iter().for_each(|&hash| {
                let at = filter.word(hash);
                filter.words[at] |= bits(hash);
            });
        }
        filter
    }

    /// Rises with the hash.
    #[inline]
    fn word(&self, hash: u64) -> usize {
        ((u128::from(hash << 8) * self.words.len() as u128) >> 64) as usize
    }

    #[inline]
    pub(crate) fn may_contain(&self, hash: u64) -> bool {
        match self.words.is_empty() {
            true => self.open,
            false => self.words[self.word(hash)] & bits(hash) == bits(hash),
        }
    }

    pub(crate) fn memory_bytes(&self) -> u64 {
        self.words.len() as u64 * 8
    }
}

#[inline]
fn bits(hash: u64) -> u64 {
    1 << (hash & 63) | 1 << (hash >> 6 & 63) | 1 << (hash >> 12 & 63)
}

/// A sorted set of states in a file or in a part of one.
pub(crate) struct Run {
    pub(crate) file: Arc<File>,
    /// The name of its own file; none for a layer, which is a part of the file of all layers.
    pub(crate) name: Option<String>,
    /// Whether states have parents.
    pub(crate) parents: bool,
    /// Per block, the hash of its first state and where it begins.
    pub(crate) index: Vec<(u64, u64)>,
    /// Per block of a layer, the number of its first state.
    pub(crate) numbers: Vec<u64>,
    pub(crate) start: u64,
    pub(crate) end: u64,
    pub(crate) states: u64,
    /// One for each partition.
    pub(crate) filters: Vec<Filter>,
}

impl Run {
    pub(crate) fn memory_bytes(&self) -> u64 {
        self.filters.iter().map(Filter::memory_bytes).sum::<u64>()
            + (self.index.capacity() * 2 + self.numbers.capacity()) as u64 * 8
    }

    /// The same states without what is needed to look them up.
    pub(crate) fn bare(&self) -> Run {
        let (file, name) = (Arc::clone(&self.file), self.name.clone());
        let Run { parents, start, end, states, .. } = *self;
        Run { file, name, parents, index: Vec::new(), numbers: Vec::new(), start, end, states, filters: Vec::new() }
    }

    /// The same states, of which so many others come before.
    pub(crate) fn numbered(mut self, before: u64) -> Run {
        self.numbers.iter_mut().for_each(|number| *number += before);
        self
    }

    /// Where a block ends.
    pub(crate) fn block_end(&self, block: usize) -> u64 {
        self.index.get(block + 1).map_or(self.end, |(_, start)| *start)
    }

    /// Reads a run that was written before: all checksums, the order and the number of states are verified.
    pub(crate) fn read(run: Run, room: bool) -> io::Result<Run> {
        let (mut index, mut numbers, mut filters, mut states) = (Vec::new(), Vec::new(), Filters::new(room), 0);
        let mut stream = Stream::new(&run.file, run.start, run.end);
        while let Some((start, block)) = stream.next()? {
            let mut first = None;
            if run.name.is_none() {
                numbers.push(states);
            }
            for (state, _) in block.states(run.parents) {
                let hash = hash(state);
                first = first.or(Some(hash));
                filters.push(hash)?;
                states += 1;
            }
            index.extend(first.map(|first| (first, start)));
        }
        if states != run.states {
            return Err(io::Error::other("the file is damaged: it has another number of states"));
        }
        Ok(Run { index, numbers, filters: filters.finish(), ..run })
    }
}

/// Makes the filters of a run of states that come in order.
pub(crate) struct Filters {
    done: Vec<Filter>,
    hashes: Vec<u64>,
    last: u64,
    room: bool,
}

impl Filters {
    pub(crate) fn new(room: bool) -> Self {
        Filters { done: Vec::with_capacity(PARTITIONS), hashes: Vec::new(), last: 0, room }
    }

    pub(crate) fn push(&mut self, hash: u64) -> io::Result<()> {
        if hash < self.last {
            return Err(io::Error::other("the file is damaged: its states are not in order"));
        }
        self.last = hash;
        while self.done.len() < partition(hash) {
            self.close();
        }
        self.hashes.push(hash);
        Ok(())
    }

    fn close(&mut self) {
        self.done.push(Filter::new(&self.hashes, self.room));
        self.hashes.clear();
    }

    pub(crate) fn finish(mut self) -> Vec<Filter> {
        while self.done.len() < PARTITIONS {
            self.close();
        }
        self.done
    }
}

/// Looks states up in a run, in the order of their hashes.
pub(crate) struct Cursor<'r> {
    run: &'r Run,
    /// The first block whose first hash is not below the last one.
    at: usize,
    window: Vec<u8>,
    /// Which part of the file the window is.
    from: u64,
    ahead: usize,
    most_ahead: usize,
    /// The block whose checksum was looked at last.
    verified: usize,
}

impl<'r> Cursor<'r> {
    /// Reads at most so many bytes at once.
    pub(crate) fn new(run: &'r Run, most_ahead: usize) -> Self {
        Cursor { run, at: 0, window: Vec::new(), from: 0, ahead: 0, most_ahead, verified: usize::MAX }
    }

    /// Whether a state is in the run.
    pub(crate) fn contains(&mut self, hash: u64, state: &[u8]) -> io::Result<bool> {
        if !self.run.filters[partition(hash)].may_contain(hash) {
            return Ok(false);
        }
        let (index, parents) = (&self.run.index, self.run.parents);
        let mut step = 1;
        while index.get(self.at + step).is_some_and(|(first, _)| *first < hash) {
            self.at += step;
            step *= 2;
        }
        let most = index.len().min(self.at + step + 1);
        self.at += index[self.at.min(most)..most].partition_point(|(first, _)| *first < hash);
        let mut block = self.at.saturating_sub(1);
        while block < index.len() && (block < self.at || index[block].0 == hash) {
            if self.block(block)?.contains(parents, state) {
                return Ok(true);
            }
            block += 1;
        }
        Ok(false)
    }

    fn block(&mut self, block: usize) -> io::Result<Block<'_>> {
        let (start, end) = (self.run.index[block].1, self.run.block_end(block));
        let window_end = self.from + self.window.len() as u64;
        if start < self.from || end > window_end {
            let length = (end - start) as usize;
            self.ahead =
                if start >= self.from && start <= window_end { (self.ahead * 2).min(self.most_ahead) } else { 0 };
            self.ahead = self.ahead.max(length);
            let length = (self.ahead as u64).min(self.run.end - start) as usize;
            self.window.resize(length, 0);
            read_at(&self.run.file, &mut self.window, start)?;
            (self.from, self.verified) = (start, usize::MAX);
        }
        let bytes = &self.window[(start - self.from) as usize..];
        match self.verified == block {
            true => Ok(Block::trusted(bytes)),
            false => {
                self.verified = block;
                Block::open(bytes)
            }
        }
    }
}

/// The states of several parts of files together, in the order of their hashes.
pub(crate) struct Merge<'f> {
    parts: Vec<Part<'f>>,
    heap: BinaryHeap<Reverse<(u64, usize)>>,
}

/// What is left of a part: a block and where its next state begins.
struct Part<'f> {
    stream: Stream<'f>,
    parents: bool,
    states: Vec<(usize, usize, Reference)>,
    bytes: Vec<u8>,
    next: usize,
}

impl Part<'_> {
    /// The hash of the next state, if there is one.
    fn advance(&mut self) -> io::Result<Option<u64>> {
        self.next += 1;
        if self.next >= self.states.len() {
            self.states.clear();
            self.bytes.clear();
            self.next = 0;
            let Some((_, block)) = self.stream.next()? else { return Ok(None) };
            for (state, parent) in block.states(self.parents) {
                let start = self.bytes.len();
                self.bytes.extend_from_slice(state);
                self.states.push((start, self.bytes.len(), parent));
            }
        }
        let state = self.states.get(self.next).map(|&(start, end, _)| &self.bytes[start..end]);
        Ok(state.map(hash))
    }
}

impl<'f> Merge<'f> {
    pub(crate) fn new(streams: impl Iterator<Item = (Stream<'f>, bool)>) -> io::Result<Self> {
        let mut merge = Merge { parts: Vec::new(), heap: BinaryHeap::new() };
        for (stream, parents) in streams {
            let mut part = Part { stream, parents, states: Vec::new(), bytes: Vec::new(), next: 0 };
            if let Some(hash) = part.advance()? {
                merge.heap.push(Reverse((hash, merge.parts.len())));
            }
            merge.parts.push(part);
        }
        Ok(merge)
    }

    /// Shows all states: hash, bytes, parent.
    pub(crate) fn each<E: From<io::Error>>(
        mut self,
        mut show: impl FnMut(u64, &[u8], Reference) -> Result<(), E>,
    ) -> Result<(), E> {
        while let Some(mut top) = self.heap.peek_mut() {
            let Reverse((hash, index)) = *top;
            let part = &mut self.parts[index];
            let (start, end, parent) = part.states[part.next];
            show(hash, &part.bytes[start..end], parent)?;
            match part.advance()? {
                Some(next) => *top = Reverse((next, index)),
                None => {
                    std::collections::binary_heap::PeekMut::pop(top);
                }
            }
        }
        Ok(())
    }
}

/// Merges runs, which have no state in common, into a file of its own.
pub(crate) fn merged<E: From<io::Error>>(
    runs: &[Arc<Run>],
    path: PathBuf,
    name: String,
    room: bool,
    mut look: impl FnMut() -> Result<(), E>,
) -> Result<Run, E> {
    let mut file = File::options().read(true).write(true).create(true).truncate(true).open(path)?;
    let (mut blocks, mut index, mut end, mut states) = (Blocks::new(false), Vec::new(), 0, 0);
    let mut filters = Filters::new(room);
    let streams = runs.iter().map(|run| (Stream::new(&run.file, run.start, run.end), run.parents));
    let mut flush = |blocks: &mut Blocks| {
        blocks.close();
        file.write_all(&blocks.bytes)?;
        index.extend(blocks.index.drain(..).map(|(hash, at)| (hash, at + end)));
        end += blocks.bytes.len() as u64;
        states += blocks.states;
        *blocks = Blocks::new(false);
        io::Result::Ok(())
    };
    Merge::new(streams)?.each(|hash, state, _| {
        filters.push(hash)?;
        blocks.push(hash, state, NO_REFERENCE);
        if blocks.bytes.len() >= WRITE {
            flush(&mut blocks)?;
            look()?;
        }
        Ok::<(), E>(())
    })?;
    flush(&mut blocks)?;
    let file = Arc::new(file);
    let (name, numbers, filters) = (Some(name), Vec::new(), filters.finish());
    Ok(Run { file, name, parents: false, index, numbers, start: 0, end, states, filters })
}
