//! Specifications of C components: which procedures synchronise on which events, and what each can do step by step.
//!
//! * In: a specification ([`read`]), an extension of FSP in the manner of MAGIC (Chaki and others, *Concurrent software
//!   verification with states, events, and deadlocks*), and the C files that it names.
//! * Out: a [`Specification`], and for each procedure and [`Question`] its [`graph`]: the semantics that the engine
//!   `cegar`, its checker and the replay of runs have in common.
//!
//! File by file: `outline` and [`specification`] (text), `expression` (C's expressions in it), [`graph`] (the steps of a
//! procedure), `accesses` (shared variables as parts), `question` (which parts, events and propositions a question is about), `decided` (conditions that need no
//! solver). Reading asks no solver, prints nothing and reads no file.

mod accesses;
pub mod codes;
mod control_flow;
mod decided;
mod expression;
pub mod graph;
mod outline;
mod question;
pub mod specification;

pub use control_flow::control_flow;
pub use expression::Expression;
pub use question::{Prepared, Question};
pub use specification::{Conformance, Options, Part, Procedure, Read, SharedVariable, Specification, read};
