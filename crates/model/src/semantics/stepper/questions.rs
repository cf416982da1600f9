//! What can be asked of a state without taking a step: is it an end, where is each process, what does it hold.
//!
//! Those that begin with `loaded` speak of the state that was loaded last.

use super::Stepper;
use crate::configuration::Configuration;
use crate::expr::Expr;
use crate::ids::{LocationId, MachineId, VariableId};
use crate::layout::SHAPE_BYTES;

impl<'s> Stepper<'s> {
    /// Whether every process is at a location where it may stop.
    pub fn is_valid_end(&mut self, state: &[u8]) -> bool {
        let semantics = self.semantics;
        self.load(state);
        (0..self.current.process_count()).all(|p| {
            let location = self.current.location(p);
            semantics.network.machine(self.current.machine(p)).locations[location.index()].end
        })
    }

    /// Whether some process is at a location that is labelled as progress: then the state is one of progress.
    pub fn is_progress(&mut self, state: &[u8]) -> bool {
        self.load(state);
        self.semantics.at_progress(&self.current)
    }

    /// Whether some process is at a location that is labelled as accepting.
    pub fn is_accepting(&mut self, state: &[u8]) -> bool {
        let semantics = self.semantics;
        self.load(state);
        (0..self.current.process_count()).any(|p| {
            let location = self.current.location(p);
            semantics.network.machine(self.current.machine(p)).locations[location.index()].accept
        })
    }

    /// The number of processes of a state.
    pub fn process_count(&mut self, state: &[u8]) -> usize {
        self.load(state);
        self.current.process_count()
    }

    /// Where a process of the loaded state is: its type and its location.
    #[inline]
    pub fn loaded_place(&self, process: usize) -> (MachineId, LocationId) {
        (self.current.machine(process), self.current.location(process))
    }

    /// The number of processes of the loaded state.
    #[inline]
    pub fn loaded_processes(&self) -> usize {
        self.current.process_count()
    }

    /// An element of a local variable of a process of the loaded state.
    #[inline]
    pub fn loaded_local(&self, process: usize, variable: VariableId, element: usize) -> i32 {
        let layout = &self.semantics.layout;
        let slot = layout.blocks[self.current.machine(process).index()].slots[variable.index()];
        self.current.read(slot, self.current.base(process), element)
    }

    /// The value of an expression as a process of the loaded state sees it; `None` if it has none.
    pub fn loaded_value(&self, process: usize, e: &Expr) -> Option<i32> {
        self.semantics.evaluate(&self.current, process, e).ok()
    }

    /// Whether a queue of the loaded state is a rendezvous; `None` if there is no such queue.
    pub fn loaded_is_rendezvous(&self, queue: usize) -> Option<bool> {
        let frame = self.current.frame.queues.get(queue)?;
        Some(self.semantics.layout.messages[frame.channel_type.index()].rendezvous)
    }

    /// The number of queues of the loaded state.
    pub fn loaded_queues(&self) -> usize {
        self.current.frame.queues.len()
    }

    /// Shows the first field of every message in a queue of the loaded state; 0 for messages without fields.
    pub fn loaded_first_fields(&self, queue: usize, visit: &mut dyn FnMut(i32)) {
        let (layout, current) = (&self.semantics.layout, &self.current);
        let Some(frame) = current.frame.queues.get(queue) else { return };
        let length = current.queue_len(layout, queue);
        if length == 0 {
            return;
        }
        let first = layout.messages[frame.channel_type.index()].fields.first();
        let start = current.queue_start(layout, queue);
        for position in 0..length {
            let at = start + position * frame.message_size as usize;
            visit(first.map_or(0, |&(storage, offset, _)| storage.load(&current.bytes, at + offset)));
        }
    }

    /// Whether a value can be the first field of a message in a queue as it is.
    pub fn loaded_fits_first(&self, queue: usize, value: i32) -> bool {
        let frame = self.current.frame.queues.get(queue);
        let first = frame.and_then(|frame| self.semantics.layout.messages[frame.channel_type.index()].fields.first());
        first.is_some_and(|&(_, _, ty)| ty.truncate(value) == value)
    }

    /// How many messages a queue of the loaded state holds; 0 if there is no such queue.
    #[inline]
    pub fn loaded_length(&self, queue: usize) -> usize {
        let exists = queue < self.current.frame.queues.len();
        if exists { self.current.queue_len(&self.semantics.layout, queue) } else { 0 }
    }

    /// Whether a queue of the loaded state holds as many messages as it is declared for, or does not exist.
    #[inline]
    pub fn loaded_is_full(&self, queue: usize) -> bool {
        let frame = self.current.frame.queues.get(queue);
        frame.is_none_or(|frame| self.loaded_length(queue) >= frame.capacity as usize)
    }

    /// The type of a process of a state; `None` if there is no such process.
    pub fn machine_of(&mut self, state: &[u8], process: u32) -> Option<MachineId> {
        self.load(state);
        self.current.frame.processes.get(process as usize).map(|frame| frame.machine)
    }

    /// The digest of a state, the same in every run and every search: it does not depend on how shapes are numbered.
    pub fn digest(&mut self, state: &[u8]) -> u128 {
        self.load(state);
        self.digest_loaded()
    }

    /// The digest of the loaded state.
    pub fn digest_loaded(&mut self) -> u128 {
        self.next.bytes.clear();
        self.next.bytes.extend((self.current.process_count() as u32).to_le_bytes());
        for process in &self.current.frame.processes {
            self.next.bytes.extend((process.machine.0 as u16).to_le_bytes());
        }
        self.next.bytes.extend_from_slice(&self.current.bytes[SHAPE_BYTES..]);
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
