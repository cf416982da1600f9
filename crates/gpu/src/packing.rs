//! A state in as few bits as its types need.
//!
//! A state is spread into bytes first: the fixed part of the CPU's own layout, with the number of processes in place of the shape,
//! and after it room for all messages of each queue. The kernel has bits: every value in as many as its type, the number of its
//! locations or the capacity of its queue needs; a variable that nothing assigns takes none. A queue without a capacity has room
//! for more messages than it had so far. A state that does not fit, for one of its values, its messages or its processes, is one
//! that the CPU keeps: nothing is cut.

use model::expr::{Pattern, Place, Scope};
use model::ids::{ChannelTypeId, MachineId};
use model::network::{Action, Network, ScalarType};
use model::semantics::{Anatomy, MessagePlaces, ScalarPlace, Semantics, Storage};
use std::collections::{HashMap, HashSet};

/// A value of a state: where it stands in the bytes, and what it takes in bits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Field {
    pub(crate) address: usize,
    pub(crate) storage: Storage,
    pub(crate) bits: u32,
    /// Its first bit.
    pub(crate) at: usize,
    /// The only value that it may have; then it takes no bits.
    pub(crate) constant: Option<u32>,
    /// The process that it belongs to, if any: without that process it is zero.
    pub(crate) process: Option<usize>,
}

impl Field {
    fn get(&self, bytes: &[u8]) -> u32 {
        let byte = |at: usize| u32::from(bytes[self.address + at]);
        match self.storage {
            Storage::Bit | Storage::U8 => byte(0),
            Storage::U16 | Storage::I16 => byte(0) | byte(1) << 8,
            Storage::I32 => byte(0) | byte(1) << 8 | byte(2) << 16 | byte(3) << 24,
        }
    }

    fn set(&self, bytes: &mut [u8], value: u32) {
        let width = self.storage.bytes().max(1);
        bytes[self.address..self.address + width].copy_from_slice(&value.to_le_bytes()[..width]);
    }

    fn fits(&self, value: u32) -> bool {
        self.bits == 32 || value < 1 << self.bits
    }
}

/// How states with processes of given types are stored.
#[derive(Debug)]
pub(crate) struct Packing {
    pub(crate) anatomy: Anatomy,
    pub(crate) fields: Vec<Field>,
    /// 32-bit words of a stored state.
    pub(crate) words: usize,
    /// Bits of a stored state.
    pub(crate) bits: usize,
    /// By queue: where its messages start in the bytes.
    pub(crate) areas: Vec<usize>,
    /// By channel type: it has no capacity, and the one in the anatomy is the room that its queues have here.
    pub(crate) open: Vec<bool>,
    /// Bytes of a state before it is packed.
    pub(crate) size: usize,
    /// By number of a shape: how many processes it has.
    shapes: HashMap<u16, usize>,
}

/// So many bits count from 0 up to a value.
fn bits_up_to(most: usize) -> u32 {
    usize::BITS - most.leading_zeros()
}

impl Packing {
    /// For states that have processes of these types, oldest first, or the oldest of them only; `samples` are states of the
    /// model. `None` if they are not finite in size, or too large.
    pub(crate) fn new<'s>(
        semantics: &Semantics<'_>,
        machines: &[MachineId],
        samples: impl Iterator<Item = &'s [u8]> + Clone,
    ) -> Option<Packing> {
        let mut anatomy = semantics.anatomy(machines)?;
        let shapes = anatomy.processes.iter().enumerate().map(|(index, process)| (process.shape, index + 1));
        let shapes: HashMap<u16, usize> = shapes.chain([(0, 0)]).collect();
        // Types with the same messages are one.
        for queue in &mut anatomy.queues {
            let own = &anatomy.messages[queue.channel_type.index()];
            let same = |other: &MessagePlaces| (&other.fields, other.capacity) == (&own.fields, own.capacity);
            let first = anatomy.messages.iter().position(same);
            queue.channel_type = first.map_or(queue.channel_type, ChannelTypeId::from);
        }
        let open: Vec<bool> = anatomy.messages.iter().map(|message| message.capacity == u32::MAX).collect();
        if open.contains(&true) {
            let longest = longest(&anatomy, samples.clone().filter(|state| shapes.contains_key(&shape_of(state))));
            for (kind, message) in anatomy.messages.iter_mut().enumerate().filter(|(kind, _)| open[*kind]) {
                message.capacity = 2 * longest[kind] + 2;
            }
        }
        let mut size = anatomy.processes.last().map_or(anatomy.start, |process| process.end) as usize;
        let mut areas = Vec::new();
        for queue in &anatomy.queues {
            let message = &anatomy.messages[queue.channel_type.index()];
            areas.push(size);
            if message.capacity > MOST_MESSAGES {
                return None;
            }
            size += message.capacity as usize * message.size;
        }
        if size > MOST_BYTES || machines.len() > MOST_PROCESSES {
            return None;
        }
        let mut packing = Packing { anatomy, fields: Vec::new(), words: 0, bits: 0, areas, open, size, shapes };
        packing.fields = Layout { packing: &packing, network: semantics.network(), fields: Vec::new() }.fields();
        packing.fix(semantics.network(), samples);
        for field in &mut packing.fields {
            field.at = packing.bits;
            packing.bits += if field.constant.is_none() { field.bits as usize } else { 0 };
        }
        packing.words = packing.bits.div_ceil(32).max(1);
        Some(packing)
    }

    /// What nothing assigns, and is the same in all samples, takes no bits.
    fn fix<'s>(&mut self, network: &Network, samples: impl Iterator<Item = &'s [u8]>) {
        let assigned = Assigned::of(network);
        let mut fixed: Vec<(ScalarPlace, u32)> = Vec::new();
        for (index, place) in self.anatomy.globals.iter().enumerate() {
            if !assigned.globals.contains(&index) && place.storage != Storage::Bit {
                fixed.push((*place, 0));
            }
        }
        for process in &self.anatomy.processes {
            let machine = process.machine.index();
            for (index, place) in self.anatomy.locals[machine].iter().enumerate() {
                if !assigned.locals.contains(&(machine, index)) && place.storage != Storage::Bit {
                    fixed.push((*place, process.base));
                }
            }
        }
        let mut addresses = HashSet::new();
        for (place, base) in fixed {
            let step = place.storage.bytes() as u32;
            addresses.extend((0..place.len).map(|element| (place.address + base + element * step) as usize));
        }
        let mut candidates: Vec<usize> = (0..self.fields.len()).collect();
        candidates.retain(|&index| addresses.contains(&self.fields[index].address));
        let (mut bytes, mut values) = (Vec::new(), vec![None; self.fields.len()]);
        for sample in samples {
            if self.spread(sample, &mut bytes).is_none() {
                continue;
            }
            candidates.retain(|&index| {
                let field = &self.fields[index];
                let absent = field.process.is_some_and(|process| process >= usize::from(bytes[0]));
                absent || *values[index].get_or_insert(field.get(&bytes)) == field.get(&bytes)
            });
        }
        for index in candidates {
            self.fields[index].constant = self.fields[index].constant.or(values[index]);
        }
    }

    /// The number of processes of a state of the CPU, if they are among those of this packing.
    pub(crate) fn processes(&self, state: &[u8]) -> Option<usize> {
        self.shapes.get(&shape_of(state)).copied()
    }

    /// The end of the fixed part with so many processes, and the number of their queues.
    pub(crate) fn ends(&self, processes: usize) -> (usize, usize) {
        let end = processes.checked_sub(1).map_or(self.anatomy.start, |last| self.anatomy.processes[last].end);
        let next = self.anatomy.processes.get(processes);
        (end as usize, next.map_or(self.anatomy.queues.len(), |process| process.first_queue as usize))
    }

    fn length(&self, bytes: &[u8], queue: usize) -> usize {
        self.anatomy.length.load(bytes, self.anatomy.queues[queue].length as usize) as usize
    }

    /// A state of the CPU as bytes that are to be packed; `None` for other processes.
    fn spread(&self, state: &[u8], bytes: &mut Vec<u8>) -> Option<()> {
        let processes = self.processes(state)?;
        let (mut from, queues) = self.ends(processes);
        bytes.clear();
        bytes.resize(self.size, 0);
        bytes[..from].copy_from_slice(&state[..from]);
        (bytes[0], bytes[1]) = (processes as u8, 0);
        for queue in 0..queues {
            let message = &self.anatomy.messages[self.anatomy.queues[queue].channel_type.index()];
            let len = self.length(bytes, queue);
            if len > message.capacity as usize {
                return None;
            }
            let taken = len * message.size;
            bytes[self.areas[queue]..self.areas[queue] + taken].copy_from_slice(&state[from..from + taken]);
            from += taken;
        }
        Some(())
    }

    /// Adds the words of a state of the CPU; false, and nothing is added, if it does not fit.
    pub(crate) fn encode(&self, state: &[u8], bytes: &mut Vec<u8>, words: &mut Vec<u32>) -> bool {
        if self.spread(state, bytes).is_none() {
            return false;
        }
        let start = words.len();
        words.resize(start + self.words, 0);
        for field in &self.fields {
            let value = field.get(bytes);
            let absent = field.process.is_some_and(|process| process >= usize::from(bytes[0]));
            let fits = match field.constant {
                Some(constant) => absent || value == constant,
                None => field.fits(value),
            };
            if !fits {
                words.truncate(start);
                return false;
            }
            if field.constant.is_none() {
                let (word, shift) = (start + field.at / 32, field.at % 32);
                words[word] |= value << shift;
                if shift + field.bits as usize > 32 {
                    words[word + 1] |= value >> (32 - shift);
                }
            }
        }
        true
    }

    /// The state of the CPU with these words.
    pub(crate) fn decode(&self, words: &[u32], bytes: &mut Vec<u8>, state: &mut Vec<u8>) {
        bytes.clear();
        bytes.resize(self.size, 0);
        for field in &self.fields {
            let value = match field.constant {
                Some(_) if field.process.is_some_and(|process| process >= usize::from(bytes[0])) => 0,
                Some(constant) => constant,
                None => {
                    let (word, shift) = (field.at / 32, field.at % 32);
                    let both = u64::from(words[word]) | u64::from(words.get(word + 1).copied().unwrap_or(0)) << 32;
                    (both >> shift) as u32 & (u32::MAX >> (32 - field.bits))
                }
            };
            field.set(bytes, value);
        }
        let processes = usize::from(bytes[0]);
        let (end, queues) = self.ends(processes);
        state.clear();
        state.extend_from_slice(&bytes[..end]);
        let shape = processes.checked_sub(1).map_or(0, |last| self.anatomy.processes[last].shape);
        state[..2].copy_from_slice(&shape.to_le_bytes());
        for queue in 0..queues {
            let message = &self.anatomy.messages[self.anatomy.queues[queue].channel_type.index()];
            let taken = self.length(bytes, queue) * message.size;
            state.extend_from_slice(&bytes[self.areas[queue]..self.areas[queue] + taken]);
        }
    }
}

fn shape_of(state: &[u8]) -> u16 {
    u16::from_le_bytes([state[0], state[1]])
}

/// By channel type: the most messages that one of its queues has in some state.
fn longest<'s>(anatomy: &Anatomy, states: impl Iterator<Item = &'s [u8]>) -> Vec<u32> {
    let mut longest = vec![0; anatomy.messages.len()];
    for state in states {
        let last = anatomy.processes.iter().position(|process| process.shape == shape_of(state));
        let next = anatomy.processes.get(last.map_or(0, |last| last + 1));
        let queues = next.map_or(anatomy.queues.len(), |process| process.first_queue as usize);
        for queue in &anatomy.queues[..queues] {
            let length = anatomy.length.load(state, queue.length as usize) as u32;
            let kind = queue.channel_type.index();
            longest[kind] = length.max(longest[kind]);
        }
    }
    longest
}

/// Queues, states and stacks of processes beyond these are not for a kernel.
const MOST_MESSAGES: u32 = 255;
const MOST_BYTES: usize = 1024;
const MOST_PROCESSES: usize = 200;

/// Lists the fields of a packing.
struct Layout<'a> {
    packing: &'a Packing,
    network: &'a Network,
    fields: Vec<Field>,
}

impl Layout<'_> {
    fn fields(mut self) -> Vec<Field> {
        let anatomy = &self.packing.anatomy;
        let processes = bits_up_to(anatomy.processes.len());
        self.add(0, Storage::U8, processes, None);
        if let Some(address) = anatomy.last_mover {
            self.add(address as usize, Storage::U8, processes, None);
        }
        self.section(&anatomy.globals, 0, None);
        self.lengths(0..anatomy.global_queues, None);
        for (index, process) in anatomy.processes.iter().enumerate() {
            let locations = self.network.machine(process.machine).locations.len();
            let (own, base) = (Some(index), process.base as usize);
            self.add(base, process.location, bits_up_to(locations.saturating_sub(1)), own);
            self.section(&anatomy.locals[process.machine.index()], base, own);
            self.lengths(process.first_queue as usize..self.packing.ends(index + 1).1, own);
        }
        for (queue, area) in self.packing.areas.iter().enumerate() {
            let owner = anatomy.processes.iter().rposition(|process| process.first_queue as usize <= queue);
            let owner = owner.filter(|_| queue >= anatomy.global_queues);
            let message = &anatomy.messages[anatomy.queues[queue].channel_type.index()];
            for position in 0..message.capacity as usize {
                for &(storage, offset, ty) in &message.fields {
                    self.add(area + position * message.size + offset, storage, self.bits(ty), owner);
                }
            }
        }
        self.fields
    }

    fn add(&mut self, address: usize, storage: Storage, bits: u32, process: Option<usize>) {
        let constant = (bits == 0).then_some(0);
        self.fields.push(Field { address, storage, bits, at: 0, constant, process });
    }

    fn lengths(&mut self, queues: std::ops::Range<usize>, process: Option<usize>) {
        let anatomy = &self.packing.anatomy;
        for queue in &anatomy.queues[queues] {
            let capacity = anatomy.messages[queue.channel_type.index()].capacity;
            self.add(queue.length as usize, anatomy.length, bits_up_to(capacity as usize), process);
        }
    }

    /// The variables of a section; bits that share a byte are one field.
    fn section(&mut self, places: &[ScalarPlace], base: usize, process: Option<usize>) {
        let mut in_byte: Vec<(usize, u32)> = Vec::new();
        for place in places {
            for element in 0..place.len as usize {
                let address = place.address as usize + element * place.storage.bytes().max(1);
                if place.storage != Storage::Bit {
                    self.add(base + address, place.storage, self.bits(place.ty), process);
                    continue;
                }
                let (byte, bits) = (base + address / 8, address as u32 % 8 + 1);
                match in_byte.last_mut() {
                    Some((last, most)) if *last == byte => *most = bits.max(*most),
                    _ => in_byte.push((byte, bits)),
                }
            }
        }
        in_byte.into_iter().for_each(|(byte, bits)| self.add(byte, Storage::U8, bits, process));
    }

    fn bits(&self, ty: ScalarType) -> u32 {
        let anatomy = &self.packing.anatomy;
        match ty {
            ScalarType::Pid => bits_up_to(anatomy.processes.len()).clamp(1, 8),
            ScalarType::Symbol(set) => bits_up_to(self.network.symbol_sets[set.index()].symbols.len()).clamp(1, 8),
            ScalarType::Channel => bits_up_to(anatomy.queues.len()).clamp(1, 8),
            other => u32::from(other.bits()).clamp(1, 32),
        }
    }
}

/// The variables that some statement assigns.
#[derive(Default)]
struct Assigned {
    globals: HashSet<usize>,
    locals: HashSet<(usize, usize)>,
}

impl Assigned {
    fn of(network: &Network) -> Assigned {
        let mut assigned = Assigned::default();
        for (index, machine) in network.machines.iter().enumerate() {
            machine.edges.iter().for_each(|edge| assigned.action(index, &edge.action));
        }
        assigned
    }

    fn action(&mut self, machine: usize, action: &Action) {
        match action {
            Action::Assign(place, _) | Action::Run { then: Some((place, _)), .. } => self.place(machine, place),
            Action::Receive { pattern, .. } => pattern.iter().for_each(|field| {
                if let Pattern::Bind(place) = field {
                    self.place(machine, place);
                }
            }),
            Action::Deterministic(step) => {
                step.nodes.iter().flatten().for_each(|choice| self.action(machine, &choice.action));
            }
            _ => {}
        }
    }

    fn place(&mut self, machine: usize, place: &Place) {
        match place.scope {
            Scope::Global => drop(self.globals.insert(place.variable.index())),
            Scope::Local => drop(self.locals.insert((machine, place.variable.index()))),
        }
    }
}

/// The global variables that nothing assigns.
pub(crate) fn never_assigned(network: &Network) -> HashSet<usize> {
    let assigned = Assigned::of(network).globals;
    (0..network.variables.len()).filter(|index| !assigned.contains(index)).collect()
}
