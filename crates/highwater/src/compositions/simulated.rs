//! `simulate` for a composition: one run of its components, at random, by hand, or along a trace.

use crate::error::Error;
use crate::simulate::{Chooser, replayed};
use model::chart::{ChartStep, Form, JointKey, StepKey};
use model::composition::{Composition, Run, StepLabel, Stepper};
use model::source::SourceMap;
use report::parse::{self, Trace};
use report::style::Style;
use std::io::Write;

/// Follows a trace; it must violate what it was written for.
pub fn follow(
    composition: &Composition,
    sources: &SourceMap,
    trace: &Trace,
    style: Style,
    out: &mut dyn Write,
) -> Result<i32, Error> {
    let none = || Error::Mismatch(String::from("the trace is none of structures side by side"));
    let run = run_of(trace)?.ok_or_else(none)?;
    let property = certificate::property_named(&trace.property);
    let question = property.as_ref().and_then(|property| composition.question_of(&run, property));
    let question = question.ok_or_else(|| Error::Mismatch(format!("there is no property `{}`", trace.property)))?;
    let joint = replay::confirmed(composition, question, run)
        .map_err(|why| Error::Mismatch(format!("the trace is not possible in this model: {why}")))?;
    replayed(out, &joint, joint.steps.len(), trace, sources, style)
}

/// The run of a trace; nothing if it is one of another kind.
fn run_of(trace: &Trace) -> Result<Option<Run>, Error> {
    let Some(initial) = trace.initial.clone().filter(|_| trace.kind == Form::JOINT.kind) else { return Ok(None) };
    let keys = trace.keys(|key| match key {
        StepKey::Joint(key) => Some(key.clone()),
        _ => None,
    });
    let run = keys.and_then(|keys| JointKey::run(initial, &keys, trace.loop_from).map_err(parse::no_step));
    run.map(Some).map_err(|error| Error::Mismatch(error.to_string()))
}

/// One run, chosen at random or by hand.
pub fn run(composition: &Composition, steps: usize, chooser: &mut Chooser, out: &mut dyn Write) -> Result<i32, Error> {
    let Some(mut state) = first_state(composition) else {
        return Err(Error::Mismatch(String::from("a component has no first state")));
    };
    let mut stepper = Stepper::new(composition);
    for number in 1..=steps {
        let mut options: Vec<(StepLabel, Vec<u32>)> = Vec::new();
        stepper.steps(&state, &mut |happens, next| options.push((happens, next.to_vec())));
        if options.is_empty() {
            return stopped(out, composition, &state, number - 1);
        }
        let words: Vec<ChartStep> =
            options.iter().map(|(happens, next)| replay::step(composition, &stepper, *happens, &state, next)).collect();
        let lines: Vec<String> = words.iter().map(|step| line(composition, step)).collect();
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

fn line(composition: &Composition, step: &ChartStep) -> String {
    let who = step.moves.iter().filter_map(|one| {
        let component = composition.components.get(one.lane)?;
        Some(format!("{}: {}", component.name, one.states.as_ref().map_or("", |(_, to)| to)))
    });
    format!("{:<24} {}", step.event.as_deref().unwrap_or(""), who.collect::<Vec<_>>().join(", "))
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
