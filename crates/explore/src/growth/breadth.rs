//! Breadth-first: every new state is compared with the states on the way to it.

use super::{Ended, Hunt, Origin, Seen};
use crate::ENGINE;
use crate::table::{Lookup, NO_PARENT, StateId, StateTable};
use model::fault::Overflow;
use model::growth::Fingerprint;
use model::semantics::Step;
use model::verdict::{Progress, Reason};

/// The states of one search, with the hashes of their finite parts.
#[derive(Default)]
struct Tree {
    table: StateTable,
    prints: Vec<Fingerprint>,
    seen: Seen,
    depth: u64,
}

/// How many loops that end in a state are tried.
const MOST_TRIED: usize = 4;

impl Tree {
    fn ancestors(&self, id: StateId) -> impl Iterator<Item = StateId> {
        std::iter::successors(self.table.parent(id), |&id| self.table.parent(id))
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

impl Hunt<'_> {
    /// Visits up to so many states from an origin.
    pub(super) fn breadth_first(&mut self, origin: &Origin, most: u64) -> Ended {
        let mut tree = Tree::default();
        tree.table.insert(&origin.state, NO_PARENT);
        tree.prints.push(self.parts.fingerprint(&origin.state));
        self.measure(&mut tree.seen, &origin.state, 0);
        let (mut next, mut layer_end) = (0, 1);
        let ended = loop {
            if next >= tree.table.len() {
                break Ended::Complete;
            }
            if next == layer_end {
                tree.depth += 1;
                layer_end = tree.table.len();
            }
            if tree.table.len() as u64 > most {
                break Ended::Enough;
            }
            if let Err(ended) = self.grow(&mut tree, origin, next as StateId) {
                break ended;
            }
            next += 1;
        };
        let seen = std::mem::take(&mut tree.seen);
        self.keep_longest(seen, &mut |hunt, id| {
            let way = hunt.steps_along(&tree, &tree.chain(0, id as StateId));
            [origin.run.as_slice(), &way].concat()
        });
        self.count(&tree, origin, &ended);
        ended
    }

    /// Adds the successors of a state.
    fn grow(&mut self, tree: &mut Tree, origin: &Origin, id: StateId) -> Result<(), Ended> {
        let depth = self.clock.cx.budget.most_depth();
        if depth.is_some_and(|limit| tree.depth >= limit) {
            return Err(Ended::Stopped(Reason::Depth));
        }
        let state = tree.table.state(id).to_vec();
        self.searched += 1;
        self.expand(&state)?;
        let inner: Vec<Vec<u8>> = self.mover.inner_states().map(<[u8]>::to_vec).collect();
        for state in inner {
            self.measure(&mut tree.seen, &state, id as usize);
        }
        let found: Vec<StateId> = (0..self.mover.len())
            .map(|index| tree.table.insert(self.mover.state(index), id))
            .filter_map(|lookup| match lookup {
                Lookup::New(id) => Some(Ok(id)),
                Lookup::Known(_) => None,
                Lookup::Full => Some(Err(Ended::Stopped(Reason::from(Overflow::States)))),
            })
            .collect::<Result<_, _>>()?;
        for new in found {
            let state = tree.table.state(new).to_vec();
            tree.prints.push(self.parts.fingerprint(&state));
            self.measure(&mut tree.seen, &state, new as usize);
            self.compare(tree, origin, new, &state)?;
        }
        let progress = || Progress {
            engine: ENGINE,
            states: tree.table.len() as u64,
            waiting: (tree.table.len() - id as usize) as u64,
            transitions: self.mover.transitions,
            depth: tree.depth,
            memory_bytes: tree.table.memory_bytes(),
        };
        let more = tree.table.growth_bytes();
        self.clock.tick(more, progress).map_or(Ok(()), |reason| Err(Ended::Stopped(reason)))
    }

    /// Gathers the moves of a state.
    pub(super) fn expand(&mut self, state: &[u8]) -> Result<(), Ended> {
        let clock = &self.clock;
        match self.mover.expand(state, &mut |_, _| 0, &|| clock.must_stop(0).is_some()) {
            Ok(true) => Ok(()),
            Ok(false) => Err(Ended::Stopped(self.clock.must_stop(0).unwrap_or(Reason::Interrupted))),
            Err(overflow) => Err(Ended::Stopped(Reason::from(overflow))),
        }
    }

    /// Compares a new state with those on the way to it, nearest first.
    fn compare(&mut self, tree: &Tree, origin: &Origin, id: StateId, state: &[u8]) -> Result<(), Ended> {
        let print = tree.prints[id as usize];
        let mut tried = 0;
        for ancestor in tree.ancestors(id) {
            let other = tree.prints[ancestor as usize];
            if other.whole != print.whole && !other.may_multiply_to(&print) {
                continue;
            }
            let earlier = tree.table.state(ancestor);
            let Some(grown) = self.parts.grown(earlier, state, &origin.reservoirs) else { continue };
            if !self.is_news(state, &grown) || !self.may_verify() {
                continue;
            }
            tried += 1;
            if tried > MOST_TRIED {
                break;
            }
            let between = self.steps_along(tree, &tree.chain(0, ancestor));
            let steps = self.steps_along(tree, &tree.chain(ancestor, id));
            self.try_loop(origin, &between, &steps);
            if self.all_shown() {
                return Err(Ended::Shown);
            }
        }
        Ok(())
    }

    /// The steps along a chain of states, each found from the one before.
    fn steps_along(&mut self, tree: &Tree, chain: &[StateId]) -> Vec<Step> {
        let mut steps = Vec::new();
        for pair in chain.windows(2) {
            let goal = tree.table.state(pair[1]);
            if self.expand(tree.table.state(pair[0])).is_ok()
                && let Some(index) = (0..self.mover.len()).find(|&index| self.mover.state(index) == goal)
            {
                steps.extend(self.mover.steps(index));
            }
        }
        steps
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
        if matches!(ended, Ended::Complete) {
            let stepper = &mut self.mover.stepper;
            let add = |sum: u128, id| sum.wrapping_add(stepper.digest(tree.table.state(id)));
            self.report.digest = Some((0..tree.table.len() as StateId).fold(0, add));
        }
    }
}
