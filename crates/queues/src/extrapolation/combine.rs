//! Extrapolations made of others (remark 4.4 of the paper).

use super::Extrapolation;
use crate::languages::{Language, Languages};
use crate::limits::Limit;
use std::sync::Arc;

/// The set itself, for every `k`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Identity;

impl Extrapolation for Identity {
    fn apply(&self, _: u32, language: Language, _: &mut Languages) -> Result<Language, Limit> {
        Ok(language)
    }

    fn name(&self) -> String {
        "identity".into()
    }
}

/// One after the other, the last of the list first: `∇⁰ₖ ∘ … ∘ ∇ᵐₖ`.
pub struct Composition(pub Vec<Arc<dyn Extrapolation>>);

impl Extrapolation for Composition {
    fn apply(&self, k: u32, language: Language, languages: &mut Languages) -> Result<Language, Limit> {
        self.0.iter().rev().try_fold(language, |language, part| part.apply(k, language, languages))
    }

    fn name(&self) -> String {
        named("compose", &self.0)
    }

    fn is_restricted(&self) -> bool {
        self.0.first().is_some_and(|part| part.is_restricted())
    }
}

/// `∇⁰ₖ(L) ∪ … ∪ ∇ᵐₖ(L)`.
pub struct Union(pub Vec<Arc<dyn Extrapolation>>);

impl Extrapolation for Union {
    fn apply(&self, k: u32, language: Language, languages: &mut Languages) -> Result<Language, Limit> {
        let mut all = language;
        for part in &self.0 {
            let larger = part.apply(k, language, languages)?;
            all = languages.union(all, larger)?;
        }
        Ok(all)
    }

    fn name(&self) -> String {
        named("union", &self.0)
    }

    fn is_restricted(&self) -> bool {
        !self.0.is_empty() && self.0.iter().all(|part| part.is_restricted())
    }
}

/// `∇⁰ₖ(L) ∩ … ∩ ∇ᵐₖ(L)`.
pub struct Intersection(pub Vec<Arc<dyn Extrapolation>>);

impl Extrapolation for Intersection {
    fn apply(&self, k: u32, language: Language, languages: &mut Languages) -> Result<Language, Limit> {
        let Some((first, rest)) = self.0.split_first() else { return Ok(language) };
        let mut common = first.apply(k, language, languages)?;
        for part in rest {
            let larger = part.apply(k, language, languages)?;
            common = languages.intersection(common, larger)?;
        }
        Ok(common)
    }

    fn name(&self) -> String {
        named("intersect", &self.0)
    }

    fn is_restricted(&self) -> bool {
        !self.0.is_empty() && self.0.iter().all(|part| part.is_restricted())
    }
}

/// Each in turn, each with precision 0 first, then each with 1, and so on.
pub struct RoundRobin(pub Vec<Arc<dyn Extrapolation>>);

impl Extrapolation for RoundRobin {
    fn apply(&self, k: u32, language: Language, languages: &mut Languages) -> Result<Language, Limit> {
        let count = self.0.len().max(1) as u32;
        match self.0.get((k % count) as usize) {
            Some(part) => part.apply(k / count, language, languages),
            None => Ok(language),
        }
    }

    fn name(&self) -> String {
        named("turns", &self.0)
    }

    fn is_restricted(&self) -> bool {
        !self.0.is_empty() && self.0.iter().all(|part| part.is_restricted())
    }
}

/// Any function that only enlarges, for `k = 0`, and the identity from there on.
pub struct Once<F> {
    /// The name for people.
    pub name: String,
    /// Must give a superset; it is joined with the set in any case.
    pub enlarge: F,
}

impl<F> Extrapolation for Once<F>
where
    F: Fn(Language, &mut Languages) -> Result<Language, Limit> + Send + Sync,
{
    fn apply(&self, k: u32, language: Language, languages: &mut Languages) -> Result<Language, Limit> {
        if k > 0 {
            return Ok(language);
        }
        let larger = (self.enlarge)(language, languages)?;
        languages.union(language, larger)
    }

    fn name(&self) -> String {
        self.name.clone()
    }
}

fn named(how: &str, parts: &[Arc<dyn Extrapolation>]) -> String {
    let names: Vec<String> = parts.iter().map(|part| part.name()).collect();
    format!("{how}({})", names.join(", "))
}
