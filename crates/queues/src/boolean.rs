//! Union, intersection, difference; inclusion and meeting without building anything.
//!
//! Both automata run in parallel. Since they are trim, a run of one that goes on where the other cannot is already a
//! difference, and questions end at the first one.

use crate::automaton::{Automaton, Draft, Edge};
use crate::languages::{Language, Languages, Operation};
use crate::limits::{Limit, Meter};
use rustc_hash::FxHashMap as Map;

/// In a pair of states: this side is out of the running.
const OUT: u32 = u32::MAX;

/// Which runs of a pair are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Keep {
    Either,
    Both,
    FirstOnly,
}

impl Keep {
    fn accepts(self, first: bool, second: bool) -> bool {
        match self {
            Keep::Either => first || second,
            Keep::Both => first && second,
            Keep::FirstOnly => first && !second,
        }
    }

    fn follows(self, pair: (u32, u32)) -> bool {
        match self {
            Keep::Either => true,
            Keep::Both => pair.0 != OUT && pair.1 != OUT,
            Keep::FirstOnly => pair.0 != OUT,
        }
    }
}

impl Languages {
    /// The vectors in one or both.
    pub fn union(&mut self, one: Language, other: Language) -> Result<Language, Limit> {
        let (one, other) = (one.min(other), one.max(other));
        if one == other || self.is_empty(one) {
            return Ok(other);
        }
        self.remember(Operation::Union(one, other), |all| all.combine(one, other, Keep::Either))
    }

    /// The vectors in both.
    pub fn intersection(&mut self, one: Language, other: Language) -> Result<Language, Limit> {
        let (one, other) = (one.min(other), one.max(other));
        if one == other || self.is_empty(one) {
            return Ok(one);
        }
        self.remember(Operation::Intersection(one, other), |all| all.combine(one, other, Keep::Both))
    }

    /// The vectors in the first that are not in the second.
    pub fn difference(&mut self, one: Language, other: Language) -> Result<Language, Limit> {
        if one == other || self.is_empty(one) {
            return Ok(self.empty());
        }
        if self.is_empty(other) {
            return Ok(one);
        }
        self.remember(Operation::Difference(one, other), |all| all.combine(one, other, Keep::FirstOnly))
    }

    /// The vectors that are not in it.
    pub fn complement(&mut self, language: Language) -> Result<Language, Limit> {
        let universe = self.universe()?;
        self.difference(universe, language)
    }

    /// Whether every vector of the first is in the second.
    pub fn is_included(&mut self, one: Language, other: Language) -> Result<bool, Limit> {
        self.budget.spend(1)?;
        if one == other || self.is_empty(one) {
            return Ok(true);
        }
        if let Some(&known) = self.inclusions.get(&(one, other)) {
            return Ok(known);
        }
        let (a, b) = (self.automaton(one).clone(), self.automaton(other).clone());
        let included = included(&a, &b, &mut self.budget)?;
        self.keep_answer()?;
        self.inclusions.insert((one, other), included);
        Ok(included)
    }

    /// Whether they have a vector in common.
    pub fn meet(&mut self, one: Language, other: Language) -> Result<bool, Limit> {
        self.budget.spend(1)?;
        let (one, other) = (one.min(other), one.max(other));
        if one == other || self.is_empty(one) {
            return Ok(!self.is_empty(one));
        }
        if let Some(&known) = self.overlaps.get(&(one, other)) {
            return Ok(known);
        }
        let (a, b) = (self.automaton(one).clone(), self.automaton(other).clone());
        let meet = meet(&a, &b, &mut self.budget)?;
        self.keep_answer()?;
        self.overlaps.insert((one, other), meet);
        Ok(meet)
    }

    fn combine(&mut self, one: Language, other: Language, keep: Keep) -> Result<Language, Limit> {
        let (a, b) = (self.automaton(one).clone(), self.automaton(other).clone());
        let draft = pairs(&a, &b, keep, &mut self.budget)?;
        self.intern(&draft)
    }
}

/// The automaton of pairs of states.
fn pairs(a: &Automaton, b: &Automaton, keep: Keep, budget: &mut Meter) -> Result<Draft, Limit> {
    let start = (start_of(a), start_of(b));
    let mut draft = Draft::new();
    let mut numbers: Map<(u32, u32), u32> = Map::default();
    let mut order = vec![start];
    numbers.insert(start, 0);
    let mut next = 0;
    while let Some(&pair) = order.get(next) {
        next += 1;
        let mut edges = Vec::new();
        for (letter, target) in joint_edges(a, b, pair).filter(|&(_, target)| keep.follows(target)) {
            let fresh = order.len() as u32;
            let number = *numbers.entry(target).or_insert_with(|| {
                order.push(target);
                fresh
            });
            edges.push(Edge { letter, target: number });
        }
        budget.spend(1 + edges.len())?;
        budget.fits(order.len())?;
        draft.state(keep.accepts(a.accepts(pair.0), b.accepts(pair.1)), edges);
    }
    Ok(draft)
}

fn start_of(automaton: &Automaton) -> u32 {
    if automaton.states() == 0 { OUT } else { 0 }
}

/// The letters that at least one of a pair can read, in order.
fn joint_edges<'a>(
    a: &'a Automaton,
    b: &'a Automaton,
    pair: (u32, u32),
) -> impl Iterator<Item = (u32, (u32, u32))> + 'a {
    let (mut left, mut right) = (a.edges(pair.0), b.edges(pair.1));
    std::iter::from_fn(move || {
        let letter = match (left.first(), right.first()) {
            (Some(one), Some(other)) => one.letter.min(other.letter),
            (Some(edge), None) | (None, Some(edge)) => edge.letter,
            (None, None) => return None,
        };
        Some((letter, (take(&mut left, letter), take(&mut right, letter))))
    })
}

/// The target of a letter, if it is next.
fn take(edges: &mut &[Edge], letter: u32) -> u32 {
    match edges.split_first() {
        Some((edge, rest)) if edge.letter == letter => {
            *edges = rest;
            edge.target
        }
        _ => OUT,
    }
}

fn included(a: &Automaton, b: &Automaton, budget: &mut Meter) -> Result<bool, Limit> {
    let found = any_pair(a, b, budget, |pair| pair.1 == OUT || (a.accepts(pair.0) && !b.accepts(pair.1)))?;
    Ok(!found)
}

fn meet(a: &Automaton, b: &Automaton, budget: &mut Meter) -> Result<bool, Limit> {
    any_pair(a, b, budget, |pair| a.accepts(pair.0) && b.accepts(pair.1))
}

/// Whether a pair of states like that can be reached while the first automaton runs; runs that only the second
/// follows, and runs beyond where only the first can go, are not followed.
fn any_pair(
    a: &Automaton,
    b: &Automaton,
    budget: &mut Meter,
    wanted: impl Fn((u32, u32)) -> bool,
) -> Result<bool, Limit> {
    let start = (start_of(a), start_of(b));
    let mut seen: Map<(u32, u32), ()> = Map::default();
    let mut stack = vec![start];
    seen.insert(start, ());
    while let Some(pair) = stack.pop() {
        if wanted(pair) {
            return Ok(true);
        }
        if pair.1 == OUT {
            continue;
        }
        budget.spend(1 + a.edges(pair.0).len())?;
        for (_, target) in joint_edges(a, b, pair).filter(|target| target.1.0 != OUT) {
            if seen.insert(target, ()).is_none() {
                stack.push(target);
            }
        }
    }
    Ok(false)
}
