//! Instances: the processes that there can be, those of the start and those that a `run` creates.
//!
//! An instance stands for one process, or for any number of them where its machine is `many`. That an instance is a single
//! process is checked: it must not be created by one of its own kind, nor twice in a step, nor at a node that is on a cycle.
//! Otherwise the analysis starts again with a machine of many processes. With a process come its channels.

use super::{Analysis, Change, Failure, InstanceFacts, Run, Work};
use crate::scc::{self, Components};
use crate::step::{Created, QueueFacts, Stepper};
use crate::values;
use model::flow_proof::{Creation, Origin, Point, QueueKey, Values};
use model::ids::{ChannelTypeId, MachineId, VariableId};
use model::network::Initial;
use model::runs::Runs;
use model::verdict::Reason;
use std::collections::{HashMap, HashSet};

/// No more single instances than this.
const MOST_INSTANCES: usize = 50_000;

impl Run<'_> {
    pub(super) fn new_queue(&mut self, key: QueueKey, channel_type: ChannelTypeId) -> u32 {
        let fields = &self.world.network.channel_types[channel_type.index()].fields;
        let constants = |field: usize| {
            let found = self.config.constants.get(&(channel_type.0, field as u32));
            found.map(|set| set.iter().copied().collect()).unwrap_or_default()
        };
        let constants = (0..fields.len()).map(constants).collect();
        let id = self.analysis.facts.queues.len() as u32;
        self.analysis.facts.index.insert(key, id);
        self.analysis.facts.queues.push(QueueFacts { key, channel_type, constants, atoms: Vec::new() });
        self.queue_readers.push(HashSet::new());
        let readers: Vec<Work> = self.any_queue_readers.iter().copied().collect();
        readers.into_iter().for_each(|reader| self.push(reader));
        id
    }

    /// The points at which the value of a slot does not matter.
    fn open(&self, machine: MachineId, folded: &[u32]) -> HashSet<(Point, u32)> {
        let (code, slots) = (self.world.network.machine(machine), &self.world.info(machine).slots);
        let dead = |slot: u32| crate::dead::locations(code, VariableId(slots.element(slot as usize).0 as u32));
        folded.iter().flat_map(|&slot| dead(slot).into_iter().map(move |at| (Point::at(at), slot))).collect()
    }

    /// An instance, new or, for a machine with many processes, the one there is.
    pub(super) fn instance(
        &mut self,
        machine: MachineId,
        origin: Origin,
        creator: Option<u32>,
        pid: Values,
        arguments: Vec<Values>,
    ) -> Result<u32, Failure> {
        let many = self.config.many.contains(&machine.0);
        if let (true, Some(&known)) = (many, self.many.get(&machine.0)) {
            self.give(known, arguments, &pid);
            return Ok(known);
        }
        let id = self.analysis.instances.len() as u32;
        if id as usize >= MOST_INSTANCES {
            return Err(Failure::Again(Change::Many(machine.0)));
        }
        let folded: Vec<u32> = self.config.folded.get(&machine.0).into_iter().flatten().copied().collect();
        let open = if self.config.forgets_dead { self.open(machine, &folded) } else { HashSet::new() };
        self.analysis.instances.push(InstanceFacts {
            machine,
            origin,
            many,
            pid,
            creator,
            folded,
            open,
            nodes: Vec::new(),
            first: Vec::new(),
            levels: Runs::default(),
            arguments,
            index: HashMap::new(),
            visits: Vec::new(),
        });
        if many {
            self.many.insert(machine.0, id);
        }
        for (index, variable) in self.world.network.machine(machine).variables.iter().enumerate() {
            if let Initial::NewChannel(ty) = variable.initial {
                for element in 0..variable.len() {
                    let key = QueueKey { instance: Some(id), variable: index as u32, element: element as u32 };
                    self.new_queue(key, ty);
                }
            }
        }
        self.push(Work::Birth(id));
        Ok(id)
    }

    /// More arguments for an instance.
    fn give(&mut self, id: u32, arguments: Vec<Values>, pid: &Values) {
        let instance = &mut self.analysis.instances[id as usize];
        let mut changed = !values::within(pid, &instance.pid);
        instance.pid = values::join(&instance.pid, pid);
        for (known, new) in instance.arguments.iter_mut().zip(&arguments) {
            if !values::within(new, known) {
                *known = values::join(known, new);
                changed = true;
            }
        }
        if changed {
            self.push(Work::Birth(id));
            for node in 0..instance_nodes(&self.analysis, id) {
                self.push(Work::Node(id, node));
            }
        }
    }

    /// A deterministic step is one edge, but can create several processes: those of one type cannot be distinguished.
    pub(super) fn check_single(&self, created: &[Created]) -> Result<(), Failure> {
        for (index, later) in created.iter().enumerate() {
            let twice = created[..index].iter().any(|c| c.edge == later.edge);
            if twice && !self.config.many.contains(&later.machine.0) {
                return Err(Failure::Again(Change::Many(later.machine.0)));
            }
        }
        Ok(())
    }

    pub(super) fn create(&mut self, creator: u32, node: u32, created: Created) -> Result<(), Failure> {
        let Created { edge, machine, arguments } = created;
        let pid = values::range(0, i32::MAX);
        let key = (creator, node, edge.0);
        if let Some(&known) = self.created.get(&key) {
            if self.analysis.instances[known as usize].machine != machine {
                let reason = String::from("a deterministic step creates processes of several types");
                return Err(Failure::Stopped(Reason::NotProvable(reason)));
            }
            self.give(known, arguments, &pid);
            return Ok(());
        }
        let many = self.config.many.contains(&machine.0);
        if !many && (self.is_ancestor(creator, machine) || self.analysis.instances[creator as usize].many) {
            return Err(Failure::Again(Change::Many(machine.0)));
        }
        let instance = self.instance(machine, Origin::Run, Some(creator), pid, arguments)?;
        self.created.insert(key, instance);
        self.analysis.creations.push(Creation { creator, node, edge: edge.0, instance });
        Ok(())
    }

    /// Whether an instance, or one that it comes from, is of a machine.
    fn is_ancestor(&self, instance: u32, machine: MachineId) -> bool {
        let mut next = Some(instance);
        while let Some(id) = next {
            let instance = &self.analysis.instances[id as usize];
            if instance.machine == machine {
                return true;
            }
            next = instance.creator;
        }
        false
    }

    /// An instance that is created in a cycle is not a single one.
    pub(super) fn check_creations(&mut self) -> Result<(), Failure> {
        let mut components: HashMap<u32, Components> = HashMap::new();
        for creation in &self.analysis.creations {
            let instance = &self.analysis.instances[creation.instance as usize];
            if instance.many {
                continue;
            }
            let found = components.entry(creation.creator).or_insert_with(|| self.components(creation.creator));
            if found.is_cyclic(creation.node as usize) {
                return Err(Failure::Again(Change::Many(instance.machine.0)));
            }
        }
        for (id, found) in components {
            let levels = found.of.iter().map(|&component| (found.count - component as usize) as i64);
            self.analysis.instances[id as usize].levels = levels.collect();
        }
        Ok(())
    }

    /// The strongly connected components of the nodes of an instance.
    fn components(&self, id: u32) -> Components {
        let instance = &self.analysis.instances[id as usize];
        let mut edges = Vec::new();
        for (from, node) in instance.nodes.iter().enumerate() {
            let stepper = Stepper {
                world: self.world,
                facts: &self.analysis.facts,
                machine: instance.machine,
                pid: &instance.pid,
                numbers: &[],
                watched: &[],
                seen: Default::default(),
            };
            for step in stepper.steps(node.at, &node.values, &[]) {
                edges.extend(
                    self.analysis.nodes_of(id, step.to, &step.locals).into_iter().map(|to| (from, to as usize)),
                );
            }
        }
        scc::components(instance.nodes.len(), &edges)
    }
}

fn instance_nodes(analysis: &Analysis, id: u32) -> u32 {
    analysis.instances[id as usize].nodes.len() as u32
}
