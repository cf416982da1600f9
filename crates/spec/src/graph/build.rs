//! From a component of C and the behaviour of its routines to nodes and steps.

use super::{Access, Action, Behaviour, Graph, Node, Place, RETURNING, Returns, Step};
use crate::decided::decided;
use crate::expression::{Dollars, Expression};
use cfront::program::{Cause, Component, Edge, EdgeId, Instruction, LocationId, VariableId, VariableKind};
use cfront::term::{Operation, Scalar, Term, TermId, Terms};
use model::diagnostic::Diagnostic;
use model::ids::EventId;
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
    /// Its copies of shared variables.
    pub(crate) shared: HashMap<VariableId, Accessed>,
    /// Whether failed assumptions are shown.
    pub(crate) blocks: bool,
    /// Whether errors are ends like others.
    pub(crate) quiet: bool,
}

/// What the others see of the accesses to a shared variable.
#[derive(Clone, Debug)]
pub(crate) struct Accessed {
    /// Which one it is.
    pub(crate) variable: usize,
    /// Where the next class of values begins, by rising value.
    pub(crate) cuts: Vec<u64>,
    /// The event of a load, and that of a store, for the first class; those of the others follow.
    pub(crate) load: EventId,
    pub(crate) store: EventId,
    /// The races that a load, and that a store can be part of.
    pub(crate) load_races: Vec<EventId>,
    pub(crate) store_races: Vec<EventId>,
}

impl Accessed {
    /// Accesses that nobody sees.
    pub(crate) fn unseen(variable: usize) -> Accessed {
        let (cuts, load_races, store_races) = Default::default();
        Accessed { variable, cuts, load: TAU, store: TAU, load_races, store_races }
    }
}

/// Makes the graph of a component.
pub(crate) fn build(source: &Source<'_>) -> Built<Graph> {
    let component = source.component;
    let mut terms = component.terms.clone();
    let yes = terms.truth(true);
    let graph = Graph {
        terms,
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
    let next_input = component.variables.len() as u32;
    let (nodes, todo) = Default::default();
    let mut builder = Builder { source, graph, nodes, todo, yes, next_input, next_plain: 0 };
    builder.begin();
    while let Some(node) = builder.todo.pop() {
        builder.expand(node)?;
    }
    builder.finish()
}

struct Builder<'s> {
    source: &'s Source<'s>,
    graph: Graph,
    nodes: HashMap<Place, u32>,
    todo: Vec<u32>,
    yes: TermId,
    /// The number of the next input.
    next_input: u32,
    /// The number of the next step in the graph with one class of values.
    next_plain: u32,
}

impl<'s> Builder<'s> {
    fn node(&mut self, place: Place) -> u32 {
        if let Some(&node) = self.nodes.get(&place) {
            return node;
        }
        let component = self.source.component;
        let span = match place {
            Place::Location(at) | Place::Blocked(at) => component.location(at).span,
            Place::Inside { call: edge, .. } | Place::Wrong(edge) | Place::Racing(edge) => component.edge(edge).span,
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
        let zeros = component.variables.iter().map(|v| self.graph.terms.constant(0, v.scalar));
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
                    let values: HashMap<VariableId, TermId> =
                        (0..).map(VariableId).zip(first.iter().copied()).collect();
                    for &(variable, value) in list {
                        first[variable.0 as usize] = self.graph.terms.substitute(value, &values);
                    }
                }
                Instruction::Havoc(list, _) => {
                    for &variable in list {
                        let input = self.input(component.variable(variable).scalar);
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

    fn input(&mut self, scalar: Scalar) -> TermId {
        self.next_input += 1;
        self.graph.terms.variable(VariableId(self.next_input - 1), scalar)
    }

    /// A step without guard, update and inputs.
    fn step(&self, source: u32, target: u32, span: Span) -> Step {
        let (update, inputs, open) = Default::default();
        let (edge, access, plain) = (None, None, self.next_plain);
        Step { source, target, via: 0, event: TAU, guard: self.yes, update, inputs, open, edge, access, plain, span }
    }

    fn add(&mut self, step: Step) {
        if self.graph.terms.constant_bits(step.guard) != Some(0) {
            self.push(step);
            self.next_plain += 1;
        }
    }

    fn push(&mut self, mut step: Step) {
        step.plain = self.next_plain;
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
            Place::Done | Place::Wrong(_) | Place::Racing(_) => Ok(()),
        }
    }

    fn location(&mut self, node: u32, at: LocationId) -> Built<()> {
        let component = self.source.component;
        let (mut covered, mut only_assumptions) = (self.graph.terms.truth(false), true);
        for (id, edge) in component.leaving(at) {
            match &edge.instruction {
                Instruction::Assume(condition) => {
                    let guard = *condition;
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
        if let Some((access, value)) = self.accessed(edge) {
            self.access(node, id, access, value);
            return Ok(());
        }
        self.check_written(edge)?;
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
                step.update.clone_from(list);
            }
            Instruction::Havoc(list, _) => self.open(&mut step, list),
            _ => {}
        }
        self.add(step);
        Ok(())
    }

    /// The access that an edge is, and the value that is stored. What globals hold at the start is not stored.
    fn accessed(&self, edge: &Edge) -> Option<(Access, Option<TermId>)> {
        let (component, shared) = (self.source.component, &self.source.shared);
        match &edge.instruction {
            Instruction::Havoc(list, Cause::Shared(variable)) => {
                let found = shared.get(variable)?.variable;
                Some((Access::Load(found, *list.first()?), None))
            }
            Instruction::Assign(list) if edge.span != component.location(component.entry).span => {
                let &(variable, value) = list.first()?;
                Some((Access::Store(shared.get(&variable)?.variable, variable), Some(value)))
            }
            _ => None,
        }
    }

    /// What a routine without a body writes, or may write, is no store of the program.
    fn check_written(&self, edge: &Edge) -> Built<()> {
        let component = self.source.component;
        let mut written: Vec<VariableId> = Vec::new();
        match &edge.instruction {
            _ if edge.span == component.location(component.entry).span => {}
            Instruction::Assign(list) => written.extend(list.iter().map(|(variable, _)| variable)),
            Instruction::Havoc(list, _) => written.extend(list),
            Instruction::Call { result, writes, .. } => written.extend(result.iter().chain(writes)),
            _ => {}
        }
        match written.into_iter().find(|variable| self.source.shared.contains_key(variable)) {
            None => Ok(()),
            Some(variable) => {
                let name = &component.variable(variable).name;
                let message =
                    format!("`{name}` is shared, and a routine without a body may write it: that is not supported");
                Err(Box::new(Diagnostic::error("M0109", edge.span, message)))
            }
        }
    }

    /// A step for each class of values, and one into each race.
    fn access(&mut self, node: u32, id: EdgeId, access: Access, stored: Option<TermId>) {
        let source = self.source;
        let edge = source.component.edge(id);
        let target = self.node(Place::Location(edge.target));
        let mut step = Step { edge: Some(id), access: Some(access), ..self.step(node, target, edge.span) };
        let (variable, into) = match (&edge.instruction, access) {
            (Instruction::Havoc(_, Cause::Shared(variable)), Access::Load(_, into)) => (*variable, Some(into)),
            (_, Access::Load(_, variable) | Access::Store(_, variable)) => (variable, None),
        };
        let Some(accessed) = source.shared.get(&variable) else { return };
        self.open(&mut step, into.as_slice());
        let (value, first, races) = match (stored, step.open.first()) {
            (Some(value), _) => {
                step.update.push((variable, value));
                (value, accessed.store, &accessed.store_races)
            }
            (None, Some(&input)) => (input, accessed.load, &accessed.load_races),
            (None, None) => return,
        };
        let value = self.graph.terms.convert(value, source.component.variable(variable).scalar);
        for class in 0..=accessed.cuts.len() {
            let guard = self.in_class(value, &accessed.cuts, class);
            if self.graph.terms.constant_bits(guard) != Some(0) {
                let event = if first == TAU { TAU } else { EventId(first.0 + class as u32) };
                self.push(Step { event, guard, ..step.clone() });
            }
        }
        self.next_plain += 1;
        for &event in races {
            let target = self.node(Place::Racing(id));
            self.add(Step { event, ..self.step(node, target, edge.span) });
        }
    }

    /// Whether a value lies between two neighbouring cuts.
    fn in_class(&mut self, value: TermId, cuts: &[u64], class: usize) -> TermId {
        let terms = &mut self.graph.terms;
        let scalar = terms.scalar(value);
        let mut guard = terms.truth(true);
        if let Some(&low) = class.checked_sub(1).and_then(|below| cuts.get(below)) {
            let low = terms.constant(i128::from(low), scalar);
            guard = terms.binary(Operation::LessEqual, low, value);
        }
        if let Some(&high) = cuts.get(class) {
            let high = terms.constant(i128::from(high), scalar);
            let below = terms.binary(Operation::Less, value, high);
            guard = terms.and(guard, below);
        }
        guard
    }

    /// Variables get any values.
    fn open(&mut self, step: &mut Step, list: &[VariableId]) {
        for &variable in list {
            let input = self.input(self.source.component.variable(variable).scalar);
            step.update.retain(|&(known, _)| known != variable);
            step.update.push((variable, input));
            step.inputs.push((variable, input));
            step.open.push(input);
        }
    }

    fn returned(&mut self, node: u32, id: EdgeId, value: Option<TermId>) -> Built<()> {
        let edge = self.source.component.edge(id);
        let target = self.node(Place::Done);
        let step = Step { edge: Some(id), ..self.step(node, target, edge.span) };
        self.add_return(step, None, &[value])
    }

    /// The returns of a routine, or of the procedure, if they are events.
    fn watched(&self, routine: Option<&str>) -> Option<&'s Returns> {
        self.source.returns.iter().find(|returns| returns.routine.as_deref() == routine).copied()
    }

    /// A step that returns: if it is watched, one for each combination of the conditions.
    fn add_return(&mut self, step: Step, routine: Option<&str>, dollars: Dollars<'_>) -> Built<()> {
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

    fn condition(&mut self, condition: &Expression, dollars: Dollars<'_>) -> Built<TermId> {
        condition.term(self.source.component, dollars, &mut self.graph.terms)
    }

    /// The arguments of a call as `$1`, `$2`, …; there is no `$0` yet.
    fn arguments(&self, call: EdgeId) -> Vec<Option<TermId>> {
        let edge = self.source.component.edge(call);
        let Instruction::Call { arguments, .. } = &edge.instruction else { return Vec::new() };
        std::iter::once(None).chain(arguments.iter().copied().map(Some)).collect()
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
                let mut covered = self.graph.terms.truth(false);
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
            (Some(_), Some(&(_, input))) => input,
            // The program does not look at the result; there is one all the same.
            _ => {
                let input = self.input(Scalar::signed(32));
                step.open.push(input);
                input
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
    fn constrain(&mut self, step: &mut Step, condition: &Expression, dollars: Dollars<'_>) -> Built<()> {
        step.guard = self.condition(condition, dollars)?;
        let inputs: Vec<VariableId> = step.open.iter().flat_map(|&input| self.graph.terms.variables(input)).collect();
        // A result of which the condition says what it is, is that: a variable that takes it takes a constant, or a value
        // that is made of variables.
        for (_, new) in &mut step.update {
            if let Some(value) = defined(&self.graph.terms, step.guard, *new, &inputs) {
                *new = self.graph.terms.convert(value, self.graph.terms.scalar(*new));
            }
        }
        let decided = decided(&self.graph.terms, step.guard);
        if decided == Some(false) {
            let error = Diagnostic::error("M0106", condition.span, "no value satisfies this condition");
            return Err(Box::new(error.label("the routine could never return")));
        }
        let free = self.graph.terms.variables(step.guard);
        let conditional = decided.is_none() || free.iter().any(|variable| !inputs.contains(variable));
        if conditional && !defines(&self.graph.terms, step.guard, &step.open, &inputs) {
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
        self.check_shared()?;
        self.graph.mark_relevant();
        Ok(self.graph)
    }
}

impl Builder<'_> {
    /// What the specification says in expressions is about the variables of one part: a shared variable is loaded and
    /// stored, and there is nothing to look at in between.
    fn check_shared(&self) -> Built<()> {
        let terms = &self.graph.terms;
        let steps = self.graph.steps.iter().flat_map(|step| {
            let values = step.update.iter().map(|&(_, value)| value);
            values.chain([step.guard]).map(|term| (term, step.span))
        });
        let source = self.source.propositions.iter().chain(self.source.hints).map(|expression| expression.span);
        let asked = self.graph.propositions.iter().chain(&self.graph.hints).copied().zip(source);
        let mut seen = HashSet::new();
        for (term, span) in steps.chain(asked) {
            for variable in terms.new_variables(term, &mut seen) {
                if self.source.shared.contains_key(&variable) {
                    let name = &self.source.component.variable(variable).name;
                    let message = format!("`{name}` is shared: the specification cannot look at its value");
                    let error = Diagnostic::error("M0109", span, message);
                    return Err(Box::new(error.help("an assertion in C can, after a load")));
                }
            }
        }
        Ok(())
    }
}

/// What a condition says that an input is, if it says so outright: a value that is made of other things than inputs, up to
/// its sign.
fn defined(terms: &Terms, condition: TermId, input: TermId, inputs: &[VariableId]) -> Option<TermId> {
    let settled = |value: TermId| terms.variables(value).iter().all(|variable| !inputs.contains(variable));
    let is_input = |side: TermId| match terms.get(side) {
        Term::Convert(inner) => inner == input && terms.scalar(side).width == terms.scalar(input).width,
        _ => side == input,
    };
    let mut todo = vec![condition];
    while let Some(next) = todo.pop() {
        match terms.get(next) {
            Term::Binary(Operation::And, a, b) if terms.scalar(next).width == 1 => todo.extend([a, b]),
            Term::Binary(Operation::Equal, a, b) if is_input(a) && settled(b) => return Some(b),
            Term::Binary(Operation::Equal, a, b) if is_input(b) && settled(a) => return Some(a),
            _ => {}
        }
    }
    None
}

/// Whether a condition says what an input is, and nothing else: then there is always such an input.
fn defines(terms: &Terms, condition: TermId, open: &[TermId], inputs: &[VariableId]) -> bool {
    let is_equation = matches!(terms.get(condition), Term::Binary(Operation::Equal, ..));
    is_equation && open.iter().any(|&input| defined(terms, condition, input, inputs).is_some())
}

/// Whether a condition can hold at all. What is not decided counts as possible.
fn possible(terms: &Terms, condition: TermId) -> bool {
    decided(terms, condition) != Some(false)
}
