//! Documents read back: the run that `simulate --replay` takes, the claims that `verify-certificate` checks.
//!
//! A document may be old, edited, cut short or something else altogether, so every field is optional
//! on the way in and asked for by name on the way out: the message says which one is missing. Only
//! what is needed is kept; the words of a run (events, values) are for people and are not read.

use crate::automaton::{self, AutomatonJson};
use crate::by_name::Longest;
use crate::components::{COMPONENTS_RUN, ComponentsCode};
use crate::joint::{JOINT, JointCode, run_of};
use crate::json::{
    CERTIFICATE_SCHEMA, CHECK_SCHEMA, COMPONENTS, COMPOSITION, EXPLORED, FLOW, PRODUCT, PROGRAM, QUEUES, SEARCHED,
    TRACE_SCHEMA,
};
use crate::partitions::{self, NodeJson};
use crate::program::PROGRAM_RUN;
use crate::proof::{RawProof, proof_of};
use model::chart::NetworkKey;
use model::components_proof::{ComponentsAbstraction, ComponentsProof};
use model::composition::Run;
use model::semantics::{Reading, Step};
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
    /// The run.
    pub steps: Vec<Step>,
    /// The run of a composition, instead.
    pub joint: Option<Run>,
    /// The run of C components, instead.
    pub components: Option<ComponentsTrace>,
    /// The inputs of a run of a C program, instead.
    pub program: Option<Vec<u64>>,
    /// How C was read, if it was: the widths of its integers, and whether overflow is an error.
    pub c: Option<CReading>,
    /// Where its loop starts, if it is infinite.
    pub loop_from: Option<usize>,
    /// The short name of what is wrong at its end.
    pub problem_code: Option<String>,
}

/// A run of C components that can be replayed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ComponentsTrace {
    /// For each part, the state that it begins in, if it is a process.
    pub initial: Vec<Option<u32>>,
    /// For each part, the inputs that it is given, if it is a procedure.
    pub inputs: Vec<Vec<u64>>,
    /// The steps.
    pub steps: Vec<ComponentsStepCode>,
}

/// The event of a step, if others see it; and the parts that move, each with the step of its graph, or with the state that a
/// process gets into.
pub type ComponentsStepCode = (Option<String>, Vec<(u32, u32)>);

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
    parts: Option<Vec<RawPart>>,
    bits: Option<Vec<u64>>,
    problem_code: Option<String>,
    steps: Option<Vec<RawStep>>,
    loop_from: Option<usize>,
}

#[derive(Deserialize)]
struct RawPart {
    initial: Option<u32>,
    bits: Option<Vec<u64>>,
}

#[derive(Deserialize)]
struct RawStep {
    event: Option<String>,
    step: Option<RawCode>,
}

/// The code of a step: of processes, of structures side by side, or of C components.
#[derive(Deserialize)]
#[serde(untagged)]
enum RawCode {
    Step(NetworkKey),
    Joint(JointCode),
    Components(ComponentsCode),
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
    let is = |name: &str| kind.as_deref() == Some(name);
    let (is_joint, is_components, is_program) = (is(JOINT), is(COMPONENTS_RUN), is(PROGRAM_RUN));
    let has_channels = !is_joint && !is_components && !is_program;
    let reading = if has_channels { reading("reading", raw.reading)? } else { Reading::Declared };
    let mut codes = (Vec::new(), Vec::new(), Vec::new());
    let steps = need(steps, || "witness.steps".into())?;
    // Of a program, the inputs say where the run goes.
    for (position, raw) in steps.into_iter().enumerate().filter(|_| !is_program) {
        let field = || format!("witness.steps[{position}].step");
        match need(raw.step, field)? {
            RawCode::Step(code) if has_channels => codes.0.push(Step::from(code)),
            RawCode::Joint(code) if is_joint => codes.1.push(code),
            RawCode::Components(code) if is_components => codes.2.push((raw.event, code.moves)),
            _ => return Err(no_step(field())),
        }
    }
    let (steps, joint, moves) = codes;
    let joint = match is_joint {
        true => {
            let initial = need(initial, || "witness.initial".into())?;
            Some(run_of(initial, &joint, loop_from).map_err(|at| no_step(format!("witness.steps[{at}].step")))?)
        }
        false => None,
    };
    let components = match is_components {
        true => Some(components_trace(need(parts, || "witness.parts".into())?, moves)),
        false => None,
    };
    let program = if is_program { Some(need(bits, || "witness.bits".into())?) } else { None };
    Ok(Trace {
        file,
        sha256,
        defines,
        system,
        reading,
        property,
        steps,
        joint,
        components,
        program,
        c,
        loop_from,
        problem_code,
    })
}

fn components_trace(parts: Vec<RawPart>, steps: Vec<ComponentsStepCode>) -> ComponentsTrace {
    let initial = parts.iter().map(|part| part.initial).collect();
    ComponentsTrace { initial, inputs: parts.into_iter().map(|part| part.bits.unwrap_or_default()).collect(), steps }
}

fn no_step(field: String) -> DocumentError {
    DocumentError::Value { field, found: String::from("another thing"), expected: "a step of such a run" }
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
