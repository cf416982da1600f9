//! Where things stand in a packed state.
//!
//! A state is a short string of bytes:
//!
//! ```text
//!  shape │ last mover? │ global variables │ lengths of global queues │ process 0 │ process 1 │ … │ messages
//!                                                                      └ location, priority?, locals, queue lengths
//! ```
//!
//! Processes form a stack (the youngest dies first), and each brings its own variables and queues, so
//! the *shape* of a state, the sequence of its process types, fixes the place of everything but the
//! messages. Shapes are interned in a trie: a shape is its parent plus one process. Messages stand at
//! the end, queue after queue, and take room only while they are there; that keeps states small and
//! serves bounded and unbounded channels alike. Bits share bytes.

use crate::ids::{ChannelTypeId, MachineId};
use crate::network::{Initial, Network, ScalarType, Variable};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::{Arc, RwLock};

/// How a scalar is stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Storage {
    /// One bit; the address counts bits.
    Bit,
    /// An unsigned byte.
    U8,
    /// Two bytes, unsigned.
    U16,
    /// Two bytes, signed.
    I16,
    /// Four bytes.
    I32,
}

impl Storage {
    /// The number of bytes an element takes; 0 for a bit.
    pub fn bytes(self) -> usize {
        match self {
            Storage::Bit => 0,
            Storage::U8 => 1,
            Storage::U16 | Storage::I16 => 2,
            Storage::I32 => 4,
        }
    }

    /// The value at an address.
    #[inline(always)]
    pub fn load(self, bytes: &[u8], address: usize) -> i32 {
        match self {
            Storage::Bit => i32::from(bytes[address >> 3] >> (address & 7) & 1),
            Storage::U8 => i32::from(bytes[address]),
            Storage::U16 => i32::from(u16::from_le_bytes([bytes[address], bytes[address + 1]])),
            Storage::I16 => i32::from(i16::from_le_bytes([bytes[address], bytes[address + 1]])),
            Storage::I32 => {
                let b = &bytes[address..address + 4];
                i32::from_le_bytes([b[0], b[1], b[2], b[3]])
            }
        }
    }

    /// Stores a value at an address, cut to the width.
    #[inline(always)]
    pub fn store(self, bytes: &mut [u8], address: usize, value: i32) {
        match self {
            Storage::Bit => {
                let (byte, bit) = (&mut bytes[address >> 3], address & 7);
                *byte = *byte & !(1 << bit) | ((value as u8 & 1) << bit);
            }
            Storage::U8 => bytes[address] = value as u8,
            Storage::U16 | Storage::I16 => bytes[address..address + 2].copy_from_slice(&(value as u16).to_le_bytes()),
            Storage::I32 => bytes[address..address + 4].copy_from_slice(&value.to_le_bytes()),
        }
    }
}

/// A variable's place in its section: globals, or the block of a process.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot {
    pub(crate) storage: Storage,
    /// In bits for [`Storage::Bit`], else in bytes; from the start of the section.
    pub(crate) address: u32,
    pub(crate) ty: ScalarType,
}

/// A section of variables and the queues they own.
#[derive(Clone, Debug, Default)]
pub(crate) struct Section {
    /// One slot per variable, for its element 0.
    pub(crate) slots: Vec<Slot>,
    /// Queues that come with the section, in order of creation.
    pub(crate) queues: Vec<OwnQueue>,
    /// Per variable: where its queues start in `queues`. The only order of allocation there is.
    pub(crate) first_queue: Vec<u32>,
    /// The size in bytes.
    pub(crate) size: usize,
}

/// A queue that a variable of a section brings along.
#[derive(Clone, Debug)]
pub(crate) struct OwnQueue {
    pub(crate) channel_type: ChannelTypeId,
    /// Where its length is, from the start of the section.
    pub(crate) len_address: u32,
    /// The variable that holds it at first, and the element of that variable.
    pub(crate) variable: u32,
    pub(crate) element: u32,
}

/// The layout of messages of one channel type.
#[derive(Clone, Debug)]
pub(crate) struct MessageLayout {
    /// Storage, offset and type of each field.
    pub(crate) fields: Vec<(Storage, usize, ScalarType)>,
    pub(crate) size: usize,
    pub(crate) rendezvous: bool,
    /// The declared capacity; `u32::MAX` for none.
    pub(crate) capacity: u32,
    pub(crate) lossy: bool,
}

/// The number of bytes at the start of a state that name its shape, the types of its processes; how shapes are
/// numbered is not the same in every run.
pub const SHAPE_BYTES: usize = 2;

/// Everything about places that does not depend on the shape.
#[derive(Debug)]
pub(crate) struct Layout {
    /// How a queue's length is stored.
    pub(crate) len_storage: Storage,
    pub(crate) last_mover: bool,
    pub(crate) priorities: bool,
    pub(crate) globals: Section,
    /// Offset of the globals.
    pub(crate) globals_base: usize,
    /// Per machine: its block.
    pub(crate) blocks: Vec<Section>,
    /// Per machine: how the location is stored.
    pub(crate) location_storage: Vec<Storage>,
    pub(crate) messages: Vec<MessageLayout>,
}

impl Layout {
    /// The layout of a network; `wide` makes room for many queues and long ones.
    pub(crate) fn new(network: &Network, wide: bool, last_mover: bool) -> Layout {
        let longest = network.channel_types.iter().filter_map(|c| c.capacity).max().unwrap_or(0);
        let unlimited = network.channel_types.iter().any(|c| c.capacity.is_none());
        // Channel references: one byte, or two where more than 255 queues can be.
        let channel_storage = if wide { Storage::U16 } else { Storage::U8 };
        let len_storage = if wide || unlimited || longest > 255 { Storage::U16 } else { Storage::U8 };
        let section =
            |variables: &[Variable], header: usize| Section::new(variables, header, channel_storage, len_storage);
        let location_storage: Vec<Storage> = network
            .machines
            .iter()
            .map(|m| match m.locations.len() {
                0..=0x100 => Storage::U8,
                0x101..=0x1_0000 => Storage::U16,
                _ => Storage::I32,
            })
            .collect();
        let blocks = network
            .machines
            .iter()
            .zip(&location_storage)
            .map(|(m, l)| section(&m.variables, l.bytes() + usize::from(network.uses_priorities)))
            .collect();
        let messages = network
            .channel_types
            .iter()
            .map(|c| {
                let mut size = 0;
                let fields = c.fields.iter().map(|&ty| {
                    let storage = match storage_of(ty, channel_storage) {
                        Storage::Bit => Storage::U8,
                        other => other,
                    };
                    size += storage.bytes();
                    (storage, size - storage.bytes(), ty)
                });
                let fields = fields.collect();
                let capacity = c.capacity.unwrap_or(u32::MAX);
                MessageLayout { fields, size, rendezvous: c.is_rendezvous(), capacity, lossy: c.lossy }
            })
            .collect();
        Layout {
            len_storage,
            last_mover,
            priorities: network.uses_priorities,
            globals: section(&network.variables, 0),
            globals_base: SHAPE_BYTES + usize::from(last_mover),
            blocks,
            location_storage,
            messages,
        }
    }

    /// Where the priority stands in the block of a machine.
    pub(crate) fn priority_offset(&self, machine: MachineId) -> usize {
        self.location_storage[machine.index()].bytes()
    }
}

fn storage_of(ty: ScalarType, channel: Storage) -> Storage {
    match ty {
        ScalarType::Bit => Storage::Bit,
        ScalarType::Byte | ScalarType::Pid | ScalarType::Symbol(_) => Storage::U8,
        ScalarType::Short => Storage::I16,
        ScalarType::Int => Storage::I32,
        ScalarType::Unsigned(bits) => match bits {
            0..=8 => Storage::U8,
            9..=16 => Storage::U16,
            _ => Storage::I32,
        },
        ScalarType::Channel => channel,
    }
}

impl Section {
    fn new(variables: &[Variable], header: usize, channel: Storage, len: Storage) -> Section {
        let mut section = Section { size: header, ..Section::default() };
        let mut slots = vec![None; variables.len()];
        // Bytes first, then bits, so that bits of different variables share bytes.
        for (slot, variable) in slots.iter_mut().zip(variables) {
            let storage = storage_of(variable.ty, channel);
            if storage != Storage::Bit {
                *slot = Some(Slot { storage, address: section.size as u32, ty: variable.ty });
                section.size += storage.bytes() * variable.len();
            }
        }
        let mut bit = section.size * 8;
        for (slot, variable) in slots.iter_mut().zip(variables) {
            if slot.is_none() {
                *slot = Some(Slot { storage: Storage::Bit, address: bit as u32, ty: variable.ty });
                bit += variable.len();
            }
        }
        section.size = bit.div_ceil(8);
        section.slots = slots.into_iter().flatten().collect();
        for (index, variable) in variables.iter().enumerate() {
            section.first_queue.push(section.queues.len() as u32);
            if let Initial::NewChannel(channel_type) = variable.initial {
                for element in 0..variable.len() {
                    let len_address = section.size as u32;
                    section.size += len.bytes();
                    section.queues.push(OwnQueue {
                        channel_type,
                        len_address,
                        variable: index as u32,
                        element: element as u32,
                    });
                }
            }
        }
        section
    }
}

/// A shape: its number in the trie.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct ShapeId(pub(crate) u16);

/// One process more than the parent shape.
#[derive(Debug)]
struct ShapeNode {
    parent: ShapeId,
    machine: MachineId,
}

/// All shapes seen so far. Shared by all workers; shape 0 has no process.
#[derive(Debug, Default)]
pub(crate) struct Shapes {
    inner: Arc<RwLock<ShapeTrie>>,
}

#[derive(Debug, Default)]
struct ShapeTrie {
    nodes: Vec<ShapeNode>,
    children: HashMap<(ShapeId, MachineId), ShapeId>,
}

impl Shapes {
    /// The shape with one more process; `None` when there are too many shapes.
    pub(crate) fn push(&self, parent: ShapeId, machine: MachineId) -> Option<ShapeId> {
        let known = self.inner.read().ok()?.children.get(&(parent, machine)).copied();
        if known.is_some() {
            return known;
        }
        let mut trie = self.inner.write().ok()?;
        if let Some(&id) = trie.children.get(&(parent, machine)) {
            return Some(id);
        }
        let id = ShapeId(u16::try_from(trie.nodes.len() + 1).ok()?);
        trie.nodes.push(ShapeNode { parent, machine });
        trie.children.insert((parent, machine), id);
        Some(id)
    }

    /// All shapes in the order of their numbers: the shape before the youngest process, and the type of that process.
    pub(crate) fn all(&self) -> Vec<(u16, u32)> {
        let trie = self.inner.read().unwrap_or_else(std::sync::PoisonError::into_inner);
        trie.nodes.iter().map(|node| (node.parent.0, node.machine.0)).collect()
    }

    /// The shape without its youngest process.
    pub(crate) fn parent(&self, shape: ShapeId) -> ShapeId {
        match self.inner.read() {
            Ok(trie) if shape.0 != 0 => trie.nodes[shape.0 as usize - 1].parent,
            _ => ShapeId(0),
        }
    }

    /// The process types of a shape, oldest process first.
    pub(crate) fn machines(&self, mut shape: ShapeId) -> Vec<MachineId> {
        let mut machines = Vec::new();
        if let Ok(trie) = self.inner.read() {
            while shape.0 != 0 {
                let node = &trie.nodes[shape.0 as usize - 1];
                machines.push(node.machine);
                shape = node.parent;
            }
        }
        machines.reverse();
        machines
    }
}

/// A process of a shape: its type, and where its block starts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProcessFrame {
    /// How its location is stored.
    pub(crate) location: Storage,
    pub(crate) machine: MachineId,
    pub(crate) base: u32,
    /// How many queues there were before its own.
    pub(crate) first_queue: u32,
}

/// A queue of a shape: its type, and where its length stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct QueueFrame {
    pub(crate) channel_type: ChannelTypeId,
    pub(crate) len_address: u32,
    /// The size of a message; 0 for a rendezvous, which never holds one.
    pub(crate) message_size: u32,
    /// The declared capacity and whether it is a rendezvous, as its type has them: every guard of a send or a receive
    /// asks, and here it costs one look.
    pub(crate) capacity: u32,
    pub(crate) rendezvous: bool,
}

/// A shape spelled out: where each process and queue stands.
#[derive(Debug)]
pub(crate) struct Frame {
    pub(crate) shape: ShapeId,
    pub(crate) processes: Vec<ProcessFrame>,
    pub(crate) queues: Vec<QueueFrame>,
    /// Where messages start.
    pub(crate) fixed: usize,
}

impl Frame {
    fn new(layout: &Layout, shapes: &Shapes, shape: ShapeId) -> Frame {
        let mut frame = Frame { shape, processes: Vec::new(), queues: Vec::new(), fixed: layout.globals_base };
        frame.append(layout, &layout.globals);
        for machine in shapes.machines(shape) {
            let first_queue = frame.queues.len() as u32;
            let location = layout.location_storage[machine.index()];
            frame.processes.push(ProcessFrame { location, machine, base: frame.fixed as u32, first_queue });
            frame.append(layout, &layout.blocks[machine.index()]);
        }
        frame
    }

    fn append(&mut self, layout: &Layout, section: &Section) {
        for queue in &section.queues {
            let message = &layout.messages[queue.channel_type.index()];
            self.queues.push(QueueFrame {
                channel_type: queue.channel_type,
                len_address: self.fixed as u32 + queue.len_address,
                message_size: if message.rendezvous { 0 } else { message.size as u32 },
                capacity: message.capacity,
                rendezvous: message.rendezvous,
            });
        }
        self.fixed += section.size;
    }
}

/// A worker's own collection of frames, so that no lock is taken on the way.
#[derive(Debug, Default)]
pub(crate) struct FrameCache {
    frames: HashMap<ShapeId, Rc<Frame>>,
    /// Processes over all frames: what the cache costs.
    weight: usize,
}

/// Beyond so many processes in all frames together the cache starts again.
const CACHE_WEIGHT: usize = 1 << 20;

impl FrameCache {
    pub(crate) fn get(&mut self, layout: &Layout, shapes: &Shapes, shape: ShapeId) -> Rc<Frame> {
        if let Some(frame) = self.frames.get(&shape) {
            return frame.clone();
        }
        if self.weight > CACHE_WEIGHT {
            self.frames.clear();
            self.weight = 0;
        }
        let frame = Rc::new(Frame::new(layout, shapes, shape));
        self.weight += frame.processes.len() + frame.queues.len() + 1;
        self.frames.insert(shape, frame.clone());
        frame
    }
}
