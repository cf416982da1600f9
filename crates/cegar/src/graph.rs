//! The graph of a component with the solver's terms for its expressions.

use bitvector::{TermId, Terms};
use cfront::program::{Component, EdgeId, VariableId};
use encode::Encoder;
use model::source::Span;
use model::structure::Ending;
use spec::graph::{Graph as Plain, Node};

/// A step from one node to another.
pub type Step = spec::graph::Step<TermId>;

/// A component as nodes and steps; see [`spec::graph`].
#[derive(Debug)]
pub struct Graph {
    /// The pool of all terms here.
    pub terms: Terms,
    /// The variables as terms, by number.
    pub variables: Vec<TermId>,
    /// The nodes.
    pub nodes: Vec<Node>,
    /// The steps.
    pub steps: Vec<Step>,
    /// Where it begins.
    pub start: u32,
    /// The values of the variables there, over the inputs of the beginning.
    pub(crate) first: Vec<TermId>,
    /// The inputs of the beginning, as the interpreter asks for them.
    pub(crate) first_inputs: Vec<(VariableId, TermId)>,
    /// The edges that are executed before the beginning.
    pub(crate) before: Vec<EdgeId>,
    /// The propositions of the formula.
    pub propositions: Vec<TermId>,
    /// Hints of the specification.
    pub(crate) hints: Vec<TermId>,
    /// The variables on which guards and propositions depend.
    pub(crate) relevant: Vec<bool>,
    /// The place of a return whose condition speaks of arguments.
    pub(crate) conditional_return: Option<Span>,
    quiet: bool,
}

impl Graph {
    /// The graph of a component in the solver's terms.
    pub(crate) fn new(component: &Component, plain: Plain) -> Graph {
        Graph::with(Terms::new(), component, plain)
    }

    /// The same in a pool that has terms over these variables already.
    pub(crate) fn with(mut terms: Terms, component: &Component, plain: Plain) -> Graph {
        let mut encoder = Encoder::new(component, &plain.terms, &mut terms);
        let mut image = |term| encoder.term(&mut terms, term);
        let steps = plain.steps.iter().map(|step| step.map(&mut image)).collect();
        let first = plain.first.iter().map(|&value| image(value)).collect();
        let first_inputs = plain.first_inputs.iter().map(|&(variable, input)| (variable, image(input))).collect();
        let propositions = plain.propositions.iter().map(|&proposition| image(proposition)).collect();
        let hints = plain.hints.iter().map(|&hint| image(hint)).collect();
        let variables = encoder.variables().to_vec();
        let Plain { nodes, start, before, relevant, quiet, conditional_return, .. } = plain;
        Graph {
            terms,
            variables,
            nodes,
            steps,
            start,
            first,
            first_inputs,
            before,
            propositions,
            hints,
            relevant,
            conditional_return,
            quiet,
        }
    }

    /// How a run ends at a node, if it does.
    pub(crate) fn ending(&self, node: u32) -> Ending {
        self.nodes[node as usize].place.ending(self.quiet)
    }

    /// A condition before a step, from one after it.
    pub(crate) fn before(&mut self, step: u32, after: TermId) -> TermId {
        let update = &self.steps[step as usize].update;
        let new = update.iter().map(|&(variable, value)| (self.variables[variable.0 as usize], value)).collect();
        self.terms.substitute(after, &new)
    }
}
