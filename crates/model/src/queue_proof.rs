//! The proof object of the fifo engine: what the queues can hold, control state by control state.
//!
//! A *control state* says where each machine is. For each one that may be reached the proof has a set of queue contents;
//! what is not listed is never reached. It proves a property if it is an inductive invariant without anything bad in it:
//! it has the first configuration, every step from a configuration in it leads to one in it, and none of them violates
//! the property.
//!
//! A set of queue contents is a deterministic finite automaton over messages. The contents `(w₁, …, wₙ)` of `n` queues,
//! heads first, are read as one word, `w₁ 0 w₂ 0 … 0 wₙ`: a message is its value in the network, which is never 0, and
//! [`SEPARATOR`] ends one queue and begins the next. Without any channel there is one word, the empty one.
//!
//! That is enough for plain machines. Where there are data, a control state is all of a state but the messages, and so
//! are the states inside atomic sequences, where one process has control: [`QueueData`] spells both out, and says which
//! fields each message has.

use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// The letter between two queues.
pub const SEPARATOR: u32 = 0;

/// An invariant over queues.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct QueueProof {
    /// The bad configurations that were given beside the model, as they were written. If there are any, they are meant
    /// instead of those of the model.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bad: Vec<String>,
    /// The sets of queue contents.
    pub automata: Vec<QueueAutomaton>,
    /// Which of them belongs to which control state.
    pub entries: Vec<QueueEntry>,
    /// What the control states and the messages are, for models with data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<QueueData>,
}

/// Control states and messages of a model with data.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct QueueData {
    /// The number of queues that a word speaks of. In a state with fewer of them, it says nothing about those that are missing.
    pub queues: u32,
    /// The fields of each message: letter `k` is `messages[k - 1]`.
    pub messages: Vec<Vec<i32>>,
    /// The control states; an entry names its own by its place in this list.
    pub controls: Vec<QueueControl>,
}

/// A control state of a model with data.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct QueueControl {
    /// The portable bytes of the state without its messages (`semantics::Stepper::portable`), in hexadecimal digits.
    pub state: String,
    /// The process that keeps control, inside an atomic sequence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<u32>,
}

impl QueueControl {
    /// The control state with these portable bytes.
    pub fn new(portable: &[u8], owner: Option<u32>) -> Self {
        let state = portable.iter().fold(String::with_capacity(2 * portable.len()), |mut digits, byte| {
            let _ = write!(digits, "{byte:02x}");
            digits
        });
        QueueControl { state, owner }
    }
}

/// What the queues can hold in one control state.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct QueueEntry {
    /// The location of each process, in their order; with data, the number of the control state alone.
    pub control: Vec<u32>,
    /// The place of its set among the automata.
    pub automaton: u32,
}

/// A set of queue contents. It starts in state 0; without a state it is empty.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct QueueAutomaton {
    /// The states in which a word may end.
    pub accepting: Vec<u32>,
    /// By state: letters, and the states that they lead to. A letter that is missing leads nowhere.
    pub edges: Vec<Vec<(u32, u32)>>,
}
