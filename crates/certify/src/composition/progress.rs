//! Progress under fair choice, by what can still be reached.
//!
//! Every terminal set has an event of a set if and only if from every state such an event can be reached: a terminal set is
//! never left, and from every state one can be reached. With a condition it is enough to reach a state from which no event of
//! the condition can be reached. A state that is done has nothing left to do.

use super::plain::Plain;
use crate::Refusal;
use model::composition::Progress;
use model::ids::EventId;

/// Whether every terminal set keeps it.
pub(super) fn keeps(plain: &mut Plain<'_>, progress: &Progress) -> Result<bool, Refusal> {
    let mut next: Vec<Vec<(EventId, u32)>> = Vec::new();
    while let Some(state) = plain.states.get(next.len()).cloned() {
        next.push(plain.next(&state)?);
    }
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
