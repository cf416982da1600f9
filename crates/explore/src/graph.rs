//! The graph of states as numbers, for questions about cycles: is there one on which everything occurs that must occur again
//! and again?
//!
//! Depth-first search does not divide well among threads. To find successors does, and takes nearly all of the time. So threads
//! search breadth-first as for safety and note every edge (`draw`), and one thread looks for strongly connected
//! components among the numbers (`components`): whenever there are three times as many states, so that a cycle that is near
//! is found early, and at the end. A cycle of a part of the graph is one of the graph. `round` finds a short way round it.
//!
//! The order in which states are found does not matter to the answer, only to which cycle is shown; and the same number of threads finds
//! them in the same order.

pub(crate) mod components;
pub(crate) mod draw;
pub(crate) mod round;

use crate::parallel::name;
use crate::table::{StateId, reserve};
use rustc_hash::FxHashMap;

/// A set of things that must occur again and again.
pub(crate) type Marks = u128;

/// Sets of marks in a row. They take no room while all of them are empty.
#[derive(Default)]
pub(crate) struct Row {
    len: usize,
    /// The different sets; the first one is empty.
    sets: Vec<Marks>,
    numbers: FxHashMap<Marks, u32>,
    row: Vec<u32>,
}

impl Row {
    pub(crate) fn push(&mut self, marks: Marks) {
        self.len += 1;
        if self.sets.is_empty() {
            if marks == 0 {
                return;
            }
            self.number(0);
            self.row.resize(self.len - 1, 0);
        }
        let number = self.number(marks);
        reserve(&mut self.row, 1);
        self.row.push(number);
    }

    fn number(&mut self, marks: Marks) -> u32 {
        let next = self.sets.len() as u32;
        let number = *self.numbers.entry(marks).or_insert(next);
        if number == next {
            self.sets.push(marks);
        }
        number
    }

    pub(crate) fn get(&self, at: usize) -> Marks {
        self.row.get(at).map_or(0, |&number| self.sets[number as usize])
    }

    /// Whether every set is empty.
    fn is_blank(&self) -> bool {
        self.sets.is_empty()
    }
}

/// What is noted of the states of a partition: what occurs in them, and the edges that lead to them.
#[derive(Default)]
pub(crate) struct Notes {
    /// What occurs in each state that was looked at.
    pub(crate) states: Row,
    /// Where each edge comes from, among the states of all partitions.
    pub(crate) from: Vec<StateId>,
    /// Where it leads, among the states of this one.
    pub(crate) to: Vec<StateId>,
    /// What occurs on it.
    pub(crate) edges: Row,
}

impl Notes {
    pub(crate) fn edge(&mut self, from: StateId, to: StateId, marks: Marks) {
        reserve(&mut self.from, 1);
        self.from.push(from);
        reserve(&mut self.to, 1);
        self.to.push(to);
        self.edges.push(marks);
    }

    pub(crate) fn memory_bytes(&self) -> u64 {
        let rows = self.states.row.capacity() + self.edges.row.capacity();
        (self.from.capacity() + self.to.capacity() + rows) as u64 * 4
    }

    /// About how many bytes a graph of these edges takes while it is looked at.
    pub(crate) fn graph_bytes(&self) -> u64 {
        self.to.len() as u64 * if self.edges.is_blank() { 4 } else { 20 }
    }
}

/// States by their numbers among those of all partitions, and the edges from each.
pub(crate) struct Graph<'n> {
    notes: Vec<&'n Notes>,
    /// Where the edges of each state start.
    starts: Vec<usize>,
    targets: Vec<StateId>,
    /// What occurs on each edge; none where nothing does on any.
    marks: Vec<Marks>,
}

impl<'n> Graph<'n> {
    /// The graph of some partitions, each with so many states.
    pub(crate) fn new(notes: Vec<&'n Notes>, states: &[usize]) -> Self {
        let jobs = notes.len();
        let nodes = states.iter().max().map_or(0, |&most| most * jobs);
        let mut starts = vec![0; nodes + 1];
        for &from in notes.iter().flat_map(|notes| &notes.from) {
            starts[from as usize + 1] += 1;
        }
        for node in 0..nodes {
            starts[node + 1] += starts[node];
        }
        let (edges, blank) = (starts[nodes], notes.iter().all(|notes| notes.edges.is_blank()));
        let (mut targets, mut marks) = (vec![0; edges], vec![0; if blank { 0 } else { edges }]);
        // `starts` runs on to where the next edge of a state goes, and is where the edges of the next state start in the end.
        for (owner, notes) in notes.iter().enumerate() {
            for (index, (&from, &to)) in notes.from.iter().zip(&notes.to).enumerate() {
                let place = &mut starts[from as usize];
                targets[*place] = name(to, owner, jobs);
                if !blank {
                    marks[*place] = notes.edges.get(index);
                }
                *place += 1;
            }
        }
        starts.pop();
        starts.insert(0, 0);
        Graph { notes, starts, targets, marks }
    }

    /// More than the greatest number of a state.
    pub(crate) fn nodes(&self) -> usize {
        self.starts.len() - 1
    }

    /// What occurs in a state.
    pub(crate) fn state(&self, node: StateId) -> Marks {
        let jobs = self.notes.len() as StateId;
        self.notes[(node % jobs) as usize].states.get((node / jobs) as usize)
    }

    /// Where the edges of a state are.
    pub(crate) fn edges(&self, node: StateId) -> std::ops::Range<usize> {
        self.starts[node as usize]..self.starts[node as usize + 1]
    }

    pub(crate) fn target(&self, edge: usize) -> StateId {
        self.targets[edge]
    }

    /// What occurs on an edge.
    pub(crate) fn marks(&self, edge: usize) -> Marks {
        self.marks.get(edge).copied().unwrap_or(0)
    }
}
