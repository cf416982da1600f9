//! Layer after layer: expand, find out what is new, merge runs, and now and then a checkpoint.

use super::blocks::{Block, Blocks, NO_REFERENCE, Reference, read_block, split};
use super::candidates::Candidates;
use super::manifest::{LAYERS, Manifest, Part, Total, open_part};
use super::runs::{Cursor, Filter, PARTITIONS, Run, merged};
use super::stage::{BATCH, Counted, Stage, Worker};
use super::{Disk, Place, Stop};
use crate::expansion::{Expander, Problem};
use crate::search::{Found, Violations, Watch};
use model::budget::Stopwatch;
use model::semantics::{Reached, Semantics};
use model::verdict::{Property, Reason, SearchStats};
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
struct Folder {
    path: PathBuf,
    /// It is removed in the end.
    scratch: bool,
}

impl Folder {
    fn make(disk: &Disk) -> Result<Folder, Reason> {
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

    fn reason(&self, stop: Stop) -> Reason {
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

/// Searches with the states on disk.
pub(crate) fn search<'a>(semantics: &'a Semantics<'a>, watch: Watch<'a>, disk: &Disk) -> Found {
    let nothing = |reason: Reason| {
        Violations::<Reference>::default().found(Some(reason), SearchStats::default(), None, None, |_, _| Vec::new())
    };
    let folder = match Folder::make(disk) {
        Ok(folder) => folder,
        Err(reason) => return nothing(reason),
    };
    match Layers::open(semantics, watch, disk, &folder) {
        Ok(mut layers) => {
            let end = layers.run();
            let stopped = end.err().map(|stop| folder.reason(stop));
            layers.finish(stopped)
        }
        Err(stop) => nothing(folder.reason(stop)),
    }
}

/// The search.
struct Layers<'a> {
    semantics: &'a Semantics<'a>,
    watch: Watch<'a>,
    folder: &'a Folder,
    checkpoint: Option<(PathBuf, Manifest)>,
    /// The file of all layers, to be written and to be read, and its length.
    writer: File,
    reader: Arc<File>,
    length: u64,
    /// The layer that is to be expanded; none before the first one and after the last one.
    layer: Option<Arc<Run>>,
    /// All states: the oldest runs first.
    runs: Vec<Arc<Run>>,
    /// Runs that were made.
    made: u64,
    /// Files of runs that are not needed once there is another checkpoint.
    obsolete: Vec<String>,
    candidates: Candidates,
    /// Bytes that may be used.
    memory: u64,
    worker: Worker<'a>,
    /// What was counted in complete layers.
    total: Total,
    reached: Reached,
    violations: Violations<Reference>,
    /// The checkpoint at the end of the last layer, if it is not written.
    pending: Option<Manifest>,
    since: Stopwatch,
    last_took: Duration,
    synced: Vec<String>,
    most_memory_bytes: u64,
}

impl<'a> Layers<'a> {
    fn open(semantics: &'a Semantics<'a>, watch: Watch<'a>, disk: &Disk, folder: &'a Folder) -> Result<Self, Stop> {
        let path = folder.path.join(LAYERS);
        let writer = File::options().create(true).write(true).truncate(!disk.resume).open(&path)?;
        let reader = Arc::new(File::open(&path)?);
        let memory = watch.cx.budget.memory_left(DEFAULT_MEMORY);
        let room = disk.room.unwrap_or(memory / 4);
        let checkpoint = disk.checkpoint.as_ref().map(|(at, identity)| {
            let data = (folder.path != *at).then(|| folder.path.to_string_lossy().into_owned());
            (at.clone(), Manifest { identity: identity.clone(), data, ..Manifest::default() })
        });
        let worker = Worker::new(semantics, watch);
        let mut layers = Layers {
            semantics,
            watch,
            folder,
            checkpoint,
            writer,
            reader,
            length: 0,
            layer: None,
            runs: Vec::new(),
            made: 0,
            obsolete: Vec::new(),
            memory,
            candidates: Candidates::new(&folder.path.join("overflow"), room)?,
            reached: worker.expander.stepper.reached().clone(),
            worker,
            total: Total::default(),
            violations: Violations::default(),
            pending: None,
            since: Stopwatch::start(),
            last_took: Duration::ZERO,
            synced: Vec::new(),
            most_memory_bytes: 0,
        };
        if disk.resume {
            layers.restore()?;
        }
        Ok(layers)
    }

    /// Goes on from the checkpoint.
    fn restore(&mut self) -> Result<(), Stop> {
        let damaged = || io::Error::other("the checkpoint is damaged");
        let (at, empty) = self.checkpoint.as_ref().ok_or_else(damaged)?;
        let manifest = Manifest::read(at).map_err(io::Error::other)?;
        manifest.belongs(&empty.identity, at).map_err(io::Error::other)?;
        let restored = self.semantics.restore_shapes(&manifest.shapes);
        let reached = Reached::restore(self.semantics, manifest.reached.clone());
        self.reached = reached.filter(|_| restored).ok_or_else(damaged)?;
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
            self.layer = Some(Arc::new(open_part(layer, Arc::clone(&self.reader), self.has_room())?));
        }
        self.synced = manifest.runs.iter().filter_map(|run| run.name.clone()).collect();
        self.total = manifest.total;
        for (property, count, at) in manifest.violations {
            let mut problems = self.problems_at(at)?.0.into_iter();
            let problem = problems.find(|problem| problem.property == property && !self.violations.has(problem));
            self.violations.put(problem.ok_or_else(damaged)?, count, at);
        }
        Ok(())
    }

    /// What is wrong in a state that was expanded before, and the fault after which it cannot go on.
    fn problems_at(&mut self, at: Reference) -> Result<(Vec<Problem>, Option<model::fault::FaultAt>), Stop> {
        let mut expander = Worker::new(self.semantics, self.watch).expander;
        let (state, _) = self.state(at)?;
        let watch = self.watch;
        let expanded = expander.expand(&state, &mut |_: &[u8]| (), &mut || watch.must_stop(0, 0));
        expanded.map_err(|unfinished| unfinished.reason())?;
        Ok((std::mem::take(&mut expander.problems), expander.crashed.take()))
    }

    /// A state and its parent.
    fn state(&self, at: Reference) -> io::Result<(Vec<u8>, Reference)> {
        let ((block, place), mut bytes) = (split(at), Vec::new());
        read_block(&self.reader, block, &mut bytes)?;
        let found = Block::open(&bytes)?.states(true).nth(place as usize);
        found.map(|(state, parent)| (state.to_vec(), parent)).ok_or_else(|| io::Error::other("there is no such state"))
    }

    /// The states from the first one to another.
    fn chain(&self, mut at: Reference) -> io::Result<Vec<Vec<u8>>> {
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

    fn run(&mut self) -> Result<(), Stop> {
        if self.total.states == 0 {
            self.first_state()?;
            self.settle()?;
            self.checkpoint()?;
        }
        while let Some(layer) = self.layer.clone() {
            if self.watch.cx.budget.most_depth().is_some_and(|limit| self.total.depth >= limit) {
                return Err(Reason::Depth.into());
            }
            if self.watch.cx.budget.most_states().is_some_and(|limit| self.total.states >= limit) {
                return Err(Reason::States.into());
            }
            self.look()?;
            self.expand(&layer)?;
            drop(layer);
            self.settle()?;
            self.total.depth += u64::from(self.layer.is_some());
            self.merge_runs()?;
            self.checkpoint()?;
        }
        Ok(())
    }

    /// Adds the first state; or says why there is none.
    fn first_state(&mut self) -> Result<(), Stop> {
        match self.worker.expander.stepper.initial() {
            Err(overflow) => Err(Reason::from(overflow).into()),
            Ok(Err(fault)) => {
                let reason = format!("there is no first state: {}", fault.fault);
                let (last_steps, fault) = (Vec::new(), Some(fault));
                let problem = Problem { property: Property::Safety, last_steps, fault, same: 0 };
                self.violations.add(self.watch.options, problem, NO_REFERENCE);
                Err(Reason::NotSupported(reason).into())
            }
            Ok(Ok(state)) => Ok(self.candidates.push(&state, NO_REFERENCE)?),
        }
    }

    /// How many threads a layer is for.
    fn jobs(&self, layer: &Run) -> usize {
        // Who lets others help early wants to see them at work.
        if layer.index.len() < NARROW.min(self.watch.options.alone) { 1 } else { self.watch.options.jobs }
    }

    fn look(&self) -> Result<(), Reason> {
        self.watch.must_stop(self.memory_bytes(), 0).map_or(Ok(()), Err)
    }

    /// Expands a layer; its successors are candidates.
    fn expand(&mut self, layer: &Run) -> Result<(), Stop> {
        let stage = Stage {
            layer,
            candidates: &self.candidates,
            total: &self.total,
            memory: self.memory_bytes(),
            batch: BATCH.min(self.watch.options.alone.max(1)),
            next: AtomicUsize::new(0),
            least: AtomicU64::new(NO_REFERENCE),
            stopped: AtomicBool::new(false),
        };
        let jobs = self.jobs(layer);
        let (stage, semantics, watch, first) = (&stage, self.semantics, self.watch, &mut self.worker);
        let counts: Vec<_> = thread::scope(|scope| {
            let work = move || stage.work(&mut Worker::new(semantics, watch));
            // Where the system gives no more threads, fewer do the work.
            let spawn = |_| thread::Builder::new().spawn_scoped(scope, work).ok();
            let handles: Vec<_> = (1..jobs).map_while(spawn).collect();
            let own = stage.work(first);
            let others = handles.into_iter().map(|handle| handle.join().unwrap_or_else(|_| (None, Err(unwound()))));
            std::iter::once(own).chain(others).collect()
        });
        let least = stage.least.load(Ordering::Relaxed);
        let (counted, ends): (Vec<_>, Vec<_>) = counts.into_iter().unzip();
        self.count(counted.into_iter().flatten().collect());
        ends.into_iter().collect::<Result<(), _>>()?;
        if least != NO_REFERENCE {
            for problem in self.problems_at(least)?.0 {
                self.violations.add(self.watch.options, problem, least);
            }
            return Err(Reason::StoppedEarly.into());
        }
        Ok(())
    }

    /// Takes what the threads have counted.
    fn count(&mut self, counted: Vec<Counted>) {
        let total = &mut self.total;
        for part in &counted {
            total.transitions += part.transitions;
            total.alone += part.alone;
            total.digest = total.digest.wrapping_add(part.digest);
            self.reached.join(&part.reached);
        }
        total.crash = total.crash.or(counted.iter().filter_map(|part| part.crash).min());
        self.violations.extend(counted.into_iter().map(|part| part.violations), |at| at);
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
        self.total.states += layer.states;
        self.total.state_bytes += layer.state_bytes;
        self.layer = (layer.states > 0).then(|| Arc::new(layer.run(&self.reader, start, self.length)));
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
    fn checkpoint(&mut self) -> Result<(), Stop> {
        let (Some((_, empty)), Some(layer)) = (&self.checkpoint, &self.layer) else { return Ok(()) };
        let part = |run: &Run| Part { name: run.name.clone(), start: run.start, end: run.end, states: run.states };
        self.pending = Some(Manifest {
            total: self.total.clone(),
            layer: Some(part(layer)),
            runs: self.runs.iter().map(|run| part(run)).collect(),
            shapes: self.semantics.shapes(),
            reached: self.reached.places().to_vec(),
            violations: self.violations.tallies().map(|(property, count, &at)| (property.clone(), count, at)).collect(),
            ..empty.clone()
        });
        let due = self.since.elapsed() >= self.last_took * CHECKPOINT_SHARE;
        if due { Ok(self.write_checkpoint()?) } else { Ok(()) }
    }

    fn write_checkpoint(&mut self) -> io::Result<()> {
        let (Some((folder, _)), Some(manifest)) = (&self.checkpoint, self.pending.take()) else { return Ok(()) };
        let start = Stopwatch::start();
        self.writer.sync_data()?;
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

    fn finish(mut self, stopped: Option<Reason>) -> Found {
        // The last complete layer is kept where it can be; an older checkpoint is whole, too.
        let unwritten = self.write_checkpoint().err().filter(|_| stopped.is_none());
        let mut stopped = stopped.or(unwritten.map(|error| self.folder.reason(Stop::Disk(error))));
        let crashed = match self.total.crash.map(|at| self.problems_at(at)) {
            Some(Ok((_, crashed))) => crashed,
            Some(Err(stop)) => {
                stopped = stopped.or(Some(self.folder.reason(stop)));
                None
            }
            None => None,
        };
        let stats = SearchStats {
            states: self.total.states,
            transitions: self.total.transitions,
            depth: self.total.depth,
            state_bytes: self.total.state_bytes,
            memory_bytes: self.most_memory_bytes.max(self.memory_bytes()),
            violations: 0,
        };
        let digest = stopped.is_none().then_some(self.total.digest);
        let reached = stopped.is_none().then(|| self.reached.clone());
        let violations = std::mem::take(&mut self.violations);
        let (mut expander, mut lost) = (Expander::of(self.semantics, self.watch.options), None);
        let alone = self.total.alone;
        let mut found = violations.found(stopped, stats, digest, crashed, |&at, last| match self.chain(at) {
            Ok(chain) => expander.run_along(&chain, last),
            Err(error) => {
                lost = Some(self.folder.reason(Stop::Disk(error)));
                Vec::new()
            }
        });
        if lost.is_some() {
            (found.stopped, found.digest) = (lost, None);
            found.violations.clear();
            found.runs.clear();
        }
        Found { alone, reached, ..found }
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
    filters: Vec<Filter>,
    states: u64,
    state_bytes: u64,
}

impl Layer {
    fn run(mut self, file: &Arc<File>, start: u64, end: u64) -> Run {
        self.filters.resize_with(PARTITIONS, Filter::default);
        let (index, filters, states) = (self.index, self.filters, self.states);
        Run { file: Arc::clone(file), name: None, parents: true, index, start, end, states, filters }
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
