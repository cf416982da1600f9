//! What sends, receives and losses make of a set of queue contents, and what it came from.
//!
//! Section 3 of the paper, `post` and `pre`. In the automaton of `w₁#…#wₙ`, the word of a channel *ends* where a
//! separator leaves its segment (or the whole word ends, for the last channel), and *begins* where a separator enters
//! it (or at the start, for the first). A send works at ends, a receive at beginnings. Three of the four keep the
//! automaton deterministic; only a send does not, because the word may also go on with the message that is sent.
//!
//! A channel that loses messages closes the set downwards: with a word all its subwords. Backwards it is closed upwards.

use crate::automaton::{Automaton, Draft, Edge};
use crate::languages::{Language, Languages, Operation};
use crate::limits::Limit;
use crate::nondeterministic::Nondeterministic;

impl Languages {
    /// `post(c!m, L)`: the message is appended to the channel's word. A channel or message that does not exist gives
    /// the empty language, here and in the three others.
    pub fn send(&mut self, language: Language, channel: usize, message: u32) -> Result<Language, Limit> {
        self.transform(Operation::Send(language, channel as u32, message), language, channel, message)
    }

    /// `post(c?m, L)`: the message is taken from the front of the channel's word, where it is there.
    pub fn receive(&mut self, language: Language, channel: usize, message: u32) -> Result<Language, Limit> {
        self.transform(Operation::Receive(language, channel as u32, message), language, channel, message)
    }

    /// `pre(c!m, L)`: the vectors that sending leads into the language from.
    pub fn unsend(&mut self, language: Language, channel: usize, message: u32) -> Result<Language, Limit> {
        self.transform(Operation::Unsend(language, channel as u32, message), language, channel, message)
    }

    /// `pre(c?m, L)`: the vectors that receiving leads into the language from.
    pub fn unreceive(&mut self, language: Language, channel: usize, message: u32) -> Result<Language, Limit> {
        self.transform(Operation::Unreceive(language, channel as u32, message), language, channel, message)
    }

    /// The language, and what is left when channels marked in `lossy` lose any of their messages.
    pub fn lose(&mut self, language: Language, lossy: &[bool]) -> Result<Language, Limit> {
        let Some(set) = self.lossy_set(lossy) else { return Ok(language) };
        self.remember(Operation::Lose(language, set), |all| {
            let automaton = all.automaton(language).clone();
            let mut smaller = choices_of(&automaton);
            for (state, edge) in inner_edges(&automaton, all.separator()) {
                if marked(lossy, automaton.segment(state)) {
                    smaller.silent(state, edge.target);
                }
            }
            all.intern_choices(&smaller)
        })
    }

    /// The language, and what losses in the channels marked in `lossy` can have made it of.
    pub fn gain(&mut self, language: Language, lossy: &[bool]) -> Result<Language, Limit> {
        let Some(set) = self.lossy_set(lossy) else { return Ok(language) };
        self.remember(Operation::Gain(language, set), |all| {
            let automaton = all.automaton(language).clone();
            let mut larger = choices_of(&automaton);
            for state in 0..automaton.states() as u32 {
                if marked(lossy, automaton.segment(state)) {
                    (0..all.separator()).for_each(|letter| larger.edge(state, letter, state));
                }
            }
            all.intern_choices(&larger)
        })
    }

    /// The number of this set of channels; `None` if it is empty.
    fn lossy_set(&mut self, lossy: &[bool]) -> Option<u32> {
        if !lossy.iter().take(self.channels()).any(|&marked| marked) {
            return None;
        }
        let known = self.lossy_sets.iter().position(|set| **set == *lossy);
        let number = known.unwrap_or_else(|| {
            self.lossy_sets.push(lossy.into());
            self.lossy_sets.len() - 1
        });
        Some(number as u32)
    }

    fn transform(
        &mut self,
        operation: Operation,
        language: Language,
        channel: usize,
        message: u32,
    ) -> Result<Language, Limit> {
        if channel >= self.channels() || message >= self.separator() || self.is_empty(language) {
            return Ok(self.empty());
        }
        self.remember(operation, |all| {
            let place = Place { channel: channel as u32, message, separator: all.separator() };
            let automaton = all.automaton(language).clone();
            match operation {
                Operation::Send(..) => all.intern_choices(&sent(&automaton, place)),
                Operation::Receive(..) => all.intern(&received(&automaton, place)),
                Operation::Unsend(..) => all.intern(&unsent(&automaton, place)),
                _ => all.intern(&unreceived(&automaton, place)),
            }
        })
    }
}

fn marked(lossy: &[bool], segment: u32) -> bool {
    lossy.get(segment as usize).copied().unwrap_or(false)
}

/// Where a message goes or comes from.
#[derive(Clone, Copy)]
struct Place {
    channel: u32,
    message: u32,
    separator: u32,
}

/// The edges within segments.
fn inner_edges(automaton: &Automaton, separator: u32) -> impl Iterator<Item = (u32, Edge)> + '_ {
    (0..automaton.states() as u32)
        .flat_map(|state| automaton.edges(state).iter().map(move |&edge| (state, edge)))
        .filter(move |(_, edge)| edge.letter != separator)
}

/// The same automaton, ready for choices.
fn choices_of(automaton: &Automaton) -> Nondeterministic {
    let mut copy = Nondeterministic::with_states(automaton.states());
    copy.starts.extend((automaton.states() > 0).then_some(0));
    for state in 0..automaton.states() as u32 {
        automaton.edges(state).iter().for_each(|edge| copy.edge(state, edge.letter, edge.target));
        if automaton.accepts(state) {
            copy.accept(state);
        }
    }
    copy
}

/// Where the channel's word ends, the message comes in between.
fn sent(automaton: &Automaton, place: Place) -> Nondeterministic {
    let mut copy = Nondeterministic::with_states(automaton.states());
    copy.starts.extend((automaton.states() > 0).then_some(0));
    for state in 0..automaton.states() as u32 {
        let here = automaton.segment(state) == place.channel;
        for edge in automaton.edges(state) {
            if here && edge.letter == place.separator {
                let between = copy.state();
                copy.edge(state, place.message, between);
                copy.edge(between, place.separator, edge.target);
            } else {
                copy.edge(state, edge.letter, edge.target);
            }
        }
        if automaton.accepts(state) && here {
            let end = copy.state();
            copy.edge(state, place.message, end);
            copy.accept(end);
        } else if automaton.accepts(state) {
            copy.accept(state);
        }
    }
    copy
}

/// Where the channel's word begins, the message is skipped.
fn received(automaton: &Automaton, place: Place) -> Draft {
    let mut draft = Draft::new();
    let behind = |state| automaton.step(state, place.message);
    for state in 0..automaton.states() as u32 {
        let enters = automaton.segment(state) + 1 == place.channel;
        let edges = automaton.edges(state).iter().filter_map(|edge| {
            let target = if enters && edge.letter == place.separator { behind(edge.target) } else { Some(edge.target) };
            target.map(|target| Edge { letter: edge.letter, target })
        });
        draft.state(automaton.accepts(state), edges);
    }
    if place.channel == 0 {
        draft.start = behind(0).unwrap_or(u32::MAX);
    }
    draft
}

/// A word of the channel ends where it could end after the message.
fn unsent(automaton: &Automaton, place: Place) -> Draft {
    let mut draft = Draft::new();
    for state in 0..automaton.states() as u32 {
        if automaton.segment(state) != place.channel {
            draft.state(automaton.accepts(state), automaton.edges(state).iter().copied());
            continue;
        }
        let behind = automaton.step(state, place.message);
        let onward = behind.and_then(|state| automaton.step(state, place.separator));
        let inner = automaton.edges(state).iter().copied().filter(|edge| edge.letter != place.separator);
        let onward = onward.map(|target| Edge { letter: place.separator, target });
        draft.state(behind.is_some_and(|state| automaton.accepts(state)), inner.chain(onward));
    }
    draft
}

/// Where the channel's word begins, the message is put before it.
fn unreceived(automaton: &Automaton, place: Place) -> Draft {
    let mut draft = Draft::new();
    let states = automaton.states() as u32;
    let mut begun = Vec::new();
    for state in 0..states {
        let enters = automaton.segment(state) + 1 == place.channel;
        let edges = automaton.edges(state).iter().map(|&edge| {
            if !(enters && edge.letter == place.separator) {
                return edge;
            }
            begun.push(edge.target);
            Edge { letter: edge.letter, target: states + begun.len() as u32 - 1 }
        });
        draft.state(automaton.accepts(state), edges);
    }
    if place.channel == 0 {
        begun.push(0);
        draft.start = states;
    }
    begun.into_iter().for_each(|target| draft.state(false, [Edge { letter: place.message, target }]));
    draft
}
