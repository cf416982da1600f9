//! The elementary cycles of each process type, for people to look at.
//!
//! Processes of one type mostly have the same cycles and differ in the channels that they use: a cycle is listed once,
//! with the effects that it has for each process. Statements between the same two points with the same effect are one.

use super::system::ControlFlowGraph;
use super::{johnson, unrefined};
use crate::Question;
use crate::analysis::Analysis;
use crate::net::Net;
use crate::report::{counter_name, instance_name};
use crate::world::World;
use model::context::Context;
use model::flow_proof::Point;
use model::ids::{EdgeId, MachineId};
use model::network::{Action, Network};
use model::verdict::Reason;
use std::collections::{BTreeMap, HashMap};
use std::ops::ControlFlow;

/// So many effects of one cycle are listed.
const MOST_EFFECTS: usize = 64;

/// Changes of what has a name.
pub type NamedEffect = Vec<(String, i64)>;

/// The cycles of a process type.
pub struct TypeCycles {
    /// The type.
    pub machine: MachineId,
    /// The processes of it that there are.
    pub processes: Vec<String>,
    /// Their cycles.
    pub cycles: Vec<ShownCycle>,
    /// There are more.
    pub more: bool,
}

/// A cycle.
pub struct ShownCycle {
    /// Its edges, in order.
    pub edges: Vec<EdgeId>,
    /// The processes that can take it, and what it does then: one of these.
    pub takers: Vec<(String, Vec<NamedEffect>)>,
}

/// Lists the cycles of every type, no more than so many for each.
pub fn list(network: &Network, most: usize, cx: &Context<'_>) -> Result<Vec<TypeCycles>, Reason> {
    let world = World::new(network, true);
    let budget = cx.budget;
    let (analysis, net) = unrefined(&world, &Question::Boundedness, budget)?;
    let lister = Lister { world: &world, analysis: &analysis, net: &net, most };
    let mut types: Vec<TypeCycles> = (0..network.machines.len())
        .map(|m| TypeCycles { machine: m.into(), processes: Vec::new(), cycles: Vec::new(), more: false })
        .collect();
    let mut places = Places::new();
    for instance in 0..analysis.instances.len() {
        if let Some(reason) = budget.check().err() {
            return Err(reason);
        }
        let machine = analysis.instances[instance].machine;
        lister.add(instance, &mut types[machine.index()], &mut places);
    }
    Ok(types)
}

/// Where the cycle with these edges of a type is in its list.
type Places = HashMap<(MachineId, Vec<EdgeId>), usize>;

struct Lister<'a> {
    world: &'a World<'a>,
    analysis: &'a Analysis,
    net: &'a Net,
    most: usize,
}

impl Lister<'_> {
    /// Adds the cycles of an instance to those of its type.
    fn add(&self, instance: usize, listed: &mut TypeCycles, places: &mut Places) {
        let name = instance_name(self.world, self.analysis, instance as u32);
        listed.processes.push(name.clone());
        let graph = self.graph(instance);
        let mut seen = 0;
        let mut visit = |cycle: &[u32]| {
            seen += 1;
            if seen > self.most {
                listed.more = true;
                return ControlFlow::Break(());
            }
            let edges = self.edges(&graph, cycle);
            let place = *places.entry((listed.machine, edges.clone())).or_insert(listed.cycles.len());
            if place >= self.most {
                listed.more = true;
                return ControlFlow::Break(());
            }
            if place == listed.cycles.len() {
                listed.cycles.push(ShownCycle { edges, takers: Vec::new() });
            }
            listed.cycles[place].takers.push((name.clone(), self.effects(&graph, cycle)));
            ControlFlow::Continue(())
        };
        let _ = johnson::elementary_cycles(graph.nodes, &graph.edges, &mut visit);
    }

    /// The control flow of an instance. One that stands for any number of processes is a single node in the net: here
    /// its transitions get their ends back.
    fn graph(&self, instance: usize) -> ControlFlowGraph {
        let facts = &self.analysis.instances[instance];
        if !facts.many {
            return ControlFlowGraph::new(self.net, instance, &|_| true);
        }
        let machine = self.world.network.machine(facts.machine);
        let nodes: HashMap<Point, u32> = facts.nodes.iter().map(|n| n.at).zip(0..).collect();
        let ends = |t: u32| {
            let transition = &self.net.transitions[t as usize];
            let last = transition.edges.last().map(|&e| Point::at(machine.edges[e.index()].to));
            (transition.node, last.and_then(|at| nodes.get(&at)).copied().unwrap_or(transition.node))
        };
        // A process that ends goes nowhere.
        let stays = |&t: &u32| {
            let last = self.net.transitions[t as usize].edges.last();
            !last.is_some_and(|&e| matches!(machine.edges[e.index()].action, Action::End))
        };
        let transitions = self.net.of_instance[instance].clone().filter(stays);
        ControlFlowGraph::with_ends(self.net, transitions, &ends, facts.nodes.len() as u32)
    }

    /// The statements of a cycle: of several between two points, the first.
    fn edges(&self, graph: &ControlFlowGraph, cycle: &[u32]) -> Vec<EdgeId> {
        let first = cycle.iter().filter_map(|&edge| graph.choices[edge as usize].first());
        first.flat_map(|&t| &self.net.transitions[t as usize].edges).copied().collect()
    }

    fn effects(&self, graph: &ControlFlowGraph, cycle: &[u32]) -> Vec<NamedEffect> {
        let effects = graph.effects(self.net, cycle, MOST_EFFECTS).unwrap_or_default();
        effects.iter().map(|(effect, _)| self.named(effect)).collect()
    }

    fn named(&self, effect: &[(u32, i64)]) -> NamedEffect {
        let mut named: BTreeMap<String, i64> = BTreeMap::new();
        for &(counter, change) in effect {
            if let Some(name) = counter_name(self.world, self.analysis, self.net.counters[counter as usize]) {
                *named.entry(name).or_default() += change;
            }
        }
        named.into_iter().filter(|(_, change)| *change != 0).collect()
    }
}
