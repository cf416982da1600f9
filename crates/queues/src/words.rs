//! Single vectors: membership, the shortest member, and finite sets.

use crate::automaton::{Draft, Edge};
use crate::languages::{Language, Languages};
use crate::limits::Limit;
use std::collections::BTreeMap;

impl Languages {
    /// Whether the vector is in the language. A vector of another length is not.
    pub fn contains(&self, language: Language, vector: &[Vec<u32>]) -> bool {
        let automaton = self.automaton(language);
        if vector.len() != self.channels() || automaton.states() == 0 {
            return false;
        }
        let mut encoded = encode(vector, self.separator());
        if vector.iter().flatten().any(|&letter| letter >= self.separator()) {
            return false;
        }
        encoded.try_fold(0, |state, letter| automaton.step(state, letter)).is_some_and(|state| automaton.accepts(state))
    }

    /// A member with the fewest messages, the first such in the order of letters; `None` if the language is empty.
    pub fn shortest(&self, language: Language) -> Option<Vec<Vec<u32>>> {
        let automaton = self.automaton(language);
        let mut parents = vec![None; automaton.states()];
        let mut order: Vec<u32> = (0..automaton.states().min(1) as u32).collect();
        let mut next = 0;
        while let Some(&state) = order.get(next) {
            next += 1;
            if automaton.accepts(state) {
                return Some(self.read_back(state, &parents));
            }
            for edge in automaton.edges(state) {
                if edge.target != 0 && parents[edge.target as usize].is_none() {
                    parents[edge.target as usize] = Some((state, edge.letter));
                    order.push(edge.target);
                }
            }
        }
        None
    }

    fn read_back(&self, state: u32, parents: &[Option<(u32, u32)>]) -> Vec<Vec<u32>> {
        let way = std::iter::successors(parents[state as usize], |&(parent, _)| parents[parent as usize]);
        let mut letters: Vec<u32> = way.map(|(_, letter)| letter).collect();
        letters.reverse();
        letters.split(|&letter| letter == self.separator()).map(<[u32]>::to_vec).collect()
    }

    /// The language of one vector. A vector that does not fit gives the empty language.
    pub fn singleton(&mut self, vector: &[Vec<u32>]) -> Result<Language, Limit> {
        self.finite(std::iter::once(vector.to_vec()))
    }

    /// The language of finitely many vectors. Those that do not fit are left out.
    pub fn finite(&mut self, vectors: impl IntoIterator<Item = Vec<Vec<u32>>>) -> Result<Language, Limit> {
        let mut trie = Trie::default();
        for vector in vectors {
            let fits = vector.len() == self.channels() && vector.iter().flatten().all(|&m| m < self.separator());
            if fits {
                trie.insert(encode(&vector, self.separator()));
                self.budget.spend(vector.len())?;
                self.budget.fits(trie.nodes.len())?;
            }
        }
        let draft = trie.draft();
        self.intern(&draft)
    }
}

/// The vector as one word.
fn encode(vector: &[Vec<u32>], separator: u32) -> impl Iterator<Item = u32> + '_ {
    vector
        .iter()
        .enumerate()
        .flat_map(move |(at, word)| (at > 0).then_some(separator).into_iter().chain(word.iter().copied()))
}

/// A tree of words.
struct Trie {
    nodes: Vec<(bool, BTreeMap<u32, u32>)>,
}

impl Default for Trie {
    fn default() -> Self {
        Trie { nodes: vec![(false, BTreeMap::new())] }
    }
}

impl Trie {
    fn insert(&mut self, word: impl Iterator<Item = u32>) {
        let mut node = 0;
        for letter in word {
            let fresh = self.nodes.len() as u32;
            let next = *self.nodes[node].1.entry(letter).or_insert(fresh);
            if next == fresh {
                self.nodes.push((false, BTreeMap::new()));
            }
            node = next as usize;
        }
        self.nodes[node].0 = true;
    }

    fn draft(&self) -> Draft {
        let mut draft = Draft::new();
        for (accepting, children) in &self.nodes {
            draft.state(*accepting, children.iter().map(|(&letter, &target)| Edge { letter, target }));
        }
        draft
    }
}
