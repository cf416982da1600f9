//! A state taken apart: its queues on one side, everything else on the other.
//!
//! What a process does next depends on the values of variables, the places of processes, and on what stands at the heads
//! of queues. Who argues about all contents of the queues at once needs the first two by themselves: a state whose queues
//! are empty, which [`Stepper::without_messages`] makes, and the way back, [`Stepper::with_messages`].

use super::Stepper;
use crate::configuration::Configuration;
use crate::ids::{LocationId, MachineId, VariableId};
use crate::layout::SHAPE_BYTES;

impl Stepper<'_> {
    /// The type of a process of a state, and where the process is; `None` if there is no such process.
    pub fn place(&mut self, state: &[u8], process: u32) -> Option<(MachineId, LocationId)> {
        self.load(state);
        let process = process as usize;
        let exists = process < self.current.process_count();
        exists.then(|| (self.current.machine(process), self.current.location(process)))
    }

    /// The type of each process of the loaded state, and where the process is.
    pub fn loaded_places(&self) -> impl Iterator<Item = (MachineId, LocationId)> {
        let current = &self.current;
        (0..current.process_count()).map(|process| (current.machine(process), current.location(process)))
    }

    /// The number of queues of a state, those that never hold a message included.
    pub fn queue_count(&mut self, state: &[u8]) -> usize {
        self.load(state);
        self.current.frame.queues.len()
    }

    /// The messages of a state: by queue, heads first, field by field.
    pub fn messages(&mut self, state: &[u8]) -> Vec<Vec<Vec<i32>>> {
        self.load(state);
        let (layout, current) = (&self.semantics.layout, &self.current);
        let queue = |queue: usize| {
            let frame = current.frame.queues[queue];
            let fields = &layout.messages[frame.channel_type.index()].fields;
            let start = current.queue_start(layout, queue);
            let message = |position: usize| {
                let at = start + position * frame.message_size as usize;
                fields.iter().map(|&(storage, offset, _)| storage.load(&current.bytes, at + offset)).collect()
            };
            (0..current.queue_len(layout, queue)).map(message).collect()
        };
        (0..current.frame.queues.len()).map(queue).collect()
    }

    /// The same state with empty queues.
    pub fn without_messages(&mut self, state: &[u8]) -> Vec<u8> {
        self.load(state);
        emptied(&mut self.current, self.semantics.layout.len_storage);
        self.current.bytes.clone()
    }

    /// The same state with these messages in its queues instead of its own; queues that are not listed are empty. `None`
    /// if there is no such queue, or it cannot hold such a message.
    pub fn with_messages(&mut self, state: &[u8], contents: &[Vec<Vec<i32>>]) -> Option<Vec<u8>> {
        self.load(state);
        let layout = &self.semantics.layout;
        emptied(&mut self.current, layout.len_storage);
        if contents.len() > self.current.frame.queues.len() {
            return None;
        }
        for (queue, messages) in contents.iter().enumerate() {
            if messages.len() > usize::from(u16::MAX) {
                return None;
            }
            for (position, message) in messages.iter().enumerate() {
                if !can_hold(&self.current, layout, queue, message) {
                    return None;
                }
                self.current.insert_message(layout, queue, position, message);
            }
        }
        Some(self.current.bytes.clone())
    }

    /// The bytes of a state under which it is known everywhere: they do not depend on how shapes are numbered.
    pub fn portable(&mut self, state: &[u8]) -> Vec<u8> {
        self.load(state);
        let mut bytes = (self.current.process_count() as u32).to_le_bytes().to_vec();
        for process in &self.current.frame.processes {
            bytes.extend((process.machine.0 as u16).to_le_bytes());
        }
        bytes.extend_from_slice(&state[SHAPE_BYTES..]);
        bytes
    }

    /// An element of a global variable of the loaded state.
    pub fn loaded_global(&self, variable: VariableId, element: usize) -> i32 {
        let layout = &self.semantics.layout;
        self.current.read(layout.globals.slots[variable.index()], layout.globals_base, element)
    }
}

fn emptied(state: &mut Configuration, lengths: crate::layout::Storage) {
    let frame = state.frame.clone();
    for queue in &frame.queues {
        lengths.store(&mut state.bytes, queue.len_address as usize, 0);
    }
    state.bytes.truncate(frame.fixed);
}

/// Whether a queue keeps a message as it is.
fn can_hold(state: &Configuration, layout: &crate::layout::Layout, queue: usize, message: &[i32]) -> bool {
    let kind = &layout.messages[state.frame.queues[queue].channel_type.index()];
    let keeps = |(&(_, _, ty), &value): (&(_, _, crate::network::ScalarType), &i32)| ty.truncate(value) == value;
    !kind.rendezvous && kind.fields.len() == message.len() && kind.fields.iter().zip(message).all(keeps)
}

#[cfg(test)]
mod tests {
    use crate::ids::{ChannelTypeId, MachineId};
    use crate::network::{
        ChannelType, Initial, Instance, Location, Machine, MachineKind, Network, ScalarType, Variable,
    };
    use crate::semantics::{Reading, Semantics};
    use crate::source::Span;

    fn channel(name: &str, ty: u32) -> Variable {
        let initial = Initial::NewChannel(ChannelTypeId(ty));
        Variable { name: name.to_owned(), ty: ScalarType::Channel, dimensions: Vec::new(), initial, span: Span::NONE }
    }

    fn network() -> Network {
        let kind = |capacity, fields| ChannelType { capacity, fields, lossy: false, span: Span::NONE };
        let machine = Machine {
            name: String::from("P"),
            kind: MachineKind::Process,
            parameters: 0,
            variables: vec![channel("own", 1)],
            locations: vec![Location::default()],
            edges: Vec::new(),
            initial: 0usize.into(),
            provided: None,
            span: Span::NONE,
        };
        Network {
            variables: vec![channel("a", 0), channel("meet", 2), channel("b", 1)],
            channel_types: vec![
                kind(Some(1), vec![ScalarType::Byte, ScalarType::Int]),
                kind(Some(2), vec![ScalarType::Short]),
                kind(Some(0), vec![ScalarType::Byte]),
            ],
            machines: vec![machine],
            instances: vec![
                Instance { machine: MachineId(0), priority: 1 },
                Instance { machine: MachineId(0), priority: 1 },
            ],
            ..Network::default()
        }
    }

    #[test]
    fn messages_go_in_and_come_out_again() {
        let network = network();
        for reading in [Reading::Unbounded, Reading::Declared] {
            let semantics = Semantics::new(&network, reading);
            let mut stepper = semantics.stepper();
            let empty = stepper.initial().unwrap().unwrap();
            assert_eq!(stepper.queue_count(&empty), 5);
            assert_eq!(stepper.without_messages(&empty), empty);
            let contents = vec![
                vec![vec![255, -7], vec![0, i32::MAX]],
                vec![],
                vec![vec![-300]],
                vec![],
                vec![vec![1], vec![2], vec![3]],
            ];
            let full = stepper.with_messages(&empty, &contents).unwrap();
            assert_eq!(stepper.messages(&full), contents);
            assert_eq!(stepper.without_messages(&full), empty);
            assert_eq!(stepper.with_messages(&full, &contents), Some(full.clone()));
            assert_eq!(stepper.with_messages(&full, &[]), Some(empty.clone()));
            assert_ne!(stepper.portable(&full), stepper.portable(&empty));
        }
    }

    #[test]
    fn what_a_queue_cannot_hold_is_refused() {
        let network = network();
        let semantics = Semantics::new(&network, Reading::Unbounded);
        let mut stepper = semantics.stepper();
        let empty = stepper.initial().unwrap().unwrap();
        let mut put = |queue: usize, message: &[i32]| {
            let mut contents = vec![Vec::new(); queue];
            contents.push(vec![message.to_vec()]);
            stepper.with_messages(&empty, &contents)
        };
        assert!(put(0, &[1, 1]).is_some());
        for (queue, message) in [(0, &[1][..]), (0, &[256, 1]), (1, &[1]), (2, &[40_000]), (5, &[1])] {
            assert_eq!(put(queue, message), None, "{queue} {message:?}");
        }
    }
}
