//! Explicit-state search: every reachable state, breadth-first or depth-first.
//!
//! States have numbers in the order of their discovery, so a breadth-first search needs no queue: it
//! expands state after state. A depth-first search keeps a stack of numbers. Each state remembers the
//! one it was found from; a run to it is rebuilt at the end by stepping again, so nothing else about
//! steps is stored. Breadth-first runs are shortest.
//!
//! States are kept as they are, or packed (`compress`): once there are some thousand, their length
//! tells which takes less memory.
//!
//! This file is the search of one thread, and what all searches share: limits, what is found, and in files
//! of their own `options` and `violations`.
//! A breadth-first search that has become wide enough goes on in several threads (`parallel.rs`);
//! up to there it is the same for any number of them, and so is what it says of small models.

mod options;
mod violations;

pub use options::{Options, Order, Packing};
pub use violations::{Violation, Violations};

use crate::expansion::{Expander, Problem, Sink};
use crate::share::Bare;
use crate::store::{Compressed, Plain, Store};
use crate::table::{NO_PARENT, StateId};
use crate::{bitstate, disk, parallel, share};
use model::context::Context;
use model::fault::{FaultAt, Overflow};
use model::semantics::{Reached, Semantics, Step};
use model::verdict::{Progress, Property, Reason, SearchStats};
use std::sync::Arc;

/// What a search found.
#[derive(Debug)]
pub struct Found {
    /// The first violation of each different failure, up to sixteen of a property.
    pub violations: Vec<Violation>,
    /// How often each property was violated, and by how many different failures.
    pub counts: Vec<(Property, u64, u64)>,
    /// Why the search is not complete, if it is not.
    pub stopped: Option<Reason>,
    /// What was counted.
    pub stats: SearchStats,
    /// The digest of all states, if the search is complete.
    pub digest: Option<u128>,
    /// The run to each violation, in the order of `violations`.
    pub runs: Vec<Vec<Step>>,
    /// A fault after which a run cannot go on, if there is one: what would come after it is not known.
    pub crashed: Option<FaultAt>,
    /// States in which one process moved alone, where states may be left out.
    pub alone: u64,
    /// States were left out, or might have been: neither their number nor their digest is that of the model.
    pub reduced: bool,
    /// Where processes were, if the search is complete.
    pub reached: Option<Reached>,
}

/// How many states between two looks at everything, and between two looks at the time: some states take milliseconds.
const CHECK_EVERY: u64 = 1 << 12;
const LOOK_EVERY: u64 = 1 << 5;

/// Whether states take so much room as they are that they should be packed: they are long, and there are many.
pub(crate) fn is_crowded(watch: &Watch<'_>, states: u64, bytes: u64) -> bool {
    let options = watch.options;
    let room = watch.cx.budget.most_memory().map_or(options.room, |limit| options.room.min(limit / 16));
    options.packing == Packing::Auto && states >= options.alone as u64 && bytes > (options.long * states).max(room)
}

/// Searches the states of a model.
pub fn search(semantics: &Semantics<'_>, options: &Options, cx: &Context<'_>) -> Found {
    let watch = Watch { options, cx: *cx };
    if let Some(bytes) = options.bitstate {
        return bitstate::search(semantics, watch, bytes);
    }
    if let Some(disk) = &options.disk {
        return disk::search(semantics, watch, disk);
    }
    if options.packing == Packing::Always {
        return packed(semantics, watch, Search::new(semantics, watch), None);
    }
    let mut search = Search::<Plain>::new(semantics, watch);
    match search.run(None) {
        End::Wide { layer } if search.should_pack() => packed(semantics, watch, search.pack(), Some(layer)),
        End::Wide { layer } => parallel::go_on::<Bare>(semantics, watch, search, (), layer),
        end => search.finish(end.reason()),
    }
}

/// The search from state `next` on, or from the first one, with states packed.
fn packed<'a>(
    semantics: &'a Semantics<'a>,
    watch: Watch<'a>,
    mut search: Search<'a, Compressed>,
    next: Option<StateId>,
) -> Found {
    let waiting = next.map_or(0, |next| search.store.len() as u64 - u64::from(next));
    let end = match next {
        Some(layer) if parallel::is_wide(watch.options, search.store.len(), waiting) => End::Wide { layer },
        next => search.run(next),
    };
    match end {
        End::Wide { layer } => {
            let pieces = Arc::clone(&search.store.pieces);
            parallel::go_on::<share::Packed>(semantics, watch, search, pieces, layer)
        }
        end => search.finish(end.reason()),
    }
}

/// When to stop, and whom to tell.
#[derive(Clone, Copy)]
pub(crate) struct Watch<'a> {
    pub(crate) options: &'a Options,
    pub(crate) cx: Context<'a>,
}

impl Watch<'_> {
    /// The user, the clock or the memory says so. `used` bytes are known to be used, where the system does not tell;
    /// `more` are about to be needed.
    pub(crate) fn must_stop(&self, used: u64, more: u64) -> Option<Reason> {
        self.cx.budget.room(used, more).err()
    }
}

/// Successors of a state on their way into the store.
struct Successors<'s, S> {
    store: &'s mut S,
    id: StateId,
}

impl<S: Store> Sink for Successors<'_, S> {
    fn push(&mut self, state: &[u8]) {
        self.store.push(state, self.id);
        if self.store.is_due() {
            self.store.flush();
        }
    }
}

/// How the search of one thread ends.
enum End {
    Complete,
    Stopped(Reason),
    /// From this state on, the first of a layer or the next one depth-first, there is work for several threads, or
    /// there are states to be packed.
    Wide {
        layer: StateId,
    },
}

impl End {
    fn reason(self) -> Option<Reason> {
        match self {
            End::Stopped(reason) => Some(reason),
            End::Complete | End::Wide { .. } => None,
        }
    }
}

/// The search of one thread.
pub(crate) struct Search<'a, S> {
    pub(crate) expander: Expander<'a>,
    watch: Watch<'a>,
    pub(crate) store: S,
    /// The state that is expanded.
    state: Vec<u8>,
    /// Depth-first: states to be looked at, with their depth.
    stack: Vec<(StateId, u32)>,
    pub(crate) depth: u64,
    pub(crate) violations: Violations<StateId>,
    ticks: u64,
    depth_cut: bool,
}

impl<'a, S: Store + Default> Search<'a, S> {
    fn new(semantics: &'a Semantics<'a>, watch: Watch<'a>) -> Self {
        Search {
            expander: Expander::of(semantics, watch.options),
            watch,
            store: S::default(),
            state: Vec::new(),
            stack: Vec::new(),
            depth: 0,
            violations: Violations::default(),
            ticks: 0,
            depth_cut: false,
        }
    }

    /// Goes through all states, or through those from `next` on, of which no successor is known yet.
    fn run(&mut self, next: Option<StateId>) -> End {
        match (next, self.watch.options.order) {
            (None, _) => match self.first_state() {
                None => self.run(Some(0)),
                Some(reason) => End::Stopped(reason),
            },
            (Some(next), Order::Breadth) => self.breadth_first(next),
            (Some(_), Order::Depth) => self.depth_first(),
        }
    }

    /// Adds the first state; or says why there is none.
    fn first_state(&mut self) -> Option<Reason> {
        match self.expander.stepper.initial() {
            Err(overflow) => Some(Reason::from(overflow)),
            Ok(Err(fault)) => {
                let reason = format!("there is no first state: {}", fault.fault);
                let (last_steps, fault) = (Vec::new(), Some(fault));
                let problem = Problem { property: Property::Safety, last_steps, fault, same: 0 };
                self.violations.add(self.watch.options, problem, NO_PARENT);
                Some(Reason::NotSupported(reason))
            }
            Ok(Ok(state)) => {
                self.store.push(&state, NO_PARENT);
                self.store.flush();
                self.stack.push((0, 0));
                None
            }
        }
    }

    fn breadth_first(&mut self, mut next: StateId) -> End {
        let mut layer_end = self.store.len() as StateId;
        while (next as usize) < self.store.len() {
            if next == layer_end {
                if !self.store.flush() {
                    return End::Stopped(Reason::from(Overflow::States));
                }
                self.depth += 1;
                layer_end = self.store.len() as StateId;
                let wide = parallel::is_wide(self.watch.options, self.store.len(), u64::from(layer_end - next));
                if wide || self.should_pack() {
                    return End::Wide { layer: next };
                }
            }
            if self.watch.cx.budget.most_depth().is_some_and(|limit| self.depth >= limit) {
                return End::Stopped(Reason::Depth);
            }
            if let Some(reason) = self.step_over(next) {
                return End::Stopped(reason);
            }
            next += 1;
        }
        End::Complete
    }

    /// Whether states should be packed from now on.
    fn should_pack(&self) -> bool {
        !S::PACKED && is_crowded(&self.watch, self.store.len() as u64, self.store.state_bytes())
    }

    fn depth_first(&mut self) -> End {
        while let Some((id, depth)) = self.stack.pop() {
            if self.should_pack() {
                self.stack.push((id, depth));
                return End::Wide { layer: id };
            }
            self.depth = self.depth.max(u64::from(depth));
            if self.watch.cx.budget.most_depth().is_some_and(|limit| u64::from(depth) >= limit) {
                self.depth_cut = true;
                continue;
            }
            let known = self.store.len();
            if let Some(reason) = self.step_over(id) {
                return End::Stopped(reason);
            }
            // The first successor is looked at first.
            self.stack.extend((known..self.store.len()).rev().map(|new| (new as StateId, depth + 1)));
        }
        if self.depth_cut { End::Stopped(Reason::Depth) } else { End::Complete }
    }

    /// Expands one state and looks at the limits.
    fn step_over(&mut self, id: StateId) -> Option<Reason> {
        if let Err(reason) = self.expand(id) {
            return Some(reason);
        }
        if !self.watch.options.keep_going && !self.violations.is_empty() {
            return Some(Reason::StoppedEarly);
        }
        self.check_limits(id)
    }

    /// Adds all successors of a state, now or with the next batch.
    fn expand(&mut self, id: StateId) -> Result<(), Reason> {
        let (store, watch) = (&mut self.store, self.watch);
        store.open(id, &mut self.state);
        let mut sink = Successors { store, id };
        let expanded = self.expander.expand(&self.state, &mut sink, &mut || watch.must_stop(0, 0));
        for problem in self.expander.problems.drain(..) {
            self.violations.add(self.watch.options, problem, id);
        }
        let last = id as usize + 1 == self.store.len();
        if (last || self.watch.options.order == Order::Depth) && !self.store.flush() {
            return Err(Reason::from(Overflow::States));
        }
        expanded.map_err(|unfinished| unfinished.reason())
    }

    fn check_limits(&mut self, at: StateId) -> Option<Reason> {
        let limit = self.watch.cx.budget.most_states();
        if limit.is_some_and(|limit| self.store.len() as u64 >= limit) && (at as usize) + 1 < self.store.len() {
            return Some(Reason::States);
        }
        self.ticks += 1;
        let (tick, more) = (self.ticks.is_multiple_of(CHECK_EVERY), self.store.growth_bytes());
        if !tick && more == 0 {
            let looks = self.ticks.is_multiple_of(LOOK_EVERY);
            return if looks { self.watch.cx.budget.in_time().err() } else { None };
        }
        if tick {
            self.watch.cx.progress(|| self.progress(at));
        }
        self.watch.must_stop(self.store.memory_bytes(), more)
    }

    fn progress(&self, at: StateId) -> Progress {
        let states = self.store.len() as u64;
        let waiting = match self.watch.options.order {
            Order::Breadth => states - u64::from(at) - 1,
            Order::Depth => self.stack.len() as u64,
        };
        Progress {
            engine: crate::ENGINE,
            states,
            waiting,
            transitions: self.expander.transitions,
            depth: self.depth,
            memory_bytes: self.store.memory_bytes(),
        }
    }

    fn finish(mut self, stopped: Option<Reason>) -> Found {
        let digest = stopped.is_none().then_some(self.expander.digest);
        let stats = SearchStats {
            states: self.store.len() as u64,
            transitions: self.expander.transitions,
            depth: self.depth,
            state_bytes: self.store.state_bytes(),
            memory_bytes: self.store.memory_bytes(),
            violations: 0,
        };
        let (crashed, alone) = (self.expander.crashed.take(), self.expander.alone);
        let reached = stopped.is_none().then(|| self.expander.stepper.reached().clone());
        let (mut store, mut expander) = (self.store, self.expander);
        let run = |at: &StateId, last: &[Step]| run_to(&mut store, &mut expander, *at, last);
        Found { alone, reached, ..self.violations.found(stopped, stats, digest, crashed, run) }
    }
}

impl<'a> Search<'a, Plain> {
    /// The same search with its states packed.
    fn pack(mut self) -> Search<'a, Compressed> {
        let store = self.store.packed(&mut self.state);
        Search {
            expander: self.expander,
            watch: self.watch,
            store,
            state: self.state,
            stack: self.stack,
            depth: self.depth,
            violations: self.violations,
            ticks: self.ticks,
            depth_cut: self.depth_cut,
        }
    }
}

/// The steps from the first state to another, and those that follow.
fn run_to<S: Store>(store: &mut S, expander: &mut Expander<'_>, state: StateId, last: &[Step]) -> Vec<Step> {
    let mut chain = Vec::new();
    let mut at = Some(state).filter(|&id| id != NO_PARENT);
    while let Some(id) = at {
        let mut bytes = Vec::new();
        store.open(id, &mut bytes);
        chain.push(bytes);
        at = store.parent(id);
    }
    chain.reverse();
    expander.run_along(&chain, last)
}
