//! A structure before it takes its place in a composition: its events are numbers of its own, so that labelling and
//! relabelling it changes one table and no step.

use crate::names::Symbol;
use model::source::Span;
use model::structure::Ending;

/// The own number of a step without a name. It is in no alphabet, and no table has it.
pub(crate) const SILENT: u32 = u32::MAX;

/// The states that can be reached, numbered breadth-first; the first is where it begins.
#[derive(Debug, Default)]
pub(crate) struct Raw {
    pub(crate) states: Vec<RawState>,
    /// The alphabet: the event of each own number.
    pub(crate) events: Vec<Symbol>,
    pub(crate) propositions: Vec<(String, Span)>,
}

#[derive(Debug, Default, Clone)]
pub(crate) struct RawState {
    /// Events by own number, and where they lead.
    pub(crate) moves: Vec<(u32, u32)>,
    /// Propositions by number.
    pub(crate) labels: Vec<u32>,
    pub(crate) ending: Ending,
    pub(crate) name: String,
    pub(crate) span: Option<Span>,
}
