//! Growth: a search for runs that fill channels without end, and for how long every queue gets.
//!
//! The states of a system with unbounded channels may be infinitely many, and some such systems grow
//! without any loop that repeats, so this search can fail in every way but one: what it shows has been
//! verified by [`model::growth`], which knows nothing of how it was found. If it happens to visit
//! all states, the system is finite although its channels are not, and that is a proof of the contrary.
//!
//! Two ways of searching, in turns. *Breadth-first*, each new state is compared with those on the way to
//! it: same finite part, no queue lost anything, one gained. This finds the shortest loops, and is
//! hopeless where the loop is long or the branching large; but it goes on from turn to turn at nearly the pace of a
//! search for safety, so that a finite system is exhausted. *Walks* go deep instead: each has a random
//! order of preference among the processes, so that some starve (a receiver that starves is how a queue
//! fills), and prefers the edges of the guide, if there is one. Seeds are fixed: the same question gets
//! the same answer, but for the clock.
//!
//! In a large system, stores to variables that decide nothing are left out, and states that make no queue longer than it gets
//! elsewhere (`reduction`): where that leaves finitely many, all of the system is finite.
//!
//! Where all runs end (`ending`), that shows as much with far fewer states, but not how long queues get; so it is tried first, and
//! the search goes on.
//!
//! Staged growth: after a loop was verified, the search goes on from the state that some rounds of it
//! lead to, where the queues that it fills may do as they like.

mod breadth;
mod crowd;
mod doubling;
mod ending;
mod filling;
mod lengths;
mod walk;

use crate::clock::Clock;
use crate::expansion::Expander;
use crate::reduction::{self, Labels, Mode};
use breadth::Tree;
pub(crate) use lengths::Lengths;
use model::context::Context;
use model::fault::FaultAt;
use model::growth::{Parts, Stage, verified};
use model::ids::{EdgeId, MachineId};
use model::semantics::{Reading, Semantics, Step, Stepper};
use model::verdict::{Reason, SearchStats};
use rustc_hash::{FxHashMap, FxHasher};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::hash::{Hash, Hasher};
use std::ops::Range;
use std::rc::Rc;

pub use ending::{Ending, ending};
pub use model::growth::GrowingRun;
pub(crate) use walk::Random;

/// Edges that a static counterexample uses again and again: walks prefer them.
#[derive(Clone, Debug, Default)]
pub struct Guide {
    /// The edges.
    pub edges: HashSet<(MachineId, EdgeId)>,
}

/// How to search.
#[derive(Clone, Debug, Default)]
pub struct GrowthOptions {
    /// What to prefer.
    pub guide: Option<Guide>,
    /// The channels that are requested, by name; none: all of them.
    pub channels: Vec<String>,
    /// One channel that grows is enough.
    pub stop_at_first: bool,
    /// Whether states may be left out.
    pub reduction: Mode,
}

/// How long a queue got.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct QueueLength {
    /// The name of the channel.
    pub channel: String,
    /// The largest number of messages that was seen in it.
    pub length: u32,
    /// A run to a state with so many, or to one from which an atomic sequence gets to so many; a part of it if time ran out.
    pub run: Vec<Step>,
}

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct GrowthReport {
    /// All states were visited: the system is finite although its channels are unbounded.
    pub complete: bool,
    /// All runs end: no channel grows, however long it gets.
    pub ends: bool,
    /// Why the search ended, if it is not complete; none also if all channels that were requested are shown to grow.
    pub stopped: Option<Reason>,
    /// What was counted.
    pub stats: SearchStats,
    /// The digest of all states, if complete and none was left out.
    pub digest: Option<u128>,
    /// Every channel that was seen, by name, and how long it got.
    pub longest: Vec<QueueLength>,
    /// How long channels got on walks whose steps were not kept.
    pub filled: BTreeMap<String, u32>,
    /// A fault after which a run cannot go on, if one was met: what would come after it is not known.
    pub crashed: Option<FaultAt>,
    /// Verified runs; together they show every channel that could be shown to grow.
    pub growing: Vec<GrowingRun>,
}

impl GrowthReport {
    /// The channels that grow without end.
    pub fn channels(&self) -> BTreeSet<String> {
        self.growing.iter().flat_map(gained).collect()
    }
}

/// The channels that a run fills without end.
fn gained(run: &GrowingRun) -> Vec<String> {
    let gains = run.stages.iter().flat_map(|stage| &stage.gains);
    gains.filter(|(_, gain)| *gain > 0).map(|(name, _)| name.clone()).collect()
}

/// The steps of a run, earlier stages repeated, and where the last loop starts.
pub fn spelled_out(run: &GrowingRun, rounds: usize) -> (Vec<Step>, usize) {
    let mut steps = run.prefix.clone();
    let mut loop_from = steps.len();
    for (index, stage) in run.stages.iter().enumerate() {
        steps.extend(&stage.between);
        loop_from = steps.len();
        let times = if index + 1 == run.stages.len() { 1 } else { rounds };
        for _ in 0..times {
            steps.extend(&stage.steps);
        }
    }
    (steps, loop_from)
}

/// States of the breadth-first search after its first turn; each later turn makes it so many times larger.
const FIRST_STATES: u64 = 4_000;
const LARGER: u64 = 4;
/// Walks per turn, how many steps they may take together, and one more per so many states of the search, and the steps of
/// the first ones.
const WALKS: u64 = 48;
const FIRST_STEPS: u64 = 16_000;
const STATES_PER_STEP: u64 = 4;
/// Walks that fill a queue may take so many times as much.
const WORK_PER_STEP: u64 = 4;
const FIRST_LENGTH: usize = 256;
/// Verifying the same steps so often is enough.
const MOST_VERIFIED: u8 = 3;
/// How often a loop is repeated before the next stage is searched for.
const ROUNDS: usize = 12;
/// More turns than this are not taken.
const MOST_TURNS: u32 = 10;
/// After so many turns states are left out.
const WHOLE_TURNS: u32 = 4;
/// So many states are visited to see whether all runs end.
const MOST_ENDING: u64 = 200_000;
/// More stages than this are not searched for.
const MOST_STAGES: usize = 3;

/// Searches for growth.
pub fn growth(semantics: &Semantics<'_>, options: &GrowthOptions, cx: &Context<'_>) -> GrowthReport {
    let (sliced, without, trimmed);
    let mut hunt = Hunt::new(semantics, options, cx);
    if semantics.reading() != Reading::Unbounded {
        let reason = String::from("channels have a capacity in this reading");
        hunt.report.stopped = Some(Reason::NotSupported(reason));
        return hunt.report;
    }
    let whole = match options.reduction {
        Mode::Off => MOST_TURNS,
        Mode::Auto => WHOLE_TURNS,
        Mode::Trimmed | Mode::On => 0,
    };
    let mut ended = hunt.run(0..whole);
    if matches!(ended, Ended::Enough) {
        sliced = reduction::sliced(semantics.network());
        without = sliced.as_ref().map(|network| Semantics::new(network, semantics.reading()));
        trimmed = reduction::trimmed(without.as_ref().unwrap_or(semantics), &[], Labels::None);
        hunt = match &trimmed {
            Some(trimmed) => {
                let ends = options.stop_at_first && matches!(ending(trimmed, cx, MOST_ENDING), Ending::Ends(_));
                hunt.report.ends = ends;
                hunt.reduced(trimmed)
            }
            None => hunt,
        };
        ended = hunt.run(whole..MOST_TURNS);
    }
    hunt.finish(ended)
}

/// Where a search starts: the run so far, as stages, and what it leaves.
struct Origin {
    state: Vec<u8>,
    /// All steps to that state, rounds included.
    run: Vec<Step>,
    /// The same as stages without the last `between`.
    base: GrowingRun,
    /// The queues that earlier stages fill.
    reservoirs: Vec<usize>,
}

/// Why a search ended.
enum Ended {
    /// There was nothing more to visit.
    Complete,
    /// All that was requested is shown.
    Shown,
    /// It had its share.
    Enough,
    Stopped(Reason),
}

struct Hunt<'a> {
    /// What runs are shown of, also where states are left out.
    semantics: &'a Semantics<'a>,
    options: &'a GrowthOptions,
    clock: Clock<'a>,
    /// For walks: how many steps they looked at, and the first run that cannot go on because of a fault.
    stepper: Stepper<'a>,
    transitions: u64,
    crashed: Option<FaultAt>,
    expander: Expander<'a>,
    /// The one that leaves out states.
    reduced: Option<Expander<'a>>,
    parts: Parts<'a>,
    report: GrowthReport,
    /// The names of the queues of a stack of processes, by the bytes that stand for it.
    names: BTreeMap<[u8; 2], Vec<Option<String>>>,
    longest: BTreeMap<String, QueueLength>,
    /// Channels that are shown to grow.
    shown: BTreeSet<String>,
    /// Every channel that was seen.
    known: BTreeSet<String>,
    /// Steps that verifying took, and states that were searched: one must not outgrow the other.
    spent: u64,
    searched: u64,
    /// Where to search: the first state, and where other stages may start; with how far breadth-first search got.
    origins: Vec<(Rc<Origin>, Tree)>,
    /// How often a loop failed to verify, by a hash of their steps.
    refused: FxHashMap<u64, u8>,
}

impl<'a> Hunt<'a> {
    fn new(semantics: &'a Semantics<'a>, options: &'a GrowthOptions, cx: &Context<'a>) -> Self {
        Hunt {
            semantics,
            options,
            clock: Clock::new(*cx),
            stepper: semantics.stepper(),
            transitions: 0,
            crashed: None,
            expander: Expander::new(semantics),
            reduced: None,
            parts: Parts::new(semantics),
            report: GrowthReport::default(),
            names: BTreeMap::new(),
            longest: BTreeMap::new(),
            shown: BTreeSet::new(),
            known: BTreeSet::new(),
            spent: 0,
            searched: 0,
            origins: Vec::new(),
            refused: FxHashMap::default(),
        }
    }

    /// The first state, where nothing has been searched yet.
    fn begin(&mut self) -> Result<(), Ended> {
        let initial = match self.stepper.initial() {
            Ok(Ok(state)) => state,
            Ok(Err(fault)) => {
                let reason = format!("there is no first state: {}", fault.fault);
                return Err(Ended::Stopped(Reason::NotSupported(reason)));
            }
            Err(overflow) => return Err(Ended::Stopped(Reason::from(overflow))),
        };
        let mut tree = Tree::new(&initial);
        tree.reduced = self.reduced.is_some();
        let base = GrowingRun { prefix: Vec::new(), stages: Vec::new() };
        let origin = Origin { state: initial, run: Vec::new(), base, reservoirs: Vec::new() };
        self.origins.insert(0, (Rc::new(origin), tree));
        Ok(())
    }

    /// The same where states may be left out, with what is known already. The search from the first state begins again.
    fn reduced(self, trimmed: &'a Semantics<'a>) -> Self {
        let mut hunt = Hunt {
            semantics: self.semantics,
            transitions: self.transitions + self.expander.transitions,
            reduced: Some(Expander::new(trimmed).keeping_lengths()),
            crashed: self.crashed.or(self.expander.crashed),
            report: self.report,
            longest: self.longest,
            shown: self.shown,
            known: self.known,
            spent: self.spent,
            searched: self.searched,
            refused: self.refused,
            ..Hunt::new(trimmed, self.options, &self.clock.cx)
        };
        let stages = self.origins.iter().skip(1).map(|(origin, _)| origin);
        if let Ok(Ok(initial)) = hunt.stepper.initial() {
            for origin in stages {
                if let Some(state) = hunt.follow(&initial, &origin.run) {
                    let (run, base, reservoirs) = (origin.run.clone(), origin.base.clone(), origin.reservoirs.clone());
                    hunt.add_origin(Origin { state, run, base, reservoirs });
                }
            }
        }
        hunt
    }

    /// Some turns.
    fn run(&mut self, turns: Range<u32>) -> Ended {
        let begun = self.origins.first().is_some_and(|(origin, _)| origin.base.stages.is_empty());
        if !begun && let Err(ended) = self.begin() {
            return ended;
        }
        for turn in turns.clone() {
            let states = FIRST_STATES * LARGER.pow(turn);
            let limit = self.clock.cx.budget.most_states().unwrap_or(u64::MAX);
            let mut stopped = (states >= limit).then_some(Reason::States);
            let mut next = 0;
            while next < self.origins.len() {
                match self.search_from(next, turn, states.min(limit)) {
                    Ended::Enough => {}
                    // Too many processes for a search of all states: a walk may still get somewhere.
                    Ended::Stopped(reason @ Reason::Limit(_)) => stopped = Some(reason),
                    ended => return ended,
                }
                next += 1;
            }
            if turn % 2 == 0
                && let Err(ended) = self.doublings()
            {
                return ended;
            }
            if let Some(reason) = stopped {
                return Ended::Stopped(reason);
            }
        }
        if turns.end < MOST_TURNS { Ended::Enough } else { Ended::Stopped(Reason::States) }
    }

    fn add_origin(&mut self, origin: Origin) {
        let tree = Tree::new(&origin.state);
        self.origins.push((Rc::new(origin), tree));
    }

    /// One turn: breadth-first up to so many states, then walks. That all states after some stage were visited says nothing
    /// about the others.
    fn search_from(&mut self, index: usize, turn: u32, states: u64) -> Ended {
        let (origin, mut tree) = (Rc::clone(&self.origins[index].0), std::mem::take(&mut self.origins[index].1));
        let mut ended = self.breadth_first(&origin, &mut tree, states);
        let is_early = matches!(ended, Ended::Enough | Ended::Stopped(Reason::Limit(_)));
        if is_early
            && turn == 0
            && index == 0
            && let Err(shown) = self.crowds(&tree)
        {
            ended = shown;
        }
        self.origins[index].1 = tree;
        let steps = FIRST_STEPS.min(4 * states) + states / STATES_PER_STEP;
        let walks = |hunt: &mut Self| match hunt.fillings(&origin, turn, WORK_PER_STEP * steps) {
            Ended::Enough => hunt.walks(&origin, turn, steps),
            ended => ended,
        };
        match ended {
            Ended::Enough => walks(self),
            Ended::Complete if index > 0 => walks(self),
            Ended::Stopped(reason @ Reason::Limit(_)) => match walks(self) {
                Ended::Enough if index == 0 => Ended::Stopped(reason),
                ended => ended,
            },
            ended => ended,
        }
    }

    /// Whether everything that was requested is shown.
    fn all_shown(&self) -> bool {
        if self.options.stop_at_first && !self.shown.is_empty() {
            return true;
        }
        let asked: Vec<&String> = match self.options.channels.as_slice() {
            [] => self.known.iter().collect(),
            channels => channels.iter().collect(),
        };
        !asked.is_empty() && asked.iter().all(|name| self.shown.contains(*name))
    }

    // --- queues -------------------------------------------------------------------------------------

    /// The names of the queues of a state.
    fn names(&mut self, state: &[u8]) -> &[Option<String>] {
        let shape = [state[0], state[1]];
        let (parts, known) = (&mut self.parts, &mut self.known);
        self.names.entry(shape).or_insert_with(|| {
            let names = parts.queue_names(state);
            known.extend(names.iter().flatten().cloned());
            names
        })
    }

    /// Remembers how long the queues of a state are, which has this number in the search that found it.
    fn measure(&mut self, lengths: &mut Lengths, state: &[u8], id: u32) {
        if lengths.add(&mut self.parts, state, id) {
            self.names(state);
        }
    }

    /// Keeps what is longer than all that was seen before; `run` leads to a state.
    fn keep_longest(&mut self, lengths: &Lengths, run: &mut dyn FnMut(&mut Self, u32) -> Vec<Step>) {
        for (sample, queues) in lengths.by_shape() {
            let names = self.names(sample).to_vec();
            for (channel, &(length, id)) in names.into_iter().zip(queues) {
                let Some(channel) = channel else { continue };
                if self.longest.get(&channel).is_none_or(|best| best.length < length) {
                    let run = run(self, id);
                    self.longest.insert(channel.clone(), QueueLength { channel, length, run });
                }
            }
        }
    }

    /// Whether a loop that fills these queues would show anything new.
    fn is_news(&mut self, state: &[u8], queues: &[usize]) -> bool {
        let names = self.names(state).to_vec();
        let news = |q: &usize| names.get(*q).and_then(Option::as_ref).is_some_and(|name| !self.shown.contains(name));
        queues.iter().any(news)
    }

    /// Whether verifying has not yet taken more than its share.
    fn may_verify(&self) -> bool {
        self.spent < 100_000 + self.searched
    }

    /// Verifies a loop from the state that `way` leads to from an origin; a new one is kept.
    fn try_loop(&mut self, origin: &Origin, way: &[Step], steps: &[Step]) {
        let mut hasher = FxHasher::default();
        steps.hash(&mut hasher);
        let key = hasher.finish();
        if self.refused.get(&key).is_some_and(|&times| times >= MOST_VERIFIED) {
            return;
        }
        self.spent += (origin.run.len() + way.len() + 8 * steps.len()) as u64;
        let mut run = origin.base.clone();
        let (between, others) = (way.to_vec(), Vec::new());
        let mut stage = Stage { between, steps: steps.to_vec(), others, gains: Vec::new() };
        if run.stages.is_empty() {
            run.prefix = std::mem::take(&mut stage.between);
        }
        run.stages.push(stage);
        let Ok(run) = verified(self.semantics, run, &self.clock.cx) else {
            *self.refused.entry(key).or_default() += 1;
            return;
        };
        let new: Vec<String> = gained(&run).into_iter().filter(|name| !self.shown.contains(name)).collect();
        if new.is_empty() {
            return;
        }
        self.shown.extend(new);
        if run.stages.len() < MOST_STAGES
            && !self.all_shown()
            && let Some(origin) = self.after_rounds(origin, way, steps, &run)
        {
            self.add_origin(origin);
        }
        self.report.growing.push(run);
    }

    /// The state after some rounds of a loop that does not create processes.
    fn after_rounds(&mut self, origin: &Origin, between: &[Step], steps: &[Step], run: &GrowingRun) -> Option<Origin> {
        let mut state = self.follow(&origin.state, between)?;
        let mut all = [origin.run.as_slice(), between].concat();
        let (mut reservoirs, mut rounds) = (origin.reservoirs.clone(), 0);
        while rounds < ROUNDS {
            let Some(next) = self.follow(&state, steps) else { break };
            let grown = self.parts.grown(&state, &next, &origin.reservoirs)?;
            if self.parts.fingerprint(&state).whole != self.parts.fingerprint(&next).whole {
                return None;
            }
            reservoirs.extend(grown);
            all.extend_from_slice(steps);
            state = next;
            rounds += 1;
        }
        reservoirs.sort_unstable();
        reservoirs.dedup();
        (rounds > 0).then(|| Origin { state, run: all, base: run.clone(), reservoirs })
    }

    /// Where steps lead, from one state of the system to another, if there is time.
    fn follow(&mut self, state: &[u8], steps: &[Step]) -> Option<Vec<u8>> {
        let mut at = (state.to_vec(), None);
        for &step in steps {
            self.advance(&mut at, step)?;
        }
        (!self.is_inner(&at)).then_some(at.0)
    }

    /// One step, from a state that a process may control.
    fn advance(&mut self, at: &mut (Vec<u8>, Option<u32>), wanted: Step) -> Option<()> {
        let (state, control) = at;
        self.clock.cx.budget.spend(state.len()).ok()?;
        let stepper = &mut self.stepper;
        let holder = control.filter(|&process| stepper.keeps_control(state, process) == Ok(true));
        let mut next = None;
        stepper
            .expand(state, holder, &mut |successor| {
                if let (true, None, Some(after)) = (successor.step == wanted, &next, successor.state) {
                    next = Some((after.to_vec(), successor.control));
                }
            })
            .ok()?;
        *at = next?;
        Some(())
    }

    /// A state in the middle of an atomic sequence.
    fn is_inner(&mut self, (state, control): &(Vec<u8>, Option<u32>)) -> bool {
        control.is_some_and(|process| self.stepper.keeps_control(state, process) != Ok(false))
    }

    fn finish(mut self, ended: Ended) -> GrowthReport {
        let reduced = self.reduced.as_mut();
        let (more, crashed) = reduced.map_or((0, None), |reduced| (reduced.transitions, reduced.crashed.take()));
        self.report.stats.transitions = self.transitions + self.expander.transitions + more;
        self.report.complete = matches!(ended, Ended::Complete);
        if let Ended::Stopped(reason) = ended {
            self.report.stopped = Some(reason);
        }
        self.report.crashed = self.expander.crashed.take().or(crashed).or(self.crashed.take());
        self.report.longest = self.longest.into_values().collect();
        self.report
    }
}
