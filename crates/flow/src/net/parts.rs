//! A net cut into parts that share no counter: what holds for each of them holds for all.
//!
//! Weights for the whole system would grow with the square of its size, so each part is looked at for itself. Where most
//! transitions of an instance change nothing that counts, nodes that must have the same potential are merged first.

use super::{Counter, Net, Transition};
use std::collections::{BTreeMap, HashMap, HashSet};

impl Net {
    /// The net cut into parts that share no counter: each with its own numbers for instances and counters, none with
    /// the steps that fail.
    pub fn parts(&self) -> Vec<Net> {
        let mut piece: Vec<usize> = (0..self.of_instance.len()).collect();
        fn root(piece: &mut [usize], mut at: usize) -> usize {
            while piece[at] != at {
                piece[at] = piece[piece[at]];
                at = piece[at];
            }
            at
        }
        // Messages of one queue belong together, whatever they are: a bound counts all of them.
        let thing = |counter: u32| match self.counters[counter as usize] {
            Counter::Message(queue, _) => Counter::Message(queue, 0),
            other => other,
        };
        let mut first: HashMap<Counter, usize> = HashMap::new();
        for transition in &self.transitions {
            for &(counter, _) in &transition.effects {
                let owner = *first.entry(thing(counter)).or_insert(transition.instance as usize);
                let (a, b) = (root(&mut piece, owner), root(&mut piece, transition.instance as usize));
                piece[a] = b;
            }
        }
        let mut members: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
        for instance in 0..piece.len() {
            members.entry(root(&mut piece, instance)).or_default().push(instance as u32);
        }
        members.into_values().map(|instances| self.part(&instances, &|_| true, &[])).collect()
    }

    /// The net of some instances, with those counters that count, and with nodes merged where that is said for an instance.
    pub(crate) fn part(&self, instances: &[u32], counts: &dyn Fn(u32) -> bool, merged: &[Merged]) -> Net {
        let mut part = Net {
            counters: Vec::new(),
            transitions: Vec::new(),
            of_instance: Vec::new(),
            ids: instances.iter().map(|&i| self.ids[i as usize]).collect(),
            graph_nodes: instances.iter().map(|&i| self.graph_nodes[i as usize]).collect(),
            first: instances.iter().map(|&i| self.first[i as usize].clone()).collect(),
            followed: self.followed.clone(),
            numbers: self.numbers.clone(),
            first_distance: self.first_distance.clone(),
            first_count: Vec::new(),
            failures: HashSet::new(),
        };
        let mut index: HashMap<u32, Option<u32>> = HashMap::new();
        for (local, &instance) in (0u32..).zip(instances) {
            let begin = part.transitions.len() as u32;
            let merged = merged.get(local as usize);
            if let Some(merged) = merged {
                part.graph_nodes[local as usize] = merged.count;
                part.first[local as usize].iter_mut().for_each(|node| *node = merged.of[*node as usize]);
            }
            let ids: Vec<u32> =
                merged.map_or_else(|| self.of_instance[instance as usize].clone().collect(), |m| m.kept.clone());
            for transition in ids.into_iter().map(|id| &self.transitions[id as usize]) {
                let mut effects: Vec<(u32, i64)> = Vec::with_capacity(transition.effects.len());
                for &(counter, change) in &transition.effects {
                    let own = *index.entry(counter).or_insert_with(|| {
                        counts(counter).then(|| {
                            part.counters.push(self.counters[counter as usize]);
                            part.first_count.push(self.first_count[counter as usize]);
                            part.counters.len() as u32 - 1
                        })
                    });
                    effects.extend(own.map(|own| (own, change)));
                }
                effects.sort_unstable();
                let Transition { mut from, mut to, node, progress, .. } = *transition;
                if let Some(merged) = merged {
                    (from, to) = (merged.of[from as usize], merged.of[to as usize]);
                }
                let (moves, edges, lengths) = (transition.moves.clone(), Vec::new(), Vec::new());
                part.transitions.push(Transition {
                    instance: local,
                    from,
                    to,
                    node,
                    effects,
                    moves,
                    edges,
                    progress,
                    lengths,
                });
            }
            part.of_instance.push(begin..part.transitions.len() as u32);
        }
        part
    }
}

/// Nodes of an instance, some of them merged.
pub(crate) struct Merged {
    /// Per node: the number of what it is merged into.
    pub(crate) of: Vec<u32>,
    /// How many are left.
    pub(crate) count: u32,
    /// The transitions that are left: those with an effect, and those that lead to another node.
    pub(crate) kept: Vec<u32>,
}

/// The ways into each node of an instance, in an order in which most nodes come after those that lead to them.
pub(crate) struct Arrivals {
    order: Vec<u32>,
    /// Per node: where it comes from, by which transition, and whether that changes any counter.
    into: Vec<Vec<(u32, u32, bool)>>,
    first: Vec<bool>,
}

impl Arrivals {
    /// Those of one instance.
    pub(crate) fn new(net: &Net, instance: u32) -> Self {
        let nodes = net.graph_nodes[instance as usize] as usize;
        let (mut into, mut out) = (vec![Vec::new(); nodes], vec![Vec::new(); nodes]);
        for id in net.of_instance[instance as usize].clone() {
            let transition = &net.transitions[id as usize];
            into[transition.to as usize].push((transition.from, id, !transition.effects.is_empty()));
            out[transition.from as usize].push(transition.to);
        }
        let mut first = vec![false; nodes];
        net.first[instance as usize].iter().for_each(|&node| first[node as usize] = true);
        // Depth-first: a node is done when all that it leads to is; in the opposite order it comes before that.
        let (mut order, mut seen) = (Vec::with_capacity(nodes), vec![false; nodes]);
        for &start in &net.first[instance as usize] {
            let mut stack = vec![(start, 0)];
            while let Some((node, next)) = stack.pop() {
                if next == 0 && std::mem::replace(&mut seen[node as usize], true) {
                    continue;
                }
                match out[node as usize].get(next) {
                    Some(&to) => stack.extend([(node, next + 1), (to, 0)]),
                    None => order.push(node),
                }
            }
        }
        order.reverse();
        Arrivals { order, into, first }
    }

    /// Merges each node into the one that it can only be reached from, by transitions without an effect: along them a
    /// potential cannot rise, and nothing makes it fall.
    pub(crate) fn merged(&self, has_effect: &dyn Fn(u32) -> bool) -> Merged {
        let mut of: Vec<Option<u32>> = vec![None; self.into.len()];
        let mut heads = Vec::new();
        for &node in &self.order {
            let ways = &self.into[node as usize];
            let origin = ways.first().and_then(|&(from, ..)| of[from as usize]).filter(|_| !self.first[node as usize]);
            let same = |&(from, id, any): &(u32, u32, bool)| of[from as usize] == origin && !(any && has_effect(id));
            of[node as usize] = origin.filter(|_| ways.iter().all(same)).or(Some(heads.len() as u32));
            if of[node as usize] == Some(heads.len() as u32) {
                heads.push(node);
            }
        }
        let of = of.into_iter().zip(0..).map(|(known, node)| {
            known.unwrap_or_else(|| {
                heads.push(node);
                heads.len() as u32 - 1
            })
        });
        let of: Vec<u32> = of.collect();
        let mut kept = Vec::new();
        for (number, &head) in (0..).zip(&heads) {
            let stays = |from: u32| of[from as usize] == number;
            let ways = self.into[head as usize].iter();
            kept.extend(ways.filter(|&&(from, id, any)| !stays(from) || any && has_effect(id)).map(|&(_, id, _)| id));
        }
        kept.sort_unstable();
        Merged { of, count: heads.len() as u32, kept }
    }
}
