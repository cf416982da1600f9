//! A formula as an automaton, by the plainest tableau.
//!
//! Gerth, Peled, Vardi and Wolper (PSTV 1995): a state of the automaton is a set of formulas that the rest of the run must
//! keep, and one step takes them apart into what must be true now and what must be kept from the next position on:
//!
//! * `a && b` is both, `a || b` is either;
//! * `X a` is `a` from the next position on;
//! * `a U b` is `b`, or `a` now and `a U b` again from the next position on;
//! * `a V b` is `b` now, and either `a` now or `a V b` again from the next position on.
//!
//! Everything else is brought to these by moving negations inwards until they stand before atoms. The step is made
//! for one position of a run, so the atoms are known and are true or false on the spot: no step has a guard.
//!
//! One thing is missing: `a U b` could be put off forever. A step that puts it off owes it, as a [`Debt`], and a run
//! counts only if each `U` is again and again *not* owed: because its `b` came, or because it is no longer required.
//! There is one debt for each `U`; nothing is made into a single acceptance condition, and no two states are merged because
//! they mean the same. (What a formula assumes of runs can be kept out of its states: `assumptions`.) Nothing is
//! simplified but constants, and what a literal and its negation make: so no model is followed for `[] true`. The
//! automaton is built as far as the model asks for it.

use super::product::{Atoms, Branches, Debt, Debts, Watch};
use crate::Refusal;
use model::claim::AtomSet;
use model::formula::{Connective, Ltl, Modality};
use std::collections::{BTreeSet, HashMap, HashSet};

/// A formula with negations before atoms only; its parts are numbers of formulas.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Node {
    Constant(bool),
    /// The atom with this bit holds, or does not.
    Literal(AtomSet, bool),
    And(u32, u32),
    Or(u32, u32),
    Next(u32),
    Until(u32, u32),
    Release(u32, u32),
}

/// Formulas that must be kept.
pub(super) type Obligations = BTreeSet<u32>;

/// The automaton, as far as it was built.
pub(crate) struct Tableau {
    pub(super) formulas: Formulas,
    pub(super) states: Vec<Obligations>,
    index: HashMap<Obligations, u32>,
    pub(super) initial: u32,
    /// Steps that were made before.
    known: HashMap<(u32, Atoms), Branches>,
}

/// A step that is being made.
#[derive(Clone, Default)]
struct Choice {
    /// Formulas that are still to be taken apart, and those that were.
    now: Vec<u32>,
    done: Obligations,
    next: Obligations,
    owed: Debts,
}

/// More choices than this in one step, and the formula is too large for so plain a method.
const MOST_CHOICES: usize = 1 << 20;

impl Tableau {
    /// Follows the runs that do not keep a formula.
    pub(crate) fn of_negation<A: PartialEq>(formula: &Ltl<A>, atoms: &[A]) -> Self {
        let mut formulas = Formulas::default();
        let negation = formulas.both(formula, atoms).1;
        let (first, known) = (Obligations::from([negation]), HashMap::new());
        let index = HashMap::from([(first.clone(), 0)]);
        Tableau { formulas, index, initial: 0, states: vec![first], known }
    }

    pub(super) fn number(&mut self, state: Obligations) -> u32 {
        let states = &mut self.states;
        *self.index.entry(state).or_insert_with_key(|state| {
            states.push(state.clone());
            states.len() as u32 - 1
        })
    }

    /// All ways to keep obligations from here on: what is to be kept from the next position on, and what is owed.
    fn take_apart(&self, obligations: &Obligations, atoms: Atoms) -> Result<HashSet<(Obligations, Debts)>, Refusal> {
        let mut work = vec![Choice { now: obligations.iter().copied().collect(), ..Choice::default() }];
        let (mut ways, mut choices) = (HashSet::new(), 0);
        while let Some(mut choice) = work.pop() {
            choices += 1;
            if choices > MOST_CHOICES {
                return Err(Refusal::Unfinished(String::from("the formula is too large for the plain tableau")));
            }
            match choice.now.pop() {
                None => drop(ways.insert((choice.next, choice.owed))),
                Some(formula) if !choice.done.insert(formula) => work.push(choice),
                Some(formula) => self.formulas.take_apart(formula, choice, atoms, &mut work)?,
            }
        }
        Ok(ways)
    }
}

impl Watch for Tableau {
    fn initial(&self) -> u32 {
        self.initial
    }

    fn steps(&mut self, at: u32, atoms: Atoms) -> Result<Branches, Refusal> {
        if let Some(known) = self.known.get(&(at, atoms)) {
            return Ok(known.clone());
        }
        let ways = self.take_apart(&self.states[at as usize], atoms)?;
        let steps: Branches = ways.into_iter().map(|(next, owed)| (Some(self.number(next)), owed)).collect();
        self.known.insert((at, atoms), steps.clone());
        Ok(steps)
    }

    fn ends(&self, _: u32, _: Atoms) -> Result<bool, Refusal> {
        Ok(false)
    }
}

/// Formulas, each once.
#[derive(Clone, Default)]
pub(super) struct Formulas {
    pub(super) nodes: Vec<Node>,
    index: HashMap<Node, u32>,
}

impl Formulas {
    /// Takes one formula apart, and puts what becomes of the choice among what is left to do.
    fn take_apart(&self, formula: u32, choice: Choice, atoms: Atoms, work: &mut Vec<Choice>) -> Result<(), Refusal> {
        let with = |now: &[u32], next: &[u32], owed: Option<Debt>| {
            let mut choice = choice.clone();
            choice.now.extend(now);
            choice.next.extend(next);
            choice.owed.extend(owed);
            choice
        };
        match self.nodes[formula as usize] {
            Node::Constant(true) => work.push(choice),
            Node::Constant(false) => {}
            Node::Literal(atom, holds) => {
                if (atoms.ask(atom)? != 0) == holds {
                    work.push(choice);
                }
            }
            Node::And(a, b) => work.push(with(&[a, b], &[], None)),
            Node::Or(a, b) => work.extend([with(&[a], &[], None), with(&[b], &[], None)]),
            Node::Next(a) => work.push(with(&[], &[a], None)),
            Node::Until(a, b) => {
                work.extend([with(&[b], &[], None), with(&[a], &[formula], Some(Debt::Promise(formula)))]);
            }
            Node::Release(a, b) => work.extend([with(&[b, a], &[], None), with(&[b], &[formula], None)]),
        }
        Ok(())
    }

    /// The constant that a formula of known parts always is, or the part that it is.
    fn simple(&self, node: Node) -> Option<Result<bool, u32>> {
        let constant = |part: u32| match self.nodes[part as usize] {
            Node::Constant(value) => Some(value),
            _ => None,
        };
        let opposite = |a: u32, b: u32| match (self.nodes[a as usize], self.nodes[b as usize]) {
            (Node::Literal(one, here), Node::Literal(other, there)) => one == other && here != there,
            _ => false,
        };
        match node {
            Node::And(a, b) if opposite(a, b) => Some(Ok(false)),
            Node::Or(a, b) if opposite(a, b) => Some(Ok(true)),
            Node::And(a, b) | Node::Or(a, b) => {
                let absorbs = matches!(node, Node::Or(..));
                match (constant(a), constant(b)) {
                    (Some(value), _) if value == absorbs => Some(Ok(absorbs)),
                    (_, Some(value)) if value == absorbs => Some(Ok(absorbs)),
                    (Some(_), _) => Some(Err(b)),
                    (_, Some(_)) => Some(Err(a)),
                    (None, None) => None,
                }
            }
            Node::Next(a) | Node::Until(_, a) | Node::Release(_, a) => constant(a).map(Ok),
            Node::Constant(_) | Node::Literal(..) => None,
        }
    }

    fn node(&mut self, node: Node) -> u32 {
        let node = match self.simple(node) {
            Some(Ok(value)) => Node::Constant(value),
            Some(Err(part)) => return part,
            None => node,
        };
        let known = self.nodes.len() as u32;
        let number = *self.index.entry(node).or_insert(known);
        if number == known {
            self.nodes.push(node);
        }
        number
    }

    /// A formula, and its negation.
    fn both<A: PartialEq>(&mut self, formula: &Ltl<A>, atoms: &[A]) -> (u32, u32) {
        match formula {
            Ltl::Constant(value) => (self.node(Node::Constant(*value)), self.node(Node::Constant(!value))),
            Ltl::Atom(atom, _) => {
                let bit = atoms.iter().position(|known| known == &**atom).map_or(0, |index| 1 << index);
                (self.node(Node::Literal(bit, true)), self.node(Node::Literal(bit, false)))
            }
            Ltl::Unary(op, inner) => {
                let inner = self.both(inner, atoms);
                self.unary(*op, inner)
            }
            Ltl::Binary(op, a, b) => {
                let (a, b) = (self.both(a, atoms), self.both(b, atoms));
                self.binary(*op, a, b)
            }
        }
    }

    fn unary(&mut self, op: Modality, (a, not_a): (u32, u32)) -> (u32, u32) {
        let (yes, no) = (self.node(Node::Constant(true)), self.node(Node::Constant(false)));
        match op {
            Modality::Not => (not_a, a),
            Modality::Next => (self.node(Node::Next(a)), self.node(Node::Next(not_a))),
            Modality::Always => (self.node(Node::Release(no, a)), self.node(Node::Until(yes, not_a))),
            Modality::Eventually => (self.node(Node::Until(yes, a)), self.node(Node::Release(no, not_a))),
        }
    }

    fn binary(&mut self, op: Connective, (a, not_a): (u32, u32), (b, not_b): (u32, u32)) -> (u32, u32) {
        match op {
            Connective::And => (self.node(Node::And(a, b)), self.node(Node::Or(not_a, not_b))),
            Connective::Or => (self.node(Node::Or(a, b)), self.node(Node::And(not_a, not_b))),
            Connective::Implies => (self.node(Node::Or(not_a, b)), self.node(Node::And(a, not_b))),
            Connective::Iff => {
                let (both, neither) = (self.node(Node::And(a, b)), self.node(Node::And(not_a, not_b)));
                let (first, second) = (self.node(Node::And(a, not_b)), self.node(Node::And(not_a, b)));
                (self.node(Node::Or(both, neither)), self.node(Node::Or(first, second)))
            }
            Connective::Until => (self.node(Node::Until(a, b)), self.node(Node::Release(not_a, not_b))),
            Connective::Release => (self.node(Node::Release(a, b)), self.node(Node::Until(not_a, not_b))),
            // `a W b` is `b V (a || b)`.
            Connective::WeakUntil => {
                let (either, neither) = (self.node(Node::Or(a, b)), self.node(Node::And(not_a, not_b)));
                (self.node(Node::Release(b, either)), self.node(Node::Until(not_b, neither)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::components::Edge;
    use super::super::settled::{Account, is_settled_somewhere};
    use super::*;
    use model::expr::Expr;
    use model::formula::Atom;

    /// SplitMix64.
    use testing::Random;

    fn formula(random: &mut Random, depth: u32) -> Ltl {
        use Connective::{And, Iff, Implies, Or, Release, Until, WeakUntil};
        use Modality::{Always, Eventually, Next, Not};
        if depth == 0 || random.below(6) == 0 {
            return if random.below(6) == 0 { Ltl::Constant(random.below(2) == 0) } else { atom(random.below(3)) };
        }
        if random.below(2) == 0 {
            let op = [Not, Next, Always, Eventually][random.below(4) as usize];
            return Ltl::Unary(op, Box::new(formula(random, depth - 1)));
        }
        let op = [And, Or, Implies, Iff, Until, Release, WeakUntil][random.below(7) as usize];
        Ltl::Binary(op, Box::new(formula(random, depth - 1)), Box::new(formula(random, depth - 1)))
    }

    fn atom(number: i32) -> Ltl {
        Ltl::Atom(Box::new(Atom::State(Expr::Const(number))), format!("p{number}"))
    }

    /// Whether the tableau of the negation follows a word whose last letter is followed by that at `loop_from`.
    fn follows(formula: &Ltl, word: &[AtomSet], loop_from: usize) -> bool {
        let atoms: Vec<Atom> = (0..3).map(|number| Atom::State(Expr::Const(number))).collect();
        let (mut tableau, assumptions) = super::super::assumptions::apart(Tableau::of_negation(formula, &atoms));
        let mut pairs = vec![(0, tableau.initial())];
        let (mut next, mut accounts): (Vec<Vec<Edge>>, Vec<Account<Debt>>) = Default::default();
        while let Some(&(at, state)) = pairs.get(next.len()) {
            let after = if at + 1 < word.len() { at + 1 } else { loop_from };
            let atoms = Atoms { holds: word[at], undefined: 0 };
            let (requested, granted) = assumptions.at(atoms).expect("all conditions have values");
            let mut edges = Vec::new();
            for (to, owed) in tableau.steps(state, atoms).expect("a small formula") {
                let pair = (after, to.expect("a tableau has no end"));
                let to = pairs.iter().position(|known| *known == pair).unwrap_or(pairs.len());
                if to == pairs.len() {
                    pairs.push(pair);
                }
                edges.push((to as u32, accounts.len() as u32));
                accounts.push(Account { owed, requested: requested.clone(), granted: granted.clone() });
            }
            next.push(edges);
        }
        is_settled_somewhere(next, &|_, (_, account)| &accounts[account as usize])
    }

    #[test]
    fn what_always_holds_is_not_followed_at_all() {
        let not = |inner: Ltl| Ltl::Unary(Modality::Not, Box::new(inner));
        let either = Ltl::Binary(Connective::Or, Box::new(atom(0)), Box::new(not(atom(0))));
        for inner in [Ltl::Constant(true), either] {
            let formula = Ltl::Unary(Modality::Always, Box::new(inner));
            let mut tableau = Tableau::of_negation(&formula, &[Atom::State(Expr::Const(0))]);
            let steps = tableau.steps(0, Atoms { holds: 0, undefined: 0 });
            assert_eq!(steps.map(|steps| steps.len()).ok(), Some(0), "{formula}");
        }
    }

    #[test]
    fn the_tableau_follows_the_words_that_do_not_keep_the_formula() {
        for seed in 0..3000 {
            let mut random = Random::new(seed);
            let formula = formula(&mut random, 4);
            let word: Vec<AtomSet> = (0..1 + random.below(5)).map(|_| AtomSet::from(random.below(8u64))).collect();
            let loop_from = random.below(word.len() as u64) as usize;
            let holds = |which: &Atom, at: usize| {
                (0..3).any(|number| *which == Atom::State(Expr::Const(number)) && word[at] >> number & 1 == 1)
            };
            let keeps = formula.holds_on(word.len(), loop_from, &holds);
            assert_eq!(follows(&formula, &word, loop_from), !keeps, "seed {seed}: {formula} on {word:?} {loop_from}");
        }
    }
}
