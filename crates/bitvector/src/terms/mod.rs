//! Terms: Boolean and bit-vector expressions, each kept once.
//!
//! [`Terms`] is an arena with hash-consing: two terms of the same shape are the same [`TermId`], and the arguments of a
//! term have smaller numbers than the term itself, so a walk by rising number meets arguments first. The builders
//! simplify (`boolean.rs`, `bits.rs`): a caller that builds weakest preconditions path by path gets small terms and
//! equal numbers for equal meanings where that is cheap.
//!
//! Few operations are kept. `a <= b` is `!(b < a)`, implication is a disjunction, subtraction of a constant an
//! addition. The printers turn them back.
//!
//! A builder panics on arguments of the wrong sort: that is a mistake of the calling code, and a term without a meaning
//! must not exist.

mod bits;
mod boolean;
mod compare;
mod walk;

use crate::semantics::{apply, mask};
use rustc_hash::FxHashMap;
use std::sync::atomic::{AtomicU64, Ordering};

/// The widest bit vector.
pub const MAX_WIDTH: u32 = 128;

/// What kind of values a term has.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Sort {
    /// True or false.
    Bool,
    /// A bit vector of that many bits, 1 to [`MAX_WIDTH`].
    Bv(u32),
}

impl Sort {
    /// The number of bits; one for a Boolean.
    pub fn width(self) -> u32 {
        match self {
            Sort::Bool => 1,
            Sort::Bv(width) => width,
        }
    }
}

/// A term of one [`Terms`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct TermId(pub(crate) u32);

impl TermId {
    /// Its place in the arena.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The operation at the root of a term.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Op {
    /// A constant; a Boolean one is zero or one.
    Const(u128),
    /// A variable, by its number among the names.
    Var(u32),
    /// Boolean negation.
    Not,
    /// Conjunction.
    And,
    /// Disjunction.
    Or,
    /// Equality of two Booleans or of two bit vectors.
    Eq,
    /// If the first, then the second, else the third.
    Ite,
    /// Every bit flipped.
    BvNot,
    /// Two's complement negation.
    BvNeg,
    /// Bitwise and.
    BvAnd,
    /// Bitwise or.
    BvOr,
    /// Bitwise exclusive or.
    BvXor,
    /// Sum, wrapping.
    Add,
    /// Difference, wrapping.
    Sub,
    /// Product, wrapping.
    Mul,
    /// Unsigned quotient; by zero all ones.
    Udiv,
    /// Unsigned remainder; by zero the dividend.
    Urem,
    /// Signed quotient, towards zero.
    Sdiv,
    /// Signed remainder, with the sign of the dividend.
    Srem,
    /// Shift left.
    Shl,
    /// Shift right, zeros come in.
    Lshr,
    /// Shift right, the sign comes in.
    Ashr,
    /// Unsigned less than.
    Ult,
    /// Signed less than.
    Slt,
    /// The first argument above the second.
    Concat,
    /// The bits from this one up, as many as the sort says.
    Extract(u32),
    /// Zeros above.
    Zext,
    /// Copies of the sign above.
    Sext,
}

impl Op {
    /// The number of arguments.
    pub fn arity(self) -> usize {
        match self {
            Op::Const(_) | Op::Var(_) => 0,
            Op::Not | Op::BvNot | Op::BvNeg | Op::Extract(_) | Op::Zext | Op::Sext => 1,
            Op::Ite => 3,
            _ => 2,
        }
    }
}

/// A term, as it is kept.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Node {
    op: Op,
    sort: Sort,
    arguments: [TermId; 3],
}

impl Node {
    /// The operation.
    pub fn op(&self) -> Op {
        self.op
    }

    /// The sort.
    pub fn sort(&self) -> Sort {
        self.sort
    }

    /// The arguments.
    pub fn arguments(&self) -> &[TermId] {
        &self.arguments[..self.op.arity()]
    }
}

/// Arenas are numbered, so that a solver can tell that it was handed another one.
static NEXT_ARENA: AtomicU64 = AtomicU64::new(1);

/// All terms of one task.
#[derive(Debug)]
pub struct Terms {
    arena: u64,
    nodes: Vec<Node>,
    numbers: FxHashMap<Node, TermId>,
    names: Vec<String>,
    variables: FxHashMap<(String, Sort), TermId>,
}

impl Default for Terms {
    fn default() -> Self {
        Self::new()
    }
}

impl Terms {
    /// No terms yet, but false and true.
    pub fn new() -> Terms {
        let mut terms = Terms {
            arena: NEXT_ARENA.fetch_add(1, Ordering::Relaxed),
            nodes: Vec::new(),
            numbers: FxHashMap::default(),
            names: Vec::new(),
            variables: FxHashMap::default(),
        };
        terms.intern(Op::Const(0), Sort::Bool, &[]);
        terms.intern(Op::Const(1), Sort::Bool, &[]);
        terms
    }

    /// The number of this arena in the process.
    pub(crate) fn arena(&self) -> u64 {
        self.arena
    }

    /// How many terms there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Never: false and true are always there.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The node of a term.
    pub fn node(&self, term: TermId) -> Node {
        self.nodes[term.index()]
    }

    /// The sort of a term.
    pub fn sort(&self, term: TermId) -> Sort {
        self.nodes[term.index()].sort
    }

    /// The width of a term; one for a Boolean.
    pub fn width(&self, term: TermId) -> u32 {
        self.sort(term).width()
    }

    /// The variable of that name and sort. Variables of different sorts are different, even of one name.
    pub fn var(&mut self, name: &str, sort: Sort) -> TermId {
        check_sort(sort);
        if let Some(&term) = self.variables.get(&(name.to_owned(), sort)) {
            return term;
        }
        let symbol = self.names.len() as u32;
        self.names.push(name.to_owned());
        let term = self.intern(Op::Var(symbol), sort, &[]);
        self.variables.insert((name.to_owned(), sort), term);
        term
    }

    /// The name of a variable; nothing for other terms.
    pub fn name(&self, term: TermId) -> Option<&str> {
        match self.node(term).op {
            Op::Var(symbol) => self.names.get(symbol as usize).map(String::as_str),
            _ => None,
        }
    }

    /// The constant of that width, bits above it cut off.
    pub fn constant(&mut self, width: u32, bits: u128) -> TermId {
        check_sort(Sort::Bv(width));
        self.intern(Op::Const(bits & mask(width)), Sort::Bv(width), &[])
    }

    /// The constant of that width for a number with a sign.
    pub fn signed(&mut self, width: u32, number: i128) -> TermId {
        self.constant(width, number as u128)
    }

    /// The constant of a sort.
    pub fn constant_of(&mut self, sort: Sort, bits: u128) -> TermId {
        match sort {
            Sort::Bool => self.bool(bits & 1 == 1),
            Sort::Bv(width) => self.constant(width, bits),
        }
    }

    /// The bits of a constant term.
    pub fn as_const(&self, term: TermId) -> Option<u128> {
        match self.node(term).op {
            Op::Const(bits) => Some(bits),
            _ => None,
        }
    }

    /// Builds any operation of its arguments, with all simplifications. `sort` matters for constants, `Extract`, `Zext`
    /// and `Sext`, whose result the arguments do not decide.
    pub fn make(&mut self, op: Op, sort: Sort, arguments: &[TermId]) -> TermId {
        assert_eq!(arguments.len(), op.arity(), "{op:?} takes {} arguments", op.arity());
        match (op, arguments) {
            (Op::Const(bits), []) => self.constant_of(sort, bits),
            (Op::Not, &[a]) => self.not(a),
            (Op::And, &[a, b]) => self.and(a, b),
            (Op::Or, &[a, b]) => self.or(a, b),
            (Op::Eq, &[a, b]) => self.eq(a, b),
            (Op::Ite, &[c, a, b]) => self.ite(c, a, b),
            (Op::BvNot, &[a]) => self.bv_not(a),
            (Op::BvNeg, &[a]) => self.bv_neg(a),
            (Op::BvAnd, &[a, b]) => self.bv_and(a, b),
            (Op::BvOr, &[a, b]) => self.bv_or(a, b),
            (Op::BvXor, &[a, b]) => self.bv_xor(a, b),
            (Op::Add, &[a, b]) => self.add(a, b),
            (Op::Sub, &[a, b]) => self.sub(a, b),
            (Op::Mul, &[a, b]) => self.mul(a, b),
            (Op::Udiv, &[a, b]) => self.udiv(a, b),
            (Op::Urem, &[a, b]) => self.urem(a, b),
            (Op::Sdiv, &[a, b]) => self.sdiv(a, b),
            (Op::Srem, &[a, b]) => self.srem(a, b),
            (Op::Shl, &[a, b]) => self.shl(a, b),
            (Op::Lshr, &[a, b]) => self.lshr(a, b),
            (Op::Ashr, &[a, b]) => self.ashr(a, b),
            (Op::Ult, &[a, b]) => self.ult(a, b),
            (Op::Slt, &[a, b]) => self.slt(a, b),
            (Op::Concat, &[a, b]) => self.concat(a, b),
            (Op::Extract(low), &[a]) => self.extract(a, low + sort.width() - 1, low),
            (Op::Zext, &[a]) => self.zext(a, sort.width()),
            (Op::Sext, &[a]) => self.sext(a, sort.width()),
            _ => self.intern(op, sort, arguments),
        }
    }

    /// The number of a node, without simplification other than constant folding.
    fn intern(&mut self, op: Op, sort: Sort, arguments: &[TermId]) -> TermId {
        if let Some(bits) = self.fold(op, sort, arguments) {
            return self.constant_of(sort, bits);
        }
        let mut padded = [TermId(0); 3];
        padded[..arguments.len()].copy_from_slice(arguments);
        let node = Node { op, sort, arguments: padded };
        if let Some(&term) = self.numbers.get(&node) {
            return term;
        }
        let number = u32::try_from(self.nodes.len()).expect("fewer than 2^32 terms");
        self.nodes.push(node);
        self.numbers.insert(node, TermId(number));
        TermId(number)
    }

    /// The value of an operation whose arguments are all constants.
    fn fold(&self, op: Op, sort: Sort, arguments: &[TermId]) -> Option<u128> {
        let first = *arguments.first()?;
        let mut values = [0; 3];
        for (place, &argument) in values.iter_mut().zip(arguments) {
            *place = self.as_const(argument)?;
        }
        Some(apply(op, self.sort(first), sort, values))
    }
}

fn check_sort(sort: Sort) {
    assert!((1..=MAX_WIDTH).contains(&sort.width()), "a bit vector has 1 to {MAX_WIDTH} bits, not {}", sort.width());
}
