//! Invariants and sets of queue contents in the form that the checker reads, `model::queue_proof`: the letter of a message
//! is its value there, that of the separator 0.

use crate::verdict::Invariant;
use model::queue_proof::{QueueAutomaton, QueueEntry, QueueProof, SEPARATOR};
use queues::{Language, Languages};
use std::collections::HashMap;

impl Invariant {
    /// The proof that it is, for the bad configurations of the model or for those that were given.
    pub fn proof(&self, bad: &[String]) -> QueueProof {
        let mut numbers: HashMap<Language, u32> = HashMap::new();
        let mut proof = QueueProof { bad: bad.to_vec(), ..QueueProof::default() };
        for (control, language) in &self.reached {
            let fresh = proof.automata.len() as u32;
            let automaton = *numbers.entry(*language).or_insert_with(|| {
                proof.automata.push(queue_automaton(&self.languages, *language, &|letter| letter + 1));
                fresh
            });
            proof.entries.push(QueueEntry { control: control.clone(), automaton });
        }
        proof
    }
}

/// The automaton of a set; `letter` says what becomes of a message.
pub fn queue_automaton(languages: &Languages, set: Language, letter: &dyn Fn(u32) -> u32) -> QueueAutomaton {
    let automaton = languages.automaton(set);
    let separator = languages.separator();
    let letter = |one: u32| if one == separator { SEPARATOR } else { letter(one) };
    let states = || 0..automaton.states() as u32;
    let edges = |state| automaton.edges(state).iter().map(|edge| (letter(edge.letter), edge.target)).collect();
    QueueAutomaton {
        accepting: states().filter(|&state| automaton.accepts(state)).collect(),
        edges: states().map(edges).collect(),
    }
}
