//! Acceptance that does not matter, and what to make of it.
//!
//! Whether a state accepts matters only on cycles that no other accepting state is on. A state through which every
//! cycle is accepting anyway, or none goes at all, may accept or not; simulation finds more where it does, or where it
//! does not, so both are tried. On edges the same holds for marks that leave a component (Somenzi & Bloem 2000,
//! section 6) and for marks that come with another mark everywhere in a component.

use crate::graph::Graph;

/// As many accepting states as possible.
pub(crate) fn most(graph: &Graph) -> Graph {
    let accepting: Vec<bool> = graph.nodes.iter().map(|node| node.accepting).collect();
    let on_cycle = on_cycle_outside(graph, &accepting);
    let accepting: Vec<bool> = on_cycle.iter().map(|cycle| !cycle).collect();
    graph.with_accepting(&accepting)
}

/// As few accepting states as possible; which ones remain depends on the order in which they are tried.
pub(crate) fn fewest(graph: &Graph) -> Graph {
    let mut accepting: Vec<bool> = graph.nodes.iter().map(|node| node.accepting).collect();
    for node in 0..graph.nodes.len() {
        if accepting[node] {
            accepting[node] = false;
            accepting[node] = on_cycle_outside(graph, &accepting)[node];
        }
    }
    graph.with_accepting(&accepting)
}

/// Which nodes are on a cycle without accepting nodes.
fn on_cycle_outside(graph: &Graph, accepting: &[bool]) -> Vec<bool> {
    let components = graph.components_within(|node| !accepting[node]);
    let mut cyclic = vec![false; components.count];
    for (from, edge) in graph.edges() {
        if !accepting[from] && !accepting[edge.to] && components.of[from] == components.of[edge.to] {
            cyclic[components.of[from]] = true;
        }
    }
    (0..graph.nodes.len()).map(|node| !accepting[node] && cyclic[components.of[node]]).collect()
}

/// A graph with marks on edges, without those that do not matter: marks between components, marks in components that
/// accept nothing, and marks that another mark implies.
pub(crate) fn needed_marks(graph: &Graph) -> Graph {
    let components = graph.components();
    let accepting = graph.accepting_components(&components);
    let mut result = graph.clone();
    for (from, node) in result.nodes.iter_mut().enumerate() {
        for edge in &mut node.edges {
            let component = components.of[from];
            if component != components.of[edge.to] || !accepting[component] {
                edge.marks = 0;
            }
        }
    }
    for mark in (0..64).map(|bit| 1 << bit).filter(|mark| graph.full & mark != 0) {
        let others = (0..64).map(|bit| 1 << bit).filter(|other| result.full & other != 0 && *other != mark);
        let implied = |other: u64| result.edges().all(|(_, edge)| edge.marks & other == 0 || edge.marks & mark != 0);
        if others.into_iter().any(implied) {
            result.full &= !mark;
            result.nodes.iter_mut().flat_map(|node| &mut node.edges).for_each(|edge| edge.marks &= !mark);
        }
    }
    result
}
