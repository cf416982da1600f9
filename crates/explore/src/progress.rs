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
//! not count stuttering as non-progress); a process that waits at a progress label for ever is
//! progress. One thing SPIN does not see, and we do: an atomic sequence that never ends. It is an infinite
//! run, and without progress if none of its inner states, or events, is any.
//!
//! Where the order of steps does not matter, one process moves alone (`reduction.rs`); a state of progress, and
//! one with a step of progress, has all its moves. Nobody is put off for ever by that: a cycle with progress in it has
//! such a state, and a cycle without is what we look for.
//!
//! The cycle that is found first can be long. Before it is shown, the nearest of its states is looked up
//! breadth-first, and from there the shortest way round, both among the states that are known by then.

use crate::ENGINE;
use crate::clock::Clock;
use crate::liveness::Setting;
use crate::moves::Mover;
use crate::reduction::{self, Choice, Labels, Mode, Reduction, Tally};
use crate::table::{Lookup, NO_PARENT, StateId, StateTable};
use model::claim::Watcher;
use model::event::Event;
use model::formula::Atom;
use model::ids::{EdgeId, MachineId};
use model::semantics::{Semantics, Step, Stepper, Successor};
use model::source::SourceMap;
use model::trace::Narrator;
use model::verdict::{
    Certificate, Limits, Observer, Outcome, Progress, Property, Reason, SearchStats, Verdict, Witness,
};
use std::collections::{HashMap, HashSet, VecDeque};
use std::time::Instant;

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

/// What counts as progress.
pub enum ProgressOf<'p> {
    /// That some process is at a location labelled as progress.
    Labels,
    /// That one of these events happens; each with its text.
    Named(&'p [(String, Event)]),
    /// That one of these edges is taken.
    Edges(HashSet<(MachineId, EdgeId)>),
    /// That something happens of which this holds.
    Events(&'p dyn Fn(&Taken<'_>) -> bool),
}

impl ProgressOf<'_> {
    /// The texts of the events, if they have any.
    pub fn names(&self) -> Vec<String> {
        match self {
            ProgressOf::Named(events) => events.iter().map(|(text, _)| text.clone()).collect(),
            _ => Vec::new(),
        }
    }

    /// The events that can be watched.
    fn atoms(&self) -> Vec<Atom> {
        match self {
            ProgressOf::Named(events) => events.iter().map(|(_, event)| Atom::Event(event.clone())).collect(),
            _ => Vec::new(),
        }
    }

    /// What says which process may move alone, if it can be told.
    fn reduction<'n>(&self, semantics: &Semantics<'n>) -> Option<Reduction<'n>> {
        match self {
            ProgressOf::Labels => Reduction::new(semantics, &[], Labels::Progress),
            ProgressOf::Named(_) => Reduction::new(semantics, &self.atoms(), Labels::None),
            ProgressOf::Edges(_) | ProgressOf::Events(_) => None,
        }
    }

    /// Whether a step is progress by itself; events with a name are for a [`Watcher`].
    pub fn is_event(&self, stepper: &mut Stepper<'_>, state: &[u8], step: Step) -> bool {
        let mut holds = |process: u32, edge: EdgeId| {
            let Some(machine) = stepper.machine_of(state, process) else { return false };
            match self {
                ProgressOf::Labels | ProgressOf::Named(_) => false,
                ProgressOf::Edges(edges) => edges.contains(&(machine, edge)),
                ProgressOf::Events(event) => event(&Taken { state, step, process, machine, edge }),
            }
        };
        match step {
            Step::Edge { process, edge } => holds(process, edge),
            Step::Rendezvous { sender, receiver } => holds(sender.0, sender.1) || holds(receiver.0, receiver.1),
            Step::Loss { .. } => false,
        }
    }

    /// Whether a state is progress by itself.
    pub fn is_state(&self, stepper: &mut Stepper<'_>, state: &[u8]) -> bool {
        matches!(self, ProgressOf::Labels) && stepper.is_progress(state)
    }
}

/// Says which steps are progress.
struct Judge<'a> {
    progress: &'a ProgressOf<'a>,
    watcher: Watcher<'a>,
    /// Answers questions about states while others are at work.
    asker: Stepper<'a>,
}

impl<'a> Judge<'a> {
    fn new(semantics: &'a Semantics<'a>, progress: &'a ProgressOf<'a>) -> Self {
        Judge { progress, watcher: Watcher::new(semantics, &progress.atoms()), asker: semantics.stepper() }
    }

    fn is_event(&mut self, state: &[u8], successor: &Successor<'_>) -> bool {
        match self.progress {
            ProgressOf::Labels => false,
            ProgressOf::Named(_) => self.watcher.in_step(&mut self.asker, state, successor) != 0,
            _ => self.progress.is_event(&mut self.asker, state, successor.step),
        }
    }

    fn is_state(&mut self, state: &[u8]) -> bool {
        self.progress.is_state(&mut self.asker, state)
    }
}

/// A run that ends in a loop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lasso {
    /// From the first state to the loop.
    pub stem: Vec<Step>,
    /// Once round.
    pub cycle: Vec<Step>,
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
}

/// Answers whether every infinite run makes progress again and again, fair or not; and whether the run that does not is
/// one of an atomic sequence that never ends, which is fair, since nobody else can move in it.
pub(crate) fn livelock(setting: &Setting<'_>, progress: &ProgressOf<'_>) -> (Outcome, bool) {
    let start = Instant::now();
    let Setting { semantics, sources, limits, observer, .. } = *setting;
    let mode = if progress.reduction(semantics).is_some() { setting.reduction } else { Mode::Off };
    let searched = |reduce: bool, limits: Limits| search_in(semantics, progress, reduce, limits, observer);
    let tally = |found: &Found| Tally {
        alone: found.alone,
        states: found.stats.states,
        full: found.stopped == Some(Reason::States),
    };
    let found = reduction::gradually(mode, limits, &searched, &tally);
    let mut outcome = Outcome {
        property: Property::Livelock,
        verdict: Verdict::Proved,
        reading: semantics.reading(),
        engine: ENGINE,
        time: start.elapsed(),
        stats: Some(found.stats),
        witness: None,
        certificate: None,
        details: model::verdict::Details::default(),
    };
    match (found.lasso, found.stopped, found.digest) {
        (Some(lasso), ..) => match witness(semantics, sources, progress, &lasso) {
            Some(witness) => {
                outcome.verdict = Verdict::Violated;
                outcome.witness = Some(witness);
            }
            None => {
                let reason = String::from("a cycle was found, but its run did not replay: please report this");
                outcome.verdict = Verdict::Inconclusive(Reason::NotSupported(reason));
            }
        },
        (None, None, Some(digest)) => {
            let (states, events) = (outcome.stats.as_ref().map_or(0, |stats| stats.states), progress.names());
            outcome.certificate = Some(match found.alone {
                0 => Certificate::Explored { states, digest, longest: Vec::new(), events },
                1.. => Certificate::Searched { fair: false, events },
            });
        }
        (None, Some(reason), _) => outcome.verdict = Verdict::Inconclusive(reason),
        (None, None, None) => {
            outcome.verdict = Verdict::Inconclusive(Reason::NotSupported(String::from("the search has no digest")));
        }
    }
    (outcome, found.endless)
}

/// Searches for a cycle without progress, among all states.
pub fn search(semantics: &Semantics<'_>, progress: &ProgressOf<'_>, limits: Limits, observer: &dyn Observer) -> Found {
    search_in(semantics, progress, false, limits, observer)
}

fn search_in(
    semantics: &Semantics<'_>,
    progress: &ProgressOf<'_>,
    reduce: bool,
    limits: Limits,
    observer: &dyn Observer,
) -> Found {
    let mut search = Search::new(semantics, progress, reduce, limits, observer);
    let ended = search.run();
    search.finish(ended)
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
    /// The way: states, and where their successors start in `waiting`.
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
    fn new(
        semantics: &'a Semantics<'a>,
        progress: &'a ProgressOf<'a>,
        reduce: bool,
        limits: Limits,
        observer: &'a dyn Observer,
    ) -> Self {
        let judge = Judge::new(semantics, progress);
        let mut mover = Mover::new(semantics);
        if judge.watcher.has_events() {
            mover.stepper.listen();
        }
        Search {
            judge,
            clock: Clock::new(limits, observer),
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
        let initial = self.mover.stepper.initial().map_err(|overflow| Ended::Stopped(Reason::Overflow(overflow)))?;
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
            reduction.choices(&self.judge.asker, &mut self.choices);
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
            Err(overflow) => Err(Ended::Stopped(Reason::Overflow(overflow))),
        }
    }

    fn store(&mut self, from: StateId, index: usize) -> Result<StateId, Ended> {
        match self.table.insert(self.mover.state(index), from) {
            Lookup::New(id) => {
                self.colours.push(Colour::White);
                Ok(id)
            }
            Lookup::Known(id) => Ok(id),
            Lookup::Full => Err(Ended::Stopped(Reason::Overflow(model::fault::Overflow::States))),
        }
    }

    fn check_limits(&mut self) -> Result<(), Ended> {
        let (table, path, depth, transitions) = (&self.table, &self.path, self.depth, self.mover.transitions);
        let limits = self.clock.limits;
        if limits.states.is_some_and(|limit| table.len() as u64 > limit) {
            return Err(Ended::Stopped(Reason::States));
        }
        if limits.depth.is_some_and(|limit| path.len() as u64 > limit) {
            return Err(Ended::Stopped(Reason::Depth));
        }
        let progress = || Progress {
            engine: ENGINE,
            states: table.len() as u64,
            waiting: path.len() as u64,
            transitions,
            depth,
            memory_bytes: table.memory_bytes(),
        };
        self.clock.tick(table.growth_bytes(), progress).map_or(Ok(()), |reason| Err(Ended::Stopped(reason)))
    }

    fn finish(mut self, ended: Result<(), Ended>) -> Found {
        let (mut lasso, mut stopped, mut digest) = (None, None, None);
        let endless = matches!(ended, Err(Ended::Endless(..)));
        match ended {
            Ok(()) => digest = Some(self.digest()),
            Err(Ended::Stopped(reason)) => stopped = Some(reason),
            Err(Ended::Cycle(start)) => lasso = self.lasso(start),
            Err(Ended::Endless(state, stem, cycle)) => {
                let mut way = self.way_to(&HashSet::from([state])).1;
                way.extend(stem);
                lasso = Some(Lasso { stem: way, cycle });
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
        Found { lasso, endless, stopped, stats, digest, alone: self.alone }
    }

    fn digest(&mut self) -> u128 {
        let (table, stepper) = (&self.table, &mut self.mover.stepper);
        (0..table.len() as StateId).fold(0u128, |sum, id| sum.wrapping_add(stepper.digest(table.state(id))))
    }

    // --- the lasso ----------------------------------------------------------------------------------

    /// A short lasso, given that the way from `start` leads back to `start`.
    fn lasso(&mut self, start: StateId) -> Option<Lasso> {
        let from = self.path.iter().position(|(id, _)| *id == start)?;
        let on_cycle: HashSet<StateId> = self.path[from..].iter().map(|(id, _)| *id).collect();
        let (nearest, stem) = self.way_to(&on_cycle);
        let cycle = self.nearest(nearest?, &HashSet::from([nearest?]), true).1;
        Some(Lasso { stem, cycle })
    }

    /// The nearest of some states, and a shortest way to it.
    fn way_to(&mut self, goals: &HashSet<StateId>) -> (Option<StateId>, Vec<Step>) {
        if goals.contains(&0) { (Some(0), Vec::new()) } else { self.nearest(0, goals, false) }
    }

    /// The nearest of some states in at least one move among known states, if need be without progress, and the way.
    fn nearest(&mut self, from: StateId, goals: &HashSet<StateId>, quiet: bool) -> (Option<StateId>, Vec<Step>) {
        let mut parents: HashMap<StateId, StateId> = HashMap::new();
        let mut queue = VecDeque::from([from]);
        while let Some(id) = queue.pop_front() {
            for next in self.known_successors(id, quiet) {
                if goals.contains(&next) {
                    let mut way = vec![next, id];
                    while let Some(&parent) = way.last().filter(|&&id| id != from).and_then(|id| parents.get(id)) {
                        way.push(parent);
                    }
                    way.reverse();
                    let steps = way.windows(2).flat_map(|pair| self.steps_between(pair[0], pair[1], quiet)).collect();
                    return (Some(next), steps);
                }
                if next != from && !parents.contains_key(&next) {
                    parents.insert(next, id);
                    queue.push_back(next);
                }
            }
        }
        (None, Vec::new())
    }

    /// Where the moves of a state lead among the states that were found; with `quiet`, only those without progress.
    fn known_successors(&mut self, id: StateId, quiet: bool) -> Vec<StateId> {
        let state = self.table.state(id).to_vec();
        if quiet && self.judge.is_state(&state) || self.moves(&state, None).is_err() {
            return Vec::new();
        }
        let moves = (0..self.mover.len()).filter(|&index| !quiet || !self.mover.is_marked(index));
        moves.filter_map(|index| self.table.find(self.mover.state(index))).collect()
    }

    fn steps_between(&mut self, from: StateId, to: StateId, quiet: bool) -> Vec<Step> {
        let state = self.table.state(from).to_vec();
        if self.moves(&state, None).is_err() {
            return Vec::new();
        }
        let goal = self.table.state(to);
        let leads = |index: &usize| self.mover.state(*index) == goal && !(quiet && self.mover.is_marked(*index));
        (0..self.mover.len()).find(leads).map_or_else(Vec::new, |index| self.mover.steps(index))
    }
}

// --- the witness --------------------------------------------------------------------------------------

/// Replays a lasso and puts it into words; `None` if it is not a cycle, or if there is progress in it.
fn witness(
    semantics: &Semantics<'_>,
    sources: &SourceMap,
    progress: &ProgressOf<'_>,
    lasso: &Lasso,
) -> Option<Witness> {
    let mut narrator = Narrator::new(semantics, sources);
    let start = narrator.replay(&lasso.stem).ok()?;
    let all: Vec<Step> = lasso.stem.iter().chain(&lasso.cycle).copied().collect();
    let end = narrator.replay(&all).ok()?;
    let mut stepper = semantics.stepper();
    let settled = |stepper: &mut Stepper<'_>, state: &[u8], control: Option<u32>| {
        control.filter(|&process| stepper.keeps_control(state, process) == Ok(true))
    };
    let controls = (settled(&mut stepper, &start.state, start.control), settled(&mut stepper, &end.state, end.control));
    if lasso.cycle.is_empty() || start.state != end.state || controls.0 != controls.1 {
        return None;
    }
    if makes_progress(semantics, progress, &start.state, start.control, &lasso.cycle)? {
        return None;
    }
    let (problem, problem_code) = words();
    Some(Witness {
        steps: end.steps,
        loop_from: Some(lasso.stem.len()),
        gains: Vec::new(),
        problem,
        problem_code,
        remarks: Vec::new(),
        problem_span: None,
        standing: narrator.snapshot(&end.state).processes,
    })
}

/// What is wrong with such a run, and the short name of it.
pub(crate) fn words() -> (String, &'static str) {
    (String::from("non-progress cycle"), "non-progress-cycle")
}

/// Whether there is progress in a cycle; `None` if it does not run. Inner states of atomic sequences count only where
/// the cycle has no others.
fn makes_progress(
    semantics: &Semantics<'_>,
    progress: &ProgressOf<'_>,
    start: &[u8],
    control: Option<u32>,
    cycle: &[Step],
) -> Option<bool> {
    let (mut stepper, mut judge) = (semantics.stepper(), Judge::new(semantics, progress));
    stepper.listen();
    let (mut state, mut control) = (start.to_vec(), control);
    let (mut inner, mut outer, mut events) = (false, Vec::new(), false);
    for &wanted in cycle {
        control = control.filter(|&process| stepper.keeps_control(&state, process) == Ok(true));
        let is_progress = judge.is_state(&state);
        match control {
            Some(_) => inner |= is_progress,
            None => outer.push(is_progress),
        }
        let mut next = None;
        stepper
            .expand(&state, control, &mut |successor| {
                if let (true, None, Some(after)) = (successor.step == wanted, &next, successor.state) {
                    events |= judge.is_event(&state, &successor);
                    next = Some((after.to_vec(), successor.control));
                }
            })
            .ok()?;
        (state, control) = next?;
    }
    Some(events || if outer.is_empty() { inner } else { outer.contains(&true) })
}
