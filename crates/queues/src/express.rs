//! Languages as people read them: unions of products of regular expressions.
//!
//! By Mezei's theorem (section 3 of the paper) a recognizable set is a finite union of products. The automaton shows one:
//! for each state `r` where the second channel begins, the words of the first channel that lead there, times what is
//! accepted from `r`. The words between two states become an expression by removing the states between them one after
//! the other, the one with the fewest paths through it first.

use crate::automaton::Automaton;
use crate::languages::{Language, Languages};
use crate::limits::{Limit, Meter};
use crate::regex::Regex;
use std::collections::{BTreeMap, BTreeSet};

/// A union of products, one expression for each channel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Products(pub Vec<Vec<Regex>>);

impl Products {
    /// As one expression with separators.
    pub fn regex(&self) -> Regex {
        let product = |channels: &Vec<Regex>| {
            let mut parts = Vec::new();
            for (at, channel) in channels.iter().enumerate() {
                parts.extend((at > 0).then_some(Regex::Separator));
                match channel {
                    Regex::Concat(inner) => parts.extend(inner.iter().cloned()),
                    other => parts.push(other.clone()),
                }
            }
            Regex::Concat(parts)
        };
        match self.0.as_slice() {
            [] => Regex::Empty,
            [one] if one.len() == 1 => one[0].clone(),
            [one] => product(one),
            many => Regex::Alt(many.iter().map(product).collect()),
        }
    }
}

impl Languages {
    /// The language as a union of products.
    pub fn products(&mut self, language: Language) -> Result<Products, Limit> {
        let automaton = self.automaton(language).clone();
        let separator = self.separator();
        let mut reading = Reading { automaton: &automaton, separator, budget: &mut self.budget };
        if automaton.states() == 0 { Ok(Products::default()) } else { reading.products(0).map(Products) }
    }

    /// The language as text in the notation of `.scm` files; `0` is the empty language.
    pub fn describe(&mut self, language: Language, name: &dyn Fn(u32) -> String) -> Result<String, Limit> {
        Ok(self.products(language)?.regex().text(name))
    }
}

/// An automaton being read.
struct Reading<'a> {
    automaton: &'a Automaton,
    separator: u32,
    budget: &'a mut Meter,
}

impl Reading<'_> {
    /// What is accepted from the first state of a channel.
    fn products(&mut self, entry: u32) -> Result<Vec<Vec<Regex>>, Limit> {
        let segment = self.segment_from(entry);
        let exits: BTreeSet<u32> =
            segment.iter().filter_map(|&state| self.automaton.step(state, self.separator)).collect();
        if exits.is_empty() {
            let ends = segment.iter().copied().filter(|&state| self.automaton.accepts(state)).collect();
            return Ok(vec![vec![self.between(entry, &segment, &ends)?]]);
        }
        let mut products = Vec::new();
        for exit in exits {
            let leads_out = |state: &u32| self.automaton.step(*state, self.separator) == Some(exit);
            let ends = segment.iter().copied().filter(leads_out).collect();
            let words = self.between(entry, &segment, &ends)?;
            for rest in self.products(exit)? {
                self.budget.spend(1)?;
                self.budget.fits(products.len())?;
                products.push(std::iter::once(words.clone()).chain(rest).collect());
            }
        }
        Ok(products)
    }

    /// The states of the channel that begins here.
    fn segment_from(&self, entry: u32) -> Vec<u32> {
        let mut seen = BTreeSet::from([entry]);
        let mut order = vec![entry];
        let mut next = 0;
        while let Some(&state) = order.get(next) {
            next += 1;
            for edge in self.automaton.edges(state).iter().filter(|edge| edge.letter != self.separator) {
                if seen.insert(edge.target) {
                    order.push(edge.target);
                }
            }
        }
        order
    }

    /// The words from the entry to one of the ends, within a channel.
    fn between(&mut self, entry: u32, segment: &[u32], ends: &BTreeSet<u32>) -> Result<Regex, Limit> {
        let mut paths = Paths::default();
        paths.add(None, Some(entry), Regex::Epsilon);
        for &state in segment {
            let inner = self.automaton.edges(state).iter().filter(|edge| edge.letter != self.separator);
            inner.for_each(|edge| paths.add(Some(state), Some(edge.target), Regex::Letter(edge.letter)));
            if ends.contains(&state) {
                paths.add(Some(state), None, Regex::Epsilon);
            }
        }
        let mut left: BTreeSet<u32> = segment.iter().copied().collect();
        while let Some(state) = paths.least_passed(&left) {
            paths.remove(state);
            let size = paths.size();
            self.budget.spend(size)?;
            self.budget.fits(size)?;
            left.remove(&state);
        }
        Ok(paths.from.remove(&None).and_then(|mut row| row.remove(&None)).unwrap_or(Regex::Empty))
    }
}

/// Expressions between states; `None` is the outside.
#[derive(Default)]
struct Paths {
    from: BTreeMap<Option<u32>, BTreeMap<Option<u32>, Regex>>,
}

impl Paths {
    fn add(&mut self, source: Option<u32>, target: Option<u32>, words: Regex) {
        let path = self.from.entry(source).or_default().entry(target).or_insert(Regex::Empty);
        *path = alternative(std::mem::replace(path, Regex::Empty), words);
    }

    /// The length of all expressions.
    fn size(&self) -> usize {
        self.from.values().flat_map(BTreeMap::values).map(Regex::size).sum()
    }

    /// How many ways lead through a state.
    fn passing(&self, state: u32) -> usize {
        let into = self.from.iter().filter(|(source, row)| **source != Some(state) && row.contains_key(&Some(state)));
        let out = self.from.get(&Some(state)).map_or(0, |row| row.keys().filter(|key| **key != Some(state)).count());
        into.count() * out
    }

    fn least_passed(&self, left: &BTreeSet<u32>) -> Option<u32> {
        left.iter().copied().min_by_key(|&state| self.passing(state))
    }

    /// Takes a state out; paths through it become paths past it.
    fn remove(&mut self, state: u32) {
        let mut out = self.from.remove(&Some(state)).unwrap_or_default();
        let again = out.remove(&Some(state)).map_or(Regex::Epsilon, repeated);
        let mut into = Vec::new();
        for (&source, row) in &mut self.from {
            into.extend(row.remove(&Some(state)).map(|words| (source, words)));
        }
        for (source, words) in into {
            for (&target, rest) in &out {
                let path = sequence(sequence(words.clone(), again.clone()), rest.clone());
                self.add(source, target, path);
            }
        }
    }
}

/// `one | other`, without what is said twice.
fn alternative(one: Regex, other: Regex) -> Regex {
    let mut parts = Vec::new();
    for part in [one, other] {
        match part {
            Regex::Empty => {}
            Regex::Alt(inner) => parts.extend(inner),
            part => parts.push(part),
        }
    }
    let mut kept: Vec<Regex> = Vec::new();
    for part in parts {
        if !kept.contains(&part) {
            kept.push(part);
        }
    }
    absorb_epsilon(&mut kept);
    match kept.len() {
        0 => Regex::Empty,
        1 => kept.remove(0),
        _ => Regex::Alt(kept),
    }
}

/// `_ | x^+` is `x^*`, and `_ | x^*` as well.
fn absorb_epsilon(parts: &mut Vec<Regex>) {
    if !parts.contains(&Regex::Epsilon) {
        return;
    }
    let plus = parts.iter().position(|part| matches!(part, Regex::Plus(_)));
    if let Some(Regex::Plus(inner)) = plus.map(|at| parts[at].clone()) {
        parts[plus.unwrap_or(0)] = Regex::Star(inner);
    }
    if parts.iter().any(|part| matches!(part, Regex::Star(_))) {
        parts.retain(|part| *part != Regex::Epsilon);
    }
}

/// `one . other`, with `x . x^*` as `x^+`.
fn sequence(one: Regex, other: Regex) -> Regex {
    let (mut parts, rest) = match (one, other) {
        (Regex::Empty, _) | (_, Regex::Empty) => return Regex::Empty,
        (one, other) => (flat(one), flat(other)),
    };
    rest.into_iter().for_each(|part| append(&mut parts, part));
    match parts.len() {
        0 => Regex::Epsilon,
        1 => parts.remove(0),
        _ => Regex::Concat(parts),
    }
}

fn flat(regex: Regex) -> Vec<Regex> {
    match regex {
        Regex::Epsilon => Vec::new(),
        Regex::Concat(parts) => parts,
        other => vec![other],
    }
}

fn append(parts: &mut Vec<Regex>, part: Regex) {
    if let Regex::Star(inner) = &part {
        if matches!(parts.last(), Some(Regex::Star(last) | Regex::Plus(last)) if last == inner) {
            return;
        }
        let body = flat((**inner).clone());
        if parts.ends_with(&body) {
            parts.truncate(parts.len() - body.len());
            parts.push(Regex::Plus(inner.clone()));
            return;
        }
    }
    match parts.last() {
        Some(Regex::Star(last)) if **last == part => {
            let inner = last.clone();
            parts.pop();
            parts.push(Regex::Plus(inner));
        }
        _ => parts.push(part),
    }
}

/// `x^*`.
fn repeated(regex: Regex) -> Regex {
    match regex {
        Regex::Empty | Regex::Epsilon => Regex::Epsilon,
        Regex::Star(inner) | Regex::Plus(inner) => Regex::Star(inner),
        Regex::Alt(mut parts) => {
            parts.retain(|part| *part != Regex::Epsilon);
            match parts.len() {
                1 => repeated(parts.remove(0)),
                _ => Regex::Star(Box::new(Regex::Alt(parts))),
            }
        }
        other => Regex::Star(Box::new(other)),
    }
}
