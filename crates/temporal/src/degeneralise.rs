//! From many marks on edges to accepting states.
//!
//! Gastin & Oddoux (CAV 2001, section 5): a copy of each node for each *level*, the number of marks, in a fixed order,
//! that were met since the last accepting node; an edge climbs as many levels as its marks allow. The last level
//! accepts, and starts again.
//!
//! Marks that were met before the final component is entered do not count, so the level on entry is free (Babiak,
//! Badie, Duret-Lutz, Křetínský & Strejček 2013, *Compositional approach to suspension and other improvements to LTL
//! translation*, section 5): a component is entered at a level at which the node is known already, and nodes outside
//! accepting components have one level.

use crate::graph::{Components, Edge, Graph, Node};
use crate::guard::Diagrams;
use rustc_hash::FxHashMap as Map;

struct Levels<'a> {
    graph: &'a Graph,
    order: &'a [u32],
    components: Components,
    accepting: Vec<bool>,
    /// Whether marks that all edges of a node carry are counted when the node is entered.
    eager: bool,
    /// Whether a component is entered at the highest level.
    high: bool,
    /// By node: the level at which it was entered first.
    entry: Map<usize, usize>,
    numbers: Map<(usize, usize), usize>,
    waiting: Vec<(usize, usize)>,
}

/// A state-based automaton with the same language. `order` lists the marks.
pub(crate) fn degeneralise(graph: &Graph, order: &[u32], eager: bool, high: bool, guards: &mut Diagrams) -> Graph {
    let components = graph.components();
    let accepting = graph.accepting_components(&components);
    let (entry, numbers, waiting) = (Map::default(), Map::default(), Vec::new());
    let mut levels = Levels { graph, order, components, accepting, eager, high, entry, numbers, waiting };
    levels.enter(graph.initial);
    let mut nodes = Vec::new();
    while nodes.len() < levels.waiting.len() {
        nodes.push(levels.node(nodes.len()));
        guards.spend(1);
    }
    let mut result = Graph { initial: 0, nodes, full: 1, state_based: true };
    result.normalise(guards);
    result.trimmed()
}

impl Levels<'_> {
    fn node(&mut self, number: usize) -> Node {
        let (node, level) = self.waiting[number];
        let graph = self.graph;
        let last = level == self.order.len();
        let accepting = last && self.accepting[self.components.of[node]];
        let mut edges = Vec::new();
        for edge in &graph.nodes[node].edges {
            let to = if self.components.of[edge.to] != self.components.of[node] {
                self.enter(edge.to)
            } else {
                let level = self.climb(if last { 0 } else { level }, edge.marks);
                let level = self.arrive(edge.to, level);
                self.number(edge.to, level)
            };
            edges.push(Edge { guard: edge.guard, marks: 0, to });
        }
        Node { label: graph.nodes[node].label, accepting, edges }
    }

    fn climb(&self, level: usize, marks: u64) -> usize {
        let met = self.order[level..].iter().take_while(|&&mark| marks >> mark & 1 == 1);
        level + met.count()
    }

    /// The level in which a node is after an edge reached it at `level`.
    fn arrive(&self, node: usize, level: usize) -> usize {
        let component = self.components.of[node];
        if !self.accepting[component] {
            return 0;
        }
        if !self.eager {
            return level;
        }
        let inner = self.graph.nodes[node].edges.iter().filter(|edge| self.components.of[edge.to] == component);
        self.climb(level, inner.fold(self.graph.full, |common, edge| common & edge.marks))
    }

    fn enter(&mut self, node: usize) -> usize {
        let start = if self.high { self.order.len() } else { 0 };
        let fresh = self.arrive(node, start);
        let level = *self.entry.entry(node).or_insert(fresh);
        self.number(node, level)
    }

    fn number(&mut self, node: usize, level: usize) -> usize {
        let next = self.numbers.len();
        self.entry.entry(node).or_insert(level);
        *self.numbers.entry((node, level)).or_insert_with(|| {
            self.waiting.push((node, level));
            next
        })
    }
}
