//! What the engine tells: queues with their bounds, and combinations of cycles with places in the source.

use crate::analysis::Analysis;
use crate::net::{Counter, Net};
use crate::prove::Counterexample;
use crate::world::World;
use linear::{Rational, common_denominator};
use model::flow_proof::{FlowProof, Origin, QueueKey, Values};
use model::ids::{EdgeId, MachineId};
use model::source::Span;
use model::verdict::Reason;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::time::Duration;

/// A queue, and what was proved of it.
#[derive(Clone, Debug)]
pub struct QueueReport {
    /// Its number in the abstraction.
    pub queue: u32,
    /// Its name in the source: `ts[0]`, `P[2]:c`, `P[*]:c`.
    pub name: String,
    /// The declared capacity.
    pub declared: Option<u32>,
    /// It is proved to stay finite.
    pub bounded: bool,
    /// It never holds more than this.
    pub at_most: Option<u64>,
    /// The messages that can be in it.
    pub messages: Vec<String>,
    /// Who sends.
    pub senders: Vec<String>,
    /// Who receives.
    pub receivers: Vec<String>,
    /// Where it is declared.
    pub span: Span,
}

/// A cycle of a combination.
#[derive(Clone, Debug)]
pub struct CycleReport {
    /// The process that takes it.
    pub process: String,
    /// Its type.
    pub machine: MachineId,
    /// Its edges, in order.
    pub edges: Vec<EdgeId>,
    /// How often it is taken, relative to the others.
    pub times: String,
    /// What one round adds to the queues.
    pub effects: Vec<(String, i64)>,
}

/// What became of one combination of cycles.
#[derive(Clone, Debug)]
pub struct Combination {
    /// The processes whose cycles it combines.
    pub processes: Vec<String>,
    /// How many cycles.
    pub cycles: usize,
    /// What it adds to.
    pub grows: Vec<String>,
    /// What was looked at more closely because of it; none if there was nothing left.
    pub refined: Option<Vec<String>>,
}

/// The answer of the engine.
#[derive(Clone, Debug)]
pub struct Report {
    /// Everything asked is proved.
    pub complete: bool,
    /// With more time, bounds might be smaller.
    pub hurried: bool,
    /// What is proved, if anything.
    pub proof: Option<FlowProof>,
    /// Why not everything is.
    pub reason: Option<Reason>,
    /// Buffered queues.
    pub queues: Vec<QueueReport>,
    /// The unrefuted combination.
    pub cycles: Vec<CycleReport>,
    /// What it adds to: queues, and process types without bound.
    pub grows: Vec<String>,
    /// Process types of which there may be any number, for all that is proved.
    pub any_number: Vec<String>,
    /// The edges that it takes.
    pub guide: HashSet<(MachineId, EdgeId)>,
    /// The combinations on the way.
    pub combinations: Vec<Combination>,
    /// Nodes, transitions, kinds of messages.
    pub sizes: Sizes,
}

/// How large the problem was.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sizes {
    /// Processes, or groups of them.
    pub instances: usize,
    /// Points.
    pub nodes: usize,
    /// Transitions between them.
    pub transitions: usize,
    /// Kinds of messages.
    pub messages: usize,
    /// Linear problems that were solved.
    pub problems: usize,
    /// Elementary cycles, where they were enumerated.
    pub cycles: Option<usize>,
    /// Different effects of them.
    pub effect_vectors: Option<usize>,
    /// How long the bounds took, after the proof.
    pub bounds_time: Duration,
}

impl Report {
    /// Nothing is known.
    pub fn empty() -> Self {
        Report {
            complete: false,
            hurried: false,
            proof: None,
            reason: None,
            queues: Vec::new(),
            cycles: Vec::new(),
            grows: Vec::new(),
            any_number: Vec::new(),
            guide: HashSet::new(),
            combinations: Vec::new(),
            sizes: Sizes::default(),
        }
    }

    /// The queues, and which are proved to be bounded.
    pub(crate) fn new(world: &World<'_>, analysis: &Analysis, net: &Net, bounded: &[bool]) -> Self {
        let mut report = Report::empty();
        report.sizes = Sizes {
            instances: analysis.instances.len(),
            nodes: analysis.instances.iter().map(|i| i.nodes.len()).sum(),
            transitions: net.transitions.len(),
            messages: analysis.facts.queues.iter().map(|q| q.atoms.len()).sum(),
            ..Sizes::default()
        };
        let mut senders: BTreeMap<u32, BTreeSet<String>> = BTreeMap::new();
        let mut receivers: BTreeMap<u32, BTreeSet<String>> = BTreeMap::new();
        for transition in &net.transitions {
            for &(counter, change) in &transition.effects {
                if let Counter::Message(queue, _) = net.counters[counter as usize] {
                    let machine = analysis.instances[transition.instance as usize].machine;
                    let name = world.network.machine(machine).name.clone();
                    let side = if change > 0 { &mut senders } else { &mut receivers };
                    side.entry(queue).or_default().insert(name);
                }
            }
        }
        for (queue, facts) in (0u32..).zip(&analysis.facts.queues) {
            let channel_type = &world.network.channel_types[facts.channel_type.index()];
            if channel_type.is_rendezvous() {
                continue;
            }
            let names =
                |side: &BTreeMap<u32, BTreeSet<String>>| side.get(&queue).into_iter().flatten().cloned().collect();
            report.queues.push(QueueReport {
                queue,
                name: queue_name(world, analysis, facts.key),
                declared: channel_type.capacity,
                bounded: bounded.get(queue as usize).copied().unwrap_or(false),
                at_most: None,
                messages: (0..facts.atoms.len()).map(|atom| message_name(world, analysis, queue, atom)).collect(),
                senders: names(&senders),
                receivers: names(&receivers),
                span: channel_type.span,
            });
        }
        report
    }

    /// Takes over an unrefuted combination.
    pub(crate) fn show(&mut self, world: &World<'_>, analysis: &Analysis, net: &Net, found: &Counterexample) {
        let times: Vec<Rational> = found.cycles.iter().map(|(_, times)| times.clone()).collect();
        let whole = common_denominator(&times);
        for (cycle, times) in &found.cycles {
            let Some(&first) = cycle.first() else { continue };
            let instance = net.transitions[first as usize].instance;
            let mut effects: BTreeMap<String, i64> = BTreeMap::new();
            let mut edges = Vec::new();
            for &t in cycle {
                let transition = &net.transitions[t as usize];
                edges.extend(&transition.edges);
                for &(counter, change) in &transition.effects {
                    if let Some(name) = counter_name(world, analysis, net.counters[counter as usize]) {
                        *effects.entry(name).or_default() += change;
                    }
                }
            }
            let machine = analysis.instances[instance as usize].machine;
            self.guide.extend(edges.iter().map(|&e| (machine, e)));
            self.cycles.push(CycleReport {
                process: process_name(world, analysis, instance),
                machine,
                edges,
                times: (times * &whole).to_string(),
                effects: effects.into_iter().filter(|(_, change)| *change != 0).collect(),
            });
        }
        self.grows = grows(world, analysis, net, found);
    }
}

impl Combination {
    pub(crate) fn new(
        world: &World<'_>,
        analysis: &Analysis,
        net: &Net,
        found: &Counterexample,
        refined: Option<Vec<String>>,
    ) -> Self {
        let instances: BTreeSet<u32> =
            found.transitions().iter().map(|&t| net.transitions[t as usize].instance).collect();
        let names: BTreeSet<String> = instances.iter().map(|&i| process_name(world, analysis, i)).collect();
        Combination {
            processes: names.into_iter().collect(),
            cycles: found.cycles.len(),
            grows: grows(world, analysis, net, found),
            refined,
        }
    }
}

/// What a combination adds to.
fn grows(world: &World<'_>, analysis: &Analysis, net: &Net, found: &Counterexample) -> Vec<String> {
    let effect = found.effect(net);
    let mut names = BTreeSet::new();
    for (&counter, _) in effect.iter().filter(|(_, change)| change.is_positive()) {
        match net.counters[counter as usize] {
            Counter::Message(queue, _) => {
                names.insert(queue_name(world, analysis, analysis.facts.queues[queue as usize].key));
            }
            Counter::Processes(instance, _) => {
                let machine = analysis.instances[instance as usize].machine;
                names.insert(format!("processes of {}", world.network.machine(machine).name));
            }
            _ => {}
        }
    }
    names.into_iter().collect()
}

/// The name of an instance in the list of cycles, which tells all of them apart: `P[1]`, or `P[*]` for any number.
pub fn instance_name(world: &World<'_>, analysis: &Analysis, instance: u32) -> String {
    let facts = &analysis.instances[instance as usize];
    let name = &world.network.machine(facts.machine).name;
    if facts.many { format!("{name}[*]") } else { format!("{name}[{instance}]") }
}

/// The name of a process as runs have it: `P[1]` with its `_pid`, or `P[*]` for one that `run` creates, whose `_pid` a run
/// decides.
fn process_name(world: &World<'_>, analysis: &Analysis, instance: u32) -> String {
    let facts = &analysis.instances[instance as usize];
    match facts.origin {
        Origin::Initial(_) => instance_name(world, analysis, instance),
        Origin::Run => format!("{}[*]", world.network.machine(facts.machine).name),
    }
}

/// The name of a queue.
pub fn queue_name(world: &World<'_>, analysis: &Analysis, key: QueueKey) -> String {
    let (variable, element) = (key.variable as usize, key.element as usize);
    match key.instance {
        None => world.network.variables[variable].element_name(element),
        Some(id) => {
            let machine = world.network.machine(analysis.instances[id as usize].machine);
            format!("{}:{}", process_name(world, analysis, id), machine.variables[variable].element_name(element))
        }
    }
}

/// The name of a kind of message: its distinguished fields.
fn message_name(world: &World<'_>, analysis: &Analysis, queue: u32, atom: usize) -> String {
    let facts = &analysis.facts.queues[queue as usize];
    let types = &world.network.channel_types[facts.channel_type.index()].fields;
    let (classes, values) = &facts.atoms[atom];
    let fields: Vec<String> = classes
        .iter()
        .zip(values)
        .zip(types)
        .zip(&facts.constants)
        .map(|(((&class, values), &ty), constants)| match (constants.get(class as usize), values) {
            (Some(&constant), _) => world.network.show_value(ty, constant),
            (None, Values::Set(numbers)) if numbers.len() == 1 => world.network.show_value(ty, numbers[0]),
            _ => String::from("_"),
        })
        .collect();
    match fields.as_slice() {
        [] => String::new(),
        [only] => only.clone(),
        [first, rest @ ..] => format!("{first}({})", rest.join(",")),
    }
}

/// The name of a counter of messages or processes.
pub(crate) fn counter_name(world: &World<'_>, analysis: &Analysis, counter: Counter) -> Option<String> {
    match counter {
        Counter::Message(queue, atom) => {
            let name = queue_name(world, analysis, analysis.facts.queues[queue as usize].key);
            Some(format!("{name}: {}", message_name(world, analysis, queue, atom as usize)))
        }
        Counter::Processes(instance, _) => {
            Some(format!("processes of {}", world.network.machine(analysis.instances[instance as usize].machine).name))
        }
        _ => None,
    }
}
