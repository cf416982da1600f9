//! A model that was read: its system, its text, and where it comes from.
//!
//! There are four kinds of system, told apart by semantics and not by file name: Promela models and communicating machines
//! are both networks. The dispatch over them is in `strategy::of`, `certificate::verify`, `simulate` and `show`.

use crate::components::ComponentsFile;
use crate::error::Error;
use crate::front_end::{self, FrontEnd, Text};
use crate::options::Kind;
use crate::programs::ProgramFile;
use crate::settings::ReadOptions;
use model::budget::Budget;
use model::composition::Composition;
use model::diagnostic::Diagnostic;
use model::network::Network;
use model::source::SourceMap;
use model::verdict::Property;
use report::document::ModelInfo;
use scm::Specification;
use std::path::Path;

/// A model, ready to be checked.
pub struct Model {
    pub(crate) system: System,
    /// Its texts.
    pub(crate) sources: SourceMap,
    /// What the front end warns of.
    pub(crate) warnings: Vec<Diagnostic>,
    /// Name, language, hash and sizes.
    pub(crate) info: ModelInfo,
    /// What it was read from; `None` for a model that was built in Rust.
    origin: Option<Origin>,
}

/// What a model was read from, to be read again with more formulas.
struct Origin {
    front_end: &'static dyn FrontEnd,
    text: Text,
    options: ReadOptions,
    formulas: Vec<String>,
}

/// What is checked.
pub(crate) enum System {
    Network(NetworkModel),
    Composition(Composition),
    Program(ProgramFile),
    Components(ComponentsFile),
}

/// Processes that communicate over channels.
pub(crate) struct NetworkModel {
    pub(crate) network: Network,
    /// For communicating machines: their bad configurations. Promela models have none.
    pub(crate) bad: Option<Specification>,
}

/// What a front end makes of a text.
pub(crate) struct Parsed {
    pub(crate) system: Option<System>,
    pub(crate) sources: SourceMap,
    pub(crate) diagnostics: Vec<Diagnostic>,
    pub(crate) info: ModelInfo,
}

/// A text with errors.
#[derive(Debug)]
pub struct Unreadable {
    /// Errors and warnings.
    pub diagnostics: Vec<Diagnostic>,
    /// The texts that they refer to.
    pub sources: SourceMap,
    /// Name, language and hash.
    pub info: ModelInfo,
}

impl Model {
    /// Reads the model in a file, in the language of its extension.
    pub fn read(path: impl AsRef<Path>) -> Result<Model, Error> {
        Model::read_with(path.as_ref(), &ReadOptions::default(), &Budget::unlimited())
    }

    /// Reads the model in a file, with options, within a budget.
    pub fn read_with(path: &Path, options: &ReadOptions, budget: &Budget) -> Result<Model, Error> {
        let front_end = front_end::of(path, options.language)?;
        Model::parse(front_end, Text::load(path)?, options.clone(), Vec::new(), budget)
    }

    /// Reads a model from a string; `name` stands for the file in messages, and its extension tells the language.
    pub fn from_text(name: &str, text: &str) -> Result<Model, Error> {
        let options = ReadOptions::default();
        let front_end = front_end::of(Path::new(name), options.language)?;
        Model::parse(front_end, Text::named(name, text), options, Vec::new(), &Budget::unlimited())
    }

    fn parse(
        front_end: &'static dyn FrontEnd,
        text: Text,
        options: ReadOptions,
        formulas: Vec<String>,
        budget: &Budget,
    ) -> Result<Model, Error> {
        let parsed = front_end.read(&text, &options, &formulas, budget)?;
        let Parsed { system, sources, diagnostics, info } = parsed;
        match system {
            None => {
                // Whatever the front end says of a text that it had no time to read, the limit is the reason.
                let unreadable = Box::new(Unreadable { diagnostics, sources, info });
                Err(match budget.check() {
                    Ok(()) => Error::Model(unreadable),
                    Err(reason) => Error::Limit { reason, unreadable },
                })
            }
            Some(system) => {
                let origin = Some(Origin { front_end, text, options, formulas });
                Ok(Model { system, sources, warnings: diagnostics, info, origin })
            }
        }
    }

    /// The model with the formulas of some properties that are none of its own: their names are their texts.
    pub fn with_formulas(self, properties: &[Property], budget: &Budget) -> Result<Model, Error> {
        let unknown = properties.iter().filter_map(|property| match property {
            Property::Ltl(text) if !self.has_formula(text) => Some(text.clone()),
            _ => None,
        });
        let mut unknown: Vec<String> = unknown.collect();
        let Some(origin) = self.origin.as_ref().filter(|_| !unknown.is_empty()) else { return Ok(self) };
        if let System::Components(components) = &self.system {
            unknown.iter().try_for_each(|text| components.no_misspelt_name(text))?;
        }
        unknown.extend(origin.formulas.iter().cloned());
        unknown.sort_unstable();
        unknown.dedup();
        Model::parse(origin.front_end, origin.text.clone(), origin.options.clone(), unknown, budget)
    }

    /// Whether it has a formula with this name.
    pub(crate) fn has_formula(&self, name: &str) -> bool {
        match &self.system {
            System::Network(model) => model.network.formulas.iter().any(|formula| formula.name == name),
            System::Composition(composition) => composition.formulas.iter().any(|formula| formula.name == name),
            System::Components(file) => file.specification.formulas.iter().any(|formula| formula.name == name),
            System::Program(_) => true,
        }
    }

    /// The kind of model, as options and properties tell it apart.
    pub fn kind(&self) -> Kind {
        Kind::of(self)
    }

    /// What the front end warns of.
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }

    /// The texts that spans refer to.
    pub fn sources(&self) -> &SourceMap {
        &self.sources
    }

    /// Name, language, hash and sizes.
    pub fn info(&self) -> &ModelInfo {
        &self.info
    }
}

impl NetworkModel {
    /// Whether it is one of communicating machines, whose channels are unbounded by nature.
    pub(crate) fn is_machines(&self) -> bool {
        self.bad.is_some()
    }
}
