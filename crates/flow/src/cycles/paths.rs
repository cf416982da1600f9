//! The acyclic part of a run, and its most: Ciclo section IV-D.
//!
//! What a process has done is an acyclic path from its start and some cycles. Per process and counter, the most that an
//! acyclic path adds is taken over all of them, each counter for itself; the sum over the processes is a bound for the
//! acyclic part of the whole. The paths are enumerated, as in the paper: there can be exponentially many, and then there
//! are no bounds.

use super::system::ControlFlowGraph;
use crate::net::Net;
use model::budget::Budget;
use std::collections::HashMap;

/// So many steps of paths are looked at.
const MOST_STEPS: usize = 5_000_000;
/// Between so many steps it is asked whether there is time.
const PATIENCE: usize = 1024;

/// Per counter: the most and the least that the acyclic parts of all processes add up to.
pub struct AcyclicPart {
    /// The most; what is there from the start included.
    pub most: Vec<i64>,
    /// The least, for what must balance.
    pub least: Vec<i64>,
}

/// The acyclic part; `None` if there are too many paths, or no time.
pub fn acyclic_part(net: &Net, budget: &Budget) -> Option<AcyclicPart> {
    let mut part = AcyclicPart { most: net.first_count.clone(), least: net.first_count.clone() };
    let mut steps = 0;
    for instance in 0..net.of_instance.len() {
        let mut paths = Paths::new(net, instance, std::mem::take(&mut steps));
        for &first in &net.first[instance] {
            paths.from(first, budget)?;
        }
        steps = paths.steps;
        for (&counter, &(least, most)) in &paths.range {
            part.least[counter as usize] += least;
            part.most[counter as usize] += most;
        }
    }
    Some(part)
}

/// A counter, and the least and the most that a choice of transitions changes it by.
type Change = (u32, i64, i64);

/// The paths of one instance.
struct Paths {
    /// Per node: targets and changes.
    leaving: Vec<Vec<(u32, Vec<Change>)>>,
    on_path: Vec<bool>,
    /// What the path adds, at least and at most.
    sums: HashMap<u32, (i64, i64)>,
    /// The extremes of all paths.
    range: HashMap<u32, (i64, i64)>,
    steps: usize,
}

impl Paths {
    fn new(net: &Net, instance: usize, steps: usize) -> Self {
        let graph = ControlFlowGraph::new(net, instance, &|_| true);
        let mut leaving = vec![Vec::new(); graph.nodes];
        for (&(from, to), choices) in graph.edges.iter().zip(&graph.choices) {
            leaving[from as usize].push((to, changes(net, choices)));
        }
        let on_path = vec![false; graph.nodes];
        Paths { leaving, on_path, sums: HashMap::new(), range: HashMap::new(), steps }
    }

    /// Goes along every path that starts at a node and visits none twice.
    fn from(&mut self, first: u32, budget: &Budget) -> Option<()> {
        // Node, next edge; and the edge by which it was reached is the one before the next of the node below it.
        let mut path: Vec<(u32, usize)> = vec![(first, 0)];
        self.on_path[first as usize] = true;
        while let Some((node, next)) = path.last_mut() {
            let (from, edge) = (*node as usize, *next);
            *next += 1;
            match self.leaving[from].get(edge) {
                Some(&(to, _)) if self.on_path[to as usize] => {}
                Some(&(to, _)) => {
                    self.change(from, edge, 1);
                    self.on_path[to as usize] = true;
                    path.push((to, 0));
                    self.steps += 1;
                    if self.steps > MOST_STEPS || self.steps.is_multiple_of(PATIENCE) && budget.check().err().is_some()
                    {
                        return None;
                    }
                }
                None => {
                    self.on_path[from] = false;
                    path.pop();
                    if let Some(&(before, next)) = path.last() {
                        self.change(before as usize, next - 1, -1);
                    }
                }
            }
        }
        Some(())
    }

    /// Adds what an edge changes to the path, or takes it away.
    fn change(&mut self, node: usize, edge: usize, sign: i64) {
        for &(counter, low, high) in &self.leaving[node][edge].1 {
            let sum = self.sums.entry(counter).or_default();
            *sum = (sum.0 + sign * low, sum.1 + sign * high);
            let range = self.range.entry(counter).or_default();
            *range = (range.0.min(sum.0), range.1.max(sum.1));
        }
    }
}

/// The least and the most that each counter is changed by, over choices.
fn changes(net: &Net, choices: &[u32]) -> Vec<Change> {
    let mut found: HashMap<u32, (usize, i64, i64)> = HashMap::new();
    for &t in choices {
        for &(counter, change) in &net.transitions[t as usize].effects {
            let (times, low, high) = found.entry(counter).or_insert((0, change, change));
            (*times, *low, *high) = (*times + 1, change.min(*low), change.max(*high));
        }
    }
    let each = found.into_iter().map(|(counter, (times, low, high))| {
        // A choice that does not change it changes it by 0.
        if times < choices.len() { (counter, low.min(0), high.max(0)) } else { (counter, low, high) }
    });
    each.collect()
}
