//! The shape of an abstraction: does it speak of this model at all, and only of things that exist?
//!
//! [`Ground::new`] looks at every number in the abstraction once, and refuses what is out of range, out of order, twice
//! there or missing. What it returns are the tables that the rest of the checker reads; after it, an index that comes from
//! the abstraction can be used. Points that have no node are the business of `passing`.

mod passing;

use super::{counting, values};
use crate::Refusal;
use model::expr::{Pattern, Place, Scope};
use model::flow_proof::{Abstraction, Instance, Node, Origin, Point, Queue, QueueKey, Slots, Values, is_smashed};
use model::ids::ChannelTypeId;
use model::network::{Action, Initial, Machine, Network, ScalarType, Variable};
use passing::choices_at;
use std::collections::{HashMap, HashSet};

/// The variables of one scope, slot by slot.
pub(super) struct Table<'a> {
    /// The variables.
    pub(super) variables: &'a [Variable],
    /// Where their slots are.
    pub(super) slots: Slots,
    /// The type of each slot.
    pub(super) types: Vec<ScalarType>,
}

impl<'a> Table<'a> {
    fn new(variables: &'a [Variable]) -> Self {
        let slots = Slots::new(variables);
        let types = (0..slots.len()).map(|slot| variables[slots.element(slot).0].ty).collect();
        Table { variables, slots, types }
    }

    /// The slot stands for a whole array.
    pub(super) fn is_smashed(&self, slot: usize) -> bool {
        is_smashed(&self.variables[self.slots.element(slot).0])
    }
}

/// What the checker knows of a queue.
pub(super) struct Kind<'a> {
    /// The types of its fields.
    pub(super) fields: &'a [ScalarType],
    /// Its messages are handed over.
    pub(super) rendezvous: bool,
    /// The capacity that was declared, if it is one queue, and buffered.
    pub(super) capacity: Option<u32>,
    /// It is one queue, and buffered.
    pub(super) single: bool,
    /// Its owner can end: then a reference that others keep may mean another queue.
    pub(super) dies: bool,
}

/// A model, an abstraction of the right shape, and tables.
pub(super) struct Ground<'a> {
    pub(super) network: &'a Network,
    pub(super) abstraction: &'a Abstraction,
    /// Shared variables.
    pub(super) globals: Table<'a>,
    /// Per machine: its variables.
    pub(super) locals: Vec<Table<'a>>,
    /// Per queue.
    pub(super) kinds: Vec<Kind<'a>>,
    /// Where each queue is.
    pub(super) queues: HashMap<QueueKey, u32>,
    /// Per instance: the node at a point with these values of the slots that are folded there.
    pub(super) nodes: Vec<HashMap<(Point, Vec<i32>), u32>>,
    /// Per instance: the folded slots that are open at a point.
    open: Vec<HashMap<Point, Vec<u32>>>,
    /// Per instance: points that have nodes.
    pub(super) points: Vec<HashSet<Point>>,
    /// Per instance: what `_pid` can be.
    pub(super) pids: Vec<Values>,
    /// Per process that is there from the start: its instance.
    pub(super) homes: Vec<u32>,
    /// Creations by creator, node and edge.
    pub(super) creations: HashMap<(u32, u32, u32), u32>,
    /// Some channel is a rendezvous.
    pub(super) has_rendezvous: bool,
    /// Some edge is atomic.
    pub(super) has_atomic: bool,
    /// The proof is about channels without limit: a send on a buffered one never waits.
    pub(super) unbounded: bool,
    /// What is counted.
    pub(super) counting: counting::Tables<'a>,
    /// Variables that something is stored into: their machine (none for shared ones) and index.
    assigned: HashSet<(Option<u32>, usize)>,
}

/// More queues than a reference can tell apart.
const MOST_QUEUES: usize = u16::MAX as usize;

fn malformed<T>(what: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal::Malformed(what.into()))
}

impl<'a> Ground<'a> {
    /// Looks at every number in the abstraction.
    pub(super) fn new(network: &'a Network, abstraction: &'a Abstraction, unbounded: bool) -> Result<Self, Refusal> {
        let mut ground = Ground {
            network,
            abstraction,
            globals: Table::new(&network.variables),
            locals: network.machines.iter().map(|machine| Table::new(&machine.variables)).collect(),
            kinds: Vec::new(),
            queues: HashMap::new(),
            nodes: Vec::new(),
            points: Vec::new(),
            open: Vec::new(),
            pids: Vec::new(),
            homes: Vec::new(),
            creations: HashMap::new(),
            has_rendezvous: network.channel_types.iter().any(|ty| ty.is_rendezvous()),
            has_atomic: network.machines.iter().flat_map(|machine| &machine.edges).any(|edge| edge.atomic),
            unbounded,
            counting: counting::Tables::default(),
            assigned: assigned(network),
        };
        ground.look_at_globals()?;
        for (id, instance) in abstraction.instances.iter().enumerate() {
            ground.look_at_instance(id, instance)?;
        }
        ground.look_at_queues()?;
        ground.look_at_creations()?;
        ground.find_homes()?;
        ground.look_at_followed()?;
        ground.counting = counting::Tables::new(&ground)?;
        Ok(ground)
    }

    /// The machine of an instance.
    pub(super) fn machine(&self, instance: u32) -> &'a Machine {
        &self.network.machines[self.abstraction.instances[instance as usize].machine as usize]
    }

    /// An instance.
    pub(super) fn instance(&self, instance: u32) -> &'a Instance {
        &self.abstraction.instances[instance as usize]
    }

    /// An instance and a node of it, as text.
    pub(super) fn place(&self, instance: u32, node: u32) -> String {
        let at = match self.instance(instance).nodes[node as usize].at {
            Point::Location(location) => format!("location {location}"),
            Point::Inside(edge, node) => format!("point {node} of the deterministic step of edge {edge}"),
            Point::Gone => String::from("the end"),
        };
        format!("instance {instance} ({}) at node {node}, {at}", self.machine(instance).name)
    }

    /// A queue as text.
    pub(super) fn queue_name(&self, queue: u32) -> String {
        let key = self.abstraction.queues[queue as usize].key;
        let (owner, variables) = match key.instance {
            None => (String::new(), &self.network.variables),
            Some(id) => (format!(" of instance {id} ({})", self.machine(id).name), &self.machine(id).variables),
        };
        format!("queue {queue} (`{}`{owner})", variables[key.variable as usize].element_name(key.element as usize))
    }

    /// (No value at all is allowed: there is no such state then.)
    fn well_formed(&self, values: &Values, ty: ScalarType) -> bool {
        let count = self.abstraction.queues.len();
        match values {
            Values::Set(all) => ty != ScalarType::Channel && all.is_sorted_by(|a, b| a < b),
            Values::Range(low, high) => ty != ScalarType::Channel && low <= high,
            Values::Queues(all) => {
                ty == ScalarType::Channel && all.is_sorted_by(|a, b| a < b) && all.iter().all(|&q| (q as usize) < count)
            }
            Values::AnyQueue => ty == ScalarType::Channel,
        }
    }

    fn all_well_formed(&self, values: &[Values], types: &[ScalarType]) -> bool {
        values.len() == types.len() && values.iter().zip(types).all(|(values, &ty)| self.well_formed(values, ty))
    }

    fn look_at_globals(&self) -> Result<(), Refusal> {
        if self.all_well_formed(&self.abstraction.globals, &self.globals.types) {
            return Ok(());
        }
        malformed("the values of the global slots do not fit the global variables")
    }

    fn look_at_instance(&mut self, id: usize, instance: &'a Instance) -> Result<(), Refusal> {
        let Some(machine) = self.network.machines.get(instance.machine as usize) else {
            return malformed(format!("instance {id} has no machine"));
        };
        let table = &self.locals[instance.machine as usize];
        let types = &table.types;
        // A slot for a whole array has no value of its own: elements differ.
        let foldable = |&slot: &u32| {
            let ty = types.get(slot as usize);
            ty.is_some_and(|&ty| ty != ScalarType::Channel && !table.is_smashed(slot as usize))
        };
        if !instance.folded.iter().all(foldable) || !instance.folded.is_sorted_by(|a, b| a < b) {
            return malformed(format!("instance {id} ({}) folds slots that it cannot fold", machine.name));
        }
        let (mut nodes, mut points, mut open) = (HashMap::new(), HashSet::new(), HashMap::new());
        for (index, node) in instance.nodes.iter().enumerate() {
            let key = self.key_of(machine, instance, node);
            let Some(key) = key.filter(|_| node.at == Point::Gone || self.all_well_formed(&node.values, types)) else {
                return malformed(format!("node {index} of instance {id} ({}) is not well formed", machine.name));
            };
            let folded = if node.at == Point::Gone { &[][..] } else { &instance.folded };
            let slots = folded.iter().copied().zip(&key).filter(|(_, number)| number.is_none());
            let slots: Vec<u32> = slots.map(|(slot, _)| slot).collect();
            if *open.entry(node.at).or_insert_with(|| slots.clone()) != slots {
                let name = &machine.name;
                return malformed(format!(
                    "node {index} of instance {id} ({name}) is told apart by other slots than one at the same point"
                ));
            }
            let key = key.into_iter().flatten().collect();
            points.insert(node.at);
            if nodes.insert((node.at, key), index as u32).is_some() {
                return malformed(format!("node {index} of instance {id} ({}) is there twice", machine.name));
            }
        }
        let starts =
            |&n: &u32| instance.nodes.get(n as usize).is_some_and(|node| node.at == Point::at(machine.initial));
        if !instance.first.iter().all(starts) {
            return malformed(format!("instance {id} ({}) starts where its machine does not", machine.name));
        }
        self.nodes.push(nodes);
        self.points.push(points);
        self.open.push(open);
        Ok(())
    }

    /// The slots that tell nodes of an instance at a point apart.
    pub(super) fn folded(&self, id: u32, at: Point) -> impl Iterator<Item = u32> {
        let open = self.open[id as usize].get(&at);
        let folded = self.instance(id).folded.iter().copied().filter(move |_| at != Point::Gone);
        folded.filter(move |slot| !open.is_some_and(|open| open.contains(slot)))
    }

    /// The values of the folded slots at a node, none of those that are open; none if it is no node of the machine.
    fn key_of(&self, machine: &Machine, instance: &Instance, node: &Node) -> Option<Vec<Option<i32>>> {
        match node.at {
            Point::Gone => return node.values.is_empty().then(Vec::new),
            Point::Location(location) => drop(machine.locations.get(location as usize)?),
            Point::Inside(edge, inner) => drop(choices_at(machine, edge, inner)?),
        }
        instance.folded.iter().map(|&slot| Some(values::constant(node.values.get(slot as usize)?))).collect()
    }

    /// The queues are those that the model declares, in order: those of shared variables, then those of each instance.
    fn look_at_queues(&mut self) -> Result<(), Refusal> {
        let (network, abstraction) = (self.network, self.abstraction);
        let own = (0u32..)
            .zip(&abstraction.instances)
            .flat_map(|(id, instance)| declared(Some(id), &network.machines[instance.machine as usize].variables));
        let mut declared = declared(None, &network.variables).chain(own);
        for (index, queue) in (0u32..).zip(&abstraction.queues) {
            let ty = declared.next().filter(|(key, _)| *key == queue.key);
            let Some(ty) = ty.and_then(|(_, ty)| network.channel_types.get(ty.index())) else {
                return malformed(format!("queue {index} is not the next one of the model"));
            };
            if !self.is_queue_of(queue, &ty.fields) {
                return malformed(format!("the messages of queue {index} are not well formed"));
            }
            self.queues.insert(queue.key, index);
            let owner = queue.key.instance;
            let dies = owner.is_some_and(|id| self.points[id as usize].contains(&Point::Gone));
            let rendezvous = ty.is_rendezvous();
            let single = !rendezvous && !owner.is_some_and(|id| self.instance(id).many);
            let capacity = ty.capacity.filter(|_| single);
            self.kinds.push(Kind { fields: &ty.fields, rendezvous, capacity, single, dies });
        }
        if declared.next().is_some() || abstraction.queues.len() > MOST_QUEUES {
            return malformed("there are not as many queues as the model has");
        }
        Ok(())
    }

    fn is_queue_of(&self, queue: &Queue, types: &[ScalarType]) -> bool {
        let mut seen = HashSet::new();
        queue.constants.len() == types.len()
            && queue.constants.iter().all(|constants| constants.is_sorted_by(|a, b| a < b))
            && queue.atoms.iter().all(|atom| {
                atom.classes.len() == types.len()
                    && seen.insert(&atom.classes)
                    && self.all_well_formed(&atom.values, types)
                    && atom.classes.iter().zip(&atom.values).zip(&queue.constants).all(|((&c, v), k)| is_class(c, v, k))
            })
    }

    fn look_at_creations(&mut self) -> Result<(), Refusal> {
        for creation in &self.abstraction.creations {
            let creator = self.abstraction.instances.get(creation.creator as usize);
            let exists = creator.is_some_and(|creator| {
                let edges = &self.network.machines[creator.machine as usize].edges;
                (creation.node as usize) < creator.nodes.len() && (creation.edge as usize) < edges.len()
            });
            let key = (creation.creator, creation.node, creation.edge);
            let created = (creation.instance as usize) < self.abstraction.instances.len();
            if !exists || !created || self.creations.insert(key, creation.instance).is_some() {
                return malformed("a creation names something that is not there, or is there twice");
            }
        }
        Ok(())
    }

    /// Every process that is there from the start is an instance: one of its own, or the one for all of its machine.
    fn find_homes(&mut self) -> Result<(), Refusal> {
        let (mut own, mut shared) = (HashMap::new(), HashMap::new());
        for (id, instance) in (0u32..).zip(&self.abstraction.instances) {
            if instance.many {
                shared.entry(instance.machine).or_insert(id);
            } else if let Origin::Initial(index) = instance.origin
                && own.insert(index, id).is_some()
            {
                return malformed(format!("process {index} is more than one instance"));
            }
        }
        for (index, process) in (0u32..).zip(&self.network.instances) {
            let home = own.remove(&index).or_else(|| shared.get(&process.machine.0).copied());
            let Some(home) = home.filter(|&id| self.instance(id).machine == process.machine.0) else {
                return malformed(format!("process {index} is no instance of its type"));
            };
            self.homes.push(home);
        }
        if let Some(id) = own.into_values().next() {
            return malformed(format!("instance {id} is there from the start, but no process is"));
        }
        // The numbers of processes are known if all are there from the start.
        self.pids = vec![values::none(); self.abstraction.instances.len()];
        for (number, &home) in (0i32..).zip(&self.homes) {
            self.pids[home as usize] = values::join(&self.pids[home as usize], &values::number(number));
        }
        for creation in &self.abstraction.creations {
            self.pids[creation.instance as usize] = values::natural();
        }
        Ok(())
    }

    fn look_at_followed(&self) -> Result<(), Refusal> {
        let mut seen = HashSet::new();
        for (index, followed) in self.abstraction.followed.iter().enumerate() {
            let slot = followed.slot as usize;
            let known = self.abstraction.globals.get(slot).filter(|_| !self.globals.is_smashed(slot));
            let same = matches!(known, Some(Values::Set(all)) if *all == followed.values);
            if !same || followed.values.binary_search(&followed.first).is_err() || !seen.insert(slot) {
                return malformed(format!("followed variable {index} is not followed value by value"));
            }
        }
        Ok(())
    }
}

/// Every variable that some statement stores into.
fn assigned(network: &Network) -> HashSet<(Option<u32>, usize)> {
    fn places<'a>(action: &'a Action, found: &mut Vec<&'a Place>) {
        match action {
            Action::Assign(place, _) | Action::Run { then: Some((place, _)), .. } => found.push(place),
            Action::Receive { pattern, .. } => found.extend(pattern.iter().filter_map(|pattern| match pattern {
                Pattern::Bind(place) => Some(place),
                Pattern::Match(_) | Pattern::Any => None,
            })),
            Action::Deterministic(body) => {
                body.guard.iter().for_each(|action| places(action, found));
                body.nodes.iter().flatten().for_each(|choice| places(&choice.action, found));
            }
            _ => {}
        }
    }
    let mut all = HashSet::new();
    for (id, machine) in (0u32..).zip(&network.machines) {
        let mut found = Vec::new();
        machine.edges.iter().for_each(|edge| places(&edge.action, &mut found));
        all.extend(found.iter().map(|p| ((p.scope == Scope::Local).then_some(id), p.variable.index())));
    }
    all
}

/// The queues that variables declare, with their types.
fn declared(instance: Option<u32>, variables: &[Variable]) -> impl Iterator<Item = (QueueKey, ChannelTypeId)> {
    (0u32..).zip(variables).flat_map(move |(variable, declaration)| {
        let (ty, len) = match declaration.initial {
            Initial::NewChannel(ty) => (ty, declaration.len() as u32),
            _ => (ChannelTypeId(0), 0),
        };
        (0..len).map(move |element| (QueueKey { instance, variable, element }, ty))
    })
}

/// The values of a field lie in a class: one constant, or none of them. (Constants among those of the last class do not
/// count: whoever reads the field leaves them out.)
fn is_class(class: u32, values: &Values, constants: &[i32]) -> bool {
    match constants.get(class as usize) {
        Some(&constant) => values::constant(values) == Some(constant),
        None => class as usize == constants.len(),
    }
}
