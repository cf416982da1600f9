//! A specification on disk, with the C files that it names: preprocessed where they need to be, read under the options of the
//! command line.

use crate::error::Error;
use crate::options::COptions;
use crate::programs::{c_options, data_model_name};
use cfront::{Input, Options};
use model::budget::Budget;
use model::diagnostic::{Diagnostic, nearest};
use model::info::ComponentsInfo;
use model::source::{FileId, SourceMap};
use spec::Specification;
use std::cell::RefCell;
use std::path::{Path, PathBuf};

/// A specification that was read.
pub struct ComponentsFile {
    /// What it says.
    pub specification: Specification,
    /// How C was read.
    pub options: Options,
    /// The C files, and their numbers among the sources.
    pub units: Vec<(FileId, Input)>,
}

impl ComponentsFile {
    /// A formula that is one word and no event is most likely a name that is not spelt as in the specification.
    pub fn no_misspelt_name(&self, text: &str) -> Result<(), Error> {
        let specification = &self.specification;
        let known = specification.events.iter().chain(&specification.propositions).any(|named| named.name == text);
        let word = text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        match nearest(text, specification.formulas.iter().map(|formula| formula.name.as_str())) {
            Some(near) if word && !known => {
                Err(Error::Usage(format!("-p ltl:{text}: there is no such formula; did you mean `{near}`?")))
            }
            _ => Ok(()),
        }
    }
}

/// What came of a specification.
pub struct ReadComponents {
    /// The specification, and what is said about it; `None` if there was an error.
    pub file: Option<(ComponentsFile, ComponentsInfo)>,
    /// The texts that belong to it.
    pub included: Vec<String>,
    /// All texts.
    pub sources: SourceMap,
    /// Errors and warnings.
    pub diagnostics: Vec<Diagnostic>,
}

/// How a specification is read.
pub struct How<'a> {
    /// How C is read.
    pub c: &'a COptions,
    /// For the preprocessor.
    pub flags: Vec<String>,
    /// Formulas that are not in the text.
    pub formulas: &'a [String],
    /// How much reading may take.
    pub budget: &'a Budget,
}

/// A file that the text names: its path and its text.
pub type Find<'f> = &'f dyn Fn(&str) -> Result<(PathBuf, String), String>;

/// Reads a specification.
pub fn read(path: &Path, text: &str, how: &How<'_>, find: Find<'_>) -> ReadComponents {
    let options = Options { budget: how.budget.clone(), ..c_options(how.c) };
    let (inputs, failed) = (RefCell::new(Vec::<Input>::new()), RefCell::new(None));
    let load = |name: &str| {
        let (path, text) = find(name)?;
        match cfront::preprocess::preprocess_within(&path, &text, options.data_model, &how.flags, how.budget) {
            Ok(input) => {
                inputs.borrow_mut().push(input.clone());
                Ok(input)
            }
            Err(failure) => {
                let message = failure.diagnostic.message.clone();
                failed.borrow_mut().get_or_insert(failure);
                Err(message)
            }
        }
    };
    let asked = spec::Options { c: options.clone(), formulas: how.formulas.to_vec() };
    let read = spec::read(&path.display().to_string(), text, &asked, &load);
    if let Some(failure) = failed.into_inner() {
        // The compiler knows better where something is wrong than the line that names the file.
        let (sources, diagnostics) = (failure.sources, vec![failure.diagnostic]);
        return ReadComponents { file: None, included: Vec::new(), sources, diagnostics };
    }
    let spec::Read { specification, sources, mut diagnostics } = read;
    // That a procedure is not there follows from a file that cannot be read.
    if diagnostics.iter().any(|found| found.is_error() && found.primary.span.file != FileId(0)) {
        diagnostics.retain(|found| found.code != "M0103");
    }
    let inputs = inputs.into_inner();
    let included = inputs.iter().flat_map(texts).collect();
    let file = specification.map(|specification| {
        let info = info(&specification, inputs.len(), &options);
        let units = inputs.into_iter().map(|input| (number(&sources, &input), input)).collect();
        (ComponentsFile { specification, options, units }, info)
    });
    ReadComponents { file, included, sources, diagnostics }
}

/// A C file and what it includes.
fn texts(input: &Input) -> impl Iterator<Item = String> {
    let own = [input.text.clone()];
    own.into_iter().chain(input.included.iter().map(|(_, text)| text.clone()))
}

/// The number of a C file among the sources, where the specification is the first.
fn number(sources: &SourceMap, input: &Input) -> FileId {
    let files = sources.files().iter().enumerate().skip(1);
    let found = files.filter(|(_, file)| file.name == input.name).map(|(number, _)| number).next();
    FileId(found.unwrap_or(0) as u32)
}

fn info(specification: &Specification, files: usize, options: &Options) -> ComponentsInfo {
    ComponentsInfo {
        files,
        parts: specification.parts.len(),
        conformances: specification.conformances.len(),
        events: specification.events.len(),
        data_model: data_model_name(options.data_model),
        signed_overflow: options.signed_overflow_is_error,
    }
}
