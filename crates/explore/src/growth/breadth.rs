//! Breadth-first: every new state is compared with the states on the way to it.
//!
//! Early states are compared with all of them. Later on, when states are many, each is compared only with the last few that
//! have the same finite part: they are found by its hash, and whether they are on the way is asked last.

use super::{Ended, Hunt, Lengths, Origin};
use crate::ENGINE;
use crate::expansion::{Expander, Sink, Unfinished};
use crate::table::{Batch, NO_PARENT, StateId, StateTable};
use model::fault::Overflow;
use model::growth::{Fingerprint, Parts};
use model::semantics::Step;
use model::verdict::{Progress, Reason};
use rustc_hash::FxHashMap;

/// How many loops that end in a state are tried.
const MOST_TRIED: usize = 4;
/// So many states are compared with so many on the way to them; later ones with so many of the same finite part.
const EARLY: usize = 20_000;
const NEAREST: usize = 256;
const COMPARED: usize = 4;
/// States that are looked up together.
const BATCH: usize = 256;

/// The states of one search, and how far it got.
#[derive(Default)]
pub(super) struct Tree {
    table: StateTable,
    /// The finite parts of early states.
    prints: Vec<Fingerprint>,
    /// The last state with a finite part, by its hash.
    last: FxHashMap<u64, StateId>,
    /// For every state the one before it with the same hash of the finite part.
    same: Vec<StateId>,
    lengths: Lengths,
    batch: Batch,
    /// The next state to be expanded, and the first that is farther away.
    next: StateId,
    layer_end: StateId,
    depth: u64,
    digest: u128,
    /// States are left out.
    pub(super) reduced: bool,
}

impl Tree {
    /// A search that starts at a state.
    pub(super) fn new(state: &[u8]) -> Tree {
        let mut tree = Tree { layer_end: 1, ..Tree::default() };
        tree.batch.push(state, NO_PARENT);
        tree
    }

    fn ancestors(&self, id: StateId) -> impl Iterator<Item = StateId> {
        std::iter::successors(self.table.parent(id), |&id| self.table.parent(id))
    }

    /// States with the same hash of the finite part, the latest first.
    fn alike(&self, id: StateId) -> impl Iterator<Item = StateId> {
        let before = |&id: &StateId| Some(self.same[id as usize]).filter(|&id| id != NO_PARENT);
        std::iter::successors(before(&id), before)
    }

    /// Parents have smaller numbers.
    fn is_on_the_way(&self, ancestor: StateId, id: StateId) -> bool {
        self.ancestors(id).find(|&id| id <= ancestor) == Some(ancestor)
    }

    /// Early states with one process more than an earlier one on the way to them, and nothing else that hashes tell.
    pub(super) fn created(&self) -> impl Iterator<Item = (StateId, StateId)> {
        (0..self.prints.len() as StateId).flat_map(|id| {
            let print = &self.prints[id as usize];
            let one_less = |earlier: &StateId| self.prints[*earlier as usize].is_one_process_less(print);
            self.ancestors(id).take(NEAREST).filter(one_less).map(move |earlier| (earlier, id))
        })
    }

    /// The states from `from`, which is above it, to `to`.
    fn chain(&self, from: StateId, to: StateId) -> Vec<StateId> {
        let mut chain = vec![to];
        chain.extend(self.ancestors(to).take_while(|&id| id != from));
        if to != from {
            chain.push(from);
        }
        chain.reverse();
        chain
    }
}

/// Successors on their way into the table; queues may be longest in the middle of an atomic sequence.
struct Successors<'t, 'p, 's> {
    batch: &'t mut Batch,
    lengths: &'t mut Lengths,
    parts: &'p mut Parts<'s>,
    id: StateId,
    /// A state with processes that no state had before.
    shapes: Vec<Vec<u8>>,
}

impl Sink for Successors<'_, '_, '_> {
    fn push(&mut self, state: &[u8]) {
        self.batch.push(state, self.id);
    }

    fn pass(&mut self, state: &[u8]) {
        if self.lengths.add(self.parts, state, self.id) {
            self.shapes.push(state.to_vec());
        }
    }
}

impl<'a> Hunt<'a> {
    pub(super) fn expander(&mut self, tree: &Tree) -> &mut Expander<'a> {
        self.reduced.as_mut().filter(|_| tree.reduced).unwrap_or(&mut self.expander)
    }

    /// The steps from a state to one below it, if there is time: each may be of many messages, and the way of many states.
    pub(super) fn steps_between(&mut self, tree: &Tree, from: StateId, to: StateId) -> Option<Vec<Step>> {
        let (cx, expander, mut steps) = (self.clock.cx, self.expander(tree), Vec::new());
        for pair in tree.chain(from, to).windows(2) {
            let [earlier, later] = [pair[0], pair[1]].map(|id| tree.table.state(id));
            cx.budget.spend(earlier.len()).ok()?;
            steps.extend(expander.steps_along(&[earlier, later]));
        }
        Some(steps)
    }

    /// Goes on until there are so many states.
    pub(super) fn breadth_first(&mut self, origin: &Origin, tree: &mut Tree, most: u64) -> Ended {
        let ended = self.layers(origin, tree, most).err().unwrap_or(Ended::Complete);
        let lengths = std::mem::take(&mut tree.lengths);
        self.keep_longest(&lengths, &mut |hunt, id| {
            let way = hunt.steps_between(tree, 0, id).unwrap_or_default();
            [origin.run.as_slice(), &way].concat()
        });
        tree.lengths = lengths;
        self.count(tree, origin, &ended);
        ended
    }

    /// Layer by layer, until nothing is left.
    fn layers(&mut self, origin: &Origin, tree: &mut Tree, most: u64) -> Result<(), Ended> {
        self.flush(tree, origin)?;
        let mut state = Vec::new();
        while (tree.next as usize) < tree.table.len() {
            if tree.next == tree.layer_end {
                tree.depth += 1;
                tree.layer_end = tree.table.len() as StateId;
            }
            if tree.table.len() as u64 > most {
                return Err(Ended::Enough);
            }
            if self.clock.cx.budget.most_depth().is_some_and(|limit| tree.depth >= limit) {
                return Err(Ended::Stopped(Reason::Depth));
            }
            state.clear();
            state.extend_from_slice(tree.table.state(tree.next));
            self.successors(tree, &state)?;
            tree.next += 1;
            let last = tree.next as usize == tree.table.len() || tree.next == tree.layer_end;
            let enough = (tree.table.len() + tree.batch.len()) as u64 > most;
            if last || enough || tree.batch.len() >= BATCH {
                self.flush(tree, origin)?;
            }
        }
        Ok(())
    }

    /// Gathers the successors of the next state.
    fn successors(&mut self, tree: &mut Tree, state: &[u8]) -> Result<(), Ended> {
        self.searched += 1;
        let (clock, parts) = (&self.clock, &mut self.parts);
        let (batch, lengths) = (&mut tree.batch, &mut tree.lengths);
        let mut sink = Successors { batch, lengths, parts, id: tree.next, shapes: Vec::new() };
        let expander = self.reduced.as_mut().filter(|_| tree.reduced).unwrap_or(&mut self.expander);
        let digest = expander.digest;
        // Atomic sequences of one state that are so long that the clock is looked at may never end: walks follow them.
        let endless = || Reason::Limit(String::from("an atomic sequence does not end"));
        let expanded = expander.expand(state, &mut sink, &mut || clock.must_stop(0).or_else(|| Some(endless())));
        tree.digest = tree.digest.wrapping_add(expander.digest.wrapping_sub(digest));
        let transitions = expander.transitions + self.transitions;
        for state in sink.shapes {
            self.names(&state);
        }
        match expanded {
            Ok(()) => {}
            Err(Unfinished::Overflow(overflow)) => return Err(Ended::Stopped(Reason::from(overflow))),
            Err(Unfinished::Stopped(reason)) => return Err(Ended::Stopped(reason)),
        }
        let progress = || Progress {
            engine: ENGINE,
            states: tree.table.len() as u64,
            waiting: tree.table.len() as u64 - u64::from(tree.next),
            transitions,
            depth: tree.depth,
            memory_bytes: tree.table.memory_bytes(),
        };
        let more = tree.table.growth_bytes();
        self.clock.tick(more, progress).map_or(Ok(()), |reason| Err(Ended::Stopped(reason)))
    }

    /// Looks up what was gathered, and compares what is new.
    fn flush(&mut self, tree: &mut Tree, origin: &Origin) -> Result<(), Ended> {
        let known = tree.table.len();
        if !tree.table.insert_all(&mut tree.batch) {
            return Err(Ended::Stopped(Reason::from(Overflow::States)));
        }
        for id in known..tree.table.len() {
            let print = self.parts.fingerprint(tree.table.state(id as StateId));
            let same = tree.last.insert(print.whole, id as StateId).unwrap_or(NO_PARENT);
            tree.same.push(same);
            if id < EARLY {
                tree.prints.push(print);
            }
        }
        for id in known..tree.table.len() {
            if tree.lengths.add(&mut self.parts, tree.table.state(id as StateId), id as u32) {
                self.names(tree.table.state(id as StateId));
            }
            self.compare(tree, origin, id as StateId)?;
        }
        Ok(())
    }

    /// Compares a new state with those on the way to it, nearest first.
    fn compare(&mut self, tree: &Tree, origin: &Origin, id: StateId) -> Result<(), Ended> {
        let mut tried = 0;
        if let Some(print) = tree.prints.get(id as usize) {
            for ancestor in tree.ancestors(id).take(NEAREST) {
                let other = tree.prints[ancestor as usize];
                if (other.whole == print.whole || other.may_multiply_to(print)) && tried < MOST_TRIED {
                    tried += usize::from(self.compare_with(tree, origin, ancestor, id)?);
                }
            }
            return Ok(());
        }
        for other in tree.alike(id).take(COMPARED) {
            self.compare_with(tree, origin, other, id)?;
        }
        Ok(())
    }

    /// Compares a state with an earlier one; `true` if there is a loop between them that was verified, or refused.
    fn compare_with(&mut self, tree: &Tree, origin: &Origin, other: StateId, id: StateId) -> Result<bool, Ended> {
        let (earlier, state) = (tree.table.state(other), tree.table.state(id));
        let Some(grown) = self.parts.grown(earlier, state, &origin.reservoirs) else { return Ok(false) };
        if !self.is_news(state, &grown) || !self.may_verify() || !tree.is_on_the_way(other, id) {
            return Ok(false);
        }
        let (between, steps) = (self.steps_between(tree, 0, other), self.steps_between(tree, other, id));
        let (Some(between), Some(steps)) = (between, steps) else { return Ok(false) };
        self.try_loop(origin, &between, &steps);
        if self.all_shown() { Err(Ended::Shown) } else { Ok(true) }
    }

    /// Keeps what was counted; only a search from the first state counts as the search.
    fn count(&mut self, tree: &Tree, origin: &Origin, ended: &Ended) {
        if !origin.base.stages.is_empty() {
            return;
        }
        let stats = &mut self.report.stats;
        stats.states = tree.table.len() as u64;
        stats.depth = tree.depth;
        stats.state_bytes = tree.table.state_bytes();
        stats.memory_bytes = tree.table.memory_bytes();
        if matches!(ended, Ended::Complete) && !tree.reduced {
            self.report.digest = Some(tree.digest);
        }
    }
}
