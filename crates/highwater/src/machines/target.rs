//! The plain machines that the engine is asked about: those of the model, what its data were folded into, or one machine for
//! the whole of it.
//!
//! An engine for machines knows one kind of proper end: all machines in states without transitions, all queues empty. A
//! model with data has its own. In Promela every process must be at a place where it may stop, and messages may be left; in
//! a file of machines a state that has transitions is none to end in, even if no guard holds. So of folded machines it is
//! asked whether they get stuck in a configuration that is no proper end of the model. It is the same with receptions: a
//! folded machine has transitions for messages that somebody sends, while the model waits for others, too. What must not
//! be is spelled out then as bad configurations: `question`.

use super::system;
use super::whole::{Whole, whole};
use fifo::{Op, System};
use model::budget::Budget;
use model::ids::LocationId;
use model::network::{Action, Network};
use queues::Regex;
use scm::{Folded, Specification};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// Plain machines, and what they were made of.
pub struct Target {
    pub system: System,
    /// The bad configurations of the plain machines.
    pub specification: Specification,
    pub origin: Origin,
}

/// What plain machines were made of.
pub enum Origin {
    /// They are those of the model.
    Model,
    /// Each stands for a process with its data.
    Folded(Box<Folding>),
    /// There is one, for all processes together.
    Whole(Box<Whole>),
}

/// The way back to a model with data.
pub struct Folding {
    pub folded: Folded,
    /// The bad configurations of the model itself.
    pub original: Specification,
    /// By whose rules an end is a proper one.
    promela: bool,
}

impl Target {
    /// The machines of a network without data.
    pub fn plain(network: &Network, specification: Specification) -> Result<Target, String> {
        let system = made(network, &specification)?;
        Ok(Target { system, specification, origin: Origin::Model })
    }

    /// One machine for all processes of a network together.
    pub fn whole(network: &Network, budget: &Budget) -> Result<Target, String> {
        let whole = whole(network, budget)?;
        let (system, specification) = (whole.system.clone(), Specification::default());
        Ok(Target { system, specification, origin: Origin::Whole(Box::new(whole)) })
    }

    /// The machines that a network was folded into. `promela` says which ends are proper ones.
    pub fn folded(network: &Network, folded: Folded, original: Specification, promela: bool) -> Result<Target, String> {
        let mut specification = folded.specification(network, &original);
        specification.bad.extend(folded.errors().bad);
        let system = made(&folded.network, &specification)?;
        let origin = Origin::Folded(Box::new(Folding { folded, original, promela }));
        Ok(Target { system, specification, origin })
    }

    /// The machines and the question that stand for a property of the model.
    pub fn question(&self, network: &Network, property: fifo::Property) -> (Cow<'_, System>, fifo::Property) {
        let found = match &self.origin {
            Origin::Model => None,
            Origin::Folded(folding) => folding.bad(network, property, self.system.alphabet.len()),
            Origin::Whole(whole) => whole.bad(property),
        };
        match found {
            Some((bad, question)) => (Cow::Owned(System { bad, ..self.system.clone() }), question),
            None => (Cow::Borrowed(&self.system), property),
        }
    }
}

/// What is bad instead of what the model says is, and what is asked of it.
pub type Instead = Option<(Vec<fifo::Bad>, fifo::Property)>;

impl Folding {
    fn bad(&self, network: &Network, property: fifo::Property, letters: usize) -> Instead {
        let folded = &self.folded;
        Some(match property {
            fifo::Property::Deadlock if self.promela => (improper(folded, &valid_ends(folded)), fifo::Property::Stuck),
            fifo::Property::Deadlock => {
                let ends = without_transitions(network, folded);
                let mut bad = improper(folded, &ends);
                bad.extend(left_over(folded, &ends, letters));
                (bad, fifo::Property::Stuck)
            }
            fifo::Property::Orphan => {
                let ends = without_transitions(network, folded);
                (left_over(folded, &ends, letters), fifo::Property::BadStates)
            }
            fifo::Property::Reception => (surprises(network, folded, letters), fifo::Property::BadStates),
            _ => return None,
        })
    }
}

fn made(network: &Network, specification: &Specification) -> Result<System, String> {
    system::system(network, specification)
        .map_err(|system::HasData| String::from("the model has data that cannot be folded into states"))
}

/// By machine, the states that are no errors.
fn real_states(folded: &Folded) -> impl Iterator<Item = Vec<usize>> + '_ {
    folded.processes.iter().map(|process| {
        let real = process.states.iter().enumerate().filter(|(_, state)| !state.fault);
        real.map(|(index, _)| index).collect()
    })
}

/// By machine and state: whether a process may stop there for ever.
fn valid_ends(folded: &Folded) -> Vec<Vec<bool>> {
    let machines = folded.network.machines.iter();
    machines.map(|machine| machine.locations.iter().map(|location| location.end).collect()).collect()
}

/// By machine and state: whether the state of the model has no transitions, but for the end of a process.
fn without_transitions(network: &Network, folded: &Folded) -> Vec<Vec<bool>> {
    let processes = folded.processes.iter().map(|process| {
        let machine = network.machine(process.machine);
        let ended = |at: LocationId| machine.edges_from(at).all(|edge| matches!(edge.action, Action::End));
        process.states.iter().map(|state| ended(state.location)).collect()
    });
    processes.collect()
}

/// Configurations of the model in which some process is where it must not stop.
fn improper(folded: &Folded, ends: &[Vec<bool>]) -> Vec<fifo::Bad> {
    let real: Vec<Vec<usize>> = real_states(folded).collect();
    let bad = (0..real.len()).map(|machine| {
        let mut states: Vec<Option<Vec<usize>>> = real.iter().cloned().map(Some).collect();
        states[machine] = Some(real[machine].iter().copied().filter(|&state| !ends[machine][state]).collect());
        fifo::Bad { states, queues: None }
    });
    bad.collect()
}

/// Configurations in which all machines are where they may stop, and a queue holds something.
fn left_over(folded: &Folded, ends: &[Vec<bool>], letters: usize) -> Vec<fifo::Bad> {
    let stopped = real_states(folded).zip(ends);
    let stopped = stopped.map(|(real, ends)| Some(real.into_iter().filter(|&state| ends[state]).collect()));
    let states: Vec<Option<Vec<usize>>> = stopped.collect();
    let bad = (0..folded.queues.len()).map(|full| {
        let queues = beginning(folded.queues.len(), letters, &BTreeMap::from([(full, BTreeSet::new())]));
        fifo::Bad { states: states.clone(), queues: Some(queues) }
    });
    bad.collect()
}

/// Queues and the letters that must not be at their heads, although something must.
pub type Heads = BTreeMap<usize, BTreeSet<u32>>;

/// The contents with other heads than those.
pub fn beginning(queues: usize, letters: usize, heads: &Heads) -> Regex {
    let mut parts = Vec::new();
    for queue in 0..queues {
        parts.extend((queue > 0).then_some(Regex::Separator));
        if let Some(taken) = heads.get(&queue) {
            let others = (0..letters as u32).filter(|letter| !taken.contains(letter));
            parts.push(Regex::Alt(others.map(Regex::Letter).collect()));
        }
        parts.push(Regex::any(0..letters as u32));
    }
    Regex::Concat(parts)
}

/// Configurations in which a machine waits for messages, and others are there.
fn surprises(network: &Network, folded: &Folded, letters: usize) -> Vec<fifo::Bad> {
    let mut bad = Vec::new();
    for (machine, made) in folded.network.machines.iter().enumerate() {
        let mut states: BTreeMap<Heads, Vec<usize>> = BTreeMap::new();
        for (state, location) in made.locations.iter().enumerate() {
            let mut heads: Heads =
                folded.awaited(network, machine, state).into_iter().map(|queue| (queue, BTreeSet::new())).collect();
            if heads.is_empty() {
                continue;
            }
            for edge in location.edges.iter().map(|edge| &made.edges[edge.index()]) {
                if let Ok(Op::Receive(queue, letter)) = system::op(&edge.action) {
                    heads.entry(queue).or_default().insert(letter);
                }
            }
            states.entry(heads).or_default().push(state);
        }
        bad.extend(states.into_iter().map(|(heads, states)| {
            let mut wanted = vec![None; folded.network.machines.len()];
            wanted[machine] = Some(states);
            fifo::Bad { states: wanted, queues: Some(beginning(folded.queues.len(), letters, &heads)) }
        }));
    }
    bad
}
