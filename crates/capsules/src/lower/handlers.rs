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
use super::guard::Guard;
use super::invoke::Ending;
use super::operations::operations;
use super::reach::{Reach, words_of_text};
use super::structures::Object;
use super::timers::{Request, requests};
use super::variables::{self, Names};
use super::words::{self, Told};
use crate::action::{self, Function};
use crate::ast::{Code, NodeKind, Trigger, TriggerKind};
use crate::questions::{FINAL, STUCK, UNEXPECTED};
use crate::resolve::{Class, MachineData, Messages, VertexId, unsupported};
use model::diagnostic::Diagnostic;
use model::expr::{BinaryOp, Expr, Pattern};
use model::ids::{EdgeId, LocationId, VariableId};
use model::network::{Action, Machine, ReceiveMode, ScalarType};
use model::source::Span;
use std::collections::HashMap;
use std::rc::Rc;

/// More edges than this of one machine are more than anything could explore.
const MOST_EDGES: usize = 100_000;
/// The most ways through junctions from one transition.
const MOST_PATHS: usize = 64;

/// A message that is being handled.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Message<'a> {
    pub(super) port: usize,
    pub(super) event: &'a str,
    /// It was not sent, but called by `invoke`.
    pub(super) invoked: bool,
}

/// The message that is being handled; none while a capsule starts.
pub(super) type Cause<'a> = Option<Message<'a>>;

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
    guard: Guard,
}

/// One machine.
pub(super) struct Handlers<'h, 'l, 'a, 'd> {
    pub(super) lowering: &'h Lowering<'l, 'a>,
    pub(super) instance: usize,
    pub(super) class: &'l Class<'a>,
    pub(super) machine: &'l MachineData<'a>,
    pub(super) build: Build,
    pub(super) names: Names,
    pub(super) reach: Reach,
    /// The operations whose code is known.
    pub(super) operations: HashMap<String, Rc<Function>>,
    /// What the message carries that is being handled.
    pub(super) data: Vec<Object>,
    /// The priority of the message that is being handled, if it may be deferred.
    pub(super) priority: Option<VariableId>,
    /// Where a message is kept while it moves from the head of a queue to its end.
    pub(super) moved: Vec<VariableId>,
    /// What was given to this part when it was created.
    pub(super) given: Option<Object>,
    /// Code that is not modelled could have failed an assertion.
    pub(super) may_fail: bool,
    /// It could have ended the program.
    pub(super) may_end: bool,
    pub(super) messages: &'h mut Messages<'d>,
    /// Per state: where it waits, and the state of its region that was last active.
    pub(super) waits: Vec<LocationId>,
    last: Vec<VariableId>,
    points: HashMap<(Point, Cause<'a>), LocationId>,
    /// Where anything happens, once a limit of the lowering is passed.
    pub(super) chaos: Option<LocationId>,
    /// Where handlers end.
    pub(super) rests: HashMap<(usize, Ending), LocationId>,
    /// The reply to a call: its symbol, 0 for none, and what it carries.
    pub(super) reply: Option<(VariableId, VariableId)>,
}

/// The machine of an instance.
pub(super) fn machine<'a>(
    lowering: &Lowering<'_, 'a>,
    instance: usize,
    name: String,
    messages: &mut Messages<'_>,
) -> (Machine, Vec<EdgeId>, Told) {
    let class = lowering.instances.class(instance);
    let span = class.capsule.name.span;
    let mut build = Build::new(span);
    let names = variables::names(lowering.library, class, &mut lowering.forgotten.borrow_mut(), &mut build);
    let reach = Reach::new(lowering.library, class);
    let reply = lowering.called(instance).map(|_| {
        let mut variable = |name: &str, ty| build.variable(String::from(name), ty, 0, span);
        (variable("reply (kept)", ScalarType::Byte), variable("data of the reply (kept)", ScalarType::Int))
    });
    let Some(data) = &class.machine else {
        return (super::process_type(name, span), Vec::new(), Told::default());
    };
    let initial = build.location();
    let waits: Vec<LocationId> = data.states.iter().map(|_| build.location()).collect();
    let last = data.states.iter().map(|state| {
        build.variable(format!("last active in {}", state.name.text), ScalarType::Byte, 0, state.name.span)
    });
    let last = last.collect();
    let points = HashMap::new();
    let mut handlers = Handlers {
        lowering,
        instance,
        class,
        machine: data,
        build,
        names,
        reach,
        operations: operations(class),
        data: Vec::new(),
        priority: None,
        moved: Vec::new(),
        given: None,
        may_fail: false,
        may_end: false,
        messages,
        waits,
        last,
        points,
        chaos: None,
        rests: HashMap::new(),
        reply,
    };
    if super::reads_data(class) {
        handlers.declare_data();
    }
    if lowering.deferred.contains_key(&instance) && lowering.has_priorities(instance) {
        let name = String::from("priority of the message");
        handlers.priority = Some(handlers.build.variable(name, ScalarType::Byte, 0, span));
    }
    handlers.all(initial);
    let mut build = handlers.build;
    let first = lowering.optional(instance, initial, &mut build, span);
    build.shorten();
    let told = words::told(&mut build);
    let havoc = std::mem::take(&mut build.havoc);
    (build.machine(name, first, span), havoc, told)
}

impl<'l, 'a> Handlers<'_, 'l, 'a, '_> {
    fn all(&mut self, initial: LocationId) {
        if self.machine.states.len().max(self.machine.nodes.len()) >= usize::from(u8::MAX) {
            self.messages
                .report(unsupported(self.machine.span, "a state machine with more than 254 states or pseudo states"));
            return;
        }
        let span = self.machine.span;
        let at = self.lowering.start(initial, self.instance, &mut self.build, span);
        let mut at = self.take_given(at, span);
        for snippet in self.class.lineage.iter().flat_map(|capsule| &capsule.snippets) {
            if snippet.kind.text == "ctor" {
                at = self.effect(at, Some(&snippet.code), None, None);
            }
        }
        if let Some(first) = self.machine.initial(None) {
            self.branch(at, &[first], None, None);
        }
        for state in 0..self.machine.states.len() {
            self.state(state);
            if self.messages.any() || self.build.edges.len() > MOST_EDGES {
                break;
            }
        }
        if self.build.edges.len() > MOST_EDGES {
            self.messages
                .report(unsupported(self.machine.span, "a state machine with so many combinations of transitions"));
        }
    }

    /// A state and those around it, from inside.
    fn outwards(&self, state: usize) -> Vec<usize> {
        std::iter::successors(Some(state), |&state| self.machine.states[state].parent).collect()
    }

    /// What a state does with each message.
    fn state(&mut self, state: usize) {
        let wait = self.waits[state];
        self.name(wait, state);
        let span = self.machine.states[state].name.span;
        self.build.locations[wait.index()].span = Some(span);
        let (class, lowering) = (self.class, self.lowering);
        let queues = lowering.dispatch(wait, self.instance, &mut self.build, span);
        for port in 0..class.ports.len() {
            if !class.ports[port].behavior {
                continue;
            }
            for event in &class.ports[port].alphabet.incoming {
                let event = event.text.as_str();
                self.message(state, Message { port, event, invoked: false }, &queues);
                if let Some(called) = lowering.called(self.instance)
                    && called.events.contains(&(port, event.to_owned()))
                {
                    self.message(state, Message { port, event, invoked: true }, &[(wait, called.channel)]);
                }
            }
        }
    }

    /// Labels a location that stands for a state.
    pub(super) fn name(&mut self, location: LocationId, state: usize) {
        let outwards = self.outwards(state);
        let path: Vec<&str> = outwards.iter().rev().map(|&s| self.machine.states[s].name.text.as_str()).collect();
        self.build.states.insert(location, path.join("."));
        // Who is in a state is in those around it.
        (1..=path.len()).rev().for_each(|depth| self.build.label(location, &path[..depth].join("."), true));
        if !outwards.iter().any(|&level| self.reacts(level)) {
            self.build.label(location, FINAL, true);
        }
    }

    /// Whether a state has a transition of its own that waits for a message.
    fn reacts(&self, state: usize) -> bool {
        (0..self.machine.transitions.len())
            .any(|t| self.belongs(t, state) && !self.machine.transitions[t].triggers.is_empty())
    }

    /// Whether a transition starts from a state: from the state itself, from within it without leaving it, or from a point of it
    /// that no transition leads to.
    fn belongs(&self, transition: usize, state: usize) -> bool {
        let data = &self.machine.transitions[transition];
        match data.vertices {
            None => data.owner == Some(state),
            Some((VertexId::State(from), _)) => from == state,
            Some((VertexId::Node(node), _)) => {
                let point = matches!(self.machine.nodes[node].kind, NodeKind::EntryPoint | NodeKind::ExitPoint);
                point && self.machine.nodes[node].parent == Some(state) && !self.has_incoming(node)
            }
            Some(_) => false,
        }
    }

    fn has_incoming(&self, node: usize) -> bool {
        self.machine.transitions.iter().any(|t| matches!(t.vertices, Some((_, to)) if to == VertexId::Node(node)))
    }

    /// What a state does with one message, from whichever queue it comes.
    fn message(&mut self, state: usize, message: Message<'a>, queues: &[(LocationId, VariableId)]) {
        let Message { port, event, invoked } = message;
        let name = &self.class.ports[port].name.text;
        let symbol = self.lowering.symbols[&(name.clone(), event.to_owned())];
        let span = self.machine.states[state].name.span;
        let known = self.data_of(port, event).map(|object| object.cells(span)).unwrap_or_default();
        let data = known.into_iter().map(|(place, _)| Pattern::Bind(place)).collect();
        let pattern = self.lowering.pattern(self.instance, symbol, data);
        let received = self.build.location();
        let other = |request: &Request| request.event != event && !invoked;
        let requests: Vec<Request> = requests(self.class, port).into_iter().filter(other).collect();
        for &(from, queue) in queues {
            let (channel, mode) = (super::global(queue, span), ReceiveMode::default());
            let receive = Action::Receive { channel: channel.clone(), pattern: pattern.clone(), mode };
            let taken = if self.priority.is_some() { self.build.location() } else { received };
            self.build.edge(from, taken, receive, span);
            self.build.says(if invoked {
                format!("is called: {name}.{event}{{}}")
            } else {
                format!("takes {name}.{event}{{}}")
            });
            if let Some(priority) = self.priority {
                let number = Expr::Const(self.lowering.priority_of(queue).number());
                self.build.edge(taken, received, Action::Assign(place(priority, span), number), span);
            }
            let waits = |request: &&Request| self.lowering.queue_of_timeout(self.instance, request) == queue;
            let here: Vec<&Request> = requests.iter().filter(waits).collect();
            for request in here {
                let symbol = self.lowering.own_symbol(self.instance, port, &request.event);
                let pattern = self.lowering.pattern(self.instance, symbol, Vec::new());
                let receive = Action::Receive { channel: channel.clone(), pattern, mode };
                let at = self.build.then(from, receive, span);
                self.build.says(format!("takes {name}.{event}"));
                let at = self.dispatched(at, port, request, span);
                self.build.edge(at, received, Action::Skip, span);
            }
        }
        let taken = self.ready(received, false, span);
        let cause = Some(message);
        let mut earlier = Guard::never();
        for level in self.outwards(state) {
            let mut here = Guard::never();
            for transition in 0..self.machine.transitions.len() {
                if !self.belongs(transition, level) {
                    continue;
                }
                for trigger in self.machine.transitions[transition].triggers {
                    if !matches(trigger, name, event) {
                        continue;
                    }
                    let own = trigger.guard.as_ref().map_or_else(Guard::always, |code| self.guard(code, cause));
                    for path in self.paths(transition, cause) {
                        let condition = own.clone().and(path.guard.clone());
                        // What is further inside is evaluated first.
                        let whole = earlier.clone().not().and(condition.clone());
                        here = here.or(condition);
                        let start = self.condition(taken, &whole, self.machine.transitions[transition].span);
                        self.build.says(self.title(transition));
                        self.follow(start, &path, Some(state), cause);
                    }
                }
            }
            earlier = earlier.or(here);
            if earlier.is_certain() {
                return;
            }
        }
        let unexpected = self.condition(taken, &earlier.not(), span);
        self.build.says("no transition is possible");
        self.build.label(unexpected, UNEXPECTED, false);
        let path: Vec<&str> =
            self.outwards(state).iter().rev().map(|&s| self.machine.states[s].name.text.as_str()).collect();
        let wrong = format!("nothing reacts to {name}.{event} in {}: the message is lost", path.join("."));
        self.build.wrong.insert(unexpected, wrong);
        let format = format!("unexpected message {name}.{event}\\n");
        let print = Action::Print { format, arguments: Vec::new() };
        let rest = self.resting(state, cause);
        self.build.edge(unexpected, rest, print, span);
        self.build.says(format!("loses {name}.{event}"));
    }

    /// A transition by its name, or by where it leads.
    fn title(&self, transition: usize) -> String {
        let data = &self.machine.transitions[transition];
        let vertex = |vertex: VertexId| match vertex {
            VertexId::Initial => "initial",
            VertexId::History { .. } => "history",
            VertexId::State(state) => self.machine.states[state].name.text.as_str(),
            VertexId::Node(node) => self.machine.nodes[node].name.text.as_str(),
        };
        if data.owner.is_none() && matches!(data.vertices, Some((VertexId::Initial, _))) {
            return String::from("starts");
        }
        let ends = data.vertices.map(|(from, to)| format!("{} -> {}", vertex(from), vertex(to)));
        match (data.name, ends) {
            (Some(name), Some(ends)) => format!("{}: {ends}", name.text),
            (Some(name), None) => name.text.clone(),
            (None, Some(ends)) => ends,
            (None, None) => String::from("internal transition"),
        }
    }

    /// A location behind a condition.
    pub(super) fn condition(&mut self, from: LocationId, condition: &Guard, span: Span) -> LocationId {
        let action = match condition.possible() {
            e if e.constant() == Some(1) => Action::Skip,
            e => Action::Condition(e.clone()),
        };
        if condition.guess {
            self.build.havoc.push(self.build.edges.len().into());
        }
        self.build.then(from, action, span)
    }

    fn guard(&mut self, code: &'a Code, cause: Cause<'a>) -> Guard {
        let guard = self.guard_inside(code, cause);
        if std::mem::take(&mut self.may_fail) {
            self.messages.report(unsupported(code.span, "a guard that could fail an assertion"));
        }
        guard
    }

    fn guard_inside(&mut self, code: &'a Code, cause: Cause<'a>) -> Guard {
        let error = match action::condition(&action::preprocessed(code, self.redefines(code))) {
            Ok((before, e)) if before.iter().all(|statement| self.only_shows(statement, &e)) => {
                return self.guard_of(&e, cause);
            }
            Ok((_, e)) => action::Unreadable { span: e.span, what: String::from("this guard"), sends: None },
            Err(error) => error,
        };
        match self.unknown(words_of_text(code), true, &error, &Scopes::new(cause)) {
            Ok(()) => {
                self.guess(&error);
                Guard::unknown()
            }
            Err(error) => {
                self.messages.report(unreadable(&error));
                Guard::never()
            }
        }
    }

    fn is_else(code: &Code) -> bool {
        code.text.trim().trim_end_matches(';') == "else"
    }

    /// The ways from a transition up to a state, a choice or a history.
    fn paths(&mut self, transition: usize, cause: Cause<'a>) -> Vec<Path> {
        let mut found = Vec::new();
        let guard = self.own_guard(transition, &[], cause);
        self.extend(Path { segments: vec![transition], guard }, cause, &mut found);
        found
    }

    /// The guard of a segment; `else` is true if no other segment from its vertex is.
    fn own_guard(&mut self, transition: usize, others: &[usize], cause: Cause<'a>) -> Guard {
        let data = &self.machine.transitions[transition];
        let code = match data.guard {
            Some(code) if Self::is_else(code) => code,
            Some(_) => return self.guard_at(transition, cause),
            // The branch without a guard is the one that is taken otherwise.
            None if !others.is_empty() => {
                let others = others.iter().filter(|&&other| other != transition);
                let guarded = others.copied().filter(|&other| self.machine.transitions[other].guard.is_some());
                let guarded: Vec<usize> = guarded.collect();
                if let Some(code) =
                    guarded.iter().filter_map(|&t| self.machine.transitions[t].guard).find(|c| Self::is_else(c))
                {
                    self.messages.report(unsupported(code.span, "`else` beside a branch without a guard"));
                    return Guard::never();
                }
                let negated = guarded.into_iter().map(|other| self.guard_at(other, cause).not());
                return negated.fold(Guard::always(), Guard::and);
            }
            None => return Guard::always(),
        };
        let mut negated = Guard::always();
        for &other in others.iter().filter(|&&other| other != transition) {
            match self.machine.transitions[other].guard {
                Some(code) if !Self::is_else(code) => negated = negated.and(self.guard_at(other, cause).not()),
                _ => self.messages.report(unsupported(code.span, "`else` beside a branch without a guard")),
            }
        }
        if others.is_empty() {
            self.messages.report(unsupported(code.span, "`else` at a transition from a state"));
        }
        if data.unclear_guard { negated.or(Guard::unknown()) } else { negated }
    }

    /// The guard of a transition that is written there.
    fn guard_at(&mut self, transition: usize, cause: Cause<'a>) -> Guard {
        let data = &self.machine.transitions[transition];
        let guard = data.guard.map_or_else(Guard::always, |code| self.guard(code, cause));
        if data.unclear_guard { guard.or(Guard::unknown()) } else { guard }
    }

    /// Whether a guard redefines one.
    fn redefines(&self, code: &Code) -> bool {
        self.machine.transitions.iter().any(|t| t.guard.is_some_and(|g| g.span == code.span) && t.redefined)
    }

    /// Whether a statement before the result of a guard only shows something, or declares what the result does not mention.
    fn only_shows(&self, statement: &action::Stmt, result: &action::Expr) -> bool {
        let mut words = std::collections::HashSet::new();
        super::reach::words_of(result, &mut words);
        match &statement.kind {
            action::StmtKind::Expr(e) => !super::reach::could_write(e),
            action::StmtKind::Declare(_, names) => names.iter().all(|(name, value)| {
                !words.contains(name) && value.as_ref().is_none_or(|e| !super::reach::could_write(e))
            }),
            _ => false,
        }
    }

    fn extend(&mut self, path: Path, cause: Cause<'a>, found: &mut Vec<Path>) {
        let Some(&last) = path.segments.last() else { return };
        let span = self.machine.transitions[last].span;
        let cycle = path.segments[..path.segments.len() - 1].contains(&last);
        if cycle || found.len() >= MOST_PATHS {
            self.messages.report(if cycle {
                Diagnostic::error("U0126", span, "this transition is part of a cycle of junctions")
            } else {
                unsupported(span, "so many ways through junctions")
            });
            return;
        }
        let onward = self.onward(last);
        if onward.is_empty() {
            found.push(path);
            return;
        }
        for &next in &onward {
            let own = self.own_guard(next, &onward, cause);
            let guarded = |t: &usize| *t != next && self.machine.transitions[*t].guard.is_some();
            let has_else = match self.machine.transitions[next].guard {
                Some(code) => Self::is_else(code),
                None => onward.iter().any(guarded),
            };
            if has_else && onward.iter().any(|&other| other != next && !self.onward(other).is_empty()) {
                self.messages.report(unsupported(span, "`else` beside a branch to another junction"));
            }
            let segments = path.segments.iter().copied().chain([next]).collect();
            let guard = path.guard.clone().and(own);
            self.extend(Path { segments, guard }, cause, found);
        }
    }

    /// The segments behind a segment that ends at a junction, an entry point or an exit point.
    fn onward(&mut self, segment: usize) -> Vec<usize> {
        let data = &self.machine.transitions[segment];
        let Some((_, VertexId::Node(node))) = data.vertices else { return Vec::new() };
        let (kind, parent) = (self.machine.nodes[node].kind, self.machine.nodes[node].parent);
        let region = match kind {
            NodeKind::Choice => return Vec::new(),
            NodeKind::Junction if parent == data.owner => parent,
            // Out of the region through its own exit point.
            NodeKind::ExitPoint if parent == data.owner && parent.is_some() => {
                parent.and_then(|state| self.machine.states[state].parent)
            }
            // Into the region of a state of this region.
            NodeKind::EntryPoint
                if parent != data.owner && parent.is_some_and(|s| self.machine.states[s].parent == data.owner) =>
            {
                parent
            }
            _ => {
                self.messages.report(unsupported(data.span, "a transition to this point"));
                return Vec::new();
            }
        };
        let leaves = |t: &usize| {
            let data = &self.machine.transitions[*t];
            data.owner == region && matches!(data.vertices, Some((from, _)) if from == VertexId::Node(node))
        };
        let onward: Vec<usize> = (0..self.machine.transitions.len()).filter(leaves).collect();
        if let Some(&triggered) = onward.iter().find(|&&t| !self.machine.transitions[t].triggers.is_empty()) {
            let span = self.machine.transitions[triggered].span;
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
            let data = &self.machine.transitions[segment];
            if position == 0 {
                let Some(_) = data.vertices else {
                    // An internal transition leaves nothing.
                    at = self.effect_at(at, segment, cause);
                    let Some(active) = active else { return };
                    let rest = self.resting(active, cause);
                    self.build.edge(at, rest, Action::Skip, data.span);
                    return;
                };
                for state in active.map_or_else(Vec::new, |active| self.outwards(active)) {
                    if Some(state) == data.owner {
                        break;
                    }
                    at = self.leave(at, state, cause);
                }
            }
            at = self.effect_at(at, segment, cause);
            let Some((_, to)) = data.vertices else { return };
            if let VertexId::Node(node) = to {
                let parent = self.machine.nodes[node].parent;
                let last = position + 1 == path.segments.len();
                match (self.machine.nodes[node].kind, parent) {
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
            VertexId::State(state) if self.machine.states[state].parent == owner => {
                self.point(Point::Enter(state), cause)
            }
            // The documentation of Art: capsules do not support it.
            VertexId::History { deep: false } => {
                self.messages.report(unsupported(
                    span,
                    "shallow history in a capsule, which has deep history (`history*`) only,",
                ));
                return;
            }
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
        for code in self.machine.states[state].exit.clone() {
            at = self.effect(at, Some(code), None, cause);
        }
        let Some(parent) = self.machine.states[state].parent else { return at };
        let span = self.machine.states[state].name.span;
        let remember = Action::Assign(place(self.last[parent], span), Expr::Const(state as i32 + 1));
        self.build.then(at, remember, span)
    }

    fn enter(&mut self, from: LocationId, state: usize, cause: Cause<'a>) -> LocationId {
        let mut at = from;
        for code in self.machine.states[state].entry.clone() {
            at = self.effect(at, Some(code), None, cause);
        }
        at
    }

    /// The effect of a transition, with what it inherits.
    fn effect_at(&mut self, from: LocationId, transition: usize, cause: Cause<'a>) -> LocationId {
        let data = &self.machine.transitions[transition];
        if self.lowering.library.is_room() {
            let all = data.earlier.iter().copied().chain(data.effect);
            return all.fold(from, |at, code| self.effect(at, Some(code), None, cause));
        }
        if !data.unclear_effect {
            return self.effect(from, data.effect, data.redefined.then_some(&data.earlier[..]), cause);
        }
        let text = "whether the effect that this redefinition leaves out is inherited is not documented";
        self.messages.report(Diagnostic::warning("U0302", data.span, text).label("both are possible here"));
        let inherited = self.condition(from, &Guard::unknown(), data.span);
        let after = self.effect(inherited, data.effect, data.redefined.then_some(&data.earlier[..]), cause);
        let none = self.condition(from, &Guard::unknown(), data.span);
        self.build.edge(none, after, Action::Skip, data.span);
        after
    }

    fn effect(
        &mut self,
        from: LocationId,
        code: Option<&'a Code>,
        supers: Option<&[&'a Code]>,
        cause: Cause<'a>,
    ) -> LocationId {
        let Some(code) = code.filter(|code| !code.is_blank()) else { return from };
        let text = action::preprocessed(code, supers.is_some());
        let mut scopes = Scopes { supers: supers.unwrap_or_default().to_vec(), ..Scopes::new(cause) };
        let error = match action::statements(&text) {
            Ok(statements) => return self.run(from, &statements, code.span, &mut scopes),
            Err(error) => error,
        };
        let mut at = from;
        match self.unknown(words_of_text(&text), true, &error, &scopes) {
            Ok(()) => {}
            Err(error) if self.text_may_do_anything(&error, &text.text) => {
                self.not_understood(&error);
                at = self.anything(at, code.span);
            }
            Err(error) => self.messages.report(unreadable(&error)),
        }
        self.failure(at, code.span)
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
                self.build.edge(inner, inside, Action::Skip, self.machine.states[state].name.span);
            }
            Point::Inside(state) => self.inside(at, state, cause),
            Point::Choice(node) => self.choice(at, node, cause),
        }
        at
    }

    fn inside(&mut self, at: LocationId, state: usize, cause: Cause<'a>) {
        let span = self.machine.states[state].name.span;
        let children: Vec<usize> =
            (0..self.machine.states.len()).filter(|&child| self.machine.states[child].parent == Some(state)).collect();
        if children.is_empty() {
            let rest = self.resting(state, cause);
            self.build.edge(at, rest, Action::Skip, span);
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
        match self.machine.initial(Some(state)) {
            Some(initial) => self.branch(first, &[initial], None, cause),
            None => {
                let rest = self.resting(state, cause);
                self.build.edge(first, rest, Action::Skip, span);
            }
        }
    }

    fn choice(&mut self, at: LocationId, node: usize, cause: Cause<'a>) {
        let owner = self.machine.nodes[node].parent;
        let leaves = |t: &usize| {
            let data = &self.machine.transitions[*t];
            data.owner == owner && matches!(data.vertices, Some((from, _)) if from == VertexId::Node(node))
        };
        let branches: Vec<usize> = (0..self.machine.transitions.len()).filter(leaves).collect();
        if let Some(&triggered) = branches.iter().find(|&&t| !self.machine.transitions[t].triggers.is_empty()) {
            let span = self.machine.transitions[triggered].span;
            self.messages.report(unsupported(span, "a trigger behind a pseudo state"));
        }
        self.branch(at, &branches, Some(self.machine.nodes[node].name.span), cause);
    }

    /// Takes one of some transitions whose condition holds. If there is none, the machine is stuck, which is an error.
    fn branch(&mut self, at: LocationId, branches: &[usize], choice: Option<Span>, cause: Cause<'a>) {
        let mut covered = Guard::never();
        for &branch in branches {
            let guard = self.own_guard(branch, branches, cause);
            let mut found = Vec::new();
            self.extend(Path { segments: vec![branch], guard }, cause, &mut found);
            for path in found {
                covered = covered.or(path.guard.clone());
                let start = self.condition(at, &path.guard, self.machine.transitions[branch].span);
                self.build.says(self.title(branch));
                self.follow(start, &path, None, cause);
            }
        }
        if covered.is_certain() {
            return;
        }
        let span =
            choice.or_else(|| branches.first().map(|&t| self.machine.transitions[t].span)).unwrap_or(self.machine.span);
        let stuck = self.condition(at, &covered.not(), span);
        self.build.label(stuck, STUCK, false);
        self.build.says("no branch holds");
        self.build.wrong.insert(stuck, String::from("no branch of this choice holds: the capsule is stuck"));
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
