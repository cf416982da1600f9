//! Highwater as a library.

mod asking;
mod boundedness;
pub mod capacities;
pub mod certificate;
mod check;
mod choice;
mod components;
mod compositions;
pub mod convert;
mod error;
mod evidence;
mod front_end;
mod livelock;
mod machines;
mod model;
mod networks;
pub mod options;
mod programs;
mod property;
pub mod settings;
pub mod show;
pub mod simulate;
mod solvers;
mod strategy;
mod thresholds;

pub use check::{Results, check};
pub use choice::{Choice, OLD_NAMES};
pub use error::Error;
pub use evidence::{By, Checked, Finding, Replayed};
pub use model::{Model, Unreadable};
pub use property::Wanted;
