//! `simulate` for a C program: the interpreter runs it on inputs that are drawn, or typed.

use super::ProgramFile;
use crate::error::Error;
use crate::simulate::Chooser;
use cfront::interpret::{Machine, Outcome, Purpose, Request, Run};
use cfront::program::Cause;
use model::chart::{Change, ChartStep};
use model::source::SourceMap;
use std::io::Write;

/// One run, on inputs that are drawn or typed.
pub fn run(
    program: &ProgramFile,
    sources: &SourceMap,
    steps: usize,
    chooser: &mut Chooser,
    out: &mut dyn Write,
) -> Result<i32, Error> {
    let component = &program.component;
    let mut narrator = replay::Narrator::new(component, sources);
    let mut machine = Machine::new(component);
    let mut run = Run { outcome: Outcome::StepLimit, edges: Vec::new(), inputs: Vec::new(), events: Vec::new() };
    for number in 1..=steps {
        let before = run.inputs.len();
        let mut given = Ok(Some(0));
        let mut answer = |request: &Request| {
            if let Ok(Some(_)) = given {
                given = chooser.number(out, &wanted(component, request), request.scalar);
            }
            given.as_ref().ok().copied().flatten().unwrap_or(0)
        };
        let end = machine.step(&mut answer, &mut run);
        if given?.is_none() {
            return Ok(0);
        }
        if end != Some(Outcome::Blocked)
            && let Some(&edge) = run.edges.last()
            && let Some(step) = narrator.step(component.edge(edge), &machine, &run.inputs[before..])
        {
            show(out, number, sources, &step)?;
        }
        if let Some(end) = end {
            return ended(out, end, sources, number);
        }
    }
    writeln!(out, "stopped after {} steps (--steps)", steps)?;
    Ok(0)
}

fn wanted(component: &cfront::Component, request: &Request) -> String {
    let variable = cfront::display::name(component, request.variable);
    match &request.purpose {
        Purpose::Havoc(Cause::Nondet(routine)) | Purpose::Result(routine) => format!("`{routine}` returns"),
        Purpose::Written(routine) => format!("`{routine}` leaves in `{variable}`"),
        Purpose::Havoc(_) => format!("`{variable}` is"),
    }
}

fn show(out: &mut dyn Write, number: usize, sources: &SourceMap, step: &ChartStep) -> Result<(), Error> {
    let Some(one) = step.moves.first() else { return Ok(()) };
    let place = one.span.map(|span| sources.short(span)).unwrap_or_default();
    write!(out, "{number:5} {place:<20} {}", one.does)?;
    beside(out, &one.changes, &one.remarks)
}

/// What a step has changed and what came from outside, behind its statement.
pub fn beside(out: &mut dyn Write, changes: &[Change], remarks: &[String]) -> Result<(), Error> {
    for change in changes {
        write!(out, "  {}={}", change.name, change.value)?;
    }
    writeln!(out)?;
    for remark in remarks {
        writeln!(out, "      ↳ {remark}")?;
    }
    Ok(())
}

/// How a run ends, and the exit code.
fn ended(out: &mut dyn Write, end: Outcome, sources: &SourceMap, steps: usize) -> Result<i32, Error> {
    let how = match end {
        Outcome::Error(kind, span) => {
            writeln!(out, "violated: {kind} at {} after {steps} steps", sources.describe(span))?;
            return Ok(1);
        }
        Outcome::Returned(Some(value)) => format!("it returns {value}"),
        Outcome::Returned(None) => String::from("it returns"),
        Outcome::Exited(status) => format!("it exits with {status}"),
        Outcome::Aborted => String::from("it aborts"),
        Outcome::Blocked => String::from("an assumption does not hold"),
        Outcome::StepLimit => String::from("no more steps are allowed"),
    };
    writeln!(out, "the run ends after {steps} steps: {how}")?;
    Ok(0)
}
