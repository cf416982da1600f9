//! A net cut into parts that share no counter: what holds for each of them holds for all.
//!
//! Weights for the whole system would grow with the square of its size, so each part is looked at for itself.

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
        members.into_values().map(|instances| self.part(&instances, &|_| true)).collect()
    }

    /// The net of some instances, with those counters that count.
    pub(crate) fn part(&self, instances: &[u32], counts: &dyn Fn(u32) -> bool) -> Net {
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
            let range = self.of_instance[instance as usize].clone();
            for transition in &self.transitions[range.start as usize..range.end as usize] {
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
                let Transition { from, to, node, progress, .. } = *transition;
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
