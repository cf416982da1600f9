//! Bisimulation in time O(m log n), for m steps between n states (Jansen, Groote, Keiren & Wijs, TACAS 2020).
//!
//! *Blocks* are sets of states that have not been distinguished; a silent step inside of a block is *inert*. The other steps are in
//! *bunches*: blocks are stable under each bunch, which means that either all states of a block come, by inert steps, to
//! one with a step of the bunch, or none does. As long as a bunch has steps with several events or into several blocks, those
//! with one event into one block that are at most half of it become a bunch of their own, and blocks are split until they are
//! stable under both. In the end every bunch has one event and leads into one block: that is bisimilarity.
//!
//! A block is split into the states that come to a step of a bunch and those that do not. Both sets are looked for, an
//! edge of one and an edge of the other in turn, until one is complete that has at most half of the states: this is the new block.
//! So a state or step is looked at only when what it belongs to is at most half of what it was. States without inert steps are
//! *bottom*: a block is stable if all its bottom states have the step, so a large block that is not split costs nothing.
//!
//! Steps that are inert no more are a bunch of their own. States that have become bottom are *fresh*: they are compared with all
//! bunches of their block once. A state has a step of all bunches of its block if it has as many.

use crate::lts::TAU;
use crate::meter::Meter;
use model::verdict::Reason;
use rustc_hash::FxHashMap;

const NONE: u32 = u32::MAX;

/// Kinds of states.
const INNER: usize = 0;
const BOTTOM: usize = 1;
const FRESH: usize = 2;

#[derive(Default)]
struct Block {
    /// States, by kind.
    states: [Vec<u32>; 3],
    /// The steps from here, by bunch.
    slices: Vec<u32>,
}

impl Block {
    fn size(&self) -> usize {
        self.states.iter().map(Vec::len).sum()
    }
}

/// The steps of a bunch from one block.
struct Slice {
    block: u32,
    bunch: u32,
    steps: Vec<u32>,
    /// Its place among those of its block.
    place: u32,
}

/// The steps of a bunch with one event into one block.
struct Share {
    bunch: u32,
    steps: Vec<u32>,
    /// Its place in its bunch.
    place: u32,
}

/// Which bottom states may have no step of a bunch.
#[derive(Clone, Copy)]
enum Suspects {
    All,
    Fresh,
    /// And those with a step of this bunch.
    With(u32),
}

/// A step: where from, what happens, where to.
#[derive(Clone, Copy)]
struct Step {
    from: u32,
    event: u32,
    to: u32,
    slice: u32,
    slice_place: u32,
    share: u32,
    share_place: u32,
}

struct Refinement<'m, 'b> {
    meter: &'m Meter<'b>,
    steps: Vec<Step>,
    /// By state, the steps that leave it, and those that lead to it, silent ones first.
    leaving: Lists,
    entering: Lists,
    block: Vec<u32>,
    kind: Vec<u8>,
    place: Vec<u32>,
    /// Inert steps that leave a state.
    inert: Vec<u32>,
    blocks: Vec<Block>,
    slices: Vec<Slice>,
    slice_of: FxHashMap<(u32, u32), u32>,
    shares: Vec<Share>,
    /// By bunch, its shares.
    bunches: Vec<Vec<u32>>,
    /// How many steps of a bunch a state has.
    has: FxHashMap<(u32, u32), u32>,
    /// Of how many bunches a state has steps.
    bunches_of: Vec<u32>,
    /// Bunches that may have several shares.
    mixed: Vec<u32>,
    /// Bunches of steps that were inert, and states that were not bottom.
    new_bunches: Vec<u32>,
    fresh: Vec<u32>,
    side: Vec<u8>,
    untested: Vec<u32>,
}

/// Steps by state, one after the other in memory.
struct Lists {
    steps: Vec<u32>,
    first: Vec<u32>,
}

impl Lists {
    fn new(count: usize, steps: &[Step], of: impl Fn(&Step) -> u32) -> Lists {
        let mut first = vec![0u32; count + 1];
        steps.iter().for_each(|step| first[of(step) as usize + 1] += 1);
        (0..count).for_each(|state| first[state + 1] += first[state]);
        let mut next = first.clone();
        let mut list = vec![0; steps.len()];
        for silent in [true, false] {
            for (number, step) in (0u32..).zip(steps).filter(|(_, step)| (step.event == TAU) == silent) {
                let place = &mut next[of(step) as usize];
                list[*place as usize] = number;
                *place += 1;
            }
        }
        Lists { steps: list, first }
    }

    fn range(&self, state: u32) -> std::ops::Range<usize> {
        self.first[state as usize] as usize..self.first[state as usize + 1] as usize
    }
}

/// The blocks of bisimilar states, of these blocks that are known to differ. `weak` if silent steps inside of a block do not
/// count; there is no cycle of such steps then.
pub(super) fn blocks(
    steps: impl Iterator<Item = (u32, u32, u32)>,
    first: &[u32],
    weak: bool,
    meter: &Meter<'_>,
) -> Result<Vec<u32>, Reason> {
    let mut refinement = Refinement::new(steps, first, weak, meter)?;
    refinement.settle()?;
    while let Some(bunch) = refinement.mixed.pop() {
        if refinement.bunches[bunch as usize].len() > 1 {
            refinement.divide(bunch)?;
            refinement.mixed.push(bunch);
            refinement.settle()?;
        }
    }
    Ok(refinement.block)
}

impl<'m, 'b> Refinement<'m, 'b> {
    fn new(
        all: impl Iterator<Item = (u32, u32, u32)>,
        first: &[u32],
        weak: bool,
        meter: &'m Meter<'b>,
    ) -> Result<Self, Reason> {
        let count = first.len();
        let step =
            |(from, event, to)| Step { from, event, to, slice: NONE, slice_place: 0, share: NONE, share_place: 0 };
        let steps: Vec<Step> = all.map(step).collect();
        meter.store(count, count * 160 + steps.len() * 220)?;
        let (leaving, entering) =
            (Lists::new(count, &steps, |step| step.from), Lists::new(count, &steps, |step| step.to));
        let mut blocks: Vec<Block> = Vec::new();
        blocks.resize_with(first.iter().max().map_or(0, |&last| last as usize + 1), Block::default);
        let mut new = Refinement {
            meter,
            steps,
            leaving,
            entering,
            block: first.to_vec(),
            kind: vec![INNER as u8; count],
            place: vec![0; count],
            inert: vec![0; count],
            blocks,
            slices: Vec::new(),
            slice_of: FxHashMap::default(),
            shares: Vec::new(),
            bunches: vec![Vec::new()],
            has: FxHashMap::default(),
            bunches_of: vec![0; count],
            mixed: vec![0],
            new_bunches: Vec::new(),
            fresh: Vec::new(),
            side: vec![0; count],
            untested: vec![0; count],
        };
        let mut shares: FxHashMap<(u32, u32), u32> = FxHashMap::default();
        for number in 0..new.steps.len() as u32 {
            let Step { from, event, to, .. } = new.steps[number as usize];
            let (here, there) = (new.block[from as usize], new.block[to as usize]);
            if weak && event == TAU && here == there {
                new.inert[from as usize] += 1;
                continue;
            }
            let share =
                *shares.entry((event, there)).or_insert_with(|| new_share(&mut new.shares, &mut new.bunches, 0));
            new.enter_share(number, share);
            new.enter_slice(number, 0);
        }
        for state in 0..count as u32 {
            let kind = if new.inert[state as usize] > 0 { INNER } else { FRESH };
            new.enter(state, new.block[state as usize], kind);
            if kind == FRESH {
                new.fresh.push(state);
            }
        }
        Ok(new)
    }

    fn enter(&mut self, state: u32, block: u32, kind: usize) {
        let list = &mut self.blocks[block as usize].states[kind];
        self.block[state as usize] = block;
        self.kind[state as usize] = kind as u8;
        self.place[state as usize] = list.len() as u32;
        list.push(state);
    }

    fn leave(&mut self, state: u32) {
        let block = &mut self.blocks[self.block[state as usize] as usize];
        let (list, place) = (&mut block.states[self.kind[state as usize] as usize], self.place[state as usize]);
        list.swap_remove(place as usize);
        if let Some(&moved) = list.get(place as usize) {
            self.place[moved as usize] = place;
        }
    }

    fn enter_share(&mut self, step: u32, share: u32) {
        let list = &mut self.shares[share as usize].steps;
        self.steps[step as usize].share = share;
        self.steps[step as usize].share_place = list.len() as u32;
        list.push(step);
    }

    /// The step is in no share of a bunch any more; one without steps goes away.
    fn leave_share(&mut self, step: u32) {
        let Step { share, share_place, .. } = self.steps[step as usize];
        let own = &mut self.shares[share as usize];
        own.steps.swap_remove(share_place as usize);
        if let Some(&moved) = own.steps.get(share_place as usize) {
            self.steps[moved as usize].share_place = share_place;
        }
        if own.steps.is_empty() {
            own.steps = Vec::new();
            self.leave_bunch(share);
        }
    }

    fn leave_bunch(&mut self, share: u32) {
        let Share { bunch, place, .. } = self.shares[share as usize];
        let list = &mut self.bunches[bunch as usize];
        list.swap_remove(place as usize);
        if let Some(&moved) = list.get(place as usize) {
            self.shares[moved as usize].place = place;
        }
    }

    /// The step belongs to a bunch, and to the block that it leaves.
    fn enter_slice(&mut self, step: u32, bunch: u32) {
        let block = self.block[self.steps[step as usize].from as usize];
        let (slices, blocks) = (&mut self.slices, &mut self.blocks);
        let slice = *self.slice_of.entry((block, bunch)).or_insert_with(|| {
            let list = &mut blocks[block as usize].slices;
            slices.push(Slice { block, bunch, steps: Vec::new(), place: list.len() as u32 });
            list.push(slices.len() as u32 - 1);
            slices.len() as u32 - 1
        });
        let list = &mut self.slices[slice as usize].steps;
        let own = &mut self.steps[step as usize];
        (own.slice, own.slice_place) = (slice, list.len() as u32);
        list.push(step);
        let count = self.has.entry((own.from, bunch)).or_insert(0);
        *count += 1;
        self.bunches_of[own.from as usize] += u32::from(*count == 1);
    }

    fn leave_slice(&mut self, step: u32) {
        let Step { from, slice, slice_place, .. } = self.steps[step as usize];
        let own = &mut self.slices[slice as usize];
        own.steps.swap_remove(slice_place as usize);
        if let Some(&moved) = own.steps.get(slice_place as usize) {
            self.steps[moved as usize].slice_place = slice_place;
        }
        let Slice { block, bunch, place, .. } = *own;
        if own.steps.is_empty() {
            own.steps = Vec::new();
            self.slice_of.remove(&(block, bunch));
            let list = &mut self.blocks[block as usize].slices;
            list.swap_remove(place as usize);
            if let Some(&moved) = list.get(place as usize) {
                self.slices[moved as usize].place = place;
            }
        }
        if let Some(count) = self.has.get_mut(&(from, bunch)) {
            *count -= 1;
            if *count == 0 {
                self.has.remove(&(from, bunch));
                self.bunches_of[from as usize] -= 1;
            }
        }
    }

    /// Makes one share of a bunch, at most half of it, a bunch of its own.
    fn divide(&mut self, bunch: u32) -> Result<(), Reason> {
        let [a, b] = [0, 1].map(|place| self.bunches[bunch as usize][place]);
        let size = |share: u32| self.shares[share as usize].steps.len();
        let share = if size(a) <= size(b) { a } else { b };
        self.leave_bunch(share);
        let new = self.bunches.len() as u32;
        self.bunches.push(vec![share]);
        (self.shares[share as usize].bunch, self.shares[share as usize].place) = (new, 0);
        let steps = self.shares[share as usize].steps.clone();
        let before = self.slices.len() as u32;
        for &step in &steps {
            self.leave_slice(step);
            self.enter_slice(step, new);
        }
        self.meter.spend(1 + steps.len())?;
        // Slices of the new bunch are the newest ones.
        let blocks: Vec<u32> =
            (before..self.slices.len() as u32).map(|slice| self.slices[slice as usize].block).collect();
        for block in blocks {
            if !self.slice_of.contains_key(&(block, bunch)) {
                continue;
            }
            let with = self.split(block, new, Suspects::All)?;
            if self.slice_of.contains_key(&(with, bunch)) {
                self.split(with, bunch, Suspects::With(new))?;
            }
        }
        Ok(())
    }

    /// Splits until blocks are stable under new bunches, and with fresh bottom states.
    fn settle(&mut self) -> Result<(), Reason> {
        loop {
            if let Some(bunch) = self.new_bunches.pop() {
                let shares = &self.bunches[bunch as usize];
                let steps = shares.iter().flat_map(|&share| &self.shares[share as usize].steps);
                let mut blocks: Vec<u32> =
                    steps.map(|&step| self.block[self.steps[step as usize].from as usize]).collect();
                self.meter.spend(1 + blocks.len())?;
                blocks.sort_unstable();
                blocks.dedup();
                for block in blocks {
                    self.split(block, bunch, Suspects::All)?;
                }
            } else if let Some(state) = self.fresh.pop() {
                let block = self.block[state as usize];
                let slices = &self.blocks[block as usize].slices;
                self.meter.spend(1)?;
                if self.bunches_of[state as usize] as usize == slices.len() {
                    self.leave(state);
                    self.enter(state, block, BOTTOM);
                    continue;
                }
                let missing = |slice: &&u32| !self.has.contains_key(&(state, self.slices[**slice as usize].bunch));
                let missing = slices.iter().find(missing).map(|&slice| self.slices[slice as usize].bunch);
                self.fresh.push(state);
                if let Some(bunch) = missing {
                    self.split(block, bunch, Suspects::Fresh)?;
                }
            } else {
                return Ok(());
            }
        }
    }

    /// Splits a block that has steps of a bunch into states that come to such a step and states that do not. The block of
    /// those that do.
    fn split(&mut self, block: u32, bunch: u32, suspects: Suspects) -> Result<u32, Reason> {
        let Some(&slice) = self.slice_of.get(&(block, bunch)) else { return Ok(block) };
        let half = self.blocks[block as usize].size() / 2;
        let (mut with, mut without) = (Side::new(1), Side::new(2));
        let mut touched: Vec<u32> = Vec::new();
        let found = loop {
            let turn = !with.given_up && (without.given_up || with.work <= without.work);
            let (side, other) = if turn { (&mut with, &mut without) } else { (&mut without, &mut with) };
            let ended = match turn {
                true => self.go_on_with(side, block, slice),
                false => self.go_on_without(side, block, bunch, suspects, &mut touched),
            };
            if ended {
                break turn;
            }
            side.given_up |= side.states.len() > half && !other.given_up;
        };
        self.meter.spend(1 + with.work + without.work)?;
        for &state in with.states.iter().chain(&without.states) {
            self.side[state as usize] = 0;
        }
        for state in touched {
            self.untested[state as usize] = 0;
        }
        let part = if found { with.states } else { without.states };
        if part.is_empty() || part.len() == self.blocks[block as usize].size() {
            return Ok(block);
        }
        let new = self.separate(&part)?;
        Ok(if found { new } else { block })
    }

    /// One edge of the search for states that come to a step of a slice. Whether it is at its end.
    fn go_on_with(&mut self, side: &mut Side, block: u32, slice: u32) -> bool {
        side.work += 1;
        if let Some(&step) = self.slices[slice as usize].steps.get(side.scanned) {
            side.scanned += 1;
            side.take(self.steps[step as usize].from, &mut self.side);
            return false;
        }
        match self.inert_before(side, block) {
            Some(Some(state)) => {
                side.take(state, &mut self.side);
                false
            }
            Some(None) => false,
            None => true,
        }
    }

    /// One edge of the search for states that do not: all their inert steps lead to such states.
    fn go_on_without(
        &mut self,
        side: &mut Side,
        block: u32,
        bunch: u32,
        suspects: Suspects,
        touched: &mut Vec<u32>,
    ) -> bool {
        side.work += 1;
        if let Some(state) = self.suspect(side.scanned, block, suspects) {
            side.scanned += 1;
            if state != NONE && !self.has.contains_key(&(state, bunch)) {
                side.take(state, &mut self.side);
            }
            return false;
        }
        match self.inert_before(side, block) {
            Some(Some(state)) if self.side[state as usize] == 0 => {
                let left = &mut self.untested[state as usize];
                if *left == 0 {
                    *left = self.inert[state as usize];
                    touched.push(state);
                }
                *left -= 1;
                if *left == 0 {
                    // It is not looked at again: that was its last inert step.
                    if !self.has.contains_key(&(state, bunch)) {
                        side.take(state, &mut self.side);
                    }
                }
                false
            }
            Some(_) => false,
            None => true,
        }
    }

    /// The next bottom state that may have no step; [`NONE`] for one that is none after all, nothing at the end.
    fn suspect(&self, at: usize, block: u32, suspects: Suspects) -> Option<u32> {
        let [_, bottom, fresh] = &self.blocks[block as usize].states;
        if let Some(&state) = fresh.get(at) {
            return Some(state);
        }
        let at = at - fresh.len();
        match suspects {
            Suspects::Fresh => None,
            Suspects::All => bottom.get(at).copied(),
            Suspects::With(other) => {
                let slice = *self.slice_of.get(&(block, other))?;
                let state = self.steps[*self.slices[slice as usize].steps.get(at)? as usize].from;
                Some(if self.kind[state as usize] == BOTTOM as u8 { state } else { NONE })
            }
        }
    }

    /// The next inert step backwards from the states of a side: nothing if there is none any more.
    fn inert_before(&self, side: &mut Side, block: u32) -> Option<Option<u32>> {
        let &state = side.states.get(side.at)?;
        let range = self.entering.range(state);
        let step = self.entering.steps[range].get(side.edge).map(|&step| &self.steps[step as usize]);
        match step.filter(|step| step.event == TAU) {
            Some(step) => {
                side.edge += 1;
                Some((step.slice == NONE && self.block[step.from as usize] == block).then_some(step.from))
            }
            None => {
                (side.at, side.edge) = (side.at + 1, 0);
                Some(None)
            }
        }
    }

    /// Makes some states of a block a block of their own.
    fn separate(&mut self, part: &[u32]) -> Result<u32, Reason> {
        let new = self.blocks.len() as u32;
        self.blocks.push(Block::default());
        for &state in part {
            self.leave(state);
            self.enter(state, new, self.kind[state as usize] as usize);
        }
        // Steps that are inert no more: from states that come to what splits the block to those that do not.
        let mut active: Vec<u32> = Vec::new();
        let mut shares: FxHashMap<u32, u32> = FxHashMap::default();
        for &state in part {
            for at in self.leaving.range(state) {
                let step = self.leaving.steps[at];
                let Step { slice, to, .. } = self.steps[step as usize];
                if slice != NONE {
                    let bunch = self.slices[slice as usize].bunch;
                    self.leave_slice(step);
                    self.enter_slice(step, bunch);
                } else if self.block[to as usize] != new {
                    active.push(step);
                }
            }
            for at in self.entering.range(state) {
                let step = self.entering.steps[at];
                let Step { slice, from, share, .. } = self.steps[step as usize];
                if slice != NONE {
                    let bunch = self.shares[share as usize].bunch;
                    let next =
                        *shares.entry(share).or_insert_with(|| new_share(&mut self.shares, &mut self.bunches, bunch));
                    self.leave_share(step);
                    self.enter_share(step, next);
                    if self.shares[next as usize].steps.len() == 1 {
                        self.mixed.push(bunch);
                    }
                } else if self.block[from as usize] != new {
                    active.push(step);
                }
            }
            self.meter.spend(1 + self.leaving.range(state).len() + self.entering.range(state).len())?;
        }
        self.no_longer_inert(&active);
        Ok(new)
    }

    /// Steps that were inert become a bunch.
    fn no_longer_inert(&mut self, steps: &[u32]) {
        if steps.is_empty() {
            return;
        }
        let bunch = self.bunches.len() as u32;
        self.bunches.push(Vec::new());
        let share = new_share(&mut self.shares, &mut self.bunches, bunch);
        for &step in steps {
            self.enter_share(step, share);
            self.enter_slice(step, bunch);
            let from = self.steps[step as usize].from;
            self.inert[from as usize] -= 1;
            if self.inert[from as usize] == 0 {
                self.leave(from);
                self.enter(from, self.block[from as usize], FRESH);
                self.fresh.push(from);
            }
        }
        self.new_bunches.push(bunch);
    }
}

fn new_share(shares: &mut Vec<Share>, bunches: &mut [Vec<u32>], bunch: u32) -> u32 {
    let list = &mut bunches[bunch as usize];
    let share = shares.len() as u32;
    shares.push(Share { bunch, steps: Vec::new(), place: list.len() as u32 });
    list.push(share);
    share
}

/// One of the two sets that a block may be split into, as far as it is known.
struct Side {
    mark: u8,
    states: Vec<u32>,
    /// How many of the states to begin with were seen.
    scanned: usize,
    /// The state whose inert steps are followed backwards, and how many of these were.
    at: usize,
    edge: usize,
    work: usize,
    /// It has more than half of the states.
    given_up: bool,
}

impl Side {
    fn new(mark: u8) -> Side {
        Side { mark, states: Vec::new(), scanned: 0, at: 0, edge: 0, work: 0, given_up: false }
    }

    fn take(&mut self, state: u32, side: &mut [u8]) {
        if side[state as usize] == 0 {
            side[state as usize] = self.mark;
            self.states.push(state);
        }
    }
}
