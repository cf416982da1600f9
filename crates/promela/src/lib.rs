//! Promela text → model: the whole language of SPIN 6, except embedded C.
//!
//! * In: a text, macros and folders for `#include`.
//! * Out: a [`model::network::Network`], and diagnostics with places and hints; several errors in one run.
//!
//! The way through: [`preprocess`] makes tokens of the text, `parse` a tree of the tokens, `lower`
//! a model of the tree. Nothing of Promela's syntax gets past this crate.

mod ast;
pub mod codes;
pub mod lexer;
mod lower;
mod parse;
pub mod preprocess;
pub mod token;
pub mod trail;

use model::diagnostic::Diagnostic;
use model::network::Network;
use model::source::SourceMap;
use preprocess::{DiskLoader, Loader, Options};
use token::Names;

/// A model that was read, with what there is to say about it.
#[derive(Debug)]
pub struct Read {
    /// The model; `None` if there was an error.
    pub network: Option<Network>,
    /// The texts it was read from: the file first, then what it includes.
    pub sources: SourceMap,
    /// Errors and warnings, in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads a model from a text, including from disk.
pub fn read(name: &str, text: &str, options: &Options) -> Read {
    let mut loader = DiskLoader { include_dirs: options.include_dirs.clone() };
    read_with(name, text, options, &mut loader)
}

/// Reads a model from a text, including through `loader`.
pub fn read_with(name: &str, text: &str, options: &Options, loader: &mut dyn Loader) -> Read {
    let mut sources = SourceMap::new();
    let file = sources.add(name, text);
    let mut names = Names::new();
    let mut diagnostics = Vec::new();
    let tokens = preprocess::tokenize(&mut sources, file, options, loader, &mut names, &mut diagnostics);
    let mut network = None;
    if !has_errors(&diagnostics) {
        let mut program = parse::parse(&tokens, options, &mut names, &mut diagnostics);
        sources.note_expansions(std::mem::take(&mut program.from_expansions));
        sources.note_calls(std::mem::take(&mut program.calls));
        drop(tokens);
        if !has_errors(&diagnostics) {
            network = Some(lower::lower(&program, &names, &sources, &mut diagnostics));
        }
    }
    if has_errors(&diagnostics) {
        network = None;
    }
    diagnostics.sort_by_key(|d| (d.primary.span.file, d.primary.span.start));
    Read { network, sources, diagnostics }
}

fn has_errors(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(Diagnostic::is_error)
}
