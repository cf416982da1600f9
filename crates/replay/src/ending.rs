//! What is wrong at the end of a run of communicating machines, by the definition of the property.
//!
//! An engine says that a run ends badly. Here that is seen again, on the configuration that the network's own semantics
//! came to, without anything of the engine.

use crate::never::never;
use model::chart::Contents;
use model::expr::Expr;
use model::network::{Action, Network};
use model::semantics::{Semantics, Step, Stepper, Successor, awaited};
use model::source::{SourceMap, Span};
use model::trace::Narrator;
use model::verdict::Property;
use scm::{Bad, Regex, Specification};
use std::collections::BTreeSet;

/// The code of a bad configuration.
pub const BAD_CONFIGURATION: &str = "bad-configuration";

/// What is wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ending {
    /// As text.
    pub problem: String,
    /// Its code.
    pub code: &'static str,
    /// Where the bad configurations are written.
    pub span: Option<Span>,
}

/// A configuration: where each machine is, and what is in the queues.
struct Configuration<'a> {
    network: &'a Network,
    locations: Vec<model::ids::LocationId>,
    /// By channel, the values of messages, heads first.
    queues: Vec<Vec<i32>>,
    /// Whether something can move; a loss is not a move.
    moves: bool,
}

/// What is wrong with a state; `None` if the property holds there.
pub fn ending(
    semantics: &Semantics<'_>,
    sources: &SourceMap,
    specification: &Specification,
    property: &Property,
    state: &[u8],
) -> Option<Ending> {
    let network = semantics.network();
    let mut stepper = semantics.stepper();
    if *property == Property::Reception {
        return surprised(&mut stepper, network, state);
    }
    if *property == Property::Orphan {
        return orphan(&mut stepper, network, state);
    }
    if matches!(property, Property::PartialDeadlock | Property::EventualReception) {
        return never(semantics, property, state);
    }
    let mut moves = false;
    stepper.expand(state, None, &mut |next| moves |= !matches!(next.step, Step::Loss { .. })).ok()?;
    stepper.load(state);
    let locations = (0..network.machines.len().min(stepper.loaded_processes())).map(|p| stepper.loaded_place(p).1);
    let channels = Narrator::new(semantics, sources).snapshot(state).channels;
    let queues = channels.iter().map(|channel| channel.messages.iter().map(|name| value(network, name)).collect());
    let configuration = Configuration { network, locations: locations.collect(), queues: queues.collect(), moves };
    let holds = |process: usize, condition: &Expr| stepper.loaded_value(process, condition).is_some_and(|v| v != 0);
    match property {
        Property::Safety => {
            let bad = specification.bad.iter().find(|bad| configuration.is_in(bad, &holds))?;
            let problem = format!("a bad configuration is reached: {}", configuration.in_words(&channels));
            Some(Ending { problem, code: BAD_CONFIGURATION, span: Some(bad.span) })
        }
        Property::Deadlock if configuration.is_deadlock() => {
            Some(Ending { problem: configuration.deadlock_in_words(), code: "invalid-end-state", span: None })
        }
        _ => None,
    }
}

/// The value of a message by its name.
fn value(network: &Network, name: &str) -> i32 {
    let symbols = network.symbol_sets.first().map_or(&[][..], |set| set.symbols.as_slice());
    let found = symbols.iter().position(|symbol| symbol == name).map(|index| index as i32 + 1);
    found.or_else(|| name.parse().ok()).unwrap_or(0)
}

impl Configuration<'_> {
    /// `client in 1, server in 2; 0: [c]`
    fn in_words(&self, channels: &[Contents]) -> String {
        let machines = self.network.machines.iter().zip(&self.locations).map(|(machine, at)| {
            let label = machine.locations[at.index()].labels.first().cloned();
            format!("{} in {}", machine.name, label.unwrap_or_else(|| at.0.to_string()))
        });
        let queues = channels.iter().filter(|channel| !channel.messages.is_empty());
        let queues = queues.map(|channel| format!("{}: [{}]", channel.channel, channel.messages.join(" ")));
        let (machines, queues): (Vec<String>, Vec<String>) = (machines.collect(), queues.collect());
        let queues = if queues.is_empty() { String::from("no messages") } else { queues.join(", ") };
        format!("{}; {queues}", machines.join(", "))
    }

    fn all_ended(&self) -> bool {
        self.network.machines.iter().zip(&self.locations).all(|(m, at)| m.locations[at.index()].edges.is_empty())
    }

    fn all_empty(&self) -> bool {
        self.queues.iter().all(Vec::is_empty)
    }

    fn is_deadlock(&self) -> bool {
        let properly_ended = self.all_ended() && self.all_empty();
        !self.moves && !properly_ended
    }

    fn deadlock_in_words(&self) -> String {
        match self.all_ended() {
            true => String::from("all machines have ended, and a message is left that no machine receives"),
            false => String::from("nothing can move"),
        }
    }

    fn is_in(&self, bad: &Bad, holds: &dyn Fn(usize, &Expr) -> bool) -> bool {
        let mut machines = bad.machines.iter().zip(&self.locations).enumerate();
        let placed = machines.all(|(process, (allowed, at))| {
            allowed.as_ref().is_none_or(|states| {
                let fits = |c: &Option<Expr>| c.as_ref().is_none_or(|c| holds(process, c));
                states.iter().any(|state| state.location == *at && fits(&state.condition))
            })
        });
        placed && bad.queues.as_ref().is_none_or(|language| matches(&language.regex, &self.word()))
    }

    /// The contents of all queues, with 0 between two of them.
    fn word(&self) -> Vec<i32> {
        self.queues.join(&SEPARATOR)
    }
}

/// A process that can only receive, from channels that all have a first message, none of which it takes.
fn surprised(stepper: &mut Stepper<'_>, network: &Network, state: &[u8]) -> Option<Ending> {
    let mut movers = BTreeSet::new();
    let note = &mut |next: Successor<'_>| {
        if let Step::Edge { process, .. } = next.step {
            movers.insert(process as usize);
        }
    };
    stepper.expand(state, None, note).ok()?;
    let messages = stepper.messages(state);
    stepper.load(state);
    let stuck = (0..stepper.loaded_processes()).filter(|process| !movers.contains(process)).find(|&process| {
        let queues = awaited(network, stepper, process);
        let full = |queue: &usize| messages.get(*queue).is_some_and(|queue| !queue.is_empty());
        queues.is_some_and(|queues| queues.iter().all(full))
    })?;
    let name = &network.machine(stepper.loaded_place(stuck).0).name;
    let problem = format!("`{name}` is stuck before a message that it does not take");
    Some(Ending { problem, code: "unspecified-reception", span: None })
}

/// All processes have ended, and a queue holds something.
fn orphan(stepper: &mut Stepper<'_>, network: &Network, state: &[u8]) -> Option<Ending> {
    let left = stepper.messages(state).iter().any(|queue| !queue.is_empty());
    stepper.load(state);
    let ended = (0..stepper.loaded_processes()).all(|process| {
        let (machine, at) = stepper.loaded_place(process);
        network.machine(machine).edges_from(at).all(|edge| matches!(edge.action, Action::End))
    });
    let problem = String::from("all machines have ended, and a message is left");
    (ended && left).then_some(Ending { problem, code: "orphan-message", span: None })
}

const SEPARATOR: i32 = 0;

/// Whether a word is one of a language.
fn matches(regex: &Regex, word: &[i32]) -> bool {
    ends(regex, word, &BTreeSet::from([0])).contains(&word.len())
}

/// Where a word of the language can end that begins at one of some places.
fn ends(regex: &Regex, word: &[i32], starts: &BTreeSet<usize>) -> BTreeSet<usize> {
    let read = |wanted: i32| starts.iter().filter(|&&at| word.get(at) == Some(&wanted)).map(|at| at + 1).collect();
    match regex {
        Regex::Empty => starts.clone(),
        Regex::Message(value) => read(*value),
        Regex::Separator => read(SEPARATOR),
        Regex::Concat(parts) => parts.iter().fold(starts.clone(), |starts, part| ends(part, word, &starts)),
        Regex::Union(parts) => parts.iter().flat_map(|part| ends(part, word, starts)).collect(),
        Regex::Star(inner) => rounds(inner, word, starts.clone()),
        Regex::Plus(inner) => rounds(inner, word, ends(inner, word, starts)),
    }
}

fn rounds(inner: &Regex, word: &[i32], mut reached: BTreeSet<usize>) -> BTreeSet<usize> {
    let mut new = reached.clone();
    while !new.is_empty() {
        new = ends(inner, word, &new).difference(&reached).copied().collect();
        reached.extend(&new);
    }
    reached
}
