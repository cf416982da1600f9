//! Documents read back: the run that `simulate --replay` takes, the claims that `verify-certificate` checks.
//!
//! A document may be old, edited, cut short or something else altogether, so every field is optional
//! on the way in and asked for by name on the way out: the message says which one is missing. Only
//! what is needed is kept; the words of a run (events, values) are for people and are not read.

use crate::automaton::{self, AutomatonJson};
use crate::by_name::Longest;
use crate::json::{
    CERTIFICATE_SCHEMA, CHECK_SCHEMA, COMPONENTS, COMPOSITION, EXPLORED, FLOW, PRODUCT, PROGRAM, QUEUES, SEARCHED,
    TRACE_SCHEMA,
};
use crate::partitions::{self, NodeJson};
use crate::proof::{RawProof, proof_of};
use model::chart::{Form, StepKey};
use model::components_proof::{ComponentsAbstraction, ComponentsProof};
use model::semantics::Reading;
use model::verdict::Certificate;
use serde::Deserialize;
use thiserror::Error;

/// Why a document cannot be used.
#[derive(Debug, Error)]
pub enum DocumentError {
    /// The text is not JSON, or a field has another type.
    #[error("not a Highwater document: {0}")]
    Json(#[from] serde_json::Error),
    /// The text is empty.
    #[error("not a Highwater document: the file is empty")]
    Empty,
    /// It is a document of another kind.
    #[error("the field `schema` is `{found}`, expected {expected}")]
    Schema {
        /// What the document says.
        found: String,
        /// What would be right.
        expected: &'static str,
    },
    /// A field is not there.
    #[error("the field `{0}` is missing")]
    Missing(String),
    /// A field has a value that means nothing.
    #[error("the field `{field}` is `{found}`, expected {expected}")]
    Value {
        /// The field.
        field: String,
        /// What the document says.
        found: String,
        /// What would be right.
        expected: &'static str,
    },
    /// A document of `check` in which nothing is violated.
    #[error("no result of the document has a run (`witness`): nothing is violated")]
    NoRun,
}

/// A run that can be replayed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trace {
    /// The file that was checked.
    pub file: String,
    /// Its SHA-256, in hexadecimal.
    pub sha256: String,
    /// The definitions of the command line.
    pub defines: Vec<String>,
    /// The composition that the command line named.
    pub system: Option<String>,
    /// How capacities were read; as declared, where there are no channels.
    pub reading: Reading,
    /// The property that the run violates.
    pub property: String,
    /// The kind of the run.
    pub kind: String,
    /// What its lanes begin with, where it has a list of them.
    pub lanes: Vec<TraceLane>,
    /// The first states of its lanes, where they stand in the run itself.
    pub initial: Option<Vec<u32>>,
    /// The inputs of the run, where they say all that is done.
    pub bits: Option<Vec<u64>>,
    /// Its steps.
    pub steps: Vec<TraceStep>,
    /// How C was read, if it was: the widths of its integers, and whether overflow is an error.
    pub c: Option<CReading>,
    /// Where its loop starts, if it is infinite.
    pub loop_from: Option<usize>,
    /// The short name of what is wrong at its end.
    pub problem_code: Option<String>,
}

/// What a lane begins with.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
pub struct TraceLane {
    /// The first state, if it has one.
    pub initial: Option<u32>,
    /// The inputs that it is given, if it can be given some.
    pub bits: Option<Vec<u64>>,
}

/// A step of a trace.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
pub struct TraceStep {
    /// What happens.
    pub event: Option<String>,
    /// What is taken; none where the inputs say it.
    #[serde(rename = "step")]
    pub key: Option<StepKey>,
}

impl Trace {
    /// The steps of a run of a kind; an error names the first that is a step of another kind.
    pub fn keys<T>(&self, of: impl Fn(&StepKey) -> Option<T>) -> Result<Vec<T>, DocumentError> {
        let key =
            |(position, step): (usize, &TraceStep)| step.key.as_ref().and_then(&of).ok_or_else(|| no_step(position));
        self.steps.iter().enumerate().map(key).collect()
    }
}

/// A step that makes no sense.
pub fn no_step(position: usize) -> DocumentError {
    let field = format!("witness.steps[{position}].step");
    DocumentError::Value { field, found: String::from("another thing"), expected: "a step of such a run" }
}

/// How C was read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CReading {
    /// `ilp32` or `lp64`.
    pub data_model: String,
    /// A signed result that its type cannot hold is an error.
    pub signed_overflow: bool,
    /// The procedure that a run of a program starts with.
    pub entry: Option<String>,
}

/// What one proof claims.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Claim {
    /// The property.
    pub property: String,
    /// How capacities were read; as declared, where there are no channels.
    pub reading: Reading,
    /// What the proof rests on.
    pub certificate: Certificate,
}

/// The certificates of one run of `check`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Certificates {
    /// The file that was checked.
    pub file: String,
    /// Its SHA-256, in hexadecimal.
    pub sha256: String,
    /// The definitions of the command line.
    pub defines: Vec<String>,
    /// The composition that the command line named.
    pub system: Option<String>,
    /// The claims.
    pub claims: Vec<Claim>,
}

/// Reads a trace: a document of `--trace`, or the first run in what `check --format json` wrote.
pub fn parse_trace(text: &str) -> Result<Trace, DocumentError> {
    let schema = schema(text)?;
    match schema.as_str() {
        TRACE_SCHEMA => trace_of(serde_json::from_str(text)?),
        CHECK_SCHEMA => first_run(text),
        _ => Err(DocumentError::Schema { found: schema, expected: "`highwater-trace/1` or `highwater/1`" }),
    }
}

/// Reads the document of `--certificate`.
pub fn parse_certificate(text: &str) -> Result<Certificates, DocumentError> {
    let schema = schema(text)?;
    if schema != CERTIFICATE_SCHEMA {
        return Err(DocumentError::Schema { found: schema, expected: "`highwater-certificate/1`" });
    }
    let raw: RawCertificates = serde_json::from_str(text)?;
    let Model { file, sha256, defines, system, .. } = model_of(raw.model)?;
    let claims = need(raw.certificates, || "certificates".into())?;
    let claims = claims.into_iter().enumerate().map(|(position, claim)| claim_of(position, claim));
    Ok(Certificates { file, sha256, defines, system, claims: claims.collect::<Result<_, _>>()? })
}

/// The schema of the first document in a text.
fn schema(text: &str) -> Result<String, DocumentError> {
    let first = serde_json::Deserializer::from_str(text).into_iter::<RawSchema>().next();
    need(first.ok_or(DocumentError::Empty)??.schema, || "schema".into())
}

#[derive(Deserialize)]
#[serde(expecting = "an object with a field `schema`")]
struct RawSchema {
    schema: Option<String>,
}

#[derive(Deserialize)]
struct RawModel {
    file: Option<String>,
    sha256: Option<String>,
    defines: Option<Vec<String>>,
    system: Option<String>,
    entry: Option<String>,
    data_model: Option<String>,
    signed_overflow: Option<bool>,
}

#[derive(Deserialize)]
struct RawTrace {
    model: Option<RawModel>,
    reading: Option<String>,
    property: Option<String>,
    witness: Option<RawWitness>,
}

#[derive(Deserialize)]
struct RawCheck {
    model: Option<RawModel>,
    results: Option<Vec<RawResult>>,
}

#[derive(Deserialize)]
struct RawResult {
    reading: Option<String>,
    property: Option<String>,
    witness: Option<RawWitness>,
    advisory: Option<bool>,
}

#[derive(Deserialize)]
struct RawWitness {
    kind: Option<String>,
    initial: Option<Vec<u32>>,
    parts: Option<Vec<TraceLane>>,
    bits: Option<Vec<u64>>,
    problem_code: Option<String>,
    steps: Option<Vec<TraceStep>>,
    loop_from: Option<usize>,
}

#[derive(Deserialize)]
struct RawCertificates {
    model: Option<RawModel>,
    certificates: Option<Vec<RawClaim>>,
}

#[derive(Deserialize)]
struct RawClaim {
    property: Option<String>,
    reading: Option<String>,
    kind: Option<String>,
    states: Option<u64>,
    digest: Option<String>,
    longest: Option<Longest>,
    events: Option<Vec<String>>,
    proof: Option<RawProof>,
    fair: Option<bool>,
    automaton: Option<AutomatonJson>,
    invariant: Option<model::queue_proof::QueueProof>,
    partitions: Option<Vec<NodeJson>>,
    program: Option<model::program_proof::ProgramProof>,
    abstraction: Option<ComponentsAbstraction>,
}

/// The first run in the documents of `check`, one per file. A run that nobody asked for comes after the others of its
/// file.
fn first_run(text: &str) -> Result<Trace, DocumentError> {
    for document in serde_json::Deserializer::from_str(text).into_iter::<RawCheck>() {
        let RawCheck { model, results } = document?;
        let runs = need(results, || "results".into())?.into_iter().filter(|result| result.witness.is_some());
        if let Some(RawResult { reading, property, witness, .. }) = runs.min_by_key(|run| run.advisory == Some(true)) {
            return trace_of(RawTrace { model, reading, property, witness });
        }
    }
    Err(DocumentError::NoRun)
}

fn trace_of(raw: RawTrace) -> Result<Trace, DocumentError> {
    let Model { file, sha256, defines, system, c } = model_of(raw.model)?;
    let property = need(raw.property, || "property".into())?;
    let RawWitness { kind, initial, parts, bits, problem_code, steps, loop_from } =
        need(raw.witness, || "witness".into())?;
    let kind = kind.unwrap_or_else(|| String::from(Form::RUN.kind));
    let reading = match raw.reading {
        None if kind != Form::RUN.kind => Reading::Declared,
        name => reading("reading", name)?,
    };
    let steps = need(steps, || "witness.steps".into())?;
    if let (Some(position), None) = (steps.iter().position(|step| step.key.is_none()), &bits) {
        return Err(DocumentError::Missing(format!("witness.steps[{position}].step")));
    }
    let lanes = parts.unwrap_or_default();
    Ok(Trace {
        file,
        sha256,
        defines,
        system,
        reading,
        property,
        kind,
        lanes,
        initial,
        bits,
        steps,
        c,
        loop_from,
        problem_code,
    })
}

fn claim_of(position: usize, raw: RawClaim) -> Result<Claim, DocumentError> {
    let field = |name: &str| format!("certificates[{position}].{name}");
    let RawClaim { property, reading: name, kind, states, digest, longest, events, proof, fair, automaton, .. } = raw;
    let (invariant, partitions, program, abstraction) = (raw.invariant, raw.partitions, raw.program, raw.abstraction);
    let kind = need(kind, || field("kind"))?;
    let certificate = match kind.as_str() {
        EXPLORED => Certificate::Explored {
            states: need(states, || field("states"))?,
            digest: hexadecimal(&field("digest"), need(digest, || field("digest"))?)?,
            longest: longest.unwrap_or_default().0,
            events: events.unwrap_or_default(),
        },
        PRODUCT => {
            let automaton = need(automaton, || field("automaton"))?;
            let claim = automaton::claim_of(&automaton).ok_or_else(|| DocumentError::Value {
                field: field("automaton"),
                found: String::from("one that is not complete"),
                expected: "atoms and states that exist",
            })?;
            Certificate::Product {
                states: need(states, || field("states"))?,
                digest: hexadecimal(&field("digest"), need(digest, || field("digest"))?)?,
                claim: Box::new(claim),
                fair: fair.unwrap_or(false),
            }
        }
        SEARCHED => Certificate::Searched { fair: fair.unwrap_or(false), events: events.unwrap_or_default() },
        FLOW => Certificate::Flow(Box::new(proof_of(&field("proof"), need(proof, || field("proof"))?)?)),
        QUEUES => Certificate::Queues(Box::new(need(invariant, || field("invariant"))?)),
        COMPOSITION => {
            let list = need(partitions, || field("partitions"))?;
            Certificate::Composition(Box::new(partitions::tree(&field("partitions"), list)?))
        }
        PROGRAM => Certificate::Program(Box::new(need(program, || field("program"))?)),
        COMPONENTS => {
            let abstraction = need(abstraction, || field("abstraction"))?;
            let list = need(partitions, || field("partitions"))?;
            let composition = partitions::tree(&field("partitions"), list)?;
            Certificate::Components(Box::new(ComponentsProof { abstraction, composition }))
        }
        _ => {
            let expected = "`explored-states`, `explored-product`, `searched`, `flow-weights`, `queue-invariant`, \
                            `partitions`, `program-invariant` or `predicate-abstraction`";
            return Err(DocumentError::Value { field: field("kind"), found: kind, expected });
        }
    };
    let property = need(property, || field("property"))?;
    // Components side by side and C programs have no channels that could be read in one way or another.
    let reading = match certificate {
        Certificate::Composition(_) | Certificate::Program(_) | Certificate::Components(_) => Reading::Declared,
        _ => reading(&field("reading"), name)?,
    };
    Ok(Claim { property, reading, certificate })
}

/// The model that a document is about.
struct Model {
    file: String,
    sha256: String,
    defines: Vec<String>,
    system: Option<String>,
    c: Option<CReading>,
}

fn model_of(raw: Option<RawModel>) -> Result<Model, DocumentError> {
    let RawModel { file, sha256, defines, system, entry, data_model, signed_overflow } = need(raw, || "model".into())?;
    let file = need(file, || "model.file".into())?;
    let sha256 = need(sha256, || "model.sha256".into())?;
    let signed_overflow = signed_overflow.unwrap_or(false);
    let c = data_model.map(|data_model| CReading { data_model, signed_overflow, entry });
    Ok(Model { file, sha256, defines: need(defines, || "model.defines".into())?, system, c })
}

/// The value of a field that must be there.
pub(crate) fn need<T>(value: Option<T>, field: impl FnOnce() -> String) -> Result<T, DocumentError> {
    value.ok_or_else(|| DocumentError::Missing(field()))
}

fn reading(field: &str, name: Option<String>) -> Result<Reading, DocumentError> {
    let found = need(name, || field.into())?;
    let known = [Reading::Declared, Reading::Unbounded, Reading::Drop].into_iter().find(|r| r.name() == found);
    let expected = "`declared`, `unbounded` or `drop`";
    known.ok_or_else(|| DocumentError::Value { field: field.into(), found, expected })
}

fn hexadecimal(field: &str, found: String) -> Result<u128, DocumentError> {
    let digits = found.bytes().all(|b| b.is_ascii_hexdigit());
    match u128::from_str_radix(&found, 16) {
        Ok(number) if digits => Ok(number),
        _ => Err(DocumentError::Value { field: field.into(), found, expected: "at most 32 hexadecimal digits" }),
    }
}

#[cfg(test)]
mod tests;
