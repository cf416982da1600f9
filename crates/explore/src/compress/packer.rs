//! From a state to the name of a tree, and back.
//!
//! A state is cut into pieces of sixteen bytes; four names of pieces are again sixteen bytes, and so on,
//! until there is one piece for the left half of the state and one for the right. Their two names are what a
//! table has to store: eight bytes, however long the state is.
//!
//! ```text
//!                 (left, right)                       stored with each state
//!                /             \
//!        [a  b  c  ·]      [d  e  ·  ·]               pieces: names of pieces
//!        /   |   \           |   \
//!     16 B  16 B  16 B     16 B   16 B                pieces: bytes of the state
//! ```
//!
//! A step changes few bytes. The packer keeps the tree of the state that is expanded, and for a successor
//! looks up only what differs from it. Messages stand at the end of a state and come and go, so the cut
//! between the halves moves only in large strides, and the left half keeps its pieces.
//!
//! There are few different pieces of a state's bytes; but halves are many, and looking for them means
//! waiting for memory. So they are named in batches: [`Packer::push`] leaves the topmost names open, and
//! [`Packer::settle`] first touches what it will need for all states that wait.

use super::pieces::{Index, PieceId, Pieces, Places, hash};
use super::table::Entry;
use crate::table::StateId;
use std::ops::Range;
use std::sync::Arc;

const PIECE: usize = 16;
const NAMES: usize = 4;
/// Names of one half: pieces, then fours of them, and so on up to 4^8 pieces.
const LEVELS: usize = 9;
/// So many eighths of the index of pieces may be used.
pub(crate) const CROWDED: u64 = 5;
/// The number of entries of the cache, as a power of two.
const CACHE_BITS: u32 = 13;

/// What stands for a state: the names of its halves, and its length in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Packed {
    pub(super) halves: u64,
    pub(super) len: u32,
}

/// Packs and unpacks states; one per thread.
#[derive(Debug)]
pub(crate) struct Packer {
    pieces: Arc<Pieces>,
    index: Arc<Index>,
    /// Where this packer puts new pieces.
    places: Places,
    /// Pieces that were requested lately.
    cache: Vec<(u128, PieceId)>,
    /// The halves of the state that was opened last.
    base: [Half; 2],
    /// Where it was cut.
    base_cut: usize,
    /// Room for the names of a half that is packed.
    next: [Vec<PieceId>; LEVELS],
    waiting: Vec<Waiting>,
    open: Vec<Open>,
    /// There was no room for a piece.
    full: bool,
}

/// A state whose halves may have no names yet.
#[derive(Debug)]
struct Waiting {
    halves: [Top; 2],
    len: u32,
    parent: StateId,
}

/// The topmost piece of a half.
#[derive(Clone, Copy, Debug)]
enum Top {
    Named(PieceId),
    /// The index of an [`Open`].
    Open(u32),
}

/// A topmost piece without a name, or with one that was found meanwhile.
#[derive(Debug)]
struct Open {
    content: u128,
    hash: u64,
    name: Option<PieceId>,
}

/// One half of a state as a tree: level 0 names its bytes, each further level names fours of the one before.
#[derive(Debug, Default)]
struct Half {
    bytes: Vec<u8>,
    contents: Vec<u128>,
    levels: [Vec<PieceId>; LEVELS],
    name: PieceId,
}

/// Where a state of this length is cut in halves. Short ones are cut in the middle, to within four bytes;
/// longer ones between pieces.
#[inline]
fn cut(len: usize) -> usize {
    let half = len.div_ceil(2);
    if half <= PIECE { half.next_multiple_of(4) } else { half.next_multiple_of(PIECE) }.min(len)
}

/// Up to sixteen bytes of a state, from `start` to `end`, and zeros. Whatever is near is loaded and cut to size: a copy
/// of a few bytes would cost more.
#[inline]
fn piece(state: &[u8], start: usize, end: usize) -> u128 {
    let bits = (end - start) * 8;
    if let Some(here) = state[start..].first_chunk::<PIECE>() {
        let mask = if bits == 128 { u128::MAX } else { (1 << bits) - 1 };
        u128::from_le_bytes(*here) & mask
    } else if let (Some(last), true) = (state.last_chunk::<PIECE>(), end == state.len()) {
        u128::from_le_bytes(*last).checked_shr(128 - bits as u32).unwrap_or(0)
    } else {
        let mut padded = [0; PIECE];
        padded[..end - start].copy_from_slice(&state[start..end]);
        u128::from_le_bytes(padded)
    }
}

/// Where a piece stands in the cache; the index uses the upper bits of the hash.
#[inline]
fn cache_slot(hash: u64) -> usize {
    (hash as u32 >> (32 - CACHE_BITS)) as usize
}

#[inline]
fn four(names: &[PieceId]) -> u128 {
    names.iter().rev().fold(0, |sum, &name| sum << 32 | u128::from(name))
}

impl Packer {
    pub(crate) fn new(pieces: Arc<Pieces>) -> Self {
        let index = pieces.index();
        let cache = vec![(0, PieceId::MAX); 1 << CACHE_BITS];
        let (base, next, waiting, open) = (Default::default(), Default::default(), Vec::new(), Vec::new());
        let places = Places::default();
        Packer { pieces, index, places, cache, base, base_cut: 0, next, waiting, open, full: false }
    }

    /// Writes a state to `bytes`; those packed from now on are compared with it.
    pub(crate) fn open(&mut self, packed: Packed, bytes: &mut Vec<u8>) {
        let len = packed.len as usize;
        bytes.clear();
        self.base_cut = cut(len);
        self.base[0].open(&self.pieces, packed.halves as u32, self.base_cut, bytes);
        self.base[1].open(&self.pieces, (packed.halves >> 32) as u32, len - self.base_cut, bytes);
    }

    /// Reads what opening a state will read first.
    #[inline]
    pub(crate) fn touch(&self, packed: Packed) {
        let halves = self.pieces.get(packed.halves as u32) ^ self.pieces.get((packed.halves >> 32) as u32);
        std::hint::black_box(halves as u64);
    }

    /// The number of states that wait for their names.
    pub(crate) fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// Packs a state, but for its topmost names.
    #[inline]
    pub(crate) fn push(&mut self, state: &[u8], parent: StateId) {
        let at = cut(state.len());
        let alike = at == self.base_cut;
        match (self.half(0, state, 0..at, alike), self.half(1, state, at..state.len(), alike)) {
            (Some(left), Some(right)) => {
                self.waiting.push(Waiting { halves: [left, right], len: state.len() as u32, parent });
            }
            _ => self.full = true,
        }
    }

    /// Names all states that wait, in order; `false` when there was no room for a piece.
    pub(crate) fn settle(&mut self, mut take: impl FnMut(Entry)) -> bool {
        self.name_all();
        for waiting in self.waiting.drain(..) {
            let [left, right] = waiting.halves.map(|top| match top {
                Top::Named(name) => Some(name),
                Top::Open(index) => self.open[index as usize].name,
            });
            match (left, right) {
                (Some(left), Some(right)) => {
                    let halves = u64::from(right) << 32 | u64::from(left);
                    take(Entry { halves, len: waiting.len, parent: waiting.parent });
                }
                _ => self.full = true,
            }
        }
        self.open.clear();
        !self.full
    }

    /// Finds the names of all open pieces.
    fn name_all(&mut self) {
        let mut sum = 0;
        for open in &self.open {
            sum ^= u64::from(self.pieces.touch_slot(&self.index, open.hash));
        }
        for open in &self.open {
            sum ^= self.pieces.touch_piece(&self.index, open.hash);
        }
        std::hint::black_box(sum);
        for open in &mut self.open {
            open.name = self.pieces.intern(&self.index, open.content, open.hash, &mut self.places);
            if let Some(name) = open.name {
                self.cache[cache_slot(open.hash)] = (open.content, name);
            }
        }
    }

    /// A topmost piece, which has a name if it was requested lately.
    #[inline]
    fn top(&mut self, content: u128) -> Top {
        let hash = hash(content);
        let entry = &self.cache[cache_slot(hash)];
        if entry.0 == content && entry.1 != PieceId::MAX {
            return Top::Named(entry.1);
        }
        self.open.push(Open { content, hash, name: None });
        Top::Open(self.open.len() as u32 - 1)
    }

    /// Whether the pieces need more room soon.
    pub(crate) fn is_crowded(&self) -> bool {
        self.pieces.is_due(&self.index, CROWDED)
    }

    /// Takes the newest index of the pieces.
    pub(crate) fn refresh(&mut self) {
        self.index = self.pieces.index();
    }

    /// The topmost piece of one half, which stands at `range`.
    #[inline]
    fn half(&mut self, side: usize, state: &[u8], range: Range<usize>, alike: bool) -> Option<Top> {
        let count = range.len().div_ceil(PIECE);
        let same = alike && self.base[side].contents.len() == count;
        if count <= 1 {
            let content = piece(state, range.start, range.end);
            let base = &self.base[side];
            let same = same && base.contents.first().is_none_or(|&known| known == content);
            return Some(if same { Top::Named(base.name) } else { self.top(content) });
        }
        if count > NAMES {
            return self.long_half(side, state, range, alike);
        }
        // A step leaves most bytes alone: often a whole half, which is seen faster than its pieces.
        if same && self.base[side].bytes == state[range.clone()] {
            return Some(Top::Named(self.base[side].name));
        }
        let mut names = [0; NAMES];
        for (index, name) in names.iter_mut().enumerate().take(count) {
            *name = self.leaf(side, index, state, &range, alike)?;
        }
        Some(self.top(four(&names)))
    }

    /// The name of one piece of a half.
    #[inline(always)]
    fn leaf(&mut self, side: usize, index: usize, state: &[u8], range: &Range<usize>, alike: bool) -> Option<PieceId> {
        let start = range.start + index * PIECE;
        let content = piece(state, start, range.end.min(start + PIECE));
        let base = &self.base[side];
        if alike && base.contents.get(index) == Some(&content) {
            return Some(base.levels[0][index]);
        }
        self.intern(content)
    }

    /// The topmost piece of a half of more than four pieces.
    fn long_half(&mut self, side: usize, state: &[u8], range: Range<usize>, alike: bool) -> Option<Top> {
        let base = &self.base[side];
        if alike && base.bytes == state[range.clone()] {
            return Some(Top::Named(base.name));
        }
        let mut names = std::mem::take(&mut self.next[0]);
        names.clear();
        for index in 0..range.len().div_ceil(PIECE) {
            names.push(self.leaf(side, index, state, &range, alike)?);
        }
        self.next[0] = names;
        self.fold(side, alike)
    }

    /// Names fours of names until four or fewer are left.
    fn fold(&mut self, side: usize, alike: bool) -> Option<Top> {
        let mut level = 0;
        while self.next[level].len() > NAMES {
            let below = std::mem::take(&mut self.next[level]);
            self.next[level + 1].clear();
            for (index, names) in below.chunks(NAMES).enumerate() {
                let base = &self.base[side].levels;
                let same = alike && base[level].chunks(NAMES).nth(index) == Some(names);
                let name = match base[level + 1].get(index) {
                    Some(&name) if same => name,
                    _ => self.intern(four(names))?,
                };
                self.next[level + 1].push(name);
            }
            self.next[level] = below;
            level += 1;
        }
        let content = four(&self.next[level]);
        Some(self.top(content))
    }

    /// The name of a piece that is not topmost.
    #[inline]
    fn intern(&mut self, piece: u128) -> Option<PieceId> {
        let hash = hash(piece);
        let entry = &mut self.cache[cache_slot(hash)];
        if entry.0 != piece || entry.1 == PieceId::MAX {
            *entry = (piece, self.pieces.intern(&self.index, piece, hash, &mut self.places)?);
        }
        Some(entry.1)
    }
}

impl Half {
    /// Becomes the half of `len` bytes with this name, and adds them to `bytes`.
    fn open(&mut self, pieces: &Pieces, name: PieceId, len: usize, bytes: &mut Vec<u8>) {
        let count = len.div_ceil(PIECE);
        self.name = name;
        match count {
            0..=NAMES => self.open_short(pieces, count),
            _ => self.open_long(pieces, count),
        }
        self.contents.clear();
        let start = bytes.len();
        for &name in &self.levels[0] {
            let content = pieces.get(name);
            self.contents.push(content);
            bytes.extend_from_slice(&content.to_le_bytes());
        }
        bytes.truncate(start + len);
        self.bytes.clear();
        self.bytes.extend_from_slice(&bytes[start..]);
    }

    /// The names of up to four pieces, which are most halves there are: a piece by itself, or one that names them.
    #[inline]
    fn open_short(&mut self, pieces: &Pieces, count: usize) {
        let names = if count > 1 { pieces.get(self.name) } else { u128::from(self.name) };
        self.levels[0].clear();
        self.levels[0].extend((0..count).map(|index| (names >> (32 * index)) as u32));
        self.levels[1].clear();
        self.levels[1].push(self.name);
    }

    fn open_long(&mut self, pieces: &Pieces, count: usize) {
        let mut top = 0;
        while count > NAMES.pow(top as u32) {
            top += 1;
        }
        self.levels[top].clear();
        self.levels[top].push(self.name);
        for level in (0..top).rev() {
            let (below, above) = self.levels.split_at_mut(level + 1);
            let below = &mut below[level];
            below.clear();
            let wanted = count.div_ceil(NAMES.pow(level as u32));
            for &name in &above[0] {
                let content = pieces.get(name);
                let names = (0..NAMES).map(|index| (content >> (32 * index)) as u32);
                below.extend(names.take(wanted - below.len()));
            }
        }
    }
}
