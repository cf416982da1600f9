//! The product of a model and a claim, and its successors.
//!
//! The claim moves first: it takes an edge that is true of the state and of what happens on the way to the next one. What has to
//! occur again and again, acceptance and under fairness the moves of each process, comes along as a bit of each step.

use super::{ACCEPTING, MOST_CLAIM_STATES, Move, Question};
use crate::clock::Clock;
use crate::graph::Marks;
use crate::graph::components::Wanted;
use crate::moves::Mover;
use model::claim::{AtomSet, Watcher, halves};
use model::fairness::Fairness;
use model::semantics::{Semantics, Stepper, Successor};
use model::verdict::Reason;
use temporal::Formula;

/// The claim and the model in parallel, one product state at a time. A product state is a state of the model followed by
/// the number of the claim's state in two bytes.
pub(super) struct Product<'a> {
    pub(super) question: &'a Question<'a>,
    pub(super) watcher: Watcher<'a>,
    pub(super) mover: Mover<'a>,
    /// Answers questions about states while the mover is at work.
    pub(super) asker: Stepper<'a>,
    /// Per state of the claim: the state atoms in its guards.
    wanted: Vec<AtomSet>,
    /// State atoms that are always evaluated.
    always: AtomSet,
    /// What a cycle must have.
    pub(super) wanted_marks: Wanted,
    turns: Turns,
    /// The successors of the state that was expanded last.
    pub(super) next: Vec<Next>,
    bytes: Vec<u8>,
    /// What held when it was: atoms of the state, with those of each move.
    pub(super) occurred: Vec<AtomSet>,
    /// Its moves, in the order in which they are looked at.
    order: Vec<usize>,
}

/// A successor in the product.
pub(super) struct Next {
    /// Where its bytes end, in one array for all.
    end: usize,
    /// The move of the model; none where it stays in its last state.
    pub(super) index: Option<usize>,
    pub(super) claim: u32,
    pub(super) marks: Marks,
}

pub(super) struct Expanded {
    pub(super) marks: Marks,
    /// The claim comes to its end here, or in a move.
    pub(super) completed: Option<Option<Move>>,
}

/// A product state as a state of the model and a state of the claim.
pub(super) fn split(product: &[u8]) -> (&[u8], u32) {
    let (state, claim) = product.split_at(product.len() - 2);
    (state, u32::from(u16::from_le_bytes([claim[0], claim[1]])))
}

impl<'a> Product<'a> {
    pub(super) fn new(semantics: &'a Semantics<'a>, question: &'a Question<'a>, always: AtomSet) -> Self {
        let watcher = Watcher::new(semantics, &question.claim.atoms);
        let mut mover = Mover::new(semantics);
        if watcher.has_events() {
            mover.stepper.listen();
        }
        let turns = Turns { first: 1 + 2 * question.assumptions.len() as u32, fair: question.fair };
        let atoms_of = |edges: &[model::claim::ClaimEdge]| edges.iter().fold(0, |set, e| set | e.holds | e.fails);
        Product {
            question,
            watcher,
            mover,
            asker: semantics.stepper(),
            wanted: question.claim.states.iter().map(|state| atoms_of(&state.edges)).collect(),
            always: question.assumptions.iter().fold(always, |set, a| set | atoms_in(&a.asked) | atoms_in(&a.given)),
            wanted_marks: turns.wanted(question),
            turns,
            next: Vec::new(),
            bytes: Vec::new(),
            occurred: Vec::new(),
            order: Vec::new(),
        }
    }

    pub(super) fn initial(&mut self) -> Result<Vec<u8>, Reason> {
        if self.question.claim.states.len() > MOST_CLAIM_STATES {
            let reason = format!("a claim with more than {MOST_CLAIM_STATES} states");
            return Err(Reason::NotSupported(reason));
        }
        let initial = self.asker.initial()?;
        let mut initial =
            initial.map_err(|fault| Reason::NotSupported(format!("there is no first state: {}", fault.fault)))?;
        initial.extend((self.question.claim.initial as u16).to_le_bytes());
        Ok(initial)
    }

    /// The successor with an index.
    pub(super) fn state(&self, index: usize) -> &[u8] {
        let start = if index == 0 { 0 } else { self.next[index - 1].end };
        &self.bytes[start..self.next[index].end]
    }

    /// Gathers the successors of a product state: of one process, or of all.
    pub(super) fn expand(
        &mut self,
        product: &[u8],
        process: Option<u32>,
        clock: &Clock<'_>,
    ) -> Result<Expanded, Reason> {
        let (state, claim) = split(product);
        self.next.clear();
        self.bytes.clear();
        self.occurred.clear();
        self.moves(state, process, clock)?;
        let edges = &self.question.claim.states[claim as usize].edges;
        let stuck = self.mover.is_timeout();
        let wanted = self.wanted[claim as usize] | self.always;
        let atoms = self
            .watcher
            .in_state(&mut self.asker, state, wanted, stuck)
            .map_err(|fault| Reason::Crash(format!("a condition of the property has no value: {}", fault.fault)))?;
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
        // Its index says nothing any more once other processes have been looked at: its steps do.
        let last = |index: Option<usize>| index.map(|index| Move { steps: self.mover.steps(index), claim });
        Ok(Expanded { marks, completed: completed.map(last) })
    }

    /// What leads from a product state to another one; with marks, a move on which exactly these occur.
    pub(super) fn move_between(
        &mut self,
        from: &[u8],
        to: &[u8],
        marks: Option<Marks>,
        clock: &Clock<'_>,
    ) -> Option<Move> {
        self.expand(from, None, clock).ok()?;
        let leads =
            |index: &usize| self.state(*index) == to && marks.is_none_or(|marks| self.next[*index].marks == marks);
        let next = &self.next[(0..self.next.len()).find(leads)?];
        let steps = next.index.map_or_else(Vec::new, |index| self.mover.steps(index));
        Some(Move { steps, claim: next.claim })
    }

    /// An atomic sequence of the state never ends, and nothing of it is progress.
    pub(super) fn has_endless(&mut self) -> bool {
        let asker = &mut self.asker;
        self.mover.endless(&mut |inner| asker.is_progress(inner)).is_some()
    }

    pub(super) fn moves(&mut self, state: &[u8], process: Option<u32>, clock: &Clock<'_>) -> Result<(), Reason> {
        let (watcher, asker) = (&self.watcher, &mut self.asker);
        let has_events = watcher.has_events();
        let mut mark = |state: &[u8], successor: &Successor<'_>| {
            if has_events { watcher.in_step(asker, state, successor) } else { 0 }
        };
        if self.mover.expand_process(state, process, &mut mark, &|| clock.must_stop(0).is_some())? {
            return Ok(());
        }
        Err(clock.must_stop(0).unwrap_or(Reason::Interrupted))
    }

    /// The youngest process first, as SPIN has it: the process that does the interesting things is often started last,
    /// and a formula often speaks of the first.
    fn put_in_order(&mut self) {
        self.order.clear();
        self.order.extend(0..self.mover.len());
        let process = |index: usize| self.mover.first_step(index).and_then(|step| halves(step)[0]).map(|half| half.0);
        self.order.sort_by_key(|&index| std::cmp::Reverse(process(index)));
    }

    pub(super) fn push(&mut self, state: &[u8], index: Option<usize>, claim: u32) {
        self.bytes.extend_from_slice(index.map_or(state, |index| self.mover.state(index)));
        self.bytes.extend((claim as u16).to_le_bytes());
        let mut marks = self.assumed(self.occurred[index.unwrap_or(0)]);
        if let Some(index) = index.filter(|_| self.question.fair.is_assumed()) {
            let actors = self.mover.steps(index).into_iter().flat_map(|step| halves(step).into_iter().flatten());
            marks |= actors.fold(0, |set, (process, _)| set | self.turns.moves(process));
        }
        self.next.push(Next { end: self.bytes.len(), index, claim, marks });
    }

    /// What occurs in a product state: acceptance, and processes that cannot move.
    fn marks_of(&mut self, state: &[u8], claim: u32) -> Result<Marks, Reason> {
        let accepting = self.question.claim.states[claim as usize].accepting
            || self.question.labels && self.asker.is_accepting(state);
        let mut marks = if accepting { ACCEPTING } else { 0 };
        if self.question.fair.is_assumed() {
            if self.asker.process_count(state) > self.turns.most() as usize {
                let reason = format!("fairness for more than {} processes", self.turns.most());
                return Err(Reason::NotSupported(reason));
            }
            let actors = self.mover.first_steps().flat_map(|step| halves(step).into_iter().flatten());
            marks |= self.turns.of_state(actors.map(|(process, _)| process));
        }
        Ok(marks)
    }

    /// What occurs of what is assumed, where exactly these atoms hold.
    fn assumed(&self, atoms: AtomSet) -> Marks {
        let mark = |holds: &Formula, bit: usize| if is_true(holds, atoms) { ACCEPTING << bit } else { 0 };
        let of = |(n, assumption): (usize, &temporal::Assumption)| {
            mark(&assumption.asked, 1 + 2 * n) | mark(&assumption.given, 2 + 2 * n)
        };
        self.question.assumptions.iter().enumerate().map(of).fold(0, |all, marks| all | marks)
    }
}

/// Whether a formula without temporal operators holds where exactly these atoms do.
fn is_true(formula: &Formula, atoms: AtomSet) -> bool {
    let of = |part: &Formula| is_true(part, atoms);
    match formula {
        Formula::True => true,
        Formula::Atom(atom) => atoms >> atom & 1 == 1,
        Formula::Not(a) => !of(a),
        Formula::And(a, b) => of(a) && of(b),
        Formula::Or(a, b) => of(a) || of(b),
        Formula::Implies(a, b) => !of(a) || of(b),
        Formula::Iff(a, b) => of(a) == of(b),
        _ => false,
    }
}

/// What a formula without temporal operators speaks of.
fn atoms_in(formula: &Formula) -> AtomSet {
    match formula {
        Formula::Atom(atom) => 1 << atom,
        Formula::Not(a) => atoms_in(a),
        Formula::And(a, b) | Formula::Or(a, b) | Formula::Implies(a, b) | Formula::Iff(a, b) => {
            atoms_in(a) | atoms_in(b)
        }
        _ => 0,
    }
}

/// The marks of processes: one for each, or, under strong fairness, one for being able to move and one for moving.
#[derive(Clone, Copy)]
struct Turns {
    /// The bit of the first one.
    first: u32,
    fair: Fairness,
}

impl Turns {
    /// So many processes have marks.
    fn most(self) -> u32 {
        (Marks::BITS - self.first) / if self.fair >= Fairness::Strong { 2 } else { 1 }
    }

    fn moves(self, process: u32) -> Marks {
        let bit = if self.fair >= Fairness::Strong { 2 * process + 1 } else { process };
        ACCEPTING.checked_shl(self.first + bit).unwrap_or(0)
    }

    /// What occurs in a state where these processes can move: that, or, under weak fairness, that the others cannot.
    fn of_state(self, able: impl Iterator<Item = u32>) -> Marks {
        let able = able.fold(0, |set, process| set | self.moves(process));
        if self.fair >= Fairness::Strong { able >> 1 } else { !able & Marks::MAX << self.first }
    }

    fn wanted(self, question: &Question<'_>) -> Wanted {
        let (mut marks, mut pairs) = (ACCEPTING, Vec::new());
        for (n, assumption) in question.assumptions.iter().enumerate() {
            let (asked, given) = (ACCEPTING << (1 + 2 * n), ACCEPTING << (2 + 2 * n));
            if assumption.asked == Formula::True { marks |= given } else { pairs.push((asked, given)) }
        }
        match self.fair {
            Fairness::None => {}
            Fairness::Weak => marks |= Marks::MAX << self.first,
            // Fair choice is about compositions, and refused before.
            Fairness::Strong | Fairness::Choice => {
                pairs.extend((0..self.most()).map(|p| (self.moves(p) >> 1, self.moves(p))))
            }
        }
        Wanted { marks, pairs }
    }
}
