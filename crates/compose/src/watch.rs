//! The automaton of what a formula forbids, over bits: one for each atom of the formula.

use model::budget::Budget;
use model::claim::{AtomSet, MOST_ATOMS};
use model::composition::Atom;
use model::formula::Ltl;
use model::ids::{EventId, PropositionId};
use model::verdict::Reason;
use std::collections::BTreeMap;

/// A Büchi automaton for the negation of a formula.
#[derive(Clone, Debug)]
pub(crate) struct Watch {
    pub(crate) states: Vec<WatchState>,
    pub(crate) initial: u32,
    propositions: Vec<(PropositionId, AtomSet)>,
    /// Events that the formula speaks of, in order, with their bits.
    events: Vec<(u32, AtomSet)>,
}

/// A state of it.
#[derive(Clone, Debug)]
pub(crate) struct WatchState {
    pub(crate) accepting: bool,
    pub(crate) edges: Vec<WatchEdge>,
}

/// A step that is possible where some atoms hold and others do not.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WatchEdge {
    holds: AtomSet,
    fails: AtomSet,
    pub(crate) to: u32,
}

impl WatchEdge {
    pub(crate) fn allows(&self, letter: AtomSet) -> bool {
        self.holds & !letter == 0 && self.fails & letter == 0
    }
}

impl Watch {
    /// Translates the negation of a formula.
    pub(crate) fn new(formula: &Ltl<Atom>, budget: &Budget) -> Result<Watch, Reason> {
        let atoms = formula.atoms();
        if atoms.len() > MOST_ATOMS {
            return Err(Reason::NotSupported(format!("a formula with more than {MOST_ATOMS} different atoms")));
        }
        let numbered = temporal::numbered(formula, &atoms);
        let automaton = temporal::within(&numbered.negated(), budget).map_err(|too_large| match too_large {
            temporal::TooLarge::Time => budget.check().err().unwrap_or(Reason::Timeout),
            _ => Reason::NotSupported(too_large.to_string()),
        })?;
        let bits = |atoms: &[u32]| atoms.iter().fold(0, |set: AtomSet, atom| set | 1 << atom);
        let states = automaton.states.iter().map(|state| {
            let edges = state.edges.iter().flat_map(|edge| {
                edge.guard.iter().map(|cube| WatchEdge {
                    holds: bits(&cube.positive),
                    fails: bits(&cube.negative),
                    to: edge.to,
                })
            });
            WatchState { accepting: state.accepting, edges: edges.collect() }
        });
        let mut watch = Watch {
            states: states.collect(),
            initial: automaton.initial,
            propositions: Vec::new(),
            events: Vec::new(),
        };
        for (index, (atom, _)) in atoms.iter().enumerate() {
            match atom {
                Atom::Proposition(proposition) => watch.propositions.push((*proposition, 1 << index)),
                Atom::Event(event) => watch.events.push((event.0, 1 << index)),
            }
        }
        watch.events.sort_unstable();
        Ok(watch)
    }

    /// The runs on which, from some time on, none of these events happens, but one of the condition's again and again.
    pub(crate) fn missing(set: &[EventId], condition: Option<&[EventId]>) -> Watch {
        const WANTED: AtomSet = 1;
        const CONDITION: AtomSet = 2;
        let mut events: BTreeMap<u32, AtomSet> = BTreeMap::new();
        set.iter().for_each(|event| *events.entry(event.0).or_default() |= WANTED);
        condition.iter().copied().flatten().for_each(|event| *events.entry(event.0).or_default() |= CONDITION);
        let edge = |holds: AtomSet, fails: AtomSet, to: u32| WatchEdge { holds, fails, to };
        let mut missing = vec![edge(0, WANTED, 1)];
        missing.extend(condition.map(|_| edge(CONDITION, WANTED, 2)));
        let states = vec![
            WatchState { accepting: false, edges: vec![edge(0, 0, 0), edge(0, 0, 1)] },
            WatchState { accepting: condition.is_none(), edges: missing.clone() },
            WatchState { accepting: true, edges: missing },
        ];
        Watch { states, initial: 0, propositions: Vec::new(), events: events.into_iter().collect() }
    }

    /// The bits of the propositions that hold in a state.
    pub(crate) fn label(&self, labels: &[PropositionId]) -> AtomSet {
        let holds = |known: &&(PropositionId, AtomSet)| labels.binary_search(&known.0).is_ok();
        self.propositions.iter().filter(holds).fold(0, |set, known| set | known.1)
    }

    /// The bit of an event, if the formula speaks of it.
    pub(crate) fn event(&self, event: u32) -> AtomSet {
        self.events.binary_search_by_key(&event, |known| known.0).map_or(0, |at| self.events[at].1)
    }

    /// Whether the formula speaks of an event.
    pub(crate) fn names(&self, event: u32) -> bool {
        self.event(event) != 0
    }
}
