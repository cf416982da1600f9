//! What a conflict teaches.
//!
//! The learnt clause is that of the first unique implication point: resolve the conflict with the reasons of its
//! literals, the last first, until one literal of the current level is left. Then literals that the others imply are
//! dropped (Sörensson and Biere, *Minimizing learned clauses*, 2009).

use super::arena::ClauseRef;
use super::{Lit, Sat};

/// A learnt clause.
pub(super) struct Learnt {
    /// The asserting literal is the first, and one of the level to go back to the second.
    pub(super) literals: Vec<Lit>,
    /// The level to go back to.
    pub(super) back: u32,
    /// How many levels it has.
    pub(super) levels: u32,
    /// Its number in the log.
    pub(super) number: u32,
}

impl Sat {
    pub(super) fn analyze(&mut self, conflict: ClauseRef) -> Learnt {
        let mut chain = Vec::new();
        let mut clause = self.first_implication_point(conflict, &mut chain);
        let marked: Vec<Lit> = clause.clone();
        let (mut cleared, mut implied) = (Vec::new(), Vec::new());
        let mut kept = 1;
        for place in 1..clause.len() {
            let literal = clause[place];
            if self.is_implied(literal, &mut cleared) {
                implied.push(literal);
            } else {
                clause[kept] = literal;
                kept += 1;
            }
        }
        clause.truncate(kept);
        implied.extend_from_slice(&cleared);
        for literal in marked.into_iter().chain(cleared) {
            self.seen[literal.var().index()] = false;
        }
        let levels = self.count_levels(&clause);
        let number = self.log_learnt(&clause, &chain, &mut implied);
        let back = self.second_highest(&mut clause);
        Learnt { literals: clause, back, levels, number }
    }

    /// The clause before it is minimised, and the clauses that it was resolved from. Its literals but the first stay marked
    /// in `seen`.
    fn first_implication_point(&mut self, conflict: ClauseRef, chain: &mut Vec<ClauseRef>) -> Vec<Lit> {
        let mut clause = vec![Lit(0)];
        let mut open = 0;
        let mut reason = conflict;
        let mut at = self.trail.len();
        loop {
            chain.push(reason);
            self.used(reason);
            for place in 0..self.arena.literals(reason).len() {
                let literal = self.arena.literals(reason)[place];
                let var = literal.var();
                // The literal that the reason implied is marked or resolved already.
                if self.seen[var.index()] || self.level[var.index()] == 0 || self.value(literal) > 0 {
                    continue;
                }
                self.seen[var.index()] = true;
                self.order.bump(var);
                if self.level[var.index()] == self.current_level() {
                    open += 1;
                } else {
                    clause.push(literal);
                }
            }
            loop {
                at -= 1;
                if self.seen[self.trail[at].var().index()] {
                    break;
                }
            }
            let literal = self.trail[at];
            self.seen[literal.var().index()] = false;
            open -= 1;
            if open == 0 {
                clause[0] = !literal;
                return clause;
            }
            reason = self.reason[literal.var().index()];
        }
    }

    /// A learnt clause that takes part is worth keeping.
    fn used(&mut self, clause: ClauseRef) {
        if self.arena.is_learnt(clause) {
            self.arena.set_last_use(clause, self.statistics.conflicts as u32);
            let literals = self.arena.literals(clause).to_vec();
            let levels = self.count_levels(&literals);
            if levels < self.arena.levels(clause) {
                self.arena.set_levels(clause, levels);
            }
        }
    }

    /// Do other marked literals imply that this one is false? Marks what it found to be implied, in `cleared`.
    fn is_implied(&mut self, literal: Lit, cleared: &mut Vec<Lit>) -> bool {
        if self.reason[literal.var().index()] == ClauseRef::NONE {
            return false;
        }
        let before = cleared.len();
        let mut pending = vec![literal];
        while let Some(top) = pending.pop() {
            let reason = self.reason[top.var().index()];
            for &other in self.arena.literals(reason) {
                let var = other.var().index();
                if self.seen[var] || self.level[var] == 0 || other.var() == top.var() {
                    continue;
                }
                if self.reason[var] == ClauseRef::NONE {
                    for undone in cleared.drain(before..) {
                        self.seen[undone.var().index()] = false;
                    }
                    return false;
                }
                self.seen[var] = true;
                cleared.push(other);
                pending.push(other);
            }
        }
        true
    }

    /// How many decision levels the literals have.
    fn count_levels(&mut self, literals: &[Lit]) -> u32 {
        self.stamp += 1;
        let mut count = 0;
        for literal in literals {
            let level = self.level[literal.var().index()] as usize;
            if level >= self.level_stamp.len() {
                self.level_stamp.resize(level + 1, 0);
            }
            if self.level_stamp[level] != self.stamp {
                self.level_stamp[level] = self.stamp;
                count += 1;
            }
        }
        count
    }

    /// Moves a literal of the second highest level to the second place, and gives that level.
    fn second_highest(&self, clause: &mut [Lit]) -> u32 {
        let level = |literal: &Lit| self.level[literal.var().index()];
        match (1..clause.len()).max_by_key(|&place| level(&clause[place])) {
            Some(place) => {
                clause.swap(1, place);
                level(&clause[1])
            }
            None => 0,
        }
    }

    /// An assumption is false: finds the assumptions that made it so.
    pub(super) fn fail(&mut self, assumption: Lit) {
        let (mut core, mut chain) = (vec![assumption], Vec::new());
        if self.level[assumption.var().index()] > 0 {
            self.seen[assumption.var().index()] = true;
            let start = self.levels.first().copied().unwrap_or(0);
            for at in (start..self.trail.len()).rev() {
                let literal = self.trail[at];
                let var = literal.var().index();
                if !std::mem::take(&mut self.seen[var]) {
                    continue;
                }
                let reason = self.reason[var];
                if reason == ClauseRef::NONE {
                    // A decision, and all decisions so far are assumptions.
                    core.push(literal);
                    continue;
                }
                chain.push(reason);
                for &other in self.arena.literals(reason) {
                    if self.level[other.var().index()] > 0 && other.var() != literal.var() {
                        self.seen[other.var().index()] = true;
                    }
                }
            }
        }
        self.log_failure(&core, &chain);
        self.core = core;
    }
}
