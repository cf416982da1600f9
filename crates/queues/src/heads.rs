//! The messages at the heads of queues: which there can be, and what is left without some of them.
//!
//! A system looks at its queues through their heads alone. So these two say which of its steps a set of contents allows,
//! and with which contents none of them is possible.

use crate::languages::{Language, Languages};
use crate::limits::Limit;
use std::collections::HashSet;

impl Languages {
    /// The messages that can be at the head of a channel's word, by channel, in order.
    pub fn heads(&self, language: Language) -> Vec<(usize, u32)> {
        let automaton = self.automaton(language);
        let separator = self.separator();
        let states = || 0..automaton.states() as u32;
        let mut first: HashSet<u32> = states().take(1).collect();
        for state in states() {
            first.extend(automaton.edges(state).iter().filter(|e| e.letter == separator).map(|edge| edge.target));
        }
        let mut heads: Vec<(usize, u32)> = Vec::new();
        for state in first {
            let letters = automaton.edges(state).iter().filter(|edge| edge.letter != separator);
            heads.extend(letters.map(|edge| (automaton.segment(state) as usize, edge.letter)));
        }
        heads.sort_unstable();
        heads.dedup();
        heads
    }

    /// The vectors in which no word begins with one of the messages that are given for its channel.
    pub fn without_heads<'a>(
        &mut self,
        language: Language,
        heads: impl Iterator<Item = (&'a usize, &'a Vec<u32>)>,
    ) -> Result<Language, Limit> {
        let mut left = language;
        for (&channel, letters) in heads {
            for &letter in letters {
                let rest = self.receive(language, channel, letter)?;
                let ready = self.unreceive(rest, channel, letter)?;
                left = self.difference(left, ready)?;
            }
        }
        Ok(left)
    }
}
