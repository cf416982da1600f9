//! Automata as graphs: what the passes between translation and result work on.
//!
//! Acceptance is generalised and on edges: an edge carries *marks*, and a run is accepting if it meets every mark
//! infinitely often. A Büchi automaton with accepting states is the special case of one mark, carried by all edges
//! that leave an accepting state; such a graph is called *state-based* here.

use crate::guard::{Diagrams, Guard};
use crate::term::TermId;

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Edge {
    pub(crate) guard: Guard,
    pub(crate) marks: u64,
    pub(crate) to: usize,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Node {
    /// What is still to be satisfied; a hint for people.
    pub(crate) label: TermId,
    /// In a state-based graph; elsewhere `false`.
    pub(crate) accepting: bool,
    pub(crate) edges: Vec<Edge>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Graph {
    pub(crate) initial: usize,
    pub(crate) nodes: Vec<Node>,
    /// All marks.
    pub(crate) full: u64,
    pub(crate) state_based: bool,
}

/// The strongly connected component of each node; a component has a larger number than those it leads to.
pub(crate) struct Components {
    pub(crate) of: Vec<usize>,
    pub(crate) count: usize,
}

impl Graph {
    /// The number of states and edges, to compare by.
    pub(crate) fn size(&self) -> (usize, usize) {
        (self.nodes.len(), self.nodes.iter().map(|node| node.edges.len()).sum())
    }

    pub(crate) fn edges(&self) -> impl Iterator<Item = (usize, &Edge)> {
        self.nodes.iter().enumerate().flat_map(|(from, node)| node.edges.iter().map(move |edge| (from, edge)))
    }

    /// Tarjan's algorithm (1972), with its stack on the heap.
    pub(crate) fn components(&self) -> Components {
        self.components_within(|_| true)
    }

    /// The components of what remains when only some nodes are kept; the others are components of their own.
    pub(crate) fn components_within(&self, kept: impl Fn(usize) -> bool) -> Components {
        const NEW: usize = usize::MAX;
        let count = self.nodes.len();
        let (mut order, mut low, mut of) = (vec![NEW; count], vec![0; count], vec![NEW; count]);
        let (mut open, mut visited, mut components) = (Vec::new(), 0, 0);
        for root in 0..count {
            if order[root] != NEW {
                continue;
            }
            let mut path = vec![(root, 0)];
            while let Some((node, at)) = path.last_mut() {
                let node = *node;
                if *at == 0 {
                    order[node] = visited;
                    low[node] = visited;
                    visited += 1;
                    open.push(node);
                }
                let next = self.nodes[node].edges.get(*at).map(|edge| edge.to);
                *at += 1;
                match next {
                    Some(to) if !kept(node) || !kept(to) => {}
                    Some(to) if order[to] == NEW => path.push((to, 0)),
                    Some(to) if of[to] == NEW => low[node] = low[node].min(order[to]),
                    Some(_) => {}
                    None => {
                        path.pop();
                        if let Some(&(above, _)) = path.last() {
                            low[above] = low[above].min(low[node]);
                        }
                        if low[node] == order[node] {
                            while let Some(member) = open.pop() {
                                of[member] = components;
                                if member == node {
                                    break;
                                }
                            }
                            components += 1;
                        }
                    }
                }
            }
        }
        Components { of, count: components }
    }

    /// Which components have a cycle that meets all marks.
    pub(crate) fn accepting_components(&self, components: &Components) -> Vec<bool> {
        let (mut met, mut cyclic) = (vec![0; components.count], vec![false; components.count]);
        for (from, edge) in self.edges() {
            let component = components.of[from];
            if component == components.of[edge.to] {
                met[component] |= edge.marks;
                cyclic[component] = true;
            }
        }
        met.iter().zip(cyclic).map(|(&met, cyclic)| cyclic && met == self.full).collect()
    }

    /// Without nodes that cannot be reached or from which nothing is accepted. The initial node stays.
    pub(crate) fn trimmed(&self) -> Graph {
        let components = self.components();
        let accepting = self.accepting_components(&components);
        let mut live = accepting;
        let mut order: Vec<usize> = (0..self.nodes.len()).collect();
        order.sort_by_key(|&node| components.of[node]);
        for &node in &order {
            let leads = self.nodes[node].edges.iter().any(|edge| live[components.of[edge.to]]);
            live[components.of[node]] |= leads;
        }
        self.restricted(|node| live[components.of[node]])
    }

    /// The part reachable from the initial node through kept nodes, renumbered breadth first.
    fn restricted(&self, kept: impl Fn(usize) -> bool) -> Graph {
        let mut number = vec![usize::MAX; self.nodes.len()];
        let mut order = vec![self.initial];
        number[self.initial] = 0;
        let mut at = 0;
        while at < order.len() {
            for edge in &self.nodes[order[at]].edges {
                if kept(edge.to) && number[edge.to] == usize::MAX {
                    number[edge.to] = order.len();
                    order.push(edge.to);
                }
            }
            at += 1;
        }
        let renumbered = |node: &Node| Node {
            edges: node
                .edges
                .iter()
                .filter(|edge| kept(edge.to))
                .map(|edge| Edge { to: number[edge.to], ..edge.clone() })
                .collect(),
            ..node.clone()
        };
        let nodes = order.iter().map(|&node| renumbered(&self.nodes[node])).collect();
        Graph { initial: 0, nodes, ..*self }
    }

    /// Each class of nodes, given by a representative, becomes one node with the edges of all.
    pub(crate) fn merged(&self, guards: &mut Diagrams, representative: &[usize]) -> Graph {
        let mut result = self.clone();
        result.initial = representative[self.initial];
        for node in &mut result.nodes {
            node.edges.clear();
        }
        for (from, edge) in self.edges() {
            let edge = Edge { to: representative[edge.to], ..edge.clone() };
            result.nodes[representative[from]].edges.push(edge);
        }
        for (node, &class) in representative.iter().enumerate() {
            result.nodes[class].accepting |= self.nodes[node].accepting;
        }
        result.normalise(guards);
        result.trimmed()
    }

    /// One edge for each target and set of marks; letters that an edge to the same target with more marks has, leave.
    pub(crate) fn normalise(&mut self, guards: &mut Diagrams) {
        let (full, state_based) = (self.full, self.state_based);
        for node in &mut self.nodes {
            let mut edges: Vec<Edge> = Vec::new();
            for mut edge in std::mem::take(&mut node.edges) {
                if state_based {
                    edge.marks = if node.accepting { full } else { 0 };
                }
                match edges.iter_mut().find(|other| other.to == edge.to && other.marks == edge.marks) {
                    Some(other) => other.guard = guards.or(other.guard, edge.guard),
                    None => edges.push(edge),
                }
            }
            let copy = edges.clone();
            for edge in &mut edges {
                guards.spend(1 + copy.len() as u64 / 16);
                for other in &copy {
                    if other.to == edge.to && edge.marks != other.marks && edge.marks & !other.marks == 0 {
                        edge.guard = guards.minus(edge.guard, other.guard);
                    }
                }
            }
            edges.retain(|edge| edge.guard != Guard::FALSE);
            node.edges = edges;
        }
    }

    /// Makes exactly these nodes of a state-based graph accepting.
    pub(crate) fn with_accepting(&self, accepting: &[bool]) -> Graph {
        let mut result = self.clone();
        for (node, &accepting) in result.nodes.iter_mut().zip(accepting) {
            node.accepting = accepting;
            for edge in &mut node.edges {
                edge.marks = if accepting { self.full } else { 0 };
            }
        }
        result
    }
}
