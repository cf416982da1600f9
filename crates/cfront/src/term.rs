//! Expressions without side effects over machine integers: bit vectors with a sign.
//!
//! A [`Term`] lives in a pool, [`Terms`], in which equal terms are one term and children come before parents. Every
//! term has a [`Scalar`], its width in bits and its sign. The sign says how the *operators* read the bits: division,
//! remainder, shift to the right, comparison and widening look at the sign of their first operand; everything else is the
//! same for both. A comparison is one bit wide, so that conditions stay what they are, and `x < y` as a number of C is
//! the conversion of that bit to `int`.
//!
//! Operations are total: division by zero gives what SMT-LIB says. The control-flow graph asks before it divides, so the
//! case is never reached; that it has a value keeps the translation to a solver literal.
//!
//! Terms are simplified as they are made, by the same function that evaluates them, see [`apply`].

use crate::program::{ObjectId, VariableId};
use std::collections::{HashMap, HashSet};

/// A machine integer: how many bits, and whether the highest one is a sign.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Scalar {
    /// Bits, from 1 to 64; up to 128 inside of terms that ask about overflow.
    pub width: u8,
    /// Whether it is read as two's complement.
    pub signed: bool,
}

impl Scalar {
    /// A truth value.
    pub const BOOL: Scalar = Scalar { width: 1, signed: false };

    /// An unsigned integer.
    pub const fn unsigned(width: u8) -> Self {
        Scalar { width, signed: false }
    }

    /// A signed integer.
    pub const fn signed(width: u8) -> Self {
        Scalar { width, signed: true }
    }

    /// The bits of a value that are kept.
    pub const fn truncate(self, bits: u128) -> u128 {
        if self.width >= 128 { bits } else { bits & ((1 << self.width) - 1) }
    }

    /// The value of the bits as a number, if it fits.
    pub const fn value(self, bits: u128) -> i128 {
        let bits = self.truncate(bits);
        if self.signed && self.width < 128 && bits >> (self.width - 1) & 1 == 1 {
            bits as i128 - (1_i128 << self.width)
        } else {
            bits as i128
        }
    }

    /// The smallest value, as bits.
    pub const fn lowest(self) -> u128 {
        if self.signed { 1 << (self.width - 1) } else { 0 }
    }

    /// Whether the number is one of its values.
    pub const fn holds(self, value: i128) -> bool {
        self.value(value as u128) == value
    }
}

/// A term of a pool.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct TermId(pub u32);

/// An operation on two operands of the same width. The sign of the first operand decides how it reads them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Operation {
    /// Sum, wrapping.
    Add,
    /// Difference, wrapping.
    Subtract,
    /// Product, wrapping.
    Multiply,
    /// Quotient, towards zero.
    Divide,
    /// Remainder, with the sign of the dividend.
    Remainder,
    /// Bitwise and; of bits, both.
    And,
    /// Bitwise or; of bits, one or both.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// Shift to the left.
    ShiftLeft,
    /// Shift to the right; copies the sign if there is one.
    ShiftRight,
    /// Whether the bits are equal. One bit.
    Equal,
    /// Whether the first is less. One bit.
    Less,
    /// Whether the first is less or equal. One bit.
    LessEqual,
}

impl Operation {
    /// Whether the result is a truth value.
    pub fn compares(self) -> bool {
        matches!(self, Operation::Equal | Operation::Less | Operation::LessEqual)
    }

    fn commutes(self) -> bool {
        use Operation::*;
        matches!(self, Add | Multiply | And | Or | Xor | Equal)
    }
}

/// An expression.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Term {
    /// A number, as its bits.
    Constant(u128),
    /// The value of a variable.
    Variable(VariableId),
    /// The complement of all bits; of one bit, negation.
    Not(TermId),
    /// The negative number, wrapping.
    Negate(TermId),
    /// An operation on two terms of the same width.
    Binary(Operation, TermId, TermId),
    /// Truncated, or widened by the sign of the operand, to the scalar of this term.
    Convert(TermId),
    /// The second if the first (one bit) holds, else the third.
    Select(TermId, TermId, TermId),
    /// What is said about memory before it is known what pointers point to; never in a finished component.
    Memory(Memory),
}

/// Memory, before pointers are resolved. See `resolve`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Memory {
    /// The address of a byte of an object.
    Address(ObjectId, u64),
    /// What is stored at an address.
    Load(TermId),
    /// An address, and an index times a number of bytes; the index is less than the last number, if that is not 0.
    Offset(TermId, TermId, u64, u64),
    /// Whether something of that scalar is stored at an address, and may be written if that is asked.
    Valid(TermId, Scalar, bool),
    /// Whether so many bytes at an address belong to an object, and to no variable of it.
    Unseen(TermId, u64),
    /// Whether an address is that of an object, a function.
    Is(TermId, ObjectId),
    /// An address as a number: only if it is that of nothing.
    Number(TermId),
    /// Whether two addresses belong to one object, or are one past its end.
    Together(TermId, TermId),
}

/// A pool of terms: equal ones are one, and children have smaller numbers than their parents.
#[derive(Clone, Debug, Default)]
pub struct Terms {
    terms: Vec<(Term, Scalar)>,
    depths: Vec<u32>,
    known: HashMap<(Term, Scalar), TermId>,
}

impl Terms {
    /// A pool without terms.
    pub fn new() -> Self {
        Self::default()
    }

    /// The term of a number that this pool handed out.
    pub fn get(&self, id: TermId) -> Term {
        self.terms[id.0 as usize].0
    }

    /// Its width and sign.
    pub fn scalar(&self, id: TermId) -> Scalar {
        self.terms[id.0 as usize].1
    }

    /// How deep it is: 1 for a leaf.
    pub fn depth(&self, id: TermId) -> u32 {
        self.depths[id.0 as usize]
    }

    /// How many terms there are.
    pub fn len(&self) -> usize {
        self.terms.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// The bits, if it is a number.
    pub fn constant_bits(&self, id: TermId) -> Option<u128> {
        match self.get(id) {
            Term::Constant(bits) => Some(bits),
            _ => None,
        }
    }

    /// The terms directly below.
    pub fn children(&self, id: TermId) -> Vec<TermId> {
        match self.get(id) {
            Term::Constant(_) | Term::Variable(_) | Term::Memory(Memory::Address(..)) => Vec::new(),
            Term::Not(a) | Term::Negate(a) | Term::Convert(a) => vec![a],
            Term::Memory(
                Memory::Load(a) | Memory::Valid(a, ..) | Memory::Unseen(a, _) | Memory::Is(a, _) | Memory::Number(a),
            ) => vec![a],
            Term::Binary(_, a, b) | Term::Memory(Memory::Offset(a, b, _, _) | Memory::Together(a, b)) => vec![a, b],
            Term::Select(a, b, c) => vec![a, b, c],
        }
    }

    /// The variables that a term reads, in order of their first appearance.
    pub fn variables(&self, id: TermId) -> Vec<VariableId> {
        self.new_variables(id, &mut HashSet::new())
    }

    /// The same without what was seen before: for the variables of many terms that share their parts.
    pub fn new_variables(&self, id: TermId, seen: &mut HashSet<TermId>) -> Vec<VariableId> {
        let (mut found, mut todo) = (Vec::new(), vec![id]);
        while let Some(next) = todo.pop() {
            if !seen.insert(next) {
                continue;
            }
            match self.get(next) {
                Term::Variable(variable) => found.push(variable),
                _ => todo.extend(self.children(next).into_iter().rev()),
            }
        }
        found
    }

    /// Puts a term into the pool as it is.
    pub(crate) fn intern(&mut self, term: Term, scalar: Scalar) -> TermId {
        if let Some(&id) = self.known.get(&(term, scalar)) {
            return id;
        }
        let id = TermId(self.terms.len() as u32);
        self.terms.push((term, scalar));
        let depth = self.children(id).iter().map(|&child| self.depth(child)).max().unwrap_or(0) + 1;
        self.depths.push(depth);
        self.known.insert((term, scalar), id);
        id
    }

    /// The value of a term, given those of the variables.
    pub fn evaluate(&self, id: TermId, read: &dyn Fn(VariableId) -> u64) -> u128 {
        self.evaluate_below(id, read, &mut HashMap::new())
    }

    /// Only the chosen side of a selection is looked at; what is shared is computed once.
    fn evaluate_below(&self, id: TermId, read: &dyn Fn(VariableId) -> u64, known: &mut HashMap<TermId, u128>) -> u128 {
        let scalar = self.scalar(id);
        match self.get(id) {
            Term::Constant(bits) => return bits,
            Term::Variable(variable) => return scalar.truncate(u128::from(read(variable))),
            _ => {}
        }
        if let Some(&bits) = known.get(&id) {
            return bits;
        }
        let bits = match self.get(id) {
            Term::Not(a) => scalar.truncate(!self.evaluate_below(a, read, known)),
            Term::Negate(a) => scalar.truncate(self.evaluate_below(a, read, known).wrapping_neg()),
            Term::Convert(a) => convert(self.scalar(a), scalar, self.evaluate_below(a, read, known)),
            Term::Binary(operation, a, b) => {
                let left = self.evaluate_below(a, read, known);
                apply(operation, self.scalar(a), left, self.evaluate_below(b, read, known))
            }
            Term::Select(condition, a, b) => {
                let chosen = if self.evaluate_below(condition, read, known) == 1 { a } else { b };
                self.evaluate_below(chosen, read, known)
            }
            Term::Constant(_) | Term::Variable(_) | Term::Memory(_) => 0,
        };
        known.insert(id, bits);
        bits
    }
}

/// The bits of a value of one scalar as another.
pub fn convert(from: Scalar, to: Scalar, bits: u128) -> u128 {
    to.truncate(from.value(bits) as u128)
}

/// What an operation does to bits, read with the scalar of its operands.
pub fn apply(operation: Operation, scalar: Scalar, a: u128, b: u128) -> u128 {
    let (x, y) = (scalar.value(a), scalar.value(b));
    let bits = match operation {
        Operation::Add => a.wrapping_add(b),
        Operation::Subtract => a.wrapping_sub(b),
        Operation::Multiply => a.wrapping_mul(b),
        Operation::Divide if y == 0 => return if x < 0 { 1 } else { scalar.truncate(u128::MAX) },
        Operation::Remainder if y == 0 => return a,
        Operation::Divide => x.wrapping_div(y) as u128,
        Operation::Remainder => x.wrapping_rem(y) as u128,
        Operation::And => a & b,
        Operation::Or => a | b,
        Operation::Xor => a ^ b,
        Operation::ShiftLeft if b >= u128::from(scalar.width) => 0,
        Operation::ShiftLeft => a << b,
        Operation::ShiftRight if b >= u128::from(scalar.width) => u128::from(x < 0).wrapping_neg(),
        Operation::ShiftRight => (x >> b) as u128,
        Operation::Equal => return u128::from(a == b),
        Operation::Less => return u128::from(x < y),
        Operation::LessEqual => return u128::from(x <= y),
    };
    scalar.truncate(bits)
}

/// The operation whose result has operands on either side exchanged, for putting constants to the right.
pub(crate) fn commutes(operation: Operation) -> bool {
    operation.commutes()
}
