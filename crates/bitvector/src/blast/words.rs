//! Arithmetic on words of literals, the lowest bit first.
//!
//! Adders ripple, products add shifted copies, quotients come from the restoring division of school. Division by zero
//! needs no case: the restoring circuit gives all ones and the dividend, as SMT-LIB wants.

use super::gates::Gates;
use crate::sat::Lit;

/// The lowest bit first.
pub(super) type Word = Vec<Lit>;

impl Gates {
    pub(super) fn word_constant(&self, bits: u128, width: u32) -> Word {
        (0..width).map(|place| self.constant(bits >> place & 1 == 1)).collect()
    }

    fn each(&mut self, a: &[Lit], b: &[Lit], gate: fn(&mut Gates, Lit, Lit) -> Lit) -> Word {
        a.iter().zip(b).map(|(&x, &y)| gate(self, x, y)).collect()
    }

    pub(super) fn word_and(&mut self, a: &[Lit], b: &[Lit]) -> Word {
        self.each(a, b, Gates::and)
    }

    pub(super) fn word_or(&mut self, a: &[Lit], b: &[Lit]) -> Word {
        self.each(a, b, Gates::or)
    }

    pub(super) fn word_xor(&mut self, a: &[Lit], b: &[Lit]) -> Word {
        self.each(a, b, Gates::xor)
    }

    pub(super) fn word_choice(&mut self, condition: Lit, then: &[Lit], other: &[Lit]) -> Word {
        then.iter().zip(other).map(|(&x, &y)| self.choice(condition, x, y)).collect()
    }

    /// Sum with a carry that comes in; the carry that goes out is dropped.
    fn add_with_carry(&mut self, a: &[Lit], b: &[Lit], mut carry: Lit) -> Word {
        let mut sum = Word::with_capacity(a.len());
        for (place, (&x, &y)) in a.iter().zip(b).enumerate() {
            let half = self.xor(x, y);
            sum.push(self.xor(half, carry));
            if place + 1 < a.len() {
                carry = self.majority(x, y, carry);
            }
        }
        sum
    }

    pub(super) fn word_add(&mut self, a: &[Lit], b: &[Lit]) -> Word {
        self.add_with_carry(a, b, self.constant(false))
    }

    pub(super) fn word_sub(&mut self, a: &[Lit], b: &[Lit]) -> Word {
        self.add_with_carry(a, &flipped(b), self.constant(true))
    }

    pub(super) fn word_neg(&mut self, a: &[Lit]) -> Word {
        let zero = self.word_constant(0, a.len() as u32);
        self.word_sub(&zero, a)
    }

    pub(super) fn word_mul(&mut self, a: &[Lit], b: &[Lit]) -> Word {
        let width = a.len();
        let mut sum = self.word_constant(0, width as u32);
        for (shift, &digit) in b.iter().enumerate() {
            if digit == self.constant(false) {
                continue;
            }
            let row: Word = a[..width - shift].iter().map(|&x| self.and(x, digit)).collect();
            let upper = self.word_add(&sum[shift..], &row);
            sum.truncate(shift);
            sum.extend(upper);
        }
        sum
    }

    /// Quotient and remainder, unsigned.
    pub(super) fn word_divide(&mut self, a: &[Lit], b: &[Lit]) -> (Word, Word) {
        let width = a.len();
        let zero = self.constant(false);
        let mut divisor = b.to_vec();
        divisor.push(zero);
        let mut remainder = self.word_constant(0, width as u32);
        let mut quotient = vec![zero; width];
        for place in (0..width).rev() {
            // One more digit comes down; the remainder has a bit more for a moment.
            remainder.insert(0, a[place]);
            let fits = !self.word_ult(&remainder, &divisor);
            let difference = self.word_sub(&remainder, &divisor);
            remainder = self.word_choice(fits, &difference, &remainder);
            remainder.truncate(width);
            quotient[place] = fits;
        }
        (quotient, remainder)
    }

    fn magnitude(&mut self, a: &[Lit]) -> Word {
        let negated = self.word_neg(a);
        self.word_choice(sign(a), &negated, a)
    }

    /// Quotient and remainder, signed: towards zero.
    pub(super) fn word_divide_signed(&mut self, a: &[Lit], b: &[Lit]) -> (Word, Word) {
        let (dividend, divisor) = (self.magnitude(a), self.magnitude(b));
        let (quotient, remainder) = self.word_divide(&dividend, &divisor);
        let differ = self.xor(sign(a), sign(b));
        let negated = self.word_neg(&quotient);
        let quotient = self.word_choice(differ, &negated, &quotient);
        let negated = self.word_neg(&remainder);
        let remainder = self.word_choice(sign(a), &negated, &remainder);
        (quotient, remainder)
    }

    /// Shift right by a word, `fill` comes in at the top.
    pub(super) fn word_shift_right(&mut self, a: &[Lit], amount: &[Lit], fill: Lit) -> Word {
        let width = a.len();
        let mut word = a.to_vec();
        let mut too_far = Vec::new();
        for (place, &bit) in amount.iter().enumerate() {
            // A shift by the width or more leaves nothing.
            if place >= 8 || 1usize << place >= width {
                too_far.push(!bit);
                continue;
            }
            let mut shifted = word[1 << place..].to_vec();
            shifted.resize(width, fill);
            word = self.word_choice(bit, &shifted, &word);
        }
        let near = self.conjunction(too_far);
        let filled = vec![fill; width];
        self.word_choice(near, &word, &filled)
    }

    pub(super) fn word_shift_left(&mut self, a: &[Lit], amount: &[Lit]) -> Word {
        let mut mirrored = a.to_vec();
        mirrored.reverse();
        let mut shifted = self.word_shift_right(&mirrored, amount, self.constant(false));
        shifted.reverse();
        shifted
    }

    pub(super) fn word_eq(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let same = self.each(a, b, Gates::same);
        self.conjunction(same)
    }

    /// Unsigned less than: the last carry of `!a + b`.
    pub(super) fn word_ult(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let mut less = self.constant(false);
        for (&x, &y) in a.iter().zip(b) {
            less = self.majority(!x, y, less);
        }
        less
    }

    /// Signed less than: unsigned, with the signs exchanged.
    pub(super) fn word_slt(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let (mut a, mut b) = (a.to_vec(), b.to_vec());
        if let (Some(x), Some(y)) = (a.last_mut(), b.last_mut()) {
            std::mem::swap(x, y);
        }
        self.word_ult(&a, &b)
    }
}

pub(super) fn flipped(word: &[Lit]) -> Word {
    word.iter().map(|&literal| !literal).collect()
}

pub(super) fn sign(word: &[Lit]) -> Lit {
    word[word.len() - 1]
}
