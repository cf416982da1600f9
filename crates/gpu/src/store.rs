//! The set of states on a device: states in segments, a table of tags and numbers, and the kernels that fill them.
//!
//! Numbers are in the order of discovery, so a layer of a breadth-first search is a range of them. Those that lost a race for an
//! entry get the last states where many states were expanded; the few of a narrow layer stay without a state. Segments are
//! added, and the table is made anew, when there is too little room for what is expected next; if a kernel runs out of room
//! all the same, what it did is kept, what it counted is forgotten, and it runs again over the same states.
//!
//! A state takes its words, four bytes for its parent and an entry of eight bytes. The table is at most [`FULLEST`]
//! hundredths full, and made for as many states as the layers let expect; segments are allocated a forty-eighth of what there is
//! at a time. So the bytes of a search that is over are few more than these.

use crate::backend::{Args, Backend, Failure, Kernel};
use crate::generate::SEGMENT;
use crate::packing::Packing;

/// States that one launch expands at most.
const CHUNK: u64 = 1 << 20;
/// States that travel at a time.
const BATCH: usize = 1 << 14;
/// Numbers from here on are those of states that the CPU had found before the device began: as it numbered them.
pub(crate) const EARLY: u32 = 0xe000_0000;
/// Numbers from here on are those of states that the CPU keeps.
pub(crate) const KEPT: u32 = 0xf000_0000;
/// Words of `Out` in the text.
const OUT: usize = 11;
const FIRST_SLOTS: u64 = 1 << 23;
/// So many states are expanded at a time before it pays to look for numbers without a state.
const WIDE: u64 = 1 << 17;
/// Bytes that are allocated for states at a time, at least.
const LEAST: u64 = 16 << 20;
/// Entries that the text reads at once.
const BUCKET: u64 = 4;
/// How many of a hundred entries are taken before the table is made anew.
const FULLEST: u64 = 85;
/// How many times the states that there are a new table is for, at most: while layers grow, and after. A new table costs a tenth of a
/// nanosecond a state, a table that is too large costs bytes in the end.
const MOST_AHEAD: (f64, f64) = (1.4, 1.2);

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
    /// Numbers that are used, and those of them that have no state.
    pub(crate) used: u64,
    pub(crate) dead: u64,
    /// Bytes that may be allocated, and that are.
    room: u64,
    allocated: u64,
    pub(crate) transitions: u64,
    pub(crate) digest: u128,
    /// States found for each state expanded, of late.
    growth: f64,
    /// The sizes of the last three layers, and where the last one ends.
    layers: [u64; 3],
    layer: u64,
    /// What the device has counted, where that is known.
    counted: Option<[u64; OUT]>,
}

impl Store {
    /// An empty set of states of a packing, of a model with so many places, in at most so many bytes.
    pub(crate) fn new(
        backend: Box<dyn Backend>,
        packing: &Packing,
        places: usize,
        room: Option<u64>,
    ) -> Result<Store, Stop> {
        let available = backend.available() / 20 * 19;
        let room = room.map_or(available, |room| room.min(available));
        let mut store = Store {
            backend,
            words: packing.words,
            places,
            segments: Vec::new(),
            args: Args::default(),
            used: 0,
            dead: 0,
            room,
            allocated: 0,
            transitions: 0,
            digest: 0,
            growth: 4.0,
            layers: [0; 3],
            layer: 0,
            counted: None,
        };
        let holes = store.backend.threads().max(1 << 10);
        let staging = (BATCH * (packing.words + 1)).max(2 * holes as usize) as u64;
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
        let address = self.backend.allocate(bytes)?.ok_or(Stop::Full)?;
        self.allocated += bytes;
        Ok(address)
    }

    /// Room for so many states in all, or as much as there was before. Other programs use the device too, so memory may be gone that
    /// was there.
    fn make_room(&mut self, states: u64) -> Result<(), Stop> {
        if states > u64::from(EARLY) {
            return Err(Stop::Full);
        }
        let (there, needed) = (self.segments.len() as u64, states.div_ceil(1 << SEGMENT));
        let size = (4 * self.words as u64 + 4) << SEGMENT;
        let ample = if needed <= there { there } else { needed.max(there + (there / 48).max(LEAST / size)) };
        let few = states <= self.args.slots / 100 * FULLEST;
        let smallest = FIRST_SLOTS.min(self.room / 64) / 100 * FULLEST;
        let slots = |states: u64| if few { self.args.slots } else { slots_for(states.max(smallest)) };
        let choices = [
            (ample, slots(self.expected().max(states))),
            (needed, slots(states + states / 16)),
            (needed, slots(states)),
        ];
        for (segments, slots) in choices {
            let more = segments.saturating_sub(self.segments.len() as u64);
            if self.allocated - 8 * self.args.slots + 8 * slots + more * size > self.room {
                continue;
            }
            match self.add_segments(more).and_then(|()| self.replace_table(slots)) {
                Err(Stop::Full) => {}
                Err(failed) => return Err(failed),
                Ok(()) => {
                    let most = self.args.slots / 100 * FULLEST;
                    self.args.limit = most.min((self.segments.len() as u64) << SEGMENT).min(u64::from(EARLY));
                    return Ok(());
                }
            }
        }
        Err(Stop::Full)
    }

    /// A table of so many slots. The old one goes first, since both need not fit; if there is no memory for the new one, it comes
    /// back.
    fn replace_table(&mut self, slots: u64) -> Result<(), Stop> {
        let old = self.args.slots;
        if slots == old {
            return Ok(());
        }
        if old > 0 {
            self.backend.free(self.args.table);
            self.allocated -= 8 * old;
        }
        let table = match self.allocate(8 * slots) {
            Err(Stop::Full) if old > 0 => None,
            table => Some(table?),
        };
        let lost = |_| Stop::Failed(Failure(String::from("other programs took the memory of the GPU")));
        self.args.slots = if table.is_some() { slots } else { old };
        self.args.table = table.map_or_else(|| self.allocate(8 * old).map_err(lost), Ok)?;
        self.rebuild()?;
        table.map(drop).ok_or(Stop::Full)
    }

    /// The same; whether there was.
    fn try_room(&mut self, states: u64) -> Result<bool, Stop> {
        match self.make_room(states) {
            Ok(()) => Ok(true),
            Err(Stop::Full) => Ok(false),
            Err(failed) => Err(failed),
        }
    }

    /// So many segments more, in one piece of memory.
    fn add_segments(&mut self, count: u64) -> Result<(), Stop> {
        if count == 0 {
            return Ok(());
        }
        let (states, parents) = ((4 * self.words as u64) << SEGMENT, 4u64 << SEGMENT);
        let memory = self.allocate(count * (states + parents))?;
        let new = (0..count).map(|index| (memory + index * states, memory + count * states + index * parents));
        let new: Vec<(u64, u64)> = new.collect();
        let at = 8 * self.segments.len() as u64;
        let (states, parents): (Vec<u64>, Vec<u64>) = new.iter().copied().unzip();
        self.backend.upload(self.args.states + at, &bytes_of_long(&states))?;
        self.backend.upload(self.args.parents + at, &bytes_of_long(&parents))?;
        self.segments.extend(new);
        Ok(())
    }

    /// How many states there will be, for the size of a table: layers grow, then shrink, by a factor that falls by the same factor
    /// from layer to layer. A table that is too large wastes memory, one that is too small is soon made anew, which is cheap.
    fn expected(&self) -> u64 {
        let [first, second, last] = self.layers.map(|size| size.max(1) as f64);
        let mut growth = last / second;
        let (fall, most) =
            ((growth * first / second).min(1.0), if growth > 1.03 { MOST_AHEAD.0 } else { MOST_AHEAD.1 });
        let (used, mut total, mut layer) = (self.used.max(1) as f64, self.layer as f64, last);
        while layer > 1.0 && total < 2.0 * used {
            growth *= fall;
            layer *= growth;
            total += layer;
        }
        (used * (1.04 * total / used).clamp(1.06, most)) as u64
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

    /// Runs a kernel that adds about so many states, again with more room if there was too little; what it counted.
    fn run(&mut self, kernel: Kernel, first: u64, count: u64, expected: u64) -> Result<Out, Stop> {
        // Where there is no room for what is expected, what there is may do.
        if self.args.limit < self.used + expected {
            self.try_room(self.used + expected)?;
        }
        loop {
            let before = self.counters()?;
            let args = Args { first, count, ..self.args };
            self.backend.launch(kernel, &args, count)?;
            let out = self.out(&before)?;
            self.used = out.used.min(self.args.limit);
            self.compact(out.holes, count)?;
            if !out.full {
                return Ok(out);
            }
            let wanted = [self.used + 4 * count, self.used + count, self.used + 1 + self.used / 8];
            if !(self.try_room(wanted[0])? || self.try_room(wanted[1])? || self.try_room(wanted[2])?) {
                return Err(Stop::Full);
            }
        }
    }

    /// Numbers that lost a race get the last states, if so many states were expanded that it pays.
    fn compact(&mut self, holes: u64, expanded: u64) -> Result<(), Stop> {
        if holes == 0 || expanded < WIDE {
            self.dead += holes;
            return Ok(());
        }
        let end = self.used - holes;
        let args = Args { first: end, limit: self.used, count: holes, ..self.args };
        self.backend.launch(Kernel::Survey, &args, holes)?;
        self.backend.launch(Kernel::Fill, &args, holes)?;
        self.used = end;
        Ok(())
    }

    /// What the device counts from, made anew only where it has to be.
    fn counters(&mut self) -> Result<[u64; OUT], Stop> {
        if let Some(last) = self.counted
            && last[..4] == [self.used, 0, 0, 0]
        {
            return Ok(last);
        }
        let mut start = [0; OUT];
        start[0] = self.used;
        self.backend.upload(self.args.out, &bytes_of_long(&start))?;
        Ok(start)
    }

    fn out(&mut self, before: &[u64; OUT]) -> Result<Out, Stop> {
        let mut bytes = [0; 8 * OUT];
        self.backend.download(self.args.out, &mut bytes)?;
        let mut words = [0; OUT];
        words.iter_mut().zip(bytes.as_chunks::<8>().0).for_each(|(word, bytes)| *word = u64::from_le_bytes(*bytes));
        self.counted = Some(words);
        let new = |index: usize| words[index].wrapping_sub(before[index]);
        let digest = (0..4).fold(0u128, |sum, i| sum.wrapping_add(u128::from(new(7 + i)).wrapping_shl(32 * i as u32)));
        Ok(Out { used: words[0], full: words[1] != 0, flagged: words[2], holes: words[3], transitions: new(6), digest })
    }

    /// Expands the states of a range, as many as go into one launch; how many, and which of them are for the CPU.
    pub(crate) fn expand(&mut self, first: u64, end: u64) -> Result<(u64, Vec<u32>), Stop> {
        let count = (end - first).min(CHUNK);
        let before = self.used;
        if end != self.layer {
            self.layers = [self.layers[1], self.layers[2], end - first];
            self.layer = end;
        }
        let expected = (count as f64 * (1.25 * self.growth).clamp(0.25, 4.0)) as u64 + 1;
        let out = self.run(Kernel::Expand, first, count, expected)?;
        self.growth = (self.used - before) as f64 / count.max(1) as f64;
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
            let count = parents.len() as u64;
            // Filling gaps uses the same room, so there is to be enough for a single try.
            if self.args.limit < self.used + count {
                let ample = self.try_room(self.used + 2 * count)?;
                if !ample {
                    self.make_room(self.used + count)?;
                }
            }
            self.backend.upload(self.args.staging, &bytes)?;
            self.run(Kernel::Enter, 0, count, count)?;
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

/// The size of a table that so many states may fill: a prime number of buckets.
fn slots_for(states: u64) -> u64 {
    let buckets = ((states / FULLEST * 100 + 200) / BUCKET) | 1;
    let prime = |n: &u64| (3..).step_by(2).take_while(|d| d * d <= *n).all(|d| !n.is_multiple_of(d));
    (buckets..).step_by(2).find(prime).unwrap_or(buckets) * BUCKET
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
