//! Non-progress cycles: is there an infinite run in which, from some point on, nothing makes progress?
//!
//! Progress is being at a *label*, as for SPIN's `np_`: a state is one of progress if some process is at
//! a location labelled so, and the cycle we look for has no such state. Or it is an *event*: the
//! cycle has no step that is one (Ciclo's definition). Either way the question is whether the graph
//! of states without its progress, nodes or edges, has a cycle. A depth-first search answers it in one pass,
//! while the states are found: an edge back to a state that is on the way closes a cycle. States behind
//! progress are remembered, and the search starts again from them. No component has to be computed.
//!
//! What SPIN 6 does, and so do we: states inside atomic sequences and deterministic steps are no states, so a
//! label there is not seen; a state in which nothing can move is not an infinite run (its claim does
//! not count stuttering as non-progress); a process that waits at a progress label forever is
//! progress. One thing SPIN does not see, and we do: an atomic sequence that never ends. It is an infinite
//! run, and without progress if none of its inner states, or events, is any.
//!
//! Where the order of steps does not matter, one process moves alone (`reduction.rs`); a state of progress, and
//! one with a step of progress, has all its moves. No process is postponed forever by that: a cycle with progress in it has
//! such a state, and a cycle without is what we look for.
//!
//! The cycle that is found first can be long. Before it is shown, the nearest of its states is looked up
//! breadth-first, and from there the shortest way round, both among the states that are known by then (`lasso`). Then it is
//! replayed (`witness`). What progress is says `judge`, and `walk` takes the moves of a state.
//!
//! That is the search of one thread. Several draw the graph first (`threads`), and visit the same states: who may move alone is
//! decided in the state at hand.

mod judge;
mod lasso;
mod threads;
mod walk;
mod witness;

pub use judge::ProgressOf;
pub use lasso::Lasso;
pub(crate) use witness::words;

use crate::ENGINE;
use crate::accept;
use crate::clock::Clock;
use crate::graph::draw::{Way, alone_first};
use crate::liveness::Setting;
use crate::reduction::{self, Mode, Tally};
use crate::search::Options;
use crate::table::{Lookup, NO_PARENT, StateId, StateTable};
use model::budget::{Budget, Stopwatch};
use model::context::Context;
use model::fairness::Fairness;
use model::fault::Overflow;
use model::ids::{EdgeId, MachineId};
use model::semantics::{Semantics, Step};
use model::verdict::{Certificate, Outcome, Property, Reason, SearchStats, Verdict};
use std::collections::HashSet;
use walk::Walk;
use witness::witness;

/// An edge that is being taken by a process; a rendezvous is two of them.
#[derive(Clone, Copy, Debug)]
pub struct Taken<'a> {
    /// The state it is taken in.
    pub state: &'a [u8],
    /// The step that it is, or is one half of.
    pub step: Step,
    /// The process.
    pub process: u32,
    /// Its type.
    pub machine: MachineId,
    /// The edge.
    pub edge: EdgeId,
}

/// What the search found.
#[derive(Debug, Default)]
pub struct Found {
    /// A cycle without progress.
    pub lasso: Option<Lasso>,
    /// It is one of an atomic sequence that never ends.
    pub endless: bool,
    /// Why the search is not complete, if there is neither a cycle nor an end.
    pub stopped: Option<Reason>,
    /// What was counted.
    pub stats: SearchStats,
    /// The digest of all states that were visited, if none is left.
    pub digest: Option<u128>,
    /// States in which one process moved alone, since the order of steps does not matter.
    pub alone: u64,
    /// States were left out, or might have been.
    pub reduced: bool,
}

/// Answers whether every infinite run makes progress again and again, fair or not; and whether the run that does not is
/// one of an atomic sequence that never ends, which is fair, since no other process can move in it.
pub(crate) fn livelock(setting: &Setting<'_>, progress: &ProgressOf<'_>) -> (Outcome, bool) {
    let start = Stopwatch::start();
    let Setting { semantics, sources, cx, .. } = *setting;
    let wanted = setting.options.mode(semantics.reading());
    let mode = if progress.reduction(semantics).is_some() { wanted } else { Mode::Off };
    let searched = |tried: Mode, budget: &Budget| {
        let way = Way { options: setting.options, large: reduction::is_last(mode, budget) };
        search_in(semantics, progress, tried, way, &cx.with(budget))
    };
    let tally = |found: &Found| Tally {
        alone: found.alone,
        states: found.stats.states,
        full: found.stopped == Some(Reason::States),
    };
    let found = reduction::gradually(mode, cx.budget, &searched, &tally);
    let open = Outcome::open(Property::Livelock, semantics.reading(), ENGINE, crate::no_digest());
    let mut outcome = Outcome { time: start.elapsed(), stats: Some(found.stats), ..open };
    match (found.lasso, found.stopped, found.digest) {
        (Some(lasso), ..) => match witness(semantics, sources, progress, &lasso) {
            Some(witness) => {
                outcome.verdict = Verdict::Violated;
                outcome.witness = Some(witness);
            }
            None => {
                let reason = String::from("a cycle was found, but its run did not replay");
                outcome.verdict = Verdict::Inconclusive(Reason::Internal(reason));
            }
        },
        (None, None, Some(digest)) => {
            let (states, events) = (outcome.stats.as_ref().map_or(0, |stats| stats.states), progress.names());
            outcome.prove(match found.reduced {
                false => Certificate::Explored { states, digest, longest: Vec::new(), events },
                true => Certificate::Searched { fair: Fairness::None, events },
            });
        }
        (None, Some(reason), _) => outcome.verdict = Verdict::Inconclusive(reason),
        (None, None, None) => {}
    }
    (outcome, found.endless)
}

/// Searches for a cycle without progress, among all states, in one thread.
pub fn search(semantics: &Semantics<'_>, progress: &ProgressOf<'_>, cx: &Context<'_>) -> Found {
    search_in(semantics, progress, Mode::Off, Way { options: &Options::default(), large: false }, cx)
}

fn search_in(plain: &Semantics<'_>, progress: &ProgressOf<'_>, mode: Mode, way: Way<'_>, cx: &Context<'_>) -> Found {
    let trimmed = if mode == Mode::Off { None } else { progress.trimmed(plain) };
    let (semantics, reduce) = (trimmed.as_ref().unwrap_or(plain), mode == Mode::On);
    let alone = |cx: &Context<'_>| {
        let mut search = Search::new(semantics, progress, reduce, cx);
        let ended = search.run();
        search.finish(ended)
    };
    let together = |cx: &Context<'_>| threads::search(semantics, progress, reduce, way.options, cx);
    let mut found = alone_first(way, cx, &alone, &together, &|found: &Found| found.stopped.clone());
    if trimmed.is_some()
        && let Some(lasso) = found.lasso.take()
    {
        // What nothing reads any more may be different after a cycle of the trimmed semantics.
        found.lasso = accept::close(plain, &lasso.stem, &lasso.cycle).map(|(stem, cycle)| Lasso { stem, cycle });
        let reason = || Reason::Internal(String::from("a cycle was found, but it is none of the model"));
        found.stopped = found.lasso.is_none().then(reason);
    }
    Found { reduced: trimmed.is_some(), ..found }
}

/// Why the search ended before all states were visited.
enum Ended {
    Stopped(Reason),
    /// The edge from a state back to one on the way to it.
    Cycle(StateId),
    /// An atomic sequence from this state: the steps to where it repeats, and those that repeat.
    Endless(StateId, Vec<Step>, Vec<Step>),
}

impl From<Reason> for Ended {
    fn from(reason: Reason) -> Ended {
        Ended::Stopped(reason)
    }
}

struct Search<'a> {
    walk: Walk<'a>,
    clock: Clock<'a>,
    table: StateTable,
    /// Per state: not looked at, on the way, or done.
    colours: Vec<Colour>,
    /// The path: states, and where their successors start in `waiting`.
    path: Vec<(StateId, usize)>,
    /// Successors without progress that are still to be looked at.
    waiting: Vec<StateId>,
    depth: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Colour {
    White,
    Grey,
    Black,
}

impl<'a> Search<'a> {
    fn new(semantics: &'a Semantics<'a>, progress: &'a ProgressOf<'a>, reduce: bool, cx: &Context<'a>) -> Self {
        Search {
            walk: Walk::new(semantics, progress, reduce),
            clock: Clock::new(*cx),
            table: StateTable::default(),
            colours: Vec::new(),
            path: Vec::new(),
            waiting: Vec::new(),
            depth: 0,
        }
    }

    fn run(&mut self) -> Result<(), Ended> {
        let initial = self.walk.initial()?;
        self.table.insert(&initial, NO_PARENT);
        self.colours.push(Colour::White);
        let mut root = 0;
        while root < self.table.len() {
            if self.colours[root] == Colour::White {
                self.depth_first(root as StateId)?;
            }
            root += 1;
        }
        match &self.walk.mover.crashed {
            Some(crash) => Err(Ended::Stopped(Reason::Crash(crash.fault.to_string()))),
            None => Ok(()),
        }
    }

    /// Goes through all states that can be reached from a state without progress.
    fn depth_first(&mut self, root: StateId) -> Result<(), Ended> {
        self.enter(root)?;
        while let Some(&(state, first)) = self.path.last() {
            if self.waiting.len() == first {
                self.colours[state as usize] = Colour::Black;
                self.path.pop();
                continue;
            }
            let Some(next) = self.waiting.pop() else { continue };
            match self.colours[next as usize] {
                Colour::White => self.enter(next)?,
                Colour::Grey => return Err(Ended::Cycle(next)),
                Colour::Black => {}
            }
        }
        Ok(())
    }

    /// Puts a state on the way.
    fn enter(&mut self, id: StateId) -> Result<(), Ended> {
        self.colours[id as usize] = Colour::Grey;
        self.path.push((id, self.waiting.len()));
        self.depth = self.depth.max(self.path.len() as u64);
        self.check_limits()?;
        let state = self.table.state(id).to_vec();
        let is_progress = self.walk.judge.is_state(&state);
        self.walk.expand(&state, !is_progress, &self.clock)?;
        if let Some((stem, cycle)) = self.walk.endless() {
            return Err(Ended::Endless(id, stem, cycle));
        }
        // The first move is looked at first: it is last on the stack.
        for index in (0..self.walk.mover.len()).rev() {
            let next = self.store(id, index)?;
            if !is_progress && !self.walk.mover.is_marked(index) {
                self.waiting.push(next);
            }
        }
        Ok(())
    }

    fn store(&mut self, from: StateId, index: usize) -> Result<StateId, Ended> {
        match self.table.insert(self.walk.mover.state(index), from) {
            Lookup::New(id) => {
                self.colours.push(Colour::White);
                Ok(id)
            }
            Lookup::Known(id) => Ok(id),
            Lookup::Full => Err(Ended::Stopped(Reason::from(Overflow::States))),
        }
    }

    fn check_limits(&mut self) -> Result<(), Ended> {
        let stopped = self.clock.tick_deep(&self.table, self.path.len(), self.depth, self.walk.mover.transitions);
        stopped.map_or(Ok(()), |reason| Err(Ended::Stopped(reason)))
    }

    fn finish(mut self, ended: Result<(), Ended>) -> Found {
        let (mut lasso, mut stopped, mut digest) = (None, None, None);
        let endless = matches!(ended, Err(Ended::Endless(..)));
        match ended {
            Ok(()) => digest = Some(self.digest()),
            Err(Ended::Stopped(reason)) => stopped = Some(reason),
            Err(Ended::Cycle(start)) => lasso = self.lasso(start),
            Err(Ended::Endless(state, stem, cycle)) => {
                let mut path = self.path_to(&HashSet::from([state])).1;
                path.extend(stem);
                lasso = Some(Lasso { stem: path, cycle });
            }
        }
        let stats = SearchStats {
            states: self.table.len() as u64,
            transitions: self.walk.mover.transitions,
            depth: self.depth,
            state_bytes: self.table.state_bytes(),
            memory_bytes: self.table.memory_bytes(),
            violations: u64::from(lasso.is_some()),
        };
        Found { lasso, endless, stopped, stats, digest, alone: self.walk.alone, reduced: false }
    }

    fn digest(&mut self) -> u128 {
        let (table, stepper) = (&self.table, &mut self.walk.mover.stepper);
        (0..table.len() as StateId).fold(0u128, |sum, id| sum.wrapping_add(stepper.digest(table.state(id))))
    }
}
