//! Builders of Boolean terms, and of the choice between two terms.
//!
//! Arguments of commutative operations are ordered, complements are found at once, and a choice between Booleans
//! becomes conjunctions and disjunctions where one branch is a constant.

use super::{Op, Sort, TermId, Terms};

/// False is the first term of every arena, true the second.
const FALSE: TermId = TermId(0);
const TRUE: TermId = TermId(1);

impl Terms {
    /// The truth value.
    pub fn bool(&self, value: bool) -> TermId {
        if value { TRUE } else { FALSE }
    }

    /// Negation.
    pub fn not(&mut self, a: TermId) -> TermId {
        self.expect_bool(a);
        match self.argument_of_not(a) {
            Some(inner) => inner,
            None => self.intern(Op::Not, Sort::Bool, &[a]),
        }
    }

    /// Conjunction.
    pub fn and(&mut self, a: TermId, b: TermId) -> TermId {
        self.expect_bool(a);
        self.expect_bool(b);
        if a == FALSE || b == FALSE || self.complements(a, b) {
            return FALSE;
        }
        if a == TRUE || self.is_part(Op::And, b, a) || self.is_part(Op::Or, a, b) {
            return b;
        }
        if b == TRUE || self.is_part(Op::And, a, b) || self.is_part(Op::Or, b, a) {
            return a;
        }
        self.intern(Op::And, Sort::Bool, &[a.min(b), a.max(b)])
    }

    /// Disjunction.
    pub fn or(&mut self, a: TermId, b: TermId) -> TermId {
        self.expect_bool(a);
        self.expect_bool(b);
        if a == TRUE || b == TRUE || self.complements(a, b) {
            return TRUE;
        }
        if a == FALSE || self.is_part(Op::Or, b, a) || self.is_part(Op::And, a, b) {
            return b;
        }
        if b == FALSE || self.is_part(Op::Or, a, b) || self.is_part(Op::And, b, a) {
            return a;
        }
        self.intern(Op::Or, Sort::Bool, &[a.min(b), a.max(b)])
    }

    /// Conjunction of many, as a balanced tree.
    pub fn and_all(&mut self, parts: &[TermId]) -> TermId {
        self.fold_balanced(parts, TRUE, Terms::and)
    }

    /// Disjunction of many, as a balanced tree.
    pub fn or_all(&mut self, parts: &[TermId]) -> TermId {
        self.fold_balanced(parts, FALSE, Terms::or)
    }

    /// Implication.
    pub fn implies(&mut self, a: TermId, b: TermId) -> TermId {
        let negated = self.not(a);
        self.or(negated, b)
    }

    /// Exclusive or of Booleans.
    pub fn xor(&mut self, a: TermId, b: TermId) -> TermId {
        self.expect_bool(a);
        let same = self.eq(a, b);
        self.not(same)
    }

    /// The second if the first holds, else the third.
    pub fn ite(&mut self, condition: TermId, then: TermId, other: TermId) -> TermId {
        self.expect_bool(condition);
        assert_eq!(self.sort(then), self.sort(other), "both branches of a choice have one sort");
        if let Some(positive) = self.argument_of_not(condition)
            && self.as_const(condition).is_none()
        {
            return self.ite(positive, other, then);
        }
        let then = self.branch_under(condition, then, 1);
        let other = self.branch_under(condition, other, 2);
        if condition == TRUE || then == other {
            return then;
        }
        if condition == FALSE {
            return other;
        }
        match self.sort(then) {
            Sort::Bool => self.ite_bool(condition, then, other),
            sort => self.intern(Op::Ite, sort, &[condition, then, other]),
        }
    }

    fn ite_bool(&mut self, condition: TermId, then: TermId, other: TermId) -> TermId {
        if then == TRUE || then == condition {
            return self.or(condition, other);
        }
        if other == FALSE || other == condition {
            return self.and(condition, then);
        }
        let negated = self.not(condition);
        if then == FALSE || then == negated {
            return self.and(negated, other);
        }
        if other == TRUE || other == negated {
            return self.or(negated, then);
        }
        if self.complements(then, other) {
            return self.eq(condition, then);
        }
        self.intern(Op::Ite, Sort::Bool, &[condition, then, other])
    }

    /// A branch that asks the same condition again has its answer already.
    fn branch_under(&self, condition: TermId, branch: TermId, which: usize) -> TermId {
        let node = self.node(branch);
        if node.op == Op::Ite && node.arguments[0] == condition { node.arguments[which] } else { branch }
    }

    /// What `term` is the negation of; for a constant, the other constant.
    pub(super) fn argument_of_not(&self, term: TermId) -> Option<TermId> {
        match term {
            FALSE => Some(TRUE),
            TRUE => Some(FALSE),
            _ => {
                let node = self.node(term);
                (node.op == Op::Not).then_some(node.arguments[0])
            }
        }
    }

    /// Is one the negation of the other, by shape?
    pub(crate) fn complements(&self, a: TermId, b: TermId) -> bool {
        self.argument_of_not(a) == Some(b) || self.argument_of_not(b) == Some(a)
    }

    /// Is `part` an argument of `whole`, which has the operation `op`?
    fn is_part(&self, op: Op, whole: TermId, part: TermId) -> bool {
        let node = self.node(whole);
        part == whole || node.op == op && node.arguments().contains(&part)
    }

    fn fold_balanced(
        &mut self,
        parts: &[TermId],
        neutral: TermId,
        join: fn(&mut Terms, TermId, TermId) -> TermId,
    ) -> TermId {
        let mut layer = parts.to_vec();
        while layer.len() > 1 {
            layer = layer.chunks(2).map(|pair| if let &[a, b] = pair { join(self, a, b) } else { pair[0] }).collect();
        }
        layer.first().copied().unwrap_or(neutral)
    }

    pub(super) fn expect_bool(&self, term: TermId) {
        assert_eq!(self.sort(term), Sort::Bool, "a Boolean is needed here");
    }
}
