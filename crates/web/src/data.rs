//! The data of a page. Texts and places are in tables, and everything else names them by number.

use crate::picture::{self, Picture};
use crate::run::{RunData, run};
use model::diagnostic::{Diagnostic, Severity};
use model::semantics::Reading;
use model::source::{SourceMap, Span};
use model::verdict::{ChannelVerdict, CycleVerdict, Outcome, UnreachedStatement};
use report::document::{Document, Entry, NotChecked};
use report::places::boundary;
use report::{channels, human};
use serde::Serialize;
use std::collections::HashMap;

/// Longer texts are cut: they cannot be read on a page.
const LONG: usize = 2_000;
/// Longer sources are left out.
const LONG_SOURCE: usize = 2_000_000;

/// Everything that the page shows.
#[derive(Serialize)]
pub(crate) struct Data<'a> {
    version: &'static str,
    command: &'a str,
    strings: Vec<String>,
    places: Vec<[u32; 5]>,
    files: Vec<FileData<'a>>,
    reports: Vec<ReportData>,
}

#[derive(Serialize)]
struct FileData<'a> {
    name: String,
    text: Option<&'a str>,
    /// Its name says where it is, and it has no lines.
    place: bool,
}

#[derive(Serialize)]
struct ReportData {
    file: usize,
    about: String,
    sha256: String,
    exit: i32,
    time: String,
    diagnostics: Vec<DiagnosticData>,
    results: Vec<ResultData>,
}

#[derive(Serialize)]
struct DiagnosticData {
    error: bool,
    code: &'static str,
    message: usize,
    place: Option<usize>,
    help: Vec<usize>,
}

#[derive(Serialize, Default)]
struct ResultData {
    property: usize,
    verdict: &'static str,
    /// It does not count for the exit code.
    advice: bool,
    checked: bool,
    /// Declared capacities are no limits.
    unbounded: bool,
    sentence: usize,
    channels: Vec<ChannelData>,
    picture: Option<Picture>,
    cycles: Vec<CycleData>,
    notes: Vec<usize>,
    unreached: Vec<(usize, usize, Option<usize>)>,
    run: Option<RunData>,
    /// Runs to other failures, and how many failures there are.
    others: Vec<RunData>,
    failures: u64,
}

#[derive(Serialize)]
struct ChannelData {
    name: usize,
    state: &'static str,
    declared: Option<u32>,
    at_most: Option<u64>,
    bound: String,
    reached: Option<u64>,
    exact: bool,
    messages: Vec<usize>,
    senders: Vec<usize>,
    receivers: Vec<usize>,
    place: Option<usize>,
}

#[derive(Serialize)]
struct CycleData {
    process: usize,
    times: usize,
    statements: Vec<(usize, Option<usize>)>,
    effects: Vec<(usize, i64)>,
}

/// Texts and places by number; the sources are those of the file that is being written.
#[derive(Default)]
pub(crate) struct Tables<'a> {
    strings: Vec<String>,
    numbers: HashMap<String, usize>,
    places: Vec<[u32; 5]>,
    spans: HashMap<Span, Option<usize>>,
    files: Vec<FileData<'a>>,
    sources: Option<&'a SourceMap>,
    /// How many files came before those of the sources.
    base: usize,
}

impl<'a> Tables<'a> {
    /// Tables for one model.
    pub(crate) fn of(sources: &'a SourceMap) -> Tables<'a> {
        Tables { sources: Some(sources), ..Tables::default() }
    }

    /// Texts and places.
    pub(crate) fn into_parts(self) -> (Vec<String>, Vec<[u32; 5]>) {
        (self.strings, self.places)
    }

    pub(crate) fn text(&mut self, text: &str) -> usize {
        if let Some(&number) = self.numbers.get(text) {
            return number;
        }
        self.numbers.insert(text.to_owned(), self.strings.len());
        self.strings.push(cut(text));
        self.strings.len() - 1
    }

    pub(crate) fn texts(&mut self, texts: &[String]) -> Vec<usize> {
        texts.iter().map(|text| self.text(text)).collect()
    }

    /// File, line, column, last line, column behind the end; none for a span of no file.
    pub(crate) fn place(&mut self, span: Option<Span>) -> Option<usize> {
        let span = span?;
        if let Some(&known) = self.spans.get(&span) {
            return known;
        }
        let place = self.find(span).map(|place| {
            self.places.push(place);
            self.places.len() - 1
        });
        self.spans.insert(span, place);
        place
    }

    fn find(&self, span: Span) -> Option<[u32; 5]> {
        let sources = self.sources?;
        let file = sources.files().get(span.file.0 as usize)?;
        let (start, end) = (boundary(&file.text, span.start as usize), boundary(&file.text, span.end as usize));
        let at = |offset: usize| sources.position(Span::new(span.file, offset, offset));
        let (first, last) = (at(start), at(end.max(start)));
        Some([self.base as u32 + span.file.0, first.line, first.column, last.line, last.column])
    }

    fn read(&mut self, sources: &'a SourceMap) {
        self.base = self.files.len();
        self.sources = Some(sources);
        self.spans.clear();
        for file in sources.files() {
            let text = Some(file.text.as_str()).filter(|text| text.len() <= LONG_SOURCE);
            self.files.push(FileData { name: cut(&file.name), text, place: file.is_place() });
        }
    }
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(LONG) {
        Some((end, _)) => format!("{}… ({} characters)", &text[..end], text.chars().count()),
        None => text.to_owned(),
    }
}

impl<'a> Data<'a> {
    pub(crate) fn new(entries: &'a [Entry<'a>], command: &'a str) -> Data<'a> {
        let mut tables = Tables::default();
        let reports = entries.iter().map(|entry| report(entry, &mut tables)).collect();
        let Tables { strings, places, files, .. } = tables;
        Data { version: env!("CARGO_PKG_VERSION"), command, strings, places, files, reports }
    }
}

fn report<'a>(entry: &'a Entry<'a>, tables: &mut Tables<'a>) -> ReportData {
    match entry {
        Entry::Checked(document) => {
            tables.read(document.sources);
            let outcomes = document.outcomes.iter().map(|outcome| result(outcome, document, tables)).collect();
            let mut results: Vec<ResultData> = outcomes;
            results.extend(document.not_checked.iter().map(|not| unanswered(not, tables)));
            ReportData {
                file: tables.text(&document.model.file),
                about: human::about(&document.model).join(", "),
                sha256: document.model.sha256.clone(),
                exit: document.exit_code(),
                time: report::style::duration(document.time),
                diagnostics: document.warnings.iter().map(|warning| diagnostic(warning, tables)).collect(),
                results,
            }
        }
        Entry::Unreadable(unreadable) => {
            tables.read(unreadable.sources);
            ReportData {
                file: tables.text(unreadable.file),
                about: String::from("cannot be read"),
                sha256: unreadable.sha256.unwrap_or("").to_owned(),
                exit: unreadable.exit_code,
                time: String::new(),
                diagnostics: unreadable.diagnostics.iter().map(|error| diagnostic(error, tables)).collect(),
                results: Vec::new(),
            }
        }
    }
}

fn diagnostic(diagnostic: &Diagnostic, tables: &mut Tables<'_>) -> DiagnosticData {
    DiagnosticData {
        error: diagnostic.severity == Severity::Error,
        code: diagnostic.code,
        message: tables.text(&diagnostic.message),
        place: tables.place(Some(diagnostic.primary.span)),
        help: tables.texts(&diagnostic.help),
    }
}

fn result(outcome: &Outcome, document: &Document<'_>, tables: &mut Tables<'_>) -> ResultData {
    let details = &outcome.details;
    ResultData {
        property: tables.text(&outcome.property.to_string()),
        verdict: outcome.verdict.name(),
        advice: details.advisory,
        checked: true,
        unbounded: outcome.reading == Reading::Unbounded,
        sentence: tables.text(&human::sentence(outcome, &document.model)),
        channels: details.channels.iter().map(|one| channel(one, tables)).collect(),
        picture: picture::of_channels(&details.channels),
        cycles: details.cycles.iter().map(|one| cycle(one, tables)).collect(),
        notes: tables.texts(&details.advice),
        unreached: details.unreached.iter().map(|statement| unreached(statement, tables)).collect(),
        run: outcome.witness.as_ref().map(|chart| run(chart, tables)),
        others: details.others.iter().map(|chart| run(chart, tables)).collect(),
        failures: details.failures,
    }
}

fn unanswered(not: &NotChecked, tables: &mut Tables<'_>) -> ResultData {
    ResultData {
        property: tables.text(&not.property),
        verdict: "inconclusive",
        advice: !not.asked,
        sentence: tables.text(&not.reason.to_string()),
        ..ResultData::default()
    }
}

fn channel(channel: &ChannelVerdict, tables: &mut Tables<'_>) -> ChannelData {
    ChannelData {
        name: tables.text(&channel.name),
        state: channel.state.name(),
        declared: channel.declared,
        at_most: channel.proved_at_most,
        bound: channels::bound(channel),
        reached: channel.reached,
        exact: channel.is_exact(),
        messages: tables.texts(&channel.messages),
        senders: tables.texts(&channel.senders),
        receivers: tables.texts(&channel.receivers),
        place: tables.place(Some(channel.span)),
    }
}

fn cycle(cycle: &CycleVerdict, tables: &mut Tables<'_>) -> CycleData {
    let statements = cycle.statements.iter().map(|(text, span)| (tables.text(text), tables.place(Some(*span))));
    CycleData {
        statements: statements.collect(),
        process: tables.text(&cycle.process),
        times: tables.text(&cycle.times),
        effects: cycle.effects.iter().map(|(name, gain)| (tables.text(name), *gain)).collect(),
    }
}

fn unreached(statement: &UnreachedStatement, tables: &mut Tables<'_>) -> (usize, usize, Option<usize>) {
    (tables.text(&statement.process), tables.text(&statement.text), tables.place(Some(statement.span)))
}
