//! A net cut into parts that share no counter: what holds for each of them holds for all.
//!
//! Weights for the whole system would grow with the square of its size, so each part is looked at for itself. Where most
//! transitions of an instance change nothing that counts, nodes that must have the same potential are merged first.

use super::{Counter, Net, Transition};
use model::runs::Runs;
use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet};
use std::rc::Rc;

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
                part.first[local as usize].iter_mut().for_each(|node| *node = merged.of(*node));
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
                    (from, to) = (merged.of(from), merged.of(to));
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
    arrivals: Rc<Arrivals>,
    /// The nodes that are merged into another one than where nothing has an effect, in rising order, with the number of that.
    changed: Vec<(u32, u32)>,
    /// How many are left.
    pub(crate) count: u32,
    /// The transitions that are left: those with an effect, and those that lead to another node.
    pub(crate) kept: Vec<u32>,
}

impl Merged {
    /// The number of what a node is merged into.
    pub(crate) fn of(&self, node: u32) -> u32 {
        let changed = self.changed.binary_search_by_key(&node, |&(node, _)| node);
        changed.map_or_else(|_| self.arrivals.of[node as usize], |at| self.changed[at].1)
    }

    /// Numbers of what is left, for all nodes.
    pub(crate) fn spread(&self, numbers: &Runs) -> Runs {
        fn add(counted: &mut Vec<(u32, i64)>, count: u32, number: i64) {
            match counted.last_mut() {
                _ if count == 0 => {}
                Some(last) if last.1 == number => last.0 += count,
                _ => counted.push((count, number)),
            }
        }
        let number = |of: u32| numbers.get(of).unwrap_or(0);
        let (mut counted, mut begin, mut changed) = (Vec::new(), 0, self.changed.iter().peekable());
        for &(end, of) in &self.arrivals.runs {
            while let Some(&(node, other)) = changed.next_if(|&&(node, _)| node < end) {
                add(&mut counted, node - begin, number(of));
                add(&mut counted, 1, number(other));
                begin = node + 1;
            }
            add(&mut counted, end - begin, number(of));
            begin = end;
        }
        Runs::try_from(counted).unwrap_or_default()
    }
}

/// The paths into each node of an instance, and what is merged where no transition has an effect.
///
/// Each node is merged into the one that it can only be reached from, by transitions without an effect: along them a
/// potential cannot rise, and nothing makes it fall. Most nodes come after those that lead to them in the order in
/// which this is found out; one that does not is kept. A transition with an effect merges less: only the nodes behind it are
/// looked at again, so a few of them cost little in a large process.
pub(crate) struct Arrivals {
    /// Per node: where it is in the order.
    rank: Vec<u32>,
    /// Per node: where it comes from, and where it leads to, by which transitions.
    into: Vec<Vec<(u32, u32)>>,
    out: Vec<Vec<(u32, u32)>>,
    /// Per node: the number of what it is merged into; the same as runs, with the end of each; and a copy to work with.
    of: Vec<u32>,
    scratch: RefCell<Vec<u32>>,
    runs: Vec<(u32, u32)>,
    /// The nodes that are left, by number.
    heads: Vec<u32>,
    kept: Vec<u32>,
}

impl Arrivals {
    /// Those of one instance.
    pub(crate) fn new(net: &Net, instance: u32) -> Self {
        let nodes = net.graph_nodes[instance as usize] as usize;
        let (mut into, mut out) = (vec![Vec::new(); nodes], vec![Vec::new(); nodes]);
        for id in net.of_instance[instance as usize].clone() {
            let transition = &net.transitions[id as usize];
            into[transition.to as usize].push((transition.from, id));
            out[transition.from as usize].push((transition.to, id));
        }
        let first: BTreeSet<u32> = net.first[instance as usize].iter().copied().collect();
        let order = in_order(&out, &net.first[instance as usize]);
        let mut rank = vec![u32::MAX; nodes];
        (0..).zip(&order).for_each(|(at, &node)| rank[node as usize] = at);
        let (mut of, mut heads): (Vec<Option<u32>>, Vec<u32>) = (vec![None; nodes], Vec::new());
        let rest = (0..nodes as u32).filter(|&node| rank[node as usize] == u32::MAX);
        for node in order.into_iter().chain(rest) {
            let paths: &Vec<(u32, u32)> = &into[node as usize];
            let is_free = rank[node as usize] < u32::MAX && !first.contains(&node);
            let origin = paths.first().and_then(|&(from, _)| of[from as usize]).filter(|_| is_free);
            let merged = origin.filter(|_| paths.iter().all(|&(from, _)| of[from as usize] == origin));
            of[node as usize] = Some(merged.unwrap_or(heads.len() as u32));
            heads.extend(merged.is_none().then_some(node));
        }
        let of: Vec<u32> = of.into_iter().flatten().collect();
        let mut runs: Vec<(u32, u32)> = Vec::new();
        for (end, &number) in (1..).zip(&of) {
            match runs.last_mut() {
                Some(last) if last.1 == number => last.0 = end,
                _ => runs.push((end, number)),
            }
        }
        let into_head = |(number, &head): (u32, &u32)| {
            into[head as usize].iter().filter(|&&(from, _)| of[from as usize] != number).map(|&(_, id)| id).collect()
        };
        let kept: Vec<Vec<u32>> = (0..).zip(&heads).map(into_head).collect();
        let scratch = RefCell::new(of.clone());
        Arrivals { rank, kept: kept.concat(), into, out, of, scratch, runs, heads }
    }

    fn is_head(&self, node: u32) -> bool {
        self.heads[self.of[node as usize] as usize] == node
    }

    /// The same where some transitions have an effect.
    pub(crate) fn merged(self: &Rc<Self>, net: &Net, effective: &BTreeSet<u32>) -> Merged {
        let (mut changed, mut heads) = (Vec::new(), Vec::new());
        let (mut of, mut count) = (self.scratch.borrow_mut(), self.heads.len() as u32);
        // What a head was merged from comes from different nodes, or from behind: it stays one.
        let ranked = |node: u32| (!self.is_head(node)).then_some(Reverse((self.rank[node as usize], node)));
        let mut open: BinaryHeap<Reverse<(u32, u32)>> =
            effective.iter().filter_map(|&id| ranked(net.transitions[id as usize].to)).collect();
        while let Some(Reverse((rank, node))) = open.pop() {
            while open.peek() == Some(&Reverse((rank, node))) {
                open.pop();
            }
            let paths = &self.into[node as usize];
            let origin = of[paths[0].0 as usize];
            let is_same = |&(from, id): &(u32, u32)| of[from as usize] == origin && !effective.contains(&id);
            let number = if paths.iter().all(is_same) {
                origin
            } else {
                heads.push((node, count));
                count += 1;
                count - 1
            };
            if number != self.of[node as usize] {
                of[node as usize] = number;
                changed.push((node, number));
                open.extend(self.out[node as usize].iter().filter_map(|&(to, _)| ranked(to)));
            }
        }
        let mut kept: Vec<u32> = effective.iter().copied().chain(self.kept.iter().copied()).collect();
        for (node, number) in heads {
            let paths = self.into[node as usize].iter().filter(|&&(from, _)| of[from as usize] != number);
            kept.extend(paths.map(|&(_, id)| id));
        }
        for &(node, _) in &changed {
            kept.extend(self.out[node as usize].iter().filter(|&&(to, _)| self.is_head(to)).map(|&(_, id)| id));
            of[node as usize] = self.of[node as usize];
        }
        kept.sort_unstable();
        kept.dedup();
        changed.sort_unstable();
        Merged { arrivals: Rc::clone(self), changed, count, kept }
    }
}

/// The nodes that are reached, depth-first: a node is done when all that it leads to is; in the opposite order it comes
/// before that.
fn in_order(out: &[Vec<(u32, u32)>], first: &[u32]) -> Vec<u32> {
    let (mut order, mut seen) = (Vec::with_capacity(out.len()), vec![false; out.len()]);
    for &start in first {
        let mut stack = vec![(start, 0)];
        while let Some((node, next)) = stack.pop() {
            if next == 0 && std::mem::replace(&mut seen[node as usize], true) {
                continue;
            }
            match out[node as usize].get(next) {
                Some(&(to, _)) => stack.extend([(node, next + 1), (to, 0)]),
                None => order.push(node),
            }
        }
    }
    order.reverse();
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use testing::Random;

    /// What is merged, found node by node.
    fn naive(net: &Net, effective: &BTreeSet<u32>) -> (Vec<u32>, Vec<u32>) {
        let arrivals = Arrivals::new(net, 0);
        let mut order: Vec<u32> = (0..net.graph_nodes[0]).collect();
        order.sort_by_key(|&node| arrivals.rank[node as usize]);
        let mut head: BTreeMap<u32, u32> = BTreeMap::new();
        for &node in &order {
            let into = || net.transitions.iter().enumerate().filter(|(_, t)| t.to == node);
            let origin = into().next().and_then(|(_, t)| head.get(&t.from).copied());
            let is_free = arrivals.rank[node as usize] < u32::MAX && !net.first[0].contains(&node);
            let same = |(id, t): (usize, &Transition)| {
                head.get(&t.from).copied() == origin && !effective.contains(&(id as u32))
            };
            let merged = origin.filter(|_| is_free && into().all(same));
            head.insert(node, merged.unwrap_or(node));
        }
        let stays = |t: &Transition| head[&t.from] == head[&t.to];
        let kept = (0..).zip(&net.transitions).filter(|(id, t)| !stays(t) || effective.contains(id));
        let kept = kept.filter(|(_, t)| head[&t.to] == t.to).map(|(id, _)| id).collect();
        (head.into_values().collect(), kept)
    }

    fn random(random: &mut Random) -> Net {
        let nodes = 2 + random.below(8) as u32;
        let count = 1 + random.below(2 * nodes as usize);
        let transitions = (0..count).map(|_| {
            let node = |random: &mut Random| random.below(nodes as usize) as u32;
            let (from, to) = (node(random), node(random));
            let to = if random.below(3) == 0 { to } else { (from + 1) % nodes };
            Transition {
                instance: 0,
                from,
                to,
                node: 0,
                effects: Vec::new(),
                moves: Vec::new(),
                edges: Vec::new(),
                progress: false,
                lengths: Vec::new(),
            }
        });
        let transitions: Vec<Transition> = transitions.collect();
        Net {
            counters: Vec::new(),
            of_instance: std::iter::once(0..transitions.len() as u32).collect(),
            transitions,
            ids: vec![0],
            graph_nodes: vec![nodes],
            first: vec![vec![0]],
            followed: Vec::new(),
            numbers: Vec::new(),
            first_distance: Vec::new(),
            first_count: Vec::new(),
            failures: HashSet::new(),
        }
    }

    #[test]
    fn what_is_merged_is_what_is_found_node_by_node() {
        for seed in 0..3_000 {
            let mut dice = Random::new(seed);
            let net = random(&mut dice);
            let effective = (0..net.transitions.len() as u32).filter(|_| dice.below(3) == 0).collect();
            let merged = Rc::new(Arrivals::new(&net, 0)).merged(&net, &effective);
            let (heads, kept) = naive(&net, &effective);
            assert_eq!(merged.kept, kept, "seed {seed}");
            for (node, head) in (0..).zip(&heads) {
                for (other, its_head) in (0..).zip(&heads) {
                    assert_eq!(merged.of(node) == merged.of(other), head == its_head, "seed {seed}: {node} {other}");
                }
            }
            let numbers: Runs = (0..i64::from(merged.count)).map(|number| number % 3).collect();
            let all: Vec<i64> = (0..net.graph_nodes[0]).map(|node| i64::from(merged.of(node)) % 3).collect();
            assert_eq!(merged.spread(&numbers), all.into_iter().collect(), "seed {seed}");
        }
    }
}
