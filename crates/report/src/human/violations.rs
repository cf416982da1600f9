//! Runs that show violations, each with what is wrong at its end.

use crate::chart::{self, Fold};
use crate::components;
use crate::diagnostics;
use crate::joint;
use crate::places::Places;
use crate::program;
use crate::style::{Ink, Style, clean};
use model::chart::Chart;
use model::verdict::{ComponentsRun, JointRun, Outcome, ProgramRun};

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
    let problem = diagnostics::problem(&run.problem, run.problem_code, run.problem_span, places, style) + "\n";
    for part in [chart::ending(run, places, style), problem].into_iter().filter(|part| !part.is_empty()) {
        text += &format!("\n{part}");
    }
    text += "\n";
    text + &diagnostics::for_more([run.problem_code])
}

/// The run of a composition, why nothing can happen at its end, and what is wrong.
pub(super) fn joint_violation(outcome: &Outcome, run: &JointRun, places: &Places<'_>, style: Style) -> String {
    let title = match run.steps.is_empty() {
        true => format!("the first state violates {}", clean(&outcome.property.to_string())),
        false => format!("the run that violates {}", clean(&outcome.property.to_string())),
    };
    let mut text = style.paint(Ink::Strong, &title) + "\n";
    for remark in &run.remarks {
        text += &format!("  at the start: {}\n", clean(remark));
    }
    if !run.steps.is_empty() {
        text += &joint::chart(run, Fold::Middle, style);
    }
    for part in [
        joint::stuck(run, style),
        diagnostics::problem(&run.problem, run.problem_code, run.problem_span, places, style) + "\n",
    ] {
        if !part.is_empty() {
            text += &format!("\n{part}");
        }
    }
    text += "\n";
    text + &diagnostics::for_more([run.problem_code])
}

/// The run of a C program, and what is wrong at its end.
pub(super) fn program_violation(outcome: &Outcome, run: &ProgramRun, places: &Places<'_>, style: Style) -> String {
    let title = format!("the run that violates {}", clean(&outcome.property.to_string()));
    let mut text = style.paint(Ink::Strong, &title) + "\n";
    if !run.steps.is_empty() {
        text += &program::chart(run, Fold::Middle, places, style);
    }
    text += "\n";
    text += &diagnostics::problem(&run.problem, run.problem_code, Some(run.problem_span), places, style);
    text += "\n\n";
    text + &diagnostics::for_more([run.problem_code])
}

/// The run of C components, why nothing can happen at its end, and what is wrong.
pub(super) fn components_violation(
    outcome: &Outcome,
    run: &ComponentsRun,
    places: &Places<'_>,
    style: Style,
) -> String {
    let what = if run.steps.is_empty() { "first state" } else { "run" };
    let title = format!("the {what} that violates {}", clean(&outcome.property.to_string()));
    let mut text = style.paint(Ink::Strong, &title) + "\n";
    for remark in &run.remarks {
        text += &format!("  at the start: {}\n", clean(remark));
    }
    if !run.steps.is_empty() {
        text += &components::chart(run, Fold::Middle, places, style);
    }
    let problem = diagnostics::problem(&run.problem, run.problem_code, run.problem_span, places, style) + "\n";
    for part in [components::stuck(run, style), problem].into_iter().filter(|part| !part.is_empty()) {
        text += &format!("\n{part}");
    }
    text += "\n";
    text + &diagnostics::for_more([run.problem_code])
}
