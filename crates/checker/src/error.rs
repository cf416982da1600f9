//! Why a certificate could not be looked at; each error knows its exit code.

use model::diagnostic::Diagnostic;
use model::info::ModelInfo;
use model::reason::Reason;
use model::source::SourceMap;
use thiserror::Error as ThisError;

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

/// Why a certificate could not be looked at.
#[derive(Debug, ThisError)]
pub enum Error {
    /// The model cannot be read.
    #[error(transparent)]
    Input(#[from] input::Error),
    /// The model has errors.
    #[error("{} cannot be read{}", .0.info.file, first_message(.0))]
    Model(Box<Unreadable>),
    /// A limit was reached while the model was read.
    #[error("{} was not read: {reason}", .unreadable.info.file)]
    Limit {
        /// The limit.
        reason: Reason,
        /// What the front end says so far.
        unreadable: Box<Unreadable>,
    },
    /// The document is none, or belongs to another model.
    #[error("{0}")]
    Mismatch(String),
    /// The certificate is wrong on its face.
    #[error("{0}")]
    Refused(String),
}

impl Error {
    /// 2 for what cannot be read or makes no sense, 3 for a limit, 1 for a certificate that is wrong, 101 for a defect.
    pub fn exit_code(&self) -> i32 {
        match self {
            Error::Refused(_) => 1,
            Error::Limit { .. } => 3,
            Error::Input(input::Error::Internal(_)) => 101,
            Error::Input(_) | Error::Model(_) | Error::Mismatch(_) => 2,
        }
    }
}

fn first_message(unreadable: &Unreadable) -> String {
    let error = unreadable.diagnostics.iter().find(|diagnostic| diagnostic.is_error());
    error.map_or_else(String::new, |error| {
        format!(": {} ({})", error.message, unreadable.sources.describe(error.primary.span))
    })
}
