//! The digest of a set of states: what a certificate of an exhaustive search says about it.
//!
//! Each state has a 128-bit digest, and a set has the sum of them, so the order in which a search
//! finds states does not matter. Nor does the way shapes happen to be numbered in one run: the
//! digest is taken of the process types themselves (see [`crate::semantics::Stepper::digest`]).

/// The digest of a string of bytes.
pub(crate) fn digest(bytes: &[u8]) -> u128 {
    let high = lane(bytes, 0x9e37_79b9_7f4a_7c15, 0xa076_1d64_78bd_642f);
    let low = lane(bytes, 0xe703_7ed1_a0b4_28db, 0x8ebc_6af0_9c88_c6e3);
    u128::from(high) << 64 | u128::from(low)
}

fn lane(bytes: &[u8], multiplier: u64, start: u64) -> u64 {
    let fold = |a: u64| {
        let wide = u128::from(a) * u128::from(multiplier);
        (wide as u64) ^ (wide >> 64) as u64
    };
    let mut hash = start ^ bytes.len() as u64;
    for chunk in bytes.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        hash = fold(hash ^ u64::from_le_bytes(word)).wrapping_add(start);
    }
    fold(hash ^ start.rotate_left(32))
}
