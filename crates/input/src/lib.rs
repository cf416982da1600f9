//! Front ends: a file becomes a model, whatever its language.
//!
//! * In: a path, or a text with a name; [`ReadOptions`]; formulas that are not in the text.
//! * Out: [`Parsed`]: a [`System`], diagnostics, and what certificates and traces know the model by: its hash.
//!
//! The library and the checker `highwater-check` read models with this crate, so that a certificate is about the same model
//! in both. It depends on front ends and on no engine.

pub mod choice;
mod components;
mod error;
mod folder;
mod formulas;
mod front_end;
mod options;
mod programs;
mod stack;
mod system;

pub use capsules::is_question;
pub use choice::{Choice, OLD_NAMES};
pub use components::ComponentsFile;
pub use error::Error;
pub use folder::models_below;
pub use formulas::add_formulas;
pub use front_end::{FrontEnd, Text, explanations, hash, of, sizes};
pub use options::{COptions, DataModel, Language, ReadOptions, known_languages};
pub use programs::{ProgramFile, data_model_name, options_named, options_of};
pub use stack::with_deep_stack;
pub use system::{NetworkModel, Parsed, System};
