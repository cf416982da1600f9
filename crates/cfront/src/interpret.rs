//! Running a component: what a run does is the meaning of the graph.
//!
//! Everything that the graph leaves open (results of routines, values of variables that were not initialised) comes from
//! a source of inputs; everything else is determined. A counterexample is believed only after its inputs have been run
//! here, and the test that [`crate::witness`] writes makes a compiled program take the same inputs.

use crate::program::{Cause, Component, EdgeId, ErrorKind, Instruction, LocationId, Variable, VariableId};
use crate::term::Scalar;
use model::source::Span;

/// Why an input is requested.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Purpose {
    /// See [`Cause`].
    Havoc(Cause),
    /// What a routine without a body returns.
    Result(String),
    /// What a routine without a body leaves in a variable that it can reach.
    Written(String),
}

/// A value that the graph leaves open.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Request {
    /// Why it is requested.
    pub purpose: Purpose,
    /// The variable that gets it.
    pub variable: VariableId,
    /// Its width and sign. Only as many bits of the answer are used.
    pub scalar: Scalar,
    /// Whether it is an address.
    pub pointer: bool,
    /// The text that asks.
    pub span: Span,
}

/// An input that was used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Input {
    /// What was asked.
    pub request: Request,
    /// The value, as bits.
    pub bits: u64,
}

/// Something that the component does with its environment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Event {
    /// A routine without a body was called.
    Call {
        /// Its name.
        routine: String,
        /// The values of its arguments.
        arguments: Vec<i128>,
        /// What it returned, if that is a number.
        result: Option<i128>,
    },
    /// The procedure of the component returned.
    Return(Option<i128>),
}

/// How a run ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// The procedure returns, with this value.
    Returned(Option<i128>),
    /// `exit` with this status.
    Exited(i128),
    /// `abort`.
    Aborted,
    /// Something is wrong at this place.
    Error(ErrorKind, Span),
    /// An assumption does not hold.
    Blocked,
    /// As many steps as were allowed.
    StepLimit,
}

/// A run from the start to its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Run {
    /// How it ends.
    pub outcome: Outcome,
    /// The edges that it takes.
    pub edges: Vec<EdgeId>,
    /// The inputs that it uses, in order.
    pub inputs: Vec<Input>,
    /// The events, each with the number of its edge in the run.
    pub events: Vec<(usize, Event)>,
}

/// Runs a component to its end, or for so many steps.
pub fn run(component: &Component, inputs: &mut dyn FnMut(&Request) -> u64, limit: usize) -> Run {
    let mut machine = Machine::new(component);
    let mut run = Run { outcome: Outcome::StepLimit, edges: Vec::new(), inputs: Vec::new(), events: Vec::new() };
    while run.edges.len() < limit {
        if let Some(outcome) = machine.step(inputs, &mut run) {
            run.outcome = outcome;
            break;
        }
    }
    run
}

/// A component in the middle of a run.
#[derive(Clone, Debug)]
pub struct Machine<'c> {
    component: &'c Component,
    location: LocationId,
    values: Vec<u64>,
}

impl<'c> Machine<'c> {
    /// A component at its start. Every variable is assigned before it is read.
    pub fn new(component: &'c Component) -> Self {
        Machine { component, location: component.entry, values: vec![0; component.variables.len()] }
    }

    /// Where it stands.
    pub fn location(&self) -> LocationId {
        self.location
    }

    /// The bits of a variable.
    pub fn bits(&self, variable: VariableId) -> u64 {
        self.values.get(variable.0 as usize).copied().unwrap_or(0)
    }

    /// The value of a variable as a number.
    pub fn value(&self, variable: VariableId) -> i128 {
        self.component.variable(variable).scalar.value(u128::from(self.bits(variable)))
    }

    /// Takes the step that the values allow, and records it; or says how the run ends.
    pub fn step(&mut self, inputs: &mut dyn FnMut(&Request) -> u64, run: &mut Run) -> Option<Outcome> {
        let component = self.component;
        let chosen = component.leaving(self.location).find(|(_, edge)| match edge.instruction {
            Instruction::Assume(condition) => self.evaluate(condition) == 1,
            _ => true,
        });
        let Some((id, edge)) = chosen else { return Some(Outcome::Blocked) };
        run.edges.push(id);
        self.location = edge.target;
        match &edge.instruction {
            Instruction::Nop | Instruction::Assume(_) => None,
            Instruction::Assign(list) => {
                let values: Vec<u64> = list.iter().map(|&(_, term)| self.evaluate(term) as u64).collect();
                for (&(variable, _), value) in list.iter().zip(values) {
                    self.set(variable, value);
                }
                None
            }
            Instruction::Havoc(variables, cause) => {
                for &variable in variables {
                    self.ask(inputs, run, Purpose::Havoc(cause.clone()), variable, edge.span);
                }
                None
            }
            Instruction::Call { routine, arguments, result, writes, .. } => {
                let arguments = arguments.iter().map(|&term| self.number(term)).collect();
                for &variable in writes {
                    self.ask(inputs, run, Purpose::Written(routine.clone()), variable, edge.span);
                }
                if let Some(variable) = *result {
                    self.ask(inputs, run, Purpose::Result(routine.clone()), variable, edge.span);
                }
                let result = result.map(|variable| self.value(variable));
                let event = Event::Call { routine: routine.clone(), arguments, result };
                run.events.push((run.edges.len() - 1, event));
                None
            }
            Instruction::Return(value) => {
                let value = value.map(|term| self.number(term));
                run.events.push((run.edges.len() - 1, Event::Return(value)));
                Some(Outcome::Returned(value))
            }
            Instruction::Stop(status) => Some(match status {
                Some(status) => Outcome::Exited(self.number(*status)),
                None => Outcome::Aborted,
            }),
            Instruction::Error(kind) => Some(Outcome::Error(*kind, edge.span)),
        }
    }

    fn evaluate(&self, term: crate::term::TermId) -> u128 {
        self.component.terms.evaluate(term, &|variable| self.bits(variable))
    }

    fn number(&self, term: crate::term::TermId) -> i128 {
        self.component.terms.scalar(term).value(self.evaluate(term))
    }

    fn set(&mut self, variable: VariableId, bits: u64) {
        if let Some(slot) = self.values.get_mut(variable.0 as usize) {
            *slot = bits;
        }
    }

    fn ask(
        &mut self,
        inputs: &mut dyn FnMut(&Request) -> u64,
        run: &mut Run,
        purpose: Purpose,
        variable: VariableId,
        span: Span,
    ) {
        let Variable { scalar, pointer, .. } = *self.component.variable(variable);
        let request = Request { purpose, variable, scalar, pointer, span };
        let bits = scalar.truncate(u128::from(inputs(&request))) as u64;
        self.set(variable, bits);
        run.inputs.push(Input { request, bits });
    }
}
