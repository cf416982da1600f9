//! What a state is ready to do, for deadlock: the refusals of the MAGIC paper (section 8), seen from the other side.
//!
//! A class stands for several states, and each of them may be ready for something else; so there are several sets, and of
//! two of them, one of which includes the other, the smaller is enough: whatever is stuck with the larger is stuck with the
//! smaller.
//!
//! For parts in parallel there is a set for each choice of one from each part, which may be very many. They are made part
//! by part. After each part, what can happen for certain (all who know it are among the parts so far, and ready) drops
//! the choice if the event is *closed*: hidden, or at the root any event at all. What is left keeps its smallest sets only.
//! Parts that know the same events are taken one soon after the other, so that few events are open at any time; which order
//! it is changes the work, not the result.

use crate::Refusal;
use crate::pace::Pace;
use model::composition_proof::READY_TO_END;
use std::collections::{BTreeSet, HashMap, HashSet};

/// Events, in order.
pub(super) type Ready = Vec<u32>;

/// More sets than this, and the check gives up.
const MOST_SETS: usize = 1 << 14;

/// Sets of which none includes another.
#[derive(Clone, Debug, Default)]
pub(super) struct ReadySets {
    sets: Vec<Ready>,
}

impl ReadySets {
    /// One set.
    pub(super) fn one(mut set: Ready) -> Self {
        set.sort_unstable();
        set.dedup();
        ReadySets { sets: vec![set] }
    }

    /// Nothing stays without something to do.
    pub(super) fn is_empty(&self) -> bool {
        self.sets.is_empty()
    }

    /// One more set, unless a smaller one is there.
    fn insert(&mut self, set: Ready, clock: &Pace<'_>) -> Result<(), Refusal> {
        clock.spend(0)?;
        if self.sets.iter().any(|known| includes(&set, known)) {
            return Ok(());
        }
        self.sets.retain(|known| !includes(known, &set));
        self.sets.push(set);
        if self.sets.len() > MOST_SETS {
            return Err(Refusal::Unfinished(format!("a state has more than {MOST_SETS} ready sets")));
        }
        Ok(())
    }

    /// The sets of another state, too.
    pub(super) fn extend(&mut self, other: ReadySets, clock: &Pace<'_>) -> Result<(), Refusal> {
        other.sets.into_iter().try_for_each(|set| self.insert(set, clock))
    }
}

/// Whether all of `smaller` is in `larger`.
fn includes(larger: &[u32], smaller: &[u32]) -> bool {
    smaller.len() <= larger.len() && smaller.iter().all(|event| larger.binary_search(event).is_ok())
}

/// Events that happen by themselves if all who know them are ready.
#[derive(Clone, Debug)]
pub(super) enum Closed {
    /// These.
    These(HashSet<u32>),
    /// Every event, and the end.
    All,
}

impl Closed {
    fn has(&self, event: u32) -> bool {
        match self {
            Closed::These(events) => events.contains(&event),
            Closed::All => true,
        }
    }
}

/// The parallel composition of parts.
pub(super) struct Parallel<'a> {
    closed: &'a Closed,
    /// The parts, in the order in which they are taken, with what they know.
    parts: Vec<(usize, HashSet<u32>)>,
    /// By event, the places in that order of the first and the last part that knows it.
    known: HashMap<u32, (usize, usize)>,
    /// By event, the parts that know it.
    knowing: Vec<Vec<usize>>,
    /// All parts: they know of the end.
    all: Vec<usize>,
}

impl<'a> Parallel<'a> {
    /// Parts with these alphabets.
    pub(super) fn new<'e>(closed: &'a Closed, alphabets: impl Iterator<Item = &'e [u32]>) -> Self {
        let alphabets: Vec<&[u32]> = alphabets.collect();
        let with_end = |part: usize| (part, alphabets[part].iter().copied().chain([READY_TO_END]).collect());
        let parts: Vec<(usize, HashSet<u32>)> = order(&alphabets).into_iter().map(with_end).collect();
        let mut known: HashMap<u32, (usize, usize)> = HashMap::new();
        for (place, (_, alphabet)) in parts.iter().enumerate() {
            for &event in alphabet {
                known.entry(event).or_insert((place, place)).1 = place;
            }
        }
        let last = alphabets.iter().filter_map(|alphabet| alphabet.last()).max();
        let mut knowing = vec![Vec::new(); last.map_or(0, |&event| event as usize + 1)];
        for (part, alphabet) in alphabets.iter().enumerate() {
            alphabet.iter().for_each(|&event| knowing[event as usize].push(part));
        }
        let all = (0..alphabets.len()).collect();
        Parallel { closed, parts, known, knowing, all }
    }

    /// The ready sets of a tuple, from those of its parts.
    pub(super) fn sets(&self, own: &[&ReadySets], clock: &Pace<'_>) -> Result<ReadySets, Refusal> {
        if own.iter().any(|sets| sets.is_empty()) || self.can_happen(own) {
            return Ok(ReadySets::default());
        }
        let mut all = ReadySets { sets: vec![Ready::new()] };
        for (place, (part, _)) in self.parts.iter().enumerate() {
            let mut longer = ReadySets::default();
            for before in &all.sets {
                for set in &own[*part].sets {
                    let both = self.both(before, set, place);
                    if !both.iter().any(|&event| self.closed.has(event) && self.is_settled(event, place)) {
                        longer.insert(both, clock)?;
                    }
                }
            }
            all = longer;
        }
        Ok(all)
    }

    /// A closed event of which all who know it are ready. This is seen at once where each part has one set only, as states of
    /// components have; whoever is ready for least is asked first.
    fn can_happen(&self, own: &[&ReadySets]) -> bool {
        if own.iter().any(|sets| sets.sets.len() != 1) {
            return false;
        }
        let mut sets: Vec<&Ready> = own.iter().map(|sets| &sets.sets[0]).collect();
        sets.sort_by_key(|set| set.len());
        let is_ready = |&part: &usize, event: u32| own[part].sets[0].binary_search(&event).is_ok();
        let happens = |&event: &u32| {
            let knowing = self.knowing.get(event as usize).unwrap_or(&self.all);
            self.closed.has(event) && knowing.iter().all(|part| is_ready(part, event))
        };
        sets.into_iter().any(|set| set.iter().any(happens))
    }

    /// All who know an event are among the parts up to this place.
    fn is_settled(&self, event: u32, place: usize) -> bool {
        self.known.get(&event).is_none_or(|&(_, last)| last <= place)
    }

    /// What the parts before are ready for, as far as this one is too or does not know it; and what only it knows so far.
    fn both(&self, before: &[u32], own: &[u32], place: usize) -> Ready {
        let knows = |event: &u32| self.parts[place].1.contains(event);
        let kept = before.iter().filter(|event| !knows(event) || own.binary_search(event).is_ok());
        let is_new = |event: &&u32| self.known.get(event).is_some_and(|&(first, _)| first == place);
        let mut both: Ready = kept.chain(own.iter().filter(is_new)).copied().collect();
        both.sort_unstable();
        both
    }
}

/// An order of parts: always one next that leaves few events open, of those that know an open event.
fn order(alphabets: &[&[u32]]) -> Vec<usize> {
    let mut waiting: HashMap<u32, Vec<usize>> = HashMap::new();
    for (part, alphabet) in alphabets.iter().enumerate() {
        alphabet.iter().for_each(|&event| waiting.entry(event).or_default().push(part));
    }
    let mut left: BTreeSet<usize> = (0..alphabets.len()).collect();
    let (mut open, mut order): (BTreeSet<u32>, Vec<usize>) = (BTreeSet::new(), Vec::new());
    while let Some(&first) = left.first() {
        // A few neighbours are enough to choose from.
        let neighbours = open.iter().filter_map(|event| waiting.get(event)).flatten().take(MOST_NEIGHBOURS);
        let opened = |part: usize| {
            let change = |event: &u32| match (open.contains(event), waiting.get(event).map_or(0, Vec::len)) {
                (true, 1) => -1,
                (true, _) | (false, 1) => 0,
                (false, _) => 1i64,
            };
            alphabets[part].iter().map(change).sum::<i64>()
        };
        let next = neighbours.copied().min_by_key(|&part| (opened(part), part)).unwrap_or(first);
        left.remove(&next);
        order.push(next);
        for event in alphabets[next] {
            let others = waiting.entry(*event).or_default();
            others.retain(|&part| part != next);
            if others.is_empty() {
                open.remove(event)
            } else {
                open.insert(*event)
            };
        }
    }
    order
}

/// So many parts are compared before one is chosen.
const MOST_NEIGHBOURS: usize = 64;
