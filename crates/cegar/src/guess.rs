//! Predicates before any run has requested them, for a second attempt.
//!
//! Preconditions of runs say what one run needs, and a counter that a loop moves gets a predicate for every round. What the
//! loop keeps is often among the conditions that the program itself compares: `floor < t`, `t < 4`, and the proposition. So
//! where the first attempt has gone astray, another begins with these at all nodes, and with what they are before
//! one step (the transition predicates of Ball and Rajamani's *Boolean programs*, 2000, chosen from the text alone).

use crate::graph::Graph;
use crate::path::atoms;
use bitvector::TermId;
use std::collections::HashSet;

/// More predicates at every node than this are no help.
const MOST_GUESSED: usize = 40;

/// What the program compares, and what that is before one step; not the second, or nothing, where that is too much.
pub(crate) fn guesses(graph: &mut Graph) -> Vec<TermId> {
    let mut conditions: Vec<TermId> = graph.steps.iter().map(|step| step.guard).collect();
    conditions.extend(&graph.propositions);
    let mut known = HashSet::new();
    let compared = new_atoms(graph, &conditions, &mut known);
    if compared.len() > MOST_GUESSED {
        return Vec::new();
    }
    let mut before = Vec::new();
    for step in 0..graph.steps.len() as u32 {
        if !graph.steps[step as usize].update.is_empty() {
            before.extend(compared.iter().map(|&atom| graph.before(step, atom)).collect::<Vec<_>>());
        }
    }
    let before = new_atoms(graph, &before, &mut known);
    if compared.len() + before.len() > MOST_GUESSED {
        return compared;
    }
    [compared, before].concat()
}

/// The atoms of conditions that speak of variables only, each once; an opposite is not distinguished.
fn new_atoms(graph: &mut Graph, conditions: &[TermId], known: &mut HashSet<TermId>) -> Vec<TermId> {
    let variables: HashSet<TermId> = graph.variables.iter().copied().collect();
    let mut found = Vec::new();
    for atom in conditions.iter().flat_map(|&condition| atoms(graph, condition)).collect::<Vec<_>>() {
        let free = graph.terms.free_variables(&[atom]);
        let about_variables = !free.is_empty() && free.iter().all(|variable| variables.contains(variable));
        let opposite = graph.terms.not(atom);
        if about_variables && !known.contains(&opposite) && known.insert(atom) {
            found.push(atom);
        }
    }
    found
}
