//! The same questions, answered by the product of all components, with no proof and no abstraction.

use super::{Question, atoms_of, event_bit, search};
use crate::Refusal;
use crate::pace::Pace;
use crate::temporal::product::{Move, Moving, Place};
use model::claim::AtomSet;
use model::composition::{Atom, Composition, Stepper};
use model::context::Context;
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
        Question::Progress(wanted) => super::progress::keeps(&mut plain, wanted),
        Question::Formula(formula) => match search(&mut plain, formula, &atoms, cx) {
            Ok(()) => Ok(true),
            Err(Refusal::Violated(_)) => Ok(false),
            Err(refusal) => Err(refusal),
        },
    }
}

/// The states of the product, as far as somebody asked.
pub(super) struct Plain<'a> {
    pub(super) composition: &'a Composition,
    stepper: Stepper<'a>,
    atoms: &'a [Atom],
    pub(super) states: Vec<Rc<[u32]>>,
    index: HashMap<Rc<[u32]>, u32>,
    clock: Pace<'a>,
}

impl<'a> Plain<'a> {
    fn new(composition: &'a Composition, atoms: &'a [Atom], clock: Pace<'a>) -> Self {
        let (stepper, states, index) = (Stepper::new(composition), Vec::new(), HashMap::new());
        let mut plain = Plain { composition, stepper, atoms, states, index, clock };
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

    /// Where a state leads.
    pub(super) fn next(&mut self, state: &[u32]) -> Result<Vec<(model::ids::EventId, u32)>, Refusal> {
        let mut next = Vec::new();
        self.stepper.steps(state, &mut |step, to| next.push((step.event(), to.to_vec())));
        self.clock.spend(0)?;
        Ok(next.into_iter().map(|(event, to)| (event, self.number(&to))).collect())
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

impl Moving for Plain<'_> {
    fn initial(&mut self) -> Result<Vec<u32>, Refusal> {
        Ok((0..self.composition.initial_states().len() as u32).collect())
    }

    fn place(&mut self, state: u32, _: &Context<'_>) -> Result<Rc<Place>, Refusal> {
        let state = Rc::clone(&self.states[state as usize]);
        let holds = |&(_, atom): &(usize, &Atom)| self.composition.holds(*atom, &state, TAU);
        let holds = self.atoms.iter().enumerate().filter(holds).map(|(bit, _)| (1 as AtomSet) << bit).sum();
        let atoms = self.atoms;
        let step = |(event, to)| Move { to, events: event_bit(atoms, event), ..Move::default() };
        let moves = self.next(&state)?.into_iter().map(step).collect();
        Ok(Rc::new(Place { holds, moves, ..Place::default() }))
    }
}
