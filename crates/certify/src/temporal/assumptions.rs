//! What a formula assumes of runs, beside the automaton of the rest.
//!
//! Conjuncts of a negated formula that only speak of what occurs again and again, `[]<> b` and `<>[] a || []<> b`
//! without temporal operators in `a` and `b`, need no states: wherever `a` does not hold, a step requests `b`, and
//! where `b` holds, it is granted. Made part of a tableau, each of them would triple it.

use super::product::{Atoms, Debt, Debts};
use super::tableau::{Formulas, Node, Obligations, Tableau};
use crate::Refusal;

/// Assumptions, in the numbers of formulas of their tableau.
#[derive(Default)]
pub(crate) struct Assumptions {
    formulas: Formulas,
    /// Of each: where something else does not hold, something is requested; and where one of these holds, it is
    /// granted.
    list: Vec<(Option<u32>, Vec<u32>)>,
}

/// A tableau without the assumptions, and these.
pub(crate) fn apart(mut tableau: Tableau) -> (Tableau, Assumptions) {
    let mut assumptions = Assumptions { formulas: tableau.formulas.clone(), list: Vec::new() };
    let first = tableau.states[tableau.initial as usize].clone();
    let (mut rest, conjuncts) =
        (Obligations::new(), first.iter().flat_map(|&formula| assumptions.parts(formula, true)));
    for conjunct in conjuncts.collect::<Vec<u32>>() {
        match assumptions.assumption(conjunct) {
            Some(assumption) => assumptions.list.push(assumption),
            None => drop(rest.insert(conjunct)),
        }
    }
    tableau.initial = tableau.number(rest);
    (tableau, assumptions)
}

impl Assumptions {
    /// What is requested and granted at a position.
    pub(super) fn at(&self, atoms: Atoms) -> Result<(Debts, Debts), Refusal> {
        let (mut requested, mut granted) = (Debts::new(), Debts::new());
        for (number, (unless, then)) in self.list.iter().enumerate() {
            let debt = Debt::Assumption(number as u32);
            let unless = unless.map(|unless| self.holds(unless, atoms)).transpose()?;
            if unless != Some(true) {
                requested.insert(debt);
            }
            for &then in then {
                if self.holds(then, atoms)? {
                    granted.insert(debt);
                }
            }
        }
        Ok((requested, granted))
    }

    /// The conjuncts of a formula, or its disjuncts.
    fn parts(&self, formula: u32, conjuncts: bool) -> Vec<u32> {
        match self.formulas.nodes[formula as usize] {
            Node::And(a, b) if conjuncts => [self.parts(a, true), self.parts(b, true)].concat(),
            Node::Or(a, b) if !conjuncts => [self.parts(a, false), self.parts(b, false)].concat(),
            _ => vec![formula],
        }
    }

    /// `<>[] a || []<> b || []<> c ..` as `a` and the others; `a` may be missing.
    fn assumption(&self, formula: u32) -> Option<(Option<u32>, Vec<u32>)> {
        let (mut unless, mut then) = (None, Vec::new());
        for part in self.parts(formula, false) {
            match (
                self.eventually(part).and_then(|a| self.always(a)),
                self.always(part).and_then(|b| self.eventually(b)),
            ) {
                (Some(a), _) if self.is_boolean(a) && unless.is_none() => unless = Some(a),
                (_, Some(b)) if self.is_boolean(b) => then.push(b),
                _ => return None,
            }
        }
        Some((unless, then))
    }

    fn always(&self, formula: u32) -> Option<u32> {
        match self.formulas.nodes[formula as usize] {
            Node::Release(no, a) if self.formulas.nodes[no as usize] == Node::Constant(false) => Some(a),
            _ => None,
        }
    }

    fn eventually(&self, formula: u32) -> Option<u32> {
        match self.formulas.nodes[formula as usize] {
            Node::Until(yes, a) if self.formulas.nodes[yes as usize] == Node::Constant(true) => Some(a),
            _ => None,
        }
    }

    fn is_boolean(&self, formula: u32) -> bool {
        match self.formulas.nodes[formula as usize] {
            Node::Constant(_) | Node::Literal(..) => true,
            Node::And(a, b) | Node::Or(a, b) => self.is_boolean(a) && self.is_boolean(b),
            Node::Next(_) | Node::Until(..) | Node::Release(..) => false,
        }
    }

    /// Whether a formula without temporal operators holds. Each condition in it must have a value.
    fn holds(&self, formula: u32, atoms: Atoms) -> Result<bool, Refusal> {
        Ok(match self.formulas.nodes[formula as usize] {
            Node::Constant(value) => value,
            Node::Literal(atom, holds) => (atoms.ask(atom)? != 0) == holds,
            Node::And(a, b) => self.holds(a, atoms)? & self.holds(b, atoms)?,
            Node::Or(a, b) => self.holds(a, atoms)? | self.holds(b, atoms)?,
            Node::Next(_) | Node::Until(..) | Node::Release(..) => false,
        })
    }
}
