//! Each channel for itself: what is known of one channel says nothing about the others.
//!
//! A set becomes the product of its projections, `π₁(L) × … × πₙ(L)`, and another extrapolation is applied to that. An
//! automaton for a set over many channels remembers in each segment which words stood in those before it, and its size
//! is the product of theirs; one for a product of sets is as large as their sum. So this is for systems with many channels
//! whose control states tell most of what there is to know.
//!
//! It is no extrapolation in the strict sense, for with no `k` does it become the identity. It is restricted if the other
//! one is, and good for widening.

use super::Extrapolation;
use crate::languages::{Language, Languages, Operation};
use crate::limits::Limit;
use crate::nondeterministic::Nondeterministic;
use std::sync::Arc;

/// Channel by channel, then another one.
pub struct Apart(pub Arc<dyn Extrapolation>);

impl Extrapolation for Apart {
    fn apply(&self, k: u32, language: Language, languages: &mut Languages) -> Result<Language, Limit> {
        let apart = product(language, languages)?;
        self.0.apply(k, apart, languages)
    }

    fn name(&self) -> String {
        format!("{} of each channel apart", self.0.name())
    }

    fn is_restricted(&self) -> bool {
        self.0.is_restricted()
    }
}

/// The product of the projections: the end of a channel leads to every beginning of the next.
fn product(language: Language, languages: &mut Languages) -> Result<Language, Limit> {
    languages.remember(Operation::Product(language), |all| {
        let automaton = all.automaton(language).clone();
        let separator = all.separator();
        let states = || 0..automaton.states() as u32;
        let mut beginnings: Vec<Vec<u32>> = vec![Vec::new(); all.channels()];
        for state in states() {
            for edge in automaton.edges(state).iter().filter(|edge| edge.letter == separator) {
                beginnings[automaton.segment(edge.target) as usize].push(edge.target);
            }
        }
        for targets in &mut beginnings {
            targets.sort_unstable();
            targets.dedup();
        }
        let mut apart = Nondeterministic::with_states(automaton.states());
        apart.starts.extend(states().take(1));
        for state in states() {
            for edge in automaton.edges(state) {
                if edge.letter == separator {
                    let next = &beginnings[automaton.segment(edge.target) as usize];
                    all.budget.spend(next.len())?;
                    next.iter().for_each(|&target| apart.edge(state, separator, target));
                } else {
                    apart.edge(state, edge.letter, edge.target);
                }
            }
            if automaton.accepts(state) {
                apart.accept(state);
            }
        }
        all.intern_choices(&apart)
    })
}
