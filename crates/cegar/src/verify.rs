//! Does a proof's structure over-approximate its component?
//!
//! Nothing is taken from the proof but its predicates and its structure. The graph is made again from the specification,
//! predicates are copied into it by the names of their variables, and then, with a solver of the caller's choice:
//!
//! * every first state of the program lies in an initial state of the structure;
//! * for every abstract state and every step of the graph, whatever a concrete state in it can become lies in one of the
//!   listed targets; there may be more targets than are needed.
//!
//! Events, endings and propositions of the structure follow from the states, and are made again. What remains is the proof
//! about the composition, which is for `certify::composition`. What this shares with the search is the meaning of a
//! component (`graph`); the search for predicates and targets it does not share.

use crate::abstraction::{Extract, Predicates, all_of, assumed, first_images, structure};
use crate::check::{Holds, PartProof, Question, asked, formula_of, parts_of, propositions_of};
use crate::graph::Graph;
use crate::specification::{Part, Specification};
use crate::system::{alphabet_of, compose, graph_of};
use bitvector::{Effort, Op, Outcome, Solver, TermId, Terms};
use model::composition::Composition;
use model::ids::PropositionId;
use std::collections::HashMap;
use std::fmt;

/// What a proof says about one procedure; it can come from anywhere.
#[derive(Clone, Copy, Debug)]
pub struct Claimed<'p> {
    /// Its number among the parts.
    pub part: usize,
    /// The pool of the predicates.
    pub terms: &'p Terms,
    /// The predicates.
    pub predicates: &'p Predicates,
    /// The structure; only its states and moves are looked at.
    pub extract: &'p Extract,
}

impl<'p> From<&'p PartProof> for Claimed<'p> {
    fn from(proof: &'p PartProof) -> Self {
        let PartProof { part, graph, predicates, extract } = proof;
        Claimed { part: *part, terms: &graph.terms, predicates, extract }
    }
}

/// Why a proof is not accepted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// The solver has no answer.
    Undecided(model::reason::Reason),
    /// Something in it is wrong.
    Wrong(String),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Undecided(reason) => write!(f, "{reason}"),
            Refusal::Wrong(what) => write!(f, "{what}"),
        }
    }
}

impl From<String> for Refusal {
    fn from(what: String) -> Self {
        Refusal::Wrong(what)
    }
}

/// Checks that the structures of a proof over-approximate the procedures. How many questions the solver answered, or what
/// is wrong.
pub fn verify(
    specification: &Specification,
    holds: &Holds,
    solver: &mut dyn Solver,
    effort: &Effort<'_>,
) -> Result<u64, String> {
    let claimed: Vec<Claimed<'_>> = holds.parts.iter().map(Claimed::from).collect();
    let (count, composition) =
        examine(specification, holds.question, &claimed, solver, effort).map_err(|refusal| refusal.to_string())?;
    if composition != holds.composition {
        return Err(String::from("the composition is not that of the structures"));
    }
    Ok(count)
}

/// The same for structures from anywhere: how many questions the solver answered, and the composition that what remains
/// of the proof must be about.
pub fn examine(
    specification: &Specification,
    question: Question,
    claimed: &[Claimed<'_>],
    solver: &mut dyn Solver,
    effort: &Effort<'_>,
) -> Result<(u64, Composition), Refusal> {
    let mut count = 0;
    let mut ask = |graph: &Graph, parts: &[TermId]| {
        count += 1;
        match solver.check(&graph.terms, parts, effort) {
            Outcome::Unsat(_) => Ok(()),
            Outcome::Sat(_) => Err(Refusal::Wrong(String::from("a step of the program is missing in a structure"))),
            Outcome::Unknown(reason) => Err(Refusal::Undecided(reason)),
        }
    };
    let checked = each_part(specification, question, claimed, &mut ask)?;
    let parts = parts_of(specification, question).map_err(|reason| reason.to_string())?;
    let extracts: Vec<(usize, &Graph, &Extract)> = checked.iter().map(|(part, g, e)| (*part, g, e)).collect();
    Ok((count, compose(specification, &parts, &extracts)))
}

/// The same questions as texts in SMT-LIB 2, each of which must be unsatisfiable.
pub fn obligations(specification: &Specification, holds: &Holds) -> Result<Vec<String>, String> {
    let mut texts = Vec::new();
    let mut write = |graph: &Graph, parts: &[TermId]| {
        texts.push(bitvector::smtlib::obligation(&graph.terms, parts));
        Ok(())
    };
    let claimed: Vec<Claimed<'_>> = holds.parts.iter().map(Claimed::from).collect();
    each_part(specification, holds.question, &claimed, &mut write).map_err(|refusal| refusal.to_string())?;
    Ok(texts)
}

/// The predicates of a part by place, as C would write them; those of formulas, which hold or not at every place, are left
/// out.
pub fn predicates(proof: &PartProof) -> Vec<(model::source::Span, Vec<String>)> {
    let skip = proof.graph.propositions.len();
    let each = proof.graph.nodes.iter().zip(&proof.predicates.at).filter(|(_, at)| at.len() > skip);
    each.map(|(node, at)| {
        let texts = at[skip..].iter().map(|&predicate| shown(&proof.graph.terms, predicate));
        (node.span, texts.collect())
    })
    .collect()
}

/// A predicate as C would write it.
pub(crate) fn shown(terms: &Terms, predicate: TermId) -> String {
    without_numbers(&bitvector::to_c(terms, predicate))
}

/// `x#3` is `x`.
fn without_numbers(text: &str) -> String {
    let mut shown = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('#') {
        shown.push_str(&rest[..at]);
        rest = rest[at + 1..].trim_start_matches(|c: char| c.is_ascii_digit());
    }
    shown + rest
}

type Ask<'a> = dyn FnMut(&Graph, &[TermId]) -> Result<(), Refusal> + 'a;

fn each_part(
    specification: &Specification,
    question: Question,
    claimed: &[Claimed<'_>],
    ask: &mut Ask<'_>,
) -> Result<Vec<(usize, Graph, Extract)>, Refusal> {
    let reason = |reason: model::verdict::Reason| reason.to_string();
    let parts = parts_of(specification, question).map_err(reason)?;
    let formula = formula_of(specification, question).map_err(reason)?;
    let propositions = propositions_of(formula);
    let asked = asked(specification, question, &propositions);
    let mut checked = Vec::new();
    for (number, part) in parts.iter().enumerate() {
        let Part::Procedure(procedure) = part else { continue };
        let proof = claimed.iter().find(|proof| proof.part == number);
        let proof = proof.ok_or_else(|| format!("nothing is said about `{}`", procedure.name))?;
        let mut graph = graph_of(procedure, &asked).map_err(reason)?;
        if question == Question::Deadlock && graph.conditional_return.is_some() {
            return Err(Refusal::Wrong(String::from("deadlock cannot be answered for this specification")));
        }
        let own: Vec<PropositionId> = procedure.propositions.iter().map(|(id, _)| *id).collect();
        let own: Vec<PropositionId> = own.into_iter().filter(|id| asked.propositions.contains(id)).collect();
        let predicates = copied(proof, &mut graph)?;
        let mut extract = proof.extract.clone();
        shapes(&graph, &predicates, &extract)?;
        one(&mut graph, &predicates, &extract, ask)?;
        extract.structure = structure(&graph, &extract, &alphabet_of(procedure, &asked), &own);
        checked.push((number, graph, extract));
    }
    Ok(checked)
}

/// The predicates of a proof in the terms of a graph that was made again.
fn copied(proof: &Claimed<'_>, graph: &mut Graph) -> Result<Predicates, String> {
    if proof.predicates.at.len() != graph.nodes.len() {
        return Err(String::from("the proof speaks of other places"));
    }
    let mut at = Vec::new();
    let variables: Vec<TermId> = graph.variables.clone();
    for predicates in &proof.predicates.at {
        let mut here = Vec::new();
        for &predicate in predicates {
            here.push(copy(proof.terms, &mut graph.terms, predicate, &variables)?);
        }
        if here.len() < graph.propositions.len() || here[..graph.propositions.len()] != graph.propositions[..] {
            return Err(String::from("a place does not have the propositions of the formula"));
        }
        at.push(here);
    }
    Ok(Predicates { at })
}

/// A term of one pool in another one; it speaks of the component's variables only.
fn copy(from: &Terms, to: &mut Terms, root: TermId, variables: &[TermId]) -> Result<TermId, String> {
    let mut images: HashMap<TermId, TermId> = HashMap::new();
    for part in from.parts(&[root]) {
        let node = from.node(part);
        let image = match node.op() {
            Op::Var(_) => {
                let image = to.var(from.name(part).unwrap_or(""), node.sort());
                if !variables.contains(&image) {
                    return Err(String::from("a predicate speaks of something that is no variable"));
                }
                image
            }
            Op::Const(bits) => to.constant_of(node.sort(), bits),
            op => {
                let arguments: Vec<TermId> = node.arguments().iter().map(|argument| images[argument]).collect();
                to.make(op, node.sort(), &arguments)
            }
        };
        images.insert(part, image);
    }
    Ok(images[&root])
}

/// Numbers fit together.
fn shapes(graph: &Graph, predicates: &Predicates, extract: &Extract) -> Result<(), String> {
    let count = extract.states.len();
    let known = |state: &u32| (*state as usize) < count;
    let state_fits = extract
        .states
        .iter()
        .all(|state| predicates.at.get(state.node as usize).is_some_and(|at| at.len() == state.values.len()));
    let moves_fit = extract.moves.len() == count
        && extract.moves.iter().zip(&extract.states).all(|(moves, state)| {
            moves.iter().all(|(step, to)| {
                let step = graph.steps.get(*step as usize);
                let target = extract.states.get(*to as usize);
                step.zip(target).is_some_and(|(step, target)| step.source == state.node && step.target == target.node)
            })
        });
    let begins = |&state: &u32| known(&state) && extract.states[state as usize].node == graph.start;
    match state_fits && moves_fit && extract.initial.iter().all(begins) {
        true => Ok(()),
        false => Err(String::from("the structure does not fit its graph")),
    }
}

fn one(graph: &mut Graph, predicates: &Predicates, extract: &Extract, ask: &mut Ask<'_>) -> Result<(), Refusal> {
    let at = predicates.at[graph.start as usize].clone();
    let images = first_images(graph, &at);
    let targets: Vec<Vec<bool>> =
        extract.initial.iter().map(|&state| extract.states[state as usize].values.clone()).collect();
    let outside = outside_of(graph, &images, &targets);
    ask(graph, &outside)?;
    for (state, moves) in extract.states.iter().zip(&extract.moves) {
        for step in graph.nodes[state.node as usize].leaving.clone() {
            let there = predicates.at[graph.steps[step as usize].target as usize].clone();
            let images: Vec<TermId> = there.iter().map(|&predicate| graph.before(step, predicate)).collect();
            let targets = moves.iter().filter(|(taken, _)| *taken == step);
            let targets: Vec<Vec<bool>> = targets.map(|&(_, to)| extract.states[to as usize].values.clone()).collect();
            let mut parts = assumed(graph, &predicates.at[state.node as usize], state, step);
            parts.extend(outside_of(graph, &images, &targets));
            ask(graph, &parts)?;
        }
    }
    Ok(())
}

/// None of these combinations of truths.
fn outside_of(graph: &mut Graph, conditions: &[TermId], targets: &[Vec<bool>]) -> Vec<TermId> {
    let mut parts = Vec::new();
    for target in targets {
        let inside = all_of(graph, conditions, target);
        parts.push(graph.terms.not(inside));
    }
    parts
}
