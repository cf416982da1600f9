//! Plain search: configuration by configuration, breadth-first.
//!
//! It finds the shortest run to a fault if there is one and memory lasts, and often at once. Where the configurations
//! that can be reached are finitely many, it also proves safety, and the invariant is the set of them.
//!
//! Channels and their contents are written one after the other into one short word of numbers, the control state first.

use crate::configurations::Configurations;
use crate::method::{Answer, Technique};
use crate::space::{Control, Space};
use crate::system::Op;
use crate::trace::progress;
use crate::verdict::{Run, Statistics, Step};
use model::context::Context;
use queues::{Language, Limit};
use std::collections::HashMap;

/// Between the contents of two channels.
const MARK: u32 = u32::MAX;
/// How often progress is told.
const PACE: usize = 1 << 14;
/// What a configuration takes besides its word, roughly.
const BYTES: usize = 64;
/// What a step to a configuration costs besides the length of its word, in steps of automata.
const COST: usize = 10;

/// How a configuration was found: from which one, and how.
type Origin = Option<(u32, Step)>;

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
}

impl Search {
    pub(crate) fn new() -> Self {
        Search { found: Configurations::new(), origins: Vec::new(), expanded: 0, begun: false, bytes: 0 }
    }

    /// Adds a configuration if it is new; its number if it is bad, too.
    fn add(&mut self, space: &mut Space<'_>, word: &[u32], origin: Origin) -> Result<Option<u32>, Limit> {
        space.languages.spend(COST + word.len())?;
        if self.found.contains(word) {
            return Ok(None);
        }
        let bad = space.bad(Control(word[0]))?;
        let is_bad = !space.languages.is_empty(bad) && space.languages.contains(bad, &contents(word));
        let bytes = BYTES + 4 * word.len();
        self.bytes += bytes;
        space.languages.keep(bytes)?;
        let number = self.found.len() as u32;
        self.found.push(word);
        self.origins.push(origin);
        Ok(is_bad.then_some(number))
    }

    fn begin(&mut self, space: &mut Space<'_>) -> Result<Option<u32>, Limit> {
        for control in space.initial()? {
            let mut word = vec![control.0];
            word.extend(std::iter::repeat_n(MARK, space.system.channels.saturating_sub(1)));
            if let Some(bad) = self.add(space, &word, None)? {
                return Ok(Some(bad));
            }
        }
        self.begun = true;
        Ok(None)
    }

    fn expand(&mut self, space: &mut Space<'_>, number: u32) -> Result<Option<u32>, Limit> {
        let word = self.found.word(number).to_vec();
        for step in space.moves(Control(word[0]))?.iter() {
            if let Some(next) = after(&word, step.op, step.target) {
                let how = Step::Move { machine: step.machine as usize, transition: step.transition as usize };
                if let Some(bad) = self.add(space, &next, Some((number, how)))? {
                    return Ok(Some(bad));
                }
            }
        }
        for (next, how) in losses(&word, &space.system.lossy) {
            if let Some(bad) = self.add(space, &next, Some((number, how)))? {
                return Ok(Some(bad));
            }
        }
        Ok(None)
    }

    fn run_to(&self, space: &Space<'_>, number: u32) -> Run {
        let mut steps = Vec::new();
        let mut at = number;
        while let Some((before, step)) = self.origins[at as usize] {
            steps.push(step);
            at = before;
        }
        steps.reverse();
        Run { initial: space.states(Control(self.found.word(at)[0])).to_vec(), steps }
    }

    /// The finitely many configurations as languages.
    fn invariant(&self, space: &mut Space<'_>) -> Result<Vec<(Control, Language)>, Limit> {
        let mut by_control: HashMap<u32, Vec<Vec<Vec<u32>>>> = HashMap::new();
        for word in (0..self.found.len() as u32).map(|number| self.found.word(number)) {
            by_control.entry(word[0]).or_default().push(contents(word));
        }
        let mut reached = Vec::new();
        for (control, vectors) in by_control {
            reached.push((Control(control), space.languages.finite(vectors)?));
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
                progress(space.controls(), self.found.len(), space, cx);
            }
        }
        self.invariant(space).map(Answer::Safe)
    }

    fn abandon(&mut self) -> usize {
        std::mem::replace(self, Search::new()).bytes
    }

    fn count(&self, statistics: &mut Statistics) {
        statistics.configurations += self.found.len();
    }
}

/// The contents of the channels.
fn contents(word: &[u32]) -> Vec<Vec<u32>> {
    word[1..].split(|&letter| letter == MARK).map(<[u32]>::to_vec).collect()
}

/// Where the content of a channel begins and ends.
fn extent(word: &[u32], channel: usize) -> (usize, usize) {
    let mut marks = word.iter().enumerate().filter(|(_, letter)| **letter == MARK).map(|(at, _)| at);
    let begin = if channel == 0 { 1 } else { marks.nth(channel - 1).map_or(word.len(), |at| at + 1) };
    (begin, marks.next().unwrap_or(word.len()))
}

/// The configuration after a move, if the queues allow it.
fn after(word: &[u32], op: Op, target: Control) -> Option<Vec<u32>> {
    let mut next = word.to_vec();
    next[0] = target.0;
    match op {
        Op::Internal => {}
        Op::Send(channel, message) => next.insert(extent(word, channel).1, message),
        Op::Receive(channel, message) => {
            let (begin, end) = extent(word, channel);
            if begin == end || word[begin] != message {
                return None;
            }
            next.remove(begin);
        }
    }
    Some(next)
}

/// The configurations with one message lost.
fn losses(word: &[u32], lossy: &[bool]) -> Vec<(Vec<u32>, Step)> {
    let mut all = Vec::new();
    for channel in (0..lossy.len()).filter(|&channel| lossy[channel]) {
        let (begin, end) = extent(word, channel);
        for at in begin..end {
            let mut next = word.to_vec();
            next.remove(at);
            all.push((next, Step::Loss { channel, position: at - begin }));
        }
    }
    all
}
