//! Extrapolations: guesses at a simpler, larger set (sections 4.2 and 4.3, appendix B of the paper).
//!
//! An extrapolation `∇` has a parameter `k`, its precision. `L ⊆ ∇ₖ(L)` always, and `∇ₖ(L) = L` from some `k` on
//! (definition 4.3). It is *restricted* if for each `k` it has finitely many results (definition 6.10); then a widening
//! with it terminates.
//!
//! Those of [`quotient`] merge states of the automaton: [`Bisimulation`] is ρ, with ρ′ and ρ″, and
//! [`BoundedLanguages`] is ξ. Those of [`combine`] are made of others, and [`Apart`] looks at one channel at a time.

mod apart;
mod combine;
mod quotient;

pub use apart::Apart;
pub use combine::{Composition, Identity, Intersection, Once, RoundRobin, Union};
pub use quotient::{Bisimulation, BoundedLanguages, Colouring, Direction, Start};

use crate::languages::{Language, Languages};
use crate::limits::Limit;
use std::sync::Arc;

/// The names that [`by_name`] knows.
pub const NAMES: [&str; 11] = [
    "rho-forward",
    "rho-backward",
    "rho-both",
    "rho'-forward",
    "rho'-backward",
    "rho'-both",
    "rho''-forward",
    "rho''-backward",
    "rho''-both",
    "xi",
    "identity",
];

/// An extrapolation by its plain name.
pub fn by_name(name: &str) -> Option<Arc<dyn Extrapolation>> {
    let (start, direction) = match name {
        "xi" => return Some(Arc::new(BoundedLanguages)),
        "identity" => return Some(Arc::new(Identity)),
        _ => name.split_once('-')?,
    };
    let direction = match direction {
        "forward" => Direction::Forward,
        "backward" => Direction::Backward,
        "both" => Direction::Both,
        _ => return None,
    };
    let start = match start {
        "rho" => Start::Coloured,
        "rho'" => Start::MergedThenColoured,
        "rho''" => Start::Merged,
        _ => return None,
    };
    Some(Arc::new(Bisimulation { direction, colouring: Colouring::Standard, start }))
}

/// A parametrised extrapolation.
pub trait Extrapolation: Send + Sync {
    /// `∇ₖ(L)`.
    fn apply(&self, k: u32, language: Language, languages: &mut Languages) -> Result<Language, Limit>;

    /// Its name, for people.
    fn name(&self) -> String;

    /// Whether each `∇ₖ` has finitely many results.
    fn is_restricted(&self) -> bool {
        false
    }
}
