//! Exact numbers that are quick while they are small.
//!
//! The numbers of the linear programs that come here are nearly all tiny integers, but elimination can make any
//! number grow without limit. So a [`Rational`] is two machine words (numerator and denominator) as long as they
//! suffice, and a big fraction behind a pointer beyond that. Both forms take sixteen bytes, because a small
//! denominator is never zero and the compiler keeps the distinction there.
//!
//! There is one form for each number: fractions are reduced, denominators are positive, and a result that fits
//! into the small form is always brought back to it. Equality and hashing may therefore look at the form alone.
//!
//! The small operations follow Knuth (The Art of Computer Programming, vol. 2, §4.5.1): the greatest common divisors
//! are taken *before* multiplying, so they are always of 64-bit numbers; 128 bits hold everything in between.

mod operators;

use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;
use std::borrow::Cow;
use std::num::NonZeroU64;

/// An exact rational number.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Rational(Form);

#[derive(Clone, PartialEq, Eq, Hash)]
enum Form {
    /// Reduced; the denominator is at most `i64::MAX`, so that two cross products can be added in 128 bits.
    Small { num: i64, den: NonZeroU64 },
    /// Reduced; used only for what does not fit above.
    Big(Box<RBig>),
}

const UNIT: NonZeroU64 = NonZeroU64::MIN;
const LARGEST_DENOMINATOR: u128 = i64::MAX as u128;

impl Rational {
    /// 0.
    pub const ZERO: Rational = Rational::integer(0);
    /// 1.
    pub const ONE: Rational = Rational::integer(1);

    /// An integer, in constant expressions too.
    pub const fn integer(value: i64) -> Rational {
        Rational(Form::Small { num: value, den: UNIT })
    }

    /// `numerator / denominator`, or nothing if the denominator is zero.
    pub fn fraction(numerator: i128, denominator: i128) -> Option<Rational> {
        if denominator == 0 {
            return None;
        }
        let sign = if denominator < 0 { IBig::from(-1) } else { IBig::from(1) };
        let fraction = RBig::from_parts(IBig::from(numerator) * sign, UBig::from(denominator.unsigned_abs()));
        Some(Rational::from_big(fraction))
    }

    /// Whether this is 0.
    #[inline]
    pub fn is_zero(&self) -> bool {
        matches!(self.0, Form::Small { num: 0, .. })
    }

    /// Whether this is below 0.
    #[inline]
    pub fn is_negative(&self) -> bool {
        self.signum() < 0
    }

    /// Whether this is above 0.
    #[inline]
    pub fn is_positive(&self) -> bool {
        self.signum() > 0
    }

    /// −1, 0 or 1.
    #[inline]
    pub fn signum(&self) -> i32 {
        match &self.0 {
            Form::Small { num, .. } => num.signum() as i32,
            Form::Big(big) if *big.numerator() < IBig::ZERO => -1,
            Form::Big(_) => 1,
        }
    }

    /// Whether the denominator is 1.
    pub fn is_integer(&self) -> bool {
        match &self.0 {
            Form::Small { den, .. } => *den == UNIT,
            Form::Big(big) => big.is_int(),
        }
    }

    /// Whether the number has outgrown two machine words.
    pub fn is_big(&self) -> bool {
        matches!(self.0, Form::Big(_))
    }

    /// The magnitude.
    pub fn abs(&self) -> Rational {
        if self.is_negative() { -self } else { self.clone() }
    }

    /// The inverse, or nothing for 0.
    pub fn recip(&self) -> Option<Rational> {
        match &self.0 {
            Form::Small { num: 0, .. } => None,
            Form::Small { num, den } => {
                let (num, den) = (*num as i128, den.get() as i128);
                Some(Rational::from_reduced(num.signum() * den, num.unsigned_abs()))
            }
            Form::Big(big) => Some(Rational::from_big(RBig::ONE / &**big)),
        }
    }

    /// The greatest integer that is not above this number.
    pub fn floor(&self) -> Rational {
        match &self.0 {
            Form::Small { num, den } => Rational::integer((*num as i128).div_euclid(den.get() as i128) as i64),
            Form::Big(big) => Rational::from_big(RBig::from(big.floor())),
        }
    }

    /// The least integer that is not below this number.
    pub fn ceil(&self) -> Rational {
        -(-self).floor()
    }

    /// The number itself, if it is an integer of at most 128 bits.
    pub fn to_i128(&self) -> Option<i128> {
        match &self.0 {
            _ if !self.is_integer() => None,
            Form::Small { num, .. } => Some(*num as i128),
            Form::Big(big) => i128::try_from(big.numerator()).ok(),
        }
    }

    /// The numerator of the reduced fraction, an integer with the sign of the number.
    pub fn numerator(&self) -> Rational {
        match &self.0 {
            Form::Small { num, .. } => Rational::integer(*num),
            Form::Big(big) => Rational::from_big(RBig::from(big.numerator().clone())),
        }
    }

    /// The denominator of the reduced fraction, a positive integer.
    pub fn denominator(&self) -> Rational {
        match &self.0 {
            Form::Small { den, .. } => Rational::from_reduced(den.get() as i128, 1),
            Form::Big(big) => Rational::from_big(RBig::from(big.denominator().clone())),
        }
    }

    /// Roughly this number, for choosing between candidates that are all correct.
    pub(crate) fn estimate(&self) -> f64 {
        match &self.0 {
            Form::Small { num, den } => *num as f64 / den.get() as f64,
            Form::Big(big) => big.to_f64_fast(),
        }
    }

    /// `self -= left * right`, the inner loop of elimination.
    #[inline]
    pub(crate) fn subtract_product(&mut self, left: &Rational, right: &Rational) {
        if let (Some(here), Some(left), Some(right)) = (self.as_i64(), left.as_i64(), right.as_i64())
            && let Some(result) = left.checked_mul(right).and_then(|product| here.checked_sub(product))
        {
            *self = Rational::integer(result);
            return;
        }
        *self = &*self - &(left * right);
    }

    #[inline]
    fn as_i64(&self) -> Option<i64> {
        match self.0 {
            Form::Small { num, den: UNIT } => Some(num),
            _ => None,
        }
    }

    /// A reduced fraction with `den > 0`, in its one form.
    #[inline]
    fn from_reduced(num: i128, den: u128) -> Rational {
        match i64::try_from(num) {
            Ok(num) if den <= LARGEST_DENOMINATOR => {
                Rational(Form::Small { num, den: NonZeroU64::new(den as u64).unwrap_or(UNIT) })
            }
            _ => Rational(Form::Big(Box::new(RBig::from_parts(IBig::from(num), UBig::from(den))))),
        }
    }

    fn from_big(big: RBig) -> Rational {
        match (i64::try_from(big.numerator()), i64::try_from(big.denominator())) {
            (Ok(num), Ok(den)) => Rational::from_reduced(num as i128, den as u128),
            _ => Rational(Form::Big(Box::new(big))),
        }
    }

    fn as_big(&self) -> Cow<'_, RBig> {
        match &self.0 {
            Form::Small { num, den: UNIT } => Cow::Owned(RBig::from(IBig::from(*num))),
            Form::Small { num, den } => Cow::Owned(RBig::from_parts(IBig::from(*num), UBig::from(den.get()))),
            Form::Big(big) => Cow::Borrowed(big),
        }
    }

    /// One of the four operations where at least one number is big. Integers need no reduction.
    fn combine(
        &self,
        other: &Rational,
        integers: impl Fn(&IBig, &IBig) -> IBig,
        fractions: impl Fn(&RBig, &RBig) -> RBig,
    ) -> Rational {
        let (left, right) = (self.as_big(), other.as_big());
        Rational::from_big(if left.is_int() && right.is_int() {
            RBig::from(integers(left.numerator(), right.numerator()))
        } else {
            fractions(&left, &right)
        })
    }
}

/// The least positive integer that makes an integer of every one of `values` when multiplied with it.
pub fn common_denominator<'a>(values: impl IntoIterator<Item = &'a Rational>) -> Rational {
    values.into_iter().fold(Rational::ONE, |common, value| least_common_multiple(common, value.denominator()))
}

fn least_common_multiple(left: Rational, right: Rational) -> Rational {
    match (left.as_i64(), right.as_i64()) {
        (_, Some(1)) => left,
        (Some(a), Some(b)) => {
            let divisor = greatest_common_divisor(a.unsigned_abs(), b.unsigned_abs()) as i128;
            Rational::from_reduced(a as i128 / divisor * b as i128, 1)
        }
        // The denominator of a/b reduced is b / gcd(a, b).
        _ => &left * &(&left / &right).denominator(),
    }
}

/// Stein's binary algorithm; the gcd of 0 and n is n.
#[inline]
fn greatest_common_divisor(mut a: u64, mut b: u64) -> u64 {
    if a == 1 || b == 1 {
        return 1;
    }
    if a == 0 || b == 0 {
        return a | b;
    }
    let twos = (a | b).trailing_zeros();
    a >>= a.trailing_zeros();
    while b != 0 {
        b >>= b.trailing_zeros();
        if a > b {
            std::mem::swap(&mut a, &mut b);
        }
        b -= a;
    }
    a << twos
}

fn sum(left: &Rational, right: &Rational) -> Rational {
    match (&left.0, &right.0) {
        (Form::Small { num: a, den: UNIT }, Form::Small { num: b, den: UNIT }) => {
            Rational::from_reduced(*a as i128 + *b as i128, 1)
        }
        (Form::Small { num: a, den: b }, Form::Small { num: c, den: d }) => {
            small_sum(*a as i128, b.get(), *c as i128, d.get())
        }
        _ => left.combine(right, |a, b| a + b, |a, b| a + b),
    }
}

/// a/b + c/d. With g = gcd(b, d), only divisors of g can be left to cancel.
fn small_sum(a: i128, b: u64, c: i128, d: u64) -> Rational {
    let g = greatest_common_divisor(b, d);
    let numerator = a * (d / g) as i128 + c * (b / g) as i128;
    if numerator == 0 {
        return Rational::ZERO;
    }
    let h = greatest_common_divisor((numerator.unsigned_abs() % g as u128) as u64, g);
    Rational::from_reduced(numerator / h as i128, (b / g) as u128 * (d / h) as u128)
}

fn difference(left: &Rational, right: &Rational) -> Rational {
    match (&left.0, &right.0) {
        (Form::Small { num: a, den: UNIT }, Form::Small { num: b, den: UNIT }) => {
            Rational::from_reduced(*a as i128 - *b as i128, 1)
        }
        (Form::Small { num: a, den: b }, Form::Small { num: c, den: d }) => {
            small_sum(*a as i128, b.get(), -(*c as i128), d.get())
        }
        _ => left.combine(right, |a, b| a - b, |a, b| a - b),
    }
}

fn product(left: &Rational, right: &Rational) -> Rational {
    match (&left.0, &right.0) {
        (Form::Small { num: a, den: UNIT }, Form::Small { num: b, den: UNIT }) => {
            Rational::from_reduced(*a as i128 * *b as i128, 1)
        }
        (Form::Small { num: 0, .. }, _) | (_, Form::Small { num: 0, .. }) => Rational::ZERO,
        (Form::Small { num: a, den: b }, Form::Small { num: c, den: d }) => {
            let across = greatest_common_divisor(a.unsigned_abs(), d.get());
            let back = greatest_common_divisor(c.unsigned_abs(), b.get());
            let numerator = (*a as i128 / across as i128) * (*c as i128 / back as i128);
            Rational::from_reduced(numerator, (b.get() / back) as u128 * (d.get() / across) as u128)
        }
        _ => left.combine(right, |a, b| a * b, |a, b| a * b),
    }
}

/// Like the division of integers, it does not exist for a divisor of zero; [`Rational::recip`] asks first.
fn quotient(left: &Rational, right: &Rational) -> Rational {
    if right.as_i64() == Some(1) || (left.is_zero() && !right.is_zero()) {
        return left.clone();
    }
    match right.recip() {
        Some(inverse) => product(left, &inverse),
        None => panic!("a rational number was divided by zero"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cmp::Ordering;

    fn ratio(numerator: i128, denominator: i128) -> Rational {
        Rational::fraction(numerator, denominator).unwrap()
    }

    #[test]
    fn a_rational_takes_sixteen_bytes() {
        assert_eq!(size_of::<Rational>(), 16);
    }

    /// Every operation on numbers around the borders of the small form agrees with big arithmetic, and has one form.
    #[test]
    fn small_operations_agree_with_big_ones() {
        let borders =
            [0, 1, -1, 2, 3, -6, 10, 35, i64::MAX as i128, i64::MIN as i128, i64::MAX as i128 + 1, 1 << 62, 1 << 100];
        let denominators = [1, 2, 3, 15, -7, i64::MAX as i128, (1 << 63), 1 << 32];
        let numbers: Vec<Rational> =
            borders.iter().flat_map(|&n| denominators.iter().map(move |&d| ratio(n, d))).collect();
        for a in &numbers {
            assert_eq!(-a, Rational::from_big(-a.as_big().into_owned()));
            assert_eq!(a.floor(), Rational::from_big(RBig::from(a.as_big().into_owned().floor())), "{a}");
            assert_eq!(a.ceil(), Rational::from_big(RBig::from(a.as_big().into_owned().ceil())), "{a}");
            assert_eq!(&a.numerator() / &a.denominator(), *a);
            for b in &numbers {
                assert_eq!(a + b, Rational::from_big(a.as_big().into_owned() + b.as_big().into_owned()), "{a} + {b}");
                assert_eq!(a - b, Rational::from_big(a.as_big().into_owned() - b.as_big().into_owned()), "{a} - {b}");
                assert_eq!(a * b, Rational::from_big(a.as_big().into_owned() * b.as_big().into_owned()), "{a} * {b}");
                assert_eq!(a.cmp(b), a.as_big().cmp(&b.as_big()), "{a} ? {b}");
                assert_eq!(a == b, a.cmp(b) == Ordering::Equal);
                if !b.is_zero() {
                    assert_eq!(
                        a / b,
                        Rational::from_big(a.as_big().into_owned() / b.as_big().into_owned()),
                        "{a} / {b}"
                    );
                }
                let mut fused = a.clone();
                fused.subtract_product(a, b);
                assert_eq!(fused, a - &(a * b));
            }
        }
    }

    #[test]
    fn a_big_result_that_fits_again_is_small_again() {
        let huge = ratio(1 << 100, 3);
        assert!(huge.is_big());
        let back = &huge / &ratio(1 << 99, 1);
        assert!(!back.is_big());
        assert_eq!(back, ratio(2, 3));
        assert_eq!(&huge - &huge, Rational::ZERO);
    }

    #[test]
    fn estimates_of_very_large_and_very_small_numbers_exist() {
        let power = |base: i64, n: u32| (0..n).fold(Rational::ONE, |product, _| product * Rational::integer(base));
        assert_eq!(power(2, 5000).estimate(), f64::INFINITY);
        assert_eq!((-power(2, 5000)).estimate(), f64::NEG_INFINITY);
        assert!(power(3, 5000).recip().unwrap().estimate().abs() < 1e-300);
        assert!(((power(3, 3000) / power(3, 2999)).estimate() - 3.0).abs() < 1e-9);
        let close = (power(3, 3000) + Rational::ONE) / power(3, 3000);
        assert!((close.estimate() - 1.0).abs() < 1e-9);
    }

    #[test]
    fn common_denominator_makes_integers() {
        let values = [ratio(1, 4), ratio(-5, 6), ratio(7, 1), ratio(1, 1 << 90)];
        assert_eq!(common_denominator(&values[..3]), Rational::integer(12));
        let common = common_denominator(&values);
        assert_eq!(common, Rational::from(3 * (1i128 << 90)));
        assert!(values.iter().all(|value| (value * &common).is_integer()));
        assert_eq!(common_denominator([]), Rational::ONE);
    }

    #[test]
    fn numbers_are_written_as_people_write_them() {
        assert_eq!(ratio(6, -4).to_string(), "-3/2");
        assert_eq!(ratio(6, 3).to_string(), "2");
        assert_eq!(ratio(i128::MAX, 2).to_string(), "170141183460469231731687303715884105727/2");
        assert_eq!(Rational::fraction(1, 0), None);
        assert_eq!(ratio(i128::MIN, -1).to_i128(), None);
        assert_eq!(Rational::from(i128::MIN).to_i128(), Some(i128::MIN));
        assert_eq!(ratio(1, 2).to_i128(), None);
    }
}
