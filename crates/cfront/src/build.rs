//! Making terms: every constructor simplifies.
//!
//! Conditions are what the simplifications are for. In C, `!(x == 0)` is an `int` made of a comparison of an `int` made of
//! a comparison; what an abstraction wants to see is `x = 0`, one bit. So conversions of bits vanish where they meet a
//! comparison with a constant, constants go to the right, and negations go inward as far as bits reach.

use crate::program::{ObjectId, VariableId};
use crate::term::{Memory, Operation, Scalar, Term, TermId, Terms, apply, commutes, convert};
use std::collections::HashMap;

impl Terms {
    /// A number.
    pub fn constant(&mut self, value: i128, scalar: Scalar) -> TermId {
        self.intern(Term::Constant(scalar.truncate(value as u128)), scalar)
    }

    /// A truth value.
    pub fn truth(&mut self, value: bool) -> TermId {
        self.constant(i128::from(value), Scalar::BOOL)
    }

    /// The value of a variable.
    pub fn variable(&mut self, variable: VariableId, scalar: Scalar) -> TermId {
        self.intern(Term::Variable(variable), scalar)
    }

    /// The complement of all bits; of one bit, negation.
    pub fn not(&mut self, a: TermId) -> TermId {
        let scalar = self.scalar(a);
        match self.get(a) {
            Term::Constant(bits) => self.constant(!bits as i128, scalar),
            Term::Not(inner) => inner,
            _ => self.intern(Term::Not(a), scalar),
        }
    }

    /// The negative number.
    pub fn negate(&mut self, a: TermId) -> TermId {
        let scalar = self.scalar(a);
        match self.get(a) {
            Term::Constant(bits) => self.constant(bits.wrapping_neg() as i128, scalar),
            Term::Negate(inner) => inner,
            _ => self.intern(Term::Negate(a), scalar),
        }
    }

    /// The same value with another width and sign.
    pub fn convert(&mut self, a: TermId, to: Scalar) -> TermId {
        let from = self.scalar(a);
        if from == to {
            return a;
        }
        match self.get(a) {
            Term::Constant(bits) => self.intern(Term::Constant(convert(from, to, bits)), to),
            Term::Convert(inner) if self.converts_at_once(self.scalar(inner), from, to) => self.convert(inner, to),
            _ => self.intern(Term::Convert(a), to),
        }
    }

    /// Whether going from one scalar through another to a third is the same as going there directly.
    fn converts_at_once(&self, first: Scalar, second: Scalar, third: Scalar) -> bool {
        if second.width >= first.width && third.width <= first.width {
            return true;
        }
        let widens = second.width > first.width || (second.width == first.width && first.signed == second.signed);
        widens && third.width >= second.width && (!first.signed || second.signed)
    }

    /// Whether a term is not zero: one bit.
    pub fn nonzero(&mut self, a: TermId) -> TermId {
        let zero = self.constant(0, self.scalar(a));
        let equal = self.equal(a, zero);
        self.not(equal)
    }

    /// Whether two terms have the same bits.
    pub fn equal(&mut self, a: TermId, b: TermId) -> TermId {
        self.binary(Operation::Equal, a, b)
    }

    /// Both, of bits.
    pub fn and(&mut self, a: TermId, b: TermId) -> TermId {
        self.binary(Operation::And, a, b)
    }

    /// One or both, of bits.
    pub fn or(&mut self, a: TermId, b: TermId) -> TermId {
        self.binary(Operation::Or, a, b)
    }

    /// A conjunction or disjunction of many bits, as flat as it gets.
    pub fn balanced(&mut self, operation: Operation, bits: &[TermId]) -> TermId {
        match bits {
            [] => self.truth(operation == Operation::And),
            [one] => *one,
            _ => {
                let (left, right) = bits.split_at(bits.len() / 2);
                let left = self.balanced(operation, left);
                let right = self.balanced(operation, right);
                self.binary(operation, left, right)
            }
        }
    }

    /// The second if the first (one bit) holds, else the third.
    pub fn select(&mut self, condition: TermId, a: TermId, b: TermId) -> TermId {
        let scalar = self.scalar(a);
        match self.get(condition) {
            Term::Constant(bits) => return if bits == 1 { a } else { b },
            Term::Not(inner) => return self.select(inner, b, a),
            _ if a == b => return a,
            _ => {}
        }
        if scalar == Scalar::BOOL {
            match (self.constant_bits(a), self.constant_bits(b)) {
                (Some(1), Some(_)) => return condition,
                (Some(_), Some(_)) => return self.not(condition),
                (Some(1), None) => return self.or(condition, b),
                (Some(_), None) => {
                    let not = self.not(condition);
                    return self.and(not, b);
                }
                (None, Some(0)) => return self.and(condition, a),
                (None, Some(_)) => {
                    let not = self.not(condition);
                    return self.or(not, a);
                }
                (None, None) => {}
            }
        }
        self.intern(Term::Select(condition, a, b), scalar)
    }

    /// An operation on two terms of the same width.
    pub fn binary(&mut self, operation: Operation, a: TermId, b: TermId) -> TermId {
        let scalar = self.scalar(a);
        let result = if operation.compares() { Scalar::BOOL } else { scalar };
        let (left, right) = (self.constant_bits(a), self.constant_bits(b));
        if let (Some(left), Some(right)) = (left, right) {
            return self.intern(Term::Constant(apply(operation, scalar, left, right)), result);
        }
        if commutes(operation) && (left.is_some() || (right.is_none() && b < a)) {
            // The sign of the result is that of the first operand: both have it, but for equality.
            if self.scalar(b) == scalar || operation == Operation::Equal {
                return self.simplified(operation, b, a, result);
            }
        }
        self.simplified(operation, a, b, result)
    }

    fn simplified(&mut self, operation: Operation, a: TermId, b: TermId, result: Scalar) -> TermId {
        use Operation::*;
        let scalar = self.scalar(a);
        let right = self.constant_bits(b);
        let ones = scalar.truncate(u128::MAX);
        match (operation, right) {
            (Add | Subtract | Or | Xor | ShiftLeft | ShiftRight, Some(0)) => return a,
            (Multiply | Divide, Some(1)) if scalar.holds(1) => return a,
            (Multiply | And, Some(0)) => return self.constant(0, scalar),
            (And, Some(bits)) if bits == ones => return a,
            (Or, Some(bits)) if bits == ones => return b,
            (Xor, Some(1)) if scalar == Scalar::BOOL => return self.not(a),
            (Subtract, Some(bits)) => {
                let opposite = self.constant(bits.wrapping_neg() as i128, scalar);
                return self.binary(Add, a, opposite);
            }
            (Add, Some(bits)) => {
                if let Term::Binary(Add, inner, c) = self.get(a)
                    && let Some(more) = self.constant_bits(c)
                {
                    let sum = self.constant(bits.wrapping_add(more) as i128, scalar);
                    return self.binary(Add, inner, sum);
                }
            }
            (Equal, Some(bits)) => {
                if let Some(simpler) = self.equal_to_constant(a, bits) {
                    return simpler;
                }
            }
            (And | Or, None) if a == b => return a,
            (And, None) if scalar.width == 1 && self.not(a) == b => return self.truth(false),
            (Or, None) if scalar.width == 1 && self.not(a) == b => return self.truth(true),
            (Equal | LessEqual, None) if a == b => return self.truth(true),
            (Less, None) if a == b => return self.truth(false),
            (Subtract | Xor, None) if a == b => return self.constant(0, scalar),
            _ => {}
        }
        self.intern(Term::Binary(operation, a, b), result)
    }

    /// A comparison with a constant, seen through conversions.
    fn equal_to_constant(&mut self, a: TermId, bits: u128) -> Option<TermId> {
        let scalar = self.scalar(a);
        if scalar == Scalar::BOOL {
            return Some(if bits == 1 { a } else { self.not(a) });
        }
        match self.get(a) {
            Term::Convert(inner) if self.scalar(inner).width <= scalar.width => {
                let small = self.scalar(inner);
                let narrow = small.truncate(bits);
                if convert(small, scalar, narrow) != bits {
                    return Some(self.truth(false));
                }
                let narrow = self.intern(Term::Constant(narrow), small);
                Some(self.equal(inner, narrow))
            }
            Term::Select(condition, x, y) if self.constant_bits(x).is_some() && self.constant_bits(y).is_some() => {
                let value = self.intern(Term::Constant(bits), scalar);
                let (x, y) = (self.equal(x, value), self.equal(y, value));
                Some(self.select(condition, x, y))
            }
            _ => None,
        }
    }

    /// The address of a byte of an object.
    pub(crate) fn address(&mut self, object: ObjectId, offset: u64, pointer: Scalar) -> TermId {
        self.intern(Term::Memory(Memory::Address(object, offset)), pointer)
    }

    /// An address that many steps further.
    pub(crate) fn offset(&mut self, base: TermId, index: TermId, stride: u64, length: u64) -> TermId {
        let pointer = self.scalar(base);
        if let Some(bits) = self.constant_bits(index) {
            let distance = self.scalar(index).value(bits).wrapping_mul(i128::from(stride));
            match self.get(base) {
                _ if distance == 0 => return base,
                Term::Memory(Memory::Address(object, offset)) => {
                    if let Ok(offset) = u64::try_from(i128::from(offset) + distance) {
                        return self.address(object, offset, pointer);
                    }
                }
                // `&((struct s *)0)->f` is a number.
                Term::Constant(start) => return self.constant((start as i128).wrapping_add(distance), pointer),
                _ => {}
            }
        }
        self.intern(Term::Memory(Memory::Offset(base, index, stride, length)), pointer)
    }

    /// Something about memory.
    pub(crate) fn memory(&mut self, memory: Memory, scalar: Scalar) -> TermId {
        self.intern(Term::Memory(memory), scalar)
    }
}

impl Terms {
    /// The term with other terms in the place of variables, all at once. A replacement has the scalar of its variable.
    pub fn substitute(&mut self, id: TermId, replacements: &HashMap<VariableId, TermId>) -> TermId {
        self.substitute_below(id, replacements, &mut HashMap::new())
    }

    /// The same for one of many terms that share their parts; `known` is what was done before.
    pub(crate) fn substitute_below(
        &mut self,
        id: TermId,
        replacements: &HashMap<VariableId, TermId>,
        known: &mut HashMap<TermId, TermId>,
    ) -> TermId {
        if let Some(&done) = known.get(&id) {
            return done;
        }
        let scalar = self.scalar(id);
        let done = match self.get(id) {
            Term::Constant(_) | Term::Memory(_) => id,
            Term::Variable(variable) => replacements.get(&variable).copied().unwrap_or(id),
            Term::Not(a) => {
                let a = self.substitute_below(a, replacements, known);
                self.not(a)
            }
            Term::Negate(a) => {
                let a = self.substitute_below(a, replacements, known);
                self.negate(a)
            }
            Term::Convert(a) => {
                let a = self.substitute_below(a, replacements, known);
                self.convert(a, scalar)
            }
            Term::Binary(operation, a, b) => {
                let a = self.substitute_below(a, replacements, known);
                let b = self.substitute_below(b, replacements, known);
                self.binary(operation, a, b)
            }
            Term::Select(condition, a, b) => {
                let condition = self.substitute_below(condition, replacements, known);
                let a = self.substitute_below(a, replacements, known);
                let b = self.substitute_below(b, replacements, known);
                self.select(condition, a, b)
            }
        };
        known.insert(id, done);
        done
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use testing::Random;

    const OPERATIONS: [Operation; 13] = [
        Operation::Add,
        Operation::Subtract,
        Operation::Multiply,
        Operation::Divide,
        Operation::Remainder,
        Operation::And,
        Operation::Or,
        Operation::Xor,
        Operation::ShiftLeft,
        Operation::ShiftRight,
        Operation::Equal,
        Operation::Less,
        Operation::LessEqual,
    ];

    /// A term as it is, and the same term simplified.
    fn pair(terms: &mut Terms, random: &mut Random, depth: u32, scalar: Scalar) -> (TermId, TermId) {
        if depth == 0 || random.below(6) == 0 {
            let leaf = if random.below(2) == 0 {
                terms.constant(i128::from(random.below(6)) - 3, scalar)
            } else {
                // Variables are distinguished by their scalars, so that each has one.
                let number = u32::from(scalar.width) * 4 + u32::from(scalar.signed) * 2 + random.below(2) as u32;
                terms.variable(VariableId(number), scalar)
            };
            return (leaf, leaf);
        }
        let depth = depth - 1;
        match random.below(7) {
            0 => {
                let (raw, simple) = pair(terms, random, depth, scalar);
                (terms.intern(Term::Not(raw), scalar), terms.not(simple))
            }
            1 => {
                let (raw, simple) = pair(terms, random, depth, scalar);
                (terms.intern(Term::Negate(raw), scalar), terms.negate(simple))
            }
            2 | 3 => {
                let from = any_scalar(random);
                let (raw, simple) = pair(terms, random, depth, from);
                let raw = if from == scalar { raw } else { terms.intern(Term::Convert(raw), scalar) };
                (raw, terms.convert(simple, scalar))
            }
            4 => {
                let (condition, simple) = pair(terms, random, depth, Scalar::BOOL);
                let ((a, x), (b, y)) = (pair(terms, random, depth, scalar), pair(terms, random, depth, scalar));
                (terms.intern(Term::Select(condition, a, b), scalar), terms.select(simple, x, y))
            }
            _ => {
                let operation = OPERATIONS[random.below(13) as usize];
                let operands = match (operation.compares(), scalar == Scalar::BOOL) {
                    (true, true) => any_scalar(random),
                    (true, false) => return pair(terms, random, depth, scalar),
                    (false, _) => scalar,
                };
                let ((a, x), (b, y)) = (pair(terms, random, depth, operands), pair(terms, random, depth, operands));
                (terms.intern(Term::Binary(operation, a, b), scalar), terms.binary(operation, x, y))
            }
        }
    }

    fn any_scalar(random: &mut Random) -> Scalar {
        let width = [1, 1, 2, 3, 3, 4, 5, 8][random.below(8) as usize];
        if width == 1 { Scalar::BOOL } else { Scalar { width, signed: random.below(2) == 0 } }
    }

    #[test]
    fn a_simplified_term_has_the_value_of_the_term_as_it_was_written() {
        for seed in 0..20_000 {
            let mut random = Random::new(seed);
            let mut terms = Terms::new();
            let scalar = any_scalar(&mut random);
            let (raw, simple) = pair(&mut terms, &mut random, 5, scalar);
            assert_eq!(terms.scalar(simple), scalar, "seed {seed}");
            for round in 0..8_u64 {
                let read = |variable: VariableId| (u64::from(variable.0) + 1).wrapping_mul(seed * 8 + round + 1) / 3;
                assert_eq!(terms.evaluate(raw, &read), terms.evaluate(simple, &read), "seed {seed}");
            }
        }
    }

    #[test]
    fn substitution_is_evaluation_with_other_values() {
        for seed in 0..2_000 {
            let mut random = Random::new(seed);
            let mut terms = Terms::new();
            let scalar = any_scalar(&mut random);
            let (_, term) = pair(&mut terms, &mut random, 4, scalar);
            let mut replacements = HashMap::new();
            for variable in terms.variables(term) {
                let mut number = 0..terms.len() as u32;
                let found = number.find(|&id| terms.get(TermId(id)) == Term::Variable(variable));
                let scalar = terms.scalar(TermId(found.unwrap_or(0)));
                replacements.insert(variable, pair(&mut terms, &mut random, 2, scalar).1);
            }
            let substituted = terms.substitute(term, &replacements);
            let read = |variable: VariableId| u64::from(variable.0).wrapping_mul(seed + 1) / 5;
            let changed = |variable: VariableId| match replacements.get(&variable) {
                Some(&term) => terms.evaluate(term, &read) as u64,
                None => read(variable),
            };
            assert_eq!(terms.evaluate(substituted, &read), terms.evaluate(term, &changed), "seed {seed}");
        }
    }
}
