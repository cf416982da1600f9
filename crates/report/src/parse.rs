//! Documents read back: the run that `simulate --replay` takes, the claims that `verify-certificate` checks.
//!
//! A document may be old, edited, cut short or something else altogether, so every field is optional
//! on the way in and asked for by name on the way out: the message says which one is missing. Only
//! what is needed is kept; the words of a run (events, values) are for people and are not read.

use crate::automaton::{self, AutomatonJson};
use crate::by_name::Longest;
use crate::joint::{JOINT, JointCode, run_of};
use crate::json::{
    CERTIFICATE_SCHEMA, CHECK_SCHEMA, COMPOSITION, EXPLORED, FLOW, PRODUCT, PROGRAM, QUEUES, SEARCHED, TRACE_SCHEMA,
};
use crate::partitions::{self, NodeJson};
use crate::proof::{RawProof, proof_of};
use crate::run::StepCode;
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
    /// Where its loop starts, if it is infinite.
    pub loop_from: Option<usize>,
    /// The short name of what is wrong at its end.
    pub problem_code: Option<String>,
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
    let Model { file, sha256, defines, system } = model_of(raw.model)?;
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
    problem_code: Option<String>,
    steps: Option<Vec<RawStep>>,
    loop_from: Option<usize>,
}

#[derive(Deserialize)]
struct RawStep {
    step: Option<RawCode>,
}

/// The code of a step: of processes, or of components side by side.
#[derive(Deserialize)]
#[serde(untagged)]
enum RawCode {
    Step(StepCode),
    Joint(JointCode),
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
    let Model { file, sha256, defines, system } = model_of(raw.model)?;
    let property = need(raw.property, || "property".into())?;
    let RawWitness { kind, initial, problem_code, steps, loop_from } = need(raw.witness, || "witness".into())?;
    let is_joint = kind.as_deref() == Some(JOINT);
    let reading = if is_joint { Reading::Declared } else { reading("reading", raw.reading)? };
    let mut codes = (Vec::new(), Vec::new());
    for (position, raw) in need(steps, || "witness.steps".into())?.into_iter().enumerate() {
        let field = || format!("witness.steps[{position}].step");
        match (need(raw.step, field)?, is_joint) {
            (RawCode::Step(code), false) => codes.0.push(Step::from(code)),
            (RawCode::Joint(code), true) => codes.1.push(code),
            _ => return Err(no_step(field())),
        }
    }
    let (steps, joint) = codes;
    let joint = match is_joint {
        true => {
            let initial = need(initial, || "witness.initial".into())?;
            Some(run_of(initial, &joint, loop_from).map_err(|at| no_step(format!("witness.steps[{at}].step")))?)
        }
        false => None,
    };
    Ok(Trace { file, sha256, defines, system, reading, property, steps, joint, loop_from, problem_code })
}

fn no_step(field: String) -> DocumentError {
    DocumentError::Value { field, found: String::from("another thing"), expected: "a step of such a run" }
}

fn claim_of(position: usize, raw: RawClaim) -> Result<Claim, DocumentError> {
    let field = |name: &str| format!("certificates[{position}].{name}");
    let RawClaim { property, reading: name, kind, states, digest, longest, events, proof, fair, automaton, .. } = raw;
    let (invariant, partitions, program) = (raw.invariant, raw.partitions, raw.program);
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
        _ => {
            let expected = "`explored-states`, `explored-product`, `searched`, `flow-weights`, `queue-invariant`, \
                            `partitions` or `program-invariant`";
            return Err(DocumentError::Value { field: field("kind"), found: kind, expected });
        }
    };
    let property = need(property, || field("property"))?;
    // Components side by side and C programs have no channels that could be read in one way or another.
    let reading = match certificate {
        Certificate::Composition(_) | Certificate::Program(_) => Reading::Declared,
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
}

fn model_of(raw: Option<RawModel>) -> Result<Model, DocumentError> {
    let RawModel { file, sha256, defines, system } = need(raw, || "model".into())?;
    let file = need(file, || "model.file".into())?;
    let sha256 = need(sha256, || "model.sha256".into())?;
    Ok(Model { file, sha256, defines: need(defines, || "model.defines".into())?, system })
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
mod tests {
    use super::*;
    use crate::json::{write_certificates, write_check, write_trace};
    use crate::sample;
    use model::verdict::{Outcome, Property, Verdict};

    fn trace_text(outcome: &Outcome) -> String {
        let mut out = Vec::new();
        write_trace(&mut out, &sample::model(), outcome, &sample::sources()).unwrap();
        String::from_utf8(out).unwrap()
    }

    fn check_text(outcomes: Vec<Outcome>) -> String {
        let mut out = Vec::new();
        write_check(&mut out, &sample::document(&sample::sources(), outcomes)).unwrap();
        String::from_utf8(out).unwrap()
    }

    fn message(text: &str) -> String {
        parse_trace(text).unwrap_err().to_string()
    }

    #[test]
    fn a_trace_that_was_written_is_read_back_with_the_same_steps() {
        let mut outcome = sample::outcome(Verdict::Violated);
        let run = outcome.witness.as_mut().unwrap();
        run.steps[4].step = Step::Loss { queue: 0, position: 1 };
        run.loop_from = Some(2);
        outcome.reading = Reading::Drop;
        let expected: Vec<Step> = run.steps.iter().map(|s| s.step).collect();
        let trace = parse_trace(&trace_text(&outcome)).unwrap();
        assert_eq!(trace.steps, expected);
        assert_eq!((trace.reading, trace.loop_from, trace.property.as_str()), (Reading::Drop, Some(2), "safety"));
        assert_eq!((trace.sha256.as_str(), trace.defines), ("9f86d081884c7d65", vec![String::from("N=3")]));
        assert_eq!(trace.problem_code.as_deref(), Some("assertion"));
    }

    #[test]
    fn the_first_run_of_a_check_document_is_a_trace_too() {
        let proved = Outcome { property: Property::Boundedness, ..sample::outcome(Verdict::Proved) };
        let text = check_text(vec![proved.clone()]) + &check_text(vec![proved, sample::deadlock()]);
        let trace = parse_trace(&text).unwrap();
        assert_eq!(trace.property, "deadlock");
        assert_eq!(trace.steps, [sample::edge(0, 0), sample::edge(0, 1)]);
    }

    #[test]
    fn certificates_that_were_written_are_read_back() {
        let outcome = sample::outcome(Verdict::Proved);
        let mut out = Vec::new();
        write_certificates(&mut out, &sample::model(), std::slice::from_ref(&outcome)).unwrap();
        let read = parse_certificate(&String::from_utf8(out).unwrap()).unwrap();
        assert_eq!(Some(&read.claims[0].certificate), outcome.certificate.as_ref());
        assert_eq!((read.claims[0].property.as_str(), read.claims[0].reading), ("safety", Reading::Declared));
        assert_eq!(read.sha256, sample::model().sha256);
    }

    fn certificates_text(outcomes: &[Outcome]) -> String {
        let mut out = Vec::new();
        write_certificates(&mut out, &sample::model(), outcomes).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_proof_of_the_flow_engine_and_the_longest_queues_are_read_back() {
        let mut explored = sample::outcome(Verdict::Proved);
        if let Some(Certificate::Explored { longest, .. }) = &mut explored.certificate {
            *longest = vec![(String::from("q"), 2), (String::from("P[2]:c"), 0)];
        }
        let outcomes = [sample::bounded(), explored];
        let read = parse_certificate(&certificates_text(&outcomes)).unwrap();
        for (claim, outcome) in read.claims.iter().zip(&outcomes) {
            assert_eq!(Some(&claim.certificate), outcome.certificate.as_ref());
        }
        assert_eq!((read.claims[0].property.as_str(), read.claims[0].reading), ("boundedness", Reading::Unbounded));
    }

    #[test]
    fn a_certificate_that_cannot_be_used_says_which_field_is_wrong() {
        let good = certificates_text(&[sample::bounded()]);
        let message = |text: &str| parse_certificate(text).unwrap_err().to_string();
        assert_eq!(message(&good.replace("\"proof\"", "\"reef\"")), "the field `certificates[0].proof` is missing");
        assert_eq!(
            message(&good.replace("\"ranking\"", "\"rank\"")),
            "the field `certificates[0].proof.ranking` is missing"
        );
        assert_eq!(
            message(&good.replace("\"then\":0", "\"then\":1")),
            "the field `certificates[0].proof.ranking[1].lose.then` is `1`, expected the number of an earlier stage to \
             which no other leads"
        );
        assert_eq!(
            message(&good.replace("flow-weights", "oracle")),
            "the field `certificates[0].kind` is `oracle`, expected `explored-states`, `explored-product`, `searched`, \
             `flow-weights`, `queue-invariant`, `partitions` or `program-invariant`"
        );
    }

    #[test]
    fn a_run_that_nobody_asked_for_comes_last() {
        let text = check_text(vec![sample::advisory(sample::unbounded()), sample::deadlock()]);
        assert_eq!(parse_trace(&text).unwrap().property, "deadlock");
        let text = check_text(vec![sample::advisory(sample::unbounded())]);
        assert_eq!(parse_trace(&text).unwrap().loop_from, Some(2));
    }

    #[test]
    fn a_document_that_cannot_be_used_says_what_is_missing() {
        let good = trace_text(&sample::outcome(Verdict::Violated));
        assert_eq!(message(" "), "not a Highwater document: the file is empty");
        assert_eq!(message("{}"), "the field `schema` is missing");
        assert_eq!(message(&good.replace("\"sha256\"", "\"md5\"")), "the field `model.sha256` is missing");
        assert_eq!(message(&good.replace("\"step\"", "\"stop\"")), "the field `witness.steps[0].step` is missing");
        assert_eq!(
            message(&good.replace("\"declared\"", "\"guessed\"")),
            "the field `reading` is `guessed`, expected `declared`, `unbounded` or `drop`"
        );
        assert_eq!(
            message(&good.replace("trace/1", "trace/9")),
            "the field `schema` is `highwater-trace/9`, expected `highwater-trace/1` or `highwater/1`"
        );
        assert_eq!(
            message(&check_text(vec![sample::outcome(Verdict::Proved)])),
            "no result of the document has a run (`witness`): nothing is violated"
        );
    }

    #[test]
    fn what_is_not_json_is_refused_with_the_line() {
        assert!(message("never { }").contains("line 1 column"), "{}", message("never { }"));
        assert!(message("7").contains("an object with a field `schema`"), "{}", message("7"));
        assert!(parse_trace(&"[".repeat(100_000)).is_err());
        let good = trace_text(&sample::outcome(Verdict::Violated));
        for end in 0..good.trim_end().len() {
            assert!(parse_trace(&good[..end]).is_err());
        }
    }

    #[test]
    fn an_invariant_over_queues_is_read_back() {
        use model::queue_proof::{QueueAutomaton, QueueEntry, QueueProof};
        let automaton = QueueAutomaton { accepting: vec![0], edges: vec![vec![(1, 1)], vec![(0, 0)]] };
        let entries = vec![QueueEntry { control: vec![0, 2], automaton: 0 }];
        let proof =
            QueueProof { bad: vec![String::from("p@1 with a")], automata: vec![automaton], entries, data: None };
        let certificate = Certificate::Queues(Box::new(proof));
        let outcome = Outcome { certificate: Some(certificate.clone()), ..sample::outcome(Verdict::Proved) };
        let mut out = Vec::new();
        write_certificates(&mut out, &sample::model(), &[outcome]).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert_eq!(parse_certificate(&text).unwrap().claims[0].certificate, certificate);
        let message = parse_certificate(&text.replace("\"invariant\"", "\"variant\"")).unwrap_err().to_string();
        assert_eq!(message, "the field `certificates[0].invariant` is missing");
    }

    #[test]
    fn a_digest_that_is_no_number_is_refused() {
        let outcome = sample::outcome(Verdict::Proved);
        let mut out = Vec::new();
        write_certificates(&mut out, &sample::model(), &[outcome]).unwrap();
        let text = String::from_utf8(out).unwrap();
        for digest in ["", "+1", "xyz", &"f".repeat(33)] {
            let bad = text.replace("000000000000feed0000000000000001", digest);
            assert_ne!(bad, text);
            let message = parse_certificate(&bad).unwrap_err().to_string();
            assert!(message.contains("`certificates[0].digest`"), "{message}");
        }
    }
}
