//! SARIF 2.1.0, the OASIS standard for results of static analysis.
//!
//! A rule is a property, or the code of a diagnostic. A violation has the place to blame, the places where other lanes wait,
//! and its run as a code flow with a thread for each lane.

use crate::common::{Answer, Standing, answers, explanation, region};
use model::chart::Chart;
use model::diagnostic::{Diagnostic, Severity};
use model::source::{SourceMap, Span};
use report::document::{Document, Entry};
use serde_json::{Value, json};

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";
/// More steps of a run than this are left out, from its middle: viewers give up on more.
const MANY_STEPS: usize = 1_000;

/// One document about all files.
pub fn log(entries: &[Entry<'_>]) -> String {
    let mut rules = Vec::new();
    let mut results = Vec::new();
    for entry in entries {
        results.extend(entry.diagnostics().iter().map(|one| diagnostic(one, entry, &mut rules)));
        if let Entry::Checked(document) = entry {
            for answer in answers(document) {
                results.extend(answer.charts().into_iter().map(|chart| result(&answer, chart, document, &mut rules)));
            }
        }
    }
    let code = report::document::combined_exit_code(entries.iter().map(Entry::exit_code));
    let rules: Vec<Value> =
        rules.iter().map(|id| json!({ "id": id, "shortDescription": { "text": about(id) } })).collect();
    let driver = json!({ "name": "highwater", "version": env!("CARGO_PKG_VERSION"), "rules": rules });
    let invocation = json!({ "executionSuccessful": code != 101 && code != 2, "exitCode": code });
    let run = json!({
        "tool": { "driver": driver },
        "columnKind": "unicodeCodePoints",
        "invocations": [invocation],
        "results": results,
    });
    let document = json!({ "$schema": SCHEMA, "version": "2.1.0", "runs": [run] });
    serde_json::to_string_pretty(&document).unwrap_or_default() + "\n"
}

fn about(rule: &str) -> String {
    match rule {
        "safety" => String::from("no assertion fails, no run-time error"),
        "deadlock" => String::from("no invalid end state"),
        "boundedness" => String::from("every channel is bounded"),
        "livelock" => String::from("no endless run without progress"),
        "unreadable" => String::from("the file can be read"),
        property if property.contains(':') => format!("the property `{property}` holds"),
        other => format!("see `highwater explain {other}`"),
    }
}

/// The number of a rule, which is added if it is new.
fn rule(rules: &mut Vec<String>, id: &str) -> usize {
    let known = rules.iter().position(|rule| rule == id);
    known.unwrap_or_else(|| {
        rules.push(id.to_owned());
        rules.len() - 1
    })
}

fn diagnostic(diagnostic: &Diagnostic, entry: &Entry<'_>, rules: &mut Vec<String>) -> Value {
    let level = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    let place = location(entry.sources(), diagnostic.primary.span).unwrap_or_else(|| whole(entry.file()));
    let text = [std::slice::from_ref(&diagnostic.message), diagnostic.help.as_slice()].concat().join("\n");
    json!({
        "ruleId": diagnostic.code,
        "ruleIndex": rule(rules, diagnostic.code),
        "level": level,
        "message": { "text": text },
        "locations": [place],
    })
}

fn result(answer: &Answer<'_>, chart: Option<&Chart>, document: &Document<'_>, rules: &mut Vec<String>) -> Value {
    let property = answer.property();
    let (kind, level) = match answer.standing() {
        Standing::Violated => ("fail", "error"),
        Standing::Proved => ("pass", "none"),
        Standing::Open if answer.is_not_applicable() => ("notApplicable", "none"),
        Standing::Open => ("open", "none"),
        Standing::Advice => ("informational", "none"),
    };
    let sources = document.sources;
    let chart = chart.filter(|_| kind == "fail");
    let place =
        chart.and_then(|chart| location(sources, chart.place()?)).unwrap_or_else(|| whole(&document.model.file));
    let text = chart.map_or_else(|| answer.sentence(document), |chart| explanation(chart).join("\n"));
    let mut result = json!({
        "ruleId": property,
        "ruleIndex": rule(rules, &property),
        "kind": kind,
        "level": level,
        "message": { "text": text },
        "locations": [place],
    });
    if let Some(chart) = chart {
        let related = related(chart, sources);
        if !related.is_empty() {
            result["relatedLocations"] = json!(related);
        }
        let threads = threads(chart, sources);
        if !threads.is_empty() {
            result["codeFlows"] = json!([{ "threadFlows": threads }]);
        }
    }
    result
}

/// Where the lanes are that wait.
fn related(chart: &Chart, sources: &SourceMap) -> Vec<Value> {
    let stuck = chart.waiting.iter().filter(|waits| chart.stuck && !waits.done);
    let place = |waits: &model::chart::Waits| {
        let mut place = location(sources, waits.place()?)?;
        place["message"] = json!({ "text": format!("{} waits here", chart.lane_name(waits.lane)) });
        Some(place)
    };
    stuck.filter_map(place).collect()
}

/// The steps of each lane that takes one, with their numbers in the run.
fn threads(chart: &Chart, sources: &SourceMap) -> Vec<Value> {
    let count = chart.steps.len();
    let is_left_out = |step: usize| count > MANY_STEPS && (MANY_STEPS / 2..count - MANY_STEPS / 2).contains(&step);
    let mut threads = Vec::new();
    for lane in 0..chart.lanes.len() {
        let mut locations = Vec::new();
        for (position, step) in chart.steps.iter().enumerate().filter(|(position, _)| !is_left_out(*position)) {
            let Some(one) = step.moves.iter().find(|one| one.lane == lane) else { continue };
            let Some(mut place) = one.span.and_then(|span| location(sources, span)) else { continue };
            let text = step.event.as_deref().unwrap_or(&one.does);
            place["message"] = json!({ "text": format!("{}: {text}", chart.lane_name(lane)) });
            locations.push(json!({ "location": place, "executionOrder": chart.number(position) }));
        }
        if !locations.is_empty() {
            threads.push(json!({ "id": chart.lane_name(lane), "locations": locations }));
        }
    }
    threads
}

fn location(sources: &SourceMap, span: Span) -> Option<Value> {
    let at = region(sources, span)?;
    let region = json!({
        "startLine": at.line,
        "startColumn": at.column,
        "endLine": at.end_line,
        "endColumn": at.end_column.max(if at.line == at.end_line { at.column } else { 1 }),
    });
    Some(json!({ "physicalLocation": { "artifactLocation": { "uri": uri(at.file) }, "region": region } }))
}

fn whole(file: &str) -> Value {
    json!({ "physicalLocation": { "artifactLocation": { "uri": uri(file) } } })
}

/// A name of a file as a reference, with everything escaped that means something there.
fn uri(file: &str) -> String {
    let mut uri = String::from(if file.starts_with('/') { "file://" } else { "" });
    for byte in file.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => uri.push(byte as char),
            b'\\' => uri.push('/'),
            other => uri += &format!("%{other:02X}"),
        }
    }
    uri
}
