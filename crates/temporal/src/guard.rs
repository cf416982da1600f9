//! Guards: Boolean functions of the atoms, as reduced ordered decision diagrams.
//!
//! Every question about guards that the translation asks (is one contained in another, is one empty, what remains of
//! one outside another) has to be answered exactly, or simulation misses states that are equal. Decision diagrams
//! (Bryant 1986, *Graph-based algorithms for Boolean function manipulation*) make a guard a number: equal functions
//! are equal numbers. Atoms are ordered by number. What leaves this file for the world is an irredundant sum of cubes
//! (Minato 1992, *Fast generation of irredundant sum-of-products forms from binary decision diagrams*).
//!
//! Diagrams can be exponential, so every operation spends *steps* of a budget. Once it is spent, or the time is up, operations
//! return quickly, and what they return means nothing: whoever works with guards asks [`Diagrams::exhausted`] before the
//! result of a pass is believed.

use crate::automaton::Cube;
use model::budget::Budget;
use rustc_hash::FxHashMap as Map;

/// Steps for a new node, so that the budget of steps bounds the memory too.
const NODE_COST: u64 = 20;
/// How often the budget is looked at: once in this many steps.
const PATIENCE: u64 = 1 << 16;

/// A Boolean function of atoms.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct Guard(u32);

impl Guard {
    pub(crate) const FALSE: Guard = Guard(0);
    pub(crate) const TRUE: Guard = Guard(1);

    pub(crate) fn is_constant(self) -> bool {
        self.0 <= 1
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Node {
    atom: u32,
    low: Guard,
    high: Guard,
}

/// Sums of cubes between two guards.
type Sums = Map<(Guard, Guard), (Vec<Cube>, Guard)>;

/// All guards of one translation, and its budget.
pub(crate) struct Diagrams {
    nodes: Vec<Node>,
    unique: Map<Node, Guard>,
    products: Map<(Guard, Guard), Guard>,
    complements: Map<Guard, Guard>,
    steps: u64,
    spent: u64,
    exhausted: bool,
    budget: Budget,
    next_look: u64,
    overdue: bool,
}

impl Diagrams {
    pub(crate) fn new(steps: u64, budget: &Budget) -> Diagrams {
        let constant = |value| Node { atom: u32::MAX, low: value, high: value };
        Diagrams {
            nodes: vec![constant(Guard::FALSE), constant(Guard::TRUE)],
            unique: Map::default(),
            products: Map::default(),
            complements: Map::default(),
            steps,
            spent: 0,
            exhausted: false,
            budget: budget.clone(),
            next_look: 0,
            overdue: false,
        }
    }

    /// A new budget, for the next phase. There is no new time.
    pub(crate) fn grant(&mut self, steps: u64) {
        self.steps = steps;
        self.exhausted = self.overdue;
    }

    pub(crate) fn spend(&mut self, steps: u64) {
        self.spent += steps;
        self.exhausted |= self.steps < steps;
        self.steps = self.steps.saturating_sub(steps);
        if self.spent >= self.next_look {
            self.next_look = self.spent + PATIENCE;
            self.overdue = self.budget.check().is_err();
            self.exhausted |= self.overdue;
        }
    }

    /// All steps so far, whatever was granted.
    pub(crate) fn spent(&self) -> u64 {
        self.spent
    }

    pub(crate) fn exhausted(&self) -> bool {
        self.exhausted
    }

    /// The time is up, for all that comes.
    pub(crate) fn overdue(&self) -> bool {
        self.overdue
    }

    pub(crate) fn atom(&mut self, atom: u32) -> Guard {
        self.node(atom, Guard::FALSE, Guard::TRUE)
    }

    pub(crate) fn and(&mut self, left: Guard, right: Guard) -> Guard {
        if left == right || right == Guard::TRUE {
            return left;
        }
        if left == Guard::TRUE {
            return right;
        }
        if left == Guard::FALSE || right == Guard::FALSE {
            return Guard::FALSE;
        }
        let key = (left.min(right), left.max(right));
        self.spend(1);
        if let Some(&known) = self.products.get(&key) {
            return known;
        }
        if self.exhausted {
            return Guard::FALSE;
        }
        let atom = self.top(left).min(self.top(right));
        let low = self.and(self.branch(left, atom, false), self.branch(right, atom, false));
        let high = self.and(self.branch(left, atom, true), self.branch(right, atom, true));
        let result = self.node(atom, low, high);
        if !self.exhausted {
            self.products.insert(key, result);
        }
        result
    }

    pub(crate) fn not(&mut self, guard: Guard) -> Guard {
        match guard {
            Guard::FALSE => return Guard::TRUE,
            Guard::TRUE => return Guard::FALSE,
            _ => {}
        }
        self.spend(1);
        if let Some(&known) = self.complements.get(&guard) {
            return known;
        }
        if self.exhausted {
            return Guard::FALSE;
        }
        let Node { atom, low, high } = self.nodes[guard.0 as usize];
        let (low, high) = (self.not(low), self.not(high));
        let result = self.node(atom, low, high);
        if !self.exhausted {
            self.complements.insert(guard, result);
            self.complements.insert(result, guard);
        }
        result
    }

    pub(crate) fn or(&mut self, left: Guard, right: Guard) -> Guard {
        let (left, right) = (self.not(left), self.not(right));
        let neither = self.and(left, right);
        self.not(neither)
    }

    /// What remains of `left` outside `right`.
    pub(crate) fn minus(&mut self, left: Guard, right: Guard) -> Guard {
        if left == right || left == Guard::FALSE {
            return Guard::FALSE;
        }
        let outside = self.not(right);
        self.and(left, outside)
    }

    pub(crate) fn implies(&mut self, left: Guard, right: Guard) -> bool {
        self.minus(left, right) == Guard::FALSE
    }

    /// An irredundant sum of cubes.
    pub(crate) fn cubes(&mut self, guard: Guard) -> Vec<Cube> {
        self.cubes_between(guard, guard)
    }

    /// An irredundant sum of cubes that contains one guard and is contained in another.
    pub(crate) fn cubes_between(&mut self, least: Guard, most: Guard) -> Vec<Cube> {
        let mut cubes = self.between(least, most, &mut Map::default()).0;
        for cube in &mut cubes {
            cube.positive.sort_unstable();
            cube.negative.sort_unstable();
        }
        cubes.sort();
        cubes
    }

    /// Cubes whose sum contains `least` and is contained in `most` (Minato's recursion), and that sum. Diagrams share what
    /// is equal, and so does the recursion: without `known`, it goes along every path of the diagram.
    fn between(&mut self, least: Guard, most: Guard, known: &mut Sums) -> (Vec<Cube>, Guard) {
        self.spend(1);
        if least == Guard::FALSE || self.exhausted {
            return (Vec::new(), Guard::FALSE);
        }
        if most == Guard::TRUE {
            return (vec![Cube::default()], Guard::TRUE);
        }
        if let Some(sum) = known.get(&(least, most)) {
            self.spend(sum.0.len() as u64);
            return sum.clone();
        }
        let atom = self.top(least).min(self.top(most));
        let (least_low, least_high) = (self.branch(least, atom, false), self.branch(least, atom, true));
        let (most_low, most_high) = (self.branch(most, atom, false), self.branch(most, atom, true));
        let only_low = self.minus(least_low, most_high);
        let (mut cubes, low) = self.between(only_low, most_low, known);
        cubes.iter_mut().for_each(|cube| cube.negative.push(atom));
        let only_high = self.minus(least_high, most_low);
        let (mut more, high) = self.between(only_high, most_high, known);
        more.iter_mut().for_each(|cube| cube.positive.push(atom));
        cubes.append(&mut more);
        let (left_low, left_high) = (self.minus(least_low, low), self.minus(least_high, high));
        let (left, both) = (self.or(left_low, left_high), self.and(most_low, most_high));
        let (mut free, rest) = self.between(left, both, known);
        cubes.append(&mut free);
        let (low, high) = (self.or(low, rest), self.or(high, rest));
        let sum = (cubes, self.node(atom, low, high));
        self.spend(NODE_COST + sum.0.len() as u64);
        known.insert((least, most), sum.clone());
        sum
    }

    fn top(&self, guard: Guard) -> u32 {
        self.nodes[guard.0 as usize].atom
    }

    fn branch(&self, guard: Guard, atom: u32, value: bool) -> Guard {
        let node = self.nodes[guard.0 as usize];
        match (node.atom == atom, value) {
            (false, _) => guard,
            (true, false) => node.low,
            (true, true) => node.high,
        }
    }

    fn node(&mut self, atom: u32, low: Guard, high: Guard) -> Guard {
        if low == high {
            return low;
        }
        let node = Node { atom, low, high };
        if let Some(&known) = self.unique.get(&node) {
            return known;
        }
        self.spend(NODE_COST);
        let next = Guard(self.nodes.len() as u32);
        self.nodes.push(node);
        self.unique.insert(node, next);
        next
    }
}

#[cfg(test)]
impl Diagrams {
    /// Whether a letter satisfies a guard.
    pub(crate) fn admits(&self, guard: Guard, letter: &ltl::Valuation) -> bool {
        let mut at = guard;
        while !at.is_constant() {
            at = self.branch(at, self.top(at), letter.contains(&self.top(at)));
        }
        at == Guard::TRUE
    }
}
