//! The control states that were seen, each with a number.
//!
//! There may be millions. Their bytes stand one after the other in one piece of memory, and a table of numbers finds them
//! again: with a piece for each, giving them back took as long as a good part of the search, after its time was over.

use std::hash::{DefaultHasher, Hash, Hasher};

/// No control state.
const FREE: u32 = u32::MAX;

/// A state without messages, and the process in control.
pub(super) type Control = (Vec<u8>, Option<u32>);

/// All control states, in the order in which they came.
#[derive(Default)]
pub(super) struct Controls {
    bytes: Vec<u8>,
    /// Where the bytes of each end, and the process in control.
    ends: Vec<(usize, Option<u32>)>,
    /// By hash, with linear probing; at most half of it is in use.
    slots: Vec<u32>,
}

impl Controls {
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The state without messages, and the process in control.
    pub(super) fn get(&self, number: u32) -> (&[u8], Option<u32>) {
        let at = number as usize;
        let begin = if at == 0 { 0 } else { self.ends[at - 1].0 };
        let (end, owner) = self.ends[at];
        (&self.bytes[begin..end], owner)
    }

    pub(super) fn find(&self, control: &Control) -> Option<u32> {
        let at = self.place(&control.0, control.1)?;
        Some(self.slots[at]).filter(|&number| number != FREE)
    }

    /// Adds one that is not there yet.
    pub(super) fn insert(&mut self, control: &Control) -> u32 {
        if 2 * (self.len() + 1) > self.slots.len() {
            self.grow();
        }
        let number = self.len() as u32;
        if let Some(at) = self.place(&control.0, control.1) {
            self.slots[at] = number;
        }
        self.bytes.extend_from_slice(&control.0);
        self.ends.push((self.bytes.len(), control.1));
        number
    }

    /// Where a control state stands in the table, or could; `None` while there is no table.
    fn place(&self, state: &[u8], owner: Option<u32>) -> Option<usize> {
        let mask = self.slots.len().checked_sub(1)?;
        let mut hasher = DefaultHasher::new();
        (state, owner).hash(&mut hasher);
        let mut at = hasher.finish() as usize & mask;
        while self.slots[at] != FREE && self.get(self.slots[at]) != (state, owner) {
            at = (at + 1) & mask;
        }
        Some(at)
    }

    fn grow(&mut self) {
        self.slots = vec![FREE; (2 * self.slots.len()).max(64)];
        for number in 0..self.len() as u32 {
            let (state, owner) = self.get(number);
            if let Some(at) = self.place(state, owner) {
                self.slots[at] = number;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn numbers_are_those_of_a_plain_map() {
        let (mut controls, mut plain) = (Controls::default(), HashMap::new());
        let mut numbers = testing::Random::new(1);
        for _ in 0..20_000 {
            let random = numbers.bits() as u32;
            let state: Vec<u8> = (0..random >> 30).map(|bit| (random >> (26 + bit)) as u8 & 1).collect();
            let control = (state, (random & 1 << 25 == 0).then_some(random >> 12 & 0xfff));
            assert_eq!(controls.find(&control), plain.get(&control).copied());
            if controls.find(&control).is_none() {
                plain.insert(control.clone(), controls.insert(&control));
            }
        }
        assert_eq!(controls.len(), plain.len());
        for ((state, owner), number) in &plain {
            assert_eq!(controls.get(*number), (state.as_slice(), *owner));
        }
    }
}
