//! Values, models, and the value of a term in a model.
//!
//! An [`Evaluation`] remembers the value of every part that it met, so a set of predicates that share parts is evaluated
//! in time linear in the parts. It fixes one total assignment: a variable that the model does not name is zero.

use crate::semantics::{apply, to_signed};
use crate::terms::{Op, Sort, TermId, Terms};
use std::fmt;

/// A constant with its sort.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Value {
    /// The sort.
    pub sort: Sort,
    /// The bits; zero or one for a Boolean.
    pub bits: u128,
}

impl Value {
    /// The number in two's complement.
    pub fn signed(self) -> i128 {
        match self.sort {
            Sort::Bool => self.bits as i128,
            Sort::Bv(width) => to_signed(self.bits, width),
        }
    }

    /// Anything but zero and false.
    pub fn is_true(self) -> bool {
        self.bits != 0
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.sort {
            Sort::Bool => write!(f, "{}", self.bits != 0),
            Sort::Bv(_) => write!(f, "{}", self.signed()),
        }
    }
}

/// Values of variables. What is not named is zero.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Model {
    values: Vec<(TermId, u128)>,
}

impl Model {
    /// The model with these values.
    pub fn new(mut values: Vec<(TermId, u128)>) -> Model {
        values.sort_unstable_by_key(|&(variable, _)| variable);
        values.dedup_by_key(|&mut (variable, _)| variable);
        Model { values }
    }

    /// The bits of a variable.
    pub fn get(&self, variable: TermId) -> u128 {
        match self.values.binary_search_by_key(&variable, |&(variable, _)| variable) {
            Ok(place) => self.values.get(place).map_or(0, |&(_, bits)| bits),
            Err(_) => 0,
        }
    }

    /// The variables that are named, with their bits.
    pub fn values(&self) -> &[(TermId, u128)] {
        &self.values
    }

    /// The value of any term in this model.
    pub fn evaluate(&self, terms: &Terms, term: TermId) -> Value {
        let mut evaluation = Evaluation::new(self.clone());
        Value { sort: terms.sort(term), bits: evaluation.bits(terms, term) }
    }

    /// Does the Boolean term hold?
    pub fn satisfies(&self, terms: &Terms, term: TermId) -> bool {
        self.evaluate(terms, term).is_true()
    }
}

/// One model, and what terms are in it, as far as was asked.
#[derive(Clone, Debug, Default)]
pub struct Evaluation {
    model: Model,
    known: Vec<Option<u128>>,
    pending: Vec<TermId>,
}

impl Evaluation {
    /// Nothing evaluated yet.
    pub fn new(model: Model) -> Evaluation {
        Evaluation { model, known: Vec::new(), pending: Vec::new() }
    }

    /// The model.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The bits of a term. All calls must be for terms of one arena.
    pub fn bits(&mut self, terms: &Terms, term: TermId) -> u128 {
        if self.known.len() <= term.index() {
            self.known.resize(term.index() + 1, None);
        }
        if let Some(bits) = self.known[term.index()] {
            return bits;
        }
        self.pending.push(term);
        let mut last = 0;
        while let Some(&top) = self.pending.last() {
            if let Some(bits) = self.step(terms, top) {
                self.known[top.index()] = Some(bits);
                last = bits;
                self.pending.pop();
            }
        }
        last
    }

    /// The value of a term whose arguments are known; else they become pending.
    fn step(&mut self, terms: &Terms, term: TermId) -> Option<u128> {
        let node = terms.node(term);
        if let Op::Var(_) = node.op() {
            return Some(self.model.get(term));
        }
        let mut values = [0; 3];
        let mut complete = true;
        for (value, &argument) in values.iter_mut().zip(node.arguments()) {
            match self.known[argument.index()] {
                Some(bits) => *value = bits,
                None => {
                    self.pending.push(argument);
                    complete = false;
                }
            }
        }
        let from = node.arguments().first().map_or(node.sort(), |&first| terms.sort(first));
        complete.then(|| apply(node.op(), from, node.sort(), values))
    }
}
