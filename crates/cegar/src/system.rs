//! Structures side by side: what the compose engine is asked about.

use crate::abstraction::{Extract, Extractor, Predicates};
use crate::check::{self, Question};
use crate::graph::{Graph, Place, Returns, Source, build};
use crate::guess::guesses;
use crate::meter::Meter;
use crate::specification::{Part, Procedure, Specification};
use bitvector::Embedded;
use model::composition::{Component, Composition};
use model::ids::{EventId, PropositionId};
use model::source::Span;
use model::verdict::Reason;

/// A procedure under examination.
pub(crate) struct Examined {
    /// Its place among the parts.
    pub(crate) part: usize,
    pub(crate) graph: Graph,
    pub(crate) predicates: Predicates,
    pub(crate) alphabet: Vec<EventId>,
    pub(crate) propositions: Vec<PropositionId>,
    pub(crate) extract: Option<Extract>,
    extractor: Extractor,
    /// How often it was refined.
    pub(crate) rounds: u32,
    /// For paths.
    pub(crate) solver: Embedded,
}

impl Examined {
    /// A procedure with the propositions that are asked for, and without predicates; or with those that are guessed.
    pub(crate) fn new(part: usize, procedure: &Procedure, asked: &Asked<'_>, guess: bool) -> Result<Self, Reason> {
        let mut graph = graph_of(procedure, asked)?;
        if guess {
            let guesses = guesses(&mut graph);
            graph.hints.extend(guesses);
        }
        let predicates = Predicates::new(&graph);
        Ok(Examined {
            part,
            predicates,
            alphabet: alphabet_of(procedure, asked),
            propositions: propositions_of(procedure, asked).map(|(id, _)| id).collect(),
            graph,
            extract: None,
            extractor: Extractor::new(),
            rounds: 0,
            solver: Embedded::new(),
        })
    }

    /// The structure under the present predicates.
    pub(crate) fn extract(&mut self, meter: &mut Meter<'_>) -> Result<&Extract, Reason> {
        let extract = match self.extract.take() {
            Some(extract) => extract,
            None => {
                self.extractor.extract(&mut self.graph, &self.predicates, &self.alphabet, &self.propositions, meter)?
            }
        };
        Ok(self.extract.insert(extract))
    }
}

/// What of a specification a question is about.
#[derive(Clone, Copy)]
pub(crate) struct Asked<'s> {
    pub(crate) propositions: &'s [PropositionId],
    /// Failed assumptions must be seen.
    pub(crate) blocks: bool,
    /// Errors of procedures are ends like others.
    pub(crate) quiet: bool,
    /// The returns that are events.
    pub(crate) returns: &'s [Returns],
}

impl<'s> Asked<'s> {
    fn returns_of(&self, procedure: &Procedure) -> Vec<&'s Returns> {
        self.returns.iter().filter(|returns| returns.part == procedure.name).collect()
    }
}

fn propositions_of<'s>(
    procedure: &'s Procedure,
    asked: &'s Asked<'_>,
) -> impl Iterator<Item = (PropositionId, crate::expression::Expression)> + 's {
    let wanted = procedure.propositions.iter().filter(|(id, _)| asked.propositions.contains(id));
    wanted.map(|(id, expression)| (*id, expression.clone()))
}

/// The graph of a procedure for a question.
pub(crate) fn graph_of(procedure: &Procedure, asked: &Asked<'_>) -> Result<Graph, Reason> {
    let propositions: Vec<_> = propositions_of(procedure, asked).map(|(_, expression)| expression).collect();
    let source = Source {
        component: &procedure.component,
        routines: &procedure.routines,
        propositions: &propositions,
        hints: &procedure.hints,
        returns: &asked.returns_of(procedure),
        blocks: asked.blocks,
        quiet: asked.quiet,
    };
    let mut graph = build(&source).map_err(|diagnostic| Reason::NotSupported(diagnostic.message.clone()))?;
    for node in &mut graph.nodes {
        if node.place == Place::Done {
            node.span = procedure.span;
        }
    }
    Ok(graph)
}

/// The steps of a procedure as a question sees them, and the events in which it takes part: for whoever follows a run.
pub fn steps(
    specification: &Specification,
    question: Question,
    procedure: &Procedure,
) -> Result<(Graph, Vec<EventId>), Reason> {
    let propositions = check::propositions_of(check::formula_of(specification, question)?);
    let asked = check::asked(specification, question, &propositions);
    Ok((graph_of(procedure, &asked)?, alphabet_of(procedure, &asked)))
}

/// The events of a procedure for a question.
pub(crate) fn alphabet_of(procedure: &Procedure, asked: &Asked<'_>) -> Vec<EventId> {
    let mut alphabet = procedure.alphabet.clone();
    alphabet.extend(asked.returns_of(procedure).into_iter().flat_map(|returns| &returns.events));
    alphabet
}

/// The composition of structures of procedures, in the order of the procedures, and of the processes between them.
pub(crate) fn compose(
    specification: &Specification,
    parts: &[Part],
    extracts: &[(usize, &Graph, &Extract)],
) -> Composition {
    let component = |(number, part): (usize, &Part)| match part {
        Part::Process(component) => (**component).clone(),
        Part::Procedure(procedure) => {
            let found = extracts.iter().find(|(part, ..)| *part == number);
            let Some((_, graph, extract)) = found else { return empty(&procedure.name, procedure.span) };
            Component {
                name: procedure.name.clone(),
                structure: extract.structure.clone(),
                state_names: Vec::new(),
                state_spans: extract.states.iter().map(|state| graph.nodes[state.node as usize].span).collect(),
                span: procedure.span,
            }
        }
    };
    Composition {
        name: specification.name.clone(),
        components: parts.iter().enumerate().map(component).collect(),
        events: specification.events.clone(),
        propositions: specification.propositions.clone(),
        formulas: Vec::new(),
        progress: Vec::new(),
    }
}

fn empty(name: &str, span: Span) -> Component {
    let (structure, state_names, state_spans) = Default::default();
    Component { name: name.to_owned(), structure, state_names, state_spans, span }
}
