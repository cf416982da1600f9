//! Runs of the interpreter: the only thing that is ever called a violation.
//!
//! [`replay`] runs the inputs that the search found. [`guess`] runs a few inputs that no one computed, because a program
//! that fails after ten thousand rounds of a loop fails at once in an interpreter.

use crate::system::System;
use bitvector::Model;
use cfront::interpret::{Machine, Outcome, Request, Run};
use cfront::program::{Component, ErrorKind};
use model::budget::Budget;
use model::random::Random;
use model::verdict::Reason;
use std::time::Duration;

/// Steps of a run that follows a computed path.
const STEPS: usize = 4_000_000;
/// Steps of all guessed runs together.
const GUESSED_STEPS: usize = 150_000;
/// Guessed runs.
const GUESSES: u64 = 24;
/// Steps between looks at the time.
const STEPS_BETWEEN_LOOKS: usize = 64;
/// Guessing takes no longer: a step of a program with large arrays is slow.
const GUESSING: Duration = Duration::from_millis(500);

/// The run with the inputs of each block, if it ends in an error that was requested.
pub(crate) fn replay(
    system: &System<'_>,
    blocks: &[Model],
    asked: &dyn Fn(&ErrorKind) -> bool,
    budget: &Budget,
) -> Result<Option<Run>, Reason> {
    let mut machine = Machine::new(system.component);
    let mut run = empty();
    let mut block = 0;
    while run.edges.len() < STEPS {
        if run.edges.len().is_multiple_of(STEPS_BETWEEN_LOOKS) {
            budget.check()?;
        }
        let location = machine.location();
        let mut answer = |request: &Request| {
            let input = system.inputs.get(&(location, request.variable));
            input.zip(blocks.get(block)).map_or(0, |(&input, model)| model.get(input) as u64)
        };
        if let Some(outcome) = machine.step(&mut answer, &mut run) {
            run.outcome = outcome;
            return Ok(is_asked(outcome, asked).then_some(run));
        }
        if system.cut_at[machine.location().0 as usize].is_some() {
            block += 1;
        }
    }
    Ok(None)
}

/// A run that ends in a requested error, by luck.
pub(crate) fn guess(
    component: &Component,
    asked: &dyn Fn(&ErrorKind) -> bool,
    budget: &Budget,
) -> Result<Option<Run>, Reason> {
    let turn = budget.at_most(GUESSING);
    let mut left = GUESSED_STEPS;
    for number in 0..GUESSES {
        let mut random = Random::new(number);
        let mut answer = |_: &Request| match number {
            0 | 1 => number,
            _ => small(&mut random),
        };
        let mut machine = Machine::new(component);
        let mut run = empty();
        // The first run may use half of what there is: a deep error often needs no input at all.
        let most = if number == 0 { left / 2 } else { left / 8 };
        while run.edges.len() < most {
            if run.edges.len().is_multiple_of(STEPS_BETWEEN_LOOKS) {
                budget.check()?;
                if turn.is_late() {
                    return Ok(None);
                }
            }
            if let Some(outcome) = machine.step(&mut answer, &mut run) {
                run.outcome = outcome;
                break;
            }
        }
        if is_asked(run.outcome, asked) {
            return Ok(Some(run));
        }
        left = left.saturating_sub(run.edges.len());
    }
    Ok(None)
}

/// Mostly zero, one, or small; sometimes minus one.
fn small(random: &mut Random) -> u64 {
    let bits = random.bits();
    match bits % 8 {
        0..=2 => 0,
        3..=5 => 1,
        6 => bits >> 32 & 0xff,
        _ => u64::MAX,
    }
}

fn empty() -> Run {
    Run { outcome: Outcome::StepLimit, edges: Vec::new(), inputs: Vec::new(), events: Vec::new() }
}

fn is_asked(outcome: Outcome, asked: &dyn Fn(&ErrorKind) -> bool) -> bool {
    matches!(outcome, Outcome::Error(kind, _) if asked(&kind))
}
