//! What an option can be set to, where that is one of a few words.

use clap::ValueEnum;
use model::semantics::Reading;

/// How wide the integers of C are.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum DataModelName {
    Ilp32,
    Lp64,
}

/// When to use colours.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum When {
    Auto,
    Always,
    Never,
}

/// What a model is translated to.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// Communicating machines, in the published format of `.scm`.
    Scm,
    /// Structures side by side, as FSP.
    Fsp,
    /// One structure, in the format of Aldebaran.
    Aut,
}

/// How an automaton is printed.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum AutomatonFormat {
    /// For people.
    Text,
    /// As a `never` claim for SPIN.
    Never,
    /// In the Hanoi omega-automata format.
    Hoa,
    /// As a graph for Graphviz.
    Dot,
}

/// Who answers.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Engine {
    Auto,
    Flow,
    Fifo,
    Explore,
    Compose,
    Predicates,
    Concurrent,
}

/// How an engine with several methods looks for an answer.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum MethodName {
    /// All of the engine's methods in turn.
    Auto,
    /// Configuration by configuration, breadth-first.
    Search,
    /// Abstract interpretation with widening.
    Absint,
    /// Refinement of abstractions by their spurious runs.
    Cegar,
    /// Abstract regular model checking.
    Armc,
    /// Refinement of partitions, component by component, as it is published: one split an iteration.
    Paper,
    /// The same with better first partitions, and several splits an iteration.
    Refine,
    /// Compose, hide, minimise, one component after the other.
    Minimise,
}

/// Where path invariants come from, and from which end they are computed.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathInvariant {
    /// One precision for the whole path, from its start.
    UpinvFwd,
    /// One precision for the whole path, from its end.
    UpinvBwd,
    /// A precision for each step, from the start.
    ApinvFwd,
    /// A precision for each step, from the end.
    ApinvBwd,
}

/// How the static engine looks at cycles.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum AbstractionKind {
    /// Cycles are generated as they are needed.
    Flow,
    /// All elementary cycles are enumerated, without refinement: the method of the papers, as a yardstick.
    Cycles,
}

/// How capacities are read.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channels {
    /// A full channel blocks the sender.
    Declared,
    /// A send never blocks.
    Unbounded,
    /// A full channel loses the message.
    Drop,
}

impl From<Channels> for Reading {
    fn from(channels: Channels) -> Reading {
        match channels {
            Channels::Declared => Reading::Declared,
            Channels::Unbounded => Reading::Unbounded,
            Channels::Drop => Reading::Drop,
        }
    }
}

/// What is printed.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Format {
    Human,
    Json,
}

/// Which states may be left out.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    /// None: every state is visited.
    None,
    /// Those that differ in the order of independent steps only, once there are many states.
    Auto,
    /// Those that differ in the order of independent steps only.
    Order,
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

/// In which order states are visited.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum SearchOrder {
    Breadth,
    Depth,
}

/// What `show` shows.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum What {
    Machines,
    Channels,
    Cycles,
}

/// How `show` shows it.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Picture {
    Text,
    Dot,
}
