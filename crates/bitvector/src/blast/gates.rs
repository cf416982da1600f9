//! Gates: a circuit that is built gate by gate, and its clauses (Tseitin).
//!
//! Equal gates are one gate, constants and complements are folded, and negation is free, as in an and-inverter graph;
//! but exclusive or, choice and majority are gates of their own, because arithmetic is made of them and their clauses
//! propagate better than what conjunctions would give.
//!
//! The definition of a gate goes both ways, so a circuit never restricts its inputs. Every gate remembers its inputs:
//! the cone of some outputs is a scope for the SAT solver (see there). The output is the first literal of every
//! clause of its definition.

use crate::sat::{Lit, Sat, Var};
use rustc_hash::FxHashMap;

#[derive(Clone, PartialEq, Eq, Hash)]
enum Gate {
    And(Lit, Lit),
    Xor(Lit, Lit),
    /// Condition, then, else.
    Choice(Lit, Lit, Lit),
    /// At least two of three.
    Majority(Lit, Lit, Lit),
    /// All of many.
    Conjunction(Box<[Lit]>),
}

/// A circuit and the SAT solver that knows its gates.
pub struct Gates {
    sat: Sat,
    truth: Lit,
    outputs: FxHashMap<Gate, Lit>,
    /// By variable: where its inputs are in `inputs`.
    spans: Vec<(u32, u32)>,
    inputs: Vec<Var>,
    visited: Vec<u32>,
    visit: u32,
}

impl Gates {
    /// The constants only.
    pub fn new(mut sat: Sat) -> Gates {
        let truth = sat.new_variable().literal(true);
        sat.add_clause(&[truth]);
        Gates {
            sat,
            truth,
            outputs: FxHashMap::default(),
            spans: vec![(0, 0)],
            inputs: Vec::new(),
            visited: vec![0],
            visit: 0,
        }
    }

    /// The solver.
    pub fn sat(&self) -> &Sat {
        &self.sat
    }

    /// The solver, to ask questions.
    pub fn sat_mut(&mut self) -> &mut Sat {
        &mut self.sat
    }

    /// The size of the tables in bytes, about.
    pub fn memory(&self) -> usize {
        self.sat.memory() + self.outputs.len() * 48 + self.inputs.len() * 4 + self.spans.len() * 12
    }

    /// A constant.
    pub fn constant(&self, value: bool) -> Lit {
        if value { self.truth } else { !self.truth }
    }

    fn is_true(&self, literal: Lit) -> bool {
        literal == self.truth
    }

    fn is_false(&self, literal: Lit) -> bool {
        literal == !self.truth
    }

    /// A fresh input.
    pub fn input(&mut self) -> Lit {
        self.fresh(&[])
    }

    fn fresh(&mut self, inputs: &[Lit]) -> Lit {
        let var = self.sat.new_variable();
        let start = self.inputs.len() as u32;
        self.inputs.extend(inputs.iter().map(|literal| literal.var()));
        self.spans.push((start, self.inputs.len() as u32));
        self.visited.push(0);
        var.literal(true)
    }

    /// All variables that these literals depend on, themselves included.
    pub fn cone(&mut self, roots: impl IntoIterator<Item = Lit>, cone: &mut Vec<Var>) {
        cone.clear();
        if self.visit == u32::MAX {
            self.visited.fill(0);
            self.visit = 0;
        }
        self.visit += 1;
        for root in roots {
            self.enter(root.var(), cone);
        }
        let mut at = 0;
        while let Some(&var) = cone.get(at) {
            at += 1;
            let (start, end) = self.spans[var.index()];
            for place in start..end {
                self.enter(self.inputs[place as usize], cone);
            }
        }
    }

    fn enter(&mut self, var: Var, cone: &mut Vec<Var>) {
        if std::mem::replace(&mut self.visited[var.index()], self.visit) != self.visit {
            cone.push(var);
        }
    }

    /// Conjunction.
    pub fn and(&mut self, a: Lit, b: Lit) -> Lit {
        if self.is_false(a) || self.is_false(b) || a == !b {
            return self.constant(false);
        }
        if self.is_true(a) || a == b {
            return b;
        }
        if self.is_true(b) {
            return a;
        }
        let (a, b) = (a.min(b), a.max(b));
        let gate = Gate::And(a, b);
        if let Some(&output) = self.outputs.get(&gate) {
            return output;
        }
        let output = self.fresh(&[a, b]);
        self.sat.add_clause(&[!output, a]);
        self.sat.add_clause(&[!output, b]);
        self.sat.add_clause(&[output, !a, !b]);
        self.outputs.insert(gate, output);
        output
    }

    /// Disjunction.
    pub fn or(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(!a, !b)
    }

    /// Exclusive or.
    pub fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        if self.is_false(a) || self.is_true(a) {
            return if self.is_true(a) { !b } else { b };
        }
        if self.is_false(b) || self.is_true(b) {
            return if self.is_true(b) { !a } else { a };
        }
        if a.var() == b.var() {
            return self.constant(a != b);
        }
        // Negations go to the output.
        let flip = a.is_positive() != b.is_positive();
        let (p, q) = (a.var().min(b.var()).literal(true), a.var().max(b.var()).literal(true));
        let output = self.xor_positive(p, q);
        if flip { !output } else { output }
    }

    fn xor_positive(&mut self, a: Lit, b: Lit) -> Lit {
        let gate = Gate::Xor(a, b);
        if let Some(&output) = self.outputs.get(&gate) {
            return output;
        }
        let output = self.fresh(&[a, b]);
        self.sat.add_clause(&[!output, a, b]);
        self.sat.add_clause(&[!output, !a, !b]);
        self.sat.add_clause(&[output, !a, b]);
        self.sat.add_clause(&[output, a, !b]);
        self.outputs.insert(gate, output);
        output
    }

    /// Equality of two bits.
    pub fn same(&mut self, a: Lit, b: Lit) -> Lit {
        !self.xor(a, b)
    }

    /// `then` if the condition holds, else `other`.
    pub fn choice(&mut self, condition: Lit, then: Lit, other: Lit) -> Lit {
        if self.is_true(condition) || then == other {
            return then;
        }
        if self.is_false(condition) {
            return other;
        }
        if !condition.is_positive() {
            return self.choice(!condition, other, then);
        }
        if then == !other {
            return self.same(condition, then);
        }
        if self.is_true(then) || then == condition {
            return self.or(condition, other);
        }
        if self.is_false(then) || then == !condition {
            return self.and(!condition, other);
        }
        if self.is_true(other) || other == !condition {
            return self.or(!condition, then);
        }
        if self.is_false(other) || other == condition {
            return self.and(condition, then);
        }
        if !then.is_positive() {
            return !self.choice(condition, !then, !other);
        }
        let gate = Gate::Choice(condition, then, other);
        if let Some(&output) = self.outputs.get(&gate) {
            return output;
        }
        let output = self.fresh(&[condition, then, other]);
        self.sat.add_clause(&[!output, !condition, then]);
        self.sat.add_clause(&[output, !condition, !then]);
        self.sat.add_clause(&[!output, condition, other]);
        self.sat.add_clause(&[output, condition, !other]);
        // Implied, but they let equal branches decide.
        self.sat.add_clause(&[!output, then, other]);
        self.sat.add_clause(&[output, !then, !other]);
        self.outputs.insert(gate, output);
        output
    }

    /// At least two of three: the carry of an adder.
    pub fn majority(&mut self, a: Lit, b: Lit, c: Lit) -> Lit {
        let mut sorted = [a, b, c];
        sorted.sort_unstable();
        let [a, b, c] = sorted;
        // Literals of one variable are neighbours.
        if a == b || b == c {
            return b;
        }
        if a == !b {
            return c;
        }
        if b == !c {
            return a;
        }
        // The constants are the first variable.
        if self.is_true(a) {
            return self.or(b, c);
        }
        if self.is_false(a) {
            return self.and(b, c);
        }
        if [a, b, c].iter().filter(|literal| !literal.is_positive()).count() > 1 {
            return !self.majority(!a, !b, !c);
        }
        let gate = Gate::Majority(a, b, c);
        if let Some(&output) = self.outputs.get(&gate) {
            return output;
        }
        let output = self.fresh(&[a, b, c]);
        for (x, y) in [(a, b), (a, c), (b, c)] {
            self.sat.add_clause(&[!output, x, y]);
            self.sat.add_clause(&[output, !x, !y]);
        }
        self.outputs.insert(gate, output);
        output
    }

    /// All of many, as one gate.
    pub fn conjunction(&mut self, mut parts: Vec<Lit>) -> Lit {
        parts.retain(|&literal| !self.is_true(literal));
        parts.sort_unstable();
        parts.dedup();
        let clash = parts.windows(2).any(|pair| pair[0] == !pair[1]);
        if clash || parts.iter().any(|&literal| self.is_false(literal)) {
            return self.constant(false);
        }
        match *parts.as_slice() {
            [] => return self.constant(true),
            [only] => return only,
            [a, b] => return self.and(a, b),
            _ => {}
        }
        let gate = Gate::Conjunction(parts.clone().into_boxed_slice());
        if let Some(&output) = self.outputs.get(&gate) {
            return output;
        }
        let output = self.fresh(&parts);
        let mut all = vec![output];
        for &part in &parts {
            self.sat.add_clause(&[!output, part]);
            all.push(!part);
        }
        self.sat.add_clause(&all);
        self.outputs.insert(gate, output);
        output
    }
}
