//! Walks: long runs, each with its own preferences.

use super::{Ended, FIRST_LENGTH, Hunt, Origin, Seen, WALKS};
use model::growth::Fingerprint;
use model::semantics::Step;
use model::verdict::{Progress, Reason};
use std::collections::HashMap;

/// A small generator of random numbers: the same seed, the same walk.
struct Random(u64);

impl Random {
    fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d)
    }

    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize).checked_rem(bound).unwrap_or(0)
    }
}

/// A walk so far.
struct Path {
    states: Vec<Vec<u8>>,
    /// Where the steps to each state end.
    ends: Vec<usize>,
    steps: Vec<Step>,
    /// Where the walk was in a state with these global variables.
    places: HashMap<u64, Vec<usize>>,
    prints: Vec<Fingerprint>,
}

/// How many earlier states with the same finite part a new one is compared with, of the latest and of the first.
const COMPARED: usize = 4;

impl Hunt<'_> {
    /// Some walks from an origin, of so many moves together.
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
        let mut path = Path {
            states: vec![origin.state.clone()],
            ends: vec![0],
            steps: Vec::new(),
            places: HashMap::new(),
            prints: Vec::new(),
        };
        self.place(&mut path);
        let obedience = 60 + random.below(40);
        while path.states.len() <= length {
            let state = path.states.last().cloned().unwrap_or_default();
            self.searched += 1;
            match self.expand(&state) {
                // More than the tool can count: the walk ends here.
                Err(Ended::Stopped(Reason::Limit(_))) => break,
                expanded => expanded?,
            }
            let Some(index) = self.choose(&state, &mut random, seed, obedience) else { break };
            path.steps.extend(self.mover.steps(index));
            path.ends.push(path.steps.len());
            path.states.push(self.mover.state(index).to_vec());
            self.compare_on_path(origin, &path)?;
            self.place(&mut path);
            let progress =
                || Progress { engine: crate::ENGINE, depth: path.states.len() as u64, ..Progress::default() };
            if let Some(reason) = self.clock.tick(0, progress) {
                return Err(Ended::Stopped(reason));
            }
        }
        let mut seen = Seen::new();
        for (index, state) in path.states.iter().enumerate() {
            self.measure(&mut seen, state, index);
        }
        self.keep_longest(seen, &mut |_, index| [origin.run.as_slice(), &path.steps[..path.ends[index]]].concat());
        Ok(())
    }

    /// Remembers the last state of a walk.
    fn place(&mut self, path: &mut Path) {
        let Some(state) = path.states.last() else { return };
        let print = self.parts.fingerprint(state);
        path.places.entry(print.globals).or_default().push(path.states.len() - 1);
        path.prints.push(print);
    }

    /// A move: mostly one of the process that this walk likes best, and along the guide.
    fn choose(&mut self, state: &[u8], random: &mut Random, seed: u64, obedience: usize) -> Option<usize> {
        let count = self.mover.len();
        if random.below(100) >= obedience {
            return (count > 0).then(|| random.below(count));
        }
        let rank = |hunt: &mut Self, index: usize| {
            let Some(step) = hunt.mover.first_step(index) else { return (false, 0) };
            let process = match step {
                Step::Edge { process, .. } => process,
                Step::Rendezvous { sender, .. } => sender.0,
                Step::Loss { .. } => return (false, 0),
            };
            let liking = 1 + Random::new(seed ^ u64::from(process) << 32).below(1 << 16);
            (hunt.is_guided(state, step), liking)
        };
        let ranks: Vec<(bool, usize)> = (0..count).map(|index| rank(self, index)).collect();
        let best = *ranks.iter().max()?;
        let favourites: Vec<usize> = (0..count).filter(|&index| ranks[index] == best).collect();
        Some(favourites[random.below(favourites.len())])
    }

    fn is_guided(&mut self, state: &[u8], step: Step) -> bool {
        let Some(guide) = &self.options.guide else { return false };
        let stepper = &mut self.mover.stepper;
        let mut guided = |(process, edge)| {
            stepper.machine_of(state, process).is_some_and(|machine| guide.edges.contains(&(machine, edge)))
        };
        match step {
            Step::Edge { process, edge } => guided((process, edge)),
            Step::Rendezvous { sender, receiver } => guided(sender) || guided(receiver),
            Step::Loss { .. } => false,
        }
    }

    /// Compares the last state of a walk with some earlier ones.
    fn compare_on_path(&mut self, origin: &Origin, path: &Path) -> Result<(), Ended> {
        let Some(state) = path.states.last() else { return Ok(()) };
        let print = self.parts.fingerprint(state);
        let Some(places) = path.places.get(&print.globals) else { return Ok(()) };
        let fits = |place: &&usize| path.prints[**place].may_multiply_to(&print);
        let exact = |place: &&usize| path.prints[**place].whole == print.whole;
        let mut candidates: Vec<usize> = places.iter().rev().filter(exact).take(COMPARED).copied().collect();
        candidates.extend(places.iter().filter(exact).take(COMPARED));
        candidates.extend(places.iter().rev().filter(fits).take(2 * COMPARED));
        candidates.dedup();
        for earlier in candidates {
            let Some(grown) = self.parts.grown(&path.states[earlier], state, &origin.reservoirs) else { continue };
            if !self.is_news(state, &grown) || !self.may_verify() {
                continue;
            }
            let start = path.ends[earlier];
            self.try_loop(origin, &path.steps[..start], &path.steps[start..]);
            if self.all_shown() {
                return Err(Ended::Shown);
            }
        }
        Ok(())
    }
}
