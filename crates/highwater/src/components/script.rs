//! What a run of C components does, taken from the engine or from a document.

use cegar::{Part, Question, Specification, Violation};
use model::chart::StepKey;
use model::composition::StepLabel;
use model::ids::EventId;
use replay::components::Script;
use report::parse::Trace;
use spec::Prepared;

/// That of a run that the engine found.
pub fn of_violation(violation: &Violation, parts: &[Part]) -> Script {
    let is_process = |part: usize| matches!(parts.get(part), Some(Part::Process(_)));
    let state = |at: usize, part: usize| violation.run.states.get(at).and_then(|state| state.get(part)).copied();
    let initial = (0..parts.len()).map(|part| state(0, part).filter(|_| is_process(part))).collect();
    let mut inputs = vec![Vec::new(); parts.len()];
    for (part, given) in &violation.inputs {
        if let Some(slot) = inputs.get_mut(*part) {
            *slot = given.iter().map(|input| input.bits).collect();
        }
    }
    let steps = violation.run.steps.iter().zip(&violation.steps).enumerate();
    let steps = steps.map(|(at, (step_of_run, step))| {
        let mut moves: Vec<(usize, u32)> = step.moves.iter().map(|moved| (moved.part, moved.step)).collect();
        let takes_part = |part: usize| match *step_of_run {
            StepLabel::Silent { component } => component as usize == part,
            StepLabel::Event(event) => {
                violation.composition.components.get(part).is_some_and(|one| one.structure.takes_part(event))
            }
        };
        let processes = (0..parts.len()).filter(|&part| is_process(part) && takes_part(part));
        moves.extend(processes.filter_map(|part| Some((part, state(at + 1, part)?))));
        moves.sort_unstable();
        let event = match *step_of_run {
            StepLabel::Event(event) => Some(event),
            StepLabel::Silent { .. } => None,
        };
        (event, moves)
    });
    Script { initial, inputs, steps: steps.collect(), loop_from: violation.loop_from }
}

/// That of a document, or the name of an event that there is not.
pub fn of_trace(trace: &Trace, specification: &Specification, question: Question) -> Result<Script, String> {
    let events = Prepared::new(specification, question).map_err(|reason| reason.to_string())?.events;
    let number = |name: &String| {
        let found = events.iter().position(|event| event.name == *name);
        found.map(EventId::from).ok_or_else(|| format!("there is no event `{name}`"))
    };
    let keys = trace.keys(|key| match key {
        StepKey::Moves(key) => Some(key.moves.clone()),
        _ => None,
    });
    let keys = keys.map_err(|error| error.to_string())?;
    let steps = trace.steps.iter().zip(keys).map(|(step, moves)| {
        let event = step.event.as_ref().map(number).transpose()?;
        Ok((event, moves.into_iter().map(|(part, code)| (part as usize, code)).collect()))
    });
    Ok(Script {
        initial: trace.lanes.iter().map(|lane| lane.initial).collect(),
        inputs: trace.lanes.iter().map(|lane| lane.bits.clone().unwrap_or_default()).collect(),
        steps: steps.collect::<Result<Vec<_>, String>>()?,
        loop_from: trace.loop_from,
    })
}
