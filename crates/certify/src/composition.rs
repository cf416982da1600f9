//! Compositions: is a tree of abstractions a proof?
//!
//! The contract is the essay of [`model::composition_proof`]. The proof says which states are alike, and nothing else; here
//! everything that follows from it is computed again, from the leaves to the root: which states a node has and what steps
//! there are between them (`states`), what is ready to happen in them (`ready`), and the classes of them (`classes`). Whether a
//! formula is invariant under stuttering is decided from the formula alone (`stuttering`).
//! At the root it is seen that no state is wrong, that no state may be stuck, or, beside the tableau that [`crate::temporal`]
//! has too, that no infinite run violates the formula.
//!
//! What is refused: a tree in which a component is missing or stands twice; a hidden event that somebody outside knows or of
//! which the formula speaks; a state without a class, or with two; a class whose states differ in what must be alike.
//!
//! The tree is walked without recursion: its depth is the certificate's choice.
//!
//! [`decide`] answers the same questions by the product of all components, without any proof: it is what tests compare
//! engines and this checker with.

mod classes;
mod invariants;
mod plain;
mod progress;
mod ready;
mod states;
mod stuttering;
#[cfg(test)]
mod tests;

pub use plain::decide;

pub use model::composition::Question;

use crate::Refusal;
use crate::pace::Pace;
use crate::temporal::product::{Moving, Product};
use crate::temporal::tableau::Tableau;
use classes::{Abstraction, Stuttering};
use model::claim::{AtomSet, MOST_ATOMS};
use model::composition::{Atom, Composition};
use model::composition_proof::{CompositionProof, Node, Parts};
use model::context::Context;
use model::formula::Ltl;
use model::ids::EventId;
use model::refutation::Refuter;
use ready::Closed;
use std::collections::HashSet;

/// Checks that a tree of abstractions proves the answer to a question.
pub fn verify(
    composition: &Composition,
    question: Question<'_>,
    proof: &CompositionProof,
    refuter: &mut dyn Refuter,
    cx: &Context<'_>,
) -> Result<(), Refusal> {
    let question = match question {
        // A proof about all runs is one about those that are fair, too.
        Question::Fair(formula, _) if !proof.fair.is_assumed() => Question::Formula(formula),
        question if question.fair() == proof.fair => question,
        _ => return Err(malformed("it is about other runs")),
    };
    if !proof.invariants.is_empty() {
        says_nothing(composition, proof)?;
        return invariants::verify(composition, question, &proof.invariants, refuter, cx);
    }
    if let Question::Fair(..) | Question::Progress(..) = question {
        return says_nothing(composition, proof).and_then(|()| match decide(composition, question, cx)? {
            true => Ok(()),
            false => Err(Refusal::Violated(String::from("a run is a counterexample"))),
        });
    }
    let atoms = atoms_of(question)?;
    let clock = Pace::new(cx);
    let mut checker = Checker {
        composition,
        question,
        atoms,
        places: places(composition, proof)?,
        stuttering: stuttering_of(question),
        clock,
    };
    let mut done: Vec<(Abstraction, usize)> = Vec::new();
    let tree = bottom_up(&proof.root);
    for (index, node) in tree.iter().enumerate() {
        let parts = match &node.parts {
            Parts::Component(_) => Vec::new(),
            Parts::Nodes(nodes) => done.split_off(done.len() - nodes.len()),
        };
        let leaves = parts.iter().map(|(_, leaves)| leaves).sum::<usize>().max(usize::from(is_leaf(node)));
        let parts: Vec<Abstraction> = parts.into_iter().map(|(part, _)| part).collect();
        let first = done.iter().map(|(_, leaves)| leaves).sum::<usize>();
        checker.hides_what_it_may(node, first..first + leaves)?;
        let is_root = index + 1 == tree.len();
        done.push((checker.abstraction(node, &parts, is_root)?, leaves));
    }
    let (root, _) = done.pop().ok_or_else(|| malformed("it has no root"))?;
    checker.finish(&root)
}

/// The tree says no more than that the components are the leaves. (Of fair runs, quotients of steps say nothing: what must
/// happen is not known, so all states are visited again.)
fn says_nothing(composition: &Composition, proof: &CompositionProof) -> Result<(), Refusal> {
    places(composition, proof)?;
    let plain = |node: &Node| node.hidden.is_empty() && node.classes.is_empty();
    let flat = match &proof.root.parts {
        Parts::Component(_) => true,
        Parts::Nodes(nodes) => nodes.iter().all(|node| is_leaf(node) && plain(node)),
    };
    (flat && plain(&proof.root)).then_some(()).ok_or_else(|| malformed("it has abstractions where there can be none"))
}

struct Checker<'a> {
    composition: &'a Composition,
    question: Question<'a>,
    atoms: Vec<Atom>,
    /// Where each component stands among the leaves.
    places: Vec<usize>,
    stuttering: Stuttering,
    clock: Pace<'a>,
}

impl Checker<'_> {
    /// No component outside of the node knows a hidden event, and the formula does not speak of it.
    fn hides_what_it_may(&self, node: &Node, leaves: std::ops::Range<usize>) -> Result<(), Refusal> {
        let hidden: HashSet<u32> = node.hidden.iter().copied().collect();
        if let Some(event) = node.hidden.iter().find(|&&event| event as usize >= self.composition.events.len()) {
            return Err(malformed(format!("it hides event {event}, which there is not")));
        }
        let spoken = self.atoms.iter().find_map(|atom| match atom {
            Atom::Event(event) if hidden.contains(&event.0) => Some(*event),
            _ => None,
        });
        if let Some(event) = spoken {
            let name = self.composition.event_name(event);
            return Err(malformed(format!("it hides `{name}`, of which the formula speaks")));
        }
        if hidden.is_empty() {
            return Ok(());
        }
        let outside = self.composition.components.iter().zip(&self.places).filter(|(_, at)| !leaves.contains(at));
        for (component, _) in outside {
            if let Some(event) = component.structure.alphabet().iter().find(|event| hidden.contains(&event.0)) {
                let (event, name) = (self.composition.event_name(*event), &component.name);
                return Err(malformed(format!("it hides `{event}`, but `{name}` outside knows it")));
            }
        }
        Ok(())
    }

    /// The abstraction of a node, from those of its parts. At the root, what must not be reached is not.
    fn abstraction(&mut self, node: &Node, parts: &[Abstraction], is_root: bool) -> Result<Abstraction, Refusal> {
        let formula = matches!(self.question, Question::Formula(_));
        let closed = if is_root { Closed::All } else { Closed::These(node.hidden.iter().copied().collect()) };
        let settings = states::Settings {
            atoms: &self.atoms,
            closed,
            ready: matches!(self.question, Question::Deadlock),
            kept: formula || !is_root,
            wrong: !(is_root && matches!(self.question, Question::Safety)),
            stuck: !is_root,
        };
        let states = match &node.parts {
            Parts::Component(number) => {
                states::of_component(&self.composition.components[*number as usize], &settings, &self.clock)?
            }
            Parts::Nodes(_) => states::of_parts(parts, &settings, &self.clock)?,
        };
        if is_root && !formula {
            // All states were visited, and they were what matters.
            return Ok(Abstraction::default());
        }
        if node.classes.is_empty() && !is_root && !is_leaf(node) {
            return Err(malformed("an inner node has no classes"));
        }
        classes::quotient(states, node, self.stuttering, &self.clock)
    }

    /// For a formula: the abstraction of the root has no infinite run that violates it.
    fn finish(&mut self, root: &Abstraction) -> Result<(), Refusal> {
        let Question::Formula(formula) = self.question else { return Ok(()) };
        let mut moving = classes::Moves::new(root, &self.atoms);
        match search(&mut moving, formula, &self.atoms, &self.clock.cx) {
            Err(Refusal::Violated(_)) => {
                Err(Refusal::TooCoarse(String::from("it has an infinite run that violates the formula")))
            }
            other => other,
        }
    }
}

/// Whether no run violates a formula.
fn search(moving: &mut dyn Moving, formula: &Ltl<Atom>, atoms: &[Atom], cx: &Context<'_>) -> Result<(), Refusal> {
    let mut tableau = Tableau::of_negation(formula, atoms);
    Product::new(moving, &mut tableau).search(cx)?.is_empty()
}

/// Which silent steps a question can hear of.
fn stuttering_of(question: Question<'_>) -> Stuttering {
    match question {
        Question::Formula(formula) if stuttering::is_invariant(formula) => Stuttering::Divergence,
        Question::Formula(_) | Question::Fair(..) => Stuttering::Visible,
        Question::Deadlock | Question::Safety | Question::Progress(..) => Stuttering::Ignored,
    }
}

/// What the question speaks of.
fn atoms_of(question: Question<'_>) -> Result<Vec<Atom>, Refusal> {
    let (Question::Formula(formula) | Question::Fair(formula, _)) = question else { return Ok(Vec::new()) };
    let atoms: Vec<Atom> = formula.atoms().into_iter().map(|(atom, _)| atom).collect();
    if atoms.len() > MOST_ATOMS {
        return Err(Refusal::Unfinished(format!("a formula with more than {MOST_ATOMS} different conditions")));
    }
    Ok(atoms)
}

/// The bit of an event, if the formula speaks of it.
fn event_bit(atoms: &[Atom], event: EventId) -> AtomSet {
    atoms.iter().position(|atom| *atom == Atom::Event(event)).map_or(0, |index| 1 << index)
}

/// The nodes of a tree, parts before what is made of them.
fn bottom_up(root: &Node) -> Vec<&Node> {
    let (mut order, mut work) = (Vec::new(), vec![root]);
    while let Some(node) = work.pop() {
        order.push(node);
        if let Parts::Nodes(parts) = &node.parts {
            work.extend(parts);
        }
    }
    order.reverse();
    order
}

fn is_leaf(node: &Node) -> bool {
    matches!(node.parts, Parts::Component(_))
}

/// Where each component stands among the leaves; it stands there once.
fn places(composition: &Composition, proof: &CompositionProof) -> Result<Vec<usize>, Refusal> {
    let mut places = vec![None; composition.components.len()];
    let mut leaves = 0;
    for node in bottom_up(&proof.root) {
        match &node.parts {
            Parts::Component(number) => {
                let place = places.get_mut(*number as usize);
                let place = place.ok_or_else(|| malformed(format!("there is no component {number}")))?;
                if place.replace(leaves).is_some() {
                    let name = &composition.components[*number as usize].name;
                    return Err(malformed(format!("`{name}` stands in it twice")));
                }
                leaves += 1;
            }
            Parts::Nodes(parts) if parts.len() < 2 && !composition.components.is_empty() => {
                return Err(malformed("an inner node has less than two parts"));
            }
            Parts::Nodes(_) => {}
        }
    }
    let missing = |(component, place): (&model::composition::Component, Option<usize>)| {
        place.ok_or_else(|| malformed(format!("`{}` is missing", component.name)))
    };
    composition.components.iter().zip(places).map(missing).collect()
}

fn malformed(why: impl Into<String>) -> Refusal {
    Refusal::Malformed(why.into())
}
