//! States and steps put into words: names, values, the contents of channels.
//!
//! Engines hand over the steps of a run; [`Narrator`] replays them in the model's own semantics and
//! describes what each one did. A run that does not replay is not described: the caller learns at
//! which step it failed.

use crate::blocked;
use crate::chart::{
    Awaited, Blocked, Change, Chart, ChartStep, Contents, Fate, Form, Lane, Message, Move, StepKey, Waits,
    shortest_circle,
};
use crate::configuration::Configuration;
use crate::context::Context;
use crate::display::Display;
use crate::expr::{Expr, Scope};
use crate::fault::{FaultAt, Overflow};
use crate::growth::contents;
use crate::ids::{EdgeId, LocationId, MachineId};
use crate::layout::Storage;
use crate::network::{Action, Edge, Machine, Network, Telling, Variable};
use crate::reason::Reason;
use crate::semantics::{Semantics, Step, Stepper};
use crate::source::{SourceMap, Span};
use std::collections::{HashMap, HashSet};

/// Everything in a state, by name.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Snapshot {
    /// Variables and their values, globals first; arrays element by element.
    pub variables: Vec<Change>,
    /// Channels that can hold messages, with what is in them.
    pub channels: Vec<Contents>,
}

/// A run that could not be replayed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ReplayError {
    /// The step at this position is not possible there.
    NoSuchStep(usize),
    /// The first state has a fault.
    Initial(FaultAt),
    /// One of the tool's own bounds.
    Overflow(Overflow),
    /// There was no time for it, or no memory.
    Unfinished(Reason),
}

/// A run, replayed: the words for each step, and how it ended.
#[derive(Clone, Debug)]
pub struct Replayed {
    /// Steps as text.
    pub steps: Vec<ChartStep>,
    /// The last state, and who has control in it.
    pub state: Vec<u8>,
    /// The process in control.
    pub control: Option<u32>,
    /// The fault of the last step, if it has one.
    pub fault: Option<FaultAt>,
}

/// Describes states and steps of one model.
pub struct Narrator<'s> {
    stepper: Stepper<'s>,
    sources: &'s SourceMap,
    /// The processes that were named so far, and where they are in the list.
    lanes: Vec<Lane>,
    known: HashMap<(MachineId, u32), usize>,
    /// Expressions over shared variables whose values every step shows, with their texts.
    columns: Vec<(String, Expr)>,
    cx: Context<'s>,
}

impl<'s> Narrator<'s> {
    /// A narrator for a semantics.
    pub fn new(semantics: &'s Semantics<'s>, sources: &'s SourceMap) -> Self {
        Narrator {
            stepper: semantics.stepper(),
            sources,
            lanes: Vec::new(),
            known: HashMap::new(),
            columns: Vec::new(),
            cx: Context::unlimited(),
        }
    }

    /// With limits: the runs that it replays may be long, and their states large.
    #[must_use]
    pub fn within(self, cx: Context<'s>) -> Self {
        Narrator { cx, ..self }
    }

    /// With the values of expressions over shared variables after each step.
    #[must_use]
    pub fn with_columns(self, columns: Vec<(String, Expr)>) -> Self {
        Narrator { columns, ..self }
    }

    fn network(&self) -> &'s Network {
        self.stepper.semantics().network()
    }

    /// Replays steps from the first state.
    pub fn replay(&mut self, steps: &[Step]) -> Result<Replayed, ReplayError> {
        let initial = self.stepper.initial().map_err(ReplayError::Overflow)?;
        let mut state = initial.map_err(ReplayError::Initial)?;
        let mut replayed = Replayed { steps: Vec::new(), state: Vec::new(), control: None, fault: None };
        let mut control = None;
        let mut before = self.variables(&state);
        let mut processes = self.number_lanes(&state, 0);
        for (position, &step) in steps.iter().enumerate() {
            self.cx.spend(state.len()).map_err(ReplayError::Unfinished)?;
            let taken = self.take(&state, control, step).map_err(ReplayError::Overflow)?;
            let Some((next, next_control, fault)) = taken else { return Err(ReplayError::NoSuchStep(position)) };
            let mut words = self.describe(&state, step);
            let is_silent = !words.shown;
            if is_silent {
                (words.event, words.message) = (None, None);
            }
            words.atomic = next_control.is_some();
            words.remarks.extend(self.failed_assertion(&state, step));
            words.remarks.extend(fault.as_ref().and_then(|_| self.called_at(&state, step)));
            replayed.fault = fault;
            if let Some(next) = next {
                let after = self.variables(&next);
                if let Some(first) = words.moves.first_mut().filter(|_| !is_silent) {
                    first.changes = changes_of(&before, &after);
                }
                words.channels = self.touched(&state, &next);
                self.arrive(&next, step, &mut words);
                words.columns = self.columns_of(&next);
                processes = self.number_lanes(&next, processes);
                (state, control, before) = (next, next_control, after);
            } else if position + 1 < steps.len() {
                return Err(ReplayError::NoSuchStep(position + 1));
            }
            replayed.steps.push(words);
        }
        (replayed.state, replayed.control) = (state, control);
        Ok(replayed)
    }

    /// The chart of a run that this narrator replayed; what is wrong with it is not said yet.
    pub fn chart(&mut self, replayed: Replayed) -> Chart {
        let waiting = self.waiting(&replayed.state);
        let circle = if self.is_stuck(&replayed) { circle(&waiting, self.lanes.len()) } else { Vec::new() };
        let columns = self.columns.iter().map(|(text, _)| text.clone()).collect();
        Chart { columns, steps: replayed.steps, waiting, circle, ..Chart::new(&Form::RUN, self.lanes.clone()) }
    }

    fn is_stuck(&mut self, replayed: &Replayed) -> bool {
        replayed.fault.is_none() && self.stepper.expand(&replayed.state, None, &mut |_| ()) == Ok(0)
    }

    /// A process, by the number of a lane.
    pub fn lane(&self, lane: usize) -> Option<&Lane> {
        self.lanes.get(lane)
    }

    /// Gives processes that were not there before their lanes, in the order of their numbers, so that a lane keeps its place
    /// whoever moves first; returns how many processes there are.
    fn number_lanes(&mut self, state: &[u8], before: usize) -> usize {
        let configuration = self.stepper.configuration(state);
        let count = configuration.frame.processes.len();
        let new: Vec<(MachineId, usize)> =
            (before..count).map(|process| (configuration.machine(process), process)).collect();
        for (machine, process) in new {
            self.lane_of(machine, process as u32);
        }
        count
    }

    /// The lane of a process.
    fn lane_of(&mut self, machine: MachineId, process: u32) -> usize {
        let network = self.network();
        let (machine, process, instance) = match &network.words {
            Some(words) => (words.lane(machine), 0, None),
            None => (machine, process, Some(process)),
        };
        let (lanes, name) = (&mut self.lanes, &network.machine(machine).name);
        *self.known.entry((machine, process)).or_insert_with(|| {
            lanes.push(Lane { name: name.clone(), instance, ..Lane::default() });
            lanes.len() - 1
        })
    }

    /// Takes one step, if it is possible.
    #[allow(clippy::type_complexity)]
    fn take(
        &mut self,
        state: &[u8],
        control: Option<u32>,
        wanted: Step,
    ) -> Result<Option<(Option<Vec<u8>>, Option<u32>, Option<FaultAt>)>, Overflow> {
        let control = match control {
            Some(process) if self.stepper.keeps_control(state, process)? => Some(process),
            _ => None,
        };
        let mut found = None;
        self.stepper.expand(state, control, &mut |successor| {
            if successor.step == wanted && found.is_none() {
                found = Some((successor.state.map(<[u8]>::to_vec), successor.control, successor.fault));
            }
        })?;
        Ok(found)
    }

    /// Why an assertion fails in a state, if the step is one that does.
    fn failed_assertion(&mut self, state: &[u8], step: Step) -> Option<String> {
        let Step::Edge { process, edge } = step else { return None };
        let configuration = self.stepper.configuration(state).clone();
        let machine = self.network().machine(configuration.machine(process as usize));
        let Action::Assert(e) = &machine.edges.get(edge.index())?.action else { return None };
        blocked::why_false(self.stepper.semantics(), &configuration, process as usize, e)
    }

    /// Where the process type calls the inline that the statement of a step is written in, if it is in one.
    fn called_at(&mut self, state: &[u8], step: Step) -> Option<String> {
        const MOST: usize = 64;
        let Step::Edge { process, edge } = step else { return None };
        let id = self.stepper.configuration(state).machine(process as usize);
        let (network, sources) = (self.network(), self.sources);
        let type_of = |call: Span| {
            let before = |m: &&Machine| m.span.file == call.file && m.span.start <= call.start;
            network.machines.iter().filter(before).max_by_key(|machine| machine.span.start)
        };
        let mut open: Vec<Span> = sources.calls_of(network.machine(id).edges.get(edge.index())?.span).collect();
        let mut found = Vec::new();
        for _ in 0..MOST {
            let Some(call) = open.pop() else { break };
            let outer: Vec<Span> = sources.calls_of(call).collect();
            if outer.is_empty() && type_of(call).is_some_and(|own| std::ptr::eq(own, network.machine(id))) {
                found.push(sources.short(call));
            }
            open.extend(outer);
        }
        found.sort();
        found.dedup();
        (!found.is_empty()).then(|| format!("called at {}", found.join(", ")))
    }

    /// The values of the columns in a state; nothing where an expression has none.
    fn columns_of(&mut self, state: &[u8]) -> Vec<String> {
        let configuration = self.stepper.configuration(state).clone();
        let (semantics, network) = (self.stepper.semantics(), self.network());
        if configuration.process_count() == 0 {
            return vec![String::new(); self.columns.len()];
        }
        let value = |e: &Expr| match (semantics.evaluate(&configuration, 0, e), e) {
            (Ok(value), Expr::Read(place)) if place.scope == Scope::Global => {
                network.show_value(network.global(place.variable).ty, value)
            }
            (Ok(value), _) => value.to_string(),
            (Err(_), _) => String::new(),
        };
        self.columns.iter().map(|(_, e)| value(e)).collect()
    }

    /// Everything in a state, by name.
    pub fn snapshot(&mut self, state: &[u8]) -> Snapshot {
        let configuration = self.stepper.configuration(state).clone();
        let queues = 0..configuration.frame.queues.len();
        let channels = queues.filter_map(|queue| self.contents(&configuration, queue)).collect();
        Snapshot { variables: self.variables(state), channels }
    }

    /// Channels whose contents differ. Only what differs becomes text: queues of a run may be long.
    fn touched(&mut self, state: &[u8], next: &[u8]) -> Vec<Contents> {
        let semantics = self.stepper.semantics();
        let before = self.stepper.configuration(state).clone();
        let after = self.stepper.configuration(next).clone();
        if before.frame.shape != after.frame.shape {
            return touched(&self.snapshot(state), &self.snapshot(next));
        }
        let queues = 0..after.frame.queues.len();
        let differs = |&queue: &usize| contents(semantics, &before, queue) != contents(semantics, &after, queue);
        queues.filter(differs).filter_map(|queue| self.contents(&after, queue)).collect()
    }

    /// The variables of a state, globals first.
    fn variables(&mut self, state: &[u8]) -> Vec<Change> {
        let semantics = self.stepper.semantics();
        let network = semantics.network();
        let configuration = self.stepper.configuration(state).clone();
        let mut found = Vec::new();
        let layout = &semantics.layout;
        let mut variables = |name: &dyn Fn(usize, String) -> Option<String>,
                             declared: &[Variable],
                             slots: &[crate::layout::Slot],
                             base: usize| {
            for (position, (variable, slot)) in declared.iter().zip(slots).enumerate() {
                for element in 0..variable.len() {
                    let Some(name) = name(position, variable.element_name(element)) else { continue };
                    let value = configuration.read(*slot, base, element);
                    found.push(Change { name, value: network.show_value(variable.ty, value) });
                }
            }
        };
        let words = network.words.as_ref();
        let is_shown = |position: usize| words.is_none_or(|words| words.shared.contains(&position.into()));
        let shared = |position: usize, name: String| is_shown(position).then_some(name);
        variables(&shared, &network.variables, &layout.globals.slots, layout.globals_base);
        for process in 0..configuration.process_count() {
            let id = configuration.machine(process);
            let (machine, block) = (network.machine(id), &layout.blocks[id.index()]);
            let own = |position: usize, name: String| match words {
                Some(words) => {
                    let known = words.variables.get(id.index())?.get(position)?.as_ref()?;
                    Some(format!("{}.{known}", machine.name))
                }
                None => Some(format!("{}[{process}]:{name}", machine.name)),
            };
            variables(&own, &machine.variables, &block.slots, configuration.base(process));
        }
        found
    }

    /// What a queue holds; none for a rendezvous.
    fn contents(&self, configuration: &Configuration, queue: usize) -> Option<Contents> {
        let layout = &self.stepper.semantics().layout;
        let kind = &layout.messages[configuration.frame.queues[queue].channel_type.index()];
        let (start, size) =
            (configuration.queue_start(layout, queue), configuration.frame.queues[queue].message_size as usize);
        let message = |position: usize| {
            let at = start + position * size;
            let load = |s: Storage, offset: usize| s.load(&configuration.bytes, at + offset);
            let shown = kind.fields.iter().map(|&(s, offset, ty)| self.network().show_value(ty, load(s, offset)));
            self.message_text(&shown.collect::<Vec<_>>()).concat()
        };
        let messages = 0..configuration.queue_len(layout, queue);
        let channel = || self.queue_name(configuration, queue);
        (!kind.rendezvous).then(|| Contents { channel: channel(), messages: messages.map(message).collect() })
    }

    /// Where the processes are in a state, and the statements that they could take next, if they were executable.
    pub fn waiting(&mut self, state: &[u8]) -> Vec<Waits> {
        let configuration = self.stepper.configuration(state).clone();
        let processes = 0..configuration.process_count();
        let lanes: Vec<usize> =
            processes.clone().map(|process| self.lane_of(configuration.machine(process), process as u32)).collect();
        let blocked = blocked::Blocked::new(self.stepper.semantics(), &configuration);
        let words = self.network().words.as_ref();
        let one = |process: usize| {
            let (id, at) = (configuration.machine(process), configuration.location(process));
            let machine = self.network().machine(id);
            let location = &machine.locations[at.index()];
            let awaited = |&(number, edge): &(EdgeId, &Edge)| Awaited {
                event: self.told(id, number, edge, statement(self.network(), id, edge, self.sources), ""),
                span: Some(edge.span),
                refused_by: Vec::new(),
                blocked: blocked.blockage(process, edge).map(|blockage| Blocked {
                    why: blockage.why,
                    until: blockage.until,
                    lanes: blockage.processes.into_iter().map(|process| lanes[process]).collect(),
                }),
            };
            Waits {
                lane: lanes[process],
                state: words.and_then(|words| words.states.get(&(id, at)).cloned()),
                span: Some(location.span.unwrap_or(machine.span)),
                done: location.end,
                events: self.next(id, at).iter().map(awaited).collect(),
            }
        };
        let has_lane = |process: &usize| {
            let id = configuration.machine(*process);
            words.is_none_or(|words| words.lane(id) == id)
        };
        processes.filter(has_lane).map(one).collect()
    }

    /// The edges from a location; instead of one that nothing is told of, those behind it.
    fn next(&self, id: MachineId, at: LocationId) -> Vec<(EdgeId, &'s Edge)> {
        let network = self.network();
        let machine = network.machine(id);
        let from = |at: LocationId| {
            machine.locations[at.index()].edges.iter().map(|edge| (*edge, &machine.edges[edge.index()]))
        };
        let Some(words) = &network.words else { return from(at).collect() };
        let is_silent = |edge: EdgeId| words.edges.get(&(id, edge)) == Some(&Telling::Silent);
        let behind = from(at).filter(|(edge, _)| is_silent(*edge)).flat_map(|(_, edge)| from(edge.to));
        let all = from(at).chain(behind).filter(|(edge, _)| !is_silent(*edge));
        let mut seen = HashSet::new();
        all.filter(|(edge, _)| words.edges.get(&(id, *edge)).is_none_or(|told| seen.insert(told))).collect()
    }

    /// What is told of an edge in the place of its statement. A guess says that it is one.
    fn told(&self, id: MachineId, number: EdgeId, edge: &Edge, event: String, data: &str) -> String {
        let network = self.network();
        let Some(words) = &network.words else { return event };
        let text = match words.edges.get(&(id, number)) {
            Some(Telling::Says(text)) => text.replace("{}", data),
            Some(Telling::Fails) => format!("{} is false", statement(network, id, edge, self.sources)),
            _ => event,
        };
        if network.havoc.contains(&(id, number)) { format!("guess: {text}") } else { text }
    }

    /// What is told of the place that a step leads to.
    fn arrive(&mut self, next: &[u8], step: Step, told: &mut ChartStep) {
        let Some(words) = &self.network().words else { return };
        let Step::Edge { process, .. } = step else { return };
        let configuration = self.stepper.configuration(next);
        let place = (configuration.machine(process as usize), configuration.location(process as usize));
        if let Some(state) = words.states.get(&place) {
            let before = told.event.take().map(|event| event + " ").unwrap_or_default();
            told.event = Some(format!("{before}→ {state}"));
        }
        told.remarks.extend(words.wrong.get(&place).cloned());
    }

    /// The name of a message, and what it carries.
    fn message_text(&self, values: &[String]) -> [String; 2] {
        match &self.network().words {
            Some(words) => words.message(values).into(),
            None => [message_text(values), String::new()],
        }
    }

    /// The name of a queue: of the variable that it was created with.
    fn queue_name(&self, state: &Configuration, queue: usize) -> String {
        queue_name(self.stepper.semantics(), state, queue)
    }

    /// The words for a step that is taken in a state; changes are filled in by the caller.
    pub fn describe(&mut self, state: &[u8], step: Step) -> ChartStep {
        let mut words = ChartStep { shown: true, key: Some(StepKey::Network(step.into())), ..ChartStep::default() };
        let event = match step {
            Step::Edge { process, edge } => {
                words.moves.push(self.mover(state, process, edge));
                words.shown = !self.is_silent(state, process, edge);
                self.event(state, process, edge)
            }
            Step::Rendezvous { sender, receiver } => {
                words.moves.push(self.mover(state, sender.0, sender.1));
                words.moves.push(self.mover(state, receiver.0, receiver.1));
                let (event, message) = self.event(state, sender.0, sender.1);
                (event, message.map(|message| Message { fate: Fate::HandedOver, ..message }))
            }
            Step::Loss { queue, position } => {
                let configuration = self.stepper.configuration(state).clone();
                let name = self.queue_name(&configuration, queue as usize);
                (format!("{name} loses message {}", position + 1), None)
            }
        };
        (words.event, words.message) = (Some(event.0), event.1);
        words
    }

    fn is_silent(&mut self, state: &[u8], process: u32, edge: EdgeId) -> bool {
        let machine = self.stepper.configuration(state).machine(process as usize);
        let words = self.network().words.as_ref();
        words.is_some_and(|words| words.edges.get(&(machine, edge)) == Some(&Telling::Silent))
    }

    fn mover(&mut self, state: &[u8], process: u32, edge: EdgeId) -> Move {
        let id = self.stepper.configuration(state).machine(process as usize);
        let machine = self.network().machine(id);
        let span = Some(machine.edges.get(edge.index()).map_or(machine.span, |e| e.span));
        Move { lane: self.lane_of(id, process), span, ..Move::default() }
    }

    /// What an edge does in a state: a send or a receive with its values, or the statement itself.
    fn event(&mut self, state: &[u8], process: u32, edge: EdgeId) -> (String, Option<Message>) {
        let network = self.network();
        let configuration = self.stepper.configuration(state).clone();
        let id = configuration.machine(process as usize);
        let number = edge;
        let Some(edge) = network.machine(id).edges.get(edge.index()) else { return (String::new(), None) };
        let io = match &edge.action {
            Action::Send { channel, message, sorted } => {
                let mark = if *sorted { "!!" } else { "!" };
                self.sent(&configuration, process, channel, message).map(|message| (mark, message))
            }
            Action::Receive { channel, mode, .. } => {
                self.received(&configuration, process, channel, mode.anywhere).map(|message| ("?", message))
            }
            _ => None,
        };
        let (event, data, message) = match io {
            Some((mark, (message, data))) => {
                (format!("{}{mark}{}", message.channel, message.text), data, Some(message))
            }
            None => (statement(network, id, edge, self.sources), String::new(), None),
        };
        (self.told(id, number, edge, event, &data), message)
    }

    /// A message that is sent, and what it carries.
    fn sent(&self, state: &Configuration, process: u32, channel: &Expr, message: &[Expr]) -> Option<(Message, String)> {
        let semantics = self.stepper.semantics();
        let queue = semantics.evaluate(state, process as usize, channel).ok()?.checked_sub(1)?;
        let frame = state.frame.queues.get(usize::try_from(queue).ok()?)?;
        let fields = &semantics.layout.messages[frame.channel_type.index()].fields;
        let mut values = Vec::new();
        for (e, &(_, _, ty)) in message.iter().zip(fields) {
            let value = semantics.evaluate(state, process as usize, e).ok()?;
            values.push(self.network().show_value(ty, ty.truncate(value)));
        }
        let [name, data] = self.message_text(&values);
        let channel = self.queue_name(state, queue as usize);
        Some((Message { fate: Fate::Sent, channel, text: name + &data }, data))
    }

    fn received(
        &self,
        state: &Configuration,
        process: u32,
        channel: &Expr,
        anywhere: bool,
    ) -> Option<(Message, String)> {
        let semantics = self.stepper.semantics();
        let layout = &semantics.layout;
        let queue = usize::try_from(semantics.evaluate(state, process as usize, channel).ok()?.checked_sub(1)?).ok()?;
        let frame = *state.frame.queues.get(queue)?;
        if anywhere || state.queue_len(layout, queue) == 0 {
            return None;
        }
        let at = state.queue_start(layout, queue);
        let fields = &layout.messages[frame.channel_type.index()].fields;
        let values: Vec<String> = fields
            .iter()
            .map(|&(s, offset, ty)| self.network().show_value(ty, s.load(&state.bytes, at + offset)))
            .collect();
        let [name, data] = self.message_text(&values);
        let channel = self.queue_name(state, queue);
        Some((Message { fate: Fate::Received, channel, text: name + &data }, data))
    }

    /// What a `printf` says, if the step is one.
    pub fn output(&mut self, state: &[u8], step: Step) -> Option<String> {
        let Step::Edge { process, edge } = step else { return None };
        let network = self.network();
        let configuration = self.stepper.configuration(state).clone();
        let machine = network.machine(configuration.machine(process as usize));
        let Action::Print { format, arguments } = &machine.edges.get(edge.index())?.action else { return None };
        let semantics = self.stepper.semantics();
        let values = arguments.iter().map(|e| semantics.evaluate(&configuration, process as usize, e).unwrap_or(0));
        Some(formatted(network, format, values))
    }
}

/// The name of a queue: of the variable that it was created with, with its process if it is a local one.
pub(crate) fn queue_name(semantics: &Semantics<'_>, state: &Configuration, queue: usize) -> String {
    let layout = &semantics.layout;
    let network = semantics.network();
    let globals = &layout.globals.queues;
    if let Some(own) = globals.get(queue) {
        return network.variables[own.variable as usize].element_name(own.element as usize);
    }
    let owner = state.frame.processes.iter().rposition(|p| (p.first_queue as usize) <= queue).unwrap_or(0);
    let frame = &state.frame.processes[owner];
    let machine = network.machine(frame.machine);
    let own = &layout.blocks[frame.machine.index()].queues[queue - frame.first_queue as usize];
    let name = machine.variables[own.variable as usize].element_name(own.element as usize);
    format!("{}[{owner}]:{name}", machine.name)
}

/// The statement of an edge as it is written, on one line and not too long; if what is written there is a mere
/// name (of a macro, or of the variable of a loop) or has parameters of an inline in it, the statement that it stands for.
pub fn statement(network: &Network, machine: MachineId, edge: &Edge, sources: &SourceMap) -> String {
    const LONGEST: usize = 60;
    let written = sources.text(edge.span).split_whitespace().collect::<Vec<_>>().join(" ");
    let is_name = written.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let keep =
        matches!(&edge.action, Action::Deterministic(_)) || ["skip", "true", "timeout"].contains(&written.as_str());
    let elsewhere = sources.is_expansion(edge.span) || !is_balanced(&written);
    let implied = matches!(&edge.action, Action::End | Action::Else) || (elsewhere && !keep);
    let text = if (is_name && !keep) || implied { Display { network, machine }.action(&edge.action) } else { written };
    if text.chars().count() > LONGEST { text.chars().take(LONGEST - 3).collect::<String>() + "..." } else { text }
}

/// Whether every parenthesis has its partner: else a part of a macro's call is missing.
fn is_balanced(text: &str) -> bool {
    let mut open = 0i64;
    let never_negative = text.chars().all(|c| {
        open += i64::from("([{".contains(c)) - i64::from(")]}".contains(c));
        open >= 0
    });
    never_negative && open == 0
}

/// Lanes that must not stop where they are, each of which could be unblocked by the next.
fn circle(waiting: &[Waits], lanes: usize) -> Vec<usize> {
    let mut waits_for = vec![Vec::new(); lanes];
    for waits in waiting.iter().filter(|waits| !waits.done) {
        let others = waits.events.iter().filter_map(|awaited| awaited.blocked.as_ref()).flat_map(|b| &b.lanes);
        waits_for[waits.lane] = others.copied().collect();
    }
    shortest_circle(&waits_for).unwrap_or_default()
}

/// `a(b,c)` for the fields a, b, c.
pub(crate) fn message_text(values: &[String]) -> String {
    match values {
        [] => String::new(),
        [one] => one.clone(),
        [first, rest @ ..] => format!("{first}({})", rest.join(",")),
    }
}

/// A `printf` format with its values: `%d`, `%e`, `%c`, `%x`, `%o`, `%u`, and the escapes `\n`, `\t`, `\"`.
fn formatted(network: &Network, format: &str, mut values: impl Iterator<Item = i32>) -> String {
    let mut text = String::new();
    let mut characters = format.chars();
    while let Some(c) = characters.next() {
        match c {
            '\\' => match characters.next() {
                Some('n') => text.push('\n'),
                Some('t') => text.push('\t'),
                Some(other) => text.push(other),
                None => {}
            },
            '%' => {
                let kind = characters.next();
                if kind == Some('%') {
                    text.push('%');
                    continue;
                }
                let value = values.next().unwrap_or(0);
                match kind {
                    Some('c') => text.push(u8::try_from(value).map_or('?', char::from)),
                    Some('x') => text += &format!("{value:x}"),
                    Some('o') => text += &format!("{value:o}"),
                    Some('u') => text += &(value as u32).to_string(),
                    Some('e') => text += &network.any_symbol(value),
                    _ => text += &value.to_string(),
                }
            }
            other => text.push(other),
        }
    }
    text
}

/// Variables whose values differ; those of new processes where they are not zero.
pub fn changes(before: &Snapshot, after: &Snapshot) -> Vec<Change> {
    changes_of(&before.variables, &after.variables)
}

fn changes_of(before: &[Change], after: &[Change]) -> Vec<Change> {
    let mut old = before.iter().peekable();
    let mut changes = Vec::new();
    // Both lists have the same order; processes come and go at the end only.
    for change in after {
        match old.next() {
            Some(earlier) if earlier.name == change.name => {
                if earlier.value != change.value {
                    changes.push(change.clone());
                }
            }
            _ => {
                if change.value != "0" {
                    changes.push(change.clone());
                }
            }
        }
    }
    changes
}

/// Channels whose contents differ.
pub fn touched(before: &Snapshot, after: &Snapshot) -> Vec<Contents> {
    let unchanged = |c: &&Contents| before.channels.iter().any(|b| b == *c);
    let new_and_empty =
        |c: &&Contents| c.messages.is_empty() && !before.channels.iter().any(|b| b.channel == c.channel);
    after.channels.iter().filter(|c| !unchanged(c) && !new_and_empty(c)).cloned().collect()
}
