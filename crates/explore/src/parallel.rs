//! The breadth-first search in several threads.
//!
//! Every state belongs to one thread, by a hash of its bytes. A thread has a table for its own states and
//! expands them; a successor goes to its owner by mail (`share.rs`), and the owner looks it up. So no table is
//! shared, and nothing is locked on the way but mailboxes, once per round.
//!
//! A layer of the search is worked off in rounds: insert what came by mail in the last round, in the order
//! of the senders; expand some thousand states; put the successors into the mail; meet. When nobody has a
//! state left, the layer is complete. Nothing depends on which thread is faster: the same number of threads
//! finds the same states in the same order, and the same runs. Runs are shortest, because layers are kept.
//!
//! A narrow layer is not worth a meeting: the first thread works it off alone, in the same order,
//! while the others wait for a wide one.
//!
//! Long states are kept as they are while there is room, and are packed between two layers when there is not.
//!
//! All threads take the same turns, because each decides by what all have published before they met.

use crate::compress::Pieces;
use crate::expansion::Expander;
use crate::meeting::{Meeting, Member};
use crate::reduction::Mode;
use crate::search::{Found, Options, Order, Packing, Search, Violations, Watch, is_crowded};
use crate::share::{Kind, Packed, States};
use crate::store::Store;
use crate::table::{NO_PARENT, StateId};
use model::fault::{FaultAt, Overflow};
use model::semantics::{SHAPE_BYTES, Semantics};
use model::verdict::{Progress, Reason, SearchStats};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread;

/// A layer of fewer states is for one thread.
const NARROW: u64 = 500;
/// How many states a thread expands in one round.
const ROUND: u64 = 2_048;
/// More threads than this are not used.
const MOST_JOBS: usize = 64;
/// About what a state takes in a table.
const STATE_BYTES: u64 = 20;

/// Whether it pays to go on in several threads.
pub(crate) fn is_wide(options: &Options, states: usize, layer: u64) -> bool {
    let packing = options.packing != Packing::Never && options.order == Order::Breadth;
    options.jobs > 1 && packing && states >= options.alone && layer >= 2 * narrow(options)
}

/// A layer of fewer states is for one thread. Who lets others help early wants to see them at work.
fn narrow(options: &Options) -> u64 {
    NARROW.min(options.alone as u64)
}

/// Goes on where a search of one thread has become wide: at the layer that starts with state `layer`.
pub(crate) fn go_on<'a, K: Kind>(
    semantics: &'a Semantics<'a>,
    watch: Watch<'a>,
    mut search: Search<'a, impl Store + Default>,
    common: K::Common,
    layer: StateId,
) -> Found {
    let transitions = search.expander.transitions;
    thread::scope(|scope| {
        let seats = Seats::new(scope, watch.options.jobs.min(MOST_JOBS));
        let shared = Arc::new(Shared::<K>::new(watch, &mut search, common, layer, seats.others.len() + 1));
        let mut reports = seats.work(&shared, semantics);
        if !reports.iter().all(|report| report.crowded) {
            return finish(&shared, reports, &mut search.expander, transitions, search.violations);
        }
        match packed(&shared, reports.iter().map(|report| report.depth).max().unwrap_or(0)) {
            Some(packed) => {
                let packed = Arc::new(packed);
                reports.extend(seats.work(&packed, semantics));
                finish(&packed, reports, &mut search.expander, transitions, search.violations)
            }
            None => {
                reports[0].stopped = Some(Reason::Overflow(Overflow::States));
                finish(&shared, reports, &mut search.expander, transitions, search.violations)
            }
        }
    })
}

/// Something for one thread to do.
type Task<'a> = Box<dyn FnOnce(usize) -> Report + Send + 'a>;

/// The threads: this one, and others that wait for work.
struct Seats<'a> {
    others: Vec<(mpsc::Sender<Task<'a>>, mpsc::Receiver<Report>)>,
}

impl<'a> Seats<'a> {
    fn new<'s>(scope: &'s thread::Scope<'s, '_>, jobs: usize) -> Self
    where
        'a: 's,
    {
        let mut others = Vec::new();
        for index in 1..jobs {
            let (invite, invitations) = mpsc::channel::<Task<'a>>();
            let (answer, answers) = mpsc::channel();
            let run = move || {
                for task in invitations {
                    // Nobody waits for an answer if somebody else has come to grief.
                    let _ = answer.send(task(index));
                }
            };
            // Where the system gives no more threads, fewer do the work.
            if thread::Builder::new().spawn_scoped(scope, run).is_err() {
                break;
            }
            others.push((invite, answers));
        }
        Seats { others }
    }

    /// All threads work until all come to an end; what they have seen.
    fn work<K: Kind>(&self, shared: &Arc<Shared<'a, K>>, semantics: &'a Semantics<'a>) -> Vec<Report> {
        for (invite, _) in &self.others {
            let shared = Arc::clone(shared);
            // A thread that is not there any more is noticed by its answer.
            let _ = invite.send(Box::new(move |index| Worker::new(&shared, index, semantics).run()));
        }
        let mut reports = vec![Worker::new(shared, 0, semantics).run()];
        // A thread without an answer has unwound, and the scope will say so; the meeting was off.
        reports.extend(self.others.iter().filter_map(|(_, answers)| answers.recv().ok()));
        reports
    }
}

/// The same states packed, each with its owner and its number; `None` if there is no room.
fn packed<'a, K: Kind>(shared: &Shared<'a, K>, depth: u64) -> Option<Shared<'a, Packed>> {
    let pieces = Arc::new(Pieces::default());
    let (mut from, mut to, mut bytes) = (K::new(&shared.common), Packed::new(&pieces), Vec::new());
    let jobs = shared.jobs();
    let mut letters: Vec<_> = (0..jobs).map(|_| Default::default()).collect();
    let mut partitions = Vec::with_capacity(jobs);
    for owner in 0..jobs {
        let old = std::mem::take(&mut *shared.partition(owner));
        let mut table = <Packed as Kind>::Table::default();
        for id in 0..old.table.len() as StateId {
            from.open(&old.table, id, 0, &mut bytes);
            let mut fits = to.send(&bytes, owner, old.table.parent(id).unwrap_or(NO_PARENT), &mut letters);
            if to.must_pause() {
                fits &= to.settle(&mut letters);
                Packed::grow(&pieces);
                to.refresh();
            }
            if !fits || !Packed::insert(&mut table, &mut letters[owner]) {
                return None;
            }
        }
        let settled = to.settle(&mut letters) && Packed::insert(&mut table, &mut letters[owner]);
        if !settled || table.len() != old.table.len() {
            return None;
        }
        partitions.push(Partition { table, next: old.next, layer_end: old.layer_end });
    }
    Some(Shared::with(shared.watch, pieces, partitions, depth))
}

/// What all threads see.
struct Shared<'a, K: Kind> {
    watch: Watch<'a>,
    common: K::Common,
    /// The states of each thread; locked for a layer at a time.
    partitions: Vec<Mutex<Partition<K::Table>>>,
    /// From each thread to each, for odd rounds and for even ones.
    mail: [Vec<Mutex<K::Letters>>; 2],
    /// What each thread has published, for odd rounds and for even ones.
    published: [Vec<Published>; 2],
    meeting: Meeting,
    /// The depth of the first layer.
    depth: u64,
}

/// The states that belong to one thread.
#[derive(Default)]
struct Partition<T> {
    table: T,
    /// The next to be expanded.
    next: StateId,
    /// Where the layer ends.
    layer_end: StateId,
}

/// What a thread tells all others before they meet.
#[derive(Default)]
struct Published {
    /// States of the layer that are left; when it is complete, states of the next one.
    left: AtomicU64,
    /// All its states, and their bytes.
    states: AtomicU64,
    bytes: AtomicU64,
    transitions: AtomicU64,
    /// How deep the search is.
    depth: AtomicU64,
    /// Whether it wants the search to end.
    stop: AtomicBool,
}

/// The sum of what all have published.
struct Sum {
    left: u64,
    states: u64,
    bytes: u64,
    transitions: u64,
    depth: u64,
    stop: bool,
}

/// What a thread has seen.
struct Report {
    violations: Violations<At>,
    crashed: Option<FaultAt>,
    transitions: u64,
    stopped: Option<Reason>,
    /// The states shall be packed before the search goes on.
    crowded: bool,
    depth: u64,
    digest: u128,
}

/// Where a problem was found; the least one is shown.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct At {
    depth: u64,
    owner: usize,
    state: StateId,
}

impl<'a, K: Kind> Shared<'a, K> {
    /// Gives the states found so far to their owners.
    fn new<S: Store + Default>(
        watch: Watch<'a>,
        search: &mut Search<'a, S>,
        common: K::Common,
        layer: StateId,
        jobs: usize,
    ) -> Self {
        let mut store = std::mem::take(&mut search.store);
        let mut partitions: Vec<Partition<K::Table>> = (0..jobs).map(|_| Partition::default()).collect();
        let mut letters: Vec<K::Letters> = (0..jobs).map(|_| K::Letters::default()).collect();
        let mut names: Vec<StateId> = Vec::with_capacity(store.len());
        let (mut kind, mut bytes) = (K::new(&common), Vec::new());
        for id in 0..store.len() as StateId {
            store.open(id, &mut bytes);
            let owner = owner(&bytes, jobs);
            let partition = &mut partitions[owner];
            names.push(name(partition.table.len() as StateId, owner, jobs));
            let parent = store.parent(id).map_or(NO_PARENT, |parent| names[parent as usize]);
            // There was room for these states before.
            kind.send(&bytes, owner, parent, &mut letters);
            kind.settle(&mut letters);
            K::insert(&mut partition.table, &mut letters[owner]);
            partition.next += StateId::from(id < layer);
            partition.layer_end = partition.table.len() as StateId;
            if kind.must_pause() {
                K::grow(&common);
                kind.refresh();
            }
        }
        for (_, at) in search.violations.first.iter_mut().filter(|(_, at)| *at != NO_PARENT) {
            *at = names[*at as usize];
        }
        Shared::with(watch, common, partitions, search.depth)
    }

    fn with(watch: Watch<'a>, common: K::Common, partitions: Vec<Partition<K::Table>>, depth: u64) -> Self {
        let jobs = partitions.len();
        let mail = || (0..jobs * jobs).map(|_| Mutex::default()).collect();
        let published = || (0..jobs).map(|_| Published::default()).collect();
        Shared {
            watch,
            common,
            partitions: partitions.into_iter().map(Mutex::new).collect(),
            mail: [mail(), mail()],
            published: [published(), published()],
            meeting: Meeting::new(jobs),
            depth,
        }
    }

    fn jobs(&self) -> usize {
        self.partitions.len()
    }

    /// What all have published for a round.
    fn sum(&self, round: usize) -> Sum {
        let mut sum = Sum { left: 0, states: 0, bytes: 0, transitions: 0, depth: 0, stop: false };
        for published in &self.published[round % 2] {
            sum.left += published.left.load(Ordering::Relaxed);
            sum.states += published.states.load(Ordering::Relaxed);
            sum.bytes += published.bytes.load(Ordering::Relaxed);
            sum.transitions += published.transitions.load(Ordering::Relaxed);
            sum.depth = sum.depth.max(published.depth.load(Ordering::Relaxed));
            sum.stop |= published.stop.load(Ordering::Relaxed);
        }
        sum
    }

    /// How many states a thread may expand in a round: fewer when not many more are allowed.
    fn quota(&self, states: u64) -> u64 {
        let room = self.watch.options.limits.states.map(|limit| limit.saturating_sub(states));
        let round = ROUND.min(2 + self.watch.options.alone as u64);
        room.map_or(round, |room| (room / (4 * self.jobs() as u64)).clamp(16.min(round), round))
    }

    fn partition(&self, owner: usize) -> MutexGuard<'_, Partition<K::Table>> {
        lock(&self.partitions[owner])
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// To whom a state belongs. The number of its shape depends on who met the shape first, so it does not count.
#[inline]
fn owner(state: &[u8], jobs: usize) -> usize {
    // Cheaper than a hash for a table: it has to be fair, and nothing else.
    let (words, rest) = state[SHAPE_BYTES.min(state.len())..].as_chunks::<8>();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let fold = |sum: u64, word: &[u8; 8]| sum.rotate_left(11).wrapping_add(u64::from_le_bytes(*word));
    let sum = fold(words.iter().fold(0, fold), &last).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (((sum >> 32) * jobs as u64) >> 32) as usize
}

/// One number for a state of one of several owners.
fn name(state: StateId, owner: usize, jobs: usize) -> StateId {
    state * jobs as StateId + owner as StateId
}

/// One thread at work.
struct Worker<'a, 'w, K: Kind> {
    shared: &'w Shared<'a, K>,
    member: Member<'w>,
    index: usize,
    expander: Expander<'a>,
    kind: K,
    state: Vec<u8>,
    /// Successors for each owner.
    out: Vec<K::Letters>,
    violations: Violations<At>,
    depth: u64,
    /// The number of meetings so far.
    round: usize,
    stopped: Option<Reason>,
    crowded: bool,
}

impl<'a, 'w, K: Kind> Worker<'a, 'w, K> {
    fn new(shared: &'w Shared<'a, K>, index: usize, semantics: &'a Semantics<'a>) -> Self {
        Worker {
            shared,
            member: shared.meeting.join(),
            index,
            expander: Expander::new(semantics).reduced(shared.watch.options.reduction == Mode::On),
            kind: K::new(&shared.common),
            state: Vec::new(),
            out: (0..shared.jobs()).map(|_| K::Letters::default()).collect(),
            violations: Violations::new(),
            depth: shared.depth,
            round: 0,
            stopped: None,
            crowded: false,
        }
    }

    fn run(mut self) -> Report {
        self.all_layers();
        Report {
            violations: self.violations,
            crashed: self.expander.crashed,
            transitions: self.expander.transitions,
            stopped: self.stopped,
            crowded: self.crowded,
            depth: self.depth,
            digest: self.expander.digest,
        }
    }

    /// Layer after layer; whether all were completed.
    fn all_layers(&mut self) -> bool {
        loop {
            if self.shared.watch.options.limits.depth.is_some_and(|limit| self.depth >= limit) {
                self.stopped = Some(Reason::Depth);
                return false;
            }
            if !self.layer() {
                return false;
            }
            let mut sum = self.shared.sum(self.round);
            if (1..narrow(self.shared.watch.options)).contains(&sum.left) {
                sum = match self.let_one_work() {
                    Some(sum) => sum,
                    None => return false,
                };
            }
            if sum.left == 0 || sum.stop {
                return !sum.stop;
            }
            self.depth = sum.depth;
            if !K::PACKED && is_crowded(self.shared.watch.options, sum.states, sum.bytes) {
                self.crowded = true;
                return false;
            }
        }
    }

    /// Publishes, meets the others, and hears what they have published; `None` if the meeting is off.
    fn meet(&mut self, left: u64, partition: &Partition<K::Table>) -> Option<Sum> {
        self.publish(self.index, left, partition);
        self.wait()
    }

    fn publish(&self, owner: usize, left: u64, partition: &Partition<K::Table>) {
        let published = &self.shared.published[(self.round + 1) % 2][owner];
        published.left.store(left, Ordering::Relaxed);
        published.states.store(partition.table.len() as u64, Ordering::Relaxed);
        published.bytes.store(partition.table.state_bytes(), Ordering::Relaxed);
        let transitions = if owner == self.index { self.expander.transitions } else { 0 };
        published.transitions.store(transitions, Ordering::Relaxed);
        published.depth.store(self.depth, Ordering::Relaxed);
        published.stop.store(self.stopped.is_some(), Ordering::Relaxed);
    }

    fn wait(&mut self) -> Option<Sum> {
        let met = self.member.wait(|| K::grow(&self.shared.common));
        self.round += 1;
        self.kind.refresh();
        let sum = self.shared.sum(self.round);
        if !met {
            self.stopped = Some(Reason::Interrupted);
            return None;
        }
        Some(sum)
    }

    // --- a wide layer -----------------------------------------------------------------------------

    /// Works off a layer together with the others; `false` if the search is to end.
    fn layer(&mut self) -> bool {
        let shared = self.shared;
        let mut partition = shared.partition(self.index);
        let mut states = shared.sum(self.round).states;
        loop {
            if let Err(reason) = self.round(&mut partition, shared.quota(states)) {
                self.stopped = Some(reason);
            }
            let left = u64::from(partition.layer_end - partition.next);
            let Some(sum) = self.meet(left, &partition) else { return false };
            if sum.stop {
                return false;
            }
            self.tell(&sum);
            if sum.left == 0 {
                break;
            }
            states = sum.states;
        }
        if let Err(reason) = self.take_mail(&mut partition) {
            self.stopped = Some(reason);
        }
        self.start_layer(&mut partition);
        let left = u64::from(partition.layer_end - partition.next);
        if left > 0 {
            self.depth += 1;
        }
        self.meet(left, &partition).is_some_and(|sum| !sum.stop)
    }

    /// The next layer is what was found since this one started.
    fn start_layer(&self, partition: &mut Partition<K::Table>) {
        partition.next = partition.layer_end;
        partition.layer_end = partition.table.len() as StateId;
    }

    /// Inserts what came, expands some states, and sends the successors.
    fn round(&mut self, partition: &mut Partition<K::Table>, quota: u64) -> Result<(), Reason> {
        self.take_mail(partition)?;
        self.look_at_limits(partition)?;
        self.expand_some(partition, self.index, quota)?;
        let jobs = self.shared.jobs();
        for (to, out) in self.out.iter_mut().enumerate() {
            let mut mail = lock(&self.shared.mail[(self.round + 1) % 2][self.index * jobs + to]);
            std::mem::swap(&mut *mail, out);
        }
        Ok(())
    }

    fn take_mail(&self, partition: &mut Partition<K::Table>) -> Result<(), Reason> {
        let jobs = self.shared.jobs();
        for from in 0..jobs {
            let mut mail = lock(&self.shared.mail[self.round % 2][from * jobs + self.index]);
            insert::<K>(partition, &mut mail, jobs)?;
        }
        Ok(())
    }

    fn look_at_limits(&self, partition: &Partition<K::Table>) -> Result<(), Reason> {
        let more = partition.table.growth_bytes();
        if self.index != 0 && more == 0 {
            return Ok(());
        }
        let watch = self.shared.watch;
        let states = self.shared.sum(self.round).states;
        if watch.options.limits.states.is_some_and(|limit| states >= limit) {
            return Err(Reason::States);
        }
        watch.must_stop(partition.table.memory_bytes(), more).map_or(Ok(()), Err)
    }

    /// Tells the observer how far the work is.
    fn tell(&self, sum: &Sum) {
        if self.index == 0 {
            self.shared.watch.observer.progress(Progress {
                engine: crate::ENGINE,
                states: sum.states,
                waiting: sum.left,
                transitions: sum.transitions,
                depth: self.depth,
                memory_bytes: sum.states * STATE_BYTES + K::common_bytes(&self.shared.common),
            });
        }
    }

    // --- a narrow layer ---------------------------------------------------------------------------

    /// The first thread works off narrow layers, while the others wait.
    fn let_one_work(&mut self) -> Option<Sum> {
        if self.index == 0 {
            self.work_alone();
        }
        self.wait()
    }

    fn work_alone(&mut self) {
        let shared = self.shared;
        let mut partitions: Vec<_> = (0..shared.jobs()).map(|owner| shared.partition(owner)).collect();
        let left = loop {
            if let Err(reason) = self.narrow_layer(&mut partitions) {
                self.stopped = Some(reason);
                break 0;
            }
            let left: u64 = partitions.iter().map(|p| u64::from(p.layer_end - p.next)).sum();
            self.depth += u64::from(left > 0);
            if left == 0 || left >= narrow(self.shared.watch.options) {
                break left;
            }
        };
        for (owner, partition) in partitions.iter().enumerate() {
            self.publish(owner, if owner == 0 { left } else { 0 }, partition);
        }
    }

    /// One layer of all partitions, in the order in which all threads would do it together.
    fn narrow_layer(&mut self, partitions: &mut [MutexGuard<'_, Partition<K::Table>>]) -> Result<(), Reason> {
        let jobs = partitions.len();
        let limits = self.shared.watch.options.limits;
        if limits.depth.is_some_and(|limit| self.depth >= limit) {
            return Err(Reason::Depth);
        }
        let states: usize = partitions.iter().map(|p| p.table.len()).sum();
        if limits.states.is_some_and(|limit| states as u64 >= limit) {
            return Err(Reason::States);
        }
        let mut sent = Vec::with_capacity(jobs);
        for (owner, partition) in partitions.iter_mut().enumerate() {
            while partition.next < partition.layer_end {
                self.expand_some(partition, owner, NARROW)?;
                if self.kind.must_pause() {
                    K::grow(&self.shared.common);
                    self.kind.refresh();
                }
            }
            sent.push(self.out.iter_mut().map(std::mem::take).collect::<Vec<_>>());
        }
        for (owner, partition) in partitions.iter_mut().enumerate() {
            for out in &mut sent {
                insert::<K>(partition, &mut out[owner], jobs)?;
            }
            self.start_layer(partition);
        }
        self.shared.watch.must_stop(0, 0).map_or(Ok(()), Err)
    }

    // --- states -----------------------------------------------------------------------------------

    /// Expands some states of a partition; their successors are in `out` then, by owner.
    fn expand_some(&mut self, partition: &mut Partition<K::Table>, index: usize, quota: u64) -> Result<(), Reason> {
        let (watch, jobs) = (self.shared.watch, self.shared.jobs());
        let (kind, out) = (&mut self.kind, &mut self.out);
        for _ in 0..quota.min(u64::from(partition.layer_end - partition.next)) {
            let id = partition.next;
            kind.open(&partition.table, id, partition.layer_end, &mut self.state);
            let parent = name(id, index, jobs);
            let mut full = false;
            let mut sink = |next: &[u8]| full |= !kind.send(next, owner(next, jobs), parent, out);
            let expanded = self.expander.expand(&self.state, &mut sink, &mut || watch.must_stop(0, 0));
            for problem in self.expander.problems.drain(..) {
                self.violations.add(watch.options, problem, At { depth: self.depth, owner: index, state: parent });
            }
            expanded.map_err(|unfinished| unfinished.reason())?;
            if full {
                return Err(Reason::Overflow(Overflow::States));
            }
            partition.next += 1;
            if kind.must_pause() {
                break;
            }
        }
        if !kind.settle(out) {
            return Err(Reason::Overflow(Overflow::States));
        }
        let found = !self.violations.is_empty() && !watch.options.keep_going;
        if found { Err(Reason::StoppedEarly) } else { Ok(()) }
    }
}

fn insert<K: Kind>(partition: &mut Partition<K::Table>, letters: &mut K::Letters, jobs: usize) -> Result<(), Reason> {
    let fits = partition.table.len() + K::count(letters) < StateId::MAX as usize / jobs - 1;
    if fits && K::insert(&mut partition.table, letters) { Ok(()) } else { Err(Reason::Overflow(Overflow::States)) }
}

/// Puts together what all threads have found.
fn finish<K: Kind>(
    shared: &Shared<'_, K>,
    mut reports: Vec<Report>,
    expander: &mut Expander<'_>,
    transitions: u64,
    mut violations: Violations<StateId>,
) -> Found {
    let partitions: Vec<_> = (0..shared.jobs()).map(|owner| shared.partition(owner)).collect();
    let sum = |of: fn(&K::Table) -> u64| partitions.iter().map(|p| of(&p.table)).sum::<u64>();
    let stats = SearchStats {
        states: sum(|table| table.len() as u64),
        transitions: transitions + reports.iter().map(|r| r.transitions).sum::<u64>(),
        depth: reports.iter().map(|r| r.depth).max().unwrap_or(0),
        state_bytes: sum(K::Table::state_bytes),
        memory_bytes: sum(K::Table::memory_bytes) + K::common_bytes(&shared.common),
        violations: 0,
    };
    let stopped = reports.iter_mut().find_map(|report| report.stopped.take());
    let crashed = expander.crashed.take().or_else(|| reports.iter_mut().find_map(|report| report.crashed.take()));
    let digest = reports.iter().fold(expander.digest, |sum, report| sum.wrapping_add(report.digest));
    violations.extend(reports.into_iter().map(|report| report.violations), |at| at.state);
    let mut kind = K::new(&shared.common);
    let digest = stopped.is_none().then_some(digest);
    violations.found(stopped, stats, digest, crashed, |&at| {
        let chain = chain_to(&partitions, &mut kind, at);
        expander.steps_along(&chain)
    })
}

/// The states from the first one to another.
fn chain_to<K: Kind>(partitions: &[MutexGuard<'_, Partition<K::Table>>], kind: &mut K, state: StateId) -> Vec<Vec<u8>> {
    let jobs = partitions.len() as StateId;
    let mut chain = Vec::new();
    let mut at = Some(state).filter(|&name| name != NO_PARENT);
    while let Some(name) = at {
        let (table, id) = (&partitions[(name % jobs) as usize].table, name / jobs);
        let mut bytes = Vec::new();
        kind.open(table, id, 0, &mut bytes);
        chain.push(bytes);
        at = table.parent(id);
    }
    chain.reverse();
    chain
}
