//! A small CDCL solver: conflict-driven clause learning with assumptions, incremental.
//!
//! The design is MiniSat's (Eén and Sörensson, *An extensible SAT-solver*, 2003): two watched literals with blockers,
//! decisions by activity with saved phases, first-UIP clauses minimised by recursion (`analyze.rs`), Luby restarts,
//! deletion of learnt clauses by the number of their levels (`reduce.rs`, after Glucose). Assumptions are the first
//! decisions; when one is false, the implication graph gives the failed subset.
//!
//! One thing is our own, because tens of thousands of small questions share one growing set of clauses: a question has a
//! **scope**. Only variables in the scope are decided, and above level zero a clause whose blocker is out of scope is
//! passed over. This is right when every clause out of scope belongs to the definition of a gate whose output is out of
//! scope: whatever the inputs are, such a definition can be satisfied. Unsatisfiable answers do not depend on it:
//! everything derived follows from the clauses. The bit-blaster's scopes are closed under inputs of gates, and the
//! models that come out are evaluated against the question.

mod analyze;
mod arena;
mod heap;
mod literal;
mod proof;
mod reduce;
mod search;

pub use literal::{Lit, Var};
pub use proof::{ProofStep, check_proof};

use arena::{Arena, ClauseRef};
use heap::Order;
use model::reason::Reason;
use proof::Log;

/// What a call of [`Sat::solve`] found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// Satisfiable: [`Sat::model`] has the values.
    Sat,
    /// Unsatisfiable: [`Sat::core`] has the assumptions that fail together.
    Unsat,
    /// Not finished.
    Unknown(Reason),
}

/// What the solver did so far.
#[derive(Clone, Copy, Default, Debug)]
pub struct Statistics {
    /// Calls of `solve`.
    pub solves: u64,
    /// Conflicts.
    pub conflicts: u64,
    /// Decisions, assumptions not counted.
    pub decisions: u64,
    /// Literals propagated.
    pub propagations: u64,
    /// Restarts.
    pub restarts: u64,
    /// Learnt clauses that were deleted.
    pub deleted: u64,
}

#[derive(Clone, Copy)]
struct Watch {
    clause: ClauseRef,
    blocker: Lit,
}

const UNKNOWN: i8 = 0;

/// In a longer clause the search for a literal to watch goes on where it ended last time: from the beginning it takes
/// quadratic time where the literals become false one after the other (Gent, *Optimal implementation of watched
/// literals and more general techniques*, 2013).
const LONG: usize = 32;

/// The solver.
pub struct Sat {
    arena: Arena,
    learnt: Vec<ClauseRef>,
    /// By literal: the clauses that watch it.
    watches: Vec<Vec<Watch>>,
    /// By literal: 1 true, -1 false, 0 unknown.
    values: Vec<i8>,
    level: Vec<u32>,
    reason: Vec<ClauseRef>,
    phase: Vec<bool>,
    seen: Vec<bool>,
    /// The number of the last question that had the variable in its scope.
    scope: Vec<u32>,
    question: u32,
    everywhere: bool,
    order: Order,
    trail: Vec<Lit>,
    levels: Vec<usize>,
    head: usize,
    /// No clause is violated by facts alone.
    consistent: bool,
    model: Vec<i8>,
    /// The variables that the model has values for.
    modelled: Vec<Var>,
    core: Vec<Lit>,
    scratch: Vec<Lit>,
    learnt_limit: usize,
    level_stamp: Vec<u64>,
    stamp: u64,
    proof: Option<Log>,
    statistics: Statistics,
}

impl Default for Sat {
    fn default() -> Self {
        Self::new()
    }
}

impl Sat {
    /// No variables, no clauses.
    pub fn new() -> Sat {
        Sat {
            arena: Arena::default(),
            learnt: Vec::new(),
            watches: Vec::new(),
            values: Vec::new(),
            level: Vec::new(),
            reason: Vec::new(),
            phase: Vec::new(),
            seen: Vec::new(),
            scope: Vec::new(),
            question: 0,
            everywhere: true,
            order: Order::new(),
            trail: Vec::new(),
            levels: Vec::new(),
            head: 0,
            consistent: true,
            model: Vec::new(),
            modelled: Vec::new(),
            core: Vec::new(),
            scratch: Vec::new(),
            learnt_limit: 4000,
            level_stamp: vec![0],
            stamp: 0,
            proof: None,
            statistics: Statistics::default(),
        }
    }

    /// Keeps a log from now on. Call it before the first clause.
    pub fn log_proof(&mut self) {
        self.proof.get_or_insert_default();
    }

    /// The log, if it is kept.
    pub fn proof(&self) -> &[ProofStep] {
        self.proof.as_ref().map_or(&[], |log| &log.steps)
    }

    /// What was done so far.
    pub fn statistics(&self) -> Statistics {
        self.statistics
    }

    /// How many variables there are.
    pub fn variables(&self) -> usize {
        self.level.len()
    }

    /// The size of the tables in bytes, about.
    pub fn memory(&self) -> usize {
        // A clause of three literals has seven words in the arena and two watches.
        let log = self.proof.as_ref().map_or(0, |log| log.words * 4 + log.steps.len() * 56);
        self.arena.len() * 4 + self.arena.len() * 3 + self.variables() * 120 + log
    }

    /// A fresh variable.
    pub fn new_variable(&mut self) -> Var {
        let var = Var(self.level.len() as u32);
        self.watches.push(Vec::new());
        self.watches.push(Vec::new());
        self.values.extend([UNKNOWN, UNKNOWN]);
        self.level.push(0);
        self.reason.push(ClauseRef::NONE);
        self.phase.push(false);
        self.seen.push(false);
        self.scope.push(0);
        self.model.push(UNKNOWN);
        self.level_stamp.push(0);
        self.order.new_variable();
        var
    }

    /// Adds a clause, for all later questions.
    pub fn add_clause(&mut self, literals: &[Lit]) {
        debug_assert!(self.levels.is_empty(), "clauses are added between questions");
        let number = self.log_input(literals);
        if !self.consistent {
            return;
        }
        let mut clause = std::mem::take(&mut self.scratch);
        clause.clear();
        let mut holds = false;
        for &literal in literals {
            let is_short = clause.len() <= LONG;
            holds |= self.value(literal) > 0 || is_short && clause.contains(&!literal);
            if self.value(literal) == UNKNOWN && !(is_short && clause.contains(&literal)) {
                clause.push(literal);
            }
        }
        if clause.len() > LONG {
            // In their order, a literal and its opposite are neighbours.
            clause.sort_unstable();
            clause.dedup();
            holds |= clause.windows(2).any(|pair| pair[0] == !pair[1]);
        }
        match clause.as_slice() {
            _ if holds => {}
            [] => self.refuted_by_input(literals, number),
            &[fact] => {
                let number = self.log_shortened(&[fact], literals, number);
                self.assign(fact, ClauseRef::NONE);
                self.log_fact(fact, number);
                if let Some(conflict) = self.propagate() {
                    self.refuted_by(conflict);
                }
            }
            clause => {
                let number = self.log_shortened(clause, literals, number);
                self.attach(clause, false, 0, number);
            }
        }
        self.scratch = clause;
    }

    /// The value of a variable in the last model; false if the question did not depend on it.
    pub fn model(&self, var: Var) -> bool {
        self.model[var.index()] > 0
    }

    /// The assumptions of the last question that fail together.
    pub fn core(&self) -> &[Lit] {
        &self.core
    }

    fn attach(&mut self, literals: &[Lit], learnt: bool, levels: u32, number: u32) -> ClauseRef {
        let clause = self.arena.add(literals, learnt, levels, number);
        self.watches[literals[0].index()].push(Watch { clause, blocker: literals[1] });
        self.watches[literals[1].index()].push(Watch { clause, blocker: literals[0] });
        if learnt {
            self.learnt.push(clause);
        }
        clause
    }

    fn value(&self, literal: Lit) -> i8 {
        self.values[literal.index()]
    }

    fn current_level(&self) -> u32 {
        self.levels.len() as u32
    }

    fn in_scope(&self, var: Var) -> bool {
        self.everywhere || self.scope[var.index()] == self.question
    }

    /// Makes a literal true, for a reason.
    fn assign(&mut self, literal: Lit, reason: ClauseRef) {
        let var = literal.var().index();
        self.values[literal.index()] = 1;
        self.values[(!literal).index()] = -1;
        self.level[var] = self.current_level();
        self.reason[var] = reason;
        if self.proof.is_some() {
            self.log_assigned(literal, reason);
        }
        self.trail.push(literal);
    }

    /// Unit propagation. The clause that is violated, if one is.
    fn propagate(&mut self) -> Option<ClauseRef> {
        while let Some(&literal) = self.trail.get(self.head) {
            self.head += 1;
            self.statistics.propagations += 1;
            let falsified = !literal;
            let mut list = std::mem::take(&mut self.watches[falsified.index()]);
            let conflict = self.visit_watches(falsified, &mut list);
            self.watches[falsified.index()] = list;
            if conflict.is_some() {
                self.head = self.trail.len();
                return conflict;
            }
        }
        None
    }

    fn visit_watches(&mut self, falsified: Lit, list: &mut Vec<Watch>) -> Option<ClauseRef> {
        let all = self.everywhere || self.levels.is_empty();
        let mut kept = 0;
        let mut at = 0;
        let mut conflict = None;
        while let Some(&watch) = list.get(at) {
            at += 1;
            list[kept] = watch;
            kept += 1;
            if self.value(watch.blocker) > 0 || !all && self.scope[watch.blocker.var().index()] != self.question {
                continue;
            }
            let values = &self.values;
            let (last, literals) = self.arena.watched_mut(watch.clause);
            if literals[0] == falsified {
                literals.swap(0, 1);
            }
            let first = literals[0];
            list[kept - 1].blocker = first;
            if values[first.index()] > 0 {
                continue;
            }
            let is_free = |&place: &usize| values[literals[place].index()] >= 0;
            let from = if literals.len() > LONG { *last as usize } else { 2 };
            if let Some(other) = (from..literals.len()).chain(2..from).find(is_free) {
                *last = other as u32;
                literals.swap(1, other);
                let watched = literals[1];
                self.watches[watched.index()].push(Watch { clause: watch.clause, blocker: first });
                kept -= 1;
            } else if self.value(first) < 0 {
                conflict = Some(watch.clause);
                break;
            } else {
                self.assign(first, watch.clause);
            }
        }
        list.copy_within(at.., kept);
        list.truncate(kept + list.len() - at);
        conflict
    }
}
