//! Replayers: a run counts once it was taken again, step by step, in the model's own semantics.
//!
//! * In: a model, a property, and what a run does: its steps, or its inputs. Who found it does not matter.
//! * Out: a [`Replayed`], and the run as a [`model::chart::Chart`]; or why it is no violation.
//!
//! [`Replayed`] has a private field, and only the functions of this crate make one: `network` and `queues` for networks,
//! `composition`, `program` and [`components`]. This crate depends on no engine; what looks at heads of queues only, it asks `certify`.

pub mod components;
mod composition;
mod ending;
mod network;
mod never;
mod program;
mod queues;
pub mod statements;
mod waiting;

pub use composition::{confirmed, step};
pub use ending::{BAD_CONFIGURATION, Ending, ending};
pub use program::{Narrator, executed};
pub use queues::QueueRun;

use model::reason::Reason;

/// A run that was replayed.
#[derive(Debug)]
pub struct Replayed {
    steps: usize,
}

impl Replayed {
    /// The number of its steps.
    pub fn steps(&self) -> usize {
        self.steps
    }
}

fn unconfirmed(why: &str) -> Reason {
    Reason::Internal(format!("a run was found, but not confirmed: {why}"))
}
