//! A fast hash for short keys.
//!
//! Keys are a few numbers, or the edges of a small automaton; nobody chooses them to collide. Multiplying and rotating
//! word by word is several times faster here than the hash of the standard library.

use std::hash::{BuildHasherDefault, Hasher};

/// A map whose keys are hashed by [`Mixer`].
pub(crate) type Map<K, V> = std::collections::HashMap<K, V, BuildHasherDefault<Mixer>>;

/// The running hash.
#[derive(Clone, Copy, Default)]
pub(crate) struct Mixer(u64);

impl Mixer {
    fn mix(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

impl Hasher for Mixer {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.mix(u64::from_le_bytes(word));
        }
    }

    fn write_u8(&mut self, number: u8) {
        self.mix(u64::from(number));
    }

    fn write_u32(&mut self, number: u32) {
        self.mix(u64::from(number));
    }

    fn write_u64(&mut self, number: u64) {
        self.mix(number);
    }

    fn write_usize(&mut self, number: usize) {
        self.mix(number as u64);
    }

    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 29)
    }
}
