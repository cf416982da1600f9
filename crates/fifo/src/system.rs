//! Systems of communicating finite machines (section 2 of the paper).
//!
//! Machines have states and transitions; a transition sends a message, receives one, or does something internal.
//! Channels are numbered, shared by all machines, unbounded, and empty in the beginning. The paper speaks of one machine,
//! the product of all; here the product stays implicit.

use queues::Regex;

/// What a transition does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Op {
    /// Nothing with channels.
    Internal,
    /// Appends a message to a channel: channel, message.
    Send(usize, u32),
    /// Takes a message from the front of a channel: channel, message.
    Receive(usize, u32),
}

/// One transition of a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Transition {
    /// The state it leaves.
    pub from: usize,
    /// What it does.
    pub op: Op,
    /// The state it enters.
    pub to: usize,
    /// What it was made of; for the caller, not looked at.
    pub origin: u32,
}

/// One machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Machine {
    /// Its name.
    pub name: String,
    /// Where it may begin.
    pub initial: Vec<usize>,
    /// The names of its states.
    pub states: Vec<String>,
    /// In the order in which they are tried.
    pub transitions: Vec<Transition>,
}

/// Configurations that must not be reached.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bad {
    /// For each machine the states it must be in, one of them; `None` is any. Machines that are not listed are free.
    pub states: Vec<Option<Vec<usize>>>,
    /// The contents of the channels; `None` is any.
    pub queues: Option<Regex>,
}

/// Machines, channels, and what must not happen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct System {
    /// The number of channels.
    pub channels: usize,
    /// The names of the messages.
    pub alphabet: Vec<String>,
    /// Which channels may lose messages; those not listed do not.
    pub lossy: Vec<bool>,
    /// The machines.
    pub machines: Vec<Machine>,
    /// The bad configurations: any of these.
    pub bad: Vec<Bad>,
}

/// Why a system is not one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SystemError {
    /// A state that does not exist.
    #[error("machine '{machine}' has no state {state}")]
    State {
        /// The machine.
        machine: String,
        /// The state.
        state: usize,
    },
    /// A channel that does not exist.
    #[error("there is no channel {0}")]
    Channel(usize),
    /// A message that does not exist.
    #[error("there is no message {0}")]
    Message(u32),
    /// A bad language that is none.
    #[error("bad configuration {number}: {error}")]
    BadQueues {
        /// Its place in the list.
        number: usize,
        /// What is wrong.
        error: queues::RegexError,
    },
    /// There was no time or memory even to begin.
    #[error(transparent)]
    Limit(#[from] queues::Limit),
}

impl System {
    /// Whether all numbers are those of something.
    pub fn validate(&self) -> Result<(), SystemError> {
        for machine in &self.machines {
            let ends = machine.transitions.iter().flat_map(|transition| [transition.from, transition.to]);
            machine.initial.iter().copied().chain(ends).try_for_each(|state| machine.has(state))?;
            machine.transitions.iter().try_for_each(|transition| self.validate_op(transition.op))?;
        }
        for bad in &self.bad {
            for (machine, states) in self.machines.iter().zip(&bad.states) {
                states.iter().flatten().try_for_each(|&state| machine.has(state))?;
            }
        }
        Ok(())
    }

    fn validate_op(&self, op: Op) -> Result<(), SystemError> {
        match op {
            Op::Internal => Ok(()),
            Op::Send(channel, _) | Op::Receive(channel, _) if channel >= self.channels => {
                Err(SystemError::Channel(channel))
            }
            Op::Send(_, message) | Op::Receive(_, message) if message as usize >= self.alphabet.len() => {
                Err(SystemError::Message(message))
            }
            Op::Send(..) | Op::Receive(..) => Ok(()),
        }
    }

    /// Whether a channel may lose messages.
    pub fn is_lossy(&self, channel: usize) -> bool {
        self.lossy.get(channel).copied().unwrap_or(false)
    }
}

impl Machine {
    fn has(&self, state: usize) -> Result<(), SystemError> {
        if state < self.states.len() { Ok(()) } else { Err(SystemError::State { machine: self.name.clone(), state }) }
    }
}
