//! Labelled Kripke structures from text: FSP with propositions on states, and Aldebaran's `.aut`.
//!
//! * In: a text, and a way to read the files that it names.
//! * Out: a [`Composition`], with diagnostics.

use model::composition::Composition;
use model::diagnostic::Diagnostic;
use model::source::SourceMap;

/// How to read.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Formulas that are not in the text: their names are their texts.
    pub formulas: Vec<String>,
    /// Which composition of the text is meant; the last one if none is named.
    pub system: Option<String>,
}

/// What was read.
#[derive(Clone, Debug)]
pub struct Read {
    /// The composition; `None` if there was an error.
    pub composition: Option<Composition>,
    /// The texts.
    pub sources: SourceMap,
    /// Errors and warnings.
    pub diagnostics: Vec<Diagnostic>,
}
