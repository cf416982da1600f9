//! Plain breadth-first search of a network whose data do not fold: a shortest run to something bad, if there is one near the
//! beginning. It proves nothing.

use model::context::Context;
use model::semantics::{Semantics, Step};
use std::collections::HashSet;

/// A state, and how it was found: from which one, and by which step.
struct Found {
    state: Vec<u8>,
    origin: Option<(usize, Step)>,
}

/// The steps of a shortest run to a state that is looked for, or to a step that fails if `faults` are; `None` if there is none
/// among so many states, or within the budget.
pub fn shallow(
    semantics: &Semantics<'_>,
    most: usize,
    faults: bool,
    is_wanted: &mut dyn FnMut(&[u8]) -> bool,
    cx: &Context<'_>,
) -> Option<Vec<Step>> {
    let mut stepper = semantics.stepper();
    let first = stepper.initial().ok()?.ok()?;
    let mut seen = HashSet::from([first.clone()]);
    let mut all = vec![Found { state: first, origin: None }];
    let mut at = 0;
    while at < all.len() {
        if is_wanted(&all[at].state) {
            return Some(steps(&all, at));
        }
        cx.spend(1).ok()?;
        let state = all[at].state.clone();
        let (mut failed, mut plain, mut next) = (None, true, Vec::new());
        let expanded = stepper.expand(&state, None, &mut |successor| {
            plain &= successor.control.is_none();
            if successor.fault.is_some() {
                failed.get_or_insert(successor.step);
            }
            next.extend(successor.state.map(|state| (successor.step, state.to_vec())));
        });
        if expanded.is_err() || !plain {
            return None;
        }
        if let Some(step) = failed.filter(|_| faults) {
            let mut steps = steps(&all, at);
            steps.push(step);
            return Some(steps);
        }
        for (step, state) in next {
            if all.len() < most && seen.insert(state.clone()) {
                all.push(Found { state, origin: Some((at, step)) });
            }
        }
        at += 1;
    }
    None
}

fn steps(all: &[Found], mut at: usize) -> Vec<Step> {
    let mut steps = Vec::new();
    while let Some((before, step)) = all[at].origin {
        steps.push(step);
        at = before;
    }
    steps.reverse();
    steps
}
