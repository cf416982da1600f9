//! Random formulas and words, from a seeded generator.
#![allow(dead_code)]

pub mod patterns;
pub mod spin;

use temporal::{Formula, Lasso, Valuation};
pub use testing::Random;

/// A formula of exactly this size.
pub fn formula(random: &mut Random, size: usize, atoms: u64, with_next: bool) -> Formula {
    if size <= 1 {
        return match random.below(12) {
            0 => Formula::True,
            1 => Formula::False,
            _ => Formula::Atom(random.below(atoms) as u32),
        };
    }
    if size == 2 || random.below(3) == 0 {
        let inner = formula(random, size - 1, atoms, with_next);
        return match random.below(if with_next { 4 } else { 3 }) {
            0 => inner.not(),
            1 => inner.finally(),
            2 => inner.globally(),
            _ => inner.next(),
        };
    }
    let left = 1 + random.below(size as u64 - 2) as usize;
    let (a, b) = (formula(random, left, atoms, with_next), formula(random, size - 1 - left, atoms, with_next));
    match random.below(10) {
        0 | 1 => a.and(b),
        2 | 3 => a.or(b),
        4 => a.implies(b),
        5 => a.iff(b),
        6 | 7 => a.until(b),
        8 => a.release(b),
        _ => a.weak_until(b),
    }
}

/// An infinite word: a stem and a cycle.
pub fn lasso(random: &mut Random, atoms: u64) -> Lasso {
    let (stem, cycle) = (random.below(4), 1 + random.below(4));
    Lasso { stem: letters(random, stem, atoms), cycle: letters(random, cycle, atoms) }
}

fn letters(random: &mut Random, count: u64, atoms: u64) -> Vec<Valuation> {
    (0..count).map(|_| (0..atoms as u32).filter(|_| random.below(2) == 0).collect()).collect()
}
