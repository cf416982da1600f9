//! From a component of C and the behaviour of its routines to nodes and steps.

use super::{Action, Behaviour, Graph, Node, Place, RETURNING, Returns, Step};
use crate::decided::decided;
use crate::encode::{Translation, sort_of, variables};
use crate::expression::Expression;
use bitvector::{Op, Sort, TermId, Terms};
use cfront::program::{Component, EdgeId, Instruction, LocationId, VariableId, VariableKind};
use cfront::term::Scalar;
use model::diagnostic::Diagnostic;
use model::source::Span;
use model::structure::TAU;
use std::collections::{BTreeMap, HashMap, HashSet};

type Built<T> = Result<T, Box<Diagnostic>>;

/// What a graph is made of.
pub(crate) struct Source<'s> {
    pub(crate) component: &'s Component,
    pub(crate) routines: &'s BTreeMap<String, Behaviour>,
    pub(crate) propositions: &'s [Expression],
    pub(crate) hints: &'s [Expression],
    /// The returns that are events.
    pub(crate) returns: &'s [&'s Returns],
    /// Whether failed assumptions are shown.
    pub(crate) blocks: bool,
    /// Whether errors are ends like others.
    pub(crate) quiet: bool,
}

/// Makes the graph of a component.
pub(crate) fn build(source: &Source<'_>) -> Built<Graph> {
    let component = source.component;
    let mut terms = Terms::new();
    let variables = variables(component, &mut terms);
    let yes = terms.bool(true);
    let graph = Graph {
        terms,
        variables: variables.clone(),
        nodes: Vec::new(),
        steps: Vec::new(),
        start: 0,
        first: Vec::new(),
        first_inputs: Vec::new(),
        before: Vec::new(),
        propositions: Vec::new(),
        hints: Vec::new(),
        relevant: vec![false; component.variables.len()],
        quiet: source.quiet,
        conditional_return: None,
    };
    let translation = Translation::new(component, &variables);
    let mut builder = Builder { source, graph, translation, nodes: HashMap::new(), todo: Vec::new(), yes };
    builder.begin();
    while let Some(node) = builder.todo.pop() {
        builder.expand(node)?;
    }
    builder.finish()
}

struct Builder<'s> {
    source: &'s Source<'s>,
    graph: Graph,
    translation: Translation<'s>,
    nodes: HashMap<Place, u32>,
    todo: Vec<u32>,
    yes: TermId,
}

impl<'s> Builder<'s> {
    fn node(&mut self, place: Place) -> u32 {
        if let Some(&node) = self.nodes.get(&place) {
            return node;
        }
        let component = self.source.component;
        let span = match place {
            Place::Location(at) | Place::Blocked(at) => component.location(at).span,
            Place::Inside { call: edge, .. } | Place::Wrong(edge) => component.edge(edge).span,
            Place::Done => Span::NONE,
        };
        let node = self.graph.nodes.len() as u32;
        self.graph.nodes.push(Node { place, leaving: Vec::new(), span });
        self.nodes.insert(place, node);
        self.todo.push(node);
        node
    }

    /// The values of the first state: all variables are 0, and then globals get theirs.
    fn begin(&mut self) {
        let component = self.source.component;
        let zeros = component.variables.iter().map(|v| self.graph.terms.constant_of(sort_of(v.scalar), 0));
        let mut first: Vec<TermId> = zeros.collect();
        let (mut at, mut seen, mut given) = (component.entry, HashSet::new(), HashSet::new());
        while seen.insert(at) {
            let mut leaving = component.leaving(at);
            let (Some((id, edge)), None) = (leaving.next(), leaving.next()) else { break };
            let lasting = |variable: VariableId| {
                let kind = component.variable(variable).kind;
                matches!(kind, VariableKind::Global | VariableKind::Static | VariableKind::Literal)
            };
            // What is assigned again is assigned by the body.
            let written: Vec<VariableId> = match &edge.instruction {
                Instruction::Assign(list) => list.iter().map(|&(variable, _)| variable).collect(),
                Instruction::Havoc(list, _) => list.clone(),
                _ => break,
            };
            if !written.iter().all(|&variable| lasting(variable) && given.insert(variable)) {
                break;
            }
            match &edge.instruction {
                Instruction::Assign(list) => {
                    let values: HashMap<TermId, TermId> =
                        self.graph.variables.iter().copied().zip(first.iter().copied()).collect();
                    let mut new = Vec::new();
                    for &(variable, value) in list {
                        let value = self.translation.term(&mut self.graph.terms, value);
                        new.push((variable, self.graph.terms.substitute(value, &values)));
                    }
                    new.into_iter().for_each(|(variable, value)| first[variable.0 as usize] = value);
                }
                Instruction::Havoc(list, _) => {
                    for &variable in list {
                        let input = self.input(variable, &format!("first#{}", self.graph.first_inputs.len()));
                        self.graph.first_inputs.push((variable, input));
                        first[variable.0 as usize] = input;
                    }
                }
                _ => break,
            }
            self.graph.before.push(id);
            at = edge.target;
        }
        self.graph.first = first;
        self.graph.start = self.node(Place::Location(at));
    }

    fn input(&mut self, variable: VariableId, name: &str) -> TermId {
        let scalar = self.source.component.variable(variable).scalar;
        self.graph.terms.var(&format!("input#{name}"), sort_of(scalar))
    }

    fn term(&mut self, term: cfront::term::TermId) -> TermId {
        self.translation.term(&mut self.graph.terms, term)
    }

    /// A step without guard, update and inputs.
    fn step(&self, source: u32, target: u32, span: Span) -> Step {
        let (update, inputs, open) = Default::default();
        Step { source, target, via: 0, event: TAU, guard: self.yes, update, inputs, open, edge: None, span }
    }

    fn add(&mut self, mut step: Step) {
        if self.graph.terms.as_const(step.guard) == Some(0) {
            return;
        }
        let leaving = &self.graph.nodes[step.source as usize].leaving;
        let same = |&other: &&u32| {
            let other = &self.graph.steps[*other as usize];
            other.target == step.target && other.event == step.event
        };
        step.via = leaving.iter().filter(same).count() as u32;
        self.graph.nodes[step.source as usize].leaving.push(self.graph.steps.len() as u32);
        self.graph.steps.push(step);
    }

    fn expand(&mut self, node: u32) -> Built<()> {
        match self.graph.nodes[node as usize].place {
            Place::Location(at) => self.location(node, at),
            Place::Inside { call, structure, state } => self.inside(node, call, structure, state),
            Place::Blocked(at) => {
                self.add(self.step(node, node, self.source.component.location(at).span));
                Ok(())
            }
            Place::Done | Place::Wrong(_) => Ok(()),
        }
    }

    fn location(&mut self, node: u32, at: LocationId) -> Built<()> {
        let component = self.source.component;
        let (mut covered, mut only_assumptions) = (self.graph.terms.bool(false), true);
        for (id, edge) in component.leaving(at) {
            match &edge.instruction {
                Instruction::Assume(condition) => {
                    let guard = self.term(*condition);
                    covered = self.graph.terms.or(covered, guard);
                    let target = self.node(Place::Location(edge.target));
                    self.add(Step { guard, edge: Some(id), ..self.step(node, target, edge.span) });
                }
                _ => {
                    only_assumptions = false;
                    self.edge(node, id)?;
                }
            }
        }
        if self.source.blocks && only_assumptions {
            let guard = self.graph.terms.not(covered);
            if possible(&self.graph.terms, guard) {
                let (target, span) = (self.node(Place::Blocked(at)), component.location(at).span);
                self.add(Step { guard, ..self.step(node, target, span) });
            }
        }
        Ok(())
    }

    fn edge(&mut self, node: u32, id: EdgeId) -> Built<()> {
        let component = self.source.component;
        let edge = component.edge(id);
        let place = match &edge.instruction {
            Instruction::Call { .. } => return self.call(node, id),
            Instruction::Return(value) => return self.returned(node, id, *value),
            Instruction::Stop(_) => Place::Done,
            Instruction::Error(_) => Place::Wrong(id),
            _ => Place::Location(edge.target),
        };
        let target = self.node(place);
        let mut step = Step { edge: Some(id), ..self.step(node, target, edge.span) };
        match &edge.instruction {
            Instruction::Assign(list) => {
                for &(variable, value) in list {
                    let value = self.term(value);
                    step.update.push((variable, value));
                }
            }
            Instruction::Havoc(list, _) => self.open(&mut step, list),
            _ => {}
        }
        self.add(step);
        Ok(())
    }

    /// Variables get any values.
    fn open(&mut self, step: &mut Step, list: &[VariableId]) {
        for &variable in list {
            let name = format!("{}#{}", self.graph.steps.len(), step.open.len());
            let input = self.input(variable, &name);
            step.update.retain(|&(known, _)| known != variable);
            step.update.push((variable, input));
            step.inputs.push((variable, input));
            step.open.push(input);
        }
    }

    fn returned(&mut self, node: u32, id: EdgeId, value: Option<cfront::term::TermId>) -> Built<()> {
        let edge = self.source.component.edge(id);
        let target = self.node(Place::Done);
        let step = Step { edge: Some(id), ..self.step(node, target, edge.span) };
        let dollars = match value {
            Some(value) => vec![Some((self.term(value), self.source.component.terms.scalar(value)))],
            None => vec![None],
        };
        self.add_return(step, None, &dollars)
    }

    /// The returns of a routine, or of the procedure, if they are events.
    fn watched(&self, routine: Option<&str>) -> Option<&'s Returns> {
        self.source.returns.iter().find(|returns| returns.routine.as_deref() == routine).copied()
    }

    /// A step that returns: if it is watched, one for each combination of the conditions.
    fn add_return(&mut self, step: Step, routine: Option<&str>, dollars: &[Option<(TermId, Scalar)>]) -> Built<()> {
        let Some(returns) = self.watched(routine) else {
            self.add(step);
            return Ok(());
        };
        let mut truths = Vec::new();
        for condition in &returns.conditions {
            truths.push(self.condition(condition, dollars)?);
        }
        for (bits, &event) in returns.events.iter().enumerate() {
            let mut guard = step.guard;
            for (number, &truth) in truths.iter().enumerate() {
                let literal = if bits >> number & 1 == 1 { truth } else { self.graph.terms.not(truth) };
                guard = self.graph.terms.and(guard, literal);
            }
            self.add(Step { event, guard, ..step.clone() });
        }
        Ok(())
    }

    fn condition(&mut self, condition: &Expression, dollars: &[Option<(TermId, Scalar)>]) -> Built<TermId> {
        condition.term(self.source.component, &self.graph.variables, dollars, &mut self.graph.terms)
    }

    /// The arguments of a call as `$1`, `$2`, …; there is no `$0` yet.
    fn arguments(&mut self, call: EdgeId) -> Vec<Option<(TermId, Scalar)>> {
        let component = self.source.component;
        let Instruction::Call { arguments, .. } = &component.edge(call).instruction else { return Vec::new() };
        let mut dollars = vec![None];
        for &argument in arguments {
            dollars.push(Some((self.term(argument), component.terms.scalar(argument))));
        }
        dollars
    }

    fn call(&mut self, node: u32, id: EdgeId) -> Built<()> {
        let edge = self.source.component.edge(id);
        let Instruction::Call { routine, result, writes, .. } = &edge.instruction else { return Ok(()) };
        let Some(behaviour) = self.source.routines.get(routine) else {
            let message = format!("it is not known what the routine `{routine}` does");
            return Err(Box::new(Diagnostic::error("M0102", edge.span, message)));
        };
        match behaviour {
            Behaviour::Event(event) if self.watched(Some(routine)).is_some() => {
                let target = self.node(Place::Inside { call: id, structure: RETURNING, state: 0 });
                self.add(Step { event: *event, ..self.step(node, target, edge.span) });
            }
            Behaviour::Event(event) => {
                let target = self.node(Place::Location(edge.target));
                let mut step = Step { event: *event, edge: Some(id), ..self.step(node, target, edge.span) };
                let all: Vec<VariableId> = writes.iter().copied().chain(*result).collect();
                self.open(&mut step, &all);
                self.add(step);
            }
            Behaviour::Structures(structures) => {
                let dollars = self.arguments(id);
                let mut covered = self.graph.terms.bool(false);
                for (number, (condition, structure)) in structures.iter().enumerate() {
                    let guard = self.condition(condition, &dollars)?;
                    covered = self.graph.terms.or(covered, guard);
                    let inside = Place::Inside { call: id, structure: number as u32, state: structure.initial };
                    let error = structure.states.get(structure.initial as usize).is_none_or(|state| state.error);
                    let target = self.node(if error { Place::Wrong(id) } else { inside });
                    self.add(Step { guard, ..self.step(node, target, edge.span) });
                }
                let guard = self.graph.terms.not(covered);
                if possible(&self.graph.terms, guard) {
                    let target = self.node(Place::Wrong(id));
                    self.add(Step { guard, ..self.step(node, target, edge.span) });
                }
            }
        }
        Ok(())
    }

    fn inside(&mut self, node: u32, call: EdgeId, number: u32, state: u32) -> Built<()> {
        let edge = self.source.component.edge(call);
        let Instruction::Call { routine, .. } = &edge.instruction else { return Ok(()) };
        if number == RETURNING {
            return self.leave(node, call, None);
        }
        let Some(Behaviour::Structures(structures)) = self.source.routines.get(routine) else { return Ok(()) };
        let structure = &structures[number as usize].1;
        for (action, to) in &structure.states[state as usize].moves {
            match action {
                Action::Event(event) => {
                    let error = structure.states[*to as usize].error;
                    let inside = Place::Inside { call, structure: number, state: *to };
                    let target = self.node(if error { Place::Wrong(call) } else { inside });
                    self.add(Step { event: *event, ..self.step(node, target, edge.span) });
                }
                Action::Return(condition) => self.leave(node, call, Some(condition))?,
            }
        }
        Ok(())
    }

    /// The routine returns: its result and what it may write get values for which the condition holds.
    fn leave(&mut self, node: u32, call: EdgeId, condition: Option<&Expression>) -> Built<()> {
        let edge = self.source.component.edge(call);
        let Instruction::Call { routine, result, writes, .. } = &edge.instruction else { return Ok(()) };
        let target = self.node(Place::Location(edge.target));
        let mut step = Step { edge: Some(call), ..self.step(node, target, edge.span) };
        let all: Vec<VariableId> = writes.iter().copied().chain(*result).collect();
        self.open(&mut step, &all);
        let mut dollars = self.arguments(call);
        let value = match (*result, step.inputs.last()) {
            (Some(result), Some(&(_, input))) => (input, self.source.component.variable(result).scalar),
            // Nobody looks at the result; there is one all the same.
            _ => {
                let name = format!("input#{}#{}", self.graph.steps.len(), step.open.len());
                let input = self.graph.terms.var(&name, Sort::Bv(32));
                step.open.push(input);
                (input, Scalar::signed(32))
            }
        };
        if let Some(first) = dollars.first_mut() {
            *first = Some(value);
        }
        if let Some(condition) = condition {
            self.constrain(&mut step, condition, &dollars)?;
        }
        self.add_return(step, Some(routine), &dollars)
    }

    /// The condition under which a routine returns.
    fn constrain(
        &mut self,
        step: &mut Step,
        condition: &Expression,
        dollars: &[Option<(TermId, Scalar)>],
    ) -> Built<()> {
        step.guard = self.condition(condition, dollars)?;
        // A result of which the condition says what it is, is that: a variable that takes it takes a constant, or a value
        // that is made of variables.
        for (_, new) in &mut step.update {
            *new = defined(&self.graph.terms, step.guard, *new, &step.open).unwrap_or(*new);
        }
        let decided = decided(&self.graph.terms, step.guard);
        if decided == Some(false) {
            let error = Diagnostic::error("M0106", condition.span, "no value satisfies this condition");
            return Err(Box::new(error.label("the routine could never return")));
        }
        let free = self.graph.terms.free_variables(&[step.guard]);
        let conditional = decided.is_none() || free.iter().any(|variable| !step.open.contains(variable));
        if conditional && !defines(&self.graph.terms, step.guard, &step.open) {
            self.graph.conditional_return = Some(condition.span);
        }
        Ok(())
    }

    fn finish(mut self) -> Built<Graph> {
        for proposition in self.source.propositions {
            let term = self.condition(proposition, &[])?;
            self.graph.propositions.push(term);
        }
        for hint in self.source.hints {
            let term = self.condition(hint, &[])?;
            self.graph.hints.push(term);
        }
        self.graph.mark_relevant();
        Ok(self.graph)
    }
}

/// What a condition says that an input is, if it says so outright: a value that is made of other things than inputs.
fn defined(terms: &Terms, condition: TermId, input: TermId, inputs: &[TermId]) -> Option<TermId> {
    let settled = |value: TermId| terms.free_variables(&[value]).iter().all(|variable| !inputs.contains(variable));
    let mut todo = vec![condition];
    while let Some(next) = todo.pop() {
        let node = terms.node(next);
        match (node.op(), node.arguments()) {
            (Op::And, parts) => todo.extend_from_slice(parts),
            (Op::Eq, &[a, b]) if a == input && settled(b) => return Some(b),
            (Op::Eq, &[a, b]) if b == input && settled(a) => return Some(a),
            _ => {}
        }
    }
    None
}

/// Whether a condition says what an input is, and nothing else: then there is always such an input.
fn defines(terms: &Terms, condition: TermId, inputs: &[TermId]) -> bool {
    let is_equation = terms.node(condition).op() == Op::Eq;
    is_equation && inputs.iter().any(|&input| defined(terms, condition, input, inputs).is_some())
}

/// Whether a condition can hold at all. What is not decided counts as possible.
fn possible(terms: &Terms, condition: TermId) -> bool {
    decided(terms, condition) != Some(false)
}
