//! Runs that a claim accepts: temporal formulas, `never` claims, acceptance labels, weak fairness.
//!
//! The claim and the model run side by side (the state/event product of the MAGIC paper, section 4.1): in the
//! product state `(s, q)` the claim takes an edge that is true of `s` and of what happens on the way to `s'`. A counterexample is
//! a run on which the claim comes to its end, or a cycle that passes through accepting states. The search is
//! depth-first and looks for strongly connected components while it goes (Couvreur, FM 1999; the path-based
//! algorithm of Gabow): a component is merged as soon as an edge closes it, and the search ends with the first one
//! in which everything occurs that must occur again and again.
//!
//! That is more than one thing under *weak fairness*: a process that can always move must move. So every process either
//! moves in the component, or cannot move in one of its states; each is one more bit beside acceptance, and nothing else
//! changes.
//!
//! As in SPIN: the claim moves first; states in the middle of an atomic sequence are not seen; a run that ends goes on
//! for ever in its last state ([`Question::stutters`]), where nothing happens.

mod lasso;
mod witness;

pub use lasso::{Lasso, Move};
pub(crate) use witness::witness;

use crate::ENGINE;
use crate::clock::Clock;
use crate::moves::Mover;
use crate::reduction::{Choice, Labels, Reduction};
use crate::table::{Lookup, NO_PARENT, StateId, StateTable};
use model::claim::{AtomSet, Claim, Watcher, halves, product_digest};
use model::fault::Overflow;
use model::semantics::{Semantics, Stepper, Successor};
use model::verdict::{Limits, Observer, Progress, Reason, SearchStats};

/// What is looked for.
#[derive(Clone, Copy, Debug)]
pub struct Question<'c> {
    /// The claim.
    pub claim: &'c Claim,
    /// Processes at a location labelled as accepting count as well as the claim.
    pub labels: bool,
    /// Only runs in which every process that can always move does move.
    pub fair: bool,
    /// A run that ends goes on in its last state. If not, it is none, but an atomic sequence that never ends is one.
    pub stutters: bool,
    /// States may be left out where the order of steps does not matter. Only if the claim cannot tell whether a run stays in
    /// a state for a while.
    pub reduce: bool,
}

/// What the search found.
#[derive(Debug)]
pub struct Found {
    /// A run that the claim accepts.
    pub lasso: Option<Lasso>,
    /// Why the search is not complete, if there is neither a run nor an end.
    pub stopped: Option<Reason>,
    /// What was counted: states of the product.
    pub stats: SearchStats,
    /// The digest of all product states, if the search came to its end.
    pub digest: Option<u128>,
    /// States in which one process moved alone, since the order of steps does not matter.
    pub alone: u64,
    /// Where the watched conditions held, if anywhere: what the caller asked to be watched.
    pub seen: bool,
}

/// A set of things that must occur again and again: acceptance, and a turn for each process.
type Marks = u128;

const ACCEPTING: Marks = 1;
/// Processes that have a bit of their own.
const MOST_PROCESSES: usize = 127;
/// The number of the claim's state has two bytes in a product state.
const MOST_CLAIM_STATES: usize = 1 << 16;
/// The number of a state that is in no component that is still open.
const CLOSED: u32 = u32::MAX;

/// A condition of which the search says whether it ever held; with the atoms it speaks of.
pub type Sighting<'w> = (AtomSet, &'w dyn Fn(AtomSet) -> bool);

/// Searches for a run that the claim accepts.
pub fn search<'a>(
    semantics: &'a Semantics<'a>,
    question: &'a Question<'a>,
    sighting: Option<Sighting<'a>>,
    limits: Limits,
    observer: &'a dyn Observer,
) -> Found {
    let mut search = Search::new(semantics, question, sighting, limits, observer);
    let ended = search.run();
    search.finish(ended)
}

/// Why the search ended before all states were visited.
enum Ended {
    Stopped(Reason),
    /// The component whose states have this number or a greater one.
    Component(u32),
    /// The claim is at its end in a state, or after the move with this index.
    Completed(StateId, Option<usize>),
}

impl From<Overflow> for Ended {
    fn from(overflow: Overflow) -> Ended {
        Ended::Stopped(Reason::Overflow(overflow))
    }
}

/// A component that is still open: its states are those with numbers from its first one on, up to the next component.
struct Component {
    first: u32,
    marks: Marks,
    /// The marks of the edge that led into it.
    entering: Marks,
}

struct Search<'a> {
    sighting: Option<Sighting<'a>>,
    seen: bool,
    clock: Clock<'a>,
    product: Product<'a>,
    table: StateTable,
    /// Per state: 0 if it is new, its number in order of discovery, or [`CLOSED`].
    numbers: Vec<u32>,
    last_number: u32,
    /// The way: states, and where their successors start in `waiting`.
    path: Vec<(StateId, usize)>,
    /// Successors that are still to be looked at.
    waiting: Vec<(StateId, Marks)>,
    /// States of open components, in order of their numbers.
    live: Vec<StateId>,
    components: Vec<Component>,
    depth: u64,
    reduction: Option<Reduction<'a>>,
    choices: Vec<Choice>,
    alone: u64,
}

impl<'a> Search<'a> {
    fn new(
        semantics: &'a Semantics<'a>,
        question: &'a Question<'a>,
        sighting: Option<Sighting<'a>>,
        limits: Limits,
        observer: &'a dyn Observer,
    ) -> Self {
        let labels = if question.labels { Labels::Acceptance } else { Labels::None };
        Search {
            sighting,
            seen: false,
            clock: Clock::new(limits, observer),
            product: Product::new(semantics, question, sighting.map_or(0, |(atoms, _)| atoms)),
            table: StateTable::default(),
            numbers: Vec::new(),
            last_number: 0,
            path: Vec::new(),
            waiting: Vec::new(),
            live: Vec::new(),
            components: Vec::new(),
            depth: 0,
            reduction: (question.reduce && !question.fair)
                .then(|| Reduction::new(semantics, &question.claim.atoms, labels))
                .flatten(),
            choices: Vec::new(),
            alone: 0,
        }
    }

    fn run(&mut self) -> Result<(), Ended> {
        let initial = self.product.initial()?;
        self.table.insert(&initial, NO_PARENT);
        self.numbers.push(0);
        self.enter(0, 0)?;
        while let Some(&(state, first)) = self.path.last() {
            if self.waiting.len() == first {
                self.leave(state);
                continue;
            }
            let Some((next, marks)) = self.waiting.pop() else { continue };
            match self.numbers[next as usize] {
                0 => self.enter(next, marks)?,
                CLOSED => {}
                number => self.merge(number, marks)?,
            }
        }
        match &self.product.mover.crashed {
            Some(crash) => Err(Ended::Stopped(Reason::Crash(crash.fault.to_string()))),
            None => Ok(()),
        }
    }

    /// Puts a state on the way; it is a component by itself so far.
    fn enter(&mut self, id: StateId, entering: Marks) -> Result<(), Ended> {
        self.last_number += 1;
        self.numbers[id as usize] = self.last_number;
        self.live.push(id);
        self.path.push((id, self.waiting.len()));
        self.depth = self.depth.max(self.path.len() as u64);
        self.check_limits()?;
        let expanded = self.expand(id)?;
        if let Some(at) = expanded.completed {
            return Err(Ended::Completed(id, at));
        }
        if !self.product.question.stutters && self.product.has_endless() {
            let reason = String::from("an atomic sequence that never ends");
            return Err(Ended::Stopped(Reason::NotSupported(reason)));
        }
        self.components.push(Component { first: self.last_number, marks: expanded.marks, entering });
        self.note_sighting();
        // The first move is looked at first: it is last on the stack.
        for index in (0..self.product.next.len()).rev() {
            let marks = self.product.next[index].marks;
            let next = self.store(id, index)?;
            self.waiting.push((next, marks));
        }
        Ok(())
    }

    /// Gathers the successors of a state; of one process only, where that is enough.
    fn expand(&mut self, id: StateId) -> Result<Expanded, Ended> {
        let Some(reduction) = &mut self.reduction else {
            return self.product.expand(self.table.state(id), None, &self.clock);
        };
        self.product.asker.load(split(self.table.state(id)).0);
        reduction.choices(&self.product.asker, &mut self.choices);
        for index in 0..self.choices.len() {
            let choice = self.choices[index];
            let expanded = self.product.expand(self.table.state(id), Some(choice.process), &self.clock)?;
            let open = |index: usize| {
                let known = self.table.find(self.product.state(index));
                known.is_some_and(|id| !matches!(self.numbers[id as usize], 0 | CLOSED))
            };
            let closes = || (0..self.product.next.len()).any(open);
            if !self.product.mover.is_empty() && !closes() {
                self.alone += 1;
                return Ok(expanded);
            }
        }
        self.product.expand(self.table.state(id), None, &self.clock)
    }

    fn note_sighting(&mut self) {
        if let Some((_, holds)) = self.sighting.filter(|_| !self.seen) {
            self.seen = self.product.occurred.iter().any(|&atoms| holds(atoms));
        }
    }

    /// An edge leads back into an open component: all that were opened since are one with it.
    fn merge(&mut self, number: u32, mut marks: Marks) -> Result<(), Ended> {
        while let Some(component) = self.components.pop_if(|component| component.first > number) {
            marks |= component.marks | component.entering;
        }
        let Some(component) = self.components.last_mut() else { return Ok(()) };
        component.marks |= marks;
        if component.marks & self.product.required == self.product.required {
            return Err(Ended::Component(component.first));
        }
        Ok(())
    }

    /// All successors of a state were looked at; if it was the first of its component, that is closed.
    fn leave(&mut self, state: StateId) {
        self.path.pop();
        let number = self.numbers[state as usize];
        if self.components.pop_if(|component| component.first == number).is_some() {
            while let Some(live) = self.live.pop() {
                self.numbers[live as usize] = CLOSED;
                if live == state {
                    break;
                }
            }
        }
    }

    fn store(&mut self, from: StateId, index: usize) -> Result<StateId, Ended> {
        match self.table.insert(self.product.state(index), from) {
            Lookup::New(id) => {
                self.numbers.push(0);
                Ok(id)
            }
            Lookup::Known(id) => Ok(id),
            Lookup::Full => Err(Overflow::States.into()),
        }
    }

    fn check_limits(&mut self) -> Result<(), Ended> {
        let (table, path, depth) = (&self.table, &self.path, self.depth);
        let transitions = self.product.mover.transitions;
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
        match ended {
            Ok(()) => digest = Some(self.digest()),
            Err(Ended::Stopped(reason)) => stopped = Some(reason),
            Err(Ended::Component(first)) => lasso = self.lasso(first),
            Err(Ended::Completed(state, at)) => lasso = self.ending(state, at),
        }
        if lasso.is_none() && stopped.is_none() && digest.is_none() {
            let reason = String::from("a counterexample was found, but not again: please report this");
            stopped = Some(self.clock.must_stop(0).unwrap_or(Reason::NotSupported(reason)));
        }
        let stats = SearchStats {
            states: self.table.len() as u64,
            transitions: self.product.mover.transitions,
            depth: self.depth,
            state_bytes: self.table.state_bytes(),
            memory_bytes: self.table.memory_bytes() + self.numbers.capacity() as u64 * 4,
            violations: u64::from(lasso.is_some()),
        };
        Found { lasso, stopped, stats, digest, alone: self.alone, seen: self.seen }
    }

    fn digest(&mut self) -> u128 {
        let (table, stepper) = (&self.table, &mut self.product.asker);
        (0..table.len() as StateId).fold(0u128, |sum, id| {
            let (state, claim) = split(table.state(id));
            sum.wrapping_add(product_digest(stepper.digest(state), claim))
        })
    }
}

// --- the product --------------------------------------------------------------------------------------

/// The claim and the model side by side, one product state at a time. A product state is a state of the model followed by
/// the number of the claim's state in two bytes.
struct Product<'a> {
    question: &'a Question<'a>,
    watcher: Watcher<'a>,
    mover: Mover<'a>,
    /// Answers questions about states while the mover is at work.
    asker: Stepper<'a>,
    /// Per state of the claim: the state atoms in its guards.
    wanted: Vec<AtomSet>,
    /// State atoms that are always evaluated.
    always: AtomSet,
    required: Marks,
    /// The successors of the state that was expanded last.
    next: Vec<Next>,
    bytes: Vec<u8>,
    /// What held when it was: atoms of the state, with those of each move.
    occurred: Vec<AtomSet>,
    /// Its moves, in the order in which they are looked at.
    order: Vec<usize>,
}

/// A successor in the product.
struct Next {
    /// Where its bytes end, in one array for all.
    end: usize,
    /// The move of the model; none where it stays in its last state.
    index: Option<usize>,
    claim: u32,
    marks: Marks,
}

struct Expanded {
    marks: Marks,
    /// The claim comes to its end here, or in the move with an index.
    completed: Option<Option<usize>>,
}

/// A product state as a state of the model and a state of the claim.
fn split(product: &[u8]) -> (&[u8], u32) {
    let (state, claim) = product.split_at(product.len() - 2);
    (state, u32::from(u16::from_le_bytes([claim[0], claim[1]])))
}

impl<'a> Product<'a> {
    fn new(semantics: &'a Semantics<'a>, question: &'a Question<'a>, always: AtomSet) -> Self {
        let watcher = Watcher::new(semantics, &question.claim.atoms);
        let mut mover = Mover::new(semantics);
        if watcher.has_events() {
            mover.stepper.listen();
        }
        let atoms_of = |edges: &[model::claim::ClaimEdge]| edges.iter().fold(0, |set, e| set | e.holds | e.fails);
        Product {
            question,
            watcher,
            mover,
            asker: semantics.stepper(),
            wanted: question.claim.states.iter().map(|state| atoms_of(&state.edges)).collect(),
            always,
            required: if question.fair { Marks::MAX } else { ACCEPTING },
            next: Vec::new(),
            bytes: Vec::new(),
            occurred: Vec::new(),
            order: Vec::new(),
        }
    }

    fn initial(&mut self) -> Result<Vec<u8>, Ended> {
        if self.question.claim.states.len() > MOST_CLAIM_STATES {
            let reason = format!("a claim with more than {MOST_CLAIM_STATES} states");
            return Err(Ended::Stopped(Reason::NotSupported(reason)));
        }
        let initial = self.asker.initial()?;
        let mut initial = initial.map_err(|fault| {
            Ended::Stopped(Reason::NotSupported(format!("there is no first state: {}", fault.fault)))
        })?;
        initial.extend((self.question.claim.initial as u16).to_le_bytes());
        Ok(initial)
    }

    /// The successor with an index.
    fn state(&self, index: usize) -> &[u8] {
        let start = if index == 0 { 0 } else { self.next[index - 1].end };
        &self.bytes[start..self.next[index].end]
    }

    /// Gathers the successors of a product state: of one process, or of all.
    fn expand(&mut self, product: &[u8], process: Option<u32>, clock: &Clock<'_>) -> Result<Expanded, Ended> {
        let (state, claim) = split(product);
        self.next.clear();
        self.bytes.clear();
        self.occurred.clear();
        self.moves(state, process, clock)?;
        let edges = &self.question.claim.states[claim as usize].edges;
        let stuck = self.mover.is_timeout();
        let wanted = self.wanted[claim as usize] | self.always;
        let atoms = self.watcher.in_state(&mut self.asker, state, wanted, stuck).map_err(|fault| {
            Ended::Stopped(Reason::Crash(format!("a condition of the property has no value: {}", fault.fault)))
        })?;
        let events = self.question.claim.events();
        let (moves, marks) = (self.mover.len(), self.marks_of(state, claim)?);
        let stays = self.mover.is_stuck() && process.is_none() && self.question.stutters;
        self.put_in_order();
        self.occurred.extend((0..moves).map(|index| atoms | self.mover.marks(index)));
        if stays {
            self.occurred.push(atoms);
        }
        let mut completed = None;
        for edge in edges {
            for at in 0..moves + usize::from(stays) {
                let index = self.order.get(at).copied();
                if !edge.is_open(self.occurred[index.unwrap_or(0)]) {
                    continue;
                }
                match edge.to {
                    Some(to) => self.push(state, index, to),
                    None => completed = completed.or(Some(index)),
                }
            }
        }
        // Without events in its guard, an edge to the end needs no move.
        let ends = |edge: &&model::claim::ClaimEdge| edge.to.is_none() && (edge.holds | edge.fails) & events == 0;
        if edges.iter().filter(ends).any(|edge| edge.is_open(atoms)) {
            completed = Some(None);
        }
        Ok(Expanded { marks, completed })
    }

    /// An atomic sequence of the state never ends, and nothing of it is progress.
    fn has_endless(&mut self) -> bool {
        let asker = &mut self.asker;
        self.mover.endless(&mut |inner| asker.is_progress(inner)).is_some()
    }

    fn moves(&mut self, state: &[u8], process: Option<u32>, clock: &Clock<'_>) -> Result<(), Ended> {
        let (watcher, asker) = (&self.watcher, &mut self.asker);
        let has_events = watcher.has_events();
        let mut mark = |state: &[u8], successor: &Successor<'_>| {
            if has_events { watcher.in_step(asker, state, successor) } else { 0 }
        };
        if self.mover.expand_process(state, process, &mut mark, &|| clock.must_stop(0).is_some())? {
            return Ok(());
        }
        Err(Ended::Stopped(clock.must_stop(0).unwrap_or(Reason::Interrupted)))
    }

    /// The youngest process first, as SPIN has it: the process that does the interesting things is often started last,
    /// and a formula often speaks of the first.
    fn put_in_order(&mut self) {
        self.order.clear();
        self.order.extend(0..self.mover.len());
        let process = |index: usize| self.mover.first_step(index).and_then(|step| halves(step)[0]).map(|half| half.0);
        self.order.sort_by_key(|&index| std::cmp::Reverse(process(index)));
    }

    fn push(&mut self, state: &[u8], index: Option<usize>, claim: u32) {
        self.bytes.extend_from_slice(index.map_or(state, |index| self.mover.state(index)));
        self.bytes.extend((claim as u16).to_le_bytes());
        let fair = self.question.fair;
        let marks = index.filter(|_| fair).map_or(0, |index| {
            let actors = self.mover.steps(index).into_iter().flat_map(|step| halves(step).into_iter().flatten());
            actors.fold(0, |set, (process, _)| set | turn(process))
        });
        self.next.push(Next { end: self.bytes.len(), index, claim, marks });
    }

    /// What occurs in a product state: acceptance, and processes that cannot move.
    fn marks_of(&mut self, state: &[u8], claim: u32) -> Result<Marks, Ended> {
        let accepting = self.question.claim.states[claim as usize].accepting
            || self.question.labels && self.asker.is_accepting(state);
        let mut marks = if accepting { ACCEPTING } else { 0 };
        if self.question.fair {
            if self.asker.process_count(state) > MOST_PROCESSES {
                let reason = format!("weak fairness for more than {MOST_PROCESSES} processes");
                return Err(Ended::Stopped(Reason::NotSupported(reason)));
            }
            let actors = self.mover.first_steps().flat_map(|step| halves(step).into_iter().flatten());
            marks |= !actors.fold(ACCEPTING, |set, (process, _)| set | turn(process));
        }
        Ok(marks)
    }
}

/// The bit of a process.
fn turn(process: u32) -> Marks {
    1u128.checked_shl(process + 1).unwrap_or(0)
}
