//! What is known of a network before anything is analysed: slots, points, and which points are passed through.
//!
//! A process that is in the middle of an atomic sequence, at a location where it cannot be blocked, is not interrupted
//! there. Such a location is *transient*: steps are composed through it, and what one statement learned of a shared
//! variable still holds for the next. Locations on a cycle are never transient, nor are those through which more than
//! `PATHS` ways lead. The nodes of a deterministic step are transient in the same way, always.
//! (IBOC-refinement, section 4, looks at cycles statement by statement; composing is what makes `atomic` count.)

use crate::scc;
use model::expr::{BinaryOp, Expr, Pattern, Place, Scope};
use model::flow_proof::{Point, Slots};
use model::ids::{LocationId, MachineId, VariableId};
use model::network::{Action, ChannelType, Initial, Machine, Network, ScalarType, Variable};
use std::collections::{BTreeMap, HashMap, HashSet};

/// More ways through transient points than this are not composed.
const PATHS: u64 = 64;

/// A network with its slots.
pub struct World<'n> {
    /// The network.
    pub network: &'n Network,
    /// The slots of the shared variables.
    pub globals: Slots,
    /// The type of each global slot.
    pub global_types: Vec<ScalarType>,
    /// One per machine.
    pub machines: Vec<MachineInfo>,
    /// Numbers at which growing sets stop first, in rising order.
    pub thresholds: Vec<i32>,
    /// There are rendezvous channels.
    pub has_rendezvous: bool,
}

/// What is known of a machine.
pub struct MachineInfo {
    /// The slots of its variables.
    pub slots: Slots,
    /// The type of each slot.
    pub types: Vec<ScalarType>,
    /// Points that are passed through.
    pub transient: HashSet<Point>,
    /// A process of it may end.
    pub may_end: bool,
}

impl<'n> World<'n> {
    /// Looks at a network. With `unbounded`, a send on a buffered channel never blocks.
    pub fn new(network: &'n Network, unbounded: bool) -> Self {
        let sends = Sends::new(network, unbounded);
        let machines = network.machines.iter().zip(0..);
        let machines =
            machines.map(|(machine, id)| MachineInfo::new(machine, MachineId(id), network, &sends)).collect();
        World {
            network,
            globals: Slots::new(&network.variables),
            global_types: types(&network.variables),
            machines,
            thresholds: thresholds(network),
            has_rendezvous: network.channel_types.iter().any(ChannelType::is_rendezvous),
        }
    }

    /// What is known of a machine.
    pub fn info(&self, machine: MachineId) -> &MachineInfo {
        &self.machines[machine.index()]
    }
}

fn types(variables: &[Variable]) -> Vec<ScalarType> {
    let slots = Slots::new(variables);
    (0..slots.len()).map(|slot| variables[slots.element(slot).0].ty).collect()
}

/// Constants that variables are compared with, and their neighbours.
fn thresholds(network: &Network) -> Vec<i32> {
    let mut found = std::collections::BTreeSet::from([0, 1]);
    network.walk_expressions(&mut |e| {
        if let Expr::Binary(op, a, b) = e
            && !matches!(op, BinaryOp::And | BinaryOp::Or)
        {
            for constant in [a, b].into_iter().filter_map(|e| e.constant()) {
                found.extend([constant.wrapping_sub(1), constant, constant.wrapping_add(1)]);
            }
        }
    });
    found.into_iter().collect()
}

/// Which sends may be a rendezvous.
struct Sends {
    unbounded: bool,
    rendezvous: bool,
    /// Variables that something is stored into: machine (none for globals), variable.
    assigned: HashSet<(Option<MachineId>, VariableId)>,
}

impl Sends {
    fn new(network: &Network, unbounded: bool) -> Self {
        let rendezvous = network.channel_types.iter().any(ChannelType::is_rendezvous);
        let mut assigned = HashSet::new();
        for (machine, id) in network.machines.iter().zip(0..) {
            for edge in &machine.edges {
                stores(&edge.action, &mut |place| {
                    let owner = (place.scope == Scope::Local).then_some(MachineId(id));
                    assigned.insert((owner, place.variable));
                });
            }
        }
        Sends { unbounded, rendezvous, assigned }
    }

    /// Whether a send on this channel is surely none.
    fn is_buffered(&self, channel: &Expr, machine: MachineId, network: &Network) -> bool {
        let Expr::Read(place) = channel else { return !self.rendezvous };
        let owner = (place.scope == Scope::Local).then_some(machine);
        let buffered = match network.variable(place, machine).initial {
            Initial::NewChannel(ty) => !network.channel_types[ty.index()].is_rendezvous(),
            _ => false,
        };
        !self.rendezvous || buffered && !self.assigned.contains(&(owner, place.variable))
    }
}

/// Calls `visit` for every place that an action stores into.
pub fn stores(action: &Action, visit: &mut dyn FnMut(&Place)) {
    match action {
        Action::Assign(place, _) | Action::Run { then: Some((place, _)), .. } => visit(place),
        Action::Receive { pattern, .. } => {
            for pattern in pattern {
                if let Pattern::Bind(place) = pattern {
                    visit(place);
                }
            }
        }
        Action::Deterministic(body) => body.nodes.iter().flatten().for_each(|choice| stores(&choice.action, visit)),
        _ => {}
    }
}

impl MachineInfo {
    fn new(machine: &Machine, id: MachineId, network: &Network, sends: &Sends) -> Self {
        let reachable = reachable(machine);
        let ends = |l: &LocationId| machine.edges_from(*l).any(|e| e.action == Action::End);
        MachineInfo {
            slots: Slots::new(&machine.variables),
            types: types(&machine.variables),
            transient: transient(machine, id, network, sends),
            may_end: reachable.iter().any(ends),
        }
    }
}

/// Locations that can be reached if every edge can be taken.
fn reachable(machine: &Machine) -> HashSet<LocationId> {
    let mut seen = HashSet::from([machine.initial]);
    let mut work = vec![machine.initial];
    while let Some(location) = work.pop() {
        let next = machine.edges_from(location).map(|e| e.to);
        work.extend(next.filter(|&to| seen.insert(to)));
    }
    seen
}

/// Whether an action can always be taken.
fn always(action: &Action, id: MachineId, network: &Network, sends: &Sends) -> bool {
    match action {
        Action::Skip
        | Action::Else
        | Action::Assign(..)
        | Action::Assert(_)
        | Action::Print { .. }
        | Action::Run { .. }
        | Action::SetPriority(..) => true,
        Action::Send { channel, .. } => sends.unbounded && sends.is_buffered(channel, id, network),
        Action::Deterministic(body) => {
            body.guard.is_empty() || body.guard.iter().any(|guard| always(guard, id, network, sends))
        }
        Action::Condition(_) | Action::Receive { .. } | Action::Observe { .. } | Action::End => false,
    }
}

/// The points of a machine that are passed through.
fn transient(machine: &Machine, id: MachineId, network: &Network, sends: &Sends) -> HashSet<Point> {
    let mut found = inner_points(machine);
    if machine.provided.is_none() && !network.uses_priorities {
        // A send that may be a rendezvous hands control over.
        let hands_over = |action: &Action| match action {
            Action::Send { channel, .. } => !sends.is_buffered(channel, id, network),
            _ => false,
        };
        let mut interrupted = HashSet::from([machine.initial]);
        interrupted.extend(machine.edges.iter().filter(|e| !e.atomic || hands_over(&e.action)).map(|e| e.to));
        // A process in control stays in control where some edge can always be taken.
        let goes_on = |l: LocationId| machine.edges_from(l).any(|e| always(&e.action, id, network, sends));
        let locations = (0..machine.locations.len()).map(LocationId::from);
        let takes = |l: LocationId| machine.edges_from(l).any(|e| takes(&e.action));
        let passes = |l: &LocationId| !machine.locations[l.index()].progress && goes_on(*l) && !takes(*l);
        let candidates = locations.filter(passes).filter(|l| !interrupted.contains(l));
        found.extend(candidates.map(Point::at));
    }
    let successors = successor_map(machine);
    drop_cycles(&mut found, &successors);
    drop_many_ways(&mut found, &successors);
    found
}

/// Whether an action takes a message, or looks for one. A step that sent before would hide how long the queue was in
/// between; and what it sent would not be found, if it is the only one that sends such.
fn takes(action: &Action) -> bool {
    matches!(action, Action::Receive { .. })
}

fn inner_points(machine: &Machine) -> HashSet<Point> {
    let mut points = HashSet::new();
    for (index, edge) in machine.edges.iter().enumerate() {
        if let Action::Deterministic(body) = &edge.action {
            let passed = (0u32..).zip(&body.nodes).filter(|(_, choices)| !choices.iter().any(|c| takes(&c.action)));
            points.extend(passed.map(|(node, _)| Point::Inside(index as u32, node)));
        }
    }
    points
}

fn successor_map(machine: &Machine) -> BTreeMap<Point, Vec<Point>> {
    let mut map: BTreeMap<Point, Vec<Point>> = BTreeMap::new();
    for (index, edge) in machine.edges.iter().enumerate() {
        let from = Point::at(edge.from);
        match &edge.action {
            Action::Deterministic(body) => {
                map.entry(from).or_default().push(Point::Inside(index as u32, 0));
                for (node, choices) in body.nodes.iter().enumerate() {
                    let next = choices.iter().map(|choice| match choice.next {
                        Some(next) => Point::Inside(index as u32, next),
                        None => Point::at(edge.to),
                    });
                    map.entry(Point::Inside(index as u32, node as u32)).or_default().extend(next);
                }
            }
            Action::End => map.entry(from).or_default().push(Point::Gone),
            _ => map.entry(from).or_default().push(Point::at(edge.to)),
        }
    }
    map
}

/// Points on a cycle of transient points are nodes after all.
fn drop_cycles(found: &mut HashSet<Point>, successors: &BTreeMap<Point, Vec<Point>>) {
    let mut points: Vec<Point> = found.iter().copied().collect();
    points.sort_unstable();
    let index: HashMap<Point, usize> = points.iter().enumerate().map(|(i, &p)| (p, i)).collect();
    let mut edges = Vec::new();
    for (from, point) in points.iter().enumerate() {
        let next = successors.get(point).into_iter().flatten().filter_map(|p| index.get(p));
        edges.extend(next.map(|&to| (from, to)));
    }
    let components = scc::components(points.len(), &edges);
    for (i, point) in points.iter().enumerate() {
        if components.is_cyclic(i) {
            found.remove(point);
        }
    }
}

/// Points through which too many ways lead are nodes after all.
fn drop_many_ways(found: &mut HashSet<Point>, successors: &BTreeMap<Point, Vec<Point>>) {
    let mut ways: HashMap<Point, u64> = HashMap::new();
    let mut points: Vec<Point> = found.iter().copied().collect();
    points.sort_unstable();
    for point in points {
        let mut work = vec![point];
        while let Some(&top) = work.last() {
            let next: Vec<Point> = successors.get(&top).cloned().unwrap_or_default();
            let missing: Vec<Point> =
                next.iter().copied().filter(|p| found.contains(p) && !ways.contains_key(p)).collect();
            if missing.is_empty() {
                work.pop();
                let count: u64 = next.iter().map(|p| if found.contains(p) { ways[p] } else { 1 }).sum();
                if count > PATHS {
                    found.remove(&top);
                }
                ways.insert(top, count.clamp(1, PATHS + 1));
            } else {
                work.extend(missing);
            }
        }
    }
}
