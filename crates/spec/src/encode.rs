//! Terms of C as terms of the solver.
//!
//! Both are bit vectors with total operations, so each operator has its counterpart; one bit becomes a Boolean. Variables
//! of C become variables of the solver that are named after their number, since names of C need not be unique.

use bitvector::{Sort, TermId, Terms};
use cfront::program::{Component, VariableId};
use cfront::term::{Operation, Scalar, Term, TermId as CTerm};
use std::collections::HashMap;

/// The sort of a scalar.
pub(crate) fn sort_of(scalar: Scalar) -> Sort {
    if scalar.width == 1 { Sort::Bool } else { Sort::Bv(u32::from(scalar.width)) }
}

/// The solver's variables of a component, by number.
pub fn variables(component: &Component, terms: &mut Terms) -> Vec<TermId> {
    let each = component.variables.iter().enumerate();
    let each = each.map(|(number, variable)| {
        let name = cfront::display::name(component, VariableId(number as u32));
        terms.var(&format!("{name}#{number}"), sort_of(variable.scalar))
    });
    each.collect()
}

/// Translates terms of one component, each once.
pub(crate) struct Translation<'c> {
    component: &'c Component,
    variables: Vec<TermId>,
    done: HashMap<CTerm, TermId>,
}

impl<'c> Translation<'c> {
    pub(crate) fn new(component: &'c Component, variables: &[TermId]) -> Self {
        Translation { component, variables: variables.to_vec(), done: HashMap::new() }
    }

    /// The translation of a term. Parts have smaller numbers than the whole, so they are done in order.
    pub(crate) fn term(&mut self, terms: &mut Terms, root: CTerm) -> TermId {
        let mut needed = vec![root];
        let mut parts = std::collections::BTreeSet::new();
        while let Some(part) = needed.pop() {
            if !self.done.contains_key(&part) && parts.insert(part) {
                needed.extend(self.component.terms.children(part));
            }
        }
        for part in parts {
            let image = self.translated(terms, part);
            self.done.insert(part, image);
        }
        self.of(root)
    }

    fn of(&self, part: CTerm) -> TermId {
        self.done[&part]
    }

    fn translated(&self, terms: &mut Terms, id: CTerm) -> TermId {
        let pool = &self.component.terms;
        let scalar = pool.scalar(id);
        let bit = scalar.width == 1;
        match pool.get(id) {
            Term::Constant(bits) => terms.constant_of(sort_of(scalar), bits),
            Term::Variable(variable) => self.variables[variable.0 as usize],
            Term::Not(a) if bit => terms.not(self.of(a)),
            Term::Not(a) => terms.bv_not(self.of(a)),
            Term::Negate(a) if bit => self.of(a),
            Term::Negate(a) => terms.bv_neg(self.of(a)),
            Term::Convert(a) => convert(terms, self.of(a), pool.scalar(a), scalar),
            Term::Select(which, a, b) => terms.ite(self.of(which), self.of(a), self.of(b)),
            Term::Binary(operation, a, b) => apply(terms, operation, pool.scalar(a), self.of(a), self.of(b)),
            // Resolved before a component is handed out.
            Term::Memory(_) => terms.constant_of(sort_of(scalar), 0),
        }
    }
}

/// A value of one scalar as another, as C converts it.
pub(crate) fn convert(terms: &mut Terms, value: TermId, from: Scalar, to: Scalar) -> TermId {
    let (low, high) = (u32::from(from.width), u32::from(to.width));
    if low == high {
        return value;
    }
    if low == 1 {
        let ones = if from.signed { u128::MAX } else { 1 };
        let (one, zero) = (terms.constant(high, ones), terms.constant(high, 0));
        return terms.ite(value, one, zero);
    }
    if high == 1 {
        let (lowest, one) = (terms.extract(value, 0, 0), terms.constant(1, 1));
        return terms.eq(lowest, one);
    }
    match () {
        () if high < low => terms.extract(value, high - 1, 0),
        () if from.signed => terms.sext(value, high),
        () => terms.zext(value, high),
    }
}

/// An operation on two values of a scalar.
pub(crate) fn apply(terms: &mut Terms, operation: Operation, scalar: Scalar, a: TermId, b: TermId) -> TermId {
    if scalar.width > 1 {
        return on_words(terms, operation, scalar.signed, a, b);
    }
    match operation {
        Operation::And | Operation::Multiply => terms.and(a, b),
        Operation::Or => terms.or(a, b),
        Operation::Xor | Operation::Add | Operation::Subtract => terms.xor(a, b),
        Operation::Equal => terms.eq(a, b),
        _ => {
            let (a, b) = (terms.from_bool(a, 1), terms.from_bool(b, 1));
            let result = on_words(terms, operation, scalar.signed, a, b);
            if operation.compares() {
                return result;
            }
            let one = terms.constant(1, 1);
            terms.eq(result, one)
        }
    }
}

fn on_words(terms: &mut Terms, operation: Operation, signed: bool, a: TermId, b: TermId) -> TermId {
    match operation {
        Operation::Add => terms.add(a, b),
        Operation::Subtract => terms.sub(a, b),
        Operation::Multiply => terms.mul(a, b),
        Operation::Divide if signed => terms.sdiv(a, b),
        Operation::Divide => terms.udiv(a, b),
        Operation::Remainder if signed => terms.srem(a, b),
        Operation::Remainder => terms.urem(a, b),
        Operation::And => terms.bv_and(a, b),
        Operation::Or => terms.bv_or(a, b),
        Operation::Xor => terms.bv_xor(a, b),
        Operation::ShiftLeft => terms.shl(a, b),
        Operation::ShiftRight if signed => terms.ashr(a, b),
        Operation::ShiftRight => terms.lshr(a, b),
        Operation::Equal => terms.eq(a, b),
        Operation::Less if signed => terms.slt(a, b),
        Operation::Less => terms.ult(a, b),
        Operation::LessEqual if signed => terms.sle(a, b),
        Operation::LessEqual => terms.ule(a, b),
    }
}
