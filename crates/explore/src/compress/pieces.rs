//! Pieces: strings of sixteen bytes, each kept once and named by a number, for all threads together.
//!
//! Sixteen bytes are a stretch of a state, or the numbers of four other pieces (see [`super::packer`]). A piece
//! never moves or changes. Pieces stand in blocks of doubling size, found through an index of open addressing;
//! both are atomic words, so nothing is locked: who adds a piece writes it to a place of its own first, and
//! then tries to put its number into a free slot of the index. If another thread was faster with the same
//! piece, that one counts, and the place is used for the next. Each thread takes some places at a time, so that threads
//! do not write to the same cache lines. Which number a piece gets depends on who comes first;
//! that equal pieces have the same number does not.
//!
//! The index cannot grow while others look at it. It is grown between rounds ([`Pieces::grow_if_due`]), while it
//! is still far from full; every process takes the new one then ([`Pieces::index`]).

use std::ops::Range;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

/// The number of a piece.
pub(super) type PieceId = u32;

/// The size of the first block, as a power of two; every further block is as large as all before it.
const FIRST_BLOCK: u32 = 12;
const BLOCKS: usize = (32 - FIRST_BLOCK) as usize + 1;
/// The size of the first index, as a power of two.
const FIRST_INDEX: u32 = 14;
const MOST_INDEX: u32 = 32;

type Block = Box<[[AtomicU64; 2]]>;

/// Places that one thread has taken for pieces to come.
#[derive(Debug, Default)]
pub(super) struct Places(Range<PieceId>);

/// How many places a thread takes at a time.
const PLACES: PieceId = 64;

/// All pieces.
#[derive(Debug)]
pub struct Pieces {
    blocks: [OnceLock<Block>; BLOCKS],
    index: RwLock<Arc<Index>>,
    next: AtomicU32,
}

/// Finds pieces by their content.
#[derive(Debug)]
pub(super) struct Index {
    /// `tag << bits | id + 1`; 0 is free.
    slots: Box<[AtomicU32]>,
    /// The number of slots is two to this power.
    bits: u32,
}

impl Default for Pieces {
    fn default() -> Self {
        let index = RwLock::new(Arc::new(Index::new(FIRST_INDEX)));
        Pieces { blocks: [const { OnceLock::new() }; BLOCKS], index, next: AtomicU32::new(0) }
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
    /// How many there are at most.
    fn len(&self) -> u32 {
        self.next.load(Ordering::Relaxed)
    }

    /// Bytes that all pieces take, with what finds them.
    pub fn memory_bytes(&self) -> u64 {
        u64::from(self.len()) * 16 + self.index().slots.len() as u64 * 4
    }

    /// The index as it is now.
    pub(super) fn index(&self) -> Arc<Index> {
        Arc::clone(&self.index.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether more than so many eighths of the index are used, so that it should grow.
    #[inline]
    pub(super) fn is_due(&self, index: &Index, eighths: u64) -> bool {
        u64::from(self.len()) * 8 > index.slots.len() as u64 * eighths && index.bits < MOST_INDEX
    }

    /// Grows the index, if more than so many eighths of it are used. No process may be adding pieces.
    pub fn grow_if_due(&self, eighths: u64) {
        let mut index = self.index.write().unwrap_or_else(PoisonError::into_inner);
        if !self.is_due(&index, eighths) {
            return;
        }
        let grown = Index::new(index.bits + 1);
        for slot in &index.slots {
            let slot = slot.load(Ordering::Relaxed);
            if slot != 0 {
                let id = index.id_of(slot);
                grown.put(hash(self.get(id)), id);
            }
        }
        *index = Arc::new(grown);
    }

    /// The content of a piece.
    #[inline]
    pub(super) fn get(&self, id: PieceId) -> u128 {
        let (block, at) = place(id);
        let Some(words) = self.blocks[block].get().and_then(|block| block.get(at)) else { return 0 };
        let [low, high] = [words[0].load(Ordering::Relaxed), words[1].load(Ordering::Relaxed)];
        u128::from(high) << 64 | u128::from(low)
    }

    /// The number of a piece; `None` when there is no room for one more. A new one takes a place of `own`.
    pub(super) fn intern(&self, index: &Index, piece: u128, hash: u64, own: &mut Places) -> Option<PieceId> {
        let (tag, mask) = (index.tag(hash), index.slots.len() - 1);
        let mut at = index.first(hash);
        for _ in 0..=mask {
            let mut slot = index.slots[at].load(Ordering::Acquire);
            if slot == 0 {
                let id = self.write(piece, own)?;
                let full = index.slot(tag, id);
                match index.slots[at].compare_exchange(0, full, Ordering::AcqRel, Ordering::Acquire) {
                    Ok(_) => {
                        own.0.start += 1;
                        return Some(id);
                    }
                    Err(other) => slot = other,
                }
            }
            if index.tag_of(slot) == tag && self.get(index.id_of(slot)) == piece {
                return Some(index.id_of(slot));
            }
            at = (at + 1) & mask;
        }
        None
    }

    /// Writes a piece to the next of a thread's own places, which it keeps until the piece has been put into the index.
    fn write(&self, piece: u128, own: &mut Places) -> Option<PieceId> {
        if own.0.is_empty() {
            let first = self.next.fetch_add(PLACES, Ordering::Relaxed);
            if first >= PieceId::MAX - (1 << 16) {
                self.next.fetch_sub(PLACES, Ordering::Relaxed);
                return None;
            }
            own.0 = first..first + PLACES;
        }
        let id = own.0.start;
        let (block, at) = place(id);
        let words = self.blocks[block].get_or_init(|| {
            let size = 1usize << (block as u32 + FIRST_BLOCK);
            (0..size).map(|_| [AtomicU64::new(0), AtomicU64::new(0)]).collect()
        });
        words[at][0].store(piece as u64, Ordering::Relaxed);
        words[at][1].store((piece >> 64) as u64, Ordering::Relaxed);
        Some(id)
    }

    /// Reads where a piece is looked up first.
    #[inline]
    pub(super) fn touch_slot(&self, index: &Index, hash: u64) -> u32 {
        index.slots[index.first(hash)].load(Ordering::Relaxed)
    }

    /// Reads the piece that is found there, if it may be the one.
    #[inline]
    pub(super) fn touch_piece(&self, index: &Index, hash: u64) -> u64 {
        let slot = self.touch_slot(index, hash);
        if slot != 0 && index.tag_of(slot) == index.tag(hash) { self.get(index.id_of(slot)) as u64 } else { 0 }
    }
}

impl Index {
    fn new(bits: u32) -> Self {
        Index { slots: (0..1u64 << bits).map(|_| AtomicU32::new(0)).collect(), bits }
    }

    #[inline]
    fn first(&self, hash: u64) -> usize {
        (hash >> (64 - self.bits)) as usize
    }

    /// The bits of a hash that a slot keeps.
    #[inline]
    fn tag(&self, hash: u64) -> u32 {
        (hash as u32).checked_shr(self.bits).unwrap_or(0)
    }

    #[inline]
    fn tag_of(&self, slot: u32) -> u32 {
        slot.checked_shr(self.bits).unwrap_or(0)
    }

    #[inline]
    fn id_of(&self, slot: u32) -> PieceId {
        (slot & ((1u64 << self.bits) - 1) as u32) - 1
    }

    #[inline]
    fn slot(&self, tag: u32, id: PieceId) -> u32 {
        tag.checked_shl(self.bits).unwrap_or(0) | (id + 1)
    }

    /// Puts a piece that is not there yet into a free slot.
    fn put(&self, hash: u64, id: PieceId) {
        let mut at = self.first(hash);
        while self.slots[at].load(Ordering::Relaxed) != 0 {
            at = (at + 1) & (self.slots.len() - 1);
        }
        self.slots[at].store(self.slot(self.tag(hash), id), Ordering::Relaxed);
    }
}

/// A hash of a piece.
#[inline]
pub(super) fn hash(piece: u128) -> u64 {
    let fold = |a: u64, b: u64| {
        let wide = u128::from(a) * u128::from(b);
        (wide as u64) ^ (wide >> 64) as u64
    };
    let low = fold(piece as u64 ^ 0xa076_1d64_78bd_642f, 0x9e37_79b9_7f4a_7c15);
    fold(low ^ (piece >> 64) as u64, 0xe703_7ed1_a0b4_28db)
}
