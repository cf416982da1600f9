//! Clauses, one after the other in one vector.
//!
//! A clause is five words of head (length and flags, number of levels, last use, number in the log, where a literal to watch
//! was last found) and its literals. Deleted clauses leave holes, which [`Arena::compacted`] closes.

use super::literal::Lit;

/// The place of a clause.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ClauseRef(pub(super) u32);

impl ClauseRef {
    /// No clause: a decision, or a fact.
    pub(super) const NONE: ClauseRef = ClauseRef(u32::MAX);
}

const HEAD: usize = 5;
const LEARNT: u32 = 1 << 31;
const DELETED: u32 = 1 << 30;
const LENGTH: u32 = DELETED - 1;

#[derive(Default)]
pub(super) struct Arena {
    words: Vec<Lit>,
    wasted: usize,
}

impl Arena {
    pub(super) fn add(&mut self, literals: &[Lit], learnt: bool, levels: u32, number: u32) -> ClauseRef {
        let place = ClauseRef(self.words.len() as u32);
        self.words.push(Lit(literals.len() as u32 | if learnt { LEARNT } else { 0 }));
        self.words.push(Lit(levels));
        self.words.push(Lit(0));
        self.words.push(Lit(number));
        self.words.push(Lit(2));
        self.words.extend_from_slice(literals);
        place
    }

    fn head(&self, clause: ClauseRef) -> u32 {
        self.words[clause.0 as usize].0
    }

    pub(super) fn literals(&self, clause: ClauseRef) -> &[Lit] {
        let start = clause.0 as usize + HEAD;
        &self.words[start..start + (self.head(clause) & LENGTH) as usize]
    }

    /// Where a literal to watch was last found, and the literals.
    pub(super) fn watched_mut(&mut self, clause: ClauseRef) -> (&mut u32, &mut [Lit]) {
        let start = clause.0 as usize + HEAD;
        let length = (self.head(clause) & LENGTH) as usize;
        let (head, literals) = self.words[start - 1..start + length].split_at_mut(1);
        (&mut head[0].0, literals)
    }

    pub(super) fn is_learnt(&self, clause: ClauseRef) -> bool {
        self.head(clause) & LEARNT != 0
    }

    pub(super) fn is_deleted(&self, clause: ClauseRef) -> bool {
        self.head(clause) & DELETED != 0
    }

    /// How many decision levels were in the clause when it was learnt, or last used.
    pub(super) fn levels(&self, clause: ClauseRef) -> u32 {
        self.words[clause.0 as usize + 1].0
    }

    pub(super) fn set_levels(&mut self, clause: ClauseRef, levels: u32) {
        self.words[clause.0 as usize + 1] = Lit(levels);
    }

    /// When the clause was last used, by the count of conflicts.
    pub(super) fn last_use(&self, clause: ClauseRef) -> u32 {
        self.words[clause.0 as usize + 2].0
    }

    pub(super) fn set_last_use(&mut self, clause: ClauseRef, when: u32) {
        self.words[clause.0 as usize + 2] = Lit(when);
    }

    /// Its number in the log.
    pub(super) fn number(&self, clause: ClauseRef) -> u32 {
        self.words[clause.0 as usize + 3].0
    }

    pub(super) fn delete(&mut self, clause: ClauseRef) {
        self.wasted += HEAD + self.literals(clause).len();
        self.words[clause.0 as usize].0 |= DELETED;
    }

    /// Are half of the words holes?
    pub(super) fn is_sparse(&self) -> bool {
        self.wasted * 2 > self.words.len()
    }

    /// How many words there are.
    pub(super) fn len(&self) -> usize {
        self.words.len()
    }

    /// The same clauses without holes, and where each place went.
    pub(super) fn compacted(&self, mut moved: impl FnMut(ClauseRef, ClauseRef)) -> Arena {
        let mut fresh = Arena { words: Vec::with_capacity(self.words.len() - self.wasted), wasted: 0 };
        let mut at = 0;
        while at < self.words.len() {
            let old = ClauseRef(at as u32);
            let size = HEAD + self.literals(old).len();
            if !self.is_deleted(old) {
                let new = ClauseRef(fresh.words.len() as u32);
                fresh.words.extend_from_slice(&self.words[at..at + size]);
                moved(old, new);
            }
            at += size;
        }
        fresh
    }
}
