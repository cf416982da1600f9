//! Whether a condition of a specification can hold, without a solver.
//!
//! Conditions of returns and guards of routines compare `$0`, `$1`, … with numbers. Such a comparison changes its truth only
//! next to the number and where signed and unsigned numbers wrap around, so a few values stand for all of them
//! ([`candidates`]). If none of these satisfies a condition that is made of such comparisons, nothing does. What is made of
//! anything else is satisfiable if one of the values shows it, and is not decided otherwise.

use cfront::program::VariableId;
use cfront::term::{Operation, Scalar, Term, TermId, Terms};
use std::collections::{BTreeMap, HashSet};

/// More combinations of values than this are not tried.
const MOST: usize = 4096;

/// Whether a condition can hold at all, if that can be told.
pub(crate) fn decided(terms: &Terms, condition: TermId) -> Option<bool> {
    if let Some(bits) = terms.constant_bits(condition) {
        return Some(bits != 0);
    }
    let (variables, numbers) = leaves(terms, condition);
    let values: Vec<Vec<u64>> = variables.values().map(|&scalar| candidates(&numbers, scalar)).collect();
    let count = values.iter().try_fold(1usize, |count, each| count.checked_mul(each.len()));
    let count = count.filter(|&count| count <= MOST)?;
    let satisfies = |mut number: usize| {
        let chosen = variables.keys().zip(&values).map(|(&variable, each)| {
            let place = number % each.len();
            number /= each.len();
            (variable, each[place])
        });
        let chosen: BTreeMap<VariableId, u64> = chosen.collect();
        terms.evaluate(condition, &|variable| chosen[&variable]) == 1
    };
    match (0..count).any(satisfies) {
        true => Some(true),
        false => compares_only(terms, condition).then_some(false),
    }
}

/// The variables of a condition and its numbers.
fn leaves(terms: &Terms, condition: TermId) -> (BTreeMap<VariableId, Scalar>, Vec<u128>) {
    let (mut variables, mut numbers) = (BTreeMap::new(), Vec::new());
    let (mut seen, mut todo) = (HashSet::new(), vec![condition]);
    while let Some(next) = todo.pop() {
        if !seen.insert(next) {
            continue;
        }
        match terms.get(next) {
            Term::Variable(variable) => {
                variables.insert(variable, terms.scalar(next));
            }
            Term::Constant(bits) => numbers.push(bits),
            _ => todo.extend(terms.children(next)),
        }
    }
    (variables, numbers)
}

/// The values of a variable next to which a comparison with one of these numbers can change.
fn candidates(numbers: &[u128], scalar: Scalar) -> Vec<u64> {
    let middle = 1u128 << (scalar.width - 1);
    let around = numbers.iter().copied().chain([0, middle]);
    let around = around.flat_map(|number| [number.wrapping_sub(1), number, number.wrapping_add(1)]);
    let mut values: Vec<u64> = around.map(|value| scalar.truncate(value) as u64).collect();
    values.sort_unstable();
    values.dedup();
    values
}

/// Whether a condition is made of comparisons of one variable with one number each.
fn compares_only(terms: &Terms, condition: TermId) -> bool {
    let plain = |term: TermId| {
        let inner = match terms.get(term) {
            Term::Convert(inner) if terms.scalar(inner).width <= terms.scalar(term).width => inner,
            _ => term,
        };
        matches!(terms.get(inner), Term::Variable(_))
    };
    let number = |term: TermId| terms.constant_bits(term).is_some();
    let mut todo = vec![condition];
    while let Some(next) = todo.pop() {
        let below = terms.children(next);
        let truths = below.iter().all(|&child| terms.scalar(child).width == 1);
        match terms.get(next) {
            Term::Constant(_) | Term::Variable(_) if terms.scalar(next).width == 1 => {}
            Term::Not(_) | Term::Convert(_) | Term::Select(..) if truths => todo.extend(below),
            Term::Binary(Operation::And | Operation::Or | Operation::Equal, ..) if truths => todo.extend(below),
            Term::Binary(Operation::Equal | Operation::Less | Operation::LessEqual, a, b)
                if plain(a) && number(b) || plain(b) && number(a) => {}
            _ => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::random::Random;

    /// Random conditions over two variables of three bits, against all values.
    #[test]
    fn decided_conditions_agree_with_all_values() {
        let (mut yes, mut no, mut open) = (0, 0, 0);
        for seed in 0..4000 {
            let mut random = Random::new(seed);
            let mut terms = Terms::new();
            let scalar = Scalar { width: 3, signed: random.below(2) == 0 };
            let variables = [0, 1].map(|number| terms.variable(VariableId(number), scalar));
            let depth = 2 + random.below(2) as u32;
            let condition = condition(&mut random, &mut terms, &variables, depth);
            let value = |bits: u64, variable: VariableId| if variable.0 == 0 { bits & 7 } else { bits >> 3 };
            let holds = (0..64).any(|bits| terms.evaluate(condition, &|variable| value(bits, variable)) == 1);
            match decided(&terms, condition) {
                Some(answer) => assert_eq!(answer, holds, "seed {seed}"),
                None => open += 1,
            }
            *(if holds { &mut yes } else { &mut no }) += 1;
        }
        assert!(yes > 500 && no > 100 && open < 400, "{yes} can hold, {no} cannot, {open} are open");
    }

    fn condition(random: &mut Random, terms: &mut Terms, variables: &[TermId; 2], depth: u32) -> TermId {
        if depth > 0 && random.below(4) > 0 {
            let (a, b) =
                (condition(random, terms, variables, depth - 1), condition(random, terms, variables, depth - 1));
            return match random.below(4) {
                0 => terms.not(a),
                1 => terms.or(a, b),
                _ => terms.and(a, b),
            };
        }
        let variable = variables[random.below(2) as usize];
        let width = if random.below(3) == 0 { 3 } else { 5 };
        let scalar = Scalar { width, signed: random.below(2) == 0 };
        let value = terms.convert(variable, scalar);
        let other = match random.below(12) {
            0 => terms.binary(Operation::Add, value, value),
            _ => terms.constant(i128::from(random.below(1u64 << width)), scalar),
        };
        match random.below(4) {
            0 => terms.equal(value, other),
            1 => terms.binary(Operation::Less, value, other),
            2 => terms.binary(Operation::Less, other, value),
            _ => terms.binary(Operation::LessEqual, other, value),
        }
    }
}
