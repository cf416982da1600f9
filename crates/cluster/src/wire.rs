//! What processes send to each other: bytes with a short head, and in them numbers and states.
//!
//! A state names its shape (the types of its processes) by a number that depends on who has met it first. So a parcel with
//! states tells first which shapes are new to the receiver, and the receiver translates.

use explore::partition::WorkerId;
use model::semantics::{SHAPE_BYTES, Semantics};

/// What a parcel is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum Kind {
    /// Successors for their owner.
    States,
    /// A process has expanded its part of a layer.
    Layer,
    /// What a process has counted and found.
    Totals,
    /// A part of the run to a violation.
    Chain,
    /// The layers that a process has in its checkpoint.
    Resume,
}

impl Kind {
    fn of(byte: u8) -> Option<Kind> {
        [Kind::States, Kind::Layer, Kind::Totals, Kind::Chain, Kind::Resume]
            .into_iter()
            .find(|kind| *kind as u8 == byte)
    }
}

/// The head of a parcel: what it is about, who has sent it, and in which round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Head {
    pub(crate) kind: Kind,
    pub(crate) source: WorkerId,
    pub(crate) round: u64,
}

/// Writes numbers and bytes one after the other.
#[derive(Default)]
pub(crate) struct Writer(pub(crate) Vec<u8>);

impl Writer {
    /// A parcel that begins with this head.
    pub(crate) fn new(head: Head) -> Self {
        let mut writer = Writer(vec![head.kind as u8]);
        writer.number(head.source.into());
        writer.number(head.round);
        writer
    }

    /// A number, in as few bytes as it needs (LEB128).
    pub(crate) fn number(&mut self, mut n: u64) {
        while n >= 0x80 {
            self.0.push(n as u8 | 0x80);
            n >>= 7;
        }
        self.0.push(n as u8);
    }

    pub(crate) fn wide(&mut self, n: u128) {
        self.0.extend_from_slice(&n.to_le_bytes());
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }
}

/// Reads what a [`Writer`] wrote; `None` where that is not possible.
pub(crate) struct Reader<'b>(&'b [u8]);

impl<'b> Reader<'b> {
    pub(crate) fn new(bytes: &'b [u8]) -> Self {
        Reader(bytes)
    }

    /// The head of a parcel, and what follows.
    pub(crate) fn open(bytes: &'b [u8]) -> Option<(Head, Reader<'b>)> {
        let (kind, rest) = bytes.split_first()?;
        let mut reader = Reader(rest);
        let (source, round) = (WorkerId::try_from(reader.number()?).ok()?, reader.number()?);
        Some((Head { kind: Kind::of(*kind)?, source, round }, reader))
    }

    pub(crate) fn number(&mut self) -> Option<u64> {
        let mut n = 0u64;
        for shift in (0..64).step_by(7) {
            let (&byte, rest) = self.0.split_first()?;
            self.0 = rest;
            n |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(n);
            }
        }
        None
    }

    pub(crate) fn small<N: TryFrom<u64>>(&mut self) -> Option<N> {
        N::try_from(self.number()?).ok()
    }

    pub(crate) fn wide(&mut self) -> Option<u128> {
        let (bytes, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u128::from_le_bytes(*bytes))
    }

    pub(crate) fn bytes(&mut self) -> Option<&'b [u8]> {
        let length: usize = self.small()?;
        let (bytes, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(bytes)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// The shapes of this process, and how many of them each other one knows.
pub(crate) struct Dictionary {
    /// Per shape, from the first that has a process: the shape without the youngest process, and the type of that one.
    shapes: Vec<(u16, u32)>,
    told: Vec<usize>,
}

impl Dictionary {
    pub(crate) fn new(processes: usize) -> Self {
        Dictionary { shapes: Vec::new(), told: vec![0; processes] }
    }

    /// A state is about to be sent: its shape must be known here.
    #[inline]
    pub(crate) fn meet(&mut self, semantics: &Semantics<'_>, state: &[u8]) {
        if usize::from(shape_of(state)) > self.shapes.len() {
            self.shapes = semantics.shapes();
        }
    }

    /// Writes the shapes that a process does not know yet.
    pub(crate) fn tell(&mut self, target: usize, writer: &mut Writer) {
        let new = &self.shapes[self.told[target]..];
        writer.number(new.len() as u64);
        for &(parent, machine) in new {
            writer.number(parent.into());
            writer.number(machine.into());
        }
        self.told[target] = self.shapes.len();
    }
}

/// The shapes of another process.
#[derive(Clone)]
pub(crate) struct Translation(Vec<u16>);

impl Default for Translation {
    fn default() -> Self {
        // Shape 0 has no process.
        Translation(vec![0])
    }
}

impl Translation {
    /// Reads the shapes that are new.
    pub(crate) fn learn(&mut self, semantics: &Semantics<'_>, reader: &mut Reader<'_>) -> Option<()> {
        for _ in 0..reader.number()? {
            let (parent, machine): (usize, u32) = (reader.small()?, reader.small()?);
            self.0.push(semantics.add_shape(*self.0.get(parent)?, machine)?);
        }
        Some(())
    }

    /// The same state as this process writes it.
    pub(crate) fn translate(&self, state: &[u8], into: &mut Vec<u8>) -> Option<()> {
        let (_, contents) = state.split_at_checked(SHAPE_BYTES)?;
        let shape = self.0.get(usize::from(shape_of(state)))?;
        into.clear();
        into.extend_from_slice(&shape.to_le_bytes());
        into.extend_from_slice(contents);
        Some(())
    }
}

/// The number of the shape of a state.
fn shape_of(state: &[u8]) -> u16 {
    u16::from_le_bytes([state[0], state[1]])
}
