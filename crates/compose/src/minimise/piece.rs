//! A node of the tree: its states, their classes, and the quotient that stands for it from then on.

use super::classes::{Alike, Classes, alike};
use super::sets::{Sets, together};
use crate::lts::{Lts, TAU};
use crate::meter::Meter;
use crate::problem::Problem;
use crate::product::{Product, Successors};
use crate::table::Table;
use model::verdict::Reason;
use std::collections::HashMap;

/// What a node is made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Origin {
    /// A component.
    Leaf(usize),
    /// Two nodes.
    Pair(usize, usize),
}

/// A node, minimised.
pub(crate) struct Piece {
    pub(crate) origin: Origin,
    /// Events that are hidden from here on, in order.
    pub(crate) hidden: Vec<u32>,
    /// The tuples of classes that are the states of a pair.
    tuples: Option<Table>,
    /// The class of each state.
    pub(crate) class_of: Vec<u32>,
    /// The classes and their steps.
    pub(crate) quotient: Lts,
    /// The ready sets of each class, the smallest only; for deadlock.
    pub(crate) ready: Vec<Vec<u32>>,
    /// How many components there are below it.
    pub(crate) components: usize,
    /// How many nodes there are on the longest path down.
    pub(crate) depth: usize,
}

impl Piece {
    /// The class of a state: of a leaf one number, of a pair two.
    pub(crate) fn class(&self, state: &[u32]) -> Option<u32> {
        let index = match &self.tuples {
            Some(tuples) => tuples.find(state)?,
            None => *state.first()?,
        };
        self.class_of.get(index as usize).copied()
    }

    /// States and classes as a proof lists them.
    pub(crate) fn listed(&self, problem: &Problem<'_>) -> Vec<(Vec<u32>, u32)> {
        let state = |index: u32| match (&self.tuples, self.origin) {
            (Some(tuples), _) => {
                let mut tuple = Vec::new();
                tuples.get(index, &mut tuple);
                tuple
            }
            (None, Origin::Leaf(component)) => vec![problem.leaves[component].original[index as usize]],
            (None, Origin::Pair(..)) => Vec::new(),
        };
        (0u32..).zip(&self.class_of).map(|(index, &class)| (state(index), class)).collect()
    }

    /// Whether an event has no name any more above this node.
    pub(crate) fn hides(&self, event: u32) -> bool {
        event == TAU || self.hidden.binary_search(&event).is_ok()
    }
}

/// The pair of nodes and the pair of sets to the set of both together, if it counts.
type Known = HashMap<(usize, usize, u32, u32), Option<u32>>;

/// Where nodes are made.
pub(crate) struct Workshop<'p> {
    problem: &'p Problem<'p>,
    pub(crate) sets: Sets,
    known: Known,
}

impl<'p> Workshop<'p> {
    pub(crate) fn new(problem: &'p Problem<'p>) -> Self {
        Workshop { problem, sets: Sets::default(), known: HashMap::new() }
    }

    /// A component with what is its own business hidden.
    pub(crate) fn leaf(&mut self, component: usize, hidden: Vec<u32>, meter: &Meter<'_>) -> Result<Piece, Reason> {
        let leaf = &self.problem.leaves[component];
        let mut whole = leaf.lts.clone();
        let mut ready = vec![Vec::new(); whole.states()];
        for (state, sets) in ready.iter_mut().enumerate() {
            meter.spend(1 + whole.moves[state].len())?;
            if self.problem.is_deadlock() && !whole.wrong[state] {
                let set = leaf.ready(state as u32);
                let can_move = set.iter().any(|event| *event == TAU || hidden.binary_search(event).is_ok());
                if !can_move {
                    sets.push(self.sets.number(set));
                }
            }
            hide(&mut whole.moves[state], &hidden);
        }
        whole.alphabet.retain(|event| hidden.binary_search(event).is_err());
        self.minimised(Origin::Leaf(component), hidden, None, whole, ready, (1, 1), meter)
    }

    /// Two nodes as one.
    pub(crate) fn pair(
        &mut self,
        pieces: &[Piece],
        left: usize,
        right: usize,
        hidden: Vec<u32>,
        meter: &Meter<'_>,
    ) -> Result<Piece, Reason> {
        // A pair that was given up may have left something.
        self.known.clear();
        let (a, b) = (&pieces[left], &pieces[right]);
        let product = Product::new(vec![&a.quotient, &b.quotient], self.problem.events);
        let mut tuples = Table::new(product.parts.iter().map(|part| part.states()));
        let mut whole = Lts::default();
        product.initial(|state| {
            whole.initial.push(tuples.insert(state).0);
            meter.store(tuples.len(), tuples.bytes())
        })?;
        let mut ready = Vec::new();
        let (mut state, mut successors) = (Vec::new(), Successors::default());
        let (mut at, mut steps) = (0, 0);
        while (at as usize) < tuples.len() {
            tuples.get(at, &mut state);
            product.expand(&state, &mut successors)?;
            let mut moves = Vec::with_capacity(successors.len());
            for (step, next) in successors.iter() {
                moves.push((step.event, tuples.insert(next).0));
            }
            hide(&mut moves, &hidden);
            steps += moves.len();
            meter.store(tuples.len(), tuples.bytes() + tuples.len() * 64 + steps * 8)?;
            meter.spend(successors.len())?;
            whole.moves.push(moves);
            whole.wrong.push(product.is_wrong(&state));
            whole.labels.push(product.label(&state));
            let sets = if self.problem.is_deadlock() {
                self.together(a, b, state[0], state[1], &hidden, left, right)
            } else {
                Vec::new()
            };
            ready.push(sets);
            at += 1;
        }
        whole.alphabet = a.quotient.alphabet.iter().chain(&b.quotient.alphabet).copied().collect();
        whole.alphabet.sort_unstable();
        whole.alphabet.dedup();
        whole.alphabet.retain(|event| hidden.binary_search(event).is_err());
        let below = (a.components + b.components, 1 + a.depth.max(b.depth));
        self.minimised(Origin::Pair(left, right), hidden, Some(tuples), whole, ready, below, meter)
    }

    /// The ready sets of a pair of classes, the smallest only.
    #[allow(clippy::too_many_arguments)]
    pub(crate) fn together(
        &mut self,
        a: &Piece,
        b: &Piece,
        class_a: u32,
        class_b: u32,
        hidden: &[u32],
        left: usize,
        right: usize,
    ) -> Vec<u32> {
        let mut found = Vec::new();
        for &of_a in &a.ready[class_a as usize] {
            for &of_b in &b.ready[class_b as usize] {
                let key = (left, right, of_a, of_b);
                let set = match self.known.get(&key) {
                    Some(&set) => set,
                    None => {
                        let one = (self.sets.get(of_a), a.quotient.alphabet.as_slice());
                        let other = (self.sets.get(of_b), b.quotient.alphabet.as_slice());
                        let set = together(one, other, hidden).map(|set| self.sets.number(set));
                        self.known.insert(key, set);
                        set
                    }
                };
                found.extend(set);
            }
        }
        self.sets.leave_smallest(&mut found);
        found
    }

    #[allow(clippy::too_many_arguments)]
    fn minimised(
        &mut self,
        origin: Origin,
        hidden: Vec<u32>,
        tuples: Option<Table>,
        whole: Lts,
        ready: Vec<Vec<u32>>,
        (components, depth): (usize, usize),
        meter: &Meter<'_>,
    ) -> Result<Piece, Reason> {
        // What was known of the parts is of no use any more.
        self.known.clear();
        let manner = match (&self.problem.watch, self.problem.sees_stuttering) {
            (None, _) => Alike::Branching,
            (Some(_), false) => Alike::Diverging,
            (Some(_), true) => Alike::Strong,
        };
        let Classes { of: class_of, stays } = alike(&whole, &ready, &self.sets, manner, meter)?;
        let classes = stays.len();
        let mut quotient = Lts {
            alphabet: whole.alphabet,
            initial: whole.initial.iter().map(|&state| class_of[state as usize]).collect(),
            moves: vec![Vec::new(); classes],
            wrong: vec![false; classes],
            labels: vec![0; classes],
        };
        quotient.initial.sort_unstable();
        quotient.initial.dedup();
        let mut ready_of_classes = vec![Vec::new(); classes];
        for (state, moves) in whole.moves.into_iter().enumerate() {
            meter.spend(1 + moves.len())?;
            let class = class_of[state];
            let index = class as usize;
            let target = |(event, to): (u32, u32)| (event, class_of[to as usize]);
            let counts = |step: &(u32, u32)| stays[index] || *step != (TAU, class);
            quotient.moves[index].extend(moves.into_iter().map(target).filter(counts));
            quotient.wrong[index] = whole.wrong[state];
            quotient.labels[index] = whole.labels[state];
            ready_of_classes[index].extend_from_slice(&ready[state]);
        }
        for (moves, sets) in quotient.moves.iter_mut().zip(&mut ready_of_classes) {
            meter.spend(1 + moves.len())?;
            moves.sort_unstable();
            moves.dedup();
            self.sets.leave_smallest(sets);
        }
        Ok(Piece { origin, hidden, tuples, class_of, quotient, ready: ready_of_classes, components, depth })
    }
}

/// Takes the names of hidden events away.
fn hide(moves: &mut Vec<(u32, u32)>, hidden: &[u32]) {
    for step in moves.iter_mut() {
        if hidden.binary_search(&step.0).is_ok() {
            step.0 = TAU;
        }
    }
    moves.sort_unstable();
    moves.dedup();
}
