//! A single instance is one process, ever.
//!
//! It is there from the start, or one `run` at one node of a single instance creates it. That process is at the node at
//! most once, if no path leads from the node back to it. By induction over the length of a run, nothing single is created
//! twice.

use super::invariant::Step;
use super::shape::Ground;
use crate::Refusal;
use model::flow_proof::{Creation, Origin};
use std::collections::HashMap;

/// Checks where single instances come from.
pub(super) fn check(ground: &Ground<'_>, steps: &[Step]) -> Result<(), Refusal> {
    let mut by_creator: HashMap<u32, Vec<&Creation>> = HashMap::new();
    let mut creator_of: HashMap<u32, u32> = HashMap::new();
    for creation in &ground.abstraction.creations {
        let created = ground.instance(creation.instance);
        if created.many {
            continue;
        }
        let refuse = |what: &str| {
            let (id, name) = (creation.instance, &ground.machine(creation.instance).name);
            Err(Refusal::Creation(format!("instance {id} ({name}) is a single one, but {what}")))
        };
        if created.origin != Origin::Run {
            return refuse("is there from the start and created, too");
        }
        if ground.instance(creation.creator).many {
            return refuse("any number of processes create it");
        }
        if creator_of.insert(creation.instance, creation.creator).is_some() {
            return refuse("is created at several places");
        }
        by_creator.entry(creation.creator).or_default().push(creation);
    }
    no_own_ancestor(ground, &creator_of)?;
    let mut edges: HashMap<u32, Vec<(u32, u32)>> = HashMap::new();
    for step in steps.iter().filter(|step| by_creator.contains_key(&step.instance)) {
        edges.entry(step.instance).or_default().push((step.from, step.to));
    }
    for (&creator, creations) in &by_creator {
        let graph = edges.get(&creator).map_or(&[][..], Vec::as_slice);
        let cyclic = on_cycles(ground.instance(creator).nodes.len(), graph);
        if let Some(creation) = creations.iter().find(|creation| cyclic[creation.node as usize]) {
            let place = ground.place(creator, creation.node);
            let (id, name) = (creation.instance, &ground.machine(creation.instance).name);
            let what = format!("instance {id} ({name}) is a single one, but {place} is passed again and again");
            return Err(Refusal::Creation(what));
        }
    }
    Ok(())
}

/// Nothing comes from itself: going from creator to creator ends.
fn no_own_ancestor(ground: &Ground<'_>, creator_of: &HashMap<u32, u32>) -> Result<(), Refusal> {
    // From which instance on its line an instance was looked at first.
    let mut looked_at: Vec<Option<u32>> = vec![None; ground.abstraction.instances.len()];
    for &start in creator_of.keys() {
        let mut at = start;
        while looked_at[at as usize].is_none() {
            looked_at[at as usize] = Some(start);
            let Some(&creator) = creator_of.get(&at) else { break };
            if looked_at[creator as usize] == Some(start) {
                return Err(Refusal::Creation(format!("instance {creator} is its own ancestor")));
            }
            at = creator;
        }
    }
    Ok(())
}

/// Which nodes of a graph are on a cycle: those whose strongly connected component has an edge inside (Kosaraju).
fn on_cycles(nodes: usize, edges: &[(u32, u32)]) -> Vec<bool> {
    let (mut out, mut back) = (vec![Vec::new(); nodes], vec![Vec::new(); nodes]);
    for &(from, to) in edges {
        out[from as usize].push(to);
        back[to as usize].push(from);
    }
    let mut seen = vec![false; nodes];
    let mut finished = Vec::with_capacity(nodes);
    for node in 0..nodes as u32 {
        depth_first(&out, node, &mut seen, &mut |n| finished.push(n));
    }
    let mut component = vec![u32::MAX; nodes];
    let mut seen = vec![false; nodes];
    for &node in finished.iter().rev() {
        depth_first(&back, node, &mut seen, &mut |n| component[n as usize] = node);
    }
    let mut cyclic = vec![false; nodes];
    for &(from, to) in edges {
        cyclic[component[from as usize] as usize] |= component[from as usize] == component[to as usize];
    }
    (0..nodes).map(|node| cyclic[component[node] as usize]).collect()
}

/// Visits what can be reached and was not seen, and reports each node when it is left.
fn depth_first(graph: &[Vec<u32>], root: u32, seen: &mut [bool], leave: &mut impl FnMut(u32)) {
    if std::mem::replace(&mut seen[root as usize], true) {
        return;
    }
    let mut path = vec![(root, 0usize)];
    while let Some((node, next)) = path.last_mut() {
        match graph[*node as usize].get(*next) {
            Some(&to) => {
                *next += 1;
                if !std::mem::replace(&mut seen[to as usize], true) {
                    path.push((to, 0));
                }
            }
            None => {
                leave(*node);
                path.pop();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::on_cycles;

    #[test]
    fn nodes_between_two_cycles_are_on_none() {
        let edges = [(0, 1), (1, 0), (1, 2), (2, 3), (3, 4), (4, 3), (5, 5), (6, 0)];
        assert_eq!(on_cycles(7, &edges), [true, true, false, true, true, true, false]);
        assert_eq!(on_cycles(2, &[]), [false, false]);
    }
}
