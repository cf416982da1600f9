//! Compositions: structures in parallel, and what they can do together.
//!
//! The parallel composition of the MAGIC paper (section 3.3), which is that of CSP: an event happens when *all* components
//! that have it in their alphabet take part, each by one of its steps; the others stay where they are. A state of the
//! composition is a state of each component, and nothing else: components share no variables.
//!
//! A state is *done* when every component has done its work, *wrong* when one of them is in an error, and *stuck* (a
//! deadlock) when nothing can happen although it is neither done nor wrong. Nothing happens in a wrong state.
//!
//! A formula speaks of infinite runs only (section 4): at each position of the states' propositions and of the event that
//! happens next. A step without a name is a position like any other, and no event atom holds there.

use crate::fairness::Fairness;
use crate::formula::Ltl;
use crate::ids::{EventId, PropositionId};
use crate::source::Span;
use crate::structure::{Ending, Structure, TAU};
use crate::verdict::Property;

/// Structures in parallel.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Composition {
    /// Its name in the source.
    pub name: String,
    /// The components, in the order of the source.
    pub components: Vec<Component>,
    /// The events, by number.
    pub events: Vec<Named>,
    /// The propositions, by number.
    pub propositions: Vec<Named>,
    /// The property.
    pub formulas: Vec<Requirement>,
    /// What must happen infinitely often; without a name: everything.
    pub progress: Vec<Progress>,
}

/// Events that must happen infinitely often under fair choice: if a choice comes again and again, so does each of its
/// outcomes. A run then ends up in a set of states that it cannot leave and all of whose steps it takes again and again; from
/// *every* set, an event must happen there. A run that gets stuck or into an error violates it, one that is done does not.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Progress {
    /// Its name.
    pub name: String,
    /// Where it is written.
    pub span: Span,
    /// It is about sets where one of these events happens; about all if there is no condition.
    pub condition: Option<Vec<EventId>>,
    /// From each of these, an event.
    pub sets: Vec<Vec<EventId>>,
}

/// What is asked of a composition.
#[derive(Clone, Copy, Debug)]
pub enum Question<'a> {
    /// Nothing gets stuck.
    Deadlock,
    /// No component gets into an error.
    Safety,
    /// Every infinite run keeps a formula.
    Formula(&'a Ltl<Atom>),
    /// Every infinite run that is fair keeps a formula.
    Fair(&'a Ltl<Atom>, Fairness),
    /// Some events happen again and again on every fair run, and no run comes to a bad end before.
    Progress(&'a Progress, Fairness),
}

impl Question<'_> {
    /// The formula that it is about.
    pub fn formula(&self) -> Option<&Ltl<Atom>> {
        match *self {
            Question::Formula(formula) | Question::Fair(formula, _) => Some(formula),
            _ => None,
        }
    }

    /// Which runs it is about.
    pub fn fair(&self) -> Fairness {
        match *self {
            Question::Fair(_, fair) | Question::Progress(_, fair) => fair,
            _ => Fairness::None,
        }
    }
}

/// A structure with a name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Component {
    /// As a user would write it: `phil[2]`, `a:P`.
    pub name: String,
    /// What it does.
    pub structure: Structure,
    /// The name of each state, where there are names: a local process such as `Q[1]`.
    pub state_names: Vec<String>,
    /// Where each state is written, where that is known.
    pub state_spans: Vec<Span>,
    /// Where it is written.
    pub span: Span,
}

/// A name, and where it is first written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Named {
    /// The name.
    pub name: String,
    /// Where.
    pub span: Span,
}

/// A formula with a name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Requirement {
    /// Its name, or its text if it has none.
    pub name: String,
    /// What it says.
    pub formula: Ltl<Atom>,
    /// Where it is written.
    pub span: Span,
}

/// What formulas about compositions are made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, PartialOrd, Ord)]
pub enum Atom {
    /// The proposition holds in the state of a component.
    Proposition(PropositionId),
    /// The event happens next.
    Event(EventId),
}

impl Component {
    /// The name of a state: that of the source, or its number.
    pub fn state_name(&self, state: u32) -> String {
        self.state_names.get(state as usize).cloned().unwrap_or_else(|| state.to_string())
    }

    /// Where a state is written, as far as that is known.
    pub fn state_span(&self, state: u32) -> Span {
        self.state_spans.get(state as usize).copied().unwrap_or(self.span)
    }
}

impl Composition {
    /// A formula by its name.
    pub fn requirement(&self, name: &str) -> Option<&Requirement> {
        self.formulas.iter().find(|formula| formula.name == name)
    }

    /// The question that a property is, about runs that are fair in a sense. Progress is about fair choice, if nothing else is
    /// said.
    pub fn question(&self, property: &Property, fair: Fairness) -> Option<Question<'_>> {
        match property {
            Property::Deadlock => Some(Question::Deadlock),
            Property::Safety => Some(Question::Safety),
            Property::Ltl(name) if fair.is_assumed() => {
                self.requirement(name).map(|found| Question::Fair(&found.formula, fair))
            }
            Property::Ltl(name) => self.requirement(name).map(|found| Question::Formula(&found.formula)),
            Property::Progress(name) => {
                let fair = if fair.is_assumed() { fair } else { Fairness::Choice };
                self.progress.iter().find(|p| p.name == *name).map(|found| Question::Progress(found, fair))
            }
            _ => None,
        }
    }

    /// The question that a run may answer for a property, whichever runs were asked about.
    pub fn question_of(&self, run: &Run, property: &Property) -> Option<Question<'_>> {
        let fair = match property {
            // Infinite runs that miss progress are at least weakly fair.
            Property::Progress(_) if run.loop_from.is_some() => Fairness::Weak,
            _ => Fairness::None,
        };
        self.question(property, fair)
    }

    /// Whether a component has an error state.
    pub fn has_errors(&self) -> bool {
        self.components.iter().any(|component| {
            let structure = &component.structure;
            (0..structure.states() as u32).any(|state| structure.ending(state) == Ending::Error)
        })
    }

    /// The name of an event.
    pub fn event_name(&self, event: EventId) -> &str {
        if event == TAU { "tau" } else { self.events.get(event.index()).map_or("?", |event| &event.name) }
    }

    /// All first states: every choice of a first state for each component, in order.
    pub fn initial_states(&self) -> Vec<Vec<u32>> {
        let mut states = vec![Vec::with_capacity(self.components.len())];
        for component in &self.components {
            let firsts = component.structure.initial();
            let longer = |state: &Vec<u32>, first: &u32| state.iter().chain([first]).copied().collect();
            states = states.iter().flat_map(|state| firsts.iter().map(move |first| longer(state, first))).collect();
        }
        states
    }

    /// Every component has done its work.
    pub fn is_done(&self, state: &[u32]) -> bool {
        self.endings(state).all(|ending| ending == Ending::Done)
    }

    /// A component is in an error.
    pub fn is_wrong(&self, state: &[u32]) -> bool {
        self.endings(state).any(|ending| ending == Ending::Error)
    }

    fn endings(&self, state: &[u32]) -> impl Iterator<Item = Ending> {
        self.components.iter().zip(state).map(|(component, &at)| component.structure.ending(at))
    }

    /// Whether an atom holds in a state from which `event` happens.
    pub fn holds(&self, atom: Atom, state: &[u32], event: EventId) -> bool {
        match atom {
            Atom::Event(wanted) => wanted == event,
            Atom::Proposition(proposition) => {
                self.components.iter().zip(state).any(|(component, &at)| component.structure.holds(at, proposition))
            }
        }
    }
}

/// What a composition can do, state by state. It has room for a step, so that none is requested again.
#[derive(Clone, Debug)]
pub struct Stepper<'c> {
    composition: &'c Composition,
    /// By event, the components that take part.
    participants: Vec<Vec<u32>>,
    next: Vec<u32>,
}

impl<'c> Stepper<'c> {
    /// Looks at who takes part in what.
    pub fn new(composition: &'c Composition) -> Self {
        let mut participants = vec![Vec::new(); composition.events.len()];
        for (index, component) in composition.components.iter().enumerate() {
            for event in component.structure.alphabet() {
                participants[event.index()].push(index as u32);
            }
        }
        Stepper { composition, participants, next: Vec::new() }
    }

    /// The components that take part in an event. None for [`TAU`], which is of one component alone.
    pub fn participants(&self, event: EventId) -> &[u32] {
        self.participants.get(event.index()).map_or(&[], Vec::as_slice)
    }

    /// Visits every step: what happens, and the state that it leads to. A step without a name also says whose it is.
    pub fn steps(&mut self, state: &[u32], visit: &mut dyn FnMut(StepLabel, &[u32])) {
        if self.composition.is_wrong(state) {
            return;
        }
        for (index, component) in self.composition.components.iter().enumerate() {
            let mut last = None;
            for step in component.structure.moves(state[index]) {
                if step.event == TAU {
                    self.next.clear();
                    self.next.extend_from_slice(state);
                    self.next[index] = step.to;
                    visit(StepLabel::Silent { component: index as u32 }, &self.next);
                } else if last != Some(step.event) {
                    // An event is looked at when its first participant is.
                    last = Some(step.event);
                    let participants = &self.participants[step.event.index()];
                    if participants.first() == Some(&(index as u32)) && self.is_enabled(state, step.event) {
                        self.next.clear();
                        self.next.extend_from_slice(state);
                        let mut next = std::mem::take(&mut self.next);
                        self.together(state, step.event, 0, &mut next, visit);
                        self.next = next;
                    }
                }
            }
        }
    }

    /// Whether an event can happen.
    pub fn is_enabled(&self, state: &[u32], event: EventId) -> bool {
        let participants = self.participants(event);
        let ready = |&p: &u32| {
            let structure = &self.composition.components[p as usize].structure;
            !structure.moves_with(state[p as usize], event).is_empty()
        };
        !participants.is_empty() && participants.iter().all(ready)
    }

    /// Whether a step leads from one state to another.
    pub fn is_step(&self, from: &[u32], step: StepLabel, to: &[u32]) -> bool {
        let alone;
        let movers: &[u32] = match step {
            StepLabel::Event(event) => self.participants(event),
            StepLabel::Silent { component } => {
                alone = [component];
                &alone
            }
        };
        let moves = |&who: &u32| {
            let Some(component) = self.composition.components.get(who as usize) else { return false };
            let taken = component.structure.moves_with(from[who as usize], step.event());
            taken.iter().any(|m| m.to == to[who as usize])
        };
        let stays = |who: usize| from[who] == to[who] || movers.contains(&(who as u32));
        from.len() == to.len()
            && !movers.is_empty()
            && !self.composition.is_wrong(from)
            && movers.iter().all(moves)
            && (0..from.len()).all(stays)
    }

    /// Every combination of the participants' steps.
    fn together(
        &self,
        state: &[u32],
        event: EventId,
        from: usize,
        next: &mut Vec<u32>,
        visit: &mut dyn FnMut(StepLabel, &[u32]),
    ) {
        let Some(&participant) = self.participants[event.index()].get(from) else {
            return visit(StepLabel::Event(event), next);
        };
        let at = participant as usize;
        for step in self.composition.components[at].structure.moves_with(state[at], event) {
            next[at] = step.to;
            self.together(state, event, from + 1, next, visit);
        }
    }

    /// Nothing can happen, although the state is neither done nor wrong.
    pub fn is_stuck(&mut self, state: &[u32]) -> bool {
        if self.composition.is_done(state) || self.composition.is_wrong(state) {
            return false;
        }
        let mut stuck = true;
        self.steps(state, &mut |_, _| stuck = false);
        stuck
    }
}

/// What happens in a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, PartialOrd, Ord)]
pub enum StepLabel {
    /// An event, and every component who has it takes part.
    Event(EventId),
    /// A step without a name.
    Silent {
        /// Whose.
        component: u32,
    },
}

impl StepLabel {
    /// The event; [`TAU`] if it has no name.
    pub fn event(self) -> EventId {
        match self {
            StepLabel::Event(event) => event,
            StepLabel::Silent { .. } => TAU,
        }
    }
}

/// A run of a composition. It starts in `states[0]`, and step *i* leads to `states[i + 1]`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Run {
    /// The states that it goes through.
    pub states: Vec<Vec<u32>>,
    /// What happens in between.
    pub steps: Vec<StepLabel>,
    /// For an infinite run: the last state is that of this place, and it goes on from there.
    pub loop_from: Option<usize>,
}

impl Run {
    /// Whether it is a run of the composition: it starts in a first state, and every step is one.
    pub fn replays(&self, composition: &Composition) -> bool {
        let stepper = Stepper::new(composition);
        let Some(first) = self.states.first() else { return false };
        let begins = first.len() == composition.components.len()
            && composition.components.iter().zip(first).all(|(c, at)| c.structure.initial().contains(at));
        let closes = self.loop_from.is_none_or(|at| at < self.steps.len() && self.states.get(at) == self.states.last());
        begins
            && closes
            && self.states.len() == self.steps.len() + 1
            && self
                .steps
                .iter()
                .zip(self.states.windows(2))
                .all(|(&step, pair)| stepper.is_step(&pair[0], step, &pair[1]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::FileId;
    use crate::structure::{Move, StateParts};

    fn composition(alphabets: &[&[u32]], moves: &[&[(u32, u32, u32)]]) -> Composition {
        let span = Span::new(FileId(0), 0, 0);
        let component = |(alphabet, moves): (&&[u32], &&[(u32, u32, u32)])| {
            let count = moves.iter().flat_map(|&(from, _, to)| [from, to]).max().unwrap_or(0) + 1;
            let state = |state: u32| StateParts {
                moves: moves
                    .iter()
                    .filter(|m| m.0 == state)
                    .map(|&(_, event, to)| Move { event: EventId(event), to })
                    .collect(),
                ..StateParts::default()
            };
            let structure =
                Structure::new(alphabet.iter().map(|&e| EventId(e)), vec![0], (0..count).map(state).collect());
            Component { name: String::new(), structure, state_names: Vec::new(), state_spans: Vec::new(), span }
        };
        let events = (0..10).map(|event| Named { name: format!("e{event}"), span }).collect();
        Composition {
            components: alphabets.iter().zip(moves).map(component).collect(),
            events,
            ..Composition::default()
        }
    }

    fn steps(composition: &Composition, state: &[u32]) -> Vec<(EventId, Vec<u32>)> {
        let mut found = Vec::new();
        Stepper::new(composition).steps(state, &mut |step, next| found.push((step.event(), next.to_vec())));
        found
    }

    #[test]
    fn a_shared_event_needs_all_who_have_it() {
        let both = composition(&[&[], &[]], &[&[(0, 1, 1), (0, 2, 0)], &[(0, 1, 0), (0, 1, 1), (1, 3, 0)]]);
        let found = steps(&both, &[0, 0]);
        assert_eq!(found, [(EventId(1), vec![1, 0]), (EventId(1), vec![1, 1]), (EventId(2), vec![0, 0])]);
        assert_eq!(steps(&both, &[1, 1]), [(EventId(3), vec![1, 0])]);
        assert!(Stepper::new(&both).is_stuck(&[1, 0]));
    }

    #[test]
    fn who_has_an_event_in_its_alphabet_can_refuse_it_forever() {
        let refused = composition(&[&[], &[1]], &[&[(0, 1, 0)], &[(0, 2, 0)]]);
        assert_eq!(steps(&refused, &[0, 0]), [(EventId(2), vec![0, 0])]);
    }

    #[test]
    fn a_run_is_replayed_step_by_step() {
        let both = composition(&[&[], &[]], &[&[(0, 1, 1), (1, 2, 0)], &[(0, 1, 0)]]);
        let mut stepper = Stepper::new(&both);
        for from in [[0, 0], [1, 0]] {
            let mut found = Vec::new();
            stepper.steps(&from, &mut |step, to| found.push((step, to.to_vec())));
            for to in [[0, 0], [1, 0]] {
                for step in (0..4).map(|e| StepLabel::Event(EventId(e))).chain([StepLabel::Silent { component: 0 }]) {
                    let listed = found.contains(&(step, to.to_vec()));
                    assert_eq!(stepper.is_step(&from, step, &to), listed, "{from:?} {step:?} {to:?}");
                }
            }
        }
        let event = |e: u32| StepLabel::Event(EventId(e));
        let states = vec![vec![0, 0], vec![1, 0], vec![0, 0]];
        let run = Run { states, steps: vec![event(1), event(2)], loop_from: Some(0) };
        assert!(run.replays(&both));
        assert!(!Run { steps: vec![event(2), event(1)], ..run.clone() }.replays(&both));
        assert!(!Run { loop_from: Some(1), ..run }.replays(&both));
    }
}
