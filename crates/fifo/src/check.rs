//! No verdict without a check: an invariant must be one, by its definition.
//!
//! `Init ⊆ Inv`, `post(Inv) ⊆ Inv`, `Inv ∩ Bad = ∅`, control state by control state.

use crate::space::{Control, Space};
use queues::{Language, Limit};
use std::collections::HashMap;

/// Whether the languages are an inductive invariant without anything bad; if not, why.
pub(crate) fn is_invariant(
    space: &mut Space<'_>,
    reached: &[(Control, Language)],
) -> Result<Result<(), String>, Limit> {
    let invariant: HashMap<Control, Language> = reached.iter().copied().collect();
    let empty = space.languages.empty();
    for control in space.initial()? {
        let here = invariant.get(&control).copied().unwrap_or(empty);
        if !space.languages.is_included(space.start, here)? {
            return Ok(Err(complaint(space, control, "misses an initial configuration")));
        }
    }
    for &(control, here) in reached {
        let bad = space.bad(control)?;
        if space.languages.meet(here, bad)? {
            return Ok(Err(complaint(space, control, "has something bad in it")));
        }
        for step in space.moves(control)?.iter() {
            let after = space.post(step.op, here)?;
            let there = invariant.get(&step.target).copied().unwrap_or(empty);
            if !space.languages.is_included(after, there)? {
                return Ok(Err(complaint(space, control, "is left by a step")));
            }
        }
    }
    Ok(Ok(()))
}

fn complaint(space: &Space<'_>, control: Control, what: &str) -> String {
    format!("the invariant at control state {:?} {what}", space.states(control))
}
