//! Queues of any length: the questions that the engine `fifo` answers, and what is made of its answers.
//!
//! The engine works on plain machines, into which a network is translated first (`fifo::translation`). What comes back is not
//! believed: a run is replayed in the semantics of the network, and an invariant is taken back to the network and handed to
//! the small checker. Promela models have another chance: a proof that is found on the network itself (`fifo::network`).
//! `promela` says when a Promela model comes here.

mod promela;
mod settings;

pub use settings::method;

use crate::error::Error;
use crate::evidence::{Answer, Checked, Claim, refused};
use crate::settings::Settings;
use crate::strategy::one_by_one;
use fifo::eventually::{self, Found, Kind};
use fifo::network::{Unproved, shallow};
use fifo::translation::{Source, Translation, Unlifted};
use fifo::{Invariant, Method};
use model::budget::{Budget, Stopwatch};
use model::context::Context;
use model::network::Network;
use model::semantics::{Reading, Semantics, Step};
use model::source::SourceMap;
use model::verdict::{Certificate, Outcome, Property, Reason};
use replay::{BAD_CONFIGURATION, QueueRun};
use scm::Specification;
use std::iter::once_with;

/// How much work the plain machines of a Promela model get before the network itself is looked at.
const FIRST_STEPS: u64 = 4_000_000;
/// And plain machines of the model itself, before proofs of other kinds are looked for.
const FIRST_OF_MACHINES: u64 = 8_000_000;

/// If there are more configurations than this, and finitely many, the checker lists them, too.
const LISTED: usize = 1 << 12;

/// So many states are searched where data do not fold.
const NEAR_STATES: usize = 1 << 14;

/// What is said when the first attempt was not enough.
const OUT_OF_STEPS: &str = "no answer after the work that was allowed";
/// What is said when no set is an invariant.
const NO_SET: &str = "the sets of queue contents that were tried have something bad in them, and no run was looked for";

/// The properties that are checked by default.
pub fn properties() -> Vec<Property> {
    vec![Property::Safety, Property::Deadlock, Property::Reception, Property::Orphan]
}

/// Whether the engine answers a question.
pub fn answers(property: &Property) -> bool {
    fifo::Property::of(property).is_some() || Kind::of(property).is_some()
}

/// A model, ready to be checked.
pub struct Machines<'a> {
    sources: &'a SourceMap,
    network: &'a Network,
    settings: &'a Settings,
    method: Method,
    /// It is a Promela model, and not one of communicating machines.
    promela: bool,
    /// Its bad configurations.
    bad: Specification,
    /// The plain machines, or why there are none.
    target: Result<Translation, String>,
}

impl<'a> Machines<'a> {
    /// Reads the settings, folds data if there are any.
    pub fn new(
        network: &'a Network,
        sources: &'a SourceMap,
        settings: &'a Settings,
        (promela, bad): (bool, Specification),
        budget: &Budget,
    ) -> Result<Self, Error> {
        let product = certify::queues::can_speak_of(network).map_err(|refusal| refusal.to_string());
        let target = Translation::new(Source { network, sources, bad: bad.clone(), promela, product }, budget);
        Ok(Machines { target, ..Machines::untranslated(network, sources, settings, (promela, bad))? })
    }

    /// The same without plain machines: only the network itself is looked at.
    pub fn untranslated(
        network: &'a Network,
        sources: &'a SourceMap,
        settings: &'a Settings,
        (promela, bad): (bool, Specification),
    ) -> Result<Self, Error> {
        let (method, target) = (method(settings)?, Err(String::from("the model was not translated")));
        Ok(Machines { sources, network, settings, method, promela, bad, target })
    }

    /// A proof of a formula whose violations show after finitely many steps, if one is found.
    pub fn always(&self, property: &Property, cx: &Context<'_>) -> Option<Answer> {
        let (start, mut outcome) = (Stopwatch::start(), Answer::blank(property, Reading::Unbounded, fifo::ENGINE));
        let claim = self.summed(property, cx).or_else(|| self.directly(cx.budget, &mut outcome, cx).ok())?;
        outcome.time = start.elapsed();
        Some(Answer { outcome, claim })
    }

    /// Whether there is something to ask about: plain machines, or a network that the checker takes proofs about.
    fn fits(&self) -> bool {
        self.target.is_ok() || certify::queues::can_be_asked(self.network).is_ok()
    }

    /// An answer for each property. What was found is checked without regard to the share of a property.
    pub fn check(&self, properties: &[Property], cx: &Context<'_>) -> Result<Vec<Answer>, Error> {
        one_by_one(properties, cx, |property, share| Ok(self.answer(property, share.budget, cx)))
    }

    fn answer(&self, property: &Property, share: &Budget, cx: &Context<'_>) -> Answer {
        let mut outcome = Answer::blank(property, Reading::Unbounded, fifo::ENGINE);
        if let Some(kind) = Kind::of(property) {
            let found = match &self.target {
                Err(why) => Err(Reason::NotSupported(why.clone())),
                Ok(target) => self.stays_possible(target, kind, share, &mut outcome, cx),
            };
            return Answer { outcome, claim: found.into() };
        }
        let Some(question) = fifo::Property::of(property) else {
            let reason = Reason::NotSupported(format!("the engine `fifo` does not answer {property}"));
            return Answer { outcome, claim: Claim::Open(reason) };
        };
        let directly = self.promela && matches!(self.method, Method::Auto);
        let found = match &self.target {
            Err(why) if directly => self.directly(share, &mut outcome, cx).map_err(|unproved| match unproved {
                Unproved::Limit(limit) => reason_of(limit.into()),
                Unproved::Unfit(_) => Reason::NotSupported(why.clone()),
                Unproved::Lost => Reason::NotProvable(String::from(NO_SET)),
            }),
            Err(why) => self.near(&mut outcome, &cx.with(share)).ok_or_else(|| Reason::NotSupported(why.clone())),
            Ok(target) => {
                let others = target.is_model() && matches!(self.method, Method::Auto);
                let first = if others { Some(FIRST_OF_MACHINES) } else { directly.then_some(FIRST_STEPS) };
                let first = self.limits(share, first);
                match self.solve(target, question, (&first, share), &mut outcome, cx) {
                    Err(Reason::NotProvable(why)) if directly || others => {
                        let second = match directly {
                            true => self.directly(&share.slice(50), &mut outcome, cx).ok(),
                            false => self.otherwise(target, share, &outcome.property, cx),
                        };
                        match second {
                            Some(claim) => Ok(claim),
                            // The first attempt may have ended for good: with a run that is none of the model.
                            None if why != OUT_OF_STEPS => Err(Reason::NotProvable(why)),
                            None => self.solve(target, question, (&self.limits(share, None), share), &mut outcome, cx),
                        }
                    }
                    found => found,
                }
            }
        };
        Answer { outcome, claim: found.into() }
    }

    /// Asks the engine about plain machines.
    fn solve(
        &self,
        target: &Translation,
        question: fifo::Property,
        (most, share): (&fifo::Limits, &Budget),
        outcome: &mut Outcome,
        cx: &Context<'_>,
    ) -> Result<Claim, Reason> {
        let (system, question) = target.question(self.network, question);
        let system = system.as_ref();
        // A certificate of a search names no bad configurations that were given.
        let lists = target.is_model() && self.settings.bad.is_empty() && matches!(self.method, Method::Auto);
        let most = fifo::Limits { listed: lists.then_some(LISTED), ..most.clone() };
        let report = fifo::check(system, question, &self.method, &most, &cx.with(share));
        outcome.details.sheets = vec![report.statistics.sheet()];
        match report.verdict {
            fifo::Verdict::Safe(invariant) => self.proved(target, *invariant, outcome, cx),
            fifo::Verdict::Finite => {
                let checked = Checked::finite(self.network, &self.bad, &outcome.property, cx);
                checked.map(Claim::Proved).map_err(|refusal| refused(refusal, cx))
            }
            fifo::Verdict::Unsafe(run) => self.violated(target, &run, outcome, cx),
            fifo::Verdict::Inconclusive(reason) => Err(reason_of(reason)),
        }
    }

    /// Asks the engine whether something stays possible.
    fn stays_possible(
        &self,
        target: &Translation,
        kind: Kind,
        share: &Budget,
        outcome: &mut Outcome,
        cx: &Context<'_>,
    ) -> Result<Claim, Reason> {
        let (limits, mut blank) = (self.limits(share, None), outcome.clone());
        let accepts = &mut |run: &fifo::Run| self.violated(target, run, &mut blank, cx).is_ok();
        let question = eventually::Question { system: &target.system, kind, ranks: target.is_model() };
        let (found, statistics) = eventually::check(&question, &limits, &cx.with(share), accepts);
        outcome.details.sheets = vec![statistics.sheet()];
        let checked = match found {
            Found::Open(reason) => return Err(reason_of(reason)),
            Found::Stuck(run) => return self.violated(target, &run, outcome, cx),
            Found::Finite => Checked::finite(self.network, &self.bad, &outcome.property, cx),
            Found::Ranked(proof) => {
                let bad = Specification::default();
                Checked::queues(self.network, Some(&bad), &outcome.property, Certificate::Ranking(proof), cx)
            }
        };
        checked.map(Claim::Proved).map_err(|refusal| match refusal {
            certify::Refusal::Violated(_) if !target.is_model() => Reason::NotProvable(refusal.to_string()),
            refusal => refused(refusal, cx),
        })
    }

    /// Looks for proofs of other kinds: sums that no step raises, relations between numbers of messages, and parts, each about
    /// few machines.
    fn otherwise(&self, target: &Translation, share: &Budget, property: &Property, cx: &Context<'_>) -> Option<Claim> {
        let (limits, within) = (self.limits(share, None), cx.with(share));
        let bad = (*property == Property::Safety).then_some((&self.bad, self.settings.bad.as_slice()));
        let (system, given) = (&target.system, bad.map_or(&[][..], |(_, given)| given));
        let sums = bad.and_then(|bad| fifo::sums::of_bad(self.network, bad, &within));
        let counted = once_with(|| fifo::counting::candidates(system, &limits, given, &within)).flatten();
        let parts = once_with(|| fifo::parts::candidates(system, &limits, given, &within)).flatten();
        let sums = sums.into_iter().map(|proof| Certificate::Parts(Box::new(proof)));
        let sums = sums.chain(counted.map(|proof| Certificate::Counts(Box::new(proof))));
        let all = sums.chain(parts.map(|proof| Certificate::Parts(Box::new(proof))));
        let mut checked = all.map(|one| Checked::queues(self.network, Some(&self.bad), property, one, cx));
        checked.find_map(Result::ok).map(Claim::Proved)
    }

    /// Looks for sums that prove a formula `[] p`.
    fn summed(&self, property: &Property, cx: &Context<'_>) -> Option<Claim> {
        let proof = Certificate::Parts(Box::new(fifo::sums::of_formula(self.network, property, cx)?));
        Checked::queues(self.network, None, property, proof, cx).ok().map(Claim::Proved)
    }

    /// Looks for a proof on the network itself.
    fn directly(&self, budget: &Budget, outcome: &mut Outcome, cx: &Context<'_>) -> Result<Claim, Unproved> {
        let most = languages(budget);
        certify::queues::can_be_asked(self.network).map_err(|refusal| Unproved::Unfit(refusal.to_string()))?;
        let bad = (!self.promela).then_some(&self.bad);
        let found = fifo::network::prove(self.network, &outcome.property, &most)?;
        outcome.details.sheets = vec![found.statistics().sheet()];
        let certificate = Certificate::Queues(Box::new(found.proof));
        let checked = Checked::queues(self.network, bad, &outcome.property, certificate, cx);
        let checked = checked.map_err(|refusal| match refusal {
            certify::Refusal::Unfinished(_) if cx.budget.is_cancelled() => Unproved::Limit(queues::Limit::Interrupted),
            certify::Refusal::Unfinished(_) => Unproved::Limit(queues::Limit::Deadline),
            _ => Unproved::Lost,
        })?;
        Ok(Claim::Proved(checked))
    }

    fn limits(&self, budget: &Budget, steps: Option<u64>) -> fifo::Limits {
        // A trace of the refinement is that of one thread.
        let threads = if self.settings.trace_refinement { 1 } else { self.settings.threads() };
        fifo::Limits { memory: Some(languages(budget).bytes), steps, threads: Some(threads), listed: None }
    }

    /// An invariant counts once the checker has accepted it.
    fn proved(
        &self,
        target: &Translation,
        mut invariant: Invariant,
        outcome: &mut Outcome,
        cx: &Context<'_>,
    ) -> Result<Claim, Reason> {
        if self.settings.stats {
            invariant.languages.set_limits(languages(cx.budget));
            outcome.details.exhibits.extend(invariant.exhibit(&target.system));
        }
        let given = if outcome.property == Property::Safety { self.settings.bad.as_slice() } else { &[] };
        let proof = target.proof(self.network, invariant, given, languages(cx.budget));
        let proof = proof.map_err(|why| match why {
            Unlifted::Limit(limit) => reason_of(limit.into()),
            Unlifted::Why(why) => {
                Reason::NotProvable(format!("a proof was found, but not for the model itself: {why}"))
            }
        })?;
        let bad = (!self.promela).then_some(&self.bad);
        let certificate = Certificate::Queues(Box::new(proof));
        let checked = Checked::queues(self.network, bad, &outcome.property, certificate, cx);
        checked.map(Claim::Proved).map_err(|refusal| refused(refusal, cx))
    }

    /// Where data do not fold: a run to something bad that is near the beginning.
    fn near(&self, outcome: &mut Outcome, cx: &Context<'_>) -> Option<Claim> {
        let property = outcome.property.clone();
        let semantics = Semantics::new(self.network, Reading::Unbounded);
        let is_bad =
            &mut |state: &[u8]| replay::ending(&semantics, self.sources, &self.bad, &property, state).is_some();
        let steps = shallow(&semantics, NEAR_STATES, property == Property::Safety, is_bad, cx)?;
        self.replayed(steps, None, outcome, cx).ok()
    }

    /// A run of the machines as one of the model.
    fn violated(
        &self,
        target: &Translation,
        run: &fifo::Run,
        outcome: &mut Outcome,
        cx: &Context<'_>,
    ) -> Result<Claim, Reason> {
        self.replayed(target.steps(run), target.inexact(), outcome, cx)
    }

    /// A run counts once it was replayed, and ends as it should.
    fn replayed(
        &self,
        steps: Vec<Step>,
        inexact: Option<&'static str>,
        outcome: &mut Outcome,
        cx: &Context<'_>,
    ) -> Result<Claim, Reason> {
        let run_in = QueueRun {
            semantics: &Semantics::new(self.network, Reading::Unbounded),
            sources: self.sources,
            bad: &self.bad,
            property: &outcome.property,
            promela: self.promela,
            inexact,
        };
        let (replayed, mut chart) = run_in.replayed(steps, cx)?;
        // What was given on the command line is in no file.
        if !self.settings.bad.is_empty() && chart.problem_code == BAD_CONFIGURATION {
            chart.problem_span = None;
        }
        outcome.witness = Some(chart);
        Ok(Claim::Violated(replayed))
    }
}

/// The limits of sets of queue contents.
fn languages(budget: &Budget) -> queues::Limits {
    // The estimate is of the sets alone; as much again goes for what surrounds them.
    let bytes = budget.most_memory().and_then(|bytes| usize::try_from(bytes / 2).ok()).unwrap_or(usize::MAX);
    queues::Limits { bytes, budget: budget.clone(), ..queues::Limits::default() }
}

/// The bad configurations that were given, or else those of the model.
pub fn chosen(own: Specification, network: &Network, given: &[String]) -> Result<Specification, Error> {
    if given.is_empty() {
        return Ok(own);
    }
    let mut specification = Specification::default();
    for line in given {
        let read = scm::read_bad("--bad", line, network);
        let Some(bad) = read.bad else {
            let message = format!("--bad '{line}' is not a set of configurations of this model");
            return Err(Error::argument(message, read.diagnostics, read.sources));
        };
        specification.bad.push(bad);
    }
    Ok(specification)
}

/// The engine's reason, as a user meets it: states of an automaton are memory, and steps are no limit of the command line.
fn reason_of(reason: Reason) -> Reason {
    match reason {
        Reason::States => Reason::Memory,
        Reason::Limit(_) => Reason::NotProvable(String::from(OUT_OF_STEPS)),
        other => other,
    }
}
