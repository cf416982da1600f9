//! No verdict without a check: an invariant must be one, by its definition.
//!
//! `Init ⊆ Inv`, `post(Inv) ⊆ Inv`, `Inv ∩ Bad = ∅`, control state by control state.

use crate::space::{Control, Space};
use queues::{Language, Limit};
use rustc_hash::FxHashMap as HashMap;

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
        for step in space.moves_with(control, here)? {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Bad, Machine, Op, Property, System, Transition};

    /// Sends as long as it likes, then stops; bad is to stop with nothing sent.
    fn sender() -> System {
        let transition = |from, op, to| Transition { from, op, to, origin: 0 };
        let machine = Machine {
            name: "sender".into(),
            initial: vec![0],
            states: vec!["sending".into(), "stopped".into()],
            transitions: vec![transition(0, Op::Send(0, 0), 0), transition(0, Op::Receive(0, 0), 1)],
        };
        let bad = Bad { states: vec![Some(vec![1])], queues: Some(queues::Regex::word(&[0, 0, 0])) };
        System { channels: 1, alphabet: vec!["a".into()], lossy: vec![], machines: vec![machine], bad: vec![bad] }
    }

    #[test]
    fn only_invariants_pass() {
        let system = sender();
        let mut space = Space::new(&system, Property::BadStates, queues::Limits::default()).unwrap();
        let (all, none) = (space.universe, space.start);
        let (sending, stopped) = (space.initial().unwrap()[0], Control(1));
        space.moves(sending).unwrap();
        let mut complains = |reached: &[(Control, Language)]| is_invariant(&mut space, reached).unwrap().unwrap_err();
        assert!(complains(&[]).contains("misses an initial"));
        assert!(complains(&[(sending, none)]).contains("is left by a step"));
        assert!(complains(&[(sending, all)]).contains("is left by a step"));
        assert!(complains(&[(sending, all), (stopped, all)]).contains("something bad"));
    }
}
