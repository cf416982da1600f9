//! Walks through automata over queue contents.

use super::contents::{Class, Content};
use super::machines::Op;
use super::pattern::Pattern;
use crate::Refusal;
use crate::pace::Pace;
use crate::queue_counts::{Count, Path};
use crate::temporal::components::{Edge, components};
use model::queue_proof::{QueueAutomaton, SEPARATOR};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::Hash;

/// What the first message of a channel must be.
#[derive(Clone, Debug)]
pub(crate) enum First {
    /// None of these; there may be no message at all.
    NoneOf(BTreeSet<u32>),
    /// There is one, and it is none of these.
    Other(BTreeSet<u32>),
}

impl First {
    fn may_be(&self, letter: u32) -> bool {
        match self {
            First::NoneOf(taken) => !taken.contains(&letter),
            First::Other(taken) => letter != SEPARATOR && !taken.contains(&letter),
        }
    }
}

/// Where an automaton is in a word of a class: its state, the channel, and what was read of that one if it matters.
type Inside = (u32, usize, Content);

/// A deterministic automaton that was looked at: letters of a state are different, and lead to states. No separator lies on
/// a cycle, so a word has fewer of them than there are states.
#[derive(Debug)]
pub(crate) struct Words {
    accepting: Vec<bool>,
    edges: Vec<BTreeMap<u32, u32>>,
    /// How many channels there are. What comes behind them is one more channel: nothing asks for it.
    channels: usize,
}

impl Words {
    /// The automata of a proof, for so many channels.
    pub(crate) fn all(automata: &[QueueAutomaton], channels: usize) -> Result<Vec<Words>, Refusal> {
        // The empty queues are a word with a separator between any two of them.
        if !automata.is_empty() && automata.iter().all(|automaton| automaton.edges.len() < channels) {
            return Err(Refusal::Malformed(String::from("it has more queues than any of its automata has states")));
        }
        automata.iter().map(|automaton| Words::new(automaton, channels)).collect()
    }

    /// No words at all.
    pub(crate) fn nothing() -> Words {
        Words { accepting: Vec::new(), edges: Vec::new(), channels: 0 }
    }

    fn new(automaton: &QueueAutomaton, channels: usize) -> Result<Words, Refusal> {
        let count = automaton.edges.len();
        let mut accepting = vec![false; count];
        for &state in &automaton.accepting {
            match accepting.get_mut(state as usize) {
                Some(accepts) => *accepts = true,
                None => return Err(Refusal::Malformed(format!("an automaton has no state {state}"))),
            }
        }
        let mut edges = Vec::new();
        for list in &automaton.edges {
            let by_letter: BTreeMap<u32, u32> = list.iter().copied().collect();
            if by_letter.len() != list.len() {
                return Err(Refusal::Malformed(String::from("an automaton is not deterministic")));
            }
            if let Some(state) = by_letter.values().find(|&&state| state as usize >= count) {
                return Err(Refusal::Malformed(format!("an automaton has no state {state}")));
            }
            edges.push(by_letter);
        }
        let next: Vec<Vec<Edge>> = edges.iter().map(|edges| edges.values().map(|&to| (to, 0)).collect()).collect();
        let component = components(&next);
        let repeats = |(from, edges): (usize, &BTreeMap<u32, u32>)| {
            edges.get(&SEPARATOR).is_some_and(|&to| component[from] == component[to as usize])
        };
        if edges.iter().enumerate().any(repeats) {
            return Err(Refusal::Malformed(String::from("an automaton has words with any number of queues")));
        }
        Ok(Words { accepting, edges, channels })
    }

    /// The channel behind a separator.
    fn after(&self, channel: usize) -> usize {
        (channel + 1).min(self.channels)
    }

    fn start(&self) -> Option<u32> {
        (!self.edges.is_empty()).then_some(0)
    }

    fn step(&self, state: Option<u32>, letter: u32) -> Option<u32> {
        self.edges[state? as usize].get(&letter).copied()
    }

    fn ends(&self, state: Option<u32>) -> bool {
        state.is_some_and(|state| self.accepting[state as usize])
    }

    pub(crate) fn accepts(&self, word: &[u32]) -> bool {
        self.ends(word.iter().fold(self.start(), |state, &letter| self.step(state, letter)))
    }

    /// Whether some word has a message in it.
    pub(crate) fn has_message(&self, counts: &[Count<'_>], patience: &Pace<'_>) -> Result<bool, Refusal> {
        let start = self.start().map(|state| (state, 0usize, false));
        let ends = |&(state, _, some): &(u32, usize, bool)| some && self.accepting[state as usize];
        counted(counts, patience, start, ends, |&(state, channel, some), next| {
            next.extend(self.edges[state as usize].iter().map(|(&letter, &to)| match letter {
                SEPARATOR => (None, (to, self.after(channel), some)),
                _ => (Some((channel, letter)), (to, channel, true)),
            }));
        })
    }

    /// The words of a class of contents.
    pub(crate) fn within(&self, class: &Class, patience: &Pace<'_>) -> Result<Words, Refusal> {
        let mut places: Vec<Inside> = self.start().map(|at| (at, 0, None)).into_iter().collect();
        let mut numbers: HashMap<Inside, u32> = places.iter().copied().zip(0..).collect();
        let (mut edges, mut accepting) = (Vec::new(), Vec::new());
        while let Some(&(at, channel, so_far)) = places.get(edges.len()) {
            patience.spend(0)?;
            let wanted = class.contents.get(&channel).copied();
            let ends = wanted.is_none_or(|wanted| wanted == so_far);
            accepting.push(ends && self.accepting[at as usize]);
            let mut list = BTreeMap::new();
            for (&letter, &to) in &self.edges[at as usize] {
                let next = match (letter, so_far) {
                    (SEPARATOR, _) if ends => (to, self.after(channel), None),
                    (SEPARATOR, _) => continue,
                    _ if wanted.is_none() => (to, channel, None),
                    (_, Some((head, length))) => {
                        let longer = length.map(|length| length + 1).filter(|&length| length <= class.longest);
                        (to, channel, Some((head, longer)))
                    }
                    (head, None) => (to, channel, Some((head, (class.longest > 0).then_some(1)))),
                };
                let fresh = places.len() as u32;
                let number = *numbers.entry(next).or_insert(fresh);
                if number == fresh {
                    places.push(next);
                }
                list.insert(letter, number);
            }
            edges.push(list);
        }
        Ok(Words { accepting, edges, channels: self.channels }.trimmed())
    }

    /// The same words without edges from which no word ends.
    fn trimmed(mut self) -> Words {
        let mut before: Vec<Vec<u32>> = vec![Vec::new(); self.edges.len()];
        for (from, edges) in self.edges.iter().enumerate() {
            edges.values().for_each(|&to| before[to as usize].push(from as u32));
        }
        let mut alive = self.accepting.clone();
        let mut work: Vec<u32> = (0..alive.len() as u32).filter(|&state| alive[state as usize]).collect();
        while let Some(state) = work.pop() {
            for &from in &before[state as usize] {
                if !std::mem::replace(&mut alive[from as usize], true) {
                    work.push(from);
                }
            }
        }
        self.edges.iter_mut().for_each(|edges| edges.retain(|_, to| alive[*to as usize]));
        self
    }

    /// The letters that stand first in some channel of some word, by channel.
    pub(crate) fn heads(&self, patience: &Pace<'_>) -> Result<BTreeMap<usize, BTreeSet<u32>>, Refusal> {
        let heads: RefCell<BTreeMap<usize, BTreeSet<u32>>> = RefCell::default();
        let start = self.start().map(|state| (state, 0usize, true));
        reaches(
            patience,
            start,
            |_| false,
            |&(state, channel, first), next| {
                for (&letter, &to) in &self.edges[state as usize] {
                    if letter == SEPARATOR {
                        next.push((to, self.after(channel), true));
                        continue;
                    }
                    if first {
                        heads.borrow_mut().entry(channel).or_default().insert(letter);
                    }
                    next.push((to, channel, false));
                }
            },
        )?;
        Ok(heads.into_inner())
    }

    /// Whether some word has these first messages in these channels.
    pub(crate) fn has_with(
        &self,
        heads: &BTreeMap<usize, First>,
        counts: &[Count<'_>],
        patience: &Pace<'_>,
    ) -> Result<bool, Refusal> {
        let may = |channel: usize, first: bool, letter: u32| {
            !first || heads.get(&channel).is_none_or(|head| head.may_be(letter))
        };
        let start = self.start().map(|state| (state, 0usize, true));
        // The end of the word is the end of its last channel, as a separator is that of the others.
        let ends = |&(state, channel, first): &(u32, usize, bool)| {
            self.accepting[state as usize] && may(channel, first, SEPARATOR)
        };
        counted(counts, patience, start, ends, |&(state, channel, first), next| {
            let edges = self.edges[state as usize].iter().filter(|&(&letter, _)| may(channel, first, letter));
            next.extend(edges.map(|(&letter, &to)| match letter {
                SEPARATOR => (None, (to, self.after(channel), true)),
                _ => (Some((channel, letter)), (to, channel, false)),
            }));
        })
    }

    /// Whether some word is one of the pattern; without a pattern, whether there is a word.
    pub(crate) fn meets(
        &self,
        pattern: &Option<Pattern>,
        counts: &[Count<'_>],
        patience: &Pace<'_>,
    ) -> Result<bool, Refusal> {
        let Some(pattern) = pattern else { return self.has_with(&BTreeMap::new(), counts, patience) };
        let start = self.start().map(|state| (state, 0usize, pattern.start()));
        let ends = |&(state, _, at): &(u32, usize, u32)| self.accepting[state as usize] && pattern.is_end(at);
        counted(counts, patience, start, ends, |&(state, channel, at), next| {
            next.extend(pattern.silent(at).iter().map(|&to| (None, (state, channel, to))));
            let Some((letter, to)) = pattern.letter(at) else { return };
            let Some(state) = self.step(Some(state), letter) else { return };
            next.push(match letter {
                SEPARATOR => (None, (state, self.after(channel), to)),
                _ => (Some((channel, letter)), (state, channel, to)),
            });
        })
    }

    /// Whether all that a step and losses after it make of the words lies in another set.
    pub(crate) fn leads_into(
        &self,
        op: Op,
        lossy: &[bool],
        target: &impl Target,
        patience: &Pace<'_>,
    ) -> Result<bool, Refusal> {
        self.leads_from(&BTreeMap::new(), op, lossy, target, patience)
    }

    /// The same, for those words only that have these first messages in these channels.
    pub(crate) fn leads_from(
        &self,
        heads: &BTreeMap<usize, First>,
        op: Op,
        lossy: &[bool],
        target: &impl Target,
        patience: &Pace<'_>,
    ) -> Result<bool, Refusal> {
        let walk = Walk { source: self, target, op, lossy, heads };
        let first = walk.looks_at(0);
        let start = self.start().map(|from| Place { from, channel: 0, first, taken: false, into: target.begin() });
        let escapes = reaches(patience, start, |place| walk.escapes(place), |place, next| walk.next(place, next))?;
        Ok(!escapes)
    }
}

/// What the words after a step must lie in.
pub(crate) trait Target {
    /// Where it is in a word; nowhere is a place, too.
    type At: Clone + Eq + Hash;

    /// At the beginning of a word.
    fn begin(&self) -> Self::At;
    /// Behind a letter.
    fn read(&self, at: &Self::At, letter: u32) -> Self::At;
    /// Whether a word may end there.
    fn accepts_at(&self, at: &Self::At) -> bool;
}

impl Target for Words {
    type At = Option<u32>;

    fn begin(&self) -> Option<u32> {
        self.start()
    }

    fn read(&self, at: &Option<u32>, letter: u32) -> Option<u32> {
        self.step(*at, letter)
    }

    fn accepts_at(&self, at: &Option<u32>) -> bool {
        self.ends(*at)
    }
}

/// The union of some sets.
pub(crate) struct Union<'a>(pub(crate) Vec<&'a Words>);

impl Target for Union<'_> {
    type At = Vec<Option<u32>>;

    fn begin(&self) -> Self::At {
        self.0.iter().map(|words| words.start()).collect()
    }

    fn read(&self, at: &Self::At, letter: u32) -> Self::At {
        self.0.iter().zip(at).map(|(words, &at)| words.step(at, letter)).collect()
    }

    fn accepts_at(&self, at: &Self::At) -> bool {
        self.0.iter().zip(at).any(|(words, &at)| words.ends(at))
    }
}

/// A word before the step, and beside it what the step makes of it.
struct Walk<'a, T> {
    source: &'a Words,
    target: &'a T,
    op: Op,
    lossy: &'a [bool],
    /// What the first messages must be.
    heads: &'a BTreeMap<usize, First>,
}

/// Where both are.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Place<At> {
    from: u32,
    /// The channel that is being read.
    channel: usize,
    /// Nothing of it was read yet, and it matters what comes first.
    first: bool,
    /// The message of a receive was taken.
    taken: bool,
    into: At,
}

impl<T: Target> Walk<'_, T> {
    fn is_lossy(&self, channel: usize) -> bool {
        self.lossy.get(channel).copied().unwrap_or(false)
    }

    /// Whether it matters what comes first in a channel.
    fn looks_at(&self, channel: usize) -> bool {
        self.heads.contains_key(&channel)
    }

    /// Whether a letter may come here, by what the first messages must be.
    fn may_come(&self, place: &Place<T::At>, letter: u32) -> bool {
        !place.first || self.heads.get(&place.channel).is_none_or(|head| head.may_be(letter))
    }

    /// The step cannot be taken with a word that has no such message.
    fn waits(&self, place: &Place<T::At>) -> bool {
        matches!(self.op, Op::Receive(..)) && !place.taken
    }

    /// The word ends here, and what became of it is not in the target.
    fn escapes(&self, place: &Place<T::At>) -> bool {
        let ends = self.source.accepting[place.from as usize] && self.may_come(place, SEPARATOR);
        let accepted = ends && !self.waits(place);
        accepted && self.at_end(place).iter().any(|into| !self.target.accepts_at(into))
    }

    /// Where the target may be at the end of a channel: a message that is sent comes last, and may be lost at once.
    fn at_end(&self, place: &Place<T::At>) -> Vec<T::At> {
        match self.op {
            Op::Send(channel, message) if channel == place.channel => {
                let lost = self.is_lossy(channel).then(|| place.into.clone());
                std::iter::once(self.target.read(&place.into, message)).chain(lost).collect()
            }
            _ => vec![place.into.clone()],
        }
    }

    fn next(&self, place: &Place<T::At>, next: &mut Vec<Place<T::At>>) {
        let edges = self.source.edges[place.from as usize].iter();
        for (&letter, &from) in edges.filter(|&(&letter, _)| self.may_come(place, letter)) {
            match self.op {
                Op::Receive(channel, message) if channel == place.channel && !place.taken => {
                    if letter == message {
                        next.push(Place { from, first: false, taken: true, ..place.clone() });
                    }
                }
                _ if letter == SEPARATOR => next.extend(self.at_end(place).into_iter().map(|into| {
                    let (into, channel) = (self.target.read(&into, SEPARATOR), self.source.after(place.channel));
                    Place { from, channel, first: self.looks_at(channel), into, taken: place.taken }
                })),
                _ => {
                    let (channel, taken) = (place.channel, place.taken);
                    let into = self.target.read(&place.into, letter);
                    next.push(Place { from, channel, first: false, taken, into });
                    if self.is_lossy(place.channel) {
                        next.push(Place { from, first: false, ..place.clone() });
                    }
                }
            }
        }
    }
}

/// Whether a walk that reads messages in channels comes to a place that is looked for, with these counts of messages.
fn counted<P: Clone + Eq + Hash>(
    counts: &[Count<'_>],
    patience: &Pace<'_>,
    start: Option<P>,
    is_wanted: impl Fn(&P) -> bool,
    successors: impl Fn(&P, &mut Vec<(Option<(usize, u32)>, P)>),
) -> Result<bool, Refusal> {
    if !counts.is_empty() {
        return Path::of(patience, start, is_wanted, successors)?.allows(counts, patience);
    }
    let read = RefCell::new(Vec::new());
    reaches(patience, start, is_wanted, |place, next| {
        let mut read = read.borrow_mut();
        successors(place, &mut read);
        next.extend(read.drain(..).map(|(_, place)| place));
    })
}

/// Whether a walk comes to a place that is looked for.
fn reaches<P: Clone + Eq + Hash>(
    patience: &Pace<'_>,
    start: Option<P>,
    is_wanted: impl Fn(&P) -> bool,
    successors: impl Fn(&P, &mut Vec<P>),
) -> Result<bool, Refusal> {
    let mut work: Vec<P> = start.into_iter().collect();
    let mut seen: HashSet<P> = work.iter().cloned().collect();
    let mut next = Vec::new();
    while let Some(place) = work.pop() {
        patience.spend(0)?;
        if is_wanted(&place) {
            return Ok(true);
        }
        successors(&place, &mut next);
        for place in next.drain(..) {
            if !seen.contains(&place) {
                seen.insert(place.clone());
                work.push(place);
            }
        }
    }
    Ok(false)
}
