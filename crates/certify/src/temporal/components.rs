//! Strongly connected components, by Tarjan's algorithm without recursion.

/// An edge of a graph: where it leads, and a mark; in a product, the number of the set of its debts.
pub(crate) type Edge = (u32, u32);

/// Not looked at yet.
const NEW: u32 = u32::MAX;

/// The component of each node, as a number that its nodes share.
pub(crate) fn components(next: &[Vec<Edge>]) -> Vec<u32> {
    let mut component = vec![NEW; next.len()];
    let (mut order, mut low) = (vec![NEW; next.len()], vec![NEW; next.len()]);
    let (mut open, mut count) = (Vec::new(), 0);
    for root in 0..next.len() {
        // The way to a node, and how many of the edges of each node on it were followed.
        let mut way: Vec<(usize, usize)> = if order[root] == NEW { vec![(root, 0)] } else { Vec::new() };
        while let Some((node, followed)) = way.last_mut() {
            let node = *node;
            if *followed == 0 && order[node] == NEW {
                (order[node], low[node]) = (count, count);
                count += 1;
                open.push(node);
            }
            if let Some(&(to, _)) = next[node].get(*followed) {
                *followed += 1;
                let to = to as usize;
                if order[to] == NEW {
                    way.push((to, 0));
                } else if component[to] == NEW {
                    low[node] = low[node].min(order[to]);
                }
                continue;
            }
            way.pop();
            if let Some(&(before, _)) = way.last() {
                low[before] = low[before].min(low[node]);
            }
            if low[node] == order[node] {
                while let Some(member) = open.pop() {
                    component[member] = node as u32;
                    if member == node {
                        break;
                    }
                }
            }
        }
    }
    component
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_together_if_each_leads_to_the_other() {
        let graph = |edges: &[(u32, u32)], nodes: u32| -> Vec<Vec<Edge>> {
            let of = |node: u32| edges.iter().filter(|(from, _)| *from == node).map(|&(_, to)| (to, 0)).collect();
            (0..nodes).map(of).collect()
        };
        let found = components(&graph(&[(0, 1), (1, 2), (2, 1), (2, 3), (3, 3), (4, 0), (0, 0)], 5));
        assert_eq!(found[1], found[2]);
        for (one, other) in [(0, 1), (0, 3), (1, 3), (4, 0), (4, 3)] {
            assert_ne!(found[one], found[other], "{one} {other}");
        }
    }
}
