//! From terms of C to terms of the solver, operator by operator.
//!
//! Both sides are bit vectors with the same total operations, so this is a change of names: a scalar of one bit becomes
//! a Boolean, the sign of the first operand picks the signed or the unsigned operation. The variable with number `n` is
//! named after itself and its number, because names of C need not be unique.

use c::program::{Component, VariableId};
use c::term::{Operation, Scalar, Term, TermId as CTerm};
use smt::{Sort, TermId, Terms};
use std::collections::HashMap;

/// The sort of a scalar.
pub(crate) fn sort(scalar: Scalar) -> Sort {
    if scalar.width == 1 { Sort::Bool } else { Sort::Bv(u32::from(scalar.width)) }
}

/// A translation of one component's terms. It remembers what it translated.
pub(crate) struct Encoder<'c> {
    component: &'c Component,
    known: HashMap<CTerm, TermId>,
    variables: Vec<TermId>,
}

impl<'c> Encoder<'c> {
    /// A translation into these terms; there must be no other for them.
    pub(crate) fn new(component: &'c Component, terms: &mut Terms) -> Self {
        let variables = component.variables.iter().enumerate().map(|(number, variable)| {
            let name = format!("{}#{number}", c::display::name(component, VariableId(number as u32)));
            terms.var(&name, sort(variable.scalar))
        });
        Encoder { component, known: HashMap::new(), variables: variables.collect() }
    }

    /// The variable of the solver that stands for a variable of C.
    pub(crate) fn variable(&self, variable: VariableId) -> TermId {
        self.variables[variable.0 as usize]
    }

    /// All of them, by number.
    pub(crate) fn variables(&self) -> &[TermId] {
        &self.variables
    }

    /// The translation of a term. Children have smaller numbers, so a list of pending terms is enough.
    pub(crate) fn term(&mut self, terms: &mut Terms, root: CTerm) -> TermId {
        let pool = &self.component.terms;
        let mut pending = vec![root];
        while let Some(&top) = pending.last() {
            let before = pending.len();
            if !self.known.contains_key(&top) {
                pending.extend(pool.children(top).into_iter().filter(|child| !self.known.contains_key(child)));
                if pending.len() > before {
                    continue;
                }
                let done = self.apply(terms, top);
                self.known.insert(top, done);
            }
            pending.pop();
        }
        self.of(root)
    }

    fn of(&self, id: CTerm) -> TermId {
        self.known[&id]
    }

    fn apply(&self, terms: &mut Terms, id: CTerm) -> TermId {
        let pool = &self.component.terms;
        let scalar = pool.scalar(id);
        match pool.get(id) {
            Term::Constant(bits) => terms.constant_of(sort(scalar), bits),
            Term::Variable(variable) => self.variable(variable),
            Term::Not(a) if scalar.width == 1 => terms.not(self.of(a)),
            Term::Not(a) => terms.bv_not(self.of(a)),
            // Minus one bit is that bit.
            Term::Negate(a) if scalar.width == 1 => self.of(a),
            Term::Negate(a) => terms.bv_neg(self.of(a)),
            Term::Convert(a) => convert(terms, self.of(a), pool.scalar(a), scalar),
            Term::Select(condition, a, b) => terms.ite(self.of(condition), self.of(a), self.of(b)),
            Term::Binary(operation, a, b) => {
                let (x, y) = (self.of(a), self.of(b));
                if pool.scalar(a).width == 1 {
                    return on_bits(terms, operation, pool.scalar(a).signed, x, y);
                }
                on_words(terms, operation, pool.scalar(a).signed, x, y)
            }
            // Never in a finished component.
            Term::Memory(_) => terms.constant_of(sort(scalar), 0),
        }
    }
}

fn convert(terms: &mut Terms, a: TermId, from: Scalar, to: Scalar) -> TermId {
    let (low, high) = (u32::from(from.width), u32::from(to.width));
    match (low, high) {
        (1, 1) => a,
        (1, _) if from.signed => {
            let (ones, zero) = (terms.constant(high, u128::MAX), terms.constant(high, 0));
            terms.ite(a, ones, zero)
        }
        (1, _) => terms.from_bool(a, high),
        (_, 1) => {
            let (bit, one) = (terms.extract(a, 0, 0), terms.constant(1, 1));
            terms.eq(bit, one)
        }
        _ if high < low => terms.extract(a, high - 1, 0),
        _ if high == low => a,
        _ if from.signed => terms.sext(a, high),
        _ => terms.zext(a, high),
    }
}

fn on_bits(terms: &mut Terms, operation: Operation, signed: bool, x: TermId, y: TermId) -> TermId {
    match operation {
        Operation::And | Operation::Multiply => terms.and(x, y),
        Operation::Or => terms.or(x, y),
        Operation::Xor | Operation::Add | Operation::Subtract => terms.xor(x, y),
        Operation::Equal => terms.eq(x, y),
        // As words of one bit; comparisons are truth values already.
        _ => {
            let (a, b) = (terms.from_bool(x, 1), terms.from_bool(y, 1));
            let result = on_words(terms, operation, signed, a, b);
            if operation.compares() {
                return result;
            }
            let one = terms.constant(1, 1);
            terms.eq(result, one)
        }
    }
}

fn on_words(terms: &mut Terms, operation: Operation, signed: bool, a: TermId, b: TermId) -> TermId {
    match (operation, signed) {
        (Operation::Add, _) => terms.add(a, b),
        (Operation::Subtract, _) => terms.sub(a, b),
        (Operation::Multiply, _) => terms.mul(a, b),
        (Operation::Divide, true) => terms.sdiv(a, b),
        (Operation::Divide, false) => terms.udiv(a, b),
        (Operation::Remainder, true) => terms.srem(a, b),
        (Operation::Remainder, false) => terms.urem(a, b),
        (Operation::And, _) => terms.bv_and(a, b),
        (Operation::Or, _) => terms.bv_or(a, b),
        (Operation::Xor, _) => terms.bv_xor(a, b),
        (Operation::ShiftLeft, _) => terms.shl(a, b),
        (Operation::ShiftRight, true) => terms.ashr(a, b),
        (Operation::ShiftRight, false) => terms.lshr(a, b),
        (Operation::Equal, _) => terms.eq(a, b),
        (Operation::Less, true) => terms.slt(a, b),
        (Operation::Less, false) => terms.ult(a, b),
        (Operation::LessEqual, true) => terms.sle(a, b),
        (Operation::LessEqual, false) => terms.ule(a, b),
    }
}
