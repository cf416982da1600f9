//! A queue whose messages are each replaced by several: it grows although no loop repeats.
//!
//! `q?x -> q!x; q!x` with a 1 and a 2 in the queue doubles both again and again, in rounds that take longer and longer. The
//! argument is another one. A *base* is a state without the contents of `q`. Let there be a finite set of bases and a finite
//! alphabet such that for each base and each letter there is a round: with that letter in front it receives just this one
//! message, sends at least two letters of the alphabet, and ends in one of the bases; and no decision on the way depends on
//! what is behind the letter (see `dependence.rs`; after the receive, what stands in front is not known). Then from any
//! of the bases, with a word of the alphabet in `q` that is not empty, there is always a next round, and each makes `q` longer.
//!
//! Rounds are given as steps without saying where they fit. Here the bases and the alphabet are found by trying them.

use super::{Front, GrowingRun, Moving, Refusal, Replay, Taken, fields, letters};
use crate::configuration::Configuration;
use crate::context::Context;
use crate::semantics::{Semantics, Step};
use crate::trace::queue_name;
use std::collections::BTreeMap;

/// No more bases times letters than this are looked at.
const MOST: usize = 1 << 10;

/// A round that fits, and where it starts.
struct Fits<'r> {
    base: usize,
    letter: usize,
    round: &'r [Step],
}

/// Decides whether the rounds of the only stage double a queue forever; then says by how much the first one makes it longer.
pub(super) fn verify(
    semantics: &Semantics<'_>,
    run: &GrowingRun,
    cx: &Context<'_>,
) -> Result<Vec<(String, i64)>, Refusal> {
    let [stage] = run.stages.as_slice() else { return Err(Refusal::NoLoop) };
    if !stage.between.is_empty() {
        return Err(Refusal::NoLoop);
    }
    let mut replay = Replay::begin(semantics, &run.prefix, cx)?;
    if replay.in_control()? != (None, None) {
        return Err(Refusal::NoLoop);
    }
    let start = replay.state.clone();
    let first = replay.follow(&stage.steps)?;
    let (before, after) = (&first.first().ok_or(Refusal::NoLoop)?.before, &first.last().ok_or(Refusal::NoLoop)?.after);
    let &[queue] = replay.changed(before, after)?.as_slice() else { return Err(Refusal::NoGrowth) };
    let gain = |state: &Configuration| letters(semantics, state, queue).len() as i64;
    let gains = vec![(queue_name(semantics, before, queue), gain(after) - gain(before))];
    let rounds = std::iter::once(stage.steps.as_slice()).chain(stage.others.iter().map(Vec::as_slice)).collect();
    let mut table = Table { replay, queue, rounds, bases: Vec::new(), alphabet: Vec::new() };
    table.close(&start)?;
    Ok(gains)
}

struct Table<'s, 'r> {
    replay: Replay<'s>,
    queue: usize,
    rounds: Vec<&'r [Step]>,
    bases: Vec<Vec<u8>>,
    alphabet: Vec<Vec<i32>>,
}

impl<'r> Table<'_, 'r> {
    /// Finds all bases and letters, a round for each pair, and asks what the rounds depend on.
    fn close(&mut self, start: &[u8]) -> Result<(), Refusal> {
        let mut contents = self.replay.stepper.messages(start);
        let word = std::mem::take(contents.get_mut(self.queue).ok_or(Refusal::NoGrowth)?);
        if word.is_empty() {
            return Err(Refusal::NoGrowth);
        }
        self.add(start, word)?;
        let mut done: BTreeMap<(usize, usize), Fits<'r>> = BTreeMap::new();
        loop {
            let pairs = (0..self.bases.len()).flat_map(|b| (0..self.alphabet.len()).map(move |l| (b, l)));
            let Some((base, letter)) = pairs.into_iter().find(|pair| !done.contains_key(pair)) else { break };
            let round = self.fitting(base, letter)?;
            done.insert((base, letter), Fits { base, letter, round });
            if self.bases.len() * self.alphabet.len() > MOST {
                return Err(Refusal::NoLoop);
            }
        }
        done.values().try_for_each(|fits| self.check(fits))
    }

    /// Adds a base and letters.
    fn add(&mut self, state: &[u8], word: Vec<Vec<i32>>) -> Result<(), Refusal> {
        let mut contents = self.replay.stepper.messages(state);
        contents.get_mut(self.queue).ok_or(Refusal::Lives)?.clear();
        let base = self.replay.stepper.with_messages(state, &contents).ok_or(Refusal::Step)?;
        if !self.bases.contains(&base) {
            self.bases.push(base);
        }
        for letter in word {
            if !self.alphabet.contains(&letter) {
                self.alphabet.push(letter);
            }
        }
        Ok(())
    }

    /// Executes a round with one letter in the queue.
    fn execute(&mut self, base: usize, letter: usize, round: &[Step]) -> Result<Vec<Taken>, Refusal> {
        let base = self.bases[base].clone();
        let mut contents = self.replay.stepper.messages(&base);
        contents[self.queue] = vec![self.alphabet[letter].clone()];
        self.replay.state = self.replay.stepper.with_messages(&base, &contents).ok_or(Refusal::Step)?;
        self.replay.control = None;
        self.replay.follow(round)
    }

    /// A round that can be executed and leaves at least two letters in the place of one.
    fn fitting(&mut self, base: usize, letter: usize) -> Result<&'r [Step], Refusal> {
        for round in self.rounds.clone() {
            if self.execute(base, letter, round).is_err() || self.replay.in_control()? != (None, None) {
                continue;
            }
            let end = self.replay.state.clone();
            let word = self.replay.stepper.messages(&end).get(self.queue).cloned().ok_or(Refusal::Lives)?;
            if word.len() >= 2 {
                self.add(&end, word)?;
                return Ok(round);
            }
        }
        Err(Refusal::Order)
    }

    /// Whether a round does the same whatever is behind the letter.
    fn check(&mut self, fits: &Fits<'r>) -> Result<(), Refusal> {
        let trace = self.execute(fits.base, fits.letter, fits.round)?;
        let front = Front { letters: self.alphabet.clone(), hidden: false };
        let mut moving: Moving = BTreeMap::from([(self.queue, front)]);
        super::check_owners(&trace, &moving)?;
        let mut total = BTreeMap::new();
        for taken in &trace {
            let received = total.get(&self.queue).map_or(0, |(_, r): &super::Traffic| r.len());
            // A deterministic step that receives and then goes on is not taken apart.
            if received == 0 && taken.inside.len() > 1 {
                self.replay.add_traffic(taken, &hidden(&moving), false, &mut total)?;
            } else {
                self.replay.add_traffic(taken, &moving, false, &mut total)?;
            }
            if total.get(&self.queue).is_some_and(|(_, received)| !received.is_empty()) {
                moving = hidden(&moving);
            }
        }
        let (sent, received) = total.remove(&self.queue).unwrap_or_default();
        let as_fields = |letter: &Vec<u8>| fields(self.replay.semantics, &trace[0].before, self.queue, letter);
        let received: Vec<Vec<i32>> = received.iter().map(as_fields).collect();
        let closed = sent.iter().map(as_fields).all(|letter| self.alphabet.contains(&letter));
        if received == [self.alphabet[fits.letter].clone()] && sent.len() >= 2 && closed {
            Ok(())
        } else {
            Err(Refusal::Order)
        }
    }
}

/// The same queues, of which it is not known what stands in front.
fn hidden(moving: &Moving) -> Moving {
    moving.iter().map(|(&queue, front)| (queue, Front { hidden: true, ..front.clone() })).collect()
}
