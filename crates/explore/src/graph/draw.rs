//! Several threads draw the graph of states, and cycles are looked for in it.

use super::components::{Components, Wanted};
use super::round::{Path, round};
use super::{Graph, Marks, Notes};
use crate::disk::graph;
use crate::parallel::{At, Partition, Seats, Shared, Visitor, chain_to, packed, stats};
use crate::partition::owner;
use crate::search::{Options, Watch};
use crate::share::{Bare, Kind, States};
use crate::table::{NO_PARENT, StateId, StateTable};
use model::context::Context;
use model::fault::{FaultAt, Overflow};
use model::semantics::Semantics;
use model::verdict::{Reason, SearchStats};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;

/// Cycles are looked for again when there are so many times as many states.
pub(crate) const GROWTH: u64 = 3;
/// So many bytes a state takes while cycles are looked for.
pub(crate) const NODE_BYTES: u64 = 20;

/// What threads have seen, put together; with an end of type `E`, which is a violation without any cycle of states.
pub(crate) struct Seen<E> {
    pub(crate) transitions: u64,
    /// The sum of the digests of all states.
    pub(crate) digest: u128,
    /// States in which one process moved alone.
    pub(crate) alone: u64,
    /// The first run that cannot go on because of a fault.
    pub(crate) crashed: Option<FaultAt>,
    /// A condition that is watched was seen to hold.
    pub(crate) noticed: bool,
    /// The nearest state with an end.
    pub(crate) end: Option<(At, E)>,
}

impl<E> Default for Seen<E> {
    fn default() -> Self {
        Seen { transitions: 0, digest: 0, alone: 0, crashed: None, noticed: false, end: None }
    }
}

impl<E> Seen<E> {
    /// Notes an end; states are looked at in the order of their distance.
    pub(crate) fn ends(&mut self, at: At, end: E) {
        self.end.get_or_insert((at, end));
    }

    pub(crate) fn add(&mut self, other: Seen<E>) {
        self.transitions += other.transitions;
        self.digest = self.digest.wrapping_add(other.digest);
        self.alone += other.alone;
        self.noticed |= other.noticed;
        self.crashed = self.crashed.take().or(other.crashed);
        self.end = [self.end.take(), other.end].into_iter().flatten().min_by_key(|(at, _)| *at);
    }
}

/// A run that was looked for, as the states on it.
pub(crate) enum Run<E> {
    /// States from the first one to one with an end.
    Ends(Vec<Vec<u8>>, E),
    /// States from the first one to a cycle, and those round it, each with what occurs on the way to it.
    Repeats(Vec<Vec<u8>>, Vec<(Vec<u8>, Marks)>),
}

/// What was found.
pub(crate) struct Drawn<E> {
    pub(crate) seen: Seen<E>,
    pub(crate) run: Option<Run<E>>,
    pub(crate) stopped: Option<Reason>,
    pub(crate) stats: SearchStats,
}

/// How a state space is searched.
#[derive(Clone, Copy)]
pub(crate) struct Way<'o> {
    pub(crate) options: &'o Options,
    /// There are known to be many states.
    pub(crate) large: bool,
}

/// Small models are searched by one thread, for any number of threads, unless they are kept on disk; larger ones by all `together`, from the start, if need be
/// after an attempt of one thread.
pub(crate) fn alone_first<F>(
    Way { options, large }: Way<'_>,
    cx: &Context<'_>,
    alone: &dyn Fn(&Context<'_>) -> F,
    together: &dyn Fn(&Context<'_>) -> F,
    stopped: &dyn Fn(&F) -> Option<Reason>,
) -> F {
    if options.disk.is_some() {
        return together(cx);
    }
    let few = options.alone as u64;
    if options.jobs <= 1 || cx.budget.most_states().is_some_and(|limit| limit <= few) {
        return alone(cx);
    }
    if large {
        return together(cx);
    }
    let found = alone(&cx.with(&cx.budget.clone().states(few)));
    if stopped(&found) == Some(Reason::States) { together(cx) } else { found }
}

/// Draws the graph from a first state on, until it is complete or has a cycle with what is wanted.
pub(crate) fn search<'a, V, E: Send>(
    semantics: &'a Semantics<'a>,
    watch: Watch<'a>,
    setup: V::Setup,
    first: &[u8],
    wanted: &Wanted,
) -> Drawn<E>
where
    V: Visitor<'a, Notes = Notes, Report = Seen<E>> + 'a,
{
    if let Some(disk) = &watch.options.disk {
        return graph::search::<V, E>(semantics, watch, setup, first, wanted, disk);
    }
    thread::scope(|scope| {
        let seats = Seats::new(scope, watch.options.jobs);
        let (jobs, mut partitions) = (seats.jobs(), Vec::new());
        partitions.resize_with(jobs, Partition::default);
        let mut table = StateTable::default();
        table.insert(first, NO_PARENT);
        partitions[owner(first, jobs)] = Partition::new(table);
        let shared = Arc::new(Shared::<Bare, V>::with(watch, (), partitions, 0));
        shared.pause_at.store(4 * watch.options.alone as u64, Ordering::Relaxed);
        let mut search = Search { watch, wanted, seen: Seen::default(), run: None, stopped: None };
        let stats = if search.stages(&seats, &shared, setup) {
            match packed(&shared) {
                Some(packed) => {
                    let packed = Arc::new(packed);
                    search.stages(&seats, &packed, setup);
                    search.stats(&packed)
                }
                None => {
                    search.stopped = Some(Reason::from(Overflow::States));
                    search.stats(&shared)
                }
            }
        } else {
            search.stats(&shared)
        };
        let Search { seen, run, mut stopped, .. } = search;
        if let (None, None, Some(crash)) = (&run, &stopped, &seen.crashed) {
            stopped = Some(Reason::Crash(crash.fault.to_string()));
        }
        Drawn { seen, run, stopped, stats }
    })
}

struct Search<'w, 'a, E> {
    watch: Watch<'a>,
    wanted: &'w Wanted,
    seen: Seen<E>,
    run: Option<Run<E>>,
    stopped: Option<Reason>,
}

impl<'a, E> Search<'_, 'a, E> {
    /// Threads work and pause, and the graph is looked at in between; whether the states must be packed before they go on.
    fn stages<K: Kind, V>(&mut self, seats: &Seats<'a>, shared: &Arc<Shared<'a, K, V>>, setup: V::Setup) -> bool
    where
        V: Visitor<'a, Notes = Notes, Report = Seen<E>> + 'a,
    {
        loop {
            let mut reports = seats.work(shared, setup);
            let crowded = reports.iter().all(|report| report.crowded);
            let paused = reports.iter().all(|report| report.paused);
            self.stopped = reports.iter_mut().find_map(|report| report.stopped.take());
            reports.into_iter().for_each(|report| self.seen.add(report.seen));
            if let Some((at, end)) = self.seen.end.take() {
                self.run = Some(Run::Ends(chain_to(shared, at.state), end));
                return false;
            }
            let limited = matches!(self.stopped, Some(Reason::States | Reason::Depth));
            if paused || limited || self.stopped.is_none() && !crowded {
                match self.cycle(shared) {
                    Ok(Some(run)) => (self.run, self.stopped) = (Some(run), None),
                    Ok(None) => {}
                    Err(reason) => self.stopped = self.stopped.take().or(Some(reason)),
                }
                let states = stats(shared, 0).states;
                shared.pause_at.store(GROWTH * states, Ordering::Relaxed);
            }
            let go_on = (crowded || paused) && self.run.is_none() && self.stopped.is_none();
            if !go_on || crowded {
                return go_on;
            }
        }
    }

    /// A cycle of the graph so far that has what is wanted.
    fn cycle<K: Kind, V: Visitor<'a, Notes = Notes>>(
        &self,
        shared: &Shared<'a, K, V>,
    ) -> Result<Option<Run<E>>, Reason> {
        let Some(path) = self.path_round(shared)? else { return Ok(None) };
        let (jobs, mut kind) = (shared.jobs() as StateId, K::new(&shared.common));
        let mut open = |(name, marks): &(StateId, Marks)| {
            let mut bytes = Vec::new();
            kind.open(&shared.partition((name % jobs) as usize).table, name / jobs, 0, &mut bytes);
            (bytes, *marks)
        };
        let round = path.iter().map(&mut open).collect();
        Ok(Some(Run::Repeats(chain_to(shared, path[0].0), round)))
    }

    /// A way round a component that has what is wanted, from the nearest of its states.
    fn path_round<K: Kind, V: Visitor<'a, Notes = Notes>>(
        &self,
        shared: &Shared<'a, K, V>,
    ) -> Result<Option<Path>, Reason> {
        let jobs = shared.jobs();
        let partitions: Vec<_> = (0..jobs).map(|owner| shared.partition(owner)).collect();
        let states: Vec<usize> = partitions.iter().map(|partition| partition.table.len()).collect();
        let edges: u64 = partitions.iter().map(|partition| partition.notes.graph_bytes()).sum();
        let more = states.iter().sum::<usize>() as u64 * NODE_BYTES + edges;
        self.watch.must_stop(0, more).map_or(Ok(()), Err)?;
        let graph = Graph::new(partitions.iter().map(|partition| &partition.notes).collect(), &states);
        let must_stop = || self.watch.must_stop(0, 0);
        let mut components = Components::new(&graph, self.wanted, &must_stop);
        let Some(component) = components.find()? else { return Ok(None) };
        let depth = |state: StateId| {
            let parent = |name: &StateId| partitions[*name as usize % jobs].table.parent(name / jobs as StateId);
            std::iter::successors(Some(state), parent).count()
        };
        // Of the states of one partition the one with the least number is the nearest.
        let of = |owner: usize| component.states.iter().copied().filter(move |&state| state as usize % jobs == owner);
        let start = (0..jobs).filter_map(|owner| of(owner).min()).min_by_key(|&state| (depth(state), state));
        let mut successors =
            |state: StateId| Some((graph.state(state), components.within(&component, state).collect::<Path>()));
        let path = start.and_then(|start| round(start, component.marks, &mut successors));
        path.map(Some).ok_or_else(|| Reason::Internal(String::from("a cycle was found, but not again")))
    }

    fn stats<K: Kind, V: Visitor<'a, Notes = Notes>>(&self, shared: &Shared<'a, K, V>) -> SearchStats {
        let notes: u64 = (0..shared.jobs()).map(|owner| shared.partition(owner).notes.memory_bytes()).sum();
        let stats = stats(shared, self.seen.transitions);
        let violations = u64::from(self.run.is_some());
        SearchStats { memory_bytes: stats.memory_bytes + notes, violations, ..stats }
    }
}
