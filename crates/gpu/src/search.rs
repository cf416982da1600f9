//! A breadth-first search on two machines: the CPU begins, a device goes on once layers are wide, and what the device cannot
//! do comes back state by state.
//!
//! A state that fits the packing is in the device's set, and any other is kept by the CPU; which of the two depends on the
//! state alone, so each state is in one set, once. The CPU expands what it keeps, and what the kernel flags, with the one
//! [`Expander`]; both kinds of successors go to where they belong. Every number has a parent, in one numbering of both
//! sets, along which runs are rebuilt.

use crate::backend::{Compile, Failure};
use crate::generate::{self, Unsupported};
use crate::packing::Packing;
use crate::store::{EARLY, KEPT, Stop, Store};
use explore::Options;
use explore::expansion::{Expander, Problem, Unfinished};
use explore::search::{Found, Violations};
use explore::table::{Lookup, NO_PARENT, StateId, StateTable};
use model::budget::{Budget, Stopwatch};
use model::context::Context;
use model::fault::{FaultAt, Overflow};
use model::ids::MachineId;
use model::semantics::{Reached, Semantics, Step};
use model::source::SourceMap;
use model::verdict::{Progress, Property, Reason, SearchStats};
use std::collections::HashMap;
use std::fmt;

/// States for one thread of the CPU.
const SHARE: usize = 256;

/// Why there is no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// No kernel is generated for the model.
    Unsupported(String),
    /// The device, its driver or its compiler failed.
    Failed(Failure),
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refused::Unsupported(why) => f.write_str(why),
            Refused::Failed(failure) => failure.fmt(f),
        }
    }
}

impl From<Unsupported> for Refused {
    fn from(unsupported: Unsupported) -> Refused {
        Refused::Unsupported(unsupported.0)
    }
}

/// What a search says beside its result.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// The device; empty if the CPU was done before it began.
    pub device: String,
    /// States that the CPU expanded after that: flagged ones, and those that it keeps.
    pub fallback: u64,
    /// Bits of a state in the device's set.
    pub bits: u64,
    /// Seconds until the text was compiled and loaded.
    pub compilation: f64,
    /// Seconds from then on.
    pub seconds: f64,
}

/// Searches the states of a model; the device begins with the first layer of at least `wide` states.
pub fn search(
    (semantics, sources): (&Semantics<'_>, &SourceMap),
    options: &Options,
    wide: usize,
    compiler: &dyn Compile,
    cx: &Context<'_>,
) -> Result<(Found, Report), Refused> {
    if let Some(unsupported) = generate::unsupported(semantics) {
        return Err(unsupported.into());
    }
    let mut start = Start::new(semantics, options, *cx);
    let stopped = match start.run(wide) {
        Ok(false) => None,
        Ok(true) => return start.go_on(sources, compiler),
        Err(reason) => Some(reason),
    };
    Ok((start.finish(stopped), Report::default()))
}

/// The text for a model, as it would be compiled once the search is `wide`.
pub fn text(semantics: &Semantics<'_>, sources: &SourceMap, wide: usize, cx: &Context<'_>) -> Result<String, Refused> {
    if let Some(unsupported) = generate::unsupported(semantics) {
        return Err(unsupported.into());
    }
    let options = Options { keep_going: true, ..Options::default() };
    let mut start = Start::new(semantics, &options, *cx);
    // Where the search ends early, the text is for what was found.
    if !matches!(start.run(wide), Ok(true)) {
        start.layer = 0;
    }
    let packing = start.packing()?;
    Ok(generate::generate(semantics, sources, &packing))
}

/// What the CPU found of some states.
#[derive(Default)]
struct Harvest {
    words: Vec<u32>,
    parents: Vec<u32>,
    kept: Vec<(Vec<u8>, u32)>,
    problems: Vec<(Problem, u32)>,
    transitions: u64,
    digest: u128,
    crashed: Option<FaultAt>,
    reached: Option<Reached>,
    stopped: Option<Reason>,
}

impl Harvest {
    /// Expands states, each with its number.
    fn gather(semantics: &Semantics<'_>, packing: &Packing, budget: &Budget, states: &[(Vec<u8>, u32)]) -> Harvest {
        let mut harvest = Harvest::default();
        let mut expander = Expander::new(semantics);
        let mut bytes = Vec::new();
        for (state, number) in states {
            let Harvest { words, parents, kept, .. } = &mut harvest;
            let mut sink = |state: &[u8]| match packing.encode(state, &mut bytes, words) {
                true => parents.push(*number),
                false => kept.push((state.to_vec(), *number)),
            };
            let expanded = expander.expand(state, &mut sink, &mut || budget.check().err());
            harvest.problems.extend(expander.problems.drain(..).map(|problem| (problem, *number)));
            if let Err(unfinished) = expanded {
                harvest.stopped = Some(Unfinished::reason(unfinished));
                break;
            }
        }
        (harvest.transitions, harvest.digest) = (expander.transitions, expander.digest);
        harvest.reached = Some(expander.stepper.reached().clone());
        harvest.crashed = expander.crashed.take();
        harvest
    }
}

/// The search of the CPU, up to where it is wide.
struct Start<'a> {
    semantics: &'a Semantics<'a>,
    options: &'a Options,
    cx: Context<'a>,
    expander: Expander<'a>,
    table: StateTable,
    violations: Violations<u32>,
    /// The first state of the layer that comes next.
    layer: StateId,
    depth: u64,
}

impl<'a> Start<'a> {
    fn new(semantics: &'a Semantics<'a>, options: &'a Options, cx: Context<'a>) -> Self {
        let (table, violations) = (StateTable::default(), Violations::default());
        Start { semantics, options, cx, expander: Expander::new(semantics), table, violations, layer: 0, depth: 0 }
    }

    /// Whether there is a wide layer; without one, all states have been visited.
    fn run(&mut self, wide: usize) -> Result<bool, Reason> {
        match self.expander.stepper.initial() {
            Err(overflow) => return Err(Reason::from(overflow)),
            Ok(Err(fault)) => {
                let reason = format!("there is no first state: {}", fault.fault);
                let problem =
                    Problem { property: Property::Safety, last_steps: Vec::new(), fault: Some(fault), same: 0 };
                self.violations.add(self.options, problem, NO_PARENT);
                return Err(Reason::NotSupported(reason));
            }
            Ok(Ok(state)) => drop(self.table.insert(&state, NO_PARENT)),
        }
        let mut state = Vec::new();
        loop {
            let end = self.table.len() as StateId;
            if (end - self.layer) as usize >= wide {
                return Ok(true);
            }
            self.cx.budget.fits_depth(self.depth + 1)?;
            for id in self.layer..end {
                state.clear();
                state.extend_from_slice(self.table.state(id));
                self.expand(&state, id)?;
            }
            if self.table.len() as StateId == end {
                return Ok(false);
            }
            self.layer = end;
            self.depth += 1;
        }
    }

    fn expand(&mut self, state: &[u8], id: StateId) -> Result<(), Reason> {
        let (table, budget) = (&mut self.table, self.cx.budget);
        let mut full = false;
        let mut sink = |next: &[u8]| full |= table.insert(next, id) == Lookup::Full;
        let expanded = self.expander.expand(state, &mut sink, &mut || budget.check().err());
        for problem in self.expander.problems.drain(..) {
            self.violations.add(self.options, problem, EARLY + id);
        }
        expanded.map_err(Unfinished::reason)?;
        if full || self.table.len() as u32 >= KEPT - EARLY {
            return Err(Reason::from(Overflow::States));
        }
        if !self.options.keep_going && !self.violations.is_empty() {
            return Err(Reason::StoppedEarly);
        }
        if budget.most_states().is_some_and(|most| self.table.len() as u64 >= most) {
            return Err(Reason::States);
        }
        budget.spend(1)
    }

    /// The packing for the processes that most states of the layer have, or begin with.
    fn packing(&mut self) -> Result<Packing, Refused> {
        let mut shapes: HashMap<Vec<MachineId>, (usize, StateId)> = HashMap::new();
        for id in self.layer..self.table.len() as StateId {
            let stepper = &mut self.expander.stepper;
            stepper.load(self.table.state(id));
            let machines = (0..stepper.loaded_processes()).map(|process| stepper.loaded_place(process).0).collect();
            shapes.entry(machines).or_insert((0, id)).0 += 1;
        }
        let covered = |shape: &Vec<MachineId>| -> usize {
            shapes.iter().filter(|(other, _)| shape.starts_with(other)).map(|(_, (count, _))| count).sum()
        };
        let best = shapes.iter().max_by_key(|(shape, (_, id))| (covered(shape), shape.len(), *id));
        let samples = (self.layer..self.table.len() as StateId).map(|id| self.table.state(id));
        let packing = best.and_then(|(shape, _)| Packing::new(self.semantics, shape, samples));
        packing.ok_or_else(|| Refused::Unsupported(String::from("a state of the model is too large for a device")))
    }

    fn finish(mut self, stopped: Option<Reason>) -> Found {
        let digest = stopped.is_none().then_some(self.expander.digest);
        let stats = SearchStats {
            states: self.table.len() as u64,
            transitions: self.expander.transitions,
            depth: self.depth,
            state_bytes: self.table.state_bytes(),
            memory_bytes: self.table.memory_bytes(),
            violations: 0,
        };
        let reached = stopped.is_none().then(|| self.expander.stepper.reached().clone());
        let crashed = self.expander.crashed.take();
        let (table, expander) = (&self.table, &mut self.expander);
        let run = |at: &u32, last: &[Step]| {
            let mut chain = Vec::new();
            let mut at = Some(*at).filter(|&number| number != NO_PARENT).map(|number| number - EARLY);
            while let Some(id) = at {
                chain.push(table.state(id).to_vec());
                at = table.parent(id);
            }
            chain.reverse();
            expander.run_along(&chain, last)
        };
        Found { reached, ..self.violations.found(stopped, stats, digest, crashed, run) }
    }

    /// The device takes over.
    fn go_on(mut self, sources: &SourceMap, compiler: &dyn Compile) -> Result<(Found, Report), Refused> {
        let packing = self.packing()?;
        let text = generate::generate(self.semantics, sources, &packing);
        let start = Stopwatch::start();
        let backend = compiler.compile(&text).map_err(Refused::Failed)?;
        let compilation = start.elapsed().as_secs_f64();
        let places = self.semantics.network().machines.iter().map(|machine| machine.locations.len()).sum();
        let store = Store::new(backend, &packing, places, self.cx.budget.most_memory());
        let store = store.map_err(|stop| match stop {
            Stop::Failed(failure) => Refused::Failed(failure),
            Stop::Full => Refused::Failed(Failure(String::from("too little memory on the device"))),
        })?;
        let report = Report { device: store.name(), fallback: 0, bits: packing.bits as u64, compilation, seconds: 0.0 };
        let start = Stopwatch::start();
        let (semantics, options, cx) = (self.semantics, self.options, self.cx);
        let mut search = Search {
            semantics,
            options,
            cx,
            packing,
            store,
            start: self,
            numbers: Vec::new(),
            kept: StateTable::default(),
            first: 0,
            first_kept: 0,
            report,
        };
        let stopped = match search.run() {
            Ok(()) => None,
            Err(End::Reason(reason)) => Some(reason),
            Err(End::Failed(failure)) => return Err(Refused::Failed(failure)),
        };
        search.report.seconds = start.elapsed().as_secs_f64();
        search.finish(stopped).map_err(Refused::Failed)
    }
}

/// Why the search ended before its end.
enum End {
    Reason(Reason),
    Failed(Failure),
}

impl From<Stop> for End {
    fn from(stop: Stop) -> End {
        match stop {
            Stop::Full => End::Reason(Reason::Memory),
            Stop::Failed(failure) => End::Failed(failure),
        }
    }
}

impl From<Reason> for End {
    fn from(reason: Reason) -> End {
        End::Reason(reason)
    }
}

/// The search of both.
struct Search<'a> {
    semantics: &'a Semantics<'a>,
    options: &'a Options,
    cx: Context<'a>,
    packing: Packing,
    store: Store,
    /// What was found before, and what the CPU has counted.
    start: Start<'a>,
    /// The numbers of the states that were found before, by their first numbers.
    numbers: Vec<u32>,
    /// States that do not fit the packing.
    kept: StateTable,
    /// Where the next layer begins, in both sets.
    first: u64,
    first_kept: StateId,
    report: Report,
}

impl Search<'_> {
    fn run(&mut self) -> Result<(), End> {
        self.hand_over()?;
        loop {
            let (end, end_kept) = (self.store.used, self.kept.len() as StateId);
            self.cx.budget.fits_depth(self.start.depth + 1)?;
            while self.first < end {
                let (count, flagged) = self.store.expand(self.first, end)?;
                self.first += count;
                for numbers in flagged.chunks(1 << 16) {
                    let states = self.decoded(numbers)?;
                    self.fall_back(states)?;
                }
                self.look_at_limits(end)?;
            }
            while self.first_kept < end_kept {
                let last = end_kept.min(self.first_kept + (1 << 16));
                let state = |id: StateId| (self.kept.state(id).to_vec(), KEPT + id);
                let states = (self.first_kept..last).map(state).collect();
                self.first_kept = last;
                self.fall_back(states)?;
                self.look_at_limits(end)?;
            }
            if self.store.used == end && self.kept.len() as StateId == end_kept {
                return Ok(());
            }
            self.start.depth += 1;
        }
    }

    /// All states that are known go to where they belong, in the same order.
    fn hand_over(&mut self) -> Result<(), End> {
        let (mut words, mut parents, mut bytes) = (Vec::new(), Vec::new(), Vec::new());
        let mut numbers = Vec::with_capacity(self.start.table.len());
        for id in 0..self.start.table.len() as StateId {
            let parent = self.start.table.parent(id).map_or(NO_PARENT, |parent| numbers[parent as usize]);
            if id == self.start.layer {
                (self.first, self.first_kept) = (parents.len() as u64, self.kept.len() as StateId);
            }
            let state = self.start.table.state(id);
            if self.packing.encode(state, &mut bytes, &mut words) {
                numbers.push(parents.len() as u32);
                parents.push(parent);
            } else {
                numbers.push(KEPT + self.kept.len() as u32);
                self.kept.insert(state, parent);
            }
        }
        self.numbers = numbers;
        Ok(self.store.begin(&words, &parents)?)
    }

    fn decoded(&mut self, numbers: &[u32]) -> Result<Vec<(Vec<u8>, u32)>, Stop> {
        let words = self.store.states(numbers)?;
        let mut bytes = Vec::new();
        let states = words.chunks(self.packing.words).zip(numbers).map(|(words, &number)| {
            let mut state = Vec::new();
            self.packing.decode(words, &mut bytes, &mut state);
            (state, number)
        });
        Ok(states.collect())
    }

    /// The CPU expands states, in several threads if there are many.
    fn fall_back(&mut self, states: Vec<(Vec<u8>, u32)>) -> Result<(), End> {
        self.report.fallback += states.len() as u64;
        let threads = states.len().div_ceil(SHARE).min(self.options.jobs.max(1)).max(1);
        let (semantics, packing, budget) = (self.semantics, &self.packing, self.cx.budget);
        let harvests: Vec<Option<Harvest>> = match threads {
            1 => vec![Some(Harvest::gather(semantics, packing, budget, &states))],
            _ => std::thread::scope(|scope| {
                let parts = states.chunks(states.len().div_ceil(threads));
                let start = |part| scope.spawn(move || Harvest::gather(semantics, packing, budget, part));
                let workers: Vec<_> = parts.map(start).collect();
                workers.into_iter().map(|worker| worker.join().ok()).collect()
            }),
        };
        for harvest in harvests {
            let harvest = harvest.ok_or_else(|| Reason::Internal(String::from("a thread of the search failed")))?;
            self.take_in(harvest)?;
        }
        Ok(())
    }

    fn take_in(&mut self, harvest: Harvest) -> Result<(), End> {
        self.store.enter(&harvest.words, &harvest.parents)?;
        for (state, parent) in harvest.kept {
            if self.kept.len() as u32 >= u32::MAX - KEPT - 2 || self.kept.insert(&state, parent) == Lookup::Full {
                return Err(Reason::from(Overflow::States).into());
            }
        }
        for (problem, number) in harvest.problems {
            self.start.violations.add(self.options, problem, number);
        }
        let expander = &mut self.start.expander;
        expander.transitions += harvest.transitions;
        expander.digest = expander.digest.wrapping_add(harvest.digest);
        expander.crashed = expander.crashed.take().or(harvest.crashed);
        if let Some(reached) = harvest.reached {
            expander.stepper.reach(&reached);
        }
        harvest.stopped.map_or(Ok(()), |reason| Err(reason.into()))
    }

    fn states(&self) -> u64 {
        self.store.used - self.store.dead + self.kept.len() as u64
    }

    fn look_at_limits(&mut self, end: u64) -> Result<(), End> {
        if !self.options.keep_going && !self.start.violations.is_empty() {
            return Err(Reason::StoppedEarly.into());
        }
        let more = self.first < end || self.store.used > end || self.first_kept < self.kept.len() as StateId;
        if more && self.cx.budget.most_states().is_some_and(|most| self.states() >= most) {
            return Err(Reason::States.into());
        }
        self.cx.progress(|| Progress {
            engine: explore::ENGINE,
            states: self.states(),
            waiting: self.store.used - self.first + u64::from(self.kept.len() as StateId - self.first_kept),
            transitions: self.store.transitions + self.start.expander.transitions,
            depth: self.start.depth,
            memory_bytes: self.store.memory_bytes() + self.kept.memory_bytes(),
        });
        Ok(self.cx.budget.room(self.kept.memory_bytes(), 0)?)
    }

    /// The states from the first one to the one with this number.
    fn chain(&mut self, number: u32) -> Result<Vec<Vec<u8>>, Stop> {
        let early = (EARLY..KEPT).contains(&number);
        let (mut chain, mut at) = (Vec::new(), if early { self.numbers[(number - EARLY) as usize] } else { number });
        while at != NO_PARENT {
            if at >= KEPT {
                chain.push(self.kept.state(at - KEPT).to_vec());
                at = self.kept.parent(at - KEPT).unwrap_or(NO_PARENT);
            } else {
                chain.extend(self.decoded(&[at])?.into_iter().map(|(state, _)| state));
                at = self.store.parent(at)?;
            }
        }
        chain.reverse();
        Ok(chain)
    }

    fn finish(mut self, stopped: Option<Reason>) -> Result<(Found, Report), Failure> {
        let digest = self.start.expander.digest.wrapping_add(self.store.digest);
        let stats = SearchStats {
            states: self.states(),
            transitions: self.start.expander.transitions + self.store.transitions,
            depth: self.start.depth,
            state_bytes: (self.store.used - self.store.dead) * 4 * self.packing.words as u64 + self.kept.state_bytes(),
            memory_bytes: self.store.memory_bytes() + self.kept.memory_bytes(),
            violations: 0,
        };
        let failed = |stop: Stop| match stop {
            Stop::Failed(failure) => failure,
            Stop::Full => Failure(String::from("a run could not be rebuilt")),
        };
        let mut reached = self.start.expander.stepper.reached().clone();
        reached.add(self.store.reached().map_err(failed)?.into_iter());
        let reached = stopped.is_none().then_some(reached);
        let crashed = self.start.expander.crashed.take();
        let violations = std::mem::take(&mut self.start.violations);
        let mut trouble = None;
        let digest = stopped.is_none().then_some(digest);
        let found = violations.found(stopped, stats, digest, crashed, |&number, last| match self.chain(number) {
            Ok(chain) => self.start.expander.run_along(&chain, last),
            Err(stop) => {
                trouble = Some(failed(stop));
                Vec::new()
            }
        });
        match trouble {
            Some(failure) => Err(failure),
            None => Ok((Found { reached, ..found }, self.report)),
        }
    }
}
