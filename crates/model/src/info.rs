//! What is known of a model beside its semantics: file, language, hash, how it was read, sizes.

use crate::semantics::Reading;

/// The model that was checked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ModelInfo {
    /// The file as the user named it.
    pub file: String,
    /// The language, as JSON names it: `promela`.
    pub language: &'static str,
    /// The SHA-256 of the file, in hexadecimal.
    pub sha256: String,
    /// The definitions of the command line, `NAME` or `NAME=VALUE`.
    pub defines: Vec<String>,
    /// Processes that run from the start.
    pub processes: usize,
    /// Process types.
    pub machines: usize,
    /// Channels.
    pub channels: usize,
    /// For structures in parallel, which have no processes and no channels: which and how many.
    pub composition: Option<CompositionInfo>,
    /// For a C program, which has none either: how it was read.
    pub program: Option<ProgramInfo>,
    /// For C components, which have none either: how they were read.
    pub components: Option<ComponentsInfo>,
}

/// Procedures of C that run in parallel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ComponentsInfo {
    /// C files that the specification names.
    pub files: usize,
    /// Parts of the program.
    pub parts: usize,
    /// Procedures that are compared with processes.
    pub conformances: usize,
    /// Events.
    pub events: usize,
    /// The widths of the integer types: `ilp32` or `lp64`.
    pub data_model: &'static str,
    /// A signed result that its type cannot hold is an error; else it wraps around.
    pub signed_overflow: bool,
}

/// A C program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProgramInfo {
    /// The procedure that a run starts with.
    pub entry: String,
    /// The widths of the integer types: `ilp32` or `lp64`.
    pub data_model: &'static str,
    /// A signed result that its type cannot hold is an error; else it wraps around.
    pub signed_overflow: bool,
    /// Procedures with a body.
    pub procedures: usize,
    /// Scalar variables, with those of all procedures that are called.
    pub variables: usize,
    /// Locations of the control-flow graph.
    pub locations: usize,
}

/// Structures in parallel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CompositionInfo {
    /// The composition, if the command line names one.
    pub system: Option<String>,
    /// Components.
    pub components: usize,
    /// Events.
    pub events: usize,
}

impl ModelInfo {
    /// Whether there are channels, which could be read in one way or another.
    pub fn has_channels(&self) -> bool {
        self.composition.is_none() && self.program.is_none() && self.components.is_none()
    }

    /// The name of a reading, where there are channels.
    pub fn reading(&self, reading: Reading) -> Option<&'static str> {
        self.has_channels().then_some(reading.name())
    }
}
