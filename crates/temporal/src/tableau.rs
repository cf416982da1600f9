//! From the alternating automaton to a generalised Büchi automaton with marks on edges.
//!
//! Gastin & Oddoux (CAV 2001, section 4). A node is a conjunction of states, an edge a joint move of all. There is a
//! mark for each `f = a U b`: an edge has it if `f` is not among what it leads to, or if the same letter could have
//! satisfied `f` with what it leads to anyway (their definition of T_f). Marks depend on the letter and the target
//! alone, so edges of a node can be compared: one that leads to fewer states with more marks takes the letters of the
//! other. Nodes with the same edges are the same node, found as soon as the edges are known.

use crate::alternating::{Alternating, Conjunction, Move, subset};
use crate::graph::{Edge, Graph, Node};
use crate::guard::Guard;
use crate::term::{Term, TermId, Terms};
use crate::translate::TooLarge;
use rustc_hash::FxHashMap as Map;

/// A step of a node: where to, and which promises it does not keep, as bits.
#[derive(Clone)]
struct Step {
    guard: Guard,
    missing: u64,
    next: Conjunction,
}

struct Tableau<'a> {
    terms: &'a mut Terms,
    automaton: Alternating,
    /// The untils that were met; each has a mark.
    promises: Vec<TermId>,
    numbers: Map<Conjunction, usize>,
    waiting: Vec<Conjunction>,
}

/// The automaton of a term, if it has no more than `limit` nodes and the budget lasts.
pub(crate) fn tableau(terms: &mut Terms, root: TermId, guess: bool, limit: usize) -> Result<Graph, TooLarge> {
    let initial = match terms.get(root) {
        Term::And(parts) => parts.clone(),
        _ => vec![root],
    };
    let automaton = Alternating::new(guess);
    let mut tableau = Tableau { terms, automaton, promises: Vec::new(), numbers: Map::default(), waiting: Vec::new() };
    tableau.number(initial);
    let mut rows: Vec<Vec<Edge>> = Vec::new();
    let mut same: Vec<usize> = Vec::new();
    let mut seen: Map<Vec<(Guard, u64, usize)>, usize> = Map::default();
    while rows.len() < tableau.waiting.len() {
        if tableau.waiting.len() > limit {
            return Err(TooLarge::States);
        }
        let row = tableau.row(rows.len())?;
        let key = row.iter().map(|edge| (edge.guard, edge.marks, edge.to)).collect();
        same.push(*seen.entry(key).or_insert(rows.len()));
        rows.push(row);
    }
    Ok(tableau.finish(rows, &same))
}

impl Tableau<'_> {
    fn number(&mut self, set: Conjunction) -> usize {
        let next = self.numbers.len();
        *self.numbers.entry(set).or_insert_with_key(|set| {
            self.waiting.push(set.clone());
            next
        })
    }

    /// The edges of a node; here, marks are those that are missing.
    fn row(&mut self, node: usize) -> Result<Vec<Edge>, TooLarge> {
        let set = self.waiting[node].clone();
        let moves = self.automaton.joint_moves(self.terms, &set);
        let mut steps = Vec::new();
        for step in moves {
            self.promise(&step.next)?;
            self.split(step, &mut steps);
        }
        let mut edges = Vec::new();
        for Step { guard, missing, next } in self.undominated(steps) {
            edges.push(Edge { guard, marks: missing, to: self.number(next) });
        }
        edges.sort_by_key(|edge| (edge.to, edge.marks));
        if self.terms.guards.exhausted() { Err(TooLarge::Steps) } else { Ok(edges) }
    }

    /// Gives a mark to each until that is new; there are 64.
    fn promise(&mut self, next: &[TermId]) -> Result<(), TooLarge> {
        for &id in next {
            if matches!(self.terms.get(id), Term::Until(..)) && !self.promises.contains(&id) {
                self.promises.push(id);
            }
        }
        if self.promises.len() <= 64 { Ok(()) } else { Err(TooLarge::Promises) }
    }

    /// Splits the letters of a move by the promises that they keep.
    fn split(&mut self, step: Move, steps: &mut Vec<Step>) {
        let mut pieces = vec![(step.guard, 0)];
        for bit in 0..self.promises.len() {
            let promise = self.promises[bit];
            if !step.next.contains(&promise) {
                continue;
            }
            let kept = self.kept(promise, &step.next);
            let mut finer = Vec::new();
            for (guard, missing) in pieces {
                let (yes, no) = (self.terms.guards.and(guard, kept), self.terms.guards.minus(guard, kept));
                finer.extend([(yes, missing), (no, missing | 1 << bit)]);
            }
            finer.retain(|&(guard, _)| guard != Guard::FALSE);
            pieces = finer;
        }
        let next = self.essential(&step.next);
        steps.extend(pieces.into_iter().map(|(guard, missing)| Step { guard, missing, next: next.clone() }));
    }

    /// Without the states that a release among them asks for at every step anyway: `a R (b ∧ c)` and `b` have the same
    /// joint moves as `a R (b ∧ c)` alone, so both sets are the same node. Marks were given before, by the whole set.
    fn essential(&self, set: &[TermId]) -> Conjunction {
        let asked = |by: TermId, state: TermId| match self.terms.get(by) {
            Term::Release(_, b) => {
                *b == state || matches!(self.terms.get(*b), Term::And(parts) if parts.contains(&state))
            }
            _ => false,
        };
        set.iter().copied().filter(|&state| !set.iter().any(|&by| asked(by, state))).collect()
    }

    /// The letters with which `promise` could be satisfied, leaving nothing but what is in `next` anyway.
    fn kept(&mut self, promise: TermId, next: &[TermId]) -> Guard {
        let moves = self.automaton.moves(self.terms, promise);
        let satisfying = moves.iter().filter(|step| !step.next.contains(&promise) && subset(&step.next, next));
        satisfying.fold(Guard::FALSE, |sum, step| self.terms.guards.or(sum, step.guard))
    }

    fn undominated(&mut self, mut steps: Vec<Step>) -> Vec<Step> {
        steps.sort_by_key(|step| (step.next.len(), step.missing.count_ones()));
        let mut kept: Vec<Step> = Vec::new();
        for mut step in steps {
            for other in &mut kept {
                self.terms.guards.spend(1);
                if other.missing == step.missing && other.next == step.next {
                    other.guard = self.terms.guards.or(other.guard, step.guard);
                    step.guard = Guard::FALSE;
                } else if other.missing & !step.missing == 0 && subset(&other.next, &step.next) {
                    step.guard = self.terms.guards.minus(step.guard, other.guard);
                }
            }
            if step.guard != Guard::FALSE {
                kept.push(step);
            }
        }
        kept
    }

    fn finish(self, rows: Vec<Vec<Edge>>, same: &[usize]) -> Graph {
        let full = if self.promises.len() == 64 { u64::MAX } else { (1 << self.promises.len()) - 1 };
        let mut nodes = Vec::new();
        for (set, row) in self.waiting.iter().zip(rows) {
            let label = self.terms.and(set.clone());
            let edges = row.into_iter().map(|edge| Edge { marks: full & !edge.marks, to: same[edge.to], ..edge });
            nodes.push(Node { label, accepting: false, edges: edges.collect() });
        }
        let mut graph = Graph { initial: 0, nodes, full, state_based: false };
        graph.normalise(&mut self.terms.guards);
        graph.trimmed()
    }
}
