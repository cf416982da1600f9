//! Runs of C programs: executed once more, step by step, and described in the words of the text.
//!
//! The inputs of the run are all that is taken over. Where they lead is for the interpreter to say; a run that does not end
//! in an error that counts is none. Its chart leaves out steps that show nothing: those that only move
//! intermediate values of the front end, and tests that nothing is wrong.

use crate::{Replayed, statements, unconfirmed};
use cfront::Component;
use cfront::interpret::{Input, Machine, Outcome, Request, Run};
use cfront::program::{Edge, ErrorKind};
use model::chart::{Chart, ChartStep, Form, Gap, Inputs, Lane, Move};
use model::reason::Reason;
use model::source::{SourceMap, Span};
use std::collections::VecDeque;

/// Of a longer run so many steps at its beginning are in the chart, and so many at its end.
const MOST_STEPS: usize = 10_000;

impl Replayed {
    /// A run of a C program, executed on its inputs; it must end in an error that counts.
    pub fn program(
        component: &Component,
        sources: &SourceMap,
        counts: &dyn Fn(&ErrorKind) -> bool,
        found: &Run,
    ) -> Result<(Replayed, Chart, Run), Reason> {
        let executed = executed(component, sources, counts, found);
        let (chart, run) = executed.map_err(|end| unconfirmed(&format!("it ends with {end:?}")))?;
        Ok((Replayed { steps: run.edges.len() }, chart, run))
    }
}

/// The run as a chart, and itself, if it ends in an error that counts; how it ends, if not.
pub fn executed(
    component: &Component,
    sources: &SourceMap,
    counts: &dyn Fn(&ErrorKind) -> bool,
    found: &Run,
) -> Result<(Chart, Run), Outcome> {
    let mut narrator = Narrator::new(component, sources);
    let run = narrator.follow(found);
    match run.outcome {
        Outcome::Error(kind, span) if counts(&kind) => Ok((narrator.chart(&run, kind, span), run)),
        other => Err(other),
    }
}

/// Describes a run step by step.
pub struct Narrator<'a> {
    component: &'a Component,
    sources: &'a SourceMap,
    /// The values that are known to the reader.
    known: Vec<Option<u64>>,
    first: Vec<ChartStep>,
    last: VecDeque<ChartStep>,
    left_out: u64,
    /// The procedures that were seen so far.
    lanes: Vec<Lane>,
}

impl<'a> Narrator<'a> {
    /// Nothing is described yet.
    pub fn new(component: &'a Component, sources: &'a SourceMap) -> Self {
        let known = vec![None; component.variables.len()];
        Narrator { component, sources, known, first: Vec::new(), last: VecDeque::new(), left_out: 0, lanes: Vec::new() }
    }

    /// Executes the inputs of a run.
    fn follow(&mut self, found: &Run) -> Run {
        let mut machine = Machine::new(self.component);
        let mut run = Run { outcome: Outcome::StepLimit, edges: Vec::new(), inputs: Vec::new(), events: Vec::new() };
        let mut inputs = found.inputs.iter();
        let mut answer = |_: &Request| inputs.next().map_or(0, |input| input.bits);
        while run.edges.len() < found.edges.len() {
            let inputs_before = run.inputs.len();
            let end = machine.step(&mut answer, &mut run);
            if let Some(&edge) = run.edges.last().filter(|_| end != Some(Outcome::Blocked)) {
                self.describe(self.component.edge(edge), &machine, &run.inputs[inputs_before..]);
            }
            if let Some(outcome) = end {
                run.outcome = outcome;
                break;
            }
        }
        run
    }

    fn describe(&mut self, edge: &Edge, machine: &Machine<'_>, inputs: &[Input]) {
        if let Some(step) = self.step(edge, machine, inputs) {
            self.push(step);
        }
    }

    /// A step that was taken, if it shows something.
    pub fn step(&mut self, edge: &Edge, machine: &Machine<'_>, inputs: &[Input]) -> Option<ChartStep> {
        let changes = statements::changes(self.component, machine, edge, &mut self.known);
        let remarks = inputs.iter().filter_map(|input| statements::remark(self.component, input));
        let remarks: Vec<String> = remarks.chain(statements::failed_assertion(self.component, machine, edge)).collect();
        let shown = !changes.is_empty() || !remarks.is_empty() || statements::is_shown(self.component, edge);
        shown.then(|| {
            let lane = self.lane(&self.component.location(edge.source).procedure);
            let does = statements::statement(self.component, self.sources, edge);
            let one = Move { lane, span: Some(edge.span), does, states: None, changes, remarks };
            ChartStep { moves: vec![one], shown: true, ..ChartStep::default() }
        })
    }

    /// The lane of a procedure.
    fn lane(&mut self, procedure: &str) -> usize {
        self.lanes.iter().position(|lane| lane.name == procedure).unwrap_or_else(|| {
            self.lanes.push(Lane { name: procedure.to_owned(), ..Lane::default() });
            self.lanes.len() - 1
        })
    }

    fn push(&mut self, step: ChartStep) {
        if self.first.len() < MOST_STEPS {
            self.first.push(step);
            return;
        }
        self.last.push_back(step);
        if self.last.len() > MOST_STEPS {
            self.last.pop_front();
            self.left_out += 1;
        }
    }

    fn chart(mut self, run: &Run, kind: ErrorKind, span: Span) -> Chart {
        let values = run.inputs.iter().map(|input| statements::input(self.component, input)).collect();
        let inputs = Inputs { values, bits: run.inputs.iter().map(|input| input.bits).collect() };
        if self.lanes.is_empty() {
            self.lanes.push(Lane::default());
        }
        self.lanes[0].inputs = Some(inputs);
        let gap = Gap { after: self.first.len(), steps: self.left_out };
        Chart {
            steps: self.first.into_iter().chain(self.last).collect(),
            gap: Some(gap).filter(|gap| gap.steps > 0),
            problem: kind.to_string(),
            problem_code: kind.code(),
            problem_span: Some(span),
            ..Chart::new(&Form::PROGRAM, self.lanes)
        }
    }
}
