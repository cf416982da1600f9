//! The independent cycle system: the effects of all elementary cycles, each with a cycle that has it.
//!
//! Ciclo section IV-B, level 4. Transitions between the same two nodes are one edge of the control flow with a *choice*
//! of effects, so a cycle can have several effect vectors: one for each combination of choices. Vectors that are equal are
//! one variable of the linear problem, whichever cycle they come from. (SIP, in Table III, has 14 cycles and 2187 vectors.)

use super::johnson;
use crate::net::Net;
use crate::weigh::Cycle;
use model::budget::Budget;
use model::verdict::Reason;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::ControlFlow;

/// Changes of counters, in rising order, without zeros.
pub type Effect = Vec<(u32, i64)>;

/// More cycles than this are not enumerated.
pub const MOST_CYCLES: usize = 2_000_000;
/// More effect vectors than this are not kept.
pub const MOST_VECTORS: usize = 200_000;
/// Between so many cycles it is asked whether there is time.
const PATIENCE: usize = 64;

/// The control flow of one instance, without parallel edges.
pub struct ControlFlowGraph {
    /// How many nodes it has.
    pub nodes: usize,
    /// From, to.
    pub edges: Vec<(u32, u32)>,
    /// Per edge: transitions with different effects.
    pub choices: Vec<Vec<u32>>,
}

impl ControlFlowGraph {
    /// The graph of the transitions of an instance that are alive.
    pub fn new(net: &Net, instance: usize, alive: &dyn Fn(u32) -> bool) -> Self {
        let ends = |t: u32| (net.transitions[t as usize].from, net.transitions[t as usize].to);
        Self::with_ends(net, net.of_instance[instance].clone().filter(|&t| alive(t)), &ends, net.graph_nodes[instance])
    }

    /// The graph of transitions, where each leads from and to what `ends` says.
    pub fn with_ends(
        net: &Net,
        transitions: impl Iterator<Item = u32>,
        ends: &dyn Fn(u32) -> (u32, u32),
        nodes: u32,
    ) -> Self {
        let mut between: BTreeMap<(u32, u32), Vec<u32>> = BTreeMap::new();
        let mut known: HashSet<((u32, u32), &Effect)> = HashSet::new();
        for t in transitions {
            if known.insert((ends(t), &net.transitions[t as usize].effects)) {
                between.entry(ends(t)).or_default().push(t);
            }
        }
        let (edges, choices) = between.into_iter().unzip();
        ControlFlowGraph { nodes: nodes as usize, edges, choices }
    }

    /// Every effect that a cycle can have, with transitions that have it; `None` if there are more than `most`.
    pub fn effects(&self, net: &Net, cycle: &[u32], most: usize) -> Option<Vec<(Effect, Cycle)>> {
        let mut sums: Vec<(Effect, Cycle)> = vec![(Vec::new(), Vec::with_capacity(cycle.len()))];
        for &edge in cycle {
            let choices = &self.choices[edge as usize];
            if let [only] = choices[..] {
                for (sum, way) in &mut sums {
                    add(sum, &net.transitions[only as usize].effects);
                    way.push(only);
                }
                continue;
            }
            let mut next: HashMap<Effect, Cycle> = HashMap::new();
            let mut order: Vec<Effect> = Vec::new();
            for (sum, way) in &sums {
                for &choice in choices {
                    let mut more = sum.clone();
                    add(&mut more, &net.transitions[choice as usize].effects);
                    if !next.contains_key(&more) {
                        next.insert(more.clone(), [&way[..], &[choice]].concat());
                        order.push(more);
                    }
                }
                if next.len() > most {
                    return None;
                }
            }
            sums = order.into_iter().filter_map(|effect| next.remove_entry(&effect)).collect();
        }
        Some(sums)
    }
}

/// Adds changes to changes.
pub fn add(sum: &mut Effect, changes: &[(u32, i64)]) {
    for &(counter, change) in changes {
        match sum.binary_search_by_key(&counter, |(c, _)| *c) {
            Ok(at) if sum[at].1 + change == 0 => {
                sum.remove(at);
            }
            Ok(at) => sum[at].1 += change,
            Err(at) => sum.insert(at, (counter, change)),
        }
    }
}

/// The cycles of a net, by their effects.
#[derive(Default)]
pub struct CycleSystem {
    /// Different effects, each with a cycle that has it.
    pub vectors: Vec<(Effect, Cycle)>,
    /// How many cycles were seen.
    pub cycles: usize,
    known: HashSet<Effect>,
}

impl CycleSystem {
    /// Enumerates the cycles of all instances; ends early with a reason.
    pub fn collect(
        &mut self,
        net: &Net,
        alive: &dyn Fn(u32) -> bool,
        most_cycles: usize,
        budget: &Budget,
    ) -> Result<(), Reason> {
        for instance in 0..net.of_instance.len() {
            if let Some(reason) = budget.check().err() {
                return Err(reason);
            }
            let graph = ControlFlowGraph::new(net, instance, alive);
            let mut visit = |cycle: &[u32]| {
                if self.cycles == most_cycles {
                    let reason = format!("the model has more than {most_cycles} elementary cycles");
                    return ControlFlow::Break(Reason::NotProvable(reason));
                }
                self.cycles += 1;
                let late = if self.cycles.is_multiple_of(PATIENCE) { budget.check().err() } else { None };
                match late.or_else(|| self.keep(net, &graph, cycle)) {
                    Some(reason) => ControlFlow::Break(reason),
                    None => ControlFlow::Continue(()),
                }
            };
            if let ControlFlow::Break(reason) = johnson::elementary_cycles(graph.nodes, &graph.edges, &mut visit) {
                return Err(reason);
            }
        }
        Ok(())
    }

    /// Keeps the effects of a cycle that are new; says why not, if there are too many.
    fn keep(&mut self, net: &Net, graph: &ControlFlowGraph, cycle: &[u32]) -> Option<Reason> {
        let effects = graph.effects(net, cycle, MOST_VECTORS);
        let few = effects.is_some();
        for (effect, way) in effects.into_iter().flatten() {
            if !self.known.contains(&effect) {
                self.known.insert(effect.clone());
                self.vectors.push((effect, way));
            }
        }
        let reason = || Reason::NotProvable(format!("the cycles have more than {MOST_VECTORS} different effects"));
        (!few || self.vectors.len() > MOST_VECTORS).then(reason)
    }
}
