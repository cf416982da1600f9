//! The house of all languages: every automaton is there once, and every result is remembered.
//!
//! A [`Language`] is the place of its canonical automaton in a list. Operations look for an earlier result under their
//! name and arguments first. Nothing is ever forgotten: an analysis meets the same sets again and again, in other
//! control states, and the limit on memory is a limit of the whole analysis.

use crate::automaton::{Automaton, Draft, Edge, minimise};
use crate::limits::{Limit, Limits, Meter};
use crate::nondeterministic::Nondeterministic;
use rustc_hash::FxHashMap as Map;
use std::sync::Arc;

/// A set of vectors of words, one word for each channel. Equal sets of the same [`Languages`] are equal as values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Language(u32);

impl Language {
    /// The place in its [`Languages`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What was done, with its arguments: the name of a remembered result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Operation {
    Union(Language, Language),
    Intersection(Language, Language),
    Difference(Language, Language),
    Send(Language, u32, u32),
    Receive(Language, u32, u32),
    Unsend(Language, u32, u32),
    Unreceive(Language, u32, u32),
    Lose(Language, u32),
    Gain(Language, u32),
    Product(Language),
    /// A quotient: the extrapolation, its parameter.
    Quotient(Language, u32, u32),
}

/// What is remembered for one result, roughly.
const MEMO_BYTES: usize = 32;

/// All languages over some channels and messages.
#[derive(Debug)]
pub struct Languages {
    channels: u32,
    letters: u32,
    automata: Vec<Arc<Automaton>>,
    places: Map<Arc<Automaton>, Language>,
    results: Map<Operation, Language>,
    pub(crate) inclusions: Map<(Language, Language), bool>,
    pub(crate) overlaps: Map<(Language, Language), bool>,
    /// The sets of lossy channels that were requested.
    pub(crate) lossy_sets: Vec<Box<[bool]>>,
    pub(crate) budget: Meter,
}

impl Languages {
    /// For vectors of `channels` words (at least one) over the messages `0..letters`.
    pub fn new(channels: usize, letters: usize, limits: Limits) -> Self {
        let nothing = Arc::new(Automaton::default());
        let mut places = Map::default();
        places.insert(nothing.clone(), Language(0));
        Languages {
            channels: channels.clamp(1, u32::MAX as usize) as u32,
            letters: letters.min(u32::MAX as usize - 1) as u32,
            automata: vec![nothing],
            places,
            results: Map::default(),
            inclusions: Map::default(),
            overlaps: Map::default(),
            lossy_sets: Vec::new(),
            budget: Meter::new(limits),
        }
    }

    /// The number of channels.
    pub fn channels(&self) -> usize {
        self.channels as usize
    }

    /// The number of messages.
    pub fn letters(&self) -> usize {
        self.letters as usize
    }

    /// The letter that stands for the separator in automata.
    pub fn separator(&self) -> u32 {
        self.letters
    }

    /// The bounds on time and memory.
    pub fn limits(&self) -> &Limits {
        &self.budget.limits
    }

    /// Other bounds from now on.
    pub fn set_limits(&mut self, limits: Limits) {
        self.budget.limits = limits;
        self.budget.look_soon();
    }

    /// Counts work that the caller did between operations, and says whether the bounds allow going on.
    pub fn spend(&mut self, steps: usize) -> Result<(), Limit> {
        self.budget.spend(steps)
    }

    /// Counts memory that the caller keeps for the same analysis.
    pub fn keep(&mut self, bytes: usize) -> Result<(), Limit> {
        self.budget.keep(bytes)
    }

    /// Counts memory that the caller has given back.
    pub fn give_back(&mut self, bytes: usize) {
        self.budget.bytes = self.budget.bytes.saturating_sub(bytes);
    }

    /// How many languages there are.
    pub fn count(&self) -> usize {
        self.automata.len()
    }

    /// Memory in use, by our own estimate.
    pub fn bytes(&self) -> usize {
        self.budget.bytes
    }

    /// Elementary steps done.
    pub fn steps(&self) -> u64 {
        self.budget.steps
    }

    /// The canonical automaton of a language.
    pub fn automaton(&self, language: Language) -> &Arc<Automaton> {
        self.automata.get(language.index()).unwrap_or(&self.automata[0])
    }

    /// No vector at all.
    pub fn empty(&self) -> Language {
        Language(0)
    }

    /// Whether there is no vector in it.
    pub fn is_empty(&self, language: Language) -> bool {
        language == Language(0)
    }

    /// Every vector.
    pub fn universe(&mut self) -> Result<Language, Limit> {
        let free: Vec<u32> = (0..self.letters).collect();
        let alphabets = vec![free; self.channels()];
        self.stars(&alphabets)
    }

    /// The vector of empty words.
    pub fn all_empty(&mut self) -> Result<Language, Limit> {
        self.stars(&vec![Vec::new(); self.channels()])
    }

    /// The product `N₁* × … × Nₙ*` of given alphabets; a channel that is not given is empty.
    pub fn stars(&mut self, alphabets: &[Vec<u32>]) -> Result<Language, Limit> {
        let mut draft = Draft::new();
        for channel in 0..self.channels {
            let mut letters: Vec<u32> = alphabets.get(channel as usize).cloned().unwrap_or_default();
            letters.retain(|&letter| letter < self.letters);
            letters.sort_unstable();
            letters.dedup();
            let loops = letters.into_iter().map(|letter| Edge { letter, target: channel });
            let last = channel + 1 == self.channels;
            let onward = (!last).then_some(Edge { letter: self.letters, target: channel + 1 });
            draft.state(last, loops.chain(onward));
        }
        self.intern(&draft)
    }

    /// The vectors whose word for `channel` begins with one of `heads`.
    pub fn beginning_with(&mut self, channel: usize, heads: &[u32]) -> Result<Language, Limit> {
        if channel >= self.channels() {
            return Ok(self.empty());
        }
        let mut heads: Vec<u32> = heads.iter().copied().filter(|&head| head < self.letters).collect();
        heads.sort_unstable();
        heads.dedup();
        // One state for each channel, where anything may come, and before that of `channel` one for its head.
        let at = |other: usize| (if other > channel { other + 1 } else { other }) as u32;
        let mut draft = Draft::new();
        for other in 0..self.channels() {
            if other == channel {
                draft.state(false, heads.iter().map(|&letter| Edge { letter, target: at(channel) + 1 }));
            }
            let here = draft.states() as u32;
            let last = other + 1 == self.channels();
            let loops = (0..self.letters).map(|letter| Edge { letter, target: here });
            let onward = (!last).then(|| Edge { letter: self.letters, target: at(other + 1) });
            draft.state(last, loops.chain(onward));
        }
        self.intern(&draft)
    }

    /// The vectors whose word for `channel` is empty.
    pub fn empty_channel(&mut self, channel: usize) -> Result<Language, Limit> {
        let free: Vec<u32> = (0..self.letters).collect();
        let mut alphabets = vec![free; self.channels()];
        if let Some(alphabet) = alphabets.get_mut(channel) {
            alphabet.clear();
        }
        self.stars(&alphabets)
    }

    /// The place of the minimal automaton of a draft.
    pub(crate) fn intern(&mut self, draft: &Draft) -> Result<Language, Limit> {
        self.budget.fits(draft.states())?;
        let automaton = minimise(draft, self.letters, &mut self.budget)?;
        if let Some(&language) = self.places.get(&automaton) {
            return Ok(language);
        }
        self.budget.keep(automaton.bytes())?;
        let automaton = Arc::new(automaton);
        let language = Language(self.automata.len() as u32);
        self.automata.push(automaton.clone());
        self.places.insert(automaton, language);
        Ok(language)
    }

    /// The place of the minimal automaton of one with choices.
    pub(crate) fn intern_choices(&mut self, automaton: &Nondeterministic) -> Result<Language, Limit> {
        let draft = automaton.determinise(&mut self.budget)?;
        self.intern(&draft)
    }

    /// The result under this name, worked out at most once.
    pub(crate) fn remember(
        &mut self,
        operation: Operation,
        work: impl FnOnce(&mut Self) -> Result<Language, Limit>,
    ) -> Result<Language, Limit> {
        self.budget.spend(1)?;
        if let Some(&result) = self.results.get(&operation) {
            return Ok(result);
        }
        let result = work(self)?;
        self.budget.keep(MEMO_BYTES)?;
        self.results.insert(operation, result);
        Ok(result)
    }

    /// Counts one remembered answer to a question.
    pub(crate) fn keep_answer(&mut self) -> Result<(), Limit> {
        self.budget.keep(MEMO_BYTES / 2)
    }
}
