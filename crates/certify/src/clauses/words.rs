//! Machine integers as words of literals, and their operators as gates.
//!
//! Operations are total and mean what the interpreter of C makes of them ([`cfront::term::apply`]), which is also what
//! SMT-LIB says: unsigned division by zero gives all ones, its remainder is the dividend, and the signed ones follow from
//! these by signs and absolute values. A word without an input is a number; an operation on such words is the
//! interpreter's own.

use super::circuit::{Circuit, FALSE, TRUE};
use cfront::term::{Operation, Scalar};
use model::refutation::Literal;
use std::rc::Rc;

/// The widest word.
pub(crate) const WIDEST: u32 = 128;
/// The interpreter computes with numbers up to this width, of either sign.
const COMPUTED: u32 = 64;

/// An integer of fixed width; a truth value is a word of one bit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Word {
    /// A constant. Bits above the width are zero.
    Number { width: u32, bits: u128 },
    /// The lowest bit first. Not all of them are constants.
    Bits(Rc<[Literal]>),
}

impl Word {
    /// The number with the lowest bits of these.
    pub(crate) fn number(width: u32, bits: u128) -> Word {
        let bits = if width >= WIDEST { bits } else { bits & ((1 << width) - 1) };
        Word::Number { width, bits }
    }

    fn of(bits: Vec<Literal>) -> Word {
        if bits.iter().any(|&bit| bit != TRUE && bit != FALSE) {
            return Word::Bits(bits.into());
        }
        let number = bits.iter().rev().fold(0, |number, &bit| number << 1 | u128::from(bit == TRUE));
        Word::Number { width: bits.len() as u32, bits: number }
    }

    pub(crate) fn width(&self) -> u32 {
        match self {
            Word::Number { width, .. } => *width,
            Word::Bits(bits) => bits.len() as u32,
        }
    }

    /// The literals, the lowest first.
    pub(crate) fn bits(&self) -> Rc<[Literal]> {
        match self {
            Word::Number { width, bits } => {
                (0..*width).map(|place| if bits >> place & 1 == 1 { TRUE } else { FALSE }).collect()
            }
            Word::Bits(bits) => Rc::clone(bits),
        }
    }

    /// The lowest bit: of a truth value, whether it holds.
    pub(crate) fn lowest(&self) -> Literal {
        self.bits()[0]
    }

    /// Bits from `low` up, as many as `width` says. There must be as many.
    pub(crate) fn extract(&self, low: u32, width: u32) -> Word {
        match self {
            Word::Number { bits, .. } => Word::number(width, bits >> low),
            Word::Bits(bits) => Word::of(bits[low as usize..(low + width) as usize].to_vec()),
        }
    }

    /// This word above another one.
    pub(crate) fn above(&self, low: &Word) -> Word {
        Word::of(low.bits().iter().chain(self.bits().iter()).copied().collect())
    }

    /// Truncated, or widened by copies of the sign or by zeros.
    pub(crate) fn resized(&self, width: u32, signed: bool) -> Word {
        if width <= self.width() {
            return self.extract(0, width);
        }
        let mut bits = self.bits().to_vec();
        bits.resize(width as usize, if signed { sign(&bits) } else { FALSE });
        Word::of(bits)
    }
}

impl Circuit<'_> {
    /// A word of which nothing is known.
    pub(crate) fn any_word(&mut self, width: u32) -> Word {
        Word::of((0..width).map(|_| self.input()).collect())
    }

    /// Every bit flipped.
    pub(crate) fn complement(&mut self, a: &Word) -> Word {
        Word::of(flipped(&a.bits()))
    }

    /// The negative number, wrapping.
    pub(crate) fn negative(&mut self, a: &Word) -> Word {
        Word::of(self.negated(&a.bits()))
    }

    /// The second if the first holds, else the third.
    pub(crate) fn select(&mut self, which: Literal, then: &Word, other: &Word) -> Word {
        match which {
            TRUE => then.clone(),
            FALSE => other.clone(),
            _ if then == other => then.clone(),
            _ => Word::of(self.chosen(which, &then.bits(), &other.bits())),
        }
    }

    /// Whether two words of one width are equal.
    pub(crate) fn equal(&mut self, a: &Word, b: &Word) -> Literal {
        if let (Word::Number { bits: a, .. }, Word::Number { bits: b, .. }) = (a, b) {
            return if a == b { TRUE } else { FALSE };
        }
        let same: Vec<Literal> = a.bits().iter().zip(b.bits().iter()).map(|(&x, &y)| !self.xor(x, y)).collect();
        self.all(same.into_iter())
    }

    /// An operation on words of one width.
    pub(crate) fn apply(&mut self, operation: Operation, signed: bool, x: &Word, y: &Word) -> Word {
        self.spend(1);
        let width = x.width();
        if let (Word::Number { bits: a, .. }, Word::Number { bits: b, .. }) = (x, y)
            && width <= COMPUTED
        {
            let scalar = Scalar { width: width as u8, signed };
            let width = if operation.compares() { 1 } else { width };
            return Word::number(width, cfront::term::apply(operation, scalar, *a, *b));
        }
        let (a, b) = (x.bits(), y.bits());
        Word::of(match operation {
            Operation::And => self.each(&a, &b, Circuit::and),
            Operation::Or => self.each(&a, &b, Circuit::or),
            Operation::Xor => self.each(&a, &b, Circuit::xor),
            Operation::Add => self.sum(&a, &b, FALSE).0,
            Operation::Subtract => self.sum(&a, &flipped(&b), TRUE).0,
            Operation::Multiply => self.product(&a, &b),
            Operation::Divide if signed => self.signed_quotient(&a, &b),
            Operation::Divide => self.division(&a, &b).0,
            Operation::Remainder if signed => self.signed_remainder(&a, &b),
            Operation::Remainder => self.division(&a, &b).1,
            Operation::ShiftLeft => {
                let mirrored = a.iter().rev().copied().collect();
                let mut shifted = self.shifted_down(mirrored, &b, FALSE);
                shifted.reverse();
                shifted
            }
            Operation::ShiftRight => self.shifted_down(a.to_vec(), &b, if signed { sign(&a) } else { FALSE }),
            Operation::Less => vec![self.less(&a, &b, signed)],
            Operation::LessEqual => vec![!self.less(&b, &a, signed)],
            Operation::Equal => vec![self.equal(x, y)],
        })
    }

    fn each(&mut self, a: &[Literal], b: &[Literal], gate: fn(&mut Self, Literal, Literal) -> Literal) -> Vec<Literal> {
        a.iter().zip(b).map(|(&x, &y)| gate(self, x, y)).collect()
    }

    fn chosen(&mut self, which: Literal, then: &[Literal], other: &[Literal]) -> Vec<Literal> {
        then.iter().zip(other).map(|(&x, &y)| self.choice(which, x, y)).collect()
    }

    /// The sum, and the carry that goes out.
    fn sum(&mut self, a: &[Literal], b: &[Literal], mut carry: Literal) -> (Vec<Literal>, Literal) {
        let mut sum = Vec::with_capacity(a.len());
        for (&x, &y) in a.iter().zip(b) {
            let half = self.xor(x, y);
            sum.push(self.xor(half, carry));
            carry = self.majority(x, y, carry);
        }
        (sum, carry)
    }

    fn negated(&mut self, a: &[Literal]) -> Vec<Literal> {
        self.sum(&vec![FALSE; a.len()], &flipped(a), TRUE).0
    }

    /// The sum of copies of one factor, one for each digit of the other.
    fn product(&mut self, a: &[Literal], b: &[Literal]) -> Vec<Literal> {
        // Which one has the digits does not matter; with the same choice for both orders, both products are one.
        let (a, digits) = (a.min(b), a.max(b));
        let mut sum = vec![FALSE; a.len()];
        for (place, &digit) in digits.iter().enumerate().filter(|(_, digit)| **digit != FALSE) {
            let row: Vec<Literal> = a[..a.len() - place].iter().map(|&bit| self.and(bit, digit)).collect();
            let upper = self.sum(&sum[place..], &row, FALSE).0;
            sum.splice(place.., upper);
        }
        sum
    }

    /// Quotient and remainder without signs, digit by digit as in school. With a divisor of zero every digit of the
    /// quotient is one, and the remainder is the dividend.
    fn division(&mut self, dividend: &[Literal], divisor: &[Literal]) -> (Vec<Literal>, Vec<Literal>) {
        let width = dividend.len();
        let mut subtracted = flipped(divisor);
        subtracted.push(TRUE);
        let (mut quotient, mut rest) = (vec![FALSE; width], vec![FALSE; width]);
        for place in (0..width).rev() {
            // The rest is less than the divisor, so with one more digit it has one more bit.
            rest.insert(0, dividend[place]);
            // The carry of a difference says that it is not negative.
            let (difference, fits) = self.sum(&rest, &subtracted, TRUE);
            rest = self.chosen(fits, &difference, &rest);
            rest.truncate(width);
            quotient[place] = fits;
        }
        (quotient, rest)
    }

    fn magnitude(&mut self, a: &[Literal]) -> Vec<Literal> {
        let opposite = self.negated(a);
        self.chosen(sign(a), &opposite, a)
    }

    fn signed_quotient(&mut self, a: &[Literal], b: &[Literal]) -> Vec<Literal> {
        let (dividend, divisor) = (self.magnitude(a), self.magnitude(b));
        let quotient = self.division(&dividend, &divisor).0;
        let (is_negative, opposite) = (self.xor(sign(a), sign(b)), self.negated(&quotient));
        self.chosen(is_negative, &opposite, &quotient)
    }

    fn signed_remainder(&mut self, a: &[Literal], b: &[Literal]) -> Vec<Literal> {
        let (dividend, divisor) = (self.magnitude(a), self.magnitude(b));
        let remainder = self.division(&dividend, &divisor).1;
        let opposite = self.negated(&remainder);
        self.chosen(sign(a), &opposite, &remainder)
    }

    /// Each bit moves down by the amount, and `fill` comes in above: by one place, by two, by four and so on.
    fn shifted_down(&mut self, mut word: Vec<Literal>, amount: &[Literal], fill: Literal) -> Vec<Literal> {
        for (digit, &taken) in amount.iter().enumerate() {
            let places = 1_usize.checked_shl(digit as u32).unwrap_or(word.len()).min(word.len());
            let mut moved = word[places..].to_vec();
            moved.resize(word.len(), fill);
            word = self.chosen(taken, &moved, &word);
        }
        word
    }

    /// Whether the first is less: the highest bit in which they differ decides.
    fn less(&mut self, a: &[Literal], b: &[Literal], signed: bool) -> Literal {
        let mut less = FALSE;
        for (place, (&x, &y)) in a.iter().zip(b).enumerate() {
            let differ = self.xor(x, y);
            // Of two signs, the one that is set is the lesser.
            let decides = if signed && place + 1 == a.len() { x } else { y };
            less = self.choice(differ, decides, less);
        }
        less
    }
}

fn flipped(bits: &[Literal]) -> Vec<Literal> {
    bits.iter().map(|&bit| !bit).collect()
}

/// The highest bit.
fn sign(bits: &[Literal]) -> Literal {
    bits[bits.len() - 1]
}

#[cfg(test)]
#[path = "words_tests.rs"]
mod tests;
