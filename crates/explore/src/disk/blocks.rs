//! Files of states: blocks of a few kilobytes, each with the number of its bytes, of its states and a checksum.
//!
//! ```text
//!  bytes u32 │ states u32 │ checksum u64 │ state state …          a state: its length, the reference to its parent, its bytes
//! ```
//!
//! States stand in the order of their hashes. What was damaged on the disk is noticed when it is read; a checksum that does
//! not fit is an error like any other of the file.

use model::semantics::SHAPE_BYTES;
use std::fs::File;
use std::io::{self, ErrorKind};

/// A block is closed when its states take so many bytes.
const FULL: usize = 4096;
/// The bytes in front of the states of a block.
const HEADER: usize = 16;
/// No block has more states: the number of a state in its block is part of a reference.
const MOST_IN_BLOCK: u32 = 1 << PLACE_BITS;
const PLACE_BITS: u32 = 12;
/// Streams read so many bytes at once.
const AHEAD: usize = 64 << 10;

/// Where a state stands in the file of all layers: where its block begins, and its place there.
pub(crate) type Reference = u64;
/// The first state has no parent.
pub(crate) const NO_REFERENCE: Reference = u64::MAX;

/// The reference to a state of a block.
pub(crate) fn reference(block: u64, place: u32) -> Reference {
    block << PLACE_BITS | u64::from(place)
}

/// Where the block of a state begins, and its place there.
pub(crate) fn split(reference: Reference) -> (u64, u32) {
    (reference >> PLACE_BITS, (reference & u64::from(MOST_IN_BLOCK - 1)) as u32)
}

fn fold(a: u64, b: u64) -> u64 {
    let wide = u128::from(a) * u128::from(b);
    (wide as u64) ^ (wide >> 64) as u64
}

/// A hash of 64 bits, eight bytes at a time.
#[inline]
pub(crate) fn checksum(bytes: &[u8]) -> u64 {
    const K: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut hash = bytes.len() as u64 ^ 0xa076_1d64_78bd_642f;
    let (words, rest) = bytes.as_chunks::<8>();
    for word in words {
        hash = fold(hash ^ u64::from_le_bytes(*word), K).wrapping_add(K);
    }
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    fold(hash ^ u64::from_le_bytes(last), 0xe703_7ed1_a0b4_28db)
}

/// The hash by which states are partitioned and sorted. The number of a shape depends on which was met first, so it does not
/// count.
#[inline]
pub(crate) fn hash(state: &[u8]) -> u64 {
    checksum(&state[SHAPE_BYTES.min(state.len())..])
}

/// Blocks in memory, on their way to a file.
pub(crate) struct Blocks {
    pub(crate) bytes: Vec<u8>,
    /// Per block, the hash of its first state and where it begins in `bytes`.
    pub(crate) index: Vec<(u64, u64)>,
    /// Per block, how many states stand before it.
    pub(crate) numbers: Vec<u64>,
    pub(crate) states: u64,
    pub(crate) state_bytes: u64,
    /// Whether states have parents.
    parents: bool,
    /// Where the open block begins, and its states; none is open if it has none.
    start: usize,
    open: u32,
}

impl Blocks {
    pub(crate) fn new(parents: bool) -> Self {
        let (bytes, index, numbers) = (Vec::new(), Vec::new(), Vec::new());
        Blocks { bytes, index, numbers, states: 0, state_bytes: 0, parents, start: 0, open: 0 }
    }

    /// Adds a state; hashes must not fall.
    pub(crate) fn push(&mut self, hash: u64, state: &[u8], parent: Reference) {
        if self.open == 0 {
            self.start = self.bytes.len();
            self.index.push((hash, self.start as u64));
            self.numbers.push(self.states);
            self.bytes.extend([0; HEADER]);
        }
        let mut length = state.len();
        while length >= 0x80 {
            self.bytes.push(length as u8 | 0x80);
            length >>= 7;
        }
        self.bytes.push(length as u8);
        if self.parents {
            self.bytes.extend(parent.to_le_bytes());
        }
        self.bytes.extend_from_slice(state);
        (self.open, self.states, self.state_bytes) =
            (self.open + 1, self.states + 1, self.state_bytes + state.len() as u64);
        if self.bytes.len() - self.start >= FULL || self.open == MOST_IN_BLOCK {
            self.close();
        }
    }

    /// Ends the open block, if there is one.
    pub(crate) fn close(&mut self) {
        if self.open == 0 {
            return;
        }
        let payload = self.bytes.len() - self.start - HEADER;
        let head = [(payload as u32).to_le_bytes(), self.open.to_le_bytes()].concat();
        self.bytes[self.start..self.start + 8].copy_from_slice(&head);
        let sum = checksum(&self.bytes[self.start + HEADER..]) ^ checksum(&head);
        self.bytes[self.start + 8..self.start + HEADER].copy_from_slice(&sum.to_le_bytes());
        self.open = 0;
    }
}

/// A block that was read and has its checksum.
#[derive(Clone, Copy)]
pub(crate) struct Block<'b> {
    payload: &'b [u8],
    states: u32,
}

fn damaged() -> io::Error {
    io::Error::new(ErrorKind::InvalidData, "the file is damaged: a checksum does not fit")
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

/// The length of the block that begins here.
fn block_length(bytes: &[u8]) -> Option<usize> {
    Some(HEADER + word(bytes, 0)? as usize)
}

impl<'b> Block<'b> {
    /// The block at the start of some bytes.
    pub(crate) fn open(bytes: &'b [u8]) -> io::Result<Block<'b>> {
        let block = || {
            let bytes = bytes.get(..block_length(bytes)?)?;
            let sum = u64::from_le_bytes(bytes[8..HEADER].try_into().ok()?);
            let right = checksum(&bytes[HEADER..]) ^ checksum(&bytes[..8]) == sum;
            right.then_some(Block { payload: &bytes[HEADER..], states: word(bytes, 4)? })
        };
        block().ok_or_else(damaged)
    }

    /// The same where the checksum was looked at before.
    pub(crate) fn trusted(bytes: &'b [u8]) -> Block<'b> {
        let payload = &bytes[HEADER..block_length(bytes).unwrap_or(HEADER)];
        Block { payload, states: word(bytes, 4).unwrap_or(0) }
    }

    /// The states, each with its parent.
    pub(crate) fn states(self, parents: bool) -> Records<'b> {
        Records { left: self.payload, states: self.states, parents }
    }

    /// Whether a state is among them.
    pub(crate) fn contains(self, parents: bool, state: &[u8]) -> bool {
        self.states(parents).any(|(other, _)| other == state)
    }
}

/// The states of a block.
pub(crate) struct Records<'b> {
    left: &'b [u8],
    states: u32,
    parents: bool,
}

impl<'b> Iterator for Records<'b> {
    type Item = (&'b [u8], Reference);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.states == 0 {
            return None;
        }
        let (mut length, mut shift) = (0usize, 0);
        loop {
            let (&byte, rest) = self.left.split_first()?;
            self.left = rest;
            length |= usize::from(byte & 0x7f) << shift;
            shift += 7;
            if byte < 0x80 || shift > 35 {
                break;
            }
        }
        let mut parent = NO_REFERENCE;
        if self.parents {
            let (bytes, rest) = self.left.split_first_chunk::<8>()?;
            (parent, self.left) = (u64::from_le_bytes(*bytes), rest);
        }
        let (state, rest) = self.left.split_at_checked(length)?;
        (self.left, self.states) = (rest, self.states - 1);
        Some((state, parent))
    }
}

/// Reads bytes at a place; fewer at the end of the file are an error.
#[cfg(unix)]
pub(crate) fn read_at(file: &File, bytes: &mut [u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, at)
}

/// Reads bytes at a place; fewer at the end of the file are an error.
#[cfg(windows)]
pub(crate) fn read_at(file: &File, mut bytes: &mut [u8], mut at: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, bytes, at)? {
            0 => return Err(ErrorKind::UnexpectedEof.into()),
            read => (bytes, at) = (&mut bytes[read..], at + read as u64),
        }
    }
    Ok(())
}

/// Reads the block at a place of a file.
pub(crate) fn read_block(file: &File, at: u64, bytes: &mut Vec<u8>) -> io::Result<()> {
    bytes.resize(HEADER, 0);
    read_at(file, bytes, at)?;
    let length = block_length(bytes).filter(|&length| length < 1 << 30).ok_or_else(damaged)?;
    bytes.resize(length, 0);
    read_at(file, bytes, at)
}

/// The blocks of a part of a file, one after the other.
pub(crate) struct Stream<'f> {
    file: &'f File,
    at: u64,
    end: u64,
    window: Vec<u8>,
    used: usize,
}

impl<'f> Stream<'f> {
    pub(crate) fn new(file: &'f File, at: u64, end: u64) -> Self {
        Stream { file, at, end, window: Vec::new(), used: 0 }
    }

    /// The next block and where it begins; none at the end.
    pub(crate) fn next(&mut self) -> io::Result<Option<(u64, Block<'_>)>> {
        let left = self.window.len() - self.used;
        if left == 0 && self.at == self.end {
            return Ok(None);
        }
        let whole = |bytes: &[u8]| block_length(bytes).is_some_and(|length| length <= bytes.len());
        let mut more = AHEAD;
        while !whole(&self.window[self.used..]) {
            self.window.drain(..self.used);
            self.used = 0;
            let old = self.window.len();
            let add = usize::try_from(self.end - self.at).unwrap_or(usize::MAX).min(more);
            if add == 0 {
                return Err(damaged());
            }
            self.window.resize(old + add, 0);
            read_at(self.file, &mut self.window[old..], self.at)?;
            self.at += add as u64;
            more *= 2;
        }
        let start = self.at - (self.window.len() - self.used) as u64;
        let bytes = &self.window[self.used..];
        self.used += block_length(bytes).unwrap_or(bytes.len());
        Ok(Some((start, Block::open(bytes)?)))
    }
}
