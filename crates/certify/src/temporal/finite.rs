//! Tableaux of formulas whose models show after finitely many steps: of negations of those that promise nothing.

use super::tableau::{Node, Tableau};
use std::collections::HashSet;

impl Tableau {
    /// Whether all that it follows shows after finitely many steps: nothing must be kept forever.
    pub(crate) fn is_finite(&self) -> bool {
        let mut work: Vec<u32> = self.states[self.initial as usize].iter().copied().collect();
        let mut seen = HashSet::new();
        while let Some(formula) = work.pop() {
            if !seen.insert(formula) {
                continue;
            }
            match self.formulas.nodes[formula as usize] {
                Node::Release(..) => return false,
                Node::And(a, b) | Node::Or(a, b) | Node::Until(a, b) => work.extend([a, b]),
                Node::Next(a) => work.push(a),
                Node::Constant(_) | Node::Literal(..) => {}
            }
        }
        true
    }

    /// Nothing is left to be kept: whatever comes, the run was followed rightly.
    pub(crate) fn is_kept(&self, state: u32) -> bool {
        self.states[state as usize].is_empty()
    }
}
