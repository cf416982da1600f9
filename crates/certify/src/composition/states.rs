//! The states of a node, and the steps between them.
//!
//! Of a leaf they are the states of its component that it can reach alone; of an inner node, the tuples of classes of its
//! parts that can be reached when the parts' abstractions are composed. A step without a name is of one part alone; any
//! other event needs all parts that know it. Nothing happens in a wrong state.

use super::classes::Abstraction;
use super::malformed;
use super::ready::{Closed, Parallel, ReadySets};
use crate::Refusal;
use crate::pace::Pace;
use model::claim::AtomSet;
use model::composition::{Atom, Component};
use model::composition_proof::READY_TO_END;
use model::structure::{Ending, TAU};
use std::collections::HashMap;
use std::rc::Rc;

/// What is looked at, and what must not be found.
pub(super) struct Settings<'a> {
    /// What the formula speaks of.
    pub atoms: &'a [Atom],
    /// What happens by itself if all are ready.
    pub closed: Closed,
    /// Ready sets are wanted.
    pub ready: bool,
    /// The states are wanted, with their steps; else it is enough that they were looked at.
    pub kept: bool,
    /// A wrong state may be reached.
    pub wrong: bool,
    /// A state that may be stuck may be reached.
    pub stuck: bool,
}

/// The states of a node.
pub(super) struct States {
    /// The events that the node knows.
    pub alphabet: Vec<u32>,
    /// The first ones.
    pub initial: Vec<u32>,
    /// By number: what it is called in the proof, the state of the component or the classes of the parts.
    pub names: Vec<Rc<[u32]>>,
    /// By number.
    pub list: Vec<State>,
}

/// One of them.
#[derive(Default)]
pub(super) struct State {
    /// Its steps: an event, and the next state.
    pub moves: Vec<(u32, u32)>,
    /// The propositions of the formula that hold.
    pub holds: AtomSet,
    /// A component is in an error.
    pub wrong: bool,
    /// What it is ready to do.
    pub ready: ReadySets,
}

/// States that are found and have numbers.
#[derive(Default)]
struct Found {
    keys: Vec<Rc<[u32]>>,
    index: HashMap<Rc<[u32]>, u32>,
}

impl Found {
    fn number(&mut self, key: &[u32]) -> Result<u32, Refusal> {
        if let Some(&number) = self.index.get(key) {
            return Ok(number);
        }
        let number =
            u32::try_from(self.keys.len()).map_err(|_| Refusal::Unfinished(String::from("too many states")))?;
        let key: Rc<[u32]> = key.into();
        self.keys.push(Rc::clone(&key));
        self.index.insert(key, number);
        Ok(number)
    }
}

impl Settings<'_> {
    fn accept(&self, state: &State) -> Result<(), Refusal> {
        if state.wrong && !self.wrong {
            return Err(Refusal::TooCoarse(String::from("it reaches an error")));
        }
        if !state.ready.is_empty() && !self.stuck {
            return Err(Refusal::TooCoarse(String::from("it reaches a state in which nothing need be able to happen")));
        }
        Ok(())
    }
}

/// The states of a leaf.
pub(super) fn of_component(
    component: &Component,
    settings: &Settings<'_>,
    clock: &Pace<'_>,
) -> Result<States, Refusal> {
    let structure = &component.structure;
    let alphabet: Vec<u32> = structure.alphabet().iter().map(|event| event.0).collect();
    let parallel = Parallel::new(&settings.closed, [alphabet.as_slice()].into_iter());
    let mut found = Found::default();
    let initial = structure.initial().iter().map(|&state| found.number(&[state]));
    let initial = initial.collect::<Result<_, _>>()?;
    let (mut list, mut looked_at): (Vec<State>, usize) = (Vec::new(), 0);
    while let Some(at) = found.keys.get(looked_at).map(|key| key[0]) {
        clock.spend(0)?;
        looked_at += 1;
        let wrong = structure.ending(at) == Ending::Error;
        let mut state = State { wrong, ..State::default() };
        for (bit, atom) in settings.atoms.iter().enumerate() {
            let holds = matches!(atom, Atom::Proposition(proposition) if structure.holds(at, *proposition));
            state.holds |= AtomSet::from(holds) << bit;
        }
        for step in structure.moves(at).iter().filter(|_| !wrong) {
            let to = found.number(&[step.to])?;
            if settings.kept {
                state.moves.push((step.event.0, to));
            }
        }
        let moves_alone = structure.moves(at).iter().any(|step| step.event == TAU);
        if settings.ready && !wrong && !moves_alone {
            let end = (structure.ending(at) == Ending::Done).then_some(READY_TO_END);
            let own = ReadySets::one(structure.moves(at).iter().map(|step| step.event.0).chain(end).collect());
            state.ready = parallel.sets(&[&own], clock)?;
        }
        settings.accept(&state)?;
        if settings.kept {
            list.push(state);
        }
    }
    Ok(States { alphabet, initial, names: found.keys, list })
}

/// The states of an inner node.
pub(super) fn of_parts(parts: &[Abstraction], settings: &Settings<'_>, clock: &Pace<'_>) -> Result<States, Refusal> {
    let parallel = Parallel::new(&settings.closed, parts.iter().map(|part| part.alphabet.as_slice()));
    let participants = participants(parts);
    let mut found = Found::default();
    let mut initial = Vec::new();
    for tuple in choices(parts.iter().map(|part| part.initial.iter().copied()), clock)? {
        initial.push(found.number(&tuple)?);
    }
    let (mut list, mut looked_at): (Vec<State>, usize) = (Vec::new(), 0);
    while let Some(tuple) = found.keys.get(looked_at).cloned() {
        clock.spend(0)?;
        looked_at += 1;
        let mut state = State::default();
        for (part, &class) in parts.iter().zip(&*tuple) {
            state.holds |= part.classes[class as usize].holds;
            state.wrong |= part.classes[class as usize].wrong;
        }
        if settings.ready && !state.wrong {
            let own = parts.iter().zip(&*tuple).map(|(part, &class)| &part.classes[class as usize].ready);
            state.ready = parallel.sets(&own.collect::<Vec<_>>(), clock)?;
        }
        settings.accept(&state)?;
        if !state.wrong {
            steps(parts, &participants, &tuple, clock, &mut |event, next| {
                let to = found.number(next)?;
                if settings.kept {
                    state.moves.push((event, to));
                }
                Ok(())
            })?;
        }
        if settings.kept {
            list.push(state);
        }
    }
    if !settings.kept {
        return Ok(States { alphabet: Vec::new(), initial, names: Vec::new(), list });
    }
    let number = |(part, &class): (&Abstraction, &u32)| part.classes[class as usize].number;
    let names = found.keys.iter().map(|key| parts.iter().zip(&**key).map(number).collect()).collect();
    let alphabet = (0..).zip(&participants).filter(|(_, parts)| !parts.is_empty()).map(|(event, _)| event).collect();
    Ok(States { alphabet, initial, names, list })
}

/// By event, the parts that know it.
fn participants(parts: &[Abstraction]) -> Vec<Vec<usize>> {
    let last = parts.iter().filter_map(|part| part.alphabet.last()).max();
    let mut participants = vec![Vec::new(); last.map_or(0, |&event| event as usize + 1)];
    for (index, part) in parts.iter().enumerate() {
        for &event in &part.alphabet {
            participants[event as usize].push(index);
        }
    }
    participants
}

/// Hears of a step: the event, and the next tuple.
type Visit<'v> = &'v mut dyn FnMut(u32, &[u32]) -> Result<(), Refusal>;

/// Visits every step of a tuple.
fn steps(
    parts: &[Abstraction],
    participants: &[Vec<usize>],
    tuple: &[u32],
    clock: &Pace<'_>,
    visit: Visit<'_>,
) -> Result<(), Refusal> {
    let mut next = tuple.to_vec();
    for (index, part) in parts.iter().enumerate() {
        let mut last = None;
        for &(event, to) in &part.classes[tuple[index] as usize].moves {
            if event == TAU.0 {
                next[index] = to;
                visit(event, &next)?;
                next[index] = tuple[index];
                continue;
            }
            // An event is looked at once, with the first part that knows it.
            let together = participants.get(event as usize).ok_or_else(|| malformed("a step with an unknown event"))?;
            if last == Some(event) || together.first() != Some(&index) {
                continue;
            }
            last = Some(event);
            if together.iter().any(|&other| parts[other].targets(tuple[other], event).is_empty()) {
                continue;
            }
            let targets = together.iter().map(|&other| parts[other].targets(tuple[other], event));
            for choice in choices(targets.map(|targets| targets.iter().map(|step| step.1)), clock)? {
                for (&other, to) in together.iter().zip(choice) {
                    next[other] = to;
                }
                visit(event, &next)?;
            }
            together.iter().for_each(|&other| next[other] = tuple[other]);
        }
    }
    Ok(())
}

/// Every choice of one from each.
fn choices(
    from: impl Iterator<Item = impl Iterator<Item = u32> + Clone>,
    clock: &Pace<'_>,
) -> Result<Vec<Vec<u32>>, Refusal> {
    let mut all: Vec<Vec<u32>> = vec![Vec::new()];
    for options in from {
        let mut longer = Vec::with_capacity(all.len());
        for choice in &all {
            for option in options.clone() {
                clock.spend(0)?;
                longer.push([choice.as_slice(), &[option]].concat());
            }
        }
        all = longer;
    }
    Ok(all)
}
