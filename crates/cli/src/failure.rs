//! What keeps a command from doing its work: each failure knows its exit code.

use thiserror::Error;

/// A failure of a command, as opposed to an answer that is not the hoped-for one.
#[derive(Debug, Error)]
pub enum Failure {
    /// A file cannot be read.
    #[error("cannot read {file}: {reason}")]
    Unreadable {
        /// The file.
        file: String,
        /// Why.
        reason: String,
    },
    /// A file cannot be written.
    #[error("cannot write {file}: {reason}")]
    Unwritable {
        /// The file.
        file: String,
        /// Why.
        reason: String,
    },
    /// The model has errors, which have been shown.
    #[error("the model cannot be read")]
    Model,
    /// A language without a front end.
    #[error(
        "{file}: {language} is not supported by this version; it reads Promela (.pml, .prm, .promela), communicating machines (.scm), labelled structures (.fsp, .aut), C (.c) and C components (.spec)"
    )]
    Language {
        /// The file.
        file: String,
        /// What it would be.
        language: &'static str,
    },
    /// The command line makes no sense.
    #[error("{0}")]
    Usage(String),
    /// A trace or a certificate does not belong to the model.
    #[error("{0}")]
    Mismatch(String),
    /// A certificate was not accepted.
    #[error("{0}")]
    Refused(String),
    /// Standard output is closed.
    #[error("cannot write the output: {0}")]
    Output(#[from] std::io::Error),
}

impl Failure {
    /// 2 for what cannot be read or makes no sense, 1 for a certificate that is wrong.
    pub fn exit_code(&self) -> i32 {
        match self {
            Failure::Refused(_) => 1,
            _ => 2,
        }
    }
}
