//! Every operator against the interpreter: all values of small widths, corner values and random ones of the machine's.

use super::super::circuit::Answer;
use super::super::circuit::tests::{holds, simulate};
use super::*;
use Operation::*;
use bitvector::SatRefuter;
use model::budget::Budget;
use testing::{Random, seeds};

const ALL: [Operation; 13] =
    [Add, Subtract, Multiply, Divide, Remainder, And, Or, Xor, ShiftLeft, ShiftRight, Equal, Less, LessEqual];

/// The number that a word is, given the bits of the inputs.
fn value(circuit: &Circuit<'_>, word: &Word, inputs: &dyn Fn(usize) -> bool) -> u128 {
    let values = simulate(circuit, inputs);
    word.bits().iter().rev().fold(0, |number, &bit| number << 1 | u128::from(holds(&values, bit)))
}

/// A circuit for each operation, each sign, and words or numbers as operands.
fn compare(width: u32, pairs: &[(u128, u128)]) {
    let budget = Budget::unlimited();
    for (operation, signed) in ALL.into_iter().flat_map(|operation| [(operation, false), (operation, true)]) {
        let scalar = Scalar { width: width as u8, signed };
        let mut circuit = Circuit::new(&budget);
        let (x, y) = (circuit.any_word(width), circuit.any_word(width));
        let result = circuit.apply(operation, signed, &x, &y);
        for &(a, b) in pairs {
            let expected = cfront::term::apply(operation, scalar, a, b);
            let inputs = |input: usize| {
                let (word, place) = if input < width as usize { (a, input) } else { (b, input - width as usize) };
                word >> place & 1 == 1
            };
            assert_eq!(value(&circuit, &result, &inputs), expected, "{operation:?} {scalar:?} {a} {b}");
            // With numbers in the place of words, the gates fold to the same.
            let numbers = [Word::number(width, a), Word::number(width, b)];
            let mut circuit = Circuit::new(&budget);
            let (x, y) = (circuit.any_word(width), circuit.any_word(width));
            let left = circuit.apply(operation, signed, &numbers[0], &y);
            let right = circuit.apply(operation, signed, &x, &numbers[1]);
            let both = circuit.apply(operation, signed, &numbers[0], &numbers[1]);
            assert_eq!(both, Word::number(result.width(), expected), "{operation:?} {scalar:?} {a} {b}");
            for half in [left, right] {
                assert_eq!(value(&circuit, &half, &inputs), expected, "{operation:?} {scalar:?} {a} {b}");
            }
        }
    }
}

#[test]
fn all_values_of_small_widths() {
    for width in 1..=4 {
        let pairs: Vec<(u128, u128)> = (0..1 << width).flat_map(|x| (0..1 << width).map(move |y| (x, y))).collect();
        compare(width, &pairs);
    }
}

/// Numbers where something changes, and some others.
fn corners(width: u32, random: &mut Random) -> Vec<u128> {
    let top = 1_u128 << (width - 1);
    let mut found = vec![0, 1, 2, 3, 7, u128::from(width) - 1, u128::from(width), top - 1, top, top + 1, 2 * top - 1];
    found.extend((0..6).map(|_| u128::from(random.bits()) & (2 * top - 1)));
    found.extend((0..3).map(|_| u128::from(random.bits()) >> (64 - random.below(width as usize).max(1))));
    found
}

#[test]
fn corner_values_of_the_widths_of_the_machine() {
    for seed in 0..seeds(2) {
        let mut random = Random::new(seed);
        for width in [5, 8, 13, 16, 32, 64] {
            let each = corners(width, &mut random);
            let count = if width > 16 { 25 } else { 100 };
            let pairs: Vec<(u128, u128)> =
                (0..count).map(|_| (each[random.below(each.len())], each[random.below(each.len())])).collect();
            compare(width, &pairs);
        }
    }
}

#[test]
fn clauses_admit_the_result_and_nothing_else() {
    let budget = Budget::unlimited();
    for (operation, signed) in ALL.into_iter().flat_map(|operation| [(operation, false), (operation, true)]) {
        for width in [1, 3] {
            let mut circuit = Circuit::new(&budget);
            let (x, y) = (circuit.any_word(width), circuit.any_word(width));
            let result = circuit.apply(operation, signed, &x, &y);
            for (a, b) in (0..1 << width).flat_map(|a| (0..1 << width).map(move |b| (a, b))) {
                let expected = cfront::term::apply(operation, Scalar { width: width as u8, signed }, a, b);
                let is = |circuit: &mut Circuit<'_>, word: &Word, bits| {
                    circuit.equal(word, &Word::number(word.width(), bits))
                };
                let (is_a, is_b) = (is(&mut circuit, &x, a), is(&mut circuit, &y, b));
                let right = is(&mut circuit, &result, expected);
                let (with, without) = ([is_a, is_b, right], [is_a, is_b, !right]);
                let (with, without) = (circuit.all(with.into_iter()), circuit.all(without.into_iter()));
                assert_eq!(circuit.ask(with, &mut SatRefuter), Answer::Possible, "{operation:?} {a} {b}");
                assert_eq!(circuit.ask(without, &mut SatRefuter), Answer::Never, "{operation:?} {a} {b}");
            }
        }
    }
}

#[test]
fn words_are_cut_widened_put_together_and_chosen() {
    let budget = Budget::unlimited();
    let mut circuit = Circuit::new(&budget);
    let (x, y, which) = (circuit.any_word(4), circuit.any_word(4), circuit.input());
    let changed = [
        x.extract(1, 2),
        x.resized(7, false),
        x.resized(7, true),
        x.resized(3, true),
        x.above(&y),
        circuit.complement(&x),
        circuit.negative(&x),
        circuit.select(which, &x, &y),
    ];
    for (a, b, c) in (0..16_u128).flat_map(|a| (0..16).flat_map(move |b| [(a, b, false), (a, b, true)])) {
        let signed = if a >= 8 { a | 0x70 } else { a };
        let expected = [a >> 1 & 3, a, signed, a & 7, a << 4 | b, !a & 15, (16 - a) & 15, if c { a } else { b }];
        let inputs = |input: usize| if input == 8 { c } else { (a | b << 4) >> input & 1 == 1 };
        for (word, expected) in changed.iter().zip(expected) {
            assert_eq!(value(&circuit, word, &inputs), expected, "{a} {b} {c}");
        }
        let numbers = [Word::number(4, a), Word::number(4, b)];
        let of_numbers = [
            numbers[0].extract(1, 2),
            numbers[0].resized(7, false),
            numbers[0].resized(7, true),
            numbers[0].resized(3, true),
            numbers[0].above(&numbers[1]),
            circuit.complement(&numbers[0]),
            circuit.negative(&numbers[0]),
            circuit.select(if c { TRUE } else { FALSE }, &numbers[0], &numbers[1]),
        ];
        for (word, expected) in of_numbers.iter().zip(expected) {
            assert_eq!(*word, Word::number(word.width(), expected), "{a} {b} {c}");
        }
    }
}
