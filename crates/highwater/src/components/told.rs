//! A run of C components in words, told while it is followed.

use super::walkers::{Moved, Walker, Walking};
use crate::programs::words;
use cegar::Part;
use cegar::graph::Place;
use model::composition::Component as Process;
use model::source::SourceMap;
use model::structure::Ending;
use model::verdict::{ComponentsRun, ComponentsStep, PartMove, RunPart};

/// Tells a run step by step.
pub struct Teller<'s> {
    sources: &'s SourceMap,
    steps: Vec<ComponentsStep>,
    initial: Vec<Option<u32>>,
    /// By part, the values that are known to the reader.
    known: Vec<Vec<Option<u64>>>,
}

/// The state that a process gets into. One without names only watches.
fn reached(process: &Process, state: u32) -> String {
    match process.structure.ending(state) {
        _ if !process.state_names.is_empty() => process.state_name(state),
        Ending::Error => String::from("not allowed"),
        _ => String::from("allowed"),
    }
}

impl<'s> Teller<'s> {
    /// A run whose parts are at their beginnings.
    pub fn new(sources: &'s SourceMap, walkers: &[Walker<'_>]) -> Self {
        let variables = |walker: &Walker<'_>| match walker {
            Walker::Procedure(walking) => vec![None; walking.procedure.component.variables.len()],
            Walker::Process(..) => Vec::new(),
        };
        let initial = |walker: &Walker<'_>| match walker {
            Walker::Procedure(_) => None,
            Walker::Process(_, state) => Some(*state),
        };
        let (initial, known) = (walkers.iter().map(initial).collect(), walkers.iter().map(variables).collect());
        Teller { sources, steps: Vec::new(), initial, known }
    }

    /// A step begins.
    pub fn begin(&mut self, event: Option<String>) {
        self.steps.push(ComponentsStep { event, moves: Vec::new(), remarks: Vec::new() });
    }

    /// The step that was told last.
    pub fn last(&self) -> Option<&ComponentsStep> {
        self.steps.last()
    }

    /// A part has moved in it.
    pub fn tell(&mut self, part: usize, code: u32, walker: &Walker<'_>, moved: &Moved) {
        let told = match (walker, moved) {
            (Walker::Procedure(walking), Moved::Procedure(..)) => self.procedure(part, walking, moved),
            (Walker::Process(process, _), Moved::Process(state)) => PartMove {
                part,
                span: process.state_span(*state),
                does: reached(process, *state),
                changes: Vec::new(),
                remarks: Vec::new(),
                code,
                shown: false,
            },
            _ => return,
        };
        if let Some(step) = self.steps.last_mut() {
            step.moves.push(PartMove { code, ..told });
        }
    }

    fn procedure(&mut self, part: usize, walking: &Walking<'_>, moved: &Moved) -> PartMove {
        let component = &walking.procedure.component;
        let Moved::Procedure(edge, inputs, span) = moved else {
            let (does, changes, remarks) = Default::default();
            return PartMove { part, span: walking.procedure.span, does, changes, remarks, code: 0, shown: false };
        };
        let remarks: Vec<String> = inputs.iter().filter_map(|input| words::remark(component, input)).collect();
        let Some(edge) = edge.map(|edge| component.edge(edge)) else {
            let (does, shown) = match walking.place() {
                Place::Blocked(_) => (String::from("an assumption does not hold"), true),
                Place::Wrong(call) => {
                    let call = words::statement(component, self.sources, component.edge(call));
                    (format!("{call}: the specification does not say what it does"), true)
                }
                Place::Inside { call, .. } => (words::statement(component, self.sources, component.edge(call)), false),
                _ => (String::new(), false),
            };
            return PartMove { part, span: *span, does, changes: Vec::new(), remarks, code: 0, shown };
        };
        let changes = match self.known.get_mut(part) {
            Some(known) => words::changes(component, &walking.machine, edge, known),
            None => Vec::new(),
        };
        let shown = !changes.is_empty() || !remarks.is_empty() || words::is_shown(component, edge);
        let does = words::statement(component, self.sources, edge);
        PartMove { part, span: *span, does, changes, remarks, code: 0, shown }
    }

    /// All of it. What is wrong with it is not said yet.
    pub fn told(self, parts: &[Part], loop_from: Option<usize>, walkers: &[Walker<'_>]) -> ComponentsRun {
        let part = |((part, walker), initial): ((&Part, &Walker<'_>), &Option<u32>)| {
            let (inputs, bits) = match walker {
                Walker::Procedure(walking) => {
                    let (component, inputs) = (&walking.procedure.component, &walking.run.inputs);
                    let words = inputs.iter().map(|input| words::input(component, input)).collect();
                    (words, inputs.iter().map(|input| input.bits).collect())
                }
                Walker::Process(..) => (Vec::new(), Vec::new()),
            };
            RunPart { name: part.name().to_owned(), initial: *initial, inputs, bits }
        };
        ComponentsRun {
            parts: parts.iter().zip(walkers).zip(&self.initial).map(part).collect(),
            steps: self.steps,
            loop_from,
            remarks: Vec::new(),
            problem: String::new(),
            problem_code: "",
            problem_span: None,
            waiting: Vec::new(),
            circle: Vec::new(),
        }
    }
}
