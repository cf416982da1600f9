//! Runs that show violations, each with what is wrong at its end.

use crate::chart::{self, Fold};
use crate::diagnostics;
use crate::places::Places;
use crate::style::{Ink, Style, clean};
use model::chart::Chart;
use model::verdict::Outcome;

/// The run, where it ended, and what is wrong there.
pub(super) fn violation(outcome: &Outcome, run: &Chart, places: &Places<'_>, style: Style) -> String {
    let what = if run.steps.is_empty() { "first state" } else { "run" };
    let title = format!("the {what} that violates {}", clean(&outcome.property.to_string()));
    let mut text = style.paint(Ink::Strong, &title) + "\n";
    for remark in &run.remarks {
        text += &format!("  at the start: {}\n", clean(remark));
    }
    if !run.steps.is_empty() {
        text += &chart::steps(run, Fold::Middle, places, style);
    }
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
