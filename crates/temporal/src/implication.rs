//! Syntactic implication: a quick, incomplete answer to "does one term imply the other?".
//!
//! The rules are those of Somenzi & Bloem (CAV 2000, *Efficient Büchi automata from LTL formulae*, section 3), with
//! Boolean parts decided exactly, and with pure eventuality and universality. Each rule goes to smaller pairs, so the
//! recursion ends, and answers are remembered.

use crate::term::{Term, TermId, Terms};

impl Terms {
    /// `true` only if every word that satisfies `x` satisfies `y`.
    pub(crate) fn implies(&mut self, x: TermId, y: TermId) -> bool {
        if x == y || x == TermId::FALSE || y == TermId::TRUE {
            return true;
        }
        if x == TermId::TRUE || y == TermId::FALSE {
            return false;
        }
        if let Some(&known) = self.implications.get(&(x, y)) {
            return known;
        }
        self.guards.spend(1);
        if self.guards.exhausted() {
            return false;
        }
        let answer = self.by_the_left(x, y) || self.by_the_right(x, y) || self.by_both(x, y);
        if !self.guards.exhausted() {
            self.implications.insert((x, y), answer);
        }
        answer
    }

    fn by_the_left(&mut self, x: TermId, y: TermId) -> bool {
        match self.get(x).clone() {
            Term::Boolean(_) => false,
            Term::And(parts) => parts.into_iter().any(|part| self.implies(part, y)),
            Term::Or(parts) => parts.into_iter().all(|part| self.implies(part, y)),
            Term::Next(a) => self.eventual(y) && self.implies(a, y),
            Term::Until(a, b) => self.implies(a, y) && self.implies(b, y),
            Term::Release(_, b) => self.implies(b, y),
        }
    }

    fn by_the_right(&mut self, x: TermId, y: TermId) -> bool {
        match self.get(y).clone() {
            Term::Boolean(_) => false,
            Term::And(parts) => parts.into_iter().all(|part| self.implies(x, part)),
            Term::Or(parts) => parts.into_iter().any(|part| self.implies(x, part)),
            Term::Next(b) => self.universal(x) && self.implies(x, b),
            Term::Until(_, b) => self.implies(x, b),
            Term::Release(TermId::FALSE, b) => self.universal(x) && self.implies(x, b),
            Term::Release(a, b) => self.implies(x, a) && self.implies(x, b),
        }
    }

    fn by_both(&mut self, x: TermId, y: TermId) -> bool {
        match (self.get(x).clone(), self.get(y).clone()) {
            (Term::Boolean(p), Term::Boolean(q)) => self.guards.implies(p, q),
            (Term::Next(a), Term::Next(b)) => self.implies(a, b),
            (Term::Until(a, b), Term::Until(c, d)) => self.implies(a, c) && (self.implies(b, d) || self.implies(b, y)),
            (Term::Release(a, b), Term::Release(c, d)) => {
                self.implies(a, c) && (self.implies(b, d) || self.implies(x, d))
            }
            _ => false,
        }
    }
}
