//! A circuit of gates over free inputs, and the clauses that say that one of its literals is true.
//!
//! Every gate is a function of its inputs, so whatever the inputs are, there are values for all gates: a circuit restricts
//! nothing. A question is the literal of one gate, and its clauses are the definitions of the gates below it, in both
//! directions (Tseitin, *On the complexity of derivation in propositional calculus*, 1968), and that it holds. Equal gates
//! are one gate, and a gate whose value does not depend on its inputs is a constant.
//!
//! Gates cost time and memory. When the budget is used up, no more are made; then every question is without an answer.

use super::lrat::{self, Rejection};
use model::budget::Budget;
use model::reason::Reason;
use model::refutation::{Cnf, Literal, Refuter};
use rustc_hash::FxHashMap;

/// The literal that is always true.
pub(crate) const TRUE: Literal = Literal::positive(0);
/// The literal that is always false.
pub(crate) const FALSE: Literal = Literal::positive(0).negated();

/// What a variable of the circuit is.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Gate {
    /// Always true; variable 0 alone.
    True,
    Input,
    /// All of them hold.
    And(Box<[Literal]>),
    /// Exactly one of two holds.
    Xor(Literal, Literal),
    /// The second if the first holds, else the third.
    Choice(Literal, Literal, Literal),
    /// At least two of three hold.
    Majority([Literal; 3]),
}

/// What became of a question.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Answer {
    /// The literal is never true: a proof was checked.
    Never,
    /// The refuter says that it can be true.
    Possible,
    /// There is no answer.
    Unknown(Reason),
}

/// Gates, each once.
pub(crate) struct Circuit<'b> {
    gates: Vec<Gate>,
    known: FxHashMap<Gate, Literal>,
    budget: &'b Budget,
    stopped: Option<Reason>,
}

impl<'b> Circuit<'b> {
    /// Nothing but the constants.
    pub(crate) fn new(budget: &'b Budget) -> Self {
        Circuit { gates: vec![Gate::True], known: FxHashMap::default(), budget, stopped: None }
    }

    /// Something of which nothing is known.
    pub(crate) fn input(&mut self) -> Literal {
        self.push(Gate::Input)
    }

    fn push(&mut self, gate: Gate) -> Literal {
        self.spend(1);
        // What is made without a budget means nothing, and is never asked about.
        if self.stopped.is_some() {
            return FALSE;
        }
        self.gates.push(gate);
        Literal::positive(self.gates.len() as u32 - 1)
    }

    fn shared(&mut self, gate: Gate) -> Literal {
        if let Some(&literal) = self.known.get(&gate) {
            return literal;
        }
        let literal = self.push(gate.clone());
        self.known.insert(gate, literal);
        literal
    }

    /// Some work is done.
    pub(crate) fn spend(&mut self, work: usize) {
        if self.stopped.is_none() {
            self.stopped = self.budget.spend(work).err();
        }
    }

    pub(crate) fn and(&mut self, a: Literal, b: Literal) -> Literal {
        self.all([a, b].into_iter())
    }

    pub(crate) fn or(&mut self, a: Literal, b: Literal) -> Literal {
        !self.and(!a, !b)
    }

    /// Whether all hold.
    pub(crate) fn all(&mut self, literals: impl Iterator<Item = Literal>) -> Literal {
        let mut parts: Vec<Literal> = literals.filter(|&literal| literal != TRUE).collect();
        parts.sort_unstable();
        parts.dedup();
        // A literal and its negation are neighbours.
        if parts.first() == Some(&FALSE) || parts.windows(2).any(|pair| pair[0] == !pair[1]) {
            return FALSE;
        }
        match parts[..] {
            [] => TRUE,
            [only] => only,
            _ => self.shared(Gate::And(parts.into())),
        }
    }

    /// Whether one holds.
    pub(crate) fn any(&mut self, literals: impl Iterator<Item = Literal>) -> Literal {
        !self.all(literals.map(|literal| !literal))
    }

    pub(crate) fn xor(&mut self, a: Literal, b: Literal) -> Literal {
        match (a.min(b), a.max(b)) {
            (FALSE, other) => other,
            (TRUE, other) => !other,
            (a, b) if a == b => FALSE,
            (a, b) if a == !b => TRUE,
            // Negations go to the output.
            (a, b) => {
                let (inner, outer) = (a.is_negative(), b.is_negative());
                let positive = |literal: Literal, negative: bool| if negative { !literal } else { literal };
                let gate = self.shared(Gate::Xor(positive(a, inner), positive(b, outer)));
                positive(gate, inner != outer)
            }
        }
    }

    /// The second if the first holds, else the third.
    pub(crate) fn choice(&mut self, which: Literal, then: Literal, other: Literal) -> Literal {
        match (which, then, other) {
            (TRUE, _, _) => then,
            (FALSE, _, _) => other,
            _ if then == other => then,
            _ if then == !other => !self.xor(which, then),
            (_, TRUE, _) => self.or(which, other),
            (_, FALSE, _) => self.and(!which, other),
            (_, _, TRUE) => self.or(!which, then),
            (_, _, FALSE) => self.and(which, then),
            _ if which == then => self.or(which, other),
            _ if which == !then => self.and(then, other),
            _ if which == other => self.and(which, then),
            _ if which == !other => self.or(other, then),
            _ if which.is_negative() => self.choice(!which, other, then),
            _ if then.is_negative() => !self.choice(which, !then, !other),
            _ => self.shared(Gate::Choice(which, then, other)),
        }
    }

    /// Whether at least two hold.
    pub(crate) fn majority(&mut self, a: Literal, b: Literal, c: Literal) -> Literal {
        let mut parts = [a, b, c];
        parts.sort_unstable();
        match parts {
            [TRUE, b, c] => self.or(b, c),
            [FALSE, b, c] => self.and(b, c),
            // Literals of one variable are neighbours.
            [a, b, _] if a == b => a,
            [_, b, c] if b == c => b,
            [a, b, c] if a == !b => c,
            [a, b, c] if b == !c => a,
            [a, b, c] if a.is_negative() => !self.majority(!a, !b, !c),
            parts => self.shared(Gate::Majority(parts)),
        }
    }

    /// Whether a literal can be true. Only a proof that was checked says that it cannot.
    pub(crate) fn ask(&self, question: Literal, refuter: &mut dyn Refuter) -> Answer {
        if let Some(reason) = &self.stopped {
            return Answer::Unknown(reason.clone());
        }
        if question == FALSE {
            return Answer::Never;
        }
        let cnf = self.clauses(question);
        let proof = match refuter.refute(&cnf, self.budget) {
            Ok(proof) => proof,
            Err(Reason::NotProvable(_)) => return Answer::Possible,
            Err(reason) => return Answer::Unknown(reason),
        };
        match lrat::check(&cnf, &proof, self.budget) {
            Ok(()) => Answer::Never,
            Err(Rejection::Unfinished(reason)) => Answer::Unknown(reason),
            Err(rejection) => {
                Answer::Unknown(Reason::Internal(format!("the proof of a solver is not accepted: {rejection:?}")))
            }
        }
    }

    /// The clauses of a question.
    pub(crate) fn clauses(&self, question: Literal) -> Cnf {
        let mut writer = Writer { cnf: Cnf::new(), numbers: FxHashMap::default(), waiting: Vec::new() };
        let question = writer.literal(question);
        writer.cnf.add(&[question]);
        while let Some(gate) = writer.waiting.pop() {
            writer.define(gate, &self.gates[gate as usize]);
        }
        writer.cnf
    }
}

/// Clauses under construction; their variables are numbered by first use.
struct Writer {
    cnf: Cnf,
    numbers: FxHashMap<u32, Literal>,
    waiting: Vec<u32>,
}

impl Writer {
    fn literal(&mut self, literal: Literal) -> Literal {
        let gate = literal.variable();
        let number = *self.numbers.entry(gate).or_insert_with(|| {
            self.waiting.push(gate);
            self.cnf.variable()
        });
        if literal.is_negative() { !number } else { number }
    }

    fn define(&mut self, gate: u32, definition: &Gate) {
        let out = self.literal(Literal::positive(gate));
        match definition {
            Gate::True => self.cnf.add(&[out]),
            Gate::Input => {}
            Gate::And(parts) => {
                let mut all_hold = vec![out];
                for &part in parts {
                    let part = self.literal(part);
                    self.cnf.add(&[!out, part]);
                    all_hold.push(!part);
                }
                self.cnf.add(&all_hold);
            }
            &Gate::Xor(a, b) => {
                let (a, b) = (self.literal(a), self.literal(b));
                self.cnf.add(&[!out, a, b]);
                self.cnf.add(&[!out, !a, !b]);
                self.cnf.add(&[out, !a, b]);
                self.cnf.add(&[out, a, !b]);
            }
            &Gate::Choice(which, then, other) => {
                let (which, then, other) = (self.literal(which), self.literal(then), self.literal(other));
                self.cnf.add(&[!which, !then, out]);
                self.cnf.add(&[!which, then, !out]);
                self.cnf.add(&[which, !other, out]);
                self.cnf.add(&[which, other, !out]);
                // These follow, and help the solver where both sides are equal.
                self.cnf.add(&[!then, !other, out]);
                self.cnf.add(&[then, other, !out]);
            }
            &Gate::Majority(parts) => {
                let [a, b, c] = parts.map(|part| self.literal(part));
                for (x, y) in [(a, b), (a, c), (b, c)] {
                    self.cnf.add(&[!x, !y, out]);
                    self.cnf.add(&[x, y, !out]);
                }
            }
        }
    }
}

#[cfg(test)]
#[path = "circuit_tests.rs"]
pub(crate) mod tests;
