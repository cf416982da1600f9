//! Certificates: the model is read again, and each claim is handed to the checker.

use crate::choice::Choice;
use crate::error::Error;
use crate::model::{Model, NetworkModel, System};
use crate::request::{DEFAULT_MEMORY, DEFAULT_TIMEOUT};
use crate::settings::{COptions, ReadOptions};
use crate::stack::with_deep_stack;
use crate::{components, programs};
use model::budget::Budget;
use model::composition::Composition;
use model::context::Context;
use model::flow_proof::{FlowProof, QueueKey};
use model::network::{Initial, Network};
use model::observer::{Observer, Silent};
use model::queue_proof::QueueProof;
use model::semantics::{Reading, Semantics};
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

/// One claim, by the checker of its kind.
fn verify_claim(
    claim: &parse::Claim,
    property: &Property,
    model: &Model,
    cx: &Context<'_>,
) -> Result<String, certify::Refusal> {
    let wrong = || certify::Refusal::WrongKind(property.to_string());
    match (&model.system, &claim.certificate) {
        (System::Program(program), Certificate::Program(proof)) if *property == Property::Safety => {
            programs::verify(program, proof, cx)
        }
        (System::Components(components), Certificate::Components(proof)) => {
            let question = components::question(&components.specification, property).ok_or_else(wrong)?;
            components::verify(components, question, proof, cx)
        }
        (System::Composition(composition), _) => verify_joint(claim, property, composition, cx),
        (System::Network(network), _) => verify_network(claim, property, network, cx),
        _ => Err(wrong()),
    }
}

/// A claim about a network.
fn verify_network(
    claim: &parse::Claim,
    property: &Property,
    model: &NetworkModel,
    cx: &Context<'_>,
) -> Result<String, certify::Refusal> {
    let network = &model.network;
    match &claim.certificate {
        Certificate::Composition(_) | Certificate::Program(_) | Certificate::Components(_) => {
            Err(certify::Refusal::WrongKind(property.to_string()))
        }
        Certificate::Queues(_) if claim.reading != Reading::Unbounded => {
            let why = "an invariant over queues is about channels without bounds";
            Err(certify::Refusal::Malformed(String::from(why)))
        }
        Certificate::Queues(proof) if !model.is_machines() && proof.bad.is_empty() => {
            certify::queues::verify_promela(network, property, proof, cx)?;
            Ok(String::new())
        }
        Certificate::Queues(proof) => {
            let specification = specification_of(proof, model)?;
            certify::queues::verify(network, &specification, property, proof, cx)?;
            Ok(meant(proof))
        }
        Certificate::Flow(proof) => {
            let accepted = certify::flow::verify(network, property, proof, cx)?;
            Ok(if *property == Property::Boundedness { claimed(&accepted, proof, network) } else { String::new() })
        }
        certificate => {
            let semantics = Semantics::new(network, claim.reading);
            certify::verify(&semantics, property, certificate, cx)?;
            Ok(String::new())
        }
    }
}

/// A claim about structures side by side.
fn verify_joint(
    claim: &parse::Claim,
    property: &Property,
    composition: &Composition,
    cx: &Context<'_>,
) -> Result<String, certify::Refusal> {
    let wrong = || certify::Refusal::WrongKind(property.to_string());
    let Certificate::Composition(proof) = &claim.certificate else { return Err(wrong()) };
    let question = composition.question(property).ok_or_else(wrong)?;
    certify::composition::verify(composition, question, proof, cx)?;
    let count = composition.components.len();
    Ok(format!("  {count} component{}", if count == 1 { "" } else { "s" }))
}

/// The bad configurations that a proof is about: those that it names, or else those of the model.
fn specification_of(proof: &QueueProof, model: &NetworkModel) -> Result<scm::Specification, certify::Refusal> {
    let network = &model.network;
    let own = model.bad.as_ref().ok_or_else(|| {
        certify::Refusal::Malformed(String::from("it is for communicating machines, and the model is none"))
    })?;
    if proof.bad.is_empty() {
        return Ok(own.clone());
    }
    let read = |line: &String| {
        let unreadable = || certify::Refusal::Malformed(format!("`{line}` is no set of configurations of the model"));
        scm::read_bad("--bad", line, network).bad.ok_or_else(unreadable)
    };
    Ok(scm::Specification { bad: proof.bad.iter().map(read).collect::<Result<_, _>>()? })
}

/// The bad configurations that are not those of the model: `  --bad client@1 with c.#`.
fn meant(proof: &QueueProof) -> String {
    proof.bad.iter().map(|line| format!("  --bad '{line}'")).collect()
}

/// Which channels are proved to stay finite: `  ts[0] <= 2, log is finite (2 of 3)`.
fn claimed(accepted: &certify::flow::Accepted, proof: &FlowProof, network: &Network) -> String {
    let name = |key: &QueueKey| {
        let (variable, element) = (key.variable as usize, key.element as usize);
        match key.instance.and_then(|id| proof.abstraction.instances.get(id as usize)) {
            None => network.variables[variable].element_name(element),
            Some(instance) => {
                let machine = network.machine(instance.machine());
                format!("{}:{}", machine.name, machine.variables[variable].element_name(element))
            }
        }
    };
    let all = accepted.bounded.iter().map(|(key, bound)| match bound {
        Some(bound) => format!("{} <= {bound}", name(key)),
        None => format!("{} is finite", name(key)),
    });
    let (all, count): (Vec<String>, usize) = (all.take(MOST_NAMED).collect(), accepted.bounded.len());
    let more = if count > MOST_NAMED { ", ..." } else { "" };
    let buffered = proof.abstraction.queues.iter().filter(|queue| is_buffered(&queue.key, proof, network)).count();
    format!("  {}{more} ({count} of {buffered})", all.join(", "))
}

/// More channels than this are only counted.
const MOST_NAMED: usize = 8;

fn is_buffered(key: &QueueKey, proof: &FlowProof, network: &Network) -> bool {
    let variable = match key.instance.and_then(|id| proof.abstraction.instances.get(id as usize)) {
        None => &network.variables[key.variable as usize],
        Some(instance) => &network.machine(instance.machine()).variables[key.variable as usize],
    };
    matches!(variable.initial, Initial::NewChannel(ty) if !network.channel_types[ty.index()].is_rendezvous())
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
    let has_channels = matches!(model.system, System::Network(_));
    let verified = certificates.claims.iter().zip(properties).map(|(claim, property)| {
        let (result, detail) = match verify_claim(claim, property, model, cx) {
            Ok(what) if !has_channels => (ClaimResult::Accepted, what),
            Ok(what) => (ClaimResult::Accepted, format!("  channels: {}{what}", claim.reading.name())),
            Err(certify::Refusal::Unfinished(reason)) => (ClaimResult::Unfinished, reason.to_string()),
            Err(refusal) => (ClaimResult::Refused, refusal.to_string()),
        };
        VerifiedClaim { property: property.to_string(), result, detail }
    });
    Ok(Verification { claims: verified.collect() })
}
