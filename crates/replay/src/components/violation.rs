//! Whether a run that was followed violates the property, and what is wrong with it.

use super::{Followed, Walker, Walking};
use crate::waiting::likely_circle;
use cfront::program::Instruction;
use model::blame::Seen;
use model::chart::{Awaited, Chart, Waits};
use model::composition::{Atom, Requirement};
use model::ids::EventId;
use model::source::{SourceMap, Span};
use model::structure::{Ending, TAU};
use spec::graph::Place;
use spec::{Question, Specification};

/// The run with what is wrong with it; or why it is no violation.
pub fn violation(
    specification: &Specification,
    question: Question,
    sources: &SourceMap,
    followed: &Followed<'_>,
) -> Result<Chart, String> {
    let mut run = followed.run.clone();
    match (question, run.loop_from) {
        (Question::Deadlock, None) => stuck(specification, sources, followed, &mut run)?,
        (Question::Safety | Question::Races, None) => wrong(followed, &mut run)?,
        (Question::Conformance(number), None) => {
            let name = specification.conformances.get(number).map_or("", |conformance| conformance.name.as_str());
            not_allowed(name, followed, &mut run)?;
        }
        (Question::Formula(number), Some(loop_from)) => {
            let requirement = specification.formulas.get(number).ok_or("there is no such formula")?;
            not_kept(requirement, followed, loop_from, &mut run)?;
        }
        (Question::Formula(_), None) => return Err(String::from("the run is not infinite")),
        (_, Some(_)) => return Err(String::from("the run is infinite")),
    }
    Ok(run)
}

/// A part is in an error.
fn wrong(followed: &Followed<'_>, run: &mut Chart) -> Result<(), String> {
    let found = followed.walkers.iter().find(|walker| walker.is_wrong()).ok_or("no part is in an error")?;
    (run.problem, run.problem_code, run.problem_span) = match found {
        Walker::Process(process, _) => {
            (format!("`{}` gets into an error", process.name), "error-state", Some(process.span))
        }
        Walker::Procedure(walking) => blamed(walking),
    };
    Ok(())
}

/// What is wrong with a procedure.
fn blamed(walking: &Walking<'_>) -> (String, &'static str, Option<Span>) {
    let name = &walking.procedure.name;
    if let Place::Racing(edge) = walking.place() {
        let span = walking.procedure.component.edge(edge).span;
        return (String::from("data race: nothing orders two accesses to a variable"), "data-race", Some(span));
    }
    let Place::Wrong(edge) = walking.place() else {
        return (format!("`{name}` gets into an error"), "error-state", None);
    };
    let edge = walking.procedure.component.edge(edge);
    match &edge.instruction {
        Instruction::Error(kind) => (format!("{kind} in `{name}`"), kind.code(), Some(edge.span)),
        Instruction::Call { routine, .. } => {
            let problem = format!("`{name}` calls `{routine}` as the specification does not allow");
            (problem, "uncovered-call", Some(edge.span))
        }
        _ => (format!("`{name}` gets into an error"), "error-state", Some(edge.span)),
    }
}

/// The watcher is in an error: the last event is not allowed.
fn not_allowed(name: &str, followed: &Followed<'_>, run: &mut Chart) -> Result<(), String> {
    let [procedure, watcher] = &followed.walkers[..] else { return Err(String::from("there are other parts")) };
    if !watcher.is_wrong() {
        return Err(String::from("all that happens is allowed"));
    }
    let last = run.steps.last();
    if last.is_none_or(|step| step.moves.iter().all(|one| one.lane != 0)) {
        return Err(String::from("the procedure takes no part in what is not allowed"));
    }
    let event = last.and_then(|step| step.event.clone()).unwrap_or_else(|| String::from("this"));
    let process = name.rsplit(' ').next().unwrap_or(name);
    run.problem = format!("`{}` does `{event}`, which `{process}` does not allow here", procedure.name());
    run.problem_code = "not-allowed";
    run.problem_span = last.and_then(|step| step.moves.first()).and_then(|first| first.span);
    Ok(())
}

/// Nothing can happen, and not all have done their work.
fn stuck(
    specification: &Specification,
    sources: &SourceMap,
    followed: &Followed<'_>,
    run: &mut Chart,
) -> Result<(), String> {
    let walkers = &followed.walkers;
    let ready: Vec<Vec<EventId>> = walkers.iter().map(Walker::ready).collect();
    let refusers = |event: EventId| -> Vec<usize> {
        (0..walkers.len()).filter(|&part| walkers[part].knows(event) && !ready[part].contains(&event)).collect()
    };
    let possible = |event: &EventId| *event == TAU || refusers(*event).is_empty();
    if walkers.iter().any(Walker::is_wrong) || ready.iter().flatten().any(possible) {
        return Err(String::from("something can happen at the end of the run"));
    }
    if walkers.iter().all(|walker| walker.ending() == Ending::Done) {
        return Err(String::from("every part has done its work"));
    }
    let state = |part: usize| match &walkers[part] {
        Walker::Process(process, state) => process.state_name(*state),
        walker if walker.ending() == Ending::Done => String::from("its end"),
        walker => sources.short(walker.span()),
    };
    let refused = |&event: &EventId| Awaited {
        event: specification.events.get(event.index()).map_or_else(String::new, |event| event.name.clone()),
        refused_by: refusers(event).into_iter().map(|part| (part, state(part))).collect(),
        ..Awaited::default()
    };
    // Shared variables come behind these; they never wait.
    let parts = specification.parts.len();
    run.waiting = (0..parts)
        .map(|part| Waits {
            lane: part,
            state: Some(state(part)),
            span: Some(walkers[part].span()),
            done: walkers[part].ending() == Ending::Done,
            events: ready[part].iter().map(refused).collect(),
        })
        .collect();
    let waits_for: Vec<Vec<usize>> =
        ready.iter().map(|events| events.iter().flat_map(|&event| refusers(event)).collect()).collect();
    run.circle = likely_circle(&waits_for, &last_met(followed));
    let count = run.waiting.iter().filter(|waiting| !waiting.done).count();
    let verb = if count == 1 { "is" } else { "are" };
    run.problem = format!("nothing can happen: {count} of {parts} parts {verb} stuck");
    (run.problem_code, run.stuck) = ("deadlock", true);
    Ok(())
}

/// By part, who took part in its last event.
fn last_met(followed: &Followed<'_>) -> Vec<Vec<usize>> {
    let mut met = vec![Vec::new(); followed.walkers.len()];
    for step in followed.run.steps.iter().filter(|step| step.event.is_some()) {
        let together: Vec<usize> = step.moves.iter().map(|one| one.lane).collect();
        for &part in &together {
            met[part] = together.iter().copied().filter(|&other| other != part).collect();
        }
    }
    met
}

/// The formula does not hold on the run.
fn not_kept(
    requirement: &Requirement,
    followed: &Followed<'_>,
    loop_from: usize,
    run: &mut Chart,
) -> Result<(), String> {
    let (formula, positions) = (&requirement.formula, run.steps.len());
    let holds = |atom: &Atom, at: usize| followed.holds(*atom, at);
    if loop_from >= positions || formula.holds_on(positions, loop_from, &holds) {
        return Err(String::from("the formula holds on the run"));
    }
    let seen = Seen { positions, loop_from, holds: &holds, is_event: &|atom| matches!(atom, Atom::Event(_)) };
    for (position, text) in seen.remarks(formula) {
        run.remark(position, text);
    }
    run.problem = format!("this run does not keep `{formula}`");
    run.problem_code = "formula";
    Ok(())
}
