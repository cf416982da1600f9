//! What every front end produces and every engine reads: the network of machines, and its semantics.
//!
//! * In: a front end builds a [`network::Network`], with a [`source::Span`] on everything.
//! * Out: [`semantics::Semantics`] says which states and steps it has; [`trace`] puts steps into words;
//!   [`verdict`] is what an engine answers.
//!
//! This crate never prints, never reads a model from a file, and knows no language: [`scan`] and [`explanation`]
//! are what front ends would write twice.

pub mod around;
pub mod blame;
mod blocked;
pub mod budget;
pub mod chart;
pub mod claim;
mod code;
pub mod components_proof;
pub mod composition;
pub mod composition_proof;
mod configuration;
pub mod context;
pub mod declared;
pub mod diagnostic;
mod digest;
pub mod display;
mod evaluate;
pub mod event;
pub mod event_trace;
pub mod explanation;
pub mod expr;
mod fair_run;
pub mod fairness;
pub mod fault;
pub mod flow_proof;
pub mod formula;
pub mod growth;
pub mod ids;
pub mod info;
mod layout;
pub mod network;
pub mod observer;
pub mod program_proof;
pub mod queue_counts;
pub mod queue_parts;
pub mod queue_proof;
pub mod queue_ranking;
pub mod random;
pub mod reason;
pub mod refutation;
pub mod runs;
pub mod scan;
pub mod semantics;
pub mod source;
pub mod stats;
pub mod structure;
pub mod terminal;
pub mod text;
pub mod trace;
pub mod vacuity;
pub mod verdict;
