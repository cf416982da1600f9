//! Forgetting learnt clauses.
//!
//! A clause with few decision levels is worth more (Audemard and Simon, *Predicting learnt clauses quality*, 2009). Those
//! with two or fewer stay forever; of the others, the half with the most levels and the oldest use goes.

use super::arena::ClauseRef;
use super::{Sat, Watch};

const KEPT_LEVELS: u32 = 2;

impl Sat {
    pub(super) fn reduce_if_many(&mut self) {
        if self.learnt.len() > self.learnt_limit {
            self.reduce();
            self.learnt_limit += 500;
        }
    }

    fn reduce(&mut self) {
        let mut candidates: Vec<ClauseRef> = self
            .learnt
            .iter()
            .copied()
            .filter(|&clause| self.arena.levels(clause) > KEPT_LEVELS && !self.is_reason(clause))
            .collect();
        candidates.sort_by_key(|&clause| (self.arena.levels(clause), std::cmp::Reverse(self.arena.last_use(clause))));
        for &clause in &candidates[candidates.len() / 2..] {
            self.statistics.deleted += 1;
            self.log_deletion(clause);
            self.arena.delete(clause);
        }
        let arena = &self.arena;
        self.learnt.retain(|&clause| !arena.is_deleted(clause));
        for list in &mut self.watches {
            list.retain(|watch| !arena.is_deleted(watch.clause));
        }
        if self.arena.is_sparse() {
            self.compact();
        }
    }

    fn is_reason(&self, clause: ClauseRef) -> bool {
        let first = self.arena.literals(clause)[0];
        self.value(first) > 0 && self.reason[first.var().index()] == clause
    }

    /// Moves all clauses together.
    fn compact(&mut self) {
        let mut moves = rustc_hash::FxHashMap::default();
        let fresh = self.arena.compacted(|old, new| {
            moves.insert(old.0, new);
        });
        let moved = |clause: ClauseRef| moves.get(&clause.0).copied().unwrap_or(ClauseRef::NONE);
        for clause in &mut self.learnt {
            *clause = moved(*clause);
        }
        for list in &mut self.watches {
            for Watch { clause, .. } in list {
                *clause = moved(*clause);
            }
        }
        for &literal in &self.trail {
            let reason = &mut self.reason[literal.var().index()];
            *reason = moved(*reason);
        }
        self.arena = fresh;
    }
}
