//! Cycles on which everything is settled.
//!
//! A cycle is settled if nothing is owed by all of its steps, and if everything that some step requests is granted by
//! some step. In a component where a request is granted nowhere, no settled cycle has a step that requests it: these
//! steps are taken away, and what is left is looked at again (Streett's condition; Emerson and Lei 1987).

use super::components::{Edge, components};
use std::collections::{BTreeSet, HashMap};

/// What matters of a step.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Account<T: Ord> {
    /// What it leaves undone.
    pub owed: BTreeSet<T>,
    /// What must happen again and again if this step does.
    pub requested: BTreeSet<T>,
    /// What happens.
    pub granted: BTreeSet<T>,
}

/// Whether there is a settled cycle; `account` says what matters of an edge from a node.
pub(crate) fn is_settled_somewhere<'a, T: Ord + Clone + 'a>(
    mut next: Vec<Vec<Edge>>,
    account: &dyn Fn(usize, Edge) -> &'a Account<T>,
) -> bool {
    while next.iter().any(|edges| !edges.is_empty()) {
        let component = components(&next);
        let mut sums: HashMap<u32, Account<T>> = HashMap::new();
        for (from, edges) in next.iter_mut().enumerate() {
            edges.retain(|(to, _)| component[*to as usize] == component[from]);
            for step in edges.iter().map(|&edge| account(from, edge)) {
                let sum = sums.entry(component[from]).or_insert_with(|| step.clone());
                sum.owed.retain(|debt| step.owed.contains(debt));
                sum.requested.extend(step.requested.iter().cloned());
                sum.granted.extend(step.granted.iter().cloned());
            }
        }
        if sums.values().any(|sum| sum.owed.is_empty() && sum.requested.is_subset(&sum.granted)) {
            return true;
        }
        for (from, edges) in next.iter_mut().enumerate() {
            let Some(sum) = sums.get(&component[from]) else { continue };
            edges.retain(|&edge| sum.owed.is_empty() && account(from, edge).requested.is_subset(&sum.granted));
        }
    }
    false
}
