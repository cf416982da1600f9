//! One state while it is being looked at or changed: its bytes, and the frame that says what they are.
//!
//! This file knows how to find a variable, a location or a message in the bytes; it does not know
//! what a statement means (see [`crate::semantics`]).

use crate::ids::{LocationId, MachineId};
use crate::layout::{Frame, FrameCache, Layout, SHAPE_BYTES, ShapeId, Shapes, Slot, Storage};
use std::rc::Rc;

/// A state that can be read and written.
#[derive(Clone, Debug)]
pub(crate) struct Configuration {
    pub(crate) bytes: Vec<u8>,
    pub(crate) frame: Rc<Frame>,
}

/// The shape that stands at the start of a packed state.
pub(crate) fn shape_of(bytes: &[u8]) -> ShapeId {
    ShapeId(u16::from_le_bytes([bytes[0], bytes[1]]))
}

impl Configuration {
    /// The state without processes: globals are zero, queues are empty.
    pub(crate) fn empty(layout: &Layout, shapes: &Shapes, cache: &mut FrameCache) -> Self {
        let frame = cache.get(layout, shapes, ShapeId(0));
        Configuration { bytes: vec![0; frame.fixed], frame }
    }

    /// Takes over a packed state.
    #[inline]
    pub(crate) fn load(&mut self, layout: &Layout, shapes: &Shapes, cache: &mut FrameCache, state: &[u8]) {
        self.bytes.clear();
        self.bytes.extend_from_slice(state);
        let shape = shape_of(state);
        if self.frame.shape != shape {
            self.frame = cache.get(layout, shapes, shape);
        }
    }

    /// Becomes a copy of another configuration.
    #[inline]
    pub(crate) fn copy_from(&mut self, other: &Configuration) {
        self.bytes.clear();
        self.bytes.extend_from_slice(&other.bytes);
        if self.frame.shape != other.frame.shape {
            self.frame = other.frame.clone();
        }
    }

    /// Adds a process of a type on top of the stack; its block is zero. `None`: too many shapes.
    pub(crate) fn push_process(
        &mut self,
        layout: &Layout,
        shapes: &Shapes,
        cache: &mut FrameCache,
        machine: MachineId,
    ) -> Option<()> {
        let shape = shapes.push(self.frame.shape, machine)?;
        let at = self.frame.fixed;
        let size = layout.blocks[machine.index()].size;
        self.bytes.splice(at..at, std::iter::repeat_n(0, size));
        self.set_shape(layout, shapes, cache, shape);
        Some(())
    }

    /// Removes the youngest process, its variables and its queues.
    pub(crate) fn pop_process(&mut self, layout: &Layout, shapes: &Shapes, cache: &mut FrameCache) -> Option<()> {
        let youngest = *self.frame.processes.last()?;
        let messages = self.queue_start(layout, youngest.first_queue as usize);
        self.bytes.truncate(messages);
        self.bytes.drain(youngest.base as usize..self.frame.fixed);
        let shape = shapes.parent(self.frame.shape);
        self.set_shape(layout, shapes, cache, shape);
        Some(())
    }

    fn set_shape(&mut self, layout: &Layout, shapes: &Shapes, cache: &mut FrameCache, shape: ShapeId) {
        self.bytes[..SHAPE_BYTES].copy_from_slice(&shape.0.to_le_bytes());
        self.frame = cache.get(layout, shapes, shape);
    }

    /// The number of processes.
    #[inline(always)]
    pub(crate) fn process_count(&self) -> usize {
        self.frame.processes.len()
    }

    /// The type of a process.
    #[inline(always)]
    pub(crate) fn machine(&self, process: usize) -> MachineId {
        self.frame.processes[process].machine
    }

    /// Where the block of a process starts.
    #[inline(always)]
    pub(crate) fn base(&self, process: usize) -> usize {
        self.frame.processes[process].base as usize
    }

    /// Where a process is.
    #[inline(always)]
    pub(crate) fn location(&self, process: usize) -> LocationId {
        let frame = self.frame.processes[process];
        LocationId(frame.location.load(&self.bytes, frame.base as usize) as u32)
    }

    /// Moves a process.
    #[inline(always)]
    pub(crate) fn set_location(&mut self, process: usize, location: LocationId) {
        let frame = self.frame.processes[process];
        frame.location.store(&mut self.bytes, frame.base as usize, location.0 as i32);
    }

    /// The priority of a process; 1 where there are none.
    pub(crate) fn priority(&self, layout: &Layout, process: usize) -> u8 {
        if !layout.priorities {
            return 1;
        }
        self.bytes[self.base(process) + layout.priority_offset(self.machine(process))]
    }

    /// Sets the priority of a process, where there are any.
    pub(crate) fn set_priority(&mut self, layout: &Layout, process: usize, priority: u8) {
        if layout.priorities {
            let at = self.base(process) + layout.priority_offset(self.machine(process));
            self.bytes[at] = priority;
        }
    }

    /// Element `element` of a slot in the section that starts at `base`.
    pub(crate) fn read(&self, slot: Slot, base: usize, element: usize) -> i32 {
        slot.storage.load(&self.bytes, address(slot, base, element))
    }

    /// Stores into element `element` of a slot in the section that starts at `base`.
    pub(crate) fn write(&mut self, slot: Slot, base: usize, element: usize, value: i32) {
        slot.storage.store(&mut self.bytes, address(slot, base, element), slot.ty.truncate(value));
    }

    /// The number of messages in a queue.
    #[inline(always)]
    pub(crate) fn queue_len(&self, layout: &Layout, queue: usize) -> usize {
        layout.len_storage.load(&self.bytes, self.frame.queues[queue].len_address as usize) as usize
    }

    /// Where the messages of a queue start; for one past the last queue, where they all end.
    #[inline]
    pub(crate) fn queue_start(&self, layout: &Layout, queue: usize) -> usize {
        let mut start = self.frame.fixed;
        for frame in &self.frame.queues[..queue] {
            let len = layout.len_storage.load(&self.bytes, frame.len_address as usize) as usize;
            start += len * frame.message_size as usize;
        }
        start
    }

    /// Puts a message at a position of a queue, its fields cut to their widths.
    pub(crate) fn insert_message(&mut self, layout: &Layout, queue: usize, position: usize, message: &[i32]) {
        let frame = self.frame.queues[queue];
        let size = frame.message_size as usize;
        let at = self.queue_start(layout, queue) + position * size;
        let end = self.bytes.len();
        self.bytes.resize(end + size, 0);
        self.bytes.copy_within(at..end, at + size);
        for (&(storage, offset, ty), &value) in layout.messages[frame.channel_type.index()].fields.iter().zip(message) {
            storage.store(&mut self.bytes, at + offset, ty.truncate(value));
        }
        let len = layout.len_storage.load(&self.bytes, frame.len_address as usize);
        layout.len_storage.store(&mut self.bytes, frame.len_address as usize, len + 1);
    }

    /// Takes the message at a position out of a queue.
    pub(crate) fn remove_message(&mut self, layout: &Layout, queue: usize, position: usize) {
        let frame = self.frame.queues[queue];
        let size = frame.message_size as usize;
        let at = self.queue_start(layout, queue) + position * size;
        self.bytes.copy_within(at + size.., at);
        self.bytes.truncate(self.bytes.len() - size);
        let len = layout.len_storage.load(&self.bytes, frame.len_address as usize);
        layout.len_storage.store(&mut self.bytes, frame.len_address as usize, len - 1);
    }
}

/// The address of an element of a slot.
#[inline(always)]
pub(crate) fn address(slot: Slot, base: usize, element: usize) -> usize {
    match slot.storage {
        Storage::Bit => base * 8 + slot.address as usize + element,
        storage => base + slot.address as usize + element * storage.bytes(),
    }
}
