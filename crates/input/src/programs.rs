//! A C program on disk: preprocessed where it needs to be, read under the options of the command line.

use crate::choice::Choice;
use crate::options::{self, COptions};
use cfront::{Component, DataModel, Input, Options};
use model::budget::Budget;
use model::diagnostic::Diagnostic;
use model::info::ProgramInfo;
use model::program_proof::ProgramProof;
use model::source::SourceMap;
use std::path::Path;

/// A program that was read.
pub struct ProgramFile {
    /// Its text.
    pub input: Input,
    /// The procedure that a run starts with, and all that it calls.
    pub component: Component,
    /// How it was read.
    pub options: Options,
}

/// Names whose call is an error, or asks for one.
const STATEMENTS: [&str; 5] = ["assert", "__VERIFIER_assert", "__VERIFIER_error", "reach_error", "__assert_fail"];

/// So many calls of a procedure inside of itself are followed.
const RECURSION: usize = 32;

impl ProgramFile {
    /// Whether the author states an error. The graph alone does not tell: it has only what can be reached.
    pub fn states_errors(&self) -> bool {
        let own = self.input.included.iter().filter(|(name, _)| !name.starts_with("/usr/")).map(|(_, text)| text);
        self.component.errors().any(|(_, kind)| kind.is_stated())
            || own.chain([&self.input.text]).any(|text| mentions(text, &self.options.error_labels))
    }

    /// What is said about it.
    pub fn info(&self, procedures: usize) -> ProgramInfo {
        ProgramInfo {
            entry: self.component.name.clone(),
            data_model: data_model_name(self.options.data_model),
            signed_overflow: self.options.signed_overflow_is_error,
            procedures,
            variables: self.component.variables.len(),
            locations: self.component.locations.len(),
        }
    }
}

/// What came of a text.
pub struct ReadProgram {
    /// The program, and what is said about it; `None` if there was an error.
    pub program: Option<(ProgramFile, ProgramInfo)>,
    /// The texts that it includes.
    pub included: Vec<String>,
    /// All texts.
    pub sources: SourceMap,
    /// Errors and warnings.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads a text; `flags` are for the preprocessor, which has the same budget.
pub fn read(path: &Path, text: &str, flags: &[String], settings: &COptions, budget: &Budget) -> ReadProgram {
    let options = Options { budget: budget.clone(), recursion: RECURSION, ..c_options(settings) };
    let input = match cfront::preprocess::preprocess_within(path, text, options.data_model, flags, budget) {
        Ok(input) => input,
        Err(failure) => {
            let (sources, diagnostics) = (failure.sources, vec![failure.diagnostic]);
            return ReadProgram { program: None, included: Vec::new(), sources, diagnostics };
        }
    };
    let cfront::Read { program, sources, diagnostics } = cfront::read(&input, &options);
    let included = input.included.iter().map(|(_, text)| text.clone()).collect();
    let program = program.and_then(|program| {
        let procedures = program.procedures.len();
        let component = program.components.into_iter().next()?;
        let file = ProgramFile { input, component, options };
        let info = file.info(procedures);
        Some((file, info))
    });
    ReadProgram { program, included, sources, diagnostics }
}

/// Whether a text has a word that is an error routine, or one of the labels. A comment counts, too: this decides only
/// whether faults are requested beside nothing else.
fn mentions(text: &str, labels: &[String]) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let lines = text.lines().filter(|line| !line.trim_start().starts_with('#'));
    lines
        .flat_map(|line| line.split(|c| !is_word(c)))
        .any(|word| STATEMENTS.contains(&word) || labels.iter().any(|label| label == word))
}

/// How C is read, from the command line.
pub fn c_options(settings: &COptions) -> Options {
    let mut options = Options { signed_overflow_is_error: settings.signed_overflow, ..Options::default() };
    if let Some(chosen) = settings.data_model {
        options.data_model = match chosen {
            options::DataModel::Ilp32 => DataModel::Ilp32,
            options::DataModel::Lp64 => DataModel::Lp64,
        };
    }
    if let Some(entry) = &settings.entry {
        options.entries = vec![entry.clone()];
    }
    options
}

/// The name of a data model, on the command line and in documents.
pub fn data_model_name(model: DataModel) -> &'static str {
    match model {
        DataModel::Ilp32 => "ilp32",
        DataModel::Lp64 => "lp64",
    }
}

/// How a program was read that a proof is about; `None` if it names a data model that there is not.
pub fn options_of(proof: &ProgramProof) -> Option<COptions> {
    let options = options_named(&proof.data_model, proof.signed_overflow)?;
    Some(COptions { entry: Some(proof.entry.clone()), ..options })
}

/// How C is read under a data model with this name, if there is one.
pub fn options_named(data_model: &str, signed_overflow: bool) -> Option<COptions> {
    let data_model = options::DataModel::named(data_model)?;
    Some(COptions { entry: None, data_model: Some(data_model), signed_overflow })
}

#[cfg(test)]
mod tests {
    use super::mentions;

    #[test]
    fn errors_are_stated_by_words_of_the_text_and_not_by_directives() {
        let labels = [String::from("ERROR")];
        for text in ["assert(x);", "  reach_error ( ) ;", "ERROR: return 1;", "goto ERROR;"] {
            assert!(mentions(text, &labels), "{text}");
        }
        for text in ["#include <assert.h>", "int asserted;", "MY_ERROR: ;", "assert_that(x);"] {
            assert!(!mentions(text, &labels), "{text}");
        }
    }
}
