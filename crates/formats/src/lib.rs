//! What was found, in the forms that other tools read: SARIF, JUnit, annotations of GitHub, Mermaid.
//!
//! * In: what `report` knows of one file or several, as [`report::document::Entry`]; nothing here knows a kind of model.
//! * Out: texts.
//!
//! No form turns what is not finished into a success: an inconclusive property that was requested is an error of JUnit, an
//! open result of SARIF and a warning of GitHub.

mod common;
pub mod github;
pub mod junit;
pub mod mermaid;
pub mod sarif;

/// The JSON Schema of the documents `highwater/1`.
pub const SCHEMA: &str = include_str!("../schema/highwater-1.json");
