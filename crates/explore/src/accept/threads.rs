//! Runs that a claim accepts, looked for by several threads, which draw the graph of the product.
//!
//! There is no path to look at, so a process moves alone by the proviso that does not depend on it (`reduction/proviso.rs`).

use super::product::{Expanded, Product, split};
use super::{Found, Lasso, Move, Question, Sighting, endless};
use crate::clock::Clock;
use crate::graph::draw::{self, Drawn, Run, Seen};
use crate::graph::{Marks, Notes};
use crate::parallel::{At, Visitor};
use crate::reduction::{Choice, Labels, Reduction};
use crate::search::{Options, Watch};
use crate::table::StateId;
use model::claim::product_digest;
use model::context::Context;
use model::semantics::Semantics;
use model::verdict::{Reason, SearchStats};

/// Claims with more states than this are not divided.
const MOST_DIVIDED: usize = 1_000;

/// What the threads are given.
#[derive(Clone, Copy)]
struct Setup<'a> {
    semantics: &'a Semantics<'a>,
    question: &'a Question<'a>,
    /// Of each state of the claim the part that it belongs to: an accepted cycle stays in one part.
    parts: &'a [Option<u32>],
    sighting: Option<Sighting<'a>>,
    cx: Context<'a>,
}

impl<'a> Setup<'a> {
    fn product(self) -> Product<'a> {
        Product::new(self.semantics, self.question, self.sighting.map_or(0, |(atoms, _)| atoms))
    }
}

/// Searches for a run that the claim accepts.
pub(super) fn search(
    semantics: &Semantics<'_>,
    question: &Question<'_>,
    sighting: Option<Sighting<'_>>,
    options: &Options,
    cx: &Context<'_>,
) -> Found {
    let parts = parts(question);
    let setup = Setup { semantics, question, parts: &parts, sighting, cx: *cx };
    let (mut product, clock) = (setup.product(), Clock::new(*cx));
    let drawn = match product.initial() {
        Ok(first) => {
            let wanted = product.wanted_marks.clone();
            draw::search::<Drawer<'_>, _>(semantics, Watch { options, cx: *cx }, setup, &first, &wanted)
        }
        Err(reason) => {
            let stopped = Some(reason);
            Drawn { seen: Seen::default(), run: None, stopped, stats: SearchStats::default() }
        }
    };
    let Drawn { seen, run, mut stopped, stats } = drawn;
    let digest = (stopped.is_none() && run.is_none()).then_some(seen.digest);
    let lasso = run.and_then(|run| lasso(&mut product, run, &clock));
    if lasso.is_none() && stopped.is_none() && digest.is_none() {
        let reason = String::from("a counterexample was found, but not again");
        stopped = Some(clock.must_stop(0).unwrap_or(Reason::Internal(reason)));
    }
    Found { lasso, stopped, stats, digest, alone: seen.alone, reduced: false, seen: seen.noticed }
}

/// The components of the claim in which it accepts, as the least state of each: other edges of the product are on no cycle that
/// matters.
fn parts(question: &Question<'_>) -> Vec<Option<u32>> {
    let states = &question.claim.states;
    if states.len() > MOST_DIVIDED {
        return vec![Some(0); states.len()];
    }
    let reached = |from: u32| {
        let (mut seen, mut work) = (vec![false; states.len()], vec![from]);
        while let Some(at) = work.pop() {
            for to in states[at as usize].edges.iter().filter_map(|edge| edge.to) {
                if !std::mem::replace(&mut seen[to as usize], true) {
                    work.push(to);
                }
            }
        }
        seen
    };
    let reached: Vec<Vec<bool>> = (0..states.len() as u32).map(reached).collect();
    let part = |state: usize| {
        let with = |&other: &usize| reached[state][other] && reached[other][state];
        let accepts = |other: usize| question.labels || states[other].accepting;
        let accepting = (0..states.len()).filter(with).any(accepts);
        (0..states.len()).find(with).filter(|_| accepting).map(|least| least as u32)
    };
    (0..states.len()).map(part).collect()
}

/// The moves of a run.
fn lasso(product: &mut Product<'_>, run: Run<Option<Move>>, clock: &Clock<'_>) -> Option<Lasso> {
    let (chain, last, round) = match run {
        Run::Ends(chain, last) => (chain, last, Vec::new()),
        Run::Repeats(chain, round) => (chain, None, round),
    };
    let mut moves = |pair: [&[u8]; 2], marks: Option<Marks>| product.move_between(pair[0], pair[1], marks, clock);
    let stem: Option<Vec<Move>> = chain.windows(2).map(|pair| moves([&pair[0], &pair[1]], None)).collect();
    let once = round.windows(2).map(|pair| moves([&pair[0].0, &pair[1].0], Some(pair[1].1)));
    let cycle = once.collect::<Option<Vec<Move>>>()?;
    Some(Lasso { stem: stem?.into_iter().chain(last).collect(), cycle })
}

/// One thread.
struct Drawer<'a> {
    product: Product<'a>,
    parts: &'a [Option<u32>],
    clock: Clock<'a>,
    sighting: Option<Sighting<'a>>,
    reduction: Option<Reduction<'a>>,
    choices: Vec<Choice>,
    seen: Seen<Option<Move>>,
}

impl Drawer<'_> {
    /// Gathers the successors of a state; of one process only, where that is enough.
    fn expand(&mut self, state: &[u8]) -> Result<Expanded, Reason> {
        if let Some(reduction) = &mut self.reduction {
            self.product.asker.load(split(state).0);
            reduction.choices(&self.product.asker, false, &mut self.choices);
            for index in 0..self.choices.len() {
                let expanded = self.product.expand(state, Some(self.choices[index].process), &self.clock)?;
                if !self.product.mover.is_empty() {
                    self.seen.alone += 1;
                    return Ok(expanded);
                }
            }
        }
        self.product.expand(state, None, &self.clock)
    }
}

impl<'a> Visitor<'a> for Drawer<'a> {
    type Setup = Setup<'a>;
    /// What occurs on the way to a successor, if a cycle may pass there.
    type Label = Option<Marks>;
    type Notes = Notes;
    type Report = Seen<Option<Move>>;

    fn new(setup: Setup<'a>) -> Self {
        let Question { claim, labels, fair, reduce, .. } = *setup.question;
        let labels = if labels { Labels::Acceptance } else { Labels::None };
        let reduction =
            (reduce && !fair.is_assumed()).then(|| Reduction::new(setup.semantics, &claim.atoms, labels)).flatten();
        Drawer {
            product: setup.product(),
            parts: setup.parts,
            clock: Clock::new(setup.cx),
            sighting: setup.sighting,
            reduction,
            choices: Vec::new(),
            seen: Seen::default(),
        }
    }

    fn visit(
        &mut self,
        state: &[u8],
        at: At,
        notes: &mut Notes,
        sink: &mut impl FnMut(&[u8], Option<Marks>),
    ) -> Result<(), Reason> {
        let (system, claim) = split(state);
        let question = self.product.question;
        if question.prefixes && question.claim.accepts_all_from(claim) {
            self.seen.ends(at, None);
            notes.states.push(0);
            return Ok(());
        }
        let expanded = self.expand(state)?;
        if let Some(last) = expanded.completed {
            self.seen.ends(at, last);
        }
        if !question.stutters && self.product.has_endless() {
            return Err(endless());
        }
        if let Some((_, holds)) = self.sighting.filter(|_| !self.seen.noticed) {
            self.seen.noticed = self.product.occurred.iter().any(|&atoms| holds(atoms));
        }
        let digest = product_digest(self.product.asker.digest(system), claim);
        self.seen.digest = self.seen.digest.wrapping_add(digest);
        notes.states.push(expanded.marks);
        for (index, next) in self.product.next.iter().enumerate() {
            let part = |claim: u32| self.parts[claim as usize];
            let stays = part(claim).is_some() && part(claim) == part(next.claim);
            sink(self.product.state(index), stays.then_some(next.marks));
        }
        Ok(())
    }

    fn note(notes: &mut Notes, from: StateId, to: StateId, marks: Option<Marks>) {
        if let Some(marks) = marks {
            notes.edge(from, to, marks);
        }
    }

    fn must_end(&self) -> bool {
        self.seen.end.is_some()
    }

    fn transitions(&self) -> u64 {
        self.product.mover.transitions
    }

    fn report(&mut self) -> Self::Report {
        let mover = &mut self.product.mover;
        let transitions = std::mem::take(&mut mover.transitions);
        Seen { transitions, crashed: mover.crashed.take(), ..std::mem::take(&mut self.seen) }
    }
}
