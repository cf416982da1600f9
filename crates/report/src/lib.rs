//! Verdicts, runs, diagnostics and progress, put into text and JSON.
//!
//! * In: what the engines and front ends answered, as values of `model`, gathered in a
//!   [`document::Document`].
//! * Out: strings for a terminal ([`human`], [`chart`], [`diagnostics`], [`explain`]), documents for
//!   programs ([`json`]) and what can be read back from them ([`parse`]), and a line that shows that
//!   work goes on ([`progress`]).
//!
//! This crate never decides a verdict, never reads a file and never prints: it returns strings. The
//! one exception is [`progress`], which draws on the terminal, because that is all it is for.
//!
//! No text from a model is trusted: spans may be stale, lines may be megabytes long, names may have
//! escape sequences in them. `places` and [`style`] are where such things are made harmless.

pub mod channels;
pub mod chart;
mod cycles;
mod details;
pub mod diagnostics;
pub mod document;
pub mod explain;
mod explanations;
pub mod human;
pub mod json;
pub mod parse;
pub mod places;
pub mod progress;
mod run;
mod stats;
pub mod style;
mod table;

#[cfg(test)]
#[path = "tests/sample.rs"]
mod sample;
