//! State machines: what a message does in a state, as edges.
//!
//! A message is taken where the innermost active state waits. From there every transition that could react is an edge with its
//! whole condition: its own guards, those of the junctions, entry and exit points behind it, and that nothing further inside
//! reacts. If nothing reacts at all, the message is unexpected and lost.
//!
//! A segment of a transition lies in a region. When it is taken, that region has no active state any more; it leads to a state of
//! the region, to a choice, into the region of a state (through its entry point, after its entry code) or into the region around
//! (through an exit point, after the exit code). The state that was last active in a region is in a variable.

use super::Lowering;
use super::actions::Scopes;
use super::build::{Build, place, value};
use super::variables::{self, Names};
use crate::action;
use crate::ast::{Code, NodeKind, Trigger, TriggerKind};
use crate::resolve::{Class, MachineData, Messages, VertexId, unsupported};
use model::diagnostic::Diagnostic;
use model::expr::{BinaryOp, Expr, Pattern, UnaryOp};
use model::ids::{LocationId, VariableId};
use model::network::{Action, Machine, ReceiveMode, ScalarType};
use model::source::Span;
use std::collections::HashMap;

/// More edges than this of one machine are more than anything could explore.
const MOST_EDGES: usize = 100_000;
/// The most ways through junctions from one transition.
const MOST_PATHS: usize = 64;

/// A message that is being handled: the port and the event; none while a capsule starts.
pub(super) type Cause<'a> = Option<(usize, &'a str)>;

/// Where code continues.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Point {
    /// The entry code of a state, then what is inside it.
    Enter(usize),
    /// What is inside a state: what was last active, else its initial transition.
    Inside(usize),
    Choice(usize),
}

/// A way through pseudo states up to a state, a choice or a history.
struct Path {
    segments: Vec<usize>,
    guards: Vec<Expr>,
}

/// One machine.
pub(super) struct Handlers<'h, 'l, 'a, 'd> {
    pub(super) lowering: &'h Lowering<'l, 'a>,
    pub(super) instance: usize,
    pub(super) class: &'l Class<'a>,
    data: &'l MachineData<'a>,
    pub(super) build: Build,
    pub(super) names: Names,
    pub(super) messages: &'h mut Messages<'d>,
    /// Per state: where it waits, and the state of its region that was last active.
    waits: Vec<LocationId>,
    last: Vec<VariableId>,
    points: HashMap<(Point, Cause<'a>), LocationId>,
}

/// The machine of an instance.
pub(super) fn machine<'a>(
    lowering: &Lowering<'_, 'a>,
    instance: usize,
    name: String,
    messages: &mut Messages<'_>,
) -> Machine {
    let class = lowering.instances.class(instance);
    let span = class.capsule.name.span;
    let mut build = Build::new(span);
    let names = variables::names(lowering.library, class, &mut build);
    let Some(data) = &class.machine else { return super::process_type(name, span) };
    let initial = build.location();
    let waits: Vec<LocationId> = data.states.iter().map(|_| build.location()).collect();
    let last = data.states.iter().map(|state| {
        build.variable(format!("last active in {}", state.name.text), ScalarType::Byte, 0, state.name.span)
    });
    let last = last.collect();
    let points = HashMap::new();
    let mut handlers = Handlers { lowering, instance, class, data, build, names, messages, waits, last, points };
    handlers.all(initial);
    let Handlers { mut build, waits, .. } = handlers;
    build.make_atomic(&waits);
    build.machine(name, initial, span)
}

impl<'l, 'a> Handlers<'_, 'l, 'a, '_> {
    fn all(&mut self, initial: LocationId) {
        if self.data.states.len().max(self.data.nodes.len()) >= usize::from(u8::MAX) {
            self.messages
                .report(unsupported(self.data.span, "a state machine with more than 254 states or pseudo states"));
            return;
        }
        if let Some(first) = self.data.initial(None) {
            self.branch(initial, &[first], None, None);
        }
        for state in 0..self.data.states.len() {
            self.state(state);
            if self.messages.any() || self.build.edges.len() > MOST_EDGES {
                break;
            }
        }
        if self.build.edges.len() > MOST_EDGES {
            self.messages
                .report(unsupported(self.data.span, "a state machine with so many combinations of transitions"));
        }
    }

    /// A state and those around it, from inside.
    fn outwards(&self, state: usize) -> Vec<usize> {
        std::iter::successors(Some(state), |&state| self.data.states[state].parent).collect()
    }

    /// What a state does with each message.
    fn state(&mut self, state: usize) {
        let wait = self.waits[state];
        let mut path: Vec<&str> =
            self.outwards(state).iter().map(|&s| self.data.states[s].name.text.as_str()).collect();
        path.reverse();
        let final_state = !self.outwards(state).iter().any(|&level| self.reacts(level));
        self.build.label(wait, &path.join("."), final_state);
        let span = self.data.states[state].name.span;
        self.build.locations[wait.index()].span = Some(span);
        let class = self.class;
        for port in 0..class.ports.len() {
            if !class.ports[port].behavior {
                continue;
            }
            for event in &class.ports[port].alphabet.incoming {
                self.message(state, port, &event.text);
            }
        }
    }

    /// Whether a state has a transition of its own that waits for a message.
    fn reacts(&self, state: usize) -> bool {
        (0..self.data.transitions.len())
            .any(|t| self.belongs(t, state) && !self.data.transitions[t].triggers.is_empty())
    }

    /// Whether a transition starts from a state: from the state itself, from within it without leaving it, or from a point of it
    /// that no transition leads to.
    fn belongs(&self, transition: usize, state: usize) -> bool {
        let data = &self.data.transitions[transition];
        match data.vertices {
            None => data.owner == Some(state),
            Some((VertexId::State(from), _)) => from == state,
            Some((VertexId::Node(node), _)) => {
                let point = matches!(self.data.nodes[node].kind, NodeKind::EntryPoint | NodeKind::ExitPoint);
                point && self.data.nodes[node].parent == Some(state) && !self.has_incoming(node)
            }
            Some(_) => false,
        }
    }

    fn has_incoming(&self, node: usize) -> bool {
        self.data.transitions.iter().any(|t| matches!(t.vertices, Some((_, to)) if to == VertexId::Node(node)))
    }

    /// What a state does with one message.
    fn message(&mut self, state: usize, port: usize, event: &'a str) {
        let name = &self.class.ports[port].name.text;
        let symbol = self.lowering.symbols[&(name.clone(), event.to_owned())];
        let span = self.data.states[state].name.span;
        let queue = super::global(self.lowering.queues[&self.instance], span);
        let pattern = vec![Pattern::Match(Expr::Const(symbol))];
        let receive = Action::Receive { channel: queue, pattern, mode: ReceiveMode::default() };
        let taken = self.build.then(self.waits[state], receive, span);
        let cause = Some((port, event));
        let mut earlier: Option<Expr> = None;
        for level in self.outwards(state) {
            let mut here: Option<Expr> = None;
            for transition in 0..self.data.transitions.len() {
                if !self.belongs(transition, level) {
                    continue;
                }
                for trigger in self.data.transitions[transition].triggers {
                    if !matches(trigger, name, event) {
                        continue;
                    }
                    let own = trigger.guard.as_ref().map(|code| self.guard(code, cause));
                    for path in self.paths(transition, cause) {
                        let condition = all(own.iter().chain(&path.guards).cloned());
                        let blocked = earlier.clone().map(not);
                        // What is further inside is evaluated first.
                        let whole = all(blocked.into_iter().chain(condition.clone()));
                        here = Some(any(here, condition.unwrap_or(Expr::Const(1))));
                        let start = self.condition(taken, whole, self.data.transitions[transition].span);
                        self.follow(start, &path, Some(state), cause);
                    }
                }
            }
            if let Some(here) = here {
                let always = here.constant() == Some(1);
                earlier = Some(any(earlier, here));
                if always {
                    return;
                }
            }
        }
        let unexpected = self.condition(taken, earlier.map(not), span);
        let format = format!("unexpected message {name}.{event}\\n");
        let print = Action::Print { format, arguments: Vec::new() };
        self.build.edge(unexpected, self.waits[state], print, span);
    }

    /// A location behind a condition.
    fn condition(&mut self, from: LocationId, condition: Option<Expr>, span: Span) -> LocationId {
        let action = condition.map_or(Action::Skip, Action::Condition);
        self.build.then(from, action, span)
    }

    fn guard(&mut self, code: &'a Code, cause: Cause<'a>) -> Expr {
        match action::condition(code) {
            Ok(e) => self.exact_guard(&e, cause),
            Err(error) => {
                self.messages.report(unreadable(&error));
                Expr::Const(0)
            }
        }
    }

    fn is_else(code: &Code) -> bool {
        code.text.trim().trim_end_matches(';') == "else"
    }

    /// The ways from a transition up to a state, a choice or a history.
    fn paths(&mut self, transition: usize, cause: Cause<'a>) -> Vec<Path> {
        let mut found = Vec::new();
        let guards = self.own_guard(transition, &[], cause);
        self.extend(Path { segments: vec![transition], guards }, cause, &mut found);
        found
    }

    /// The guard of a segment; `else` is true if no other segment from its vertex is.
    fn own_guard(&mut self, transition: usize, others: &[usize], cause: Cause<'a>) -> Vec<Expr> {
        let data = &self.data.transitions[transition];
        let from_choice = matches!(data.vertices, Some((VertexId::Node(node), _))
            if self.data.nodes[node].kind == NodeKind::Choice);
        let code = match data.guard {
            Some(code) if Self::is_else(code) => code,
            Some(code) => return vec![self.guard(code, cause)],
            // In ROOM the branch without a condition is the one that is taken otherwise.
            None if self.lowering.library.is_room() && from_choice => {
                let others = others.iter().filter(|&&other| other != transition);
                let guards: Vec<_> = others.filter_map(|&other| self.data.transitions[other].guard).collect();
                return guards.into_iter().map(|code| not(self.guard(code, cause))).collect();
            }
            None => return Vec::new(),
        };
        let mut negated = Vec::new();
        for &other in others.iter().filter(|&&other| other != transition) {
            match self.data.transitions[other].guard {
                Some(code) if !Self::is_else(code) => negated.push(not(self.guard(code, cause))),
                _ => self.messages.report(unsupported(code.span, "`else` beside a branch without a guard")),
            }
        }
        if others.is_empty() {
            self.messages.report(unsupported(code.span, "`else` at a transition from a state"));
        }
        negated
    }

    fn extend(&mut self, path: Path, cause: Cause<'a>, found: &mut Vec<Path>) {
        let Some(&last) = path.segments.last() else { return };
        let span = self.data.transitions[last].span;
        let cycle = path.segments[..path.segments.len() - 1].contains(&last);
        if cycle || found.len() >= MOST_PATHS {
            let what = if cycle { "a cycle of junctions" } else { "so many ways through junctions" };
            self.messages.report(unsupported(span, what));
            return;
        }
        let onward = self.onward(last);
        if onward.is_empty() {
            found.push(path);
            return;
        }
        for &next in &onward {
            let own = self.own_guard(next, &onward, cause);
            let has_else = self.data.transitions[next].guard.is_some_and(Self::is_else);
            if has_else && onward.iter().any(|&other| other != next && !self.onward(other).is_empty()) {
                self.messages.report(unsupported(span, "`else` beside a branch to another junction"));
            }
            let segments = path.segments.iter().copied().chain([next]).collect();
            let guards = path.guards.iter().cloned().chain(own).collect();
            self.extend(Path { segments, guards }, cause, found);
        }
    }

    /// The segments behind a segment that ends at a junction, an entry point or an exit point.
    fn onward(&mut self, segment: usize) -> Vec<usize> {
        let data = &self.data.transitions[segment];
        let Some((_, VertexId::Node(node))) = data.vertices else { return Vec::new() };
        let (kind, parent) = (self.data.nodes[node].kind, self.data.nodes[node].parent);
        let region = match kind {
            NodeKind::Choice => return Vec::new(),
            NodeKind::Junction if parent == data.owner => parent,
            // Out of the region through its own exit point.
            NodeKind::ExitPoint if parent == data.owner && parent.is_some() => {
                parent.and_then(|state| self.data.states[state].parent)
            }
            // Into the region of a state of this region.
            NodeKind::EntryPoint
                if parent != data.owner && parent.is_some_and(|s| self.data.states[s].parent == data.owner) =>
            {
                parent
            }
            _ => {
                self.messages.report(unsupported(data.span, "a transition to this point"));
                return Vec::new();
            }
        };
        let leaves = |t: &usize| {
            let data = &self.data.transitions[*t];
            data.owner == region && matches!(data.vertices, Some((from, _)) if from == VertexId::Node(node))
        };
        let onward: Vec<usize> = (0..self.data.transitions.len()).filter(leaves).collect();
        if let Some(&triggered) = onward.iter().find(|&&t| !self.data.transitions[t].triggers.is_empty()) {
            let span = self.data.transitions[triggered].span;
            self.messages.report(unsupported(span, "a trigger behind a pseudo state"));
        }
        if onward.is_empty() && kind == NodeKind::Junction {
            let error = Diagnostic::error("U0123", data.span, "this transition ends at a junction that leads nowhere");
            self.messages.report(error);
        }
        onward
    }

    /// Takes the segments of a path, from the innermost active state if there is one.
    fn follow(&mut self, from: LocationId, path: &Path, active: Option<usize>, cause: Cause<'a>) {
        let mut at = from;
        for (position, &segment) in path.segments.iter().enumerate() {
            let data = &self.data.transitions[segment];
            if position == 0 {
                let Some(_) = data.vertices else {
                    // An internal transition leaves nothing.
                    at = self.effect(at, data.effect, cause);
                    let Some(active) = active else { return };
                    self.build.edge(at, self.waits[active], Action::Skip, data.span);
                    return;
                };
                for state in active.map_or_else(Vec::new, |active| self.outwards(active)) {
                    if Some(state) == data.owner {
                        break;
                    }
                    at = self.leave(at, state, cause);
                }
            }
            at = self.effect(at, data.effect, cause);
            let Some((_, to)) = data.vertices else { return };
            if let VertexId::Node(node) = to {
                let parent = self.data.nodes[node].parent;
                let last = position + 1 == path.segments.len();
                match (self.data.nodes[node].kind, parent) {
                    (NodeKind::ExitPoint, Some(state)) if !last => at = self.leave(at, state, cause),
                    (NodeKind::ExitPoint, Some(state)) => {
                        let inside = self.point(Point::Inside(state), cause);
                        self.build.edge(at, inside, Action::Skip, data.span);
                    }
                    (NodeKind::EntryPoint, Some(state)) if !last => at = self.enter(at, state, cause),
                    (NodeKind::EntryPoint, Some(state)) => {
                        let enter = self.point(Point::Enter(state), cause);
                        self.build.edge(at, enter, Action::Skip, data.span);
                    }
                    (NodeKind::Choice, _) => {
                        let choice = self.point(Point::Choice(node), cause);
                        self.build.edge(at, choice, Action::Skip, data.span);
                    }
                    _ => {}
                }
                continue;
            }
            self.arrive(at, to, data.owner, data.span, cause);
        }
    }

    fn arrive(&mut self, at: LocationId, to: VertexId, owner: Option<usize>, span: Span, cause: Cause<'a>) {
        let target = match to {
            VertexId::State(state) if self.data.states[state].parent == owner => self.point(Point::Enter(state), cause),
            VertexId::History { deep: true } if owner.is_some() => match owner {
                Some(state) => self.point(Point::Inside(state), cause),
                None => return,
            },
            _ => {
                self.messages.report(unsupported(span, "a transition to this vertex"));
                return;
            }
        };
        self.build.edge(at, target, Action::Skip, span);
    }

    /// Exit code, and the state is the one that was last active in its region.
    fn leave(&mut self, from: LocationId, state: usize, cause: Cause<'a>) -> LocationId {
        let mut at = from;
        for code in self.data.states[state].exit.clone() {
            at = self.effect(at, Some(code), cause);
        }
        let Some(parent) = self.data.states[state].parent else { return at };
        let span = self.data.states[state].name.span;
        let remember = Action::Assign(place(self.last[parent], span), Expr::Const(state as i32 + 1));
        self.build.then(at, remember, span)
    }

    fn enter(&mut self, from: LocationId, state: usize, cause: Cause<'a>) -> LocationId {
        let mut at = from;
        for code in self.data.states[state].entry.clone() {
            at = self.effect(at, Some(code), cause);
        }
        at
    }

    fn effect(&mut self, from: LocationId, code: Option<&'a Code>, cause: Cause<'a>) -> LocationId {
        let Some(code) = code.filter(|code| !code.is_blank()) else { return from };
        match action::statements(code) {
            Ok(statements) => self.run(from, &statements, code.span, &mut Scopes::new(cause)),
            Err(error) => {
                self.messages.report(unreadable(&error));
                from
            }
        }
    }

    /// The location of a point, with all that follows from it.
    fn point(&mut self, point: Point, cause: Cause<'a>) -> LocationId {
        if let Some(&known) = self.points.get(&(point, cause)) {
            return known;
        }
        let at = self.build.location();
        self.points.insert((point, cause), at);
        if self.build.edges.len() > MOST_EDGES {
            return at;
        }
        match point {
            Point::Enter(state) => {
                let inner = self.enter(at, state, cause);
                let inside = self.point(Point::Inside(state), cause);
                self.build.edge(inner, inside, Action::Skip, self.data.states[state].name.span);
            }
            Point::Inside(state) => self.inside(at, state, cause),
            Point::Choice(node) => self.choice(at, node, cause),
        }
        at
    }

    fn inside(&mut self, at: LocationId, state: usize, cause: Cause<'a>) {
        let span = self.data.states[state].name.span;
        let children: Vec<usize> =
            (0..self.data.states.len()).filter(|&child| self.data.states[child].parent == Some(state)).collect();
        if children.is_empty() {
            self.build.edge(at, self.waits[state], Action::Skip, span);
            return;
        }
        let last_is = |number: i32, last: VariableId| {
            Expr::Binary(BinaryOp::Equal, Box::new(value(last, span)), Box::new(Expr::Const(number)))
        };
        for child in children {
            let enter = self.point(Point::Enter(child), cause);
            let condition = last_is(child as i32 + 1, self.last[state]);
            self.build.edge(at, enter, Action::Condition(condition), span);
        }
        let first = self.build.then(at, Action::Condition(last_is(0, self.last[state])), span);
        match self.data.initial(Some(state)) {
            Some(initial) => self.branch(first, &[initial], None, cause),
            None => self.build.edge(first, self.waits[state], Action::Skip, span),
        }
    }

    fn choice(&mut self, at: LocationId, node: usize, cause: Cause<'a>) {
        let owner = self.data.nodes[node].parent;
        let leaves = |t: &usize| {
            let data = &self.data.transitions[*t];
            data.owner == owner && matches!(data.vertices, Some((from, _)) if from == VertexId::Node(node))
        };
        let branches: Vec<usize> = (0..self.data.transitions.len()).filter(leaves).collect();
        if let Some(&triggered) = branches.iter().find(|&&t| !self.data.transitions[t].triggers.is_empty()) {
            let span = self.data.transitions[triggered].span;
            self.messages.report(unsupported(span, "a trigger behind a pseudo state"));
        }
        self.branch(at, &branches, Some(self.data.nodes[node].name.span), cause);
    }

    /// Takes one of some transitions whose condition holds. If there is none, the machine is stuck, which is an error.
    fn branch(&mut self, at: LocationId, branches: &[usize], choice: Option<Span>, cause: Cause<'a>) {
        let mut covered: Option<Expr> = None;
        for &branch in branches {
            let guards = self.own_guard(branch, branches, cause);
            let mut found = Vec::new();
            self.extend(Path { segments: vec![branch], guards }, cause, &mut found);
            for path in found {
                let condition = all(path.guards.iter().cloned());
                covered = Some(any(covered, condition.clone().unwrap_or(Expr::Const(1))));
                let start = self.condition(at, condition, self.data.transitions[branch].span);
                self.follow(start, &path, None, cause);
            }
        }
        if covered.as_ref().is_some_and(|covered| covered.constant() == Some(1)) {
            return;
        }
        let span =
            choice.or_else(|| branches.first().map(|&t| self.data.transitions[t].span)).unwrap_or(self.data.span);
        let stuck = self.condition(at, covered.map(not), span);
        self.build.then(stuck, Action::Assert(Expr::Const(0)), span);
    }
}

fn matches(trigger: &Trigger, port: &str, event: &str) -> bool {
    match &trigger.kind {
        TriggerKind::Message { port: p, event: e } => p.text == port && e.as_ref().is_none_or(|e| e.text == event),
        TriggerKind::Call => false,
    }
}

pub(super) fn unreadable(error: &action::Unreadable) -> Diagnostic {
    Diagnostic::error(
        "U0202",
        error.span,
        format!("{} is not in the subset of action code that is checked", error.what),
    )
    .label("not supported")
}

/// The conjunction; `None` if there is nothing to hold.
fn all(conditions: impl Iterator<Item = Expr>) -> Option<Expr> {
    conditions.reduce(|a, b| Expr::Binary(BinaryOp::And, Box::new(a), Box::new(b)))
}

fn any(earlier: Option<Expr>, condition: Expr) -> Expr {
    match earlier {
        _ if condition.constant() == Some(1) => condition,
        Some(earlier) if earlier.constant() == Some(1) => earlier,
        Some(earlier) => Expr::Binary(BinaryOp::Or, Box::new(earlier), Box::new(condition)),
        None => condition,
    }
}

pub(super) fn not(e: Expr) -> Expr {
    Expr::Unary(UnaryOp::Not, Box::new(e))
}
