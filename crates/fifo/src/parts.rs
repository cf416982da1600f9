//! Invariants in parts, for systems of many machines: see [`model::queue_parts`].
//!
//! First, what is ever written to a channel with one writer and one reader (`histories`). What a machine writes if it may read
//! anything is a language, closed under prefixes, and an automaton for it is made deterministic and minimal. Knowing this,
//! machines that read from there do less, and so on, until nothing changes or automata get large: whatever round is the
//! last, its languages hold.
//!
//! Then parts of one machine each, which keep and follow all histories; and beside them, parts of two machines that
//! communicate, each a small system of its own: messages that other machines send or might take become internal
//! steps. Where its configurations are finitely many they are the invariant, else abstract interpretation finds one.

use crate::absint::AbsInt;
use crate::method::{Answer, Limits, Technique};
use crate::proof::Automata;
use crate::property::Property;
use crate::search::Search;
use crate::space::Space;
use crate::system::{Machine, Op, System, Transition};
use model::context::Context;
use model::queue_parts::{self, QueueParts};
use model::queue_proof::{QueueEntry, QueueProof};
use queues::{Bisimulation, Direction};
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::Arc;

/// Machines with histories beside them have at most so many states, and histories this many.
const MOST_STATES: usize = 1 << 12;
const MOST_IN_HISTORY: usize = 1 << 8;
/// Histories are refined so many times for each machine.
const ROUNDS: usize = 2;
/// Steps of work for the invariant of a part, by search and by abstract interpretation.
const STEPS: [u64; 2] = [200_000, 3_000_000];
/// The precisions of abstract interpretation.
const PRECISIONS: [u32; 3] = [0, 1, 2];

/// Proofs to be checked, from the smallest on. None of them need exclude anything.
pub fn candidates<'a>(
    system: &'a System,
    limits: &'a Limits,
    bad: &'a [String],
    cx: &'a Context<'_>,
) -> impl Iterator<Item = QueueParts> + 'a {
    let slicer = Slicer::new(system);
    let alone: Vec<Vec<usize>> = (0..system.machines.len()).map(|machine| vec![machine]).collect();
    let together: Vec<Vec<usize>> = alone.iter().cloned().chain(slicer.pairs()).collect();
    let one_by_one = std::iter::once((alone, PRECISIONS[0]));
    one_by_one.chain(PRECISIONS.map(|k| (together.clone(), k))).map(move |(machines, k)| {
        // A part that takes too much work is left out.
        let parts = machines.iter().filter_map(|machines| slicer.part(machines, k, limits, cx)).collect();
        QueueParts { bad: bad.to_vec(), histories: slicer.written_down(), parts, sums: Vec::new() }
    })
}

/// An automaton all of whose states accept; it starts in state 0.
type History = Vec<BTreeMap<u32, u32>>;

/// A system, who uses its channels, and what is written to them.
struct Slicer<'a> {
    system: &'a System,
    /// By channel and message.
    senders: BTreeMap<(usize, u32), BTreeSet<usize>>,
    /// By channel.
    readers: Vec<BTreeSet<usize>>,
    writers: Vec<BTreeSet<usize>>,
    histories: BTreeMap<usize, History>,
}

/// A machine with the states of histories beside it.
struct Local {
    /// Its states: the location, and where the histories are.
    states: Vec<(usize, Vec<u32>)>,
    transitions: Vec<(usize, Op, usize)>,
}

impl<'a> Slicer<'a> {
    fn new(system: &'a System) -> Slicer<'a> {
        let none = vec![BTreeSet::new(); system.channels];
        let mut slicer = Slicer {
            system,
            senders: BTreeMap::new(),
            readers: none.clone(),
            writers: none,
            histories: BTreeMap::new(),
        };
        for (number, machine) in system.machines.iter().enumerate() {
            for transition in &machine.transitions {
                match transition.op {
                    Op::Internal => {}
                    Op::Send(channel, message) => {
                        slicer.senders.entry((channel, message)).or_default().insert(number);
                        slicer.writers[channel].insert(number);
                    }
                    Op::Receive(channel, _) => _ = slicer.readers[channel].insert(number),
                }
            }
        }
        slicer.find_histories();
        slicer
    }

    /// Languages of all that is written, of channels that lead from one machine to another.
    fn find_histories(&mut self) {
        for _ in 0..ROUNDS * self.system.machines.len() {
            let mut changed = false;
            for channel in 0..self.system.channels {
                let (writers, readers) = (&self.writers[channel], &self.readers[channel]);
                let (Some(&writer), 1, 1) = (writers.first(), writers.len(), readers.len()) else { continue };
                if readers.contains(&writer) {
                    continue;
                }
                let local = self.local(writer, &self.followed(&[writer]), &[]);
                let Some(history) = local.and_then(|local| written(&local, channel)) else { continue };
                if self.histories.get(&channel) != Some(&history) {
                    self.histories.insert(channel, history);
                    changed = true;
                }
            }
            if !changed {
                return;
            }
        }
    }

    /// The channels with histories that lead from other machines to these.
    fn followed(&self, machines: &[usize]) -> Vec<usize> {
        let from_outside = |channel: &&usize| {
            self.readers[**channel].iter().all(|reader| machines.contains(reader))
                && !self.writers[**channel].iter().any(|writer| machines.contains(writer))
        };
        self.histories.keys().filter(from_outside).copied().collect()
    }

    /// A machine with these histories of what it reads and writes beside it.
    fn local(&self, machine: usize, follows: &[usize], keeps: &[usize]) -> Option<Local> {
        let of = &self.system.machines[machine];
        let place = |among: &[usize], channel: usize| among.iter().position(|&other| other == channel);
        let start = (*of.initial.first()?, vec![0; follows.len() + keeps.len()]);
        let mut local = Local { states: vec![start.clone()], transitions: Vec::new() };
        let mut numbers = HashMap::from([(start, 0)]);
        let mut at = 0;
        while at < local.states.len() {
            let (location, positions) = local.states[at].clone();
            for transition in of.transitions.iter().filter(|transition| transition.from == location) {
                let mut next = vec![positions.clone()];
                match transition.op {
                    Op::Internal => {}
                    Op::Send(channel, message) => {
                        if let Some(kept) = place(keeps, channel) {
                            let kept = follows.len() + kept;
                            next[0][kept] = *self.histories[&channel][positions[kept] as usize].get(&message)?;
                        }
                    }
                    Op::Receive(channel, message) if !self.senders.contains_key(&(channel, message)) => next.clear(),
                    Op::Receive(channel, message) => {
                        if let Some(followed) = place(follows, channel) {
                            let lossy = self.system.is_lossy(channel);
                            let after = read(&self.histories[&channel], positions[followed], message, lossy);
                            let moved = |state| {
                                let mut positions = positions.clone();
                                positions[followed] = state;
                                positions
                            };
                            next = after.into_iter().map(moved).collect();
                        }
                    }
                }
                for positions in next {
                    let fresh = local.states.len();
                    let state = (transition.to, positions);
                    let to = *numbers.entry(state).or_insert_with_key(|state| {
                        local.states.push(state.clone());
                        fresh
                    });
                    local.transitions.push((at, transition.op, to));
                }
            }
            if local.states.len() > MOST_STATES {
                return None;
            }
            at += 1;
        }
        Some(local)
    }

    /// Machines that communicate.
    fn pairs(&self) -> Vec<Vec<usize>> {
        let mut pairs = BTreeSet::new();
        for (writers, readers) in self.writers.iter().zip(&self.readers) {
            for (&writer, &reader) in
                writers.iter().flat_map(|writer| readers.iter().map(move |reader| (writer, reader)))
            {
                if writer != reader {
                    pairs.insert(vec![writer.min(reader), writer.max(reader)]);
                }
            }
        }
        pairs.into_iter().collect()
    }

    /// The invariant of some machines. Those of one alone keep the histories of what it writes.
    fn part(&self, machines: &[usize], k: u32, limits: &Limits, cx: &Context<'_>) -> Option<queue_parts::Part> {
        let follows = self.followed(machines);
        let of_channel = |by: &[BTreeSet<usize>], machine: usize, channel: usize| by[channel].contains(&machine);
        let (mut locals, mut all_follows, mut all_keeps) = (Vec::new(), Vec::new(), Vec::new());
        for &machine in machines {
            let own = follows.iter().copied().filter(|&channel| of_channel(&self.readers, machine, channel));
            let own: Vec<usize> = own.collect();
            let kept = self.histories.keys().copied().filter(|&channel| of_channel(&self.writers, machine, channel));
            let kept: Vec<usize> = kept.filter(|_| machines.len() == 1).collect();
            locals.push((self.local(machine, &own, &kept)?, own.len()));
            all_follows.extend(own);
            all_keeps.extend(kept);
        }
        let slice = self.slice(machines, &all_follows, &locals);
        let reached = invariant(&slice, k, limits, cx)?;
        let control = |states: &[u32]| {
            let at = || locals.iter().zip(states).map(|((local, own), &state)| (&local.states[state as usize], *own));
            let locations = at().map(|((location, _), _)| *location as u32);
            let read = at().flat_map(|((_, positions), own)| &positions[..own]);
            let written = at().flat_map(|((_, positions), own)| &positions[own..]);
            locations.chain(read.copied()).chain(written.copied()).collect()
        };
        let entries = reached.entries.iter();
        let entries = entries.map(|entry| QueueEntry { control: control(&entry.control), automaton: entry.automaton });
        let numbers = |list: &[usize]| list.iter().map(|&number| number as u32).collect();
        Some(queue_parts::Part {
            machines: numbers(machines),
            follows: numbers(&all_follows),
            keeps: numbers(&all_keeps),
            invariant: QueueProof { entries: entries.collect(), ..reached },
        })
    }

    /// The system of some machines: what concerns others as well is internal.
    fn slice(&self, machines: &[usize], follows: &[usize], locals: &[(Local, usize)]) -> System {
        let own: BTreeSet<usize> = machines.iter().copied().collect();
        let op = |op: Op| match op {
            Op::Send(channel, message) | Op::Receive(channel, message)
                if follows.contains(&channel)
                    || !self.readers[channel].is_subset(&own)
                    || !self.senders.get(&(channel, message)).is_some_and(|senders| senders.is_subset(&own)) =>
            {
                Op::Internal
            }
            op => op,
        };
        let machine = |(local, _): &(Local, usize)| {
            let transition = |&(from, of, to): &(usize, Op, usize)| Transition { from, op: op(of), to, origin: 0 };
            Machine {
                name: String::new(),
                initial: vec![0],
                states: vec![String::new(); local.states.len()],
                transitions: local.transitions.iter().map(transition).collect(),
            }
        };
        System { machines: locals.iter().map(machine).collect(), bad: Vec::new(), ..self.system.clone() }
    }

    fn written_down(&self) -> Vec<queue_parts::History> {
        let edges = |state: &BTreeMap<u32, u32>| state.iter().map(|(&letter, &to)| (letter + 1, to)).collect();
        let history = |(&channel, history): (&usize, &History)| queue_parts::History {
            channel: channel as u32,
            edges: history.iter().map(edges).collect(),
        };
        self.histories.iter().map(history).collect()
    }
}

/// Where a history may be when a message is read: behind it, if nothing is lost in between.
fn read(history: &History, state: u32, message: u32, lossy: bool) -> BTreeSet<u32> {
    let mut seen = BTreeSet::from([state]);
    let mut work = VecDeque::from_iter(lossy.then_some(state));
    while let Some(at) = work.pop_front() {
        work.extend(history[at as usize].values().filter(|&&next| seen.insert(next)));
    }
    seen.iter().filter_map(|&at| history[at as usize].get(&message).copied()).collect()
}

/// What a machine writes to a channel.
fn written(local: &Local, channel: usize) -> Option<History> {
    let mut leaving = vec![Vec::new(); local.states.len()];
    local.transitions.iter().for_each(|&(from, op, to)| leaving[from].push((op, to)));
    // All states that are reached without writing.
    let closed = |states: BTreeSet<usize>| {
        let (mut seen, mut work) = (states.clone(), Vec::from_iter(states));
        while let Some(state) = work.pop() {
            let silent = leaving[state].iter().filter(|(op, _)| !matches!(op, Op::Send(to, _) if *to == channel));
            work.extend(silent.map(|&(_, to)| to).filter(|&to| seen.insert(to)));
        }
        seen
    };
    let start = closed(BTreeSet::from([0]));
    let mut sets = vec![start.clone()];
    let mut numbers = HashMap::from([(start, 0u32)]);
    let mut history: History = Vec::new();
    while history.len() < sets.len() {
        let mut after: BTreeMap<u32, BTreeSet<usize>> = BTreeMap::new();
        for (op, to) in sets[history.len()].iter().flat_map(|&state| &leaving[state]) {
            if let Op::Send(at, message) = *op
                && at == channel
            {
                after.entry(message).or_default().insert(*to);
            }
        }
        let number = |(message, states): (u32, BTreeSet<usize>)| {
            let fresh = sets.len() as u32;
            let to = *numbers.entry(closed(states)).or_insert_with_key(|states| {
                sets.push(states.clone());
                fresh
            });
            (message, to)
        };
        history.push(after.into_iter().map(number).collect());
        if sets.len() > MOST_IN_HISTORY {
            return None;
        }
    }
    Some(minimal(&history))
}

/// The smallest automaton of a history, its states in the order in which they are come to.
fn minimal(history: &History) -> History {
    let mut class = vec![0u32; history.len()];
    loop {
        let mut names: HashMap<(u32, Vec<(u32, u32)>), u32> = HashMap::new();
        let refined: Vec<u32> = history
            .iter()
            .zip(&class)
            .map(|(edges, &own)| {
                let next = edges.iter().map(|(&letter, &to)| (letter, class[to as usize])).collect();
                let fresh = names.len() as u32;
                *names.entry((own, next)).or_insert(fresh)
            })
            .collect();
        let same = refined.iter().max() == class.iter().max();
        class = refined;
        if same {
            break;
        }
    }
    let count = class.iter().max().map_or(0, |&last| last as usize + 1);
    let mut smallest: History = vec![BTreeMap::new(); count];
    for (edges, &own) in history.iter().zip(&class) {
        smallest[own as usize] = edges.iter().map(|(&letter, &to)| (letter, class[to as usize])).collect();
    }
    smallest
}

/// The invariant of a small system.
fn invariant(system: &System, k: u32, limits: &Limits, cx: &Context<'_>) -> Option<QueueProof> {
    let methods: [Box<dyn Technique>; 2] =
        [Box::new(Search::new()), Box::new(AbsInt::at(k, Arc::new(Bisimulation::rho(Direction::Both))))];
    methods.into_iter().zip(STEPS).find_map(|(mut method, most)| {
        let limits = Limits { steps: Some(limits.steps.map_or(most, |steps| steps.min(most))), ..limits.clone() };
        let mut space = Space::new(system, Property::BadStates, limits.for_languages(cx.budget)).ok()?;
        let Ok(Answer::Safe(reached)) = method.advance(&mut space, cx) else { return None };
        let mut automata = Automata::default();
        let entry = |&(at, set)| QueueEntry {
            control: space.states(at).to_vec(),
            automaton: automata.number(&space.languages, set),
        };
        let entries = reached.iter().map(entry).collect();
        Some(QueueProof { automata: automata.all, entries, ..QueueProof::default() })
    })
}
