//! Invariants and sets of queue contents in the form that the checker reads, `model::queue_proof`: the letter of a message
//! is its value there, that of the separator 0.

use crate::verdict::Invariant;
use model::queue_proof::{QueueAutomaton, QueueEntry, QueueProof, SEPARATOR};
use queues::{Language, Languages};
use std::collections::HashMap;

impl Invariant {
    /// The proof that it is, for the bad configurations of the model or for those that were given.
    pub fn proof(&self, bad: &[String]) -> QueueProof {
        let mut automata = Automata::default();
        let entry = |(control, language): &(Vec<u32>, Language)| QueueEntry {
            control: control.clone(),
            automaton: automata.number(&self.languages, *language),
        };
        let entries = self.reached.iter().map(entry).collect();
        QueueProof { bad: bad.to_vec(), automata: automata.all, entries, ..QueueProof::default() }
    }
}

/// The automata of a proof about plain machines, each set once.
#[derive(Default)]
pub(crate) struct Automata {
    pub(crate) all: Vec<QueueAutomaton>,
    numbers: HashMap<Language, u32>,
}

impl Automata {
    /// The place of the automaton of a set.
    pub(crate) fn number(&mut self, languages: &Languages, set: Language) -> u32 {
        let fresh = self.all.len() as u32;
        *self.numbers.entry(set).or_insert_with(|| {
            self.all.push(queue_automaton(languages, set, &|letter| letter + 1));
            fresh
        })
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
