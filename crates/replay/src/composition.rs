//! Runs of compositions: replayed on the components, and seen to violate the property.

use crate::{Replayed, unconfirmed, waiting};
use model::blame::Seen;
use model::chart::{Chart, ChartStep, Form, JointKey, Lane, Move, StepKey};
use model::composition::{Atom, Component, Composition, Progress, Question, Run, StepLabel, Stepper};
use model::formula::Ltl;
use model::reason::Reason;
use model::source::Span;
use model::structure::Ending;
use model::terminal::terminal_events;

impl Replayed {
    /// A run of a composition, as a chart.
    pub fn composition(
        composition: &Composition,
        question: Question<'_>,
        run: Run,
    ) -> Result<(Replayed, Chart), Reason> {
        let joint = confirmed(composition, question, run).map_err(unconfirmed)?;
        Ok((Replayed { steps: joint.steps.len() }, joint))
    }
}

/// The run as a chart; or why it is no violation.
pub fn confirmed(composition: &Composition, question: Question<'_>, run: Run) -> Result<Chart, &'static str> {
    violates(composition, question, &run)?;
    Ok(match question {
        Question::Deadlock => deadlock(composition, run),
        Question::Safety => error(composition, run),
        Question::Formula(formula) | Question::Fair(formula, _) => not_kept(composition, formula, run),
        Question::Progress(progress, _) => missed(composition, progress, run),
    })
}

fn violates(composition: &Composition, question: Question<'_>, run: &Run) -> Result<(), &'static str> {
    if !within(composition, run) || !run.replays(composition) {
        return Err("the run is none of the components");
    }
    let last = run.states.last().map_or(&[][..], Vec::as_slice);
    match (question, run.loop_from) {
        (Question::Deadlock, None) if Stepper::new(composition).is_stuck(last) => Ok(()),
        (Question::Deadlock, _) => Err("something can happen at the end of the run"),
        (Question::Safety, None) if composition.is_wrong(last) => Ok(()),
        (Question::Safety, _) => Err("the run does not end in an error"),
        (Question::Progress(progress, fair), _) if run.misses(composition, progress, fair) => Ok(()),
        (Question::Progress(..), None) => {
            Err("the run does not end in a terminal set of states that misses the events")
        }
        (Question::Progress(..), Some(_)) => Err("the run has the events again and again, or is not fair"),
        (Question::Fair(_, fair), Some(_)) if !run.is_fair(composition, fair) => Err("the run is not fair"),
        (Question::Formula(formula) | Question::Fair(formula, _), Some(loop_from)) => {
            match keeps(composition, formula, run, loop_from) {
                true => Err("the formula holds on the run"),
                false => Ok(()),
            }
        }
        (Question::Formula(_) | Question::Fair(..), None) => Err("the run is not infinite"),
    }
}

/// All states of the run are states: what a trace says may be anything.
fn within(composition: &Composition, run: &Run) -> bool {
    run.states.iter().all(|state| {
        state.len() == composition.components.len()
            && composition.components.iter().zip(state).all(|(c, &at)| (at as usize) < c.structure.states())
    })
}

/// Whether the formula holds on an infinite run, evaluated position by position.
fn keeps(composition: &Composition, formula: &Ltl<Atom>, run: &Run, loop_from: usize) -> bool {
    let holds = |atom: &Atom, at: usize| composition.holds(*atom, &run.states[at], run.steps[at].event());
    formula.holds_on(run.steps.len(), loop_from, &holds)
}

/// A run that ends where nothing can happen.
fn deadlock(composition: &Composition, run: Run) -> Chart {
    let last = run.states.last().cloned().unwrap_or_default();
    let waiting = waiting::waiting(composition, &last);
    let circle = waiting::circle(composition, &run);
    let stuck = waiting.iter().filter(|component| !component.done).count();
    let problem = match (stuck, waiting.len()) {
        (1, 1) => String::from("the only component is stuck"),
        (2, 2) => String::from("both components are stuck"),
        (1, all) => format!("1 of {all} components is stuck"),
        (stuck, all) if stuck == all => format!("all {all} components are stuck"),
        (stuck, all) => format!("{stuck} of {all} components are stuck"),
    };
    Chart { waiting, circle, problem, problem_code: "deadlock", stuck: true, ..plain(composition, run) }
}

/// A run that ends in an error.
fn error(composition: &Composition, run: Run) -> Chart {
    let last = run.states.last().cloned().unwrap_or_default();
    let at_fault = composition.components.iter().zip(&last).find(|(c, at)| c.structure.ending(**at) == Ending::Error);
    let problem = match at_fault {
        Some((component, _)) => format!("`{}` gets into an error", component.name),
        None => String::from("a component gets into an error"),
    };
    let problem_span = at_fault.map(|(component, _)| component.span);
    Chart { problem, problem_code: "error-state", problem_span, ..plain(composition, run) }
}

/// An infinite run that does not keep a formula.
fn not_kept(composition: &Composition, formula: &Ltl<Atom>, run: Run) -> Chart {
    let seen = Seen {
        positions: run.steps.len(),
        loop_from: run.loop_from.unwrap_or(0),
        holds: &|atom: &Atom, at| composition.holds(*atom, &run.states[at], run.steps[at].event()),
        is_event: &|atom| matches!(atom, Atom::Event(_)),
    };
    let remarks = seen.remarks(formula);
    let problem = format!("this run does not keep `{formula}`");
    let problem_span = loop_span(composition, &run);
    let mut joint = Chart { problem, problem_code: "formula", problem_span, ..plain(composition, run) };
    for (position, text) in remarks {
        joint.remark(position, text);
    }
    joint
}

/// A run into a set of states that it cannot leave, where something never happens, or round a loop without it.
fn missed(composition: &Composition, progress: &Progress, run: Run) -> Chart {
    const SHOWN: usize = 4;
    let last = run.states.last().map_or(&[][..], Vec::as_slice);
    let happens = match run.loop_from {
        Some(from) => run.steps[from..].iter().map(|step| step.event()).collect(),
        None => terminal_events(composition, last).unwrap_or_default(),
    };
    let missing = progress.missing(&|event| happens.contains(&event));
    let mut names: Vec<String> =
        missing.iter().take(SHOWN).map(|&event| format!("`{}`", composition.event_name(event))).collect();
    if missing.len() > SHOWN {
        names.push(format!("{} others", missing.len() - SHOWN));
    }
    let what = match names.len() {
        0 => String::from("none of its events happens"),
        1 => format!("{} never happens", names[0]),
        _ => format!("{} never happen", names.join(", ")),
    };
    let problem = match happens.is_empty() {
        true => format!("the run ends, and {what} again"),
        false => format!("from here on {what}"),
    };
    let problem_span = Some(progress.span).filter(|span| *span != Span::NONE);
    Chart { problem, problem_code: "progress", problem_span, ..plain(composition, run) }
}

/// The state that the first step of the loop leaves.
fn loop_span(composition: &Composition, run: &Run) -> Option<Span> {
    let at = run.loop_from?;
    let number = match *run.steps.get(at)? {
        StepLabel::Event(event) => *Stepper::new(composition).participants(event).first()?,
        StepLabel::Silent { component } => component,
    } as usize;
    Some(composition.components.get(number)?.state_span(*run.states.get(at)?.get(number)?))
}

/// The steps of a run, with nothing said of what is wrong.
fn plain(composition: &Composition, run: Run) -> Chart {
    let stepper = Stepper::new(composition);
    let first = run.states.first().map_or(&[][..], Vec::as_slice);
    let lane = |(component, &state): (&Component, &u32)| Lane {
        name: component.name.clone(),
        initial: Some(state),
        ..Lane::default()
    };
    let lanes = composition.components.iter().zip(first).map(lane).collect();
    let pairs = run.steps.iter().zip(run.states.windows(2));
    let steps = pairs.map(|(&happens, pair)| step(composition, &stepper, happens, &pair[0], &pair[1])).collect();
    Chart { steps, loop_from: run.loop_from, ..Chart::new(&Form::JOINT, lanes) }
}

/// A step of a chart.
pub fn step(
    composition: &Composition,
    stepper: &Stepper<'_>,
    happens: StepLabel,
    from: &[u32],
    to: &[u32],
) -> ChartStep {
    let participants = match happens {
        StepLabel::Event(event) => stepper.participants(event).to_vec(),
        StepLabel::Silent { component } => vec![component],
    };
    let participant = |&number: &u32| {
        let component = composition.components.get(number as usize)?;
        let state = |of: &[u32]| of.get(number as usize).map(|&at| component.state_name(at)).unwrap_or_default();
        Some(Move { lane: number as usize, states: Some((state(from), state(to))), ..Move::default() })
    };
    ChartStep {
        event: Some(composition.event_name(happens.event()).to_owned()),
        moves: participants.iter().filter_map(participant).collect(),
        key: Some(StepKey::Joint(JointKey::new(happens, from, to))),
        ..ChartStep::default()
    }
}
