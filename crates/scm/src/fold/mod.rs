//! Finite data folded into states: from a network with variables to plain communicating machines.
//!
//! A machine of the result is one process of the network; a state of it is a location with the values of the process's
//! variables; a message is a tuple of values. What a process may receive depends on what others may send, so the
//! states of all processes are found together: each is run on its own, a receive takes whatever tuple somebody has
//! been seen to send there, until nothing new turns up (`closure`). That may find states which the system never
//! reaches, and harms no process: the machines do exactly what the processes do.
//!
//! What fits: buffered channels that live as long as the system, read without their limits; data of processes, with
//! few enough values; processes that are there from the start, or are created by one process before it does anything
//! else (`processes`); global variables that are constants or belong to one process (`sharing`). Everything else is
//! refused with its place: rendezvous, shared variables, `timeout`, lengths of channels, receives from the middle of a
//! queue, and so on.
//!
//! Deterministic steps and atomic sequences become one transition, as long as that has one use of a channel. An atomic
//! sequence with more is split, and others may come in between: then the result can do more than the network, and
//! [`Folded::approximations`] says where. A proof that something is never reached still holds; a run has to be replayed
//! on the network, as it should be anyway.
//!
//! The end of a process is no step here: a process that has ended stays in a state without transitions. An error at run
//! time leads to a state of its own, with nothing after it: [`Folded::faults`]. A configuration with a machine there is
//! none of the network. After a failed assertion the network goes on; so do the machines, by a second transition.

mod build;
mod closure;
mod processes;
mod sharing;
mod step;
mod values;

use crate::print::NotExpressible;
use crate::specification::{Allowed, Bad, Regex, Specification};
use model::budget::Budget;
use model::ids::{ChannelTypeId, EdgeId, LocationId, MachineId};
use model::network::{Network, ScalarType};
use model::semantics::Step;
use model::source::Span;
use step::{Sent, Walker};
use values::{Seer, Store};

/// How far folding goes.
#[derive(Clone, Debug)]
pub struct Limits {
    /// The most states of all processes together.
    pub states: usize,
    /// The most messages.
    pub messages: usize,
    /// The most steps taken to find them, where a step over many values counts as several.
    pub steps: usize,
    /// The most values of variables in all states together: the memory it may take.
    pub values: usize,
    /// When to stop at the latest.
    pub budget: Budget,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { states: 50_000, messages: 2_000, steps: 5_000_000, values: 50_000_000, budget: Budget::unlimited() }
    }
}

/// A network without data, and how it goes back to the one that it was made of.
#[derive(Clone, Debug)]
pub struct Folded {
    /// One machine per process, in the order of their numbers; channels have the numbers that they had.
    pub network: Network,
    /// What each machine was made of, by its index.
    pub processes: Vec<FoldedProcess>,
    /// The kinds of the channels in the original network.
    pub queues: Vec<ChannelTypeId>,
    /// What each message stands for; the one with the value `v` is at `v - 1`.
    pub messages: Vec<Message>,
    /// Steps of the original network that create the processes, before anything else.
    pub prologue: Vec<Step>,
    /// States that stand for errors at run time, with the statement that goes wrong.
    pub faults: Vec<FaultState>,
    /// Where the result can do more than the network.
    pub approximations: Vec<Approximation>,
}

/// What a machine was made of.
#[derive(Clone, Debug)]
pub struct FoldedProcess {
    /// The process, by its number in the original network once the prologue is over.
    pub process: u32,
    /// Its type there.
    pub machine: MachineId,
    /// Where the global variables that belong to it stand among the values of all.
    pub owned: Vec<usize>,
    /// Per location: what it stands for.
    pub states: Vec<FoldedState>,
    /// Per edge: the edges of the original that it stands for, one after the other.
    pub origins: Vec<Vec<EdgeId>>,
}

/// A location and the values of a process.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FoldedState {
    /// The location.
    pub location: LocationId,
    /// The values of its own variables, arrays element by element.
    pub values: Vec<i32>,
    /// The values of global variables, as far as they belong to the process; others as they always are.
    pub globals: Vec<i32>,
    /// It stands for an error of a statement there, and not for the location itself.
    pub fault: bool,
}

/// A tuple of values.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Message {
    /// The types of its fields.
    pub fields: Vec<ScalarType>,
    /// Their values.
    pub values: Vec<i32>,
}

/// A state that stands for an error at run time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FaultState {
    /// The machine of the result.
    pub machine: MachineId,
    /// Its location.
    pub location: LocationId,
    /// The statement that goes wrong.
    pub span: Span,
}

/// A place where the result can do more than the network.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Approximation {
    /// The place.
    pub span: Span,
    /// What it is about.
    pub why: String,
}

/// A process that runs once the prologue is over.
#[derive(Clone, Debug)]
struct Process {
    number: u32,
    machine: MachineId,
    start: LocationId,
    locals: Vec<i32>,
}

impl Process {
    fn name(&self, network: &Network) -> String {
        format!("`{}[{}]`", network.machine(self.machine).name, self.number)
    }
}

/// Folds the data of a network into the states of its processes, or says why it cannot.
///
/// The result is the network with channels of any length (`--channels unbounded`).
pub fn fold(network: &Network, limits: &Limits) -> Result<Folded, NotExpressible> {
    let start = processes::start(network, limits)?;
    let uses = sharing::uses(network, &start)?;
    let closure = closure::close(network, &start, &uses, limits)?;
    build::build(network, start, closure)
}

impl Folded {
    /// Steps of the result as steps of the original network, the prologue first.
    pub fn replay(&self, steps: &[Step]) -> Vec<Step> {
        let mut original = self.prologue.clone();
        for &step in steps {
            match step {
                Step::Edge { process, edge } => {
                    let folded = &self.processes[process as usize];
                    let edges = folded.origins[edge.index()].iter();
                    original.extend(edges.map(|&edge| Step::Edge { process: folded.process, edge }));
                }
                other => original.push(other),
            }
        }
        original
    }

    /// Whether the result does what the network does, no more.
    pub fn is_exact(&self) -> bool {
        self.approximations.is_empty()
    }

    /// The queues from which a machine receives in a state, if the process that it stands for has nothing else to go on
    /// with there, whatever is sent. A condition over its own variables that is false is nothing.
    pub fn awaited(&self, network: &Network, machine: usize, state: usize) -> Vec<usize> {
        let process = &self.processes[machine];
        let Some(at) = process.states.get(state).filter(|state| !state.fault) else { return Vec::new() };
        let original = network.machine(process.machine);
        if original.edges_from(at.location).any(|edge| step::depends_on_others(network, &edge.action)) {
            return Vec::new();
        }
        let seer =
            Seer { network, machine: process.machine, process: process.process, created: 0, span: original.span };
        let store = Store { globals: at.globals.clone(), locals: at.values.clone() };
        let nothing = Sent::new(self.queues.len());
        let walker = Walker { seer, queues: &self.queues, sent: &nothing };
        // No process sends, so that every outcome is one of something else.
        match walker.offer(at.location, &store) {
            Ok(offer) if offer.outcomes.is_empty() => offer.awaited.into_iter().collect(),
            _ => Vec::new(),
        }
    }

    /// Errors at run time as bad configurations, one set for each statement that can go wrong.
    pub fn errors(&self) -> Specification {
        let bad = self.faults.iter().map(|fault| {
            let mut machines = vec![None; self.network.machines.len()];
            machines[fault.machine.index()] =
                Some(vec![Allowed { location: fault.location, condition: None, span: fault.span }]);
            Bad { machines, queues: None, span: fault.span }
        });
        Specification { bad: bad.collect() }
    }

    /// Bad configurations of the original network (one process per machine, one constant per message) as those of the
    /// result: locations become the states that lie there and satisfy the condition.
    pub fn specification(&self, network: &Network, original: &Specification) -> Specification {
        Specification { bad: original.bad.iter().filter_map(|bad| self.bad(network, bad)).collect() }
    }

    fn bad(&self, network: &Network, bad: &Bad) -> Option<Bad> {
        let queues = match &bad.queues {
            None => None,
            Some(language) => {
                let regex = self.regex(&language.regex).without_void()?;
                Some(crate::QueueLanguage { regex, span: language.span })
            }
        };
        let mut machines = Vec::new();
        for process in &self.processes {
            let allowed = bad.machines.get(process.machine.index()).and_then(Option::as_ref);
            let states = allowed.map(|allowed| process.allowed(network, allowed));
            if states.as_ref().is_some_and(Vec::is_empty) {
                return None;
            }
            machines.push(states);
        }
        Some(Bad { machines, queues, span: bad.span })
    }

    fn regex(&self, regex: &Regex) -> Regex {
        let all = |parts: &[Regex]| parts.iter().map(|part| self.regex(part)).collect();
        match regex {
            Regex::Message(value) => {
                let values = (1..).zip(&self.messages).filter(|(_, message)| message.values == [*value]);
                let mut symbols: Vec<Regex> = values.map(|(symbol, _)| Regex::Message(symbol)).collect();
                if symbols.len() == 1 { symbols.remove(0) } else { Regex::Union(symbols) }
            }
            Regex::Empty | Regex::Separator => regex.clone(),
            Regex::Concat(parts) => Regex::Concat(all(parts)),
            Regex::Union(parts) => Regex::Union(all(parts)),
            Regex::Star(inner) => Regex::Star(Box::new(self.regex(inner))),
            Regex::Plus(inner) => Regex::Plus(Box::new(self.regex(inner))),
        }
    }
}

impl FoldedProcess {
    /// The states that lie in a location that is allowed, and satisfy its condition.
    fn allowed(&self, network: &Network, allowed: &[Allowed]) -> Vec<Allowed> {
        let mut found = Vec::new();
        for (index, state) in self.states.iter().enumerate().filter(|(_, state)| !state.fault) {
            let fits = allowed.iter().find(|wanted| {
                wanted.location == state.location
                    && wanted.condition.as_ref().is_none_or(|condition| {
                        let (process, machine, span) = (self.process, self.machine, wanted.span);
                        let seer = Seer { network, machine, process, created: 0, span };
                        let store = Store { globals: state.globals.clone(), locals: state.values.clone() };
                        seer.holds(condition, &store).unwrap_or(false)
                    })
            });
            if let Some(wanted) = fits {
                found.push(Allowed { location: index.into(), condition: None, span: wanted.span });
            }
        }
        found
    }
}
