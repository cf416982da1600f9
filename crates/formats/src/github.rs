//! Annotations of GitHub's workflows: a line for each, which shows up beside the line of the source.
//!
//! ```text
//! ::error file=ring.pml,line=12,col=5,endLine=12,endColumn=11,title=deadlock violated::invalid end state: nothing can move
//! ```

use crate::common::{Answer, Standing, answers, explanation, region};
use model::chart::Chart;
use model::diagnostic::Severity;
use model::source::{SourceMap, Span};
use report::document::{Document, Entry};

/// The annotations about a file, and a line that says how it ended.
pub fn annotations(entry: &Entry<'_>) -> String {
    let mut text = String::new();
    for diagnostic in entry.diagnostics() {
        let level = match diagnostic.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        let place = place(entry.sources(), Some(diagnostic.primary.span)).unwrap_or_else(|| file(entry.file()));
        text += &line(level, &place, diagnostic.code, &diagnostic.message);
    }
    if let Entry::Checked(document) = entry {
        text += &answers(document).map(|answer| annotation(&answer, document)).collect::<String>();
    }
    let verdict = match entry.exit_code() {
        0 => "every property is proved",
        1 => "a property is violated",
        2 => "the file cannot be read",
        3 => "a property is inconclusive",
        _ => "internal error",
    };
    // A name of a file must not be able to begin a command.
    text + &format!("{}: {verdict}\n", escaped(entry.file()).replace("::", ":%3A"))
}

fn annotation(answer: &Answer<'_>, document: &Document<'_>) -> String {
    let level = match answer.standing() {
        Standing::Violated => "error",
        Standing::Open => "warning",
        Standing::Proved | Standing::Advice => return String::new(),
    };
    let title = format!("{} {}", answer.property(), answer.word());
    let one = |chart: Option<&Chart>| {
        let span = chart.and_then(Chart::place);
        let place = place(document.sources, span).unwrap_or_else(|| file(&document.model.file));
        let message = chart.map_or_else(|| answer.sentence(document), |chart| explanation(chart).join("\n"));
        line(level, &place, &title, &message)
    };
    answer.charts().into_iter().map(one).collect()
}

fn file(name: &str) -> String {
    format!("file={}", property(name))
}

fn place(sources: &SourceMap, span: Option<Span>) -> Option<String> {
    let at = region(sources, span?)?;
    let columns = match at.line == at.end_line {
        true => format!(",col={},endColumn={}", at.column, at.end_column),
        // Columns are for one line only.
        false => String::new(),
    };
    Some(format!("{},line={},endLine={}{columns}", file(at.file), at.line, at.end_line))
}

fn line(level: &str, place: &str, title: &str, message: &str) -> String {
    format!("::{level} {place},title={}::{}\n", property(title), escaped(message))
}

/// As the runner decodes a message.
fn escaped(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// As the runner decodes a property.
fn property(text: &str) -> String {
    escaped(text).replace(':', "%3A").replace(',', "%2C")
}
