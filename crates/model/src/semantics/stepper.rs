//! Which steps a state has, and where they lead.
//!
//! [`Stepper::expand`] goes through the processes and their edges in order and shows each successor
//! without allocating: the successor lives in a buffer of the stepper until the next one comes. A
//! rendezvous send looks for its receives among the other processes and makes one step of the two (`rendezvous`). What
//! else can be asked of a state is in `questions`.

mod inside;
mod questions;
mod reached;
mod rendezvous;

pub use reached::{Reached, Unreached};

use super::perform::{Performer, Trouble, is_else, set_initials};
use super::{EdgeCode, Exchange, Semantics, Step, Successor};
use crate::code::ActionCode;
use crate::configuration::{Configuration, address};
use crate::evaluate::{Eval, View};
use crate::fault::{Fault, FaultAt, Overflow};
use crate::ids::EdgeId;
use crate::layout::{FrameCache, Layout, SHAPE_BYTES};
use crate::source::Span;

/// What the process in control did to the loaded state.
#[derive(Clone, Copy, Debug)]
pub enum Alone {
    /// Nothing: it cannot move.
    Blocked,
    /// Nothing: it can go several ways, or meet another process, or something is wrong.
    Several,
    /// It took its only step, an edge, and the loaded state is the one after it.
    Moved {
        /// The edge.
        edge: EdgeId,
        /// Whether it keeps control.
        keeps: bool,
        /// An assertion failed: [`Stepper::take_fault`].
        faulty: bool,
    },
    /// Its only step, this edge, cannot be completed; there is no loaded state any more. [`Stepper::take_fault`] says why.
    Failed(EdgeId),
}

/// Whether an edge can be taken.
enum Ready {
    No,
    Yes,
    /// With a receiver on this rendezvous channel.
    Rendezvous(usize),
}

/// Computes successors; holds the buffers it needs, so one per thread.
#[derive(Debug)]
pub struct Stepper<'s> {
    pub(super) semantics: &'s Semantics<'s>,
    cache: FrameCache,
    pub(super) current: Configuration,
    next: Configuration,
    /// The message of a rendezvous on its way.
    message: Vec<i32>,
    /// Room for the fields of a message that is sent or received.
    fields: Vec<i32>,
    /// The messages that the last step sent and took, for who listens.
    exchanges: Vec<Exchange>,
    listens: bool,
    fault: Option<FaultAt>,
    reached: Reached,
}

impl<'s> Stepper<'s> {
    pub(super) fn new(semantics: &'s Semantics<'s>) -> Self {
        let mut cache = FrameCache::default();
        let empty = Configuration::empty(&semantics.layout, &semantics.shapes, &mut cache);
        Stepper {
            semantics,
            cache,
            current: empty.clone(),
            next: empty,
            message: Vec::new(),
            fields: Vec::new(),
            exchanges: Vec::new(),
            listens: false,
            fault: None,
            reached: Reached::new(semantics),
        }
    }

    /// From now on, successors tell which messages were sent and taken.
    pub fn listen(&mut self) {
        self.listens = true;
    }

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
            Err(trouble) => trouble.at(Span::NONE).map(Err),
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

    /// Lets the process in control take its only step, on the loaded state itself: most inner steps of atomic
    /// sequences have no alternative, and then nothing has to be copied.
    pub fn step_alone(&mut self, process: u32) -> Result<Alone, Overflow> {
        let (semantics, process) = (self.semantics, process as usize);
        let (place, edges) = semantics.place_and_edges(&self.current, process);
        self.reached.mark(place);
        if !matches!(semantics.may_move(&self.current, process, false), Ok(true)) {
            return Ok(Alone::Several);
        }
        let mut only: Option<&EdgeCode> = None;
        for edge in edges {
            if only.is_some_and(|only| only.escape > 0 && edge.escape != only.escape) {
                break;
            }
            match (self.ready(process, edge, only.is_some(), false), only) {
                (Ok(Ready::No), _) => {}
                (Ok(Ready::Yes), None) => only = Some(edge),
                _ => return Ok(Alone::Several),
            }
        }
        let Some(edge) = only else { return Ok(Alone::Blocked) };
        let (cache, current, fields) = (&mut self.cache, &mut self.current, &mut self.fields);
        let mut performer = Performer::new(semantics, cache, current, fields, process, false);
        let result = performer.perform(&edge.action, edge.span);
        let assertion = performer.failed_assertion.take();
        if let Err(trouble) = result {
            self.fault = Some(trouble.at(edge.span)?);
            return Ok(Alone::Failed(edge.id));
        }
        arrive(&semantics.layout, &mut self.current, process, edge);
        if let Some(span) = assertion {
            self.fault = Some(FaultAt { fault: Fault::Assertion, span });
        }
        Ok(Alone::Moved { edge: edge.id, keeps: edge.atomic, faulty: assertion.is_some() })
    }

    /// The places of the processes that were expanded.
    pub fn reached(&self) -> &Reached {
        &self.reached
    }

    /// Adds places that another stepper has reached.
    pub fn reach(&mut self, places: &Reached) {
        self.reached.join(places);
    }

    /// What went wrong in the last [`Stepper::step_alone`].
    pub fn take_fault(&mut self) -> Option<FaultAt> {
        self.fault.take()
    }

    /// The loaded state.
    #[inline]
    pub fn loaded(&self) -> &[u8] {
        &self.current.bytes
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
        let (place, edges) = semantics.place_and_edges(&self.current, process);
        self.reached.mark(place);
        match semantics.may_move(&self.current, process, timeout) {
            Ok(true) => {}
            Ok(false) => return Ok(0),
            Err(fault) => {
                let span = semantics.network.machine(self.current.machine(process)).span;
                let edge = edges.first().map_or(EdgeId(0), |e| e.id);
                let step = Step::Edge { process: process as u32, edge };
                visit(Successor::failed(step, *fault, span));
                return Ok(1);
            }
        }
        let (mut count, mut escape) = (0, 0);
        for edge in edges {
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

    /// Whether an edge of a process can be taken; `moved`: another one of its location can.
    #[inline(always)]
    fn ready(&self, process: usize, edge: &EdgeCode, moved: bool, timeout: bool) -> Eval<Ready> {
        let view = View::new(self.semantics, &self.current, process, timeout);
        let executable = match &edge.action {
            ActionCode::Condition(condition) => view.holds(condition)?,
            ActionCode::Assign(..) | ActionCode::Skip => true,
            ActionCode::Else => !moved,
            ActionCode::Send { channel, .. } => match view.queue(channel)? {
                queue if view.is_rendezvous(queue) => return Ok(Ready::Rendezvous(queue)),
                _ => view.executable(&edge.action, false)?,
            },
            // `else` as the guard of a deterministic step.
            ActionCode::Deterministic(step) if is_else(step) => !moved,
            action => view.executable(action, false)?,
        };
        Ok(if executable { Ready::Yes } else { Ready::No })
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
        match self.ready(process, edge, moved, timeout) {
            Ok(Ready::No) => return Ok(0),
            Ok(Ready::Yes) => {}
            Ok(Ready::Rendezvous(queue)) => return self.rendezvous(process, edge, queue, timeout, visit),
            Err(fault) => {
                let step = Step::Edge { process: process as u32, edge: edge.id };
                visit(Successor::failed(step, *fault, edge.span));
                return Ok(1);
            }
        }
        self.next.copy_from(&self.current);
        let (cache, next, fields) = (&mut self.cache, &mut self.next, &mut self.fields);
        let mut performer = Performer::new(semantics, cache, next, fields, process, timeout);
        if self.listens {
            self.exchanges.clear();
            performer.listener = Some(&mut self.exchanges);
        }
        let result = performer.perform(&edge.action, edge.span);
        let soft = performer.failed_assertion.take();
        self.finish(None, process, edge, result, soft, timeout, visit)?;
        Ok(1)
    }

    /// Completes a step of `process`, which ends at the edge's target, and shows it; with a sender, if it met one.
    #[allow(clippy::too_many_arguments)]
    fn finish(
        &mut self,
        sender: Option<(usize, &EdgeCode)>,
        process: usize,
        edge: &EdgeCode,
        result: Result<(), Trouble>,
        assertion: Option<Span>,
        timeout: bool,
        visit: &mut impl FnMut(Successor<'_>),
    ) -> Result<(), Overflow> {
        if let Err(trouble) = result {
            let fault = trouble.at(edge.span)?;
            visit(Successor::failed(step(sender, process, edge), fault.fault, fault.span));
            return Ok(());
        }
        arrive(&self.semantics.layout, &mut self.next, process, edge);
        visit(Successor {
            step: step(sender, process, edge),
            state: Some(&self.next.bytes),
            control: edge.atomic.then_some(process as u32),
            fault: assertion.map(|span| FaultAt { fault: Fault::Assertion, span }),
            timeout,
            exchanges: &self.exchanges,
        });
        Ok(())
    }
}

/// The step of a process, with who sends to it if it is a rendezvous.
#[inline(always)]
fn step(sender: Option<(usize, &EdgeCode)>, process: usize, edge: &EdgeCode) -> Step {
    match sender {
        None => Step::Edge { process: process as u32, edge: edge.id },
        Some((sender, send)) => {
            Step::Rendezvous { sender: (sender as u32, send.id), receiver: (process as u32, edge.id) }
        }
    }
}

/// The process that took an edge is where it leads.
#[inline]
fn arrive(layout: &Layout, state: &mut Configuration, process: usize, edge: &EdgeCode) {
    if !matches!(edge.action, ActionCode::End) {
        state.set_location(process, edge.to);
        forget(state, process, edge);
    }
    if layout.last_mover {
        state.bytes[SHAPE_BYTES] = process as u8;
    }
}

/// Sets to zero what nothing reads any more.
#[inline(always)]
fn forget(state: &mut Configuration, process: usize, edge: &EdgeCode) {
    for dead in &edge.dead {
        let base = if dead.local { state.base(process) } else { 0 };
        dead.slot.storage.store(&mut state.bytes, address(dead.slot, base, 0), 0);
    }
}

impl Successor<'_> {
    fn failed(step: Step, fault: Fault, span: Span) -> Successor<'static> {
        let fault = Some(FaultAt { fault, span });
        Successor { step, state: None, control: None, fault, timeout: false, exchanges: &[] }
    }
}
