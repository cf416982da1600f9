//! Explicit-state search: every reachable state, breadth-first or depth-first.
//!
//! States have numbers in the order of their discovery, so a breadth-first search needs no queue: it
//! expands state after state. A depth-first search keeps a stack of numbers. Each state remembers the
//! one it was found from; a run to it is rebuilt at the end by stepping again, so nothing else about
//! steps is stored. Breadth-first runs are shortest.
//!
//! States in the middle of an atomic sequence are not states of the system. `expand` follows
//! such a sequence to its ends, remembering what it has seen inside, so that one that loops for ever
//! does not keep it.

use crate::table::{Batch, NO_PARENT, StateId, StateTable};
use model::fault::{FaultAt, Overflow};
use model::memory::resident_bytes;
use model::semantics::{Semantics, Step, Stepper};
use model::verdict::{Limits, Observer, Progress, Property, Reason, SearchStats};
use std::collections::HashSet;
use std::time::Instant;

/// In which order states are looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Order {
    /// Nearest first: runs are shortest.
    #[default]
    Breadth,
    /// Deepest first.
    Depth,
}

/// How to search.
#[derive(Clone, Debug)]
pub struct Options {
    /// In which order.
    pub order: Order,
    /// Go on after a violation, through all states.
    pub keep_going: bool,
    /// What is looked for.
    pub properties: Vec<Property>,
    /// When to stop.
    pub limits: Limits,
}

/// Something that is wrong, and where.
#[derive(Clone, Debug)]
pub struct Violation {
    /// Which property it violates.
    pub property: Property,
    /// The state it was found in.
    pub state: StateId,
    /// What leads from that state to the problem: a step with a fault, after inner steps of an
    /// atomic sequence; empty if the state itself is the problem.
    pub last_steps: Vec<Step>,
    /// The fault; none for a deadlock.
    pub fault: Option<FaultAt>,
}

/// What a search found.
#[derive(Debug)]
pub struct Found {
    /// The first violation of each property.
    pub violations: Vec<Violation>,
    /// How often each property was violated.
    pub counts: Vec<(Property, u64)>,
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
}

/// How many states between two looks at the clock.
const CHECK_EVERY: u64 = 1 << 12;
/// How many states are looked up together.
const BATCH: usize = 64;
/// Inner states of one atomic sequence before they are remembered, so that loops end.
const REMEMBER_AFTER: usize = 64;

/// Searches the states of a model.
pub fn search(semantics: &Semantics<'_>, options: &Options, observer: &dyn Observer) -> Found {
    let mut search = Search::new(semantics, options, observer);
    let stopped = search.run();
    search.finish(stopped)
}

struct Search<'a> {
    stepper: Stepper<'a>,
    options: &'a Options,
    observer: &'a dyn Observer,
    table: StateTable,
    /// Depth-first: states to be looked at, with their depth.
    stack: Vec<(StateId, u32)>,
    transitions: u64,
    depth: u64,
    violations: Vec<Violation>,
    counts: Vec<(Property, u64)>,
    ticks: u64,
    /// Inner states of atomic sequences still to be looked at.
    inner: Vec<Inner>,
    depth_cut: bool,
    /// The first run that cannot go on because of a fault.
    crashed: Option<FaultAt>,
    /// States that were reached but not yet looked up.
    batch: Batch,
    /// Why an atomic sequence was not followed to its end.
    stopped_inside: Option<Reason>,
}

/// A state in the middle of an atomic sequence.
struct Inner {
    state: Vec<u8>,
    process: u32,
    /// The inner state it was reached from, if not from the state itself.
    from: Option<usize>,
    /// The step that led to it.
    step: Step,
}

impl<'a> Search<'a> {
    fn new(semantics: &'a Semantics<'a>, options: &'a Options, observer: &'a dyn Observer) -> Self {
        Search {
            stepper: semantics.stepper(),
            options,
            observer,
            table: StateTable::default(),
            stack: Vec::new(),
            transitions: 0,
            depth: 0,
            violations: Vec::new(),
            counts: Vec::new(),
            ticks: 0,
            inner: Vec::new(),
            depth_cut: false,
            crashed: None,
            batch: Batch::default(),
            stopped_inside: None,
        }
    }

    /// Goes through all states; returns why it stopped early, if it did.
    fn run(&mut self) -> Option<Reason> {
        match self.stepper.initial() {
            Err(overflow) => return Some(Reason::Overflow(overflow)),
            Ok(Err(fault)) => {
                let reason = format!("there is no first state: {}", fault.fault);
                self.found(Property::Safety, 0, Vec::new(), Some(fault));
                return Some(Reason::NotSupported(reason));
            }
            Ok(Ok(state)) => {
                self.table.insert(&state, NO_PARENT);
            }
        }
        match self.options.order {
            Order::Breadth => self.breadth_first(),
            Order::Depth => self.depth_first(),
        }
    }

    fn breadth_first(&mut self) -> Option<Reason> {
        let mut next: StateId = 0;
        let mut layer_end = self.table.len() as StateId;
        while (next as usize) < self.table.len() {
            if next == layer_end {
                if let Err(overflow) = self.store() {
                    return Some(Reason::Overflow(overflow));
                }
                self.depth += 1;
                layer_end = self.table.len() as StateId;
            }
            if self.options.limits.depth.is_some_and(|limit| self.depth >= limit) {
                return Some(Reason::Depth);
            }
            if let Some(reason) = self.step_over(next) {
                return Some(reason);
            }
            next += 1;
        }
        None
    }

    fn depth_first(&mut self) -> Option<Reason> {
        self.stack.push((0, 0));
        while let Some((id, depth)) = self.stack.pop() {
            self.depth = self.depth.max(u64::from(depth));
            if self.options.limits.depth.is_some_and(|limit| u64::from(depth) >= limit) {
                self.depth_cut = true;
                continue;
            }
            let known = self.table.len();
            if let Some(reason) = self.step_over(id) {
                return Some(reason);
            }
            // The first successor is looked at first.
            self.stack.extend((known..self.table.len()).rev().map(|new| (new as StateId, depth + 1)));
        }
        self.depth_cut.then_some(Reason::Depth)
    }

    /// Expands one state and looks at the limits.
    fn step_over(&mut self, id: StateId) -> Option<Reason> {
        if let Err(overflow) = self.expand(id).and_then(|()| self.store_if(id)) {
            return Some(Reason::Overflow(overflow));
        }
        if self.stopped_inside.is_some() {
            return self.stopped_inside.take();
        }
        if !self.options.keep_going && !self.violations.is_empty() {
            return Some(Reason::StoppedEarly);
        }
        self.check_limits(id)
    }

    fn check_limits(&mut self, at: StateId) -> Option<Reason> {
        let limits = &self.options.limits;
        if limits.states.is_some_and(|limit| self.table.len() as u64 >= limit) && (at as usize) + 1 < self.table.len() {
            return Some(Reason::States);
        }
        self.ticks += 1;
        if !self.ticks.is_multiple_of(CHECK_EVERY) && self.table.growth_bytes() == 0 {
            return None;
        }
        if let Some(reason) = self.must_stop() {
            return Some(reason);
        }
        if self.ticks.is_multiple_of(CHECK_EVERY) {
            self.observer.progress(self.progress(at));
        }
        None
    }

    /// The user, the clock or the memory says so.
    fn must_stop(&self) -> Option<Reason> {
        let limits = &self.options.limits;
        if self.observer.cancelled() {
            return Some(Reason::Interrupted);
        }
        if limits.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Some(Reason::Timeout);
        }
        let used = || resident_bytes().unwrap_or_else(|| self.table.memory_bytes());
        if limits.memory.is_some_and(|limit| used() + self.table.growth_bytes() > limit) {
            return Some(Reason::Memory);
        }
        None
    }

    fn progress(&self, at: StateId) -> Progress {
        let states = self.table.len() as u64;
        let waiting = match self.options.order {
            Order::Breadth => states - u64::from(at) - 1,
            Order::Depth => self.stack.len() as u64,
        };
        Progress {
            engine: "explore",
            states,
            waiting,
            transitions: self.transitions,
            depth: self.depth,
            memory_bytes: self.table.memory_bytes(),
        }
    }

    /// Adds all successors of a state.
    fn expand(&mut self, id: StateId) -> Result<(), Overflow> {
        self.stepper.load(self.table.state(id));
        if self.successors(id, None)? == 0 {
            self.stuck(id);
        }
        if self.inner.is_empty() { Ok(()) } else { self.atomic_sequences(id) }
    }

    /// Nothing can move: fine if every process may stop where it is.
    fn stuck(&mut self, id: StateId) {
        if !self.stepper.is_valid_end(self.table.state(id)) {
            self.found(Property::Deadlock, id, Vec::new(), None);
        }
    }

    /// One expansion of the loaded state or inner state: new states go into the table, inner ones are kept for
    /// later. `from` is the inner state that is expanded.
    fn successors(&mut self, id: StateId, from: Option<usize>) -> Result<usize, Overflow> {
        let control = from.map(|inner| self.inner[inner].process);
        let (batch, inner) = (&mut self.batch, &mut self.inner);
        let mut faults: Vec<(Step, FaultAt)> = Vec::new();
        let crashed = &mut self.crashed;
        let count = self.stepper.expand_loaded(control, &mut |successor| {
            if let Some(fault) = successor.fault {
                if successor.state.is_none() && crashed.is_none() {
                    *crashed = Some(fault.clone());
                }
                faults.push((successor.step, fault));
            }
            match (successor.state, successor.control) {
                (Some(next), None) => batch.push(next, id),
                (Some(next), Some(process)) => {
                    inner.push(Inner { state: next.to_vec(), process, from, step: successor.step });
                }
                (None, _) => {}
            }
        })?;
        self.transitions += count as u64;
        for (step, fault) in faults {
            let mut steps = self.inner_path(from);
            steps.push(step);
            self.found(Property::Safety, id, steps, Some(fault));
        }
        Ok(count)
    }

    /// Looks up a batch when it is large enough, or when there is nothing else to expand.
    fn store_if(&mut self, expanded: StateId) -> Result<(), Overflow> {
        let last = expanded as usize + 1 == self.table.len();
        if last || self.options.order == Order::Depth || self.batch.len() >= BATCH { self.store() } else { Ok(()) }
    }

    /// Looks up the states that were reached since the last time.
    fn store(&mut self) -> Result<(), Overflow> {
        if self.table.insert_all(&mut self.batch) { Ok(()) } else { Err(Overflow::States) }
    }

    /// The steps of an atomic sequence up to an inner state.
    fn inner_path(&self, mut at: Option<usize>) -> Vec<Step> {
        let mut steps = Vec::new();
        while let Some(inner) = at.map(|index| &self.inner[index]) {
            steps.push(inner.step);
            at = inner.from;
        }
        steps.reverse();
        steps
    }

    /// Follows atomic sequences that started in state `id` to where they end or block.
    fn atomic_sequences(&mut self, id: StateId) -> Result<(), Overflow> {
        let mut seen: HashSet<(u32, Vec<u8>)> = HashSet::new();
        let mut next = 0;
        while next < self.inner.len() {
            let inner = &self.inner[next];
            let known = next >= REMEMBER_AFTER && !seen.insert((inner.process, inner.state.clone()));
            if !known {
                self.stepper.load(&inner.state);
                if self.successors(id, Some(next))? == 0 {
                    // The process is blocked and loses control: this is a state after all.
                    self.batch.push(&self.inner[next].state, id);
                }
            }
            next += 1;
            if self.batch.len() >= BATCH {
                self.store()?;
            }
            if next.is_multiple_of(1 << 14) {
                self.stopped_inside = self.must_stop();
                if self.stopped_inside.is_some() {
                    break;
                }
            }
        }
        self.inner.clear();
        Ok(())
    }

    fn found(&mut self, property: Property, state: StateId, last_steps: Vec<Step>, fault: Option<FaultAt>) {
        if !self.options.properties.contains(&property) {
            return;
        }
        match self.counts.iter_mut().find(|(p, _)| *p == property) {
            Some((_, count)) => {
                *count += 1;
                return;
            }
            None => self.counts.push((property.clone(), 1)),
        }
        self.violations.push(Violation { property, state, last_steps, fault });
    }

    fn finish(mut self, stopped: Option<Reason>) -> Found {
        let digest = stopped.is_none().then(|| self.digest());
        let stats = SearchStats {
            states: self.table.len() as u64,
            transitions: self.transitions,
            depth: self.depth,
            state_bytes: self.table.state_bytes(),
            memory_bytes: self.table.memory_bytes(),
            violations: 0,
        };
        let violations = std::mem::take(&mut self.violations);
        let runs = violations.iter().map(|v| self.run_to(v)).collect();
        Found { violations, counts: self.counts, stopped, stats, digest, runs, crashed: self.crashed }
    }

    fn digest(&mut self) -> u128 {
        let (table, stepper) = (&self.table, &mut self.stepper);
        (0..table.len() as StateId).fold(0u128, |sum, id| sum.wrapping_add(stepper.digest(table.state(id))))
    }

    // --- runs -------------------------------------------------------------------------------------

    /// The steps from the first state to a violation.
    fn run_to(&mut self, violation: &Violation) -> Vec<Step> {
        if self.table.is_empty() {
            return Vec::new();
        }
        let mut chain = vec![violation.state];
        while let Some(parent) = chain.last().and_then(|&id| self.table.parent(id)) {
            chain.push(parent);
        }
        chain.reverse();
        let mut steps = Vec::new();
        for pair in chain.windows(2) {
            steps.extend(self.steps_between(pair[0], pair[1]));
        }
        steps.extend(&violation.last_steps);
        steps
    }

    /// The steps that lead from a state to one that was found from it, through an atomic sequence if need be.
    fn steps_between(&mut self, from: StateId, to: StateId) -> Vec<Step> {
        let (from, goal) = (self.table.state(from).to_vec(), self.table.state(to).to_vec());
        let mut seen: HashSet<(u32, Vec<u8>)> = HashSet::new();
        self.inner.clear();
        if let Some(step) = self.reach(&from, None, &goal).1 {
            return vec![step];
        }
        let mut next = 0;
        while next < self.inner.len() {
            let (state, process) = (self.inner[next].state.clone(), self.inner[next].process);
            if seen.insert((process, state.clone())) {
                let (count, last) = self.reach(&state, Some(next), &goal);
                if last.is_some() || (count == 0 && state == goal) {
                    let mut steps = self.inner_path(Some(next));
                    steps.extend(last);
                    return steps;
                }
            }
            next += 1;
        }
        Vec::new()
    }

    /// Keeps the inner states that follow a state; returns how many successors there are, and the step that
    /// leads to the goal, if one does.
    fn reach(&mut self, state: &[u8], from: Option<usize>, goal: &[u8]) -> (usize, Option<Step>) {
        let control = from.map(|inner| self.inner[inner].process);
        let inner = &mut self.inner;
        let mut last = None;
        let count = self.stepper.expand(state, control, &mut |successor| {
            let (Some(next), step) = (successor.state, successor.step) else { return };
            match successor.control {
                Some(process) => inner.push(Inner { state: next.to_vec(), process, from, step }),
                None if next == goal => last = last.or(Some(step)),
                None => {}
            }
        });
        (count.unwrap_or(0), last)
    }
}
