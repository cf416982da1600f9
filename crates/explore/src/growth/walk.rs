//! Walks: long runs, each with its own preferences.

use super::{Ended, FIRST_LENGTH, Hunt, Lengths, Origin, WALKS};
use model::growth::Fingerprint;
use model::semantics::Step;
use model::verdict::{Progress, Reason};
use rustc_hash::FxHashMap;

/// A small generator of random numbers: the same seed, the same walk.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d)
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize).checked_rem(bound).unwrap_or(0)
    }
}

/// A walk so far, step by step: also states in the middle of atomic sequences, since one that never ends may grow.
#[derive(Default)]
struct Path {
    states: Vec<Vec<u8>>,
    /// The step to each state but the first.
    steps: Vec<Step>,
    /// Where the walk was in a state with this finite part, and with the same process in control.
    places: FxHashMap<(u64, Option<u32>), Vec<usize>>,
    /// The same for the global variables alone, where the number of processes changes.
    similar: FxHashMap<(u64, Option<u32>), Vec<usize>>,
    prints: Vec<Fingerprint>,
}

/// The steps of one state, and where they lead.
#[derive(Default)]
pub(super) struct Steps {
    pub(super) all: Vec<(Step, Option<u32>, Vec<u8>)>,
}

/// Some processes move in turn, always in the same way, and the others wait. Nothing is left to chance: only so a walk comes back
/// to where it was, if the way round is long.
#[derive(Default)]
struct Turns {
    /// When each process moved last.
    last: FxHashMap<u32, u64>,
    moves: u64,
}

impl Turns {
    fn choose(&mut self, steps: &Steps, seed: u64) -> Option<usize> {
        let waits = |process: u32| Random::new(seed ^ u64::from(process) << 32).below(3) == 0;
        let rank = |step: Step| {
            let process = mover(step).unwrap_or(u32::MAX);
            (waits(process), self.last.get(&process).copied().unwrap_or(0))
        };
        let (index, (step, ..)) = steps.all.iter().enumerate().min_by_key(|(_, (step, ..))| rank(*step))?;
        self.moves += 1;
        self.last.insert(mover(*step).unwrap_or(u32::MAX), self.moves);
        Some(index)
    }
}

/// The process that moves, or begins to.
pub(super) fn mover(step: Step) -> Option<u32> {
    match step {
        Step::Edge { process, .. } => Some(process),
        Step::Rendezvous { sender, .. } => Some(sender.0),
        Step::Loss { .. } => None,
    }
}

/// How many earlier states with the same finite part a new one is compared with, of the latest and of the first.
const COMPARED: usize = 4;
/// How many of the latest are looked at, if not all of the finite part has to be the same.
const LATEST: usize = 1 << 10;

impl Hunt<'_> {
    /// Some walks from an origin, of so many steps together.
    pub(super) fn walks(&mut self, origin: &Origin, turn: u32, most: u64) -> Ended {
        let end = self.searched + most;
        for walk in 0..WALKS {
            if self.searched >= end || self.known.is_empty() {
                break;
            }
            let length = FIRST_LENGTH << (walk % 4) << (2 * turn).min(8);
            if let Err(ended) = self.walk(origin, u64::from(turn) * WALKS + walk, length) {
                return ended;
            }
        }
        Ended::Enough
    }

    fn walk(&mut self, origin: &Origin, seed: u64, length: usize) -> Result<(), Ended> {
        let mut random = Random::new(seed);
        let mut path = Path { states: vec![origin.state.clone()], ..Path::default() };
        let (mut control, mut steps) = (None, Steps::default());
        let obedience = 60 + random.below(40);
        let mut turns = (seed % 4 == 3).then(Turns::default);
        let ended = loop {
            let state = path.states.last().cloned().unwrap_or_default();
            self.searched += 1;
            match self.steps(&state, control, &mut steps) {
                Ok(effective) => control = effective,
                // More than the tool can count: the walk ends here.
                Err(Reason::Limit(_)) => break Ok(()),
                Err(reason) => break Err(Ended::Stopped(reason)),
            }
            if let Err(ended) = self.compare_on_path(origin, &mut path, control) {
                break Err(ended);
            }
            let index = match &mut turns {
                Some(turns) => turns.choose(&steps, seed),
                None => self.choose(&state, &steps, &mut random, seed, obedience),
            };
            let Some(index) = index else { break Ok(()) };
            let (step, next, state) = steps.all.swap_remove(index);
            path.steps.push(step);
            path.states.push(state);
            control = next;
            let progress =
                || Progress { engine: crate::ENGINE, depth: path.states.len() as u64, ..Progress::default() };
            if let Some(reason) = self.clock.tick(0, progress) {
                break Err(Ended::Stopped(reason));
            }
            if path.states.len() > length {
                break Ok(());
            }
        };
        let mut lengths = Lengths::default();
        for (index, state) in path.states.iter().enumerate() {
            self.measure(&mut lengths, state, index as u32);
        }
        let run = |index: u32| [origin.run.as_slice(), &path.steps[..index as usize]].concat();
        self.keep_longest(&lengths, &mut |_, index| run(index));
        ended
    }

    /// Gathers the steps of a state; returns the process that keeps control in it.
    pub(super) fn steps(
        &mut self,
        state: &[u8],
        control: Option<u32>,
        steps: &mut Steps,
    ) -> Result<Option<u32>, Reason> {
        for control in [control, None] {
            steps.all.clear();
            let crashed = &mut self.crashed;
            let count = self.stepper.expand(state, control, &mut |successor| match successor.state {
                Some(next) => steps.all.push((successor.step, successor.control, next.to_vec())),
                None => *crashed = crashed.take().or_else(|| successor.fault.clone()),
            })?;
            self.transitions += count as u64;
            if count > 0 {
                return Ok(control);
            }
        }
        Ok(None)
    }

    /// A step: mostly one of the process that this walk likes best, and along the guide.
    fn choose(
        &mut self,
        state: &[u8],
        steps: &Steps,
        random: &mut Random,
        seed: u64,
        obedience: usize,
    ) -> Option<usize> {
        let count = steps.all.len();
        if random.below(100) >= obedience {
            return (count > 0).then(|| random.below(count));
        }
        let rank = |hunt: &mut Self, step: Step| {
            let Some(process) = mover(step) else { return (false, 0) };
            let liking = 1 + Random::new(seed ^ u64::from(process) << 32).below(1 << 16);
            (hunt.is_guided(state, step), liking)
        };
        let ranks: Vec<(bool, usize)> = steps.all.iter().map(|(step, ..)| rank(self, *step)).collect();
        let best = *ranks.iter().max()?;
        let favourites: Vec<usize> = (0..count).filter(|&index| ranks[index] == best).collect();
        Some(favourites[random.below(favourites.len())])
    }

    fn is_guided(&mut self, state: &[u8], step: Step) -> bool {
        let Some(guide) = &self.options.guide else { return false };
        let stepper = &mut self.stepper;
        let mut guided = |(process, edge)| {
            stepper.machine_of(state, process).is_some_and(|machine| guide.edges.contains(&(machine, edge)))
        };
        match step {
            Step::Edge { process, edge } => guided((process, edge)),
            Step::Rendezvous { sender, receiver } => guided(sender) || guided(receiver),
            Step::Loss { .. } => false,
        }
    }

    /// Compares the last state of a walk with some earlier ones, and remembers it.
    fn compare_on_path(&mut self, origin: &Origin, path: &mut Path, control: Option<u32>) -> Result<(), Ended> {
        let Some(state) = path.states.last() else { return Ok(()) };
        let (last, print) = (path.states.len() - 1, self.parts.fingerprint(state));
        path.prints.push(print);
        let places = path.places.entry((print.whole, control)).or_default();
        let mut candidates: Vec<usize> = places.iter().rev().take(COMPARED).copied().collect();
        candidates.extend(places.iter().take(COMPARED));
        places.push(last);
        let similar = path.similar.entry((print.globals, control)).or_default();
        let fits = |place: &&usize| path.prints[**place].may_multiply_to(&print);
        if path.prints[0].processes != print.processes {
            candidates.extend(similar.iter().rev().take(LATEST).filter(fits).take(2 * COMPARED));
        }
        similar.push(last);
        candidates.dedup();
        for earlier in candidates {
            let Some(grown) = self.parts.grown(&path.states[earlier], state, &origin.reservoirs) else { continue };
            if !self.is_news(state, &grown) || !self.may_verify() {
                continue;
            }
            self.try_loop(origin, &path.steps[..earlier], &path.steps[earlier..]);
            if self.all_shown() {
                return Err(Ended::Shown);
            }
        }
        Ok(())
    }
}
