//! The successors of one state, and what is wrong with it.
//!
//! All searches expand states here: one after the other, in several threads, or with nothing but bits to
//! remember them by. States in the middle of an atomic sequence are not states of the system. An expansion
//! follows such a sequence to its ends, remembering what it has seen inside, so that one that loops forever
//! does not keep it. Where a sequence has one way only, which is most of the time, its steps are taken on one state, and
//! nothing is copied or remembered but the way.
//!
//! Every state of a complete search is expanded once, so its digest is taken here, while its bytes are at hand.

use crate::reduction::{Choice, Labels, Mode, Reduction};
use crate::search::Options;
use crate::symmetry::{Symmetry, Turned};
use model::fault::{Fault, FaultAt, Overflow};
use model::semantics::{Alone, Semantics, Step, Stepper};
use model::verdict::{Property, Reason};
use rustc_hash::FxHasher;
use std::collections::HashSet;
use std::hash::{Hash, Hasher};
use std::ops::Range;

/// Inner states of one atomic sequence before they are remembered, so that loops end.
const REMEMBER_AFTER: usize = 64;
/// Inner steps of one state between two looks at the clock.
const CHECK_EVERY: usize = 1 << 14;

/// Something that is wrong in a state, or on a step from it.
#[derive(Clone, Debug)]
pub struct Problem {
    /// Which property it violates.
    pub property: Property,
    /// What leads from the state to the problem: a step with a fault, after inner steps of an atomic
    /// sequence; empty if the state itself is the problem.
    pub last_steps: Vec<Step>,
    /// The fault; none for a deadlock.
    pub fault: Option<FaultAt>,
    /// Equal for failures that are one: the same statement fails, and processes are at the same places.
    pub same: u64,
}

/// Why an expansion was not finished.
#[derive(Debug)]
pub enum Unfinished {
    /// The tool's own limits.
    Overflow(Overflow),
    /// The user, the clock or the memory.
    Stopped(Reason),
}

impl From<Overflow> for Unfinished {
    fn from(overflow: Overflow) -> Self {
        Unfinished::Overflow(overflow)
    }
}

impl Unfinished {
    /// What a search says about it.
    pub fn reason(self) -> Reason {
        match self {
            Unfinished::Overflow(overflow) => Reason::from(overflow),
            Unfinished::Stopped(reason) => reason,
        }
    }
}

/// Computes successors; one per thread.
pub struct Expander<'s> {
    /// Takes the steps.
    pub stepper: Stepper<'s>,
    /// Inner states of atomic sequences still to be looked at.
    inner: Inners,
    /// An inner state that an endless sequence would come back to.
    milestone: Vec<u8>,
    /// Steps so far, inner ones included.
    pub transitions: u64,
    /// What is wrong with the state that was expanded last.
    pub problems: Vec<Problem>,
    /// The first run that cannot go on because of a fault.
    pub crashed: Option<FaultAt>,
    /// Says which process may move alone, if states may be left out.
    reduction: Option<Reduction<'s>>,
    /// Several processes may move alone together, and none needs to be looked after.
    clusters: bool,
    choices: Vec<Choice>,
    /// Chooses one of the states that differ in which process is which only, if that is wanted.
    symmetry: Option<Symmetry<'s>>,
    /// States in which one process moved alone.
    pub alone: u64,
    /// The sum of the digests of all states that were expanded.
    pub digest: u128,
}

/// States in the middle of atomic sequences, their bytes in one array.
#[derive(Default)]
struct Inners {
    bytes: Vec<u8>,
    entries: Vec<Inner>,
    /// The inner steps so far: each the step before it, if it has one, and itself.
    steps: Vec<(Option<usize>, Step)>,
    /// How many steps there may be before the next look at the clock.
    next_look: usize,
}

/// A state in the middle of an atomic sequence.
struct Inner {
    /// Where its bytes are.
    place: Range<usize>,
    process: u32,
    /// The step that led to it.
    step: usize,
}

impl Inners {
    fn clear(&mut self) {
        self.bytes.clear();
        self.entries.clear();
        self.steps.clear();
        self.next_look = CHECK_EVERY;
    }

    /// A step was taken after another one, or as the first.
    #[inline(always)]
    fn step(&mut self, after: Option<usize>, step: Step) -> usize {
        self.steps.push((after, step));
        self.steps.len() - 1
    }

    fn push(&mut self, state: &[u8], process: u32, after: Option<usize>, step: Step) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(state);
        let step = self.step(after, step);
        self.entries.push(Inner { place: start..self.bytes.len(), process, step });
    }

    fn state(&self, index: usize) -> &[u8] {
        &self.bytes[self.entries[index].place.clone()]
    }

    /// The steps from the state itself to one of them.
    fn path(&self, mut at: Option<usize>) -> Vec<Step> {
        let mut steps = Vec::new();
        while let Some(&(before, step)) = at.map(|index| &self.steps[index]) {
            steps.push(step);
            at = before;
        }
        steps.reverse();
        steps
    }
}

/// Where successors go.
pub trait Sink {
    /// A successor.
    fn push(&mut self, state: &[u8]);

    /// A state in the middle of an atomic sequence.
    fn pass(&mut self, _state: &[u8]) {}
}

impl<F: FnMut(&[u8])> Sink for F {
    fn push(&mut self, state: &[u8]) {
        self(state);
    }
}

impl<'s> Expander<'s> {
    /// For one thread.
    pub fn new(semantics: &'s Semantics<'s>) -> Self {
        let (inner, milestone, problems) = (Inners::default(), Vec::new(), Vec::new());
        let (reduction, choices) = (None, Vec::new());
        let stepper = semantics.stepper();
        Expander {
            stepper,
            inner,
            milestone,
            transitions: 0,
            problems,
            crashed: None,
            reduction,
            clusters: false,
            choices,
            symmetry: None,
            alone: 0,
            digest: 0,
        }
    }

    /// For one thread of a search: states may be left out where the order of steps does not matter, or which process is which.
    pub fn of(semantics: &'s Semantics<'s>, options: &Options) -> Self {
        let reduce = options.reduction == Mode::On;
        let reduction = reduce.then(|| Reduction::new(semantics, &[], Labels::None)).flatten();
        let symmetry = if options.symmetry { Symmetry::new(semantics).ok() } else { None };
        Expander { reduction, symmetry, ..Expander::new(semantics) }
    }

    /// The same where the longest that queues get must not change.
    pub(crate) fn keeping_lengths(mut self) -> Self {
        let reduction = Reduction::new(self.stepper.semantics(), &[], Labels::None);
        self.reduction = reduction.map(Reduction::keeping_lengths);
        self
    }

    /// States are left out wherever a persistent set is found: what is left has an endless run if the system has one.
    pub fn persistent(mut self) -> Self {
        self.reduction = Reduction::new(self.stepper.semantics(), &[], Labels::None);
        self.clusters = true;
        self
    }

    /// Shows every successor of a state to `sink`. `stop` is asked now and then in long atomic sequences.
    pub fn expand(
        &mut self,
        state: &[u8],
        sink: &mut impl Sink,
        stop: &mut impl FnMut() -> Option<Reason>,
    ) -> Result<(), Unfinished> {
        self.problems.clear();
        self.inner.clear();
        self.stepper.load(state);
        self.digest = self.digest.wrapping_add(self.stepper.digest_loaded());
        let mut count = self.alone(state, sink)?;
        if count == 0 {
            count = self.successors(None, None, sink)?;
        }
        if count == 0 && !self.stepper.is_valid_end(state) {
            let same = self.kind_of_failure(None, None);
            self.problems.push(Problem { property: Property::Deadlock, last_steps: Vec::new(), fault: None, same });
        }
        if self.inner.entries.is_empty() { Ok(()) } else { self.atomic_sequences(sink, stop) }
    }

    /// The successors by one process whose steps are enough in the loaded state, if there is one; how many.
    fn alone(&mut self, state: &[u8], sink: &mut impl Sink) -> Result<usize, Unfinished> {
        let Some(reduction) = &mut self.reduction else { return Ok(0) };
        if self.clusters {
            return self.together(state, sink);
        }
        reduction.choices(&self.stepper, false, &mut self.choices);
        for index in 0..self.choices.len() {
            let count = self.successors(Some(self.choices[index].process), None, sink)?;
            if count > 0 {
                self.alone += 1;
                return Ok(count);
            }
            self.stepper.load(state);
        }
        Ok(0)
    }

    /// The successors by a set of processes whose steps are enough, if there is one; how many.
    fn together(&mut self, state: &[u8], sink: &mut impl Sink) -> Result<usize, Unfinished> {
        let mut moves = Vec::new();
        for process in 0..self.stepper.loaded_processes() {
            moves.push(self.stepper.expand_loaded(Some(process as u32), &mut |_| ())?);
        }
        let Some(reduction) = &mut self.reduction else { return Ok(0) };
        let Some(set) = reduction.cluster(&self.stepper, &moves) else { return Ok(0) };
        let mut count = 0;
        for process in (0..moves.len()).filter(|&process| set >> process & 1 == 1 && moves[process] > 0) {
            self.stepper.load(state);
            count += self.successors(Some(process as u32), None, sink)?;
        }
        self.alone += 1;
        self.stepper.load(state);
        Ok(count)
    }

    /// One expansion of the loaded state or inner state: states are shown, inner ones are kept for later. `after`
    /// is the step that led to the inner state.
    fn successors(
        &mut self,
        control: Option<u32>,
        after: Option<usize>,
        sink: &mut impl Sink,
    ) -> Result<usize, Overflow> {
        let (inner, crashed, symmetry) = (&mut self.inner, &mut self.crashed, &mut self.symmetry);
        let mut faults: Vec<(Step, FaultAt)> = Vec::new();
        let count = self.stepper.expand_loaded(control, &mut |successor| {
            if let Some(fault) = successor.fault {
                if successor.state.is_none() && crashed.is_none() {
                    *crashed = Some(fault.clone());
                }
                faults.push((successor.step, fault));
            }
            match (successor.state, successor.control) {
                (Some(next), None) => show(symmetry, next, sink),
                (Some(next), Some(process)) => {
                    sink.pass(next);
                    inner.push(next, process, after, successor.step);
                }
                (None, _) => {}
            }
        })?;
        self.transitions += count as u64;
        for (step, fault) in faults {
            self.add_fault(after, step, fault);
        }
        Ok(count)
    }

    /// Something went wrong in a step that follows another one. Of one state, the first run to each kind of failure is
    /// enough.
    fn add_fault(&mut self, after: Option<usize>, step: Step, fault: FaultAt) {
        let (mut last_steps, same) = (Vec::new(), self.kind_of_failure(Some(&fault), Some(step)));
        if self.problems.iter().all(|problem| problem.same != same) {
            last_steps = self.inner.path(after);
            last_steps.push(step);
        }
        self.problems.push(Problem { property: Property::Safety, last_steps, fault: Some(fault), same });
    }

    /// What tells failures of the loaded state apart: the statement that fails, and where processes are. The one that
    /// fails may have moved on already; it counts as being where its statement is.
    fn kind_of_failure(&self, fault: Option<&FaultAt>, step: Option<Step>) -> u64 {
        let mut hasher = FxHasher::default();
        fault.map(|fault| (fault.fault.code(), fault.span)).hash(&mut hasher);
        let network = self.stepper.semantics().network();
        for (index, (machine, location)) in self.stepper.loaded_places().enumerate() {
            let from = match step {
                Some(Step::Edge { process, edge }) if process as usize == index => {
                    network.machine(machine).edges.get(edge.index()).map(|edge| edge.from)
                }
                _ => None,
            };
            (machine, from.unwrap_or(location)).hash(&mut hasher);
        }
        hasher.finish()
    }

    /// Something went wrong in the last step of the process in control.
    fn add_own_fault(&mut self, after: usize, step: Step) {
        let Some(fault) = self.stepper.take_fault() else { return };
        if fault.fault != Fault::Assertion {
            self.crashed.get_or_insert_with(|| fault.clone());
        }
        self.add_fault(Some(after), step, fault);
    }

    /// Follows atomic sequences to where they end or block.
    fn atomic_sequences(
        &mut self,
        sink: &mut impl Sink,
        stop: &mut impl FnMut() -> Option<Reason>,
    ) -> Result<(), Unfinished> {
        let mut seen: HashSet<(u32, Vec<u8>)> = HashSet::new();
        let mut next = 0;
        while next < self.inner.entries.len() {
            let (state, process) = (self.inner.state(next), self.inner.entries[next].process);
            let known = next >= REMEMBER_AFTER && !seen.insert((process, state.to_vec()));
            if !known {
                self.stepper.load(state);
                self.follow(process, self.inner.entries[next].step, sink, stop)?;
            }
            next += 1;
        }
        Ok(())
    }

    /// Follows an atomic sequence from the loaded inner state for as long as there is one way only. Nothing is copied
    /// on the way. A way that comes back to a state it has left goes round forever, and ends nowhere; every now and
    /// then a state is remembered to see that (Brent's algorithm).
    fn follow(
        &mut self,
        process: u32,
        mut after: usize,
        sink: &mut impl Sink,
        stop: &mut impl FnMut() -> Option<Reason>,
    ) -> Result<(), Unfinished> {
        for length in 1usize.. {
            match self.stepper.step_alone(process)? {
                Alone::Moved { edge, keeps, faulty } => {
                    self.transitions += 1;
                    if faulty {
                        self.add_own_fault(after, Step::Edge { process, edge });
                    }
                    if !keeps {
                        show(&mut self.symmetry, self.stepper.loaded(), sink);
                        break;
                    }
                    sink.pass(self.stepper.loaded());
                    after = self.inner.step(Some(after), Step::Edge { process, edge });
                }
                Alone::Blocked => {
                    // The process loses control: this is a state after all.
                    show(&mut self.symmetry, self.stepper.loaded(), sink);
                    break;
                }
                Alone::Several => {
                    if self.successors(Some(process), Some(after), sink)? == 0 {
                        show(&mut self.symmetry, self.stepper.loaded(), sink);
                    }
                    break;
                }
                Alone::Failed(edge) => {
                    self.transitions += 1;
                    self.add_own_fault(after, Step::Edge { process, edge });
                    break;
                }
            }
            if length >= REMEMBER_AFTER {
                if self.milestone == self.stepper.loaded() && !length.is_power_of_two() {
                    break;
                }
                if length.is_power_of_two() {
                    self.milestone.clear();
                    self.milestone.extend_from_slice(self.stepper.loaded());
                }
                self.look_at_limits(stop)?;
            }
        }
        self.look_at_limits(stop)
    }

    fn look_at_limits(&mut self, stop: &mut impl FnMut() -> Option<Reason>) -> Result<(), Unfinished> {
        if self.inner.steps.len() < self.inner.next_look {
            return Ok(());
        }
        self.inner.next_look = self.inner.steps.len() + CHECK_EVERY;
        stop().map_or(Ok(()), |reason| Err(Unfinished::Stopped(reason)))
    }

    // --- runs -------------------------------------------------------------------------------------

    /// The steps along a chain of states, each found from the one before.
    pub fn steps_along<S: AsRef<[u8]>>(&mut self, chain: &[S]) -> Vec<Step> {
        self.run_along(chain, &[])
    }

    /// The same with what follows the last state.
    pub fn run_along<S: AsRef<[u8]>>(&mut self, chain: &[S], last: &[Step]) -> Vec<Step> {
        let (mut run, mut turned) = (Vec::new(), Turned::default());
        for pair in chain.windows(2) {
            let (steps, reached) = self.steps_between(pair[0].as_ref(), pair[1].as_ref());
            run.extend(steps.into_iter().map(|step| turned.step(step)));
            if let Some(symmetry) = &mut self.symmetry {
                turned.turn(symmetry, &reached);
            }
        }
        run.extend(last.iter().map(|&step| turned.step(step)));
        run
    }

    /// The steps that lead from a state to one that was found from it, through an atomic sequence if need be; and the state as
    /// it is reached, for which the other one was chosen.
    fn steps_between(&mut self, from: &[u8], goal: &[u8]) -> (Vec<Step>, Vec<u8>) {
        let mut seen: HashSet<(u32, Vec<u8>)> = HashSet::new();
        self.inner.clear();
        if let (_, Some((step, reached))) = self.reach(from, None, goal) {
            return (vec![step], reached);
        }
        let mut next = 0;
        while next < self.inner.entries.len() {
            let (state, process) = (self.inner.state(next).to_vec(), self.inner.entries[next].process);
            if seen.insert((process, state.clone())) {
                let (count, last) = self.reach(&state, Some(next), goal);
                let mut steps = self.inner.path(Some(self.inner.entries[next].step));
                if let Some((step, reached)) = last {
                    steps.push(step);
                    return (steps, reached);
                }
                if count == 0 && is(&mut self.symmetry, &state, goal) {
                    return (steps, state);
                }
            }
            next += 1;
        }
        (Vec::new(), goal.to_vec())
    }

    /// Keeps the inner states that follow a state; returns how many successors there are, and the step that
    /// leads to the goal, if one does, with where it leads.
    fn reach(&mut self, state: &[u8], from: Option<usize>, goal: &[u8]) -> (usize, Option<(Step, Vec<u8>)>) {
        let control = from.map(|inner| self.inner.entries[inner].process);
        let after = from.map(|inner| self.inner.entries[inner].step);
        let (inner, symmetry) = (&mut self.inner, &mut self.symmetry);
        let mut last = None;
        let count = self.stepper.expand(state, control, &mut |successor| {
            let (Some(next), step) = (successor.state, successor.step) else { return };
            match successor.control {
                Some(process) => inner.push(next, process, after, step),
                None if last.is_none() && is(symmetry, next, goal) => last = Some((step, next.to_vec())),
                None => {}
            }
        });
        (count.unwrap_or(0), last)
    }
}

/// Shows a state, or the one that is chosen for it.
#[inline(always)]
fn show(symmetry: &mut Option<Symmetry<'_>>, state: &[u8], sink: &mut impl Sink) {
    match symmetry {
        None => sink.push(state),
        Some(symmetry) => sink.push(symmetry.choose(state)),
    }
}

/// Whether a state is another one, or that one is chosen for it.
fn is(symmetry: &mut Option<Symmetry<'_>>, state: &[u8], other: &[u8]) -> bool {
    state == other || symmetry.as_mut().is_some_and(|symmetry| symmetry.choose(state) == other)
}
