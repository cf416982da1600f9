//! Communicating machines: the questions that the engine `fifo` answers, and what is made of its answers.
//!
//! The engine works on plain machines. A network with data is folded first, if it can be. What comes back is not believed:
//! a run is replayed in the semantics of the network, and its end looked at (`ending`); an invariant is handed to the small
//! checker. A proof for folded machines speaks of other machines than those of the file, so that the checker cannot take
//! it, and there is no verdict then.

mod ending;
mod proof;
mod settings;
mod story;
mod system;

pub use ending::ending;

use crate::arguments::CheckArgs;
use crate::failure::Failure;
use crate::model_file::ModelFile;
use crate::terminal;
use ending::Ending;
use fifo::{Invariant, Method, Statistics, System};
use model::network::Network;
use model::semantics::{Reading, Semantics, Step};
use model::trace::Narrator;
use model::verdict::{Certificate, Details, Limits, Observer, Outcome, Property, QueueStats, Reason, Verdict, Witness};
use report::diagnostics;
use report::style::Style;
use scm::{Folded, Specification};
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;
use story::Listener;

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

/// A model of communicating machines, ready to be asked.
pub struct Machines<'a> {
    file: &'a ModelFile,
    network: &'a Network,
    args: &'a CheckArgs,
    stop: Arc<AtomicBool>,
    method: Method,
    /// The plain machines, or why there are none.
    target: Result<Target, String>,
}

/// Plain machines: those of the model, or what its data were folded into.
struct Target {
    system: System,
    specification: Specification,
    folded: Option<Folded>,
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
        let own = file.specification.clone().unwrap_or_default();
        let method = settings::method(args)?;
        let target = match system::system(network, &own) {
            Ok(_) => {
                let specification = chosen(own, network, &args.bad, terminal::error_style(&args.style))?;
                made(network, specification, None)
            }
            Err(system::HasData) => {
                match scm::fold(network, &scm::fold::Limits { deadline, ..scm::fold::Limits::default() }) {
                    Ok(folded) => {
                        let mut specification = folded.specification(network, &own);
                        specification.bad.extend(folded.errors().bad);
                        let style = terminal::error_style(&args.style);
                        let specification = chosen(specification, &folded.network, &args.bad, style)?;
                        made(&folded.network.clone(), specification, Some(folded))
                    }
                    Err(refusal) => Err(format!("{refusal} ({})", file.sources.describe(refusal.span))),
                }
            }
        };
        Ok(Machines { file, network, args, stop: Arc::clone(stop), method, target })
    }

    /// Whether there is a configuration that is bad.
    pub fn has_bad(&self) -> bool {
        self.target.as_ref().map_or(true, |target| !target.specification.bad.is_empty())
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
        let mut listener = Listener { system: &target.system, observer, tell };
        let report = fifo::check(&target.system, question, &self.method, &self.limits(share, limits), &mut listener);
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
        if target.folded.is_some() {
            let why = "no run violates it, but the proof is about machines whose data were folded into their states, \
                       and no certificate of this version can say so";
            return Err(Reason::NotSupported(String::from(why)));
        }
        let proof = proof::proof(&invariant, if outcome.property == Property::Safety { &self.args.bad } else { &[] });
        drop(invariant);
        let specification = &target.specification;
        match certify::queues::verify(self.network, specification, &outcome.property, &proof, limits, observer) {
            Ok(()) => {
                outcome.certificate = Some(Certificate::Queues(Box::new(proof)));
                Ok(Verdict::Proved)
            }
            Err(certify::Refusal::Unfinished(_)) if observer.cancelled() => Err(Reason::Interrupted),
            Err(certify::Refusal::Unfinished(why)) => {
                Err(Reason::NotProvable(format!("a proof was found, but not checked: {why}")))
            }
            Err(refusal) => {
                Err(Reason::NotProvable(format!("the checker refuses the proof, please report this: {refusal}")))
            }
        }
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

    /// A run counts once it was replayed, and ends as it should.
    fn violated(&self, target: &Target, run: &fifo::Run, outcome: &mut Outcome) -> Result<Verdict, Reason> {
        let steps = system::steps(&target.system, run);
        let (found, replayed) = match &target.folded {
            None => (self.end_of(self.network, target, &outcome.property, &steps), steps),
            Some(folded) => (self.end_of(&folded.network, target, &outcome.property, &steps), folded.replay(&steps)),
        };
        let found = found.ok_or_else(|| unconfirmed("the run does not end as it should"))?;
        outcome.witness = Some(self.witness(&outcome.property, found, &replayed)?);
        Ok(Verdict::Violated)
    }

    /// What is wrong at the end of a run of plain machines.
    fn end_of(&self, network: &Network, target: &Target, property: &Property, steps: &[Step]) -> Option<Ending> {
        let semantics = Semantics::new(network, Reading::Unbounded);
        let replayed = Narrator::new(&semantics, &self.file.sources).replay(steps).ok()?;
        ending(&semantics, &self.file.sources, &target.specification, property, &replayed.state)
    }

    /// The run in words.
    fn witness(&self, property: &Property, mut end: Ending, steps: &[Step]) -> Result<Witness, Reason> {
        let semantics = Semantics::new(self.network, Reading::Unbounded);
        let mut narrator = Narrator::new(&semantics, &self.file.sources);
        let replayed = narrator.replay(steps).map_err(|_| unconfirmed("the run is none of the model"))?;
        if let Some(fault) = &replayed.fault {
            if *property != Property::Safety {
                return Err(Reason::Crash(fault.fault.to_string()));
            }
            end = Ending { problem: fault.fault.to_string(), code: fault.fault.code(), span: Some(fault.span) };
        }
        // What was given on the command line is in no file.
        let span = end.span.filter(|_| self.args.bad.is_empty() || replayed.fault.is_some());
        Ok(Witness {
            standing: narrator.snapshot(&replayed.state).processes,
            steps: replayed.steps,
            loop_from: None,
            gains: Vec::new(),
            remarks: Vec::new(),
            problem: end.problem,
            problem_code: end.code,
            problem_span: span,
        })
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

fn made(network: &Network, specification: Specification, folded: Option<Folded>) -> Result<Target, String> {
    match system::system(network, &specification) {
        Ok(system) => Ok(Target { system, specification, folded }),
        Err(system::HasData) => Err(String::from("the model has data that cannot be folded into states")),
    }
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
