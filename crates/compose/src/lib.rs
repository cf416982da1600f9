//! State/event properties and deadlock of compositions, component by component.
//!
//! * In: a [`Composition`] and a [`Question`].
//! * Out: an [`Answer`]: a proof that a small checker accepts, or a run.

use model::composition::{Atom, Composition, Run};
use model::composition_proof::CompositionProof;
use model::formula::Ltl;
use model::verdict::{Limits, Observer, Reason};

/// What is asked.
#[derive(Clone, Copy, Debug)]
pub enum Question<'a> {
    /// Nothing gets stuck.
    Deadlock,
    /// No component gets into an error.
    Safety,
    /// Every infinite run keeps a formula.
    Formula(&'a Ltl<Atom>),
}

/// How it is answered.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Method {
    /// Whatever comes to an end first.
    #[default]
    Auto,
    /// The product of all components, on the fly: the baseline.
    Plain,
    /// The paper's algorithms: Fig. 4 for formulas, Fig. 8 for deadlock; one split an iteration.
    Paper,
    /// The same with better first partitions and several splits an iteration.
    Refine,
    /// Compose, hide, minimise, one component after the other.
    Minimise,
}

/// An answer, and what was counted on the way.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The answer.
    pub verdict: Verdict,
    /// What was counted.
    pub statistics: Statistics,
}

/// An answer.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// It holds.
    Holds(Box<CompositionProof>),
    /// A run that violates it.
    Fails(Box<Run>),
    /// Not known.
    Inconclusive(Reason),
}

/// What was counted.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Statistics {
    /// The method that answered, in words.
    pub method: String,
    /// Refinements of the partitions.
    pub iterations: u64,
    /// The most abstract states that were looked at at once.
    pub abstract_states: u64,
    /// Classes of each component at the end.
    pub classes: Vec<u64>,
    /// States of the automaton of the negated formula.
    pub automaton_states: u64,
    /// Bytes, estimated.
    pub memory_bytes: u64,
}

/// Hears of refinements.
pub trait Listener {
    /// One line of the story.
    fn tell(&mut self, line: &str);
}

/// Answers a question.
pub fn check(
    composition: &Composition,
    question: Question<'_>,
    method: Method,
    limits: &Limits,
    observer: &dyn Observer,
    listener: Option<&mut dyn Listener>,
) -> Answer {
    let _ = (composition, question, method, limits, observer, listener);
    let verdict = Verdict::Inconclusive(Reason::NotSupported(String::from("not in this version")));
    Answer { verdict, statistics: Statistics::default() }
}
