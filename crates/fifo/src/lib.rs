//! Safety of communicating machines over unbounded queues, reliable or lossy.
//!
//! * In: a [`System`] of finite machines that send and receive, a [`Property`], a [`Method`], [`Limits`], and a
//!   [`model::context::Context`].
//! * Out: a [`Report`] with a [`Verdict`]. *Safe* comes with an inductive [`Invariant`], a set of queue contents for each
//!   control state; *unsafe* with a [`Run`]; both were checked before they are returned. *Inconclusive* says why.
//!
//! The paper behind it is Heußner, Le Gall and Sutre, "Extrapolation-based path invariants for abstraction refinement of
//! fifo systems". Start reading at `system.rs`, then `space.rs`, which unfolds the product of the machines as far as it is
//! needed, then the methods: `search.rs`, `absint.rs`, `cegar/mod.rs`, `armc.rs`, and `portfolio.rs`, which combines them.
//! [`translation`] makes systems of networks, and takes results back. [`network`] is for itself: abstract interpretation of a network with data, which is not made a [`System`] first. What is
//! found becomes a `model::queue_proof` in `proof.rs`.
//!
//! This crate never prints, reads no file, and never panics on a system, however odd.

mod absint;
mod armc;
mod cegar;
mod check;
mod configurations;
pub mod counting;
pub mod eventually;
mod method;
pub mod network;
pub mod parts;
mod portfolio;
mod proof;
mod property;
mod replay;
mod run;
mod search;
mod space;
pub mod sums;
mod system;
mod trace;
pub mod translation;
mod verdict;

/// The name of this engine.
pub const ENGINE: &str = "fifo";

pub use cegar::{Cegar, CegarSettings, Counterexample, Generator, Pass, Progress};
pub use method::{Limits, Method, check};
pub use property::Property;
pub use replay::{Configuration, ReplayError, replay};
pub use system::{Bad, Machine, Op, System, SystemError, Transition};
pub use trace::AbstractState;
pub use verdict::{Invariant, Report, Run, Statistics, Step, Verdict};
