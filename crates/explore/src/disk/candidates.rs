//! The successors of a layer, before it is known which of them are new.
//!
//! Each partition has a table of its own, in which a successor that is found twice is kept once, with the least of its
//! parents: then it does not matter which thread was faster. A table that outgrows its share of the memory is sorted and
//! written to the disk.

use super::blocks::{Blocks, Reference, Stream, hash};
use super::runs::{Merge, PARTITIONS, partition};
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A table has so many slots at first.
const FIRST_SLOTS: usize = 16;
/// And it grows by so many bytes at least: there are many tables, and most have little.
const LEAST: usize = 256;

/// The candidates of all partitions.
pub(crate) struct Candidates {
    shards: Vec<Mutex<Shard>>,
    /// What does not fit: the file, and where it ends.
    overflow: Mutex<(File, u64)>,
    /// The same file, to be read.
    written: File,
    /// Bytes that a partition may have in memory.
    room: usize,
}

/// The candidates of one partition.
#[derive(Default)]
struct Shard {
    bytes: Vec<u8>,
    entries: Vec<Entry>,
    /// The number of an entry plus one; 0 is free.
    slots: Vec<u32>,
    /// Parts of the file of what does not fit.
    written: Vec<(u64, u64)>,
}

#[derive(Clone, Copy)]
struct Entry {
    hash: u64,
    parent: Reference,
    start: u32,
    length: u32,
}

impl Shard {
    fn state(&self, entry: Entry) -> &[u8] {
        &self.bytes[entry.start as usize..(entry.start + entry.length) as usize]
    }

    fn memory_bytes(&self) -> usize {
        self.bytes.capacity() + self.entries.capacity() * size_of::<Entry>() + self.slots.capacity() * 4
    }

    fn used_bytes(&self) -> usize {
        self.bytes.len() + self.entries.len() * size_of::<Entry>() + self.slots.len() * 4
    }

    /// Adds a state, or finds it and keeps the lesser parent.
    fn insert(&mut self, hash: u64, state: &[u8], parent: Reference) {
        if (self.entries.len() + 1) * 5 > self.slots.len() * 4 {
            self.grow();
        }
        let mask = self.slots.len() - 1;
        // The upper bits are those of the partition.
        let mut at = (hash >> 16) as usize & mask;
        while self.slots[at] != 0 {
            let index = self.slots[at] as usize - 1;
            let entry = self.entries[index];
            if entry.hash == hash && self.state(entry) == state {
                self.entries[index].parent = entry.parent.min(parent);
                return;
            }
            at = (at + 1) & mask;
        }
        let (start, length) = (self.bytes.len() as u32, state.len() as u32);
        if self.bytes.len() + state.len() > self.bytes.capacity() {
            self.bytes.reserve_exact((self.bytes.len() / 8).max(LEAST).max(state.len()));
        }
        self.bytes.extend_from_slice(state);
        if self.entries.len() == self.entries.capacity() {
            self.entries.reserve_exact((self.entries.len() / 8).max(LEAST / 16));
        }
        self.entries.push(Entry { hash, parent, start, length });
        self.slots[at] = self.entries.len() as u32;
    }

    fn grow(&mut self) {
        let size = (self.slots.len() * 2).max(FIRST_SLOTS);
        self.slots.clear();
        self.slots.resize(size, 0);
        for (index, entry) in self.entries.iter().enumerate() {
            let mut at = (entry.hash >> 16) as usize & (size - 1);
            while self.slots[at] != 0 {
                at = (at + 1) & (size - 1);
            }
            self.slots[at] = index as u32 + 1;
        }
    }

    /// In the order of hashes. The slots are of no use from then on.
    fn sort(&mut self) {
        self.entries.sort_unstable_by_key(|entry| entry.hash);
    }

    /// Forgets the states in memory, and keeps the memory.
    fn clear(&mut self) {
        // After a narrow layer, few of the slots are used.
        self.slots.truncate((self.entries.len() * 2).next_power_of_two().max(FIRST_SLOTS));
        self.slots.fill(0);
        self.bytes.clear();
        self.entries.clear();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Candidates {
    /// With so many bytes in memory, and a file for the rest.
    pub(crate) fn new(path: &Path, room: u64) -> io::Result<Self> {
        let overflow = Mutex::new((File::create(path)?, 0));
        let shards = (0..PARTITIONS).map(|_| Mutex::default()).collect();
        Ok(Candidates { shards, overflow, written: File::open(path)?, room: room as usize / PARTITIONS })
    }

    /// Adds a candidate.
    #[inline]
    pub(crate) fn push(&self, state: &[u8], parent: Reference) -> io::Result<()> {
        let hash = hash(state);
        let mut shard = lock(&self.shards[partition(hash)]);
        shard.insert(hash, state, parent);
        if shard.used_bytes() > self.room { self.write(&mut shard) } else { Ok(()) }
    }

    /// Writes the states of a partition to the disk.
    fn write(&self, shard: &mut Shard) -> io::Result<()> {
        shard.sort();
        let mut blocks = Blocks::new(true);
        for &entry in &shard.entries {
            blocks.push(entry.hash, shard.state(entry), entry.parent);
        }
        blocks.close();
        shard.clear();
        let mut overflow = lock(&self.overflow);
        overflow.0.write_all(&blocks.bytes)?;
        let start = overflow.1;
        overflow.1 += blocks.bytes.len() as u64;
        shard.written.push((start, overflow.1));
        Ok(())
    }

    /// Whether a partition has candidates.
    pub(crate) fn has(&self, partition: usize) -> bool {
        let shard = lock(&self.shards[partition]);
        !shard.entries.is_empty() || !shard.written.is_empty()
    }

    /// Shows the candidates of a partition, each once, in the order of their hashes, and forgets them.
    pub(crate) fn drain<E: From<io::Error>>(
        &self,
        partition: usize,
        mut show: impl FnMut(u64, &[u8], Reference) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut shard = lock(&self.shards[partition]);
        if shard.written.is_empty() {
            shard.sort();
            for &entry in &shard.entries {
                show(entry.hash, shard.state(entry), entry.parent)?;
            }
            shard.clear();
            return Ok(());
        }
        self.write(&mut shard)?;
        let streams = shard.written.iter().map(|&(start, end)| (Stream::new(&self.written, start, end), true));
        let mut group = Group::default();
        Merge::new(streams)?.each(|hash, state, parent| {
            if hash != group.hash {
                group.show(&mut show)?;
                group.hash = hash;
            }
            group.push(state, parent);
            Ok::<(), E>(())
        })?;
        group.show(&mut show)?;
        shard.written.clear();
        Ok(())
    }

    /// All candidates were drained: the file may be written from its start.
    pub(crate) fn rewind(&self) -> io::Result<()> {
        let mut overflow = lock(&self.overflow);
        if overflow.1 > 0 {
            overflow.0.set_len(0)?;
            io::Seek::rewind(&mut overflow.0)?;
            overflow.1 = 0;
        }
        Ok(())
    }

    pub(crate) fn memory_bytes(&self) -> u64 {
        self.shards.iter().map(|shard| lock(shard).memory_bytes() as u64).sum()
    }
}

/// Candidates with the same hash: the same state several times, but for a coincidence.
#[derive(Default)]
struct Group {
    hash: u64,
    states: Vec<(Vec<u8>, Reference)>,
    /// How many of `states` are used; the others are kept for their memory.
    used: usize,
}

impl Group {
    fn push(&mut self, state: &[u8], parent: Reference) {
        if let Some((_, known)) = self.states[..self.used].iter_mut().find(|(known, _)| known == state) {
            *known = parent.min(*known);
            return;
        }
        if self.used == self.states.len() {
            self.states.push((Vec::new(), 0));
        }
        let (bytes, at) = &mut self.states[self.used];
        bytes.clear();
        bytes.extend_from_slice(state);
        *at = parent;
        self.used += 1;
    }

    fn show<E>(&mut self, show: &mut impl FnMut(u64, &[u8], Reference) -> Result<(), E>) -> Result<(), E> {
        for (state, parent) in &self.states[..self.used] {
            show(self.hash, state, *parent)?;
        }
        self.used = 0;
        Ok(())
    }
}
