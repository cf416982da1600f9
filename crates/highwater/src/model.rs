//! A model that was read: its system, its text, and where it comes from.
//!
//! There are four kinds of system, distinguished by semantics and not by file name: Promela models and communicating machines
//! are both networks. The dispatch over them is in `strategy::of`, `certificate::verify`, `simulate` and `show`.

use crate::error::Error;
use crate::options::Kind;
use crate::settings::{Channels, ReadOptions, Settings};
use crate::strategy;
pub use checker::Unreadable;
use input::{FrontEnd, Parsed, Text, with_deep_stack};
pub(crate) use input::{NetworkModel, System};
use model::budget::{Budget, Stopwatch};
use model::diagnostic::Diagnostic;
use model::source::SourceMap;
use model::verdict::Property;
use report::diagnostics;
use report::document::ModelInfo;
use report::style::Style;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// A model, ready to be checked.
pub struct Model {
    pub(crate) system: System,
    /// Its texts.
    pub(crate) sources: Arc<SourceMap>,
    /// What the front end warns of.
    pub(crate) warnings: Vec<Diagnostic>,
    /// Name, language, hash and sizes.
    pub(crate) info: ModelInfo,
    /// What it was read from; `None` for a model that was built in Rust.
    pub(crate) origin: Option<Origin>,
    /// How long it took to read it.
    pub(crate) read_time: Duration,
}

/// What a model was read from, to be read again with more formulas.
pub(crate) struct Origin {
    front_end: &'static dyn FrontEnd,
    text: Text,
    options: ReadOptions,
    formulas: Vec<String>,
}

impl Model {
    /// Reads the model in a file, in the language of its extension.
    pub fn read(path: impl AsRef<Path>) -> Result<Model, Error> {
        Model::read_with(path.as_ref(), &ReadOptions::default(), &Budget::unlimited())
    }

    /// Reads the model in a file, with options, within a budget.
    pub fn read_with(path: &Path, options: &ReadOptions, budget: &Budget) -> Result<Model, Error> {
        let front_end = input::of(path, options.language)?;
        Model::parse(front_end, Text::load(path)?, options.clone(), Vec::new(), budget)
    }

    /// Reads a model from a reader, such as standard input; `name` stands for the file in messages.
    pub fn from_reader(
        name: &str,
        reader: &mut dyn Read,
        options: &ReadOptions,
        budget: &Budget,
    ) -> Result<Model, Error> {
        let front_end = input::of(Path::new(name), options.language)?;
        Model::parse(front_end, Text::from_reader(name, reader)?, options.clone(), Vec::new(), budget)
    }

    /// Reads a model from a string; `name` stands for the file in messages, and its extension tells the language.
    pub fn from_text(name: &str, text: &str) -> Result<Model, Error> {
        let options = ReadOptions::default();
        let front_end = input::of(Path::new(name), options.language)?;
        Model::parse(front_end, Text::named(name, text), options, Vec::new(), &Budget::unlimited())
    }

    fn parse(
        front_end: &'static dyn FrontEnd,
        text: Text,
        options: ReadOptions,
        formulas: Vec<String>,
        budget: &Budget,
    ) -> Result<Model, Error> {
        let start = Stopwatch::start();
        let parsed = with_deep_stack(|| front_end.read(&text, &options, &formulas, budget))?;
        let Parsed { system, sources, diagnostics, info } = parsed;
        match system {
            None => {
                // Whatever the front end says of a text that it had no time to read, the limit is the reason.
                let unreadable = Box::new(Unreadable { diagnostics, sources, info });
                Err(match budget.check() {
                    Ok(()) => Error::Model(unreadable),
                    Err(reason) => Error::Limit { reason, unreadable, open: Vec::new() },
                })
            }
            Some(system) => {
                let origin = Some(Origin { front_end, text, options, formulas });
                let (sources, read_time) = (Arc::new(sources), start.elapsed());
                Ok(Model { system, sources, warnings: diagnostics, info, origin, read_time })
            }
        }
    }

    /// The model with the formulas of some properties that are none of its own: their names are their texts.
    pub fn with_formulas(self, properties: &[Property], budget: &Budget) -> Result<Model, Error> {
        let extended = self.extended(properties, budget)?;
        Ok(extended.unwrap_or(self))
    }

    /// The same; `None` if all formulas are its own.
    pub(crate) fn extended(&self, properties: &[Property], budget: &Budget) -> Result<Option<Model>, Error> {
        let unknown = properties.iter().filter_map(|property| match property {
            Property::Ltl(text) | Property::Question(text) if !self.has_formula(text) => Some(text.clone()),
            _ => None,
        });
        let mut unknown: Vec<String> = unknown.collect();
        if unknown.is_empty() {
            return Ok(None);
        }
        let Some(origin) = &self.origin else { return self.built_with(&unknown).map(Some) };
        if let System::Components(components) = &self.system {
            unknown.iter().try_for_each(|text| components.no_misspelt_name(text))?;
        }
        unknown.extend(origin.formulas.iter().cloned());
        unknown.sort_unstable();
        unknown.dedup();
        let mut model = Model::parse(origin.front_end, origin.text.clone(), origin.options.clone(), unknown, budget)?;
        model.read_time += self.read_time;
        Ok(Some(model))
    }

    /// A model that was built in Rust, with more formulas.
    fn built_with(&self, formulas: &[String]) -> Result<Model, Error> {
        let System::Network(NetworkModel { network, bad }) = &self.system else {
            return Err(Error::Internal("only networks are built in Rust"));
        };
        let (mut network, bad) = (network.clone(), bad.clone());
        input::add_formulas(&mut network, formulas)?;
        let (sources, info) = (Arc::clone(&self.sources), self.info.clone());
        let system = System::Network(NetworkModel { network, bad });
        Ok(Model { system, sources, warnings: Vec::new(), info, origin: None, read_time: self.read_time })
    }

    /// Whether it has a formula with this name.
    pub(crate) fn has_formula(&self, name: &str) -> bool {
        self.system.has_formula(name)
    }

    /// The kind of model, as options and properties tell it apart.
    pub fn kind(&self) -> Kind {
        Kind::of(self)
    }

    /// The properties that the model states: what a [`Check`](crate::Check) without properties checks.
    pub fn stated(&self) -> Result<Vec<Property>, Error> {
        Ok(strategy::of(self, &Settings::default())?.stated())
    }

    /// The properties that can be checked: those that the model states first, then others that apply to it. Formulas that
    /// are none of its own come on top of them.
    pub fn properties(&self) -> Result<Vec<Property>, Error> {
        let settings = Settings::default();
        // Some properties are checked for channels of any length only.
        let unbounded = Settings { channels: Channels::Unbounded, ..Settings::default() };
        let (strategy, of_queues) = (strategy::of(self, &settings)?, strategy::of(self, &unbounded)?);
        let mut properties = strategy.stated();
        let general = [
            Property::Safety,
            Property::Deadlock,
            Property::Boundedness,
            Property::Livelock,
            Property::Reception,
            Property::Orphan,
            Property::PartialDeadlock,
            Property::EventualReception,
            Property::Acceptance,
        ];
        for property in general {
            let applies = strategy.unsupported(&property).is_none() || of_queues.unsupported(&property).is_none();
            if applies && !properties.contains(&property) {
                properties.push(property);
            }
        }
        Ok(properties)
    }

    /// What the front end warns of.
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }

    /// Errors and warnings about the model as the terminal shows them, with the lines that they are about.
    pub fn render(&self, diagnostics: &[Diagnostic], style: Style) -> String {
        diagnostics::render(diagnostics, &self.sources, style)
    }

    /// Its text, and the texts that it includes.
    pub fn sources(&self) -> &SourceMap {
        &self.sources
    }

    /// The name of its file, or the name that it was given.
    pub fn name(&self) -> &str {
        &self.info.file
    }

    /// The language, as JSON names it: `promela`.
    pub fn language(&self) -> &'static str {
        self.info.language
    }

    /// The SHA-256 of its text and of the texts that it includes, in hexadecimal: certificates and traces belong to it.
    pub fn sha256(&self) -> &str {
        &self.info.sha256
    }
}
