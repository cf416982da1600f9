//! A search over states with numbers, beside the one over sets of states.
//!
//! An error that needs a thousand events in the right order has short conditions at each of them: of an input, only
//! which of a few constants it is. So states are enumerated, with a few values for each input (`inputs.rs`), and
//! two states that differ in what is never read again are one (`liveness.rs`). A path that took an edge for the first
//! time is followed first; the rest in turn, or by chance.
//!
//! When nothing is left, the states at cut points are those that these inputs reach. Whether other inputs reach more
//! is a question for the solver, which also says which (`enumerated.rs`).

use crate::inputs::Inputs;
use crate::liveness::Liveness;
use crate::slice::Slice;
use crate::system::{Cut, Order};
use crate::walker::{Stop, Walker};
use cfront::interpret::{Machine, Outcome, Request, Run};
use cfront::program::{Component, EdgeId, ErrorKind, LocationId, VariableId};
use model::budget::{Budget, Stopwatch};
use model::verdict::Reason;
use std::collections::{HashMap, HashSet, VecDeque};
use std::time::Duration;

/// States that are remembered.
const STATES: usize = 3_000_000;
/// Numbers in states that wait, and in states of cut points.
const NUMBERS: usize = 20_000_000;
/// States of cut points that are kept for a proof.
const PROOF_STATES: usize = 40_000;
/// Steps between looks at the time.
const STEPS: usize = 20_000;
/// Steps of a run.
const RUN_STEPS: usize = 8_000_000;
/// Values that are tried for several inputs at once.
const TOGETHER: usize = 12;
/// Values of one input, with those that the solver showed.
const LEARNT: usize = 256;

/// Where a path came from: the path before, and the input that was added. The first has no inputs.
type Trail = usize;

/// A state in which inputs are to be chosen.
struct Branch {
    edge: EdgeId,
    values: Box<[u64]>,
    trail: Trail,
    next: usize,
}

/// A state at a cut point.
pub(crate) struct Known {
    pub(crate) cut: Cut,
    pub(crate) values: Box<[u64]>,
    trail: Trail,
}

/// A search over states.
pub(crate) struct Explorer<'c> {
    component: &'c Component,
    slice: Slice,
    cuts: Vec<LocationId>,
    cut_at: Vec<Option<Cut>>,
    pub(crate) liveness: Liveness,
    pub(crate) inputs: Inputs,
    walker: Walker<'c>,
    candidates: HashMap<VariableId, Vec<u64>>,
    seen: HashSet<u64>,
    trails: Vec<(Trail, u64)>,
    fresh: Vec<Branch>,
    waiting: VecDeque<Branch>,
    /// A path that is still to be followed: it was cut short, or the solver showed it.
    open: Vec<(LocationId, Box<[u64]>, Trail)>,
    /// All states at cut points, unless there are too many.
    pub(crate) known: Vec<Known>,
    pub(crate) too_many: bool,
    /// A state was forgotten.
    pub(crate) lossy: bool,
    /// An error was reached that was not requested.
    pub(crate) faulty: bool,
    chance: u64,
    /// How long it has taken.
    pub(crate) spent: Duration,
}

/// What a search has come to.
pub(crate) enum Explored {
    /// This run ends in a requested error.
    Run(Run),
    /// Nothing is left.
    All,
    /// There is more.
    Some,
}

impl<'c> Explorer<'c> {
    pub(crate) fn new(component: &'c Component) -> Explorer<'c> {
        let slice = Slice::new(component, &|_| true);
        let order = Order::new(component, &slice);
        let walker = Walker::new(component, &slice);
        let values = vec![0; slice.variables.len()].into_boxed_slice();
        Explorer {
            component,
            cuts: order.cuts,
            cut_at: order.cut_at,
            liveness: Liveness::new(component, &slice),
            inputs: Inputs::new(component, &slice),
            walker,
            slice,
            candidates: HashMap::new(),
            seen: HashSet::new(),
            trails: vec![(0, 0)],
            fresh: Vec::new(),
            waiting: VecDeque::new(),
            open: vec![(component.entry, values, 0)],
            known: Vec::new(),
            too_many: false,
            lossy: false,
            faulty: false,
            chance: 1,
            spent: Duration::ZERO,
        }
    }

    /// Searches for so long.
    pub(crate) fn explore(
        &mut self,
        duration: Duration,
        asked: &dyn Fn(&ErrorKind) -> bool,
        budget: &Budget,
    ) -> Result<Explored, Reason> {
        let start = Stopwatch::start();
        let explored = self.explore_until(&budget.at_most(duration), asked, budget);
        self.spent += start.elapsed();
        explored
    }

    fn explore_until(
        &mut self,
        turn: &Budget,
        asked: &dyn Fn(&ErrorKind) -> bool,
        budget: &Budget,
    ) -> Result<Explored, Reason> {
        let mut steps = STEPS;
        loop {
            if steps == 0 {
                budget.check()?;
                if turn.is_late() {
                    return Ok(Explored::Some);
                }
                steps = STEPS;
            }
            let Some((location, values, trail)) = self.next() else { return Ok(Explored::All) };
            if let Some(trail) = self.follow(location, values, trail, asked, &mut steps)
                && let Some(run) = self.replay(trail, asked, budget)?
            {
                return Ok(Explored::Run(run));
            }
        }
    }

    /// The path to follow next, with its inputs chosen.
    fn next(&mut self) -> Option<(LocationId, Box<[u64]>, Trail)> {
        if let Some(open) = self.open.pop() {
            return Some(open);
        }
        loop {
            let from_fresh = !self.fresh.is_empty();
            let mut branch = match self.fresh.pop() {
                Some(branch) => branch,
                None => self.waiting_branch()?,
            };
            let asked = self.walker.asked(branch.edge);
            let Some(choice) = self.choice(&asked, branch.next) else { continue };
            branch.next += 1;
            self.walker.take(branch.edge);
            let mut values = branch.values.clone();
            let mut trail = branch.trail;
            for (&variable, value) in asked.iter().zip(choice) {
                if let Some(at) = self.walker.place(variable) {
                    values[at] = value;
                }
                self.trails.push((trail, value));
                trail = self.trails.len() - 1;
            }
            let target = self.component.edge(branch.edge).target;
            // What is left of a branch waits with the old ones, so that the youngest is one that was just reached.
            if from_fresh {
                self.fresh.push(branch)
            } else {
                self.waiting.push_front(branch)
            }
            return Some((target, values, trail));
        }
    }

    /// The oldest, the youngest, or one by chance.
    fn waiting_branch(&mut self) -> Option<Branch> {
        let draw = self.draw();
        let at = draw / 3 % self.waiting.len().max(1);
        match draw % 3 {
            0 => self.waiting.pop_front(),
            1 => self.waiting.pop_back(),
            _ => self.waiting.swap_remove_back(at),
        }
    }

    /// The next of a fixed sequence of numbers without order.
    fn draw(&mut self) -> usize {
        self.chance = self.chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.chance >> 33) as usize
    }

    /// The values of a choice, by its number.
    fn choice(&mut self, asked: &[VariableId], number: usize) -> Option<Vec<u64>> {
        for &variable in asked {
            if !self.candidates.contains_key(&variable) {
                let list = self.inputs.of(self.component, variable);
                self.candidates.insert(variable, list);
            }
        }
        if let &[variable] = asked {
            return self.candidates[&variable].get(number).map(|&value| vec![value]);
        }
        // All the same place of their lists at first, then by chance.
        let most = asked.iter().map(|variable| self.candidates[variable].len()).max().unwrap_or(0);
        if number >= most.min(TOGETHER) * 2 {
            return None;
        }
        let mut chosen = Vec::new();
        for variable in asked {
            let at = if number < TOGETHER { number } else { self.draw() };
            let list = &self.candidates[variable];
            chosen.push(list.get(at % list.len().max(1)).copied().unwrap_or(0));
        }
        Some(chosen)
    }

    /// Follows a path to where it branches, ends or is known. The trail of a requested error, if it comes to one.
    fn follow(
        &mut self,
        mut location: LocationId,
        mut values: Box<[u64]>,
        trail: Trail,
        asked: &dyn Fn(&ErrorKind) -> bool,
        steps: &mut usize,
    ) -> Option<Trail> {
        self.walker.news = false;
        // A path may start at a cut point: behind inputs, or because the solver showed it.
        if self.cut_at[location.0 as usize].is_some() && !self.arrive(location, &mut values, trail) {
            return None;
        }
        loop {
            match self.walker.walk(&self.slice, &self.cut_at, &mut location, &mut values, steps) {
                Stop::End => return None,
                Stop::Error(kind) => {
                    self.faulty |= !asked(&kind);
                    return asked(&kind).then_some(trail);
                }
                Stop::Steps => {
                    // The cut point that it may stand at is known: behind it, the walk goes on.
                    self.seen.remove(&self.hash(location, false, &values));
                    self.open.push((location, values, trail));
                    return None;
                }
                Stop::Cut => {
                    if !self.arrive(location, &mut values, trail) {
                        return None;
                    }
                }
                Stop::Input(edge) => {
                    self.liveness.forget(location, &mut values);
                    if self.is_new(location, true, &values) {
                        self.keep_branch(Branch { edge, values, trail, next: 0 });
                    }
                    return None;
                }
            }
        }
    }

    /// Notes a state at a cut point. Whether it is new.
    fn arrive(&mut self, location: LocationId, values: &mut Box<[u64]>, trail: Trail) -> bool {
        self.liveness.forget(location, values);
        if !self.is_new(location, false, values) {
            return false;
        }
        if let Some(cut) = self.cut_at[location.0 as usize]
            && cut != 0
            && !self.too_many
        {
            self.known.push(Known { cut, values: values.clone(), trail });
            if self.known.len() > PROOF_STATES || self.known.len() * values.len() > NUMBERS {
                self.too_many = true;
                self.known = Vec::new();
            }
        }
        true
    }

    fn keep_branch(&mut self, branch: Branch) {
        let waiting = self.fresh.len() + self.waiting.len();
        if waiting * branch.values.len() > NUMBERS {
            self.lossy = true;
        } else if self.walker.news {
            self.fresh.push(branch);
        } else {
            self.waiting.push_back(branch);
        }
    }

    /// Arriving at a cut point is one thing, asking for an input there is another.
    fn hash(&self, location: LocationId, asks: bool, values: &[u64]) -> u64 {
        let start = u64::from(location.0) << 1 | u64::from(asks);
        values.iter().fold(start, |hash, value| {
            let mixed = (hash.rotate_left(5) ^ value).wrapping_mul(0x517c_c1b7_2722_0a95);
            mixed ^ mixed >> 32
        })
    }

    fn is_new(&mut self, location: LocationId, asks: bool, values: &[u64]) -> bool {
        if self.seen.len() >= STATES {
            self.lossy = true;
            self.seen = HashSet::new();
        }
        let hash = self.hash(location, asks, values);
        self.seen.insert(hash)
    }

    /// The run of the interpreter with the inputs of a trail.
    fn replay(&self, trail: Trail, asked: &dyn Fn(&ErrorKind) -> bool, budget: &Budget) -> Result<Option<Run>, Reason> {
        let mut inputs = Vec::new();
        let mut at = trail;
        while at != 0 {
            let (before, value) = self.trails[at];
            inputs.push(value);
            at = before;
        }
        let mut machine = Machine::new(self.component);
        let mut run = Run { outcome: Outcome::StepLimit, edges: Vec::new(), inputs: Vec::new(), events: Vec::new() };
        let walker = &self.walker;
        let mut answer = |request: &Request| match walker.place(request.variable) {
            Some(_) => inputs.pop().unwrap_or(0),
            None => 0,
        };
        while run.edges.len() < RUN_STEPS {
            if run.edges.len().is_multiple_of(64) {
                budget.check()?;
            }
            if let Some(outcome) = machine.step(&mut answer, &mut run) {
                run.outcome = outcome;
                let wanted = matches!(outcome, Outcome::Error(kind, _) if asked(&kind));
                return Ok(wanted.then_some(run));
            }
        }
        Ok(None)
    }

    /// Adds the way that starts in a known state and takes these inputs, by edge and variable.
    pub(crate) fn add_path(&mut self, known: usize, input: &dyn Fn(LocationId, VariableId) -> u64) {
        let Some(Known { cut, values, trail }) = self.known.get(known) else { return };
        self.add_path_from(self.cuts[*cut], values.clone(), *trail, input);
    }

    /// The same from the entry.
    pub(crate) fn add_path_from_entry(&mut self, input: &dyn Fn(LocationId, VariableId) -> u64) {
        let values = vec![0; self.slice.variables.len()].into_boxed_slice();
        self.add_path_from(self.component.entry, values, 0, input);
    }

    fn add_path_from(
        &mut self,
        mut location: LocationId,
        mut values: Box<[u64]>,
        mut trail: Trail,
        input: &dyn Fn(LocationId, VariableId) -> u64,
    ) {
        let mut steps = STEPS;
        loop {
            let before = (location, values.clone());
            match self.walker.walk(&self.slice, &self.cut_at, &mut location, &mut values, &mut steps) {
                Stop::Input(edge) => {
                    let source = self.component.edge(edge).source;
                    for variable in self.walker.asked(edge) {
                        let value = input(source, variable);
                        if let Some(at) = self.walker.place(variable) {
                            values[at] = value;
                        }
                        self.trails.push((trail, value));
                        trail = self.trails.len() - 1;
                        let list = self.inputs.of(self.component, variable);
                        let list = self.candidates.entry(variable).or_insert(list);
                        if list.len() < LEARNT && !list.contains(&value) {
                            list.push(value);
                        }
                    }
                    location = self.component.edge(edge).target;
                    if self.cut_at[location.0 as usize].is_some() {
                        break;
                    }
                }
                Stop::Error(_) => {
                    // The last stretch again, with its inputs chosen: the search sees the error.
                    (location, values) = before;
                    break;
                }
                Stop::Cut => break,
                Stop::End | Stop::Steps => return,
            }
        }
        self.open.push((location, values, trail));
    }
}
