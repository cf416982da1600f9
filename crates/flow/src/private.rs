//! Queues of processes that are created without end, each of which only its own process can name.
//!
//! All of them together may hold any number of messages; what one of them holds depends on the way of its process alone. The
//! most that a way sends more than it takes is the bound, and the longest ways are the potentials. (This is the question
//! for one arbitrary process, where no reference to its queue ever leaves it.)

use crate::analysis::Analysis;
use crate::bounds::Proved;
use crate::graph::{Graph, Search};
use crate::limited::Limit;
use crate::net::{Counter, Net, Transition};
use crate::world::World;
use model::flow_proof::{Creation, Values, Weights};
use model::runs::Runs;

/// The bounds of such queues, each for one process.
pub fn limits(world: &World<'_>, analysis: &Analysis, net: &Net) -> Vec<Limit> {
    if analysis.anywhere {
        return Vec::new();
    }
    let queues = (0u32..).zip(&analysis.facts.queues);
    let owned = queues.filter_map(|(queue, facts)| {
        let owner = facts.key.instance.filter(|&id| analysis.instances[id as usize].many)?;
        let rendezvous = world.network.channel_types[facts.channel_type.index()].is_rendezvous();
        (!rendezvous && is_private(world, analysis, queue, owner)).then_some((queue, owner))
    });
    owned.filter_map(|(queue, owner)| limit(analysis, net, queue, owner)).collect()
}

/// Whether no slot and no field refers to a queue but the slot that declares it.
fn is_private(world: &World<'_>, analysis: &Analysis, queue: u32, owner: u32) -> bool {
    let key = analysis.facts.queues[queue as usize].key;
    let machine = analysis.instances[owner as usize].machine;
    let variables = &world.network.machine(machine).variables;
    let own = world.info(machine).slots.slot(variables, key.variable as usize, key.element as usize);
    let refers = |held: &Values| matches!(held, Values::Queues(queues) if queues.contains(&queue));
    let atoms = analysis.facts.queues.iter().flat_map(|queue| &queue.atoms).flat_map(|(_, fields)| fields);
    let elsewhere = |(id, instance): (u32, &crate::analysis::InstanceFacts)| {
        let mut slots = instance.nodes.iter().flat_map(|node| node.values.iter().enumerate());
        slots.any(|(slot, held)| (id, slot) != (owner, own) && refers(held))
    };
    !analysis.facts.globals.iter().chain(atoms).any(refers) && !(0u32..).zip(&analysis.instances).any(elsewhere)
}

/// The longest ways of a process, where each message that it sends to the queue is 1 longer, and each that it takes 1 shorter.
fn limit(analysis: &Analysis, net: &Net, queue: u32, owner: u32) -> Option<Limit> {
    let instance = &analysis.instances[owner as usize];
    let own_kind = |creation: &Creation| (creation.creator, creation.instance) == (owner, owner);
    if instance.first.is_empty() || analysis.creations.iter().any(own_kind) {
        return None;
    }
    let position = net.ids.iter().position(|&id| id == owner)?;
    let (mut edges, mut last) = (Vec::new(), Vec::new());
    for id in net.of_instance[position].clone() {
        let transition = &net.transitions[id as usize];
        match end(net, transition, owner)? {
            Some(to) => edges.push((transition.node, to, id)),
            None => last.push(transition),
        }
    }
    let change = |transition: &Transition| -> i128 {
        let own = |counter: u32| matches!(net.counters[counter as usize], Counter::Message(q, _) if q == queue);
        transition.effects.iter().filter(|(counter, _)| own(*counter)).map(|(_, change)| i128::from(*change)).sum()
    };
    let graph = Graph::new(instance.nodes.len(), edges);
    let mut start = vec![None; instance.nodes.len()];
    instance.first.iter().for_each(|&node| start[node as usize] = Some(0));
    let cost = |id: u32| change(&net.transitions[id as usize]);
    let Search::Distances(distances) = graph.search_from(start, &cost) else { return None };
    let reached = |node: u32| Some(distances[node as usize]).filter(|distance| *distance > i128::MIN);
    let ends = last.iter().filter_map(|transition| Some(reached(transition.node)? + change(transition)));
    let room = (0..instance.nodes.len() as u32).filter_map(reached).chain(ends).max().unwrap_or(0).max(0);
    let potential = |node: u32| reached(node).map_or(Some(0), |distance| i64::try_from(room - distance).ok());
    let mut weights = Weights::default();
    let nodes: Option<Runs> = (0..instance.nodes.len() as u32).map(potential).collect();
    weights.nodes.insert(owner, nodes?);
    weights.messages.insert(queue, vec![1; analysis.facts.queues[queue as usize].atoms.len()]);
    Some(Limit { queue, atom: None, proved: Proved { at_most: u64::try_from(room).ok()?, unit: 1, room }, weights })
}

/// The node that a transition leads to, or none for the end of the process; `None` if that is not clear.
fn end(net: &Net, transition: &Transition, owner: u32) -> Option<Option<u32>> {
    let mut to = Some(transition.node);
    for &(counter, change) in &transition.effects {
        match net.counters[counter as usize] {
            Counter::Processes(id, node) if id == owner && change == -1 && node == transition.node => {
                to = to.filter(|&to| to != node);
            }
            Counter::Processes(id, node) if id == owner => {
                (change == 1 && to.is_none_or(|to| to == transition.node)).then_some(())?;
                to = Some(node);
            }
            _ => {}
        }
    }
    Some(to)
}
