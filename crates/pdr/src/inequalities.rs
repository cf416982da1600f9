//! Inequalities that may hold always: which of them are candidates.
//!
//! Behind a loop, `n <= i` holds because the loop has ended; further on, no way leads back to that condition, and a search
//! backwards from an error that speaks of neither does not come upon it. So what the program compares is a candidate at every
//! cut point, true or false, where it held in all runs that were watched. So are the order of two variables, the bounds
//! that were seen, an order that a loop without rounds breaks, and remainders.

use crate::search::Search;
use bitvector::{Evaluation, Model, Op, Sort, TermId, Terms};
use std::collections::HashSet;

/// Candidates at a cut point.
const CANDIDATES: usize = 120;
/// In programs with more variables the order of any two is no candidate.
const VARIABLES: usize = 48;
/// The most last bits of a word that are one candidate.
const LAST_BITS: u32 = 3;

impl Search<'_, '_> {
    /// Inequalities that hold in all these states, whose values are those of the variables at these places.
    pub(crate) fn inequalities(&mut self, places: &[usize], states: &[Vec<u64>]) -> Vec<TermId> {
        if self.system.state.len() > VARIABLES || states.is_empty() {
            return Vec::new();
        }
        let words: Vec<TermId> = places.iter().map(|&at| self.system.state[at]).collect();
        let terms = &mut self.system.terms;
        let mut shapes = Vec::new();
        for atom in self.vocabulary.over(&words) {
            shapes.extend([atom, terms.not(atom)]);
            shapes.extend(or_equal(terms, atom));
        }
        for (at, &word) in words.iter().enumerate() {
            bounds(terms, word, states.iter().map(|state| state[at]), &mut shapes);
            remainders(terms, word, states.iter().map(|state| state[at]), &mut shapes);
        }
        for &small in &words {
            for &large in &words {
                if small != large && terms.sort(small) == terms.sort(large) && terms.sort(small) != Sort::Bool {
                    orders(terms, small, large, &mut shapes);
                }
            }
        }
        let mut seen = HashSet::new();
        shapes.retain(|shape| terms.as_const(*shape).is_none() && seen.insert(*shape));
        for state in states {
            let model = Model::new(words.iter().copied().zip(state.iter().map(|&bits| u128::from(bits))).collect());
            let mut evaluation = Evaluation::new(model);
            shapes.retain(|&shape| evaluation.bits(terms, shape) == 1);
        }
        shapes.truncate(CANDIDATES);
        shapes
    }
}

/// Signed bounds of a word: zero, and what was seen.
fn bounds(terms: &mut Terms, word: TermId, values: impl Iterator<Item = u64>, shapes: &mut Vec<TermId>) {
    if terms.sort(word) == Sort::Bool {
        return;
    }
    let width = terms.width(word);
    let sign = 1_u64 << (width.min(64) - 1);
    // With the sign turned, the order of the bits is that of the numbers.
    let ranks: Vec<u64> = values.map(|value| value ^ sign).collect();
    let seen = [ranks.iter().min(), ranks.iter().max()].map(|rank| rank.map_or(0, |rank| rank ^ sign));
    let zero = terms.constant(width, 0);
    let [lowest, highest] = seen.map(|bits| terms.constant(width, u128::from(bits)));
    shapes.extend([terms.sle(zero, word), terms.sle(word, zero), terms.sle(lowest, word), terms.sle(word, highest)]);
}

/// `a <= b` of `a < b`: a counter passes the end of its loop once.
fn or_equal(terms: &mut Terms, atom: TermId) -> Option<TermId> {
    let node = terms.node(atom);
    match (node.op(), node.arguments()) {
        (Op::Slt, &[a, b]) => Some(terms.sle(a, b)),
        (Op::Ult, &[a, b]) => Some(terms.ule(a, b)),
        _ => None,
    }
}

/// The last bits of a word, if they were always the same. Remainders of other numbers are hard for a solver of bits.
fn remainders(terms: &mut Terms, word: TermId, mut values: impl Iterator<Item = u64>, shapes: &mut Vec<TermId>) {
    if terms.sort(word) == Sort::Bool || terms.width(word) <= LAST_BITS {
        return;
    }
    let Some(first) = values.next() else { return };
    let changed = values.fold(0, |changed, value| changed | value ^ first);
    for bits in (1..=LAST_BITS).filter(|_| changed != 0).take_while(|bits| changed.trailing_zeros() >= *bits) {
        let last = terms.extract(word, bits - 1, 0);
        let same = terms.constant(bits, u128::from(first & ((1 << bits) - 1)));
        shapes.push(terms.eq(last, same));
    }
}

/// The order of two words, and the same unless the first is not above zero.
fn orders(terms: &mut Terms, small: TermId, large: TermId, shapes: &mut Vec<TermId>) {
    let zero = terms.constant(terms.width(small), 0);
    let order = terms.sle(small, large);
    let none = terms.sle(small, zero);
    shapes.extend([order, terms.slt(small, large), terms.or(order, none)]);
}
