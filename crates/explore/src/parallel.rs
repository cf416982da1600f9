//! The breadth-first search in several threads.
//!
//! Every state belongs to one thread, by a hash of its bytes. A thread has a table for its own states and
//! expands them; a successor goes to its owner by mail (`share.rs`), and the owner looks it up. So no table is
//! shared, and nothing is locked on the way but mailboxes, once per round.
//!
//! A layer of the search is worked off in rounds: insert what came by mail in the last round, in the order
//! of the senders; expand some thousand states; put the successors into the mail; wait for the others. When no thread has a
//! state left, the layer is complete. Nothing depends on which thread is faster: the same number of threads
//! finds the same states in the same order, and the same runs. Runs are shortest, because layers are kept.
//!
//! A narrow layer is not worth a barrier: the first thread works it off alone, in the same order,
//! while the others wait for a wide one.
//!
//! Long states are kept as they are while there is room, and are packed between two layers when there is not.
//!
//! All threads take the same turns, because each decides by what all have published before they met.
//!
//! What is done with a state says a [`Visitor`]: `safety` looks for violations, `graph/draw.rs` notes the edges between states,
//! for questions about cycles.

mod safety;
mod worker;

use crate::barrier::Barrier;
use crate::compress::Pieces;
use crate::expansion::Expander;
use crate::partition::owner;
use crate::search::{Found, Options, Order, Packing, Search, Violations, Watch};
use crate::share::{Kind, Packed, States};
use crate::store::Store;
use crate::table::{NO_PARENT, StateId};
use model::fault::Overflow;
use model::semantics::Semantics;
use model::verdict::{Reason, SearchStats};
use safety::{Safety, Seen};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread;
use worker::Worker;

/// A layer of fewer states is for one thread.
const NARROW: u64 = 500;
/// How many states a thread expands in one round.
const ROUND: u64 = 2_048;
/// More threads than this are not used.
const MOST_JOBS: usize = 64;
/// About what a state takes in a table.
const STATE_BYTES: u64 = 20;

/// What threads do with the states that they own; one value per thread.
pub(crate) trait Visitor<'a>: Sized {
    /// What it is made of.
    type Setup: Copy + Send + Sync + 'a;
    /// What is said of a step when its successor is sent.
    type Label: Send + 'a;
    /// What is remembered of the states of a partition, beside themselves.
    type Notes: Default + Send + 'a;
    /// What a thread says in the end.
    type Report: Send + 'a;

    fn new(setup: Self::Setup) -> Self;
    /// Looks at a state of a partition, and shows its successors. Those of a partition come in the order of their numbers.
    fn visit(
        &mut self,
        state: &[u8],
        at: At,
        notes: &mut Self::Notes,
        sink: &mut impl FnMut(&[u8], Self::Label),
    ) -> Result<(), Reason>;
    /// A step from a state, of any partition, to one of this partition.
    fn note(notes: &mut Self::Notes, from: StateId, to: StateId, label: Self::Label);
    /// What was found is enough.
    fn must_end(&self) -> bool;
    fn transitions(&self) -> u64;
    /// What was seen since the last time.
    fn report(&mut self) -> Self::Report;
}

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
    let setup = (semantics, watch);
    thread::scope(|scope| {
        let seats = Seats::new(scope, watch.options.jobs);
        let shared = Arc::new(Shared::<K, Safety<'a>>::new(watch, &mut search, common, layer, seats.jobs()));
        let mut reports = seats.work(&shared, setup);
        if !reports.iter().all(|report| report.crowded) {
            return finish(&shared, reports, &mut search.expander, transitions, search.violations);
        }
        match packed(&shared) {
            Some(packed) => {
                let packed = Arc::new(packed);
                reports.extend(seats.work(&packed, setup));
                finish(&packed, reports, &mut search.expander, transitions, search.violations)
            }
            None => {
                reports[0].stopped = Some(Reason::from(Overflow::States));
                finish(&shared, reports, &mut search.expander, transitions, search.violations)
            }
        }
    })
}

/// Something for one thread to do.
type Task<'a> = Box<dyn FnOnce(usize) + Send + 'a>;

/// The threads: this one, and others that wait for work.
pub(crate) struct Seats<'a> {
    others: Vec<mpsc::Sender<Task<'a>>>,
}

impl<'a> Seats<'a> {
    pub(crate) fn new<'s>(scope: &'s thread::Scope<'s, '_>, jobs: usize) -> Self
    where
        'a: 's,
    {
        let mut others = Vec::new();
        for index in 1..jobs.min(MOST_JOBS) {
            let (invite, invitations) = mpsc::channel::<Task<'a>>();
            let run = move || invitations.into_iter().for_each(|task| task(index));
            // Where the system gives no more threads, fewer do the work.
            if thread::Builder::new().spawn_scoped(scope, run).is_err() {
                break;
            }
            others.push(invite);
        }
        Seats { others }
    }

    /// The number of threads.
    pub(crate) fn jobs(&self) -> usize {
        self.others.len() + 1
    }

    /// All threads work until all come to an end; what they have seen.
    pub(crate) fn work<K: Kind, V: Visitor<'a> + 'a>(
        &self,
        shared: &Arc<Shared<'a, K, V>>,
        setup: V::Setup,
    ) -> Vec<Report<V::Report>> {
        let (answer, answers) = mpsc::channel();
        for invite in &self.others {
            let (shared, answer) = (Arc::clone(shared), answer.clone());
            // A thread that is not there any more is noticed by its answer; no process waits for an answer if another thread
            // has panicked.
            let _ = invite.send(Box::new(move |index| {
                let _ = answer.send((index, Worker::new(&shared, index, V::new(setup)).run()));
            }));
        }
        drop(answer);
        let mut reports = vec![(0, Worker::new(shared, 0, V::new(setup)).run())];
        // A thread without an answer has unwound, and the scope will say so; the barrier was off.
        reports.extend(answers);
        reports.sort_by_key(|(index, _)| *index);
        let reports: Vec<_> = reports.into_iter().map(|(_, report)| report).collect();
        shared.depth.store(reports.iter().map(|report| report.depth).max().unwrap_or(0), Ordering::Relaxed);
        reports
    }
}

/// The same states packed, each with its owner and its number; `None` if there is no room.
pub(crate) fn packed<'a, K: Kind, V: Visitor<'a>>(shared: &Shared<'a, K, V>) -> Option<Shared<'a, Packed, V>> {
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
            if !fits || !Packed::insert(&mut table, &mut letters[owner], &mut |_, _| ()) {
                return None;
            }
        }
        let settled = to.settle(&mut letters) && Packed::insert(&mut table, &mut letters[owner], &mut |_, _| ());
        if !settled || table.len() != old.table.len() {
            return None;
        }
        partitions.push(Partition { table, notes: old.notes, next: old.next, layer_end: old.layer_end });
    }
    let depth = shared.depth.load(Ordering::Relaxed);
    Some(Shared::with(shared.watch, pieces, partitions, depth))
}

/// What all threads see.
pub(crate) struct Shared<'a, K: Kind, V: Visitor<'a>> {
    watch: Watch<'a>,
    pub(crate) common: K::Common,
    /// The states of each thread; locked for a layer at a time.
    partitions: Vec<Mutex<Partition<K::Table, V::Notes>>>,
    /// From each thread to each, for odd rounds and for even ones.
    mail: [Vec<Mailbox<K, V::Label>>; 2],
    /// What each thread has published, for odd rounds and for even ones.
    published: [Vec<Published>; 2],
    barrier: Barrier,
    /// The depth of the first layer.
    pub(crate) depth: AtomicU64,
    /// With so many states, all threads end with a layer.
    pub(crate) pause_at: AtomicU64,
}

/// The states that belong to one thread.
#[derive(Default)]
pub(crate) struct Partition<T, N> {
    pub(crate) table: T,
    pub(crate) notes: N,
    /// The next to be expanded.
    next: StateId,
    /// Where the layer ends.
    layer_end: StateId,
}

impl<T: States, N: Default> Partition<T, N> {
    /// All its states are to be expanded.
    pub(crate) fn new(table: T) -> Self {
        let layer_end = table.len() as StateId;
        Partition { table, notes: N::default(), next: 0, layer_end }
    }
}

type Mailbox<K, L> = Mutex<Mail<<K as Kind>::Letters, L>>;

/// Successors for one partition, and what is said of the steps to them.
struct Mail<T, L> {
    letters: T,
    labels: Vec<L>,
}

impl<T: Default, L> Default for Mail<T, L> {
    fn default() -> Self {
        Mail { letters: T::default(), labels: Vec::new() }
    }
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
pub(crate) struct Report<R> {
    pub(crate) seen: R,
    pub(crate) stopped: Option<Reason>,
    /// The states must be packed before the search goes on.
    pub(crate) crowded: bool,
    /// There are as many states as were to be found before the search goes on.
    pub(crate) paused: bool,
    depth: u64,
}

/// Where a problem was found; the least one is shown.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct At {
    pub(crate) depth: u64,
    pub(crate) owner: usize,
    /// Its number among those of all owners.
    pub(crate) state: StateId,
}

impl<'a, K: Kind> Shared<'a, K, Safety<'a>> {
    /// Gives the states found so far to their owners.
    fn new<S: Store + Default>(
        watch: Watch<'a>,
        search: &mut Search<'a, S>,
        common: K::Common,
        layer: StateId,
        jobs: usize,
    ) -> Self {
        let mut store = std::mem::take(&mut search.store);
        let mut partitions: Vec<Partition<K::Table, ()>> = (0..jobs).map(|_| Partition::default()).collect();
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
            K::insert(&mut partition.table, &mut letters[owner], &mut |_, _| ());
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
}

impl<'a, K: Kind, V: Visitor<'a>> Shared<'a, K, V> {
    pub(crate) fn with(
        watch: Watch<'a>,
        common: K::Common,
        partitions: Vec<Partition<K::Table, V::Notes>>,
        depth: u64,
    ) -> Self {
        let jobs = partitions.len();
        let mail = || (0..jobs * jobs).map(|_| Mutex::default()).collect();
        let published = || (0..jobs).map(|_| Published::default()).collect();
        Shared {
            watch,
            common,
            partitions: partitions.into_iter().map(Mutex::new).collect(),
            mail: [mail(), mail()],
            published: [published(), published()],
            barrier: Barrier::new(jobs),
            depth: AtomicU64::new(depth),
            pause_at: AtomicU64::new(u64::MAX),
        }
    }

    pub(crate) fn jobs(&self) -> usize {
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
        let room = self.watch.cx.budget.most_states().map(|limit| limit.saturating_sub(states));
        let round = ROUND.min(2 + self.watch.options.alone as u64);
        room.map_or(round, |room| (room / (4 * self.jobs() as u64)).clamp(16.min(round), round))
    }

    pub(crate) fn partition(&self, owner: usize) -> MutexGuard<'_, Partition<K::Table, V::Notes>> {
        lock(&self.partitions[owner])
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One number for a state of one of several owners.
pub(crate) fn name(state: StateId, owner: usize, jobs: usize) -> StateId {
    state * jobs as StateId + owner as StateId
}

fn insert<'a, K: Kind, V: Visitor<'a>>(
    partition: &mut Partition<K::Table, V::Notes>,
    mail: &mut Mail<K::Letters, V::Label>,
    jobs: usize,
) -> Result<(), Reason> {
    let fits = partition.table.len() + K::count(&mail.letters) < StateId::MAX as usize / jobs - 1;
    let (notes, mut labels) = (&mut partition.notes, mail.labels.drain(..));
    let mut note = |from, to| labels.next().into_iter().for_each(|label| V::note(notes, from, to, label));
    let inserted = fits && K::insert(&mut partition.table, &mut mail.letters, &mut note);
    if inserted { Ok(()) } else { Err(Reason::from(Overflow::States)) }
}

/// What was counted.
pub(crate) fn stats<'a, K: Kind, V: Visitor<'a>>(shared: &Shared<'a, K, V>, transitions: u64) -> SearchStats {
    let partitions: Vec<_> = (0..shared.jobs()).map(|owner| shared.partition(owner)).collect();
    let sum = |of: fn(&K::Table) -> u64| partitions.iter().map(|p| of(&p.table)).sum::<u64>();
    SearchStats {
        states: sum(|table| table.len() as u64),
        transitions,
        depth: shared.depth.load(Ordering::Relaxed),
        state_bytes: sum(K::Table::state_bytes),
        memory_bytes: sum(K::Table::memory_bytes) + K::common_bytes(&shared.common),
        violations: 0,
    }
}

/// Puts together what all threads have found.
fn finish<'a, K: Kind>(
    shared: &Shared<'a, K, Safety<'a>>,
    mut reports: Vec<Report<Seen>>,
    expander: &mut Expander<'_>,
    transitions: u64,
    mut violations: Violations<StateId>,
) -> Found {
    let stats = stats(shared, transitions + reports.iter().map(|report| report.seen.transitions).sum::<u64>());
    let stopped = reports.iter_mut().find_map(|report| report.stopped.take());
    let crashed = expander.crashed.take().or_else(|| reports.iter_mut().find_map(|report| report.seen.crashed.take()));
    let digest = reports.iter().fold(expander.digest, |sum, report| sum.wrapping_add(report.seen.digest));
    let mut reached = expander.stepper.reached().clone();
    reports.iter().for_each(|report| reached.join(&report.seen.reached));
    let reached = stopped.is_none().then_some(reached);
    violations.extend(reports.into_iter().map(|report| report.seen.violations), |at| at.state);
    let digest = stopped.is_none().then_some(digest);
    let found =
        violations.found(stopped, stats, digest, crashed, |&at, last| expander.run_along(&chain_to(shared, at), last));
    Found { reached, ..found }
}

/// The states from the first one to another.
pub(crate) fn chain_to<'a, K: Kind, V: Visitor<'a>>(shared: &Shared<'a, K, V>, state: StateId) -> Vec<Vec<u8>> {
    let (jobs, mut kind) = (shared.jobs() as StateId, K::new(&shared.common));
    let mut chain = Vec::new();
    let mut at = Some(state).filter(|&name| name != NO_PARENT);
    while let Some(name) = at {
        let (partition, id) = (shared.partition((name % jobs) as usize), name / jobs);
        let mut bytes = Vec::new();
        kind.open(&partition.table, id, 0, &mut bytes);
        chain.push(bytes);
        at = partition.table.parent(id);
    }
    chain.reverse();
    chain
}
