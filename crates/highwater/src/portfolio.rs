//! A portfolio for boundedness and livelock: the flow engine, explicit-state search, or both at the same time.
//!
//! The flow engine proves for channels of any length, in milliseconds, or hands out a combination of cycles that nothing
//! forbids. The explicit engine then looks for a run that realises it, or visits all states after all. [`Portfolio`] runs them
//! one after the other, or at the same time; `boundedness.rs` and `livelock.rs` decide what follows from both.

use crate::evidence::{Answer, Checked, refused};
use explore::Options;
use flow::{Question, Report};
use model::budget::Stopwatch;
use model::context::Context;
use model::fairness::Fairness;
use model::flow_proof::QueueKey;
use model::network::{Initial, Network};
use model::semantics::Reading;
use model::source::SourceMap;
use model::stats::{Datum, Exhibit, Field, Sheet};
use model::trace::statement;
use model::verdict::{ChannelState, ChannelVerdict, CycleVerdict, Details, Outcome, Property};
use std::collections::HashMap;
use std::time::Duration;

/// How long the static engine has before the search starts beside it.
const FIRST_ATTEMPT: Duration = Duration::from_secs(1);
/// The stack of a thread of its own.
const STACK: usize = 256 << 20;

/// Who may answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Engines {
    /// Both, the static one first.
    Both,
    /// The static one.
    Flow,
    /// The search.
    Explore,
}

/// What the flow engine says, with the proof that the checker accepted.
pub(crate) struct Proved {
    pub(crate) report: Report,
    pub(crate) checked: Option<Checked>,
}

impl Proved {
    pub(crate) fn nothing() -> Proved {
        Proved { report: Report::empty(), checked: None }
    }
}

/// The engines and settings for a property.
pub struct Portfolio<'a> {
    /// The model.
    pub network: &'a Network,
    /// Its text.
    pub sources: &'a SourceMap,
    /// Who may answer.
    pub engines: Engines,
    /// How much may be used, and who watches.
    pub cx: Context<'a>,
    /// For livelock: which runs count.
    pub fair: Fairness,
    /// How to search.
    pub options: Options,
    /// The property was not requested: the answer may cost little.
    pub advisory: bool,
    /// The papers' own method instead of the default.
    pub enumerate_cycles: bool,
}

/// Whether the network has a channel that holds messages.
pub fn has_buffered_channel(network: &Network) -> bool {
    let locals = network.machines.iter().flat_map(|m| &m.variables);
    network.variables.iter().chain(locals).any(|v| match v.initial {
        Initial::NewChannel(ty) => !network.channel_types[ty.index()].is_rendezvous(),
        _ => false,
    })
}

impl Portfolio<'_> {
    /// The static engine and a search at the same time. Who is done first stops the other.
    pub(crate) fn beside<T>(
        &self,
        question: &Question,
        search: impl FnOnce(&Context<'_>) -> T,
        decides: impl Fn(&T) -> bool,
    ) -> (Proved, T) {
        let ((static_side, stop_static), (search_side, stop_search)) =
            (self.cx.budget.linked(), self.cx.budget.linked());
        std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().stack_size(STACK);
            let handle = thread.spawn_scoped(scope, || {
                let proved = self.flow(question, &self.cx.with(&static_side));
                if proved.report.complete {
                    stop_search.cancel();
                }
                proved
            });
            let found = search(&self.cx.with(&search_side));
            if decides(&found) {
                stop_static.cancel();
            }
            let proved = handle.ok().and_then(|handle| handle.join().ok()).unwrap_or_else(Proved::nothing);
            (proved, found)
        })
    }

    /// The static engine for a moment.
    pub(crate) fn first_attempt(&self, question: &Question) -> Proved {
        let moment = self.cx.budget.share(4).at_most(FIRST_ATTEMPT);
        self.accepted(self.proved(question, &self.cx.with(&moment)), question, &self.cx)
    }

    /// The static engine. What it proves counts only after the checker has accepted it.
    pub(crate) fn flow(&self, question: &Question, cx: &Context<'_>) -> Proved {
        self.accepted(self.proved(question, cx), question, cx)
    }

    fn proved(&self, question: &Question, cx: &Context<'_>) -> Report {
        let check = if self.enumerate_cycles { flow::cycles::check } else { flow::check };
        check(self.network, question, cx)
    }

    /// A report whose proof the checker has accepted; bounds that it refuses are given up, and so is a proof.
    fn accepted(&self, mut report: Report, question: &Question, cx: &Context<'_>) -> Proved {
        let (property, events) = match question {
            Question::Boundedness => (Property::Boundedness, None),
            Question::Livelock { events } => {
                (Property::Livelock, Some(events.iter().map(|(text, _)| text.clone()).collect()))
            }
        };
        let proof = report.proof.take();
        // A proof that claims no channel proves nothing.
        let claims = property == Property::Livelock || report.queues.iter().any(|queue| queue.bounded);
        let keys: Vec<QueueKey> = proof.iter().flat_map(|p| p.abstraction.queues.iter().map(|q| q.key)).collect();
        let checked = proof.filter(|_| claims).map(|proof| Checked::flow(self.network, &property, events, proof, cx));
        let checked = match checked {
            // What is bounded, and by how much, is what the checker says.
            Some(Ok((checked, accepted))) => {
                report.complete &= property == Property::Livelock || accepted.bounded.len() == accepted.buffered;
                let bounds: HashMap<QueueKey, Option<u64>> = accepted.bounded.into_iter().collect();
                for queue in &mut report.queues {
                    let bound = keys.get(queue.queue as usize).and_then(|key| bounds.get(key));
                    (queue.bounded, queue.at_most) = (bound.is_some(), bound.copied().flatten());
                }
                return Proved { report, checked: Some(checked) };
            }
            Some(Err(refusal)) => Some(refused(refusal, cx)),
            None => None,
        };
        report.complete = false;
        report.queues.iter_mut().for_each(|queue| (queue.bounded, queue.at_most) = (false, None));
        report.reason = checked.or(report.reason);
        Proved { report, checked: None }
    }

    /// An answer to be filled in.
    pub(crate) fn outcome(&self, property: Property, reading: Reading, start: Stopwatch) -> Outcome {
        Outcome { time: start.elapsed(), ..Answer::blank(&property, reading, flow::ENGINE) }
    }

    /// What the static engine said, for people.
    pub(crate) fn details(&self, report: &Report) -> Details {
        let channels = report.queues.iter().map(|queue| ChannelVerdict {
            name: queue.name.clone(),
            state: if queue.bounded { ChannelState::Bounded } else { ChannelState::Inconclusive },
            declared: queue.declared,
            proved_at_most: queue.at_most,
            weights_at_most: None,
            reached: None,
            gain: None,
            messages: queue.messages.clone(),
            senders: queue.senders.clone(),
            receivers: queue.receivers.clone(),
            span: queue.span,
        });
        Details {
            channels: channels.collect(),
            cycles: report.cycles.iter().map(|cycle| self.cycle(cycle)).collect(),
            grows: report.grows.clone(),
            sheets: (self.engines != Engines::Explore).then(|| sheet(report)).into_iter().collect(),
            exhibits: vec![refinements(report)],
            advisory: self.advisory,
            ..Details::default()
        }
    }

    fn cycle(&self, cycle: &flow::CycleReport) -> CycleVerdict {
        let machine = self.network.machine(cycle.machine);
        let line = |&edge: &model::ids::EdgeId| {
            let edge = &machine.edges[edge.index()];
            (statement(self.network, cycle.machine, edge, self.sources), edge.span)
        };
        CycleVerdict {
            process: cycle.process.clone(),
            times: cycle.times.clone(),
            statements: cycle.edges.iter().map(line).collect(),
            effects: cycle.effects.clone(),
        }
    }
}

/// The columns of the papers on this method. Those about elementary cycles are there only where they were enumerated.
fn sheet(report: &Report) -> Sheet {
    let (sizes, combinations) = (&report.sizes, &report.combinations);
    let mut sheet = Sheet::new("flow for")
        .with("instances", "instances", sizes.instances as u64)
        .with("points", "points", sizes.nodes as u64)
        .with("abstract_transitions", "transitions", sizes.transitions as u64)
        .with("message_types", "message types", sizes.messages as u64);
    if let Some(cycles) = sizes.cycles {
        sheet.push("cycles", "cycles", cycles as u64);
    }
    if let Some(vectors) = sizes.effect_vectors {
        sheet.push("effect_vectors", "effect vectors", vectors as u64);
    }
    let refuted = combinations.iter().filter(|combination| combination.refined.is_some()).count();
    sheet
        .with("counterexamples", "counterexamples", combinations.len() as u64)
        .with("spurious", "spurious", refuted as u64)
        .with("linear_problems", "linear problems", sizes.problems as u64)
}

/// What became of each combination of cycles on the way to a proof: this is where the time of a hard proof went.
fn refinements(report: &Report) -> Exhibit {
    let row = |combination: &flow::Combination| {
        let refined = combination.refined.as_deref().unwrap_or_default();
        Datum::Record(vec![
            Field::new("processes", "processes", Datum::texts(&combination.processes)),
            Field::new("cycles", "cycles", Datum::Count(combination.cycles as u64)),
            Field::new("grows", "would add to", Datum::texts(&combination.grows)),
            Field::new("refined", "looked at", Datum::texts(refined)),
        ])
    };
    let rows = report.combinations.iter().map(row).collect();
    Exhibit { key: "refinements", title: "combinations of cycles on the way", in_stats: false, rows }
}
