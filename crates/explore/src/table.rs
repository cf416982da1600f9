//! The set of states seen so far, packed.
//!
//! States are strings of bytes of different lengths. They stand one after the other in one array, and
//! get numbers in the order in which they are found; an open-addressing table maps a 32-bit hash to a
//! number. A slot holds both hash and number, so that most probes that miss touch no state, and the
//! table can grow without looking at a single state.
//!
//! Cost per state: its bytes, five for its place, four for its parent, and eight per slot at a load
//! of at most 4/5.

/// The number of a state, in order of discovery.
pub type StateId = u32;

/// All states seen so far.
#[derive(Debug)]
pub struct StateTable {
    bytes: Vec<u8>,
    /// Where each state ends: the low four bytes.
    ends_low: Vec<u32>,
    /// And the fifth.
    ends_high: Vec<u8>,
    parents: Vec<StateId>,
    /// `hash << 32 | id + 1`; 0 is free.
    slots: Vec<u64>,
    /// `32 - log2(slots)`: the top bits of the hash choose the slot.
    shift: u32,
}

/// What became of a state that was looked up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lookup {
    /// It is new and has this number.
    New(StateId),
    /// It was there.
    Known(StateId),
    /// There is no room for more than 2^32 - 2 states.
    Full,
}

/// The parent of a state without one.
pub const NO_PARENT: StateId = u32::MAX;

const FIRST_SLOTS: usize = 1 << 12;

impl Default for StateTable {
    fn default() -> Self {
        StateTable {
            bytes: Vec::new(),
            ends_low: Vec::new(),
            ends_high: Vec::new(),
            parents: Vec::new(),
            slots: vec![0; FIRST_SLOTS],
            shift: 32 - FIRST_SLOTS.trailing_zeros(),
        }
    }
}

impl StateTable {
    /// The number of states.
    pub fn len(&self) -> usize {
        self.parents.len()
    }

    /// Whether there is no state yet.
    pub fn is_empty(&self) -> bool {
        self.parents.is_empty()
    }

    /// The bytes of a state.
    #[inline]
    pub fn state(&self, id: StateId) -> &[u8] {
        let start = if id == 0 { 0 } else { self.end(id - 1) };
        &self.bytes[start..self.end(id)]
    }

    #[inline]
    fn end(&self, id: StateId) -> usize {
        (self.ends_high[id as usize] as usize) << 32 | self.ends_low[id as usize] as usize
    }

    /// The state from which a state was found first.
    pub fn parent(&self, id: StateId) -> Option<StateId> {
        Some(self.parents[id as usize]).filter(|&p| p != NO_PARENT)
    }

    /// Finds a state, or adds it.
    pub fn insert(&mut self, state: &[u8], parent: StateId) -> Lookup {
        if (self.len() + 1) * 5 > self.slots.len() * 4 {
            self.grow();
        }
        let fingerprint = fingerprint(state);
        let hash = (fingerprint >> 32) as u32;
        let mask = self.slots.len() - 1;
        let mut at = (hash >> self.shift) as usize;
        loop {
            let slot = self.slots[at];
            if slot == 0 {
                break;
            }
            if (slot >> 32) as u32 == hash {
                let id = slot as u32 - 1;
                if self.state(id) == state {
                    return Lookup::Known(id);
                }
            }
            at = (at + 1) & mask;
        }
        let id = self.len();
        if id >= NO_PARENT as usize - 1 {
            return Lookup::Full;
        }
        self.slots[at] = u64::from(hash) << 32 | (id as u64 + 1);
        self.bytes.extend_from_slice(state);
        self.ends_low.push(self.bytes.len() as u32);
        self.ends_high.push((self.bytes.len() >> 32) as u8);
        self.parents.push(parent);
        Lookup::New(id as StateId)
    }

    fn grow(&mut self) {
        let size = self.slots.len() * 2;
        let old = std::mem::replace(&mut self.slots, vec![0; size]);
        self.shift -= 1;
        let mask = size - 1;
        for slot in old.into_iter().filter(|&s| s != 0) {
            let mut at = ((slot >> 32) as u32 >> self.shift) as usize;
            while self.slots[at] != 0 {
                at = (at + 1) & mask;
            }
            self.slots[at] = slot;
        }
    }

    /// Bytes of the packed states alone.
    pub fn state_bytes(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// Bytes for states, their places, their parents and the table.
    pub fn memory_bytes(&self) -> u64 {
        (self.bytes.capacity()
            + self.ends_low.capacity() * 4
            + self.ends_high.capacity()
            + self.parents.capacity() * 4
            + self.slots.capacity() * 8) as u64
    }

    /// Bytes that the next doubling of the table will need at once, if it is near.
    pub fn growth_bytes(&self) -> u64 {
        let near = (self.len() + 64) * 5 > self.slots.len() * 4;
        if near { self.slots.len() as u64 * 16 } else { 0 }
    }
}

/// A 64-bit hash: eight bytes at a time, each folded in by a wide multiplication.
#[inline]
fn fingerprint(bytes: &[u8]) -> u64 {
    const K: u64 = 0x9e37_79b9_7f4a_7c15;
    let fold = |a: u64, b: u64| {
        let wide = u128::from(a) * u128::from(b);
        (wide as u64) ^ (wide >> 64) as u64
    };
    let mut hash = bytes.len() as u64 ^ 0xa076_1d64_78bd_642f;
    let mut chunks = bytes.chunks_exact(8);
    for chunk in &mut chunks {
        let mut word = [0; 8];
        word.copy_from_slice(chunk);
        hash = fold(hash ^ u64::from_le_bytes(word), K);
    }
    let rest = chunks.remainder();
    if !rest.is_empty() {
        let mut word = [0; 8];
        word[..rest.len()].copy_from_slice(rest);
        hash = fold(hash ^ u64::from_le_bytes(word), K);
    }
    fold(hash ^ K, 0xe703_7ed1_a0b4_28db)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn agrees_with_a_hash_map_on_random_strings() {
        let mut seed = 0x5eed_u64;
        let mut random = move |bound: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % bound
        };
        let mut table = StateTable::default();
        let mut naive: HashMap<Vec<u8>, StateId> = HashMap::new();
        for _ in 0..60_000 {
            let state: Vec<u8> = (0..random(6)).map(|_| random(9) as u8).collect();
            let next = naive.len() as StateId;
            match naive.get(&state) {
                Some(&id) => assert_eq!(table.insert(&state, 0), Lookup::Known(id)),
                None => {
                    assert_eq!(table.insert(&state, 0), Lookup::New(next));
                    naive.insert(state.clone(), next);
                }
            }
            let id = naive[&state];
            assert_eq!(table.state(id), state.as_slice());
        }
        assert_eq!(table.len(), naive.len());
    }
}
