//! The documents for programs: `highwater/1` on stdout, and what `--trace` and `--certificate` write.
//!
//! | function | schema | form | who reads it |
//! | --- | --- | --- | --- |
//! | [`write_check`] | `highwater/1` | one line per file | scripts; `simulate --replay` takes its first run |
//! | [`write_unreadable`] | `highwater/1` | one line per file | scripts |
//! | [`write_trace`] | `highwater-trace/1` | indented, one line per step | `simulate --replay` |
//! | [`write_certificates`] | `highwater-certificate/1` | indented | `verify-certificate` |
//!
//! The structures below *are* the schema: a field has the name and the place that it has in the
//! document. The run of a violation has its own file, `run`; so have channels and cycles, `details`, the counts of
//! engines, `stats`, and proofs that are more than a claim, `proof`. What is read back is in [`crate::parse`].
//!
//! A result only says how large a proof is; the proof itself is in the document of `--certificate`.

use crate::automaton::{AutomatonJson, automaton_json};
use crate::by_name::ByName;
use crate::details::{DetailsJson, details};
use crate::document::{Document, ModelInfo, NotChecked, UNREADABLE};
use crate::indented::Indented;
use crate::joint::{JointJson, joint};
use crate::partitions::{self, NodeJson, PartitionsSummary};
use crate::places::{At, Places};
use crate::program::{ProgramJson, program};
use crate::proof::{ProofJson, ProofSummary, proof_json, summary};
use crate::run::{WitnessJson, witness};
use crate::stats::{StatsJson, stats_json};
use model::claim::Claim;
use model::diagnostic::{Diagnostic, Severity};
use model::program_proof::ProgramProof;
use model::queue_proof::QueueProof;
use model::source::SourceMap;
use model::verdict::{Certificate, Outcome, Verdict};
use serde::Serialize;
use std::io::{self, Write};
use std::time::Duration;

/// The schema of the document that `check` writes.
pub const CHECK_SCHEMA: &str = "highwater/1";
/// The schema of the document that `--trace` writes.
pub const TRACE_SCHEMA: &str = "highwater-trace/1";
/// The schema of the document that `--certificate` writes.
pub const CERTIFICATE_SCHEMA: &str = "highwater-certificate/1";
/// The kind of a certificate that is a claim about all reachable states.
pub(crate) const EXPLORED: &str = "explored-states";
/// The kind of a certificate of a search that left out states.
pub(crate) const SEARCHED: &str = "searched";
/// The kind of a certificate about all states of the product with an automaton.
pub(crate) const PRODUCT: &str = "explored-product";
/// The kind of a certificate that is a proof of the flow engine.
pub(crate) const FLOW: &str = "flow-weights";
/// The kind of a certificate that is an invariant over queues.
pub(crate) const QUEUES: &str = "queue-invariant";
/// The kind of a certificate that is a tree of abstractions of components.
pub(crate) const COMPOSITION: &str = "partitions";
/// The kind of a certificate that is an invariant of a C program.
pub(crate) const PROGRAM: &str = "program-invariant";

/// Writes what `check` found about one file, in one line.
pub fn write_check(out: &mut dyn Write, document: &Document<'_>) -> io::Result<()> {
    let places = Places::new(document.sources);
    let answers = document.outcomes.iter().map(|outcome| answer(outcome, &document.model, &places));
    let results = answers.chain(document.not_checked.iter().map(|n| unanswered(n, &document.model))).collect();
    let (schema, tool, model) = (CHECK_SCHEMA, TOOL, whole_model(&document.model));
    write_line(out, &CheckJson { schema, tool, model, errors: None, results, exit_code: document.exit_code() })
}

/// A model that cannot be read, and what the front end says about it.
#[derive(Clone, Copy, Debug)]
pub struct Unreadable<'a> {
    /// The file as the user named it.
    pub file: &'a str,
    /// The language, if it is known.
    pub language: Option<&'static str>,
    /// The SHA-256 of the file, if there is a file.
    pub sha256: Option<&'a str>,
    /// The definitions of the command line.
    pub defines: &'a [String],
    /// Errors and warnings.
    pub diagnostics: &'a [Diagnostic],
    /// The texts that spans refer to; may be empty.
    pub sources: &'a SourceMap,
}

/// Writes what is wrong with a model that cannot be read, in one line.
pub fn write_unreadable(out: &mut dyn Write, unreadable: &Unreadable<'_>) -> io::Result<()> {
    let places = Places::new(unreadable.sources);
    let Unreadable { file, language, sha256, defines, .. } = *unreadable;
    let errors = unreadable.diagnostics.iter().map(|diagnostic| error(diagnostic, &places)).collect();
    let document = CheckJson {
        schema: CHECK_SCHEMA,
        tool: TOOL,
        model: ModelJson { language, ..plain_model(file, sha256, defines) },
        errors: Some(errors),
        results: Vec::new(),
        exit_code: UNREADABLE,
    };
    write_line(out, &document)
}

/// Writes the run of an outcome, so that it can be replayed; `false` and nothing if it has none.
pub fn write_trace(out: &mut dyn Write, model: &ModelInfo, outcome: &Outcome, sources: &SourceMap) -> io::Result<bool> {
    let places = Places::new(sources);
    let Some(witness) = any_witness(outcome, &places) else { return Ok(false) };
    let document = TraceJson {
        schema: TRACE_SCHEMA,
        model: hashed_model(model),
        reading: model.reading(outcome.reading),
        property: outcome.property.to_string(),
        witness,
    };
    write_indented(out, &document)?;
    Ok(true)
}

/// Writes all certificates of a run of `check`.
pub fn write_certificates(out: &mut dyn Write, model: &ModelInfo, outcomes: &[Outcome]) -> io::Result<()> {
    let claims = outcomes.iter().filter_map(|outcome| {
        let certificate = whole(outcome.certificate.as_ref()?);
        let reading = model.reading(outcome.reading);
        Some(ClaimJson { property: outcome.property.to_string(), reading, certificate })
    });
    let document =
        CertificatesJson { schema: CERTIFICATE_SCHEMA, model: hashed_model(model), certificates: claims.collect() };
    write_indented(out, &document)
}

fn write_line(out: &mut dyn Write, document: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *out, document)?;
    out.write_all(b"\n")
}

fn write_indented(out: &mut dyn Write, document: &impl Serialize) -> io::Result<()> {
    document.serialize(&mut serde_json::Serializer::with_formatter(&mut *out, Indented::default()))?;
    out.write_all(b"\n")
}

/// The document of `check`; `errors` is there only if the model could not be read.
#[derive(Serialize)]
struct CheckJson<'a> {
    schema: &'static str,
    tool: Tool,
    model: ModelJson<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    errors: Option<Vec<ErrorJson<'a>>>,
    results: Vec<AnswerJson<'a>>,
    exit_code: i32,
}

/// The document of `--trace`.
#[derive(Serialize)]
struct TraceJson<'a> {
    schema: &'static str,
    model: ModelJson<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reading: Option<&'static str>,
    property: String,
    witness: AnyWitness<'a>,
}

/// The document of `--certificate`.
#[derive(Serialize)]
struct CertificatesJson<'a> {
    schema: &'static str,
    model: ModelJson<'a>,
    certificates: Vec<ClaimJson<'a>>,
}

#[derive(Serialize)]
struct Tool {
    name: &'static str,
    version: &'static str,
}

const TOOL: Tool = Tool { name: "highwater", version: env!("CARGO_PKG_VERSION") };

#[derive(Serialize)]
struct ModelJson<'a> {
    file: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sha256: Option<&'a str>,
    defines: &'a [String],
    /// The composition that the command line names.
    #[serde(skip_serializing_if = "Option::is_none")]
    system: Option<&'a str>,
    /// Where a run of a C program starts.
    #[serde(skip_serializing_if = "Option::is_none")]
    entry: Option<&'a str>,
    /// The widths of its integers.
    #[serde(skip_serializing_if = "Option::is_none")]
    data_model: Option<&'static str>,
    /// A signed result that its type cannot hold is an error of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    signed_overflow: Option<bool>,
}

fn plain_model<'a>(file: &'a str, sha256: Option<&'a str>, defines: &'a [String]) -> ModelJson<'a> {
    ModelJson {
        file,
        language: None,
        sha256,
        defines,
        system: None,
        entry: None,
        data_model: None,
        signed_overflow: None,
    }
}

fn whole_model(model: &ModelInfo) -> ModelJson<'_> {
    ModelJson { language: Some(model.language), ..hashed_model(model) }
}

fn hashed_model(model: &ModelInfo) -> ModelJson<'_> {
    let system = model.composition.as_ref().and_then(|composition| composition.system.as_deref());
    let program = model.program.as_ref();
    ModelJson {
        system,
        entry: program.map(|program| program.entry.as_str()),
        data_model: program.map(|program| program.data_model),
        signed_overflow: program.map(|program| program.signed_overflow),
        ..plain_model(&model.file, Some(&model.sha256), &model.defines)
    }
}

#[derive(Serialize)]
struct ErrorJson<'a> {
    code: &'static str,
    message: &'a str,
    severity: &'static str,
    at: Option<At<'a>>,
    help: &'a [String],
}

fn error<'a>(diagnostic: &'a Diagnostic, places: &Places<'a>) -> ErrorJson<'a> {
    let severity = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    let at = places.at(diagnostic.primary.span).map(At::start);
    ErrorJson { code: diagnostic.code, message: &diagnostic.message, severity, at, help: &diagnostic.help }
}

/// One of the `results`.
#[derive(Serialize)]
struct AnswerJson<'a> {
    property: String,
    verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<String>,
    /// There, and `false`, if the answer does not count for the exit code.
    #[serde(skip_serializing_if = "Option::is_none")]
    asked: Option<bool>,
    /// There, and `true`, if the answer is advice: it does not count for the exit code either.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    advisory: bool,
    /// Not there where the model has no channels.
    #[serde(skip_serializing_if = "Option::is_none")]
    reading: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    engine: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    time_ms: Option<f64>,
    #[serde(flatten)]
    details: DetailsJson<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stats: Option<StatsJson<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    witness: Option<AnyWitness<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    certificate: Option<CertificateJson<'a>>,
}

/// A run of processes, of components side by side, or of a C program.
#[derive(Serialize)]
#[serde(untagged)]
enum AnyWitness<'a> {
    Run(WitnessJson<'a>),
    Joint(JointJson<'a>),
    Program(ProgramJson<'a>),
}

fn any_witness<'a>(outcome: &'a Outcome, places: &'a Places<'a>) -> Option<AnyWitness<'a>> {
    match (&outcome.witness, &outcome.details.joint) {
        (Some(run), _) => Some(AnyWitness::Run(witness(run, places))),
        (None, Some(run)) => Some(AnyWitness::Joint(joint(run, places))),
        (None, None) => outcome.details.program_run.as_ref().map(|run| AnyWitness::Program(program(run, places))),
    }
}

fn answer<'a>(outcome: &'a Outcome, model: &ModelInfo, places: &'a Places<'a>) -> AnswerJson<'a> {
    let (reason, detail) = reason(&outcome.verdict);
    AnswerJson {
        property: outcome.property.to_string(),
        verdict: outcome.verdict.name(),
        reason,
        detail,
        asked: None,
        advisory: outcome.details.advisory,
        reading: model.reading(outcome.reading),
        engine: Some(outcome.engine),
        time_ms: Some(milliseconds(outcome.time)),
        details: details(&outcome.details, places),
        stats: Some(stats_json(outcome, places)),
        witness: any_witness(outcome, places),
        certificate: outcome.certificate.as_ref().map(in_short),
    }
}

/// The code and the words for a verdict that is not an answer.
fn reason(verdict: &Verdict) -> (Option<&'static str>, Option<String>) {
    match verdict {
        Verdict::Proved | Verdict::Violated => (None, None),
        Verdict::Inconclusive(reason) => (Some(reason.code()), Some(reason.to_string())),
        Verdict::Vacuous(why) => (Some("vacuous"), Some(why.clone())),
    }
}

fn unanswered<'a>(not_checked: &'a NotChecked, model: &ModelInfo) -> AnswerJson<'a> {
    AnswerJson {
        property: not_checked.property.clone(),
        verdict: "inconclusive",
        reason: Some("not-supported"),
        detail: Some(not_checked.reason.clone()),
        asked: (!not_checked.asked).then_some(false),
        advisory: false,
        reading: model.reading(not_checked.reading),
        engine: None,
        time_ms: None,
        details: DetailsJson::default(),
        stats: None,
        witness: None,
        certificate: None,
    }
}

/// Milliseconds with one decimal.
pub(crate) fn milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 10_000.0).round() / 10.0
}

/// What a proof rests on.
#[derive(Serialize)]
#[serde(untagged)]
enum CertificateJson<'a> {
    /// A claim about all states, with the digest in hexadecimal.
    Explored {
        kind: &'static str,
        states: u64,
        digest: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        longest: Option<ByName<'a, u64>>,
        #[serde(skip_serializing_if = "<[String]>::is_empty")]
        events: &'a [String],
    },
    /// How large a proof is.
    FlowSummary {
        kind: &'static str,
        #[serde(flatten)]
        summary: ProofSummary,
    },
    /// A claim about all states of the product with an automaton.
    Product {
        kind: &'static str,
        states: u64,
        digest: String,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        fair: bool,
        #[serde(skip_serializing_if = "Option::is_none")]
        automaton: Option<AutomatonJson>,
    },
    /// A claim without numbers.
    Searched {
        kind: &'static str,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        fair: bool,
        #[serde(skip_serializing_if = "<[String]>::is_empty")]
        events: &'a [String],
    },
    /// All of it.
    Flow { kind: &'static str, proof: ProofJson<'a> },
    /// How large an invariant over queues is.
    QueuesSummary { kind: &'static str, control_states: usize, automata: usize },
    /// All of it.
    Queues { kind: &'static str, invariant: &'a QueueProof },
    /// A tree of abstractions.
    Composition { kind: &'static str, partitions: Vec<NodeJson> },
    /// How large it is.
    CompositionSummary {
        kind: &'static str,
        #[serde(flatten)]
        summary: PartitionsSummary,
    },
    /// An invariant of a C program.
    Program { kind: &'static str, program: &'a ProgramProof },
    /// How large it is.
    ProgramSummary { kind: &'static str, locations: usize, conditions: usize, nodes: usize },
}

#[derive(Serialize)]
struct ClaimJson<'a> {
    property: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    reading: Option<&'static str>,
    #[serde(flatten)]
    certificate: CertificateJson<'a>,
}

/// A certificate in the document of `--certificate`.
fn whole(certificate: &Certificate) -> CertificateJson<'_> {
    match certificate {
        Certificate::Explored { states, digest, longest, events } => explored(*states, *digest, longest, events),
        Certificate::Product { states, digest, claim, fair } => product(*states, *digest, *fair, Some(claim)),
        Certificate::Searched { fair, events } => CertificateJson::Searched { kind: SEARCHED, fair: *fair, events },
        Certificate::Flow(proof) => CertificateJson::Flow { kind: FLOW, proof: proof_json(proof) },
        Certificate::Queues(invariant) => CertificateJson::Queues { kind: QUEUES, invariant },
        Certificate::Composition(proof) => {
            CertificateJson::Composition { kind: COMPOSITION, partitions: partitions::list(proof) }
        }
        Certificate::Program(program) => CertificateJson::Program { kind: PROGRAM, program },
    }
}

/// A certificate in a result.
fn in_short(certificate: &Certificate) -> CertificateJson<'_> {
    match certificate {
        Certificate::Explored { states, digest, longest, events } => explored(*states, *digest, longest, events),
        Certificate::Product { states, digest, fair, .. } => product(*states, *digest, *fair, None),
        Certificate::Searched { fair, events } => CertificateJson::Searched { kind: SEARCHED, fair: *fair, events },
        Certificate::Flow(proof) => CertificateJson::FlowSummary { kind: FLOW, summary: summary(proof) },
        Certificate::Queues(invariant) => {
            let (control_states, automata) = (invariant.entries.len(), invariant.automata.len());
            CertificateJson::QueuesSummary { kind: QUEUES, control_states, automata }
        }
        Certificate::Composition(proof) => {
            CertificateJson::CompositionSummary { kind: COMPOSITION, summary: partitions::summary(proof) }
        }
        Certificate::Program(proof) => CertificateJson::ProgramSummary {
            kind: PROGRAM,
            locations: proof.conditions.len(),
            conditions: proof.conditions.iter().map(|(_, conditions)| conditions.len()).sum(),
            nodes: proof.nodes.len(),
        },
    }
}

fn explored<'a>(states: u64, digest: u128, longest: &'a [(String, u64)], events: &'a [String]) -> CertificateJson<'a> {
    let longest = Some(ByName(longest)).filter(|longest| !longest.0.is_empty());
    CertificateJson::Explored { kind: EXPLORED, states, digest: format!("{digest:032x}"), longest, events }
}

fn product(states: u64, digest: u128, fair: bool, claim: Option<&Claim>) -> CertificateJson<'static> {
    let automaton = claim.map(automaton_json);
    CertificateJson::Product { kind: PRODUCT, states, digest: format!("{digest:032x}"), fair, automaton }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;
    use model::source::Span;
    use model::verdict::Reason;

    fn text(write: impl FnOnce(&mut Vec<u8>) -> io::Result<()>) -> String {
        let mut out = Vec::new();
        write(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    /// The document on several lines, so that a snapshot can be read.
    fn indented(line: &str) -> String {
        assert_eq!(line.find('\n'), Some(line.len() - 1), "one document is one line");
        let value: serde_json::Value = serde_json::from_str(line).unwrap();
        text(|out| write_indented(out, &value)).replace(env!("CARGO_PKG_VERSION"), "VERSION")
    }

    #[test]
    fn the_document_of_check_has_the_fields_of_the_contract() {
        let sources = sample::sources();
        let late = sample::outcome(Verdict::Inconclusive(Reason::Timeout));
        let mut outcomes = vec![sample::outcome(Verdict::Proved), sample::deadlock(), late];
        outcomes[2].stats = None;
        let mut document = sample::document(&sources, outcomes);
        document.not_checked = vec![sample::not_checked(false)];
        let json = text(|out| write_check(out, &document));
        insta::assert_snapshot!(indented(&json), @r#"
        {
          "schema": "highwater/1",
          "tool": {
            "name": "highwater",
            "version": "VERSION"
          },
          "model": {
            "file": "models/hand.pml",
            "language": "promela",
            "sha256": "9f86d081884c7d65",
            "defines": [
              "N=3"
            ]
          },
          "results": [
            {
              "property": "safety",
              "verdict": "proved",
              "reading": "declared",
              "engine": "explore",
              "time_ms": 12.3,
              "stats": {"states":10052,"transitions":30127,"depth":41,"state_bytes":241248,"memory_bytes":1572864,"violations":0},
              "certificate": {"kind":"explored-states","states":10052,"digest":"000000000000feed0000000000000001"}
            },
            {
              "property": "deadlock",
              "verdict": "violated",
              "reading": "declared",
              "engine": "explore",
              "time_ms": 3.1,
              "stats": {"states":10052,"transitions":30127,"depth":41,"state_bytes":241248,"memory_bytes":1572864,"violations":0},
              "witness": {"kind":"run","problem":"invalid end state: nothing can move","problem_code":"invalid-end-state","problem_at":null,"steps":[{"process":"P","instance":0,"at":{"file":"models/hand.pml","line":8,"column":5},"event":"x = 1","changed":{"x":"1"},"channels":{},"atomic":true,"step":{"edge":[0,0]}},{"process":"P","instance":0,"at":{"file":"models/hand.pml","line":9,"column":5},"event":"q!req(1)","changed":{},"channels":{"q":["req(1)"]},"atomic":false,"step":{"edge":[0,1]}}],"loop_from":null}
            },
            {
              "property": "safety",
              "verdict": "inconclusive",
              "reason": "timeout",
              "detail": "the time limit was reached (--timeout)",
              "reading": "declared",
              "engine": "explore",
              "time_ms": 12.3,
              "stats": {}
            },
            {
              "property": "ltl:p1",
              "verdict": "inconclusive",
              "reason": "not-supported",
              "detail": "temporal properties are not checked by this version",
              "asked": false,
              "reading": "declared"
            }
          ],
          "exit_code": 1
        }
        "#);
    }

    #[test]
    fn answers_about_channels_have_channels_cycles_and_a_short_certificate() {
        let sources = sample::sources();
        let outcomes = vec![sample::bounded(), sample::unbounded(), sample::advisory(sample::not_provable())];
        let json = text(|out| write_check(out, &sample::document(&sources, outcomes)));
        insta::assert_snapshot!(indented(&json), @r#"
        {
          "schema": "highwater/1",
          "tool": {
            "name": "highwater",
            "version": "VERSION"
          },
          "model": {
            "file": "models/hand.pml",
            "language": "promela",
            "sha256": "9f86d081884c7d65",
            "defines": [
              "N=3"
            ]
          },
          "results": [
            {
              "property": "boundedness",
              "verdict": "proved",
              "reading": "unbounded",
              "engine": "flow",
              "time_ms": 3.1,
              "channels": [{"name":"q","verdict":"bounded","declared":2,"proved_at_most":2,"reached":2,"exact":true,"messages":["req"],"senders":["P"],"receivers":["Q"]},{"name":"log","verdict":"bounded","declared":null,"proved_at_most":1200,"reached":7,"exact":false,"messages":["req(1)","req(2)","req(3)","req(4)","ack","nak"],"senders":["P","Q"],"receivers":[]}],
              "refinements": [{"processes":["P[0]","Q[1]"],"cycles":3,"grows":["q"],"refined":["values of `x`"]},{"processes":["P[0]"],"cycles":1,"grows":["q","r"],"refined":["values of `y`","values of `P[0]:n`"]}],
              "advice": ["`log` needs room for 1200 messages"],
              "stats": {"instances":2,"points":41,"abstract_transitions":1077,"message_types":4,"counterexamples":2,"spurious":2,"linear_problems":9},
              "certificate": {"kind":"flow-weights","messages":1,"stages":2,"bounds":1}
            },
            {
              "property": "boundedness",
              "verdict": "violated",
              "reading": "unbounded",
              "engine": "explore",
              "time_ms": 3.1,
              "channels": [{"name":"q","verdict":"unbounded","declared":2,"proved_at_most":null,"reached":2,"exact":false,"gain":2,"messages":["req"],"senders":["P"],"receivers":["Q"]},{"name":"r","verdict":"bounded","declared":2,"proved_at_most":2,"reached":2,"exact":true,"messages":["req"],"senders":["P"],"receivers":["Q"]}],
              "stats": {"instances":2,"points":41,"abstract_transitions":1077,"message_types":4,"counterexamples":2,"spurious":2,"linear_problems":9},
              "witness": {"kind":"run","problem":"`q` grows without end","problem_code":"unbounded","problem_at":{"file":"models/hand.pml","line":12,"column":3},"steps":[{"process":"P","instance":0,"at":{"file":"models/hand.pml","line":8,"column":5},"event":"x = 1","changed":{"x":"1"},"channels":{},"atomic":true,"step":{"edge":[0,0]}},{"process":"P","instance":0,"at":{"file":"models/hand.pml","line":9,"column":5},"event":"q!req(1)","changed":{},"channels":{"q":["req(1)"]},"atomic":false,"step":{"edge":[0,1]}},{"process":"P","instance":0,"at":{"file":"models/hand.pml","line":11,"column":3},"partner":{"process":"Q","instance":1,"at":{"file":"models/hand.pml","line":16,"column":3}},"event":"c!ack","changed":{},"channels":{},"atomic":false,"step":{"rendezvous":[[0,2],[1,0]]}},{"process":"P","instance":0,"at":{"file":"models/hand.pml","line":12,"column":3},"event":"q!req(7)","changed":{},"channels":{"q":["req(1)","req(7)"]},"atomic":false,"step":{"edge":[0,3]}},{"process":"Q","instance":1,"at":{"file":"models/hand.pml","line":17,"column":3},"event":"q?req(1)","changed":{},"channels":{"q":["req(7)"]},"atomic":false,"step":{"edge":[1,1]}}],"loop_from":2,"gains":{"q":2}}
            },
            {
              "property": "boundedness",
              "verdict": "inconclusive",
              "reason": "not-provable",
              "detail": "no proof for `q`, and no run that fills it",
              "advisory": true,
              "reading": "unbounded",
              "engine": "flow",
              "time_ms": 3.1,
              "channels": [{"name":"q","verdict":"inconclusive","declared":2,"proved_at_most":null,"reached":2,"exact":false,"messages":["req"],"senders":["P"],"receivers":["Q"]},{"name":"r","verdict":"bounded","declared":2,"proved_at_most":2,"reached":2,"exact":true,"messages":["req"],"senders":["P"],"receivers":["Q"]}],
              "cycles": [{"process":"P[0]","times":"2","statements":[{"text":"c!ack","at":{"file":"models/hand.pml","line":11,"column":3}},{"text":"q!req(7)","at":{"file":"models/hand.pml","line":12,"column":3}}],"effects":{"q: req":1}},{"process":"Q[*]","times":"1","statements":[{"text":"c?ack","at":{"file":"models/hand.pml","line":16,"column":3}},{"text":"q?req(x)","at":{"file":"models/hand.pml","line":17,"column":3}}],"effects":{"q: req":-1,"processes of R":1}}],
              "grows": ["processes of R","q"],
              "advice": ["a loop of P sends without waiting: let it wait for an answer"],
              "stats": {"instances":2,"points":41,"abstract_transitions":1077,"message_types":4,"counterexamples":2,"spurious":2,"linear_problems":9}
            }
          ],
          "exit_code": 1
        }
        "#);
    }

    #[test]
    fn the_certificate_of_a_flow_proof_has_all_of_it() {
        let json = text(|out| write_certificates(out, &sample::model(), &[sample::bounded()]));
        let claim = json.split_once("\"certificates\"").map_or("", |(_, claim)| claim);
        insta::assert_snapshot!(claim, @r#"
        : [
            {
              "property": "boundedness",
              "reading": "unbounded",
              "kind": "flow-weights",
              "proof": {"abstraction":{"globals":[{"queues":[0]}],"queues":[{"key":{"instance":null,"variable":0,"element":0},"constants":[[2],[]],"atoms":[{"classes":[0,0],"values":[{"set":[2]},{"range":[0,255]}]}],"claimed":true}],"instances":[{"machine":0,"origin":{"initial":0},"many":false,"folded":[],"nodes":[{"at":{"location":3},"values":[]},{"at":"gone","values":[]}],"first":[0]}],"creations":[],"followed":[],"numbers":[]},"ranking":[{"bounded":{"weights":{"messages":{"0":[1]},"nodes":{"0":[2,0]},"values":{},"numbers":{}}}},{"lose":{"weights":{"messages":{"0":[1]},"nodes":{"0":[2,0]},"values":{},"numbers":{}},"then":0}}],"bounds":[{"queue":0,"at_most":2,"weights":0,"unit":1}],"bound_weights":[{"messages":{"0":[1]},"nodes":{"0":[2,0]},"values":{},"numbers":{}}]}
            }
          ]
        }
        "#);
    }

    #[test]
    fn the_longest_queues_are_there_only_if_there_are_any() {
        let mut outcome = sample::outcome(Verdict::Proved);
        let written =
            |outcome: &Outcome| text(|out| write_certificates(out, &sample::model(), std::slice::from_ref(outcome)));
        assert!(!written(&outcome).contains("longest"));
        if let Some(Certificate::Explored { longest, .. }) = &mut outcome.certificate {
            longest.push((String::from("q"), 2));
        }
        assert!(written(&outcome).contains(r#""longest": {"q":2}"#), "{}", written(&outcome));
    }

    #[test]
    fn a_vacuous_answer_has_a_reason_and_its_words() {
        let sources = sample::sources();
        let vacuous = Verdict::Vacuous(String::from("no process is ever created"));
        let json = text(|out| write_check(out, &sample::document(&sources, vec![sample::outcome(vacuous)])));
        assert!(json.contains(r#""verdict":"vacuous","reason":"vacuous","detail":"no process is ever created""#));
        assert!(json.ends_with("\"exit_code\":3}\n"));
    }

    #[test]
    fn a_model_that_cannot_be_read_has_errors_with_their_places() {
        let sources = sample::sources();
        let diagnostics = [
            Diagnostic::error("P0101", sample::span("q!req(7)"), "two messages").help("one is enough"),
            Diagnostic::warning("P0999", Span::NONE, "nobody reads x"),
        ];
        let unreadable = Unreadable {
            file: "models/hand.pml",
            language: Some("promela"),
            sha256: Some("9f86"),
            defines: &[],
            diagnostics: &diagnostics,
            sources: &sources,
        };
        let json = text(|out| write_unreadable(out, &unreadable));
        insta::assert_snapshot!(indented(&json), @r#"
        {
          "schema": "highwater/1",
          "tool": {
            "name": "highwater",
            "version": "VERSION"
          },
          "model": {
            "file": "models/hand.pml",
            "language": "promela",
            "sha256": "9f86",
            "defines": []
          },
          "errors": [
            {
              "code": "P0101",
              "message": "two messages",
              "severity": "error",
              "at": {"file":"models/hand.pml","line":12,"column":3},
              "help": ["one is enough"]
            },
            {
              "code": "P0999",
              "message": "nobody reads x",
              "severity": "warning",
              "at": {"file":"models/hand.pml","line":1,"column":1},
              "help": []
            }
          ],
          "results": [],
          "exit_code": 2
        }
        "#);
    }

    #[test]
    fn a_file_that_is_not_there_has_an_error_without_a_place() {
        let sources = SourceMap::new();
        let diagnostics = [Diagnostic::error("P0001", Span::NONE, "no such file")];
        let (file, defines) = ("a.pml", &[][..]);
        let unreadable =
            Unreadable { file, language: None, sha256: None, defines, diagnostics: &diagnostics, sources: &sources };
        let json = text(|out| write_unreadable(out, &unreadable));
        assert!(json.contains(r#""model":{"file":"a.pml","defines":[]}"#), "{json}");
        assert!(json.contains(r#""at":null"#) && json.contains(r#""exit_code":2"#), "{json}");
    }

    #[test]
    fn a_trace_has_every_step_with_its_place_and_its_code() {
        let sources = sample::sources();
        let outcome = sample::outcome(Verdict::Violated);
        let json = text(|out| write_trace(out, &sample::model(), &outcome, &sources).map(|written| assert!(written)));
        insta::assert_snapshot!(json, @r#"
        {
          "schema": "highwater-trace/1",
          "model": {
            "file": "models/hand.pml",
            "sha256": "9f86d081884c7d65",
            "defines": [
              "N=3"
            ]
          },
          "reading": "declared",
          "property": "safety",
          "witness": {
            "kind": "run",
            "problem": "assertion violated",
            "problem_code": "assertion",
            "problem_at": {
              "file": "models/hand.pml",
              "line": 18,
              "column": 3
            },
            "steps": [
              {"process":"P","instance":0,"at":{"file":"models/hand.pml","line":8,"column":5},"event":"x = 1","changed":{"x":"1"},"channels":{},"atomic":true,"step":{"edge":[0,0]}},
              {"process":"P","instance":0,"at":{"file":"models/hand.pml","line":9,"column":5},"event":"q!req(1)","changed":{},"channels":{"q":["req(1)"]},"atomic":false,"step":{"edge":[0,1]}},
              {"process":"P","instance":0,"at":{"file":"models/hand.pml","line":11,"column":3},"partner":{"process":"Q","instance":1,"at":{"file":"models/hand.pml","line":16,"column":3}},"event":"c!ack","changed":{},"channels":{},"atomic":false,"step":{"rendezvous":[[0,2],[1,0]]}},
              {"process":"P","instance":0,"at":{"file":"models/hand.pml","line":12,"column":3},"event":"q!req(7)","changed":{},"channels":{"q":["req(1)","req(7)"]},"atomic":false,"step":{"edge":[0,3]}},
              {"process":"Q","instance":1,"at":{"file":"models/hand.pml","line":17,"column":3},"event":"q?req(1)","changed":{},"channels":{"q":["req(7)"]},"atomic":false,"step":{"edge":[1,1]}},
              {"process":"Q","instance":1,"at":{"file":"models/hand.pml","line":18,"column":3},"event":"assert(x == 0)","changed":{},"channels":{},"atomic":false,"step":{"edge":[1,2]}}
            ],
            "loop_from": null
          }
        }
        "#);
    }

    #[test]
    fn an_outcome_without_a_run_writes_no_trace() {
        let mut out = Vec::new();
        let outcome = sample::outcome(Verdict::Proved);
        let written = write_trace(&mut out, &sample::model(), &outcome, &sample::sources()).unwrap();
        assert!(!written && out.is_empty());
    }

    #[test]
    fn certificates_name_property_reading_and_digest() {
        let outcomes = [sample::outcome(Verdict::Proved), sample::deadlock()];
        let json = text(|out| write_certificates(out, &sample::model(), &outcomes));
        insta::assert_snapshot!(json, @r#"
        {
          "schema": "highwater-certificate/1",
          "model": {
            "file": "models/hand.pml",
            "sha256": "9f86d081884c7d65",
            "defines": [
              "N=3"
            ]
          },
          "certificates": [
            {
              "property": "safety",
              "reading": "declared",
              "kind": "explored-states",
              "states": 10052,
              "digest": "000000000000feed0000000000000001"
            }
          ]
        }
        "#);
    }
}
