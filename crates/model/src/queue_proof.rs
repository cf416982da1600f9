//! The proof object of the fifo engine: what the queues can hold, control state by control state.
//!
//! A *control state* says where each machine is. For each one that may be reached the proof has a set of queue
//! contents; what is not listed is never reached. It proves a property if it is an inductive invariant without anything
//! bad in it: it has the first configuration, every step from a configuration in it leads to one in it, and none of
//! them violates the property.
//!
//! A set of queue contents is a deterministic finite automaton over messages. The contents `(w₁, …, wₙ)` of `n` queues,
//! heads first, are read as one word, `w₁ 0 w₂ 0 … 0 wₙ`: a message is its value in the network, which is never 0, and
//! [`SEPARATOR`] ends one queue and begins the next. Without any channel there is one word, the empty one.
//!
//! That is enough for plain machines. Where there are data, a control state is all of a state but the messages, and so
//! are the states inside atomic sequences, where one process has control: [`QueueData`] spells both out, and says which
//! fields each message has.
//!
//! For a formula, a deterministic automaton reads the run beside the model: [`QueueProof::monitor`]. What it knows is
//! part of a control state ([`Watched`]), and where it is nowhere, the run so far has broken the formula: no control
//! state is there.

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
    /// For a formula: the edges of each state of its monitor, which starts in state 0. With all values of the atoms
    /// just one edge can be taken.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub monitor: Vec<Vec<MonitorEdge>>,
}

/// An edge of a monitor: a conjunction of atoms of the formula, some of them negated. Atoms are bits, in the order of
/// the text.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct MonitorEdge {
    /// Atoms that must hold.
    pub holds: u32,
    /// Atoms that must not.
    pub fails: u32,
    /// The next state; `None` where the formula is broken.
    pub to: Option<u32>,
}

impl MonitorEdge {
    /// Whether it is taken where exactly these atoms hold.
    pub fn is_open(&self, atoms: u32) -> bool {
        self.holds & !atoms == 0 && self.fails & atoms == 0
    }
}

/// What the monitor of a formula knows in a control state: nothing without a formula.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default, Serialize, Deserialize)]
pub struct Watched {
    /// Its state.
    pub at: u32,
    /// What it has seen of the position that it is at: inside an atomic sequence, of a formula about events.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub seen: u32,
}

impl Watched {
    /// The formula is broken.
    pub const BROKEN: Watched = Watched { at: u32::MAX, seen: 0 };
}

fn is_start(watched: &Watched) -> bool {
    *watched == Watched::default()
}

fn is_zero(bits: &u32) -> bool {
    *bits == 0
}

/// Control states and messages of a model with data.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct QueueData {
    /// The number of queues that a word speaks of. In a state with fewer of them, it says nothing about those that are
    /// missing.
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
    /// What the monitor knows.
    #[serde(default, skip_serializing_if = "is_start")]
    pub watched: Watched,
}

impl QueueControl {
    /// The control state with these portable bytes.
    pub fn new(portable: &[u8], owner: Option<u32>, watched: Watched) -> Self {
        let state = portable.iter().fold(String::with_capacity(2 * portable.len()), |mut digits, byte| {
            let _ = write!(digits, "{byte:02x}");
            digits
        });
        QueueControl { state, owner, watched }
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
