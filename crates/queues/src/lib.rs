//! Sets of queue contents: recognizable sets of vectors of words, as automata.
//!
//! * In: the number of channels and messages, and [`Regex`] expressions or words.
//! * Out: [`Language`]s, small ids of canonical automata in [`Languages`]. Two languages are equal exactly if their ids
//!   are. There are union, intersection, complement, inclusion, what a send or a receive makes of a set (and what it
//!   came from), closure under loss, members and shortest members, and readable expressions.
//! * [`Extrapolation`]s, which guess a simpler and larger set: what abstraction refinement and widening are made of.
//!
//! A vector `(w₁, …, wₙ)` is the word `w₁#w₂#…#wₙ`, and a set of vectors is a *queue decision diagram* (Boigelot and
//! Godefroid 1999; appendix A of Heußner, Le Gall and Sutre, "Extrapolation-based path invariants for abstraction
//! refinement of fifo systems"): an automaton that accepts such words only.
//!
//! Every operation takes time and memory, in the worst case exponentially much. [`Limits`] bound both, and come back as
//! a [`Limit`]. This crate never prints, never panics, and knows nothing of machines.

mod automaton;
mod boolean;
mod express;
mod extrapolation;
mod heads;
mod languages;
mod limits;
mod nondeterministic;
mod regex;
mod transform;
mod words;

pub use automaton::{Automaton, Edge};
pub use express::Products;
pub use extrapolation::{
    Apart, Bisimulation, BoundedLanguages, Colouring, Composition, Direction, Extrapolation, Identity, Intersection,
    NAMES as EXTRAPOLATION_NAMES, Once, RoundRobin, Start, Union, by_name as extrapolation_by_name,
};
pub use languages::{Language, Languages};
pub use limits::{Limit, Limits};
pub use regex::{Regex, RegexError};
