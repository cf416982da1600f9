//! Path invariants: why an abstract counterexample is none (section 4 of the paper, figure 7).
//!
//! A path invariant gives each place `i` of the path a language `Lᵢ`: the first holds the initial contents, each next one
//! holds what a step leads to from the one before, within the classes of the path, and the last one has nothing bad
//! (definition 4.1). Two generators, each in two directions:
//!
//! * *Uniform* (`UPInv`): forward from the start, extrapolating at every place with the same precision; the precision
//!   increases until the last place has nothing bad.
//! * *Adaptive* (`APInv`): first exactly back from the bad end; then forward, at each place with the least precision
//!   that keeps away from what leads to bad (`Split`).
//!
//! Backward they start from the bad end, and what they compute is the complement of a path invariant: contents that
//! may lead to bad, away from what comes from the start.

use super::CegarSettings;
use crate::space::{Move, Space};
use queues::{Extrapolation, Language, Limit};

/// Which procedure makes path invariants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Generator {
    /// `UPInv`: one precision for the whole path.
    Uniform,
    /// `APInv`: the least precision at each place.
    Adaptive,
}

/// Where it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pass {
    /// At the start.
    Forward,
    /// At the bad end.
    Backward,
}

/// An abstract counterexample.
pub(crate) struct Path {
    pub(crate) classes: Vec<Language>,
    /// One less.
    pub(crate) moves: Vec<Move>,
    /// The contents at the start, and the bad ones at the end.
    pub(crate) init: Language,
    pub(crate) bad: Language,
}

/// A path invariant, and how it came about.
pub(crate) struct PathInvariant {
    pub(crate) languages: Vec<Language>,
    /// Precisions that were tried, with their languages; the last one is the invariant.
    pub(crate) candidates: Vec<(u32, Vec<Language>)>,
}

impl Path {
    fn last(&self) -> usize {
        self.classes.len() - 1
    }

    /// The contents that the path really leads to at each place; at the end, the bad ones among them.
    pub(crate) fn exact_forward(&self, space: &mut Space<'_>) -> Result<Vec<Language>, Limit> {
        let mut sets = vec![space.languages.intersection(self.classes[0], self.init)?];
        for (at, step) in self.moves.iter().enumerate() {
            let after = space.post(step.op, sets[at])?;
            sets.push(space.languages.intersection(after, self.classes[at + 1])?);
        }
        let last = self.last();
        sets[last] = space.languages.intersection(sets[last], self.bad)?;
        Ok(sets)
    }

    /// The path invariant by the settings. The path must be spurious.
    pub(crate) fn invariant(&self, space: &mut Space<'_>, settings: &CegarSettings) -> Result<PathInvariant, Limit> {
        let ends = self.ends(space)?;
        let with = &*settings.extrapolation;
        let (mut candidates, complement) = match (settings.generator, settings.pass) {
            (Generator::Uniform, Pass::Forward) => (self.uniform(space, with, &Ahead(self), ends)?, false),
            (Generator::Uniform, Pass::Backward) => (self.uniform(space, with, &Back(self), (ends.1, ends.0))?, true),
            (Generator::Adaptive, Pass::Forward) => (self.adaptive(space, with, &Ahead(self), ends)?, false),
            (Generator::Adaptive, Pass::Backward) => (self.adaptive(space, with, &Back(self), (ends.1, ends.0))?, true),
        };
        for (_, languages) in candidates.iter_mut().filter(|_| complement) {
            languages.reverse();
            for language in languages {
                *language = space.languages.complement(*language)?;
            }
        }
        let languages = candidates.last().map(|(_, languages)| languages.clone()).unwrap_or_default();
        Ok(PathInvariant { languages, candidates })
    }

    /// The initial contents at the start and the bad ones at the end.
    fn ends(&self, space: &mut Space<'_>) -> Result<(Language, Language), Limit> {
        let first = space.languages.intersection(self.classes[0], self.init)?;
        let last = space.languages.intersection(self.classes[self.last()], self.bad)?;
        Ok((first, last))
    }

    /// `UPInv`. Places are counted in the direction of the pass, which leads from the one set to the other.
    fn uniform(
        &self,
        space: &mut Space<'_>,
        with: &dyn Extrapolation,
        pass: &dyn Direction,
        (from, to): (Language, Language),
    ) -> Result<Vec<(u32, Vec<Language>)>, Limit> {
        let mut candidates = Vec::new();
        for k in 0.. {
            space.languages.spend(self.classes.len())?;
            let mut languages = vec![with.apply(k, from, &mut space.languages)?];
            for at in 1..self.classes.len() {
                let here = space.languages.intersection(pass.class(at - 1), languages[at - 1])?;
                let reached = pass.step(at, here, space)?;
                languages.push(if space.languages.meet(reached, pass.class(at))? {
                    with.apply(k, reached, &mut space.languages)?
                } else {
                    space.languages.empty()
                });
            }
            let arrives = space.languages.meet(languages[self.last()], to)?;
            candidates.push((k, languages));
            if !arrives {
                break;
            }
        }
        Ok(candidates)
    }

    /// `APInv`, in the same way.
    fn adaptive(
        &self,
        space: &mut Space<'_>,
        with: &dyn Extrapolation,
        pass: &dyn Direction,
        (from, to): (Language, Language),
    ) -> Result<Vec<(u32, Vec<Language>)>, Limit> {
        let mut avoid = vec![space.languages.empty(); self.classes.len()];
        let mut at = self.last();
        avoid[at] = to;
        while !space.languages.is_empty(avoid[at]) && at > 0 {
            at -= 1;
            let leads_on = pass.unstep(at + 1, avoid[at + 1], space)?;
            avoid[at] = space.languages.intersection(pass.class(at), leads_on)?;
        }
        let mut precision = 0;
        let mut languages = vec![space.universe; at + 1];
        if !space.languages.is_empty(avoid[at]) {
            languages[0] = split(space, with, from, avoid[0], &mut precision)?;
        }
        for at in at + 1..self.classes.len() {
            let here = space.languages.intersection(pass.class(at - 1), languages[at - 1])?;
            let reached = pass.step(at, here, space)?;
            languages.push(if space.languages.meet(reached, pass.class(at))? {
                split(space, with, reached, avoid[at], &mut precision)?
            } else {
                space.languages.empty()
            });
        }
        Ok(vec![(precision, languages)])
    }
}

/// `Split`: the least precise extrapolation that keeps away from a set. Notes the precision if it is a new maximum.
fn split(
    space: &mut Space<'_>,
    with: &dyn Extrapolation,
    language: Language,
    avoid: Language,
    precision: &mut u32,
) -> Result<Language, Limit> {
    let mut k = 0;
    loop {
        let larger = with.apply(k, language, &mut space.languages)?;
        if !space.languages.meet(larger, avoid)? {
            *precision = k.max(*precision);
            return Ok(larger);
        }
        space.languages.spend(1)?;
        k += 1;
    }
}

/// The path, read from one of its ends.
trait Direction {
    /// The class at a place.
    fn class(&self, at: usize) -> Language;
    /// What a step leads to from the place before.
    fn step(&self, at: usize, language: Language, space: &mut Space<'_>) -> Result<Language, Limit>;
    /// What leads to a place from the one before.
    fn unstep(&self, at: usize, language: Language, space: &mut Space<'_>) -> Result<Language, Limit>;
}

struct Ahead<'a>(&'a Path);

impl Direction for Ahead<'_> {
    fn class(&self, at: usize) -> Language {
        self.0.classes[at]
    }

    fn step(&self, at: usize, language: Language, space: &mut Space<'_>) -> Result<Language, Limit> {
        space.post(self.0.moves[at - 1].op, language)
    }

    fn unstep(&self, at: usize, language: Language, space: &mut Space<'_>) -> Result<Language, Limit> {
        space.pre(self.0.moves[at - 1].op, language)
    }
}

struct Back<'a>(&'a Path);

impl Direction for Back<'_> {
    fn class(&self, at: usize) -> Language {
        self.0.classes[self.0.last() - at]
    }

    fn step(&self, at: usize, language: Language, space: &mut Space<'_>) -> Result<Language, Limit> {
        space.pre(self.0.moves[self.0.last() - at].op, language)
    }

    fn unstep(&self, at: usize, language: Language, space: &mut Space<'_>) -> Result<Language, Limit> {
        space.post(self.0.moves[self.0.last() - at].op, language)
    }
}
