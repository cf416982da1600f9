//! An invariant of the engine as a proof object: the letter of a message is its value, that of the separator 0.

use fifo::Invariant;
use model::queue_proof::{QueueAutomaton, QueueEntry, QueueProof, SEPARATOR};
use queues::Language;
use std::collections::HashMap;

/// The proof that an invariant is, for the bad configurations of the model or for those that were given.
pub fn proof(invariant: &Invariant, bad: &[String]) -> QueueProof {
    let mut numbers: HashMap<Language, u32> = HashMap::new();
    let mut proof = QueueProof { bad: bad.to_vec(), ..QueueProof::default() };
    for (control, language) in &invariant.reached {
        let fresh = proof.automata.len() as u32;
        let automaton = *numbers.entry(*language).or_insert_with(|| {
            proof.automata.push(plain(invariant, *language));
            fresh
        });
        proof.entries.push(QueueEntry { control: control.clone(), automaton });
    }
    proof
}

fn plain(invariant: &Invariant, language: Language) -> QueueAutomaton {
    let automaton = invariant.languages.automaton(language);
    let separator = invariant.languages.separator();
    let letter = |letter: u32| if letter == separator { SEPARATOR } else { letter + 1 };
    let states = || 0..automaton.states() as u32;
    let edges = |state| automaton.edges(state).iter().map(|edge| (letter(edge.letter), edge.target)).collect();
    QueueAutomaton {
        accepting: states().filter(|&state| automaton.accepts(state)).collect(),
        edges: states().map(edges).collect(),
    }
}
