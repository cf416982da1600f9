//! Machines whose processes remember what they did, and the edges that they never take after it.
//!
//! [`unfolded`] makes copies of the locations of a machine, one for each mark that a process there may have (see
//! [`History`]). Nothing in the model can tell copies of a location apart ([`unfolded`] refuses models that look at
//! where processes are), so the runs are the same.
//!
//! An edge that a process with some mark *never* takes leads to a trap instead. Let nothing that comes to a trap, or to
//! a place that an invariant forbids, be found in the network with traps. Then there is nothing of the kind in the
//! model: the first step of a run that takes such an edge is taken in the network with traps, too, and leads to the
//! trap there. This is one induction over all these claims, each of which may need the others. Without rendezvous, the
//! process that takes an edge keeps control, or no process has it: what it does next is not prevented.

use model::expr::Expr;
use model::flow_proof::History;
use model::ids::{EdgeId, LocationId, MachineId};
use model::network::{ChannelType, Edge, Location, Machine, Network};
use std::collections::HashMap;

/// A machine with more locations or edges than this is not unfolded.
const MOST: usize = 1 << 17;

/// A network with machines unfolded.
pub(crate) struct Unfolded {
    pub(crate) network: Network,
    /// Per unfolded machine: what its locations are copies of.
    pub(crate) origins: HashMap<MachineId, Vec<LocationId>>,
    /// Where a process is that took an edge that is never taken, in the order of the histories.
    pub(crate) traps: Vec<(MachineId, LocationId)>,
}

/// Unfolds machines; `None` if there are no such machines, or the argument does not hold for the network.
pub(crate) fn unfolded(network: &Network, histories: &[History]) -> Option<Unfolded> {
    let mut result = Unfolded { network: network.clone(), origins: HashMap::new(), traps: Vec::new() };
    let looks = network.any_expression(&|e| matches!(e, Expr::At { .. } | Expr::ProgramCounter(_)));
    let hands_over = network.channel_types.iter().any(ChannelType::is_rendezvous);
    if !histories.is_empty() && (looks || hands_over) {
        return None;
    }
    for history in histories {
        let id = MachineId::from(history.machine as usize);
        let (machine, origins, traps) = unfold(network.machines.get(id.index())?, history)?;
        result.network.machines[id.index()] = machine;
        result.traps.extend(traps.into_iter().map(|trap| (id, trap)));
        if result.origins.insert(id, origins).is_some() {
            return None;
        }
    }
    Some(result)
}

/// The machine, what its locations are copies of, and its traps.
fn unfold(machine: &Machine, history: &History) -> Option<(Machine, Vec<LocationId>, Vec<LocationId>)> {
    let marks: HashMap<u32, u32> = history.marks.iter().copied().collect();
    let never: HashMap<(u32, u32), usize> = history.never.iter().copied().zip(0..).collect();
    if marks.len() < history.marks.len() || never.len() < history.never.len() {
        return None;
    }
    let mut copies = vec![(machine.initial, 0)];
    let mut known = HashMap::from([((machine.initial, 0), 0)]);
    let (mut locations, mut edges, mut trapped) = (Vec::new(), Vec::<Edge>::new(), Vec::new());
    while let Some(&(at, mark)) = copies.get(locations.len()) {
        if copies.len().max(edges.len()) > MOST {
            return None;
        }
        let (here, first) = (machine.locations.get(at.index())?, edges.len());
        for id in &here.edges {
            let (edge, number) = (machine.edges.get(id.index())?, id.index() as u32);
            let to: usize = match never.get(&(number, mark)) {
                Some(&trap) => {
                    trapped.push((edges.len(), trap));
                    0
                }
                None => {
                    let after = (edge.to, marks.get(&number).copied().unwrap_or(mark));
                    *known.entry(after).or_insert_with(|| {
                        copies.push(after);
                        copies.len() - 1
                    })
                }
            };
            edges.push(Edge { from: locations.len().into(), to: to.into(), ..edge.clone() });
        }
        let own = (first..edges.len()).map(EdgeId::from).collect();
        locations.push(Location { edges: own, executes: Vec::new(), reached_from: Vec::new(), ..here.clone() });
    }
    let traps: Vec<LocationId> = (locations.len()..).take(history.never.len()).map(LocationId::from).collect();
    locations.resize(locations.len() + traps.len(), Location::default());
    for (edge, trap) in trapped {
        edges[edge].to = traps[trap];
    }
    let origins = copies.into_iter().map(|(at, _)| at).collect();
    Some((Machine { initial: LocationId::from(0), locations, edges, ..machine.clone() }, origins, traps))
}
