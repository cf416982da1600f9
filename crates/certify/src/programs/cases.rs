//! A condition that is a list of cases, taken apart.
//!
//! An invariant may be a list of states: one condition whose disjunctions, multiplied out, give many conjunctions, and each
//! says of several variables which numbers they are. A walk from one of them passes few paths. All conjunctions
//! together are the condition, by the distributive law and nothing else, so no state is left out.

use super::table::{Parts, Table};

/// Conjunctions of one condition.
const MOST: usize = 60_000;
/// With fewer, one question for all is better.
const FEWEST: usize = 8;
/// Variables that each conjunction says the number of, at least.
const CONSTANTS: usize = 2;
/// Literals of all conjunctions together.
const LITERALS: usize = 20_000_000;

/// The cases of the condition that has the most, each as the entries that it is the conjunction of.
pub(super) fn split(table: &Table, conditions: &[u32]) -> Option<Vec<Vec<u32>>> {
    conditions.iter().filter_map(|&condition| conjunctions(table, condition)).max_by_key(Vec::len)
}

/// Multiplies a condition out, if that gives a list as described above.
fn conjunctions(table: &Table, condition: u32) -> Option<Vec<Vec<u32>>> {
    let mut done: Vec<Vec<u32>> = Vec::new();
    let mut literals = 0;
    // What is still to be multiplied, and the literals so far.
    let mut waiting: Vec<(Vec<u32>, Vec<u32>)> = vec![(vec![condition], Vec::new())];
    while let Some((mut factors, mut conjunction)) = waiting.pop() {
        let Some(factor) = factors.pop() else {
            let constants = conjunction.iter().filter(|&&literal| table.equation(literal).is_some()).count();
            literals += conjunction.len();
            if constants < CONSTANTS || done.len() == MOST || literals > LITERALS {
                return None;
            }
            done.push(conjunction);
            continue;
        };
        match table.parts(factor) {
            Parts::All(parts) => {
                factors.extend_from_slice(parts);
                waiting.push((factors, conjunction));
            }
            Parts::Any(parts) => {
                for &choice in parts {
                    let mut factors = factors.clone();
                    factors.push(choice);
                    waiting.push((factors, conjunction.clone()));
                }
            }
            Parts::Other => {
                conjunction.push(factor);
                waiting.push((factors, conjunction));
            }
        }
    }
    (done.len() >= FEWEST).then_some(done)
}

#[cfg(test)]
#[path = "cases_tests.rs"]
mod tests;
