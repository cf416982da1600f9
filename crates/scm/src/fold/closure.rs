//! All states of all processes, each on its own, and all messages that they may send.
//!
//! A state that waits for a queue is looked at again whenever a new message is found that may come there, until nothing
//! changes. Each round ends, for states and messages are limited.
//!
//! Here atomic sequences become single steps: from an edge after which the process keeps control, its inner states are
//! followed to where control is given up. They are followed together (a state once for each use of a channel so far),
//! for the number of ways through a sequence is exponential.

use super::processes::Start;
use super::sharing::Use;
use super::step::{Label, Offer, Outcome, Sent, Walker};
use super::values::{Seer, Store, offsets};
use super::{Approximation, Limits, Process};
use crate::print::NotExpressible;
use model::ids::LocationId;
use model::network::Network;
use model::source::Span;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// What is said where an atomic sequence is split.
const SPLIT: &str = "an atomic sequence goes on with a use of a channel; others may come in between";

/// A state of a process: its location, its variables, and the global variables that belong to it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct State {
    pub(super) location: LocationId,
    pub(super) locals: Vec<i32>,
    pub(super) owned: Vec<i32>,
}

/// The states of one process, in the order in which they were found.
#[derive(Default)]
pub(super) struct States {
    pub(super) list: Vec<State>,
    index: HashMap<State, usize>,
}

impl States {
    fn insert(&mut self, state: State) -> (usize, bool) {
        if let Some(&index) = self.index.get(&state) {
            return (index, false);
        }
        self.index.insert(state.clone(), self.list.len());
        self.list.push(state);
        (self.list.len() - 1, true)
    }

    pub(super) fn position(&self, state: &State) -> Option<usize> {
        self.index.get(state).copied()
    }
}

/// What was found.
pub(super) struct Closure<'n> {
    network: &'n Network,
    pub(super) processes: Vec<Process>,
    queues: Vec<model::ids::ChannelTypeId>,
    globals: Vec<i32>,
    /// Per process: where its own global variables stand.
    pub(super) owned: Vec<Vec<usize>>,
    pub(super) states: Vec<States>,
    pub(super) sent: Sent,
    approximations: BTreeMap<Span, &'static str>,
}

/// Finds all states and messages.
pub(super) fn close<'n>(
    network: &'n Network,
    start: &Start,
    uses: &[Use],
    limits: &Limits,
) -> Result<Closure<'n>, NotExpressible> {
    let mut closure = Closure {
        network,
        processes: start.processes.clone(),
        queues: start.queues.clone(),
        globals: start.globals.clone(),
        owned: owned(network, uses, start.processes.len()),
        states: start.processes.iter().map(|_| States::default()).collect(),
        sent: Sent::new(start.queues.len()),
        approximations: BTreeMap::new(),
    };
    if let Some(span) = start.in_control {
        closure.approximations.insert(span, SPLIT);
    }
    closure.run(limits)?;
    Ok(closure)
}

fn owned(network: &Network, uses: &[Use], processes: usize) -> Vec<Vec<usize>> {
    let mut owned = vec![Vec::new(); processes];
    let starts = offsets(&network.variables);
    for ((variable, used), start) in network.variables.iter().zip(uses).zip(starts) {
        if let Use::Owned(process) = used {
            owned[*process].extend(start..start + variable.len());
        }
    }
    owned
}

impl<'n> Closure<'n> {
    fn run(&mut self, limits: &Limits) -> Result<(), NotExpressible> {
        let mut waiting: Vec<(usize, usize)> = Vec::new();
        for process in 0..self.processes.len() {
            let Process { start, locals, .. } = self.processes[process].clone();
            let store = Store { globals: self.globals.clone(), locals };
            let state = self.state(process, start, &store);
            waiting.push((process, self.states[process].insert(state).0));
        }
        waiting.reverse();
        let mut awaiting: Vec<BTreeSet<(usize, usize)>> = vec![BTreeSet::new(); self.queues.len()];
        let (mut steps, mut count, mut values) = (0, waiting.len(), 0);
        while let Some((process, index)) = waiting.pop() {
            let offer = self.transitions(process, index)?;
            for &queue in &offer.awaited {
                awaiting[queue].insert((process, index));
            }
            for outcome in offer.outcomes {
                steps += 1 + width(&outcome.store) / 64;
                if let Label::Send(queue, message) = &outcome.label
                    && self.sent.insert(*queue, message)
                {
                    waiting.extend(&awaiting[*queue]);
                }
                if outcome.fault.is_none() {
                    let state = self.state(process, outcome.to, &outcome.store);
                    let (index, new) = self.states[process].insert(state);
                    count += usize::from(new);
                    values += if new { width(&outcome.store) } else { 0 };
                    waiting.extend(new.then_some((process, index)));
                }
            }
            let full = count > limits.states || values > limits.values || self.sent.len() > limits.messages;
            if full || steps > limits.steps || limits.budget.in_time().is_err() {
                return self.too_many(limits);
            }
        }
        Ok(())
    }

    /// The values of a process in a state.
    pub(super) fn store(&self, process: usize, state: &State) -> Store {
        let mut globals = self.globals.clone();
        for (&position, &value) in self.owned[process].iter().zip(&state.owned) {
            globals[position] = value;
        }
        Store { globals, locals: state.locals.clone() }
    }

    pub(super) fn state(&self, process: usize, location: LocationId, store: &Store) -> State {
        let owned = self.owned[process].iter().map(|&position| store.globals[position]).collect();
        State { location, locals: store.locals.clone(), owned }
    }

    /// What a state offers, with atomic sequences as single steps.
    pub(super) fn transitions(&mut self, process: usize, index: usize) -> Result<Offer, NotExpressible> {
        let state = self.states[process].list[index].clone();
        let store = self.store(process, &state);
        let mut offer = self.walker(process).offer(state.location, &store)?;
        let mut whole = Vec::new();
        for outcome in std::mem::take(&mut offer.outcomes) {
            if outcome.atomic {
                self.follow(process, outcome, &mut whole, &mut offer.awaited)?;
            } else {
                whole.push(outcome);
            }
        }
        offer.outcomes = whole;
        Ok(offer)
    }

    fn walker(&self, process: usize) -> Walker<'_> {
        let Process { number, machine, .. } = self.processes[process];
        let span = self.network.machine(machine).span;
        let seer = Seer { network: self.network, machine, process: number, created: 0, span };
        Walker { seer, queues: &self.queues, sent: &self.sent }
    }

    /// Follows a process that keeps control to where it gives it up.
    fn follow(
        &mut self,
        process: usize,
        first: Outcome,
        whole: &mut Vec<Outcome>,
        awaited: &mut BTreeSet<usize>,
    ) -> Result<(), NotExpressible> {
        let before = whole.len();
        let mut seen: HashSet<(State, Label)> = HashSet::new();
        let fallback = first.clone();
        let mut partial = vec![first];
        while let Some(outcome) = partial.pop() {
            let state = self.state(process, outcome.to, &outcome.store);
            let silent = outcome.label == Label::Internal;
            if !seen.insert((state, outcome.label.clone())) {
                continue;
            }
            let offer = self.walker(process).offer(outcome.to, &outcome.store)?;
            if offer.outcomes.is_empty() && offer.awaited.is_empty() {
                whole.push(outcome);
            } else if !can_join(silent, &offer) {
                self.split(process, &outcome);
                whole.push(outcome);
            } else {
                awaited.extend(&offer.awaited);
                for next in offer.outcomes {
                    let joined = join(&outcome, next);
                    if joined.atomic { partial.push(joined) } else { whole.push(joined) }
                }
            }
        }
        if whole.len() == before {
            self.split(process, &fallback);
            whole.push(fallback);
        }
        Ok(())
    }

    fn split(&mut self, process: usize, outcome: &Outcome) {
        let machine = self.network.machine(self.processes[process].machine);
        let span = outcome.edges.last().map_or(machine.span, |edge| machine.edges[edge.index()].span);
        self.approximations.insert(span, SPLIT);
    }

    /// Where the result can do more than the network.
    pub(super) fn approximations(&self) -> Vec<Approximation> {
        let entries = self.approximations.iter();
        entries.map(|(&span, &why)| Approximation { span, why: why.to_owned() }).collect()
    }

    /// Says whose data have too many values: the variable with most, of the process with most states.
    fn too_many<T>(&self, limits: &Limits) -> Result<T, NotExpressible> {
        let largest = (0..self.states.len()).max_by_key(|&process| self.states[process].list.len()).unwrap_or(0);
        let process = &self.processes[largest];
        let machine = self.network.machine(process.machine);
        let starts = offsets(&machine.variables);
        let distinct = |position: usize| {
            let values: HashSet<i32> =
                self.states[largest].list.iter().filter_map(|state| state.locals.get(position).copied()).collect();
            values.len()
        };
        let widest = machine.variables.iter().zip(starts).filter(|(variable, _)| !variable.is_empty());
        let widest = widest
            .max_by_key(|&(variable, start)| (start..start + variable.len().min(100)).map(distinct).max().unwrap_or(0));
        let (span, name) = widest.map_or((machine.span, machine.name.as_str()), |(v, _)| (v.span, v.name.as_str()));
        let why = format!(
            "the data have too many values to be folded into states (the limits are {} states and {} messages); \
             `{name}` has most of them",
            limits.states, limits.messages
        );
        NotExpressible::new(span, why)
    }
}

/// How many values a process sees.
fn width(store: &Store) -> usize {
    store.locals.len() + store.globals.len()
}

/// Whether what comes next in an atomic sequence can be part of the same transition.
fn can_join(silent: bool, offer: &Offer) -> bool {
    let uses = offer.outcomes.iter().any(|outcome| outcome.label != Label::Internal);
    offer.awaited.is_empty() && (silent || !uses)
}

fn join(first: &Outcome, next: Outcome) -> Outcome {
    let label = if next.label == Label::Internal { first.label.clone() } else { next.label };
    let edges = first.edges.iter().chain(&next.edges).copied().collect();
    Outcome { label, edges, ..next }
}
