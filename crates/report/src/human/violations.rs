//! Runs that show violations, each with what is wrong at its end.

use crate::chart::{self, Fold};
use crate::diagnostics;
use crate::places::Places;
use crate::style::{Ink, Style, clean, counted};
use crate::table::{Cell, Row, Set, Table};
use model::chart::Chart;
use model::verdict::Outcome;

/// The run, where it ended, and what is wrong there.
pub(super) fn violation(outcome: &Outcome, run: &Chart, places: &Places<'_>, style: Style) -> String {
    let what = if run.steps.is_empty() { "first state" } else { "run" };
    let title = format!("the {what} that violates {}", clean(&outcome.property.to_string()));
    let mut text = steps(&title, run, places, style);
    // What was described in Rust has places, and no text around them; what has states says where it is in sentences.
    let place = if run.form.processes { run.place() } else { run.problem_span };
    let place = place.filter(|&span| places.at(span).is_some_and(|at| !at.is_place));
    let problem = diagnostics::problem(&run.problem, run.problem_code, place, places, style) + "\n";
    for part in [chart::ending(run, places, style), problem].into_iter().filter(|part| !part.is_empty()) {
        text += &format!("\n{part}");
    }
    text += "\n";
    text + &diagnostics::for_more([run.problem_code])
}

/// A run that may be none of the model: it depends on a guess.
pub(super) fn possible(outcome: &Outcome, run: &Chart, places: &Places<'_>, style: Style) -> String {
    let title = format!("a possible run that violates {}", clean(&outcome.property.to_string()));
    steps(&title, run, places, style) + "\n" + &chart::ending(run, places, style) + "\n"
}

fn steps(title: &str, run: &Chart, places: &Places<'_>, style: Style) -> String {
    let mut text = style.paint(Ink::Strong, title) + "\n";
    for remark in &run.remarks {
        text += &format!("  at the start: {}\n", clean(remark));
    }
    if !run.steps.is_empty() {
        text += &chart::steps(run, Fold::Middle, places, style);
    }
    text
}

/// The failures beside the one whose run is shown: a line each, and how many have no run.
pub(super) fn others(outcome: &Outcome, places: &Places<'_>, style: Style) -> String {
    let others = &outcome.details.others;
    if others.is_empty() {
        return String::new();
    }
    let mut table = Table::new(&[("place", Set::Left), ("failure", Set::Elastic), ("", Set::Left)]);
    for run in others {
        let place = run.place().map_or_else(String::new, |span| places.short(span));
        let when = Cell::inked(Ink::Faint, chart::when(run));
        table.push(Row::Cells(vec![
            Cell::inked(Ink::Faint, place),
            Cell::from(clean(&run.failure(&|span| places.short(span)))),
            when,
        ]));
    }
    let title = format!("other failures of {}", clean(&outcome.property.to_string()));
    let without = outcome.details.failures.saturating_sub(1 + others.len() as u64);
    let without = match without {
        0 => String::new(),
        more => format!("  {} {} more\n", style.ellipsis(), counted(more, "failure", "failures")),
    };
    let note = "their runs: --output html=FILE, --format json";
    format!(
        "\n{}\n{}{without}  {}\n",
        style.paint(Ink::Strong, &title),
        table.render("  ", style),
        style.paint(Ink::Faint, note)
    )
}
