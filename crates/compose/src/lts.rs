//! Structures as the engine works with them: components, their quotients, and groups of components all look alike.
//!
//! Only states that can be reached in a component alone are kept, and nothing happens in a wrong one. Of the propositions,
//! those of the formula are left, as bits.

use crate::watch::Watch;
use model::claim::AtomSet;
use model::composition_proof::READY_TO_END;
use model::structure::{Ending, Structure};

/// The event of a step without a name.
pub(crate) const TAU: u32 = u32::MAX;
/// What a component that has done its work is ready for.
pub(crate) const END: u32 = READY_TO_END;

/// A labelled structure.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lts {
    /// The events that it takes part in, in order.
    pub(crate) alphabet: Vec<u32>,
    /// Where it may begin, in order.
    pub(crate) initial: Vec<u32>,
    /// The steps of each state: event and target, in order; those with [`TAU`] come last.
    pub(crate) moves: Vec<Vec<(u32, u32)>>,
    /// Whether something is wrong in a state.
    pub(crate) wrong: Vec<bool>,
    /// The propositions of the formula that hold in a state.
    pub(crate) labels: Vec<AtomSet>,
}

impl Lts {
    pub(crate) fn states(&self) -> usize {
        self.moves.len()
    }

    pub(crate) fn moves_with(&self, state: u32, event: u32) -> &[(u32, u32)] {
        with_event(&self.moves[state as usize], event)
    }

    pub(crate) fn takes_part(&self, event: u32) -> bool {
        self.alphabet.binary_search(&event).is_ok()
    }
}

/// The steps with one event, of steps in order.
pub(crate) fn with_event(moves: &[(u32, u32)], event: u32) -> &[(u32, u32)] {
    let from = moves.partition_point(|step| step.0 < event);
    let length = moves[from..].iter().take_while(|step| step.0 == event).count();
    &moves[from..from + length]
}

/// A component: what can be reached of it.
#[derive(Clone, Debug)]
pub(crate) struct Leaf {
    pub(crate) lts: Lts,
    /// States in which it has done its work.
    pub(crate) done: Vec<bool>,
    /// The number of each state in the component.
    pub(crate) original: Vec<u32>,
}

impl Leaf {
    pub(crate) fn new(structure: &Structure, watch: Option<&Watch>) -> Leaf {
        let mut number = vec![u32::MAX; structure.states()];
        let mut original = Vec::new();
        let mut see = |state: u32, original: &mut Vec<u32>| {
            if number[state as usize] == u32::MAX {
                number[state as usize] = original.len() as u32;
                original.push(state);
            }
            number[state as usize]
        };
        let initial = structure.initial().iter().map(|&state| see(state, &mut original)).collect();
        let alphabet = structure.alphabet().iter().map(|event| event.0).collect();
        let mut leaf =
            Leaf { lts: Lts { alphabet, initial, ..Lts::default() }, done: Vec::new(), original: Vec::new() };
        let mut at = 0;
        while let Some(&state) = original.get(at) {
            let ending = structure.ending(state);
            let steps = if ending == Ending::Error { &[] } else { structure.moves(state) };
            let mut moves: Vec<(u32, u32)> =
                steps.iter().map(|step| (step.event.0, see(step.to, &mut original))).collect();
            moves.sort_unstable();
            leaf.lts.moves.push(moves);
            leaf.lts.wrong.push(ending == Ending::Error);
            leaf.lts.labels.push(watch.map_or(0, |watch| watch.label(structure.labels(state))));
            leaf.done.push(ending == Ending::Done);
            at += 1;
        }
        leaf.original = original;
        leaf
    }

    /// What a state is ready for: its events, [`END`] if it is done, [`TAU`] if it can move by itself. In order.
    pub(crate) fn ready(&self, state: u32) -> Vec<u32> {
        let mut ready: Vec<u32> = self.lts.moves[state as usize].iter().map(|step| step.0).collect();
        ready.dedup();
        if self.done[state as usize] {
            ready.insert(ready.partition_point(|&event| event < END), END);
        }
        ready
    }
}
