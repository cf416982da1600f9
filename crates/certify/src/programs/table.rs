//! The table of a proof: whether it is one of expressions, and their values under given values of the variables.
//!
//! The table can come from anywhere. Every argument must stand before what uses it, and every arity and width is checked
//! before anything is computed.

use crate::clauses::circuit::Circuit;
use crate::clauses::words::{WIDEST, Word};
use cfront::term::{Operation, Scalar};
use model::program_proof::ProofNode;

/// A width, or [`TRUTH`].
pub(crate) type Sort = u32;
/// The sort of conditions.
pub(crate) const TRUTH: Sort = 0;

/// A variable of one bit is a truth value.
pub(crate) fn sort(scalar: Scalar) -> Sort {
    if scalar.width == 1 { TRUTH } else { u32::from(scalar.width) }
}

/// Expressions that were checked, arguments first.
pub(crate) struct Table {
    entries: Vec<Entry>,
    sorts: Vec<Sort>,
}

enum Entry {
    Variable(u32),
    Number(Word),
    Apply(Op, Vec<u32>),
}

/// What is done to the values of the arguments; a truth value is a word of one bit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Op {
    Complement,
    Negate,
    Select,
    Concat,
    Extract(u32),
    Extend { signed: bool },
    Binary(Operation, bool),
}

/// How a condition is made of others.
pub(crate) enum Parts<'t> {
    /// It holds if all of these do.
    All(&'t [u32]),
    /// It holds if one of these does.
    Any(&'t [u32]),
    /// Neither.
    Other,
}

impl Table {
    /// Checks a table over variables of these sorts. The first entry that is not an expression.
    pub(crate) fn new(nodes: &[ProofNode], variables: &[Sort]) -> Result<Table, usize> {
        let mut table = Table { entries: Vec::new(), sorts: Vec::new() };
        for (number, node) in nodes.iter().enumerate() {
            let (entry, sort) = table.entry(node, variables).ok_or(number)?;
            table.entries.push(entry);
            table.sorts.push(sort);
        }
        Ok(table)
    }

    /// Whether there is such an entry, and it is a condition.
    pub(crate) fn is_condition(&self, number: u32) -> bool {
        self.sorts.get(number as usize) == Some(&TRUTH)
    }

    /// The sort of an entry, if there is such an entry.
    pub(crate) fn sort(&self, number: u32) -> Option<Sort> {
        self.sorts.get(number as usize).copied()
    }

    fn entry(&self, node: &ProofNode, variables: &[Sort]) -> Option<(Entry, Sort)> {
        match node {
            ProofNode::Variable { variable } => Some((Entry::Variable(*variable), *variables.get(*variable as usize)?)),
            ProofNode::Constant { constant, width } => {
                let bits = u128::from_str_radix(constant, 16).ok()?;
                let number = Word::number((*width).max(1), bits);
                // More bits than fit would be another number.
                let fits = *width <= WIDEST && number == Word::Number { width: (*width).max(1), bits };
                fits.then_some((Entry::Number(number), *width))
            }
            ProofNode::Apply { op, low, width, arguments } => {
                let sorts = arguments.iter().map(|&argument| self.sorts.get(argument as usize).copied());
                let sorts: Vec<Sort> = sorts.collect::<Option<_>>()?;
                let op = operation(op, *low, *width, &sorts)?;
                Some((Entry::Apply(op, arguments.clone()), *width))
            }
        }
    }

    /// These entries and all that they use, arguments first.
    pub(crate) fn below(&self, roots: &[u32]) -> Vec<u32> {
        let mut found = vec![false; self.entries.len()];
        let mut waiting = roots.to_vec();
        while let Some(next) = waiting.pop() {
            if !std::mem::replace(&mut found[next as usize], true)
                && let Entry::Apply(_, arguments) = &self.entries[next as usize]
            {
                waiting.extend(arguments);
            }
        }
        (0..self.entries.len() as u32).filter(|&number| found[number as usize]).collect()
    }

    /// The values of entries and of all that they use, `below`, under these values of the variables: a function that looks
    /// them up.
    pub(crate) fn evaluate(&self, circuit: &mut Circuit<'_>, below: &[u32], values: &[Word]) -> Values {
        let mut known = Values { of: vec![None; self.entries.len()] };
        for &number in below {
            let value = match &self.entries[number as usize] {
                Entry::Variable(variable) => values[*variable as usize].clone(),
                Entry::Number(number) => number.clone(),
                Entry::Apply(op, arguments) => {
                    apply(circuit, *op, self.sorts[number as usize].max(1), &|place| known.get(arguments[place]))
                }
            };
            known.of[number as usize] = Some(value);
        }
        known
    }

    /// How an entry is made of others.
    pub(crate) fn parts(&self, number: u32) -> Parts<'_> {
        match &self.entries[number as usize] {
            Entry::Apply(Op::Binary(Operation::And, _), parts) if self.is_condition(number) => Parts::All(parts),
            Entry::Apply(Op::Binary(Operation::Or, _), parts) if self.is_condition(number) => Parts::Any(parts),
            _ => Parts::Other,
        }
    }

    /// The variable and the number of a condition that says that they are equal.
    pub(crate) fn equation(&self, condition: u32) -> Option<(u32, Word)> {
        let entry = |number: u32| &self.entries[number as usize];
        match entry(condition) {
            Entry::Variable(variable) => Some((*variable, Word::number(1, 1))),
            Entry::Apply(Op::Complement, argument) => match entry(argument[0]) {
                Entry::Variable(variable) => Some((*variable, Word::number(1, 0))),
                _ => None,
            },
            Entry::Apply(Op::Binary(Operation::Equal, _), arguments) => {
                match (entry(arguments[0]), entry(arguments[1])) {
                    (Entry::Variable(variable), Entry::Number(number))
                    | (Entry::Number(number), Entry::Variable(variable)) => Some((*variable, number.clone())),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

/// The values of some entries.
pub(crate) struct Values {
    of: Vec<Option<Word>>,
}

impl Values {
    /// The value of an entry that was evaluated.
    pub(crate) fn get(&self, number: u32) -> &Word {
        self.of[number as usize].as_ref().expect("arguments are evaluated before what uses them")
    }
}

fn apply<'v>(circuit: &mut Circuit<'_>, op: Op, width: u32, argument: &dyn Fn(usize) -> &'v Word) -> Word {
    match op {
        Op::Complement => circuit.complement(argument(0)),
        Op::Negate => circuit.negative(argument(0)),
        Op::Select => circuit.select(argument(0).lowest(), argument(1), argument(2)),
        Op::Concat => argument(0).above(argument(1)),
        Op::Extract(low) => argument(0).extract(low, width),
        Op::Extend { signed } => argument(0).resized(width, signed),
        Op::Binary(operation, signed) => circuit.apply(operation, signed, argument(0), argument(1)),
    }
}

/// An operation by its name in SMT-LIB, if it takes arguments of these sorts and gives this one.
fn operation(name: &str, low: Option<u32>, sort: Sort, arguments: &[Sort]) -> Option<Op> {
    let is_word = |sort: Sort| (1..=WIDEST).contains(&sort);
    if name == "extract" {
        let (low, &[a]) = (low?, arguments) else { return None };
        let end = low.checked_add(sort)?;
        return (is_word(sort) && is_word(a) && end <= a).then_some(Op::Extract(low));
    }
    use Operation::*;
    let (op, fits) = match (name, arguments) {
        ("not", &[a]) => (Op::Complement, a == TRUTH && sort == TRUTH),
        ("and", &[a, b]) => (Op::Binary(And, false), a == TRUTH && b == TRUTH && sort == TRUTH),
        ("or", &[a, b]) => (Op::Binary(Or, false), a == TRUTH && b == TRUTH && sort == TRUTH),
        ("=", &[a, b]) => (Op::Binary(Equal, false), a == b && sort == TRUTH),
        ("ite", &[which, a, b]) => (Op::Select, which == TRUTH && a == b && a == sort),
        ("bvult", &[a, b]) => (Op::Binary(Less, false), is_word(a) && a == b && sort == TRUTH),
        ("bvslt", &[a, b]) => (Op::Binary(Less, true), is_word(a) && a == b && sort == TRUTH),
        ("concat", &[a, b]) => (Op::Concat, is_word(a) && is_word(b) && is_word(sort) && a + b == sort),
        ("zero_extend", &[a]) => (Op::Extend { signed: false }, is_word(a) && is_word(sort) && a <= sort),
        ("sign_extend", &[a]) => (Op::Extend { signed: true }, is_word(a) && is_word(sort) && a <= sort),
        ("bvnot", &[a]) => (Op::Complement, is_word(a) && a == sort),
        ("bvneg", &[a]) => (Op::Negate, is_word(a) && a == sort),
        (_, &[a, b]) => {
            let (operation, signed) = match name {
                "bvand" => (And, false),
                "bvor" => (Or, false),
                "bvxor" => (Xor, false),
                "bvadd" => (Add, false),
                "bvsub" => (Subtract, false),
                "bvmul" => (Multiply, false),
                "bvudiv" => (Divide, false),
                "bvurem" => (Remainder, false),
                "bvsdiv" => (Divide, true),
                "bvsrem" => (Remainder, true),
                "bvshl" => (ShiftLeft, false),
                "bvlshr" => (ShiftRight, false),
                "bvashr" => (ShiftRight, true),
                _ => return None,
            };
            (Op::Binary(operation, signed), is_word(a) && a == b && a == sort)
        }
        _ => return None,
    };
    (fits && low.is_none()).then_some(op)
}

#[cfg(test)]
#[path = "table_tests.rs"]
mod tests;
