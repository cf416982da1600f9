//! Structures in parallel: what the compose engine is asked about.

use crate::abstraction::{Extract, Extractor, Predicates};
use crate::enumerated::Enumerated;
use crate::graph::Graph;
use crate::guess::guesses;
use crate::meter::Meter;
use crate::ranking::{Effect, Ranks};
use bitvector::Embedded;
use model::composition::{Component, Composition, StepLabel};
use model::ids::{EventId, PropositionId};
use model::source::Span;
use model::verdict::Reason;
use spec::{Part, Prepared, Procedure, Question, Specification};

/// A procedure under examination.
pub(crate) struct Examined {
    /// Its place among the parts.
    pub(crate) part: usize,
    pub(crate) name: String,
    pub(crate) graph: Graph,
    pub(crate) enumerated: Enumerated,
    pub(crate) predicates: Predicates,
    pub(crate) alphabet: Vec<EventId>,
    pub(crate) propositions: Vec<PropositionId>,
    pub(crate) extract: Option<Extract>,
    extractor: Extractor,
    /// Numbers that do not fall forever, and what each move does to them.
    pub(crate) ranks: Ranks,
    pub(crate) effects: Vec<Vec<Effect>>,
    /// How often it was refined.
    pub(crate) rounds: u32,
    /// How often because a run with a loop was impossible.
    pub(crate) rounds_of_loops: u32,
    /// For paths.
    pub(crate) solver: Embedded,
}

/// How many predicates a component has at each place, and how many ranks.
pub(crate) struct Known {
    pub(crate) predicates: Vec<usize>,
    pub(crate) ranks: usize,
}

impl Examined {
    /// A procedure with the propositions that are requested, and without predicates; or with those that are guessed.
    pub(crate) fn new(part: usize, procedure: &Procedure, asked: &Prepared<'_>, guess: bool) -> Result<Self, Reason> {
        let mut graph = Graph::new(&procedure.component, asked.graph(procedure)?);
        if guess {
            let guesses = guesses(&mut graph);
            graph.hints.extend(guesses);
        }
        let predicates = Predicates::new(&graph);
        Ok(Examined {
            part,
            name: procedure.name.clone(),
            predicates,
            alphabet: asked.alphabet(procedure),
            propositions: asked.propositions(procedure),
            enumerated: Enumerated::new(&graph),
            graph,
            extract: None,
            extractor: Extractor::new(),
            ranks: Ranks::default(),
            effects: Vec::new(),
            rounds: 0,
            rounds_of_loops: 0,
            solver: Embedded::new(),
        })
    }

    /// What is known of it.
    pub(crate) fn known(&self) -> Known {
        Known { predicates: self.predicates.at.iter().map(Vec::len).collect(), ranks: self.ranks.known.len() }
    }

    /// Whether it takes part in a step of a run.
    pub(crate) fn takes_part(&self, label: &StepLabel) -> bool {
        match *label {
            StepLabel::Silent { component } => component as usize == self.part,
            StepLabel::Event(event) => self.extract.as_ref().is_some_and(|extract| extract.structure.takes_part(event)),
        }
    }

    /// The same procedure with other classes of the values of shared variables. Its predicates stay, because nodes do not
    /// depend on the classes.
    pub(crate) fn again(&mut self, procedure: &Procedure, asked: &Prepared<'_>) -> Result<(), Reason> {
        let terms = std::mem::take(&mut self.graph.terms);
        self.graph = Graph::with(terms, &procedure.component, asked.graph(procedure)?);
        self.alphabet = asked.alphabet(procedure);
        self.enumerated = Enumerated::new(&self.graph);
        (self.extract, self.extractor) = (None, Extractor::new());
        self.ranks.forget();
        Ok(())
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

/// The parts that a question is about, in the order in which runs and proofs number them.
pub fn parts_of(specification: &Specification, question: Question) -> Result<Vec<Part>, Reason> {
    Ok(Prepared::new(specification, question)?.parts)
}

/// The composition of structures of procedures, in the order of the procedures, and of the processes between them.
pub(crate) fn compose(
    specification: &Specification,
    asked: &Prepared<'_>,
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
        components: asked.parts.iter().enumerate().map(component).collect(),
        events: asked.events.clone(),
        propositions: specification.propositions.clone(),
        formulas: Vec::new(),
        progress: Vec::new(),
    }
}

fn empty(name: &str, span: Span) -> Component {
    let (structure, state_names, state_spans) = Default::default();
    Component { name: name.to_owned(), structure, state_names, state_spans, span }
}
