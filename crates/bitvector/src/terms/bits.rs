//! Builders of bit-vector terms.
//!
//! The rules are those that weakest preconditions of C programs need: neutral and absorbing elements, constants
//! collected in sums, powers of two, and widenings and selections of one another. A constant stands on the right of a
//! commutative operation.

use super::{MAX_WIDTH, Op, Sort, TermId, Terms};
use crate::semantics::mask;

impl Terms {
    /// A binary operation that no rule applies to.
    fn binary(&mut self, op: Op, a: TermId, b: TermId) -> TermId {
        let sort = self.sort(a);
        self.intern(op, sort, &[a, b])
    }

    /// A constant right, else the smaller number left.
    fn ordered(&self, a: TermId, b: TermId) -> (TermId, TermId) {
        match (self.as_const(a), self.as_const(b)) {
            (Some(_), None) => (b, a),
            (None, Some(_)) => (a, b),
            _ => (a.min(b), a.max(b)),
        }
    }

    /// If `term` is `x op constant`, both.
    fn with_constant(&self, op: Op, term: TermId) -> Option<(TermId, u128)> {
        let node = self.node(term);
        let [a, b, _] = node.arguments;
        if node.op == op { self.as_const(b).map(|bits| (a, bits)) } else { None }
    }

    fn argument(&self, op: Op, term: TermId) -> Option<TermId> {
        let node = self.node(term);
        (node.op == op).then_some(node.arguments[0])
    }

    /// Every bit flipped.
    pub fn bv_not(&mut self, a: TermId) -> TermId {
        let width = self.expect_bits(a);
        match self.argument(Op::BvNot, a) {
            Some(inner) => inner,
            None => self.intern(Op::BvNot, Sort::Bv(width), &[a]),
        }
    }

    /// Two's complement negation.
    pub fn bv_neg(&mut self, a: TermId) -> TermId {
        let width = self.expect_bits(a);
        let node = self.node(a);
        match node.op {
            Op::BvNeg => node.arguments[0],
            Op::Sub => self.sub(node.arguments[1], node.arguments[0]),
            _ => self.intern(Op::BvNeg, Sort::Bv(width), &[a]),
        }
    }

    fn bv_complements(&self, a: TermId, b: TermId) -> bool {
        self.argument(Op::BvNot, a) == Some(b) || self.argument(Op::BvNot, b) == Some(a)
    }

    /// Bitwise and.
    pub fn bv_and(&mut self, a: TermId, b: TermId) -> TermId {
        let width = self.expect_same_width(a, b);
        let (a, b) = self.ordered(a, b);
        if a == b {
            return a;
        }
        if self.bv_complements(a, b) {
            return self.constant(width, 0);
        }
        match self.as_const(b) {
            Some(0) => return b,
            Some(bits) if bits == mask(width) => return a,
            Some(bits) => {
                if let Some((inner, more)) = self.with_constant(Op::BvAnd, a) {
                    let both = self.constant(width, bits & more);
                    return self.binary_and_constant(inner, both);
                }
            }
            None => {}
        }
        self.binary(Op::BvAnd, a, b)
    }

    fn binary_and_constant(&mut self, a: TermId, constant: TermId) -> TermId {
        if self.as_const(constant) == Some(0) { constant } else { self.binary(Op::BvAnd, a, constant) }
    }

    /// Bitwise or.
    pub fn bv_or(&mut self, a: TermId, b: TermId) -> TermId {
        let width = self.expect_same_width(a, b);
        let (a, b) = self.ordered(a, b);
        if a == b || self.as_const(b) == Some(0) {
            return a;
        }
        if self.as_const(b) == Some(mask(width)) || self.bv_complements(a, b) {
            return self.constant(width, mask(width));
        }
        self.binary(Op::BvOr, a, b)
    }

    /// Bitwise exclusive or.
    pub fn bv_xor(&mut self, a: TermId, b: TermId) -> TermId {
        let width = self.expect_same_width(a, b);
        let (a, b) = self.ordered(a, b);
        if a == b {
            return self.constant(width, 0);
        }
        if self.bv_complements(a, b) {
            return self.constant(width, mask(width));
        }
        match self.as_const(b) {
            Some(0) => return a,
            Some(bits) if bits == mask(width) => return self.bv_not(a),
            Some(bits) => {
                if let Some((inner, more)) = self.with_constant(Op::BvXor, a) {
                    let both = self.constant(width, bits ^ more);
                    return if bits == more { inner } else { self.binary(Op::BvXor, inner, both) };
                }
            }
            None => {}
        }
        self.binary(Op::BvXor, a, b)
    }

    /// Sum, wrapping.
    pub fn add(&mut self, a: TermId, b: TermId) -> TermId {
        let width = self.expect_same_width(a, b);
        let (a, b) = self.ordered(a, b);
        if let Some(bits) = self.as_const(b) {
            return self.add_constant(a, bits, width);
        }
        if self.argument(Op::BvNeg, a) == Some(b) || self.argument(Op::BvNeg, b) == Some(a) {
            return self.constant(width, 0);
        }
        // Constants come out of the sum, so that they meet.
        for (sum, other) in [(a, b), (b, a)] {
            if let Some((inner, bits)) = self.with_constant(Op::Add, sum) {
                let (left, right) = self.ordered(inner, other);
                let rest = self.binary(Op::Add, left, right);
                return self.add_constant(rest, bits, width);
            }
        }
        self.binary(Op::Add, a, b)
    }

    fn add_constant(&mut self, a: TermId, bits: u128, width: u32) -> TermId {
        let (inner, bits) = match self.with_constant(Op::Add, a) {
            Some((inner, more)) => (inner, bits.wrapping_add(more) & mask(width)),
            None => (a, bits),
        };
        if bits == 0 {
            return inner;
        }
        let constant = self.constant(width, bits);
        self.binary(Op::Add, inner, constant)
    }

    /// Difference, wrapping.
    pub fn sub(&mut self, a: TermId, b: TermId) -> TermId {
        let width = self.expect_same_width(a, b);
        if a == b {
            return self.constant(width, 0);
        }
        if let Some(bits) = self.as_const(b) {
            let negated = self.constant(width, bits.wrapping_neg());
            return self.add(a, negated);
        }
        if self.as_const(a) == Some(0) {
            return self.bv_neg(b);
        }
        // (x + c) - x and x - (x + c).
        if let Some((inner, bits)) = self.with_constant(Op::Add, a)
            && inner == b
        {
            return self.constant(width, bits);
        }
        if let Some((inner, bits)) = self.with_constant(Op::Add, b)
            && inner == a
        {
            return self.constant(width, bits.wrapping_neg());
        }
        self.binary(Op::Sub, a, b)
    }

    /// Product, wrapping.
    pub fn mul(&mut self, a: TermId, b: TermId) -> TermId {
        let width = self.expect_same_width(a, b);
        let (a, b) = self.ordered(a, b);
        match self.as_const(b) {
            Some(0) => b,
            Some(1) => a,
            Some(bits) if bits == mask(width) => self.bv_neg(a),
            Some(bits) if self.with_constant(Op::Mul, a).is_some() => {
                let (inner, more) = self.with_constant(Op::Mul, a).unwrap_or((a, 1));
                let both = self.constant(width, bits.wrapping_mul(more));
                if self.as_const(both) == Some(0) { both } else { self.binary(Op::Mul, inner, both) }
            }
            _ => self.binary(Op::Mul, a, b),
        }
    }

    /// Unsigned quotient; by zero all ones.
    pub fn udiv(&mut self, a: TermId, b: TermId) -> TermId {
        let width = self.expect_same_width(a, b);
        match self.as_const(b) {
            Some(1) => a,
            Some(0) => self.constant(width, mask(width)),
            Some(bits) if bits.is_power_of_two() => {
                let amount = self.constant(width, u128::from(bits.trailing_zeros()));
                self.lshr(a, amount)
            }
            _ => self.binary(Op::Udiv, a, b),
        }
    }

    /// Unsigned remainder; by zero the dividend.
    pub fn urem(&mut self, a: TermId, b: TermId) -> TermId {
        let width = self.expect_same_width(a, b);
        match self.as_const(b) {
            Some(0) => a,
            Some(bits) if bits.is_power_of_two() => {
                let below = self.constant(width, bits - 1);
                self.bv_and(a, below)
            }
            _ => self.binary(Op::Urem, a, b),
        }
    }

    /// Signed quotient, towards zero.
    pub fn sdiv(&mut self, a: TermId, b: TermId) -> TermId {
        self.expect_same_width(a, b);
        match self.as_const(b) {
            Some(1) => a,
            _ => self.binary(Op::Sdiv, a, b),
        }
    }

    /// Signed remainder, with the sign of the dividend.
    pub fn srem(&mut self, a: TermId, b: TermId) -> TermId {
        let width = self.expect_same_width(a, b);
        match self.as_const(b) {
            Some(0) => a,
            Some(1) => self.constant(width, 0),
            _ => self.binary(Op::Srem, a, b),
        }
    }

    /// Shift left; by the width or more gives zero.
    pub fn shl(&mut self, a: TermId, b: TermId) -> TermId {
        self.shift(Op::Shl, a, b)
    }

    /// Shift right, zeros come in.
    pub fn lshr(&mut self, a: TermId, b: TermId) -> TermId {
        self.shift(Op::Lshr, a, b)
    }

    /// Shift right, the sign comes in.
    pub fn ashr(&mut self, a: TermId, b: TermId) -> TermId {
        self.shift(Op::Ashr, a, b)
    }

    fn shift(&mut self, op: Op, a: TermId, b: TermId) -> TermId {
        let width = self.expect_same_width(a, b);
        match self.as_const(b) {
            Some(0) => a,
            _ if self.as_const(a) == Some(0) => a,
            Some(bits) if bits >= u128::from(width) && op != Op::Ashr => self.constant(width, 0),
            _ => self.binary(op, a, b),
        }
    }

    /// The bits of `a` above those of `b`.
    pub fn concat(&mut self, a: TermId, b: TermId) -> TermId {
        let width = self.expect_bits(a) + self.expect_bits(b);
        assert!(width <= MAX_WIDTH, "a bit vector has at most {MAX_WIDTH} bits, not {width}");
        if self.as_const(a) == Some(0) {
            return self.zext(b, width);
        }
        self.intern(Op::Concat, Sort::Bv(width), &[a, b])
    }

    /// The bits from `low` to `high`, both included.
    pub fn extract(&mut self, a: TermId, high: u32, low: u32) -> TermId {
        let width = self.expect_bits(a);
        assert!(low <= high && high < width, "bits {high} to {low} are not all there in {width}");
        let size = high - low + 1;
        if size == width {
            return a;
        }
        let node = self.node(a);
        let [first, second, _] = node.arguments;
        match node.op {
            Op::Extract(deeper) => return self.extract(first, deeper + high, deeper + low),
            Op::Zext | Op::Sext => {
                let inner = self.width(first);
                if high < inner {
                    return self.extract(first, high, low);
                }
                if low >= inner && node.op == Op::Zext {
                    return self.constant(size, 0);
                }
            }
            Op::Concat => {
                let boundary = self.width(second);
                if high < boundary {
                    return self.extract(second, high, low);
                }
                if low >= boundary {
                    return self.extract(first, high - boundary, low - boundary);
                }
            }
            _ => {}
        }
        self.intern(Op::Extract(low), Sort::Bv(size), &[a])
    }

    /// Widened to `width` with zeros.
    pub fn zext(&mut self, a: TermId, width: u32) -> TermId {
        let inner = self.expect_widening(a, width);
        match self.argument(Op::Zext, a) {
            _ if inner == width => a,
            Some(deeper) => self.intern(Op::Zext, Sort::Bv(width), &[deeper]),
            None => self.intern(Op::Zext, Sort::Bv(width), &[a]),
        }
    }

    /// Widened to `width` with copies of the sign.
    pub fn sext(&mut self, a: TermId, width: u32) -> TermId {
        let inner = self.expect_widening(a, width);
        let node = self.node(a);
        match node.op {
            _ if inner == width => a,
            Op::Zext | Op::Sext => self.intern(node.op, Sort::Bv(width), &node.arguments[..1]),
            _ => self.intern(Op::Sext, Sort::Bv(width), &[a]),
        }
    }

    fn expect_widening(&self, a: TermId, width: u32) -> u32 {
        let inner = self.expect_bits(a);
        assert!(inner <= width && width <= MAX_WIDTH, "{inner} bits cannot be widened to {width}");
        inner
    }

    /// A truth value as a number of that width: one for true, zero for false.
    pub fn from_bool(&mut self, condition: TermId, width: u32) -> TermId {
        let one = self.constant(width, 1);
        let zero = self.constant(width, 0);
        self.ite(condition, one, zero)
    }
}
