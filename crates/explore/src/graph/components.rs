//! A strongly connected component in which everything occurs that must.
//!
//! Tarjan's algorithm, with stacks of its own. What must occur are marks (generalised Büchi acceptance), and for pairs of marks
//! the second one where the first one does (Streett acceptance). Where a component has the first mark of a pair and not
//! the second one, no cycle in it may pass where the first one occurs: that is left out, and what remains is divided again.
//! Each time the component loses a pair, so it is divided at most as often as there are pairs.

use super::{Graph, Marks};
use crate::table::StateId;
use model::reason::Reason;

/// What a cycle must have.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wanted {
    /// All of these.
    pub(crate) marks: Marks,
    /// Where it has the first one of a pair, also the second one.
    pub(crate) pairs: Vec<(Marks, Marks)>,
}

/// A component that has what is wanted.
pub(crate) struct Component {
    pub(crate) states: Vec<StateId>,
    /// No cycle passes where these occur.
    without: Marks,
    /// A cycle that has all of these has what is wanted.
    pub(crate) marks: Marks,
}

/// The region of states that are in no component any more.
const NONE: u32 = 0;
/// So many edges between two looks at the clock.
const CHECK_EVERY: usize = 1 << 20;

pub(crate) struct Components<'g> {
    graph: &'g Graph<'g>,
    wanted: &'g Wanted,
    must_stop: &'g dyn Fn() -> Option<Reason>,
    /// Of each state the part of the graph it belongs to: edges between different ones do not count.
    regions: Vec<u32>,
    last_region: u32,
    /// In order of discovery; 0 before that.
    numbers: Vec<u32>,
    /// The least number that is known to be reached from there.
    low: Vec<u32>,
    ticks: usize,
}

/// Part of a graph that is to be divided.
struct Part {
    states: Vec<StateId>,
    region: u32,
    without: Marks,
}

impl<'g> Components<'g> {
    pub(crate) fn new(graph: &'g Graph<'g>, wanted: &'g Wanted, must_stop: &'g dyn Fn() -> Option<Reason>) -> Self {
        let nodes = graph.nodes();
        let (regions, numbers, low) = (vec![1; nodes], vec![0; nodes], vec![0; nodes]);
        Components { graph, wanted, must_stop, regions, last_region: 1, numbers, low, ticks: 0 }
    }

    /// A component with what is wanted, if there is one.
    pub(crate) fn find(&mut self) -> Result<Option<Component>, Reason> {
        let mut parts = Vec::new();
        for root in 0..self.graph.nodes() as StateId {
            if let Some(found) = self.divide(root, 1, 0, &mut parts)? {
                return Ok(Some(found));
            }
        }
        while let Some(Part { states, region, without }) = parts.pop() {
            for &root in &states {
                if let Some(found) = self.divide(root, region, without, &mut parts)? {
                    return Ok(Some(found));
                }
            }
        }
        Ok(None)
    }

    /// The edges of a state within a component.
    pub(crate) fn within<'s>(
        &'s self,
        component: &'s Component,
        state: StateId,
    ) -> impl Iterator<Item = (StateId, Marks)> + 's {
        let (graph, region) = (self.graph, self.regions[state as usize]);
        let inside = move |edge: &usize| {
            self.regions[graph.target(*edge) as usize] == region && graph.marks(*edge) & component.without == 0
        };
        graph.edges(state).filter(inside).map(move |edge| (graph.target(edge), graph.marks(edge)))
    }

    /// Finds the components that are reached from a state of a region, without some marks, unless that was done before.
    fn divide(
        &mut self,
        root: StateId,
        region: u32,
        without: Marks,
        parts: &mut Vec<Part>,
    ) -> Result<Option<Component>, Reason> {
        let graph = self.graph;
        let is_open = |regions: &[u32], state: StateId| {
            regions[state as usize] == region && (without == 0 || graph.state(state) & without == 0)
        };
        if self.numbers[root as usize] != 0 || !is_open(&self.regions, root) {
            return Ok(None);
        }
        let (mut number, mut live, mut path) = (0, Vec::new(), Vec::new());
        let mut next = Some(root);
        loop {
            if let Some(state) = next.take() {
                number += 1;
                self.numbers[state as usize] = number;
                self.low[state as usize] = number;
                live.push(state);
                path.push((state, graph.edges(state)));
            }
            let Some((state, edges)) = path.last_mut() else { return Ok(None) };
            let state = *state;
            if let Some(edge) = edges.next() {
                self.ticks += 1;
                if self.ticks.is_multiple_of(CHECK_EVERY)
                    && let Some(reason) = (self.must_stop)()
                {
                    return Err(reason);
                }
                let target = graph.target(edge);
                if !is_open(&self.regions, target) || graph.marks(edge) & without != 0 {
                    continue;
                }
                match self.numbers[target as usize] {
                    0 => next = Some(target),
                    number => self.low[state as usize] = self.low[state as usize].min(number),
                }
                continue;
            }
            path.pop();
            let low = self.low[state as usize];
            if let Some((parent, _)) = path.last() {
                self.low[*parent as usize] = self.low[*parent as usize].min(low);
            }
            if low == self.numbers[state as usize] {
                let first = live.iter().rposition(|&other| other == state).unwrap_or(0);
                if let Some(found) = self.close(&live[first..], without, parts) {
                    return Ok(Some(found));
                }
                live.truncate(first);
            }
        }
    }

    /// Some states are a component without some marks.
    fn close(&mut self, states: &[StateId], without: Marks, parts: &mut Vec<Part>) -> Option<Component> {
        let (graph, alone) = (self.graph, states.len() == 1);
        let loops = |state: StateId| {
            graph.edges(state).any(|edge| graph.target(edge) == state && graph.marks(edge) & without == 0)
        };
        if alone && !loops(states[0]) {
            (self.regions[states[0] as usize], self.numbers[states[0] as usize]) = (NONE, 0);
            return None;
        }
        self.last_region += 1;
        for &state in states {
            (self.regions[state as usize], self.numbers[state as usize]) = (self.last_region, 0);
        }
        let mut component = Component { states: Vec::new(), without, marks: 0 };
        let edges = |state| self.within(&component, state).fold(0, |all, (_, marks)| all | marks);
        let occurring = states.iter().fold(0, |all, &state| all | graph.state(state) | edges(state));
        if self.wanted.marks & !occurring != 0 {
            return None;
        }
        let answered = |&&(first, second): &&(Marks, Marks)| first & occurring == 0 || second & occurring != 0;
        let unanswered = self.wanted.pairs.iter().filter(|pair| !answered(pair)).fold(0, |all, pair| all | pair.0);
        if unanswered != 0 {
            parts.push(Part { states: states.to_vec(), region: self.last_region, without: without | unanswered });
            return None;
        }
        let answers = self.wanted.pairs.iter().filter(|pair| pair.0 & occurring != 0).fold(0, |all, pair| all | pair.1);
        (component.states, component.marks) = (states.to_vec(), self.wanted.marks | answers);
        Some(component)
    }
}
