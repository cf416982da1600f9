//! Sets of tuples: packed into words, found by their hash, numbered in the order in which they come.

/// How many bits each field of a tuple takes, and where.
#[derive(Clone, Debug)]
struct Packing {
    /// The word, the shift and the mask of each field.
    fields: Vec<(u32, u32, u64)>,
    words: usize,
}

impl Packing {
    /// For fields with so many values each.
    fn new(sizes: impl Iterator<Item = usize>) -> Packing {
        let (mut word, mut used) = (0, 0);
        let mut fields = Vec::new();
        for size in sizes {
            let bits = usize::BITS - size.saturating_sub(1).leading_zeros();
            if used + bits > 64 {
                (word, used) = (word + 1, 0);
            }
            fields.push((word, used, if bits == 0 { 0 } else { u64::MAX >> (64 - bits) }));
            used += bits;
        }
        Packing { fields, words: word as usize + 1 }
    }

    fn pack(&self, tuple: &[u32], words: &mut Vec<u64>) {
        let start = words.len();
        words.resize(start + self.words, 0);
        for (&(word, shift, _), &value) in self.fields.iter().zip(tuple) {
            // A field of no bits at the end of a word would be shifted too far.
            words[start + word as usize] |= u64::from(value) << (shift & 63);
        }
    }

    fn unpack(&self, words: &[u64], tuple: &mut Vec<u32>) {
        tuple.clear();
        tuple.extend(
            self.fields.iter().map(|&(word, shift, mask)| (words[word as usize] >> (shift & 63) & mask) as u32),
        );
    }
}

/// A set of tuples.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    packing: Packing,
    words: Vec<u64>,
    slots: Vec<u32>,
    count: usize,
}

const FREE: u32 = u32::MAX;

impl Table {
    /// For tuples whose fields have so many values each.
    pub(crate) fn new(sizes: impl Iterator<Item = usize>) -> Table {
        Table { packing: Packing::new(sizes), words: Vec::new(), slots: vec![FREE; 64], count: 0 }
    }

    pub(crate) fn len(&self) -> usize {
        self.count
    }

    pub(crate) fn bytes(&self) -> usize {
        self.words.len() * 8 + self.slots.len() * 4
    }

    /// The tuple with a number.
    pub(crate) fn get(&self, index: u32, tuple: &mut Vec<u32>) {
        let from = index as usize * self.packing.words;
        self.packing.unpack(&self.words[from..from + self.packing.words], tuple);
    }

    /// The number of a tuple, and whether it is new.
    pub(crate) fn insert(&mut self, tuple: &[u32]) -> (u32, bool) {
        if (self.count + 1) * 3 > self.slots.len() * 2 {
            self.grow();
        }
        let start = self.words.len();
        self.packing.pack(tuple, &mut self.words);
        let slot = self.slot(&self.words[start..]);
        if self.slots[slot] != FREE {
            self.words.truncate(start);
            return (self.slots[slot], false);
        }
        self.slots[slot] = self.count as u32;
        self.count += 1;
        (self.slots[slot], true)
    }

    /// The number of a tuple, if it is there.
    pub(crate) fn find(&self, tuple: &[u32]) -> Option<u32> {
        let mut words = Vec::with_capacity(self.packing.words);
        self.packing.pack(tuple, &mut words);
        Some(self.slots[self.slot(&words)]).filter(|&index| index != FREE)
    }

    /// Where packed words are, or where they belong.
    fn slot(&self, words: &[u64]) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = hash(words) as usize & mask;
        while self.slots[slot] != FREE {
            let from = self.slots[slot] as usize * self.packing.words;
            if self.words[from..from + self.packing.words] == *words {
                break;
            }
            slot = (slot + 1) & mask;
        }
        slot
    }

    fn grow(&mut self) {
        self.slots = vec![FREE; self.slots.len() * 2];
        for index in 0..self.count {
            let from = index * self.packing.words;
            let slot = self.slot(&self.words[from..from + self.packing.words]);
            self.slots[slot] = index as u32;
        }
    }
}

fn hash(words: &[u64]) -> u64 {
    let mix = |value: u64| {
        let value = (value ^ value >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        value ^ value >> 29
    };
    words.iter().fold(0x51_7cc1_b727_220a, |hash: u64, &word| mix(hash.rotate_left(23) ^ word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tuples_keep_their_numbers() {
        let mut table = Table::new([3, 1, 1 << 31, 70_000, 1 << 32, 2].into_iter());
        let tuple = |n: u32| vec![n % 3, 0, n.wrapping_mul(77_777) >> 1, n % 70_000, n.wrapping_mul(12_345), n % 2];
        for n in 0..1000 {
            assert_eq!(table.insert(&tuple(n)), (n, true));
        }
        let mut read = Vec::new();
        for n in 0..1000 {
            assert_eq!(table.insert(&tuple(n)), (n, false));
            assert_eq!(table.find(&tuple(n)), Some(n));
            table.get(n, &mut read);
            assert_eq!(read, tuple(n));
        }
        assert_eq!((table.len(), table.find(&tuple(1000))), (1000, None));
    }
}
