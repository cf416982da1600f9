//! Infinite paths of a product that an automaton accepts (the paper's section 4.1).
//!
//! The state/event product is searched depth-first for a component with a cycle through an accepting state (Couvreur's
//! algorithm, with a stack of its own), and the search ends as soon as one is known. A short lasso is then found
//! breadth-first among the states that were seen.

use crate::meter::Meter;
use crate::product::{Path, Product, Step, Successors};
use crate::table::Table;
use crate::watch::Watch;
use model::verdict::Reason;
use std::collections::VecDeque;

const DEAD: u32 = u32::MAX;
const NO_PARENT: u32 = u32::MAX;

/// A lasso of the product that the automaton accepts, if there is one.
pub(crate) fn accepted_lasso(product: &Product<'_>, watch: &Watch, meter: &Meter<'_>) -> Result<Option<Path>, Reason> {
    let sizes = product.parts.iter().map(|part| part.states()).chain([watch.states.len()]);
    let mut search = Search {
        product,
        watch,
        meter,
        table: Table::new(sizes),
        order: Vec::new(),
        count: 0,
        active: Vec::new(),
        roots: Vec::new(),
        frames: Vec::new(),
        pending: Vec::new(),
        found: Successors::default(),
        state: Vec::new(),
        next: Vec::new(),
    };
    let mut starts = Vec::new();
    product.initial(|state| {
        meter.store(starts.len(), starts.len() * state.len() * 4)?;
        starts.push(state.iter().copied().chain([watch.initial]).collect::<Vec<u32>>());
        Ok(())
    })?;
    for start in &starts {
        let start = search.number(start)?;
        if search.order[start as usize] == 0
            && let Some(root) = search.depth_first(start)?
        {
            return search.short(&starts, root).map(Some);
        }
    }
    Ok(None)
}

struct Search<'a> {
    product: &'a Product<'a>,
    watch: &'a Watch,
    meter: &'a Meter<'a>,
    table: Table,
    /// When a state was first visited, from 1 on; 0 not yet; [`DEAD`] once its component is done with.
    order: Vec<u32>,
    count: u32,
    /// Visited states whose components are not done with.
    active: Vec<u32>,
    /// The first state of each component on the way, and whether an accepting one is in it.
    roots: Vec<(u32, bool)>,
    frames: Vec<Frame>,
    /// Successors of the states on the way that are still to be looked at.
    pending: Vec<u32>,
    found: Successors,
    state: Vec<u32>,
    next: Vec<u32>,
}

struct Frame {
    state: u32,
    /// Where its pending successors begin.
    from: usize,
}

impl Search<'_> {
    fn number(&mut self, state: &[u32]) -> Result<u32, Reason> {
        let (number, new) = self.table.insert(state);
        if new {
            self.order.push(0);
            let bytes = self.table.bytes() + self.order.len() * 8 + self.pending.len() * 4;
            self.meter.store(self.table.len(), bytes)?;
        }
        Ok(number)
    }

    fn is_accepting(&self, state: u32) -> bool {
        let mut tuple = Vec::new();
        self.table.get(state, &mut tuple);
        tuple.last().is_some_and(|&watch| self.watch.states[watch as usize].accepting)
    }

    /// Visits the steps of a state: what happens, and the next state.
    fn expand(&mut self, state: u32, visit: &mut dyn FnMut(&mut Self, Step, &[u32])) -> Result<(), Reason> {
        let (mut tuple, mut found) = (std::mem::take(&mut self.state), std::mem::take(&mut self.found));
        let mut next = std::mem::take(&mut self.next);
        self.table.get(state, &mut tuple);
        let watching = tuple.pop().unwrap_or(0);
        let edges = &self.watch.states[watching as usize].edges;
        if !edges.is_empty() {
            self.product.expand(&tuple, &mut found)?;
            self.meter.spend(1 + found.len())?;
            let label = self.product.label(&tuple);
            for (step, to) in found.iter() {
                let letter = label | self.watch.event(step.event);
                for edge in edges.iter().filter(|edge| edge.allows(letter)) {
                    next.clear();
                    next.extend_from_slice(to);
                    next.push(edge.to);
                    visit(self, step, &next);
                }
            }
        }
        (self.state, self.found, self.next) = (tuple, found, next);
        Ok(())
    }

    fn enter(&mut self, state: u32) -> Result<(), Reason> {
        self.count += 1;
        self.order[state as usize] = self.count;
        self.active.push(state);
        let accepting = self.is_accepting(state);
        self.roots.push((self.count, accepting));
        self.frames.push(Frame { state, from: self.pending.len() });
        let mut failed = Ok(());
        self.expand(state, &mut |search, _, next| match search.number(next) {
            Ok(number) => search.pending.push(number),
            Err(reason) => failed = Err(reason),
        })?;
        failed
    }

    /// Until an accepting cycle is known: the order of the first state of its component.
    fn depth_first(&mut self, start: u32) -> Result<Option<u32>, Reason> {
        self.enter(start)?;
        while let Some(frame) = self.frames.last() {
            let (state, from) = (frame.state, frame.from);
            if self.pending.len() == from {
                self.frames.pop();
                self.leave(state);
                continue;
            }
            let Some(next) = self.pending.pop() else { break };
            match self.order[next as usize] {
                0 => self.enter(next)?,
                DEAD => {}
                known => {
                    let mut accepting = false;
                    while let Some(&(root, accepts)) = self.roots.last()
                        && root > known
                    {
                        accepting |= accepts;
                        self.roots.pop();
                    }
                    if let Some(top) = self.roots.last_mut() {
                        top.1 |= accepting;
                        if top.1 {
                            return Ok(Some(top.0));
                        }
                    }
                }
            }
        }
        Ok(None)
    }

    fn leave(&mut self, state: u32) {
        let order = self.order[state as usize];
        if self.roots.last().is_some_and(|root| root.0 == order) {
            self.roots.pop();
            while let Some(done) = self.active.pop() {
                self.order[done as usize] = DEAD;
                if done == state {
                    break;
                }
            }
        }
    }

    /// A short lasso through the component whose first state has this order.
    fn short(&mut self, starts: &[Vec<u32>], root: u32) -> Result<Path, Reason> {
        let inside = |search: &Self, state: u32| (root..DEAD).contains(&search.order[state as usize]);
        let starts: Vec<u32> = starts.iter().filter_map(|start| self.table.find(start)).collect();
        let stem = self.breadth_first(&starts, &|_, _| true, &|search, state| {
            inside(search, state) && search.is_accepting(state)
        })?;
        let Some(&(knot, _)) = stem.last() else { return Ok(Path::default()) };
        let mut after = Vec::new();
        self.expand(knot, &mut |search, step, next| after.extend(search.table.find(next).map(|next| (next, step))))?;
        let firsts: Vec<u32> = after.iter().map(|first| first.0).filter(|&next| inside(self, next)).collect();
        let mut round = self.breadth_first(&firsts, &inside, &|_, state| state == knot)?;
        if let Some(first) = round.first_mut() {
            first.1 = after.iter().find(|known| known.0 == first.0).map(|known| known.1);
        }
        let loop_from = stem.len() - 1;
        let mut path = Path { loop_from: Some(loop_from), ..Path::default() };
        for (state, step) in stem.into_iter().chain(round) {
            let mut tuple = Vec::new();
            self.table.get(state, &mut tuple);
            tuple.pop();
            path.states.push(tuple);
            path.steps.extend(step);
        }
        Ok(path)
    }

    /// A shortest path among known states, each with the step that leads to it.
    fn breadth_first(
        &mut self,
        starts: &[u32],
        may_pass: &dyn Fn(&Self, u32) -> bool,
        wanted: &dyn Fn(&Self, u32) -> bool,
    ) -> Result<Vec<(u32, Option<Step>)>, Reason> {
        let mut parents: Vec<(u32, Option<Step>)> = vec![(NO_PARENT, None); self.table.len()];
        let mut seen = vec![false; self.table.len()];
        let mut waiting = VecDeque::new();
        for &start in starts {
            if !std::mem::replace(&mut seen[start as usize], true) {
                waiting.push_back(start);
            }
        }
        while let Some(state) = waiting.pop_front() {
            if wanted(self, state) {
                let mut path = Vec::new();
                let mut at = state;
                while at != NO_PARENT {
                    path.push((at, parents[at as usize].1));
                    at = parents[at as usize].0;
                }
                path.reverse();
                return Ok(path);
            }
            self.expand(state, &mut |search, step, next| {
                if let Some(next) = search.table.find(next)
                    && !seen[next as usize]
                    && may_pass(search, next)
                {
                    seen[next as usize] = true;
                    parents[next as usize] = (state, Some(step));
                    waiting.push_back(next);
                }
            })?;
        }
        Ok(Vec::new())
    }
}
