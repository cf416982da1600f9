//! What a conflict teaches.
//!
//! The learnt clause is that of the first unique implication point: resolve the conflict with the reasons of its
//! literals, the last first, until one literal of the current level is left. Then literals that the others imply are
//! dropped (Sörensson and Biere, *Minimizing learned clauses*, 2009).

use super::arena::ClauseRef;
use super::{Lit, Sat};

impl Sat {
    /// The learnt clause with the asserting literal first and one of the level to go back to second; that level; and
    /// the number of levels in the clause.
    pub(super) fn analyze(&mut self, conflict: ClauseRef) -> (Vec<Lit>, u32, u32) {
        let mut clause = self.first_implication_point(conflict);
        let marked: Vec<Lit> = clause.clone();
        let mut cleared = Vec::new();
        let mut kept = 1;
        for place in 1..clause.len() {
            let literal = clause[place];
            if !self.is_implied(literal, &mut cleared) {
                clause[kept] = literal;
                kept += 1;
            }
        }
        clause.truncate(kept);
        for literal in marked.into_iter().chain(cleared) {
            self.seen[literal.var().index()] = false;
        }
        let levels = self.count_levels(&clause);
        let back = self.second_highest(&mut clause);
        (clause, back, levels)
    }

    /// The clause before it is minimised. Its literals but the first stay marked in `seen`.
    fn first_implication_point(&mut self, conflict: ClauseRef) -> Vec<Lit> {
        let mut clause = vec![Lit(0)];
        let mut open = 0;
        let mut reason = conflict;
        let mut at = self.trail.len();
        loop {
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
        let mut core = vec![assumption];
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
                for &other in self.arena.literals(reason) {
                    if self.level[other.var().index()] > 0 && other.var() != literal.var() {
                        self.seen[other.var().index()] = true;
                    }
                }
            }
        }
        let lemma: Vec<Lit> = core.iter().map(|&literal| !literal).collect();
        self.log_lemma(&lemma);
        self.core = core;
    }
}
