//! The one step semantics: what a state is, which steps it has, and where they lead.
//!
//! Every engine, the simulator, the replay of a trace and the checker of certificates go through
//! [`Semantics`]; no other code has an idea of what a statement does. It follows the verifier that
//! SPIN 6 generates, and counts the same states:
//!
//! * A step is one edge of one process, or a send and a receive that meet on a rendezvous channel.
//! * After an *atomic* edge the process keeps control for as long as it can move. States in between
//!   are not states of the system: [`Stepper::expand`] is given the process in control, and what it
//!   reaches is a state only once that process is blocked or has left its atomic sequence. A
//!   rendezvous hands control to the receiver, if its own edge is atomic.
//! * `else` can be taken when no other edge of the location can; a receive on a rendezvous channel
//!   never can by itself. `timeout` is true when nothing else in the whole system can move.
//! * A process that has reached its end vanishes once it is the youngest; numbers are used again.
//! * Faults of the model (see [`Fault`]) come with the step that causes them. After a failed
//!   assertion the run goes on, after the others it cannot.
//!
//! The three [`Reading`]s differ only in what a send does when the channel is full.

use crate::code::{ActionCode, Code, Compiler, PatternCode, PlaceCode};
use crate::configuration::Configuration;
use crate::evaluate::{Eval, View, sorts_before};
use crate::expr::Expr;
use crate::fault::{Fault, FaultAt, Overflow};
use crate::ids::{EdgeId, LocationId, MachineId};
use crate::layout::{FrameCache, Layout, SHAPE_BYTES, Section, Shapes};
use crate::network::{Initial, Network, Variable};
use crate::source::Span;

/// How capacities are read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, PartialOrd, Ord)]
pub enum Reading {
    /// A full channel blocks the sender.
    Declared,
    /// A send never blocks, except on a rendezvous; `full` and `nfull` keep the declared threshold,
    /// and there is no limit on the number of processes.
    Unbounded,
    /// A full channel loses the message.
    Drop,
}

impl Reading {
    /// The name on the command line and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Reading::Declared => "declared",
            Reading::Unbounded => "unbounded",
            Reading::Drop => "drop",
        }
    }
}

/// SPIN's limit on processes, and on channels.
const MOST: usize = 255;
/// A deterministic step of more statements than this does not end.
const LONGEST_STEP: usize = 1_000_000;
/// What the length of a queue can count to.
const LONGEST_QUEUE: usize = u16::MAX as usize;

/// A step.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Step {
    /// One process takes an edge.
    Edge {
        /// The process.
        process: u32,
        /// Its edge.
        edge: EdgeId,
    },
    /// Two processes meet.
    Rendezvous {
        /// The sender and its edge.
        sender: (u32, EdgeId),
        /// The receiver and its edge.
        receiver: (u32, EdgeId),
    },
    /// A lossy channel loses a message.
    Loss {
        /// The number of the queue, from 0.
        queue: u32,
        /// The position of the message.
        position: u32,
    },
}

/// Where a step leads.
pub struct Successor<'a> {
    /// The step.
    pub step: Step,
    /// The state after it; `None` if it cannot be completed.
    pub state: Option<&'a [u8]>,
    /// The process that keeps control.
    pub control: Option<u32>,
    /// What went wrong.
    pub fault: Option<FaultAt>,
    /// It was taken because nothing else could move.
    pub timeout: bool,
}

/// An edge made ready.
#[derive(Debug)]
struct EdgeCode {
    id: EdgeId,
    to: LocationId,
    action: ActionCode,
    atomic: bool,
    escape: u32,
    span: Span,
}

/// A machine made ready: edges grouped by location.
#[derive(Debug)]
struct MachineCode {
    edges: Vec<EdgeCode>,
    /// Per location: its edges, and whether one of them may receive.
    outgoing: Vec<(std::ops::Range<u32>, bool)>,
    provided: Option<Code>,
    initial: LocationId,
    initials: Vec<InitialCode>,
}

#[derive(Debug)]
enum InitialCode {
    Zero,
    Value(Code),
    List(Vec<i32>),
    NewChannel,
}

/// The semantics of a network under one reading.
#[derive(Debug)]
pub struct Semantics<'n> {
    pub(crate) network: &'n Network,
    pub(crate) reading: Reading,
    pub(crate) layout: Layout,
    pub(crate) shapes: Shapes,
    machines: Vec<MachineCode>,
    global_initials: Vec<InitialCode>,
    uses_timeout: bool,
    uses_provided: bool,
    has_lossy: bool,
}

impl<'n> Semantics<'n> {
    /// Makes a network ready to run.
    pub fn new(network: &'n Network, reading: Reading) -> Self {
        let last_mover = network.any_expression(&|e| matches!(e, Expr::LastMover));
        let layout = Layout::new(network, reading == Reading::Unbounded, last_mover);
        let machines = (0..network.machines.len()).map(|i| MachineCode::new(network, &layout, i.into())).collect();
        let compiler = Compiler { network, layout: &layout, machine: MachineId(0) };
        let global_initials = network.variables.iter().map(|v| InitialCode::new(v, &compiler)).collect();
        Semantics {
            network,
            reading,
            machines,
            global_initials,
            uses_timeout: network.any_expression(&|e| matches!(e, Expr::Timeout)),
            uses_provided: network.machines.iter().any(|m| m.provided.is_some()),
            has_lossy: network.channel_types.iter().any(|c| c.lossy),
            layout,
            shapes: Shapes::default(),
        }
    }

    /// The network.
    pub fn network(&self) -> &'n Network {
        self.network
    }

    /// The reading.
    pub fn reading(&self) -> Reading {
        self.reading
    }

    /// Something that computes successors; one per thread.
    pub fn stepper(&self) -> Stepper<'_> {
        let mut cache = FrameCache::default();
        let empty = Configuration::empty(&self.layout, &self.shapes, &mut cache);
        Stepper { semantics: self, cache, current: empty.clone(), next: empty, message: Vec::new(), fields: Vec::new() }
    }

    /// The value of an expression as a process sees it; for descriptions, not for steps.
    pub(crate) fn evaluate(&self, state: &Configuration, process: usize, e: &Expr) -> Eval {
        let machine = state.machine(process);
        let code = Compiler { network: self.network, layout: &self.layout, machine }.expr(e);
        View::new(self, state, process, false).eval(&code)
    }

    fn machine(&self, state: &Configuration, process: usize) -> &MachineCode {
        &self.machines[state.machine(process).index()]
    }

    /// The edges that leave the place where a process is, and whether one may receive.
    fn edges_at(&self, state: &Configuration, process: usize) -> (&[EdgeCode], bool) {
        let code = self.machine(state, process);
        let location = state.location(&self.layout, process);
        let (range, may_receive) = &code.outgoing[location.index()];
        (&code.edges[range.start as usize..range.end as usize], *may_receive)
    }

    pub(crate) fn last_mover(&self, state: &Configuration) -> i32 {
        if self.layout.last_mover { i32::from(state.bytes[SHAPE_BYTES]) } else { 0 }
    }

    pub(crate) fn at_progress(&self, state: &Configuration) -> bool {
        (0..state.process_count()).any(|p| {
            let location = state.location(&self.layout, p);
            self.network.machine(state.machine(p)).locations[location.index()].progress
        })
    }

    /// `enabled(pid)`: some edge of the process can be taken; a rendezvous send counts.
    pub(crate) fn is_enabled(&self, state: &Configuration, process: usize) -> Eval<bool> {
        let view = View::new(self, state, process, false);
        for edge in self.edges_at(state, process).0 {
            if view.executable(&edge.action, true)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether `provided` and priorities let a process move.
    fn may_move(&self, state: &Configuration, process: usize) -> Eval<bool> {
        if self.uses_provided && !self.is_provided(state, process)? {
            return Ok(false);
        }
        if self.layout.priorities {
            let own = state.priority(&self.layout, process);
            for other in (0..state.process_count()).filter(|&p| p != process) {
                let higher = state.priority(&self.layout, other) > own;
                if higher && self.is_provided(state, other)? && self.is_enabled(state, other)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    fn is_provided(&self, state: &Configuration, process: usize) -> Eval<bool> {
        match &self.machine(state, process).provided {
            Some(condition) => View::new(self, state, process, false).holds(condition),
            None => Ok(true),
        }
    }
}

impl MachineCode {
    fn new(network: &Network, layout: &Layout, id: MachineId) -> Self {
        let machine = network.machine(id);
        let compiler = Compiler { network, layout, machine: id };
        let mut edges = Vec::with_capacity(machine.edges.len());
        let mut outgoing = Vec::with_capacity(machine.locations.len());
        for location in &machine.locations {
            let start = edges.len() as u32;
            for &id in &location.edges {
                let edge = &machine.edges[id.index()];
                let action = compiler.action(&edge.action);
                edges.push(EdgeCode {
                    id,
                    to: edge.to,
                    action,
                    atomic: edge.atomic,
                    escape: edge.escape,
                    span: edge.span,
                });
            }
            let range = start..edges.len() as u32;
            let may_receive = edges[start as usize..].iter().any(|e| may_receive(&e.action));
            outgoing.push((range, may_receive));
        }
        MachineCode {
            edges,
            outgoing,
            provided: machine.provided.as_ref().map(|e| compiler.expr(e)),
            initial: machine.initial,
            initials: machine.variables.iter().map(|v| InitialCode::new(v, &compiler)).collect(),
        }
    }
}

fn may_receive(action: &ActionCode) -> bool {
    match action {
        ActionCode::Receive { .. } => true,
        ActionCode::Deterministic(nodes) => nodes.first().is_some_and(|n| n.iter().any(|c| may_receive(&c.action))),
        _ => false,
    }
}

impl InitialCode {
    fn new(variable: &Variable, compiler: &Compiler<'_>) -> Self {
        match &variable.initial {
            Initial::Zero => InitialCode::Zero,
            Initial::Value(e) => InitialCode::Value(compiler.expr(e)),
            Initial::List(values) => InitialCode::List(values.clone()),
            Initial::NewChannel(_) => InitialCode::NewChannel,
        }
    }
}

/// Why a step could not be completed.
enum Trouble {
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

/// Computes successors; holds the buffers it needs, so one per thread.
#[derive(Debug)]
pub struct Stepper<'s> {
    semantics: &'s Semantics<'s>,
    cache: FrameCache,
    current: Configuration,
    next: Configuration,
    /// The message of a rendezvous on its way.
    message: Vec<i32>,
    /// Room for the fields of a message that is sent or received.
    fields: Vec<i32>,
}

impl<'s> Stepper<'s> {
    /// The semantics it steps through.
    pub fn semantics(&self) -> &'s Semantics<'s> {
        self.semantics
    }

    /// The first state; a fault if a first value cannot be computed.
    pub fn initial(&mut self) -> Result<Result<Vec<u8>, FaultAt>, Overflow> {
        let semantics = self.semantics;
        self.next = Configuration::empty(&semantics.layout, &semantics.shapes, &mut self.cache);
        match self.create_initial() {
            Ok(()) => Ok(Ok(self.next.bytes.clone())),
            Err(Trouble::Fault(fault)) => Ok(Err(FaultAt { fault: *fault, span: Span::NONE })),
            Err(Trouble::InitialValue(fault, span)) => Ok(Err(FaultAt { fault: *fault, span })),
            Err(Trouble::Overflow(overflow)) => Err(overflow),
        }
    }

    fn create_initial(&mut self) -> Result<(), Trouble> {
        let semantics = self.semantics;
        let network = semantics.network;
        // Initial values of globals are constants or channels: no process is needed to compute them.
        self.cache_frame();
        let globals = &semantics.layout.globals;
        let base = semantics.layout.globals_base;
        set_initials(semantics, &mut self.next, None, base, globals, &semantics.global_initials, 0, 0)?;
        for instance in &network.instances {
            let mut performer = Performer::new(semantics, &mut self.cache, &mut self.next, &mut self.fields, 0, false);
            performer.create_process(instance.machine, &[], instance.priority)?;
        }
        Ok(())
    }

    fn cache_frame(&mut self) {
        let shape = self.next.frame.shape;
        self.next.frame = self.cache.get(&self.semantics.layout, &self.semantics.shapes, shape);
    }

    /// Visits every successor of a state. With a process in control, only that process moves.
    /// Returns how many successors there are.
    pub fn expand(
        &mut self,
        state: &[u8],
        control: Option<u32>,
        visit: &mut impl FnMut(Successor<'_>),
    ) -> Result<usize, Overflow> {
        self.load(state);
        self.expand_loaded(control, visit)
    }

    /// Like [`Stepper::expand`], for the state that was loaded last.
    pub fn expand_loaded(
        &mut self,
        control: Option<u32>,
        visit: &mut impl FnMut(Successor<'_>),
    ) -> Result<usize, Overflow> {
        let semantics = self.semantics;
        if let Some(process) = control {
            return self.process_steps(process as usize, false, visit);
        }
        let mut count = self.all_steps(false, visit)?;
        if count == 0 && semantics.uses_timeout {
            count = self.all_steps(true, visit)?;
        }
        if semantics.has_lossy {
            count += self.losses(visit);
        }
        Ok(count)
    }

    /// Whether the process in control can move: only then the state is in the middle of an atomic sequence.
    pub fn keeps_control(&mut self, state: &[u8], process: u32) -> Result<bool, Overflow> {
        Ok(self.expand(state, Some(process), &mut |_| ())? > 0)
    }

    fn all_steps(&mut self, timeout: bool, visit: &mut impl FnMut(Successor<'_>)) -> Result<usize, Overflow> {
        let mut count = 0;
        for process in 0..self.current.process_count() {
            count += self.process_steps(process, timeout, visit)?;
        }
        Ok(count)
    }

    /// The steps of one process, in the order in which its edges stand.
    fn process_steps(
        &mut self,
        process: usize,
        timeout: bool,
        visit: &mut impl FnMut(Successor<'_>),
    ) -> Result<usize, Overflow> {
        let semantics = self.semantics;
        match semantics.may_move(&self.current, process) {
            Ok(true) => {}
            Ok(false) => return Ok(0),
            Err(fault) => {
                let span = semantics.network.machine(self.current.machine(process)).span;
                let edge = semantics.edges_at(&self.current, process).0.first().map_or(EdgeId(0), |e| e.id);
                let step = Step::Edge { process: process as u32, edge };
                visit(Successor::failed(step, *fault, span));
                return Ok(1);
            }
        }
        let (mut count, mut escape) = (0, 0);
        for edge in semantics.edges_at(&self.current, process).0 {
            if escape > 0 && edge.escape != escape {
                break;
            }
            let taken = self.edge_steps(process, edge, count > 0, timeout, visit)?;
            if taken > 0 && edge.escape > 0 {
                escape = edge.escape;
            }
            count += taken;
        }
        Ok(count)
    }

    fn edge_steps(
        &mut self,
        process: usize,
        edge: &EdgeCode,
        moved: bool,
        timeout: bool,
        visit: &mut impl FnMut(Successor<'_>),
    ) -> Result<usize, Overflow> {
        let semantics = self.semantics;
        let view = View::new(semantics, &self.current, process, timeout);
        let executable = match &edge.action {
            ActionCode::Else => Ok(!moved),
            ActionCode::Send { channel, .. } => match view.queue(channel) {
                Ok(queue) if view.is_rendezvous(queue) => return self.rendezvous(process, edge, queue, timeout, visit),
                Ok(_) => view.executable(&edge.action, false),
                Err(fault) => Err(fault),
            },
            // `else` as the guard of a deterministic step.
            ActionCode::Deterministic(nodes) if is_else(nodes) => Ok(!moved),
            action => view.executable(action, false),
        };
        let step = Step::Edge { process: process as u32, edge: edge.id };
        match executable {
            Ok(false) => return Ok(0),
            Ok(true) => {}
            Err(fault) => {
                visit(Successor::failed(step, *fault, edge.span));
                return Ok(1);
            }
        }
        self.next.copy_from(&self.current);
        let (cache, next, fields) = (&mut self.cache, &mut self.next, &mut self.fields);
        let mut performer = Performer::new(semantics, cache, next, fields, process, timeout);
        let result = performer.perform(&edge.action, edge.span);
        let soft = performer.failed_assertion.take();
        self.finish(process, edge, step, result, soft, timeout, visit)?;
        Ok(1)
    }

    /// Completes a step of `process`, which ends at the edge's target, and shows it.
    #[allow(clippy::too_many_arguments)]
    fn finish(
        &mut self,
        process: usize,
        edge: &EdgeCode,
        step: Step,
        result: Result<(), Trouble>,
        assertion: Option<Span>,
        timeout: bool,
        visit: &mut impl FnMut(Successor<'_>),
    ) -> Result<(), Overflow> {
        match result {
            Ok(()) => {}
            Err(Trouble::Overflow(overflow)) => return Err(overflow),
            Err(Trouble::Fault(fault)) => {
                visit(Successor::failed(step, *fault, edge.span));
                return Ok(());
            }
            Err(Trouble::InitialValue(fault, span)) => {
                visit(Successor::failed(step, *fault, span));
                return Ok(());
            }
        }
        let layout = &self.semantics.layout;
        if !matches!(edge.action, ActionCode::End) {
            self.next.set_location(layout, process, edge.to);
        }
        if layout.last_mover {
            self.next.bytes[SHAPE_BYTES] = process as u8;
        }
        visit(Successor {
            step,
            state: Some(&self.next.bytes),
            control: edge.atomic.then_some(process as u32),
            fault: assertion.map(|span| FaultAt { fault: Fault::Assertion, span }),
            timeout,
        });
        Ok(())
    }

    /// A send on a rendezvous channel with every receive that fits.
    fn rendezvous(
        &mut self,
        sender: usize,
        send: &EdgeCode,
        queue: usize,
        timeout: bool,
        visit: &mut impl FnMut(Successor<'_>),
    ) -> Result<usize, Overflow> {
        let semantics = self.semantics;
        if let Err(fault) = self.compose_message(sender, send, queue) {
            let step = Step::Edge { process: sender as u32, edge: send.id };
            visit(Successor::failed(step, *fault, send.span));
            return Ok(1);
        }
        let mut count = 0;
        for receiver in (0..self.current.process_count()).filter(|&p| p != sender) {
            let (edges, may_receive) = semantics.edges_at(&self.current, receiver);
            let provided = !semantics.uses_provided || semantics.is_provided(&self.current, receiver).unwrap_or(false);
            if !may_receive || !provided {
                continue;
            }
            let mut escape = 0;
            for receive in edges {
                if escape > 0 && receive.escape != escape {
                    break;
                }
                let taken = self.meet(sender, send, receiver, receive, queue, timeout, visit)?;
                if taken > 0 && receive.escape > 0 {
                    escape = receive.escape;
                }
                count += taken;
            }
        }
        Ok(count)
    }

    fn compose_message(&mut self, sender: usize, send: &EdgeCode, queue: usize) -> Eval<()> {
        let view = View::new(self.semantics, &self.current, sender, false);
        let ActionCode::Send { message, .. } = &send.action else { return Ok(()) };
        let channel_type = self.current.frame.queues[queue].channel_type;
        let fields = &self.semantics.layout.messages[channel_type.index()].fields;
        if fields.len() != message.len() {
            return Err(Box::new(Fault::FieldCount { given: message.len(), expected: fields.len() }));
        }
        self.message.clear();
        for (e, &(_, _, ty)) in message.iter().zip(fields) {
            self.message.push(ty.truncate(view.eval(e)?));
        }
        Ok(())
    }

    #[allow(clippy::too_many_arguments)]
    fn meet(
        &mut self,
        sender: usize,
        send: &EdgeCode,
        receiver: usize,
        receive: &EdgeCode,
        queue: usize,
        timeout: bool,
        visit: &mut impl FnMut(Successor<'_>),
    ) -> Result<usize, Overflow> {
        let semantics = self.semantics;
        let step = Step::Rendezvous { sender: (sender as u32, send.id), receiver: (receiver as u32, receive.id) };
        let view = View::new(semantics, &self.current, receiver, timeout);
        match accepts(&view, &receive.action, queue, &self.message) {
            Ok(true) => {}
            Ok(false) => return Ok(0),
            Err(fault) => {
                visit(Successor::failed(step, *fault, receive.span));
                return Ok(1);
            }
        }
        self.next.copy_from(&self.current);
        self.next.set_location(&semantics.layout, sender, send.to);
        let (cache, next, fields) = (&mut self.cache, &mut self.next, &mut self.fields);
        let mut performer = Performer::new(semantics, cache, next, fields, receiver, timeout);
        performer.handed_over = Some((queue, &self.message));
        let result = performer.perform(&receive.action, receive.span);
        let soft = performer.failed_assertion.take();
        self.finish(receiver, receive, step, result, soft, timeout, visit)?;
        Ok(1)
    }

    /// Any message of a lossy channel can vanish.
    fn losses(&mut self, visit: &mut impl FnMut(Successor<'_>)) -> usize {
        let layout = &self.semantics.layout;
        let mut count = 0;
        for queue in 0..self.current.frame.queues.len() {
            let channel_type = self.current.frame.queues[queue].channel_type;
            if !layout.messages[channel_type.index()].lossy {
                continue;
            }
            for position in 0..self.current.queue_len(layout, queue) {
                self.next.copy_from(&self.current);
                self.next.remove_message(layout, queue, position);
                let step = Step::Loss { queue: queue as u32, position: position as u32 };
                visit(Successor { step, state: Some(&self.next.bytes), control: None, fault: None, timeout: false });
                count += 1;
            }
        }
        count
    }

    /// Whether every process is at a location where it may stop.
    pub fn is_valid_end(&mut self, state: &[u8]) -> bool {
        let semantics = self.semantics;
        self.load(state);
        (0..self.current.process_count()).all(|p| {
            let location = self.current.location(&semantics.layout, p);
            semantics.network.machine(self.current.machine(p)).locations[location.index()].end
        })
    }

    /// The digest of a state, the same in every run and every search (see [`crate::digest`]).
    pub fn digest(&mut self, state: &[u8]) -> u128 {
        let semantics = self.semantics;
        self.current.load(&semantics.layout, &semantics.shapes, &mut self.cache, state);
        self.next.bytes.clear();
        self.next.bytes.extend((self.current.process_count() as u32).to_le_bytes());
        for process in &self.current.frame.processes {
            self.next.bytes.extend((process.machine.0 as u16).to_le_bytes());
        }
        self.next.bytes.extend_from_slice(&state[SHAPE_BYTES..]);
        crate::digest::digest(&self.next.bytes)
    }

    /// Loads a state, for [`Stepper::expand_loaded`].
    #[inline]
    pub fn load(&mut self, state: &[u8]) {
        let semantics = self.semantics;
        self.current.load(&semantics.layout, &semantics.shapes, &mut self.cache, state);
    }

    /// A state that can be read.
    pub(crate) fn configuration(&mut self, state: &[u8]) -> &Configuration {
        self.load(state);
        &self.current
    }
}

impl Successor<'_> {
    fn failed(step: Step, fault: Fault, span: Span) -> Successor<'static> {
        Successor { step, state: None, control: None, fault: Some(FaultAt { fault, span }), timeout: false }
    }
}

/// A deterministic step whose guard is `else`.
fn is_else(nodes: &[Vec<crate::code::ChoiceCode>]) -> bool {
    matches!(nodes.first().map(Vec::as_slice), Some([choice]) if matches!(choice.action, ActionCode::Else))
}

/// Whether an action, or the guard of a deterministic step, takes a message that is handed over on `queue`.
fn accepts(view: &View<'_>, action: &ActionCode, queue: usize, message: &[i32]) -> Eval<bool> {
    match action {
        ActionCode::Receive { channel, pattern, mode } if !mode.keep => {
            Ok(view.queue(channel).is_ok_and(|q| q == queue) && view.fits(pattern, message)?)
        }
        ActionCode::Deterministic(nodes) => {
            for choice in nodes.first().into_iter().flatten() {
                if accepts(view, &choice.action, queue, message)? {
                    return Ok(true);
                }
            }
            Ok(false)
        }
        _ => Ok(false),
    }
}

/// Carries out actions of one process on a state.
struct Performer<'a, 's> {
    semantics: &'s Semantics<'s>,
    cache: &'a mut FrameCache,
    state: &'a mut Configuration,
    fields: &'a mut Vec<i32>,
    process: usize,
    timeout: bool,
    run_result: i32,
    /// A rendezvous message on its way to this process, and its queue.
    handed_over: Option<(usize, &'a [i32])>,
    /// The first assertion that failed.
    failed_assertion: Option<Span>,
}

impl<'a, 's> Performer<'a, 's> {
    fn new(
        semantics: &'s Semantics<'s>,
        cache: &'a mut FrameCache,
        state: &'a mut Configuration,
        fields: &'a mut Vec<i32>,
        process: usize,
        timeout: bool,
    ) -> Self {
        let (run_result, handed_over, failed_assertion) = (0, None, None);
        Performer { semantics, cache, state, fields, process, timeout, run_result, handed_over, failed_assertion }
    }

    fn view(&self) -> View<'_> {
        let mut view = View::new(self.semantics, self.state, self.process, self.timeout);
        view.run_result = self.run_result;
        view
    }

    /// Carries out an action that is executable.
    fn perform(&mut self, action: &ActionCode, span: Span) -> Result<(), Trouble> {
        match action {
            ActionCode::Skip | ActionCode::Else | ActionCode::Condition(_) => Ok(()),
            ActionCode::Assign(place, e) => {
                let value = self.view().eval(e)?;
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
            ActionCode::Deterministic(nodes) => self.deterministic(nodes),
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
            values.push(view.eval(e)?);
        }
        let channel_type = self.state.frame.queues[queue].channel_type;
        let expected = layout.messages[channel_type.index()].fields.len();
        if values.len() != expected {
            return Err(Trouble::Fault(Box::new(Fault::FieldCount { given: values.len(), expected })));
        }
        if semantics.reading == Reading::Drop && view.is_full(queue) {
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
    fn create_process(&mut self, machine: MachineId, arguments: &[i32], priority: u8) -> Result<i32, Trouble> {
        let semantics = self.semantics;
        let layout = &semantics.layout;
        let process = self.state.process_count();
        let block = &layout.blocks[machine.index()];
        let queues = self.state.frame.queues.len();
        if semantics.reading != Reading::Unbounded {
            if process >= MOST {
                return Err(Trouble::Fault(Box::new(Fault::TooManyProcesses)));
            }
            if queues + block.queues.len() > MOST {
                return Err(Trouble::Fault(Box::new(Fault::TooManyChannels)));
            }
        }
        self.state
            .push_process(layout, &semantics.shapes, self.cache, machine)
            .ok_or(Trouble::Overflow(Overflow::Shapes))?;
        let code = &semantics.machines[machine.index()];
        self.state.set_location(layout, process, code.initial);
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
    fn deterministic(&mut self, nodes: &[Vec<crate::code::ChoiceCode>]) -> Result<(), Trouble> {
        let mut node = 0;
        for _ in 0..LONGEST_STEP {
            let Some(choices) = nodes.get(node) else { return Ok(()) };
            let mut chosen = None;
            for choice in choices {
                if self.can_choose(&choice.action)? {
                    chosen = Some(choice);
                    break;
                }
            }
            let Some(choice) = chosen else {
                return Err(Trouble::Fault(Box::new(Fault::BlockedStep)));
            };
            self.perform(&choice.action, choice.span)?;
            match choice.next {
                Some(next) => node = next as usize,
                None => return Ok(()),
            }
        }
        Err(Trouble::Fault(Box::new(Fault::EndlessStep)))
    }

    fn can_choose(&self, action: &ActionCode) -> Eval<bool> {
        match self.handed_over {
            Some((queue, message)) => accepts(&self.view(), action, queue, message),
            None => self.view().executable(action, true),
        }
    }
}

/// Gives the variables of a section their first values, in order of declaration, so that later ones can use earlier ones.
#[allow(clippy::too_many_arguments)]
fn set_initials(
    semantics: &Semantics<'_>,
    state: &mut Configuration,
    process: Option<usize>,
    base: usize,
    section: &Section,
    initials: &[InitialCode],
    skip: usize,
    first_queue: usize,
) -> Result<(), Trouble> {
    let mut queue = first_queue;
    let variables = match process {
        Some(process) => &semantics.network.machine(state.machine(process)).variables,
        None => &semantics.network.variables,
    };
    for ((slot, initial), variable) in section.slots.iter().zip(initials).zip(variables).skip(skip) {
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
                InitialCode::NewChannel => {
                    queue += 1;
                    queue as i32
                }
            };
            state.write(*slot, base, element, value);
        }
    }
    Ok(())
}

/// The value of an expression over globals before any process exists.
fn initial_global(semantics: &Semantics<'_>, state: &Configuration, code: &Code) -> Eval {
    View { semantics, state, process: 0, base: 0, timeout: false, run_result: 0 }.eval(code)
}
