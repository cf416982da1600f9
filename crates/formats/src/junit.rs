//! A report as test runners write it: a suite for each file, a test for each property.
//!
//! A violation is a failure. What could not be read or decided is an error, so that no build is green because of it. Advice
//! is a test that was skipped.

use crate::common::{Answer, Standing, answers, explanation, region};
use model::diagnostic::Diagnostic;
use report::document::{Document, Entry};
use std::fmt::Write as _;
use std::time::Duration;

/// One document about all files.
pub fn xml(entries: &[Entry<'_>]) -> String {
    whole(&entries.iter().map(suite).collect::<Vec<Suite>>())
}

/// A test of the user's own: of `highwater test`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Case {
    /// Its name, within those of its file.
    pub name: String,
    /// What is wrong, if anything is.
    pub failure: Option<String>,
    /// How long it took.
    pub time: Duration,
}

/// One document about tests, file by file.
pub fn tests<'a>(files: impl IntoIterator<Item = (&'a str, &'a [Case])>) -> String {
    let suite = |(name, cases): (&str, &[Case])| {
        let mut suite = Suite { name: escaped(name), ..Suite::default() };
        for Case { name, failure, time } in cases {
            suite.failures += usize::from(failure.is_some());
            let body = failure.as_ref().map_or_else(String::new, |why| element("failure", why, "unexpected", why));
            suite.case(name, time.as_secs_f64(), &body);
        }
        suite
    };
    whole(&files.into_iter().map(suite).collect::<Vec<Suite>>())
}

fn whole(suites: &[Suite]) -> String {
    let (mut total, mut text) = (Suite::default(), String::new());
    for suite in suites {
        total.tests += suite.tests;
        total.failures += suite.failures;
        total.errors += suite.errors;
        total.skipped += suite.skipped;
        total.seconds += suite.seconds;
        let _ = write!(
            text,
            "  <testsuite name=\"{}\"{}>\n{}  </testsuite>\n",
            suite.name,
            suite.counts(true),
            suite.cases
        );
    }
    let counts = total.counts(false);
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"highwater\"{counts}>\n{text}</testsuites>\n"
    )
}

#[derive(Default)]
struct Suite {
    name: String,
    tests: usize,
    failures: usize,
    errors: usize,
    skipped: usize,
    seconds: f64,
    cases: String,
}

impl Suite {
    fn counts(&self, skipped: bool) -> String {
        let Suite { tests, failures, errors, seconds, .. } = self;
        let skipped = if skipped { format!(" skipped=\"{}\"", self.skipped) } else { String::new() };
        format!(" tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\"{skipped} time=\"{seconds:.3}\"")
    }

    fn case(&mut self, name: &str, seconds: f64, body: &str) {
        self.tests += 1;
        self.seconds += seconds;
        let head =
            format!("    <testcase name=\"{}\" classname=\"{}\" time=\"{seconds:.3}\"", escaped(name), self.name);
        self.cases +=
            &if body.is_empty() { format!("{head}/>\n") } else { format!("{head}>\n{body}    </testcase>\n") };
    }
}

fn suite(entry: &Entry<'_>) -> Suite {
    let mut suite = Suite { name: escaped(entry.file()), ..Suite::default() };
    match entry {
        Entry::Checked(document) => answers(document).for_each(|answer| case(&mut suite, &answer, document)),
        Entry::Unreadable(unreadable) => {
            suite.errors += 1;
            let place = |diagnostic: &Diagnostic| match region(unreadable.sources, diagnostic.primary.span) {
                Some(at) => format!("{}:{}:{}: ", at.file, at.line, at.column),
                None => String::new(),
            };
            let lines = unreadable.diagnostics.iter().map(|one| format!("{}{}[{}]", place(one), one.message, one.code));
            let lines: Vec<String> = lines.collect();
            let message = lines.first().map_or("cannot be read", |first| first.as_str());
            suite.case("read", 0.0, &element("error", message, "unreadable", &lines.join("\n")));
        }
    }
    suite
}

fn case(suite: &mut Suite, answer: &Answer<'_>, document: &Document<'_>) {
    let sentence = answer.sentence(document);
    let body = match answer.standing() {
        Standing::Proved => String::new(),
        Standing::Violated => {
            suite.failures += 1;
            let chart = answer.chart();
            let place = chart.and_then(|chart| region(document.sources, chart.place()?));
            let place = place.map(|at| format!("{}:{}:{}", at.file, at.line, at.column));
            let lines = place.into_iter().chain(chart.map_or_else(Vec::new, explanation)).collect::<Vec<_>>();
            element("failure", &sentence, "violated", &lines.join("\n"))
        }
        Standing::Open => {
            suite.errors += 1;
            element("error", &sentence, answer.word(), &sentence)
        }
        Standing::Advice => {
            suite.skipped += 1;
            format!("      <skipped message=\"advice: {}\"/>\n", escaped(&sentence))
        }
    };
    suite.case(&answer.property(), answer.seconds(), &body);
}

fn element(name: &str, message: &str, kind: &str, text: &str) -> String {
    let (message, kind, text) = (escaped(message), escaped(kind), escaped(text));
    format!("      <{name} message=\"{message}\" type=\"{kind}\">{text}</{name}>\n")
}

/// As text or as the value of an attribute; what XML cannot say is `?`.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            '\n' => escaped += "&#10;",
            '\t' => escaped += "&#9;",
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => escaped.push('?'),
            c => escaped.push(c),
        }
    }
    escaped
}
