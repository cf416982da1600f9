//! Random formulas and words, from a seeded generator.
#![allow(dead_code)]

pub mod patterns;
pub mod spin;

use temporal::{Formula, Lasso, Valuation};

/// Knuth's linear congruential generator.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(1))
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }

    /// A formula of exactly this size.
    pub fn formula(&mut self, size: usize, atoms: u64, with_next: bool) -> Formula {
        if size <= 1 {
            return match self.below(12) {
                0 => Formula::True,
                1 => Formula::False,
                _ => Formula::Atom(self.below(atoms) as u32),
            };
        }
        if size == 2 || self.below(3) == 0 {
            let inner = self.formula(size - 1, atoms, with_next);
            return match self.below(if with_next { 4 } else { 3 }) {
                0 => inner.not(),
                1 => inner.finally(),
                2 => inner.globally(),
                _ => inner.next(),
            };
        }
        let left = 1 + self.below(size as u64 - 2) as usize;
        let (a, b) = (self.formula(left, atoms, with_next), self.formula(size - 1 - left, atoms, with_next));
        match self.below(10) {
            0 | 1 => a.and(b),
            2 | 3 => a.or(b),
            4 => a.implies(b),
            5 => a.iff(b),
            6 | 7 => a.until(b),
            8 => a.release(b),
            _ => a.weak_until(b),
        }
    }

    pub fn lasso(&mut self, atoms: u64) -> Lasso {
        let (stem, cycle) = (self.below(4), 1 + self.below(4));
        Lasso { stem: self.letters(stem, atoms), cycle: self.letters(cycle, atoms) }
    }

    fn letters(&mut self, count: u64, atoms: u64) -> Vec<Valuation> {
        (0..count).map(|_| (0..atoms as u32).filter(|_| self.below(2) == 0).collect()).collect()
    }
}

/// How many seeds to try: `HIGHWATER_SEEDS`, or the number given.
pub fn seeds(usual: u64) -> u64 {
    std::env::var("HIGHWATER_SEEDS").ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}
