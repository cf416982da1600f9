//! Strongly connected components of a graph, by Tarjan's algorithm without recursion.
//!
//! Components are numbered so that edges lead from higher numbers to lower ones, or stay inside.

/// The components of a graph.
pub struct Components {
    /// The component of each node.
    pub of: Vec<u32>,
    /// How many there are.
    pub count: usize,
    cyclic: Vec<bool>,
}

impl Components {
    /// Whether the node is on a cycle.
    pub fn is_cyclic(&self, node: usize) -> bool {
        self.cyclic[self.of[node] as usize]
    }

    /// Whether an edge lies on a cycle.
    pub fn is_inside(&self, from: usize, to: usize) -> bool {
        self.of[from] == self.of[to]
    }
}

const UNSEEN: u32 = u32::MAX;

/// The components of the graph with nodes `0..nodes` and these edges.
pub fn components(nodes: usize, edges: &[(usize, usize)]) -> Components {
    let (starts, targets) = adjacency(nodes, edges);
    let mut search = Search {
        starts,
        targets,
        index: vec![UNSEEN; nodes],
        low: vec![0; nodes],
        of: vec![UNSEEN; nodes],
        stack: Vec::new(),
        next: 0,
        count: 0,
    };
    for node in 0..nodes {
        if search.index[node] == UNSEEN {
            search.visit(node);
        }
    }
    let mut sizes = vec![0u32; search.count];
    search.of.iter().for_each(|&c| sizes[c as usize] += 1);
    let mut cyclic: Vec<bool> = sizes.iter().map(|&size| size > 1).collect();
    for &(from, to) in edges.iter().filter(|(from, to)| from == to) {
        debug_assert_eq!(from, to);
        cyclic[search.of[from] as usize] = true;
    }
    Components { of: search.of, count: search.count, cyclic }
}

/// Edges by their source: where those of a node start in the list of targets.
pub fn adjacency(nodes: usize, edges: &[(usize, usize)]) -> (Vec<u32>, Vec<u32>) {
    let mut starts = vec![0u32; nodes + 1];
    edges.iter().for_each(|&(from, _)| starts[from + 1] += 1);
    for node in 0..nodes {
        starts[node + 1] += starts[node];
    }
    let mut targets = vec![0u32; edges.len()];
    let mut at = starts.clone();
    for &(from, to) in edges {
        targets[at[from] as usize] = to as u32;
        at[from] += 1;
    }
    (starts, targets)
}

struct Search {
    starts: Vec<u32>,
    targets: Vec<u32>,
    index: Vec<u32>,
    low: Vec<u32>,
    of: Vec<u32>,
    stack: Vec<u32>,
    next: u32,
    count: usize,
}

impl Search {
    fn visit(&mut self, root: usize) {
        let mut work = vec![(root, self.open(root))];
        while let Some((node, edge)) = work.last_mut() {
            let node = *node;
            if *edge < self.starts[node + 1] {
                let to = self.targets[*edge as usize] as usize;
                *edge += 1;
                if self.index[to] == UNSEEN {
                    work.push((to, self.open(to)));
                } else if self.of[to] == UNSEEN {
                    self.low[node] = self.low[node].min(self.index[to]);
                }
            } else {
                work.pop();
                self.close(node);
                if let Some(&(parent, _)) = work.last() {
                    self.low[parent] = self.low[parent].min(self.low[node]);
                }
            }
        }
    }

    fn open(&mut self, node: usize) -> u32 {
        self.index[node] = self.next;
        self.low[node] = self.next;
        self.next += 1;
        self.stack.push(node as u32);
        self.starts[node]
    }

    fn close(&mut self, node: usize) {
        if self.low[node] != self.index[node] {
            return;
        }
        while let Some(member) = self.stack.pop() {
            self.of[member as usize] = self.count as u32;
            if member as usize == node {
                break;
            }
        }
        self.count += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_lead_downwards_or_stay() {
        let edges = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (5, 5)];
        let c = components(6, &edges);
        assert!(c.is_inside(0, 2) && !c.is_inside(2, 3));
        assert!(edges.iter().all(|&(a, b)| c.of[a] >= c.of[b]));
        assert!(c.is_cyclic(1) && !c.is_cyclic(3) && c.is_cyclic(5));
        assert_eq!(c.count, 4);
    }
}
