//! What the forms share: places, and sentences about results.

use model::chart::Chart;
use model::source::{SourceMap, Span};
use model::verdict::{Outcome, Reason, Verdict};
use report::chart::{because, stopped};
use report::document::{Document, NotChecked};
use report::human;
use report::places::boundary;

/// A place in a file; lines and columns from 1, columns in characters, the end behind the last one.
pub(crate) struct Region<'a> {
    pub(crate) file: &'a str,
    pub(crate) line: u32,
    pub(crate) column: u32,
    pub(crate) end_line: u32,
    pub(crate) end_column: u32,
}

/// Where a span is; none for one of no file, or of a place that is no text.
pub(crate) fn region(sources: &SourceMap, span: Span) -> Option<Region<'_>> {
    let file = sources.files().get(span.file.0 as usize).filter(|file| !file.is_place())?;
    let (start, end) = (boundary(&file.text, span.start as usize), boundary(&file.text, span.end as usize));
    let at = |offset: usize| sources.position(Span::new(span.file, offset, offset));
    let (first, last) = (at(start), at(end.max(start)));
    let (line, column, end_line, end_column) = (first.line, first.column, last.line, last.column);
    Some(Region { file: &file.name, line, column, end_line, end_column })
}

/// A result, whether or not it could be checked.
pub(crate) enum Answer<'a> {
    Checked(&'a Outcome),
    NotChecked(&'a NotChecked),
}

/// What became of a property that counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Standing {
    Proved,
    Violated,
    /// Inconclusive, vacuous or not applicable.
    Open,
    /// Whatever it is, it does not count.
    Advice,
}

/// All results of a document.
pub(crate) fn answers<'a>(document: &'a Document<'a>) -> impl Iterator<Item = Answer<'a>> {
    let checked = document.outcomes.iter().map(Answer::Checked);
    checked.chain(document.not_checked.iter().map(Answer::NotChecked))
}

impl<'a> Answer<'a> {
    pub(crate) fn property(&self) -> String {
        match self {
            Answer::Checked(outcome) => outcome.property.to_string(),
            Answer::NotChecked(not) => not.property.clone(),
        }
    }

    pub(crate) fn standing(&self) -> Standing {
        match self {
            Answer::Checked(outcome) if outcome.details.advisory => Standing::Advice,
            Answer::Checked(outcome) => match outcome.verdict {
                Verdict::Proved => Standing::Proved,
                Verdict::Violated => Standing::Violated,
                Verdict::Inconclusive(_) | Verdict::Vacuous(_) => Standing::Open,
            },
            Answer::NotChecked(not) if not.asked => Standing::Open,
            Answer::NotChecked(_) => Standing::Advice,
        }
    }

    /// The verdict in a word; the reason why there is none.
    pub(crate) fn word(&self) -> &'static str {
        match self {
            Answer::Checked(Outcome { verdict: Verdict::Inconclusive(reason), .. }) => reason.code(),
            Answer::Checked(outcome) => outcome.verdict.name(),
            Answer::NotChecked(not) => not.reason.code(),
        }
    }

    pub(crate) fn is_not_applicable(&self) -> bool {
        let not_applicable = |reason: &Reason| matches!(reason, Reason::NotApplicable(_));
        match self {
            Answer::Checked(Outcome { verdict: Verdict::Inconclusive(reason), .. }) => not_applicable(reason),
            Answer::Checked(_) => false,
            Answer::NotChecked(not) => not_applicable(&not.reason),
        }
    }

    /// What was found, in a sentence.
    pub(crate) fn sentence(&self, document: &Document<'_>) -> String {
        match self {
            Answer::Checked(outcome) => human::sentence(outcome, &document.model),
            Answer::NotChecked(not) => not.reason.to_string(),
        }
    }

    /// The runs of a violation, one for each different failure; of other results one, which is none.
    pub(crate) fn charts(&self) -> Vec<Option<&'a Chart>> {
        match (self.chart(), self) {
            (Some(first), Answer::Checked(outcome)) => {
                std::iter::once(first).chain(&outcome.details.others).map(Some).collect()
            }
            (first, _) => vec![first],
        }
    }

    /// The run of a violation.
    pub(crate) fn chart(&self) -> Option<&'a Chart> {
        match self {
            Answer::Checked(outcome) if outcome.verdict == Verdict::Violated => outcome.witness.as_ref(),
            _ => None,
        }
    }

    pub(crate) fn seconds(&self) -> f64 {
        match self {
            Answer::Checked(outcome) => outcome.time.as_secs_f64(),
            Answer::NotChecked(_) => 0.0,
        }
    }
}

/// What is wrong at the end of a run, and why each lane waits: a line for each.
pub(crate) fn explanation(chart: &Chart) -> Vec<String> {
    let mut lines = vec![chart.problem.clone()];
    let stuck = chart.waiting.iter().filter(|waits| chart.stuck && !waits.done);
    for waits in stuck {
        let lane = chart.lane_name(waits.lane);
        lines.extend(stopped(waits).map(|why| format!("{lane} {why}")));
        for awaited in &waits.events {
            let refused =
                awaited.refused_by.iter().map(|(by, state)| format!("`{}` in `{state}`", chart.lane_name(*by)));
            let refused: Vec<String> = refused.collect();
            let why = match (&awaited.blocked, refused.is_empty()) {
                (Some(blocked), _) => because(chart, blocked),
                (None, false) => format!("refused by {}", refused.join(" and ")),
                (None, true) => continue,
            };
            lines.push(format!("{lane} waits at `{}`: {why}", awaited.event));
        }
    }
    lines
}
