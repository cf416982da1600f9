//! Boundedness, bounds and freedom from livelock, for channels of any length, without exploring states.
//!
//! * In: a [`model::network::Network`], what progress is, limits.
//! * Out: a [`Report`]: a [`FlowProof`] that a checker accepts, or the unrefuted combination of cycles.
//!
//! The way through: [`world`] looks at the network, [`analysis`] finds an invariant (with [`step`] and [`values`]),
//! [`net`] turns it into parts and counters, [`limited`] finds queues that limit themselves, [`private`] those that
//! only one process uses, [`induction`] linear invariants (with [`moves`] and [`ghosts`]), [`prove`] looks for a
//! ranking (with [`weigh`], [`graph`], [`scc`]), [`refine`] says what to look at more closely, [`bounds`], [`near`] and
//! [`failures`] say how long queues can get. [`history`] proves that no process comes to a place. [`cycles`] is the
//! papers' own method beside it. Papers: IBOC, IBOC-refinement, Ciclo. This crate never prints.

pub mod analysis;
pub mod bounds;
pub mod cycles;
mod dead;
pub mod failures;
pub mod ghosts;
pub mod graph;
pub mod history;
pub mod induction;
pub mod limited;
pub mod moves;
pub mod near;
pub mod net;
pub mod private;
pub mod prove;
pub mod refine;
mod report;
pub mod scc;
pub mod step;
pub mod values;
pub mod weigh;
pub mod world;

pub use report::{Combination, CycleReport, QueueReport, Report, Sizes};

use analysis::{Analysis, Change, Config, Failure};
use bounds::Proved;
use limited::Limit;
use model::budget::{Budget, Stopwatch};
use model::context::Context;
use model::event::Event;
use model::flow_proof::{Abstraction, Atom, FlowProof, Instance, Linear, Progress, Queue, Ranking, Weights};
use model::network::Network;
use model::verdict::Reason;
use near::Near;
use net::{Counter, Net};
use prove::{Counterexample, Goal, Prover, Shape, Unproved};
use std::collections::{BTreeSet, HashMap, HashSet};
use weigh::Frame;
use world::World;

/// The name of this engine.
pub const ENGINE: &str = "flow";
/// So many refinements are tried.
const MOST_ROUNDS: usize = 24;
/// So many nodes are kept apart at first, and after a refinement.
const MOST_NODES: usize = 400_000;
const MOST_REFINED: usize = 20_000;
/// In a net of so many transitions linear invariants may improve bounds that weights prove.
const SMALL_NET: usize = 64;
/// The work of looking for linear invariants, each time.
const LINEAR_WORK: i64 = 1 << 24;
/// The work of improving bounds, and how many attempts that improve nothing are made.
const BOUNDS_WORK: i64 = 32 << 20;
const MOST_USELESS: usize = 4;
const LARGE_PART: usize = 400;

/// What to prove.
#[derive(Clone, Debug)]
pub enum Question {
    /// Every channel stays finite.
    Boundedness,
    /// No infinite run without progress. Without events, progress is at labels.
    Livelock {
        /// The events, as they were given, and what they mean.
        events: Vec<(String, Event)>,
    },
}

/// Answers a question about a network.
pub fn check(network: &Network, question: &Question, cx: &Context<'_>) -> Report {
    let world = World::new(network, matches!(question, Question::Boundedness));
    let budget = cx.budget.clone();
    let mut engine = Engine { world: &world, question, budget, combinations: Vec::new(), problems: 0 };
    let mut report = engine.run();
    report.sizes.problems += engine.problems;
    report
}

struct Engine<'a> {
    world: &'a World<'a>,
    question: &'a Question,
    budget: Budget,
    combinations: Vec<Combination>,
    problems: usize,
}

impl Engine<'_> {
    /// Where linear invariants complete a proof, it is kept, and refinement goes on for a moment: weights for finer points may
    /// prove smaller bounds.
    fn run(&mut self) -> Report {
        let (mut kept, mut growing) = (None, Growing::default());
        let report = self.refined(&mut kept, &mut growing);
        match (kept, growing.partial) {
            (Some(kept), _) if !report.complete || is_better(&kept, &report) => kept,
            (None, Some(partial)) if !report.complete && bounded(&partial) > bounded(&report) => {
                Report { reason: report.reason, ..partial }
            }
            _ => report,
        }
    }

    fn refined(&mut self, kept: &mut Option<Report>, growing: &mut Growing) -> Report {
        let mut config = analysis::first_config(self.world);
        let mut last: Option<(Analysis, Net, Counterexample)> = None;
        let mut first_nodes = 0;
        for round in 0..MOST_ROUNDS {
            let most_nodes = if round == 0 { MOST_NODES } else { MOST_REFINED.max(4 * first_nodes) };
            let reason = match self.build(&mut config, most_nodes) {
                Err(reason) => reason,
                Ok((analysis, net)) => {
                    if round == 0 {
                        first_nodes = analysis.instances.iter().map(|i| i.nodes.len()).sum();
                    }
                    let config_now = (round + 1 < MOST_ROUNDS).then_some(&config);
                    match self.round(&analysis, &net, config_now, growing, kept) {
                        Round::Done(report) => return *report,
                        Round::Refine(next, found) => {
                            last = Some((analysis, net, found));
                            config = next;
                            continue;
                        }
                        Round::Stopped(reason) => reason,
                    }
                }
            };
            if kept.is_some() {
                return Report::empty();
            }
            return self.unfinished(last, growing, reason);
        }
        Report::empty()
    }

    /// One abstraction: a proof, or the next refinement. Where nothing is left to refine, the channels that an unrefuted
    /// combination adds to may grow. From then on they are left out everywhere, and the others are proved without them.
    fn round(
        &mut self,
        analysis: &Analysis,
        net: &Net,
        config: Option<&Config>,
        growing: &mut Growing,
        kept: &mut Option<Report>,
    ) -> Round {
        let mut linear = Linear::default();
        let mut tried = kept.is_some();
        loop {
            let mut found = match self.prove(analysis, net, &growing.counters, linear.clone()) {
                Ok(proof) => {
                    let report = self.finished(analysis, net, proof, growing);
                    return Round::done(match config {
                        Some(config) => self.sharpened(analysis, net, config, report),
                        None => report,
                    });
                }
                Err(Unproved::Stopped(reason)) => return Round::Stopped(reason),
                Err(Unproved::Counterexample(found)) => found,
            };
            if !tried {
                tried = true;
                linear = self.linear(analysis, net);
                match self.linearly(analysis, net, growing, &linear) {
                    Some(Ok(report)) if !growing.is_empty() => return Round::done(report),
                    Some(Ok(report)) => {
                        // After it there is little time for a better one.
                        *kept = Some(report);
                        linear = Linear::default();
                        self.budget = self.budget.share(4).at_most_work(LINEAR_WORK);
                    }
                    Some(Err(Unproved::Counterexample(other))) => found = other,
                    Some(Err(Unproved::Stopped(_))) | None => {}
                }
            }
            let unlimited = match self.without_processes(analysis, net, growing, &linear) {
                Some(Ok(proof)) => return Round::done(self.finished(analysis, net, proof, growing)),
                Some(Err(Unproved::Counterexample(other))) => Some(other),
                Some(Err(Unproved::Stopped(_))) | None => None,
            };
            let next = config.and_then(|config| refine::refine(self.world, analysis, net, config, &found));
            let refined = next.as_ref().map(|(_, words)| words.clone());
            if growing.is_empty() || refined.is_some() {
                self.combinations.push(Combination::new(self.world, analysis, net, &found, refined));
            }
            match next {
                Some((next, _)) => return Round::Refine(next, found),
                None if kept.is_some() => return Round::done(Report::empty()),
                None => {}
            }
            let found = unlimited.unwrap_or(found);
            let limited = limited(&self.limits(analysis, net, &growing.counters), &linear);
            let first = growing.is_empty();
            if !self.leave_out(analysis, net, &found, &limited, growing) {
                return Round::done(self.nothing(analysis, net, growing));
            }
            if first && config.is_some() {
                growing.partial = self.unrefined(analysis, net, growing);
            }
        }
    }

    /// What is proved without further refinement, for which there may be no time.
    fn unrefined(&mut self, analysis: &Analysis, net: &Net, growing: &Growing) -> Option<Report> {
        let (problems, combinations) = (self.problems, self.combinations.clone());
        let mut growing = Growing { counters: growing.counters.clone(), shown: growing.shown.clone(), partial: None };
        let round = self.round(analysis, net, None, &mut growing, &mut None);
        (self.problems, self.combinations) = (problems, combinations);
        match round {
            Round::Done(report) => Some(*report),
            Round::Refine(..) | Round::Stopped(_) => None,
        }
    }

    /// A proof of smaller bounds, where the elements of an array of channels are distinguished in a loop over them.
    fn sharpened(&mut self, analysis: &Analysis, net: &Net, config: &Config, report: Report) -> Report {
        let exact = report.queues.iter().all(|queue| queue.at_most.is_some_and(|most| most <= 1));
        let Some(mut next) =
            refine::with_indices(self.world, analysis, net, config).filter(|_| report.complete && !exact)
        else {
            return report;
        };
        let moment = self.budget.share(2).at_most_work(2 * BOUNDS_WORK);
        let budget = std::mem::replace(&mut self.budget, moment);
        let most_nodes = MOST_REFINED.max(4 * report.sizes.nodes);
        let finer = self.build(&mut next, most_nodes).ok().and_then(|(analysis, net)| {
            let proof = self.prove(&analysis, &net, &[], Linear::default()).ok()?;
            Some(self.proved(&analysis, &net, proof))
        });
        let hurried = report.hurried || self.budget.is_late() || finer.as_ref().is_some_and(|f| f.hurried);
        self.budget = budget;
        match finer.filter(|finer| is_better(finer, &report)) {
            Some(finer) => Report { combinations: report.combinations, ..finer },
            None => Report { hurried, ..report },
        }
    }

    /// Leaves out what a combination adds to. Whether there is anything.
    fn leave_out(
        &self,
        analysis: &Analysis,
        net: &Net,
        found: &Counterexample,
        limited: &BTreeSet<(u32, Option<u32>)>,
        growing: &mut Growing,
    ) -> bool {
        if growing.is_empty() {
            growing.shown.show(self.world, analysis, net, found);
        }
        if !matches!(self.question, Question::Boundedness) {
            return false;
        }
        let mut grown = grown(net, found, &growing.counters);
        grown.retain(|c| !c.is_among(limited));
        growing.counters.extend(&grown);
        !grown.is_empty()
    }

    /// A proof with linear invariants, if there are any.
    fn linearly(
        &mut self,
        analysis: &Analysis,
        net: &Net,
        growing: &mut Growing,
        linear: &Linear,
    ) -> Option<Result<Report, Unproved>> {
        if linear.is_empty() {
            return None;
        }
        let (problems, combinations) = (self.problems, self.combinations.clone());
        let proof = self.prove(analysis, net, &growing.counters, linear.clone());
        self.problems = problems;
        let report = proof.map(|proof| self.finished(analysis, net, proof, growing));
        self.combinations = combinations;
        Some(report)
    }

    fn events(&self) -> Option<Vec<Event>> {
        match self.question {
            Question::Livelock { events } if !events.is_empty() => {
                Some(events.iter().map(|(_, event)| event.clone()).collect())
            }
            _ => None,
        }
    }

    /// The invariant and the net, with a configuration that may have to change.
    fn build(&mut self, config: &mut Config, most_nodes: usize) -> Result<(Analysis, Net), Reason> {
        loop {
            match analysis::analyse(self.world, config, most_nodes, &self.budget) {
                Ok(analysis) => {
                    let events = self.events();
                    let net = net::build(self.world, &analysis, config, events.as_deref(), &self.budget)?;
                    return Ok((analysis, net));
                }
                Err(Failure::Stopped(reason)) => return Err(reason),
                Err(Failure::Again(change)) => apply(config, change),
            }
        }
    }

    /// The queues that limit themselves. Those of any number of processes are none: they are many queues.
    fn limits(&mut self, analysis: &Analysis, net: &Net, dropped: &[Counter]) -> Vec<Limit> {
        let counts = |queue: u32| {
            let owner = analysis.facts.queues[queue as usize].key.instance;
            let one = owner.is_none_or(|id| !analysis.instances[id as usize].many);
            one && !dropped.iter().any(|counter| matches!(counter, Counter::Message(q, _) if *q == queue))
        };
        limited::limits(net, &shape(analysis, net), &counts, &self.budget)
    }

    /// Linear invariants that bound queues. (They hold only where channels have no limit.)
    fn linear(&mut self, analysis: &Analysis, net: &Net) -> Linear {
        let queues = net.counters.iter().filter_map(|counter| match counter {
            Counter::Message(queue, _) => Some(*queue),
            _ => None,
        });
        // A run that fails in the middle of a step may leave more behind than any state has.
        let queues = queues.filter(|&queue| !net.failures.iter().any(|failure| failure.sends_to(queue)));
        let queues: BTreeSet<u32> = queues.collect();
        match self.question {
            Question::Boundedness => {
                let budget = self.budget.share(4).at_most_work(LINEAR_WORK);
                induction::invariants(self.world, analysis, &queues, &budget).unwrap_or_default()
            }
            Question::Livelock { .. } => Linear::default(),
        }
    }

    /// The same where nothing is claimed of the number of processes that are created without end. A ranking forgets where
    /// those are, so it knows little of what they send; bounds of single queues count them, point by point.
    fn without_processes(
        &mut self,
        analysis: &Analysis,
        net: &Net,
        growing: &Growing,
        linear: &Linear,
    ) -> Option<Result<Ranked, Unproved>> {
        let processes: Vec<Counter> =
            net.counters.iter().filter(|c| matches!(c, Counter::Processes(..))).copied().collect();
        if processes.is_empty() || !matches!(self.question, Question::Boundedness) {
            return None;
        }
        let mut limits = self.limits(analysis, net, &growing.counters);
        let budget = self.budget.share(4).at_most_work(LINEAR_WORK);
        let messages = growing.counters.iter().filter(|counter| matches!(counter, Counter::Message(..)));
        let left_out = left_out(net, &messages.copied().collect::<Vec<_>>());
        limits.extend(limited::by_paths(net, &shape(analysis, net), &left_out, &budget));
        let private = private::limits(self.world, analysis, net);
        let mut dropped = [growing.counters.as_slice(), &processes].concat();
        dropped.extend(private.iter().map(|limit| Counter::Message(limit.queue, 0)));
        limits.retain(|limit| !private.iter().any(|private| private.queue == limit.queue));
        limits.extend(private);
        Some(self.ranked(analysis, net, &dropped, (limits, linear.clone())))
    }

    /// A ranking, with the queues in `dropped` left out, where linear invariants bound some.
    fn prove(
        &mut self,
        analysis: &Analysis,
        net: &Net,
        dropped: &[Counter],
        linear: Linear,
    ) -> Result<Ranked, Unproved> {
        let limits = match self.question {
            Question::Boundedness => self.limits(analysis, net, dropped),
            Question::Livelock { .. } => Vec::new(),
        };
        self.ranked(analysis, net, dropped, (limits, linear))
    }

    fn ranked(
        &mut self,
        analysis: &Analysis,
        net: &Net,
        dropped: &[Counter],
        (limits, linear): (Vec<Limit>, Linear),
    ) -> Result<Ranked, Unproved> {
        let shape = shape(analysis, net);
        let goal = match self.question {
            Question::Boundedness => Goal::Bounded,
            Question::Livelock { .. } => Goal::Progress,
        };
        let dropped = left_out(net, dropped);
        let mut prover = Prover::new(net, &shape, dropped, &self.budget).with_limits(&limited(&limits, &linear));
        let ranking = prover.prove(goal);
        self.problems += prover.effort.problems + limits.len();
        Ok(Ranked { ranking: ranking?, dropped: prover.dropped, limits, linear })
    }

    /// There is no more time for a refinement; what the last one proves still holds.
    fn unfinished(
        &mut self,
        last: Option<(Analysis, Net, Counterexample)>,
        growing: &mut Growing,
        reason: Reason,
    ) -> Report {
        let mut report = Report::empty();
        if let Some((analysis, net, found)) = last {
            report = match self.round(&analysis, &net, None, growing, &mut None) {
                Round::Done(report) => *report,
                Round::Refine(..) | Round::Stopped(_) => {
                    if growing.is_empty() {
                        growing.shown.show(self.world, &analysis, &net, &found);
                    }
                    self.nothing(&analysis, &net, growing)
                }
            };
        }
        report.complete = false;
        report.reason = Some(reason);
        report
    }

    /// What was proved: everything, or all but what may grow.
    fn finished(&mut self, analysis: &Analysis, net: &Net, ranked: Ranked, growing: &Growing) -> Report {
        let report = self.proved(analysis, net, ranked);
        if growing.is_empty() { report } else { growing.report(report) }
    }

    /// Nothing was proved.
    fn nothing(&mut self, analysis: &Analysis, net: &Net, growing: &Growing) -> Report {
        let combinations = std::mem::take(&mut self.combinations);
        growing.report(Report { combinations, ..Report::new(self.world, analysis, net, &[]) })
    }

    fn proved(&mut self, analysis: &Analysis, net: &Net, ranked: Ranked) -> Report {
        let Ranked { ranking, dropped, limits, linear } = ranked;
        let shape = shape(analysis, net);
        let needed = !linear.is_empty();
        let small = net.transitions.len() <= SMALL_NET;
        let linear = if needed || !small { linear } else { self.linear(analysis, net) };
        let left_out = |queue: u32| {
            (0..)
                .zip(&net.counters)
                .any(|(i, c): (usize, _)| matches!(c, Counter::Message(q, _) if *q == queue) && dropped[i])
        };
        let claimed: Vec<bool> = (0..analysis.facts.queues.len() as u32).map(|q| !left_out(q)).collect();
        let mut report = Report::new(self.world, analysis, net, &claimed);
        let many = net.counters.iter().zip(&dropped).filter_map(|(counter, dropped)| match counter {
            Counter::Processes(instance, _) if *dropped => Some(analysis.instances[*instance as usize].machine),
            _ => None,
        });
        let many: BTreeSet<&str> = many.map(|machine| self.world.network.machine(machine).name.as_str()).collect();
        report.any_number = many.into_iter().map(str::to_owned).collect();
        let mut proof = FlowProof {
            abstraction: abstraction(analysis, net, &claimed),
            progress: None,
            ranking,
            bounds: Vec::new(),
            bound_weights: Vec::new(),
            histories: Vec::new(),
        };
        proof.abstraction.linear = linear;
        proof.abstraction.linear.bounds.retain(|bound| claimed[bound.queue as usize]);
        match self.question {
            Question::Livelock { events } => {
                proof.progress = Some(Progress { events: events.iter().map(|(text, _)| text.clone()).collect() });
            }
            Question::Boundedness => {
                let begin = Stopwatch::start();
                // The number of processes that a ranking leaves out may still count in a bound.
                let messages =
                    |(counter, dropped): (&Counter, &bool)| *dropped && matches!(counter, Counter::Message(..));
                let dropped: Vec<bool> = net.counters.iter().zip(&dropped).map(messages).collect();
                bound_all(net, &shape, (&dropped, &limits), &mut proof, &mut report, &self.budget);
                report.sizes.bounds_time = begin.elapsed();
            }
        }
        if !needed {
            keep_better(&mut proof);
        }
        report.proof = Some(proof);
        report.complete = true;
        report.combinations = std::mem::take(&mut self.combinations);
        report
    }
}

/// Keeps linear invariants only where they prove less than weights do.
fn keep_better(proof: &mut FlowProof) {
    let mut best: HashMap<u32, u64> = HashMap::new();
    for bound in &proof.bounds {
        best.entry(bound.queue).and_modify(|most| *most = bound.at_most.min(*most)).or_insert(bound.at_most);
    }
    let linear = &mut proof.abstraction.linear;
    linear.bounds.retain(|bound| best.get(&bound.queue).is_none_or(|&most| bound.at_most < most));
    if linear.bounds.is_empty() {
        *linear = Linear::default();
    }
}

/// Whether a report has no greater bound than another, and somewhere a smaller one.
fn is_better(report: &Report, other: &Report) -> bool {
    let theirs = |name: &str| other.queues.iter().find(|queue| queue.name == name).and_then(|queue| queue.at_most);
    let most = |bound: Option<u64>| bound.unwrap_or(u64::MAX);
    let each = || report.queues.iter().map(|queue| (most(queue.at_most), most(theirs(&queue.name))));
    each().all(|(mine, theirs)| mine <= theirs) && each().any(|(mine, theirs)| mine < theirs)
}

/// What became of one abstraction.
enum Round {
    /// It is the last one.
    Done(Box<Report>),
    /// Another one may refute this combination.
    Refine(Config, Counterexample),
    /// A limit.
    Stopped(Reason),
}

impl Round {
    fn done(report: Report) -> Self {
        Round::Done(Box::new(report))
    }
}

/// What may grow: it is left out of all further proofs. (If its rows still constrained the combinations, growth in stages
/// would be missed.)
struct Growing {
    counters: Vec<Counter>,
    /// The first combination that nothing refuted.
    shown: Report,
    /// What was proved when it was found.
    partial: Option<Report>,
}

impl Default for Growing {
    fn default() -> Self {
        Growing { counters: Vec::new(), shown: Report::empty(), partial: None }
    }
}

/// How many queues are proved to stay finite.
fn bounded(report: &Report) -> usize {
    report.queues.iter().filter(|queue| queue.bounded).count()
}

impl Growing {
    fn is_empty(&self) -> bool {
        self.counters.is_empty()
    }

    /// What was proved of the others.
    fn report(&self, report: Report) -> Report {
        let Report { cycles, grows, guide, .. } = self.shown.clone();
        let reason = Reason::NotProvable(String::from("an unrefuted combination of cycles remains"));
        Report { complete: false, reason: Some(reason), cycles, grows, guide, ..report }
    }
}

/// What was proved: a ranking, which counters it leaves out, and which queues limit themselves.
struct Ranked {
    ranking: Ranking,
    dropped: Vec<bool>,
    limits: Vec<Limit>,
    linear: Linear,
}

/// The queues, and atoms of queues, that have bounds of their own.
fn limited(limits: &[Limit], linear: &Linear) -> BTreeSet<(u32, Option<u32>)> {
    let linear = linear.bounds.iter().map(|bound| (bound.queue, None));
    limits.iter().map(|limit| (limit.queue, limit.atom)).chain(linear).collect()
}

/// The bound of every queue that is claimed: at least the one that weights for all queues together prove; a better one of
/// its own where there is time. Parts of the net that share nothing are looked at separately.
fn bound_all(
    net: &Net,
    shape: &Shape,
    (dropped, limits): (&[bool], &[Limit]),
    proof: &mut FlowProof,
    report: &mut Report,
    budget: &Budget,
) {
    let (all_time, budget) = (budget, &budget.share(3).at_most_work(BOUNDS_WORK));
    let left_out: HashSet<Counter> = net.counters.iter().zip(dropped).filter(|(_, d)| **d).map(|(c, _)| *c).collect();
    let rows: HashMap<u32, usize> = report.queues.iter().enumerate().map(|(row, q)| (q.queue, row)).collect();
    let never = Budget::unlimited();
    for part in net.parts() {
        let dropped = part.counters.iter().map(|c| left_out.contains(c)).collect();
        let prover =
            Prover::new(&part, shape, dropped, &never).with_limits(&limited(limits, &proof.abstraction.linear));
        let frame = Frame::new(&part, &vec![true; part.transitions.len()]);
        let (mut queues, mut listed) = (Vec::new(), HashSet::new());
        for counter in &part.counters {
            if let Counter::Message(queue, _) = counter
                && proof.abstraction.queues[*queue as usize].claimed
                && rows.contains_key(queue)
                && listed.insert(*queue)
            {
                queues.push(*queue);
            }
        }
        let shared = shared_weights(&prover, &frame, all_time);
        let room = shared.and_then(|weights| bounds::room(&prover, &frame, &weights).ok());
        let units = room.as_ref().map(|room| room.units(&part)).unwrap_or_default();
        // In a large part one attempt is enough to see whether anything can be gained.
        let large = part.counters.len() > LARGE_PART;
        let mut useless = if large { MOST_USELESS - 1 } else { 0 };
        let near = Near::new(&part, shape, &left_out);
        let mut shared = None;
        for queue in queues {
            let rough = units.get(&queue).zip(room.as_ref().map(|room| &room.weights));
            let rough = rough.map(|(&proved, weights)| (raise(net, shape, queue, proved, weights), weights));
            // A queue that is used holds 1 at least; one that is never read may be there to show that it is not used.
            let least = u64::from(near.is_read(queue));
            let known = rough.map(|(rough, _)| rough.at_most);
            let close = if known == Some(least) { None } else { near.bound(queue, budget) };
            let close = close.map(|(proved, weights)| (raise(net, shape, queue, proved, &weights), weights));
            let close = close.filter(|(close, _)| known.is_none_or(|known| close.at_most < known));
            let known = close.as_ref().map(|(proved, _)| proved.at_most).or(known);
            let exact = known == Some(least);
            let worth = !exact && useless < MOST_USELESS && budget.check().is_ok();
            let moment = if large { budget.at_most_work(BOUNDS_WORK / 10) } else { budget.clone() };
            let own = if worth {
                bounds::bound(&prover, &frame, (queue, &[]), &mut |work| moment.spend(work).is_ok())
            } else {
                None
            };
            let own = own.map(|(proved, weights)| (raise(net, shape, queue, proved, &weights), weights));
            let own = own.filter(|(own, _)| known.is_none_or(|known| own.at_most < known));
            useless += usize::from(worth && own.is_none() && least > 0);
            if let Some((proved, weights)) = own.or(close) {
                report.queues[rows[&queue]].at_most = Some(proved.at_most);
                keep_bound(proof, queue, proved, weights);
            } else if let Some((proved, weights)) = rough {
                report.queues[rows[&queue]].at_most = Some(proved.at_most);
                let weights = *shared.get_or_insert_with(|| keep_weights(proof, weights.clone()));
                proof.bounds.push(proved.bound(queue, Vec::new(), weights));
            } else if let Some(most) = by_atoms((net, &frame), &prover, (queue, limits), proof, budget) {
                report.queues[rows[&queue]].at_most = Some(most);
            }
        }
    }
    report.hurried = budget.is_late();
    for limit in limits.iter().filter(|limit| limit.atom.is_none()) {
        let proved = raise(net, shape, limit.queue, limit.proved, &limit.weights);
        if let Some(&row) = rows.get(&limit.queue) {
            report.queues[row].bounded = true;
            let known = &mut report.queues[row].at_most;
            *known = Some(known.map_or(proved.at_most, |known| known.min(proved.at_most)));
        }
        keep_bound(proof, limit.queue, proved, limit.weights.clone());
    }
    for bound in &proof.abstraction.linear.bounds {
        if let Some(&row) = rows.get(&bound.queue) {
            let known = &mut report.queues[row].at_most;
            *known = Some(known.map_or(bound.at_most, |known| known.min(bound.at_most)));
        }
    }
    // A queue that no step ever sends to is empty, unless one fails.
    for (queue, row) in rows {
        if proof.abstraction.queues[queue as usize].atoms.is_empty() {
            let proved = raise(net, shape, queue, Proved::EMPTY, &Weights::default());
            report.queues[row].at_most = Some(proved.at_most);
            keep_bound(proof, queue, proved, Weights::default());
        }
    }
}

/// What holds when a step fails, too.
fn raise(net: &Net, shape: &Shape, queue: u32, proved: Proved, weights: &Weights) -> Proved {
    Proved { at_most: failures::raised(&net.failures, &shape.many, queue, proved, weights), ..proved }
}

fn keep_bound(proof: &mut FlowProof, queue: u32, proved: Proved, weights: Weights) {
    let weights = keep_weights(proof, weights);
    proof.bounds.push(proved.bound(queue, Vec::new(), weights));
}

/// The bound of a queue with atoms that limit themselves: what they hold, and what the others hold together.
fn by_atoms(
    (net, frame): (&Net, &Frame<'_>),
    prover: &Prover<'_, '_>,
    (queue, limits): (u32, &[Limit]),
    proof: &mut FlowProof,
    budget: &Budget,
) -> Option<u64> {
    let own = limits.iter().filter(|limit| limit.queue == queue);
    let own: Vec<(u32, &Limit)> = own.filter_map(|limit| Some((limit.atom?, limit))).collect();
    let others = net.counters.iter().filter_map(|counter| match counter {
        Counter::Message(q, atom) if *q == queue && own.iter().all(|(limited, _)| limited != atom) => Some(*atom),
        _ => None,
    });
    let others: Vec<u32> = others.collect();
    let mut parts: Vec<(Vec<u32>, Proved, Weights)> =
        own.iter().map(|&(atom, limit)| (vec![atom], limit.proved, limit.weights.clone())).collect();
    if parts.is_empty() {
        return None;
    }
    // Atoms that limit themselves count in the ranking already.
    let mut keep_going = |work| budget.spend(work).is_ok();
    let rest = if others.is_empty() { None } else { bounds::bound(prover, frame, (queue, &others), &mut keep_going) };
    let complete = others.is_empty() || rest.is_some();
    parts.extend(rest.map(|(proved, weights)| (others, proved, weights)));
    let mut sum = 0u64;
    for (atoms, proved, weights) in parts {
        let proved = raise(net, prover.shape, queue, proved, &weights);
        sum = sum.saturating_add(proved.at_most);
        let weights = keep_weights(proof, weights);
        proof.bounds.push(proved.bound(queue, atoms, weights));
    }
    complete.then_some(sum)
}

fn keep_weights(proof: &mut FlowProof, weights: Weights) -> u32 {
    proof.bound_weights.push(weights);
    proof.bound_weights.len() as u32 - 1
}

/// Weights that prove bounds for all queues at once.
fn shared_weights(prover: &Prover<'_, '_>, frame: &Frame<'_>, budget: &Budget) -> Option<Vec<linear::Rational>> {
    match weigh::weigh(frame, &prover.least(true), &mut |work| budget.spend(work).is_ok()).0 {
        weigh::Weighed::Weights(weights) => Some(weights),
        _ => None,
    }
}

/// Per counter: whether it is left out.
fn left_out(net: &Net, dropped: &[Counter]) -> Vec<bool> {
    net.counters.iter().map(|c| dropped.iter().any(|d| same_thing(*c, *d))).collect()
}

/// Two counters of one queue, or of one instance.
fn same_thing(a: Counter, b: Counter) -> bool {
    match (a, b) {
        (Counter::Message(p, _), Counter::Message(q, _)) => p == q,
        (Counter::Processes(p, _), Counter::Processes(q, _)) => p == q,
        _ => false,
    }
}

/// What a combination adds to, that was not left out before.
fn grown(net: &Net, found: &Counterexample, dropped: &[Counter]) -> Vec<Counter> {
    let effect = found.effect(net);
    let counters = effect.iter().filter(|(_, change)| change.is_positive()).map(|(&c, _)| net.counters[c as usize]);
    counters.filter(|c| c.grows() && !dropped.iter().any(|d| same_thing(*c, *d))).collect()
}

fn apply(config: &mut Config, change: Change) {
    match change {
        Change::Many(machine) => {
            config.many.insert(machine);
        }
        Change::Unfoldable(machine, slot) => {
            if let Some(folded) = config.folded.get_mut(&machine) {
                folded.remove(&slot);
            }
            config.unfoldable.insert((machine, slot));
            config.numbers.insert((Some(machine), slot));
        }
        Change::Constants(more) => {
            for (key, constants) in more {
                config.constants.entry(key).or_default().extend(constants);
            }
        }
    }
}

fn shape(analysis: &Analysis, net: &Net) -> Shape {
    Shape {
        atoms: analysis.facts.queues.iter().map(|q| q.atoms.len()).collect(),
        nodes: analysis.instances.iter().map(|i| i.nodes.len()).collect(),
        many: analysis.instances.iter().map(|i| i.many).collect(),
        values: net.followed.iter().map(|f| f.values.len()).collect(),
    }
}

/// The invariant as the certificate carries it.
fn abstraction(analysis: &Analysis, net: &Net, claimed: &[bool]) -> Abstraction {
    let queues = analysis.facts.queues.iter().zip(claimed).map(|(queue, &claimed)| Queue {
        key: queue.key,
        constants: queue.constants.clone(),
        atoms: queue.atoms.iter().map(|(c, v)| Atom { classes: c.clone(), values: v.clone() }).collect(),
        claimed,
    });
    let instances = analysis.instances.iter().map(|instance| Instance {
        machine: instance.machine.0,
        origin: instance.origin,
        many: instance.many,
        folded: instance.folded.clone(),
        nodes: instance.nodes.clone(),
        first: instance.first.clone(),
        levels: instance.levels.clone(),
    });
    Abstraction {
        globals: analysis.facts.globals.clone(),
        queues: queues.collect(),
        instances: instances.collect(),
        creations: analysis.creations.clone(),
        followed: net.followed.clone(),
        numbers: net.numbers.clone(),
        linear: Linear::default(),
    }
}
