//! The net: parts that move, counters that rise and fall, and the transitions that do both.
//!
//! A transition is an abstract step of one instance, split by the atom of each message and by the values of the shared
//! variables that are followed. Its *effects* are changes of counters: messages of each atom, messages that are handed
//! over (which must balance), processes at each node of a `many` instance, values of followed variables (each is a
//! counter that is 0 or 1 and must balance), distances of numbers. A `many` instance is a graph of one node: all its
//! transitions are loops, and what they move is in their effects.
//! (IBOC section 2 calls this the effect graph, Ciclo section IV a parallel-composition-VASS.)
//!
//! Which variables are followed and which numbers counted is said in `shared`; `parts` cuts a net into pieces.

mod known;
mod parts;
mod shared;

use crate::analysis::{Analysis, Config};
use crate::failures::Failure;
use crate::step::{Seen, Step, Stepper, Traffic};
use crate::values;
use crate::world::World;
use model::budget::Budget;
use model::event::Event;
use model::flow_proof::{Followed, Number, Point, Values};
use model::ids::{EdgeId, MachineId};
use model::network::{Action, Edge};
use model::verdict::Reason;
pub(crate) use parts::{Arrivals, Merged};
pub(crate) use shared::first_value;
use shared::{followed, numbers};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// What a counter counts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Counter {
    /// Messages of an atom in a queue.
    Message(u32, u32),
    /// Messages of an atom that are handed over: sent and taken in the same step.
    Rendezvous(u32, u32),
    /// Processes of a `many` instance at a node.
    Processes(u32, u32),
    /// A followed variable has a value: the indices of both.
    Value(u32, u32),
    /// The distance of a number.
    Distance(u32),
}

impl Counter {
    /// A counter that must balance; its weight has any sign.
    pub fn balances(self) -> bool {
        matches!(self, Counter::Rendezvous(..) | Counter::Value(..))
    }

    /// A counter that could grow without bound in the system itself, if nothing forbids it.
    pub fn grows(self) -> bool {
        matches!(self, Counter::Message(..) | Counter::Processes(..))
    }

    /// Messages of one of these: a queue, or an atom of one.
    pub fn is_among(self, some: &BTreeSet<(u32, Option<u32>)>) -> bool {
        matches!(self, Counter::Message(queue, atom) if some.contains(&(queue, None)) || some.contains(&(queue, Some(atom))))
    }
}

/// A transition.
#[derive(Clone, Debug)]
pub struct Transition {
    /// The instance that moves.
    pub instance: u32,
    /// The node of its graph that it leaves.
    pub from: u32,
    /// The node of its graph that it gets to.
    pub to: u32,
    /// The node of the instance where it starts, also for a `many` instance.
    pub node: u32,
    /// Changes of counters, by index, in rising order.
    pub effects: Vec<(u32, i64)>,
    /// Followed variables that it reads or writes, with the values before and after: indices.
    pub moves: Vec<(u32, u32, u32)>,
    /// The edges that it takes.
    pub edges: Vec<EdgeId>,
    /// It is progress.
    pub progress: bool,
    /// The most that queues hold after it, all in all or of one atom, where it tests them.
    pub lengths: Vec<Length>,
}

/// A queue, or one atom of it, and how many messages of it there are at the most.
pub type Length = ((u32, Option<u32>), u64);

/// The net.
pub struct Net {
    /// The counters.
    pub counters: Vec<Counter>,
    /// Its transitions, instance by instance.
    pub transitions: Vec<Transition>,
    /// Per instance: where its transitions are.
    pub of_instance: Vec<std::ops::Range<u32>>,
    /// Per instance: its number in the abstraction.
    pub ids: Vec<u32>,
    /// Per instance: how many nodes its graph has.
    pub graph_nodes: Vec<u32>,
    /// Per instance: the first nodes of its graph.
    pub first: Vec<Vec<u32>>,
    /// The followed variables.
    pub followed: Vec<Followed>,
    /// The numbers.
    pub numbers: Vec<Number>,
    /// Per number: the greatest distance at the start.
    pub first_distance: Vec<i64>,
    /// Per counter: the processes of a `many` instance that are there from the start.
    pub first_count: Vec<i64>,
    /// Steps that fail on the way, after they have sent something.
    pub failures: HashSet<Failure>,
}

/// More combinations of values of followed variables than this are not looked at for one node.
const COMBINATIONS: usize = 4096;
/// The work of the transitions of a node.
const NODE: usize = 256;
/// No more transitions than this.
const MOST_TRANSITIONS: usize = 3_000_000;

struct Builder<'a> {
    world: &'a World<'a>,
    analysis: &'a Analysis,
    events: Option<&'a [Event]>,
    net: Net,
    index: HashMap<Counter, u32>,
    created: HashMap<(u32, u32, u32), u32>,
}

/// Builds the net. With events, transitions that are one of them are progress; without, those at progress labels.
pub fn build(
    world: &World<'_>,
    analysis: &Analysis,
    config: &Config,
    events: Option<&[Event]>,
    budget: &Budget,
) -> Result<Net, Reason> {
    let net = Net {
        counters: Vec::new(),
        transitions: Vec::new(),
        of_instance: Vec::new(),
        ids: (0..analysis.instances.len() as u32).collect(),
        graph_nodes: Vec::new(),
        first: Vec::new(),
        followed: followed(world, analysis, config),
        numbers: numbers(world, analysis, config),
        first_distance: Vec::new(),
        first_count: Vec::new(),
        failures: HashSet::new(),
    };
    let created = analysis.creations.iter().map(|c| ((c.creator, c.node, c.edge), c.instance)).collect();
    let mut builder = Builder { world, analysis, events, net, index: HashMap::new(), created };
    for id in 0..analysis.instances.len() as u32 {
        builder.instance(id, budget)?;
    }
    builder.count_first();
    known::retain(&mut builder.net, analysis, budget)?;
    Ok(builder.net)
}

impl Builder<'_> {
    fn counter(&mut self, counter: Counter) -> u32 {
        *self.index.entry(counter).or_insert_with(|| {
            self.net.counters.push(counter);
            self.net.counters.len() as u32 - 1
        })
    }

    fn instance(&mut self, id: u32, budget: &Budget) -> Result<(), Reason> {
        let instance = &self.analysis.instances[id as usize];
        let begin = self.net.transitions.len() as u32;
        let own = |n: &&Number| n.instance.is_none() || n.instance == Some(id);
        let numbers: Vec<(u32, Number)> =
            (0..).zip(&self.net.numbers).filter(|(_, n)| own(n)).map(|(i, n)| (i, n.clone())).collect();
        for node in 0..instance.nodes.len() as u32 {
            budget.spend(NODE)?;
            self.node(id, node, &numbers)?;
        }
        let end = self.net.transitions.len() as u32;
        self.net.of_instance.push(begin..end);
        self.net.graph_nodes.push(if instance.many { 1 } else { instance.nodes.len() as u32 });
        self.net.first.push(if instance.many { vec![0] } else { instance.first.clone() });
        Ok(())
    }

    fn node(&mut self, id: u32, node: u32, numbers: &[(u32, Number)]) -> Result<(), Reason> {
        let instance = &self.analysis.instances[id as usize];
        let here = &instance.nodes[node as usize];
        let touched = self.touched(id, node);
        let plain: Vec<Number> = numbers.iter().map(|(_, n)| n.clone()).collect();
        let mut known = HashSet::new();
        for choice in self.combinations(&touched)? {
            let stepper = Stepper {
                world: self.world,
                facts: &self.analysis.facts,
                machine: instance.machine,
                pid: &instance.pid,
                numbers: &plain,
                watched: &[],
                seen: std::cell::RefCell::new(Seen::default()),
            };
            let shared: Vec<(u32, Values)> = touched
                .iter()
                .zip(&choice)
                .map(|(&f, &v)| {
                    let followed = &self.net.followed[f as usize];
                    (followed.slot, values::single(followed.values[v as usize]))
                })
                .collect();
            let steps = stepper.steps(here.at, &here.values, &shared);
            for traffic in &stepper.seen.into_inner().failed {
                self.net.failures.insert(Failure::new(id, node, traffic));
            }
            for step in steps {
                self.fail(id, node, &step);
                self.add(id, node, &step, &touched, &choice, numbers, &mut known);
            }
        }
        if self.net.transitions.len() > MOST_TRANSITIONS {
            return Err(Reason::NotProvable(format!("the model has more than {MOST_TRANSITIONS} transitions")));
        }
        Ok(())
    }

    /// A process that has nowhere to start cannot be created.
    fn fail(&mut self, id: u32, node: u32, step: &Step) {
        let stillborn = |edge: EdgeId| {
            let created = self.created.get(&(id, node, edge.0));
            created.is_none_or(|&instance| self.analysis.instances[instance as usize].first.is_empty())
        };
        if let Some(traffic) = step.sent_before()
            && step.created.iter().any(|created| stillborn(created.edge))
        {
            self.net.failures.insert(Failure::new(id, node, traffic));
        }
    }

    /// The transitions of a step.
    #[allow(clippy::too_many_arguments)]
    fn add(
        &mut self,
        id: u32,
        node: u32,
        step: &Step,
        touched: &[u32],
        choice: &[u32],
        numbers: &[(u32, Number)],
        known: &mut HashSet<TransitionKey>,
    ) {
        let progress = self.is_progress(id, node, step);
        let many = self.analysis.instances[id as usize].many;
        let targets = self.analysis.nodes_of(id, step.to, &step.locals);
        let mut common: BTreeMap<u32, i64> = BTreeMap::new();
        for ((index, _), &growth) in numbers.iter().zip(&step.growth) {
            if growth != 0 {
                let counter = self.counter(Counter::Distance(*index));
                *common.entry(counter).or_default() += growth;
            }
        }
        for created in &step.created {
            let Some(&instance) = self.created.get(&(id, node, created.edge.0)) else { continue };
            if self.analysis.instances[instance as usize].many {
                // It starts at one of its first nodes; counting all of them errs on the side of more.
                for first in self.analysis.instances[instance as usize].first.clone() {
                    let counter = self.counter(Counter::Processes(instance, first));
                    *common.entry(counter).or_default() += 1;
                }
            }
        }
        let moves = self.moves(step, touched, choice);
        let lengths: Vec<Length> = step.lengths.iter().map(|(&what, &length)| (what, length)).collect();
        for traffic in self.split(&step.traffic) {
            for &to in &targets {
                for moves in &moves {
                    let mut effects = common.clone();
                    for &(counter, change) in &traffic {
                        *effects.entry(counter).or_default() += change;
                    }
                    for &(followed, from, to) in moves.iter().filter(|(_, from, to)| from != to) {
                        let (before, after) = (Counter::Value(followed, from), Counter::Value(followed, to));
                        *effects.entry(self.counter(before)).or_default() -= 1;
                        *effects.entry(self.counter(after)).or_default() += 1;
                    }
                    if many {
                        let counter = self.counter(Counter::Processes(id, node));
                        *effects.entry(counter).or_default() -= 1;
                        if step.to != Point::Gone {
                            let counter = self.counter(Counter::Processes(id, to));
                            *effects.entry(counter).or_default() += 1;
                        }
                    }
                    let effects: Vec<(u32, i64)> = effects.into_iter().filter(|(_, change)| *change != 0).collect();
                    let (from, to) = if many { (0, 0) } else { (node, to) };
                    if known.insert((to, effects.clone(), moves.clone(), progress, lengths.clone())) {
                        let (edges, moves, lengths) = (step.edges.clone(), moves.clone(), lengths.clone());
                        self.net.transitions.push(Transition {
                            instance: id,
                            from,
                            to,
                            node,
                            effects,
                            moves,
                            edges,
                            progress,
                            lengths,
                        });
                    }
                }
            }
        }
    }

    /// The counters that traffic changes, for every choice of atoms.
    fn split(&mut self, traffic: &[Traffic]) -> Vec<Vec<(u32, i64)>> {
        let mut found: Vec<Vec<(u32, i64)>> = vec![Vec::new()];
        for message in traffic {
            let (queue, atoms, change) = match message {
                Traffic::Sent(queue, fields) => {
                    let facts = &self.analysis.facts.queues[*queue as usize];
                    let atoms = facts.split(fields).iter().filter_map(|(c, _)| facts.atom(c)).collect();
                    (*queue, atoms, 1)
                }
                Traffic::Taken(queue, atom) => (*queue, vec![*atom], -1),
            };
            let counters: Vec<u32> = atoms.into_iter().map(|atom| self.message(queue, atom)).collect();
            found =
                found.iter().flat_map(|f| counters.iter().map(move |&c| [&f[..], &[(c, change)]].concat())).collect();
        }
        found
    }

    fn message(&mut self, queue: u32, atom: u32) -> u32 {
        let channel_type = self.analysis.facts.queues[queue as usize].channel_type;
        let rendezvous = self.world.network.channel_types[channel_type.index()].is_rendezvous();
        self.counter(if rendezvous { Counter::Rendezvous(queue, atom) } else { Counter::Message(queue, atom) })
    }

    /// How the followed variables move, for every value that they can have after the step.
    fn moves(&self, step: &Step, touched: &[u32], choice: &[u32]) -> Vec<Vec<(u32, u32, u32)>> {
        let mut found: Vec<Vec<(u32, u32, u32)>> = vec![Vec::new()];
        for (&index, &before) in touched.iter().zip(choice) {
            let followed = &self.net.followed[index as usize];
            let after = match step.shared.iter().find(|(slot, _)| *slot == followed.slot) {
                Some((_, values)) => {
                    let each = (0..).zip(&followed.values).filter(|(_, v)| values::contains(values, **v));
                    each.map(|(i, _)| i).collect()
                }
                None => vec![before],
            };
            found = found
                .iter()
                .flat_map(|f| after.iter().map(move |&a| [&f[..], &[(index, before, a)]].concat()))
                .collect();
        }
        found
    }

    /// Followed variables that statements on the way from a node read or write.
    fn touched(&self, id: u32, node: u32) -> Vec<u32> {
        if self.net.followed.is_empty() {
            return Vec::new();
        }
        let instance = &self.analysis.instances[id as usize];
        let stepper = Stepper {
            world: self.world,
            facts: &self.analysis.facts,
            machine: instance.machine,
            pid: &instance.pid,
            numbers: &[],
            watched: &[],
            seen: std::cell::RefCell::new(Seen::default()),
        };
        let here = &instance.nodes[node as usize];
        let steps = stepper.steps(here.at, &here.values, &[]);
        let mut slots: HashSet<u32> = stepper.seen.into_inner().globals.into_iter().collect();
        slots.extend(steps.iter().flat_map(|s| &s.writes).map(|(slot, _)| *slot));
        (0..).zip(&self.net.followed).filter(|(_, f)| slots.contains(&f.slot)).map(|(i, _)| i).collect()
    }

    /// Every choice of values for some followed variables.
    fn combinations(&self, touched: &[u32]) -> Result<Vec<Vec<u32>>, Reason> {
        let mut found: Vec<Vec<u32>> = vec![Vec::new()];
        for &index in touched {
            let count = self.net.followed[index as usize].values.len() as u32;
            found = found.iter().flat_map(|f| (0..count).map(move |v| [&f[..], &[v]].concat())).collect();
            if found.len() > COMBINATIONS {
                return Err(Reason::NotProvable(String::from("too many values of shared variables to keep apart")));
            }
        }
        Ok(found)
    }

    fn is_progress(&self, id: u32, node: u32, step: &Step) -> bool {
        let instance = &self.analysis.instances[id as usize];
        match self.events {
            None => self.is_seen(instance.machine, instance.nodes[node as usize].at, step),
            Some(events) => events.iter().any(|event| self.happens(event, id, step)),
        }
    }

    /// Whether a step begins or ends at a progress label that is surely seen: there is a state in which the process is there.
    /// In the middle of an atomic sequence there is none, and a rendezvous may hand control on at once.
    fn is_seen(&self, machine: MachineId, from: Point, step: &Step) -> bool {
        let code = self.world.network.machine(machine);
        let labelled = |at: Point| matches!(at, Point::Location(l) if code.locations[l as usize].progress);
        let meets = self.world.network.channel_types.iter().any(model::network::ChannelType::is_rendezvous);
        let hands_over = |edge: &Edge| meets && matches!(edge.action, Action::Send { .. });
        let settles = |edge: &Edge| !edge.atomic && !hands_over(edge);
        let mut arrivals = code.edges.iter().filter(|edge| Point::at(edge.to) == from);
        let before = labelled(from) && !(meets && Point::at(code.initial) == from) && arrivals.all(settles);
        let last = step.edges.last().map(|&id| &code.edges[id.index()]);
        before || labelled(step.to) && last.is_some_and(settles)
    }

    /// Whether an event surely happens in a step.
    fn happens(&self, event: &Event, id: u32, step: &Step) -> bool {
        let instance = &self.analysis.instances[id as usize];
        let network = self.world.network;
        match event {
            Event::Reaches { machine, locations } => {
                instance.machine == *machine
                    && matches!(step.to, Point::Location(l) if locations.iter().any(|x| x.0 == l))
            }
            Event::Message { channel, sent, fields } => step.traffic.iter().any(|traffic| {
                let (queue, values) = match traffic {
                    Traffic::Sent(queue, values) if *sent => (*queue, values),
                    Traffic::Taken(queue, atom) if !*sent => {
                        (*queue, &self.analysis.facts.queues[*queue as usize].atoms[*atom as usize].1)
                    }
                    _ => return false,
                };
                let key = self.analysis.facts.queues[queue as usize].key;
                let named = key.instance.is_none()
                    && network.variables[key.variable as usize].element_name(key.element as usize) == *channel;
                named
                    && fields.len() <= values.len()
                    && fields.iter().zip(values).all(|(f, v)| f.is_none_or(|f| values::constant(v) == Some(f)))
            }),
        }
    }

    /// What there is at the start.
    fn count_first(&mut self) {
        let mut first: BTreeMap<u32, i64> = BTreeMap::new();
        for instance in &self.world.network.instances {
            let many = |i: &crate::analysis::InstanceFacts| i.many && i.machine == instance.machine;
            if let Some(id) = self.analysis.instances.iter().position(many) {
                for node in self.analysis.instances[id].first.clone() {
                    let counter = self.counter(Counter::Processes(id as u32, node));
                    *first.entry(counter).or_default() += 1;
                }
            }
        }
        self.net.first_count =
            (0..self.net.counters.len() as u32).map(|c| first.get(&c).copied().unwrap_or(0)).collect();
        for number in &self.net.numbers {
            let (low, high) = match number.instance {
                None => first_value(self.world, number.slot).map_or((0, 0), |v| (v, v)),
                Some(id) => {
                    let instance = &self.analysis.instances[id as usize];
                    let each = instance.first.iter();
                    let ranges =
                        each.filter_map(|&n| values::bounds(&instance.nodes[n as usize].values[number.slot as usize]));
                    ranges.fold((i32::MAX, i32::MIN), |(l, h), (m, k)| (l.min(m), h.max(k)))
                }
            };
            let (low, high, limit) = (i64::from(low), i64::from(high), i64::from(number.limit));
            self.net.first_distance.push(if number.upwards { limit - low } else { high - limit });
        }
    }
}

type TransitionKey = (u32, Vec<(u32, i64)>, Vec<(u32, u32, u32)>, bool, Vec<Length>);
