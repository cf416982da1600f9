//! A linear program over factors that are not known yet, and sums of them.
//!
//! The least value of a sum over everything that can be is no sum, but it can be bounded from below by one, with a variable
//! for it and a row for each case. A solution that needs such a bound to be sharp finds it sharp.

use crate::ghosts::Span;
use linear::{Problem, Rational, Variable};
use std::collections::BTreeMap;

/// A sum of variables of a linear program, and a constant.
#[derive(Clone, Default)]
pub(super) struct Lin {
    terms: BTreeMap<u32, Rational>,
    constant: Rational,
}

impl Lin {
    pub(super) fn number(n: i64) -> Self {
        Lin { terms: BTreeMap::new(), constant: Rational::from(n) }
    }

    pub(super) fn variable(variable: Variable) -> Self {
        Lin { terms: BTreeMap::from([(variable.0, Rational::from(1i64))]), constant: Rational::from(0i64) }
    }

    pub(super) fn is_zero(&self) -> bool {
        self.terms.is_empty() && self.constant.is_zero()
    }

    pub(super) fn add(&mut self, other: &Lin, times: i64) {
        if times == 0 {
            return;
        }
        let factor = Rational::from(times);
        self.constant += &(&other.constant * &factor);
        for (&variable, value) in &other.terms {
            let entry = self.terms.entry(variable).or_default();
            *entry += &(value * &factor);
            if entry.is_zero() {
                self.terms.remove(&variable);
            }
        }
    }

    pub(super) fn value(&self, values: &[Rational]) -> Rational {
        let mut sum = self.constant.clone();
        for (&variable, factor) in &self.terms {
            sum += &(&values[variable as usize] * factor);
        }
        sum
    }
}

/// The linear program, with shorthands.
#[derive(Clone, Default)]
pub(super) struct Program {
    pub(super) problem: Problem,
}

impl Program {
    pub(super) fn positive(&mut self, cost: i64) -> Lin {
        Lin::variable(self.problem.add_variable(Rational::from(cost)))
    }

    /// A variable of any sign.
    pub(super) fn free(&mut self, cost: i64) -> Lin {
        let mut both = self.positive(cost);
        let down = self.positive(cost);
        both.add(&down, -1);
        both
    }

    /// The sum is at least 0.
    pub(super) fn require(&mut self, sum: &Lin) {
        let row: Vec<(Variable, Rational)> = sum.terms.iter().map(|(&v, f)| (Variable(v), -f)).collect();
        self.problem.add_row(&row, sum.constant.clone());
    }

    /// Something that is no more than any of these.
    pub(super) fn least(&mut self, of: &[Lin]) -> Lin {
        if let [only] = of {
            return only.clone();
        }
        let least = self.free(0);
        for each in of {
            let mut room = each.clone();
            room.add(&least, -1);
            self.require(&room);
        }
        least
    }

    /// Something that is no more than the factor times any number of a span.
    pub(super) fn product(&mut self, factor: &Lin, (low, high): Span) -> Lin {
        let mut product = Lin::default();
        if factor.is_zero() {
            return product;
        }
        match (low, high) {
            (Some(low), Some(high)) if low >= high => product.add(factor, low),
            (Some(low), Some(high)) => {
                // The positive part of the factor, at least.
                let part = self.positive(0);
                let mut room = part.clone();
                room.add(factor, -1);
                self.require(&room);
                product.add(factor, high);
                product.add(&part, low - high);
            }
            (Some(low), None) => {
                self.require(factor);
                product.add(factor, low);
            }
            (None, Some(high)) => {
                let mut down = Lin::default();
                down.add(factor, -1);
                self.require(&down);
                product.add(factor, high);
            }
            (None, None) => {
                let mut down = Lin::default();
                down.add(factor, -1);
                self.require(factor);
                self.require(&down);
            }
        }
        product
    }
}
