//! From terms of C to terms of the solver, operator by operator, for the engines and the replay of runs. The checker has an
//! encoder of its own.
//!
//! Both sides are bit vectors with the same total operations, so this is a change of names: a scalar of one bit becomes
//! a Boolean, the sign of the first operand picks the signed or the unsigned operation. Variables keep their names; where
//! several have one name, their numbers tell them apart.

use bitvector::{Sort, TermId, Terms};
use cfront::program::{Component, VariableId};
use cfront::term::{Operation, Scalar, Term, TermId as CTerm};
use std::collections::HashMap;

/// The sort of a scalar.
pub fn sort(scalar: Scalar) -> Sort {
    if scalar.width == 1 { Sort::Bool } else { Sort::Bv(u32::from(scalar.width)) }
}

/// A translation of the terms of one pool. It remembers what it translated.
#[derive(Debug)]
pub struct Encoder<'c> {
    pool: &'c cfront::term::Terms,
    known: HashMap<CTerm, TermId>,
    variables: Vec<TermId>,
}

impl<'c> Encoder<'c> {
    /// A translation of terms over the variables of a component into these terms; there must be no other for them. A
    /// variable that the component does not have is an input.
    pub fn new(component: &Component, pool: &'c cfront::term::Terms, terms: &mut Terms) -> Self {
        let names: Vec<String> =
            (0..component.variables.len()).map(|n| cfront::display::name(component, VariableId(n as u32))).collect();
        let mut uses: HashMap<&str, u32> = HashMap::new();
        names.iter().for_each(|name| *uses.entry(name).or_default() += 1);
        let variables = component.variables.iter().enumerate().map(|(number, variable)| {
            let name = &names[number];
            let unique = uses.get(name.as_str()) == Some(&1) && !name.contains('#');
            let name = if unique { name.clone() } else { format!("{name}#{number}") };
            terms.var(&name, sort(variable.scalar))
        });
        let variables = variables.collect();
        Encoder { pool, known: HashMap::new(), variables }
    }

    /// The variables of the solver that stand for those of the component, by number.
    pub fn variables(&self) -> &[TermId] {
        &self.variables
    }

    /// The variable of the solver that stands for a variable of the component.
    pub fn variable(&self, variable: VariableId) -> TermId {
        self.variables[variable.0 as usize]
    }

    /// The translation of a term. Children have smaller numbers, so a list of pending terms is enough.
    pub fn term(&mut self, terms: &mut Terms, root: CTerm) -> TermId {
        let pool = self.pool;
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
        let pool = self.pool;
        let scalar = pool.scalar(id);
        match pool.get(id) {
            Term::Constant(bits) => terms.constant_of(sort(scalar), bits),
            Term::Variable(variable) => match self.variables.get(variable.0 as usize) {
                Some(&known) => known,
                None => terms.var(&format!("input#{}", variable.0), sort(scalar)),
            },
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

#[cfg(test)]
mod tests {
    use super::*;
    use bitvector::Model;
    use cfront::program::{LocationId, ObjectId, Variable, VariableKind};

    /// A component with two variables and no graph.
    fn component(scalar: Scalar) -> Component {
        let variable = |name: &str| Variable {
            name: name.to_owned(),
            procedure: None,
            scalar,
            pointer: false,
            kind: VariableKind::Global,
            object: ObjectId(0),
            offset: 0,
        };
        Component {
            name: String::from("main"),
            terms: cfront::term::Terms::new(),
            variables: vec![variable("x"), variable("y")],
            objects: Vec::new(),
            entry: LocationId(0),
            locations: Vec::new(),
            edges: Vec::new(),
            result: None,
            routines: Vec::new(),
        }
    }

    /// All terms of one operation over `x` and `y`.
    fn samples(component: &mut Component, scalar: Scalar) -> Vec<CTerm> {
        use Operation::*;
        let terms = &mut component.terms;
        let x = terms.variable(VariableId(0), scalar);
        let y = terms.variable(VariableId(1), scalar);
        let mut found = vec![terms.not(x), terms.negate(x)];
        for operation in
            [Add, Subtract, Multiply, Divide, Remainder, And, Or, Xor, ShiftLeft, ShiftRight, Equal, Less, LessEqual]
        {
            found.push(terms.binary(operation, x, y));
        }
        for width in [1, 2, 3, 4, 9, 64, 128] {
            for signed in [false, true] {
                found.push(terms.convert(x, Scalar { width, signed }));
            }
        }
        let less = terms.binary(Less, x, y);
        found.push(terms.select(less, x, y));
        found
    }

    #[test]
    fn terms_mean_the_same_to_the_solver_and_to_the_interpreter() {
        for (width, signed) in [(1, false), (1, true), (2, true), (3, false), (3, true), (4, true)] {
            let scalar = Scalar { width, signed };
            let mut component = component(scalar);
            let sampled = samples(&mut component, scalar);
            let mut terms = Terms::new();
            let mut encoder = Encoder::new(&component, &component.terms, &mut terms);
            let encoded: Vec<TermId> = sampled.iter().map(|&term| encoder.term(&mut terms, term)).collect();
            for (x, y) in (0..1_u64 << width).flat_map(|x| (0..1_u64 << width).map(move |y| (x, y))) {
                let model = Model::new(vec![
                    (encoder.variable(VariableId(0)), x.into()),
                    (encoder.variable(VariableId(1)), y.into()),
                ]);
                for (&sample, &image) in sampled.iter().zip(&encoded) {
                    let bits = component.terms.evaluate(sample, &|variable| if variable.0 == 0 { x } else { y });
                    let shown = cfront::display::term(&component, sample);
                    assert_eq!(model.evaluate(&terms, image).bits, bits, "{shown} for {scalar:?}, {x}, {y}");
                }
            }
        }
    }
}
