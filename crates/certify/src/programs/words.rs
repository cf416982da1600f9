//! Expressions of C with terms in the place of numbers.
//!
//! This is the interpreter's evaluation again, operator by operator. Both sides have the same total operations on words of
//! fixed width; the sign of the first operand picks the signed or the unsigned one. A value of one bit is a truth value for
//! the solver: it becomes a word where an operation needs one, and a truth value again behind it.

use bitvector::{Sort, TermId, Terms};
use cfront::term::{Operation, Scalar, Term, TermId as CTerm, Terms as Pool};
use std::collections::{BTreeSet, HashMap};

/// What the solver calls a value of this kind.
pub(super) fn sort(scalar: Scalar) -> Sort {
    if scalar.width == 1 { Sort::Bool } else { Sort::Bv(u32::from(scalar.width)) }
}

/// Expressions and their values, for those that share their parts.
pub(super) type Known = HashMap<CTerm, TermId>;

/// The value of an expression under these values of the variables, by number; `None` if it is no finished expression.
/// `known` are values that were computed under the same ones.
pub(super) fn evaluate(
    terms: &mut Terms,
    pool: &Pool,
    root: CTerm,
    values: &[TermId],
    known: &mut Known,
) -> Option<TermId> {
    for part in new_parts(pool, root, known) {
        let value = one(terms, pool, part, values, known)?;
        known.insert(part, value);
    }
    known.get(&root).copied()
}

/// All parts that are not known, children first: they have smaller numbers.
fn new_parts(pool: &Pool, root: CTerm, known: &Known) -> BTreeSet<CTerm> {
    let mut found = BTreeSet::new();
    let mut waiting = vec![root];
    while let Some(next) = waiting.pop() {
        if !known.contains_key(&next) && found.insert(next) {
            waiting.extend(pool.children(next));
        }
    }
    found
}

fn one(terms: &mut Terms, pool: &Pool, part: CTerm, values: &[TermId], known: &Known) -> Option<TermId> {
    let scalar = pool.scalar(part);
    let of = |child: CTerm| known.get(&child).copied();
    let value = match pool.get(part) {
        Term::Constant(bits) => return Some(terms.constant_of(sort(scalar), bits)),
        Term::Variable(variable) => return values.get(variable.0 as usize).copied(),
        Term::Select(condition, then, other) => return Some(terms.ite(of(condition)?, of(then)?, of(other)?)),
        Term::Not(a) => {
            let word = as_word(terms, of(a)?);
            terms.bv_not(word)
        }
        Term::Negate(a) => {
            let word = as_word(terms, of(a)?);
            terms.bv_neg(word)
        }
        Term::Convert(a) => {
            let word = as_word(terms, of(a)?);
            resized(terms, word, pool.scalar(a).signed, u32::from(scalar.width))
        }
        Term::Binary(operation, a, b) => {
            let (x, y) = (as_word(terms, of(a)?), as_word(terms, of(b)?));
            binary(terms, operation, pool.scalar(a).signed, x, y)
        }
        Term::Memory(_) => return None,
    };
    Some(as_value(terms, value))
}

/// A truth value as a word of one bit.
fn as_word(terms: &mut Terms, value: TermId) -> TermId {
    if terms.sort(value) == Sort::Bool { terms.from_bool(value, 1) } else { value }
}

/// A word of one bit as a truth value.
fn as_value(terms: &mut Terms, word: TermId) -> TermId {
    if terms.sort(word) != Sort::Bv(1) {
        return word;
    }
    let one = terms.constant(1, 1);
    terms.eq(word, one)
}

/// The low bits, or more of them: copies of the sign, or zeros.
fn resized(terms: &mut Terms, word: TermId, signed: bool, width: u32) -> TermId {
    match width.cmp(&terms.width(word)) {
        std::cmp::Ordering::Less => terms.extract(word, width - 1, 0),
        std::cmp::Ordering::Equal => word,
        std::cmp::Ordering::Greater if signed => terms.sext(word, width),
        std::cmp::Ordering::Greater => terms.zext(word, width),
    }
}

fn binary(terms: &mut Terms, operation: Operation, signed: bool, x: TermId, y: TermId) -> TermId {
    match operation {
        Operation::Add => terms.add(x, y),
        Operation::Subtract => terms.sub(x, y),
        Operation::Multiply => terms.mul(x, y),
        Operation::And => terms.bv_and(x, y),
        Operation::Or => terms.bv_or(x, y),
        Operation::Xor => terms.bv_xor(x, y),
        Operation::ShiftLeft => terms.shl(x, y),
        Operation::Equal => terms.eq(x, y),
        Operation::Divide if signed => terms.sdiv(x, y),
        Operation::Divide => terms.udiv(x, y),
        Operation::Remainder if signed => terms.srem(x, y),
        Operation::Remainder => terms.urem(x, y),
        Operation::ShiftRight if signed => terms.ashr(x, y),
        Operation::ShiftRight => terms.lshr(x, y),
        Operation::Less if signed => terms.slt(x, y),
        Operation::Less => terms.ult(x, y),
        Operation::LessEqual if signed => terms.sle(x, y),
        Operation::LessEqual => terms.ule(x, y),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bitvector::Model;
    use cfront::program::VariableId;

    /// One term for each operation over `x` and `y`.
    fn samples(pool: &mut Pool, scalar: Scalar) -> Vec<CTerm> {
        use Operation::*;
        let (x, y) = (pool.variable(VariableId(0), scalar), pool.variable(VariableId(1), scalar));
        let mut found = vec![pool.not(x), pool.negate(x)];
        for operation in
            [Add, Subtract, Multiply, Divide, Remainder, And, Or, Xor, ShiftLeft, ShiftRight, Equal, Less, LessEqual]
        {
            found.push(pool.binary(operation, x, y));
        }
        for width in [1, 2, 3, 4, 9, 64, 128] {
            found.extend([false, true].map(|signed| pool.convert(x, Scalar { width, signed })));
        }
        let less = pool.binary(Less, x, y);
        found.push(pool.select(less, x, y));
        found
    }

    #[test]
    fn expressions_have_the_values_that_the_interpreter_gives_them() {
        for (width, signed) in [(1, false), (1, true), (2, true), (3, false), (3, true), (4, true)] {
            let scalar = Scalar { width, signed };
            let mut pool = Pool::new();
            let sampled = samples(&mut pool, scalar);
            let mut terms = Terms::new();
            let values = ["x", "y"].map(|name| terms.var(name, sort(scalar)));
            let images: Vec<TermId> = sampled
                .iter()
                .map(|&sample| evaluate(&mut terms, &pool, sample, &values, &mut Known::new()).unwrap())
                .collect();
            for (x, y) in (0..1_u64 << width).flat_map(|x| (0..1_u64 << width).map(move |y| (x, y))) {
                let model = Model::new(vec![(values[0], x.into()), (values[1], y.into())]);
                for (&sample, &image) in sampled.iter().zip(&images) {
                    let bits = pool.evaluate(sample, &|variable| if variable.0 == 0 { x } else { y });
                    assert_eq!(model.evaluate(&terms, image).bits, bits, "{:?} for {x}, {y}", pool.get(sample));
                }
            }
        }
    }
}
