//! Simplification: the constructors of terms, and the laws that they apply.
//!
//! The laws come from Somenzi & Bloem (CAV 2000, section 3), Etessami & Holzmann (CONCUR 2000, section 3: pure
//! eventualities and universalities) and Babiak, Křetínský, Řehák & Strejček (TACAS 2012, *LTL to Büchi automata
//! translation: fast and more deterministic*, section 3: terms that hold everywhere or nowhere). They are written for
//! conjunction and `U`; disjunction and `R` go through the negation, so that every law has its dual for free.
//!
//! Each law makes the term smaller, or moves an operator outwards that no law moves back in.

use crate::guard::Guard;
use crate::term::{Term, TermId, Terms};

impl Terms {
    pub(crate) fn or(&mut self, parts: Vec<TermId>) -> TermId {
        let parts = parts.into_iter().map(|part| self.negate(part)).collect();
        let neither = self.and(parts);
        self.negate(neither)
    }

    pub(crate) fn release(&mut self, a: TermId, b: TermId) -> TermId {
        let (a, b) = (self.negate(a), self.negate(b));
        let not = self.until(a, b);
        self.negate(not)
    }

    pub(crate) fn finally(&mut self, a: TermId) -> TermId {
        self.until(TermId::TRUE, a)
    }

    pub(crate) fn globally(&mut self, a: TermId) -> TermId {
        self.release(TermId::FALSE, a)
    }

    /// X a. What holds everywhere or nowhere needs no X, and is taken out of conjunctions and disjunctions.
    pub(crate) fn next(&mut self, a: TermId) -> TermId {
        if self.suspendable(a) {
            return a;
        }
        let (parts, conjunction) = match self.get(a).clone() {
            Term::And(parts) => (parts, true),
            Term::Or(parts) => (parts, false),
            _ => return self.intern(Term::Next(a)),
        };
        let (mut free, bound): (Vec<_>, Vec<_>) = parts.into_iter().partition(|&part| self.suspendable(part));
        if free.is_empty() {
            return self.intern(Term::Next(a));
        }
        let bound = if conjunction { self.and(bound) } else { self.or(bound) };
        free.push(self.next(bound));
        if conjunction { self.and(free) } else { self.or(free) }
    }
}

/// Conjunction.
impl Terms {
    pub(crate) fn and(&mut self, parts: Vec<TermId>) -> TermId {
        let mut parts = self.flatten(parts);
        if self.guards.exhausted() {
            return TermId::FALSE;
        }
        if let Some(smaller) = self.factor(&parts) {
            return self.and(smaller);
        }
        if let Some(smaller) = self.propagate(&parts) {
            return self.and(smaller);
        }
        if self.absorb(&mut parts) {
            return TermId::FALSE;
        }
        match parts[..] {
            [] => TermId::TRUE,
            [only] => only,
            _ => self.intern(Term::And(parts)),
        }
    }

    /// The conjuncts, sorted; those that are Boolean become one.
    fn flatten(&mut self, parts: Vec<TermId>) -> Vec<TermId> {
        let mut guard = Guard::TRUE;
        let mut waiting = parts;
        let mut flat = Vec::new();
        while let Some(part) = waiting.pop() {
            match self.get(part).clone() {
                Term::Boolean(other) => guard = self.guards.and(guard, other),
                Term::And(inner) => waiting.extend(inner),
                _ => flat.push(part),
            }
        }
        if guard != Guard::TRUE {
            flat.push(self.boolean(guard));
        }
        flat.sort_unstable();
        flat.dedup();
        flat
    }

    /// Two conjuncts that are one: X a ∧ X b, G a ∧ G b, F G a ∧ F G b, a U b ∧ c U b, a R b ∧ a R c.
    fn factor(&mut self, parts: &[TermId]) -> Option<Vec<TermId>> {
        for (i, &x) in parts.iter().enumerate() {
            for (j, &y) in parts.iter().enumerate().skip(i + 1) {
                if let Some(joined) = self.join_two(x, y) {
                    let others = parts.iter().enumerate().filter(|&(k, _)| k != i && k != j);
                    return Some(others.map(|(_, &part)| part).chain([joined]).collect());
                }
            }
        }
        None
    }

    fn join_two(&mut self, x: TermId, y: TermId) -> Option<TermId> {
        match (self.get(x).clone(), self.get(y).clone()) {
            (Term::Next(a), Term::Next(b)) => {
                let both = self.and(vec![a, b]);
                Some(self.next(both))
            }
            (Term::Until(TermId::TRUE, a), Term::Until(TermId::TRUE, b)) => {
                let (a, b) = (self.under_globally(a)?, self.under_globally(b)?);
                let both = self.and(vec![a, b]);
                let always = self.globally(both);
                Some(self.finally(always))
            }
            (Term::Until(a, b), Term::Until(c, d)) if b == d => {
                let left = self.and(vec![a, c]);
                Some(self.until(left, b))
            }
            (Term::Release(TermId::FALSE, a), _) if self.gathers(x, y) => Some(self.gathered(a, y)),
            (_, Term::Release(TermId::FALSE, b)) if self.gathers(y, x) => Some(self.gathered(b, x)),
            (Term::Release(a, b), Term::Release(c, d)) if a == c && a != TermId::FALSE => {
                let right = self.and(vec![b, d]);
                Some(self.release(a, right))
            }
            _ => None,
        }
    }

    /// Whether G a ∧ y becomes G (a ∧ y). What holds everywhere or nowhere stays outside, in the style that spreads.
    fn gathers(&self, globally: TermId, y: TermId) -> bool {
        let suspendable = self.suspendable(globally) || self.suspendable(y);
        let same = matches!(self.get(y), Term::Release(TermId::FALSE, _));
        if self.style.gather { self.universal(y) && !self.suspendable(globally) } else { same && !suspendable }
    }

    fn gathered(&mut self, a: TermId, y: TermId) -> TermId {
        let y = self.under_globally(y).unwrap_or(y);
        let both = self.and(vec![a, y]);
        self.globally(both)
    }

    fn under_globally(&self, id: TermId) -> Option<TermId> {
        if let Term::Release(TermId::FALSE, a) = *self.get(id) { Some(a) } else { None }
    }

    /// What one conjunct says about the inside of another: x ∧ (¬x ∨ y) = x ∧ y, x ∧ (x R y) = x ∧ y,
    /// x ∧ (¬x U y) = x ∧ y.
    fn propagate(&mut self, parts: &[TermId]) -> Option<Vec<TermId>> {
        for (i, &x) in parts.iter().enumerate() {
            for (j, &y) in parts.iter().enumerate() {
                if i == j {
                    continue;
                }
                if let Some(smaller) = self.knowing(x, y) {
                    let mut parts = parts.to_vec();
                    parts[j] = smaller;
                    return Some(parts);
                }
            }
        }
        None
    }

    /// A smaller term that is the same as `y` where `x` holds.
    fn knowing(&mut self, x: TermId, y: TermId) -> Option<TermId> {
        match self.get(y).clone() {
            Term::Or(parts) => {
                let possible: Vec<_> = parts.iter().copied().filter(|&part| !self.excludes(x, part)).collect();
                (possible.len() < parts.len()).then(|| self.or(possible))
            }
            Term::Release(a, b) if self.implies(x, a) => Some(b),
            Term::Until(a, b) if self.excludes(x, a) => Some(b),
            _ => None,
        }
    }

    fn excludes(&mut self, x: TermId, y: TermId) -> bool {
        let not_y = self.negate(y);
        self.implies(x, not_y)
    }

    /// Drops conjuncts that others imply; `true` if two contradict each other.
    fn absorb(&mut self, parts: &mut Vec<TermId>) -> bool {
        for i in 0..parts.len() {
            for j in i + 1..parts.len() {
                if self.excludes(parts[i], parts[j]) || self.excludes(parts[j], parts[i]) {
                    return true;
                }
            }
        }
        let mut i = 0;
        while i < parts.len() {
            let implied = (0..parts.len()).any(|j| i != j && self.implies(parts[j], parts[i]));
            if implied {
                parts.remove(i);
            } else {
                i += 1;
            }
        }
        false
    }
}

/// Until.
impl Terms {
    pub(crate) fn until(&mut self, a: TermId, b: TermId) -> TermId {
        if self.eventual(b) || self.implies(a, b) || self.guards.exhausted() {
            return b;
        }
        let not_b = self.negate(b);
        if a != TermId::TRUE && self.implies(not_b, a) {
            return self.finally(b);
        }
        if let (Term::Next(a), Term::Next(b)) = (self.get(a).clone(), self.get(b).clone()) {
            let until = self.until(a, b);
            return self.next(until);
        }
        if let Some(smaller) = self.smaller_right(a, b) {
            return self.until(a, smaller);
        }
        if let Some(smaller) = self.smaller_left(a, b) {
            return self.until(smaller, b);
        }
        if let Term::Until(c, _) = *self.get(b)
            && self.implies(a, c)
        {
            return b;
        }
        let moved = if a == TermId::TRUE { self.finally_moved(b) } else { None };
        moved.unwrap_or_else(|| self.intern(Term::Until(a, b)))
    }

    /// a U (c U d) = a U d and a U (x ∨ c U d) = a U (x ∨ d), if c implies a.
    fn smaller_right(&mut self, a: TermId, b: TermId) -> Option<TermId> {
        match self.get(b).clone() {
            Term::Until(c, d) if self.implies(c, a) => Some(d),
            Term::Or(mut parts) => {
                for i in 0..parts.len() {
                    if let Term::Until(c, d) = *self.get(parts[i])
                        && self.implies(c, a)
                    {
                        parts[i] = d;
                        return Some(self.or(parts));
                    }
                }
                None
            }
            _ => None,
        }
    }

    /// (c U b) U b = c U b, and (c ∧ ¬b) U b = c U b.
    fn smaller_left(&mut self, a: TermId, b: TermId) -> Option<TermId> {
        match self.get(a).clone() {
            Term::Until(c, d) if d == b => Some(c),
            Term::And(parts) => {
                let not_b = self.negate(b);
                let needed: Vec<_> = parts.iter().copied().filter(|&part| !self.implies(not_b, part)).collect();
                (needed.len() < parts.len()).then(|| self.and(needed))
            }
            _ => None,
        }
    }

    /// F b, with F moved inwards where that helps.
    fn finally_moved(&mut self, b: TermId) -> Option<TermId> {
        match self.get(b).clone() {
            Term::Next(c) => {
                let later = self.finally(c);
                Some(self.next(later))
            }
            Term::Or(parts) if !self.style.gather => {
                let (mut free, bound): (Vec<_>, Vec<_>) = parts.into_iter().partition(|&part| self.eventual(part));
                (!free.is_empty()).then(|| {
                    let bound = self.or(bound);
                    free.push(self.finally(bound));
                    self.or(free)
                })
            }
            Term::And(parts) if !self.style.gather => {
                let (mut free, bound): (Vec<_>, Vec<_>) = parts.into_iter().partition(|&part| self.suspendable(part));
                (!free.is_empty()).then(|| {
                    let bound = self.and(bound);
                    free.push(self.finally(bound));
                    self.and(free)
                })
            }
            Term::Release(TermId::FALSE, c) => self.persistence(c),
            Term::Release(c, d) if self.style.unfold => {
                let (always, both) = (self.globally(d), self.and(vec![c, d]));
                let either = self.or(vec![always, both]);
                Some(self.finally(either))
            }
            _ => None,
        }
    }

    /// F G c: R loses its left side, conjuncts lose their X, and disjuncts that are eventual or universal leave.
    fn persistence(&mut self, c: TermId) -> Option<TermId> {
        match self.get(c).clone() {
            Term::Release(_, d) => Some(self.finally_globally(d)),
            Term::And(parts) => {
                let bare = |terms: &Terms, part: TermId| match *terms.get(part) {
                    Term::Next(inner) => inner,
                    Term::Release(_, inner) => inner,
                    _ => part,
                };
                let stripped: Vec<_> = parts.iter().map(|&part| bare(self, part)).collect();
                (stripped != parts).then(|| {
                    let stripped = self.and(stripped);
                    self.finally_globally(stripped)
                })
            }
            Term::Or(parts) if !self.style.gather => {
                let (pure, mixed): (Vec<_>, Vec<_>) =
                    parts.into_iter().partition(|&part| self.eventual(part) || self.universal(part));
                (!pure.is_empty()).then(|| {
                    let mixed = self.or(mixed);
                    let mut all: Vec<_> = pure.into_iter().map(|part| self.finally_globally(part)).collect();
                    all.push(self.finally_globally(mixed));
                    self.or(all)
                })
            }
            _ => None,
        }
    }

    fn finally_globally(&mut self, a: TermId) -> TermId {
        let always = self.globally(a);
        self.finally(always)
    }
}
