//! The existential quotient: states in classes, steps between classes.
//!
//! A class has a step where one of its states has one (section 3.2 of the MAGIC paper). Its states agree in the propositions
//! of the formula and in being wrong; it is ready for whatever one of them is ready for, set by set. What is hidden has
//! no name from here on. Steps without names from a class to itself count for some questions only ([`Stuttering`]).

use super::ready::ReadySets;
use super::states::States;
use super::{event_bit, malformed};
use crate::Refusal;
use crate::pace::Pace;
use crate::temporal::product::{Move, Moving, Place};
use model::claim::AtomSet;
use model::composition::Atom;
use model::composition_proof::Node;
use model::context::Context;
use model::ids::EventId;
use model::structure::TAU;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

/// The abstraction of a node.
#[derive(Default)]
pub(super) struct Abstraction {
    /// The events that it knows and that have names still, in order.
    pub alphabet: Vec<u32>,
    /// Where it begins.
    pub initial: Vec<u32>,
    /// Its states.
    pub classes: Vec<Class>,
}

/// A class of states.
#[derive(Default)]
pub(super) struct Class {
    /// Its number in the proof.
    pub number: u32,
    /// Its steps, by event.
    pub moves: Vec<(u32, u32)>,
    /// The propositions of the formula that hold.
    pub holds: AtomSet,
    /// A component is in an error.
    pub wrong: bool,
    /// What its states are ready to do.
    pub ready: ReadySets,
}

impl Abstraction {
    /// The steps of a class with an event.
    pub(super) fn targets(&self, class: u32, event: u32) -> &[(u32, u32)] {
        let moves = &self.classes[class as usize].moves;
        let from = moves.partition_point(|step| step.0 < event);
        let to = moves.partition_point(|step| step.0 <= event);
        &moves[from..to]
    }
}

/// Which steps without names from a class to itself count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stuttering {
    /// All: the formula may count them.
    Visible,
    /// Only those of classes that can be silent forever.
    Divergence,
    /// None.
    Ignored,
}

/// Puts states into the classes of a node.
pub(super) fn quotient(
    states: States,
    node: &Node,
    stuttering: Stuttering,
    clock: &Pace<'_>,
) -> Result<Abstraction, Refusal> {
    let hidden: HashSet<u32> = node.hidden.iter().copied().collect();
    let numbers = numbers(&states, node)?;
    let mut index: HashMap<u32, u32> = HashMap::new();
    let mut classes: Vec<Class> = Vec::new();
    let mut class_of = Vec::with_capacity(numbers.len());
    for (state, &number) in states.list.iter().zip(&numbers) {
        let fresh = classes.len() as u32;
        let class = *index.entry(number).or_insert(fresh);
        if class == fresh {
            classes.push(Class { number, holds: state.holds, wrong: state.wrong, ..Class::default() });
        }
        let known = &classes[class as usize];
        if known.holds != state.holds {
            return Err(malformed(format!("the states of class {number} differ in the propositions that hold")));
        }
        if known.wrong != state.wrong {
            return Err(malformed(format!("some states of class {number} are errors, and some are not")));
        }
        class_of.push(class);
    }
    let stays = match stuttering {
        Stuttering::Visible => vec![true; classes.len()],
        Stuttering::Divergence => silent_cycles(&states, &hidden, &class_of, classes.len(), clock)?,
        Stuttering::Ignored => vec![false; classes.len()],
    };
    for (state, &class) in states.list.into_iter().zip(&class_of) {
        let known = &mut classes[class as usize];
        known.ready.extend(state.ready, clock)?;
        for (event, to) in state.moves {
            clock.spend(0)?;
            let event = if hidden.contains(&event) { TAU.0 } else { event };
            let to = class_of[to as usize];
            if event != TAU.0 || to != class || stays[class as usize] {
                known.moves.push((event, to));
            }
        }
    }
    for class in &mut classes {
        class.moves.sort_unstable();
        class.moves.dedup();
    }
    let alphabet = states.alphabet.into_iter().filter(|event| !hidden.contains(event)).collect();
    let initial: BTreeSet<u32> = states.initial.iter().map(|&state| class_of[state as usize]).collect();
    Ok(Abstraction { alphabet, initial: initial.into_iter().collect(), classes })
}

/// Whether a class has a cycle of silent steps inside of it. States with no such step left are taken away, one after the
/// other; what remains is on a cycle or leads to one.
fn silent_cycles(
    states: &States,
    hidden: &HashSet<u32>,
    class_of: &[u32],
    classes: usize,
    clock: &Pace<'_>,
) -> Result<Vec<bool>, Refusal> {
    let mut steps_left = vec![0usize; states.list.len()];
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); states.list.len()];
    for (from, state) in states.list.iter().enumerate() {
        for &(event, to) in &state.moves {
            clock.spend(0)?;
            let silent = event == TAU.0 || hidden.contains(&event);
            if silent && class_of[from] == class_of[to as usize] {
                steps_left[from] += 1;
                before[to as usize].push(from);
            }
        }
    }
    let mut ends: Vec<usize> = (0..steps_left.len()).filter(|&state| steps_left[state] == 0).collect();
    while let Some(end) = ends.pop() {
        for &from in &before[end] {
            clock.spend(0)?;
            steps_left[from] -= 1;
            if steps_left[from] == 0 {
                ends.push(from);
            }
        }
    }
    let mut cycles = vec![false; classes];
    for (&left, &class) in steps_left.iter().zip(class_of) {
        cycles[class as usize] |= left > 0;
    }
    Ok(cycles)
}

/// The number of the class of each state.
fn numbers(states: &States, node: &Node) -> Result<Vec<u32>, Refusal> {
    if node.classes.is_empty() {
        // Of a leaf, the state itself; of the root, any number that no other has.
        let own = |(index, name): (usize, &Rc<[u32]>)| if let [state] = **name { state } else { index as u32 };
        return Ok(states.names.iter().enumerate().map(own).collect());
    }
    let mut classes: HashMap<&[u32], u32> = HashMap::with_capacity(node.classes.len());
    for (state, class) in &node.classes {
        if classes.insert(state, *class).is_some_and(|other| other != *class) {
            return Err(malformed(format!("state {state:?} stands in two classes")));
        }
    }
    let class = |name: &Rc<[u32]>| {
        let class = classes.get(&**name).copied();
        class.ok_or_else(|| malformed(format!("state {name:?} can be reached, and has no class")))
    };
    states.names.iter().map(class).collect()
}

/// The abstraction of the root, for a walk beside the tableau.
pub(super) struct Moves<'a> {
    root: &'a Abstraction,
    atoms: &'a [Atom],
}

impl<'a> Moves<'a> {
    pub(super) fn new(root: &'a Abstraction, atoms: &'a [Atom]) -> Self {
        Moves { root, atoms }
    }
}

impl Moving for Moves<'_> {
    fn initial(&mut self) -> Result<Vec<u32>, Refusal> {
        Ok(self.root.initial.clone())
    }

    fn place(&mut self, state: u32, _: &Context<'_>) -> Result<Rc<Place>, Refusal> {
        let class = &self.root.classes[state as usize];
        let step =
            |&(event, to): &(u32, u32)| Move { to, events: event_bit(self.atoms, EventId(event)), ..Move::default() };
        Ok(Rc::new(Place { holds: class.holds, moves: class.moves.iter().map(step).collect(), ..Place::default() }))
    }
}
