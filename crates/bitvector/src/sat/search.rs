//! The search: assumptions, decisions, conflicts, restarts.

use super::analyze::Learnt;
use super::arena::ClauseRef;
use super::{Answer, Lit, Sat, UNKNOWN, Var};
use crate::effort::Effort;
use model::reason::Reason;

/// Conflicts before the first restart.
const RESTART_UNIT: u64 = 64;
/// How often time is looked at.
const CONFLICTS_BETWEEN_LOOKS: u64 = 32;
const DECISIONS_BETWEEN_LOOKS: u64 = 2048;

impl Sat {
    /// Is there an assignment that makes all clauses and all assumptions true? With a scope, only its variables are
    /// decided; see the head of the module for what a scope must be.
    pub fn solve(&mut self, assumptions: &[Lit], scope: Option<&[Var]>, effort: &Effort<'_>) -> Answer {
        self.statistics.solves += 1;
        self.core.clear();
        if !self.consistent {
            return Answer::Unsat;
        }
        if let Some(reason) = effort.exceeded() {
            return Answer::Unknown(reason);
        }
        self.open_question(assumptions, scope);
        let answer = self.search(assumptions, effort);
        if answer == Answer::Sat {
            self.keep_model(scope);
        }
        self.close_question();
        answer
    }

    fn open_question(&mut self, assumptions: &[Lit], scope: Option<&[Var]>) {
        if self.question == u32::MAX {
            self.scope.fill(0);
            self.question = 0;
        }
        self.question += 1;
        self.everywhere = scope.is_none();
        self.order.clear();
        match scope {
            Some(scope) => {
                for var in scope.iter().copied().chain(assumptions.iter().map(|literal| literal.var())) {
                    self.scope[var.index()] = self.question;
                    self.wait(var);
                }
            }
            None => (0..self.variables() as u32).for_each(|number| self.wait(Var(number))),
        }
    }

    /// The variable is to be decided, unless it has a value.
    fn wait(&mut self, var: Var) {
        if self.value(var.literal(true)) == UNKNOWN {
            self.order.insert(var);
        }
    }

    /// Takes everything back that is not a fact. The order is made again for the next question.
    fn close_question(&mut self) {
        let facts = self.levels.first().copied();
        for literal in self.trail.drain(facts.unwrap_or(self.trail.len())..) {
            self.values[literal.index()] = UNKNOWN;
            self.values[(!literal).index()] = UNKNOWN;
            self.phase[literal.var().index()] = literal.is_positive();
        }
        self.head = facts.unwrap_or(self.head);
        self.levels.clear();
        self.everywhere = true;
    }

    fn keep_model(&mut self, scope: Option<&[Var]>) {
        for var in self.modelled.drain(..) {
            self.model[var.index()] = UNKNOWN;
        }
        match scope {
            Some(scope) => self.modelled.extend_from_slice(scope),
            None => self.modelled.extend((0..self.level.len() as u32).map(Var)),
        }
        for var in &self.modelled {
            self.model[var.index()] = self.values[var.literal(true).index()];
        }
    }

    fn search(&mut self, assumptions: &[Lit], effort: &Effort<'_>) -> Answer {
        let start = self.statistics.conflicts;
        let mut restarts = 0;
        let mut until_restart = RESTART_UNIT;
        loop {
            if let Some(conflict) = self.propagate() {
                if self.levels.is_empty() {
                    self.refuted_by(conflict);
                    return Answer::Unsat;
                }
                self.learn_from(conflict);
                if let Some(reason) = self.spent(start, effort) {
                    return Answer::Unknown(reason);
                }
                until_restart = until_restart.saturating_sub(1);
                continue;
            }
            if until_restart == 0 {
                restarts += 1;
                until_restart = luby(restarts) * RESTART_UNIT;
                self.statistics.restarts += 1;
                // The assumptions stay: they would be decided again.
                self.backtrack(self.current_level().min(assumptions.len() as u32));
                self.reduce_if_many();
            }
            match self.next_step(assumptions) {
                Step::Decide(literal) => {
                    self.levels.push(self.trail.len());
                    self.assign(literal, ClauseRef::NONE);
                    if self.statistics.decisions.is_multiple_of(DECISIONS_BETWEEN_LOOKS)
                        && let Some(reason) = effort.exceeded()
                    {
                        return Answer::Unknown(reason);
                    }
                }
                Step::Level => self.levels.push(self.trail.len()),
                Step::Failed(assumption) => {
                    self.fail(assumption);
                    return Answer::Unsat;
                }
                Step::Complete => return Answer::Sat,
            }
        }
    }

    fn learn_from(&mut self, conflict: ClauseRef) {
        self.statistics.conflicts += 1;
        let Learnt { literals, back, levels, number } = self.analyze(conflict);
        self.backtrack(back);
        let asserted = literals[0];
        if literals.len() > 1 {
            let reason = self.attach(&literals, true, levels, number);
            self.assign(asserted, reason);
        } else {
            self.assign(asserted, ClauseRef::NONE);
            self.log_fact(asserted, number);
        }
        self.order.decay();
    }

    fn spent(&self, start: u64, effort: &Effort<'_>) -> Option<Reason> {
        let conflicts = self.statistics.conflicts - start;
        if effort.conflicts.is_some_and(|most| conflicts >= most) {
            return Some(Reason::Limit(String::from("the solver had as many conflicts as it may")));
        }
        if !conflicts.is_multiple_of(CONFLICTS_BETWEEN_LOOKS) {
            return None;
        }
        if effort.too_large(self.memory()) {
            return Some(Reason::Memory);
        }
        effort.exceeded()
    }

    fn next_step(&mut self, assumptions: &[Lit]) -> Step {
        if let Some(&assumption) = assumptions.get(self.levels.len()) {
            return match self.value(assumption) {
                UNKNOWN => Step::Decide(assumption),
                1.. => Step::Level,
                _ => Step::Failed(assumption),
            };
        }
        while let Some(var) = self.order.pop() {
            if self.value(var.literal(true)) == UNKNOWN {
                self.statistics.decisions += 1;
                return Step::Decide(var.literal(self.phase[var.index()]));
            }
        }
        Step::Complete
    }

    /// Takes back all levels above this one.
    pub(super) fn backtrack(&mut self, level: u32) {
        let Some(&start) = self.levels.get(level as usize) else { return };
        while self.trail.len() > start {
            let Some(literal) = self.trail.pop() else { break };
            let var = literal.var();
            self.values[literal.index()] = UNKNOWN;
            self.values[(!literal).index()] = UNKNOWN;
            self.phase[var.index()] = literal.is_positive();
            if self.in_scope(var) {
                self.order.insert(var);
            }
        }
        self.head = start;
        self.levels.truncate(level as usize);
    }
}

enum Step {
    /// Decide a literal.
    Decide(Lit),
    /// An assumption holds already; its level stays empty.
    Level,
    /// An assumption is false.
    Failed(Lit),
    /// Every variable in scope has a value.
    Complete,
}

/// Luby's sequence: 1 1 2 1 1 2 4 …, from one.
fn luby(mut number: u64) -> u64 {
    loop {
        let bits = u64::BITS - number.leading_zeros();
        let full = (1u64 << bits) - 1;
        if number == full {
            return 1 << (bits - 1);
        }
        number -= full >> 1;
    }
}
