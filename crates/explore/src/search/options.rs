//! How to search: the order, what is looked for, how states are kept, and how many there may be.

use crate::disk::Disk;
use crate::reduction::Mode;
use model::semantics::Reading;
use model::verdict::Property;

/// In which order states are looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Order {
    /// Nearest first: runs are shortest.
    #[default]
    Breadth,
    /// Deepest first.
    Depth,
}

/// Whether states are packed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Packing {
    /// They are kept as they are, in one thread.
    Never,
    /// Long ones are.
    #[default]
    Auto,
    /// Always, from the first one on.
    Always,
}

/// How to search.
#[derive(Clone, Debug)]
pub struct Options {
    /// In which order.
    pub order: Order,
    /// Go on after a violation, through all states.
    pub keep_going: bool,
    /// What is looked for.
    pub properties: Vec<Property>,
    /// Threads, for a breadth-first search that is wide enough.
    pub jobs: usize,
    /// Whether states are packed.
    pub packing: Packing,
    /// So many states are found, as they are and in one thread, before they are packed or other threads help; small
    /// models are the same for any number of threads.
    pub alone: usize,
    /// States of more bytes than this are long, and may be packed.
    pub long: u64,
    /// Long states are kept as they are until all take so many bytes: packing costs time, and only memory is worth it.
    pub room: u64,
    /// Remember states by a few bits in so many bytes only: then nothing is proved.
    pub bitstate: Option<u64>,
    /// Keep states on disk: breadth-first, layer by layer.
    pub disk: Option<Disk>,
    /// When states are left out because the order of steps does not matter.
    pub reduction: Mode,
    /// States are left out that differ in which process is which.
    pub symmetry: bool,
}

impl Options {
    /// When states are left out: on disk there is one search, and a checkpoint of it, so whether that pays is not tried out.
    pub(crate) fn mode(&self, reading: Reading) -> Mode {
        match self.reduction.of(reading) {
            Mode::Auto if self.disk.is_some() => Mode::Off,
            mode => mode,
        }
    }

    /// The defaults, but for when states are left out.
    pub fn reducing(reduction: Mode) -> Options {
        Options { reduction, ..Options::default() }
    }
}

impl Default for Options {
    fn default() -> Self {
        Options {
            order: Order::Breadth,
            keep_going: false,
            properties: Vec::new(),
            jobs: 1,
            packing: Packing::Auto,
            alone: 20_000,
            long: 40,
            room: 64 << 20,
            bitstate: None,
            disk: None,
            reduction: Mode::Off,
            symmetry: false,
        }
    }
}
