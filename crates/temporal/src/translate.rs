//! Formula in, automaton out.
//!
//! The way: formula → simple term → alternating automaton → generalised automaton → Büchi automaton, and reductions
//! wherever there is something to reduce. Some choices are best tried both ways: which laws are used in which
//! direction, and whether disjunctions that lie ahead are guessed or kept as states. At the end, states are merged by
//! proof.

use crate::automaton::{Automaton, Edge, State};
use crate::graph::Graph;
use crate::merging::merged_by_proof;
use crate::reduce::reduce;
use crate::simulation;
use crate::tableau::tableau;
use crate::term::{Style, TermId, Terms};
use ltl::Formula;
use model::budget::Budget;
use std::fmt;

/// What the cubes of one guard may cost before others are looked for. A guard that is kept apart from that of a better edge
/// can need a cube for each combination of atoms, and with its letters back no more than one.
const FEW_STEPS: u64 = 50_000;

/// How much a translation may cost.
#[derive(Clone, Debug)]
pub struct Limits {
    /// States of the automaton before it is reduced.
    pub states: usize,
    /// Elementary operations; ten million take about a second. Alternatives are tried until twice as many are spent.
    pub steps: u64,
    /// Nesting of the formula.
    pub depth: usize,
    /// The time, and who may stop it.
    pub budget: Budget,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { states: 5_000, steps: 20_000_000, depth: 1_000, budget: Budget::unlimited() }
    }
}

/// A formula whose automaton would cost more than the limits allow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TooLarge {
    /// More states than [`Limits::states`].
    States,
    /// More than 64 different eventualities.
    Promises,
    /// More operations than [`Limits::steps`].
    Steps,
    /// Nested deeper than [`Limits::depth`].
    Depth,
    /// Not done within [`Limits::budget`].
    Time,
}

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TooLarge::States => "the automaton of the formula has too many states",
            TooLarge::Promises => "the formula has more than 64 different eventualities",
            TooLarge::Steps => "the automaton of the formula takes too long to build",
            TooLarge::Depth => "the formula is nested too deeply",
            TooLarge::Time => "there was no time to build the automaton of the formula",
        })
    }
}

impl std::error::Error for TooLarge {}

/// An automaton that accepts exactly the words that satisfy the formula.
///
/// To look for a violation of a property, translate [`Formula::negated`].
pub fn automaton(formula: &Formula, limits: &Limits) -> Result<Automaton, TooLarge> {
    if formula.depth() > limits.depth {
        return Err(TooLarge::Depth);
    }
    let mut terms = Terms::new(limits.steps, &limits.budget);
    let result = built(&mut terms, formula, limits);
    if terms.guards.overdue() { Err(TooLarge::Time) } else { result }
}

/// An automaton of a formula, however much it costs, as long as the budget lasts.
pub fn within(formula: &Formula, budget: &Budget) -> Result<Automaton, TooLarge> {
    let mut limits = Limits { budget: budget.clone(), ..Limits::default() };
    loop {
        match automaton(formula, &limits) {
            Err(TooLarge::States) => limits.states = limits.states.saturating_mul(4),
            Err(TooLarge::Steps) => limits.steps = limits.steps.saturating_mul(4),
            result => return result,
        }
    }
}

fn built(terms: &mut Terms, formula: &Formula, limits: &Limits) -> Result<Automaton, TooLarge> {
    let smallest = smallest(terms, formula, limits)?;
    let smallest = proved_smaller(smallest, terms, formula, limits);
    terms.guards.grant(limits.steps);
    let result = finished(&smallest, terms, formula.atoms(), limits);
    if terms.guards.exhausted() { Err(TooLarge::Steps) } else { Ok(result) }
}

/// The smallest of several translations.
fn smallest(terms: &mut Terms, formula: &Formula, limits: &Limits) -> Result<Graph, TooLarge> {
    let mut best: Result<Graph, TooLarge> = Err(TooLarge::Steps);
    for root in roots(terms, formula, limits)? {
        for guess in [false, true] {
            if terms.guards.spent() > 2 * limits.steps {
                break;
            }
            match translated(terms, root, guess, limits) {
                Ok(graph) if best.as_ref().map_or(true, |best| graph.size() < best.size()) => best = Ok(graph),
                Err(reason) if best.is_err() => best = Err(reason),
                _ => {}
            }
        }
    }
    best
}

/// What merging by proof makes of an automaton, if the negation is translated without trouble.
fn proved_smaller(graph: Graph, terms: &mut Terms, formula: &Formula, limits: &Limits) -> Graph {
    if terms.guards.spent() > 2 * limits.steps {
        return graph;
    }
    terms.guards.grant(limits.steps);
    let root = terms.of_formula(formula);
    let negation = terms.negate(root);
    match translated(terms, negation, false, limits) {
        Ok(negation) => {
            terms.guards.grant(limits.steps);
            merged_by_proof(graph, &negation, terms)
        }
        Err(_) => graph,
    }
}

/// The terms of a formula in all styles, without repetition.
fn roots(terms: &mut Terms, formula: &Formula, limits: &Limits) -> Result<Vec<TermId>, TooLarge> {
    let mut roots = Vec::new();
    for (gather, unfold) in [(true, false), (false, false), (true, true), (false, true)] {
        terms.style = Style { gather, unfold };
        terms.guards.grant(limits.steps);
        let root = terms.of_formula(formula);
        if terms.guards.exhausted() {
            return Err(TooLarge::Steps);
        }
        roots.push(root);
    }
    roots.dedup();
    Ok(roots)
}

fn translated(terms: &mut Terms, root: TermId, guess: bool, limits: &Limits) -> Result<Graph, TooLarge> {
    terms.guards.grant(limits.steps);
    let graph = tableau(terms, root, guess, limits.states)?;
    if terms.guards.exhausted() {
        return Err(TooLarge::Steps);
    }
    reduce(graph, terms, limits.steps).ok_or(TooLarge::Steps)
}

fn finished(graph: &Graph, terms: &mut Terms, atoms: u32, limits: &Limits) -> Automaton {
    let mut widest = None;
    let mut states = Vec::new();
    for (number, node) in graph.nodes.iter().enumerate() {
        let mut edges = Vec::new();
        for (place, edge) in node.edges.iter().enumerate() {
            terms.guards.grant(FEW_STEPS.min(limits.steps));
            let mut guard = terms.guards.cubes(edge.guard);
            if terms.guards.exhausted() {
                terms.guards.grant(limits.steps);
                let widest = widest.get_or_insert_with(|| simulation::widest(graph, &mut terms.guards));
                let most = widest.as_ref().map_or(edge.guard, |widest| widest[number][place]);
                guard = terms.guards.cubes_between(edge.guard, most);
            }
            // The caller looks as well, and believes nothing of this.
            if terms.guards.exhausted() {
                return Automaton { atoms, initial: 0, states };
            }
            edges.push(Edge { guard, to: edge.to as u32 });
        }
        terms.guards.grant(limits.steps);
        states.push(State { accepting: node.accepting, edges, formula: terms.formula_of(node.label) });
        if terms.guards.exhausted() {
            break;
        }
    }
    Automaton { atoms, initial: graph.initial as u32, states }
}
