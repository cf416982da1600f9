//! A log of what the SAT solver derived, and a plain checker for it.
//!
//! A lemma follows when the assumption that all its literals are false leads to a contradiction by unit propagation alone
//! (Heule, Hunt and Wetzler: *Trimming while checking clausal proofs*). Its hints are the clauses that propagate, in order,
//! as in LRAT. The solver logs its input too, because clauses come in between queries: inputs and lemmas are numbered
//! together, from 0. Unsatisfiable under assumptions is logged as the lemma that one of the failed assumptions is false.
//! A fact is a lemma of its own, so that the clauses it came from can be deleted.
//!
//! The checker shares nothing with the solver but the literals. It ignores the hints and looks at every clause again and
//! again until nothing changes: slow, and easy to believe.

use super::arena::ClauseRef;
use super::literal::{Lit, Var};
use super::{Sat, UNKNOWN};

/// One line of the log.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ProofStep {
    /// A clause that was given.
    Input(Vec<Lit>),
    /// A clause that follows from those before by unit propagation.
    Lemma {
        /// The clause.
        clause: Vec<Lit>,
        /// The numbers of the clauses that propagate, in order.
        hints: Vec<u32>,
    },
    /// A clause that is no longer used, by its number.
    Delete(u32),
}

/// The log while it is written.
#[derive(Default)]
pub(super) struct Log {
    pub(super) steps: Vec<ProofStep>,
    /// The number of the next clause.
    next: u32,
    /// By variable: the number of the clause that says that its value is a fact, if it is one.
    facts: Vec<u32>,
    /// By variable: its place on the trail, if it has a value.
    places: Vec<u32>,
    /// How many literals and hints there are.
    pub(super) words: usize,
}

impl Log {
    fn push(&mut self, step: ProofStep) -> u32 {
        self.words += match &step {
            ProofStep::Input(clause) => clause.len(),
            ProofStep::Lemma { clause, hints } => clause.len() + hints.len(),
            ProofStep::Delete(_) => 1,
        };
        self.steps.push(step);
        self.next += 1;
        self.next - 1
    }
}

fn set(table: &mut Vec<u32>, var: Var, value: u32) {
    if table.len() <= var.index() {
        table.resize(var.index() + 1, 0);
    }
    table[var.index()] = value;
}

impl Sat {
    /// Logs a clause that was given. Its number; without a log all numbers are 0.
    pub(super) fn log_input(&mut self, literals: &[Lit]) -> u32 {
        self.proof.as_mut().map_or(0, |log| log.push(ProofStep::Input(literals.to_vec())))
    }

    /// Logs what is left of a clause when facts make the other literals false.
    pub(super) fn log_shortened(&mut self, clause: &[Lit], whole: &[Lit], number: u32) -> u32 {
        if self.proof.is_none() || whole.iter().all(|&literal| self.value(literal) == UNKNOWN) {
            return number;
        }
        let falsified: Vec<Lit> = whole.iter().copied().filter(|&literal| self.value(literal) < 0).collect();
        self.log_lemma(clause, &falsified, &[], Some(number))
    }

    /// Logs a lemma: it follows by the facts among `literals`, then by these clauses, and then by this one.
    fn log_lemma(&mut self, clause: &[Lit], literals: &[Lit], reasons: &[ClauseRef], last: Option<u32>) -> u32 {
        let Some(log) = &mut self.proof else { return 0 };
        let (arena, level) = (&self.arena, &self.level);
        let all = reasons.iter().flat_map(|&reason| arena.literals(reason)).chain(literals);
        let facts = all.filter(|literal| level[literal.var().index()] == 0);
        let mut hints: Vec<u32> = facts.map(|literal| log.facts[literal.var().index()]).collect();
        hints.sort_unstable();
        hints.dedup();
        hints.extend(reasons.iter().map(|&reason| arena.number(reason)));
        hints.extend(last);
        log.push(ProofStep::Lemma { clause: clause.to_vec(), hints })
    }

    /// Logs a learnt clause. `chain` are the conflict and the reasons that it was resolved with, the last one first;
    /// `implied` are the literals that the others imply.
    pub(super) fn log_learnt(&mut self, clause: &[Lit], chain: &[ClauseRef], implied: &mut [Lit]) -> u32 {
        let Some(log) = &self.proof else { return 0 };
        // All implied literals are of lower levels than the chain is about.
        implied.sort_unstable_by_key(|literal| log.places[literal.var().index()]);
        let mut reasons: Vec<ClauseRef> = implied.iter().map(|literal| self.reason[literal.var().index()]).collect();
        reasons.extend(chain.iter().rev());
        self.log_lemma(clause, &[], &reasons, None)
    }

    /// Logs that these assumptions fail together.
    pub(super) fn log_failure(&mut self, core: &[Lit], chain: &[ClauseRef]) {
        let lemma: Vec<Lit> = core.iter().map(|&literal| !literal).collect();
        let reasons: Vec<ClauseRef> = chain.iter().rev().copied().collect();
        let fact: &[Lit] = if chain.is_empty() { core } else { &[] };
        self.log_lemma(&lemma, fact, &reasons, None);
    }

    /// A clause is violated by facts alone: every question is unsatisfiable from now on.
    pub(super) fn refuted_by(&mut self, conflict: ClauseRef) {
        self.consistent = false;
        self.log_lemma(&[], &[], &[conflict], None);
    }

    /// The same, of a clause that was just given.
    pub(super) fn refuted_by_input(&mut self, literals: &[Lit], number: u32) {
        self.consistent = false;
        self.log_lemma(&[], literals, &[], Some(number));
    }

    /// A literal gets a value: as a fact, it is a lemma.
    pub(super) fn log_assigned(&mut self, literal: Lit, reason: ClauseRef) {
        let place = self.trail.len() as u32;
        let Some(log) = &mut self.proof else { return };
        set(&mut log.places, literal.var(), place);
        if self.levels.is_empty() && reason != ClauseRef::NONE {
            let mut others = self.arena.literals(reason).to_vec();
            others.retain(|&other| other != literal);
            let number = self.arena.number(reason);
            let number = self.log_lemma(&[literal], &others, &[], Some(number));
            self.log_fact(literal, number);
        }
    }

    /// The clause of this number says that a literal is a fact.
    pub(super) fn log_fact(&mut self, literal: Lit, number: u32) {
        if let Some(log) = &mut self.proof {
            set(&mut log.facts, literal.var(), number);
        }
    }

    pub(super) fn log_deletion(&mut self, clause: ClauseRef) {
        if let Some(log) = &mut self.proof {
            log.steps.push(ProofStep::Delete(self.arena.number(clause)));
        }
    }
}

/// Checks a log. The number of lemmas, or the first step that does not follow.
pub fn check_proof(steps: &[ProofStep]) -> Result<usize, usize> {
    let mut clauses: Vec<Option<Vec<Lit>>> = Vec::new();
    let mut lemmas = 0;
    for (number, step) in steps.iter().enumerate() {
        match step {
            ProofStep::Input(clause) => clauses.push(Some(clause.clone())),
            ProofStep::Lemma { clause, .. } => {
                if !follows(&clauses, clause) {
                    return Err(number);
                }
                lemmas += 1;
                clauses.push(Some(clause.clone()));
            }
            ProofStep::Delete(deleted) => *clauses.get_mut(*deleted as usize).ok_or(number)? = None,
        }
    }
    Ok(lemmas)
}

/// Does unit propagation refute that all literals of the lemma are false?
fn follows(clauses: &[Option<Vec<Lit>>], lemma: &[Lit]) -> bool {
    let literals = clauses.iter().flatten().flatten().chain(lemma);
    let variables = literals.map(|literal| literal.var().index() + 1).max().unwrap_or(0);
    let mut truth = vec![false; 2 * variables];
    for &literal in lemma {
        truth[(!literal).index()] = true;
        if truth[literal.index()] {
            return true;
        }
    }
    loop {
        let mut changed = false;
        for clause in clauses.iter().flatten() {
            match unit(clause, &truth) {
                Unit::Conflict => return true,
                Unit::Forces(literal) => {
                    truth[literal.index()] = true;
                    changed = true;
                }
                Unit::Nothing => {}
            }
        }
        if !changed {
            return false;
        }
    }
}

enum Unit {
    Conflict,
    Forces(Lit),
    Nothing,
}

fn unit(clause: &[Lit], truth: &[bool]) -> Unit {
    let mut open = None;
    for &literal in clause {
        if truth[literal.index()] {
            return Unit::Nothing;
        }
        if !truth[(!literal).index()] {
            match open {
                None => open = Some(literal),
                Some(other) if other == literal => {}
                Some(_) => return Unit::Nothing,
            }
        }
    }
    open.map_or(Unit::Conflict, Unit::Forces)
}
