//! Certificates, checked without an engine: the model is read again, and each claim is handed to `certify`.
//!
//! * In: a model, and the document that `highwater check --certificate` wrote for it.
//! * Out: a [`Verification`]: for each claim of the document accepted, accepted in part, refused, or unfinished at a limit.
//!
//! The binary `highwater-check` is this crate and a command line. It depends on front ends and on `certify`, and on no
//! engine, nor on their mathematics: `tests/dependencies.rs` reads `cargo metadata` for that. The SAT solver of `bitvector`
//! refutes the clauses that `certify` makes of C, and `certify` checks its proofs: it is linked, and not trusted. `highwater
//! verify-certificate` does the same by calling [`verify`].

mod error;

pub use error::{Error, Unreadable};

use bitvector::SatRefuter;
use certificate::Certificates;
use certify::{Facts, Refusal, Subject};
use input::{COptions, Choice, Parsed, ReadOptions, System, Text, with_deep_stack};
use model::context::Context;
use model::verdict::{Certificate, Property};
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
    /// What is true of the model, if the claim is accepted.
    pub facts: Option<Facts>,
}

/// What became of a claim.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ClaimResult {
    /// The checker accepts the proof.
    Accepted,
    /// The checker accepts the proof, but it leaves out some of the channels: the property is not proved.
    Partial,
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

    /// Why a claim is refused, if one is.
    pub fn refused(&self) -> Option<String> {
        let refused = self.claims.iter().find(|claim| claim.result == ClaimResult::Refused)?;
        Some(format!("the certificate is not accepted: {}", refused.detail))
    }

    /// 1 if a claim is refused, else 3 if a limit was reached or a claim leaves out channels, else 0.
    pub fn exit_code(&self) -> i32 {
        match self.refused() {
            Some(_) => 1,
            None if self.is_accepted() => 0,
            None => 3,
        }
    }
}

impl fmt::Display for Verification {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for VerifiedClaim { property, result, detail, .. } in &self.claims {
            match result {
                ClaimResult::Accepted => writeln!(f, "accepted  {property}{detail}")?,
                ClaimResult::Partial => writeln!(f, "partial   {property}{detail}")?,
                ClaimResult::Unfinished => writeln!(f, "unfinished  {property}  {detail}")?,
                ClaimResult::Refused => writeln!(f, "refused   {property}  {detail}")?,
            }
        }
        Ok(())
    }
}

/// Checks every claim of a certificate document for the model in a file. Macros, the system of an FSP text and the options
/// of C are those of the document; what `options` says otherwise is an error.
pub fn verify(path: &Path, certificate: &str, options: &ReadOptions, cx: &Context<'_>) -> Result<Verification, Error> {
    let document = Document::parse(certificate)?;
    let read = document.options(options)?;
    let text = Text::load(path)?;
    with_deep_stack(|| {
        let parsed = parse(path, &text, &read, &[], cx)?;
        // Formulas of the certificate that are none of the model's own: their names are their texts.
        let unknown = document.properties.iter().filter_map(|property| match property {
            Property::Ltl(text) | Property::Question(text) if !parsed.0.has_formula(text) => Some(text.clone()),
            _ => None,
        });
        let mut unknown: Vec<String> = unknown.collect();
        unknown.sort_unstable();
        unknown.dedup();
        let (system, sha256) = match unknown.is_empty() {
            true => parsed,
            false => parse(path, &text, &read, &unknown, cx)?,
        };
        document.belongs(&path.display().to_string(), &sha256)?;
        Ok(document.verify(&system, cx))
    })
}

fn parse(
    path: &Path,
    text: &Text,
    options: &ReadOptions,
    formulas: &[String],
    cx: &Context<'_>,
) -> Result<(System, String), Error> {
    let parsed = input::of(path, options.language)?.read(text, options, formulas, cx.budget)?;
    let Parsed { system, sources, diagnostics, info } = parsed;
    match system {
        Some(system) => Ok((system, info.sha256)),
        // Whatever the front end says of a text that it had no time to read, the limit is the reason.
        None => {
            let unreadable = Box::new(Unreadable { diagnostics, sources, info });
            Err(match cx.budget.check() {
                Ok(()) => Error::Model(unreadable),
                Err(reason) => Error::Limit { reason, unreadable },
            })
        }
    }
}

/// A certificate document whose properties there are.
#[derive(Clone, Debug)]
pub struct Document {
    certificates: Certificates,
    properties: Vec<Property>,
}

impl Document {
    /// Reads the text of a document; it has at least one claim.
    pub fn parse(text: &str) -> Result<Document, Error> {
        let certificates = certificate::parse(text).map_err(|error| Error::Mismatch(error.to_string()))?;
        if certificates.claims.is_empty() {
            return Err(Error::Mismatch(String::from("the document has no certificate: nothing was proved")));
        }
        let unknown = |name: &str| Error::Mismatch(format!("there is no checker for `{name}`"));
        let claims = certificates.claims.iter();
        let properties =
            claims.map(|claim| certificate::property_named(&claim.property).ok_or_else(|| unknown(&claim.property)));
        let properties = properties.collect::<Result<Vec<Property>, Error>>()?;
        Ok(Document { certificates, properties })
    }

    /// The properties of its claims.
    pub fn properties(&self) -> &[Property] {
        &self.properties
    }

    /// The macros and the system that it was written for.
    pub fn origin(&self) -> (&[String], Option<&str>) {
        (&self.certificates.defines, self.certificates.system.as_deref())
    }

    /// Refuses it for another model than the one with this hash.
    pub fn belongs(&self, file: &str, sha256: &str) -> Result<(), Error> {
        let own = &self.certificates.sha256;
        if own == sha256 {
            return Ok(());
        }
        Err(Error::Mismatch(format!(
            "the document was made for another version of {file}: its SHA-256 is {own}, the file's is {sha256}"
        )))
    }

    /// Checks every claim for a model that was read as the document says.
    pub fn verify(&self, system: &System, cx: &Context<'_>) -> Verification {
        let subject = match system {
            System::Network(model) => Subject::Network(&model.network, model.bad.as_ref()),
            System::Composition(composition) => Subject::Composition(composition),
            System::Program(program) => Subject::Program(&program.component, &program.options),
            System::Components(file) => Subject::Components(&file.specification, &file.options),
        };
        let claims = self.certificates.claims.iter().zip(&self.properties).map(|(claim, property)| {
            let checked = certify::check(subject, property, claim.reading, &claim.certificate, &mut SatRefuter, cx);
            let (result, detail) = match &checked {
                Ok(facts) if leaves_out(facts) => (ClaimResult::Partial, facts.to_string()),
                Ok(facts) => (ClaimResult::Accepted, facts.to_string()),
                Err(Refusal::Unfinished(reason)) => (ClaimResult::Unfinished, reason.clone()),
                Err(Refusal::Undecided(reason)) => (ClaimResult::Unfinished, reason.to_string()),
                Err(refusal) => (ClaimResult::Refused, refusal.to_string()),
            };
            VerifiedClaim { property: property.to_string(), result, detail, facts: checked.ok() }
        });
        Verification { claims: claims.collect() }
    }

    /// The options under which the model is read.
    fn options(&self, options: &ReadOptions) -> Result<ReadOptions, Error> {
        let mut read = options.clone();
        read.define.clone_from(&self.certificates.defines);
        read.system.clone_from(&self.certificates.system);
        if let Some(written) = self.c_options()? {
            agrees(&options.c, &written)?;
            read.c = written;
        }
        Ok(read)
    }

    /// How C was read that the certificate is about.
    pub fn c_options(&self) -> Result<Option<COptions>, Error> {
        let unknown = |name: &str| Error::Refused(format!("there is no data model `{name}`"));
        let mut options = self.certificates.claims.iter().filter_map(|claim| match &claim.certificate {
            Certificate::Program(proof) => Some(input::options_of(proof).ok_or_else(|| unknown(&proof.data_model))),
            Certificate::Components(proof) => {
                let (name, overflow) = (&proof.abstraction.data_model, proof.abstraction.signed_overflow);
                Some(input::options_named(name, overflow).ok_or_else(|| unknown(name)))
            }
            _ => None,
        });
        options.next().transpose()
    }
}

/// Whether it is about some of the channels only.
fn leaves_out(facts: &Facts) -> bool {
    facts.buffered.is_some_and(|buffered| facts.channels.len() < buffered)
}

/// A proof holds for the reading of C that it was found for; another one is an error.
fn agrees(asked: &COptions, written: &COptions) -> Result<(), Error> {
    let other = |option: &str| Err(Error::Mismatch(format!("the certificate was written for another {option}")));
    match asked {
        COptions { data_model: Some(model), .. } if asked.data_model != written.data_model => {
            other(&format!("--c-data-model than {}", model.name()))
        }
        COptions { signed_overflow: true, .. } if !written.signed_overflow => {
            Err(Error::Mismatch(String::from("the certificate was written without --c-signed-overflow")))
        }
        COptions { entry: Some(_), .. } if asked.entry != written.entry => other("--entry"),
        _ => Ok(()),
    }
}
