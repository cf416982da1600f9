//! What a front end makes of a text. There are four kinds of system, distinguished by semantics and not by file name: Promela
//! models and communicating machines are both networks.

use crate::components::ComponentsFile;
use crate::programs::ProgramFile;
use model::composition::Composition;
use model::diagnostic::Diagnostic;
use model::info::ModelInfo;
use model::network::Network;
use model::source::SourceMap;
use scm::Specification;

/// What is checked.
pub enum System {
    /// Processes that communicate over channels.
    Network(NetworkModel),
    /// Components that synchronise on shared events.
    Composition(Composition),
    /// A C program.
    Program(ProgramFile),
    /// C components.
    Components(ComponentsFile),
}

/// Processes that communicate over channels.
pub struct NetworkModel {
    /// The network.
    pub network: Network,
    /// For communicating machines: their bad configurations. Promela models have none.
    pub bad: Option<Specification>,
}

/// What a front end makes of a text.
pub struct Parsed {
    /// The system; `None` if there was an error.
    pub system: Option<System>,
    /// The texts.
    pub sources: SourceMap,
    /// Errors and warnings.
    pub diagnostics: Vec<Diagnostic>,
    /// Name, language, hash and sizes.
    pub info: ModelInfo,
}

impl System {
    /// Whether it has a formula with this name.
    pub fn has_formula(&self, name: &str) -> bool {
        match self {
            System::Network(model) => model.network.formulas.iter().any(|formula| formula.name == name),
            System::Composition(composition) => composition.formulas.iter().any(|formula| formula.name == name),
            System::Components(file) => file.specification.formulas.iter().any(|formula| formula.name == name),
            // It has none, and reading it together with one changes nothing: unless that is no formula.
            System::Program(_) => ltl::parse(name).is_ok(),
        }
    }
}

impl NetworkModel {
    /// Whether it is one of communicating machines, whose channels are unbounded by nature.
    pub fn is_machines(&self) -> bool {
        self.bad.is_some()
    }
}
