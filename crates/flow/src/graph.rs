//! Positive cycles and longest paths in the graph of one instance, for given costs of its transitions.
//!
//! Bellman and Ford's method with a queue: every node starts at distance 0; an edge that leads to a longer path pushes
//! its target. A cycle among the edges by which nodes were last reached is a cycle that gains. Without one, distances
//! are potentials: `cost(e) + distance(from) - distance(to) <= 0` for every edge.

use crate::scc;
use std::collections::VecDeque;

/// A graph whose edges are transitions.
pub struct Graph {
    /// How many nodes it has.
    pub nodes: usize,
    /// From, to, transition.
    pub edges: Vec<(u32, u32, u32)>,
    starts: Vec<u32>,
    order: Vec<u32>,
}

/// A cycle, or distances.
pub enum Search {
    /// Transitions of a cycle that gains, in order.
    Cycle(Vec<u32>),
    /// No cycle gains; these are the distances.
    Distances(Vec<i128>),
}

impl Graph {
    /// A graph of these edges.
    pub fn new(nodes: usize, edges: Vec<(u32, u32, u32)>) -> Self {
        let mut starts = vec![0u32; nodes + 1];
        edges.iter().for_each(|&(from, ..)| starts[from as usize + 1] += 1);
        for node in 0..nodes {
            starts[node + 1] += starts[node];
        }
        let mut at = starts.clone();
        let mut order = vec![0u32; edges.len()];
        for (index, &(from, ..)) in edges.iter().enumerate() {
            order[at[from as usize] as usize] = index as u32;
            at[from as usize] += 1;
        }
        Graph { nodes, edges, starts, order }
    }

    /// The edges that leave a node.
    pub fn leaving(&self, node: usize) -> impl Iterator<Item = &(u32, u32, u32)> {
        let range = self.starts[node] as usize..self.starts[node + 1] as usize;
        self.order[range].iter().map(|&e| &self.edges[e as usize])
    }

    /// Its strongly connected components.
    pub fn components(&self) -> scc::Components {
        let edges: Vec<(usize, usize)> = self.edges.iter().map(|&(f, t, _)| (f as usize, t as usize)).collect();
        scc::components(self.nodes, &edges)
    }

    /// A cycle that gains, or the distances: those of the longest path that start anywhere with 0.
    pub fn search(&self, cost: &dyn Fn(u32) -> i128) -> Search {
        self.search_from(vec![Some(0); self.nodes], cost)
    }

    /// The same, for paths that start at the nodes with a distance.
    pub fn search_from(&self, start: Vec<Option<i128>>, cost: &dyn Fn(u32) -> i128) -> Search {
        let mut distance = start;
        let mut reached: Vec<Option<u32>> = vec![None; self.nodes];
        let mut queue: VecDeque<u32> = (0..self.nodes as u32).filter(|&n| distance[n as usize].is_some()).collect();
        let mut queued: Vec<bool> = distance.iter().map(Option::is_some).collect();
        let costs: Vec<i128> = self.edges.iter().map(|&(.., t)| cost(t)).collect();
        let mut changes = 0usize;
        while let Some(node) = queue.pop_front() {
            queued[node as usize] = false;
            let Some(here) = distance[node as usize] else { continue };
            let range = self.starts[node as usize] as usize..self.starts[node as usize + 1] as usize;
            for &edge in &self.order[range] {
                let (_, to, _) = self.edges[edge as usize];
                let there = here + costs[edge as usize];
                if distance[to as usize].is_some_and(|d| d >= there) {
                    continue;
                }
                distance[to as usize] = Some(there);
                reached[to as usize] = Some(edge);
                changes += 1;
                if changes.is_multiple_of(self.nodes.max(1))
                    && let Some(cycle) = self.cycle(&reached)
                {
                    return Search::Cycle(cycle);
                }
                if !queued[to as usize] {
                    queued[to as usize] = true;
                    queue.push_back(to);
                }
            }
        }
        Search::Distances(distance.into_iter().map(|d| d.unwrap_or(i128::MIN)).collect())
    }

    /// The longest path from one of the nodes, and its length. No cycle may gain.
    pub fn longest(&self, from: &[u32], cost: &dyn Fn(u32) -> i128) -> (i128, Vec<u32>) {
        let mut start = vec![None; self.nodes];
        from.iter().for_each(|&n| start[n as usize] = Some(0));
        let Search::Distances(distances) = self.search_from(start, cost) else { return (0, Vec::new()) };
        let Some((end, &length)) = distances.iter().enumerate().max_by_key(|(_, d)| **d) else {
            return (0, Vec::new());
        };
        // Backwards along edges that are exactly as long as the difference, breadth-first: paths of gain 0 may go round.
        let fits = |&(f, t, id): &(u32, u32, u32)| {
            let (f, t) = (distances[f as usize], distances[t as usize]);
            f > i128::MIN && f + cost(id) == t
        };
        let exact: Vec<(u32, u32, u32)> =
            self.edges.iter().copied().filter(fits).map(|(f, t, id)| (t, f, id)).collect();
        let backwards = Graph::new(self.nodes, exact);
        let starts = from.iter().filter(|&&n| distances[n as usize] == 0);
        let paths = starts.filter_map(|&n| backwards.path(end as u32, n, &|_| true));
        let mut path = paths.min_by_key(Vec::len).unwrap_or_default();
        path.reverse();
        (length, path)
    }

    /// A cycle among the edges by which nodes were reached.
    fn cycle(&self, reached: &[Option<u32>]) -> Option<Vec<u32>> {
        let mut colour = vec![0u32; self.nodes];
        for start in 0..self.nodes {
            let mut node = start;
            while colour[node] == 0 {
                colour[node] = start as u32 + 1;
                match reached[node] {
                    Some(edge) => node = self.edges[edge as usize].0 as usize,
                    None => break,
                }
            }
            if colour[node] == start as u32 + 1 && reached[node].is_some() && self.on_cycle(reached, node) {
                return Some(self.collect(reached, node));
            }
        }
        None
    }

    fn on_cycle(&self, reached: &[Option<u32>], start: usize) -> bool {
        let mut node = start;
        for _ in 0..=self.nodes {
            let Some(edge) = reached[node] else { return false };
            node = self.edges[edge as usize].0 as usize;
            if node == start {
                return true;
            }
        }
        false
    }

    fn collect(&self, reached: &[Option<u32>], start: usize) -> Vec<u32> {
        let (mut cycle, mut node) = (Vec::new(), start);
        while let Some(edge) = reached[node] {
            let (from, _, transition) = self.edges[edge as usize];
            cycle.push(transition);
            node = from as usize;
            if node == start {
                break;
            }
        }
        cycle.reverse();
        cycle
    }

    /// A shortest path from one node to another along edges that `allowed` lets pass.
    pub fn path(&self, from: u32, to: u32, allowed: &dyn Fn(u32) -> bool) -> Option<Vec<u32>> {
        let mut reached: Vec<Option<u32>> = vec![None; self.nodes];
        let mut seen = vec![false; self.nodes];
        let mut queue = VecDeque::from([from]);
        seen[from as usize] = true;
        while let Some(node) = queue.pop_front() {
            if node == to {
                let (mut path, mut at) = (Vec::new(), to);
                while let Some(edge) = reached[at as usize] {
                    path.push(self.edges[edge as usize].2);
                    at = self.edges[edge as usize].0;
                    if at == from {
                        break;
                    }
                }
                path.reverse();
                return Some(path);
            }
            let range = self.starts[node as usize] as usize..self.starts[node as usize + 1] as usize;
            for &edge in &self.order[range] {
                let (_, next, transition) = self.edges[edge as usize];
                if !seen[next as usize] && allowed(transition) {
                    seen[next as usize] = true;
                    reached[next as usize] = Some(edge);
                    queue.push_back(next);
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gaining_cycle_is_found_and_gains() {
        let graph = Graph::new(4, vec![(0, 1, 0), (1, 2, 1), (2, 1, 2), (2, 3, 3)]);
        let costs = [5, -3, 4, 7];
        match graph.search(&|t| costs[t as usize]) {
            Search::Cycle(mut cycle) => {
                assert_eq!(cycle.iter().map(|&t| costs[t as usize]).sum::<i128>(), 1);
                cycle.sort_unstable();
                assert_eq!(cycle, [1, 2]);
            }
            Search::Distances(_) => panic!("there is a cycle"),
        }
    }

    #[test]
    fn without_one_distances_are_potentials() {
        let graph = Graph::new(4, vec![(0, 1, 0), (1, 2, 1), (2, 1, 2), (2, 3, 3)]);
        let costs = [5, -4, 4, 7];
        let Search::Distances(d) = graph.search(&|t| costs[t as usize]) else { panic!("no cycle gains") };
        for &(from, to, t) in &graph.edges {
            assert!(costs[t as usize] + d[from as usize] - d[to as usize] <= 0);
        }
        assert_eq!(graph.path(0, 3, &|_| true), Some(vec![0, 1, 3]));
    }
}
