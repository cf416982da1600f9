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
//! replayed (`witness`). What progress is says `judge`.

mod judge;
mod lasso;
mod witness;

pub use judge::ProgressOf;
pub use lasso::Lasso;
pub(crate) use witness::words;

use crate::ENGINE;
use crate::accept;
use crate::clock::Clock;
use crate::liveness::Setting;
use crate::moves::Mover;
use crate::reduction::{self, Choice, Mode, Reduction, Tally};
use crate::table::{Lookup, NO_PARENT, StateId, StateTable};
use judge::Judge;
use model::budget::{Budget, Stopwatch};
use model::context::Context;
use model::ids::{EdgeId, MachineId};
use model::semantics::{Semantics, Step, Successor};
use model::verdict::{Certificate, Outcome, Property, Reason, SearchStats, Verdict};
use std::collections::HashSet;
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
#[derive(Debug)]
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
    let mode =
        if progress.reduction(semantics).is_some() { setting.reduction.of(semantics.reading()) } else { Mode::Off };
    let searched = |mode: Mode, budget: &Budget| search_in(semantics, progress, mode, &cx.with(budget));
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
                true => Certificate::Searched { fair: false, events },
            });
        }
        (None, Some(reason), _) => outcome.verdict = Verdict::Inconclusive(reason),
        (None, None, None) => {}
    }
    (outcome, found.endless)
}

/// Searches for a cycle without progress, among all states.
pub fn search(semantics: &Semantics<'_>, progress: &ProgressOf<'_>, cx: &Context<'_>) -> Found {
    search_in(semantics, progress, Mode::Off, cx)
}

fn search_in(semantics: &Semantics<'_>, progress: &ProgressOf<'_>, mode: Mode, cx: &Context<'_>) -> Found {
    let trimmed = if mode == Mode::Off { None } else { progress.trimmed(semantics) };
    let mut search = Search::new(trimmed.as_ref().unwrap_or(semantics), progress, mode == Mode::On, cx);
    let ended = search.run();
    let mut found = search.finish(ended);
    if trimmed.is_some()
        && let Some(lasso) = found.lasso.take()
    {
        // What nothing reads any more may be different after a cycle of the trimmed semantics.
        found.lasso = accept::close(semantics, &lasso.stem, &lasso.cycle).map(|(stem, cycle)| Lasso { stem, cycle });
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

struct Search<'a> {
    judge: Judge<'a>,
    clock: Clock<'a>,
    mover: Mover<'a>,
    reduction: Option<Reduction<'a>>,
    choices: Vec<Choice>,
    alone: u64,
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
        let judge = Judge::new(semantics, progress);
        let mut mover = Mover::new(semantics);
        if judge.watcher.has_events() {
            mover.stepper.listen();
        }
        Search {
            judge,
            clock: Clock::new(*cx),
            mover,
            reduction: reduce.then(|| progress.reduction(semantics)).flatten(),
            choices: Vec::new(),
            alone: 0,
            table: StateTable::default(),
            colours: Vec::new(),
            path: Vec::new(),
            waiting: Vec::new(),
            depth: 0,
        }
    }

    fn run(&mut self) -> Result<(), Ended> {
        let initial = self.mover.stepper.initial().map_err(|overflow| Ended::Stopped(Reason::from(overflow)))?;
        let initial = initial.map_err(|fault| {
            Ended::Stopped(Reason::NotSupported(format!("there is no first state: {}", fault.fault)))
        })?;
        self.table.insert(&initial, NO_PARENT);
        self.colours.push(Colour::White);
        let mut root = 0;
        while root < self.table.len() {
            if self.colours[root] == Colour::White {
                self.depth_first(root as StateId)?;
            }
            root += 1;
        }
        match &self.mover.crashed {
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
        let is_progress = self.judge.is_state(&state);
        self.expand(&state, !is_progress)?;
        let judge = &mut self.judge;
        if let Some((stem, cycle)) = self.mover.endless(&mut |inner| judge.is_state(inner)) {
            return Err(Ended::Endless(id, stem, cycle));
        }
        // The first move is looked at first: it is last on the stack.
        for index in (0..self.mover.len()).rev() {
            let next = self.store(id, index)?;
            if !is_progress && !self.mover.is_marked(index) {
                self.waiting.push(next);
            }
        }
        Ok(())
    }

    /// Gathers the moves of a state; of one process only, where that may be and is enough.
    fn expand(&mut self, state: &[u8], may_reduce: bool) -> Result<(), Ended> {
        if let Some(reduction) = self.reduction.as_mut().filter(|_| may_reduce) {
            self.judge.asker.load(state);
            reduction.choices(&self.judge.asker, true, &mut self.choices);
            for index in 0..self.choices.len() {
                self.moves(state, Some(self.choices[index].process))?;
                if !self.mover.is_empty() {
                    self.alone += 1;
                    return Ok(());
                }
            }
        }
        self.moves(state, None)
    }

    /// Gathers the moves of a process, or of all.
    fn moves(&mut self, state: &[u8], process: Option<u32>) -> Result<(), Ended> {
        let (judge, clock) = (&mut self.judge, &self.clock);
        let mut mark = |state: &[u8], successor: &Successor<'_>| u128::from(judge.is_event(state, successor));
        match self.mover.expand_process(state, process, &mut mark, &|| clock.must_stop(0).is_some()) {
            Ok(true) => Ok(()),
            Ok(false) => Err(Ended::Stopped(self.clock.must_stop(0).unwrap_or(Reason::Interrupted))),
            Err(overflow) => Err(Ended::Stopped(Reason::from(overflow))),
        }
    }

    fn store(&mut self, from: StateId, index: usize) -> Result<StateId, Ended> {
        match self.table.insert(self.mover.state(index), from) {
            Lookup::New(id) => {
                self.colours.push(Colour::White);
                Ok(id)
            }
            Lookup::Known(id) => Ok(id),
            Lookup::Full => Err(Ended::Stopped(Reason::from(model::fault::Overflow::States))),
        }
    }

    fn check_limits(&mut self) -> Result<(), Ended> {
        let stopped = self.clock.tick_deep(&self.table, self.path.len(), self.depth, self.mover.transitions);
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
            transitions: self.mover.transitions,
            depth: self.depth,
            state_bytes: self.table.state_bytes(),
            memory_bytes: self.table.memory_bytes(),
            violations: u64::from(lasso.is_some()),
        };
        Found { lasso, endless, stopped, stats, digest, alone: self.alone, reduced: false }
    }

    fn digest(&mut self) -> u128 {
        let (table, stepper) = (&self.table, &mut self.mover.stepper);
        (0..table.len() as StateId).fold(0u128, |sum, id| sum.wrapping_add(stepper.digest(table.state(id))))
    }
}
