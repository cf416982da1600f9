//! The edges of a graph of states on disk.
//!
//! A file has a record for each state that has edges: its number, what occurs in it, and of each edge what occurs on it and where
//! it leads. That is a hash of the successor at first, since its number is not known while it is a candidate, and a number
//! once all numbers are known ([`Edges::numbered`]). The records stand in blocks as states do, so each has its checksum.
//!
//! A state is looked up among all whose hashes are in a range, as many as there is room for. Where two states have the same
//! hash, an edge to one leads to both: then there may be more cycles than there are, but never fewer, and a cycle is taken again by
//! the semantics before it counts.

use super::Stop;
use super::blocks::{Blocks, Stream, checksum};
use crate::graph::Marks;
use crate::table::StateId;
use rustc_hash::FxHashMap;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

/// So many bytes of records are collected before they are written.
pub(super) const WRITE: usize = 256 << 10;
/// So many bytes a state takes in a table of numbers, and no table has fewer states.
const ENTRY: u64 = 20;
const FEWEST: u64 = 64;

/// The different sets of marks, with numbers.
#[derive(Clone, Default)]
pub(super) struct Sets {
    pub(super) sets: Vec<Marks>,
    numbers: FxHashMap<Marks, u32>,
}

impl Sets {
    pub(super) fn of(sets: Vec<Marks>) -> Sets {
        let numbers = sets.iter().enumerate().map(|(number, &marks)| (marks, number as u32)).collect();
        Sets { sets, numbers }
    }

    pub(super) fn find(&self, marks: Marks) -> Option<u32> {
        self.numbers.get(&marks).copied()
    }

    pub(super) fn number(&mut self, marks: Marks) -> u32 {
        let next = self.sets.len() as u32;
        let number = *self.numbers.entry(marks).or_insert(next);
        if number == next {
            self.sets.push(marks);
        }
        number
    }
}

/// Names a state before it has a number. Unlike the hash that states are sorted by, it counts the number of the shape, which is the
/// same in all of a search.
pub(super) fn identity(state: &[u8]) -> u64 {
    checksum(state)
}

/// Where an edge leads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Target {
    Unknown(u64),
    State(StateId),
}

fn write_number(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn read_number(bytes: &mut &[u8]) -> Option<u64> {
    let (mut number, mut shift) = (0, 0);
    loop {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f).checked_shl(shift)?;
        if byte < 0x80 {
            return Some(number);
        }
        shift += 7;
    }
}

/// A state, with the number of the set of marks that occurs there; and its edges.
#[derive(Clone, Copy)]
pub(super) struct Record<'b> {
    pub(super) state: StateId,
    pub(super) marks: u32,
    left: &'b [u8],
}

impl<'b> Record<'b> {
    fn open(mut bytes: &'b [u8]) -> Option<Record<'b>> {
        let (state, marks) = (read_number(&mut bytes)? as StateId, read_number(&mut bytes)? as u32);
        Some(Record { state, marks, left: bytes })
    }

    /// Each edge: the number of the set of marks that occurs on it, and where it leads.
    pub(super) fn edges(self) -> impl Iterator<Item = (u32, Target)> + 'b {
        let mut left = self.left;
        std::iter::from_fn(move || {
            let head = read_number(&mut left)?;
            let target = if head & 1 == 1 {
                Target::State(read_number(&mut left)? as StateId)
            } else {
                let (bytes, rest) = left.split_first_chunk::<8>()?;
                left = rest;
                Target::Unknown(u64::from_le_bytes(*bytes))
            };
            Some(((head >> 1) as u32, target))
        })
    }
}

/// Records on their way to a file.
pub(super) struct Records {
    blocks: Blocks,
    record: Vec<u8>,
    edges: u64,
}

impl Default for Records {
    fn default() -> Self {
        Records { blocks: Blocks::new(false), record: Vec::new(), edges: 0 }
    }
}

impl Records {
    /// Adds a state with its edges; none if it has none. Returns how many.
    pub(super) fn push(&mut self, state: StateId, marks: u32, edges: impl Iterator<Item = (u32, Target)>) -> u64 {
        let before = self.edges;
        self.record.clear();
        write_number(&mut self.record, state.into());
        write_number(&mut self.record, marks.into());
        for (marks, target) in edges {
            self.edges += 1;
            match target {
                Target::State(state) => {
                    write_number(&mut self.record, u64::from(marks) << 1 | 1);
                    write_number(&mut self.record, state.into());
                }
                Target::Unknown(hash) => {
                    write_number(&mut self.record, u64::from(marks) << 1);
                    self.record.extend(hash.to_le_bytes());
                }
            }
        }
        if self.edges > before {
            self.blocks.push(0, &self.record, super::blocks::NO_REFERENCE);
        }
        self.edges - before
    }

    pub(super) fn len(&self) -> usize {
        self.blocks.bytes.len()
    }

    /// What was added since the last time, as bytes of a file.
    pub(super) fn take(&mut self) -> Vec<u8> {
        self.blocks.close();
        std::mem::replace(&mut self.blocks, Blocks::new(false)).bytes
    }
}

/// A file of edges, from its start to an end.
#[derive(Clone)]
pub(super) struct Edges {
    pub(super) file: Arc<File>,
    pub(super) end: u64,
    /// Records, and their edges.
    pub(super) states: u64,
    pub(super) edges: u64,
}

/// What looks at the clock.
pub(super) type Look<'l> = dyn Fn() -> Result<(), Stop> + 'l;

impl Edges {
    /// Shows all records.
    pub(super) fn each(
        &self,
        look: &Look<'_>,
        mut show: impl FnMut(Record<'_>) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        let (mut stream, mut looked) = (Stream::new(&self.file, 0, self.end), 0);
        while let Some((at, block)) = stream.next()? {
            for (record, _) in block.states(false) {
                show(Record::open(record).ok_or_else(damaged)?)?;
            }
            if at > looked {
                looked = at + WRITE as u64;
                look()?;
            }
        }
        Ok(())
    }

    /// A new file: what `rewrite` makes of each record.
    pub(super) fn rewritten(
        &self,
        path: &Path,
        look: &Look<'_>,
        mut rewrite: impl FnMut(Record<'_>, &mut Records),
    ) -> Result<Edges, Stop> {
        let mut file = File::options().read(true).write(true).create(true).truncate(true).open(path)?;
        let (mut records, mut end, mut states) = (Records::default(), 0, 0);
        let mut flush = |records: &mut Records, most: usize| {
            if records.len() <= most {
                return Ok(());
            }
            states += records.blocks.states;
            let bytes = records.take();
            end += bytes.len() as u64;
            file.write_all(&bytes)
        };
        self.each(look, |record| {
            rewrite(record, &mut records);
            Ok(flush(&mut records, WRITE)?)
        })?;
        flush(&mut records, 0)?;
        Ok(Edges { file: Arc::new(file), end, states, edges: records.edges })
    }

    /// The same edges with the numbers of states, which stand in a file one after the other; with so many bytes of memory. Two
    /// files are written in turns.
    pub(super) fn numbered(
        &self,
        (layers, length, states): (&File, u64, u64),
        room: u64,
        paths: &mut Turns,
        look: &Look<'_>,
    ) -> Result<Edges, Stop> {
        let parts = states.div_ceil((room / ENTRY).max(FEWEST)).max(1);
        let mut edges = self.clone();
        for part in 0..parts {
            let table = Table::of((layers, length), part, parts, look)?;
            edges = edges.rewritten(paths.next(), look, |record, records| {
                let known = record.edges().flat_map(|(marks, target)| {
                    let found = match target {
                        Target::Unknown(hash) if table.covers(hash) => table.states(hash),
                        _ => &[],
                    };
                    let as_it_is = if found.is_empty() { Some((marks, target)) } else { None };
                    found.iter().map(move |&(_, state)| (marks, Target::State(state))).chain(as_it_is)
                });
                records.push(record.state, record.marks, known);
            })?;
        }
        Ok(edges)
    }
}

fn damaged() -> io::Error {
    io::Error::other("the file of edges is damaged")
}

/// Two files that are written in turns.
pub(super) struct Turns {
    paths: [std::path::PathBuf; 2],
    turn: usize,
}

impl Turns {
    pub(super) fn new(folder: &Path) -> Turns {
        Turns { paths: [folder.join("graph-0"), folder.join("graph-1")], turn: 0 }
    }

    fn next(&mut self) -> &Path {
        self.turn += 1;
        &self.paths[self.turn % 2]
    }

    /// The next file is written in the place of another one.
    pub(super) fn path(&mut self) -> std::path::PathBuf {
        self.next().to_owned()
    }
}

impl Drop for Turns {
    fn drop(&mut self) {
        for path in &self.paths {
            // A file that stays takes room, and nothing else.
            let _ = std::fs::remove_file(path);
        }
    }
}

/// States with hashes of a range, and their numbers.
struct Table {
    part: u64,
    parts: u64,
    /// In the order of hashes.
    entries: Vec<(u64, StateId)>,
    /// Where the entries of each part of the range start.
    starts: Vec<u32>,
}

/// Which of some equal parts of all hashes one is in.
fn part_of(hash: u64, parts: u64) -> u64 {
    ((u128::from(hash) * u128::from(parts)) >> 64) as u64
}

impl Table {
    fn of((layers, length): (&File, u64), part: u64, parts: u64, look: &Look<'_>) -> Result<Table, Stop> {
        let (mut entries, mut stream, mut number) = (Vec::new(), Stream::new(layers, 0, length), 0);
        let mut looked = 0;
        while let Some((at, block)) = stream.next()? {
            for (state, _) in block.states(true) {
                let hash = identity(state);
                if part_of(hash, parts) == part {
                    entries.push((hash, number));
                }
                number += 1;
            }
            if at > looked {
                looked = at + WRITE as u64;
                look()?;
            }
        }
        entries.sort_unstable();
        let mut starts = vec![0; entries.len() / 4 + 2];
        let count = starts.len();
        for &(hash, _) in &entries {
            starts[slot(hash, parts, count) + 1] += 1;
        }
        for slot in 1..count {
            starts[slot] += starts[slot - 1];
        }
        Ok(Table { part, parts, entries, starts })
    }

    fn covers(&self, hash: u64) -> bool {
        part_of(hash, self.parts) == self.part
    }

    /// The states with a hash: one, but for a coincidence.
    fn states(&self, hash: u64) -> &[(u64, StateId)] {
        let slot = slot(hash, self.parts, self.starts.len());
        let near = &self.entries[self.starts[slot] as usize..self.starts[slot + 1] as usize];
        let first = near.iter().take_while(|(other, _)| *other < hash).count();
        let count = near[first..].iter().take_while(|(other, _)| *other == hash).count();
        &near[first..first + count]
    }
}

/// Which slot of a table a hash of its range belongs to: the slots are the equal parts of the range, and there is one start more.
fn slot(hash: u64, parts: u64, starts: usize) -> usize {
    part_of(hash.wrapping_mul(parts), starts as u64 - 1) as usize
}
