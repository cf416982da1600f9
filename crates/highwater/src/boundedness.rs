//! Boundedness: the static engine first, then the search for a run.
//!
//! A proof of one and a run of the other would be a contradiction: then neither is reported. Where all states were visited
//! although channels have no bounds, the longest that each queue got is its exact bound.

use crate::ends::Declared;
use crate::evidence::{Answer, Checked, Claim};
use crate::locals::Locals;
use crate::portfolio::{Engines, Portfolio, Proved};
use crate::thresholds::Thresholds;
use explore::growth::{GrowingRun, GrowthOptions, GrowthReport, Guide, spelled_out};
use flow::{Question, Report};
use model::budget::Stopwatch;
use model::chart::Chart;
use model::context::Context;
use model::fairness::Fairness;
use model::network::{Action, Network};
use model::semantics::{Reading, Semantics, Step};
use model::source::Span;
use model::trace::Narrator;
use model::verdict::{Certificate, ChannelState, ChannelVerdict, Outcome, Property, Reason};
use replay::Replayed;
use std::collections::{BTreeMap, BTreeSet};

/// So many states are enough to reach most bounds.
const QUICK_STATES: u64 = 4_000;
/// With more queues than this, long walks come before a search: a state has too many successors.
const MANY_QUEUES: usize = 64;
/// So many states are visited for how far the bounds of a proof are reached, and for other channels that grow.
const MOST_REACHED: u64 = 1_000_000;
const MOST_OTHERS: u64 = 20_000;

impl Portfolio<'_> {
    /// Is every channel bounded, and how long does each get?
    pub fn boundedness(&self) -> Answer {
        let start = Stopwatch::start();
        if let Err(reason) = self.cx.budget.check() {
            let outcome = self.outcome(Property::Boundedness, Reading::Unbounded, start);
            return Answer { outcome, claim: Claim::Open(reason) };
        }
        let semantics = Semantics::new(self.network, Reading::Unbounded);
        let (Proved { report, checked }, growth) = match self.engines {
            Engines::Explore => (Proved::nothing(), Some(self.grow(&semantics, &Report::empty(), &self.cx))),
            Engines::Flow => (self.flow(&Question::Boundedness, &self.cx), None),
            Engines::Both => self.side_by_side(&semantics),
        };
        let mut outcome = self.outcome(Property::Boundedness, Reading::Unbounded, start);
        outcome.details = self.details(&report);
        outcome.details.channels = Locals::of(self.network).merge(outcome.details.channels);
        let growth = growth.map(|growth| self.prefer_certain(growth, &semantics));
        let claim = self.decide_boundedness(&mut outcome, &report, checked, growth.as_ref(), &semantics);
        if !self.network.havoc.is_empty() {
            forget_guesses(&mut outcome.details.channels);
        }
        let growing = growth.as_ref().map(|g| g.growing.as_slice()).unwrap_or_default();
        outcome.details.advice = self.advice(&outcome, &claim, growing, &semantics);
        if outcome.engine == flow::ENGINE {
            let any_number =
                |name: &String| format!("there may be any number of `{name}` processes: no bound is proved for it");
            outcome.details.advice.extend(report.any_number.iter().map(any_number));
        }
        if !matches!(claim, Claim::Open(_)) {
            outcome.details.cycles.clear();
        }
        outcome.time = start.elapsed();
        Answer { outcome, claim }
    }

    /// The static engine alone for a moment; if it needs longer, the search beside it. Who is done first stops the other.
    fn side_by_side(&self, semantics: &Semantics<'_>) -> (Proved, Option<GrowthReport>) {
        let first = self.unhurried(self.first_attempt(&Question::Boundedness));
        let late = matches!(first.report.reason, Some(Reason::Timeout));
        if !late || self.advisory {
            let growth = self.grow(semantics, &first.report, &self.cx);
            return (first, Some(growth));
        }
        let search = |cx: &Context<'_>| self.grow(semantics, &first.report, cx);
        let (proved, growth) = self.beside(&Question::Boundedness, search, |g| g.complete || !g.growing.is_empty());
        (if proved.report.queues.is_empty() { first } else { proved }, Some(growth))
    }

    /// The same proof, with time for the bounds of its many queues.
    fn unhurried(&self, first: Proved) -> Proved {
        if !first.report.complete || !first.report.hurried || self.advisory {
            return first;
        }
        let budget = self.cx.budget.share(4);
        let again = self.flow(&Question::Boundedness, &self.cx.with(&budget));
        if again.report.complete { again } else { first }
    }

    /// The search: for runs that grow, or, after a proof, for how far the bounds are reached.
    fn grow(&self, semantics: &Semantics<'_>, report: &Report, cx: &Context<'_>) -> GrowthReport {
        // States are the limit where there is time, so that an answer does not depend on what else the machine does.
        let share = |parts, most| {
            let most = cx.budget.most_states().map_or(most, |states| states.min(most));
            cx.budget.share(parts).states(most)
        };
        let budget = match (report.complete, self.advisory) {
            (true, true) => share(8, 20_000),
            (true, false) => share(4, MOST_REACHED),
            (false, true) => share(8, 100_000),
            (false, false) => cx.budget.clone(),
        };
        let channels = report.queues.iter().filter(|q| !q.bounded).map(|q| q.name.clone()).collect();
        let guide = (!report.guide.is_empty()).then(|| Guide { edges: report.guide.clone() });
        let (stop_at_first, reduction) = (!report.complete, self.options.reduction);
        let mut options = GrowthOptions { guide, channels, stop_at_first, reduction };
        let mut filled = BTreeMap::new();
        if report.complete && report.queues.len() > MANY_QUEUES {
            let wanted = report.queues.iter().filter_map(|q| Some((q.name.clone(), q.at_most?))).collect();
            let moment = budget.share(2);
            filled = explore::fill::lengths(semantics, &wanted, &cx.with(&moment));
            let walked = GrowthReport { filled: filled.clone(), ..GrowthReport::default() };
            if self.is_all_reached(report, &walked) {
                return walked;
            }
        }
        if report.complete
            && let Some(quick) = self.all_reached(semantics, report, &options, &cx.with(&budget))
        {
            return quick;
        }
        let mut growth = explore::growth::growth(semantics, &options, &cx.with(&budget));
        growth.filled = filled;
        if !growth.growing.is_empty() {
            // One channel grows, so the verdict is clear. Which others do is looked for a moment longer.
            let shown = growth.channels();
            options.channels.retain(|name| !shown.contains(name));
            options.stop_at_first = false;
            let budget = share(4, MOST_OTHERS);
            if !options.channels.is_empty() {
                let more = explore::growth::growth(semantics, &options, &cx.with(&budget));
                growth.growing.extend(more.growing);
                growth.longest.extend(more.longest);
            }
        }
        growth
    }

    /// A short search that reaches every bound: there is nothing more to look for.
    fn all_reached(
        &self,
        semantics: &Semantics<'_>,
        report: &Report,
        options: &GrowthOptions,
        cx: &Context<'_>,
    ) -> Option<GrowthReport> {
        let states = cx.budget.most_states().unwrap_or(u64::MAX).min(QUICK_STATES);
        let budget = cx.budget.share(4).states(states);
        let quick = explore::growth::growth(semantics, options, &cx.with(&budget));
        (quick.growing.is_empty() && self.is_all_reached(report, &quick)).then_some(quick)
    }

    fn is_all_reached(&self, report: &Report, growth: &GrowthReport) -> bool {
        let mut channels = Locals::of(self.network).merge(self.details(report).channels);
        add_lengths(&mut channels, growth, self.network);
        channels.iter().all(ChannelVerdict::is_exact)
    }

    /// Only the runs without guesses, where there are any: what a run with a guess fills need not grow.
    fn prefer_certain(&self, mut growth: GrowthReport, semantics: &Semantics<'_>) -> GrowthReport {
        if !self.network.havoc.is_empty() {
            let is_certain = |run: &GrowingRun| {
                let witness = self.growing_witness(semantics, std::slice::from_ref(run));
                witness.is_some_and(|witness| Replayed::network(semantics, &witness, &self.cx).is_ok())
            };
            if growth.growing.iter().any(is_certain) {
                growth.growing.retain(is_certain);
            }
        }
        growth
    }

    /// What follows from both engines. A proof of some channels only is kept beside a run, or beside no answer.
    fn decide_boundedness(
        &self,
        outcome: &mut Outcome,
        report: &Report,
        checked: Option<Checked>,
        growth: Option<&GrowthReport>,
        semantics: &Semantics<'_>,
    ) -> Claim {
        outcome.certificate = checked.as_ref().map(|checked| checked.certificate().clone());
        if let Some(growth) = growth {
            add_lengths(&mut outcome.details.channels, growth, self.network);
            outcome.stats = Some(growth.stats.clone());
        }
        let growing = growth.map(|g| g.growing.as_slice()).unwrap_or_default();
        if let Some(witness) = self.growing_witness(semantics, growing) {
            let channels = &outcome.details.channels;
            let refuted = |channel: &ChannelVerdict| channel.state == ChannelState::Bounded && channel.gain.is_some();
            if report.complete || channels.iter().any(refuted) {
                return Claim::Open(Reason::Internal(String::from("a proof and a run contradict each other")));
            }
            let replayed = Replayed::network(semantics, &witness, &self.cx);
            if replayed.is_ok() {
                mark_growing(&mut outcome.details.channels);
            }
            outcome.engine = explore::ENGINE;
            outcome.witness = Some(witness);
            return replayed.map_or_else(Claim::Open, Claim::Violated);
        }
        if !growing.is_empty()
            && let Err(reason) = self.cx.budget.check()
        {
            return Claim::Open(reason);
        }
        let complete = growth.filter(|g| g.complete && g.crashed.is_none());
        if let Some(growth) = complete.filter(|_| is_better(report, &outcome.details.channels, self.network))
            && let Ok(checked) =
                Checked::search(self.network, &Property::Boundedness, self.all_visited(outcome, growth))
        {
            return Claim::Proved(checked);
        }
        if let Some(checked) = checked.filter(|_| report.complete) {
            return Claim::Proved(checked);
        }
        if growth.is_some_and(|g| g.ends)
            && let Ok(checked) = Checked::search(self.network, &Property::Boundedness, self.all_end(outcome))
        {
            return Claim::Proved(checked);
        }
        let late = growth.and_then(|g| g.stopped.clone());
        let reason = report.reason.clone().or(late);
        Claim::Open(reason.unwrap_or(Reason::NotProvable(String::from("no proof and no run was found"))))
    }

    /// Every state was visited: the longest that each queue got is its bound.
    fn all_visited(&self, outcome: &mut Outcome, growth: &GrowthReport) -> Certificate {
        outcome.engine = explore::ENGINE;
        let hides = hides_lengths(self.network);
        for channel in &mut outcome.details.channels {
            channel.state = ChannelState::Bounded;
            // In the middle of a deterministic step lengths were not observed.
            if hides {
                channel.reached = channel.reached.filter(|_| channel.proved_at_most.is_some());
                continue;
            }
            // A queue that no state has stays empty.
            let longest = channel.reached.unwrap_or(0);
            if channel.proved_at_most != Some(longest) {
                channel.weights_at_most = channel.proved_at_most;
                channel.proved_at_most = Some(longest);
                channel.reached = Some(longest);
            }
        }
        let Some(digest) = growth.digest else {
            return Certificate::Searched { fair: Fairness::None, events: Vec::new() };
        };
        let longest = growth.longest.iter().map(|q| (q.channel.clone(), u64::from(q.length))).collect();
        Certificate::Explored { states: growth.stats.states, digest, longest, events: Vec::new() }
    }

    /// Every run ends: no channel grows. How long each gets is not known by that.
    fn all_end(&self, outcome: &mut Outcome) -> Certificate {
        outcome.engine = explore::ENGINE;
        outcome.details.channels.iter_mut().for_each(|channel| channel.state = ChannelState::Bounded);
        Certificate::Searched { fair: Fairness::None, events: Vec::new() }
    }

    /// The run with the fewest stages, and the shortest, as text.
    fn growing_witness(&self, semantics: &Semantics<'_>, growing: &[GrowingRun]) -> Option<Chart> {
        let length = |run: &&GrowingRun| {
            (
                run.stages.len(),
                run.prefix.len() + run.stages.iter().map(|s| s.between.len() + s.steps.len()).sum::<usize>(),
            )
        };
        let run = growing.iter().min_by_key(length)?;
        let mut narrator = Narrator::new(semantics, self.sources).within(self.cx);
        // Earlier stages are repeated until the last one has enough to work on.
        for rounds in [1, 2, 3, 4, 6, 8, 12, 16, 32, 64] {
            let (steps, loop_from) = spelled_out(run, rounds);
            let Ok(replayed) = narrator.replay(&steps) else { continue };
            let grown: BTreeSet<&str> = gains(run).filter(|(_, gain)| *gain > 0).map(|(name, _)| name).collect();
            let grown: Vec<String> = grown.into_iter().map(|name| format!("`{name}`")).collect();
            let verb = if grown.len() == 1 { "grows" } else { "grow" };
            return Some(Chart {
                loop_from: Some(loop_from),
                gains: last_gains(run),
                problem: format!("{} {verb} without end", grown.join(", ")),
                problem_code: "unbounded",
                ..narrator.chart(replayed)
            });
        }
        None
    }

    /// What to do, as text.
    fn advice(
        &self,
        outcome: &Outcome,
        claim: &Claim,
        growing: &[GrowingRun],
        semantics: &Semantics<'_>,
    ) -> Vec<String> {
        let mut advice = Vec::new();
        let thresholds = Thresholds::of(self.network);
        for channel in &outcome.details.channels {
            if thresholds.may_test(channel.span) {
                advice.extend(tested(channel));
                continue;
            }
            match (channel.state, channel.proved_at_most, channel.declared) {
                (ChannelState::Bounded, Some(bound), Some(declared)) if bound.max(1) > u64::from(declared) => {
                    let enough = if channel.is_exact() {
                        "is needed so that no send ever waits"
                    } else {
                        "suffices so that no send ever waits"
                    };
                    advice.push(format!("declare `{}` with [{}]: it {enough}", channel.name, bound.max(1)));
                }
                (ChannelState::Bounded, Some(0), Some(_)) => {}
                (ChannelState::Bounded, Some(bound), Some(declared)) if bound.max(1) < u64::from(declared) => {
                    advice.push(format!(
                        "`{}` never holds more than {bound}: [{}] suffices",
                        channel.name,
                        bound.max(1)
                    ));
                }
                _ => {}
            }
        }
        let shown = 6;
        if advice.len() > shown {
            let more = advice.len() - shown;
            advice.truncate(shown);
            let channels = if more == 1 { "channel" } else { "channels" };
            advice
                .push(format!("{more} more {channels} could be declared differently: --apply-bounds prints the model"));
        }
        if matches!(claim, Claim::Violated(_)) {
            let freely: BTreeSet<String> = growing.iter().filter_map(|run| self.freely(run, semantics)).collect();
            advice.extend(freely);
            let doubled = growing.iter().filter(|run| run.stages.iter().any(|stage| !stage.others.is_empty()));
            let locals = Locals::of(self.network);
            let doubled: BTreeSet<String> = doubled.flat_map(gains).map(|(name, _)| locals.name(name)).collect();
            for name in doubled {
                advice.push(format!("each message of `{name}` is replaced by two or more; the run shows how for one"));
            }
            let crowds = growing.iter().filter(|run| run.stages.first().is_some_and(|first| first.gains.is_empty()));
            for (name, _) in crowds.flat_map(gains) {
                let each = "any number of processes is created first, and each adds to";
                advice.push(format!("{each} `{name}`; the run shows it for one"));
            }
        }
        advice
    }

    /// The process whose loop fills a channel all by itself, if nothing in the loop can wait.
    fn freely(&self, run: &GrowingRun, semantics: &Semantics<'_>) -> Option<String> {
        let [stage] = run.stages.as_slice() else { return None };
        if !stage.others.is_empty() {
            return None;
        }
        let edge = |step: &Step| match step {
            Step::Edge { process, edge } => Some((*process, *edge)),
            Step::Rendezvous { .. } | Step::Loss { .. } => None,
        };
        let edges: Vec<_> = stage.steps.iter().map(edge).collect::<Option<_>>()?;
        let &(process, _) = edges.first().filter(|(first, _)| edges.iter().all(|(process, _)| process == first))?;
        let mut narrator = Narrator::new(semantics, self.sources).within(self.cx);
        let state = narrator.replay(&run.prefix).ok()?.state;
        let machine = self.network.machine(semantics.stepper().machine_of(&state, process)?);
        let edges = || edges.iter().filter_map(|(_, id)| machine.edges.get(id.index()));
        let held_back = self.network.uses_priorities || machine.provided.is_some();
        if held_back || !edges().all(|edge| never_waits(&edge.action)) {
            return None;
        }
        let lines: BTreeSet<u32> = edges().map(|edge| self.sources.position(edge.span).line).collect();
        let (first, last) = (lines.first()?, lines.last()?);
        let lines = if first == last { format!("line {first}") } else { format!("lines {first}–{last}") };
        let sends = edges().any(|edge| matches!(edge.action, Action::Send { .. }));
        let does = if sends { "sends" } else { "creates processes" };
        let process = Locals::of(self.network).process(&machine.name, process);
        Some(format!("`{process}` {does} without waiting for anything: {lines}"))
    }
}

/// Whether a statement is always possible where channels have no bounds; that a send is no rendezvous, the run has shown.
fn never_waits(action: &Action) -> bool {
    match action {
        Action::Condition(e) => e.constant().is_some(),
        Action::Skip | Action::Assign(..) | Action::Send { .. } | Action::Assert(_) => true,
        Action::Print { .. } | Action::Run { .. } => true,
        _ => false,
    }
}

/// Whether visiting all states says more than a proof: there is none, or some bound was not reached.
fn is_better(report: &Report, channels: &[ChannelVerdict], network: &Network) -> bool {
    let unreached = |channel: &ChannelVerdict| channel.proved_at_most != Some(channel.reached.unwrap_or(0));
    !report.complete || (channels.iter().any(unreached) && !hides_lengths(network))
}

/// Whether a deterministic step both sends and takes: in between, a queue may be longer than before and after.
fn hides_lengths(network: &Network) -> bool {
    network.machines.iter().flat_map(|m| &m.edges).any(|edge| match &edge.action {
        Action::Deterministic(body) => {
            let mut actions = body.nodes.iter().flatten().map(|choice| &choice.action);
            let sends = actions.clone().any(|a| matches!(a, Action::Send { .. }));
            sends && actions.any(|a| matches!(a, Action::Receive { mode, .. } if !mode.keep))
        }
        _ => false,
    })
}

/// What to say of a channel whose capacity is tested: with another capacity it would have another bound.
fn tested(channel: &ChannelVerdict) -> Option<String> {
    let (bound, declared) = channel.proved_at_most.zip(channel.declared)?;
    let longer = channel.state == ChannelState::Bounded && bound > u64::from(declared);
    longer.then(|| {
        let name = &channel.name;
        format!("`{name}` may hold {bound}; `full` or `nfull` compare with [{declared}], so another capacity changes the model")
    })
}

fn gains(run: &GrowingRun) -> impl Iterator<Item = (&str, i64)> {
    run.stages.iter().flat_map(|stage| &stage.gains).map(|(name, gain)| (name.as_str(), *gain))
}

/// What one round of the last loop adds: a stage may take from what an earlier one filled.
fn last_gains(run: &GrowingRun) -> Vec<(String, i64)> {
    run.stages.last().map(|stage| stage.gains.iter().filter(|(_, g)| *g != 0).cloned().collect()).unwrap_or_default()
}

/// How long channels got, and which grow, by the name that both engines know.
fn add_lengths(channels: &mut Vec<ChannelVerdict>, growth: &GrowthReport, network: &Network) {
    let locals = Locals::of(network);
    let mut reached: BTreeMap<String, u64> = BTreeMap::new();
    let searched = growth.longest.iter().map(|queue| (&queue.channel, queue.length));
    for (channel, length) in searched.chain(growth.filled.iter().map(|(channel, &length)| (channel, length))) {
        let known = reached.entry(locals.name(channel)).or_default();
        *known = (*known).max(u64::from(length));
    }
    let mut gain: BTreeMap<String, i64> = BTreeMap::new();
    for (name, more) in growth.growing.iter().flat_map(gains).filter(|(_, gain)| *gain > 0) {
        gain.entry(locals.name(name)).or_insert(more);
    }
    if channels.is_empty() {
        channels.extend(reached.keys().map(|name| unnamed(name, network)));
    }
    for channel in channels.iter_mut() {
        channel.reached = reached.get(&channel.name).copied();
        channel.gain = gain.get(&channel.name).copied();
    }
}

/// A search that guesses visits states that no run need reach: its lengths bound the queues and show nothing.
fn forget_guesses(channels: &mut [ChannelVerdict]) {
    for channel in channels {
        channel.reached = None;
        channel.gain = channel.gain.filter(|_| channel.state == ChannelState::Unbounded);
    }
}

/// A channel that a run fills without end has no bound.
fn mark_growing(channels: &mut [ChannelVerdict]) {
    for channel in channels.iter_mut().filter(|channel| channel.gain.is_some()) {
        channel.state = ChannelState::Unbounded;
        channel.proved_at_most = None;
    }
}

/// A channel of which only the name is known.
fn unnamed(name: &str, network: &Network) -> ChannelVerdict {
    let declared = Declared::new(network, name);
    let ends = declared.as_ref().map(Declared::ends).unwrap_or_default();
    let channel_type = declared.as_ref().and_then(Declared::channel_type);
    ChannelVerdict {
        name: name.to_owned(),
        state: ChannelState::Inconclusive,
        declared: channel_type.and_then(|ty| ty.capacity),
        proved_at_most: None,
        weights_at_most: None,
        reached: None,
        gain: None,
        messages: Vec::new(),
        senders: ends.senders.into_iter().collect(),
        receivers: ends.receivers.into_iter().collect(),
        span: channel_type.map_or(Span::NONE, |ty| ty.span),
    }
}
