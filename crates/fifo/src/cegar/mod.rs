//! Counterexample-guided refinement of partition abstractions (sections 3 to 5 of the paper, figure 8).
//!
//! Each control state has a partition of all queue contents, in the beginning with one class. Control states with
//! classes are the states of the abstraction (`abstraction.rs`); there is a transition where some member of one class
//! leads to some member of the other. A breadth-first search (`explore.rs`) looks for a path from the start to a class
//! with something bad. There is none: safe, and the classes that were reached are the invariant. There is one, and it is
//! feasible in the system: unsafe. Else a path invariant (`path_invariant.rs`) says why not, and splits the classes on the
//! path.
//!
//! Only what is touched is computed again. A split changes the transitions of the class and of its neighbours, nothing
//! else; the search goes on from the first class on the way that was split. And partitions exist only for control states
//! that the search came to.

mod abstraction;
mod explore;
mod path_invariant;

pub use path_invariant::{Generator, Pass};

use crate::method::{Answer, Technique};
use crate::property::Property;
use crate::run::along;
use crate::space::{Move, Space};
use crate::system::{Op, System, SystemError};
use crate::trace::{AbstractState, Event};
use crate::verdict::{Run, Statistics};
use abstraction::{Abstraction, Class};
use explore::Exploration;
use model::budget::Budget;
use model::context::Context;
use model::reason::Reason;
use path_invariant::{Path, PathInvariant};
use queues::{Extrapolation, Language, Languages, Limit};
use std::sync::Arc;

/// How abstractions are refined.
#[derive(Clone)]
pub struct CegarSettings {
    /// Where path invariants come from.
    pub generator: Generator,
    /// Whether they are computed from the start or from the end.
    pub pass: Pass,
    /// What makes them simple.
    pub extrapolation: Arc<dyn Extrapolation>,
    /// After how many refinements to give up.
    pub iterations: Option<usize>,
}

impl CegarSettings {
    /// The settings in a few words.
    pub fn name(&self) -> String {
        let generator = match self.generator {
            Generator::Uniform => "UPInv",
            Generator::Adaptive => "APInv",
        };
        let pass = match self.pass {
            Pass::Forward => "forward",
            Pass::Backward => "backward",
        };
        format!("{generator} {pass}, {}", self.extrapolation.name())
    }
}

/// What one iteration came to.
pub(crate) enum Iteration {
    Safe,
    Unsafe(Run),
    Refined,
}

/// The refinement loop at work.
pub(crate) struct Refining {
    settings: CegarSettings,
    abstraction: Abstraction,
    exploration: Exploration,
    iterations: usize,
    last: Counterexample,
}

impl Refining {
    pub(crate) fn new(settings: CegarSettings) -> Self {
        let (abstraction, exploration) = (Abstraction::default(), Exploration::default());
        Refining { settings, abstraction, exploration, iterations: 0, last: Counterexample::default() }
    }

    /// One round of figure 8.
    pub(crate) fn iterate(&mut self, space: &mut Space<'_>, cx: &Context<'_>) -> Result<Iteration, Limit> {
        let Some(abstract_path) = self.exploration.path_to_bad(&mut self.abstraction, space)? else {
            return Ok(Iteration::Safe);
        };
        let path = self.path(space, &abstract_path)?;
        let exact = path.exact_forward(space)?;
        let feasible = exact.last().is_some_and(|&last| !space.languages.is_empty(last));
        self.tell_path(space, cx, &path, feasible);
        if feasible {
            let initial = self.abstraction.control(abstract_path.classes[0]);
            let run = along(space, initial, &path.moves, &exact)?;
            // The sets are exact, so that there is a run; and it is replayed in any case.
            return Ok(Iteration::Unsafe(run.unwrap_or_default()));
        }
        let invariant = path.invariant(space, &self.settings)?;
        Event::PathInvariant { candidates: &invariant.candidates }.tell(space, cx);
        self.last.candidates = invariant.candidates.iter().map(|(_, candidate)| candidate.clone()).collect();
        self.split(space, cx, &abstract_path.classes, &invariant)?;
        self.iterations += 1;
        Ok(Iteration::Refined)
    }

    fn path(&self, space: &mut Space<'_>, abstract_path: &explore::AbstractPath) -> Result<Path, Limit> {
        let classes: Vec<Language> =
            abstract_path.classes.iter().map(|&class| self.abstraction.language(class)).collect();
        let last = abstract_path.classes[abstract_path.classes.len() - 1];
        let bad = space.bad(self.abstraction.control(last))?;
        Ok(Path { classes, moves: abstract_path.moves.clone(), init: space.start, bad })
    }

    fn split(
        &mut self,
        space: &mut Space<'_>,
        cx: &Context<'_>,
        classes: &[Class],
        invariant: &PathInvariant,
    ) -> Result<(), Limit> {
        for (&class, &language) in classes.iter().zip(&invariant.languages) {
            let whole = self.abstraction.language(class);
            let inside = space.languages.intersection(whole, language)?;
            let outside = space.languages.difference(whole, language)?;
            if space.languages.is_empty(inside) || space.languages.is_empty(outside) {
                continue;
            }
            self.exploration.forget(class);
            self.abstraction.split(space, class, inside, outside)?;
            let control = space.states(self.abstraction.control(class)).to_vec();
            let state = AbstractState { control, class: whole };
            Event::Split { state: &state, inside, outside }.tell(space, cx);
        }
        Ok(())
    }

    fn tell_path(&mut self, space: &mut Space<'_>, cx: &Context<'_>, path: &Path, feasible: bool) {
        let (states, moves) = self.described(space, path);
        Event::Counterexample { iteration: self.iterations, path: &states, moves: &moves, feasible }.tell(space, cx);
        self.last =
            Counterexample { path: states, ops: moves.iter().map(|step| step.2).collect(), candidates: Vec::new() };
    }

    /// The path in public terms.
    fn described(&self, space: &Space<'_>, path: &Path) -> (Vec<AbstractState>, Vec<(usize, usize, Op)>) {
        let described = |step: &Move| (step.machine as usize, step.transition as usize, step.op);
        let controls = self.exploration.last_controls(&self.abstraction);
        let state = |(control, &class): (crate::space::Control, &Language)| AbstractState {
            control: space.states(control).to_vec(),
            class,
        };
        let states = controls.into_iter().zip(&path.classes).map(state).collect();
        (states, path.moves.iter().map(described).collect())
    }
}

impl Technique for Refining {
    fn name(&self) -> String {
        format!("CEGAR, {}", self.settings.name())
    }

    fn advance(&mut self, space: &mut Space<'_>, cx: &Context<'_>) -> Result<Answer, Limit> {
        loop {
            if self.settings.iterations.is_some_and(|most| self.iterations >= most) {
                return Ok(Answer::Stuck(Reason::NotProvable(format!(
                    "no answer after {} refinements",
                    self.iterations
                ))));
            }
            match self.iterate(space, cx)? {
                Iteration::Refined => {}
                Iteration::Unsafe(run) => return Ok(Answer::Unsafe(run)),
                Iteration::Safe => return self.exploration.invariant(&self.abstraction, space).map(Answer::Safe),
            }
        }
    }

    fn count(&self, statistics: &mut Statistics) {
        statistics.iterations = self.iterations;
        let (states, transitions) = self.exploration.size(&self.abstraction);
        statistics.abstract_states = states;
        statistics.abstract_transitions = transitions;
    }
}

/// The refinement loop, one iteration at a time, for those who want to look at the abstraction in between.
pub struct Cegar<'a> {
    space: Space<'a>,
    refining: Refining,
}

/// An abstract path to bad.
#[derive(Clone, Debug, Default)]
pub struct Counterexample {
    /// The abstract states on it.
    pub path: Vec<AbstractState>,
    /// What happens between them.
    pub ops: Vec<Op>,
    /// Candidates of a path invariant that failed, and the last one that did not; none if the path is feasible.
    pub candidates: Vec<Vec<Language>>,
}

/// What [`Cegar::iterate`] came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Progress {
    /// The abstraction proves safety.
    Safe,
    /// The abstract counterexample is feasible.
    Unsafe(Run),
    /// It was spurious, and the abstraction is refined.
    Refined,
}

impl<'a> Cegar<'a> {
    /// Before the first iteration.
    pub fn new(
        system: &'a System,
        property: Property,
        settings: CegarSettings,
        limits: &crate::Limits,
    ) -> Result<Self, SystemError> {
        let space = Space::new(system, property, limits.for_languages(&Budget::unlimited()))?;
        Ok(Cegar { space, refining: Refining::new(settings) })
    }

    /// One iteration.
    pub fn iterate(&mut self) -> Result<Progress, Limit> {
        Ok(match self.refining.iterate(&mut self.space, &Context::unlimited())? {
            Iteration::Safe => Progress::Safe,
            Iteration::Unsafe(run) => Progress::Unsafe(run),
            Iteration::Refined => Progress::Refined,
        })
    }

    /// What the last iteration looked at.
    pub fn last(&self) -> &Counterexample {
        &self.refining.last
    }

    /// The classes of each control state that was looked at; all others have one.
    pub fn partition_map(&self) -> Vec<(Vec<u32>, Vec<Language>)> {
        let named = |(control, classes)| (self.space.states(control).to_vec(), classes);
        self.refining.abstraction.partitions().into_iter().map(named).collect()
    }

    /// Abstract states and transitions as the paper counts them: of the whole product, reached or not. It is unfolded for
    /// that; the refinement itself needs only a part of it.
    pub fn whole_size(&mut self) -> Result<(usize, usize), Limit> {
        self.refining.abstraction.whole_size(&mut self.space)
    }

    /// Where the languages live.
    pub fn languages(&mut self) -> &mut Languages {
        &mut self.space.languages
    }
}
