//! A run is a violation once it was replayed on the components, and is seen to violate what was asked.

use super::story;
use compose::Question;
use model::chart::Chart;
use model::composition::{Atom, Composition, Run, Stepper};
use model::formula::Ltl;
use model::verdict::Property;

/// The run in words; or why it is no violation.
pub fn confirmed(composition: &Composition, question: Question<'_>, run: Run) -> Result<Chart, &'static str> {
    violates(composition, question, &run)?;
    Ok(match question {
        Question::Deadlock => story::deadlock(composition, run),
        Question::Safety => story::error(composition, run),
        Question::Formula(formula) => story::formula(composition, formula, run),
    })
}

/// The question that a property is.
pub fn question<'c>(composition: &'c Composition, property: &Property) -> Option<Question<'c>> {
    match property {
        Property::Deadlock => Some(Question::Deadlock),
        Property::Safety => Some(Question::Safety),
        Property::Ltl(name) => super::requirement(composition, name).map(|found| Question::Formula(&found.formula)),
        _ => None,
    }
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
        (Question::Formula(formula), Some(loop_from)) if !keeps(composition, formula, run, loop_from) => Ok(()),
        (Question::Formula(_), Some(_)) => Err("the formula holds on the run"),
        (Question::Formula(_), None) => Err("the run is not infinite"),
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
