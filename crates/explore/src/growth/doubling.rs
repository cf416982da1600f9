//! Looks for queues whose messages are each replaced by several (see `model::growth`).
//!
//! From where a queue was longest, for each message in it alone: a short way that receives it, sends at least two, and leads
//! back to where all processes were. What it sends, and what it leaves in variables, asks for more such ways.

use super::{Ended, Hunt};
use crate::table::{Lookup, NO_PARENT, StateId, StateTable};
use model::growth::{GrowingRun, Stage, verified};
use model::ids::{LocationId, MachineId};
use model::semantics::Step;
use std::collections::BTreeMap;

/// States on the way from one message to those in its place.
const MOST_STATES: usize = 200;
/// States without the queue, times messages.
const MOST_ROUNDS: usize = 64;
/// Queues that were never so long are not tried, nor more places than this for each.
const LENGTH: u32 = 3;
const MOST_PLACES: usize = 6;
/// Places are looked for on so many steps of a run.
const MOST_STEPS: usize = 1 << 14;

/// A state without the contents of the queue, and a message.
type Start = (Vec<u8>, Vec<i32>);

impl Hunt<'_> {
    /// Tries every queue that is not yet shown to grow.
    pub(super) fn doublings(&mut self) -> Result<(), Ended> {
        let long = self.longest.values().filter(|q| q.length >= LENGTH && !self.shown.contains(&q.channel));
        let candidates: Vec<(String, Vec<Step>)> = long.map(|q| (q.channel.clone(), q.run.clone())).collect();
        for (channel, run) in candidates {
            if let Some(run) = self.doubling(&channel, &run) {
                self.shown.insert(channel);
                self.report.growing.push(run);
                if self.all_shown() {
                    return Err(Ended::Shown);
                }
            }
            if let Some(reason) = self.clock.must_stop(0) {
                return Err(Ended::Stopped(reason));
            }
        }
        Ok(())
    }

    /// Tries the first places on a run where the queue is not empty.
    fn doubling(&mut self, channel: &str, run: &[Step]) -> Option<GrowingRun> {
        let mut at = (self.stepper.initial().ok()?.ok()?, None);
        let mut tried: Vec<Vec<(MachineId, LocationId)>> = Vec::new();
        for length in 1..=run.len().min(MOST_STEPS) {
            self.advance(&mut at, run[length - 1])?;
            if self.is_inner(&at) {
                continue;
            }
            let state = &at.0;
            let Some(queue) = self.names(state).iter().position(|name| name.as_deref() == Some(channel)) else {
                continue;
            };
            let places = self.places(state);
            if self.parts.lengths(state)[queue] == 0 || tried.contains(&places) {
                continue;
            }
            if let Some(stage) = self.doubled(state, queue, &places) {
                let found = GrowingRun { prefix: run[..length].to_vec(), stages: vec![stage] };
                if let Ok(found) = verified(self.semantics, found, &self.clock.cx) {
                    return Some(found);
                }
            }
            tried.push(places);
            if tried.len() >= MOST_PLACES {
                break;
            }
        }
        None
    }

    /// A round for each message that can be in front, in each state that such rounds lead to.
    fn doubled(&mut self, state: &[u8], queue: usize, places: &[(MachineId, LocationId)]) -> Option<Stage> {
        let (base, word) = self.apart(state, queue)?;
        let first = word.first()?.clone();
        let mut rounds: BTreeMap<Start, Vec<Step>> = BTreeMap::new();
        let (mut bases, mut alphabet) = (vec![base.clone()], word);
        loop {
            let pairs = bases.iter().flat_map(|base| alphabet.iter().map(|letter| (base.clone(), letter.clone())));
            let Some(start) = pairs.into_iter().find(|start| !rounds.contains_key(start)) else { break };
            if rounds.len() >= MOST_ROUNDS {
                return None;
            }
            let (steps, end) = self.replaced(&start, queue, places)?;
            let (base, word) = self.apart(&end, queue)?;
            rounds.insert(start, steps);
            bases.push(base);
            alphabet.extend(word);
            alphabet.sort();
            alphabet.dedup();
        }
        let steps = rounds.get(&(base, first))?.clone();
        let mut others: Vec<Vec<Step>> = rounds.into_values().collect();
        others.dedup();
        Some(Stage { between: Vec::new(), steps, others, gains: Vec::new() })
    }

    /// A state without the contents of a queue, and these.
    fn apart(&mut self, state: &[u8], queue: usize) -> Option<(Vec<u8>, Vec<Vec<i32>>)> {
        let mut contents = self.stepper.messages(state);
        let word = std::mem::take(contents.get_mut(queue)?);
        Some((self.stepper.with_messages(state, &contents)?, word))
    }

    /// Where all processes are.
    fn places(&mut self, state: &[u8]) -> Vec<(MachineId, LocationId)> {
        self.stepper.load(state);
        (0..self.stepper.loaded_processes()).map(|process| self.stepper.loaded_place(process)).collect()
    }

    /// A shortest way that receives the message and leaves at least two in its place, and where it ends.
    fn replaced(
        &mut self,
        start: &Start,
        queue: usize,
        places: &[(MachineId, LocationId)],
    ) -> Option<(Vec<Step>, Vec<u8>)> {
        let mut contents = self.stepper.messages(&start.0);
        contents[queue] = vec![start.1.clone()];
        let first = self.stepper.with_messages(&start.0, &contents)?;
        let mut table = StateTable::default();
        table.insert(&first, NO_PARENT);
        // How many messages were received on the way to each state.
        let (mut received, mut next) = (vec![0u32], 0);
        while next < table.len() && table.len() < MOST_STATES {
            let state = table.state(next as StateId).to_vec();
            let mut found: Vec<Vec<u8>> = Vec::new();
            let mut sink = |state: &[u8]| found.push(state.to_vec());
            self.expander.expand(&state, &mut sink, &mut || Some(model::verdict::Reason::Interrupted)).ok()?;
            let old = self.stepper.messages(&state);
            for after in found {
                let new = self.stepper.messages(&after);
                let (old, new) = (old.get(queue)?, new.get(queue)?);
                let taken = received[next] + u32::from(!new.starts_with(old));
                if taken > 1 || !matches!(table.insert(&after, next as StateId), Lookup::New(_)) {
                    continue;
                }
                received.push(taken);
                if taken == 1 && new.len() >= 2 && self.places(&after) == places {
                    let id = table.len() as StateId - 1;
                    let mut chain: Vec<Vec<u8>> = std::iter::successors(Some(id), |&id| table.parent(id))
                        .map(|id| table.state(id).to_vec())
                        .collect();
                    chain.reverse();
                    return Some((self.expander.steps_along(&chain), after));
                }
            }
            next += 1;
        }
        None
    }
}
