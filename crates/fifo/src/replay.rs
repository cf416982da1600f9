//! Runs, step by step: whether a run is one, and what is in the queues on its path.

use crate::system::{Op, System};
use crate::verdict::{Run, Step};
use std::collections::VecDeque;

/// The state of each machine, and the content of each channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Configuration {
    /// By machine.
    pub control: Vec<u32>,
    /// By channel, the front first.
    pub queues: Vec<VecDeque<u32>>,
}

impl Configuration {
    /// The contents as words.
    pub fn contents(&self) -> Vec<Vec<u32>> {
        self.queues.iter().map(|queue| queue.iter().copied().collect()).collect()
    }
}

/// Why a run is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReplayError {
    /// It begins in a state that is not initial.
    #[error("the run does not begin in an initial state")]
    Initial,
    /// This step is not possible.
    #[error("step {0} of the run is not possible")]
    Step(usize),
}

/// The configurations of a run, the initial one first.
pub fn replay(system: &System, run: &Run) -> Result<Vec<Configuration>, ReplayError> {
    let begins = |(machine, state): (&crate::Machine, &u32)| machine.initial.contains(&(*state as usize));
    if run.initial.len() != system.machines.len() || !system.machines.iter().zip(&run.initial).all(begins) {
        return Err(ReplayError::Initial);
    }
    // Languages have a channel even where the system has none.
    let queues = vec![VecDeque::new(); system.channels.max(1)];
    let mut configurations = vec![Configuration { control: run.initial.clone(), queues }];
    for (at, step) in run.steps.iter().enumerate() {
        let mut next = configurations[at].clone();
        take(system, &mut next, *step).ok_or(ReplayError::Step(at))?;
        configurations.push(next);
    }
    Ok(configurations)
}

fn take(system: &System, configuration: &mut Configuration, step: Step) -> Option<()> {
    match step {
        Step::Move { machine, transition } => {
            let transition = system.machines.get(machine)?.transitions.get(transition)?;
            if configuration.control[machine] as usize != transition.from {
                return None;
            }
            configuration.control[machine] = transition.to as u32;
            act(configuration, transition.op)
        }
        Step::Loss { channel, position } if system.is_lossy(channel) => {
            configuration.queues.get_mut(channel)?.remove(position).map(|_| ())
        }
        Step::Loss { .. } => None,
    }
}

fn act(configuration: &mut Configuration, op: Op) -> Option<()> {
    match op {
        Op::Internal => Some(()),
        Op::Send(channel, message) => {
            configuration.queues.get_mut(channel)?.push_back(message);
            Some(())
        }
        Op::Receive(channel, message) => {
            let queue = configuration.queues.get_mut(channel)?;
            (queue.pop_front()? == message).then_some(())
        }
    }
}
