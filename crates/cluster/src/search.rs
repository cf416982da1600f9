//! The search: layer by layer, every process its own states.
//!
//! In a round, a process expands the states of a layer that belong to it, and sends successors to their owners, which look
//! them up at once: they are the next layer. At the end it tells all others how many it has sent, whether it has found a
//! violation, and why it cannot go on, if it cannot. When the round is over, everyone knows the same, so all go on or
//! all stop. A layer in which nothing was sent is the last one.

use crate::chains;
use crate::exchange::{Exchange, garbled};
use crate::journal::{self, Journal};
use crate::peers::Peers;
use crate::totals::Totals;
use crate::wire::{Dictionary, Head, Kind, Reader, Translation, Writer};
use explore::Options;
use explore::expansion::Expander;
use explore::partition::{Partition, StateRef, WorkerId, owner};
use explore::search::Found;
use explore::table::StateId;
use model::context::Context;
use model::fault::Overflow;
use model::semantics::Semantics;
use model::verdict::{Progress, Reason};
use rustc_hash::FxHashSet;

/// The bytes of a parcel with states.
const PARCEL: usize = 1 << 15;
/// How many states between two looks at what has arrived.
const LOOK_EVERY: u32 = 64;
/// How many states between two looks at the clock.
const CHECK_EVERY: u32 = 1 << 12;
/// No more runs of one property than this are kept.
const MOST_RUNS: usize = 16;

/// Something that is wrong with a state of this process.
pub(crate) struct Problem {
    /// The index of the property in the options.
    pub(crate) property: usize,
    /// Equal for failures that are one.
    pub(crate) same: u64,
    pub(crate) layer: u64,
    pub(crate) at: StateId,
}

/// How often a property was violated, and by which different failures.
#[derive(Clone, Default)]
pub(crate) struct Count {
    pub(crate) times: u64,
    pub(crate) failures: FxHashSet<u64>,
}

/// What all processes have said at the end of a layer.
#[derive(Default)]
struct Layer {
    sent: u64,
    states: u64,
    violated: bool,
    stop: Option<Reason>,
}

/// One process of the search.
pub(crate) struct Search<'a> {
    pub(crate) semantics: &'a Semantics<'a>,
    pub(crate) options: &'a Options,
    pub(crate) cx: Context<'a>,
    pub(crate) exchange: Exchange,
    pub(crate) expander: Expander<'a>,
    pub(crate) partition: Partition,
    pub(crate) dictionary: Dictionary,
    pub(crate) translations: Vec<Translation>,
    /// Successors for each other process: how they are written so far, without the head.
    outboxes: Vec<Writer>,
    pub(crate) counts: Vec<Count>,
    pub(crate) problems: Vec<Problem>,
    /// The first state after which a run cannot go on because of a fault.
    pub(crate) crash: Option<(u64, StateId)>,
    /// The checkpoint of this process, and what it had counted before.
    pub(crate) journal: Option<Journal>,
    pub(crate) before: Totals,
    /// The layer that is expanded.
    pub(crate) layer: u64,
    /// The last layer that has a state of this process.
    pub(crate) depth: u64,
    /// Successors in this layer, those of this process included.
    sent: u64,
    /// What was said of this layer so far.
    said: Layer,
    /// Why the search is not complete.
    pub(crate) stopped: Option<Reason>,
    /// Room for a state.
    state: Vec<u8>,
    ticks: u32,
}

/// Searches together with the other processes.
pub(crate) fn search<'a>(
    semantics: &'a Semantics<'a>,
    options: &'a Options,
    cx: &Context<'a>,
    peers: Peers,
    journal: Option<Journal>,
) -> Result<Found, Reason> {
    let exchange = Exchange::new(peers)?;
    let count = exchange.count;
    let mut search = Search {
        semantics,
        options,
        cx: *cx,
        exchange,
        expander: Expander::of(semantics, options),
        partition: Partition::new(options),
        dictionary: Dictionary::new(count),
        translations: vec![Translation::default(); count],
        outboxes: (0..count).map(|_| Writer::default()).collect(),
        counts: vec![Count::default(); options.properties.len()],
        problems: Vec::new(),
        crash: None,
        journal,
        before: Totals::default(),
        layer: 0,
        depth: 0,
        sent: 0,
        said: Layer::default(),
        stopped: None,
        state: Vec::new(),
        ticks: 0,
    };
    match search.expander.stepper.initial() {
        Ok(Ok(state)) => {
            let end = search.run(&state);
            // The layers that are complete are kept, whatever the reason for the end is.
            let kept = journal::write(&mut search);
            end?;
            search.stopped = search.stopped.or(kept.err());
        }
        // Every process finds this out by itself, and that there is nothing to share.
        Ok(Err(_)) | Err(_) => {
            search.exchange.close();
            return Ok(explore::search::search(semantics, options, cx));
        }
    }
    chains::finish(search)
}

impl Search<'_> {
    pub(crate) fn me(&self) -> WorkerId {
        self.exchange.process as WorkerId
    }

    fn run(&mut self, first: &[u8]) -> Result<(), Reason> {
        let mut next = 0;
        match journal::begin(self)? {
            Some(earlier) => (self.layer, next) = earlier,
            None if owner(first, self.exchange.count) == self.exchange.process => self.partition.first(first),
            None => {}
        }
        let mut unwritten = None;
        loop {
            let end = self.partition.len() as StateId;
            if next < end {
                self.depth = self.layer;
            }
            let stop = if unwritten.is_some() { unwritten } else { self.expand_layer(next, end)? };
            let said = self.end_layer(stop)?;
            self.pack();
            next = end;
            unwritten = match said.stop {
                None => journal::complete(self, [end, self.partition.len() as StateId]).err(),
                Some(_) => None,
            };
            self.stopped = match said {
                Layer { stop: Some(reason), .. } => Some(reason),
                Layer { violated: true, .. } if !self.options.keep_going => Some(Reason::StoppedEarly),
                Layer { sent: 0, .. } => return Ok(()),
                Layer { states, .. } if self.cx.budget.most_states().is_some_and(|most| states >= most) => {
                    Some(Reason::States)
                }
                _ => {
                    self.layer += 1;
                    continue;
                }
            };
            return Ok(());
        }
    }

    /// Packs states that take too much room.
    pub(crate) fn pack(&mut self) {
        self.partition.pack_if_crowded(self.options, &self.cx, &mut self.state);
    }

    /// Expands the states of a layer, from one number to another; or says why not all of them.
    fn expand_layer(&mut self, first: StateId, end: StateId) -> Result<Option<Reason>, Reason> {
        if first < end && self.cx.budget.most_depth().is_some_and(|most| self.layer >= most) {
            return Ok(Some(Reason::Depth));
        }
        for id in first..end {
            if let Err(reason) = self.expand(id) {
                return Ok(Some(reason));
            }
            self.ticks = self.ticks.wrapping_add(1);
            if self.ticks.is_multiple_of(LOOK_EVERY) {
                while let Some(parcel) = self.exchange.receive()? {
                    self.take(&parcel)?;
                }
            }
            if let Err(reason) = self.look(end - id) {
                return Ok(Some(reason));
            }
        }
        Ok(None)
    }

    /// Looks at the limits, and whether another process wants to end the search.
    fn look(&mut self, waiting: StateId) -> Result<(), Reason> {
        let (tick, more) = (self.ticks.is_multiple_of(CHECK_EVERY), self.partition.growth_bytes());
        if !tick && more == 0 {
            return Ok(());
        }
        self.exchange.control.check()?;
        if self.exchange.control.is_stopped() {
            // Why, it says at the end of the layer.
            return Err(Reason::StoppedEarly);
        }
        let memory_bytes = self.partition.memory_bytes();
        self.cx.progress(|| Progress {
            engine: explore::ENGINE,
            states: self.partition.len() as u64,
            waiting: waiting.into(),
            transitions: self.expander.transitions,
            depth: self.depth,
            memory_bytes,
        });
        self.cx.budget.room(memory_bytes, more)
    }

    /// Expands one state: its successors go to their owners.
    fn expand(&mut self, id: StateId) -> Result<(), Reason> {
        let mut state = std::mem::take(&mut self.state);
        self.partition.open(id, &mut state);
        let (me, count, budget) = (self.me(), self.exchange.count, self.cx.budget);
        let (partition, outboxes, dictionary) = (&mut self.partition, &mut self.outboxes, &mut self.dictionary);
        let (semantics, mut room, mut full, mut sent) = (self.semantics, true, false, 0);
        let mut sink = |next: &[u8]| {
            let target = owner(next, count);
            sent += 1;
            if target == usize::from(me) {
                room &= partition.push(next, (me, id));
            } else {
                dictionary.meet(semantics, next);
                let outbox = &mut outboxes[target];
                outbox.number(id.into());
                outbox.bytes(next);
                full |= outbox.0.len() >= PARCEL;
            }
        };
        let expanded = self.expander.expand(&state, &mut sink, &mut || budget.room(0, 0).err());
        self.sent += sent;
        self.state = state;
        self.note_problems(id);
        room &= self.partition.flush(me);
        if full {
            self.post(PARCEL);
        }
        expanded.map_err(|unfinished| unfinished.reason())?;
        if room { Ok(()) } else { Err(Reason::from(Overflow::States)) }
    }

    /// Remembers what is wrong with the state that was expanded last.
    fn note_problems(&mut self, at: StateId) {
        let layer = self.layer;
        if self.crash.is_none() && self.expander.crashed.is_some() {
            self.crash = Some((layer, at));
        }
        for problem in self.expander.problems.drain(..) {
            let wanted = self.options.properties.iter().position(|property| *property == problem.property);
            let Some(property) = wanted else { continue };
            let count = &mut self.counts[property];
            count.times += 1;
            if count.failures.insert(problem.same) && count.failures.len() <= MOST_RUNS {
                self.problems.push(Problem { property, same: problem.same, layer, at });
            }
        }
    }

    /// Sends all outboxes with so many bytes.
    fn post(&mut self, least: usize) {
        for target in 0..self.outboxes.len() {
            if self.outboxes[target].0.len() >= least.max(1) {
                let mut parcel = self.parcel(Kind::States);
                self.dictionary.tell(target, &mut parcel);
                parcel.0.append(&mut self.outboxes[target].0);
                self.exchange.send(target, parcel.0);
            }
        }
    }

    /// A parcel of this round.
    pub(crate) fn parcel(&self, kind: Kind) -> Writer {
        Writer::new(Head { kind, source: self.me(), round: self.exchange.round })
    }

    /// Tells all others how the layer went, hears it from them, and takes the rest of what they have sent.
    fn end_layer(&mut self, stop: Option<Reason>) -> Result<Layer, Reason> {
        self.post(1);
        let violated = self.counts.iter().any(|count| count.times > 0);
        if stop.is_some() {
            self.exchange.control.stop();
        }
        let mut parcel = self.parcel(Kind::Layer);
        parcel.number(std::mem::take(&mut self.sent));
        parcel.number(self.partition.len() as u64);
        parcel.number(violated.into());
        write_reason(&mut parcel, stop.as_ref());
        self.exchange.broadcast(&parcel.0);
        self.round(|search, parcel| search.take(parcel))?;
        Ok(std::mem::take(&mut self.said))
    }

    /// Finishes a round: `take` gets what arrives.
    pub(crate) fn round(&mut self, mut take: impl FnMut(&mut Self, &[u8]) -> Result<(), Reason>) -> Result<(), Reason> {
        self.exchange.end_round();
        while let Some(parcel) = self.exchange.next()? {
            take(self, &parcel)?;
        }
        Ok(())
    }

    /// A parcel has arrived.
    fn take(&mut self, parcel: &[u8]) -> Result<(), Reason> {
        let (head, mut reader) = Reader::open(parcel).ok_or_else(garbled)?;
        match head.kind {
            Kind::States => self.take_states(head.source, &mut reader),
            Kind::Layer => take_layer(&mut reader, &mut self.said).ok_or_else(garbled),
            Kind::Totals | Kind::Chain | Kind::Resume => Err(garbled()),
        }
    }

    fn take_states(&mut self, source: WorkerId, reader: &mut Reader<'_>) -> Result<(), Reason> {
        let translation = self.translations.get_mut(usize::from(source)).ok_or_else(garbled)?;
        translation.learn(self.semantics, reader).ok_or_else(garbled)?;
        let (mut state, mut room) = (std::mem::take(&mut self.state), true);
        while !reader.is_empty() {
            let (parent, bytes) = (reader.small().ok_or_else(garbled)?, reader.bytes().ok_or_else(garbled)?);
            self.translations[usize::from(source)].translate(bytes, &mut state).ok_or_else(garbled)?;
            room &= self.partition.push(&state, (source, parent));
        }
        self.state = state;
        room &= self.partition.flush(source);
        if room { Ok(()) } else { Err(Reason::from(Overflow::States)) }
    }

    /// A state as it is sent.
    pub(crate) fn write_state(&mut self, (_, id): StateRef, writer: &mut Writer) {
        let mut state = std::mem::take(&mut self.state);
        self.partition.open(id, &mut state);
        self.dictionary.meet(self.semantics, &state);
        writer.bytes(&state);
        self.state = state;
    }

    /// Looks at a state of this process.
    pub(crate) fn with_state(&mut self, id: StateId, look: impl FnOnce(&[u8])) {
        self.partition.open(id, &mut self.state);
        look(&self.state);
    }
}

fn take_layer(reader: &mut Reader<'_>, said: &mut Layer) -> Option<()> {
    said.sent += reader.number()?;
    said.states += reader.number()?;
    said.violated |= reader.number()? != 0;
    let stop = read_reason(reader)?;
    // That another process wanted to stop is no reason if that one says why.
    if said.stop.is_none() || said.stop == Some(Reason::StoppedEarly) && stop.is_some() {
        said.stop = stop;
    }
    Some(())
}

/// The reasons that a process can have to stop, by their places in this list.
const REASONS: [Reason; 6] =
    [Reason::Timeout, Reason::Memory, Reason::States, Reason::Depth, Reason::Interrupted, Reason::StoppedEarly];

fn write_reason(writer: &mut Writer, reason: Option<&Reason>) {
    let place = reason.map(|reason| REASONS.iter().position(|known| known == reason));
    match (reason, place) {
        (Some(_), Some(Some(place))) => writer.number(place as u64 + 3),
        (Some(Reason::Disk(why)), _) => {
            writer.number(2);
            writer.bytes(why.as_bytes());
        }
        (Some(other), _) => {
            writer.number(1);
            writer.bytes(other.to_string().as_bytes());
        }
        (None, _) => writer.number(0),
    }
}

fn read_reason(reader: &mut Reader<'_>) -> Option<Option<Reason>> {
    match reader.number()? {
        0 => Some(None),
        kind @ (1 | 2) => {
            let text = String::from_utf8_lossy(reader.bytes()?).into_owned();
            Some(Some(if kind == 1 { Reason::Limit(text) } else { Reason::Disk(text) }))
        }
        place => REASONS.get(place as usize - 3).cloned().map(Some),
    }
}
