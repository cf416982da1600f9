//! Minimal deterministic automata with one numbering: equal languages, equal automata.
//!
//! An [`Automaton`] is *trim*: every state is on the way from the start to an accepting state, so there is no sink, and
//! a transition that is missing rejects. It is minimal, and its states are numbered in the order of a breadth-first walk
//! that takes letters in their order. So it is unique for its language, and can be compared and hashed as it stands.
//!
//! States of a trim automaton of `w₁#…#wₙ` know how many separators came before (definition B.1 calls the set of those
//! with `i−1` of them `Qᵢ`): the *segment* of the state, the channel it reads.
//!
//! [`minimise`] is Moore's algorithm, with a head start: states that are equivalent have the same distance to
//! acceptance, which the trimming computes anyway. For sets that are finite, or nearly so, that is all there is to do.

use crate::limits::{Limit, Meter};
use rustc_hash::FxHashMap as Map;

/// One transition of an [`Automaton`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Edge {
    /// The message, or the number of messages for the separator.
    pub letter: u32,
    /// Where it leads.
    pub target: u32,
}

/// A canonical automaton. State 0 is the start; the empty language has no states.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Automaton {
    /// Where the edges of each state begin, and the end of the last.
    first: Box<[u32]>,
    /// Sorted by letter for each state.
    edges: Box<[Edge]>,
    accepting: Box<[bool]>,
    segments: Box<[u32]>,
}

impl Automaton {
    /// The number of states.
    pub fn states(&self) -> usize {
        self.accepting.len()
    }

    /// The number of transitions.
    pub fn transitions(&self) -> usize {
        self.edges.len()
    }

    /// The transitions that leave a state, by letter.
    pub fn edges(&self, state: u32) -> &[Edge] {
        let state = state as usize;
        match (self.first.get(state), self.first.get(state + 1)) {
            (Some(&from), Some(&to)) => &self.edges[from as usize..to as usize],
            _ => &[],
        }
    }

    /// Whether a word may end here.
    pub fn accepts(&self, state: u32) -> bool {
        self.accepting.get(state as usize).copied().unwrap_or(false)
    }

    /// The channel whose content is being read here.
    pub fn segment(&self, state: u32) -> u32 {
        self.segments.get(state as usize).copied().unwrap_or(0)
    }

    /// Where a letter leads.
    pub fn step(&self, state: u32, letter: u32) -> Option<u32> {
        let edges = self.edges(state);
        edges.binary_search_by_key(&letter, |edge| edge.letter).ok().map(|at| edges[at].target)
    }

    /// Our estimate of its memory.
    pub(crate) fn bytes(&self) -> usize {
        64 + self.edges.len() * size_of::<Edge>() + self.states() * 9
    }
}

/// A deterministic automaton that is neither trim nor minimal yet. Edges of a state are sorted by letter.
#[derive(Clone, Debug)]
pub(crate) struct Draft {
    pub(crate) start: u32,
    first: Vec<u32>,
    edges: Vec<Edge>,
    accepting: Vec<bool>,
}

impl Draft {
    pub(crate) fn new() -> Self {
        Draft { start: 0, first: vec![0], edges: Vec::new(), accepting: Vec::new() }
    }

    /// Adds the next state, with its edges; they may lead to states that come later.
    pub(crate) fn state(&mut self, accepting: bool, edges: impl IntoIterator<Item = Edge>) {
        self.edges.extend(edges);
        self.accepting.push(accepting);
        self.first.push(self.edges.len() as u32);
    }

    pub(crate) fn states(&self) -> usize {
        self.accepting.len()
    }

    fn edges(&self, state: usize) -> &[Edge] {
        &self.edges[self.first[state] as usize..self.first[state + 1] as usize]
    }

    /// The shortest way from each state to acceptance; `DEAD` if there is none.
    fn distances(&self) -> Vec<u32> {
        let mut sources = vec![Vec::new(); self.states()];
        for state in 0..self.states() {
            for edge in self.edges(state) {
                sources[edge.target as usize].push(state as u32);
            }
        }
        let mut distances = vec![DEAD; self.states()];
        let mut queue: Vec<u32> = (0..self.states() as u32).filter(|&state| self.accepting[state as usize]).collect();
        queue.iter().for_each(|&state| distances[state as usize] = 0);
        let mut next = 0;
        while let Some(&state) = queue.get(next) {
            next += 1;
            for &source in &sources[state as usize] {
                if distances[source as usize] == DEAD {
                    distances[source as usize] = distances[state as usize] + 1;
                    queue.push(source);
                }
            }
        }
        distances
    }
}

/// The class or distance of a state that cannot accept.
const DEAD: u32 = u32::MAX;

/// The canonical automaton of a draft.
pub(crate) fn minimise(draft: &Draft, separator: u32, budget: &mut Meter) -> Result<Automaton, Limit> {
    budget.spend(draft.states() + draft.edges.len())?;
    let mut classes = draft.distances();
    if classes.get(draft.start as usize).is_none_or(|&distance| distance == DEAD) {
        return Ok(Automaton::default());
    }
    let live = classes.iter().filter(|&&class| class != DEAD).count();
    let mut count = distinct(&classes);
    while count < live {
        budget.spend(draft.states() + draft.edges.len())?;
        let refined = refine(draft, &classes);
        let refined_count = distinct(&refined);
        classes = refined;
        if refined_count == count {
            break;
        }
        count = refined_count;
    }
    Ok(number(draft, &classes, separator))
}

fn distinct(classes: &[u32]) -> usize {
    let mut seen: Vec<u32> = classes.iter().copied().filter(|&class| class != DEAD).collect();
    seen.sort_unstable();
    seen.dedup();
    seen.len()
}

/// One round of Moore's algorithm: classes by class and by the classes of successors.
fn refine(draft: &Draft, classes: &[u32]) -> Vec<u32> {
    let mut names: Map<Vec<u32>, u32> = Map::default();
    let mut signature = Vec::new();
    let mut refined = vec![DEAD; classes.len()];
    for (state, &class) in classes.iter().enumerate().filter(|&(_, &class)| class != DEAD) {
        signature.clear();
        signature.push(class);
        for edge in draft.edges(state).iter().filter(|edge| classes[edge.target as usize] != DEAD) {
            signature.extend([edge.letter, classes[edge.target as usize]]);
        }
        let fresh = names.len() as u32;
        refined[state] = match names.get(&signature) {
            Some(&name) => name,
            None => *names.entry(signature.clone()).or_insert(fresh),
        };
    }
    refined
}

/// The quotient by the classes, numbered breadth-first from the start.
fn number(draft: &Draft, classes: &[u32], separator: u32) -> Automaton {
    let mut numbers: Map<u32, u32> = Map::default();
    let mut order = vec![(draft.start, 0)];
    numbers.insert(classes[draft.start as usize], 0);
    let (mut first, mut edges, mut accepting, mut segments) = (vec![0], Vec::new(), Vec::new(), Vec::new());
    let mut next = 0;
    while let Some(&(state, segment)) = order.get(next) {
        next += 1;
        for edge in draft.edges(state as usize) {
            let class = classes[edge.target as usize];
            if class != DEAD {
                let fresh = order.len() as u32;
                let target = *numbers.entry(class).or_insert_with(|| {
                    order.push((edge.target, segment + u32::from(edge.letter == separator)));
                    fresh
                });
                edges.push(Edge { letter: edge.letter, target });
            }
        }
        first.push(edges.len() as u32);
        accepting.push(draft.accepting[state as usize]);
        segments.push(segment);
    }
    Automaton { first: first.into(), edges: edges.into(), accepting: accepting.into(), segments: segments.into() }
}
