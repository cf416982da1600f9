//! Predicate abstraction: the structure of a component, as far as some predicates tell.
//!
//! Predicates are local: each node has its own, and the propositions of the formula are predicates of every node, so that
//! what a formula sees is exact. An abstract state is a node and the truth of its predicates. It has a step to another one
//! if some concrete state in it has such a step into the other: the existential abstraction of section 3.2 of the paper,
//! computed for the states that can be reached only. All targets of a step are found by asking the solver again and again
//! for a target that is not known yet; that it has none any more is what makes the structure an over-approximation. What
//! is known without a question is not requested (see `plan`).
//!
//! Silent steps stay steps of their own, one for each statement. Merging chains of them would change what `X` means and,
//! where a proposition changes in between, more than that; the compose engine makes the structures small.
//!
//! Every answer is remembered by the truths and predicates that it depends on; refinement elsewhere does not ask again.

use crate::graph::Graph;
use crate::meter::Meter;
use crate::plan::{After, Free, Plan, plan};
use bitvector::{Embedded, Outcome, TermId};
use model::ids::{EventId, PropositionId};
use model::structure::{Move, StateParts, Structure};
use model::verdict::Reason;
use std::collections::HashMap;

/// The predicates of each node; those of the propositions come first, at every node.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Predicates {
    /// By node.
    pub at: Vec<Vec<TermId>>,
}

impl Predicates {
    /// Propositions, and hints, everywhere.
    pub(crate) fn new(graph: &Graph) -> Self {
        let mut each = graph.propositions.clone();
        let hints = graph.hints.iter().filter(|&&hint| graph.terms.as_const(hint).is_none());
        each.extend(hints);
        Predicates { at: vec![each; graph.nodes.len()] }
    }

    /// Adds a predicate, unless it or its opposite is there.
    pub(crate) fn add(&mut self, graph: &mut Graph, node: u32, predicate: TermId) -> bool {
        let opposite = graph.terms.not(predicate);
        let known = &mut self.at[node as usize];
        if known.contains(&predicate) || known.contains(&opposite) {
            return false;
        }
        known.push(predicate);
        true
    }

    /// How many there are, beyond the propositions.
    pub(crate) fn count(&self, graph: &Graph) -> usize {
        self.at.iter().map(|at| at.len().saturating_sub(graph.propositions.len())).sum()
    }
}

/// An abstract state.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct State {
    /// Where.
    pub node: u32,
    /// By which of several steps that look alike; see [`spec::graph::Step::via`].
    pub via: u32,
    /// The truth of the node's predicates.
    pub values: Vec<bool>,
}

/// The structure of a component under its predicates, and the way back.
#[derive(Clone, Debug)]
pub struct Extract {
    /// The states.
    pub states: Vec<State>,
    /// Where it begins.
    pub initial: Vec<u32>,
    /// The steps of each state: the step of the graph, and the state that it leads to.
    pub moves: Vec<Vec<(u32, u32)>>,
    /// The same as a structure.
    pub structure: Structure,
}

/// The truths that a step asks of its source, the predicates that it changes, and the truths that these can get.
type Remembered = HashMap<(u32, Vec<TermId>, Vec<TermId>), Vec<Vec<bool>>>;

/// Extracts structures of one component, again and again.
pub(crate) struct Extractor {
    solver: Embedded,
    remembered: Remembered,
    free: Free,
}

impl Extractor {
    pub(crate) fn new() -> Self {
        Extractor { solver: Embedded::new(), remembered: HashMap::new(), free: Free::default() }
    }

    pub(crate) fn extract(
        &mut self,
        graph: &mut Graph,
        predicates: &Predicates,
        alphabet: &[EventId],
        propositions: &[PropositionId],
        meter: &mut Meter<'_>,
    ) -> Result<Extract, Reason> {
        let mut extract =
            Extract { states: Vec::new(), initial: Vec::new(), moves: Vec::new(), structure: Structure::default() };
        let mut known: HashMap<State, u32> = HashMap::new();
        let start = graph.start;
        for values in self.first(graph, predicates, meter)? {
            let state = number(&mut extract, &mut known, State { node: start, via: 0, values });
            extract.initial.push(state);
        }
        let mut plans: Vec<Option<Plan>> = vec![None; graph.steps.len()];
        let mut at = 0;
        while at < extract.states.len() {
            meter.states(extract.states.len())?;
            let state = extract.states[at].clone();
            let mut moves = Vec::new();
            for step in graph.nodes[state.node as usize].leaving.clone() {
                let (node, via) = (graph.steps[step as usize].target, graph.steps[step as usize].via);
                let plan = plans[step as usize].get_or_insert_with(|| plan(graph, predicates, step, &mut self.free));
                for values in self.targets(graph, predicates, &state, step, plan, meter)? {
                    moves.push((step, number(&mut extract, &mut known, State { node, via, values })));
                }
            }
            extract.moves.push(moves);
            at += 1;
        }
        extract.structure = structure(graph, &extract, alphabet, propositions);
        Ok(extract)
    }

    /// The truths of the predicates in the first state.
    fn first(
        &mut self,
        graph: &mut Graph,
        predicates: &Predicates,
        meter: &mut Meter<'_>,
    ) -> Result<Vec<Vec<bool>>, Reason> {
        let at = predicates.at[graph.start as usize].clone();
        let images = first_images(graph, &at);
        self.all(graph, &[], &images, meter)
    }

    /// The truths that the predicates of a step's target can have after it.
    fn targets(
        &mut self,
        graph: &mut Graph,
        predicates: &Predicates,
        state: &State,
        step: u32,
        plan: &Plan,
        meter: &mut Meter<'_>,
    ) -> Result<Vec<Vec<bool>>, Reason> {
        let whole = |truths: &[bool]| {
            let mut truths = truths.iter();
            let each = plan.after.iter().map(|after| match *after {
                After::Same(number) => state.values[number],
                After::Opposite(number) => !state.values[number],
                After::Always(truth) => truth,
                After::Queried => truths.next().copied().unwrap_or(false),
            });
            each.collect::<Vec<bool>>()
        };
        let always = graph.terms.as_const(graph.steps[step as usize].guard) == Some(1);
        let holds = plan.guard.map(|(number, truth)| state.values[number] == truth);
        if holds == Some(false) {
            return Ok(Vec::new());
        }
        if plan.asked.is_empty() && (always || holds == Some(true)) {
            return Ok(vec![whole(&[])]);
        }
        let here = &predicates.at[state.node as usize];
        let mut assumptions = vec![graph.steps[step as usize].guard];
        assumptions.extend(plan.matter.iter().map(|&number| literal(graph, here[number], state.values[number])));
        let key = (step, assumptions, plan.asked.clone());
        if let Some(found) = self.remembered.get(&key) {
            meter.statistics.remembered += 1;
            return Ok(found.iter().map(|truths| whole(truths)).collect());
        }
        let found = self.all(graph, &key.1, &key.2, meter)?;
        let targets = found.iter().map(|truths| whole(truths)).collect();
        self.remembered.insert(key, found);
        Ok(targets)
    }

    /// All truths that some conditions can have together, under assumptions.
    fn all(
        &mut self,
        graph: &mut Graph,
        assumptions: &[TermId],
        conditions: &[TermId],
        meter: &mut Meter<'_>,
    ) -> Result<Vec<Vec<bool>>, Reason> {
        let mut found: Vec<Vec<bool>> = Vec::new();
        let mut parts = assumptions.to_vec();
        loop {
            match meter.ask(&mut self.solver, &graph.terms, &parts)? {
                Outcome::Sat(model) => {
                    let truths: Vec<bool> =
                        conditions.iter().map(|&condition| model.satisfies(&graph.terms, condition)).collect();
                    let same = all_of(graph, conditions, &truths);
                    parts.push(graph.terms.not(same));
                    found.push(truths);
                    meter.states(found.len())?;
                }
                _ => return Ok(found),
            }
        }
    }
}

/// Conditions with these truths.
pub(crate) fn all_of(graph: &mut Graph, conditions: &[TermId], truths: &[bool]) -> TermId {
    let literals: Vec<TermId> = conditions.iter().zip(truths).map(|(&c, &t)| literal(graph, c, t)).collect();
    graph.terms.and_all(&literals)
}

/// A condition or its opposite.
pub(crate) fn literal(graph: &mut Graph, condition: TermId, truth: bool) -> TermId {
    if truth { condition } else { graph.terms.not(condition) }
}

/// Conditions on the first state, as conditions on the inputs of the beginning.
pub(crate) fn first_images(graph: &mut Graph, conditions: &[TermId]) -> Vec<TermId> {
    let values: HashMap<TermId, TermId> = graph.variables.iter().copied().zip(graph.first.iter().copied()).collect();
    conditions.iter().map(|&condition| graph.terms.substitute(condition, &values)).collect()
}

fn number(extract: &mut Extract, known: &mut HashMap<State, u32>, state: State) -> u32 {
    *known.entry(state).or_insert_with_key(|state| {
        extract.states.push(state.clone());
        extract.states.len() as u32 - 1
    })
}

/// The structure that belongs to abstract states and their steps.
pub(crate) fn structure(
    graph: &Graph,
    extract: &Extract,
    alphabet: &[EventId],
    propositions: &[PropositionId],
) -> Structure {
    let parts = extract.states.iter().zip(&extract.moves).map(|(state, moves)| StateParts {
        moves: moves.iter().map(|&(step, to)| Move { event: graph.steps[step as usize].event, to }).collect(),
        labels: propositions.iter().zip(&state.values).filter(|(_, holds)| **holds).map(|(&p, _)| p).collect(),
        ending: graph.ending(state.node),
    });
    Structure::new(alphabet.iter().copied(), extract.initial.clone(), parts.collect())
}
