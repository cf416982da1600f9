//! Every operation of a table against the semantics of SMT-LIB that the search has.

use super::*;
use crate::clauses::circuit::tests::{holds, simulate};
use bitvector::{Model, Terms};
use model::budget::Budget;
use testing::{Random, seeds};

fn as_sort(sort: Sort) -> bitvector::Sort {
    if sort == TRUTH { bitvector::Sort::Bool } else { bitvector::Sort::Bv(sort) }
}

/// A random operation that fits, with the sorts of its arguments.
fn random_apply(random: &mut Random, width: u32) -> (bitvector::Op, Sort, Vec<Sort>) {
    use bitvector::Op;
    let (op, _) = bitvector::table::NAMES[random.below(bitvector::table::NAMES.len())];
    let part = 1 + random.below(width as usize) as u32;
    match op {
        Op::Not => (op, TRUTH, vec![TRUTH]),
        Op::And | Op::Or => (op, TRUTH, vec![TRUTH; 2]),
        Op::Eq if random.one_in(3) => (op, TRUTH, vec![TRUTH; 2]),
        Op::Eq | Op::Ult | Op::Slt => (op, TRUTH, vec![width; 2]),
        Op::Ite if random.one_in(3) => (op, TRUTH, vec![TRUTH; 3]),
        Op::Ite => (op, width, vec![TRUTH, width, width]),
        Op::BvNot | Op::BvNeg => (op, width, vec![width]),
        Op::Concat if part < width => (op, width, vec![part, width - part]),
        Op::Concat => (Op::Add, width, vec![width; 2]),
        Op::Extract(_) => (Op::Extract(random.below((width - part + 1) as usize) as u32), part, vec![width]),
        Op::Zext | Op::Sext => (op, width, vec![part]),
        _ => (op, width, vec![width; 2]),
    }
}

#[test]
fn operations_mean_what_smt_lib_says() {
    let budget = Budget::unlimited();
    for seed in 0..seeds(1500) {
        let mut random = Random::new(seed);
        let width = [1, 2, 3, 4, 7, 8, 31, 32, 33, 64, 65, 127, 128][random.below(13)];
        let (op, sort, sorts) = random_apply(&mut random, width);
        let mut terms = Terms::new();
        let names = ["a", "b", "c"];
        let variables: Vec<_> = sorts.iter().zip(names).map(|(&sort, name)| terms.var(name, as_sort(sort))).collect();
        let term = terms.make(op, as_sort(sort), &variables);
        let mut nodes: Vec<ProofNode> =
            (0..sorts.len() as u32).map(|variable| ProofNode::Variable { variable }).collect();
        nodes.push(bitvector::table::apply(op, as_sort(sort), (0..sorts.len() as u32).collect()));
        let table = Table::new(&nodes, &sorts).unwrap_or_else(|at| panic!("seed {seed}: {:?}", nodes[at]));
        let root = sorts.len() as u32;
        let mut circuit = Circuit::new(&budget);
        let words: Vec<Word> = sorts.iter().map(|&sort| circuit.any_word(sort.max(1))).collect();
        let below = table.below(&[root]);
        let word = table.evaluate(&mut circuit, &below, &words).get(root).clone();
        for _ in 0..8 {
            let number = |random: &mut Random, word: &Word| {
                let any = u128::from(random.bits()) << 64 | u128::from(random.bits());
                let bits = match random.below(5) {
                    0 => any,
                    1 => 1 << random.below(word.width() as usize),
                    2 => u128::MAX >> random.below(128),
                    3 => u128::from(word.width()) - u128::from(random.bits() % 2),
                    _ => any % 4,
                };
                Word::number(word.width(), bits)
            };
            let numbers: Vec<Word> = words.iter().map(|word| number(&mut random, word)).collect();
            let bits =
                |word: &Word| word.bits().iter().map(|&bit| bit == crate::clauses::circuit::TRUE).collect::<Vec<_>>();
            let inputs: Vec<bool> = numbers.iter().flat_map(bits).collect();
            let value = |bits: &[bool]| bits.iter().rev().fold(0_u128, |sum, &bit| sum << 1 | u128::from(bit));
            let model = variables.iter().zip(&numbers).map(|(&variable, number)| (variable, value(&bits(number))));
            let expected = Model::new(model.collect()).evaluate(&terms, term).bits;
            let gates = simulate(&circuit, &|input| inputs[input]);
            let found: Vec<bool> = word.bits().iter().map(|&bit| holds(&gates, bit)).collect();
            assert_eq!(value(&found), expected, "seed {seed}: {op:?} {sort} {numbers:?}");
            let folded = table.evaluate(&mut circuit, &below, &numbers).get(root).clone();
            assert_eq!(folded, Word::number(sort.max(1), expected), "seed {seed}: {op:?} {sort} {numbers:?}");
        }
    }
}
