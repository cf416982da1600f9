//! Certificates: what `checker` says about them. A model that is read already is not read again.

use crate::error::Error;
use crate::model::Model;
use crate::request::{DEFAULT_MEMORY, DEFAULT_TIMEOUT};
use crate::settings::ReadOptions;
use checker::Document;
pub use checker::{ClaimResult, Verification, VerifiedClaim};
use input::{Choice, with_deep_stack};
use model::budget::Budget;
use model::context::Context;
use model::observer::{Observer, Silent};
use model::verdict::Property;
use std::path::Path;

/// Checks every claim of a certificate document for the model in a file, with the checker alone.
///
/// The limits are those of [`check`](crate::check()).
pub fn verify(path: impl AsRef<Path>, certificate: &str) -> Result<Verification, Error> {
    let budget = Budget::unlimited().timeout(DEFAULT_TIMEOUT).memory(DEFAULT_MEMORY);
    verify_with(path.as_ref(), certificate, &ReadOptions::default(), &budget, &Silent)
}

/// Checks every claim of a certificate document for the model in a file, within a budget. Macros and the options of C are
/// those of the document; what `options` says otherwise is an error.
pub fn verify_with(
    path: &Path,
    certificate: &str,
    options: &ReadOptions,
    budget: &Budget,
    observer: &dyn Observer,
) -> Result<Verification, Error> {
    Ok(checker::verify(path, certificate, options, &Context::new(budget, observer))?)
}

impl Model {
    /// Checks every claim of a certificate document for this model, with the checker alone. The limits are those of
    /// [`check`](crate::check()).
    pub fn verify(&self, certificate: &str) -> Result<Verification, Error> {
        let budget = Budget::unlimited().timeout(DEFAULT_TIMEOUT).memory(DEFAULT_MEMORY);
        self.verify_with(certificate, &budget, &Silent)
    }

    /// Checks every claim of a certificate document for this model, within a budget.
    pub fn verify_with(
        &self,
        certificate: &str,
        budget: &Budget,
        observer: &dyn Observer,
    ) -> Result<Verification, Error> {
        let cx = &Context::new(budget, observer);
        let document = Document::parse(certificate)?;
        document.belongs(&self.info.file, &self.info.sha256)?;
        self.was_read_as(&document)?;
        let extended = self.extended(document.properties(), cx.budget)?;
        let system = &extended.as_ref().unwrap_or(self).system;
        Ok(with_deep_stack(|| document.verify(system, cx)))
    }

    /// The same text is another model with other macros, another FSP system, or another reading of C.
    fn was_read_as(&self, document: &Document) -> Result<(), Error> {
        let info = &self.info;
        let other = |what: &str| Err(Error::Mismatch(format!("the certificate was written for {what}")));
        let (defines, system) = document.origin();
        if defines != info.defines {
            return other("other macros");
        }
        if system != info.composition.as_ref().and_then(|composition| composition.system.as_deref()) {
            return other("another system of the file");
        }
        let Some(written) = document.c_options()? else { return Ok(()) };
        let data_model = written.data_model.unwrap_or_default().name();
        if let Some(program) = &info.program {
            let entry = written.entry.as_deref().unwrap_or("main");
            let same = (entry, data_model, written.signed_overflow);
            if same != (program.entry.as_str(), program.data_model, program.signed_overflow) {
                return other("another reading of C");
            }
        }
        if let Some(about) = &info.components
            && (data_model, written.signed_overflow) != (about.data_model, about.signed_overflow)
        {
            return other("another reading of C");
        }
        Ok(())
    }
}

/// The property that a document names.
pub(crate) fn property_named(name: &str) -> Result<Property, Error> {
    let unknown = || Error::Mismatch(format!("there is no checker for `{name}`"));
    certificate::property_named(name).ok_or_else(unknown)
}

/// A document is refused for another model.
pub(crate) fn belongs(sha256: &str, model: &Model) -> Result<(), Error> {
    if sha256 == model.info.sha256 {
        return Ok(());
    }
    Err(Error::Mismatch(format!(
        "the document was made for another version of {}: its SHA-256 is {sha256}, the file's is {}",
        model.info.file, model.info.sha256
    )))
}
