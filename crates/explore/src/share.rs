//! How the threads of a search keep their states and hand successors to each other: as they are, or packed.
//!
//! A [`Kind`] is what one thread has in its hands: it opens states of a partition, turns successors into letters for
//! their owners, and puts letters into a partition. Short states are kept and sent as they are ([`Bare`]), as in the
//! search of one thread: two names would take about as much room, and finding them more time than the search itself.
//! Long ones are, too, while there are few of them; then they are packed by who finds them ([`Packed`]), and a letter is
//! sixteen bytes whatever the state.

use crate::compress::{Entry, PackedTable, Packer, Pieces};
use crate::table::{Batch, StateId, StateTable};
use std::sync::Arc;

/// How many states are named together.
const BATCH: usize = 64;
/// How many states ahead of the one that is opened memory is touched.
const AHEAD: StateId = 4;
/// The index of pieces grows between rounds when so many eighths of it are used: it must not be full during a round.
const GROW_BETWEEN_ROUNDS: u64 = 3;

/// The states of one partition.
pub(crate) trait States: Default + Send {
    fn len(&self) -> usize;
    fn parent(&self, id: StateId) -> Option<StateId>;
    fn state_bytes(&self) -> u64;
    fn memory_bytes(&self) -> u64;
    /// Bytes that are about to be needed at once.
    fn growth_bytes(&self) -> u64;
}

/// Both tables answer these questions themselves.
macro_rules! states {
    ($table:ty) => {
        impl States for $table {
            fn len(&self) -> usize {
                self.len()
            }

            fn parent(&self, id: StateId) -> Option<StateId> {
                self.parent(id)
            }

            fn state_bytes(&self) -> u64 {
                self.state_bytes()
            }

            fn memory_bytes(&self) -> u64 {
                self.memory_bytes()
            }

            fn growth_bytes(&self) -> u64 {
                self.growth_bytes()
            }
        }
    };
}

states!(StateTable);
states!(PackedTable);

/// A way to keep states and to send them; one value per thread.
pub(crate) trait Kind: Sized + 'static {
    /// States are packed.
    const PACKED: bool;
    type Table: States;
    /// Successors for one partition.
    type Letters: Default + Send;
    /// What all threads share.
    type Common: Send + Sync;

    fn new(common: &Self::Common) -> Self;
    /// Makes room in what is shared. No process may be sending.
    fn grow(common: &Self::Common);
    /// Bytes of what is shared.
    fn common_bytes(common: &Self::Common) -> u64;

    /// Writes out a state; `end` says where the states end that are opened soon.
    fn open(&mut self, table: &Self::Table, id: StateId, end: StateId, bytes: &mut Vec<u8>);
    /// Writes to the owner of a successor of the state that was opened last; `false` when there is no room for it.
    fn send(&mut self, state: &[u8], owner: usize, parent: StateId, out: &mut [Self::Letters]) -> bool;
    /// Finishes all letters; `false` when there was no room for some state.
    fn settle(&mut self, out: &mut [Self::Letters]) -> bool;
    /// Whether what is shared should grow before more is sent.
    fn must_pause(&self) -> bool;
    /// What is shared may have grown.
    fn refresh(&mut self);

    fn count(letters: &Self::Letters) -> usize;
    /// Finds or adds the states of some letters, in order, and empties them; `false` when there is no room. `note` hears of each
    /// state that is sent, and from which one it was reached.
    fn insert(table: &mut Self::Table, letters: &mut Self::Letters, note: &mut impl FnMut(StateId, StateId)) -> bool;
}

/// States as they are.
pub(crate) struct Bare;

impl Kind for Bare {
    const PACKED: bool = false;
    type Table = StateTable;
    type Letters = Batch;
    type Common = ();

    fn new((): &()) -> Self {
        Bare
    }

    fn grow((): &()) {}

    fn common_bytes((): &()) -> u64 {
        0
    }

    fn open(&mut self, table: &StateTable, id: StateId, _: StateId, bytes: &mut Vec<u8>) {
        bytes.clear();
        bytes.extend_from_slice(table.state(id));
    }

    #[inline]
    fn send(&mut self, state: &[u8], owner: usize, parent: StateId, out: &mut [Batch]) -> bool {
        out[owner].push(state, parent);
        true
    }

    fn settle(&mut self, _: &mut [Batch]) -> bool {
        true
    }

    fn must_pause(&self) -> bool {
        false
    }

    fn refresh(&mut self) {}

    fn count(letters: &Batch) -> usize {
        letters.len()
    }

    fn insert(table: &mut StateTable, letters: &mut Batch, note: &mut impl FnMut(StateId, StateId)) -> bool {
        table.insert_noting(letters, note)
    }
}

/// States packed.
pub(crate) struct Packed {
    packer: Packer,
    /// The owners of successors that wait for their names.
    owners: Vec<usize>,
}

impl Kind for Packed {
    const PACKED: bool = true;
    type Table = PackedTable;
    type Letters = Vec<Entry>;
    type Common = Arc<Pieces>;

    fn new(pieces: &Arc<Pieces>) -> Self {
        Packed { packer: Packer::new(Arc::clone(pieces)), owners: Vec::new() }
    }

    fn grow(pieces: &Arc<Pieces>) {
        pieces.grow_if_due(GROW_BETWEEN_ROUNDS);
    }

    fn common_bytes(pieces: &Arc<Pieces>) -> u64 {
        pieces.memory_bytes()
    }

    fn open(&mut self, table: &PackedTable, id: StateId, end: StateId, bytes: &mut Vec<u8>) {
        if id + AHEAD < end {
            self.packer.touch(table.get(id + AHEAD));
        }
        self.packer.open(table.get(id), bytes);
    }

    #[inline]
    fn send(&mut self, state: &[u8], owner: usize, parent: StateId, out: &mut [Vec<Entry>]) -> bool {
        self.owners.push(owner);
        self.packer.push(state, parent);
        self.packer.waiting() < BATCH || self.settle(out)
    }

    fn settle(&mut self, out: &mut [Vec<Entry>]) -> bool {
        let mut owner = self.owners.drain(..);
        self.packer.settle(|entry| {
            if let Some(owner) = owner.next() {
                out[owner].push(entry);
            }
        })
    }

    fn must_pause(&self) -> bool {
        self.packer.is_crowded()
    }

    fn refresh(&mut self) {
        self.packer.refresh();
    }

    fn count(letters: &Vec<Entry>) -> usize {
        letters.len()
    }

    fn insert(table: &mut PackedTable, letters: &mut Vec<Entry>, note: &mut impl FnMut(StateId, StateId)) -> bool {
        let room = table.insert_noting(letters, note);
        letters.clear();
        room
    }
}
