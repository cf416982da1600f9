//! What runs a kernel and holds its memory: a device, or the host as its stand-in.

use std::fmt;

/// Something went wrong with a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure(pub String);

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Threads of a block.
pub(crate) const BLOCK: u64 = 128;

/// The kernels of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernel {
    /// Expands states.
    Expand,
    /// Adds states that the CPU found.
    Enter,
    /// Copies states for the CPU.
    Gather,
    /// Fills a larger table.
    Rebuild,
    /// Looks for numbers without a state.
    Survey,
    /// Moves states to them.
    Fill,
}

impl Kernel {
    /// All of them.
    pub const ALL: [Kernel; 6] =
        [Kernel::Expand, Kernel::Enter, Kernel::Gather, Kernel::Rebuild, Kernel::Survey, Kernel::Fill];

    /// Its name in the text.
    pub fn name(self) -> &'static str {
        match self {
            Kernel::Expand => "expand",
            Kernel::Enter => "enter",
            Kernel::Gather => "gather",
            Kernel::Rebuild => "rebuild",
            Kernel::Survey => "survey",
            Kernel::Fill => "fill",
        }
    }
}

/// What a kernel is given, word by word as the text declares it in `Args`.
#[derive(Clone, Copy, Debug, Default)]
#[allow(missing_docs)]
pub struct Args {
    pub table: u64,
    pub slots: u64,
    pub states: u64,
    pub parents: u64,
    pub reached: u64,
    pub list: u64,
    pub holes: u64,
    pub staging: u64,
    pub out: u64,
    pub first: u64,
    pub count: u64,
    pub limit: u64,
}

impl Args {
    /// The words.
    pub fn words(&self) -> [u64; 12] {
        [
            self.table,
            self.slots,
            self.states,
            self.parents,
            self.reached,
            self.list,
            self.holes,
            self.staging,
            self.out,
            self.first,
            self.count,
            self.limit,
        ]
    }
}

/// A text made ready to run, and memory for it. Addresses are the device's.
pub trait Backend {
    /// Its name, for people.
    fn name(&self) -> String;

    /// How many bytes can still be allocated.
    fn available(&self) -> u64;

    /// The most threads that run at a time.
    fn threads(&self) -> u64;

    /// New memory, of which nothing is known; `None` if there is too little.
    fn allocate(&mut self, bytes: u64) -> Result<Option<u64>, Failure>;

    /// Gives memory back.
    fn free(&mut self, address: u64);

    /// Sets memory to zero.
    fn clear(&mut self, address: u64, bytes: u64) -> Result<(), Failure>;

    /// Writes memory.
    fn upload(&mut self, address: u64, bytes: &[u8]) -> Result<(), Failure>;

    /// Reads memory.
    fn download(&mut self, address: u64, bytes: &mut [u8]) -> Result<(), Failure>;

    /// Runs a kernel for `work` pieces of work, after everything that was started before.
    fn launch(&mut self, kernel: Kernel, args: &Args, work: u64) -> Result<(), Failure>;
}

/// Something that compiles a text and runs it.
pub trait Compile {
    /// Compiles a text.
    fn compile(&self, text: &str) -> Result<Box<dyn Backend>, Failure>;
}
