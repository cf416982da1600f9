//! Concurrent C: components that meet in events, checked by two levels of abstraction refinement.
//!
//! * In: a specification ([`read`]): C files, what their routines do, which procedures run in parallel, and what they shall
//!   keep. It extends FSP, in the manner of MAGIC (Chaki and others, *Concurrent software verification with states, events,
//!   and deadlocks*).
//! * Out: [`check`] answers a [`Question`]: the program [`Holds`], with predicates, structures and a proof that
//!   `certify::components` accepts; or there is a [`Violation`], a run with inputs that the interpreter of `c` has done.
//!
//! The way through: `spec` (the text, and what a component can do, step by step), [`graph`] (that in the solver's terms), [`abstraction`] and `plan` (predicates make a structure of it), `check` (the compose engine, and the loop around it),
//! `validate` and `path` (is a run possible, and if not, which predicates are missing), `joint` (the same where components share variables), `ranking` (loops that end), `enumerated` (variables that are
//! followed as a whole), `guess` (another beginning, where this does not end), `replay` (the interpreter), `written` (the proof). [`families`] are specifications for any size.
//!
//! # What is answered
//!
//! * A statement is a step without a name, a position of its own in a run; there is no fairness between components. A loop
//!   that waits without an event lets the others wait forever.
//! * Integers are those of `c`: the machine's.
//! * A load or a store of a shared variable is a step, and all see them in one order. Two such steps of which neither is
//!   ordered before the other, one of them a store, are a race, and an error.
//! * A component that has returned or called `exit` has done its work; the others go on.
//!
//! This crate never prints and reads no file. A limit that is hit is a reason, never an answer.

pub mod abstraction;
mod check;
mod enumerated;
pub mod families;
pub mod graph;
mod guess;
mod joint;
mod meter;
mod path;
mod plan;
mod ranking;
mod replay;
mod shown;
mod system;
mod validate;
mod written;

pub use check::{Answer, Holds, Outcome, PartProof, Refined, Violation, ViolationStep, check};
pub use meter::Statistics;
pub use ranking::{Effect, Rank};
pub use replay::Moved;
pub use shown::predicates;
pub use spec::{
    Conformance, Expression, Options, Part, Procedure, Question, Read, Specification, codes, read, specification,
};
pub use system::parts_of;

/// The name of the engine.
pub const ENGINE: &str = "cegar";
