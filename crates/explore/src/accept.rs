//! Runs that a claim accepts: temporal formulas, `never` claims, acceptance labels, weak fairness.
//!
//! The claim and the model run in parallel (the state/event product of the MAGIC paper, section 4.1): in the
//! product state `(s, q)` the claim takes an edge that is true of `s` and of what happens on the way to `s'`. A counterexample is
//! a run on which the claim comes to its end, or a cycle that passes through accepting states. The search is
//! depth-first and looks for strongly connected components while it goes (Couvreur, FM 1999; the path-based
//! algorithm of Gabow): a component is merged as soon as an edge closes it, and the search ends with the first one
//! in which everything occurs that must occur again and again.
//!
//! That is more than one thing under *weak fairness*: a process that can always move must move. So every process either
//! moves in the component, or cannot move in one of its states; each is one more bit beside acceptance, and nothing else
//! changes. Under *strong fairness* a process that can move in the component must move in it; that is a pair of bits,
//! where the second one is needed if the first one occurs (Streett acceptance). So is what a formula assumes of runs
//! (`temporal::Assumption`). A component in which a pair is not satisfied may have a part in which all are, so pairs
//! are looked for in the graph of all states, by any number of threads (`graph/components.rs`).
//!
//! As in SPIN: the claim moves first; states in the middle of an atomic sequence are not seen; a run that ends goes on
//! forever in its last state ([`Question::stutters`]), where nothing happens.
//!
//! The product is in `product`; `lasso` makes a short run of what is found, and `witness` replays it. Large products are searched by
//! several threads (`threads`), which draw the graph of the product first (`graph.rs`).

mod lasso;
mod plain;
mod product;
mod threads;
mod witness;

pub use lasso::{Lasso, Move};
pub(crate) use plain::{close, plain};
pub use witness::is_bad_prefix;
pub(crate) use witness::witness;

use crate::clock::Clock;
use crate::graph::Marks;
use crate::graph::draw::{Way, alone_first};
use crate::reduction::{self, Choice, Labels, Reduction};
use crate::search::Options;
use crate::table::{Lookup, NO_PARENT, StateId, StateTable};
use model::claim::{AtomSet, Claim, product_digest};
use model::context::Context;
use model::fairness::Fairness;
use model::fault::Overflow;
use model::semantics::Semantics;
use model::verdict::{Reason, SearchStats};
use product::{Expanded, Product, split};
use temporal::{Assumption, Formula};

/// What is looked for.
#[derive(Clone, Copy, Debug)]
pub struct Question<'c> {
    /// The claim.
    pub claim: &'c Claim,
    /// Processes at a location labelled as accepting count as well as the claim.
    pub labels: bool,
    /// Which runs count.
    pub fair: Fairness,
    /// What must be so of infinitely many positions, beside the claim.
    pub assumptions: &'c [Assumption],
    /// A run that ends goes on in its last state. If not, it is none, but an atomic sequence that never ends is one.
    pub stutters: bool,
    /// States may be left out where the order of steps does not matter. Only if the claim cannot tell whether a run stays in
    /// a state for a while.
    pub reduce: bool,
    /// The search may end with a run after which the claim accepts everything: a bad prefix of a formula.
    pub prefixes: bool,
}

impl<'c> Question<'c> {
    /// What is asked of a formula, of all runs, with every state visited.
    pub fn new(claim: &'c Claim) -> Self {
        let fair = Fairness::None;
        Question { claim, labels: false, fair, assumptions: &[], stutters: true, reduce: false, prefixes: false }
    }

    /// Whether something must occur only where something else does.
    fn has_pairs(&self) -> bool {
        let is_pair = |assumption: &Assumption| assumption.asked != Formula::True;
        self.fair >= Fairness::Strong || self.assumptions.iter().any(is_pair)
    }
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
    /// States were left out, or might have been.
    pub reduced: bool,
    /// Where the watched conditions held, if anywhere: what the caller asked to be watched.
    pub seen: bool,
}

/// The marks are acceptance, two for each assumption, and a turn for each process.
const ACCEPTING: Marks = 1;
/// The number of the claim's state has two bytes in a product state.
const MOST_CLAIM_STATES: usize = 1 << 16;
/// The number of a state that is in no component that is still open.
const CLOSED: u32 = u32::MAX;

/// A condition of which the search says whether it ever held; with the atoms it speaks of.
pub type Sighting<'w> = (AtomSet, &'w (dyn Fn(AtomSet) -> bool + Sync));

/// Searches for a run that the claim accepts.
pub(crate) fn search(
    semantics: &Semantics<'_>,
    question: &Question<'_>,
    sighting: Option<Sighting<'_>>,
    way: Way<'_>,
    cx: &Context<'_>,
) -> Found {
    let drawn = |options: &Options, cx: &Context<'_>| threads::search(semantics, question, sighting, options, cx);
    let one = Options { jobs: 1, ..way.options.clone() };
    let alone = |cx: &Context<'_>| {
        if question.has_pairs() {
            return drawn(&one, cx);
        }
        let mut search = Search::new(semantics, question, sighting, cx);
        let ended = search.run();
        search.finish(ended)
    };
    let together = |cx: &Context<'_>| drawn(way.options, cx);
    alone_first(way, cx, &alone, &together, &|found| found.stopped.clone())
}

/// Like [`search`], without states that the claim cannot tell from others.
pub(crate) fn search_trimmed(
    semantics: &Semantics<'_>,
    question: &Question<'_>,
    sighting: Option<Sighting<'_>>,
    way: Way<'_>,
    cx: &Context<'_>,
) -> Found {
    let labels = if question.labels { Labels::Acceptance } else { Labels::None };
    let Some(trimmed) = reduction::trimmed(semantics, &question.claim.atoms, labels) else {
        return search(semantics, question, sighting, way, cx);
    };
    // A bad prefix is cut out of a run of the plain semantics.
    let question = &Question { prefixes: false, ..*question };
    let mut found = search(&trimmed, question, sighting, way, cx);
    let reason = || Reason::Internal(String::from("a run was found, but it is none of the model"));
    if let Some(lasso) = found.lasso.take() {
        found.lasso = plain(semantics, question, &lasso);
        found.stopped = found.lasso.is_none().then(reason);
    }
    Found { reduced: true, ..found }
}

fn endless() -> Reason {
    Reason::NotSupported(String::from("an atomic sequence that never ends"))
}

/// Why the search ended before all states were visited.
enum Ended {
    Stopped(Reason),
    /// The component whose states have this number or a greater one.
    Component(u32),
    /// The claim is at its end in a state, or after a move from there.
    Completed(StateId, Option<Move>),
}

impl From<Reason> for Ended {
    fn from(reason: Reason) -> Ended {
        Ended::Stopped(reason)
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
    /// The path: states, and where their successors start in `waiting`.
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
    /// States that were looked at again for a run to what was found.
    looked_at: u64,
}

impl<'a> Search<'a> {
    fn new(
        semantics: &'a Semantics<'a>,
        question: &'a Question<'a>,
        sighting: Option<Sighting<'a>>,
        cx: &Context<'a>,
    ) -> Self {
        let labels = if question.labels { Labels::Acceptance } else { Labels::None };
        Search {
            sighting,
            seen: false,
            clock: Clock::new(*cx),
            product: Product::new(semantics, question, sighting.map_or(0, |(atoms, _)| atoms)),
            table: StateTable::default(),
            numbers: Vec::new(),
            last_number: 0,
            path: Vec::new(),
            waiting: Vec::new(),
            live: Vec::new(),
            components: Vec::new(),
            depth: 0,
            reduction: (question.reduce && !question.fair.is_assumed())
                .then(|| Reduction::new(semantics, &question.claim.atoms, labels))
                .flatten(),
            choices: Vec::new(),
            alone: 0,
            looked_at: 0,
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
        let claim = &self.product.question.claim;
        if self.product.question.prefixes && claim.accepts_all_from(split(self.table.state(id)).1) {
            return Err(Ended::Completed(id, None));
        }
        let expanded = self.expand(id)?;
        if let Some(at) = expanded.completed {
            return Err(Ended::Completed(id, at));
        }
        if !self.product.question.stutters && self.product.has_endless() {
            return Err(endless().into());
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
            return Ok(self.product.expand(self.table.state(id), None, &self.clock)?);
        };
        self.product.asker.load(split(self.table.state(id)).0);
        reduction.choices(&self.product.asker, true, &mut self.choices);
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
        Ok(self.product.expand(self.table.state(id), None, &self.clock)?)
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
        if component.marks & self.product.wanted_marks.marks == self.product.wanted_marks.marks {
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
            Lookup::Full => Err(Reason::from(Overflow::States).into()),
        }
    }

    fn check_limits(&mut self) -> Result<(), Ended> {
        let stopped = self.clock.tick_deep(&self.table, self.path.len(), self.depth, self.product.mover.transitions);
        stopped.map_or(Ok(()), |reason| Err(Ended::Stopped(reason)))
    }

    fn finish(mut self, ended: Result<(), Ended>) -> Found {
        let (mut lasso, mut stopped, mut digest) = (None, None, None);
        match ended {
            Ok(()) => digest = Some(self.digest()),
            Err(Ended::Stopped(reason)) => stopped = Some(reason),
            Err(Ended::Component(first)) => lasso = self.lasso(first),
            Err(Ended::Completed(state, last)) => lasso = self.ending(state, last),
        }
        if lasso.is_none() && stopped.is_none() && digest.is_none() {
            let reason = String::from("a counterexample was found, but not again");
            stopped = Some(self.clock.must_stop(0).unwrap_or(Reason::Internal(reason)));
        }
        let stats = SearchStats {
            states: self.table.len() as u64,
            transitions: self.product.mover.transitions,
            depth: self.depth,
            state_bytes: self.table.state_bytes(),
            memory_bytes: self.table.memory_bytes() + self.numbers.capacity() as u64 * 4,
            violations: u64::from(lasso.is_some()),
        };
        Found { lasso, stopped, stats, digest, alone: self.alone, reduced: false, seen: self.seen }
    }

    fn digest(&mut self) -> u128 {
        let (table, stepper) = (&self.table, &mut self.product.asker);
        (0..table.len() as StateId).fold(0u128, |sum, id| {
            let (state, claim) = split(table.state(id));
            sum.wrapping_add(product_digest(stepper.digest(state), claim))
        })
    }
}
