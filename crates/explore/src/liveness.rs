//! Questions about infinite runs: formulas, `never` claims and acceptance labels, each as a claim to be searched for.
//!
//! A formula is negated and translated to an automaton over its atoms; what the automaton accepts are counterexamples. A
//! `never` claim is such an automaton as it stands. Acceptance labels of processes need no claim at all: one that allows
//! everything does.

use crate::ENGINE;
use crate::accept::{self, Found, Question, Sighting};
use crate::disk::Disk;
use crate::graph::draw::Way;
use crate::progress::{self, ProgressOf};
use crate::reduction::{self, Mode, Tally};
use crate::search::Options;
use model::budget::{Budget, Stopwatch};
use model::claim::{AtomSet, Claim, ClaimEdge, ClaimState, MOST_ATOMS};
use model::context::Context;
use model::expr::Expr;
use model::fairness::Fairness;
use model::formula::{Atom, Ltl};
use model::network::Machine;
use model::semantics::Semantics;
use model::source::SourceMap;
use model::verdict::{Certificate, Outcome, Property, Reason, Verdict};
use temporal::{Assumption, Automaton, Formula, TooLarge};

/// More than so many assumptions of a formula are part of its automaton.
const MOST_ASSUMPTIONS: usize = 32;

/// What the questions have in common.
#[derive(Clone, Copy)]
pub struct Setting<'a> {
    /// The model and its reading.
    pub semantics: &'a Semantics<'a>,
    /// Its texts.
    pub sources: &'a SourceMap,
    /// Which runs count.
    pub fair: Fairness,
    /// How many threads there are, how they keep states, and when states are left out: not for `never` claims, which may tell how
    /// long a run stays in a state.
    pub options: &'a Options,
    /// How much may be used, and who watches.
    pub cx: Context<'a>,
}

impl Setting<'_> {
    /// Whether every run keeps a formula.
    pub fn formula(&self, property: &Property, formula: &Ltl) -> Outcome {
        let (start, property) = (Stopwatch::start(), property.clone());
        let (claim, assumptions) = match negation(formula, self.cx.budget) {
            Ok(negation) => negation,
            Err(reason) => return self.unanswered(property, reason, start),
        };
        let question = self.about(&claim, &assumptions);
        // With events, a run is not the same when it stays in a state for a while: `!p U e` asks for `e` at once.
        let may_reduce = !formula.has_next() && !formula.has_events();
        let antecedent = formula.antecedent();
        let holds = |atoms: AtomSet| {
            let atom = |atom: &Atom| {
                claim.atoms.iter().position(|known| known == atom).is_some_and(|index| atoms >> index & 1 == 1)
            };
            antecedent.is_some_and(|antecedent| antecedent.holds(&atom))
        };
        let sighting = antecedent.map(|_| (AtomSet::MAX, &holds as &(dyn Fn(AtomSet) -> bool + Sync)));
        let found = self.search(&question, sighting, may_reduce);
        // What is asked beside it is not for the checkpoint.
        let own = Options { disk: self.options.disk.as_ref().map(Disk::beside), ..self.options.clone() };
        let beside = Setting { options: &own, ..*self };
        let seen = found.seen || found.digest.is_none();
        let mut outcome = self.outcome(property.clone(), &question, Some(formula), found, start);
        if outcome.verdict == Verdict::Inconclusive(not_replayed()) {
            // A prefix that does not show by itself that it is bad: a run with a loop does.
            let question = Question { prefixes: false, ..question };
            let found = beside.search(&question, None, may_reduce);
            outcome = self.outcome(property, &question, Some(formula), found, start);
        }
        if outcome.verdict == Verdict::Proved {
            beside.examine_vacuity(formula, seen, &mut outcome);
        }
        outcome
    }

    /// Whether a `never` claim accepts no run.
    pub fn never(&self, claim: &Machine) -> Outcome {
        let start = Stopwatch::start();
        let property = Property::Never(claim.name.clone());
        match Claim::of_machine(claim) {
            Ok(claim) => {
                let question = Question { labels: true, fair: self.fair, ..Question::new(&claim) };
                let found = self.search(&question, None, false);
                self.outcome(property, &question, None, found, start)
            }
            Err(refused) => {
                let reason = format!("{} is not supported: {}", refused.why, self.sources.short(refused.span));
                self.unanswered(property, Reason::NotSupported(reason), start)
            }
        }
    }

    /// Whether no infinite run passes through acceptance labels of processes again and again.
    pub fn acceptance(&self) -> Outcome {
        let start = Stopwatch::start();
        let anything = anything();
        let question = Question { labels: true, fair: self.fair, ..Question::new(&anything) };
        let found = self.search(&question, None, true);
        self.outcome(Property::Acceptance, &question, None, found, start)
    }

    /// Whether every infinite run makes progress again and again; with [`Setting::fair`], every fair one.
    pub fn livelock(&self, progress: &ProgressOf<'_>) -> Outcome {
        let start = Stopwatch::start();
        let (outcome, endless) = progress::livelock(self, progress);
        // Without fairness there are more runs: a proof is one for fair runs, too.
        if !self.fair.is_assumed() || endless || outcome.verdict != Verdict::Violated {
            return outcome;
        }
        let Some(claim) = without_progress(progress) else {
            let reason = String::from("fairness, where progress is not by labels or events with a name");
            return self.unanswered(Property::Livelock, Reason::NotSupported(reason), start);
        };
        let question = Question { fair: self.fair, stutters: false, ..Question::new(&claim) };
        let own = Options { disk: self.options.disk.as_ref().map(Disk::beside), ..self.options.clone() };
        let found = Setting { options: &own, ..*self }.search(&question, None, false);
        let mut outcome = self.outcome(Property::Livelock, &question, None, found, start);
        if let Some(witness) = &mut outcome.witness {
            (witness.problem, witness.problem_code) = progress::words();
        }
        if let Some(certificate) = &mut outcome.certificate {
            *certificate = Certificate::Searched { fair: self.fair, events: progress.names() };
        }
        outcome
    }

    /// Whether a formula that holds does so vacuously; `seen` says that its antecedent was seen to hold.
    fn examine_vacuity(&self, formula: &Ltl, seen: bool, outcome: &mut Outcome) {
        let mut unknown = None;
        for stronger in formula.strengthened() {
            if seen && stronger.is_never {
                continue;
            }
            match self.keeps(&stronger.formula) {
                Ok(false) => {}
                Ok(true) => {
                    outcome.verdict = Verdict::Vacuous(stronger.words);
                    return;
                }
                Err(reason) => unknown = Some(reason),
            }
        }
        for shorter in formula.spare().into_iter().filter(|_| unknown.is_none()) {
            match self.keeps(&shorter.formula) {
                Ok(false) => {}
                Ok(true) => outcome.details.advice.push(shorter.words),
                Err(reason) => {
                    outcome.details.advice.push(format!("whether each part is needed was not examined: {reason}"));
                    break;
                }
            }
        }
        let note = |reason| format!("whether the formula holds vacuously was not examined: {reason}");
        outcome.details.advice.extend(unknown.map(note));
    }

    /// Whether every run keeps a formula.
    fn keeps(&self, formula: &Ltl) -> Result<bool, Reason> {
        // What is not essential may not take all of the time.
        let limits = temporal::Limits { budget: self.cx.budget.clone(), ..temporal::Limits::default() };
        let (claim, assumptions) = negation_by(formula, self.cx.budget, &|rest| temporal::automaton(rest, &limits))?;
        let question = self.about(&claim, &assumptions);
        let found = self.search(&question, None, !formula.has_next() && !formula.has_events());
        match (found.lasso, found.digest, found.stopped) {
            (Some(_), ..) => Ok(false),
            (None, Some(_), None) => Ok(true),
            (None, _, stopped) => Err(stopped.unwrap_or(Reason::Internal(String::from("a search has no result")))),
        }
    }

    /// The question about a formula, by its negation. A run that breaks it by a prefix does so only if what it assumes
    /// need not be looked at.
    fn about<'c>(&self, claim: &'c Claim, assumptions: &'c [Assumption]) -> Question<'c> {
        Question { fair: self.fair, assumptions, prefixes: assumptions.is_empty(), ..Question::new(claim) }
    }

    /// The search, with as many states as the mode says.
    fn search(&self, question: &Question<'_>, sighting: Option<Sighting<'_>>, may_reduce: bool) -> Found {
        let mode =
            if may_reduce && !self.fair.is_assumed() { self.options.mode(self.semantics.reading()) } else { Mode::Off };
        let search = |tried: Mode, budget: &Budget| {
            let question = Question { reduce: tried == Mode::On, ..*question };
            let search = if tried == Mode::Off { accept::search } else { accept::search_trimmed };
            let way = Way { options: self.options, large: reduction::is_last(mode, budget) };
            search(self.semantics, &question, sighting, way, &self.cx.with(budget))
        };
        let tally = |found: &Found| Tally {
            alone: found.alone,
            states: found.stats.states,
            full: found.stopped == Some(Reason::States),
        };
        reduction::gradually(mode, self.cx.budget, &search, &tally)
    }

    fn unanswered(&self, property: Property, reason: Reason, start: Stopwatch) -> Outcome {
        let open = Outcome::open(property, self.semantics.reading(), ENGINE, reason);
        Outcome { time: start.elapsed(), ..open }
    }

    /// What a search found; a run counts only once it was replayed.
    fn outcome(
        &self,
        property: Property,
        question: &Question<'_>,
        formula: Option<&Ltl>,
        found: Found,
        start: Stopwatch,
    ) -> Outcome {
        let mut outcome = self.unanswered(property, not_replayed(), start);
        match (found.lasso, found.stopped, found.digest) {
            (Some(lasso), ..) => {
                outcome.witness = accept::witness(self.semantics, self.sources, question, formula, &lasso);
                if outcome.witness.is_some() {
                    outcome.verdict = Verdict::Violated;
                }
            }
            (None, Some(reason), _) => outcome.verdict = Verdict::Inconclusive(reason),
            (None, None, Some(digest)) => {
                let (states, claim, fair) = (found.stats.states, Box::new(question.claim.clone()), question.fair);
                outcome.prove(match found.reduced {
                    true => Certificate::Searched { fair, events: Vec::new() },
                    false => Certificate::Product { states, digest, claim, fair },
                });
            }
            (None, None, None) => {}
        }
        outcome.stats = Some(found.stats);
        outcome.time = start.elapsed();
        outcome
    }
}

fn not_replayed() -> Reason {
    Reason::Internal(String::from("a counterexample was found, but its run did not replay"))
}

/// The claim that allows everything and accepts nothing by itself.
pub fn anything() -> Claim {
    let edges = vec![ClaimEdge { to: Some(0), ..ClaimEdge::default() }];
    let state = ClaimState { accepting: false, edges, words: String::new() };
    Claim { atoms: Vec::new(), states: vec![state], initial: 0 }
}

/// The claim that from some point on nothing makes progress; `None` if that cannot be watched.
pub fn without_progress(progress: &ProgressOf<'_>) -> Option<Claim> {
    let atoms = match progress {
        ProgressOf::Labels => vec![Atom::State(Expr::NonProgress)],
        ProgressOf::Named(events) => events.iter().map(|(_, event)| Atom::Event(event.clone())).collect(),
        ProgressOf::Edges(_) | ProgressOf::Events(_) => return None,
    };
    let all = AtomSet::MAX.checked_shr((MOST_ATOMS - atoms.len().min(MOST_ATOMS)) as u32).unwrap_or(0);
    let (holds, fails) = if matches!(progress, ProgressOf::Labels) { (all, 0) } else { (0, all) };
    let none = ClaimEdge { holds, fails, to: Some(1), assertion: None };
    let anything = ClaimEdge { to: Some(0), ..ClaimEdge::default() };
    let states = vec![
        ClaimState { accepting: false, edges: vec![anything, none.clone()], words: String::new() },
        ClaimState { accepting: true, edges: vec![none], words: String::new() },
    ];
    (atoms.len() <= MOST_ATOMS).then_some(Claim { atoms, states, initial: 0 })
}

/// An automaton for what a formula forbids, if it is made in time; and what is assumed of runs beside it.
pub fn negation(formula: &Ltl, budget: &Budget) -> Result<(Claim, Vec<Assumption>), Reason> {
    negation_by(formula, budget, &|rest| temporal::within(rest, budget))
}

/// A translator to automata.
type Translator<'t> = dyn Fn(&Formula) -> Result<Automaton, TooLarge> + 't;

fn negation_by(formula: &Ltl, budget: &Budget, translate: &Translator<'_>) -> Result<(Claim, Vec<Assumption>), Reason> {
    let atoms: Vec<(Atom, String)> = formula.atoms();
    if atoms.len() > MOST_ATOMS {
        return Err(Reason::NotSupported(format!("a formula with more than {MOST_ATOMS} different conditions")));
    }
    let numbered = temporal::numbered(formula, &atoms);
    let (rest, assumptions) = temporal::apart(&numbered.negated(), MOST_ASSUMPTIONS);
    let automaton = translate(&rest).map_err(|too_large| match too_large {
        TooLarge::Time => budget.check().err().unwrap_or(Reason::Timeout),
        _ => Reason::NotSupported(too_large.to_string()),
    })?;
    let bits = |atoms: &[u32]| atoms.iter().fold(0, |set: AtomSet, atom| set | 1 << atom);
    let states = automaton.states.iter().map(|state| {
        let edges = state.edges.iter().flat_map(|edge| {
            edge.guard.iter().map(|cube| ClaimEdge {
                holds: bits(&cube.positive),
                fails: bits(&cube.negative),
                to: Some(edge.to),
                assertion: None,
            })
        });
        ClaimState { accepting: state.accepting, edges: edges.collect(), words: String::new() }
    });
    let states = states.collect();
    let claim = Claim { atoms: atoms.into_iter().map(|(atom, _)| atom).collect(), states, initial: automaton.initial };
    Ok((claim, assumptions))
}
