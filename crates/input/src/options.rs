//! How a model is read: what the command line, a certificate and a program in Rust can set.

use crate::choice::Choice;
use crate::choices;
use std::path::PathBuf;

choices! {
    /// The widths of C's integers.
    DataModel {
        Ilp32 = "ilp32": "int, long and pointers have 32 bits",
        Lp64 = "lp64": "long and pointers have 64 bits",
    }
}

choices! {
    /// The language of a model.
    Language {
        Promela = "promela": "Promela (.pml, .prm, .promela)",
        Scm = "scm": "communicating machines (.scm)",
        Cfsm = "cfsm": "communicating machines in KMC's format (.cfsm)",
        Fsp = "fsp": "finite state processes (.fsp)",
        Aut = "aut": "labelled transition systems in the Aldebaran format (.aut)",
        C = "c": "C (.c, .i)",
        Spec = "spec": "C components (.spec)",
        Art = "art": "UML-RT in Art (.art)",
        Room = "room": "UML-RT in ROOM (.room)",
    }
}

/// All languages with the extensions of their files, as a sentence lists them.
pub fn known_languages() -> String {
    Language::ALL.iter().map(|(.., about)| *about).collect::<Vec<_>>().join(", ")
}

/// How a model is read.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// The language; by default that of the file's extension.
    pub language: Option<Language>,
    /// Macros, `NAME` or `NAME=VALUE`.
    pub define: Vec<String>,
    /// More folders with included files.
    pub include: Vec<PathBuf>,
    /// The composition or process of an FSP text, by default the last composition; the top capsule of a UML-RT model.
    pub system: Option<String>,
    /// How C is read.
    pub c: COptions,
}

/// How C is read.
#[derive(Clone, Debug, Default)]
pub struct COptions {
    /// The procedure that a run starts with; by default `main`.
    pub entry: Option<String>,
    /// The widths of integers; by default `ilp32`.
    pub data_model: Option<DataModel>,
    /// A signed result that its type cannot hold is an error of the program.
    pub signed_overflow: bool,
}

impl COptions {
    /// The first option that is given, if one is.
    pub fn given(&self) -> Option<&'static str> {
        let options = [
            (self.entry.is_some(), "--entry"),
            (self.data_model.is_some(), "--c-data-model"),
            (self.signed_overflow, "--c-signed-overflow"),
        ];
        options.into_iter().find(|(given, _)| *given).map(|(_, name)| name)
    }
}
