//! One automaton: its variables, its states, its transitions.
//!
//! A transition without data is one action: a send, a receive, or nothing. With a guard or assignments it is a
//! deterministic step: the guard decides, then the channel is used, then the variables are set. A step cannot be
//! blocked once it has begun, so the guard of a receive asks for the message as well.

use super::{Lowering, channel_variable, local_variable};
use crate::START;
use crate::ast::{self, Automaton, Transition};
use model::diagnostic::Diagnostic;
use model::expr::{BinaryOp, Expr, Pattern};
use model::ids::{EdgeId, LocationId};
use model::network::{
    Action, Choice, Deterministic, Edge, Initial, Location, Machine, MachineKind, ReceiveMode, ScalarType, Variable,
};
use model::source::Span;
use std::collections::HashMap;

impl<'f> Lowering<'f, '_> {
    /// The machine of an automaton.
    pub(super) fn machine(&mut self, index: usize) -> Machine {
        let automaton = &self.file.automata[index];
        let mut machine = Machine {
            name: automaton.name.text.clone(),
            kind: MachineKind::Process,
            parameters: 0,
            variables: self.variables(automaton),
            locations: automaton.states.iter().map(location).collect(),
            edges: Vec::new(),
            initial: LocationId(0),
            provided: None,
            span: automaton.name.span,
        };
        for (from, state) in automaton.states.iter().enumerate() {
            for transition in &state.transitions {
                if let Some(edge) = self.edge(index, from.into(), transition) {
                    machine.locations[from].edges.push(EdgeId::from(machine.edges.len()));
                    machine.edges.push(edge);
                }
            }
        }
        let mut initial: Vec<(LocationId, Span)> = Vec::new();
        for name in &automaton.initial {
            let state = self.state(index, name).filter(|state| initial.iter().all(|(other, _)| other != state));
            initial.extend(state.map(|state| (state, name.span)));
        }
        match initial.as_slice() {
            [] => {}
            [(only, _)] => machine.initial = *only,
            several => begin_in_one_of(&mut machine, several),
        }
        machine
    }

    fn variables(&mut self, automaton: &'f Automaton) -> Vec<Variable> {
        let mut first: HashMap<&str, Span> = HashMap::new();
        let mut variables = Vec::new();
        for declared in &automaton.variables {
            if let Some(span) = first.insert(&declared.name.text, declared.name.span) {
                self.twice("variable", &declared.name, span);
            }
            if declared.real {
                let message = format!("the real variable `{}` is not supported", declared.name.text);
                let error = Diagnostic::error("S0110", declared.name.span, message);
                self.report(error.help("declare it as `int`, if whole numbers will do"));
            }
            let value = self.constant(declared).unwrap_or(0);
            variables.push(Variable {
                name: declared.name.text.clone(),
                ty: ScalarType::Int,
                dimensions: Vec::new(),
                initial: if value == 0 { Initial::Zero } else { Initial::Value(Expr::Const(value)) },
                span: declared.name.span,
            });
        }
        variables
    }

    fn edge(&mut self, automaton: usize, from: LocationId, transition: &'f Transition) -> Option<Edge> {
        let to = self.state(automaton, &transition.to);
        let action = self.transition_action(automaton, transition);
        Some(Edge { from, to: to?, action: action?, atomic: false, escape: 0, span: transition.span })
    }

    fn transition_action(&mut self, automaton: usize, transition: &'f Transition) -> Option<Action> {
        let guard = match &transition.guard {
            Some(guard) if !guard.is_true() => Some(self.expression(automaton, guard)?),
            _ => None,
        };
        let channel = match &transition.action {
            Some(action) => Some(self.channel_action(action)?),
            None => None,
        };
        let assignments = self.assignments(automaton, &transition.assignments)?;
        Some(one_step(guard, channel, assignments, transition.span))
    }

    fn channel_action(&mut self, action: &ast::Action) -> Option<Action> {
        let (channel, message) = (self.channel(&action.channel), self.message(&action.message));
        let (channel, message) = (channel_variable(channel?, action.channel.span), Expr::Const(message?));
        Some(match action.send {
            true => Action::Send { channel, message: vec![message], sorted: false },
            false => Action::Receive { channel, pattern: vec![Pattern::Match(message)], mode: ReceiveMode::default() },
        })
    }

    fn assignments(&mut self, automaton: usize, list: &'f [(ast::Name, ast::Formula)]) -> Option<Vec<Action>> {
        let mut assigned: HashMap<usize, Span> = HashMap::new();
        let mut actions = Vec::new();
        for (name, formula) in list {
            let variable = self.variable(automaton, name)?;
            let value = self.expression(automaton, formula)?;
            let reads = |index: usize| value.any(&|e| matches!(e, Expr::Read(p) if p.variable.index() == index));
            let earlier = assigned.iter().find(|&(&index, _)| reads(index) || index == variable).map(|(_, span)| *span);
            if let Some(earlier) = earlier {
                let error = Diagnostic::error("S0112", name.span, "it depends on the order what this assignment does");
                let error = error.also(earlier, "this variable is assigned by the same transition");
                self.report(error.help("use two transitions, with a state between them"));
                return None;
            }
            assigned.insert(variable, name.span);
            actions.push(Action::Assign(local_variable(variable, name.span), value));
        }
        Some(actions)
    }
}

/// A place to start from, with an internal step to each of the initial states.
fn begin_in_one_of(machine: &mut Machine, states: &[(LocationId, Span)]) {
    let start = LocationId::from(machine.locations.len());
    let span = states.first().map(|(_, span)| *span);
    let mut location = Location { labels: vec![START.to_owned()], span, ..Location::default() };
    for &(to, span) in states {
        location.edges.push(EdgeId::from(machine.edges.len()));
        machine.edges.push(Edge { from: start, to, action: Action::Skip, atomic: false, escape: 0, span });
    }
    machine.locations.push(location);
    machine.initial = start;
}

fn location(state: &ast::State) -> Location {
    Location {
        labels: vec![state.name.text.clone()],
        end: state.transitions.is_empty(),
        span: Some(state.name.span),
        ..Location::default()
    }
}

/// A guard, a use of a channel and assignments as one action.
fn one_step(guard: Option<Expr>, channel: Option<Action>, assignments: Vec<Action>, span: Span) -> Action {
    match (guard, channel, assignments.is_empty()) {
        (None, None, true) => Action::Skip,
        (None, Some(channel), true) => channel,
        (Some(guard), None, true) => Action::Condition(guard),
        (guard, channel, _) => {
            let guard = executable(guard, channel.as_ref());
            let actions: Vec<Action> = channel.into_iter().chain(assignments).collect();
            let last = actions.len().saturating_sub(1);
            let choice = |(index, action): (usize, Action)| {
                let next = (index < last).then_some(index as u32 + 1);
                vec![Choice { action, next, span }]
            };
            let nodes = actions.into_iter().enumerate().map(choice).collect();
            Action::Deterministic(Box::new(Deterministic { guard, nodes }))
        }
    }
}

/// When the step can be taken: nothing if always.
fn executable(guard: Option<Expr>, channel: Option<&Action>) -> Vec<Action> {
    match (guard, channel) {
        (Some(guard), Some(Action::Receive { channel, pattern, .. })) => {
            let channel = Box::new(channel.clone());
            let head = Expr::Poll { channel, pattern: pattern.clone(), anywhere: false };
            vec![Action::Condition(Expr::Binary(BinaryOp::And, Box::new(guard), Box::new(head)))]
        }
        (Some(guard), _) => vec![Action::Condition(guard)],
        (None, Some(receive @ Action::Receive { .. })) => vec![receive.clone()],
        (None, _) => Vec::new(),
    }
}
