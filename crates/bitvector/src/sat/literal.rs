//! Variables and literals of clauses.

use std::fmt;
use std::ops::Not;

/// A propositional variable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Var(pub(crate) u32);

impl Var {
    /// Its number, from zero.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The literal that is true when the variable has this value.
    pub fn literal(self, value: bool) -> Lit {
        Lit(self.0 << 1 | u32::from(!value))
    }
}

/// A variable or its negation: twice the number of the variable, plus one if negated.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Lit(pub(crate) u32);

impl Lit {
    /// The variable.
    pub fn var(self) -> Var {
        Var(self.0 >> 1)
    }

    /// Is it the variable itself, not its negation?
    pub fn is_positive(self) -> bool {
        self.0 & 1 == 0
    }

    /// Its place in tables by literal.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl Not for Lit {
    type Output = Lit;

    fn not(self) -> Lit {
        Lit(self.0 ^ 1)
    }
}

/// As in DIMACS: numbers from one, negative for negations.
impl fmt::Debug for Lit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", if self.is_positive() { "" } else { "-" }, self.var().0 + 1)
    }
}
