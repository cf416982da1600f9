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

use crate::details::{DetailsJson, details};
use crate::document::{Document, Entry, ModelInfo, NotChecked};
use crate::places::{At, Places};
use crate::run::{WitnessJson, witness};
use crate::stats::{StatsJson, stats_json};
use certificate::{CertificateJson, Indented, SCHEMA as CERTIFICATE_SCHEMA, in_short, whole};
use model::diagnostic::{Diagnostic, Severity};
use model::source::SourceMap;
use model::verdict::{Outcome, Verdict};
use serde::Serialize;
use std::io::{self, Write};
use std::time::Duration;

/// The schema of the document that `check` writes.
pub const CHECK_SCHEMA: &str = "highwater/1";
/// The schema of the document that `--trace` writes.
pub const TRACE_SCHEMA: &str = "highwater-trace/1";

/// Writes what `check` found about one file, in one line.
pub fn write_check(out: &mut dyn Write, document: &Document<'_>) -> io::Result<()> {
    let places = Places::new(document.sources);
    let answers = document.outcomes.iter().map(|outcome| answer(outcome, &document.model, &places));
    let results =
        answers.chain(document.not_checked.iter().map(|n| unanswered(n, document.model.reading(n.reading)))).collect();
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
    /// The properties that were wanted, where a limit was reached before they could be checked.
    pub open: &'a [NotChecked],
    /// 2, or 3 where a limit was reached.
    pub exit_code: i32,
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
        results: unreadable.open.iter().map(|open| unanswered(open, None)).collect(),
        exit_code: unreadable.exit_code,
    };
    write_line(out, &document)
}

/// The documents about several files, a line for each.
pub fn lines(entries: &[Entry<'_>]) -> io::Result<String> {
    let mut bytes = Vec::new();
    for entry in entries {
        match entry {
            Entry::Checked(document) => write_check(&mut bytes, document)?,
            Entry::Unreadable(unreadable) => write_unreadable(&mut bytes, unreadable)?,
        }
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Writes the run of an outcome, so that it can be replayed; `false` and nothing if it has none.
pub fn write_trace(out: &mut dyn Write, model: &ModelInfo, outcome: &Outcome, sources: &SourceMap) -> io::Result<bool> {
    let places = Places::new(sources);
    let Some(chart) = &outcome.witness else { return Ok(false) };
    let document = TraceJson {
        schema: TRACE_SCHEMA,
        model: hashed_model(model),
        reading: model.reading(outcome.reading),
        property: outcome.property.to_string(),
        witness: witness(chart, &places),
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
    witness: WitnessJson<'a>,
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
    let components = model.components.as_ref();
    ModelJson {
        system,
        entry: program.map(|program| program.entry.as_str()),
        data_model: program.map(|p| p.data_model).or(components.map(|c| c.data_model)),
        signed_overflow: program.map(|p| p.signed_overflow).or(components.map(|c| c.signed_overflow)),
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
    witness: Option<WitnessJson<'a>>,
    /// There if several different failures have a run: all of them, that of `witness` first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    witnesses: Vec<ExactJson<'a>>,
    /// There if there are several different failures: how many.
    #[serde(skip_serializing_if = "Option::is_none")]
    failures: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    certificate: Option<CertificateJson<'a>>,
}

/// One of several runs. Each was taken again in the model's own semantics, and none guesses.
#[derive(Serialize)]
struct ExactJson<'a> {
    exact: bool,
    #[serde(flatten)]
    witness: WitnessJson<'a>,
}

fn answer<'a>(outcome: &'a Outcome, model: &ModelInfo, places: &'a Places<'a>) -> AnswerJson<'a> {
    let (reason, detail) = reason(&outcome.verdict);
    let runs = outcome.witness.iter().chain(&outcome.details.others);
    let runs = runs.map(|chart| ExactJson { exact: true, witness: witness(chart, places) });
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
        witness: outcome.witness.as_ref().map(|chart| witness(chart, places)),
        witnesses: if outcome.details.others.is_empty() { Vec::new() } else { runs.collect() },
        failures: Some(outcome.details.failures).filter(|&failures| failures > 1),
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

fn unanswered<'a>(not_checked: &'a NotChecked, reading: Option<&'static str>) -> AnswerJson<'a> {
    AnswerJson {
        property: not_checked.property.clone(),
        verdict: "inconclusive",
        reason: Some(not_checked.reason.code()),
        detail: Some(not_checked.reason.to_string()),
        asked: (!not_checked.asked).then_some(false),
        advisory: false,
        reading,
        engine: None,
        time_ms: None,
        details: DetailsJson::default(),
        stats: None,
        witness: None,
        witnesses: Vec::new(),
        failures: None,
        certificate: None,
    }
}

/// Milliseconds with one decimal.
pub(crate) fn milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 10_000.0).round() / 10.0
}

#[derive(Serialize)]
struct ClaimJson<'a> {
    property: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    reading: Option<&'static str>,
    #[serde(flatten)]
    certificate: CertificateJson<'a>,
}

#[cfg(test)]
mod tests;
