//! Certificates: the model is read again, and each claim is handed to the checker.

use crate::choice::Choice;
use crate::error::Error;
use crate::model::{Model, System};
use crate::programs;
use crate::request::{DEFAULT_MEMORY, DEFAULT_TIMEOUT};
use crate::settings::{COptions, ReadOptions};
use crate::stack::with_deep_stack;
use certify::{Refusal, Subject};
use model::budget::Budget;
use model::context::Context;
use model::observer::{Observer, Silent};
use model::verdict::{Certificate, Property};
use report::parse::{self, Certificates};
use std::fmt;
use std::path::Path;

/// What the checker says about a certificate document.
#[derive(Clone, Debug)]
pub struct Verification {
    claims: Vec<VerifiedClaim>,
}

/// What the checker says about one claim of a certificate document.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct VerifiedClaim {
    /// The property, such as `boundedness`.
    pub property: String,
    /// What became of the claim.
    pub result: ClaimResult,
    /// The channel semantics and what is claimed, or why it is not accepted.
    pub detail: String,
}

/// What became of a claim.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ClaimResult {
    /// The checker accepts the proof.
    Accepted,
    /// The checker ran into a limit.
    Unfinished,
    /// The proof is wrong, or is not about this.
    Refused,
}

impl Verification {
    /// The claims, in the order of the document; there is at least one.
    pub fn claims(&self) -> &[VerifiedClaim] {
        &self.claims
    }

    /// Whether every claim is accepted.
    pub fn is_accepted(&self) -> bool {
        self.claims.iter().all(|claim| claim.result == ClaimResult::Accepted)
    }

    /// 0 if every claim is accepted, 3 if a limit was reached; an error if a claim is refused.
    pub fn exit_code(&self) -> Result<i32, Error> {
        match self.claims.iter().find(|claim| claim.result == ClaimResult::Refused) {
            Some(refused) => Err(Error::Refused(format!("the certificate is not accepted: {}", refused.detail))),
            None => Ok(if self.is_accepted() { 0 } else { 3 }),
        }
    }
}

impl fmt::Display for Verification {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for VerifiedClaim { property, result, detail } in &self.claims {
            match result {
                ClaimResult::Accepted => writeln!(f, "accepted  {property}{detail}")?,
                ClaimResult::Unfinished => writeln!(f, "unfinished  {property}  {detail}")?,
                ClaimResult::Refused => writeln!(f, "refused   {property}  {detail}")?,
            }
        }
        Ok(())
    }
}

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
    let cx = &Context::new(budget, observer);
    let certificates = parse::parse_certificate(certificate).map_err(|e| Error::Mismatch(e.to_string()))?;
    let mut read = options.clone();
    read.define.clone_from(&certificates.defines);
    read.system.clone_from(&certificates.system);
    if let Some(written) = program_options(&certificates)? {
        agrees(&options.c, &written)?;
        read.c = written;
    }
    let claims = certificates.claims.iter().map(|claim| property_named(&claim.property));
    let properties = claims.collect::<Result<Vec<Property>, Error>>()?;
    // Formulas of the certificate that are none of the model's own: their names are their texts.
    let model = Model::read_with(path, &read, cx.budget)?.with_formulas(&properties, cx.budget)?;
    belongs(&certificates.sha256, &model)?;
    with_deep_stack(|| verify_all(&certificates, &properties, &model, cx))
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
        let certificates = parse::parse_certificate(certificate).map_err(|e| Error::Mismatch(e.to_string()))?;
        belongs(&certificates.sha256, self)?;
        self.was_read_as(&certificates)?;
        let claims = certificates.claims.iter().map(|claim| property_named(&claim.property));
        let properties = claims.collect::<Result<Vec<Property>, Error>>()?;
        let extended = self.extended(&properties, cx.budget)?;
        with_deep_stack(|| verify_all(&certificates, &properties, extended.as_ref().unwrap_or(self), cx))
    }

    /// The same text is another model with other macros, another FSP system, or another reading of C.
    fn was_read_as(&self, certificates: &Certificates) -> Result<(), Error> {
        let info = &self.info;
        let other = |what: &str| Err(Error::Mismatch(format!("the certificate was written for {what}")));
        if certificates.defines != info.defines {
            return other("other macros");
        }
        if certificates.system != info.composition.as_ref().and_then(|composition| composition.system.clone()) {
            return other("another system of the file");
        }
        let Some(written) = program_options(certificates)? else { return Ok(()) };
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

/// How C was read that the certificate is about.
fn program_options(certificates: &Certificates) -> Result<Option<COptions>, Error> {
    let unknown = |name: &str| Error::Refused(format!("there is no data model `{name}`"));
    let mut options = certificates.claims.iter().filter_map(|claim| match &claim.certificate {
        Certificate::Program(proof) => Some(programs::options_of(proof).ok_or_else(|| unknown(&proof.data_model))),
        Certificate::Components(proof) => {
            let (name, overflow) = (&proof.abstraction.data_model, proof.abstraction.signed_overflow);
            Some(programs::options_named(name, overflow).ok_or_else(|| unknown(name)))
        }
        _ => None,
    });
    options.next().transpose()
}

/// A proof holds for the reading of C that it was found for. Whoever asks for another is told so.
fn agrees(asked: &COptions, written: &COptions) -> Result<(), Error> {
    let other = |option: &str| Error::Mismatch(format!("the certificate was written for another {option}"));
    if asked.data_model.is_some() && asked.data_model != written.data_model {
        return Err(other("--c-data-model"));
    }
    if asked.signed_overflow && !written.signed_overflow {
        return Err(Error::Mismatch(String::from("the certificate was written without --c-signed-overflow")));
    }
    if asked.entry.is_some() && asked.entry != written.entry {
        return Err(other("--entry"));
    }
    Ok(())
}

/// The property that a document names.
pub(crate) fn property_named(name: &str) -> Result<Property, Error> {
    let named = |prefix: &str| name.strip_prefix(prefix).map(str::to_owned);
    Ok(match name {
        "safety" => Property::Safety,
        "deadlock" => Property::Deadlock,
        "boundedness" => Property::Boundedness,
        "livelock" => Property::Livelock,
        "reception" => Property::Reception,
        "orphan" => Property::Orphan,
        "acceptance" => Property::Acceptance,
        "trace" | "notrace" => Property::Trace(name.to_owned()),
        _ => match (named("ltl:"), named("never:"), named("conformance:")) {
            (Some(formula), ..) => Property::Ltl(formula),
            (_, Some(claim), _) => Property::Never(claim),
            (.., Some(name)) => Property::Conformance(name),
            _ => return Err(Error::Mismatch(format!("there is no checker for `{name}`"))),
        },
    })
}

/// The model as the checker sees it.
fn subject(model: &Model) -> Subject<'_> {
    match &model.system {
        System::Network(model) => Subject::Network(&model.network, model.bad.as_ref()),
        System::Composition(composition) => Subject::Composition(composition),
        System::Program(program) => Subject::Program(&program.component, &program.options),
        System::Components(file) => Subject::Components(&file.specification, &file.options),
    }
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

fn verify_all(
    certificates: &Certificates,
    properties: &[Property],
    model: &Model,
    cx: &Context<'_>,
) -> Result<Verification, Error> {
    if certificates.claims.is_empty() {
        return Err(Error::Mismatch(String::from("the document has no certificate: nothing was proved")));
    }
    let verified = certificates.claims.iter().zip(properties).map(|(claim, property)| {
        let checked = certify::check(subject(model), property, claim.reading, &claim.certificate, cx);
        let (result, detail) = match checked {
            Ok(facts) => (ClaimResult::Accepted, facts.to_string()),
            Err(Refusal::Unfinished(reason)) => (ClaimResult::Unfinished, reason),
            Err(Refusal::Undecided(reason)) => (ClaimResult::Unfinished, reason.to_string()),
            Err(refusal) => (ClaimResult::Refused, refusal.to_string()),
        };
        VerifiedClaim { property: property.to_string(), result, detail }
    });
    Ok(Verification { claims: verified.collect() })
}
