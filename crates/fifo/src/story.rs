//! The story of an analysis, told to whoever listens. The only way out for anything but the verdict.

use crate::system::Op;
use queues::{Language, Languages};

/// A control state with a class of its partition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AbstractState {
    /// The state of each machine.
    pub control: Vec<u32>,
    /// The class.
    pub class: Language,
}

/// Something that happened.
#[derive(Debug)]
pub enum Event<'a> {
    /// A method begins or goes on.
    Turn {
        /// Its name.
        method: &'a str,
    },
    /// Everything is tried again, more precisely.
    Precision {
        /// The parameter of the extrapolation.
        k: u32,
    },
    /// Work is going on.
    Progress {
        /// Control states of the product seen.
        controls: usize,
        /// Configurations found, or control states followed, some several times.
        states: usize,
        /// Memory in use, by our own estimate.
        bytes: usize,
    },
    /// A way to bad in the abstraction.
    Counterexample {
        /// Counted from 0.
        iteration: usize,
        /// The abstract states on it.
        path: &'a [AbstractState],
        /// What happens between them: machine, transition, and what it does.
        moves: &'a [(usize, usize, Op)],
        /// Whether it is one of the system, too.
        feasible: bool,
    },
    /// Why the way is none of the system.
    PathInvariant {
        /// The iteration.
        iteration: usize,
        /// Rounds of the generator, with their precision: candidates that failed, and the last one that did not. One
        /// language for each state of the path.
        candidates: &'a [(u32, Vec<Language>)],
    },
    /// A class is split.
    Split {
        /// The iteration.
        iteration: usize,
        /// What is split.
        state: &'a AbstractState,
        /// The part inside the path invariant.
        inside: Language,
        /// The rest.
        outside: Language,
    },
}

/// Listens.
pub trait Observer {
    /// Called for each event, with the languages that it speaks of. What is done with them counts as work of the analysis
    /// and has its limits.
    fn event(&mut self, event: Event<'_>, languages: &mut Languages);
}

/// Does not listen.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {
    fn event(&mut self, _: Event<'_>, _: &mut Languages) {}
}
