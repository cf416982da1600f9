//! A question, ready to be worked on; and the last word on every answer.
//!
//! Whatever method found a run, it counts only if the model's own semantics replay it and it shows what it should.

use crate::lts::Leaf;
use crate::product::{Path, Product, Step};
use crate::watch::Watch;
use crate::{Question, TAU, stuttering};
use model::budget::Budget;
use model::composition::{Atom, Composition, Run, StepLabel, Stepper};
use model::composition_proof::{CompositionProof, Node, Parts};
use model::formula::Ltl;
use model::ids::EventId;
use model::verdict::Reason;

/// What all methods start from.
pub(crate) struct Problem<'a> {
    pub(crate) composition: &'a Composition,
    pub(crate) question: Question<'a>,
    /// The components, as far as they can be reached.
    pub(crate) leaves: Vec<Leaf>,
    /// Events have numbers below this one.
    pub(crate) events: usize,
    /// The automaton of the negated formula.
    pub(crate) watch: Option<Watch>,
    /// Silent steps may change the truth of the formula.
    pub(crate) sees_stuttering: bool,
}

impl<'a> Problem<'a> {
    pub(crate) fn new(
        composition: &'a Composition,
        question: Question<'a>,
        budget: &Budget,
    ) -> Result<Problem<'a>, Reason> {
        let watch = match question {
            Question::Formula(formula) | Question::Fair(formula, _) => Some(Watch::new(formula, budget)?),
            Question::Deadlock | Question::Safety | Question::Progress(..) => None,
        };
        let sees_stuttering = matches!(question, Question::Formula(formula) if !stuttering::is_invariant(formula));
        let leaf = |component: &model::composition::Component| Leaf::new(&component.structure, watch.as_ref());
        let leaves: Vec<Leaf> = composition.components.iter().map(leaf).collect();
        let largest = leaves.iter().filter_map(|leaf| leaf.lts.alphabet.last()).max();
        let events = largest.map_or(0, |&event| event as usize + 1);
        Ok(Problem { composition, question, leaves, events, watch, sees_stuttering })
    }

    pub(crate) fn is_deadlock(&self) -> bool {
        matches!(self.question, Question::Deadlock)
    }

    /// Whether all have done their work.
    pub(crate) fn is_done(&self, state: &[u32]) -> bool {
        self.leaves.iter().zip(state).all(|(leaf, &at)| leaf.done[at as usize])
    }

    /// The components in parallel.
    pub(crate) fn product(&self) -> Product<'_> {
        Product::new(self.leaves.iter().map(|leaf| &leaf.lts).collect(), self.events)
    }

    /// A path of the components as a run of the composition.
    pub(crate) fn run(&self, path: &Path) -> Run {
        let original = |state: &Vec<u32>| -> Vec<u32> {
            self.leaves.iter().zip(state).map(|(leaf, &at)| leaf.original[at as usize]).collect()
        };
        Run {
            states: path.states.iter().map(original).collect(),
            steps: path.steps.iter().map(|&step| label(step)).collect(),
            loop_from: path.loop_from,
        }
    }

    /// Whether a run shows that the answer is no.
    pub(crate) fn confirms(&self, run: &Run) -> bool {
        if !run.replays(self.composition) {
            return false;
        }
        let last = run.states.last().map_or(&[][..], Vec::as_slice);
        match self.question {
            Question::Deadlock => run.loop_from.is_none() && Stepper::new(self.composition).is_stuck(last),
            Question::Safety => run.loop_from.is_none() && self.composition.is_wrong(last),
            Question::Progress(progress, fair) => run.misses(self.composition, progress, fair),
            Question::Formula(formula) => self.breaks(run, formula),
            Question::Fair(formula, fair) => self.breaks(run, formula) && run.is_fair(self.composition, fair),
        }
    }

    fn breaks(&self, run: &Run, formula: &Ltl<Atom>) -> bool {
        run.loop_from.is_some_and(|loop_from| {
            !formula.holds_on(run.steps.len(), loop_from, &|atom, at| {
                self.composition.holds(*atom, &run.states[at], run.steps[at].event())
            })
        })
    }

    /// The tree that has the components as leaves, and nothing to say about them.
    pub(crate) fn trivial_proof(&self) -> CompositionProof {
        let leaf =
            |component: u32| Node { parts: Parts::Component(component), hidden: Vec::new(), classes: Vec::new() };
        let mut leaves: Vec<Node> = (0..self.leaves.len() as u32).map(leaf).collect();
        let root = match leaves.pop() {
            Some(only) if leaves.is_empty() => only,
            last => {
                leaves.extend(last);
                Node { parts: Parts::Nodes(leaves), hidden: Vec::new(), classes: Vec::new() }
            }
        };
        CompositionProof { root, invariants: Vec::new(), fair: self.question.fair() }
    }
}

/// What happens in a step, in the model's words.
pub(crate) fn label(step: Step) -> StepLabel {
    if step.event == TAU { StepLabel::Silent { component: step.part } } else { StepLabel::Event(EventId(step.event)) }
}
