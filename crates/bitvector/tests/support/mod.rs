//! A twin of the term language that shares nothing with it: plain trees, and what they mean by plain arithmetic.

#![allow(dead_code, reason = "every test file uses its part")]

use bitvector::{Op, Sort, TermId, Terms};
pub use testing::{Random, seeds};

/// A value of so many bits; corners more often than chance would have them.
pub fn bits(random: &mut Random, width: u32) -> u128 {
    let all = ones(width);
    let any = u128::from(random.bits()) << 64 | u128::from(random.bits());
    match random.below(6) {
        0 => any & all & 7,
        1 => all - (any & all & 3),
        2 => (1 << (width - 1)) ^ (any & 1 & all),
        _ => any & all,
    }
}

pub fn ones(width: u32) -> u128 {
    if width == 128 { u128::MAX } else { (1 << width) - 1 }
}

/// A tree.
#[derive(Clone, Debug)]
pub enum Tree {
    Variable(usize, u32),
    Constant(u128, u32),
    Boolean(bool),
    Node(Operation, u32, Vec<Tree>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    Not,
    And,
    Or,
    Implies,
    Xor,
    Eq,
    Ne,
    Ite,
    BvNot,
    BvNeg,
    BvAnd,
    BvOr,
    BvXor,
    Add,
    Sub,
    Mul,
    Udiv,
    Urem,
    Sdiv,
    Srem,
    Shl,
    Lshr,
    Ashr,
    Ult,
    Ule,
    Slt,
    Sle,
    Concat,
    Extract(u32),
    Zext,
    Sext,
}

use Operation::*;

pub const ARITHMETIC: [Operation; 14] =
    [Add, Sub, Mul, Udiv, Urem, Sdiv, Srem, Shl, Lshr, Ashr, BvAnd, BvOr, BvXor, Add];
pub const CHEAP: [Operation; 9] = [Add, Sub, Shl, Lshr, Ashr, BvAnd, BvOr, BvXor, Add];
pub const COMPARISONS: [Operation; 6] = [Eq, Ne, Ult, Ule, Slt, Sle];

/// Width zero stands for Booleans.
pub fn width_of(tree: &Tree) -> u32 {
    match tree {
        Tree::Variable(_, width) | Tree::Constant(_, width) | Tree::Node(_, width, _) => *width,
        Tree::Boolean(_) => 0,
    }
}

fn number(bits: u128, width: u32) -> i128 {
    if width < 128 && bits >> (width - 1) == 1 { (bits as i128).wrapping_sub(1i128 << width) } else { bits as i128 }
}

/// The value of a tree; Booleans are zero and one.
pub fn value(tree: &Tree, variables: &[u128]) -> u128 {
    match tree {
        Tree::Variable(which, _) => variables[*which],
        Tree::Constant(bits, _) => *bits,
        Tree::Boolean(truth) => u128::from(*truth),
        Tree::Node(operation, width, arguments) => {
            let values: Vec<u128> = arguments.iter().map(|argument| value(argument, variables)).collect();
            operate(*operation, *width, width_of(&arguments[0]), width_of(&arguments[arguments.len() - 1]), &values)
        }
    }
}

/// What an operation gives: `width` bits, of arguments whose first has `from` and last `low` bits.
pub fn operate(operation: Operation, width: u32, from: u32, low: u32, values: &[u128]) -> u128 {
    let a = values[0];
    let b = values.get(1).copied().unwrap_or(0);
    let (signed_a, signed_b) = if from > 0 { (number(a, from), number(b, from)) } else { (0, 0) };
    let truth = |holds: bool| u128::from(holds);
    let all = if width > 0 { ones(width) } else { 1 };
    all & match operation {
        Not => 1 - a,
        And => a * b,
        Or => truth(a + b > 0),
        Implies => truth(a <= b),
        Xor => truth(a != b),
        Eq => truth(a == b),
        Ne => truth(a != b),
        Ite => values[if a == 1 { 1 } else { 2 }],
        BvNot => ones(width) - a,
        BvNeg => (ones(width) - a).wrapping_add(1),
        BvAnd => a & b,
        BvOr => a | b,
        BvXor => (a | b) - (a & b),
        Add => a.wrapping_add(b),
        Sub => a.wrapping_add(ones(width) - b).wrapping_add(1),
        Mul => a.wrapping_mul(b),
        Udiv => a.checked_div(b).unwrap_or(all),
        Urem => {
            if b == 0 {
                a
            } else {
                a % b
            }
        }
        Sdiv => match (signed_a >= 0, b == 0) {
            (true, true) => all,
            (false, true) => 1,
            _ => signed_a.wrapping_div(signed_b) as u128,
        },
        Srem => {
            if b == 0 {
                a
            } else {
                signed_a.wrapping_rem(signed_b) as u128
            }
        }
        Shl => (0..b.min(u128::from(width))).fold(a, |bits, _| bits << 1 & all),
        Lshr => (0..b.min(u128::from(width))).fold(a, |bits, _| bits >> 1),
        Ashr => (0..b.min(u128::from(width))).fold(signed_a, |bits, _| bits >> 1) as u128,
        Ult => truth(a < b),
        Ule => truth(a <= b),
        Slt => truth(signed_a < signed_b),
        Sle => truth(signed_a <= signed_b),
        Concat => a << low | b,
        Extract(place) => a >> place,
        Zext => a,
        Sext => signed_a as u128,
    }
}

/// The variables of the trees, `v0` to …, of these widths.
pub fn declare(terms: &mut Terms, widths: &[u32]) -> Vec<TermId> {
    let sort = |width| if width == 0 { Sort::Bool } else { Sort::Bv(width) };
    widths.iter().enumerate().map(|(which, &width)| terms.var(&format!("v{which}"), sort(width))).collect()
}

/// The tree as a term.
pub fn build(terms: &mut Terms, tree: &Tree, variables: &[TermId]) -> TermId {
    match tree {
        Tree::Variable(which, _) => variables[*which],
        Tree::Constant(bits, width) => terms.constant(*width, *bits),
        Tree::Boolean(truth) => terms.bool(*truth),
        Tree::Node(operation, width, arguments) => {
            let arguments: Vec<TermId> = arguments.iter().map(|argument| build(terms, argument, variables)).collect();
            apply(terms, *operation, *width, &arguments)
        }
    }
}

pub fn apply(terms: &mut Terms, operation: Operation, width: u32, arguments: &[TermId]) -> TermId {
    let a = arguments[0];
    let b = arguments.get(1).copied().unwrap_or(a);
    match operation {
        Not => terms.not(a),
        And => terms.and(a, b),
        Or => terms.or(a, b),
        Implies => terms.implies(a, b),
        Xor => terms.xor(a, b),
        Eq => terms.eq(a, b),
        Ne => terms.ne(a, b),
        Ite => terms.ite(a, b, arguments[2]),
        BvNot => terms.bv_not(a),
        BvNeg => terms.bv_neg(a),
        BvAnd => terms.bv_and(a, b),
        BvOr => terms.bv_or(a, b),
        BvXor => terms.bv_xor(a, b),
        Add => terms.add(a, b),
        Sub => terms.sub(a, b),
        Mul => terms.mul(a, b),
        Udiv => terms.udiv(a, b),
        Urem => terms.urem(a, b),
        Sdiv => terms.sdiv(a, b),
        Srem => terms.srem(a, b),
        Shl => terms.shl(a, b),
        Lshr => terms.lshr(a, b),
        Ashr => terms.ashr(a, b),
        Ult => terms.ult(a, b),
        Ule => terms.ule(a, b),
        Slt => terms.slt(a, b),
        Sle => terms.sle(a, b),
        Concat => terms.concat(a, b),
        Extract(low) => terms.extract(a, low + width - 1, low),
        Zext => terms.zext(a, width),
        Sext => terms.sext(a, width),
    }
}

/// What random trees are made of.
pub struct Garden<'a> {
    /// The widths of the variables; zero for Booleans.
    pub widths: &'a [u32],
    /// Binary operations on bit vectors.
    pub operations: &'a [Operation],
    /// The largest width that appears.
    pub widest: u32,
}

impl Garden<'_> {
    /// A random tree of a width; zero for Booleans.
    pub fn tree(&self, random: &mut Random, width: u32, depth: u32) -> Tree {
        if width == 0 { self.boolean(random, depth) } else { self.word(random, width, depth) }
    }

    fn variable(&self, random: &mut Random, width: u32) -> Option<Tree> {
        let fitting: Vec<usize> = (0..self.widths.len()).filter(|&which| self.widths[which] == width).collect();
        if fitting.is_empty() {
            return None;
        }
        Some(Tree::Variable(fitting[random.below(fitting.len() as u64) as usize], width))
    }

    fn boolean(&self, random: &mut Random, depth: u32) -> Tree {
        if depth == 0 {
            return self.variable(random, 0).unwrap_or(Tree::Boolean(random.one_in(2)));
        }
        let kind = random.below(10);
        let mut part = |width| self.tree(random, width, depth - 1);
        match kind {
            0 => Tree::Node(Not, 0, vec![part(0)]),
            1 => Tree::Node(And, 0, vec![part(0), part(0)]),
            2 => Tree::Node(Or, 0, vec![part(0), part(0)]),
            3 => Tree::Node([Implies, Xor, Eq][depth as usize % 3], 0, vec![part(0), part(0)]),
            4 => Tree::Node(Ite, 0, vec![part(0), part(0), part(0)]),
            _ => {
                let width = self.some_width(random);
                let comparison = COMPARISONS[random.below(6) as usize];
                let left = self.tree(random, width, depth - 1);
                let right = if random.one_in(2) {
                    Tree::Constant(bits(random, width), width)
                } else {
                    self.tree(random, width, depth - 1)
                };
                let (left, right) = if random.one_in(3) { (right, left) } else { (left, right) };
                Tree::Node(comparison, 0, vec![left, right])
            }
        }
    }

    fn some_width(&self, random: &mut Random) -> u32 {
        let words: Vec<u32> = self.widths.iter().copied().filter(|&width| width > 0).collect();
        match words.as_slice() {
            [] => 1 + random.below(u64::from(self.widest)) as u32,
            words => words[random.below(words.len() as u64) as usize],
        }
    }

    fn word(&self, random: &mut Random, width: u32, depth: u32) -> Tree {
        if depth == 0 || random.one_in(8) {
            let constant = Tree::Constant(bits(random, width), width);
            return if random.one_in(4) { constant } else { self.variable(random, width).unwrap_or(constant) };
        }
        match random.below(12) {
            0 => Tree::Node(BvNot, width, vec![self.word(random, width, depth - 1)]),
            1 => Tree::Node(BvNeg, width, vec![self.word(random, width, depth - 1)]),
            2 => {
                let condition = self.boolean(random, depth - 1);
                let branches = (self.word(random, width, depth - 1), self.word(random, width, depth - 1));
                Tree::Node(Ite, width, vec![condition, branches.0, branches.1])
            }
            3 if width > 1 => {
                let low = 1 + random.below(u64::from(width) - 1) as u32;
                let parts = vec![self.word(random, width - low, depth - 1), self.word(random, low, depth - 1)];
                Tree::Node(Concat, width, parts)
            }
            4 if width > 1 => {
                let inner = 1 + random.below(u64::from(width)) as u32;
                let widening = if random.one_in(2) { Zext } else { Sext };
                Tree::Node(widening, width, vec![self.word(random, inner, depth - 1)])
            }
            5 if width < self.widest => {
                let outer = width + random.below(u64::from(self.widest - width) + 1) as u32;
                let low = random.below(u64::from(outer - width) + 1) as u32;
                Tree::Node(Extract(low), width, vec![self.word(random, outer, depth - 1)])
            }
            _ => {
                let operation = self.operations[random.below(self.operations.len() as u64) as usize];
                let left = self.word(random, width, depth - 1);
                let right = if random.one_in(3) {
                    Tree::Constant(bits(random, width), width)
                } else {
                    self.word(random, width, depth - 1)
                };
                Tree::Node(operation, width, vec![left, right])
            }
        }
    }
}

/// All values of the variables, for small widths.
pub fn all_values(widths: &[u32]) -> Vec<Vec<u128>> {
    let mut all = vec![Vec::new()];
    for &width in widths {
        let values = 0..=if width == 0 { 1 } else { ones(width) };
        all = all.iter().flat_map(|row| values.clone().map(move |bits| [row.as_slice(), &[bits]].concat())).collect();
    }
    all
}

/// Uses the type, so that every test file may import it.
pub fn is_constant(terms: &Terms, term: TermId) -> bool {
    matches!(terms.node(term).op(), Op::Const(_))
}
