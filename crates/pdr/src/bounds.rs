//! Comparisons of sums, as bounds.
//!
//! The weakest precondition of `i < 3` before `i++` is `i + 1 < 3`, then `i + 2 < 3`, and so on: literals that look
//! different each round and never generalise. On machine integers the numbers that satisfy such a comparison are an
//! interval on a circle. Cut open at the smallest number it is one interval or two; the one with the value of the model
//! is `a <= i && i <= b`. That is at least as strong, it holds in the model, and its parts are bounds that can be dropped
//! and compared with those of other rounds.

use bitvector::{Evaluation, Op, TermId, Terms};

/// Bounds that imply a comparison of a sum with a constant and hold in the model; nothing for other literals.
pub(crate) fn as_bounds(terms: &mut Terms, literal: TermId, evaluation: &mut Evaluation) -> Option<Vec<TermId>> {
    let (holds, comparison) = match (terms.node(literal).op(), terms.node(literal).arguments()) {
        (Op::Not, &[inner]) => (false, inner),
        _ => (true, literal),
    };
    let node = terms.node(comparison);
    let signed = match node.op() {
        Op::Slt => true,
        Op::Ult => false,
        _ => return None,
    };
    let &[left, right] = node.arguments() else { return None };
    let circle = Circle::new(terms.width(left), signed);
    // The interval of the sum.
    let (sum, from, to) = match (terms.as_const(left), terms.as_const(right)) {
        (None, Some(end)) if holds => (left, circle.first, circle.minus(end, 1)),
        (None, Some(end)) => (left, end, circle.last()),
        (Some(end), None) if holds => (right, circle.minus(end, 0).wrapping_add(1) & circle.mask, circle.last()),
        (Some(end), None) => (right, circle.first, end),
        _ => return None,
    };
    let &[a, b] = terms.node(sum).arguments() else { return None };
    if terms.node(sum).op() != Op::Add {
        return None;
    }
    let (word, shift) = match (terms.as_const(a), terms.as_const(b)) {
        (None, Some(shift)) => (a, shift),
        (Some(shift), None) => (b, shift),
        _ => return None,
    };
    let (from, to) = (circle.minus(from, shift), circle.minus(to, shift));
    let value = evaluation.bits(terms, word);
    let (mut below, mut above) = (Some(from), Some(to));
    if circle.rank(from) > circle.rank(to) {
        // It crosses the cut: the half with the value.
        if circle.rank(value) >= circle.rank(from) { above = None } else { below = None }
    }
    let mut bounds = Vec::new();
    for (bound, lower) in [(below, true), (above, false)] {
        if let Some(bound) = bound {
            let constant = terms.constant(circle.width, bound);
            let (small, large) = if lower { (constant, word) } else { (word, constant) };
            bounds.push(if signed { terms.sle(small, large) } else { terms.ule(small, large) });
        }
    }
    let all_hold = bounds.iter().all(|&bound| evaluation.bits(terms, bound) == 1);
    all_hold.then_some(bounds)
}

/// The numbers of a width in a circle, from the smallest to the largest.
struct Circle {
    width: u32,
    mask: u128,
    first: u128,
}

impl Circle {
    fn new(width: u32, signed: bool) -> Circle {
        let mask = if width >= 128 { u128::MAX } else { (1 << width) - 1 };
        Circle { width, mask, first: if signed { 1 << (width - 1) } else { 0 } }
    }

    fn last(&self) -> u128 {
        self.minus(self.first, 1)
    }

    fn minus(&self, a: u128, b: u128) -> u128 {
        a.wrapping_sub(b) & self.mask
    }

    /// How far a number is from the smallest.
    fn rank(&self, a: u128) -> u128 {
        self.minus(a, self.first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bitvector::{Model, Sort};

    #[test]
    fn bounds_imply_the_comparison_and_hold_in_the_model_for_all_small_numbers() {
        for shift in 1..16_u128 {
            for end in 0..16_u128 {
                for value in 0..16_u128 {
                    for shape in 0..4 {
                        one_case(shift, end, value, shape);
                    }
                }
            }
        }
    }

    fn one_case(shift: u128, end: u128, value: u128, shape: u32) {
        let mut terms = Terms::new();
        let x = terms.var("x", Sort::Bv(4));
        let (shift, end) = (terms.constant(4, shift), terms.constant(4, end));
        let sum = terms.add(x, shift);
        let comparison = match shape {
            0 => terms.slt(sum, end),
            1 => terms.slt(end, sum),
            2 => terms.ult(sum, end),
            _ => terms.ult(end, sum),
        };
        let model = Model::new(vec![(x, value)]);
        let literal = if model.satisfies(&terms, comparison) { comparison } else { terms.not(comparison) };
        let Some(bounds) = as_bounds(&mut terms, literal, &mut Evaluation::new(model.clone())) else { return };
        assert!(bounds.iter().all(|&bound| model.satisfies(&terms, bound)));
        for other in 0..16 {
            let other = Model::new(vec![(x, other)]);
            if bounds.iter().all(|&bound| other.satisfies(&terms, bound)) {
                assert!(other.satisfies(&terms, literal));
            }
        }
    }
}
