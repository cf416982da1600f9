//! The solver of the house: remembered answers first, then the circuit and the SAT solver.
//!
//! Predicate abstraction asks tens of thousands of small questions about the same few hundred terms. So one circuit
//! and one SAT solver live as long as the arena of terms; a term is blasted once, and a question only picks literals
//! as assumptions. Before it comes to that, three cheap looks:
//!
//! 1. the same set of assumptions was asked before;
//! 2. a core that was found before is among the assumptions;
//! 3. one of the last models satisfies them all. A model keeps the values of all terms that it was requested, so this
//!    is a look into a table for each assumption.
//!
//! A model that comes from the SAT solver is evaluated against every assumption before it is believed.

use crate::blast::Blaster;
use crate::effort::Effort;
use crate::evaluate::{Evaluation, Model};
use crate::sat::{Answer, Lit, ProofStep, Sat, Var};
use crate::solver::{Outcome, Solver, verify};
use crate::terms::{TermId, Terms};
use model::reason::Reason;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// How many models are tried.
const MODELS: usize = 8;
/// How many answers and cores are remembered before all are forgotten.
const REMEMBERED: usize = 200_000;
/// A circuit with more variables is built again.
const VARIABLES: usize = 4_000_000;

/// How questions were answered.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub struct Statistics {
    /// Questions.
    pub checks: u64,
    /// The same question as before.
    pub repeated: u64,
    /// A core was found again.
    pub by_core: u64,
    /// A model was good again.
    pub by_model: u64,
    /// The SAT solver was asked.
    pub solved: u64,
    /// Conflicts of the SAT solver.
    pub conflicts: u64,
}

/// The embedded solver.
pub struct Embedded {
    /// Which arena everything here is about.
    arena: u64,
    state: State,
    remember: bool,
    log: bool,
    statistics: Statistics,
}

struct State {
    blaster: Blaster,
    /// The variables of a term, once requested.
    variables: FxHashMap<TermId, Box<[TermId]>>,
    answers: FxHashMap<Box<[TermId]>, Outcome>,
    /// By the smallest part: sorted cores.
    cores: FxHashMap<TermId, Vec<Box<[TermId]>>>,
    core_count: usize,
    models: VecDeque<Evaluation>,
    cone: Vec<Var>,
}

fn new_blaster(log: bool) -> Blaster {
    let mut sat = Sat::new();
    if log {
        sat.log_proof();
    }
    Blaster::new(sat)
}

impl State {
    fn new(log: bool) -> State {
        State {
            blaster: new_blaster(log),
            variables: FxHashMap::default(),
            answers: FxHashMap::default(),
            cores: FxHashMap::default(),
            core_count: 0,
            models: VecDeque::new(),
            cone: Vec::new(),
        }
    }
}

impl Default for Embedded {
    fn default() -> Self {
        Self::new()
    }
}

impl Embedded {
    /// A solver that knows nothing yet.
    pub fn new() -> Embedded {
        Embedded { arena: 0, state: State::new(false), remember: true, log: false, statistics: Statistics::default() }
    }

    /// A solver that decides every question by the circuit. For tests and measurements.
    pub fn without_memory() -> Embedded {
        Embedded { remember: false, ..Embedded::new() }
    }

    /// A solver without memory that logs a proof, which [`crate::sat::check_proof`] checks.
    pub fn with_proof() -> Embedded {
        Embedded { state: State::new(true), log: true, ..Embedded::without_memory() }
    }

    /// The log of the SAT solver.
    pub fn proof(&self) -> &[ProofStep] {
        self.state.blaster.gates().sat().proof()
    }

    /// How questions were answered.
    pub fn statistics(&self) -> Statistics {
        self.statistics
    }

    /// Starts again for another arena, or when the circuit has become too large.
    fn prepare(&mut self, terms: &Terms) {
        if self.arena != terms.arena() || self.state.blaster.gates().sat().variables() > VARIABLES {
            self.arena = terms.arena();
            self.state = State::new(self.log);
        }
        if self.state.answers.len() + self.state.core_count > REMEMBERED {
            self.state.answers.clear();
            self.state.cores.clear();
            self.state.core_count = 0;
        }
    }

    fn recall(&mut self, terms: &Terms, question: &[TermId]) -> Option<Outcome> {
        if let Some(outcome) = self.state.answers.get(question) {
            self.statistics.repeated += 1;
            return Some(outcome.clone());
        }
        if let Some(core) = self.state.known_core(question) {
            self.statistics.by_core += 1;
            return Some(Outcome::Unsat(core));
        }
        let place = self
            .state
            .models
            .iter_mut()
            .position(|model| question.iter().all(|&assumption| model.bits(terms, assumption) != 0))?;
        self.statistics.by_model += 1;
        // The most useful model comes first.
        let evaluation = self.state.models.remove(place)?;
        let model = restricted(&mut self.state.variables, terms, question, |variable| evaluation.model().get(variable));
        self.state.models.push_front(evaluation);
        Some(Outcome::Sat(model))
    }

    fn solve(&mut self, terms: &Terms, question: &[TermId], effort: &Effort<'_>) -> Result<Outcome, Reason> {
        self.statistics.solved += 1;
        let state = &mut self.state;
        let mut literals = Vec::with_capacity(question.len());
        for &assumption in question {
            literals.push(state.blaster.blast(terms, assumption, effort)?);
        }
        let gates = state.blaster.gates_mut();
        gates.cone(literals.iter().copied(), &mut state.cone);
        let before = gates.sat().statistics().conflicts;
        let answer = gates.sat_mut().solve(&literals, Some(&state.cone), effort);
        self.statistics.conflicts += gates.sat().statistics().conflicts - before;
        match answer {
            Answer::Unknown(reason) => Err(reason),
            Answer::Unsat => {
                let failed = gates.sat().core();
                let core = question.iter().zip(&literals).filter(|(_, literal)| failed.contains(literal));
                Ok(Outcome::Unsat(distinct(core.map(|(&assumption, &literal)| (assumption, literal)))))
            }
            Answer::Sat => {
                let model = state.model(terms, question);
                let mut evaluation = Evaluation::new(model.clone());
                verify("the embedded solver", terms, question, &mut evaluation)?;
                if self.remember {
                    state.models.push_front(evaluation);
                    state.models.truncate(MODELS);
                }
                Ok(Outcome::Sat(model))
            }
        }
    }
}

/// Of assumptions with one literal, the first is enough.
fn distinct(pairs: impl Iterator<Item = (TermId, Lit)>) -> Vec<TermId> {
    let mut seen = Vec::new();
    let mut core = Vec::new();
    for (assumption, literal) in pairs {
        if !seen.contains(&literal) {
            seen.push(literal);
            core.push(assumption);
        }
    }
    core
}

impl State {
    /// The model that the SAT solver found. Bits that the question does not depend on are zero.
    fn model(&mut self, terms: &Terms, question: &[TermId]) -> Model {
        let blaster = &self.blaster;
        restricted(&mut self.variables, terms, question, |variable| {
            let word = blaster.word(terms, variable).unwrap_or(&[]);
            let bit = |literal: Lit| blaster.gates().sat().model(literal.var()) == literal.is_positive();
            word.iter().enumerate().fold(0, |bits, (place, &literal)| bits | u128::from(bit(literal)) << place)
        })
    }

    /// A core that is among the assumptions, which are sorted.
    fn known_core(&self, question: &[TermId]) -> Option<Vec<TermId>> {
        for (place, smallest) in question.iter().enumerate() {
            for core in self.cores.get(smallest).into_iter().flatten() {
                if is_subset(core, &question[place..]) {
                    return Some(core.to_vec());
                }
            }
        }
        None
    }

    fn remember(&mut self, question: Vec<TermId>, outcome: &Outcome) {
        if let Outcome::Unsat(core) = outcome {
            let mut core = core.clone();
            core.sort_unstable();
            if let Some(&smallest) = core.first() {
                self.cores.entry(smallest).or_default().push(core.into_boxed_slice());
                self.core_count += 1;
            }
        }
        self.answers.insert(question.into_boxed_slice(), outcome.clone());
    }
}

/// The values of the variables of a question.
fn restricted(
    known: &mut FxHashMap<TermId, Box<[TermId]>>,
    terms: &Terms,
    question: &[TermId],
    value: impl Fn(TermId) -> u128,
) -> Model {
    let mut variables: Vec<TermId> = Vec::new();
    for &assumption in question {
        let of_term = known.entry(assumption).or_insert_with(|| terms.free_variables(&[assumption]).into_boxed_slice());
        variables.extend_from_slice(of_term);
    }
    variables.sort_unstable();
    variables.dedup();
    Model::new(variables.into_iter().map(|variable| (variable, value(variable))).collect())
}

/// Both are sorted.
fn is_subset(small: &[TermId], large: &[TermId]) -> bool {
    let mut rest = large.iter();
    small.iter().all(|part| rest.any(|other| other == part))
}

impl Solver for Embedded {
    fn check(&mut self, terms: &Terms, assumptions: &[TermId], effort: &Effort<'_>) -> Outcome {
        self.statistics.checks += 1;
        self.prepare(terms);
        let truth = terms.bool(true);
        let mut question: Vec<TermId> = assumptions.iter().copied().filter(|&assumption| assumption != truth).collect();
        question.sort_unstable();
        question.dedup();
        if question.first() == Some(&terms.bool(false)) {
            return Outcome::Unsat(vec![terms.bool(false)]);
        }
        if self.remember
            && let Some(outcome) = self.recall(terms, &question)
        {
            return outcome;
        }
        let answer = match self.solve(terms, &question, effort) {
            // What fills the memory may be the circuits of other questions.
            Err(Reason::Memory) => {
                self.state.blaster = new_blaster(self.log);
                self.solve(terms, &question, effort)
            }
            answer => answer,
        };
        match answer {
            Ok(outcome) => {
                #[cfg(feature = "cross-check")]
                crate::judge::agree(terms, &question, &outcome);
                if self.remember {
                    self.state.remember(question, &outcome);
                }
                outcome
            }
            Err(reason) => Outcome::Unknown(reason),
        }
    }

    fn name(&self) -> &str {
        "embedded"
    }
}
