//! All elementary cycles of a graph: those that visit no node twice.
//!
//! Johnson's algorithm (1975), without recursion. Cycles are found by their least node: all that go through the first
//! node of a strongly connected component, by a depth-first search; then the node is removed, and the components of the
//! rest follow. A node from which the search came back without closing a cycle stays *blocked* until a node that it
//! leads to leaves the path; so the time between two cycles is linear in the graph. There can be exponentially many
//! cycles, though (Ciclo, end of section IV-C): the caller sees each one and says when it has seen enough.

use crate::scc;
use std::ops::ControlFlow;

/// Visits every elementary cycle of the graph with nodes `0..nodes` and these edges: as a list of indices of edges, in
/// order, that starts at its least node.
pub fn elementary_cycles<B>(
    nodes: usize,
    edges: &[(u32, u32)],
    visit: &mut dyn FnMut(&[u32]) -> ControlFlow<B>,
) -> ControlFlow<B> {
    let numbered = edges.iter().zip(0..).map(|(&(from, to), edge)| (from, to, edge)).collect();
    let mut left = Part { nodes, edges: numbered }.components();
    while let Some(part) = left.pop() {
        Circuit::new(&part).run(visit)?;
        left.extend(part.without_first().components());
    }
    ControlFlow::Continue(())
}

/// A piece of the graph, with nodes of its own in the same order.
struct Part {
    nodes: usize,
    /// From, to, and the index in the whole graph.
    edges: Vec<(u32, u32, u32)>,
}

impl Part {
    /// The strongly connected components that have a cycle; the one with the least node comes last.
    fn components(&self) -> Vec<Part> {
        let ends: Vec<(usize, usize)> = self.edges.iter().map(|&(f, t, _)| (f as usize, t as usize)).collect();
        let components = scc::components(self.nodes, &ends);
        let mut found: Vec<Part> = Vec::new();
        let mut place: Vec<Option<usize>> = vec![None; components.count];
        let mut own = vec![0u32; self.nodes];
        for node in (0..self.nodes).filter(|&node| components.is_cyclic(node)) {
            let at = *place[components.of[node] as usize].get_or_insert_with(|| {
                found.push(Part { nodes: 0, edges: Vec::new() });
                found.len() - 1
            });
            own[node] = found[at].nodes as u32;
            found[at].nodes += 1;
        }
        for &(from, to, edge) in self.edges.iter().filter(|(f, t, _)| components.is_inside(*f as usize, *t as usize)) {
            if let Some(at) = place[components.of[from as usize] as usize] {
                found[at].edges.push((own[from as usize], own[to as usize], edge));
            }
        }
        found.reverse();
        found
    }

    fn without_first(mut self) -> Part {
        self.edges.retain(|&(from, to, _)| from != 0 && to != 0);
        self
    }
}

/// A node of the path, and how far the search is with it.
struct Step {
    node: u32,
    next: usize,
    closed: bool,
}

/// The search for the cycles through the first node of a part.
struct Circuit {
    /// Per node: targets and edges.
    leaving: Vec<Vec<(u32, u32)>>,
    blocked: Vec<bool>,
    /// Per node: who is blocked until it is free.
    waiting: Vec<Vec<u32>>,
    path: Vec<u32>,
    steps: Vec<Step>,
}

impl Circuit {
    fn new(part: &Part) -> Self {
        let mut leaving = vec![Vec::new(); part.nodes];
        part.edges.iter().for_each(|&(from, to, edge)| leaving[from as usize].push((to, edge)));
        Circuit {
            leaving,
            blocked: vec![false; part.nodes],
            waiting: vec![Vec::new(); part.nodes],
            path: Vec::new(),
            steps: Vec::new(),
        }
    }

    fn run<B>(&mut self, visit: &mut dyn FnMut(&[u32]) -> ControlFlow<B>) -> ControlFlow<B> {
        self.enter(0);
        while let Some(step) = self.steps.last_mut() {
            let Some(&(to, edge)) = self.leaving[step.node as usize].get(step.next) else {
                self.leave();
                continue;
            };
            step.next += 1;
            if to == 0 {
                step.closed = true;
                self.path.push(edge);
                visit(&self.path)?;
                self.path.pop();
            } else if !self.blocked[to as usize] {
                self.path.push(edge);
                self.enter(to);
            }
        }
        ControlFlow::Continue(())
    }

    fn enter(&mut self, node: u32) {
        self.blocked[node as usize] = true;
        self.steps.push(Step { node, next: 0, closed: false });
    }

    fn leave(&mut self) {
        let Some(step) = self.steps.pop() else { return };
        self.path.pop();
        if step.closed {
            self.unblock(step.node);
            if let Some(before) = self.steps.last_mut() {
                before.closed = true;
            }
            return;
        }
        for &(to, _) in &self.leaving[step.node as usize] {
            let waiting = &mut self.waiting[to as usize];
            if !waiting.contains(&step.node) {
                waiting.push(step.node);
            }
        }
    }

    fn unblock(&mut self, node: u32) {
        let mut free = vec![node];
        while let Some(node) = free.pop() {
            if std::mem::take(&mut self.blocked[node as usize]) {
                free.append(&mut self.waiting[node as usize]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use testing::Random;

    fn johnson(nodes: usize, edges: &[(u32, u32)]) -> Vec<Vec<u32>> {
        let mut found = Vec::new();
        let end = elementary_cycles::<()>(nodes, edges, &mut |cycle| {
            found.push(cycle.to_vec());
            ControlFlow::Continue(())
        });
        assert_eq!(end, ControlFlow::Continue(()));
        found
    }

    /// Every path that visits no node twice, from every node, along nodes that are not smaller.
    fn johnson_naive(nodes: usize, edges: &[(u32, u32)]) -> BTreeSet<Vec<u32>> {
        fn extend(edges: &[(u32, u32)], path: &mut Vec<u32>, start: u32, at: u32, found: &mut BTreeSet<Vec<u32>>) {
            for (edge, &(from, to)) in (0u32..).zip(edges) {
                let visited = path.iter().any(|&e| edges[e as usize].0 == to) || to == at;
                if from != at || (visited && to != start) || to < start {
                    continue;
                }
                path.push(edge);
                if to == start {
                    found.insert(path.clone());
                } else {
                    extend(edges, path, start, to, found);
                }
                path.pop();
            }
        }
        let mut found = BTreeSet::new();
        (0..nodes as u32).for_each(|start| extend(edges, &mut Vec::new(), start, start, &mut found));
        found
    }

    #[test]
    fn it_agrees_with_a_naive_enumeration_on_random_graphs() {
        let mut cycles = 0;
        for seed in 1..=600u64 {
            let mut random = Random::new(seed);
            let nodes = 1 + random.below(8);
            let count = random.below(nodes * nodes + 1);
            let edges: BTreeSet<(u32, u32)> =
                (0..count).map(|_| (random.below(nodes) as u32, random.below(nodes) as u32)).collect();
            let edges: Vec<(u32, u32)> = edges.into_iter().collect();
            let found = johnson(nodes as usize, &edges);
            let distinct: BTreeSet<Vec<u32>> = found.iter().cloned().collect();
            assert_eq!(distinct.len(), found.len(), "seed {seed}: a cycle twice in {edges:?}");
            assert_eq!(distinct, johnson_naive(nodes as usize, &edges), "seed {seed}: {edges:?}");
            cycles += found.len();
        }
        assert!(cycles > 5000, "the graphs have {cycles} cycles only");
    }

    #[test]
    fn a_complete_graph_of_five_nodes_has_84_cycles() {
        let edges: Vec<(u32, u32)> = (0..5).flat_map(|a| (0..5).map(move |b| (a, b))).filter(|(a, b)| a != b).collect();
        assert_eq!(johnson(5, &edges).len(), 84);
    }

    #[test]
    fn the_caller_stops_it() {
        let edges: Vec<(u32, u32)> = (0..40).flat_map(|a| (0..40).map(move |b| (a, b))).collect();
        let mut seen = 0;
        let end = elementary_cycles(40, &edges, &mut |_| {
            seen += 1;
            if seen == 1000 { ControlFlow::Break("enough") } else { ControlFlow::Continue(()) }
        });
        assert_eq!((end, seen), (ControlFlow::Break("enough"), 1000));
    }
}
