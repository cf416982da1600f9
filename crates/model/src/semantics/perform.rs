//! What a statement does to a state.
//!
//! A [`Performer`] carries out actions of one process, known to be executable, on a copy of the state.
//! In a deterministic step it goes on to the next statement by itself; anywhere else one action is all.

use super::{Exchange, InitialCode, Reading, Semantics};
use crate::code::{ActionCode, Code, DeterministicCode, PatternCode, PlaceCode};
use crate::configuration::Configuration;
use crate::evaluate::{Eval, View, sorts_before};
use crate::fault::{Fault, FaultAt, Overflow};
use crate::ids::MachineId;
use crate::layout::{FrameCache, Section};
use crate::source::Span;

/// SPIN's limit on processes, and on channels.
const MOST: usize = 255;
/// A deterministic step of more statements than this does not end.
const LONGEST_STEP: usize = 1_000_000;
/// What the length of a queue can count to.
const LONGEST_QUEUE: usize = u16::MAX as usize;

/// Why a step could not be completed.
pub(super) enum Trouble {
    Fault(Box<Fault>),
    /// A fault in the first value of a variable, which is declared there.
    InitialValue(Box<Fault>, Span),
    Overflow(Overflow),
}

impl From<Box<Fault>> for Trouble {
    fn from(fault: Box<Fault>) -> Self {
        Trouble::Fault(fault)
    }
}

impl Trouble {
    /// What went wrong in a statement, and where; an overflow is not its fault.
    pub(super) fn at(self, span: Span) -> Result<FaultAt, Overflow> {
        match self {
            Trouble::Overflow(overflow) => Err(overflow),
            Trouble::Fault(fault) => Ok(FaultAt { fault: *fault, span }),
            Trouble::InitialValue(fault, span) => Ok(FaultAt { fault: *fault, span }),
        }
    }
}

/// A deterministic step whose guard is `else`.
pub(super) fn is_else(step: &DeterministicCode) -> bool {
    matches!(step.guard.as_slice(), [ActionCode::Else])
}

/// Whether an action, or the guard of a deterministic step, takes a message that is handed over on `queue`.
pub(super) fn accepts(view: &View<'_>, action: &ActionCode, queue: usize, message: &[i32]) -> Eval<bool> {
    match action {
        ActionCode::Receive { channel, pattern, mode } if !mode.keep => {
            Ok(view.queue(channel).is_ok_and(|q| q == queue) && view.fits(pattern, message)?)
        }
        ActionCode::Deterministic(step) => {
            for guard in &step.guard {
                if accepts(view, guard, queue, message)? {
                    return Ok(true);
                }
            }
            Ok(false)
        }
        _ => Ok(false),
    }
}
/// A statement of a deterministic step that was chosen.
#[derive(Clone, Debug)]
pub(crate) struct Chosen {
    /// The node.
    pub(crate) node: usize,
    /// Its number among the choices of the node.
    pub(crate) choice: usize,
    /// The state in which it was carried out.
    pub(crate) before: Configuration,
}

/// Carries out actions of one process on a state.
pub(super) struct Performer<'a, 's> {
    semantics: &'s Semantics<'s>,
    cache: &'a mut FrameCache,
    state: &'a mut Configuration,
    fields: &'a mut Vec<i32>,
    process: usize,
    timeout: bool,
    run_result: i32,
    /// A rendezvous message on its way to this process, and its queue.
    pub(super) handed_over: Option<(usize, &'a [i32])>,
    /// The first assertion that failed.
    pub(super) failed_assertion: Option<Span>,
    /// Who wants to know which messages are sent and taken.
    pub(super) listener: Option<&'a mut Vec<Exchange>>,
    /// Who wants to know what a deterministic step does.
    pub(super) path: Option<&'a mut Vec<Chosen>>,
}

impl<'a, 's> Performer<'a, 's> {
    pub(super) fn new(
        semantics: &'s Semantics<'s>,
        cache: &'a mut FrameCache,
        state: &'a mut Configuration,
        fields: &'a mut Vec<i32>,
        process: usize,
        timeout: bool,
    ) -> Self {
        Performer {
            semantics,
            cache,
            state,
            fields,
            process,
            timeout,
            run_result: 0,
            handed_over: None,
            failed_assertion: None,
            listener: None,
            path: None,
        }
    }

    /// Tells who listens that a message was sent or taken.
    #[inline]
    fn tell(&mut self, queue: usize, sent: bool, fields: &[i32]) {
        if let Some(listener) = &mut self.listener {
            listener.push(Exchange { queue: queue as u32, sent, fields: fields.to_vec() });
        }
    }

    #[inline(always)]
    fn view(&self) -> View<'_> {
        let mut view = View::new(self.semantics, self.state, self.process, self.timeout);
        view.run_result = self.run_result;
        view
    }

    /// Carries out an action that is executable.
    pub(super) fn perform(&mut self, action: &ActionCode, span: Span) -> Result<(), Trouble> {
        match action {
            ActionCode::Skip | ActionCode::Else | ActionCode::Condition(_) => Ok(()),
            ActionCode::Assign(place, e) => {
                let value = self.view().value(e)?;
                self.assign(place, value)
            }
            ActionCode::Assert(e) => {
                if !self.view().holds(e)? && self.failed_assertion.is_none() {
                    self.failed_assertion = Some(span);
                }
                Ok(())
            }
            ActionCode::Send { channel, message, sorted } => self.send(channel, message, *sorted),
            ActionCode::Receive { channel, pattern, mode } => self.receive(channel, pattern, mode.anywhere, mode.keep),
            ActionCode::Run { machine, arguments, priority, then } => {
                let view = self.view();
                let arguments = arguments.iter().map(|e| view.eval(e)).collect::<Eval<Vec<i32>>>()?;
                self.run_result = self.create_process(*machine, &arguments, *priority)?;
                match then {
                    Some((place, e)) => {
                        let value = self.view().eval(e)?;
                        self.assign(place, value)
                    }
                    None => Ok(()),
                }
            }
            ActionCode::SetPriority(pid, priority) => self.set_priority(pid, priority),
            ActionCode::End => {
                let semantics = self.semantics;
                self.state
                    .pop_process(&semantics.layout, &semantics.shapes, self.cache)
                    .ok_or(Trouble::Overflow(Overflow::Shapes))
            }
            ActionCode::Deterministic(step) => self.deterministic(step),
        }
    }

    fn assign(&mut self, place: &PlaceCode, value: i32) -> Result<(), Trouble> {
        let address = self.view().place_address(place)?;
        let slot = match place {
            PlaceCode::Scalar(scalar) => scalar.slot,
            PlaceCode::Element(element) => element.scalar.slot,
        };
        slot.storage.store(&mut self.state.bytes, address, slot.ty.truncate(value));
        Ok(())
    }

    fn send(&mut self, channel: &Code, message: &[Code], sorted: bool) -> Result<(), Trouble> {
        let mut values = std::mem::take(self.fields);
        let result = self.send_values(channel, message, sorted, &mut values);
        *self.fields = values;
        result
    }

    fn send_values(
        &mut self,
        channel: &Code,
        message: &[Code],
        sorted: bool,
        values: &mut Vec<i32>,
    ) -> Result<(), Trouble> {
        let semantics = self.semantics;
        let layout = &semantics.layout;
        let view = self.view();
        let queue = view.queue(channel)?;
        if view.is_rendezvous(queue) {
            return Err(Trouble::Fault(Box::new(Fault::RendezvousInStep)));
        }
        values.clear();
        for e in message {
            values.push(view.value(e)?);
        }
        let channel_type = self.state.frame.queues[queue].channel_type;
        let expected = layout.messages[channel_type.index()].fields.len();
        if values.len() != expected {
            return Err(Trouble::Fault(Box::new(Fault::FieldCount { given: values.len(), expected })));
        }
        let lost = semantics.reading == Reading::Drop && view.is_full(queue);
        if self.listener.is_some() {
            let types = layout.messages[channel_type.index()].fields.iter().map(|&(_, _, ty)| ty);
            let stored: Vec<i32> = values.iter().zip(types).map(|(&value, ty)| ty.truncate(value)).collect();
            self.tell(queue, true, &stored);
        }
        if lost {
            return Ok(());
        }
        let len = self.state.queue_len(layout, queue);
        if len >= LONGEST_QUEUE {
            return Err(Trouble::Overflow(Overflow::QueueLength));
        }
        let position = if sorted { self.sorted_position(queue, values) } else { len };
        self.state.insert_message(layout, queue, position, values);
        Ok(())
    }

    /// Before the first message that is greater, field by field.
    fn sorted_position(&self, queue: usize, values: &[i32]) -> usize {
        let layout = &self.semantics.layout;
        let frame = self.state.frame.queues[queue];
        let fields = &layout.messages[frame.channel_type.index()].fields;
        let values: Vec<i32> = values.iter().zip(fields).map(|(&v, &(_, _, ty))| ty.truncate(v)).collect();
        let start = self.state.queue_start(layout, queue);
        let len = self.state.queue_len(layout, queue);
        (0..len)
            .find(|position| {
                let at = start + position * frame.message_size as usize;
                sorts_before(&values, fields.iter().map(|&(s, offset, _)| s.load(&self.state.bytes, at + offset)))
            })
            .unwrap_or(len)
    }

    fn receive(&mut self, channel: &Code, pattern: &[PatternCode], anywhere: bool, keep: bool) -> Result<(), Trouble> {
        let layout = &self.semantics.layout;
        let queue = self.view().queue(channel)?;
        if let Some((handed, message)) = self.handed_over
            && handed == queue
        {
            self.handed_over = None;
            self.tell(queue, true, message);
            self.tell(queue, false, message);
            return self.bind(pattern, message);
        }
        let Some(position) = self.view().find_message(queue, pattern, anywhere)? else {
            return Err(Trouble::Fault(Box::new(Fault::BlockedStep)));
        };
        let frame = self.state.frame.queues[queue];
        let at = self.state.queue_start(layout, queue) + position * frame.message_size as usize;
        let fields = &layout.messages[frame.channel_type.index()].fields;
        let mut message = std::mem::take(self.fields);
        message.clear();
        message.extend(fields.iter().map(|&(s, offset, _)| s.load(&self.state.bytes, at + offset)));
        if !keep {
            self.state.remove_message(layout, queue, position);
        }
        self.tell(queue, false, &message);
        let result = self.bind(pattern, &message);
        *self.fields = message;
        result
    }

    /// Stores fields one after the other, so that a later place may depend on an earlier field.
    fn bind(&mut self, pattern: &[PatternCode], message: &[i32]) -> Result<(), Trouble> {
        for (pattern, &value) in pattern.iter().zip(message) {
            if let PatternCode::Bind(place) = pattern {
                self.assign(place, value)?;
            }
        }
        Ok(())
    }

    fn set_priority(&mut self, pid: &Code, priority: &Code) -> Result<(), Trouble> {
        let (pid, priority) = (self.view().eval(pid)?, self.view().eval(priority)?);
        if let Some(process) = usize::try_from(pid).ok().filter(|&p| p < self.state.process_count()) {
            self.state.set_priority(&self.semantics.layout, process, priority.clamp(1, 255) as u8);
        }
        Ok(())
    }

    /// Creates a process and returns its number.
    pub(super) fn create_process(
        &mut self,
        machine: MachineId,
        arguments: &[i32],
        priority: u8,
    ) -> Result<i32, Trouble> {
        let semantics = self.semantics;
        let layout = &semantics.layout;
        let process = self.state.process_count();
        let block = &layout.blocks[machine.index()];
        let queues = self.state.frame.queues.len();
        if semantics.reading != Reading::Unbounded {
            if process >= MOST {
                return Err(Trouble::Overflow(Overflow::Processes));
            }
            if queues + block.queues.len() > MOST {
                return Err(Trouble::Overflow(Overflow::Channels));
            }
        }
        self.state
            .push_process(layout, &semantics.shapes, self.cache, machine)
            .ok_or(Trouble::Overflow(Overflow::Shapes))?;
        let code = &semantics.machines[machine.index()];
        self.state.set_location(process, code.initial);
        self.state.set_priority(layout, process, priority);
        let base = self.state.base(process);
        for (slot, &value) in block.slots.iter().zip(arguments) {
            self.state.write(*slot, base, 0, value);
        }
        let parameters = semantics.network.machine(machine).parameters;
        set_initials(semantics, self.state, Some(process), base, block, &code.initials, parameters, queues)?;
        Ok(process as i32)
    }

    /// Runs the body of a deterministic step: the first executable choice at each node.
    fn deterministic(&mut self, step: &DeterministicCode) -> Result<(), Trouble> {
        let mut node = 0;
        // Who takes the step has requested the guard.
        let mut known = step.starts_with_guard && self.handed_over.is_none();
        for _ in 0..LONGEST_STEP {
            let Some(choices) = step.nodes.get(node) else { return Ok(()) };
            let mut chosen = None;
            for (index, choice) in choices.iter().enumerate() {
                if known || self.can_choose(&choice.action)? {
                    chosen = Some((index, choice));
                    break;
                }
            }
            let Some((index, choice)) = chosen else {
                return Err(Trouble::Fault(Box::new(Fault::BlockedStep)));
            };
            known = false;
            if let Some(path) = &mut self.path {
                path.push(Chosen { node, choice: index, before: self.state.clone() });
            }
            self.perform(&choice.action, choice.span)?;
            match choice.next {
                Some(next) => node = next as usize,
                None => return Ok(()),
            }
        }
        Err(Trouble::Fault(Box::new(Fault::EndlessStep)))
    }

    #[inline]
    fn can_choose(&self, action: &ActionCode) -> Eval<bool> {
        match (self.handed_over, action) {
            (Some((queue, message)), _) => accepts(&self.view(), action, queue, message),
            (None, ActionCode::Assign(..) | ActionCode::Skip) => Ok(true),
            (None, ActionCode::Condition(condition)) => self.view().holds(condition),
            (None, _) => self.view().executable(action, true),
        }
    }
}

/// Gives the variables of a section their first values, in order of declaration, so that later ones can use earlier ones.
#[allow(clippy::too_many_arguments)]
pub(super) fn set_initials(
    semantics: &Semantics<'_>,
    state: &mut Configuration,
    process: Option<usize>,
    base: usize,
    section: &Section,
    initials: &[InitialCode],
    skip: usize,
    first_queue: usize,
) -> Result<(), Trouble> {
    let variables = match process {
        Some(process) => &semantics.network.machine(state.machine(process)).variables,
        None => &semantics.network.variables,
    };
    for (index, variable) in variables.iter().enumerate().skip(skip) {
        let (slot, initial) = (section.slots[index], &initials[index]);
        for element in 0..variable.len() {
            let value = match initial {
                InitialCode::Zero => break,
                InitialCode::Value(code) => {
                    let value = match process {
                        Some(process) => View::new(semantics, state, process, false).eval(code),
                        None => initial_global(semantics, state, code),
                    };
                    value.map_err(|fault| Trouble::InitialValue(fault, variable.span))?
                }
                InitialCode::List(values) => values.get(element).or(values.last()).copied().unwrap_or(0),
                InitialCode::NewChannel => (first_queue + section.first_queue[index] as usize + element + 1) as i32,
            };
            state.write(slot, base, element, value);
        }
    }
    Ok(())
}

/// The value of an expression over globals before any process exists.
fn initial_global(semantics: &Semantics<'_>, state: &Configuration, code: &Code) -> Eval {
    View { semantics, state, process: 0, base: 0, timeout: false, asked: 0, run_result: 0 }.eval(code)
}
