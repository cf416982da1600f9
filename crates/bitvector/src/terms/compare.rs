//! Builders of equality and order.
//!
//! Comparisons with constants are what predicates are made of, so they are brought to few forms: an addition, a
//! widening or a choice between constants on the one side moves into the constant on the other. A comparison that only
//! one value passes becomes an equality.

use super::{Op, Sort, TermId, Terms};
use crate::semantics::{is_negative, mask, sign_bit, to_signed};

impl Terms {
    /// Equality of two terms of one sort.
    pub fn eq(&mut self, a: TermId, b: TermId) -> TermId {
        assert_eq!(self.sort(a), self.sort(b), "both sides of an equality have one sort");
        let (mut a, mut b) = (a, b);
        while let Some((smaller_a, smaller_b)) = self.peel(a, b) {
            (a, b) = (smaller_a, smaller_b);
        }
        if a == b {
            return self.bool(true);
        }
        match self.sort(a) {
            Sort::Bool => self.eq_bool(a, b),
            Sort::Bv(width) => match (self.as_const(a), self.as_const(b)) {
                (Some(x), Some(y)) => self.bool(x == y),
                (Some(x), None) => self.eq_constant(b, x, width),
                (None, Some(y)) => self.eq_constant(a, y, width),
                (None, None) => self.eq_terms(a, b),
            },
        }
    }

    /// Inequality.
    pub fn ne(&mut self, a: TermId, b: TermId) -> TermId {
        let equal = self.eq(a, b);
        self.not(equal)
    }

    fn eq_bool(&mut self, a: TermId, b: TermId) -> TermId {
        if self.complements(a, b) {
            return self.bool(false);
        }
        for (constant, other) in [(a, b), (b, a)] {
            match self.as_const(constant) {
                Some(0) => return self.not(other),
                Some(_) => return other,
                None => {}
            }
        }
        // Negations go outside, so that both polarities share one term.
        let (positive_a, flip_a) = self.split_not(a);
        let (positive_b, flip_b) = self.split_not(b);
        let equal = self.intern(Op::Eq, Sort::Bool, &[positive_a.min(positive_b), positive_a.max(positive_b)]);
        if flip_a == flip_b { equal } else { self.not(equal) }
    }

    fn split_not(&self, term: TermId) -> (TermId, bool) {
        match self.argument_of_not(term) {
            Some(inner) => (inner, true),
            None => (term, false),
        }
    }

    /// Two sides with the same injective operation on top are equal when what is below is. A loop calls this, not a
    /// recursion: a long program makes deep terms.
    fn peel(&self, a: TermId, b: TermId) -> Option<(TermId, TermId)> {
        let (x, y) = (self.node(a), self.node(b));
        let (p, q) = (x.arguments, y.arguments);
        if x.op != y.op {
            return None;
        }
        match x.op {
            Op::Zext | Op::Sext if self.sort(p[0]) == self.sort(q[0]) => Some((p[0], q[0])),
            Op::BvNot | Op::BvNeg => Some((p[0], q[0])),
            Op::Add | Op::BvXor if p[0] == q[0] => Some((p[1], q[1])),
            Op::Add | Op::BvXor if p[1] == q[1] => Some((p[0], q[0])),
            _ => None,
        }
    }

    fn eq_terms(&mut self, a: TermId, b: TermId) -> TermId {
        for (sum, part) in [(a, b), (b, a)] {
            let node = self.node(sum);
            let [left, right, _] = node.arguments;
            let rest = if left == part { Some(right) } else { (right == part).then_some(left) };
            if let (Op::Add, Some(rest)) = (node.op, rest) {
                return self.eq_constant(rest, 0, self.width(rest));
            }
        }
        self.intern(Op::Eq, Sort::Bool, &[a.min(b), a.max(b)])
    }

    /// `term == bits`. What can be undone on both sides is undone.
    fn eq_constant(&mut self, term: TermId, bits: u128, width: u32) -> TermId {
        let (mut term, mut bits, mut width) = (term, bits, width);
        loop {
            bits &= mask(width);
            let node = self.node(term);
            let [a, b, _] = node.arguments;
            let inner_width = self.width(a);
            match node.op {
                Op::Const(value) => return self.bool(value == bits),
                Op::Zext | Op::Sext => {
                    let inner = bits & mask(inner_width);
                    let widened = if node.op == Op::Zext { inner } else { to_signed(inner, inner_width) as u128 };
                    if widened & mask(width) != bits {
                        return self.bool(false);
                    }
                    (term, bits, width) = (a, inner, inner_width);
                }
                Op::BvNot => (term, bits) = (a, !bits),
                Op::BvNeg => (term, bits) = (a, bits.wrapping_neg()),
                Op::Add | Op::BvXor | Op::Sub => match (node.op, self.as_const(a), self.as_const(b)) {
                    (Op::Add, _, Some(shift)) => (term, bits) = (a, bits.wrapping_sub(shift)),
                    (Op::BvXor, _, Some(shift)) => (term, bits) = (a, bits ^ shift),
                    (Op::Sub, Some(from), _) => (term, bits) = (b, from.wrapping_sub(bits)),
                    (Op::Sub, ..) if bits == 0 => return self.eq(a, b),
                    _ => return self.eq_constant_kept(term, bits, width),
                },
                Op::Concat => {
                    let low_width = width - inner_width;
                    let high = self.eq_constant(a, bits >> low_width, inner_width);
                    let low = self.eq_constant(b, bits, low_width);
                    return self.and(high, low);
                }
                _ => return self.eq_constant_kept(term, bits, width),
            }
        }
    }

    fn eq_constant_kept(&mut self, term: TermId, bits: u128, width: u32) -> TermId {
        let constant = self.constant(width, bits);
        match self.compare_choice(term, |terms, branch| terms.eq(branch, constant)) {
            Some(result) => result,
            None => self.intern(Op::Eq, Sort::Bool, &[term, constant]),
        }
    }

    /// A comparison of a choice between two constants is a choice between two truth values.
    fn compare_choice(&mut self, choice: TermId, compare: impl Fn(&mut Terms, TermId) -> TermId) -> Option<TermId> {
        let node = self.node(choice);
        let [condition, then, other] = node.arguments;
        if node.op != Op::Ite || self.as_const(then).is_none() || self.as_const(other).is_none() {
            return None;
        }
        let then = compare(self, then);
        let other = compare(self, other);
        Some(self.ite(condition, then, other))
    }

    /// Unsigned `a < b`.
    pub fn ult(&mut self, a: TermId, b: TermId) -> TermId {
        let width = self.expect_same_width(a, b);
        match (self.as_const(a), self.as_const(b)) {
            _ if a == b => self.bool(false),
            (None, Some(bound)) => self.ult_constant(a, b, bound, width),
            (Some(bound), None) => self.constant_ult(a, b, bound, width),
            _ => {
                let (x, y) = (self.node(a), self.node(b));
                if x.op == Op::Zext && y.op == Op::Zext && self.sort(x.arguments[0]) == self.sort(y.arguments[0]) {
                    return self.ult(x.arguments[0], y.arguments[0]);
                }
                self.intern(Op::Ult, Sort::Bool, &[a, b])
            }
        }
    }

    fn ult_constant(&mut self, a: TermId, b: TermId, bound: u128, width: u32) -> TermId {
        if bound == 0 {
            return self.bool(false);
        }
        if bound == 1 {
            return self.eq_constant(a, 0, width);
        }
        if bound == mask(width) {
            return self.ne(a, b);
        }
        if let Some(result) = self.compare_choice(a, |terms, branch| terms.ult(branch, b)) {
            return result;
        }
        let node = self.node(a);
        if node.op == Op::Zext {
            let inner_width = self.width(node.arguments[0]);
            if bound > mask(inner_width) {
                return self.bool(true);
            }
            let bound = self.constant(inner_width, bound);
            return self.ult(node.arguments[0], bound);
        }
        self.intern(Op::Ult, Sort::Bool, &[a, b])
    }

    fn constant_ult(&mut self, a: TermId, b: TermId, bound: u128, width: u32) -> TermId {
        if bound == mask(width) {
            return self.bool(false);
        }
        if bound == 0 {
            return self.ne(b, a);
        }
        if bound == mask(width) - 1 {
            return self.eq_constant(b, mask(width), width);
        }
        if let Some(result) = self.compare_choice(b, |terms, branch| terms.ult(a, branch)) {
            return result;
        }
        let node = self.node(b);
        if node.op == Op::Zext {
            let inner_width = self.width(node.arguments[0]);
            if bound >= mask(inner_width) {
                return self.bool(false);
            }
            let bound = self.constant(inner_width, bound);
            return self.ult(bound, node.arguments[0]);
        }
        // `c < x` is `!(x < c + 1)`: both polarities of a bound are then one term.
        let above = self.constant(width, bound + 1);
        let below = self.ult(b, above);
        self.not(below)
    }

    /// Unsigned `a <= b`.
    pub fn ule(&mut self, a: TermId, b: TermId) -> TermId {
        let greater = self.ult(b, a);
        self.not(greater)
    }

    /// Signed `a < b`.
    pub fn slt(&mut self, a: TermId, b: TermId) -> TermId {
        let width = self.expect_same_width(a, b);
        let (x, y) = (self.node(a), self.node(b));
        match (self.as_const(a), self.as_const(b)) {
            _ if a == b => self.bool(false),
            (None, Some(bound)) => self.slt_constant(a, b, bound, width),
            (Some(bound), None) => self.constant_slt(a, b, bound, width),
            _ if x.op == y.op && self.sort(x.arguments[0]) == self.sort(y.arguments[0]) => match x.op {
                Op::Zext => self.ult(x.arguments[0], y.arguments[0]),
                Op::Sext => self.slt(x.arguments[0], y.arguments[0]),
                _ => self.intern(Op::Slt, Sort::Bool, &[a, b]),
            },
            _ => self.intern(Op::Slt, Sort::Bool, &[a, b]),
        }
    }

    fn slt_constant(&mut self, a: TermId, b: TermId, bound: u128, width: u32) -> TermId {
        let (least, greatest) = (sign_bit(width), sign_bit(width) - 1);
        if bound == least {
            return self.bool(false);
        }
        if bound == greatest {
            return self.ne(a, b);
        }
        if bound == (least + 1) & mask(width) {
            return self.eq_constant(a, least, width);
        }
        if let Some(result) = self.compare_choice(a, |terms, branch| terms.slt(branch, b)) {
            return result;
        }
        let node = self.node(a);
        let inner = node.arguments[0];
        match node.op {
            Op::Zext if is_negative(bound, width) => self.bool(false),
            Op::Zext => self.ult(a, b),
            Op::Sext => {
                let inner_width = self.width(inner);
                let bound = to_signed(bound, width);
                if bound > to_signed(sign_bit(inner_width) - 1, inner_width) {
                    self.bool(true)
                } else if bound <= to_signed(sign_bit(inner_width), inner_width) {
                    self.bool(false)
                } else {
                    let bound = self.signed(inner_width, bound);
                    self.slt(inner, bound)
                }
            }
            _ => self.intern(Op::Slt, Sort::Bool, &[a, b]),
        }
    }

    /// `c < x` is `!(x < c + 1)`, unless `c` is the greatest number.
    fn constant_slt(&mut self, _a: TermId, b: TermId, bound: u128, width: u32) -> TermId {
        if bound == sign_bit(width) - 1 {
            return self.bool(false);
        }
        let above = self.constant(width, bound.wrapping_add(1));
        let below = self.slt(b, above);
        self.not(below)
    }

    /// Signed `a <= b`.
    pub fn sle(&mut self, a: TermId, b: TermId) -> TermId {
        let greater = self.slt(b, a);
        self.not(greater)
    }

    pub(super) fn expect_same_width(&self, a: TermId, b: TermId) -> u32 {
        assert_eq!(self.sort(a), self.sort(b), "both sides have one width");
        self.expect_bits(a)
    }

    pub(super) fn expect_bits(&self, term: TermId) -> u32 {
        match self.sort(term) {
            Sort::Bv(width) => width,
            Sort::Bool => panic!("a bit vector is needed here, not a Boolean"),
        }
    }
}
