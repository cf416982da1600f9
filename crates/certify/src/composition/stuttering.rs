//! Formulas that are invariant under stuttering.
//!
//! The rules are those of [`model::composition_proof`]: each part of a formula allows some of the four pairs of its truth at
//! a silent position and its truth at the position after it. All pairs are listed, and operators are tried on all of them.

use model::composition::Atom;
use model::formula::{Connective, Ltl, Modality};

/// Truth at a silent position, and at the position after it.
type Pair = (bool, bool);

const BOTH: [bool; 2] = [false, true];

/// Whether silent positions may be put in and taken out without changing the truth of a formula.
pub(super) fn is_invariant(formula: &Ltl<Atom>) -> bool {
    pairs(formula).is_some_and(|pairs| agree(&pairs))
}

fn agree(pairs: &[Pair]) -> bool {
    pairs.iter().all(|(silent, after)| silent == after)
}

/// The pairs that a formula allows; none if what is silent later on may change its truth.
fn pairs(formula: &Ltl<Atom>) -> Option<Vec<Pair>> {
    match formula {
        Ltl::Constant(value) => Some(vec![(*value, *value)]),
        Ltl::Atom(atom, _) => Some(match **atom {
            Atom::Proposition(_) => vec![(false, false), (true, true)],
            Atom::Event(_) => vec![(false, false), (false, true)],
        }),
        Ltl::Unary(op, inner) => {
            let inner = pairs(inner)?;
            match op {
                Modality::Not => Some(inner.into_iter().map(|(silent, after)| (!silent, !after)).collect()),
                Modality::Next => None,
                Modality::Always => temporal(&inner, &inner, |a, _, later| a && later),
                Modality::Eventually => temporal(&inner, &inner, |a, _, later| a || later),
            }
        }
        Ltl::Binary(op, a, b) => {
            let (a, b) = (pairs(a)?, pairs(b)?);
            match op {
                Connective::And => Some(each(&a, &b, |a, b| a && b)),
                Connective::Or => Some(each(&a, &b, |a, b| a || b)),
                Connective::Implies => Some(each(&a, &b, |a, b| !a || b)),
                Connective::Iff => Some(each(&a, &b, |a, b| a == b)),
                Connective::Until | Connective::WeakUntil => temporal(&a, &b, |a, b, later| b || a && later),
                Connective::Release => temporal(&a, &b, |a, b, later| b && (a || later)),
            }
        }
    }
}

fn each(a: &[Pair], b: &[Pair], both: impl Fn(bool, bool) -> bool) -> Vec<Pair> {
    let mut found: Vec<Pair> =
        a.iter().flat_map(|a| b.iter().map(|b| (both(a.0, b.0), both(a.1, b.1))).collect::<Vec<_>>()).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// An operator whose value follows from its operands and its own value at the next position.
fn temporal(a: &[Pair], b: &[Pair], value: impl Fn(bool, bool, bool) -> bool) -> Option<Vec<Pair>> {
    let mut found = Vec::new();
    for later in BOTH {
        for (a, b) in a.iter().flat_map(|a| b.iter().map(move |b| (a, b))) {
            let after = value(a.1, b.1, later);
            found.push((value(a.0, b.0, after), after));
        }
    }
    found.sort_unstable();
    found.dedup();
    agree(&found).then_some(found)
}

/// The rules are our own, and so are those of the engine; the test is one for both.
#[cfg(test)]
#[path = "../../../compose/src/stuttering/tests.rs"]
mod tests;
