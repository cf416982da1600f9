//! Safety, deadlock, reception and orphans of plain machines with finitely many configurations: all of them are listed.
//!
//! A configuration is a word: the location of each machine, then what is in the queues, with a separator between any two.
//! Whether it is bad is seen by the definition.

use crate::queues::Faults;
use crate::queues::machines::{Machines, Op, Step};
use crate::queues::pattern::Pattern;
use crate::{Refusal, pause};
use model::context::Context;
use model::network::Network;
use model::queue_proof::SEPARATOR;
use model::verdict::Property;
use rustc_hash::FxHashSet;
use scm::Specification;
use std::collections::VecDeque;

/// Lists everything; returns the number of configurations, and the digest of their set.
pub fn verify(
    network: &Network,
    specification: &Specification,
    property: &Property,
    cx: &Context<'_>,
) -> Result<(u64, u128), Refusal> {
    crate::keeps(network, property)?;
    let machines = Machines::read(network)?;
    let list = List { faults: Faults::of(property, specification)?, machines: &machines };
    let first: Vec<u32> = machines.initial().into_iter().chain(machines.empty_queues()).collect();
    let mut seen: FxHashSet<Box<[u32]>> = FxHashSet::default();
    seen.insert(first.clone().into());
    let (mut work, mut next) = (VecDeque::from([first]), Vec::new());
    let (mut count, mut sum) = (0, 0u128);
    while let Some(word) = work.pop_front() {
        (count, sum) = (count + 1, sum.wrapping_add(digest(&word)));
        let stuck = list.successors(&word, &mut next);
        if list.is_bad(&word, stuck) {
            return Err(Refusal::Violated(format!("{:?} is reached", list.locations(&word))));
        }
        for word in next.drain(..) {
            if !seen.contains(word.as_slice()) {
                seen.insert(word.clone().into());
                work.push_back(word);
            }
        }
        pause(count, work.len() as u64, cx)?;
    }
    Ok((count, sum))
}

/// FNV-1a, with 128 bits.
fn digest(word: &[u32]) -> u128 {
    let (basis, prime) = (0x6c62_272e_07bb_0142_62b8_2175_6295_c58d_u128, 0x0000_0000_0100_0000_0000_0000_0000_013b);
    word.iter().fold(basis, |hash, &letter| (hash ^ u128::from(letter)).wrapping_mul(prime))
}

struct List<'a> {
    faults: Faults<'a>,
    machines: &'a Machines,
}

impl List<'_> {
    fn locations<'w>(&self, word: &'w [u32]) -> &'w [u32] {
        &word[..self.machines.machines.len()]
    }

    fn contents<'w>(&self, word: &'w [u32]) -> &'w [u32] {
        &word[self.machines.machines.len()..]
    }

    /// Where each queue begins in a word, and where one behind the last would.
    fn starts(&self, word: &[u32]) -> Vec<usize> {
        let first = self.machines.machines.len();
        let separators = word.iter().enumerate().skip(first).filter(|(_, letter)| **letter == SEPARATOR);
        let next = separators.map(|(at, _)| at + 1);
        std::iter::once(first).chain(next).chain([word.len() + 1]).collect()
    }

    /// All that a step or a loss makes of a configuration. Says whether no step was possible.
    fn successors(&self, word: &[u32], next: &mut Vec<Vec<u32>>) -> bool {
        let starts = self.starts(word);
        for (machine, one) in self.machines.machines.iter().enumerate() {
            for step in &one.steps[word[machine] as usize] {
                if let Op::Receive(channel, message) = step.op
                    && head(word, &starts, channel) != Some(message)
                {
                    continue;
                }
                let mut after = word.to_vec();
                match step.op {
                    Op::Internal => {}
                    Op::Send(channel, message) => after.insert(starts[channel + 1] - 1, message),
                    Op::Receive(channel, _) => _ = after.remove(starts[channel]),
                }
                after[machine] = step.to;
                next.push(after);
            }
        }
        let stuck = next.is_empty();
        for channel in (0..self.machines.lossy.len()).filter(|&channel| self.machines.lossy[channel]) {
            next.extend((starts[channel]..starts[channel + 1] - 1).map(|at| {
                let mut after = word.to_vec();
                after.remove(at);
                after
            }));
        }
        stuck
    }

    fn is_bad(&self, word: &[u32], stuck: bool) -> bool {
        let at = self.locations(word);
        let has_message = || self.contents(word).iter().any(|&letter| letter != SEPARATOR);
        let all_ended = || self.machines.at(at).all(<[_]>::is_empty);
        match &self.faults {
            Faults::Bad(list) => list.iter().any(|(bad, pattern)| {
                crate::queues::is_covered(bad, at)
                    && pattern.as_ref().is_none_or(|pattern| is_word(pattern, self.contents(word)))
            }),
            Faults::Deadlock => stuck && (has_message() || !all_ended()),
            Faults::Reception => {
                let starts = self.starts(word);
                self.machines.at(at).any(|steps| is_surprised(word, &starts, steps))
            }
            Faults::Orphan => has_message() && all_ended(),
        }
    }
}

/// The message at the head of a channel.
fn head(word: &[u32], starts: &[usize], channel: usize) -> Option<u32> {
    word[starts[channel]..starts[channel + 1] - 1].first().copied()
}

/// A machine waits, every channel that it waits for has a message, and it takes none of them.
fn is_surprised(word: &[u32], starts: &[usize], steps: &[Step]) -> bool {
    let is_other = |step: &Step| match step.op {
        Op::Receive(channel, message) => head(word, starts, channel).is_some_and(|head| head != message),
        _ => false,
    };
    !steps.is_empty() && steps.iter().all(is_other)
}

/// Whether a word is one of a pattern.
fn is_word(pattern: &Pattern, word: &[u32]) -> bool {
    let closed = |mut points: Vec<u32>| {
        let mut seen: FxHashSet<u32> = points.iter().copied().collect();
        while let Some(point) = points.pop() {
            points.extend(pattern.silent(point).iter().filter(|&&next| seen.insert(next)));
        }
        seen
    };
    let read = |points: FxHashSet<u32>, &letter: &u32| {
        let next = points.into_iter().filter_map(|point| pattern.letter(point));
        closed(next.filter(|&(read, _)| read == letter).map(|(_, to)| to).collect())
    };
    word.iter().fold(closed(vec![pattern.start()]), read).into_iter().any(|point| pattern.is_end(point))
}
