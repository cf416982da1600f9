//! Runs that show violations, each with what is wrong at its end.

use crate::chart::{Fold, standing_table, steps_table};
use crate::components;
use crate::cycles::enumerated;
use crate::diagnostics;
use crate::joint;
use crate::places::Places;
use crate::program;
use crate::style::{Ink, Style, clean};
use model::verdict::{ComponentsRun, JointRun, Outcome, ProgramRun, Property, Witness};

/// The run, where it ended, and what is wrong there.
pub(super) fn violation(outcome: &Outcome, witness: &Witness, places: &Places<'_>, style: Style) -> String {
    let title = format!("the run that violates {}", clean(&outcome.property.to_string()));
    let mut text = style.paint(Ink::Strong, &title) + "\n";
    for remark in &witness.remarks {
        text += &format!("  at the start: {}\n", clean(remark));
    }
    if !witness.steps.is_empty() {
        text += &steps_table(&witness.steps, witness.loop_from, Fold::Middle, places, style);
        text += &round(witness);
    }
    if !witness.standing.is_empty() {
        let stuck = outcome.property == Property::Deadlock;
        let title = if witness.loop_from.is_some() { "where a round ends" } else { "where it ends" };
        text += &format!("\n{}\n", style.paint(Ink::Strong, title));
        text += &standing_table(&witness.standing, stuck, places, style);
    }
    text += "\n";
    text += &diagnostics::problem(&witness.problem, witness.problem_code, witness.problem_span, places, style);
    text += "\n\n";
    text + &diagnostics::for_more([witness.problem_code])
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

/// What one round of a loop adds to the channels.
fn round(witness: &Witness) -> String {
    let gains: Vec<String> = witness.gains.iter().map(|(name, gain)| format!("{gain} to {}", clean(name))).collect();
    if witness.loop_from.is_none() || gains.is_empty() {
        return String::new();
    }
    format!("  each round adds {}\n", enumerated(gains))
}
