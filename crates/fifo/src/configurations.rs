//! A set of configurations, each one a short word of small numbers, in the order in which they came.
//!
//! A word has the state of each machine, then the length of each queue, then the messages, queue by queue. All words lie
//! one after the other in one list, and a table with open addressing finds the number of a word: its entries have half of
//! the hash beside the number, so that few words are compared.

use crate::property::Queues;
use rustc_hash::FxHasher;
use std::hash::Hasher;

/// A free place in the table.
const FREE: u64 = u64::MAX;
/// The half of an entry that has the number.
const NUMBER: u64 = u32::MAX as u64;

/// How a word is divided.
#[derive(Clone, Copy)]
pub(crate) struct Shape {
    pub(crate) machines: usize,
    pub(crate) channels: usize,
}

impl Shape {
    /// The states of the machines, and the queues; `starts` gets the place of each queue, and the end of the last.
    pub(crate) fn read<'a>(self, word: &'a [u16], starts: &'a mut Vec<usize>) -> (&'a [u16], Queues<'a>) {
        let (states, rest) = word.split_at(self.machines);
        let (lengths, letters) = rest.split_at(self.channels);
        starts.clear();
        let mut start = 0;
        starts.push(start);
        starts.extend(lengths.iter().map(|&length| {
            start += usize::from(length);
            start
        }));
        (states, Queues { letters, starts })
    }
}

/// Words with numbers.
pub(crate) struct Configurations {
    letters: Vec<u16>,
    /// Where each word begins, and the end of the last.
    starts: Vec<usize>,
    /// Numbers of words; the size is a power of two, at least twice the number of words.
    table: Vec<u64>,
}

impl Configurations {
    pub(crate) fn new() -> Self {
        Configurations { letters: Vec::new(), starts: vec![0], table: vec![FREE; 64] }
    }

    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    pub(crate) fn word(&self, number: u32) -> &[u16] {
        &self.letters[self.starts[number as usize]..self.starts[number as usize + 1]]
    }

    /// The number of a word, or the free place of the table where it would stand.
    fn find(&self, word: &[u16], hash: u64) -> Result<u32, usize> {
        let mask = self.table.len() - 1;
        let mut place = hash as usize & mask;
        while self.table[place] != FREE {
            let entry = self.table[place];
            let number = (entry & NUMBER) as u32;
            if (entry ^ hash) & !NUMBER == 0 && self.word(number) == word {
                return Ok(number);
            }
            place = (place + 1) & mask;
        }
        Err(place)
    }

    /// The number of a word, if it is there.
    pub(crate) fn number(&self, word: &[u16]) -> Option<u32> {
        self.find(word, hash(word)).ok()
    }

    /// Adds a word; whether it is new.
    pub(crate) fn insert(&mut self, word: &[u16]) -> bool {
        let hash = hash(word);
        let Err(place) = self.find(word, hash) else { return false };
        self.table[place] = hash & !NUMBER | self.len() as u64;
        self.letters.extend_from_slice(word);
        self.starts.push(self.letters.len());
        if self.len() * 2 > self.table.len() {
            self.grow();
        }
        true
    }

    fn grow(&mut self) {
        let mask = self.table.len() * 2 - 1;
        self.table = vec![FREE; mask + 1];
        for number in 0..self.len() as u32 {
            let hash = hash(self.word(number));
            let mut place = hash as usize & mask;
            while self.table[place] != FREE {
                place = (place + 1) & mask;
            }
            self.table[place] = hash & !NUMBER | u64::from(number);
        }
    }
}

/// Low and high bits both depend on the whole word.
fn hash(word: &[u16]) -> u64 {
    let mut hasher = FxHasher::default();
    for four in word.chunks(4) {
        hasher.write_u64(four.iter().fold(0, |all, &letter| all << 16 | u64::from(letter)));
    }
    hasher.write_usize(word.len());
    let hash = hasher.finish();
    hash ^ hash.rotate_left(32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_told_apart_also_after_growing() {
        let mut set = Configurations::new();
        let word = |number: u16| [number % 7, number / 7, 3, number];
        for number in 0..1000 {
            assert!(set.insert(&word(number)));
        }
        for number in 0..1000 {
            assert!(!set.insert(&word(number)));
            assert_eq!(set.word(u32::from(number)), word(number));
        }
        assert!(set.insert(&[0, 0]) && set.insert(&[0, 0, 0]) && !set.insert(&[0, 0]));
        assert_eq!(set.len(), 1002);
    }

    #[test]
    fn a_word_is_states_lengths_and_messages() {
        let shape = Shape { machines: 2, channels: 3 };
        let mut starts = Vec::new();
        let (states, queues) = shape.read(&[5, 6, 2, 0, 1, 7, 8, 9], &mut starts);
        assert_eq!(states, [5, 6]);
        assert_eq!(queues.contents(), [vec![7, 8], vec![], vec![9]]);
        assert_eq!([0, 1, 2].map(|channel| queues.first(channel)), [Some(7), None, Some(9)]);
    }
}
