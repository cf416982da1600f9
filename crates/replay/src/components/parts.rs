//! The parts of a program while a run is followed: a procedure in the interpreter, a process in its structure.

use crate::statements;
use bitvector::{Effort, Embedded, Outcome as Answer, Solver, Terms};
use cfront::display;
use cfront::interpret::{Input, Machine, Outcome, Request, Run};
use cfront::program::{Cause, EdgeId, Instruction, VariableId};
use cfront::term::{Scalar, TermId};
use encode::Encoder;
use model::composition::Component as Process;
use model::ids::{EventId, PropositionId};
use model::source::{SourceMap, Span};
use model::structure::{Ending, TAU};
use spec::graph::{Graph, Place, Step};
use spec::{Part, Prepared, Procedure, Question, Specification};
use std::collections::{HashMap, VecDeque};

/// A part of the program, on its way.
pub enum Walker<'a> {
    /// A procedure.
    Procedure(Box<Walking<'a>>),
    /// A process, and its state.
    Process(&'a Process, u32),
}

/// A procedure in the interpreter.
pub struct Walking<'a> {
    /// The procedure.
    pub procedure: &'a Procedure,
    /// Its steps.
    pub graph: Graph,
    /// The interpreter.
    pub machine: Machine<'a>,
    /// What it did.
    pub run: Run,
    /// Where it is.
    pub node: u32,
    alphabet: Vec<EventId>,
    propositions: Vec<PropositionId>,
    inputs: VecDeque<u64>,
}

/// What a part did in a step.
pub enum Moved {
    /// A procedure executed this edge, with these inputs; `None` for a step in a routine that is given by a structure.
    Procedure(Option<EdgeId>, Vec<Input>, Span),
    /// A process got into a state.
    Process(u32),
}

impl<'a> Walker<'a> {
    /// A part at its beginning.
    pub fn new(
        specification: &Specification,
        question: Question,
        part: &'a Part,
        initial: Option<u32>,
        inputs: Vec<u64>,
    ) -> Result<Self, String> {
        match part {
            Part::Process(process) => match initial.filter(|state| process.structure.initial().contains(state)) {
                Some(state) => Ok(Walker::Process(process, state)),
                None => Err(format!("`{}` does not begin there", process.name)),
            },
            Part::Procedure(procedure) => {
                let asked = Prepared::new(specification, question).map_err(|reason| reason.to_string())?;
                let graph = asked.graph(procedure).map_err(|reason| reason.to_string())?;
                let mut alphabet = asked.alphabet(procedure);
                alphabet.sort_unstable();
                let propositions = asked.propositions(procedure);
                let machine = Machine::new(&procedure.component);
                let (edges, events) = (Vec::new(), Vec::new());
                let run = Run { outcome: Outcome::StepLimit, edges, inputs: Vec::new(), events };
                let node = graph.start;
                let inputs = inputs.into();
                let mut walking = Walking { procedure, graph, machine, run, node, alphabet, propositions, inputs };
                for edge in walking.graph.before.clone() {
                    walking.execute(edge)?;
                }
                Ok(Walker::Procedure(Box::new(walking)))
            }
        }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        match self {
            Walker::Procedure(walking) => &walking.procedure.name,
            Walker::Process(process, _) => &process.name,
        }
    }

    /// Whether an event happens only if it takes part.
    pub fn knows(&self, event: EventId) -> bool {
        match self {
            Walker::Procedure(walking) => walking.alphabet.binary_search(&event).is_ok(),
            Walker::Process(process, _) => process.structure.takes_part(event),
        }
    }

    /// The propositions that hold now.
    pub fn truths(&self) -> Vec<PropositionId> {
        match self {
            Walker::Procedure(walking) => walking.truths(),
            Walker::Process(process, state) => process.structure.labels(*state).to_vec(),
        }
    }

    /// Where it is, and the values that matter for what it can do and for what holds.
    pub fn standing(&self) -> (u32, Vec<u64>) {
        match self {
            Walker::Procedure(walking) => (walking.node, walking.relevant()),
            Walker::Process(_, state) => (*state, Vec::new()),
        }
    }

    /// How many inputs it has used.
    pub fn used(&self) -> usize {
        match self {
            Walker::Procedure(walking) => walking.run.inputs.len(),
            Walker::Process(..) => 0,
        }
    }

    /// How it ends, if it does.
    pub fn ending(&self) -> Ending {
        match self {
            Walker::Process(process, state) => process.structure.ending(*state),
            Walker::Procedure(walking) => walking.place().ending(walking.graph.quiet),
        }
    }

    /// Something went wrong.
    pub fn is_wrong(&self) -> bool {
        self.ending() == Ending::Error
    }

    /// The events that it has steps for; [`TAU`] among them if it can move alone. Whether a procedure is ready for an event
    /// depends on its place only, and where it has silent steps one of them can always be taken.
    pub fn ready(&self) -> Vec<EventId> {
        let mut ready: Vec<EventId> = match self {
            Walker::Process(process, state) => process.structure.moves(*state).iter().map(|step| step.event).collect(),
            Walker::Procedure(walking) => {
                let leaving = walking.graph.nodes.get(walking.node as usize).map_or(&[][..], |node| &node.leaving);
                leaving.iter().map(|&step| walking.graph.steps[step as usize].event).collect()
            }
        };
        ready.sort_unstable();
        ready.dedup();
        ready
    }

    /// The steps with an event that are possible now, on some inputs: of a procedure the numbers of steps, of a process the
    /// states that it can get into.
    pub fn steps_with(&mut self, event: EventId) -> Vec<u32> {
        match self {
            Walker::Process(process, state) => {
                process.structure.moves_with(*state, event).iter().map(|step| step.to).collect()
            }
            Walker::Procedure(walking) => {
                let leaving = walking.graph.nodes.get(walking.node as usize).map_or(&[][..], |node| &node.leaving);
                let steps = leaving.iter().copied().filter(|&step| walking.graph.steps[step as usize].event == event);
                let steps: Vec<u32> = steps.collect();
                steps.into_iter().filter(|&step| walking.solution(step).is_some()).collect()
            }
        }
    }

    /// What a step is, in the words of the text.
    pub fn what(&self, code: u32, sources: &SourceMap) -> String {
        match self {
            Walker::Process(process, _) => process.state_name(code),
            Walker::Procedure(walking) => {
                let component = &walking.procedure.component;
                let edge = walking.graph.steps.get(code as usize).and_then(|step| step.edge);
                match edge {
                    Some(edge) => statements::statement(component, sources, component.edge(edge)),
                    None => sources.text(self.span()).split_whitespace().collect::<Vec<_>>().join(" "),
                }
            }
        }
    }

    /// Where that is written.
    pub fn span(&self) -> Span {
        match self {
            Walker::Process(process, state) => process.state_span(*state),
            Walker::Procedure(walking) => {
                walking.graph.nodes.get(walking.node as usize).map_or(walking.procedure.span, |node| node.span)
            }
        }
    }

    /// Takes a step, or says why it cannot.
    pub fn take(&mut self, event: Option<EventId>, code: u32) -> Result<Moved, String> {
        match self {
            Walker::Procedure(walking) => walking.take(event.unwrap_or(TAU), code),
            Walker::Process(process, state) => {
                let moves = process.structure.moves_with(*state, event.unwrap_or(TAU));
                if !moves.iter().any(|step| step.to == code) {
                    return Err(format!("`{}` has no such step", process.name));
                }
                *state = code;
                Ok(Moved::Process(code))
            }
        }
    }
}

impl Walking<'_> {
    /// Where it is.
    pub fn place(&self) -> Place {
        self.graph.nodes.get(self.node as usize).map_or(Place::Done, |node| node.place)
    }

    /// The inputs that the next step asks for: what they are, and their types.
    pub fn wanted(&self, code: u32) -> Vec<(String, Scalar)> {
        let component = &self.procedure.component;
        let Some(step) = self.graph.steps.get(code as usize) else { return Vec::new() };
        let called = step.edge.map(|edge| &component.edge(edge).instruction);
        let wanted = step.inputs.iter().map(|&(variable, _)| {
            let name = display::name(component, variable);
            let what = match called {
                Some(Instruction::Call { routine, result, .. }) if *result == Some(variable) => {
                    format!("`{routine}` returns")
                }
                Some(Instruction::Call { routine, .. }) => format!("`{routine}` leaves in `{name}`"),
                Some(Instruction::Havoc(_, Cause::Nondet(routine))) => format!("`{routine}` returns"),
                _ => format!("`{name}` is"),
            };
            (what, component.variable(variable).scalar)
        });
        wanted.collect()
    }

    /// These are the inputs of what comes next.
    pub fn supply(&mut self, inputs: Vec<u64>) {
        self.inputs = inputs.into();
    }

    /// Whether a step is possible on these inputs.
    pub fn fits(&mut self, code: u32, inputs: &[u64]) -> bool {
        let Some(step) = self.graph.steps.get(code as usize).cloned() else { return false };
        self.completed(&step, &self.values(), inputs).is_some()
    }

    /// Inputs on which a step is possible now, if there are any.
    pub fn solution(&mut self, code: u32) -> Option<Vec<u64>> {
        let step = self.graph.steps.get(code as usize)?.clone();
        self.completed(&step, &self.values(), &[])
    }

    /// The values of the variables, by number.
    fn values(&self) -> Vec<u64> {
        let numbers = 0..self.procedure.component.variables.len() as u32;
        numbers.map(|number| self.machine.bits(VariableId(number))).collect()
    }

    fn relevant(&self) -> Vec<u64> {
        let numbers = (0..self.graph.relevant.len()).filter(|&number| self.graph.relevant[number]);
        numbers.map(|number| self.machine.bits(VariableId(number as u32))).collect()
    }

    fn truths(&self) -> Vec<PropositionId> {
        let each = self.propositions.iter().zip(&self.graph.propositions);
        let holds = |term: TermId| self.graph.terms.evaluate(term, &|variable| self.machine.bits(variable)) == 1;
        each.filter(|(_, term)| holds(**term)).map(|(&id, _)| id).collect()
    }

    fn take(&mut self, event: EventId, code: u32) -> Result<Moved, String> {
        let name = &self.procedure.name;
        let step = self.graph.steps.get(code as usize).filter(|step| step.source == self.node && step.event == event);
        let Some(step) = step.cloned() else { return Err(format!("`{name}` has no such step")) };
        let values = self.values();
        let before = self.run.inputs.len();
        if let Some(edge) = step.edge {
            self.execute(edge)?;
        }
        let inputs: Vec<Input> = self.run.inputs[before..].to_vec();
        if step.inputs.len() != inputs.len() {
            return Err(format!("`{}` asks for other inputs", self.procedure.name));
        }
        let given: Vec<u64> = inputs.iter().map(|input| input.bits).collect();
        if self.completed(&step, &values, &given).is_none() {
            return Err(format!("the step of `{}` is not possible with these values", self.procedure.name));
        }
        self.node = step.target;
        Ok(Moved::Procedure(step.edge, inputs, step.span))
    }

    /// The inputs of a step with which its guard holds for these values of the variables, of which the first are given; none
    /// if there are no such inputs.
    fn completed(&mut self, step: &Step, values: &[u64], given: &[u64]) -> Option<Vec<u64>> {
        let (component, pool) = (&self.procedure.component, &mut self.graph.terms);
        let mut numbers = HashMap::new();
        for variable in pool.variables(step.guard) {
            if let Some(&bits) = values.get(variable.0 as usize) {
                numbers.insert(variable, pool.constant(i128::from(bits), component.variable(variable).scalar));
            }
        }
        for (&(_, input), &bits) in step.inputs.iter().zip(given) {
            let number = pool.constant(i128::from(bits), pool.scalar(input));
            numbers.extend(pool.variables(input).into_iter().map(|variable| (variable, number)));
        }
        let guard = pool.substitute(step.guard, &numbers);
        let mut solved: Vec<u64> = given.iter().copied().take(step.inputs.len()).collect();
        match pool.constant_bits(guard) {
            Some(0) => return None,
            Some(_) => solved.resize(step.inputs.len(), 0),
            None => {
                let mut terms = Terms::new();
                let mut encoder = Encoder::new(component, pool, &mut terms);
                let guard = encoder.term(&mut terms, guard);
                let effort = Effort::unlimited();
                let Answer::Sat(model) = Embedded::new().check(&terms, &[guard], &effort) else { return None };
                let rest = step.inputs[solved.len()..].iter().map(|&(_, input)| encoder.term(&mut terms, input));
                solved.extend(rest.map(|input| model.get(input) as u64));
            }
        }
        Some(solved)
    }

    /// Executes one edge, and it must be this one.
    fn execute(&mut self, edge: EdgeId) -> Result<(), String> {
        let (inputs, mut missing) = (&mut self.inputs, false);
        let mut next = |_: &Request| {
            inputs.pop_front().unwrap_or_else(|| {
                missing = true;
                0
            })
        };
        let outcome = self.machine.step(&mut next, &mut self.run);
        if let Some(outcome) = outcome {
            self.run.outcome = outcome;
        }
        let name = &self.procedure.name;
        match (missing, outcome) {
            (true, _) => Err(format!("`{name}` asks for an input that is not there")),
            (_, Some(Outcome::Blocked)) => Err(format!("`{name}` cannot go on with these values")),
            _ if self.run.edges.last() != Some(&edge) => Err(format!("`{name}` goes another way with these values")),
            _ => Ok(()),
        }
    }
}
