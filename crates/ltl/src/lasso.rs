//! Ultimately periodic words, and what it means to hold on one: the naive twin of the translation.
//!
//! A formula is evaluated by its definition, part by part, in every position of the stem and of the loop. Two
//! ω-regular languages that agree on all ultimately periodic words are equal (Büchi 1962), so agreement here is the
//! whole truth about a translation.

use crate::formula::Formula;
use std::collections::BTreeSet;

/// The atoms that hold in a position.
pub type Valuation = BTreeSet<u32>;

/// The word `stem · cycle · cycle · …`. The cycle must not be empty.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lasso {
    /// What comes once.
    pub stem: Vec<Valuation>,
    /// What comes forever after.
    pub cycle: Vec<Valuation>,
}

impl Lasso {
    /// The number of different positions.
    pub fn len(&self) -> usize {
        self.stem.len() + self.cycle.len()
    }

    /// Whether there is no position at all, which makes it no word.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The valuation in a position below [`Lasso::len`].
    pub fn letter(&self, position: usize) -> &Valuation {
        self.stem.get(position).unwrap_or_else(|| &self.cycle[position - self.stem.len()])
    }

    /// The position that follows.
    pub fn successor(&self, position: usize) -> usize {
        if position + 1 == self.len() { self.stem.len() } else { position + 1 }
    }
}

impl Formula {
    /// Whether the formula holds in the first position of the word.
    pub fn holds_on(&self, lasso: &Lasso) -> bool {
        self.positions(lasso)[0]
    }

    /// In which positions the formula holds.
    fn positions(&self, lasso: &Lasso) -> Vec<bool> {
        let of = |part: &Formula| part.positions(lasso);
        let both = |a: &Formula, b: &Formula, f: fn(bool, bool) -> bool| {
            of(a).into_iter().zip(of(b)).map(|(x, y)| f(x, y)).collect::<Vec<_>>()
        };
        match self {
            Formula::True => vec![true; lasso.len()],
            Formula::False => vec![false; lasso.len()],
            Formula::Atom(atom) => (0..lasso.len()).map(|i| lasso.letter(i).contains(atom)).collect(),
            Formula::Not(a) => of(a).into_iter().map(|x| !x).collect(),
            Formula::And(a, b) => both(a, b, |x, y| x && y),
            Formula::Or(a, b) => both(a, b, |x, y| x || y),
            Formula::Implies(a, b) => both(a, b, |x, y| !x || y),
            Formula::Iff(a, b) => both(a, b, |x, y| x == y),
            Formula::Next(a) => {
                let a = of(a);
                (0..lasso.len()).map(|i| a[lasso.successor(i)]).collect()
            }
            Formula::Globally(a) => fixpoint(lasso, true, |i, next, a, _| a[i] && next, of(a), Vec::new()),
            Formula::Finally(a) => fixpoint(lasso, false, |i, next, a, _| a[i] || next, of(a), Vec::new()),
            Formula::Until(a, b) => fixpoint(lasso, false, |i, next, a, b| b[i] || a[i] && next, of(a), of(b)),
            Formula::Release(a, b) => fixpoint(lasso, true, |i, next, a, b| b[i] && (a[i] || next), of(a), of(b)),
            Formula::WeakUntil(a, b) => fixpoint(lasso, true, |i, next, a, b| b[i] || a[i] && next, of(a), of(b)),
        }
    }
}

/// The least (from `false`) or greatest (from `true`) solution of value(i) = step(i, value(successor of i)).
fn fixpoint(
    lasso: &Lasso,
    start: bool,
    step: fn(usize, bool, &[bool], &[bool]) -> bool,
    a: Vec<bool>,
    b: Vec<bool>,
) -> Vec<bool> {
    let mut values = vec![start; lasso.len()];
    loop {
        let before = values.clone();
        for i in (0..lasso.len()).rev() {
            values[i] = step(i, values[lasso.successor(i)], &a, &b);
        }
        if values == before {
            return values;
        }
    }
}
