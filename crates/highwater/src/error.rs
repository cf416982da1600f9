//! What keeps a command from doing its work: each error knows its exit code.

use crate::model::Unreadable;
use crate::property::Wanted;
use model::diagnostic::Diagnostic;
use model::semantics::Reading;
use model::source::{SourceMap, Span};
use model::verdict::{Property, Reason};
use report::document::NotChecked;
use report::style::Style;
use report::{diagnostics, json};
use std::sync::LazyLock;
use thiserror::Error as ThisError;

/// A failure of a command, as opposed to a verdict that is not the hoped-for one.
#[derive(Debug, ThisError)]
pub enum Error {
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
        /// The properties that were not checked for that reason.
        open: Vec<NotChecked>,
    },
    /// No front end reads such files.
    #[error("{}", input::Error::Language { file: file.clone() })]
    Language {
        /// The file.
        file: String,
    },
    /// The command line makes no sense.
    #[error("{0}")]
    Usage(String),
    /// A text of the command line has errors.
    #[error("{message}")]
    Argument {
        /// What it should have been.
        message: String,
        /// What is wrong with it.
        diagnostics: Vec<Diagnostic>,
        /// The text.
        sources: Box<SourceMap>,
    },
    /// A trace or a certificate does not belong to the model.
    #[error("{0}")]
    Mismatch(String),
    /// A certificate was not accepted.
    #[error("{0}")]
    Refused(String),
    /// Output cannot be written.
    #[error("cannot write the output: {0}")]
    Output(#[from] std::io::Error),
    /// A defect of Highwater.
    #[error("internal error, please report it: {0}")]
    Internal(&'static str),
}

impl From<checker::Error> for Error {
    fn from(error: checker::Error) -> Error {
        match error {
            checker::Error::Input(error) => error.into(),
            checker::Error::Model(unreadable) => Error::Model(unreadable),
            checker::Error::Limit { reason, unreadable } => Error::Limit { reason, unreadable, open: Vec::new() },
            checker::Error::Mismatch(what) => Error::Mismatch(what),
            checker::Error::Refused(what) => Error::Refused(what),
        }
    }
}

impl From<input::Error> for Error {
    fn from(error: input::Error) -> Error {
        match error {
            input::Error::Unreadable { file, reason } => Error::Unreadable { file, reason },
            input::Error::Language { file } => Error::Language { file },
            input::Error::Usage(what) => Error::Usage(what),
            input::Error::Internal(what) => Error::Internal(what),
        }
    }
}

impl Error {
    pub(crate) fn argument(message: String, diagnostics: Vec<Diagnostic>, sources: SourceMap) -> Error {
        Error::Argument { message, diagnostics, sources: Box::new(sources) }
    }

    /// 2 for what cannot be read or makes no sense, 3 for a limit, 1 for a certificate that is wrong, 101 for a defect.
    pub fn exit_code(&self) -> i32 {
        match self {
            Error::Refused(_) => 1,
            Error::Limit { .. } => 3,
            Error::Internal(_) => 101,
            _ => 2,
        }
    }
}

impl Error {
    /// Of a limit that was reached while a model was read: no property that was wanted is checked. What the model states is not
    /// known then; every program can have errors, and all other systems can get stuck.
    #[must_use]
    pub fn with_open(mut self, wanted: &Wanted) -> Error {
        if let Error::Limit { reason, unreadable, open } = &mut self {
            let mut properties = Vec::new();
            if !matches!(wanted, Wanted::Listed(_)) {
                properties.push(Property::Safety);
                properties.extend((unreadable.info.language != "c").then_some(Property::Deadlock));
            }
            properties
                .extend(wanted.named().iter().filter(|named| !properties.contains(named)).cloned().collect::<Vec<_>>());
            let not_checked = |property: &Property| NotChecked {
                property: property.to_string(),
                reason: reason.clone(),
                reading: Reading::Declared,
                asked: true,
            };
            *open = properties.iter().map(not_checked).collect();
        }
        self
    }

    /// Errors with their places, as the terminal shows them; empty if there is no place to show.
    pub fn render(&self, style: Style) -> String {
        match self {
            Error::Model(unreadable) | Error::Limit { unreadable, .. } => {
                diagnostics::render(&unreadable.diagnostics, &unreadable.sources, style)
            }
            Error::Argument { diagnostics: list, sources, .. } => diagnostics::render(list, sources, style),
            _ => String::new(),
        }
    }

    /// What is wrong with a file, for those errors that have no diagnostics of their own.
    pub fn diagnostic(&self) -> Diagnostic {
        Diagnostic::error("unreadable", Span::NONE, self.to_string())
    }

    /// What renderers show of a file that cannot be read: its own diagnostics, else `message`.
    pub fn unreadable<'a>(
        &'a self,
        file: &'a str,
        defines: &'a [String],
        message: &'a Diagnostic,
    ) -> json::Unreadable<'a> {
        static EMPTY: LazyLock<SourceMap> = LazyLock::new(SourceMap::new);
        let exit_code = self.exit_code();
        let open = match self {
            Error::Limit { open, .. } => open.as_slice(),
            _ => &[],
        };
        match self {
            Error::Model(found) | Error::Limit { unreadable: found, .. } => json::Unreadable {
                file: &found.info.file,
                language: Some(found.info.language),
                sha256: Some(&found.info.sha256),
                defines: &found.info.defines,
                diagnostics: &found.diagnostics,
                sources: &found.sources,
                open,
                exit_code,
            },
            _ => {
                let (language, sha256, diagnostics) = (None, None, std::slice::from_ref(message));
                json::Unreadable { file, language, sha256, defines, diagnostics, sources: &EMPTY, open, exit_code }
            }
        }
    }

    /// The JSON document for a model that cannot be read, in one line: schema `highwater/1`.
    pub fn to_json(&self, file: &str, defines: &[String]) -> String {
        let message = self.diagnostic();
        let mut bytes = Vec::new();
        match json::write_unreadable(&mut bytes, &self.unreadable(file, defines, &message)) {
            Ok(()) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(_) => String::new(),
        }
    }
}

fn first_message(unreadable: &Unreadable) -> String {
    let error = unreadable.diagnostics.iter().find(|diagnostic| diagnostic.is_error());
    error.map_or_else(String::new, |error| {
        format!(": {} ({})", error.message, unreadable.sources.describe(error.primary.span))
    })
}
