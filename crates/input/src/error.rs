//! Why a model cannot be read at all; errors in its text are diagnostics.

use crate::options::known_languages;
use thiserror::Error as ThisError;

/// Why a model cannot be read.
#[derive(Clone, PartialEq, Eq, Debug, ThisError)]
pub enum Error {
    /// A file cannot be read.
    #[error("cannot read {file}: {reason}")]
    Unreadable {
        /// The file.
        file: String,
        /// Why.
        reason: String,
    },
    /// No front end reads such files.
    #[error(
        "{file}: unknown kind of file; known are {}; --language names the language of other files",
        known_languages()
    )]
    Language {
        /// The file.
        file: String,
    },
    /// An option makes no sense.
    #[error("{0}")]
    Usage(String),
    /// A defect of Highwater.
    #[error("internal error, please report it: {0}")]
    Internal(&'static str),
}
