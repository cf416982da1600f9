//! How a model is read and how it is checked: what the command line and a program in Rust can set.

pub use cluster::Cluster;
pub use gpu::Device;
pub use input::{COptions, DataModel, Language, ReadOptions};

use input::choices;
use model::semantics::Reading;
use std::path::PathBuf;

choices! {
    /// The engine to use.
    Engine {
        Auto = "auto": "The engines that fit the model and the property",
        Flow = "flow": "Linear programming over control-flow cycles: boundedness, livelock",
        Fifo = "fifo": "Queues of any length, by abstraction of their contents",
        Explore = "explore": "Explicit-state search",
        Compose = "compose": "Parallel composition of labelled transition systems",
        Pdr = "pdr": "Property-directed reachability for C programs",
        Cegar = "cegar": "Predicate abstraction with refinement for C components",
    }
}

choices! {
    /// The method of an engine that has several.
    Method {
        Auto = "auto": "All of the engine's methods in turn",
        Search = "search": "Configuration by configuration, breadth-first",
        Absint = "absint": "Abstract interpretation with widening",
        Cegar = "cegar": "Refinement of abstractions by their spurious runs",
        Armc = "armc": "Abstract regular model checking",
        Paper = "paper": "Refinement of partitions, component by component, as published: one split an iteration",
        Refine = "refine": "The same with better first partitions, and several splits an iteration",
        Minimise = "minimise": "Compose, hide, minimise, one component after the other",
    }
}

choices! {
    /// Where path invariants come from, and from which end they are computed.
    PathInvariant {
        UpinvFwd = "upinv-fwd": "One precision for the whole path, from its start",
        UpinvBwd = "upinv-bwd": "One precision for the whole path, from its end",
        ApinvFwd = "apinv-fwd": "A precision for each step, from the start",
        ApinvBwd = "apinv-bwd": "A precision for each step, from the end",
    }
}

choices! {
    /// How the flow engine treats cycles.
    Abstraction {
        Flow = "flow": "Cycles are generated on demand",
        Cycles = "cycles": "All elementary cycles are enumerated, without refinement: the method of the papers, as a yardstick",
    }
}

choices! {
    /// The channel semantics.
    Channels {
        Declared = "declared": "A full channel blocks the sender",
        Unbounded = "unbounded": "A send never blocks",
        Drop = "drop": "A full channel loses the message",
    }
}

/// A setting of which the model has the same values by the same names.
macro_rules! alike {
    ($own:ident, $model:ty: $($value:ident),+) => {
        impl From<$own> for $model {
            fn from(own: $own) -> Self {
                match own { $($own::$value => Self::$value),+ }
            }
        }
    };
}

alike!(Channels, Reading: Declared, Unbounded, Drop);

choices! {
    /// Which infinite runs count.
    Fairness {
        None = "none": "Every run",
        Weak = "weak": "A process that is continuously enabled moves infinitely often",
        Strong = "strong": "A process that is enabled infinitely often moves infinitely often",
        Choice = "choice": "Of a choice that is made infinitely often, every alternative is taken infinitely often",
    }
}

alike!(Fairness, model::fairness::Fairness: None, Weak, Strong, Choice);

choices! {
    /// Partial-order reduction.
    Reduction {
        Auto = "auto": "Ample sets, once there are many states",
        None = "none": "None: every state is visited",
        Order = "order": "Ample sets from the start",
    }
}

impl From<Reduction> for explore::reduction::Mode {
    fn from(reduction: Reduction) -> explore::reduction::Mode {
        match reduction {
            Reduction::None => explore::reduction::Mode::Off,
            Reduction::Auto => explore::reduction::Mode::Auto,
            Reduction::Order => explore::reduction::Mode::On,
        }
    }
}

choices! {
    /// The order in which states are visited.
    SearchOrder {
        Breadth = "breadth": "Breadth-first: finds shortest runs",
        Depth = "depth": "Depth-first: finds deep violations soon",
    }
}

/// How a model is checked. The default is what `highwater check` does without options.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The engine to use.
    pub engine: Engine,
    /// The channel semantics.
    pub channels: Channels,
    /// Threads; by default as many as there are cores, up to 16.
    pub jobs: Option<usize>,
    /// Where safety and deadlock are searched.
    pub device: Device,
    /// The processes that share the search for safety and deadlock, and which of them this one is.
    pub cluster: Option<Cluster>,
    /// Where to write the code that is generated for a device.
    pub emit_cuda: Option<PathBuf>,
    /// A few bits per state: finds violations in what does not fit into memory, proves nothing.
    pub bitstate: bool,
    /// Keep states uncompressed: more memory, less time.
    pub unpacked: bool,
    /// Events that count as progress, instead of progress labels.
    pub progress: Vec<String>,
    /// Which infinite runs count.
    pub fair: Fairness,
    /// How the flow engine treats cycles.
    pub abstraction: Abstraction,
    /// Bad configurations of communicating machines, instead of those of the file.
    pub bad: Vec<String>,
    /// The method of an engine that has several.
    pub method: Method,
    /// The product of all components, on the fly, without abstraction.
    pub plain: bool,
    /// For the method `cegar` of the engine `fifo`.
    pub path_invariant: Option<PathInvariant>,
    /// The extrapolation of sets of queue contents, such as `rho-forward`.
    pub extrapolation: Option<String>,
    /// Report how the engines refine.
    pub trace_refinement: bool,
    /// Faults at run time count, beside stated errors.
    pub c_faults: bool,
    /// Where to write a violation of C as a C program.
    pub c_test: Option<PathBuf>,
    /// A second solver checks proofs about C as well.
    pub cross_check: bool,
    /// Collect invariants and tables for display.
    pub stats: bool,
    /// Go on after a violation, through all states.
    pub keep_going: bool,
    /// Partial-order reduction.
    pub reduction: Reduction,
    /// Leave out states that differ in which process is which.
    pub symmetry: bool,
    /// The order in which states are visited.
    pub search: SearchOrder,
    /// Stop after so many states.
    pub max_states: Option<u64>,
    /// Do not go deeper than this.
    pub max_depth: Option<u64>,
    /// Keep states on disk, below this folder.
    pub spill: Option<PathBuf>,
    /// Keep states on disk in this folder, with a checkpoint from which another search can go on.
    pub checkpoint: Option<PathBuf>,
    /// Go on from the checkpoint in this folder.
    pub resume: Option<PathBuf>,
}

impl Settings {
    /// Whether states are kept on disk.
    pub(crate) fn on_disk(&self) -> bool {
        self.spill.is_some() || self.checkpoint.is_some() || self.resume.is_some()
    }

    /// Threads, and when states are left out. A process of a cluster uses one thread.
    pub(crate) fn search(&self) -> explore::Options {
        let jobs = if self.cluster.is_some() { 1 } else { self.threads() };
        explore::Options { jobs, ..explore::Options::reducing(self.reduction.into()) }
    }

    /// The number of threads.
    pub fn threads(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, std::num::NonZero::get).min(16);
        self.jobs.unwrap_or_else(cores)
    }
}
