//! Formulas of models, and formulas over numbered atoms.
//!
//! A model states a formula over what it knows ([`model::formula::Ltl`]): conditions, propositions, events. The translation
//! into automata wants numbers for them, and what was read from a text wants to be a formula of a model again.

use crate::formula::Formula;
use model::formula::{Connective, Ltl, Modality};

/// A formula with its atoms as numbers: their places in a list.
pub fn numbered<A: PartialEq>(formula: &Ltl<A>, atoms: &[(A, String)]) -> Formula {
    let inner = |e: &Ltl<A>| Box::new(numbered(e, atoms));
    match formula {
        Ltl::Constant(true) => Formula::True,
        Ltl::Constant(false) => Formula::False,
        Ltl::Atom(atom, _) => {
            let index = atoms.iter().position(|(known, _)| known == &**atom).unwrap_or(0);
            Formula::Atom(index as u32)
        }
        Ltl::Unary(op, e) => match op {
            Modality::Not => Formula::Not(inner(e)),
            Modality::Next => Formula::Next(inner(e)),
            Modality::Always => Formula::Globally(inner(e)),
            Modality::Eventually => Formula::Finally(inner(e)),
        },
        Ltl::Binary(op, a, b) => match op {
            Connective::And => Formula::And(inner(a), inner(b)),
            Connective::Or => Formula::Or(inner(a), inner(b)),
            Connective::Implies => Formula::Implies(inner(a), inner(b)),
            Connective::Iff => Formula::Iff(inner(a), inner(b)),
            Connective::Until => Formula::Until(inner(a), inner(b)),
            Connective::Release => Formula::Release(inner(a), inner(b)),
            Connective::WeakUntil => Formula::WeakUntil(inner(a), inner(b)),
        },
    }
}

/// The way back: each number becomes what stands in its place.
pub fn with_atoms<A: Clone>(formula: &Formula, atoms: &[Ltl<A>]) -> Ltl<A> {
    let inner = |e: &Formula| Box::new(with_atoms(e, atoms));
    let unary = |op: Modality, e: &Formula| Ltl::Unary(op, inner(e));
    let binary = |op: Connective, a: &Formula, b: &Formula| Ltl::Binary(op, inner(a), inner(b));
    match formula {
        Formula::True => Ltl::Constant(true),
        Formula::False => Ltl::Constant(false),
        Formula::Atom(index) => atoms.get(*index as usize).cloned().unwrap_or(Ltl::Constant(false)),
        Formula::Not(e) => unary(Modality::Not, e),
        Formula::Next(e) => unary(Modality::Next, e),
        Formula::Globally(e) => unary(Modality::Always, e),
        Formula::Finally(e) => unary(Modality::Eventually, e),
        Formula::And(a, b) => binary(Connective::And, a, b),
        Formula::Or(a, b) => binary(Connective::Or, a, b),
        Formula::Implies(a, b) => binary(Connective::Implies, a, b),
        Formula::Iff(a, b) => binary(Connective::Iff, a, b),
        Formula::Until(a, b) => binary(Connective::Until, a, b),
        Formula::Release(a, b) => binary(Connective::Release, a, b),
        Formula::WeakUntil(a, b) => binary(Connective::WeakUntil, a, b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back_is_the_same_formula() {
        let parsed =
            crate::parse("[] (a -> (b U (!a && X <> b))) W (a V (b <-> true))").unwrap_or_else(|e| panic!("{e}"));
        let atoms: Vec<(char, String)> = vec![('a', String::from("a")), ('b', String::from("b"))];
        let written: Vec<Ltl<char>> =
            atoms.iter().map(|(atom, text)| Ltl::Atom(Box::new(*atom), text.clone())).collect();
        assert_eq!(numbered(&with_atoms(&parsed.formula, &written), &atoms), parsed.formula);
    }
}
