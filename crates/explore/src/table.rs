//! The set of states seen so far, packed.
//!
//! States are strings of bytes of different lengths. They stand one after the other in one array, and
//! get numbers in the order in which they are found; an open-addressing table finds them by a hash. A slot
//! holds the number of a state in as many bits as the size of the table asks for, and bits of its hash in
//! the rest, so that most probes that miss touch no state.
//!
//! Cost per state: its bytes, five for its place, four for its parent, and four per slot at a load
//! of at most 4/5.
//!
//! A probe of a large table waits for memory, and so does the comparison that follows. States are
//! therefore looked up in batches: a first pass over a [`Batch`] only touches what the second will
//! need, so that the processor waits for many cache lines at once instead of one after the other.

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
    /// The number of a state plus one, and above it the low bits of its hash; 0 is free.
    slots: Vec<u32>,
    /// The number of slots is two to this power; the top bits of the hash choose the slot.
    bits: u32,
}

/// States to be looked up together, each with the state it was found from.
#[derive(Debug, Default)]
pub struct Batch {
    bytes: Vec<u8>,
    entries: Vec<Entry>,
}

#[derive(Debug)]
struct Entry {
    end: usize,
    hash: u32,
    parent: StateId,
}

impl Batch {
    /// Adds a state.
    #[inline]
    pub fn push(&mut self, state: &[u8], parent: StateId) {
        self.bytes.extend_from_slice(state);
        self.entries.push(Entry { end: self.bytes.len(), hash: hash(state), parent });
    }

    /// The number of states.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
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

/// How many states of a batch are looked up together.
const GROUP: usize = 64;
const FIRST_SLOTS: usize = 1 << 12;

impl Default for StateTable {
    fn default() -> Self {
        StateTable {
            bytes: Vec::new(),
            ends_low: Vec::new(),
            ends_high: Vec::new(),
            parents: Vec::new(),
            slots: vec![0; FIRST_SLOTS],
            bits: FIRST_SLOTS.trailing_zeros(),
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

    /// Finds or adds all states of a batch, in order, and empties it; `false` when there is no room for more.
    pub fn insert_all(&mut self, batch: &mut Batch) -> bool {
        self.insert_noting(batch, &mut |_, _| ())
    }

    /// The same; `note` hears of each state from which one it was reached, and its number.
    pub(crate) fn insert_noting(&mut self, batch: &mut Batch, note: &mut impl FnMut(StateId, StateId)) -> bool {
        let mut start = 0;
        let mut room = true;
        for group in batch.entries.chunks(GROUP) {
            if group.len() > 1 {
                std::hint::black_box(self.touch(group));
            }
            for entry in group {
                let end = entry.end;
                match self.insert_hashed(&batch.bytes[start..end], entry.hash, entry.parent) {
                    Lookup::New(id) | Lookup::Known(id) => note(entry.parent, id),
                    Lookup::Full => room = false,
                }
                start = end;
            }
        }
        batch.bytes.clear();
        batch.entries.clear();
        room
    }

    /// Reads what looking up some states will read: first all slots, then all candidates' places, then their bytes.
    fn touch(&self, entries: &[Entry]) -> u64 {
        let mut sum = 0;
        for entry in entries {
            sum ^= u64::from(self.slots[self.first(entry.hash)]);
        }
        let candidate = |entry: &Entry| self.candidate(self.slots[self.first(entry.hash)], entry.hash);
        for id in entries.iter().filter_map(candidate) {
            sum ^= u64::from(self.ends_low[id as usize]) ^ u64::from(self.ends_high[id as usize]);
        }
        for id in entries.iter().filter_map(candidate) {
            sum ^= u64::from(self.bytes[self.end(id) - 1]);
        }
        sum
    }

    /// Finds a state, or adds it.
    pub fn insert(&mut self, state: &[u8], parent: StateId) -> Lookup {
        self.insert_hashed(state, hash(state), parent)
    }

    /// Where a hash is looked for first.
    #[inline]
    fn first(&self, hash: u32) -> usize {
        (u64::from(hash) << self.bits >> 32) as usize
    }

    /// The bits of a hash that a slot keeps, where it keeps them.
    #[inline]
    fn tag(&self, hash: u32) -> u32 {
        hash.checked_shl(self.bits).unwrap_or(0)
    }

    /// The state that a slot names, if its hash may be this one.
    #[inline]
    fn candidate(&self, slot: u32, hash: u32) -> Option<StateId> {
        let low = ((1u64 << self.bits) - 1) as u32;
        (slot != 0 && slot & !low == self.tag(hash)).then(|| (slot & low) - 1)
    }

    /// The number of a state, if it is there; otherwise the slot where it belongs.
    #[inline]
    fn look_up(&self, state: &[u8], hash: u32) -> Result<StateId, usize> {
        let mask = self.slots.len() - 1;
        let mut at = self.first(hash);
        while self.slots[at] != 0 {
            if let Some(id) = self.candidate(self.slots[at], hash)
                && self.state(id) == state
            {
                return Ok(id);
            }
            at = (at + 1) & mask;
        }
        Err(at)
    }

    /// The number of a state, if it is there.
    pub fn find(&self, state: &[u8]) -> Option<StateId> {
        self.look_up(state, hash(state)).ok()
    }

    fn insert_hashed(&mut self, state: &[u8], hash: u32, parent: StateId) -> Lookup {
        if (self.len() + 1) * 5 > self.slots.len() * 4 && self.bits < 32 {
            self.grow();
        }
        let at = match self.look_up(state, hash) {
            Ok(id) => return Lookup::Known(id),
            Err(at) => at,
        };
        let id = self.len();
        if id >= NO_PARENT as usize - 1 || (id + 1) * 16 > self.slots.len() * 15 {
            return Lookup::Full;
        }
        self.slots[at] = self.tag(hash) | (id as u32 + 1);
        reserve(&mut self.bytes, state.len());
        self.bytes.extend_from_slice(state);
        reserve(&mut self.ends_low, 1);
        self.ends_low.push(self.bytes.len() as u32);
        reserve(&mut self.ends_high, 1);
        self.ends_high.push((self.bytes.len() >> 32) as u8);
        reserve(&mut self.parents, 1);
        self.parents.push(parent);
        Lookup::New(id as StateId)
    }

    /// Doubles the table. All states are hashed again, which is quick, for they stand one after the other.
    fn grow(&mut self) {
        self.bits += 1;
        self.slots = Vec::new();
        self.slots = vec![0; 1 << self.bits];
        let mask = self.slots.len() - 1;
        for id in 0..self.len() as StateId {
            let hash = hash(self.state(id));
            let mut at = self.first(hash);
            while self.slots[at] != 0 {
                at = (at + 1) & mask;
            }
            self.slots[at] = self.tag(hash) | (id + 1);
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
            + self.slots.capacity() * 4) as u64
    }

    /// Bytes that the next doubling of the table will need at once, if it is near.
    pub fn growth_bytes(&self) -> u64 {
        let near = (self.len() + 64) * 5 > self.slots.len() * 4;
        if near { self.slots.len() as u64 * 4 } else { 0 }
    }
}

/// Makes room for some more, an eighth at a time: memory that is not used yet counts, too.
pub(crate) fn reserve<T>(vector: &mut Vec<T>, more: usize) {
    if vector.len() + more > vector.capacity() {
        vector.reserve_exact((vector.len() / 8).max(1 << 10).max(more));
    }
}

/// A hash: eight bytes at a time, each folded in by a wide multiplication; the upper half of 64 bits.
#[inline]
pub(crate) fn hash(bytes: &[u8]) -> u32 {
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
    (fold(hash ^ K, 0xe703_7ed1_a0b4_28db) >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn a_batch_is_the_same_as_its_states_one_by_one() {
        let (mut one_by_one, mut batched, mut batch) = (StateTable::default(), StateTable::default(), Batch::default());
        for round in 0..200u32 {
            for i in 0..100u32 {
                let state = (round * 37 + i * i % 91).to_le_bytes();
                one_by_one.insert(&state, round);
                batch.push(&state, round);
            }
            assert!(batched.insert_all(&mut batch) && batch.is_empty());
        }
        assert_eq!(one_by_one.len(), batched.len());
        for id in 0..one_by_one.len() as StateId {
            assert_eq!(one_by_one.state(id), batched.state(id));
            assert_eq!(one_by_one.parent(id), batched.parent(id));
        }
    }

    #[test]
    fn agrees_with_a_hash_map_on_random_strings() {
        let mut random = testing::Random::new(0x5eed);
        let mut random = move |bound: u64| random.below(bound);
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
