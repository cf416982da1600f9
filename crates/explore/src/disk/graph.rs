//! The graph of states on disk, for questions about cycles.
//!
//! States are found layer by layer as for safety, and edges are kept in a file of their own (`edges`). Cycles are looked for in
//! it (`cycles`) when there are three times as many states as the last time, and at the end.

use super::blocks::{NO_REFERENCE, Reference, Stream, reference};
use super::cycles::Cycles;
use super::edges::{Edges, Records, Sets, Target, WRITE, identity};
use super::layers::{Folder, Layers, Work};
use super::manifest::{Drawing, Manifest};
use super::runs::Run;
use super::stage::{Place, Worker};
use super::{Disk, Stop};
use crate::graph::components::Wanted;
use crate::graph::draw::{Drawn, GROWTH, Run as Found, Seen};
use crate::graph::round::Path;
use crate::graph::{Marks, Notes};
use crate::parallel::Visitor;
use crate::search::Watch;
use crate::table::StateId;
use model::fault::Overflow;
use model::semantics::Semantics;
use model::verdict::{Reason, SearchStats};
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::marker::PhantomData;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The file of edges.
pub(super) const EDGES: &str = "edges";

/// All states that are known: where they are.
pub(super) struct Layout<'l> {
    pub(super) folder: &'l std::path::Path,
    pub(super) file: &'l File,
    pub(super) length: u64,
    pub(super) states: u64,
}

/// Draws the graph from a first state on, until it is complete or has a cycle with what is wanted.
pub(crate) fn search<'a, V, E: Send>(
    semantics: &'a Semantics<'a>,
    watch: Watch<'a>,
    setup: V::Setup,
    first: &[u8],
    wanted: &Wanted,
    disk: &Disk,
) -> Drawn<E>
where
    V: Visitor<'a, Notes = Notes, Report = Seen<E>> + 'a,
{
    let nothing = |reason: Reason| {
        let stopped = Some(reason);
        Drawn { seen: Seen::default(), run: None, stopped, stats: SearchStats::default() }
    };
    let folder = match Folder::make(disk) {
        Ok(folder) => Arc::new(folder),
        Err(reason) => return nothing(reason),
    };
    let opened = Layers::open(semantics, watch, disk, &folder);
    let opened = opened.and_then(|(mut layers, earlier)| {
        let drawing = earlier.map(|earlier| earlier.drawing.ok_or_else(|| io::Error::other("it has no edges")));
        let store = Store::open(&folder, drawing.transpose()?)?;
        layers.beside = Some(store.writer.try_clone()?);
        let pencil = Pencil::<V>::new(setup, Arc::clone(&store.pad));
        let look_at = 4 * watch.options.alone as u64;
        Ok((Graph::<V, E> { setup, first, wanted, pencil, store, seen: Seen::default(), run: None, look_at }, layers))
    });
    match opened {
        Ok((mut graph, mut layers)) => {
            let end = layers.run(&mut graph);
            let end = graph.last_look(&layers, end);
            let stopped = end.err().map(|stop| folder.reason(stop));
            graph.finish(layers, stopped)
        }
        Err(stop) => nothing(folder.reason(stop)),
    }
}

/// What threads write to.
#[derive(Default)]
struct Pad {
    sets: Mutex<Sets>,
    records: Mutex<Vec<Vec<u8>>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The edges so far, and what is remembered beside the layers.
struct Store {
    writer: File,
    reader: Arc<File>,
    end: u64,
    pad: Arc<Pad>,
    noticed: bool,
    crash: Option<String>,
}

impl Store {
    fn open(folder: &Folder, earlier: Option<Drawing>) -> io::Result<Store> {
        let path = folder.path.join(EDGES);
        let mut writer = File::options().create(true).write(true).truncate(earlier.is_none()).open(&path)?;
        let Drawing { edges: end, sets, noticed, crash } = earlier.unwrap_or_default();
        writer.set_len(end)?;
        writer.seek(SeekFrom::End(0))?;
        let pad = Arc::new(Pad { sets: Mutex::new(Sets::of(sets)), records: Mutex::default() });
        Ok(Store { writer, reader: Arc::new(File::open(&path)?), end, pad, noticed, crash })
    }

    /// Writes what threads have left.
    fn write(&mut self) -> io::Result<()> {
        for bytes in std::mem::take(&mut *lock(&self.pad.records)) {
            self.writer.write_all(&bytes)?;
            self.end += bytes.len() as u64;
        }
        Ok(())
    }
}

/// The search.
struct Graph<'a, 's, V: Visitor<'a>, E> {
    setup: V::Setup,
    first: &'s [u8],
    wanted: &'s Wanted,
    pencil: Pencil<'a, V>,
    store: Store,
    seen: Seen<E>,
    run: Option<Found<E>>,
    /// With so many states, cycles are looked for.
    look_at: u64,
}

impl<'a, V, E: Send> Work<'a> for Graph<'a, '_, V, E>
where
    V: Visitor<'a, Notes = Notes, Report = Seen<E>> + 'a,
{
    fn first(&mut self) -> Result<Vec<u8>, Stop> {
        Ok(self.first.to_vec())
    }

    fn expand(&mut self, layers: &mut Layers<'a>, layer: &Run) -> Result<(), Stop> {
        if layers.total.states >= u64::from(StateId::MAX) {
            return Err(Reason::from(Overflow::States).into());
        }
        let (setup, pad) = (self.setup, Arc::clone(&self.store.pad));
        let (counted, least, end) =
            layers.expand(layer, &mut self.pencil, &|| Pencil::<V>::new(setup, Arc::clone(&pad)));
        counted.into_iter().for_each(|seen| self.seen.add(seen));
        let (total, seen) = (&mut layers.total, &mut self.seen);
        total.transitions += std::mem::take(&mut seen.transitions);
        total.alone += std::mem::take(&mut seen.alone);
        total.digest = total.digest.wrapping_add(std::mem::take(&mut seen.digest));
        self.store.noticed |= seen.noticed;
        let crash = seen.crashed.take().map(|crash| crash.fault.to_string());
        self.store.crash = self.store.crash.take().or(crash);
        end?;
        self.store.write()?;
        if let Some((_, end)) = self.seen.end.take() {
            self.run = Some(Found::Ends(layers.chain(least)?, end));
            return Err(Reason::StoppedEarly.into());
        }
        Ok(())
    }

    fn complete(&mut self, layers: &mut Layers<'a>) -> Result<(), Stop> {
        if layers.total.states < self.look_at || layers.layer.is_none() {
            return Ok(());
        }
        self.look_at = GROWTH * layers.total.states;
        self.run = self.cycle(layers)?;
        if self.run.is_some() { Err(Reason::StoppedEarly.into()) } else { Ok(()) }
    }

    fn note(&mut self, manifest: &mut Manifest) -> io::Result<()> {
        let Store { end, noticed, ref crash, ref pad, .. } = self.store;
        let (sets, crash) = (lock(&pad.sets).sets.clone(), crash.clone());
        manifest.drawing = Some(Drawing { edges: end, sets, noticed, crash });
        Ok(())
    }
}

impl<'a, V, E: Send> Graph<'a, '_, V, E>
where
    V: Visitor<'a, Notes = Notes, Report = Seen<E>> + 'a,
{
    /// Looks for cycles at the end, unless the search was interrupted.
    fn last_look(&mut self, layers: &Layers<'a>, end: Result<(), Stop>) -> Result<(), Stop> {
        if self.run.is_none() && matches!(end, Ok(()) | Err(Stop::Reason(Reason::States | Reason::Depth))) {
            self.run = self.cycle(layers)?;
        }
        end
    }

    /// A cycle of the graph so far that has what is wanted.
    fn cycle(&mut self, layers: &Layers<'a>) -> Result<Option<Found<E>>, Stop> {
        self.store.write()?;
        let (folder, file, sets) = (&*layers.folder.path, &*layers.reader, lock(&self.store.pad.sets));
        let layout = Layout { folder, file, length: layers.length, states: layers.total.states };
        let edges = Edges { file: Arc::clone(&self.store.reader), end: self.store.end, states: 0, edges: 0 };
        let look = || Ok(layers.look()?);
        let path = Cycles::new(&edges, &sets, self.wanted, &layout, layers.room, &look)?.find()?;
        path.map(|path| Ok(repeated(layers, &path)?)).transpose()
    }

    fn finish(mut self, mut layers: Layers<'a>, stopped: Option<Reason>) -> Drawn<E> {
        let mut stopped = layers.close(stopped);
        if self.run.is_some() {
            stopped = None;
        } else if stopped.is_none() {
            stopped = self.store.crash.take().map(Reason::Crash);
        }
        let (noticed, violations) = (self.store.noticed, u64::from(self.run.is_some()));
        let seen = Seen { digest: layers.total.digest, alone: layers.total.alone, noticed, ..self.seen };
        Drawn { seen, run: self.run, stopped, stats: SearchStats { violations, ..layers.stats() } }
    }
}

/// The states of a path, and those before it.
fn repeated<E>(layers: &Layers<'_>, path: &Path) -> io::Result<Found<E>> {
    let mut wanted: Vec<StateId> = path.iter().map(|(state, _)| *state).collect();
    wanted.sort_unstable();
    let mut states: HashMap<StateId, (Reference, Vec<u8>)> = HashMap::new();
    let (mut stream, mut number) = (Stream::new(&layers.reader, 0, layers.length), 0);
    while let Some((at, block)) = stream.next()? {
        for (place, (state, _)) in block.states(true).enumerate() {
            if wanted.binary_search(&number).is_ok() {
                states.insert(number, (reference(at, place as u32), state.to_vec()));
            }
            number += 1;
        }
    }
    let lost = || io::Error::other("there is no such state");
    let round = path.iter().map(|(state, marks)| Some((states.get(state)?.1.clone(), *marks)));
    let round = round.collect::<Option<Vec<(Vec<u8>, Marks)>>>().ok_or_else(lost)?;
    let start = path.first().and_then(|(state, _)| states.get(state)).map_or(NO_REFERENCE, |(at, _)| *at);
    Ok(Found::Repeats(layers.chain(start)?, round))
}

/// A thread that draws.
struct Pencil<'a, V> {
    visitor: V,
    of: PhantomData<&'a ()>,
    pad: Arc<Pad>,
    /// The sets of marks that it knows.
    sets: Sets,
    records: Records,
    /// What is noted of one state: `to` counts its successors.
    notes: Notes,
    hashes: Vec<u64>,
}

impl<'a, V: Visitor<'a, Notes = Notes>> Pencil<'a, V> {
    fn new(setup: V::Setup, pad: Arc<Pad>) -> Self {
        let sets = lock(&pad.sets).clone();
        Pencil {
            visitor: V::new(setup),
            of: PhantomData,
            pad,
            sets,
            records: Records::default(),
            notes: Notes::default(),
            hashes: Vec::new(),
        }
    }

    /// The number of a set of marks, which is the same for all threads.
    fn set(&mut self, marks: Marks) -> u32 {
        if let Some(number) = self.sets.find(marks) {
            return number;
        }
        let mut sets = lock(&self.pad.sets);
        let number = sets.number(marks);
        self.sets = sets.clone();
        number
    }

    fn record(&mut self, state: StateId) {
        let (own, notes) = (self.notes.states.get(0), std::mem::take(&mut self.notes));
        let own = self.set(own);
        let edges: Vec<(u32, Target)> = notes
            .to
            .iter()
            .enumerate()
            .map(|(edge, &to)| (self.set(notes.edges.get(edge)), Target::Unknown(self.hashes[to as usize])))
            .collect();
        self.records.push(state, own, edges.into_iter());
    }

    fn hand_in(&mut self) {
        let bytes = self.records.take();
        if !bytes.is_empty() {
            lock(&self.pad.records).push(bytes);
        }
    }
}

impl<'a, V: Visitor<'a, Notes = Notes>> Worker for Pencil<'a, V> {
    type Counted = V::Report;

    fn visit(&mut self, state: &[u8], place: Place, sink: &mut impl FnMut(&[u8])) -> Result<bool, Stop> {
        let mut labels = Vec::new();
        self.hashes.clear();
        let hashes = &mut self.hashes;
        self.visitor.visit(state, place.at, &mut self.notes, &mut |next, label| {
            hashes.push(identity(next));
            labels.push(label);
            sink(next);
        })?;
        for (index, label) in labels.into_iter().enumerate() {
            V::note(&mut self.notes, 0, index as StateId, label);
        }
        self.record(place.at.state);
        if self.records.len() >= WRITE {
            self.hand_in();
        }
        Ok(self.visitor.must_end())
    }

    fn transitions(&self) -> u64 {
        self.visitor.transitions()
    }

    fn counted(&mut self) -> V::Report {
        self.hand_in();
        self.visitor.report()
    }
}
