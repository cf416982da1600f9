//! What a verdict rests on: a proof that was checked, or a run that was replayed.
//!
//! An engine only claims. [`Checked`] has private fields, and the functions below, each of which calls the checker, are the
//! only ones that make one; [`Replayed`] is made only by the crate `replay`, which takes runs again step by step.
//! [`Finding::conclude`] is the only maker of findings. So a proof that was not checked, and a violation that was not replayed, cannot be written down.
//!
//! The one exception says so itself: where the proof is an exhaustive search, it is checked [`By::Search`], and
//! `verify-certificate` searches again.

use crate::components::{self, ComponentsFile};
use crate::programs;
use crate::solvers::{self, Checker};
use bitvector::SatRefuter;
use certify::flow::Accepted;
use certify::{Refusal, Subject};
use cfront::Component;
use model::composition::Composition;
use model::composition_proof::CompositionProof;
use model::context::Context;
use model::fairness::Fairness;
use model::flow_proof::FlowProof;
use model::network::Network;
use model::program_proof::ProgramProof;
use model::semantics::{Reading, Semantics};
use model::verdict::{Certificate, Outcome, Property, Reason, Verdict};
use replay::Replayed;
use scm::Specification;

/// Who checked a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// The independent checker.
    Checker,
    /// The search itself: the certificate says what it counted, and the checker would search again.
    Search,
}

/// A proof that was checked, and the property that it proves.
#[derive(Debug)]
pub struct Checked {
    property: Property,
    certificate: Certificate,
    by: By,
}

impl Checked {
    /// Who checked it.
    pub fn by(&self) -> By {
        self.by
    }

    /// The proof.
    pub fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn by_checker(property: &Property, certificate: Certificate) -> Checked {
        Checked { property: property.clone(), certificate, by: By::Checker }
    }

    /// What the proof of a formula comes to, if it holds vacuously for this reason.
    pub(crate) fn unless_vacuous(self, why: Option<String>) -> Claim {
        match why {
            Some(why) => Claim::Vacuous(why, self),
            None => Claim::Proved(self),
        }
    }

    /// A proof by weights, with these events as progress, and what the checker says that it proves. Bounds that it refuses
    /// are given up.
    pub(crate) fn flow(
        network: &Network,
        property: &Property,
        progress: Option<Vec<String>>,
        mut proof: FlowProof,
        cx: &Context<'_>,
    ) -> Result<(Checked, Accepted), Refusal> {
        if proof.progress.as_ref().map(|progress| &progress.events) != progress.as_ref() {
            return Err(Refusal::Malformed(String::from("the proof is about another kind of progress")));
        }
        let mut accepted = certify::flow::verify(network, property, &proof, cx);
        if matches!(accepted, Err(Refusal::Bound(_))) {
            proof.bounds.clear();
            proof.bound_weights.clear();
            accepted = certify::flow::verify(network, property, &proof, cx);
        }
        let accepted = accepted?;
        Ok((Checked::by_checker(property, Certificate::Flow(Box::new(proof))), accepted))
    }

    /// A proof by weights that no process comes to a place that an invariant forbids.
    pub(crate) fn arrivals(
        network: &Network,
        property: &Property,
        reading: Reading,
        proof: FlowProof,
        cx: &Context<'_>,
    ) -> Result<Checked, Refusal> {
        certify::arrivals::verify(network, property, reading, &proof, cx)?;
        Ok(Checked::by_checker(property, Certificate::Flow(Box::new(proof))))
    }

    /// An invariant over queues, with relations or ranks if need be: of communicating machines with these bad configurations, or of
    /// a Promela model.
    pub(crate) fn queues(
        network: &Network,
        bad: Option<&Specification>,
        property: &Property,
        certificate: Certificate,
        cx: &Context<'_>,
    ) -> Result<Checked, Refusal> {
        let subject = Subject::Network(network, bad);
        certify::check(subject, property, Reading::Unbounded, &certificate, &mut SatRefuter, cx)?;
        Ok(Checked::by_checker(property, certificate))
    }

    /// A property of machines with finitely many configurations, which the checker lists, too.
    pub(crate) fn finite(
        network: &Network,
        bad: &Specification,
        property: &Property,
        cx: &Context<'_>,
    ) -> Result<Checked, Refusal> {
        let semantics = Semantics::new(network, Reading::Unbounded);
        let stays_possible = matches!(property, Property::PartialDeadlock | Property::EventualReception);
        let (states, digest) = match stays_possible {
            true => certify::eventually::verify(&semantics, property, cx)?,
            false => certify::queue_search::verify(network, bad, property, cx)?,
        };
        let (longest, events) = Default::default();
        Ok(Checked::by_checker(property, Certificate::Explored { states, digest, longest, events }))
    }

    /// Partitions of components, about runs that are fair in this sense.
    pub(crate) fn composition(
        composition: &Composition,
        property: &Property,
        fair: Fairness,
        proof: Box<CompositionProof>,
        cx: &Context<'_>,
    ) -> Result<Checked, Refusal> {
        let question = composition.question(property, fair).ok_or_else(|| Refusal::WrongKind(property.to_string()))?;
        certify::composition::verify(composition, question, &proof, &mut SatRefuter, cx)?;
        Ok(Checked::by_checker(property, Certificate::Composition(proof)))
    }

    /// An invariant of a C program, and what refuted its obligations.
    pub(crate) fn program(
        component: &Component,
        proof: ProgramProof,
        cross_check: bool,
        cx: &Context<'_>,
    ) -> Result<(Checked, String), Reason> {
        let mut solver = Checker::new(cross_check)?;
        let by = programs::accepted(component, &proof, &mut solver, cx)?;
        Ok((Checked::by_checker(&Property::Safety, Certificate::Program(Box::new(proof))), by))
    }

    /// Abstractions of C components.
    pub(crate) fn components(
        file: &ComponentsFile,
        property: &Property,
        holds: &cegar::Holds,
        cross_check: bool,
        cx: &Context<'_>,
    ) -> Result<(Checked, components::Accepted), Reason> {
        if file.specification.question(property) != Some(holds.question) {
            return Err(Reason::Internal(format!("a proof of something else is claimed for {property}")));
        }
        let accepted = components::accepted(file, holds, cross_check, cx)?;
        let certificate = Certificate::Components(Box::new(accepted.proof.clone()));
        Ok((Checked::by_checker(property, certificate), accepted))
    }

    /// An exhaustive search of a network.
    pub(crate) fn search(network: &Network, property: &Property, certificate: Certificate) -> Result<Checked, Reason> {
        let is_search = matches!(
            certificate,
            Certificate::Explored { .. } | Certificate::Product { .. } | Certificate::Searched { .. }
        );
        match certify::keeps(network, property) {
            Ok(()) if is_search => Ok(Checked { property: property.clone(), certificate, by: By::Search }),
            Ok(()) => Err(Reason::Internal(String::from("a verdict has no evidence"))),
            Err(guessed) => Err(Reason::NotProvable(guessed.to_string())),
        }
    }
}

/// Why a proof does not count.
pub(crate) fn refused(refusal: Refusal, cx: &Context<'_>) -> Reason {
    match refusal {
        Refusal::Unfinished(_) if cx.budget.is_cancelled() => Reason::Interrupted,
        Refusal::Unfinished(why) => Reason::NotProvable(format!("a proof was found, but not checked: {why}")),
        Refusal::Undecided(reason) => solvers::unchecked(reason),
        Refusal::Crash(fault) => Reason::Crash(fault),
        Refusal::Havoc(_) => Reason::NotProvable(refusal.to_string()),
        refusal => Reason::Internal(format!("the checker refuses the proof: {refusal}")),
    }
}

/// What an engine's answer comes to.
#[derive(Debug)]
pub(crate) enum Claim {
    Proved(Checked),
    Violated(Replayed),
    /// It holds, and says nothing: why, and the proof.
    Vacuous(String, Checked),
    Open(Reason),
}

impl From<Result<Claim, Reason>> for Claim {
    fn from(found: Result<Claim, Reason>) -> Claim {
        found.unwrap_or_else(Claim::Open)
    }
}

/// An answer that is not concluded yet; the verdict of the outcome does not count.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) outcome: Outcome,
    pub(crate) claim: Claim,
}

impl Answer {
    /// What is known of a property before an engine has looked at it. The reading does not matter where there are no channels.
    pub(crate) fn blank(property: &Property, reading: Reading, engine: &'static str) -> Outcome {
        Outcome::open(property.clone(), reading, engine, Reason::NotProvable(String::new()))
    }

    /// What a search says: its proofs are searches, its runs are taken again.
    pub(crate) fn searched(mut outcome: Outcome, semantics: &Semantics<'_>, cx: &Context<'_>) -> Answer {
        let runs = if outcome.verdict == Verdict::Violated { replayed(&mut outcome, semantics, cx) } else { None };
        let search = || {
            let certificate = outcome.certificate.clone()?;
            Some(Checked::search(semantics.network(), &outcome.property, certificate))
        };
        let claim = match &outcome.verdict {
            Verdict::Proved => search().map(|found| found.map_or_else(Claim::Open, Claim::Proved)),
            Verdict::Violated => runs,
            Verdict::Inconclusive(reason) => Some(Claim::Open(reason.clone())),
            Verdict::Vacuous(why) => {
                search().map(|found| found.map_or_else(Claim::Open, |proof| Claim::Vacuous(why.clone(), proof)))
            }
        };
        let missing = || Claim::Open(Reason::Internal(String::from("a verdict has no evidence")));
        Answer { claim: claim.unwrap_or_else(missing), outcome }
    }

    pub(crate) fn is_open(&self) -> bool {
        matches!(self.claim, Claim::Open(_))
    }
}

/// The runs of a violation, taken again: the first that counts becomes its witness, and the others that count stay.
fn replayed(outcome: &mut Outcome, semantics: &Semantics<'_>, cx: &Context<'_>) -> Option<Claim> {
    let runs = outcome.witness.take().into_iter().chain(std::mem::take(&mut outcome.details.others));
    let (mut counts, mut refused) = (None, None);
    for chart in runs {
        match Replayed::network(semantics, &chart, cx) {
            Ok(_) if counts.is_some() => outcome.details.others.push(chart),
            Ok(run) => (counts, outcome.witness) = (Some(run), Some(chart)),
            Err(reason @ Reason::Internal(_)) => return Some(Claim::Open(reason)),
            Err(reason) => {
                outcome.witness.get_or_insert(chart);
                refused.get_or_insert(reason);
            }
        }
    }
    counts.map(Claim::Violated).or(refused.map(Claim::Open))
}

/// The result for one property.
#[derive(Debug)]
pub struct Finding {
    outcome: Outcome,
    proof: Option<Checked>,
    run: Option<Replayed>,
}

impl Finding {
    /// The verdict follows from the evidence, and from nothing else.
    pub(crate) fn conclude(answer: Answer) -> Finding {
        let Answer { mut outcome, claim } = answer;
        let too_long = outcome.details.channels.iter().find(|channel| {
            channel.reached.zip(channel.proved_at_most).is_some_and(|(reached, at_most)| reached > at_most)
        });
        let claim = match (too_long, claim) {
            (Some(channel), _) => {
                let what = format!("`{}` gets longer than its bound", channel.name);
                Claim::Open(Reason::Internal(what))
            }
            (None, Claim::Proved(proof) | Claim::Vacuous(_, proof)) if proof.property != outcome.property => {
                Claim::Open(Reason::Internal(format!(
                    "a proof of {} is claimed for {}",
                    proof.property, outcome.property
                )))
            }
            (None, claim) => claim,
        };
        let (verdict, proof, run) = match claim {
            Claim::Proved(proof) => (Verdict::Proved, Some(proof), None),
            Claim::Violated(run) => (Verdict::Violated, None, Some(run)),
            Claim::Vacuous(why, proof) => (Verdict::Vacuous(why), Some(proof), None),
            Claim::Open(reason) => (Verdict::Inconclusive(reason), None, None),
        };
        if let (Some(proof), Verdict::Proved) = (&proof, &verdict) {
            outcome.certificate = Some(proof.certificate.clone());
        }
        outcome.verdict = verdict;
        Finding { outcome, proof, run }
    }

    /// The same without the evidence, for renderers.
    pub fn into_outcome(self) -> Outcome {
        self.outcome
    }

    /// The proof, for a property that is proved or holds vacuously.
    pub fn proof(&self) -> Option<&Checked> {
        self.proof.as_ref()
    }

    /// The run, for a property that is violated.
    pub fn run(&self) -> Option<&Replayed> {
        self.run.as_ref()
    }
}
