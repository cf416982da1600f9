//! Clauses, and why they cannot hold together: what the checker of C and a SAT solver say to each other.
//!
//! The checker makes a [`Cnf`]; a [`Refuter`], which is not trusted, answers with an LRAT proof (Cruz-Filipe and others,
//! *Efficient certified RAT verification*, 2017): clauses that follow one after the other, each with the numbers of the
//! clauses that show it by unit propagation. The clauses of the question have the numbers from 0, and each
//! [`LratStep::Lemma`] has the next number. The proof ends with the empty clause.

use crate::budget::Budget;
use crate::reason::Reason;
use std::fmt;
use std::ops::Not;

/// A propositional variable, or its negation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Literal(u32);

impl Literal {
    /// The literal that holds when the variable of this number, counted from 0, is true.
    pub const fn positive(variable: u32) -> Literal {
        Literal(variable << 1)
    }

    /// The literal that holds when this one does not; `!` where that is no constant.
    pub const fn negated(self) -> Literal {
        Literal(self.0 ^ 1)
    }

    /// The number of its variable.
    pub const fn variable(self) -> u32 {
        self.0 >> 1
    }

    /// Whether it is a negation.
    pub const fn is_negative(self) -> bool {
        self.0 & 1 == 1
    }

    /// A number for tables by literal: twice that of the variable, and one more for a negation.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl Not for Literal {
    type Output = Literal;

    fn not(self) -> Literal {
        self.negated()
    }
}

/// As in DIMACS: variables from 1, negations with a minus.
impl fmt::Debug for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", if self.is_negative() { "-" } else { "" }, self.variable() + 1)
    }
}

/// A conjunction of clauses.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Cnf {
    variables: u32,
    literals: Vec<Literal>,
    /// Where each clause ends in `literals`.
    ends: Vec<usize>,
}

impl Cnf {
    /// No variables and no clauses.
    pub fn new() -> Cnf {
        Cnf::default()
    }

    /// A variable more, as its positive literal.
    pub fn variable(&mut self) -> Literal {
        self.variables += 1;
        Literal::positive(self.variables - 1)
    }

    /// A clause more. Its variables count as there.
    pub fn add(&mut self, clause: &[Literal]) {
        for literal in clause {
            self.variables = self.variables.max(literal.variable() + 1);
        }
        self.literals.extend_from_slice(clause);
        self.ends.push(self.literals.len());
    }

    /// How many variables there are.
    pub fn variables(&self) -> u32 {
        self.variables
    }

    /// How many clauses there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no clause.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The clauses, in the order of their numbers.
    pub fn clauses(&self) -> impl Iterator<Item = &[Literal]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| &self.literals[start..end])
    }
}

/// A proof that clauses cannot hold together; not trusted before it is checked.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Lrat {
    /// Its steps, in order.
    pub steps: Vec<LratStep>,
}

/// A step of a proof.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LratStep {
    /// This clause follows.
    Lemma {
        /// The clause.
        literals: Vec<Literal>,
        /// If all literals of the clause are false, each of these clauses in turn has one literal left, which is true then;
        /// the last one has none.
        hints: Vec<u32>,
    },
    /// These clauses are not used any more.
    Delete(Vec<u32>),
}

/// Something that says why clauses cannot hold together.
pub trait Refuter {
    /// A proof that they cannot. [`Reason::NotProvable`] says that they can.
    fn refute(&mut self, cnf: &Cnf, budget: &Budget) -> Result<Lrat, Reason>;
}
