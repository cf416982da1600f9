//! Labelled Kripke structures: states with propositions, steps with events.
//!
//! The components of the MAGIC paper (section 3): a finite graph whose states are labelled with the propositions that
//! hold there, and whose steps are labelled with one event each (the paper's step with a set of events is several
//! steps). What a structure can take part in is its *alphabet*; an event of the alphabet that a state has no step for
//! is *refused* there. Steps with [`TAU`] are the structure's own business: no other component takes part, no component sees which.
//!
//! Events and propositions are numbers of the [`crate::composition::Composition`] that the structure stands in, so that
//! equal numbers mean the same thing in all components.

use crate::ids::{EventId, PropositionId};

/// The event of a step that no other component takes part in and that has no name. It is in no alphabet.
pub const TAU: EventId = EventId(u32::MAX);

/// One step: what happens, and where it leads.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, PartialOrd, Ord)]
pub struct Move {
    /// What happens; [`TAU`] for nothing that anyone sees.
    pub event: EventId,
    /// The next state.
    pub to: u32,
}

/// How a state ends, if it does.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, Default)]
pub enum Ending {
    /// It does not: without a step it is stuck.
    #[default]
    None,
    /// The structure has done its work and may stop here (FSP's `END`).
    Done,
    /// Something went wrong (FSP's `ERROR`).
    Error,
}

/// A labelled Kripke structure. States are numbers; [`Structure::new`] sorts what belongs to each.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Structure {
    alphabet: Vec<EventId>,
    initial: Vec<u32>,
    /// Where the steps of each state begin, and where the last ends.
    first: Vec<u32>,
    moves: Vec<Move>,
    /// Where the propositions of each state begin, and where the last ends.
    first_label: Vec<u32>,
    labels: Vec<PropositionId>,
    endings: Vec<Ending>,
}

/// A state of a structure that is being made.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct StateParts {
    /// Its steps.
    pub moves: Vec<Move>,
    /// The propositions that hold in it.
    pub labels: Vec<PropositionId>,
    /// How it ends.
    pub ending: Ending,
}

impl Structure {
    /// A structure of these states. Events of steps are in the alphabet in any case; steps to states that do not exist and
    /// initial states that do not exist are left out.
    pub fn new(alphabet: impl IntoIterator<Item = EventId>, initial: Vec<u32>, states: Vec<StateParts>) -> Structure {
        let count = states.len() as u32;
        let mut structure = Structure { alphabet: alphabet.into_iter().collect(), ..Structure::default() };
        structure.initial = sorted(initial.into_iter().filter(|&state| state < count).collect());
        structure.first.push(0);
        structure.first_label.push(0);
        for state in states {
            let moves = sorted(state.moves.into_iter().filter(|step| step.to < count).collect());
            structure.alphabet.extend(moves.iter().map(|step| step.event).filter(|&event| event != TAU));
            structure.moves.extend(moves);
            structure.labels.extend(sorted(state.labels));
            structure.first.push(structure.moves.len() as u32);
            structure.first_label.push(structure.labels.len() as u32);
            structure.endings.push(state.ending);
        }
        structure.alphabet = sorted(structure.alphabet);
        structure
    }

    /// How many states it has.
    pub fn states(&self) -> usize {
        self.endings.len()
    }

    /// How many steps it has.
    pub fn steps(&self) -> usize {
        self.moves.len()
    }

    /// Where it may begin, in order.
    pub fn initial(&self) -> &[u32] {
        &self.initial
    }

    /// The events that it takes part in, in order.
    pub fn alphabet(&self) -> &[EventId] {
        &self.alphabet
    }

    /// Whether an event happens only if this structure takes part.
    pub fn takes_part(&self, event: EventId) -> bool {
        self.alphabet.binary_search(&event).is_ok()
    }

    /// The steps of a state, by event; those with [`TAU`] come last.
    pub fn moves(&self, state: u32) -> &[Move] {
        &self.moves[self.first[state as usize] as usize..self.first[state as usize + 1] as usize]
    }

    /// The steps of a state with one event.
    pub fn moves_with(&self, state: u32, event: EventId) -> &[Move] {
        let moves = self.moves(state);
        let from = moves.partition_point(|step| step.event < event);
        let to = moves.partition_point(|step| step.event <= event);
        &moves[from..to]
    }

    /// The propositions that hold in a state, in order.
    pub fn labels(&self, state: u32) -> &[PropositionId] {
        &self.labels[self.first_label[state as usize] as usize..self.first_label[state as usize + 1] as usize]
    }

    /// Whether a proposition holds in a state.
    pub fn holds(&self, state: u32, proposition: PropositionId) -> bool {
        self.labels(state).binary_search(&proposition).is_ok()
    }

    /// How a state ends.
    pub fn ending(&self, state: u32) -> Ending {
        self.endings[state as usize]
    }
}

fn sorted<T: Ord>(mut items: Vec<T>) -> Vec<T> {
    items.sort_unstable();
    items.dedup();
    items
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_belongs_to_a_state_is_found_by_its_number() {
        let to = |event: u32, to: u32| Move { event: EventId(event), to };
        let first = StateParts {
            moves: vec![to(7, 1), Move { event: TAU, to: 0 }, to(3, 1), to(3, 0), to(3, 9)],
            labels: vec![PropositionId(2), PropositionId(1)],
            ending: Ending::None,
        };
        let last = StateParts { ending: Ending::Done, ..StateParts::default() };
        let structure = Structure::new([EventId(5)], vec![0, 4], vec![first, last]);
        assert_eq!(structure.alphabet(), [EventId(3), EventId(5), EventId(7)]);
        assert_eq!(structure.initial(), [0]);
        assert_eq!(structure.moves_with(0, EventId(3)), [to(3, 0), to(3, 1)]);
        assert_eq!(structure.moves_with(0, EventId(5)), []);
        assert_eq!(structure.moves(0).last(), Some(&Move { event: TAU, to: 0 }));
        assert!(structure.holds(0, PropositionId(1)) && !structure.holds(1, PropositionId(1)));
        assert_eq!((structure.moves(1).len(), structure.ending(1)), (0, Ending::Done));
    }
}
