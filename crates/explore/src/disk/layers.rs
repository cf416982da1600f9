//! Layer after layer: expand, find out what is new, merge runs, and now and then a checkpoint.

use super::blocks::{Block, Blocks, NO_REFERENCE, Reference, read_block, split};
use super::candidates::Candidates;
use super::manifest::{LAYERS, Manifest, Part, Total, open_part};
use super::runs::{Cursor, Filter, PARTITIONS, Run, merged};
use super::stage::{BATCH, Stage, Worker};
use super::{Disk, Place, Stop};
use crate::search::Watch;
use model::budget::Stopwatch;
use model::semantics::Semantics;
use model::verdict::{Reason, SearchStats};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// A layer of fewer blocks, or with fewer candidates, is for one thread.
const NARROW: usize = 4 * BATCH;
/// Without a limit on memory, candidates take as much as with this one.
const DEFAULT_MEMORY: u64 = 4 << 30;
/// So many of the newest runs are left as they are at least.
const YOUNG: usize = 4;
/// The bytes that are read at once where blocks of a run are looked at one after the other: by the memory there is.
const AHEAD: std::ops::Range<u64> = 8 << 10..256 << 10;
/// Writing checkpoints takes at most so small a part of the time.
const CHECKPOINT_SHARE: u32 = 20;

/// Numbers the folders of this process.
static FOLDERS: AtomicU32 = AtomicU32::new(0);

/// The folder of the files.
pub(super) struct Folder {
    pub(super) path: PathBuf,
    /// It is removed in the end.
    scratch: bool,
}

impl Folder {
    pub(super) fn make(disk: &Disk) -> Result<Folder, Reason> {
        let scratch = disk.checkpoint.is_none();
        let path = match &disk.place {
            Place::At(path) => path.clone(),
            Place::Below(parent) => {
                let number = FOLDERS.fetch_add(1, Ordering::Relaxed);
                parent.join(format!("highwater-{}-{number}", std::process::id()))
            }
        };
        let folders = std::iter::once(&path).chain(disk.checkpoint.iter().map(|(folder, _)| folder));
        for folder in folders {
            let failed = |error| Reason::Disk(format!("{}: {error}", folder.display()));
            fs::create_dir_all(folder).map_err(failed)?;
        }
        Ok(Folder { path, scratch })
    }

    pub(super) fn reason(&self, stop: Stop) -> Reason {
        match stop {
            Stop::Disk(error) => Reason::Disk(format!("{}: {error}", self.path.display())),
            Stop::Reason(reason) => reason,
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if self.scratch {
            // What cannot be removed stays; there is no one to report to.
            let _ = fs::remove_dir_all(&self.path);
        }
    }
}

/// What is done with states, layer after layer.
pub(super) trait Work<'a> {
    /// The first state.
    fn first(&mut self) -> Result<Vec<u8>, Stop>;
    /// Expands a layer; its successors are candidates.
    fn expand(&mut self, layers: &mut Layers<'a>, layer: &Run) -> Result<(), Stop>;
    /// The layers up to the one that is to be expanded are complete.
    fn complete(&mut self, layers: &mut Layers<'a>) -> Result<(), Stop>;
    /// What a checkpoint has beside the layers.
    fn note(&mut self, manifest: &mut Manifest) -> io::Result<()>;
}

/// The states on disk.
pub(super) struct Layers<'a> {
    pub(super) semantics: &'a Semantics<'a>,
    pub(super) watch: Watch<'a>,
    pub(super) folder: Arc<Folder>,
    checkpoint: Option<(PathBuf, Manifest)>,
    /// The file of all layers, to be written and to be read, and its length.
    writer: File,
    pub(super) reader: Arc<File>,
    pub(super) length: u64,
    /// The layer that is to be expanded; none before the first one and after the last one.
    pub(super) layer: Option<Arc<Run>>,
    /// All states: the oldest runs first.
    runs: Vec<Arc<Run>>,
    /// Runs that were made.
    made: u64,
    /// Files of runs that are not needed once there is another checkpoint.
    obsolete: Vec<String>,
    candidates: Candidates,
    /// Bytes that may be used, and those of them that are for candidates.
    memory: u64,
    pub(super) room: u64,
    /// What was counted in complete layers.
    pub(super) total: Total,
    /// The checkpoint at the end of the last layer, if it is not written.
    pending: Option<Manifest>,
    since: Stopwatch,
    last_took: Duration,
    synced: Vec<String>,
    /// A file beside the layers that a checkpoint needs as well.
    pub(super) beside: Option<File>,
    most_memory_bytes: u64,
}

impl<'a> Layers<'a> {
    /// Opens the files; with what the checkpoint says, if the search goes on from one.
    pub(super) fn open(
        semantics: &'a Semantics<'a>,
        watch: Watch<'a>,
        disk: &Disk,
        folder: &Arc<Folder>,
    ) -> Result<(Self, Option<Manifest>), Stop> {
        let path = folder.path.join(LAYERS);
        let writer = File::options().create(true).write(true).truncate(!disk.resume).open(&path)?;
        let reader = Arc::new(File::open(&path)?);
        let memory = watch.cx.budget.memory_left(DEFAULT_MEMORY);
        let room = disk.room.unwrap_or(memory / 4);
        let checkpoint = disk.checkpoint.as_ref().map(|(at, identity)| {
            let data = (folder.path != *at).then(|| folder.path.to_string_lossy().into_owned());
            (at.clone(), Manifest { identity: identity.clone(), data, ..Manifest::default() })
        });
        let mut layers = Layers {
            semantics,
            watch,
            folder: Arc::clone(folder),
            checkpoint,
            writer,
            reader,
            length: 0,
            layer: None,
            runs: Vec::new(),
            made: 0,
            obsolete: Vec::new(),
            memory,
            room,
            candidates: Candidates::new(&folder.path.join("overflow"), room)?,
            total: Total::default(),
            pending: None,
            since: Stopwatch::start(),
            last_took: Duration::ZERO,
            synced: Vec::new(),
            beside: None,
            most_memory_bytes: 0,
        };
        let earlier = if disk.resume { Some(layers.restore()?) } else { None };
        Ok((layers, earlier))
    }

    /// Goes on from the checkpoint.
    fn restore(&mut self) -> Result<Manifest, Stop> {
        let damaged = || io::Error::other("the checkpoint is damaged");
        let (at, empty) = self.checkpoint.as_ref().ok_or_else(damaged)?;
        let manifest = Manifest::read(at).map_err(io::Error::other)?;
        manifest.belongs(&empty.identity, at).map_err(io::Error::other)?;
        self.semantics.restore_shapes(&manifest.shapes).then_some(()).ok_or_else(damaged)?;
        self.length = manifest.length();
        self.writer.set_len(self.length)?;
        io::Seek::seek(&mut self.writer, io::SeekFrom::End(0))?;
        for part in &manifest.runs {
            let file = match &part.name {
                Some(name) => Arc::new(File::open(self.folder.path.join(name))?),
                None => Arc::clone(&self.reader),
            };
            let run = open_part(part, file, self.has_room())?;
            self.runs.push(Arc::new(run));
            let number = part.name.as_ref().and_then(|name| name.strip_prefix("run-")?.parse::<u64>().ok());
            self.made = self.made.max(number.map_or(0, |number| number + 1));
        }
        if let Some(layer) = &manifest.layer {
            let run = open_part(layer, Arc::clone(&self.reader), self.has_room())?;
            let before = manifest.total.states.checked_sub(run.states).ok_or_else(damaged)?;
            self.layer = Some(Arc::new(run.numbered(before)));
        }
        self.synced = manifest.runs.iter().filter_map(|run| run.name.clone()).collect();
        self.total = manifest.total.clone();
        Ok(manifest)
    }

    /// A state and its parent.
    pub(super) fn state(&self, at: Reference) -> io::Result<(Vec<u8>, Reference)> {
        let ((block, place), mut bytes) = (split(at), Vec::new());
        read_block(&self.reader, block, &mut bytes)?;
        let found = Block::open(&bytes)?.states(true).nth(place as usize);
        found.map(|(state, parent)| (state.to_vec(), parent)).ok_or_else(|| io::Error::other("there is no such state"))
    }

    /// The states from the first one to another.
    pub(super) fn chain(&self, mut at: Reference) -> io::Result<Vec<Vec<u8>>> {
        let mut chain = Vec::new();
        while at != NO_REFERENCE {
            let (state, parent) = self.state(at)?;
            if parent != NO_REFERENCE && parent >= at {
                return Err(io::Error::other("the file is damaged: a state comes before its parent"));
            }
            chain.push(state);
            at = parent;
        }
        chain.reverse();
        Ok(chain)
    }

    // --- the search -------------------------------------------------------------------------------

    pub(super) fn run(&mut self, work: &mut impl Work<'a>) -> Result<(), Stop> {
        if self.total.states == 0 {
            let first = work.first()?;
            self.candidates.push(&first, NO_REFERENCE)?;
            self.settle()?;
            self.checkpoint(work)?;
        }
        while let Some(layer) = self.layer.clone() {
            if self.watch.cx.budget.most_depth().is_some_and(|limit| self.total.depth >= limit) {
                return Err(Reason::Depth.into());
            }
            if self.watch.cx.budget.most_states().is_some_and(|limit| self.total.states >= limit) {
                return Err(Reason::States.into());
            }
            self.look()?;
            work.expand(self, &layer)?;
            drop(layer);
            self.settle()?;
            self.total.depth += u64::from(self.layer.is_some());
            self.merge_runs()?;
            self.checkpoint(work)?;
            work.complete(self)?;
        }
        Ok(())
    }

    /// How many threads a layer is for.
    fn jobs(&self, layer: &Run) -> usize {
        // Who lets others help early wants to see them at work.
        if layer.index.len() < NARROW.min(self.watch.options.alone) { 1 } else { self.watch.options.jobs }
    }

    pub(super) fn look(&self) -> Result<(), Reason> {
        self.watch.must_stop(self.memory_bytes(), 0).map_or(Ok(()), Err)
    }

    /// Threads look at the states of a layer, `first` among them; successors are candidates. What they have counted, and the first
    /// state that ends the search, if there is one.
    pub(super) fn expand<W: Worker>(
        &self,
        layer: &Run,
        first: &mut W,
        make: &(impl Fn() -> W + Sync),
    ) -> (Vec<W::Counted>, Reference, Result<(), Stop>) {
        let stage = &Stage {
            layer,
            candidates: &self.candidates,
            total: &self.total,
            watch: self.watch,
            memory: self.memory_bytes(),
            batch: BATCH.min(self.watch.options.alone.max(1)),
            next: AtomicUsize::new(0),
            least: AtomicU64::new(NO_REFERENCE),
            stopped: AtomicBool::new(false),
        };
        let jobs = self.jobs(layer);
        let counts: Vec<_> = thread::scope(|scope| {
            let work = move || stage.work(&mut make());
            // Where the system gives no more threads, fewer do the work.
            let spawn = |_| thread::Builder::new().spawn_scoped(scope, work).ok();
            let handles: Vec<_> = (1..jobs).map_while(spawn).collect();
            let own = stage.work(first);
            let others = handles.into_iter().map(|handle| handle.join().unwrap_or_else(|_| (None, Err(unwound()))));
            std::iter::once(own).chain(others).collect()
        });
        let (counted, ends): (Vec<_>, Vec<_>) = counts.into_iter().unzip();
        let end = ends.into_iter().collect::<Result<(), _>>();
        (counted.into_iter().flatten().collect(), stage.least.load(Ordering::Relaxed), end)
    }

    /// Finds out which candidates are new, and makes a layer of them.
    fn settle(&mut self) -> Result<(), Stop> {
        let (start, room) = (self.length, self.has_room());
        self.most_memory_bytes = self.most_memory_bytes.max(self.memory_bytes());
        let waiting: Vec<usize> = (0..PARTITIONS).filter(|&partition| self.candidates.has(partition)).collect();
        let jobs = self.layer.as_ref().map_or(1, |layer| self.jobs(layer));
        let ahead = (self.memory / 128).clamp(AHEAD.start, AHEAD.end) as usize;
        let (next, runs, candidates, watch) = (AtomicUsize::new(0), &self.runs, &self.candidates, self.watch);
        let (writer, ready, layer) = (&mut self.writer, BTreeMap::new(), Layer::default());
        let new = Mutex::new(New { next: 0, ready, layer, writer, length: start });
        let work = || -> Result<(), Stop> {
            let mut cursors: Vec<Cursor<'_>> = runs.iter().rev().map(|run| Cursor::new(run, ahead)).collect();
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some(&partition) = waiting.get(index) else { return Ok(()) };
                let share = fresh(candidates, partition, &mut cursors, room)?;
                lock(&new).append(index, partition, share)?;
                watch.must_stop(0, 0).map_or(Ok(()), Err)?;
            }
        };
        let ends: Vec<_> = thread::scope(|scope| {
            let handles: Vec<_> =
                (1..jobs).map_while(|_| thread::Builder::new().spawn_scoped(scope, work).ok()).collect();
            let own = work();
            let others = handles.into_iter().map(|handle| handle.join().unwrap_or_else(|_| Err(unwound())));
            std::iter::once(own).chain(others).collect()
        });
        for end in ends {
            end?;
        }
        let New { layer, length, .. } = new.into_inner().unwrap_or_else(PoisonError::into_inner);
        self.length = length;
        self.candidates.rewind()?;
        let before = self.total.states;
        self.total.states += layer.states;
        self.total.state_bytes += layer.state_bytes;
        self.layer = (layer.states > 0).then(|| Arc::new(layer.run(&self.reader, start, self.length).numbered(before)));
        self.runs.extend(self.layer.clone());
        Ok(())
    }

    /// Merges the newest runs while they have together as many states as the one before them.
    fn merge_runs(&mut self) -> Result<(), Stop> {
        let (mut first, mut sum) = (self.runs.len(), 0);
        while first > 0 && (self.runs[first - 1].states <= sum || self.runs.len() - first < 1) {
            first -= 1;
            sum += self.runs[first].states;
        }
        if self.runs.len() - first < YOUNG {
            return Ok(());
        }
        let (name, room, watch) = (format!("run-{}", self.made), self.has_room(), self.watch);
        let path = self.folder.path.join(&name);
        // Nothing is looked up until they are merged: there is no room for two filters of a state.
        self.runs[first..].iter_mut().for_each(|run| *run = Arc::new(run.bare()));
        let look = || watch.must_stop(0, 0).map_or(Ok(()), |reason| Err(Stop::from(reason)));
        let run = merged(&self.runs[first..], path, name, room, look)?;
        self.made += 1;
        let old: Vec<String> = self.runs.drain(first..).filter_map(|run| run.name.clone()).collect();
        self.runs.push(Arc::new(run));
        self.obsolete.extend(old);
        if self.checkpoint.is_none() {
            self.remove_obsolete();
        }
        Ok(())
    }

    fn remove_obsolete(&mut self) {
        for name in self.obsolete.drain(..) {
            // A file that stays takes room, and nothing else.
            let _ = fs::remove_file(self.folder.path.join(name));
        }
    }

    // --- limits, checkpoints, the end ---------------------------------------------------------------

    fn memory_bytes(&self) -> u64 {
        self.candidates.memory_bytes() + self.runs.iter().map(|run| run.memory_bytes()).sum::<u64>()
    }

    /// Whether there is room for filters.
    fn has_room(&self) -> bool {
        self.runs.iter().map(|run| run.memory_bytes()).sum::<u64>() < self.memory / 5 * 2
    }

    /// A layer is complete: a checkpoint, unless there was one a moment ago.
    fn checkpoint(&mut self, work: &mut impl Work<'a>) -> Result<(), Stop> {
        let (Some((_, empty)), Some(layer)) = (&self.checkpoint, &self.layer) else { return Ok(()) };
        let part = |run: &Run| Part { name: run.name.clone(), start: run.start, end: run.end, states: run.states };
        let mut manifest = Manifest {
            total: self.total.clone(),
            layer: Some(part(layer)),
            runs: self.runs.iter().map(|run| part(run)).collect(),
            shapes: self.semantics.shapes(),
            ..empty.clone()
        };
        work.note(&mut manifest)?;
        self.pending = Some(manifest);
        let due = self.since.elapsed() >= self.last_took * CHECKPOINT_SHARE;
        if due { Ok(self.write_checkpoint()?) } else { Ok(()) }
    }

    fn write_checkpoint(&mut self) -> io::Result<()> {
        let (Some((folder, _)), Some(manifest)) = (&self.checkpoint, self.pending.take()) else { return Ok(()) };
        let start = Stopwatch::start();
        self.writer.sync_data()?;
        self.beside.as_ref().map_or(Ok(()), |file| file.sync_data())?;
        for run in &self.runs {
            if let Some(name) = run.name.as_ref().filter(|name| !self.synced.contains(name)) {
                run.file.sync_all()?;
                self.synced.push(name.clone());
            }
        }
        manifest.write(folder)?;
        self.remove_obsolete();
        (self.last_took, self.since) = (start.elapsed(), Stopwatch::start());
        Ok(())
    }

    /// The search ends: the last complete layer is kept where it can be; an older checkpoint is whole, too.
    pub(super) fn close(&mut self, stopped: Option<Reason>) -> Option<Reason> {
        let unwritten = self.write_checkpoint().err().filter(|_| stopped.is_none());
        stopped.or(unwritten.map(|error| self.folder.reason(Stop::Disk(error))))
    }

    pub(super) fn stats(&self) -> SearchStats {
        SearchStats {
            states: self.total.states,
            transitions: self.total.transitions,
            depth: self.total.depth,
            state_bytes: self.total.state_bytes,
            memory_bytes: self.most_memory_bytes.max(self.memory_bytes()),
            violations: 0,
        }
    }
}

/// A thread is lost, and what it has not done is not known.
fn unwound() -> Stop {
    Stop::Reason(Reason::Internal(String::from("a thread of the search on disk has unwound")))
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The candidates of a partition that are in no run.
fn fresh(candidates: &Candidates, partition: usize, cursors: &mut [Cursor<'_>], room: bool) -> Result<Share, Stop> {
    let (mut blocks, mut hashes) = (Blocks::new(true), Vec::new());
    candidates.drain(partition, |hash, state, parent| {
        for cursor in cursors.iter_mut() {
            if cursor.contains(hash, state)? {
                return Ok(());
            }
        }
        blocks.push(hash, state, parent);
        hashes.push(hash);
        Ok::<(), Stop>(())
    })?;
    blocks.close();
    Ok(Share { blocks, filter: Filter::new(&hashes, room) })
}

/// The new states of a partition.
struct Share {
    blocks: Blocks,
    filter: Filter,
}

/// A layer on its way to the disk, partition by partition.
#[derive(Default)]
struct Layer {
    index: Vec<(u64, u64)>,
    numbers: Vec<u64>,
    filters: Vec<Filter>,
    states: u64,
    state_bytes: u64,
}

impl Layer {
    fn run(mut self, file: &Arc<File>, start: u64, end: u64) -> Run {
        self.filters.resize_with(PARTITIONS, Filter::default);
        let Layer { index, numbers, filters, states, .. } = self;
        Run { file: Arc::clone(file), name: None, parents: true, index, numbers, start, end, states, filters }
    }
}

/// Partitions that are done, and the one whose turn it is.
struct New<'w> {
    next: usize,
    ready: BTreeMap<usize, (usize, Share)>,
    layer: Layer,
    writer: &'w mut File,
    length: u64,
}

impl New<'_> {
    /// A partition is done; writes those whose turn it is.
    fn append(&mut self, index: usize, partition: usize, share: Share) -> io::Result<()> {
        self.ready.insert(index, (partition, share));
        while let Some((partition, Share { blocks, filter })) = self.ready.remove(&self.next) {
            self.writer.write_all(&blocks.bytes)?;
            let layer = &mut self.layer;
            layer.index.extend(blocks.index.iter().map(|&(hash, at)| (hash, at + self.length)));
            layer.numbers.extend(blocks.numbers.iter().map(|number| number + layer.states));
            layer.filters.resize_with(partition, Filter::default);
            layer.filters.push(filter);
            layer.states += blocks.states;
            layer.state_bytes += blocks.state_bytes;
            self.length += blocks.bytes.len() as u64;
            self.next += 1;
        }
        Ok(())
    }
}
