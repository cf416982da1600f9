//! Plain search: configuration by configuration, breadth-first.
//!
//! It finds the shortest run to a fault if there is one and memory lasts, and often at once. Where the configurations
//! that can be reached are finitely many, it also proves safety, and the invariant is the set of them.
//!
//! Nothing here asks for control states of the product or for sets of queue contents before the end, so a step takes well
//! below a microsecond. What comes out is checked as that of every other method.

use crate::configurations::{Configurations, Shape};
use crate::method::{Answer, Technique};
use crate::space::{Control, Space};
use crate::system::{Op, System};
use crate::trace::progress;
use crate::verdict::{Run, Statistics, Step};
use model::context::Context;
use model::reason::Reason;
use queues::{Language, Limit};

/// How often progress is reported.
const PACE: usize = 1 << 14;
/// What a configuration takes besides its word, roughly.
const BYTES: usize = 36;
/// What a step to a configuration costs besides the length of its word, in steps of automata.
const COST: usize = 2;
/// How many numbers of a word cost as much as a step of an automaton.
const PER_STEP: usize = 8;

/// How a configuration was found: from which one, and how. In the beginning there is none before.
#[derive(Clone, Copy)]
struct Origin {
    before: u32,
    /// The machine that moved, or the channel with [`LOSS`].
    who: u32,
    /// Its transition, or the place of the message that was lost.
    what: u32,
}

const NONE: u32 = u32::MAX;
const LOSS: u32 = 1 << 31;

impl Origin {
    fn step(self) -> Step {
        match self.who & LOSS {
            0 => Step::Move { machine: self.who as usize, transition: self.what as usize },
            _ => Step::Loss { channel: (self.who & !LOSS) as usize, position: self.what as usize },
        }
    }
}

/// The configurations so far, in the order of their discovery.
pub(crate) struct Search {
    found: Configurations,
    /// By configuration.
    origins: Vec<Origin>,
    /// How many have been expanded.
    expanded: usize,
    begun: bool,
    /// Memory counted for all that.
    bytes: usize,
    /// The length of the longest queue, and how many configurations were found when there was first one so long.
    longest: u16,
    longest_since: usize,
    /// Where queues begin, for whoever looks at a word.
    starts: Vec<usize>,
}

impl Search {
    pub(crate) fn new() -> Self {
        Search {
            found: Configurations::new(),
            origins: Vec::new(),
            expanded: 0,
            begun: false,
            bytes: 0,
            longest: 0,
            longest_since: 0,
            starts: Vec::new(),
        }
    }

    /// Adds a configuration if it is new; its number if it is bad, too.
    fn add(&mut self, space: &mut Space<'_>, word: &[u16], origin: Origin) -> Result<Option<u32>, Limit> {
        space.languages.spend(COST + word.len() / PER_STEP)?;
        if !self.found.insert(word) {
            return Ok(None);
        }
        self.origins.push(origin);
        let shape = shape(space);
        let lengths = &word[shape.machines..shape.machines + shape.channels];
        if let Some(&longest) = lengths.iter().max()
            && longest > self.longest
        {
            (self.longest, self.longest_since) = (longest, self.found.len());
        }
        let (states, queues) = shape.read(word, &mut self.starts);
        if space.is_bad(states, &queues) {
            return Ok(Some(self.found.len() as u32 - 1));
        }
        let bytes = BYTES + 2 * word.len();
        self.bytes += bytes;
        space.languages.keep(bytes)?;
        Ok(None)
    }

    fn begin(&mut self, space: &mut Space<'_>) -> Result<Option<u32>, Limit> {
        for control in space.initial()? {
            let mut word: Vec<u16> = space.states(control).iter().map(|&state| state as u16).collect();
            word.resize(word.len() + shape(space).channels, 0);
            if let Some(bad) = self.add(space, &word, Origin { before: NONE, who: 0, what: 0 })? {
                return Ok(Some(bad));
            }
        }
        self.begun = true;
        Ok(None)
    }

    fn expand(&mut self, space: &mut Space<'_>, before: u32) -> Result<Option<u32>, Limit> {
        let (system, shape, leaving) = (space.system, shape(space), space.leaving.clone());
        let word = self.found.word(before).to_vec();
        let mut next = Vec::with_capacity(word.len() + 1);
        for (machine, states) in leaving.iter().enumerate() {
            for &what in &states[usize::from(word[machine])] {
                let transition = system.machines[machine].transitions[what as usize];
                if !after(&word, shape, transition.op, &mut next)? {
                    continue;
                }
                next[machine] = transition.to as u16;
                if let Some(bad) = self.add(space, &next, Origin { before, who: machine as u32, what })? {
                    return Ok(Some(bad));
                }
            }
        }
        for channel in (0..shape.channels).filter(|&channel| system.is_lossy(channel)) {
            for what in 0..u32::from(word[shape.machines + channel]) {
                remove(&word, shape, (channel, what as usize), &mut next);
                if let Some(bad) = self.add(space, &next, Origin { before, who: channel as u32 | LOSS, what })? {
                    return Ok(Some(bad));
                }
            }
        }
        Ok(None)
    }

    /// Whether states and messages fit into words.
    pub(crate) fn can_list(system: &System) -> bool {
        let sizes = system.machines.iter().map(|machine| machine.states.len()).chain([system.alphabet.len()]);
        sizes.max().is_none_or(|size| size <= usize::from(u16::MAX))
    }

    /// Expands configurations until so many were, or all: whether all were. Nothing is bad.
    pub(crate) fn explore(&mut self, space: &mut Space<'_>, most: usize, cx: &Context<'_>) -> Result<bool, Limit> {
        if !self.begun {
            self.begin(space)?;
        }
        while self.expanded < self.found.len().min(most) {
            self.expand(space, self.expanded as u32)?;
            self.expanded += 1;
            if self.expanded.is_multiple_of(PACE) {
                progress(self.found.len() - self.expanded, self.found.len(), space, cx);
            }
        }
        Ok(self.expanded == self.found.len())
    }

    /// The length of the longest queue.
    pub(crate) fn longest(&self) -> u16 {
        self.longest
    }

    /// How many configurations were found, and how many of them expanded: the first ones.
    pub(crate) fn size(&self) -> (usize, usize) {
        (self.found.len(), self.expanded)
    }

    /// The word of a configuration.
    pub(crate) fn word(&self, number: u32) -> &[u16] {
        self.found.word(number)
    }

    /// The moves of a configuration that was expanded, losses apart: machine, operation, and the configuration it leads to.
    pub(crate) fn moves(
        &self,
        space: &Space<'_>,
        number: u32,
        visit: &mut dyn FnMut(usize, Op, u32),
    ) -> Result<(), Limit> {
        let (word, shape) = (self.found.word(number), shape(space));
        let mut next = Vec::with_capacity(word.len() + 1);
        for (machine, states) in space.leaving.iter().enumerate() {
            for &what in &states[usize::from(word[machine])] {
                let transition = space.system.machines[machine].transitions[what as usize];
                if !after(word, shape, transition.op, &mut next)? {
                    continue;
                }
                next[machine] = transition.to as u16;
                if let Some(target) = self.found.number(&next) {
                    visit(machine, transition.op, target);
                }
            }
        }
        Ok(())
    }

    pub(crate) fn run_to(&self, space: &Space<'_>, number: u32) -> Run {
        let mut steps = Vec::new();
        let mut at = number;
        while self.origins[at as usize].before != NONE {
            steps.push(self.origins[at as usize].step());
            at = self.origins[at as usize].before;
        }
        steps.reverse();
        let states = &self.found.word(at)[..space.system.machines.len()];
        Run { initial: states.iter().map(|&state| u32::from(state)).collect(), steps }
    }

    /// The finitely many configurations as languages.
    fn invariant(&mut self, space: &mut Space<'_>) -> Result<Vec<(Control, Language)>, Limit> {
        let shape = shape(space);
        let mut order: Vec<u32> = (0..self.found.len() as u32).collect();
        order.sort_unstable_by_key(|&number| self.found.word(number));
        let states = |&number: &u32| &self.found.word(number)[..shape.machines];
        let mut reached = Vec::new();
        for group in order.chunk_by(|one, other| states(one) == states(other)) {
            let control = space.number(states(&group[0]).iter().map(|&state| u32::from(state)).collect())?;
            let starts = &mut self.starts;
            let vectors = group.iter().map(|&number| shape.read(self.found.word(number), starts).1.contents());
            reached.push((control, space.languages.finite(vectors)?));
        }
        reached.sort_unstable();
        Ok(reached)
    }
}

impl Technique for Search {
    fn name(&self) -> String {
        "search".into()
    }

    fn advance(&mut self, space: &mut Space<'_>, cx: &Context<'_>) -> Result<Answer, Limit> {
        if !Search::can_list(space.system) {
            return Ok(Answer::Stuck(Reason::NotSupported(
                "a machine with more than 65,535 states or messages".into(),
            )));
        }
        if !self.begun
            && let Some(bad) = self.begin(space)?
        {
            return Ok(Answer::Unsafe(self.run_to(space, bad)));
        }
        while self.expanded < self.found.len() {
            if let Some(bad) = self.expand(space, self.expanded as u32)? {
                return Ok(Answer::Unsafe(self.run_to(space, bad)));
            }
            self.expanded += 1;
            if self.expanded.is_multiple_of(PACE) {
                progress(self.found.len() - self.expanded, self.found.len(), space, cx);
            }
        }
        match space.listed {
            Some(most) if self.found.len() > most => Ok(Answer::Finite),
            _ => self.invariant(space).map(Answer::Safe),
        }
    }

    /// Where queues grow without end, a longer one than ever before is found again and again.
    fn converges(&self) -> bool {
        self.found.len() > 2 * self.longest_since
    }

    fn abandon(&mut self) -> usize {
        std::mem::replace(self, Search::new()).bytes
    }

    fn count(&self, statistics: &mut Statistics) {
        statistics.configurations += self.found.len();
    }
}

/// Sets of queue contents speak of one channel at least.
fn shape(space: &Space<'_>) -> Shape {
    Shape { machines: space.system.machines.len(), channels: space.system.channels.max(1) }
}

/// Writes what an operation makes of the queues; whether they allow it.
fn after(word: &[u16], shape: Shape, op: Op, next: &mut Vec<u16>) -> Result<bool, Limit> {
    match op {
        Op::Internal => {
            next.clear();
            next.extend_from_slice(word);
        }
        Op::Send(channel, message) => {
            let end = place(word, shape, channel + 1);
            next.clear();
            next.extend_from_slice(&word[..end]);
            next.push(message as u16);
            next.extend_from_slice(&word[end..]);
            let length = &mut next[shape.machines + channel];
            *length = length.checked_add(1).ok_or(Limit::States)?;
        }
        Op::Receive(channel, message) => {
            let is_first = || word[place(word, shape, channel)] == message as u16;
            if word[shape.machines + channel] == 0 || !is_first() {
                return Ok(false);
            }
            remove(word, shape, (channel, 0), next);
        }
    }
    Ok(true)
}

/// Where the content of a channel begins.
fn place(word: &[u16], shape: Shape, channel: usize) -> usize {
    let lengths = &word[shape.machines..shape.machines + channel];
    shape.machines + shape.channels + lengths.iter().map(|&length| usize::from(length)).sum::<usize>()
}

/// Writes the word without a message.
fn remove(word: &[u16], shape: Shape, (channel, position): (usize, usize), next: &mut Vec<u16>) {
    let at = place(word, shape, channel) + position;
    next.clear();
    next.extend_from_slice(&word[..at]);
    next.extend_from_slice(&word[at + 1..]);
    next[shape.machines + channel] -= 1;
}
