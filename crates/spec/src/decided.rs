//! Whether a condition of a specification can hold, without a solver.
//!
//! Conditions of returns and guards of routines compare `$0`, `$1`, … with numbers. Such a comparison changes its truth only
//! next to the number and where signed and unsigned numbers wrap around, so a few values stand for all of them
//! ([`candidates`]). If none of these satisfies a condition that is made of such comparisons, nothing does. What is made of
//! anything else is satisfiable if one of the values shows it, and is not decided otherwise.

use bitvector::{Model, Op, Sort, TermId, Terms};

/// More combinations of values than this are not tried.
const MOST: usize = 4096;

/// Whether a condition can hold at all, if that can be told.
pub(crate) fn decided(terms: &Terms, condition: TermId) -> Option<bool> {
    if let Some(bits) = terms.as_const(condition) {
        return Some(bits != 0);
    }
    let variables = terms.free_variables(&[condition]);
    let values: Vec<Vec<u128>> = variables.iter().map(|&variable| candidates(terms, condition, variable)).collect();
    let count = values.iter().try_fold(1usize, |count, each| count.checked_mul(each.len()));
    let count = count.filter(|&count| count <= MOST)?;
    let satisfies = |mut number: usize| {
        let chosen = variables.iter().zip(&values).map(|(&variable, each)| {
            let place = number % each.len();
            number /= each.len();
            (variable, each[place])
        });
        Model::new(chosen.collect()).satisfies(terms, condition)
    };
    match (0..count).any(satisfies) {
        true => Some(true),
        false => compares_only(terms, condition).then_some(false),
    }
}

/// The values of a variable next to which a comparison with a number of the condition can change.
fn candidates(terms: &Terms, condition: TermId, variable: TermId) -> Vec<u128> {
    let width = terms.width(variable);
    if terms.sort(variable) == Sort::Bool {
        return vec![0, 1];
    }
    let mask = if width >= 128 { u128::MAX } else { (1 << width) - 1 };
    let middle = 1u128 << (width - 1);
    let numbers = terms.parts(&[condition]).into_iter().filter_map(|part| terms.as_const(part));
    let around = numbers.chain([0, middle]).flat_map(|number| [number.wrapping_sub(1), number, number.wrapping_add(1)]);
    let mut values: Vec<u128> = around.map(|value| value & mask).collect();
    values.sort_unstable();
    values.dedup();
    values
}

/// Whether a condition is made of comparisons of one variable with one number each.
fn compares_only(terms: &Terms, condition: TermId) -> bool {
    let mut todo = vec![condition];
    while let Some(next) = todo.pop() {
        let node = terms.node(next);
        let truths = node.arguments().iter().all(|&argument| terms.sort(argument) == Sort::Bool);
        let plain = |term: TermId| {
            let node = terms.node(term);
            let inner = match node.op() {
                Op::Zext | Op::Sext => node.arguments().first().map_or(term, |&inner| inner),
                _ => term,
            };
            matches!(terms.node(inner).op(), Op::Var(_))
        };
        match (node.op(), node.arguments()) {
            (Op::Const(_), _) => {}
            (Op::Var(_), _) if node.sort() == Sort::Bool => {}
            (Op::Not | Op::And | Op::Or | Op::Ite | Op::Eq, parts) if truths => todo.extend_from_slice(parts),
            (Op::Eq | Op::Ult | Op::Slt, &[a, b])
                if plain(a) && terms.as_const(b).is_some() || plain(b) && terms.as_const(a).is_some() => {}
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
            let variables = [terms.var("x", Sort::Bv(3)), terms.var("y", Sort::Bv(3))];
            let depth = 2 + random.below(2) as u32;
            let condition = condition(&mut random, &mut terms, &variables, depth);
            let holds = (0..64u128).any(|bits| {
                let model = Model::new(vec![(variables[0], bits & 7), (variables[1], bits >> 3)]);
                model.satisfies(&terms, condition)
            });
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
        let mut value = variables[random.below(2) as usize];
        let wide = random.below(3);
        value = match wide {
            0 => value,
            1 => terms.zext(value, 5),
            _ => terms.sext(value, 5),
        };
        let width = if wide == 0 { 3 } else { 5 };
        let other = match random.below(12) {
            0 => terms.add(value, value),
            _ => terms.constant(width, u128::from(random.below(1u64 << width))),
        };
        match random.below(5) {
            0 => terms.eq(value, other),
            1 => terms.ult(value, other),
            2 => terms.ult(other, value),
            3 => terms.slt(value, other),
            _ => terms.sle(other, value),
        }
    }
}
