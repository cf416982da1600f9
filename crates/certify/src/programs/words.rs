//! Expressions of C with words of literals in the place of numbers: the interpreter's evaluation, operator by operator.

use crate::clauses::circuit::Circuit;
use crate::clauses::words::Word;
use cfront::term::{Term, TermId, Terms};
use std::collections::{BTreeSet, HashMap};

/// Expressions and their values, for those that share their parts.
pub(crate) type Known = HashMap<TermId, Word>;

/// The value of an expression under these values of the variables, by number; `None` if it is no finished expression.
/// `known` are values that were computed under the same ones.
pub(crate) fn evaluate(
    circuit: &mut Circuit<'_>,
    pool: &Terms,
    root: TermId,
    values: &[Word],
    known: &mut Known,
) -> Option<Word> {
    for part in new_parts(pool, root, known) {
        let value = one(circuit, pool, part, values, known)?;
        known.insert(part, value);
    }
    known.get(&root).cloned()
}

/// All parts that are not known, children first: they have smaller numbers.
fn new_parts(pool: &Terms, root: TermId, known: &Known) -> BTreeSet<TermId> {
    let mut found = BTreeSet::new();
    let mut waiting = vec![root];
    while let Some(next) = waiting.pop() {
        if !known.contains_key(&next) && found.insert(next) {
            waiting.extend(pool.children(next));
        }
    }
    found
}

fn one(circuit: &mut Circuit<'_>, pool: &Terms, part: TermId, values: &[Word], known: &Known) -> Option<Word> {
    let width = u32::from(pool.scalar(part).width);
    let of = |child: TermId| known.get(&child);
    Some(match pool.get(part) {
        Term::Constant(bits) => Word::number(width, bits),
        Term::Variable(variable) => values.get(variable.0 as usize)?.clone(),
        Term::Select(which, then, other) => circuit.select(of(which)?.lowest(), of(then)?, of(other)?),
        Term::Not(a) => circuit.complement(of(a)?),
        Term::Negate(a) => circuit.negative(of(a)?),
        Term::Convert(a) => of(a)?.resized(width, pool.scalar(a).signed),
        // The sign of the first operand says how both are read.
        Term::Binary(operation, a, b) => circuit.apply(operation, pool.scalar(a).signed, of(a)?, of(b)?),
        Term::Memory(_) => return None,
    })
}

#[cfg(test)]
#[path = "words_tests.rs"]
mod tests;
