//! A set of configurations, each one a short word of numbers, in the order in which they came.
//!
//! All words lie one after the other in one list, and a table with open addressing finds the number of a word. A million
//! configurations are two allocations, which matters most when they are given back.

use std::hash::{DefaultHasher, Hasher};

/// A free place in the table.
const FREE: u32 = u32::MAX;

/// Words with numbers.
pub(crate) struct Configurations {
    letters: Vec<u32>,
    /// Where each word begins, and the end of the last.
    starts: Vec<usize>,
    /// Numbers of words; the size is a power of two, at least twice the number of words.
    table: Vec<u32>,
}

impl Configurations {
    pub(crate) fn new() -> Self {
        Configurations { letters: Vec::new(), starts: vec![0], table: vec![FREE; 64] }
    }

    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    pub(crate) fn word(&self, number: u32) -> &[u32] {
        &self.letters[self.starts[number as usize]..self.starts[number as usize + 1]]
    }

    pub(crate) fn contains(&self, word: &[u32]) -> bool {
        self.table[self.place(word)] != FREE
    }

    /// Adds a word that is not there yet.
    pub(crate) fn push(&mut self, word: &[u32]) {
        let place = self.place(word);
        self.table[place] = self.len() as u32;
        self.letters.extend_from_slice(word);
        self.starts.push(self.letters.len());
        if self.len() * 2 > self.table.len() {
            self.grow();
        }
    }

    /// Where the word is in the table, or would be.
    fn place(&self, word: &[u32]) -> usize {
        let mask = self.table.len() - 1;
        let mut place = hash(word) as usize & mask;
        while self.table[place] != FREE && self.word(self.table[place]) != word {
            place = (place + 1) & mask;
        }
        place
    }

    fn grow(&mut self) {
        self.table = vec![FREE; self.table.len() * 2];
        for number in 0..self.len() as u32 {
            let place = self.place(&self.letters[self.starts[number as usize]..self.starts[number as usize + 1]]);
            self.table[place] = number;
        }
    }
}

fn hash(word: &[u32]) -> u64 {
    let mut hasher = DefaultHasher::new();
    word.iter().for_each(|&letter| hasher.write_u32(letter));
    hasher.finish()
}
