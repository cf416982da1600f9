//! The chart of a run of C components, made while it is followed.

use super::{Moved, Walker, Walking};
use crate::statements;
use model::chart::{Chart, ChartStep, Form, Inputs, Lane, Move, MovesKey, StepKey};
use model::composition::Component as Process;
use model::source::SourceMap;
use model::structure::Ending;
use spec::Part;
use spec::graph::Place;

/// Describes a run step by step.
pub struct Narrator<'s> {
    sources: &'s SourceMap,
    steps: Vec<ChartStep>,
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

impl<'s> Narrator<'s> {
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
        Narrator { sources, steps: Vec::new(), initial, known }
    }

    /// A step begins.
    pub fn begin(&mut self, event: Option<String>) {
        self.steps.push(ChartStep { event, ..ChartStep::default() });
    }

    /// The last step.
    pub fn last(&self) -> Option<&ChartStep> {
        self.steps.last()
    }

    /// A part has moved in it.
    pub fn describe(&mut self, part: usize, code: u32, walker: &Walker<'_>, moved: &Moved) {
        let (one, shown) = match (walker, moved) {
            (Walker::Procedure(walking), Moved::Procedure(..)) => self.procedure(part, walking, moved),
            (Walker::Process(process, _), Moved::Process(state)) => {
                let (span, does) = (Some(process.state_span(*state)), reached(process, *state));
                (Move { lane: part, span, does, ..Move::default() }, false)
            }
            _ => return,
        };
        let Some(step) = self.steps.last_mut() else { return };
        step.moves.push(one);
        step.shown |= shown;
        let key = step.key.get_or_insert_with(|| StepKey::Moves(MovesKey { moves: Vec::new() }));
        if let StepKey::Moves(key) = key {
            key.moves.push((part as u32, code));
        }
    }

    /// What a procedure does, and whether it has a line of its own although no other part takes part.
    fn procedure(&mut self, lane: usize, walking: &Walking<'_>, moved: &Moved) -> (Move, bool) {
        let component = &walking.procedure.component;
        let Moved::Procedure(edge, inputs, span) = moved else {
            return (Move { lane, span: Some(walking.procedure.span), ..Move::default() }, false);
        };
        let mut remarks: Vec<String> = inputs.iter().filter_map(|input| statements::remark(component, input)).collect();
        let Some(edge) = edge.map(|edge| component.edge(edge)) else {
            let (does, shown) = match walking.place() {
                Place::Blocked(_) => (String::from("an assumption does not hold"), true),
                Place::Wrong(call) => {
                    let call = statements::statement(component, self.sources, component.edge(call));
                    (format!("{call}: the specification does not say what it does"), true)
                }
                Place::Racing(edge) => (statements::statement(component, self.sources, component.edge(edge)), true),
                Place::Inside { call, .. } => {
                    (statements::statement(component, self.sources, component.edge(call)), false)
                }
                _ => (String::new(), false),
            };
            return (Move { lane, span: Some(*span), does, remarks, ..Move::default() }, shown);
        };
        remarks.extend(statements::failed_assertion(component, &walking.machine, edge));
        let changes = match self.known.get_mut(lane) {
            Some(known) => statements::changes(component, &walking.machine, edge, known),
            None => Vec::new(),
        };
        let shown = !changes.is_empty() || !remarks.is_empty() || statements::is_shown(component, edge);
        let does = statements::statement(component, self.sources, edge);
        (Move { lane, span: Some(*span), does, states: None, changes, remarks }, shown)
    }

    /// All of it. What is wrong with it is not said yet.
    pub fn chart(self, parts: &[Part], loop_from: Option<usize>, walkers: &[Walker<'_>]) -> Chart {
        let lane = |((part, walker), initial): ((&Part, &Walker<'_>), &Option<u32>)| {
            let inputs = match walker {
                Walker::Procedure(walking) => {
                    let (component, inputs) = (&walking.procedure.component, &walking.run.inputs);
                    let values = inputs.iter().map(|input| statements::input(component, input)).collect();
                    Some(Inputs { values, bits: inputs.iter().map(|input| input.bits).collect() })
                }
                Walker::Process(..) => None,
            };
            Lane { name: part.name().to_owned(), instance: None, initial: *initial, inputs }
        };
        let lanes = parts.iter().zip(walkers).zip(&self.initial).map(lane).collect();
        Chart { steps: self.steps, loop_from, ..Chart::new(&Form::COMPONENTS, lanes) }
    }
}
