//! Progress. Under fair choice, by what can still be reached; else by runs that miss events for good.
//!
//! Every terminal set has an event of a set if and only if from every state such an event can be reached: a terminal set is
//! never left, and from every state one can be reached. With a condition it is enough to reach a state from which no event of
//! the condition can be reached. A state that is done has nothing left to do.

use super::plain::Plain;
use crate::Refusal;
use crate::temporal::product::{Atoms, Branches, Debt, Debts, Watch};
use model::claim::AtomSet;
use model::composition::Progress;
use model::context::Context;
use model::fairness::Fairness;
use model::ids::EventId;

/// Whether every run keeps it that is fair in some sense.
pub(super) fn keeps(
    plain: &mut Plain<'_>,
    progress: &Progress,
    fair: Fairness,
    cx: &Context<'_>,
) -> Result<bool, Refusal> {
    if fair == Fairness::Choice {
        return terminal_sets_keep(plain, progress);
    }
    plain.fair = fair;
    for set in &progress.sets {
        plain.heard = vec![set.clone(), progress.condition.clone().unwrap_or_default()];
        plain.forget();
        let mut missing = Missing { unconditional: progress.condition.is_none() };
        if !plain.has_no_run(&mut missing, cx)? {
            return Ok(false);
        }
    }
    Ok(!progress.is_missed(&|_| false) || plain.never_ends_badly()?)
}

/// Runs on which, from some position on, none of the events of the first bit happens, but again and again one of the second
/// unless there is no condition.
struct Missing {
    unconditional: bool,
}

const WANTED: AtomSet = 1;
const CONDITION: AtomSet = 2;

impl Watch for Missing {
    fn initial(&self) -> u32 {
        0
    }

    fn steps(&mut self, at: u32, atoms: Atoms) -> Result<Branches, Refusal> {
        let owes = Debts::from([Debt::Acceptance]);
        let waits = (Some(0), owes.clone());
        let counts = self.unconditional || atoms.holds & CONDITION != 0;
        let misses = (Some(1), if counts { Debts::new() } else { owes });
        Ok(match (at, atoms.holds & WANTED) {
            (0, 0) => vec![waits, misses],
            (0, _) => vec![waits],
            (_, 0) => vec![misses],
            _ => Vec::new(),
        })
    }

    fn ends(&self, _: u32, _: Atoms) -> Result<bool, Refusal> {
        Ok(false)
    }
}

/// Whether every terminal set keeps it.
fn terminal_sets_keep(plain: &mut Plain<'_>, progress: &Progress) -> Result<bool, Refusal> {
    let next = plain.graph()?;
    let mut before: Vec<Vec<u32>> = vec![Vec::new(); next.len()];
    for (from, steps) in (0u32..).zip(&next) {
        steps.iter().for_each(|&(_, to)| before[to as usize].push(from));
    }
    let offers = |events: &[EventId]| -> Vec<bool> {
        next.iter().map(|steps| steps.iter().any(|(event, _)| events.contains(event))).collect()
    };
    let composition = plain.composition;
    let is_over = |(state, steps): (&std::rc::Rc<[u32]>, &Vec<(EventId, u32)>)| {
        steps.is_empty() && composition.is_done(state) && !composition.is_wrong(state)
    };
    let mut excused: Vec<bool> = plain.states.iter().zip(&next).map(is_over).collect();
    if let Some(condition) = &progress.condition {
        let can_happen = reaching(offers(condition), &before);
        excused.iter_mut().zip(can_happen).for_each(|(excused, can_happen)| *excused |= !can_happen);
    }
    let is_kept = |events: &Vec<EventId>| {
        let good = offers(events).into_iter().zip(&excused).map(|(offered, &excused)| offered || excused).collect();
        reaching(good, &before).into_iter().all(|reaches| reaches)
    };
    Ok(progress.sets.iter().all(is_kept))
}

/// The states from which one of these can be reached.
fn reaching(mut good: Vec<bool>, before: &[Vec<u32>]) -> Vec<bool> {
    let mut work: Vec<u32> = (0u32..).zip(&good).filter(|(_, good)| **good).map(|(state, _)| state).collect();
    while let Some(state) = work.pop() {
        for &earlier in &before[state as usize] {
            if !std::mem::replace(&mut good[earlier as usize], true) {
                work.push(earlier);
            }
        }
    }
    good
}
