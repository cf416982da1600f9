//! What the parts of a specification can do, as structures: a procedure as it was understood before any predicate, with its
//! places and the events that others see.

use crate::graph::{Graph, Node, Place};
use crate::{Part, Prepared, Procedure, Question, Specification};
use model::composition::{Component, Composition};
use model::source::SourceMap;
use model::structure::{Ending, Move, StateParts, Structure};

/// The parallel composition of the parts; without a program, the procedures that conform to something.
pub fn control_flow(specification: &Specification, sources: &SourceMap) -> Result<Composition, String> {
    let mut components = Vec::new();
    // Races would be steps at every access.
    let question = if specification.shared.is_empty() { Question::Safety } else { Question::Deadlock };
    let mut events = specification.events.clone();
    if !specification.parts.is_empty() {
        let asked = Prepared::new(specification, question).map_err(|reason| reason.to_string())?;
        for part in &asked.parts {
            components.push(match part {
                Part::Process(process) => (**process).clone(),
                Part::Procedure(procedure) => component(specification, question, procedure, sources)?,
            });
        }
        events = asked.events;
    }
    if components.is_empty() {
        for conformance in &specification.conformances {
            components.push(component(specification, Question::Safety, &conformance.procedure, sources)?);
        }
    }
    let propositions = specification.propositions.clone();
    let (name, formulas, progress) = (specification.name.clone(), Vec::new(), Vec::new());
    Ok(Composition { name, components, events, propositions, formulas, progress })
}

fn component(
    specification: &Specification,
    question: Question,
    procedure: &Procedure,
    sources: &SourceMap,
) -> Result<Component, String> {
    let asked = Prepared::new(specification, question).map_err(|reason| reason.to_string())?;
    let (graph, alphabet) = (asked.graph(procedure).map_err(|reason| reason.to_string())?, asked.alphabet(procedure));
    let state = |node: &Node| StateParts {
        moves: node.leaving.iter().map(|&step| step_of(&graph, step)).collect(),
        labels: Vec::new(),
        ending: match node.place {
            Place::Done => Ending::Done,
            Place::Wrong(_) | Place::Racing(_) => Ending::Error,
            _ => Ending::None,
        },
    };
    let structure = Structure::new(alphabet, vec![graph.start], graph.nodes.iter().map(state).collect());
    let name = |(number, node): (usize, &Node)| match node.place {
        Place::Done => format!("{number} done"),
        Place::Wrong(_) | Place::Racing(_) => format!("{number} error {}", sources.short(node.span)),
        _ => format!("{number} {}", sources.short(node.span)),
    };
    Ok(Component {
        name: procedure.name.clone(),
        structure,
        state_names: graph.nodes.iter().enumerate().map(name).collect(),
        state_spans: graph.nodes.iter().map(|node| node.span).collect(),
        span: procedure.span,
    })
}

fn step_of(graph: &Graph, step: u32) -> Move {
    let step = &graph.steps[step as usize];
    Move { event: step.event, to: step.target }
}
