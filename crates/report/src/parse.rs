//! Documents read back: the run that `simulate --replay` takes, the claims that `verify-certificate` checks.
//!
//! A document may be old, edited, cut short or something else altogether, so every field is optional
//! on the way in and requested by name on the way out: the message says which one is missing. Only
//! what is needed is kept; the words of a run (events, values) are for people and are not read.

use crate::json::{CHECK_SCHEMA, TRACE_SCHEMA};
pub use certificate::{CReading, Certificates, Claim, DocumentError, parse as parse_certificate};

use certificate::{Origin, OriginJson, need, origin, reading, schema};
use model::chart::{Form, StepKey};
use model::semantics::Reading;
use serde::Deserialize;

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

/// Reads a trace: a document of `--trace`, or the first run in what `check --format json` wrote.
pub fn parse_trace(text: &str) -> Result<Trace, DocumentError> {
    let schema = schema(text)?;
    match schema.as_str() {
        TRACE_SCHEMA => trace_of(serde_json::from_str(text)?),
        CHECK_SCHEMA => first_run(text),
        _ => Err(DocumentError::Schema { found: schema, expected: "`highwater-trace/1` or `highwater/1`" }),
    }
}

#[derive(Deserialize)]
struct RawTrace {
    model: Option<OriginJson>,
    reading: Option<String>,
    property: Option<String>,
    witness: Option<RawWitness>,
}

#[derive(Deserialize)]
struct RawCheck {
    model: Option<OriginJson>,
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

/// The first run in the documents of `check`, one per file. A run that was not requested comes after the others of its
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
    let Origin { file, sha256, defines, system, c } = origin(raw.model)?;
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
        problem_code: problem_code.filter(|code| !code.is_empty()),
    })
}

#[cfg(test)]
mod tests;
