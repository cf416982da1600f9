//! The set of packed states.
//!
//! Cost per state: eight bytes for the names of its halves, one for its length, four for the state it was
//! found from, and four per slot at a load of at most 4/5. A slot holds the number of a state in as many
//! bits as the size of the table asks for, and bits of its hash in the rest, so that most probes that
//! miss touch no state.
//!
//! As in [`crate::table`], states are looked up in batches: a first pass touches what the second will need.

use super::packer::Packed;
use crate::table::{Lookup, NO_PARENT, StateId, reserve};
use std::collections::HashMap;

/// A state to be looked up, and the one it was found from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub(super) halves: u64,
    pub(super) len: u32,
    pub(super) parent: StateId,
}

/// All states seen so far.
#[derive(Debug)]
pub(crate) struct PackedTable {
    halves: Vec<u64>,
    parents: Vec<StateId>,
    /// Which of `lengths` each state has; [`FAR`] says that it stands in `far`.
    length_of: Vec<u8>,
    /// The lengths there are, in the order in which they came.
    lengths: Vec<u32>,
    far: HashMap<StateId, u32>,
    /// `tag << bits | id + 1`; 0 is free.
    slots: Vec<u32>,
    /// The number of slots is two to this power.
    bits: u32,
    /// The length of all states together.
    state_bytes: u64,
}

/// How many states are looked up together.
const GROUP: usize = 64;
const FAR: u8 = u8::MAX;
const FIRST_BITS: u32 = 12;
const MOST_BITS: u32 = 32;

impl Default for PackedTable {
    fn default() -> Self {
        PackedTable {
            halves: Vec::new(),
            parents: Vec::new(),
            length_of: Vec::new(),
            lengths: Vec::new(),
            far: HashMap::new(),
            slots: vec![0; 1 << FIRST_BITS],
            bits: FIRST_BITS,
            state_bytes: 0,
        }
    }
}

#[inline]
fn hash(halves: u64, len: u32) -> u64 {
    let fold = |a: u64, b: u64| {
        let wide = u128::from(a) * u128::from(b);
        (wide as u64) ^ (wide >> 64) as u64
    };
    fold(fold(halves ^ 0x8ebc_6af0_9c88_c6e3, 0x9e37_79b9_7f4a_7c15) ^ u64::from(len), 0xe703_7ed1_a0b4_28db)
}

impl PackedTable {
    pub(crate) fn len(&self) -> usize {
        self.halves.len()
    }

    /// A state.
    #[inline]
    pub(crate) fn get(&self, id: StateId) -> Packed {
        Packed { halves: self.halves[id as usize], len: self.length(id) }
    }

    #[inline]
    fn length(&self, id: StateId) -> u32 {
        match self.length_of[id as usize] {
            FAR => self.far.get(&id).copied().unwrap_or(0),
            index => self.lengths[index as usize],
        }
    }

    /// The state from which a state was found first.
    pub(crate) fn parent(&self, id: StateId) -> Option<StateId> {
        Some(self.parents[id as usize]).filter(|&p| p != NO_PARENT)
    }

    /// Finds or adds all states of a batch, in order; `false` when there is no room for more.
    pub(crate) fn insert_all(&mut self, batch: &[Entry]) -> bool {
        self.insert_noting(batch, &mut |_, _| ())
    }

    /// The same; `note` hears of each state from which one it was reached, and its number.
    pub(crate) fn insert_noting(&mut self, batch: &[Entry], note: &mut impl FnMut(StateId, StateId)) -> bool {
        let mut room = true;
        for group in batch.chunks(GROUP) {
            let mut hashes = [0; GROUP];
            for (hash_of, entry) in hashes.iter_mut().zip(group) {
                *hash_of = hash(entry.halves, entry.len);
            }
            let hashes = &hashes[..group.len()];
            std::hint::black_box(self.touch(hashes));
            for (&entry, &hash) in group.iter().zip(hashes) {
                match self.insert_hashed(entry, hash) {
                    Lookup::New(id) | Lookup::Known(id) => note(entry.parent, id),
                    Lookup::Full => room = false,
                }
            }
        }
        room
    }

    /// Reads what looking up some states will read: first all slots, then all candidates.
    fn touch(&self, hashes: &[u64]) -> u64 {
        let mut sum = 0;
        for &hash in hashes {
            sum ^= u64::from(self.slots[(hash >> (64 - self.bits)) as usize]);
        }
        for &hash in hashes {
            let slot = self.slots[(hash >> (64 - self.bits)) as usize];
            if slot != 0 && self.tag_of(slot) == self.tag(hash) {
                sum ^= self.halves[self.id_of(slot) as usize];
            }
        }
        sum
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
    fn id_of(&self, slot: u32) -> StateId {
        let mask = ((1u64 << self.bits) - 1) as u32;
        (slot & mask) - 1
    }

    /// Finds a state, or adds it.
    #[inline]
    fn insert_hashed(&mut self, entry: Entry, hash: u64) -> Lookup {
        if (self.len() + 1) * 5 > self.slots.len() * 4 && self.bits < MOST_BITS {
            self.grow();
        }
        let tag = self.tag(hash);
        let mut at = (hash >> (64 - self.bits)) as usize;
        while self.slots[at] != 0 {
            let slot = self.slots[at];
            if self.tag_of(slot) == tag {
                let id = self.id_of(slot);
                if self.halves[id as usize] == entry.halves && self.length(id) == entry.len {
                    return Lookup::Known(id);
                }
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
        self.add(entry, at, tag)
    }

    fn add(&mut self, entry: Entry, at: usize, tag: u32) -> Lookup {
        let id = self.len();
        if id >= NO_PARENT as usize - 1 || (id + 1) * 16 > self.slots.len() * 15 {
            return Lookup::Full;
        }
        self.slots[at] = tag.checked_shl(self.bits).unwrap_or(0) | (id as u32 + 1);
        reserve(&mut self.halves, 1);
        self.halves.push(entry.halves);
        reserve(&mut self.parents, 1);
        self.parents.push(entry.parent);
        let length = self.length_index(id as StateId, entry.len);
        reserve(&mut self.length_of, 1);
        self.length_of.push(length);
        self.state_bytes += u64::from(entry.len);
        Lookup::New(id as StateId)
    }

    fn length_index(&mut self, id: StateId, len: u32) -> u8 {
        if let Some(index) = self.lengths.iter().position(|&known| known == len) {
            return index as u8;
        }
        if self.lengths.len() < FAR as usize {
            self.lengths.push(len);
            return self.lengths.len() as u8 - 1;
        }
        self.far.insert(id, len);
        FAR
    }

    fn grow(&mut self) {
        self.bits += 1;
        self.slots = Vec::new();
        self.slots = vec![0; 1 << self.bits];
        let mask = self.slots.len() - 1;
        for id in 0..self.len() {
            let hash = hash(self.halves[id], self.length(id as StateId));
            let mut at = (hash >> (64 - self.bits)) as usize;
            while self.slots[at] != 0 {
                at = (at + 1) & mask;
            }
            self.slots[at] = self.tag(hash).checked_shl(self.bits).unwrap_or(0) | (id as u32 + 1);
        }
    }

    /// The bytes of all states, unpacked.
    pub(crate) fn state_bytes(&self) -> u64 {
        self.state_bytes
    }

    /// Bytes of the table; the pieces are not its own.
    pub(crate) fn memory_bytes(&self) -> u64 {
        let slots = self.slots.capacity() * 4;
        let states = self.halves.capacity() * 8 + self.parents.capacity() * 4 + self.length_of.capacity();
        (slots + states + self.far.capacity() * 12) as u64
    }

    /// Bytes that the next doubling of the table will need in addition, if it is near.
    pub(crate) fn growth_bytes(&self) -> u64 {
        let near = (self.len() + 64) * 5 > self.slots.len() * 4 && self.bits < MOST_BITS;
        if near { self.slots.len() as u64 * 4 } else { 0 }
    }
}
