//! Looks for processes that are created without end and then send, one after the other (see `model::growth`).
//!
//! Among the first states of the search: two on one way that differ by one process alone. From the later one the old processes go
//! on for a while, and at every state that they come to the new one is let go.

use super::breadth::Tree;
use super::{Ended, Hunt};
use model::growth::{GrowingRun, Stage, verified};
use model::semantics::Step;
use std::collections::HashSet;

/// States in which the old processes have moved on, and those of the new process in each.
const MOST_BETWEEN: usize = 200;
const MOST_SENDING: usize = 30;
/// Loops that create a process: so many are tried in all.
const MOST_LOOPS: usize = 8;

/// A state, the process in control of it, and the steps to it.
#[derive(Clone)]
struct Reached {
    state: Vec<u8>,
    control: Option<u32>,
    steps: Vec<Step>,
}

impl Hunt<'_> {
    /// Tries the loops of the first states that leave one process more.
    pub(super) fn crowds(&mut self, tree: &Tree) -> Result<(), Ended> {
        for (prefix, steps) in self.creating(tree) {
            if let Some(run) = self.crowd(&prefix, &steps) {
                let channels = super::gained(&run);
                self.shown.extend(channels);
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

    /// Loops that create a process, with the way to them.
    fn creating(&mut self, tree: &Tree) -> Vec<(Vec<Step>, Vec<Step>)> {
        let mut found: Vec<(Vec<Step>, Vec<Step>)> = Vec::new();
        for (earlier, later) in tree.created() {
            let (prefix, steps) = (self.steps_between(tree, 0, earlier), self.steps_between(tree, earlier, later));
            let (Some(prefix), Some(steps)) = (prefix, steps) else { break };
            if found.iter().all(|(_, known)| *known != steps) {
                found.push((prefix, steps));
            }
            if found.len() >= MOST_LOOPS {
                break;
            }
        }
        found
    }

    /// What one of the processes that a loop creates can add to a channel.
    fn crowd(&mut self, prefix: &[Step], steps: &[Step]) -> Option<GrowingRun> {
        let initial = self.stepper.initial().ok()?.ok()?;
        let state = self.follow(&initial, &[prefix, steps].concat())?;
        self.stepper.load(&state);
        let new = self.stepper.loaded_processes().checked_sub(1)? as u32;
        let first = Reached { state, control: None, steps: Vec::new() };
        for moved in self.reach(first, MOST_BETWEEN, &|process| process < new) {
            if moved.control.is_some() {
                continue;
            }
            let print = self.parts.fingerprint(&moved.state);
            let begin = Reached { steps: Vec::new(), ..moved.clone() };
            for sent in self.reach(begin, MOST_SENDING, &|process| process == new) {
                let after = self.parts.fingerprint(&sent.state);
                let longer = after.globals == print.globals && after.messages > print.messages;
                if !longer || sent.control.is_some() || sent.steps.is_empty() {
                    continue;
                }
                let stage = |between: &[Step], steps: &[Step]| {
                    let (between, steps) = (between.to_vec(), steps.to_vec());
                    Stage { between, steps, others: Vec::new(), gains: Vec::new() }
                };
                let stages = vec![stage(&[], steps), stage(&moved.steps, &sent.steps)];
                self.spent += (prefix.len() + steps.len() + moved.steps.len() + sent.steps.len()) as u64;
                if let Ok(run) =
                    verified(self.semantics, GrowingRun { prefix: prefix.to_vec(), stages }, &self.clock.cx)
                    && super::gained(&run).iter().any(|name| !self.shown.contains(name))
                {
                    return Some(run);
                }
            }
        }
        None
    }

    /// The states that such processes come to by themselves, nearest first.
    fn reach(&mut self, first: Reached, most: usize, moves: &dyn Fn(u32) -> bool) -> Vec<Reached> {
        let mut seen: HashSet<(Vec<u8>, Option<u32>)> = HashSet::from([(first.state.clone(), first.control)]);
        let (mut reached, mut next) = (vec![first], 0);
        while next < reached.len() && reached.len() < most {
            let Reached { state, control, steps } = reached[next].clone();
            next += 1;
            self.searched += 1;
            let holder = control.filter(|&process| self.stepper.keeps_control(&state, process) == Ok(true));
            let expanded = self.stepper.expand(&state, holder, &mut |successor| {
                let by = match successor.step {
                    Step::Edge { process, .. } => moves(process),
                    Step::Rendezvous { sender, receiver } => moves(sender.0) && moves(receiver.0),
                    Step::Loss { .. } => false,
                };
                if let (true, Some(state)) = (by, successor.state)
                    && seen.insert((state.to_vec(), successor.control))
                {
                    let steps = [steps.as_slice(), &[successor.step]].concat();
                    reached.push(Reached { state: state.to_vec(), control: successor.control, steps });
                }
            });
            if expanded.is_err() {
                break;
            }
        }
        reached
    }
}
