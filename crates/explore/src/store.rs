//! Where a search keeps its states: as they are, or packed.
//!
//! A search asks for two things: write out a state that it expands, and remember the successors. It does
//! not see when they are looked up; that happens in batches, so that the processor waits for many cache lines
//! at once.

use crate::compress::{CROWDED, Entry, PackedTable, Packer, Pieces};
use crate::table::{Batch, NO_PARENT, StateId, StateTable};
use std::sync::Arc;

/// How many states are looked up together.
const BATCH: usize = 64;

/// The states of a search, with numbers in the order in which they were found.
pub(crate) trait Store {
    /// States are packed here.
    const PACKED: bool;
    /// The number of states; those that wait are not counted.
    fn len(&self) -> usize;
    /// Writes out a state.
    fn open(&mut self, id: StateId, bytes: &mut Vec<u8>);
    /// Adds a state that was reached from `parent`, now or later.
    fn push(&mut self, state: &[u8], parent: StateId);
    /// Adds all states that wait; `false` when there was no room for some state.
    fn flush(&mut self) -> bool;
    /// Whether it is time to add the states that wait.
    fn is_due(&self) -> bool;
    /// The state from which a state was found first.
    fn parent(&self, id: StateId) -> Option<StateId>;
    /// The bytes of all states as they are.
    fn state_bytes(&self) -> u64;
    /// The bytes that they take here, with all that belongs to them.
    fn memory_bytes(&self) -> u64;
    /// Bytes that are about to be needed at once.
    fn growth_bytes(&self) -> u64;
}

/// States as they are.
#[derive(Default)]
pub(crate) struct Plain {
    table: StateTable,
    batch: Batch,
}

impl Plain {
    /// The same states packed; `bytes` is room for one of them.
    pub(crate) fn packed(&mut self, bytes: &mut Vec<u8>) -> Compressed {
        let mut store = Compressed::default();
        for id in 0..self.len() as StateId {
            self.open(id, bytes);
            store.push(bytes, self.parent(id).unwrap_or(NO_PARENT));
            if store.is_due() {
                store.flush();
            }
        }
        store.flush();
        store
    }
}

impl Store for Plain {
    const PACKED: bool = false;

    fn len(&self) -> usize {
        self.table.len()
    }

    fn open(&mut self, id: StateId, bytes: &mut Vec<u8>) {
        bytes.clear();
        bytes.extend_from_slice(self.table.state(id));
    }

    fn push(&mut self, state: &[u8], parent: StateId) {
        self.batch.push(state, parent);
    }

    fn flush(&mut self) -> bool {
        self.table.insert_all(&mut self.batch)
    }

    fn is_due(&self) -> bool {
        self.batch.len() >= BATCH
    }

    fn parent(&self, id: StateId) -> Option<StateId> {
        self.table.parent(id)
    }

    fn state_bytes(&self) -> u64 {
        self.table.state_bytes()
    }

    fn memory_bytes(&self) -> u64 {
        self.table.memory_bytes()
    }

    fn growth_bytes(&self) -> u64 {
        self.table.growth_bytes()
    }
}

/// States packed.
pub(crate) struct Compressed {
    pub(crate) pieces: Arc<Pieces>,
    packer: Packer,
    pub(crate) table: PackedTable,
    batch: Vec<Entry>,
    /// There was no room for some state.
    full: bool,
}

impl Default for Compressed {
    fn default() -> Self {
        let pieces = Arc::new(Pieces::default());
        let packer = Packer::new(Arc::clone(&pieces));
        Compressed { pieces, packer, table: PackedTable::default(), batch: Vec::new(), full: false }
    }
}

/// How many states ahead of the one that is opened memory is touched.
const AHEAD: StateId = 4;

impl Store for Compressed {
    const PACKED: bool = true;

    fn len(&self) -> usize {
        self.table.len()
    }

    fn open(&mut self, id: StateId, bytes: &mut Vec<u8>) {
        if ((id + AHEAD) as usize) < self.table.len() {
            self.packer.touch(self.table.get(id + AHEAD));
        }
        self.packer.open(self.table.get(id), bytes);
    }

    fn push(&mut self, state: &[u8], parent: StateId) {
        self.packer.push(state, parent);
    }

    fn flush(&mut self) -> bool {
        let batch = &mut self.batch;
        self.full |= !self.packer.settle(|entry| batch.push(entry));
        self.full |= !self.table.insert_all(&self.batch);
        self.batch.clear();
        if self.packer.is_crowded() {
            self.pieces.grow_if_due(CROWDED);
            self.packer.refresh();
        }
        !self.full
    }

    fn is_due(&self) -> bool {
        self.packer.waiting() >= BATCH
    }

    fn parent(&self, id: StateId) -> Option<StateId> {
        self.table.parent(id)
    }

    fn state_bytes(&self) -> u64 {
        self.table.state_bytes()
    }

    fn memory_bytes(&self) -> u64 {
        self.table.memory_bytes() + self.pieces.memory_bytes()
    }

    fn growth_bytes(&self) -> u64 {
        self.table.growth_bytes()
    }
}
