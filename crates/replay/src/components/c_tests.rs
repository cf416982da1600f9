//! The run of each procedure that has to do with a violation, as a C program.
//!
//! Procedures of one file would share its globals in one program; so each gets a program of its own, which does the same steps on the same inputs and ends with a status of its own where the run ends: at the error, in
//! the call that blocks, in the call that is not allowed, or after a return that is not. Of an infinite run, it goes
//! around the loop twice. A procedure that shares variables has no such program: alone it would read what nobody has stored.

use super::{Followed, Walker, Walking};
use cfront::interpret::{Outcome, Run};
use cfront::program::{Cause, Component, EdgeId, Instruction};
use cfront::witness::{Stop, Test, test_until};
use cfront::{DataModel, Input};
use model::chart::{Chart, StepKey};
use model::source::{FileId, Span};
use spec::graph::Place;

/// The C files of a specification.
pub struct Units<'a> {
    /// The files, and their numbers among the sources.
    pub inputs: &'a [(FileId, Input)],
    /// The widths of the integer types.
    pub data_model: DataModel,
}

impl Units<'_> {
    /// The tests of a run that ends, by procedure.
    pub fn tests<'f>(&self, followed: &'f Followed<'_>, run: &Chart) -> Vec<(&'f str, Test)> {
        let tests = followed.walkers.iter().enumerate().filter_map(|(part, walker)| match walker {
            Walker::Procedure(walking) => self.test(walking, &stop(walking, part, run)?),
            Walker::Process(..) => None,
        });
        tests.collect()
    }

    /// The tests of an infinite run, by procedure: they go around its loop twice, as `twice` has done.
    pub fn loop_tests<'f>(&self, once: &Followed<'_>, twice: &'f Followed<'_>) -> Vec<(&'f str, Test)> {
        let tests = once.walkers.iter().zip(&twice.walkers).filter_map(|(once, twice)| match (once, twice) {
            (Walker::Procedure(once), Walker::Procedure(twice)) => {
                self.test(twice, &turn(twice, once.run.edges.len())?)
            }
            _ => None,
        });
        tests.collect()
    }

    fn test<'f>(&self, walking: &'f Walking<'_>, stop: &Stop) -> Option<(&'f str, Test)> {
        if !walking.procedure.shared.is_empty() {
            return None;
        }
        let (base, input) = self.unit(walking)?;
        let (component, own) = unshifted(&walking.procedure.component, &walking.run, base);
        let test = test_until(input, &component, &own, self.data_model, stop);
        Some((walking.procedure.name.as_str(), test))
    }

    /// The C file of a procedure, and its number among the sources.
    fn unit(&self, walking: &Walking<'_>) -> Option<(FileId, &Input)> {
        let component = &walking.procedure.component;
        let home = component.location(component.entry).span.file;
        let before = self.inputs.iter().filter(|(number, _)| *number <= home);
        before.max_by_key(|(number, _)| *number).map(|(number, input)| (*number, input))
    }
}

/// The last call of the second time around a loop: the run is long enough if it has made so many steps before.
fn turn(walking: &Walking<'_>, before: usize) -> Option<Stop> {
    let again = walking.run.edges.get(before..)?;
    again.iter().rev().find_map(|&edge| called(walking, edge, 0))
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
