//! What a verdict rests on: a proof that was checked, or a run that was replayed.
//!
//! An engine only claims. [`Checked`] and [`Replayed`] have private fields, and the functions below, each of which calls
//! the checker or takes the run again step by step, are the only ones that make them. [`Finding::conclude`] is the only maker
//! of findings. So a proof that was not checked, and a violation that was not replayed, cannot be written down.
//!
//! The one exception says so itself: where the proof is an exhaustive search, it is checked [`By::Search`], and
//! `verify-certificate` searches again.

use crate::components::following::{Followed, Script};
use crate::components::{self, ComponentsFile};
use crate::compositions::{self, confirmed};
use crate::programs;
use crate::solvers::Checker;
use certify::Refusal;
use cfront::Component;
use cfront::program::ErrorKind;
use model::chart::{Chart, ChartStep, StepKey};
use model::composition::{Composition, Run};
use model::composition_proof::CompositionProof;
use model::context::Context;
use model::fault::Fault;
use model::flow_proof::FlowProof;
use model::network::Network;
use model::program_proof::ProgramProof;
use model::queue_proof::QueueProof;
use model::semantics::{Semantics, Step, Stepper};
use model::source::SourceMap;
use model::verdict::{Certificate, Outcome, Property, Reason, Verdict};
use scm::Specification;

/// Who checked a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// The independent checker.
    Checker,
    /// The search itself: the certificate says what it counted, and the checker would search again.
    Search,
}

/// A proof that was checked.
#[derive(Debug)]
pub struct Checked {
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

    /// What the proof of a formula comes to, if it holds vacuously for this reason.
    pub(crate) fn unless_vacuous(self, why: Option<String>) -> Claim {
        match why {
            Some(why) => Claim::Vacuous(why, self),
            None => Claim::Proved(self),
        }
    }

    /// A proof by weights; whether its bounds were refused, and given up.
    pub(crate) fn flow(
        network: &Network,
        property: &Property,
        mut proof: FlowProof,
        cx: &Context<'_>,
    ) -> Result<(Checked, bool), Refusal> {
        let mut accepted = certify::flow::verify(network, property, &proof, cx);
        let without_bounds = matches!(accepted, Err(Refusal::Bound(_)));
        if without_bounds {
            proof.bounds.clear();
            proof.bound_weights.clear();
            accepted = certify::flow::verify(network, property, &proof, cx);
        }
        accepted?;
        Ok((Checked { certificate: Certificate::Flow(Box::new(proof)), by: By::Checker }, without_bounds))
    }

    /// An invariant over queues: of communicating machines with these bad configurations, or of a Promela model.
    pub(crate) fn queues(
        network: &Network,
        bad: Option<&Specification>,
        property: &Property,
        proof: QueueProof,
        cx: &Context<'_>,
    ) -> Result<Checked, Refusal> {
        match bad {
            Some(bad) => certify::queues::verify(network, bad, property, &proof, cx)?,
            None => certify::queues::verify_promela(network, property, &proof, cx)?,
        }
        Ok(Checked { certificate: Certificate::Queues(Box::new(proof)), by: By::Checker })
    }

    /// Partitions of components.
    pub(crate) fn composition(
        composition: &Composition,
        property: &Property,
        proof: Box<CompositionProof>,
        cx: &Context<'_>,
    ) -> Result<Checked, Refusal> {
        let question = compositions::asked(composition, property);
        let question = question.ok_or_else(|| Refusal::WrongKind(property.to_string()))?;
        certify::composition::verify(composition, question, &proof, cx)?;
        Ok(Checked { certificate: Certificate::Composition(proof), by: By::Checker })
    }

    /// An invariant of a C program, and which solvers discharged its obligations.
    pub(crate) fn program(
        component: &Component,
        proof: ProgramProof,
        cross_check: bool,
        cx: &Context<'_>,
    ) -> Result<(Checked, String), Reason> {
        let mut solver = Checker::new(cross_check)?;
        let by = programs::accepted(component, &proof, &mut solver, cx)?;
        Ok((Checked { certificate: Certificate::Program(Box::new(proof)), by: By::Checker }, by))
    }

    /// Abstractions of C components.
    pub(crate) fn components(
        file: &ComponentsFile,
        holds: &cegar::Holds,
        cross_check: bool,
        cx: &Context<'_>,
    ) -> Result<(Checked, components::Accepted), Reason> {
        let accepted = components::accepted(&file.specification, holds, cross_check, cx)?;
        let (data_model, overflow) =
            (programs::data_model_name(file.options.data_model), file.options.signed_overflow_is_error);
        let proof = components::proof::written(holds, data_model, overflow);
        Ok((Checked { certificate: Certificate::Components(Box::new(proof)), by: By::Checker }, accepted))
    }

    /// An exhaustive search; `None` for a certificate of another kind.
    pub(crate) fn search(certificate: Certificate) -> Option<Checked> {
        let is_search = matches!(
            certificate,
            Certificate::Explored { .. } | Certificate::Product { .. } | Certificate::Searched { .. }
        );
        is_search.then_some(Checked { certificate, by: By::Search })
    }
}

/// Why a proof does not count.
pub(crate) fn refused(refusal: Refusal, cx: &Context<'_>) -> Reason {
    match refusal {
        Refusal::Unfinished(_) if cx.budget.is_cancelled() => Reason::Interrupted,
        Refusal::Unfinished(why) => Reason::NotProvable(format!("a proof was found, but not checked: {why}")),
        Refusal::Crash(fault) => Reason::Crash(fault),
        refusal => Reason::Internal(format!("the checker refuses the proof: {refusal}")),
    }
}

/// A run that was replayed.
#[derive(Debug)]
pub struct Replayed {
    steps: usize,
}

impl Replayed {
    /// The number of its steps.
    pub fn steps(&self) -> usize {
        self.steps
    }

    /// A run of a network: every step is possible, and it ends as the witness says.
    pub(crate) fn network(semantics: &Semantics<'_>, witness: &Chart) -> Result<Replayed, Reason> {
        Replayed::ending(semantics, witness, &|stepper, state| stays(stepper, state) && !stepper.is_valid_end(state))
    }

    /// A run of communicating machines, which have no valid ends: a message that is left is a deadlock, too.
    pub(crate) fn machines(semantics: &Semantics<'_>, witness: &Chart) -> Result<Replayed, Reason> {
        Replayed::ending(semantics, witness, &stays)
    }

    fn ending(semantics: &Semantics<'_>, witness: &Chart, stuck: &Stuck<'_>) -> Result<Replayed, Reason> {
        let step = |step: &ChartStep| match step.key {
            Some(StepKey::Network(key)) => Some(Step::from(key)),
            _ => None,
        };
        let steps: Option<Vec<Step>> = witness.steps.iter().map(step).collect();
        let steps = steps.ok_or_else(|| Reason::Internal(String::from("a run is not one of a network")))?;
        match replay(semantics, &steps, witness, stuck) {
            Some(true) => Ok(Replayed { steps: steps.len() }),
            Some(false) => Err(Reason::Internal(String::from("a run does not end as it should"))),
            None => Err(Reason::Internal(String::from("a run is not one of the model"))),
        }
    }

    /// A run of a composition, in words.
    pub(crate) fn composition(
        composition: &Composition,
        question: compose::Question<'_>,
        run: Run,
    ) -> Result<(Replayed, Chart), Reason> {
        let joint = confirmed::confirmed(composition, question, run).map_err(unconfirmed)?;
        Ok((Replayed { steps: joint.steps.len() }, joint))
    }

    /// A run of a C program, executed on its inputs; it must end in an error that counts.
    pub(crate) fn program(
        component: &Component,
        sources: &SourceMap,
        counts: &dyn Fn(&ErrorKind) -> bool,
        found: &cfront::interpret::Run,
    ) -> Result<(Replayed, Chart, cfront::interpret::Run), Reason> {
        let executed = programs::story::confirmed(component, sources, counts, found);
        let (words, run) = executed.map_err(|end| unconfirmed(&format!("it ends with {end:?}")))?;
        Ok((Replayed { steps: run.edges.len() }, words, run))
    }

    /// A run of C components, followed part by part.
    pub(crate) fn components<'p>(
        specification: &cegar::Specification,
        question: cegar::Question,
        parts: &'p [cegar::Part],
        sources: &SourceMap,
        script: &Script,
    ) -> Result<(Replayed, Followed<'p>, Chart), Reason> {
        let followed = components::confirmed(specification, question, parts, sources, script);
        let (followed, run) = followed.map_err(|why| unconfirmed(&why))?;
        Ok((Replayed { steps: run.steps.len() }, followed, run))
    }
}

fn unconfirmed(why: &str) -> Reason {
    Reason::Internal(format!("a run was found, but not confirmed: {why}"))
}

/// Takes the steps of a run again. `None` if one is not possible; else whether it ends as the witness says: with its fault, in
/// a state where nothing can move, or where its loop starts. What a loop adds to channels is decided elsewhere.
fn replay(semantics: &Semantics<'_>, steps: &[Step], witness: &Chart, stuck: &Stuck<'_>) -> Option<bool> {
    let mut stepper = semantics.stepper();
    let mut state = match stepper.initial().ok()? {
        Ok(state) => state,
        Err(fault) => return Some(steps.is_empty() && fault.fault.code() == witness.problem_code),
    };
    let (mut control, mut fault, mut start) = (None, None, None);
    for (position, &wanted) in steps.iter().enumerate() {
        if witness.loop_from == Some(position) {
            start = Some(state.clone());
        }
        let owner = match control {
            Some(process) if stepper.keeps_control(&state, process).ok()? => Some(process),
            _ => None,
        };
        let mut found = None;
        let taken = stepper.expand(&state, owner, &mut |successor| {
            if successor.step == wanted && found.is_none() {
                found = Some((successor.state.map(<[u8]>::to_vec), successor.control, successor.fault));
            }
        });
        taken.ok()?;
        let (next, next_control, next_fault) = found?;
        (control, fault) = (next_control, next_fault);
        match next {
            Some(next) => state = next,
            None if position + 1 < steps.len() => return None,
            None => {}
        }
    }
    Some(match start {
        Some(start) if witness.gains.is_empty() => start == state,
        Some(_) => true,
        None if Fault::CODES.contains(&witness.problem_code) => {
            fault.is_some_and(|found| found.fault.code() == witness.problem_code)
        }
        None if witness.problem_code == "invalid-end-state" => stuck(&mut stepper, &state),
        None => fault.is_none_or(|found| found.fault == Fault::Assertion),
    })
}

/// Whether a state is a deadlock.
type Stuck<'a> = dyn Fn(&mut Stepper<'_>, &[u8]) -> bool + 'a;

/// Whether nothing can move; that a message can be lost is no way out.
fn stays(stepper: &mut Stepper<'_>, state: &[u8]) -> bool {
    let mut moves = false;
    let expanded = stepper.expand(state, None, &mut |next| moves |= !matches!(next.step, Step::Loss { .. }));
    expanded.is_ok() && !moves
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
    /// What a search says: its proofs are searches, its runs are taken again.
    pub(crate) fn searched(outcome: Outcome, semantics: &Semantics<'_>) -> Answer {
        let claim = match &outcome.verdict {
            Verdict::Proved => outcome.certificate.clone().and_then(Checked::search).map(Claim::Proved),
            Verdict::Violated => outcome
                .witness
                .as_ref()
                .map(|witness| Replayed::network(semantics, witness).map_or_else(Claim::Open, Claim::Violated)),
            Verdict::Inconclusive(reason) => Some(Claim::Open(reason.clone())),
            Verdict::Vacuous(why) => {
                let proof = outcome.certificate.clone().and_then(Checked::search);
                proof.map(|proof| Claim::Vacuous(why.clone(), proof))
            }
        };
        let missing = || Claim::Open(Reason::Internal(String::from("a verdict has no evidence")));
        Answer { claim: claim.unwrap_or_else(missing), outcome }
    }

    pub(crate) fn is_open(&self) -> bool {
        matches!(self.claim, Claim::Open(_))
    }
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
        let claim = match too_long {
            Some(channel) => {
                let what = format!("`{}` gets longer than its bound", channel.name);
                Claim::Open(Reason::Internal(what))
            }
            None => claim,
        };
        let (verdict, proof, run) = match claim {
            Claim::Proved(proof) => (Verdict::Proved, Some(proof), None),
            Claim::Violated(run) => (Verdict::Violated, None, Some(run)),
            Claim::Vacuous(why, proof) => (Verdict::Vacuous(why), Some(proof), None),
            Claim::Open(reason) => (Verdict::Inconclusive(reason), None, None),
        };
        if let Some(proof) = &proof {
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

#[cfg(test)]
mod tests {
    use super::*;
    use model::semantics::Reading;
    use model::trace::Narrator;

    /// Whether the run of this only process, said to end with this problem, counts.
    fn counts(body: &str, problem_code: &'static str) -> bool {
        let read = promela::read(
            "test.pml",
            &format!("active proctype p() {{ {body} }}"),
            &promela::preprocess::Options::default(),
        );
        let network = read.network.expect("a model");
        let semantics = Semantics::new(&network, Reading::Declared);
        let (mut stepper, mut steps) = (semantics.stepper(), Vec::new());
        let mut state = Some(stepper.initial().expect("no limit").expect("no fault"));
        while let Some(here) = state.take() {
            let mut next = |successor: model::semantics::Successor<'_>| {
                steps.push(successor.step);
                state = successor.state.filter(|_| successor.fault.is_none()).map(<[u8]>::to_vec);
            };
            stepper.expand(&here, None, &mut next).expect("no limit");
        }
        let mut narrator = Narrator::new(&semantics, &read.sources);
        let replayed = narrator.replay(&steps).expect("a run");
        Replayed::network(&semantics, &Chart { problem_code, ..narrator.chart(replayed) }).is_ok()
    }

    #[test]
    fn a_run_that_ends_with_another_problem_does_not_count() {
        for (body, problem) in [
            ("int x; assert(x)", "assertion"),
            ("int x; x = 1 / x", "division-by-zero"),
            ("int x; x == 1", "invalid-end-state"),
        ] {
            for code in Fault::CODES.iter().chain(&["invalid-end-state"]) {
                assert_eq!(counts(body, code), *code == problem, "{body} {code}");
            }
        }
        assert!(!counts("skip", "invalid-end-state"), "a process that has ended is not stuck");
    }
}
