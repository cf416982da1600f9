//! The fixpoint: which processes there can be, where, with which values, and what is in the queues.
//!
//! Nodes are visited until nothing changes. A step may widen what is known of a global slot or of a queue; then every
//! node that looked at it is visited again. Sets that keep growing are widened, first to constants that the model
//! compares with, then to all that the type can hold. So the result is inductive: it is the invariant that the
//! certificate carries.
//!
//! A `run` at a node makes an instance of its own, as long as the node is visited once in a run; which is known only
//! at the end, so an analysis may end with a [`Change`] to its configuration, and start again (Ciclo VI, IBOC 3.7).

use crate::scc;
use crate::step::{Created, Facts, QueueFacts, Stepper, Traffic};
use crate::values;
use crate::world::World;
use model::expr::Pattern;
use model::flow_proof::{Creation, Node, Origin, Point, QueueKey, Values, is_smashed};
use model::ids::{ChannelTypeId, MachineId, VariableId};
use model::network::{Action, Initial, ScalarType};
use model::verdict::Reason;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};

/// How precise to be, and where. Machines, slots, channel types and fields are given by their indices.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Config {
    /// Local slots that tell nodes apart.
    pub folded: BTreeMap<u32, BTreeSet<u32>>,
    /// Slots that cannot be folded: they can hold too much.
    pub unfoldable: BTreeSet<(u32, u32)>,
    /// Shared slots that are parts.
    pub followed: BTreeSet<u32>,
    /// Numbers that are counted: slots of a machine, or global ones.
    pub numbers: BTreeSet<(Option<u32>, u32)>,
    /// Machines with any number of processes.
    pub many: BTreeSet<u32>,
    /// Constants that are told apart: channel type, field.
    pub constants: BTreeMap<(u32, u32), BTreeSet<i32>>,
}

/// What to do differently in the next analysis.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Change {
    /// Processes of this machine cannot be told apart.
    Many(u32),
    /// This slot of a machine can hold too much to be folded.
    Unfoldable(u32, u32),
    /// More constants matter.
    Constants(BTreeMap<(u32, u32), BTreeSet<i32>>),
}

/// Why there is no analysis.
pub enum Failure {
    /// Start again.
    Again(Change),
    /// A limit.
    Stopped(Reason),
}

/// A process, or any number of them.
pub struct InstanceFacts {
    /// Its type.
    pub machine: MachineId,
    /// Where it comes from.
    pub origin: Origin,
    /// Any number of them.
    pub many: bool,
    /// Its number.
    pub pid: Values,
    /// The instance that created it.
    pub creator: Option<u32>,
    /// Slots that tell nodes apart.
    pub folded: Vec<u32>,
    /// Its nodes.
    pub nodes: Vec<Node>,
    /// Where it starts.
    pub first: Vec<u32>,
    arguments: Vec<Values>,
    index: HashMap<(Point, Vec<i32>), u32>,
    visits: Vec<u32>,
}

/// The invariant.
pub struct Analysis {
    /// What is shared.
    pub facts: Facts,
    /// The processes.
    pub instances: Vec<InstanceFacts>,
    /// Who is created where.
    pub creations: Vec<Creation>,
}

/// A node that changed so often is widened.
const NODE_VISITS: u32 = 24;
/// A fact that changed so often is widened.
const FACT_VISITS: u32 = 12;
/// Symbols are few: they are widened later.
const SYMBOL_VISITS: u32 = 80;
/// No more single instances than this.
const MOST_INSTANCES: usize = 50_000;
/// So many values of a field are told apart at most.
const MOST_CONSTANTS: usize = 64;

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Work {
    Birth(u32),
    Node(u32, u32),
}

struct Run<'a> {
    world: &'a World<'a>,
    config: &'a Config,
    analysis: Analysis,
    created: HashMap<(u32, u32, u32), u32>,
    many: HashMap<u32, u32>,
    work: VecDeque<Work>,
    waiting: HashSet<Work>,
    global_readers: Vec<HashSet<Work>>,
    queue_readers: Vec<HashSet<Work>>,
    any_queue_readers: HashSet<Work>,
    global_visits: Vec<u32>,
    atom_visits: HashMap<(u32, u32), u32>,
    compared: BTreeMap<(u32, u32), BTreeSet<i32>>,
    nodes: usize,
    most_nodes: usize,
}

/// Analyses a network, with no more than so many nodes; `stop` says when there is no more time.
pub fn analyse(
    world: &World<'_>,
    config: &Config,
    most_nodes: usize,
    stop: &mut dyn FnMut() -> Option<Reason>,
) -> Result<Analysis, Failure> {
    let mut run = Run {
        world,
        config,
        analysis: Analysis { facts: Facts::default(), instances: Vec::new(), creations: Vec::new() },
        created: HashMap::new(),
        many: HashMap::new(),
        work: VecDeque::new(),
        waiting: HashSet::new(),
        global_readers: vec![HashSet::new(); world.globals.len()],
        queue_readers: Vec::new(),
        any_queue_readers: HashSet::new(),
        global_visits: vec![0; world.globals.len()],
        atom_visits: HashMap::new(),
        compared: BTreeMap::new(),
        nodes: 0,
        most_nodes,
    };
    run.start()?;
    run.fixpoint(stop)?;
    run.check_constants()?;
    run.check_creations()?;
    Ok(run.analysis)
}

impl Run<'_> {
    /// Globals and the processes that are there from the start.
    fn start(&mut self) -> Result<(), Failure> {
        let network = self.world.network;
        self.analysis.facts.globals = vec![values::nothing(); self.world.globals.len()];
        for (index, variable) in network.variables.iter().enumerate() {
            for element in 0..variable.len() {
                let value = match &variable.initial {
                    Initial::Zero => values::single(0),
                    Initial::Value(e) => self.initial_global(e),
                    Initial::List(list) => values::single(list.get(element).or(list.last()).copied().unwrap_or(0)),
                    Initial::NewChannel(ty) => {
                        let (variable, element) = (index as u32, element as u32);
                        Values::Queues(vec![self.new_queue(QueueKey { instance: None, variable, element }, *ty)])
                    }
                };
                let slot = self.world.globals.slot(&network.variables, index, element);
                let stored = values::truncate(variable.ty, value);
                let known = &mut self.analysis.facts.globals[slot];
                *known = values::join(known, &stored);
            }
        }
        for (index, instance) in network.instances.iter().enumerate() {
            let pid = values::single(index as i32);
            let parameters = network.machine(instance.machine).parameters;
            let types = &self.world.info(instance.machine).types;
            let zero = types[..parameters].iter().map(|&ty| values::truncate(ty, values::single(0))).collect();
            self.instance(instance.machine, Origin::Initial(index as u32), None, pid, zero)?;
        }
        Ok(())
    }

    /// First values of globals read earlier globals at most.
    fn initial_global(&self, e: &model::expr::Expr) -> Values {
        let pid = values::single(0);
        let stepper = Stepper {
            world: self.world,
            facts: &self.analysis.facts,
            machine: MachineId(0),
            pid: &pid,
            numbers: &[],
            seen: Default::default(),
        };
        stepper.eval(&nowhere(), e)
    }

    fn new_queue(&mut self, key: QueueKey, channel_type: ChannelTypeId) -> u32 {
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

    /// An instance, new or, for a machine with many processes, the one there is.
    fn instance(
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
        let folded = self.config.folded.get(&machine.0).map(|set| set.iter().copied().collect()).unwrap_or_default();
        self.analysis.instances.push(InstanceFacts {
            machine,
            origin,
            many,
            pid,
            creator,
            folded,
            nodes: Vec::new(),
            first: Vec::new(),
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

    fn push(&mut self, work: Work) {
        if self.waiting.insert(work) {
            self.work.push_back(work);
        }
    }

    fn fixpoint(&mut self, stop: &mut dyn FnMut() -> Option<Reason>) -> Result<(), Failure> {
        let mut count = 0u32;
        while let Some(work) = self.work.pop_front() {
            self.waiting.remove(&work);
            count += 1;
            if count.is_multiple_of(64)
                && let Some(reason) = stop()
            {
                return Err(Failure::Stopped(reason));
            }
            match work {
                Work::Birth(id) => self.birth(id)?,
                Work::Node(id, node) => self.visit(id, node)?,
            }
        }
        Ok(())
    }

    /// First values of the local slots.
    fn birth(&mut self, id: u32) -> Result<(), Failure> {
        let instance = &self.analysis.instances[id as usize];
        let machine = self.world.network.machine(instance.machine);
        let info = self.world.info(instance.machine);
        let stepper = Stepper {
            world: self.world,
            facts: &self.analysis.facts,
            machine: instance.machine,
            pid: &instance.pid,
            numbers: &[],
            seen: Default::default(),
        };
        let zero = info.types.iter().map(|&ty| values::truncate(ty, values::single(0)));
        let mut step = nowhere();
        step.locals = zero.collect();
        step.locals[..instance.arguments.len()].clone_from_slice(&instance.arguments);
        for (index, variable) in machine.variables.iter().enumerate().skip(machine.parameters) {
            for element in 0..variable.len() {
                let value = match &variable.initial {
                    Initial::Zero => break,
                    Initial::Value(e) => stepper.eval(&step, e),
                    Initial::List(list) => values::single(list.get(element).or(list.last()).copied().unwrap_or(0)),
                    Initial::NewChannel(_) => {
                        let (variable, element) = (index as u32, element as u32);
                        let key = QueueKey { instance: Some(id), variable, element };
                        Values::Queues(vec![queue_of(&self.analysis.facts, key)])
                    }
                };
                let slot = info.slots.slot(&machine.variables, index, element);
                let stored = values::truncate(variable.ty, value);
                let smashed = is_smashed(variable) && element > 0;
                step.locals[slot] = if smashed { values::join(&step.locals[slot], &stored) } else { stored };
            }
        }
        let seen = stepper.seen.into_inner();
        self.depend(Work::Birth(id), &seen);
        if step.locals.iter().any(values::is_empty) {
            return Ok(());
        }
        let initial = Point::at(machine.initial);
        let first = self.arrive(id, initial, step.locals)?;
        let known = &mut self.analysis.instances[id as usize].first;
        known.extend(first);
        known.sort_unstable();
        known.dedup();
        Ok(())
    }

    fn depend(&mut self, work: Work, seen: &crate::step::Seen) {
        for &slot in &seen.globals {
            self.global_readers[slot as usize].insert(work);
        }
        for &queue in &seen.queues {
            self.queue_readers[queue as usize].insert(work);
        }
        if seen.all_queues {
            self.any_queue_readers.insert(work);
        }
    }

    /// Takes every step of a node.
    fn visit(&mut self, id: u32, node: u32) -> Result<(), Failure> {
        let instance = &self.analysis.instances[id as usize];
        let here = &instance.nodes[node as usize];
        let stepper = Stepper {
            world: self.world,
            facts: &self.analysis.facts,
            machine: instance.machine,
            pid: &instance.pid,
            numbers: &[],
            seen: Default::default(),
        };
        let steps = stepper.steps(here.at, &here.values, &[]);
        let seen = stepper.seen.into_inner();
        self.depend(Work::Node(id, node), &seen);
        self.note_compared(&seen);
        for step in steps {
            for (slot, values) in step.writes {
                self.widen_global(slot, values);
            }
            for traffic in step.traffic {
                if let Traffic::Sent(queue, message) = traffic {
                    self.widen_queue(queue, message);
                }
            }
            self.check_single(&step.created)?;
            for created in step.created {
                self.create(id, node, created)?;
            }
            let locals = if step.to == Point::Gone { Vec::new() } else { step.locals };
            self.arrive(id, step.to, locals)?;
        }
        Ok(())
    }

    fn note_compared(&mut self, seen: &crate::step::Seen) {
        for (channel_type, field, values) in &seen.compared {
            if let Values::Set(numbers) = values {
                self.compared.entry((channel_type.0, *field)).or_default().extend(numbers);
            }
        }
    }

    /// A process gets to a point with these values.
    fn arrive(&mut self, id: u32, at: Point, locals: Vec<Values>) -> Result<Vec<u32>, Failure> {
        let instance = &self.analysis.instances[id as usize];
        let mut keys: Vec<Vec<i32>> = vec![Vec::new()];
        if at != Point::Gone {
            for &slot in &instance.folded {
                let Values::Set(numbers) = &locals[slot as usize] else {
                    return Err(Failure::Again(Change::Unfoldable(instance.machine.0, slot)));
                };
                keys = keys.iter().flat_map(|k| numbers.iter().map(move |n| [&k[..], &[*n]].concat())).collect();
            }
        }
        let folded = instance.folded.clone();
        let mut reached = Vec::with_capacity(keys.len());
        for key in keys {
            let mut values = locals.clone();
            for (&slot, &number) in folded.iter().zip(&key) {
                values[slot as usize] = values::single(number);
            }
            reached.push(self.arrive_at(id, (at, key), values)?);
        }
        Ok(reached)
    }

    fn arrive_at(&mut self, id: u32, key: (Point, Vec<i32>), new: Vec<Values>) -> Result<u32, Failure> {
        let types = &self.world.info(self.analysis.instances[id as usize].machine).types;
        let instance = &mut self.analysis.instances[id as usize];
        if let Some(&node) = instance.index.get(&key) {
            let known = &mut instance.nodes[node as usize].values;
            let widen = instance.visits[node as usize] > NODE_VISITS;
            let mut changed = false;
            for ((known, new), &ty) in known.iter_mut().zip(&new).zip(types) {
                if !values::within(new, known) {
                    let joined = values::join(known, new);
                    *known = if widen { values::widened(known, &joined, ty, &self.world.thresholds) } else { joined };
                    changed = true;
                }
            }
            if changed {
                instance.visits[node as usize] += 1;
                self.push(Work::Node(id, node));
            }
            return Ok(node);
        }
        let node = instance.nodes.len() as u32;
        instance.nodes.push(Node { at: key.0, values: new });
        instance.visits.push(0);
        instance.index.insert(key, node);
        self.nodes += 1;
        if self.nodes > self.most_nodes {
            return Err(self.too_many_nodes());
        }
        self.push(Work::Node(id, node));
        Ok(node)
    }

    /// Folding is given up for the slot that has most values, in the instance that has most nodes.
    fn too_many_nodes(&self) -> Failure {
        let folding = self.analysis.instances.iter().filter(|i| !i.folded.is_empty());
        let Some(largest) = folding.max_by_key(|i| i.nodes.len()) else {
            let reason = format!("the model has more than {} points to keep apart", self.most_nodes);
            return Failure::Stopped(Reason::NotProvable(reason));
        };
        let values = |position: usize| {
            let keys = largest.index.keys().filter_map(|(_, key)| key.get(position));
            keys.collect::<HashSet<_>>().len()
        };
        let worst = (0..largest.folded.len()).max_by_key(|&position| values(position)).unwrap_or(0);
        Failure::Again(Change::Unfoldable(largest.machine.0, largest.folded[worst]))
    }

    fn widen_global(&mut self, slot: u32, new: Values) {
        let new = self.outliving(new);
        let known = &self.analysis.facts.globals[slot as usize];
        if values::within(&new, known) {
            return;
        }
        let ty = self.world.global_types[slot as usize];
        let visits = &mut self.global_visits[slot as usize];
        *visits += 1;
        let joined = values::join(known, &new);
        let wide = *visits > limit(ty);
        let next = if wide { values::widened(known, &joined, ty, &self.world.thresholds) } else { joined };
        self.analysis.facts.globals[slot as usize] = next;
        let readers: Vec<Work> = self.global_readers[slot as usize].iter().copied().collect();
        readers.into_iter().for_each(|reader| self.push(reader));
    }

    fn widen_queue(&mut self, queue: u32, message: Vec<Values>) {
        let message: Vec<Values> = message.into_iter().map(|field| self.outliving(field)).collect();
        let facts = &self.analysis.facts.queues[queue as usize];
        let types = &self.world.network.channel_types[facts.channel_type.index()].fields;
        let mut changed = false;
        for (classes, fields) in facts.split(&message) {
            let facts = &mut self.analysis.facts.queues[queue as usize];
            let Some(atom) = facts.atom(&classes) else {
                facts.atoms.push((classes, fields));
                changed = true;
                continue;
            };
            let visits = self.atom_visits.entry((queue, atom)).or_default();
            let known = &mut facts.atoms[atom as usize].1;
            let mut grown = false;
            for ((known, new), &ty) in known.iter_mut().zip(&fields).zip(types) {
                if !values::within(new, known) {
                    let joined = values::join(known, new);
                    let wide = *visits > limit(ty);
                    *known = if wide { values::widened(known, &joined, ty, &self.world.thresholds) } else { joined };
                    grown = true;
                }
            }
            *visits += u32::from(grown);
            changed |= grown;
        }
        if changed {
            let readers: Vec<Work> = self.queue_readers[queue as usize].iter().copied().collect();
            readers.into_iter().for_each(|reader| self.push(reader));
        }
    }

    /// A reference that leaves its process may be followed after the process has ended, when its number means another
    /// queue: then it can mean any.
    fn outliving(&self, values: Values) -> Values {
        let Values::Queues(queues) = &values else { return values };
        let dies = |&q: &u32| {
            let owner = self.analysis.facts.queues[q as usize].key.instance;
            owner.is_some_and(|i| self.world.info(self.analysis.instances[i as usize].machine).may_end)
        };
        if queues.iter().any(dies) { Values::AnyQueue } else { values }
    }

    /// A deterministic step is one edge, but can create several processes: those of one type cannot be told apart.
    fn check_single(&self, created: &[Created]) -> Result<(), Failure> {
        for (index, later) in created.iter().enumerate() {
            let twice = created[..index].iter().any(|c| c.edge == later.edge);
            if twice && !self.config.many.contains(&later.machine.0) {
                return Err(Failure::Again(Change::Many(later.machine.0)));
            }
        }
        Ok(())
    }

    fn create(&mut self, creator: u32, node: u32, created: Created) -> Result<(), Failure> {
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

    /// Fields are compared with numbers that were not told apart: that would lose too much.
    fn check_constants(&self) -> Result<(), Failure> {
        let mut more = BTreeMap::new();
        for (&key, numbers) in &self.compared {
            let known = self.config.constants.get(&key);
            let all: BTreeSet<i32> = known.into_iter().flatten().chain(numbers).copied().collect();
            if all.len() <= MOST_CONSTANTS && known.is_none_or(|k| k.len() < all.len()) {
                more.insert(key, all);
            }
        }
        if more.is_empty() { Ok(()) } else { Err(Failure::Again(Change::Constants(more))) }
    }

    /// An instance that is created in a cycle is not a single one.
    fn check_creations(&self) -> Result<(), Failure> {
        let mut cyclic: HashMap<u32, Vec<bool>> = HashMap::new();
        for creation in &self.analysis.creations {
            let instance = &self.analysis.instances[creation.instance as usize];
            if instance.many {
                continue;
            }
            let cycles = cyclic.entry(creation.creator).or_insert_with(|| self.cyclic_nodes(creation.creator));
            if cycles[creation.node as usize] {
                return Err(Failure::Again(Change::Many(instance.machine.0)));
            }
        }
        Ok(())
    }

    fn cyclic_nodes(&self, id: u32) -> Vec<bool> {
        let instance = &self.analysis.instances[id as usize];
        let mut edges = Vec::new();
        for (from, node) in instance.nodes.iter().enumerate() {
            let stepper = Stepper {
                world: self.world,
                facts: &self.analysis.facts,
                machine: instance.machine,
                pid: &instance.pid,
                numbers: &[],
                seen: Default::default(),
            };
            for step in stepper.steps(node.at, &node.values, &[]) {
                edges.extend(
                    self.analysis.nodes_of(id, step.to, &step.locals).into_iter().map(|to| (from, to as usize)),
                );
            }
        }
        let components = scc::components(instance.nodes.len(), &edges);
        (0..instance.nodes.len()).map(|node| components.is_cyclic(node)).collect()
    }
}

impl Analysis {
    /// The nodes that a process with these values is at, when it gets to a point.
    pub fn nodes_of(&self, id: u32, at: Point, locals: &[Values]) -> Vec<u32> {
        let instance = &self.instances[id as usize];
        let mut keys: Vec<Vec<i32>> = vec![Vec::new()];
        if at != Point::Gone {
            for &slot in &instance.folded {
                let Values::Set(numbers) = &locals[slot as usize] else { return Vec::new() };
                keys = keys.iter().flat_map(|k| numbers.iter().map(move |n| [&k[..], &[*n]].concat())).collect();
            }
        }
        keys.into_iter().filter_map(|key| instance.index.get(&(at, key)).copied()).collect()
    }
}

fn limit(ty: ScalarType) -> u32 {
    if matches!(ty, ScalarType::Symbol(_)) { SYMBOL_VISITS } else { FACT_VISITS }
}

fn instance_nodes(analysis: &Analysis, id: u32) -> u32 {
    analysis.instances[id as usize].nodes.len() as u32
}

/// The queue with a key: there is one.
fn queue_of(facts: &Facts, key: QueueKey) -> u32 {
    facts.index.get(&key).copied().unwrap_or(0)
}

/// A step that has not begun.
fn nowhere() -> crate::step::Step {
    crate::step::Step {
        to: Point::Gone,
        edges: Vec::new(),
        locals: Vec::new(),
        shared: Vec::new(),
        writes: Vec::new(),
        traffic: Vec::new(),
        created: Vec::new(),
        growth: Vec::new(),
        lengths: BTreeMap::new(),
        shown: 0,
    }
}

/// A first configuration: constants in patterns are told apart, and what decides how often a `run` is reached is folded.
pub fn first_config(world: &World<'_>) -> Config {
    let mut config = Config::default();
    fold_creation_loops(world, &mut config);
    pattern_constants(world, &mut config);
    config
}

/// Constants in patterns, for every channel with as many fields.
fn pattern_constants(world: &World<'_>, config: &mut Config) {
    let mut note = |pattern: &[Pattern]| {
        for (ty, channel_type) in world.network.channel_types.iter().enumerate() {
            if channel_type.fields.len() != pattern.len() {
                continue;
            }
            for (field, pattern) in pattern.iter().enumerate() {
                if let Pattern::Match(model::expr::Expr::Const(value)) = pattern {
                    config.constants.entry((ty as u32, field as u32)).or_default().insert(*value);
                }
            }
        }
    };
    for edge in world.network.machines.iter().flat_map(|m| &m.edges) {
        match &edge.action {
            Action::Receive { pattern, .. } => note(pattern),
            Action::Deterministic(body) => {
                for choice in body.nodes.iter().flatten() {
                    if let Action::Receive { pattern, .. } = &choice.action {
                        note(pattern);
                    }
                }
            }
            _ => {}
        }
    }
}

/// Locals that conditions, or arguments of a `run`, read in a cycle with a `run` in it.
fn fold_creation_loops(world: &World<'_>, config: &mut Config) {
    for (index, machine) in world.network.machines.iter().enumerate() {
        let edges: Vec<(usize, usize)> = machine.edges.iter().map(|e| (e.from.index(), e.to.index())).collect();
        let components = scc::components(machine.locations.len(), &edges);
        let inside = |e: &model::network::Edge| components.is_inside(e.from.index(), e.to.index());
        let looping: HashSet<u32> = machine
            .edges
            .iter()
            .filter(|e| inside(e) && matches!(e.action, Action::Run { .. }))
            .map(|e| components.of[e.from.index()])
            .collect();
        for edge in machine.edges.iter().filter(|e| looping.contains(&components.of[e.from.index()])) {
            if matches!(edge.action, Action::Condition(_) | Action::Run { .. }) {
                for variable in scalar_locals(&edge.action, machine) {
                    let slot = world.machines[index].slots.slot(&machine.variables, variable.index(), 0);
                    config.folded.entry(index as u32).or_default().insert(slot as u32);
                }
            }
        }
    }
}

/// The local scalars that an action reads.
pub fn scalar_locals(action: &Action, machine: &model::network::Machine) -> Vec<VariableId> {
    let mut found = Vec::new();
    action.walk(&mut |e| {
        if let model::expr::Expr::Read(place) = e
            && place.scope == model::expr::Scope::Local
            && machine.variables[place.variable.index()].dimensions.is_empty()
            && machine.variables[place.variable.index()].ty != ScalarType::Channel
        {
            found.push(place.variable);
        }
    });
    found
}
