//! `--c-test`: the run of each procedure that has to do with a violation, as a C program.
//!
//! Procedures share no variables, but those of one file would share its globals in one program; so each gets a program of its
//! own, which does the same steps on the same inputs and ends with a status of its own where the run ends: at the error, in
//! the call that waits for ever, in the call that is not allowed, or after a return that is not. Of an infinite run, it goes
//! around the loop twice.

use super::ComponentsFile;
use crate::error::Error;
use cegar::graph::Place;
use cfront::Input;
use cfront::interpret::{Outcome, Run};
use cfront::program::{Cause, Component, EdgeId, Instruction};
use cfront::witness::{STATUS, Stop, Test, test_until};
use model::chart::{Chart, StepKey};
use model::source::{FileId, Span};
use replay::components::{Followed, Walker, Walking};
use std::path::{Path, PathBuf};

/// More parts of a run that a test cannot make happen than this are counted.
const MANY_MISSING: usize = 4;

/// Writes the tests of a run that ends; what there is to say about them.
pub fn write(file: &ComponentsFile, followed: &Followed<'_>, run: &Chart, path: &Path) -> Result<Vec<String>, Error> {
    let procedures = followed.walkers.iter().enumerate().filter_map(|(part, walker)| match walker {
        Walker::Procedure(walking) => Some((&**walking, stop(walking, part, run)?)),
        Walker::Process(..) => None,
    });
    let procedures: Vec<(&Walking<'_>, Stop)> = procedures.collect();
    if procedures.is_empty() {
        return Ok(vec![String::from("no procedure takes part in the violation: it is not written as a C program")]);
    }
    write_each(file, &procedures, path)
}

/// Writes the tests of an infinite run: they go around its loop twice. `twice` is the run that was followed so far.
pub fn write_loop(
    file: &ComponentsFile,
    once: &Followed<'_>,
    twice: &Followed<'_>,
    path: &Path,
) -> Result<Vec<String>, Error> {
    let procedures = once.walkers.iter().zip(&twice.walkers).filter_map(|(once, twice)| match (once, twice) {
        (Walker::Procedure(once), Walker::Procedure(twice)) => Some((&**twice, turn(twice, once.run.edges.len())?)),
        _ => None,
    });
    let procedures: Vec<(&Walking<'_>, Stop)> = procedures.collect();
    if procedures.is_empty() {
        return Ok(vec![String::from(
            "nobody calls a routine in the loop of this run: it is not written as a C program",
        )]);
    }
    let mut notes = write_each(file, &procedures, path)?;
    notes.push(String::from("the run has no end: a test goes around its loop twice, to the last call there"));
    Ok(notes)
}

/// The last call of the second time around a loop: the run is long enough if it has made so many steps before.
fn turn(walking: &Walking<'_>, before: usize) -> Option<Stop> {
    let again = walking.run.edges.get(before..)?;
    again.iter().rev().find_map(|&edge| called(walking, edge, 0))
}

fn write_each(file: &ComponentsFile, procedures: &[(&Walking<'_>, Stop)], path: &Path) -> Result<Vec<String>, Error> {
    let mut notes = Vec::new();
    for (walking, stop) in procedures {
        let path = if procedures.len() == 1 { path.to_path_buf() } else { named(path, &walking.procedure.name) };
        let Some((base, input)) = unit(file, walking) else { continue };
        let (component, own) = unshifted(&walking.procedure.component, &walking.run, base);
        let test = test_until(input, &component, &own, file.options.data_model, stop);
        std::fs::write(&path, &test.text)
            .map_err(|e| Error::Unwritable { file: path.display().to_string(), reason: e.to_string() })?;
        notes.extend(said(&path, &walking.procedure.name, &test));
    }
    Ok(notes)
}

/// What is said about a test.
fn said(path: &Path, procedure: &str, Test { exits, missing, .. }: &Test) -> Vec<String> {
    let end = match exits {
        true if missing.is_empty() => format!("it ends with status {STATUS}"),
        true => format!("it ends with status {STATUS} if what is missing does not matter"),
        false => String::from("a sanitizer shows the fault: -fsanitize=undefined,address"),
    };
    let file = path.display();
    let mut notes = vec![format!("{file} is the run of `{procedure}` as a C program; compiled and run, {end}")];
    if !missing.is_empty() {
        let mut shown = missing.iter().take(MANY_MISSING).cloned().collect::<Vec<_>>().join("; ");
        if let Some(more) = missing.len().checked_sub(MANY_MISSING).filter(|&more| more > 0) {
            shown += &format!("; and {more} more");
        }
        notes.push(format!("what it cannot make happen: {shown}"));
    }
    notes
}

/// `test.c` is `test.client.c` for the part `client`.
fn named(path: &Path, part: &str) -> PathBuf {
    let part: String = part.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    path.with_extension(format!("{part}.c"))
}

/// Where the run of a procedure ends, if it has to do with the violation.
fn stop(walking: &Walking<'_>, part: usize, run: &Chart) -> Option<Stop> {
    let component = &walking.procedure.component;
    match walking.place() {
        Place::Wrong(edge) if !walking.graph.quiet => {
            return match component.edge(edge).instruction {
                Instruction::Call { .. } => called(walking, edge, 1),
                _ => Some(Stop::Error),
            };
        }
        _ if run.problem_code == "deadlock" => {
            return match walking.place() {
                Place::Inside { call, .. } => called(walking, call, 1),
                Place::Location(at) => component.leaving(at).find_map(|(edge, _)| called(walking, edge, 1)),
                _ => None,
            };
        }
        _ => {}
    }
    // Somebody else is wrong, because of the last event.
    let Some(StepKey::Moves(last)) = &run.steps.last()?.key else { return None };
    let (_, step) = last.moves.iter().find(|(moved, _)| *moved as usize == part)?;
    let step = walking.graph.steps.get(*step as usize)?;
    match (step.edge, walking.graph.nodes.get(step.source as usize)?.place) {
        (Some(edge), _) if matches!(component.edge(edge).instruction, Instruction::Return(_)) => Some(Stop::Return),
        (Some(edge), _) => called(walking, edge, 0),
        (None, Place::Inside { call, .. }) => called(walking, call, 1),
        (None, _) => None,
    }
}

/// A call, numbered among those of its routine: the last that was executed, or `more` after it.
fn called(walking: &Walking<'_>, edge: EdgeId, more: usize) -> Option<Stop> {
    let component = &walking.procedure.component;
    let routine = |edge: EdgeId| match &component.edge(edge).instruction {
        Instruction::Call { routine, .. } | Instruction::Havoc(_, Cause::Nondet(routine)) => Some(routine),
        _ => None,
    };
    let name = routine(edge)?;
    let before = walking.run.edges.iter().filter(|&&taken| routine(taken) == Some(name)).count();
    Some(Stop::Call(name.clone(), before + more))
}

/// The C file of a procedure, and its number among the sources.
fn unit<'f>(file: &'f ComponentsFile, walking: &Walking<'_>) -> Option<(FileId, &'f Input)> {
    let component = &walking.procedure.component;
    let home = component.location(component.entry).span.file;
    let before = file.units.iter().filter(|(number, _)| *number <= home);
    before.max_by_key(|(number, _)| *number).map(|(number, input)| (*number, input))
}

/// A component and its run as if its file were the only one.
fn unshifted(component: &Component, run: &Run, base: FileId) -> (Component, Run) {
    let back = |span: &mut Span| span.file = FileId(span.file.0.wrapping_sub(base.0));
    let (mut component, mut run) = (component.clone(), run.clone());
    component.locations.iter_mut().for_each(|location| back(&mut location.span));
    component.edges.iter_mut().for_each(|edge| back(&mut edge.span));
    component.objects.iter_mut().for_each(|object| back(&mut object.span));
    run.inputs.iter_mut().for_each(|input| back(&mut input.request.span));
    if let Outcome::Error(_, span) = &mut run.outcome {
        back(span);
    }
    (component, run)
}
