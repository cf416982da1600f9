//! The control states that were seen, each with a number.
//!
//! There may be millions. Their bytes stand one after the other in one piece of memory, and a table of numbers finds them
//! again: with a piece for each, giving them back took as long as a good part of the search, after its time was over.

use model::queue_proof::Watched;
use std::hash::{DefaultHasher, Hash, Hasher};

/// No control state.
const FREE: u32 = u32::MAX;

/// What is part of a control state beside a state without messages.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Mode {
    /// The process in control.
    pub(super) owner: Option<u32>,
    /// What the monitor of a formula knows.
    pub(super) watched: Watched,
}

/// A state without messages, and its mode.
pub(super) type Control = (Vec<u8>, Mode);

/// All control states, in the order in which they came.
#[derive(Default)]
pub(super) struct Controls {
    bytes: Vec<u8>,
    /// Where the bytes of each end, and its mode.
    ends: Vec<(usize, Mode)>,
    /// By hash, with linear probing; at most half of it is in use.
    slots: Vec<u32>,
}

impl Controls {
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The state without messages, and its mode.
    pub(super) fn get(&self, number: u32) -> (&[u8], Mode) {
        let at = number as usize;
        let begin = if at == 0 { 0 } else { self.ends[at - 1].0 };
        let (end, mode) = self.ends[at];
        (&self.bytes[begin..end], mode)
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
    fn place(&self, state: &[u8], mode: Mode) -> Option<usize> {
        let mask = self.slots.len().checked_sub(1)?;
        let mut hasher = DefaultHasher::new();
        (state, mode).hash(&mut hasher);
        let mut at = hasher.finish() as usize & mask;
        while self.slots[at] != FREE && self.get(self.slots[at]) != (state, mode) {
            at = (at + 1) & mask;
        }
        Some(at)
    }

    fn grow(&mut self) {
        self.slots = vec![FREE; (2 * self.slots.len()).max(64)];
        for number in 0..self.len() as u32 {
            let (state, mode) = self.get(number);
            if let Some(at) = self.place(state, mode) {
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
            let owner = (random & 1 << 25 == 0).then_some(random >> 12 & 0xff);
            let watched = Watched { at: random >> 20 & 1, seen: random >> 21 & 1 };
            let control = (state, Mode { owner, watched });
            assert_eq!(controls.find(&control), plain.get(&control).copied());
            if controls.find(&control).is_none() {
                plain.insert(control.clone(), controls.insert(&control));
            }
        }
        assert_eq!(controls.len(), plain.len());
        for ((state, mode), number) in &plain {
            assert_eq!(controls.get(*number), (state.as_slice(), *mode));
        }
    }
}
