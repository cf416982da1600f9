//! Pieces: strings of sixteen bytes, each kept once and named by a number, for all threads together.
//!
//! Sixteen bytes are a stretch of a state, or the numbers of four other pieces (see
//! [`super::packer`]). There are few different ones beside the number of states, and nearly every one that is
//! asked for was asked for before; so a thread has a small cache of its own ([`Cache`]), and only what it
//! does not know there takes the lock of one of several shards.
//!
//! Pieces never move or change: they stand in blocks of doubling size, which are atomic words, so that they
//! can be read without a lock. Which number a piece gets depends on who comes first; that two equal pieces
//! have the same number does not.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

/// The number of a piece.
pub(super) type PieceId = u32;

/// The size of the first block, as a power of two; every further block is as large as all before it.
const FIRST_BLOCK: u32 = 12;
const BLOCKS: usize = (32 - FIRST_BLOCK) as usize + 1;
const SHARDS: usize = 64;
/// The number of entries of a cache, as a power of two.
const CACHE_BITS: u32 = 15;

type Block = Box<[[AtomicU64; 2]]>;

/// All pieces.
#[derive(Debug)]
pub struct Pieces {
    blocks: [OnceLock<Block>; BLOCKS],
    shards: Vec<Mutex<Shard>>,
    next: AtomicU32,
    /// Bytes of blocks and shards.
    bytes: AtomicU64,
}

/// Finds pieces whose hash falls into it.
#[derive(Debug)]
struct Shard {
    /// `hash << 32 | id + 1`; 0 is free.
    slots: Vec<u64>,
    used: usize,
}

impl Default for Pieces {
    fn default() -> Self {
        let shards = (0..SHARDS).map(|_| Mutex::new(Shard { slots: vec![0; 16], used: 0 })).collect();
        Pieces {
            blocks: [const { OnceLock::new() }; BLOCKS],
            shards,
            next: AtomicU32::new(0),
            bytes: AtomicU64::new(0),
        }
    }
}

/// The block of a piece, and its place there.
#[inline]
fn place(id: PieceId) -> (usize, usize) {
    let shifted = u64::from(id) + (1 << FIRST_BLOCK);
    let power = shifted.ilog2();
    ((power - FIRST_BLOCK) as usize, (shifted - (1 << power)) as usize)
}

impl Pieces {
    /// Bytes that all pieces take, with what finds them.
    pub fn memory_bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// The content of a piece.
    #[inline]
    pub(super) fn get(&self, id: PieceId) -> u128 {
        let (block, at) = place(id);
        let Some(words) = self.blocks[block].get().and_then(|block| block.get(at)) else { return 0 };
        let [low, high] = [words[0].load(Ordering::Relaxed), words[1].load(Ordering::Relaxed)];
        u128::from(high) << 64 | u128::from(low)
    }

    /// The number of a piece; `None` when there is none left.
    #[cold]
    fn intern(&self, piece: u128, hash: u64) -> Option<PieceId> {
        let mut shard = self.shards[hash as usize % SHARDS].lock().unwrap_or_else(PoisonError::into_inner);
        let tag = hash >> 32;
        let mut at = shard.first(tag);
        while shard.slots[at] != 0 {
            let slot = shard.slots[at];
            if slot >> 32 == tag && self.get(slot as u32 - 1) == piece {
                return Some(slot as u32 - 1);
            }
            at = (at + 1) & (shard.slots.len() - 1);
        }
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        if id >= u32::MAX - 1 {
            self.next.store(u32::MAX - 1, Ordering::Relaxed);
            return None;
        }
        self.put(id, piece);
        shard.slots[at] = tag << 32 | u64::from(id + 1);
        shard.used += 1;
        if shard.used * 4 > shard.slots.len() * 3 {
            self.bytes.fetch_add(shard.slots.len() as u64 * 8, Ordering::Relaxed);
            shard.grow();
        }
        Some(id)
    }

    fn put(&self, id: PieceId, piece: u128) {
        let (block, at) = place(id);
        let words = self.blocks[block].get_or_init(|| {
            let size = 1usize << (block as u32 + FIRST_BLOCK);
            (0..size).map(|_| [AtomicU64::new(0), AtomicU64::new(0)]).collect()
        });
        self.bytes.fetch_add(16, Ordering::Relaxed);
        words[at][0].store(piece as u64, Ordering::Relaxed);
        words[at][1].store((piece >> 64) as u64, Ordering::Relaxed);
    }
}

impl Shard {
    fn first(&self, tag: u64) -> usize {
        // The low bits chose the shard; the tag is the upper half.
        tag as usize & (self.slots.len() - 1)
    }

    fn grow(&mut self) {
        let size = self.slots.len() * 2;
        let old = std::mem::replace(&mut self.slots, vec![0; size]);
        for slot in old.into_iter().filter(|&slot| slot != 0) {
            let mut at = self.first(slot >> 32);
            while self.slots[at] != 0 {
                at = (at + 1) & (size - 1);
            }
            self.slots[at] = slot;
        }
    }
}

/// What one thread remembers of the pieces it asked for.
#[derive(Debug)]
pub(super) struct Cache {
    entries: Vec<(u128, PieceId)>,
}

impl Default for Cache {
    fn default() -> Self {
        // Piece 0 with the content 0 may not exist: an impossible number says that an entry is free.
        Cache { entries: vec![(0, PieceId::MAX); 1 << CACHE_BITS] }
    }
}

impl Cache {
    /// The number of a piece.
    #[inline]
    pub(super) fn intern(&mut self, pieces: &Pieces, piece: u128) -> Option<PieceId> {
        let hash = hash(piece);
        let entry = &mut self.entries[(hash >> (64 - CACHE_BITS)) as usize];
        if entry.0 == piece && entry.1 != PieceId::MAX {
            return Some(entry.1);
        }
        let id = pieces.intern(piece, hash)?;
        *entry = (piece, id);
        Some(id)
    }
}

#[inline]
fn hash(piece: u128) -> u64 {
    let fold = |a: u64, b: u64| {
        let wide = u128::from(a) * u128::from(b);
        (wide as u64) ^ (wide >> 64) as u64
    };
    let low = fold(piece as u64 ^ 0xa076_1d64_78bd_642f, 0x9e37_79b9_7f4a_7c15);
    fold(low ^ (piece >> 64) as u64, 0xe703_7ed1_a0b4_28db)
}
