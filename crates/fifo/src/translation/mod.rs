//! Networks as plain machines: those of the model, what its data were folded into, or one machine for all processes.
//!
//! An engine for machines knows one kind of proper end: all machines in states without transitions, all queues empty. A
//! model with data has its own. In Promela every process must be at a place where it may stop, and messages may be left; in
//! a file of machines a state that has transitions is none to end in, even if no guard holds. So of folded machines it is
//! asked whether they get stuck in a configuration that is no proper end of the model. It is the same with receptions: a
//! folded machine has transitions for messages that somebody sends, while the model waits for others, too. What must not
//! be is spelled out then as bad configurations: `question`.
//!
//! Results go back the same way: a run becomes steps of the network ([`Translation::steps`]), an invariant a proof about its
//! control states ([`Translation::proof`]). Neither is trusted: the run is replayed, and the proof checked.

mod correspond;
mod lift;
mod plain;
mod product;

pub use lift::Unlifted;
pub use plain::is_plain;

use crate::{Bad, Invariant, Op, Property, Run, System};
use model::budget::Budget;
use model::ids::LocationId;
use model::network::{Action, Network};
use model::queue_proof::QueueProof;
use model::semantics;
use model::source::SourceMap;
use product::Product;
use queues::Regex;
use scm::{Folded, Specification};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// Why a run that only the folded machines can take is none of the model.
const SPLIT: &str = "a run was found that the model cannot take: an atomic sequence uses channels more than once, and \
                     its machines let others come in between";

/// Why a run that only one machine for all can take is none of the model.
const TAKEN: &str = "a run was found that the model cannot take: a process in an atomic sequence is taken to lose control \
                     before a message that is there";

/// A network to be translated.
pub struct Source<'a> {
    /// The network.
    pub network: &'a Network,
    /// The texts that it was read from.
    pub sources: &'a SourceMap,
    /// Its bad configurations.
    pub bad: Specification,
    /// It is a Promela model, and not one of communicating machines: that decides which ends are proper.
    pub promela: bool,
    /// Whether proofs about all processes together can be checked; if not, why.
    pub product: Result<(), String>,
}

/// Plain machines, and what they were made of.
pub struct Translation {
    /// The machines.
    pub system: System,
    promela: bool,
    origin: Origin,
}

/// What plain machines were made of.
enum Origin {
    /// They are those of the model.
    Model,
    /// Each stands for a process with its data.
    Folded(Box<Folded>),
    /// There is one, for all processes together.
    Product(Box<Product>),
}

impl Translation {
    /// The machines of a network, or why there are none.
    pub fn new(source: Source<'_>, budget: &Budget) -> Result<Translation, String> {
        if !source.promela
            && let Ok(system) = plain::system(source.network, &source.bad)
        {
            return Ok(Translation { system, promela: false, origin: Origin::Model });
        }
        let limits = scm::fold::Limits { budget: budget.clone(), ..scm::fold::Limits::default() };
        match scm::fold(source.network, &limits) {
            // Where folding splits atomic sequences, one machine that does not is better.
            Ok(folded) if source.promela && !folded.is_exact() => {
                Translation::product(&source, budget).or_else(|_| Translation::folded(source, folded))
            }
            Ok(folded) => Translation::folded(source, folded),
            Err(refusal) => {
                let folding = format!("{refusal} ({})", source.sources.describe(refusal.span));
                if !source.promela {
                    return Err(folding);
                }
                Translation::product(&source, budget).map_err(|why| format!("{folding}; {why}"))
            }
        }
    }

    /// One machine for all processes together.
    fn product(source: &Source<'_>, budget: &Budget) -> Result<Translation, String> {
        source.product.clone()?;
        let product = product::product(source.network, budget)?;
        let system = product.system.clone();
        Ok(Translation { system, promela: source.promela, origin: Origin::Product(Box::new(product)) })
    }

    /// The machines that a network was folded into.
    fn folded(source: Source<'_>, folded: Folded) -> Result<Translation, String> {
        let Source { network, bad, promela, .. } = source;
        let mut specification = folded.specification(network, &bad);
        specification.bad.extend(folded.errors().bad);
        let system = plain::system(&folded.network, &specification)
            .map_err(|plain::HasData| String::from("the model has data that cannot be folded into states"))?;
        Ok(Translation { system, promela, origin: Origin::Folded(Box::new(folded)) })
    }

    /// The machines and the property that stand for a property of the model.
    pub fn question(&self, network: &Network, property: Property) -> (Cow<'_, System>, Property) {
        let found = match &self.origin {
            Origin::Model => None,
            Origin::Folded(folded) => self.improper(folded, network, property),
            Origin::Product(product) => product.bad(property),
        };
        match found {
            Some((bad, question)) => (Cow::Owned(System { bad, ..self.system.clone() }), question),
            None => (Cow::Borrowed(&self.system), property),
        }
    }

    /// The steps of the network that a run of the machines stands for.
    pub fn steps(&self, run: &Run) -> Vec<semantics::Step> {
        match &self.origin {
            Origin::Model => plain::steps(&self.system, run),
            Origin::Folded(folded) => folded.replay(&plain::steps(&self.system, run)),
            Origin::Product(product) => product.steps(run),
        }
    }

    /// Whether the machines are those of the model.
    pub fn is_model(&self) -> bool {
        matches!(self.origin, Origin::Model)
    }

    /// Why a run of the machines may be none of the network, if it may.
    pub fn inexact(&self) -> Option<&'static str> {
        match &self.origin {
            Origin::Folded(folded) if !folded.is_exact() => Some(SPLIT),
            Origin::Product(_) => Some(TAKEN),
            _ => None,
        }
    }

    /// An invariant of the machines as a proof about the network. `bad` are bad configurations that were given, as text.
    pub fn proof(
        &self,
        network: &Network,
        mut invariant: Invariant,
        bad: &[String],
        limits: queues::Limits,
    ) -> Result<QueueProof, Unlifted> {
        match &self.origin {
            Origin::Model => Ok(invariant.proof(bad)),
            Origin::Folded(folded) => lift::lift(network, folded, invariant, bad, limits),
            Origin::Product(product) => {
                invariant.languages.set_limits(limits);
                Ok(product.proof(invariant)?)
            }
        }
    }

    /// What is bad for folded machines, where the model has its own kinds of ends.
    fn improper(&self, folded: &Folded, network: &Network, property: Property) -> Instead {
        let letters = self.system.alphabet.len();
        Some(match property {
            Property::Deadlock if self.promela => (improper(folded, &valid_ends(folded)), Property::Stuck),
            Property::Deadlock => {
                let ends = without_transitions(network, folded);
                let mut bad = improper(folded, &ends);
                bad.extend(left_over(folded, &ends, letters));
                (bad, Property::Stuck)
            }
            Property::Orphan => {
                let ends = without_transitions(network, folded);
                (left_over(folded, &ends, letters), Property::BadStates)
            }
            Property::Reception => (surprises(network, folded, letters), Property::BadStates),
            _ => return None,
        })
    }
}

/// What is bad instead of what the model says is, and what is asked of it.
type Instead = Option<(Vec<Bad>, Property)>;

/// By machine, the states that are no errors.
fn real_states(folded: &Folded) -> impl Iterator<Item = Vec<usize>> + '_ {
    folded.processes.iter().map(|process| {
        let real = process.states.iter().enumerate().filter(|(_, state)| !state.fault);
        real.map(|(index, _)| index).collect()
    })
}

/// By machine and state: whether a process may stop there.
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
fn improper(folded: &Folded, ends: &[Vec<bool>]) -> Vec<Bad> {
    let real: Vec<Vec<usize>> = real_states(folded).collect();
    let bad = (0..real.len()).map(|machine| {
        let mut states: Vec<Option<Vec<usize>>> = real.iter().cloned().map(Some).collect();
        states[machine] = Some(real[machine].iter().copied().filter(|&state| !ends[machine][state]).collect());
        Bad { states, queues: None }
    });
    bad.collect()
}

/// Configurations in which all machines are where they may stop, and a queue holds something.
fn left_over(folded: &Folded, ends: &[Vec<bool>], letters: usize) -> Vec<Bad> {
    let stopped = real_states(folded).zip(ends);
    let stopped = stopped.map(|(real, ends)| Some(real.into_iter().filter(|&state| ends[state]).collect()));
    let states: Vec<Option<Vec<usize>>> = stopped.collect();
    let bad = (0..folded.queues.len()).map(|full| {
        let queues = beginning(folded.queues.len(), letters, &BTreeMap::from([(full, BTreeSet::new())]));
        Bad { states: states.clone(), queues: Some(queues) }
    });
    bad.collect()
}

/// Queues and the letters that must not be at their heads, although something must.
type Heads = BTreeMap<usize, BTreeSet<u32>>;

/// The contents with other heads than those.
fn beginning(queues: usize, letters: usize, heads: &Heads) -> Regex {
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
fn surprises(network: &Network, folded: &Folded, letters: usize) -> Vec<Bad> {
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
                if let Ok(Op::Receive(queue, letter)) = plain::op(&edge.action) {
                    heads.entry(queue).or_default().insert(letter);
                }
            }
            states.entry(heads).or_default().push(state);
        }
        bad.extend(states.into_iter().map(|(heads, states)| {
            let mut wanted = vec![None; folded.network.machines.len()];
            wanted[machine] = Some(states);
            Bad { states: wanted, queues: Some(beginning(folded.queues.len(), letters, &heads)) }
        }));
    }
    bad
}
