//! `show` for a specification: what each part can do, as text or as a graph for Graphviz.
//!
//! A procedure is shown as it was understood before any predicate: its places, and its steps with the events that others
//! see. A process is shown as its structure.

use super::ComponentsFile;
use crate::compositions;
use cegar::graph::{Graph, Place};
use cegar::{Part, Procedure, Question, Specification};
use model::composition::{Component, Composition};
use model::source::SourceMap;
use model::structure::{Move, StateParts, Structure};

/// State by state.
pub fn text(file: &ComponentsFile, sources: &SourceMap) -> Result<String, String> {
    Ok(compositions::text(&composition(&file.specification, sources)?))
}

/// A cluster for each part.
pub fn dot(file: &ComponentsFile, sources: &SourceMap) -> Result<String, String> {
    Ok(compositions::dot(&composition(&file.specification, sources)?))
}

/// The parts side by side; without a program, the procedures that conform to something.
fn composition(specification: &Specification, sources: &SourceMap) -> Result<Composition, String> {
    let mut components = Vec::new();
    for part in &specification.parts {
        components.push(match part {
            Part::Process(process) => (**process).clone(),
            Part::Procedure(procedure) => component(specification, Question::Safety, procedure, sources)?,
        });
    }
    if components.is_empty() {
        for conformance in &specification.conformances {
            components.push(component(specification, Question::Safety, &conformance.procedure, sources)?);
        }
    }
    let (events, propositions) = (specification.events.clone(), specification.propositions.clone());
    let (name, formulas, progress) = (specification.name.clone(), Vec::new(), Vec::new());
    Ok(Composition { name, components, events, propositions, formulas, progress })
}

fn component(
    specification: &Specification,
    question: Question,
    procedure: &Procedure,
    sources: &SourceMap,
) -> Result<Component, String> {
    let (graph, alphabet) = cegar::steps(specification, question, procedure).map_err(|reason| reason.to_string())?;
    let state = |node: &cegar::graph::Node| StateParts {
        moves: node.leaving.iter().map(|&step| step_of(&graph, step)).collect(),
        labels: Vec::new(),
        ending: match node.place {
            Place::Done => model::structure::Ending::Done,
            Place::Wrong(_) => model::structure::Ending::Error,
            _ => model::structure::Ending::None,
        },
    };
    let structure = Structure::new(alphabet, vec![graph.start], graph.nodes.iter().map(state).collect());
    let name = |(number, node): (usize, &cegar::graph::Node)| match node.place {
        Place::Done => format!("{number} done"),
        Place::Wrong(_) => format!("{number} error {}", sources.short(node.span)),
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
