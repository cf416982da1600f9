//! Runs that fill a channel without end, and the proof that they do.
//!
//! A [`GrowingRun`] leads to a state and then goes round a loop. [`verify`] replays it in the ordinary
//! semantics and decides whether the loop can be repeated forever. It takes the run and the model, and
//! trusts no search.
//!
//! **One loop.** Let the finite parts (see [`Parts`]) be the same before and after one round, and let
//! every queue either be as it was, or *move*: before the round it holds `w`, in the round `s` is sent
//! to it and `r` received. The loop repeats forever if for each moving queue `|s| ≥ |r|`, and `r` is
//! empty or `w·s^ω = r^ω`, and if no decision depends on what is behind what the first round saw (see
//! `dependence.rs`). For then, by induction over the steps, each step of a later round finds all it
//! looks at as it was: in round `k` a receive takes letter `k·|r| + i` of `w·s^ω`, which is letter `i`
//! of `r`; and it is there, because `k·|r| + i < k·|s| + |w| + …` holds if it does for `k = 0`. After
//! `n` rounds the queue holds the prefix of length `|w| + n·(|s| − |r|)` of one infinite word, its
//! `Word`: the front never changes, and a queue that moves grows.
//!
//! A loop may also lie inside an atomic sequence that never ends: the process in control is a finite part, too.
//!
//! **Stages.** Then a second loop may use up what the first has pumped. To the steps of a later stage
//! a queue that an earlier one filled is a *reservoir*: it holds a prefix of its word as long as they
//! like, if the earlier stage is repeated often enough. So what they receive from it must spell that
//! word, forever; nothing else is asked of it, and what they send to it is never seen. For every `N` there
//! is an `n` such that after `n` rounds of the first loop the second runs `N` times, so what the second
//! fills is unbounded too, although no run has all of these rounds.
//!
//! **Doubling.** A queue may also grow although no loop repeats: `doubling.rs`.
//!
//! **Processes that multiply.** The state after the round may have more processes, or the same ones in
//! other places, if each old process has an *image*: one in the same finite state, by which its steps
//! are taken in the next round. New processes of a round are again the youngest in the next, so the
//! `k`-th of them corresponds to the `k`-th. The rest stand by. For this nothing in the loop may look at
//! numbers of processes or at bystanders, no old process may end, and local channels must keep their numbers.
//!
//! **Crowds.** A loop that adds nothing but processes may come first, and each of these then adds messages: `crowd.rs`.
//!
//! At last some more rounds are replayed, step by step: not for the proof, but against mistakes in it.

mod crowd;
mod dependence;
mod doubling;
mod parts;
mod word;

pub use parts::{Fingerprint, Parts};

use crate::configuration::Configuration;
use crate::context::Context;
use crate::ids::EdgeId;
use crate::layout::FrameCache;
use crate::network::Action;
use crate::semantics::{Chosen, Reading, Semantics, Step, Stepper};
use crate::trace::queue_name;
use dependence::{Dependence, Front, Moving, check_network};
pub(crate) use parts::contents;
use parts::images;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use word::Word;

/// A run that fills a channel without end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GrowingRun {
    /// From the first state to where the first loop starts.
    pub prefix: Vec<Step>,
    /// The loops; each uses what the earlier ones have pumped. There is at least one.
    pub stages: Vec<Stage>,
}

/// A loop that can be repeated as often as one likes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stage {
    /// From the end of the earlier stage to where this loop starts; empty for the first stage.
    pub between: Vec<Step>,
    /// One round.
    pub steps: Vec<Step>,
    /// Where each message is replaced by several: rounds that begin with other messages (see `doubling.rs`).
    pub others: Vec<Vec<Step>>,
    /// What one round adds to each channel that it changes, by name.
    pub gains: Vec<(String, i64)>,
}

/// Why a run does not show that a channel grows forever.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// A step of it is not possible.
    Replay,
    /// There is no loop, or another process is in control after it.
    NoLoop,
    /// Channels block when they are full.
    Reading,
    /// A finite part does not return.
    FinitePart,
    /// A round does not leave any channel longer.
    NoGrowth,
    /// A later round finds other messages in front than the first.
    Order,
    /// A decision may be another when a channel holds more.
    Looks,
    /// A step was possible only because another was not, and that may change.
    Waits,
    /// A statement uses channels in a way that is not understood.
    Step,
    /// A timeout among processes that multiply.
    Timeout,
    /// `provided` depends on a channel, or on who asks.
    Provided,
    /// Processes multiply, and there are priorities.
    Priorities,
    /// Processes multiply, and a step depends on their numbers or on others.
    Numbers,
    /// Processes multiply, and a rendezvous that found no partner might find one.
    Partner,
    /// Processes multiply, and have channels of their own, or end.
    Lives,
    /// There was no time to replay it, or no memory.
    Unfinished,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Refusal::Replay => "a step is not possible where the run takes it",
            Refusal::NoLoop => "there is no loop, or control does not return",
            Refusal::Reading => "channels have a capacity in this reading",
            Refusal::FinitePart => "locations or variables do not return",
            Refusal::NoGrowth => "a round leaves no channel longer",
            Refusal::Order => "the messages do not stand in the order in which a later round would receive them",
            Refusal::Looks => "a decision may change when a channel holds more",
            Refusal::Waits => "a step is possible only while another is not, and that may change",
            Refusal::Step => "a statement uses channels in a way that is not understood",
            Refusal::Timeout => "a timeout among processes that multiply",
            Refusal::Provided => "`provided` depends on a channel or on the process",
            Refusal::Priorities => "processes multiply and have priorities",
            Refusal::Numbers => "a step depends on the numbers of processes that multiply",
            Refusal::Partner => "a rendezvous might find another partner in a later round",
            Refusal::Lives => "processes multiply that have channels of their own, or end",
            Refusal::Unfinished => "there was no time to replay it",
        })
    }
}

/// How many rounds of the last loop are replayed at least.
const ROUNDS: usize = 4;
/// How many more rounds of earlier stages are tried per round of later ones.
const PUMPING: [usize; 4] = [2, 4, 16, 64];
/// No more rounds of one stage than this are replayed.
const MOST_ROUNDS: usize = 1 << 12;

/// Decides whether a run shows unbounded growth; if so, returns what one round of each stage adds to each channel.
pub fn verify(
    semantics: &Semantics<'_>,
    run: &GrowingRun,
    cx: &Context<'_>,
) -> Result<Vec<Vec<(String, i64)>>, Refusal> {
    if semantics.reading() != Reading::Unbounded {
        return Err(Refusal::Reading);
    }
    check_network(semantics.network())?;
    if let [Stage { others, .. }] = run.stages.as_slice()
        && !others.is_empty()
    {
        return doubling::verify(semantics, run, cx).map(|gains| vec![gains]);
    }
    let mut last = Err(Refusal::NoLoop);
    for more in PUMPING {
        last = Replay::begin(semantics, &run.prefix, cx)?.stages(run, more);
        if last.is_ok() || run.stages.len() < 2 {
            break;
        }
    }
    if last == Err(Refusal::NoGrowth) && run.stages.len() == 2 { crowd::verify(semantics, run, cx) } else { last }
}

/// A run with all its gains, if it shows unbounded growth.
pub fn verified(semantics: &Semantics<'_>, mut run: GrowingRun, cx: &Context<'_>) -> Result<GrowingRun, Refusal> {
    let gains = verify(semantics, &run, cx)?;
    for (stage, gains) in run.stages.iter_mut().zip(gains) {
        stage.gains = gains;
    }
    Ok(run)
}

/// A step as it was taken.
struct Taken {
    step: Step,
    before: Configuration,
    after: Configuration,
    /// The statements of a deterministic step.
    inside: Vec<Chosen>,
    /// A process that had control of an atomic sequence, and was blocked.
    blocked: Option<usize>,
    /// The process that had control.
    control: Option<u32>,
    /// It was taken because nothing else could move.
    timeout: bool,
}

/// A statement as it was executed: of a step by itself, or inside a deterministic one.
struct Executed<'a> {
    process: usize,
    action: &'a Action,
    before: &'a Configuration,
    after: &'a Configuration,
    /// Choices of a deterministic step in front of it.
    passed: Vec<&'a Action>,
}

/// What a round sends to a queue and receives from it.
type Traffic = (Vec<Vec<u8>>, Vec<Vec<u8>>);

/// Replays a run, and remembers what earlier stages pumped.
struct Replay<'s> {
    semantics: &'s Semantics<'s>,
    cx: &'s Context<'s>,
    stepper: Stepper<'s>,
    cache: FrameCache,
    state: Vec<u8>,
    control: Option<u32>,
    /// What is in the queues that earlier stages fill.
    reservoirs: BTreeMap<usize, Word>,
}

/// What a round of a loop is: which process plays whose part in the next, and what moves.
struct Round {
    /// Per process at the start: its image at the end.
    images: Vec<usize>,
    /// The new words of queues.
    words: BTreeMap<usize, Word>,
    gains: Vec<(String, i64)>,
}

impl<'s> Replay<'s> {
    /// After the first steps of a run.
    fn begin(semantics: &'s Semantics<'s>, prefix: &[Step], cx: &'s Context<'s>) -> Result<Self, Refusal> {
        let mut stepper = semantics.stepper();
        let state = stepper.initial().map_err(|_| Refusal::Replay)?.map_err(|_| Refusal::Replay)?;
        let (cache, control, reservoirs) = (FrameCache::default(), None, BTreeMap::new());
        let mut replay = Replay { semantics, cx, stepper, cache, state, control, reservoirs };
        replay.advance(prefix)?;
        Ok(replay)
    }

    /// The stages, with so many times more rounds of each than of the next.
    fn stages(&mut self, run: &GrowingRun, more: usize) -> Result<Vec<Vec<(String, i64)>>, Refusal> {
        let mut gains = Vec::new();
        for (index, stage) in run.stages.iter().enumerate() {
            if !stage.others.is_empty() {
                return Err(Refusal::NoLoop);
            }
            let between = self.follow(&stage.between)?;
            self.draw(&between)?;
            let trace = self.follow(&stage.steps)?;
            let round = self.round(&trace)?;
            let processes = trace.first().map_or(0, |taken| taken.before.process_count());
            let later = (run.stages.len() - 1 - index) as u32;
            let rounds = ROUNDS.saturating_mul(more.saturating_pow(later)).min(MOST_ROUNDS);
            self.repeat(&stage.steps, &round.images, processes, rounds)?;
            let multiplies = round.images.iter().enumerate().any(|(p, image)| p != *image);
            if run.stages.len() > 1
                && (multiplies || self.configuration(&self.state.clone()).process_count() != processes)
            {
                return Err(Refusal::Lives);
            }
            self.reservoirs.extend(round.words);
            gains.push(round.gains);
        }
        if gains.is_empty() { Err(Refusal::NoLoop) } else { Ok(gains) }
    }

    fn configuration(&mut self, state: &[u8]) -> Configuration {
        let (layout, shapes) = (&self.semantics.layout, &self.semantics.shapes);
        let mut configuration = Configuration::empty(layout, shapes, &mut self.cache);
        configuration.load(layout, shapes, &mut self.cache, state);
        configuration
    }

    // --- steps ------------------------------------------------------------------------------------

    /// Takes steps one after the other.
    fn follow(&mut self, steps: &[Step]) -> Result<Vec<Taken>, Refusal> {
        steps.iter().map(|&step| self.take(step)).collect()
    }

    /// The same where nothing is asked of the steps but that they are possible: a run may be long, and its states large.
    fn advance(&mut self, steps: &[Step]) -> Result<(), Refusal> {
        steps.iter().try_for_each(|&step| {
            let (holder, _) = self.in_control()?;
            (self.state, self.control, _) = self.successor(step, holder)?;
            Ok(())
        })
    }

    /// The process that still has control, and the one that would have but is blocked.
    fn in_control(&mut self) -> Result<(Option<u32>, Option<usize>), Refusal> {
        let Some(process) = self.control else { return Ok((None, None)) };
        let keeps = self.stepper.keeps_control(&self.state, process).map_err(|_| Refusal::Replay)?;
        Ok(if keeps { (Some(process), None) } else { (None, Some(process as usize)) })
    }

    /// The state that a step leads to, who has control there, and whether it is taken because nothing else can move.
    fn successor(&mut self, wanted: Step, holder: Option<u32>) -> Result<(Vec<u8>, Option<u32>, bool), Refusal> {
        self.cx.spend(self.state.len()).map_err(|_| Refusal::Unfinished)?;
        let mut found = None;
        let expanded = self.stepper.expand(&self.state, holder, &mut |successor| {
            if let (true, Some(state)) = (successor.step == wanted && found.is_none(), successor.state) {
                found = Some((state.to_vec(), successor.control, successor.timeout));
            }
        });
        expanded.ok().and(found).ok_or(Refusal::Replay)
    }

    fn take(&mut self, wanted: Step) -> Result<Taken, Refusal> {
        let (holder, blocked) = self.in_control()?;
        let (next, control, timeout) = self.successor(wanted, holder)?;
        let inside = self.stepper.inside(&self.state, wanted, timeout).ok_or(Refusal::Replay)?;
        let (before, after) = (self.configuration(&self.state.clone()), self.configuration(&next));
        (self.state, self.control) = (next, control);
        Ok(Taken { step: wanted, before, after, inside, blocked, control: holder, timeout })
    }

    /// Repeats a loop, each round by the images of those who took part in the one before.
    fn repeat(&mut self, steps: &[Step], images: &[usize], processes: usize, rounds: usize) -> Result<(), Refusal> {
        let mut parts: Vec<usize> = images.to_vec();
        for _ in 1..rounds {
            let present = self.configuration(&self.state.clone()).process_count();
            let player = |p: u32| match parts.get(p as usize) {
                Some(&player) => player as u32,
                None => (present + p as usize - processes) as u32,
            };
            let cast: Vec<Step> = steps.iter().map(|&step| recast(step, &player)).collect();
            self.advance(&cast)?;
            parts = images.iter().map(|&image| player(image as u32) as usize).collect();
        }
        Ok(())
    }

    // --- the argument ------------------------------------------------------------------------------

    /// Steps between two stages: what they receive from reservoirs must be there however much is in them.
    fn draw(&mut self, trace: &[Taken]) -> Result<(), Refusal> {
        if self.reservoirs.is_empty() {
            return if trace.is_empty() { Ok(()) } else { Err(Refusal::NoLoop) };
        }
        let moving = self.fronts(trace, &[]);
        check_owners(trace, &moving)?;
        let traffic = self.traffic(trace, &moving, false)?;
        for (queue, (_, received)) in traffic {
            let word = self.reservoirs.get(&queue).ok_or(Refusal::Order)?;
            let rest = word.without(&received).ok_or(Refusal::Order)?;
            self.reservoirs.insert(queue, rest);
        }
        Ok(())
    }

    /// Whether a round can be repeated forever.
    fn round(&mut self, trace: &[Taken]) -> Result<Round, Refusal> {
        let (Some(first), Some(last)) = (trace.first(), trace.last()) else { return Err(Refusal::NoLoop) };
        let (control, blocked) = self.in_control()?;
        if control != first.control {
            return Err(Refusal::NoLoop);
        }
        let (before, after) = (&first.before, &last.after);
        let images = images(self.semantics, before, after).ok_or(Refusal::FinitePart)?;
        let multiplies = before.frame.shape != after.frame.shape || images.iter().enumerate().any(|(p, i)| p != *i);
        if multiplies {
            self.check_lives(trace, &images)?;
            if control.is_some() {
                return Err(Refusal::NoLoop);
            }
        }
        let own = self.changed(before, after)?;
        let moving = self.fronts(trace, &own);
        check_owners(trace, &moving)?;
        let traffic = self.traffic(trace, &moving, multiplies)?;
        if let Some(process) = blocked {
            self.dependence(after, &moving, multiplies).blocked(process)?;
        }
        let mut words = BTreeMap::new();
        for &queue in moving.keys() {
            let (sent, received) = traffic.get(&queue).cloned().unwrap_or_default();
            let word = match self.reservoirs.get(&queue) {
                Some(word) => drawn(word, received)?,
                None => pumped(letters(self.semantics, before, queue), sent, received)?,
            };
            words.insert(queue, word);
        }
        if own.is_empty() {
            return Err(Refusal::NoGrowth);
        }
        Ok(Round { images, words, gains: self.gains(before, after) })
    }

    fn dependence<'a>(&'a self, state: &'a Configuration, moving: &'a Moving, anonymous: bool) -> Dependence<'a> {
        Dependence { semantics: self.semantics, state, moving, anonymous, timeout: false }
    }

    /// The moving queues: reservoirs, and those that a round leaves longer; with every message that is ever in them.
    fn fronts(&self, trace: &[Taken], own: &[usize]) -> Moving {
        let own = own.iter().map(|&queue| (queue, false));
        let all = self.reservoirs.keys().map(|&queue| (queue, true)).chain(own);
        let front = |(queue, hidden): (usize, bool)| {
            let word = self.reservoirs.get(&queue).into_iter().flat_map(Word::letters).map(Vec::as_slice);
            let (mut bytes, mut before): (BTreeSet<&[u8]>, &[u8]) = (word.collect(), &[]);
            for state in trace.iter().flat_map(Taken::states) {
                let now = held(self.semantics, state, queue);
                // What was there before is known.
                let new = now.strip_prefix(before).unwrap_or(if before.ends_with(now) { &[] } else { now });
                bytes.extend(new.chunks(message_size(state, queue)));
                before = now;
            }
            let letters = trace.first().map_or(Vec::new(), |taken| {
                bytes.iter().map(|letter| fields(self.semantics, &taken.before, queue, letter)).collect()
            });
            (queue, Front { letters, hidden })
        };
        all.map(front).collect()
    }

    /// The queues that hold something else after a round, without reservoirs.
    fn changed(&self, before: &Configuration, after: &Configuration) -> Result<Vec<usize>, Refusal> {
        if before.frame.queues.len() != after.frame.queues.len() {
            return Err(Refusal::Lives);
        }
        let changed = |&q: &usize| contents(self.semantics, before, q) != contents(self.semantics, after, q);
        let queues = (0..before.frame.queues.len()).filter(changed);
        Ok(queues.filter(|q| !self.reservoirs.contains_key(q)).collect())
    }

    /// Where processes multiply: no old one ends, and channels of processes keep their numbers.
    fn check_lives(&self, trace: &[Taken], images: &[usize]) -> Result<(), Refusal> {
        if self.semantics.layout.last_mover || !self.reservoirs.is_empty() {
            return Err(Refusal::Numbers);
        }
        let same = images.iter().enumerate().take_while(|(p, image)| p == *image).count();
        let lives = |state: &Configuration| {
            let owns =
                |p: &crate::layout::ProcessFrame| !self.semantics.layout.blocks[p.machine.index()].queues.is_empty();
            state.process_count() >= images.len() && !state.frame.processes.iter().skip(same).any(owns)
        };
        if trace.iter().all(|taken| lives(&taken.before) && lives(&taken.after)) { Ok(()) } else { Err(Refusal::Lives) }
    }

    /// What steps send to and receive from moving queues, if nothing changes when these hold more.
    fn traffic(&self, trace: &[Taken], moving: &Moving, anonymous: bool) -> Result<BTreeMap<usize, Traffic>, Refusal> {
        let mut total: BTreeMap<usize, Traffic> = BTreeMap::new();
        for taken in trace {
            self.add_traffic(taken, moving, anonymous, &mut total)?;
        }
        Ok(total)
    }

    /// The same of one step.
    fn add_traffic(
        &self,
        taken: &Taken,
        moving: &Moving,
        anonymous: bool,
        total: &mut BTreeMap<usize, Traffic>,
    ) -> Result<(), Refusal> {
        let dependence = Dependence { timeout: taken.timeout, ..self.dependence(&taken.before, moving, anonymous) };
        taken.chosen(&dependence)?;
        for executed in taken.executed(self.semantics)? {
            let dependence = Dependence { state: executed.before, ..dependence };
            executed.passed.iter().try_for_each(|action| dependence.impossible(executed.process, action))?;
            dependence.done(executed.process, executed.action)?;
            for &queue in moving.keys() {
                self.count(&executed, queue, total.entry(queue).or_default())?;
            }
        }
        Ok(())
    }

    /// What a statement sends to a queue or receives from it.
    fn count(&self, executed: &Executed<'_>, queue: usize, traffic: &mut Traffic) -> Result<(), Refusal> {
        let (old, new) = (held(self.semantics, executed.before, queue), held(self.semantics, executed.after, queue));
        let size = message_size(executed.before, queue);
        match executed.action {
            _ if old == new => Ok(()),
            Action::Send { .. } if new.starts_with(old) => {
                traffic.0.extend(new[old.len()..].chunks(size).map(<[u8]>::to_vec));
                Ok(())
            }
            Action::Receive { .. } if old.ends_with(new) => {
                traffic.1.extend(old[..old.len() - new.len()].chunks(size).map(<[u8]>::to_vec));
                Ok(())
            }
            _ => Err(Refusal::Step),
        }
    }

    /// What a round adds to each queue, by name.
    fn gains(&self, before: &Configuration, after: &Configuration) -> Vec<(String, i64)> {
        let len = |state: &Configuration, q| state.queue_len(&self.semantics.layout, q) as i64;
        (0..before.frame.queues.len())
            .filter(|&q| contents(self.semantics, before, q) != contents(self.semantics, after, q))
            .map(|q| (queue_name(self.semantics, before, q), len(after, q) - len(before, q)))
            .collect()
    }
}

impl Taken {
    /// All states that were passed.
    fn states(&self) -> impl Iterator<Item = &Configuration> {
        let inside = self.inside.iter().map(|chosen| &chosen.before);
        [&self.before].into_iter().chain(inside).chain([&self.after])
    }

    /// The processes that take part, the one that receives last, each with its edge.
    fn players(&self) -> Vec<(usize, EdgeId)> {
        match self.step {
            Step::Edge { process, edge } => vec![(process as usize, edge)],
            Step::Rendezvous { sender, receiver } => {
                vec![(sender.0 as usize, sender.1), (receiver.0 as usize, receiver.1)]
            }
            Step::Loss { .. } => Vec::new(),
        }
    }

    /// Whether the step is again the one that is taken.
    fn chosen(&self, dependence: &Dependence<'_>) -> Result<(), Refusal> {
        if self.timeout {
            dependence.nothing_moves()?;
        }
        if let Some(process) = self.blocked {
            Dependence { timeout: false, ..*dependence }.blocked(process)?;
        }
        if let Step::Loss { queue, .. } = self.step {
            return if dependence.moving.contains_key(&(queue as usize)) { Err(Refusal::Looks) } else { Ok(()) };
        }
        let players = self.players();
        // Who is handed a message need not outrank anybody.
        players.first().map_or(Ok(()), |(process, _)| dependence.not_outranked(*process))?;
        for &(process, id) in &players {
            let action = self.action(dependence.semantics, process, id)?;
            let first = match (action, self.inside.first()) {
                (Action::Deterministic(step), Some(chosen)) => {
                    &step.nodes.get(chosen.node).and_then(|n| n.get(chosen.choice)).ok_or(Refusal::Step)?.action
                }
                _ => action,
            };
            dependence.chosen(process, id, first)?;
        }
        Ok(())
    }

    fn action<'n>(&self, semantics: &'n Semantics<'_>, process: usize, id: EdgeId) -> Result<&'n Action, Refusal> {
        let machine = semantics.network().machine(self.before.machine(process));
        Ok(&machine.edges.get(id.index()).ok_or(Refusal::Replay)?.action)
    }

    /// The statements, in order.
    fn executed<'a>(&'a self, semantics: &'a Semantics<'_>) -> Result<Vec<Executed<'a>>, Refusal> {
        let mut all = Vec::new();
        let players = self.players();
        for (index, &(process, id)) in players.iter().enumerate() {
            let (action, before) = (self.action(semantics, process, id)?, &self.before);
            // Who sends a message that is handed over does nothing else.
            let after = if index + 1 < players.len() { before } else { &self.after };
            let Action::Deterministic(step) = action else {
                all.push(Executed { process, action, before, after, passed: Vec::new() });
                continue;
            };
            let ends = self.inside.iter().skip(1).map(|chosen| &chosen.before).chain([after]);
            for (position, (chosen, after)) in self.inside.iter().zip(ends).enumerate() {
                let node = step.nodes.get(chosen.node).ok_or(Refusal::Step)?;
                let action = &node.get(chosen.choice).ok_or(Refusal::Step)?.action;
                // The choice that takes a message that is handed over is made by finite parts.
                let handed_over = index == 1 && position == 0;
                let passed = node[..chosen.choice].iter().map(|choice| &choice.action);
                let passed = if handed_over { Vec::new() } else { passed.collect() };
                all.push(Executed { process, action, before: &chosen.before, after, passed });
            }
        }
        Ok(all)
    }
}

/// The same step by other processes.
fn recast(step: Step, player: &dyn Fn(u32) -> u32) -> Step {
    match step {
        Step::Edge { process, edge } => Step::Edge { process: player(process), edge },
        Step::Rendezvous { sender, receiver } => {
            Step::Rendezvous { sender: (player(sender.0), sender.1), receiver: (player(receiver.0), receiver.1) }
        }
        loss @ Step::Loss { .. } => loss,
    }
}

/// The bytes of the messages of a queue; none if there is no such queue.
fn held<'c>(semantics: &Semantics<'_>, state: &'c Configuration, queue: usize) -> &'c [u8] {
    if queue < state.frame.queues.len() { contents(semantics, state, queue) } else { &[] }
}

fn message_size(state: &Configuration, queue: usize) -> usize {
    state.frame.queues.get(queue).map_or(1, |frame| frame.message_size.max(1) as usize)
}

/// The messages of a queue one by one.
fn letters(semantics: &Semantics<'_>, state: &Configuration, queue: usize) -> Vec<Vec<u8>> {
    held(semantics, state, queue).chunks(message_size(state, queue)).map(<[u8]>::to_vec).collect()
}

/// The fields of a message.
fn fields(semantics: &Semantics<'_>, state: &Configuration, queue: usize, letter: &[u8]) -> Vec<i32> {
    let kind = state.frame.queues.get(queue).map(|frame| &semantics.layout.messages[frame.channel_type.index()]);
    let fields = kind.map_or(&[][..], |kind| &kind.fields);
    fields.iter().map(|&(storage, offset, _)| storage.load(letter, offset)).collect()
}

/// A moving queue must belong to the system or to a process that lives through the round.
fn check_owners(trace: &[Taken], moving: &Moving) -> Result<(), Refusal> {
    let lives = |queue: usize| trace.iter().all(|taken| queue < taken.after.frame.queues.len());
    if moving.keys().all(|&queue| lives(queue)) { Ok(()) } else { Err(Refusal::Lives) }
}

/// The word of a queue that a round fills: `w·s^ω`, and what is received must spell it.
fn pumped(held: Vec<Vec<u8>>, sent: Vec<Vec<u8>>, received: Vec<Vec<u8>>) -> Result<Word, Refusal> {
    if sent.len() < received.len() {
        return Err(Refusal::Order);
    }
    let word = Word { head: held, period: sent };
    if received.is_empty() {
        return Ok(word);
    }
    let taken = Word { head: Vec::new(), period: received };
    if word.equals(&taken) { Ok(taken) } else { Err(Refusal::Order) }
}

/// The word of a reservoir after any number of rounds that each receive the same from it.
fn drawn(word: &Word, received: Vec<Vec<u8>>) -> Result<Word, Refusal> {
    if received.is_empty() {
        return Ok(word.clone());
    }
    let taken = Word { head: Vec::new(), period: received };
    if word.equals(&taken) { Ok(taken) } else { Err(Refusal::Order) }
}
