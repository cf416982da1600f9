//! The fixpoint: which processes there can be, where, with which values, and what is in the queues.
//!
//! Nodes are visited until nothing changes. A step may widen what is known of a global slot or of a queue; then every
//! node that looked at it is visited again. Sets that keep growing are widened, first to constants that the model
//! compares with, then to all that the type can hold. So the result is inductive: it is the invariant that the
//! certificate carries.
//!
//! A `run` at a node makes an instance of its own, as long as the node is visited once in a run; which is known only
//! at the end, so an analysis may end with a [`Change`] to its configuration, and start again (Ciclo VI, IBOC 3.7).
//! Configurations are in `config`, instances in `instances`; here is the fixpoint itself.

mod config;
mod instances;

pub use config::{Change, Config, first_config, scalar_locals};

use crate::step::{Facts, Stepper, Traffic};
use crate::values;
use crate::world::World;
use model::budget::Budget;
use model::flow_proof::{Creation, Node, Origin, Point, QueueKey, Values, is_smashed};
use model::ids::MachineId;
use model::network::{Initial, ScalarType};
use model::runs::Runs;
use model::verdict::Reason;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};

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
    /// Points at which one of them does not.
    open: HashSet<(Point, u32)>,
    /// Its nodes.
    pub nodes: Vec<Node>,
    /// Where it starts.
    pub first: Vec<u32>,
    /// Per node, where it creates single instances: no step leads to a lower one.
    pub levels: Runs,
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
    /// A channel is used of which nothing is known.
    pub anywhere: bool,
}

/// A node that changed so often is widened.
const NODE_VISITS: u32 = 24;
/// The work of a visit.
const VISIT: usize = 256;
/// A fact that changed so often is widened.
const FACT_VISITS: u32 = 12;
/// Symbols are few: they are widened later.
const SYMBOL_VISITS: u32 = 80;
/// So many values of a field are distinguished at most.
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
    /// What is looked at again because a fact has changed: when all else is done, since it may change many times.
    again: VecDeque<Work>,
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
pub fn analyse(world: &World<'_>, config: &Config, most_nodes: usize, budget: &Budget) -> Result<Analysis, Failure> {
    let mut run = Run {
        world,
        config,
        analysis: Analysis { facts: Facts::default(), instances: Vec::new(), creations: Vec::new(), anywhere: false },
        created: HashMap::new(),
        many: HashMap::new(),
        work: VecDeque::new(),
        again: VecDeque::new(),
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
    run.fixpoint(budget)?;
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
            watched: &[],
            seen: Default::default(),
        };
        stepper.eval(&nowhere(), e)
    }

    fn push(&mut self, work: Work) {
        if self.waiting.insert(work) {
            self.work.push_back(work);
        }
    }

    fn push_again(&mut self, readers: Vec<Work>) {
        let new = readers.into_iter().filter(|&reader| self.waiting.insert(reader));
        self.again.extend(new);
    }

    fn fixpoint(&mut self, budget: &Budget) -> Result<(), Failure> {
        while let Some(work) = self.work.pop_front().or_else(|| self.again.pop_front()) {
            self.waiting.remove(&work);
            budget.spend(VISIT).map_err(Failure::Stopped)?;
            match work {
                Work::Birth(id) => self.birth(id)?,
                Work::Node(id, node) => self.visit(id, node)?,
            }
        }
        Ok(())
    }

    /// First values of the local slots.
    fn birth(&mut self, id: u32) -> Result<(), Failure> {
        let (locals, seen) = self.analysis.first_locals(self.world, id);
        self.depend(Work::Birth(id), &seen);
        if locals.iter().any(values::is_empty) {
            return Ok(());
        }
        let machine = self.world.network.machine(self.analysis.instances[id as usize].machine);
        let initial = Point::at(machine.initial);
        let first = self.arrive(id, initial, locals)?;
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
            self.analysis.anywhere = true;
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
            watched: &[],
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
    fn arrive(&mut self, id: u32, at: Point, mut locals: Vec<Values>) -> Result<Vec<u32>, Failure> {
        let instance = &self.analysis.instances[id as usize];
        let folded: Vec<u32> = instance.folded_at(at).collect();
        let mut keys: Vec<Vec<i32>> = vec![Vec::new()];
        for &slot in &folded {
            let Values::Set(numbers) = &locals[slot as usize] else {
                return Err(Failure::Again(Change::Unfoldable(instance.machine.0, slot)));
            };
            keys = keys.iter().flat_map(|k| numbers.iter().map(move |n| [&k[..], &[*n]].concat())).collect();
        }
        let types = &self.world.info(instance.machine).types;
        let open = instance.folded.iter().filter(|&&slot| instance.open.contains(&(at, slot)));
        open.for_each(|&slot| locals[slot as usize] = values::of_type(types[slot as usize]));
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
        let values = |slot: u32| {
            let nodes = largest.nodes.iter().filter_map(|node| values::constant(node.values.get(slot as usize)?));
            nodes.collect::<HashSet<_>>().len()
        };
        let worst = largest.folded.iter().copied().max_by_key(|&slot| values(slot)).unwrap_or(0);
        Failure::Again(Change::Unfoldable(largest.machine.0, worst))
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
        self.push_again(readers);
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
            self.push_again(readers);
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

    /// Fields are compared with numbers that were not distinguished: that would lose too much.
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
}

impl InstanceFacts {
    /// The slots that tell nodes at a point apart.
    fn folded_at(&self, at: Point) -> impl Iterator<Item = u32> {
        let folded = self.folded.iter().copied().filter(move |_| at != Point::Gone);
        folded.filter(move |&slot| !self.open.contains(&(at, slot)))
    }
}

impl Analysis {
    /// What the local slots of an instance hold at first, and what that was read from.
    pub(crate) fn first_locals(&self, world: &World<'_>, id: u32) -> (Vec<Values>, crate::step::Seen) {
        let instance = &self.instances[id as usize];
        let machine = world.network.machine(instance.machine);
        let info = world.info(instance.machine);
        let stepper = Stepper {
            world,
            facts: &self.facts,
            machine: instance.machine,
            pid: &instance.pid,
            numbers: &[],
            watched: &[],
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
                        Values::Queues(vec![queue_of(&self.facts, key)])
                    }
                };
                let slot = info.slots.slot(&machine.variables, index, element);
                let stored = values::truncate(variable.ty, value);
                let smashed = is_smashed(variable) && element > 0;
                step.locals[slot] = if smashed { values::join(&step.locals[slot], &stored) } else { stored };
            }
        }
        (step.locals, stepper.seen.into_inner())
    }

    /// The nodes that a process with these values is at, when it gets to a point.
    pub fn nodes_of(&self, id: u32, at: Point, locals: &[Values]) -> Vec<u32> {
        let instance = &self.instances[id as usize];
        let mut keys: Vec<Vec<i32>> = vec![Vec::new()];
        for slot in instance.folded_at(at) {
            let Values::Set(numbers) = &locals[slot as usize] else { return Vec::new() };
            keys = keys.iter().flat_map(|k| numbers.iter().map(move |n| [&k[..], &[*n]].concat())).collect();
        }
        keys.into_iter().filter_map(|key| instance.index.get(&(at, key)).copied()).collect()
    }
}

fn limit(ty: ScalarType) -> u32 {
    if matches!(ty, ScalarType::Symbol(_)) { SYMBOL_VISITS } else { FACT_VISITS }
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
        ledger: Default::default(),
    }
}
