//! Very weak alternating automata: what a term asks of this letter, and what it leaves for the next position.
//!
//! Gastin & Oddoux (CAV 2001, *Fast LTL to Büchi automata translation*, section 3). A state is a term that is no
//! conjunction; a *move* reads a letter of its guard and goes to all states of a set at once. A state can only go back
//! to itself or on to smaller terms, hence very weak; a run must not stay in an `U` forever.
//!
//! As in Babiak et al. (TACAS 2012, section 4) moves are kept deterministic where that is free: the letters of a move
//! to fewer states are taken away from a move to more. For a conjunction of states that is not enough: in `F a` and
//! `X F a`, waiting leads to fewer states than satisfying `F a` now, but only the latter makes progress. So there a
//! move also knows which untils it *delays*, and gives way only to one that delays no others.

use crate::guard::Guard;
use crate::term::{Term, TermId, Terms};
use rustc_hash::FxHashMap as Map;
use std::rc::Rc;

/// States of the alternating automaton that have to be satisfied together; sorted.
pub(crate) type Conjunction = Vec<TermId>;

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Move {
    pub(crate) guard: Guard,
    pub(crate) next: Conjunction,
    /// The untils of a conjunction that stay; for the moves of a single term, nothing.
    delayed: Conjunction,
}

impl Move {
    fn new(guard: Guard, next: Conjunction) -> Move {
        Move { guard, next, delayed: Vec::new() }
    }
}

/// The moves of all terms that were requested.
pub(crate) struct Alternating {
    /// Whether a disjunction in the next position is guessed now (as Gastin & Oddoux do) or stays a state.
    guess: bool,
    known: Map<TermId, Rc<Vec<Move>>>,
}

impl Alternating {
    pub(crate) fn new(guess: bool) -> Alternating {
        Alternating { guess, known: Map::default() }
    }

    /// The moves of a term.
    pub(crate) fn moves(&mut self, terms: &mut Terms, id: TermId) -> Rc<Vec<Move>> {
        if let Some(known) = self.known.get(&id) {
            return known.clone();
        }
        let moves = match terms.get(id).clone() {
            Term::Boolean(Guard::FALSE) => Vec::new(),
            Term::Boolean(guard) => vec![Move::new(guard, Vec::new())],
            Term::And(parts) => {
                let moves: Vec<_> = parts.iter().map(|&part| self.moves(terms, part)).collect();
                moves.iter().fold(idle(), |joint, moves| join(terms, &joint, moves))
            }
            Term::Or(parts) => {
                let moves = parts.iter().flat_map(|&part| (*self.moves(terms, part)).clone()).collect();
                undominated(terms, moves)
            }
            Term::Next(a) => self.goals(terms, a).into_iter().map(|next| Move::new(Guard::TRUE, next)).collect(),
            Term::Until(a, b) => {
                let (left, right) = (self.moves(terms, a), self.moves(terms, b));
                let mut moves = join(terms, &left, &stay(id));
                moves.extend(right.iter().cloned());
                undominated(terms, moves)
            }
            Term::Release(a, b) => {
                let (left, right) = (self.moves(terms, a), self.moves(terms, b));
                let mut ways = stay(id);
                ways.extend(left.iter().cloned());
                let ways = undominated(terms, ways);
                join(terms, &right, &ways)
            }
        };
        let moves = Rc::new(moves);
        self.known.insert(id, moves.clone());
        moves
    }

    /// The moves of a conjunction of states.
    pub(crate) fn joint_moves(&mut self, terms: &mut Terms, states: &[TermId]) -> Vec<Move> {
        let mut result = idle();
        for &state in states {
            let until = matches!(terms.get(state), Term::Until(..));
            let mut moves = (*self.moves(terms, state)).clone();
            for step in moves.iter_mut().filter(|step| until && step.next.contains(&state)) {
                step.delayed.push(state);
            }
            result = join(terms, &result, &moves);
        }
        result
    }

    /// The sets of states whose disjunction is the term.
    pub(crate) fn goals(&self, terms: &mut Terms, id: TermId) -> Vec<Conjunction> {
        match terms.get(id).clone() {
            Term::Boolean(Guard::TRUE) => vec![Vec::new()],
            Term::Boolean(Guard::FALSE) => Vec::new(),
            Term::Or(parts) if self.guess => parts.iter().flat_map(|&part| self.goals(terms, part)).collect(),
            Term::And(parts) => parts.iter().fold(vec![Vec::new()], |sets, &part| {
                let more = self.goals(terms, part);
                terms.guards.spend((sets.len() * more.len()) as u64);
                if terms.guards.exhausted() {
                    return Vec::new();
                }
                sets.iter().flat_map(|set| more.iter().map(|other| union(set, other))).collect()
            }),
            _ => vec![vec![id]],
        }
    }
}

/// The move of the empty conjunction.
fn idle() -> Vec<Move> {
    vec![Move::new(Guard::TRUE, Vec::new())]
}

fn stay(id: TermId) -> Vec<Move> {
    vec![Move::new(Guard::TRUE, vec![id])]
}

/// All pairs of moves, done together.
fn join(terms: &mut Terms, left: &[Move], right: &[Move]) -> Vec<Move> {
    let mut moves = Vec::new();
    for a in left {
        for b in right {
            terms.guards.spend(2);
            let guard = terms.guards.and(a.guard, b.guard);
            if terms.guards.exhausted() {
                return Vec::new();
            }
            if guard != Guard::FALSE {
                let (next, delayed) = (union(&a.next, &b.next), union(&a.delayed, &b.delayed));
                moves.push(Move { guard, next, delayed });
            }
        }
    }
    undominated(terms, moves)
}

/// Moves to equal sets become one; letters with which a move to fewer states is possible leave the larger ones.
fn undominated(terms: &mut Terms, mut moves: Vec<Move>) -> Vec<Move> {
    let key = |step: &Move| (step.next.len(), step.delayed.len(), step.next.clone(), step.delayed.clone());
    moves.sort_by_cached_key(key);
    let mut kept: Vec<Move> = Vec::new();
    let mut outlines: Vec<u64> = Vec::new();
    for mut candidate in moves {
        let outline = outline(&candidate.next);
        for (other, _) in kept.iter_mut().zip(&outlines).filter(|&(_, other)| other & !outline == 0) {
            terms.guards.spend(1);
            if other.next == candidate.next && other.delayed == candidate.delayed {
                other.guard = terms.guards.or(other.guard, candidate.guard);
                candidate.guard = Guard::FALSE;
            } else if subset(&other.next, &candidate.next) && subset(&other.delayed, &candidate.delayed) {
                candidate.guard = terms.guards.minus(candidate.guard, other.guard);
            }
            if candidate.guard == Guard::FALSE || terms.guards.exhausted() {
                break;
            }
        }
        if candidate.guard != Guard::FALSE {
            kept.push(candidate);
            outlines.push(outline);
            terms.guards.spend(1 + kept.len() as u64 / 16);
        }
    }
    kept
}

/// A bit for each state, some of them shared: the outline of a subset is a subset of the outline.
fn outline(set: &[TermId]) -> u64 {
    set.iter().fold(0, |bits, id| bits | 1 << (id.number() % 64))
}

pub(crate) fn union(a: &[TermId], b: &[TermId]) -> Conjunction {
    let mut all = [a, b].concat();
    all.sort_unstable();
    all.dedup();
    all
}

/// Whether a sorted list is contained in another.
pub(crate) fn subset(a: &[TermId], b: &[TermId]) -> bool {
    let mut rest = b.iter();
    a.iter().all(|x| rest.by_ref().any(|y| x == y))
}
