//! Highwater checks properties of concurrent systems that communicate over channels, and proves its results.
//!
//! This crate is the whole tool as a library; the command line is a thin layer on top of it. A model is read from a file or
//! a string ([`Model`]), or described in Rust; a [`Check`] names properties, limits and settings; a [`Report`] has a
//! [`Finding`] for each property, with bounds of channels, the run that shows a violation, and certificates that an
//! independent checker accepts ([`verify`]).
//!
//! # A test of a model
//!
//! ```no_run
//! #[test]
//! fn the_protocol_is_correct() {
//!     highwater::check("models/protocol.pml").unwrap().assert_proved();
//! }
//! ```
//! The test fails with the report that `highwater check models/protocol.pml` shows, runs included.
//!
//! # Read, check, look
//!
//! ```
//! use highwater::{Check, Model, Verdict};
//!
//! let model = Model::from_text("ping.pml", "
//!     chan ping = [4] of { byte }, pong = [4] of { byte };
//!     active proctype Client() { do :: ping!1; pong?_ od }
//!     active proctype Server() { do :: ping?_; pong!1 od }
//! ")?;
//!
//! // What can be checked? Without a property, a check is about all that the model states.
//! let names: Vec<String> = model.properties()?.iter().map(|property| property.to_string()).collect();
//! assert_eq!(names[..3], ["safety", "deadlock", "boundedness"]);
//!
//! // How long do the channels get, if nothing limits them?
//! let report = Check::new(&model).property("boundedness")?.run()?;
//! let boundedness = report.finding("boundedness").unwrap();
//! assert_eq!(boundedness.verdict(), Verdict::Proved);
//! for channel in boundedness.channels() {
//!     assert_eq!((channel.declared, channel.at_most), (Some(4), Some(1)), "{}", channel.name);
//! }
//! # Ok::<(), highwater::Error>(())
//! ```
//!
//! # A violation is a run
//!
//! ```
//! use highwater::{Check, Model, Verdict};
//!
//! let model = Model::from_text("stuck.pml", "
//!     chan a = [1] of { byte }, b = [1] of { byte };
//!     active proctype P() { a?_; b!1 }
//!     active proctype Q() { b?_; a!1 }
//! ")?;
//! let report = Check::new(&model).property("deadlock")?.run()?;
//! let deadlock = report.finding("deadlock").unwrap();
//! assert_eq!((deadlock.verdict(), report.exit_code()), (Verdict::Violated, 1));
//! assert!(deadlock.chart().unwrap().contains("where it ends"));
//! // `report.assert_proved()` would panic with this text.
//! assert!(report.to_text().contains("violated"));
//! # Ok::<(), highwater::Error>(())
//! ```
//!
//! # A proof is a certificate
//!
//! ```
//! use highwater::{Check, Model};
//!
//! let text = "chan c = [2] of { byte }; active proctype P() { do :: c!1; c?_ od }";
//! let model = Model::from_text("loop.pml", text)?;
//! let report = Check::new(&model).run()?;
//! report.assert_proved();
//!
//! // The document that `highwater check --certificate` writes: only the checker is needed to accept it.
//! let certificates = report.certificates();
//! assert!(model.verify(&certificates)?.is_accepted());
//!
//! // It belongs to this text, and to no other.
//! let other = Model::from_text("loop.pml", &text.replace("[2]", "[3]"))?;
//! assert!(other.verify(&certificates).is_err());
//! # Ok::<(), highwater::Error>(())
//! ```
//!
//! # A model in Rust
//!
//! Processes and channels can be described without a text: see [`builder`].
//!
//! # Limits
//!
//! A check ends after [`DEFAULT_TIMEOUT`], or when the process has [`DEFAULT_MEMORY`], unless [`Check::timeout`] and
//! [`Check::memory`] say otherwise. A limit is never a proof: the verdict is [`Verdict::Inconclusive`] with a [`Reason`],
//! and [`Report::assert_proved`] fails.
//!
//! ```
//! use highwater::{Check, Model, Reason, Verdict};
//! use std::time::Duration;
//!
//! let model = Model::from_text("m.pml", "int x; active proctype P() { do :: x++ od }")?;
//! let report = Check::new(&model).property("safety")?.timeout(Duration::ZERO).run()?;
//! let safety = report.finding("safety").unwrap();
//! assert_eq!((safety.verdict(), safety.reason()), (Verdict::Inconclusive, Some(&Reason::Timeout)));
//! # Ok::<(), highwater::Error>(())
//! ```
//!
//! Progress goes to an [`Observer`], and a [`Cancel`] ends a check from another thread.

mod boundedness;
pub mod builder;
mod c_test;
mod capacities;
mod certificate;
mod check;
mod components;
mod compositions;
pub mod convert;
mod ends;
mod error;
mod evidence;
mod findings;
mod folder;
mod livelock;
mod locals;
pub mod lts;
mod machines;
mod model;
mod networks;
mod observed;
pub mod options;
mod portfolio;
mod programs;
mod property;
mod request;
pub mod settings;
pub mod show;
pub mod simulate;
mod solvers;
mod strategy;
mod thresholds;
pub mod trail;
pub mod walk;

pub use crate::certificate::{ClaimResult, Verification, VerifiedClaim, verify, verify_with};
pub use crate::model::{Model, Unreadable};
pub use ::model::budget::{Budget, Cancel};
pub use ::model::diagnostic::Diagnostic;
pub use ::model::observer::{Event, Observer, Progress, Silent, Topic};
pub use ::model::semantics::Reading;
pub use ::model::verdict::{ChannelState, Property, Reason};
pub use ::report::style::Style;
pub use capacities::{Applied, Capacities};
pub use error::Error;
pub use evidence::By;
pub use findings::{ChannelBound, Finding, Report, Verdict};
pub use folder::models_below;
pub use input::{Choice, OLD_NAMES, explanations, with_deep_stack};
pub use property::Wanted;
pub use request::{Check, DEFAULT_MEMORY, DEFAULT_TIMEOUT, check};
