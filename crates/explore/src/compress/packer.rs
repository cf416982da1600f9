//! From a state to the name of a tree, and back.
//!
//! A state is cut into pieces of sixteen bytes; four names of pieces are again sixteen bytes, and so on,
//! until there is one name for the left half of the state and one for the right. The two are what a table
//! has to store: eight bytes, however long the state is.
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

use super::pieces::{Cache, PieceId, Pieces};
use std::sync::Arc;

const PIECE: usize = 16;
const NAMES: usize = 4;
/// Names of one half: pieces, then fours of them, and so on up to 4^8 pieces.
const LEVELS: usize = 9;

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
    cache: Cache,
    /// The halves of the state that was opened last.
    base: [Half; 2],
    /// Where it was cut.
    base_cut: usize,
    /// Room for the halves of a state that is packed.
    next: Half,
}

/// One half of a state as a tree: level 0 names its bytes, each further level names fours of the one before.
#[derive(Debug, Default)]
struct Half {
    contents: Vec<u128>,
    levels: [Vec<PieceId>; LEVELS],
}

/// Where a state of this length is cut in halves. Short ones are cut in the middle, to within four bytes;
/// longer ones between pieces.
fn cut(len: usize) -> usize {
    let half = len.div_ceil(2);
    if half <= PIECE { half.next_multiple_of(4) } else { half.next_multiple_of(PIECE) }.min(len)
}

#[inline]
fn piece(bytes: &[u8]) -> u128 {
    match <[u8; PIECE]>::try_from(bytes) {
        Ok(whole) => u128::from_le_bytes(whole),
        Err(_) => {
            let mut padded = [0; PIECE];
            padded[..bytes.len()].copy_from_slice(bytes);
            u128::from_le_bytes(padded)
        }
    }
}

fn four(names: &[PieceId]) -> u128 {
    names.iter().rev().fold(0, |sum, &name| sum << 32 | u128::from(name))
}

impl Packer {
    pub(crate) fn new(pieces: Arc<Pieces>) -> Self {
        let (cache, base, next) = (Cache::default(), Default::default(), Half::default());
        Packer { pieces, cache, base, base_cut: 0, next }
    }

    /// Writes a state to `bytes`; those packed from now on are compared with it.
    pub(crate) fn open(&mut self, packed: Packed, bytes: &mut Vec<u8>) {
        let len = packed.len as usize;
        bytes.clear();
        self.base_cut = cut(len);
        self.base[0].open(&self.pieces, packed.halves as u32, self.base_cut, bytes);
        self.base[1].open(&self.pieces, (packed.halves >> 32) as u32, len - self.base_cut, bytes);
    }

    /// Packs a state; `None` when there are too many pieces.
    #[inline]
    pub(crate) fn pack(&mut self, state: &[u8]) -> Option<Packed> {
        let at = cut(state.len());
        let alike = at == self.base_cut;
        let (left, right) = state.split_at(at);
        let left = self.half(0, left, alike)?;
        let right = self.half(1, right, alike)?;
        Some(Packed { halves: u64::from(right) << 32 | u64::from(left), len: state.len() as u32 })
    }

    /// The name of one half.
    #[inline]
    fn half(&mut self, side: usize, bytes: &[u8], alike: bool) -> Option<PieceId> {
        let base = &self.base[side];
        let known = if alike { base.contents.len() } else { 0 };
        let names = &mut self.next.levels[0];
        names.clear();
        let mut changed = !alike || bytes.len().div_ceil(PIECE) != base.contents.len();
        for (index, chunk) in bytes.chunks(PIECE).enumerate() {
            let content = piece(chunk);
            if index < known && content == base.contents[index] {
                names.push(base.levels[0][index]);
            } else {
                changed = true;
                names.push(self.cache.intern(&self.pieces, content)?);
            }
        }
        if !changed {
            return Some(base.name());
        }
        self.fold(side, alike)
    }

    /// Names fours of names until one is left.
    fn fold(&mut self, side: usize, alike: bool) -> Option<PieceId> {
        let mut level = 0;
        while self.next.levels[level].len() > 1 {
            let (below, above) = self.next.levels.split_at_mut(level + 1);
            let (below, above) = (&below[level], above.first_mut()?);
            let (base_below, base_above) = (&self.base[side].levels[level], &self.base[side].levels[level + 1]);
            above.clear();
            for (index, names) in below.chunks(NAMES).enumerate() {
                let same = alike && base_below.chunks(NAMES).nth(index) == Some(names);
                above.push(match base_above.get(index) {
                    Some(&name) if same => name,
                    _ => self.cache.intern(&self.pieces, four(names))?,
                });
            }
            level += 1;
        }
        Some(self.next.levels[level].first().copied().unwrap_or(0))
    }
}

impl Half {
    /// The name of the half as a whole.
    fn name(&self) -> PieceId {
        let top = self.levels.iter().find(|level| level.len() <= 1);
        top.and_then(|level| level.first()).copied().unwrap_or(0)
    }

    /// Becomes the half of `len` bytes with this name, and adds them to `bytes`.
    fn open(&mut self, pieces: &Pieces, name: PieceId, len: usize, bytes: &mut Vec<u8>) {
        let count = len.div_ceil(PIECE);
        let mut top = 0;
        while count > NAMES.pow(top as u32) {
            top += 1;
        }
        self.levels[top].clear();
        self.levels[top].extend((count > 0).then_some(name));
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
        self.contents.clear();
        let end = bytes.len() + len;
        for &name in &self.levels[0] {
            let content = pieces.get(name);
            self.contents.push(content);
            bytes.extend_from_slice(&content.to_le_bytes());
        }
        bytes.truncate(end);
    }
}
