//! Extrapolations that merge states of the automaton (appendix B of the paper).
//!
//! Merging states of one segment adds words and keeps the number of separators (proposition B.3). Which states are
//! merged is an equivalence with a depth `k`:
//!
//! * *Bisimulation of depth k* ([`Bisimulation`], definition B.5): equal colours, and steps by the same letters to states
//!   that are equivalent up to depth `k−1`. Forward it looks at the letters that leave a state, backward at those that
//!   arrive, or at both.
//! * *Language equivalence of depth k* ([`BoundedLanguages`], definition B.11): the same words up to length `k` are
//!   accepted, to the end of everything and to the end of the channel.
//!
//! The equality of `∇ₖ(L)` and `L` for large `k` needs colours that respect acceptance when looking forward (lemma B.6)
//! and, mirrored, the start when looking backward. [`Colouring::Standard`] takes the one that is needed.

use super::Extrapolation;
use crate::automaton::Automaton;
use crate::languages::{Language, Languages, Operation};
use crate::limits::Limit;
use crate::nondeterministic::Nondeterministic;
use rustc_hash::FxHashMap as Map;

/// Which way bisimulation looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// At the letters that leave a state.
    Forward,
    /// At the letters that arrive at it.
    Backward,
    /// At both.
    Both,
}

/// Which states may be merged at depth 0; those of different segments never are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Colouring {
    /// States where a channel can end, and others (forward); where it can begin, and others (backward); both for both.
    Standard,
    /// Where a channel can begin, where it can end, both, and others: the colours of Le Gall, Jeannet and Jéron (2006).
    BeginsAndEnds,
}

/// What happens at precision 0 (remark B.10).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Start {
    /// ρ: colours.
    Coloured,
    /// ρ′: everything is merged at 0, and ρ comes one later.
    MergedThenColoured,
    /// ρ″: everything is merged at 0, and ρ goes on at 1.
    Merged,
}

/// Bisimulation of bounded depth: ρ, ρ′ and ρ″.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Bisimulation {
    /// Which way it looks.
    pub direction: Direction,
    /// What it keeps apart from the beginning.
    pub colouring: Colouring,
    /// What it does at precision 0.
    pub start: Start,
}

impl Bisimulation {
    /// ρ in a direction, with standard colours.
    pub fn rho(direction: Direction) -> Self {
        Bisimulation { direction, colouring: Colouring::Standard, start: Start::Coloured }
    }

    /// ρ′ in a direction, with standard colours.
    pub fn rho_prime(direction: Direction) -> Self {
        Bisimulation { start: Start::MergedThenColoured, ..Bisimulation::rho(direction) }
    }

    /// ρ″ in a direction, with standard colours.
    pub fn rho_second(direction: Direction) -> Self {
        Bisimulation { start: Start::Merged, ..Bisimulation::rho(direction) }
    }

    /// The depth for a precision; `None` merges everything.
    fn depth(&self, k: u32) -> Option<u32> {
        match self.start {
            Start::Coloured => Some(k),
            Start::MergedThenColoured => k.checked_sub(1),
            Start::Merged => (k > 0).then_some(k),
        }
    }

    /// Distinguishes remembered results.
    fn code(&self) -> u32 {
        1 + self.direction as u32 * 2 + self.colouring as u32
    }

    fn colour(&self, automaton: &Automaton, separator: u32) -> Vec<u32> {
        let (begins, ends) = match (self.colouring, self.direction) {
            (Colouring::Standard, Direction::Forward) => (false, true),
            (Colouring::Standard, Direction::Backward) => (true, false),
            _ => (true, true),
        };
        let begin = beginnings(automaton, separator);
        let colour = |state: u32| {
            let ending = ends && ends_channel(automaton, state, separator);
            let beginning = begins && begin[state as usize];
            automaton.segment(state) << 2 | u32::from(ending) << 1 | u32::from(beginning)
        };
        rename((0..automaton.states() as u32).map(|state| vec![colour(state)]).collect())
    }
}

impl Extrapolation for Bisimulation {
    fn apply(&self, k: u32, language: Language, languages: &mut Languages) -> Result<Language, Limit> {
        let Some(depth) = self.depth(k) else { return merge_all(language, languages) };
        if depth as usize >= languages.automaton(language).states() {
            return Ok(language);
        }
        languages.remember(Operation::Quotient(language, self.code(), depth), |all| {
            let automaton = all.automaton(language).clone();
            let separator = all.separator();
            let mut classes = self.colour(&automaton, separator);
            for _ in 0..depth {
                all.budget.spend(automaton.states() + automaton.transitions())?;
                let before = count(&classes);
                classes = deepen(&automaton, &classes, self.direction);
                if count(&classes) == before {
                    break;
                }
            }
            quotient(&automaton, &classes, all)
        })
    }

    fn name(&self) -> String {
        let prime = match self.start {
            Start::Coloured => "",
            Start::MergedThenColoured => "′",
            Start::Merged => "″",
        };
        let direction = match self.direction {
            Direction::Forward => "forward",
            Direction::Backward => "backward",
            Direction::Both => "both ways",
        };
        format!("ρ{prime} {direction}")
    }

    fn is_restricted(&self) -> bool {
        true
    }
}

/// Languages of bounded words: ξ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct BoundedLanguages;

impl Extrapolation for BoundedLanguages {
    fn apply(&self, k: u32, language: Language, languages: &mut Languages) -> Result<Language, Limit> {
        languages.remember(Operation::Quotient(language, 0, k), |all| {
            let automaton = all.automaton(language).clone();
            let separator = all.separator();
            all.budget.spend((k as usize).min(automaton.states()) * automaton.transitions())?;
            let to_the_end = bounded(&automaton, k, |state| automaton.accepts(state), |_| true);
            let ends = |state| ends_channel(&automaton, state, separator);
            let in_channel = bounded(&automaton, k, ends, |letter| letter != separator);
            let classes = (0..automaton.states())
                .map(|at| vec![automaton.segment(at as u32), to_the_end[at], in_channel[at]])
                .collect();
            quotient(&automaton, &rename(classes), all)
        })
    }

    fn name(&self) -> String {
        "ξ".into()
    }

    fn is_restricted(&self) -> bool {
        true
    }
}

/// Whether the word of a channel can end in this state.
fn ends_channel(automaton: &Automaton, state: u32, separator: u32) -> bool {
    automaton.accepts(state) || automaton.step(state, separator).is_some()
}

/// The states where the word of a channel can begin.
fn beginnings(automaton: &Automaton, separator: u32) -> Vec<bool> {
    let mut begin = vec![false; automaton.states()];
    if let Some(start) = begin.first_mut() {
        *start = true;
    }
    for state in 0..automaton.states() as u32 {
        if let Some(target) = automaton.step(state, separator) {
            begin[target as usize] = true;
        }
    }
    begin
}

fn count(classes: &[u32]) -> usize {
    classes.iter().max().map_or(0, |&class| class as usize + 1)
}

/// Classes by signature, numbered from 0 in order of states.
fn rename(signatures: Vec<Vec<u32>>) -> Vec<u32> {
    let mut names: Map<Vec<u32>, u32> = Map::default();
    let name = |signature| {
        let fresh = names.len() as u32;
        *names.entry(signature).or_insert(fresh)
    };
    signatures.into_iter().map(name).collect()
}

/// One more step of depth.
fn deepen(automaton: &Automaton, classes: &[u32], direction: Direction) -> Vec<u32> {
    let states = automaton.states();
    let (mut leaving, mut arriving) = (vec![Vec::new(); states], vec![Vec::new(); states]);
    for state in 0..states as u32 {
        for edge in automaton.edges(state) {
            leaving[state as usize].push((edge.letter, classes[edge.target as usize]));
            arriving[edge.target as usize].push((edge.letter, classes[state as usize]));
        }
    }
    let signature = |state: usize| {
        let mut signature = vec![classes[state]];
        for (wanted, steps) in [(Direction::Forward, &mut leaving[state]), (Direction::Backward, &mut arriving[state])]
        {
            if direction == wanted || direction == Direction::Both {
                steps.sort_unstable();
                steps.dedup();
                signature.push(u32::MAX);
                signature.extend(steps.iter().flat_map(|&(letter, class)| [letter, class]));
            }
        }
        signature
    };
    rename((0..states).map(signature).collect())
}

/// A number for the set of words up to length `k` from each state to an end, by allowed letters.
fn bounded(automaton: &Automaton, k: u32, ends: impl Fn(u32) -> bool, allowed: impl Fn(u32) -> bool) -> Vec<u32> {
    const NOTHING: u32 = 0;
    let states = automaton.states() as u32;
    let mut sets: Vec<u32> = (0..states).map(|state| u32::from(ends(state))).collect();
    for _ in 0..k.min(states + 1) {
        let signature = |state: u32| {
            let steps = automaton.edges(state).iter().filter(|edge| allowed(edge.letter));
            let steps = steps.map(|edge| (edge.letter, sets[edge.target as usize])).filter(|step| step.1 != NOTHING);
            let end = u32::from(ends(state));
            std::iter::once(end).chain(steps.flat_map(|(letter, set)| [letter, set])).collect::<Vec<u32>>()
        };
        sets = rename_from_nothing((0..states).map(signature).collect());
    }
    sets
}

/// Like [`rename`], with 0 for the signature of the empty set.
fn rename_from_nothing(signatures: Vec<Vec<u32>>) -> Vec<u32> {
    let mut names: Map<Vec<u32>, u32> = Map::default();
    names.insert(vec![0], 0);
    let name = |signature| {
        let fresh = names.len() as u32;
        *names.entry(signature).or_insert(fresh)
    };
    signatures.into_iter().map(name).collect()
}

/// All states of a segment in one: `N₁* × … × Nₙ*`, with the letters that occur (proposition B.3).
fn merge_all(language: Language, languages: &mut Languages) -> Result<Language, Limit> {
    if languages.is_empty(language) {
        return Ok(language);
    }
    let automaton = languages.automaton(language).clone();
    let mut alphabets = vec![Vec::new(); languages.channels()];
    for state in 0..automaton.states() as u32 {
        let letters = automaton.edges(state).iter().map(|edge| edge.letter);
        alphabets[automaton.segment(state) as usize].extend(letters.filter(|&letter| letter != languages.separator()));
    }
    languages.stars(&alphabets)
}

/// The automaton with the states of each class in one.
fn quotient(automaton: &Automaton, classes: &[u32], languages: &mut Languages) -> Result<Language, Limit> {
    let mut merged = Nondeterministic::with_states(count(classes));
    merged.starts.extend(classes.first());
    for state in 0..automaton.states() as u32 {
        let class = classes[state as usize];
        for edge in automaton.edges(state) {
            merged.edge(class, edge.letter, classes[edge.target as usize]);
        }
        if automaton.accepts(state) {
            merged.accept(class);
        }
    }
    languages.intern_choices(&merged)
}
