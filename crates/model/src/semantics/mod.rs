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
//! * Faults of the model (see [`crate::fault::Fault`]) come with the step that causes them. After a failed
//!   assertion the run goes on, after the others it cannot.
//!
//! The three [`Reading`]s differ only in what a send does when the channel is full.

mod anatomy;
mod contents;
mod perform;
mod stepper;
mod trim;
mod waiting;

pub use crate::layout::{SHAPE_BYTES, Storage};
pub use anatomy::{Anatomy, MessagePlaces, ProcessPlace, QueuePlace, ScalarPlace};
pub(crate) use perform::Chosen;
pub use stepper::{Alone, Reached, Stepper, Unreached};
pub use trim::Trim;
pub use waiting::awaited;

use crate::code::{ActionCode, Code, Compiler, ScalarCode};
use crate::configuration::Configuration;
use crate::evaluate::{Eval, View};
use crate::expr::Expr;
use crate::fault::FaultAt;
use crate::ids::{EdgeId, LocationId, MachineId};
use crate::layout::{Layout, ShapeId, Shapes};
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

/// A message that is sent or taken in a step; a rendezvous is both.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Exchange {
    /// The number of the queue, from 0.
    pub queue: u32,
    /// Sent, or taken.
    pub sent: bool,
    /// The fields of the message.
    pub fields: Vec<i32>,
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
    /// The messages that were sent and taken, in order; empty unless [`Stepper::listen`] was called.
    pub exchanges: &'a [Exchange],
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
    /// What is set to zero after the step.
    dead: Box<[ScalarCode]>,
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
    /// The number of its first location, where those of all machines are counted.
    first_location: usize,
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
        let layout = Layout::new(network, reading == Reading::Unbounded, network.uses_last_mover);
        let mut machines: Vec<MachineCode> = Vec::new();
        for index in 0..network.machines.len() {
            let before = machines.last().map_or(0, |last| last.first_location + last.outgoing.len());
            machines.push(MachineCode { first_location: before, ..MachineCode::new(network, &layout, index.into()) });
        }
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

    /// The shapes of the states so far, in the order of their numbers: the shape without the youngest process, and the type
    /// of that process. With the same shapes, the bytes of a state mean the same.
    pub fn shapes(&self) -> Vec<(u16, u32)> {
        self.shapes.all()
    }

    /// Gives shapes the numbers that they had elsewhere; whether that was possible.
    pub fn restore_shapes(&self, shapes: &[(u16, u32)]) -> bool {
        shapes.iter().enumerate().all(|(index, &(parent, machine))| {
            let known = usize::from(parent) <= index;
            known && self.add_shape(parent, machine).is_some_and(|id| usize::from(id) == index + 1)
        })
    }

    /// The number of the shape with one process more than a shape; `None` if there is no such process type, or no room.
    pub fn add_shape(&self, parent: u16, machine: u32) -> Option<u16> {
        let known = (machine as usize) < self.network.machines.len();
        if known { self.shapes.push(ShapeId(parent), MachineId(machine)).map(|id| id.0) } else { None }
    }

    /// Something that computes successors; one per thread.
    pub fn stepper(&self) -> Stepper<'_> {
        Stepper::new(self)
    }

    /// The value of an expression as a process sees it; for descriptions, not for steps.
    pub(crate) fn evaluate(&self, state: &Configuration, process: usize, e: &Expr) -> Eval {
        let machine = state.machine(process);
        let code = Compiler { network: self.network, layout: &self.layout, machine }.expr(e);
        View::new(self, state, process, false).eval(&code)
    }

    #[inline(always)]
    fn machine(&self, state: &Configuration, process: usize) -> &MachineCode {
        &self.machines[state.machine(process).index()]
    }

    /// The edges that leave the place where a process is.
    #[inline(always)]
    fn edges_at(&self, state: &Configuration, process: usize) -> &[EdgeCode] {
        self.place_and_edges(state, process).1
    }

    /// The number of the place where a process is, among those of all machines, and the edges that leave it.
    #[inline(always)]
    fn place_and_edges(&self, state: &Configuration, process: usize) -> (usize, &[EdgeCode]) {
        let (code, location) = (self.machine(state, process), state.location(process).index());
        let (range, _) = &code.outgoing[location];
        (code.first_location + location, &code.edges[range.start as usize..range.end as usize])
    }

    /// How many places the machines have.
    fn places(&self) -> usize {
        self.machines.last().map_or(0, |last| last.first_location + last.outgoing.len())
    }

    /// Whether one of them may receive.
    #[inline(always)]
    fn may_receive(&self, state: &Configuration, process: usize) -> bool {
        self.machine(state, process).outgoing[state.location(process).index()].1
    }

    pub(crate) fn last_mover(&self, state: &Configuration) -> i32 {
        if self.layout.last_mover { i32::from(state.bytes[SHAPE_BYTES]) } else { 0 }
    }

    pub(crate) fn at_progress(&self, state: &Configuration) -> bool {
        (0..state.process_count()).any(|p| {
            let location = state.location(p);
            self.network.machine(state.machine(p)).locations[location.index()].progress
        })
    }

    /// `enabled(pid)`: some edge of the process can be taken; a rendezvous send counts.
    pub(crate) fn is_enabled(&self, view: &View<'_>) -> Eval<bool> {
        for edge in self.edges_at(view.state, view.process) {
            if view.executable(&edge.action, true)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether `provided` and priorities let a process move.
    #[inline]
    fn may_move(&self, state: &Configuration, process: usize, timeout: bool) -> Eval<bool> {
        let free = !self.uses_provided && !self.layout.priorities;
        if free { Ok(true) } else { self.is_let_move(state, process, timeout) }
    }

    fn is_let_move(&self, state: &Configuration, process: usize, timeout: bool) -> Eval<bool> {
        if self.uses_provided && !self.is_provided(state, process)? {
            return Ok(false);
        }
        if self.layout.priorities {
            let own = state.priority(&self.layout, process);
            for other in (0..state.process_count()).filter(|&p| p != process) {
                let higher = state.priority(&self.layout, other) > own;
                if higher
                    && self.is_provided(state, other)?
                    && self.is_enabled(&View::new(self, state, other, timeout))?
                {
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
                    dead: Box::default(),
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
            first_location: 0,
        }
    }
}

fn may_receive(action: &ActionCode) -> bool {
    match action {
        ActionCode::Receive { .. } => true,
        ActionCode::Deterministic(step) => step.guard.iter().any(may_receive),
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
