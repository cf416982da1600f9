//! The same questions, answered by the product of all components, with no proof and no abstraction.
//!
//! Of fair runs, whoever can move in a state requests a turn; under fair choice, these are the steps of a state.

use super::{Question, atoms_of, event_bit};
use crate::Refusal;
use crate::pace::Pace;
use crate::temporal::product::{Atoms, Branches, Debt, Move, Moving, Place, Processes, Product, Watch};
use crate::temporal::settled::Account;
use crate::temporal::tableau::Tableau;
use model::claim::AtomSet;
use model::composition::{Atom, Composition, StepLabel, Stepper};
use model::context::Context;
use model::fairness::Fairness;
use model::ids::EventId;
use model::structure::TAU;
use std::collections::HashMap;
use std::rc::Rc;

/// Whether the answer to a question is yes.
pub fn decide(composition: &Composition, question: Question<'_>, cx: &Context<'_>) -> Result<bool, Refusal> {
    let atoms = atoms_of(question)?;
    let clock = Pace::new(cx);
    let mut plain = Plain::new(composition, &atoms, clock);
    match question {
        Question::Deadlock => plain.all(&mut |stepper, state| !stepper.is_stuck(state)),
        Question::Safety => plain.all(&mut |_, state| !composition.is_wrong(state)),
        Question::Progress(wanted, fair) => super::progress::keeps(&mut plain, wanted, fair, cx),
        Question::Formula(formula) | Question::Fair(formula, _) => {
            plain.fair = question.fair();
            plain.has_no_run(&mut Tableau::of_negation(formula, &atoms), cx)
        }
    }
}

/// The states of the product, as far as somebody asked.
pub(super) struct Plain<'a> {
    pub(super) composition: &'a Composition,
    stepper: Stepper<'a>,
    atoms: &'a [Atom],
    /// Other events that are heard: a bit for each of these sets, if there are no atoms.
    pub(super) heard: Vec<Vec<EventId>>,
    /// Which runs count.
    pub(super) fair: Fairness,
    pub(super) states: Vec<Rc<[u32]>>,
    places: HashMap<u32, Rc<Place>>,
    /// The steps of all places.
    steps: u32,
    index: HashMap<Rc<[u32]>, u32>,
    clock: Pace<'a>,
}

impl<'a> Plain<'a> {
    fn new(composition: &'a Composition, atoms: &'a [Atom], clock: Pace<'a>) -> Self {
        let (stepper, states, index) = (Stepper::new(composition), Vec::new(), HashMap::new());
        let (heard, fair, places, steps) = (Vec::new(), Fairness::None, HashMap::new(), 0);
        let mut plain = Plain { composition, stepper, atoms, heard, fair, states, places, steps, index, clock };
        for state in composition.initial_states() {
            plain.number(&state);
        }
        plain
    }

    fn number(&mut self, state: &[u32]) -> u32 {
        if let Some(&number) = self.index.get(state) {
            return number;
        }
        let (number, state): (u32, Rc<[u32]>) = (self.states.len() as u32, state.into());
        self.states.push(Rc::clone(&state));
        self.index.insert(state, number);
        number
    }

    /// Whether an automaton accepts no run that is fair.
    pub(super) fn has_no_run(&mut self, watch: &mut dyn Watch, cx: &Context<'_>) -> Result<bool, Refusal> {
        let mut watch = Fairly { watch, fair: self.fair };
        match Product::new(self, &mut watch).search(cx)?.is_empty() {
            Ok(()) => Ok(true),
            Err(Refusal::Violated(_)) => Ok(false),
            Err(refusal) => Err(refusal),
        }
    }

    /// Where a state leads.
    pub(super) fn next(&mut self, state: &[u32]) -> Result<Vec<(StepLabel, u32)>, Refusal> {
        let mut next = Vec::new();
        self.stepper.steps(state, &mut |step, to| next.push((step, to.to_vec())));
        self.clock.spend(0)?;
        Ok(next.into_iter().map(|(step, to)| (step, self.number(&to))).collect())
    }

    /// Who moves in a step: its participants, or, under fair choice, a number that only this step has.
    fn moved(&mut self, step: StepLabel) -> Processes {
        self.steps += 1;
        match (self.fair, step) {
            (Fairness::Choice, _) => Processes::from([self.steps]),
            (_, StepLabel::Event(event)) => self.stepper.participants(event).iter().copied().collect(),
            (_, StepLabel::Silent { component }) => Processes::from([component]),
        }
    }

    fn bits(&self, event: EventId) -> AtomSet {
        let heard = self.heard.iter().enumerate().filter(|(_, events)| events.contains(&event));
        event_bit(self.atoms, event) | heard.map(|(bit, _)| (1 as AtomSet) << bit).sum::<AtomSet>()
    }

    /// The steps of all states.
    pub(super) fn graph(&mut self) -> Result<Vec<Vec<(EventId, u32)>>, Refusal> {
        let mut graph: Vec<Vec<(EventId, u32)>> = Vec::new();
        while let Some(state) = self.states.get(graph.len()).cloned() {
            graph.push(self.next(&state)?.into_iter().map(|(step, to)| (step.event(), to)).collect());
        }
        Ok(graph)
    }

    /// Other events are heard now.
    pub(super) fn forget(&mut self) {
        self.places.clear();
    }

    /// No run ends but where all have done their work.
    pub(super) fn never_ends_badly(&mut self) -> Result<bool, Refusal> {
        let composition = self.composition;
        self.all(&mut |stepper, state| !composition.is_wrong(state) && !stepper.is_stuck(state))
    }

    /// Whether something holds in all states.
    fn all(&mut self, holds: &mut dyn FnMut(&mut Stepper<'a>, &[u32]) -> bool) -> Result<bool, Refusal> {
        let mut looked_at = 0;
        while let Some(state) = self.states.get(looked_at).cloned() {
            if !holds(&mut self.stepper, &state) {
                return Ok(false);
            }
            self.next(&state)?;
            looked_at += 1;
        }
        Ok(true)
    }
}

/// An automaton of which only fair runs count.
struct Fairly<'w> {
    watch: &'w mut dyn Watch,
    fair: Fairness,
}

impl Watch for Fairly<'_> {
    fn initial(&self) -> u32 {
        self.watch.initial()
    }

    fn steps(&mut self, at: u32, atoms: Atoms) -> Result<Branches, Refusal> {
        self.watch.steps(at, atoms)
    }

    fn also(&self, account: &mut Account<Debt>, _: Atoms, place: &Place, moved: &Processes) -> Result<(), Refusal> {
        place.give_turns(account, self.fair, moved);
        Ok(())
    }

    fn ends(&self, at: u32, atoms: Atoms) -> Result<bool, Refusal> {
        self.watch.ends(at, atoms)
    }
}

impl Moving for Plain<'_> {
    fn initial(&mut self) -> Result<Vec<u32>, Refusal> {
        Ok((0..self.composition.initial_states().len() as u32).collect())
    }

    fn place(&mut self, number: u32, _: &Context<'_>) -> Result<Rc<Place>, Refusal> {
        if let Some(place) = self.places.get(&number) {
            return Ok(Rc::clone(place));
        }
        let state = Rc::clone(&self.states[number as usize]);
        let holds = |&(_, atom): &(usize, &Atom)| self.composition.holds(*atom, &state, TAU);
        let holds = self.atoms.iter().enumerate().filter(holds).map(|(bit, _)| (1 as AtomSet) << bit).sum();
        let next = self.next(&state)?;
        let step = |(step, to): (StepLabel, u32)| Move { to, events: self.bits(step.event()), moved: self.moved(step) };
        let moves: Vec<Move> = next.into_iter().map(step).collect();
        let enabled = moves.iter().flat_map(|step| &step.moved).copied().collect();
        let place = Rc::new(Place { holds, moves, enabled, ..Place::default() });
        self.places.insert(number, Rc::clone(&place));
        Ok(place)
    }
}
