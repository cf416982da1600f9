//! The digest of a set of states: what a certificate of an exhaustive search says about it.
//!
//! Each state has a 128-bit digest, and a set has the sum of them, so the order in which a search
//! finds states does not matter. Nor does the way shapes happen to be numbered in one run: the
//! digest is taken of the process types themselves (see [`crate::semantics::Stepper::digest`]).

/// The digest of a string of bytes: two lanes, each eight bytes at a time.
pub(crate) fn digest(bytes: &[u8]) -> u128 {
    let (mut high, mut low) = (Lane::new(HIGH, bytes.len()), Lane::new(LOW, bytes.len()));
    let (words, rest) = bytes.as_chunks::<8>();
    for word in words {
        high.add(u64::from_le_bytes(*word));
        low.add(u64::from_le_bytes(*word));
    }
    if !rest.is_empty() {
        let mut word = [0; 8];
        word[..rest.len()].copy_from_slice(rest);
        high.add(u64::from_le_bytes(word));
        low.add(u64::from_le_bytes(word));
    }
    u128::from(high.end()) << 64 | u128::from(low.end())
}

/// The multiplier and the start of each lane.
const HIGH: (u64, u64) = (0x9e37_79b9_7f4a_7c15, 0xa076_1d64_78bd_642f);
const LOW: (u64, u64) = (0xe703_7ed1_a0b4_28db, 0x8ebc_6af0_9c88_c6e3);

struct Lane {
    multiplier: u64,
    start: u64,
    hash: u64,
}

impl Lane {
    #[inline(always)]
    fn new((multiplier, start): (u64, u64), len: usize) -> Lane {
        Lane { multiplier, start, hash: start ^ len as u64 }
    }

    #[inline(always)]
    fn fold(&self, a: u64) -> u64 {
        let wide = u128::from(a) * u128::from(self.multiplier);
        (wide as u64) ^ (wide >> 64) as u64
    }

    #[inline(always)]
    fn add(&mut self, word: u64) {
        self.hash = self.fold(self.hash ^ word).wrapping_add(self.start);
    }

    #[inline(always)]
    fn end(&self) -> u64 {
        self.fold(self.hash ^ self.start.rotate_left(32))
    }
}
