//! Why a statement cannot be executed in a state, and which processes could change that.
//!
//! The reason is exact: it is read off the state. Who could change it is an over-approximation: the processes of the state
//! whose control flow, and that of processes they may create, still reaches a statement that could. So an empty list means
//! that no process can.

use crate::configuration::Configuration;
use crate::display::Display;
use crate::expr::{BinaryOp, Expr, Pattern, Place, Scope};
use crate::ids::{LocationId, MachineId, VariableId};
use crate::network::{Action, Edge, Network, ScalarType};
use crate::semantics::{Reading, Semantics};
use crate::trace::{message_text, queue_name};
use std::collections::{BTreeSet, HashMap, HashSet};

/// More values than this are not listed.
const MANY_VALUES: usize = 6;

/// Why a statement cannot be executed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Blockage {
    /// As text, with values.
    pub(crate) why: String,
    /// What somebody would have to do: `receives`, `sends`, `changes it`.
    pub(crate) until: &'static str,
    /// The processes that could.
    pub(crate) processes: BTreeSet<usize>,
}

/// What would unblock a statement.
enum Remedy<'a> {
    /// A message in this queue, of which these patterns are known.
    Send(usize, &'a [Pattern]),
    /// Room in this queue, or another head.
    Receive(usize),
    /// Another value of an expression of this process.
    Change(usize, &'a Expr),
    /// Younger processes end.
    End,
}

/// A state, and what its processes can still do.
pub(crate) struct Blocked<'a> {
    semantics: &'a Semantics<'a>,
    state: &'a Configuration,
    /// Variables that may still be written: the globals, and by process its own.
    written: HashSet<(Option<usize>, VariableId)>,
    /// Sends and receives that processes can reach, by queue.
    on_queue: HashMap<usize, Vec<(usize, &'a Action)>>,
    /// Those whose queue is not known.
    on_any: Vec<(usize, &'a Action)>,
    /// Who can write a global variable.
    writers: HashMap<VariableId, BTreeSet<usize>>,
}

impl<'a> Blocked<'a> {
    pub(crate) fn new(semantics: &'a Semantics<'a>, state: &'a Configuration) -> Self {
        let (written, on_queue, writers) = (HashSet::new(), HashMap::new(), HashMap::new());
        let mut blocked = Blocked { semantics, state, written, on_queue, on_any: Vec::new(), writers };
        let processes = 0..state.process_count();
        let ahead: Vec<_> = processes.map(|process| blocked.ahead(process)).collect();
        for (process, actions) in ahead.iter().enumerate() {
            actions.iter().for_each(|(itself, action)| blocked.note_writes(process, *itself, action));
        }
        for (process, actions) in ahead.iter().enumerate() {
            actions.iter().for_each(|(itself, action)| blocked.note_channels(process, *itself, action));
        }
        blocked
    }

    fn network(&self) -> &'a Network {
        self.semantics.network()
    }

    /// What a process can still do itself, and what processes can do that it may create.
    fn ahead(&self, process: usize) -> Vec<(bool, &'a Action)> {
        let mut work: Vec<(bool, MachineId, LocationId)> =
            vec![(true, self.state.machine(process), self.state.location(process))];
        let mut reached: HashSet<_> = work.iter().copied().collect();
        let mut actions = Vec::new();
        while let Some((itself, id, at)) = work.pop() {
            for edge in self.network().machine(id).edges_from(at) {
                let mut next = vec![(itself, id, edge.to)];
                leaves(&edge.action, &mut |action| {
                    if let Action::Run { machine, .. } = action {
                        next.push((false, *machine, self.network().machine(*machine).initial));
                    }
                    actions.push((itself, action));
                });
                work.extend(next.into_iter().filter(|&place| reached.insert(place)));
            }
        }
        actions
    }

    fn note_writes(&mut self, process: usize, itself: bool, action: &Action) {
        written(action, &mut |place| match place.scope {
            Scope::Global => {
                self.written.insert((None, place.variable));
                self.writers.entry(place.variable).or_default().insert(process);
            }
            Scope::Local if itself => {
                self.written.insert((Some(process), place.variable));
            }
            Scope::Local => {}
        });
    }

    fn note_channels(&mut self, process: usize, itself: bool, action: &'a Action) {
        let (Action::Send { channel, .. } | Action::Receive { channel, .. }) = action else { return };
        let fixed = self.is_fixed(process, itself, channel);
        match fixed.then(|| self.queue(process, channel)).flatten() {
            Some(queue) => self.on_queue.entry(queue).or_default().push((process, action)),
            None => self.on_any.push((process, action)),
        }
    }

    /// Whether an expression keeps the value that it has for a process; if not `itself`, for all that it may create.
    fn is_fixed(&self, process: usize, itself: bool, e: &Expr) -> bool {
        let fixed = |e: &Expr| self.is_fixed(process, itself, e);
        match e {
            Expr::Const(_) => true,
            Expr::Pid => itself,
            Expr::Read(place) => {
                let owner = (place.scope == Scope::Local).then_some(process);
                let known = itself || owner.is_none();
                known && !self.written.contains(&(owner, place.variable)) && place.indices.iter().all(fixed)
            }
            Expr::Unary(_, e) => fixed(e),
            Expr::Binary(_, a, b) => fixed(a) && fixed(b),
            Expr::Conditional(c, a, b) => fixed(c) && fixed(a) && fixed(b),
            _ => false,
        }
    }

    /// The queue that a channel expression of a process means now.
    fn queue(&self, process: usize, channel: &Expr) -> Option<usize> {
        let reference = self.semantics.evaluate(self.state, process, channel).ok()?;
        let queue = usize::try_from(reference).ok()?.checked_sub(1)?;
        (queue < self.state.frame.queues.len()).then_some(queue)
    }

    /// Why an edge cannot be taken by a process that is at its start; `None` if it can, or if the reason is unknown.
    pub(crate) fn blockage(&self, process: usize, edge: &Edge) -> Option<Blockage> {
        let machine = self.network().machine(self.state.machine(process));
        let provided = machine.provided.as_ref().and_then(|e| self.condition(process, e)).map(|reason| vec![reason]);
        let reasons = provided.or_else(|| self.reasons(process, &edge.action))?;
        let mut why: Vec<String> = reasons.iter().map(|(why, _)| why.clone()).collect();
        why.dedup();
        let (mut untils, mut processes) = (BTreeSet::new(), BTreeSet::new());
        for (_, remedy) in reasons {
            let (until, found) = self.remedied(process, &remedy);
            untils.insert(until);
            processes.extend(found);
        }
        depends_on(&edge.action, &mut |e| processes.extend(self.changers(process, e)));
        processes.remove(&process);
        let until = untils.first().copied().filter(|_| untils.len() == 1).unwrap_or("changes that");
        Some(Blockage { why: why.join(", and "), until, processes })
    }

    /// What somebody would have to do, and who could.
    fn remedied(&self, process: usize, remedy: &Remedy<'_>) -> (&'static str, BTreeSet<usize>) {
        match remedy {
            Remedy::Receive(queue) => ("receives", self.users(*queue, &makes_room)),
            Remedy::Send(queue, pattern) => ("sends", self.users(*queue, &|a| may_match(a, pattern))),
            Remedy::Change(owner, e) => ("changes that", self.changers(*owner, e)),
            Remedy::End => ("ends", (process + 1..self.state.process_count()).collect()),
        }
    }

    /// Why an action cannot be executed; of a deterministic step that begins with a choice, why none of its guards can.
    fn reasons(&self, process: usize, action: &'a Action) -> Option<Vec<(String, Remedy<'a>)>> {
        let Action::Deterministic(body) = action else {
            return self.reason(process, action).map(|reason| vec![reason]);
        };
        // A rendezvous is an error there, and no reason to wait.
        let waits = |guard: &'a Action| self.reason(process, guard).filter(|(_, remedy)| !self.is_rendezvous(remedy));
        body.guard.iter().map(waits).collect::<Option<Vec<_>>>().filter(|reasons| !reasons.is_empty())
    }

    fn reason(&self, process: usize, action: &'a Action) -> Option<(String, Remedy<'a>)> {
        match action {
            Action::Condition(e) => self.condition(process, e),
            Action::Send { channel, .. } => self.send(process, channel),
            Action::Receive { channel, pattern, mode } => self.receive(process, channel, pattern, mode.anywhere),
            Action::End if process + 1 < self.state.process_count() => {
                Some((String::from("younger processes have not ended"), Remedy::End))
            }
            _ => None,
        }
    }

    fn is_rendezvous(&self, remedy: &Remedy<'_>) -> bool {
        let (Remedy::Send(queue, _) | Remedy::Receive(queue)) = remedy else { return false };
        let channel_type = self.state.frame.queues[*queue].channel_type;
        self.semantics.layout.messages[channel_type.index()].rendezvous
    }

    fn send(&self, process: usize, channel: &Expr) -> Option<(String, Remedy<'a>)> {
        let queue = self.queue(process, channel)?;
        let (layout, name) = (&self.semantics.layout, queue_name(self.semantics, self.state, queue));
        let channel_type = self.state.frame.queues[queue].channel_type;
        if layout.messages[channel_type.index()].rendezvous {
            return Some((format!("no process is ready to receive from `{name}`"), Remedy::Receive(queue)));
        }
        let (length, capacity) =
            (self.state.queue_len(layout, queue), self.network().channel_types[channel_type.index()].capacity?);
        let full = self.semantics.reading() == Reading::Declared && length >= capacity as usize;
        full.then(|| (format!("`{name}` is full ({length} of {capacity})"), Remedy::Receive(queue)))
    }

    fn receive(
        &self,
        process: usize,
        channel: &Expr,
        pattern: &'a [Pattern],
        anywhere: bool,
    ) -> Option<(String, Remedy<'a>)> {
        let queue = self.queue(process, channel)?;
        let (layout, name) = (&self.semantics.layout, queue_name(self.semantics, self.state, queue));
        let fields = &layout.messages[self.state.frame.queues[queue].channel_type.index()];
        if fields.rendezvous {
            return Some((format!("no process is ready to send to `{name}`"), Remedy::Send(queue, pattern)));
        }
        let size = self.state.frame.queues[queue].message_size as usize;
        let message = |position: usize| {
            let at = self.state.queue_start(layout, queue) + position * size;
            fields.fields.iter().map(move |&(s, offset, ty)| (ty, s.load(&self.state.bytes, at + offset)))
        };
        let fits = |position: usize| {
            pattern.iter().zip(message(position)).all(|(pattern, (_, value))| match pattern {
                Pattern::Match(e) => self.semantics.evaluate(self.state, process, e) == Ok(value),
                Pattern::Bind(_) | Pattern::Any => true,
            })
        };
        match self.state.queue_len(layout, queue) {
            0 => Some((format!("`{name}` is empty"), Remedy::Send(queue, pattern))),
            length if anywhere => {
                let none = !(0..length).any(fits);
                none.then(|| (format!("no message in `{name}` matches"), Remedy::Send(queue, pattern)))
            }
            _ if fits(0) => None,
            _ => {
                let values: Vec<String> = message(0).map(|(ty, value)| self.network().show_value(ty, value)).collect();
                let head = message_text(&values);
                Some((format!("the message at the head of `{name}` is `{head}`"), Remedy::Receive(queue)))
            }
        }
    }

    fn condition(&self, process: usize, e: &'a Expr) -> Option<(String, Remedy<'a>)> {
        let part = false_part(self.semantics, self.state, process, e)?;
        Some((false_in_words(self.semantics, self.state, process, part), Remedy::Change(process, part)))
    }

    /// Processes that can still do something with a queue.
    fn users(&self, queue: usize, wanted: &dyn Fn(&Action) -> bool) -> BTreeSet<usize> {
        let known = self.on_queue.get(&queue).into_iter().flatten().chain(&self.on_any);
        known.filter(|(_, action)| wanted(action)).map(|(process, _)| *process).collect()
    }

    /// Processes that can change the value of an expression.
    fn changers(&self, owner: usize, e: &Expr) -> BTreeSet<usize> {
        let mut found = BTreeSet::new();
        e.walk(&mut |part| match part {
            Expr::Read(place) if place.scope == Scope::Global => {
                found.extend(self.writers.get(&place.variable).into_iter().flatten());
            }
            Expr::Channel(_, channel) | Expr::Poll { channel, .. } => match self.queue(owner, channel) {
                Some(queue) => found.extend(self.users(queue, &|_| true)),
                None => found.extend(0..self.state.process_count()),
            },
            Expr::Const(_)
            | Expr::Read(_)
            | Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Conditional(..)
            | Expr::Pid
            | Expr::RunResult => {}
            // These depend on where other processes are.
            Expr::Timeout
            | Expr::ProcessCount
            | Expr::LastMover
            | Expr::Enabled(_)
            | Expr::ProgramCounter(_)
            | Expr::Priority(_)
            | Expr::NonProgress
            | Expr::At { .. }
            | Expr::Remote { .. } => found.extend(0..self.state.process_count()),
        });
        found
    }
}

/// Why a condition of a process is false: the first part of the conjunction that is, with the values in it.
pub(crate) fn why_false(semantics: &Semantics<'_>, state: &Configuration, process: usize, e: &Expr) -> Option<String> {
    false_part(semantics, state, process, e).map(|part| false_in_words(semantics, state, process, part))
}

/// The first part of a conjunction that is false; `None` if there is none. `timeout` depends on what others can do: a part
/// with it is no reason.
fn false_part<'e>(semantics: &Semantics<'_>, state: &Configuration, process: usize, e: &'e Expr) -> Option<&'e Expr> {
    match e {
        Expr::Binary(BinaryOp::And, a, b) => {
            false_part(semantics, state, process, a).or_else(|| false_part(semantics, state, process, b))
        }
        e => {
            let depends_on_all = e.any(&|part| matches!(part, Expr::Timeout));
            (!depends_on_all && semantics.evaluate(state, process, e) == Ok(0)).then_some(e)
        }
    }
}

fn false_in_words(semantics: &Semantics<'_>, state: &Configuration, process: usize, e: &Expr) -> String {
    let words = Display { network: semantics.network(), machine: state.machine(process) }.expr(e);
    let values = values(semantics, state, process, e);
    match values.is_empty() {
        true => format!("`{words}` is false"),
        false => format!("`{words}` is false: {}", values.join(", ")),
    }
}

/// The values of variables and lengths in an expression.
fn values(semantics: &Semantics<'_>, state: &Configuration, process: usize, e: &Expr) -> Vec<String> {
    let (network, machine) = (semantics.network(), state.machine(process));
    let (mut values, display) = (Vec::new(), Display { network, machine });
    e.walk(&mut |part| {
        let ty = match part {
            Expr::Read(place) => network.variable(place, machine).ty,
            Expr::Channel(..) | Expr::Remote { .. } | Expr::ProcessCount => ScalarType::Int,
            _ => return,
        };
        if let Ok(value) = semantics.evaluate(state, process, part) {
            let text = format!("{} = {}", display.expr(part), network.show_value(ty, value));
            if ty != ScalarType::Channel && !values.contains(&text) && values.len() < MANY_VALUES {
                values.push(text);
            }
        }
    });
    values
}

/// The expressions that say which channel is meant, and which message.
fn depends_on<'a>(action: &'a Action, visit: &mut dyn FnMut(&'a Expr)) {
    match action {
        Action::Send { channel, .. } => visit(channel),
        Action::Receive { channel, pattern, .. } => {
            visit(channel);
            pattern.iter().for_each(|field| {
                if let Pattern::Match(e) = field {
                    visit(e);
                }
            });
        }
        Action::Deterministic(body) => body.guard.iter().for_each(|guard| depends_on(guard, visit)),
        _ => {}
    }
}

/// Whether an action may make room in a queue, or give it another head, as a sorted send does.
fn makes_room(action: &Action) -> bool {
    matches!(action, Action::Receive { .. } | Action::Send { sorted: true, .. })
}

/// Whether a send may be of a message that a pattern takes.
fn may_match(action: &Action, pattern: &[Pattern]) -> bool {
    let Action::Send { message, .. } = action else { return false };
    message.iter().zip(pattern).all(|(sent, wanted)| match wanted {
        Pattern::Match(wanted) => sent.constant().zip(wanted.constant()).is_none_or(|(sent, wanted)| sent == wanted),
        Pattern::Bind(_) | Pattern::Any => true,
    })
}

/// The action, or the actions of a deterministic step.
fn leaves<'a>(action: &'a Action, visit: &mut dyn FnMut(&'a Action)) {
    match action {
        Action::Deterministic(body) => body.nodes.iter().flatten().for_each(|choice| visit(&choice.action)),
        action => visit(action),
    }
}

/// The places that an action writes to.
fn written(action: &Action, visit: &mut dyn FnMut(&Place)) {
    match action {
        Action::Assign(place, _) | Action::Run { then: Some((place, _)), .. } => visit(place),
        Action::Receive { pattern, .. } => pattern.iter().for_each(|field| {
            if let Pattern::Bind(place) = field {
                visit(place);
            }
        }),
        _ => {}
    }
}
