//! Rational numbers as Rust sees them: operators for values and references, order, conversions, text.

use super::{Form, Rational, UNIT, difference, product, quotient, sum};
use std::cmp::Ordering;
use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

macro_rules! operator {
    ($trait:ident, $method:ident, $assign_trait:ident, $assign:ident, $function:ident) => {
        impl $trait<&Rational> for &Rational {
            type Output = Rational;
            #[inline]
            fn $method(self, other: &Rational) -> Rational {
                $function(self, other)
            }
        }
        impl $trait<Rational> for Rational {
            type Output = Rational;
            #[inline]
            fn $method(self, other: Rational) -> Rational {
                $function(&self, &other)
            }
        }
        impl $trait<&Rational> for Rational {
            type Output = Rational;
            #[inline]
            fn $method(self, other: &Rational) -> Rational {
                $function(&self, other)
            }
        }
        impl $trait<Rational> for &Rational {
            type Output = Rational;
            #[inline]
            fn $method(self, other: Rational) -> Rational {
                $function(self, &other)
            }
        }
        impl $assign_trait<&Rational> for Rational {
            #[inline]
            fn $assign(&mut self, other: &Rational) {
                *self = $function(self, other);
            }
        }
        impl $assign_trait<Rational> for Rational {
            #[inline]
            fn $assign(&mut self, other: Rational) {
                *self = $function(self, &other);
            }
        }
    };
}

operator!(Add, add, AddAssign, add_assign, sum);
operator!(Sub, sub, SubAssign, sub_assign, difference);
operator!(Mul, mul, MulAssign, mul_assign, product);
operator!(Div, div, DivAssign, div_assign, quotient);

impl Neg for &Rational {
    type Output = Rational;
    #[inline]
    fn neg(self) -> Rational {
        match &self.0 {
            Form::Small { num, den } => Rational::from_reduced(-(*num as i128), den.get() as u128),
            Form::Big(big) => Rational::from_big(-(**big).clone()),
        }
    }
}

impl Neg for Rational {
    type Output = Rational;
    #[inline]
    fn neg(self) -> Rational {
        -&self
    }
}

impl Ord for Rational {
    fn cmp(&self, other: &Rational) -> Ordering {
        match (&self.0, &other.0) {
            (Form::Small { num: a, den: b }, Form::Small { num: c, den: d }) if b == d => a.cmp(c),
            (Form::Small { num: a, den: b }, Form::Small { num: c, den: d }) => {
                (*a as i128 * d.get() as i128).cmp(&(*c as i128 * b.get() as i128))
            }
            (Form::Big(left), Form::Big(right)) => left.cmp(right),
            _ => self.as_big().cmp(&other.as_big()),
        }
    }
}

impl PartialOrd for Rational {
    fn partial_cmp(&self, other: &Rational) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Default for Rational {
    fn default() -> Rational {
        Rational::ZERO
    }
}

impl Sum for Rational {
    fn sum<I: Iterator<Item = Rational>>(terms: I) -> Rational {
        terms.fold(Rational::ZERO, |total, term| total + term)
    }
}

impl From<i64> for Rational {
    fn from(value: i64) -> Rational {
        Rational::integer(value)
    }
}

impl From<i32> for Rational {
    fn from(value: i32) -> Rational {
        Rational::integer(value as i64)
    }
}

impl From<i128> for Rational {
    fn from(value: i128) -> Rational {
        Rational::from_reduced(value, 1)
    }
}

impl fmt::Display for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Form::Small { num, den: UNIT } => write!(f, "{num}"),
            Form::Small { num, den } => write!(f, "{num}/{den}"),
            Form::Big(big) => write!(f, "{big}"),
        }
    }
}

impl fmt::Debug for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
