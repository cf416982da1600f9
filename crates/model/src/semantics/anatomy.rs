//! Where everything stands in the states of one shape: for who reads and writes packed states by other means than a
//! [`Stepper`](super::Stepper), such as code that is generated for a model.

use super::{Reading, Semantics};
use crate::configuration::shape_of;
use crate::ids::{ChannelTypeId, MachineId};
use crate::layout::{FrameCache, SHAPE_BYTES, Section, ShapeId, Slot, Storage};
use crate::network::{ScalarType, Variable};

/// Where things stand in the states whose processes have given types, or the oldest of them only.
#[derive(Clone, Debug)]
pub struct Anatomy {
    /// The variables of the network, in order; addresses are those in the state.
    pub globals: Vec<ScalarPlace>,
    /// Where the first process starts.
    pub start: u32,
    /// The processes, oldest first.
    pub processes: Vec<ProcessPlace>,
    /// By machine: its variables, in order; addresses count from the start of a process.
    pub locals: Vec<Vec<ScalarPlace>>,
    /// By machine: for each variable, the number of its first queue among those of the process.
    pub first_queues: Vec<Vec<u32>>,
    /// For each variable of the network, the number of its first queue.
    pub global_first_queues: Vec<u32>,
    /// All queues, in order.
    pub queues: Vec<QueuePlace>,
    /// The number of queues of the network itself.
    pub global_queues: usize,
    /// How the length of a queue is stored.
    pub length: Storage,
    /// By channel type: its messages.
    pub messages: Vec<MessagePlaces>,
    /// The byte that names the process that moved last, if the state has one.
    pub last_mover: Option<u32>,
}

/// A variable: a scalar, or the elements of an array one after the other.
#[derive(Clone, Copy, Debug)]
pub struct ScalarPlace {
    /// What it holds.
    pub ty: ScalarType,
    /// How an element is stored.
    pub storage: Storage,
    /// Where the first element is: counted in bits for [`Storage::Bit`], else in bytes.
    pub address: u32,
    /// The number of elements.
    pub len: u32,
}

/// A process.
#[derive(Clone, Copy, Debug)]
pub struct ProcessPlace {
    /// Its type.
    pub machine: MachineId,
    /// Where it starts: with its location.
    pub base: u32,
    /// How the location is stored.
    pub location: Storage,
    /// Where it ends.
    pub end: u32,
    /// The number of the shape of which it is the youngest process.
    pub shape: u16,
    /// The number of queues there are before its own.
    pub first_queue: u32,
}

/// A queue.
#[derive(Clone, Copy, Debug)]
pub struct QueuePlace {
    /// Its type.
    pub channel_type: ChannelTypeId,
    /// Where its length is.
    pub length: u32,
}

/// The messages of a channel type.
#[derive(Clone, Debug)]
pub struct MessagePlaces {
    /// How each field is stored, where it is in the message, and what it holds.
    pub fields: Vec<(Storage, usize, ScalarType)>,
    /// The size of a message in bytes.
    pub size: usize,
    /// The declared capacity; 0 is a rendezvous, `u32::MAX` none.
    pub capacity: u32,
}

impl Semantics<'_> {
    /// The anatomy of states like this one.
    pub fn anatomy_of(&self, state: &[u8]) -> Option<Anatomy> {
        self.anatomy(&self.shapes.machines(shape_of(state)))
    }

    /// The anatomy of states with processes of these types, oldest first; `None` if there are too many shapes, or if queues
    /// have no bound.
    pub fn anatomy(&self, machines: &[MachineId]) -> Option<Anatomy> {
        if self.reading == Reading::Unbounded {
            return None;
        }
        let mut shapes = vec![ShapeId(0)];
        for &machine in machines {
            shapes.push(self.shapes.push(*shapes.last()?, machine)?);
        }
        let layout = &self.layout;
        let frame = FrameCache::default().get(layout, &self.shapes, *shapes.last()?);
        let ends = frame.processes.iter().skip(1).map(|process| process.base).chain([frame.fixed as u32]);
        let processes =
            frame.processes.iter().zip(ends).zip(&shapes[1..]).map(|((process, end), shape)| ProcessPlace {
                machine: process.machine,
                base: process.base,
                location: process.location,
                end,
                shape: shape.0,
                first_queue: process.first_queue,
            });
        let queue = |queue: &crate::layout::QueueFrame| QueuePlace {
            channel_type: queue.channel_type,
            length: queue.len_address,
        };
        let messages = layout.messages.iter().map(|message| MessagePlaces {
            fields: message.fields.clone(),
            size: message.size,
            capacity: if message.rendezvous { 0 } else { message.capacity },
        });
        let network = self.network;
        Some(Anatomy {
            globals: places(&layout.globals, &network.variables, layout.globals_base as u32),
            start: (layout.globals_base + layout.globals.size) as u32,
            processes: processes.collect(),
            locals: layout.blocks.iter().zip(&network.machines).map(|(b, m)| places(b, &m.variables, 0)).collect(),
            first_queues: layout.blocks.iter().map(|block| block.first_queue.clone()).collect(),
            global_first_queues: layout.globals.first_queue.clone(),
            queues: frame.queues.iter().map(queue).collect(),
            global_queues: layout.globals.queues.len(),
            length: layout.len_storage,
            messages: messages.collect(),
            last_mover: layout.last_mover.then_some(SHAPE_BYTES as u32),
        })
    }
}

/// The places of variables in a section that starts at `base`.
fn places(section: &Section, variables: &[Variable], base: u32) -> Vec<ScalarPlace> {
    let place = |(slot, variable): (&Slot, &Variable)| ScalarPlace {
        ty: slot.ty,
        storage: slot.storage,
        address: slot.address + if slot.storage == Storage::Bit { base * 8 } else { base },
        len: variable.len() as u32,
    };
    section.slots.iter().zip(variables).map(place).collect()
}
