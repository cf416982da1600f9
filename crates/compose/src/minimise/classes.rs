//! Which states are alike: bisimulation by signatures (Blom & Orzan).
//!
//! The signature of a state is the set of its steps, each with the class that it leads to. States of a class with
//! different signatures are separated, until there are none. For *branching* bisimulation, steps without names inside
//! of a class are *inert*. Cycles of such steps are merged before; then every state comes after those that it can
//! silently go to. A ready set counts like a step to the end, and of several only the smallest do. Where it matters
//! that a state can be silent *forever*, inside of its class, this counts like a step too (branching bisimulation with
//! explicit divergence, van Glabbeek, Luttik & Trčka).
//!
//! Signatures are inductive (Blom & van de Pol): an inert step is in the signature with the signature that its target
//! has in the *same* round, and a state with an inert step after which everything is possible still, its other steps
//! and their signatures, has the signature of that target. So a signature has no more parts than the state has steps,
//! and what silent steps lead to is copied nowhere. Two states that are bisimilar have the same: along silent steps to
//! bisimilar states the signature is handed on, and states without such steps have the same steps. And where all
//! states of a class have the same, no inert step is left in it, since a signature cannot have itself as a part: then
//! every step of a state can be done after each of its inert steps, too. Ready sets and silence forever are parts only
//! where no inert step leads to them.
//!
//! A round looks only at states whose signatures can have changed: those with a step to a state that got a new class. These
//! can be nearly all states in each of many rounds; for large structures without ready sets there are [`bunches`].

use super::bunches;
use super::sets::Sets;
use crate::lts::{Lts, TAU};
use crate::meter::Meter;
use model::claim::AtomSet;
use model::verdict::Reason;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::collections::HashMap;
use std::hash::BuildHasher;

/// Signatures may have so many parts before those of earlier rounds are forgotten, and some for each step.
const PLENTY: usize = 1 << 20;
/// The pseudo-event of a ready set in a signature.
const READY: u32 = u32::MAX - 2;
/// What stands in the signature of a state that can be silent forever.
const SILENT_FOREVER: u64 = ((u32::MAX - 3) as u64) << 32;
/// The pseudo-event of an inert step to a state with a signature.
const INERT: u32 = u32::MAX - 4;

fn part(event: u32, number: u32) -> u64 {
    u64::from(event) << 32 | u64::from(number)
}

/// Which bisimulation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Alike {
    /// Every step counts.
    Strong,
    /// Steps without names that change nothing do not.
    Branching,
    /// They do not, but that there is no end of them does.
    Diverging,
}

impl Alike {
    fn is_weak(self) -> bool {
        self != Alike::Strong
    }
}

/// States in classes.
pub(crate) struct Classes {
    /// The class of each state.
    pub(crate) of: Vec<u32>,
    /// By class, whether a step without a name from it to itself counts.
    pub(crate) stays: Vec<bool>,
}

/// The classes of all states.
pub(crate) fn alike(
    lts: &Lts,
    ready: &[Vec<u32>],
    sets: &Sets,
    manner: Alike,
    meter: &Meter<'_>,
) -> Result<Classes, Reason> {
    let (mut nodes, node_of) = Nodes::new(lts, ready, manner, meter)?;
    nodes.refine(sets, meter)?;
    Ok(nodes.classes(&node_of))
}

/// The same where there are no ready sets, for large structures of any shape.
pub(crate) fn alike_by_bunches(lts: &Lts, manner: Alike, meter: &Meter<'_>) -> Result<Classes, Reason> {
    let (mut nodes, node_of) = Nodes::new(lts, &vec![Vec::new(); lts.states()], manner, meter)?;
    nodes.by_bunches(meter)?;
    Ok(nodes.classes(&node_of))
}

/// The classes of all states round by round, up to the first round in which these two states are apart, and the states
/// that are one for silent steps.
pub(crate) fn rounds(
    lts: &Lts,
    manner: Alike,
    (a, b): (u32, u32),
    meter: &Meter<'_>,
) -> Result<(Vec<Vec<u32>>, Vec<u32>), Reason> {
    let (mut nodes, node_of) = Nodes::new(lts, &vec![Vec::new(); lts.states()], manner, meter)?;
    let sets = Sets::default();
    let mut rounds: Vec<Vec<u32>> = Vec::new();
    loop {
        let classes: Vec<u32> = node_of.iter().map(|&node| nodes.class[node as usize]).collect();
        let apart = classes[a as usize] != classes[b as usize];
        rounds.push(classes);
        meter.store(lts.states(), rounds.len() * lts.states() * 4)?;
        if apart {
            return Ok((rounds, node_of));
        }
        let known = nodes.seen_through(&sets, meter)?;
        let mut numbers: HashMap<(u32, u32), u32> = HashMap::new();
        for (class, &signature) in nodes.class.iter_mut().zip(&known) {
            let next = numbers.len() as u32;
            *class = *numbers.entry((*class, signature)).or_insert(next);
        }
    }
}

/// A list of pairs for each node, one after the other in memory.
struct Lists {
    items: Vec<(u32, u32)>,
    /// Where each begins, and where the last ends.
    first: Vec<u32>,
}

impl Lists {
    /// The pairs of all nodes, in any order.
    fn new<I: Iterator<Item = (u32, (u32, u32))>>(count: usize, pairs: impl Fn() -> I) -> Lists {
        let mut first = vec![0u32; count + 1];
        pairs().for_each(|(node, _)| first[node as usize + 1] += 1);
        (0..count).for_each(|node| first[node + 1] += first[node]);
        let mut next = first.clone();
        let mut items = vec![(0, 0); first[count] as usize];
        for (node, pair) in pairs() {
            items[next[node as usize] as usize] = pair;
            next[node as usize] += 1;
        }
        Lists { items, first }
    }

    fn of(&self, node: u32) -> &[(u32, u32)] {
        &self.items[self.first[node as usize] as usize..self.first[node as usize + 1] as usize]
    }
}

/// States that are alike from the start, and what is known of their classes.
struct Nodes {
    moves: Lists,
    ready: Vec<Vec<u32>>,
    /// A cycle of silent steps, where that counts.
    forever: Vec<bool>,
    class: Vec<u32>,
    classes: usize,
    manner: Alike,
}

/// Signatures, each kept once and known by its number.
#[derive(Default)]
struct Signatures {
    /// The parts of all, one after the other, and where each ends.
    parts: Vec<u64>,
    ends: Vec<usize>,
    /// Ready sets and silence forever, of a state with this signature and of those that inert steps lead to.
    quiet: Vec<Box<[u64]>>,
    /// By hash, the last with it; by number, the one before with the same hash.
    last: FxHashMap<u64, u32>,
    before: Vec<u32>,
}

impl Signatures {
    fn get(&self, number: u32) -> &[u64] {
        let number = number as usize;
        let from = if number == 0 { 0 } else { self.ends[number - 1] };
        &self.parts[from..self.ends[number]]
    }

    /// What is quiet follows from the parts.
    fn number(&mut self, signature: &[u64], quiet: &[u64]) -> u32 {
        const NONE: u32 = u32::MAX;
        let hash = FxBuildHasher.hash_one(signature);
        let mut at = self.last.get(&hash).copied().unwrap_or(NONE);
        while at != NONE {
            if self.get(at) == signature {
                return at;
            }
            at = self.before[at as usize];
        }
        let number = self.ends.len() as u32;
        self.parts.extend_from_slice(signature);
        self.ends.push(self.parts.len());
        self.quiet.push(quiet.into());
        self.before.push(self.last.insert(hash, number).unwrap_or(NONE));
        number
    }

    fn bytes(&self) -> usize {
        self.parts.len() * 8 + self.ends.len() * 56
    }
}

/// Room for one signature.
#[derive(Default)]
struct Buffer {
    parts: Vec<u64>,
    ready: Vec<u32>,
    quiet: Vec<u64>,
}

impl Nodes {
    fn new(lts: &Lts, ready: &[Vec<u32>], manner: Alike, meter: &Meter<'_>) -> Result<(Nodes, Vec<u32>), Reason> {
        let (node_of, count) = match manner {
            Alike::Strong => ((0..lts.states() as u32).collect(), lts.states()),
            Alike::Branching | Alike::Diverging => silent_components(lts, meter)?,
        };
        let numbers: &[u32] = &node_of;
        let each = |(state, &node): (usize, &u32)| {
            let target = move |&(event, to): &(u32, u32)| (event, numbers[to as usize]);
            let stays = move |step: &(u32, u32)| manner.is_weak() && *step == (TAU, node);
            lts.moves[state].iter().map(target).filter(move |step| !stays(step)).map(move |step| (node, step))
        };
        let mut nodes = Nodes {
            moves: Lists::new(count, || numbers.iter().enumerate().flat_map(each)),
            ready: vec![Vec::new(); count],
            forever: vec![false; count],
            class: vec![0; count],
            classes: 0,
            manner,
        };
        let mut keys: HashMap<(bool, AtomSet), u32> = HashMap::new();
        for (state, &node) in node_of.iter().enumerate() {
            let place = node as usize;
            let target = |&(event, to): &(u32, u32)| (event, node_of[to as usize]);
            let stays = |step: &(u32, u32)| manner.is_weak() && *step == (TAU, node);
            // A silent step inside of a component is on a cycle.
            nodes.forever[place] |=
                manner == Alike::Diverging && lts.moves[state].iter().map(target).any(|step| stays(&step));
            nodes.ready[place].extend_from_slice(&ready[state]);
            let next = keys.len() as u32;
            nodes.class[place] = *keys.entry((lts.wrong[state], lts.labels[state])).or_insert(next);
            meter.spend(1 + lts.moves[state].len())?;
        }
        nodes.classes = keys.len();
        for node in 0..count {
            meter.spend(1)?;
            nodes.ready[node].sort_unstable();
            nodes.ready[node].dedup();
        }
        Ok((nodes, node_of))
    }

    fn is_inert(&self, from: u32, event: u32, to: u32) -> bool {
        self.manner.is_weak() && event == TAU && self.class[from as usize] == self.class[to as usize]
    }

    fn classes(&self, node_of: &[u32]) -> Classes {
        let mut stays = vec![self.manner == Alike::Strong; self.classes];
        for (&class, &forever) in self.class.iter().zip(&self.forever) {
            stays[class as usize] |= forever;
        }
        Classes { of: node_of.iter().map(|&node| self.class[node as usize]).collect(), stays }
    }

    /// Where there are no ready sets. A node that can be silent forever has a step to a node that nothing else leads to.
    fn by_bunches(&mut self, meter: &Meter<'_>) -> Result<(), Reason> {
        const FOREVER: u32 = (SILENT_FOREVER >> 32) as u32;
        let count = self.class.len() as u32;
        let own = (0..count).flat_map(|node| self.moves.of(node).iter().map(move |&(event, to)| (node, event, to)));
        let forever = self.forever.iter().zip(0..).filter(|(forever, _)| **forever);
        let steps = own.chain(forever.map(|(_, node)| (node, FOREVER, count)));
        let mut first = self.class.clone();
        first.push(self.classes as u32);
        let blocks = bunches::blocks(steps, &first, self.manner.is_weak(), meter)?;
        let mut numbers: FxHashMap<u32, u32> = FxHashMap::default();
        for (class, block) in self.class.iter_mut().zip(blocks) {
            let next = numbers.len() as u32;
            *class = *numbers.entry(block).or_insert(next);
        }
        self.classes = numbers.len();
        Ok(())
    }

    fn refine(&mut self, sets: &Sets, meter: &Meter<'_>) -> Result<(), Reason> {
        let count = self.class.len();
        let back = |from: u32| self.moves.of(from).iter().map(move |&(event, to)| (to, (event, from)));
        let predecessors = Lists::new(count, || (0..count as u32).flat_map(back));
        let mut sizes = vec![0usize; self.classes];
        self.class.iter().for_each(|&class| sizes[class as usize] += 1);
        let mut signatures = Signatures::default();
        let mut signature = vec![u32::MAX; count];
        let mut of_class = vec![u32::MAX; self.classes];
        let mut dirty: Vec<u32> = (0..count as u32).collect();
        let mut is_dirty = vec![false; count];
        let mut buffer = Buffer::default();
        let plenty = self.moves.items.len() * 4 + PLENTY;
        while !dirty.is_empty() {
            if signatures.parts.len() > plenty {
                // Most are of earlier rounds.
                signatures = Signatures::default();
                dirty = (0..count as u32).collect();
            }
            // What a node can silently go to has a smaller number.
            dirty.sort_unstable();
            for &node in &dirty {
                signature[node as usize] = self.signature(node, &signature, &mut signatures, sets, &mut buffer);
                meter.spend(1 + self.moves.of(node).len())?;
            }
            meter.store(count, count * 64 + signatures.bytes())?;
            let moved = self.split(&dirty, &signature, &mut sizes, &mut of_class);
            for &node in &dirty {
                is_dirty[node as usize] = false;
            }
            dirty.clear();
            let mut mark = |node: u32, dirty: &mut Vec<u32>| {
                if !std::mem::replace(&mut is_dirty[node as usize], true) {
                    dirty.push(node);
                }
            };
            for &node in &moved {
                if self.manner.is_weak() {
                    mark(node, &mut dirty);
                }
                predecessors.of(node).iter().for_each(|&(_, from)| mark(from, &mut dirty));
            }
            let mut at = 0;
            while let Some(&node) = dirty.get(at) {
                for &(event, from) in predecessors.of(node) {
                    if self.is_inert(from, event, node) {
                        mark(from, &mut dirty);
                    }
                }
                at += 1;
            }
        }
        Ok(())
    }

    /// The number of the signature of a node; those that inert steps lead to have theirs.
    fn signature(
        &self,
        node: u32,
        known: &[u32],
        signatures: &mut Signatures,
        sets: &Sets,
        buffer: &mut Buffer,
    ) -> u32 {
        let Buffer { parts, ready, quiet } = buffer;
        parts.clear();
        ready.clear();
        let mut reached = false;
        for &(event, to) in self.moves.of(node) {
            if !self.is_inert(node, event, to) {
                parts.push(part(event, self.class[to as usize]));
                continue;
            }
            let target = known[to as usize];
            parts.push(part(INERT, target));
            for &part in &signatures.quiet[target as usize] {
                if part == SILENT_FOREVER { reached = true } else { ready.push(part as u32) }
            }
        }
        parts.sort_unstable();
        parts.dedup();
        let own = &self.ready[node as usize];
        if !(own.is_empty() && ready.is_empty()) {
            let others = std::mem::take(ready);
            ready.extend(others.iter().chain(own));
            sets.leave_smallest(ready);
            let own = own.iter().filter(|set| ready.binary_search(set).is_ok() && !others.contains(set));
            parts.extend(own.map(|&set| part(READY, set)));
        }
        let forever = self.forever[node as usize];
        parts.extend((forever && !reached).then_some(SILENT_FOREVER));
        let first = parts.partition_point(|&part| part < u64::from(INERT) << 32);
        let inert = parts[first..].iter().take_while(|&&part| (part >> 32) as u32 == INERT);
        for &target in inert {
            let there = signatures.get(target as u32);
            if parts.iter().all(|part| *part == target || there.binary_search(part).is_ok()) {
                return target as u32;
            }
        }
        // In order by now, but for those that are added last.
        parts.sort_unstable();
        quiet.clear();
        quiet.extend(ready.iter().map(|&set| part(READY, set)));
        quiet.extend((forever || reached).then_some(SILENT_FOREVER));
        signatures.number(parts, quiet)
    }

    /// By node, the number of its signature if inert steps are seen through: the state has the signatures of where
    /// they lead.
    fn seen_through(&self, sets: &Sets, meter: &Meter<'_>) -> Result<Vec<u32>, Reason> {
        let mut signatures = Signatures::default();
        let mut known: Vec<u32> = Vec::with_capacity(self.class.len());
        let (mut found, mut ready) = (Vec::new(), Vec::new());
        for node in 0..self.class.len() as u32 {
            found.clear();
            ready.clone_from(&self.ready[node as usize]);
            found.extend(self.forever[node as usize].then_some(SILENT_FOREVER));
            for &(event, to) in self.moves.of(node) {
                if !self.is_inert(node, event, to) {
                    found.push(part(event, self.class[to as usize]));
                    continue;
                }
                for &part in signatures.get(known[to as usize]) {
                    if (part >> 32) as u32 == READY { ready.push(part as u32) } else { found.push(part) }
                }
            }
            sets.leave_smallest(&mut ready);
            found.extend(ready.iter().map(|&set| part(READY, set)));
            found.sort_unstable();
            found.dedup();
            known.push(signatures.number(&found, &[]));
            meter.spend(1 + found.len())?;
        }
        Ok(known)
    }

    /// Separates what has different signatures. The nodes that got a new class.
    fn split(&mut self, dirty: &[u32], signature: &[u32], sizes: &mut Vec<usize>, of_class: &mut Vec<u32>) -> Vec<u32> {
        let mut order: Vec<u32> = dirty.to_vec();
        order.sort_unstable_by_key(|&node| (self.class[node as usize], signature[node as usize]));
        let mut moved = Vec::new();
        let same_class = |a: &u32, b: &u32| self.class[*a as usize] == self.class[*b as usize];
        let blocks: Vec<Vec<u32>> = order.chunk_by(same_class).map(<[u32]>::to_vec).collect();
        for block in blocks {
            let class = self.class[block[0] as usize] as usize;
            let groups: Vec<&[u32]> = block.chunk_by(|a, b| signature[*a as usize] == signature[*b as usize]).collect();
            let others = sizes[class] > block.len();
            if !others {
                let largest = groups.iter().max_by_key(|group| group.len());
                of_class[class] = largest.map_or(u32::MAX, |group| signature[group[0] as usize]);
            }
            for group in groups {
                let own = signature[group[0] as usize];
                if own == of_class[class] {
                    continue;
                }
                let new = self.classes as u32;
                self.classes += 1;
                sizes[class] -= group.len();
                sizes.push(group.len());
                of_class.push(own);
                group.iter().for_each(|&node| self.class[node as usize] = new);
                moved.extend_from_slice(group);
            }
        }
        moved
    }
}

/// Strongly connected components of steps without names between states that are alike at first sight (Tarjan, without
/// recursion). A component has a smaller number
/// than those that lead to it.
fn silent_components(lts: &Lts, meter: &Meter<'_>) -> Result<(Vec<u32>, usize), Reason> {
    const NONE: u32 = u32::MAX;
    let count = lts.states();
    let (mut order, mut low) = (vec![NONE; count], vec![0u32; count]);
    let mut component = vec![NONE; count];
    let (mut clock, mut components) = (0u32, 0u32);
    let mut active: Vec<u32> = Vec::new();
    let mut frames: Vec<(u32, usize)> = Vec::new();
    let silent = |state: u32| {
        let moves = &lts.moves[state as usize];
        &moves[moves.partition_point(|step| step.0 < TAU)..]
    };
    let looks_alike = |a: usize, b: usize| lts.labels[a] == lts.labels[b] && lts.wrong[a] == lts.wrong[b];
    for start in 0..count as u32 {
        if order[start as usize] != NONE {
            continue;
        }
        frames.push((start, 0));
        while let Some(&mut (state, ref mut next)) = frames.last_mut() {
            let at = state as usize;
            if *next == 0 && order[at] == NONE {
                (order[at], low[at]) = (clock, clock);
                clock += 1;
                active.push(state);
                meter.spend(1)?;
            }
            if let Some(&(_, to)) = silent(state).get(*next) {
                *next += 1;
                let to_index = to as usize;
                if !looks_alike(at, to_index) {
                    continue;
                }
                if order[to_index] == NONE {
                    frames.push((to, 0));
                } else if component[to_index] == NONE {
                    low[at] = low[at].min(order[to_index]);
                }
                continue;
            }
            frames.pop();
            if let Some(&(parent, _)) = frames.last() {
                low[parent as usize] = low[parent as usize].min(low[at]);
            }
            if low[at] == order[at] {
                while let Some(member) = active.pop() {
                    component[member as usize] = components;
                    if member == state {
                        break;
                    }
                }
                components += 1;
            }
        }
    }
    Ok((component, components as usize))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::context::Context;
    use std::collections::BTreeSet;

    /// By definition: all signatures again in each round, with all that can be reached silently inside of the class.
    fn alike_naive(lts: &Lts, ready: &[Vec<u32>], sets: &Sets, manner: Alike) -> Vec<usize> {
        let number = |keys: Vec<(usize, BTreeSet<(u32, usize)>)>| -> Vec<usize> {
            let different: BTreeSet<_> = keys.iter().cloned().collect();
            keys.iter().map(|key| different.iter().position(|other| other == key).unwrap_or(0)).collect()
        };
        let mut class: Vec<usize> =
            lts.wrong.iter().zip(&lts.labels).map(|(&wrong, &label)| label as usize * 2 + usize::from(wrong)).collect();
        loop {
            let silent_steps = |at: usize| {
                let moves = lts.moves[at].iter().filter(|step| step.0 == TAU).map(|step| step.1 as usize);
                moves.filter(|&to| class[to] == class[at]).collect::<Vec<usize>>()
            };
            // A path of as many silent steps as there are states has been somewhere twice.
            let mut forever: BTreeSet<usize> = (0..lts.states()).collect();
            for _ in 0..lts.states() {
                let goes_on = |&at: &usize| silent_steps(at).iter().any(|to| forever.contains(to));
                forever = (0..lts.states()).filter(goes_on).collect();
            }
            let signature = |state: usize| {
                let (mut found, mut seen, mut waiting) = (BTreeSet::new(), BTreeSet::new(), vec![state]);
                let mut sets_found: BTreeSet<u32> = BTreeSet::new();
                while let Some(at) = waiting.pop() {
                    if !seen.insert(at) {
                        continue;
                    }
                    sets_found.extend(ready[at].iter().copied());
                    for &(event, to) in &lts.moves[at] {
                        let to = to as usize;
                        if manner.is_weak() && event == TAU && class[to] == class[state] {
                            waiting.push(to);
                        } else {
                            found.insert((event, class[to]));
                        }
                    }
                }
                let smaller = |a: u32, b: u32| a != b && sets.get(a).iter().all(|event| sets.get(b).contains(event));
                let smallest = sets_found.iter().filter(|&&set| !sets_found.iter().any(|&other| smaller(other, set)));
                found.extend(smallest.map(|&set| (READY, set as usize)));
                if manner == Alike::Diverging && forever.contains(&state) {
                    found.insert((SILENT_FOREVER as u32, usize::MAX));
                }
                (class[state], found)
            };
            let next = number((0..lts.states()).map(signature).collect());
            let count = |classes: &[usize]| classes.iter().collect::<BTreeSet<_>>().len();
            if count(&next) == count(&class) {
                return class;
            }
            class = next;
        }
    }

    #[test]
    fn classes_are_those_of_the_naive_twin() {
        let meter = Meter::new(&Context::unlimited());
        let mut sets = Sets::default();
        // Of two sets none includes the other; a third includes both.
        let numbers = [sets.number(vec![1]), sets.number(vec![2]), sets.number(vec![1, 2])];
        for start in 0..testing::rounds(3000) {
            let mut random = testing::Random::new(start);
            let count = 1 + random.below(14);
            let mut lts = Lts::default();
            let mut ready = Vec::new();
            for _ in 0..count {
                let wrong = random.below(12) == 0;
                let steps = if wrong { 0 } else { random.below(4) };
                let mut moves: Vec<(u32, u32)> = (0..steps)
                    .map(|_| {
                        let event = [0, 1, TAU, TAU][random.below(4) as usize];
                        (event, random.below(count) as u32)
                    })
                    .collect();
                moves.sort_unstable();
                let stable = !wrong && moves.iter().all(|step| step.0 != TAU);
                let set = numbers[random.below(3) as usize];
                ready.push(if stable { vec![set] } else { Vec::new() });
                lts.moves.push(moves);
                lts.wrong.push(wrong);
                lts.labels.push(AtomSet::from(random.below(6) == 0));
            }
            let none = vec![Vec::new(); ready.len()];
            let manners = [Alike::Strong, Alike::Branching, Alike::Diverging].into_iter();
            for (manner, bunches) in manners.flat_map(|manner| [(manner, false), (manner, true)]) {
                let (fast, ready) = match bunches {
                    true => (alike_by_bunches(&lts, manner, &meter), &none),
                    false => (alike(&lts, &ready, &sets, manner, &meter), &ready),
                };
                let (fast, naive) = (fast.map(|found| found.of), alike_naive(&lts, ready, &sets, manner));
                let Ok(fast) = fast else { panic!("seed {start}: no limit") };
                for (a, b) in (0..fast.len()).flat_map(|a| (0..a).map(move |b| (a, b))) {
                    assert_eq!(fast[a] == fast[b], naive[a] == naive[b], "seed {start}, {manner:?}, {a} {b}: {lts:?}");
                }
            }
        }
    }
}
