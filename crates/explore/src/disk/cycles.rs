//! Is there a cycle with everything that must occur, in a graph that does not fit into memory?
//!
//! States that are on no such cycle are removed until nothing changes, or until the rest fits into memory, where its strongly
//! connected components are looked at (`graph/components.rs`). This is OWCTY, *one way catch them young* (Fisler, Fraer, Kamhi, Vardi
//! and Yang, TACAS 2001; Černá and Pelánek, SPIN 2003) for acceptance by several sets and by pairs. A state is removed
//!
//! * that is not reached from an edge with a mark that must occur;
//! * that has no predecessor left, or no successor.
//!
//! An edge with the first mark of a pair is removed if its state is not reached from an edge with the second one. All of that removes
//! nothing of a component that has what is wanted: its states reach each other. And if nothing more is removed, a component that is
//! reached from no other one has what is wanted: its states have predecessors, which can only be its own; each is reached
//! from every mark that must occur, and each first mark of a pair from a second one, and that can be inside only.
//!
//! A few bits per state are in memory, and the edges are read from front to back. States have numbers in the order of their
//! distance, so most edges lead forward, and what follows from a state is found in the same pass.

use super::edges::{Edges, Look, Record, Sets, Target, Turns};
use super::{Stop, graph::Layout};
use crate::graph::components::{Components, Wanted};
use crate::graph::draw::NODE_BYTES;
use crate::graph::round::{Path, round};
use crate::graph::{Graph, Marks, Notes};
use crate::table::StateId;
use model::verdict::Reason;
use std::io;

/// So many bytes an edge takes in memory.
const EDGE_BYTES: u64 = 36;
/// A state takes so many beside those of a graph in memory.
const NAME_BYTES: u64 = 8;
/// So many states are looked at in memory, however little there is of it.
const FEWEST: u64 = 1 << 12;
/// Goals that are looked at together.
const GOALS: usize = 8;

/// A mark that states must be reached from; all states, or those with an edge where another mark occurs.
#[derive(Clone, Copy)]
struct Goal {
    mark: Marks,
    given: Option<Marks>,
}

/// A bit for each state.
struct Bits(Vec<u64>);

impl Bits {
    fn new(states: u64) -> Bits {
        Bits(vec![0; states.div_ceil(64) as usize])
    }

    fn has(&self, state: StateId) -> bool {
        self.0[state as usize / 64] >> (state % 64) & 1 == 1
    }

    fn add(&mut self, state: StateId) {
        self.0[state as usize / 64] |= 1 << (state % 64);
    }

    fn remove(&mut self, state: StateId) {
        self.0[state as usize / 64] &= !(1 << (state % 64));
    }

    fn clear(&mut self) {
        self.0.fill(0);
    }
}

/// Where an edge leads, which is known.
fn state((_, target): (u32, Target)) -> StateId {
    match target {
        Target::State(state) => state,
        Target::Unknown(_) => StateId::MAX,
    }
}

/// The graph, and what is looked for in it.
pub(super) struct Cycles<'c> {
    edges: Edges,
    sets: &'c Sets,
    wanted: &'c Wanted,
    /// The number of all states.
    states: u64,
    /// Those that are left.
    alive: Bits,
    turns: Turns,
    /// Bytes that may be used.
    room: u64,
    look: &'c Look<'c>,
}

impl<'c> Cycles<'c> {
    /// Of edges whose ends have no numbers yet.
    pub(super) fn new(
        edges: &Edges,
        sets: &'c Sets,
        wanted: &'c Wanted,
        layout: &Layout<'_>,
        room: u64,
        look: &'c Look<'c>,
    ) -> Result<Self, Stop> {
        let mut turns = Turns::new(layout.folder);
        let edges = edges.numbered((layout.file, layout.length, layout.states), room, &mut turns, look)?;
        let mut alive = Bits::new(layout.states);
        edges.each(look, |record| {
            alive.add(record.state);
            let known = record.edges().all(|edge| u64::from(state(edge)) < layout.states);
            known.then_some(()).ok_or_else(|| io::Error::other("an edge leads to no state").into())
        })?;
        Ok(Cycles { edges, sets, wanted, states: layout.states, alive, turns, room, look })
    }

    /// A short cycle with what is wanted, if there is one.
    pub(super) fn find(&mut self) -> Result<Option<Path>, Stop> {
        loop {
            if self.edges.states == 0 {
                return Ok(None);
            }
            if self.fits() {
                return self.in_memory(u64::MAX);
            }
            let before = (self.edges.states, self.edges.edges);
            self.reduce()?;
            if before == (self.edges.states, self.edges.edges) {
                // There is one. What is near fits.
                let per_state = NODE_BYTES + NAME_BYTES + EDGE_BYTES * self.edges.edges / self.edges.states;
                let found = self.in_memory((self.room / per_state).max(FEWEST))?;
                return found.map(Some).ok_or(Stop::Reason(Reason::Memory));
            }
        }
    }

    fn fits(&self) -> bool {
        self.edges.states * (NODE_BYTES + NAME_BYTES) + self.edges.edges * EDGE_BYTES <= self.room
    }

    /// What occurs in a state or on an edge from there.
    fn marks(&self, record: &Record<'_>, edge: (u32, Target)) -> Marks {
        self.sets.sets[record.marks as usize] | self.sets.sets[edge.0 as usize]
    }

    // --- in memory --------------------------------------------------------------------------------

    /// A short cycle among so many states, the nearest ones.
    fn in_memory(&self, most: u64) -> Result<Option<Path>, Stop> {
        let mut names = Vec::new();
        self.edges.each(self.look, |record| {
            names.push(record.state);
            Ok(())
        })?;
        names.sort_unstable();
        names.truncate(usize::try_from(most).unwrap_or(usize::MAX));
        let whole = names.len() as u64 == self.states;
        let node = |state: StateId| match whole {
            true => Some(state),
            false => names.binary_search(&state).ok().map(|node| node as StateId),
        };
        let (mut notes, mut marks) = (Notes::default(), vec![0; names.len()]);
        self.edges.each(self.look, |record| {
            let Some(from) = node(record.state) else { return Ok(()) };
            marks[from as usize] = record.marks;
            for edge in record.edges() {
                if let Some(to) = node(state(edge)) {
                    notes.edge(from, to, self.sets.sets[edge.0 as usize]);
                }
            }
            Ok(())
        })?;
        marks.iter().for_each(|&marks| notes.states.push(self.sets.sets[marks as usize]));
        let graph = Graph::new(vec![&notes], &[names.len()]);
        let must_stop = || match (self.look)() {
            Err(Stop::Reason(reason)) => Some(reason),
            _ => None,
        };
        let mut components = Components::new(&graph, self.wanted, &must_stop);
        let Some(component) = components.find()? else { return Ok(None) };
        let mut successors =
            |state: StateId| Some((graph.state(state), components.within(&component, state).collect::<Path>()));
        // States have numbers in the order of their distance.
        let start = component.states.iter().min();
        let path = start.and_then(|&start| round(start, component.marks, &mut successors));
        let lost = || Reason::Internal(String::from("a cycle was found, but not again"));
        let path = path.ok_or_else(lost)?;
        Ok(Some(path.into_iter().map(|(node, marks)| (names[node as usize], marks)).collect()))
    }

    // --- on disk ----------------------------------------------------------------------------------

    /// Removes what is on no cycle with what is wanted, once for each goal.
    fn reduce(&mut self) -> Result<(), Stop> {
        let (mut any, mut all) = (0, Marks::MAX);
        self.edges.each(self.look, |record| {
            for edge in record.edges() {
                let marks = self.marks(&record, edge);
                (any, all) = (any | marks, all & marks);
            }
            Ok(())
        })?;
        let bits = (0..Marks::BITS).map(|bit| 1 << bit).filter(|bit: &Marks| self.wanted.marks & !all & bit != 0);
        let pairs = self.wanted.pairs.iter().filter(|pair| pair.0 & any != 0);
        let goals: Vec<Goal> = bits
            .map(|mark| Goal { mark, given: None })
            .chain(pairs.map(|pair| Goal { mark: pair.1, given: Some(pair.0) }))
            .collect();
        self.eliminate()?;
        for goals in goals.chunks(GOALS) {
            self.reach(goals)?;
            self.eliminate()?;
        }
        Ok(())
    }

    /// Removes what is not reached from some marks.
    fn reach(&mut self, goals: &[Goal]) -> Result<(), Stop> {
        let of = |marks: Marks| {
            goals.iter().enumerate().fold(0u8, |set, (n, goal)| set | u8::from(marks & goal.mark != 0) << n)
        };
        let (mut reached, mut changed) = (vec![0u8; self.states as usize], true);
        while changed {
            changed = false;
            self.edges.each(self.look, |record| {
                let from = reached[record.state as usize];
                for edge in record.edges() {
                    let to = &mut reached[state(edge) as usize];
                    let more = from | of(self.marks(&record, edge));
                    changed |= more & !*to != 0;
                    *to |= more;
                }
                Ok(())
            })?;
        }
        let needed =
            goals.iter().enumerate().filter(|(_, goal)| goal.given.is_none()).fold(0u8, |set, (n, _)| set | 1 << n);
        let unanswered = |marks: Marks, reached: u8| {
            let lacks = |(n, goal): (usize, &Goal)| {
                goal.given.is_some_and(|given| given & marks != 0) && marks & goal.mark == 0 && reached >> n & 1 == 0
            };
            goals.iter().enumerate().any(lacks)
        };
        self.edges.each(self.look, |record| {
            if reached[record.state as usize] & needed != needed {
                self.alive.remove(record.state);
            }
            Ok(())
        })?;
        self.rewrite(|marks, state| !unanswered(marks, reached[state as usize]))
    }

    /// Leaves out states that are not alive, and edges that are not kept, by what occurs there and the state that they come from.
    fn rewrite(&mut self, keep: impl Fn(Marks, StateId) -> bool) -> Result<(), Stop> {
        let path = self.turns.path();
        let (alive, sets) = (&mut self.alive, &self.sets.sets);
        self.edges = self.edges.rewritten(&path, self.look, |record, records| {
            if !alive.has(record.state) {
                return;
            }
            let own = sets[record.marks as usize];
            let kept = record
                .edges()
                .filter(|&edge| alive.has(state(edge)) && keep(own | sets[edge.0 as usize], record.state));
            if records.push(record.state, record.marks, kept) == 0 {
                alive.remove(record.state);
            }
        })?;
        Ok(())
    }

    /// Removes states without a predecessor or without a successor, as long as there are some.
    fn eliminate(&mut self) -> Result<(), Stop> {
        // In a pass, an edge is *behind* if the record of its target came before it, or is its own. What is behind is known of the
        // pass before; what is not, when the record of the target comes.
        let [mut seen, mut before, mut behind, mut next] = [(); 4].map(|()| Bits::new(self.states));
        behind.0.fill(u64::MAX);
        let mut removed = true;
        for pass in 0.. {
            if !removed && pass > 1 {
                break;
            }
            removed = false;
            let alive = &mut self.alive;
            self.edges.each(self.look, |record| {
                let from = record.state;
                seen.add(from);
                if !alive.has(from) {
                    return Ok(());
                }
                let mut goes_on = before.has(from) || behind.has(from);
                if goes_on {
                    goes_on = false;
                    for to in record.edges().map(state).filter(|&to| alive.has(to)) {
                        goes_on = true;
                        if seen.has(to) { next.add(to) } else { before.add(to) }
                    }
                }
                if !goes_on {
                    alive.remove(from);
                    removed = true;
                }
                Ok(())
            })?;
            std::mem::swap(&mut behind, &mut next);
            for bits in [&mut seen, &mut before, &mut next] {
                bits.clear();
            }
        }
        self.rewrite(|_, _| true)
    }
}
