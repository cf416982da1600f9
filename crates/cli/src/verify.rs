//! `verify-certificate`: the model is read again, and the certificate is handed to the small checker.

use crate::arguments::{CReadArgs, ReadArgs, VerifyArgs};
use crate::failure::Failure;
use crate::model_file::{self, ModelFile};
use crate::{components, compositions, programs, terminal};
use model::budget::{Budget, Cancel};
use model::composition::Composition;
use model::context::Context;
use model::flow_proof::{FlowProof, QueueKey};
use model::network::{Initial, Network};
use model::queue_proof::QueueProof;
use model::semantics::{Reading, Semantics};
use model::verdict::{Certificate, Property};
use report::diagnostics;
use report::parse::{self, Certificates};
use report::progress::TerminalObserver;
use std::io::Write;

/// Checks every claim of a certificate document.
pub fn run(args: &VerifyArgs, stop: &Cancel) -> Result<i32, Failure> {
    let budget = args.limits.budget(stop);
    let text = std::fs::read_to_string(&args.certificate)
        .map_err(|e| Failure::Unreadable { file: args.certificate.display().to_string(), reason: e.to_string() })?;
    let certificates = parse::parse_certificate(&text)
        .map_err(|e| Failure::Mismatch(format!("{}: {e}", args.certificate.display())))?;
    let mut read = args.read.clone();
    read.define.clone_from(&certificates.defines);
    read.system.clone_from(&certificates.system);
    if let Some(options) = program_options(&certificates)? {
        agrees(&args.read.c, &options)?;
        read.c = options;
    }
    let file = read_asked(&certificates, args, &read, &budget)?;
    belongs(&certificates.sha256, &file)?;
    if file.network.is_none() && file.composition.is_none() && file.program.is_none() && file.components.is_none() {
        let text = diagnostics::render(&file.diagnostics, &file.sources, terminal::error_style(&args.style));
        std::io::stderr().write_all(text.as_bytes())?;
        return Err(Failure::Model);
    }
    let observer = TerminalObserver::new(!args.style.ascii, false);
    verify_all(&certificates, &file, &Context::new(&budget, &observer))
}

/// How C was read that the certificate is about.
fn program_options(certificates: &Certificates) -> Result<Option<CReadArgs>, Failure> {
    let unknown = |name: &str| Failure::Refused(format!("there is no data model `{name}`"));
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
fn agrees(asked: &CReadArgs, written: &CReadArgs) -> Result<(), Failure> {
    let other = |option: &str| Failure::Mismatch(format!("the certificate was written for another {option}"));
    if asked.c_data_model.is_some() && asked.c_data_model != written.c_data_model {
        return Err(other("--c-data-model"));
    }
    if asked.c_signed_overflow && !written.c_signed_overflow {
        return Err(Failure::Mismatch(String::from("the certificate was written without --c-signed-overflow")));
    }
    if asked.entry.is_some() && asked.entry != written.entry {
        return Err(other("--entry"));
    }
    Ok(())
}

/// Reads the model, with the formulas of the certificate that are none of its own: their names are their texts.
fn read_asked(
    certificates: &Certificates,
    args: &VerifyArgs,
    read: &ReadArgs,
    budget: &Budget,
) -> Result<ModelFile, Failure> {
    let file = model_file::read(&args.file, read, budget)?;
    if file.network.is_none() && file.composition.is_none() && file.components.is_none() {
        return Ok(file);
    }
    let asked = certificates.claims.iter().filter_map(|claim| claim.property.strip_prefix("ltl:"));
    let mut formulas: Vec<String> = asked.filter(|text| !file.has_formula(text)).map(str::to_owned).collect();
    formulas.sort_unstable();
    formulas.dedup();
    if formulas.is_empty() {
        return Ok(file);
    }
    model_file::read_with_formulas(&args.file, read, &formulas, budget)
}

/// The property that a document names.
pub fn property_named(name: &str) -> Result<Property, Failure> {
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
            _ => return Err(Failure::Mismatch(format!("there is no checker for `{name}`"))),
        },
    })
}

/// One claim, by the checker of its kind.
fn verify_claim(
    claim: &parse::Claim,
    property: &Property,
    file: &ModelFile,
    cx: &Context<'_>,
) -> Result<String, certify::Refusal> {
    if let Some(program) = &file.program {
        let wrong = || certify::Refusal::WrongKind(property.to_string());
        let Certificate::Program(proof) = &claim.certificate else { return Err(wrong()) };
        if *property != Property::Safety {
            return Err(wrong());
        }
        return programs::verify(program, proof, cx);
    }
    if let Some(components) = &file.components {
        let wrong = || certify::Refusal::WrongKind(property.to_string());
        let Certificate::Components(proof) = &claim.certificate else { return Err(wrong()) };
        let question = components::question(&components.specification, property).ok_or_else(wrong)?;
        return components::verify(components, question, proof, cx);
    }
    let network = match (&file.network, &file.composition) {
        (_, Some(composition)) => return verify_joint(claim, property, composition, cx),
        (Some(network), _) => network,
        (None, None) => return Err(certify::Refusal::Malformed(String::from("the model cannot be read"))),
    };
    match &claim.certificate {
        Certificate::Composition(_) => {
            Err(certify::Refusal::Malformed(String::from("it is for structures side by side, and the model is none")))
        }
        Certificate::Program(_) => {
            Err(certify::Refusal::Malformed(String::from("it is for a C program, and the model is none")))
        }
        Certificate::Components(_) => {
            Err(certify::Refusal::Malformed(String::from("it is for C components, and the model has none")))
        }
        Certificate::Queues(_) if claim.reading != Reading::Unbounded => {
            let why = "an invariant over queues is about channels without bounds";
            Err(certify::Refusal::Malformed(String::from(why)))
        }
        Certificate::Queues(proof) if is_promela(file) && proof.bad.is_empty() => {
            certify::queues::verify_promela(network, property, proof, &cx.limits(), cx)?;
            Ok(String::new())
        }
        Certificate::Queues(proof) => {
            let specification = specification_of(proof, file, network)?;
            certify::queues::verify(network, &specification, property, proof, &cx.limits(), cx)?;
            Ok(meant(proof))
        }
        Certificate::Flow(proof) => {
            let accepted = certify::flow::verify(network, property, proof, &cx.limits(), cx)?;
            Ok(if *property == Property::Boundedness { claimed(&accepted, proof, network) } else { String::new() })
        }
        certificate => {
            let semantics = Semantics::new(network, claim.reading);
            certify::verify(&semantics, property, certificate, &cx.limits(), cx)?;
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
    let question = compositions::asked(composition, property).ok_or_else(wrong)?;
    certify::composition::verify(composition, question, proof, &cx.limits(), cx)?;
    let count = composition.components.len();
    Ok(format!("  {count} component{}", if count == 1 { "" } else { "s" }))
}

/// Whether a model is one of Promela, and not of communicating machines.
fn is_promela(file: &ModelFile) -> bool {
    file.network.is_some() && file.specification.is_none()
}

/// The bad configurations that a proof is about: those that it names, or else those of the model.
fn specification_of(
    proof: &QueueProof,
    file: &ModelFile,
    network: &Network,
) -> Result<scm::Specification, certify::Refusal> {
    let own = file.specification.as_ref().ok_or_else(|| {
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
pub fn belongs(sha256: &str, file: &ModelFile) -> Result<(), Failure> {
    if sha256 == file.info.sha256 {
        return Ok(());
    }
    Err(Failure::Mismatch(format!(
        "the document was made for another version of {}: its SHA-256 is {sha256}, the file's is {}",
        file.info.file, file.info.sha256
    )))
}

fn verify_all(certificates: &Certificates, file: &ModelFile, cx: &Context<'_>) -> Result<i32, Failure> {
    let mut out = std::io::stdout().lock();
    if certificates.claims.is_empty() {
        return Err(Failure::Mismatch(String::from("the document has no certificate: nothing was proved")));
    }
    let mut refused = None;
    for claim in &certificates.claims {
        let property = property_named(&claim.property)?;
        match verify_claim(claim, &property, file, cx) {
            Ok(what) if file.network.is_none() => writeln!(out, "accepted  {property}{what}")?,
            Ok(what) => writeln!(out, "accepted  {property}  channels: {}{what}", claim.reading.name())?,
            Err(certify::Refusal::Unfinished(reason)) => {
                writeln!(out, "unfinished  {property}  {reason}")?;
                return Ok(3);
            }
            Err(refusal) => {
                writeln!(out, "refused   {property}  {refusal}")?;
                refused = Some(Failure::Refused(format!("the certificate is not accepted: {refusal}")));
            }
        }
    }
    match refused {
        Some(failure) => Err(failure),
        None => Ok(0),
    }
}
