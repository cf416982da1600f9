//! The states of one worker of a search that several processes share.
//!
//! Every state belongs to one worker. It numbers its states in the order in which it gets to know them, and remembers of
//! each from which state of which worker it was reached first. States are kept as they are, and packed once they are many
//! and long, as in the search of one process.

use crate::search::{Watch, is_crowded};
use crate::store::{Compressed, Plain, Store};
use crate::table::{NO_PARENT, StateId};
use crate::{Options, Packing};
use model::context::Context;
use model::semantics::SHAPE_BYTES;

/// A worker of the search.
pub type WorkerId = u16;

/// A state: the worker that it belongs to, and its number there.
pub type StateRef = (WorkerId, StateId);

/// The states of a worker.
pub struct Partition {
    states: States,
    /// Of each state: the worker that it was reached from.
    sources: Vec<WorkerId>,
}

enum States {
    Plain(Plain),
    Packed(Box<Compressed>),
}

/// Calls a method of the store.
macro_rules! store {
    ($self:expr, $store:ident => $call:expr) => {
        match &$self.states {
            States::Plain($store) => $call,
            States::Packed($store) => $call,
        }
    };
    (mut $self:expr, $store:ident => $call:expr) => {
        match &mut $self.states {
            States::Plain($store) => $call,
            States::Packed($store) => $call,
        }
    };
}

impl Partition {
    /// No state.
    pub fn new(options: &Options) -> Self {
        let states = match options.packing {
            Packing::Always => States::Packed(Box::default()),
            Packing::Auto | Packing::Never => States::Plain(Plain::default()),
        };
        Partition { states, sources: Vec::new() }
    }

    /// The number of states; those that wait are not counted.
    pub fn len(&self) -> usize {
        self.sources.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.sources.is_empty()
    }

    /// Writes out a state.
    pub fn open(&mut self, id: StateId, bytes: &mut Vec<u8>) {
        store!(mut self, store => store.open(id, bytes));
    }

    /// Adds a state, now or with the next [`Partition::flush`]; `false` when there was no room for some state. All that wait
    /// are reached from states of one worker.
    pub fn push(&mut self, state: &[u8], (source, parent): StateRef) -> bool {
        store!(mut self, store => store.push(state, parent));
        !store!(self, store => store.is_due()) || self.flush(source)
    }

    /// Adds the first state.
    pub fn first(&mut self, state: &[u8]) {
        self.push(state, (0, NO_PARENT));
        self.flush(0);
    }

    /// Adds the states that wait, which were reached from states of this worker; `false` when there was no room for some state.
    pub fn flush(&mut self, source: WorkerId) -> bool {
        let room = store!(mut self, store => store.flush());
        self.sources.resize(store!(self, store => store.len()), source);
        room
    }

    /// The state from which a state was reached first.
    pub fn parent(&self, id: StateId) -> Option<StateRef> {
        store!(self, store => store.parent(id)).map(|parent| (self.sources[id as usize], parent))
    }

    /// Packs states that take too much room. None waits.
    pub fn pack_if_crowded(&mut self, options: &Options, cx: &Context<'_>, bytes: &mut Vec<u8>) {
        let watch = Watch { options, cx: *cx };
        if let States::Plain(plain) = &mut self.states
            && is_crowded(&watch, plain.len() as u64, plain.state_bytes())
        {
            self.states = States::Packed(Box::new(plain.packed(bytes)));
        }
    }

    /// The bytes of all states as they are.
    pub fn state_bytes(&self) -> u64 {
        store!(self, store => store.state_bytes())
    }

    /// The bytes that they take here, with all that belongs to them.
    pub fn memory_bytes(&self) -> u64 {
        let sources = self.sources.capacity() * size_of::<WorkerId>();
        store!(self, store => store.memory_bytes()) + sources as u64
    }

    /// Bytes that are about to be needed at once.
    pub fn growth_bytes(&self) -> u64 {
        store!(self, store => store.growth_bytes())
    }
}

/// To whom a state belongs. The number of its shape depends on who met the shape first, so it does not count.
#[inline]
pub fn owner(state: &[u8], jobs: usize) -> usize {
    // Cheaper than a hash for a table: it has to be fair, and nothing else.
    let (words, rest) = state[SHAPE_BYTES.min(state.len())..].as_chunks::<8>();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let fold = |sum: u64, word: &[u8; 8]| sum.rotate_left(11).wrapping_add(u64::from_le_bytes(*word));
    let sum = fold(words.iter().fold(0, fold), &last).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (((sum >> 32) * jobs as u64) >> 32) as usize
}
