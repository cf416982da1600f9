//! Compose, hide, minimise: components become groups, two at a time, and a group forgets what no component outside can see.
//!
//! The components are leaves of a tree that grows upwards. A node composes two parts, hides the events of which no component
//! outside knows, and merges the states that are then alike:
//!
//! * for deadlock and safety, by branching bisimulation (blind to divergence), where the ready sets of a state count like
//!   steps to the end, and being wrong like a proposition;
//! * for formulas that are invariant under stuttering ([`crate::stuttering`]), by branching bisimulation with explicit divergence;
//! * for other formulas, by strong bisimulation, since a step without a name is a position of a run like any other.
//!
//! All are congruences for composition and hiding, and a class can do, after steps that no component sees, whatever one of
//! its states can. So the answer at the root is exact: if nothing is found there, the classes are a proof
//! ([`model::composition_proof`]), and what is found is taken down the tree to a run (`expand`). The last two nodes are
//! searched on the fly.

mod bunches;
pub(crate) mod classes;
mod expand;
mod order;
mod piece;
pub(crate) mod sets;

use crate::lasso::accepted_lasso;
use crate::meter::Meter;
use crate::problem::Problem;
use crate::product::{Path, Product};
use crate::search::breadth_first;
use crate::trace::RefinementTrace;
use crate::{Statistics, Verdict, plain};
use model::composition_proof::{CompositionProof, Node, Parts};
use model::verdict::Reason;
use order::Order;
use piece::{Origin, Piece, Workshop};

/// A deeper tree is of no use: whoever walks it needs that much room.
const DEEPEST: usize = 4_000;

/// Answers by minimisation.
pub(crate) fn minimise(
    problem: &Problem<'_>,
    meter: &Meter<'_>,
    trace: &mut RefinementTrace<'_>,
    statistics: &mut Statistics,
) -> Result<Verdict, Reason> {
    if problem.leaves.len() < 2 {
        return plain::plain(problem, meter);
    }
    let mut workshop = Workshop::new(problem);
    let mut order = Order::new(problem);
    let mut pieces: Vec<Piece> = Vec::new();
    for component in 0..problem.leaves.len() {
        let hidden = order.only_known_to(&problem.leaves[component].lts.alphabet, &[]);
        let piece = workshop.leaf(component, hidden, meter)?;
        order.add(pieces.len(), &piece);
        pieces.push(piece);
    }
    statistics.classes = pieces.iter().map(|piece| piece.quotient.states() as u64).collect();
    while let Some((left, right)) = order.next(&pieces) {
        let (a, b) = (&pieces[left], &pieces[right]);
        let hidden = order.only_known_to(&a.quotient.alphabet, &b.quotient.alphabet);
        let piece = match workshop.pair(&pieces, left, right, hidden, meter) {
            Err(Reason::States) if order.try_another(left, right) => continue,
            piece => piece?,
        };
        if piece.depth > DEEPEST {
            return Err(Reason::NotProvable(String::from("more components in a row than can be composed in turn")));
        }
        trace.tell(|_| {
            let (states, classes, hides) = (piece.class_of.len(), piece.quotient.states(), piece.hidden.len());
            let below = piece.components;
            format!("composed {below} components: {states} states, {hides} events hidden, {classes} classes")
        });
        order.merge(left, right, pieces.len(), &piece);
        pieces.push(piece);
    }
    statistics.iterations = (pieces.len() - problem.leaves.len()) as u64;
    let &[left, right] = order.live() else { return Err(Reason::States) };
    let live = [left, right];
    let path = at_root(problem, &pieces, &live, &mut workshop, meter)?;
    match path {
        None => Ok(Verdict::Holds(Box::new(proof(problem, &pieces, &live)))),
        Some(path) => {
            let found = expand::expand(problem, &pieces, &live, &path, &workshop.sets, meter)?;
            let lost =
                || Reason::NotProvable(String::from("a path of the abstractions could not be taken down to a run"));
            found.map(|path| Verdict::Fails(Box::new(problem.run(&path)))).ok_or_else(lost)
        }
    }
}

/// What is looked for, in the product of the last nodes.
fn at_root(
    problem: &Problem<'_>,
    pieces: &[Piece],
    live: &[usize; 2],
    workshop: &mut Workshop<'_>,
    meter: &Meter<'_>,
) -> Result<Option<Path>, Reason> {
    let product = Product::new(live.iter().map(|&piece| &pieces[piece].quotient).collect(), problem.events);
    let [left, right] = *live;
    if let Some(watch) = &problem.watch {
        return accepted_lasso(&product, watch, meter);
    }
    if !problem.is_deadlock() {
        return breadth_first(&product, meter, |state, _| product.is_wrong(state));
    }
    breadth_first(&product, meter, |state, _| {
        let (a, b) = (&pieces[left], &pieces[right]);
        let ready = workshop.together(a, b, state[0], state[1], &[], left, right);
        ready.iter().any(|&set| workshop.sets.get(set).is_empty())
    })
}

/// The tree as a proof, bottom up.
fn proof(problem: &Problem<'_>, pieces: &[Piece], live: &[usize]) -> CompositionProof {
    let mut nodes: Vec<Option<Node>> = Vec::with_capacity(pieces.len());
    for piece in pieces {
        let parts = match piece.origin {
            Origin::Leaf(component) => Parts::Component(component as u32),
            Origin::Pair(left, right) => {
                Parts::Nodes([left, right].iter().filter_map(|&part| nodes[part].take()).collect())
            }
        };
        let classes = piece.listed(problem);
        nodes.push(Some(Node { parts, hidden: piece.hidden.clone(), classes }));
    }
    let parts = Parts::Nodes(live.iter().filter_map(|&piece| nodes[piece].take()).collect());
    let root = Node { parts, hidden: Vec::new(), classes: Vec::new() };
    CompositionProof { root, ..problem.trivial_proof() }
}
