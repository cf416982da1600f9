//! `simulate` for a composition: one run of its components, at random, by hand, or along a trace.

use super::{confirmed, story};
use crate::error::Error;
use crate::simulate::Chooser;
use model::composition::{Composition, Happening, Stepper};
use model::verdict::{JointStep, Property};
use report::chart::Fold;
use report::joint;
use report::parse::Trace;
use report::style::Style;
use std::io::Write;

/// Follows a trace; it must violate what it was written for.
pub fn replay(composition: &Composition, trace: &Trace, style: Style, out: &mut dyn Write) -> Result<i32, Error> {
    let none = || Error::Mismatch(String::from("the trace is none of structures side by side"));
    let run = trace.joint.clone().ok_or_else(none)?;
    let property = match trace.property.as_str() {
        "deadlock" => Some(Property::Deadlock),
        "safety" => Some(Property::Safety),
        other => other.strip_prefix("ltl:").map(|name| Property::Ltl(name.to_owned())),
    };
    let question = property.as_ref().and_then(|property| confirmed::question(composition, property));
    let question = question.ok_or_else(|| Error::Mismatch(format!("there is no property `{}`", trace.property)))?;
    let joint = confirmed::confirmed(composition, question, run)
        .map_err(|why| Error::Mismatch(format!("the trace is not possible in this model: {why}")))?;
    out.write_all(joint::chart(&joint, Fold::Nothing, style).as_bytes())?;
    out.write_all(joint::stuck(&joint, style).as_bytes())?;
    writeln!(out, "replayed {} steps: {} ({})", joint.steps.len(), joint.problem_code, trace.property)?;
    Ok(0)
}

/// One run, chosen at random or by hand.
pub fn run(composition: &Composition, steps: usize, chooser: &mut Chooser, out: &mut dyn Write) -> Result<i32, Error> {
    let Some(mut state) = first_state(composition) else {
        return Err(Error::Mismatch(String::from("a component has no first state")));
    };
    let mut stepper = Stepper::new(composition);
    for number in 1..=steps {
        let mut options: Vec<(Happening, Vec<u32>)> = Vec::new();
        stepper.steps(&state, &mut |happens, next| options.push((happens, next.to_vec())));
        if options.is_empty() {
            return stopped(out, composition, &state, number - 1);
        }
        let words: Vec<JointStep> =
            options.iter().map(|(happens, next)| story::step(composition, &stepper, *happens, &state, next)).collect();
        let lines: Vec<String> = words.iter().map(line).collect();
        let Some(index) = chooser.choose(out, &lines)? else { return Ok(0) };
        let Some((_, next)) = options.into_iter().nth(index) else { return Ok(0) };
        writeln!(out, "{number:5} {}", lines[index])?;
        state = next;
    }
    writeln!(out, "stopped after {} steps (--steps)", steps)?;
    Ok(0)
}

fn first_state(composition: &Composition) -> Option<Vec<u32>> {
    composition.components.iter().map(|component| component.structure.initial().first().copied()).collect()
}

fn line(step: &JointStep) -> String {
    let who = step.participants.iter().map(|p| format!("{}: {}", p.component, p.to));
    format!("{:<24} {}", step.event, who.collect::<Vec<_>>().join(", "))
}

/// Nothing can happen.
fn stopped(out: &mut dyn Write, composition: &Composition, state: &[u32], steps: usize) -> Result<i32, Error> {
    if composition.is_wrong(state) {
        writeln!(out, "violated: a component is in an error after {steps} steps")?;
        return Ok(1);
    }
    if composition.is_done(state) {
        writeln!(out, "the run ends after {steps} steps: every component has done its work")?;
        return Ok(0);
    }
    writeln!(out, "violated: deadlock after {steps} steps: nothing can happen")?;
    Ok(1)
}
