//! A condition that is a list of cases, taken apart.
//!
//! An invariant may be a list of states: one condition whose disjunctions, multiplied out, give many conjunctions, and each
//! says of several variables which numbers they are. A walk from one of them passes few ways. All conjunctions
//! together are the condition, by the distributive law and nothing else, so no state is left out.

use bitvector::{Op, Sort, TermId, Terms};

/// Conjunctions of one condition.
const MOST: usize = 60_000;
/// With fewer, one question for all is better.
const FEWEST: usize = 8;
/// Variables that each conjunction says the number of, at least.
const CONSTANTS: usize = 2;
/// Literals of all conjunctions together.
const LITERALS: usize = 20_000_000;

/// The cases of the condition that has the most, each as the literals that it is the conjunction of.
pub(super) fn split(terms: &Terms, conditions: &[TermId]) -> Option<Vec<Vec<TermId>>> {
    let split = conditions.iter().filter_map(|&condition| conjunctions(terms, condition));
    split.max_by_key(Vec::len)
}

/// The variable and the number of a literal that says that they are equal.
pub(super) fn constant(terms: &mut Terms, literal: TermId) -> Option<(TermId, TermId)> {
    let (variable, bits) = equation(terms, literal)?;
    let sort = terms.sort(variable);
    Some((variable, terms.constant_of(sort, bits)))
}

fn equation(terms: &Terms, literal: TermId) -> Option<(TermId, u128)> {
    let is_variable = |term: TermId| matches!(terms.node(term).op(), Op::Var(_));
    let node = terms.node(literal);
    match (node.op(), node.arguments()) {
        (Op::Var(_), _) if node.sort() == Sort::Bool => Some((literal, 1)),
        (Op::Not, &[variable]) if is_variable(variable) => Some((variable, 0)),
        (Op::Eq, &[a, b]) if is_variable(a) => Some((a, terms.as_const(b)?)),
        (Op::Eq, &[a, b]) if is_variable(b) => Some((b, terms.as_const(a)?)),
        _ => None,
    }
}

/// Multiplies a condition out, if that gives a list as described above.
fn conjunctions(terms: &Terms, condition: TermId) -> Option<Vec<Vec<TermId>>> {
    let mut done: Vec<Vec<TermId>> = Vec::new();
    let mut literals = 0;
    // What is still to be multiplied, and the literals so far.
    let mut waiting: Vec<(Vec<TermId>, Vec<TermId>)> = vec![(vec![condition], Vec::new())];
    while let Some((mut factors, mut conjunction)) = waiting.pop() {
        let Some(factor) = factors.pop() else {
            let constants = conjunction.iter().filter(|&&literal| equation(terms, literal).is_some()).count();
            literals += conjunction.len();
            if constants < CONSTANTS || done.len() == MOST || literals > LITERALS {
                return None;
            }
            done.push(conjunction);
            continue;
        };
        let node = terms.node(factor);
        match node.op() {
            Op::And => {
                factors.extend_from_slice(node.arguments());
                waiting.push((factors, conjunction));
            }
            Op::Or => {
                for &choice in node.arguments() {
                    let mut factors = factors.clone();
                    factors.push(choice);
                    waiting.push((factors, conjunction.clone()));
                }
            }
            _ => {
                conjunction.push(factor);
                waiting.push((factors, conjunction));
            }
        }
    }
    (done.len() >= FEWEST).then_some(done)
}

#[cfg(test)]
mod tests {
    use super::*;
    use bitvector::Model;

    /// `(x == 0 && y == 0 || x == 1 && (y == 1 || y == 2) && z …)`, as a diagram over four values of each.
    fn diagram(terms: &mut Terms, listed: &dyn Fn(u128, u128) -> bool) -> (TermId, [TermId; 2]) {
        let words = ["x", "y"].map(|name| terms.var(name, Sort::Bv(8)));
        let mut rows = Vec::new();
        for (x, y) in (0..8).flat_map(|x| (0..8).map(move |y| (x, y))).filter(|&(x, y)| listed(x, y)) {
            let numbers = [terms.constant(8, x), terms.constant(8, y)];
            let literals = [terms.eq(words[0], numbers[0]), terms.eq(words[1], numbers[1])];
            rows.push(terms.and_all(&literals));
        }
        (terms.or_all(&rows), words)
    }

    #[test]
    fn the_cases_of_a_list_are_its_states_and_no_others() {
        let mut terms = Terms::new();
        let listed = |x: u128, y: u128| (x * 3 + y) % 4 == 1;
        let (condition, words) = diagram(&mut terms, &listed);
        let cases = split(&terms, &[condition]).unwrap();
        for (x, y) in (0..10).flat_map(|x| (0..10).map(move |y| (x, y))) {
            let model = Model::new(vec![(words[0], x), (words[1], y)]);
            let in_a_case = cases.iter().any(|case| case.iter().all(|&literal| model.satisfies(&terms, literal)));
            assert_eq!(in_a_case, model.satisfies(&terms, condition), "{x}, {y}");
        }
        for literal in cases.into_iter().flatten() {
            assert!(constant(&mut terms, literal).is_some());
        }
    }

    #[test]
    fn a_clause_and_a_short_list_stay_whole() {
        let mut terms = Terms::new();
        let (condition, words) = diagram(&mut terms, &|x, y| x == 1 && y < 3);
        assert_eq!(split(&terms, &[condition]), None);
        let mut clause = Vec::new();
        for number in 0..20 {
            let number = terms.constant(8, number);
            clause.push(terms.eq(words[0], number));
        }
        let clause = terms.or_all(&clause);
        assert_eq!(split(&terms, &[clause]), None);
    }
}
