//! Formulas of state/event LTL as text, as trees, and on words.
//!
//! * In: a text ([`parse`]).
//! * Out: a [`Formula`] over numbered atoms, and the names of these. What an atom means, a proposition of a state or an
//!   event of a step, is the caller's business; [`with_atoms`] makes a formula of a model of it.
//!
//! [`Formula::holds_on`] evaluates a formula by definition on an ultimately periodic word ([`Lasso`]). Automata are made in
//! `temporal`. This crate is apart from it so that reading a model needs none: whoever checks a certificate reads the same
//! formulas, and trusts no translation but its own.

mod formula;
mod lasso;
mod lex;
mod numbered;
mod parse;
mod print;

pub use formula::Formula;
pub use lasso::{Lasso, Valuation};
pub use numbered::{numbered, with_atoms};
pub use parse::{MAX_DEPTH, Parsed, Precedence, SyntaxError, parse, parse_with};
pub use print::name;
