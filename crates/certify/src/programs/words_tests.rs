//! Random expressions of C against the interpreter.

use super::*;
use crate::clauses::circuit::tests::{holds, simulate};
use cfront::program::VariableId;
use cfront::term::{Operation, Scalar};
use model::budget::Budget;
use testing::{Random, seeds};

const WIDTHS: [u8; 8] = [1, 2, 3, 4, 8, 16, 32, 64];
const OPERATIONS: [Operation; 13] = {
    use Operation::*;
    [Add, Subtract, Multiply, Divide, Remainder, And, Or, Xor, ShiftLeft, ShiftRight, Equal, Less, LessEqual]
};

fn random_scalar(random: &mut Random) -> Scalar {
    Scalar { width: WIDTHS[random.below(WIDTHS.len())], signed: random.one_in(2) }
}

/// An expression of a scalar over two variables of each width.
fn random_term(pool: &mut Terms, random: &mut Random, scalar: Scalar, depth: u32) -> TermId {
    let leaf = depth == 0 || random.one_in(6);
    if leaf && random.one_in(4) {
        return pool.constant(i128::from(random.bits()), scalar);
    }
    if leaf {
        let place = WIDTHS.iter().position(|&width| width == scalar.width).unwrap_or(0);
        let number = 2 * place + random.below(2);
        return pool.variable(VariableId(number as u32), scalar);
    }
    match random.below(9) {
        0 => {
            let a = random_term(pool, random, scalar, depth - 1);
            pool.not(a)
        }
        1 => {
            let a = random_term(pool, random, scalar, depth - 1);
            pool.negate(a)
        }
        2 | 3 => {
            let from = random_scalar(random);
            let a = random_term(pool, random, from, depth - 1);
            pool.convert(a, scalar)
        }
        4 => {
            let which = random_term(pool, random, Scalar::BOOL, depth - 1);
            let then = random_term(pool, random, scalar, depth - 1);
            let other = random_term(pool, random, scalar, depth - 1);
            pool.select(which, then, other)
        }
        _ => {
            let operation = OPERATIONS[random.below(OPERATIONS.len())];
            let of = if operation.compares() { random_scalar(random) } else { scalar };
            let a = random_term(pool, random, of, depth - 1);
            let b = random_term(pool, random, of, depth - 1);
            let result = pool.binary(operation, a, b);
            pool.convert(result, scalar)
        }
    }
}

#[test]
fn expressions_have_the_values_that_the_interpreter_gives_them() {
    let budget = Budget::unlimited();
    for seed in 0..seeds(400) {
        let mut random = Random::new(seed);
        let mut pool = Terms::new();
        let scalar = random_scalar(&mut random);
        let depth = 1 + random.below(4) as u32;
        let root = random_term(&mut pool, &mut random, scalar, depth);
        let mut circuit = Circuit::new(&budget);
        let widths = WIDTHS.iter().flat_map(|&width| [u32::from(width); 2]);
        let values: Vec<Word> = widths.map(|width| circuit.any_word(width)).collect();
        let word = evaluate(&mut circuit, &pool, root, &values, &mut Known::new()).expect("it is finished");
        assert_eq!(word.width(), u32::from(scalar.width));
        for _ in 0..12 {
            let numbers: Vec<u64> = values
                .iter()
                .map(|value| match random.below(4) {
                    0 => random.bits(),
                    1 => 1 << random.below(value.width() as usize),
                    2 => (1_u64 << random.below(value.width() as usize)).wrapping_sub(1),
                    _ => u64::MAX - random.bits() % 3,
                })
                .collect();
            let mut inputs: Vec<bool> = Vec::new();
            for (value, number) in values.iter().zip(&numbers) {
                inputs.extend((0..value.width()).map(|place| number >> place & 1 == 1));
            }
            let expected = pool.evaluate(root, &|variable| numbers[variable.0 as usize]);
            let bits = simulate(&circuit, &|input| inputs[input]);
            let found = word.bits().iter().rev().fold(0, |sum: u128, &bit| sum << 1 | u128::from(holds(&bits, bit)));
            assert_eq!(found, expected, "seed {seed}: {numbers:?}");
            // With numbers in the place of words.
            let known: Vec<Word> =
                values.iter().zip(&numbers).map(|(value, &n)| Word::number(value.width(), n.into())).collect();
            let found = evaluate(&mut circuit, &pool, root, &known, &mut Known::new());
            assert_eq!(found, Some(Word::number(u32::from(scalar.width), expected)), "seed {seed}: {numbers:?}");
        }
    }
}
