//! Queues of any length: the questions that the engine `fifo` answers, and what is made of its answers.
//!
//! The engine works on plain machines. A network with data, one of a file of machines or of a Promela model whose channels
//! are read without bounds, is folded first, if it can be, or made one machine (`target`). What comes back is not believed: a run is replayed in
//! the semantics of the network, and its end looked at (`runs`, `ending`); an invariant is taken back to the network
//! (`lifted`) and handed to the small checker. `promela` says when a Promela model comes here.

mod correspond;
mod ending;
mod lifted;
mod promela;
mod proof;
mod runs;
mod settings;
mod story;
mod system;
mod target;
mod whole;

pub use ending::ending;
pub use promela::unbounded;

use crate::arguments::CheckArgs;
use crate::failure::Failure;
use crate::model_file::ModelFile;
use crate::terminal;
use ending::Ending;
use fifo::{Invariant, Method, Statistics};
use lifted::Unlifted;
use model::network::Network;
use model::queue_proof::QueueProof;
use model::semantics::Reading;
use model::verdict::{Certificate, Details, Limits, Observer, Outcome, Property, QueueStats, Reason, Verdict};
use report::diagnostics;
use report::style::Style;
use scm::Specification;
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;
use story::Listener;
use target::{Origin, Target};

/// The name of the engine.
pub const ENGINE: &str = "fifo";
/// More control states than this are not shown as expressions.
const MOST_ROWS: usize = 500;

/// What is asked when nothing is.
pub fn properties() -> Vec<Property> {
    vec![Property::Safety, Property::Deadlock, Property::Reception, Property::Orphan]
}

/// Whether the engine answers a question.
pub fn answers(property: &Property) -> bool {
    question(property).is_some()
}

fn question(property: &Property) -> Option<fifo::Property> {
    Some(match property {
        Property::Safety => fifo::Property::BadStates,
        Property::Deadlock => fifo::Property::Deadlock,
        Property::Reception => fifo::Property::Reception,
        Property::Orphan => fifo::Property::Orphan,
        _ => return None,
    })
}

/// A model, ready to be asked.
pub struct Machines<'a> {
    file: &'a ModelFile,
    network: &'a Network,
    args: &'a CheckArgs,
    stop: Arc<AtomicBool>,
    method: Method,
    /// It is a Promela model, and not one of communicating machines.
    promela: bool,
    /// The plain machines, or why there are none.
    target: Result<Target, String>,
}

impl<'a> Machines<'a> {
    /// Reads the settings, folds data if there are any.
    pub fn new(
        file: &'a ModelFile,
        network: &'a Network,
        args: &'a CheckArgs,
        deadline: Option<Instant>,
        stop: &Arc<AtomicBool>,
    ) -> Result<Self, Failure> {
        let method = settings::method(args)?;
        let promela = file.specification.is_none();
        let own = file.specification.clone().unwrap_or_default();
        let original = chosen(own, network, &args.bad, terminal::error_style(&args.style))?;
        let target = match system::system(network, &original) {
            Ok(_) if !promela => Target::plain(network, original),
            _ => {
                let limits = scm::fold::Limits { deadline, ..scm::fold::Limits::default() };
                match scm::fold(network, &limits) {
                    // Where folding splits atomic sequences, one machine that does not is better.
                    Ok(folded) if promela && !folded.is_exact() => {
                        Target::whole(network, deadline).or_else(|_| Target::folded(network, folded, original, promela))
                    }
                    Ok(folded) => Target::folded(network, folded, original, promela),
                    Err(refusal) => {
                        let folding = format!("{refusal} ({})", file.sources.describe(refusal.span));
                        let together = if promela { Target::whole(network, deadline) } else { Err(String::new()) };
                        together
                            .map_err(|why| if why.is_empty() { folding.clone() } else { format!("{folding}; {why}") })
                    }
                }
            }
        };
        Ok(Machines { file, network, args, stop: Arc::clone(stop), method, promela, target })
    }

    /// Whether there are plain machines to ask about.
    fn fits(&self) -> bool {
        self.target.is_ok()
    }

    /// Whether there is a configuration that is bad.
    pub fn has_bad(&self) -> bool {
        self.promela || self.target.as_ref().map_or(true, |target| !target.specification.bad.is_empty())
    }

    /// The questions, one after the other; each has its share of the time that is left.
    pub fn check(&self, properties: &[Property], limits: &Limits, observer: &dyn Observer) -> Vec<Outcome> {
        let mine = |p: &&Property| answers(p) && (**p != Property::Safety || self.has_bad());
        let asked: Vec<&Property> = properties.iter().filter(mine).collect();
        let mut outcomes = Vec::new();
        for (index, &property) in asked.iter().enumerate() {
            let now = Instant::now();
            let left = (asked.len() - index) as u32;
            let share = |deadline: Instant| now + deadline.saturating_duration_since(now) / left;
            let share = limits.deadline.map(share);
            let mut outcome = self.answer(property, share, limits, observer);
            outcome.time = now.elapsed();
            outcomes.push(outcome);
        }
        outcomes
    }

    fn answer(&self, property: &Property, share: Option<Instant>, limits: &Limits, observer: &dyn Observer) -> Outcome {
        let mut outcome = Outcome {
            property: property.clone(),
            verdict: Verdict::Proved,
            reading: Reading::Unbounded,
            engine: ENGINE,
            time: std::time::Duration::ZERO,
            stats: None,
            witness: None,
            certificate: None,
            details: Details::default(),
        };
        let (target, question) = match (&self.target, question(property)) {
            (Ok(target), Some(question)) => (target, question),
            (Err(why), _) => {
                outcome.verdict = Verdict::Inconclusive(Reason::NotSupported(why.clone()));
                return outcome;
            }
            (_, None) => return outcome,
        };
        let tell = self.args.trace_refinement;
        let (system, question) = match (&target.origin, question) {
            (Origin::Folded(folding), fifo::Property::Deadlock) => (&folding.stuck, fifo::Property::Stuck),
            (Origin::Whole(whole), fifo::Property::Deadlock) => (&whole.stuck, fifo::Property::Stuck),
            _ => (&target.system, question),
        };
        let mut listener = Listener { system, observer, tell };
        let report = fifo::check(system, question, &self.method, &self.limits(share, limits), &mut listener);
        outcome.details.queues = Some(stats(&report.statistics));
        let found = match report.verdict {
            fifo::Verdict::Safe(invariant) => self.proved(target, *invariant, &mut outcome, limits, observer),
            fifo::Verdict::Unsafe(run) => self.violated(target, &run, &mut outcome),
            fifo::Verdict::Inconclusive(reason) => Err(reason_of(&reason)),
        };
        outcome.verdict = found.unwrap_or_else(Verdict::Inconclusive);
        outcome
    }

    fn limits(&self, deadline: Option<Instant>, limits: &Limits) -> fifo::Limits {
        let stop = Arc::clone(&self.stop);
        // The story is that of one thread.
        let threads = if self.args.trace_refinement { 1 } else { self.args.jobs };
        fifo::Limits {
            deadline,
            // The estimate is of the sets alone; as much again goes for what surrounds them.
            memory: limits.memory.and_then(|bytes| usize::try_from(bytes / 2).ok()),
            steps: None,
            threads: Some(threads),
            cancel: Some(Arc::new(move || stop.load(Ordering::Relaxed))),
        }
    }

    /// An invariant counts once the checker has accepted it.
    fn proved(
        &self,
        target: &Target,
        mut invariant: Invariant,
        outcome: &mut Outcome,
        limits: &Limits,
        observer: &dyn Observer,
    ) -> Result<Verdict, Reason> {
        if self.args.stats {
            self.show(target, &mut invariant, outcome, limits);
        }
        let proof = self.proof(target, invariant, &outcome.property, limits)?;
        let checked = match self.promela {
            true => certify::queues::verify_promela(self.network, &outcome.property, &proof, limits, observer),
            false => {
                let specification = match &target.origin {
                    Origin::Folded(folding) => &folding.original,
                    _ => &target.specification,
                };
                certify::queues::verify(self.network, specification, &outcome.property, &proof, limits, observer)
            }
        };
        match checked {
            Ok(()) => {
                outcome.certificate = Some(Certificate::Queues(Box::new(proof)));
                Ok(Verdict::Proved)
            }
            Err(certify::Refusal::Unfinished(_)) if observer.cancelled() => Err(Reason::Interrupted),
            Err(certify::Refusal::Unfinished(why)) => {
                Err(Reason::NotProvable(format!("a proof was found, but not checked: {why}")))
            }
            Err(certify::Refusal::Crash(fault)) => Err(Reason::Crash(fault)),
            Err(refusal) => {
                Err(Reason::NotProvable(format!("the checker refuses the proof, please report this: {refusal}")))
            }
        }
    }

    /// The invariant as a proof for the model.
    fn proof(
        &self,
        target: &Target,
        invariant: Invariant,
        property: &Property,
        limits: &Limits,
    ) -> Result<QueueProof, Reason> {
        let bad = if *property == Property::Safety { self.args.bad.as_slice() } else { &[] };
        let folding = match &target.origin {
            Origin::Model => return Ok(proof::proof(&invariant, bad)),
            Origin::Whole(whole) => return Ok(whole.proof(&invariant)),
            Origin::Folded(folding) => folding,
        };
        if *property == Property::Reception {
            let why = "no run violates it, but the proof is about machines whose data were folded into their states, \
                       and no certificate of this version can say so of receptions";
            return Err(Reason::NotSupported(String::from(why)));
        }
        let stop = Arc::clone(&self.stop);
        let limits = queues::Limits {
            deadline: limits.deadline,
            bytes: limits.memory.and_then(|bytes| usize::try_from(bytes / 2).ok()).unwrap_or(usize::MAX),
            interrupt: Some(Arc::new(move || stop.load(Ordering::Relaxed))),
            ..queues::Limits::default()
        };
        lifted::lift(self.network, &folding.folded, invariant, bad, limits).map_err(|why| match why {
            Unlifted::Limit(limit) => reason_of(&fifo::Reason::Limit(limit)),
            Unlifted::Why(why) => {
                Reason::NotProvable(format!("a proof was found, but not for the model itself: {why}"))
            }
        })
    }

    /// The invariant for people.
    fn show(&self, target: &Target, invariant: &mut Invariant, outcome: &mut Outcome, limits: &Limits) {
        if invariant.reached.len() > MOST_ROWS {
            return;
        }
        invariant.languages.set_limits(queues::Limits { deadline: limits.deadline, ..queues::Limits::default() });
        let table = invariant.table(&target.system).unwrap_or_default();
        if let Some(stats) = &mut outcome.details.queues {
            stats.invariant = table.into_iter().map(|(control, set)| (control.join(", "), set)).collect();
        }
    }
}

/// The bad configurations that were given, or else those of the model.
pub fn chosen(own: Specification, network: &Network, given: &[String], style: Style) -> Result<Specification, Failure> {
    if given.is_empty() {
        return Ok(own);
    }
    let mut specification = Specification::default();
    for line in given {
        let read = scm::read_bad("--bad", line, network);
        let Some(bad) = read.bad else {
            let text = diagnostics::render(&read.diagnostics, &read.sources, style);
            std::io::stderr().write_all(text.as_bytes())?;
            return Err(Failure::Usage(format!("--bad '{line}' is not a set of configurations of this model")));
        };
        specification.bad.push(bad);
    }
    Ok(specification)
}

fn unconfirmed(why: &str) -> Reason {
    Reason::NotProvable(format!("a run was found, but not confirmed, please report this: {why}"))
}

fn reason_of(reason: &fifo::Reason) -> Reason {
    match reason {
        fifo::Reason::Limit(queues::Limit::Deadline) => Reason::Timeout,
        fifo::Reason::Limit(queues::Limit::Memory | queues::Limit::States) => Reason::Memory,
        fifo::Reason::Limit(queues::Limit::Interrupted) => Reason::Interrupted,
        fifo::Reason::Malformed(why) => Reason::NotSupported(why.clone()),
        other => Reason::NotProvable(other.to_string()),
    }
}

fn stats(statistics: &Statistics) -> QueueStats {
    QueueStats {
        method: statistics.method.clone(),
        iterations: statistics.iterations as u64,
        abstract_states: statistics.abstract_states as u64,
        abstract_transitions: statistics.abstract_transitions as u64,
        configurations: statistics.configurations as u64,
        controls: statistics.controls as u64,
        languages: statistics.languages as u64,
        memory_bytes: statistics.bytes as u64,
        invariant: Vec::new(),
    }
}
