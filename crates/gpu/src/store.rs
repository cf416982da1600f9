//! The set of states on a device: states in segments, a table of tags and numbers, and the kernels that fill them.
//!
//! Numbers are dense and in the order of discovery, so a layer of a breadth-first search is a range of them. Segments are
//! added, and the table is made anew, when there is too little room for what comes next; if a kernel runs out of room all
//! the same, what it did is kept, what it counted is forgotten, and it runs again over the same states.

use crate::backend::{Args, Backend, Failure, Kernel};
use crate::generate::SEGMENT;

/// States that one launch expands at most.
const CHUNK: u64 = 1 << 21;
/// States that travel at a time.
const BATCH: usize = 1 << 16;
/// Numbers from here on are those of states that the CPU had found before the device began: as it numbered them.
pub(crate) const EARLY: u32 = 0xe000_0000;
/// Numbers from here on are those of states that the CPU keeps.
pub(crate) const KEPT: u32 = 0xf000_0000;
/// Words of `Out` in the text.
const OUT: usize = 11;
const FIRST_SLOTS: u64 = 1 << 24;
/// A table grows by less while there are fewer states than this: making it anew is cheap.
const MANY: u64 = 1 << 26;

/// Why a device did not go on.
#[derive(Debug)]
pub(crate) enum Stop {
    /// There is no memory left for more states.
    Full,
    Failed(Failure),
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Stop {
        Stop::Failed(failure)
    }
}

/// What a launch says.
#[derive(Clone, Copy, Debug, Default)]
struct Out {
    used: u64,
    full: bool,
    flagged: u64,
    holes: u64,
    transitions: u64,
    digest: u128,
}

/// The states of a device.
pub(crate) struct Store {
    backend: Box<dyn Backend>,
    words: usize,
    places: usize,
    segments: Vec<(u64, u64)>,
    args: Args,
    /// The number of states.
    pub(crate) used: u64,
    /// Bytes that may be allocated, and that are.
    room: u64,
    allocated: u64,
    pub(crate) transitions: u64,
    pub(crate) digest: u128,
}

impl Store {
    /// An empty set of states of so many words, of a model with so many places, in at most so many bytes.
    pub(crate) fn new(
        backend: Box<dyn Backend>,
        words: usize,
        places: usize,
        room: Option<u64>,
    ) -> Result<Store, Stop> {
        let available = backend.available() / 20 * 19;
        let room = room.map_or(available, |room| room.min(available));
        let (segments, args) = (Vec::new(), Args::default());
        let mut store =
            Store { backend, words, places, segments, args, used: 0, room, allocated: 0, transitions: 0, digest: 0 };
        let holes = store.backend.threads().max(1 << 10);
        let staging = (BATCH * (words + 1)).max(2 * holes as usize) as u64;
        store.args.states = store.allocate(8 << (32 - SEGMENT))?;
        store.args.parents = store.allocate(8 << (32 - SEGMENT))?;
        store.args.reached = store.allocate(places.max(1) as u64)?;
        store.args.list = store.allocate(4 * CHUNK)?;
        store.args.holes = store.allocate(4 * holes)?;
        store.args.staging = store.allocate(4 * staging)?;
        store.args.out = store.allocate(8 * OUT as u64)?;
        store.backend.clear(store.args.reached, places.max(1) as u64)?;
        store.make_room(1)?;
        Ok(store)
    }

    /// Where it is.
    pub(crate) fn name(&self) -> String {
        self.backend.name()
    }

    /// Bytes that it takes.
    pub(crate) fn memory_bytes(&self) -> u64 {
        self.allocated
    }

    fn allocate(&mut self, bytes: u64) -> Result<u64, Stop> {
        if self.allocated + bytes > self.room {
            return Err(Stop::Full);
        }
        let address = self.backend.allocate(bytes)?;
        self.allocated += bytes;
        Ok(address)
    }

    /// Room for so many states in all.
    fn make_room(&mut self, states: u64) -> Result<(), Stop> {
        if states > u64::from(EARLY) {
            return Err(Stop::Full);
        }
        let table = if states > self.args.slots / 5 * 4 { self.table_for(states) } else { self.args.slots };
        let segments = states.div_ceil(1 << SEGMENT).saturating_sub(self.segments.len() as u64);
        let size = ((4 * self.words as u64) << SEGMENT, 4u64 << SEGMENT);
        if self.allocated - 8 * self.args.slots + 8 * table + segments * (size.0 + size.1) > self.room {
            return Err(Stop::Full);
        }
        for _ in 0..segments {
            let segment = (self.allocate(size.0)?, self.allocate(size.1)?);
            let at = 8 * self.segments.len() as u64;
            self.backend.upload(self.args.states + at, &segment.0.to_le_bytes())?;
            self.backend.upload(self.args.parents + at, &segment.1.to_le_bytes())?;
            self.segments.push(segment);
        }
        if table != self.args.slots {
            if self.args.slots > 0 {
                self.backend.free(self.args.table);
                self.allocated -= 8 * self.args.slots;
            }
            self.args.table = self.allocate(8 * table)?;
            self.args.slots = table;
            self.rebuild()?;
        }
        self.args.limit = (self.args.slots / 5 * 4).min((self.segments.len() as u64) << SEGMENT).min(u64::from(EARLY));
        Ok(())
    }

    fn table_for(&self, states: u64) -> u64 {
        let growth = if states < MANY { 25 } else { 27 };
        let slots = (states / 16 * growth).max(self.args.slots / 20 * growth);
        slots.max(FIRST_SLOTS.min(self.room / 64)).max(1 << 10)
    }

    /// The table of all states that are there.
    fn rebuild(&mut self) -> Result<(), Stop> {
        self.backend.clear(self.args.table, 8 * self.args.slots)?;
        let args = Args { count: self.used, ..self.args };
        Ok(self.backend.launch(Kernel::Rebuild, &args, self.used)?)
    }

    /// The first states, all different, and the parent of each: they have the numbers from 0 on.
    pub(crate) fn begin(&mut self, words: &[u32], parents: &[u32]) -> Result<(), Stop> {
        self.make_room(parents.len() as u64 + 1)?;
        let per_segment = 1usize << SEGMENT;
        let (states, numbers) = (words.chunks(per_segment * self.words), parents.chunks(per_segment));
        for ((states, numbers), segment) in states.zip(numbers).zip(self.segments.clone()) {
            self.backend.upload(segment.0, &bytes_of(states))?;
            self.backend.upload(segment.1, &bytes_of(numbers))?;
        }
        self.used = parents.len() as u64;
        self.rebuild()
    }

    /// Runs a kernel that adds states, again with more room if there was too little; what it counted.
    fn run(&mut self, kernel: Kernel, first: u64, count: u64) -> Result<Out, Stop> {
        // Where there is no room for more than is needed at once, what there is may do.
        if self.args.limit < self.used + 2 * count {
            let _ = self.make_room(self.used + 4 * count);
        }
        loop {
            let mut out = [0; OUT];
            out[0] = self.used;
            self.backend.upload(self.args.out, &bytes_of_long(&out))?;
            let args = Args { first, count, ..self.args };
            self.backend.launch(kernel, &args, count)?;
            let out = self.out()?;
            self.used = out.used.min(self.args.limit);
            self.compact(out.holes)?;
            if !out.full {
                return Ok(out);
            }
            let wanted = [self.used + 4 * count, self.used + count, self.used + 1 + self.used / 8];
            wanted.iter().find_map(|&states| self.make_room(states).ok()).ok_or(Stop::Full)?;
        }
    }

    fn out(&mut self) -> Result<Out, Stop> {
        let mut bytes = [0; 8 * OUT];
        self.backend.download(self.args.out, &mut bytes)?;
        let words: Vec<u64> = bytes.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word)).collect();
        let digest = words[7..11].iter().enumerate();
        let digest = digest.fold(0u128, |sum, (i, &w)| sum.wrapping_add(u128::from(w).wrapping_shl(32 * i as u32)));
        Ok(Out {
            used: words[0],
            full: words[1] != 0,
            flagged: words[2],
            holes: words[3],
            transitions: words[6],
            digest,
        })
    }

    /// Numbers that lost a race get the last states.
    fn compact(&mut self, holes: u64) -> Result<(), Stop> {
        if holes == 0 {
            return Ok(());
        }
        let end = self.used - holes;
        let args = Args { first: end, limit: self.used, count: holes, ..self.args };
        self.backend.launch(Kernel::Survey, &args, holes)?;
        self.backend.launch(Kernel::Fill, &args, holes)?;
        self.used = end;
        Ok(())
    }

    /// Expands the states of a range, as many as go into one launch; how many, and which of them are for the CPU.
    pub(crate) fn expand(&mut self, first: u64, end: u64) -> Result<(u64, Vec<u32>), Stop> {
        let count = (end - first).min(CHUNK);
        let out = self.run(Kernel::Expand, first, count)?;
        self.transitions += out.transitions;
        self.digest = self.digest.wrapping_add(out.digest);
        let mut bytes = vec![0; 4 * out.flagged as usize];
        if out.flagged > 0 {
            self.backend.download(self.args.list, &mut bytes)?;
        }
        Ok((count, words_of(&bytes)))
    }

    /// The words of states, one after the other.
    pub(crate) fn states(&mut self, numbers: &[u32]) -> Result<Vec<u32>, Stop> {
        let mut words = Vec::with_capacity(numbers.len() * self.words);
        for batch in numbers.chunks(BATCH) {
            self.backend.upload(self.args.list, &bytes_of(batch))?;
            let count = batch.len() as u64;
            let args = Args { first: 0, count, ..self.args };
            self.backend.launch(Kernel::Gather, &args, count)?;
            let mut bytes = vec![0; 4 * batch.len() * self.words];
            self.backend.download(self.args.staging, &mut bytes)?;
            words.extend(words_of(&bytes));
        }
        Ok(words)
    }

    /// The parent of a state.
    pub(crate) fn parent(&mut self, number: u32) -> Result<u32, Stop> {
        let segment = self.segments[(number >> SEGMENT) as usize];
        let mut bytes = [0; 4];
        self.backend.download(segment.1 + 4 * u64::from(number & ((1 << SEGMENT) - 1)), &mut bytes)?;
        Ok(u32::from_le_bytes(bytes))
    }

    /// Adds states that the CPU found.
    pub(crate) fn enter(&mut self, words: &[u32], parents: &[u32]) -> Result<(), Stop> {
        for (states, parents) in words.chunks(BATCH * self.words).zip(parents.chunks(BATCH)) {
            let mut bytes = bytes_of(states);
            bytes.extend(bytes_of(parents));
            // Filling gaps uses the same room, so a second try needs the states again.
            loop {
                self.backend.upload(self.args.staging, &bytes)?;
                let (used, count) = (self.used, parents.len() as u64);
                if self.args.limit < used + count {
                    self.make_room(used + 2 * count).or_else(|_| self.make_room(used + count))?;
                    continue;
                }
                self.run(Kernel::Enter, 0, count)?;
                break;
            }
        }
        Ok(())
    }

    /// The numbers of the places at which processes were.
    pub(crate) fn reached(&mut self) -> Result<Vec<usize>, Stop> {
        let mut bytes = vec![0; self.places];
        self.backend.download(self.args.reached, &mut bytes)?;
        Ok(bytes.iter().enumerate().filter(|(_, mark)| **mark != 0).map(|(place, _)| place).collect())
    }
}

fn bytes_of(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn bytes_of_long(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn words_of(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
}
